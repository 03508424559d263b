/* traffic_points.c - `panem traffic`: all points, as a table, CSV or JSON, with a summary per model
 * and read fraction. */
#include <math.h>
#include <string.h>

#include "cli/table.h"
#include "cli/traffic.h"

/* Loads up to this share of peak, offered and achieved, enter the error summary (DESIGN section
 * 11): beyond it a memory that folds back yields the same bandwidth at a second, higher latency. */
static const double SUMMARY_LOAD_MAX = 0.95;

static const pn_column COLUMNS[] = {
    {"model", "model", "", -1},
    {"read_pct", "reads", "%", 2},
    {"load_pct", "load", "% of peak", 1},
    {"offered_gbs", "offered", "GB/s", 3},
    {"achieved_gbs", "achieved", "GB/s", 3},
    PN_LATENCY_COLUMNS(read),
    PN_LATENCY_COLUMNS(write),
    {"curve_latency_ns", "curve", "ns", 2},
    {"error_pct", "error", "%", 3},
    {"utilization_pct", "util", "%", 2},
    {"saturated_pct", "saturated", "% windows", 2},
    {"max_window_gbs", "max window", "GB/s", 2},
    {"standard_error_pct", "std err", "%", 3},
    {"converged", "converged", "", -1},
};

static const pn_column WHOLE_COLUMNS[] = {
    {"whole_achieved_gbs", "N gens", "GB/s each", 3},
    {"whole_latency_ns", "N gens", "lat ns", 2},
    {"achieved_difference_pct", "achieved", "diff %", 3},
    {"latency_difference_pct", "latency", "diff %", 3},
};

enum {
    COLUMN_COUNT = sizeof COLUMNS / sizeof COLUMNS[0],
    WHOLE_COUNT = sizeof WHOLE_COLUMNS / sizeof WHOLE_COLUMNS[0]
};

static const pn_column SUMMARY[] = {
    {"model", "model", "", -1},
    {"read_pct", "reads", "%", 2},
    {"mean_abs_error_pct", "mean |error|", "%", 3},
    {"max_abs_error_pct", "max |error|", "%", 3},
    {"peak_gbs", "peak", "GB/s", 3},
    {"max_achieved_gbs", "max achieved", "GB/s", 3},
    {"max_window_gbs", "max window", "GB/s", 3},
    {"achieved_at_150pct_gbs", "at 150 %", "GB/s", 3},
    {"not_converged", "not converged", "points", 0},
};

/* Percent without the dust of binary fractions. */
static double percent(double fraction)
{
    return nearbyint(fraction * 1e12) / 1e10;
}

void pn_traffic_add_latency(pn_table *t, const pn_latency *l)
{
    pn_table_number(t, l->mean_ns);
    pn_table_number(t, l->p50_ns);
    pn_table_number(t, l->p95_ns);
    pn_table_number(t, l->p99_ns);
}

static void add_row(pn_table *t, const pn_traffic_point *p, bool whole)
{
    const pn_traffic_result *r = &p->result;
    double achieved = r->achieved_bytes_per_s / 1e9;
    pn_table_text(t, p->model);
    pn_table_number(t, percent(p->read_frac));
    pn_table_number(t, percent(p->load_frac));
    pn_table_number(t, p->offered_gbs);
    pn_table_number(t, achieved);
    pn_traffic_add_latency(t, &r->reads);
    pn_traffic_add_latency(t, &r->writes);
    pn_table_number(t, p->curve_ns);
    pn_table_number(t, 100.0 * p->error_frac);
    pn_table_number(t, 100.0 * achieved * p->sharers / p->peak_gbs);
    pn_table_number(t, 100.0 * r->saturated_frac);
    pn_table_number(t, r->max_window_bytes_per_s / 1e9);
    pn_table_number(t, 100.0 * r->relative_error);
    pn_table_text(t, r->converged ? "yes" : "no");
    if (!whole)
        return;
    pn_table_number(t, p->whole_valid ? p->whole_achieved_gbs : (double)NAN);
    pn_table_number(t, p->whole_valid ? p->whole_latency_ns : (double)NAN);
    pn_table_number(t, 100.0 * (achieved / p->whole_achieved_gbs - 1.0));
    pn_table_number(t, 100.0 * (p->latency_ns / p->whole_latency_ns - 1.0));
}

typedef struct summary {
    double error_sum, error_max;
    uint32_t errors, not_converged;
    double max_achieved_gbs, max_window_gbs, at_150_gbs;
} summary;

static void take_in(summary *s, const pn_traffic_point *p)
{
    double achieved = p->result.achieved_bytes_per_s / 1e9;
    double window = p->result.max_window_bytes_per_s / 1e9;
    if (achieved > s->max_achieved_gbs)
        s->max_achieved_gbs = achieved;
    if (window > s->max_window_gbs)
        s->max_window_gbs = window;
    if (fabs(p->load_frac - 1.5) < 1e-9)
        s->at_150_gbs = achieved;
    s->not_converged += !p->result.converged;
    if (!isfinite(p->error_frac) || p->load_frac > SUMMARY_LOAD_MAX * 1.001 ||
        achieved * p->sharers > SUMMARY_LOAD_MAX * p->peak_gbs * 1.001)
        return;
    s->errors++;
    s->error_sum += fabs(p->error_frac);
    if (fabs(p->error_frac) > s->error_max)
        s->error_max = fabs(p->error_frac);
}

