/* Numbers in text: exact both ways, in any locale. */
#include "../cmocka_pn.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/rng.h"

static void parses_what_it_should(void **state)
{
    (void)state;
    double v = 0;
    assert_int_equal(pn_num_parse("93.61904761904762rest", &v), 17);
    assert_true(v == 93.61904761904762);
    assert_int_equal(pn_num_parse("-.5e3", &v), 5);
    assert_true(v == -500.0);
}

static void refuses_what_is_no_number(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "-",    ".",    "x",     "nan",
                                      "inf", "-inf", "0x10", "1e999", " 1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double v = 42.0;
        assert_int_equal(pn_num_parse(bad[i], &v), 0);
        assert_true(v == 42.0);
    }
    double v = 0;
    assert_false(pn_num_parse_all("0,5", &v));
    assert_false(pn_num_parse_all("5 ", &v));
}

static void reads_back_what_it_writes(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 1, 0);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = pn_rng_u64(&rng);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value))
            continue;
        char text[PN_NUM_TEXT_MAX];
        double back = 0;
        (void)pn_num_format(text, value);
        assert_true(pn_num_parse_all(text, &back));
        assert_true(back == value);
    }
}

static void writes_the_shortest_form(void **state)
{
    (void)state;
    char text[PN_NUM_TEXT_MAX];
    (void)pn_num_format(text, 0.1);
    assert_string_equal(text, "0.1");
    (void)pn_num_format(text, -0.0);
    assert_string_equal(text, "0");
    (void)pn_num_format_fixed(text, -0.0004, 3);
    assert_string_equal(text, "0.000");
    (void)pn_num_format_fixed(text, 2.0 / 3.0, 3);
    assert_string_equal(text, "0.667");
}

/* The C library is the oracle: the first of %.15g, %.16g, %.17g that reads back. */
static void compare_with_the_library(double value)
{
    char text[PN_NUM_TEXT_MAX], want[64];
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(want, sizeof want, "%.*g", digits, value);
        if (strtod(want, NULL) == value)
            break;
    }
    size_t length = pn_num_format(text, value);
    assert_string_equal(text, want);
    assert_int_equal(length, strlen(want));
}

static void writes_what_the_c_library_would(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 3, 0);
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = pn_rng_u64(&rng);
        /* All binary exponents from 2^-20 to 2^60, then decimals of few digits, then integers. */
        double value = ldexp((double)(bits >> 11), (int)(bits % 80) - 72);
        compare_with_the_library(value);
        compare_with_the_library(-value);
        compare_with_the_library((double)(bits >> 40) / 1000.0);
        compare_with_the_library((double)(bits >> 34) / 1e7);
        compare_with_the_library((double)(bits >> (bits & 63)));
    }
    for (int e = -30; e <= 70; e++) {
        int decimal = e / 4;
        double two = ldexp(1.0, e), ten = pow(10.0, decimal);
        for (int step = -3; step <= 3; step++) {
            compare_with_the_library(two + step * ldexp(1.0, e - 53));
            compare_with_the_library(ten + step * ldexp(ten, -52));
            compare_with_the_library(ten + step * ldexp(ten, -50));
            compare_with_the_library(ten * (1.0 - step * 1e-15));
        }
    }
}

static void does_not_follow_the_locale(void **state)
{
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < 3 && !set; i++)
        set = setlocale(LC_ALL, names[i]) != NULL;
    if (!set)
        print_message("no locale with a decimal comma is installed; checked in the C locale\n");
    double v = 0;
    assert_true(pn_num_parse_all("1.5", &v));
    assert_true(v == 1.5);
    assert_false(pn_num_parse_all("1,5", &v));
    char text[PN_NUM_TEXT_MAX];
    (void)pn_num_format(text, 1.5);
    assert_string_equal(text, "1.5");
    (void)setlocale(LC_ALL, "C");
}

static void whole_numbers(void **state)
{
    (void)state;
    uint64_t v = 0;
    assert_true(pn_num_parse_u64("18446744073709551615", &v));
    assert_true(v == UINT64_MAX);
    assert_false(pn_num_parse_u64("18446744073709551616", &v));
    assert_false(pn_num_parse_u64("-1", &v));
    assert_false(pn_num_parse_u64("", &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(parses_what_it_should),
        PN_TEST(refuses_what_is_no_number),
        PN_TEST(reads_back_what_it_writes),
        PN_TEST(writes_the_shortest_form),
        PN_TEST(writes_what_the_c_library_would),
        PN_TEST(does_not_follow_the_locale),
        PN_TEST(whole_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
