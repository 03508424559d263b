/* mess.c - the Mess simulator's controller: follows the curve of the present read share with two
 * moving averages and an overflow factor. As a model kind.
 *
 * Source: bsc-mem/Mess-simulator, Standalone/src/mess_mem_ctrl.cpp (class MessMemCtrl), as of
 * November 2026. The rule was read there and written anew.
 *
 * Rule. A window is curve_window_size accesses. At its last access
 *     bw = accesses / (cycle of the last - cycle of the first)
 *     curve = that of the reads' share, to the nearest even percent
 *     bw = 0.05 bw + 0.95 last bw
 * Above 0.99 of the curve's highest bandwidth: overflow += 0.02; latency = (1 + overflow) x the
 * curve's highest latency; last bw = 0.05 highest bandwidth + 0.95 last bw. Else: the curve's
 * latency at bw, by lines between its points, x (1 + overflow); then overflow -= 0.01 if above
 * 0.01; last bw = bw. Then latency = 0.05 latency + 0.95 last latency; what is charged, from that
 * access on, is this in whole cycles, the lowest latency of all curves at least.
 *
 * Parameters. curve_window_size and the clock (frequencyCPU) are options. Points come from the
 * curve set: kept points, after its transforms, as accesses per cycle and cycles.
 *
 * Where it deviates
 *  - Each even percent takes the set's curve nearest to it. The original wants all 51 files; one
 *    that is missing shifts all after it.
 *  - Its scan wants bandwidth to fall from point to point, or ends at once. A kept point whose
 *    bandwidth is not above all before it (the one past the peak) counts for the highest latency,
 *    not for the scan.
 *  - A window that begins and ends in one cycle has no bandwidth: the original divides by 0 and
 *    goes into overflow with what is infinite; so does this, without the division.
 *  - Time that steps back gives the original's unsigned difference, and with it no bandwidth.
 *  - Above 2^32 - 1 cycles, where the original's conversion is undefined, the latency stays there.
 *  - A request counts as one access per 64 bytes begun. sharers N: N times the bandwidth.
 * Not modelled, as there: a bound on bandwidth (overflow grows without one while the load stays
 * above the peak), idle time between windows, read against write latency. */
#include <math.h>

#include "base/err.h"
#include "base/mem.h"
#include "curve/set.h"
#include "model/peer.h"

static const double CONVERGE_SPEED = 0.05;
static const double OVERFLOW_FROM = 0.99; /* of the highest bandwidth */
static const double OVERFLOW_UP = 0.02;
static const double OVERFLOW_DOWN = 0.01;
enum { PERCENT_STEP = 2, RATIOS = 51 };

typedef struct mess_curve {
    uint32_t points;
    const double *bandwidth; /* accesses per cycle, falling */
    const double *latency;   /* cycles */
    double bandwidth_max, latency_max;
} mess_curve;

typedef struct mess_model {
    pn_peer peer;
    mess_curve *curves; /* one per curve of the set */
    double *numbers;    /* storage of their points */
    uint32_t curve_of[RATIOS];
    uint32_t curve_count;
    size_t number_count;
    double lead_off_latency;
    /* state */
    uint64_t window_start_cycle;
    uint32_t accesses, reads; /* in the open window */
    double last_bandwidth, last_latency, overflow;
    double read_frac; /* of the last window */
    uint32_t latency_cycles;
    uint64_t latency_ps; /* that, in ps */
} mess_model;

static void derive(mess_model *m)
{
    m->latency_ps = pn_peer_cycles_ps(&m->peer, m->latency_cycles);
}

static uint32_t whole_cycles(double cycles)
{
    return cycles < (double)UINT32_MAX ? (uint32_t)cycles : UINT32_MAX;
}

/* The latency of a curve at a bandwidth below its highest. The lowest segment goes on below the
 * lowest point, as in the original. */
static double on_curve(const mess_curve *c, double bandwidth)
{
    uint32_t j = 0;
    while (j < c->points && c->bandwidth[j] >= bandwidth)
        j++;
    if (j == c->points)
        j--;
    if (j == 0)
        return c->latency[0];
    double x1 = c->bandwidth[j], y1 = c->latency[j];
    double x2 = c->bandwidth[j - 1], y2 = c->latency[j - 1];
    return y1 + (bandwidth - x1) / (x2 - x1) * (y2 - y1);
}

static double smooth(double value, double last)
{
    return CONVERGE_SPEED * value + (1.0 - CONVERGE_SPEED) * last;
}

