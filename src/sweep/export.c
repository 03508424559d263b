/* export.c - the statements behind sweep export; see store.h. */
#include "sweep/store.h"

#include <sqlite3.h>

static void note_axis(void *user, int columns, const char *const *cells, const bool *numbers)
{
    (void)columns, (void)numbers;
    pn_text_printf(user, ", \"%s\"", cells[0]);
}

static void no_names(void *user, int columns, const char *const *names)
{
    (void)user, (void)columns, (void)names;
}

/* The names of what varies, each behind a comma. */
static panem_status put_axes(pn_store *s, pn_text *sql, panem_error *err)
{
    const pn_rows axes = {no_names, note_axis, sql};
    return pn_store_query(s,
                          "SELECT name FROM pragma_table_info('plan') WHERE name LIKE 'axis\\_%' "
                          "ESCAPE '\\'",
                          &axes, err);
}

panem_status pn_store_export_sql(pn_store *s, pn_text *sql, bool timing, panem_error *err)
{
    pn_text_puts(sql, "SELECT ordinal, trace, weight");
    PN_TRY(put_axes(s, sql, err));
    pn_text_puts(sql, ", CASE state WHEN 1 THEN 'done' WHEN 2 THEN 'failed' ELSE 'pending' END AS "
                      "state, message");
    for (size_t i = 0; i < pn_metric_count; i++)
        pn_text_printf(sql, ", %s", pn_metrics[i].name);
    if (timing)
        pn_text_puts(sql, ", seconds, attempts, host, at");
    pn_text_puts(sql, ", key FROM plan JOIN points USING(key) LEFT JOIN results USING(key)");
    if (timing)
        pn_text_puts(sql, " LEFT JOIN timing USING(key)");
    pn_text_puts(sql, " ORDER BY ordinal");
    return sql->failed ? pn_err(err, PANEM_E_NOMEM, "out of memory") : PANEM_OK;
}

panem_status pn_store_series_sql(pn_store *s, pn_text *sql, panem_error *err)
{
    pn_text_puts(sql, "SELECT ordinal, trace");
    PN_TRY(put_axes(s, sql, err));
    pn_text_puts(sql, ", step.key * windows_per_step * window_ns / 1000.0 AS start_us, "
                      "step.value AS read_gbs, "
                      "json_extract(write_gbs, '$[' || step.key || ']') AS write_gbs, "
                      "json_extract(latency_ns, '$[' || step.key || ']') AS latency_ns "
                      "FROM plan JOIN series ON series.key = plan.key, "
                      "json_each(series.read_gbs) AS step ORDER BY ordinal, step.key");
    return sql->failed ? pn_err(err, PANEM_E_NOMEM, "out of memory") : PANEM_OK;
}

/* ---- a file of SQLite ------------------------------------------------------------------------ */

static panem_status failed(sqlite3 *db, const char *folder, panem_error *err)
{
    panem_status status = !db || sqlite3_errcode(db) == SQLITE_NOMEM ? PANEM_E_NOMEM : PANEM_E_IO;
    return pn_err_at(err, status, folder, 0, 0, "%s", db ? sqlite3_errmsg(db) : "out of memory");
}

/* The store beside an empty database; it is only read. */
static panem_status attach(sqlite3 *db, const char *folder, panem_error *err)
{
    pn_text uri = PN_TEXT_INIT;
    sqlite3_stmt *statement = NULL;
    pn_text_puts(&uri, "file:");
    for (const char *c = folder; *c; c++)
        pn_text_printf(&uri, *c == '%' || *c == '?' || *c == '#' ? "%%%02x" : "%c",
                       (unsigned char)*c);
    pn_text_puts(&uri, "/store.db?mode=ro");
    bool good = !uri.failed &&
                sqlite3_prepare_v2(db, "ATTACH ?1 AS store", -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_bind_text(statement, 1, uri.data, -1, SQLITE_TRANSIENT) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_DONE;
    panem_status status = good ? PANEM_OK : failed(db, folder, err);
    (void)sqlite3_finalize(statement);
    pn_text_release(&uri);
    return status;
}

static void note_found(void *user, int columns, const char *const *cells, const bool *numbers)
{
    (void)columns, (void)cells, (void)numbers;
    *(bool *)user = true;
}

/* Names of files and what differs from run to run stay out. */
static panem_status fill(sqlite3 *db, pn_store *s, const char *folder, bool timing,
                         panem_error *err)
{
    bool series = false;
    const pn_rows found = {no_names, note_found, &series};
    pn_text sql = PN_TEXT_INIT;
    PN_TRY(pn_store_query(s, "SELECT 1 FROM sqlite_master WHERE name = 'series'", &found, err));
    pn_text_puts(&sql, "CREATE TABLE main.results AS ");
    panem_status status = pn_store_export_sql(s, &sql, timing, err);
    pn_text_puts(&sql, ";CREATE TABLE main.windows AS SELECT * FROM store.windows WHERE key IN "
                       "(SELECT key FROM store.plan) ORDER BY key;");
    if (series)
        pn_text_puts(&sql, "CREATE TABLE main.series AS SELECT * FROM store.series WHERE key IN "
                           "(SELECT key FROM store.plan) ORDER BY key;");
    pn_text_puts(&sql, "CREATE TABLE main.meta AS SELECT * FROM store.meta WHERE name <> 'study' "
                       "ORDER BY name;");
    if (status == PANEM_OK && sql.failed)
        status = pn_err(err, PANEM_E_NOMEM, "out of memory");
    if (status == PANEM_OK && sqlite3_exec(db, sql.data, NULL, NULL, NULL) != SQLITE_OK)
        status = failed(db, folder, err);
    pn_text_release(&sql);
    return status;
}

panem_status pn_store_export_bytes(pn_store *s, const char *folder, bool timing, char **bytes,
                                   size_t *length, panem_error *err)
{
    sqlite3 *db = NULL;
    sqlite3_int64 size = 0;
    int code = sqlite3_open_v2(":memory:", &db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL);
    panem_status status = code == SQLITE_OK ? attach(db, folder, err) : failed(db, folder, err);
    if (status == PANEM_OK)
        status = fill(db, s, folder, timing, err);
    char *data = status == PANEM_OK ? (char *)sqlite3_serialize(db, "main", &size, 0) : NULL;
    if (status == PANEM_OK && !data)
        status = pn_err(err, PANEM_E_NOMEM, "out of memory");
    (void)sqlite3_close(db);
    PN_TRY(status);
    *bytes = data;
    *length = (size_t)size;
    return PANEM_OK;
}

void pn_store_bytes_free(char *bytes)
{
    sqlite3_free(bytes);
}
