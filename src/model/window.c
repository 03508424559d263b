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

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

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
    if (UNLIKELY(!(ps < (double)PN_SPAN_MAX_PS)))
        return PN_SPAN_MAX_PS;
    return (uint64_t)(int64_t)ps;
}

/* Equation 15. The bounds rise, so that the level is the number of them reached. */
static inline uint32_t cbusy_level(const pn_window_model *m, double fraction)
{
    uint32_t level = 0;
    for (uint32_t i = 0; i < 3; i++)
        level += fraction >= m->cbusy_bound[m->cbusy > i][i];
    return level;
}

/* Not a common latency: it reaches into the next window or beyond. */
NEVER_INLINE void set_far(pn_window_model *m)
{
    place latency = place_of(m, m->latency_ps);
    m->latency_windows = latency.window;
    m->latency_rest_ps = latency.offset_ps;
}

static inline void set_latency(pn_window_model *m, uint64_t latency_ps)
{
    m->latency_ps = latency_ps;
    m->latency_windows = 0;
    m->latency_rest_ps = latency_ps;
    if (UNLIKELY(latency_ps >= m->window_ps))
        set_far(m);
}

static uint64_t idle_ps(const pn_window_model *m)
{
    const panem_relation relation = m->base.options.relation;
    pn_mix_place at = pn_relation_place(m->base.set, relation.mix, m->read_frac);
    pn_relation_hint hint = {0, 0};
    return whole_ps(pn_relation_at_ns(m->base.set, relation, at, 0.0, m->read_frac, &hint));
}

/* What the guard needs of the present latency and mix (equation 16): a clock never lags an arrival
 * by more than lead, and delays nothing while it is less than gap ahead of it. The slack is at
 * least what one line takes, so that a lone line is never delayed. */
static inline void set_guard(pn_window_model *m)
{
    int64_t latency_ps = (int64_t)m->latency_ps;
    int64_t slack_ps = (int64_t)m->base.options.guard_slack_ps;
    int64_t line_ps = (m->guard_step * LINE_BYTES >> PN_GUARD_BITS) + 1;
    int64_t lead_ps = latency_ps - (slack_ps > line_ps ? slack_ps : line_ps);
    m->guard_gap_ps = latency_ps;
    if (UNLIKELY(m->guard == PANEM_GUARD_ARRIVALS)) {
        lead_ps = 0;
        m->guard_gap_ps -= (int64_t)idle_ps(m);
    }
    m->guard_lead = lead_ps * (1 << PN_GUARD_BITS);
}

/* Equation 14: the peak of the guard's own mix. */
static inline void set_guard_step(pn_window_model *m)
{
    double both = m->guard_mix[PANEM_READ] + m->guard_mix[PANEM_WRITE];
    double read_frac = both > 0.0 ? m->guard_mix[PANEM_READ] / both : m->read_frac;
    m->guard_step =
        pn_relation_round(m->base.set, m->base.options.relation.mix, read_frac)->byte_q16;
}

/* That mix moves slowly, weighted by bytes, so that a window with a handful of requests does not
 * set the rate of the next burst. */
static inline void mix_guard(pn_window_model *m, double reads, double writes)
{
    const double weight = 1.0 / 8.0; /* eight windows' memory: docs/decisions/0004 */
    m->guard_mix[PANEM_READ] += (reads - m->guard_mix[PANEM_READ]) * weight;
    m->guard_mix[PANEM_WRITE] += (writes - m->guard_mix[PANEM_WRITE]) * weight;
}

/* Mean of what the guard added to the requests accepted since the last close. */
NEVER_INLINE uint64_t guard_mean_ps(pn_window_model *m)
{
    uint64_t requests = m->requests[0] - m->priced[0] + m->requests[1] - m->priced[1];
    uint64_t mean_ps = m->guard_added_ps / requests;
    m->guard_added_ps = 0;
    return m->base.options.guard_compensation ? mean_ps : 0;
}

/* Equation 17: a measured latency already holds the queueing that the guard adds, so the mean of
 * what it added comes off the next latency, down to idle. */
NEVER_INLINE uint64_t compensated_ps(const pn_window_model *m, uint64_t latency_ps,
                                     uint64_t added_ps)
{
    uint64_t least_ps = idle_ps(m);
    if (latency_ps <= least_ps)
        return latency_ps;
    return latency_ps - least_ps > added_ps ? latency_ps - added_ps : least_ps;
}

