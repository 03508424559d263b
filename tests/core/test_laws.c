/* Micro-traces whose cycles follow from a formula. */
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

/* Cycles per step of the measured phase of a repeated step; the first quarter is warm-up. */
static double cycles_of(const char *settings, const step *s)
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
    return (double)r.measured_cyc / (double)r.measured.instructions;
}

static void dependent_operations_take_their_latency(void **state)
{
    (void)state;
    within(cycles_of("", &(step){.cls = PN_CLASS_INT, .dst = R1, .src = R1}), 1.0, 0.01);
    within(cycles_of("", &(step){.cls = PN_CLASS_INT_MUL, .dst = R1, .src = R1}), 3.0, 0.01);
    within(cycles_of("", &(step){.cls = PN_CLASS_FP_FMA, .dst = R1, .src = R1}), 4.0, 0.01);
    within(cycles_of("", &(step){.cls = PN_CLASS_INT_DIV, .dst = R1, .src = R1}), 12.0, 0.01);
}

static void independent_operations_take_width_or_ports(void **state)
{
    (void)state;
    within(cycles_of("", &(step){.cls = PN_CLASS_INT}), 1.0 / 4, 0.01);
    within(cycles_of("alu_ports=8", &(step){.cls = PN_CLASS_INT}), 1.0 / 5, 0.01);
    within(cycles_of("alu_ports=8 commit_width=3", &(step){.cls = PN_CLASS_INT}), 1.0 / 3, 0.01);
    within(cycles_of("", &(step){.cls = PN_CLASS_FP_FMA}), 1.0 / 2, 0.01);
    within(cycles_of("", &(step){.cls = PN_CLASS_INT_DIV}), 12.0, 0.01);
    within(cycles_of("", &(step){.load = true, .address = 64}), 1.0 / 2, 0.01);
    within(cycles_of("", &(step){.store = true, .address = 64}), 1.0, 0.01);
    within(cycles_of("", &(step){.cls = PN_CLASS_NOP}), 1.0 / 5, 0.01);
}

