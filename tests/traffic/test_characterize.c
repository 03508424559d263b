/* Chases and load on the DRAM reference against closed formulas and conservation laws; curves by
 * their stated rule; the command's bytes. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dram/dram.h"
#include "mem/model_port.h"
#include "traffic/characterize.h"

enum { LINE = 64 };

static pn_dram_config preset(const char *name)
{
    const pn_dram_preset *p = NULL;
    assert_int_equal(pn_dram_preset_find(&p, name, NULL), PANEM_OK);
    pn_dram_config c = p->config;
    c.channels = 1;
    return c;
}

static uint32_t bus_of(const void *user, const pn_mem_port *port, uint64_t address)
{
    pn_dram_place place;
    (void)user;
    pn_dram_locate(port, &place, address);
    return place.channel;
}

static pn_chase_config plain(const pn_dram_config *d, double read_frac)
{
    uint32_t buses = pn_dram_buses(d);
    return (pn_chase_config){.read_frac = read_frac,
                             .load = true,
                             .reads_max = 48 * buses,
                             .writes_max = 64 * buses,
                             .streams = 1,
                             .chasers = 8,
                             .probe_ps = 1e6 / buses,
                             .capacity_bytes = pn_dram_capacity_bytes(d),
                             .lanes = buses,
                             .lane = bus_of,
                             .warmup_ps = 20000000,
                             .measure_min_ps = 200000000,
                             .target_error = 0.01,
                             .chases_min = 1,
                             .chases_max = 1000000,
                             .seed = 1};
}

static pn_chase_result run(const pn_dram_config *d, const pn_chase_config *c)
{
    pn_mem_port *port = NULL;
    pn_chase_result r;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_dram_create(&port, d, "dram", &err), PANEM_OK);
    if (pn_chase_run(&r, port, c, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    pn_mem_destroy(port);
    return r;
}

static void must_be_near(const char *what, double got, double want, double share)
{
    if (!(fabs(got / want - 1.0) <= share))
        fail_msg("%s: %.6g against %.6g (%.5f)", what, got, want, got / want);
}

/* ---- one point ---- */

static void an_unloaded_chase_takes_the_law_and_the_controllers_pipeline(void **state)
{
    (void)state;
    static const char *const names[] = {"ddr4-2666", "ddr5-5200", "hbm2-2000", "lpddr5-6400"};
    for (size_t i = 0; i < 4; i++) {
        pn_dram_config d = preset(names[i]);
        d.refresh = PN_DRAM_REFRESH_NONE;
        pn_chase_config c = plain(&d, 1.0);
        c.load = false;
        c.chasers = 1;
        c.probe_ps = 1e6;
        double law_ps = pn_dram_unloaded_law_ps(&d) + (double)(d.frontend_ps + d.backend_ps);
        must_be_near(names[i], run(&d, &c).latency_ns * 1000.0, law_ps, 0.01);
    }
}

/* A chase that comes at a random moment meets a refresh with the share of time refreshes take and
 * waits half of one, on average: tRFC x tRFC / 2 tREFI. One whose row was opened but not yet read
 * when the refresh fell due, which takes tRCD, waits for the row's closing and for all of it. */
static void refresh_adds_its_mean_wait_to_an_unloaded_chase(void **state)
{
    (void)state;
    static const char *const names[] = {"ddr4-3200", "ddr5-4800"};
    for (size_t i = 0; i < 2; i++) {
        pn_dram_config d = preset(names[i]);
        pn_chase_config c = plain(&d, 1.0);
        c.load = false;
        c.chasers = 4;
        c.probe_ps = 2000000;
        c.target_error = 0.003;
        double law_ps = pn_dram_unloaded_law_ps(&d) + (double)(d.frontend_ps + d.backend_ps);
        double wait_ck =
            d.trfc_ck * (d.trfc_ck / 2.0) + d.trcd_ck * ((double)d.trfc_ck + d.tras_ck + d.trp_ck);
        double wait_ps = wait_ck / d.trefi_ck * pn_dram_tck_ps(&d);
        pn_chase_result r = run(&d, &c);
        must_be_near(names[i], r.latency_ns * 1000.0, law_ps + wait_ps, 0.01);
        assert_int_equal(r.passed_over, 0);
    }
}

static double saturated(const pn_dram_config *d, double read_frac, double share, double probe_ps)
{
    pn_chase_config c = plain(d, read_frac);
    c.stream_share = share;
    c.probe_ps = probe_ps;
    c.reads_max *= 2; /* more than the queues hold: never idle, refreshes put off */
    return run(d, &c).bandwidth_bytes_per_s;
}

