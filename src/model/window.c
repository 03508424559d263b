/* window.c - PANEM at run time: outstanding bytes averaged over windows give the latency of the
 * next (docs/model.md, equations 9 to 16).
 *
 * Product form. No queue is kept, so a request costs the same however many are in flight. A request
 * that arrives at t and completes at d counts as if it lasted for ever from t, less as if it lasted
 * for ever from d: bytes x (end of t's window - t) is added to the head area of t's window, bytes x
 * (end of d's window - d) to the tail area of d's, and whole windows follow from the bytes in
 * flight at a window's start. So
 *     integral over a window = in flight at its start x its length + head - tail,
 * exactly, in integers. The literal form, with queues and a walk, is the oracle of tests/model.
 *
 * Rules
 *  - index and start_ps always describe the open window; ring entries of earlier windows are zero.
 *  - A completion must lie inside the ring, counted from the open window; else BUSY.
 *  - Everything that counts is an integer; doubles appear only where a window closes.
 *  - Access kinds index arrays: no branch depends on the kind, which no predictor can guess.
 * Not modelled: addresses, sources, reordering, different latency for reads and writes. */
#include "model/window.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* With nothing in flight or to come, the windows left are equal once the average is empty: after
 * the first of them when it spans one window, else when a close has found it so. */
static inline void close_until(pn_window_model *m, uint64_t time_ps)
{
    uint64_t rel_ps = time_ps - m->start_ps;
    uint64_t windows = pn_window_place(m, rel_ps).window;
    uint64_t pending = pn_window_pending(m);
    for (; windows > 0; windows--) {
        if (pending == 0 && (m->quiet || m->base.options.windows == 1)) {
            pn_window_pass_idle(m, windows);
            return;
        }
        pending = pn_window_close(m, pending);
    }
}

/* ---- one request ---- */

/* The guard clock once this request is served (equation 16); times from the window's start. */
static inline int64_t guard_serve(const pn_window_model *m, uint64_t rel_ps, uint64_t bytes)
{
    int64_t from = (int64_t)(rel_ps << PN_GUARD_BITS) + m->guard_lead;
    return (m->guard_clock > from ? m->guard_clock : from) + m->guard_step * (int64_t)bytes;
}

/* How much later than arrival + latency the request completes, if above 0. */
static inline int64_t guard_extra_ps(const pn_window_model *m, int64_t clock, uint64_t rel_ps)
{
    return (clock >> PN_GUARD_BITS) - (int64_t)rel_ps - (m->guard_late >> PN_GUARD_BITS) + 1;
}

/* The first window from which the completion would lie inside the ring. */
static panem_status refuse(pn_window_model *m, panem_response *response, uint64_t done_window)
{
    m->stats.busy_answers++;
    response->retry_ps = m->start_ps + (done_window - m->mask) * m->window_ps;
    response->cbusy = m->cbusy;
    return PANEM_BUSY;
}

/* Adds an arrival after the open window to the area of its own (equation 13). Only in horizon mode
 * do such arrivals come, and only it has the array. */
static void arrive_ahead(pn_window_model *m, uint64_t rel_ps, uint32_t kind, uint64_t bytes)
{
    pn_place from = pn_window_place(m, rel_ps);
    pn_ahead *ahead = &m->ahead[(m->index + from.window) & m->mask];
    uint64_t area = bytes * (m->window_ps - from.offset_ps); /* at most 2^20 x 10^10 */
    ahead->head[kind] += area; /* NOLINT(clang-analyzer-core.NullDereference) */
    ahead->arrived[kind] += bytes;
    m->bytes_ahead[kind] += bytes;
}

static inline void answer(const pn_window_model *m, panem_response *response,
                          const panem_request *request, uint64_t latency_ps)
{
    uint64_t time_ps = request->time_ps;
    response->ack_ps = time_ps + (latency_ps & m->ack_mask[request->kind]);
    response->done_ps = time_ps + latency_ps;
    response->retry_ps = 0;
    response->cbusy = m->cbusy;
}

/* After a request that used up the room. */
PN_NEVER_INLINE static panem_status accepted_full(pn_window_model *m, uint64_t rel_ps)
{
    pn_window_full(m, rel_ps);
    return PANEM_OK;
}

/* Any valid request, rel_ps (below PN_SPAN_MAX_PS) after the open window's start; extra_ps and
 * clock are what the guard says. */
