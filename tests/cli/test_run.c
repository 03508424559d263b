/* `panem run` as a user runs it: a ChampSim trace made here, results as JSON, clear words for what
 * cannot be. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>

#define RUN PN_BINARY_DIR "/panem run "
#define CURVES " -c " PN_SOURCE_DIR "/curves/ddr4-2666x6.csv "

enum { TEXT_MAX = 1 << 16, RECORDS = 60000 };

static char said[TEXT_MAX];
static char trace[64], writing[64], empty[64];

static int sh(const char *arguments)
{
    char command[1000];
    (void)snprintf(command, sizeof command, "{ " RUN "%s ; } 2>&1", arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(said, 1, sizeof said - 1, pipe);
    said[length] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A command whose first word is the trace. */
static int run(const char *options)
{
    char arguments[800];
    (void)snprintf(arguments, sizeof arguments, "%s %s", trace, options);
    return sh(arguments);
}

static double number(const json_t *tree, const char *section, const char *key)
{
    const json_t *value = json_object_get(json_object_get(tree, section), key);
    assert_non_null(value);
    return json_number_value(value);
}

static json_t *run_json(const char *options)
{
    char all[700];
    (void)snprintf(all, sizeof all, "%s --json -", options);
    if (run(all) != 0)
        fail_msg("%s", said);
    json_t *tree = json_loads(said, 0, NULL);
    assert_non_null(tree);
    return tree;
}

/* Records of 64 bytes: ip, is_branch, taken, 2 + 4 registers, 2 + 4 addresses. A loop of one load
 * of a far line, a store to another when asked for, and other instructions. */
static void write_trace(const char *path, bool stores)
{
    FILE *f = fopen(path, "wb");
    uint64_t far = 0x100000;
    assert_non_null(f);
    for (int i = 0; i < RECORDS; i++) {
        unsigned char r[64] = {0};
        uint64_t ip = 0x400000 + (uint64_t)(i % 4) * 4;
        memcpy(r, &ip, 8);
        r[10] = (unsigned char)(1 + i % 4);
        r[12] = 20;
        if (i % 4 == 0) {
            far += 4096 + 64;
            memcpy(r + 32, &far, 8);
        }
        if (i % 4 == 1 && stores) {
            uint64_t written = far + (UINT64_C(1) << 36);
            memcpy(r + 16, &written, 8);
        }
        if (i % 4 == 3) {
            r[8] = r[9] = 1;
            r[10] = 26;
            r[12] = 26;
        }
        assert_int_equal(fwrite(r, 1, sizeof r, f), sizeof r);
    }
    assert_int_equal(fclose(f), 0);
}

static void results_are_whole_and_add_up(void **state)
{
    (void)state;
    json_t *t = run_json(CURVES "--from champsim -w 20k -i 30k");
    assert_int_equal((int)number(t, "core", "instructions"), 30000);
    double product = number(t, "core", "ipc") * number(t, "core", "cycles");
    assert_float_equal(product, 30000.0, 0.01);
    assert_true(
        json_is_true(json_object_get(json_object_get(t, "views_of_whole_run"), "lines_agree")));
    const json_t *levels = json_object_get(t, "levels");
    /* every fourth instruction reads a line that nobody read before; up to a ROB of them is in
     * flight where the phases are cut */
    assert_float_equal(number(levels, "llc", "mpki"), 250.0, 2.0);
    assert_true(json_is_null(json_object_get(json_object_get(t, "writes"), "latency_mean_ns")));
    json_decref(t);
}

static double deep(const json_t *t, const char *a, const char *b, const char *c)
{
    return number(json_object_get(t, a), b, c);
}

static double sum_deep(const json_t *t, const char *a, const char *c)
{
    static const char *const levels[] = {"level_0", "level_1", "level_2", "level_3"};
    double sum = 0.0;
    for (int i = 0; i < 4; i++)
        sum += deep(t, a, levels[i], c);
    return sum;
}

/* Quantiles rise and surround the mean; every view of the run says the same; shares are whole. */
static void reads_and_writes_have_quantiles_and_three_views_agree(void **state)
{
    (void)state;
    static const char *const kinds[] = {"reads", "writes"};
    static const char *const views[] = {"interface", "memory"};
    static const char *const lines[] = {"read_lines", "write_lines", "read_bandwidth_gbs",
                                        "write_bandwidth_gbs"};
    char arguments[700];
    (void)snprintf(
        arguments, sizeof arguments,
        "%s " CURVES "--from champsim -w 20k -i 30k --active-cores 24 --set "
        "llc_size=8MiB --set l2_size=64KiB --set cbusy_control=both --set cbusy_window=8 --json -",
        writing);
    assert_int_equal(sh(arguments), 0);
    json_t *t = json_loads(said, 0, NULL);
    assert_non_null(t);
    for (int i = 0; i < 2; i++) {
        double p50 = number(t, kinds[i], "latency_p50_ns");
        double p99 = number(t, kinds[i], "latency_p99_ns");
        assert_true(number(t, kinds[i], "lines") > 5000.0);
        assert_true(p50 > 20.0 && p50 <= number(t, kinds[i], "latency_p95_ns"));
        assert_true(number(t, kinds[i], "latency_p95_ns") <= p99);
        assert_true(p50 < p99 && number(t, kinds[i], "latency_mean_ns") < p99);
        for (int k = 0; k < 4; k++) {
            double core = deep(t, "views_of_whole_run", "core", lines[k]);
            double other = deep(t, "views_of_whole_run", views[i], lines[k]);
            assert_true(core > 0.0);
            assert_true(fabs(other / core - 1.0) < 0.001);
        }
    }
    double here = deep(t, "views_of_whole_run", "interface", "read_latency_ns");
    assert_true(fabs(deep(t, "views_of_whole_run", "memory", "read_latency_ns") / here - 1.0) <
                0.001);
    assert_true(fabs(sum_deep(t, "cbusy", "in_effect_pct") - 100.0) < 1e-6);
    assert_true(fabs(sum_deep(t, "cbusy", "l2_prefetcher_pct") - 100.0) < 1e-6);
    assert_true(deep(t, "cbusy", "level_0", "in_effect_pct") < 99.0);
    assert_true(number(t, "cbusy_control", "windows") > 10.0);
    assert_true(number(t, "cbusy_control", "limit_mean_lines") <=
                number(t, "cbusy_control", "limit_most_lines"));
    double used = number(t, "core", "share_used_pct");
    assert_true(used > 10.0 && used < 102.0);
    json_decref(t);
}

