/* test_laws.c - the DRAM reference against closed formulas: peaks, unloaded latencies, refresh. */
#include <stdlib.h>
#include <string.h>

#include "../cmocka_pn.h"
#include "base/rng.h"
#include "drive.h"

static pn_dram_config preset(const char *name)
{
    const pn_dram_preset *p = NULL;
    if (pn_dram_preset_find(&p, name, NULL) != PANEM_OK)
        fail_msg("no preset %s", name);
    return p->config;
}

static pn_mem_port *make(const pn_dram_config *c)
{
    pn_mem_port *port = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_dram_create(&port, c, "dram", &err) != PANEM_OK)
        fail_msg("%s", err.message);
    return port;
}

static double saturate(const pn_dram_config *c, pattern kind, uint32_t write_pct, uint64_t requests)
{
    pn_mem_port *port = make(c);
    traffic t = {.pattern = kind,
                 .write_pct = write_pct,
                 .requests = requests,
                 .bytes = 64,
                 .footprint_bytes = pn_dram_capacity_bytes(c),
                 .seed = 5};
    outcome o;
    drive(&o, port, &t);
    assert_int_equal(o.protocol_faults, 0);
    pn_mem_destroy(port);
    return (double)o.bytes / (double)o.end_ps * 1e12;
}

static void must_be_near(const char *what, double got, double want, double share)
{
    if (got > want * (1.0 + share) || got < want * (1.0 - share))
        fail_msg("%s: %.4g against %.4g (%.4f)", what, got, want, got / want);
}

/* The formulas of DESIGN.md section 7 by hand, for DDR4-2666: 8 B x 8/3 GHz; tRFC 350.25 ns in
 * 7.8 us; four lines per 21 ns and rank; 19 + 19 + 4 cycles of 0.75 ns. */
static void the_law_functions_give_the_values_worked_out_by_hand(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    double bus = 64.0 / 3e-9;
    double share = 1.0 - 350.25 / 7800.0;
    must_be_near("bus", pn_dram_theoretical_peak(&c), bus, 1e-12);
    must_be_near("stream", pn_dram_stream_law(&c), bus * share, 1e-12);
    must_be_near("random, two ranks", pn_dram_random_law(&c), bus * share, 1e-12);
    c.ranks = 1;
    must_be_near("random, one rank", pn_dram_random_law(&c), 256.0 / 21e-9 * share, 1e-12);
    c.groups = 1;
    must_be_near("random, 4 banks", pn_dram_random_law(&c), 256.0 / 46.5e-9 * share, 1e-12);
    must_be_near("unloaded", pn_dram_unloaded_law_ps(&c), 31500.0, 1e-12);
    c = preset("ddr5-4800");
    must_be_near("DDR5 bus", pn_dram_theoretical_peak(&c), 38.4e9, 1e-12);
    c = preset("hbm2-2000");
    must_be_near("HBM2 bus", pn_dram_theoretical_peak(&c), 256e9, 1e-12);
    must_be_near("HBM2 unloaded", pn_dram_unloaded_law_ps(&c), 34000.0, 1e-12);
    c = preset("lpddr5-6400");
    must_be_near("LPDDR5 bus", pn_dram_theoretical_peak(&c), 51.2e9, 1e-12);
}

static void a_stream_reaches_bus_times_refresh_share_within_one_percent(void **state)
{
    (void)state;
    size_t count = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    for (size_t i = 0; i < count; i++) {
        pn_dram_config c = presets[i].config;
        c.channels = 1;
        double law = pn_dram_stream_law(&c);
        must_be_near(presets[i].name, saturate(&c, STREAM, 0, 150000), law, 0.01);
        must_be_near(presets[i].name, saturate(&c, STREAM, 100, 150000), law, 0.01);
        c.refresh = PN_DRAM_REFRESH_NONE;
        law = pn_dram_theoretical_peak(&c);
        must_be_near(presets[i].name, saturate(&c, STREAM, 0, 150000), law, 0.005);
    }
}

static void channels_add_up(void **state)
{
    (void)state;
    for (uint32_t channels = 2; channels <= 6; channels += 2) {
        pn_dram_config c = preset("ddr5-4800");
        c.channels = channels;
        must_be_near("stream", saturate(&c, STREAM, 0, 300000), pn_dram_stream_law(&c), 0.01);
    }
}

/* Where activates (tFAW) or the row cycle bind, the law is met; where the bus binds, tCCD_L and
 * rank switches stand between random traffic and the bus, and without them the law is met. */
