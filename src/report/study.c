/* study.c - see study.h. A point's group is its model; its remaining labels (load, axes) are told
 * apart in tooltips, and drawn one by one as sensitivities. */
#include "report/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "curve/csv.h"
#include "report/curves.h"
#include "report/rows.h"

/* Differences of IPC below this are no finding. */
static const double THRESHOLD_PCT = 3.0;
enum { LABELS_MAX = 24, LABEL_TEXT = 400, CURVE_SETS_MAX = 8 };

static const char POINTS[] =
    "SELECT p.*, q.state, q.message, q.curves, c.text AS parameters, q.model AS point_model, "
    "t.seconds, w.bandwidth AS bins, "
    "w.bandwidth_bin_gbs AS bin_gbs, r.ipc, r.bandwidth_gbs, r.read_latency_ns, r.read_pct, "
    "r.utilization_pct, r.llc_mpki, r.active_cores, r.time_us FROM plan p JOIN points q USING(key) "
    "LEFT JOIN configs c USING(config) LEFT JOIN results r USING(key) LEFT JOIN timing t "
    "USING(key) LEFT JOIN windows w USING(key) "
    "ORDER BY p.ordinal";

typedef struct view {
    pn_report *report;
    pn_answer points;
    size_t trace, state, model, ipc, bandwidth, latency, read_pct, utilization, mpki, seconds;
    size_t labels[LABELS_MAX]; /* columns axis_* other than the model's */
    size_t n_labels;
    double *scratch; /* room for one number per point */
} view;

static bool done(const view *v, size_t row)
{
    return pn_answer_number(&v->points, row, v->state) == (double)PN_POINT_DONE;
}

static double number(const view *v, size_t row, size_t column)
{
    return pn_answer_number(&v->points, row, column);
}

static const char *text_of(const view *v, size_t row, size_t column)
{
    return pn_answer_text(&v->points, row, column);
}

static const char *axis_name(const view *v, size_t column)
{
    return v->points.names[column] + strlen("axis_");
}

/* "redis, load=heavy, l1d_mshrs=24" */
static void describe_point(char text[LABEL_TEXT], const view *v, size_t row)
{
    size_t used = (size_t)snprintf(text, LABEL_TEXT, "%s", text_of(v, row, v->trace));
    for (size_t i = 0; i < v->n_labels && used < LABEL_TEXT; i++)
        used += (size_t)snprintf(text + used, LABEL_TEXT - used, ", %s=%s",
                                 axis_name(v, v->labels[i]), text_of(v, row, v->labels[i]));
}

static void find_columns(view *v)
{
    const pn_answer *a = &v->points;
    v->trace = pn_answer_column(a, "trace");
    v->state = pn_answer_column(a, "state");
    v->model = pn_answer_column(a, "axis_model");
    if (v->model == a->columns)
        v->model = pn_answer_column(a, "point_model");
    v->ipc = pn_answer_column(a, "ipc");
    v->bandwidth = pn_answer_column(a, "bandwidth_gbs");
    v->latency = pn_answer_column(a, "read_latency_ns");
    v->read_pct = pn_answer_column(a, "read_pct");
    v->utilization = pn_answer_column(a, "utilization_pct");
    v->mpki = pn_answer_column(a, "llc_mpki");
    v->seconds = pn_answer_column(a, "seconds");
    for (size_t i = 0; i < a->columns && v->n_labels < LABELS_MAX; i++)
        if (!strncmp(a->names[i], "axis_", 5) && i != v->model)
            v->labels[v->n_labels++] = i;
}

/* ---- groups ---- */

/* Is this row the first of its value in a column? Points are few enough for the square of them:
 * values of one column repeat early. */
static bool first_of(const view *v, size_t row, size_t column)
{
    for (size_t i = 0; i < row; i++)
        if (!strcmp(text_of(v, i, column), text_of(v, row, column)))
            return false;
    return true;
}

static size_t distinct(const view *v, size_t column)
{
    size_t count = 0;
    for (size_t i = 0; i < v->points.rows; i++)
        count += first_of(v, i, column);
    return count;
}

/* Values of a metric over the done points with column == the value of row `like`. */
static size_t gather(const view *v, size_t metric, size_t column, size_t like)
{
    size_t count = 0;
    for (size_t i = 0; i < v->points.rows; i++) {
        double x = number(v, i, metric);
        if (done(v, i) && isfinite(x) && !strcmp(text_of(v, i, column), text_of(v, like, column)))
            v->scratch[count++] = x;
    }
    return count;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return count ? sum / (double)count : (double)NAN;
}

