/* Several cores on one chip: what they do alone they do together, what they share is shared evenly,
 * and nothing is lost. */
#include "../cmocka_pn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "core/cores.h"
#include "core/vmap.h"
#include "dram/dram.h"
#include "machine.h"

/* ---- instructions without end ---------------------------------------------------------------- */

enum { INSTS = 64, KINDS = 4 };

/* A loop of INSTS instructions, every period-th an access to a random line of its footprint. */
typedef struct walker {
    pn_inst insts[INSTS];
    pn_access access;
    pn_op op;
    pn_rng rng;
    uint64_t count, lines, period;
    unsigned stores_of_four;
} walker;

static panem_status walk(void *user, const pn_op **op, panem_error *err)
{
    walker *w = user;
    (void)err;
    uint64_t at = w->count++ % INSTS;
    bool access = w->period && w->count % w->period == 0;
    bool store = access && pn_rng_below(&w->rng, 4) < w->stores_of_four;
    pn_inst *inst = &w->insts[at];
    *inst = (pn_inst){.pc = 0x1000 + 4 * at, .length = 4, .cls = PN_CLASS_INT};
    inst->n_dst = 1;
    inst->dst[0] = (uint8_t)(1 + at % 8);
    if (access) {
        inst->cls = store ? PN_CLASS_STORE : PN_CLASS_LOAD;
        inst->flags = store ? PN_INST_STORE : PN_INST_LOAD;
        w->access = (pn_access){64 * pn_rng_below(&w->rng, w->lines), 8, store};
    }
    w->op = (pn_op){.inst = inst, .accesses = &w->access, .n_accesses = access};
    *op = &w->op;
    return PANEM_OK;
}

static void walker_make(walker *w, uint64_t seed, uint64_t lines, uint64_t period, unsigned stores)
{
    memset(w, 0, sizeof *w);
    pn_rng_init(&w->rng, seed, 0);
    w->lines = lines;
    w->period = period;
    w->stores_of_four = stores;
}

/* ---- a memory with one server and a short queue ---------------------------------------------- */

enum { QUEUE = 4 };

typedef struct server {
    pn_mem_port port;
    pn_mem_response queue[QUEUE];
    uint32_t first, count;
    uint64_t service_ps, free_ps, now_ps, served[PN_CORES_MAX], latency_ps;
    uint32_t order[64], ordered; /* sources in the order taken */
} server;

static panem_status server_submit(pn_mem_port *port, uint64_t *retry_ps, const pn_mem_request *r)
{
    server *s = (server *)port;
    if (s->count == QUEUE) {
        *retry_ps = UINT64_MAX;
        return PANEM_BUSY;
    }
    s->free_ps = (s->free_ps > r->time_ps ? s->free_ps : r->time_ps) + s->service_ps;
    s->queue[(s->first + s->count++) % QUEUE] = (pn_mem_response){.tag = r->tag,
                                                                  .arrival_ps = r->time_ps,
                                                                  .ack_ps = r->time_ps,
                                                                  .done_ps = s->free_ps,
                                                                  .bytes = r->bytes,
                                                                  .kind = r->kind};
    s->served[r->source]++;
    if (s->ordered < 64)
        s->order[s->ordered++] = r->source;
    return PANEM_OK;
}

static panem_status server_advance(pn_mem_port *port, uint64_t time_ps)
{
    ((server *)port)->now_ps = time_ps;
    return PANEM_OK;
}

static uint64_t server_next(const pn_mem_port *port)
{
    const server *s = (const server *)port;
    return s->count ? s->queue[s->first].done_ps : UINT64_MAX;
}

static bool server_pop(pn_mem_port *port, pn_mem_response *response)
{
    server *s = (server *)port;
    if (s->count == 0 || s->queue[s->first].done_ps > s->now_ps)
        return false;
    *response = s->queue[s->first];
    s->first = (s->first + 1) % QUEUE;
    s->count--;
    return true;
}

static void server_destroy(pn_mem_port *port)
{
    (void)port;
}

static const pn_mem_ops SERVER = {server_submit, server_advance, server_next, server_pop,
                                  server_destroy};

