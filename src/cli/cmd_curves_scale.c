/* cmd_curves_scale.c - panem curves scale: factors, offsets and a corrected clock on a set. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cmd_curves.h"
#include "cli/commands.h"

enum { OPT_BANDWIDTH = 256, OPT_LATENCY, OPT_OFFSET, OPT_ON_CHIP, OPT_CLOCK, OPT_NAME };

typedef struct settings {
    const char *input;
    const char *output;
    const char *name;
    double bandwidth_factor, latency_factor; /* 0: not given */
    double clock_from_hz, clock_to_hz;       /* 0: not given */
    double offset_ns, on_chip_ns;
} settings;

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "FILE", 0, "the CSV set to write; - is standard output (required)", 0},
    {"bandwidth-factor", OPT_BANDWIDTH, "FACTOR", 0, "every bandwidth times this (default: 1)", 0},
    {"latency-factor", OPT_LATENCY, "FACTOR", 0, "every latency times this (default: 1)", 0},
    {"clock", OPT_CLOCK, "FROM:TO", 0,
     "the latencies were cycles, divided by FROM where TO was the clock, as in 2.0GHz:2.98GHz: "
     "every latency times FROM / TO",
     0},
    {"latency-offset", OPT_OFFSET, "TIME", 0,
     "added to every latency after the factors, as in 28ns or -28ns (default: 0)", 0},
    {"on-chip", OPT_ON_CHIP, "TIME", 0,
     "taken off every latency last: the part the host simulates itself (default: 0)", 0},
    {"name", OPT_NAME, "TEXT", 0, "name of the set (default: as it is)", 0},
    {0}};

static void fail(struct argp_state *state, const char *option, const char *arg, const char *wanted)
{
    panem_error err = PANEM_ERROR_INIT;
    (void)pn_err(&err, PANEM_E_ARG, "%s: '%s' is not %s", option, arg, wanted);
    (void)pn_option_error(state, &err);
}

static double factor(struct argp_state *state, const char *option, const char *arg)
{
    double value = pn_option_number(state, arg, option);
    if (!(value > 0.0))
        fail(state, option, arg, "a positive factor");
    return value;
}

