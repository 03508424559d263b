/* sets.c - plots of the store's curve sets, and of what the models answered over them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve/csv.h"
#include "report/curves.h"
#include "report/view.h"

enum { CURVE_SETS_MAX = 8 };

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

/* Curves as lines without marks, with one entry in the legend. */
static void draw_behind(pn_plot *plot, const char *csv, const char *path)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    panem_status status = pn_csv_parse(&raw, csv, strlen(csv), path, &err);
    for (size_t i = 0; i < raw.count && status == PANEM_OK; i++) {
        const pn_raw_point *p = &raw.points[i];
        char name[64], label[32];
        bool first =
            !(raw.points[0].read_frac < p->read_frac) && !(raw.points[0].read_frac > p->read_frac);
        (void)snprintf(label, sizeof label, "%.4g %% reads", 100.0 * p->read_frac);
        (void)snprintf(name, sizeof name, "curve set%s%s", first ? "" : ", ", first ? "" : label);
        pn_series *series = pn_plot_series(plot, name, PN_SERIES_LINE);
        if (!series)
            break;
        (void)snprintf(series->color, sizeof series->color, "#9a9a9a");
        series->size_px = 0.0;
        series->joined = !first;
        pn_series_point(plot, series, p->bandwidth_gbs, p->latency_ns, label);
    }
    pn_rawset_release(&raw);
}

/* The same for every configuration of the view; free() it. */
static double *on_chip_of(const pn_view *v)
{
    size_t parameters = pn_answer_column(&v->points, "parameters");
    double *ns = calloc(v->config.count + 1, sizeof *ns);
    bool *known = calloc(v->config.count + 1, sizeof *known);
    for (size_t row = 0; row < v->rows && ns && known; row++) {
        uint32_t config = v->config.of[row];
        if (!known[config])
            ns[config] = on_chip_ns(pn_answer_text(&v->points, row, parameters));
        known[config] = true;
    }
    free(known);
    return ns;
}

static void add_answers(pn_view *v, pn_plot *plot, const char *fingerprint, const double *chip_ns)
{
    const double *bandwidth = pn_view_numbers(v, "bandwidth_gbs");
    const double *latency = pn_view_numbers(v, "read_latency_ns");
    const double *cores = pn_view_numbers(v, "active_cores");
    for (size_t row = 0; row < v->rows && bandwidth && latency && cores; row++) {
        char label[PN_VIEW_LABEL];
        if (!v->done[row] || strcmp(v->curves.values[v->curves.of[row]], fingerprint) != 0)
            continue;
        pn_view_describe(label, v, row, false);
        pn_series_point(plot, pn_plot_model(v, plot, v->model.of[row], PN_SERIES_SCATTER),
                        bandwidth[row] * cores[row], latency[row] + chip_ns[v->config.of[row]],
                        label);
    }
}

/* Points of a curve set over that set: bandwidth of the whole chip, and the latency a load sees
 * with the on-chip part added again, which is what the curve was measured as. */
static void add_response(pn_view *v, const char *id, const pn_answer *sets, size_t set,
                         const double *chip_ns)
{
    char note[320];
    size_t above = 0;
    for (size_t row = 0; row < v->rows; row++)
        above += v->above[row] > 0.0 &&
                 strcmp(v->curves.values[v->curves.of[row]], pn_answer_text(sets, set, 2)) == 0;
    int used = snprintf(note, sizeof note,
                        "One mark per point: read latency with the on-chip part, over the "
                        "bandwidth of all busy cores; grey: the curve set as measured.");
    if (above > 0)
        (void)snprintf(note + used, sizeof note - (size_t)used,
                       " %zu points stand above the memory's peak, where no machine gets.", above);
    pn_plot *plot = pn_plot_once(v, id, "Answers of the models over the curve", note);
    pn_plot_x(plot, "bandwidth of the chip", "GB/s", PN_SCALE_LINEAR);
    pn_plot_y(plot, "latency", "ns", pn_view_scale(v, "read_latency_ns"));
    if (!plot)
        return;
    add_answers(v, plot, pn_answer_text(sets, set, 2), chip_ns);
    if (plot->series_count > 0)
        draw_behind(plot, pn_answer_text(sets, set, 1), pn_answer_text(sets, set, 0));
}

static panem_status add_set(pn_view *v, const pn_answer *sets, size_t set, const double *chip_ns,
                            bool curves, bool response, panem_error *err)
{
    char prefix[32] = "curves-", id[32] = "response";
    if (sets->rows > 1) {
        (void)snprintf(prefix, sizeof prefix, "curves-%zu-", set + 1);
        (void)snprintf(id, sizeof id, "response-%zu", set + 1);
    }
    if (curves)
        PN_TRY(add_curve_set(v->report, pn_answer_text(sets, set, 1), pn_answer_text(sets, set, 0),
                             prefix, err));
    if (response)
        add_response(v, id, sets, set, chip_ns);
    return PANEM_OK;
}

panem_status pn_plot_sets(pn_view *v, bool curves, bool response, panem_error *err)
{
    pn_answer sets = {0};
    double *chip_ns = on_chip_of(v);
    panem_status status =
        chip_ns
            ? pn_answer_fetch(&sets, v->store,
                              "SELECT path, csv, fingerprint FROM curves ORDER BY fingerprint", err)
            : pn_err(err, PANEM_E_NOMEM, "no memory for the report");
    for (size_t i = 0; i < sets.rows && i < CURVE_SETS_MAX && status == PANEM_OK; i++)
        status = add_set(v, &sets, i, chip_ns, curves, response, err);
    pn_answer_release(&sets);
    free(chip_ns);
    return status;
}
