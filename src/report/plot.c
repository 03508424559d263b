/* plot.c - see plot.h. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Okabe and Ito, "Color Universal Design" (2008), without black; grey last. */
static const uint8_t CATEGORY[][3] = {{0x00, 0x72, 0xb2}, {0xd5, 0x5e, 0x00}, {0x00, 0x9e, 0x73},
                                      {0xcc, 0x79, 0xa7}, {0xe6, 0x9f, 0x00}, {0x56, 0xb4, 0xe9},
                                      {0xb0, 0xa4, 0x20}, {0x80, 0x80, 0x80}};
static const uint8_t RAMP[][3] = {
    {0x2c, 0x7f, 0xb8}, {0x7b, 0x6f, 0xc0}, {0xc0, 0x56, 0x8f}, {0xe0, 0x82, 0x14}};
enum {
    CATEGORIES = sizeof CATEGORY / sizeof *CATEGORY,
    RAMP_LAST = sizeof RAMP / sizeof *RAMP - 1
};

static void hex(char color[8], const uint8_t rgb[3])
{
    (void)snprintf(color, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

void pn_color_category(char color[8], size_t index)
{
    hex(color, CATEGORY[index % CATEGORIES]);
}

void pn_color_ramp(char color[8], double at)
{
    double x = at > 0.0 ? (at < 1.0 ? at : 1.0) * RAMP_LAST : 0.0;
    size_t i = (size_t)x < RAMP_LAST ? (size_t)x : RAMP_LAST - 1;
    uint8_t rgb[3];
    for (int c = 0; c < 3; c++) {
        double from = RAMP[i][c];
        rgb[c] = (uint8_t)(from + (RAMP[i + 1][c] - from) * (x - (double)i) + 0.5);
    }
    hex(color, rgb);
}

/* ---- memory ---- */

static char *copy(bool *failed, const char *text)
{
    char *s = strdup(text ? text : "");
    if (!s)
        *failed = true;
    return s;
}

/* One more element at the end of an array; NULL, and failed, when there is no memory. */
static void *grow(bool *failed, void *array, size_t count, size_t size)
{
    void *p = *failed ? NULL : realloc(array, (count + 1) * size);
    if (!p)
        *failed = true;
    return p;
}

void pn_report_init(pn_report *report, const char *title)
{
    memset(report, 0, sizeof *report);
    report->title = copy(&report->failed, title);
}

void pn_report_title(pn_report *report, const char *title)
{
    if (!title[0])
        return;
    free(report->title);
    report->title = copy(&report->failed, title);
}

static void release_axis(pn_axis *axis)
{
    for (size_t i = 0; i < axis->category_count; i++)
        free(axis->categories[i]);
    free(axis->categories);
    free(axis->name);
    free(axis->unit);
}

static void release_series(pn_series *series)
{
    for (size_t i = 0; i < series->count; i++)
        free(series->points[i].label);
    free(series->points);
    free(series->name);
    free(series);
}

static void release_plot(pn_plot *plot)
{
    for (size_t i = 0; i < plot->series_count; i++)
        release_series(plot->series[i]);
    for (size_t i = 0; i < plot->threshold_count; i++)
        free(plot->thresholds[i].label);
    release_axis(&plot->x);
    release_axis(&plot->y);
    free(plot->series);
    free(plot->thresholds);
    free(plot->id);
    free(plot->title);
    free(plot->note);
    free(plot);
}

void pn_report_release(pn_report *report)
{
    for (size_t i = 0; i < report->fact_count; i++) {
        free(report->facts[i].section);
        free(report->facts[i].name);
        free(report->facts[i].value);
    }
    for (size_t i = 0; i < report->sheet_count; i++) {
        for (size_t c = 0; c < report->sheets[i].filled; c++)
            free(report->sheets[i].cells[c]);
        free(report->sheets[i].cells);
        free(report->sheets[i].title);
    }
    for (size_t i = 0; i < report->plot_count; i++)
        release_plot(report->plots[i]);
    free(report->facts);
    free(report->sheets);
    free(report->plots);
    free(report->title);
    memset(report, 0, sizeof *report);
}

/* ---- facts and tables ---- */

void pn_report_fact(pn_report *report, const char *section, const char *name, const char *value)
{
    pn_fact *facts =
        grow(&report->failed, report->facts, report->fact_count, sizeof *report->facts);
    if (!facts)
        return;
    report->facts = facts;
    facts[report->fact_count++] = (pn_fact){
        copy(&report->failed, section), copy(&report->failed, name), copy(&report->failed, value)};
}

pn_sheet *pn_report_sheet(pn_report *report, const char *title, size_t columns)
{
    pn_sheet *sheets =
        grow(&report->failed, report->sheets, report->sheet_count, sizeof *report->sheets);
    if (!sheets)
        return NULL;
    report->sheets = sheets;
    pn_sheet *sheet = &sheets[report->sheet_count++];
    *sheet = (pn_sheet){copy(&report->failed, title), NULL, columns, 0, 0};
    return sheet;
}

void pn_sheet_cell(pn_report *report, pn_sheet *sheet, const char *text)
{
    char **cells = sheet ? grow(&report->failed, sheet->cells, sheet->filled, sizeof *cells) : NULL;
    if (!cells)
        return;
    sheet->cells = cells;
    cells[sheet->filled++] = copy(&report->failed, text);
    sheet->rows = sheet->filled / sheet->columns;
}

void pn_sheet_number(pn_report *report, pn_sheet *sheet, double value, int decimals)
{
    char text[PN_NUM_TEXT_MAX] = "";
    if (isfinite(value))
        (void)pn_num_format_fixed(text, value, decimals);
    pn_sheet_cell(report, sheet, text);
}

/* ---- plots ---- */

pn_plot *pn_report_plot(pn_report *report, const char *id, const char *title, const char *note)
{
    pn_plot **plots =
        grow(&report->failed, report->plots, report->plot_count, sizeof *report->plots);
    if (!plots)
        return NULL;
    report->plots = plots;
    pn_plot *plot = calloc(1, sizeof *plot);
    if (!plot) {
        report->failed = true;
        return NULL;
    }
    plots[report->plot_count++] = plot;
    plot->failed = &report->failed;
    plot->left_out = &report->left_out;
    plot->id = copy(plot->failed, id);
    plot->title = copy(plot->failed, title);
    plot->note = copy(plot->failed, note);
    return plot;
}

static void set_axis(pn_plot *plot, pn_axis *axis, const char *name, const char *unit,
                     pn_scale scale)
{
    free(axis->name);
    free(axis->unit);
    axis->name = copy(plot->failed, name);
    axis->unit = copy(plot->failed, unit);
    axis->scale = scale;
}

void pn_plot_x(pn_plot *plot, const char *name, const char *unit, pn_scale scale)
{
    if (plot)
        set_axis(plot, &plot->x, name, unit, scale);
}

void pn_plot_y(pn_plot *plot, const char *name, const char *unit, pn_scale scale)
{
    if (plot)
        set_axis(plot, &plot->y, name, unit, scale);
}

size_t pn_plot_category(pn_plot *plot, const char *name)
{
    if (!plot)
        return 0;
    pn_axis *axis = &plot->x;
    for (size_t i = 0; i < axis->category_count; i++)
        if (axis->categories[i] && !strcmp(axis->categories[i], name))
            return i;
    char **all = grow(plot->failed, axis->categories, axis->category_count, sizeof *all);
    if (!all)
        return 0;
    axis->categories = all;
    all[axis->category_count] = copy(plot->failed, name);
    return axis->category_count++;
}

void pn_plot_threshold(pn_plot *plot, double y, const char *label)
{
    pn_threshold *all =
        plot ? grow(plot->failed, plot->thresholds, plot->threshold_count, sizeof *all) : NULL;
    if (!all)
        return;
    plot->thresholds = all;
    all[plot->threshold_count++] = (pn_threshold){y, copy(plot->failed, label)};
}

pn_series *pn_plot_series(pn_plot *plot, const char *name, pn_series_kind kind)
{
    if (!plot)
        return NULL;
    for (size_t i = 0; i < plot->series_count; i++)
        if (plot->series[i]->name && !strcmp(plot->series[i]->name, name))
            return plot->series[i];
    pn_series **all = grow(plot->failed, plot->series, plot->series_count, sizeof(pn_series *));
    if (!all)
        return NULL;
    plot->series = all;
    pn_series *series = calloc(1, sizeof *series);
    if (!series) {
        *plot->failed = true;
        return NULL;
    }
    series->name = copy(plot->failed, name);
    series->kind = kind;
    series->size_px = 6.0;
    pn_color_category(series->color, plot->series_count);
    all[plot->series_count++] = series;
    return series;
}

static void add_point(pn_plot *plot, pn_series *series, const pn_plot_point *point,
                      const char *label)
{
    if (!plot || !series)
        return;
    if (!isfinite(point->x) || !isfinite(point->y) || !isfinite(point->low) ||
        !isfinite(point->high)) {
        (*plot->left_out)++;
        return;
    }
    if (series->count == series->capacity) {
        size_t more = series->capacity ? 2 * series->capacity : 16;
        pn_plot_point *points = grow(plot->failed, series->points, more, sizeof *points);
        if (!points)
            return;
        series->points = points;
        series->capacity = more;
    }
    pn_plot_point *p = &series->points[series->count++];
    *p = *point;
    p->label = label ? copy(plot->failed, label) : NULL;
}

void pn_series_point(pn_plot *plot, pn_series *series, double x, double y, const char *label)
{
    pn_series_range(plot, series, x, y, y, y, label);
}

void pn_series_range(pn_plot *plot, pn_series *series, double x, double y, double low, double high,
                     const char *label)
{
    pn_plot_point p = {x, y, low, high, y, y, NULL};
    add_point(plot, series, &p, label);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(const double *sorted, size_t count, double fraction)
{
    double at = fraction * (double)(count - 1);
    size_t i = (size_t)at;
    return i + 1 < count ? sorted[i] + (sorted[i + 1] - sorted[i]) * (at - (double)i)
                         : sorted[count - 1];
}

void pn_series_box(pn_plot *plot, pn_series *series, double x, double *values, size_t count)
{
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, rising);
    char label[48];
    (void)snprintf(label, sizeof label, "%zu values", count);
    pn_plot_point p = {x,
                       quantile(values, count, 0.5),
                       values[0],
                       values[count - 1],
                       quantile(values, count, 0.25),
                       quantile(values, count, 0.75),
                       NULL};
    add_point(plot, series, &p, label);
}

static bool is_empty(const pn_plot *plot)
{
    for (size_t i = 0; i < plot->series_count; i++)
        if (plot->series[i]->count > 0)
            return false;
    return true;
}

void pn_report_drop_empty(pn_report *report)
{
    size_t kept = 0;
    for (size_t i = 0; i < report->plot_count; i++) {
        pn_plot *plot = report->plots[i];
        if (!is_empty(plot)) {
            report->plots[kept++] = plot;
            continue;
        }
        pn_report_fact(report, "Study", "no data for the plot", plot->id);
        release_plot(plot);
    }
    report->plot_count = kept;
}

const pn_plot *pn_report_find(const pn_report *report, const char *id)
{
    for (size_t i = 0; i < report->plot_count; i++)
        if (report->plots[i]->id && !strcmp(report->plots[i]->id, id))
            return report->plots[i];
    return NULL;
}
