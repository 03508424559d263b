/* `panem traffic` with every kind of model in one run, as a user runs it: one table, the known
 * order of the models' errors, clear words for a wrong one. */
#include "../cmocka_pn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define TRAFFIC \
    PN_BINARY_DIR "/panem traffic -c " PN_SOURCE_DIR "/tests/data/curves/formula/formula.csv"

enum { TEXT_MAX = 1 << 16 };

static char said[TEXT_MAX];

static int sh(const char *line)
{
    char command[1000];
    (void)snprintf(command, sizeof command, "{ %s ; } 2>&1", line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(said, 1, sizeof said - 1, pipe);
    said[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A field of the model's row, by column from 0. */
static double field(const char *model, int column)
{
    char start[64];
    (void)snprintf(start, sizeof start, "\n%s,", model);
    const char *at = strstr(said, start);
    assert_non_null(at);
    at++;
    for (int i = 0; i < column; i++) {
        at = strchr(at, ',');
        assert_non_null(at);
        at++;
    }
    return strtod(at, NULL);
}

static int column_of(const char *name)
{
    const char *at = strstr(said, name);
    assert_non_null(at);
    int column = 0;
    for (const char *c = said; c < at; c++)
        column += *c == ',';
    return column;
}

static void every_model_is_a_row_of_one_table(void **state)
{
    (void)state;
    static const char *const models[] = {"panem",
                                         "panem:paper",
                                         "fixed:idle",
                                         "fixed:high",
                                         "md1",
                                         "mess",
                                         "mg1",
                                         "nextfree:num_outstanding=1",
                                         "dram:ddr4-2666:channels=6"};
    assert_int_equal(sh(TRAFFIC " --model panem,panem:paper,fixed:idle,fixed:high,md1,mess,mg1,"
                                "nextfree:num_outstanding=1,dram:ddr4-2666:channels=6 "
                                "--random-share 40% --read-pct 67 --load 70% --error 1% "
                                "--requests-max 100k --format csv"),
                     0);
    int latency = column_of("read_latency_ns");
    int error = column_of("error_pct");
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        double ns = field(models[i], latency);
        assert_true(ns > 60.0 && ns < 400.0);
    }
    /* the set's latency at 70 % is 109 ns, idle 92 */
    double panem = field("panem", error);
    double mess = field("mess", error);
    double md1 = field("md1", error);
    double mg1 = field("mg1", error);
    assert_true(panem > -0.5 && panem < 0.5);
    assert_true(mess > -2.0 && mess < 2.0);
    assert_true(md1 > 50.0);
    assert_true(mg1 < -10.0);
    assert_true(field("fixed:idle", error) < -10.0);
    assert_true(field("fixed:high", error) > 10.0);
}

static void wrong_models_exit_2_with_the_nearest_name(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {" --model md2", "did you mean"},
        {" --model dram:ddr4-2667", "ddr4-2666"},
        {" --model mess:curve_windows_size=5", "curve_window_size"},
        {" --model mess:curve_window_size=1", "curve_window_size"},
        {" --model md1:frequency=2", "GHz"},
        {" --model dram:ddr4-2666 --sharers 4 --load 10%", "whole memory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[400];
        (void)snprintf(line, sizeof line, TRAFFIC "%s", cases[i][0]);
        int code = sh(line);
        if (code != 2 || !strstr(said, cases[i][1]))
            fail_msg("%s\nexit code %d: %.400s", line, code, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(every_model_is_a_row_of_one_table),
        PN_TEST(wrong_models_exit_2_with_the_nearest_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
