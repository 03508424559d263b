/* test_import.c - foreign formats: what is written by hand is read as meant; what is wrong is
 * refused with its place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cmocka_pn.h"
#include "base/file.h"
#include "base/rng.h"
#include "trace/bytes.h"
#include "trace/copy.h"

static char folder[] = "/tmp/panem-import-XXXXXX";
static char path[128], other[128], third[128];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/a", folder);
    (void)snprintf(other, sizeof other, "%s/b", folder);
    (void)snprintf(third, sizeof third, "%s/c", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)remove(path);
    (void)remove(other);
    (void)remove(third);
    return rmdir(folder);
}

/* Opens and reads everything; the first failure's status and message. */
static panem_status read_all(const char *from, pn_trace_format format, bool accept,
                             pn_mem_record *records, size_t *n, panem_error *err)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    size_t room = *n, have = 0, got = 1;
    options.format = format;
    options.accept_truncated = accept;
    *n = 0;
    panem_status status = pn_trace_open(&trace, from, &options, err);
    while (status == PANEM_OK && got && have < room) {
        status = pn_trace_next_mem(trace, records + have, &got, room - have, err);
        have += status == PANEM_OK ? got : 0;
    }
    *n = have;
    pn_trace_close(trace);
    return status;
}

static void expect_records(const char *text, pn_trace_format format, const pn_mem_record *expected,
                           size_t n)
{
    pn_mem_record got[32];
    size_t have = 32;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_write(path, text, strlen(text), NULL), PANEM_OK);
    if (read_all(path, PN_TRACE_FORMAT_AUTO, false, got, &have, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    assert_int_equal(have, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(got[i].time, expected[i].time);
        assert_int_equal(got[i].address, expected[i].address);
        assert_int_equal(got[i].bytes, expected[i].bytes);
        assert_int_equal(got[i].write, expected[i].write);
    }
    pn_trace *trace = NULL;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    assert_int_equal(pn_trace_open(&trace, path, &options, NULL), PANEM_OK);
    assert_int_equal(pn_trace_about(trace)->format, format);
    assert_int_equal(pn_trace_about(trace)->kind, PN_TRACE_MEMORY);
    pn_trace_close(trace);
}

static void text_formats_are_told_apart_and_read(void **state)
{
    (void)state;
    static const pn_mem_record dramsim3[] = {{7, 0x1f40, 0, 0}, {9, 0x2f80, 0, 1}};
    static const pn_mem_record ramulator[] = {
        {3, 20734016, 0, 0}, {5, 20846400, 0, 0}, {5, 8841472, 0, 1}};
    static const pn_mem_record plain[] = {{0, 0x12340, 0, 0}, {0, 0x4cbd56c0, 0, 1}};
    static const pn_mem_record dramsys[] = {{31, 0x400140, 0, 0}, {33, 0x400180, 0, 1}};
    static const pn_mem_record lackey[] = {
        {0, 0x1fff0006d8, 8, 1}, {1, 0x4222c4, 4, 0}, {1, 0x4222c4, 4, 1}};
    expect_records("0x1f40 READ 7\n0x2f80 WRITE 9\n", PN_TRACE_FORMAT_DRAMSIM3, dramsim3, 2);
    expect_records("3 20734016\n1 20846400 8841472\n", PN_TRACE_FORMAT_RAMULATOR, ramulator, 3);
    expect_records("0x12340 R\n0x4cbd56c0 W\n", PN_TRACE_FORMAT_RAMULATOR, plain, 2);
    expect_records("LD 0x12340\nST 0x4cbd56c0\n", PN_TRACE_FORMAT_RAMULATOR, plain, 2);
    expect_records("31:\tread\t0x400140\n33:\twrite\t0x400180\n", PN_TRACE_FORMAT_DRAMSYS, dramsys,
                   2);
    expect_records("==12== lackey\nI  0401b770,1\n S 1fff0006d8,8\nI  0401b771,3\n M 4222c4,4\n",
                   PN_TRACE_FORMAT_LACKEY, lackey, 3);
}

static void dirt_in_text_changes_nothing(void **state)
{
    (void)state;
    static const pn_mem_record dramsim3[] = {{7, 0x1f40, 0, 0}, {9, 0x2f80, 0, 1}};
    expect_records("# made by hand\r\n\r\n0x1f40 READ 7\t\r\n   0x2f80   WRITE 9",
                   PN_TRACE_FORMAT_DRAMSIM3, dramsim3, 2);
}

static void refuse(const char *text, pn_trace_format format, uint32_t line)
{
    pn_mem_record got[32];
    size_t have = 32;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_write(path, text, strlen(text), NULL), PANEM_OK);
    assert_int_equal(read_all(path, format, false, got, &have, &err), PANEM_E_FORMAT);
    assert_int_equal(err.line, line);
}

