/* cmd_curves_check.c - panem curves check: what is odd about a set, and what follows from it. */
#include <math.h>
#include <string.h>

#include "cli/cmd_curves.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "import/lint.h"

enum { OPT_FORMAT = 256, OPT_THEORETICAL, OPT_STRICT };

typedef struct settings {
    const char *input;
    pn_format format;
    double theoretical_gbs;
    bool strict;
    pn_table *table;
    size_t counts[PN_WARNING + 1];
} settings;

static const struct argp_option OPTIONS[] = {
    {"format", OPT_FORMAT, "FORMAT", 0, "table, csv or json (default: table)", 0},
    {"theoretical-peak", OPT_THEORETICAL, "PEAK", 0,
     "channels x bytes x MT/s, as in 8x8x4800, or a bandwidth as in 307.2GB/s (default: the set's "
     "own metadata)",
     0},
    {"strict", OPT_STRICT, NULL, 0, "exit with 1 when there is a repair or a warning", 0},
    {0}};

static const pn_column COLUMNS[] = {
    {"severity", "severity", "", -1}, {"kind", "kind", "", -1},
    {"read_pct", "reads", "%", 2},    {"place", "place", "", -1},
    {"finding", "finding", "", -1},   {"consequence", "consequence", "", -1}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    switch (key) {
    case OPT_FORMAT:
        s->format = pn_option_format(state, arg);
        break;
    case OPT_THEORETICAL:
        if (pn_theoretical_peak_parse(&s->theoretical_gbs, arg, &err) != PANEM_OK)
            return pn_option_error(state, &err);
        break;
    case OPT_STRICT:
        s->strict = true;
        break;
    case ARGP_KEY_ARG:
    case ARGP_KEY_END:
        return pn_curves_take_one_input(state, key, arg, &s->input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void take_finding(void *user, const pn_lint_finding *f)
{
    settings *s = user;
    char place[300] = "";
    s->counts[f->severity]++;
    if (f->file[0] && f->line)
        (void)snprintf(place, sizeof place, "%s:%u", f->file, f->line);
    pn_table_text(s->table, pn_severity_name(f->severity));
    pn_table_text(s->table, f->kind);
    pn_table_number(s->table, f->read_pct);
    pn_table_text(s->table, place);
    pn_table_text(s->table, f->text);
    pn_table_text(s->table, f->consequence);
}

static int check(settings *s, const pn_rawset *raw)
{
    panem_error err = PANEM_ERROR_INIT;
    panem_curves *set = NULL;
    if (pn_lint(&set, raw, NULL, s->theoretical_gbs, take_finding, s, &err) != PANEM_OK)
        return pn_fail(&err);
    if (pn_table_failed(s->table)) {
        panem_curves_destroy(set);
        (void)pn_err(&err, PANEM_E_NOMEM, "no memory for a table");
        return pn_fail(&err);
    }
    const char *name = panem_curves_meta(set, "name");
    size_t found = s->counts[PN_NOTE] + s->counts[PN_REPAIR] + s->counts[PN_WARNING];
    if (found > 0 || s->format != PN_FORMAT_TABLE)
        pn_table_print(s->table, s->format, stdout);
    pn_curves_summary(set, raw->count, name ? name : s->input, s->theoretical_gbs);
    (void)fprintf(stderr, "panem: %zu warnings, %zu repairs, %zu notes\n", s->counts[PN_WARNING],
                  s->counts[PN_REPAIR], s->counts[PN_NOTE]);
    panem_curves_destroy(set);
    return s->strict && s->counts[PN_REPAIR] + s->counts[PN_WARNING] > 0 ? PN_EXIT_FAILED
                                                                         : PN_EXIT_OK;
}

static int run(void *user)
{
    settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    s->table = pn_table_new(COLUMNS, sizeof COLUMNS / sizeof *COLUMNS);
    panem_status status = s->table ? pn_curves_read(&raw, s->input, &err)
                                   : pn_err(&err, PANEM_E_NOMEM, "no memory for a table");
    int code = status == PANEM_OK ? check(s, &raw) : pn_fail(&err);
    pn_rawset_release(&raw);
    pn_table_free(s->table);
    return code;
}

const pn_command pn_cmd_curves_check = {
    .name = "curves check",
    .arguments = "SET",
    .summary = "list what is odd about a curve set and what follows from it",
    .details =
        "Builds the set as every other command does and lists, each with its place and its "
        "consequence:\n\n"
        "repairs: points that were dropped or put in another order;\n\n"
        "warnings: idle latency outside 40..600 ns; peak above the theoretical one or below a "
        "quarter of it; slope x peak beyond the last point outside 0.5..2 (1 keeps the bandwidth "
        "level, more lets it collapse, less lets it rise above the peak); fewer than 5 kept "
        "points; two curves with the same points;\n\n"
        "notes: a kept point past the peak; many dropped points; large steps of latency; a peak "
        "that no kept point reaches; gaps between read percents; missing metadata.\n\n"
        "SET is our CSV, in any compression; - is standard input. Findings go to standard output, "
        "counts to standard error.\n\n"
        "Exit status: 0 checked, 1 with --strict when there is a repair or a warning, 2 usage, 3 "
        "bad input.",
    .examples = "  panem curves check curves/ddr5-5200x8.csv\n"
                "  panem curves check --strict --format json skylake.csv\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run};