/* Bytes accepted and not completed: in flight, or to come in horizon mode. */
static inline uint64_t bytes_pending(const pn_window_model *m)
{
    return m->carry[0] + m->carry[1] + pn_window_arrived(m, 0) + pn_window_arrived(m, 1) +
           m->bytes_ahead[0] + m->bytes_ahead[1];
}

static inline void set_price(pn_window_model *m, double latency_ns, uint64_t added_ps)
{
    uint64_t latency_ps = whole_ps(latency_ns);
    if (UNLIKELY(added_ps != 0))
        latency_ps = compensated_ps(m, latency_ps, added_ps);
    set_latency(m, latency_ps);
}

/* Equation 18: has the newest window left the last one behind by more than counting lines can? No
 * branch on the first comparison: at a middling load it holds now and then. */
static inline bool jumped(const pn_window_model *m, double now_bytes)
{
    double last = m->last_bytes;
    double more = now_bytes > last ? now_bytes : last;
    double gap = fabs(now_bytes - last) - JUMP_FLOOR_BYTES;
    return gap * fabs(gap) > m->jump_square * more;
}

/* Then the window's arrivals say where the load is going before outstanding bytes have followed:
 * the lower branch at their bandwidth, unless that is near the peak. */
NEVER_INLINE double jump_ns(const pn_window_model *m, pn_mix_place at, uint64_t arrived,
                            double otherwise_ns)
{
    double gbs = (double)arrived * 1000.0 * m->per_window;
    double bytes;
    double ns;
    if (!(gbs < JUMP_LOAD_MAX * pn_relation_peak_gbs(at)) ||
        !pn_relation_invert(m->base.set, m->base.options.relation.mix, gbs, m->read_frac, &bytes,
                            &ns))
        return otherwise_ns;
    return ns;
}

/* Equation 15 where the load is not light, and whether N has reached that of the peak. */
NEVER_INLINE bool decide_busy(pn_window_model *m, pn_mix_place at)
{
    double fraction = m->outstanding_bytes / pn_relation_n_busy(at);
    if (m->base.options.cbusy_by == PANEM_CBUSY_BY_BANDWIDTH)
        fraction = (double)(m->sum->done[0] + m->sum->done[1]) * m->scale * 1000.0 /
                   pn_relation_peak_gbs(at);
    m->cbusy = cbusy_level(m, fraction);
    return m->outstanding_bytes >= pn_relation_n_peak(at);
}

/* Latency, busy level and guard rate from an average that holds bytes (equations 9, 10, 14).
 * now_bytes and arrived are the newest window's. True: it is saturated. */
static inline bool decide(pn_window_model *m, uint64_t added_ps, double reads, double writes,
                          double now_bytes, uint64_t arrived)
{
    const panem_relation relation = m->base.options.relation;
    double both = reads + writes;
    double n = both * m->scale;
    double read_frac = reads / both;
    m->outstanding_bytes = n;
    m->read_frac = read_frac;
    pn_mix_place at = pn_relation_place(m->base.set, relation.mix, read_frac);
    double latency_ns = pn_relation_at_ns(m->base.set, relation, at, n, read_frac, &m->hint);
    if (UNLIKELY(jumped(m, now_bytes)))
        latency_ns = jump_ns(m, at, arrived, latency_ns);
    m->last_bytes = now_bytes;
    set_price(m, latency_ns, added_ps);
    if (LIKELY(m->guard != PANEM_GUARD_OFF)) {
        mix_guard(m, reads, writes);
        set_guard_step(m);
        set_guard(m);
    }
    m->stats.windows_outside_mix += pn_relation_outside(m->base.set, read_frac);
    m->quiet = false;
    if (UNLIKELY(!(n < at.row->n_light * m->light)))
        return decide_busy(m, at);
    m->cbusy = 0;
    return false;
}