/* Cycles per load of a chase through a footprint. */
static double chase(const char *settings, double total_ns, uint64_t lines, int steps)
{
    machine m;
    uint64_t line = 0;
    machine_make(&m, settings, total_ns);
    int warm = (int)(2 * lines < (uint64_t)steps / 2 ? 2 * lines : (uint64_t)steps / 2);
    for (int i = 0; i < warm + steps; i++) {
        if (i == warm)
            machine_mark(&m);
        line = machine_chase(line, lines);
        machine_step(&m, &(step){.load = true, .dst = R1, .addr = R1, .address = line * 64});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return (double)r.measured_cyc / steps;
}

static void a_chase_sees_the_latency_of_each_level(void **state)
{
    (void)state;
    within(chase("", 90.0, 1 << 8, 20000), 4.0, 0.01);
    within(chase("", 90.0, 1 << 13, 100000), 11.0, 0.01);
    within(chase("", 90.0, 1 << 17, 600000), 90.0, 0.01);
    within(chase("", 90.0, 1 << 22, 50000), 270.0, 0.005);
}

static void a_clock_without_common_factor_costs_nothing(void **state)
{
    (void)state;
    /* Case D6: 80 ns at 2.1, 4.3 and 5 GHz is 168, 344 and 400 cycles. */
    assert_float_equal(chase("clock=2.1GHz", 80.0, 1 << 22, 50000), 168.0, 1.0);
    assert_float_equal(chase("clock=4.3GHz", 80.0, 1 << 22, 50000), 344.0, 1.0);
    assert_float_equal(chase("clock=5GHz", 80.0, 1 << 22, 50000), 400.0, 1.0);
    assert_float_equal(chase("clock=1333MHz", 80.0, 1 << 22, 50000), 106.64, 1.0);
}

/* Cycles per line of a stream of independent accesses to lines `stride` lines apart. */
static double stream(const char *settings, bool store, uint64_t wrap_lines)
{
    machine m;
    machine_make(&m, settings, 90.0);
    for (uint64_t i = 0; i < UINT64_C(3) * STEPS; i++) {
        if (i == UINT64_C(2) * STEPS)
            machine_mark(&m);
        machine_step(&m, &(step){.load = !store, .store = store, .address = i % wrap_lines * 64});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return (double)r.measured_cyc / STEPS;
}

static void streams_are_bounded_by_what_is_outstanding(void **state)
{
    (void)state;
    const uint64_t none = UINT64_C(1) << 40;
    /* bandwidth = outstanding x line / latency, 270 cycles; case D10, closed loop. What is held how
     * long: an L1 MSHR from the access at a to the fill at a + 269 (used in the cycle after), an
     * L2 MSHR from a + 4, one of the LLC from a + 11; a place in LOB or ROB from dispatch, one
     * cycle before the access, to commit, in the cycle after the line is used; one in the store
     * buffer from dispatch, three cycles before the access, to the use of the line. */
    within(stream("", false, none), 269.0 / 16, 0.001);
    within(stream("l1d_mshrs=40", false, none), 269.0 / 40, 0.001);
    within(stream("l1d_mshrs=64 l2_mshrs=20", false, none), 265.0 / 20, 0.001);
    within(stream("l1d_mshrs=64 llc_mshrs=20", false, none), 258.0 / 20, 0.001);
    within(stream("l1d_mshrs=64 lob=8", false, none), 272.0 / 8, 0.001);
    within(stream("l1d_mshrs=64 rob=24 lob=24 store_buffer=24", false, none), 272.0 / 24, 0.001);
    within(stream("", true, none), 269.0 / 16, 0.001);
    within(stream("l1d_mshrs=64 store_buffer=8", true, none), 273.0 / 8, 0.001);
}

static void streams_are_bounded_by_bytes_per_cycle(void **state)
{
    (void)state;
    const uint64_t none = UINT64_C(1) << 40;
    within(stream("l1d_mshrs=64 l2_fill_bytes_per_cycle=2", false, none), 32.0, 0.01);
    within(stream("l1d_mshrs=64 l1_fill_bytes_per_cycle=4", false, none), 16.0, 0.01);
    within(stream("l1d_mshrs=64 l1_fill_bytes_per_cycle=16", false, 1 << 12), 4.0, 0.01);
    /* a store stream out of L2 brings a line and takes one back */
    within(stream("l1d_mshrs=64 l1_fill_bytes_per_cycle=16", true, 1 << 12), 8.0, 0.01);
}

static void a_mispredicted_branch_costs_its_penalty(void **state)
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
    double missed = (double)r.measured.predict.conditional_missed;
    assert_in_range(r.measured.predict.conditional_missed, STEPS * 2 / 5, STEPS * 3 / 5);
    /* dispatched at d, executed at d + 1, resolved at d + 2, the next one at d + 22 */
    within((double)r.measured_cyc, missed * 22.0 + (STEPS - missed), 0.01);
    machine_free(&m);
}

static void a_taken_branch_ends_the_cycle(void **state)
{
    (void)state;
    step jump = {.cls = PN_CLASS_BRANCH, .branch = PN_BRANCH_JUMP, .taken = true};
    within(cycles_of("branch_ports=8", &jump), 1.0, 0.01);
    within(cycles_of("branch_ports=8 taken_branch_cycles=0", &jump), 1.0 / 5, 0.01);
    within(cycles_of("branch_ports=8 taken_branch_cycles=2", &jump), 2.0, 0.01);
}

static void a_load_takes_its_value_from_the_store_before_it(void **state)
{
    (void)state;
    machine m;
    machine_make(&m, "", 90.0);
    for (int i = 0; i < STEPS; i++) {
        machine_step(&m, &(step){.store = true, .src = R1, .address = 128});
        machine_step(&m, &(step){.load = true, .dst = R1, .address = 128});
    }
    pn_core_result r = machine_finish(&m);
    /* store executes in 1 cycle, the load takes L1's 4 */
    within((double)r.measured_cyc / STEPS, 5.0, 0.01);
    assert_int_equal(r.measured.forwarded, STEPS);
    machine_free(&m);
}

static void counters_of_levels_add_up(void **state)
{
    (void)state;
    machine m;
    uint64_t line = 1;
    machine_make(&m, "l1d_mshrs=6 l2_mshrs=4 l2_size=256KiB llc_size=1MiB", 90.0);
    for (int i = 0; i < 200000; i++) {
        line = machine_chase(line, 1 << 15);
        bool store = line % 3 == 0;
        machine_step(&m, &(step){.load = !store, .store = store, .address = line * 64});
    }
    pn_core_result r = machine_finish(&m);
    const pn_core_counts *n = &r.whole;
    const pn_level_stats *levels[] = {&n->l1i, &n->l1d, &n->l2, &n->llc};
    for (int i = 0; i < 4; i++)
        assert_int_equal(levels[i]->accesses,
                         levels[i]->hits + levels[i]->misses + levels[i]->merges);
    assert_int_equal(n->l1d.accesses + n->forwarded, n->loads + n->stores);
    assert_int_equal(n->l2.accesses, n->l1d.misses + n->l1i.misses);
    assert_int_equal(n->llc.accesses, n->l2.misses);
    assert_int_equal(n->mem_lines, n->llc.misses);
    assert_int_equal(n->door.reads, n->llc.misses);
    assert_int_equal(n->door.writes, n->llc.dirty_out);
    assert_int_equal(n->l2.writebacks, n->l1d.dirty_out);
    assert_true(n->llc.dirty_out > 1000);
    machine_free(&m);
}

static void one_trace_for_many_cores_never_gets_faster(void **state)
{
    (void)state;
    /* Case D11: a stream under more and more equal cores. */
    static const int cores[] = {1, 2, 8, 64, 192};
    double before = 1e9;
    for (int i = 0; i < 5; i++) {
        char settings[80];
        machine m;
        (void)snprintf(settings, sizeof settings, "active_cores=%d llc_size=8GB", cores[i]);
        machine_make_over(&m, settings, "panem", SET);
        double peak_gbs = panem_peak_bytes_per_s(m.curves, PANEM_MIX_LINEAR, 1.0) / 1e9;
        for (uint64_t k = 0; k < 40000; k++) {
            if (k == 20000)
                machine_mark(&m);
            machine_step(&m, &(step){.load = true, .address = k * 64});
        }
        pn_core_result r = machine_finish(&m);
        double ipc = (double)r.measured.instructions / (double)r.measured_cyc;
        double gbs = cores[i] * 20000.0 * 64 * 3.0 / (double)r.measured_cyc;
        assert_true(ipc <= before * 1.0001);
        assert_true(gbs <= peak_gbs * 1.01);
        /* 64 x 16 lines / 90 ns is more than there is: the curve's last point, 0.98 of peak */
        if (cores[i] >= 64)
            within(gbs, 0.98 * peak_gbs, 0.01);
        before = ipc;
        machine_free(&m);
    }
}

static void panem_on_a_flat_curve_is_a_fixed_latency(void **state)
{
    (void)state;
    static const char *const models[] = {"fixed:idle", "fixed:high", "panem", "panem:paper"};
    uint64_t cycles[4];
    for (int k = 0; k < 4; k++) {
        machine m;
        uint64_t line = 1;
        machine_make_flat(&m, "", models[k], 93.7);
        for (int i = 0; i < 50000; i++) {
            line = machine_chase(line, 1 << 20);
            machine_step(&m, &(step){.load = line % 3 != 0,
                                     .store = line % 3 == 0,
                                     .dst = line % 5 ? 0 : R2,
                                     .addr = R2,
                                     .address = line * 64});
        }
        cycles[k] = machine_finish(&m).measured_cyc;
        machine_free(&m);
    }
    assert_true(cycles[0] > 50000);
    for (int k = 1; k < 4; k++)
        assert_int_equal(cycles[k], cycles[0]);
}

/* Cycles of a mix of chases, streams, stores and arithmetic. */
static uint64_t finish_mix(machine *m)
{
    uint64_t line = 1;
    for (uint64_t i = 0; i < 30000; i++) {
        line = machine_chase(line, 1 << 18);
        switch (i % 6) {
        case 0:
            machine_step(m, &(step){.load = true, .dst = R1, .addr = R1, .address = line * 64});
            break;
        case 1:
            machine_step(m, &(step){.load = true, .dst = R2, .address = 0x40000000 + i * 16});
            break;
        case 2:
            machine_step(m, &(step){.store = true, .src = R2, .address = 0x80000000 + i * 8});
            break;
        default:
            machine_step(m, &(step){.cls = PN_CLASS_INT, .dst = R2, .src = R2});
            break;
        }
    }
    pn_core_result r = machine_finish(m);
    machine_free(m);
    return r.measured_cyc;
}

static uint64_t cycles_of_mix(const char *settings, double total_ns)
{
    machine m;
    machine_make(&m, settings, total_ns);
    return finish_mix(&m);
}

static void less_of_anything_is_never_faster(void **state)
{
    (void)state;
    static const char *const steps[][5] = {
        {"rob=512", "rob=256", "rob=192", "rob=128", "rob=96"},
        {"lob=190", "lob=96", "lob=48", "lob=12", "lob=4"},
        {"store_buffer=96", "store_buffer=32", "store_buffer=8", "store_buffer=2",
         "store_buffer=1"},
        {"l1d_mshrs=64", "l1d_mshrs=16", "l1d_mshrs=8", "l1d_mshrs=2", "l1d_mshrs=1"},
        {"l2_mshrs=64", "l2_mshrs=16", "l2_mshrs=8", "l2_mshrs=2", "l2_mshrs=1"},
        {"llc_mshrs=64", "llc_mshrs=16", "llc_mshrs=8", "llc_mshrs=2", "llc_mshrs=1"},
        {"write_buffer=64", "write_buffer=16", "write_buffer=8", "write_buffer=2",
         "write_buffer=1"},
        {"width=8", "width=5", "width=4", "width=2", "width=1"},
        {"llc_size=64MiB", "llc_size=16MiB", "llc_size=4MiB", "llc_size=1MiB", "llc_size=256KiB"},
    };
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        uint64_t before = 0;
        for (int i = 0; i < 5; i++) {
            uint64_t cycles = cycles_of_mix(steps[k][i], 100.0);
            /* a thousandth: LRU sees accesses in another order */
            if (cycles + cycles / 1000 < before)
                fail_msg("%s takes %llu cycles, %s %llu", steps[k][i], (unsigned long long)cycles,
                         steps[k][i - 1], (unsigned long long)before);
            before = cycles;
        }
    }
    for (int ns = 80; ns < 400; ns += 20)
        assert_true(cycles_of_mix("", ns) < cycles_of_mix("", ns + 20));
}

