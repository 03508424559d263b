/* Laws that any memory obeys, on the run-time model: Little's law, conservation, bounds. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/drive.h"
#include "../ref/fixture.h"

static panem_model *model_of(const panem_curves *set, const panem_model_options *options)
{
    panem_model *m = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (panem_model_create(&m, set, options, &err) != PANEM_OK)
        fail_msg("model: %s", err.message);
    return m;
}

static uint64_t gap_for(double gbs, uint32_t bytes)
{
    return (uint64_t)(bytes * 1000.0 / gbs + 0.5);
}

static panem_stats stats_of(const panem_model *m)
{
    panem_stats s;
    panem_stats_get(m, &s);
    return s;
}

/* Once all is drained, the integral of outstanding bytes is the sum of bytes x time in flight. */
static void littles_law_holds_on_the_counters(void **state)
{
    (void)state;
    for (int shape = 0; shape < FIX_COUNT; shape++)
        for (int guard = 0; guard < 3; guard++) {
            panem_curves *set = fix_set((fix_shape)shape, NULL);
            panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
            o.guard = (panem_guard)guard;
            panem_model *m = model_of(set, &o);
            double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 0.7) / 1e9;
            drive_load load = {0, 200000000, gap_for(0.8 * peak, 64), 64, 70, 1, 3};
            drive_result r = drive_open(m, &load);
            assert_int_equal(panem_advance(m, r.last_done_ps + 2 * o.window_ps), PANEM_OK);
            panem_stats s = stats_of(m);
            double area = s.read_area_byte_ns + s.write_area_byte_ns;
            double spent = (double)r.byte_ps / 1000.0;
            assert_true(fabs(area - spent) <= 1e-14 * spent);
            double latencies = 64.0 * (s.read_latency_sum_ns + s.write_latency_sum_ns);
            assert_true(fabs(latencies - spent) <= 1e-14 * spent);
            assert_true(s.read_requests + s.write_requests == r.accepted);
            assert_true(s.read_bytes + s.write_bytes == r.bytes);
            panem_model_destroy(m);
            panem_curves_destroy(set);
        }
}

typedef struct totals {
    double area_byte_ps;
    uint64_t done_bytes, windows, next_ps;
} totals;

static void add_up(void *user, const panem_window *w)
{
    totals *t = user;
    assert_true(w->start_ps == t->next_ps);
    t->next_ps += w->count * w->window_ps;
    t->windows += w->count;
    t->done_bytes += w->count * (w->read_done_bytes + w->write_done_bytes);
    t->area_byte_ps += (double)w->count * (w->read_bytes + w->write_bytes) * (double)w->window_ps;
}

static void what_the_observer_sees_adds_up_to_what_was_sent(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model *m = model_of(set, NULL);
    totals t = {0.0, 0, 0, 0};
    panem_observe(m, add_up, &t);
    drive_load load = {7000000, 90000000, 1500, 64, 40, 1, 4};
    drive_result r = drive_open(m, &load);
    assert_int_equal(panem_advance(m, r.last_done_ps + 5000000), PANEM_OK);
    assert_true(t.done_bytes == r.bytes);
    assert_true(fabs(t.area_byte_ps - (double)r.byte_ps) <= 1e-12 * (double)r.byte_ps);
    assert_true(t.windows == stats_of(m).windows_closed);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void a_flat_curve_charges_one_latency(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_FLAT, NULL);
    for (int guard = 0; guard < 3; guard++) {
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.guard = (panem_guard)guard;
        panem_model *m = model_of(set, &o);
        for (int percent = 1; percent <= 95; percent += 2) {
            panem_reset(m);
            drive_load load = {0, 20000000, gap_for(percent, 64), 64, 100, 0, 1};
            drive_result r = drive_open(m, &load);
            /* arrivals at even gaps never queue, except that V + idle includes one service */
            if (guard != PANEM_GUARD_ARRIVALS) {
                assert_true(r.latency_min_ps == 80000);
                assert_true(r.latency_max_ps == 80000);
            } else {
                assert_true(r.latency_min_ps >= 80000 && r.latency_max_ps <= 80641);
            }
        }
        panem_model_destroy(m);
    }
    panem_curves_destroy(set);
}

