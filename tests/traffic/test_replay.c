/* A replayed trace sends what it holds: at its own times, or as fast as what is in flight allows.
 */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dram/dram.h"
#include "mem/model_port.h"
#include "traffic/replay.h"

enum { LATENCY_PS = 80000, TICK_PS = 500 };

static const char FILE_NAME[] = "replay.trace";

/* A memory that answers after 80 ns at any load. */
typedef struct world {
    panem_curves *set;
    pn_mem_port *port;
} world;

static world make_world(uint32_t in_flight)
{
    static const panem_point level[] = {{1.0, 1, 80}, {1.0, 1000, 80}};
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    panem_model *model = NULL;
    world w = {NULL, NULL};
    o.kind = PANEM_KIND_FIXED_IDLE;
    assert_int_equal(panem_curves_create(&w.set, level, 2, NULL, NULL), PANEM_OK);
    assert_int_equal(panem_model_create(&model, w.set, &o, NULL), PANEM_OK);
    assert_int_equal(pn_model_port_create(&w.port, model, "fixed", false, in_flight, NULL),
                     PANEM_OK);
    return w;
}

static void drop_world(world *w)
{
    pn_mem_destroy(w->port);
    panem_curves_destroy(w->set);
}

static void write_trace(int n, int cycles_apart)
{
    FILE *f = fopen(FILE_NAME, "w");
    assert_non_null(f);
    for (int i = 0; i < n; i++)
        (void)fprintf(f, "0x%x %s %d\n", i * 64, i % 4 == 0 ? "WRITE" : "READ", i * cycles_apart);
    assert_int_equal(fclose(f), 0);
}

