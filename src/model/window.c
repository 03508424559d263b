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

/* Off the common path, so that it needs few registers. */
#define NEVER_INLINE __attribute__((noinline)) static

enum { LINE_BYTES = 64 };

/* A step of the load is more than four lines, and its bandwidth is believed up to so much of peak:
 * nearer, the latency of a bandwidth is ill-defined (docs/decisions/0006). */
static const double JUMP_FLOOR_BYTES = 4 * LINE_BYTES;
static const double JUMP_LOAD_MAX = 0.95;

/* The guard clock of a time that no arrival can precede. */
static const int64_t GUARD_NEVER = -(INT64_C(1) << 61);

/* A time, counted from the open window's start, as window and offset in it. */
typedef struct place {
    uint64_t window, offset_ps;
} place;

/* Division by the window, as a product that is right or one too low. */
static inline place place_of(const pn_window_model *m, uint64_t rel_ps)
{
    uint64_t window = (uint64_t)(((pn_u128)rel_ps * m->inverse) >> 64);
    uint64_t offset_ps = rel_ps - window * m->window_ps;
    if (offset_ps >= m->window_ps) {
        offset_ps -= m->window_ps;
        window++;
    }
    return (place){window, offset_ps};
}

/* ---- closing a window ---- */

static uint64_t whole_ps(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    return ps < (double)PN_SPAN_MAX_PS ? (uint64_t)(int64_t)ps : PN_SPAN_MAX_PS;
}

/* Equation 15. The bounds rise, so that the level is the number of them reached. */
static inline uint32_t cbusy_level(const pn_window_model *m, double fraction)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < 3; i++)
        level += fraction >= m->cbusy_bound[m->cbusy > i][i];
    return level;
}

static inline void set_latency(pn_window_model *m, uint64_t latency_ps)
{
    place latency = place_of(m, latency_ps);
    m->latency_ps = latency_ps;
    m->latency_windows = latency.window;
    m->latency_rest_ps = latency.offset_ps;
}

static uint64_t idle_ps(const pn_window_model *m)
{
    return whole_ps(
        pn_relation_latency_ns(m->base.set, m->base.options.relation, 0.0, m->read_frac, NULL));
}

/* The guard's rate is the peak of its own mix. */
static inline int64_t guard_step(const pn_window_model *m)
{
    double both = m->guard_mix[PANEM_READ] + m->guard_mix[PANEM_WRITE];
    double read_frac = both > 0.0 ? m->guard_mix[PANEM_READ] / both : m->read_frac;
    double peak = pn_relation_peak_gbs(m->base.set, m->base.options.relation.mix, read_frac);
    double step = 1000.0 / peak * (1 << PN_GUARD_BITS) + 0.5;
    return step < (double)PN_GUARD_STEP_MAX ? (int64_t)step : (int64_t)PN_GUARD_STEP_MAX;
}

/* What the guard needs of the present latency and mix (equation 16): a clock never lags an arrival
 * by more than lead, and delays nothing while it is less than gap ahead of it. The slack is at
 * least what one line takes, so that a lone line is never delayed. */
static inline void set_guard(pn_window_model *m, bool new_mix)
{
    if (m->guard == PANEM_GUARD_OFF)
        return;
    if (new_mix)
        m->guard_step = guard_step(m);
    int64_t latency_ps = (int64_t)m->latency_ps;
    int64_t slack_ps = (int64_t)m->base.options.guard_slack_ps;
    int64_t line_ps = (m->guard_step * LINE_BYTES >> PN_GUARD_BITS) + 1;
    int64_t lead_ps = latency_ps - (slack_ps > line_ps ? slack_ps : line_ps);
    m->guard_gap_ps = latency_ps;
    if (m->guard == PANEM_GUARD_ARRIVALS) {
        lead_ps = 0;
        m->guard_gap_ps -= (int64_t)idle_ps(m);
    }
    m->guard_lead = lead_ps * (1 << PN_GUARD_BITS);
}

