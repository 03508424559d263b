/* The public curve-set functions: every status they can give, and memory that runs out at every
 * call in turn. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <panem.h>

#define CSV PN_SOURCE_DIR "/tests/data/curves/formula/formula.csv"

static const panem_point GOOD[] = {{0.5, 0, 95}, {0.5, 30, 110}, {0.5, 60, 150},
                                   {1, 0, 90},   {1, 40, 105},   {1, 80, 160}};
enum { GOOD_COUNT = sizeof GOOD / sizeof *GOOD };

static void expect(panem_status want, const panem_point *points, size_t count,
                   const panem_curves_options *options)
{
    panem_curves *set = (panem_curves *)&want; /* must stay */
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(panem_curves_create(&set, points, count, options, &err), want);
    assert_ptr_equal(set, &want);
    assert_int_equal(err.status, want);
    assert_true(err.message[0] != '\0');
    assert_int_equal(panem_curves_create(&set, points, count, options, NULL), want);
}

static void options_out_of_range_are_refused(void **state)
{
    (void)state;
    const panem_curves_options defaults = PANEM_CURVES_OPTIONS_INIT;
    for (int i = 0; i < 9; i++) {
        panem_curves_options o = defaults;
        switch (i) {
        case 0:
            o.size = 4;
            break;
        case 1:
            o.bandwidth_factor = 0.0;
            break;
        case 2:
            o.bandwidth_factor = (double)NAN;
            break;
        case 3:
            o.latency_factor = -1.0;
            break;
        case 4:
            o.latency_factor = (double)INFINITY;
            break;
        case 5:
            o.latency_offset_ns = (double)NAN;
            break;
        case 6:
            o.on_chip_ns = -1.0;
            break;
        case 7:
            o.on_chip_ns = (double)NAN;
            break;
        default:
            o.order = (panem_order)9;
            break;
        }
        expect(PANEM_E_ARG, GOOD, GOOD_COUNT, &o);
    }
}

static void read_fractions_outside_0_to_1_are_out_of_range(void **state)
{
    (void)state;
    const double fractions[] = {-0.01, 1.01, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 4; i++) {
        panem_point points[] = {{0.5, 10, 90}, {fractions[i], 20, 100}};
        expect(PANEM_E_RANGE, points, 2, NULL);
    }
}

static void sets_and_curves_without_a_usable_point_are_empty(void **state)
{
    (void)state;
    const panem_point idle_only[] = {{1, 0, 90}, {1, 0, 91}};
    const panem_point one_bad_curve[] = {{1, 10, 90}, {0.5, -3, 90}};
    expect(PANEM_E_EMPTY, NULL, 0, NULL);
    expect(PANEM_E_EMPTY, idle_only, 2, NULL);
    expect(PANEM_E_EMPTY, one_bad_curve, 2, NULL);
}

static void values_beyond_any_physics_are_dropped_not_multiplied(void **state)
{
    (void)state;
    const panem_point points[] = {
        {1, 1e300, 1e300}, {1, 1e-300, 1e-300}, {1, 10, 90}, {1, 20, 100}};
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 4, NULL, NULL), PANEM_OK);
    panem_curve_info info;
    (void)panem_curves_info(set, &info, 0);
    assert_int_equal(info.kept_points, 2);
    assert_int_equal(info.raw_points, 4);
    assert_true(info.peak_gbs == 20.0);
    panem_curves_destroy(set);
}

static void queries_outside_the_set_are_out_of_range_and_change_nothing(void **state)
{
    (void)state;
    panem_curves *set = NULL;
    panem_curve_info info;
    double n = 1.5, l = 2.5;
    memset(&info, 0x5a, sizeof info);
    panem_curve_info before = info;
    assert_int_equal(panem_curves_create(&set, GOOD, GOOD_COUNT, NULL, NULL), PANEM_OK);
    assert_int_equal(panem_curves_count(set), 2);
    assert_int_equal(panem_curves_info(set, &info, 2), PANEM_E_RANGE);
    assert_memory_equal(&info, &before, sizeof info);
    assert_int_equal(panem_curves_kept(set, &n, &l, 0, 3), PANEM_E_RANGE);
    assert_int_equal(panem_curves_kept(set, &n, &l, 2, 0), PANEM_E_RANGE);
    assert_true(n == 1.5 && l == 2.5);
    panem_curves_destroy(set);
    panem_curves_destroy(NULL);
}

static void the_fingerprint_tells_sets_apart(void **state)
{
    (void)state;
    panem_point points[GOOD_COUNT];
    panem_curves *a = NULL;
    panem_curves *b = NULL;
    memcpy(points, GOOD, sizeof GOOD);
    assert_int_equal(panem_curves_create(&a, GOOD, GOOD_COUNT, NULL, NULL), PANEM_OK);
    assert_int_equal(panem_curves_create(&b, points, GOOD_COUNT, NULL, NULL), PANEM_OK);
    assert_true(panem_curves_fingerprint(a) == panem_curves_fingerprint(b));
    for (int i = 0; i < GOOD_COUNT; i++) {
        panem_curves *c = NULL;
        memcpy(points, GOOD, sizeof GOOD);
        points[i].latency_ns += 1e-9;
        assert_int_equal(panem_curves_create(&c, points, GOOD_COUNT, NULL, NULL), PANEM_OK);
        assert_true(panem_curves_fingerprint(a) != panem_curves_fingerprint(c));
        panem_curves_destroy(c);
    }
    panem_curves_destroy(a);
    panem_curves_destroy(b);
}

