/* The product form of the run-time model against its literal form (tests/ref/literal.h), bit for
 * bit, on random traffic of every shape. A failure prints the seed and the step; run the program
 * with a seed as its argument to repeat that seed alone. */
#include "../cmocka_pn.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/fixture.h"
#include "../ref/literal.h"
#include "base/rng.h"

enum { SEEDS = 6000, STEPS = 260 };

/* ---- records, merged so that one record of n equal windows equals n records of one ---- */

typedef struct log_of_windows {
    panem_window *items;
    size_t count, capacity;
} log_of_windows;

static bool continues(const panem_window *a, const panem_window *b)
{
    return a->start_ps + a->count * a->window_ps == b->start_ps && a->read_bytes == b->read_bytes &&
           a->write_bytes == b->write_bytes && a->read_done_bytes == b->read_done_bytes &&
           a->write_done_bytes == b->write_done_bytes && a->latency_ps == b->latency_ps &&
           a->read_frac == b->read_frac && a->cbusy == b->cbusy && a->saturated == b->saturated;
}

static void log_window(void *user, const panem_window *w)
{
    log_of_windows *log = user;
    if (log->count && continues(&log->items[log->count - 1], w)) {
        log->items[log->count - 1].count += w->count;
        return;
    }
    if (log->count == log->capacity) {
        log->capacity = log->capacity ? 2 * log->capacity : 256;
        log->items = realloc(log->items, log->capacity * sizeof *log->items);
        assert_non_null(log->items);
    }
    log->items[log->count++] = *w;
}

/* ---- one seed ---- */

/* AT_PEAK: lines at the whole picoseconds of the peak rate, where the guard clock meets arrivals.
 */
typedef enum shape { STEADY, POISSON, BURSTS, GAPS, TIES, BACKWARD, AT_PEAK, SHAPES } shape;

typedef struct run {
    uint64_t seed;
    int step;
    pn_rng rng;
    const panem_curves *set;
    panem_model_options options;
    panem_model *product;
    lit_model *literal;
    log_of_windows product_log, literal_log;
    shape shape;
    uint64_t mean_gap_ps, now_ps, horizon_ps;
    uint32_t reads_of_100, size_max;
    uint64_t ok, busy; /* what the traffic reached, so that the test can prove it did */
} run;

static uint64_t pick(run *r, uint64_t bound)
{
    return pn_rng_below(&r->rng, bound);
}

static bool one_in(run *r, uint64_t n)
{
    return pick(r, n) == 0;
}

static _Noreturn void differ(const run *r, const char *what)
{
    fail_msg("seed %llu, step %d: %s differ", (unsigned long long)r->seed, r->step, what);
    abort();
}

static panem_model_options random_options(run *r)
{
    static const uint64_t windows_ps[] = {1000, 7919, 60000, 210000, 520000, 520000, 4000000};
    static const uint32_t windows[] = {1, 1, 2, 3, 4, 7, 16, 64};
    static const uint32_t sharers[] = {1, 1, 1, 2, 8, 96};
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.window_ps = windows_ps[pick(r, 7)];
    o.windows = windows[pick(r, 8)];
    o.sharers = sharers[pick(r, 6)];
    o.ring_windows = 16u << pick(r, 9);
    while ((uint64_t)o.ring_windows * o.window_ps < 1500000)
        o.ring_windows *= 2;
    o.guard = (panem_guard)pick(r, 3);
    o.guard_slack_ps = one_in(r, 3) ? pick(r, 400000) : 20000;
    o.guard_compensation = (uint32_t)pick(r, 2);
    o.looks = (uint32_t)pick(r, 10);
    o.relation.beyond = (panem_beyond)pick(r, 2);
    o.relation.mix = (panem_mix)pick(r, 2);
    o.time_mode = (panem_time_mode)one_in(r, 3);
    o.early_write_ack = (uint32_t)pick(r, 2);
    o.cbusy_by = (panem_cbusy_by)pick(r, 2);
    if (one_in(r, 2)) {
        o.cbusy_enter[0] = 0.3;
        o.cbusy_enter[1] = 0.6;
        o.cbusy_hysteresis = (double)pick(r, 30) / 100.0;
    }
    return o;
}

