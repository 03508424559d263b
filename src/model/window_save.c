/* window_save.c - the PANEM kind's state as bytes: fields in the order below, little-endian 64-bit
 * words, then the history, then the ring's non-empty entries with their window.
 *
 * Restoring reads the payload twice, first to check it and then to keep it, so that nothing is
 * allocated and a bad payload changes nothing. */
#include <math.h>
#include <string.h>

#include "model/bytes.h"
#include "model/window.h"

static void put_stats(pn_bytes_out *out, const pn_window_model *m)
{
    const panem_stats *s = &m->stats;
    pn_put_u64(out, s->busy_answers);
    pn_put_u64(out, m->index); /* windows closed */
    pn_put_u64(out, s->windows_saturated);
    pn_put_u64(out, s->windows_outside_mix);
    for (int i = 0; i < 4; i++)
        pn_put_u64(out, s->cbusy_windows[i]);
    pn_put_u64(out, s->guard_delays);
}

static void get_stats(pn_bytes_in *in, panem_stats *s)
{
    s->busy_answers = pn_get_u64(in);
    s->windows_closed = pn_get_u64(in);
    s->windows_saturated = pn_get_u64(in);
    s->windows_outside_mix = pn_get_u64(in);
    for (int i = 0; i < 4; i++)
        s->cbusy_windows[i] = pn_get_u64(in);
    s->guard_delays = pn_get_u64(in);
}

static void put_state(pn_bytes_out *out, const pn_window_model *m)
{
    pn_put_u64(out, m->index);
    pn_put_u64(out, m->latency_ps);
    pn_put_u64(out, (uint64_t)m->guard_clock);
    pn_put_u64(out, m->history_at);
    pn_put_u64(out, m->cbusy);
    pn_put_u64(out, m->quiet);
    pn_put_double(out, m->outstanding_bytes);
    pn_put_double(out, m->read_frac);
    pn_put_double(out, m->rate);
    pn_put_double(out, m->memory_ps);
    pn_put_u64(out, m->seen_bytes);
    pn_put_u64(out, m->looked);
    pn_put_u64(out, m->looking);
    pn_put_u64(out, m->returned_ps);
    pn_put_u64(out, m->folded);
    pn_put_u64(out, m->guard_added_ps);
    for (int k = 0; k < 2; k++) {
        pn_put_double(out, m->guard_mix[k]);
        pn_put_u128(out, pn_window_head(m, k));
        pn_put_u64(out, pn_window_arrived(m, k));
        pn_put_u64(out, m->requests[k]);
        pn_put_u64(out, m->priced[k]);
        pn_put_u64(out, m->carry[k]);
        pn_put_u64(out, m->bytes[k]);
        pn_put_u64(out, m->bytes_ahead[k]);
        pn_put_u128(out, pn_halves_get(m->latency_sum[k]));
        pn_put_u128(out, pn_halves_get(m->area_sum[k]));
    }
    put_stats(out, m);
}

static void get_state(pn_bytes_in *in, pn_window_model *m)
{
    m->index = pn_get_u64(in);
    m->latency_ps = pn_get_u64(in);
    m->guard_clock = (int64_t)pn_get_u64(in);
    m->history_at = (uint32_t)pn_get_most(in, m->base.options.windows - 1);
    m->cbusy = (uint32_t)pn_get_most(in, 3);
    m->quiet = pn_get_most(in, 1) != 0;
    m->outstanding_bytes = pn_get_double(in);
    m->read_frac = pn_get_double(in);
    m->rate = pn_get_double(in);
    m->memory_ps = pn_get_double(in);
    m->seen_bytes = pn_get_most(in, 2 * PN_COUNT_MAX);
    m->looked = (uint32_t)pn_get_most(in, m->looks - 1);
    m->looking = (pn_looking)pn_get_most(in, m->looks > 1 ? PN_LOOK_PARTS : PN_LOOK_NEVER);
    m->returned_ps = pn_get_u64(in);
    m->folded = pn_get_most(in, PN_COUNT_MAX);
    m->guard_added_ps = pn_get_u64(in);
    for (int k = 0; k < 2; k++) {
        m->guard_mix[k] = pn_get_double(in);
        m->head[k] = pn_get_u128(in);
        m->arrived[k] = pn_get_most(in, PN_COUNT_MAX);
        m->requests[k] = pn_get_most(in, PN_COUNT_MAX);
        m->priced[k] = pn_get_most(in, PN_COUNT_MAX);
        m->carry[k] = pn_get_most(in, PN_COUNT_MAX);
        m->bytes[k] = pn_get_most(in, PN_COUNT_MAX);
        m->bytes_ahead[k] = pn_get_most(in, PN_COUNT_MAX);
        m->latency_sum[k] = pn_halves_of(pn_get_u128(in));
        m->area_sum[k] = pn_halves_of(pn_get_u128(in));
    }
    get_stats(in, &m->stats);
    memset(m->group_bytes, 0, sizeof m->group_bytes);
    memset(m->group_moment, 0, sizeof m->group_moment);
    memset(m->group_wide, 0, sizeof m->group_wide);
}

