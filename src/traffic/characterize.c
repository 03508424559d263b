/* characterize.c - see characterize.h. */
#include "traffic/characterize.h"

#include <math.h>
#include <string.h>

#include "base/err.h"

enum { LINE_BYTES = 64 };

/* Offered load as a fraction of the saturated bandwidth; denser towards it, where latency turns.
 * A load above 1 is held back by what may be in flight. */
static const double LOADS[PN_CHAR_LOADS] = {0.0,  0.05, 0.12, 0.20, 0.30, 0.40, 0.50, 0.60,
                                            0.70, 0.78, 0.85, 0.90, 0.94, 0.97, 1.00, INFINITY};

/* Distance of chases when there is no load: several idle latencies, so that a chase meets an idle
 * memory. */
static const double IDLE_PROBE_PS = 500000.0;
/* A chaser's mean time between two chases: above the latency of a saturated memory. */
static const double CHASER_PERIOD_PS = 2000000.0;
/* Settling: some refresh intervals (3.9 and 7.8 us). */
static const uint64_t WARMUP_PS = 12000000;
/* Measured at least, again in refresh intervals: batches must not be shorter than one. */
static const uint64_t MEASURE_MIN_PS = 40000000;
enum { CHASES_MAX = 200000, SEARCH_CHASES = 4096 };
/* Without load chases are cheap, and every other point is compared with theirs. Some chasers, so
 * that one that meets a refresh is not missing at its next turn. */
enum { IDLE_CHASES = 8, IDLE_CHASERS = 4 };

uint32_t pn_char_runs(const pn_char_config *config)
{
    return 1 + PN_CHAR_LOADS * config->repeats;
}

double pn_char_chase_share(double stream_share, double read_frac)
{
    const double least = 0.02;
    double most = stream_share > 0.9 ? least : 0.1;
    double share = read_frac < most ? read_frac : most;
    return share > least ? share : least;
}

static pn_chase_config base_config(const pn_char_config *k, double read_frac)
{
    return (pn_chase_config){.read_frac = read_frac,
                             .load = true,
                             .reads_max = k->reads_max,
                             .writes_max = k->writes_max,
                             .stream_share = k->stream_share,
                             .streams = k->streams,
                             .capacity_bytes = k->capacity_bytes,
                             .lanes = k->lanes,
                             .lane = k->lane,
                             .lane_user = k->lane_user,
                             .warmup_ps = WARMUP_PS,
                             .measure_min_ps = MEASURE_MIN_PS,
                             .target_error = k->target_error * sqrt((double)k->repeats),
                             .chases_min = k->chases_min,
                             .chases_max = CHASES_MAX,
                             .seed = k->seed};
}

/* Chases as a share of so many bytes/s, and as many chasers as that takes. */
static void pace_chases(pn_chase_config *c, double share, double bytes_per_s)
{
    c->probe_ps = LINE_BYTES / (share * bytes_per_s) * 1e12;
    c->chasers = (uint32_t)ceil(CHASER_PERIOD_PS / c->probe_ps);
}

/* The load sends what is offered beyond the chases. */
static void pace(pn_chase_config *c, const pn_char_config *k, double load, double saturated)
{
    if (load == 0.0) {
        c->load = false;
        c->probe_ps = IDLE_PROBE_PS;
        c->chasers = IDLE_CHASERS;
        c->chases_min = IDLE_CHASES * k->chases_min;
        return;
    }
    double share = pn_char_chase_share(k->stream_share, c->read_frac);
    double whole = load < 1.0 ? load * saturated : saturated;
    pace_chases(c, share, whole);
    if (isfinite(load))
        c->gap_ps = LINE_BYTES / (load * saturated - share * whole) * 1e12;
}

/* Streams of random numbers: by read fraction, load and repeat. Without load the read fraction is
 * none, and all curves begin at the same point. */
static uint64_t stream_of(double read_frac, uint32_t load, uint32_t repeat)
{
    enum { FRACTIONS = 1000000, LOADS_MAX = 256, REPEATS_MAX = 65536 };
    uint64_t fraction = load > 0 ? (uint64_t)(read_frac * FRACTIONS + 0.5) : 0;
    return (fraction * LOADS_MAX + load) * REPEATS_MAX + repeat;
}

static panem_status run(pn_chase_result *result, const pn_char_config *k, const pn_chase_config *c,
                        panem_error *err)
{
    pn_mem_port *port = NULL;
    PN_TRY(k->make(k->make_user, &port, err));
    panem_status status = pn_chase_run(result, port, c, err);
    pn_mem_destroy(port);
    if (status == PANEM_OK && k->progress)
        k->progress(k->progress_user);
    return status;
}