static void take_clock(struct argp_state *state, settings *s, const char *arg)
{
    char from[40];
    const char *colon = strchr(arg, ':');
    if (!colon || (size_t)(colon - arg) >= sizeof from) {
        fail(state, "--clock", arg, "FROM:TO, as in 2.0GHz:2.98GHz");
        return;
    }
    memcpy(from, arg, (size_t)(colon - arg));
    from[colon - arg] = '\0';
    s->clock_from_hz = pn_option_unit(state, from, PN_DIM_FREQUENCY, "--clock");
    s->clock_to_hz = pn_option_unit(state, colon + 1, PN_DIM_FREQUENCY, "--clock");
    if (!(s->clock_from_hz > 0.0) || !(s->clock_to_hz > 0.0))
        fail(state, "--clock", arg, "two positive frequencies");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    switch (key) {
    case 'o':
        s->output = arg;
        break;
    case OPT_NAME:
        s->name = arg;
        break;
    case OPT_BANDWIDTH:
        s->bandwidth_factor = factor(state, "--bandwidth-factor", arg);
        break;
    case OPT_LATENCY:
        s->latency_factor = factor(state, "--latency-factor", arg);
        break;
    case OPT_CLOCK:
        take_clock(state, s, arg);
        break;
    case OPT_OFFSET:
        s->offset_ns = pn_option_unit(state, arg, PN_DIM_TIME, "--latency-offset") / 1e3;
        break;
    case OPT_ON_CHIP:
        s->on_chip_ns = pn_option_unit(state, arg, PN_DIM_TIME, "--on-chip") / 1e3;
        if (!(s->on_chip_ns >= 0.0))
            fail(state, "--on-chip", arg, "zero or positive");
        break;
    case ARGP_KEY_ARG:
    case ARGP_KEY_END:
        if (key == ARGP_KEY_END && s->input && !s->output) {
            (void)pn_err(&err, PANEM_E_ARG, "curves scale: no output given: -o FILE");
            return pn_option_error(state, &err);
        }
        return pn_curves_take_one_input(state, key, arg, &s->input);
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void describe(pn_text *text, const char *what, double value, const char *unit)
{
    pn_text_puts(text, text->length ? "; " : "");
    pn_text_puts(text, what);
    pn_text_number(text, value);
    pn_text_puts(text, unit);
}

/* What the latency includes, once a part of it is off. */
static panem_status note_on_chip(const settings *s, pn_rawset *raw, panem_error *err)
{
    const char *before = pn_rawset_meta(raw, "latency_includes");
    pn_text text = PN_TEXT_INIT;
    if (!before || s->on_chip_ns == 0.0)
        return PANEM_OK;
    pn_text_printf(&text, "%s; less ", before);
    pn_text_number(&text, s->on_chip_ns);
    pn_text_puts(&text, " ns of on-chip part");
    panem_status status = text.failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the metadata")
                                      : pn_rawset_set_meta(raw, "latency_includes", text.data, err);
    pn_text_release(&text);
    return status;
}

/* The metadata: what was done, and a theoretical peak that follows the bandwidth. */
static panem_status note(const settings *s, pn_rawset *raw, panem_error *err)
{
    pn_text text = PN_TEXT_INIT;
    if (s->bandwidth_factor > 0.0)
        describe(&text, "bandwidth x ", s->bandwidth_factor, "");
    if (s->latency_factor > 0.0)
        describe(&text, "latency x ", s->latency_factor, "");
    if (s->clock_from_hz > 0.0) {
        describe(&text, "clock ", s->clock_from_hz / 1e9, " -> ");
        pn_text_number(&text, s->clock_to_hz / 1e9);
        pn_text_puts(&text, " GHz");
    }
    if (s->offset_ns != 0.0)
        describe(&text, s->offset_ns > 0.0 ? "latency + " : "latency - ", fabs(s->offset_ns),
                 " ns");
    if (s->on_chip_ns > 0.0)
        describe(&text, "on-chip part off: latency - ", s->on_chip_ns, " ns");
    panem_status status = text.failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the metadata")
                          : text.length == 0 ? PANEM_OK
                                             : pn_curves_add_transform(raw, text.data, err);
    pn_text_release(&text);
    const char *peak = pn_rawset_meta(raw, "theoretical_peak_gbs");
    double gbs;
    if (status == PANEM_OK && s->bandwidth_factor > 0.0 && peak && pn_num_parse_all(peak, &gbs)) {
        char number[PN_NUM_TEXT_MAX];
        (void)pn_num_format(number, gbs * s->bandwidth_factor);
        status = pn_rawset_set_meta(raw, "theoretical_peak_gbs", number, err);
    }
    if (status == PANEM_OK)
        status = note_on_chip(s, raw, err);
    if (status == PANEM_OK && s->name)
        status = pn_rawset_set_meta(raw, "name", s->name, err);
    return status;
}

/* In the order of panem_curves_options: factors, offset, on-chip part. A latency that was positive
 * must stay so; dirty points stay dirty. */
static panem_status transform(const settings *s, pn_rawset *raw, panem_error *err)
{
    double b = s->bandwidth_factor > 0.0 ? s->bandwidth_factor : 1.0;
    double l = s->latency_factor > 0.0 ? s->latency_factor : 1.0;
    double clock = s->clock_from_hz > 0.0 ? s->clock_from_hz / s->clock_to_hz : 1.0;
    for (size_t i = 0; i < raw->count; i++) {
        pn_raw_point *p = &raw->points[i];
        double before = p->latency_ns;
        p->bandwidth_gbs *= b;
        p->bandwidth_std_gbs *= b;
        p->latency_std_ns *= l * clock;
        p->latency_ns = before * l * clock + s->offset_ns - s->on_chip_ns;
        if (before > 0.0 && !(p->latency_ns > 0.0))
            return pn_err_at(err, PANEM_E_RANGE, raw->files[p->file], p->line, 0,
                             "a latency of %.6g ns would become %.6g ns; it must stay positive",
                             before, p->latency_ns);
    }
    return PANEM_OK;
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_rawset raw;
    pn_rawset_init(&raw, NULL);
    panem_status status = pn_curves_read(&raw, s->input, &err);
    if (status == PANEM_OK)
        status = transform(s, &raw, &err);
    if (status == PANEM_OK)
        status = note(s, &raw, &err);
    int code = status == PANEM_OK ? pn_curves_write(&raw, s->output) : pn_fail(&err);
    pn_rawset_release(&raw);
    return code;
}

const pn_command pn_cmd_curves_scale = {
    .name = "curves scale",
    .arguments = "SET",
    .summary = "apply factors, offsets or a corrected clock to a curve set",
    .details =
        "Acts on the raw points in this order: bandwidth and latency factors, clock, latency "
        "offset, on-chip part. Units: GB/s (1e9 B/s) and ns. Standard deviations follow the "
        "factors, the theoretical peak of the metadata follows the bandwidth factor. What was done "
        "is added to the metadata line 'transforms'. A latency that would not stay positive is an "
        "error.\n\n"
        "SET is our CSV, in any compression; - is standard input. Exit status: 0 success, 1 the "
        "output could not be written, 2 usage, 3 bad input.",
    .examples = "  panem curves scale spr.csv --clock 2.0GHz:2.98GHz -o spr-right.csv\n"
                "  panem curves scale ddr4.csv --bandwidth-factor 2 -o ddr4-12ch.csv\n"
                "  panem curves scale skylake.csv --on-chip 28ns -o skylake-memory.csv\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run};
