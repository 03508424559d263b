/* overtime.c - plots of windows: their bandwidths as a distribution, and what points did from
 * step to step, where the store has series. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "report/view.h"

enum { TRACES_MAX = 4, LINES_MAX = 8 };
static const double LONG_US = 5000.0;

/* Reads up to room numbers of a JSON array; null is NaN. Their number. */
static size_t read_array(double *values, size_t room, const char *text)
{
    size_t count = 0;
    while (*text && count < room) {
        size_t used = pn_num_parse(text, &values[count]);
        if (used) {
            count++;
        } else if (*text == 'n') {
            values[count++] = (double)NAN;
            used = strspn(text, "nul");
        }
        text += used ? used : 1;
    }
    return count;
}

/* ---- distribution ---------------------------------------------------------------------------- */

/* Counts per bin of bandwidth over all points of a model; false when there are none. */
static bool sum_bins(double sum[PN_TAP_BINS], double *total, const pn_view *v, uint32_t model)
{
    size_t column = pn_answer_column(&v->points, "bins");
    *total = 0.0;
    for (size_t b = 0; b < PN_TAP_BINS; b++)
        sum[b] = 0.0;
    for (size_t row = 0; row < v->rows; row++) {
        double own[PN_TAP_BINS];
        if (v->model.of[row] != model || !v->done[row])
            continue;
        size_t count = read_array(own, PN_TAP_BINS, pn_answer_text(&v->points, row, column));
        for (size_t b = 0; b < count; b++) {
            sum[b] += own[b];
            *total += own[b];
        }
    }
    return *total > 0.0;
}

void pn_plot_windows(pn_view *v)
{
    pn_plot *plot =
        pn_plot_once(v, "windows", "Bandwidth of short windows",
                     "Share of windows of equal length per bandwidth, all points of a "
                     "model together, in steps of a 48th of the share's peak; the last, a "
                     "third above it, has all windows beyond, too.");
    pn_plot_x(plot, "bandwidth over the share's peak", "%", PN_SCALE_LINEAR);
    pn_plot_y(plot, "windows", "%", PN_SCALE_LINEAR);
    double sum[PN_TAP_BINS];
    double total;
    size_t last = 0; /* bin that any model has windows in */
    for (uint32_t m = 0; m < v->model.count; m++)
        for (size_t b = sum_bins(sum, &total, v, m) ? PN_TAP_BINS : 0; b > last + 1; b--)
            last = sum[b - 1] > 0.0 ? b - 1 : last;
    for (uint32_t m = 0; m < v->model.count && plot; m++) {
        if (!sum_bins(sum, &total, v, m))
            continue;
        pn_series *series = pn_plot_model(v, plot, m, PN_SERIES_LINE);
        for (size_t b = 0; b <= last + 1 && b < PN_TAP_BINS; b++)
            pn_series_point(plot, series, ((double)b + 0.5) / 0.48, 100.0 * sum[b] / total, NULL);
    }
}

/* Bins of bandwidth are taken together, since a window of one of many cores holds few lines: single
 * bins would tell which of them such a core can hit. */
enum { GROUP = 4, GROUPS = PN_TAP_BINS / GROUP };

typedef struct cells {
    double windows[GROUPS], latency_ns[GROUPS]; /* counts, and sums over them */
} cells;

/* Adds [[bandwidth bin, latency bin, windows], ...]. */
static void add_cells(cells *c, const char *text, double bin_ns)
{
    double cell[3];
    size_t at = 0;
    while (*text) {
        size_t used = pn_num_parse(text, &cell[at]);
        text += used ? used : 1;
        at += used ? 1 : 0;
        if (at < 3)
            continue;
        at = 0;
        if (!(cell[0] >= 0.0 && cell[0] < PN_TAP_BINS))
            continue;
        size_t group = (size_t)cell[0] / GROUP;
        c->windows[group] += cell[2];
        c->latency_ns[group] += cell[2] * (cell[1] + 0.5) * bin_ns;
    }
}

/* Bins with fewer windows than this are chance. */
static const double WINDOWS_MIN = 10.0;

