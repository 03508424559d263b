/* background.h - a memory port with a load of its own: what benchmarks run beside the core they
 * measure.
 *
 * Everything the host asks passes through. Between, an arrival process sends lines: exponential
 * gaps or as fast as its bounds allow, no debt while blocked, reads and writes in turn so that a
 * given share are reads, a share continues two sequential streams (one of reads, one of writes) and
 * the rest goes to random lines. A refused request waits, in flight like others, and is asked
 * again; it holds nothing up that another channel would take. Assumption: the host advances the
 * port at its next event, as every host does. */
#ifndef PN_SIM_BACKGROUND_H
#define PN_SIM_BACKGROUND_H

#include "base/rng.h"
#include "mem/port.h"

typedef struct pn_background_config {
    double bytes_per_s; /* offered; INFINITY: as fast as the bounds allow; 0: none */
    double read_frac;
    double stream_share;
    uint32_t in_flight_max[2]; /* reads, writes */
    uint64_t lines;            /* of the memory: addresses are below */
    uint64_t seed;
} pn_background_config;

typedef struct pn_background_stats {
    uint64_t lines[2]; /* done: reads, writes */
    uint64_t refused;
} pn_background_stats;

/* inner is borrowed and must outlive the port. host_max: the host's requests in flight. E_NOMEM. */
panem_status pn_background_create(pn_mem_port **port, pn_mem_port *inner,
                                  const pn_background_config *config, uint32_t host_max,
                                  panem_error *err);
pn_background_stats pn_background_stats_now(const pn_mem_port *port);

#endif