/* The same from an average without bytes: the mix stays. */
NEVER_INLINE void decide_empty(pn_window_model *m, uint64_t added_ps)
{
    const panem_model_options *o = &m->base.options;
    pn_mix_place at = pn_relation_place(m->base.set, o->relation.mix, m->read_frac);
    m->outstanding_bytes = 0.0;
    m->last_bytes = 0.0;
    set_price(m, pn_relation_at_ns(m->base.set, o->relation, at, 0.0, m->read_frac, &m->hint),
              added_ps);
    if (m->guard != PANEM_GUARD_OFF)
        set_guard(m);
    if (m->light > 0.0)
        m->cbusy = 0;
    else
        decide_busy(m, at);
    m->quiet = m->sum->done[0] == 0 && m->sum->done[1] == 0 && bytes_pending(m) == 0;
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

/* At the end of time, or with a latency that may not fit the ring, arrivals are less common. */
NEVER_INLINE void open_less(pn_window_model *m)
{
    uint64_t left = PN_TIME_MAX_PS + 1 - m->start_ps;
    m->open_ps = left < m->window_ps ? left : m->window_ps;
    if (m->latency_windows >= m->mask)
        m->open_ps = 0;
}

/* Which arrivals are common: all of the open window up to the latest legal time, if whatever they
 * take fits the ring. */
static inline void set_open(pn_window_model *m)
{
    m->open_ps = m->window_ps;
    if (UNLIKELY((m->latency_windows >= m->mask) | (m->start_ps > m->full_ps)))
        open_less(m);
}

/* The guard clock counts from the open window's start. */
static inline void turn_guard(pn_window_model *m, uint64_t passed_ps)
{
    int64_t clock = m->guard_clock - (int64_t)(passed_ps << PN_GUARD_BITS);
    m->guard_clock = clock > GUARD_NEVER ? clock : GUARD_NEVER;
}

static inline void next_window(pn_window_model *m)
{
    m->index++;
    m->start_ps += m->window_ps;
    set_open(m);
    turn_guard(m, m->window_ps);
    m->stats.cbusy_windows[m->cbusy]++;
}

static inline void move_on(pn_window_model *m, uint64_t windows)
{
    uint64_t passed_ps = windows * m->window_ps;
    m->index += windows;
    m->start_ps += passed_ps;
    m->slot = &m->slots[m->index & m->mask];
    set_open(m);
    if (passed_ps < PN_SPAN_MAX_PS)
        turn_guard(m, passed_ps);
    else
        m->guard_clock = GUARD_NEVER;
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

/* What a window held, by kind: the integral of outstanding bytes and completions, arrivals. */
typedef struct crop {
    pn_closed held;
    uint64_t arrived[2];
} crop;

/* Any window: the groups' completions move to the ring. */
NEVER_INLINE void collect_any(pn_window_model *m, crop *c)
{
    uint64_t first = m->index + m->latency_windows;
    for (int k = 0; k < 2; k++) {
        pn_u128 head = pn_window_head(m, k);
        c->arrived[k] = pn_window_arrived(m, k);
        pn_slot_add(&m->slots[first & m->mask], k, pn_window_group_tail(m, k), m->group_bytes[k]);
        pn_slot_add(&m->slots[(first + 1) & m->mask], k, pn_window_group_tail(m, 2 + k),
                    m->group_bytes[2 + k]);
        pn_u128 area = (pn_u128)m->carry[k] * m->window_ps + head - pn_slot_tail(m->slot, k);
        pn_closed_set(&c->held, k, area, m->slot->done[k]);
        m->latency_sum[k] = pn_halves_of(pn_window_latency_sum(m, k));
        m->area_sum[k] = pn_halves_of(pn_halves_get(m->area_sum[k]) + area);
    }
    memset(m->group_wide, 0, sizeof m->group_wide);
}

/* The same for one kind in low halves when the latency is shorter than the window. The first group
 * completes in the open window, so that its share of the integral is bytes x latency; the second
 * crosses the boundary. */
static inline void collect(pn_window_model *m, pn_slot *next, crop *c, int k)
{
    const uint64_t w = m->window_ps;
    const uint64_t latency_ps = m->latency_ps;
    const uint64_t within = m->group_bytes[k];
    const uint64_t across = m->group_bytes[2 + k];
    const uint64_t moment = m->group_moment[2 + k];
    uint64_t area = (m->carry[k] + across) * w + within * latency_ps - moment +
                    (uint64_t)m->head[k] - m->slot->tail_low[k];
    pn_closed_set(&c->held, k, area, m->slot->done[k] + within);
    c->arrived[k] = m->arrived[k] + within + across;
    next->tail_low[k] += across * (2 * w - latency_ps) - moment;
    next->done[k] += across;
    pn_halves_add(&m->latency_sum[k], (m->requests[k] - m->priced[k]) * latency_ps);
    pn_halves_add(&m->area_sum[k], area);
}

/* The sliding sum: the newest closed window replaces the oldest. */
static inline void slide(pn_closed *sum, const pn_closed *oldest, const pn_closed *newest, int k)
{
    pn_u128 area = pn_closed_area(sum, k) + pn_closed_area(newest, k) - pn_closed_area(oldest, k);
    pn_closed_set(sum, k, area, sum->done[k] + newest->done[k] - oldest->done[k]);
}

static inline void forget_arrivals(pn_window_model *m)
{
    memset(m->slot, 0, sizeof *m->slot);
    memset(m->group_bytes, 0, sizeof m->group_bytes);
    memset(m->group_moment, 0, sizeof m->group_moment);
    memset(m->head, 0, sizeof m->head);
    memset(m->arrived, 0, sizeof m->arrived);
}

/* Takes the open window's integral (equation 11). When the bytes of a whole window stay below 2^63
 * byte x ps, so does every sum over it, also of latencies below the window, and low halves
 * suffice. */
static inline crop harvest(pn_window_model *m, uint64_t pending)
{
    pn_slot *next = m->slot == m->slots + m->mask ? m->slots : m->slot + 1;
    crop c;
    if (UNLIKELY((pending > m->small_bytes) | (m->latency_windows != 0))) {
        crop any; /* not c, which would have to live in memory then */
        collect_any(m, &any);
        c = any;
    } else {
        collect(m, next, &c, PANEM_READ);
        collect(m, next, &c, PANEM_WRITE);
    }
    forget_arrivals(m);
    m->slot = next;
    for (int k = 0; k < 2; k++) {
        m->carry[k] += c.arrived[k] - c.held.done[k];
        m->bytes[k] += c.arrived[k];
        m->priced[k] = m->requests[k];
    }
    return c;
}

/* The oldest entry of the history, which the newest closed window replaces. */
static inline pn_closed *next_of_history(pn_window_model *m)
{
    pn_closed *oldest = m->history;
    if (UNLIKELY(m->base.options.windows > 1)) {
        oldest += m->history_at;
        m->history_at = m->history_at + 1 == m->base.options.windows ? 0 : m->history_at + 1;
    }
    return oldest;
}

/* pending: what bytes_pending says. Returns what it says afterwards. */
NEVER_INLINE uint64_t close_window(pn_window_model *m, uint64_t pending)
{
    uint64_t start_ps = m->start_ps;
    pn_closed *closed = next_of_history(m);
    uint64_t added_ps = UNLIKELY(m->guard_added_ps != 0) ? guard_mean_ps(m) : 0;
    const crop c = harvest(m, pending);
    double reads = pn_closed_double(&c.held, PANEM_READ);
    double writes = pn_closed_double(&c.held, PANEM_WRITE);
    double now_bytes = (reads + writes) * m->per_window;
    if (UNLIKELY(m->sum != closed)) {
        slide(m->sum, closed, &c.held, PANEM_READ);
        slide(m->sum, closed, &c.held, PANEM_WRITE);
        reads = pn_closed_double(m->sum, PANEM_READ);
        writes = pn_closed_double(m->sum, PANEM_WRITE);
    }
    pn_closed_set(closed, PANEM_READ, pn_closed_area(&c.held, 0), c.held.done[0]);
    pn_closed_set(closed, PANEM_WRITE, pn_closed_area(&c.held, 1), c.held.done[1]);
    pending = m->carry[0] + m->carry[1];
    if (UNLIKELY(m->ahead != NULL)) {
        take_ahead(m);
        pending = bytes_pending(m);
    }
    bool saturated = false;
    if (LIKELY(reads + writes > 0.0))
        saturated = decide(m, added_ps, reads, writes, now_bytes, c.arrived[0] + c.arrived[1]);
    else
        decide_empty(m, added_ps);
    m->stats.windows_saturated += saturated;
    next_window(m);
    if (UNLIKELY(m->base.observe != NULL))
        tell(m, closed, start_ps, 1, saturated);
    return pending;
}

/* Any number of windows in which nothing happens, in one step; for an observer in two when the
 * first of them is the one that empties the average. */
static void pass_idle(pn_window_model *m, uint64_t windows)
{
    static const pn_closed nothing = {{0, 0}, {0, 0}, {0, 0}};
    uint64_t start_ps = m->start_ps;
    uint64_t first = 0;
    if (!m->quiet) { /* the one window of the average holds nothing now */
        *m->sum = nothing;
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
static inline void close_until(pn_window_model *m, uint64_t time_ps)
{
    uint64_t rel_ps = time_ps - m->start_ps;
    uint64_t windows = place_of(m, rel_ps).window;
    uint64_t pending = bytes_pending(m);
    for (; windows > 0; windows--) {
        if (pending == 0 && (m->quiet || m->base.options.windows == 1)) {
            pass_idle(m, windows);
            return;
        }
        pending = close_window(m, pending);
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
    return PANEM_OK;
}

/* A request that the guard delays. */
NEVER_INLINE panem_status accept_late(pn_window_model *m, panem_response *response,
                                      const panem_request *request)
{
    uint64_t rel_ps = request->time_ps - m->start_ps;
    int64_t clock = guard_serve(m, rel_ps, request->bytes);
    return accept(m, response, request, (uint64_t)guard_extra_ps(m, clock, rel_ps), clock);
}

/* One addend of a moment is below 2^20 bytes x 2^34 ps: a sum whose top bit shows is folded away
 * before it can wrap. */
NEVER_INLINE panem_status fold_moment(pn_window_model *m, uint32_t group)
{
    m->group_wide[group] += m->group_moment[group];
    m->group_moment[group] = 0;
    return PANEM_OK;
}

/* A valid request that arrives in the open window and fits the ring unless the guard delays it.
 * What is rare ends in a call, so that the common path saves no register. */
static inline panem_status accept_common(pn_window_model *m, panem_response *response,
                                         const panem_request *request, uint64_t rel_ps)
{
    uint64_t bytes = request->bytes;
    uint32_t kind = request->kind;
    if (LIKELY(m->guard != PANEM_GUARD_OFF)) {
        int64_t clock = guard_serve(m, rel_ps, bytes);
        if (UNLIKELY(guard_extra_ps(m, clock, rel_ps) > 0))
            return accept_late(m, response, request);
        m->guard_clock = clock;
    }
    answer(m, response, request, m->latency_ps);
    uint32_t across = rel_ps + m->latency_rest_ps >= m->window_ps;
    uint32_t group = 2 * across + kind;
    m->requests[kind]++;
    m->group_bytes[group] += bytes;
    m->group_moment[group] += bytes * rel_ps;
    if (UNLIKELY(m->group_moment[group] >> 63 != 0))
        return fold_moment(m, group);
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
    if (UNLIKELY(rel_ps >= m->open_ps))
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
    double lowest = m->cbusy_bound[1][0] < 1.0 ? m->cbusy_bound[1][0] : 1.0;
    m->light = o->cbusy_by == PANEM_CBUSY_BY_OUTSTANDING ? lowest : 0.0;
    m->guard = o->sharers == 1 ? o->guard : PANEM_GUARD_OFF;
    m->per_window = 1.0 / (double)o->window_ps;
    m->jump_square = o->sharers == 1 && o->jump_sigmas > 0.0
                         ? o->jump_sigmas * o->jump_sigmas * LINE_BYTES
                         : (double)INFINITY;
}

static void sum_history(pn_window_model *m)
{
    m->sum = m->history;
    if (m->base.options.windows == 1)
        return;
    m->sum = &m->total;
    memset(m->sum, 0, sizeof *m->sum);
    for (uint32_t i = 0; i < m->base.options.windows; i++)
        for (int k = 0; k < 2; k++) {
            pn_u128 area = pn_closed_area(m->sum, k) + pn_closed_area(&m->history[i], k);
            pn_closed_set(m->sum, k, area, m->sum->done[k] + m->history[i].done[k]);
        }
}

void pn_window_derive(pn_window_model *m)
{
    m->start_ps = m->index * m->window_ps;
    m->slot = &m->slots[m->index & m->mask];
    m->full_ps = PN_TIME_MAX_PS + 1 - m->window_ps;
    set_latency(m, m->latency_ps);
    set_open(m);
    set_guard_step(m);
    set_guard(m);
    sum_history(m);
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
