/* golden_model.c - prints what libpanem answers in fixed scenarios, as bits: compared with
 * tests/golden/model.txt on every compiler and instruction set there is (tests/golden/compare).
 *
 * When results are meant to change, bless them anew and review the difference:
 *     build/release/tests/golden/golden_model > tests/golden/model.txt
 * and raise the results version, so that stored sweeps are not mixed with new ones.
 *
 * Needs the C library alone, so that a cross compiler without Debian packages can build it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/drive.h"
#include "../ref/fixture.h"
#include "base/hash.h"
#include "base/rng.h"

static const char *const SHAPES[FIX_COUNT] = {"flat", "one", "three", "many", "slow", "rest"};

static uint64_t bits(double value)
{
    uint64_t b;
    memcpy(&b, &value, sizeof b);
    return b;
}

/* ---- the relation ---- */

static void print_relation(const panem_curves *set, const char *name)
{
    uint64_t h = PN_HASH_START;
    for (int mix = 0; mix < 2; mix++)
        for (int beyond = 0; beyond < 2; beyond++) {
            panem_relation rel = {(panem_beyond)beyond, (panem_mix)mix};
            for (int r = -1; r <= 41; r++)
                for (int n = 0; n < 400; n++)
                    h = pn_hash_u64(h, panem_latency_ps(set, &rel, 61.7 * n, r / 40.0));
        }
    uint64_t p = PN_HASH_START;
    for (int r = 0; r <= 3000; r++) {
        p = pn_hash_double(p, panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, r / 3000.0));
        p = pn_hash_double(p, panem_peak_bytes_per_s(set, PANEM_MIX_NEAREST, r / 3000.0));
    }
    printf("%s: curves %" PRIu32 " fingerprint %016" PRIx64 " latencies %016" PRIx64
           " peaks %016" PRIx64 "\n",
           name, panem_curves_count(set), panem_curves_fingerprint(set), h, p);
}

/* ---- runs ---- */

typedef struct setting {
    const char *name;
    panem_model_options options;
} setting;

enum { SETTINGS = 8 };

static void make_settings(setting *s)
{
    const panem_model_options ours = PANEM_MODEL_OPTIONS_INIT;
    const panem_model_options papers = PANEM_MODEL_OPTIONS_PAPER;
    for (int i = 0; i < SETTINGS; i++)
        s[i].options = ours;
    s[0].name = "ours";
    s[1].name = "paper";
    s[1].options = papers;
    s[2].name = "sharers-96";
    s[2].options.sharers = 96;
    s[3].name = "arrivals";
    s[3].options.guard = PANEM_GUARD_ARRIVALS;
    s[4].name = "horizon-16";
    s[4].options.time_mode = PANEM_TIME_HORIZON;
    s[4].options.windows = 16;
    s[5].name = "cbusy";
    s[5].options.cbusy_by = PANEM_CBUSY_BY_BANDWIDTH;
    s[5].options.cbusy_hysteresis = 0.1;
    s[6].name = "fixed-idle";
    s[6].options.kind = PANEM_KIND_FIXED_IDLE;
    s[7].name = "fixed-high";
    s[7].options.kind = PANEM_KIND_FIXED_HIGH;
}

static void hash_window(void *user, const panem_window *w)
{
    uint64_t *h = user;
    *h = pn_hash_u64(*h, w->start_ps);
    *h = pn_hash_u64(*h, w->count);
    *h = pn_hash_double(*h, w->read_bytes);
    *h = pn_hash_double(*h, w->write_bytes);
    *h = pn_hash_u64(*h, w->read_done_bytes);
    *h = pn_hash_u64(*h, w->write_done_bytes);
    *h = pn_hash_u64(*h, w->latency_ps);
    *h = pn_hash_double(*h, w->read_frac);
    *h = pn_hash_u64(*h, w->cbusy);
    *h = pn_hash_u64(*h, w->saturated);
}

/* Bursts, quiet, overload: mean gaps of 0.25 to 16 line times at the highest peak. */
static uint64_t run(panem_model *m, const panem_curves *set, const panem_model_options *o)
{
    pn_rng rng;
    pn_rng_init(&rng, 17, 4);
    double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 1.0);
    uint64_t line_ps = (uint64_t)(64e12 / peak) * o->sharers;
    uint64_t t = 0;
    uint64_t h = PN_HASH_START;
    for (int i = 0; i < 6000; i++) {
        uint64_t gap_ps = line_ps << (i / 500 % 7) >> 2;
        t += pn_rng_exp(&rng, gap_ps);
        if (i % 1500 == 700)
            t += UINT64_C(3000000000);
        panem_request q = {t, 0, 64, PANEM_READ, 0};
        q.kind = pn_rng_below(&rng, 100) < (uint64_t)(i / 60) ? PANEM_READ : PANEM_WRITE;
        if (o->time_mode == PANEM_TIME_HORIZON && panem_advance(m, t) != PANEM_OK)
            abort();
        panem_response a = {0, 0, 0, 0};
        panem_status status = panem_access(m, &a, &q);
        h = pn_hash_u64(h, (uint64_t)(int64_t)status);
        h = pn_hash_u64(h, a.ack_ps);
        h = pn_hash_u64(h, a.done_ps);
        h = pn_hash_u64(h, a.retry_ps);
        h = pn_hash_u64(h, a.cbusy);
    }
    return h;
}

static uint64_t state_hash(const panem_model *m)
{
    size_t size = 0;
    if (panem_save(m, NULL, 0, &size) != PANEM_E_SPACE)
        abort();
    unsigned char *bytes = malloc(size);
    if (!bytes || panem_save(m, bytes, size, &size) != PANEM_OK)
        abort();
    uint64_t h = pn_hash_bytes(PN_HASH_START, bytes, size);
    free(bytes);
    return h;
}

static void print_run(const panem_curves *set, const char *name, const setting *s)
{
    panem_model *m = NULL;
    if (panem_model_create(&m, set, &s->options, NULL) != PANEM_OK)
        abort();
    uint64_t windows = PN_HASH_START;
    panem_observe(m, hash_window, &windows);
    uint64_t responses = run(m, set, &s->options);
    panem_state p;
    panem_stats t;
    panem_peek(m, &p);
    panem_stats_get(m, &t);
    printf("%s %s: responses %016" PRIx64 " windows %016" PRIx64 " state %016" PRIx64 "\n", name,
           s->name, responses, windows, state_hash(m));
    printf("  latency %" PRIu64 " N %016" PRIx64 " r %016" PRIx64 " B %016" PRIx64 " cbusy %" PRIu32
           "\n",
           p.latency_ps, bits(p.outstanding_bytes), bits(p.read_frac),
           bits(p.bandwidth_bytes_per_s), p.cbusy);
    printf("  reads %" PRIu64 " writes %" PRIu64 " busy %" PRIu64 " saturated %" PRIu64
           " of %" PRIu64 " guarded %" PRIu64 " latency sums %016" PRIx64 " %016" PRIx64 "\n",
           t.read_requests, t.write_requests, t.busy_answers, t.windows_saturated, t.windows_closed,
           t.guard_delays, bits(t.read_latency_sum_ns), bits(t.write_latency_sum_ns));
    panem_model_destroy(m);
}

int main(void)
{
    setting settings[SETTINGS];
    make_settings(settings);
    for (int i = 0; i < FIX_COUNT; i++) {
        panem_curves *set = fix_set((fix_shape)i, NULL);
        print_relation(set, SHAPES[i]);
        for (int k = 0; k < SETTINGS; k++)
            print_run(set, SHAPES[i], &settings[k]);
        panem_curves_destroy(set);
    }
    return 0;
}
