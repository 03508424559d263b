/* multiload.c - multichase's multiload: one CSV header and one data row per run, each run one
 * point.
 *
 * Columns by name: ChaseNS in ns (the best sample, unless the tool ran with -a), LdAvgMibs in MiB/s
 * (2^20 B/s). Bandwidth is LdAvgMibs alone: ChaseMibs counts the 8 bytes of each pointer, not the
 * lines that moved, and one chaser is below 0.1 % of the load. LoadThds 0 is the idle anchor.
 * MemLdArg names the load's kernel: stream-sum only reads, 100 %; any other kernel leaves the mix
 * to the option, since write-allocate or not decides what reaches memory. Runs of several files or
 * rows together make a curve; their order is not an order of load, so the set is sorted by
 * bandwidth x latency. */
#include <string.h>

#include "import/format.h"

enum { CHASE_NS = 0, LOAD_THREADS, LOAD_MIBS, KERNEL, COLUMNS, CELLS_MAX = 32 };

static const char *const NAMES[COLUMNS] = {"ChaseNS", "LoadThds", "LdAvgMibs", "MemLdArg"};

static bool is_header(const pn_line *line)
{
    return pn_line_starts(line, "Samples") && pn_line_has(line, "ChaseNS") &&
           pn_line_has(line, ",");
}

static bool recognize(const pn_source *source)
{
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line))
        if (is_header(&line))
            return true;
    return false;
}

static panem_status take_header(pn_import *import, int cell_of[COLUMNS], const pn_line *line)
{
    size_t at = 0;
    pn_field field;
    for (int c = 0; c < COLUMNS; c++)
        cell_of[c] = -1;
    for (int cell = 0; pn_line_cell(line, &at, &field); cell++) {
        if (cell == CELLS_MAX)
            return pn_import_fault(import, line->number, field.col, "too many columns");
        for (int c = 0; c < COLUMNS; c++)
            if (strcmp(field.text, NAMES[c]) == 0)
                cell_of[c] = cell;
    }
    for (int c = 0; c < COLUMNS; c++)
        if (cell_of[c] < 0)
            return pn_import_fault(import, line->number, 0, "the header has no column '%s'",
                                   NAMES[c]);
    return PANEM_OK;
}

static panem_status mix_of(pn_import *import, const char *kernel, double *read_pct)
{
    if (strcmp(kernel, "stream-sum") != 0)
        return pn_import_need_read_pct(import, read_pct);
    *read_pct = 100.0;
    return pn_import_stated_read_pct(import, 100.0);
}

static panem_status take_row(pn_import *import, const int cell_of[COLUMNS], const pn_line *line)
{
    pn_field cells[CELLS_MAX];
    double v[KERNEL];
    double read_pct;
    size_t at = 0;
    int count = 0;
    while (count < CELLS_MAX && pn_line_cell(line, &at, &cells[count]))
        count++;
    for (int c = 0; c < COLUMNS; c++)
        if (cell_of[c] >= count)
            return pn_import_fault(import, line->number, 0, "%d fields: no field for '%s'", count,
                                   NAMES[c]);
    for (int c = 0; c < KERNEL; c++) {
        const pn_field *f = &cells[cell_of[c]];
        if (!pn_field_number(f, &v[c]))
            return pn_import_fault(import, line->number, f->col, "%s: '%.40s' is not a number",
                                   NAMES[c], f->text);
    }
    PN_TRY(mix_of(import, cells[cell_of[KERNEL]].text, &read_pct));
    return pn_import_add(import, read_pct, v[LOAD_THREADS] == 0.0 ? 0.0 : v[LOAD_MIBS], v[CHASE_NS],
                         (double)NAN, (double)NAN, line->number);
}

static panem_status parse(pn_import *import, const pn_source *source)
{
    int cell_of[COLUMNS];
    bool row_next = false;
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line)) {
        if (line.length == 0)
            continue;
        if (is_header(&line)) {
            PN_TRY(take_header(import, cell_of, &line));
            row_next = true;
        } else if (row_next && line.text[0] >= '0' && line.text[0] <= '9') {
            PN_TRY(take_row(import, cell_of, &line));
        } else {
            row_next = false;
        }
    }
    import->order = PANEM_ORDER_ANY;
    return PANEM_OK;
}

const pn_import_format pn_format_multiload = {
    "multiload", "MiB/s", PN_UNIT_STATED, PN_LATENCY_NS, PN_UNIT_STATED, true, recognize, parse};
