/* judge.c - see judge.h. */
#include "cli/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "curve/relation.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"
#include "traffic/characterize.h"
#include "traffic/timetable.h"

enum { LINE_BYTES = 64, IN_FLIGHT = 1 << 16 };
/* A window with fewer reads of random lines says nothing. */
enum { WINDOW_READS_MIN = 8 };
/* Arrivals begin so long before the first window that counts. */
enum { WARMUP_WINDOWS = 100 };
/* Windows that are judged after a step, and the low load before it. */
enum { STEP_WINDOWS = 4, STEP_LOW_WINDOWS = 20 };
/* Over which lines are spread when no reference looks at them. */
static const uint64_t CAPACITY_BYTES = UINT64_C(1) << 32;
/* 2^32 over the golden ratio: multiples of it fill a circle evenly, however many there are. */
static const uint32_t GOLDEN_TURN = UINT32_C(2654435769);

typedef enum pattern { STEADY, BURST, PHASE, STEP } pattern;

/* What is sent over time; loads as fractions of the curve's peak. */
typedef struct traffic {
    const char *name;
    pattern pattern;
    double load;     /* burst: mean, twice as much while on */
    double high;     /* phase, step: the other load */
    uint64_t low_ps; /* burst: bounds of an on-phase; phase: its length */
    uint64_t high_ps;
} traffic;

static const traffic TRAFFIC[] = {
    {"poisson 30%", STEADY, 0.30, 0, 0, 0},
    {"poisson 60%", STEADY, 0.60, 0, 0, 0},
    {"poisson 80%", STEADY, 0.80, 0, 0, 0},
    {"poisson 90%", STEADY, 0.90, 0, 0, 0},
    {"burst 40% 200ns..5us", BURST, 0.40, 0, 200000, 5000000},
    {"burst 40% 1us..50us", BURST, 0.40, 0, 1000000, 50000000},
    {"phase 2us 20%/80%", PHASE, 0.20, 0.80, 2000000, 0},
    {"phase 10us 20%/80%", PHASE, 0.20, 0.80, 10000000, 0},
    {"phase 50us 20%/80%", PHASE, 0.20, 0.80, 50000000, 0},
    {"phase 200us 20%/80%", PHASE, 0.20, 0.80, 200000000, 0},
    {"phase 2ms 20%/80%", PHASE, 0.20, 0.80, 2000000000, 0},
    {"step 20%->80%", STEP, 0.20, 0.80, 0, 0},
};
enum { TRAFFIC_COUNT = sizeof TRAFFIC / sizeof TRAFFIC[0] };

/* Latency of the random reads asked in each window. */
typedef struct history {
    double *sum_ns;
    uint32_t *reads;
} history;

/* What a window belongs to. */
typedef enum label { NOT_JUDGED = 0, LOW, HIGH } label;

struct pn_judge_truth {
    const pn_judge_config *config;
    const traffic *traffic;
    pn_timetable timetable;
    size_t windows;
    uint8_t *labels;
    history *runs;              /* of the reference */
    double static_ns[HIGH + 1]; /* without one: the curve's answer to the load, by label */
};

size_t pn_judge_traffic_count(void)
{
    return TRAFFIC_COUNT;
}

const char *pn_judge_traffic_name(size_t number)
{
    return TRAFFIC[number].name;
}

bool pn_judge_traffic_is_static(size_t number)
{
    return TRAFFIC[number].pattern != BURST;
}

uint64_t pn_judge_traffic_min_ps(size_t number)
{
    return TRAFFIC[number].pattern == PHASE ? 2 * TRAFFIC[number].low_ps : 0;
}

/* ---- arrivals ---- */

static double gap_ps(const pn_judge_config *k, double load)
{
    double gbs = load * panem_peak_bytes_per_s(k->set, PANEM_MIX_LINEAR, k->read_frac) / 1e9;
    return gbs > 0.0 ? LINE_BYTES * 1000.0 / gbs : 0.0;
}

/* Log-uniform without a logarithm: a binade in proportion, then uniform inside it. */
static uint64_t draw_phase_ps(pn_rng *rng, const traffic *t)
{
    uint32_t binades = 0;
    while (t->low_ps << (binades + 1) <= t->high_ps)
        binades++;
    uint64_t from = t->low_ps << pn_rng_below(rng, binades + 1);
    uint64_t to = 2 * from < t->high_ps ? 2 * from : t->high_ps;
    return from + pn_rng_below(rng, to - from + 1);
}

static uint64_t end_ps(const pn_judge_truth *t)
{
    return (WARMUP_WINDOWS + t->windows) * PN_JUDGE_WINDOW_PS;
}