static void a_saturating_stream_reaches_its_law_within_one_percent(void **state)
{
    (void)state;
    static const char *const names[] = {"ddr4-2666", "ddr4-3200", "ddr5-4800", "ddr5-5200"};
    for (size_t i = 0; i < 4; i++) {
        pn_dram_config d = preset(names[i]);
        must_be_near(names[i], saturated(&d, 1.0, 1.0, 1e6), pn_dram_stream_law(&d), 0.01);
    }
}

static void saturating_random_reads_reach_their_law_within_one_percent_where_rows_bind(void **state)
{
    (void)state;
    static const char *const names[] = {"ddr4-2666", "ddr4-3200"};
    for (size_t i = 0; i < 2; i++) {
        pn_dram_config d = preset(names[i]);
        d.ranks = 1;
        assert_true(pn_dram_random_law(&d) < 0.95 * pn_dram_stream_law(&d));
        must_be_near(names[i], saturated(&d, 1.0, 0.0, 50000), pn_dram_random_law(&d), 0.01);
    }
}

/* N = X x R over everything between being asked and done, waiting for room included. */
static void littles_law_holds_on_the_generators_own_counters(void **state)
{
    (void)state;
    static const double gaps_ps[] = {12000.0, 4500.0, 0.0};
    for (int mix = 0; mix <= 2; mix++) {
        for (int i = 0; i < 3; i++) {
            pn_dram_config d = preset("ddr4-2666");
            pn_chase_config c = plain(&d, 0.5 * mix);
            c.gap_ps = gaps_ps[i];
            c.stream_share = 0.6;
            c.measure_min_ps = 400000000;
            pn_chase_result r = run(&d, &c);
            double throughput = r.sojourn_sum_ns * 1000.0 * LINE / (double)r.measured_ps;
            must_be_near("N against X R", r.outstanding_bytes, throughput, 0.01);
        }
    }
}

static void reads_chases_included_are_the_share_asked_for_at_any_load(void **state)
{
    (void)state;
    static const double shares[] = {0.1, 0.33, 0.5, 0.85, 1.0};
    for (int i = 0; i < 5; i++) {
        for (int saturating = 0; saturating < 2; saturating++) {
            pn_dram_config d = preset("ddr5-4800");
            pn_chase_config c = plain(&d, shares[i]);
            c.gap_ps = saturating ? 0.0 : 3000.0;
            c.probe_ps = saturating ? 50000.0 : 40000.0;
            pn_chase_result r = run(&d, &c);
            assert_true(fabs(r.read_frac - shares[i]) < 0.004);
        }
    }
}

static void the_load_sends_what_was_offered_and_chases_keep_their_pace(void **state)
{
    (void)state;
    pn_dram_config d = preset("ddr4-2666");
    pn_chase_config c = plain(&d, 0.67);
    c.gap_ps = 8000.0;
    c.probe_ps = 100000.0;
    c.measure_min_ps = 1000000000;
    pn_chase_result r = run(&d, &c);
    double load = (double)(r.read_bytes + r.write_bytes - r.chase_bytes) / LINE;
    must_be_near("load", load * 8000.0, (double)r.measured_ps, 0.0125); /* 4 sigma of 110 000 */
    must_be_near("chases", (double)r.chases * 100000.0, (double)r.measured_ps, 0.001);
}

static void impossible_points_are_refused_and_leave_the_result_alone(void **state)
{
    (void)state;
    pn_dram_config d = preset("ddr4-2666");
    pn_mem_port *port = NULL;
    assert_int_equal(pn_dram_create(&port, &d, "dram", NULL), PANEM_OK);
    for (int fault = 0; fault < 7; fault++) {
        pn_chase_config c = plain(&d, fault == 0 ? 1.5 : 0.5);
        pn_chase_result r = {.chases = 77};
        panem_error err = PANEM_ERROR_INIT;
        c.stream_share = fault == 1 ? -0.1 : 0.5;
        c.chasers = fault == 2 ? 0 : 1;
        c.streams = fault == 3 ? PN_CHASE_STREAMS_MAX + 1 : 1;
        c.lanes = fault == 4 ? 0 : 1;
        c.reads_max = fault == 5 ? 0 : 8;
        c.gap_ps = fault == 6 ? (double)NAN : 0.0;
        assert_int_equal(pn_chase_run(&r, port, &c, &err), PANEM_E_ARG);
        assert_true(err.message[0] != '\0');
        assert_int_equal(r.chases, 77);
    }
    pn_mem_destroy(port);
}

/* ---- a curve ---- */

static panem_status make_dram(const void *user, pn_mem_port **port, panem_error *err)
{
    return pn_dram_create(port, user, "dram", err);
}

static void count_run(void *user)
{
    ++*(uint32_t *)user;
}

