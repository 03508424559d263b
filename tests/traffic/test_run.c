/* Sources keep their rates and bounds; the measurement loop obeys conservation laws. */
#include "../cmocka_pn.h"

#include <math.h>
#include <string.h>

#include "mem/model_port.h"
#include "traffic/run.h"

enum { LINE = 64 };

/* ---- sources ---- */

static pn_source_config plain_source(double gap_ps)
{
    return (pn_source_config){
        .gap_ps = gap_ps, .read_frac = 0.67, .outstanding = 10000000, .seed = 5};
}

static uint64_t send_n(pn_source *s, int n, double *reads)
{
    uint64_t now = 0;
    *reads = 0.0;
    for (int i = 0; i < n; i++) {
        bool is_read;
        uint64_t address;
        assert_true(pn_source_due_ps(s) >= now);
        now = pn_source_due_ps(s);
        pn_source_send(s, now, &is_read, &address);
        *reads += is_read;
    }
    return now;
}

static void sources_keep_their_mean_rate(void **state)
{
    (void)state;
    const int n = 400000;
    static const pn_arrival arrivals[] = {PN_ARRIVAL_POISSON, PN_ARRIVAL_EVEN};
    for (int a = 0; a < 2; a++) {
        pn_source_config c = plain_source(640.25);
        pn_source s;
        double reads;
        c.arrival = arrivals[a];
        pn_source_init(&s, &c);
        double time = (double)send_n(&s, n, &reads);
        double tolerance = a == 0 ? 0.009 : 1e-5; /* poisson: 5.7 sigma of 400 000 gaps */
        assert_true(fabs(time / n / 640.25 - 1.0) < tolerance);
        assert_true(fabs(reads - 0.67 * n) <= 1.0); /* even mix: never off by more than one */
    }
}

static void random_mix_has_the_right_share(void **state)
{
    (void)state;
    pn_source_config c = plain_source(100);
    pn_source s;
    double reads;
    c.mixing = PN_MIXING_RANDOM;
    pn_source_init(&s, &c);
    (void)send_n(&s, 400000, &reads);
    assert_true(fabs(reads / 400000 - 0.67) < 0.0045); /* 6 sigma */
}

static void pure_mixes_are_pure(void **state)
{
    (void)state;
    for (int mixing = 0; mixing < 2; mixing++) {
        for (int r = 0; r < 2; r++) {
            pn_source_config c = plain_source(100);
            pn_source s;
            double reads;
            c.read_frac = r;
            c.mixing = (pn_mixing)mixing;
            pn_source_init(&s, &c);
            (void)send_n(&s, 5000, &reads);
            assert_true(reads == 5000.0 * r);
        }
    }
}

/* On half of the time at twice the rate: the mean stays, and phases are as long as said. */
static void bursts_keep_the_mean_and_their_bounds(void **state)
{
    (void)state;
    pn_source_config c = plain_source(1000);
    pn_source s;
    double reads;
    c.pattern = PN_PATTERN_BURST;
    c.arrival = PN_ARRIVAL_EVEN;
    c.burst_low_ps = 100000;
    c.burst_high_ps = 3200000;
    pn_source_init(&s, &c);
    uint64_t last = 0;
    uint64_t longest = 0;
    uint64_t total = 0;
    const int n = 600000;
    for (int i = 0; i < n; i++) {
        bool is_read;
        uint64_t address;
        total = pn_source_due_ps(&s);
        if (total - last > longest && i > 0)
            longest = total - last;
        last = total;
        pn_source_send(&s, total, &is_read, &address);
    }
    (void)reads;
    assert_true(fabs((double)total / n / 1000.0 - 1.0) < 0.05);
    assert_true(longest <= 3200000 + 1000); /* one off-phase and one gap */
    assert_true(longest > 1600000);
}

static void a_source_at_its_bound_waits_for_a_response(void **state)
{
    (void)state;
    pn_source_config c = plain_source(10);
    pn_source s;
    bool is_read;
    uint64_t address;
    c.outstanding = 2;
    pn_source_init(&s, &c);
    pn_source_send(&s, 100, &is_read, &address);
    pn_source_send(&s, 200, &is_read, &address);
    assert_true(pn_source_due_ps(&s) == UINT64_MAX);
    pn_source_done(&s, 5000);
    assert_true(pn_source_due_ps(&s) == 5000);
}

/* ---- runs ---- */

typedef struct world {
    panem_curves *set;
    pn_mem_port *port;
} world;

/* A flat curve of 80 ns and 100 GB/s, or one that bends. */
static world make_world(bool flat)
{
    static const panem_point bent[] = {
        {0.5, 1, 80}, {0.5, 40, 90}, {0.5, 70, 120}, {0.5, 90, 200}, {0.5, 100, 400},
        {1.0, 1, 80}, {1.0, 40, 90}, {1.0, 70, 120}, {1.0, 90, 200}, {1.0, 100, 400}};
    static const panem_point level[] = {{1.0, 1, 80}, {1.0, 100, 80}};
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    panem_model *model = NULL;
    world w = {NULL, NULL};
    assert_int_equal(panem_curves_create(&w.set, flat ? level : bent, flat ? 2 : 10, NULL, NULL),
                     PANEM_OK);
    assert_int_equal(panem_model_create(&model, w.set, &o, NULL), PANEM_OK);
    assert_int_equal(pn_model_port_create(&w.port, model, "panem", false, 65536, NULL), PANEM_OK);
    return w;
}

