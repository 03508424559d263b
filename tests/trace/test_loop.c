/* test_loop.c - a trace that begins again, against counting modulo its length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cmocka_pn.h"
#include "base/file.h"
#include "trace/loop.h"

enum { RECORDS = 1000, RECORD_BYTES = 64 };

static char folder[] = "/tmp/panem-loop-XXXXXX";
static char path[128];

/* ChampSim records of an instruction at 0x1000 + 4 i that reads its own number. */
static int set_up(void **state)
{
    (void)state;
    static unsigned char bytes[RECORDS * RECORD_BYTES];
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/a.champsim", folder);
    for (uint64_t i = 0; i < RECORDS; i++) {
        uint64_t pc = 0x1000 + 4 * i;
        uint64_t address = 0x100000 + 64 * i;
        memcpy(&bytes[i * RECORD_BYTES], &pc, sizeof pc);
        bytes[i * RECORD_BYTES + 10] = 5; /* destination register */
        memcpy(&bytes[i * RECORD_BYTES + 32], &address, sizeof address);
    }
    return pn_file_write(path, bytes, sizeof bytes, NULL) == PANEM_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    (void)remove(path);
    return rmdir(folder);
}

static void walk(uint64_t length, uint64_t start)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace_loop *loop = NULL;
    panem_error err = PANEM_ERROR_INIT;
    uint64_t round = length && length < RECORDS ? length : RECORDS;
    if (pn_trace_loop_open(&loop, path, &options, length, start, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    for (uint64_t i = start; i < start + 3 * round + 7; i++) {
        const pn_op *op = NULL;
        assert_int_equal(pn_trace_loop_next(loop, &op, &err), PANEM_OK);
        assert_int_equal(op->inst->pc, 0x1000 + 4 * (i % round));
        assert_int_equal(op->n_accesses, 1);
        assert_int_equal(op->accesses[0].address, 0x100000 + 64 * (i % round));
    }
    assert_int_equal(pn_trace_loop_rounds(loop),
                     ((length ? start % length : start) + 3 * round + 6) / round);
    pn_trace_loop_close(loop);
}

static void it_goes_round_from_anywhere(void **state)
{
    (void)state;
    walk(0, 0);
    walk(0, 1234);
    walk(1, 0);
    walk(7, 5);
    walk(7, 7);
    walk(RECORDS, RECORDS - 1);
    walk(RECORDS + 1, 3); /* longer than the trace: to its end */
}

static void what_cannot_begin_again_is_told(void **state)
{
    (void)state;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace_loop *loop = NULL;
    assert_int_equal(pn_trace_loop_open(&loop, "-", &options, 0, 0, NULL), PANEM_E_ARG);
    assert_int_equal(pn_trace_loop_open(&loop, "/nonexistent", &options, 0, 0, NULL), PANEM_E_IO);
    assert_null(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(it_goes_round_from_anywhere),
        PN_TEST(what_cannot_begin_again_is_told),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