static pn_char_config curve_config(const pn_dram_config *d)
{
    uint32_t buses = pn_dram_buses(d);
    return (pn_char_config){.make = make_dram,
                            .make_user = d,
                            .lane = bus_of,
                            .lanes = buses,
                            .capacity_bytes = pn_dram_capacity_bytes(d),
                            .peak_bytes_per_s = pn_dram_theoretical_peak(d),
                            .reads_max = 48 * buses,
                            .writes_max = 64 * buses,
                            .stream_share = 0.6,
                            .streams = 1,
                            .fabric_ns = 40.0,
                            .target_error = 0.02,
                            .chases_min = 512,
                            .repeats = 2,
                            .seed = 1};
}

/* What the repair of curve sets asks for, checked here by its own words (DESIGN 5.1). */
static void written_points_rise_in_latency_and_load_and_hardly_pass_the_peak(void **state)
{
    (void)state;
    pn_dram_config d = preset("ddr4-2666");
    pn_char_config k = curve_config(&d);
    for (int mix = 0; mix <= 4; mix++) {
        pn_char_curve c;
        uint32_t runs = 0, written = 0, beyond = 0;
        double latency = 0.0, bytes = 0.0, peak = 0.0;
        k.progress = count_run;
        k.progress_user = &runs;
        assert_int_equal(pn_characterize_curve(&c, &k, 0.25 * mix, NULL), PANEM_OK);
        assert_int_equal(runs, pn_char_runs(&k));
        for (int i = 0; i < PN_CHAR_LOADS; i++) {
            const pn_char_point *p = &c.points[i];
            if (!p->written)
                continue;
            written++;
            assert_true(p->latency_ns > latency);
            assert_true(p->latency_ns * p->bandwidth_gbs > bytes);
            assert_true(p->bandwidth_gbs * 1e9 < pn_dram_theoretical_peak(&d));
            latency = p->latency_ns;
            bytes = p->latency_ns * p->bandwidth_gbs;
            beyond = p->bandwidth_gbs > peak ? 0 : beyond + 1;
            peak = fmax(peak, p->bandwidth_gbs);
        }
        assert_true(written >= 10);
        assert_true(beyond <= 1);
        must_be_near("saturated", c.saturated_gbs, peak, 0.05);
    }
}

static void the_fabric_is_added_to_every_latency_and_changes_nothing_else(void **state)
{
    (void)state;
    pn_dram_config d = preset("ddr4-2666");
    pn_char_config k = curve_config(&d);
    pn_char_curve with, without;
    k.repeats = 1;
    assert_int_equal(pn_characterize_curve(&with, &k, 0.67, NULL), PANEM_OK);
    k.fabric_ns = 0.0;
    assert_int_equal(pn_characterize_curve(&without, &k, 0.67, NULL), PANEM_OK);
    for (int i = 0; i < PN_CHAR_LOADS; i++) {
        assert_true(with.points[i].bandwidth_gbs == without.points[i].bandwidth_gbs);
        assert_true(fabs(with.points[i].latency_ns - without.points[i].latency_ns - 40.0) < 1e-9);
        assert_true(isnan(with.points[i].latency_std_ns)); /* one repeat has none */
    }
}

/* A memory that answers after a fixed time has nothing to tell but that time. */
static panem_status make_fixed(const void *user, pn_mem_port **port, panem_error *err)
{
    panem_model *model = NULL;
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.kind = PANEM_KIND_FIXED_IDLE;
    panem_status status = panem_model_create(&model, user, &o, err);
    return status == PANEM_OK ? pn_model_port_create(port, model, "fixed", false, 4096, err)
                              : status;
}

static void a_memory_of_fixed_latency_is_one_point(void **state)
{
    (void)state;
    const panem_point points[] = {{1.0, 10.0, 100.0}, {1.0, 20.0, 150.0}};
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_create(&set, points, 2, NULL, NULL), PANEM_OK);
    pn_dram_config d = preset("ddr4-2666");
    pn_char_config k = curve_config(&d);
    pn_char_curve c;
    k.make = make_fixed;
    k.make_user = set;
    k.lane = NULL;
    k.lanes = 1;
    k.reads_max = k.writes_max = 32;
    assert_int_equal(pn_characterize_curve(&c, &k, 1.0, NULL), PANEM_OK);
    for (int i = 0; i < PN_CHAR_LOADS; i++) {
        must_be_near("latency", c.points[i].latency_ns, 140.0, 1e-6);
        assert_int_equal(c.points[i].written, i == 0);
    }
    /* 32 reads of the load in 100 ns, and a tenth of the theoretical peak in chases */
    must_be_near("saturated", c.saturated_gbs, 32.0 * LINE / 100.0 + 2.1333, 0.02);
    panem_curves_destroy(set);
}

