/* Timetables keep their rates and shares, and a run of one hands every arrival over once. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dram/dram.h"
#include "mem/model_port.h"
#include "traffic/timetable.h"

static const uint64_t US = 1000000; /* in ps */

static void pieces_have_their_rates_and_shares_and_stay_inside(void **state)
{
    (void)state;
    pn_timetable t;
    pn_timetable_init(&t, 0.67, 0.1, 3);
    assert_int_equal(pn_timetable_add(&t, 0, 400 * US, 1000.0, NULL), PANEM_OK);
    size_t first = t.count;
    assert_int_equal(pn_timetable_add(&t, 400 * US, 600 * US, 0.0, NULL), PANEM_OK);
    assert_int_equal(t.count, first);
    assert_int_equal(pn_timetable_add(&t, 600 * US, 1000 * US, 4000.0, NULL), PANEM_OK);
    assert_true(fabs((double)first - 400000.0) < 6.0 * sqrt(400000.0)); /* Poisson, 6 sigma */
    assert_true(fabs((double)(t.count - first) - 100000.0) < 6.0 * sqrt(100000.0));
    double reads = 0.0;
    double chases = 0.0;
    for (size_t i = 0; i < t.count; i++) {
        const pn_chase_arrival *a = &t.arrivals[i];
        assert_true(i == 0 || a->time_ps >= t.arrivals[i - 1].time_ps);
        assert_true(i < first ? a->time_ps < 400 * US : a->time_ps >= 600 * US);
        assert_true(a->time_ps < 1000 * US);
        assert_true(!a->chase || a->kind == PANEM_READ);
        reads += a->kind == PANEM_READ;
        chases += a->chase;
        /* never off by more than a chase and a read */
        assert_true(fabs(reads - 0.67 * (double)(i + 1)) <= 2.0);
        assert_true(fabs(chases - 0.1 * (double)(i + 1)) <= 1.0);
    }
    pn_timetable_release(&t);
}

typedef struct listened {
    size_t count, chases, random_reads;
    uint64_t latency_sum_ps, time_sum_ps;
} listened;

static void listen(void *user, const pn_chase_arrival *asked, uint64_t done_ps, bool random_line)
{
    listened *l = user;
    l->count++;
    l->chases += asked->chase;
    l->random_reads += random_line && asked->kind == PANEM_READ;
    l->latency_sum_ps += done_ps - asked->time_ps;
    l->time_sum_ps += asked->time_ps;
    assert_true(random_line || !asked->chase);
}

static pn_chase_config of(const pn_timetable *t, listened *l, uint64_t delay_ps)
{
    return (pn_chase_config){.read_frac = 0.67,
                             .load = true,
                             .reads_max = 4096,
                             .writes_max = 4096,
                             .stream_share = 0.6,
                             .streams = 1,
                             .chasers = 1,
                             .probe_ps = 1.0,
                             .capacity_bytes = UINT64_C(1) << 32,
                             .lanes = 1,
                             .seed = 1,
                             .timetable = t->arrivals,
                             .timetable_count = t->count,
                             .delay_ps = delay_ps,
                             .answer = listen,
                             .answer_user = l};
}

