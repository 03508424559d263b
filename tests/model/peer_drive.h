/* peer_drive.h - what the tests of the analytic peers share: a set with round numbers, single
 * requests, a closed loop, and the check of saved states. */
#ifndef PN_TESTS_MODEL_PEER_DRIVE_H
#define PN_TESTS_MODEL_PEER_DRIVE_H

#include <panem.h>

/* One point: 64 GB/s, 100 ns. A 64-byte line takes 1 ns. */
panem_curves *drive_round_set(void);

panem_model *drive_model(const panem_curves *set, const panem_model_options *options);
panem_model_options drive_options(panem_kind kind);

/* Latency in ps of one 64-byte request; fails the test unless it is accepted, consistent and at
 * busy level 0. */
uint64_t drive_ask(panem_model *model, uint64_t time_ps, uint32_t kind);
uint64_t drive_ask_bytes(panem_model *model, uint64_t time_ps, uint32_t kind, uint32_t bytes);

typedef struct drive_loop {
    double mean_ns, sd_ns; /* latency over the second half */
    double gbs;            /* completed in the second half */
    uint64_t settled_at;   /* last access whose latency was over 5 % off the mean */
} drive_loop;

/* in_flight requests always outstanding, no think time, all reads of 64 bytes. */
drive_loop drive_closed_loop(panem_model *model, uint32_t in_flight, uint64_t accesses);

/* A state saved in the middle of a random run continues the run with equal answers and bytes;
 * damaged states are refused and change nothing. */
void drive_check_saving(const panem_curves *set, const panem_model_options *options);

/* Horizon mode is refused; so are bad requests; time that steps back is not. */
void drive_check_interface(const panem_curves *set, panem_kind kind);

#endif
