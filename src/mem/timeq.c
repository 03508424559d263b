/* timeq.c - see timeq.h. */
#include "mem/timeq.h"

#include <stdlib.h>

#include "base/err.h"

enum { CAPACITY_MAX = 1 << 24 };

panem_status pn_timeq_init(pn_timeq *q, uint32_t capacity, panem_error *err)
{
    uint32_t size = 1;
    while (size < capacity && size < CAPACITY_MAX)
        size *= 2;
    *q = (pn_timeq){.capacity = size};
    q->fifo = calloc(size, sizeof *q->fifo);
    q->heap = calloc(size, sizeof *q->heap);
    if (q->fifo && q->heap)
        return PANEM_OK;
    pn_timeq_release(q);
    return pn_err(err, PANEM_E_NOMEM, "no memory for %u requests in flight", size);
}

void pn_timeq_release(pn_timeq *q)
{
    free(q->fifo);
    free(q->heap);
    *q = (pn_timeq){0};
}

static bool before(const pn_timeq_entry *a, const pn_timeq_entry *b)
{
    if (a->response.done_ps != b->response.done_ps)
        return a->response.done_ps < b->response.done_ps;
    return a->sequence < b->sequence;
}

static void heap_push(pn_timeq *q, pn_timeq_entry entry)
{
    uint32_t i = q->heap_count++;
    while (i > 0 && before(&entry, &q->heap[(i - 1) / 2])) {
        q->heap[i] = q->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    q->heap[i] = entry;
}

static void heap_drop_first(pn_timeq *q)
{
    pn_timeq_entry last = q->heap[--q->heap_count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= q->heap_count)
            break;
        if (child + 1 < q->heap_count && before(&q->heap[child + 1], &q->heap[child]))
            child++;
        if (!before(&q->heap[child], &last))
            break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    q->heap[i] = last;
}

bool pn_timeq_push(pn_timeq *q, const pn_mem_response *response)
{
    if (pn_timeq_full(q))
        return false;
    pn_timeq_entry entry = {*response, q->sequence++};
    uint32_t mask = q->capacity - 1;
    uint32_t newest = (q->fifo_first + q->fifo_count - 1) & mask;
    if (q->fifo_count == 0 || q->fifo[newest].response.done_ps <= response->done_ps)
        q->fifo[(q->fifo_first + q->fifo_count++) & mask] = entry;
    else
        heap_push(q, entry);
    return true;
}

/* The earliest entry, or NULL. */
static const pn_timeq_entry *first(const pn_timeq *q, bool *in_heap)
{
    const pn_timeq_entry *f = q->fifo_count ? &q->fifo[q->fifo_first] : NULL;
    const pn_timeq_entry *h = q->heap_count ? &q->heap[0] : NULL;
    *in_heap = h && (!f || before(h, f));
    return *in_heap ? h : f;
}

uint64_t pn_timeq_next(const pn_timeq *q)
{
    bool in_heap;
    const pn_timeq_entry *e = first(q, &in_heap);
    return e ? e->response.done_ps : UINT64_MAX;
}

bool pn_timeq_pop(pn_timeq *q, pn_mem_response *response, uint64_t time_ps)
{
    bool in_heap;
    const pn_timeq_entry *e = first(q, &in_heap);
    if (!e || e->response.done_ps > time_ps)
        return false;
    *response = e->response;
    if (in_heap) {
        heap_drop_first(q);
    } else {
        q->fifo_first = (q->fifo_first + 1) & (q->capacity - 1);
        q->fifo_count--;
    }
    return true;
}
