/* test_inputs.c - paths and threads of a study, and inputs that change under a sweep. */
#include "../cmocka_pn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../trace/walk.h"
#include "base/file.h"
#include "sweep/key.h"
#include "trace/ptrace.h"

/* Two streams of different lengths; seed makes the content. */
static void write_trace(const char *path, uint64_t seed)
{
    pn_ptrace_meta meta = {.isa = PN_ISA_X86_64};
    pn_ptrace_writer *out = NULL;
    walk *w = malloc(2 * sizeof *w);
    assert_non_null(w);
    assert_int_equal(pn_ptrace_create(&out, path, &meta, NULL), PANEM_OK);
    for (unsigned t = 0; t < 2; t++) {
        unsigned n = 1000 * (t + 1);
        walk_start(&w[t], seed + t);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(pn_ptrace_op(out, t, walk_step(&w[t], i == n - 1)), PANEM_OK);
    }
    assert_int_equal(pn_ptrace_commit(out, NULL, NULL), PANEM_OK);
    free(w);
}

static void write_text(const char *path, const char *text)
{
    assert_int_equal(pn_file_write(path, text, strlen(text), NULL), PANEM_OK);
}

static void copy_curves(const char *to, const char *from)
{
    char *data = NULL, path[1024];
    size_t length = 0;
    (void)snprintf(path, sizeof path, "%s/curves/%s", PN_SOURCE_DIR, from);
    assert_int_equal(pn_file_read(&data, &length, path, 1 << 24, NULL), PANEM_OK);
    assert_int_equal(pn_file_write(to, data, length, NULL), PANEM_OK);
    free(data);
}

/* The study's first point, identified. */
static panem_status identify(pn_point_key *key, pn_inputs *inputs, pn_study *study, pn_point *point,
                             panem_error *err)
{
    pn_label labels[4];
    assert_int_equal(pn_study_load(study, "in/study.yaml", err), PANEM_OK);
    assert_true(pn_study_labels(study) <= 4);
    assert_int_equal(pn_study_point(point, labels, study, 0, err), PANEM_OK);
    panem_status status = pn_point_identify(key, inputs, point, err);
    if (status == PANEM_OK)
        pn_text_release(&key->resolved);
    return status;
}

static int go_elsewhere(void **state)
{
    static char folder[] = "/tmp/panem-inputs-XXXXXX";
    *state = folder;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return -1;
    return mkdir("in", 0777) != 0 || mkdir("in/sub", 0777) != 0;
}

