/* cmd_judge.c - `panem judge`: models against the cycle-level DRAM reference, window by window.
 *
 * The same open-loop requests, at the same instants, go to the reference and to each model. The
 * latency of a request counts from when it was first asked, so that waiting before a full queue is
 * not lost. The reference runs several times, its refreshes elsewhere each time, and is averaged:
 * where a refresh falls is no property of the traffic. Latencies of reads of random lines, as a
 * chase would do them, are averaged by the
 * window in which they were asked; a model's error in a window is its mean against the reference's.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/list.h"
#include "cli/table.h"
#include "cli/words.h"
#include "dram/dram.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"
#include "traffic/run.h"

/* The reference runs so many times with its refreshes at other places against the traffic, and the
 * truth is the mean: no model can know when a refresh falls. */
enum { TRUTH_RUNS = 8 };
static const uint64_t TRUTH_SHIFT_PS = 977000; /* prime in ns: no multiple of a refresh interval */

enum { LINE_BYTES = 64, WINDOW_READS_MIN = 8, IN_FLIGHT = 1 << 16 };
static const uint64_t WINDOW_PS = 520000;
static const uint64_t WARMUP_WINDOWS = 100;

typedef struct judge_settings {
    const char *curves_path, *truth;
    pn_words models;
    pn_list read_pct;
    uint32_t cores;
    double random_share;
    double fabric_ns;
    uint64_t length_ps;
    uint64_t seed;
    pn_format format;
    panem_curves *set;
    pn_dram_config dram;
} judge_settings;

/* A kind of traffic: what the sources do over time, loads as fractions of the curve's peak. */
typedef struct scenario {
    const char *name;
    pn_pattern pattern;
    double load;     /* phase: of the first, low phase */
    double high;     /* phase and step: of the other */
    uint64_t low_ps; /* burst bounds, or the phase's length */
    uint64_t high_ps;
    bool step;
} scenario;

static const scenario SCENARIOS[] = {
    {"poisson 30%", PN_PATTERN_STEADY, 0.30, 0, 0, 0, false},
    {"poisson 60%", PN_PATTERN_STEADY, 0.60, 0, 0, 0, false},
    {"poisson 80%", PN_PATTERN_STEADY, 0.80, 0, 0, 0, false},
    {"poisson 90%", PN_PATTERN_STEADY, 0.90, 0, 0, 0, false},
    {"burst 40% 200ns..5us", PN_PATTERN_BURST, 0.40, 0, 200000, 5000000, false},
    {"burst 40% 1us..50us", PN_PATTERN_BURST, 0.40, 0, 1000000, 50000000, false},
    {"phase 2us 20%/80%", PN_PATTERN_PHASE, 0.20, 0.80, 2000000, 0, false},
    {"phase 10us 20%/80%", PN_PATTERN_PHASE, 0.20, 0.80, 10000000, 0, false},
    {"phase 50us 20%/80%", PN_PATTERN_PHASE, 0.20, 0.80, 50000000, 0, false},
    {"step 20%->80%", PN_PATTERN_STEADY, 0.20, 0.80, 0, 0, true},
};
enum { SCENARIO_COUNT = sizeof SCENARIOS / sizeof SCENARIOS[0] };

static const pn_column COLUMNS[] = {
    {"traffic", "traffic", "", -1},
    {"read_pct", "reads", "%", 2},
    {"model", "model", "", -1},
    {"windows", "windows", "compared", 0},
    {"mean_abs_error_pct", "mean |err|", "%", 2},
    {"rms_error_pct", "rms err", "%", 2},
    {"bias_pct", "bias", "%", 2},
    {"truth_latency_ns", "truth", "mean ns", 1},
    {"model_latency_ns", "model", "mean ns", 1},
    {"low_bias_pct", "low half", "bias %", 2},
    {"high_bias_pct", "high half", "bias %", 2},
};

/* Latency of the random reads asked in each window. */
typedef struct history {
    double *sum_ns;
    uint32_t *reads;
    size_t windows;
    uint64_t from_ps;
    double add_ns; /* fabric latency of the reference, which its port leaves out */
} history;

static void take_response(void *user, const pn_mem_response *response, const pn_traffic_sent *sent)
{
    history *h = user;
    if (response->kind != PANEM_READ || !sent->random_line || sent->asked_ps < h->from_ps)
        return;
    size_t w = (size_t)((sent->asked_ps - h->from_ps) / WINDOW_PS);
    if (w >= h->windows)
        return;
    h->sum_ns[w] += (double)(response->done_ps - sent->asked_ps) / 1000.0 + h->add_ns;
    h->reads[w]++;
}

