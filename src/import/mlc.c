/* mlc.c - the loaded-latency table of Intel Memory Latency Checker, wherever it stands.
 *
 * The table is known by its header, whose words state the units: ns, and MB/sec of 1e6 bytes.
 * Around it may stand a whole run (matrices whose rows start with whole numbers too), prompts,
 * prose, Markdown pipes, quotes. A row is delay, latency, bandwidth; more text behind them is
 * reported as a repair. The table ends at the first line that is neither blank nor starts with a
 * number. "Using Read-only traffic type" before the header means 100 % reads; otherwise the mix is
 * not in the output and the option must give it. Delay falls as load rises. */
#include <string.h>

#include "import/format.h"
#include "import/sweep.h"

#define SEPARATORS " \t|\"`"

typedef struct found {
    uint32_t header[2]; /* lines of the first two tables */
    uint32_t count;
    uint32_t want; /* line of the chosen table's header */
    bool read_only;
} found;

/* Is this the header's only or second line? The first line of two is asked for in before. */
static bool ends_header(const pn_line *line, bool first_seen, bool *first_now)
{
    bool words = pn_line_has(line, "Inject") && pn_line_has(line, "Latency") &&
                 pn_line_has(line, "Bandwidth");
    bool units =
        pn_line_has(line, "Delay") && pn_line_has(line, "(ns)") && pn_line_has(line, "B/sec");
    *first_now = words && !units;
    return units && (words || first_seen);
}

static bool recognize(const pn_source *source)
{
    static const char *const signs[] = {"Memory Latency Checker", "Measuring Loaded Latencies",
                                        "Measuring idle latencies"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(source->text, signs[i]))
            return true;
    bool first_seen = false;
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line))
        if (line.length > 0 && ends_header(&line, first_seen, &first_seen))
            return true;
    return false;
}

/* Counts tables and remembers the chosen one. */
static found find_tables(const pn_import *import, const pn_source *source)
{
    found f = {{0, 0}, 0, 0, false};
    uint32_t wanted = import->options->table ? import->options->table : 1;
    bool first_seen = false;
    bool read_only = false;
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line)) {
        if (line.length == 0)
            continue;
        if (pn_line_has(&line, "Measuring "))
            read_only = false;
        if (pn_line_has(&line, "Using Read-only traffic type"))
            read_only = true;
        bool first_now;
        if (ends_header(&line, first_seen, &first_now)) {
            if (f.count < 2)
                f.header[f.count] = line.number;
            f.count++;
            if (f.count == wanted) {
                f.want = line.number;
                f.read_only = read_only;
            }
        }
        first_seen = first_now;
    }
    return f;
}

static panem_status choose(const pn_import *import, const found *f)
{
    if (f->count == 0)
        return pn_err_at(import->err, PANEM_E_EMPTY, import->path, 0, 0,
                         "no loaded-latency table found");
    if (f->count > 1 && import->options->table == 0)
        return pn_import_fault(import, f->header[0], 0,
                               "%u loaded-latency tables, at line %u and line %u%s: choose one "
                               "with --table",
                               f->count, f->header[0], f->header[1], f->count > 2 ? ", ..." : "");
    if (f->want == 0)
        return pn_err_at(import->err, PANEM_E_ARG, import->path, 0, 0,
                         "--table %u: the file has %u loaded-latency table%s",
                         import->options->table, f->count, f->count > 1 ? "s" : "");
    return PANEM_OK;
}

static bool is_rule(const pn_line *line)
{
    return strspn(line->text, "=-|: ") >= line->length;
}

static panem_status take_row(pn_import *import, pn_sweep *sweep, const pn_line *line)
{
    double v[3];
    size_t at = 0;
    pn_field field;
    for (int i = 0; i < 3; i++) {
        if (!pn_line_field(line, &at, SEPARATORS, &field))
            return pn_import_fault(import, line->number, 0,
                                   "%d fields where delay, latency and bandwidth should be", i);
        if (!pn_field_number(&field, &v[i]))
            return pn_import_fault(import, line->number, field.col, "'%.40s' is not a number",
                                   field.text);
    }
    if (pn_line_field(line, &at, SEPARATORS, &field))
        PN_TRY(pn_import_say(import, PN_REPAIR, line->number,
                             "text after the row's three numbers: '%.40s ...' ignored",
                             field.text));
    pn_sweep_row row = {v[0], v[2], v[1], line->number};
    return pn_sweep_add(sweep, &row, import->err);
}

/* Does a row of the table start here? Its first field is a whole number. */
static bool starts_row(const pn_line *line)
{
    size_t at = 0;
    pn_field field;
    return pn_line_field(line, &at, SEPARATORS, &field) &&
           strspn(field.text, "0123456789") == strlen(field.text);
}

static panem_status take_unit(pn_import *import, const pn_line *header)
{
    const char *at = pn_line_find(header, "B/sec");
    char unit[] = "?B/s";
    if (at > header->text)
        unit[0] = at[-1];
    if (!pn_import_set_unit(import, unit))
        return pn_import_fault(import, header->number, 0, "unknown bandwidth unit in the header");
    return PANEM_OK;
}

static panem_status read_table(pn_import *import, pn_sweep *sweep, const pn_source *source,
                               const found *f)
{
    double read_pct = 100.0;
    PN_TRY(f->read_only ? pn_import_stated_read_pct(import, 100.0)
                        : pn_import_need_read_pct(import, &read_pct));
    bool inside = false;
    pn_lines lines;
    pn_line line;
    pn_lines_start(&lines, source);
    while (pn_lines_next(&lines, &line)) {
        if (line.number == f->want)
            PN_TRY(take_unit(import, &line));
        if (line.number == f->want) {
            inside = true;
            continue;
        }
        if (!inside || line.length == 0 || (sweep->count == 0 && is_rule(&line)))
            continue;
        if (!starts_row(&line))
            break;
        PN_TRY(take_row(import, sweep, &line));
    }
    return pn_sweep_finish(sweep, import, read_pct, f->want);
}

static panem_status parse(pn_import *import, const pn_source *source)
{
    found f = find_tables(import, source);
    pn_sweep sweep = {NULL, 0, 0};
    PN_TRY(choose(import, &f));
    panem_status status = read_table(import, &sweep, source, &f);
    pn_sweep_release(&sweep);
    return status;
}

const pn_import_format pn_format_mlc = {"mlc",          "MB/s", PN_UNIT_STATED, PN_LATENCY_NS,
                                        PN_UNIT_STATED, false,  recognize,      parse};