static void more_active_cores_make_it_slower(void **state)
{
    (void)state;
    static const char *const loads[] = {"whole", "moderate", "heavy"};
    double before = 1e9;
    for (int i = 0; i < 3; i++) {
        char options[300];
        (void)snprintf(options, sizeof options, CURVES "--from champsim --load %s", loads[i]);
        json_t *t = run_json(options);
        double ipc = number(t, "core", "ipc");
        assert_true(ipc < before);
        before = ipc;
        json_decref(t);
    }
}

static void models_and_drams_stand_behind_one_word(void **state)
{
    (void)state;
    static const char *const models[] = {"panem:paper", "fixed:idle",    "fixed:high",
                                         "md1",         "mess",          "mg1",
                                         "nextfree",    "dram:ddr4-2666"};
    for (int i = 0; i < 8; i++) {
        char options[300];
        (void)snprintf(options, sizeof options, CURVES "--from champsim -i 20k --model %s",
                       models[i]);
        json_t *t = run_json(options);
        assert_true(number(t, "core", "ipc") > 0.01);
        assert_true(number(t, "reads", "lines") > 4000);
        json_decref(t);
    }
}

static void the_same_run_gives_the_same_bytes(void **state)
{
    (void)state;
    static char first[TEXT_MAX];
    assert_int_equal(run(CURVES "--from champsim -w 5k --load heavy --json -"), 0);
    memcpy(first, said, sizeof first);
    assert_int_equal(run(CURVES "--from champsim -w 5k --load heavy --json -"), 0);
    assert_string_equal(first, said);
}

static void bad_words_are_one_clear_line(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int code;
        const char *says;
    } cases[] = {
        {CURVES "--set robb=3", 2, "did you mean 'rob'"},
        {CURVES "--set rob=32", 2, "lob (96) is larger than rob (32)"},
        {CURVES "--set l1d_ways=0", 2, "l1d_ways"},
        {CURVES "--active-cores 0", 2, "--active-cores"},
        {CURVES "--core neoverse-v3", 2, "neoverse-v2"},
        {CURVES "--load full", 2, "whole, moderate, heavy"},
        {CURVES "--model panen", 2, "panem"},
        {"", 2, "--curves"},
        {"--model dram:ddr4-2666 --load heavy", 2, "whole memory"},
        {"-c /nonexistent.csv", 3, "/nonexistent.csv"},
        {CURVES "--from champsim --set llc_latency=200ns", 3, "on-chip"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int code = run(cases[i].options);
        if (code != cases[i].code || !strstr(said, cases[i].says))
            fail_msg("%s: exit %d, %s", cases[i].options, code, said);
        assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
    }
}

static void a_trace_without_instructions_is_an_error(void **state)
{
    (void)state;
    char arguments[400];
    (void)snprintf(arguments, sizeof arguments, "%s " CURVES "--from champsim", empty);
    assert_int_equal(sh(arguments), 3);
    assert_int_equal(sh(CURVES), 2);
}

static void the_configuration_is_printed_with_its_sources(void **state)
{
    (void)state;
    assert_int_equal(sh("--core neoverse-v2 --set rob=300 --print-config"), 0);
    assert_non_null(strstr(said, "rob = 300   #"));
    assert_non_null(strstr(said, "lob = 175   #"));
    assert_non_null(strstr(said, "[neoverse-v2: [gem5] 175]"));
}

static int make_traces(void **state)
{
    (void)state;
    (void)snprintf(trace, sizeof trace, "/tmp/panem-run-%ld.trace", (long)getpid());
    (void)snprintf(empty, sizeof empty, "/tmp/panem-run-%ld.empty", (long)getpid());
    write_trace(trace, false);
    (void)snprintf(writing, sizeof writing, "/tmp/panem-run-%ld.writing", (long)getpid());
    write_trace(writing, true);
    FILE *f = fopen(empty, "wb");
    assert_non_null(f);
    return fclose(f);
}

static int remove_traces(void **state)
{
    (void)state;
    (void)remove(trace);
    (void)remove(writing);
    (void)remove(empty);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(results_are_whole_and_add_up),
        PN_TEST(reads_and_writes_have_quantiles_and_three_views_agree),
        PN_TEST(more_active_cores_make_it_slower),
        PN_TEST(models_and_drams_stand_behind_one_word),
        PN_TEST(the_same_run_gives_the_same_bytes),
        PN_TEST(bad_words_are_one_clear_line),
        PN_TEST(a_trace_without_instructions_is_an_error),
        PN_TEST(the_configuration_is_printed_with_its_sources),
    };
    return cmocka_run_group_tests(tests, make_traces, remove_traces);
}