static panem_status history_init(history *h, const judge_settings *s, panem_error *err)
{
    *h = (history){.windows = (size_t)(s->length_ps / WINDOW_PS)};
    h->sum_ns = calloc(h->windows, sizeof *h->sum_ns);
    h->reads = calloc(h->windows, sizeof *h->reads);
    if (h->sum_ns && h->reads)
        return PANEM_OK;
    return pn_err(err, PANEM_E_NOMEM, "no memory for %zu windows", h->windows);
}

static void history_release(history *h)
{
    free(h->sum_ns);
    free(h->reads);
}

static double gap_ps(const judge_settings *s, double read_frac, double load)
{
    double gbs = load * panem_peak_bytes_per_s(s->set, PANEM_MIX_LINEAR, read_frac) / 1e9;
    return gbs > 0.0 ? s->cores * LINE_BYTES * 1000.0 / gbs : 0.0;
}

static pn_traffic_config config_of(const judge_settings *s, const scenario *sc, double read_frac,
                                   history *h, uint64_t start_ps)
{
    h->from_ps = start_ps + WARMUP_WINDOWS * WINDOW_PS;
    pn_traffic_config c = {
        .sources = s->cores,
        .source = {.gap_ps = gap_ps(s, read_frac, sc->load),
                   .read_frac = read_frac,
                   .outstanding = IN_FLIGHT / s->cores,
                   .pattern = sc->pattern,
                   .burst_low_ps = sc->low_ps,
                   .burst_high_ps = sc->high_ps,
                   .random_share = s->random_share,
                   .capacity_bytes = pn_dram_capacity_bytes(&s->dram),
                   .phase_ps = sc->low_ps,
                   .phase_gap_ps = gap_ps(s, read_frac, sc->high),
                   .start_ps = start_ps,
                   .seed = s->seed},
        .line_bytes = LINE_BYTES,
        .requests_min = UINT64_MAX,
        .requests_max = UINT64_MAX,
        .window_ps = WINDOW_PS,
        .step_ps = UINT64_MAX,
        .end_ps = h->from_ps + s->length_ps + 50 * WINDOW_PS,
        .response = take_response,
        .response_user = h,
    };
    if (sc->step) { /* the step falls a quarter of a window after a window begins */
        c.step_ps = h->from_ps + WINDOW_PS / 4;
        c.step_gap_ps = gap_ps(s, read_frac, sc->high);
    }
    return c;
}

static panem_status open_model(pn_mem_port **port, const judge_settings *s, const char *model,
                               panem_error *err)
{
    panem_model_options options;
    panem_model *m = NULL;
    PN_TRY(pn_model_spec_parse(&options, model, err));
    PN_TRY(panem_model_create(&m, s->set, &options, err));
    return pn_model_port_create(port, m, model, options.early_write_ack != 0, 2 * IN_FLIGHT, err);
}

/* Adds one run to a history. model NULL: the reference. */
static panem_status run_one(history *h, const judge_settings *s, const scenario *sc,
                            double read_frac, const char *model, uint64_t start_ps,
                            panem_error *err)
{
    pn_mem_port *port = NULL;
    pn_traffic_result ignored;
    pn_traffic_config c = config_of(s, sc, read_frac, h, start_ps);
    h->add_ns = model ? 0.0 : s->fabric_ns;
    PN_TRY(model ? open_model(&port, s, model, err)
                 : pn_dram_create(&port, &s->dram, s->truth, err));
    panem_status status = pn_traffic_run(&ignored, port, &c, err);
    pn_mem_destroy(port);
    return status;
}

static panem_status run_truth(history *h, const judge_settings *s, const scenario *sc,
                              double read_frac, panem_error *err)
{
    PN_TRY(history_init(h, s, err));
    for (uint64_t run = 0; run < TRUTH_RUNS; run++)
        PN_TRY(run_one(h, s, sc, read_frac, NULL, run * TRUTH_SHIFT_PS, err));
    return PANEM_OK;
}

typedef struct verdict {
    double abs_sum, square_sum, truth_ns, model_ns;
    double half_truth_ns[2], half_model_ns[2];
    size_t windows;
} verdict;

/* Windows of the low and the high half of a phase; steady traffic is all low. */
static int half_of(const scenario *sc, size_t window)
{
    if (sc->pattern != PN_PATTERN_PHASE)
        return 0;
    return (int)(((WARMUP_WINDOWS + window) * WINDOW_PS + WINDOW_PS / 2) / sc->low_ps & 1);
}

static verdict compare(const history *truth, const history *model, const scenario *sc)
{
    verdict v;
    memset(&v, 0, sizeof v);
    for (size_t w = 0; w < truth->windows; w++) {
        if (truth->reads[w] < TRUTH_RUNS * WINDOW_READS_MIN || model->reads[w] < WINDOW_READS_MIN)
            continue;
        double t = truth->sum_ns[w] / truth->reads[w];
        double m = model->sum_ns[w] / model->reads[w];
        double e = m / t - 1.0;
        int half = half_of(sc, w);
        v.windows++;
        v.abs_sum += fabs(e);
        v.square_sum += e * e;
        v.truth_ns += t;
        v.model_ns += m;
        v.half_truth_ns[half] += t;
        v.half_model_ns[half] += m;
    }
    return v;
}