static double lowest_idle_ns(const panem_curves *set)
{
    double lowest = INFINITY;
    for (uint32_t i = 0; i < panem_curves_count(set); i++) {
        panem_curve_info info;
        assert_int_equal(panem_curves_info(set, &info, i), PANEM_OK);
        lowest = info.idle_ns < lowest ? info.idle_ns : lowest;
    }
    return lowest;
}

/* Even arrivals, so that a mean moves by the curve and not by chance. */
static void latency_rises_with_load_and_never_falls_below_idle(void **state)
{
    (void)state;
    for (int shape = 0; shape < FIX_COUNT; shape++) {
        panem_curves *set = fix_set((fix_shape)shape, NULL);
        double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 1.0) / 1e9;
        for (int guard = 0; guard < 3; guard++) {
            panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
            o.guard = (panem_guard)guard;
            panem_model *m = model_of(set, &o);
            double before_ns = 0.0;
            for (int percent = 5; percent <= 90; percent += 5) {
                panem_reset(m);
                drive_load load = {0, 100000000, gap_for(peak * percent / 100.0, 64), 64, 100,
                                   0, 1};
                drive_result r = drive_open(m, &load);
                if (r.latency_mean_ns < before_ns * (1.0 - 1e-4))
                    fail_msg("shape %d, guard %d: %.3f ns at %d %%, %.3f ns at %d %%", shape, guard,
                             before_ns, percent - 5, r.latency_mean_ns, percent);
                before_ns = r.latency_mean_ns;
                assert_true((double)r.latency_min_ps >= lowest_idle_ns(set) * 1000.0 - 1.0);
            }
            panem_model_destroy(m);
        }
        panem_curves_destroy(set);
    }
}

static double highest_peak_gbs(const panem_curves *set)
{
    double highest = 0.0;
    for (uint32_t i = 0; i < panem_curves_count(set); i++) {
        panem_curve_info info;
        assert_int_equal(panem_curves_info(set, &info, i), PANEM_OK);
        highest = info.peak_gbs > highest ? info.peak_gbs : highest;
    }
    return highest;
}

static void no_guarded_run_beats_the_peak(void **state)
{
    (void)state;
    for (int shape = 0; shape < FIX_COUNT; shape++) {
        panem_curves *set = fix_set((fix_shape)shape, NULL);
        double peak = highest_peak_gbs(set);
        for (int guard = PANEM_GUARD_ARRIVALS; guard < 3; guard++)
            for (int percent = 50; percent <= 200; percent += 25) {
                panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
                o.guard = (panem_guard)guard;
                panem_model *m = model_of(set, &o);
                drive_load load = {0, 800000000, gap_for(peak * percent / 100.0, 64), 64, 80, 1, 2};
                drive_result r = drive_open(m, &load);
                if (r.achieved_gbs > 1.005 * peak)
                    fail_msg("shape %d, guard %d, load %d %%: %.3f of the peak", shape, guard,
                             percent, r.achieved_gbs / peak);
                panem_model_destroy(m);
            }
        panem_curves_destroy(set);
    }
}

/* A closed loop keeps N constant, so that the relation itself is the answer; of whole windows,
 * since parts of one estimate N from arrivals. */
static void a_closed_loop_settles_at_the_latency_of_its_outstanding_bytes(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    static const uint32_t sharers[] = {1, 4};
    for (int s = 0; s < 2; s++)
        for (uint32_t slots = 1; slots <= 256; slots *= 2) {
            panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
            o.guard = PANEM_GUARD_OFF;
            o.looks = 0;
            o.sharers = sharers[s];
            panem_model *m = model_of(set, &o);
            drive_closed(m, slots, 0, 400);
            panem_state now;
            panem_peek(m, &now);
            double n = 64.0 * slots * sharers[s];
            assert_true(fabs(now.outstanding_bytes - n) <= 1e-9 * n);
            uint64_t want = panem_latency_ps(set, NULL, n, 1.0);
            assert_true(now.latency_ps + 1 >= want && now.latency_ps <= want + 1);
            panem_model_destroy(m);
        }
    panem_curves_destroy(set);
}

