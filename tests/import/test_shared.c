/* Published files, when they are at hand: they are not part of the project, so everything here
 * skips with a message without them. Expectations are counts and values read off the files by other
 * means (awk), and facts their publishers state. */
#include "../cmocka_pn.h"

#include <stdlib.h>
#include <unistd.h>

#include "helper.h"

static bool absent(void)
{
    if (access(SHARED "README.md", R_OK) == 0)
        return false;
    print_message("no ../shared/curves: skipped\n");
    return true;
}

static panem_curves *built(pn_rawset *set, const pn_import_options *o, const char *path)
{
    panem_curves *curves = NULL;
    panem_error err = PANEM_ERROR_INIT;
    import_ok(set, o, path);
    if (pn_curves_build(&curves, set, NULL, &err) != PANEM_OK)
        fail_msg("%s: %s", path, err.message);
    return curves;
}

typedef struct family {
    const char *folder;
    double clock_ghz; /* 0: ns */
    uint32_t curves;
    double idle_low_ns, idle_high_ns, peak_gbs;
} family;

/* Clocks, idle ranges and peaks as the collection's README has them. Idle of the kept points may
 * lie above the lowest latency of the file: the tail near idle is not sorted. */
static const family FAMILIES[] = {
    {"sandybridge-e5-2670-ddr3-1600", 3.0, 26, 75, 80, 45.283},
    {"cascadelake-5218-ddr4-2666", 2.3, 39, 83, 90, 111.890},
    {"skylake-6146-ddr4-2666", 3.2, 51, 84, 90, 108.397},
    {"kunpeng-920-ddr4-2933", 2.6, 51, 94, 102, 158.228},
    {"sapphirerapids-8480-ddr5-4800", 2.98, 48, 110, 118, 264.094},
    {"skylake-8160-ddr4-2666", 0, 15, 65, 67, 111.111},
    {"graviton3-ddr5-4800", 0, 5, 97, 99, 285.921},
    {"a64fx-hbm2", 0, 5, 111, 113, 942.607},
    {"cxl-micron-sim", 0, 6, 107, 108, 42.807},
    {"cxl-micron-sim_cycles", 2.1, 5, 107, 108, 40.024},
};

static void every_mess1_family_reads_with_its_documented_unit(void **state)
{
    (void)state;
    if (absent())
        skip();
    for (size_t f = 0; f < sizeof FAMILIES / sizeof *FAMILIES; f++) {
        const family *k = &FAMILIES[f];
        char path[300];
        told t;
        pn_rawset set;
        pn_import_options o = options_with(&t);
        o.latency_unit = k->clock_ghz > 0 ? PN_LATENCY_CYCLES : PN_LATENCY_NS;
        o.clock_ghz = k->clock_ghz;
        o.label = PN_LABEL_TRAFFIC;
        (void)snprintf(path, sizeof path, SHARED "mess/%s", k->folder);
        panem_curves *curves = built(&set, &o, path);
        double peak = 0;
        assert_int_equal(panem_curves_count(curves), k->curves);
        for (uint32_t i = 0; i < k->curves; i++) {
            panem_curve_info c;
            (void)panem_curves_info(curves, &c, i);
            peak = c.peak_gbs > peak ? c.peak_gbs : peak;
            if (c.idle_ns < k->idle_low_ns || c.idle_ns > k->idle_high_ns)
                fail_msg("%s at %.6g: idle %.2f ns", k->folder, c.read_frac, c.idle_ns);
        }
        if (fabs(peak - k->peak_gbs) > 6e-4)
            fail_msg("%s: peak %.6f", k->folder, peak);
        panem_curves_destroy(curves);
        pn_rawset_release(&set);
    }
}

