/* mg1.c - the windowed M/G/1 queue of Sniper in front of its constant-latency DRAM, as a model
 * kind.
 *
 * Source: snipersim, common/performance_model/queue_model_windowed_mg1.cc and .h,
 * dram_perf_model_constant.cc, commit 900a80c. The rule was read there and written anew.
 *
 * Rule. Of the n arrivals of the last window_size W, with service times S in whole ps,
 *     rho = min(0.99, sum(S) / W)      E[S^2] = sum(S^2) / n, cut to whole ps^2
 *     wait = n / W x E[S^2] / (2 (1 - rho)), cut to whole ps, W at most; 0 unless n > 1
 * (Pollaczek and Khinchine), before the request itself is counted.
 * Latency = wait + service time + fixed latency.
 *
 * Parameters. window_size (queue_model/windowed_mg1/window_size) is an option. Service time =
 * bytes / the peak at reads 2/3 (perf_model/dram/per_controller_bandwidth). The fixed latency
 * (perf_model/dram/latency) is idle at reads 2/3 less the service time of 64 bytes, so that an
 * unloaded line sees idle.
 *
 * Where it deviates
 *  - The window ends W before the greatest time seen by access or advance. Sniper takes its barrier
 *    time there, which no thread is behind: ordered calls say the same.
 *  - Arrivals live in a ring made at the start, with room for at least four times the lines that
 *    the peak serves in W (1024 .. 2^20). When it is full the oldest arrival leaves early; rho is
 *    then far above its clamp.
 *  - An arrival that is out of order is sorted in, as there, but by moving the later ones: the cost
 *    grows with how many there are. One older than the whole of a full ring is not counted.
 *  - sum(S^2) is 128 bits wide; Sniper's 64 wrap. Service times are rounded to the nearest fs.
 *  - sharers N: a request's S counts N times (the share's bandwidth); its own transfer is part of
 *    the latency once.
 * Not modelled, as there: a bound on bandwidth; banks, turnaround. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/peer.h"

static const double RHO_MAX = 0.99;
enum { RING_MIN = 1024, RING_MAX = 1 << 20, RING_HEADROOM = 4 };

typedef struct arrival {
    uint64_t time_ps, service_ps;
} arrival;

typedef struct mg1_model {
    pn_peer peer;
    pn_peer_server server;
    arrival *ring;
    uint32_t size; /* power of two */
    /* state */
    uint32_t first, count; /* ring entries, sorted by time */
    uint64_t service_sum_ps;
    pn_u128 service_sum2_ps2;
    uint64_t latency_ps; /* last answer, for peek */
} mg1_model;

static arrival *entry(const mg1_model *m, uint32_t i)
{
    return &m->ring[(m->first + i) & (m->size - 1)];
}

static void take_in(mg1_model *m, arrival a)
{
    m->service_sum_ps += a.service_ps;
    m->service_sum2_ps2 += (pn_u128)a.service_ps * a.service_ps;
}

static void drop_oldest(mg1_model *m)
{
    arrival a = *entry(m, 0);
    m->service_sum_ps -= a.service_ps;
    m->service_sum2_ps2 -= (pn_u128)a.service_ps * a.service_ps;
    m->first = (m->first + 1) & (m->size - 1);
    m->count--;
}

static void remove_before(mg1_model *m, uint64_t earliest_ps)
{
    while (m->count && entry(m, 0)->time_ps < earliest_ps)
        drop_oldest(m);
}

static void add(mg1_model *m, arrival a)
{
    if (m->count == m->size) {
        if (a.time_ps < entry(m, 0)->time_ps)
            return;
        drop_oldest(m);
    }
    uint32_t i = m->count++;
    for (; i > 0 && entry(m, i - 1)->time_ps > a.time_ps; i--)
        *entry(m, i) = *entry(m, i - 1);
    *entry(m, i) = a;
    take_in(m, a);
}

static uint64_t mean_square_ps2(const mg1_model *m)
{
    if (m->service_sum2_ps2 >> 64 == 0)
        return (uint64_t)m->service_sum2_ps2 / m->count;
    return (uint64_t)(m->service_sum2_ps2 / m->count);
}

static uint64_t wait_ps(mg1_model *m)
{
    uint64_t window_ps = m->peer.base.options.peers.window_size_ps;
    if (m->count <= 1)
        return 0;
    double rho = (double)m->service_sum_ps / (double)window_ps;
    double arrivals_per_ps = (double)m->count / (double)window_ps;
    m->peer.updates++;
    if (rho > RHO_MAX) {
        rho = RHO_MAX;
        m->peer.saturated++;
    }
    double wait = arrivals_per_ps * (double)mean_square_ps2(m) / (2.0 * (1.0 - rho));
    return wait < (double)window_ps ? (uint64_t)(int64_t)wait : window_ps;
}

static panem_status mg1_access(panem_model *model, panem_response *response,
                               const panem_request *request)
{
    mg1_model *m = (mg1_model *)model;
    if (!pn_request_valid(request))
        return PANEM_E_ARG;
    pn_peer_see(&m->peer, request->time_ps);
    uint64_t window_ps = model->options.peers.window_size_ps;
    if (m->peer.now_ps > window_ps)
        remove_before(m, m->peer.now_ps - window_ps);
    uint64_t wait = wait_ps(m);
    uint64_t held_fs = pn_peer_service_fs(m->server.queue_fs_per_byte, request->bytes);
    add(m, (arrival){request->time_ps, held_fs / 1000});
    uint64_t service_fs = pn_peer_service_fs(m->server.fs_per_byte, request->bytes);
    m->latency_ps = wait + (service_fs + m->server.fixed_fs) / 1000;
    pn_peer_answer(&m->peer, response, request, m->latency_ps);
    return PANEM_OK;
}

