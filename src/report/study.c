/* study.c - see study.h. The parts are in points.c, ratios.c, overtime.c and sets.c; this is what
 * they stand in: the headline, the facts, and which plots there are. */
#include "report/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/view.h"
#include "sweep/asked.h"

/* ---- headline -------------------------------------------------------------------------------- */

static const char *const HEADLINE[] = {"ipc", "bandwidth_gbs", "utilization_pct", "read_latency_ns",
                                       NULL};

/* The headline's metrics: the study's, or the usual ones. */
static const char *const *headline_of(const pn_view *v)
{
    return v->metrics[0] ? (const char *const *)v->metrics : HEADLINE;
}

/* Decimals for about four digits of the greatest. */
static int decimals_for(double greatest)
{
    int decimals = 4;
    double limit = 10.0;
    while (limit <= fabs(greatest) && decimals > 0) {
        limit *= 10.0;
        decimals--;
    }
    return decimals;
}

static void add_heading(pn_view *v, pn_sheet *sheet, const char *metric, const char *tail)
{
    char text[200];
    pn_words words = pn_view_words(metric);
    (void)snprintf(text, sizeof text, "%s%s%s%s", words.name, tail, words.unit[0] ? ", " : "",
                   words.unit);
    pn_sheet_cell(v->report, sheet, text);
}

static void add_headings(pn_view *v, pn_sheet *sheet)
{
    pn_sheet_cell(v->report, sheet, "model");
    pn_sheet_cell(v->report, sheet, "points");
    for (const char *const *m = headline_of(v); *m; m++)
        add_heading(v, sheet, *m, "");
    for (const char *const *m = headline_of(v); *m && v->baseline < v->model.count; m++) {
        char text[200];
        (void)snprintf(text, sizeof text, "%s over %s", pn_view_words(*m).name, v->compare);
        pn_sheet_cell(v->report, sheet, text);
    }
    pn_sheet_cell(v->report, sheet, "run time, s/point");
}

static void add_mean(pn_view *v, pn_sheet *sheet, const char *metric, uint32_t model, int decimals)
{
    const double *numbers = pn_view_numbers(v, metric);
    double mean = (double)NAN;
    if (numbers)
        mean = pn_view_mean(v, pn_view_gather(v, numbers, &v->model, model));
    pn_sheet_number(v->report, sheet, mean, decimals);
}

/* Decimals of a column of means. */
static int decimals_of(pn_view *v, const char *metric)
{
    const double *numbers = pn_view_numbers(v, metric);
    double greatest = 0.0;
    for (uint32_t m = 0; m < v->model.count && numbers; m++) {
        double mean = pn_view_mean(v, pn_view_gather(v, numbers, &v->model, m));
        greatest = fabs(mean) > greatest ? fabs(mean) : greatest;
    }
    return decimals_for(greatest);
}

static void add_model(pn_view *v, pn_sheet *sheet, uint32_t model)
{
    size_t points = 0;
    for (size_t row = 0; row < v->rows; row++)
        points += v->done[row] && v->model.of[row] == model;
    pn_sheet_cell(v->report, sheet, v->model.values[model]);
    pn_sheet_number(v->report, sheet, (double)points, 0);
    for (const char *const *m = headline_of(v); *m; m++)
        add_mean(v, sheet, *m, model, decimals_of(v, *m));
    for (const char *const *m = headline_of(v); *m && v->baseline < v->model.count; m++) {
        const double *numbers = pn_view_numbers(v, *m);
        size_t count = numbers ? pn_view_ratios(v, numbers, model) : 0;
        pn_sheet_number(v->report, sheet, pn_view_geomean(v, count), 4);
    }
    add_mean(v, sheet, "seconds", model, 3);
}

static void add_headline(pn_view *v)
{
    char title[240];
    size_t columns = 3;
    bool compares = v->baseline < v->model.count;
    for (const char *const *m = headline_of(v); *m; m++)
        columns += compares ? 2 : 1;
    (void)snprintf(title, sizeof title, "Means over all points, per model%s%s",
                   v->weighted ? ", by the traces' weights" : "",
                   compares ? "; ratios: geometric, of points equal in all else" : "");
    pn_sheet *sheet = pn_report_sheet(v->report, title, columns);
    add_headings(v, sheet);
    for (uint32_t m = 0; m < v->model.count; m++)
        add_model(v, sheet, m);
}

