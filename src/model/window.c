/* window.c - PANEM at run time: outstanding bytes averaged over windows give the latency of the
 * next (docs/model.md, equations 9 to 16).
 *
 * Product form. A request that arrives at t and completes at d adds its bytes x time to the window
 * it begins in and to the one it ends in, and a level change before and after the whole windows
 * between; closing a window turns level and area into that window's exact byte x ps integral. No
 * queue is kept, so a request costs the same however many are in flight. The literal form, with
 * queues and a walk, is the oracle of tests/model.
 *
 * Rules
 *  - index, start_ps, end_ps always describe the open window; slots of earlier windows are zero.
 *  - A completion must lie inside the ring, counted from the open window; else BUSY.
 *  - Everything that counts is an integer; doubles appear only where a window closes.
 * Not modelled: addresses, sources, reordering, different latency for reads and writes. */
#include "model/window.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- closing a window ---- */

static uint64_t to_ps(double latency_ns)
{
    double ps = latency_ns * 1000.0 + 0.5;
    return ps < (double)PN_TIME_MAX_PS ? (uint64_t)ps : PN_TIME_MAX_PS;
}

static void set_latency(pn_window_model *m, uint64_t latency_ps)
{
    m->latency_ps = latency_ps;
    m->latency_windows = latency_ps / m->base.options.window_ps;
    m->latency_rest_ps = latency_ps % m->base.options.window_ps;
}

void pn_window_set_guard_rate(pn_window_model *m)
{
    double both = m->guard_mix[PANEM_READ] + m->guard_mix[PANEM_WRITE];
    double read_frac = both > 0.0 ? m->guard_mix[PANEM_READ] / both : m->read_frac;
    double peak = pn_relation_row(m->base.set, m->base.options.relation.mix, read_frac).peak_gbs;
    m->guard_step_q32 = (uint64_t)(1000.0 / peak * 4294967296.0 + 0.5);
}

/* Equation 15. */
static uint32_t cbusy_level(const pn_window_model *m, double fraction)
{
    const panem_model_options *o = &m->base.options;
    uint32_t level = 0;
    for (uint32_t i = 0; i < 3; i++) {
        double enter = o->cbusy_enter[i];
        if (m->cbusy > i)
            enter -= o->cbusy_hysteresis;
        if (fraction >= enter)
            level = i + 1;
    }
    return level;
}

/* The guard serves at the peak of a mix that moves slowly, weighted by bytes, so that a window with
 * a handful of requests does not set the rate of the next burst. */
static void guard_retune(pn_window_model *m, double reads, double writes)
{
    const double weight = 1.0 / 8.0; /* eight windows' memory: docs/decisions/0004 */
    m->guard_mix[PANEM_READ] += (reads - m->guard_mix[PANEM_READ]) * weight;
    m->guard_mix[PANEM_WRITE] += (writes - m->guard_mix[PANEM_WRITE]) * weight;
    pn_window_set_guard_rate(m);
}

/* Equation 17: a measured latency already holds the queueing that the guard adds, so the average
 * of what it added comes off the next latency, down to idle. */
static void guard_compensate(pn_window_model *m)
{
    if (!m->guarded || m->guard_added_ps == 0)
        return;
    uint64_t added = m->guard_added_ps / m->guard_requests;
    uint64_t idle = to_ps(
        pn_relation_latency_ns(m->base.set, m->base.options.relation, 0.0, m->read_frac, NULL));
    if (m->base.options.guard_compensation && m->latency_ps > idle)
        set_latency(m, m->latency_ps - idle > added ? m->latency_ps - added : idle);
    m->guard_added_ps = 0;
}

/* Latency, busy level and guard rate from the averaged window (equations 9, 10, 14). */
static bool decide(pn_window_model *m)
{
    const panem_model_options *o = &m->base.options;
    double reads = pn_u128_to_double(m->sum.area[PANEM_READ]);
    double writes = pn_u128_to_double(m->sum.area[PANEM_WRITE]);
    double both = reads + writes;
    m->outstanding_bytes = both * m->scale;
    if (both > 0.0)
        m->read_frac = reads / both;
    set_latency(m, to_ps(pn_relation_latency_ns(m->base.set, o->relation, m->outstanding_bytes,
                                                m->read_frac, &m->hint)));
    guard_compensate(m);
    m->guard_requests = 0;
    if (m->guarded && both > 0.0)
        guard_retune(m, reads, writes);
    pn_mix_row row = pn_relation_row(m->base.set, o->relation.mix, m->read_frac);
    m->peak_gbs = row.peak_gbs;
    double fraction = m->outstanding_bytes / row.n_busy;
    if (o->cbusy_by == PANEM_CBUSY_BY_BANDWIDTH)
        fraction = (double)(m->sum.done[0] + m->sum.done[1]) * m->scale * 1000.0 / row.peak_gbs;
    m->cbusy = cbusy_level(m, fraction);
    if (both > 0.0 && pn_relation_outside(m->base.set, m->read_frac))
        m->stats.windows_outside_mix++;
    return m->outstanding_bytes >= row.n_peak;
}

