/* test_port.c - the DRAM reference as a memory port: protocol, conservation, mapping, limits. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_pn.h"
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

static void near(double a, double b)
{
    double scale = a > b ? a : b;
    if (a - b > 1e-9 * scale || b - a > 1e-9 * scale)
        fail_msg("%.12g is not %.12g", a, b);
}

/* The driver keeps its own books; the model keeps its own; and both obey Little's law. */
static void bytes_requests_and_littles_law_are_conserved(void **state)
{
    (void)state;
    size_t count = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    for (size_t i = 0; i < count; i++) {
        for (uint32_t kind = STREAM; kind <= ONE_BANK; kind++) {
            pn_mem_port *port = make(&presets[i].config);
            traffic t = {.pattern = (pattern)kind,
                         .write_pct = 30,
                         .requests = 20000,
                         .bytes = kind == MIXED ? 256 : 64,
                         .in_flight = 4000,
                         .footprint_bytes = UINT64_C(1) << 28,
                         .seed = 4,
                         .idle_every = 7000,
                         .idle_ps = 3000000};
            outcome o;
            drive(&o, port, &t);
            pn_dram_stats s;
            pn_dram_stats_get(port, &s);
            assert_int_equal(o.protocol_faults, 0);
            assert_int_equal(o.reads, s.read_requests);
            assert_int_equal(o.writes, s.write_requests);
            assert_int_equal(o.bytes, t.requests * t.bytes);
            assert_int_equal(s.read_bytes + s.write_bytes, o.bytes);
            assert_int_equal(s.response_bytes, o.bytes);
            assert_int_equal(s.responses, t.requests);
            uint64_t bursts = o.bytes / pn_dram_burst_bytes(&presets[i].config);
            assert_int_equal(s.read_bursts + s.write_bursts + s.forwarded_bursts, bursts);
            assert_int_equal(s.row_hits + s.row_misses + s.row_conflicts,
                             s.read_bursts + s.write_bursts);
            assert_true(s.activates >= s.row_misses);
            assert_true(s.busy_answers == o.busy);
            /* Little: the integral of what is in flight is the sum of the latencies. */
            assert_int_equal(o.area_ps, o.read_latency_ps + o.write_latency_ps);
            near(s.read_latency_sum_ns, (double)o.read_latency_ps / 1000.0);
            near(s.write_latency_sum_ns, (double)o.write_latency_ps / 1000.0);
            near(s.queue_area_ns, s.queue_wait_sum_ns);
            pn_mem_destroy(port);
        }
    }
}

static void a_full_queue_refuses_and_accepts_at_the_time_it_says(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    c.read_queue = 4;
    pn_mem_port *port = make(&c);
    uint64_t retry_ps = 77;
    pn_mem_request q = {1000000, 0, 0, 64, 0, PANEM_READ, PN_MEM_DEMAND};
    for (q.tag = 0; q.tag < 4; q.tag++, q.address += UINT64_C(1) << 20)
        assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_OK);
    assert_int_equal(retry_ps, 77);
    assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_BUSY);
    uint32_t tries = 0;
    while (pn_mem_submit(port, &retry_ps, &q) == PANEM_BUSY) {
        assert_true(retry_ps > q.time_ps && retry_ps != UINT64_MAX);
        q.time_ps = retry_ps;
        assert_true(++tries < 100);
    }
    /* The first column command frees an entry: activate, tRCD, then it is there. */
    assert_true(q.time_ps >= 1000000 + (uint64_t)c.trcd_ck * 750);
    assert_true(q.time_ps <= 1000000 + (uint64_t)(c.trcd_ck + 2) * 750);
    pn_mem_destroy(port);
}