/* The same points under a kernel label in cycles and under a traffic label in ns less 28. */
static void a_kernel_label_in_cycles_meets_the_traffic_label_in_ns(void **state)
{
    (void)state;
    if (absent())
        skip();
    told t;
    pn_rawset kernel, traffic;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_CYCLES;
    o.clock_ghz = 2.1;
    o.latency_offset_ns = -28.0;
    o.label = PN_LABEL_KERNEL;
    import_ok(&kernel, &o, SHARED "mess/skylake-8160-ddr4-2666_cycles-storelabel/bwlat_58.txt");
    o = options_with(&t);
    o.latency_unit = PN_LATENCY_NS;
    o.label = PN_LABEL_TRAFFIC;
    import_ok(&traffic, &o, SHARED "mess/skylake-8160-ddr4-2666/bwlat_70.txt");
    assert_int_equal(kernel.count, traffic.count);
    for (size_t i = 0; i < kernel.count; i++) {
        const pn_raw_point *a = &kernel.points[i];
        const pn_raw_point *b = &traffic.points[i];
        assert_true(fabs(a->bandwidth_gbs - b->bandwidth_gbs) < 1e-9);
        assert_true(fabs(a->latency_ns - b->latency_ns) < 1e-9);
        assert_true(fabs(a->read_frac - b->read_frac) < 0.005); /* 1 / 1.42 against 0.70 */
    }
    pn_rawset_release(&kernel);
    pn_rawset_release(&traffic);
}

static void the_malformed_file_is_refused_by_line(void **state)
{
    (void)state;
    if (absent())
        skip();
    told t;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_NS;
    o.label = PN_LABEL_TRAFFIC;
    import_refused(&o, SHARED "mess/cxl-micron-sim_malformed", PANEM_E_FORMAT, 1, "no latency");
}

static void mess2_csv_and_json_are_the_same_points(void **state)
{
    (void)state;
    if (absent())
        skip();
    static const char *const systems[] = {"epyc-7742-ddr4-3200",
                                          "cascadelake-5218-ddr4-2933",
                                          "grace-lpddr5",
                                          "xeonmax-9480-hbm2",
                                          "sapphirerapids-8460y-ddr5-4800",
                                          "sapphirerapids-8480-ddr5-4800-avx2",
                                          "sapphirerapids-8480-ddr5-4800-avx512",
                                          "sapphirerapids-8480-ddr5-highmem-avx2"};
    for (size_t s = 0; s < sizeof systems / sizeof *systems; s++) {
        char path[300];
        told t;
        pn_rawset csv, json;
        pn_import_options o = options_with(&t);
        o.label = PN_LABEL_TRAFFIC;
        (void)snprintf(path, sizeof path, SHARED "mess2/%s", systems[s]);
        panem_curves *a = built(&csv, &o, path);
        (void)snprintf(path, sizeof path, SHARED "mess2/%s/memory_curves.json", systems[s]);
        panem_curves *b = built(&json, &o, path);
        assert_int_equal(csv.count, json.count);
        assert_int_equal(panem_curves_count(a), panem_curves_count(b));
        for (uint32_t i = 0; i < panem_curves_count(a); i++) {
            panem_curve_info x, y;
            (void)panem_curves_info(a, &x, i);
            (void)panem_curves_info(b, &y, i);
            assert_true(fabs(x.peak_gbs - y.peak_gbs) < 1e-9 * x.peak_gbs);
            assert_true(fabs(x.idle_ns - y.idle_ns) < 1e-9 * x.idle_ns);
            /* The JSON's label is the CSV's measured percentage, rounded. */
            if (fabs(x.read_frac - y.read_frac) > 0.0075)
                fail_msg("%s: %.6g against %.6g", systems[s], x.read_frac, y.read_frac);
        }
        panem_curves_destroy(a);
        panem_curves_destroy(b);
        pn_rawset_release(&csv);
        pn_rawset_release(&json);
    }
}

static void profet_reads_with_its_clock(void **state)
{
    (void)state;
    if (absent())
        skip();
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    o.clock_ghz = 2.3;
    o.label = PN_LABEL_KERNEL;
    panem_curves *curves =
        built(&set, &o, SHARED "profet_cascadelake-5218-ddr4-2666/curves_local_socket.json");
    assert_string_equal(pn_rawset_meta(&set, "format"), "profet");
    assert_int_equal(panem_curves_count(curves), 51);
    expect_point(&set, 0, 50, -203.53539743347937 / 1000.0, 233.56608219776223 / 2.3);
    panem_curves_destroy(curves);
    pn_rawset_release(&set);
}