static void add_summary(pn_table *t, const summary *s, const pn_traffic_settings *settings,
                        const char *model, double read_frac)
{
    double peak = pn_traffic_peak_bytes_per_s(settings, model, read_frac) / 1e9;
    pn_table_text(t, model);
    pn_table_number(t, percent(read_frac));
    pn_table_number(t, s->errors ? 100.0 * s->error_sum / s->errors : (double)NAN);
    pn_table_number(t, s->errors ? 100.0 * s->error_max : (double)NAN);
    pn_table_number(t, peak / settings->sharers);
    pn_table_number(t, s->max_achieved_gbs);
    pn_table_number(t, s->max_window_gbs);
    pn_table_number(t, s->at_150_gbs > 0.0 ? s->at_150_gbs : (double)NAN);
    pn_table_number(t, s->not_converged);
}

static panem_status run_curve(pn_table *rows, pn_table *sums, const pn_traffic_settings *s,
                              const char *model, double read_frac, bool whole, panem_error *err)
{
    summary sum;
    memset(&sum, 0, sizeof sum);
    size_t count = s->closed_loop ? 1 : s->load.count;
    for (size_t i = 0; i < count; i++) {
        double load = s->closed_loop ? (double)NAN : s->load.values[i];
        pn_traffic_point p;
        PN_TRY(pn_traffic_measure(&p, s, model, read_frac, load, err));
        add_row(rows, &p, whole);
        take_in(&sum, &p);
        if (pn_stderr_is_terminal())
            fprintf(stderr, "\r%s, %.4g %% reads: %zu of %zu points ", model, 100.0 * read_frac,
                    i + 1, count);
    }
    if (pn_stderr_is_terminal())
        fprintf(stderr, "\r\033[K");
    add_summary(sums, &sum, s, model, read_frac);
    return PANEM_OK;
}

static json_t *settings_json(const pn_traffic_settings *s)
{
    char fingerprint[24];
    const char *name = s->set ? panem_curves_meta(s->set, "name") : NULL;
    if (s->set)
        (void)snprintf(fingerprint, sizeof fingerprint, "%016llx",
                       (unsigned long long)panem_curves_fingerprint(s->set));
    return json_pack("{s:s?, s:s?, s:s?, s:i, s:i, s:I, s:s, s:f, s:f}", "curves", s->curves_path,
                     "curves_name", s->set && !name ? "" : name, "curves_fingerprint",
                     s->set ? fingerprint : NULL, "cores", (int)s->cores, "sharers",
                     (int)s->sharers, "seed", (json_int_t)s->source.seed, "windows",
                     s->windows_text ? s->windows_text : "model default", "target_error_pct",
                     100.0 * s->target_error, "on_chip_ns", s->on_chip_ns);
}

static void print(const pn_traffic_settings *s, pn_table *rows, pn_table *sums)
{
    if (s->format == PN_FORMAT_JSON) {
        pn_json_print(json_pack("{s:s, s:o, s:o, s:o}", "panem", panem_version(), "settings",
                                settings_json(s), "summary", pn_table_json(sums), "rows",
                                pn_table_json(rows)),
                      stdout);
        return;
    }
    pn_table_print(rows, s->format, stdout);
    if (s->format == PN_FORMAT_TABLE) {
        printf("\nSummary (errors over loads of at most 95 %% of peak, offered and achieved)\n");
        pn_table_print(sums, s->format, stdout);
    }
}

panem_status pn_traffic_series_open(pn_traffic_settings *s, panem_error *err)
{
    static const char header[] = "model,read_pct,load_pct,time_ns,read_gbs,write_gbs,"
                                 "outstanding_bytes,latency_ns\n";
    if (!s->series_path)
        return PANEM_OK;
    PN_TRY(pn_writer_open(&s->series, s->series_path, err));
    pn_writer_add(s->series, header, sizeof header - 1);
    return PANEM_OK;
}

static panem_status run_all(pn_table *rows, pn_table *sums, const pn_traffic_settings *s,
                            bool whole, panem_error *err)
{
    if (!rows || !sums)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    for (size_t m = 0; m < s->models.count; m++)
        for (size_t i = 0; i < s->read_pct.count; i++)
            PN_TRY(run_curve(rows, sums, s, s->models.items[m], s->read_pct.values[i] / 100.0,
                             whole, err));
    return PANEM_OK;
}

/* The series appears, and results are printed, only when every point was measured. */
static int measure_and_print(pn_traffic_settings *s, pn_table *rows, pn_table *sums, bool whole)
{
    panem_error err = PANEM_ERROR_INIT;
    if (pn_traffic_series_open(s, &err) != PANEM_OK)
        return pn_fail_output(&err);
    pn_writer *series = s->series;
    if (run_all(rows, sums, s, whole, &err) != PANEM_OK) {
        pn_writer_abort(series);
        return pn_fail(&err);
    }
    if (series && pn_writer_commit(series, &err) != PANEM_OK)
        return pn_fail_output(&err);
    print(s, rows, sums);
    return PN_EXIT_OK;
}

int pn_traffic_points(pn_traffic_settings *s)
{
    pn_column columns[COLUMN_COUNT + WHOLE_COUNT];
    bool whole = s->sharers > 1 && s->compare;
    memcpy(columns, COLUMNS, sizeof COLUMNS);
    memcpy(columns + COLUMN_COUNT, WHOLE_COLUMNS, sizeof WHOLE_COLUMNS);
    pn_table *rows = pn_table_new(columns, whole ? COLUMN_COUNT + WHOLE_COUNT : COLUMN_COUNT);
    pn_table *sums = pn_table_new(SUMMARY, sizeof SUMMARY / sizeof SUMMARY[0]);
    int code = measure_and_print(s, rows, sums, whole);
    pn_table_free(rows);
    pn_table_free(sums);
    return code;
}
