/* Memory and files that fail at every call in turn, under the whole `panem run`: one core, several
 * cores, in front of a model and of a DRAM, with JSON and series. */
#include "../cmocka_pn.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing.h"

#define CURVES PN_SOURCE_DIR "/tests/data/curves/csv/plain.csv"

/* One instruction of a ChampSim trace: ip, branch and taken, 2 + 4 registers, 2 written and 4 read
 * addresses. */
enum { RECORD_BYTES = 64, LOAD_OFFSET = 32, STORE_OFFSET = 16, INSTRUCTIONS = 400, STRIDE = 4096 };

static char folder[] = "/tmp/panem-run-XXXXXX";
static char trace[64];

/* Loads and stores to a new page each, so that misses go down to memory. */
static int make_trace(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(trace, sizeof trace, "%s/made.champsim", folder);
    FILE *file = fopen(trace, "wb");
    if (!file)
        return -1;
    for (uint64_t i = 0; i < INSTRUCTIONS; i++) {
        unsigned char record[RECORD_BYTES] = {0};
        uint64_t ip = 0x400000 + i % 64 * 4;
        uint64_t address = 0x10000000 + i * STRIDE;
        memcpy(record, &ip, sizeof ip);
        memcpy(record + (i % 4 == 3 ? STORE_OFFSET : LOAD_OFFSET), &address, sizeof address);
        (void)fwrite(record, sizeof record, 1, file);
    }
    return fclose(file) == 0 ? failing_make_dir(state) : -1;
}

static int drop_trace(void **state)
{
    return unlink(trace) == 0 && rmdir(folder) == 0 ? failing_drop_dir(state) : -1;
}

#define SMALL \
    "--set", "llc_size=256KiB", "--set", "l2_size=64KiB", "-w", "50", "-i", "300", "--quiet"

typedef struct job {
    bool writes; /* a file of its own */
    const char *args[FAILING_ARGS_MAX];
} job;

static const job JOBS[] = {
    {false, {trace, "-c", CURVES, SMALL}},
    {true, {trace, "-c", CURVES, "--load", "heavy", SMALL, "--json", "OUT"}},
    {true, {trace, "-m", "dram:ddr5-4800", SMALL, "--series", "OUT"}},
    {false, {trace, trace, "-c", CURVES, "--cores", "2", "--stagger", "10", SMALL}},
    {true, {trace, "-c", CURVES, "--cores", "2", "--stagger", "10", SMALL, "--json", "OUT"}},
    {true,
     {trace, "-m", "dram:ddr5-4800", "--cores", "2", "--stagger", "10", SMALL, "--series", "OUT"}},
    {false, {"-c", CURVES, "--print-config", "--set", "rob=200"}},
};
enum { JOB_COUNT = sizeof JOBS / sizeof *JOBS };

static void memory_that_runs_out_at_any_call_fails_cleanly(void **state)
{
    (void)state;
    for (int j = 0; j < JOB_COUNT; j++)
        fail_at_every_call(&pn_cmd_run, JOBS[j].args, FAULT_MEMORY);
}

static void a_trace_that_cannot_be_read_any_more_fails_cleanly(void **state)
{
    (void)state;
    for (int j = 0; j + 1 < JOB_COUNT; j++)
        fail_at_every_call(&pn_cmd_run, JOBS[j].args, FAULT_READ);
}

static void a_write_that_fails_at_any_call_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int j = 0; j < JOB_COUNT; j++)
        if (JOBS[j].writes)
            fail_at_every_call(&pn_cmd_run, JOBS[j].args, FAULT_WRITE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(memory_that_runs_out_at_any_call_fails_cleanly),
        PN_TEST(a_trace_that_cannot_be_read_any_more_fails_cleanly),
        PN_TEST(a_write_that_fails_at_any_call_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_trace, drop_trace);
}
