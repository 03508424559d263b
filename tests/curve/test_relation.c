/* L(N, r), its peak and its inverse, against a second evaluation written from the design's words
 * and against brute force over N. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <panem.h>

#include "base/rng.h"

enum { CURVES_MAX = 4, POINTS_MAX = 24 };

static double uniform(pn_rng *rng, double low, double high)
{
    return low + (high - low) * (double)pn_rng_below(rng, 1u << 30) / (double)(1u << 30);
}

/* ---- the oracle: one curve by a linear scan, the beyond rules as min and max ---- */

static double oracle_curve(const panem_curves *set, uint32_t c, panem_beyond beyond, double n)
{
    panem_curve_info info;
    double n0 = 0, l0 = 0, n1 = 0, l1 = 0;
    (void)panem_curves_info(set, &info, c);
    (void)panem_curves_kept(set, &n1, &l1, c, 0);
    if (info.kept_points == 1)
        return fmax(l1, n / info.peak_gbs);
    if (n <= n1)
        return l1;
    for (uint32_t i = 1; i < info.kept_points; i++) {
        n0 = n1;
        l0 = l1;
        (void)panem_curves_kept(set, &n1, &l1, c, i);
        if (n <= n1)
            return l0 + (l1 - l0) * (n - n0) / (n1 - n0);
    }
    double line = l1 + (l1 - l0) / (n1 - n0) * (n - n1);
    if (beyond == PANEM_BEYOND_PAPER)
        return line;
    return fmax(fmin(line, n / info.last_gbs), n / info.peak_gbs);
}

static double oracle(const panem_curves *set, panem_relation relation, double n, double r)
{
    uint32_t count = panem_curves_count(set);
    uint32_t above = 0;
    panem_curve_info a, b;
    while (above < count && panem_curves_info(set, &b, above) == PANEM_OK && b.read_frac < r)
        above++;
    if (above == 0)
        return oracle_curve(set, 0, relation.beyond, n);
    if (above == count)
        return oracle_curve(set, count - 1, relation.beyond, n);
    (void)panem_curves_info(set, &a, above - 1);
    double w = (r - a.read_frac) / (b.read_frac - a.read_frac);
    if (relation.mix == PANEM_MIX_NEAREST)
        return oracle_curve(set, b.read_frac - r < r - a.read_frac ? above : above - 1,
                            relation.beyond, n);
    return (1 - w) * oracle_curve(set, above - 1, relation.beyond, n) +
           w * oracle_curve(set, above, relation.beyond, n);
}

/* Curves with peaks, folds, steep and shallow tails, and raw peaks that repair drops. */
static panem_curves *random_set(pn_rng *rng)
{
    panem_point points[CURVES_MAX * POINTS_MAX];
    size_t count = 0;
    uint32_t curves = 1 + (uint32_t)pn_rng_below(rng, CURVES_MAX);
    for (uint32_t c = 0; c < curves; c++) {
        uint32_t n = 1 + (uint32_t)pn_rng_below(rng, POINTS_MAX - 1);
        double r = (c + (double)pn_rng_below(rng, 900) / 1000.0) / curves;
        double scale = uniform(rng, 20.0, 300.0);
        double tail = uniform(rng, 0.0, 0.6);
        for (uint32_t i = 0; i < n; i++) {
            double x = (i + 1.0) / n;
            points[count++] =
                (panem_point){r, scale * x * (1.0 - tail * x * x) * uniform(rng, 0.95, 1.05),
                              80.0 * (1.0 + 0.2 * x + 2.0 * x * x * x) * uniform(rng, 0.97, 1.03)};
        }
    }
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    panem_curves *set = NULL;
    o.order = PANEM_ORDER_RISING;
    assert_int_equal(panem_curves_create(&set, points, count, &o, NULL), PANEM_OK);
    return set;
}

