/* The parts of the core against naive forms of themselves. */
#include "../cmocka_pn.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "core/cache.h"
#include "core/clock.h"
#include "core/evq.h"
#include "core/predict.h"
#include "core/vmap.h"
#include "machine.h"

/* ---- clock ----------------------------------------------------------------------------------- */

static void cycles_become_picoseconds_and_back(void **state)
{
    (void)state;
    static const uint64_t clocks[] = {2100000000, 1333300000, 4300000000, 5000000000, 3000000007};
    pn_rng rng;
    pn_rng_init(&rng, 3, 0);
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < 10000; i++) {
            uint64_t cycle = pn_rng_below(&rng, UINT64_C(10000000000000)); /* case D6: 1e13 */
            uint64_t ps = pn_clock_ps(clocks[k], cycle);
            assert_int_equal(pn_clock_edge(clocks[k], ps), cycle);
            assert_int_equal(pn_clock_edge(clocks[k], ps + 2), cycle + 1);
        }
    }
    assert_int_equal(pn_clock_ps(3000000000, 3), 1000);
    assert_int_equal(pn_clock_ps(3000000000, UINT64_C(3000000000000)), UINT64_C(1000000000000000));
}

/* ---- cache ----------------------------------------------------------------------------------- */

enum { SETS = 12, WAYS = 3 };

/* A set as a list of times of use. */
typedef struct naive {
    uint64_t line[SETS][WAYS], used[SETS][WAYS];
    bool dirty[SETS][WAYS], there[SETS][WAYS];
} naive;

static int naive_find(const naive *n, uint64_t line)
{
    for (int w = 0; w < WAYS; w++)
        if (n->there[line % SETS][w] && n->line[line % SETS][w] == line)
            return w;
    return -1;
}

static uint64_t naive_fill(naive *n, uint64_t line, uint64_t now, bool dirty)
{
    uint64_t s = line % SETS;
    int victim = 0;
    for (int w = 0; w < WAYS; w++) {
        if (!n->there[s][w]) {
            victim = w;
            break;
        }
        if (n->used[s][w] < n->used[s][victim])
            victim = w;
    }
    uint64_t out = n->there[s][victim] && n->dirty[s][victim] ? n->line[s][victim] : PN_NO_LINE;
    n->there[s][victim] = true;
    n->line[s][victim] = line;
    n->dirty[s][victim] = dirty;
    n->used[s][victim] = now;
    return out;
}

