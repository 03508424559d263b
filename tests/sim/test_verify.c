/* A load beside a core, and the curve the core measures: against rates, bounds and the curve given.
 */
#include "../cmocka_pn.h"

#include <math.h>
#include <string.h>

#include "dram/dram.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"
#include "sim/verify.h"

static const double IDLE_NS = 100.0;

/* A memory of one latency behind a load. */
typedef struct bench {
    panem_curves *set;
    pn_mem_port *inner, *port;
} bench;

static void bench_make(bench *b, const pn_background_config *config)
{
    const panem_point points[] = {{1.0, 0.0, IDLE_NS}, {1.0, 1e4, IDLE_NS}};
    panem_model_options options;
    panem_model *model;
    assert_int_equal(panem_curves_create(&b->set, points, 2, NULL, NULL), PANEM_OK);
    assert_int_equal(pn_model_spec_parse(&options, "fixed:idle", NULL), PANEM_OK);
    assert_int_equal(panem_model_create(&model, b->set, &options, NULL), PANEM_OK);
    assert_int_equal(pn_model_port_create(&b->inner, model, "flat", false, 4096, NULL), PANEM_OK);
    assert_int_equal(pn_background_create(&b->port, b->inner, config, 64, NULL), PANEM_OK);
}

static void bench_free(bench *b)
{
    pn_mem_destroy(b->port);
    pn_mem_destroy(b->inner);
    panem_curves_destroy(b->set);
}

/* What the host asked, by number, and how many answers came. */
typedef struct host {
    uint64_t asked_ps[64], answered;
} host;

static void take_answers(pn_mem_port *port, host *h, uint64_t now_ps)
{
    pn_mem_response r;
    while (pn_mem_pop(port, &r)) {
        assert_non_null(h);
        assert_int_equal(r.tag, h->answered);
        assert_int_equal(r.done_ps, h->asked_ps[h->answered++ % 64] + 100000);
        assert_true(r.done_ps <= now_ps);
    }
}

/* Runs until a time as a host does, from event to event. */
static void run_until(pn_mem_port *port, host *h, uint64_t end_ps)
{
    for (uint64_t at; (at = pn_mem_next_event(port)) < end_ps;) {
        assert_int_equal(pn_mem_advance(port, at), PANEM_OK);
        take_answers(port, h, at);
    }
    assert_int_equal(pn_mem_advance(port, end_ps), PANEM_OK);
    take_answers(port, h, end_ps);
}

static void a_paced_load_has_its_rate_and_mix(void **state)
{
    (void)state;
    const double mixes[] = {0.0, 0.25, 0.5, 2.0 / 3.0, 1.0};
    const uint64_t end_ps = 1000000000; /* 1 ms */
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        bench b;
        bench_make(&b, &(pn_background_config){10e9, mixes[i], 0.5, {1000, 1000}, 1 << 20, 3});
        run_until(b.port, NULL, end_ps);
        pn_background_stats s = pn_background_stats_now(b.port);
        double lines = (double)(s.lines[0] + s.lines[1]);
        /* 156250 arrivals expected, Poisson: 1 % is four deviations. */
        assert_true(fabs(lines * 64.0 / 1e6 - 10.0) < 0.1);
        assert_true(fabs((double)s.lines[0] / lines - mixes[i]) < 1e-3);
        bench_free(&b);
    }
}

static void an_unlimited_load_is_bound_by_what_may_be_in_flight(void **state)
{
    (void)state;
    bench b;
    bench_make(&b, &(pn_background_config){(double)INFINITY, 1.0, 0.5, {12, 5}, 1 << 20, 3});
    run_until(b.port, NULL, 100000000); /* 100 us: 1000 rounds of 12 */
    pn_background_stats s = pn_background_stats_now(b.port);
    assert_true(s.lines[0] >= 999 * 12 && s.lines[0] <= 1000 * 12);
    assert_int_equal(s.lines[1], 0);
    bench_free(&b);
}

static void the_hosts_answers_come_back_unchanged(void **state)
{
    (void)state;
    bench b;
    host h = {0};
    bench_make(&b, &(pn_background_config){30e9, 0.5, 0.5, {1000, 1000}, 1 << 20, 4});
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t at = i * 17777;
        uint64_t retry;
        run_until(b.port, &h, at);
        h.asked_ps[i % 64] = at;
        pn_mem_request q = {.time_ps = at, .address = i * 64, .tag = i, .bytes = 64};
        assert_int_equal(pn_mem_submit(b.port, &retry, &q), PANEM_OK);
    }
    assert_true(h.answered > 1980);
    bench_free(&b);
}

static void refused_requests_wait_and_none_is_lost(void **state)
{
    (void)state;
    pn_dram_config d;
    pn_mem_port *inner;
    pn_mem_port *port;
    pn_dram_stats stats;
    assert_int_equal(pn_dram_spec_parse(&d, NULL, "ddr5-5200:subchannels=1", NULL), PANEM_OK);
    assert_int_equal(pn_dram_create(&inner, &d, "dram", NULL), PANEM_OK);
    pn_background_config config = {(double)INFINITY, 0.5, 0.5, {200, 200}, 1 << 20, 5};
    assert_int_equal(pn_background_create(&port, inner, &config, 64, NULL), PANEM_OK);
    run_until(port, NULL, 50000000);
    pn_background_stats s = pn_background_stats_now(port);
    pn_dram_stats_get(inner, &stats);
    assert_true(s.refused > 100);
    assert_true(s.lines[0] > 1000 && s.lines[1] > 1000);
    assert_true(stats.read_requests - s.lines[0] <= 200);
    assert_true(stats.write_requests - s.lines[1] <= 200);
    pn_mem_destroy(port);
    pn_mem_destroy(inner);
}

/* The lower branch, from its definition. */
static void the_truth_is_the_curves(void **state)
{
    (void)state;
    panem_curves *set;
    const panem_point points[] = {{1.0, 0.0, 80.0}, {1.0, 50.0, 100.0}, {1.0, 100.0, 200.0}};
    assert_int_equal(panem_curves_create(&set, points, 3, NULL, NULL), PANEM_OK);
    pn_verify_truth t = pn_verify_truth_of(set, 20.0, 4.0, 1.0);
    assert_true(fabs(t.idle_ns - 100.0) < 1e-9);
    assert_true(fabs(t.peak_gbs - 25.0) < 1e-3);
    assert_true(fabs(t.peak_lines - 100.0 * 200.0 / 64.0 / 4.0) < 0.1);
    assert_true(fabs(pn_verify_latency_ns(set, 20.0, 4.0, 1.0, 12.5) - 120.0) < 0.01);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_paced_load_has_its_rate_and_mix),
        PN_TEST(an_unlimited_load_is_bound_by_what_may_be_in_flight),
        PN_TEST(the_hosts_answers_come_back_unchanged),
        PN_TEST(refused_requests_wait_and_none_is_lost),
        PN_TEST(the_truth_is_the_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
