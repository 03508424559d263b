/* drive.h - closed-loop traffic on a memory port, for the DRAM tests. Checks the port's protocol
 * on the way: response times, order, tags, what was accepted comes back exactly once. */
#ifndef PN_TESTS_DRAM_DRIVE_H
#define PN_TESTS_DRAM_DRIVE_H

#include "dram/dram.h"

typedef enum pattern { STREAM, RANDOM, MIXED, ONE_BANK } pattern;

typedef struct traffic {
    pattern pattern;
    uint32_t write_pct;
    uint64_t requests;
    uint64_t gap_ps;    /* between submissions; 0: as fast as accepted */
    uint64_t in_flight; /* at most so many without a response; 0: no limit */
    uint64_t footprint_bytes;
    uint32_t bytes; /* per request */
    uint64_t seed;
    uint64_t idle_every, idle_ps; /* a pause after so many requests; 0: none */
} traffic;

typedef struct outcome {
    uint64_t end_ps; /* of the last response */
    uint64_t now_ps; /* how far time was brought */
    uint64_t reads, writes, bytes;
    uint64_t read_latency_ps; /* sums of done - arrival, by the driver's own book */
    uint64_t write_latency_ps;
    uint64_t worst_ps;
    uint64_t busy;
    uint64_t protocol_faults;
    uint64_t area_ps; /* integral of requests in flight, by events */
    uint64_t cbusy[4];
} outcome;

/* Runs until every request has its response. */
void drive(outcome *o, pn_mem_port *port, const traffic *t);

/* A log kept in memory. */
typedef struct log_tape {
    pn_dram_command *commands;
    size_t count, capacity;
} log_tape;
void tape_record(void *user, const pn_dram_command *command);
void tape_free(log_tape *tape);

#endif