/* The guard serves at the peak of a mix that moves slowly, weighted by bytes, so that a window with
 * a handful of requests does not set the rate of the next burst. */
static inline void mix_guard(pn_window_model *m, double reads, double writes)
{
    const double weight = 1.0 / 8.0; /* eight windows' memory: docs/decisions/0004 */
    m->guard_mix[PANEM_READ] += (reads - m->guard_mix[PANEM_READ]) * weight;
    m->guard_mix[PANEM_WRITE] += (writes - m->guard_mix[PANEM_WRITE]) * weight;
}

/* Equation 17: a measured latency already holds the queueing that the guard adds, so the average
 * of what it added comes off the next latency, down to idle. requests: accepted meanwhile. */
NEVER_INLINE uint64_t compensated_ps(pn_window_model *m, uint64_t latency_ps, uint64_t requests)
{
    uint64_t added_ps = m->guard_added_ps / requests;
    m->guard_added_ps = 0;
    uint64_t least_ps = idle_ps(m);
    if (!m->base.options.guard_compensation || latency_ps <= least_ps)
        return latency_ps;
    return latency_ps - least_ps > added_ps ? latency_ps - added_ps : least_ps;
}

/* Bytes accepted and not completed: in flight, or to come in horizon mode. */
static inline uint64_t bytes_pending(const pn_window_model *m)
{
    return m->carry[0] + m->carry[1] + pn_window_arrived(m, 0) + pn_window_arrived(m, 1) +
           m->bytes_ahead[0] + m->bytes_ahead[1];
}

static inline void set_price(pn_window_model *m, double latency_ns, uint64_t requests)
{
    uint64_t latency_ps = whole_ps(latency_ns);
    if (m->guard_added_ps != 0)
        latency_ps = compensated_ps(m, latency_ps, requests);
    set_latency(m, latency_ps);
}

/* Equation 18: has the newest window left the last one behind by more than counting lines can? */
static inline bool jumped(const pn_window_model *m, double now_bytes)
{
    double last = m->last_bytes;
    double more = now_bytes > last ? now_bytes : last;
    double gap = (now_bytes > last ? now_bytes - last : last - now_bytes) - JUMP_FLOOR_BYTES;
    return gap > 0.0 && gap * gap > m->jump_square * more;
}

/* Then the window's arrivals say where the load is going before outstanding bytes have followed:
 * the lower branch at their bandwidth, unless that is near the peak. */
NEVER_INLINE double jump_ns(const pn_window_model *m, uint64_t arrived, double peak_gbs,
                            double otherwise_ns)
{
    double gbs = (double)arrived * 1000.0 * m->per_window;
    double bytes;
    double ns;
    if (!(gbs < JUMP_LOAD_MAX * peak_gbs) ||
        !pn_relation_invert(m->base.set, m->base.options.relation.mix, gbs, m->read_frac, &bytes,
                            &ns))
        return otherwise_ns;
    return ns;
}

/* Latency, busy level and guard rate from an average that holds bytes (equations 9, 10, 14).
 * now_bytes and arrived are the newest window's. */
static inline bool decide(pn_window_model *m, uint64_t requests, double now_bytes, uint64_t arrived)
{
    const panem_model_options *o = &m->base.options;
    double reads = pn_u128_to_double(m->sum_area[PANEM_READ]);
    double writes = pn_u128_to_double(m->sum_area[PANEM_WRITE]);
    double both = reads + writes;
    m->outstanding_bytes = both * m->scale;
    m->read_frac = reads / both;
    pn_relation_point at =
        pn_relation_at(m->base.set, o->relation, m->outstanding_bytes, m->read_frac, &m->hint);
    double latency_ns = at.latency_ns;
    if (jumped(m, now_bytes))
        latency_ns = jump_ns(m, arrived, at.peak_gbs, latency_ns);
    m->last_bytes = now_bytes;
    set_price(m, latency_ns, requests);
    mix_guard(m, reads, writes);
    set_guard(m, true);
    double fraction = m->outstanding_bytes / at.n_busy;
    if (o->cbusy_by == PANEM_CBUSY_BY_BANDWIDTH)
        fraction = (double)(m->sum_done[0] + m->sum_done[1]) * m->scale * 1000.0 / at.peak_gbs;
    m->cbusy = cbusy_level(m, fraction);
    m->stats.windows_outside_mix += pn_relation_outside(m->base.set, m->read_frac);
    m->quiet = false;
    return m->outstanding_bytes >= at.n_peak;
}

