/* mess2_csv.c - Mess 2.0's processed/memory_curves.csv: GB/s and ns, with standard deviations.
 *
 * Columns are found by name: read_pct_rounded (rd_percentage in per-kernel files), bandwidth_mean,
 * latency_mean; bandwidth_std, latency_std and rd_percentage_actual_mean when there. The smoothed
 * columns are not used. Rows of one rounded percentage are one curve. Its read fraction is the
 * measured one, rd_percentage_actual_mean averaged over the rows with their bandwidth as weight;
 * where no row of the file has it (0 throughout: the machine's counters cannot split), the label
 * stands in and may have either meaning. Rows ascend in load. */
#include <stdlib.h>
#include <string.h>

#include "import/format.h"

enum { LABEL = 0, BANDWIDTH, LATENCY, BANDWIDTH_STD, LATENCY_STD, ACTUAL, COLUMNS, CELLS_MAX = 32 };

static const char *const NAMES[COLUMNS] = {"read_pct_rounded", "bandwidth_mean",
                                           "latency_mean",     "bandwidth_std",
                                           "latency_std",      "rd_percentage_actual_mean"};

typedef struct table {
    int cell_of[COLUMNS]; /* -1: absent */
    int cells;
    size_t first;   /* point index where this file starts */
    double *actual; /* per point of this file */
    size_t actual_capacity;
    bool measured;
} table;

static bool is_header(const pn_line *line)
{
    return (pn_line_starts(line, "read_pct_rounded,") || pn_line_starts(line, "rd_percentage,")) &&
           pn_line_has(line, ",bandwidth_mean,") && pn_line_has(line, ",latency_mean,");
}

static bool recognize(const pn_source *source)
{
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line))
        if (line.length > 0 && line.text[0] != '#')
            return is_header(&line);
    return false;
}

static panem_status take_header(pn_import *import, table *t, const pn_line *line)
{
    size_t at = 0;
    pn_field field;
    for (int c = 0; c < COLUMNS; c++)
        t->cell_of[c] = -1;
    for (t->cells = 0; pn_line_cell(line, &at, &field); t->cells++) {
        if (t->cells == CELLS_MAX)
            return pn_import_fault(import, line->number, field.col, "too many columns");
        for (int c = 0; c < COLUMNS; c++)
            if (strcmp(field.text, NAMES[c]) == 0)
                t->cell_of[c] = t->cells;
        if (t->cells == 0 && strcmp(field.text, "rd_percentage") == 0)
            t->cell_of[LABEL] = 0;
    }
    for (int c = 0; c <= LATENCY; c++)
        if (t->cell_of[c] < 0)
            return pn_import_fault(import, line->number, 0, "the header has no column '%s'",
                                   NAMES[c]);
    return PANEM_OK;
}

static panem_status keep_actual(pn_import *import, table *t, double actual)
{
    size_t index = import->set->count - t->first; /* of the point about to be added */
    if (index >= t->actual_capacity) {
        size_t capacity = t->actual_capacity ? t->actual_capacity * 2 : 256;
        double *larger = realloc(t->actual, capacity * sizeof *larger);
        if (!larger)
            return pn_err(import->err, PANEM_E_NOMEM, "no memory for the points of a curve set");
        t->actual = larger;
        t->actual_capacity = capacity;
    }
    t->actual[index] = actual;
    t->measured |= actual > 0.0;
    return PANEM_OK;
}

static panem_status take_row(pn_import *import, table *t, const pn_line *line)
{
    pn_field cells[CELLS_MAX];
    double v[COLUMNS];
    size_t at = 0;
    int count = 0;
    while (count < CELLS_MAX && pn_line_cell(line, &at, &cells[count]))
        count++;
    if (count != t->cells)
        return pn_import_fault(import, line->number, 0, "%d fields where the header has %d", count,
                               t->cells);
    for (int c = 0; c < COLUMNS; c++) {
        v[c] = c == ACTUAL ? 0.0 : (double)NAN;
        if (t->cell_of[c] < 0)
            continue;
        const pn_field *f = &cells[t->cell_of[c]];
        if (f->text[0] == '\0' && c > LATENCY)
            continue;
        if (!pn_field_number(f, &v[c]))
            return pn_import_fault(import, line->number, f->col, "%s: '%.40s' is not a number",
                                   NAMES[c], f->text);
    }
    if (!(v[LABEL] >= 0.0 && v[LABEL] <= 100.0) || !(v[ACTUAL] >= 0.0 && v[ACTUAL] <= 1.0))
        return pn_import_fault(import, line->number, 0, "a read percentage is out of range");
    PN_TRY(keep_actual(import, t, v[ACTUAL]));
    return pn_import_add(import, v[LABEL], v[BANDWIDTH], v[LATENCY], v[BANDWIDTH_STD],
                         v[LATENCY_STD], line->number);
}

/* Gives every curve its measured read fraction. Rows of one label are taken together even when
 * others stand between them. */
static void use_measured(pn_import *import, const table *t)
{
    pn_raw_point *p = import->set->points + t->first;
    size_t count = import->set->count - t->first;
    for (size_t i = 0; i < count; i++) {
        double label = p[i].read_frac;
        double weight = 0.0;
        double sum = 0.0;
        if (t->actual[i] < 0.0) /* done with its curve */
            continue;
        for (size_t k = i; k < count; k++) {
            if (p[k].read_frac != label || t->actual[k] <= 0.0 || !(p[k].bandwidth_gbs > 0.0))
                continue;
            weight += p[k].bandwidth_gbs;
            sum += p[k].bandwidth_gbs * t->actual[k];
        }
        double measured = weight > 0.0 ? sum / weight : label;
        for (size_t k = i; k < count; k++) {
            if (p[k].read_frac != label || t->actual[k] < 0.0)
                continue;
            p[k].read_frac = measured;
            t->actual[k] = -1.0;
        }
    }
}

static panem_status parse_into(pn_import *import, table *t, const pn_source *source)
{
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line)) {
        if (line.length == 0 || line.text[0] == '#')
            continue;
        if (t->cells == 0)
            PN_TRY(take_header(import, t, &line));
        else
            PN_TRY(take_row(import, t, &line));
    }
    if (t->measured) /* and so there are points */
        use_measured(import, t);
    else if (import->set->count > t->first)
        PN_TRY(pn_import_say(import, PN_NOTE, 1,
                             "no measured read percentage in the file: the label stands in"));
    import->labels_unsure = !t->measured;
    return PANEM_OK;
}

static panem_status parse(pn_import *import, const pn_source *source)
{
    table t = {.first = import->set->count};
    panem_status status = parse_into(import, &t, source);
    free(t.actual);
    return status;
}

const pn_import_format pn_format_mess2_csv = {"mess2-csv",    "GB/s", PN_UNIT_CUSTOM, PN_LATENCY_NS,
                                              PN_UNIT_CUSTOM, false,  recognize,      parse};
