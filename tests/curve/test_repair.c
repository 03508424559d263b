/* The repair of a curve, against the rules written down again in the plainest way: filter, order,
 * one walk from idle upward, at most one point past the peak. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <panem.h>

#include "base/rng.h"

enum { POINTS_MAX = 64 };

typedef struct bl {
    double b, l;
} bl;

/* ---- the oracle ---- */

static size_t keep_valid(bl *out, const panem_point *in, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(in[i].bandwidth_gbs) && isfinite(in[i].latency_ns) && in[i].latency_ns > 0 &&
            in[i].bandwidth_gbs >= 0)
            out[n++] = (bl){in[i].bandwidth_gbs, in[i].latency_ns};
    return n;
}

/* Each point is kept when both its product and its latency exceed those of every kept one; then the
 * tail beyond one point after the best bandwidth goes. */
static size_t repaired(bl *p, size_t count)
{
    bool kept[POINTS_MAX] = {false};
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        kept[i] = true;
        for (size_t k = 0; k < i; k++)
            if (kept[k] && (p[i].b * p[i].l <= p[k].b * p[k].l || p[i].l <= p[k].l))
                kept[i] = false;
    }
    for (size_t i = 0; i < count; i++)
        if (kept[i])
            p[n++] = p[i];
    size_t best = 0;
    for (size_t i = 0; i < n; i++)
        if (p[i].b > p[best].b)
            best = i;
    return best + 2 < n ? best + 2 : n;
}

/* ---- random dirty curves ---- */

static double uniform(pn_rng *rng, double low, double high)
{
    return low + (high - low) * (double)pn_rng_below(rng, 1u << 30) / (double)(1u << 30);
}

/* Rising load with noise, negative bandwidths, duplicates, dips and a fold past the peak. */
static size_t dirty_curve(pn_rng *rng, panem_point *points, double read_frac)
{
    size_t count = 2 + pn_rng_below(rng, POINTS_MAX - 2);
    for (size_t i = 0; i < count; i++) {
        double x = (double)i / (double)count;
        double b = 130.0 * x * (1.0 - 0.35 * x * x) + uniform(rng, -3.0, 3.0);
        double l = 90.0 / (1.05 - x) * uniform(rng, 0.93, 1.07);
        points[i] = (panem_point){read_frac, b, l};
        switch (pn_rng_below(rng, 40)) {
        case 0:
            points[i].latency_ns = -l;
            break;
        case 1:
            points[i].bandwidth_gbs = (double)NAN;
            break;
        case 2:
            points[i].latency_ns = (double)INFINITY;
            break;
        case 3:
            if (i > 0)
                points[i] = points[i - 1];
            break;
        default:
            break;
        }
    }
    points[count / 2] = (panem_point){read_frac, 70.0, 120.0}; /* at least one is usable */
    return count;
}

static void expect_kept(const panem_curves *set, const bl *want, size_t count)
{
    panem_curve_info info;
    assert_int_equal(panem_curves_info(set, &info, 0), PANEM_OK);
    assert_int_equal(info.kept_points, count);
    for (size_t i = 0; i < count; i++) {
        double n, l;
        assert_int_equal(panem_curves_kept(set, &n, &l, 0, (uint32_t)i), PANEM_OK);
        assert_true(n == want[i].b * want[i].l);
        assert_true(l == want[i].l);
    }
}

static void the_walk_agrees_with_the_rules_on_random_dirty_curves(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 7, 1);
    for (int run = 0; run < 3000; run++) {
        panem_point points[POINTS_MAX];
        bl want[POINTS_MAX];
        size_t count = dirty_curve(&rng, points, 0.5);
        panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
        o.order = PANEM_ORDER_RISING;
        panem_curves *set = NULL;
        assert_int_equal(panem_curves_create(&set, points, count, &o, NULL), PANEM_OK);
        size_t valid = keep_valid(want, points, count);
        double peak = 0.0;
        for (size_t i = 0; i < valid; i++)
            peak = want[i].b > peak ? want[i].b : peak;
        expect_kept(set, want, repaired(want, valid));
        panem_curve_info info;
        (void)panem_curves_info(set, &info, 0);
        assert_true(info.peak_gbs == peak);
        panem_curves_destroy(set);
    }
}

