/* fixed.c - one latency for every request: what most simulators do, from the same curve set.
 *
 * fixed:idle charges L(0, 2/3 reads); fixed:high charges the latency at 90 % of peak at 2/3 reads.
 * The on-chip part is off the set already, as for PANEM. Not modelled: load, bandwidth, mix; there
 * are no windows, so the observer is never called and CBusy stays 0. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/wide.h"
#include "curve/relation.h"
#include "model/bytes.h"
#include "model/model.h"

static const double FIXED_READ_FRAC = 2.0 / 3.0; /* DESIGN section 6 */
static const double FIXED_HIGH_LOAD = 0.9;

typedef struct fixed_model {
    panem_model base;
    uint64_t latency_ps;
    uint64_t now_ps; /* greatest time seen */
    pn_u128 latency_sum[2];
    panem_stats stats;
} fixed_model;

static uint64_t latency_of(const panem_curves *set, panem_kind kind, panem_mix mix)
{
    if (kind == PANEM_KIND_FIXED_IDLE)
        return panem_idle_ps(set, mix, FIXED_READ_FRAC);
    double peak = pn_relation_row(set, mix, FIXED_READ_FRAC).peak_gbs;
    double n;
    double ns;
    if (!pn_relation_invert(set, mix, FIXED_HIGH_LOAD * peak, FIXED_READ_FRAC, &n, &ns))
        return panem_idle_ps(set, mix, FIXED_READ_FRAC); /* cannot happen: 0.9 peak < peak */
    return (uint64_t)(ns * 1000.0 + 0.5);
}

static panem_status fixed_create(panem_model **model, const panem_curves *set,
                                 const panem_model_options *options,
                                 const panem_allocator *allocator, panem_error *err)
{
    fixed_model *m = pn_mem_alloc(allocator, 1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    m->latency_ps = latency_of(set, options->kind, options->relation.mix);
    *model = &m->base;
    return PANEM_OK;
}

static void fixed_destroy(panem_model *model)
{
    panem_allocator a = model->allocator;
    pn_mem_release(&a, model, 1, sizeof(fixed_model));
}

static void fixed_reset(panem_model *model)
{
    fixed_model *m = (fixed_model *)model;
    m->now_ps = 0;
    m->latency_sum[0] = m->latency_sum[1] = 0;
    memset(&m->stats, 0, sizeof m->stats);
}

static panem_status fixed_access(panem_model *model, panem_response *response,
                                 const panem_request *request)
{
    fixed_model *m = (fixed_model *)model;
    if (!pn_request_valid(request))
        return PANEM_E_ARG;
    uint32_t kind = request->kind;
    if (request->time_ps > m->now_ps)
        m->now_ps = request->time_ps;
    m->latency_sum[kind] += m->latency_ps;
    if (kind == PANEM_READ) {
        m->stats.read_requests++;
        m->stats.read_bytes += request->bytes;
    } else {
        m->stats.write_requests++;
        m->stats.write_bytes += request->bytes;
    }
    response->done_ps = request->time_ps + m->latency_ps;
    response->ack_ps = kind == PANEM_WRITE && m->base.options.early_write_ack ? request->time_ps
                                                                              : response->done_ps;
    response->retry_ps = 0;
    response->cbusy = 0;
    return PANEM_OK;
}

static panem_status fixed_advance(panem_model *model, uint64_t horizon_ps)
{
    fixed_model *m = (fixed_model *)model;
    if (horizon_ps > PN_TIME_MAX_PS)
        return PANEM_E_ARG;
    if (horizon_ps > m->now_ps)
        m->now_ps = horizon_ps;
    return PANEM_OK;
}

static void fixed_peek(const panem_model *model, panem_state *state)
{
    const fixed_model *m = (const fixed_model *)model;
    *state = (panem_state){
        .window_start_ps = m->now_ps, .latency_ps = m->latency_ps, .read_frac = FIXED_READ_FRAC};
}

static void fixed_stats(const panem_model *model, panem_stats *stats)
{
    const fixed_model *m = (const fixed_model *)model;
    *stats = m->stats;
    stats->read_latency_sum_ns = pn_u128_to_double(m->latency_sum[PANEM_READ]) / 1000.0;
    stats->write_latency_sum_ns = pn_u128_to_double(m->latency_sum[PANEM_WRITE]) / 1000.0;
}

static void put_all(pn_bytes_out *out, const fixed_model *m)
{
    pn_put_u64(out, m->now_ps);
    pn_put_u128(out, m->latency_sum[0]);
    pn_put_u128(out, m->latency_sum[1]);
    pn_put_u64(out, m->stats.read_requests);
    pn_put_u64(out, m->stats.write_requests);
    pn_put_u64(out, m->stats.read_bytes);
    pn_put_u64(out, m->stats.write_bytes);
}

static size_t fixed_save_size(const panem_model *model)
{
    pn_bytes_out out = {NULL, 0};
    put_all(&out, (const fixed_model *)model);
    return out.length;
}

static void fixed_save(const panem_model *model, unsigned char *payload)
{
    pn_bytes_out out = {payload, 0};
    put_all(&out, (const fixed_model *)model);
}

static bool fixed_restore(panem_model *model, const unsigned char *payload, size_t size)
{
    fixed_model *m = (fixed_model *)model;
    if (size != fixed_save_size(model))
        return false;
    pn_bytes_in in = {payload, size, 0, false};
    uint64_t now_ps = pn_get_most(&in, PN_TIME_MAX_PS);
    if (in.short_of)
        return false;
    m->now_ps = now_ps;
    m->latency_sum[0] = pn_get_u128(&in);
    m->latency_sum[1] = pn_get_u128(&in);
    m->stats.read_requests = pn_get_u64(&in);
    m->stats.write_requests = pn_get_u64(&in);
    m->stats.read_bytes = pn_get_u64(&in);
    m->stats.write_bytes = pn_get_u64(&in);
    return true;
}

const pn_model_ops pn_model_fixed_ops = {
    .create = fixed_create,
    .destroy = fixed_destroy,
    .reset = fixed_reset,
    .access = fixed_access,
    .advance = fixed_advance,
    .peek = fixed_peek,
    .stats = fixed_stats,
    .save_size = fixed_save_size,
    .save = fixed_save,
    .restore = fixed_restore,
};
