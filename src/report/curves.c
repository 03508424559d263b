/* curves.c - see curves.h. */
#include "report/curves.h"

#include <stdio.h>

/* Latency axes are logarithmic when the data spans more than this. */
static const double LOG_FROM_RATIO = 5.0;

static void curve_name(char name[32], double read_frac)
{
    (void)snprintf(name, 32, "%.4g %% reads", 100.0 * read_frac);
}

static pn_series *curve_series(pn_plot *plot, double read_frac, const panem_curves *set)
{
    char name[32];
    panem_curve_info first, last;
    uint32_t count = panem_curves_count(set);
    (void)panem_curves_info(set, &first, 0);
    (void)panem_curves_info(set, &last, count - 1);
    curve_name(name, read_frac);
    pn_series *series = pn_plot_series(plot, name, PN_SERIES_LINE);
    if (series && count > 6)
        pn_color_ramp(series->color,
                      (read_frac - first.read_frac) / (last.read_frac - first.read_frac));
    return series;
}

static pn_scale latency_scale(const pn_rawset *raw)
{
    double low = 0.0;
    double high = 0.0;
    for (size_t i = 0; i < raw->count; i++) {
        double ns = raw->points[i].latency_ns;
        if (!(ns > 0.0))
            return PN_SCALE_LINEAR;
        low = i == 0 || ns < low ? ns : low;
        high = ns > high ? ns : high;
    }
    return high > LOG_FROM_RATIO * low ? PN_SCALE_LOG : PN_SCALE_LINEAR;
}

static void add_raw(pn_plot *plot, const pn_rawset *raw, const panem_curves *set,
                    const pn_verdict *verdicts)
{
    char label[300];
    for (uint32_t c = 0; c < panem_curves_count(set); c++) {
        panem_curve_info info;
        (void)panem_curves_info(set, &info, c);
        pn_series *series = curve_series(plot, info.read_frac, set);
        for (size_t i = 0; i < raw->count; i++) {
            const pn_raw_point *p = &raw->points[i];
            if (p->read_frac != info.read_frac || verdicts[i] != PN_KEPT)
                continue;
            (void)snprintf(label, sizeof label, "line %u", p->line);
            pn_series_point(plot, series, p->bandwidth_gbs, p->latency_ns, label);
        }
    }
    for (size_t i = 0; i < raw->count; i++) {
        const pn_raw_point *p = &raw->points[i];
        if (verdicts[i] == PN_KEPT)
            continue;
        pn_series *series = pn_plot_series(plot, "left out by repair", PN_SERIES_SCATTER);
        if (!series)
            return;
        series->hollow = true;
        (void)snprintf(series->color, sizeof series->color, "#808080");
        (void)snprintf(label, sizeof label, "%.4g %% reads, line %u", 100.0 * p->read_frac,
                       p->line);
        pn_series_point(plot, series, p->bandwidth_gbs, p->latency_ns, label);
    }
}

/* Beyond the last kept point, by the model's default rule. */
static void add_beyond(pn_plot *plot, const panem_curves *set, const panem_curve_info *info,
                       const pn_series *kept, double last)
{
    static const double FACTORS[] = {1.0, 1.1, 1.2, 1.35, 1.5, 1.75, 2.0};
    static const panem_relation RELATION = {PANEM_BEYOND_CAPPED, PANEM_MIX_NEAREST};
    char name[48];
    (void)snprintf(name, sizeof name, "%.4g %% reads, beyond", 100.0 * info->read_frac);
    pn_series *series = pn_plot_series(plot, name, PN_SERIES_LINE);
    if (!series || !kept)
        return;
    series->dashed = true;
    series->size_px = 0.0;
    (void)snprintf(series->color, sizeof series->color, "%s", kept->color);
    for (size_t i = 0; i < sizeof FACTORS / sizeof *FACTORS; i++) {
        double n = FACTORS[i] * last;
        double ns = (double)panem_latency_ps(set, &RELATION, n, info->read_frac) / 1e3;
        pn_series_point(plot, series, n, ns, "capped");
    }
}

static void add_converted(pn_plot *plot, const panem_curves *set)
{
    for (uint32_t c = 0; c < panem_curves_count(set); c++) {
        panem_curve_info info;
        (void)panem_curves_info(set, &info, c);
        pn_series *series = curve_series(plot, info.read_frac, set);
        double n = info.peak_gbs * info.idle_ns;
        double ns = info.idle_ns;
        for (uint32_t i = 0; i < info.kept_points; i++) {
            char label[64];
            (void)panem_curves_kept(set, &n, &ns, c, i);
            (void)snprintf(label, sizeof label, "%.5g GB/s", n / ns);
            pn_series_point(plot, series, n, ns, label);
        }
        if (info.kept_points > 1)
            add_beyond(plot, set, &info, series, n);
    }
}

static void add_id(char id[64], const char *prefix, const char *word)
{
    (void)snprintf(id, 64, "%s%s", prefix, word);
}

void pn_report_curves(pn_report *report, const pn_rawset *raw, const panem_curves *set,
                      const pn_verdict *verdicts, const char *prefix)
{
    char id[64];
    pn_scale scale = latency_scale(raw);
    add_id(id, prefix, "raw");
    pn_plot *plot = pn_report_plot(report, id, "Curves as measured",
                                   "Latency over bandwidth, one line per share of reads. Lines "
                                   "that bend back are past their peak.");
    pn_plot_x(plot, "bandwidth", "GB/s", PN_SCALE_LINEAR);
    pn_plot_y(plot, "latency", "ns", scale);
    if (plot)
        add_raw(plot, raw, set, verdicts);
    add_id(id, prefix, "converted");
    plot = pn_report_plot(report, id, "Curves as the model uses them",
                          "Latency over outstanding bytes (bandwidth times latency): one value "
                          "for every load. Dashed: beyond the last point, by the capped rule.");
    pn_plot_x(plot, "outstanding", "bytes", PN_SCALE_LINEAR);
    pn_plot_y(plot, "latency", "ns", scale);
    if (plot)
        add_converted(plot, set);
}

void pn_report_curve_facts(pn_report *report, const pn_rawset *raw, const panem_curves *set)
{
    static const char *const HEADINGS[] = {"reads, %", "points",     "kept",
                                           "idle, ns", "peak, GB/s", "slope x peak beyond"};
    for (uint32_t i = 0; i < raw->file_count; i++)
        pn_report_fact(report, "The curve set", "file", raw->files[i]);
    for (uint32_t i = 0; i < raw->meta_count; i++)
        pn_report_fact(report, "The curve set", raw->meta[i].key, raw->meta[i].value);
    pn_sheet *sheet = pn_report_sheet(report, "Curves", sizeof HEADINGS / sizeof *HEADINGS);
    for (size_t i = 0; i < sizeof HEADINGS / sizeof *HEADINGS; i++)
        pn_sheet_cell(report, sheet, HEADINGS[i]);
    for (uint32_t i = 0; i < panem_curves_count(set); i++) {
        panem_curve_info c;
        (void)panem_curves_info(set, &c, i);
        pn_sheet_number(report, sheet, 100.0 * c.read_frac, 2);
        pn_sheet_number(report, sheet, c.raw_points, 0);
        pn_sheet_number(report, sheet, c.kept_points, 0);
        pn_sheet_number(report, sheet, c.idle_ns, 2);
        pn_sheet_number(report, sheet, c.peak_gbs, 2);
        pn_sheet_number(report, sheet, c.beyond_slope, 3);
    }
}