/* A fixed latency has no choice: every answer comes so much after its time, whatever the delay. */
static void every_arrival_is_answered_once_after_the_fixed_latency(void **state)
{
    (void)state;
    const panem_point points[] = {{1.0, 0.0, 90.0}, {1.0, 10.0, 90.0}};
    for (uint64_t delay = 0; delay < 2; delay++) {
        pn_timetable t;
        listened l = {0};
        pn_chase_result r;
        panem_curves *set = NULL;
        panem_model *model = NULL;
        pn_mem_port *port = NULL;
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.kind = PANEM_KIND_FIXED_IDLE;
        assert_int_equal(panem_curves_create(&set, points, 2, NULL, NULL), PANEM_OK);
        assert_int_equal(panem_model_create(&model, set, &o, NULL), PANEM_OK);
        assert_int_equal(pn_model_port_create(&port, model, "fixed", false, 8192, NULL), PANEM_OK);
        pn_timetable_init(&t, 0.67, 0.1, 9);
        assert_int_equal(pn_timetable_add(&t, 5, 50 * US, 1000.0, NULL), PANEM_OK);
        pn_chase_config c = of(&t, &l, delay * 77 * US);
        assert_int_equal(pn_chase_run(&r, port, &c, NULL), PANEM_OK);
        size_t chases = 0;
        uint64_t times = 0;
        for (size_t i = 0; i < t.count; i++) {
            chases += t.arrivals[i].chase;
            times += t.arrivals[i].time_ps;
        }
        assert_int_equal(l.count, t.count);
        assert_int_equal(l.chases, chases);
        assert_int_equal(l.time_sum_ps, times);
        assert_int_equal(l.latency_sum_ps, 90000 * t.count);
        /* of reads, 57 of 67 are load, and 40 % of it goes to random lines */
        double random = (0.1 + 0.57 * 0.4) * (double)t.count;
        assert_true(fabs((double)l.random_reads - random) < 6.0 * sqrt(random));
        pn_mem_destroy(port);
        pn_timetable_release(&t);
        panem_curves_destroy(set);
    }
}

/* The same steady load as chases beside a load, and as a timetable, on the same memory: one
 * latency. Both estimates have a standard error below 1 %. */
static uint32_t bus_of(const void *user, const pn_mem_port *port, uint64_t address)
{
    pn_dram_place place;
    (void)user;
    pn_dram_locate(port, &place, address);
    return place.channel;
}

typedef struct sums {
    double ns, count;
} sums;

static void add_random_read(void *user, const pn_chase_arrival *asked, uint64_t done_ps,
                            bool random_line)
{
    sums *s = user;
    if (!random_line || asked->kind != PANEM_READ || asked->time_ps < 20 * US)
        return;
    s->ns += (double)(done_ps - asked->time_ps) / 1000.0;
    s->count += 1.0;
}

static void a_timetable_meets_the_latency_that_chases_beside_a_load_measure(void **state)
{
    (void)state;
    pn_dram_config d;
    pn_timetable t;
    pn_chase_result r;
    pn_mem_port *port = NULL;
    sums s = {0.0, 0.0};
    const double gap_ps = 6000.0; /* 10.7 of 21.3 GB/s */
    assert_int_equal(pn_dram_spec_parse(&d, NULL, "ddr4-2666:channels=1:refresh_stagger=on", NULL),
                     PANEM_OK);
    pn_timetable_init(&t, 0.67, 0.1, 4);
    assert_int_equal(pn_timetable_add(&t, 0, 3000 * US, gap_ps, NULL), PANEM_OK);
    listened ignored = {0};
    pn_chase_config c = of(&t, &ignored, 0);
    c.capacity_bytes = pn_dram_capacity_bytes(&d);
    c.lanes = pn_dram_buses(&d);
    c.lane = bus_of;
    c.answer = add_random_read;
    c.answer_user = &s;
    assert_int_equal(pn_dram_create(&port, &d, "dram", NULL), PANEM_OK);
    assert_int_equal(pn_chase_run(&r, port, &c, NULL), PANEM_OK);
    pn_mem_destroy(port);
    c.timetable = NULL;
    c.probe_ps = 10.0 * gap_ps;
    c.gap_ps = gap_ps / 0.9;
    c.chasers = 64;
    c.warmup_ps = 20 * US;
    c.target_error = 0.005;
    c.chases_min = 8192;
    c.chases_max = 200000;
    assert_int_equal(pn_dram_create(&port, &d, "dram", NULL), PANEM_OK);
    assert_int_equal(pn_chase_run(&r, port, &c, NULL), PANEM_OK);
    pn_mem_destroy(port);
    double ratio = s.ns / s.count / r.latency_ns;
    if (!(fabs(ratio - 1.0) < 0.04))
        fail_msg("timetable %.2f ns, chases %.2f ns", s.ns / s.count, r.latency_ns);
    pn_timetable_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(pieces_have_their_rates_and_shares_and_stay_inside),
        PN_TEST(every_arrival_is_answered_once_after_the_fixed_latency),
        PN_TEST(a_timetable_meets_the_latency_that_chases_beside_a_load_measure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