static int by_product(const void *a, const void *b)
{
    const bl *x = a;
    const bl *y = b;
    double d = x->b * x->l - y->b * y->l;
    return (d > 0) - (d < 0);
}

static void an_unknown_order_is_that_of_bandwidth_times_latency(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 8, 1);
    for (int run = 0; run < 500; run++) {
        panem_point points[POINTS_MAX];
        bl want[POINTS_MAX];
        size_t count = dirty_curve(&rng, points, 0.5);
        for (size_t i = count - 1; i > 0; i--) {
            size_t k = pn_rng_below(&rng, i + 1);
            panem_point t = points[i];
            points[i] = points[k];
            points[k] = t;
        }
        panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
        o.order = PANEM_ORDER_ANY;
        panem_curves *set = NULL;
        assert_int_equal(panem_curves_create(&set, points, count, &o, NULL), PANEM_OK);
        size_t valid = keep_valid(want, points, count);
        qsort(want, valid, sizeof *want, by_product);
        expect_kept(set, want, repaired(want, valid));
        panem_curves_destroy(set);
    }
}

static void falling_input_gives_the_set_that_rising_input_gives(void **state)
{
    (void)state;
    panem_point points[12];
    panem_point turned[12];
    for (int i = 0; i < 12; i++) {
        points[i] = (panem_point){1.0, 10.0 * i, 90.0 + i * i};
        turned[11 - i] = points[i];
    }
    const panem_order orders[] = {PANEM_ORDER_FALLING, PANEM_ORDER_AUTO, PANEM_ORDER_ANY};
    panem_curves *want = NULL;
    assert_int_equal(panem_curves_create(&want, points, 12, NULL, NULL), PANEM_OK);
    for (size_t i = 0; i < 3; i++) {
        panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
        panem_curves *set = NULL;
        o.order = orders[i];
        assert_int_equal(panem_curves_create(&set, turned, 12, &o, NULL), PANEM_OK);
        assert_true(panem_curves_fingerprint(set) == panem_curves_fingerprint(want));
        panem_curves_destroy(set);
    }
    panem_curves_destroy(want);
}

/* ---- reports ---- */

typedef struct tally {
    int count[16];
    uint32_t line[16];
} tally;

static void count_finding(void *user, const panem_finding *finding)
{
    tally *t = user;
    t->count[finding->kind]++;
    t->line[finding->kind] = finding->line;
    assert_true(finding->text[0] != '\0');
}

static void every_kind_of_repair_is_reported_with_its_point(void **state)
{
    (void)state;
    const panem_point points[] = {{1, 0, 90},   {1, (double)NAN, 91}, {1, -1, 91}, {1, 10, 0},
                                  {1, 10, 95},  {1, 10, 95},          {1, 20, 94}, {1, 50, 150},
                                  {1, 40, 220}, {1, 35, 300}};
    tally t = {{0}, {0}};
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    o.order = PANEM_ORDER_RISING;
    o.report = count_finding;
    o.report_user = &t;
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 10, &o, NULL), PANEM_OK);
    const struct {
        panem_finding_kind kind;
        uint32_t line;
    } want[] = {{PANEM_FINDING_NOT_FINITE, 2}, {PANEM_FINDING_NEGATIVE_BANDWIDTH, 3},
                {PANEM_FINDING_LATENCY, 4},    {PANEM_FINDING_DUPLICATE, 6},
                {PANEM_FINDING_NOT_RISING, 7}, {PANEM_FINDING_PAST_PEAK, 9},
                {PANEM_FINDING_FOLD_BACK, 10}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        assert_int_equal(t.count[want[i].kind], 1);
        assert_int_equal(t.line[want[i].kind], want[i].line);
    }
    assert_int_equal(t.count[PANEM_FINDING_ORDER], 0);
    panem_curves_destroy(set);
}