/* bandwidth may be infinite. */
static double search_for_latency(mess_model *m, const mess_curve *c, double bandwidth)
{
    double bw = smooth(bandwidth, m->last_bandwidth);
    if (c->bandwidth_max * OVERFLOW_FROM < bw) {
        m->overflow += OVERFLOW_UP;
        m->peer.saturated++;
        m->last_bandwidth = smooth(c->bandwidth_max, m->last_bandwidth);
        return smooth((1.0 + m->overflow) * c->latency_max, m->last_latency);
    }
    double latency = on_curve(c, bw);
    latency = smooth(latency + m->overflow * latency, m->last_latency);
    if (m->overflow > OVERFLOW_DOWN)
        m->overflow -= OVERFLOW_DOWN;
    m->last_bandwidth = bw;
    return latency;
}

static double window_bandwidth(const mess_model *m, uint64_t end_cycle)
{
    uint64_t cycles = end_cycle - m->window_start_cycle; /* wraps when time stepped back */
    if (cycles == 0)
        return (double)INFINITY;
    return (double)m->accesses * m->peer.base.options.sharers / (double)cycles;
}

static void end_window(mess_model *m, uint64_t time_ps)
{
    double bandwidth = window_bandwidth(m, pn_peer_cycle_of(&m->peer, time_ps));
    m->read_frac = (double)m->reads / m->accesses;
    uint32_t ratio = (uint32_t)(100.0 * m->read_frac / PERCENT_STEP + 0.5);
    m->last_latency = search_for_latency(m, &m->curves[m->curve_of[ratio]], bandwidth);
    double charged = m->last_latency > m->lead_off_latency ? m->last_latency : m->lead_off_latency;
    m->latency_cycles = whole_cycles(charged);
    derive(m);
    m->peer.updates++;
    m->accesses = m->reads = 0;
}

static panem_status mess_access(panem_model *model, panem_response *response,
                                const panem_request *request)
{
    mess_model *m = (mess_model *)model;
    if (!pn_request_valid(request))
        return PANEM_E_ARG;
    pn_peer_see(&m->peer, request->time_ps);
    for (uint32_t lines = pn_peer_lines(request->bytes); lines > 0;) {
        uint32_t room = model->options.peers.curve_window_size - m->accesses;
        uint32_t taken = lines < room ? lines : room;
        if (m->accesses == 0)
            m->window_start_cycle = pn_peer_cycle_of(&m->peer, request->time_ps);
        m->accesses += taken;
        if (request->kind == PANEM_READ)
            m->reads += taken;
        if (m->accesses == model->options.peers.curve_window_size)
            end_window(m, request->time_ps);
        lines -= taken;
    }
    pn_peer_answer(&m->peer, response, request, m->latency_ps);
    return PANEM_OK;
}

static void mess_reset(panem_model *model)
{
    mess_model *m = (mess_model *)model;
    pn_peer_reset(&m->peer);
    m->window_start_cycle = 0;
    m->accesses = m->reads = 0;
    m->last_bandwidth = m->overflow = 0.0;
    m->read_frac = 1.0;
    m->last_latency = m->lead_off_latency;
    m->latency_cycles = whole_cycles(m->lead_off_latency);
    derive(m);
}

/* ---- curves ---- */

/* Points into numbers, highest bandwidth first; returns how many numbers they took. */
static size_t convert_curve(mess_curve *c, double *numbers, const pn_curve *from, double ghz)
{
    double *bandwidth = numbers;
    double *latency = numbers + from->kept;
    uint32_t points = 0;
    for (uint32_t i = 0; i < from->kept; i++) {
        double bw = from->n[i] / from->latency[i] / (PN_PEER_LINE_BYTES * ghz);
        if (points > 0 && !(bw > c->bandwidth_max))
            continue;
        c->bandwidth_max = bw;
        points++;
        bandwidth[from->kept - points] = bw;
        latency[from->kept - points] = from->latency[i] * ghz;
    }
    c->points = points;
    c->bandwidth = bandwidth + from->kept - points;
    c->latency = latency + from->kept - points;
    c->latency_max = from->latency[from->kept - 1] * ghz;
    return 2 * (size_t)from->kept;
}

static uint32_t nearest_curve(const panem_curves *set, double read_frac)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < set->count; i++)
        if (fabs(set->curves[i].read_frac - read_frac) <
            fabs(set->curves[best].read_frac - read_frac))
            best = i;
    return best;
}

static void convert(mess_model *m, const panem_curves *set, double ghz)
{
    double *numbers = m->numbers;
    m->lead_off_latency = set->curves[0].latency[0] * ghz;
    for (uint32_t i = 0; i < set->count; i++) {
        numbers += convert_curve(&m->curves[i], numbers, &set->curves[i], ghz);
        double lowest = set->curves[i].latency[0] * ghz;
        if (lowest < m->lead_off_latency)
            m->lead_off_latency = lowest;
    }
    for (uint32_t i = 0; i < RATIOS; i++)
        m->curve_of[i] = nearest_curve(set, i * PERCENT_STEP / 100.0);
}

