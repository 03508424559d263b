/* test_ptrace.c - .ptrace files: what goes in comes out, and damage never passes for data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cmocka_pn.h"
#include "base/file.h"
#include "trace/bytes.h"
#include "trace/ptrace.h"
#include "walk.h"

static char folder[] = "/tmp/panem-ptrace-XXXXXX";
static char path[128], other[128];

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/a.ptrace", folder);
    (void)snprintf(other, sizeof other, "%s/b.ptrace", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)remove(path);
    (void)remove(other);
    return rmdir(folder);
}

static void write_walk(const char *to, uint64_t seed, unsigned long n_ops)
{
    walk *w = malloc(sizeof *w);
    pn_ptrace_writer *out = NULL;
    panem_error err = PANEM_ERROR_INIT;
    pn_ptrace_meta meta = {.isa = PN_ISA_X86_64,
                           .decoder_version = 7,
                           .skipped = 12,
                           .name = "walk",
                           .source = "test",
                           .command = "./walk a\\b\nc"};
    assert_non_null(w);
    walk_start(w, seed);
    assert_int_equal(pn_ptrace_create(&out, to, &meta, &err), PANEM_OK);
    for (unsigned long i = 0; i < n_ops; i++)
        assert_int_equal(pn_ptrace_op(out, 0, walk_step(w, i + 1 == n_ops)), PANEM_OK);
    assert_int_equal(pn_ptrace_commit(out, NULL, &err), PANEM_OK);
    free(w);
}

static void assert_inst_equal(const pn_inst *a, const pn_inst *b)
{
    assert_int_equal(a->pc, b->pc);
    assert_int_equal(a->target, b->target);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->cls, b->cls);
    assert_int_equal(a->branch, b->branch);
    assert_int_equal(a->uops, b->uops);
    assert_memory_equal(a->dst, b->dst, sizeof a->dst);
    assert_memory_equal(a->addr, b->addr, sizeof a->addr);
    assert_memory_equal(a->src, b->src, sizeof a->src);
    assert_memory_equal(a->bytes, b->bytes, sizeof a->bytes);
}

static void assert_op_equal(const pn_op *a, const pn_op *b)
{
    assert_inst_equal(a->inst, b->inst);
    assert_int_equal(a->next_pc, b->next_pc);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->n_accesses, b->n_accesses);
    for (unsigned i = 0; i < a->n_accesses; i++) {
        assert_int_equal(a->accesses[i].address, b->accesses[i].address);
        assert_int_equal(a->accesses[i].bytes, b->accesses[i].bytes);
        assert_int_equal(a->accesses[i].write, b->accesses[i].write);
    }
}

static pn_trace *open_good(const char *from)
{
    pn_trace *trace = NULL;
    panem_error err = PANEM_ERROR_INIT;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    if (pn_trace_open(&trace, from, &options, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    return trace;
}

static void compare_walk(const char *from, uint64_t seed, unsigned long n_ops)
{
    walk *w = malloc(sizeof *w);
    pn_trace *trace = open_good(from);
    unsigned long i = 0, instructions = 0;
    assert_non_null(w);
    walk_start(w, seed);
    for (;;) {
        pn_batch batch;
        assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_OK);
        if (batch.n_ops == 0)
            break;
        assert_int_equal(batch.first, instructions);
        for (size_t k = 0; k < batch.n_ops; k++, i++) {
            assert_op_equal(&batch.ops[k], walk_step(w, i + 1 == n_ops));
            instructions += !(batch.ops[k].flags & PN_OP_CONTINUES);
        }
    }
    assert_int_equal(i, n_ops);
    assert_int_equal(pn_trace_about(trace)->instructions, instructions);
    pn_trace_close(trace);
    free(w);
}

static void a_walk_of_any_length_reads_back_op_by_op(void **state)
{
    (void)state;
    static const unsigned long lengths[] = {1, 2, 3, 50, 5000, 300000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        write_walk(path, i + 1, lengths[i]);
        compare_walk(path, i + 1, lengths[i]);
        pn_text report = PN_TEXT_INIT;
        assert_int_equal(pn_ptrace_verify(path, &report, NULL), PANEM_OK);
        pn_text_release(&report);
    }
}

static void a_trace_of_several_sections_reads_back_and_seeks(void **state)
{
    (void)state;
    enum { OPS = 9000000, MARK = 64 };
    /* pcs of instructions around some places, found by reading in order */
    static const unsigned long places[] = {0, 1, 4194303, 4194304, 4194305, 8000000, 77};
    uint64_t pcs[sizeof places / sizeof *places] = {0};
    write_walk(path, 3, OPS);
    pn_trace *trace = open_good(path);
    pn_batch batch;
    uint64_t number = 0;
    do {
        assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_OK);
        for (size_t k = 0; k < batch.n_ops; k++) {
            if (batch.ops[k].flags & PN_OP_CONTINUES)
                continue;
            for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
                if (places[p] == number)
                    pcs[p] = batch.ops[k].inst->pc;
            }
            number++;
        }
    } while (batch.n_ops);
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        assert_int_equal(pn_trace_seek(trace, places[p], NULL), PANEM_OK);
        assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_OK);
        assert_int_equal(batch.first, places[p]);
        assert_int_equal(batch.ops[0].inst->pc, pcs[p]);
    }
    assert_int_equal(pn_trace_seek(trace, number, NULL), PANEM_E_RANGE);
    pn_trace_close(trace);
}