static void random_reads_reach_their_law_within_one_percent_where_rows_bind(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    c.ranks = 1;
    must_be_near("tFAW 2666", saturate(&c, RANDOM, 0, 200000), pn_dram_random_law(&c), 0.01);
    c = preset("ddr4-3200");
    c.ranks = 1;
    must_be_near("tFAW 3200", saturate(&c, RANDOM, 0, 200000), pn_dram_random_law(&c), 0.01);
    c.groups = 1; /* four banks: row cycles bind, if none of them ever runs dry */
    c.read_queue = 512;
    c.age_cap_ps = 20000000;
    c.tfaw_ck = 0;
    c.trrd_l_ck = c.trrd_s_ck;
    must_be_near("tRC", saturate(&c, RANDOM, 0, 100000), pn_dram_random_law(&c), 0.01);
    c = preset("ddr4-2666");
    c.trtrs_ck = 0;
    c.tccd_l_ck = c.tccd_s_ck;
    must_be_near("bus", saturate(&c, RANDOM, 0, 200000), pn_dram_random_law(&c), 0.01);
}

/* What keeps the presets below the law is no fault of the scheduler. An ideal setting takes it
 * away: one bus, so that none waits for another's full queue; a queue in which no bank runs dry,
 * and an age_cap beyond the time to serve it; and for DDR4-2666, where two ranks' tFAW leave no
 * room to stay in a rank, no gap between ranks. */
static void random_reads_reach_their_law_on_every_preset_in_an_ideal_setting(void **state)
{
    (void)state;
    size_t count = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    for (size_t i = 0; i < count; i++) {
        pn_dram_config c = presets[i].config;
        c.channels = 1;
        c.subchannels = 1;
        c.read_queue = 256;
        c.age_cap_ps = 1000000000;
        if (strcmp(presets[i].name, "ddr4-2666") == 0)
            c.trtrs_ck = 0;
        must_be_near(presets[i].name, saturate(&c, RANDOM, 0, 200000), pn_dram_random_law(&c),
                     0.01);
    }
}

/* How much a run may exceed a law by ending before the refreshes it may put off. */
static double put_off(const pn_dram_config *c, double rate, uint64_t requests)
{
    double run_ps = (double)requests * 64.0 / rate * 1e12;
    return 1.0 + (c->refresh_postpone + 1) * c->trfc_ck * pn_dram_tck_ps(c) / run_ps;
}

static void no_traffic_passes_its_law(void **state)
{
    (void)state;
    enum { N = 40000 };
    size_t count = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    for (size_t i = 0; i < count; i++) {
        pn_dram_config c = presets[i].config;
        c.channels = 1;
        for (uint32_t write_pct = 0; write_pct <= 100; write_pct += 50) {
            for (uint32_t kind = STREAM; kind <= MIXED; kind++) {
                double rate = saturate(&c, (pattern)kind, write_pct, N);
                double law = kind == RANDOM ? pn_dram_random_law(&c) : pn_dram_stream_law(&c);
                if (rate > law * put_off(&c, rate, N))
                    fail_msg("%s, pattern %u, %u %% writes: %.4f of the law", presets[i].name, kind,
                             write_pct, rate / law);
            }
        }
    }
}

/* One request at a time, each at a given cycle. Returns its latency without the pipeline. */
static uint64_t one(pn_mem_port *port, const pn_dram_config *c, uint64_t time_ps, uint64_t address)
{
    pn_mem_request q = {time_ps, address, 1, 64, 0, PANEM_READ, PN_MEM_DEMAND};
    uint64_t retry_ps = 0;
    pn_mem_response r;
    assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_OK);
    do
        assert_int_equal(pn_mem_advance(port, pn_mem_next_event(port)), PANEM_OK);
    while (!pn_mem_pop(port, &r));
    return r.done_ps - time_ps - c->frontend_ps - c->backend_ps;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum { CHASE = 4001 };

static void an_unloaded_read_takes_trcd_tcl_and_the_burst_within_one_percent(void **state)
{
    (void)state;
    size_t count = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    for (size_t i = 0; i < count; i++) {
        const pn_dram_config *c = &presets[i].config;
        pn_mem_port *port = make(c);
        pn_rng rng;
        pn_rng_init(&rng, 11, i);
        static uint64_t latency_ps[CHASE];
        uint64_t now_ps = 0;
        for (size_t k = 0; k < CHASE; k++) {
            uint64_t line = pn_rng_below(&rng, pn_dram_capacity_bytes(c) / 64);
            latency_ps[k] = one(port, c, now_ps, line * 64);
            now_ps += 500000 + pn_rng_below(&rng, 100000);
        }
        qsort(latency_ps, CHASE, sizeof latency_ps[0], by_value);
        double law_ps = pn_dram_unloaded_law_ps(c);
        double tck_ps = pn_dram_tck_ps(c);
        must_be_near(presets[i].name, (double)latency_ps[CHASE / 2], law_ps + tck_ps / 2, 0.01);
        double least_ps = (double)latency_ps[0];
        if (least_ps < law_ps - 1.0 || least_ps > law_ps + tck_ps * 0.05 + 1.0)
            fail_msg("%s: least %.1f ps, law %.1f", presets[i].name, least_ps, law_ps);
        pn_mem_destroy(port);
    }
}

