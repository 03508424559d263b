/* evq.c - see evq.h. */
#include "core/evq.h"

#include <stdlib.h>

panem_status pn_evq_init(pn_evq *q, uint32_t capacity, panem_error *err)
{
    pn_ev *heap = malloc(capacity * sizeof *heap);
    if (!heap)
        return pn_err(err, PANEM_E_NOMEM, "no memory for %u events", capacity);
    *q = (pn_evq){heap, 0, capacity, 0};
    return PANEM_OK;
}

void pn_evq_release(pn_evq *q)
{
    free(q->heap);
    q->heap = NULL;
}

static bool before(const pn_ev *a, const pn_ev *b)
{
    return a->cycle < b->cycle || (a->cycle == b->cycle && a->order < b->order);
}

void pn_evq_push_ranked(pn_evq *q, uint64_t cycle, unsigned kind, uint32_t rank, uint64_t line,
                        uint32_t arg)
{
    uint64_t order = (uint64_t)kind << 56 | (uint64_t)rank << 48 | q->entered++;
    pn_ev e = {cycle, order, line, arg};
    uint32_t i = q->count++;
    while (i > 0 && before(&e, &q->heap[(i - 1) / 2])) {
        q->heap[i] = q->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    q->heap[i] = e;
}

pn_ev pn_evq_pop(pn_evq *q)
{
    pn_ev first = q->heap[0];
    pn_ev last = q->heap[--q->count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= q->count)
            break;
        if (child + 1 < q->count && before(&q->heap[child + 1], &q->heap[child]))
            child++;
        if (!before(&q->heap[child], &last))
            break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    q->heap[i] = last;
    return first;
}