static void the_same_calls_give_the_same_bytes(void **state)
{
    (void)state;
    char *a = NULL, *b = NULL;
    size_t na = 0, nb = 0;
    write_walk(path, 9, 20000);
    write_walk(other, 9, 20000);
    assert_int_equal(pn_file_read(&a, &na, path, 1 << 26, NULL), PANEM_OK);
    assert_int_equal(pn_file_read(&b, &nb, other, 1 << 26, NULL), PANEM_OK);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
    free(a);
    free(b);
}

static void what_the_file_says_about_itself_is_kept(void **state)
{
    (void)state;
    write_walk(path, 1, 100);
    pn_trace *trace = open_good(path);
    const pn_trace_info *info = pn_trace_about(trace);
    assert_string_equal(info->name, "walk");
    assert_string_equal(info->source, "test");
    assert_string_equal(info->command, "./walk a\\b\nc");
    assert_int_equal(info->isa, PN_ISA_X86_64);
    assert_int_equal(info->decoder_version, 7);
    assert_int_equal(info->skipped, 12);
    assert_true(info->has_totals);
    assert_int_equal(info->n_threads, 1);
    pn_trace_close(trace);
}

static void threads_and_events_come_back_where_they_were(void **state)
{
    (void)state;
    pn_ptrace_meta meta = {.isa = PN_ISA_AARCH64};
    pn_ptrace_writer *out = NULL;
    assert_int_equal(pn_ptrace_create(&out, path, &meta, NULL), PANEM_OK);
    walk *w = malloc(2 * sizeof *w);
    assert_non_null(w);
    walk_start(&w[0], 1);
    walk_start(&w[1], 2);
    for (unsigned i = 0; i < 1000; i++) {
        for (unsigned t = 0; t < 2; t++)
            assert_int_equal(pn_ptrace_op(out, t, walk_step(&w[t], i == 999)), PANEM_OK);
        if (i == 500)
            assert_int_equal(pn_ptrace_event(out, 1, PN_EVENT_SYSCALL, 231), PANEM_OK);
    }
    assert_int_equal(pn_ptrace_commit(out, NULL, NULL), PANEM_OK);
    for (unsigned t = 0; t < 2; t++) {
        pn_trace_options options = PN_TRACE_OPTIONS_INIT;
        pn_trace *trace = NULL;
        unsigned ops = 0, events = 0;
        pn_batch batch;
        options.thread = t;
        assert_int_equal(pn_trace_open(&trace, path, &options, NULL), PANEM_OK);
        walk_start(&w[t], t + 1);
        for (;;) {
            assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_OK);
            for (size_t k = 0; k < batch.n_events; k++, events++) {
                assert_int_equal(ops + batch.events[k].op, 501);
                assert_int_equal(batch.events[k].value, 231);
            }
            for (size_t k = 0; k < batch.n_ops; k++, ops++)
                assert_int_equal(batch.ops[k].inst->pc, walk_step(&w[t], ops == 999)->inst->pc);
            if (batch.n_ops == 0)
                break;
        }
        assert_int_equal(ops, 1000);
        assert_int_equal(events, t);
        pn_trace_close(trace);
    }
    free(w);
}

