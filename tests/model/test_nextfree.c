/* The next-free-server peer against latencies computed by hand from Sniper's rule, and against a
 * first-come queue of n servers. On the round set a line holds a server for 1 ns. */
#include "../cmocka_pn.h"

#include "../ref/fixture.h"
#include "base/rng.h"
#include "peer_drive.h"

static void requests_wait_for_the_server_and_late_ones_are_free(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_NEXTFREE);
    panem_model *m = drive_model(set, &o);
    assert_int_equal(drive_ask(m, 10000, PANEM_READ), 100000);  /* busy until 11 ns */
    assert_int_equal(drive_ask(m, 10000, PANEM_WRITE), 101000); /* until 12 */
    assert_int_equal(drive_ask(m, 10000, PANEM_READ), 102000);  /* until 13 */
    assert_int_equal(drive_ask(m, 11000, PANEM_READ), 102000);  /* waits 2; until 14 */
    assert_int_equal(drive_ask(m, 9000, PANEM_READ), 100000);   /* out of order: nothing */
    assert_int_equal(drive_ask(m, 11000, PANEM_READ), 103000);  /* until 15 */
    assert_int_equal(drive_ask(m, 15000, PANEM_READ), 100000);  /* free at its very time */
    /* 256 bytes hold it for 4 ns: 99 + 4, then the next waits those 4 */
    assert_int_equal(drive_ask_bytes(m, 20000, PANEM_READ, 256), 103000);
    assert_int_equal(drive_ask(m, 20000, PANEM_READ), 104000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void at_time_zero_nothing_waits(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_NEXTFREE);
    panem_model *m = drive_model(set, &o);
    for (int i = 0; i < 5; i++)
        assert_int_equal(drive_ask(m, 0, PANEM_READ), 100000);
    assert_int_equal(drive_ask(m, 1, PANEM_READ), 100000);
    assert_int_equal(drive_ask(m, 2, PANEM_READ), 100999); /* until 1.001 ns */
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void a_share_holds_the_server_longer_and_costs_the_same_when_idle(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_NEXTFREE);
    o.sharers = 4;
    panem_model *m = drive_model(set, &o);
    assert_int_equal(drive_ask(m, 10000, PANEM_READ), 100000);
    assert_int_equal(drive_ask(m, 10000, PANEM_READ), 104000);
    assert_int_equal(drive_ask(m, 10000, PANEM_READ), 108000);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

/* The oracle keeps n free times and takes the least. */
static void in_order_traffic_sees_a_first_come_queue_of_n_servers(void **state)
{
    (void)state;
    enum { SERVERS_MAX = 5, REQUESTS = 20000 };
    panem_curves *set = drive_round_set();
    for (uint32_t servers = 1; servers <= SERVERS_MAX; servers++) {
        panem_model_options o = drive_options(PANEM_KIND_NEXTFREE);
        o.peers.num_outstanding = servers;
        panem_model *m = drive_model(set, &o);
        uint64_t free_ps[SERVERS_MAX] = {0};
        uint64_t t = 1;
        uint64_t waited = 0;
        pn_rng rng;
        pn_rng_init(&rng, servers, 0);
        for (int i = 0; i < REQUESTS; i++) {
            t += pn_rng_below(&rng, 2200 / servers); /* load about 0.9 */
            uint32_t least = 0;
            for (uint32_t k = 1; k < servers; k++)
                if (free_ps[k] < free_ps[least])
                    least = k;
            uint64_t begin = free_ps[least] > t ? free_ps[least] : t;
            free_ps[least] = begin + 1000;
            waited += begin > t;
            assert_int_equal(drive_ask(m, t, PANEM_READ), begin - t + 100000);
        }
        assert_true(waited > REQUESTS / 20 && waited < REQUESTS);
        panem_model_destroy(m);
    }
    panem_curves_destroy(set);
}

static void a_closed_loop_gets_the_peak_and_no_more(void **state)
{
    (void)state;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_NEXTFREE);
    panem_model *m = drive_model(set, &o);
    drive_loop r = drive_closed_loop(m, 400, 200000); /* Little: 400 ns at 64 GB/s */
    assert_true(r.gbs > 63.99 && r.gbs < 64.01);
    assert_true(r.mean_ns > 399.0 && r.mean_ns < 401.0);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void saved_states_go_on_and_damaged_ones_are_refused(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model_options o = drive_options(PANEM_KIND_NEXTFREE);
    drive_check_saving(set, &o);
    o.peers.num_outstanding = 7;
    drive_check_saving(set, &o);
    drive_check_interface(set, PANEM_KIND_NEXTFREE);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(requests_wait_for_the_server_and_late_ones_are_free),
        PN_TEST(at_time_zero_nothing_waits),
        PN_TEST(a_share_holds_the_server_longer_and_costs_the_same_when_idle),
        PN_TEST(in_order_traffic_sees_a_first_come_queue_of_n_servers),
        PN_TEST(a_closed_loop_gets_the_peak_and_no_more),
        PN_TEST(saved_states_go_on_and_damaged_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
