/* prefetch_next.c - next-line: what would have missed brings the lines after it. */
#include "core/prefetch.h"

static void train(void *state, pn_prefetch_list *list, const pn_prefetch_access *a,
                  const pn_prefetch_tuning *t)
{
    (void)state;
    if (!a->trigger)
        return;
    for (uint32_t i = 1; i <= t->degree; i++)
        if (!pn_prefetch_propose(list, a->line + i))
            return;
}

const pn_prefetch_ops pn_prefetch_next_line = {
    .name = "next-line", .train = train, .tuning = pn_tuning_next_line};
