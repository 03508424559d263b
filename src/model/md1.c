/* md1.c - the M/D/1 memory controller of zsim, as a model kind.
 *
 * Source: zsim, src/mem_ctrls.cpp and mem_ctrls.h, class MD1Memory, commit f524c05. The rule was
 * read there and written anew.
 *
 * Rule. Time is cut into phases of phase_length core cycles. The first access in a new phase
 * updates the latency, if 10 000 cycles or more have passed since the last update:
 *     S    = 0.5 x accesses since the last update + 0.5 x S
 *     load = min(0.95, S / cycles since the last update / most accesses per cycle)
 *     latency = whole cycles of L0 x (1 + 0.5 load / (1 - load))
 * and every access until the next update gets that latency, 10.5 L0 at most.
 *
 * Parameters. frequency (sys.frequency) and phase_length (sim.phaseLength) are options. L0
 * (sys.mem.latency) is idle at reads 2/3 in whole cycles, to the nearest; the bandwidth
 * (sys.mem.bandwidth) is the peak at reads 2/3 over sharers in whole MB/s, to the nearest.
 *
 * Where it deviates
 *  - Phases follow the greatest time seen; zsim's follow its own clock. An arrival keeps its ps:
 *    it is not rounded to a cycle.
 *  - A request counts as one access per 64 bytes begun; zsim's requests are single lines.
 *  - Cycles since the last update are 64 bits wide; zsim's wrap after 2^32 of them.
 *  - Clean write-backs, which zsim answers for nothing and does not count, do not reach us.
 * Not modelled, as there: a bound on bandwidth, read against write, the service time of a line. The
 * latency lags by a phase; after an idle stretch S is spread over all of it. */
#include "base/err.h"
#include "base/mem.h"
#include "model/peer.h"

static const uint64_t SHORTEST_UPDATE_CYCLES = 10000;
static const double SMOOTHING = 0.5;
static const double LOAD_MAX = 0.95;

typedef struct md1_model {
    pn_peer peer;
    double max_requests_per_cycle;
    uint32_t zero_load_latency_cycles;
    uint64_t last_phase; /* of the last update */
    uint64_t seen_phase; /* in which an access last looked */
    uint64_t cur_phase_accesses;
    double smoothed_phase_accesses;
    double load;
    uint32_t cur_latency_cycles;
    uint64_t latency_ps;    /* that, in ps */
    uint64_t next_phase_ps; /* first time after seen_phase */
} md1_model;

/* Fields that follow from the others. */
static void derive(md1_model *m)
{
    uint64_t next_cycle = (m->seen_phase + 1) * m->peer.base.options.peers.phase_length;
    m->next_phase_ps = pn_peer_cycle_start_ps(&m->peer, next_cycle);
    m->latency_ps = pn_peer_cycles_ps(&m->peer, m->cur_latency_cycles);
}

/* The first access in phase seen_phase. */
static void update_latency(md1_model *m)
{
    uint64_t phase_cycles =
        (m->seen_phase - m->last_phase) * m->peer.base.options.peers.phase_length;
    if (phase_cycles < SHORTEST_UPDATE_CYCLES)
        return;
    m->smoothed_phase_accesses =
        (double)m->cur_phase_accesses * SMOOTHING + m->smoothed_phase_accesses * (1.0 - SMOOTHING);
    double requests_per_cycle = m->smoothed_phase_accesses / (double)phase_cycles;
    m->load = requests_per_cycle / m->max_requests_per_cycle;
    m->peer.updates++;
    if (m->load > LOAD_MAX) {
        m->load = LOAD_MAX;
        m->peer.saturated++;
    }
    double multiplier = 1.0 + 0.5 * m->load / (1.0 - m->load);
    m->cur_latency_cycles = (uint32_t)(multiplier * m->zero_load_latency_cycles);
    m->cur_phase_accesses = 0;
    m->last_phase = m->seen_phase;
}

static void enter_phase(md1_model *m)
{
    uint64_t cycle = pn_peer_cycle_of(&m->peer, m->peer.now_ps);
    m->seen_phase = cycle / m->peer.base.options.peers.phase_length;
    update_latency(m);
    derive(m);
}

static panem_status md1_access(panem_model *model, panem_response *response,
                               const panem_request *request)
{
    md1_model *m = (md1_model *)model;
    if (!pn_request_valid(request))
        return PANEM_E_ARG;
    pn_peer_see(&m->peer, request->time_ps);
    if (m->peer.now_ps >= m->next_phase_ps)
        enter_phase(m);
    m->cur_phase_accesses += pn_peer_lines(request->bytes);
    pn_peer_answer(&m->peer, response, request, m->latency_ps);
    return PANEM_OK;
}

