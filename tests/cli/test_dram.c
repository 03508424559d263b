/* The `panem dram` commands as a user runs them. */
#include "../cmocka_pn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include <jansson.h>

enum { TEXT_MAX = 1 << 16 };

static char said[TEXT_MAX]; /* standard output and error of the last command */

static int sh(const char *line)
{
    char command[1000];
    (void)snprintf(command, sizeof command, "{ PATH='%s':$PATH && %s ; } 2>&1", PN_BINARY_DIR,
                   line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(said, 1, sizeof said - 1, pipe);
    said[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(int code, const char *says, const char *line)
{
    int have = sh(line);
    if (have != code || !strstr(said, says))
        fail_msg("%s\nexit code %d: %.600s", line, have, said);
}

static void usage_faults_are_one_line_and_exit_2(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"panem dram show", "which preset"},
        {"panem dram show ddr4-2667", "did you mean 'ddr4-2666'"},
        {"panem dram show ddr4-2666 ddr4-3200", "one preset only"},
        {"panem dram show ddr4-2666 --set ranks", "not key=value"},
        {"panem dram show ddr4-2666 --set rank=1", "did you mean 'ranks'"},
        {"panem dram show ddr4-2666 --set ranks=3", "powers of two"},
        {"panem dram show ddr4-2666 --set page_timeout=3", "page_timeout"},
        {"panem dram show ddr4-2666 --set refresh=same_bank", "ddr4 has no refresh same_bank"},
        {"panem dram show ddr4-2666 --channels 0", "channels"},
        {"panem dram show ddr4-2666 --format xml", "xml"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        expect(2, cases[i][1], cases[i][0]);
        char *end = strchr(said, '\n');
        assert_non_null(end);
        assert_true(end[1] == '\0');
    }
}

static void the_list_names_every_kind_of_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"ddr4-2666", "ddr4-3200", "ddr5-4800", "ddr5-5200",
                                        "ddr5-6400", "hbm2-",     "lpddr5-"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        expect(0, names[i], "panem dram list");
}

static double law(const json_t *json, const char *key)
{
    size_t i;
    json_t *l;
    json_array_foreach(json_object_get(json, "laws"), i, l)
    {
        if (strcmp(json_string_value(json_object_get(l, "key")), key) == 0)
            return json_number_value(json_object_get(l, "value"));
    }
    fail_msg("no law %s", key);
    return 0.0;
}

static void near(double a, double b)
{
    if (a < b * (1 - 1e-9) || a > b * (1 + 1e-9))
        fail_msg("%.12g is not %.12g", a, b);
}

static void overrides_and_channels_reach_the_laws_in_json(void **state)
{
    (void)state;
    assert_int_equal(sh("panem dram show ddr5-5200 --channels 8 --set refresh=none "
                        "--set trcd_ck=50 --format json"),
                     0);
    json_error_t error;
    json_t *json = json_loads(said, 0, &error);
    assert_non_null(json);
    near(law(json, "theoretical_peak"), 8 * 8 * 5.2);
    near(law(json, "stream_law"), 8 * 8 * 5.2);
    near(law(json, "unloaded"), (50 + 42 + 8) / 2.6);
    json_t *params = json_object_get(json, "parameters");
    assert_int_equal(json_integer_value(json_object_get(params, "channels")), 8);
    assert_string_equal(json_string_value(json_object_get(params, "refresh")), "none");
    json_decref(json);
}

static void the_table_shows_formulas_with_their_numbers(void **state)
{
    (void)state;
    expect(0, "tRCD + tCL + burst = 19 + 19 + 4 cycles", "panem dram show ddr4-2666");
    expect(0, "1 - tRFC / tREFI = 1 - 467 / 10400", "panem dram show DDR4-2666 --format csv");
    expect(0, "JESD79-4", "panem dram show ddr4-2666");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(usage_faults_are_one_line_and_exit_2),
        PN_TEST(the_list_names_every_kind_of_memory),
        PN_TEST(overrides_and_channels_reach_the_laws_in_json),
        PN_TEST(the_table_shows_formulas_with_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
