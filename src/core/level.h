/* level.h - one cache level with its miss registers (MSHRs) and its queue of requests that found
 * none free.
 *
 * A request that hits, or whose line is missing already, never waits. Any other needs a free MSHR;
 * without one it waits, first come first served, and looks again when one is released.
 * accesses = hits + misses + merges, counted when a request is settled. No allocation after init.
 *
 * A prefetch (prefetch.h) takes an MSHR without being an access. The level counts how each of its
 * prefetches ends: a use is a request from above, by demand or by the prefetcher of the level
 * above; a dirty line put in from above is none. */
#ifndef PN_CORE_LEVEL_H
#define PN_CORE_LEVEL_H

#include "core/cache.h"

typedef struct pn_level_stats {
    uint64_t accesses, hits, misses, merges;
    uint64_t waits;      /* requests that found no MSHR free */
    uint64_t writebacks; /* dirty lines that arrived from above */
    uint64_t dirty_out;  /* dirty lines driven out */
    /* of the accesses and misses above, those that were a prefetch of a level above when sent */
    uint64_t prefetch_accesses, prefetch_misses;
} pn_level_stats;

/* issued = useful + useless + late + dropped_page + dropped_present + dropped_full + resident. */
typedef struct pn_prefetch_stats {
    uint64_t issued;          /* lines that the prefetcher asked for */
    uint64_t useful;          /* brought, then used for the first time */
    uint64_t late;            /* used while still on its way: the user waits for the rest */
    uint64_t useless;         /* brought and driven out unused, or the line had come otherwise */
    uint64_t dropped_page;    /* not sent: on another page than the access that led to it */
    uint64_t dropped_present; /* not sent: in the cache, missing or queued already */
    uint64_t dropped_full;    /* not sent: the prefetch queue was full */
    uint64_t resident;        /* not ended: in the cache and unused, on its way, or queued */
} pn_prefetch_stats;

/* Where a line was found. */
typedef enum pn_from { PN_FROM_L1 = 0, PN_FROM_L2, PN_FROM_LLC, PN_FROM_MEMORY } pn_from;

enum { PN_QUEUED_BITS = 16 };

typedef struct pn_source {
    uint8_t from;    /* pn_from */
    uint16_t queued; /* of memory: the share of its latency above idle, in 2^-16 (cpi.h) */
} pn_source;

typedef struct pn_mshr {
    uint64_t line;
    uint64_t start_cyc;   /* of the first request */
    uint64_t pc;          /* L1D: of the instruction that asked first, or led to the prefetch */
    pn_source source;     /* L1D and L2, once it is known */
    uint32_t first, last; /* clients in order of arrival, through pn_uncore.next_client */
    bool write, from_memory;
    bool own;      /* taken by a prefetch of this level */
    bool prefetch; /* own, and nobody asked for the line since */
} pn_mshr;

/* A request that comes to a level. */
typedef struct pn_wait {
    uint64_t line;
    uint64_t address, pc; /* L1D: virtual; pc 0: second part of an access that crosses a line */
    uint32_t client;
    bool write;
} pn_wait;

typedef struct pn_level {
    pn_cache tags;
    pn_mshr *mshrs;          /* the first `busy` are in use, in no order */
    uint32_t busy, mshr_max; /* mshr_max: that may be busy; the owner may change it */
    pn_wait *waiting;        /* ring */
    uint32_t wait_first, wait_count, wait_mask;
    pn_level_stats stats;
    pn_prefetch_stats prefetch; /* but for issued, dropped_* and resident: prefetch.h */
} pn_level;

typedef enum pn_settled {
    PN_SETTLED_HIT,
    PN_SETTLED_MISS,
    PN_SETTLED_MERGE,
    PN_SETTLED_NOT
} pn_settled;

typedef struct pn_look {
    pn_settled settled;
    bool trigger;  /* without prefetches it had missed: a miss, a first use, or a late prefetch */
    pn_mshr *mshr; /* MISS: taken now; MERGE: found */
} pn_look;

/* waiting_max: requests that can ever wait at a time. E_NOMEM. */
panem_status pn_level_init(pn_level *level, uint64_t bytes, uint32_t ways, uint32_t mshrs,
                           uint32_t waiting_max, panem_error *err);
/* Over the tags of another level, which lives longer and keeps them. The owner of this one must
 * take its tags away (tags.ways_of_sets = NULL) before it is released. E_NOMEM. */
panem_status pn_level_init_over(pn_level *level, const pn_cache *tags, uint32_t mshrs,
                                uint32_t waiting_max, panem_error *err);
void pn_level_release(pn_level *level);
/* Looks a line up. NOT: no MSHR is free. */
pn_look pn_level_look(pn_level *level, uint64_t line, bool write);
/* The same of a level below L1, where one that was a prefetch when sent counts apart. */
pn_look pn_level_look_below(pn_level *level, uint64_t line, bool prefetch);
pn_mshr *pn_level_find(pn_level *level, uint64_t line);
/* Takes an MSHR for a prefetch; one must be free. */
pn_mshr *pn_level_take(pn_level *level, uint64_t line);
/* The last MSHR in use takes the place of the one released. */
void pn_level_free(pn_level *level, pn_mshr *mshr);
void pn_level_wait(pn_level *level, const pn_wait *request);
/* Puts a line in unless it is there; returns the dirty line driven out, or PN_NO_LINE. */
uint64_t pn_level_fill(pn_level *level, uint64_t line, bool dirty, bool prefetched);

static inline const pn_wait *pn_level_first_waiting(const pn_level *level)
{
    return level->wait_count ? &level->waiting[level->wait_first & level->wait_mask] : NULL;
}

static inline void pn_level_drop_waiting(pn_level *level)
{
    level->wait_first++;
    level->wait_count--;
}

#endif