/* Reads every 50 ns for a millisecond: the bus is never without one for write_idle. */
static void a_lone_write_among_reads_that_never_pause_is_done_soon_after_write_age(void **state)
{
    (void)state;
    static const uint64_t ages_ps[] = {5000000, 200000000, 0};
    for (size_t i = 0; i < 3; i++) {
        pn_dram_config c = preset("ddr4-2666");
        assert_int_equal(c.write_age_ps, ages_ps[1]);
        c.write_age_ps = ages_ps[i];
        pn_mem_port *port = make(&c);
        uint64_t retry_ps = 0;
        uint64_t done_ps = 0;
        pn_mem_request w = {50000, UINT64_C(1) << 30, 0, 64, 0, PANEM_WRITE, PN_MEM_WRITEBACK};
        assert_int_equal(pn_mem_submit(port, &retry_ps, &w), PANEM_OK);
        for (uint64_t n = 1; n < 20000; n++) {
            pn_mem_request r = {n * 50000, n << 20, n, 64, 0, PANEM_READ, PN_MEM_DEMAND};
            pn_mem_response a;
            assert_int_equal(pn_mem_advance(port, r.time_ps), PANEM_OK);
            while (pn_mem_pop(port, &a))
                done_ps = a.kind == PANEM_WRITE ? a.done_ps : done_ps;
            assert_int_equal(pn_mem_submit(port, &retry_ps, &r), PANEM_OK);
        }
        if (ages_ps[i] == 0) {
            assert_int_equal(done_ps, 0);
        } else {
            /* at the latest after a refresh of both ranks, a read, and its own row cycle */
            uint64_t slack_ps = (uint64_t)(2 * c.trfc_ck + 2 * c.trc_ck) * 750 + 200000;
            assert_true(done_ps > 50000 + ages_ps[i]);
            assert_true(done_ps < 50000 + ages_ps[i] + slack_ps);
        }
        pn_mem_destroy(port);
    }
}

static void a_read_finds_a_queued_write_and_is_answered_from_it(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr5-4800");
    pn_mem_port *port = make(&c);
    uint64_t retry_ps = 0;
    pn_mem_request w = {5000000, 4096, 1, 64, 0, PANEM_WRITE, PN_MEM_WRITEBACK};
    pn_mem_request r = {5000000, 4096, 2, 64, 0, PANEM_READ, PN_MEM_DEMAND};
    pn_mem_response a;
    assert_int_equal(pn_mem_submit(port, &retry_ps, &w), PANEM_OK);
    assert_int_equal(pn_mem_submit(port, &retry_ps, &r), PANEM_OK);
    assert_int_equal(pn_mem_advance(port, 5000000 + c.frontend_ps + c.backend_ps + 1000), PANEM_OK);
    assert_true(pn_mem_pop(port, &a));
    assert_int_equal(a.tag, 2);
    assert_true(a.done_ps - a.arrival_ps <= c.frontend_ps + c.backend_ps + 1000);
    assert_false(pn_mem_pop(port, &a));
    while (!pn_mem_pop(port, &a))
        assert_int_equal(pn_mem_advance(port, pn_mem_next_event(port)), PANEM_OK);
    assert_int_equal(a.tag, 1);
    assert_int_equal(a.ack_ps, 5000000);
    pn_dram_stats s;
    pn_dram_stats_get(port, &s);
    assert_int_equal(s.forwarded_bursts, 1);
    assert_int_equal(s.read_bursts, 0);
    pn_mem_destroy(port);
}

static void bad_requests_are_refused_and_change_nothing(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    pn_mem_port *port = make(&c);
    uint64_t retry_ps = 5;
    pn_mem_request q = {100, 0, 0, 0, 0, PANEM_READ, PN_MEM_DEMAND};
    assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_E_ARG);
    q.bytes = 64;
    q.kind = 9;
    assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_E_ARG);
    q.kind = PANEM_READ;
    q.bytes = 64 * 65;
    assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_E_RANGE);
    q.bytes = 64;
    q.address = UINT64_MAX - 10;
    assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_E_RANGE);
    assert_int_equal(pn_mem_advance(port, 1000), PANEM_OK);
    assert_int_equal(pn_mem_advance(port, 999), PANEM_E_TIME);
    q.address = 0;
    assert_int_equal(pn_mem_submit(port, &retry_ps, &q), PANEM_E_TIME);
    assert_int_equal(retry_ps, 5);
    assert_int_equal(pn_mem_next_event(port), UINT64_MAX);
    pn_dram_stats s;
    pn_dram_stats_get(port, &s);
    assert_int_equal(s.read_requests, 0);
    pn_mem_destroy(port);
}

/* Every burst of a small memory has a place of its own, whatever the mapping. */
static void every_mapping_is_one_to_one(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PN_DRAM_MAP_COUNT * 6; i++) {
        pn_dram_config c = preset(i % 2 ? "hbm2-2000" : "ddr5-4800");
        c.mapping = i / 6;
        c.bank_hash = i % 3 > 0;
        c.channels = 1 + i % 5;
        c.rows = 16;
        c.interleave_bytes = 64U << (i % 4);
        pn_mem_port *port = make(&c);
        uint64_t bursts = pn_dram_capacity_bytes(&c) / pn_dram_burst_bytes(&c);
        uint8_t *seen = calloc(bursts, 1);
        assert_non_null(seen);
        for (uint64_t b = 0; b < bursts; b++) {
            pn_dram_place p;
            pn_dram_locate(port, &p, b * pn_dram_burst_bytes(&c));
            uint64_t at = p.channel;
            at = at * c.ranks + p.rank;
            at = at * c.groups + p.group;
            at = at * c.banks + p.bank;
            at = at * c.rows + p.row;
            at = at * (c.row_bytes / pn_dram_burst_bytes(&c)) + p.column;
            assert_true(at < bursts);
            assert_int_equal(seen[at]++, 0);
        }
        free(seen);
        pn_mem_destroy(port);
    }
}

