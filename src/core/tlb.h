/* tlb.h - when the page of an access is known: first-level TLBs of data and instructions, a common
 * second level, page walkers.
 *
 * A lookup answers at once with the cycle in which the translation is there: the same cycle on a
 * hit of the first level, `latency` later on one of the second, else when a walker has been
 * through: it begins when one is free and takes a fixed time. An entry takes its place when it is
 * asked for, and others that want it meanwhile wait for it (merges). Both levels fill on a miss;
 * exact LRU.
 *
 * Rules: cycles of lookups never fall. No allocation after init. Off: no state, nothing waits.
 * NOT modelled: walks as memory accesses (their lines take no room in caches and no bandwidth),
 * pages of several sizes, translation for prefetches (they stay on a page whose translation was
 * just used), contexts and invalidations. */
#ifndef PN_CORE_TLB_H
#define PN_CORE_TLB_H

#include "core/cache.h"
#include "core/config.h"

/* accesses = hits + misses + merges. */
typedef struct pn_tlb_level_stats {
    uint64_t accesses, hits, misses, merges;
} pn_tlb_level_stats;

typedef struct pn_tlb_stats {
    pn_tlb_level_stats l1i, l1d, l2;
    uint64_t walks, walk_cyc; /* from asking for a walker until it is done, waiting included */
} pn_tlb_stats;

typedef struct pn_tlb_pending {
    uint64_t page, ready_cyc;
} pn_tlb_pending;

typedef struct pn_tlb_level {
    pn_cache tags;           /* pages in place of lines */
    pn_tlb_pending *pending; /* entries whose translation is to come, and some that came */
    uint32_t pending_count, pending_max;
} pn_tlb_level;

enum { PN_WALKERS_MAX = 16 };

typedef struct pn_tlb {
    bool on;
    uint32_t page_shift, latency_cyc, walk_cyc, walkers;
    pn_tlb_level l1i, l1d, l2;
    uint64_t walker_free_cyc[PN_WALKERS_MAX];
    pn_tlb_stats stats;
} pn_tlb;

/* in_flight: translations that can be awaited at a time. E_NOMEM. */
panem_status pn_tlb_init(pn_tlb *tlb, const pn_core_config *config, uint32_t in_flight,
                         panem_error *err);
void pn_tlb_release(pn_tlb *tlb);
/* The cycle from which the access can go on, not before this one. tlb->on must hold. */
uint64_t pn_tlb_look(pn_tlb *tlb, uint64_t cycle, uint64_t address, bool instruction);

#endif
