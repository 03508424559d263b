/* cmd_curves_show.c - panem curves show: points as measured and as converted, for eyes and plots.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/cmd_curves.h"
#include "cli/commands.h"
#include "cli/table.h"

enum { OPT_FORMAT = 256, OPT_CONVERTED, OPT_READ_PCT, OPT_ON_CHIP };

typedef struct settings {
    const char *input;
    pn_format format;
    bool converted;
    bool one_mix;
    double read_frac; /* with one_mix */
    double on_chip_ns;
} settings;

static const struct argp_option OPTIONS[] = {
    {"converted", OPT_CONVERTED, NULL, 0,
     "the relation from outstanding bytes to latency: kept points, and both extrapolations beyond "
     "them (default: the raw points)",
     0},
    {"read-pct", OPT_READ_PCT, "PERCENT", 0,
     "one curve, by percent of reads 0..100; with --converted also between two curves (default: "
     "all curves)",
     0},
    {"on-chip", OPT_ON_CHIP, "TIME", 0, "taken off every latency first, as in 28ns (default: 0)",
     0},
    {"format", OPT_FORMAT, "FORMAT", 0, "table, csv or json (default: table)", 0},
    {0}};

static const pn_column RAW_COLUMNS[] = {
    {"read_pct", "reads", "%", 2},      {"bandwidth_gbs", "bandwidth", "GB/s", 3},
    {"latency_ns", "latency", "ns", 2}, {"outstanding_bytes", "outstanding", "bytes", 1},
    {"state", "state", "", -1},         {"line", "line", "", -2}};

static const pn_column CONVERTED_COLUMNS[] = {{"read_pct", "reads", "%", 2},
                                              {"outstanding_bytes", "outstanding", "bytes", 1},
                                              {"latency_ns", "latency", "ns", 3},
                                              {"bandwidth_gbs", "bandwidth", "GB/s", 3},
                                              {"state", "state", "", -1}};

