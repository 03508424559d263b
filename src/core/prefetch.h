/* prefetch.h - hardware prefetchers of a cache level: one table of operations per prefetcher, a
 * queue, levels 0..3, accounting that adds up, and the accuracy that a throttle reads.
 *
 * A prefetcher sees the accesses of its level (train) and the lines that come (filled), and
 * proposes lines. A proposal on another page than the access is dropped, one that is queued already
 * too; the rest enter the queue. Each cycle, after the level's own requests looked, the oldest
 * leaves: it is dropped if the line is there or missing already, else it takes a miss register
 * (MSHR) and goes down like any request. It stays while no MSHR beyond the reserve for demand is
 * free. docs/core.md states each prefetcher step by step.
 *
 * Rules: a prefetcher belongs to one thread and one level; nothing is allocated after init. Level 0
 * learns and proposes nothing, so all its counters stay zero.
 * NOT modelled: prefetches into a higher level than the prefetcher's, across pages, of
 * instructions; the tag bandwidth they take; a generation of the spatial prefetcher that ends by an
 * eviction. */
#ifndef PN_CORE_PREFETCH_H
#define PN_CORE_PREFETCH_H

#include "core/config.h"
#include "core/level.h"

enum {
    PN_PREFETCH_LEVELS = 4,
    PN_PREFETCH_PROPOSALS = 32,     /* of one access at most */
    PN_PREFETCH_FRAME_BYTES = 4096, /* smallest page: what L2 knows to be contiguous */
    PN_PREFETCH_WINDOW = 256        /* prefetches that end between two values of accuracy; guess */
};

/* How eager a prefetcher is; what the words mean is the prefetcher's. */
typedef struct pn_prefetch_tuning {
    uint32_t threshold;
    uint32_t distance; /* how far ahead, in its steps */
    uint32_t degree;   /* proposals per access at most; 0: off */
} pn_prefetch_tuning;

/* An access that trains. */
typedef struct pn_prefetch_access {
    uint64_t line;    /* physical */
    uint64_t address; /* virtual; L1 only */
    uint64_t pc;      /* 0: unknown */
    bool trigger;     /* without prefetches it had missed (pn_look) */
} pn_prefetch_access;

typedef struct pn_prefetch_list {
    uint64_t line;       /* of the access */
    uint64_t page_lines; /* a power of two */
    uint64_t lines[PN_PREFETCH_PROPOSALS];
    uint32_t count, crossing;
} pn_prefetch_list;

/* Proposes a line; false: it is on another page, or there are too many. */
static inline bool pn_prefetch_propose(pn_prefetch_list *list, uint64_t line)
{
    if ((line ^ list->line) >= list->page_lines) {
        list->crossing++;
        return false;
    }
    if (list->count == PN_PREFETCH_PROPOSALS)
        return false;
    list->lines[list->count++] = line;
    return true;
}

typedef struct pn_prefetch_ops {
    const char *name;
    size_t state_bytes; /* zeroed by the owner; 0: none */
    void (*train)(void *state, pn_prefetch_list *list, const pn_prefetch_access *access,
                  const pn_prefetch_tuning *tuning);
    /* A line came to the level; own: asked for by this prefetcher. May be NULL. */
    void (*filled)(void *state, uint64_t line, bool own, const pn_prefetch_tuning *tuning);
    const pn_prefetch_tuning *tuning; /* one per level */
} pn_prefetch_ops;

extern const pn_prefetch_ops pn_prefetch_stride, pn_prefetch_next_line, pn_prefetch_stream,
    pn_prefetch_best_offset, pn_prefetch_spatial;
/* What the choices of l1d_prefetch and l2_prefetch name, in their order; the first is NULL: none.
 */
extern const pn_prefetch_ops *const pn_prefetch_of_l1d[], *const pn_prefetch_of_l2[];
/* prefetch_tuning.c: the one table of levels. */
extern const pn_prefetch_tuning pn_tuning_stride[], pn_tuning_next_line[], pn_tuning_stream[],
    pn_tuning_best_offset[], pn_tuning_spatial[];

typedef struct pn_prefetch_entry {
    uint64_t line, pc;
} pn_prefetch_entry;

typedef struct pn_prefetch {
    const pn_prefetch_ops *ops; /* NULL: no prefetcher */
    void *state;
    pn_level *at; /* borrowed: the level it works for */
    uint64_t page_lines;
    pn_prefetch_entry *queue; /* ring */
    uint32_t first, count, mask, max;
    uint32_t busy_max; /* a prefetch leaves while fewer MSHRs are busy */
    uint32_t reserve;
    uint32_t level;
    uint64_t planned_cyc; /* owner's: when the queue is looked at next; UINT64_MAX: not planned */
    uint64_t window_good, window_all; /* ended before the present window of accuracy began */
    uint32_t accuracy_pct;
} pn_prefetch;

/* page_bytes: a power of two. E_NOMEM. */
panem_status pn_prefetch_init(pn_prefetch *p, const pn_prefetch_ops *ops,
                              const pn_prefetch_config *config, pn_level *at, uint32_t mshrs,
                              uint64_t page_bytes, panem_error *err);
void pn_prefetch_release(pn_prefetch *p);

/* An access of the level was settled. Costs nothing without a prefetcher. */
void pn_prefetch_train(pn_prefetch *p, const pn_prefetch_access *access);
static inline void pn_prefetch_filled(pn_prefetch *p, uint64_t line, bool own)
{
    if (p->ops && p->ops->filled)
        p->ops->filled(p->state, line, own, &p->ops->tuning[p->level]);
}

/* The oldest of the queue leaves; the MSHR it took, or NULL: dropped, or nothing could leave. */
pn_mshr *pn_prefetch_send(pn_prefetch *p);
/* Is there something that could leave now? */
static inline bool pn_prefetch_ready(const pn_prefetch *p)
{
    return p->count > 0 && p->at->busy < p->busy_max;
}

/* 0..3; from the next access on. What is queued stays. */
void pn_prefetch_set_level(pn_prefetch *p, uint32_t level);
/* So many MSHRs may be busy from now on. */
void pn_prefetch_set_mshrs(pn_prefetch *p, uint32_t mshrs);
/* (useful + late) / (useful + late + useless) of the last whole window, percent; 100 before. */
static inline uint32_t pn_prefetch_accuracy_pct(const pn_prefetch *p)
{
    return p->accuracy_pct;
}
/* Never sent, for any reason. */
static inline uint64_t pn_prefetch_dropped(const pn_prefetch_stats *s)
{
    return s->dropped_page + s->dropped_present + s->dropped_full;
}
/* (useful + late) / (useful + late + useless); NaN when none ended. */
double pn_prefetch_accuracy(const pn_prefetch_stats *s);
/* All counters; resident is counted now, at the cost of reading the level's tags. */
pn_prefetch_stats pn_prefetch_stats_now(const pn_prefetch *p);

#endif