void pn_plot_windows_latency(pn_view *v)
{
    const double *bin_ns = pn_view_numbers(v, "bin_ns");
    size_t column = pn_answer_column(&v->points, "cells");
    pn_plot *plot =
        pn_plot_once(v, "windows-latency", "Latency of short windows",
                     "Mean memory latency of the windows of one bandwidth, all points "
                     "of a model together: how the model answers from window to "
                     "window. In steps of a twelfth of the share's peak; those with fewer "
                     "than ten windows are left out.");
    pn_plot_x(plot, "bandwidth over the share's peak", "%", PN_SCALE_LINEAR);
    pn_plot_y(plot, "memory latency", "ns", PN_SCALE_LINEAR);
    for (uint32_t m = 0; m < v->model.count && plot && bin_ns; m++) {
        cells c = {{0.0}, {0.0}};
        for (size_t row = 0; row < v->rows; row++)
            if (v->model.of[row] == m && isfinite(bin_ns[row]))
                add_cells(&c, pn_answer_text(&v->points, row, column), bin_ns[row]);
        for (size_t g = 0; g < GROUPS; g++) {
            char label[64];
            if (!(c.windows[g] >= WINDOWS_MIN))
                continue;
            (void)snprintf(label, sizeof label, "%.0f windows", c.windows[g]);
            pn_series_point(plot, pn_plot_model(v, plot, m, PN_SERIES_LINE),
                            ((double)g + 0.5) * GROUP / 0.48, c.latency_ns[g] / c.windows[g],
                            label);
        }
    }
}

/* ---- from step to step ----------------------------------------------------------------------- */

/* How far a point is from the first value of every axis. */
static uint32_t distance(const pn_view *v, size_t row)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < v->n_axes; i++)
        sum += v->axes[i].of[row];
    return sum;
}

/* The points of a trace that are drawn: those with a series nearest to the first values of the
 * axes, so that every model comes before settings repeat; earlier points first. */
static size_t choose_rows(size_t rows[LINES_MAX], const pn_view *v, uint32_t trace,
                          const bool *has_series)
{
    size_t count = 0;
    bool beyond = true;
    for (uint32_t far = 0; beyond && count < LINES_MAX; far++) {
        beyond = false;
        for (size_t row = 0; row < v->rows; row++) {
            if (v->trace.of[row] != trace || !has_series[row])
                continue;
            uint32_t d = distance(v, row);
            beyond |= d > far;
            if (d == far && count < LINES_MAX)
                rows[count++] = row;
        }
    }
    return count;
}

typedef struct steps {
    size_t count;
    double us; /* length of a step */
    double bandwidth[PN_HISTORY_MAX], latency[PN_HISTORY_MAX];
} steps;

static panem_status read_steps(steps *s, pn_view *v, size_t row, panem_error *err)
{
    pn_answer a = {0};
    char sql[240];
    double reads[PN_HISTORY_MAX];
    size_t ordinal = pn_answer_column(&v->points, "ordinal");
    (void)snprintf(sql, sizeof sql,
                   "SELECT windows_per_step * window_ns / 1000.0, read_gbs, write_gbs, latency_ns "
                   "FROM plan JOIN series USING(key) WHERE ordinal = %.20s",
                   pn_answer_text(&v->points, row, ordinal));
    panem_status status = pn_answer_fetch(&a, v->store, sql, err);
    memset(s, 0, sizeof *s);
    if (status == PANEM_OK && a.rows > 0) {
        s->us = pn_answer_number(&a, 0, 0);
        size_t n = read_array(reads, PN_HISTORY_MAX, pn_answer_text(&a, 0, 1));
        size_t w = read_array(s->bandwidth, PN_HISTORY_MAX, pn_answer_text(&a, 0, 2));
        size_t l = read_array(s->latency, PN_HISTORY_MAX, pn_answer_text(&a, 0, 3));
        s->count = n < w ? n : w;
        s->count = s->count < l ? s->count : l;
        for (size_t i = 0; i < s->count; i++)
            s->bandwidth[i] += reads[i];
    }
    pn_answer_release(&a);
    return status;
}

/* The model, and the axes that are not at their first value: the title has the trace, and a plot's
 * legend little room. */
static void name_row(pn_text *name, const pn_view *v, size_t row)
{
    pn_text_puts(name, v->model.values[v->model.of[row]]);
    for (size_t a = 0; a < v->n_axes; a++) {
        const pn_column *axis = &v->axes[a];
        if (axis->of[row] != 0)
            pn_text_printf(name, "%s%s=%s", name->length ? ", " : "", axis->name,
                           axis->values[axis->of[row]]);
    }
    if (name->length == 0)
        pn_text_puts(name, "first values");
}

static void add_steps(pn_plot *plot, const char *name, double step, const double *values,
                      size_t count)
{
    pn_series *series = pn_plot_series(plot, name, PN_SERIES_LINE);
    if (!series)
        return;
    series->size_px = 3.0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            pn_series_point(plot, series, ((double)i + 0.5) * step, values[i], NULL);
}

