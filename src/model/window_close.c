/* window_close.c - the end of a window: its integral joins the average, and the average gives the
 * latency, the busy level and the guard's rate of the next (docs/model.md, equations 9 to 18).
 *
 * How fast. A close is a chain of dependent steps from the last arrival to the next latency:
 * integral, mean, read fraction, row of the table, curve, ps. What the next requests need waits for
 * it, so what is not on the chain hides behind it. Common is: a latency shorter than the window,
 * integrals in 64 bits, a load at which curves are flat and no level is near. Anything else leaves
 * for a function of its own. No branch is taken on the mix or on noise. Not modelled: see window.c.
 */
#include "model/window.h"

#include <math.h>
#include <string.h>

/* Nearer to saturation than so much of N at 90 % of peak a window is not looked into: there the
 * rate of arrivals says little about the latency (docs/decisions/0005). */
static const double LOOK_BUSY_MAX = 0.8;

/* The guard clock of a time that no arrival can precede. */
static const int64_t GUARD_NEVER = -(INT64_C(1) << 61);

static uint64_t whole_ps(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    if (PN_UNLIKELY(!(ps < (double)PN_SPAN_MAX_PS)))
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
PN_NEVER_INLINE static void set_far(pn_window_model *m)
{
    pn_place latency = pn_window_place(m, m->latency_ps);
    m->latency_windows = latency.window;
    m->latency_rest_ps = latency.offset_ps;
    m->across_ps = m->window_ps - latency.offset_ps;
}

static inline void set_latency(pn_window_model *m, uint64_t latency_ps)
{
    m->latency_ps = latency_ps;
    m->latency_windows = 0;
    m->latency_rest_ps = latency_ps;
    m->across_ps = m->window_ps - latency_ps;
    if (PN_UNLIKELY(latency_ps >= m->window_ps))
        set_far(m);
}

uint64_t pn_window_idle_ps(const pn_window_model *m)
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
    int64_t line_ps = (m->guard_step * PN_LINE_BYTES >> PN_GUARD_BITS) + 1;
    int64_t lead_ps = latency_ps - (slack_ps > line_ps ? slack_ps : line_ps);
    int64_t gap_ps = latency_ps;
    if (PN_UNLIKELY(m->guard == PANEM_GUARD_ARRIVALS)) {
        lead_ps = 0;
        gap_ps -= (int64_t)pn_window_idle_ps(m);
    }
    m->guard_lead = lead_ps * (1 << PN_GUARD_BITS);
    m->guard_late = (gap_ps + 1) * (1 << PN_GUARD_BITS);
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
PN_NEVER_INLINE static uint64_t guard_mean_ps(pn_window_model *m)
{
    uint64_t requests = m->folded + m->requests[0] - m->priced[0] + m->requests[1] - m->priced[1];
    uint64_t mean_ps = m->guard_added_ps / requests;
    m->guard_added_ps = 0;
    return m->base.options.guard_compensation ? mean_ps : 0;
}

/* Equation 17: a measured latency already holds the queueing that the guard adds, so the mean of
 * what it added comes off the next latency, down to idle. */
PN_NEVER_INLINE static uint64_t compensated_ps(const pn_window_model *m, uint64_t latency_ps,
                                               uint64_t added_ps)
{
    uint64_t least_ps = pn_window_idle_ps(m);
    if (latency_ps <= least_ps)
        return latency_ps;
    return latency_ps - least_ps > added_ps ? latency_ps - added_ps : least_ps;
}

static inline void set_price(pn_window_model *m, double latency_ns, uint64_t added_ps)
{
    uint64_t latency_ps = whole_ps(latency_ns);
    m->returned_ps = added_ps;
    if (PN_UNLIKELY(added_ps != 0))
        latency_ps = compensated_ps(m, latency_ps, added_ps);
    set_latency(m, latency_ps);
}

/* Equation 18: how long the rate's memory is after a stretch with so many bytes where so many were
 * expected. What counting lines does not explain cuts it. */
static void update_memory(pn_window_model *m, double bytes, double expected, double length)
{
    const double jump = 3.0 * PN_LINE_BYTES; /* on the sum of both: 2.4 deviations of either */
    const double growth = 0.1;
    double late = bytes - expected;
    double memory_ps = m->memory_ps + growth * length;
    if (late * late > jump * (bytes + expected))
        memory_ps = m->short_memory_ps;
    m->memory_ps = memory_ps < m->long_memory_ps ? memory_ps : m->long_memory_ps;
    m->per_memory = 1.0 / m->memory_ps;
}

/* Equation 18: the rate of arrivals once it knows all but seen_bytes of arrived, which came in the
 * last so many ps. A decaying average; a stretch longer than its memory stands for itself. */
static inline void update_rate(pn_window_model *m, uint64_t arrived, uint64_t length_ps)
{
    double bytes = (double)(int64_t)(arrived - m->seen_bytes);
    double length = (double)(int64_t)length_ps;
    double expected = m->rate * length;
    if (PN_UNLIKELY(m->short_memory_ps < m->long_memory_ps))
        update_memory(m, bytes, expected, length);
    if (m->per_memory * length > 1.0) {
        m->rate = bytes / length;
        return;
    }
    double rate = m->rate + m->per_memory * (bytes - expected);
    m->rate = rate > 0.0 ? rate : 0.0;
}

/* How many of the open window's arrivals the next look or fold may wait for. */
static inline void set_room(pn_window_model *m)
{
    m->room_bytes = (int64_t)m->small_bytes;
    if (m->looking == PN_LOOK_WAITING)
        m->room_bytes =
            (int64_t)m->wake_bytes - (int64_t)(m->arrived[PANEM_READ] + m->arrived[PANEM_WRITE]);
}

static inline void set_look(pn_window_model *m)
{
    uint32_t next = m->looked + 1;
    bool due = (m->looking == PN_LOOK_PARTS) & (next < m->looks);
    m->look_ps = due ? next * m->part_ps : UINT64_MAX;
}

/* The window that opens is looked into when the load is worth it. */
static inline void begin_looking(pn_window_model *m, pn_looking looking)
{
    m->looking = m->looks > 1 ? looking : PN_LOOK_NEVER;
    m->looked = 0;
    m->seen_bytes = 0;
    set_look(m);
    set_room(m);
}

PN_NEVER_INLINE static pn_looking look_at_load(const pn_window_model *m, pn_mix_place at)
{
    return m->outstanding_bytes <= LOOK_BUSY_MAX * pn_relation_n_busy(at) ? PN_LOOK_PARTS
                                                                          : PN_LOOK_NEVER;
}

/* Equation 15 where the load is not light, and whether N has reached that of the peak: the window
 * is saturated then. */
PN_NEVER_INLINE static bool decide_busy(pn_window_model *m, pn_mix_place at)
{
    double fraction = m->outstanding_bytes / pn_relation_n_busy(at);
    if (m->base.options.cbusy_by == PANEM_CBUSY_BY_BANDWIDTH)
        fraction = (double)(m->sum->done[0] + m->sum->done[1]) * m->scale * 1000.0 /
                   pn_relation_peak_gbs(at);
    m->cbusy = cbusy_level(m, fraction);
    bool saturated = m->outstanding_bytes >= pn_relation_n_peak(at);
    m->stats.windows_saturated += saturated;
    return saturated;
}

/* Latency, busy level and guard rate from an average that holds bytes (equations 9, 10, 14).
 * arrived is the newest window's. True: it is saturated. */
static inline bool decide(pn_window_model *m, uint64_t added_ps, double reads, double writes,
                          uint64_t arrived)
{
    const panem_relation relation = m->base.options.relation;
    double both = reads + writes;
    double n = both * m->scale;
    double read_frac = reads / both;
    m->outstanding_bytes = n;
    m->read_frac = read_frac;
    pn_mix_place at = pn_relation_place(m->base.set, relation.mix, read_frac);
    double latency_ns = pn_relation_at_ns(m->base.set, relation, at, n, read_frac, &m->hint);
    if (m->looks > 1)
        update_rate(m, arrived, m->window_ps - m->looked * m->part_ps);
    begin_looking(m, PN_LIKELY(n < m->look_bytes) ? PN_LOOK_WAITING : look_at_load(m, at));
    set_price(m, latency_ns, added_ps);
    if (PN_LIKELY(m->guard != PANEM_GUARD_OFF)) {
        mix_guard(m, reads, writes);
        set_guard_step(m);
        set_guard(m);
    }
    m->stats.windows_outside_mix += pn_relation_outside(m->base.set, read_frac);
    m->quiet = false;
    if (PN_UNLIKELY(!(n < at.row->n_light * m->light)))
        return decide_busy(m, at);
    m->cbusy = 0;
    return false;
}

/* The same from an average without bytes: the mix stays. */
PN_NEVER_INLINE static void decide_empty(pn_window_model *m, uint64_t added_ps)
{
    const panem_model_options *o = &m->base.options;
    pn_mix_place at = pn_relation_place(m->base.set, o->relation.mix, m->read_frac);
    m->outstanding_bytes = 0.0;
    m->rate = 0.0;
    begin_looking(m, PN_LOOK_WAITING);
    set_price(m, pn_relation_at_ns(m->base.set, o->relation, at, 0.0, m->read_frac, &m->hint),
              added_ps);
    if (m->guard != PANEM_GUARD_OFF)
        set_guard(m);
    if (m->light > 0.0)
        m->cbusy = 0;
    else
        decide_busy(m, at);
    m->quiet = m->sum->done[0] == 0 && m->sum->done[1] == 0 && pn_window_pending(m) == 0;
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
PN_NEVER_INLINE static void open_less(pn_window_model *m)
{
    uint64_t left = PN_TIME_MAX_PS + 1 - m->start_ps;
    m->open_ps = left < m->window_ps ? left : m->window_ps;
    if (m->latency_windows >= m->mask)
        m->open_ps = 0;
}

/* Which arrivals are common: all of the open window up to the next look or the latest legal time,
 * if whatever they take fits the ring. */
static inline void set_open(pn_window_model *m)
{
    m->open_ps = m->window_ps;
    if (PN_UNLIKELY((m->latency_windows >= m->mask) | (m->start_ps > m->full_ps)))
        open_less(m);
    if (m->look_ps < m->open_ps)
        m->open_ps = m->look_ps;
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
PN_NEVER_INLINE static void collect_any(pn_window_model *m, crop *c)
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
    if (PN_UNLIKELY((pending > m->small_bytes) | (m->latency_windows != 0))) {
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
    m->folded = 0;
    return c;
}

/* The oldest entry of the history, which the newest closed window replaces. */
static inline pn_closed *next_of_history(pn_window_model *m)
{
    pn_closed *oldest = m->history;
    if (PN_UNLIKELY(m->base.options.windows > 1)) {
        oldest += m->history_at;
        m->history_at = m->history_at + 1 == m->base.options.windows ? 0 : m->history_at + 1;
    }
    return oldest;
}

uint64_t pn_window_close(pn_window_model *m, uint64_t pending)
{
    uint64_t start_ps = m->start_ps;
    pn_closed *closed = next_of_history(m);
    uint64_t added_ps = PN_UNLIKELY(m->guard_added_ps != 0) ? guard_mean_ps(m) : 0;
    const crop c = harvest(m, pending);
    double reads = pn_closed_double(&c.held, PANEM_READ);
    double writes = pn_closed_double(&c.held, PANEM_WRITE);
    if (PN_UNLIKELY(m->sum != closed)) {
        slide(m->sum, closed, &c.held, PANEM_READ);
        slide(m->sum, closed, &c.held, PANEM_WRITE);
        reads = pn_closed_double(m->sum, PANEM_READ);
        writes = pn_closed_double(m->sum, PANEM_WRITE);
    }
    pn_closed_set(closed, PANEM_READ, pn_closed_area(&c.held, 0), c.held.done[0]);
    pn_closed_set(closed, PANEM_WRITE, pn_closed_area(&c.held, 1), c.held.done[1]);
    pending = m->carry[0] + m->carry[1];
    if (PN_UNLIKELY(m->ahead != NULL)) {
        take_ahead(m);
        pending = pn_window_pending(m);
    }
    bool saturated = false;
    if (PN_LIKELY(reads + writes > 0.0))
        saturated = decide(m, added_ps, reads, writes, c.arrived[0] + c.arrived[1]);
    else
        decide_empty(m, added_ps);
    next_window(m);
    if (PN_UNLIKELY(m->base.observe != NULL))
        tell(m, closed, start_ps, 1, saturated);
    return pending;
}

/* Any number of windows in which nothing happens, in one step; for an observer in two when the
 * first of them is the one that empties the average. */
void pn_window_pass_idle(pn_window_model *m, uint64_t windows)
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

/* ---- inside a window ---- */

/* The requests so far leave the groups with the present latency, as if each had been delayed: the
 * groups are free for another. */
static void fold_groups(pn_window_model *m)
{
    uint64_t first = m->index + m->latency_windows;
    for (int k = 0; k < 2; k++) {
        m->head[k] = pn_window_head(m, k);
        m->arrived[k] = pn_window_arrived(m, k);
        pn_slot_add(&m->slots[first & m->mask], k, pn_window_group_tail(m, k), m->group_bytes[k]);
        pn_slot_add(&m->slots[(first + 1) & m->mask], k, pn_window_group_tail(m, 2 + k),
                    m->group_bytes[2 + k]);
        m->latency_sum[k] = pn_halves_of(pn_window_latency_sum(m, k));
        m->folded += m->requests[k] - m->priced[k];
        m->priced[k] = m->requests[k];
    }
    memset(m->group_bytes, 0, sizeof m->group_bytes);
    memset(m->group_moment, 0, sizeof m->group_moment);
    memset(m->group_wide, 0, sizeof m->group_wide);
}

/* Little's law with the rate of arrivals in the place of the average that is not known yet. */
static void reprice(pn_window_model *m)
{
    const panem_relation relation = m->base.options.relation;
    pn_mix_place at = pn_relation_place(m->base.set, relation.mix, m->read_frac);
    double n = m->rate * (double)(m->latency_ps + m->returned_ps);
    fold_groups(m);
    set_price(m, pn_relation_at_ns(m->base.set, relation, at, n, m->read_frac, &m->hint),
              m->returned_ps);
    if (m->guard != PANEM_GUARD_OFF)
        set_guard(m);
}

void pn_window_look(pn_window_model *m, uint64_t rel_ps)
{
    uint32_t over = m->looked;
    while (over + 1 < m->looks && (over + 1) * m->part_ps <= rel_ps)
        over++;
    if (over > m->looked) {
        uint64_t arrived = pn_window_arrived(m, PANEM_READ) + pn_window_arrived(m, PANEM_WRITE);
        update_rate(m, arrived, (over - m->looked) * m->part_ps);
        m->seen_bytes = arrived;
        m->looked = over;
        reprice(m);
    }
    set_look(m);
    set_open(m);
}

void pn_window_full(pn_window_model *m, uint64_t rel_ps)
{
    if (m->looking == PN_LOOK_WAITING) {
        m->looking = PN_LOOK_PARTS;
        pn_window_look(m, rel_ps);
    } else { /* more than small_bytes: one addend of a moment is below 2^20 bytes x 2^34 ps */
        for (int g = 0; g < PN_GROUPS; g++)
            m->group_wide[g] += m->group_moment[g];
        memset(m->group_moment, 0, sizeof m->group_moment);
    }
    set_room(m);
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
    m->per_memory = 1.0 / m->memory_ps;
    set_look(m);
    set_room(m);
    set_latency(m, m->latency_ps);
    set_open(m);
    set_guard_step(m);
    set_guard(m);
    sum_history(m);
}
