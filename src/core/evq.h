/* evq.h - events below L1 in order of (cycle, kind, entry): a binary heap of fixed capacity.
 * The kinds are the phases of one cycle (uncore.c). */
#ifndef PN_CORE_EVQ_H
#define PN_CORE_EVQ_H

#include <stdbool.h>

#include "base/err.h"

typedef struct pn_ev {
    uint64_t cycle;
    uint64_t order; /* kind << 56 | entry number */
    uint64_t line;
    uint32_t arg;
} pn_ev;

typedef struct pn_evq {
    pn_ev *heap;
    uint32_t count, capacity;
    uint64_t entered;
} pn_evq;

panem_status pn_evq_init(pn_evq *q, uint32_t capacity, panem_error *err);
void pn_evq_release(pn_evq *q);
/* The capacity must not be passed: the owner knows how many events it can have. */
void pn_evq_push(pn_evq *q, uint64_t cycle, unsigned kind, uint64_t line, uint32_t arg);
pn_ev pn_evq_pop(pn_evq *q);

static inline uint64_t pn_evq_next(const pn_evq *q)
{
    return q->count ? q->heap[0].cycle : UINT64_MAX;
}

static inline unsigned pn_ev_kind(const pn_ev *e)
{
    return (unsigned)(e->order >> 56);
}

#endif
