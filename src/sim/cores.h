/* cores.h - one run of several cores: traces, staggered, on the cores of one chip.
 *
 * Core i runs trace i mod count, entered stagger x i instructions in, and begins it again at its
 * end (or after loop instructions). When every core measures one whole loop, all of a trace's cores
 * measure the same instructions, at different times. */
#ifndef PN_SIM_CORES_H
#define PN_SIM_CORES_H

#include "core/cores.h"
#include "sim/sim.h"
#include "trace/loop.h"

typedef struct pn_sim_cores_spec {
    const char *const *trace_paths; /* borrowed */
    uint32_t trace_count;
    pn_trace_options input;
    uint64_t stagger, loop; /* instructions; loop 0: the whole trace */
} pn_sim_cores_spec;

typedef struct pn_sim_cores {
    pn_cores *cores;
    pn_trace_loop *traces[PN_CORES_MAX];
    pn_core_result results[PN_CORES_MAX];
    uint32_t count;
} pn_sim_cores;

/* Makes the cores and opens their traces. The port is borrowed. E_ARG, E_NOMEM, the traces' errors.
 */
panem_status pn_sim_cores_open(pn_sim_cores *s, const pn_core_config *config, uint32_t count,
                               const pn_sim_cores_spec *spec, pn_mem_port *port, panem_error *err);
panem_status pn_sim_cores_run(pn_sim_cores *s, const pn_core_run *run, panem_error *err);
void pn_sim_cores_close(pn_sim_cores *s);

#endif
