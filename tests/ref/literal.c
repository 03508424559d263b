/* literal.c - see literal.h. Written from the design, section 5.2 and 5.3 (a), for clarity. */
#include "literal.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"
#include "curve/relation.h"

typedef struct flight {
    uint64_t arrival_ps, done_ps;
    uint64_t bytes;
    uint32_t kind;
} flight;

/* What one closed window held. */
typedef struct closed {
    pn_u128 area_byte_ps[2];
    uint64_t done_bytes[2];
    uint64_t arrived_bytes; /* of both kinds */
} closed;

struct lit_model {
    const panem_curves *set;
    panem_model_options o;
    flight *flights;
    size_t count, capacity;
    closed *last;  /* the o.windows newest closed windows, newest first */
    uint64_t open; /* number of the open window: it starts at open x window_ps */
    bool
        settled; /* the last window closed with nothing averaged and nothing in flight or to come */
    uint64_t latency_ps;
    double outstanding_bytes, read_frac;
    double rate;           /* of arrivals, bytes per ps */
    double memory_ps;      /* over which it is averaged */
    uint32_t parts_over;   /* of the open window, at the last look */
    uint64_t came_before;  /* bytes that had arrived in it by then */
    bool looking;          /* into the open window after every part ... */
    bool waiting;          /* ... or only once enough bytes have arrived in it */
    uint64_t taken_off_ps; /* from latencies in the open window, for what the guard added before */
    uint32_t cbusy;
    pn_u128 guard_q16;   /* the guard clock V or F in ps x 2^16 */
    double guard_mix[2]; /* averages of outstanding reads and writes that forget 1/8 per window */
    uint64_t added_ps, added_to; /* by the guard in the open window, and to how many requests */
    pn_u128 latency_sum_ps[2], area_sum_byte_ps[2];
    panem_stats stats;
    panem_observe_fn observe;
    void *observe_user;
};

static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static uint64_t start_of(const lit_model *m, uint64_t window)
{
    return window * m->o.window_ps;
}

/* ns to whole ps, as every latency is rounded: nearest, halves up, at most 2^45 (35 s). */
static uint64_t whole_ps(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    return ps < 35184372088832.0 ? (uint64_t)ps : UINT64_C(1) << 45;
}

static uint64_t latency_at(const lit_model *m, double n)
{
    return whole_ps(pn_relation_latency_ns(m->set, m->o.relation, n, m->read_frac, NULL));
}

static pn_mix_row row(const lit_model *m)
{
    return pn_relation_row(m->set, m->o.relation.mix, m->read_frac);
}

/* ---- a boundary ---- */

static uint64_t overlap_ps(const flight *f, uint64_t from_ps, uint64_t to_ps)
{
    uint64_t a = f->arrival_ps > from_ps ? f->arrival_ps : from_ps;
    uint64_t b = f->done_ps < to_ps ? f->done_ps : to_ps;
    return b > a ? b - a : 0;
}

/* Integral and completions of [from, to); requests that completed leave the list. */
static closed walk(lit_model *m, uint64_t from_ps, uint64_t to_ps)
{
    closed c = {{0, 0}, {0, 0}, 0};
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        flight *f = &m->flights[i];
        c.area_byte_ps[f->kind] += (pn_u128)f->bytes * overlap_ps(f, from_ps, to_ps);
        if (f->arrival_ps >= from_ps && f->arrival_ps < to_ps)
            c.arrived_bytes += f->bytes;
        if (f->done_ps < to_ps)
            c.done_bytes[f->kind] += f->bytes;
        else
            m->flights[kept++] = *f;
    }
    m->count = kept;
    return c;
}

static closed total(const lit_model *m)
{
    closed t = {{0, 0}, {0, 0}, 0};
    for (uint32_t i = 0; i < m->o.windows; i++)
        for (int k = 0; k < 2; k++) {
            t.area_byte_ps[k] += m->last[i].area_byte_ps[k];
            t.done_bytes[k] += m->last[i].done_bytes[k];
        }
    return t;
}

/* From a sum over the averaged windows to a mean of all sharers. */
static double mean_factor(const lit_model *m)
{
    return (double)m->o.sharers / ((double)m->o.windows * (double)m->o.window_ps);
}