static pn_plot *new_plot(pn_view *v, const char *kind, const char *trace, const char *name,
                         const char *unit, const char *note)
{
    char id[64], title[200];
    pn_plot_id(id, kind, trace);
    (void)snprintf(title, sizeof title, "%s over time, %s", name, trace);
    title[0] = (char)(title[0] - 'a' + 'A');
    pn_plot *plot = pn_plot_once(v, id, title, note);
    pn_plot_y(plot, name, unit, PN_SCALE_LINEAR);
    return plot;
}

/* Long runs are told in milliseconds. */
static panem_status read_all(steps *all, bool *ms, pn_view *v, const size_t *rows, size_t count,
                             panem_error *err)
{
    *ms = false;
    for (size_t i = 0; i < count; i++) {
        PN_TRY(read_steps(&all[i], v, rows[i], err));
        *ms |= all[i].us * (double)all[i].count > LONG_US;
    }
    return PANEM_OK;
}

static void draw_all(pn_view *v, uint32_t trace, const steps *all, bool ms, const size_t *rows,
                     size_t count)
{
    static const char NOTE[] =
        "From the first request on, warm-up included; up to 400 steps of "
        "equal length, those without requests left out of latencies. "
        "At most eight points, those nearest to the first value of every "
        "axis, which names leave out; panem sweep export --series has them all.";
    const char *of = v->trace.values[trace];
    pn_plot *bandwidth = new_plot(v, "series-bandwidth", of, "bandwidth", "GB/s", NOTE);
    pn_plot *latency = new_plot(v, "series-latency", of, "memory latency", "ns", NOTE);
    pn_plot_x(bandwidth, "time", ms ? "ms" : "us", PN_SCALE_LINEAR);
    pn_plot_x(latency, "time", ms ? "ms" : "us", PN_SCALE_LINEAR);
    for (size_t i = 0; i < count && bandwidth && latency; i++) {
        pn_text name = PN_TEXT_INIT;
        double step = ms ? all[i].us / 1000.0 : all[i].us;
        name_row(&name, v, rows[i]);
        v->report->failed |= name.failed;
        if (!name.failed) {
            add_steps(bandwidth, name.data, step, all[i].bandwidth, all[i].count);
            add_steps(latency, name.data, step, all[i].latency, all[i].count);
        }
        pn_text_release(&name);
    }
}

static panem_status add_trace(pn_view *v, uint32_t trace, const bool *has_series, panem_error *err)
{
    size_t rows[LINES_MAX];
    bool ms;
    size_t count = choose_rows(rows, v, trace, has_series);
    if (count == 0)
        return PANEM_OK;
    steps *all = calloc(count, sizeof *all);
    if (!all)
        return pn_err(err, PANEM_E_NOMEM, "no memory for the report");
    panem_status status = read_all(all, &ms, v, rows, count, err);
    if (status == PANEM_OK)
        draw_all(v, trace, all, ms, rows, count);
    free(all);
    return status;
}

/* Which rows have a series; none in a store from before there were any. */
static panem_status find_series(bool *has_series, const pn_view *v, panem_error *err)
{
    pn_answer a = {0};
    PN_TRY(pn_answer_fetch(&a, v->store, "SELECT 1 FROM sqlite_master WHERE name = 'series'", err));
    bool any = a.rows > 0;
    pn_answer_release(&a);
    if (!any)
        return PANEM_OK;
    panem_status status = pn_answer_fetch(
        &a, v->store,
        "SELECT series.key IS NOT NULL FROM plan LEFT JOIN series USING(key) ORDER BY ordinal",
        err);
    for (size_t row = 0; row < a.rows && row < v->rows; row++)
        has_series[row] = v->done[row] && pn_answer_number(&a, row, 0) > 0.0;
    pn_answer_release(&a);
    return status;
}

panem_status pn_plot_over_time(pn_view *v, const char *trace, panem_error *err)
{
    bool *has_series = calloc(v->rows + 1, sizeof *has_series);
    panem_status status = has_series ? find_series(has_series, v, err)
                                     : pn_err(err, PANEM_E_NOMEM, "no memory for the report");
    for (uint32_t t = 0; t < v->trace.count && status == PANEM_OK; t++)
        if (trace[0] ? strcmp(v->trace.values[t], trace) == 0 : t < TRACES_MAX)
            status = add_trace(v, t, has_series, err);
    free(has_series);
    return status;
}
