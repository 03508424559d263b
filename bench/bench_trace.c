/* bench_trace.c - how fast traces are recorded and read, and how large they are.
 *
 * Method. Record: pn_record of a program under qemu-user, wall-clock time of the whole run with a
 * window of --max instructions from the start (start-up of QEMU and translation included), the
 * program ended behind the window; QEMU and the encoder run beside each other on two cores. Decode:
 * pn_trace_next to the end of the file, every op and access looked at (a sum over addresses), CPU
 * time of this process, median of the repeats; the file is in the page cache. Bars: record above
 * 20, decode above 50 million instructions per second, below 0.3 bytes per instruction, a seek
 * below 10 ms (wall-clock time, of 200 random places). Usage: bench_trace [--repeats N] [--max N]
 * [TRACE.ptrace | -- PROGRAM ARG...] without arguments: the kernel `graph`. Exit 0; 1 when
 * something fails; 2 on usage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trace/record.h"
#include "trace/trace.h"

enum { REPEATS_MAX = 51 };

static double now(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int fail(const panem_error *err)
{
    (void)fprintf(stderr, "bench_trace: %s %s\n", err->file, err->message);
    return 1;
}

/* One pass; the number of instructions. */
static uint64_t pass(const char *path, uint64_t *sum, panem_error *err)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    uint64_t n = 0;
    if (pn_trace_open(&trace, path, &options, err) != PANEM_OK)
        return 0;
    for (;;) {
        pn_batch batch;
        if (pn_trace_next(trace, &batch, err) != PANEM_OK || batch.n_ops == 0)
            break;
        for (size_t i = 0; i < batch.n_ops; i++) {
            const pn_op *op = &batch.ops[i];
            *sum += op->inst->uops + op->flags;
            for (unsigned k = 0; k < op->n_accesses; k++)
                *sum += op->accesses[k].address;
        }
        n += batch.n_ops;
    }
    pn_trace_close(trace);
    return err->status == PANEM_OK ? n : 0;
}

/* Median and worst time to the first instruction at a random place, the file open. */
static int seek(const char *path)
{
    enum { SEEKS = 200 };
    static double samples[SEEKS];
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    panem_error err = PANEM_ERROR_INIT;
    pn_trace *trace = NULL;
    pn_batch batch;
    uint64_t place = 12345;
    if (pn_trace_open(&trace, path, &options, &err) != PANEM_OK)
        return fail(&err);
    uint64_t n = pn_trace_about(trace)->instructions;
    int code = 0;
    for (int i = 0; code == 0 && i < SEEKS; i++) {
        place = place * 6364136223846793005u + 1442695040888963407u;
        double start = now(CLOCK_MONOTONIC);
        if (pn_trace_seek(trace, (place >> 16) % n, &err) != PANEM_OK ||
            pn_trace_next(trace, &batch, &err) != PANEM_OK)
            code = fail(&err);
        samples[i] = now(CLOCK_MONOTONIC) - start;
    }
    pn_trace_close(trace);
    qsort(samples, SEEKS, sizeof *samples, by_value);
    if (code == 0)
        printf("seek    %8.3f ms median, %.3f ms worst of %d\n", samples[SEEKS / 2] * 1e3,
               samples[SEEKS - 1] * 1e3, (int)SEEKS);
    return code;
}

static int decode(const char *path, int repeats)
{
    double samples[REPEATS_MAX];
    uint64_t n = 0, sum = 0;
    struct stat st;
    panem_error err = PANEM_ERROR_INIT;
    for (int i = 0; i < repeats; i++) {
        double start = now(CLOCK_PROCESS_CPUTIME_ID);
        n = pass(path, &sum, &err);
        samples[i] = now(CLOCK_PROCESS_CPUTIME_ID) - start;
        if (n == 0)
            return fail(&err);
    }
    qsort(samples, (size_t)repeats, sizeof *samples, by_value);
    double bytes = stat(path, &st) == 0 ? (double)st.st_size : 0.0;
    printf("decode  %8.1f M instr  %8.1f M instr/s  (%.3f B/instr, check %llx)\n", (double)n / 1e6,
           (double)n / samples[repeats / 2] / 1e6, bytes / (double)n, (unsigned long long)sum);
    return seek(path);
}

static int record(const char *path, char **argv, uint64_t max)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_record_result result;
    pn_record_options options = {.output = path,
                                 .program = argv[0],
                                 .argv = argv,
                                 .plugin = PN_CAPTURE_PLUGIN,
                                 .max = max,
                                 .stop = true};
    double start = now(CLOCK_MONOTONIC);
    if (pn_record(&result, &options, &err) != PANEM_OK)
        return fail(&err);
    double seconds = now(CLOCK_MONOTONIC) - start;
    printf("record  %8.1f M instr  %8.1f M instr/s\n", (double)result.instructions / 1e6,
           (double)result.instructions / seconds / 1e6);
    return 0;
}

int main(int argc, char **argv)
{
    static char kernel[] = PN_KERNELS "/graph", size[] = "200";
    char *standard[] = {kernel, size, NULL};
    char path[] = "/tmp/panem-bench-XXXXXX";
    int repeats = 5, i = 1;
    uint64_t max = 100000000;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2]; i += 2) {
        if (strcmp(argv[i], "--repeats") == 0)
            repeats = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--max") == 0)
            max = strtoull(argv[i + 1], NULL, 10);
        else
            return 2;
    }
    if (repeats < 1 || repeats > REPEATS_MAX || max == 0)
        return 2;
    if (i < argc && strcmp(argv[i], "--") != 0)
        return decode(argv[i], repeats);
    char **program = i + 1 < argc ? argv + i + 1 : standard;
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    (void)close(fd);
    int code = record(path, program, max);
    if (code == 0)
        code = decode(path, repeats);
    (void)unlink(path);
    return code;
}
