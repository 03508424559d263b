/* Batch means and the histogram, against brute force. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/stat.h"

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void quantiles_agree_with_sorting(void **state)
{
    (void)state;
    enum { N = 20001 };
    static uint64_t values[N];
    pn_hist *hist = NULL;
    pn_rng rng;
    pn_rng_init(&rng, 3, 0);
    assert_int_equal(pn_hist_create(&hist, NULL), PANEM_OK);
    assert_true(isnan(pn_hist_quantile(hist, 0.5)));
    for (int i = 0; i < N; i++) {
        values[i] = pn_rng_exp(&rng, 200000);
        pn_hist_add(hist, values[i]);
    }
    qsort(values, N, sizeof values[0], ascending);
    for (double q = 0.05; q < 1.0; q += 0.05) {
        double want = (double)values[(size_t)ceil(q * N) - 1];
        double got = pn_hist_quantile(hist, q);
        assert_true(fabs(got - want) <= 1.0 + want / 1024.0);
    }
    assert_int_equal(pn_hist_count(hist), N);
    pn_hist_clear(hist);
    assert_int_equal(pn_hist_count(hist), 0);
    pn_hist_destroy(hist);
}

static void small_and_huge_values_have_a_bucket(void **state)
{
    (void)state;
    pn_hist *hist = NULL;
    assert_int_equal(pn_hist_create(&hist, NULL), PANEM_OK);
    pn_hist_add(hist, 0);
    assert_true(pn_hist_quantile(hist, 1.0) == 0.0);
    pn_hist_add(hist, UINT64_MAX);
    assert_true(pn_hist_quantile(hist, 1.0) > 1e13);
    pn_hist_destroy(hist);
}

/* For independent values the batch-means error is sd / sqrt(n), on average over many runs. */
static void standard_error_is_honest_for_independent_values(void **state)
{
    (void)state;
    double ratio = 0.0;
    const int runs = 60;
    for (int run = 0; run < runs; run++) {
        pn_batch_mean b;
        pn_rng rng;
        pn_rng_init(&rng, 11, (uint64_t)run);
        pn_batch_init(&b, 7);
        const int n = 50000;
        for (int i = 0; i < n; i++)
            pn_batch_add(&b, (double)pn_rng_exp(&rng, 1000000));
        assert_true(b.total == (uint64_t)n);
        ratio += pn_batch_relative_error(&b) * sqrt(n); /* exponential: sd = mean */
        assert_true(fabs(pn_batch_lag1(&b)) < 0.6);
    }
    assert_true(fabs(ratio / runs - 1.0) < 0.06);
}

static void standard_error_sees_correlation(void **state)
{
    (void)state;
    pn_batch_mean b;
    pn_rng rng;
    pn_rng_init(&rng, 12, 0);
    pn_batch_init(&b, 16);
    double x = 0.0;
    const int n = 1 << 20;
    for (int i = 0; i < n; i++) { /* AR(1) around 10: the naive error is far too small */
        x = 0.999 * x + ((double)pn_rng_below(&rng, 2001) - 1000.0) / 1000.0;
        pn_batch_add(&b, 100.0 + x);
    }
    double sd = 1.0 / sqrt(3.0) / sqrt(1.0 - 0.999 * 0.999);
    double naive = sd / sqrt(n) / 100.0;
    double honest = naive * sqrt(1.999 / 0.001);
    assert_true(pn_batch_relative_error(&b) > 0.5 * honest);
    assert_true(pn_batch_relative_error(&b) < 2.0 * honest);
}

static void nothing_added_has_no_mean(void **state)
{
    (void)state;
    pn_batch_mean b;
    pn_batch_init(&b, 0);
    assert_true(isnan(pn_batch_mean_value(&b)));
    assert_true(isinf(pn_batch_relative_error(&b)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(quantiles_agree_with_sorting),
        PN_TEST(small_and_huge_values_have_a_bucket),
        PN_TEST(standard_error_is_honest_for_independent_values),
        PN_TEST(standard_error_sees_correlation),
        PN_TEST(nothing_added_has_no_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
