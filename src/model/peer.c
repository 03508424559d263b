/* peer.c - see peer.h. */
#include "model/peer.h"

#include <string.h>

#include "base/err.h"
#include "curve/relation.h"

static const uint64_t PS_PER_S = UINT64_C(1000000000000);

uint64_t pn_peer_idle_ps(const panem_curves *set, const panem_model_options *options)
{
    return panem_idle_ps(set, options->relation.mix, PN_PEER_READ_FRAC);
}

double pn_peer_peak_gbs(const panem_curves *set, const panem_model_options *options)
{
    return pn_relation_row(set, options->relation.mix, PN_PEER_READ_FRAC).peak_gbs;
}

pn_peer_server pn_peer_server_of(const panem_curves *set, const panem_model_options *options)
{
    pn_peer_server s;
    s.fs_per_byte = 1e6 / pn_peer_peak_gbs(set, options);
    s.queue_fs_per_byte = s.fs_per_byte * options->sharers;
    uint64_t idle_fs = pn_peer_idle_ps(set, options) * 1000;
    uint64_t line_fs = pn_peer_service_fs(s.fs_per_byte, PN_PEER_LINE_BYTES);
    s.fixed_fs = idle_fs > line_fs ? idle_fs - line_fs : 0;
    return s;
}

uint64_t pn_peer_cycle_of(const pn_peer *peer, uint64_t time_ps)
{
    return (uint64_t)((pn_u128)time_ps * peer->base.options.peers.frequency_hz / PS_PER_S);
}

uint64_t pn_peer_cycle_start_ps(const pn_peer *peer, uint64_t cycle)
{
    uint64_t hz = peer->base.options.peers.frequency_hz;
    return (uint64_t)(((pn_u128)cycle * PS_PER_S + hz - 1) / hz);
}

uint64_t pn_peer_cycles_ps(const pn_peer *peer, uint64_t cycles)
{
    uint64_t hz = peer->base.options.peers.frequency_hz;
    return (uint64_t)(((pn_u128)cycles * PS_PER_S + hz / 2) / hz);
}

void pn_peer_reset(pn_peer *peer)
{
    panem_model base = peer->base;
    memset(peer, 0, sizeof *peer);
    peer->base = base;
}

panem_status pn_peer_advance(panem_model *model, uint64_t horizon_ps)
{
    if (horizon_ps > PN_TIME_MAX_PS)
        return PANEM_E_ARG;
    pn_peer_see((pn_peer *)model, horizon_ps);
    return PANEM_OK;
}

void pn_peer_stats(const panem_model *model, panem_stats *stats)
{
    const pn_peer *p = (const pn_peer *)model;
    *stats = (panem_stats){
        .read_requests = p->requests[PANEM_READ],
        .write_requests = p->requests[PANEM_WRITE],
        .read_bytes = p->bytes[PANEM_READ],
        .write_bytes = p->bytes[PANEM_WRITE],
        .read_latency_sum_ns = pn_u128_to_double(p->latency_sum_ps[PANEM_READ]) / 1000.0,
        .write_latency_sum_ns = pn_u128_to_double(p->latency_sum_ps[PANEM_WRITE]) / 1000.0,
        .windows_closed = p->updates,
        .windows_saturated = p->saturated,
        .cbusy_windows = {p->updates, 0, 0, 0},
    };
}

void pn_peer_put(pn_bytes_out *out, const pn_peer *peer)
{
    pn_put_u64(out, peer->now_ps);
    for (int k = 0; k < 2; k++) {
        pn_put_u128(out, peer->latency_sum_ps[k]);
        pn_put_u64(out, peer->requests[k]);
        pn_put_u64(out, peer->bytes[k]);
    }
    pn_put_u64(out, peer->updates);
    pn_put_u64(out, peer->saturated);
}

bool pn_peer_get(pn_bytes_in *in, pn_peer *peer)
{
    peer->now_ps = pn_get_u64(in);
    for (int k = 0; k < 2; k++) {
        peer->latency_sum_ps[k] = pn_get_u128(in);
        peer->requests[k] = pn_get_most(in, PN_COUNT_MAX);
        peer->bytes[k] = pn_get_most(in, PN_COUNT_MAX);
    }
    peer->updates = pn_get_most(in, PN_COUNT_MAX);
    peer->saturated = pn_get_most(in, PN_COUNT_MAX);
    return !in->short_of && peer->now_ps <= PN_TIME_MAX_PS && peer->saturated <= peer->updates;
}

static bool is_peer(panem_kind kind)
{
    return kind == PANEM_KIND_MD1 || kind == PANEM_KIND_MESS || kind == PANEM_KIND_MG1 ||
           kind == PANEM_KIND_NEXTFREE;
}

panem_status pn_peer_check_options(const panem_model_options *options, panem_error *err)
{
    const panem_peer_options *p = &options->peers;
    if (is_peer(options->kind) && options->time_mode != PANEM_TIME_ORDERED)
        return pn_err(err, PANEM_E_ARG,
                      "model options: this kind knows the ordered time_mode only");
    if (p->frequency_hz < 1000000 || p->frequency_hz > UINT64_C(100000000000))
        return pn_err(err, PANEM_E_ARG, "model options: peers.frequency_hz is outside 1e6..1e11");
    if (p->phase_length < 1 || p->phase_length > 1000000000)
        return pn_err(err, PANEM_E_ARG, "model options: peers.phase_length is outside 1..1e9");
    if (p->curve_window_size < 2 || p->curve_window_size > 1000000000)
        return pn_err(err, PANEM_E_ARG, "model options: peers.curve_window_size is outside 2..1e9");
    if (p->window_size_ps < 1000 || p->window_size_ps > UINT64_C(10000000000))
        return pn_err(err, PANEM_E_ARG, "model options: peers.window_size_ps is outside 1e3..1e10");
    if (p->num_outstanding < 1 || p->num_outstanding > 1024)
        return pn_err(err, PANEM_E_ARG, "model options: peers.num_outstanding is outside 1..1024");
    return PANEM_OK;
}
