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
    bool *mine;                     /* belongs to the part that was asked for */
    bool writing;                   /* the store was reached: what fails now is output */
} pn_sweep;

/* Points number shard, shard + shards, ... of the study or, with a list, of the list. */
typedef struct pn_sweep_part {
    uint32_t shard, shards; /* from 0 */
    const char *list;       /* file of keys, one a line; NULL: the whole study */
} pn_sweep_part;

/* Reads the study, identifies its points and, with a folder, plans those of the part (NULL: all)
 * into its store. E_MISMATCH for a list with points that the study does not have. */
panem_status pn_sweep_open(pn_sweep *sweep, const char *study, const char *folder,
                           const pn_sweep_part *part, panem_error *err);
/* Of a failed open: prints it and returns the exit code; a store that cannot be written is 1. */
int pn_sweep_fail(const pn_sweep *sweep, const panem_error *err);
void pn_sweep_close(pn_sweep *sweep);

typedef struct pn_sweep_run {
    uint32_t workers;
    double timeout_s;
    bool quiet;
} pn_sweep_run;

/* From now on Ctrl-C and SIGTERM ask for an orderly end, instead of being one. */
void pn_sweep_catch_signals(void);

/* Runs what is pending; an exit code, after a closing line on stderr. again is the command that
 * goes on after an interruption. */
int pn_sweep_execute(pn_sweep *sweep, const pn_sweep_run *run, const char *again);

#endif
