/* store.c - see store.h. */
#include "sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"

enum { APPLICATION_ID = 0x504e4d31, BUSY_WAIT_MS = 20000 };
enum { LOCK_TRIES = 5, LOCK_PAUSE_NS = 20000000 };

struct pn_store {
    sqlite3 *db;
    char *path;
    int lock;                      /* descriptor; -1 when reading */
    bool has_series, wants_series; /* the store, the study */
    sqlite3_stmt *add, *point, *config, *state, *done, *timing, *windows, *series, *failed;
};

static const char SCHEMA[] =
    "CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE configs(config TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID;"
    "CREATE TABLE curves(fingerprint TEXT PRIMARY KEY, path TEXT, csv TEXT) WITHOUT ROWID;"
    "CREATE TABLE points(key TEXT PRIMARY KEY, config TEXT, trace_hash TEXT, curves TEXT,"
    " model TEXT, warmup_asked INTEGER, instructions_asked INTEGER, state INTEGER NOT NULL DEFAULT "
    "0,"
    " message TEXT) WITHOUT ROWID;"
    "CREATE TABLE timing(key TEXT PRIMARY KEY, seconds REAL, attempts INTEGER, host TEXT, at TEXT)"
    " WITHOUT ROWID;"
    "CREATE TABLE windows(key TEXT PRIMARY KEY, windows INTEGER, above_peak INTEGER,"
    " below_curve INTEGER, judged INTEGER, lag1 REAL, bandwidth_bin_gbs REAL, latency_bin_ns REAL,"
    " bandwidth TEXT, latency TEXT, both TEXT) WITHOUT ROWID;";

/* Since version 2; IF NOT EXISTS, since older stores gain it. */
static const char SCHEMA_SERIES[] =
    "CREATE TABLE IF NOT EXISTS series(key TEXT PRIMARY KEY, windows INTEGER, window_ns REAL,"
    " windows_per_step INTEGER, read_gbs TEXT, write_gbs TEXT, latency_ns TEXT) WITHOUT ROWID;";

/* ---- SQLite with our errors ------------------------------------------------------------------ */

static panem_status fail(const pn_store *s, panem_error *err)
{
    int code = sqlite3_errcode(s->db);
    panem_status status = code == SQLITE_NOMEM                              ? PANEM_E_NOMEM
                          : code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? PANEM_E_FORMAT
                                                                            : PANEM_E_IO;
    return pn_err_at(err, status, s->path, 0, 0, "%s", sqlite3_errmsg(s->db));
}

static panem_status run(const pn_store *s, const char *sql, panem_error *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? PANEM_OK : fail(s, err);
}

static panem_status prepare(const pn_store *s, sqlite3_stmt **statement, const char *sql,
                            panem_error *err)
{
    return sqlite3_prepare_v2(s->db, sql, -1, statement, NULL) == SQLITE_OK ? PANEM_OK
                                                                            : fail(s, err);
}