static void write_text(const char *text)
{
    FILE *f = fopen(FILE_NAME, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

static panem_status replay_on(pn_replay_result *result, pn_mem_port *port, pn_replay_config c,
                              panem_error *err)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    c.line_bytes = 64;
    c.window_ps = 520000;
    if (!c.requests_max)
        c.requests_max = UINT64_MAX;
    assert_int_equal(pn_trace_open(&trace, FILE_NAME, &options, err), PANEM_OK);
    panem_status status = pn_replay_run(result, port, trace, &c, err);
    pn_trace_close(trace);
    return status;
}

/* On the flat memory; fails the test when it does not succeed. */
static pn_replay_result replay(pn_replay_config c)
{
    world w = make_world(65536);
    panem_error err = PANEM_ERROR_INIT;
    pn_replay_result r;
    if (replay_on(&r, w.port, c, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    drop_world(&w);
    return r;
}

static void a_closed_loop_takes_one_latency_per_turn(void **state)
{
    (void)state;
    write_trace(1000, 0);
    for (uint32_t c = 1; c <= 64; c *= 4) {
        pn_replay_result r = replay((pn_replay_config){.outstanding = c});
        assert_int_equal(r.records, 1000);
        assert_int_equal(r.requests, 1000);
        /* All of a turn go together: ceil(1000 / c) turns, the last one not full. */
        assert_int_equal(r.traffic.measured_ps, (1000 + c - 1) / c * LATENCY_PS);
        assert_int_equal(r.traffic.reads.requests, 750);
        assert_int_equal(r.traffic.writes.requests, 250);
        assert_int_equal(r.traffic.read_bytes, 750 * 64);
        assert_int_equal(r.traffic.write_bytes, 250 * 64);
        assert_true(fabs(r.traffic.reads.mean_ns - 80.0) < 1e-9);
        assert_int_equal(r.late, 0);
    }
}

static void times_are_kept_while_there_is_room(void **state)
{
    (void)state;
    write_trace(2000, 8); /* 4 ns apart: 20 in flight */
    pn_replay_result r =
        replay((pn_replay_config){.timed = true, .ps_per_tick = TICK_PS, .outstanding = 21});
    assert_int_equal(r.traffic.measured_ps, 1999ULL * 8 * TICK_PS + LATENCY_PS);
    assert_int_equal(r.late, 0);
    /* Little's law on the meter's own figures. */
    double bytes = r.traffic.achieved_bytes_per_s * 80e-9;
    assert_true(fabs(bytes / r.traffic.outstanding_bytes - 1.0) < 1e-9);
}

static void what_finds_no_room_goes_late_and_is_counted(void **state)
{
    (void)state;
    write_trace(2000, 8);
    pn_replay_result r =
        replay((pn_replay_config){.timed = true, .ps_per_tick = TICK_PS, .outstanding = 10});
    /* Ten per 80 ns where twenty are due: request i goes at floor(i / 10) turns plus its place. */
    uint64_t late = 0, worst = 0, sent[2000];
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t due = i * 8 * TICK_PS;
        sent[i] = i < 10 || sent[i - 10] + LATENCY_PS < due ? due : sent[i - 10] + LATENCY_PS;
        late += sent[i] > due;
        if (sent[i] - due > worst)
            worst = sent[i] - due;
    }
    assert_int_equal(r.late, late);
    assert_int_equal(r.late_ps, worst);
    assert_int_equal(r.traffic.measured_ps, sent[1999] + LATENCY_PS);
}

static void a_port_that_refuses_delays_but_loses_nothing(void **state)
{
    (void)state;
    world w = make_world(4);
    pn_replay_result r;
    panem_error err = PANEM_ERROR_INIT;
    write_trace(1000, 0);
    assert_int_equal(replay_on(&r, w.port, (pn_replay_config){.outstanding = 64}, &err), PANEM_OK);
    drop_world(&w);
    assert_int_equal(r.requests, 1000);
    assert_int_equal(r.traffic.read_bytes + r.traffic.write_bytes, 64000);
    assert_true(r.traffic.busy_answers > 0);
    assert_int_equal(r.traffic.measured_ps, 1000 / 4 * LATENCY_PS);
}

static void a_record_is_one_request_per_line_it_touches(void **state)
{
    (void)state;
    write_text(" S 1000,8\n L 103c,8\n L 1080,64\n L 1001,200\n L ffffffffffffffff,1\n");
    pn_replay_result r = replay((pn_replay_config){.outstanding = 1});
    assert_int_equal(r.records, 5);
    /* 1; 103c..1043: 2; 1; 1001..10c8: 4; 1 */
    assert_int_equal(r.requests, 9);
    assert_int_equal(r.traffic.writes.requests, 1);
    assert_int_equal(r.traffic.measured_ps, 9 * LATENCY_PS);
}

static void replay_stops_after_as_many_requests_as_asked(void **state)
{
    (void)state;
    write_trace(1000, 0);
    pn_replay_result r = replay((pn_replay_config){.outstanding = 8, .requests_max = 100});
    assert_int_equal(r.requests, 100);
}

static void times_that_go_back_are_an_error_with_their_line(void **state)
{
    (void)state;
    world w = make_world(64);
    pn_replay_result r;
    panem_error err = PANEM_ERROR_INIT;
    pn_replay_config c = {.timed = true, .ps_per_tick = 1.0, .outstanding = 8};
    write_text("0x40 READ 10\n0x80 READ 9\n");
    assert_int_equal(replay_on(&r, w.port, c, &err), PANEM_E_FORMAT);
    assert_int_equal(err.line, 2);
    drop_world(&w);
}

static void a_dram_answers_every_request_of_a_replay(void **state)
{
    (void)state;
    pn_dram_config config;
    pn_mem_port *port = NULL;
    pn_replay_result r;
    panem_error err = PANEM_ERROR_INIT;
    write_trace(20000, 2);
    assert_int_equal(pn_dram_spec_parse(&config, NULL, "ddr4-2666", &err), PANEM_OK);
    assert_int_equal(pn_dram_create(&port, &config, "dram", &err), PANEM_OK);
    pn_replay_config c = {.timed = true, .ps_per_tick = TICK_PS, .outstanding = 256};
    assert_int_equal(replay_on(&r, port, c, &err), PANEM_OK);
    pn_mem_destroy(port);
    assert_int_equal(r.requests, 20000);
    assert_int_equal(r.traffic.read_bytes, 15000 * 64);
    assert_int_equal(r.traffic.write_bytes, 5000 * 64);
    /* 64 GB/s are asked of one channel of 21.3 GB/s. */
    assert_true(r.traffic.achieved_bytes_per_s < 21.34e9);
    assert_true(r.late > 10000);
}

static int remove_trace(void **state)
{
    (void)state;
    return remove(FILE_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_closed_loop_takes_one_latency_per_turn),
        PN_TEST(times_are_kept_while_there_is_room),
        PN_TEST(what_finds_no_room_goes_late_and_is_counted),
        PN_TEST(a_port_that_refuses_delays_but_loses_nothing),
        PN_TEST(a_record_is_one_request_per_line_it_touches),
        PN_TEST(replay_stops_after_as_many_requests_as_asked),
        PN_TEST(times_that_go_back_are_an_error_with_their_line),
        PN_TEST(a_dram_answers_every_request_of_a_replay),
    };
    return cmocka_run_group_tests(tests, NULL, remove_trace);
}