static void wrong_lines_are_refused_with_their_number(void **state)
{
    (void)state;
    refuse("0x1f40 READ 7\n0x1f40 REED 8\n", PN_TRACE_FORMAT_DRAMSIM3, 2);
    refuse("0x1f40 READ 7\n1f40 READ 8\n", PN_TRACE_FORMAT_DRAMSIM3, 2);
    refuse("0x1f40 READ 7\n0x1f40 READ 6\n", PN_TRACE_FORMAT_DRAMSIM3, 2);
    refuse("0x1f40 READ\n", PN_TRACE_FORMAT_DRAMSIM3, 1);
    refuse("3 20734016\n0x12340 R\n", PN_TRACE_FORMAT_RAMULATOR, 2);
    refuse("R 0,1,2,3\n", PN_TRACE_FORMAT_RAMULATOR, 1);
    refuse("31:\tREAD\t0x400140\n", PN_TRACE_FORMAT_DRAMSYS, 1);
    refuse("I  0401b770,1\n S 1fff,0\n", PN_TRACE_FORMAT_LACKEY, 2);
    refuse("version https://git-lfs.github.com/spec/v1\n", PN_TRACE_FORMAT_AUTO, 0);
}

/* ---- gem5 ------------------------------------------------------------------------------------ */

static void put_message(pn_bytes *out, const pn_bytes *body)
{
    assert_true(pn_bytes_reserve(out, body->length + PN_VARINT_MAX));
    pn_put_varint(out, body->length);
    memcpy(out->data + out->length, body->data, body->length);
    out->length += body->length;
}

static void put_field(pn_bytes *out, unsigned number, uint64_t value)
{
    assert_true(pn_bytes_reserve(out, 2 * PN_VARINT_MAX));
    pn_put_varint(out, number << 3);
    pn_put_varint(out, value);
}

static void gem5_packets_are_read(void **state)
{
    (void)state;
    pn_bytes file = {NULL, 0, 0}, body = {NULL, 0, 0};
    assert_true(pn_bytes_reserve(&file, 4));
    memcpy(file.data, "gem5", 4);
    file.length = 4;
    put_field(&body, 3, UINT64_C(1000000000000));
    put_message(&file, &body);
    for (unsigned i = 0; i < 3; i++) {
        body.length = 0;
        put_field(&body, 1, i * 500);
        put_field(&body, 2, i & 1 ? 4 : 1);
        put_field(&body, 3, 0x80000000u + i * 64);
        put_field(&body, 4, 64);
        put_message(&file, &body);
    }
    pn_mem_record got[8];
    size_t n = 8;
    assert_int_equal(pn_file_write(path, file.data, file.length, NULL), PANEM_OK);
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_AUTO, false, got, &n, NULL), PANEM_OK);
    assert_int_equal(n, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(got[i].time, i * 500);
        assert_int_equal(got[i].address, 0x80000000u + i * 64);
        assert_int_equal(got[i].bytes, 64);
        assert_int_equal(got[i].write, i & 1);
    }
    n = 8;
    assert_int_equal(pn_file_write(path, file.data, file.length - 3, NULL), PANEM_OK);
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_AUTO, false, got, &n, NULL), PANEM_E_DAMAGED);
    n = 8;
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_AUTO, true, got, &n, NULL), PANEM_OK);
    assert_int_equal(n, 2);
    pn_bytes_release(&file);
    pn_bytes_release(&body);
}

/* ---- ChampSim -------------------------------------------------------------------------------- */

enum { SMALL = 64, LARGE = 96 };

/* Record i of an invented trace, in either form: the ip steps by 4; every fifth is a conditional
 * branch, taken when i is even; every third loads, every seventh stores. */