/* Steps a statement that gives no rows, and makes it ready for the next time. */
static panem_status step(const pn_store *s, sqlite3_stmt *statement, panem_error *err)
{
    int code = sqlite3_step(statement);
    panem_status status = code == SQLITE_DONE ? PANEM_OK : fail(s, err);
    (void)sqlite3_reset(statement);
    return status;
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    (void)sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_hex(sqlite3_stmt *statement, int at, uint64_t value)
{
    char hex[24];
    (void)snprintf(hex, sizeof hex, "%016" PRIx64, value);
    bind_text(statement, at, hex);
}

/* NaN is NULL. */
static void bind_number(sqlite3_stmt *statement, int at, double value)
{
    if (isfinite(value))
        (void)sqlite3_bind_double(statement, at, value);
    else
        (void)sqlite3_bind_null(statement, at);
}

static panem_status put_meta(const pn_store *s, const char *name, const char *value,
                             panem_error *err)
{
    sqlite3_stmt *put = NULL;
    PN_TRY(prepare(s, &put, "INSERT OR REPLACE INTO meta VALUES(?1, ?2)", err));
    bind_text(put, 1, name);
    bind_text(put, 2, value);
    panem_status status = step(s, put, err);
    (void)sqlite3_finalize(put);
    return status;
}

static panem_status number_of(const pn_store *s, const char *sql, int64_t *value, panem_error *err)
{
    sqlite3_stmt *ask = NULL;
    PN_TRY(prepare(s, &ask, sql, err));
    panem_status status = sqlite3_step(ask) == SQLITE_ROW ? PANEM_OK : fail(s, err);
    if (status == PANEM_OK)
        *value = sqlite3_column_int64(ask, 0);
    (void)sqlite3_finalize(ask);
    return status;
}

/* Ends a transaction according to how it went. */
static panem_status settle(const pn_store *s, panem_status status, panem_error *err)
{
    if (status == PANEM_OK)
        status = run(s, "COMMIT", err);
    if (status != PANEM_OK)
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Columns of results: one per metric; a store made by an older program gains the new ones. */
static panem_status make_columns(const pn_store *s, panem_error *err)
{
    PN_TRY(run(s, "CREATE TABLE IF NOT EXISTS results(key TEXT PRIMARY KEY) WITHOUT ROWID", err));
    for (size_t i = 0; i < pn_metric_count; i++) {
        char sql[160];
        int64_t there = 0;
        (void)snprintf(sql, sizeof sql,
                       "SELECT count(*) FROM pragma_table_info('results') WHERE name = '%s'",
                       pn_metrics[i].name);
        PN_TRY(number_of(s, sql, &there, err));
        if (there)
            continue;
        (void)snprintf(sql, sizeof sql, "ALTER TABLE results ADD COLUMN %s REAL",
                       pn_metrics[i].name);
        PN_TRY(run(s, sql, err));
    }
    return PANEM_OK;
}

static panem_status check_version(const pn_store *s, panem_error *err)
{
    int64_t id = 0, version = 0;
    PN_TRY(number_of(s, "PRAGMA application_id", &id, err));
    PN_TRY(number_of(s, "PRAGMA user_version", &version, err));
    if (id != APPLICATION_ID)
        return pn_err_at(err, PANEM_E_FORMAT, s->path, 0, 0, "is not a store of sweeps");
    if (version < 1 || version > PN_STORE_VERSION)
        return pn_err_at(err, PANEM_E_VERSION, s->path, 0, 0,
                         "is a store of version %" PRId64 "; this program writes version %d",
                         version, (int)PN_STORE_VERSION);
    return PANEM_OK;
}

static panem_status check_planned(const pn_store *s, panem_error *err)
{
    int64_t there = 0;
    PN_TRY(number_of(s, "SELECT count(*) FROM sqlite_master WHERE name = 'plan'", &there, err));
    return there ? PANEM_OK
                 : pn_err_at(err, PANEM_E_EMPTY, s->path, 0, 0, "no study was planned here yet");
}

static panem_status make_schema(const pn_store *s, panem_error *err)
{
    char sql[128];
    int64_t tables = 0;
    PN_TRY(number_of(s, "SELECT count(*) FROM sqlite_master", &tables, err));
    if (tables == 0) {
        (void)snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d",
                       (int)APPLICATION_ID, (int)PN_STORE_VERSION);
        PN_TRY(run(s, "BEGIN IMMEDIATE", err));
        PN_TRY(run(s, SCHEMA, err));
        PN_TRY(run(s, SCHEMA_SERIES, err));
        PN_TRY(run(s, sql, err));
        PN_TRY(run(s, "COMMIT", err));
    }
    return PANEM_OK;
}

static panem_status look_for_series(pn_store *s, panem_error *err)
{
    int64_t there = 0;
    PN_TRY(number_of(s, "SELECT count(*) FROM sqlite_master WHERE name = 'series'", &there, err));
    s->has_series = there > 0;
    return PANEM_OK;
}

/* From version 1: series. */
static panem_status update_schema(const pn_store *s, panem_error *err)
{
    char sql[64];
    int64_t version = 0;
    PN_TRY(number_of(s, "PRAGMA user_version", &version, err));
    if (version == PN_STORE_VERSION)
        return PANEM_OK;
    (void)snprintf(sql, sizeof sql, "PRAGMA user_version = %d", (int)PN_STORE_VERSION);
    PN_TRY(run(s, "BEGIN IMMEDIATE", err));
    panem_status status = run(s, SCHEMA_SERIES, err);
    if (status == PANEM_OK)
        status = run(s, sql, err);
    return settle(s, status, err);
}

static bool locked(int lock)
{
    return flock(lock, LOCK_EX | LOCK_NB) == 0;
}

/* Who only looks whether it is free (pn_store_busy) holds it for a moment: hence the tries. */
static panem_status take_lock(pn_store *s, const char *folder, panem_error *err)
{
    pn_text path = PN_TEXT_INIT;
    pn_text_printf(&path, "%s/lock", folder);
    if (path.failed)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    s->lock = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    panem_status status = PANEM_OK;
    const struct timespec pause = {0, LOCK_PAUSE_NS};
    for (int i = 0; s->lock >= 0 && i < LOCK_TRIES && !locked(s->lock); i++)
        (void)nanosleep(&pause, NULL);
    if (s->lock < 0)
        status = pn_err_at(err, PANEM_E_IO, path.data, 0, 0, "cannot open: %s", strerror(errno));
    else if (!locked(s->lock))
        status = pn_err_at(err, PANEM_E_IO, folder, 0, 0,
                           "another sweep writes here; wait for it, or choose another folder");
    pn_text_release(&path);
    return status;
}

static panem_status open_database(pn_store *s, const char *folder, pn_store_mode mode,
                                  panem_error *err)
{
    int flags = mode == PN_STORE_READ     ? SQLITE_OPEN_READONLY
                : mode == PN_STORE_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                          : SQLITE_OPEN_READWRITE;
    if (mode == PN_STORE_CREATE)
        PN_TRY(pn_make_folder(folder, err));
    if (mode != PN_STORE_CREATE && access(s->path, R_OK) != 0)
        return pn_err_at(err, PANEM_E_IO, s->path, 0, 0, "cannot open: %s", strerror(errno));
    if (mode != PN_STORE_READ)
        PN_TRY(take_lock(s, folder, err));
    /* A store belongs to one thread: no locks. */
    if (sqlite3_open_v2(s->path, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return s->db ? fail(s, err) : pn_err(err, PANEM_E_NOMEM, "out of memory");
    (void)sqlite3_busy_timeout(s->db, BUSY_WAIT_MS);
    /* Results lie in the order of their keys, points are asked for in the study's: keep the pages.
     */
    (void)sqlite3_exec(s->db, "PRAGMA cache_size = -131072", NULL, NULL, NULL);
    if (mode == PN_STORE_READ) {
        PN_TRY(check_version(s, err));
        PN_TRY(check_planned(s, err));
        return look_for_series(s, err);
    }
    PN_TRY(run(s, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL", err));
    if (mode == PN_STORE_CREATE)
        PN_TRY(make_schema(s, err));
    PN_TRY(check_version(s, err));
    PN_TRY(update_schema(s, err));
    PN_TRY(look_for_series(s, err));
    return make_columns(s, err);
}

panem_status pn_store_open(pn_store **store, const char *folder, pn_store_mode mode,
                           panem_error *err)
{
    pn_text path = PN_TEXT_INIT;
    pn_store *s = calloc(1, sizeof *s);
    pn_text_printf(&path, "%s/store.db", folder);
    if (!s || path.failed) {
        free(s);
        pn_text_release(&path);
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    }
    s->path = path.data;
    s->lock = -1;
    panem_status status = open_database(s, folder, mode, err);
    if (status != PANEM_OK) {
        pn_store_close(s);
        return status;
    }
    *store = s;
    return PANEM_OK;
}

void pn_store_close(pn_store *s)
{
    if (!s)
        return;
    sqlite3_stmt *statements[] = {s->add,    s->point,   s->config, s->state, s->done,
                                  s->timing, s->windows, s->series, s->failed};
    for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++)
        (void)sqlite3_finalize(statements[i]);
    if (s->lock >= 0 && s->db) {
        /* One plain file, which can be read from a folder that cannot be written, unless somebody
         * reads right now. */
        (void)sqlite3_busy_timeout(s->db, 0);
        (void)sqlite3_exec(s->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    }
    (void)sqlite3_close(s->db);
    if (s->lock >= 0)
        (void)close(s->lock);
    free(s->path);
    free(s);
}

bool pn_store_busy(const char *folder)
{
    pn_text path = PN_TEXT_INIT;
    pn_text_printf(&path, "%s/lock", folder);
    int lock = path.failed ? -1 : open(path.data, O_RDWR | O_CLOEXEC);
    bool busy = lock >= 0 && !locked(lock);
    if (lock >= 0)
        (void)close(lock);
    pn_text_release(&path);
    return busy;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static void put_list(pn_text *text, char *const *list)
{
    for (; *list; list++)
        pn_text_printf(text, "%s%s", text->length ? "\n" : "", *list);
}

static panem_status describe(const pn_store *s, const pn_study *study, panem_error *err)
{
    pn_text metrics = PN_TEXT_INIT, plots = PN_TEXT_INIT;
    put_list(&metrics, study->metrics);
    put_list(&plots, study->plots);
    pn_text threshold = PN_TEXT_INIT;
    pn_text_number(&threshold, study->threshold_pct);
    panem_status status = put_meta(s, "study", study->name[0] ? study->name : study->path, err);
    if (status == PANEM_OK)
        status = put_meta(s, "study_text", study->text, err);
    if (status == PANEM_OK)
        status = put_meta(s, "metrics", metrics.data ? metrics.data : "", err);
    if (status == PANEM_OK)
        status = put_meta(s, "plots", plots.data ? plots.data : "", err);
    if (status == PANEM_OK)
        status = put_meta(s, "compare", study->compare, err);
    if (status == PANEM_OK)
        status = put_meta(s, "threshold_pct", threshold.data, err);
    if (status == PANEM_OK)
        status = put_meta(s, "series", study->series ? "true" : "false", err);
    if (status == PANEM_OK)
        status = put_meta(s, "panem", panem_version(), err);
    pn_text_release(&metrics);
    pn_text_release(&plots);
    pn_text_release(&threshold);
    return status;
}

panem_status pn_store_plan_begin(pn_store *s, const pn_study *study, panem_error *err)
{
    pn_store_want_series(s, study->series);
    pn_text sql = PN_TEXT_INIT, insert = PN_TEXT_INIT;
    pn_text_puts(&sql, "DROP TABLE IF EXISTS plan; CREATE TABLE plan(ordinal INTEGER PRIMARY KEY, "
                       "key TEXT, trace TEXT, trace_path TEXT, thread INTEGER, weight REAL");
    pn_text_puts(&insert, "INSERT INTO plan VALUES(?1, ?2, ?3, ?4, ?5, ?6");
    for (size_t a = 0, n = 7; a < study->n_axes; a++) {
        for (size_t k = 0; k < study->axes[a].n_keys; k++, n++) {
            pn_text_printf(&sql, ", \"axis_%s\" TEXT", study->axes[a].keys[k]);
            pn_text_printf(&insert, ", ?%zu", n);
        }
    }
    pn_text_puts(&sql, ")");
    pn_text_puts(&insert, ")");
    panem_status status = sql.failed || insert.failed ? pn_err(err, PANEM_E_NOMEM, "out of memory")
                                                      : run(s, "BEGIN IMMEDIATE", err);
    if (status == PANEM_OK)
        status = run(s, sql.data, err);
    if (status == PANEM_OK)
        status = describe(s, study, err);
    if (status == PANEM_OK)
        status = prepare(s, &s->add, insert.data, err);
    pn_text_release(&sql);
    pn_text_release(&insert);
    return status;
}

/* The core's parameters come once for the many points that share them. */
static panem_status put_point(pn_store *s, const pn_point_key *key, const pn_point *point,
                              panem_error *err)
{
    if (!s->point)
        PN_TRY(prepare(
            s, &s->point,
            "INSERT OR IGNORE INTO points(key, config, trace_hash, curves, model, warmup_asked, "
            "instructions_asked) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            err));
    bind_text(s->point, 1, key->hex);
    bind_text(s->point, 2, key->config);
    bind_hex(s->point, 3, key->trace_hash);
    bind_hex(s->point, 4, key->curves_fingerprint);
    bind_text(s->point, 5, key->model);
    (void)sqlite3_bind_int64(s->point, 6, (sqlite3_int64)point->spec.warmup);
    (void)sqlite3_bind_int64(s->point, 7, (sqlite3_int64)point->spec.instructions);
    return step(s, s->point, err);
}

static panem_status put_config(pn_store *s, const pn_point_key *key, panem_error *err)
{
    if (!s->config)
        PN_TRY(prepare(s, &s->config, "INSERT OR IGNORE INTO configs VALUES(?1, ?2)", err));
    bind_text(s->config, 1, key->config);
    bind_text(s->config, 2, key->resolved.data);
    return step(s, s->config, err);
}

panem_status pn_store_plan_add(pn_store *s, size_t ordinal, const pn_point_key *key,
                               const pn_point *point, const pn_label *labels, size_t n_labels,
                               panem_error *err)
{
    PN_TRY(put_config(s, key, err));
    PN_TRY(put_point(s, key, point, err));
    (void)sqlite3_bind_int64(s->add, 1, (sqlite3_int64)ordinal);
    bind_text(s->add, 2, key->hex);
    bind_text(s->add, 3, point->trace->name);
    bind_text(s->add, 4, point->trace->path);
    (void)sqlite3_bind_int64(s->add, 5, point->trace->thread);
    (void)sqlite3_bind_double(s->add, 6, point->trace->weight);
    for (size_t i = 0; i < n_labels; i++)
        bind_text(s->add, 7 + (int)i, labels[i].value);
    return step(s, s->add, err);
}

panem_status pn_store_plan_end(pn_store *s, panem_error *err)
{
    (void)sqlite3_finalize(s->add);
    s->add = NULL;
    return run(s, "COMMIT", err);
}

panem_status pn_store_curves(pn_store *s, uint64_t fingerprint, const char *path, const char *csv,
                             panem_error *err)
{
    sqlite3_stmt *put = NULL;
    PN_TRY(prepare(s, &put, "INSERT OR IGNORE INTO curves VALUES(?1, ?2, ?3)", err));
    bind_hex(put, 1, fingerprint);
    bind_text(put, 2, path);
    bind_text(put, 3, csv);
    panem_status status = step(s, put, err);
    (void)sqlite3_finalize(put);
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

void pn_store_want_series(pn_store *s, bool wanted)
{
    s->wants_series = wanted;
}

panem_status pn_store_state(pn_store *s, const char *key, pn_point_state *state, panem_error *err)
{
    if (!s->state)
        PN_TRY(prepare(s, &s->state,
                       s->has_series ? "SELECT state, EXISTS(SELECT 1 FROM series WHERE key = ?1) "
                                       "FROM points WHERE key = ?1"
                                     : "SELECT state, 0 FROM points WHERE key = ?1",
                       err));
    bind_text(s->state, 1, key);
    *state = PN_POINT_PENDING;
    int code = sqlite3_step(s->state);
    if (code == SQLITE_ROW)
        *state = (pn_point_state)sqlite3_column_int(s->state, 0);
    if (code == SQLITE_ROW && *state == PN_POINT_DONE && s->wants_series &&
        !sqlite3_column_int(s->state, 1))
        *state = PN_POINT_PENDING;
    (void)sqlite3_reset(s->state);
    return code == SQLITE_ROW || code == SQLITE_DONE ? PANEM_OK : fail(s, err);
}

panem_status pn_store_retry(pn_store *s, uint64_t *count, panem_error *err)
{
    PN_TRY(run(s, "UPDATE points SET state = 0, message = NULL WHERE state = 2", err));
    *count = (uint64_t)sqlite3_changes(s->db);
    return PANEM_OK;
}

static panem_status prepare_results(pn_store *s, panem_error *err)
{
    pn_text names = PN_TEXT_INIT, marks = PN_TEXT_INIT, sql = PN_TEXT_INIT;
    if (s->done)
        return PANEM_OK;
    for (size_t i = 0; i < pn_metric_count; i++) {
        pn_text_printf(&names, ", %s", pn_metrics[i].name);
        pn_text_printf(&marks, ", ?%zu", i + 2);
    }
    if (!names.failed && !marks.failed)
        pn_text_printf(&sql, "INSERT OR REPLACE INTO results(key%s) VALUES(?1%s)", names.data,
                       marks.data);
    panem_status status = sql.data ? prepare(s, &s->done, sql.data, err)
                                   : pn_err(err, PANEM_E_NOMEM, "out of memory");
    pn_text_release(&names);
    pn_text_release(&marks);
    pn_text_release(&sql);
    PN_TRY(status);
    PN_TRY(prepare(s, &s->timing, "INSERT OR REPLACE INTO timing VALUES(?1, ?2, ?3, ?4, ?5)", err));
    PN_TRY(
        prepare(s, &s->failed, "UPDATE points SET state = ?2, message = ?3 WHERE key = ?1", err));
    PN_TRY(prepare(s, &s->series,
                   "INSERT OR REPLACE INTO series VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)", err));
    return prepare(s, &s->windows,
                   "INSERT OR REPLACE INTO windows VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
                   "?11)",
                   err);
}

static void put_bins(pn_text *text, const uint64_t *bins)
{
    for (size_t i = 0; i < PN_TAP_BINS; i++)
        pn_text_printf(text, "%s%" PRIu64, i ? "," : "[", bins[i]);
    pn_text_puts(text, "]");
}

/* [[bandwidth bin, latency bin, windows], ...] of the cells that are not empty. */
static void put_cells(pn_text *text, const pn_tap *tap)
{
    pn_text_puts(text, "[");
    for (size_t b = 0; b < PN_TAP_BINS; b++)
        for (size_t l = 0; l < PN_TAP_BINS; l++)
            if (tap->both[b][l])
                pn_text_printf(text, "%s[%zu,%zu,%" PRIu64 "]", text->length > 1 ? "," : "", b, l,
                               tap->both[b][l]);
    pn_text_puts(text, "]");
}

static panem_status put_windows(const pn_store *s, const char *key, const pn_tap *tap,
                                panem_error *err)
{
    pn_text bandwidth = PN_TEXT_INIT, latency = PN_TEXT_INIT, both = PN_TEXT_INIT;
    put_bins(&bandwidth, tap->bandwidth);
    put_bins(&latency, tap->latency);
    put_cells(&both, tap);
    bind_text(s->windows, 1, key);
    (void)sqlite3_bind_int64(s->windows, 2, (sqlite3_int64)tap->windows);
    (void)sqlite3_bind_int64(s->windows, 3, (sqlite3_int64)tap->above_peak);
    (void)sqlite3_bind_int64(s->windows, 4, (sqlite3_int64)tap->below_curve);
    (void)sqlite3_bind_int64(s->windows, 5, (sqlite3_int64)tap->judged);
    bind_number(s->windows, 6, pn_tap_lag1(tap));
    bind_number(s->windows, 7, pn_tap_bandwidth_bin_gbs(tap));
    bind_number(s->windows, 8, tap->config.latency_bin_ns);
    bind_text(s->windows, 9, bandwidth.data);
    bind_text(s->windows, 10, latency.data);
    bind_text(s->windows, 11, both.data);
    panem_status status = bandwidth.failed || latency.failed || both.failed
                              ? pn_err(err, PANEM_E_NOMEM, "out of memory")
                              : step(s, s->windows, err);
    pn_text_release(&bandwidth);
    pn_text_release(&latency);
    pn_text_release(&both);
    return status;
}

/* GB/s of bytes in so many windows, as a JSON array's element. */
static void put_rate(pn_text *text, uint64_t bytes, double ns)
{
    pn_text_puts(text, text->length > 1 ? "," : "");
    pn_text_fixed(text, (double)bytes / ns, 4);
}

static panem_status put_series(const pn_store *s, const char *key, const pn_history *h,
                               double window_ns, panem_error *err)
{
    pn_text reads = PN_TEXT_INIT, writes = PN_TEXT_INIT, latency = PN_TEXT_INIT;
    pn_text *all[] = {&reads, &writes, &latency};
    for (size_t t = 0; t < 3; t++)
        pn_text_puts(all[t], "[");
    for (size_t i = 0; i < h->count; i++) {
        const pn_history_step *step = &h->steps[i];
        double ns = window_ns * (double)pn_history_windows(h, i);
        put_rate(&reads, step->read_bytes, ns);
        put_rate(&writes, step->write_bytes, ns);
        pn_text_puts(&latency, i ? "," : "");
        if (step->completions)
            pn_text_fixed(&latency, step->latency_ns / (double)step->completions, 3);
        else
            pn_text_puts(&latency, "null");
    }
    bool failed = false;
    for (size_t t = 0; t < 3; t++) {
        pn_text_puts(all[t], "]");
        failed |= all[t]->failed;
        bind_text(s->series, 5 + (int)t, all[t]->data);
    }
    bind_text(s->series, 1, key);
    (void)sqlite3_bind_int64(s->series, 2, (sqlite3_int64)h->windows);
    bind_number(s->series, 3, window_ns);
    (void)sqlite3_bind_int64(s->series, 4, (sqlite3_int64)h->each);
    panem_status status =
        failed ? pn_err(err, PANEM_E_NOMEM, "out of memory") : step(s, s->series, err);
    for (size_t t = 0; t < 3; t++)
        pn_text_release(all[t]);
    return status;
}

static panem_status put_timing(const pn_store *s, const char *key, double seconds,
                               uint32_t attempts, panem_error *err)
{
    char host[128] = "", at[32];
    time_t now = time(NULL);
    struct tm utc;
    (void)gethostname(host, sizeof host - 1);
    (void)strftime(at, sizeof at, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    bind_text(s->timing, 1, key);
    bind_number(s->timing, 2, seconds);
    (void)sqlite3_bind_int64(s->timing, 3, attempts);
    bind_text(s->timing, 4, host);
    bind_text(s->timing, 5, at);
    return step(s, s->timing, err);
}

static panem_status set_state(const pn_store *s, const char *key, pn_point_state state,
                              const char *message, panem_error *err)
{
    bind_text(s->failed, 1, key);
    (void)sqlite3_bind_int(s->failed, 2, (int)state);
    if (message)
        bind_text(s->failed, 3, message);
    else
        (void)sqlite3_bind_null(s->failed, 3);
    return step(s, s->failed, err);
}

panem_status pn_store_done(pn_store *s, const char *key, const double *values, const pn_tap *tap,
                           const pn_history *history, double seconds, uint32_t attempts,
                           panem_error *err)
{
    PN_TRY(prepare_results(s, err));
    PN_TRY(run(s, "BEGIN IMMEDIATE", err));
    bind_text(s->done, 1, key);
    for (size_t i = 0; i < pn_metric_count; i++)
        bind_number(s->done, (int)i + 2, values[i]);
    panem_status status = step(s, s->done, err);
    if (status == PANEM_OK)
        status = put_windows(s, key, tap, err);
    if (status == PANEM_OK && history)
        status = put_series(s, key, history, (double)tap->config.window_ps / 1000.0, err);
    if (status == PANEM_OK)
        status = put_timing(s, key, seconds, attempts, err);
    if (status == PANEM_OK)
        status = set_state(s, key, PN_POINT_DONE, NULL, err);
    return settle(s, status, err);
}

panem_status pn_store_failed(pn_store *s, const char *key, const char *message, uint32_t attempts,
                             panem_error *err)
{
    PN_TRY(prepare_results(s, err));
    PN_TRY(run(s, "BEGIN IMMEDIATE", err));
    panem_status status = put_timing(s, key, (double)NAN, attempts, err);
    if (status == PANEM_OK)
        status = set_state(s, key, PN_POINT_FAILED, message, err);
    return settle(s, status, err);
}

panem_status pn_store_count(pn_store *s, pn_store_counts *counts, panem_error *err)
{
    int64_t n[3];
    static const char *const sql[3] = {
        "SELECT count(*) FROM plan",
        "SELECT count(*) FROM plan JOIN points USING(key) WHERE state = 1",
        "SELECT count(*) FROM plan JOIN points USING(key) WHERE state = 2"};
    for (int i = 0; i < 3; i++)
        PN_TRY(number_of(s, sql[i], &n[i], err));
    *counts = (pn_store_counts){(uint64_t)n[0], (uint64_t)n[1], (uint64_t)n[2]};
    return PANEM_OK;
}

panem_status pn_store_merge(pn_store *s, const char *folder, uint64_t *taken, panem_error *err)
{
    pn_store *other = NULL;
    sqlite3_stmt *attach = NULL;
    /* Opened once by itself: its version is checked, and its journal is settled. */
    PN_TRY(pn_store_open(&other, folder, PN_STORE_WRITE, err));
    pn_store_close(other);
    pn_text names = PN_TEXT_INIT, sql = PN_TEXT_INIT, path = PN_TEXT_INIT;
    pn_text_printf(&path, "%s/store.db", folder);
    panem_status status = path.failed ? pn_err(err, PANEM_E_NOMEM, "out of memory")
                                      : prepare(s, &attach, "ATTACH ?1 AS other", err);
    if (status == PANEM_OK) {
        bind_text(attach, 1, path.data);
        status = step(s, attach, err);
    }
    (void)sqlite3_finalize(attach);
    pn_text_release(&path);
    PN_TRY(status);
    for (size_t i = 0; i < pn_metric_count; i++)
        pn_text_printf(&names, ", %s", pn_metrics[i].name);
    pn_text_printf(&sql,
                   "BEGIN IMMEDIATE;"
                   "CREATE TEMP TABLE news AS SELECT o.key, o.state, o.message FROM other.points o "
                   "JOIN main.points m USING(key) WHERE o.state <> 0 AND m.state <> 1 "
                   "AND o.state <> m.state;"
                   "INSERT OR REPLACE INTO results(key%s) SELECT key%s FROM other.results "
                   "WHERE key IN (SELECT key FROM news);"
                   "INSERT OR REPLACE INTO windows SELECT * FROM other.windows "
                   "WHERE key IN (SELECT key FROM news);"
                   "INSERT OR IGNORE INTO series SELECT * FROM other.series "
                   "WHERE key IN (SELECT key FROM main.points);"
                   "INSERT OR REPLACE INTO timing SELECT * FROM other.timing "
                   "WHERE key IN (SELECT key FROM news);"
                   "UPDATE points SET state = (SELECT n.state FROM news n WHERE n.key = "
                   "points.key), message = (SELECT n.message FROM news n WHERE n.key = points.key) "
                   "WHERE key IN (SELECT key FROM news);",
                   names.data ? names.data : "", names.data ? names.data : "");
    status = sql.failed || names.failed ? pn_err(err, PANEM_E_NOMEM, "out of memory")
                                        : run(s, sql.data, err);
    int64_t count = 0;
    if (status == PANEM_OK)
        status = number_of(s, "SELECT count(*) FROM news", &count, err);
    status = settle(s, status, err);
    (void)sqlite3_exec(s->db, "DROP TABLE IF EXISTS temp.news; DETACH other", NULL, NULL, NULL);
    pn_text_release(&names);
    pn_text_release(&sql);
    *taken = (uint64_t)count;
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Every digit that matters: SQLite's own text of a number has fifteen. */
static const char *cell_text(sqlite3_stmt *ask, int column, pn_text *space, bool *number)
{
    int type = sqlite3_column_type(ask, column);
    *number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (type == SQLITE_NULL)
        return NULL;
    if (type != SQLITE_FLOAT)
        return (const char *)sqlite3_column_text(ask, column);
    space->length = 0;
    pn_text_number(space, sqlite3_column_double(ask, column));
    return space->data;
}

static panem_status give_rows(const pn_store *s, sqlite3_stmt *ask, const pn_rows *rows,
                              panem_error *err)
{
    int n = sqlite3_column_count(ask), code = SQLITE_NOMEM;
    const char **cells = calloc((size_t)n, sizeof *cells);
    bool *numbers = calloc((size_t)n, sizeof *numbers);
    pn_text *space = calloc((size_t)n, sizeof *space);
    if (cells && numbers && space) {
        for (int i = 0; i < n; i++)
            cells[i] = sqlite3_column_name(ask, i);
        rows->names(rows->user, n, cells);
        while ((code = sqlite3_step(ask)) == SQLITE_ROW) {
            for (int i = 0; i < n; i++)
                cells[i] = cell_text(ask, i, &space[i], &numbers[i]);
            rows->row(rows->user, n, cells, numbers);
        }
    }
    panem_status status = code == SQLITE_DONE    ? PANEM_OK
                          : code == SQLITE_NOMEM ? pn_err(err, PANEM_E_NOMEM, "out of memory")
                                                 : fail(s, err);
    for (int i = 0; space && i < n; i++)
        pn_text_release(&space[i]);
    free(space);
    free(cells);
    free(numbers);
    return status;
}

panem_status pn_store_query(pn_store *s, const char *sql, const pn_rows *rows, panem_error *err)
{
    sqlite3_stmt *ask = NULL;
    const char *rest = NULL;
    if (sqlite3_prepare_v2(s->db, sql, -1, &ask, &rest) != SQLITE_OK)
        return pn_err(err, PANEM_E_ARG, "query: %s", sqlite3_errmsg(s->db));
    if (!ask)
        return pn_err(err, PANEM_E_ARG, "query: no statement was given");
    panem_status status = PANEM_OK;
    if (!sqlite3_stmt_readonly(ask) || sqlite3_column_count(ask) == 0)
        status = pn_err(err, PANEM_E_ARG, "query: only statements that read are allowed");
    else if (rest && rest[strspn(rest, " \t\r\n;")] != '\0')
        status = pn_err(err, PANEM_E_ARG, "query: one statement at a time");
    if (status == PANEM_OK)
        status = give_rows(s, ask, rows, err);
    (void)sqlite3_finalize(ask);
    return status;
}
