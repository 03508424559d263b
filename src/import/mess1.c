/* mess1.c - Mess 1 files bwlat_<n>.txt: two columns, bandwidth and latency, and nothing else.
 *
 * Bandwidth is in MB/s (1e6 B/s) by custom. Latency is in cycles, ns, or ns less a constant: the
 * file does not say, so the option must. The number in the name is the label of the curve; it has
 * two meanings (see pn_label). Rows run from the highest load to idle. '#' lines are remarks.
 * A line without its second number is a fault of that line: values are never taken across lines. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "import/format.h"

static bool recognize(const pn_source *source)
{
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line)) {
        if (line.length == 0 || line.text[0] == '#')
            continue;
        for (size_t i = 0; i < line.length; i++)
            if (!strchr("0123456789.,+-eE \t", line.text[i]))
                return false;
        return strchr("0123456789.+-", line.text[0]) != NULL;
    }
    return false;
}

/* The n of .../bwlat_<n>.txt (further endings such as .gz are allowed). */
static bool label_of(const char *path, double *label)
{
    static const char prefix[] = "bwlat_";
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    size_t used = pn_num_parse(name + sizeof prefix - 1, label);
    const char *rest = name + sizeof prefix - 1 + used;
    /* "58.txt" parses as "58." on some tastes of numbers: the dot belongs to the ending then. */
    return used > 0 && (*rest == '.' || rest[-1] == '.' || *rest == '\0');
}

static panem_status take_row(pn_import *import, const pn_line *line, double read_pct)
{
    double value[2];
    size_t at = 0;
    int count = 0;
    pn_field field;
    while (pn_line_field(line, &at, " \t\r", &field)) {
        if (count == 2)
            return pn_import_fault(import, line->number, field.col, "more than two columns");
        if (!pn_field_number(&field, &value[count]))
            return pn_import_fault(import, line->number, field.col, "'%.40s' is not a number",
                                   field.text);
        count++;
    }
    if (count < 2)
        return pn_import_fault(import, line->number, 0, "no latency after the bandwidth");
    return pn_import_add(import, read_pct, value[0], value[1], (double)NAN, (double)NAN,
                         line->number);
}

/* Custom is falling; a file whose outstanding bytes clearly rise is taken as it is, and said. */
static panem_status turn(pn_import *import, size_t first)
{
    const pn_raw_point *p = import->set->points;
    size_t up = 0;
    size_t down = 0;
    for (size_t i = first + 1; i < import->set->count; i++) {
        double now = p[i].bandwidth_gbs * p[i].latency_ns;
        double before = p[i - 1].bandwidth_gbs * p[i - 1].latency_ns;
        up += now > before;
        down += now < before;
    }
    if (up >= 3 * down && up > 0)
        return pn_import_say(import, PN_NOTE, p[first].line,
                             "rows run from idle to the highest load, against the custom of this "
                             "format: taken so");
    pn_import_reverse(import, first);
    return PANEM_OK;
}

static panem_status parse(pn_import *import, const pn_source *source)
{
    double read_pct;
    if (label_of(source->path, &read_pct)) {
        if (!(read_pct >= 0.0 && read_pct <= 100.0))
            return pn_import_fault(import, 0, 0, "the label in the file's name is outside 0..100");
        if (!isnan(import->options->read_pct))
            return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                             "--read-pct does not apply: the file's name holds its label");
        import->labels_unsure = true;
    } else {
        PN_TRY(pn_import_need_read_pct(import, &read_pct));
    }
    size_t first = import->set->count;
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line))
        if (line.length > 0 && line.text[0] != '#')
            PN_TRY(take_row(import, &line, read_pct));
    return turn(import, first);
}

const pn_import_format pn_format_mess1 = {
    "mess1", "MB/s", PN_UNIT_CUSTOM, PN_LATENCY_UNSAID, PN_UNIT_UNKNOWN, false, recognize, parse};