/* The windows of which at least half lie in [from, to). */
static void set_label(pn_judge_truth *t, uint64_t from_ps, uint64_t to_ps, label what)
{
    const uint64_t w = PN_JUDGE_WINDOW_PS;
    for (uint64_t i = (from_ps + w / 2) / w; i * w + w / 2 < to_ps; i++)
        if (i >= WARMUP_WINDOWS && i - WARMUP_WINDOWS < t->windows)
            t->labels[i - WARMUP_WINDOWS] = (uint8_t)what;
}

static panem_status add_bursts(pn_judge_truth *t, panem_error *err)
{
    const double gap = gap_ps(t->config, 2.0 * t->traffic->load);
    pn_rng rng;
    pn_rng_init(&rng, t->config->seed, 1);
    for (uint64_t at = 0; at < end_ps(t);) {
        uint64_t on_ps = draw_phase_ps(&rng, t->traffic);
        PN_TRY(pn_timetable_add(&t->timetable, at, at + on_ps, gap, err));
        at += 2 * on_ps;
    }
    set_label(t, 0, end_ps(t), LOW);
    return PANEM_OK;
}

static panem_status add_phases(pn_judge_truth *t, panem_error *err)
{
    const uint64_t length_ps = t->traffic->low_ps;
    bool high = false;
    for (uint64_t at = 0; at < end_ps(t); at += length_ps, high = !high) {
        double load = high ? t->traffic->high : t->traffic->load;
        PN_TRY(pn_timetable_add(&t->timetable, at, at + length_ps, gap_ps(t->config, load), err));
        set_label(t, at, at + length_ps, high ? HIGH : LOW);
    }
    return PANEM_OK;
}

/* Many steps, each at another place of a window; the window of the step and those after it count.
 */
static panem_status add_steps(pn_judge_truth *t, panem_error *err)
{
    const uint64_t w = PN_JUDGE_WINDOW_PS;
    pn_rng rng;
    pn_rng_init(&rng, t->config->seed, 1);
    for (uint64_t at = 0; at < end_ps(t);) {
        uint64_t step_ps = at + STEP_LOW_WINDOWS * w + pn_rng_below(&rng, w);
        uint64_t back_ps = step_ps + (STEP_WINDOWS + 1) * w;
        PN_TRY(
            pn_timetable_add(&t->timetable, at, step_ps, gap_ps(t->config, t->traffic->load), err));
        PN_TRY(pn_timetable_add(&t->timetable, step_ps, back_ps,
                                gap_ps(t->config, t->traffic->high), err));
        uint64_t first_ps = step_ps / w * w;
        set_label(t, first_ps, first_ps + STEP_WINDOWS * w, LOW);
        at = back_ps;
    }
    return PANEM_OK;
}

static panem_status add_arrivals(pn_judge_truth *t, panem_error *err)
{
    switch (t->traffic->pattern) {
    case BURST:
        return add_bursts(t, err);
    case PHASE:
        return add_phases(t, err);
    case STEP:
        return add_steps(t, err);
    case STEADY:
        break;
    }
    set_label(t, 0, end_ps(t), LOW);
    return pn_timetable_add(&t->timetable, 0, end_ps(t), gap_ps(t->config, t->traffic->load), err);
}

/* ---- runs ---- */

static panem_status history_create(history *h, size_t windows, panem_error *err)
{
    *h = (history){calloc(windows, sizeof *h->sum_ns), calloc(windows, sizeof *h->reads)};
    if (h->sum_ns && h->reads)
        return PANEM_OK;
    return pn_err(err, PANEM_E_NOMEM, "no memory for %zu windows", windows);
}

static void history_release(history *h)
{
    free(h->sum_ns);
    free(h->reads);
}

typedef struct listener {
    const pn_judge_truth *truth;
    history *history;
    double add_ns;
} listener;

static void take_answer(void *user, const pn_chase_arrival *asked, uint64_t done_ps,
                        bool random_line)
{
    const listener *l = user;
    uint64_t window = asked->time_ps / PN_JUDGE_WINDOW_PS;
    if (!random_line || asked->kind != PANEM_READ || window < WARMUP_WINDOWS ||
        window - WARMUP_WINDOWS >= l->truth->windows)
        return;
    window -= WARMUP_WINDOWS;
    l->history->sum_ns[window] += (double)(done_ps - asked->time_ps) / 1000.0 + l->add_ns;
    l->history->reads[window]++;
}

static uint32_t bus_of(const void *user, const pn_mem_port *port, uint64_t address)
{
    pn_dram_place place;
    (void)user;
    pn_dram_locate(port, &place, address);
    return place.channel;
}