static panem_status find_saturation(double *bytes_per_s, const pn_char_config *k, double read_frac,
                                    panem_error *err)
{
    pn_chase_config c = base_config(k, read_frac);
    pn_chase_result r;
    pace_chases(&c, pn_char_chase_share(k->stream_share, read_frac), k->peak_bytes_per_s);
    c.chases_max = SEARCH_CHASES;
    c.chases_min = SEARCH_CHASES;
    c.stream = stream_of(read_frac, PN_CHAR_LOADS, 0);
    PN_TRY(run(&r, k, &c, err));
    *bytes_per_s = r.bandwidth_bytes_per_s;
    return PANEM_OK;
}

/* Mean and deviation of the repeats, in one pass (Welford). */
typedef struct spread {
    double mean, squares;
    uint32_t count;
} spread;

static void spread_add(spread *s, double value)
{
    double before = value - s->mean;
    s->count++;
    s->mean += before / s->count;
    s->squares += before * (value - s->mean);
}

static double spread_std(const spread *s)
{
    return s->count > 1 ? sqrt(s->squares / (s->count - 1)) : (double)NAN;
}

static panem_status measure(pn_char_point *p, const pn_char_config *k, double read_frac,
                            uint32_t load, double saturated, panem_error *err)
{
    spread bandwidth = {0}, latency = {0}, mix = {0};
    double variance = 0.0;
    *p = (pn_char_point){.load = LOADS[load], .converged = true};
    for (uint32_t i = 0; i < k->repeats; i++) {
        pn_chase_config c = base_config(k, read_frac);
        pn_chase_result r;
        pace(&c, k, LOADS[load], saturated);
        c.stream = stream_of(read_frac, load, i);
        PN_TRY(run(&r, k, &c, err));
        spread_add(&bandwidth, r.bandwidth_bytes_per_s / 1e9);
        spread_add(&latency, r.latency_ns + k->fabric_ns);
        spread_add(&mix, r.read_frac);
        variance += r.relative_error * r.latency_ns * r.relative_error * r.latency_ns;
        p->chases += r.chases;
        p->requests += r.completions;
        p->passed_over += r.passed_over;
        p->converged &= r.relative_error < c.target_error;
    }
    p->bandwidth_gbs = bandwidth.mean;
    p->bandwidth_std_gbs = spread_std(&bandwidth);
    p->latency_ns = latency.mean;
    p->latency_std_ns = spread_std(&latency);
    p->error_ns = sqrt(variance) / k->repeats;
    p->read_frac = mix.mean;
    return PANEM_OK;
}

static bool rises(const pn_char_point *last, const pn_char_point *p)
{
    double joint = sqrt(last->error_ns * last->error_ns + p->error_ns * p->error_ns);
    return p->latency_ns >= last->latency_ns + joint && p->latency_ns > last->latency_ns &&
           p->bandwidth_gbs * p->latency_ns > last->bandwidth_gbs * last->latency_ns;
}

/* The rule of characterize.h. */
static void choose_written(pn_char_curve *curve)
{
    const pn_char_point *last = NULL;
    const pn_char_point *highest = NULL;
    for (uint32_t i = 0; i < PN_CHAR_LOADS; i++) {
        pn_char_point *p = &curve->points[i];
        p->written = !last || rises(last, p);
        if (!p->written)
            continue;
        last = p;
        if (!highest || p->bandwidth_gbs > highest->bandwidth_gbs)
            highest = p;
    }
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < PN_CHAR_LOADS; i++) {
        pn_char_point *p = &curve->points[i];
        if (p > highest && p->written && ++beyond > 1)
            p->written = false;
    }
}

panem_status pn_characterize_curve(pn_char_curve *curve, const pn_char_config *config,
                                   double read_frac, panem_error *err)
{
    pn_char_curve out;
    double saturated;
    if (config->repeats == 0 || !(config->target_error > 0.0) || !(config->peak_bytes_per_s > 0.0))
        return pn_err(err, PANEM_E_ARG, "no repeats, no target error or no peak");
    memset(&out, 0, sizeof out);
    out.read_frac = read_frac;
    PN_TRY(find_saturation(&saturated, config, read_frac, err));
    out.saturated_gbs = saturated / 1e9;
    for (uint32_t i = 0; i < PN_CHAR_LOADS; i++)
        PN_TRY(measure(&out.points[i], config, read_frac, i, saturated, err));
    choose_written(&out);
    *curve = out;
    return PANEM_OK;
}
