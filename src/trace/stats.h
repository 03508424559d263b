/* stats.h - what a trace consists of: mix, branches, footprint. One pass, memory by footprint. */
#ifndef PN_TRACE_STATS_H
#define PN_TRACE_STATS_H

#include "trace/trace.h"

typedef struct pn_trace_stats {
    uint64_t instructions, parts, uops;
    uint64_t by_class[PN_CLASS_COUNT];
    uint64_t branches[PN_BRANCH_COUNT], taken[PN_BRANCH_COUNT]; /* [NONE] is not used */
    uint64_t loads, stores, atomics;  /* instructions that read, write, do both in one go */
    uint64_t prefetches, cache_ops;   /* instructions whose address a recording lacks (inst.h) */
    uint64_t reads, writes;           /* accesses */
    uint64_t read_bytes, write_bytes; /* of those with a known size */
    uint64_t unknown_size;
    uint64_t unexpected; /* accesses of instructions the decoder says make none in that direction */
    uint64_t resized; /* accesses of another size than the decoder says (gathers, strings apart) */
    uint64_t missing; /* executions without an access the decoder says they make */
    uint64_t data_lines, read_lines, written_lines; /* different 64-byte lines */
    uint64_t data_pages;                            /* different 4096-byte pages */
    uint64_t code_lines;
    uint64_t static_instructions;
    uint64_t changed;   /* pcs that held different bytes at different times: JIT, self-modifying */
    uint64_t undecoded; /* executed instructions the decoder does not know */
    uint64_t discontinuities; /* signals */
    uint64_t syscalls;
    uint64_t
        cache_misses; /* lines missed by a 2 MiB, 8-way, LRU cache of data, all cold at first */
} pn_trace_stats;

/* Reads the trace to its end, or `max` instructions (0 = all). Memory-only traces fill the access
 * part alone. stats is written on success only. */
panem_status pn_trace_measure(pn_trace_stats *stats, pn_trace *trace, uint64_t max,
                              panem_error *err);

#endif