static int come_back(void **state)
{
    static const char *const made[] = {"in/sub/a.ptrace", "in/set.csv", "in/study.yaml"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        (void)unlink(made[i]);
    return rmdir("in/sub") != 0 || rmdir("in") != 0 || chdir("/") != 0 || rmdir(*state) != 0;
}

static void paths_of_traces_and_curves_count_from_the_studys_folder(void **state)
{
    (void)state;
    pn_study study;
    pn_point point;
    pn_point_key key;
    pn_inputs *inputs = pn_inputs_new();
    write_trace("in/sub/a.ptrace", 1);
    copy_curves("in/set.csv", "ddr5-5200x8.csv");
    write_text("in/study.yaml", "base: {curves: set.csv}\ntraces: [sub/a.ptrace]\n");
    assert_int_equal(identify(&key, inputs, &study, &point, NULL), PANEM_OK);
    assert_string_equal(point.spec.trace_path, "in/sub/a.ptrace");
    assert_string_equal(point.spec.curves_path, "in/set.csv");
    pn_point_release(&point);
    pn_study_release(&study);
    write_text("in/study.yaml",
               "traces: [sub/a.ptrace]\naxes: {curves: [./set.csv, /abs/set.csv]}\n");
    assert_int_equal(identify(&key, inputs, &study, &point, NULL), PANEM_OK);
    assert_string_equal(point.spec.curves_path, "in/./set.csv");
    pn_point_release(&point);
    pn_label label;
    assert_int_equal(pn_study_point(&point, &label, &study, 1, NULL), PANEM_OK);
    assert_string_equal(point.spec.curves_path, "/abs/set.csv");
    assert_string_equal(label.value, "/abs/set.csv");
    pn_point_release(&point);
    pn_study_release(&study);
    pn_inputs_free(inputs);
}

static void a_study_chooses_the_stream_of_a_trace(void **state)
{
    (void)state;
    pn_study study;
    pn_point point;
    pn_point_key first, second;
    panem_error err = PANEM_ERROR_INIT;
    pn_inputs *inputs = pn_inputs_new();
    write_text("in/study.yaml", "base: {curves: set.csv}\ntraces: [sub/a.ptrace]\n");
    assert_int_equal(identify(&first, inputs, &study, &point, NULL), PANEM_OK);
    assert_string_equal(point.trace->name, "a");
    pn_point_release(&point);
    pn_study_release(&study);
    write_text("in/study.yaml",
               "base: {curves: set.csv}\ntraces: [{file: sub/a.ptrace, thread: 1}]\n");
    assert_int_equal(identify(&second, inputs, &study, &point, NULL), PANEM_OK);
    assert_string_equal(point.trace->name, "a-1");
    assert_int_equal(point.spec.input.thread, 1);
    assert_string_not_equal(first.hex, second.hex);
    pn_point_release(&point);
    pn_study_release(&study);
    write_text("in/study.yaml",
               "base: {curves: set.csv}\ntraces: [{file: sub/a.ptrace, thread: 2}]\n");
    assert_int_equal(identify(&second, inputs, &study, &point, &err), PANEM_E_EMPTY);
    assert_string_equal(err.message, "has no thread 2");
    pn_point_release(&point);
    pn_study_release(&study);
    write_text("in/study.yaml",
               "base: {curves: set.csv}\ntraces: [{file: sub/a.ptrace, thread: two}]\n");
    err = (panem_error)PANEM_ERROR_INIT;
    assert_int_equal(pn_study_load(&study, "in/study.yaml", &err), PANEM_E_FORMAT);
    assert_int_equal(err.line, 2);
    pn_inputs_free(inputs);
}

static void an_input_that_was_replaced_is_told_and_one_that_was_touched_is_not(void **state)
{
    (void)state;
    pn_study study;
    pn_point point;
    pn_point_key key;
    panem_error err = PANEM_ERROR_INIT;
    pn_inputs *inputs = pn_inputs_new();
    write_text("in/study.yaml", "base: {curves: set.csv}\ntraces: [sub/a.ptrace]\n");
    assert_int_equal(identify(&key, inputs, &study, &point, NULL), PANEM_OK);
    assert_int_equal(pn_inputs_same(inputs, &point, &err), PANEM_OK);
    write_trace("in/sub/a.ptrace", 1);
    copy_curves("in/set.csv", "ddr5-5200x8.csv");
    assert_int_equal(pn_inputs_same(inputs, &point, &err), PANEM_OK);
    write_trace("in/sub/a.ptrace", 5);
    assert_int_equal(pn_inputs_same(inputs, &point, &err), PANEM_E_MISMATCH);
    assert_string_equal(err.file, "in/sub/a.ptrace");
    write_trace("in/sub/a.ptrace", 1);
    err = (panem_error)PANEM_ERROR_INIT;
    assert_int_equal(pn_inputs_same(inputs, &point, &err), PANEM_OK);
    copy_curves("in/set.csv", "ddr4-2666x6.csv");
    assert_int_equal(pn_inputs_same(inputs, &point, &err), PANEM_E_MISMATCH);
    assert_string_equal(err.file, "in/set.csv");
    assert_int_equal(unlink("in/sub/a.ptrace"), 0);
    assert_int_equal(pn_inputs_same(inputs, &point, &err), PANEM_E_IO);
    pn_point_release(&point);
    pn_study_release(&study);
    pn_inputs_free(inputs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(paths_of_traces_and_curves_count_from_the_studys_folder),
        PN_TEST(a_study_chooses_the_stream_of_a_trace),
        PN_TEST(an_input_that_was_replaced_is_told_and_one_that_was_touched_is_not),
    };
    return cmocka_run_group_tests(tests, go_elsewhere, come_back);
}