typedef struct tool_file {
    const char *name;
    double read_pct; /* NaN: the file says it */
    uint32_t table;
    size_t points;
    double low_ns, low_gbs;   /* of the least loaded row */
    double high_ns, high_gbs; /* of the most loaded row */
} tool_file;

static void every_tool_output_reads_to_its_first_and_last_row(void **state)
{
    (void)state;
    if (absent())
        skip();
    const double said = (double)NAN;
    const tool_file files[] = {
        {"mlc-3.10_cascadelake-2xGold6240_fullrun.txt", said, 0, 19, 82.21, 2.2407, 155.60,
         226.1277},
        {"mlc-3.10_icelake-2x8360Y_fullrun.txt", said, 0, 19, 91.23, 2.8670, 264.04, 351.8716},
        {"mlc-3.10_skylake-2xGold6140_fullrun.txt", said, 0, 19, 91.66, 2.0276, 166.18, 210.6431},
        {"mlc-3.11b_epyc-nps1-nps4_largepages_twotables.txt", said, 1, 19, 113.26, 1.8483, 493.91,
         352.6462},
        {"mlc-3.11b_lpddr5-laptop_t4_no-msr.txt", said, 0, 19, 118.91, 0.7873, 189.66, 55.4455},
        {"mlc-3.1a_broadwell-2xE5-2680v4_fullrun.txt", said, 0, 19, 74.12, 1.6870, 203.58,
         145.2004},
        {"mlc-3.1a_haswell-2xE5-2680v3_fullrun.txt", said, 0, 19, 89.46, 1.5625, 200.00, 122.3651},
        {"mlc-3.1a_ivybridge-2xE5-2680v2_fullrun.txt", said, 0, 19, 64.10, 1.7065, 189.18,
         110.6555},
        {"mlc-3.5_denverton-atom-c3858_indented.txt", said, 0, 19, 93.43, 0.8517, 135.35, 27.1860},
        {"mlc-3.5_skylake-2xGold6132_avx512_fullrun.txt", said, 0, 19, 79.21, 1.9362, 147.22,
         221.5983},
        {"mlc-3.5_xeon-silver-4110_forum-annotated.txt", said, 0, 19, 81.96, 1.2376, 130.31,
         135.6559},
        {"mlc_markdown-table_desktop-2ch.txt", 100, 0, 19, 40.74, 1.6989, 79.98, 27.9203},
        {"asct_graviton2-c6g.16xlarge.txt", 100, 0, 13, 96.4, 2.6, 344.7, 168.5},
        {"asct-docs_example_indented-2node-arm-server.txt", 100, 0, 13, 115.5, 10.7, 305.4, 920.7},
    };
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[300];
        told t;
        pn_rawset set;
        pn_import_options o = options_with(&t);
        o.read_pct = files[f].read_pct;
        o.table = files[f].table;
        (void)snprintf(path, sizeof path, SHARED "mlc/%s", files[f].name);
        import_ok(&set, &o, path);
        if (set.count != files[f].points)
            fail_msg("%s: %zu points", files[f].name, set.count);
        expect_point(&set, 0, 100, files[f].low_gbs, files[f].low_ns);
        expect_point(&set, set.count - 1, 100, files[f].high_gbs, files[f].high_ns);
        pn_rawset_release(&set);
    }
}

static void multiload_runs_read_in_binary_megabytes(void **state)
{
    (void)state;
    if (absent())
        skip();
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    import_ok(&set, &o, SHARED "mlc/multiload_arm80core_verbose_3runs.txt");
    assert_int_equal(set.count, 3);
    expect_point(&set, 0, 100, 343840 * 1.048576e-3, 204.862);
    expect_point(&set, 1, 100, 342180 * 1.048576e-3, 161.018);
    pn_rawset_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(every_mess1_family_reads_with_its_documented_unit),
        PN_TEST(a_kernel_label_in_cycles_meets_the_traffic_label_in_ns),
        PN_TEST(the_malformed_file_is_refused_by_line),
        PN_TEST(mess2_csv_and_json_are_the_same_points),
        PN_TEST(profet_reads_with_its_clock),
        PN_TEST(every_tool_output_reads_to_its_first_and_last_row),
        PN_TEST(multiload_runs_read_in_binary_megabytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
