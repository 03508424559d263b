/* Parameter tables and unit literals. */
#include "../cmocka_pn.h"

#include <string.h>

#include "base/param.h"

typedef struct settings {
    uint64_t window_ps;
    double share;
    uint32_t count;
    uint32_t on;
    uint32_t mode;
} settings;

static const char *const MODES[] = {"even", "random", NULL};

static const pn_param TABLE[] = {
    {"window", PN_PARAM_U64, PN_DIM_TIME, offsetof(settings, window_ps), 520000, 1000, 1e10, NULL,
     "w"},
    {"share", PN_PARAM_DOUBLE, PN_DIM_FRACTION, offsetof(settings, share), 0.5, 0, 1, NULL, "s"},
    {"count", PN_PARAM_U32, PN_DIM_COUNT, offsetof(settings, count), 4, 1, 100, NULL, "c"},
    {"on", PN_PARAM_BOOL, PN_DIM_NONE, offsetof(settings, on), 1, 0, 0, NULL, "o"},
    {"mode", PN_PARAM_CHOICE, PN_DIM_NONE, offsetof(settings, mode), 1, 0, 0, MODES, "m"},
};
enum { N = sizeof TABLE / sizeof TABLE[0] };

static void defaults_and_values(void **state)
{
    (void)state;
    settings s;
    memset(&s, 0, sizeof s);
    pn_param_defaults(TABLE, N, &s);
    assert_int_equal(s.window_ps, 520000);
    assert_int_equal(s.mode, 1);
    assert_int_equal(pn_param_assign(TABLE, N, &s, "window=1.04us", NULL), PANEM_OK);
    assert_int_equal(s.window_ps, 1040000);
    assert_int_equal(pn_param_set(TABLE, N, &s, "share", "25%", NULL), PANEM_OK);
    assert_true(s.share == 0.25);
    assert_int_equal(pn_param_set(TABLE, N, &s, "on", "no", NULL), PANEM_OK);
    assert_int_equal(s.on, 0);
    assert_int_equal(pn_param_set(TABLE, N, &s, "mode", "even", NULL), PANEM_OK);
    assert_int_equal(s.mode, 0);
}

static void refuses(const char *assignment, const char *message)
{
    settings s;
    memset(&s, 0, sizeof s);
    pn_param_defaults(TABLE, N, &s);
    settings before = s;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_param_assign(TABLE, N, &s, assignment, &err), PANEM_E_ARG);
    if (!strstr(err.message, message))
        fail_msg("'%s' said '%s', not '%s'", assignment, err.message, message);
    assert_memory_equal(&s, &before, sizeof s);
}

static void bad_assignments_say_why(void **state)
{
    (void)state;
    refuses("window=520", "no unit");
    refuses("window=520GHz", "unknown unit");
    refuses("window=1ps", "outside");
    refuses("windwo=1ns", "did you mean 'window'");
    refuses("count=2.5", "not a whole number");
    refuses("count=0", "outside");
    refuses("mode=odd", "even, random");
    refuses("on=maybe", "neither on nor off");
    refuses("share", "key=value");
    refuses("share=0,5", "unknown unit");
}

static void prints_what_it_reads(void **state)
{
    (void)state;
    settings s;
    memset(&s, 0, sizeof s);
    pn_param_defaults(TABLE, N, &s);
    s.window_ps = 123456;
    s.share = 1.0 / 3.0;
    settings back;
    memset(&back, 0, sizeof back);
    for (size_t i = 0; i < N; i++) {
        pn_text text = PN_TEXT_INIT;
        pn_param_format(&text, &TABLE[i], &s);
        assert_int_equal(pn_param_set(TABLE, N, &back, TABLE[i].name, text.data, NULL), PANEM_OK);
        pn_text_release(&text);
    }
    assert_memory_equal(&s, &back, sizeof s);
}

static void units(void **state)
{
    (void)state;
    double v = 0;
    assert_int_equal(pn_unit_parse(&v, "38.4GB/s", PN_DIM_BANDWIDTH, "b", NULL), PANEM_OK);
    assert_true(v == 38.4e9);
    assert_int_equal(pn_unit_parse(&v, "1000MiB/s", PN_DIM_BANDWIDTH, "b", NULL), PANEM_OK);
    assert_true(v == 1048576000.0);
    assert_int_equal(pn_unit_parse(&v, "3.2GHz", PN_DIM_FREQUENCY, "f", NULL), PANEM_OK);
    assert_true(v == 3.2e9);
    uint64_t u = 0;
    assert_int_equal(pn_unit_parse_u64(&u, "50M", PN_DIM_COUNT, 0, UINT64_MAX / 2, "n", NULL),
                     PANEM_OK);
    assert_true(u == 50000000);
    char text[32];
    pn_unit_format(text, sizeof text, 520000, PN_DIM_TIME);
    assert_string_equal(text, "520ns");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(defaults_and_values),
        PN_TEST(bad_assignments_say_why),
        PN_TEST(prints_what_it_reads),
        PN_TEST(units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