static void tell(const pn_window_model *m, const pn_closed *closed, uint64_t start_ps,
                 uint64_t count, bool saturated)
{
    double w = (double)m->base.options.window_ps;
    panem_window record = {
        .start_ps = start_ps,
        .window_ps = m->base.options.window_ps,
        .count = count,
        .read_bytes = pn_u128_to_double(closed->area[PANEM_READ]) / w,
        .write_bytes = pn_u128_to_double(closed->area[PANEM_WRITE]) / w,
        .read_done_bytes = closed->done[PANEM_READ],
        .write_done_bytes = closed->done[PANEM_WRITE],
        .latency_ps = m->latency_ps,
        .read_frac = m->read_frac,
        .cbusy = m->cbusy,
        .saturated = saturated,
    };
    m->base.observe(m->base.observe_user, &record);
}

static void move_on(pn_window_model *m, uint64_t windows)
{
    m->index += windows;
    m->start_ps += windows * m->base.options.window_ps;
    m->end_ps = m->start_ps + m->base.options.window_ps;
    m->stats.windows_closed += windows;
    m->stats.cbusy_windows[m->cbusy] += windows;
}

/* Takes the open window's integral out of the ring (equation 11). */
static void collect(pn_window_model *m, pn_closed *closed)
{
    pn_slot *slot = &m->slots[m->index & m->mask];
    for (int k = 0; k < 2; k++) {
        m->carry[k] += slot->level[k];
        closed->area[k] =
            slot->area[k] + (pn_u128)(uint64_t)m->carry[k] * m->base.options.window_ps;
        closed->done[k] = slot->done[k];
        m->area_sum[k] += closed->area[k];
    }
    memset(slot, 0, sizeof *slot);
}

/* The sliding sum: the newest closed window replaces the oldest. */
static void average(pn_window_model *m, const pn_closed *closed)
{
    pn_closed *old = &m->history[m->history_at];
    for (int k = 0; k < 2; k++) {
        m->sum.area[k] += closed->area[k] - old->area[k];
        m->sum.done[k] += closed->done[k] - old->done[k];
    }
    *old = *closed;
    if (++m->history_at == m->base.options.windows)
        m->history_at = 0;
}

static void close_window(pn_window_model *m)
{
    pn_closed closed;
    uint64_t start_ps = m->start_ps;
    collect(m, &closed);
    average(m, &closed);
    bool saturated = decide(m);
    m->quiet = m->outstanding_bytes == 0.0 && m->sum.done[0] == 0 && m->sum.done[1] == 0 &&
               m->last_index <= m->index;
    m->stats.windows_saturated += saturated;
    move_on(m, 1);
    if (m->base.observe)
        tell(m, &closed, start_ps, 1, saturated);
}

/* Any number of windows in which nothing happens, in one step. */
static void skip_idle(pn_window_model *m, uint64_t time_ps)
{
    static const pn_closed nothing = {{0, 0}, {0, 0}};
    uint64_t start_ps = m->start_ps;
    uint64_t windows = (time_ps - start_ps) / m->base.options.window_ps;
    move_on(m, windows);
    m->history_at = (uint32_t)((m->history_at + windows) % m->base.options.windows);
    if (m->base.observe)
        tell(m, &nothing, start_ps, windows, false);
}

static void close_until(pn_window_model *m, uint64_t time_ps)
{
    while (time_ps >= m->end_ps) {
        if (m->quiet && m->last_index < m->index)
            skip_idle(m, time_ps);
        else
            close_window(m);
    }
}

/* ---- one request ---- */

/* A time as window (counted from the open one) and offset in it. */
typedef struct place {
    uint64_t window, offset_ps;
} place;

