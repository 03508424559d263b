/* cpi.h - where a run's cycles went: every cycle between two commits is charged once.
 *
 * A cycle in which something commits is base. In any other the oldest micro-op could not commit,
 * and what held it up has the cycle: what the front end waited for until it was dispatched and, two
 * cycles more, on its way through the pipe; then, of a load, the level that had its line; else base
 * (a chain of operations, a pipe). docs/core.md defines each part.
 *
 * The parts of a phase add up to its cycles exactly. Of a load's cycles whose line came from memory
 * the share (latency - idle latency) / (latency + on-chip latency) of that line is bandwidth-bound,
 * the rest latency-bound: at idle nothing is bandwidth-bound.
 * NOT told: which level an instruction line came from; write-backs and prefetches in the way. */
#ifndef PN_CORE_CPI_H
#define PN_CORE_CPI_H

#include "core/level.h"

typedef enum pn_cpi {
    PN_CPI_BASE = 0,
    PN_CPI_BRANCH,
    PN_CPI_FETCH,
    PN_CPI_L1,
    PN_CPI_L2,
    PN_CPI_LLC,
    PN_CPI_TLB,
    PN_CPI_MEM_LATENCY,
    PN_CPI_MEM_BANDWIDTH,
    PN_CPI_COUNT
} pn_cpi;

extern const char *const pn_cpi_names[PN_CPI_COUNT];

/* What the front end waited for. */
typedef enum pn_front_cause {
    PN_FRONT_ROOM = 0, /* reorder or load-order buffer: the oldest micro-op tells why */
    PN_FRONT_BRANCH,
    PN_FRONT_FETCH,
    PN_FRONT_STORE /* store buffer: its oldest store tells why */
} pn_front_cause;

enum { PN_FRONT_WAITS = 4 };

/* What a micro-op's dispatch waited for, in order of time. */
typedef struct pn_front_waits {
    struct {
        uint64_t until_cyc;
        uint32_t cause; /* pn_front_cause */
    } wait[PN_FRONT_WAITS];
    uint32_t count;
    pn_source store; /* of the store that had to be written first */
} pn_front_waits;

/* The front end stood still until a cycle. */
void pn_front_wait(pn_front_waits *waits, uint64_t until_cyc, pn_front_cause cause);

/* What there is to know of a micro-op that commits. */
typedef struct pn_cpi_commit {
    uint64_t before_cyc; /* commit of the one before; earlier than commit_cyc */
    uint64_t commit_cyc;
    uint64_t dispatch_cyc;
    const pn_front_waits *waits; /* NULL: dispatched at once */
    bool load;
    uint64_t translated_cyc; /* of a load: when its page was known */
    pn_source source;        /* of a load */
} pn_cpi_commit;

/* Charges the cycles after before_cyc up to commit_cyc. */
void pn_cpi_charge(uint64_t cycles[PN_CPI_COUNT], const pn_cpi_commit *commit);

#endif
