/* cmd_run.h - what the files of `panem run` share. */
#ifndef PN_CLI_CMD_RUN_H
#define PN_CLI_CMD_RUN_H

#include <jansson.h>
#include <time.h>

#include "cli/cmd.h"
#include "sim/cores.h"

typedef struct pn_run_series pn_run_series;

typedef struct pn_run_settings {
    pn_sim_spec spec;
    const char *traces[PN_CORES_MAX]; /* spec.trace_path is the first */
    uint32_t trace_count;
    uint64_t stagger, loop; /* of several cores; instructions */
    bool loop_told, stagger_told;
    const char *json_path, *series_path;
    pn_run_series *series; /* open while the run goes on */
    pn_text assignments;   /* key=value lines of --set */
    bool print_config, quiet;
    pn_core_config config;
} pn_run_settings;

/* Everything that is reported, as one tree; the caller owns it. NULL without memory. */
json_t *pn_run_report(const pn_run_settings *s, const pn_sim_memory *memory, const pn_core *core,
                      const pn_core_result *result, const pn_trace *trace);
/* The same of several cores, and one core of --cores 1. */
json_t *pn_run_cores_report(const pn_run_settings *s, const pn_sim_memory *memory,
                            const pn_sim_cores *cores);
bool pn_run_cores_print(const json_t *report, FILE *out);

/* cmd_run.c: a word of --load. E_ARG. */
panem_status pn_run_parse_load(uint32_t *load, const char *text, panem_error *err);
/* Prints, and writes --json; takes the report, which is NULL when memory ran out. */
int pn_run_output(const pn_run_settings *s, json_t *report,
                  bool (*print)(const json_t *report, FILE *out));
/* Progress on a terminal while something runs. */
typedef struct pn_run_progress {
    const pn_run_settings *s;
    struct timespec start;
    double shown_s;
} pn_run_progress;
void pn_run_progress_begin(pn_run_progress *p, const pn_run_settings *s, pn_core_run *run);
void pn_run_progress_end(const pn_core_run *run);
/* cmd_run_series.c. A port that watches the memory and writes --series; *port stays NULL when it
 * was not asked for. Returns an exit code. */
int pn_run_series_open(pn_run_settings *s, pn_mem_port **port, pn_tap *tap,
                       const pn_sim_memory *memory);
/* The core tells it how many instructions each window has; without, its IPC stays empty. */
void pn_run_series_watch(const pn_run_settings *s, pn_core *core);
int pn_run_series_close(pn_run_settings *s);
/* Frees it; nothing appears that was not closed before. */
void pn_run_series_abort(pn_run_settings *s);
/* cmd_run_cores.c: the run of --cores. */
int pn_run_cores(pn_run_settings *s, const pn_sim_memory *memory);

/* The tree as text for people. False: no memory, as above. */
bool pn_run_print(const json_t *report, FILE *out);

#endif