static void a_cache_keeps_the_lines_used_last(void **state)
{
    (void)state;
    pn_cache cache;
    pn_rng rng;
    static naive n;
    memset(&n, 0, sizeof n);
    pn_rng_init(&rng, 1, 0);
    assert_int_equal(pn_cache_init(&cache, SETS * WAYS * 64, WAYS, NULL), PANEM_OK);
    for (uint64_t i = 1; i < 200000; i++) {
        uint64_t line = pn_rng_below(&rng, 70);
        bool dirty = pn_rng_below(&rng, 3) == 0;
        int way = naive_find(&n, line);
        uint64_t *found = pn_cache_touch(&cache, line);
        assert_int_equal(found != NULL, way >= 0);
        if (way >= 0) {
            *found |= dirty ? PN_WAY_DIRTY : 0;
            n.used[line % SETS][way] = i;
            n.dirty[line % SETS][way] |= dirty;
        } else {
            uint64_t out = pn_cache_fill(&cache, line, dirty ? PN_WAY_DIRTY : 0);
            bool dirty_out = out != PN_NO_LINE && (out & PN_WAY_DIRTY);
            uint64_t line_out = dirty_out ? out >> PN_WAY_SHIFT : PN_NO_LINE;
            assert_int_equal(line_out, naive_fill(&n, line, i, dirty));
            assert_true(pn_cache_has(&cache, line));
        }
    }
    pn_cache_release(&cache);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void pages_get_frames_of_their_own(void **state)
{
    (void)state;
    enum { PAGES = 100000 };
    pn_vmap map;
    uint64_t *frames = malloc(PAGES * sizeof *frames);
    assert_non_null(frames);
    pn_vmap_init(&map, 4096, 7, 0);
    for (uint64_t i = 0; i < PAGES; i++) {
        uint64_t address = (i * 37 << 12) + 0x7f0000000000;
        uint64_t line = pn_vmap_line(&map, address);
        assert_int_equal(pn_vmap_line(&map, address + 4095), line + 63);
        frames[i] = line / 64;
    }
    qsort(frames, PAGES, sizeof *frames, order);
    for (int i = 1; i < PAGES; i++)
        assert_true(frames[i] != frames[i - 1]);
    free(frames);
}

/* ---- events ---------------------------------------------------------------------------------- */

static void events_come_by_cycle_phase_and_entry(void **state)
{
    (void)state;
    enum { EVENTS = 3000 };
    pn_evq q;
    pn_rng rng;
    pn_rng_init(&rng, 5, 0);
    assert_int_equal(pn_evq_init(&q, EVENTS, NULL), PANEM_OK);
    for (uint64_t i = 0; i < EVENTS; i++)
        pn_evq_push(&q, pn_rng_below(&rng, 100), (unsigned)pn_rng_below(&rng, 5), i, 0);
    pn_ev before = pn_evq_pop(&q);
    for (int i = 1; i < EVENTS; i++) {
        pn_ev e = pn_evq_pop(&q);
        bool rises = e.cycle > before.cycle ||
                     (e.cycle == before.cycle &&
                      (pn_ev_kind(&e) > pn_ev_kind(&before) ||
                       (pn_ev_kind(&e) == pn_ev_kind(&before) && e.line > before.line)));
        assert_true(rises);
        before = e;
    }
    assert_true(pn_evq_next(&q) == UINT64_MAX);
    pn_evq_release(&q);
}

/* ---- prediction ------------------------------------------------------------------------------ */

static pn_predictor *predictor_of(const char *settings)
{
    pn_predictor *p;
    pn_core_config config = machine_config(settings);
    assert_int_equal(pn_predictor_create(&p, &config, NULL), PANEM_OK);
    return p;
}

/* Share mispredicted of a branch that is not taken once in `period`. */
static double missed_of_loop(const char *settings, int period)
{
    pn_predictor *p = predictor_of(settings);
    pn_inst inst = {.pc = 0x4000, .length = 4, .branch = PN_BRANCH_COND};
    int missed = 0;
    for (int i = 0; i < 200000; i++) {
        bool right = pn_predictor_step(p, &inst, i % period != 0, 0);
        missed += i >= 100000 && !right;
    }
    pn_predictor_destroy(p);
    return missed / 100000.0;
}

static void loops_shorter_than_the_history_are_learned(void **state)
{
    (void)state;
    assert_true(missed_of_loop("", 3) < 0.001);
    assert_true(missed_of_loop("", 40) < 0.001);
    assert_true(missed_of_loop("", 150) < 0.001);
    assert_true(missed_of_loop("predictor=gshare", 8) < 0.001);
    /* no history reaches this far: the exit is missed every time, and little else */
    assert_true(missed_of_loop("", 2000) < 3.0 / 2000);
    assert_true(missed_of_loop("", 2000) > 0.5 / 2000);
    assert_true(missed_of_loop("predictor=perfect", 2000) == 0.0);
}

static void a_coin_cannot_be_predicted(void **state)
{
    (void)state;
    pn_predictor *p = predictor_of("");
    pn_inst inst = {.pc = 0x4000, .length = 4, .branch = PN_BRANCH_COND};
    pn_rng rng;
    int missed = 0;
    pn_rng_init(&rng, 11, 0);
    for (int i = 0; i < 50000; i++)
        missed += !pn_predictor_step(p, &inst, pn_rng_below(&rng, 2) != 0, 0);
    assert_in_range(missed, 23000, 27000);
    pn_predictor_destroy(p);
}

static void returns_are_right_up_to_the_depth_of_the_stack(void **state)
{
    (void)state;
    enum { DEPTH = 16 };
    pn_predictor *p = predictor_of("ras_entries=16");
    for (int depth = DEPTH; depth <= DEPTH + 4; depth += 4) {
        int missed = 0;
        for (int i = 0; i < depth; i++) {
            pn_inst call = {.pc = 0x100 + (uint64_t)i * 8, .length = 4, .branch = PN_BRANCH_CALL};
            (void)pn_predictor_step(p, &call, true, 0x9000);
        }
        for (int i = depth - 1; i >= 0; i--) {
            pn_inst ret = {.pc = 0x9000, .length = 4, .branch = PN_BRANCH_RETURN};
            missed += !pn_predictor_step(p, &ret, true, 0x104 + (uint64_t)i * 8);
        }
        assert_int_equal(missed, depth - DEPTH);
    }
    pn_predictor_destroy(p);
}

static void indirect_targets_follow_their_path(void **state)
{
    (void)state;
    pn_predictor *p = predictor_of("");
    pn_inst jump = {.pc = 0x8000, .length = 4, .branch = PN_BRANCH_JUMP_INDIRECT};
    static const uint64_t targets[] = {0x100, 0x200, 0x300, 0x100, 0x400};
    int missed = 0;
    for (int i = 0; i < 5000; i++) {
        bool right = pn_predictor_step(p, &jump, true, targets[i % 5]);
        missed += i >= 1000 && !right;
    }
    assert_int_equal(missed, 0);
    pn_predictor_destroy(p);
}

/* ---- configuration --------------------------------------------------------------------------- */

static void every_preset_is_whole_and_every_number_has_a_source(void **state)
{
    (void)state;
    size_t count;
    const pn_param *params = pn_core_params(&count);
    for (const char *const *name = pn_core_presets(); *name; name++) {
        pn_core_config config;
        assert_int_equal(pn_core_preset(&config, *name, NULL), PANEM_OK);
        assert_int_equal(pn_core_check(&config, NULL), PANEM_OK);
        for (size_t i = 0; i < count; i++)
            assert_non_null(pn_core_source(*name, params[i].name));
    }
}

static void bad_machines_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *settings, *says;
    } cases[] = {
        {"rob=64 lob=96", "lob (96) is larger than rob (64)"},
        {"l2_latency=4", "l2_latency"},
        {"llc_latency=2ns", "llc_latency"},
        {"page_size=5000B", "page_size"},
        {"llc_size=65536B active_cores=65536", "llc_size"},
        {"store_buffer=200", "store_buffer (200)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pn_core_config config = machine_config(cases[i].settings);
        panem_error err = PANEM_ERROR_INIT;
        assert_int_equal(pn_core_check(&config, &err), PANEM_E_ARG);
        assert_non_null(strstr(err.message, cases[i].says));
    }
    pn_core_config config;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_core_preset(&config, "neoverse-n", &err), PANEM_E_ARG);
    assert_non_null(strstr(err.message, "neoverse-n1"));
}