static void server_make(server *s, uint64_t service_ps)
{
    memset(s, 0, sizeof *s);
    s->port.ops = &SERVER;
    s->port.name = "server";
    s->service_ps = service_ps;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void run_cores(pn_core_result *results, const pn_core_config *config, pn_mem_port *port,
                      walker *walkers, uint32_t count, const pn_core_run *run)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_cores *cores = NULL;
    pn_op_source sources[PN_CORES_MAX];
    for (uint32_t i = 0; i < count; i++)
        sources[i] = (pn_op_source){walk, &walkers[i]};
    if (pn_cores_create(&cores, config, count, port, &err) != PANEM_OK ||
        pn_cores_run(cores, results, sources, run, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    pn_cores_destroy(cores);
}

static const char SMALL[] = "l1d_size=4KiB l2_size=16KiB llc_size=64KiB l1d_prefetch=stride "
                            "l2_prefetch=best-offset ";

static void one_core_of_a_chip_is_the_core_alone_byte_for_byte(void **state)
{
    (void)state;
    enum { WARMUP = 5000, MEASURED = 30000 };
    machine m;
    walker w;
    pn_core_result together;
    const pn_op *op;
    machine_make_dram(&m, SMALL, "ddr4-2666");
    walker_make(&w, 3, 1 << 14, 3, 1);
    for (int i = 0; i < WARMUP + MEASURED; i++) {
        if (i == WARMUP)
            pn_core_mark(m.core);
        (void)walk(&w, &op, NULL);
        pn_core_op(m.core, op);
    }
    pn_core_result alone = machine_finish(&m);
    machine_free(&m);

    machine_make_dram(&m, SMALL, "ddr4-2666");
    walker_make(&w, 3, 1 << 14, 3, 1);
    run_cores(&together, &m.config, m.port, &w, 1, &(pn_core_run){WARMUP, MEASURED, NULL, NULL});
    machine_free(&m);
    assert_true(alone.measured.door.writes > 100);
    assert_memory_equal(&alone, &together, sizeof alone);
}

/* Latency is fixed, so that the idle ones cannot matter: then the conservative order of time of
 * many cores must give the cycles of the phase-by-phase order of one. */
static void a_core_beside_idle_ones_is_the_core_alone_to_the_cycle(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "llc_size=64KiB",
        "llc_size=64KiB l2_mshrs=3 llc_mshrs=2 write_buffer=1 l2_prefetch_reserve=1",
        ("llc_size=64KiB clock=2.1GHz llc_latency=9ns mem_response_latency=1ns "
         "l2_fill_bytes_per_cycle=5"),
        "llc_size=64KiB mem_request_latency=0ns l1d_prefetch_level=3 l2_prefetch=stream",
    };
    enum { IDLE = 3 };
    const pn_core_run run = {4000, 20000, NULL, NULL};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        pn_core_result results[2][IDLE + 1];
        char text[256];
        for (int several = 0; several < 2; several++) {
            machine m;
            walker w[IDLE + 1];
            int length = snprintf(text, sizeof text, "%s%s active_cores=%d", SMALL, settings[i],
                                  several ? IDLE + 1 : 1);
            assert_true(length > 0 && (size_t)length < sizeof text);
            machine_make(&m, text, 90.0);
            walker_make(&w[0], 7, 1 << 13, 3, 1);
            for (uint32_t k = 1; k <= IDLE; k++)
                walker_make(&w[k], 7 + k, 1, 0, 0);
            run_cores(results[several], &m.config, m.port, w, several ? IDLE + 1 : 1, &run);
            machine_free(&m);
        }
        const pn_core_result *a = &results[0][0];
        const pn_core_result *b = &results[1][0];
        assert_true(a->measured.mem_lines > 1000 && a->measured.door.writes > 100);
        assert_int_equal(a->warmup_cyc, b->warmup_cyc);
        assert_int_equal(a->measured_cyc, b->measured_cyc);
        assert_int_equal(a->measured.stall_rob_cyc, b->measured.stall_rob_cyc);
        assert_memory_equal(&a->measured.l2, &b->measured.l2, sizeof a->measured.l2);
        assert_int_equal(a->measured.view.cycles, b->measured.view.cycles);
    }
}

