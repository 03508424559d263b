/* host.c - a simulator's side of libpanem in one page: load curves, make a model, ask it what each
 * cache miss costs. Prints latency against load.
 *
 *     cc host.c $(pkg-config --cflags --libs panem) -o host && ./host SET.csv */
#include <panem.h>
#include <stdio.h>

enum { LINE_BYTES = 64, MISSES = 200000 };

/* Sends one line every gap_ps; answers with the mean latency in ns and the bandwidth in GB/s. */
static int drive(double *latency_ns, double *gbs, const panem_curves *set, uint64_t gap_ps)
{
    panem_model_options options = PANEM_MODEL_OPTIONS_INIT;
    panem_error err = PANEM_ERROR_INIT;
    panem_model *model = NULL;
    panem_stats stats;
    uint64_t last_ps = 0;
    if (panem_model_create(&model, set, &options, &err) != PANEM_OK)
        return fprintf(stderr, "host: %s\n", err.message);
    for (uint64_t i = 0; i < MISSES; i++) {
        panem_response response;
        panem_request miss = {i * gap_ps, i * LINE_BYTES, LINE_BYTES, PANEM_READ, 0};
        /* BUSY comes only when more is asked than the memory holds; these loads never do that. */
        if (panem_access(model, &response, &miss) == PANEM_OK && response.done_ps > last_ps)
            last_ps = response.done_ps; /* a real host wakes the load at response.ack_ps */
    }
    panem_stats_get(model, &stats);
    *latency_ns = stats.read_latency_sum_ns / (double)stats.read_requests;
    *gbs = (double)stats.read_bytes / (double)last_ps * 1e3; /* bytes per ps x 1e3 = GB/s */
    panem_model_destroy(model);
    return 0;
}

int main(int argc, char **argv)
{
    panem_error err = PANEM_ERROR_INIT;
    panem_curves *set = NULL;
    if (argc != 2)
        return fprintf(stderr, "usage: host SET.csv\n"), 2;
    if (panem_curves_load(&set, argv[1], NULL, &err) != PANEM_OK)
        return fprintf(stderr, "host: %s:%u: %s\n", err.file, err.line, err.message), 3;
    double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, 1.0);
    printf("panem %s\n%10s %10s %10s\n", panem_version(), "load %", "GB/s", "latency ns");
    for (int load = 10; load <= 90; load += 10) {
        double latency_ns, gbs;
        if (drive(&latency_ns, &gbs, set, (uint64_t)(LINE_BYTES / peak * 1e14 / load)) != 0)
            return 1;
        printf("%10d %10.2f %10.2f\n", load, gbs, latency_ns);
    }
    panem_curves_destroy(set);
    return 0;
}