static double busy_fraction(const lit_model *m, const closed *t)
{
    if (m->o.cbusy_by == PANEM_CBUSY_BY_OUTSTANDING)
        return m->outstanding_bytes / row(m).n_busy;
    double bytes_per_ps = (double)(t->done_bytes[0] + t->done_bytes[1]) * mean_factor(m);
    return bytes_per_ps * 1000.0 / row(m).peak_gbs;
}

/* Level i + 1 holds from enter[i] up; once in it, until the fraction falls below enter[i] less the
 * hysteresis. */
static uint32_t busy_level(const lit_model *m, double fraction)
{
    for (uint32_t level = 3; level > 0; level--) {
        double bound = m->o.cbusy_enter[level - 1];
        if (m->cbusy >= level)
            bound -= m->o.cbusy_hysteresis;
        if (fraction >= bound)
            return level;
    }
    return 0;
}

/* The mean delay the guard added while the window was open comes off, but idle stays. */
static void take_off_guard(lit_model *m)
{
    uint64_t idle = latency_at(m, 0.0);
    if (m->taken_off_ps > 0 && m->latency_ps > idle)
        m->latency_ps =
            m->latency_ps > idle + m->taken_off_ps ? m->latency_ps - m->taken_off_ps : idle;
}

static void average_guard(lit_model *m)
{
    bool any = m->o.guard_compensation && m->added_to > 0;
    m->taken_off_ps = any ? m->added_ps / m->added_to : 0;
    m->added_ps = 0;
    m->added_to = 0;
}

/* ---- inside a window: equation 18 ---- */

static bool looks_on(const lit_model *m)
{
    return m->o.sharers == 1 && m->o.looks > 1;
}

static double peak_of_reads_per_ps(const lit_model *m)
{
    if (m->o.relation.mix == PANEM_MIX_NEAREST)
        return pn_relation_row(m->set, PANEM_MIX_NEAREST, 1.0).peak_gbs / 1000.0;
    return m->set->mix[1000].peak_gbs / 1000.0;
}

static uint64_t part_ps(const lit_model *m)
{
    return m->o.window_ps / m->o.looks;
}

/* What the peak moves in one part. */
static double part_bytes(const lit_model *m)
{
    return peak_of_reads_per_ps(m) * (double)part_ps(m);
}

/* So much has to arrive to wake who waits; as many bytes as can be summed for a whole window do. */
static uint64_t wake_bytes(const lit_model *m)
{
    uint64_t most = (UINT64_C(1) << 63) / m->o.window_ps - 1;
    double half = part_bytes(m) * 0.5;
    return half < (double)most ? (uint64_t)half : most;
}

static uint64_t came_in_open_window(const lit_model *m)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->count; i++)
        if (m->flights[i].arrival_ps >= start_of(m, m->open) &&
            m->flights[i].arrival_ps < start_of(m, m->open + 1))
            bytes += m->flights[i].bytes;
    return bytes;
}

/* Half a window, or 512 lines at the peak, whichever is longer. */
static double long_memory_ps(const lit_model *m)
{
    return fmax(512.0 * 64.0 / peak_of_reads_per_ps(m), 0.5 * (double)m->o.window_ps);
}

/* A jump: came and expected differ by more than the root of three lines times their sum. */
static void average_rate(lit_model *m, uint64_t came, uint64_t length_ps)
{
    double length = (double)length_ps;
    double expected = m->rate * length;
    double late = (double)came - expected;
    m->memory_ps += 0.1 * length;
    if (late * late > 3.0 * 64.0 * ((double)came + expected))
        m->memory_ps = 0.75 * (double)m->o.window_ps;
    m->memory_ps = fmin(m->memory_ps, long_memory_ps(m));
    double per_ps = 1.0 / m->memory_ps;
    if (per_ps * length > 1.0)
        m->rate = (double)came / length;
    else
        m->rate = fmax(m->rate + per_ps * late, 0.0);
}

