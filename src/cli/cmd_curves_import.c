/* cmd_curves_import.c - panem curves import: foreign curve files to one CSV set. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cmd_curves.h"
#include "cli/commands.h"
#include "import/lint.h"

enum {
    OPT_FORMAT = 256,
    OPT_BANDWIDTH_UNIT,
    OPT_LATENCY_UNIT,
    OPT_CLOCK,
    OPT_LATENCY_OFFSET,
    OPT_LABEL,
    OPT_READ_PCT,
    OPT_TABLE,
    OPT_THEORETICAL,
    OPT_STRICT,
    OPT_SKIP_BAD,
    OPT_NAME,
    OPT_HARDWARE,
    OPT_LATENCY_INCLUDES
};

enum { KINDS = PANEM_FINDING_PAST_PEAK + 1 };

typedef struct settings {
    pn_inputs inputs;
    const char *output;
    const char *name, *hardware, *latency_includes;
    pn_import_options import;
    bool read_pct_given;
    double theoretical_gbs;
    bool quiet;
    size_t remarks[PN_WARNING + 1];
    size_t kinds[KINDS];
} settings;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "the CSV set to write; - is standard output (required)", 0},
    {"format", OPT_FORMAT, "NAME", 0,
     "read the inputs as this format: csv, mess1, mess2-csv, mess2-json, profet, mlc, asct, "
     "multiload (default: by content)",
     0},
    {"bandwidth-unit", OPT_BANDWIDTH_UNIT, "UNIT", 0,
     "unit of the bandwidth where the file does not state it: B/s, kB/s, MB/s, GB/s, TB/s (powers "
     "of 1000), MiB/s, GiB/s (default: the format's custom)",
     0},
    {"latency-unit", OPT_LATENCY_UNIT, "UNIT", 0,
     "unit of the latency where the file does not state it: ns, or cycles with --clock", 0},
    {"clock", OPT_CLOCK, "FREQUENCY", 0, "clock of latencies in cycles, as in 3.2GHz", 0},
    {"latency-offset", OPT_LATENCY_OFFSET, "TIME", 0,
     "added to every latency after conversion, as in 28ns (default: 0)", 0},
    {"label", OPT_LABEL, "MEANING", 0,
     "what the number of a curve is: traffic (percent of reads in the memory traffic) or kernel "
     "(percent of loads f in the generator; reads are 1 / (2 - f))",
     0},
    {"read-pct", OPT_READ_PCT, "PERCENT", 0,
     "percent of reads, 0..100, of a source that does not say its mix", 0},
    {"table", OPT_TABLE, "N", 0, "which table of a file that holds several, from 1", 0},
    {"theoretical-peak", OPT_THEORETICAL, "PEAK", 0,
     "channels x bytes x MT/s, as in 8x8x4800, or a bandwidth as in 307.2GB/s: kept in the "
     "metadata; a peak above it is warned of",
     0},
    {"name", OPT_NAME, "TEXT", 0, "name of the set (default: of the first input)", 0},
    {"hardware", OPT_HARDWARE, "TEXT", 0, "metadata: what was measured", 0},
    {"latency-includes", OPT_LATENCY_INCLUDES, "TEXT", 0,
     "metadata: what the latency includes, as in 'on-chip part'", 0},
    {"strict", OPT_STRICT, NULL, 0, "a repair is an error", 0},
    {"skip-bad", OPT_SKIP_BAD, NULL, 0, "leave a malformed file out, with a warning", 0},
    {"quiet", 'q', NULL, 0, "only warnings and errors; repairs are counted, not listed", 0},
    {0}};

static void bad_choice(struct argp_state *state, const char *option, const char *text,
                       const char *choices)
{
    panem_error err = PANEM_ERROR_INIT;
    (void)pn_err(&err, PANEM_E_ARG, "%s: '%s' is not one of: %s", option, text, choices);
    (void)pn_option_error(state, &err);
}

static void take_latency_unit(struct argp_state *state, settings *s, const char *arg)
{
    if (strcmp(arg, "ns") == 0)
        s->import.latency_unit = PN_LATENCY_NS;
    else if (strcmp(arg, "cycles") == 0)
        s->import.latency_unit = PN_LATENCY_CYCLES;
    else
        bad_choice(state, "--latency-unit", arg, "ns, cycles");
}

static void take_label(struct argp_state *state, settings *s, const char *arg)
{
    if (strcmp(arg, "traffic") == 0)
        s->import.label = PN_LABEL_TRAFFIC;
    else if (strcmp(arg, "kernel") == 0)
        s->import.label = PN_LABEL_KERNEL;
    else
        bad_choice(state, "--label", arg, "traffic, kernel");
}

static void take_format(struct argp_state *state, settings *s, const char *arg)
{
    char names[160] = "";
    for (int i = 0; pn_import_format_names[i]; i++) {
        if (strcmp(pn_import_format_names[i], arg) == 0) {
            s->import.format = pn_import_format_names[i];
            return;
        }
        size_t used = strlen(names);
        (void)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                       pn_import_format_names[i]);
    }
    bad_choice(state, "--format", arg, names);
}

static void take_bandwidth_unit(struct argp_state *state, settings *s, const char *arg)
{
    for (int i = 0; pn_import_units[i]; i++)
        if (strcmp(pn_import_units[i], arg) == 0)
            s->import.bandwidth_unit = pn_import_units[i];
    if (!s->import.bandwidth_unit)
        bad_choice(state, "--bandwidth-unit", arg, pn_unit_names(PN_DIM_BANDWIDTH));
}

static void take_read_pct(struct argp_state *state, settings *s, const char *arg)
{
    s->import.read_pct = pn_option_number(state, arg, "--read-pct");
    s->read_pct_given = true;
    if (!(s->import.read_pct >= 0.0 && s->import.read_pct <= 100.0))
        bad_choice(state, "--read-pct", arg, "the numbers 0..100");
}

static void take_table(struct argp_state *state, settings *s, const char *arg)
{
    uint64_t table = 0;
    if (!pn_num_parse_u64(arg, &table) || table < 1 || table > 1000000)
        bad_choice(state, "--table", arg, "the whole numbers from 1");
    s->import.table = (uint32_t)table;
}

static void take_theoretical(struct argp_state *state, settings *s, const char *arg)
{
    panem_error err = PANEM_ERROR_INIT;
    if (pn_theoretical_peak_parse(&s->theoretical_gbs, arg, &err) != PANEM_OK)
        (void)pn_option_error(state, &err);
}

static void finish_parsing(struct argp_state *state, settings *s)
{
    panem_error err = PANEM_ERROR_INIT;
    if (s->inputs.count == 0 && !s->inputs.failed)
        (void)pn_err(&err, PANEM_E_ARG, "curves import: no input given");
    else if (!s->output)
        (void)pn_err(&err, PANEM_E_ARG, "curves import: no output given: -o FILE");
    else if (s->import.clock_ghz > 0.0 && s->import.latency_unit == PN_LATENCY_NS)
        (void)pn_err(&err, PANEM_E_ARG, "--clock has no meaning with --latency-unit ns");
    if (err.status != PANEM_OK)
        (void)pn_option_error(state, &err);
}

/* Options about what the inputs hold. */
static bool parse_reading(int key, char *arg, struct argp_state *state, settings *s)
{
    switch (key) {
    case OPT_FORMAT:
        take_format(state, s, arg);
        return true;
    case OPT_BANDWIDTH_UNIT:
        take_bandwidth_unit(state, s, arg);
        return true;
    case OPT_LATENCY_UNIT:
        take_latency_unit(state, s, arg);
        return true;
    case OPT_CLOCK:
        s->import.clock_ghz = pn_option_unit(state, arg, PN_DIM_FREQUENCY, "--clock") / 1e9;
        if (!(s->import.clock_ghz > 0.0))
            bad_choice(state, "--clock", arg, "the positive frequencies");
        return true;
    case OPT_LATENCY_OFFSET:
        s->import.latency_offset_ns =
            pn_option_unit(state, arg, PN_DIM_TIME, "--latency-offset") / 1e3;
        return true;
    case OPT_LABEL:
        take_label(state, s, arg);
        return true;
    case OPT_READ_PCT:
        take_read_pct(state, s, arg);
        return true;
    case OPT_TABLE:
        take_table(state, s, arg);
        return true;
    default:
        return false;
    }
}

