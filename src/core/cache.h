/* cache.h - the tags of one cache level: set-associative, exact LRU, write-back.
 *
 * A set keeps its ways in order of use, the newest first; a way is line << 1 | dirty. The number of
 * sets need not be a power of two (shares of an LLC are not). No allocation after create. */
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
/* True on a hit: the line becomes the newest, and dirty if dirty is set. */
bool pn_cache_touch(pn_cache *cache, uint64_t line, bool dirty);
/* Puts a line that is not there in; returns the dirty line it drove out, or PN_NO_LINE. */
uint64_t pn_cache_fill(pn_cache *cache, uint64_t line, bool dirty);

#endif
