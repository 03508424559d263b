/* ratios.c - points against their partners: ratios to the model that the study compares with, and
 * sensitivities to every axis.
 *
 * A partner is equal in everything but one thing (the model, an axis). Ratios are averaged
 * geometrically, weighed by their traces' weights. Ratios of numbers that are not above 0 are left
 * out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/view.h"

/* More traces than this would be more lines than anyone can tell apart: boxes show them then. */
enum { LINES_MAX = 16 };

static double ratio_of(const double *numbers, size_t row, size_t partner)
{
    double a = numbers[row];
    double b = numbers[partner];
    return isfinite(a) && isfinite(b) && a > 0.0 && b > 0.0 ? a / b : (double)NAN;
}

typedef struct choice {
    const pn_column *against; /* what the partner differs in */
    uint32_t base;            /* and the value it has there */
    const pn_column *a, *b;   /* the rows: a == a_value and b == b_value; NULL: any */
    uint32_t a_value, b_value;
} choice;

static bool chosen(const choice *c, size_t row)
{
    return (!c->a || c->a->of[row] == c->a_value) && (!c->b || c->b->of[row] == c->b_value);
}

/* Ratios of the chosen rows to their partners, into scratch. */
static size_t gather_ratios(pn_view *v, const double *numbers, const choice *c)
{
    size_t count = 0;
    for (size_t row = 0; row < v->rows; row++) {
        if (!v->done[row] || !chosen(c, row))
            continue;
        size_t partner = pn_view_partner(v, row, c->against, c->base);
        double ratio = partner < v->rows ? ratio_of(numbers, row, partner) : (double)NAN;
        if (!isfinite(ratio))
            continue;
        v->values[count] = ratio;
        v->shares[count++] = v->weight[row];
    }
    return count;
}

size_t pn_view_ratios(pn_view *v, const double *numbers, uint32_t model)
{
    const choice all = {&v->model, (uint32_t)v->baseline, &v->model, NULL, model, 0};
    return v->baseline < v->model.count ? gather_ratios(v, numbers, &all) : 0;
}

static double percent(double ratio)
{
    return 100.0 * (ratio - 1.0);
}

static void add_thresholds(const pn_view *v, pn_plot *plot)
{
    char label[48];
    if (!(v->threshold_pct > 0.0))
        return;
    (void)snprintf(label, sizeof label, "+%.4g %%", v->threshold_pct);
    pn_plot_threshold(plot, v->threshold_pct, label);
    label[0] = '-';
    pn_plot_threshold(plot, -v->threshold_pct, label);
}

/* ---- against a model ------------------------------------------------------------------------- */

/* The scratch's ratios as one bar, with their range as error bar. */
static void add_bar(pn_view *v, pn_plot *plot, uint32_t model, const char *category, size_t count)
{
    char label[64];
    double low = v->values[0];
    double high = v->values[0];
    for (size_t i = 1; i < count; i++) {
        low = v->values[i] < low ? v->values[i] : low;
        high = v->values[i] > high ? v->values[i] : high;
    }
    (void)snprintf(label, sizeof label, "%zu pairs of points", count);
    pn_series_range(plot, pn_plot_model(v, plot, model, PN_SERIES_BAR),
                    (double)pn_plot_category(plot, category), percent(pn_view_geomean(v, count)),
                    percent(low), percent(high), label);
}