/* Options about the set, the output and what is tolerated. */
static bool parse_writing(int key, char *arg, struct argp_state *state, settings *s)
{
    switch (key) {
    case 'o':
        s->output = arg;
        return true;
    case 'q':
        s->quiet = true;
        return true;
    case OPT_THEORETICAL:
        take_theoretical(state, s, arg);
        return true;
    case OPT_NAME:
        s->name = arg;
        return true;
    case OPT_HARDWARE:
        s->hardware = arg;
        return true;
    case OPT_LATENCY_INCLUDES:
        s->latency_includes = arg;
        return true;
    case OPT_STRICT:
        s->import.strict = true;
        return true;
    case OPT_SKIP_BAD:
        s->import.skip_bad = true;
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    if (parse_reading(key, arg, state, s) || parse_writing(key, arg, state, s))
        return 0;
    if (key == ARGP_KEY_ARG)
        pn_inputs_add(&s->inputs, arg);
    else if (key == ARGP_KEY_END)
        finish_parsing(state, s);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

/* ---- remarks ---- */

static void take_note(void *user, const pn_import_note *note)
{
    settings *s = user;
    s->remarks[note->severity]++;
    if (!s->quiet || note->severity == PN_WARNING)
        pn_curves_remark(note->severity, note->file, note->line, note->text);
}

static void take_finding(void *user, const panem_finding *finding)
{
    settings *s = user;
    bool past_peak = finding->kind == PANEM_FINDING_PAST_PEAK;
    s->remarks[past_peak ? PN_NOTE : PN_REPAIR]++;
    s->kinds[finding->kind]++;
    if (!s->quiet)
        pn_curves_remark(past_peak ? PN_NOTE : PN_REPAIR, finding->file, finding->line,
                         finding->text);
}

static void take_gate(void *user, const pn_lint_finding *finding)
{
    char text[512];
    settings *s = user;
    s->remarks[PN_WARNING]++;
    (void)snprintf(text, sizeof text, "at %.6g %% reads: %s: %s", finding->read_pct, finding->text,
                   finding->consequence);
    pn_curves_remark(PN_WARNING, "", 0, text);
}

static void count_repairs(const settings *s)
{
    static const char *const names[KINDS] = {
        "not finite", "negative bandwidth", "latency not positive", "not rising", "fold-back",
        "order",      "duplicate",          "past the peak, kept"};
    const char *before = " (";
    size_t in_text = s->remarks[PN_REPAIR];
    for (int k = 0; k < PANEM_FINDING_PAST_PEAK; k++)
        in_text -= s->kinds[k];
    (void)fprintf(stderr, "panem: %zu repairs", s->remarks[PN_REPAIR]);
    if (in_text > 0) {
        (void)fprintf(stderr, "%sin the text: %zu", before, in_text);
        before = ", ";
    }
    for (int k = 0; k < KINDS; k++) {
        if (s->kinds[k] == 0)
            continue;
        (void)fprintf(stderr, "%s%s: %zu", before, names[k], s->kinds[k]);
        before = ", ";
    }
    (void)fprintf(stderr, "%s\n", *before == ',' ? ")" : "");
}

/* ---- running ---- */

static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t n = strlen(ending);
    return length > n && memcmp(text + length - n, ending, n) == 0;
}

/* Last part of a path without slashes at its end; stem: also without the usual endings. */
static void base_name(pn_text *text, const char *path, bool stem)
{
    static const char *const endings[] = {".gz", ".xz", ".bz2", ".zst", ".txt", ".csv", ".json"};
    size_t end = strlen(path);
    if (strcmp(path, "-") == 0) {
        pn_text_puts(text, "standard input");
        return;
    }
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    for (size_t i = 0; stem && i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path + start, end - start, endings[i]))
            end -= strlen(endings[i]);
    pn_text_add(text, path + start, end - start);
}

