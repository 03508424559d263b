/* traffic_step.c - `panem traffic --step A:B`: how fast the latency follows a step of the load.
 *
 * Each seed runs at load A until settled, then at load B from an instant that is random against
 * the model's windows. Latencies are binned by arrival, in windows counted from the step (with
 * sharers, in whole averaging horizons), and averaged over the seeds; the final mean is that of
 * the last quarter of the bins. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "cli/table.h"
#include "cli/traffic.h"

enum { BINS = 200, FINAL_BINS = BINS / 4, SHOWN = 16 };

typedef struct bins {
    double sum_ns[BINS];
    uint64_t count[BINS];
    uint64_t step_ps, window_ps;
} bins;

static const pn_column COLUMNS[] = {
    {"model", "model", "", -1},
    {"read_pct", "reads", "%", 2},
    {"window", "windows", "after step", 0},
    {"latency_ns_mean", "latency", "mean ns", 2},
    {"deviation_pct", "from final", "%", 2},
};

static const pn_column SUMMARY[] = {
    {"model", "model", "", -1},
    {"read_pct", "reads", "%", 2},
    {"final_latency_ns", "final", "ns", 2},
    {"within_5pct_after_windows", "within 5 %", "windows", 0},
    {"within_2pct_after_windows", "within 2 %", "windows", 0},
    {"deviation_after_2_windows_pct", "after 2", "%", 2},
    {"deviation_after_4_windows_pct", "after 4", "%", 2},
};

static void take(void *user, const pn_mem_response *response, const pn_traffic_sent *sent)
{
    bins *b = user;
    (void)sent;
    if (response->arrival_ps < b->step_ps)
        return;
    uint64_t i = (response->arrival_ps - b->step_ps) / b->window_ps;
    if (i >= BINS)
        return;
    b->sum_ns[i] += (double)(response->done_ps - response->arrival_ps) / 1000.0;
    b->count[i]++;
}

static panem_status run_seed(bins *b, const pn_traffic_settings *s, const char *model,
                             double read_frac, uint64_t seed, panem_error *err)
{
    panem_model_options options;
    pn_mem_port *port = NULL;
    pn_rng rng;
    PN_TRY(pn_traffic_model_options(&options, s, model, s->sharers, err));
    pn_traffic_config from =
        pn_traffic_config_of(s, &options, model, read_frac, s->step_from, s->sharers, s->cores);
    pn_traffic_config to =
        pn_traffic_config_of(s, &options, model, read_frac, s->step_to, s->sharers, s->cores);
    pn_rng_init(&rng, seed, 77);
    b->window_ps = options.window_ps;
    if (s->sharers > 1) /* a share reacts in horizons */
        b->window_ps *= panem_windows_effective(s->set, &options);
    b->step_ps = from.warmup_ps + pn_rng_below(&rng, options.window_ps);
    from.source.seed = seed;
    from.step_ps = b->step_ps;
    from.step_gap_ps = to.source.gap_ps;
    from.source.outstanding = to.source.outstanding;
    from.requests_max = UINT64_MAX;
    from.requests_min = UINT64_MAX;
    from.end_ps = b->step_ps + (BINS + 8) * b->window_ps;
    from.response = take;
    from.response_user = b;
    uint32_t in_flight = from.source.outstanding * from.sources + 64;
    pn_traffic_result ignored;
    PN_TRY(pn_traffic_open_port(&port, s, &options, model, in_flight, err));
    panem_status status = pn_traffic_run(&ignored, port, &from, err);
    pn_mem_destroy(port);
    return status;
}

static double mean_of(const bins *b, int i)
{
    return b->count[i] ? b->sum_ns[i] / (double)b->count[i] : (double)NAN;
}

static double final_mean(const bins *b)
{
    double sum = 0.0;
    uint64_t count = 0;
    for (int i = BINS - FINAL_BINS; i < BINS; i++) {
        sum += b->sum_ns[i];
        count += b->count[i];
    }
    return count ? sum / (double)count : (double)NAN;
}

/* The first window from which on, until the final bins, no mean strays further; -1: none. */
static int settled_after(const bins *b, double limit)
{
    double last = final_mean(b);
    int after = BINS - FINAL_BINS;
    while (after > 0 && fabs(mean_of(b, after - 1) / last - 1.0) <= limit)
        after--;
    return after;
}

static void report(pn_table *rows, pn_table *sums, const bins *b, const char *model,
                   double read_frac)
{
    double last = final_mean(b);
    for (int i = 0; i < SHOWN; i++) {
        pn_table_text(rows, model);
        pn_table_number(rows, 100.0 * read_frac);
        pn_table_number(rows, i);
        pn_table_number(rows, mean_of(b, i));
        pn_table_number(rows, 100.0 * (mean_of(b, i) / last - 1.0));
    }
    pn_table_text(sums, model);
    pn_table_number(sums, 100.0 * read_frac);
    pn_table_number(sums, last);
    pn_table_number(sums, settled_after(b, 0.05));
    pn_table_number(sums, settled_after(b, 0.02));
    pn_table_number(sums, 100.0 * (mean_of(b, 2) / last - 1.0));
    pn_table_number(sums, 100.0 * (mean_of(b, 4) / last - 1.0));
}

static panem_status run_model(pn_table *rows, pn_table *sums, const pn_traffic_settings *s,
                              const char *model, panem_error *err)
{
    for (size_t i = 0; i < s->read_pct.count; i++) {
        bins b;
        memset(&b, 0, sizeof b);
        for (uint32_t seed = 0; seed < s->seeds; seed++)
            PN_TRY(
                run_seed(&b, s, model, s->read_pct.values[i] / 100.0, s->source.seed + seed, err));
        report(rows, sums, &b, model, s->read_pct.values[i] / 100.0);
    }
    return PANEM_OK;
}

int pn_traffic_step(pn_traffic_settings *s)
{
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    pn_table *rows = pn_table_new(COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0]);
    pn_table *sums = pn_table_new(SUMMARY, sizeof SUMMARY / sizeof SUMMARY[0]);
    if (!rows || !sums)
        status = pn_err(&err, PANEM_E_NOMEM, "out of memory");
    for (size_t m = 0; m < s->models.count && status == PANEM_OK; m++)
        status = run_model(rows, sums, s, s->models.items[m], &err);
    if (status == PANEM_OK && s->format == PN_FORMAT_JSON) {
        pn_json_print(json_pack("{s:s, s:i, s:o, s:o}", "panem", panem_version(), "seeds",
                                (int)s->seeds, "summary", pn_table_json(sums), "rows",
                                pn_table_json(rows)),
                      stdout);
    } else if (status == PANEM_OK) {
        pn_table_print(rows, s->format, stdout);
        if (s->format == PN_FORMAT_TABLE) {
            printf("\nSettling, mean of %u seeds\n", s->seeds);
            pn_table_print(sums, s->format, stdout);
        }
    }
    pn_table_free(rows);
    pn_table_free(sums);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail(&err);
}
