/* Cases D6 and D9 of the users' list, and times far from zero: what clocks, silence and long runs
 * must not do to the numbers. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/drive.h"
#include "../ref/fixture.h"

static panem_model *model_of(const panem_curves *set, const panem_model_options *options)
{
    panem_model *m = NULL;
    if (panem_model_create(&m, set, options, NULL) != PANEM_OK)
        fail_msg("model refused");
    return m;
}

/* ---- D6: a host counts cycles of any frequency ---- */

static uint64_t ps_of_cycle(uint64_t cycle, uint64_t hz)
{
    return (uint64_t)((pn_u128)cycle * 1000000000000u / hz);
}

/* The first cycle that begins at or after a time. */
static uint64_t cycle_at(uint64_t ps, uint64_t hz)
{
    return (uint64_t)(((pn_u128)ps * hz + 999999999999u) / 1000000000000u);
}

typedef struct chase {
    uint64_t cycles;
    double core_gbs, memory_gbs;
} chase;

static chase run_chase(uint64_t hz, uint64_t first_cycle, uint64_t accesses)
{
    panem_curves *set = fix_set(FIX_FLAT, NULL);
    panem_model *m = model_of(set, NULL);
    uint64_t cycle = first_cycle;
    for (uint64_t i = 0; i < accesses; i++) {
        panem_request q = {ps_of_cycle(cycle, hz), 64 * i, 64, PANEM_READ, 0};
        panem_response a;
        assert_int_equal(panem_access(m, &a, &q), PANEM_OK);
        uint64_t done = cycle_at(a.done_ps, hz);
        assert_true(done > cycle);
        cycle = done;
    }
    uint64_t start_ps = ps_of_cycle(first_cycle, hz);
    uint64_t end_ps = ps_of_cycle(cycle, hz);
    assert_int_equal(panem_advance(m, end_ps + 2000000), PANEM_OK);
    panem_stats s;
    panem_stats_get(m, &s);
    chase c = {cycle - first_cycle,
               64.0 * (double)accesses * (double)hz / 1e9 / (double)(cycle - first_cycle),
               (double)s.read_bytes * 1000.0 / (double)(end_ps - start_ps)};
    panem_model_destroy(m);
    panem_curves_destroy(set);
    return c;
}

static void a_pointer_chase_sees_its_latency_in_cycles_of_any_clock(void **state)
{
    (void)state;
    static const uint64_t clocks_hz[] = {2100000000, 1333300000, 4300000000, 5000000000};
    static const uint64_t first_cycles[] = {0, UINT64_C(10000000000000)};
    for (int c = 0; c < 4; c++)
        for (int f = 0; f < 2; f++) {
            chase r = run_chase(clocks_hz[c], first_cycles[f], 1000000);
            double per_access = (double)r.cycles / 1e6;
            double want = 80e-9 * (double)clocks_hz[c];
            assert_true(per_access >= want - 1.0 && per_access <= want + 1.0);
            assert_true(fabs(r.core_gbs / r.memory_gbs - 1.0) < 0.001);
        }
}

/* 1e13 cycles of 2.1 GHz are 79 minutes: the same traffic, moved there, gets the same answers. */
static void a_run_far_from_the_origin_gets_the_same_answers(void **state)
{
    (void)state;
    for (int shape = 0; shape < FIX_COUNT; shape++)
        for (int guard = 0; guard < 3; guard++) {
            panem_curves *set = fix_set((fix_shape)shape, NULL);
            panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
            o.guard = (panem_guard)guard;
            panem_model *near = model_of(set, &o);
            panem_model *far = model_of(set, &o);
            const uint64_t shift_ps = UINT64_C(4761904762000000) / o.window_ps * o.window_ps;
            double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 0.5) / 1e9;
            drive_load load = {0, 60000000, (uint64_t)(64000.0 / (0.7 * peak)), 64, 50, 1, 6};
            assert_int_equal(panem_advance(far, shift_ps), PANEM_OK);
            drive_result a = drive_open(near, &load);
            load.start_ps += shift_ps;
            load.end_ps += shift_ps;
            drive_result b = drive_open(far, &load);
            assert_true(a.byte_ps == b.byte_ps && a.accepted == b.accepted);
            assert_true(a.last_done_ps + shift_ps == b.last_done_ps);
            assert_true(a.latency_max_ps == b.latency_max_ps);
            panem_model_destroy(near);
            panem_model_destroy(far);
            panem_curves_destroy(set);
        }
}

