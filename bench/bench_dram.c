/* bench_dram.c - what one DRAM request costs the host, and how near the laws the model comes.
 *
 *   build/release/bench/bench_dram [KEY=VALUE...] [PRESET...]     default: ddr4-2666 ddr5-4800
 *
 * Saturated: as many requests in flight as the queues take, so every request also pays for its
 * share of refused ones. Paced: one request per 10 us. Medians of RUNS runs; host ns are CPU time
 * of this process. Columns "GB/s" and "of law" are simulated and the same on every machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "dram/dram.h"

enum { RUNS = 5, REQUESTS = 400000, PACED = 100000 };

typedef struct load {
    const char *name;
    bool random;
    uint32_t write_pct;
    uint64_t gap_ps; /* 0: saturated */
} load;

static const load loads[] = {
    {"stream, reads", false, 0, 0},
    {"stream, 33 % writes", false, 33, 0},
    {"stream, 100 % writes", false, 100, 0},
    {"random, reads", true, 0, 0},
    {"random, 33 % writes", true, 33, 0},
    {"random, 100 % writes", true, 100, 0},
    {"stream, one per 10 us", false, 0, 10000000},
    {"random, one per 10 us", true, 0, 10000000},
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void drain(pn_mem_port *port, uint64_t *now_ps, uint64_t *popped)
{
    pn_mem_response r;
    while (pn_mem_pop(port, &r)) {
        (*popped)++;
        *now_ps = *now_ps > r.done_ps ? *now_ps : r.done_ps;
    }
}

static void step(pn_mem_port *port, uint64_t *now_ps, uint64_t *popped)
{
    uint64_t next = pn_mem_next_event(port);
    *now_ps = next > *now_ps ? next : *now_ps;
    if (pn_mem_advance(port, *now_ps) != PANEM_OK)
        abort();
    drain(port, now_ps, popped);
}

/* Simulated ps from the first request to the last response. */
static uint64_t drive(pn_mem_port *port, const load *l, uint64_t count, uint64_t capacity)
{
    pn_rng rng;
    pn_rng_init(&rng, 1, 0);
    uint64_t now_ps = 0;
    uint64_t popped = 0;
    for (uint64_t i = 0; i < count; i++) {
        pn_mem_request q = {now_ps, 0, i, 64, 0, PANEM_READ, PN_MEM_DEMAND};
        q.address = l->random ? pn_rng_below(&rng, capacity / 64) * 64 : i * 64;
        q.kind = pn_rng_below(&rng, 100) < l->write_pct ? PANEM_WRITE : PANEM_READ;
        uint64_t retry_ps = 0;
        while (pn_mem_submit(port, &retry_ps, &q) == PANEM_BUSY) {
            step(port, &now_ps, &popped);
            q.time_ps = now_ps;
        }
        if (l->gap_ps) {
            now_ps += l->gap_ps;
            if (pn_mem_advance(port, now_ps) != PANEM_OK)
                abort();
            drain(port, &now_ps, &popped);
        }
    }
    while (popped < count)
        step(port, &now_ps, &popped);
    return now_ps;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static int run(const pn_dram_preset *preset, const pn_dram_config *config, const load *l)
{
    uint64_t count = l->gap_ps ? PACED : REQUESTS;
    double host[RUNS];
    uint64_t sim_ps = 0;
    for (int i = 0; i < RUNS; i++) {
        pn_mem_port *port = NULL;
        if (pn_dram_create(&port, config, preset->name, NULL) != PANEM_OK)
            return 1;
        double start = now_ns();
        sim_ps = drive(port, l, count, pn_dram_capacity_bytes(config));
        host[i] = (now_ns() - start) / (double)count;
        pn_mem_destroy(port);
    }
    qsort(host, RUNS, sizeof host[0], by_value);
    double rate = (double)count * 64.0 / (double)sim_ps * 1e12;
    double law = l->random ? pn_dram_random_law(config) : pn_dram_stream_law(config);
    printf("%-12s %-24s %10.1f %10.1f %8.2f %8.4f\n", preset->name, l->name, host[RUNS / 2],
           host[RUNS - 1], rate / 1e9, rate / law);
    return 0;
}

static int fail(const panem_error *err)
{
    fprintf(stderr, "bench_dram: %s\n", err->message);
    return 2;
}

static int run_preset(const char *name, char **sets, int set_count)
{
    const pn_dram_preset *preset = NULL;
    panem_error err = PANEM_ERROR_INIT;
    size_t params = 0;
    const pn_param *table = pn_dram_params(&params);
    if (pn_dram_preset_find(&preset, name, &err) != PANEM_OK)
        return fail(&err);
    pn_dram_config config = preset->config;
    for (int i = 0; i < set_count; i++)
        if (pn_param_assign(table, params, &config, sets[i], &err) != PANEM_OK)
            return fail(&err);
    if (pn_dram_config_check(&config, &err) != PANEM_OK)
        return fail(&err);
    for (size_t l = 0; l < sizeof loads / sizeof loads[0]; l++)
        if (run(preset, &config, &loads[l]))
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    const char *usual[] = {"ddr4-2666", "ddr5-4800"};
    int sets = 0;
    while (sets + 1 < argc && strchr(argv[sets + 1], '='))
        sets++;
    int count = argc - 1 - sets;
    printf("%-12s %-24s %10s %10s %8s %8s\n", "preset", "load", "median ns", "worst ns", "GB/s",
           "of law");
    for (int i = 0; i < (count ? count : 2); i++) {
        int status = run_preset(count ? argv[1 + sets + i] : usual[i], argv + 1, sets);
        if (status)
            return status;
    }
    return 0;
}