static void drop_world(world *w)
{
    pn_mem_destroy(w->port);
    panem_curves_destroy(w->set);
}

static pn_traffic_config run_config(double offered_gbs, uint32_t sources)
{
    pn_traffic_config c = {.sources = sources,
                           .source = plain_source(sources * LINE * 1000.0 / offered_gbs),
                           .line_bytes = LINE,
                           .warmup_ps = 20000000,
                           .target_error = 0.001,
                           .requests_min = 100000,
                           .requests_max = 400000,
                           .window_ps = 520000,
                           .saturated_bytes = 1e9,
                           .step_ps = UINT64_MAX,
                           .end_ps = UINT64_MAX};
    c.source.outstanding = 2048;
    return c;
}

static pn_traffic_result run_on(bool flat, const pn_traffic_config *c)
{
    world w = make_world(flat);
    pn_traffic_result r;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_traffic_run(&r, w.port, c, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    drop_world(&w);
    return r;
}

static void littles_law_and_conservation_hold(void **state)
{
    (void)state;
    for (double load = 10; load <= 130; load += 20) {
        pn_traffic_config c = run_config(load, 2);
        pn_traffic_result r = run_on(false, &c);
        double n = r.achieved_bytes_per_s * r.mean_latency_ns * 1e-9;
        assert_true(fabs(r.outstanding_bytes / n - 1.0) < 0.01);
        assert_true(r.achieved_bytes_per_s <= 100e9 * 1.005);
        assert_true(r.max_window_bytes_per_s <= 100e9 * 1.05);
        if (load < 100)
            assert_true(fabs(r.achieved_bytes_per_s / (load * 1e9) - 1.0) < 0.012);
        assert_true(fabs(r.read_frac - 0.67) < 0.002);
    }
}

static void a_flat_curve_gives_its_latency_at_any_load_below_peak(void **state)
{
    (void)state;
    pn_traffic_config c = run_config(50, 3);
    pn_traffic_result r = run_on(true, &c);
    assert_true(fabs(r.reads.mean_ns - 80.0) < 0.05);
    assert_true(fabs(r.writes.mean_ns - 80.0) < 0.05);
    assert_true(r.converged);
}

static void a_closed_loop_moves_its_requests_per_latency(void **state)
{
    (void)state;
    pn_traffic_config c = run_config(50, 1);
    c.source.gap_ps = 0.0;
    c.source.outstanding = 16;
    pn_traffic_result r = run_on(true, &c);
    assert_true(fabs(r.achieved_bytes_per_s / (16 * LINE / 80e-9) - 1.0) < 0.005); /* 12.8 GB/s */
}

static void equal_seeds_give_equal_results(void **state)
{
    (void)state;
    pn_traffic_config c = run_config(80, 5);
    pn_traffic_result a = run_on(false, &c);
    pn_traffic_result b = run_on(false, &c);
    assert_memory_equal(&a, &b, sizeof a);
    c.source.seed++;
    b = run_on(false, &c);
    assert_true(a.mean_latency_ns != b.mean_latency_ns);
}

static void many_sources_add_up_to_the_same_load(void **state)
{
    (void)state;
    pn_traffic_config few = run_config(60, 2);
    pn_traffic_config many = run_config(60, 300);
    pn_traffic_result a = run_on(false, &few);
    pn_traffic_result b = run_on(false, &many);
    assert_true(fabs(a.mean_latency_ns / b.mean_latency_ns - 1.0) < 0.01);
}

typedef struct totals {
    uint64_t bytes;
    uint64_t last_end_ps;
} totals;

static void add_window(void *user, const pn_traffic_window *w)
{
    totals *t = user;
    assert_true(w->start_ps == t->last_end_ps);
    t->last_end_ps = w->start_ps + w->window_ps;
    t->bytes += w->read_bytes + w->write_bytes;
}

static void add_response(void *user, const pn_mem_response *response, const pn_traffic_sent *sent)
{
    assert_true(sent->asked_ps <= response->arrival_ps);
    *(uint64_t *)user += response->bytes;
}

static void windows_hold_every_completed_byte_once(void **state)
{
    (void)state;
    totals t = {0, 0};
    uint64_t responded = 0;
    pn_traffic_config c = run_config(40, 2);
    c.window = add_window;
    c.window_user = &t;
    c.response = add_response;
    c.response_user = &responded;
    c.end_ps = 520000 * 1000;
    c.requests_min = c.requests_max = UINT64_MAX;
    (void)run_on(false, &c);
    assert_true(responded >= t.bytes);
    assert_true(responded - t.bytes <= 40 * 520 * 2); /* the open window's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(sources_keep_their_mean_rate),
        PN_TEST(random_mix_has_the_right_share),
        PN_TEST(pure_mixes_are_pure),
        PN_TEST(bursts_keep_the_mean_and_their_bounds),
        PN_TEST(a_source_at_its_bound_waits_for_a_response),
        PN_TEST(littles_law_and_conservation_hold),
        PN_TEST(a_flat_curve_gives_its_latency_at_any_load_below_peak),
        PN_TEST(a_closed_loop_moves_its_requests_per_latency),
        PN_TEST(equal_seeds_give_equal_results),
        PN_TEST(many_sources_add_up_to_the_same_load),
        PN_TEST(windows_hold_every_completed_byte_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