static void champsim_record(uint8_t *out, unsigned i, unsigned bytes)
{
    pn_bytes b = {out, 0, bytes};
    unsigned n_dst = bytes == LARGE ? 4 : 2;
    bool branch = i % 5 == 4;
    memset(out, 0, bytes);
    pn_put_le(&b, 0x400000 + 4 * (uint64_t)i, 8);
    pn_put_u8(&b, branch);
    pn_put_u8(&b, branch && i % 2 == 0);
    out[10] = branch ? 26 : 10;
    out[10 + n_dst] = branch ? 26 : 7;
    out[10 + n_dst + 1] = branch ? 25 : 0;
    b.length = bytes == LARGE ? 24 : 16;
    pn_put_le(&b, i % 7 == 0 ? 0x7000000 + 64 * (uint64_t)i : 0, 8);
    b.length = (bytes == LARGE ? 24 : 16) + 8 * n_dst;
    pn_put_le(&b, i % 3 == 0 ? 0x8000000 + 64 * (uint64_t)i : 0, 8);
}

static uint8_t *champsim_file(unsigned n, unsigned bytes)
{
    uint8_t *data = malloc((size_t)n * bytes + SMALL);
    assert_non_null(data);
    for (unsigned i = 0; i < n; i++)
        champsim_record(data + (size_t)i * bytes, i, bytes);
    return data;
}

static void check_champsim(pn_trace_format format, unsigned n)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    unsigned i = 0;
    options.format = format;
    assert_int_equal(pn_trace_open(&trace, path, &options, NULL), PANEM_OK);
    for (;;) {
        pn_batch batch;
        assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_OK);
        if (batch.n_ops == 0)
            break;
        assert_int_equal(batch.first, i);
        for (size_t k = 0; k < batch.n_ops; k++, i++) {
            const pn_op *op = &batch.ops[k];
            assert_int_equal(op->inst->pc, 0x400000 + 4 * (uint64_t)i);
            assert_int_equal(op->next_pc, i + 1 == n ? 0 : 0x400004 + 4 * (uint64_t)i);
            assert_int_equal(op->inst->branch, i % 5 == 4 ? PN_BRANCH_COND : PN_BRANCH_NONE);
            assert_int_equal((op->flags & PN_OP_TAKEN) != 0, i % 5 == 4 && i % 2 == 0);
            assert_int_equal(op->n_accesses, (i % 3 == 0) + (i % 7 == 0));
            if (i % 3 == 0)
                assert_int_equal(op->accesses[0].address, 0x8000000 + 64 * (uint64_t)i);
            if (i % 7 == 0)
                assert_true(op->accesses[op->n_accesses - 1].write);
        }
    }
    assert_int_equal(i, n);
    pn_trace_close(trace);
}

static void champsim_records_of_both_sizes_are_read(void **state)
{
    (void)state;
    static const unsigned counts[] = {1, 2, 2047, 2048, 2049, 2050, 10000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        uint8_t *data = champsim_file(counts[i], SMALL);
        assert_int_equal(pn_file_write(path, data, (size_t)counts[i] * SMALL, NULL), PANEM_OK);
        check_champsim(PN_TRACE_FORMAT_AUTO, counts[i]);
        free(data);
        data = champsim_file(counts[i], LARGE);
        assert_int_equal(pn_file_write(path, data, (size_t)counts[i] * LARGE, NULL), PANEM_OK);
        check_champsim(PN_TRACE_FORMAT_CLOUDSUITE, counts[i]);
        free(data);
    }
}

/* Case D8: a file of whole records and a rest; records of the other size. */
static void left_over_bytes_are_counted_in_the_message(void **state)
{
    (void)state;
    uint8_t *data = champsim_file(11, SMALL);
    pn_mem_record got[64];
    size_t n = 64;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_write(path, data, 10 * SMALL + 17, NULL), PANEM_OK);
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_CHAMPSIM, false, got, &n, &err),
                     PANEM_E_DAMAGED);
    assert_non_null(strstr(err.message, "17 bytes left over after 10 records"));
    n = 64;
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_CHAMPSIM, true, got, &n, NULL), PANEM_OK);
    assert_int_equal(n, 4 + 2); /* loads of 0 3 6 9, stores of 0 7 */
    free(data);
}