/* ---- a memory that fails --------------------------------------------------------------------- */

/* Takes so many requests and never answers; further ones fail. */
typedef struct deaf {
    pn_mem_port base;
    int takes;
} deaf;

static panem_status deaf_submit(pn_mem_port *port, uint64_t *retry_ps,
                                const pn_mem_request *request)
{
    (void)retry_ps;
    (void)request;
    return ((deaf *)port)->takes-- > 0 ? PANEM_OK : PANEM_E_RANGE;
}

static panem_status deaf_advance(pn_mem_port *port, uint64_t time_ps)
{
    (void)port;
    (void)time_ps;
    return PANEM_OK;
}

static uint64_t deaf_next(const pn_mem_port *port)
{
    (void)port;
    return UINT64_MAX;
}

static bool deaf_pop(pn_mem_port *port, pn_mem_response *response)
{
    (void)port;
    (void)response;
    return false;
}

static void a_memory_that_fails_ends_the_run_with_a_word(void **state)
{
    (void)state;
    static const pn_mem_ops ops = {deaf_submit, deaf_advance, deaf_next, deaf_pop, NULL};
    static const struct {
        int takes;
        panem_status status;
        const char *says;
    } cases[] = {{1 << 20, PANEM_E_TIME, "never answers"}, {0, PANEM_E_RANGE, "out of range"}};
    for (int k = 0; k < 2; k++) {
        for (uint64_t steps = 5; steps < 1000; steps += 900) {
            machine m;
            panem_error err = PANEM_ERROR_INIT;
            pn_core_result result;
            deaf port = {{&ops, "deaf", false}, cases[k].takes};
            m.config = machine_config("l1d_mshrs=8");
            assert_int_equal(pn_core_create(&m.core, &m.config, &port.base, &err), PANEM_OK);
            for (uint64_t i = 0; i < steps; i++)
                machine_step(&m, &(step){.load = true, .address = i * 4096, .pc = 0x1000 + i * 64});
            assert_int_equal(pn_core_finish(m.core, &result, &err), cases[k].status);
            assert_non_null(strstr(err.message, cases[k].says));
            pn_core_destroy(m.core);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(cycles_become_picoseconds_and_back),
        PN_TEST(a_cache_keeps_the_lines_used_last),
        PN_TEST(pages_get_frames_of_their_own),
        PN_TEST(events_come_by_cycle_phase_and_entry),
        PN_TEST(loops_shorter_than_the_history_are_learned),
        PN_TEST(a_coin_cannot_be_predicted),
        PN_TEST(returns_are_right_up_to_the_depth_of_the_stack),
        PN_TEST(indirect_targets_follow_their_path),
        PN_TEST(every_preset_is_whole_and_every_number_has_a_source),
        PN_TEST(bad_machines_are_named),
        PN_TEST(a_memory_that_fails_ends_the_run_with_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
