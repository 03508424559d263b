/* tlb.c - see tlb.h. */
#include "core/tlb.h"

#include <stdlib.h>

static panem_status init_level(pn_tlb_level *l, uint32_t entries, uint32_t ways, uint32_t in_flight,
                               panem_error *err)
{
    PN_TRY(pn_cache_init(&l->tags, (uint64_t)entries * PN_LINE_BYTES, ways, err));
    l->pending_max = in_flight;
    l->pending = calloc(in_flight, sizeof *l->pending);
    return l->pending ? PANEM_OK : pn_err(err, PANEM_E_NOMEM, "no memory for a TLB");
}

panem_status pn_tlb_init(pn_tlb *tlb, const pn_core_config *c, uint32_t in_flight, panem_error *err)
{
    pn_tlb t = {.on = c->tlb.on != 0,
                .latency_cyc = c->tlb.latency_cyc,
                .walk_cyc = c->tlb.walk_cyc,
                .walkers = c->tlb.walkers};
    while ((UINT64_C(1) << t.page_shift) < c->page_bytes)
        t.page_shift++;
    panem_status s = PANEM_OK;
    if (t.on)
        s = init_level(&t.l1i, c->tlb.l1i_entries, c->tlb.l1i_entries, in_flight, err);
    if (t.on && s == PANEM_OK)
        s = init_level(&t.l1d, c->tlb.l1d_entries, c->tlb.l1d_entries, in_flight, err);
    if (t.on && s == PANEM_OK)
        s = init_level(&t.l2, c->tlb.l2_entries, c->tlb.l2_ways, in_flight, err);
    *tlb = t;
    if (s != PANEM_OK)
        pn_tlb_release(tlb);
    return s;
}

static void release_level(pn_tlb_level *l)
{
    pn_cache_release(&l->tags);
    free(l->pending);
    l->pending = NULL;
}

void pn_tlb_release(pn_tlb *t)
{
    release_level(&t->l1i);
    release_level(&t->l1d);
    release_level(&t->l2);
}

/* When an entry that is there can be used; 0: long since. */
static uint64_t ready_of(const pn_tlb_level *l, uint64_t page)
{
    for (uint32_t i = 0; i < l->pending_count; i++)
        if (l->pending[i].page == page)
            return l->pending[i].ready_cyc;
    return 0;
}

/* Puts an entry in that can be used later on. Those whose time has come are forgotten. */
static void fill(pn_tlb_level *l, uint64_t cycle, uint64_t page, uint64_t ready_cyc)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < l->pending_count; i++)
        if (l->pending[i].ready_cyc > cycle && l->pending[i].page != page)
            l->pending[kept++] = l->pending[i];
    l->pending_count = kept;
    (void)pn_cache_fill(&l->tags, page, 0);
    if (kept < l->pending_max)
        l->pending[l->pending_count++] = (pn_tlb_pending){page, ready_cyc};
}

/* The cycle in which an entry that is there can be used, or 0: it is not there. */
static uint64_t look(pn_tlb_level *l, pn_tlb_level_stats *s, uint64_t cycle, uint64_t page)
{
    s->accesses++;
    if (!pn_cache_touch(&l->tags, page)) {
        s->misses++;
        return 0;
    }
    uint64_t ready_cyc = l->pending_count ? ready_of(l, page) : 0;
    if (ready_cyc <= cycle) {
        s->hits++;
        return cycle;
    }
    s->merges++;
    return ready_cyc;
}

static uint64_t walk(pn_tlb *t, uint64_t cycle)
{
    uint64_t *first = &t->walker_free_cyc[0];
    for (uint32_t i = 1; i < t->walkers; i++)
        if (t->walker_free_cyc[i] < *first)
            first = &t->walker_free_cyc[i];
    *first = (*first > cycle ? *first : cycle) + t->walk_cyc;
    t->stats.walks++;
    t->stats.walk_cyc += *first - cycle;
    return *first;
}

uint64_t pn_tlb_look(pn_tlb *t, uint64_t cycle, uint64_t address, bool instruction)
{
    uint64_t page = address >> t->page_shift;
    pn_tlb_level *l1 = instruction ? &t->l1i : &t->l1d;
    uint64_t ready_cyc = look(l1, instruction ? &t->stats.l1i : &t->stats.l1d, cycle, page);
    if (ready_cyc)
        return ready_cyc;
    uint64_t second_cyc = cycle + t->latency_cyc;
    ready_cyc = look(&t->l2, &t->stats.l2, second_cyc, page);
    if (!ready_cyc) {
        ready_cyc = walk(t, second_cyc);
        fill(&t->l2, second_cyc, page, ready_cyc);
    }
    fill(l1, cycle, page, ready_cyc);
    return ready_cyc;
}