/* ---- headline and facts ---- */

static void add_headline(view *v)
{
    static const char *const HEADINGS[] = {"model",
                                           "points",
                                           "IPC, mean",
                                           "bandwidth, GB/s",
                                           "share of peak, %",
                                           "read latency, ns",
                                           "run time, s/point"};
    const size_t metrics[] = {v->ipc, v->bandwidth, v->utilization, v->latency, v->seconds};
    static const int DECIMALS[] = {4, 3, 2, 2, 3};
    pn_sheet *sheet = pn_report_sheet(v->report, "Means over all points, per model", 7);
    for (size_t i = 0; i < 7; i++)
        pn_sheet_cell(v->report, sheet, HEADINGS[i]);
    for (size_t row = 0; row < v->points.rows; row++) {
        if (!first_of(v, row, v->model))
            continue;
        pn_sheet_cell(v->report, sheet, text_of(v, row, v->model));
        pn_sheet_number(v->report, sheet, (double)gather(v, v->ipc, v->model, row), 0);
        for (size_t m = 0; m < 5; m++) {
            size_t count = gather(v, metrics[m], v->model, row);
            pn_sheet_number(v->report, sheet, mean_of(v->scratch, count), DECIMALS[m]);
        }
    }
}

static void add_failures(view *v)
{
    size_t message = pn_answer_column(&v->points, "message");
    pn_sheet *sheet = NULL;
    for (size_t row = 0; row < v->points.rows; row++) {
        char label[LABEL_TEXT];
        if (number(v, row, v->state) != (double)PN_POINT_FAILED)
            continue;
        if (!sheet) {
            sheet = pn_report_sheet(v->report, "Points that failed", 3);
            pn_sheet_cell(v->report, sheet, "point");
            pn_sheet_cell(v->report, sheet, "model");
            pn_sheet_cell(v->report, sheet, "message");
        }
        describe_point(label, v, row);
        pn_sheet_cell(v->report, sheet, label);
        pn_sheet_cell(v->report, sheet, text_of(v, row, v->model));
        pn_sheet_cell(v->report, sheet, text_of(v, row, message));
    }
}

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

/* ---- plots of points ---- */

static void add_scatter(view *v)
{
    pn_plot *plot = pn_report_plot(v->report, "scatter", "Latency against bandwidth",
                                   "One mark per point: mean memory latency of reads over the "
                                   "bandwidth of one core. Tooltips name the trace.");
    pn_plot_x(plot, "bandwidth", "GB/s", PN_SCALE_LINEAR);
    pn_plot_y(plot, "read latency", "ns", PN_SCALE_LINEAR);
    for (size_t row = 0; row < v->points.rows; row++) {
        char label[LABEL_TEXT + 32];
        if (!done(v, row))
            continue;
        pn_series *series = pn_plot_series(plot, text_of(v, row, v->model), PN_SERIES_SCATTER);
        describe_point(label, v, row);
        size_t used = strlen(label);
        (void)snprintf(label + used, sizeof label - used, ", %.4g %% reads",
                       number(v, row, v->read_pct));
        pn_series_point(plot, series, number(v, row, v->bandwidth), number(v, row, v->latency),
                        label);
    }
}

