/* sweep.h - what the sweep commands share: a study planned into a store, and its points run. */
#ifndef PN_CLI_SWEEP_H
#define PN_CLI_SWEEP_H

#include "cli/cmd.h"
#include "sweep/key.h"

typedef struct pn_sweep {
    pn_study study;
    pn_store *store;
    pn_inputs *inputs; /* as they were when it was planned */
    size_t points;
    char (*keys)[PN_KEY_CHARS + 1]; /* by point */
    bool *repeats;                  /* the same key came earlier in the study */
} pn_sweep;

/* Reads the study, identifies its points and, with a folder, plans them into its store. */
panem_status pn_sweep_open(pn_sweep *sweep, const char *study, const char *folder,
                           panem_error *err);
void pn_sweep_close(pn_sweep *sweep);

typedef struct pn_sweep_run {
    uint32_t workers;
    uint32_t shard, shards; /* this one runs points shard, shard + shards, ... */
    double timeout_s;
    bool quiet;
} pn_sweep_run;

/* From now on Ctrl-C and SIGTERM ask for an orderly end, instead of being one. */
void pn_sweep_catch_signals(void);

/* Runs what is pending; an exit code, after a closing line on stderr. again is the command that
 * goes on after an interruption. */
int pn_sweep_execute(pn_sweep *sweep, const pn_sweep_run *run, const char *again);

#endif
