/* config.c - see config.h. */
#include "core/config.h"

#include <string.h>

#include "core/clock.h"

static const char *const HOLDS[] = {"done", "taken", NULL};
static const char *const L1D_PREFETCHERS[] = {"none", "stride", "next-line", NULL};
static const char *const L2_PREFETCHERS[] = {"none", "stream", "best-offset", "spatial", NULL};
static const char *const CBUSY_CONTROLS[] = {"off", "prefetch", "limit", "both", NULL};
static const char *const SWITCH[] = {"off", "on", NULL};
static const char *const PREDICTORS[] = {"tage", "gshare", "perfect", NULL};

#define AT(field) offsetof(pn_core_config, field)
#define CYCLES(name, field, initial, why)                                      \
    {                                                                          \
        name, PN_PARAM_U32, PN_DIM_COUNT, AT(field), initial, 1, 64, NULL, why \
    }
#define NUMBER(name, field, initial, low, high, why)                               \
    {                                                                              \
        name, PN_PARAM_U32, PN_DIM_COUNT, AT(field), initial, low, high, NULL, why \
    }
#define BYTES(name, field, initial, low, high, why)                                \
    {                                                                              \
        name, PN_PARAM_U64, PN_DIM_BYTES, AT(field), initial, low, high, NULL, why \
    }
#define TIME(name, field, initial, low, high, why)                                \
    {                                                                             \
        name, PN_PARAM_U64, PN_DIM_TIME, AT(field), initial, low, high, NULL, why \
    }

