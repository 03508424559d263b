/* cmd_run.h - what the files of `panem run` share. */
#ifndef PN_CLI_CMD_RUN_H
#define PN_CLI_CMD_RUN_H

#include <jansson.h>

#include "cli/cmd.h"
#include "core/core.h"

typedef struct pn_run_settings {
    const char *trace_path, *core, *curves_path, *model, *json_path;
    pn_trace_options input;
    pn_text assignments; /* key=value lines of --set */
    uint64_t warmup, instructions;
    uint32_t active_cores; /* 0: from load */
    uint32_t load;         /* 0 whole, 1 moderate, 2 heavy */
    bool strict, print_config, quiet;
    pn_core_config config;
} pn_run_settings;

/* The memory of a run and what is known about it. */
typedef struct pn_run_memory {
    panem_curves *set; /* NULL for a DRAM */
    pn_mem_port *port;
    double theoretical_gbs; /* NaN when the curve set does not say */
    double peak_gbs;        /* of the whole memory: reads 2/3 of a curve set, stream of a DRAM */
    double on_chip_ns;      /* taken off the curves; 0 for a DRAM */
    double idle_ns;         /* of a load in the simulated core when nothing else runs */
} pn_run_memory;

/* Opens the memory named by s->model. E_ARG, and the curve set's errors. */
panem_status pn_run_memory_open(pn_run_memory *memory, const pn_run_settings *s, panem_error *err);
void pn_run_memory_close(pn_run_memory *memory);

/* The memory's own view of the whole run. */
typedef struct pn_run_memory_view {
    uint64_t reads, writes;
    double read_ns, write_ns; /* means; NaN when there were none */
} pn_run_memory_view;
pn_run_memory_view pn_run_memory_look(const pn_run_memory *memory);

/* Everything that is reported, as one tree; the caller owns it. NULL without memory. */
json_t *pn_run_report(const pn_run_settings *s, const pn_run_memory *memory, const pn_core *core,
                      const pn_core_result *result, const pn_trace_info *trace);
/* The tree as text for people. */
void pn_run_print(const json_t *report, FILE *out);

#endif
