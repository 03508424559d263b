/* Every format: units, order, mix, and what is refused. Small files written for the project. */
#include "../cmocka_pn.h"

#include <stdlib.h>

#include "helper.h"
#include "import/lint.h"

/* ---- Mess 1 ---- */

static void mess1_needs_its_latency_unit_and_cycles_need_a_clock(void **state)
{
    (void)state;
    told t;
    pn_import_options o = options_with(&t);
    const char *path = DATA "mess1/bwlat_52.txt";
    import_refused(&o, path, PANEM_E_ARG, 0, "--latency-unit");
    o.latency_unit = PN_LATENCY_CYCLES;
    import_refused(&o, path, PANEM_E_ARG, 0, "--clock");
    o.clock_ghz = 3.0;
    pn_rawset set;
    import_ok(&set, &o, path);
    assert_int_equal(set.count, 5);
    assert_int_equal(set.order, PANEM_ORDER_RISING);
    expect_point(&set, 0, 52, 0.087, 229.0 / 3.0);
    expect_point(&set, 4, 52, 45.282948216461096, 449.5047854247606 / 3.0);
    assert_int_equal(set.points[0].line, 5);
    assert_int_equal(t.count[PN_WARNING], 1); /* what the label means was not said */
    assert_non_null(strstr(t.text[PN_WARNING], "--label"));
    pn_rawset_release(&set);
}

static void mess1_labels_below_50_must_be_explained(void **state)
{
    (void)state;
    told t;
    pn_import_options o = options_with(&t);
    pn_rawset set;
    o.latency_unit = PN_LATENCY_NS;
    import_refused(&o, DATA "d1", PANEM_E_ARG, 0, "--label kernel");
    o.label = PN_LABEL_KERNEL;
    import_ok(&set, &o, DATA "d1");
    expect_point(&set, 0, 50.0, -0.6, 194); /* f = 0: every store line is read first */
    expect_point(&set, 6, 100.0 / 1.5, -0.65, 191);
    expect_point(&set, 12, 100.0, -1.589, 190);
    pn_rawset_release(&set);
    o.label = PN_LABEL_TRAFFIC;
    import_ok(&set, &o, DATA "d1");
    expect_point(&set, 0, 0.0, -0.6, 194);
    assert_int_equal(t.count[PN_NOTE], 1); /* no write-allocate cache makes that */
    pn_rawset_release(&set);
}

static void mess1_never_takes_a_number_from_the_next_line(void **state)
{
    (void)state;
    told t;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_NS;
    o.label = PN_LABEL_TRAFFIC;
    import_refused(&o, DATA "mess1/bwlat_7.txt", PANEM_E_FORMAT, 1, "no latency");
}

static void mess1_offset_and_unit_are_applied(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_NS;
    o.latency_offset_ns = 28.0;
    o.bandwidth_unit = "MiB/s";
    o.read_pct = 66.5;
    import_ok(&set, &o, DATA "mess1/rising.txt");
    expect_point(&set, 0, 66.5, 10 * 1.048576e-3, 118);
    expect_point(&set, 3, 66.5, 4 * 1.048576, 138);
    assert_int_equal(t.count[PN_NOTE], 1); /* against the custom of the format */
    assert_string_equal(pn_rawset_meta(&set, "transforms"), "latency + 28 ns");
    assert_string_equal(pn_rawset_meta(&set, "converted_from"), "mess1: MiB/s, ns");
    pn_rawset_release(&set);
    o.bandwidth_unit = "Mbit/s";
    import_refused(&o, DATA "mess1/rising.txt", PANEM_E_ARG, 0, "MiB/s");
}

/* ---- MLC ---- */

static void mlc_takes_the_loaded_table_out_of_a_whole_run(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_ok(&set, &o, DATA "same/mlc-3.11-tabs-whole-run.txt");
    assert_int_equal(set.count, 10);
    expect_point(&set, 0, 100, 1.048576, 94.25);
    expect_point(&set, 9, 100, 41.94304, 310.25);
    pn_rawset_release(&set);
    o.read_pct = 50;
    import_refused(&o, DATA "same/mlc-3.11-tabs-whole-run.txt", PANEM_E_ARG, 0, "contradicts");
}

