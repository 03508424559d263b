/* test_record.c - recording, against counts that were made by hand.
 *
 * The programs in micro/ have no C library; what each of their sections executes is written beside
 * it there, and here as a table. Skipped when QEMU or the cross compiler is absent. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../cmocka_pn.h"
#include "base/file.h"
#include "trace/copy.h"
#include "trace/ptrace.h"
#include "trace/record.h"
#include "trace/stats.h"

enum { SECTIONS = 16 };

typedef struct section {
    unsigned instructions, reads, writes, read_bytes, write_bytes;
    unsigned branches, taken, atomics, parts;
} section;

static char path[] = "/tmp/panem-record-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
    (void)state;
    return remove(path);
}

static bool have(const char *qemu, const char *program)
{
    return access(qemu, X_OK) == 0 && access(program, R_OK) == 0;
}

static pn_record_result record(const char *program, uint64_t skip, uint64_t max, bool stop)
{
    char *argv[] = {(char *)(uintptr_t)program, NULL};
    panem_error err = PANEM_ERROR_INIT;
    pn_record_result result = {0};
    pn_record_options options = {.output = path,
                                 .program = program,
                                 .argv = argv,
                                 .plugin = PN_CAPTURE_PLUGIN,
                                 .skip = skip,
                                 .max = max,
                                 .stop = stop};
    if (pn_record(&result, &options, &err) != PANEM_OK)
        fail_msg("%s: %s", err.file, err.message);
    return result;
}

/* The number of a MARK instruction, 0 for any other. */
static unsigned mark_of(const pn_inst *inst, pn_isa isa)
{
    const uint8_t *b = inst->bytes;
    if (isa == PN_ISA_X86_64)
        return inst->length == 6 && b[0] == 0x41 && b[1] == 0xbf && b[4] == 0x52 && b[5] == 0x4d
                   ? b[2]
                   : 0;
    /* movz w28, #n */
    uint32_t w = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return (w & 0xffe0001fu) == (0x52800000u | 28) ? (w >> 5 & 0xffff) : 0;
}

static void count(section *s, const pn_op *op)
{
    s->instructions += !(op->flags & PN_OP_CONTINUES);
    s->parts += (op->flags & PN_OP_CONTINUES) != 0;
    s->branches += op->inst->branch != PN_BRANCH_NONE;
    s->taken += (op->flags & PN_OP_TAKEN) != 0;
    s->atomics += (op->inst->flags & PN_INST_ATOMIC) != 0;
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        if (a->write) {
            s->writes++;
            s->write_bytes += a->bytes;
        } else {
            s->reads++;
            s->read_bytes += a->bytes;
        }
    }
}

static void read_sections(section sections[SECTIONS])
{
    pn_trace *trace = NULL;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    unsigned now = 0;
    memset(sections, 0, SECTIONS * sizeof *sections);
    assert_int_equal(pn_trace_open(&trace, path, &options, NULL), PANEM_OK);
    pn_isa isa = pn_trace_about(trace)->isa;
    for (;;) {
        pn_batch batch;
        assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_OK);
        if (batch.n_ops == 0)
            break;
        for (size_t i = 0; i < batch.n_ops; i++) {
            unsigned mark = mark_of(batch.ops[i].inst, isa);
            assert_int_equal(batch.ops[i].inst->flags & PN_INST_UNDECODED, 0);
            if (mark && mark < SECTIONS)
                now = mark;
            else
                count(&sections[now], &batch.ops[i]);
        }
    }
    pn_trace_close(trace);
}

static void compare(const section *found, const section *expected, unsigned n)
{
    for (unsigned i = 1; i <= n; i++) {
        const section *f = &found[i], *e = &expected[i];
        if (memcmp(f, e, sizeof *f) != 0)
            fail_msg("section %u: found %u instructions, %u reads of %u bytes, %u writes of %u "
                     "bytes, %u branches, %u taken, %u atomics, %u parts; expected %u, %u of %u, "
                     "%u of %u, %u, %u, %u, %u",
                     i, f->instructions, f->reads, f->read_bytes, f->writes, f->write_bytes,
                     f->branches, f->taken, f->atomics, f->parts, e->instructions, e->reads,
                     e->read_bytes, e->writes, e->write_bytes, e->branches, e->taken, e->atomics,
                     e->parts);
    }
}

/* The totals that compare the decoder with what happened. */
static pn_trace_stats measure(void)
{
    pn_trace *trace = NULL;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace_stats stats;
    assert_int_equal(pn_trace_open(&trace, path, &options, NULL), PANEM_OK);
    assert_int_equal(pn_trace_measure(&stats, trace, 0, NULL), PANEM_OK);
    pn_trace_close(trace);
    return stats;
}