static void mg1_reset(panem_model *model)
{
    mg1_model *m = (mg1_model *)model;
    pn_peer_reset(&m->peer);
    m->first = m->count = 0;
    m->service_sum_ps = 0;
    m->service_sum2_ps2 = 0;
    m->latency_ps = pn_peer_unloaded_ps(&m->server);
}

static uint32_t ring_size(const panem_curves *set, const panem_model_options *options)
{
    double window_ns = (double)options->peers.window_size_ps / 1000.0;
    double lines = window_ns * pn_peer_peak_gbs(set, options) / PN_PEER_LINE_BYTES;
    uint32_t size = RING_MIN;
    while (size < RING_MAX && size < RING_HEADROOM * lines)
        size *= 2;
    return size;
}

static panem_status mg1_create(panem_model **model, const panem_curves *set,
                               const panem_model_options *options, const panem_allocator *allocator,
                               panem_error *err)
{
    mg1_model *m = pn_mem_alloc(allocator, 1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    m->size = ring_size(set, options);
    m->ring = pn_mem_alloc(allocator, m->size, sizeof *m->ring);
    if (!m->ring) {
        uint32_t size = m->size;
        pn_mem_release(allocator, m, 1, sizeof *m);
        return pn_err(err, PANEM_E_NOMEM, "no memory for a ring of %u arrivals", size);
    }
    m->server = pn_peer_server_of(set, options);
    *model = &m->peer.base;
    return PANEM_OK;
}

static void mg1_destroy(panem_model *model)
{
    panem_allocator a = model->allocator;
    mg1_model *m = (mg1_model *)model;
    pn_mem_release(&a, m->ring, m->size, sizeof *m->ring);
    pn_mem_release(&a, m, 1, sizeof *m);
}

static void mg1_peek(const panem_model *model, panem_state *state)
{
    const mg1_model *m = (const mg1_model *)model;
    double rho = (double)m->service_sum_ps / (double)model->options.peers.window_size_ps;
    *state = (panem_state){
        .window_start_ps = m->peer.now_ps,
        .latency_ps = m->latency_ps,
        .read_frac = PN_PEER_READ_FRAC,
        .bandwidth_bytes_per_s = rho * 1e15 / m->server.queue_fs_per_byte,
        .utilization_frac = rho,
    };
}

static void put_all(pn_bytes_out *out, const mg1_model *m)
{
    pn_peer_put(out, &m->peer);
    pn_put_u64(out, m->latency_ps);
    pn_put_u64(out, m->count);
    for (uint32_t i = 0; i < m->count; i++) {
        pn_put_u64(out, entry(m, i)->time_ps);
        pn_put_u64(out, entry(m, i)->service_ps);
    }
}

static size_t mg1_save_size(const panem_model *model)
{
    pn_bytes_out out = {NULL, 0};
    put_all(&out, (const mg1_model *)model);
    return out.length;
}

static void mg1_save(const panem_model *model, unsigned char *payload)
{
    pn_bytes_out out = {payload, 0};
    put_all(&out, (const mg1_model *)model);
}

/* Reads the arrivals, into the ring when keep. */
static bool read_ring(mg1_model *m, pn_bytes_in in, uint64_t count, bool keep)
{
    uint64_t before_ps = 0;
    for (uint64_t i = 0; i < count; i++) {
        arrival a;
        a.time_ps = pn_get_u64(&in);
        a.service_ps = pn_get_u64(&in);
        if (a.time_ps < before_ps || a.time_ps > m->peer.now_ps ||
            a.service_ps > PN_PEER_SERVICE_MAX_FS / 1000)
            return false;
        before_ps = a.time_ps;
        if (keep)
            m->ring[i] = a;
        take_in(m, a);
    }
    return !in.short_of && in.at == in.length;
}

static bool mg1_restore(panem_model *model, const unsigned char *payload, size_t size)
{
    mg1_model n = *(const mg1_model *)model;
    pn_bytes_in in = {payload, size, 0, false};
    bool good = pn_peer_get(&in, &n.peer);
    n.latency_ps = pn_get_u64(&in);
    uint64_t count = pn_get_u64(&in);
    if (!good || in.short_of || count > n.size || n.latency_ps > PN_PEER_LATENCY_MAX_PS)
        return false;
    n.first = 0;
    n.service_sum_ps = 0;
    n.service_sum2_ps2 = 0;
    mg1_model trial = n;
    if (!read_ring(&trial, in, count, false))
        return false;
    (void)read_ring(&n, in, count, true);
    n.count = (uint32_t)count;
    *(mg1_model *)model = n;
    return true;
}

const pn_model_ops pn_model_mg1_ops = {
    .create = mg1_create,
    .destroy = mg1_destroy,
    .reset = mg1_reset,
    .access = mg1_access,
    .advance = pn_peer_advance,
    .peek = mg1_peek,
    .stats = pn_peer_stats,
    .save_size = mg1_save_size,
    .save = mg1_save,
    .restore = mg1_restore,
};
