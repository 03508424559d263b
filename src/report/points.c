/* points.c - plots of points one by one and in groups: scatters, boxes, bars with error bars. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/view.h"

/* Parts of the CPI stack from the bottom up, with colours that stay apart: nine are more than the
 * palette has. */
static const struct {
    const char *metric, *name, *color;
} CPI[] = {{"cpi_base", "base", "#9a9a9a"},
           {"cpi_branch", "branches", "#e69f00"},
           {"cpi_fetch", "fetch", "#b0a420"},
           {"cpi_l1", "L1D", "#56b4e9"},
           {"cpi_l2", "L2", "#009e73"},
           {"cpi_llc", "LLC", "#7b6fc0"},
           {"cpi_tlb", "page walks", "#cc79a7"},
           {"cpi_memory_latency", "memory, latency", "#0072b2"},
           {"cpi_memory_bandwidth", "memory, bandwidth", "#d55e00"}};
enum { CPI_PARTS = sizeof CPI / sizeof *CPI };

/* Shares of reads are drawn in steps of ten percent. */
enum { SHARES = 10 };

static void scatter_axes(pn_view *v, pn_plot *plot)
{
    pn_plot_x(plot, "bandwidth", "GB/s", PN_SCALE_LINEAR);
    pn_plot_y(plot, "read latency", "ns", pn_view_scale(v, "read_latency_ns"));
}

/* One mark; its tooltip names the point. */
static void add_mark(pn_view *v, pn_plot *plot, pn_series *series, size_t row, bool with_model)
{
    char label[PN_VIEW_LABEL + 32];
    const double *x = pn_view_numbers(v, "bandwidth_gbs");
    const double *y = pn_view_numbers(v, "read_latency_ns");
    const double *reads = pn_view_numbers(v, "read_pct");
    if (!x || !y || !reads)
        return;
    pn_view_describe(label, v, row, with_model);
    size_t used = strlen(label);
    (void)snprintf(label + used, sizeof label - used, ", %.4g %% reads", reads[row]);
    pn_series_point(plot, series, x[row], y[row], label);
}

void pn_plot_scatter(pn_view *v)
{
    pn_plot *plot = pn_plot_once(v, "scatter", "Latency against bandwidth",
                                 "One mark per point, coloured by model: mean memory latency of "
                                 "reads over the bandwidth of one core. Tooltips name the trace.");
    scatter_axes(v, plot);
    for (size_t row = 0; row < v->rows && plot; row++)
        if (v->done[row])
            add_mark(v, plot, pn_plot_model(v, plot, v->model.of[row], PN_SERIES_SCATTER), row,
                     false);
}

static int step_of(double percent)
{
    int step = (int)(percent / (100.0 / SHARES));
    return step < SHARES ? step : SHARES - 1;
}

void pn_plot_scatter_reads(pn_view *v)
{
    const double *reads = pn_view_numbers(v, "read_pct");
    pn_plot *plot = pn_plot_once(v, "scatter-reads", "Latency against bandwidth, by share of reads",
                                 "The same marks, coloured by the share of reads in the lines that "
                                 "crossed the memory's door.");
    scatter_axes(v, plot);
    for (int step = 0; step < SHARES && plot && reads; step++) {
        for (size_t row = 0; row < v->rows; row++) {
            char name[48];
            if (!isfinite(reads[row]) || step_of(reads[row]) != step)
                continue;
            (void)snprintf(name, sizeof name, "%d .. %d %% reads", step * 100 / SHARES,
                           (step + 1) * 100 / SHARES);
            pn_series *series = pn_plot_series(plot, name, PN_SERIES_SCATTER);
            if (series)
                pn_color_ramp(series->color, step / (double)(SHARES - 1));
            add_mark(v, plot, series, row, true);
        }
    }
}

void pn_plot_box(pn_view *v, const char *id, const char *metric)
{
    char title[120];
    pn_words words = pn_view_words(metric);
    const double *numbers = pn_view_numbers(v, metric);
    (void)snprintf(title, sizeof title, "%s per model", words.name);
    if (title[0] >= 'a' && title[0] <= 'z' && !strchr(words.name, '_'))
        title[0] = (char)(title[0] - 'a' + 'A');
    pn_plot *plot = pn_plot_once(v, id, title,
                                 "Per model over all its points: least, quartiles, median, "
                                 "greatest.");
    pn_plot_x(plot, "model", "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, words.name, words.unit,
              strcmp(words.unit, "ns") == 0 ? pn_view_scale(v, metric) : PN_SCALE_LINEAR);
    pn_series *series = pn_plot_series(plot, words.name, PN_SERIES_BOX);
    for (uint32_t m = 0; m < v->model.count && series && numbers; m++) {
        size_t count = pn_view_gather(v, numbers, &v->model, m);
        double x = (double)pn_plot_category(plot, v->model.values[m]);
        pn_series_box(plot, series, x, v->values, count);
    }
}