/* Reads everything of the file; the number of ops, or -1 when it fails. */
static long read_all(const char *from, bool accept_truncated, bool *truncated)
{
    pn_trace *trace = NULL;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    long ops = 0;
    options.accept_truncated = accept_truncated;
    if (pn_trace_open(&trace, from, &options, NULL) != PANEM_OK)
        return -1;
    for (;;) {
        pn_batch batch;
        if (pn_trace_next(trace, &batch, NULL) != PANEM_OK) {
            ops = -1;
            break;
        }
        if (batch.n_ops == 0)
            break;
        ops += (long)batch.n_ops;
    }
    if (truncated)
        *truncated = pn_trace_truncated(trace);
    pn_trace_close(trace);
    return ops;
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    char *data = NULL;
    size_t n = 0;
    write_walk(path, 4, 3000);
    assert_int_equal(pn_file_read(&data, &n, path, 1 << 26, NULL), PANEM_OK);
    for (size_t cut = 0; cut < n; cut += cut < 400 || cut + 400 > n ? 1 : 97) {
        pn_text report = PN_TEXT_INIT;
        assert_int_equal(pn_file_write(other, data, cut, NULL), PANEM_OK);
        assert_int_not_equal(pn_ptrace_verify(other, &report, NULL), PANEM_OK);
        pn_text_release(&report);
        bool truncated = false;
        long ops = read_all(other, true, &truncated);
        /* With leave to be truncated: what is there is whole sections, and it says so. */
        assert_true(ops == -1 || (ops == 0 && truncated) || ops == 3000);
    }
    free(data);
}

/* A sum over all that reading gives; 0 when it fails, with the failure in err. */
static uint64_t sum_of(const char *from, panem_error *err)
{
    pn_trace *trace = NULL;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    uint64_t sum = 1;
    if (pn_trace_open(&trace, from, &options, err) != PANEM_OK)
        return 0;
    for (;;) {
        pn_batch batch;
        if (pn_trace_next(trace, &batch, err) != PANEM_OK) {
            sum = 0;
            break;
        }
        if (batch.n_ops == 0)
            break;
        for (size_t i = 0; i < batch.n_ops; i++) {
            const pn_op *op = &batch.ops[i];
            sum = sum * 31 + op->inst->pc + op->inst->cls + op->next_pc + op->flags;
            for (unsigned k = 0; k < op->n_accesses; k++)
                sum = sum * 31 + op->accesses[k].address + op->accesses[k].bytes +
                      op->accesses[k].write;
        }
    }
    pn_trace_close(trace);
    return sum;
}

static bool tells_the_place(const panem_error *err)
{
    return strstr(err->message, "at byte ") || strstr(err->message, "after ");
}

/* A small file, cut at every byte: verify and reading fail and say where. Reading stops at the
 * totals: cut in the index behind them, it gives all that the whole file gives. */
