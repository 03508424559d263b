/* chase.h - one point of a bandwidth-latency curve: dependent chases beside a load.
 *
 * Chases. A chaser reads a random line and sends its next read only when the last answer is in and
 * its turn has come. Turns go round the chasers at a mean distance of probe_ps, each at a random
 * place in its share of time, so that chases meet the memory in proportion to time and are a stated
 * share of the traffic. A chaser still waiting at its turn is passed over and counted. What the
 * chases wait, from being asked to done, waiting for room included, is the curve's latency.
 *
 * Load. One arrival process for all cores of a machine: exponential gaps, no debt while blocked, a
 * bound on reads and on writes in flight. A share of the requests continues a few sequential
 * streams (reads and writes have their own, as write-backs do), the rest goes to random lines.
 * Reads and writes alternate so that reads, chases included, are read_frac of all requests; chases
 * alone may exceed it, never the load.
 *
 * A refused request waits in the first-come first-served queue of its lane and kind; a lane is what
 * fills up by itself in the memory, such as a channel. The loop allocates before it starts and not
 * afterwards.
 *
 * Timetable. Instead of chases and load, a list of arrivals may be given: requests are asked at its
 * times, however many are in flight up to the bounds (a late one still counts from its time), its
 * random reads go to random lines as chases do, the rest is placed as the load is. The run ends
 * when all are done, and every answer is handed to a callback: the same arrivals can meet several
 * memories, or one memory with other addresses.
 *
 * Not modelled: cores, caches, TLBs, and an interconnect other than these queues. */
#ifndef PN_TRAFFIC_CHASE_H
#define PN_TRAFFIC_CHASE_H

#include "mem/port.h"

enum { PN_CHASE_STREAMS_MAX = 64, PN_CHASE_LANES_MAX = 256 };

/* The lane of an address: 0 .. lanes-1. Pure. */
typedef uint32_t (*pn_chase_lane_fn)(const void *user, const pn_mem_port *port, uint64_t address);

/* One request of a timetable. */
typedef struct pn_chase_arrival {
    uint64_t time_ps; /* never below that of the one before */
    uint8_t kind;     /* PANEM_READ or PANEM_WRITE */
    bool chase;       /* to a random line, in any case; else placed as the load is */
} pn_chase_arrival;

/* An answer to an arrival of a timetable. random_line: it did not continue a stream. */
typedef void (*pn_chase_answer_fn)(void *user, const pn_chase_arrival *asked, uint64_t done_ps,
                                   bool random_line);

typedef struct pn_chase_config {
    double read_frac;        /* of all requests, chases included */
    bool load;               /* false: chases alone */
    double gap_ps;           /* mean time between requests of the load; 0: as fast as taken */
    uint32_t reads_max;      /* of the load, in flight */
    uint32_t writes_max;     /* the same, until done */
    double stream_share;     /* of the load's requests, 0..1 */
    uint32_t streams;        /* of reads, and as many of writes */
    uint32_t chasers;        /* 1 .. */
    double probe_ps;         /* mean time between two chases, over all chasers */
    uint64_t capacity_bytes; /* addresses are below */
    uint32_t lanes;          /* 1 .. PN_CHASE_LANES_MAX */
    pn_chase_lane_fn lane;   /* NULL: one lane */
    const void *lane_user;
    uint64_t warmup_ps;      /* not measured */
    uint64_t measure_min_ps; /* measured, at least */
    double target_error;     /* relative standard error of the mean latency */
    uint64_t chases_min, chases_max;
    uint64_t seed, stream;             /* runs of different pairs are unrelated */
    const pn_chase_arrival *timetable; /* not NULL: instead of chases and load; borrowed */
    size_t timetable_count;
    uint64_t delay_ps;         /* of the whole timetable; answers are told without it */
    pn_chase_answer_fn answer; /* of the timetable; may be NULL */
    void *answer_user;
} pn_chase_config;

typedef struct pn_chase_result {
    uint64_t measured_ps;
    uint64_t read_bytes, write_bytes; /* completed, chases included */
    double bandwidth_bytes_per_s;
    double read_frac; /* of completed bytes; NaN when none */
    uint64_t chases;  /* measured */
    double latency_ns;
    double relative_error; /* standard error of latency_ns */
    uint64_t chase_bytes;  /* completed */
    uint64_t passed_over;  /* turns of a chaser still waiting */
    uint64_t busy_answers;
    double outstanding_bytes; /* time average, from being asked to done */
    double sojourn_sum_ns;    /* the same requests' times, of those completed in the measurement */
    uint64_t completions;
} pn_chase_result;

/* Runs one point on a fresh port, which is used, not owned. E_NOMEM, E_ARG, or what the port
 * returned. result is untouched on failure. */
panem_status pn_chase_run(pn_chase_result *result, pn_mem_port *port, const pn_chase_config *config,
                          panem_error *err);

#endif