static void lines_are_conserved_and_runs_repeat(void **state)
{
    (void)state;
    enum { CORES = 5 };
    pn_core_result first[CORES];
    for (int round = 0; round < 2; round++) {
        machine m;
        walker w[CORES];
        pn_core_result results[CORES];
        pn_dram_stats stats;
        uint64_t reads = 0;
        uint64_t writes = 0;
        machine_make_dram(&m, "l1d_size=4KiB l2_size=16KiB llc_size=256KiB active_cores=5",
                          "ddr5-5200:subchannels=1");
        for (uint32_t i = 0; i < CORES; i++)
            walker_make(&w[i], i + 1, 1 << 12, 2 + i, i % KINDS);
        run_cores(results, &m.config, m.port, w, CORES, &(pn_core_run){3000, 12000, NULL, NULL});
        pn_dram_stats_get(m.port, &stats);
        for (uint32_t i = 0; i < CORES; i++) {
            const pn_core_counts *n = &results[i].whole;
            assert_int_equal(results[i].measured.instructions, 12000);
            assert_int_equal(n->mem_lines, n->door.reads);
            assert_int_equal(n->llc.dirty_out, n->door.writes);
            reads += n->door.reads;
            writes += n->door.writes;
        }
        assert_int_equal(reads, stats.read_requests);
        assert_int_equal(writes, stats.write_requests);
        assert_true(writes > 100);
        if (round == 0)
            memcpy(first, results, sizeof first);
        else
            assert_memory_equal(first, results, sizeof first);
        machine_free(&m);
    }
}

static void equal_cores_get_equal_shares_of_a_saturated_memory(void **state)
{
    (void)state;
    enum { CORES = 7 };
    server s;
    walker w[CORES];
    pn_core_result r[CORES];
    pn_core_config config =
        machine_config("l1d_size=4KiB l2_size=16KiB llc_size=64KiB active_cores=7");
    server_make(&s, 10000);
    for (uint32_t i = 0; i < CORES; i++)
        walker_make(&w[i], 100 + i, 1 << 14, 2, 0);
    run_cores(r, &config, &s.port, w, CORES, &(pn_core_run){2000, 20000, NULL, NULL});
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    for (uint32_t i = 0; i < CORES; i++) {
        least = s.served[i] < least ? s.served[i] : least;
        most = s.served[i] > most ? s.served[i] : most;
    }
    /* 10 ns per line and never idle: the cores' reads add up to the time that went by. */
    assert_true(least > 1000);
    assert_true((double)most / (double)least < 1.02);
}

static void the_door_takes_one_of_each_lane_in_a_circle(void **state)
{
    (void)state;
    enum { LANES = 3, EACH = 5 };
    server s;
    pn_door d;
    pn_core_config config = machine_config("");
    server_make(&s, 1000000);
    assert_int_equal(pn_door_init(&d, &s.port, &config, LANES, 32, NULL), PANEM_OK);
    /* Lane 0 comes first with all it has, then lane 1, then lane 2: four of lane 0 are taken. */
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < EACH; i++)
            assert_int_equal(
                pn_door_come(&d, 1, &(pn_door_arrival){.line = lane * 100 + i, .core = lane}),
                PANEM_OK);
    pn_door_settle(&d, 1);
    uint32_t answered = 0;
    while (answered < LANES * EACH) {
        pn_door_request r;
        uint8_t cbusy;
        uint64_t cycle = pn_door_next(&d);
        assert_int_equal(pn_door_turn(&d, cycle), PANEM_OK);
        while (pn_door_take(&d, &r, &cbusy))
            answered++;
        assert_int_equal(pn_door_turn(&d, cycle), PANEM_OK); /* what the answers made room for */
        pn_door_settle(&d, cycle);
    }
    static const uint32_t expected[LANES * EACH] = {0, 0, 0, 0, 0, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
    assert_memory_equal(s.order, expected, sizeof expected);
    pn_door_release(&d);
}