static void latency_agrees_with_a_second_evaluation(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 11, 0);
    for (int run = 0; run < 400; run++) {
        panem_curves *set = random_set(&rng);
        for (int i = 0; i < 200; i++) {
            panem_relation relation = {(panem_beyond)pn_rng_below(&rng, 2),
                                       (panem_mix)pn_rng_below(&rng, 2)};
            double n = uniform(&rng, 0.0, 1.0);
            n = n * n * 200000.0;
            double r = uniform(&rng, 0.0, 1.0);
            double want = oracle(set, relation, n, r) * 1000.0;
            double have = (double)panem_latency_ps(set, &relation, n, r);
            if (fabs(have - want) > 0.51 + 1e-9 * want)
                fail_msg("N %g r %g: %.3f ps, want %.3f", n, r, have, want);
        }
        panem_curves_destroy(set);
    }
}

static void bandwidth_stays_between_the_last_point_and_the_peak(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 12, 0);
    const panem_relation ours = {PANEM_BEYOND_CAPPED, PANEM_MIX_NEAREST};
    for (int run = 0; run < 400; run++) {
        panem_curves *set = random_set(&rng);
        for (uint32_t c = 0; c < panem_curves_count(set); c++) {
            panem_curve_info info;
            double last = 0, l;
            (void)panem_curves_info(set, &info, c);
            (void)panem_curves_kept(set, &last, &l, c, info.kept_points - 1);
            for (double n = last + 1.0; n < 1e7; n *= 1.3) {
                double gbs = 1000.0 * n / (double)panem_latency_ps(set, &ours, n, info.read_frac);
                assert_true(gbs <= info.peak_gbs * (1 + 1e-5));
                if (info.kept_points > 1)
                    assert_true(gbs >= info.last_gbs * (1 - 1e-5));
            }
        }
        panem_curves_destroy(set);
    }
}

/* The highest N / L over a fine sweep of N, far beyond every breakpoint. */
static double swept_peak(const panem_curves *set, panem_mix mix, double r)
{
    const panem_relation relation = {PANEM_BEYOND_CAPPED, mix};
    double best = 0.0;
    for (double n = 10.0; n < 1e10; n *= 1.002) {
        double gbs = n / oracle(set, relation, n, r);
        best = gbs > best ? gbs : best;
    }
    return best;
}

static void the_peak_table_agrees_with_brute_force(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 13, 0);
    for (int run = 0; run < 60; run++) {
        panem_curves *set = random_set(&rng);
        for (int i = 0; i < 6; i++) {
            double r = (double)pn_rng_below(&rng, 1001) / 1000.0; /* where it is tabulated */
            panem_mix mix = (panem_mix)(i % 2);
            double have = panem_peak_bytes_per_s(set, mix, r) / 1e9;
            double want = swept_peak(set, mix, r);
            if (have < want * (1 - 1e-9) || have > want * (1 + 3e-3))
                fail_msg("run %d mix %d r %.3f: peak %.9g, swept %.9g", run, (int)mix, r, have,
                         want);
        }
        panem_curves_destroy(set);
    }
}

static void the_inverse_finds_the_lower_branch(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 14, 0);
    for (int run = 0; run < 200; run++) {
        panem_curves *set = random_set(&rng);
        for (int i = 0; i < 20; i++) {
            double r = (double)pn_rng_below(&rng, 1001) / 1000.0;
            panem_mix mix = (panem_mix)pn_rng_below(&rng, 2);
            const panem_relation relation = {PANEM_BEYOND_CAPPED, mix};
            double gbs = panem_peak_bytes_per_s(set, mix, r) / 1e9 * uniform(&rng, 0.0, 0.999);
            uint64_t ps = 0;
            double n = 0;
            assert_int_equal(panem_latency_at_bandwidth_ps(set, &ps, &n, mix, gbs * 1e9, r),
                             PANEM_OK);
            double l = oracle(set, relation, n, r);
            assert_true(fabs(n - gbs * l) <= 1e-6 * n + 1e-9); /* it is on the relation */
            assert_true(fabs((double)ps - 1000.0 * l) <= 0.51 + 1e-6 * (double)ps);
            for (int k = 1; k < 200; k++) { /* and nothing below it yields as much */
                double below = n * k / 200.0;
                assert_true(below / oracle(set, relation, below, r) <= gbs * (1 + 1e-6));
            }
        }
        panem_curves_destroy(set);
    }
}