/* The same from an average without bytes: the mix stays. */
NEVER_INLINE void decide_empty(pn_window_model *m, uint64_t requests)
{
    const panem_model_options *o = &m->base.options;
    pn_relation_point at = pn_relation_at(m->base.set, o->relation, 0.0, m->read_frac, &m->hint);
    m->outstanding_bytes = 0.0;
    m->last_bytes = 0.0;
    set_price(m, at.latency_ns, requests);
    set_guard(m, false);
    double done_bytes = (double)(m->sum_done[0] + m->sum_done[1]);
    double fraction = done_bytes * m->scale * 1000.0 / at.peak_gbs;
    m->cbusy = cbusy_level(m, o->cbusy_by == PANEM_CBUSY_BY_BANDWIDTH ? fraction : 0.0);
    m->quiet = m->sum_done[0] == 0 && m->sum_done[1] == 0 && bytes_pending(m) == 0;
}

static void tell(const pn_window_model *m, const pn_closed *closed, uint64_t start_ps,
                 uint64_t count, bool saturated)
{
    double w = (double)m->window_ps;
    panem_window record = {
        .start_ps = start_ps,
        .window_ps = m->window_ps,
        .count = count,
        .read_bytes = pn_u128_to_double(pn_closed_area(closed, PANEM_READ)) / w,
        .write_bytes = pn_u128_to_double(pn_closed_area(closed, PANEM_WRITE)) / w,
        .read_done_bytes = closed->done[PANEM_READ],
        .write_done_bytes = closed->done[PANEM_WRITE],
        .latency_ps = m->latency_ps,
        .read_frac = m->read_frac,
        .cbusy = m->cbusy,
        .saturated = saturated,
    };
    m->base.observe(m->base.observe_user, &record);
}

/* Which arrivals are common: all of the open window up to the latest legal time, if whatever they
 * take fits the ring. */
static inline void set_open(pn_window_model *m)
{
    uint64_t left = PN_TIME_MAX_PS + 1 - m->start_ps;
    m->open_ps = left < m->window_ps ? left : m->window_ps;
    if (m->latency_windows >= m->mask)
        m->open_ps = 0;
}

/* The guard clock counts from the open window's start. */
static inline void turn_guard(pn_window_model *m, uint64_t passed_ps)
{
    if (passed_ps >= PN_SPAN_MAX_PS) {
        m->guard_clock = GUARD_NEVER;
        return;
    }
    int64_t clock = m->guard_clock - (int64_t)(passed_ps << PN_GUARD_BITS);
    m->guard_clock = clock > GUARD_NEVER ? clock : GUARD_NEVER;
}

static inline void move_on(pn_window_model *m, uint64_t windows)
{
    uint64_t passed_ps = windows * m->window_ps;
    m->index += windows;
    m->start_ps += passed_ps;
    set_open(m);
    turn_guard(m, passed_ps);
    m->stats.windows_closed += windows;
    m->stats.cbusy_windows[m->cbusy] += windows;
}

/* The next window's arrivals so far become the open window's. */
static void take_ahead(pn_window_model *m)
{
    pn_ahead *next = &m->ahead[(m->index + 1) & m->mask];
    for (int k = 0; k < 2; k++) {
        m->head[k] = next->head[k];
        m->arrived[k] = next->arrived[k];
        m->bytes_ahead[k] -= next->arrived[k];
    }
    memset(next, 0, sizeof *next);
}

