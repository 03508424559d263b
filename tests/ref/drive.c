/* drive.c - see drive.h. */
#include "drive.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

static void note(drive_result *r, const panem_request *q, const panem_response *a, uint64_t end_ps)
{
    uint64_t latency_ps = a->done_ps - q->time_ps;
    r->accepted++;
    r->bytes += q->bytes;
    if (a->done_ps < end_ps)
        r->bytes_by_end += q->bytes;
    if (r->accepted == 1 || latency_ps < r->latency_min_ps)
        r->latency_min_ps = latency_ps;
    if (latency_ps > r->latency_max_ps)
        r->latency_max_ps = latency_ps;
    if (a->done_ps > r->last_done_ps)
        r->last_done_ps = a->done_ps;
    r->byte_ps += (pn_u128)q->bytes * latency_ps;
}

static void conclude(drive_result *r, uint64_t length_ps)
{
    if (r->bytes)
        r->latency_mean_ns = (double)r->byte_ps / (double)r->bytes / 1000.0;
    r->achieved_gbs = (double)r->bytes_by_end * 1000.0 / (double)length_ps;
}

drive_result drive_open(panem_model *m, const drive_load *load)
{
    drive_result r;
    memset(&r, 0, sizeof r);
    pn_rng rng;
    pn_rng_init(&rng, load->seed, 9);
    uint64_t t = load->start_ps;
    while (t < load->end_ps) {
        panem_request q = {t, 0, load->bytes, PANEM_READ, 0};
        q.kind = pn_rng_below(&rng, 100) < load->reads_of_100 ? PANEM_READ : PANEM_WRITE;
        panem_response a;
        panem_status status = panem_access(m, &a, &q);
        if (status == PANEM_BUSY) {
            r.busy++;
            t = a.retry_ps > t ? a.retry_ps : t + 1;
            continue;
        }
        if (status != PANEM_OK)
            abort();
        note(&r, &q, &a, load->end_ps);
        t += load->poisson ? pn_rng_exp(&rng, load->gap_ps) : load->gap_ps;
    }
    conclude(&r, load->end_ps - load->start_ps);
    return r;
}

static uint32_t earliest(const uint64_t *next_ps, uint32_t slots)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < slots; i++)
        if (next_ps[i] < next_ps[best])
            best = i;
    return best;
}

drive_result drive_closed(panem_model *m, uint32_t slots, uint64_t start_ps, uint32_t rounds)
{
    drive_result r;
    memset(&r, 0, sizeof r);
    uint64_t *next_ps = malloc(slots * sizeof *next_ps);
    if (!next_ps)
        abort();
    for (uint32_t i = 0; i < slots; i++)
        next_ps[i] = start_ps + 100 * i; /* not all at once: the paper's windows see phases */
    for (uint64_t n = 0; n < (uint64_t)slots * rounds; n++) {
        uint32_t i = earliest(next_ps, slots);
        panem_request q = {next_ps[i], 0, 64, PANEM_READ, i};
        panem_response a;
        if (panem_access(m, &a, &q) != PANEM_OK)
            abort();
        note(&r, &q, &a, UINT64_MAX);
        next_ps[i] = a.done_ps;
    }
    free(next_ps);
    conclude(&r, r.last_done_ps - start_ps);
    return r;
}