PN_NEVER_INLINE static panem_status accept(pn_window_model *m, panem_response *response,
                                           const panem_request *request, uint64_t extra_ps,
                                           int64_t clock)
{
    uint32_t kind = request->kind;
    uint64_t bytes = request->bytes;
    uint64_t rel_ps = request->time_ps - m->start_ps;
    uint64_t latency_ps = m->latency_ps + extra_ps;
    pn_place to = pn_window_place(m, rel_ps + latency_ps);
    if (to.window > m->mask)
        return refuse(m, response, to.window);
    pn_slot *slot = &m->slots[(m->index + to.window) & m->mask];
    uint64_t area = bytes * (m->window_ps - to.offset_ps); /* at most 2^20 x 10^10 */
    pn_slot_add(slot, (int)kind, area, bytes);
    if (rel_ps < m->window_ps) {
        uint64_t head_area = bytes * (m->window_ps - rel_ps);
        m->head[kind] += head_area;
        m->arrived[kind] += bytes;
    } else {
        arrive_ahead(m, rel_ps, kind, bytes);
    }
    m->requests[kind]++;
    m->guard_clock = clock;
    m->guard_added_ps += extra_ps;
    pn_halves_add(&m->latency_sum[kind], extra_ps);
    m->stats.guard_delays += extra_ps != 0;
    answer(m, response, request, latency_ps);
    if (rel_ps >= m->window_ps)
        return PANEM_OK;
    m->room_bytes -= (int64_t)bytes;
    return m->room_bytes < 0 ? accepted_full(m, rel_ps) : PANEM_OK;
}

/* A request that the guard delays. */
PN_NEVER_INLINE static panem_status accept_late(pn_window_model *m, panem_response *response,
                                                const panem_request *request)
{
    uint64_t rel_ps = request->time_ps - m->start_ps;
    int64_t clock = guard_serve(m, rel_ps, request->bytes);
    return accept(m, response, request, (uint64_t)guard_extra_ps(m, clock, rel_ps), clock);
}

/* A valid request that arrives in the open window and fits the ring unless the guard delays it.
 * What is rare ends in a call, so that the common path saves no register. */
static inline panem_status accept_common(pn_window_model *m, panem_response *response,
                                         const panem_request *request, uint64_t rel_ps)
{
    uint64_t bytes = request->bytes;
    uint32_t kind = request->kind;
    if (PN_LIKELY(m->guard != PANEM_GUARD_OFF)) {
        int64_t clock = guard_serve(m, rel_ps, bytes);
        if (PN_UNLIKELY(clock - (int64_t)(rel_ps << PN_GUARD_BITS) >= m->guard_late))
            return accept_late(m, response, request);
        m->guard_clock = clock;
    }
    answer(m, response, request, m->latency_ps);
    uint32_t across = rel_ps >= m->across_ps;
    uint32_t group = 2 * across + kind;
    m->requests[kind]++;
    m->group_bytes[group] += bytes;
    m->group_moment[group] += bytes * rel_ps;
    m->room_bytes -= (int64_t)bytes;
    if (PN_UNLIKELY(m->room_bytes < 0))
        return accepted_full(m, rel_ps);
    return PANEM_OK;
}

/* An arrival beyond any ring, always refused. The guard clock lies inside the ring: behind it. */
static panem_status refuse_far(pn_window_model *m, panem_response *response, uint64_t rel_ps,
                               uint64_t bytes)
{
    uint64_t latency_ps = m->latency_ps;
    if (m->guard != PANEM_GUARD_OFF) {
        int64_t clock = m->guard_lead + m->guard_step * (int64_t)bytes;
        int64_t extra_ps = guard_extra_ps(m, clock, 0);
        if (extra_ps > 0)
            latency_ps += (uint64_t)extra_ps;
    }
    return refuse(m, response, pn_window_place(m, rel_ps + latency_ps).window);
}

/* A request that is not common. */
PN_NEVER_INLINE static panem_status access_other(pn_window_model *m, panem_response *response,
                                                 const panem_request *request)
{
    uint64_t t = request->time_ps;
    if (t > PN_TIME_MAX_PS)
        return PANEM_E_ARG;
    if (t < m->start_ps)
        return PANEM_E_TIME;
    if (!m->ahead)
        close_until(m, t);
    uint64_t rel_ps = t - m->start_ps;
    if (rel_ps >= m->look_ps && rel_ps < m->window_ps)
        pn_window_look(m, rel_ps);
    if (rel_ps < m->open_ps)
        return accept_common(m, response, request, rel_ps);
    if (rel_ps >= PN_SPAN_MAX_PS)
        return refuse_far(m, response, rel_ps, request->bytes);
    if (m->guard == PANEM_GUARD_OFF)
        return accept(m, response, request, 0, m->guard_clock);
    int64_t clock = guard_serve(m, rel_ps, request->bytes);
    int64_t extra_ps = guard_extra_ps(m, clock, rel_ps);
    return accept(m, response, request, extra_ps > 0 ? (uint64_t)extra_ps : 0, clock);
}

