/* cmd_traffic.c - options of `panem traffic`. */
#include <string.h>

#include "cli/cmd_trace.h"
#include "cli/commands.h"
#include "cli/traffic.h"

enum {
    KEY_READ_PCT = 256,
    KEY_CORES,
    KEY_LOAD,
    KEY_CLOSED,
    KEY_OUTSTANDING,
    KEY_SHARERS,
    KEY_NO_COMPARE,
    KEY_ARRIVAL,
    KEY_MIX,
    KEY_PATTERN,
    KEY_RANDOM,
    KEY_BURST,
    KEY_WINDOWS,
    KEY_STEP,
    KEY_SEEDS,
    KEY_SEED,
    KEY_SERIES,
    KEY_ERROR,
    KEY_REQUESTS,
    KEY_ON_CHIP,
    KEY_STRICT,
    KEY_TRACE,
    KEY_CLOCK,
    KEY_FORMAT
};

static const struct argp_option OPTIONS[] = {
    {"curves", 'c', "SET", 0,
     "curve set (our CSV) the models are made from; required, but with dram: models alone", 0},
    {"model", 'm', "LIST", 0,
     "models to run, separated by commas; each may carry options as :key=value (default panem)", 0},
    {"read-pct", KEY_READ_PCT, "LIST", 0,
     "read percent of the traffic, list or FIRST:LAST:STEP (default 50,67,75,100)", 0},
    {"load", KEY_LOAD, "LIST", 0,
     "offered load in percent of peak (without curves: of the DRAM's stream law), list or range "
     "(default 5%:150%:5%)",
     0},
    {"cores", KEY_CORES, "N", 0, "abstract cores that send, 1..4096 (default 2)", 0},
    {"closed-loop", KEY_CLOSED, "C", 0,
     "C requests always in flight, no think time, instead of a load", 0},
    {"outstanding", KEY_OUTSTANDING, "M", 0,
     "most requests in flight per core (default: twice what the curve holds at its peak)", 0},
    {"sharers", KEY_SHARERS, "N", 0,
     "the cores stand for one of N equal groups: their peak is peak/N (default 1); with N above 1, "
     "N groups on the whole curve run beside for comparison",
     0},
    {"no-compare", KEY_NO_COMPARE, NULL, 0, "with --sharers: leave the comparison run out", 0},
    {"arrival", KEY_ARRIVAL, "KIND", 0, "poisson or even gaps (default poisson)", 0},
    {"mix", KEY_MIX, "KIND", 0, "reads and writes evenly spread or random (default even)", 0},
    {"pattern", KEY_PATTERN, "KIND", 0, "steady or burst (default steady)", 0},
    {"random-share", KEY_RANDOM, "F", 0,
     "share of requests that go to random lines; only dram looks at addresses (default 0)", 0},
    {"burst", KEY_BURST, "LOW..HIGH", 0,
     "burst pattern: on-phases log-uniform in LOW..HIGH, off-phases as long (default 200ns..50us)",
     0},
    {"windows", KEY_WINDOWS, "COUNTxLENGTH", 0,
     "averaging windows of the models, e.g. 4x520ns (default: each model's own)", 0},
    {"step", KEY_STEP, "FROM:TO", 0,
     "measure settling after a step of the load, e.g. 20%:80%, in windows (with --sharers in "
     "averaging horizons)",
     0},
    {"seeds", KEY_SEEDS, "N", 0, "runs averaged with --step (default 100)", 0},
    {"seed", KEY_SEED, "N", 0, "first random seed (default 1)", 0},
    {"series", KEY_SERIES, "FILE", 0,
     "write every 520 ns window of every point to a CSV file: completed bandwidth, outstanding "
     "bytes, latency",
     0},
    {"error", KEY_ERROR, "E", 0, "target standard error of each mean latency (default 0.1%)", 0},
    {"requests-max", KEY_REQUESTS, "N", 0, "most requests measured per point (default 16M)", 0},
    {"on-chip", KEY_ON_CHIP, "TIME", 0, "part of the latency to take off the curves first", 0},
    {"strict", KEY_STRICT, NULL, 0, "refuse a curve set that needs a repair", 0},
    {"trace", KEY_TRACE, "FILE", 0,
     "replay this memory trace in place of the abstract cores (gem5, dramsim3, ramulator, dramsys, "
     "lackey, memory-only .ptrace)",
     0},
    {"clock", KEY_CLOCK, "FREQ", 0, "with --trace: clock of a trace whose times are cycles", 0},
    PN_TRACE_INPUT_OPTIONS,
    {"format", KEY_FORMAT, "F", 0, "table, csv or json (default table)", 0},
    {0},
};

static const char *option_name(int key)
{
    const struct argp_option *o = OPTIONS;
    while (o->name && o->key != key)
        o++;
    return o->name;
}

