/* window_save.c - the PANEM kind's state as bytes: fields in the order below, little-endian 64-bit
 * words, then the history, then the ring's non-empty slots as (window, slot) pairs. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "model/bytes.h"
#include "model/window.h"

static void put_stats(pn_bytes_out *out, const panem_stats *s)
{
    pn_put_u64(out, s->read_requests);
    pn_put_u64(out, s->write_requests);
    pn_put_u64(out, s->read_bytes);
    pn_put_u64(out, s->write_bytes);
    pn_put_u64(out, s->busy_answers);
    pn_put_u64(out, s->windows_closed);
    pn_put_u64(out, s->windows_saturated);
    pn_put_u64(out, s->windows_outside_mix);
    for (int i = 0; i < 4; i++)
        pn_put_u64(out, s->cbusy_windows[i]);
    pn_put_u64(out, s->guard_delays);
}

static void get_stats(pn_bytes_in *in, panem_stats *s)
{
    s->read_requests = pn_get_u64(in);
    s->write_requests = pn_get_u64(in);
    s->read_bytes = pn_get_u64(in);
    s->write_bytes = pn_get_u64(in);
    s->busy_answers = pn_get_u64(in);
    s->windows_closed = pn_get_u64(in);
    s->windows_saturated = pn_get_u64(in);
    s->windows_outside_mix = pn_get_u64(in);
    for (int i = 0; i < 4; i++)
        s->cbusy_windows[i] = pn_get_u64(in);
    s->guard_delays = pn_get_u64(in);
}

static void put_closed(pn_bytes_out *out, const pn_closed *c)
{
    for (int k = 0; k < 2; k++) {
        pn_put_u128(out, c->area[k]);
        pn_put_u64(out, c->done[k]);
    }
}

static void get_closed(pn_bytes_in *in, pn_closed *c)
{
    for (int k = 0; k < 2; k++) {
        c->area[k] = pn_get_u128(in);
        c->done[k] = pn_get_u64(in);
    }
}

static void put_state(pn_bytes_out *out, const pn_window_model *m)
{
    pn_put_u64(out, m->index);
    pn_put_u64(out, m->latency_ps);
    pn_put_u64(out, m->last_index);
    pn_put_u64(out, m->history_at);
    pn_put_u64(out, m->cbusy);
    pn_put_u64(out, m->quiet);
    pn_put_double(out, m->outstanding_bytes);
    pn_put_double(out, m->read_frac);
    pn_put_u64(out, m->guard_ps);
    pn_put_u64(out, m->guard_rest);
    pn_put_u64(out, m->guard_added_ps);
    pn_put_u64(out, m->guard_requests);
    for (int k = 0; k < 2; k++) {
        pn_put_double(out, m->guard_mix[k]);
        pn_put_u64(out, (uint64_t)m->carry[k]);
        pn_put_u128(out, m->latency_sum[k]);
        pn_put_u128(out, m->area_sum[k]);
    }
    put_stats(out, &m->stats);
}

static void get_state(pn_bytes_in *in, pn_window_model *m)
{
    m->index = pn_get_u64(in);
    m->latency_ps = pn_get_u64(in);
    m->last_index = pn_get_u64(in);
    m->history_at = (uint32_t)pn_get_u64(in);
    m->cbusy = (uint32_t)pn_get_u64(in);
    m->quiet = pn_get_u64(in) != 0;
    m->outstanding_bytes = pn_get_double(in);
    m->read_frac = pn_get_double(in);
    m->guard_ps = pn_get_u64(in);
    m->guard_rest = (uint32_t)pn_get_u64(in);
    m->guard_added_ps = pn_get_u64(in);
    m->guard_requests = pn_get_u64(in);
    for (int k = 0; k < 2; k++) {
        m->guard_mix[k] = pn_get_double(in);
        m->carry[k] = (int64_t)pn_get_u64(in);
        m->latency_sum[k] = pn_get_u128(in);
        m->area_sum[k] = pn_get_u128(in);
    }
    get_stats(in, &m->stats);
}

static bool slot_empty(const pn_slot *s)
{
    return !s->area[0] && !s->area[1] && !s->level[0] && !s->level[1] && !s->done[0] && !s->done[1];
}

static void put_slots(pn_bytes_out *out, const pn_window_model *m)
{
    for (uint64_t i = 0; i <= m->mask; i++) {
        const pn_slot *s = &m->slots[(m->index + i) & m->mask];
        if (slot_empty(s))
            continue;
        pn_put_u64(out, i);
        for (int k = 0; k < 2; k++) {
            pn_put_u128(out, s->area[k]);
            pn_put_u64(out, (uint64_t)s->level[k]);
            pn_put_u64(out, s->done[k]);
        }
    }
}

static bool get_slots(pn_bytes_in *in, pn_window_model *m)
{
    while (in->at < in->length && !in->short_of) {
        uint64_t i = pn_get_u64(in);
        if (i > m->mask)
            return false;
        pn_slot *s = &m->slots[(m->index + i) & m->mask];
        for (int k = 0; k < 2; k++) {
            s->area[k] = pn_get_u128(in);
            s->level[k] = (int64_t)pn_get_u64(in);
            s->done[k] = pn_get_u64(in);
        }
    }
    return !in->short_of;
}

static void put_all(pn_bytes_out *out, const pn_window_model *m)
{
    put_state(out, m);
    for (uint32_t i = 0; i < m->base.options.windows; i++)
        put_closed(out, &m->history[i]);
    put_slots(out, m);
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

static void sum_history(pn_window_model *m)
{
    memset(&m->sum, 0, sizeof m->sum);
    for (uint32_t i = 0; i < m->base.options.windows; i++)
        for (int k = 0; k < 2; k++) {
            m->sum.area[k] += m->history[i].area[k];
            m->sum.done[k] += m->history[i].done[k];
        }
}

static bool plausible(const pn_window_model *m)
{
    return m->history_at < m->base.options.windows && m->cbusy <= 3 &&
           m->latency_ps <= PN_TIME_MAX_PS &&
           m->index <= PN_TIME_MAX_PS / m->base.options.window_ps && m->read_frac >= 0.0 &&
           m->read_frac <= 1.0 && m->outstanding_bytes >= 0.0 && isfinite(m->outstanding_bytes) &&
           m->carry[0] >= 0 && m->carry[1] >= 0 && m->guard_mix[0] >= 0.0 &&
           m->guard_mix[1] >= 0.0 && isfinite(m->guard_mix[0] + m->guard_mix[1]) &&
           (m->guard_requests > 0 || m->guard_added_ps == 0) && m->guard_ps <= 2 * PN_TIME_MAX_PS;
}

/* The payload is read into copies of the two arrays first, so that a bad one changes nothing. */
bool pn_window_restore(panem_model *model, const unsigned char *payload, size_t size)
{
    pn_window_model *m = (pn_window_model *)model;
    const panem_allocator *a = &m->base.allocator;
    const panem_model_options *o = &m->base.options;
    pn_window_model next = *m;
    next.slots = pn_mem_alloc(a, o->ring_windows, sizeof *next.slots);
    next.history = pn_mem_alloc(a, o->windows, sizeof *next.history);
    bool good = next.slots && next.history;
    if (good) {
        pn_bytes_in in = {payload, size, 0, false};
        get_state(&in, &next);
        for (uint32_t i = 0; i < o->windows; i++)
            get_closed(&in, &next.history[i]);
        good = !in.short_of && plausible(&next) && get_slots(&in, &next);
    }
    if (good) {
        sum_history(&next);
        pn_window_derive(&next);
        pn_slot *slots = m->slots;
        pn_closed *history = m->history;
        *m = next;
        next.slots = slots;
        next.history = history;
    }
    pn_mem_release(a, next.slots, o->ring_windows, sizeof *next.slots);
    pn_mem_release(a, next.history, o->windows, sizeof *next.history);
    return good;
}