static void mlc_without_a_stated_mix_needs_one(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_refused(&o, DATA "mlc/no-mix-stated.txt", PANEM_E_ARG, 0, "--read-pct");
    o.read_pct = 200.0 / 3.0;
    import_ok(&set, &o, DATA "mlc/no-mix-stated.txt");
    expect_point(&set, 0, 200.0 / 3.0, 1.048576, 94.25);
    pn_rawset_release(&set);
}

static void mlc_states_its_units(void **state)
{
    (void)state;
    told t;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_CYCLES;
    o.clock_ghz = 2.0;
    import_refused(&o, DATA "mlc/annotated.txt", PANEM_E_ARG, 0, "contradicts");
    o = options_with(&t);
    o.bandwidth_unit = "GB/s";
    import_refused(&o, DATA "mlc/annotated.txt", PANEM_E_ARG, 0, "contradicts");
}

static void mlc_with_two_tables_asks_which(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_refused(&o, DATA "mlc/two-tables.txt", PANEM_E_FORMAT, 10, "line 10 and line 33");
    o.table = 2;
    import_ok(&set, &o, DATA "mlc/two-tables.txt");
    assert_int_equal(set.count, 10);
    expect_point(&set, 9, 100, 41.94304, 290.25);
    pn_rawset_release(&set);
    o.table = 3;
    import_refused(&o, DATA "mlc/two-tables.txt", PANEM_E_ARG, 0, "2 loaded-latency tables");
}

static void mlc_markdown_and_annotated_rows_are_read(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    o.read_pct = 100;
    import_ok(&set, &o, DATA "mlc/markdown.md");
    assert_int_equal(set.count, 4);
    expect_point(&set, 0, 100, 1.7, 44.0);
    expect_point(&set, 3, 100, 27.90025, 80.5);
    assert_int_equal(t.count[PN_REPAIR], 0);
    pn_rawset_release(&set);
    o = options_with(&t);
    import_ok(&set, &o, DATA "mlc/annotated.txt");
    assert_int_equal(set.count, 3);
    expect_point(&set, 1, 100, 68.3575, 98.75);
    assert_int_equal(t.count[PN_REPAIR], 1);
    assert_int_equal(t.line[PN_REPAIR], 6);
    pn_rawset_release(&set);
    o.strict = true;
    import_refused(&o, DATA "mlc/annotated.txt", PANEM_E_STRICT, 6, "text after");
}

static void mlc_faults_name_their_line(void **state)
{
    (void)state;
    told t;
    pn_import_options o = options_with(&t);
    import_refused(&o, DATA "mlc/cut-row.txt", PANEM_E_FORMAT, 7, "2 fields");
    import_refused(&o, DATA "mlc/idle-only.txt", PANEM_E_EMPTY, 0, "no loaded-latency table");
}

/* ---- ASCT, multiload ---- */

static void asct_columns_are_latency_then_bandwidth(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_refused(&o, DATA "asct/four-columns.txt", PANEM_E_ARG, 0, "--read-pct");
    o.read_pct = 100;
    import_ok(&set, &o, DATA "asct/four-columns.txt");
    assert_int_equal(set.count, 5);
    expect_point(&set, 0, 100, 2.5, 96);
    expect_point(&set, 4, 100, 168, 340);
    pn_rawset_release(&set);
    import_refused(&o, DATA "asct/two-tables.txt", PANEM_E_FORMAT, 12, "--table");
    o.table = 2;
    import_ok(&set, &o, DATA "asct/two-tables.txt");
    assert_int_equal(set.count, 5);
    assert_int_equal(set.points[0].line, 13);
    pn_rawset_release(&set);
}