static panem_status set_meta(const settings *s, pn_rawset *raw, panem_error *err)
{
    pn_text name = PN_TEXT_INIT;
    pn_text source = PN_TEXT_INIT;
    pn_text peak = PN_TEXT_INIT;
    base_name(&name, s->inputs.paths[0], true);
    base_name(&source, s->inputs.paths[0], false);
    if (s->inputs.count > 1)
        pn_text_printf(&source, " and %zu more", s->inputs.count - 1);
    pn_text_number(&peak, s->theoretical_gbs);
    panem_status status = name.failed || source.failed || peak.failed
                              ? pn_err(err, PANEM_E_NOMEM, "no memory for the metadata")
                              : PANEM_OK;
    if (status == PANEM_OK && (s->name || !pn_rawset_meta(raw, "name")))
        status = pn_rawset_set_meta(raw, "name", s->name ? s->name : name.data, err);
    if (status == PANEM_OK && !pn_rawset_meta(raw, "source"))
        status = pn_rawset_set_meta(raw, "source", source.data, err);
    if (status == PANEM_OK && s->hardware)
        status = pn_rawset_set_meta(raw, "hardware", s->hardware, err);
    if (status == PANEM_OK && s->latency_includes)
        status = pn_rawset_set_meta(raw, "latency_includes", s->latency_includes, err);
    if (status == PANEM_OK && s->theoretical_gbs > 0.0)
        status = pn_rawset_set_meta(raw, "theoretical_peak_gbs", peak.data, err);
    pn_text_release(&name);
    pn_text_release(&source);
    pn_text_release(&peak);
    return status;
}

