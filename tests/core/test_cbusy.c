/* CBusy control: the filter, the gates and the steps by hand; what they do to a core's traffic. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdio.h>

#include "core/cbusy.h"
#include "machine.h"

static const char SET[] = PN_SOURCE_DIR "/tests/data/curves/formula/formula.csv";

/* The level of a window of ten responses: so many of each level. */
static uint32_t level_of(const char *settings, const int counts[4])
{
    pn_core_config config = machine_config(settings);
    pn_cbusy c;
    uint32_t level = 99;
    int left = 10;
    pn_cbusy_init(&c, &config);
    for (uint32_t k = 0; k < 4; k++)
        for (int i = 0; i < counts[k]; i++)
            assert_int_equal(pn_cbusy_response(&c, k, &level), --left == 0);
    assert_int_equal(left, 0);
    return level;
}

static void a_window_has_the_level_that_enough_of_its_responses_reached(void **state)
{
    (void)state;
    const char half[] = "cbusy_control=both cbusy_window=10 cbusy_threshold=50";
    assert_int_equal(level_of(half, (const int[]){10, 0, 0, 0}), 0);
    assert_int_equal(level_of(half, (const int[]){0, 0, 0, 10}), 3);
    assert_int_equal(level_of(half, (const int[]){5, 0, 0, 5}), 3);
    assert_int_equal(level_of(half, (const int[]){6, 0, 0, 4}), 0);
    assert_int_equal(level_of(half, (const int[]){5, 1, 0, 4}), 1);
    assert_int_equal(level_of(half, (const int[]){4, 1, 1, 4}), 2);
    /* 45 % of ten are five */
    const char less[] = "cbusy_control=both cbusy_window=10 cbusy_threshold=45";
    assert_int_equal(level_of(less, (const int[]){6, 0, 0, 4}), 0);
    const char one[] = "cbusy_control=both cbusy_window=10 cbusy_threshold=1";
    assert_int_equal(level_of(one, (const int[]){9, 0, 1, 0}), 2);
    const char all[] = "cbusy_control=both cbusy_window=10 cbusy_threshold=100";
    assert_int_equal(level_of(all, (const int[]){0, 1, 0, 9}), 1);
}

static void responses_between_decision_and_effect_do_not_count(void **state)
{
    (void)state;
    pn_core_config config = machine_config("cbusy_control=limit cbusy_window=2");
    pn_cbusy c;
    uint32_t level = 99;
    pn_cbusy_init(&c, &config);
    assert_false(pn_cbusy_response(&c, 3, &level));
    assert_true(pn_cbusy_response(&c, 3, &level));
    for (int i = 0; i < 9; i++)
        assert_false(pn_cbusy_response(&c, 0, &level));
    pn_cbusy_apply(&c, 100, level, 100, 100);
    assert_false(pn_cbusy_response(&c, 1, &level));
    assert_true(pn_cbusy_response(&c, 1, &level));
    assert_int_equal(level, 1);
    config.cbusy.control = PN_CBUSY_OFF;
    pn_cbusy_init(&c, &config);
    for (int i = 0; i < 9; i++)
        assert_false(pn_cbusy_response(&c, 3, &level));
}

static void prefetchers_are_capped_by_level_and_gated_by_accuracy(void **state)
{
    (void)state;
    pn_core_config config = machine_config("cbusy_control=prefetch l1d_prefetch=stride "
                                           "l2_prefetch=stream l2_prefetch_level=3");
    static const struct {
        uint32_t busy, l1d_pct, l2_pct, l1d, l2;
    } rows[] = {
        {0, 0, 0, 2, 3},   {1, 50, 49, 2, 0}, {1, 49, 50, 0, 2}, {2, 75, 74, 1, 0},
        {2, 74, 75, 0, 1}, {3, 90, 89, 1, 0}, {3, 89, 90, 0, 1}, {0, 89, 90, 2, 3},
    };
    pn_cbusy c;
    pn_cbusy_init(&c, &config);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pn_cbusy_apply(&c, 10 * (i + 1), rows[i].busy, rows[i].l1d_pct, rows[i].l2_pct);
        assert_int_equal(c.l1d.level, rows[i].l1d);
        assert_int_equal(c.l2.level, rows[i].l2);
        assert_int_equal(c.limit, config.l2.mshrs); /* that part is off */
    }
}

static void the_limit_steps_between_its_bounds(void **state)
{
    (void)state;
    pn_core_config config = machine_config("cbusy_control=limit l2_mshrs=20 cbusy_step_down=7 "
                                           "cbusy_step_up=4 cbusy_limit_least_part=4");
    static const uint32_t busy[] = {1, 2, 3, 3, 3, 1, 0, 0, 0, 0, 0};
    static const uint32_t limit[] = {20, 13, 6, 5, 5, 5, 9, 13, 17, 20, 20};
    pn_cbusy c;
    pn_cbusy_init(&c, &config);
    for (size_t i = 0; i < sizeof busy / sizeof busy[0]; i++) {
        pn_cbusy_apply(&c, 100 * (i + 1), busy[i], 100, 100);
        assert_int_equal(c.limit, limit[i]);
    }
    pn_cbusy_stats s = pn_cbusy_stats_now(&c, 1150);
    assert_int_equal(s.windows, 11);
    /* before the first, and each hundred cycles; the last level for fifty */
    assert_int_equal(s.level_cyc[0], 100 + 450);
    assert_int_equal(s.level_cyc[1], 200);
    assert_int_equal(s.level_cyc[2], 100);
    assert_int_equal(s.level_cyc[3], 300);
    assert_int_equal(s.limit_cyc[0], 200 + 100 + 100 + 50); /* above 15 */
    assert_int_equal(s.limit_cyc[1], 200);                  /* above 10: 13, twice */
    assert_int_equal(s.limit_cyc[2], 100 + 100);            /* above 5: 6 and 9 */
    assert_int_equal(s.limit_cyc[3], 300);
    assert_int_equal(s.limit_line_cyc,
                     100 * (20 + 20 + 13 + 6 + 5 + 5 + 5 + 9 + 13 + 17 + 20) + 50 * 20);
}