static panem_status choose(uint32_t *value, const char *text, const char *const names[2],
                           const char *what, panem_error *err)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (strcmp(names[i], text) == 0) {
            *value = i;
            return PANEM_OK;
        }
    }
    return pn_err(err, PANEM_E_ARG, "%s: '%s' is neither %s nor %s", what, text, names[0],
                  names[1]);
}

static panem_status whole(uint32_t *value, const char *text, uint64_t min, uint64_t max,
                          const char *what, panem_error *err)
{
    uint64_t v;
    PN_TRY(pn_unit_parse_u64(&v, text, PN_DIM_COUNT, min, max, what, err));
    *value = (uint32_t)v;
    return PANEM_OK;
}

/* Cuts text at the first occurrence of a separator; both halves must not be empty. */
static panem_status halves(char first[64], const char **second, const char *text, const char *mark,
                           const char *what, panem_error *err)
{
    const char *at = strstr(text, mark);
    size_t length = at ? (size_t)(at - text) : 0;
    if (!at || length == 0 || length >= 64 || at[strlen(mark)] == '\0')
        return pn_err(err, PANEM_E_ARG, "%s: '%s' is not A%sB", what, text, mark);
    memcpy(first, text, length);
    first[length] = '\0';
    *second = at + strlen(mark);
    return PANEM_OK;
}

static panem_status take_burst(pn_traffic_settings *s, const char *text, panem_error *err)
{
    char low[64];
    const char *high;
    PN_TRY(halves(low, &high, text, "..", "--burst", err));
    PN_TRY(pn_unit_parse_u64(&s->source.burst_low_ps, low, PN_DIM_TIME, 1000, 1000000000000ULL,
                             "--burst", err));
    return pn_unit_parse_u64(&s->source.burst_high_ps, high, PN_DIM_TIME, s->source.burst_low_ps,
                             1000000000000ULL, "--burst", err);
}

static panem_status take_step(pn_traffic_settings *s, const char *text, panem_error *err)
{
    char from[64];
    const char *to;
    PN_TRY(halves(from, &to, text, ":", "--step", err));
    PN_TRY(pn_unit_parse(&s->step_from, from, PN_DIM_FRACTION, "--step", err));
    PN_TRY(pn_unit_parse(&s->step_to, to, PN_DIM_FRACTION, "--step", err));
    if (!(s->step_from > 0.0 && s->step_to > 0.0))
        return pn_err(err, PANEM_E_ARG, "--step: loads must be above 0");
    return PANEM_OK;
}

static panem_status take_models(pn_traffic_settings *s, const char *text, panem_error *err)
{
    PN_TRY(pn_words_parse(&s->models, text, "--model", err));
    for (size_t i = 0; i < s->models.count; i++)
        PN_TRY(pn_traffic_check_model(s->models.items[i], err));
    return PANEM_OK;
}

/* A bare number is a fraction: 50 would be fifty times the peak, and surely means 50 %. */
static panem_status take_loads(pn_traffic_settings *s, const char *text, panem_error *err)
{
    const double load_max = 4.0;
    PN_TRY(pn_list_parse(&s->load, text, PN_DIM_FRACTION, "--load", err));
    for (size_t i = 0; i < s->load.count; i++)
        if (!(s->load.values[i] > 0.0 && s->load.values[i] <= load_max))
            return pn_err(err, PANEM_E_ARG,
                          "--load: a load must be above 0 and at most 400%% of peak (half the peak "
                          "is 50%% or 0.5)");
    return PANEM_OK;
}

static panem_status take_read_pct(pn_traffic_settings *s, const char *text, panem_error *err)
{
    PN_TRY(pn_list_parse(&s->read_pct, text, PN_DIM_NONE, "--read-pct", err));
    for (size_t i = 0; i < s->read_pct.count; i++)
        if (!(s->read_pct.values[i] >= 0.0 && s->read_pct.values[i] <= 100.0))
            return pn_err(err, PANEM_E_ARG, "--read-pct: outside 0..100");
    return PANEM_OK;
}

static panem_status take_source(pn_traffic_settings *s, int key, const char *arg, panem_error *err)
{
    static const char *const arrivals[2] = {"poisson", "even"};
    static const char *const mixes[2] = {"even", "random"};
    static const char *const patterns[2] = {"steady", "burst"};
    uint32_t v = 0;
    panem_status status = PANEM_OK;
    if (key == KEY_ARRIVAL) {
        status = choose(&v, arg, arrivals, "--arrival", err);
        s->source.arrival = (pn_arrival)v;
    } else if (key == KEY_MIX) {
        status = choose(&v, arg, mixes, "--mix", err);
        s->source.mixing = (pn_mixing)v;
    } else {
        status = choose(&v, arg, patterns, "--pattern", err);
        s->source.pattern = (pn_pattern)v;
    }
    return status;
}

