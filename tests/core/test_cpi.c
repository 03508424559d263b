/* The CPI stack: its parts add up, and micro-traces whose parts follow from a formula. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdio.h>

#include "machine.h"

enum { STEPS = 20000, R1 = 1, R2 = 2 };

static const char SET[] = PN_SOURCE_DIR "/tests/data/curves/formula/formula.csv";

static void within(double value, double expected, double share)
{
    if (fabs(value / expected - 1.0) > share)
        fail_msg("%g is not within %g %% of %g", value, share * 100.0, expected);
}

static void adds_up(const pn_core_result *r)
{
    uint64_t warmup = 0;
    uint64_t measured = 0;
    for (int i = 0; i < PN_CPI_COUNT; i++) {
        assert_true(r->measured.cpi_cyc[i] <= r->measured_cyc);
        warmup += r->warmup.cpi_cyc[i];
        measured += r->measured.cpi_cyc[i];
    }
    assert_int_equal(warmup, r->warmup_cyc);
    assert_int_equal(measured, r->measured_cyc);
}

/* The result of a repeated step; the first quarter is warm-up. */
static pn_core_result repeat(const char *settings, const step *s)
{
    machine m;
    machine_make(&m, settings, 90.0);
    for (int i = 0; i < STEPS; i++) {
        if (i == STEPS / 4)
            machine_mark(&m);
        machine_step(&m, s);
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    adds_up(&r);
    return r;
}

/* All cycles but so many in a thousand are of one part. */
static void is_all(const pn_core_result *r, pn_cpi part, double permille)
{
    double cycles = (double)r->measured_cyc;
    if (cycles - (double)r->measured.cpi_cyc[part] > cycles * permille / 1000.0)
        fail_msg("%s has %llu of %llu cycles", pn_cpi_names[part],
                 (unsigned long long)r->measured.cpi_cyc[part],
                 (unsigned long long)r->measured_cyc);
}

static void operations_are_base(void **state)
{
    (void)state;
    pn_core_result r = repeat("", &(step){.cls = PN_CLASS_INT, .dst = R1, .src = R1});
    is_all(&r, PN_CPI_BASE, 0);
    r = repeat("", &(step){.cls = PN_CLASS_INT_DIV, .dst = R1, .src = R1});
    is_all(&r, PN_CPI_BASE, 0);
    r = repeat("", &(step){.cls = PN_CLASS_FP_FMA});
    is_all(&r, PN_CPI_BASE, 0);
    r = repeat("", &(step){.load = true, .address = 64});
    is_all(&r, PN_CPI_BASE, 1);
}

/* A chain of loads through a footprint that was walked before. */
static pn_core_result chase(const char *settings, uint64_t lines, int steps)
{
    machine m;
    uint64_t line = 0;
    machine_make(&m, settings, 90.0);
    int warm = (int)(2 * lines < (uint64_t)steps / 2 ? 2 * lines : (uint64_t)steps / 2);
    for (int i = 0; i < warm + steps; i++) {
        if (i == warm)
            machine_mark(&m);
        line = machine_chase(line, lines);
        machine_step(&m, &(step){.load = true, .dst = R1, .addr = R1, .address = line * 64});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    adds_up(&r);
    return r;
}

static void a_chase_is_charged_to_the_level_that_has_its_lines(void **state)
{
    (void)state;
    static const struct {
        uint64_t lines;
        int steps;
        pn_cpi part;
        double latency_cyc;
    } levels[] = {{1 << 8, 20000, PN_CPI_L1, 4.0},
                  {1 << 13, 100000, PN_CPI_L2, 11.0},
                  {1 << 17, 600000, PN_CPI_LLC, 90.0},
                  {1 << 22, 50000, PN_CPI_MEM_LATENCY, 270.0}};
    for (int i = 0; i < 4; i++) {
        pn_core_result r = chase("", levels[i].lines, levels[i].steps);
        /* one cycle of each commits the load */
        within((double)r.measured.cpi_cyc[levels[i].part] / levels[i].steps,
               levels[i].latency_cyc - 1.0, 0.01);
        within((double)r.measured.cpi_cyc[PN_CPI_BASE] / levels[i].steps, 1.0, 0.01);
        assert_int_equal(r.measured.cpi_cyc[PN_CPI_MEM_BANDWIDTH], 0);
    }
}

static void mispredicted_branches_have_their_penalty(void **state)
{
    (void)state;
    machine m;
    uint32_t coin = 1;
    machine_make(&m, "width=1 taken_branch_cycles=0 mispredict_penalty=20", 90.0);
    for (int i = 0; i < STEPS; i++) {
        coin = coin * 1664525U + 1013904223U;
        machine_step(&m, &(step){.cls = PN_CLASS_BRANCH,
                                 .branch = PN_BRANCH_COND,
                                 .taken = (coin >> 17 & 1) != 0,
                                 .target = 0x1000,
                                 .next_pc = 0x1000});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    adds_up(&r);
    /* the next one commits 22 cycles after it; in one of them */
    within((double)r.measured.cpi_cyc[PN_CPI_BRANCH],
           (double)r.measured.predict.conditional_missed * 21.0, 0.01);
    assert_in_range(r.measured.cpi_cyc[PN_CPI_BASE], STEPS, STEPS + 10);
}

static void missing_instructions_are_fetch(void **state)
{
    (void)state;
    machine m;
    enum { LINES = 4000 };
    machine_make(&m, "", 90.0);
    for (uint64_t i = 0; i < LINES; i++)
        machine_step(&m, &(step){.cls = PN_CLASS_INT, .pc = 0x100000 + i * 64});
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    adds_up(&r);
    within((double)r.measured.cpi_cyc[PN_CPI_FETCH] / LINES, 269.0, 0.01);
    is_all(&r, PN_CPI_FETCH, 5);
}

/* A stream of one access to every line under so many cores. */
static pn_core_result stream(int cores, bool store, double *idle_ns, double *clock_ghz)
{
    char settings[80];
    machine m;
    (void)snprintf(settings, sizeof settings, "active_cores=%d llc_size=8GB", cores);
    machine_make_over(&m, settings, "panem", SET);
    for (uint64_t i = 0; i < 2UL * STEPS; i++) {
        if (i == STEPS)
            machine_mark(&m);
        machine_step(&m, &(step){.load = !store, .store = store, .address = i * 64});
    }
    pn_core_result r = machine_finish(&m);
    *idle_ns = (double)panem_idle_ps(m.curves, PANEM_MIX_LINEAR, 1.0) / 1000.0 +
               pn_core_on_chip_ns(&m.config);
    *clock_ghz = (double)m.config.clock_hz / 1e9;
    machine_free(&m);
    adds_up(&r);
    return r;
}

static void a_stream_is_bandwidth_bound_by_what_its_loads_wait_above_idle(void **state)
{
    (void)state;
    static const int cores[] = {1, 48, 96, 192};
    double before = -1.0;
    for (int i = 0; i < 4; i++) {
        double idle_ns;
        double ghz;
        pn_core_result r = stream(cores[i], false, &idle_ns, &ghz);
        const uint64_t *c = r.measured.cpi_cyc;
        double memory = (double)(c[PN_CPI_MEM_LATENCY] + c[PN_CPI_MEM_BANDWIDTH]);
        double share = (double)c[PN_CPI_MEM_BANDWIDTH] / memory;
        /* 16 lines at a time: Little's law gives the latency of each from the cycles per line */
        double latency_ns = (double)r.measured_cyc / STEPS * 16.0 / ghz;
        assert_true(memory > 0.9 * (double)r.measured_cyc);
        if (i > 0)
            within(share, 1.0 - idle_ns / latency_ns, 0.02);
        assert_true(share > before);
        before = share;
    }
    assert_true(before > 0.8); /* 192 cores: far past the peak */
}

static void stores_that_fill_their_buffer_are_charged_where_their_lines_are(void **state)
{
    (void)state;
    double idle_ns;
    double ghz;
    pn_core_result one = stream(1, true, &idle_ns, &ghz);
    pn_core_result many = stream(192, true, &idle_ns, &ghz);
    const uint64_t *a = one.measured.cpi_cyc;
    const uint64_t *b = many.measured.cpi_cyc;
    assert_true((double)a[PN_CPI_MEM_LATENCY] > 0.7 * (double)one.measured_cyc);
    assert_true((double)b[PN_CPI_MEM_BANDWIDTH] > 0.7 * (double)many.measured_cyc);
}

static void a_mix_adds_up_whatever_the_machine(void **state)
{
    (void)state;
    static const char *const machines[] = {
        "", "rob=16 lob=2 store_buffer=1", "l1d_mshrs=1 l2_mshrs=1",
        "taken_branch_cycles=3 width=2 commit_width=1", "l1d_prefetch=stride l2_prefetch=stream"};
    for (size_t k = 0; k < sizeof machines / sizeof machines[0]; k++) {
        machine m;
        uint64_t line = 1;
        machine_make_over(&m, machines[k], "panem", SET);
        for (uint64_t i = 0; i < 30000; i++) {
            if (i == 11111)
                machine_mark(&m);
            line = machine_chase(line, 1 << 18);
            step s = {.cls = PN_CLASS_INT, .dst = R2, .src = R2, .pc = 0x1000 + i % 5000 * 4};
            if (i % 6 == 0)
                s = (step){.load = true, .dst = R1, .addr = R1, .address = line * 64};
            else if (i % 6 == 1)
                s = (step){.load = true, .dst = R2, .address = 0x40000000 + i * 16};
            else if (i % 6 == 2)
                s = (step){.store = true, .src = R2, .address = 0x80000000 + i * 24};
            else if (i % 6 == 3)
                s = (step){.cls = PN_CLASS_BRANCH,
                           .branch = PN_BRANCH_COND,
                           .taken = line % 3 == 0,
                           .target = 0x1000};
            machine_step(&m, &s);
        }
        pn_core_result r = machine_finish(&m);
        machine_free(&m);
        adds_up(&r);
        assert_true(r.measured.cpi_cyc[PN_CPI_MEM_LATENCY] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(operations_are_base),
        PN_TEST(a_chase_is_charged_to_the_level_that_has_its_lines),
        PN_TEST(mispredicted_branches_have_their_penalty),
        PN_TEST(missing_instructions_are_fetch),
        PN_TEST(a_stream_is_bandwidth_bound_by_what_its_loads_wait_above_idle),
        PN_TEST(stores_that_fill_their_buffer_are_charged_where_their_lines_are),
        PN_TEST(a_mix_adds_up_whatever_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
