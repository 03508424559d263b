/* level.c - see level.h. */
#include "core/level.h"

#include <stdlib.h>

panem_status pn_level_init_over(pn_level *level, const pn_cache *tags, uint32_t mshrs,
                                uint32_t waiting_max, panem_error *err)
{
    pn_level l = {.mshr_max = mshrs, .tags = *tags};
    uint32_t ring = 1;
    while (ring < waiting_max)
        ring *= 2;
    l.wait_mask = ring - 1;
    l.mshrs = calloc(mshrs, sizeof *l.mshrs);
    l.waiting = calloc(ring, sizeof *l.waiting);
    if (!l.mshrs || !l.waiting) {
        free(l.mshrs);
        free(l.waiting);
        return pn_err(err, PANEM_E_NOMEM, "no memory for %u miss registers", mshrs);
    }
    *level = l;
    return PANEM_OK;
}

panem_status pn_level_init(pn_level *level, uint64_t bytes, uint32_t ways, uint32_t mshrs,
                           uint32_t waiting_max, panem_error *err)
{
    pn_cache tags;
    PN_TRY(pn_cache_init(&tags, bytes, ways, err));
    panem_status status = pn_level_init_over(level, &tags, mshrs, waiting_max, err);
    if (status != PANEM_OK)
        pn_cache_release(&tags);
    return status;
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

static pn_mshr *take(pn_level *l, uint64_t line)
{
    pn_mshr *m = &l->mshrs[l->busy++];
    *m = (pn_mshr){.line = line};
    return m;
}

pn_mshr *pn_level_take(pn_level *l, uint64_t line)
{
    pn_mshr *m = take(l, line);
    m->own = m->prefetch = true;
    return m;
}

pn_look pn_level_look(pn_level *l, uint64_t line, bool write)
{
    uint64_t *way = pn_cache_touch(&l->tags, line);
    if (way) {
        bool first = (*way & PN_WAY_PREFETCHED) != 0;
        *way = (*way & ~(uint64_t)PN_WAY_PREFETCHED) | (write ? PN_WAY_DIRTY : 0);
        l->stats.accesses++;
        l->stats.hits++;
        l->prefetch.useful += first;
        return (pn_look){PN_SETTLED_HIT, first, NULL};
    }
    pn_mshr *m = pn_level_find(l, line);
    if (m) {
        bool late = m->prefetch;
        l->stats.accesses++;
        l->stats.merges++;
        l->prefetch.late += late;
        m->prefetch = false;
        m->write |= write;
        return (pn_look){PN_SETTLED_MERGE, late, m};
    }
    if (l->busy >= l->mshr_max)
        return (pn_look){PN_SETTLED_NOT, false, NULL};
    m = take(l, line);
    m->write = write;
    l->stats.accesses++;
    l->stats.misses++;
    return (pn_look){PN_SETTLED_MISS, true, m};
}

pn_look pn_level_look_below(pn_level *l, uint64_t line, bool prefetch)
{
    pn_look look = pn_level_look(l, line, false);
    if (prefetch && look.settled != PN_SETTLED_NOT) {
        l->stats.prefetch_accesses++;
        l->stats.prefetch_misses += look.settled == PN_SETTLED_MISS;
    }
    return look;
}

void pn_level_free(pn_level *l, pn_mshr *mshr)
{
    *mshr = l->mshrs[--l->busy];
}

void pn_level_wait(pn_level *l, const pn_wait *request)
{
    l->waiting[(l->wait_first + l->wait_count++) & l->wait_mask] = *request;
    l->stats.waits++;
}

uint64_t pn_level_fill(pn_level *l, uint64_t line, bool dirty, bool prefetched)
{
    uint64_t *way = pn_cache_touch(&l->tags, line);
    if (way) {
        *way |= dirty ? PN_WAY_DIRTY : 0;
        l->prefetch.useless += prefetched;
        return PN_NO_LINE;
    }
    unsigned bits = (dirty ? PN_WAY_DIRTY : 0U) | (prefetched ? PN_WAY_PREFETCHED : 0U);
    uint64_t out = pn_cache_fill(&l->tags, line, bits);
    if (out == PN_NO_LINE)
        return PN_NO_LINE;
    l->prefetch.useless += (out & PN_WAY_PREFETCHED) != 0;
    l->stats.dirty_out += (out & PN_WAY_DIRTY) != 0;
    return out & PN_WAY_DIRTY ? out >> PN_WAY_SHIFT : PN_NO_LINE;
}