static void add_box(view *v, const char *id, const char *title, size_t metric, const char *name,
                    const char *unit)
{
    pn_plot *plot = pn_report_plot(v->report, id, title,
                                   "Per model over all its points: least, quartiles, median, "
                                   "greatest.");
    pn_plot_x(plot, "model", "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, name, unit, PN_SCALE_LINEAR);
    pn_series *series = pn_plot_series(plot, name, PN_SERIES_BOX);
    for (size_t row = 0; row < v->points.rows; row++) {
        if (!first_of(v, row, v->model))
            continue;
        size_t count = gather(v, metric, v->model, row);
        double x = (double)pn_plot_category(plot, text_of(v, row, v->model));
        if (series && count)
            pn_series_box(plot, series, x, v->scratch, count);
    }
}

/* One bar per trace and model: the mean over loads and axes, the error bar their whole range. */
static void add_workloads(view *v)
{
    pn_plot *plot = pn_report_plot(v->report, "workloads", "IPC of the traces",
                                   "Mean over all other settings; the error bar is the range that "
                                   "they span.");
    pn_plot_x(plot, "trace", "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, "IPC", "", PN_SCALE_LINEAR);
    for (size_t row = 0; row < v->points.rows; row++) {
        size_t count = 0;
        double low = 0.0, high = 0.0;
        bool seen = false;
        for (size_t i = 0; i < v->points.rows && !seen; i++) {
            double ipc = number(v, i, v->ipc);
            if (strcmp(text_of(v, i, v->trace), text_of(v, row, v->trace)) != 0 ||
                strcmp(text_of(v, i, v->model), text_of(v, row, v->model)) != 0)
                continue;
            seen = i < row;
            if (!done(v, i) || !isfinite(ipc))
                continue;
            low = count == 0 || ipc < low ? ipc : low;
            high = count == 0 || ipc > high ? ipc : high;
            v->scratch[count++] = ipc;
        }
        if (seen || count == 0)
            continue;
        double x = (double)pn_plot_category(plot, text_of(v, row, v->trace));
        pn_series *series = pn_plot_series(plot, text_of(v, row, v->model), PN_SERIES_BAR);
        pn_series_range(plot, series, x, mean_of(v->scratch, count), low, high,
                        text_of(v, row, v->trace));
    }
}

/* ---- sensitivities ---- */

/* The point that differs from `row` in `axis` alone, where it has the axis' first value. */
static size_t baseline_of(const view *v, size_t row, size_t axis)
{
    const pn_answer *a = &v->points;
    for (size_t i = 0; i < a->rows; i++) {
        bool same = !strcmp(text_of(v, i, v->trace), text_of(v, row, v->trace)) &&
                    !strcmp(text_of(v, i, v->model), text_of(v, row, v->model));
        for (size_t k = 0; k < v->n_labels && same; k++)
            same = v->labels[k] == axis ||
                   !strcmp(text_of(v, i, v->labels[k]), text_of(v, row, v->labels[k]));
        if (same && !strcmp(text_of(v, i, axis), text_of(v, 0, axis)))
            return i;
    }
    return a->rows;
}

/* Mean change of a trace's IPC, in percent, at one value of the axis, over all other settings. */
static double change_pct(const view *v, const size_t *baselines, size_t axis, size_t trace_row,
                         size_t value_row)
{
    size_t count = 0;
    for (size_t i = 0; i < v->points.rows; i++) {
        size_t base = baselines[i];
        if (base == v->points.rows || !done(v, i) || !done(v, base) ||
            strcmp(text_of(v, i, v->trace), text_of(v, trace_row, v->trace)) != 0 ||
            strcmp(text_of(v, i, axis), text_of(v, value_row, axis)) != 0)
            continue;
        v->scratch[count++] = 100.0 * (number(v, i, v->ipc) / number(v, base, v->ipc) - 1.0);
    }
    return mean_of(v->scratch, count);
}

static void add_sensitivity(view *v, size_t axis)
{
    char id[64], title[160];
    const char *name = axis_name(v, axis);
    size_t *baselines = malloc((v->points.rows + 1) * sizeof *baselines);
    if (!baselines) {
        v->report->failed = true;
        return;
    }
    for (size_t i = 0; i < v->points.rows; i++)
        baselines[i] = baseline_of(v, i, axis);
    (void)snprintf(id, sizeof id, "sensitivity-%.40s", name);
    for (char *c = id; *c; c++)
        *c = *c == '_' || *c == '.' ? '-' : *c;
    (void)snprintf(title, sizeof title, "IPC against %.100s", name);
    pn_plot *plot = pn_report_plot(v->report, id, title,
                                   "Change of IPC against the first value, one line per trace, "
                                   "mean over all other settings. Dotted: 3 %.");
    pn_plot_x(plot, name, "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, "change of IPC", "%", PN_SCALE_LINEAR);
    pn_plot_threshold(plot, THRESHOLD_PCT, "+3 %");
    pn_plot_threshold(plot, -THRESHOLD_PCT, "-3 %");
    for (size_t t = 0; t < v->points.rows; t++) {
        if (!first_of(v, t, v->trace))
            continue;
        pn_series *series = pn_plot_series(plot, text_of(v, t, v->trace), PN_SERIES_LINE);
        for (size_t i = 0; i < v->points.rows; i++) {
            double change = first_of(v, i, axis) ? change_pct(v, baselines, axis, t, i) : NAN;
            if (!isfinite(change))
                continue;
            double x = (double)pn_plot_category(plot, text_of(v, i, axis));
            pn_series_point(plot, series, x, change, text_of(v, t, v->trace));
        }
    }
    free(baselines);
}

/* ---- windows ---- */

/* Adds the counts of one histogram "3,0,17,..." (any separators) to sum. */
static size_t add_counts(double *sum, size_t room, const char *text)
{
    size_t bins = 0;
    while (*text && bins < room) {
        double count;
        size_t used = pn_num_parse(text, &count);
        if (used)
            sum[bins++] += count;
        text += used ? used : 1;
    }
    return bins;
}

static void add_windows(view *v)
{
    size_t column = pn_answer_column(&v->points, "bins");
    size_t width = pn_answer_column(&v->points, "bin_gbs");
    pn_plot *plot = NULL;
    for (size_t row = 0; row < v->points.rows; row++) {
        double sum[PN_TAP_BINS] = {0.0};
        double total = 0.0;
        size_t bins = 0;
        double gbs = (double)NAN;
        if (!first_of(v, row, v->model))
            continue;
        for (size_t i = 0; i < v->points.rows; i++) {
            if (strcmp(text_of(v, i, v->model), text_of(v, row, v->model)) != 0)
                continue;
            size_t got = add_counts(sum, PN_TAP_BINS, text_of(v, i, column));
            bins = got > bins ? got : bins;
            gbs = isfinite(gbs) ? gbs : number(v, i, width);
        }
        for (size_t b = 0; b < bins; b++)
            total += sum[b];
        if (total <= 0.0 || !isfinite(gbs))
            continue;
        if (!plot) {
            plot = pn_report_plot(v->report, "windows", "Bandwidth of short windows",
                                  "Share of windows of equal length per bandwidth, all points of a "
                                  "model together, in steps of a 48th of the share's peak.");
            pn_plot_x(plot, "bandwidth over the share's peak", "%", PN_SCALE_LINEAR);
            pn_plot_y(plot, "windows", "%", PN_SCALE_LINEAR);
        }
        pn_series *series = pn_plot_series(plot, text_of(v, row, v->model), PN_SERIES_LINE);
        for (size_t b = 0; b < bins; b++)
            pn_series_point(plot, series, ((double)b + 0.5) / 0.48, 100.0 * sum[b] / total, NULL);
    }
}

/* ---- curves ---- */

static panem_status add_curve_set(pn_report *report, const char *csv, const char *path,
                                  const char *prefix, panem_error *err)
{
    panem_curves_options options = PANEM_CURVES_OPTIONS_INIT;
    pn_rawset raw;
    panem_curves *set = NULL;
    pn_rawset_init(&raw, NULL);
    panem_status status = pn_csv_parse(&raw, csv, strlen(csv), path, err);
    pn_verdict *verdicts = calloc(raw.count + 1, sizeof *verdicts);
    if (status == PANEM_OK && !verdicts)
        status = pn_err(err, PANEM_E_NOMEM, "no memory for the plots");
    if (status == PANEM_OK)
        status = pn_curves_build_verdicts(&set, verdicts, &raw, &options, err);
    if (status == PANEM_OK)
        pn_report_curves(report, &raw, set, verdicts, prefix);
    panem_curves_destroy(set);
    free(verdicts);
    pn_rawset_release(&raw);
    return status;
}

/* What the machine of a point adds to a memory latency, ns: its stored parameters say. NaN when
 * this program does not know them all. */
static double on_chip_ns(const char *parameters)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_sim_spec spec = {.assignments = parameters};
    pn_core_config config;
    return pn_sim_configure(&config, &spec, &err) == PANEM_OK ? pn_core_on_chip_ns(&config)
                                                              : (double)NAN;
}

/* Curves as lines without marks. */
static void draw_behind(pn_plot *plot, const char *csv, const char *path)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    panem_status status = pn_csv_parse(&raw, csv, strlen(csv), path, &err);
    for (size_t i = 0; i < raw.count && status == PANEM_OK; i++) {
        const pn_raw_point *p = &raw.points[i];
        char name[48];
        (void)snprintf(name, sizeof name, "curve, %.4g %% reads", 100.0 * p->read_frac);
        pn_series *series = pn_plot_series(plot, name, PN_SERIES_LINE);
        if (!series)
            break;
        (void)snprintf(series->color, sizeof series->color, "#9a9a9a");
        series->size_px = 0.0;
        pn_series_point(plot, series, p->bandwidth_gbs, p->latency_ns, NULL);
    }
    pn_rawset_release(&raw);
}

/* Points of the first curve set over that set: bandwidth of the whole chip, and the latency a load
 * sees with the on-chip part added again, which is what the curve was measured as. */
static void add_response(view *v, const pn_answer *sets)
{
    size_t fingerprint = pn_answer_column(&v->points, "curves");
    size_t parameters = pn_answer_column(&v->points, "parameters");
    size_t cores = pn_answer_column(&v->points, "active_cores");
    if (sets->rows == 0)
        return;
    pn_plot *plot = pn_report_plot(
        v->report, "response", "Answers of the models over the curve",
        "One mark per point: read latency with the on-chip part, over the bandwidth of all busy "
        "cores; grey: the curve set as measured.");
    if (!plot)
        return;
    pn_plot_x(plot, "bandwidth of the chip", "GB/s", PN_SCALE_LINEAR);
    pn_plot_y(plot, "latency", "ns", PN_SCALE_LINEAR);
    size_t colour = 0;
    for (size_t row = 0; row < v->points.rows; row++) {
        char label[LABEL_TEXT];
        if (!done(v, row) || strcmp(text_of(v, row, fingerprint), pn_answer_text(sets, 0, 2)) != 0)
            continue;
        size_t before = plot->series_count;
        pn_series *series = pn_plot_series(plot, text_of(v, row, v->model), PN_SERIES_SCATTER);
        if (!series)
            return;
        if (plot->series_count > before)
            pn_color_category(series->color, colour++);
        describe_point(label, v, row);
        pn_series_point(plot, series, number(v, row, v->bandwidth) * number(v, row, cores),
                        number(v, row, v->latency) + on_chip_ns(text_of(v, row, parameters)),
                        label);
    }
    if (plot)
        draw_behind(plot, pn_answer_text(sets, 0, 1), pn_answer_text(sets, 0, 0));
}

static panem_status add_curves(view *v, const pn_answer *sets, panem_error *err)
{
    for (size_t i = 0; i < sets->rows && i < CURVE_SETS_MAX; i++) {
        char prefix[32] = "curves-";
        if (sets->rows > 1)
            (void)snprintf(prefix, sizeof prefix, "curves-%zu-", i + 1);
        PN_TRY(add_curve_set(v->report, pn_answer_text(sets, i, 1), pn_answer_text(sets, i, 0),
                             prefix, err));
    }
    return PANEM_OK;
}

static panem_status add_sets(view *v, pn_store *store, panem_error *err)
{
    pn_answer sets = {0};
    panem_status status = pn_answer_fetch(
        &sets, store, "SELECT path, csv, fingerprint FROM curves ORDER BY fingerprint", err);
    if (status == PANEM_OK)
        status = add_curves(v, &sets, err);
    if (status == PANEM_OK)
        add_response(v, &sets);
    pn_answer_release(&sets);
    return status;
}

/* ---- all of it ---- */

static void add_plots(view *v)
{
    add_scatter(v);
    add_box(v, "box-bandwidth", "Bandwidth per model", v->bandwidth, "bandwidth", "GB/s");
    add_box(v, "box-latency", "Read latency per model", v->latency, "read latency", "ns");
    add_workloads(v);
    for (size_t i = 0; i < v->n_labels; i++)
        if (distinct(v, v->labels[i]) > 1)
            add_sensitivity(v, v->labels[i]);
    add_windows(v);
    add_box(v, "box-run-time", "Run time per model", v->seconds, "run time", "s");
}

static panem_status fill(view *v, pn_store *store, panem_error *err)
{
    size_t count = 0;
    PN_TRY(pn_answer_fetch(&v->points, store, POINTS, err));
    find_columns(v);
    v->scratch = calloc(v->points.rows + 1, sizeof *v->scratch);
    if (!v->scratch)
        return pn_err(err, PANEM_E_NOMEM, "no memory for the report");
    for (size_t i = 0; i < v->points.rows; i++)
        count += done(v, i);
    if (count == 0)
        return pn_err(err, PANEM_E_RANGE, "no point is done yet: panem sweep run first");
    add_headline(v);
    add_failures(v);
    PN_TRY(add_sets(v, store, err));
    add_plots(v);
    PN_TRY(add_all_facts(v->report, store, err));
    return v->report->failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the report") : PANEM_OK;
}

panem_status pn_report_study(pn_report *report, const char *folder, panem_error *err)
{
    pn_store *store = NULL;
    view v = {.report = report};
    PN_TRY(pn_store_open(&store, folder, PN_STORE_READ, err));
    panem_status status = fill(&v, store, err);
    pn_answer_release(&v.points);
    free(v.scratch);
    pn_store_close(store);
    return status;
}
