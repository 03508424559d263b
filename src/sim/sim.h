/* sim.h - one run: a trace through a simulated core in front of a named memory.
 *
 * What `panem run` does once and a sweep does for every point, without printing: from words to a
 * resolved configuration, a memory, a result, and that result as one flat table of metrics.
 *
 * Rules: nothing here prints. A memory belongs to one thread. The strings of a specification are
 * borrowed while it is used. */
#ifndef PN_SIM_SIM_H
#define PN_SIM_SIM_H

#include "base/text.h"
#include "core/core.h"
#include "sim/history.h"
#include "sim/tap.h"

/* Raised whenever any point's results may change; part of every stored point's key. */
enum { PN_RESULTS_VERSION = 2 };

typedef enum pn_sim_load { PN_LOAD_WHOLE = 0, PN_LOAD_MODERATE, PN_LOAD_HEAVY } pn_sim_load;
/* NULL-terminated, in enum order. */
extern const char *const pn_sim_loads[];
/* Instructions from one core's place in a trace to the next one's, when nothing is said. */
enum { PN_SIM_STAGGER = 1000000 };

typedef struct pn_sim_spec {
    const char *trace_path;
    pn_trace_options input;
    const char *core;        /* preset; NULL: the first */
    const char *curves_path; /* NULL: only a dram: model can do without */
    const char *model;       /* NULL: panem */
    const char *assignments; /* "key=value" lines for the core's parameters; NULL: none */
    uint64_t warmup, instructions;
    uint32_t load;          /* pn_sim_load */
    uint32_t active_cores;  /* 0: what load says */
    uint32_t cores;         /* simulated (sim/cores.h); 0: 1. More than one own the whole memory */
    uint64_t stagger, loop; /* of cores, instructions: sim/cores.h */
    bool strict;            /* a repair of the curve set is an error */
    void (*report)(void *user, const panem_finding *finding); /* of such repairs; may be NULL */
    void *user;
} pn_sim_spec;

/* Fills in defaults of the words and resolves the core: preset, assignments, load. E_ARG. */
panem_status pn_sim_configure(pn_core_config *config, pn_sim_spec *spec, panem_error *err);

/* Is the model's word sound, and is there a curve set if it needs one? Opens nothing. E_ARG. */
panem_status pn_sim_check_model(const pn_sim_spec *spec, panem_error *err);
/* Several cores begin their traces again for ever: is the number of instructions said? E_ARG. */
panem_status pn_sim_check_end(const pn_sim_spec *spec, panem_error *err);

/* The memory of a run and what is known about it. */
typedef struct pn_sim_memory {
    panem_curves *set; /* NULL for a DRAM */
    pn_mem_port *port;
    double theoretical_gbs; /* NaN when the curve set does not say */
    double peak_gbs;        /* of the whole memory: reads 2/3 of a curve set, stream of a DRAM */
    double on_chip_ns;      /* taken off the curves; 0 for a DRAM */
    double idle_ns;         /* of a load in the simulated core when nothing else runs */
    uint32_t sharers;       /* the simulated cores have 1/sharers of it */
    uint64_t idle_ps;       /* of a read at the memory's door then */
} pn_sim_memory;

/* Opens the memory that spec->model names. E_ARG, and the curve set's errors. */
panem_status pn_sim_memory_open(pn_sim_memory *memory, const pn_sim_spec *spec,
                                const pn_core_config *config, panem_error *err);
/* The whole memory's peak when that part of the lines is read; peak_gbs of a DRAM. */
double pn_sim_peak_at_gbs(const pn_sim_memory *memory, double read_frac);
void pn_sim_memory_close(pn_sim_memory *memory);

/* The memory's own view of the whole run. */
typedef struct pn_sim_memory_view {
    uint64_t reads, writes;
    double read_ns, write_ns; /* means; NaN when there were none */
} pn_sim_memory_view;
pn_sim_memory_view pn_sim_memory_look(const pn_sim_memory *memory);

/* Everything a metric may be made from; pointers are borrowed. */
typedef struct pn_sim_outcome {
    const pn_core_config *config;
    const pn_sim_memory *memory;
    const pn_core *core;
    const pn_core_result *result;
} pn_sim_outcome;

/* One number of a run. Names end in their unit; the table's order is the order of every report. */
typedef struct pn_metric {
    const char *name;
    const char *unit;
    const char *help;
    double (*get)(const pn_sim_outcome *outcome); /* NaN: there is none */
} pn_metric;

extern const pn_metric pn_metrics[];
extern const size_t pn_metric_count;
/* NULL when there is no such metric. */
const pn_metric *pn_metric_named(const char *name);

/* The paper's window: what is kept of bandwidth and latency over time. */
enum { PN_SIM_WINDOW_PS = 520000 };
/* How a tap watches this memory. */
pn_tap_config pn_sim_windows(const pn_sim_memory *memory);

/* Every metric of one run, in the table's order; tap may be NULL, and so may history, which needs
 * one; both are zeroed first. The trace is read from its present place; with spec->cores each opens
 * spec->trace_path for itself, and a metric is the mean over the cores that have a value: what a
 * core that stands for one of them is to be compared with. Memory, cores and series live only
 * during the call. */
panem_status pn_sim_run(double *values, const pn_sim_spec *spec, pn_trace *trace, pn_tap *tap,
                        pn_history *history, panem_error *err);

#endif