static panem_status window_access(panem_model *model, panem_response *response,
                                  const panem_request *request)
{
    pn_window_model *m = (pn_window_model *)model;
    if (request->bytes - 1 >= PN_REQUEST_MAX_BYTES || request->kind > PANEM_WRITE)
        return PANEM_E_ARG;
    uint64_t rel_ps = request->time_ps - m->start_ps;
    if (PN_UNLIKELY(rel_ps >= m->open_ps))
        return access_other(m, response, request);
    return accept_common(m, response, request, rel_ps);
}

static panem_status window_advance(panem_model *model, uint64_t horizon_ps)
{
    pn_window_model *m = (pn_window_model *)model;
    if (horizon_ps > PN_TIME_MAX_PS)
        return PANEM_E_ARG;
    if (horizon_ps < m->start_ps)
        return PANEM_E_TIME;
    close_until(m, horizon_ps);
    return PANEM_OK;
}

/* ---- the rest of the interface ---- */

static void window_peek(const panem_model *model, panem_state *state)
{
    const pn_window_model *m = (const pn_window_model *)model;
    double done = (double)(m->sum->done[PANEM_READ] + m->sum->done[PANEM_WRITE]);
    double own = done * m->scale / m->base.options.sharers * 1e12;
    double peak_gbs = pn_relation_peak_gbs(
        pn_relation_place(m->base.set, m->base.options.relation.mix, m->read_frac));
    *state = (panem_state){
        .window_start_ps = m->start_ps,
        .latency_ps = m->latency_ps,
        .outstanding_bytes = m->outstanding_bytes,
        .read_frac = m->read_frac,
        .bandwidth_bytes_per_s = own,
        .utilization_frac = own * m->base.options.sharers / (peak_gbs * 1e9),
        .cbusy = m->cbusy,
    };
}

static uint64_t bytes_of(const pn_window_model *m, int kind)
{
    return m->bytes[kind] + pn_window_arrived(m, kind) + m->bytes_ahead[kind];
}

static void window_stats(const panem_model *model, panem_stats *stats)
{
    const pn_window_model *m = (const pn_window_model *)model;
    *stats = m->stats;
    stats->windows_closed = m->index;
    stats->read_requests = m->requests[PANEM_READ];
    stats->write_requests = m->requests[PANEM_WRITE];
    stats->read_bytes = bytes_of(m, PANEM_READ);
    stats->write_bytes = bytes_of(m, PANEM_WRITE);
    stats->read_latency_sum_ns = pn_u128_to_double(pn_window_latency_sum(m, PANEM_READ)) / 1000.0;
    stats->write_latency_sum_ns = pn_u128_to_double(pn_window_latency_sum(m, PANEM_WRITE)) / 1000.0;
    stats->read_area_byte_ns =
        pn_halves_to_double(m->area_sum[PANEM_READ].low, m->area_sum[PANEM_READ].high) / 1000.0;
    stats->write_area_byte_ns =
        pn_halves_to_double(m->area_sum[PANEM_WRITE].low, m->area_sum[PANEM_WRITE].high) / 1000.0;
}

/* Equation 18, docs/decisions/0005: lines of which the rate is averaged, at least so much of a
 * window, and so much of it after a jump; and the shares of what the peak moves in one part that
 * are worth a look: outstanding, and arrived. */
enum { LOOK_MEMORY_LINES = 512 };
static const double LOOK_MEMORY_LEAST = 0.5;
static const double LOOK_MEMORY_SHORT = 0.75;
static const double LOOK_PART = 0.25;
static const double WAKE_PART = 0.5;

/* Whole bytes, at most what moments can hold. */
static uint64_t wake_bytes(const pn_window_model *m, double bytes)
{
    return bytes < (double)m->small_bytes ? (uint64_t)bytes : m->small_bytes;
}

