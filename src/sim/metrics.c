/* metrics.c - the numbers of one run, as one table. */
#include <math.h>
#include <string.h>

#include "sim/sim.h"

static double over(double a, double b)
{
    return b != 0.0 ? a / b : (double)NAN;
}

static double seconds(const pn_sim_outcome *o)
{
    return (double)o->result->measured_cyc / (double)o->config->clock_hz;
}

#define COUNT(name, expression)                         \
    static double get_##name(const pn_sim_outcome *o)   \
    {                                                   \
        const pn_core_counts *n = &o->result->measured; \
        (void)n;                                        \
        return (double)(expression);                    \
    }
#define PER_KILO(name, expression)                                           \
    static double get_##name(const pn_sim_outcome *o)                        \
    {                                                                        \
        const pn_core_counts *n = &o->result->measured;                      \
        return over(1000.0 * (double)(expression), (double)n->instructions); \
    }
#define QUANTILE(name, write, q)                                              \
    static double get_##name(const pn_sim_outcome *o)                         \
    {                                                                         \
        return pn_hist_quantile(pn_core_latency(o->core, write), q) / 1000.0; \
    }

COUNT(instructions, n->instructions)
COUNT(cycles, o->result->measured_cyc)
COUNT(ipc, over((double)n->instructions, (double)o->result->measured_cyc))
COUNT(time_us, seconds(o) * 1e6)
COUNT(active_cores, o->config->active_cores)
COUNT(peak_gbs, o->memory->peak_gbs)
COUNT(share_gbs, o->memory->peak_gbs / o->config->active_cores)
COUNT(idle_load_ns, o->memory->idle_ns)
COUNT(read_gbs, over((double)n->door.reads *PN_LINE_BYTES / 1e9, seconds(o)))
COUNT(write_gbs, over((double)n->door.writes *PN_LINE_BYTES / 1e9, seconds(o)))
COUNT(bandwidth_gbs, get_read_gbs(o) + get_write_gbs(o))
COUNT(read_pct, over(100.0 * (double)n->door.reads, (double)(n->door.reads + n->door.writes)))
COUNT(utilization_pct, 100.0 * over(get_bandwidth_gbs(o), get_share_gbs(o)))
COUNT(read_latency_ns, over((double)n->door.read_ps / 1000.0, (double)n->door.reads))
QUANTILE(read_latency_p50_ns, false, 0.50)
QUANTILE(read_latency_p95_ns, false, 0.95)
QUANTILE(read_latency_p99_ns, false, 0.99)
COUNT(write_latency_ns, over((double)n->door.write_ps / 1000.0, (double)n->door.writes))
QUANTILE(write_latency_p50_ns, true, 0.50)
QUANTILE(write_latency_p95_ns, true, 0.95)
QUANTILE(write_latency_p99_ns, true, 0.99)
COUNT(outstanding_reads, over((double)n->door.read_ps * 1e-12, seconds(o)))
COUNT(outstanding_writes, over((double)n->door.write_ps * 1e-12, seconds(o)))
PER_KILO(l1i_mpki, n->l1i.misses)
PER_KILO(l1d_mpki, n->l1d.misses)
PER_KILO(l2_mpki, n->l2.misses)
PER_KILO(llc_mpki, n->llc.misses)
PER_KILO(branch_mpki,
         n->predict.conditional_missed + n->predict.indirect_missed + n->predict.returns_missed)
