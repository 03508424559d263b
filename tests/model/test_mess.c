/* The Mess peer against latencies computed by hand from its rule, and its published behaviour.
 *
 * The hand set at 1 GHz: cycles are ns, 6.4 GB/s are 0.1 accesses per cycle. Its curve is
 * (0.1, 100), (0.2, 120), (0.3, 200). Windows of ten accesses. */
#include "../cmocka_pn.h"

#include <math.h>

#include "../ref/fixture.h"
#include "peer_drive.h"

static panem_model_options hand_options(void)
{
    panem_model_options o = drive_options(PANEM_KIND_MESS);
    o.peers.frequency_hz = 1000000000;
    o.peers.curve_window_size = 10;
    return o;
}

static panem_curves *hand_set(void)
{
    return fix_parse(
        "read_pct,bandwidth_gbs,latency_ns\n100,6.4,100\n100,12.8,120\n100,19.2,200\n");
}

/* Ten accesses of which the last comes cycles after the first; reads of them are reads. Nine get
 * the latency before, the tenth the new one, in whole ns, which is returned. */
static uint64_t window(panem_model *m, uint64_t *now_ps, uint64_t cycles, int reads)
{
    panem_state s;
    panem_peek(m, &s);
    for (int i = 0; i < 9; i++)
        assert_int_equal(drive_ask(m, *now_ps, i < reads ? PANEM_READ : PANEM_WRITE), s.latency_ps);
    *now_ps += cycles * 1000;
    uint64_t latency_ps = drive_ask(m, *now_ps, reads == 10 ? PANEM_READ : PANEM_WRITE);
    assert_int_equal(latency_ps % 1000, 0);
    return latency_ps / 1000;
}