static const pn_param PARAMS[] = {
    {"clock", PN_PARAM_U64, PN_DIM_FREQUENCY, AT(clock_hz), 3e9, 1e8, 1e10, NULL,
     "core clock; latencies in ns weigh more cycles at a faster one"},
    NUMBER("width", width, 5, 1, 16, "micro-ops fetched, decoded and dispatched per cycle"),
    NUMBER("commit_width", commit_width, 8, 1, 32, "micro-ops committed per cycle, in order"),
    NUMBER("rob", rob, 192, 8, 1024, "micro-ops in flight: how far misses overlap"),
    NUMBER("lob", lob, 96, 1, 1024, "loads in flight from dispatch to commit; full: no dispatch"),
    NUMBER("store_buffer", store_buffer, 64, 1, 512,
           "stores from dispatch until written to L1; full: no dispatch"),
    NUMBER("alu_ports", alu_ports, 4, 1, 16, "integer operations started per cycle"),
    NUMBER("mul_ports", mul_ports, 1, 1, 16, "integer multiplies started per cycle"),
    NUMBER("fp_ports", fp_ports, 2, 1, 16, "floating-point and SIMD operations per cycle"),
    NUMBER("branch_ports", branch_ports, 1, 1, 16, "branches resolved per cycle"),
    NUMBER("load_ports", load_ports, 2, 1, 16, "loads that access L1 per cycle"),
    NUMBER("store_ports", store_ports, 2, 1, 16, "stores executed (address and data) per cycle"),
    CYCLES("mul_latency", lat_mul_cyc, 3, "integer multiply, cycles"),
    CYCLES("div_latency", lat_div_cyc, 12, "integer divide, cycles; one at a time"),
    CYCLES("fp_add_latency", lat_fp_add_cyc, 2, "floating-point add, cycles"),
    CYCLES("fp_mul_latency", lat_fp_mul_cyc, 3, "floating-point multiply, cycles"),
    CYCLES("fp_fma_latency", lat_fp_fma_cyc, 4, "fused multiply-add, cycles"),
    CYCLES("fp_div_latency", lat_fp_div_cyc, 12, "divide and square root, cycles; one at a time"),
    CYCLES("fp_cvt_latency", lat_fp_cvt_cyc, 3, "conversions, cycles"),
    CYCLES("fp_move_latency", lat_fp_move_cyc, 2, "moves between and within register files"),
    CYCLES("simd_latency", lat_simd_cyc, 2, "SIMD integer operation, cycles"),
    CYCLES("simd_mul_latency", lat_simd_mul_cyc, 4, "SIMD integer multiply, cycles"),
    CYCLES("crypto_latency", lat_crypto_cyc, 2, "AES and SHA instructions, cycles"),
    CYCLES("system_latency", lat_system_cyc, 10, "system instructions and fences, cycles"),
    {"predictor", PN_PARAM_CHOICE, PN_DIM_NONE, AT(predictor), PN_PREDICTOR_TAGE, 0, 0, PREDICTORS,
     "branch direction predictor; perfect: no branch is ever mispredicted"},
    NUMBER("predictor_log2_entries", tage_log2_entries, 11, 6, 16,
           "log2 of the entries of each tagged table (tage), of the counters / 8 (gshare)"),
    NUMBER("ras_entries", ras_entries, 32, 1, 256, "return addresses remembered"),
    CYCLES("mispredict_penalty", mispredict_cyc, 11,
           "from a mispredicted branch's resolution to the next dispatch, cycles"),
    {"taken_branch_cycles", PN_PARAM_U32, PN_DIM_COUNT, AT(taken_branch_cyc), 1, 0, 8, NULL,
     "dispatch goes on so many cycles after a taken branch's; 0: in the same cycle"},
    BYTES("l1i_size", l1i.bytes, 65536, 1024, 16777216, "first-level instruction cache"),
    NUMBER("l1i_ways", l1i.ways, 4, 1, 32, "associativity"),
    CYCLES("l1i_latency", l1i.latency_cyc, 4,
           "until a miss leaves for L2, cycles; hits are hidden"),
    NUMBER("l1i_mshrs", l1i.mshrs, 4, 1, 256, "instruction lines missing at a time"),
    BYTES("l1d_size", l1d.bytes, 65536, 1024, 16777216, "first-level data cache"),
    NUMBER("l1d_ways", l1d.ways, 4, 1, 32, "associativity"),
    CYCLES("l1d_latency", l1d.latency_cyc, 4, "load to use on a hit, cycles"),
    NUMBER("l1d_mshrs", l1d.mshrs, 16, 1, 256,
           "data lines missing at a time: bounds the bandwidth of demand misses"),
    BYTES("l2_size", l2.bytes, 2097152, 4096, 268435456, "private second-level cache"),
    NUMBER("l2_ways", l2.ways, 8, 1, 32, "associativity"),
    NUMBER("l2_latency", l2.latency_cyc, 11, 2, 256, "load to use on an L2 hit, cycles"),
    NUMBER("l2_mshrs", l2.mshrs, 48, 1, 256, "transaction queue: lines missing beyond L2"),
    {"l1d_prefetch", PN_PARAM_CHOICE, PN_DIM_NONE, AT(l1d_prefetch.kind), 1, 0, 0, L1D_PREFETCHERS,
     "prefetcher of L1D: by the instruction's stride, or the lines after a miss"},
    NUMBER("l1d_prefetch_level", l1d_prefetch.level, 2, 0, 3,
           "how eager it is; 0: it learns but brings nothing"),
    NUMBER("l1d_prefetch_reserve", l1d_prefetch.reserve, 4, 0, 256,
           "L1D miss registers kept for demand; one at least is open to prefetches"),
    NUMBER("l1d_prefetch_queue", l1d_prefetch.queue, 16, 1, 256,
           "L1D prefetches that wait to be sent; full: they are dropped"),
    {"l2_prefetch", PN_PARAM_CHOICE, PN_DIM_NONE, AT(l2_prefetch.kind), 2, 0, 0, L2_PREFETCHERS,
     "prefetcher of L2: streams of misses, best offset, or footprints of regions"},
    NUMBER("l2_prefetch_level", l2_prefetch.level, 2, 0, 3,
           "how eager it is; 0: it learns but brings nothing"),
    NUMBER("l2_prefetch_reserve", l2_prefetch.reserve, 8, 0, 256,
           "L2 miss registers kept for demand; one at least is open to prefetches"),
    NUMBER("l2_prefetch_queue", l2_prefetch.queue, 32, 1, 256,
           "L2 prefetches that wait to be sent; full: they are dropped"),
    {"cbusy_control", PN_PARAM_CHOICE, PN_DIM_NONE, AT(cbusy.control), PN_CBUSY_OFF, 0, 0,
     CBUSY_CONTROLS,
     "what the core adapts when memory is busy: its prefetchers, the lines missing beyond L2"},
    NUMBER("cbusy_window", cbusy.window, 64, 1, 4096,
           "read responses over which the busy level is filtered"),
    NUMBER("cbusy_threshold", cbusy.threshold_pct, 50, 1, 100,
           "percent of a window's responses that must have reached a level"),
    NUMBER("cbusy_delay", cbusy.delay_cyc, 32, 0, 100000,
           "cycles from a window's end until its level takes effect: the loop's delay"),
    NUMBER("cbusy_prefetch_level_1", cbusy.prefetch_level[0], 2, 0, 3,
           "prefetchers are at most so eager at busy level 1"),
    NUMBER("cbusy_prefetch_level_2", cbusy.prefetch_level[1], 1, 0, 3, "at busy level 2"),
    NUMBER("cbusy_prefetch_level_3", cbusy.prefetch_level[2], 1, 0, 3, "at busy level 3"),
    NUMBER("cbusy_gate_1", cbusy.gate_pct[0], 50, 0, 100,
           "percent of accuracy below which a prefetcher is off at busy level 1"),
    NUMBER("cbusy_gate_2", cbusy.gate_pct[1], 75, 0, 100, "at busy level 2"),
    NUMBER("cbusy_gate_3", cbusy.gate_pct[2], 90, 0, 100, "at busy level 3"),
    NUMBER("cbusy_limit_least_part", cbusy.limit_least_part, 4, 1, 256,
           "the limit of lines missing beyond L2 is never below l2_mshrs / this"),
    NUMBER("cbusy_step_down", cbusy.step_down, 4, 0, 256, "lines by which a busy window lowers it"),
    NUMBER("cbusy_step_up", cbusy.step_up, 2, 0, 256,
           "lines by which a window of level 0 raises it"),
    NUMBER("cbusy_down_level", cbusy.down_level, 2, 1, 3, "busy level from which it is lowered"),
    {"tlb", PN_PARAM_CHOICE, PN_DIM_NONE, AT(tlb.on), 0, 0, 0, SWITCH,
     "address translation takes time; off: every page is known at once"},
    NUMBER("l1i_tlb_entries", tlb.l1i_entries, 48, 1, 1024, "fully associative"),
    NUMBER("l1d_tlb_entries", tlb.l1d_entries, 48, 1, 1024, "fully associative"),
    NUMBER("l2_tlb_entries", tlb.l2_entries, 1280, 1, 65536, "of instructions and data"),
    NUMBER("l2_tlb_ways", tlb.l2_ways, 5, 1, 64, "associativity"),
    NUMBER("l2_tlb_latency", tlb.latency_cyc, 5, 1, 64,
           "cycles by which a miss of the first level delays an access at least"),
    NUMBER("page_walk_latency", tlb.walk_cyc, 40, 1, 10000, "cycles a walker takes for a page"),
    NUMBER("page_walkers", tlb.walkers, 2, 1, 16, "pages that are walked for at a time"),
    BYTES("llc_size", llc_bytes, 67108864, 65536, 1e10,
          "last-level cache of the whole chip; a core has size / active cores"),
    NUMBER("llc_ways", llc_ways, 16, 1, 32, "associativity"),
    TIME("llc_latency", llc_latency_ps, 30000, 1000, 1e6, "load to use on an LLC hit"),
    NUMBER("llc_mshrs", llc_mshrs, 128, 1, 256, "lines of this core missing beyond the LLC"),
    NUMBER("l1_fill_bytes_per_cycle", l1_fill_bytes_per_cyc, 64, 1, 64,
           "between L2 and L1, fills and write-backs together"),
    NUMBER("l2_fill_bytes_per_cycle", l2_fill_bytes_per_cyc, 32, 1, 64,
           "between LLC and L2, fills and write-backs together"),
    TIME("mem_request_latency", mem_request_ps, 10000, 0, 1e6,
         "from an LLC miss to the memory controller; inside a curve's latency, so taken off it"),
    TIME("mem_response_latency", mem_response_ps, 10000, 1000, 1e6,
         "from the memory controller back to the core; taken off likewise"),
    NUMBER("write_buffer", write_buffer, 32, 1, 1024,
           "lines on their way to memory; full: the LLC takes no new miss"),
    {"write_buffer_until", PN_PARAM_CHOICE, PN_DIM_NONE, AT(write_hold), PN_HOLD_UNTIL_DONE, 0, 0,
     HOLDS,
     "a line leaves the write buffer when the memory has done it, or has taken it: for a "
     "memory with a write queue of its own (dram)"},
    BYTES("page_size", page_bytes, 4096, 4096, 67108864,
          "virtual memory page: contiguous physical bytes (power of two)"),
    {"page_seed", PN_PARAM_U64, PN_DIM_NONE, AT(page_seed), 1, 0, 1e15, NULL,
     "seed of the permutation from virtual to physical pages"},
    NUMBER("soc_cores", soc_cores, 96, 1, 1024, "cores of the chip: N of --load heavy"),
    NUMBER("active_cores", active_cores, 1, 1, 65536,
           "cores this one stands for: it owns its share of LLC and memory"),
};