static void more_active_cores_are_never_faster(void **state)
{
    (void)state;
    static const char *const models[] = {"panem", "panem:paper", "md1", "mess"};
    static const int cores[] = {1, 4, 16, 48, 64, 96, 192};
    for (int k = 0; k < 4; k++) {
        uint64_t before = 0, first = 0;
        for (int i = 0; i < 7; i++) {
            char settings[64];
            machine m;
            (void)snprintf(settings, sizeof settings, "active_cores=%d l1d_mshrs=32", cores[i]);
            machine_make_over(&m, settings, models[k], SET);
            uint64_t cycles = finish_mix(&m);
            if (cycles < before)
                fail_msg("%s: %d cores take %llu cycles, fewer took %llu", models[k], cores[i],
                         (unsigned long long)cycles, (unsigned long long)before);
            first = i ? first : cycles;
            before = cycles;
        }
        assert_true(before > first + first / 10); /* and the load is felt */
    }
}

static void nothing_to_do_is_no_division_by_zero(void **state)
{
    (void)state;
    /* Case D9: no memory operation at all, and no measured instruction. */
    machine m;
    machine_make(&m, "", 90.0);
    for (int i = 0; i < 100; i++)
        machine_step(&m, &(step){.cls = PN_CLASS_INT});
    machine_mark(&m);
    pn_core_result r = machine_finish(&m);
    assert_int_equal(r.measured.instructions, 0);
    assert_int_equal(r.measured_cyc, 0);
    assert_int_equal(r.warmup.instructions, 100);
    assert_int_equal(r.whole.l1d.accesses, 0);
    assert_true(isnan(pn_hist_quantile(pn_core_latency(m.core, true), 0.5)));
    machine_free(&m);
}

