/* timetable.h - lists of arrivals at given mean rates: the same traffic for several memories.
 *
 * Arrivals of one piece are Poisson at one mean gap, so pieces may follow one another at any time
 * without an edge effect. Kinds alternate so that reads are a stated share of all requests, and a
 * stated share of all are chases, which are reads of random lines (chase.h): the mix of a measured
 * curve. Not modelled: memory that holds arrivals back; a timetable is open loop. */
#ifndef PN_TRAFFIC_TIMETABLE_H
#define PN_TRAFFIC_TIMETABLE_H

#include <stddef.h>

#include "base/rng.h"
#include "traffic/chase.h"

typedef struct pn_timetable {
    pn_chase_arrival *arrivals; /* in order of time */
    size_t count, capacity;
    double read_frac, chase_share;
    pn_rng gaps;
    int64_t mix_q32;   /* reads owed */
    int64_t chase_q32; /* chases owed */
} pn_timetable;

/* An empty list. read_frac of all requests are reads, chases included; chase_share of all are
 * chases. Both 0..1. */
void pn_timetable_init(pn_timetable *t, double read_frac, double chase_share, uint64_t seed);
void pn_timetable_release(pn_timetable *t);

/* Appends arrivals in [from, to) at a mean gap of gap_ps; none when it is 0. from is at or after
 * what was appended before. E_NOMEM. */
panem_status pn_timetable_add(pn_timetable *t, uint64_t from_ps, uint64_t to_ps, double gap_ps,
                              panem_error *err);

#endif