static void md1_reset(panem_model *model)
{
    md1_model *m = (md1_model *)model;
    pn_peer_reset(&m->peer);
    m->last_phase = m->seen_phase = 0;
    m->cur_phase_accesses = 0;
    m->smoothed_phase_accesses = 0.0;
    m->load = 0.0;
    m->cur_latency_cycles = m->zero_load_latency_cycles;
    derive(m);
}

static panem_status md1_create(panem_model **model, const panem_curves *set,
                               const panem_model_options *options, const panem_allocator *allocator,
                               panem_error *err)
{
    double frequency_mhz = (double)options->peers.frequency_hz / 1e6;
    double mb_per_s = pn_peer_peak_gbs(set, options) / options->sharers * 1000.0;
    double whole_mb_per_s = mb_per_s < 1.0 ? 1.0 : (double)(uint64_t)(mb_per_s + 0.5);
    double l0_cycles = (double)pn_peer_idle_ps(set, options) * frequency_mhz / 1e6 + 0.5;
    if (!(l0_cycles < 1e8)) /* 10.5 times that must fit 32 bits */
        return pn_err(err, PANEM_E_ARG, "md1: an idle latency of 1e8 core cycles or more");
    md1_model *m = pn_mem_alloc(allocator, 1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a model");
    m->max_requests_per_cycle = whole_mb_per_s / frequency_mhz / PN_PEER_LINE_BYTES;
    m->zero_load_latency_cycles = (uint32_t)l0_cycles;
    *model = &m->peer.base;
    return PANEM_OK;
}

static void md1_destroy(panem_model *model)
{
    panem_allocator a = model->allocator;
    pn_mem_release(&a, model, 1, sizeof(md1_model));
}

static void md1_peek(const panem_model *model, panem_state *state)
{
    const md1_model *m = (const md1_model *)model;
    double lines_per_s =
        m->load * m->max_requests_per_cycle * (double)model->options.peers.frequency_hz;
    *state = (panem_state){
        .window_start_ps = m->peer.now_ps,
        .latency_ps = m->latency_ps,
        .read_frac = PN_PEER_READ_FRAC,
        .bandwidth_bytes_per_s = lines_per_s * PN_PEER_LINE_BYTES,
        .utilization_frac = m->load,
    };
}

static void put_all(pn_bytes_out *out, const md1_model *m)
{
    pn_peer_put(out, &m->peer);
    pn_put_u64(out, m->last_phase);
    pn_put_u64(out, m->seen_phase);
    pn_put_u64(out, m->cur_phase_accesses);
    pn_put_double(out, m->smoothed_phase_accesses);
    pn_put_double(out, m->load);
    pn_put_u64(out, m->cur_latency_cycles);
}

static size_t md1_save_size(const panem_model *model)
{
    pn_bytes_out out = {NULL, 0};
    put_all(&out, (const md1_model *)model);
    return out.length;
}

static void md1_save(const panem_model *model, unsigned char *payload)
{
    pn_bytes_out out = {payload, 0};
    put_all(&out, (const md1_model *)model);
}

static bool consistent(const md1_model *m)
{
    uint64_t phase =
        pn_peer_cycle_of(&m->peer, m->peer.now_ps) / m->peer.base.options.peers.phase_length;
    return m->last_phase <= m->seen_phase && m->seen_phase <= phase &&
           m->smoothed_phase_accesses >= 0.0 && m->smoothed_phase_accesses <= 0x1p64 &&
           m->load >= 0.0 && m->load <= LOAD_MAX;
}

static bool md1_restore(panem_model *model, const unsigned char *payload, size_t size)
{
    if (size != md1_save_size(model))
        return false;
    md1_model n = *(const md1_model *)model;
    pn_bytes_in in = {payload, size, 0, false};
    bool good = pn_peer_get(&in, &n.peer);
    n.last_phase = pn_get_u64(&in);
    n.seen_phase = pn_get_u64(&in);
    n.cur_phase_accesses = pn_get_u64(&in);
    n.smoothed_phase_accesses = pn_get_double(&in);
    n.load = pn_get_double(&in);
    uint64_t cycles = pn_get_u64(&in);
    if (!good || cycles > UINT32_MAX || !consistent(&n))
        return false;
    n.cur_latency_cycles = (uint32_t)cycles;
    derive(&n);
    *(md1_model *)model = n;
    return true;
}

const pn_model_ops pn_model_md1_ops = {
    .create = md1_create,
    .destroy = md1_destroy,
    .reset = md1_reset,
    .access = md1_access,
    .advance = pn_peer_advance,
    .peek = md1_peek,
    .stats = pn_peer_stats,
    .save_size = md1_save_size,
    .save = md1_save,
    .restore = md1_restore,
};