PER_KILO(llc_demand_mpki, n->llc.misses - n->llc.prefetch_misses)
#define PREFETCHES(level)                                                      \
    COUNT(level##_prefetch_issued, n->level##_prefetch.issued)                 \
    COUNT(level##_prefetch_useful, n->level##_prefetch.useful)                 \
    COUNT(level##_prefetch_late, n->level##_prefetch.late)                     \
    COUNT(level##_prefetch_useless, n->level##_prefetch.useless)               \
    COUNT(level##_prefetch_dropped, pn_prefetch_dropped(&n->level##_prefetch)) \
    COUNT(level##_prefetch_resident, (int64_t)n->level##_prefetch.resident)    \
    COUNT(level##_prefetch_accuracy_pct, 100.0 * pn_prefetch_accuracy(&n->level##_prefetch))
PREFETCHES(l1d)
PREFETCHES(l2)
COUNT(prefetch_read_pct, over(100.0 * (double)n->door.prefetch_reads, (double)n->door.reads))
COUNT(l1d_accesses, n->l1d.accesses)
COUNT(l2_accesses, n->l2.accesses)
COUNT(llc_accesses, n->llc.accesses)
COUNT(stall_rob_cycles, n->stall_rob_cyc)
COUNT(stall_lob_cycles, n->stall_lob_cyc)
COUNT(stall_store_buffer_cycles, n->stall_store_cyc)
COUNT(stall_mispredict_cycles, n->stall_branch_cyc)
COUNT(stall_fetch_cycles, n->stall_fetch_cyc)
#define CPI(name, part) COUNT(cpi_##name, over((double)n->cpi_cyc[part], (double)n->instructions))
CPI(base, PN_CPI_BASE)
CPI(branch, PN_CPI_BRANCH)
CPI(fetch, PN_CPI_FETCH)
CPI(l1, PN_CPI_L1)
CPI(l2, PN_CPI_L2)
CPI(llc, PN_CPI_LLC)
CPI(tlb, PN_CPI_TLB)
CPI(memory_latency, PN_CPI_MEM_LATENCY)
CPI(memory_bandwidth, PN_CPI_MEM_BANDWIDTH)
PER_KILO(l1d_tlb_mpki, n->tlb.l1d.misses)
PER_KILO(l1i_tlb_mpki, n->tlb.l1i.misses)
PER_KILO(page_walk_pki, n->tlb.walks)
COUNT(page_walk_cycles, over((double)n->tlb.walk_cyc, (double)n->tlb.walks))
COUNT(cbusy_0, n->cbusy_seen[0])
COUNT(cbusy_1, n->cbusy_seen[1])
COUNT(cbusy_2, n->cbusy_seen[2])
COUNT(cbusy_3, n->cbusy_seen[3])
/* Of the time: the four sums of a phase are equal. */
static double cbusy_pct(const pn_core_counts *n, uint64_t cycles)
{
    uint64_t all = 0;
    for (int i = 0; i < PN_CBUSY_LEVELS; i++)
        all += n->cbusy.level_cyc[i];
    return over(100.0 * (double)cycles, (double)all);
}
COUNT(cbusy_windows, n->cbusy.windows)
COUNT(cbusy_level_1_pct, cbusy_pct(n, n->cbusy.level_cyc[1]))
COUNT(cbusy_level_2_pct, cbusy_pct(n, n->cbusy.level_cyc[2]))
COUNT(cbusy_level_3_pct, cbusy_pct(n, n->cbusy.level_cyc[3]))
COUNT(l1d_prefetch_off_pct, cbusy_pct(n, n->cbusy.l1d_prefetch_cyc[0]))
COUNT(l2_prefetch_off_pct, cbusy_pct(n, n->cbusy.l2_prefetch_cyc[0]))
COUNT(l2_limit_lines, cbusy_pct(n, n->cbusy.limit_line_cyc) / 100.0)

#define METRIC(name, unit, help)      \
    {                                 \
#name, unit, help, get_##name \
    }

const pn_metric pn_metrics[] = {
    METRIC(ipc, "1/cycle", "instructions per cycle of the measured phase"),
    METRIC(instructions, "", "measured instructions"),
    METRIC(cycles, "cycles", "cycles of the measured phase"),
    METRIC(time_us, "us", "simulated time of the measured phase"),
    METRIC(active_cores, "", "the core stands for one of so many"),
    METRIC(peak_gbs, "GB/s", "peak of the whole memory"),
    METRIC(share_gbs, "GB/s", "peak over active cores"),
    METRIC(idle_load_ns, "ns", "unloaded load to use of a miss in the simulated core"),
    METRIC(bandwidth_gbs, "GB/s", "memory bandwidth, reads and writes"),
    METRIC(read_gbs, "GB/s", "memory read bandwidth"),
    METRIC(write_gbs, "GB/s", "memory write bandwidth"),
    METRIC(read_pct, "%", "reads among the lines that crossed the memory's door"),
    METRIC(utilization_pct, "%", "bandwidth over the share's peak"),
    METRIC(read_latency_ns, "ns", "mean memory latency of reads"),
    METRIC(read_latency_p50_ns, "ns", "median memory latency of reads"),
    METRIC(read_latency_p95_ns, "ns", "95th percentile of it"),
    METRIC(read_latency_p99_ns, "ns", "99th percentile of it"),
    METRIC(write_latency_ns, "ns", "mean memory latency of writes"),
    METRIC(write_latency_p50_ns, "ns", "median memory latency of writes"),
    METRIC(write_latency_p95_ns, "ns", "95th percentile of it"),
    METRIC(write_latency_p99_ns, "ns", "99th percentile of it"),
    METRIC(outstanding_reads, "lines", "reads in flight, mean over time"),
    METRIC(outstanding_writes, "lines", "writes in flight, mean over time"),
    METRIC(l1i_mpki, "1/kinstr", "L1I misses per thousand instructions"),
    METRIC(l1d_mpki, "1/kinstr", "L1D misses per thousand instructions"),
    METRIC(l2_mpki, "1/kinstr", "L2 misses per thousand instructions"),
    METRIC(llc_mpki, "1/kinstr", "LLC misses per thousand instructions"),
    METRIC(llc_demand_mpki, "1/kinstr", "those that no prefetch asked for"),
    METRIC(l1d_prefetch_issued, "lines", "proposed by L1D's prefetcher"),
    METRIC(l1d_prefetch_useful, "lines", "of these, brought and then used"),
    METRIC(l1d_prefetch_late, "lines", "asked for while on their way"),
    METRIC(l1d_prefetch_useless, "lines", "driven out unused"),
    METRIC(l1d_prefetch_dropped, "lines", "never sent: other page, present already, queue full"),
    METRIC(l1d_prefetch_resident, "lines", "not ended: end minus beginning of the phase"),
    METRIC(l1d_prefetch_accuracy_pct, "%", "useful and late of those that ended"),
    METRIC(l2_prefetch_issued, "lines", "proposed by L2's prefetcher"),
    METRIC(l2_prefetch_useful, "lines", "of these, brought and then used"),
    METRIC(l2_prefetch_late, "lines", "asked for while on their way"),
    METRIC(l2_prefetch_useless, "lines", "driven out unused"),
    METRIC(l2_prefetch_dropped, "lines", "never sent: other page, present already, queue full"),
    METRIC(l2_prefetch_resident, "lines", "not ended: end minus beginning of the phase"),
    METRIC(l2_prefetch_accuracy_pct, "%", "useful and late of those that ended"),
    METRIC(prefetch_read_pct, "%", "prefetches among the memory's reads"),
    METRIC(branch_mpki, "1/kinstr", "mispredicted branches per thousand instructions"),
    METRIC(l1d_accesses, "", "L1D accesses"),
    METRIC(l2_accesses, "", "L2 accesses"),
    METRIC(llc_accesses, "", "LLC accesses"),
    METRIC(stall_rob_cycles, "cycles", "dispatch stood still: reorder buffer full"),
    METRIC(stall_lob_cycles, "cycles", "dispatch stood still: load-order buffer full"),
    METRIC(stall_store_buffer_cycles, "cycles", "dispatch stood still: store buffer full"),
    METRIC(stall_mispredict_cycles, "cycles", "dispatch stood still: after a mispredicted branch"),
    METRIC(stall_fetch_cycles, "cycles", "dispatch stood still: instructions missing"),
    METRIC(cpi_base, "cycles/instr", "cycles per instruction in which something committed or ran"),
    METRIC(cpi_branch, "cycles/instr", "after mispredicted branches"),
    METRIC(cpi_fetch, "cycles/instr", "instruction lines missing"),
    METRIC(cpi_l1, "cycles/instr", "the oldest load was an L1D hit"),
    METRIC(cpi_l2, "cycles/instr", "an L2 hit"),
    METRIC(cpi_llc, "cycles/instr", "an LLC hit"),
    METRIC(cpi_tlb, "cycles/instr", "waited for its page"),
    METRIC(cpi_memory_latency, "cycles/instr", "from memory: the part an idle memory takes"),
    METRIC(cpi_memory_bandwidth, "cycles/instr", "from memory: the part above idle latency"),
    METRIC(l1d_tlb_mpki, "1/kinstr", "L1D TLB misses per thousand instructions"),
    METRIC(l1i_tlb_mpki, "1/kinstr", "L1I TLB misses per thousand instructions"),
    METRIC(page_walk_pki, "1/kinstr", "page walks per thousand instructions"),
    METRIC(page_walk_cycles, "cycles", "of a walk, waiting for a walker included"),
    METRIC(cbusy_0, "responses", "responses at busy level 0"),
    METRIC(cbusy_1, "responses", "responses at busy level 1"),
    METRIC(cbusy_2, "responses", "responses at busy level 2"),
    METRIC(cbusy_3, "responses", "responses at busy level 3"),
    METRIC(cbusy_windows, "", "windows of responses whose level took effect in the core"),
    METRIC(cbusy_level_1_pct, "%", "of the time, busy level 1 in effect"),
    METRIC(cbusy_level_2_pct, "%", "busy level 2"),
    METRIC(cbusy_level_3_pct, "%", "busy level 3"),
    METRIC(l1d_prefetch_off_pct, "%", "of the time, L1D's prefetcher at level 0 or none"),
    METRIC(l2_prefetch_off_pct, "%", "L2's"),
    METRIC(l2_limit_lines, "lines", "that may be missing beyond L2, mean over time"),
};

const size_t pn_metric_count = sizeof pn_metrics / sizeof pn_metrics[0];

const pn_metric *pn_metric_named(const char *name)
{
    for (size_t i = 0; i < pn_metric_count; i++) {
        if (strcmp(pn_metrics[i].name, name) == 0)
            return &pn_metrics[i];
    }
    return NULL;
}
