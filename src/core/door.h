/* door.h - the way to memory: core cycles on one side, a memory port in picoseconds on the other.
 *
 * Every core has a lane: reads that the memory refuses wait in order, in front of writes; both are
 * offered again when the memory said so or its next event came. Writes hold an entry of the lane's
 * write buffer from the moment they come until their response, or until the memory took them
 * (config write_hold). What a lane counts is that core's view of the interface.
 *
 * Fairness between lanes: a request that comes is offered at once when nobody waits (a read passes
 * waiting writes). A turn offers the waiting reads, one of each lane in a circle, then the writes
 * likewise; a lane whose request is refused is left out for the rest of the turn, the others are
 * not: they may want another channel. The circle goes on behind the lane served last. */
#ifndef PN_CORE_DOOR_H
#define PN_CORE_DOOR_H

#include "base/stat.h"
#include "core/config.h"
#include "mem/port.h"

typedef struct pn_door_stats {
    uint64_t reads, writes;     /* lines whose response came */
    uint64_t read_ps, write_ps; /* sums of the time from coming to the door until done */
    uint64_t prefetch_reads;    /* of the reads, those that were a prefetch when sent */
    uint64_t refused;           /* busy answers */
} pn_door_stats;

typedef struct pn_door_request {
    uint64_t line, came_ps;
    uint64_t took_ps; /* once it is done: from coming until then */
    uint32_t core;
    bool write, prefetch;
} pn_door_request;

/* A request that comes; write or prefetch, not both. */
typedef struct pn_door_arrival {
    uint64_t line;
    uint32_t core;
    bool write, prefetch;
} pn_door_arrival;

typedef struct pn_door_lane {
    pn_door_request *slots; /* every request at the door or in the memory */
    uint32_t *free_slots;
    uint32_t free_count;
    uint32_t *waiting[2]; /* rings of slots: reads, writes */
    uint32_t first[2], count[2];
    uint32_t writes_held; /* lines in the write buffer */
    pn_hist *latency[2];  /* ps, reads and writes */
    bool latency_kept;    /* nothing is added to them any more */
    pn_door_stats stats;
} pn_door_lane;

typedef struct pn_door {
    pn_mem_port *port; /* borrowed */
    uint64_t clock_hz, now_ps;
    uint64_t port_ps, port_cycle; /* the port's next event, and the cycle that serves it */
    uint64_t retry_cycle;         /* when a refused request is offered again */
    pn_door_lane *lanes;
    uint32_t lane_count;
    uint32_t slot_count, mask; /* of a lane; of its rings */
    uint32_t count[2];         /* waiting reads and writes of all lanes */
    uint32_t turn[2];          /* the lane that comes first in the next turn */
    uint64_t freed;            /* one bit per lane whose write buffer has given up a line */
    bool until_taken;          /* a write leaves it when the memory takes it */
} pn_door;

/* lanes: at most 64; capacity: reads and held writes of a lane at a time. E_NOMEM. */
panem_status pn_door_init(pn_door *door, pn_mem_port *port, const pn_core_config *config,
                          uint32_t lanes, uint32_t capacity, panem_error *err);
void pn_door_release(pn_door *door);
/* A request comes at the beginning of a cycle. Anything but OK is the memory's failure: its own, or
 * (E_RANGE) more posted writes taken than any memory should. */
panem_status pn_door_come(pn_door *door, uint64_t cycle, const pn_door_arrival *arrival);
/* When the door wants a turn; UINT64_MAX: never by itself. */
static inline uint64_t pn_door_next(const pn_door *door)
{
    return door->port_cycle < door->retry_cycle ? door->port_cycle : door->retry_cycle;
}
/* Brings the memory to this cycle and offers what was refused. Then take the responses. */
panem_status pn_door_turn(pn_door *door, uint64_t cycle);
/* The next response that is due; false: none. */
bool pn_door_take(pn_door *door, pn_door_request *request, uint8_t *cbusy);
/* The lanes whose write buffer gave up a line since the turn began, as bits. */
static inline uint64_t pn_door_freed(const pn_door *door)
{
    return door->freed;
}
/* After the responses were taken: when the port wants to be seen again. */
void pn_door_settle(pn_door *door, uint64_t cycle);

#endif
