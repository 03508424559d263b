/* cmd_judge.c - `panem judge`: models against the cycle-level DRAM reference, window by window.
 * What is measured, and how: judge.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/judge.h"
#include "cli/list.h"
#include "cli/table.h"
#include "cli/words.h"
#include "mem/model_spec.h"

typedef struct judge_settings {
    const char *curves_path, *truth;
    pn_words models;
    pn_list read_pct;
    const char *traffic; /* only traffics whose names begin so; NULL: all */
    double random_share, fabric_ns;
    uint64_t length_ps, seed;
    uint32_t runs;
    pn_format format;
    panem_curves *set;
    bool dram_truth; /* else the curve's */
    pn_dram_config dram;
} judge_settings;

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

static void add_row(pn_table *t, size_t traffic, double read_pct, const char *model,
                    const pn_judge_verdict *v)
{
    pn_table_text(t, pn_judge_traffic_name(traffic));
    pn_table_number(t, read_pct);
    pn_table_text(t, model);
    pn_table_number(t, (double)v->windows);
    pn_table_number(t, 100.0 * v->mean_abs);
    pn_table_number(t, 100.0 * v->rms);
    pn_table_number(t, 100.0 * v->bias);
    pn_table_number(t, v->truth_ns);
    pn_table_number(t, v->model_ns);
    pn_table_number(t, 100.0 * v->low_bias);
    pn_table_number(t, 100.0 * v->high_bias);
}

static panem_status judge_models(pn_table *t, const judge_settings *s, size_t traffic,
                                 double read_pct, const pn_judge_truth *truth, panem_error *err)
{
    pn_judge_verdict v;
    for (size_t i = 0; i < s->models.count; i++) {
        PN_TRY(pn_judge_model(&v, truth, s->models.items[i], err));
        add_row(t, traffic, read_pct, s->models.items[i], &v);
    }
    if (!s->dram_truth)
        return PANEM_OK;
    pn_judge_one_run(&v, truth);
    add_row(t, traffic, read_pct, "(one run)", &v);
    pn_judge_halves(&v, truth);
    add_row(t, traffic, read_pct, "(truth)", &v);
    return PANEM_OK;
}

static panem_status judge_traffic(pn_table *t, const judge_settings *s, size_t traffic,
                                  double read_pct, panem_error *err)
{
    pn_judge_config config = {.set = s->set,
                              .truth_name = s->truth,
                              .dram = s->dram_truth ? &s->dram : NULL,
                              .read_frac = read_pct / 100.0,
                              .random_share = s->random_share,
                              .fabric_ns = s->fabric_ns,
                              .length_ps = s->length_ps,
                              .runs = s->dram_truth ? s->runs : 0,
                              .seed = s->seed};
    pn_judge_truth *truth = NULL;
    PN_TRY(pn_judge_truth_create(&truth, &config, traffic, err));
    panem_status status = judge_models(t, s, traffic, read_pct, truth, err);
    pn_judge_truth_destroy(truth);
    return status;
}

static bool wanted(const judge_settings *s, size_t traffic)
{
    const char *name = pn_judge_traffic_name(traffic);
    return pn_judge_traffic_min_ps(traffic) <= s->length_ps &&
           (s->dram_truth || pn_judge_traffic_is_static(traffic)) &&
           (!s->traffic || strncmp(name, s->traffic, strlen(s->traffic)) == 0);
}

static panem_status judge_all(pn_table *t, const judge_settings *s, panem_error *err)
{
    bool any = false;
    for (size_t i = 0; i < pn_judge_traffic_count(); i++) {
        for (size_t k = 0; wanted(s, i) && k < s->read_pct.count; k++) {
            PN_TRY(judge_traffic(t, s, i, s->read_pct.values[k], err));
            any = true;
        }
    }
    return any ? PANEM_OK : pn_err(err, PANEM_E_ARG, "--traffic: nothing of that name and length");
}

static int run(void *settings)
{
    judge_settings *s = settings;
    panem_error err = PANEM_ERROR_INIT;
    pn_table *t = pn_table_new(COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0]);
    panem_status status = t ? PANEM_OK : pn_err(&err, PANEM_E_NOMEM, "out of memory");
    if (status == PANEM_OK && s->dram_truth)
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

enum {
    KEY_READ_PCT = 256,
    KEY_TRAFFIC,
    KEY_RANDOM,
    KEY_FABRIC,
    KEY_LENGTH,
    KEY_RUNS,
    KEY_SEED,
    KEY_FORMAT
};

