/* cmd_run.h - what the files of `panem run` share. */
#ifndef PN_CLI_CMD_RUN_H
#define PN_CLI_CMD_RUN_H

#include <jansson.h>

#include "cli/cmd.h"
#include "sim/sim.h"

typedef struct pn_run_settings {
    pn_sim_spec spec;
    const char *json_path, *series_path;
    pn_writer *series;   /* open while the run goes on */
    pn_text assignments; /* key=value lines of --set */
    bool print_config, quiet;
    pn_core_config config;
} pn_run_settings;

/* Everything that is reported, as one tree; the caller owns it. NULL without memory. */
json_t *pn_run_report(const pn_run_settings *s, const pn_sim_memory *memory, const pn_core *core,
                      const pn_core_result *result, const pn_trace *trace);
/* The tree as text for people. */
void pn_run_print(const json_t *report, FILE *out);

#endif