/* Case D10, closed loop: 16 lines at 100 ns are 10.24 GB/s, 48 are 30.72. */
static void a_closed_loop_gets_its_lines_over_the_latency(void **state)
{
    (void)state;
    panem_curves *set = fix_parse("read_pct,bandwidth_gbs,latency_ns\n100,100,100\n");
    static const struct {
        uint32_t slots;
        double gbs;
    } cases[] = {{1, 0.64}, {16, 10.24}, {48, 30.72}};
    for (int i = 0; i < 3; i++) {
        panem_model *m = model_of(set, NULL);
        drive_result r = drive_closed(m, cases[i].slots, 0, 2000);
        double gbs = (double)r.bytes * 1000.0 / (double)r.last_done_ps;
        assert_true(gbs <= cases[i].gbs * (1.0 + 1e-12));
        assert_true(gbs >= cases[i].gbs * 0.998);
        panem_model_destroy(m);
    }
    panem_curves_destroy(set);
}

/* Case D10, open loop at twice the peak for 1 ms, and what comes after. */
static void an_overload_is_bounded_reported_and_forgotten(void **state)
{
    (void)state;
    for (int shape = 0; shape < FIX_COUNT; shape++) {
        panem_curves *set = fix_set((fix_shape)shape, NULL);
        for (int paper = 0; paper < 2; paper++) {
            panem_model_options ours = PANEM_MODEL_OPTIONS_INIT;
            panem_model_options papers = PANEM_MODEL_OPTIONS_PAPER;
            panem_model_options o = paper ? papers : ours;
            panem_model *m = model_of(set, &o);
            double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 1.0) / 1e9;
            drive_load load = {0, 1000000000, gap_for(2.0 * peak, 64), 64, 100, 0, 1};
            drive_result r = drive_open(m, &load);
            if (!paper)
                assert_true(r.achieved_gbs <= 1.005 * peak);
            assert_true(r.latency_max_ps < o.ring_windows * o.window_ps);
            panem_stats s = stats_of(m);
            assert_true(s.windows_saturated > s.windows_closed / 2);
            uint64_t windows = panem_windows_effective(set, &o);
            uint64_t calm_ps = r.last_done_ps + (windows + 1) * o.window_ps;
            assert_int_equal(panem_advance(m, calm_ps), PANEM_OK);
            panem_state now;
            panem_peek(m, &now);
            assert_true(now.latency_ps == panem_idle_ps(set, o.relation.mix, 1.0));
            assert_true(now.bandwidth_bytes_per_s == 0.0 && now.cbusy == 0);
            panem_model_destroy(m);
        }
        panem_curves_destroy(set);
    }
}

/* The transform acts on latency alone: a kept point still yields the bandwidth that was measured.
 */
static void taking_the_on_chip_part_off_keeps_every_bandwidth(void **state)
{
    (void)state;
    panem_point points[] = {{1.0, 1.0, 90.0},   {1.0, 20.0, 93.0},  {1.0, 40.0, 98.0},
                            {1.0, 75.0, 121.0}, {1.0, 97.0, 240.0}, {1.0, 100.0, 320.0}};
    for (int on_chip = 0; on_chip <= 80; on_chip += 10) {
        panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
        o.on_chip_ns = on_chip;
        panem_curves *set = NULL;
        assert_int_equal(panem_curves_create(&set, points, 6, &o, NULL), PANEM_OK);
        for (uint32_t i = 0; i < 6; i++) {
            double n;
            double ns;
            assert_int_equal(panem_curves_kept(set, &n, &ns, 0, i), PANEM_OK);
            assert_true(fabs(n / ns - points[i].bandwidth_gbs) <= 1e-12 * points[i].bandwidth_gbs);
            assert_true(fabs(ns - (points[i].latency_ns - on_chip)) <= 1e-10);
        }
        panem_curves_destroy(set);
    }
}

/* ---- the same bytes ---- */

static unsigned char *saved(const panem_model *m, size_t *size)
{
    assert_int_equal(panem_save(m, NULL, 0, size), PANEM_E_SPACE);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(panem_save(m, bytes, *size, size), PANEM_OK);
    return bytes;
}

