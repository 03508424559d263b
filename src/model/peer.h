/* peer.h - what the analytic peers (md1, mess, mg1, nextfree) share: bookkeeping, what they take
 * from the curve set, core cycles. Internal to src/model.
 *
 * Rules of every peer
 *  - A peer has one latency rule, published elsewhere; its file names the source and every place
 *    where it deviates. It takes idle latency and peak from the curve set at reads 2/3, as
 *    fixed:idle does (mess takes whole curves).
 *  - Any order of times is accepted, never E_TIME; what a time that steps back means is the rule's.
 *    Never BUSY. Ordered mode only.
 *  - CBusy is level 0 always; there is no observer record: peers publish no busy level or windows.
 *  - sharers N: the peer is given 1/N of the bandwidth and the whole idle latency.
 *  - Reads and writes cost the same. Address and source are not looked at. */
#ifndef PN_MODEL_PEER_H
#define PN_MODEL_PEER_H

#include "base/wide.h"
#include "model/bytes.h"
#include "model/model.h"

/* All peers but mess know one bandwidth and one idle latency: those at reads 2/3, as fixed does. */
#define PN_PEER_READ_FRAC (2.0 / 3.0)
/* The published rules count cache lines; a larger request is so many of them. */
enum { PN_PEER_LINE_BYTES = 64 };

/* No latency is above this: sums with any legal time fit 64 bits. */
#define PN_PEER_LATENCY_MAX_PS (UINT64_C(1) << 62)
/* No service time is above this (9 s): sums of a million, in ps, fit 64 bits. */
#define PN_PEER_SERVICE_MAX_FS (UINT64_C(1) << 53)

/* First member of every peer's struct. */
typedef struct pn_peer {
    panem_model base;
    uint64_t now_ps; /* greatest time seen by access or advance */
    pn_u128 latency_sum_ps[2];
    uint64_t requests[2], bytes[2];
    uint64_t updates;   /* times the rule set a new latency */
    uint64_t saturated; /* of these, with the load clamped */
} pn_peer;

/* Idle latency and peak at reads 2/3. */
uint64_t pn_peer_idle_ps(const panem_curves *set, const panem_model_options *options);
double pn_peer_peak_gbs(const panem_curves *set, const panem_model_options *options);

/* Bandwidth of a queue's server and what is added to it: fixed + line service = idle. */
typedef struct pn_peer_server {
    double fs_per_byte;       /* at the whole peak: part of the latency */
    double queue_fs_per_byte; /* at the share's peak: how long the server is held */
    uint64_t fixed_fs;        /* idle less the service time of one line, 0 at least */
} pn_peer_server;
pn_peer_server pn_peer_server_of(const panem_curves *set, const panem_model_options *options);

/* Service time to the nearest fs. */
static inline uint64_t pn_peer_service_fs(double fs_per_byte, uint32_t bytes)
{
    double fs = fs_per_byte * bytes + 0.5;
    return fs < (double)PN_PEER_SERVICE_MAX_FS ? (uint64_t)(int64_t)fs : PN_PEER_SERVICE_MAX_FS;
}

/* Latency of one line that does not wait. */
static inline uint64_t pn_peer_unloaded_ps(const pn_peer_server *s)
{
    return (pn_peer_service_fs(s->fs_per_byte, PN_PEER_LINE_BYTES) + s->fixed_fs) / 1000;
}

/* Whole cycles begun at time_ps; first time at which cycle has begun; length of cycles in ps,
 * rounded to the nearest. */
uint64_t pn_peer_cycle_of(const pn_peer *peer, uint64_t time_ps);
uint64_t pn_peer_cycle_start_ps(const pn_peer *peer, uint64_t cycle);
uint64_t pn_peer_cycles_ps(const pn_peer *peer, uint64_t cycles);

void pn_peer_reset(pn_peer *peer);
/* pn_model_ops.advance and .stats of every peer. */
panem_status pn_peer_advance(panem_model *model, uint64_t horizon_ps);
void pn_peer_stats(const panem_model *model, panem_stats *stats);
void pn_peer_put(pn_bytes_out *out, const pn_peer *peer);
/* False when the bytes end early or cannot be. */
bool pn_peer_get(pn_bytes_in *in, pn_peer *peer);

/* E_ARG for peer options out of range, or a peer in horizon mode. */
panem_status pn_peer_check_options(const panem_model_options *options, panem_error *err);

static inline uint32_t pn_peer_lines(uint32_t bytes)
{
    return (bytes + PN_PEER_LINE_BYTES - 1) / PN_PEER_LINE_BYTES;
}

static inline void pn_peer_see(pn_peer *peer, uint64_t time_ps)
{
    if (time_ps > peer->now_ps)
        peer->now_ps = time_ps;
}

/* Counts a valid request and answers it. */
static inline void pn_peer_answer(pn_peer *peer, panem_response *response,
                                  const panem_request *request, uint64_t latency_ps)
{
    uint32_t kind = request->kind;
    uint64_t done_ps = request->time_ps + latency_ps;
    peer->latency_sum_ps[kind] += latency_ps;
    peer->requests[kind]++;
    peer->bytes[kind] += request->bytes;
    response->done_ps = done_ps;
    response->ack_ps =
        kind == PANEM_WRITE && peer->base.options.early_write_ack ? request->time_ps : done_ps;
    response->retry_ps = 0;
    response->cbusy = 0;
}

#endif