static inline place place_of(const pn_window_model *m, uint64_t rel_ps)
{
    uint64_t w = m->base.options.window_ps;
    if (rel_ps < w)
        return (place){0, rel_ps};
    return (place){rel_ps / w, rel_ps % w};
}

/* The arrival's place plus a latency of (windows, rest) and an extra delay, mostly division-free.
 */
static inline place place_after(const pn_window_model *m, place from, uint64_t extra_ps)
{
    uint64_t w = m->base.options.window_ps;
    place p = {from.window + m->latency_windows, from.offset_ps + m->latency_rest_ps + extra_ps};
    for (int i = 0; i < 4 && p.offset_ps >= w; i++) {
        p.offset_ps -= w;
        p.window++;
    }
    if (p.offset_ps >= w) {
        p.window += p.offset_ps / w;
        p.offset_ps %= w;
    }
    return p;
}

typedef struct guard_clock {
    uint64_t ps;
    uint32_t rest;
} guard_clock;

/* The guard clock after so many bytes more, starting no earlier than from_ps (equation 16). */
static inline guard_clock guard_serve(const pn_window_model *m, uint64_t from_ps, uint32_t bytes)
{
    guard_clock g = {m->guard_ps, m->guard_rest};
    if (g.ps < from_ps)
        g = (guard_clock){from_ps, 0};
    pn_u128 step = (pn_u128)m->guard_step_q32 * bytes + g.rest;
    g.ps += (uint64_t)(step >> 32);
    g.rest = (uint32_t)step;
    return g;
}

/* How much later than t + latency the guard lets this request complete. */
static inline uint64_t guard_extra_ps(const pn_window_model *m, guard_clock *clock, uint64_t t,
                                      uint32_t bytes)
{
    uint64_t done = t + m->latency_ps;
    uint64_t bound;
    if (m->base.options.guard == PANEM_GUARD_ARRIVALS) {
        *clock = guard_serve(m, t, bytes);
        panem_relation relation = m->base.options.relation;
        bound = clock->ps +
                to_ps(pn_relation_latency_ns(m->base.set, relation, 0.0, m->read_frac, NULL));
    } else {
        uint64_t slack = m->base.options.guard_slack_ps;
        *clock = guard_serve(m, done > slack ? done - slack : 0, bytes);
        bound = clock->ps;
    }
    return bound > done ? bound - done : 0;
}

/* Adds the request's byte x time to the ring (equation 13). */
static inline void cover(pn_window_model *m, place from, place to, uint32_t kind, uint64_t bytes)
{
    pn_slot *first = &m->slots[(m->index + from.window) & m->mask];
    pn_slot *last = &m->slots[(m->index + to.window) & m->mask];
    last->done[kind] += bytes;
    if (first == last) {
        first->area[kind] += bytes * (to.offset_ps - from.offset_ps);
        return;
    }
    first->area[kind] += bytes * (m->base.options.window_ps - from.offset_ps);
    m->slots[(m->index + from.window + 1) & m->mask].level[kind] += (int64_t)bytes;
    last->level[kind] -= (int64_t)bytes;
    last->area[kind] += bytes * to.offset_ps;
}

static panem_status refuse(pn_window_model *m, panem_response *response, place to)
{
    m->stats.busy_answers++;
    response->retry_ps = m->start_ps + (to.window - m->mask) * m->base.options.window_ps;
    response->cbusy = m->cbusy;
    return PANEM_BUSY;
}