static void time_ends_at_two_to_the_62(void **state)
{
    (void)state;
    const uint64_t end_ps = UINT64_C(1) << 62;
    panem_curves *set = fix_set(FIX_FLAT, NULL);
    panem_model *m = model_of(set, NULL);
    panem_response a;
    panem_request q = {end_ps, 0, 64, PANEM_READ, 0};
    assert_int_equal(panem_access(m, &a, &q), PANEM_OK);
    assert_true(a.done_ps == end_ps + 80000);
    q.time_ps = end_ps + 1;
    assert_int_equal(panem_access(m, &a, &q), PANEM_E_ARG);
    assert_int_equal(panem_advance(m, end_ps), PANEM_OK);
    assert_int_equal(panem_advance(m, end_ps + 1), PANEM_E_ARG);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

/* ---- D9: nothing happened ---- */

static void all_finite(const panem_model *m)
{
    panem_state p;
    panem_stats s;
    panem_peek(m, &p);
    panem_stats_get(m, &s);
    assert_true(isfinite(p.outstanding_bytes) && isfinite(p.read_frac));
    assert_true(isfinite(p.bandwidth_bytes_per_s) && isfinite(p.utilization_frac));
    assert_true(isfinite(s.read_latency_sum_ns) && isfinite(s.write_latency_sum_ns));
    assert_true(isfinite(s.read_area_byte_ns) && isfinite(s.write_area_byte_ns));
}

static void no_nan(void *user, const panem_window *w)
{
    *(uint64_t *)user += 1;
    assert_true(isfinite(w->read_bytes) && isfinite(w->write_bytes) && isfinite(w->read_frac));
    assert_true(w->count >= 1 && w->read_frac >= 0.0 && w->read_frac <= 1.0);
}

static void silence_gives_zeros_and_no_nan(void **state)
{
    (void)state;
    for (int shape = 0; shape < FIX_COUNT; shape++)
        for (int kind = PANEM_KIND_PANEM; kind <= PANEM_KIND_NEXTFREE; kind++) {
            panem_curves *set = fix_set((fix_shape)shape, NULL);
            panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
            o.kind = (panem_kind)kind;
            panem_model *m = model_of(set, &o);
            uint64_t records = 0;
            panem_observe(m, no_nan, &records);
            all_finite(m);
            panem_state at_start;
            panem_peek(m, &at_start);
            assert_int_equal(panem_advance(m, UINT64_C(1000000000000)), PANEM_OK);
            all_finite(m);
            panem_state p;
            panem_peek(m, &p);
            assert_true(p.bandwidth_bytes_per_s == 0.0 && p.utilization_frac == 0.0);
            assert_true(p.outstanding_bytes == 0.0 && p.latency_ps == at_start.latency_ps);
            if (kind == PANEM_KIND_PANEM)
                assert_true(p.latency_ps == panem_idle_ps(set, PANEM_MIX_LINEAR, 1.0));
            assert_true(records <= 2);
            panem_model_destroy(m);
            panem_curves_destroy(set);
        }
}

/* Traffic, then an hour of nothing, then traffic: few records, the last mix remembered. */
static void a_long_silence_costs_a_bounded_number_of_records(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.windows = 4;
    panem_model *m = model_of(set, &o);
    drive_load writes = {0, 3000000, 2000, 64, 0, 0, 1};
    drive_result r = drive_open(m, &writes);
    uint64_t records = 0;
    panem_observe(m, no_nan, &records);
    uint64_t hour_ps = UINT64_C(3600000000000000);
    assert_int_equal(panem_advance(m, r.last_done_ps + hour_ps), PANEM_OK);
    assert_true(records <= 8);
    panem_state p;
    panem_peek(m, &p);
    assert_true(p.read_frac == 0.0);
    assert_true(p.latency_ps == panem_idle_ps(set, PANEM_MIX_LINEAR, 0.0));
    panem_stats s;
    panem_stats_get(m, &s);
    assert_true(s.windows_closed == (r.last_done_ps + hour_ps) / o.window_ps);
    all_finite(m);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_pointer_chase_sees_its_latency_in_cycles_of_any_clock),
        PN_TEST(a_run_far_from_the_origin_gets_the_same_answers),
        PN_TEST(time_ends_at_two_to_the_62),
        PN_TEST(silence_gives_zeros_and_no_nan),
        PN_TEST(a_long_silence_costs_a_bounded_number_of_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