static void same_state(const panem_model *a, const panem_model *b)
{
    size_t n;
    size_t k;
    unsigned char *x = saved(a, &n);
    unsigned char *y = saved(b, &k);
    assert_true(n == k && memcmp(x, y, n) == 0);
    free(x);
    free(y);
}

static const drive_load FIRST_HALF = {0, 40000000, 900, 64, 66, 1, 21};
static const drive_load SECOND_HALF = {40000000, 80000000, 700, 64, 50, 1, 22};

static void two_interleaved_models_do_not_touch(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model_options papers = PANEM_MODEL_OPTIONS_PAPER;
    panem_model *alone[2] = {model_of(set, NULL), model_of(set, &papers)};
    panem_model *mixed[2] = {model_of(set, NULL), model_of(set, &papers)};
    for (int i = 0; i < 2; i++)
        drive_open(alone[i], i ? &SECOND_HALF : &FIRST_HALF);
    for (uint64_t t = 0; t < 40; t++)
        for (int i = 0; i < 2; i++) {
            drive_load slice = i ? SECOND_HALF : FIRST_HALF;
            slice.end_ps = slice.start_ps + 1000000;
            slice.start_ps += 1000000 * t;
            slice.end_ps += 1000000 * t;
            slice.seed = t;
            drive_open(mixed[i], &slice);
        }
    /* the same slices, one model after the other */
    for (int i = 0; i < 2; i++) {
        panem_reset(alone[i]);
        for (uint64_t t = 0; t < 40; t++) {
            drive_load slice = i ? SECOND_HALF : FIRST_HALF;
            slice.end_ps = slice.start_ps + 1000000 * (t + 1);
            slice.start_ps += 1000000 * t;
            slice.seed = t;
            drive_open(alone[i], &slice);
        }
        same_state(alone[i], mixed[i]);
        panem_model_destroy(alone[i]);
        panem_model_destroy(mixed[i]);
    }
    panem_curves_destroy(set);
}

static void save_and_restore_half_way_gives_the_same_bytes(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model *whole = model_of(set, NULL);
    panem_model *first = model_of(set, NULL);
    panem_model *second = model_of(set, NULL);
    drive_open(whole, &FIRST_HALF);
    drive_open(first, &FIRST_HALF);
    size_t size;
    unsigned char *bytes = saved(first, &size);
    panem_model_destroy(first);
    drive_open(second, &SECOND_HALF); /* a past that restore must erase */
    assert_int_equal(panem_restore(second, bytes, size, NULL), PANEM_OK);
    drive_result a = drive_open(whole, &SECOND_HALF);
    drive_result b = drive_open(second, &SECOND_HALF);
    assert_true(a.byte_ps == b.byte_ps && a.last_done_ps == b.last_done_ps);
    same_state(whole, second);
    free(bytes);
    panem_model_destroy(whole);
    panem_model_destroy(second);
    panem_curves_destroy(set);
}

static void a_reset_model_is_a_new_model(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_MANY, NULL);
    panem_model *used = model_of(set, NULL);
    panem_model *fresh = model_of(set, NULL);
    drive_open(used, &SECOND_HALF);
    panem_reset(used);
    same_state(used, fresh);
    panem_model_destroy(used);
    panem_model_destroy(fresh);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(littles_law_holds_on_the_counters),
        PN_TEST(what_the_observer_sees_adds_up_to_what_was_sent),
        PN_TEST(a_flat_curve_charges_one_latency),
        PN_TEST(latency_rises_with_load_and_never_falls_below_idle),
        PN_TEST(no_guarded_run_beats_the_peak),
        PN_TEST(a_closed_loop_settles_at_the_latency_of_its_outstanding_bytes),
        PN_TEST(a_closed_loop_gets_its_lines_over_the_latency),
        PN_TEST(an_overload_is_bounded_reported_and_forgotten),
        PN_TEST(taking_the_on_chip_part_off_keeps_every_bandwidth),
        PN_TEST(two_interleaved_models_do_not_touch),
        PN_TEST(save_and_restore_half_way_gives_the_same_bytes),
        PN_TEST(a_reset_model_is_a_new_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