static void put_history(pn_bytes_out *out, const pn_window_model *m)
{
    for (uint32_t i = 0; i < m->base.options.windows; i++)
        for (int k = 0; k < 2; k++) {
            pn_put_u128(out, pn_closed_area(&m->history[i], k));
            pn_put_u64(out, m->history[i].done[k]);
        }
}

static pn_closed get_closed(pn_bytes_in *in)
{
    pn_closed c;
    for (int k = 0; k < 2; k++) {
        c.area_low[k] = pn_get_u64(in);
        c.area_high[k] = pn_get_u64(in);
        c.done[k] = pn_get_u64(in);
    }
    return c;
}

/* One window of the ring: what completes in it and, in horizon mode, what arrives in it. */
typedef struct entry {
    uint64_t window; /* counted from the open one */
    pn_slot slot;
    pn_ahead ahead;
} entry;

/* With the groups' share; false when there is nothing in it. */
static bool entry_of(const pn_window_model *m, uint64_t window, entry *e)
{
    uint64_t at = (m->index + window) & m->mask;
    memset(e, 0, sizeof *e);
    e->window = window;
    e->slot = m->slots[at];
    if (m->ahead)
        e->ahead = m->ahead[at];
    for (int g = 0; g < PN_GROUPS; g++)
        if (window == m->latency_windows + (g >= 2)) {
            pn_slot_add(&e->slot, g & 1, pn_window_group_tail(m, g), m->group_bytes[g]);
        }
    return e->slot.done[0] || e->slot.done[1] || e->ahead.arrived[0] || e->ahead.arrived[1];
}

static void put_ring(pn_bytes_out *out, const pn_window_model *m)
{
    for (uint64_t i = 0; i <= m->mask; i++) {
        entry e;
        if (!entry_of(m, i, &e))
            continue;
        pn_put_u64(out, e.window);
        for (int k = 0; k < 2; k++) {
            pn_put_u128(out, pn_slot_tail(&e.slot, k));
            pn_put_u64(out, e.slot.done[k]);
            pn_put_u128(out, e.ahead.head[k]);
            pn_put_u64(out, e.ahead.arrived[k]);
        }
    }
}

static entry get_entry(pn_bytes_in *in)
{
    entry e;
    e.window = pn_get_u64(in);
    for (int k = 0; k < 2; k++) {
        e.slot.tail_low[k] = pn_get_u64(in);
        e.slot.tail_high[k] = pn_get_u64(in);
        e.slot.done[k] = pn_get_most(in, PN_COUNT_MAX);
        e.ahead.head[k] = pn_get_u128(in);
        e.ahead.arrived[k] = pn_get_most(in, PN_COUNT_MAX);
    }
    return e;
}

static void put_all(pn_bytes_out *out, const pn_window_model *m)
{
    put_state(out, m);
    put_history(out, m);
    put_ring(out, m);
}

size_t pn_window_save_size(const panem_model *model)
{
    pn_bytes_out out = {NULL, 0};
    put_all(&out, (const pn_window_model *)model);
    return out.length;
}

void pn_window_save(const panem_model *model, unsigned char *payload)
{
    pn_bytes_out out = {payload, 0};
    put_all(&out, (const pn_window_model *)model);
}

static bool guard_plausible(const pn_window_model *m)
{
    uint64_t requests = m->folded + m->requests[0] + m->requests[1] - m->priced[0] - m->priced[1];
    int64_t end = (int64_t)(((m->mask + 1) * m->window_ps) << PN_GUARD_BITS);
    return m->guard_clock >= -(INT64_C(1) << 61) && m->guard_clock < end &&
           m->guard_mix[0] >= 0.0 && m->guard_mix[1] >= 0.0 &&
           isfinite(m->guard_mix[0] + m->guard_mix[1]) && (requests > 0 || m->guard_added_ps == 0);
}

