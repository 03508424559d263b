/* caveats.c - what a reader must know before the numbers: points that reach a bandwidth that the
 * memory does not have, and points that are shorter than the study asks for.
 *
 * Bandwidth is that of all busy cores, against the curve set's theoretical peak or, where the set
 * names none, its highest point. Points without a curve set (a simulated DRAM) keep its peak by
 * construction and are not looked at. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "curve/csv.h"
#include "report/view.h"

/* What is left of a line at the end of a run makes no finding. */
static const double ROUNDING = 1.001;

/* NaN for a set that cannot be read. */
static double peak_of(const char *csv, const char *path)
{
    pn_rawset raw;
    double peak = (double)NAN;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset_init(&raw, NULL);
    if (pn_csv_parse(&raw, csv, strlen(csv), path, &err) == PANEM_OK) {
        const char *text = pn_rawset_meta(&raw, "theoretical_peak_gbs");
        if (!text || !pn_num_parse_all(text, &peak)) {
            peak = (double)NAN;
            for (size_t i = 0; i < raw.count; i++)
                peak = fmax(peak, raw.points[i].bandwidth_gbs);
        }
    }
    pn_rawset_release(&raw);
    return peak;
}

/* Peak by curve set of the view; free() it. */
static double *peaks_of(const pn_view *v, panem_error *err)
{
    pn_answer sets = {0};
    double *peaks = calloc(v->curves.count + 1, sizeof *peaks);
    panem_status status =
        peaks ? pn_answer_fetch(&sets, v->store, "SELECT fingerprint, csv, path FROM curves", err)
              : pn_err(err, PANEM_E_NOMEM, "no memory for the report");
    for (size_t c = 0; status == PANEM_OK && c < v->curves.count; c++) {
        peaks[c] = (double)NAN;
        for (size_t i = 0; i < sets.rows; i++)
            if (strcmp(pn_answer_text(&sets, i, 0), v->curves.values[c]) == 0)
                peaks[c] = peak_of(pn_answer_text(&sets, i, 1), pn_answer_text(&sets, i, 2));
    }
    pn_answer_release(&sets);
    if (status != PANEM_OK) {
        free(peaks);
        return NULL;
    }
    return peaks;
}

panem_status pn_view_find_above(pn_view *v, panem_error *err)
{
    const double *bandwidth = pn_view_numbers(v, "bandwidth_gbs");
    const double *cores = pn_view_numbers(v, "active_cores");
    double *peaks = peaks_of(v, err);
    if (!peaks)
        return err ? err->status : PANEM_E_NOMEM;
    for (size_t row = 0; row < v->rows && bandwidth && cores; row++) {
        double over = bandwidth[row] * cores[row] / peaks[v->curves.of[row]];
        v->above[row] = over > ROUNDING ? over : 0.0; /* NaN: 0 */
    }
    free(peaks);
    return PANEM_OK;
}

static pn_sheet *sheet_once(pn_view *v, pn_sheet *sheet)
{
    if (sheet)
        return sheet;
    sheet = pn_report_sheet(v->report, "To be read with care", 3);
    pn_sheet_cell(v->report, sheet, "what");
    pn_sheet_cell(v->report, sheet, "points");
    pn_sheet_cell(v->report, sheet, "why");
    return sheet;
}

static pn_sheet *add_above(pn_view *v, pn_sheet *sheet)
{
    for (uint32_t m = 0; m < v->model.count; m++) {
        char why[200];
        size_t count = 0;
        double most = 0.0;
        const char *name = v->model.values[m];
        for (size_t row = 0; row < v->rows; row++) {
            if (v->model.of[row] != m || !(v->above[row] > 0.0))
                continue;
            count++;
            most = fmax(most, v->above[row]);
        }
        if (count == 0)
            continue;
        (void)snprintf(why, sizeof why,
                       "above the memory's peak, up to %.3g times: %s, no machine gets there", most,
                       strncmp(name, "fixed:", 6) == 0 ? "a fixed latency knows no bandwidth"
                                                       : "the model sets no bound to bandwidth");
        sheet = sheet_once(v, sheet);
        pn_sheet_cell(v->report, sheet, name[0] ? name : "all");
        pn_sheet_number(v->report, sheet, (double)count, 0);
        pn_sheet_cell(v->report, sheet, why);
    }
    return sheet;
}

static pn_sheet *add_short(pn_view *v, pn_sheet *sheet)
{
    const double *had = pn_view_numbers(v, "instructions");
    const double *asked = pn_view_numbers(v, "instructions_asked");
    for (uint32_t t = 0; t < v->trace.count && had && asked; t++) {
        size_t count = 0;
        for (size_t row = 0; row < v->rows; row++)
            count += v->trace.of[row] == t && had[row] < asked[row];
        if (count == 0)
            continue;
        sheet = sheet_once(v, sheet);
        pn_sheet_cell(v->report, sheet, v->trace.values[t]);
        pn_sheet_number(v->report, sheet, (double)count, 0);
        pn_sheet_cell(v->report, sheet, "fewer instructions than asked for: the trace ends before");
    }
    return sheet;
}

void pn_view_caveats(pn_view *v)
{
    (void)add_short(v, add_above(v, NULL));
}
