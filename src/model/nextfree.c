/* nextfree.c - the "contention" queue of Sniper in front of its constant-latency DRAM, as a model
 * kind: a request waits for the next free of n servers.
 *
 * Source: snipersim, common/performance_model/contention_model.cc (getCompletionTime),
 * queue_model_contention.cc and dram_perf_model_constant.cc, commit 900a80c. The rule was read
 * there and written anew.
 *
 * Rule. The first server that is free at t takes the request, else the one that is free first, when
 * it is; it is busy for the service time from then on. Latency = wait + service time + fixed
 * latency. A request with a time before the last one's is charged no wait and occupies no server;
 * nor does any request at time 0.
 *
 * Parameters. num_outstanding is the number of servers, 1 as Sniper's DRAM has it, each with the
 * whole bandwidth: the peak at reads 2/3 (perf_model/dram/per_controller_bandwidth). The fixed
 * latency (perf_model/dram/latency) is idle at reads 2/3 less the service time of 64 bytes, so that
 * an unloaded line sees idle.
 *
 * Where it deviates
 *  - sharers N: a request holds its server N times as long (the share's bandwidth); its own
 *    transfer is part of the latency once.
 *  - Service times are rounded to the nearest fs; answers are cut to whole ps.
 * Not modelled, as there: anything between idle and saturation but the bus; banks, turnaround. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/peer.h"

typedef struct nextfree_model {
    pn_peer peer;
    pn_peer_server server;
    pn_u128 *free_fs;    /* when each server is free */
    uint64_t last_ps;    /* latest arrival that was not out of order */
    uint64_t latency_ps; /* last answer, for peek */
} nextfree_model;

/* First free at t, else the first to be free. */
static uint32_t pick(const nextfree_model *m, pn_u128 t_fs)
{
    uint32_t unit = 0;
    for (uint32_t i = 0; i < m->peer.base.options.peers.num_outstanding; i++) {
        if (m->free_fs[i] <= t_fs)
            return i;
        if (m->free_fs[i] < m->free_fs[unit])
            unit = i;
    }
    return unit;
}

static pn_u128 wait_fs(nextfree_model *m, uint64_t time_ps, uint64_t hold_fs)
{
    if (time_ps == 0 || time_ps < m->last_ps)
        return 0;
    pn_u128 t_fs = (pn_u128)time_ps * 1000;
    uint32_t unit = pick(m, t_fs);
    pn_u128 begin_fs = m->free_fs[unit] > t_fs ? m->free_fs[unit] : t_fs;
    m->free_fs[unit] = begin_fs + hold_fs;
    m->last_ps = time_ps;
    return begin_fs - t_fs;
}

static uint64_t whole_ps(pn_u128 fs)
{
    if (fs >> 63 == 0)
        return (uint64_t)fs / 1000;
    pn_u128 ps = fs / 1000;
    return ps < PN_PEER_LATENCY_MAX_PS ? (uint64_t)ps : PN_PEER_LATENCY_MAX_PS;
}

static panem_status nextfree_access(panem_model *model, panem_response *response,
                                    const panem_request *request)
{
    nextfree_model *m = (nextfree_model *)model;
    if (!pn_request_valid(request))
        return PANEM_E_ARG;
    uint64_t held_fs = pn_peer_service_fs(m->server.queue_fs_per_byte, request->bytes);
    uint64_t service_fs = pn_peer_service_fs(m->server.fs_per_byte, request->bytes);
    uint64_t latency_ps =
        whole_ps(wait_fs(m, request->time_ps, held_fs) + service_fs + m->server.fixed_fs);
    pn_peer_see(&m->peer, request->time_ps);
    m->latency_ps = latency_ps;
    pn_peer_answer(&m->peer, response, request, latency_ps);
    return PANEM_OK;
}

static void nextfree_reset(panem_model *model)
{
    nextfree_model *m = (nextfree_model *)model;
    pn_peer_reset(&m->peer);
    memset(m->free_fs, 0, model->options.peers.num_outstanding * sizeof *m->free_fs);
    m->last_ps = 0;
    m->latency_ps = pn_peer_unloaded_ps(&m->server);
}

static panem_status nextfree_create(panem_model **model, const panem_curves *set,
                                    const panem_model_options *options,
                                    const panem_allocator *allocator, panem_error *err)
{
    nextfree_model *m = pn_mem_alloc(allocator, 1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    m->free_fs = pn_mem_alloc(allocator, options->peers.num_outstanding, sizeof *m->free_fs);
    if (!m->free_fs) {
        pn_mem_release(allocator, m, 1, sizeof *m);
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    }
    m->server = pn_peer_server_of(set, options);
    *model = &m->peer.base;
    return PANEM_OK;
}

static void nextfree_destroy(panem_model *model)
{
    panem_allocator a = model->allocator;
    nextfree_model *m = (nextfree_model *)model;
    pn_mem_release(&a, m->free_fs, model->options.peers.num_outstanding, sizeof *m->free_fs);
    pn_mem_release(&a, m, 1, sizeof *m);
}

/* No average is kept: the latency is that of the last answer. */
static void nextfree_peek(const panem_model *model, panem_state *state)
{
    const nextfree_model *m = (const nextfree_model *)model;
    *state = (panem_state){.window_start_ps = m->peer.now_ps,
                           .latency_ps = m->latency_ps,
                           .read_frac = PN_PEER_READ_FRAC};
}

static void put_all(pn_bytes_out *out, const nextfree_model *m)
{
    pn_peer_put(out, &m->peer);
    pn_put_u64(out, m->last_ps);
    pn_put_u64(out, m->latency_ps);
    for (uint32_t i = 0; i < m->peer.base.options.peers.num_outstanding; i++)
        pn_put_u128(out, m->free_fs[i]);
}

static size_t nextfree_save_size(const panem_model *model)
{
    pn_bytes_out out = {NULL, 0};
    put_all(&out, (const nextfree_model *)model);
    return out.length;
}

static void nextfree_save(const panem_model *model, unsigned char *payload)
{
    pn_bytes_out out = {payload, 0};
    put_all(&out, (const nextfree_model *)model);
}

/* Later than any run can reach; nothing added to it wraps. */
static const pn_u128 FREE_MAX_FS = (pn_u128)1 << 120;

static bool nextfree_restore(panem_model *model, const unsigned char *payload, size_t size)
{
    if (size != nextfree_save_size(model))
        return false;
    nextfree_model n = *(const nextfree_model *)model;
    pn_bytes_in in = {payload, size, 0, false};
    bool good = pn_peer_get(&in, &n.peer);
    n.last_ps = pn_get_u64(&in);
    n.latency_ps = pn_get_u64(&in);
    if (!good || n.last_ps > n.peer.now_ps || n.latency_ps > PN_PEER_LATENCY_MAX_PS)
        return false;
    pn_bytes_in check = in;
    for (uint32_t i = 0; i < model->options.peers.num_outstanding; i++)
        if (pn_get_u128(&check) > FREE_MAX_FS)
            return false;
    for (uint32_t i = 0; i < model->options.peers.num_outstanding; i++)
        n.free_fs[i] = pn_get_u128(&in);
    *(nextfree_model *)model = n;
    return true;
}

const pn_model_ops pn_model_nextfree_ops = {
    .create = nextfree_create,
    .destroy = nextfree_destroy,
    .reset = nextfree_reset,
    .access = nextfree_access,
    .advance = pn_peer_advance,
    .peek = nextfree_peek,
    .stats = pn_peer_stats,
    .save_size = nextfree_save_size,
    .save = nextfree_save,
    .restore = nextfree_restore,
};