/* ---- the command ---- */

static char *contents(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    (void)fclose(f);
    return text;
}

static void sh(const char *format, const char *a, const char *b)
{
    char line[1200];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(line, sizeof line, format, a, b);
#pragma GCC diagnostic pop
    if (system(line) != 0)
        fail_msg("failed: %s", line);
}

#define SET PN_BINARY_DIR "/test_characterize"

static void
the_bytes_are_those_of_the_command_in_the_metadata_on_any_number_of_threads(void **state)
{
    (void)state;
    char command[1000];
    sh("%s/panem characterize --dram ddr4-2666 --channels 2 --set page=closed --read-pct 0:100:50 "
       "--repeats 2 --chases 256 --error 5%% -j 1 -o %s 2>/dev/null",
       PN_BINARY_DIR, SET "1.csv");
    sh("%s/panem characterize --dram ddr4-2666 --channels 2 --set page=closed --read-pct 0:100:50 "
       "--repeats 2 --chases 256 --error 5%% -j 3 -o %s 2>/dev/null",
       PN_BINARY_DIR, SET "3.csv");
    char *one = contents(SET "1.csv");
    char *three = contents(SET "3.csv");
    assert_string_equal(one, three);
    const char *stated = strstr(one, "# command: panem ");
    assert_non_null(stated);
    stated += strlen("# command: panem ");
    (void)snprintf(command, sizeof command, "%.*s", (int)strcspn(stated, "\n"), stated);
    sh("%s/panem %s 2>/dev/null >" SET "again.csv", PN_BINARY_DIR, command);
    char *again = contents(SET "again.csv");
    assert_string_equal(one, again);
    sh("%s/panem curves check %s 2>&1 | grep -q ' 0 repairs'", PN_BINARY_DIR, SET "1.csv");
    free(one);
    free(three);
    free(again);
}

static void a_curve_does_not_depend_on_which_others_are_measured(void **state)
{
    (void)state;
    sh("%s/panem characterize --dram ddr4-2666 --channels 2 --set page=closed --read-pct 50 "
       "--repeats 2 --chases 256 --error 5%% -o - 2>/dev/null | grep '^50,' >%s",
       PN_BINARY_DIR, SET "50.csv");
    sh("grep '^50,' %s | cmp - %s", SET "1.csv", SET "50.csv");
}

/* One curve of the cheapest set by the command that its file names, with one read percent in place
 * of all; tools/make-curves --check does the rest. Differs when results move: then raise
 * PN_CHAR_RESULTS_VERSION and run tools/make-curves. */
static void a_shipped_curve_is_what_its_command_writes(void **state)
{
    (void)state;
    const char *set = PN_SOURCE_DIR "/curves/lpddr5-6400x4.csv";
    sh("cd %s && $(sed -n 's/^# command: panem/.\\/panem/p' %s | sed 's/0:100:5/75/') -o - "
       "2>/dev/null | grep '^75,' >" SET "75.csv",
       PN_BINARY_DIR, set);
    sh("grep '^75,' %s | cmp - %s", set, SET "75.csv");
}

static void no_shipped_set_needs_a_repair(void **state)
{
    (void)state;
    sh("for set in %s/curves/*.csv; do %s/panem curves check $set 2>&1 | grep -q ' 0 repairs' || "
       "exit 1; done",
       PN_SOURCE_DIR, PN_BINARY_DIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(an_unloaded_chase_takes_the_law_and_the_controllers_pipeline),
        PN_TEST(refresh_adds_its_mean_wait_to_an_unloaded_chase),
        PN_TEST(a_saturating_stream_reaches_its_law_within_one_percent),
        PN_TEST(saturating_random_reads_reach_their_law_within_one_percent_where_rows_bind),
        PN_TEST(littles_law_holds_on_the_generators_own_counters),
        PN_TEST(reads_chases_included_are_the_share_asked_for_at_any_load),
        PN_TEST(the_load_sends_what_was_offered_and_chases_keep_their_pace),
        PN_TEST(impossible_points_are_refused_and_leave_the_result_alone),
        PN_TEST(written_points_rise_in_latency_and_load_and_hardly_pass_the_peak),
        PN_TEST(the_fabric_is_added_to_every_latency_and_changes_nothing_else),
        PN_TEST(a_memory_of_fixed_latency_is_one_point),
        PN_TEST(the_bytes_are_those_of_the_command_in_the_metadata_on_any_number_of_threads),
        PN_TEST(a_curve_does_not_depend_on_which_others_are_measured),
        PN_TEST(a_shipped_curve_is_what_its_command_writes),
        PN_TEST(no_shipped_set_needs_a_repair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
