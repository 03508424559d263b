/* How the model follows the load inside a window (docs/model.md, equation 18), against recurrences
 * computed by hand on a curve whose latency is a closed formula. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../ref/fixture.h"

/* L = 100 ns up to N = 1000 bytes, then a line of 1 ns per 90 bytes: at B GB/s of more than 10,
 * L = (100 - 1000/90) / (1 - B/90). */
static const char *const LINE = "read_pct,bandwidth_gbs,latency_ns\n100,10,100\n100,50,200\n";

static double latency_ns(double gbs)
{
    return (100.0 - 1000.0 / 90.0) / (1.0 - gbs / 90.0);
}

/* The same from outstanding bytes. */
static double latency_of_ns(double bytes)
{
    return bytes > 1000.0 ? 100.0 + (bytes - 1000.0) / 90.0 : 100.0;
}

enum { WINDOW_PS = 520000, PARTS = 8, PART_PS = WINDOW_PS / PARTS, LINE_BYTES = 64 };

/* The rate is averaged over the time that 512 lines take at 50 GB/s; three quarters of a window
 * after a jump, and from there a tenth of the time longer. */
static const double PART_NS = 65.0, MEMORY_NS = 512 * 64 / 50.0, SHORT_NS = 390.0;

typedef struct run {
    panem_model *model;
    panem_curves *set;
    double next_ps;
} run;

static run start(uint32_t looks)
{
    run r = {NULL, fix_parse(LINE), 0.0};
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.windows = 1;
    o.guard = PANEM_GUARD_OFF;
    o.looks = looks;
    assert_int_equal(panem_model_create(&r.model, r.set, &o, NULL), PANEM_OK);
    return r;
}

static void end(run *r)
{
    panem_model_destroy(r->model);
    panem_curves_destroy(r->set);
}

/* Even arrivals until a time; the latency of the last. */
static double drive(run *r, double gbs, uint64_t until_ps)
{
    double last_ns = NAN;
    for (; r->next_ps < (double)until_ps; r->next_ps += LINE_BYTES * 1000.0 / gbs) {
        panem_request q = {(uint64_t)r->next_ps, 0, LINE_BYTES, PANEM_READ, 0};
        panem_response a;
        assert_int_equal(panem_access(r->model, &a, &q), PANEM_OK);
        last_ns = (double)(a.done_ps - q.time_ps) / 1000.0;
    }
    return last_ns;
}

static void near(const char *what, double got, double want, double within)
{
    if (!(fabs(got - want) <= within))
        fail_msg("%s: %.3f ns, want %.3f", what, got, want);
}

/* One line more or less in a part: 64 of 32768 bytes of the peak, 0.1 GB/s. */
static const double COUNTING_NS = 0.4;

/* From the step on, which falls on a window's start: every part is answered with the rate of those
 * before it, outstanding for the latency that they were given. */
static void follow(run *r, double from_gbs, double to_gbs, double start_ns, uint64_t step_ps)
{
    double rate_gbs = from_gbs;
    double memory_ns = MEMORY_NS;
    double want_ns = start_ns;
    for (uint32_t part = 1; part <= PARTS; part++) {
        near("part", drive(r, to_gbs, step_ps + part * PART_PS), want_ns, COUNTING_NS);
        double late = (to_gbs - rate_gbs) * PART_NS;
        bool jump = late * late > 3 * LINE_BYTES * (to_gbs + rate_gbs) * PART_NS;
        memory_ns = jump ? SHORT_NS : fmin(memory_ns + 0.1 * PART_NS, MEMORY_NS);
        rate_gbs += late / memory_ns;
        want_ns = latency_of_ns(rate_gbs * want_ns);
    }
}

static void inside_a_window_the_latency_follows_a_step_part_by_part(void **state)
{
    (void)state;
    run r = start(PARTS);
    const uint64_t step_ps = 20 * WINDOW_PS;
    near("before", drive(&r, 20.0, step_ps), latency_ns(20.0), 0.5);
    follow(&r, 20.0, 34.0, latency_ns(20.0), step_ps);
    near("in the end", drive(&r, 34.0, step_ps + 30 * WINDOW_PS), latency_ns(34.0), 0.5);
    end(&r);
}

static void a_step_down_is_followed_as_fast(void **state)
{
    (void)state;
    run r = start(PARTS);
    const uint64_t step_ps = 30 * WINDOW_PS;
    near("before", drive(&r, 34.0, step_ps), latency_ns(34.0), 0.5);
    follow(&r, 34.0, 20.0, latency_ns(34.0), step_ps);
    end(&r);
}

