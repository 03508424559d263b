/* cores.h - several cores of one configuration on one chip, each with instructions of its own: the
 * reference for one core that stands for many.
 *
 * Every core has its own L1s, L2, prefetchers, miss registers and physical pages; LLC and memory
 * are shared by the rules of chip.h. A core's measured phase begins after its warm-up and ends with
 * the commit of its last measured instruction, like that of a core alone; then it runs on
 * uncounted, until every core has finished. What the chip counts for a core (LLC, memory's door) is
 * cut up to pn_chip_lookahead cycles before the core's own counters.
 *
 * Time. Cores run one after the other up to a common cycle, then the chip follows; chip.h says why
 * no event is late. The order of the cores does not matter: what they tell the chip is put in order
 * of cycle, phase and turn. */
#ifndef PN_CORE_CORES_H
#define PN_CORE_CORES_H

#include "core/core.h"

typedef struct pn_cores pn_cores;

/* Where a core's instructions come from: without end. What an op points to must stay until the next
 * call. */
typedef struct pn_op_source {
    panem_status (*next)(void *user, const pn_op **op, panem_error *err);
    void *user;
} pn_op_source;

/* count 1..PN_CORES_MAX; config->active_cores is by what the LLC's bytes are divided to give a
 * core's share. E_ARG, also where latencies are too short to run cores one by one; E_NOMEM. */
panem_status pn_cores_create(pn_cores **cores, const pn_core_config *config, uint32_t count,
                             pn_mem_port *port, panem_error *err);
void pn_cores_destroy(pn_cores *cores);
/* pn_core_set_idle of all. */
void pn_cores_set_idle(pn_cores *cores, uint64_t read_ps);

/* Runs until every core has measured run->instructions (at least 1) after run->warmup. results and
 * sources: one per core. The sources' errors and the memory's; E_TIME when it never answers. */
panem_status pn_cores_run(pn_cores *cores, pn_core_result *results, const pn_op_source *sources,
                          const pn_core_run *run, panem_error *err);

uint32_t pn_cores_count(const pn_cores *cores);
/* For its latencies and counters. */
const pn_core *pn_cores_at(const pn_cores *cores, uint32_t index);

#endif
