/* The windowed M/G/1 peer against latencies computed by hand from Sniper's rule, and against the
 * same formula over a list of all arrivals. On the round set S = 1000 ps; W = 1e6 ps. */
#include "../cmocka_pn.h"

#include <stdbool.h>

#include "../ref/fixture.h"
#include "base/rng.h"
#include "peer_drive.h"

static void the_wait_is_that_of_pollaczek_and_khinchine(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MG1);
    panem_model *m = drive_model(set, &o);
    assert_int_equal(drive_ask(m, 1000, PANEM_READ), 100000);  /* n = 0 */
    assert_int_equal(drive_ask(m, 3000, PANEM_WRITE), 100000); /* n = 1 is not enough */
    /* n = 2: 2/1e6 x 1e6 / (2 x 0.998) = 1.002 -> 1 ps */
    assert_int_equal(drive_ask(m, 5000, PANEM_READ), 100001);
    for (uint64_t i = 3; i < 1000; i++)
        (void)drive_ask(m, 1000 + 2000 * i, PANEM_READ);
    /* an arrival each 2 ns: 500 lie in the last 1000 ns, the oldest exactly; rho = 0.5:
     * 500 / (2 x 0.5) = 500 ps */
    assert_int_equal(drive_ask(m, 1000 + 2000 * 1000, PANEM_READ), 100500);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void utilization_is_clamped_and_so_is_the_wait(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MG1);
    panem_model *m = drive_model(set, &o);
    for (int i = 0; i < 2000; i++)
        (void)drive_ask(m, 5000, PANEM_READ);
    /* rho = 2 -> 0.99, and 1 - 0.99 is a hair above 0.01: 2000 / 0.02 = 99999.99... */
    assert_int_equal(drive_ask(m, 5000, PANEM_READ), 199999);
    panem_reset(m);
    for (int i = 0; i < 100; i++)
        (void)drive_ask_bytes(m, 5000, PANEM_READ, 4096);
    /* S = 64 ns: 100/1e6 x 4.096e9 / 0.02 = 20 us -> W; with 64 ns of transfer and 99 fixed */
    assert_int_equal(drive_ask_bytes(m, 5000, PANEM_READ, 4096), 1000000 + 64000 + 99000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void a_full_ring_loses_its_oldest(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MG1);
    panem_model *m = drive_model(set, &o);
    /* four times 1000 lines, to a power of two: 4096 */
    for (int i = 0; i < 6000; i++)
        (void)drive_ask(m, 5000, PANEM_READ);
    assert_int_equal(drive_ask(m, 5000, PANEM_READ), 100000 + 204799);
    /* older than all of a full ring: not counted, answered all the same */
    assert_int_equal(drive_ask(m, 4000, PANEM_READ), 100000 + 204799);
    /* 1 us on, the whole burst lies in the window still; then it is gone */
    assert_int_equal(drive_ask(m, 1005000, PANEM_READ), 100000 + 204799);
    assert_int_equal(drive_ask(m, 1005001, PANEM_READ), 100000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void a_shorter_window_forgets_sooner(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MG1);
    o.peers.window_size_ps = 10000;
    o.sharers = 2; /* S = 2000 ps in the queue */
    panem_model *m = drive_model(set, &o);
    (void)drive_ask(m, 20000, PANEM_READ);
    (void)drive_ask(m, 22000, PANEM_READ);
    /* n = 2, rho = 0.4: 2/1e4 x 4e6 / 1.2 = 666.67 */
    assert_int_equal(drive_ask(m, 24000, PANEM_READ), 100666);
    /* 20 is gone: n = 2 again */
    assert_int_equal(drive_ask(m, 30001, PANEM_READ), 100666);
    assert_int_equal(panem_advance(m, 50000), PANEM_OK);
    assert_int_equal(drive_ask(m, 30002, PANEM_READ), 100000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

/* The oracle keeps every arrival and sums those at or after the window's edge. */
static void arrivals_in_any_order_count_while_they_are_in_the_window(void **state)
{
    (void)state;
    enum { REQUESTS = 3000 };
    static uint64_t times[REQUESTS], services[REQUESTS];
    static bool gone[REQUESTS];
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MG1);
    panem_model *m = drive_model(set, &o);
    pn_rng rng;
    pn_rng_init(&rng, 3, 0);
    uint64_t now = 2000000;
    uint64_t greatest = 0;
    uint64_t waited = 0;
    for (int i = 0; i < REQUESTS; i++) {
        now += pn_rng_below(&rng, 8000);
        uint64_t t = pn_rng_below(&rng, 4) ? now : now - pn_rng_below(&rng, 1500000);
        uint32_t lines = 1 + (uint32_t)pn_rng_below(&rng, 4);
        greatest = t > greatest ? t : greatest;
        uint64_t n = 0, sum = 0, sum2 = 0;
        for (int k = 0; k < i; k++) {
            gone[k] = gone[k] || times[k] + 1000000 < greatest;
            if (!gone[k]) {
                n++;
                sum += services[k];
                sum2 += services[k] * services[k];
            }
        }
        double rho = (double)sum / 1e6 > 0.99 ? 0.99 : (double)sum / 1e6;
        double wait = n > 1 ? (double)n / 1e6 * (double)(sum2 / n) / (2.0 * (1.0 - rho)) : 0.0;
        uint64_t expected = (wait < 1e6 ? (uint64_t)wait : 1000000) + 99000 + 1000 * lines;
        assert_int_equal(drive_ask_bytes(m, t, PANEM_READ, 64 * lines), expected);
        waited += wait > 0.0;
        times[i] = t;
        services[i] = 1000 * lines;
    }
    assert_true(waited > REQUESTS / 2);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void bandwidth_is_not_enforced(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MG1);
    panem_model *m = drive_model(set, &o);
    drive_loop r = drive_closed_loop(m, 400, 200000);
    assert_true(r.gbs > 1.5 * 64.0);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void saved_states_go_on_and_damaged_ones_are_refused(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_MG1);
    drive_check_saving(set, &o);
    o.peers.window_size_ps = 300000;
    o.sharers = 96;
    drive_check_saving(set, &o);
    drive_check_interface(set, PANEM_KIND_MG1);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(the_wait_is_that_of_pollaczek_and_khinchine),
        PN_TEST(utilization_is_clamped_and_so_is_the_wait),
        PN_TEST(a_full_ring_loses_its_oldest),
        PN_TEST(a_shorter_window_forgets_sooner),
        PN_TEST(arrivals_in_any_order_count_while_they_are_in_the_window),
        PN_TEST(bandwidth_is_not_enforced),
        PN_TEST(saved_states_go_on_and_damaged_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