static void a_small_file_cut_at_every_byte_is_an_error_with_its_place(void **state)
{
    (void)state;
    enum { INDEX_BYTES = 32 + 100 + 16 }; /* header, frame of five entries (less here), footer */
    char *data = NULL;
    size_t n = 0;
    write_walk(path, 8, 100);
    uint64_t good = sum_of(path, NULL);
    assert_int_equal(pn_file_read(&data, &n, path, 1 << 26, NULL), PANEM_OK);
    for (size_t cut = 0; cut < n; cut++) {
        pn_text report = PN_TEXT_INIT;
        panem_error by_verify = PANEM_ERROR_INIT, by_reading = PANEM_ERROR_INIT;
        assert_int_equal(pn_file_write(other, data, cut, NULL), PANEM_OK);
        assert_int_not_equal(pn_ptrace_verify(other, &report, &by_verify), PANEM_OK);
        pn_text_release(&report);
        uint64_t sum = sum_of(other, &by_reading);
        if (sum != 0 && (sum != good || cut + INDEX_BYTES < n))
            fail_msg("cut at byte %zu of %zu: read as if it were whole", cut, n);
        /* shorter than the file's header it is no .ptrace: that is what is said */
        if (cut < 16)
            continue;
        if (!tells_the_place(&by_verify) || (sum == 0 && !tells_the_place(&by_reading)))
            fail_msg("cut at byte %zu: no place in '%s', '%s'", cut, by_verify.message,
                     by_reading.message);
    }
    free(data);
}

/* In every frame, header and checksum, at every byte. Reading may not need what is damaged (the
 * index); then it gives what the good file gives. */
static void a_flipped_bit_anywhere_is_found(void **state)
{
    (void)state;
    char *data = NULL;
    size_t n = 0;
    write_walk(path, 5, 400);
    uint64_t good = sum_of(path, NULL);
    assert_int_not_equal(good, 0);
    assert_int_equal(pn_file_read(&data, &n, path, 1 << 26, NULL), PANEM_OK);
    for (size_t i = 0; i < n; i++) {
        pn_text report = PN_TEXT_INIT;
        panem_error err = PANEM_ERROR_INIT;
        data[i] = (char)(data[i] ^ (1 << (i % 8)));
        assert_int_equal(pn_file_write(other, data, n, NULL), PANEM_OK);
        if (pn_ptrace_verify(other, &report, &err) == PANEM_OK)
            fail_msg("bit %zu of byte %zu can be flipped unseen", i % 8, i);
        if (err.message[0] == '\0')
            fail_msg("bit %zu of byte %zu: no word about it", i % 8, i);
        pn_text_release(&report);
        uint64_t sum = sum_of(other, NULL);
        if (sum != 0 && sum != good)
            fail_msg("bit %zu of byte %zu: reading gives other data", i % 8, i);
        data[i] = (char)(data[i] ^ (1 << (i % 8)));
    }
    free(data);
}

static void a_longer_file_is_refused_by_verify(void **state)
{
    (void)state;
    char *data = NULL;
    size_t n = 0;
    pn_text report = PN_TEXT_INIT;
    write_walk(path, 4, 300);
    assert_int_equal(pn_file_read(&data, &n, path, 1 << 26, NULL), PANEM_OK);
    assert_int_equal(pn_file_write(other, data, n + 1, NULL), PANEM_OK);
    assert_int_equal(pn_ptrace_verify(other, &report, NULL), PANEM_E_DAMAGED);
    pn_text_release(&report);
    free(data);
}

static void the_memory_view_is_the_accesses_in_order(void **state)
{
    (void)state;
    enum { OPS = 20000 };
    write_walk(path, 6, OPS);
    walk *w = malloc(sizeof *w);
    assert_non_null(w);
    walk_start(w, 6);
    pn_trace *trace = open_good(path);
    pn_mem_record records[37];
    size_t have = 0, used = 0;
    uint64_t number = 0;
    for (unsigned i = 0; i < OPS; i++) {
        const pn_op *op = walk_step(w, i + 1 == OPS);
        number += i > 0 && !(op->flags & PN_OP_CONTINUES);
        for (unsigned k = 0; k < op->n_accesses; k++) {
            if (used == have) {
                assert_int_equal(pn_trace_next_mem(trace, records, &have, 37, NULL), PANEM_OK);
                assert_true(have > 0);
                used = 0;
            }
            assert_int_equal(records[used].address, op->accesses[k].address);
            assert_int_equal(records[used].write, op->accesses[k].write);
            /* a part belongs to the number of its instruction */
            assert_true(records[used].time == number || op->flags & PN_OP_CONTINUES ||
                        records[used].time + 1 == number);
            used++;
        }
    }
    assert_int_equal(used, have);
    assert_int_equal(pn_trace_next_mem(trace, records, &have, 37, NULL), PANEM_OK);
    assert_int_equal(have, 0);
    pn_trace_close(trace);
    free(w);
}

