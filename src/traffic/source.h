/* source.h - one abstract core that sends requests: a rate, a bound on what is in flight, a mix.
 *
 * The next request is due one gap after the last one was sent (no debt is kept while blocked): a
 * rate limit, as hardware generators have it. Gaps are exponential (poisson) or equal (even). In a
 * burst pattern the source alternates on and off phases of equal length, each pair drawn
 * log-uniformly between two bounds, and sends at twice the rate while on, so the mean stays. In a
 * phase pattern all sources alternate between two mean gaps, each for the same time. */
#ifndef PN_TRAFFIC_SOURCE_H
#define PN_TRAFFIC_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"

typedef enum pn_arrival { PN_ARRIVAL_POISSON = 0, PN_ARRIVAL_EVEN } pn_arrival;
typedef enum pn_mixing { PN_MIXING_EVEN = 0, PN_MIXING_RANDOM } pn_mixing;
typedef enum pn_pattern { PN_PATTERN_STEADY = 0, PN_PATTERN_BURST, PN_PATTERN_PHASE } pn_pattern;

typedef struct pn_source_config {
    double gap_ps;        /* mean time between requests; 0: as fast as what is in flight allows */
    double read_frac;     /* 0..1 */
    uint32_t outstanding; /* most requests in flight, >= 1 */
    pn_arrival arrival;
    pn_mixing mixing;
    pn_pattern pattern;
    uint64_t burst_low_ps; /* on-phase length, burst pattern */
    uint64_t burst_high_ps;
    double random_share; /* 0: reads and writes each continue a stream; else this share of them goes
                            to random lines below capacity_bytes */
    uint64_t capacity_bytes;
    uint64_t phase_ps; /* length of a phase, phase pattern: gap_ps, then phase_gap_ps, ... */
    double phase_gap_ps;
    uint64_t start_ps; /* nothing is sent earlier; bursts and phases count from here */
    uint64_t seed;
    uint64_t stream; /* number of this source: its own random numbers and phase */
} pn_source_config;

typedef struct pn_source {
    pn_source_config config;
    pn_rng rng;
    pn_rng burst_rng;      /* equal in all sources of a run: they burst together */
    uint64_t gap_q8;       /* 1/256 ps */
    uint64_t other_gap_q8; /* of every second phase, phase pattern */
    uint64_t due_q8;       /* when the next request may go */
    uint64_t phase_end_q8; /* of the on-phase, burst pattern */
    uint64_t phase_q8;     /* its length */
    uint64_t mix_q32;      /* error diffusion of the even mix */
    uint64_t address[2];   /* next line of this source's streams, by access kind */
    uint32_t in_flight;
    bool random_line; /* the last request went to a random line */
} pn_source;

void pn_source_init(pn_source *source, const pn_source_config *config);
/* When the next request may go, ps; UINT64_MAX while as many as allowed are in flight. */
uint64_t pn_source_due_ps(const pn_source *source);
/* Takes the next request at time now_ps >= due: its kind and address. */
void pn_source_send(pn_source *source, uint64_t now_ps, bool *is_read, uint64_t *address);
/* One of its requests is done. */
void pn_source_done(pn_source *source, uint64_t now_ps);
/* From now on another mean gap. */
void pn_source_set_gap(pn_source *source, double gap_ps);

#endif