static void random_traffic(run *r)
{
    static const uint64_t gaps_ps[] = {0, 300, 640, 1500, 6000, 60000, 600000, 9000000};
    r->shape = (shape)pick(r, SHAPES);
    r->mean_gap_ps = gaps_ps[pick(r, 8)] * r->options.sharers;
    r->reads_of_100 = (uint32_t)pick(r, 5) * 25;
    r->size_max = one_in(r, 8) ? 1048576 : one_in(r, 3) ? 4096 : 64;
}

static uint64_t line_time_ps(const run *r)
{
    panem_state now;
    panem_peek(r->product, &now);
    return (uint64_t)(64e12 /
                      panem_peak_bytes_per_s(r->set, r->options.relation.mix, now.read_frac));
}

/* Horizon mode: anywhere from the horizon up to several windows ahead. */
static uint64_t next_time_ps(run *r)
{
    if (r->shape == GAPS && one_in(r, 40))
        r->now_ps += UINT64_C(1000000000000) * (1 + pick(r, 5)) + pick(r, 1000000);
    if (r->shape == POISSON || r->shape == GAPS)
        r->now_ps += pn_rng_exp(&r->rng, r->mean_gap_ps);
    else if (r->shape == BURSTS)
        r->now_ps += one_in(r, 24) ? 30 * r->mean_gap_ps : pick(r, 500);
    else if (r->shape == AT_PEAK)
        r->now_ps += line_time_ps(r);
    else if (r->shape != TIES || one_in(r, 5))
        r->now_ps += r->mean_gap_ps;
    if (r->options.time_mode == PANEM_TIME_HORIZON)
        return r->horizon_ps + pick(r, 6 * r->options.window_ps) + r->now_ps % 1000;
    uint64_t start = r->now_ps - r->now_ps % r->options.window_ps;
    if (r->shape == BACKWARD && one_in(r, 2))
        return start + pick(r, r->now_ps - start + 1);
    return r->now_ps;
}

static uint64_t open_window_ps(const run *r)
{
    panem_state now;
    panem_peek(r->product, &now);
    return now.window_start_ps;
}

static panem_request random_request(run *r)
{
    panem_request q = {next_time_ps(r), pn_rng_u64(&r->rng), 64, PANEM_READ, 0};
    if (r->size_max > 64)
        q.bytes = 1 + (uint32_t)pick(r, r->size_max);
    q.kind = pick(r, 100) < r->reads_of_100 ? PANEM_READ : PANEM_WRITE;
    if (one_in(r, 500))
        q.bytes = 0;
    if (one_in(r, 500))
        q.kind = 2;
    if (one_in(r, 300))
        q.time_ps = pick(r, q.time_ps + 1);
    if (one_in(r, 300))
        q.time_ps = open_window_ps(r) - one_in(r, 2);
    return q;
}

static bool same_response(const panem_response *a, const panem_response *b)
{
    return a->ack_ps == b->ack_ps && a->done_ps == b->done_ps && a->retry_ps == b->retry_ps &&
           a->cbusy == b->cbusy;
}

/* Outputs start with a pattern, so that a write where none is allowed shows. */
static panem_status access_both(run *r, const panem_request *q, uint64_t *retry_ps)
{
    panem_response a = {11, 12, 13, 14};
    panem_response b = a;
    panem_status status = panem_access(r->product, &a, q);
    if (status != lit_access(r->literal, &b, q))
        differ(r, "statuses of access");
    if (!same_response(&a, &b))
        differ(r, "responses");
    r->ok += status == PANEM_OK;
    r->busy += status == PANEM_BUSY;
    *retry_ps = a.retry_ps;
    return status;
}

static void advance_both(run *r, uint64_t horizon_ps)
{
    if (panem_advance(r->product, horizon_ps) != lit_advance(r->literal, horizon_ps))
        differ(r, "statuses of advance");
}