static panem_status take_number(pn_traffic_settings *s, int key, const char *arg, panem_error *err)
{
    double ps;
    switch (key) {
    case KEY_CORES:
        return whole(&s->cores, arg, 1, 4096, "--cores", err);
    case KEY_CLOSED:
        return whole(&s->closed_loop, arg, 1, 1 << 20, "--closed-loop", err);
    case KEY_OUTSTANDING:
        return whole(&s->outstanding, arg, 1, 1 << 20, "--outstanding", err);
    case KEY_SHARERS:
        return whole(&s->sharers, arg, 1, 1024, "--sharers", err);
    case KEY_SEEDS:
        return whole(&s->seeds, arg, 1, 100000, "--seeds", err);
    case KEY_SEED:
        return pn_unit_parse_u64(&s->source.seed, arg, PN_DIM_COUNT, 0, UINT64_C(1) << 52, "--seed",
                                 err);
    case KEY_REQUESTS:
        return pn_unit_parse_u64(&s->requests_max, arg, PN_DIM_COUNT, 1, UINT64_C(1) << 50,
                                 "--requests-max", err);
    case KEY_RANDOM:
        return pn_unit_parse(&s->source.random_share, arg, PN_DIM_FRACTION, "--random-share", err);
    case KEY_ON_CHIP:
        PN_TRY(pn_unit_parse(&ps, arg, PN_DIM_TIME, "--on-chip", err));
        s->on_chip_ns = ps / 1000.0;
        return PANEM_OK;
    default:
        PN_TRY(pn_unit_parse(&s->target_error, arg, PN_DIM_FRACTION, "--error", err));
        if (!(s->target_error > 0.0 && s->target_error < 1.0))
            return pn_err(err, PANEM_E_ARG, "--error: '%s' is not between 0 and 100%%", arg);
        return PANEM_OK;
    }
}

static panem_status take(pn_traffic_settings *s, int key, char *arg, panem_error *err)
{
    switch (key) {
    case 'c':
        s->curves_path = arg;
        return PANEM_OK;
    case 'm':
        return take_models(s, arg, err);
    case KEY_READ_PCT:
        return take_read_pct(s, arg, err);
    case KEY_LOAD:
        return take_loads(s, arg, err);
    case KEY_NO_COMPARE:
        s->compare = false;
        return PANEM_OK;
    case KEY_TRACE:
        s->trace_path = arg;
        return PANEM_OK;
    case KEY_CLOCK:
        s->trace_option = option_name(key);
        return pn_unit_parse_u64(&s->clock_hz, arg, PN_DIM_FREQUENCY, 1000, UINT64_C(1) << 40,
                                 "--clock", err);
    case KEY_ARRIVAL:
    case KEY_MIX:
    case KEY_PATTERN:
        return take_source(s, key, arg, err);
    case KEY_BURST:
        return take_burst(s, arg, err);
    case KEY_WINDOWS:
        s->windows_text = arg;
        return PANEM_OK;
    case KEY_STEP:
        return take_step(s, arg, err);
    case KEY_SERIES:
        s->series_path = arg;
        return PANEM_OK;
    case KEY_STRICT:
        s->strict = true;
        return PANEM_OK;
    default:
        return take_number(s, key, arg, err);
    }
}

/* Does this option steer the abstract cores, which a replay has none of? */
static bool of_generators(int key)
{
    static const int keys[] = {KEY_READ_PCT, KEY_CORES,   KEY_LOAD,   KEY_NO_COMPARE, KEY_ARRIVAL,
                               KEY_MIX,      KEY_PATTERN, KEY_RANDOM, KEY_BURST,      KEY_STEP,
                               KEY_SEEDS,    KEY_SEED,    KEY_ERROR};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i] == key)
            return true;
    }
    return false;
}

/* What goes together and what must be there. */
static panem_status check(const pn_traffic_settings *s, panem_error *err)
{
    bool only_dram = true;
    for (size_t i = 0; i < s->models.count; i++)
        only_dram = only_dram && pn_traffic_is_dram(s->models.items[i]);
    if (s->trace_path && s->generator_option)
        return pn_err(err, PANEM_E_ARG,
                      "--%s is of the abstract cores, in whose place --trace sends",
                      s->generator_option);
    if (!s->trace_path && s->trace_option)
        return pn_err(err, PANEM_E_ARG, "--%s is of a replay: --trace FILE is missing",
                      s->trace_option);
    if (!s->curves_path && !only_dram)
        return pn_err(err, PANEM_E_ARG, "traffic: --curves SET is missing");
    if (!s->curves_path && (s->strict || s->on_chip_ns > 0.0))
        return pn_err(err, PANEM_E_ARG, "traffic: --%s is of a curve set: --curves SET is missing",
                      s->strict ? "strict" : "on-chip");
    return PANEM_OK;
}

