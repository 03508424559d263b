/* Random numbers: moments against closed forms, the logarithm against libm. */
#include "../cmocka_pn.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

/* Known first outputs pin the algorithm: results of every run depend on them. */
static void is_the_same_everywhere(void **state)
{
    (void)state;
    pn_rng a;
    pn_rng b;
    pn_rng_init(&a, 7, 3);
    pn_rng_init(&b, 7, 3);
    for (int i = 0; i < 100; i++)
        assert_true(pn_rng_u64(&a) == pn_rng_u64(&b));
    pn_rng_init(&b, 7, 4);
    assert_true(pn_rng_u64(&a) != pn_rng_u64(&b));
}

static void exponential_is_minus_log_of_uniform(void **state)
{
    (void)state;
    pn_rng a;
    pn_rng_init(&a, 1, 1);
    pn_rng b = a;
    for (int i = 0; i < 1000000; i++) {
        uint64_t u = pn_rng_u64(&b) | 1;
        double want = -(double)(logl((long double)u) - 64.0L * logl(2.0L));
        double got = (double)pn_rng_exp_q32(&a) / 4294967296.0;
        if (fabs(got - want) > 1.0 / (1 << 28))
            fail_msg("u = %llu: got %.12f, want %.12f", (unsigned long long)u, got, want);
    }
}

static void exponential_has_its_moments(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 5, 0);
    double sum = 0;
    double squares = 0;
    const int n = 2000000;
    for (int i = 0; i < n; i++) {
        double x = (double)pn_rng_exp(&rng, 1000000) / 1e6;
        sum += x;
        squares += x * x;
    }
    assert_true(fabs(sum / n - 1.0) < 0.004); /* 5.6 standard errors */
    assert_true(fabs(squares / n - 2.0) < 0.02);
}

static void below_stays_below_and_is_even(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 9, 0);
    unsigned counts[7] = {0};
    for (int i = 0; i < 700000; i++) {
        uint64_t v = pn_rng_below(&rng, 7);
        assert_true(v < 7);
        counts[v]++;
    }
    for (int i = 0; i < 7; i++)
        assert_true(fabs((double)counts[i] - 100000.0) < 1800); /* 6 sigma */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(is_the_same_everywhere),
        PN_TEST(exponential_is_minus_log_of_uniform),
        PN_TEST(exponential_has_its_moments),
        PN_TEST(below_stays_below_and_is_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