static void ties_at_the_chip_rotate_with_the_cycle(void **state)
{
    (void)state;
    enum { CORES = 4 };
    server s;
    pn_chip chip;
    pn_evq own[CORES];
    pn_core_config config = machine_config("llc_size=64KiB active_cores=4 mem_request_latency=0ns");
    pn_core_timing timing = pn_core_timing_of(&config);
    uint64_t delay = timing.llc_cyc - timing.l2_cyc;
    server_make(&s, 1);
    assert_int_equal(pn_chip_init(&chip, &config, CORES, &s.port, NULL), PANEM_OK);
    for (uint32_t i = 0; i < CORES; i++) {
        assert_int_equal(pn_evq_init(&own[i], 64, NULL), PANEM_OK);
        chip.cores[i].events = &own[i];
    }
    for (uint64_t cycle = 100; cycle < 100 + 1000 * CORES; cycle += 1000) {
        /* Told in any order: the last core first. */
        for (uint32_t i = CORES; i-- > 0;)
            pn_chip_look(&chip, cycle, i, cycle * CORES + i, false);
        s.ordered = 0;
        pn_chip_run(&chip, cycle + 900);
        assert_int_equal(s.ordered, CORES);
        for (uint32_t i = 0; i < CORES; i++)
            assert_int_equal(s.order[i], (cycle + delay + i) % CORES);
        cycle++; /* so that every remainder comes */
    }
    for (uint32_t i = 0; i < CORES; i++)
        pn_evq_release(&own[i]);
    pn_chip_release(&chip);
}

static void a_lone_busy_core_has_the_whole_llc(void **state)
{
    (void)state;
    enum { CORES = 4 };
    machine m;
    walker w[CORES];
    pn_core_result r[CORES];
    /* 3/4 of the LLC, three times a share: once read, it stays. */
    machine_make(&m, "l1d_size=4KiB l2_size=16KiB llc_size=256KiB active_cores=4", 90.0);
    walker_make(&w[0], 5, 3 * 1024, 2, 0);
    for (uint32_t i = 1; i < CORES; i++)
        walker_make(&w[i], i, 1, 0, 0);
    run_cores(r, &m.config, m.port, w, CORES, &(pn_core_run){60000, 20000, NULL, NULL});
    machine_free(&m);
    double missed = (double)r[0].measured.llc.misses / (double)r[0].measured.llc.accesses;
    assert_true(r[0].measured.llc.accesses > 5000);
    assert_true(missed < 0.1);
}

static void cores_never_share_a_frame(void **state)
{
    (void)state;
    pn_vmap a;
    pn_vmap b;
    for (unsigned shift = 12; shift <= 20; shift += 4) {
        pn_vmap_init(&a, UINT64_C(1) << shift, 1, 3);
        pn_vmap_init(&b, UINT64_C(1) << shift, 1, 4);
        for (uint64_t page = 0; page < 5000; page++) {
            uint64_t line = pn_vmap_line(&a, page << shift);
            assert_int_equal(line >> (36 + shift - 6), 3);
            assert_int_equal(pn_vmap_line(&b, page << shift) >> (36 + shift - 6), 4);
        }
    }
}

static void impossible_chips_are_told(void **state)
{
    (void)state;
    server s;
    pn_cores *cores = NULL;
    panem_error err = PANEM_ERROR_INIT;
    server_make(&s, 1000);
    pn_core_config config = machine_config("");
    assert_int_equal(pn_cores_create(&cores, &config, 0, &s.port, &err), PANEM_E_ARG);
    assert_int_equal(pn_cores_create(&cores, &config, 65, &s.port, &err), PANEM_E_ARG);
    err = (panem_error)PANEM_ERROR_INIT;
    config = machine_config("clock=1GHz mem_response_latency=1ns");
    assert_int_equal(pn_cores_create(&cores, &config, 2, &s.port, &err), PANEM_E_ARG);
    if (!strstr(err.message, "mem_response_latency"))
        fail_msg("%s", err.message);
    assert_int_equal(pn_cores_create(&cores, &config, 1, &s.port, &err), PANEM_OK);
    pn_cores_destroy(cores);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(one_core_of_a_chip_is_the_core_alone_byte_for_byte),
        PN_TEST(a_core_beside_idle_ones_is_the_core_alone_to_the_cycle),
        PN_TEST(lines_are_conserved_and_runs_repeat),
        PN_TEST(equal_cores_get_equal_shares_of_a_saturated_memory),
        PN_TEST(the_door_takes_one_of_each_lane_in_a_circle),
        PN_TEST(ties_at_the_chip_rotate_with_the_cycle),
        PN_TEST(a_lone_busy_core_has_the_whole_llc),
        PN_TEST(cores_never_share_a_frame),
        PN_TEST(impossible_chips_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