/* LONG: one table of sections and their counts, read beside the source of the program. */
static void x86_sections_have_the_counts_made_by_hand(void **state)
{
    (void)state;
    /* 1000 bytes moved one at a time, merged to 64: 15 whole and one of 40, each way; 16 accesses
     * to a part, so one further part. */
    static const section expected[SECTIONS] = {
        [1] = {.instructions = 2001, .branches = 1000, .taken = 999},
        [2] = {.instructions = 401,
               .reads = 100,
               .writes = 100,
               .read_bytes = 800,
               .write_bytes = 800,
               .branches = 300,
               .taken = 299},
        [3] = {.instructions = 4,
               .reads = 16,
               .writes = 16,
               .read_bytes = 1000,
               .write_bytes = 1000,
               .parts = 1},
        [4] = {.instructions = 4, .writes = 13, .write_bytes = 800},
        [5] = {.instructions = 2},
        [6] = {.instructions = 5, .reads = 3, .read_bytes = 64, .writes = 1, .write_bytes = 32},
        [7] = {.instructions = 4,
               .reads = 2,
               .writes = 2,
               .read_bytes = 8,
               .write_bytes = 8,
               .atomics = 1},
        /* mov, jmp; 10 rounds of 5; jmp back */
        [8] = {.instructions = 2 + 50 + 1, .branches = 12, .taken = 11},
        [9] = {.instructions = 10, .reads = 5, .writes = 5, .read_bytes = 40, .write_bytes = 40},
        /* mov; two rounds of 4; nop */
        [10] = {.instructions = 10,
                .reads = 2,
                .writes = 2,
                .read_bytes = 2,
                .write_bytes = 2,
                .branches = 2,
                .taken = 1},
        /* three nops; not the load that faults; addq, ret, mov, syscall; nop */
        [11] = {.instructions = 8,
                .reads = 2,
                .writes = 1,
                .read_bytes = 16,
                .write_bytes = 8,
                .branches = 1,
                .taken = 1},
        [12] = {.instructions = 3},
        [13] = {.instructions = 4},
        [14] = {.instructions = 4, .reads = 2, .read_bytes = 40, .writes = 1, .write_bytes = 8},
    };
    section found[SECTIONS];
    if (!have("/usr/bin/qemu-x86_64", PN_MICRO_X86))
        skip();
    pn_record_result result = record(PN_MICRO_X86, 0, 0, false);
    assert_int_equal(result.exit_status, 7);
    read_sections(found);
    compare(found, expected, 14);
    pn_trace_stats stats = measure();
    assert_int_equal(stats.prefetches, 2);
    assert_int_equal(stats.cache_ops, 1);
    assert_int_equal(stats.undecoded, 0);
    assert_int_equal(stats.unexpected, 0);
    assert_int_equal(stats.resized, 0);
    assert_int_equal(stats.missing, 0);
    assert_true(stats.changed >= 1); /* the patched move */
    assert_int_equal(stats.syscalls, 3);
}

static void a64_sections_have_the_counts_made_by_hand(void **state)
{
    (void)state;
    static const section expected[SECTIONS] = {
        [1] = {.instructions = 2001, .branches = 1000, .taken = 999},
        [2] = {.instructions = 401, .branches = 300, .taken = 299},
        /* reads: 16, 32, 16, 64, 4; writes: 16, 16, 8 */
        [3] = {.instructions = 10, .reads = 5, .writes = 3, .read_bytes = 132, .write_bytes = 40},
        [4] = {.instructions = 5,
               .reads = 3, /* QEMU's stxr looks at the old value, too */
               .writes = 2,
               .read_bytes = 12,
               .write_bytes = 8,
               .branches = 1,
               .atomics = 3},
        [5] = {.instructions = 3},
        [6] = {.instructions = 4,
               .reads = 2,
               .writes = 1,
               .read_bytes = 12,
               .write_bytes = 4,
               .branches = 1},
        /* two; two rounds of 11 */
        [7] = {.instructions = 24,
               .reads = 2,
               .writes = 2,
               .read_bytes = 8,
               .write_bytes = 8,
               .branches = 2,
               .taken = 1},
        [8] = {.instructions = 6, .reads = 2, .read_bytes = 40, .writes = 1, .write_bytes = 8},
        [12] = {.instructions = 3},
    };
    section found[SECTIONS];
    if (!have("/usr/bin/qemu-aarch64", PN_MICRO_A64))
        skip();
    pn_record_result result = record(PN_MICRO_A64, 0, 0, false);
    assert_int_equal(result.exit_status, 7);
    read_sections(found);
    compare(found, expected, 12);
    pn_trace_stats stats = measure();
    assert_int_equal(stats.undecoded, 0);
    assert_int_equal(stats.unexpected, 1); /* that stxr */
    assert_int_equal(stats.prefetches, 1);
    assert_int_equal(stats.cache_ops, 1 + 2 * 2); /* dc zva; dc cvau and ic ivau twice */
    assert_int_equal(stats.changed, 1);           /* the patched move */
    assert_int_equal(stats.resized, 0);
    assert_int_equal(stats.missing, 0);
}