/* The groups' completions of one kind move to the ring. */
static inline void settle_group(pn_window_model *m, int k)
{
    uint64_t first = m->index + m->latency_windows;
    pn_slot *early = &m->slots[first & m->mask];
    pn_slot *late = &m->slots[(first + 1) & m->mask];
    early->tail[k] += pn_window_group_tail(m, k);
    early->done[k] += m->group_bytes[k];
    late->tail[k] += pn_window_group_tail(m, 2 + k);
    late->done[k] += m->group_bytes[2 + k];
    m->group_bytes[k] = m->group_bytes[2 + k] = 0;
    m->group_moment[k] = m->group_moment[2 + k] = 0;
    m->group_wide[k] = m->group_wide[2 + k] = 0;
}

/* The sliding sum: the newest closed window replaces the oldest. */
static inline void average(pn_window_model *m, pn_closed *old, int k, pn_u128 area, uint64_t done)
{
    m->sum_area[k] += area - pn_closed_area(old, k);
    m->sum_done[k] += done - old->done[k];
    old->area_low[k] = (uint64_t)area;
    old->area_high[k] = (uint64_t)(area >> 64);
    old->done[k] = done;
}

/* Books one kind's integral and completions of the window that closes, and prices its requests. */
static inline void book(pn_window_model *m, pn_slot *slot, pn_closed *closed, int k,
                        uint64_t arrived, pn_u128 area)
{
    uint64_t done = slot->done[k];
    average(m, closed, k, area, done);
    m->area_sum[k] += area;
    m->carry[k] += arrived - done;
    m->bytes[k] += arrived;
    m->latency_sum[k] = pn_window_latency_sum(m, k);
    m->priced[k] = m->requests[k];
    m->head[k] = 0;
    m->arrived[k] = 0;
    slot->tail[k] = 0;
    slot->done[k] = 0;
}

NEVER_INLINE void collect_wide(pn_window_model *m, pn_slot *slot, pn_closed *closed)
{
    for (int k = 0; k < 2; k++) {
        pn_u128 head = pn_window_head(m, k);
        uint64_t arrived = pn_window_arrived(m, k);
        settle_group(m, k);
        pn_u128 area = (pn_u128)m->carry[k] * m->window_ps + head - slot->tail[k];
        book(m, slot, closed, k, arrived, area);
    }
}

/* Takes one kind's integral of the open window into the average (equation 11), in low halves. */
static inline void collect(pn_window_model *m, pn_slot *slot, pn_closed *closed, int k)
{
    const uint64_t w = m->window_ps;
    const uint64_t rest_ps = m->latency_rest_ps;
    const uint64_t b0 = m->group_bytes[k];
    const uint64_t b1 = m->group_bytes[2 + k];
    const uint64_t s0 = m->group_moment[k];
    const uint64_t s1 = m->group_moment[2 + k];
    const uint64_t first = m->index + m->latency_windows;
    pn_slot *early = &m->slots[first & m->mask];
    pn_slot *late = &m->slots[(first + 1) & m->mask];
    early->tail[k] += b0 * (w - rest_ps) - s0;
    early->done[k] += b0;
    late->tail[k] += b1 * (2 * w - rest_ps) - s1;
    late->done[k] += b1;
    m->group_bytes[k] = m->group_bytes[2 + k] = 0;
    m->group_moment[k] = m->group_moment[2 + k] = 0;
    uint64_t bytes = m->carry[k] + b0 + b1;
    uint64_t area = bytes * w + (uint64_t)m->head[k] - s0 - s1 - (uint64_t)slot->tail[k];
    book(m, slot, closed, k, m->arrived[k] + b0 + b1, area);
}

/* Time average of what was outstanding in a closed window. */
static inline double newest_bytes(const pn_window_model *m, const pn_closed *closed)
{
    return (pn_u128_to_double(pn_closed_area(closed, PANEM_READ)) +
            pn_u128_to_double(pn_closed_area(closed, PANEM_WRITE))) *
           m->per_window;
}