/* Only a window that is looked into has seen anything. */
static bool look_plausible(const pn_window_model *m)
{
    return m->rate >= 0.0 && isfinite(m->rate) && m->memory_ps >= m->short_memory_ps &&
           m->memory_ps <= m->long_memory_ps && m->returned_ps <= PN_SPAN_MAX_PS &&
           m->seen_bytes <= m->arrived[0] + m->arrived[1] &&
           (m->looking == PN_LOOK_PARTS ||
            (m->looked == 0 && m->seen_bytes == 0 && m->folded == 0)) &&
           m->folded <= m->priced[0] + m->priced[1];
}

static bool state_plausible(const pn_window_model *m)
{
    return m->latency_ps <= PN_SPAN_MAX_PS && m->index <= PN_TIME_MAX_PS / m->window_ps &&
           m->stats.windows_closed == m->index && m->read_frac >= 0.0 && m->read_frac <= 1.0 &&
           m->outstanding_bytes >= 0.0 && isfinite(m->outstanding_bytes) &&
           m->priced[0] <= m->requests[0] && m->priced[1] <= m->requests[1] && look_plausible(m) &&
           guard_plausible(m);
}

/* A quiet model has an empty average. */
static bool history_plausible(pn_bytes_in *in, const pn_window_model *m)
{
    bool empty = true;
    for (uint32_t i = 0; i < m->base.options.windows && !in->short_of; i++) {
        pn_closed c = get_closed(in);
        for (int k = 0; k < 2; k++)
            empty = empty && !c.area_low[k] && !c.area_high[k] && !c.done[k];
    }
    return !in->short_of && (empty || !m->quiet);
}

/* Each of so many bytes counts from 1 ps to a window. */
static bool area_plausible(const pn_window_model *m, pn_u128 area, uint64_t bytes)
{
    return area >= bytes && area <= (pn_u128)bytes * m->window_ps;
}

/* Holds something, and arrivals only where they can be ahead. */
static bool entry_plausible(const pn_window_model *m, const entry *e)
{
    uint64_t bytes = 0;
    uint64_t ahead = 0;
    for (int k = 0; k < 2; k++) {
        if (!area_plausible(m, pn_slot_tail(&e->slot, k), e->slot.done[k]) ||
            !area_plausible(m, e->ahead.head[k], e->ahead.arrived[k]))
            return false;
        ahead += e->ahead.arrived[k];
        bytes += e->slot.done[k] + e->ahead.arrived[k];
    }
    return bytes > 0 && (ahead == 0 || (m->ahead && e->window > 0));
}

/* Windows rise, lie in the ring, and every byte accepted and not completed completes in it. */
static bool ring_plausible(pn_bytes_in *in, const pn_window_model *m)
{
    uint64_t next = 0;
    uint64_t done[2] = {0, 0};
    uint64_t ahead[2] = {0, 0};
    while (in->at < in->length && !in->short_of) {
        entry e = get_entry(in);
        if (e.window < next || e.window > m->mask || !entry_plausible(m, &e))
            return false;
        next = e.window + 1;
        for (int k = 0; k < 2; k++) {
            done[k] += e.slot.done[k];
            ahead[k] += e.ahead.arrived[k];
        }
    }
    for (int k = 0; k < 2; k++)
        if (ahead[k] != m->bytes_ahead[k] || done[k] != m->carry[k] + m->arrived[k] + ahead[k])
            return false;
    return !in->short_of;
}

static void keep_arrays(pn_bytes_in *in, pn_window_model *m)
{
    for (uint32_t i = 0; i < m->base.options.windows; i++)
        m->history[i] = get_closed(in);
    memset(m->slots, 0, (m->mask + 1) * sizeof *m->slots);
    if (m->ahead)
        memset(m->ahead, 0, (m->mask + 1) * sizeof *m->ahead);
    while (in->at < in->length) {
        entry e = get_entry(in);
        uint64_t at = (m->index + e.window) & m->mask;
        m->slots[at] = e.slot;
        if (m->ahead)
            m->ahead[at] = e.ahead;
    }
}

bool pn_window_restore(panem_model *model, const unsigned char *payload, size_t size)
{
    pn_window_model *m = (pn_window_model *)model;
    pn_window_model next = *m;
    pn_bytes_in in = {payload, size, 0, false};
    get_state(&in, &next);
    pn_bytes_in arrays = in;
    if (in.short_of || !state_plausible(&next) || !history_plausible(&in, &next) ||
        !ring_plausible(&in, &next))
        return false;
    *m = next;
    keep_arrays(&arrays, m);
    pn_window_derive(m);
    return true;
}