static void add_row(pn_table *t, const scenario *sc, double read_frac, const char *model,
                    const verdict *v)
{
    double n = (double)v->windows;
    bool phases = sc->pattern == PN_PATTERN_PHASE;
    pn_table_text(t, sc->name);
    pn_table_number(t, 100.0 * read_frac);
    pn_table_text(t, model);
    pn_table_number(t, n);
    pn_table_number(t, 100.0 * v->abs_sum / n);
    pn_table_number(t, 100.0 * sqrt(v->square_sum / n));
    pn_table_number(t, 100.0 * (v->model_ns / v->truth_ns - 1.0));
    pn_table_number(t, v->truth_ns / n);
    pn_table_number(t, v->model_ns / n);
    for (int half = 0; half < 2; half++)
        pn_table_number(t, phases ? 100.0 * (v->half_model_ns[half] / v->half_truth_ns[half] - 1.0)
                                  : (double)NAN);
}

static panem_status judge_models(pn_table *t, const judge_settings *s, const scenario *sc,
                                 double read_frac, const history *truth, panem_error *err)
{
    for (size_t i = 0; i < s->models.count; i++) {
        history h = {0};
        panem_status status = history_init(&h, s, err);
        if (status == PANEM_OK)
            status = run_one(&h, s, sc, read_frac, s->models.items[i], 0, err);
        if (status == PANEM_OK) {
            verdict v = compare(truth, &h, sc);
            add_row(t, sc, read_frac, s->models.items[i], &v);
        }
        history_release(&h);
        PN_TRY(status);
    }
    return PANEM_OK;
}

static panem_status judge_all(pn_table *t, const judge_settings *s, panem_error *err)
{
    for (size_t i = 0; i < SCENARIO_COUNT; i++) {
        for (size_t k = 0; k < s->read_pct.count; k++) {
            double read_frac = s->read_pct.values[k] / 100.0;
            history truth = {0};
            panem_status status = run_truth(&truth, s, &SCENARIOS[i], read_frac, err);
            if (status == PANEM_OK)
                status = judge_models(t, s, &SCENARIOS[i], read_frac, &truth, err);
            history_release(&truth);
            PN_TRY(status);
        }
    }
    return PANEM_OK;
}

static int run(void *settings)
{
    judge_settings *s = settings;
    panem_error err = PANEM_ERROR_INIT;
    pn_table *t = pn_table_new(COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0]);
    panem_status status = t ? PANEM_OK : pn_err(&err, PANEM_E_NOMEM, "out of memory");
    if (status == PANEM_OK)
        status = pn_dram_spec_parse(&s->dram, NULL, s->truth + strlen("dram:"), &err);
    if (status == PANEM_OK)
        status = panem_curves_load(&s->set, s->curves_path, NULL, &err);
    if (status == PANEM_OK)
        status = judge_all(t, s, &err);
    if (status == PANEM_OK)
        pn_table_print(t, s->format, stdout);
    pn_table_free(t);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail(&err);
}

static void release(void *settings)
{
    judge_settings *s = settings;
    panem_curves_destroy(s->set);
    pn_words_release(&s->models);
}

enum { KEY_READ_PCT = 256, KEY_CORES, KEY_RANDOM, KEY_FABRIC, KEY_LENGTH, KEY_SEED, KEY_FORMAT };

static const struct argp_option OPTIONS[] = {
    {"curves", 'c', "SET", 0, "curve set of the reference, made by panem characterize; required",
     0},
    {"truth", 't', "DRAM", 0, "the reference, e.g. dram:ddr5-5200:channels=8; required", 0},
    {"model", 'm', "LIST", 0, "models to judge (default panem,panem:paper,fixed:idle,fixed:high)",
     0},
    {"read-pct", KEY_READ_PCT, "LIST", 0, "read percent of the traffic (default 67)", 0},
    {"cores", KEY_CORES, "N", 0,
     "sources, each with a stream of reads and one of writes, 1..256 "
     "(default 8)",
     0},
    {"random-share", KEY_RANDOM, "F", 0,
     "share of requests that go to random lines, as the curve set was measured (default 0.4)", 0},
    {"fabric-latency", KEY_FABRIC, "TIME", 0,
     "added to the reference's latency, as the curve set was measured (default 0)", 0},
    {"length", KEY_LENGTH, "TIME", 0, "simulated time per traffic (default 2ms)", 0},
    {"seed", KEY_SEED, "N", 0, "random seed (default 1)", 0},
    {"format", KEY_FORMAT, "F", 0, "table, csv or json (default table)", 0},
    {0},
};