/* The timetable as pn_characterize_curve would place it. */
static pn_chase_config chase_of(const pn_judge_truth *t, listener *l)
{
    return (pn_chase_config){.read_frac = t->config->read_frac,
                             .load = true,
                             .reads_max = IN_FLIGHT,
                             .writes_max = IN_FLIGHT,
                             .stream_share = 1.0 - t->config->random_share,
                             .streams = 1,
                             .chasers = 1,
                             .probe_ps = 1.0,
                             .capacity_bytes = t->config->dram
                                                   ? pn_dram_capacity_bytes(t->config->dram)
                                                   : CAPACITY_BYTES,
                             .lanes = 1,
                             .seed = t->config->seed,
                             .timetable = t->timetable.arrivals,
                             .timetable_count = t->timetable.count,
                             .answer = take_answer,
                             .answer_user = l};
}

/* Different times within an interval at which ranks begin to refresh. */
static uint32_t refresh_times(const pn_dram_config *d)
{
    uint32_t buses = d->refresh_spread ? pn_dram_buses(d) : 1;
    uint32_t ranks = d->refresh_stagger ? d->ranks : 1;
    uint32_t times = buses;
    while (times % ranks != 0)
        times += buses;
    return times;
}

/* Where the refreshes of a run fall: even over the interval, and over the time between one rank's
 * refresh and the next one's. A constant step would meet that time's multiples, and the refreshes
 * of all runs would fall into the same windows. */
static uint64_t delay_of(const pn_judge_config *k, uint32_t run)
{
    double interval_ps = (double)k->dram->trefi_ck * pn_dram_tck_ps(k->dram);
    uint32_t times = refresh_times(k->dram);
    double turn = (double)(uint32_t)(run * GOLDEN_TURN) / 4294967296.0;
    uint32_t place = run * times / k->runs;
    return (uint64_t)(interval_ps / times * (place + turn));
}

static panem_status run_reference(history *h, const pn_judge_truth *t, uint32_t run,
                                  panem_error *err)
{
    const pn_judge_config *k = t->config;
    listener l = {t, h, k->fabric_ns};
    pn_chase_config c = chase_of(t, &l);
    pn_chase_result ignored;
    pn_mem_port *port = NULL;
    c.lane = bus_of;
    c.lanes = pn_dram_buses(k->dram);
    c.stream = run;
    c.delay_ps = delay_of(k, run);
    PN_TRY(pn_dram_create(&port, k->dram, k->truth_name, err));
    panem_status status = pn_chase_run(&ignored, port, &c, err);
    pn_mem_destroy(port);
    return status;
}

static panem_status run_model(history *h, const pn_judge_truth *t, const char *model,
                              panem_error *err)
{
    listener l = {t, h, 0.0};
    pn_chase_config c = chase_of(t, &l);
    pn_chase_result ignored;
    pn_mem_port *port = NULL;
    panem_model_options options;
    panem_model *m = NULL;
    PN_TRY(pn_model_spec_parse(&options, model, err));
    PN_TRY(panem_model_create(&m, t->config->set, &options, err));
    PN_TRY(pn_model_port_create(&port, m, model, options.early_write_ack != 0, 2 * IN_FLIGHT, err));
    panem_status status = pn_chase_run(&ignored, port, &c, err);
    pn_mem_destroy(port);
    return status;
}

/* ---- truth ---- */

static bool curve_ns(double *ns, const pn_judge_config *k, double load)
{
    double gbs = load * panem_peak_bytes_per_s(k->set, PANEM_MIX_LINEAR, k->read_frac) / 1e9;
    double bytes;
    return pn_relation_invert(k->set, PANEM_MIX_LINEAR, gbs, k->read_frac, &bytes, ns);
}

/* What every window would see had its load lasted for ever. */
static panem_status fill_static(pn_judge_truth *t, panem_error *err)
{
    const traffic *what = t->traffic;
    double low = what->pattern == STEP ? what->high : what->load;
    double high = what->pattern == PHASE ? what->high : low;
    if (curve_ns(&t->static_ns[LOW], t->config, low) &&
        curve_ns(&t->static_ns[HIGH], t->config, high))
        return PANEM_OK;
    return pn_err(err, PANEM_E_FORMAT, "%s: the curve has no latency for it", what->name);
}

static panem_status fill_truth(pn_judge_truth *t, panem_error *err)
{
    const pn_judge_config *k = t->config;
    double chases = pn_char_chase_share(1.0 - k->random_share, k->read_frac);
    t->windows = (size_t)(k->length_ps / PN_JUDGE_WINDOW_PS);
    pn_timetable_init(&t->timetable, k->read_frac, chases, k->seed);
    t->labels = calloc(t->windows, 1);
    t->runs = calloc(k->runs, sizeof *t->runs);
    if (!t->labels || !t->runs)
        return pn_err(err, PANEM_E_NOMEM, "no memory for %zu windows", t->windows);
    PN_TRY(add_arrivals(t, err));
    if (!k->dram)
        return fill_static(t, err);
    for (uint32_t i = 0; i < k->runs; i++) {
        PN_TRY(history_create(&t->runs[i], t->windows, err));
        PN_TRY(run_reference(&t->runs[i], t, i, err));
    }
    return PANEM_OK;
}

