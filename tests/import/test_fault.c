/* Memory and files that fail at every call in turn, under the whole `panem curves` commands: the
 * exit code says so, nothing leaks, and no output and no temporary file is left. */
#include "../cmocka_pn.h"

#include "../cli/failing.h"

#define DATA PN_SOURCE_DIR "/tests/data/curves/"
#define FORMULA PN_SOURCE_DIR "/tests/data/curves/formula/formula.csv"

typedef struct job {
    const pn_command *command;
    const char *args[FAILING_ARGS_MAX];
} job;

static const job JOBS[] = {
    {&pn_cmd_curves_import,
     {DATA "d1", "--latency-unit", "cycles", "--clock", "2GHz", "--label", "kernel", "-o", "OUT",
      "--theoretical-peak", "6x8x2666", "--hardware", "none"}},
    {&pn_cmd_curves_import, {DATA "mlc/two-tables.txt", "--table", "2", "-o", "OUT"}},
    {&pn_cmd_curves_import, {DATA "asct/four-columns.txt", "--read-pct", "100", "-o", "OUT"}},
    {&pn_cmd_curves_import, {DATA "same/multiload.txt", "-o", "OUT"}},
    {&pn_cmd_curves_import, {DATA "mess2", "-o", "OUT"}},
    {&pn_cmd_curves_import, {DATA "mess2/memory_curves.json", "-o", "OUT"}},
    {&pn_cmd_curves_import,
     {DATA "profet/curves.json", "--clock", "2GHz", "--label", "kernel", "-o", "OUT"}},
    {&pn_cmd_curves_import, {DATA "csv/plain.csv", "--latency-offset", "5ns", "-o", "OUT"}},
    {&pn_cmd_curves_merge, {DATA "csv/std.csv", DATA "merge/half.csv", "-o", "OUT"}},
    {&pn_cmd_curves_scale,
     {DATA "csv/plain.csv", "--bandwidth-factor", "2", "--on-chip", "10ns", "--name", "x", "-o",
      "OUT"}},
    {&pn_cmd_curves_check, {FORMULA}},
    {&pn_cmd_curves_check, {DATA "csv/plain.csv", "--format", "json"}},
    {&pn_cmd_curves_show, {DATA "csv/plain.csv"}},
    {&pn_cmd_curves_show, {DATA "csv/plain.csv", "--converted", "--read-pct", "70"}},
    {&pn_cmd_curves_show, {DATA "csv/plain.csv", "--converted", "--format", "json"}},
};
enum { JOB_COUNT = sizeof JOBS / sizeof *JOBS };

static void memory_that_runs_out_at_any_call_fails_cleanly(void **state)
{
    (void)state;
    for (int j = 0; j < JOB_COUNT; j++)
        fail_at_every_call(JOBS[j].command, JOBS[j].args, FAULT_MEMORY);
}

static void a_read_that_fails_at_any_call_fails_cleanly(void **state)
{
    (void)state;
    for (int j = 0; j < JOB_COUNT; j++)
        fail_at_every_call(JOBS[j].command, JOBS[j].args, FAULT_READ);
}

static void a_write_that_fails_at_any_call_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int j = 0; j < JOB_COUNT; j++)
        if (JOBS[j].command != &pn_cmd_curves_check && JOBS[j].command != &pn_cmd_curves_show)
            fail_at_every_call(JOBS[j].command, JOBS[j].args, FAULT_WRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(memory_that_runs_out_at_any_call_fails_cleanly),
        PN_TEST(a_read_that_fails_at_any_call_fails_cleanly),
        PN_TEST(a_write_that_fails_at_any_call_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, failing_make_dir, failing_drop_dir);
}