/* ChampSim's own rules (its instruction.h): the kind of a branch follows from the registers listed
 * in the 64-byte record alone. 26 is the instruction pointer, 6 the stack pointer, 25 the flags. */
static pn_branch kind_for_champsim(const uint8_t *record)
{
    bool writes_ip = false, writes_sp = false;
    bool reads_ip = false, reads_sp = false, reads_flags = false, reads_other = false;
    for (unsigned i = 0; i < 2; i++) {
        writes_ip |= record[10 + i] == 26;
        writes_sp |= record[10 + i] == 6;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint8_t r = record[12 + i];
        reads_ip |= r == 26;
        reads_sp |= r == 6;
        reads_flags |= r == 25;
        reads_other |= r != 0 && r != 26 && r != 6 && r != 25;
    }
    if (!writes_ip)
        return PN_BRANCH_NONE;
    if (reads_sp && writes_sp && !reads_ip)
        return PN_BRANCH_RETURN;
    if (reads_sp && writes_sp && !reads_flags)
        return reads_other ? PN_BRANCH_CALL_INDIRECT : PN_BRANCH_CALL;
    if (!reads_sp && !reads_flags && !reads_other)
        return PN_BRANCH_JUMP;
    if (!reads_sp && !reads_ip && !reads_flags && reads_other)
        return PN_BRANCH_JUMP_INDIRECT;
    if (!reads_sp && reads_ip && !writes_sp && (reads_flags || reads_other))
        return PN_BRANCH_COND;
    return PN_BRANCH_COUNT; /* "other" */
}

/* Converts what path holds; counts the branches of every kind as ChampSim will see them. */
static void convert_and_classify(unsigned kinds[PN_BRANCH_COUNT + 1])
{
    char out[sizeof path + 9];
    char *data = NULL;
    size_t length = 0, at = 0;
    pn_copy_options copy = {.input = PN_TRACE_OPTIONS_INIT, .to = PN_TRACE_FORMAT_CHAMPSIM};
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_copy_result result;
    pn_trace *trace = NULL;
    (void)snprintf(out, sizeof out, "%s.champsim", path);
    assert_int_equal(pn_trace_copy(&result, out, path, &copy, NULL), PANEM_OK);
    assert_int_equal(pn_file_read(&data, &length, out, 1 << 26, NULL), PANEM_OK);
    assert_int_equal(remove(out), 0);
    assert_int_equal(pn_trace_open(&trace, path, &options, NULL), PANEM_OK);
    memset(kinds, 0, (PN_BRANCH_COUNT + 1) * sizeof *kinds);
    for (;;) {
        pn_batch batch;
        assert_int_equal(pn_trace_next(trace, &batch, NULL), PANEM_OK);
        if (batch.n_ops == 0)
            break;
        for (size_t i = 0; i < batch.n_ops; i++, at += 64) {
            const pn_op *op = &batch.ops[i];
            const uint8_t *record = (const uint8_t *)data + at;
            assert_true(at + 64 <= length);
            pn_branch kind = kind_for_champsim(record);
            kinds[kind]++;
            if (kind != op->inst->branch)
                fail_msg("instruction %zu at %#llx: ChampSim takes branch kind %d for %d", at / 64,
                         (unsigned long long)op->inst->pc, op->inst->branch, (int)kind);
            assert_int_equal(record[8], kind != PN_BRANCH_NONE);
            assert_int_equal(record[9], (op->flags & PN_OP_TAKEN) != 0);
        }
    }
    assert_int_equal(at, length);
    pn_trace_close(trace);
    free(data);
}

