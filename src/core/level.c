/* level.c - see level.h. */
#include "core/level.h"

#include <stdlib.h>

panem_status pn_level_init(pn_level *level, uint64_t bytes, uint32_t ways, uint32_t mshrs,
                           uint32_t waiting_max, panem_error *err)
{
    pn_level l = {.mshr_max = mshrs};
    uint32_t ring = 1;
    while (ring < waiting_max)
        ring *= 2;
    PN_TRY(pn_cache_init(&l.tags, bytes, ways, err));
    l.wait_mask = ring - 1;
    l.mshrs = calloc(mshrs, sizeof *l.mshrs);
    l.waiting = calloc(ring, sizeof *l.waiting);
    if (!l.mshrs || !l.waiting) {
        pn_level_release(&l);
        return pn_err(err, PANEM_E_NOMEM, "no memory for %u miss registers", mshrs);
    }
    *level = l;
    return PANEM_OK;
}

void pn_level_release(pn_level *l)
{
    pn_cache_release(&l->tags);
    free(l->mshrs);
    free(l->waiting);
    l->mshrs = NULL;
    l->waiting = NULL;
}

pn_mshr *pn_level_find(pn_level *l, uint64_t line)
{
    for (uint32_t i = 0; i < l->busy; i++)
        if (l->mshrs[i].line == line)
            return &l->mshrs[i];
    return NULL;
}

pn_settled pn_level_look(pn_level *l, pn_mshr **mshr, uint64_t line, bool write)
{
    if (pn_cache_touch(&l->tags, line, write)) {
        l->stats.accesses++;
        l->stats.hits++;
        return PN_SETTLED_HIT;
    }
    *mshr = pn_level_find(l, line);
    if (*mshr) {
        l->stats.accesses++;
        l->stats.merges++;
        (*mshr)->write |= write;
        return PN_SETTLED_MERGE;
    }
    if (l->busy == l->mshr_max)
        return PN_SETTLED_NOT;
    *mshr = &l->mshrs[l->busy++];
    **mshr = (pn_mshr){.line = line, .write = write};
    l->stats.accesses++;
    l->stats.misses++;
    return PN_SETTLED_MISS;
}

void pn_level_free(pn_level *l, pn_mshr *mshr)
{
    *mshr = l->mshrs[--l->busy];
}

void pn_level_wait(pn_level *l, uint64_t line, uint32_t client, bool write)
{
    l->waiting[(l->wait_first + l->wait_count++) & l->wait_mask] = (pn_wait){line, client, write};
    l->stats.waits++;
}

uint64_t pn_level_fill(pn_level *l, uint64_t line, bool dirty)
{
    if (pn_cache_touch(&l->tags, line, dirty))
        return PN_NO_LINE;
    uint64_t out = pn_cache_fill(&l->tags, line, dirty);
    l->stats.dirty_out += out != PN_NO_LINE;
    return out;
}