static panem_status set_defaults(pn_traffic_settings *s, panem_error *err)
{
    s->cores = 2;
    s->sharers = 1;
    s->compare = true;
    s->seeds = 100;
    s->source.seed = 1;
    s->source.burst_low_ps = 200000;
    s->source.burst_high_ps = 50000000;
    s->target_error = 0.001;
    s->requests_max = 16000000;
    s->step_to = -1.0;
    PN_TRY(take_models(s, "panem", err));
    PN_TRY(take_read_pct(s, "50,67,75,100", err));
    return take_loads(s, "5%:150%:5%", err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    pn_traffic_settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    switch (key) {
    case ARGP_KEY_INIT:
        status = set_defaults(s, &err);
        break;
    case KEY_FORMAT:
        s->format = pn_option_format(state, arg);
        break;
    case ARGP_KEY_ARG:
        return ARGP_ERR_UNKNOWN;
    case ARGP_KEY_END:
        status = check(s, &err);
        break;
    default:
        if (pn_trace_input_key(key)) {
            status = pn_trace_input_option(&s->trace_options, key, arg, &err);
            s->trace_option = option_name(key);
            break;
        }
        if (key != 'c' && key != 'm' && (key < KEY_READ_PCT || key > KEY_FORMAT))
            return ARGP_ERR_UNKNOWN;
        if (of_generators(key))
            s->generator_option = option_name(key);
        status = take(s, key, arg, &err);
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static int run(void *settings)
{
    pn_traffic_settings *s = settings;
    panem_error err = PANEM_ERROR_INIT;
    panem_curves_options options = PANEM_CURVES_OPTIONS_INIT;
    options.on_chip_ns = s->on_chip_ns;
    options.strict = s->strict;
    if (s->curves_path && panem_curves_load(&s->set, s->curves_path, &options, &err) != PANEM_OK)
        return pn_fail(&err);
    if (s->trace_path)
        return pn_traffic_replay(s);
    return s->step_to > 0.0 ? pn_traffic_step(s) : pn_traffic_points(s);
}

static void release(void *settings)
{
    pn_traffic_settings *s = settings;
    panem_curves_destroy(s->set);
    pn_words_release(&s->models);
}

const pn_command pn_cmd_traffic = {
    .name = "traffic",
    .arguments = NULL,
    .summary = "drive memory models with abstract cores and compare them with their curves",
    .details =
        "Abstract cores with a rate limit and a bounded number of requests in flight send 64-byte "
        "requests to each model over its asynchronous port. A point is measured, after a warm-up, "
        "until the standard error of its mean latency is below --error, or says that it did not "
        "converge. Achieved bandwidth counts completed bytes. The curve's latency is the lower "
        "branch of the converted relation at the achieved bandwidth and read fraction; above the "
        "peak there is none (n/a). GB/s = 1e9 bytes per second.\n\n"
        "With --trace a memory trace is replayed instead, in its order and as 64-byte requests: at "
        "its own times (ps, or cycles with --clock; a request that finds --outstanding requests in "
        "flight, 4096 by default, goes late and is counted), or, when it has none or with "
        "--closed-loop C, as fast as C requests (default 64) in flight allow. Nothing in such a "
        "trace "
        "tells which request waited for which: latency does not feed back.\n\n"
        "Models: panem, panem:paper, fixed:idle, fixed:high; the analytic peers md1 (zsim), mess "
        "(Mess), mg1 and nextfree (Sniper), each by its published rule (docs/peers.md); and "
        "dram:PRESET, the cycle-level reference (panem dram list), whose own curve set should "
        "stand beside it; without --curves, loads are percents of its stream law and nothing is "
        "compared. Options of a model follow its name, e.g. panem:window=1us:guard=off; "
        "keys: window, windows, sharers, guard, guard_slack, beyond, between, early_write_ack, "
        "ring, cbusy_by, cbusy1..3, cbusy_hysteresis; of the peers: frequency, phase_length, "
        "curve_window_size, window_size, num_outstanding; of dram: panem dram show.",
    .examples = "panem traffic --curves curves/ddr5-5200x8.csv --read-pct 50,100\n"
                "panem traffic -c SET.csv --model panem,panem:paper,fixed:idle --format json\n"
                "panem traffic -c SET.csv --model panem,md1:frequency=3GHz,mess,mg1,nextfree\n"
                "panem traffic --model dram:ddr5-5200,dram:ddr5-6400 --random-share 40%\n"
                "panem traffic -c SET.csv --step 20%:80% --seeds 100\n"
                "panem traffic --trace gem5.trc.gz -c SET.csv --model panem,dram:ddr5-5200\n"
                "panem traffic -c SET.csv --sharers 96 --load 10%:90%:10%\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(pn_traffic_settings),
    .run = run,
    .release = release,
};
