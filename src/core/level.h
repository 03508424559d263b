/* level.h - one cache level with its miss registers (MSHRs) and its queue of requests that found
 * none free.
 *
 * A request that hits, or whose line is missing already, never waits. Any other needs a free MSHR;
 * without one it waits, first come first served, and looks again when one is released.
 * accesses = hits + misses + merges, counted when a request is settled. No allocation after init.
 */
#ifndef PN_CORE_LEVEL_H
#define PN_CORE_LEVEL_H

#include "core/cache.h"

typedef struct pn_level_stats {
    uint64_t accesses, hits, misses, merges;
    uint64_t waits;      /* requests that found no MSHR free */
    uint64_t writebacks; /* dirty lines that arrived from above */
    uint64_t dirty_out;  /* dirty lines driven out */
} pn_level_stats;

typedef struct pn_mshr {
    uint64_t line;
    uint64_t start_cyc;   /* of the first request */
    uint64_t asked_ps;    /* LLC: when the request first came to the memory's door */
    uint32_t first, last; /* clients in order of arrival, through pn_uncore.next_client */
    bool write, from_memory;
} pn_mshr;

typedef struct pn_wait {
    uint64_t line;
    uint32_t client;
    bool write;
} pn_wait;

typedef struct pn_level {
    pn_cache tags;
    pn_mshr *mshrs; /* the first `busy` are in use, in no order */
    uint32_t busy, mshr_max;
    pn_wait *waiting; /* ring */
    uint32_t wait_first, wait_count, wait_mask;
    pn_level_stats stats;
} pn_level;

typedef enum pn_settled {
    PN_SETTLED_HIT,
    PN_SETTLED_MISS,
    PN_SETTLED_MERGE,
    PN_SETTLED_NOT
} pn_settled;

/* waiting_max: requests that can ever wait at a time. E_NOMEM. */
panem_status pn_level_init(pn_level *level, uint64_t bytes, uint32_t ways, uint32_t mshrs,
                           uint32_t waiting_max, panem_error *err);
void pn_level_release(pn_level *level);
/* Looks a line up; MISS takes an MSHR, MERGE finds one; *mshr is it. NOT: no MSHR is free. */
pn_settled pn_level_look(pn_level *level, pn_mshr **mshr, uint64_t line, bool write);
pn_mshr *pn_level_find(pn_level *level, uint64_t line);
/* The last MSHR in use takes the place of the one released. */
void pn_level_free(pn_level *level, pn_mshr *mshr);
void pn_level_wait(pn_level *level, uint64_t line, uint32_t client, bool write);
/* Puts a line in unless it is there; returns the dirty line driven out, or PN_NO_LINE. */
uint64_t pn_level_fill(pn_level *level, uint64_t line, bool dirty);

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
