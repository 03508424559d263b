/* cache.c - see cache.h. */
#include "core/cache.h"

#include <stdlib.h>
#include <string.h>

enum { LINE = 64 };

panem_status pn_cache_init(pn_cache *cache, uint64_t bytes, uint32_t ways, panem_error *err)
{
    pn_cache c = {.sets = bytes / ((uint64_t)ways * LINE), .ways = ways};
    if (c.sets == 0)
        c.sets = 1;
    c.mask = (c.sets & (c.sets - 1)) == 0 ? c.sets - 1 : 0;
    c.ways_of_sets = malloc((size_t)c.sets * ways * sizeof *c.ways_of_sets);
    if (!c.ways_of_sets)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a cache of %llu bytes",
                      (unsigned long long)bytes);
    memset(c.ways_of_sets, 0xff, (size_t)c.sets * ways * sizeof *c.ways_of_sets);
    *cache = c;
    return PANEM_OK;
}

void pn_cache_release(pn_cache *cache)
{
    free(cache->ways_of_sets);
    cache->ways_of_sets = NULL;
}

static uint64_t *set_of(const pn_cache *c, uint64_t line)
{
    uint64_t set = c->mask || c->sets == 1 ? line & c->mask : line % c->sets;
    return c->ways_of_sets + set * c->ways;
}

uint64_t *pn_cache_touch(pn_cache *c, uint64_t line)
{
    uint64_t *set = set_of(c, line);
    for (uint32_t i = 0; i < c->ways; i++) {
        if (set[i] >> PN_WAY_SHIFT != line)
            continue;
        uint64_t found = set[i];
        for (; i > 0; i--)
            set[i] = set[i - 1];
        set[0] = found;
        return set;
    }
    return NULL;
}

bool pn_cache_has(const pn_cache *c, uint64_t line)
{
    const uint64_t *set = set_of(c, line);
    for (uint32_t i = 0; i < c->ways; i++)
        if (set[i] >> PN_WAY_SHIFT == line)
            return true;
    return false;
}

uint64_t pn_cache_fill(pn_cache *c, uint64_t line, unsigned bits)
{
    uint64_t *set = set_of(c, line);
    uint64_t last = set[c->ways - 1];
    for (uint32_t i = c->ways - 1; i > 0; i--)
        set[i] = set[i - 1];
    set[0] = line << PN_WAY_SHIFT | bits;
    return last;
}

uint64_t pn_cache_prefetched(const pn_cache *c)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < c->sets * c->ways; i++)
        count += c->ways_of_sets[i] != PN_NO_LINE && (c->ways_of_sets[i] & PN_WAY_PREFETCHED);
    return count;
}