/* Within 64 lines of one bus a plain stream meets every bank group, under the mappings meant for
 * streams; and a stride of a power of two meets many banks, thanks to the hash. */
static void streams_and_strides_spread_over_banks(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < PN_DRAM_MAP_RO_BA_RA_BG_CO; m++) {
        pn_dram_config c = preset("ddr4-3200");
        c.mapping = m;
        pn_mem_port *port = make(&c);
        uint32_t groups = 0;
        uint64_t banks = 0;
        for (uint64_t i = 0; i < 64; i++) {
            pn_dram_place p;
            pn_dram_locate(port, &p, i * 64);
            groups |= 1U << p.group;
            pn_dram_locate(port, &p, i << 20);
            banks |= UINT64_C(1) << ((p.rank * 4 + p.group) * 4 + p.bank);
        }
        assert_int_equal(groups, 15);
        assert_true(__builtin_popcountll(banks) >= 16);
        pn_mem_destroy(port);
    }
}

static void idle_time_is_skipped_and_its_refreshes_are_counted(void **state)
{
    (void)state;
    static const uint32_t kinds[] = {PN_DRAM_REFRESH_ALL_BANK, PN_DRAM_REFRESH_SAME_BANK,
                                     PN_DRAM_REFRESH_NONE};
    for (size_t k = 0; k < 3; k++) {
        pn_dram_config c = preset("ddr5-6400");
        c.refresh = kinds[k];
        pn_mem_port *port = make(&c);
        /* 20 requests in 20 s of simulated time: 10 million refreshes that nobody plays. */
        traffic t = {.pattern = RANDOM,
                     .requests = 20,
                     .bytes = 64,
                     .gap_ps = 1000000000000,
                     .footprint_bytes = UINT64_C(1) << 30,
                     .seed = 1};
        outcome o;
        drive(&o, port, &t);
        pn_dram_stats s;
        pn_dram_stats_get(port, &s);
        uint32_t sets = k == 1 ? c.banks : 1;
        uint64_t end_ck = o.now_ps * 2 / 625;
        uint64_t each = end_ck / (c.trefi_ck / sets);
        assert_int_equal(s.refreshes, k == 2 ? 0 : each * c.ranks * pn_dram_buses(&c));
        pn_mem_destroy(port);
    }
}

static void ignore(void *user, const pn_dram_command *command)
{
    (void)command;
    ++*(uint64_t *)user;
}

/* With a log every idle refresh is played, without one they are skipped: the answers are equal. */
static void skipping_idle_time_changes_no_answer(void **state)
{
    (void)state;
    static const char *const names[] = {"ddr4-2666", "ddr5-4800", "ddr5-5200", "lpddr5-6400"};
    for (size_t i = 0; i < 4; i++) {
        for (uint32_t bankwise = 0; bankwise < 2; bankwise++) {
            pn_dram_config c = preset(names[i]);
            if (bankwise && i > 0)
                c.refresh = i == 3 ? PN_DRAM_REFRESH_PER_BANK : PN_DRAM_REFRESH_SAME_BANK;
            outcome o[2];
            pn_dram_stats s[2];
            uint64_t commands = 0;
            for (int logged = 0; logged < 2; logged++) {
                pn_mem_port *port = make(&c);
                if (logged)
                    pn_dram_log(port, ignore, &commands);
                traffic t = {.pattern = RANDOM,
                             .write_pct = 20,
                             .requests = 3000,
                             .bytes = 64,
                             .gap_ps = 1234567 * (1 + i),
                             .footprint_bytes = UINT64_C(1) << 32,
                             .seed = 2,
                             .idle_every = 100,
                             .idle_ps = 123456789};
                drive(&o[logged], port, &t);
                pn_dram_stats_get(port, &s[logged]);
                pn_mem_destroy(port);
            }
            assert_memory_equal(&o[0], &o[1], sizeof o[0]);
            assert_memory_equal(&s[0], &s[1], sizeof s[0]);
            assert_true(commands > 3000);
        }
    }
}

