/* Files: any compression in, nothing half-written out. */
#include "../cmocka_pn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static char dir[256];

static const char *in_dir(const char *name)
{
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static int make_dir(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/panem-file-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int drop_dir(void **state)
{
    (void)state;
    char command[300];
    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    return system(command);
}

static void run(const char *format)
{
    char command[2048];
    (void)snprintf(command, sizeof command, "cd '%s' && %s", dir, format);
    assert_int_equal(system(command), 0);
}

static void expect_read(const char *name, const char *content)
{
    char *data = NULL;
    size_t length = 0;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = pn_file_read(&data, &length, in_dir(name), 1 << 20, &err);
    if (status != PANEM_OK)
        fail_msg("%s: %s", name, err.message);
    assert_int_equal(length, strlen(content));
    assert_string_equal(data, content);
    free(data);
}

static void reads_every_compression_by_content(void **state)
{
    (void)state;
    run("printf 'hello\\n' > a && gzip -k a && xz -k a && bzip2 -k a && cp a.gz oddname");
    expect_read("a", "hello\n");
    expect_read("a.gz", "hello\n");
    expect_read("a.xz", "hello\n");
    expect_read("a.bz2", "hello\n");
    expect_read("oddname", "hello\n");
    run(": > empty");
    expect_read("empty", "");
}

static void expect_refused(const char *name, panem_status status, const char *message)
{
    char *data = NULL;
    size_t length = 0;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_read(&data, &length, in_dir(name), 1 << 16, &err), status);
    if (!strstr(err.message, message))
        fail_msg("%s said '%s', not '%s'", name, err.message, message);
    assert_null(data);
}

static void says_what_is_wrong(void **state)
{
    (void)state;
    expect_refused("absent", PANEM_E_IO, "No such file");
    run("mkdir folder && printf x > m && tar cJf t.tar.xz m");
    expect_refused("folder", PANEM_E_IO, "folder");
    expect_refused("t.tar.xz", PANEM_E_FORMAT, "tar archive");
    run("head -c 100000 /dev/urandom > big && xz -k big && head -c 60000 big.xz > cut.xz");
    expect_refused("big", PANEM_E_RANGE, "larger than");
    char *data = NULL;
    size_t length = 0;
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_read(&data, &length, in_dir("cut.xz"), 1 << 20, &err),
                     PANEM_E_DAMAGED);
}

static void writes_whole_or_not_at_all(void **state)
{
    (void)state;
    assert_int_equal(pn_file_write(in_dir("out"), "one", 3, NULL), PANEM_OK);
    expect_read("out", "one");
    pn_writer *w = NULL;
    assert_int_equal(pn_writer_open(&w, in_dir("out"), NULL), PANEM_OK);
    pn_writer_add(w, "two", 3);
    pn_writer_abort(w);
    expect_read("out", "one");
    run("test -z \"$(ls | grep 'out\\.')\"");
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_write("/nonexistent/x", "a", 1, &err), PANEM_E_IO);
    assert_true(err.message[0] != '\0');
}

static void links_stay_and_what_is_no_file_is_written_into(void **state)
{
    (void)state;
    run("mkdir real && echo old >real/file && ln -s real/file link && mkfifo pipe");
    assert_int_equal(pn_file_write(in_dir("link"), "new", 3, NULL), PANEM_OK);
    expect_read("real/file", "new");
    run("test -L link && test $(ls real | wc -l) = 1");
    run("(cat pipe >got) & echo $! >reader");
    assert_int_equal(pn_file_write(in_dir("pipe"), "through", 7, NULL), PANEM_OK);
    run("while kill -0 $(cat reader) 2>/dev/null; do sleep 0.01; done; test -p pipe");
    expect_read("got", "through");
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_file_write(in_dir("real"), "a", 1, &err), PANEM_E_IO);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    pn_writer *w = NULL;
    assert_int_equal(pn_writer_open(&w, in_dir("full"), NULL), PANEM_OK);
    assert_non_null(freopen("/dev/full", "wb", pn_writer_stream(w)));
    char block[4096] = {0};
    for (int i = 0; i < 64; i++)
        pn_writer_add(w, block, sizeof block);
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(pn_writer_commit(w, &err), PANEM_E_IO);
    assert_int_not_equal(access(in_dir("full"), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(reads_every_compression_by_content),
        PN_TEST(says_what_is_wrong),
        PN_TEST(writes_whole_or_not_at_all),
        PN_TEST(links_stay_and_what_is_no_file_is_written_into),
        PN_TEST(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_dir, drop_dir);
}