static void multiload_runs_are_points_and_kernels_name_the_mix(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_ok(&set, &o, DATA "same/multiload.txt");
    assert_int_equal(set.count, 10);
    assert_int_equal(set.order, PANEM_ORDER_ANY);
    expect_point(&set, 0, 100, 41.94304, 310.25);
    pn_rawset_release(&set);
    import_refused(&o, DATA "multiload/idle-and-memcpy.txt", PANEM_E_ARG, 0, "--read-pct");
    o.read_pct = 66.0;
    import_ok(&set, &o, DATA "multiload/idle-and-memcpy.txt");
    expect_point(&set, 0, 66, 0.0, 100.5); /* no load thread: the idle anchor */
    expect_point(&set, 1, 66, 19.922944, 180.25);
    pn_rawset_release(&set);
    o.read_pct = 66.0;
    import_refused(&o, DATA "same/multiload.txt", PANEM_E_ARG, 0, "contradicts");
}

/* Runs kept in a file each are one curve; two sweeps are not. */
static void several_files_make_one_curve_only_when_each_is_one_point(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    panem_error err = PANEM_ERROR_INIT;
    pn_import_options o = options_with(&t);
    const char *const runs[] = {DATA "same/multiload.txt", DATA "same/multiload.txt"};
    const char *const sweeps[] = {DATA "mlc/annotated.txt", DATA "same/mlc-3.5-blanks.txt"};
    pn_rawset_init(&set, NULL);
    assert_int_equal(pn_import_paths(&set, &o, runs, 2, &err), PANEM_OK);
    assert_int_equal(set.count, 20);
    pn_rawset_release(&set);
    assert_int_equal(pn_import_paths(&set, &o, sweeps, 2, &err), PANEM_E_FORMAT);
    assert_non_null(strstr(err.message, "second curve"));
    assert_int_equal(set.count, 0);
    pn_rawset_release(&set);
}

/* ---- Mess 2.0, PROFET ---- */

static void mess2_csv_takes_the_measured_percentage_unrounded(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_ok(&set, &o, DATA "mess2/memory_curves.csv");
    assert_int_equal(set.count, 5);
    double weighted = 100.0 * (20.0 * 0.5040 + 60.0 * 0.5020) / 80.0;
    expect_point(&set, 0, weighted, 0.0, 90.25);
    expect_point(&set, 2, weighted, 60.0, 120.0);
    expect_point(&set, 4, 99.95, 80.0, 140.5);
    assert_true(isnan(set.points[2].bandwidth_std_gbs));
    assert_true(set.points[4].bandwidth_std_gbs == 0.25 && isnan(set.points[3].latency_std_ns));
    assert_int_equal(t.count[PN_WARNING], 0);
    pn_rawset_release(&set);
}

static void mess2_without_measured_percentages_falls_back_to_labels(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_refused(&o, DATA "mess2/unmeasured.csv", PANEM_E_ARG, 0, "--label");
    o.label = PN_LABEL_KERNEL;
    import_ok(&set, &o, DATA "mess2/unmeasured.csv");
    expect_point(&set, 1, 100.0 / 1.98, 86.5, 135.25);
    pn_rawset_release(&set);
}

static void the_two_json_forms_are_told_apart(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_ok(&set, &o, DATA "mess2/memory_curves.json");
    assert_string_equal(pn_rawset_meta(&set, "format"), "mess2-json");
    expect_point(&set, 0, 50, 0.0, 90.25);
    assert_int_equal(set.points[0].line, 5);
    expect_point(&set, 4, 100, 80.0, 140.5);
    pn_rawset_release(&set);
    import_refused(&o, DATA "profet/curves.json", PANEM_E_ARG, 0, "--clock");
    o.clock_ghz = 2.5;
    o.label = PN_LABEL_KERNEL;
    import_ok(&set, &o, DATA "profet/curves.json");
    expect_point(&set, 0, 50, -0.2035, 93.4);
    expect_point(&set, 5, 100, 110.0, 240.0);
    pn_rawset_release(&set);
}