static void a_run_allocates_nothing(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr5-4800");
    pn_mem_port *port = make(&c);
    struct mallinfo2 before = mallinfo2();
    uint64_t retry_ps = 0;
    uint64_t now_ps = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        pn_mem_request q = {now_ps, i * 7919 * 64, i, 64, 0, (uint8_t)(i & 1), PN_MEM_DEMAND};
        pn_mem_response r;
        while (pn_mem_submit(port, &retry_ps, &q) == PANEM_BUSY) {
            now_ps = pn_mem_next_event(port);
            assert_int_equal(pn_mem_advance(port, now_ps), PANEM_OK);
            while (pn_mem_pop(port, &r)) {
            }
            q.time_ps = now_ps;
        }
    }
    struct mallinfo2 after = mallinfo2();
    assert_int_equal(before.uordblks, after.uordblks);
    assert_int_equal(before.arena, after.arena);
    pn_mem_destroy(port);
}

static void a_host_that_never_pops_is_held_back_not_lost(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    pn_mem_port *port = make(&c);
    uint64_t now_ps = 0;
    uint64_t accepted = 0;
    for (uint64_t i = 0; i < 5000; i++) {
        pn_mem_request q = {now_ps, i * 64, i, 64, 0, PANEM_READ, PN_MEM_DEMAND};
        uint64_t retry_ps = 0;
        accepted += pn_mem_submit(port, &retry_ps, &q) == PANEM_OK;
        now_ps += 5000;
        assert_int_equal(pn_mem_advance(port, now_ps), PANEM_OK);
    }
    assert_true(accepted < 5000);
    pn_mem_response r;
    uint64_t popped = 0;
    assert_int_equal(pn_mem_advance(port, now_ps + 10000000), PANEM_OK);
    uint64_t last_ps = 0;
    for (; pn_mem_pop(port, &r); popped++) {
        assert_true(r.done_ps >= last_ps);
        last_ps = r.done_ps;
    }
    assert_int_equal(popped, accepted);
    pn_mem_destroy(port);
}

static void cbusy_follows_the_load(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    for (uint32_t write_pct = 0; write_pct <= 100; write_pct += 50) {
        outcome light;
        outcome heavy;
        traffic t = {.pattern = RANDOM,
                     .write_pct = write_pct,
                     .requests = 10000,
                     .bytes = 64,
                     .gap_ps = 100000,
                     .footprint_bytes = UINT64_C(1) << 30,
                     .seed = 6};
        pn_mem_port *port = make(&c);
        drive(&light, port, &t);
        pn_mem_destroy(port);
        t.gap_ps = 0;
        port = make(&c);
        drive(&heavy, port, &t);
        pn_mem_destroy(port);
        assert_true(light.cbusy[0] > 9900);
        assert_true(heavy.cbusy[3] > 4000);
    }
}

/* A stream of hits to one bank cannot hold back a conflicting row for ever. */
static void no_burst_waits_much_longer_than_the_age_cap(void **state)
{
    (void)state;
    pn_dram_config c = preset("ddr4-2666");
    c.age_cap_ps = 1000000;
    for (uint32_t kind = STREAM; kind <= ONE_BANK; kind++) {
        pn_mem_port *port = make(&c);
        traffic t = {.pattern = (pattern)kind,
                     .requests = 60000,
                     .bytes = 64,
                     .footprint_bytes = UINT64_C(1) << 27,
                     .seed = 8};
        outcome o;
        drive(&o, port, &t);
        pn_dram_stats s;
        pn_dram_stats_get(port, &s);
        /* The cap; then at most a queue of row conflicts in one bank, and four refreshes. */
        double bound_ck = 1000000.0 / 750.0 + 65.0 * c.trc_ck + 4.0 * c.trfc_ck;
        assert_true((double)s.oldest_wait_ck < bound_ck);
        pn_mem_destroy(port);
    }
}

static void every_preset_is_valid_and_named_and_prints_back(void **state)
{
    (void)state;
    size_t count = 0;
    size_t params = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    const pn_param *table = pn_dram_params(&params);
    assert_true(count >= 7);
    for (size_t i = 0; i < count; i++) {
        const pn_dram_preset *found = NULL;
        assert_int_equal(pn_dram_config_check(&presets[i].config, NULL), PANEM_OK);
        assert_int_equal(pn_dram_preset_find(&found, presets[i].name, NULL), PANEM_OK);
        assert_ptr_equal(found, &presets[i]);
        assert_true(strlen(presets[i].source) > 40);
        pn_dram_config copy;
        memset(&copy, 0, sizeof copy);
        for (size_t k = 0; k < params; k++) {
            pn_text text = PN_TEXT_INIT;
            pn_param_format(&text, &table[k], &presets[i].config);
            assert_int_equal(pn_param_set(table, params, &copy, table[k].name, text.data, NULL),
                             PANEM_OK);
            pn_text_release(&text);
        }
        assert_memory_equal(&copy, &presets[i].config, sizeof copy);
    }
    panem_error err = PANEM_ERROR_INIT;
    const pn_dram_preset *none = NULL;
    assert_int_equal(pn_dram_preset_find(&none, "ddr4-2667", &err), PANEM_E_ARG);
    assert_non_null(strstr(err.message, "ddr4-2666"));
    assert_int_equal(pn_dram_preset_find(&none, "DDR4-2666", NULL), PANEM_OK);
    pn_dram_config initial;
    memset(&initial, 0, sizeof initial);
    pn_param_defaults(table, params, &initial);
    pn_dram_config first = preset("ddr4-2666");
    assert_memory_equal(&initial, &first, sizeof first);
}

