/* relation.h - L(N, r): evaluation of the compiled curve set. Internal to libpanem.
 *
 * Pure functions of the set. A hint is a caller-owned guess of the segment, for lookups that move
 * little from call to call; any value is allowed and the answer does not depend on it. */
#ifndef PN_CURVE_RELATION_H
#define PN_CURVE_RELATION_H

#include <stdbool.h>

#include "curve/set.h"

typedef struct pn_relation_hint {
    uint32_t low;  /* segment in the lower neighbour of r */
    uint32_t high; /* segment in the upper neighbour */
} pn_relation_hint;

/* Latency in ns at n bytes (NaN and negative count as 0) and read fraction r (clamped).
 * hint may be NULL. */
double pn_relation_latency_ns(const panem_curves *set, panem_relation relation, double n, double r,
                              pn_relation_hint *hint);

/* What a window's end needs to know at once. */
typedef struct pn_relation_point {
    double latency_ns;
    double peak_gbs, n_peak, n_busy; /* as pn_relation_row has them */
} pn_relation_point;

/* pn_relation_latency_ns and pn_relation_row in one lookup. n is 0 or more, r in 0..1. */
pn_relation_point pn_relation_at(const panem_curves *set, panem_relation relation, double n,
                                 double r, pn_relation_hint *hint);

/* Table row at r: linear mix interpolates between tabulated rows, nearest takes the curve's. */
pn_mix_row pn_relation_row(const panem_curves *set, panem_mix mix, double r);

/* peak_gbs of pn_relation_row. r in 0..1. */
static inline double pn_relation_peak_gbs(const panem_curves *set, panem_mix mix, double r)
{
    if (mix == PANEM_MIX_NEAREST)
        return pn_relation_row(set, mix, r).peak_gbs;
    double x = r * PN_MIX_STEPS;
    int i = (int)x;
    const pn_mix_row *a = &set->mix[i];
    return a->peak_gbs + (x - i) * (a[1].peak_gbs - a->peak_gbs);
}

/* True when r lies outside the read fractions the curves cover, by more than 0.0005. No branch:
 * at light load r jumps between all reads and all writes. */
static inline bool pn_relation_outside(const panem_curves *set, double r)
{
    int below = r < set->curves[0].read_frac - 0.0005;
    int above = r > set->curves[set->count - 1].read_frac + 0.0005;
    return (below | above) != 0;
}

/* Lower branch of the capped relation. False when the bandwidth is negative or above the peak. */
bool pn_relation_invert(const panem_curves *set, panem_mix mix, double gbs, double r, double *n,
                        double *latency_ns);

/* Fills mix, curve_rows: called once by pn_curves_build. */
void pn_relation_tabulate(panem_curves *set);

#endif
