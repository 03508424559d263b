/* test_plot.c - the plot description and its two writers, against values worked out by hand. */
#include "../cmocka_pn.h"

#include <math.h>
#include <string.h>

#include "report/html.h"
#include "report/logs.h"
#include "report/plot.h"
#include "report/svg.h"

static pn_report report;

static int begin(void **state)
{
    (void)state;
    pn_report_init(&report, "a <report> & more");
    return 0;
}

static int end(void **state)
{
    (void)state;
    pn_report_release(&report);
    return 0;
}

static pn_plot *two_decades(void)
{
    pn_plot *plot = pn_report_plot(&report, "p", "title", "note");
    pn_plot_x(plot, "x", "", PN_SCALE_LOG);
    pn_plot_y(plot, "y", "ns", PN_SCALE_LINEAR);
    pn_series *s = pn_plot_series(plot, "a", PN_SERIES_LINE);
    pn_series_point(plot, s, 1.0, 0.0, "</script><b>");
    pn_series_point(plot, s, 10.0, 50.0, NULL);
    pn_series_point(plot, s, 100.0, 100.0, NULL);
    return plot;
}

static void a_box_holds_the_quartiles_of_unsorted_values(void **state)
{
    (void)state;
    double values[] = {5.0, 1.0, 4.0, 2.0};
    pn_plot *plot = pn_report_plot(&report, "p", "", "");
    pn_series *s = pn_plot_series(plot, "a", PN_SERIES_BOX);
    pn_series_box(plot, s, 0.0, values, 4);
    const pn_plot_point *p = &s->points[0];
    /* Linear between order statistics: positions 0.75, 1.5 and 2.25 of 1 2 4 5. */
    assert_true(p->low == 1.0 && p->q1 == 1.75 && p->y == 3.0 && p->q3 == 4.25 && p->high == 5.0);
}

static void own_logarithms_agree_with_those_of_the_library(void **state)
{
    (void)state;
    for (double x = 1e-9; x < 1e9; x *= 1.37) {
        assert_true(fabs(pn_report_ln(x) - log(x)) < 1e-9);
        assert_true(fabs(pn_report_exp(log(x)) / x - 1.0) < 1e-9);
    }
}

static void a_plot_without_points_is_dropped_and_told(void **state)
{
    (void)state;
    (void)two_decades();
    pn_plot *empty = pn_report_plot(&report, "empty", "", "");
    (void)pn_plot_series(empty, "a", PN_SERIES_LINE);
    pn_report_drop_empty(&report);
    assert_int_equal(report.plot_count, 1);
    assert_non_null(pn_report_find(&report, "p"));
    assert_null(pn_report_find(&report, "empty"));
    assert_string_equal(report.facts[0].value, "empty");
}

static void values_that_are_not_finite_are_counted_not_drawn(void **state)
{
    (void)state;
    pn_plot *plot = two_decades();
    pn_series *s = pn_plot_series(plot, "a", PN_SERIES_LINE);
    pn_series_point(plot, s, 1.0, (double)NAN, NULL);
    pn_series_point(plot, s, (double)INFINITY, 1.0, NULL);
    assert_int_equal(s->count, 3);
    assert_int_equal(report.left_out, 2);
}

static void a_series_and_a_category_exist_once(void **state)
{
    (void)state;
    pn_plot *plot = two_decades();
    assert_ptr_equal(pn_plot_series(plot, "a", PN_SERIES_LINE), plot->series[0]);
    assert_int_equal(pn_plot_category(plot, "one"), 0);
    assert_int_equal(pn_plot_category(plot, "two"), 1);
    assert_int_equal(pn_plot_category(plot, "one"), 0);
    assert_int_equal(plot->x.category_count, 2);
}

static void a_decade_on_a_log_axis_is_half_of_two(void **state)
{
    (void)state;
    pn_text text = PN_TEXT_INIT;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_svg_write(&text, two_decades(), &err), PANEM_OK);
    /* The axes run from 72 to 710 and from 482 up to 44; middles are 391 and 263. */
    assert_non_null(strstr(text.data, "points=\"72.0,482.0 391.0,263.0 710.0,44.0 \""));
    pn_text_release(&text);
}

static void a_plot_without_points_is_no_svg(void **state)
{
    (void)state;
    pn_text text = PN_TEXT_INIT;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_svg_write(&text, pn_report_plot(&report, "e", "", ""), &err), PANEM_E_ARG);
    assert_int_equal(text.length, 0);
    pn_text_release(&text);
}

static void texts_cannot_end_the_script_of_a_page(void **state)
{
    (void)state;
    if (pn_html_missing())
        skip();
    pn_text text = PN_TEXT_INIT;
    panem_error err = PANEM_ERROR_INIT;
    (void)two_decades();
    assert_int_equal(pn_html_write(&text, &report, &err), PANEM_OK);
    size_t ends = 0;
    for (const char *at = text.data; (at = strstr(at, "</script")); at++)
        ends++;
    assert_int_equal(ends, 2);
    assert_non_null(strstr(text.data, "<h1>a &lt;report&gt; &amp; more</h1>"));
    pn_text_release(&text);
}

static void colours_differ_and_the_ramp_keeps_its_ends(void **state)
{
    (void)state;
    char a[8], b[8];
    pn_color_category(a, 0);
    pn_color_category(b, 1);
    assert_string_not_equal(a, b);
    pn_color_ramp(a, -1.0);
    assert_string_equal(a, "#2c7fb8");
    pn_color_ramp(b, 2.0);
    assert_string_equal(b, "#e08214");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_box_holds_the_quartiles_of_unsorted_values, begin, end),
        cmocka_unit_test(own_logarithms_agree_with_those_of_the_library),
        cmocka_unit_test_setup_teardown(a_plot_without_points_is_dropped_and_told, begin, end),
        cmocka_unit_test_setup_teardown(values_that_are_not_finite_are_counted_not_drawn, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_series_and_a_category_exist_once, begin, end),
        cmocka_unit_test_setup_teardown(a_decade_on_a_log_axis_is_half_of_two, begin, end),
        cmocka_unit_test_setup_teardown(a_plot_without_points_is_no_svg, begin, end),
        cmocka_unit_test_setup_teardown(texts_cannot_end_the_script_of_a_page, begin, end),
        cmocka_unit_test_setup_teardown(colours_differ_and_the_ramp_keeps_its_ends, begin, end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