static const struct argp_option OPTIONS[] = {
    {"curves", 'c', "SET", 0, "curve set of the reference, made by panem characterize; required",
     0},
    {"truth", 't', "DRAM", 0, "the reference, e.g. dram:ddr5-5200:channels=8, or curve; required",
     0},
    {"model", 'm', "LIST", 0, "models to judge (default panem,panem:paper,fixed:idle,fixed:high)",
     0},
    {"read-pct", KEY_READ_PCT, "LIST", 0, "read percent of the traffic (default 67)", 0},
    {"traffic", KEY_TRAFFIC, "NAME", 0,
     "only traffic whose name begins so: poisson, burst, phase, step, \"phase 2us\" (default all)",
     0},
    {"random-share", KEY_RANDOM, "F", 0,
     "share of the load that goes to random lines, as the curve set was measured: 1 less its "
     "--row-hit (default 0.4)",
     0},
    {"fabric-latency", KEY_FABRIC, "TIME", 0,
     "added to the reference's latency, as the curve set was measured (default 0)", 0},
    {"length", KEY_LENGTH, "TIME", 0,
     "simulated time per traffic (default 2ms); phases longer than half of it are left out", 0},
    {"runs", KEY_RUNS, "N", 0,
     "runs of the reference that are averaged, 2..64, half of them even (default 16)", 0},
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
    s->truth = text;
    s->dram_truth = strcmp(text, "curve") != 0;
    if (!s->dram_truth)
        return PANEM_OK;
    if (strncmp(text, "dram:", 5) != 0)
        return pn_err(err, PANEM_E_ARG, "--truth: '%s' is not dram:PRESET or curve", text);
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
    case KEY_TRAFFIC:
        s->traffic = arg;
        return PANEM_OK;
    case KEY_RUNS:
        PN_TRY(pn_unit_parse_u64(&whole, arg, PN_DIM_COUNT, PN_JUDGE_RUNS_MIN, PN_JUDGE_RUNS_MAX,
                                 "--runs", err));
        s->runs = (uint32_t)whole;
        return PANEM_OK;
    case KEY_RANDOM:
        return pn_unit_parse(&s->random_share, arg, PN_DIM_FRACTION, "--random-share", err);
    case KEY_FABRIC:
        PN_TRY(pn_unit_parse(&value, arg, PN_DIM_TIME, "--fabric-latency", err));
        s->fabric_ns = value / 1000.0;
        return PANEM_OK;
    case KEY_LENGTH:
        return pn_unit_parse_u64(&s->length_ps, arg, PN_DIM_TIME, 100 * PN_JUDGE_WINDOW_PS,
                                 UINT64_C(1000000000000), "--length", err);
    default:
        return pn_unit_parse_u64(&s->seed, arg, PN_DIM_COUNT, 0, UINT64_C(1) << 52, "--seed", err);
    }
}

static panem_status set_defaults(judge_settings *s, panem_error *err)
{
    s->runs = 16;
    s->random_share = 0.4;
    s->length_ps = UINT64_C(2000000000);
    s->seed = 1;
    PN_TRY(pn_list_parse(&s->read_pct, "67", PN_DIM_NONE, "--read-pct", err));
    return take_models(s, "panem,panem:paper,fixed:idle,fixed:high", err);
}

static panem_status check(const judge_settings *s, panem_error *err)
{
    if (!s->curves_path || !s->truth)
        return pn_err(err, PANEM_E_ARG,
                      "judge: --curves SET and --truth dram:PRESET|curve are required");
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
        "The same arrivals, at the same instants, go to the reference and to every model: steady "
        "at four loads, in bursts, in phases of two loads, and around steps of the load. They are "
        "placed on the reference as panem characterize places its load and chases. Latencies of "
        "reads of random lines, from when they were asked, are averaged over windows of 520 ns; "
        "the truth of a window is the mean of several runs of the reference with other addresses "
        "and refreshes elsewhere; the error of a window is the model's mean against it. Windows "
        "with fewer than 8 such reads are left out; of steps, the window it falls into and the "
        "three after it count. Loads are percent of the curve's peak.\n\n"
        "Two rows of each traffic are the noise: \"(one run)\" is one run of the reference against "
        "the mean of the others, \"(truth)\" half the distance of the means of odd and even runs: "
        "how well the truth is known.\n\n"
        "With --truth curve there is no reference: the truth of a window is what the curve says at "
        "the load of the moment, as if it lasted for ever, for traffic whose loads last.\n\n"
        "The curve set must be that of the reference: same preset, channels, settings, row-hit "
        "share "
        "and fabric latency.",
    .examples = "panem judge -c curves/ddr5-5200x8.csv --fabric-latency 40ns -t "
                "dram:ddr5-5200:channels=8:refresh_spread=on:refresh_stagger=on\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(judge_settings),
    .run = run,
    .release = release,
};
