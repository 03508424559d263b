/* suite.h - workloads and suites: declarative files that say how to record a program. */
#ifndef PN_CLI_SUITE_H
#define PN_CLI_SUITE_H

#include <stddef.h>

#include "base/err.h"

/* One workload; strings are owned, "" when not given. */
typedef struct pn_workload {
    char *name, *summary;
    char *isa;      /* "x86-64" (default) or "aarch64" */
    char *packages; /* Debian packages, blanks between */
    char *setup;    /* shell, once, in the workload's folder: makes its input */
    char *command;  /* shell words: the program and its arguments */
    char *driver;   /* shell, beside the program: the client of a server */
    char *user;     /* when root records: run the program as this one instead; it refuses root */
    char *skip, *max;
} pn_workload;

typedef struct pn_suite {
    char *name, *summary;
    pn_workload *workloads;
    size_t n;
} pn_suite;

/* Reads a suite file and, from the folder workloads/ beside it, its workloads. E_IO, E_FORMAT with
 * the key at fault (an unknown key is an error). */
panem_status pn_suite_load(pn_suite *suite, const char *path, panem_error *err);
void pn_suite_release(pn_suite *suite);

#endif
