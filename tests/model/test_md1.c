/* The M/D/1 peer against latencies computed by hand from zsim's rule, and its published behaviour.
 *
 * On the round set at 2 GHz: L0 = 200 cycles, 32 bytes or half a line per cycle at most, a phase of
 * 10 000 cycles is 5 us. */
#include "../cmocka_pn.h"

#include "../ref/fixture.h"
#include "peer_drive.h"

enum { PHASE_PS = 5000000 };

/* count reads spread over the phase from its start; the first one's latency. */
static uint64_t fill(panem_model *m, uint64_t phase, uint64_t count)
{
    uint64_t first = drive_ask(m, phase * PHASE_PS, PANEM_READ);
    for (uint64_t i = 1; i < count; i++)
        assert_int_equal(drive_ask(m, phase * PHASE_PS + i * (PHASE_PS / count), i & 1), first);
    return first;
}

static void a_phase_charges_what_the_average_of_those_before_gives(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    panem_model *m = drive_model(set, &o);
    assert_int_equal(fill(m, 0, 2500), 100000);
    /* S = 1250; 1250/10000/0.5 = 0.25; 200 (1 + 0.125/0.75) = 233.3 -> 233 cycles */
    assert_int_equal(fill(m, 1, 1500), 116500);
    /* S = 750 + 625 = 1375; 0.275; 200 (1 + 0.1375/0.725) = 237.9 -> 237 */
    assert_int_equal(fill(m, 2, 1), 118500);
    /* four phases later: S = 0.5 + 687.5 = 688; 688/40000/0.5 = 0.0344;
     * 200 (1 + 0.0172/0.9656) = 203.56 -> 203 */
    assert_int_equal(fill(m, 6, 40000), 101500);
    /* S = 20000 + 344; 4.07 clamped to 0.95; 1 - 0.95 is a hair above 0.05 in binary:
     * 200 (1 + 0.475/0.05) = 2099.99... -> 2099 */
    assert_int_equal(fill(m, 7, 1), 1049500);
    panem_stats s;
    panem_stats_get(m, &s);
    assert_int_equal(s.windows_closed, 4);
    assert_int_equal(s.windows_saturated, 1);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void phases_shorter_than_10000_cycles_wait_for_enough_of_them(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    o.peers.phase_length = 5000;
    panem_model *m = drive_model(set, &o);
    for (int i = 0; i < 1000; i++)
        (void)drive_ask(m, 1000, PANEM_READ);
    /* 5000 cycles on: nothing changes, the accesses still count */
    for (int i = 0; i < 1500; i++)
        assert_int_equal(drive_ask(m, PHASE_PS / 2, PANEM_READ), 100000);
    /* 10 000 cycles on: S = 1250 over 10 000, as above */
    assert_int_equal(drive_ask(m, PHASE_PS, PANEM_READ), 116500);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void clock_share_and_request_size_enter_as_documented(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    o.peers.frequency_hz = UINT64_C(3000000000); /* L0 = 300 cycles; phase 3333.3 ns */
    o.sharers = 2;                               /* 32 GB/s: 1/6 line per cycle */
    panem_model *m = drive_model(set, &o);
    for (int i = 0; i < 500; i++) /* 65 bytes are two accesses: 1000 */
        assert_int_equal(drive_ask_bytes(m, 3333333, PANEM_WRITE, 65), 100000);
    /* the phase ends at 3333333.3 ps. S = 500; 0.05/(1/6) = 0.3; 300 (1 + 0.15/0.7) = 364.28
     * -> 364 cycles = 121.333 ns */
    assert_int_equal(drive_ask(m, 3333334, PANEM_READ), 121333);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void latency_is_bounded_and_bandwidth_is_not(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    panem_model *m = drive_model(set, &o);
    /* 2000 lines in flight over 1049.5 ns are 122 GB/s of 64 */
    drive_loop r = drive_closed_loop(m, 2000, 1000000);
    assert_true(r.gbs > 1.2 * 64.0);
    assert_true(r.mean_ns < 1049.51);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void mid_load_is_slower_than_the_curve(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    panem_model *m = drive_model(set, &o);
    drive_loop r = drive_closed_loop(m, 100, 400000);
    uint64_t curve_ps;
    assert_int_equal(
        panem_latency_at_bandwidth_ps(set, &curve_ps, NULL, PANEM_MIX_LINEAR, r.gbs * 1e9, 1.0),
        PANEM_OK);
    assert_true(r.gbs > 40.0 && r.gbs < 75.0);
    assert_true(r.mean_ns > 1.1 * (double)curve_ps / 1000.0);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void at_saturation_it_swings_between_idle_and_the_clamp(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    panem_model *m = drive_model(set, &o);
    drive_loop r = drive_closed_loop(m, 512, 1000000);
    assert_true(r.sd_ns > 0.3 * r.mean_ns);
    assert_true(r.settled_at > 990000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void saved_states_go_on_and_damaged_ones_are_refused(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    drive_check_saving(set, &o);
    o.peers.phase_length = 3000;
    drive_check_saving(set, &o);
    drive_check_interface(set, PANEM_KIND_MD1);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_phase_charges_what_the_average_of_those_before_gives),
        PN_TEST(phases_shorter_than_10000_cycles_wait_for_enough_of_them),
        PN_TEST(clock_share_and_request_size_enter_as_documented),
        PN_TEST(latency_is_bounded_and_bandwidth_is_not),
        PN_TEST(mid_load_is_slower_than_the_curve),
        PN_TEST(at_saturation_it_swings_between_idle_and_the_clamp),
        PN_TEST(saved_states_go_on_and_damaged_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