static void look(lit_model *m, uint64_t offset_ps)
{
    uint64_t over = offset_ps / (looks_on(m) ? part_ps(m) : UINT64_MAX);
    if (over > m->o.looks - 1)
        over = m->o.looks - 1;
    if (!m->looking || over <= m->parts_over)
        return;
    uint64_t came = came_in_open_window(m);
    average_rate(m, came - m->came_before, (over - m->parts_over) * part_ps(m));
    m->came_before = came;
    m->parts_over = (uint32_t)over;
    m->latency_ps = latency_at(m, m->rate * (double)(m->latency_ps + m->taken_off_ps));
    take_off_guard(m);
}

static void wake(lit_model *m, uint64_t offset_ps)
{
    if (!m->waiting || came_in_open_window(m) <= wake_bytes(m))
        return;
    m->waiting = false;
    m->looking = true;
    look(m, offset_ps);
}

/* At a boundary: the rest of the window that closed, and whether the next is looked into. */
static void turn_window(lit_model *m, bool empty)
{
    uint64_t rest_ps = m->o.window_ps - (looks_on(m) ? m->parts_over * part_ps(m) : 0);
    if (empty)
        m->rate = 0.0;
    else if (looks_on(m))
        average_rate(m, m->last[0].arrived_bytes - m->came_before, rest_ps);
    m->waiting = looks_on(m) && (empty || m->outstanding_bytes < part_bytes(m) * 0.25);
    m->looking = looks_on(m) && !m->waiting && m->outstanding_bytes <= 0.8 * row(m).n_busy;
    m->parts_over = 0;
    m->came_before = 0;
}

/* N and r of the average give the latency and the level of the next window. */
static void decide(lit_model *m)
{
    closed t = total(m);
    double read = (double)t.area_byte_ps[PANEM_READ];
    double write = (double)t.area_byte_ps[PANEM_WRITE];
    m->outstanding_bytes = (read + write) * mean_factor(m);
    if (t.area_byte_ps[PANEM_READ] || t.area_byte_ps[PANEM_WRITE]) {
        m->read_frac = read / (read + write);
        m->stats.windows_outside_mix += pn_relation_outside(m->set, m->read_frac);
    }
    turn_window(m, !(read + write > 0.0));
    m->latency_ps = latency_at(m, m->outstanding_bytes);
    average_guard(m);
    take_off_guard(m);
    if (read + write > 0.0) {
        m->guard_mix[PANEM_READ] = m->guard_mix[PANEM_READ] + (read - m->guard_mix[PANEM_READ]) / 8;
        m->guard_mix[PANEM_WRITE] =
            m->guard_mix[PANEM_WRITE] + (write - m->guard_mix[PANEM_WRITE]) / 8;
    }
    m->cbusy = busy_level(m, busy_fraction(m, &t));
    m->settled = m->count == 0 && !t.area_byte_ps[0] && !t.area_byte_ps[1] && !t.done_bytes[0] &&
                 !t.done_bytes[1];
}

static void record(const lit_model *m, const closed *c, uint64_t first, uint64_t count)
{
    double w = (double)m->o.window_ps;
    panem_window r = {start_of(m, first),
                      m->o.window_ps,
                      count,
                      (double)c->area_byte_ps[PANEM_READ] / w,
                      (double)c->area_byte_ps[PANEM_WRITE] / w,
                      c->done_bytes[PANEM_READ],
                      c->done_bytes[PANEM_WRITE],
                      m->latency_ps,
                      m->read_frac,
                      m->cbusy,
                      m->outstanding_bytes >= row(m).n_peak};
    if (m->observe)
        m->observe(m->observe_user, &r);
}

static void close_windows(lit_model *m, const closed *c, uint64_t count)
{
    for (int k = 0; k < 2; k++)
        m->area_sum_byte_ps[k] += c->area_byte_ps[k];
    m->stats.windows_closed += count;
    m->stats.cbusy_windows[m->cbusy] += count;
    if (m->outstanding_bytes >= row(m).n_peak)
        m->stats.windows_saturated += count;
    record(m, c, m->open, count);
    m->open += count;
}

