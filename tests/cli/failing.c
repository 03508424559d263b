/* failing.c - see failing.h. */
#include "failing.h"

#include "../cmocka_pn.h"

#include <archive.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the failing world ---- */

enum { BLOCKS_MAX = 1 << 16 };

static fault what;
static long until;    /* calls of that kind that still succeed */
static bool happened; /* the failure was reached */
static void *blocks[BLOCKS_MAX];
static size_t block_count;

static bool fails(fault kind)
{
    if (what != kind || until < 0)
        return false;
    if (until-- > 0)
        return false;
    happened = true;
    return true;
}

static void *note_block(void *block)
{
    if (block && what != FAULT_NONE && block_count < BLOCKS_MAX)
        blocks[block_count++] = block;
    return block;
}

static void forget_block(const void *block)
{
    for (size_t i = block_count; i-- > 0;)
        if (blocks[i] == block) {
            blocks[i] = blocks[--block_count];
            return;
        }
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);
la_ssize_t __real_archive_read_data(struct archive *a, void *buffer, size_t size);
int __real_archive_read_open_filename(struct archive *a, const char *name, size_t block);
int __real_fflush(FILE *stream);
int __real_fsync(int fd);
int __real_rename(const char *from, const char *to);
int __real_mkstemp(char *name);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);
la_ssize_t __wrap_archive_read_data(struct archive *a, void *buffer, size_t size);
int __wrap_archive_read_open_filename(struct archive *a, const char *name, size_t block);
int __wrap_fflush(FILE *stream);
int __wrap_fsync(int fd);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkstemp(char *name);

void *__wrap_malloc(size_t size)
{
    return fails(FAULT_MEMORY) ? NULL : note_block(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(FAULT_MEMORY) ? NULL : note_block(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails(FAULT_MEMORY))
        return NULL;
    forget_block(block);
    return note_block(__real_realloc(block, size));
}

char *__wrap_strdup(const char *text)
{
    return fails(FAULT_MEMORY) ? NULL : note_block(__real_strdup(text));
}

void __wrap_free(void *block)
{
    forget_block(block);
    __real_free(block);
}

la_ssize_t __wrap_archive_read_data(struct archive *a, void *buffer, size_t size)
{
    if (fails(FAULT_READ)) {
        archive_set_error(a, EIO, "injected failure");
        return ARCHIVE_FATAL;
    }
    return __real_archive_read_data(a, buffer, size);
}

int __wrap_archive_read_open_filename(struct archive *a, const char *name, size_t block)
{
    if (fails(FAULT_READ)) {
        archive_set_error(a, EIO, "injected failure");
        return ARCHIVE_FATAL;
    }
    return __real_archive_read_open_filename(a, name, block);
}

static int failed_write(void)
{
    errno = ENOSPC;
    return -1;
}

int __wrap_fflush(FILE *stream)
{
    return stream != stdout && stream != stderr && fails(FAULT_WRITE) ? failed_write()
                                                                      : __real_fflush(stream);
}

int __wrap_fsync(int fd)
{
    return fails(FAULT_WRITE) ? failed_write() : __real_fsync(fd);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(FAULT_WRITE) ? failed_write() : __real_rename(from, to);
}

int __wrap_mkstemp(char *name)
{
    return fails(FAULT_WRITE) ? failed_write() : __real_mkstemp(name);
}

/* ---- running commands ---- */

static char dir[64];
static char output[128];

int failing_make_dir(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/panem-fault-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(output, sizeof output, "%s/out.csv", dir);
    return 0;
}

int failing_drop_dir(void **state)
{
    (void)state;
    (void)unlink(output);
    return rmdir(dir);
}

static int files_in_dir(void)
{
    int count = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e; e = readdir(d))
        count += e->d_name[0] != '.';
    (void)closedir(d);
    return count;
}

/* Sends standard output and standard error to nowhere, or back. */
static void silence(bool on)
{
    static int kept[2] = {-1, -1};
    (void)__real_fflush(stdout);
    (void)__real_fflush(stderr);
    if (on) {
        kept[0] = dup(STDOUT_FILENO);
        kept[1] = dup(STDERR_FILENO);
        int null = open("/dev/null", O_WRONLY);
        assert_true(null >= 0 && dup2(null, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0);
        (void)close(null);
        return;
    }
    for (int i = 0; i < 2; i++) {
        (void)dup2(kept[i], i == 0 ? STDOUT_FILENO : STDERR_FILENO);
        (void)close(kept[i]);
    }
}

/* One run with the given fault at call n of its kind. What it prints is not looked at. */
static int run_once(const pn_command *command, const char *const *args, fault kind, long n)
{
    char *argv[FAILING_ARGS_MAX] = {"panem"};
    char copies[FAILING_ARGS_MAX][300];
    int argc = 1;
    for (; args[argc - 1]; argc++) {
        (void)snprintf(copies[argc], sizeof copies[argc], "%s",
                       strcmp(args[argc - 1], "OUT") == 0 ? output : args[argc - 1]);
        argv[argc] = copies[argc];
    }
    silence(true);
    happened = false;
    until = n;
    what = kind;
    int code = pn_command_main(command, argc, argv);
    what = FAULT_NONE;
    silence(false);
    return code;
}

void fail_at_every_call(const pn_command *command, const char *const *args, fault kind)
{
    (void)unlink(output);
    for (long n = 0; n < 100000; n++) {
        block_count = 0;
        int code = run_once(command, args, kind, n);
        assert_int_equal(block_count, 0);
        if (!happened) {
            assert_int_equal(code, PN_EXIT_OK);
            assert_true(n > 0);
            (void)unlink(output);
            return;
        }
        if (code != (kind == FAULT_READ ? PN_EXIT_INPUT : PN_EXIT_FAILED))
            fail_msg("%s: exit code %d when call %ld fails", command->name, code, n);
        assert_int_equal(files_in_dir(), 0);
    }
    fail();
}