static void do_access(run *r)
{
    panem_request q = random_request(r);
    uint64_t retry_ps;
    if (access_both(r, &q, &retry_ps) != PANEM_BUSY || one_in(r, 2))
        return;
    if (r->options.time_mode == PANEM_TIME_HORIZON) {
        r->horizon_ps = retry_ps;
        advance_both(r, retry_ps);
    }
    if (q.time_ps < retry_ps)
        q.time_ps = retry_ps;
    if (r->now_ps < q.time_ps)
        r->now_ps = q.time_ps;
    access_both(r, &q, &retry_ps);
}

static void do_advance(run *r)
{
    uint64_t *t = r->options.time_mode == PANEM_TIME_HORIZON ? &r->horizon_ps : &r->now_ps;
    if (r->shape == GAPS && one_in(r, 10))
        *t += UINT64_C(2000000000000) + pick(r, 1000000);
    *t += pick(r, 3 * r->options.window_ps);
    uint64_t horizon_ps = one_in(r, 20) ? pick(r, *t + 1) : *t;
    advance_both(r, horizon_ps);
}

static void compare(const run *r)
{
    panem_state a;
    panem_state b;
    panem_peek(r->product, &a);
    lit_peek(r->literal, &b);
    if (a.window_start_ps != b.window_start_ps || a.latency_ps != b.latency_ps ||
        a.outstanding_bytes != b.outstanding_bytes || a.read_frac != b.read_frac ||
        a.bandwidth_bytes_per_s != b.bandwidth_bytes_per_s ||
        a.utilization_frac != b.utilization_frac || a.cbusy != b.cbusy)
        differ(r, "states");
    panem_stats s;
    panem_stats l;
    memset(&s, 0, sizeof s);
    memset(&l, 0, sizeof l);
    panem_stats_get(r->product, &s);
    lit_stats(r->literal, &l);
    if (memcmp(&s, &l, sizeof s) != 0)
        differ(r, "statistics");
    if (r->product_log.count != r->literal_log.count)
        differ(r, "numbers of observer records");
}

static unsigned char *saved_state(const panem_model *m, size_t *size)
{
    assert_int_equal(panem_save(m, NULL, 0, size), PANEM_E_SPACE);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(panem_save(m, bytes, *size, size), PANEM_OK);
    return bytes;
}

/* The product goes on in a fresh model; the literal form never notices. */
static void do_save_and_restore(run *r)
{
    size_t size;
    size_t again_size;
    unsigned char *bytes = saved_state(r->product, &size);
    panem_model *next = NULL;
    assert_int_equal(panem_model_create(&next, r->set, &r->options, NULL), PANEM_OK);
    if (panem_restore(next, bytes, size, NULL) != PANEM_OK)
        differ(r, "a saved state and what restore expects");
    unsigned char *again = saved_state(next, &again_size);
    if (size != again_size || memcmp(bytes, again, size) != 0)
        differ(r, "saved and saved-again states");
    free(bytes);
    free(again);
    panem_model_destroy(r->product);
    r->product = next;
    panem_observe(next, log_window, &r->product_log);
}

static void do_reset(run *r)
{
    panem_reset(r->product);
    lit_reset(r->literal);
    r->now_ps = r->horizon_ps = 0;
}

static void step(run *r)
{
    if (one_in(r, r->options.time_mode == PANEM_TIME_HORIZON ? 6 : 25))
        do_advance(r);
    else
        do_access(r);
    if (one_in(r, 60))
        do_save_and_restore(r);
    if (one_in(r, 400))
        do_reset(r);
    if (one_in(r, 80))
        random_traffic(r);
    compare(r);
}

static void compare_logs(const run *r)
{
    for (size_t i = 0; i < r->product_log.count; i++) {
        const panem_window *a = &r->product_log.items[i];
        const panem_window *b = &r->literal_log.items[i];
        if (a->start_ps != b->start_ps || a->count != b->count || a->window_ps != b->window_ps)
            differ(r, "times of observer records");
        if (a->read_bytes != b->read_bytes || a->write_bytes != b->write_bytes ||
            a->read_done_bytes != b->read_done_bytes || a->write_done_bytes != b->write_done_bytes)
            differ(r, "bytes of observer records");
        if (a->latency_ps != b->latency_ps || a->read_frac != b->read_frac ||
            a->cbusy != b->cbusy || a->saturated != b->saturated)
            differ(r, "decisions of observer records");
    }
}

