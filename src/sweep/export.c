/* export.c - the statements behind sweep export; see store.h. */
#include "sweep/store.h"

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
