/* verify.h - a curve measured again, through the simulated core: a chase of dependent loads beside
 * a load at the memory's door.
 *
 * One point is one run on a fresh memory: loads of random lines of a footprint that no cache holds,
 * each address from the one before, a few operations apart at random (so that chases meet refreshes
 * and queues in proportion to time). Latencies are the chase's, on-chip part included: of the core
 * (L1 access until the line can be used), of the interface (door to answer, plus the on-chip part),
 * of the memory (its own mean over all reads, likewise). */
#ifndef PN_SIM_VERIFY_H
#define PN_SIM_VERIFY_H

#include "sim/background.h"
#include "sim/sim.h"

typedef struct pn_verify_config {
    const pn_sim_spec *spec; /* resolved; curves_path and model name the memory */
    const pn_core_config *core;
    pn_background_config load; /* bytes_per_s 0: the chase alone; of the core's share */
    uint64_t chases;           /* measured; a quarter as many before them */
    uint64_t pause_max;        /* operations between two loads: 0 .. pause_max - 1; at least 1 */
} pn_verify_config;

typedef struct pn_verify_point {
    double core_ns, interface_ns, memory_ns;
    double core_gbs;      /* the chase alone */
    double interface_gbs; /* chase and load, of the measured phase */
    double memory_gbs;    /* of the whole run */
    double read_frac;     /* of interface_gbs */
    uint64_t chases;      /* lines from memory */
} pn_verify_point;

/* The memory's and the core's errors. */
panem_status pn_verify_run(pn_verify_point *point, const pn_verify_config *config,
                           panem_error *err);

/* What a curve set, loaded without its on-chip part, says of a share of 1/sharers. */
typedef struct pn_verify_truth {
    double idle_ns;    /* without load, all reads, on-chip part included */
    double peak_gbs;   /* of the share */
    double peak_lines; /* in flight at the peak, of the share */
} pn_verify_truth;
pn_verify_truth pn_verify_truth_of(const panem_curves *set, double on_chip_ns, double sharers,
                                   double read_frac);
/* Latency at a bandwidth of the share, on-chip part included; at or above the peak, the peak's. */
double pn_verify_latency_ns(const panem_curves *set, double on_chip_ns, double sharers,
                            double read_frac, double gbs);

#endif
