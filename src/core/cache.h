/* cache.h - the tags of one cache level: set-associative, exact LRU, write-back.
 *
 * A set keeps its ways in order of use, the newest first; a way is line << 2 and two bits: dirty,
 * and prefetched (brought by a prefetch and not used since). The number of sets need not be a power
 * of two (shares of an LLC are not). No allocation after create. */
#ifndef PN_CORE_CACHE_H
#define PN_CORE_CACHE_H

#include <stdbool.h>

#include "base/err.h"

#define PN_NO_LINE UINT64_MAX

typedef struct pn_cache {
    uint64_t *ways_of_sets;
    uint64_t sets, mask; /* mask: sets - 1, or 0 when not a power of two */
    uint32_t ways;
} pn_cache;

/* bytes / (ways x 64) sets, at least one. E_NOMEM. */
panem_status pn_cache_init(pn_cache *cache, uint64_t bytes, uint32_t ways, panem_error *err);
void pn_cache_release(pn_cache *cache);
/* Bits of a way below the line number. */
enum { PN_WAY_DIRTY = 1, PN_WAY_PREFETCHED = 2, PN_WAY_SHIFT = 2 };

/* The way of a line, or NULL; it becomes the newest of its set. The bits are the caller's to
 * change. */
uint64_t *pn_cache_touch(pn_cache *cache, uint64_t line);
/* Is the line there? Changes nothing. */
bool pn_cache_has(const pn_cache *cache, uint64_t line);
/* Puts a line that is not there in, with these bits; returns the way it drove out; PN_NO_LINE:
 * none. */
uint64_t pn_cache_fill(pn_cache *cache, uint64_t line, unsigned bits);
/* Lines with the prefetched bit. Cost: all tags. */
uint64_t pn_cache_prefetched(const pn_cache *cache);

#endif
