/* store.h - results of a sweep, in one SQLite file. docs/formats/store.md describes its tables.
 *
 * One process writes at a time: an advisory lock on DIR/lock, which dies with its holder. Every
 * point is one transaction: what was stored before a crash stays, nothing is half stored. */
#ifndef PN_SWEEP_STORE_H
#define PN_SWEEP_STORE_H

#include "sweep/study.h"

enum { PN_STORE_VERSION = 2, PN_KEY_CHARS = 32 };

typedef enum pn_point_state { PN_POINT_PENDING = 0, PN_POINT_DONE, PN_POINT_FAILED } pn_point_state;

/* What identifies a point: everything that determines its result, and nothing else. */
typedef struct pn_point_key {
    char hex[PN_KEY_CHARS + 1];
    char config[PN_KEY_CHARS + 1];           /* of the core's parameters alone */
    pn_text resolved;                        /* these parameters as text */
    uint64_t trace_hash, curves_fingerprint; /* 0: no curves */
    const char *model;
} pn_point_key;

typedef struct pn_store pn_store;

typedef enum pn_store_mode { PN_STORE_READ = 0, PN_STORE_WRITE, PN_STORE_CREATE } pn_store_mode;

/* Opens DIR/store.db; CREATE makes folder and file. Stores of an older schema are read as they are,
 * and brought up to date when they are written. E_IO, also when another sweep holds the lock,
 * E_VERSION for a newer schema, E_EMPTY to read what has no plan yet. */
panem_status pn_store_open(pn_store **store, const char *folder, pn_store_mode mode,
                           panem_error *err);
void pn_store_close(pn_store *store);
/* Does a process write there now? */
bool pn_store_busy(const char *folder);

/* Makes this study the one the store shows: its points in order, those already there kept. */
panem_status pn_store_plan_begin(pn_store *store, const pn_study *study, panem_error *err);
panem_status pn_store_plan_add(pn_store *store, size_t ordinal, const pn_point_key *key,
                               const pn_point *point, const pn_label *labels, size_t n_labels,
                               panem_error *err);
/* A curve set that points use, as it was read; kept for reports. */
panem_status pn_store_curves(pn_store *store, uint64_t fingerprint, const char *path,
                             const char *csv, panem_error *err);
panem_status pn_store_plan_end(pn_store *store, panem_error *err);

/* From now on a point that is done but has no series counts as pending. Planning a study sets this
 * as the study has it. */
void pn_store_want_series(pn_store *store, bool wanted);
panem_status pn_store_state(pn_store *store, const char *key, pn_point_state *state,
                            panem_error *err);
/* Failed points become pending again. */
panem_status pn_store_retry(pn_store *store, uint64_t *count, panem_error *err);

/* history may be NULL: no series is kept. */
panem_status pn_store_done(pn_store *store, const char *key, const double *values,
                           const pn_tap *tap, const pn_history *history, double seconds,
                           uint32_t attempts, panem_error *err);
panem_status pn_store_failed(pn_store *store, const char *key, const char *message,
                             uint32_t attempts, panem_error *err);

typedef struct pn_store_counts {
    uint64_t points, done, failed;
} pn_store_counts;
panem_status pn_store_count(pn_store *store, pn_store_counts *counts, panem_error *err);

/* Takes the results of another store over, for the points this one knows and has not done. */
panem_status pn_store_merge(pn_store *store, const char *folder, uint64_t *taken, panem_error *err);

/* Rows of a read-only statement: names once, then cells by row; text, or NULL for no value. */
typedef struct pn_rows {
    void (*names)(void *user, int columns, const char *const *names);
    void (*row)(void *user, int columns, const char *const *cells, const bool *numbers);
    void *user;
} pn_rows;
/* E_ARG with SQLite's message for anything that is not one statement that only reads. */
panem_status pn_store_query(pn_store *store, const char *sql, const pn_rows *rows,
                            panem_error *err);
/* The statement that lists the study's points in order, with labels and every metric. */
panem_status pn_store_export_sql(pn_store *store, pn_text *sql, bool timing, panem_error *err);
/* The statement that lists what every point did over time, a row per step. */
/* The same rows as a table `results` of a SQLite file of its own, with the tables windows, series
 * and meta; free it with pn_store_bytes_free. The same bytes for the same results. */
panem_status pn_store_export_bytes(pn_store *store, const char *folder, bool timing, char **bytes,
                                   size_t *length, panem_error *err);
void pn_store_bytes_free(char *bytes);
panem_status pn_store_series_sql(pn_store *store, pn_text *sql, panem_error *err);
#endif