void pn_plot_ratio(pn_view *v, const char *metric)
{
    char id[64], title[160], axis[160];
    pn_words words = pn_view_words(metric);
    const double *numbers = pn_view_numbers(v, metric);
    if (v->baseline == v->model.count || !numbers)
        return;
    pn_plot_id(id, "ratio", strcmp(metric, "ipc") == 0 ? "" : metric);
    (void)snprintf(title, sizeof title, "%s against %s", words.name, v->compare);
    pn_plot *plot = pn_plot_once(v, id, title,
                                 "Difference to the point that has the other model and is equal in "
                                 "all else: geometric mean per trace; the error bar is the range "
                                 "over all other settings.");
    (void)snprintf(axis, sizeof axis, "%s, difference to %s", words.name, v->compare);
    pn_plot_x(plot, "trace", "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, axis, "%", PN_SCALE_LINEAR);
    add_thresholds(v, plot);
    for (uint32_t i = 0; i <= v->trace.count && plot; i++) {
        bool all = i == 0;
        uint32_t t = all ? 0 : i - 1;
        for (uint32_t m = 0; m < v->model.count; m++) {
            const choice own = {
                &v->model, (uint32_t)v->baseline, &v->model, all ? NULL : &v->trace, m, t};
            size_t count = m == v->baseline ? 0 : gather_ratios(v, numbers, &own);
            if (count && !(all && v->trace.count == 1))
                add_bar(v, plot, m, all ? "all traces" : v->trace.values[t], count);
        }
    }
}

/* ---- along an axis --------------------------------------------------------------------------- */

static double change_pct(pn_view *v, const double *numbers, const pn_column *axis, uint32_t value,
                         const pn_column *group, uint32_t member)
{
    const choice own = {axis, 0, axis, group, value, member};
    size_t count = gather_ratios(v, numbers, &own);
    return count ? percent(pn_view_geomean(v, count)) : (double)NAN;
}

static void add_lines(pn_view *v, pn_plot *plot, const double *numbers, const pn_column *axis,
                      const pn_column *group)
{
    for (uint32_t g = 0; g < group->count; g++) {
        for (uint32_t i = 0; i < axis->count; i++) {
            double change = change_pct(v, numbers, axis, i, group, g);
            double x = (double)pn_plot_category(plot, axis->values[i]);
            pn_series *series = group == &v->model
                                    ? pn_plot_model(v, plot, g, PN_SERIES_LINE)
                                    : pn_plot_series(plot, group->values[g], PN_SERIES_LINE);
            if (isfinite(change))
                pn_series_point(plot, series, x, change, NULL);
        }
    }
}

/* The spread of the traces' changes at every value. */
static void add_boxes(pn_view *v, pn_plot *plot, const double *numbers, const pn_column *axis)
{
    double changes[1024];
    pn_series *series = pn_plot_series(plot, "traces", PN_SERIES_BOX);
    for (uint32_t i = 0; i < axis->count && series; i++) {
        size_t count = 0;
        for (uint32_t t = 0; t < v->trace.count && count < sizeof changes / sizeof *changes; t++) {
            double change = change_pct(v, numbers, axis, i, &v->trace, t);
            if (isfinite(change))
                changes[count++] = change;
        }
        pn_series_box(plot, series, (double)pn_plot_category(plot, axis->values[i]), changes,
                      count);
    }
}

static pn_plot *new_sensitivity(pn_view *v, const pn_column *axis, const char *metric,
                                const char *tail, const char *note)
{
    char id[64], of[160], title[200], y[160];
    int first = (int)strcspn(axis->name, "+");
    bool usual = strcmp(metric, "ipc") == 0;
    pn_words words = pn_view_words(metric);
    (void)snprintf(of, sizeof of, "%.*s%s%s%s", first, axis->name, tail, usual ? "" : "-",
                   usual ? "" : metric);
    pn_plot_id(id, "sensitivity", of);
    (void)snprintf(title, sizeof title, "%s against %s%s", words.name, axis->name,
                   tail[0] ? ", per model" : "");
    (void)snprintf(y, sizeof y, "change of %s", words.name);
    pn_plot *plot = pn_plot_once(v, id, title, note);
    pn_plot_x(plot, axis->name, "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, y, "%", PN_SCALE_LINEAR);
    add_thresholds(v, plot);
    return plot;
}

static void add_sensitivity(pn_view *v, const pn_column *axis, const char *metric,
                            const double *numbers)
{
    bool many = v->trace.count > LINES_MAX;
    pn_plot *plot = new_sensitivity(
        v, axis, metric, "",
        many ? "Change against the first value, everything else equal: least, quartiles, median, "
               "greatest of the traces. Dotted: the threshold."
             : "Change against the first value, everything else equal: one line per trace, "
               "geometric mean over all other settings. Dotted: the threshold.");
    if (plot && many)
        add_boxes(v, plot, numbers, axis);
    else if (plot)
        add_lines(v, plot, numbers, axis, &v->trace);
    if (v->model.count < 2)
        return;
    plot = new_sensitivity(v, axis, metric, "-models",
                           "The same, one line per model of the memory, geometric mean over "
                           "all traces and settings: would another model have told otherwise?");
    if (plot)
        add_lines(v, plot, numbers, axis, &v->model);
}

void pn_plot_sensitivities(pn_view *v, const char *metric)
{
    const double *numbers = pn_view_numbers(v, metric);
    for (size_t i = 0; i < v->n_axes && numbers; i++)
        if (v->axes[i].count > 1)
            add_sensitivity(v, &v->axes[i], metric, numbers);
}