/* No jump: 3 GB/s in 65 ns are three lines, as many as chance has. */
static void a_small_step_is_averaged_over_the_whole_memory(void **state)
{
    (void)state;
    run r = start(PARTS);
    const uint64_t step_ps = 30 * WINDOW_PS;
    near("before", drive(&r, 25.0, step_ps), latency_ns(25.0), 0.5);
    follow(&r, 25.0, 28.0, latency_ns(25.0), step_ps);
    end(&r);
}

static void
a_burst_out_of_nothing_is_followed_once_half_a_part_of_the_peak_has_arrived(void **state)
{
    (void)state;
    run r = start(PARTS);
    r.next_ps = 20.0 * WINDOW_PS;
    follow(&r, 0.0, 40.0, 100.0, 20 * WINDOW_PS);
    end(&r);
}

static void without_looks_outstanding_bytes_decide_alone(void **state)
{
    (void)state;
    run r = start(0);
    const uint64_t step_ps = 20 * WINDOW_PS;
    (void)drive(&r, 20.0, step_ps);
    near("the window of the step", drive(&r, 40.0, step_ps + WINDOW_PS), latency_ns(20.0), 0.5);
    /* N of that window: 40 GB/s x 114.3 ns, less the ramp of one latency:
     * (40 - 20) x 114.3^2 / (2 x 520) */
    double low_ns = latency_ns(20.0);
    double n = 40.0 * low_ns - 20.0 * low_ns * low_ns / (2.0 * 520.0);
    near("the next", drive(&r, 40.0, step_ps + 2 * WINDOW_PS), latency_of_ns(n), 1.0);
    end(&r);
}

/* At a load of less than a quarter of what a part moves, or close to the peak, windows are not
 * looked into: the same answers with and without. */
static void a_light_and_a_heavy_load_are_not_looked_into(void **state)
{
    (void)state;
    static const double LOADS[] = {5.0, 48.0};
    for (size_t i = 0; i < sizeof LOADS / sizeof LOADS[0]; i++) {
        run with = start(PARTS);
        run without = start(0);
        (void)drive(&with, LOADS[i], 100 * WINDOW_PS);
        (void)drive(&without, LOADS[i], 100 * WINDOW_PS);
        for (uint64_t w = 100; w < 110; w++)
            near("load", drive(&with, LOADS[i], w * WINDOW_PS + PART_PS),
                 drive(&without, LOADS[i], w * WINDOW_PS + PART_PS), i == 0 ? 0.0 : 3.0);
        end(&with);
        end(&without);
    }
}

/* In a closed loop the rate of arrivals times the latency is what is in flight, whatever the
 * latency: the load stays where N / L puts it. This loop is one of lockstep, all requests in two or
 * three bunches that the parts of a window cut anyhow: within 1 %. */
static void a_closed_loop_settles_where_it_did(void **state)
{
    (void)state;
    enum { IN_FLIGHT = 80 }; /* 5120 bytes: L = 145.8 ns, 35.1 GB/s */
    run r = start(PARTS);
    uint64_t done_ps[IN_FLIGHT] = {0};
    double sum_ns = 0.0;
    const int count = 200000;
    for (int i = 0; i < count; i++) {
        int first = 0;
        for (int k = 1; k < IN_FLIGHT; k++)
            first = done_ps[k] < done_ps[first] ? k : first;
        panem_request q = {done_ps[first], 0, LINE_BYTES, PANEM_READ, 0};
        panem_response a;
        assert_int_equal(panem_access(r.model, &a, &q), PANEM_OK);
        done_ps[first] = a.done_ps;
        if (i >= count / 2)
            sum_ns += (double)(a.done_ps - q.time_ps) / 1000.0;
    }
    near("mean", sum_ns / (count / 2), 100.0 + (IN_FLIGHT * LINE_BYTES - 1000.0) / 90.0, 1.45);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(inside_a_window_the_latency_follows_a_step_part_by_part),
        PN_TEST(a_step_down_is_followed_as_fast),
        PN_TEST(a_small_step_is_averaged_over_the_whole_memory),
        PN_TEST(a_burst_out_of_nothing_is_followed_once_half_a_part_of_the_peak_has_arrived),
        PN_TEST(without_looks_outstanding_bytes_decide_alone),
        PN_TEST(a_light_and_a_heavy_load_are_not_looked_into),
        PN_TEST(a_closed_loop_settles_where_it_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