/* A stream of loads as one of so many cores. */
static pn_core_result stream(const char *control, int cores)
{
    char settings[200];
    machine m;
    (void)snprintf(settings, sizeof settings,
                   "active_cores=%d llc_size=8GB l1d_mshrs=64 lob=128 %s", cores, control);
    machine_make_over(&m, settings, "panem", SET);
    for (uint64_t i = 0; i < 60000; i++) {
        if (i == 20000)
            machine_mark(&m);
        machine_step(&m, &(step){.load = true, .address = i * 64});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return r;
}

static void a_limited_stream_waits_less_and_gets_the_same(void **state)
{
    (void)state;
    /* 192 cores x 48 lines are far more than the memory can serve: its bandwidth is all there is,
     * and latency follows from what is outstanding (Little). */
    pn_core_result free = stream("", 192);
    pn_core_result limited = stream("cbusy_control=limit", 192);
    double cycles = (double)limited.measured_cyc / (double)free.measured_cyc;
    double latency = (double)limited.measured.door.read_ps / (double)free.measured.door.read_ps;
    assert_float_equal(cycles, 1.0, 0.02);
    assert_float_equal(latency, 12.0 / 48.0, 0.04); /* a quarter of L2's miss registers */
    assert_true(limited.measured.cbusy.limit_cyc[3] > limited.measured_cyc * 9 / 10);
    /* a core alone is never told that the memory is busy */
    pn_core_result alone = stream("", 1);
    pn_core_result free_alone = stream("cbusy_control=both", 1);
    assert_int_equal(alone.measured_cyc, free_alone.measured_cyc);
    assert_int_equal(free_alone.measured.cbusy.level_cyc[3], 0);
}

static void a_fixed_latency_is_never_busy(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (int k = 0; k < 2; k++) {
        machine m;
        machine_make(&m, k ? "cbusy_control=both l2_prefetch=stream" : "l2_prefetch=stream", 90.0);
        for (uint64_t i = 0; i < 20000; i++)
            machine_step(&m, &(step){.load = true, .address = i * 64});
        pn_core_result r = machine_finish(&m);
        machine_free(&m);
        cycles[k] = r.measured_cyc;
        assert_int_equal(r.whole.cbusy_seen[1] + r.whole.cbusy_seen[2] + r.whole.cbusy_seen[3], 0);
        assert_int_equal(r.whole.cbusy.level_cyc[0], r.whole.cbusy.limit_cyc[0]);
        assert_true((r.whole.cbusy.windows > 0) == (k == 1));
    }
    assert_int_equal(cycles[0], cycles[1]);
}

/* Random loads with a prefetcher that cannot be right, as one of 96 cores. */
static pn_core_result useless_prefetches(const char *control)
{
    char settings[200];
    machine m;
    uint64_t line = 1;
    (void)snprintf(settings, sizeof settings,
                   "active_cores=96 llc_size=6MiB l2_size=64KiB l2_prefetch=spatial "
                   "l2_prefetch_level=3 l1d_prefetch=next-line %s",
                   control);
    machine_make_over(&m, settings, "panem", SET);
    for (int i = 0; i < 60000; i++) {
        if (i == 20000)
            machine_mark(&m);
        line = machine_chase(line, 1 << 22);
        machine_step(&m, &(step){.load = true, .address = line * 64, .pc = 0x1000 + line % 8 * 4});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return r;
}

static void useless_prefetchers_are_throttled_under_load(void **state)
{
    (void)state;
    pn_core_result none = useless_prefetches("l1d_prefetch=none l2_prefetch=none");
    pn_core_result free = useless_prefetches("");
    pn_core_result gated = useless_prefetches("cbusy_control=prefetch");
    assert_true((double)free.measured_cyc > 1.3 * (double)none.measured_cyc);
    assert_true((double)gated.measured_cyc < 1.03 * (double)none.measured_cyc);
    const uint64_t *at = gated.measured.cbusy.l2_prefetch_cyc;
    assert_true(at[0] + at[1] > gated.measured_cyc * 9 / 10);
    assert_true(gated.measured.door.prefetch_reads < free.measured.door.prefetch_reads / 10);
}

static void the_loop_has_its_delay(void **state)
{
    (void)state;
    /* Every window takes 64 responses and the delay. */
    pn_core_result soon = stream("cbusy_control=prefetch cbusy_delay=0", 192);
    pn_core_result late = stream("cbusy_control=prefetch cbusy_delay=100000", 192);
    double cycles = (double)(late.warmup_cyc + late.measured_cyc);
    double window = cycles * 64.0 / 60000.0;
    assert_int_equal(soon.whole.cbusy.windows, 60000 / 64);
    double ratio = (double)late.whole.cbusy.windows / (cycles / (window + 100000.0));
    assert_true(ratio > 0.94 && ratio < 1.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_window_has_the_level_that_enough_of_its_responses_reached),
        PN_TEST(responses_between_decision_and_effect_do_not_count),
        PN_TEST(prefetchers_are_capped_by_level_and_gated_by_accuracy),
        PN_TEST(the_limit_steps_between_its_bounds),
        PN_TEST(a_limited_stream_waits_less_and_gets_the_same),
        PN_TEST(a_fixed_latency_is_never_busy),
        PN_TEST(useless_prefetchers_are_throttled_under_load),
        PN_TEST(the_loop_has_its_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