typedef struct bar {
    double sum, low, high;
    size_t count;
} bar;

static void add_bars(pn_view *v, pn_plot *plot, const bar *bars)
{
    for (size_t t = 0; t < v->trace.count; t++) {
        for (uint32_t m = 0; m < v->model.count; m++) {
            const bar *b = &bars[t * v->model.count + m];
            char label[64];
            if (b->count == 0)
                continue;
            double x = (double)pn_plot_category(plot, v->trace.values[t]);
            (void)snprintf(label, sizeof label, "%zu points", b->count);
            pn_series_range(plot, pn_plot_model(v, plot, m, PN_SERIES_BAR), x,
                            b->sum / (double)b->count, b->low, b->high, label);
        }
    }
}

/* One bar per trace and model: the mean over loads and axes, the error bar their whole range. */
void pn_plot_workloads(pn_view *v, const char *metric)
{
    char id[64], title[120];
    bool usual = strcmp(metric, "ipc") == 0;
    pn_words words = pn_view_words(metric);
    const double *numbers = pn_view_numbers(v, metric);
    pn_plot_id(id, "workloads", usual ? "" : metric);
    (void)snprintf(title, sizeof title, "%s of the traces", words.name);
    pn_plot *plot = pn_plot_once(v, id, title,
                                 "Mean over all other settings; the error bar is the range that "
                                 "they span.");
    pn_plot_x(plot, "trace", "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, words.name, words.unit, PN_SCALE_LINEAR);
    bar *bars = calloc(v->trace.count * v->model.count + 1, sizeof *bars);
    if (!bars)
        v->report->failed = true;
    for (size_t row = 0; row < v->rows && bars && numbers; row++) {
        double value = numbers[row];
        if (!isfinite(value))
            continue;
        bar *b = &bars[v->trace.of[row] * v->model.count + v->model.of[row]];
        b->low = b->count == 0 || value < b->low ? value : b->low;
        b->high = b->count == 0 || value > b->high ? value : b->high;
        b->sum += value;
        b->count++;
    }
    if (plot && bars)
        add_bars(v, plot, bars);
    free(bars);
}

/* ---- CPI stacks ------------------------------------------------------------------------------ */

/* Sums and counts of every part, by trace and model: [(trace * models + model) * parts + part]. */
typedef struct parts {
    double sum;
    size_t count;
} parts;

static parts *sum_parts(pn_view *v)
{
    parts *all = calloc(v->trace.count * v->model.count * CPI_PARTS + 1, sizeof *all);
    for (size_t part = 0; part < CPI_PARTS && all; part++) {
        const double *numbers = pn_view_numbers(v, CPI[part].metric);
        for (size_t row = 0; row < v->rows && numbers; row++) {
            size_t at = v->trace.of[row] * v->model.count + v->model.of[row];
            if (!isfinite(numbers[row]))
                continue;
            all[at * CPI_PARTS + part].sum += numbers[row];
            all[at * CPI_PARTS + part].count++;
        }
    }
    return all;
}

/* Parts of one bar, on each other; x is where it stands. */
static void add_stack(pn_plot *plot, const parts *own, double x)
{
    double top = 0.0;
    for (size_t part = 0; part < CPI_PARTS; part++) {
        if (own[part].count == 0)
            continue;
        double cpi = own[part].sum / (double)own[part].count;
        pn_series *series = pn_plot_series(plot, CPI[part].name, PN_SERIES_STACK);
        if (series)
            (void)snprintf(series->color, sizeof series->color, "%s", CPI[part].color);
        pn_series_range(plot, series, x, cpi, top, top + cpi, NULL);
        top += cpi;
    }
}

static bool is_there(const parts *own)
{
    size_t count = 0;
    for (size_t part = 0; part < CPI_PARTS; part++)
        count += own[part].count;
    return count > 0;
}

void pn_plot_cpi(pn_view *v)
{
    pn_plot *plot = pn_plot_once(v, "cpi", "Where the cycles go",
                                 "Cycles per instruction by cause, a bar per trace and model: "
                                 "means over all other settings.");
    pn_plot_x(plot, v->model.count > 1 ? "trace, model" : "trace", "", PN_SCALE_CATEGORY);
    pn_plot_y(plot, "CPI", "cycles/instr", PN_SCALE_LINEAR);
    parts *all = sum_parts(v);
    if (!all)
        v->report->failed = true;
    for (size_t at = 0; at < v->trace.count * v->model.count && plot && all; at++) {
        char category[PN_VIEW_LABEL];
        (void)snprintf(category, sizeof category, v->model.count > 1 ? "%s, %s" : "%s",
                       v->trace.values[at / v->model.count], v->model.values[at % v->model.count]);
        if (is_there(&all[at * CPI_PARTS]))
            add_stack(plot, &all[at * CPI_PARTS], (double)pn_plot_category(plot, category));
    }
    free(all);
}