/* What the options and the set decide. */
static void apply_options(pn_window_model *m)
{
    const panem_model_options *o = &m->base.options;
    m->window_ps = o->window_ps;
    m->inverse = (uint64_t)(((pn_u128)1 << 64) / o->window_ps);
    m->mask = o->ring_windows - 1;
    m->small_bytes = (UINT64_C(1) << 63) / o->window_ps - 1;
    m->scale = (double)o->sharers / ((double)o->windows * (double)o->window_ps);
    m->ack_mask[PANEM_READ] = ~UINT64_C(0);
    m->ack_mask[PANEM_WRITE] = o->early_write_ack ? 0 : ~UINT64_C(0);
    for (int i = 0; i < 3; i++) {
        m->cbusy_bound[0][i] = o->cbusy_enter[i];
        m->cbusy_bound[1][i] = o->cbusy_enter[i] - o->cbusy_hysteresis;
    }
    double lowest = m->cbusy_bound[1][0] < 1.0 ? m->cbusy_bound[1][0] : 1.0;
    m->light = o->cbusy_by == PANEM_CBUSY_BY_OUTSTANDING ? lowest : 0.0;
    m->guard = o->sharers == 1 ? o->guard : PANEM_GUARD_OFF;
    m->looks = o->sharers == 1 && o->looks > 1 ? o->looks : 1;
    m->part_ps = o->window_ps / m->looks;
    double peak_per_ps = pn_relation_round(m->base.set, o->relation.mix, 1.0)->peak_gbs / 1000.0;
    double part_bytes = peak_per_ps * (double)m->part_ps;
    double lines_ps = LOOK_MEMORY_LINES * PN_LINE_BYTES / peak_per_ps;
    double least_ps = LOOK_MEMORY_LEAST * (double)m->window_ps;
    double short_ps = LOOK_MEMORY_SHORT * (double)m->window_ps;
    m->long_memory_ps = lines_ps > least_ps ? lines_ps : least_ps;
    m->short_memory_ps = short_ps < m->long_memory_ps ? short_ps : m->long_memory_ps;
    m->look_bytes = part_bytes * LOOK_PART;
    m->wake_bytes = wake_bytes(m, part_bytes * WAKE_PART);
}

static void window_reset(panem_model *model)
{
    pn_window_model *m = (pn_window_model *)model;
    const panem_model_options *o = &m->base.options;
    pn_window_model fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.base = m->base;
    fresh.slots = m->slots;
    fresh.ahead = m->ahead;
    fresh.history = m->history;
    memset(m->slots, 0, o->ring_windows * sizeof *m->slots);
    if (m->ahead)
        memset(m->ahead, 0, o->ring_windows * sizeof *m->ahead);
    memset(m->history, 0, o->windows * sizeof *m->history);
    *m = fresh;
    apply_options(m);
    m->looking = m->looks > 1 ? PN_LOOK_WAITING : PN_LOOK_NEVER;
    m->read_frac = 1.0;
    m->memory_ps = m->long_memory_ps;
    m->latency_ps = pn_window_idle_ps(m);
    pn_window_derive(m);
}

static void release(pn_window_model *m, const panem_model_options *o, panem_allocator a)
{
    pn_mem_release(&a, m->slots, o->ring_windows, sizeof *m->slots);
    pn_mem_release(&a, m->ahead, o->ring_windows, sizeof *m->ahead);
    pn_mem_release(&a, m->history, o->windows, sizeof *m->history);
    pn_mem_release(&a, m, 1, sizeof *m);
}

static void window_destroy(panem_model *model)
{
    panem_model_options options = model->options;
    release((pn_window_model *)model, &options, model->allocator);
}

static panem_status window_create(panem_model **model, const panem_curves *set,
                                  const panem_model_options *options,
                                  const panem_allocator *allocator, panem_error *err)
{
    (void)set;
    bool ahead = options->time_mode == PANEM_TIME_HORIZON;
    pn_window_model *m = pn_mem_alloc(allocator, 1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    m->slots = pn_mem_alloc(allocator, options->ring_windows, sizeof *m->slots);
    m->history = pn_mem_alloc(allocator, options->windows, sizeof *m->history);
    if (ahead)
        m->ahead = pn_mem_alloc(allocator, options->ring_windows, sizeof *m->ahead);
    if (!m->slots || !m->history || (ahead && !m->ahead)) {
        release(m, options, *allocator);
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model of %u windows",
                      options->ring_windows);
    }
    *model = &m->base;
    return PANEM_OK;
}

const pn_model_ops pn_model_window_ops = {
    .create = window_create,
    .destroy = window_destroy,
    .reset = window_reset,
    .access = window_access,
    .advance = window_advance,
    .peek = window_peek,
    .stats = window_stats,
    .save_size = pn_window_save_size,
    .save = pn_window_save,
    .restore = pn_window_restore,
};
