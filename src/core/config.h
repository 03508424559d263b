/* config.h - the machine: every size, width, latency and policy of the simulated core.
 *
 * A plain struct described by one parameter table (name, unit, default, range, reason); a preset is
 * a list of settings with the source of each number. Times are picoseconds and become cycles of the
 * core clock, rounded up, when a core is made; latencies ending in _cyc are cycles.
 * The default values are those of the preset arm-server. */
#ifndef PN_CORE_CONFIG_H
#define PN_CORE_CONFIG_H

#include "base/param.h"

enum { PN_LINE_BYTES = 64 };

typedef struct pn_cache_config {
    uint64_t bytes;
    uint32_t ways;
    uint32_t latency_cyc; /* load to use, unloaded, counted from the L1 access */
    uint32_t mshrs;       /* lines that may be missing at a time */
} pn_cache_config;

/* A prefetcher; prefetch.h. */
typedef struct pn_prefetch_config {
    uint32_t kind;    /* a choice of l1d_prefetch or l2_prefetch; 0: none */
    uint32_t level;   /* 0..3 */
    uint32_t reserve; /* MSHRs kept for demand */
    uint32_t queue;   /* entries */
} pn_prefetch_config;

/* tlb.h */
typedef struct pn_tlb_config {
    uint32_t on;
    uint32_t l1i_entries, l1d_entries; /* fully associative */
    uint32_t l2_entries, l2_ways, latency_cyc;
    uint32_t walk_cyc, walkers;
} pn_tlb_config;

/* What the core does when memory says that it is busy; cbusy.h. The values are bits. */
typedef enum pn_cbusy_control {
    PN_CBUSY_OFF = 0,
    PN_CBUSY_PREFETCH = 1,
    PN_CBUSY_LIMIT = 2,
    PN_CBUSY_BOTH = 3
} pn_cbusy_control;

typedef struct pn_cbusy_config {
    uint32_t control;           /* pn_cbusy_control */
    uint32_t window;            /* responses */
    uint32_t threshold_pct;     /* of a window, that must have reached its level */
    uint32_t delay_cyc;         /* from the window's end until something changes */
    uint32_t prefetch_level[3]; /* most eager level of prefetchers at levels 1..3 */
    uint32_t gate_pct[3];       /* accuracy below which a prefetcher is off then */
    uint32_t limit_least_part;  /* the limit is never below L2's MSHRs over this */
    uint32_t step_down, step_up;
    uint32_t down_level; /* at this level and above the limit falls; at 0 it rises */
} pn_cbusy_config;

typedef enum pn_predictor_kind {
    PN_PREDICTOR_TAGE = 0,
    PN_PREDICTOR_GSHARE,
    PN_PREDICTOR_PERFECT
} pn_predictor_kind;

typedef enum pn_write_hold { PN_HOLD_UNTIL_DONE = 0, PN_HOLD_UNTIL_TAKEN } pn_write_hold;

typedef struct pn_core_config {
    uint64_t clock_hz;
    uint32_t width;        /* micro-ops fetched, decoded and dispatched per cycle */
    uint32_t commit_width; /* micro-ops per cycle */
    uint32_t rob, lob, store_buffer;
    uint32_t alu_ports, mul_ports, fp_ports, branch_ports, load_ports, store_ports;
    uint32_t lat_mul_cyc, lat_div_cyc, lat_fp_add_cyc, lat_fp_mul_cyc, lat_fp_fma_cyc;
    uint32_t lat_fp_div_cyc, lat_fp_cvt_cyc, lat_fp_move_cyc, lat_simd_cyc, lat_simd_mul_cyc;
    uint32_t lat_crypto_cyc, lat_system_cyc;
    uint32_t predictor; /* pn_predictor_kind */
    uint32_t tage_log2_entries, ras_entries;
    uint32_t mispredict_cyc, taken_branch_cyc;
    pn_cache_config l1i, l1d, l2;
    pn_prefetch_config l1d_prefetch, l2_prefetch;
    pn_cbusy_config cbusy;
    pn_tlb_config tlb;
    uint64_t llc_bytes; /* of the whole chip */
    uint32_t llc_ways, llc_mshrs;
    uint64_t llc_latency_ps;
    uint32_t l1_fill_bytes_per_cyc, l2_fill_bytes_per_cyc;
    uint64_t mem_request_ps, mem_response_ps;
    uint32_t write_buffer, write_hold; /* lines; pn_write_hold */
    uint64_t page_bytes, page_seed;
    uint32_t soc_cores;
    uint32_t active_cores; /* N: this core owns the LLC bytes of the chip over N */
} pn_core_config;

const pn_param *pn_core_params(size_t *count);

/* The presets, NULL-terminated; the first is the default. */
const char *const *pn_core_presets(void);
/* Fills every field from a preset. E_ARG for an unknown name, with the nearest. */
panem_status pn_core_preset(pn_core_config *config, const char *name, panem_error *err);
/* Where the preset's value of a parameter comes from; "guess: ..." when nobody published it. NULL
 * for a key that is none. */
const char *pn_core_source(const char *preset, const char *key);

/* Rules across fields: LOB not above ROB, whole sets, latencies that rise from level to level, no
 * share of the LLC below one set. E_ARG names both sides. */
panem_status pn_core_check(const pn_core_config *config, panem_error *err);

/* "key = value   # why [source]" lines. */
void pn_core_print(pn_text *text, const pn_core_config *config, const char *preset);

/* What a core derives from its configuration. */
typedef struct pn_core_timing {
    uint32_t l1i_cyc, l1d_cyc, l2_cyc, llc_cyc; /* load to use */
    uint32_t mem_request_cyc, mem_response_cyc;
    uint32_t l1_link_cyc; /* a line occupies the L2-L1 link so long */
    uint32_t l2_link_cyc; /* and the LLC-L2 link */
    uint64_t llc_bytes;   /* this core's share */
} pn_core_timing;

/* Pure; the configuration must pass pn_core_check. */
pn_core_timing pn_core_timing_of(const pn_core_config *config);

/* The part of a load's memory latency that the core simulates: comes off a curve's latency. */
double pn_core_on_chip_ns(const pn_core_config *config);

#endif
