/* core_ref_tlb.c - see core_ref_tlb.h. */
#include "core_ref_tlb.h"

void ref_tlb_init(ref_tlb *t, const pn_core_config *config)
{
    t->on = config->tlb.on;
    t->page_bytes = config->page_bytes;
    t->second = config->tlb.latency_cyc;
    t->walk = config->tlb.walk_cyc;
    t->n_walkers = (int)config->tlb.walkers;
    t->code.sets = t->data.sets = 1;
    t->code.ways = config->tlb.l1i_entries;
    t->data.ways = config->tlb.l1d_entries;
    t->both.ways = config->tlb.l2_ways;
    t->both.sets = config->tlb.l2_entries / config->tlb.l2_ways;
}

static ref_page *find(ref_pages *p, uint64_t page)
{
    for (uint64_t i = 0; i < p->ways; i++) {
        ref_page *e = &p->entries[page % p->sets * p->ways + i];
        if (e->there && e->page == page)
            return e;
    }
    return NULL;
}

/* The entry, after counting how it was found; NULL: a miss. */
static ref_page *count(ref_tlb *t, ref_pages *p, uint64_t now, uint64_t page)
{
    ref_page *e = find(p, page);
    if (!e)
        p->count.misses++;
    else if (e->known > now)
        p->count.merges++;
    else
        p->count.hits++;
    if (e)
        e->used = ++t->uses;
    return e;
}

static void put(ref_tlb *t, ref_pages *p, uint64_t page, uint64_t known)
{
    ref_page *out = &p->entries[page % p->sets * p->ways];
    for (uint64_t i = 0; i < p->ways; i++) {
        ref_page *e = &p->entries[page % p->sets * p->ways + i];
        if (!e->there) {
            out = e;
            break;
        }
        if (e->used < out->used)
            out = e;
    }
    *out = (ref_page){true, page, ++t->uses, known};
}

static uint64_t walk(ref_tlb *t, uint64_t now)
{
    int first = 0;
    for (int i = 0; i < t->n_walkers; i++)
        if (t->busy_until[i] < t->busy_until[first])
            first = i;
    uint64_t begin = t->busy_until[first] > now ? t->busy_until[first] : now;
    t->walks++;
    return t->busy_until[first] = begin + t->walk;
}

uint64_t ref_tlb_ask(ref_tlb *t, uint64_t now, uint64_t address, bool code)
{
    uint64_t page = address / t->page_bytes;
    ref_pages *own = code ? &t->code : &t->data;
    ref_page *e = count(t, own, now, page);
    if (e)
        return e->known > now ? e->known : now;
    uint64_t later = now + t->second;
    uint64_t known = later;
    e = count(t, &t->both, later, page);
    if (e && e->known > later)
        known = e->known;
    if (!e) {
        known = walk(t, later);
        put(t, &t->both, page, known);
    }
    put(t, own, page, known);
    return known;
}
