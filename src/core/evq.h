/* evq.h - events below L1 in order of (cycle, kind, rank, entry): a binary heap of fixed capacity.
 * The kinds are the phases of one cycle (below); the rank orders the cores at what they share. */
#ifndef PN_CORE_EVQ_H
#define PN_CORE_EVQ_H

#include <stdbool.h>

#include "base/err.h"

/* Phases of a cycle. Those of what cores share are marked; an event never makes one of an earlier
 * phase in the same cycle. */
typedef enum pn_phase {
    PN_LLC_FILL,     /* shared: a memory response reaches the LLC */
    PN_L2_READY,     /* a line of the LLC is ready to leave for L2 */
    PN_L2_READY_MEM, /* a line from memory is; arg: its share of waiting, and CBusy */
    PN_L2_FILL,      /* it had to wait for the link */
    PN_L1_READY,     /* a line is ready to leave for L1; arg: to whom */
    PN_L1_FILL,      /* it had to wait for the link */
    PN_LLC_WRITE,    /* shared: a dirty line comes from L2 */
    PN_DOOR,         /* shared: an LLC miss comes to the memory's door */
    PN_LLC_AGAIN,    /* shared: requests that waited look again */
    PN_LLC_LOOK,     /* shared */
    PN_CBUSY_LEVEL,  /* a decision takes effect; arg: the level */
    PN_L2_AGAIN,
    PN_L2_LOOK, /* arg: who asks */
    PN_L2_PREFETCH,
    PN_L1D_AGAIN,
    PN_TRANSLATED, /* the page of an L1 access is known; arg: its client, or none: instructions */
    PN_L1D_PREFETCH
} pn_phase;

typedef struct pn_ev {
    uint64_t cycle;
    uint64_t order; /* kind << 56 | rank << 48 | entry number */
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
void pn_evq_push_ranked(pn_evq *q, uint64_t cycle, unsigned kind, uint32_t rank, uint64_t line,
                        uint32_t arg);
static inline void pn_evq_push(pn_evq *q, uint64_t cycle, unsigned kind, uint64_t line,
                               uint32_t arg)
{
    pn_evq_push_ranked(q, cycle, kind, 0, line, arg);
}
pn_ev pn_evq_pop(pn_evq *q);

static inline uint64_t pn_evq_next(const pn_evq *q)
{
    return q->count ? q->heap[0].cycle : UINT64_MAX;
}

/* Of the first event; there must be one. */
static inline unsigned pn_evq_kind(const pn_evq *q)
{
    return (unsigned)(q->heap[0].order >> 56);
}

static inline unsigned pn_ev_kind(const pn_ev *e)
{
    return (unsigned)(e->order >> 56);
}

#endif
