/* drive.h - small drivers over panem.h for the law tests: open and closed loops. */
#ifndef PN_TESTS_REF_DRIVE_H
#define PN_TESTS_REF_DRIVE_H

#include <panem.h>

#include "base/wide.h"

/* One run of requests of one size. */
typedef struct drive_load {
    uint64_t start_ps, end_ps; /* arrivals in start .. end - 1 */
    uint64_t gap_ps;           /* mean; of the offered load */
    uint32_t bytes;
    uint32_t reads_of_100;
    uint32_t poisson; /* 1: exponential gaps, 0: equal ones */
    uint64_t seed;
} drive_load;

typedef struct drive_result {
    uint64_t accepted, busy;
    uint64_t bytes;        /* accepted */
    uint64_t bytes_by_end; /* of them, completed before end_ps */
    uint64_t latency_min_ps, latency_max_ps;
    uint64_t last_done_ps;
    pn_u128 byte_ps; /* sum of bytes x (done - arrival) */
    double latency_mean_ns;
    double achieved_gbs; /* bytes_by_end over the run's length */
} drive_result;

/* Open loop: a busy answer stalls the generator until the retry time. */
drive_result drive_open(panem_model *m, const drive_load *load);

/* Closed loop of `slots` reads of 64 bytes, each issued anew the moment it completes, from start_ps
 * for `rounds` completions of every slot. */
drive_result drive_closed(panem_model *m, uint32_t slots, uint64_t start_ps, uint32_t rounds);

#endif
