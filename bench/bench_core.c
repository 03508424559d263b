/* bench_core.c - how fast the core simulator is, beside plain decoding of the same trace.
 *
 *   build/release/bench/bench_core [--curves SET] [--max N] [--set KEY=VALUE]... TRACE...
 *
 * Each trace is decoded, then run through the preset arm-server in front of fixed:idle and of panem
 * over the curve set (on-chip part off), up to N instructions (default 20 million). CPU time of
 * this process, the best of RUNS runs; mpki: LLC misses per thousand instructions. The column
 * "x decode" (time of the panem run over that of decoding alone) guards against regressions on any
 * machine; "MB" is the most that this process ever held. Bars: above 2 M/s at 10..30 mpki, above
 * 5 M/s cache-resident, below 100 MB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "core/core.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"

enum { RUNS = 3, IN_FLIGHT = 8192, SETTINGS = 16 };

typedef struct bench {
    const char *curves;
    uint64_t max;
    const char *settings[SETTINGS];
    int count;
} bench;

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(panem_status status, const panem_error *err)
{
    if (status == PANEM_OK)
        return;
    (void)fprintf(stderr, "bench_core: %s %s\n", err->file, err->message);
    exit(1);
}

static pn_trace *open_trace(const char *path)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    panem_error err = PANEM_ERROR_INIT;
    pn_trace *trace = NULL;
    check(pn_trace_open(&trace, path, &options, &err), &err);
    return trace;
}

static double decode_s(const char *path, uint64_t max, uint64_t *count)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_trace *trace = open_trace(path);
    pn_batch batch;
    uint64_t sum = 0;
    double start = now_s();
    for (*count = 0; *count < max; *count += batch.n_ops) {
        check(pn_trace_next(trace, &batch, &err), &err);
        if (batch.n_ops == 0)
            break;
        for (size_t i = 0; i < batch.n_ops; i++)
            for (unsigned k = 0; k < batch.ops[i].n_accesses; k++)
                sum += batch.ops[i].accesses[k].address;
    }
    double seconds = now_s() - start;
    pn_trace_close(trace);
    return sum == 1 ? 0.0 : seconds;
}

static pn_core_config configure(const bench *b)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_core_config config;
    size_t count;
    const pn_param *params = pn_core_params(&count);
    check(pn_core_preset(&config, "arm-server", &err), &err);
    for (int i = 0; i < b->count; i++)
        check(pn_param_assign(params, count, &config, b->settings[i], &err), &err);
    return config;
}

static double run_s(const char *path, const bench *b, const char *word, pn_core_result *result)
{
    panem_error err = PANEM_ERROR_INIT;
    panem_curves_options load = PANEM_CURVES_OPTIONS_INIT;
    panem_model_options options;
    panem_curves *set = NULL;
    panem_model *model = NULL;
    pn_mem_port *port = NULL;
    pn_core *core = NULL;
    pn_core_config config = configure(b);
    pn_core_run run = {.instructions = b->max};
    load.on_chip_ns = pn_core_on_chip_ns(&config);
    check(panem_curves_load(&set, b->curves, &load, &err), &err);
    check(pn_model_spec_parse(&options, word, &err), &err);
    check(panem_model_create(&model, set, &options, &err), &err);
    check(pn_model_port_create(&port, model, word, false, IN_FLIGHT, &err), &err);
    check(pn_core_create(&core, &config, port, &err), &err);
    pn_trace *trace = open_trace(path);
    double start = now_s();
    check(pn_core_run_trace(core, result, trace, &run, &err), &err);
    double seconds = now_s() - start;
    pn_trace_close(trace);
    pn_core_destroy(core);
    pn_mem_destroy(port);
    panem_curves_destroy(set);
    return seconds;
}

static double least(double a, double b)
{
    return a == 0.0 || b < a ? b : a;
}

static double most_mb(void)
{
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}

static void one(const char *path, const bench *b)
{
    double decode = 0.0, fixed = 0.0, panem = 0.0;
    uint64_t count = 0;
    pn_core_result r;
    for (int i = 0; i < RUNS; i++) {
        decode = least(decode, decode_s(path, b->max, &count));
        fixed = least(fixed, run_s(path, b, "fixed:idle", &r));
        panem = least(panem, run_s(path, b, "panem", &r));
    }
    const char *name = strrchr(path, '/');
    double n = (double)r.measured.instructions;
    printf("%-28s %8.2f %7.2f %6.3f %10.1f %10.2f %10.2f %9.1f %6.1f\n", name ? name + 1 : path,
           n / 1e6, 1000.0 * (double)r.measured.llc.misses / n, n / (double)r.measured_cyc,
           (double)count / decode / 1e6, n / fixed / 1e6, n / panem / 1e6,
           panem / n / (decode / (double)count), most_mb());
}

int main(int argc, char **argv)
{
    bench b = {.curves = "curves/ddr4-2666x6.csv", .max = 20000000};
    int i = 1;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--curves") == 0)
            b.curves = argv[i + 1];
        else if (strcmp(argv[i], "--set") == 0 && b.count < SETTINGS)
            b.settings[b.count++] = argv[i + 1];
        else if (strcmp(argv[i], "--max") == 0)
            b.max = strtoull(argv[i + 1], NULL, 10);
        else
            i = argc;
    }
    if (i >= argc || b.max == 0) {
        (void)fprintf(stderr,
                      "usage: bench_core [--curves SET] [--max N] [--set KEY=VALUE]... TRACE...\n");
        return 2;
    }
    printf("%-28s %8s %7s %6s %10s %10s %10s %9s %6s\n", "trace", "M instr", "mpki", "ipc",
           "decode M/s", "fixed M/s", "panem M/s", "x decode", "MB");
    for (; i < argc; i++)
        one(argv[i], &b);
    return 0;
}