static const pn_column CURVE_COLUMNS[] = {{"read_pct", "reads", "%", 2},
                                          {"raw_points", "raw", "points", -2},
                                          {"kept_points", "kept", "points", -2},
                                          {"idle_ns", "idle", "ns", 2},
                                          {"peak_gbs", "peak", "GB/s", 2},
                                          {"last_gbs", "last", "GB/s", 2},
                                          {"slope_times_peak", "slope x peak", "", 3}};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    switch (key) {
    case OPT_FORMAT:
        s->format = pn_option_format(state, arg);
        break;
    case OPT_CONVERTED:
        s->converted = true;
        break;
    case OPT_ON_CHIP:
        s->on_chip_ns = pn_option_unit(state, arg, PN_DIM_TIME, "--on-chip") / 1e3;
        break;
    case OPT_READ_PCT:
        s->one_mix = true;
        s->read_frac = pn_option_number(state, arg, "--read-pct") / 100.0;
        if (!(s->read_frac >= 0.0 && s->read_frac <= 1.0)) {
            panem_error err = PANEM_ERROR_INIT;
            (void)pn_err(&err, PANEM_E_ARG, "--read-pct: '%s' is outside 0..100", arg);
            return pn_option_error(state, &err);
        }
        break;
    case ARGP_KEY_ARG:
    case ARGP_KEY_END:
        return pn_curves_take_one_input(state, key, arg, &s->input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* A curve is meant when it lies within half a thousandth, as in the model. */
static bool same_mix(double a, double b)
{
    return fabs(a - b) <= 0.0005;
}

/* ---- raw ---- */

static double nearest_frac(const panem_curves *set, double read_frac)
{
    double best = 0.0;
    double distance = 2.0;
    for (uint32_t i = 0; i < panem_curves_count(set); i++) {
        panem_curve_info c;
        (void)panem_curves_info(set, &c, i);
        if (fabs(c.read_frac - read_frac) < distance) {
            distance = fabs(c.read_frac - read_frac);
            best = c.read_frac;
        }
    }
    return best;
}

static void add_raw_row(pn_table *table, const pn_raw_point *p, bool kept, double on_chip_ns)
{
    double latency = p->latency_ns - on_chip_ns;
    pn_table_number(table, 100.0 * p->read_frac);
    pn_table_number(table, p->bandwidth_gbs);
    pn_table_number(table, latency);
    pn_table_number(table, p->bandwidth_gbs * latency);
    pn_table_text(table, kept ? "kept" : "dropped");
    pn_table_number(table, p->line);
}

static void fill_raw(const settings *s, pn_table *table, const pn_rawset *raw,
                     const panem_curves *set, const pn_verdict *verdicts)
{
    double only = s->one_mix ? nearest_frac(set, s->read_frac) : 0.0;
    if (s->one_mix && !same_mix(only, s->read_frac))
        pn_warn("no curve at %.6g %% reads: the nearest, at %.6g %%", 100.0 * s->read_frac,
                100.0 * only);
    for (uint32_t c = 0; c < panem_curves_count(set); c++) {
        panem_curve_info info;
        (void)panem_curves_info(set, &info, c);
        if (s->one_mix && info.read_frac != only)
            continue;
        for (size_t i = 0; i < raw->count; i++)
            if (raw->points[i].read_frac == info.read_frac)
                add_raw_row(table, &raw->points[i], verdicts[i] == PN_KEPT, s->on_chip_ns);
    }
}

/* ---- converted ---- */

static void add_converted_row(pn_table *table, double read_frac, double n, double latency_ns,
                              const char *state)
{
    pn_table_number(table, 100.0 * read_frac);
    pn_table_number(table, n);
    pn_table_number(table, latency_ns);
    pn_table_number(table, n / latency_ns);
    pn_table_text(table, state);
}

/* Beyond the last kept point: a few loads up to 4 times its own, by both relations. */
static void add_beyond(pn_table *table, const panem_curves *set, panem_mix mix, double read_frac,
                       double last)
{
    static const double FACTORS[] = {1.1, 1.25, 1.5, 2.0, 3.0, 4.0};
    static const char *const STATES[] = {"beyond capped", "beyond paper"};
    for (int beyond = 0; beyond < 2; beyond++) {
        panem_relation relation = {(panem_beyond)beyond, mix};
        for (size_t i = 0; i < COUNT(FACTORS); i++) {
            double n = FACTORS[i] * last;
            double ns = (double)panem_latency_ps(set, &relation, n, read_frac) / 1000.0;
            add_converted_row(table, read_frac, n, ns, STATES[beyond]);
        }
    }
}

static void add_curve(pn_table *table, const panem_curves *set, uint32_t index)
{
    panem_curve_info info;
    double n = 0.0;
    double latency;
    (void)panem_curves_info(set, &info, index);
    for (uint32_t i = 0; i < info.kept_points; i++) {
        (void)panem_curves_kept(set, &n, &latency, index, i);
        add_converted_row(table, info.read_frac, n, latency, "kept");
    }
    /* A flat curve is one point: its corner is where it meets the peak. */
    double last = info.kept_points > 1 ? n : info.peak_gbs * info.idle_ns;
    add_beyond(table, set, PANEM_MIX_NEAREST, info.read_frac, last);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Between two curves: at the loads of both. */
static bool add_between(pn_table *table, const panem_curves *set, uint32_t low, double read_frac)
{
    const panem_relation relation = {PANEM_BEYOND_CAPPED, PANEM_MIX_LINEAR};
    panem_curve_info a, b;
    (void)panem_curves_info(set, &a, low);
    (void)panem_curves_info(set, &b, low + 1);
    size_t count = a.kept_points + b.kept_points;
    double *n = malloc(count * sizeof *n);
    double latency;
    if (!n)
        return false;
    for (uint32_t i = 0; i < a.kept_points; i++)
        (void)panem_curves_kept(set, &n[i], &latency, low, i);
    for (uint32_t i = 0; i < b.kept_points; i++)
        (void)panem_curves_kept(set, &n[a.kept_points + i], &latency, low + 1, i);
    qsort(n, count, sizeof *n, by_value);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && n[i] == n[i - 1])
            continue;
        double ns = (double)panem_latency_ps(set, &relation, n[i], read_frac) / 1000.0;
        add_converted_row(table, read_frac, n[i], ns, "interpolated");
    }
    add_beyond(table, set, PANEM_MIX_LINEAR, read_frac, n[count - 1]);
    free(n);
    return true;
}

static bool fill_converted(const settings *s, pn_table *table, const panem_curves *set)
{
    uint32_t count = panem_curves_count(set);
    double only = s->one_mix ? nearest_frac(set, s->read_frac) : 0.0;
    bool exact = !s->one_mix || same_mix(only, s->read_frac);
    for (uint32_t i = 0; i < count; i++) {
        panem_curve_info info, next;
        (void)panem_curves_info(set, &info, i);
        bool between = !exact && i + 1 < count && info.read_frac < s->read_frac &&
                       panem_curves_info(set, &next, i + 1) == PANEM_OK &&
                       next.read_frac > s->read_frac;
        if (between)
            return add_between(table, set, i, s->read_frac);
    }
    if (!exact)
        pn_warn("%.6g %% reads is outside the curves: the nearest, at %.6g %%, answers",
                100.0 * s->read_frac, 100.0 * only);
    for (uint32_t i = 0; i < count; i++) {
        panem_curve_info info;
        (void)panem_curves_info(set, &info, i);
        if (!s->one_mix || info.read_frac == only)
            add_curve(table, set, i);
    }
    return true;
}

/* ---- printing ---- */

/* NULL when there is no memory. */
static json_t *curves_json(const panem_curves *set)
{
    pn_table *table = pn_table_new(CURVE_COLUMNS, COUNT(CURVE_COLUMNS));
    if (!table)
        return NULL;
    for (uint32_t i = 0; i < panem_curves_count(set); i++) {
        panem_curve_info c;
        (void)panem_curves_info(set, &c, i);
        pn_table_number(table, 100.0 * c.read_frac);
        pn_table_number(table, c.raw_points);
        pn_table_number(table, c.kept_points);
        pn_table_number(table, c.idle_ns);
        pn_table_number(table, c.peak_gbs);
        pn_table_number(table, c.last_gbs);
        pn_table_number(table, c.beyond_slope);
    }
    json_t *json = pn_table_failed(table) ? NULL : pn_table_json(table);
    pn_table_free(table);
    return json;
}

/* False when there is no memory. */
static bool print(const settings *s, const pn_table *table, const pn_rawset *raw,
                  const panem_curves *set)
{
    if (pn_table_failed(table))
        return false;
    if (s->format != PN_FORMAT_JSON) {
        pn_table_print(table, s->format, stdout);
        return true;
    }
    json_t *curves = curves_json(set);
    if (!curves)
        return false;
    json_t *meta = json_object();
    for (uint32_t i = 0; i < raw->meta_count; i++)
        (void)json_object_set_new(meta, raw->meta[i].key, json_string(raw->meta[i].value));
    pn_json_print(json_pack("{s:o, s:o, s:o}", "metadata", meta, "curves", curves, "rows",
                            pn_table_json(table)),
                  stdout);
    return true;
}

static int show(const settings *s, const pn_rawset *raw)
{
    panem_curves_options options = PANEM_CURVES_OPTIONS_INIT;
    panem_error err = PANEM_ERROR_INIT;
    panem_curves *set = NULL;
    pn_table *table = s->converted ? pn_table_new(CONVERTED_COLUMNS, COUNT(CONVERTED_COLUMNS))
                                   : pn_table_new(RAW_COLUMNS, COUNT(RAW_COLUMNS));
    pn_verdict *verdicts = calloc(raw->count + 1, sizeof *verdicts);
    options.on_chip_ns = s->on_chip_ns;
    panem_status status = table && verdicts
                              ? pn_curves_build_verdicts(&set, verdicts, raw, &options, &err)
                              : pn_err(&err, PANEM_E_NOMEM, "no memory for a table");
    if (status == PANEM_OK && verdicts && !s->converted)
        fill_raw(s, table, raw, set, verdicts);
    if (status == PANEM_OK && s->converted && !fill_converted(s, table, set))
        status = pn_err(&err, PANEM_E_NOMEM, "no memory for a table");
    if (status == PANEM_OK && !print(s, table, raw, set))
        status = pn_err(&err, PANEM_E_NOMEM, "no memory for a table");
    panem_curves_destroy(set);
    pn_table_free(table);
    free(verdicts);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail(&err);
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    panem_status status = pn_curves_read(&raw, s->input, &err);
    int code = status == PANEM_OK ? show(s, &raw) : pn_fail(&err);
    pn_rawset_release(&raw);
    return code;
}

const pn_command pn_cmd_curves_show = {
    .name = "curves show",
    .arguments = "SET",
    .summary = "print a curve set: raw points, or the relation they become",
    .details =
        "Without --converted: every raw point, with bandwidth in GB/s (1e9 B/s), latency in ns, "
        "their product in bytes (Little's law), and whether repair kept it.\n\n"
        "With --converted: the relation from outstanding bytes to latency. Kept points first, then "
        "loads of 1.1 to 4 times the last kept point's under both rules beyond it: capped (the "
        "default of the model: bandwidth stays between the last point's and the peak) and paper "
        "(the line through the last two points). A --read-pct between two curves is interpolated "
        "at equal outstanding bytes.\n\n"
        "JSON holds metadata, one object per curve (idle, peak, slope x peak) and the rows. SET is "
        "our CSV, in any compression; - is standard input.\n\n"
        "Exit status: 0 success, 1 failure, 2 usage, 3 bad input.",
    .examples = "  panem curves show --read-pct 100 curves/ddr5-5200x8.csv\n"
                "  panem curves show --converted --format csv skylake.csv > relation.csv\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run};
