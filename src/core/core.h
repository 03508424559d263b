/* core.h - one out-of-order core driven by an instruction trace, in front of a memory port.
 *
 * The core is a pass over timestamps: each micro-op gets the cycles of its dispatch, execution and
 * commit from those of its producers and from the occupancy of what it needs; only L1 accesses and
 * what lies below happen as events, strictly in order of time. No loop over cycles. docs/core.md
 * states the machine cycle by cycle; tests/ref/core_ref.c is that statement as a plain simulator,
 * and both agree to the cycle.
 *
 * Rules: a core belongs to one thread and borrows its memory port. Nothing is allocated after
 * create. The same configuration, trace and memory give the same numbers on every machine.
 * NOT modelled: the wrong path, an issue queue of its own, memory ordering
 * (fences, acquire, release; atomics are a load and a store), misaligned-access penalties but for
 * crossing a line, zeroing idioms and move elimination, kernels. */
#ifndef PN_CORE_CORE_H
#define PN_CORE_CORE_H

#include "core/cpi.h"
#include "core/level.h"
#include "core/predict.h"
#include "core/uncore.h"
#include "trace/trace.h"

typedef struct pn_core pn_core;

/* Everything that is counted; differences of two are a phase. */
typedef struct pn_core_counts {
    uint64_t instructions, uops, loads, stores, forwarded;
    /* Cycles in which dispatch stood still, by what it waited for. */
    uint64_t stall_rob_cyc, stall_lob_cyc, stall_store_cyc, stall_branch_cyc, stall_fetch_cyc;
    pn_predict_stats predict;
    pn_level_stats l1i, l1d, l2, llc;
    pn_prefetch_stats l1d_prefetch, l2_prefetch; /* resident: a difference of two may be negative */
    pn_door_stats door;
    pn_core_view view;
    pn_tlb_stats tlb;
    uint64_t mem_lines;             /* lines that L2 got from memory */
    uint64_t cbusy_seen[4];         /* responses by level, writes' too */
    pn_cbusy_stats cbusy;           /* up to the last event before the phase's end */
    uint64_t cpi_cyc[PN_CPI_COUNT]; /* where the cycles went; they add up to the phase's */
} pn_core_counts;

typedef struct pn_core_result {
    pn_core_counts warmup, measured;   /* they add up to those of a run without warm-up */
    uint64_t warmup_cyc, measured_cyc; /* by commit of the last instruction of each phase */
    pn_core_counts whole;              /* the whole run, once the last request was answered */
    bool trace_ended;                  /* before as many instructions as asked */
} pn_core_result;

typedef struct pn_core_progress {
    uint64_t instructions, cycles;
} pn_core_progress;

typedef struct pn_core_run {
    uint64_t warmup, instructions; /* instructions 0: to the end of the trace */
    void (*progress)(void *user, const pn_core_progress *now); /* now and then; may be NULL */
    void *user;
} pn_core_run;

/* E_ARG (pn_core_check), E_NOMEM. */
panem_status pn_core_create(pn_core **core, const pn_core_config *config, pn_mem_port *port,
                            panem_error *err);
void pn_core_destroy(pn_core *core);
/* Before the run: the latency of a read that meets no other, at the door. What is above it counts
 * as bandwidth-bound in the CPI stack; without it nothing does. */
void pn_core_set_idle(pn_core *core, uint64_t read_ps);

/* Before the run: tells, once the front end has passed the end of each stretch of so many
 * picoseconds from time 0, how many instructions were dispatched before. In pn_core_op only. */
void pn_core_sample(pn_core *core, uint64_t stretch_ps,
                    void (*told)(void *user, uint64_t instructions), void *user);

/* Runs a trace from its present place. E_EMPTY when there is no instruction; the trace's and the
 * memory's errors. */
panem_status pn_core_run_trace(pn_core *core, pn_core_result *result, pn_trace *trace,
                               const pn_core_run *run, panem_error *err);

/* The same in pieces, for tests and hosts with another source of instructions. */
void pn_core_op(pn_core *core, const pn_op *op);
/* Ends a phase: everything given so far belongs to it. */
void pn_core_mark(pn_core *core);
/* Runs what is in flight to its end and fills the result. The memory's own failure; E_TIME
 * when it does not answer. */
panem_status pn_core_finish(pn_core *core, pn_core_result *result, panem_error *err);

/* Latency histograms of the measured phase, ps: reads and writes as the interface sees them. */
const pn_hist *pn_core_latency(const pn_core *core, bool write);
uint64_t pn_core_now_cyc(const pn_core *core);

#endif