enum { PARAM_COUNT = sizeof PARAMS / sizeof PARAMS[0] };

const pn_param *pn_core_params(size_t *count)
{
    *count = PARAM_COUNT;
    return PARAMS;
}

static panem_status check_cache(const char *name, uint64_t bytes, uint32_t ways, panem_error *err)
{
    uint64_t line_ways = (uint64_t)ways * PN_LINE_BYTES;
    if (bytes < line_ways)
        return pn_err(err, PANEM_E_ARG, "%s: %llu bytes hold no set of %u ways", name,
                      (unsigned long long)bytes, ways);
    return PANEM_OK;
}

panem_status pn_core_check(const pn_core_config *c, panem_error *err)
{
    if (c->lob > c->rob)
        return pn_err(err, PANEM_E_ARG, "lob (%u) is larger than rob (%u)", c->lob, c->rob);
    if (c->store_buffer > c->rob)
        return pn_err(err, PANEM_E_ARG, "store_buffer (%u) is larger than rob (%u)",
                      c->store_buffer, c->rob);
    if (c->page_bytes & (c->page_bytes - 1))
        return pn_err(err, PANEM_E_ARG, "page_size is not a power of two");
    PN_TRY(check_cache("l1i_size", c->l1i.bytes, c->l1i.ways, err));
    PN_TRY(check_cache("l1d_size", c->l1d.bytes, c->l1d.ways, err));
    PN_TRY(check_cache("l2_size", c->l2.bytes, c->l2.ways, err));
    if (c->tlb.l2_entries < c->tlb.l2_ways)
        return pn_err(err, PANEM_E_ARG, "l2_tlb_entries: %u hold no set of %u ways",
                      c->tlb.l2_entries, c->tlb.l2_ways);
    pn_core_timing t = pn_core_timing_of(c);
    PN_TRY(check_cache("llc_size / active_cores", t.llc_bytes, c->llc_ways, err));
    if (t.l2_cyc <= t.l1d_cyc || t.l2_cyc <= t.l1i_cyc)
        return pn_err(err, PANEM_E_ARG, "l2_latency (%u cycles) is not above that of L1 (%u)",
                      t.l2_cyc, t.l1d_cyc > t.l1i_cyc ? t.l1d_cyc : t.l1i_cyc);
    if (t.llc_cyc <= t.l2_cyc)
        return pn_err(err, PANEM_E_ARG, "llc_latency (%u cycles) is not above l2_latency (%u)",
                      t.llc_cyc, t.l2_cyc);
    return PANEM_OK;
}

