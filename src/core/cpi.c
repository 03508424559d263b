/* cpi.c - see cpi.h. */
#include "core/cpi.h"

/* From dispatch until a one-cycle operation has its result: what an empty pipe costs. */
enum { PIPE_CYC = 2 };

const char *const pn_cpi_names[PN_CPI_COUNT] = {
    "base", "branch", "fetch", "l1", "l2", "llc", "tlb", "memory_latency", "memory_bandwidth"};

void pn_front_wait(pn_front_waits *w, uint64_t until_cyc, pn_front_cause cause)
{
    if (w->count == 0 || (w->wait[w->count - 1].cause != cause && w->count < PN_FRONT_WAITS))
        w->wait[w->count++].cause = cause;
    w->wait[w->count - 1].until_cyc = until_cyc;
}

static void charge_source(uint64_t cycles[PN_CPI_COUNT], pn_source source, uint64_t count)
{
    static const pn_cpi parts[] = {[PN_FROM_L1] = PN_CPI_L1,
                                   [PN_FROM_L2] = PN_CPI_L2,
                                   [PN_FROM_LLC] = PN_CPI_LLC,
                                   [PN_FROM_MEMORY] = PN_CPI_MEM_LATENCY};
    uint64_t queued = count * source.queued >> PN_QUEUED_BITS;
    cycles[PN_CPI_MEM_BANDWIDTH] += queued;
    cycles[parts[source.from]] += count - queued;
}

/* Cycles after `from` up to `end`, in which the micro-op was on its way to the reorder buffer. */
static void charge_front(uint64_t cycles[PN_CPI_COUNT], const pn_front_waits *w, uint64_t from,
                         uint64_t end)
{
    for (uint32_t i = 0; i < w->count && from < end; i++) {
        uint64_t until = w->wait[i].until_cyc;
        if (i + 1 == w->count || until > end)
            until = end;
        if (until <= from)
            continue;
        if (w->wait[i].cause == PN_FRONT_STORE)
            charge_source(cycles, w->store, until - from);
        else
            cycles[w->wait[i].cause == PN_FRONT_BRANCH  ? PN_CPI_BRANCH
                   : w->wait[i].cause == PN_FRONT_FETCH ? PN_CPI_FETCH
                                                        : PN_CPI_BASE] += until - from;
        from = until;
    }
}

void pn_cpi_charge(uint64_t cycles[PN_CPI_COUNT], const pn_cpi_commit *c)
{
    uint64_t from = c->before_cyc;
    uint64_t end = c->commit_cyc - 1;
    uint64_t front = c->dispatch_cyc + PIPE_CYC < end ? c->dispatch_cyc + PIPE_CYC : end;
    cycles[PN_CPI_BASE]++;
    if (from < front) {
        if (c->waits)
            charge_front(cycles, c->waits, from, front);
        else
            cycles[PN_CPI_BASE] += front - from;
        from = front;
    }
    if (from >= end)
        return;
    if (!c->load) {
        cycles[PN_CPI_BASE] += end - from;
        return;
    }
    uint64_t known = c->translated_cyc < end ? c->translated_cyc : end;
    if (known > from) {
        cycles[PN_CPI_TLB] += known - from;
        from = known;
    }
    charge_source(cycles, c->source, end - from);
}
