/* Our CSV: what is accepted, what is refused and where, in any locale. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../decimal_comma.h"
#include "curve/csv.h"

#define DATA PN_SOURCE_DIR "/tests/data/curves/csv/"

static uint64_t fingerprint_of(const char *path)
{
    panem_curves *set = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (panem_curves_load(&set, path, NULL, &err) != PANEM_OK)
        fail_msg("%s:%u: %s", path, err.line, err.message);
    uint64_t print = panem_curves_fingerprint(set);
    assert_string_equal(panem_curves_meta(set, "name"), "tiny");
    assert_string_equal(panem_curves_meta(set, "hardware"), "none; written for the project");
    assert_null(panem_curves_meta(set, "absent"));
    panem_curves_destroy(set);
    return print;
}

/* Byte-order mark, CRLF, blank lines, blanks around fields, no last line break. */
static void dirty_text_reads_as_clean_text(void **state)
{
    (void)state;
    assert_true(fingerprint_of(DATA "plain.csv") == fingerprint_of(DATA "dirty-text.csv"));
}

static void the_locale_of_the_host_changes_nothing(void **state)
{
    (void)state;
    uint64_t want = fingerprint_of(DATA "plain.csv");
    if (!pn_enter_decimal_comma()) {
        print_message("no locale with a decimal comma, and none could be made: skipped\n");
        skip();
    }
    uint64_t have = fingerprint_of(DATA "plain.csv");
    (void)setlocale(LC_ALL, "C");
    assert_true(have == want);
}

static void columns_are_found_by_name_and_deviations_may_be_blank(void **state)
{
    (void)state;
    pn_rawset set;
    pn_rawset_init(&set, NULL);
    assert_int_equal(pn_csv_load(&set, DATA "std.csv", NULL), PANEM_OK);
    assert_int_equal(set.count, 3);
    assert_true(set.points[1].latency_ns == 97 && set.points[1].bandwidth_gbs == 30);
    assert_true(isnan(set.points[0].bandwidth_std_gbs) && set.points[0].latency_std_ns == 0.1);
    assert_true(set.points[1].bandwidth_std_gbs == 0.25 && isnan(set.points[1].latency_std_ns));
    assert_int_equal(set.points[2].line, 4);
    pn_rawset_release(&set);
}

static void a_read_percentage_is_never_rounded(void **state)
{
    (void)state;
    static const char text[] = "read_pct,bandwidth_gbs,latency_ns\n"
                               "58.8235294117647,10,90\n58.8235294117648,10,90\n";
    panem_curves *set = NULL;
    assert_int_equal(panem_curves_parse(&set, text, sizeof text - 1, "t", NULL, NULL), PANEM_OK);
    assert_int_equal(panem_curves_count(set), 2);
    panem_curves_destroy(set);
}

static void every_fault_names_its_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        panem_status status;
        uint32_t line, col;
        const char *says;
    } cases[] = {
        {"", PANEM_E_EMPTY, 0, 0, "no header"},
        {"# only: meta\n", PANEM_E_EMPTY, 0, 0, "no header"},
        {"read_pct,bandwidth_gbs,latency_ns\n", PANEM_E_EMPTY, 0, 0, "no point"},
        {"read_pct,bandwidth_gbs\n", PANEM_E_FORMAT, 1, 1, "latency_ns"},
        {"read_pct,bandwidth_gbs,latency_ns,extra\n", PANEM_E_FORMAT, 1, 35, "unknown column"},
        {"read_pct,bandwidth_gbs,latency_ns,read_pct\n", PANEM_E_FORMAT, 1, 35, "repeated"},
        {"read_pct,bandwidth_gbs,latency_ns\n50,1\n", PANEM_E_FORMAT, 2, 1, "2 fields"},
        {"read_pct,bandwidth_gbs,latency_ns\n50,0,5,90\n", PANEM_E_FORMAT, 2, 1, "4 fields"},
        {"read_pct,bandwidth_gbs,latency_ns\n50,1,90\n50,x,90\n", PANEM_E_FORMAT, 3, 4,
         "'x' is not a number"},
        {"read_pct,bandwidth_gbs,latency_ns\n50,nan,90\n", PANEM_E_FORMAT, 2, 4, "not a number"},
        {"read_pct,bandwidth_gbs,latency_ns\n50,1,\n", PANEM_E_FORMAT, 2, 6, "not a number"},
        {"read_pct,bandwidth_gbs,latency_ns\n50,0x10,90\n", PANEM_E_FORMAT, 2, 4, "not a number"},
        {"read_pct,bandwidth_gbs,latency_ns\n100.5,1,90\n", PANEM_E_RANGE, 2, 1, "0..100"},
        {"read_pct,bandwidth_gbs,latency_ns\n-1,1,90\n", PANEM_E_RANGE, 2, 1, "0..100"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        panem_curves *set = NULL;
        panem_error err = PANEM_ERROR_INIT;
        panem_status status =
            panem_curves_parse(&set, cases[i].text, strlen(cases[i].text), "t.csv", NULL, &err);
        if (status != cases[i].status || err.line != cases[i].line || err.col != cases[i].col ||
            !strstr(err.message, cases[i].says))
            fail_msg("case %zu: %d %u:%u '%s'", i, (int)status, err.line, err.col, err.message);
        assert_string_equal(err.file, "t.csv");
        assert_null(set);
    }
}

