/* test_history.c - steps over time against plain sums of the windows they are made of. */
#include "../cmocka_pn.h"

#include <math.h>
#include <string.h>

#include "sim/history.h"

static pn_tap_window window(uint64_t i)
{
    uint64_t reads = 64 * (i * 7 % 11);
    uint64_t writes = 64 * (i * 5 % 3);
    uint64_t n = (reads + writes) / 64;
    /* Halves: sums of them are exact, in any order. */
    return (pn_tap_window){.start_ps = i * 520000,
                           .read_bytes = reads,
                           .write_bytes = writes,
                           .completions = n,
                           .latency_ns = n ? 90.0 + 0.5 * (double)(i % 13) : (double)NAN};
}

/* The length of a step for so many windows: the least power of two that needs at most all steps. */
static uint64_t expected_each(uint64_t windows)
{
    uint64_t each = 1;
    while (each * PN_HISTORY_MAX < windows)
        each *= 2;
    return each;
}

static void check(uint64_t windows)
{
    static pn_history h;
    memset(&h, 0, sizeof h);
    for (uint64_t i = 0; i < windows; i++) {
        pn_tap_window w = window(i);
        pn_history_take(&h, &w);
    }
    uint64_t each = expected_each(windows);
    assert_int_equal(h.each, each);
    assert_int_equal(h.count, (windows + each - 1) / each);
    for (size_t s = 0; s < h.count; s++) {
        pn_history_step sum = {0};
        uint64_t n = 0;
        for (uint64_t i = s * each; i < windows && i < (s + 1) * each; i++, n++) {
            pn_tap_window w = window(i);
            sum.read_bytes += w.read_bytes;
            sum.write_bytes += w.write_bytes;
            sum.completions += w.completions;
            sum.latency_ns += w.completions ? w.latency_ns * (double)w.completions : 0.0;
        }
        assert_int_equal(pn_history_windows(&h, s), n);
        assert_int_equal(h.steps[s].read_bytes, sum.read_bytes);
        assert_int_equal(h.steps[s].write_bytes, sum.write_bytes);
        assert_int_equal(h.steps[s].completions, sum.completions);
        assert_true(h.steps[s].latency_ns == sum.latency_ns);
    }
}

static void steps_are_the_sums_of_their_windows(void **state)
{
    (void)state;
    static const uint64_t COUNTS[] = {1,
                                      2,
                                      PN_HISTORY_MAX - 1,
                                      PN_HISTORY_MAX,
                                      PN_HISTORY_MAX + 1,
                                      UINT64_C(2) * PN_HISTORY_MAX,
                                      UINT64_C(2) * PN_HISTORY_MAX + 1,
                                      12345,
                                      100003};
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++)
        check(COUNTS[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {PN_TEST(steps_are_the_sums_of_their_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