static run run_seed(const panem_curves *const *sets, uint64_t seed)
{
    run r;
    memset(&r, 0, sizeof r);
    r.seed = seed;
    pn_rng_init(&r.rng, seed, 5);
    r.set = sets[pick(&r, FIX_COUNT)];
    r.options = random_options(&r);
    assert_int_equal(panem_model_create(&r.product, r.set, &r.options, NULL), PANEM_OK);
    r.literal = lit_create(r.set, &r.options);
    panem_observe(r.product, log_window, &r.product_log);
    lit_observe(r.literal, log_window, &r.literal_log);
    random_traffic(&r);
    for (r.step = 0; r.step < STEPS; r.step++)
        step(&r);
    compare_logs(&r);
    panem_model_destroy(r.product);
    lit_destroy(r.literal);
    free(r.product_log.items);
    free(r.literal_log.items);
    return r;
}

/* ---- the tests ---- */

static uint64_t only_seed;

static void the_two_forms_agree_on_random_traffic(void **state)
{
    (void)state;
    panem_curves *sets[FIX_COUNT];
    for (int i = 0; i < FIX_COUNT; i++)
        sets[i] = fix_set((fix_shape)i, NULL);
    uint64_t ok = 0;
    uint64_t busy = 0;
    uint64_t from = only_seed ? only_seed : 1;
    uint64_t to = only_seed ? only_seed : SEEDS;
    for (uint64_t seed = from; seed <= to; seed++) {
        run r = run_seed((const panem_curves *const *)sets, seed);
        ok += r.ok;
        busy += r.busy;
    }
    print_message("%llu accepted, %llu busy\n", (unsigned long long)ok, (unsigned long long)busy);
    if (!only_seed) {
        assert_true(ok > UINT64_C(100) * SEEDS);
        assert_true(busy > SEEDS);
    }
    for (int i = 0; i < FIX_COUNT; i++)
        panem_curves_destroy(sets[i]);
}

/* Windows of 10 ms full of requests of 1 MiB: sums of byte x ps pass 2^64. */
static void sums_beyond_64_bits_stay_exact(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_MANY, NULL);
    for (int mode = 0; mode < 2; mode++) {
        run r;
        memset(&r, 0, sizeof r);
        pn_rng_init(&r.rng, 77, 1);
        r.set = set;
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.window_ps = UINT64_C(10000000000);
        o.windows = mode ? 3 : 1;
        o.guard = mode ? PANEM_GUARD_COMPLETIONS : PANEM_GUARD_OFF;
        o.time_mode = (panem_time_mode)mode;
        r.options = o;
        assert_int_equal(panem_model_create(&r.product, set, &o, NULL), PANEM_OK);
        r.literal = lit_create(set, &o);
        panem_observe(r.product, log_window, &r.product_log);
        lit_observe(r.literal, log_window, &r.literal_log);
        for (r.step = 0; r.step < (mode ? 25000 : 160000); r.step++) {
            panem_request q = {r.now_ps, 0, 1048576, (uint32_t)pick(&r, 2), 0};
            uint64_t retry_ps;
            r.now_ps += mode ? 4000000 : 400000;
            if (mode && r.step % 100 == 0)
                advance_both(&r, q.time_ps);
            access_both(&r, &q, &retry_ps);
            if (r.step % 24000 == 23000)
                do_save_and_restore(&r);
            if (r.step % 250 == 0)
                compare(&r);
        }
        double most_bytes = 0.0;
        for (size_t i = 0; i < r.product_log.count; i++)
            if (r.product_log.items[i].read_bytes > most_bytes)
                most_bytes = r.product_log.items[i].read_bytes;
        assert_true(most_bytes * (double)o.window_ps > 1.8446744073709552e19); /* 2^64 */
        compare_logs(&r);
        panem_model_destroy(r.product);
        lit_destroy(r.literal);
        free(r.product_log.items);
        free(r.literal_log.items);
    }
    panem_curves_destroy(set);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        only_seed = strtoull(argv[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        PN_TEST(the_two_forms_agree_on_random_traffic),
        PN_TEST(sums_beyond_64_bits_stay_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
