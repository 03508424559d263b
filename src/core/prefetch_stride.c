/* prefetch_stride.c - stride by instruction address (Chen and Baer, 1995, with a counter of
 * confidence): strides shorter than a line are followed line by line. */
#include <stdlib.h>

#include "core/prefetch.h"

enum { ENTRIES = 256, CONFIDENCE_MAX = 3 };

typedef struct entry {
    uint64_t pc, last; /* address */
    int64_t stride;    /* bytes */
    uint32_t confidence;
    uint32_t ahead; /* steps from the last address that were proposed already */
} entry;

typedef struct table {
    entry entries[ENTRIES];
} table;

static void propose(entry *e, pn_prefetch_list *list, const pn_prefetch_access *a,
                    const pn_prefetch_tuning *t)
{
    int64_t step = e->stride;
    if (llabs(step) < PN_LINE_BYTES)
        step = step < 0 ? -PN_LINE_BYTES : PN_LINE_BYTES;
    for (uint32_t n = 0; n < t->degree && e->ahead < t->distance; n++) {
        uint64_t target = a->address + (uint64_t)step * (e->ahead + 1);
        uint64_t lines = target / PN_LINE_BYTES - a->address / PN_LINE_BYTES;
        if (!pn_prefetch_propose(list, a->line + lines))
            return;
        e->ahead++;
    }
}

static void train(void *state, pn_prefetch_list *list, const pn_prefetch_access *a,
                  const pn_prefetch_tuning *t)
{
    entry *e = &((table *)state)->entries[(a->pc ^ a->pc >> 8) % ENTRIES];
    if (a->pc == 0)
        return;
    if (e->pc != a->pc) {
        *e = (entry){.pc = a->pc, .last = a->address};
        return;
    }
    uint64_t before = e->last;
    int64_t moved = (int64_t)(a->address - before);
    if (moved == 0)
        return;
    e->last = a->address;
    if (moved != e->stride) {
        e->ahead = 0;
        if (e->confidence > 0)
            e->confidence--;
        else
            e->stride = moved;
        return;
    }
    if (e->confidence < CONFIDENCE_MAX)
        e->confidence++;
    if (before / PN_LINE_BYTES == a->address / PN_LINE_BYTES)
        return;
    if (e->ahead > 0)
        e->ahead--;
    if (e->confidence >= t->threshold)
        propose(e, list, a, t);
}

const pn_prefetch_ops pn_prefetch_stride = {
    .name = "stride", .state_bytes = sizeof(table), .train = train, .tuning = pn_tuning_stride};