/* Cycles a line occupies a link, rounded up. */
static uint32_t link_cycles(uint32_t bytes_per_cyc)
{
    return (PN_LINE_BYTES + bytes_per_cyc - 1) / bytes_per_cyc;
}

pn_core_timing pn_core_timing_of(const pn_core_config *c)
{
    pn_core_timing t = {
        .l1i_cyc = c->l1i.latency_cyc,
        .l1d_cyc = c->l1d.latency_cyc,
        .l2_cyc = c->l2.latency_cyc,
        .llc_cyc = (uint32_t)pn_clock_cycles(c->clock_hz, c->llc_latency_ps),
        .mem_request_cyc = (uint32_t)pn_clock_cycles(c->clock_hz, c->mem_request_ps),
        .mem_response_cyc = (uint32_t)pn_clock_cycles(c->clock_hz, c->mem_response_ps),
        .l1_link_cyc = link_cycles(c->l1_fill_bytes_per_cyc),
        .l2_link_cyc = link_cycles(c->l2_fill_bytes_per_cyc),
        .llc_bytes = c->llc_bytes / c->active_cores,
    };
    if (t.mem_response_cyc == 0)
        t.mem_response_cyc = 1;
    return t;
}

double pn_core_on_chip_ns(const pn_core_config *c)
{
    pn_core_timing t = pn_core_timing_of(c);
    double cycles = (double)t.llc_cyc + t.mem_request_cyc + t.mem_response_cyc;
    return cycles * 1e9 / (double)c->clock_hz;
}

void pn_core_print(pn_text *text, const pn_core_config *config, const char *preset)
{
    for (size_t i = 0; i < PARAM_COUNT; i++) {
        pn_text_printf(text, "%s = ", PARAMS[i].name);
        pn_param_format(text, &PARAMS[i], config);
        pn_text_printf(text, "   # %s [%s: %s]\n", PARAMS[i].why, preset,
                       pn_core_source(preset, PARAMS[i].name));
    }
}