static void phases_add_up_to_the_run_without_warmup(void **state)
{
    (void)state;
    pn_core_result r[2];
    for (int k = 0; k < 2; k++) {
        machine m;
        uint64_t line = 1;
        machine_make(&m, "", 90.0);
        for (int i = 0; i < 50000; i++) {
            if (k == 1 && i == 21000)
                machine_mark(&m);
            line = machine_chase(line, 1 << 16);
            machine_step(&m, &(step){.load = true, .dst = i % 7 ? 0 : R1, .address = line * 64});
        }
        r[k] = machine_finish(&m);
        machine_free(&m);
    }
    const uint64_t *all = (const uint64_t *)(const void *)&r[0].measured;
    const uint64_t *first = (const uint64_t *)(const void *)&r[1].warmup;
    const uint64_t *second = (const uint64_t *)(const void *)&r[1].measured;
    for (size_t i = 0; i < sizeof(pn_core_counts) / sizeof(uint64_t); i++)
        assert_int_equal(all[i], first[i] + second[i]);
    assert_int_equal(r[0].measured_cyc, r[1].warmup_cyc + r[1].measured_cyc);
    assert_int_equal(r[1].warmup.instructions, 21000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(dependent_operations_take_their_latency),
        PN_TEST(independent_operations_take_width_or_ports),
        PN_TEST(a_chase_sees_the_latency_of_each_level),
        PN_TEST(a_clock_without_common_factor_costs_nothing),
        PN_TEST(streams_are_bounded_by_what_is_outstanding),
        PN_TEST(streams_are_bounded_by_bytes_per_cycle),
        PN_TEST(a_mispredicted_branch_costs_its_penalty),
        PN_TEST(a_taken_branch_ends_the_cycle),
        PN_TEST(a_load_takes_its_value_from_the_store_before_it),
        PN_TEST(counters_of_levels_add_up),
        PN_TEST(one_trace_for_many_cores_never_gets_faster),
        PN_TEST(panem_on_a_flat_curve_is_a_fixed_latency),
        PN_TEST(less_of_anything_is_never_faster),
        PN_TEST(more_active_cores_are_never_faster),
        PN_TEST(nothing_to_do_is_no_division_by_zero),
        PN_TEST(phases_add_up_to_the_run_without_warmup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