static panem_status take_models(judge_settings *s, const char *text, panem_error *err)
{
    PN_TRY(pn_words_parse(&s->models, text, "--model", err));
    for (size_t i = 0; i < s->models.count; i++) {
        panem_model_options ignored;
        PN_TRY(pn_model_spec_parse(&ignored, s->models.items[i], err));
    }
    return PANEM_OK;
}

static panem_status take_truth(judge_settings *s, const char *text, panem_error *err)
{
    pn_dram_config ignored;
    if (strncmp(text, "dram:", 5) != 0)
        return pn_err(err, PANEM_E_ARG, "--truth: '%s' is not dram:PRESET", text);
    s->truth = text;
    return pn_dram_spec_parse(&ignored, NULL, text + 5, err);
}

static panem_status take(judge_settings *s, int key, char *arg, panem_error *err)
{
    uint64_t whole;
    double value;
    switch (key) {
    case 'c':
        s->curves_path = arg;
        return PANEM_OK;
    case 't':
        return take_truth(s, arg, err);
    case 'm':
        return take_models(s, arg, err);
    case KEY_READ_PCT:
        return pn_list_parse(&s->read_pct, arg, PN_DIM_NONE, "--read-pct", err);
    case KEY_CORES:
        PN_TRY(pn_unit_parse_u64(&whole, arg, PN_DIM_COUNT, 1, 256, "--cores", err));
        s->cores = (uint32_t)whole;
        return PANEM_OK;
    case KEY_RANDOM:
        return pn_unit_parse(&s->random_share, arg, PN_DIM_FRACTION, "--random-share", err);
    case KEY_FABRIC:
        PN_TRY(pn_unit_parse(&value, arg, PN_DIM_TIME, "--fabric-latency", err));
        s->fabric_ns = value / 1000.0;
        return PANEM_OK;
    case KEY_LENGTH:
        return pn_unit_parse_u64(&s->length_ps, arg, PN_DIM_TIME, 100 * WINDOW_PS,
                                 UINT64_C(1000000000000), "--length", err);
    default:
        return pn_unit_parse_u64(&s->seed, arg, PN_DIM_COUNT, 0, UINT64_C(1) << 52, "--seed", err);
    }
}

static panem_status set_defaults(judge_settings *s, panem_error *err)
{
    s->cores = 8;
    s->random_share = 0.4;
    s->length_ps = UINT64_C(2000000000);
    s->seed = 1;
    PN_TRY(pn_list_parse(&s->read_pct, "67", PN_DIM_NONE, "--read-pct", err));
    return take_models(s, "panem,panem:paper,fixed:idle,fixed:high", err);
}

static panem_status check(const judge_settings *s, panem_error *err)
{
    if (!s->curves_path || !s->truth)
        return pn_err(err, PANEM_E_ARG, "judge: --curves SET and --truth dram:PRESET are required");
    if (!(s->random_share >= 0.0 && s->random_share <= 1.0))
        return pn_err(err, PANEM_E_ARG, "--random-share: outside 0..1");
    for (size_t i = 0; i < s->read_pct.count; i++)
        if (!(s->read_pct.values[i] > 0.0 && s->read_pct.values[i] <= 100.0))
            return pn_err(err, PANEM_E_ARG, "--read-pct: outside 0..100, or 0 (reads are judged)");
    return PANEM_OK;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    judge_settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    if (key == ARGP_KEY_INIT)
        status = set_defaults(s, &err);
    else if (key == KEY_FORMAT)
        s->format = pn_option_format(state, arg);
    else if (key == ARGP_KEY_END)
        status = check(s, &err);
    else if (key == 'c' || key == 't' || key == 'm' || (key >= KEY_READ_PCT && key < KEY_FORMAT))
        status = take(s, key, arg, &err);
    else
        return ARGP_ERR_UNKNOWN;
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

const pn_command pn_cmd_judge = {
    .name = "judge",
    .arguments = NULL,
    .summary = "compare models with the cycle-level DRAM reference, window by window",
    .details =
        "The same open-loop requests, at the same instants, go to the reference and to every "
        "model: steady at four loads, in bursts, in phases of two loads, and over a step of the "
        "load. Latencies of reads, from when they were first asked, are averaged over windows of "
        "520 ns; the error of a window is the model's mean against the reference's. Windows with "
        "fewer than 8 reads are left out. Loads are percent of the curve's peak.\n\n"
        "The curve set must be that of the reference: same preset, channels, row-hit share and "
        "fabric latency.",
    .examples = "panem judge -c curves/ddr5-5200x8-mixed.csv -t dram:ddr5-5200:channels=8\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(judge_settings),
    .run = run,
    .release = release,
};
