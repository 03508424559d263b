/* prefetch.c - see prefetch.h: queue, accounting, accuracy. */
#include "core/prefetch.h"

#include <math.h>
#include <stdlib.h>

const pn_prefetch_ops *const pn_prefetch_of_l1d[] = {NULL, &pn_prefetch_stride,
                                                     &pn_prefetch_next_line};
const pn_prefetch_ops *const pn_prefetch_of_l2[] = {NULL, &pn_prefetch_stream,
                                                    &pn_prefetch_best_offset, &pn_prefetch_spatial};

void pn_prefetch_set_mshrs(pn_prefetch *p, uint32_t mshrs)
{
    p->busy_max = mshrs > p->reserve ? mshrs - p->reserve : 1;
}

panem_status pn_prefetch_init(pn_prefetch *prefetch, const pn_prefetch_ops *ops,
                              const pn_prefetch_config *config, pn_level *at, uint32_t mshrs,
                              uint64_t page_bytes, panem_error *err)
{
    pn_prefetch p = {.ops = ops,
                     .at = at,
                     .page_lines = page_bytes / PN_LINE_BYTES,
                     .max = config->queue,
                     .reserve = config->reserve,
                     .level = config->level,
                     .planned_cyc = UINT64_MAX,
                     .accuracy_pct = 100};
    pn_prefetch_set_mshrs(&p, mshrs);
    if (ops) {
        uint32_t ring = 1;
        while (ring < p.max)
            ring *= 2;
        p.mask = ring - 1;
        p.queue = calloc(ring, sizeof *p.queue);
        p.state = calloc(1, ops->state_bytes + 1);
        if (!p.queue || !p.state) {
            pn_prefetch_release(&p);
            return pn_err(err, PANEM_E_NOMEM, "no memory for a %s prefetcher", ops->name);
        }
    }
    *prefetch = p;
    return PANEM_OK;
}

void pn_prefetch_release(pn_prefetch *p)
{
    free(p->queue);
    free(p->state);
    p->queue = NULL;
    p->state = NULL;
}

void pn_prefetch_set_level(pn_prefetch *p, uint32_t level)
{
    p->level = level < PN_PREFETCH_LEVELS ? level : PN_PREFETCH_LEVELS - 1;
}

static bool queued(const pn_prefetch *p, uint64_t line)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->queue[(p->first + i) & p->mask].line == line)
            return true;
    return false;
}

static void enter(pn_prefetch *p, uint64_t line, uint64_t pc)
{
    if (queued(p, line))
        p->at->prefetch.dropped_present++;
    else if (p->count == p->max)
        p->at->prefetch.dropped_full++;
    else
        p->queue[(p->first + p->count++) & p->mask] = (pn_prefetch_entry){line, pc};
}

/* A window of accuracy ends with the first access after so many prefetches did. */
static void measure(pn_prefetch *p)
{
    const pn_prefetch_stats *s = &p->at->prefetch;
    uint64_t good = s->useful + s->late;
    uint64_t all = good + s->useless;
    if (all - p->window_all < PN_PREFETCH_WINDOW)
        return;
    p->accuracy_pct = (uint32_t)(100 * (good - p->window_good) / (all - p->window_all));
    p->window_good = good;
    p->window_all = all;
}

void pn_prefetch_train(pn_prefetch *p, const pn_prefetch_access *access)
{
    pn_prefetch_list list;
    list.line = access->line;
    list.page_lines = p->page_lines;
    list.count = list.crossing = 0;
    if (!p->ops)
        return;
    p->ops->train(p->state, &list, access, &p->ops->tuning[p->level]);
    measure(p);
    p->at->prefetch.issued += list.count + list.crossing;
    p->at->prefetch.dropped_page += list.crossing;
    for (uint32_t i = 0; i < list.count; i++)
        enter(p, list.lines[i], access->pc);
}

pn_mshr *pn_prefetch_send(pn_prefetch *p)
{
    if (!pn_prefetch_ready(p))
        return NULL;
    pn_prefetch_entry e = p->queue[p->first++ & p->mask];
    p->count--;
    if (pn_cache_has(&p->at->tags, e.line) || pn_level_find(p->at, e.line)) {
        p->at->prefetch.dropped_present++;
        return NULL;
    }
    pn_mshr *m = pn_level_take(p->at, e.line);
    m->pc = e.pc;
    return m;
}

double pn_prefetch_accuracy(const pn_prefetch_stats *s)
{
    uint64_t good = s->useful + s->late;
    uint64_t all = good + s->useless;
    return all ? (double)good / (double)all : (double)NAN;
}

pn_prefetch_stats pn_prefetch_stats_now(const pn_prefetch *p)
{
    pn_prefetch_stats s = p->at->prefetch;
    s.resident = p->count;
    for (uint32_t i = 0; i < p->at->busy; i++)
        s.resident += p->at->mshrs[i].prefetch;
    if (p->ops)
        s.resident += pn_cache_prefetched(&p->at->tags);
    return s;
}