static void expect_text(const char *text, panem_status want, const char *says)
{
    pn_rawset set;
    panem_error err = PANEM_ERROR_INIT;
    pn_import_options o = PN_IMPORT_OPTIONS_INIT;
    o.label = PN_LABEL_TRAFFIC;
    o.latency_unit = PN_LATENCY_NS;
    pn_rawset_init(&set, NULL);
    panem_status status = pn_import_text(&set, &o, text, strlen(text), "t", &err);
    if (status != want || !strstr(err.message, says))
        fail_msg("%.40s: %d '%s'", text, (int)status, err.message);
    pn_rawset_release(&set);
}

static void what_is_no_curve_file_is_refused_with_the_list_of_formats(void **state)
{
    (void)state;
    expect_text("", PANEM_E_FORMAT, "mess2-json");
    expect_text("hello\n", PANEM_E_FORMAT, "multiload");
    expect_text("{\"50\": [[1, 2], [3, 4]]}", PANEM_E_FORMAT, "--format"); /* GB/s, yet rising */
    expect_text("{\"50\": [[9, 2], [3, 4]], }", PANEM_E_FORMAT, "label in quotes");
    expect_text("{\"150\": [[9, 2], [3, 4]]}", PANEM_E_FORMAT, "no known");
    expect_text("{\"50\": [[9, 2], [3]]}", PANEM_E_FORMAT, "no known");
}

static void bytes_that_are_no_text_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char text[] = "1 2\n3 \0 4\n";
    pn_rawset set;
    panem_error err = PANEM_ERROR_INIT;
    pn_import_options o = PN_IMPORT_OPTIONS_INIT;
    pn_rawset_init(&set, NULL);
    assert_int_equal(pn_import_text(&set, &o, text, sizeof text - 1, "t", &err), PANEM_E_FORMAT);
    assert_int_equal(err.line, 2);
    pn_rawset_release(&set);
}

static void an_unknown_format_lists_the_names(void **state)
{
    (void)state;
    told t;
    pn_import_options o = options_with(&t);
    o.format = "excel";
    import_refused(&o, DATA "mess1/rising.txt", PANEM_E_ARG, 0, "asct, multiload");
}

/* ---- gates and units of options ---- */

static void theoretical_peaks_are_channels_times_bytes_times_rate(void **state)
{
    (void)state;
    double gbs = 0;
    assert_int_equal(pn_theoretical_peak_parse(&gbs, "8x8x4800", NULL), PANEM_OK);
    assert_true(gbs == 307.2);
    assert_int_equal(pn_theoretical_peak_parse(&gbs, "6x8x2666", NULL), PANEM_OK);
    assert_true(gbs == 127.968);
    assert_int_equal(pn_theoretical_peak_parse(&gbs, "307.2GB/s", NULL), PANEM_OK);
    assert_true(fabs(gbs - 307.2) < 1e-12);
    static const char *const bad[] = {"8x8",   "8x8x",  "x8x8", "8x8x4800x2",   "-1x8x8",
                                      "0x8x8", "307.2", "0",    "8 x 8 x 4800", ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        gbs = 7;
        assert_int_equal(pn_theoretical_peak_parse(&gbs, bad[i], NULL), PANEM_E_ARG);
        assert_true(gbs == 7);
    }
}

typedef struct kinds {
    char seen[2000];
} kinds;

static void note_kind(void *user, const pn_lint_finding *f)
{
    kinds *k = user;
    size_t used = strlen(k->seen);
    (void)snprintf(k->seen + used, sizeof k->seen - used, "%s ", f->kind);
    assert_true(f->text[0] && f->consequence[0]);
}