static void close_one(lit_model *m)
{
    closed c = walk(m, start_of(m, m->open), start_of(m, m->open + 1));
    memmove(m->last + 1, m->last, (m->o.windows - 1) * sizeof *m->last);
    m->last[0] = c;
    decide(m);
    close_windows(m, &c, 1);
}

static void close_until(lit_model *m, uint64_t time_ps)
{
    const closed nothing = {{0, 0}, {0, 0}, 0};
    while (start_of(m, m->open + 1) <= time_ps) {
        if (m->settled && m->count == 0)
            close_windows(m, &nothing, time_ps / m->o.window_ps - m->open);
        else
            close_one(m);
    }
}

/* ---- the guard, sharers 1 only ---- */

/* Peak of the guard's mix, to the nearest 0.1 % of reads where mixes are interpolated. */
static double guard_peak_gbs(const lit_model *m)
{
    double both = m->guard_mix[PANEM_READ] + m->guard_mix[PANEM_WRITE];
    double r = both > 0.0 ? m->guard_mix[PANEM_READ] / both : m->read_frac;
    if (m->o.relation.mix == PANEM_MIX_NEAREST)
        return pn_relation_row(m->set, PANEM_MIX_NEAREST, r).peak_gbs;
    return m->set->mix[lround(floor(r * 1000.0 + 0.5))].peak_gbs;
}

/* ps x 2^16 that one byte takes at the peak, to the nearest, at most 2^41. */
static uint64_t byte_time_q16(const lit_model *m)
{
    double peak = guard_peak_gbs(m);
    double step = 1000.0 / peak * 65536.0 + 0.5;
    return step < 2199023255552.0 ? (uint64_t)step : UINT64_C(1) << 41;
}

/* At least the time of one line of 64 bytes, so that a lone line is never delayed. */
static uint64_t slack_ps(const lit_model *m)
{
    uint64_t line_ps = (64 * byte_time_q16(m) >> 16) + 1;
    return m->o.guard_slack_ps > line_ps ? m->o.guard_slack_ps : line_ps;
}

/* When the request completes; clock receives the guard clock if it is accepted. */
static uint64_t completion(const lit_model *m, pn_u128 *clock, uint64_t t, uint64_t bytes)
{
    uint64_t done = t + m->latency_ps;
    *clock = m->guard_q16;
    if (m->o.guard == PANEM_GUARD_OFF || m->o.sharers != 1)
        return done;
    uint64_t from = t;
    if (m->o.guard == PANEM_GUARD_COMPLETIONS)
        from = done > slack_ps(m) ? done - slack_ps(m) : 0;
    if (*clock < (pn_u128)from << 16)
        *clock = (pn_u128)from << 16;
    *clock += (pn_u128)bytes * byte_time_q16(m);
    uint64_t bound = (uint64_t)(*clock >> 16);
    if (m->o.guard == PANEM_GUARD_ARRIVALS)
        bound += latency_at(m, 0.0);
    return bound > done ? bound : done;
}

/* ---- the interface ---- */

static void keep(lit_model *m, const panem_request *q, uint64_t done_ps)
{
    if (m->count == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 64;
        m->flights = need(realloc(m->flights, m->capacity * sizeof *m->flights));
    }
    m->flights[m->count++] = (flight){q->time_ps, done_ps, q->bytes, q->kind};
    m->latency_sum_ps[q->kind] += done_ps - q->time_ps;
    uint64_t *requests = q->kind == PANEM_READ ? &m->stats.read_requests : &m->stats.write_requests;
    uint64_t *bytes = q->kind == PANEM_READ ? &m->stats.read_bytes : &m->stats.write_bytes;
    *requests += 1;
    *bytes += q->bytes;
}

