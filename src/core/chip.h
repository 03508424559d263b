/* chip.h - what the cores of a chip share: the LLC and the way to one memory.
 *
 * Every core has its own miss registers, its own queue of waiting requests and its own write buffer
 * at the LLC, as many as a core that has the chip to itself; shared are the LLC's ways and the
 * memory. The LLC has as many bytes as the shares of all cores together. A line that one core's
 * fill drives out is written through that core's write buffer, whoever brought it.
 *
 * Fairness: in a cycle and phase, core (cycle mod N) goes first, then the next ones around; at the
 * door see door.h. Links are per core, and so is the mesh's bandwidth: in total N times a core's.
 *
 * Order of time. What the chip tells a core takes effect pn_chip_lookahead cycles later at the
 * earliest, and what a core tells the chip in a cycle belongs to later phases of that cycle. So
 * cores may run so far ahead of the chip, one after the other, and the chip then follows: no event
 * is ever late. A single core steps its chip itself, phase by phase (uncore.c). */
#ifndef PN_CORE_CHIP_H
#define PN_CORE_CHIP_H

#include "core/door.h"
#include "core/evq.h"
#include "core/level.h"

enum { PN_CORES_MAX = 64 };

/* Low bits of PN_L2_READY_MEM's arg; above them is pn_source.queued. */
enum { PN_CBUSY_BITS = 2 };

/* A core's part of what is shared. */
typedef struct pn_chip_core {
    pn_level llc;       /* its tags are everybody's */
    uint64_t retry_cyc; /* cycle of the retry last planned */
    pn_evq *events;     /* the core's own: lines that are ready for its L2 */
    uint64_t cbusy_seen[4];
} pn_chip_core;

typedef struct pn_chip {
    pn_chip_core *cores;
    uint32_t core_count;
    pn_door door;
    pn_evq events; /* arg: the core, and whether the request is a prefetch */
    pn_core_timing timing;
    uint64_t idle_ps, on_chip_ps; /* latency of a read that meets no other; UINT64_MAX: unknown */
    uint32_t write_buffer;
    panem_status failed; /* of the memory; sticky */
} pn_chip;

/* For count cores of one configuration. The port is borrowed. E_NOMEM. */
panem_status pn_chip_init(pn_chip *chip, const pn_core_config *config, uint32_t count,
                          pn_mem_port *port, panem_error *err);
void pn_chip_release(pn_chip *chip);

/* From a core, in a cycle the chip has not passed: a request of L2 that looks into the LLC, a dirty
 * line of L2. */
void pn_chip_look(pn_chip *chip, uint64_t cycle, uint32_t core, uint64_t line, bool prefetch);
void pn_chip_write(pn_chip *chip, uint64_t cycle, uint32_t core, uint64_t line);

/* The next cycle with something to do. */
static inline uint64_t pn_chip_next(const pn_chip *chip)
{
    uint64_t door = pn_door_next(&chip->door);
    uint64_t event = pn_evq_next(&chip->events);
    return door < event ? door : event;
}
/* The parts of one cycle, for who steps it phase by phase: what the memory answered, one event. */
void pn_chip_responses(pn_chip *chip, uint64_t cycle);
void pn_chip_event(pn_chip *chip);
/* After the events of a cycle. */
static inline void pn_chip_settle(pn_chip *chip, uint64_t cycle)
{
    pn_door_settle(&chip->door, cycle);
}
/* Everything before this cycle. */
void pn_chip_run(pn_chip *chip, uint64_t end_cyc);

/* Cycles by which cores may run ahead; 0: latencies are too short for that. */
uint32_t pn_chip_lookahead(const pn_core_timing *timing);
/* Requests and lines of a core that are not at rest. */
bool pn_chip_in_flight(const pn_chip *chip, uint32_t core);

#endif