static void the_order_of_curves_does_not_matter(void **state)
{
    (void)state;
    panem_point turned[GOOD_COUNT];
    panem_curves *a = NULL;
    panem_curves *b = NULL;
    memcpy(turned, GOOD + 3, 3 * sizeof *GOOD);
    memcpy(turned + 3, GOOD, 3 * sizeof *GOOD);
    assert_int_equal(panem_curves_create(&a, GOOD, GOOD_COUNT, NULL, NULL), PANEM_OK);
    assert_int_equal(panem_curves_create(&b, turned, GOOD_COUNT, NULL, NULL), PANEM_OK);
    assert_true(panem_curves_fingerprint(a) == panem_curves_fingerprint(b));
    panem_curves_destroy(a);
    panem_curves_destroy(b);
}

/* ---- memory ---- */

typedef struct ledger {
    long until_failure; /* allocations that still succeed; negative: all */
    long live;          /* blocks */
    size_t bytes;       /* by the sizes given on both sides */
    long calls;
} ledger;

static void *count_alloc(void *user, size_t size)
{
    ledger *l = user;
    l->calls++;
    if (l->until_failure == 0)
        return NULL;
    if (l->until_failure > 0)
        l->until_failure--;
    l->live++;
    l->bytes += size;
    return malloc(size);
}

static void count_release(void *user, void *memory, size_t size)
{
    ledger *l = user;
    l->live--;
    l->bytes -= size;
    free(memory);
}

static void expect_nothing_left(const ledger *l)
{
    assert_int_equal(l->live, 0);
    assert_int_equal(l->bytes, 0);
}

typedef panem_status (*make_fn)(panem_curves **set, const panem_curves_options *o,
                                panem_error *err);

static panem_status make_from_points(panem_curves **set, const panem_curves_options *o,
                                     panem_error *err)
{
    return panem_curves_create(set, GOOD, GOOD_COUNT, o, err);
}

static panem_status make_from_file(panem_curves **set, const panem_curves_options *o,
                                   panem_error *err)
{
    return panem_curves_load(set, CSV, o, err);
}

static void fail_at_every_call(make_fn make)
{
    long total = 1;
    for (long n = 0; n <= total; n++) {
        ledger l = {n, 0, 0, 0};
        panem_allocator allocator = {count_alloc, count_release, &l};
        panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
        panem_error err = PANEM_ERROR_INIT;
        panem_curves *set = NULL;
        o.allocator = &allocator;
        panem_status status = make(&set, &o, &err);
        if (status == PANEM_OK) {
            panem_curves_destroy(set);
            expect_nothing_left(&l);
            assert_true(n > 5); /* something did fail before */
            return;
        }
        assert_int_equal(status, PANEM_E_NOMEM);
        assert_int_equal(err.status, PANEM_E_NOMEM);
        assert_null(set);
        expect_nothing_left(&l);
        total = n + 2;
        assert_true(total < 1000);
    }
}

static void memory_that_runs_out_at_any_call_leaks_nothing(void **state)
{
    (void)state;
    fail_at_every_call(make_from_points);
    fail_at_every_call(make_from_file);
}

static void lookups_do_not_allocate(void **state)
{
    (void)state;
    ledger l = {-1, 0, 0, 0};
    panem_allocator allocator = {count_alloc, count_release, &l};
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    panem_curves *set = NULL;
    o.allocator = &allocator;
    assert_int_equal(panem_curves_load(&set, CSV, &o, NULL), PANEM_OK);
    long before = l.calls;
    uint64_t sum = 0;
    for (int i = 0; i < 1000; i++)
        sum += panem_latency_ps(set, NULL, 50.0 * i, i / 1000.0);
    assert_true(sum > 0);
    assert_int_equal(l.calls, before);
    panem_curves_destroy(set);
    expect_nothing_left(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(options_out_of_range_are_refused),
        PN_TEST(read_fractions_outside_0_to_1_are_out_of_range),
        PN_TEST(sets_and_curves_without_a_usable_point_are_empty),
        PN_TEST(values_beyond_any_physics_are_dropped_not_multiplied),
        PN_TEST(queries_outside_the_set_are_out_of_range_and_change_nothing),
        PN_TEST(the_fingerprint_tells_sets_apart),
        PN_TEST(the_order_of_curves_does_not_matter),
        PN_TEST(memory_that_runs_out_at_any_call_leaks_nothing),
        PN_TEST(lookups_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
