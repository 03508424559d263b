/* timeq.h - responses waiting for their done time: a queue in order of time, ties in order of
 * entry.
 *
 * Most responses come in order of completion and take the first-in first-out path, O(1); the others
 * go through a binary heap. Capacity is fixed when made: nothing allocates later. One thread. */
#ifndef PN_MEM_TIMEQ_H
#define PN_MEM_TIMEQ_H

#include "mem/port.h"

typedef struct pn_timeq_entry {
    pn_mem_response response;
    uint64_t sequence;
} pn_timeq_entry;

typedef struct pn_timeq {
    pn_timeq_entry *fifo; /* ring of capacity entries */
    pn_timeq_entry *heap;
    uint32_t capacity; /* power of two */
    uint32_t fifo_first, fifo_count, heap_count;
    uint64_t sequence;
} pn_timeq;

/* capacity is rounded up to a power of two, 1 .. 2^24. E_NOMEM. */
panem_status pn_timeq_init(pn_timeq *q, uint32_t capacity, panem_error *err);
void pn_timeq_release(pn_timeq *q);
/* False when full. */
bool pn_timeq_push(pn_timeq *q, const pn_mem_response *response);
/* The earliest done time, UINT64_MAX when empty. */
uint64_t pn_timeq_next(const pn_timeq *q);
/* Takes the earliest response if its done time is at or before time_ps. */
bool pn_timeq_pop(pn_timeq *q, pn_mem_response *response, uint64_t time_ps);
static inline bool pn_timeq_full(const pn_timeq *q)
{
    return q->fifo_count + q->heap_count >= q->capacity;
}

#endif