static void two_averages_and_the_overflow_factor_follow_the_curve(void **state)
{
    (void)state;
    panem_curves *set = hand_set();
    panem_model_options o = hand_options();
    panem_model *m = drive_model(set, &o);
    uint64_t now = 1000000;
    /* 10/4 = 2.5: bw 0.125; curve 105; 0.05 x 105 + 0.95 x 100 = 100.25 */
    assert_int_equal(window(m, &now, 4, 10), 100);
    /* bw 0.125 + 0.95 x 0.125 = 0.24375; curve 155; 7.75 + 95.2375 = 102.99 */
    assert_int_equal(window(m, &now, 4, 10), 102);
    /* bw 0.3566 > 0.297: overflow 0.02; 0.05 x 204 + 0.95 x 102.9875 = 108.04; bw 0.2465625 */
    assert_int_equal(window(m, &now, 4, 10), 108);
    /* 10/50: bw 0.01 + 0.2342 = 0.24423; curve 155.39 x 1.02 = 158.50; 110.56; overflow 0.01 */
    assert_int_equal(window(m, &now, 50, 10), 110);
    /* bw 0.24202; 153.62 x 1.01 = 155.15; 7.758 + 105.033 = 112.79 */
    assert_int_equal(window(m, &now, 50, 10), 112);
    panem_stats s;
    panem_stats_get(m, &s);
    assert_int_equal(s.windows_closed, 5);
    assert_int_equal(s.windows_saturated, 1);
    /* the last 0.01 of overflow never leaves: 120 x 1.01 = 121.2 */
    for (int i = 0; i < 1000; i++)
        (void)window(m, &now, 50, 10);
    assert_int_equal(window(m, &now, 50, 10), 121);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void below_the_curve_the_lowest_latency_holds(void **state)
{
    (void)state;
    panem_curves *set = hand_set();
    panem_model_options o = hand_options();
    panem_model *m = drive_model(set, &o);
    uint64_t now = 1000000;
    for (int i = 0; i < 100; i++) /* the lowest segment goes on to 82 and less, unseen */
        assert_int_equal(window(m, &now, 1000, 10), 100);
    /* back at 0.2 it starts from below: bw 0.01 + 0.95 x 0.01 = 0.0195, not above 100 */
    assert_int_equal(window(m, &now, 50, 10), 100);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void a_window_within_one_cycle_overflows_and_stays_finite(void **state)
{
    (void)state;
    panem_curves *set = hand_set();
    panem_model_options o = hand_options();
    panem_model *m = drive_model(set, &o);
    uint64_t now = 1000000;
    /* 0.05 x 1.02 x 200 + 95 = 105.2; then 0.05 x 1.04 x 200 + 0.95 x 105.2 = 110.34 */
    assert_int_equal(window(m, &now, 0, 10), 105);
    assert_int_equal(window(m, &now, 0, 10), 110);
    /* 0.999 ns apart but in one cycle */
    for (int i = 0; i < 9; i++)
        (void)drive_ask(m, now, PANEM_READ);
    /* 0.05 x 1.06 x 200 + 0.95 x 110.34 = 115.423 */
    assert_int_equal(drive_ask(m, now + 999, PANEM_READ), 115000);
    panem_state s;
    panem_peek(m, &s);
    assert_true(isfinite(s.utilization_frac) && isfinite(s.bandwidth_bytes_per_s));
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void time_that_steps_back_counts_as_no_bandwidth(void **state)
{
    (void)state;
    panem_curves *set = hand_set();
    panem_model_options o = hand_options();
    panem_model *m = drive_model(set, &o);
    uint64_t now = 1000000;
    (void)window(m, &now, 4, 10); /* last 100.25, bw 0.125 */
    (void)window(m, &now, 4, 10); /* last 102.9875, bw 0.24375 */
    for (int i = 0; i < 9; i++)
        (void)drive_ask(m, now, PANEM_READ);
    /* bw 0 + 0.2315625; curve 120 + 0.0315625 x 800 = 145.25; 7.2625 + 97.838 = 105.1 */
    assert_int_equal(drive_ask(m, now - 5000, PANEM_READ), 105000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void the_curve_is_the_one_nearest_to_the_even_percent(void **state)
{
    (void)state;
    panem_curves *set = fix_parse("read_pct,bandwidth_gbs,latency_ns\n0,64,300\n100,64,100\n");
    panem_model_options o = hand_options();
    panem_model *m = drive_model(set, &o);
    uint64_t now = 1000000;
    assert_int_equal(window(m, &now, 1000, 6), 100);  /* 60 %: the curve of 100 */
    assert_int_equal(window(m, &now, 1000, 4), 110);  /* 40 %: 0.05 x 300 + 95 */
    assert_int_equal(window(m, &now, 1000, 0), 119);  /* 15 + 104.5 = 119.5 */
    assert_int_equal(window(m, &now, 1000, 10), 118); /* 5 + 113.525 = 118.525 */
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

/* The point past the peak is the curve's highest latency, but no point of the scan: 300 enters the
 * overflow, while at 0.24375 the curve still says 155. */
static void the_point_past_the_peak_sets_the_highest_latency_only(void **state)
{
    (void)state;
    panem_curves *set = fix_parse("read_pct,bandwidth_gbs,latency_ns\n"
                                  "100,6.4,100\n100,12.8,120\n100,19.2,200\n100,16,300\n");
    panem_model_options o = hand_options();
    panem_model *m = drive_model(set, &o);
    uint64_t now = 1000000;
    assert_int_equal(window(m, &now, 4, 10), 100);
    assert_int_equal(window(m, &now, 4, 10), 102);
    /* 0.05 x 1.02 x 300 + 97.838 = 113.14 */
    assert_int_equal(window(m, &now, 4, 10), 113);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void large_requests_and_sharers_count_as_more_accesses(void **state)
{
    (void)state;
    panem_curves *set = hand_set();
    panem_model_options o = hand_options();
    o.sharers = 2;
    panem_model *m = drive_model(set, &o);
    /* 24 lines: two windows within one cycle, 4 lines of a third */
    assert_int_equal(drive_ask_bytes(m, 1000000, PANEM_READ, 24 * 64), 110000);
    for (int i = 0; i < 5; i++)
        assert_int_equal(drive_ask(m, 1000000, PANEM_READ), 110000);
    /* last bw = 0.015 + 0.01425 = 0.02925; 2 x 10/8 = 2.5: bw 0.125 + 0.0277875 = 0.1527875;
     * curve 110.5575 x 1.04 = 114.98; 5.749 + 0.95 x 110.34 = 110.57 */
    assert_int_equal(drive_ask(m, 1008000, PANEM_READ), 110000);
    panem_stats s;
    panem_stats_get(m, &s);
    assert_int_equal(s.windows_closed, 3);
    assert_int_equal(s.windows_saturated, 2);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void below_the_knee_it_reaches_the_curve_after_tens_of_thousands_of_accesses(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_MESS);
    panem_model *m = drive_model(set, &o);
    drive_loop r = drive_closed_loop(m, 150, 400000);
    uint64_t curve_ps;
    assert_int_equal(
        panem_latency_at_bandwidth_ps(set, &curve_ps, NULL, PANEM_MIX_LINEAR, r.gbs * 1e9, 1.0),
        PANEM_OK);
    assert_true(fabs(r.mean_ns / ((double)curve_ps / 1000.0) - 1.0) < 0.015);
    assert_true(r.sd_ns < 0.02 * r.mean_ns);
    assert_in_range(r.settled_at, 15000, 90000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void at_saturation_it_never_settles(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_MESS);
    panem_model *m = drive_model(set, &o);
    drive_loop r = drive_closed_loop(m, 512, 2000000); /* Little: 328 ns at 100 GB/s */
    assert_true(r.sd_ns > 0.02 * r.mean_ns);
    assert_true(r.settled_at > 1900000);
    assert_true(r.gbs > 80.0 && r.gbs < 101.0);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void an_open_overload_winds_up_to_a_bound_that_fits_the_answer(void **state)
{
    (void)state;
    panem_curves *set = hand_set();
    panem_model_options o = hand_options();
    panem_model *m = drive_model(set, &o);
    uint64_t last = 0;
    for (int i = 0; i < 200000; i++)
        last = drive_ask(m, 1000000, PANEM_READ);
    /* 20 000 windows: overflow is 400, less what the average of weight 1/20 lags behind: 19 x 0.02
     */
    double ideal_ns = 200.0 * (1.0 + 400.0 - 19.0 * 0.02);
    assert_true(fabs((double)last / 1000.0 / ideal_ns - 1.0) < 1e-3);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void saved_states_go_on_and_damaged_ones_are_refused(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_MESS);
    drive_check_saving(set, &o);
    o.peers.curve_window_size = 7;
    drive_check_saving(set, &o);
    drive_check_interface(set, PANEM_KIND_MESS);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(two_averages_and_the_overflow_factor_follow_the_curve),
        PN_TEST(below_the_curve_the_lowest_latency_holds),
        PN_TEST(a_window_within_one_cycle_overflows_and_stays_finite),
        PN_TEST(time_that_steps_back_counts_as_no_bandwidth),
        PN_TEST(the_curve_is_the_one_nearest_to_the_even_percent),
        PN_TEST(the_point_past_the_peak_sets_the_highest_latency_only),
        PN_TEST(large_requests_and_sharers_count_as_more_accesses),
        PN_TEST(below_the_knee_it_reaches_the_curve_after_tens_of_thousands_of_accesses),
        PN_TEST(at_saturation_it_never_settles),
        PN_TEST(an_open_overload_winds_up_to_a_bound_that_fits_the_answer),
        PN_TEST(saved_states_go_on_and_damaged_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