static void the_wrong_record_size_is_recognized(void **state)
{
    (void)state;
    uint8_t *data = champsim_file(192, LARGE);
    pn_mem_record got[64];
    size_t n = 64;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_write(path, data, 192 * LARGE, NULL), PANEM_OK);
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_AUTO, false, got, &n, &err), PANEM_E_FORMAT);
    assert_non_null(strstr(err.message, "cloudsuite"));
    free(data);
}

/* Case D7. */
static void a_compressed_trace_cut_short_says_how_many_records_it_had(void **state)
{
    (void)state;
    static const char *const tools[] = {"xz", "gzip", "bzip2", "zstd"};
    enum { RECORDS = 20000 };
    uint8_t *data = champsim_file(RECORDS, SMALL);
    pn_rng rng;
    pn_rng_init(&rng, 1, 1);
    for (unsigned i = 0; i < RECORDS; i++) /* so that it does not compress to nothing */
        data[(size_t)i * SMALL + 4] = (uint8_t)pn_rng_below(&rng, 256);
    assert_int_equal(pn_file_write(path, data, (size_t)RECORDS * SMALL, NULL), PANEM_OK);
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        char command[1024];
        size_t n = 0;
        panem_error err = PANEM_ERROR_INIT;
        (void)snprintf(command, sizeof command,
                       "%s -1 -c %s > %s && head -c $(($(stat -c %%s %s) * 6 / 10)) %s > %s",
                       tools[i], path, other, other, other, third);
        if (system(command) != 0)
            continue; /* not installed */
        pn_mem_record *got = malloc(RECORDS * 2 * sizeof *got);
        assert_non_null(got);
        n = RECORDS * 2;
        assert_int_equal(read_all(third, PN_TRACE_FORMAT_CHAMPSIM, false, got, &n, &err),
                         PANEM_E_DAMAGED);
        assert_non_null(strstr(err.message, "unexpected end of compressed data after"));
        n = RECORDS * 2;
        assert_int_equal(read_all(third, PN_TRACE_FORMAT_CHAMPSIM, true, got, &n, NULL), PANEM_OK);
        assert_true(n > 0 && n < RECORDS);
        free(got);
    }
    free(data);
}

static void an_empty_trace_is_an_error(void **state)
{
    (void)state;
    pn_mem_record got[4];
    size_t n = 4;
    assert_int_equal(pn_file_write(path, "", 0, NULL), PANEM_OK);
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_AUTO, false, got, &n, NULL), PANEM_E_EMPTY);
    assert_int_equal(read_all(path, PN_TRACE_FORMAT_CHAMPSIM, false, got, &n, NULL), PANEM_E_EMPTY);
}

static void champsim_through_ptrace_and_back_keeps_its_meaning(void **state)
{
    (void)state;
    enum { RECORDS = 5000 };
    uint8_t *data = champsim_file(RECORDS, SMALL);
    pn_copy_options options = {.input = PN_TRACE_OPTIONS_INIT, .to = PN_TRACE_FORMAT_PTRACE};
    pn_copy_result result;
    char *back = NULL;
    size_t length = 0;
    assert_int_equal(pn_file_write(path, data, (size_t)RECORDS * SMALL, NULL), PANEM_OK);
    assert_int_equal(pn_trace_copy(&result, other, path, &options, NULL), PANEM_OK);
    options.to = PN_TRACE_FORMAT_CHAMPSIM;
    assert_int_equal(pn_trace_copy(&result, third, other, &options, NULL), PANEM_OK);
    assert_int_equal(result.losses.accesses + result.losses.registers + result.losses.parts, 0);
    assert_int_equal(pn_file_read(&back, &length, third, 1 << 26, NULL), PANEM_OK);
    assert_int_equal(length, (size_t)RECORDS * SMALL);
    assert_memory_equal(back, data, length);
    free(back);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(text_formats_are_told_apart_and_read),
        PN_TEST(dirt_in_text_changes_nothing),
        PN_TEST(wrong_lines_are_refused_with_their_number),
        PN_TEST(gem5_packets_are_read),
        PN_TEST(champsim_records_of_both_sizes_are_read),
        PN_TEST(left_over_bytes_are_counted_in_the_message),
        PN_TEST(the_wrong_record_size_is_recognized),
        PN_TEST(a_compressed_trace_cut_short_says_how_many_records_it_had),
        PN_TEST(an_empty_trace_is_an_error),
        PN_TEST(champsim_through_ptrace_and_back_keeps_its_meaning),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