static void lint_points(kinds *k, const char *csv_rows)
{
    char text[2000];
    panem_curves *set = NULL;
    pn_rawset raw;
    pn_import_options o = PN_IMPORT_OPTIONS_INIT;
    (void)snprintf(text, sizeof text,
                   "# theoretical_peak_gbs: 100\nread_pct,bandwidth_gbs,latency_ns\n%s", csv_rows);
    memset(k, 0, sizeof *k);
    pn_rawset_init(&raw, NULL);
    assert_int_equal(pn_import_text(&raw, &o, text, strlen(text), "t", NULL), PANEM_OK);
    assert_int_equal(pn_lint(&set, &raw, NULL, 0.0, note_kind, k, NULL), PANEM_OK);
    panem_curves_destroy(set);
    pn_rawset_release(&raw);
}

static void lint_names_each_oddity(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *kind;
    } cases[] = {
        {"100,1,30\n100,90,60\n", "idle_latency"},
        {"100,1,700\n100,90,900\n", "idle_latency"},
        {"100,1,90\n100,101,160\n", "peak "},
        {"100,1,90\n100,20,160\n", "peak "},
        {"100,1,90\n100,50,95\n100,90,100\n100,95,101\n", "slope"},
        {"100,1,90\n100,50,95\n", "few_points"},
        {"100,1,90\n100,50,141\n", "step"},
        {"50,1,90\n50,90,100\n52,1,90\n52,90,100\n", "duplicate_curve"},
        {"50,1,90\n50,90,100\n70,1,90\n70,91,100\n", "read_gap"},
        {"60,1,90\n60,90,100\n", "coverage"},
        {"60,1,90\n60,90,100\n", "metadata"},
        {"100,1,90\n100,50,100\n100,80,99\n100,60,130\n", "peak_dropped"},
        {"100,1,90\n100,-5,90\n", "negative_bandwidth"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kinds k;
        lint_points(&k, cases[i].rows);
        if (!strstr(k.seen, cases[i].kind))
            fail_msg("case %zu: no '%s' in '%s'", i, cases[i].kind, k.seen);
    }
    kinds clean;
    lint_points(&clean, "50,0,90\n50,20,95\n50,40,100\n50,60,110\n50,70,130\n50,69,160\n"
                        "60,0,89\n60,20,94\n60,40,99\n60,60,109\n60,72,130\n60,71,160\n"
                        "74,0,88\n74,20,93\n74,40,98\n74,60,108\n74,74,130\n74,73,160\n"
                        "88,0,87\n88,20,92\n88,40,97\n88,60,107\n88,76,130\n88,75,160\n"
                        "100,0,86\n100,20,91\n100,40,96\n100,60,106\n100,78,130\n100,77,160\n");
    assert_string_equal(clean.seen, "past_peak past_peak past_peak past_peak past_peak metadata ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(mess1_needs_its_latency_unit_and_cycles_need_a_clock),
        PN_TEST(mess1_labels_below_50_must_be_explained),
        PN_TEST(mess1_never_takes_a_number_from_the_next_line),
        PN_TEST(mess1_offset_and_unit_are_applied),
        PN_TEST(mlc_takes_the_loaded_table_out_of_a_whole_run),
        PN_TEST(mlc_without_a_stated_mix_needs_one),
        PN_TEST(mlc_states_its_units),
        PN_TEST(mlc_with_two_tables_asks_which),
        PN_TEST(mlc_markdown_and_annotated_rows_are_read),
        PN_TEST(mlc_faults_name_their_line),
        PN_TEST(asct_columns_are_latency_then_bandwidth),
        PN_TEST(multiload_runs_are_points_and_kernels_name_the_mix),
        PN_TEST(several_files_make_one_curve_only_when_each_is_one_point),
        PN_TEST(mess2_csv_takes_the_measured_percentage_unrounded),
        PN_TEST(mess2_without_measured_percentages_falls_back_to_labels),
        PN_TEST(the_two_json_forms_are_told_apart),
        PN_TEST(what_is_no_curve_file_is_refused_with_the_list_of_formats),
        PN_TEST(bytes_that_are_no_text_are_refused_with_their_line),
        PN_TEST(an_unknown_format_lists_the_names),
        PN_TEST(theoretical_peaks_are_channels_times_bytes_times_rate),
        PN_TEST(lint_names_each_oddity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