static void release(mess_model *m, panem_allocator a)
{
    pn_mem_release(&a, m->curves, m->curve_count, sizeof *m->curves);
    pn_mem_release(&a, m->numbers, m->number_count, sizeof *m->numbers);
    pn_mem_release(&a, m, 1, sizeof *m);
}

static panem_status mess_create(panem_model **model, const panem_curves *set,
                                const panem_model_options *options,
                                const panem_allocator *allocator, panem_error *err)
{
    mess_model *m = pn_mem_alloc(allocator, 1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    m->curve_count = set->count;
    for (uint32_t i = 0; i < set->count; i++)
        m->number_count += 2 * (size_t)set->curves[i].kept;
    m->curves = pn_mem_alloc(allocator, m->curve_count, sizeof *m->curves);
    m->numbers = pn_mem_alloc(allocator, m->number_count, sizeof *m->numbers);
    if (!m->curves || !m->numbers) {
        release(m, *allocator);
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model of %u curves", set->count);
    }
    convert(m, set, (double)options->peers.frequency_hz / 1e9);
    *model = &m->peer.base;
    return PANEM_OK;
}

static void mess_destroy(panem_model *model)
{
    release((mess_model *)model, model->allocator);
}

static void mess_peek(const panem_model *model, panem_state *state)
{
    const mess_model *m = (const mess_model *)model;
    uint32_t ratio = (uint32_t)(100.0 * m->read_frac / PERCENT_STEP + 0.5);
    double lines_per_s = m->last_bandwidth * (double)model->options.peers.frequency_hz;
    *state = (panem_state){
        .window_start_ps = m->peer.now_ps,
        .latency_ps = m->latency_ps,
        .read_frac = m->read_frac,
        .bandwidth_bytes_per_s = lines_per_s * PN_PEER_LINE_BYTES / model->options.sharers,
        .utilization_frac = m->last_bandwidth / m->curves[m->curve_of[ratio]].bandwidth_max,
    };
}

static void put_all(pn_bytes_out *out, const mess_model *m)
{
    pn_peer_put(out, &m->peer);
    pn_put_u64(out, m->window_start_cycle);
    pn_put_u64(out, m->accesses);
    pn_put_u64(out, m->reads);
    pn_put_double(out, m->last_bandwidth);
    pn_put_double(out, m->last_latency);
    pn_put_double(out, m->overflow);
    pn_put_double(out, m->read_frac);
    pn_put_u64(out, m->latency_cycles);
}

static size_t mess_save_size(const panem_model *model)
{
    pn_bytes_out out = {NULL, 0};
    put_all(&out, (const mess_model *)model);
    return out.length;
}

static void mess_save(const panem_model *model, unsigned char *payload)
{
    pn_bytes_out out = {payload, 0};
    put_all(&out, (const mess_model *)model);
}

/* More than any run reaches, and little enough that nothing computed from it overflows. */
static const double STATE_MAX = 1e40;

static bool consistent(const mess_model *m, uint64_t accesses, uint64_t reads, uint64_t cycles)
{
    return accesses < m->peer.base.options.peers.curve_window_size && reads <= accesses &&
           cycles <= UINT32_MAX && m->last_bandwidth >= 0.0 && m->last_bandwidth <= STATE_MAX &&
           fabs(m->last_latency) <= STATE_MAX && m->overflow >= 0.0 && m->overflow <= STATE_MAX &&
           m->read_frac >= 0.0 && m->read_frac <= 1.0;
}

static bool mess_restore(panem_model *model, const unsigned char *payload, size_t size)
{
    if (size != mess_save_size(model))
        return false;
    mess_model n = *(const mess_model *)model;
    pn_bytes_in in = {payload, size, 0, false};
    bool good = pn_peer_get(&in, &n.peer);
    n.window_start_cycle = pn_get_u64(&in);
    uint64_t accesses = pn_get_u64(&in);
    uint64_t reads = pn_get_u64(&in);
    n.last_bandwidth = pn_get_double(&in);
    n.last_latency = pn_get_double(&in);
    n.overflow = pn_get_double(&in);
    n.read_frac = pn_get_double(&in);
    uint64_t cycles = pn_get_u64(&in);
    if (!good || !consistent(&n, accesses, reads, cycles))
        return false;
    n.accesses = (uint32_t)accesses;
    n.reads = (uint32_t)reads;
    n.latency_cycles = (uint32_t)cycles;
    derive(&n);
    *(mess_model *)model = n;
    return true;
}

const pn_model_ops pn_model_mess_ops = {
    .create = mess_create,
    .destroy = mess_destroy,
    .reset = mess_reset,
    .access = mess_access,
    .advance = pn_peer_advance,
    .peek = mess_peek,
    .stats = pn_peer_stats,
    .save_size = mess_save_size,
    .save = mess_save,
    .restore = mess_restore,
};