static void add_failures(pn_view *v)
{
    size_t state = pn_answer_column(&v->points, "state");
    size_t message = pn_answer_column(&v->points, "message");
    pn_sheet *sheet = NULL;
    for (size_t row = 0; row < v->rows; row++) {
        char label[PN_VIEW_LABEL];
        if (pn_answer_number(&v->points, row, state) != (double)PN_POINT_FAILED)
            continue;
        if (!sheet) {
            sheet = pn_report_sheet(v->report, "Points that failed", 2);
            pn_sheet_cell(v->report, sheet, "point");
            pn_sheet_cell(v->report, sheet, "message");
        }
        pn_view_describe(label, v, row, true);
        pn_sheet_cell(v->report, sheet, label);
        pn_sheet_cell(v->report, sheet, pn_answer_text(&v->points, row, message));
    }
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Every row of a query with two columns is a fact. */
static panem_status add_facts(pn_report *report, pn_store *store, const char *section,
                              const char *sql, panem_error *err)
{
    pn_answer a = {0};
    panem_status status = pn_answer_fetch(&a, store, sql, err);
    for (size_t i = 0; i < a.rows && status == PANEM_OK; i++)
        pn_report_fact(report, section, pn_answer_text(&a, i, 0), pn_answer_text(&a, i, 1));
    pn_answer_release(&a);
    return status;
}

static panem_status add_all_facts(pn_report *report, pn_store *store, panem_error *err)
{
    PN_TRY(add_facts(report, store, "Study",
                     "SELECT name, value FROM meta UNION ALL SELECT 'points', count(*) FROM plan "
                     "UNION ALL SELECT 'points done', count(*) FROM plan JOIN points USING(key) "
                     "WHERE state = 1",
                     err));
    PN_TRY(add_facts(report, store, "Traces",
                     "SELECT trace, trace_path || ', content ' || trace_hash || ', weight ' || "
                     "weight FROM plan JOIN points USING(key) GROUP BY trace_path ORDER BY "
                     "min(ordinal)",
                     err));
    PN_TRY(add_facts(report, store, "Curve sets",
                     "SELECT path, 'fingerprint ' || fingerprint FROM curves ORDER BY fingerprint",
                     err));
    PN_TRY(add_facts(report, store, "Hosts",
                     "SELECT host, count(*) || ' points, ' || min(at) || ' to ' || max(at) FROM "
                     "timing GROUP BY host ORDER BY host",
                     err));
    return add_facts(report, store, "Configurations of the core",
                     "SELECT config, text FROM configs WHERE config IN (SELECT config FROM plan "
                     "JOIN points USING(key)) ORDER BY config",
                     err);
}

/* ---- which plots ------------------------------------------------------------------------------
 */

static void add_box_of(pn_view *v, const char *metric)
{
    char id[64];
    pn_plot_id(id, "box", metric);
    pn_plot_box(v, id, metric);
}

static panem_status add_plot(pn_view *v, const char *word, panem_error *err)
{
    const char *of;
    const pn_plot_kind *kind = pn_plot_asked(word, &of);
    const char *name = kind ? kind->name : "";
    const char *metric = of[0] ? of : "ipc";
    if (strcmp(name, "curves") == 0)
        return pn_plot_sets(v, true, false, err);
    if (strcmp(name, "response") == 0)
        return pn_plot_sets(v, false, true, err);
    if (strcmp(name, "series") == 0)
        return pn_plot_over_time(v, of, err);
    if (strcmp(name, "scatter") == 0)
        pn_plot_scatter(v);
    else if (strcmp(name, "scatter-reads") == 0)
        pn_plot_scatter_reads(v);
    else if (strcmp(name, "box-bandwidth") == 0)
        pn_plot_box(v, name, "bandwidth_gbs");
    else if (strcmp(name, "box-latency") == 0)
        pn_plot_box(v, name, "read_latency_ns");
    else if (strcmp(name, "box-run-time") == 0)
        pn_plot_box(v, name, "seconds");
    else if (strcmp(name, "box") == 0 && of[0])
        add_box_of(v, of);
    else if (strcmp(name, "workloads") == 0)
        pn_plot_workloads(v, metric);
    else if (strcmp(name, "ratio") == 0)
        pn_plot_ratio(v, metric);
    else if (strcmp(name, "sensitivity") == 0)
        pn_plot_sensitivities(v, metric);
    else if (strcmp(name, "cpi") == 0)
        pn_plot_cpi(v);
    else if (strcmp(name, "windows") == 0)
        pn_plot_windows(v);
    else if (strcmp(name, "windows-latency") == 0)
        pn_plot_windows_latency(v);
    return PANEM_OK;
}

/* What the study asks for, in its order; else every kind that the store has something for. */
static panem_status add_plots(pn_view *v, panem_error *err)
{
    for (size_t i = 0; v->plots[i]; i++)
        PN_TRY(add_plot(v, v->plots[i], err));
    for (size_t i = 0; !v->plots[0] && pn_plot_kinds[i].name; i++)
        PN_TRY(add_plot(v, pn_plot_kinds[i].name, err));
    return PANEM_OK;
}

/* Where every point failed, to run again helps nobody. */
static panem_status nothing_done(const pn_view *v, panem_error *err)
{
    size_t state = pn_answer_column(&v->points, "state"), failed = 0;
    for (size_t row = 0; row < v->rows; row++)
        failed += pn_answer_number(&v->points, row, state) == (double)PN_POINT_FAILED;
    if (failed == 0)
        return pn_err(err, PANEM_E_RANGE, "no point is done yet: panem sweep run first");
    return pn_err(err, PANEM_E_RANGE, "no point is done, %zu failed: panem sweep status says why",
                  failed);
}

static panem_status fill(pn_view *v, pn_report *report, pn_store *store, panem_error *err)
{
    PN_TRY(pn_view_fill(v, report, store, err));
    pn_report_title(report, v->study);
    if (v->done_count == 0)
        return nothing_done(v, err);
    add_headline(v);
    pn_view_caveats(v);
    add_failures(v);
    PN_TRY(add_plots(v, err));
    pn_report_drop_empty(report);
    PN_TRY(add_all_facts(report, store, err));
    return report->failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the report") : PANEM_OK;
}

panem_status pn_report_study(pn_report *report, const char *folder, panem_error *err)
{
    pn_store *store = NULL;
    pn_view view;
    PN_TRY(pn_store_open(&store, folder, PN_STORE_READ, err));
    panem_status status = fill(&view, report, store, err);
    pn_view_release(&view);
    pn_store_close(store);
    return status;
}
