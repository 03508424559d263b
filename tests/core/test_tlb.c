/* Address translation: what micro-traces with known pages cost. */
#include "../cmocka_pn.h"

#include <math.h>

#include "machine.h"

enum { STEPS = 40000, R1 = 1 };

static void within(double value, double expected, double share)
{
    if (fabs(value / expected - 1.0) > share)
        fail_msg("%g is not within %g %% of %g", value, share * 100.0, expected);
}

/* One line of each of so many pages (a power of two), in pseudo-random order; a chain or not. */
static pn_core_result pages(const char *settings, uint64_t count, bool chain)
{
    machine m;
    uint64_t page = 0;
    machine_make(&m, settings, 90.0);
    uint64_t warm = 2 * count < STEPS ? 2 * count : STEPS;
    for (uint64_t i = 0; i < warm + STEPS; i++) {
        if (i == warm)
            machine_mark(&m);
        page = machine_chase(page, count);
        uint8_t link = chain ? R1 : 0;
        machine_step(&m, &(step){.load = true,
                                 .dst = link,
                                 .addr = link,
                                 .address = page * 4096 + page % 64 * 64});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return r;
}

static double tlb_cycles(const pn_core_result *r)
{
    return (double)r->measured.cpi_cyc[PN_CPI_TLB] / STEPS;
}

static void a_chain_pays_for_the_level_that_knows_its_page(void **state)
{
    (void)state;
    pn_core_result few = pages("tlb=on l1d_size=16MiB", 32, true);
    assert_int_equal(few.measured.cpi_cyc[PN_CPI_TLB], 0);
    assert_in_range(few.measured.tlb.l1d.hits, STEPS - 100, STEPS + 100);
    within((double)few.measured_cyc / STEPS, 4.0, 0.01);
    /* the second level: 5 cycles more; a walk: 5 + 40. In the first of them the load before
     * commits: that one is base. */
    pn_core_result some = pages("tlb=on l1d_size=16MiB", 512, true);
    assert_true((double)some.measured.tlb.l1d.misses > 0.99 * STEPS);
    assert_int_equal(some.measured.tlb.walks, 0);
    within((double)some.measured_cyc / STEPS, 9.0, 0.01);
    within(tlb_cycles(&some), 4.0, 0.01);
    pn_core_result many = pages("tlb=on l1d_size=16MiB", 1 << 14, true);
    assert_true((double)many.measured.tlb.walks > 0.99 * STEPS);
    within((double)many.measured_cyc / STEPS, 49.0, 0.01);
    within(tlb_cycles(&many), 44.0, 0.01);
    within((double)many.measured.tlb.walk_cyc / (double)many.measured.tlb.walks, 40.0, 0.001);
}

static void translation_comes_before_memory(void **state)
{
    (void)state;
    /* lines that are in memory, one of each page */
    pn_core_result off = pages("", 1 << 22, true);
    pn_core_result on = pages("tlb=on", 1 << 22, true);
    within((double)off.measured_cyc / STEPS, 270.0, 0.01);
    within((double)on.measured_cyc / STEPS, 270.0 + 45.0, 0.01);
    within(tlb_cycles(&on), 44.0, 0.01);
    within((double)on.measured.cpi_cyc[PN_CPI_MEM_LATENCY] / STEPS, 270.0, 0.001);
    assert_int_equal(off.measured.tlb.l1d.accesses, 0);
    assert_int_equal(off.measured.tlb.l1i.accesses, 0);
    assert_int_equal(off.measured.cpi_cyc[PN_CPI_TLB], 0);
}

static void walkers_bound_how_many_pages_come(void **state)
{
    (void)state;
    pn_core_result two = pages("tlb=on l1d_mshrs=64", 1 << 22, false);
    within((double)two.measured_cyc / STEPS, 40.0 / 2, 0.01);
    pn_core_result one = pages("tlb=on l1d_mshrs=64 page_walkers=1", 1 << 22, false);
    within((double)one.measured_cyc / STEPS, 40.0, 0.01);
    /* enough of them: as many lines as miss registers, beyond L2 too, in the latency of memory */
    pn_core_result all = pages("tlb=on l1d_mshrs=40 page_walkers=16", 1 << 22, false);
    within((double)all.measured_cyc / STEPS, 270.0 / 40, 0.01);
}

static void larger_pages_need_fewer_entries(void **state)
{
    (void)state;
    pn_core_result small = pages("tlb=on", 1 << 12, false);
    pn_core_result large = pages("tlb=on page_size=2MiB", 1 << 12, false);
    assert_true(small.measured.tlb.walks > STEPS / 2);
    assert_int_equal(large.measured.tlb.walks, 0); /* 16 MiB are 8 pages */
    assert_true(large.measured_cyc < small.measured_cyc);
}

static void loads_of_a_page_on_its_way_wait_for_the_same_walk(void **state)
{
    (void)state;
    machine m;
    enum { PAGES = 1000, EACH = 8 };
    machine_make(&m, "tlb=on", 90.0);
    for (uint64_t i = 0; i < PAGES; i++)
        for (uint64_t k = 0; k < EACH; k++)
            machine_step(&m, &(step){.load = true, .address = ((i + 16) << 12) + k * 8});
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    const pn_tlb_level_stats *d = &r.whole.tlb.l1d;
    assert_int_equal(d->accesses, PAGES * EACH);
    assert_int_equal(d->misses, PAGES);
    assert_int_equal(d->hits + d->merges, PAGES * (EACH - 1));
    assert_true(d->merges > PAGES);
    assert_int_equal(r.whole.tlb.walks, PAGES + 1); /* and the page of the code */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_chain_pays_for_the_level_that_knows_its_page),
        PN_TEST(translation_comes_before_memory),
        PN_TEST(walkers_bound_how_many_pages_come),
        PN_TEST(larger_pages_need_fewer_entries),
        PN_TEST(loads_of_a_page_on_its_way_wait_for_the_same_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