static void binary_and_endless_lines_are_refused(void **state)
{
    (void)state;
    char text[5000];
    panem_error err = PANEM_ERROR_INIT;
    panem_curves *set = NULL;
    memset(text, 'x', sizeof text);
    assert_int_equal(panem_curves_parse(&set, text, sizeof text, "t", NULL, &err), PANEM_E_FORMAT);
    panem_error nul = PANEM_ERROR_INIT;
    assert_int_equal(panem_curves_parse(&set, "read\0_pct", 9, "t", NULL, &nul), PANEM_E_FORMAT);
    assert_non_null(strstr(nul.message, "NUL"));
}

static void an_absent_file_is_an_io_error_with_its_name(void **state)
{
    (void)state;
    panem_curves *set = NULL;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(panem_curves_load(&set, "/nonexistent/x.csv", NULL, &err), PANEM_E_IO);
    assert_string_equal(err.file, "/nonexistent/x.csv");
    assert_null(set);
    panem_error folder = PANEM_ERROR_INIT;
    assert_int_equal(panem_curves_load(&set, "/tmp", NULL, &folder), PANEM_E_IO);
}

static void recognition_looks_at_the_header_only(void **state)
{
    (void)state;
    static const char yes[] = "\xef\xbb\xbf# a\n\n  read_pct,bandwidth_gbs,latency_ns\n";
    static const char no[] = "# read_pct,bandwidth_gbs,latency_ns\n1 2\n";
    assert_true(pn_csv_recognize(yes, sizeof yes - 1));
    assert_false(pn_csv_recognize(no, sizeof no - 1));
    assert_false(pn_csv_recognize("", 0));
}

static void a_set_of_a_formula_needs_no_repair(void **state)
{
    (void)state;
    panem_curves_options o = PANEM_CURVES_OPTIONS_INIT;
    panem_error err = PANEM_ERROR_INIT;
    panem_curves *set = NULL;
    o.strict = 1;
    assert_int_equal(
        panem_curves_load(&set, PN_SOURCE_DIR "/tests/data/curves/formula/formula.csv", &o, &err),
        PANEM_OK);
    assert_int_equal(panem_curves_count(set), 11);
    for (uint32_t i = 0; i < 11; i++) {
        panem_curve_info c;
        (void)panem_curves_info(set, &c, i);
        double r = i / 10.0;
        assert_true(fabs(c.peak_gbs - 127.968 * (0.7 + 0.2 * r)) < 1e-3);
        assert_true(fabs(c.idle_ns - (96.0 - 6.0 * r)) < 1e-3);
        assert_int_equal(c.kept_points, 20);
        assert_true(c.beyond_slope > 0.5 && c.beyond_slope < 2.0);
    }
    assert_string_equal(panem_curves_meta(set, "synthetic"), "yes");
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(dirty_text_reads_as_clean_text),
        PN_TEST(the_locale_of_the_host_changes_nothing),
        PN_TEST(columns_are_found_by_name_and_deviations_may_be_blank),
        PN_TEST(a_read_percentage_is_never_rounded),
        PN_TEST(every_fault_names_its_line_and_column),
        PN_TEST(binary_and_endless_lines_are_refused),
        PN_TEST(an_absent_file_is_an_io_error_with_its_name),
        PN_TEST(recognition_looks_at_the_header_only),
        PN_TEST(a_set_of_a_formula_needs_no_repair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