static void impossible_configurations_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *set, *message;
    } cases[] = {
        {"ranks=3", "powers of two"},
        {"tccd_s_ck=3", "tccd_s_ck"},
        {"trc_ck=61", "trc_ck (61) is below tras_ck + trp_ck (43 + 19)"},
        {"burst_beats=7", "whole cycles"},
        {"refresh=same_bank", "ddr4 has no refresh same_bank"},
        {"trfc_ck=10390", "whole time"},
        {"write_low=48", "write_low"},
        {"write_high=65", "write_queue"},
        {"bus_bits=12", "whole bytes"},
        {"interleave_bytes=32", "interleave"},
        {"row_bytes=96", "powers of two"},
        {"cl_ck=0", "must not be zero"},
        {"cbusy_1_pct=80", "cbusy"},
        {"trrd_l_ck=1", "same-group"},
        {"trefi_ck=0", "trefi_ck"},
    };
    size_t params = 0;
    const pn_param *table = pn_dram_params(&params);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pn_dram_config c = preset("ddr4-2666");
        pn_mem_port *port = NULL;
        panem_error err = PANEM_ERROR_INIT;
        assert_int_equal(pn_param_assign(table, params, &c, cases[i].set, NULL), PANEM_OK);
        assert_int_equal(pn_dram_create(&port, &c, NULL, &err), PANEM_E_ARG);
        assert_null(port);
        if (!strstr(err.message, cases[i].message))
            fail_msg("%s: %s", cases[i].set, err.message);
    }
}

static void a_word_names_a_configuration(void **state)
{
    (void)state;
    pn_dram_config c;
    const pn_dram_preset *p = NULL;
    assert_int_equal(pn_dram_spec_parse(&c, &p, "ddr5-5200:channels=8:page=open", NULL), PANEM_OK);
    assert_string_equal(p->name, "ddr5-5200");
    assert_int_equal(c.channels, 8);
    assert_int_equal(c.page, PN_DRAM_PAGE_OPEN);
    assert_int_equal(c.trcd_ck, p->config.trcd_ck);
    static const char *const bad[] = {"",
                                      ":",
                                      "ddr9",
                                      "ddr4-2666:",
                                      "ddr4-2666:channels",
                                      "ddr4-2666::ranks=2",
                                      "ddr4-2666:ranks=3",
                                      "ddr4-2666:x=1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        pn_dram_config before = c;
        panem_error err = PANEM_ERROR_INIT;
        assert_int_equal(pn_dram_spec_parse(&c, &p, bad[i], &err), PANEM_E_ARG);
        assert_true(err.message[0] != '\0');
        assert_memory_equal(&c, &before, sizeof c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(bytes_requests_and_littles_law_are_conserved),
        PN_TEST(a_full_queue_refuses_and_accepts_at_the_time_it_says),
        PN_TEST(a_lone_write_among_reads_that_never_pause_is_done_soon_after_write_age),
        PN_TEST(a_read_finds_a_queued_write_and_is_answered_from_it),
        PN_TEST(bad_requests_are_refused_and_change_nothing),
        PN_TEST(every_mapping_is_one_to_one),
        PN_TEST(streams_and_strides_spread_over_banks),
        PN_TEST(idle_time_is_skipped_and_its_refreshes_are_counted),
        PN_TEST(skipping_idle_time_changes_no_answer),
        PN_TEST(a_run_allocates_nothing),
        PN_TEST(a_host_that_never_pops_is_held_back_not_lost),
        PN_TEST(cbusy_follows_the_load),
        PN_TEST(no_burst_waits_much_longer_than_the_age_cap),
        PN_TEST(every_preset_is_valid_and_named_and_prints_back),
        PN_TEST(impossible_configurations_are_named),
        PN_TEST(a_word_names_a_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