static void bandwidths_above_the_peak_or_below_zero_have_no_latency(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 15, 0);
    for (int run = 0; run < 100; run++) {
        panem_curves *set = random_set(&rng);
        double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 1.0);
        uint64_t ps = 42;
        double n = 43;
        assert_int_equal(
            panem_latency_at_bandwidth_ps(set, &ps, &n, PANEM_MIX_LINEAR, peak * 1.0001, 1.0),
            PANEM_E_RANGE);
        assert_int_equal(panem_latency_at_bandwidth_ps(set, &ps, &n, PANEM_MIX_LINEAR, -1.0, 1.0),
                         PANEM_E_RANGE);
        assert_int_equal(
            panem_latency_at_bandwidth_ps(set, &ps, &n, PANEM_MIX_LINEAR, (double)NAN, 1.0),
            PANEM_E_RANGE);
        assert_int_equal(ps, 42); /* untouched */
        assert_true(n == 43);
        assert_int_equal(panem_latency_at_bandwidth_ps(set, &ps, NULL, PANEM_MIX_LINEAR, 0.0, 1.0),
                         PANEM_OK);
        assert_int_equal(ps, panem_idle_ps(set, PANEM_MIX_LINEAR, 1.0));
        panem_curves_destroy(set);
    }
}

/* A dropped raw peak above the kept points and a slope between: N / L rises toward 1 / slope and no
 * breakpoint shows it. */
static void a_peak_that_is_only_neared_is_found(void **state)
{
    (void)state;
    const panem_point points[] = {{1, 10, 100}, {1, 60, 110}, {1, 100, 105}, {1, 62, 120}};
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    panem_curves *set = NULL;
    o.order = PANEM_ORDER_RISING;
    assert_int_equal(panem_curves_create(&set, points, 4, &o, NULL), PANEM_OK);
    /* kept: (1000 B, 100 ns), (6600 B, 110 ns), (7440 B, 120 ns): slope 10 / 840 ns per byte */
    double limit = 84.0;
    double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 1.0) / 1e9;
    assert_true(fabs(peak - limit) < 1e-9 * limit);
    uint64_t ps = 0;
    double n = 0;
    assert_int_equal(panem_latency_at_bandwidth_ps(set, &ps, &n, PANEM_MIX_LINEAR, 80e9, 1.0),
                     PANEM_OK);
    assert_true(fabs(n / 80.0 - (120.0 + (n - 7440.0) * 10.0 / 840.0)) < 1e-6 * n);
    panem_curves_destroy(set);
}

static void odd_arguments_are_clamped(void **state)
{
    (void)state;
    const panem_point points[] = {{0.5, 0, 90}, {0.5, 50, 120}, {1, 0, 80}, {1, 80, 130}};
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 4, NULL, NULL), PANEM_OK);
    assert_int_equal(panem_latency_ps(set, NULL, -5.0, 1.0), 80000);
    assert_int_equal(panem_latency_ps(set, NULL, (double)NAN, 1.0), 80000);
    assert_int_equal(panem_latency_ps(set, NULL, 0.0, 7.0), 80000);
    assert_int_equal(panem_latency_ps(set, NULL, 0.0, -1.0), 90000);
    assert_int_equal(panem_latency_ps(set, NULL, 0.0, (double)NAN), 90000);
    assert_int_equal(panem_latency_ps(set, NULL, 0.0, 0.75), 85000);
    assert_int_equal(panem_latency_ps(set, NULL, 0.0, 0.2), 90000);
    assert_true(panem_latency_ps(set, NULL, (double)INFINITY, 1.0) > 0);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(latency_agrees_with_a_second_evaluation),
        PN_TEST(bandwidth_stays_between_the_last_point_and_the_peak),
        PN_TEST(the_peak_table_agrees_with_brute_force),
        PN_TEST(the_inverse_finds_the_lower_branch),
        PN_TEST(bandwidths_above_the_peak_or_below_zero_have_no_latency),
        PN_TEST(a_peak_that_is_only_neared_is_found),
        PN_TEST(odd_arguments_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
