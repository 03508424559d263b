/* verify.c - see verify.h. */
#include "sim/verify.h"

#include <math.h>

enum {
    CHASE_REG = 1,
    FOOTPRINT_LOG2 = 28, /* lines: 16 GiB, 256 times the largest LLC */
    HOST_MAX = 1 << 15   /* of the core, in flight */
};

static double ratio(double a, double b)
{
    return b != 0.0 ? a / b : (double)NAN;
}

/* The next address of the chase, after a random number of dependent operations. */
static void chase_once(pn_core *core, pn_rng *rng, uint64_t pause_max)
{
    static const pn_inst load = {.pc = 0x1000,
                                 .length = 4,
                                 .cls = PN_CLASS_LOAD,
                                 .flags = PN_INST_LOAD,
                                 .n_dst = 1,
                                 .dst = {CHASE_REG},
                                 .n_addr = 1,
                                 .addr = {CHASE_REG}};
    static const pn_inst add = {.pc = 0x1004,
                                .length = 4,
                                .cls = PN_CLASS_INT,
                                .n_dst = 1,
                                .dst = {CHASE_REG},
                                .n_src = 1,
                                .src = {CHASE_REG}};
    pn_access access = {pn_rng_below(rng, UINT64_C(1) << FOOTPRINT_LOG2) * PN_LINE_BYTES, 8, 0};
    pn_core_op(core, &(pn_op){.inst = &load, .accesses = &access, .n_accesses = 1});
    for (uint64_t pause = pn_rng_below(rng, pause_max); pause; pause--)
        pn_core_op(core, &(pn_op){.inst = &add});
}

static void fill(pn_verify_point *p, const pn_verify_config *c, const pn_sim_memory *memory,
                 const pn_core_result *r, const uint64_t lines[2])
{
    const pn_core_counts *n = &r->measured;
    double cycle_ns = 1e9 / (double)c->core->clock_hz;
    double on_chip_ns = pn_core_on_chip_ns(c->core);
    double measured_ns = (double)r->measured_cyc * cycle_ns;
    double whole_ns = (double)(r->warmup_cyc + r->measured_cyc) * cycle_ns;
    double reads = (double)(n->door.reads + lines[0]);
    double writes = (double)(n->door.writes + lines[1]);
    pn_sim_memory_view m = pn_sim_memory_look(memory);
    p->core_ns = ratio((double)n->view.cycles * cycle_ns, (double)n->view.lines);
    p->interface_ns = ratio((double)n->door.read_ps / 1000.0, (double)n->door.reads) + on_chip_ns;
    p->memory_ns = m.read_ns + on_chip_ns;
    p->core_gbs = (double)n->mem_lines * PN_LINE_BYTES / measured_ns;
    p->interface_gbs = (reads + writes) * PN_LINE_BYTES / measured_ns;
    p->memory_gbs = (double)(m.reads + m.writes) * PN_LINE_BYTES / whole_ns;
    p->read_frac = ratio(reads, reads + writes);
    p->chases = n->mem_lines;
}

static panem_status chase(pn_verify_point *point, const pn_verify_config *c,
                          const pn_sim_memory *memory, pn_mem_port *port, panem_error *err)
{
    pn_core *core = NULL;
    pn_core_result result;
    pn_rng rng;
    pn_rng_init(&rng, c->load.seed, 3);
    PN_TRY(pn_core_create(&core, c->core, port, err));
    for (uint64_t i = 0; i < c->chases / 4; i++)
        chase_once(core, &rng, c->pause_max);
    pn_core_mark(core);
    pn_background_stats before = pn_background_stats_now(port);
    for (uint64_t i = 0; i < c->chases; i++)
        chase_once(core, &rng, c->pause_max);
    panem_status status = pn_core_finish(core, &result, err);
    pn_background_stats after = pn_background_stats_now(port);
    const uint64_t lines[2] = {after.lines[0] - before.lines[0], after.lines[1] - before.lines[1]};
    if (status == PANEM_OK)
        fill(point, c, memory, &result, lines);
    pn_core_destroy(core);
    return status;
}

panem_status pn_verify_run(pn_verify_point *point, const pn_verify_config *c, panem_error *err)
{
    pn_sim_memory memory;
    pn_mem_port *port = NULL;
    PN_TRY(pn_sim_memory_open(&memory, c->spec, c->core, err));
    panem_status status = pn_background_create(&port, memory.port, &c->load, HOST_MAX, err);
    if (status == PANEM_OK)
        status = chase(point, c, &memory, port, err);
    pn_mem_destroy(port);
    pn_sim_memory_close(&memory);
    return status;
}

/* ---- what the curve says --------------------------------------------------------------------- */

/* Just below the peak, where the lower branch still has an answer. */
static const double NEARLY = 0.9999;

static double at_bandwidth(const panem_curves *set, double *bytes, double bytes_per_s,
                           double read_frac)
{
    uint64_t ps = 0;
    double most = NEARLY * panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, read_frac);
    double asked = bytes_per_s < most ? bytes_per_s : most;
    if (panem_latency_at_bandwidth_ps(set, &ps, bytes, PANEM_MIX_LINEAR, asked, read_frac) !=
        PANEM_OK)
        return (double)NAN;
    return (double)ps / 1000.0;
}

pn_verify_truth pn_verify_truth_of(const panem_curves *set, double on_chip_ns, double sharers,
                                   double read_frac)
{
    double bytes = 0.0;
    double peak = panem_peak_bytes_per_s(set, PANEM_MIX_LINEAR, read_frac);
    (void)at_bandwidth(set, &bytes, peak, read_frac);
    return (pn_verify_truth){.idle_ns = (double)panem_idle_ps(set, PANEM_MIX_LINEAR, 1.0) / 1000.0 +
                                        on_chip_ns,
                             .peak_gbs = peak / 1e9 / sharers,
                             .peak_lines = bytes / PN_LINE_BYTES / sharers};
}

double pn_verify_latency_ns(const panem_curves *set, double on_chip_ns, double sharers,
                            double read_frac, double gbs)
{
    return at_bandwidth(set, NULL, gbs * 1e9 * sharers, read_frac) + on_chip_ns;
}