/* When the bytes of the whole window stay below 2^63 byte x ps, so does every sum over it, and low
 * halves suffice. */
static void close_window(pn_window_model *m)
{
    uint64_t start_ps = m->start_ps;
    pn_slot *slot = &m->slots[m->index & m->mask];
    pn_closed *closed = &m->history[m->history_at];
    m->history_at = m->history_at + 1 == m->base.options.windows ? 0 : m->history_at + 1;
    uint64_t requests = m->requests[0] + m->requests[1] - m->priced[0] - m->priced[1];
    uint64_t before = m->bytes[0] + m->bytes[1];
    if (__builtin_expect(bytes_pending(m) <= m->small_bytes, 1)) {
        collect(m, slot, closed, PANEM_READ);
        collect(m, slot, closed, PANEM_WRITE);
    } else {
        collect_wide(m, slot, closed);
    }
    if (m->ahead)
        take_ahead(m);
    bool saturated = false;
    if (__builtin_expect((m->sum_area[0] | m->sum_area[1]) != 0, 1))
        saturated =
            decide(m, requests, newest_bytes(m, closed), m->bytes[0] + m->bytes[1] - before);
    else
        decide_empty(m, requests);
    m->stats.windows_saturated += saturated;
    move_on(m, 1);
    if (m->base.observe)
        tell(m, closed, start_ps, 1, saturated);
}

/* Any number of windows in which nothing happens, in one step; for an observer in two when the
 * first of them is the one that empties the average. */
static void pass_idle(pn_window_model *m, uint64_t windows)
{
    static const pn_closed nothing = {{0, 0}, {0, 0}, {0, 0}};
    uint64_t start_ps = m->start_ps;
    uint64_t first = 0;
    if (!m->quiet) { /* the one window of the average holds nothing now */
        m->history[0] = nothing;
        m->sum_area[0] = m->sum_area[1] = 0;
        m->sum_done[0] = m->sum_done[1] = 0;
        decide_empty(m, 0);
        first = 1;
    }
    move_on(m, windows);
    if (!m->base.observe)
        return;
    if (first > 0)
        tell(m, &nothing, start_ps, first, false);
    if (windows > first)
        tell(m, &nothing, start_ps + first * m->window_ps, windows - first, false);
}

/* With nothing in flight or to come, the windows left are equal once the average is empty: after
 * the first of them when it spans one window, else when a close has found it so. */