/* Builds once: lists repairs by the source's place, and refuses what strict forbids. */
static panem_status verify(settings *s, const pn_rawset *raw, panem_error *err)
{
    panem_curves_options options = PANEM_CURVES_OPTIONS_INIT;
    panem_curves *set = NULL;
    options.strict = s->import.strict;
    options.report = take_finding;
    options.report_user = s;
    PN_TRY(pn_curves_build(&set, raw, &options, err));
    pn_lint_gates(set, s->theoretical_gbs, take_gate, s);
    if (!s->quiet) {
        pn_curves_summary(set, raw->count, pn_rawset_meta(raw, "name"), s->theoretical_gbs);
        count_repairs(s);
    }
    panem_curves_destroy(set);
    return PANEM_OK;
}

static int run(void *user)
{
    settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    if (!s->read_pct_given)
        s->import.read_pct = (double)NAN;
    s->import.note = take_note;
    s->import.note_user = s;
    panem_status status = pn_inputs_check(&s->inputs, &err);
    if (status == PANEM_OK)
        status = pn_import_paths(&raw, &s->import, s->inputs.paths, s->inputs.count, &err);
    if (status == PANEM_OK)
        status = set_meta(s, &raw, &err);
    if (status == PANEM_OK)
        status = verify(s, &raw, &err);
    int code = status == PANEM_OK ? pn_curves_write(&raw, s->output) : pn_fail(&err);
    pn_rawset_release(&raw);
    return code;
}

static void release(void *user)
{
    settings *s = user;
    pn_inputs_release(&s->inputs);
}

const pn_command pn_cmd_curves_import = {
    .name = "curves import",
    .arguments = "INPUT...",
    .summary = "read measured bandwidth-latency curves of other tools into one CSV set",
    .details =
        "Reads Mess 1 files or folders (bwlat_<n>.txt), Mess 2.0 CSV and JSON, PROFET JSON, the "
        "loaded-latency tables of Intel MLC and Arm ASCT, multiload, and our own CSV; plain or "
        "compressed; told apart by content. Writes GB/s (1e9 B/s), ns and percent of reads.\n\n"
        "Units that a file states are taken. Units that it does not state are never guessed: the "
        "latency of Mess 1 needs --latency-unit, cycles need --clock. Labels of Mess 1, PROFET and "
        "Mess 2.0 without measured percentages have two meanings (--label). Sources of one mix "
        "need "
        "--read-pct.\n\n"
        "The CSV keeps the points as measured; repair happens whenever it is loaded. Import tries "
        "it once and lists every repair by file and line of the source on standard error; --strict "
        "makes the first one an error. Idle latencies outside 40..600 ns and peaks above "
        "--theoretical-peak are warned of.\n\n"
        "Exit status: 0 success, 1 the output could not be written, 2 usage (a unit or a meaning "
        "is missing), 3 bad input.",
    .examples = "  panem curves import mess/skylake-6146 --latency-unit cycles --clock 3.2GHz \\\n"
                "      --label kernel --theoretical-peak 6x8x2666 -o skylake.csv\n"
                "  panem curves import mlc.txt --theoretical-peak 12x8x2666 -o mlc.csv\n"
                "  panem curves import asct.txt --read-pct 100 -o - | panem curves check -\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
    .release = release};