panem_status pn_judge_truth_create(pn_judge_truth **truth, const pn_judge_config *config,
                                   size_t number, panem_error *err)
{
    pn_judge_truth *t = calloc(1, sizeof *t);
    if (!t)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    t->config = config;
    t->traffic = &TRAFFIC[number];
    panem_status status = fill_truth(t, err);
    if (status == PANEM_OK)
        *truth = t;
    else
        pn_judge_truth_destroy(t);
    return status;
}

void pn_judge_truth_destroy(pn_judge_truth *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; t->runs && i < t->config->runs; i++)
        history_release(&t->runs[i]);
    pn_timetable_release(&t->timetable);
    free(t->runs);
    free(t->labels);
    free(t);
}

/* ---- verdicts ---- */

/* Mean latency in a window over the runs first, first + step, ...; false: too few reads. */
static bool mean_of(double *ns, const pn_judge_truth *t, uint32_t first, uint32_t step,
                    size_t window)
{
    double sum_ns = 0.0;
    uint32_t reads = 0;
    uint32_t runs = 0;
    if (!t->config->dram) {
        *ns = t->static_ns[t->labels[window]];
        return true;
    }
    for (uint32_t i = first; i < t->config->runs; i += step, runs++) {
        sum_ns += t->runs[i].sum_ns[window];
        reads += t->runs[i].reads[window];
    }
    *ns = reads ? sum_ns / reads : 0.0;
    return reads >= runs * WINDOW_READS_MIN;
}

typedef struct tally {
    size_t windows;
    double abs_sum, square_sum;
    double truth_ns[HIGH + 1], model_ns[HIGH + 1]; /* by label */
} tally;

static void tally_add(tally *y, label what, double truth_ns, double model_ns)
{
    double e = model_ns / truth_ns - 1.0;
    y->windows++;
    y->abs_sum += fabs(e);
    y->square_sum += e * e;
    y->truth_ns[what] += truth_ns;
    y->model_ns[what] += model_ns;
}

static pn_judge_verdict verdict_of(const tally *y)
{
    double n = (double)y->windows;
    double truth_ns = y->truth_ns[LOW] + y->truth_ns[HIGH];
    double model_ns = y->model_ns[LOW] + y->model_ns[HIGH];
    bool phases = y->truth_ns[HIGH] > 0.0;
    double low = phases ? y->model_ns[LOW] / y->truth_ns[LOW] - 1.0 : (double)NAN;
    double high = phases ? y->model_ns[HIGH] / y->truth_ns[HIGH] - 1.0 : (double)NAN;
    return (pn_judge_verdict){
        y->windows,   y->abs_sum / n, sqrt(y->square_sum / n), model_ns / truth_ns - 1.0, low, high,
        truth_ns / n, model_ns / n};
}

void pn_judge_one_run(pn_judge_verdict *verdict, const pn_judge_truth *t)
{
    tally y = {0};
    for (size_t w = 0; w < t->windows; w++) {
        double others_ns;
        uint32_t reads = t->runs[0].reads[w];
        if (t->labels[w] && mean_of(&others_ns, t, 1, 1, w) && reads >= WINDOW_READS_MIN)
            tally_add(&y, t->labels[w], others_ns, t->runs[0].sum_ns[w] / reads);
    }
    *verdict = verdict_of(&y);
}

void pn_judge_halves(pn_judge_verdict *verdict, const pn_judge_truth *t)
{
    tally y = {0};
    for (size_t w = 0; w < t->windows; w++) {
        double odd_ns;
        double even_ns;
        if (t->labels[w] && mean_of(&odd_ns, t, 1, 2, w) && mean_of(&even_ns, t, 0, 2, w))
            tally_add(&y, t->labels[w], (odd_ns + even_ns) / 2.0, odd_ns);
    }
    *verdict = verdict_of(&y);
}

panem_status pn_judge_model(pn_judge_verdict *verdict, const pn_judge_truth *t, const char *model,
                            panem_error *err)
{
    history h;
    tally y = {0};
    panem_status status = history_create(&h, t->windows, err);
    if (status == PANEM_OK)
        status = run_model(&h, t, model, err);
    for (size_t w = 0; status == PANEM_OK && w < t->windows; w++) {
        double truth_ns;
        if (t->labels[w] && mean_of(&truth_ns, t, 0, 1, w) && h.reads[w] >= WINDOW_READS_MIN / 2)
            tally_add(&y, t->labels[w], truth_ns, h.sum_ns[w] / h.reads[w]);
    }
    if (status == PANEM_OK)
        *verdict = verdict_of(&y);
    history_release(&h);
    return status;
}