static void a_memory_only_trace_reads_back_and_is_no_program(void **state)
{
    (void)state;
    enum { RECORDS = 2000 };
    pn_ptrace_meta meta = {.kind = PN_TRACE_MEMORY, .time_unit = PN_TIME_PS};
    pn_ptrace_writer *out = NULL;
    pn_rng rng;
    pn_rng_init(&rng, 1, 1);
    assert_int_equal(pn_ptrace_create(&out, path, &meta, NULL), PANEM_OK);
    for (unsigned i = 0; i < RECORDS; i++) {
        pn_mem_record r = {i * 1000u, pn_rng_u64(&rng), (uint32_t)pn_rng_u64(&rng), i & 1};
        assert_int_equal(pn_ptrace_mem(out, &r), PANEM_OK);
    }
    assert_int_equal(pn_ptrace_commit(out, NULL, NULL), PANEM_OK);
    pn_rng_init(&rng, 1, 1);
    pn_trace *trace = open_good(path);
    pn_batch batch;
    assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_E_MISMATCH);
    pn_mem_record got[100];
    unsigned i = 0;
    for (size_t n = 1; n;) {
        assert_int_equal(pn_trace_next_mem(trace, got, &n, 100, NULL), PANEM_OK);
        for (size_t k = 0; k < n; k++, i++) {
            uint64_t address = pn_rng_u64(&rng);
            uint32_t bytes = (uint32_t)pn_rng_u64(&rng);
            assert_int_equal(got[k].time, i * 1000u);
            assert_int_equal(got[k].address, address);
            assert_int_equal(got[k].bytes, bytes);
            assert_int_equal(got[k].write, i & 1);
        }
    }
    assert_int_equal(i, RECORDS);
    assert_int_equal(pn_trace_about(trace)->records, RECORDS);
    pn_trace_close(trace);
    pn_text report = PN_TEXT_INIT;
    assert_int_equal(pn_ptrace_verify(path, &report, NULL), PANEM_OK);
    pn_text_release(&report);
}

static void variable_length_numbers_keep_every_value(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 2, 2);
    for (unsigned i = 0; i < 100000; i++) {
        uint8_t storage[16] = {0};
        pn_bytes out = {storage, 0, sizeof storage};
        uint64_t v = pn_rng_u64(&rng) >> pn_rng_below(&rng, 64);
        pn_put_varint(&out, v);
        const uint8_t *p = storage;
        assert_int_equal(pn_get_varint_fast(&p), v);
        assert_int_equal(p - storage, out.length);
        pn_cursor c = {storage, storage + out.length, false};
        assert_int_equal(pn_cursor_varint(&c), v);
        assert_false(c.bad);
        assert_int_equal(pn_unzigzag(pn_zigzag((int64_t)v)), (int64_t)v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(variable_length_numbers_keep_every_value),
        PN_TEST(a_walk_of_any_length_reads_back_op_by_op),
        PN_TEST(a_trace_of_several_sections_reads_back_and_seeks),
        PN_TEST(the_same_calls_give_the_same_bytes),
        PN_TEST(what_the_file_says_about_itself_is_kept),
        PN_TEST(threads_and_events_come_back_where_they_were),
        PN_TEST(a_file_cut_anywhere_is_refused),
        PN_TEST(a_small_file_cut_at_every_byte_is_an_error_with_its_place),
        PN_TEST(a_flipped_bit_anywhere_is_found),
        PN_TEST(a_longer_file_is_refused_by_verify),
        PN_TEST(the_memory_view_is_the_accesses_in_order),
        PN_TEST(a_memory_only_trace_reads_back_and_is_no_program),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