static void row_hits_misses_and_conflicts_cost_what_their_commands_take(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-3200");
    c.page = PN_DRAM_PAGE_OPEN;
    c.refresh = PN_DRAM_REFRESH_NONE;
    c.bank_hash = 0;
    pn_mem_port *port = make(&c);
    uint64_t row = (uint64_t)c.row_bytes * c.groups * c.banks * c.ranks; /* next row, same bank */
    uint64_t burst = 4;
    assert_int_equal(one(port, &c, 1000000, 0), (c.trcd_ck + c.cl_ck + burst) * 625);
    assert_int_equal(one(port, &c, 2000000, 64 * 4), (c.cl_ck + burst) * 625);
    assert_int_equal(one(port, &c, 3000000, row), (c.trp_ck + c.trcd_ck + c.cl_ck + burst) * 625);
    pn_dram_stats s;
    pn_dram_stats_get(port, &s);
    assert_int_equal(s.row_misses, 1);
    assert_int_equal(s.row_hits, 1);
    assert_int_equal(s.row_conflicts, 1);
    pn_mem_destroy(port);
}

/* A read behind a refresh waits for it: due at tREFI, it occupies the rank for tRFC. */
static void a_read_that_meets_a_refresh_waits_for_its_end(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    pn_mem_port *port = make(&c);
    uint64_t due_ps = (uint64_t)c.trefi_ck * 750;
    uint64_t asked_ps = due_ps + 150000;
    uint64_t got = one(port, &c, asked_ps, 0);
    uint64_t end_ps = due_ps + (uint64_t)c.trfc_ck * 750;
    assert_int_equal(got, end_ps - asked_ps + (uint64_t)pn_dram_unloaded_law_ps(&c));
    pn_mem_destroy(port);
}

/* Refreshes, write drains and turnarounds may not bend the curve: characterizations rest on it. */
static void more_load_never_means_a_shorter_mean_latency(void **state)
{
    (void)state;
    static const char *const names[] = {"ddr4-2666", "ddr5-4800"};
    for (uint32_t i = 0; i < 6; i++) {
        pn_dram_config c = preset(names[i % 2]);
        double line_ps = 64.0 / pn_dram_theoretical_peak(&c) * 1e12;
        double last = 0.0;
        for (uint32_t load_pct = 15; load_pct <= 90; load_pct += 15) {
            pn_mem_port *port = make(&c);
            traffic t = {.pattern = RANDOM,
                         .requests = 60000,
                         .bytes = 64,
                         .write_pct = i / 2 * 25,
                         .gap_ps = (uint64_t)(line_ps * 100.0 / load_pct),
                         .footprint_bytes = UINT64_C(1) << 33,
                         .seed = 9};
            outcome o;
            drive(&o, port, &t);
            double mean = (double)o.read_latency_ps / (double)o.reads;
            if (mean < last * 0.99)
                fail_msg("%s, %u %% writes: %.1f ps at %u %% load, %.1f ps below", names[i % 2],
                         t.write_pct, mean, load_pct, last);
            last = mean;
            pn_mem_destroy(port);
        }
        assert_true(last > 2.0 * pn_dram_unloaded_law_ps(&c));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(the_law_functions_give_the_values_worked_out_by_hand),
        PN_TEST(a_stream_reaches_bus_times_refresh_share_within_one_percent),
        PN_TEST(channels_add_up),
        PN_TEST(random_reads_reach_their_law_within_one_percent_where_rows_bind),
        PN_TEST(random_reads_reach_their_law_on_every_preset_in_an_ideal_setting),
        PN_TEST(no_traffic_passes_its_law),
        PN_TEST(an_unloaded_read_takes_trcd_tcl_and_the_burst_within_one_percent),
        PN_TEST(row_hits_misses_and_conflicts_cost_what_their_commands_take),
        PN_TEST(a_read_that_meets_a_refresh_waits_for_its_end),
        PN_TEST(more_load_never_means_a_shorter_mean_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