static void champsim_takes_every_branch_for_what_it_is(void **state)
{
    (void)state;
    unsigned kinds[PN_BRANCH_COUNT + 1], seen[PN_BRANCH_COUNT] = {0};
    static const struct {
        const char *qemu, *program;
    } cases[] = {{"/usr/bin/qemu-x86_64", PN_MICRO_X86},
                 {"/usr/bin/qemu-aarch64", PN_MICRO_A64},
                 {"/usr/bin/qemu-x86_64", "/bin/ls"},
                 {"/usr/bin/qemu-aarch64", PN_KERNEL_A64}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!have(cases[i].qemu, cases[i].program))
            skip();
        (void)record(cases[i].program, 0, 50000, true);
        convert_and_classify(kinds);
        for (unsigned k = 0; k < PN_BRANCH_COUNT; k++)
            seen[k] += kinds[k];
    }
    for (unsigned k = PN_BRANCH_NONE; k < PN_BRANCH_COUNT; k++)
        if (seen[k] == 0)
            fail_msg("no branch of kind %u was tried", k);
}

static void two_recordings_are_the_same_bytes(void **state)
{
    (void)state;
    char *a = NULL, *b = NULL;
    size_t na = 0, nb = 0;
    if (!have("/usr/bin/qemu-x86_64", PN_MICRO_X86))
        skip();
    (void)record(PN_MICRO_X86, 0, 0, false);
    assert_int_equal(pn_file_read(&a, &na, path, 1 << 26, NULL), PANEM_OK);
    (void)record(PN_MICRO_X86, 0, 0, false);
    assert_int_equal(pn_file_read(&b, &nb, path, 1 << 26, NULL), PANEM_OK);
    assert_int_equal(na, nb);
    assert_memory_equal(a, b, na);
    free(a);
    free(b);
}

static void the_window_is_exact_and_its_start_is_told(void **state)
{
    (void)state;
    enum { ALL = 6 + 14 + 2001 + 401 + 4 + 4 + 2 + 5 + 4 + 53 + 10 + 10 + 8 + 3 + 4 + 4 };
    if (!have("/usr/bin/qemu-x86_64", PN_MICRO_X86))
        skip();
    pn_record_result all = record(PN_MICRO_X86, 0, 0, false);
    assert_int_equal(all.instructions, ALL);
    pn_record_result window = record(PN_MICRO_X86, 1000, 500, false);
    assert_int_equal(window.instructions, 500);
    assert_true(window.skipped >= 1000 && window.skipped < 1000 + 100);
    assert_int_equal(window.exit_status, 7); /* it ran on to its end */
    pn_record_result rest = record(PN_MICRO_X86, 1000, 0, false);
    assert_int_equal(rest.skipped + rest.instructions, ALL);
}

static void what_is_no_program_is_refused_by_what_it_is(void **state)
{
    (void)state;
    static const char script[] = "#!/bin/sh\nexit 0\n";
    panem_error err = PANEM_ERROR_INIT;
    pn_isa isa;
    assert_int_equal(pn_file_write(path, script, sizeof script - 1, NULL), PANEM_OK);
    assert_int_equal(pn_record_isa(&isa, path, &err), PANEM_E_FORMAT);
    assert_non_null(strstr(err.message, "/bin/sh"));
    err = (panem_error)PANEM_ERROR_INIT;
    assert_int_equal(pn_file_write(path, "hello", 5, NULL), PANEM_OK);
    assert_int_equal(pn_record_isa(&isa, path, &err), PANEM_E_FORMAT);
    assert_int_equal(pn_record_isa(&isa, "/nonexistent", NULL), PANEM_E_IO);
}

static void without_qemu_the_message_names_the_package(void **state)
{
    (void)state;
    char *argv[] = {(char *)(uintptr_t) "micro", NULL};
    panem_error err = PANEM_ERROR_INIT;
    pn_record_result result;
    pn_record_options options = {.output = path,
                                 .program = PN_MICRO_X86,
                                 .argv = argv,
                                 .plugin = PN_CAPTURE_PLUGIN,
                                 .qemu = "/nonexistent/qemu"};
    assert_int_equal(pn_record(&result, &options, &err), PANEM_E_IO);
    assert_non_null(strstr(err.message, "apt-get install qemu-user"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(x86_sections_have_the_counts_made_by_hand),
        PN_TEST(a64_sections_have_the_counts_made_by_hand),
        PN_TEST(champsim_takes_every_branch_for_what_it_is),
        PN_TEST(two_recordings_are_the_same_bytes),
        PN_TEST(the_window_is_exact_and_its_start_is_told),
        PN_TEST(what_is_no_program_is_refused_by_what_it_is),
        PN_TEST(without_qemu_the_message_names_the_package),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
