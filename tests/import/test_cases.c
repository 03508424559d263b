/* Cases that users of such curves meet: a dirty set, a hole in a set, one curve from four tools, a
 * unit that is not given, dirt in the text. */
#include "../cmocka_pn.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../decimal_comma.h"
#include "base/file.h"
#include "base/text.h"
#include "curve/csv.h"
#include "helper.h"
#include "import/csv_write.h"

static char dir[64];

static int make_dir(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/panem-import-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
    char command[128];
    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static const char *in_dir(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void put(const char *name, const char *text)
{
    assert_int_equal(pn_file_write(in_dir(name), text, strlen(text), NULL), PANEM_OK);
}

/* ---- a dirty set ---- */

typedef struct repairs {
    int kinds[16];
    char place[300]; /* of the last negative bandwidth */
} repairs;

static void count_repair(void *user, const panem_finding *f)
{
    repairs *r = user;
    r->kinds[f->kind]++;
    if (f->kind == PANEM_FINDING_NEGATIVE_BANDWIDTH && f->read_frac == 1.0)
        (void)snprintf(r->place, sizeof r->place, "%s:%u", f->file, f->line);
}

static void import_d1(pn_rawset *set)
{
    told t;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_CYCLES;
    o.clock_ghz = 2.0;
    o.label = PN_LABEL_TRAFFIC;
    import_ok(set, &o, DATA "d1");
}

static void a_dirty_set_is_repaired_and_every_repair_has_its_line(void **state)
{
    (void)state;
    pn_rawset set;
    repairs r = {{0}, ""};
    panem_curves *curves = NULL;
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    import_d1(&set);
    o.report = count_repair;
    o.report_user = &r;
    assert_int_equal(pn_curves_build(&curves, &set, &o, NULL), PANEM_OK);
    assert_int_equal(r.kinds[PANEM_FINDING_NEGATIVE_BANDWIDTH], 4); /* 1 + 1 + 2 */
    assert_int_equal(r.kinds[PANEM_FINDING_PAST_PEAK], 3);          /* one fold in each file */
    assert_non_null(strstr(r.place, "d1/bwlat_100.txt:6"));
    assert_true(fabs(panem_peak_bytes_per_s(curves, PANEM_MIX_LINEAR, 1.0) - 102.5e9) < 1e-3);
    uint64_t before = panem_idle_ps(curves, PANEM_MIX_LINEAR, 1.0);
    assert_int_equal(before, 94500); /* 189 cycles */
    for (int i = 0; i <= 1000; i++) {
        uint64_t ps = 0;
        double b = 102.5e9 * i / 1000.0;
        assert_int_equal(panem_latency_at_bandwidth_ps(curves, &ps, NULL, PANEM_MIX_LINEAR, b, 1.0),
                         PANEM_OK);
        assert_true(ps >= before);
        before = ps;
    }
    panem_curves_destroy(curves);
    pn_rawset_release(&set);
}

static void strict_refuses_the_dirty_set_at_its_first_repair(void **state)
{
    (void)state;
    pn_rawset set;
    panem_error err = PANEM_ERROR_INIT;
    panem_curves *curves = NULL;
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    import_d1(&set);
    o.strict = 1;
    assert_int_equal(pn_curves_build(&curves, &set, &o, &err), PANEM_E_STRICT);
    assert_null(curves);
    assert_non_null(strstr(err.file, "d1/bwlat_0.txt"));
    assert_int_equal(err.line, 6);
    pn_rawset_release(&set);
}

/* ---- a hole in a set: 0, 2, .. 100 without 48; each latency says which file it is from ---- */

static void write_d2(void)
{
    assert_int_equal(mkdir(in_dir("d2"), 0700), 0);
    for (int label = 2; label <= 100; label += 2) {
        char name[40];
        char text[200];
        if (label == 48)
            continue;
        (void)snprintf(name, sizeof name, "d2/bwlat_%d.txt", label);
        (void)snprintf(text, sizeof text, "90000 %d\n50000 %d\n1000 %d\n", 400 + label, 200 + label,
                       100 + label);
        put(name, text);
    }
    put("d2/bwlat_0.txt", "90000\n50000\n");
}

static void a_hole_is_interpolated_and_no_curve_moves(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    panem_curves *curves = NULL;
    pn_import_options o = options_with(&t);
    write_d2();
    o.latency_unit = PN_LATENCY_NS;
    o.label = PN_LABEL_TRAFFIC;
    import_refused(&o, in_dir("d2"), PANEM_E_FORMAT, 1, "no latency");
    o.skip_bad = true;
    import_ok(&set, &o, in_dir("d2"));
    assert_int_equal(t.count[PN_WARNING], 2); /* left out; and who answers there */
    assert_non_null(strstr(t.text[PN_WARNING], "nearest"));
    assert_int_equal(pn_curves_build(&curves, &set, NULL, NULL), PANEM_OK);
    assert_int_equal(panem_curves_count(curves), 49);
    for (int pct = 2; pct <= 100; pct += 2) /* 48 too: half way between 146 and 150 */
        assert_int_equal(panem_idle_ps(curves, PANEM_MIX_LINEAR, pct / 100.0), (100 + pct) * 1000);
    assert_int_equal(panem_idle_ps(curves, PANEM_MIX_LINEAR, 0.0), 102000);
    panem_curves_destroy(curves);
    pn_rawset_release(&set);
}

/* ---- the same curve from four tools ---- */

static void four_tools_give_the_same_curve(void **state)
{
    (void)state;
    static const char *const files[] = {DATA "same/mlc-3.5-blanks.txt",
                                        DATA "same/mlc-3.11-tabs-whole-run.txt",
                                        DATA "same/multiload.txt", DATA "same/asct.txt"};
    panem_curves *curves[4];
    for (int f = 0; f < 4; f++) {
        told t;
        pn_rawset set;
        pn_import_options o = options_with(&t);
        if (f == 3)
            o.read_pct = 100.0;
        import_ok(&set, &o, files[f]);
        assert_int_equal(pn_curves_build(&curves[f], &set, NULL, NULL), PANEM_OK);
        pn_rawset_release(&set);
    }
    panem_curve_info a, b;
    assert_int_equal(panem_curves_info(curves[0], &a, 0), PANEM_OK);
    assert_true(fabs(a.peak_gbs - 41.0 * 1.048576) < 1e-6 * a.peak_gbs);
    for (int f = 1; f < 4; f++) {
        assert_int_equal(panem_curves_info(curves[f], &b, 0), PANEM_OK);
        assert_int_equal(a.kept_points, b.kept_points);
        for (uint32_t i = 0; i < a.kept_points; i++) {
            double n0, l0, n1, l1;
            (void)panem_curves_kept(curves[0], &n0, &l0, 0, i);
            (void)panem_curves_kept(curves[f], &n1, &l1, 0, i);
            assert_true(fabs(n0 - n1) <= 1e-6 * n0 && fabs(l0 - l1) <= 1e-6 * l0);
        }
    }
    for (int f = 0; f < 4; f++)
        panem_curves_destroy(curves[f]);
}

/* ---- a unit that is not given ---- */

static void cycles_become_ns_only_with_a_stated_clock(void **state)
{
    (void)state;
    told t;
    pn_rawset set;
    pn_import_options o = options_with(&t);
    put("two-columns.txt", "90000 900\n50000 400\n100 300\n");
    o.read_pct = 100.0;
    import_refused(&o, in_dir("two-columns.txt"), PANEM_E_ARG, 0, "does not say the unit");
    o.latency_unit = PN_LATENCY_CYCLES;
    import_refused(&o, in_dir("two-columns.txt"), PANEM_E_ARG, 0, "--clock");
    o.clock_ghz = 2.6;
    import_ok(&set, &o, in_dir("two-columns.txt"));
    assert_true(fabs(set.points[0].latency_ns - 115.385) < 5e-4);
    pn_rawset_release(&set);
}

/* ---- dirt in the text ---- */

static char *csv_of(const char *path)
{
    told t;
    pn_rawset set;
    pn_text text = PN_TEXT_INIT;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_CYCLES;
    o.clock_ghz = 2.1;
    o.label = PN_LABEL_TRAFFIC;
    import_ok(&set, &o, path);
    assert_int_equal(pn_csv_format(&text, &set, NULL), PANEM_OK);
    pn_rawset_release(&set);
    return text.data;
}

static const char CLEAN[] = "101000 505\n102500 480.5\n60000 230.25\n1451 189\n-725 188\n";
static const char DIRTY[] =
    "\xef\xbb\xbf# a remark\r\n\r\n101000\t505\t\r\n102500 480.5  \r\n   \r\n"
    "#60000 1\r\n60000 230.25\r\n1451\t\t189\r\n-725 188";

static void dirt_in_the_text_changes_no_byte_of_the_result(void **state)
{
    (void)state;
    put("bwlat_100.txt", CLEAN);
    char *want = csv_of(in_dir("bwlat_100.txt"));
    put("bwlat_100.txt", DIRTY);
    char *have = csv_of(in_dir("bwlat_100.txt"));
    assert_string_equal(have, want);
    free(have);
    assert_int_equal(system("command -v xz >/dev/null"), 0);
    char command[600];
    (void)snprintf(command, sizeof command, "cd '%s' && xz -f bwlat_100.txt", dir);
    assert_int_equal(system(command), 0);
    have = csv_of(in_dir("bwlat_100.txt.xz"));
    assert_string_equal(have, want);
    free(have);
    if (pn_enter_decimal_comma()) {
        have = csv_of(in_dir("bwlat_100.txt.xz"));
        (void)setlocale(LC_ALL, "C");
        assert_string_equal(have, want);
        free(have);
    } else {
        print_message("no locale with a decimal comma, and none could be made: that part did not "
                      "run\n");
    }
    free(want);
}

static void a_decimal_comma_is_an_error_with_its_line(void **state)
{
    (void)state;
    told t;
    pn_import_options o = options_with(&t);
    o.latency_unit = PN_LATENCY_NS;
    put("bwlat_60.txt", "900 120\n10 100\n0,5 99\n");
    import_refused(&o, in_dir("bwlat_60.txt"), PANEM_E_FORMAT, 3, "'0,5' is not a number");
}

/* ---- writing ---- */

/* Read fractions and values of any set come back to the last bit, deviations included. */
static void a_written_set_reads_back_to_the_last_bit(void **state)
{
    (void)state;
    static const char *const files[] = {DATA "mess2/memory_curves.csv", DATA "csv/std.csv",
                                        DATA "d1/bwlat_100.txt"};
    for (size_t f = 0; f < 3; f++) {
        told t;
        pn_rawset set, again;
        pn_text text = PN_TEXT_INIT;
        pn_import_options o = options_with(&t);
        if (f == 2) {
            o.latency_unit = PN_LATENCY_CYCLES;
            o.clock_ghz = 2.98;
        }
        import_ok(&set, &o, files[f]);
        for (size_t i = 0; i < set.count; i++) /* an awkward fraction */
            set.points[i].read_frac = 1.0 / (1.0 + 0.37 * (set.points[i].read_frac + 0.1));
        assert_int_equal(pn_csv_format(&text, &set, NULL), PANEM_OK);
        pn_rawset_init(&again, NULL);
        assert_int_equal(pn_csv_parse(&again, text.data, text.length, "t", NULL), PANEM_OK);
        assert_int_equal(again.count, set.count);
        assert_int_equal(again.order, set.order);
        double sum = 0.0; /* curves may be written in another order: compare sums of bits' values */
        for (size_t i = 0; i < set.count; i++) {
            size_t k = 0;
            while (k < set.count &&
                   !(again.points[k].read_frac == set.points[i].read_frac &&
                     again.points[k].bandwidth_gbs == set.points[i].bandwidth_gbs &&
                     again.points[k].latency_ns == set.points[i].latency_ns))
                k++;
            assert_true(k < set.count);
            bool std = isnan(set.points[i].latency_std_ns);
            assert_true(std == isnan(again.points[k].latency_std_ns));
            sum += again.points[k].latency_ns;
        }
        assert_true(sum > 0.0);
        pn_rawset_release(&again);
        pn_rawset_release(&set);
        pn_text_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_dirty_set_is_repaired_and_every_repair_has_its_line),
        PN_TEST(strict_refuses_the_dirty_set_at_its_first_repair),
        PN_TEST(a_hole_is_interpolated_and_no_curve_moves),
        PN_TEST(four_tools_give_the_same_curve),
        PN_TEST(cycles_become_ns_only_with_a_stated_clock),
        PN_TEST(dirt_in_the_text_changes_no_byte_of_the_result),
        PN_TEST(a_decimal_comma_is_an_error_with_its_line),
        PN_TEST(a_written_set_reads_back_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
