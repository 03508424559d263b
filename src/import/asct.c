/* asct.c - the loaded-latency table of the Arm System Characterization Tool.
 *
 * The header names columns and units: Injected NOPs, Loaded latency [ns], Bandwidth [GB/s], in this
 * order, newer versions with a fourth, % of Peak Theoretical BW, which is not used. The output does
 * not say what the background load reads and writes: the read percent must be given. NOPs fall as
 * load rises. */
#include <string.h>

#include "import/format.h"
#include "import/sweep.h"

#define HEADER_NOPS "Injected NOPs"
#define HEADER_LATENCY "Loaded latency [ns]"
#define HEADER_BANDWIDTH "Bandwidth [GB/s]"

static bool is_header(const pn_line *line)
{
    return pn_line_has(line, HEADER_NOPS) && pn_line_has(line, HEADER_LATENCY) &&
           pn_line_has(line, HEADER_BANDWIDTH);
}

static bool recognize(const pn_source *source)
{
    return strstr(source->text, HEADER_NOPS) != NULL;
}

static panem_status take_row(pn_import *import, pn_sweep *sweep, const pn_line *line,
                             bool latency_first)
{
    double v[3];
    size_t at = 0;
    pn_field field;
    for (int i = 0; i < 3; i++) {
        if (!pn_line_field(line, &at, " \t|", &field))
            return pn_import_fault(import, line->number, 0,
                                   "%d fields where NOPs, latency and bandwidth should be", i);
        if (!pn_field_number(&field, &v[i]))
            return pn_import_fault(import, line->number, field.col, "'%.40s' is not a number",
                                   field.text);
    }
    pn_sweep_row row = {v[0], latency_first ? v[2] : v[1], latency_first ? v[1] : v[2],
                        line->number};
    return pn_sweep_add(sweep, &row, import->err);
}

static panem_status read_tables(pn_import *import, pn_sweep *sweep, const pn_source *source)
{
    double read_pct;
    uint32_t header = 0;
    uint32_t wanted = import->options->table ? import->options->table : 1;
    uint32_t count = 0;
    bool inside = false;
    bool latency_first = true;
    pn_lines lines;
    pn_line line;
    PN_TRY(pn_import_need_read_pct(import, &read_pct));
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line)) {
        if (is_header(&line)) {
            count++;
            if (count > 1 && import->options->table == 0)
                return pn_import_fault(import, line.number, 0,
                                       "a second loaded-latency table, after that of line %u: "
                                       "choose one with --table",
                                       header);
            inside = count == wanted;
            if (inside)
                header = line.number;
            if (inside)
                latency_first =
                    pn_line_find(&line, HEADER_LATENCY) < pn_line_find(&line, HEADER_BANDWIDTH);
            continue;
        }
        if (!inside || line.length == 0 || strspn(line.text, "-=| ") >= line.length)
            continue;
        if (line.text[0] < '0' || line.text[0] > '9')
            inside = false;
        else
            PN_TRY(take_row(import, sweep, &line, latency_first));
    }
    if (count < wanted)
        return pn_err_at(import->err, count ? PANEM_E_ARG : PANEM_E_EMPTY, import->path, 0, 0,
                         "%u loaded-latency table%s found", count, count == 1 ? "" : "s");
    return pn_sweep_finish(sweep, import, read_pct, header);
}

static panem_status parse(pn_import *import, const pn_source *source)
{
    pn_sweep sweep = {NULL, 0, 0};
    panem_status status = read_tables(import, &sweep, source);
    pn_sweep_release(&sweep);
    return status;
}

const pn_import_format pn_format_asct = {"asct",         "GB/s", PN_UNIT_STATED, PN_LATENCY_NS,
                                         PN_UNIT_STATED, false,  recognize,      parse};