static panem_status window_access(panem_model *model, panem_response *response,
                                  const panem_request *request)
{
    pn_window_model *m = (pn_window_model *)model;
    uint64_t t = request->time_ps;
    uint32_t bytes = request->bytes;
    uint32_t kind = request->kind;
    if (!pn_request_valid(request))
        return PANEM_E_ARG;
    if (t < m->start_ps)
        return PANEM_E_TIME;
    if (t >= m->end_ps && m->base.options.time_mode == PANEM_TIME_ORDERED)
        close_until(m, t);
    guard_clock clock = {0, 0};
    uint64_t extra = m->guarded ? guard_extra_ps(m, &clock, t, bytes) : 0;
    place from = place_of(m, t - m->start_ps);
    place to = place_after(m, from, extra);
    if (to.window > m->mask)
        return refuse(m, response, to);
    cover(m, from, to, kind, bytes);
    if (m->guarded) {
        m->guard_ps = clock.ps;
        m->guard_rest = clock.rest;
        m->guard_added_ps += extra;
        m->guard_requests++;
        m->stats.guard_delays += extra != 0;
    }
    if (m->index + to.window > m->last_index)
        m->last_index = m->index + to.window;
    m->quiet = false;
    uint64_t latency = m->latency_ps + extra;
    m->latency_sum[kind] += latency;
    if (kind == PANEM_READ) {
        m->stats.read_requests++;
        m->stats.read_bytes += bytes;
    } else {
        m->stats.write_requests++;
        m->stats.write_bytes += bytes;
    }
    response->done_ps = t + latency;
    response->ack_ps =
        kind == PANEM_WRITE && m->base.options.early_write_ack ? t : response->done_ps;
    response->retry_ps = 0;
    response->cbusy = m->cbusy;
    return PANEM_OK;
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
    double done = (double)(m->sum.done[PANEM_READ] + m->sum.done[PANEM_WRITE]);
    double own = done * m->scale / m->base.options.sharers * 1e12;
    *state = (panem_state){
        .window_start_ps = m->start_ps,
        .latency_ps = m->latency_ps,
        .outstanding_bytes = m->outstanding_bytes,
        .read_frac = m->read_frac,
        .bandwidth_bytes_per_s = own,
        .utilization_frac = own * m->base.options.sharers / (m->peak_gbs * 1e9),
        .cbusy = m->cbusy,
    };
}

static void window_stats(const panem_model *model, panem_stats *stats)
{
    const pn_window_model *m = (const pn_window_model *)model;
    *stats = m->stats;
    stats->read_latency_sum_ns = pn_u128_to_double(m->latency_sum[PANEM_READ]) / 1000.0;
    stats->write_latency_sum_ns = pn_u128_to_double(m->latency_sum[PANEM_WRITE]) / 1000.0;
    stats->read_area_byte_ns = pn_u128_to_double(m->area_sum[PANEM_READ]) / 1000.0;
    stats->write_area_byte_ns = pn_u128_to_double(m->area_sum[PANEM_WRITE]) / 1000.0;
}

void pn_window_derive(pn_window_model *m)
{
    const panem_model_options *o = &m->base.options;
    m->mask = o->ring_windows - 1;
    m->scale = (double)o->sharers / ((double)o->windows * (double)o->window_ps);
    m->guarded = o->guard != PANEM_GUARD_OFF && o->sharers == 1;
    m->start_ps = m->index * o->window_ps;
    m->end_ps = m->start_ps + o->window_ps;
    set_latency(m, m->latency_ps);
    m->peak_gbs = pn_relation_row(m->base.set, o->relation.mix, m->read_frac).peak_gbs;
    pn_window_set_guard_rate(m);
}

static void window_reset(panem_model *model)
{
    pn_window_model *m = (pn_window_model *)model;
    pn_window_model fresh;
    memset(&fresh, 0, sizeof fresh);
    fresh.base = m->base;
    fresh.slots = m->slots;
    fresh.history = m->history;
    memset(m->slots, 0, m->base.options.ring_windows * sizeof *m->slots);
    memset(m->history, 0, m->base.options.windows * sizeof *m->history);
    *m = fresh;
    m->read_frac = 1.0;
    m->quiet = true;
    m->latency_ps =
        to_ps(pn_relation_latency_ns(m->base.set, m->base.options.relation, 0.0, 1.0, NULL));
    pn_window_derive(m);
}

static void window_destroy(panem_model *model)
{
    pn_window_model *m = (pn_window_model *)model;
    panem_allocator a = m->base.allocator;
    pn_mem_release(&a, m->slots, m->base.options.ring_windows, sizeof *m->slots);
    pn_mem_release(&a, m->history, m->base.options.windows, sizeof *m->history);
    pn_mem_release(&a, m, 1, sizeof *m);
}

static panem_status window_create(panem_model **model, const panem_curves *set,
                                  const panem_model_options *options,
                                  const panem_allocator *allocator, panem_error *err)
{
    (void)set;
    pn_window_model *m = pn_mem_alloc(allocator, 1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    m->slots = pn_mem_alloc(allocator, options->ring_windows, sizeof *m->slots);
    m->history = pn_mem_alloc(allocator, options->windows, sizeof *m->history);
    if (!m->slots || !m->history) {
        m->base.allocator = *allocator;
        m->base.options = *options;
        window_destroy(&m->base);
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