panem_status lit_access(lit_model *m, panem_response *response, const panem_request *q)
{
    const uint64_t ring = m->o.ring_windows;
    if (q->bytes == 0 || q->bytes > 1048576 || q->kind > PANEM_WRITE ||
        q->time_ps > UINT64_C(1) << 62)
        return PANEM_E_ARG;
    if (q->time_ps < start_of(m, m->open))
        return PANEM_E_TIME;
    if (m->o.time_mode == PANEM_TIME_ORDERED)
        close_until(m, q->time_ps);
    if (q->time_ps < start_of(m, m->open + 1))
        look(m, q->time_ps - start_of(m, m->open));
    pn_u128 clock;
    uint64_t done = completion(m, &clock, q->time_ps, q->bytes);
    uint64_t done_window = done / m->o.window_ps;
    if (done_window >= m->open + ring) {
        response->retry_ps = start_of(m, done_window - (ring - 1));
        response->cbusy = m->cbusy;
        m->stats.busy_answers++;
        return PANEM_BUSY;
    }
    m->guard_q16 = clock;
    m->stats.guard_delays += done > q->time_ps + m->latency_ps;
    if (m->o.guard != PANEM_GUARD_OFF && m->o.sharers == 1) {
        m->added_ps += done - (q->time_ps + m->latency_ps);
        m->added_to++;
    }
    keep(m, q, done);
    if (q->time_ps < start_of(m, m->open + 1))
        wake(m, q->time_ps - start_of(m, m->open));
    bool at_once = q->kind == PANEM_WRITE && m->o.early_write_ack;
    *response = (panem_response){at_once ? q->time_ps : done, done, 0, m->cbusy};
    return PANEM_OK;
}

panem_status lit_advance(lit_model *m, uint64_t horizon_ps)
{
    if (horizon_ps > UINT64_C(1) << 62)
        return PANEM_E_ARG;
    if (horizon_ps < start_of(m, m->open))
        return PANEM_E_TIME;
    close_until(m, horizon_ps);
    return PANEM_OK;
}

void lit_peek(const lit_model *m, panem_state *state)
{
    closed t = total(m);
    double done = (double)(t.done_bytes[0] + t.done_bytes[1]);
    double own = done * mean_factor(m) / m->o.sharers * 1e12;
    *state = (panem_state){start_of(m, m->open),
                           m->latency_ps,
                           m->outstanding_bytes,
                           m->read_frac,
                           own,
                           own * m->o.sharers / (row(m).peak_gbs * 1e9),
                           m->cbusy};
}

void lit_stats(const lit_model *m, panem_stats *stats)
{
    *stats = m->stats;
    stats->read_latency_sum_ns = (double)m->latency_sum_ps[PANEM_READ] / 1000.0;
    stats->write_latency_sum_ns = (double)m->latency_sum_ps[PANEM_WRITE] / 1000.0;
    stats->read_area_byte_ns = (double)m->area_sum_byte_ps[PANEM_READ] / 1000.0;
    stats->write_area_byte_ns = (double)m->area_sum_byte_ps[PANEM_WRITE] / 1000.0;
}

void lit_observe(lit_model *m, panem_observe_fn observe, void *user)
{
    m->observe = observe;
    m->observe_user = user;
}

void lit_reset(lit_model *m)
{
    m->count = 0;
    memset(m->last, 0, m->o.windows * sizeof *m->last);
    m->open = 0;
    m->settled = false;
    m->outstanding_bytes = 0.0;
    m->read_frac = 1.0;
    m->rate = 0.0;
    m->memory_ps = long_memory_ps(m);
    m->looking = false;
    m->waiting = looks_on(m);
    m->taken_off_ps = 0;
    m->parts_over = 0;
    m->came_before = 0;
    m->cbusy = 0;
    m->guard_q16 = 0;
    m->guard_mix[PANEM_READ] = m->guard_mix[PANEM_WRITE] = 0.0;
    m->added_ps = m->added_to = 0;
    m->latency_ps = latency_at(m, 0.0);
    memset(m->latency_sum_ps, 0, sizeof m->latency_sum_ps);
    memset(m->area_sum_byte_ps, 0, sizeof m->area_sum_byte_ps);
    memset(&m->stats, 0, sizeof m->stats);
}

lit_model *lit_create(const panem_curves *set, const panem_model_options *options)
{
    lit_model *m = need(calloc(1, sizeof *m));
    m->set = set;
    m->o = *options;
    m->last = need(calloc(options->windows, sizeof *m->last));
    lit_reset(m);
    return m;
}

void lit_destroy(lit_model *m)
{
    free(m->flights);
    free(m->last);
    free(m);
}