static void a_shuffled_curve_is_reported_as_put_in_order(void **state)
{
    (void)state;
    const panem_point points[] = {
        {1, 50, 150}, {1, 0, 90}, {1, 40, 120}, {1, 10, 95}, {1, 45, 130}};
    tally t = {{0}, {0}};
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    o.report = count_finding;
    o.report_user = &t;
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 5, &o, NULL), PANEM_OK);
    assert_int_equal(t.count[PANEM_FINDING_ORDER], 1);
    panem_curves_destroy(set);
}

/* Strict refuses each repair alone, names its place, and leaves the output alone; one kept point
 * past the peak is no repair. */
static void strict_refuses_every_repair_but_not_a_point_past_the_peak(void **state)
{
    (void)state;
    const panem_point bad[] = {
        {1, (double)NAN, 100}, {1, -1, 100}, {1, 30, -5}, {1, 10, 100}, {1, 5, 120}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        panem_point points[] = {{1, 0, 90}, {1, 10, 100}, bad[i], {1, 50, 150}};
        panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
        panem_error err = PANEM_ERROR_INIT;
        panem_curves *set = NULL;
        o.strict = 1;
        o.order = PANEM_ORDER_RISING;
        assert_int_equal(panem_curves_create(&set, points, 4, &o, &err), PANEM_E_STRICT);
        assert_null(set);
        assert_int_equal(err.line, 3);
    }
    const panem_point fold[] = {{1, 0, 90}, {1, 50, 150}, {1, 45, 200}};
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    panem_curves *set = NULL;
    o.strict = 1;
    assert_int_equal(panem_curves_create(&set, fold, 3, &o, NULL), PANEM_OK);
    panem_curves_destroy(set);
}

/* ---- transforms ---- */

static void transforms_act_in_the_stated_order(void **state)
{
    (void)state;
    const panem_point points[] = {{1, 10, 100}, {1, 20, 130}};
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    o.bandwidth_factor = 2.0;
    o.latency_factor = 0.5;
    o.latency_offset_ns = 28.0;
    o.on_chip_ns = 8.0;
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 2, &o, NULL), PANEM_OK);
    double n, l;
    (void)panem_curves_kept(set, &n, &l, 0, 1);
    assert_true(l == 130 * 0.5 + 28 - 8);
    assert_true(n == 40.0 * l);
    panem_curve_info info;
    (void)panem_curves_info(set, &info, 0);
    assert_true(info.peak_gbs == 40.0);
    panem_curves_destroy(set);
    o.on_chip_ns = 78.0; /* leaves exactly 0 of the first point */
    panem_error err = PANEM_ERROR_INIT;
    set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 2, &o, &err), PANEM_E_RANGE);
    assert_null(set);
    assert_int_equal(err.line, 1);
}

static void a_flat_curve_keeps_its_latency_up_to_peak_times_latency(void **state)
{
    (void)state;
    const panem_point points[] = {{1, 0, 80}, {1, 50, 80}, {1, 100, 80}};
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 3, NULL, NULL), PANEM_OK);
    for (double n = 0.0; n <= 8000.0; n += 100.0)
        assert_int_equal(panem_latency_ps(set, NULL, n, 1.0), 80000);
    assert_int_equal(panem_latency_ps(set, NULL, 16000.0, 1.0), 160000);
    assert_true(fabs(panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 1.0) - 100e9) < 1.0);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(the_walk_agrees_with_the_rules_on_random_dirty_curves),
        PN_TEST(an_unknown_order_is_that_of_bandwidth_times_latency),
        PN_TEST(falling_input_gives_the_set_that_rising_input_gives),
        PN_TEST(every_kind_of_repair_is_reported_with_its_point),
        PN_TEST(a_shuffled_curve_is_reported_as_put_in_order),
        PN_TEST(strict_refuses_every_repair_but_not_a_point_past_the_peak),
        PN_TEST(transforms_act_in_the_stated_order),
        PN_TEST(a_flat_curve_keeps_its_latency_up_to_peak_times_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