static void close_until(pn_window_model *m, uint64_t time_ps)
{
    uint64_t windows = place_of(m, time_ps - m->start_ps).window;
    for (; windows > 0; windows--) {
        if (bytes_pending(m) == 0 && (m->quiet || m->base.options.windows == 1)) {
            pass_idle(m, windows);
            return;
        }
        close_window(m);
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
    return (clock >> PN_GUARD_BITS) - (int64_t)rel_ps - m->guard_gap_ps;
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
    place from = place_of(m, rel_ps);
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

/* Any valid request, rel_ps (below PN_SPAN_MAX_PS) after the open window's start; extra_ps and
 * clock are what the guard says. */
NEVER_INLINE panem_status accept(pn_window_model *m, panem_response *response,
                                 const panem_request *request, uint64_t extra_ps, int64_t clock)
{
    uint32_t kind = request->kind;
    uint64_t bytes = request->bytes;
    uint64_t rel_ps = request->time_ps - m->start_ps;
    uint64_t latency_ps = m->latency_ps + extra_ps;
    place to = place_of(m, rel_ps + latency_ps);
    if (to.window > m->mask)
        return refuse(m, response, to.window);
    pn_slot *slot = &m->slots[(m->index + to.window) & m->mask];
    uint64_t area = bytes * (m->window_ps - to.offset_ps); /* at most 2^20 x 10^10 */
    slot->tail[kind] += area;
    slot->done[kind] += bytes;
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
    m->latency_sum[kind] += extra_ps;
    m->stats.guard_delays += extra_ps != 0;
    answer(m, response, request, latency_ps);
    return PANEM_OK;
}

/* A valid request that arrives in the open window and fits the ring unless the guard delays it.
 * One addend of a moment is below 2^20 bytes x 2^34 ps: a sum whose top bit shows is folded away
 * before it can wrap. */
static inline panem_status accept_common(pn_window_model *m, panem_response *response,
                                         const panem_request *request, uint64_t rel_ps)
{
    uint64_t bytes = request->bytes;
    if (m->guard != PANEM_GUARD_OFF) {
        int64_t clock = guard_serve(m, rel_ps, bytes);
        int64_t extra_ps = guard_extra_ps(m, clock, rel_ps);
        if (extra_ps > 0)
            return accept(m, response, request, (uint64_t)extra_ps, clock);
        m->guard_clock = clock;
    }
    uint32_t over = rel_ps + m->latency_rest_ps >= m->window_ps;
    uint32_t group = 2 * over + request->kind;
    m->group_bytes[group] += bytes;
    m->group_moment[group] += bytes * rel_ps;
    if (__builtin_expect(m->group_moment[group] >> 63 != 0, 0)) {
        m->group_wide[group] += m->group_moment[group];
        m->group_moment[group] = 0;
    }
    m->requests[request->kind]++;
    answer(m, response, request, m->latency_ps);
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
    return refuse(m, response, place_of(m, rel_ps + latency_ps).window);
}

/* A request that is not common. */
NEVER_INLINE panem_status access_other(pn_window_model *m, panem_response *response,
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
    if (rel_ps >= m->open_ps)
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
    double done = (double)(m->sum_done[PANEM_READ] + m->sum_done[PANEM_WRITE]);
    double own = done * m->scale / m->base.options.sharers * 1e12;
    double peak_gbs = pn_relation_peak_gbs(m->base.set, m->base.options.relation.mix, m->read_frac);
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
    stats->read_requests = m->requests[PANEM_READ];
    stats->write_requests = m->requests[PANEM_WRITE];
    stats->read_bytes = bytes_of(m, PANEM_READ);
    stats->write_bytes = bytes_of(m, PANEM_WRITE);
    stats->read_latency_sum_ns = pn_u128_to_double(pn_window_latency_sum(m, PANEM_READ)) / 1000.0;
    stats->write_latency_sum_ns = pn_u128_to_double(pn_window_latency_sum(m, PANEM_WRITE)) / 1000.0;
    stats->read_area_byte_ns = pn_u128_to_double(m->area_sum[PANEM_READ]) / 1000.0;
    stats->write_area_byte_ns = pn_u128_to_double(m->area_sum[PANEM_WRITE]) / 1000.0;
}

/* What the options alone decide. */
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
    m->guard = o->sharers == 1 ? o->guard : PANEM_GUARD_OFF;
    m->per_window = 1.0 / (double)o->window_ps;
    m->jump_square = o->sharers == 1 && o->jump_sigmas > 0.0
                         ? o->jump_sigmas * o->jump_sigmas * LINE_BYTES
                         : (double)INFINITY;
}

void pn_window_derive(pn_window_model *m)
{
    m->start_ps = m->index * m->window_ps;
    set_latency(m, m->latency_ps);
    set_open(m);
    set_guard(m, true);
    m->sum_area[0] = m->sum_area[1] = 0;
    m->sum_done[0] = m->sum_done[1] = 0;
    for (uint32_t i = 0; i < m->base.options.windows; i++)
        for (int k = 0; k < 2; k++) {
            m->sum_area[k] += pn_closed_area(&m->history[i], k);
            m->sum_done[k] += m->history[i].done[k];
        }
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
    m->read_frac = 1.0;
    m->latency_ps = whole_ps(pn_relation_latency_ns(m->base.set, o->relation, 0.0, 1.0, NULL));
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
