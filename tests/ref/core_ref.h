/* core_ref.h - the simulated core as a plain cycle-by-cycle machine: the oracle of src/core.
 *
 * Written from docs/core.md for clarity alone: every cycle looks at everything, nothing is skipped,
 * caches are lists with times of use. It shares the configuration, the page permutation and the
 * branch predictor with the core (they have tests of their own) and nothing else. */
#ifndef PN_TESTS_REF_CORE_REF_H
#define PN_TESTS_REF_CORE_REF_H

#include "core/config.h"
#include "mem/port.h"
#include "trace/trace.h"

typedef struct ref_level {
    uint64_t hits, misses, merges, writebacks, dirty_out;
    uint64_t prefetch_accesses, prefetch_misses;
} ref_level;

typedef struct ref_prefetch_count {
    uint64_t issued, useful, late, useless, dropped_page, dropped_present, dropped_full, resident;
} ref_prefetch_count;

/* Cycles at each level of 0..3, up to the end of the run, and decisions. */
typedef struct ref_busy_count {
    uint64_t windows, level[4], l1d[4], l2[4], limit_lines;
} ref_busy_count;

/* Where cycles went. */
typedef enum ref_part {
    REF_BASE,
    REF_BRANCH,
    REF_FETCH,
    REF_L1,
    REF_L2,
    REF_LLC,
    REF_TLB,
    REF_MEMORY,
    REF_QUEUE,
    REF_PARTS
} ref_part;

typedef struct ref_tlb_count {
    uint64_t hits, misses, merges;
} ref_tlb_count;

typedef struct ref_result {
    uint64_t cycles, instructions, uops, loads, stores, forwarded, mispredicted;
    ref_level l1i, l1d, l2, llc;
    ref_prefetch_count l1d_prefetch, l2_prefetch;
    ref_busy_count busy;
    ref_tlb_count l1i_tlb, l1d_tlb, l2_tlb;
    uint64_t walks;
    uint64_t parts[REF_PARTS];              /* add up to cycles */
    uint64_t reads, writes, prefetch_reads; /* responses of the memory */
} ref_result;

/* Runs ops until nothing is in flight; cycles: the last commit's. The port must be new. idle_ps: of
 * a read that meets no other. */
ref_result core_ref_run(const pn_core_config *config, pn_mem_port *port, uint64_t idle_ps,
                        const pn_op *ops, size_t count);

#endif
