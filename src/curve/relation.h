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

/* Table row at r: linear mix interpolates between tabulated rows, nearest takes the curve's. */
pn_mix_row pn_relation_row(const panem_curves *set, panem_mix mix, double r);

/* ---- the same in steps, for the end of a window; n is 0 or more, r in 0..1 ---- */

/* A read fraction in the tables: so far on the way from row[0] to row[1], 0..1. */
typedef struct pn_mix_place {
    const pn_mix_row *row;
    const pn_curve *curve; /* set->below of the row; the nearest mix: that curve */
    double past;
} pn_mix_place;

/* The nearest mix: that curve's row. */
pn_mix_place pn_relation_nearest(const panem_curves *set, double r);

static inline pn_mix_place pn_relation_place(const panem_curves *set, panem_mix mix, double r)
{
    if (__builtin_expect(mix == PANEM_MIX_NEAREST, 0))
        return pn_relation_nearest(set, r);
    double x = r * PN_MIX_STEPS;
    int64_t i = (int64_t)x;
    return (pn_mix_place){&set->mix[i], set->below[i], x - (double)i};
}

/* The row nearest to r, for what need not be interpolated. */
static inline const pn_mix_row *pn_relation_round(const panem_curves *set, panem_mix mix, double r)
{
    if (__builtin_expect(mix == PANEM_MIX_NEAREST, 0))
        return pn_relation_nearest(set, r).row;
    return &set->mix[(int64_t)(r * PN_MIX_STEPS + 0.5)];
}

static inline double pn_relation_peak_gbs(pn_mix_place at)
{
    return at.row->peak_gbs + at.past * (at.row[1].peak_gbs - at.row->peak_gbs);
}

static inline double pn_relation_n_peak(pn_mix_place at)
{
    return at.row->n_peak + at.past * (at.row[1].n_peak - at.row->n_peak);
}

static inline double pn_relation_n_busy(pn_mix_place at)
{
    return at.row->n_busy + at.past * (at.row[1].n_busy - at.row->n_busy);
}

/* Where the idle latency does not answer: between low and the next curve, so far on the way. */
double pn_relation_loaded_ns(const pn_curve *low, panem_beyond beyond, double n, double w,
                             pn_relation_hint *hint);

/* Equation 8. No branch asks whether r lies between the curves: it does so now and then, as no
 * predictor can guess. Beyond the last curve both slopes are 0; from is the first one's read
 * fraction, below which r counts as that. */
static inline double pn_relation_between_ns(const pn_curve *low, double from, panem_beyond beyond,
                                            double n, double r, pn_relation_hint *hint)
{
    double covered = r > from ? r : from;
    while (__builtin_expect(low->next_frac <= r, 0)) /* at most a row of the table away */
        low++;
    double past = covered - low->read_frac;
    if (n > low->flat_n)
        return pn_relation_loaded_ns(low, beyond, n, past * low->per_gap, hint);
    return low->idle_ns + past * low->idle_slope;
}

double pn_relation_nearest_ns(const pn_curve *curve, panem_beyond beyond, double n,
                              pn_relation_hint *hint);

/* pn_relation_latency_ns; at is the place of r. */
static inline double pn_relation_at_ns(const panem_curves *set, panem_relation relation,
                                       pn_mix_place at, double n, double r, pn_relation_hint *hint)
{
    if (__builtin_expect(relation.mix == PANEM_MIX_NEAREST, 0))
        return pn_relation_nearest_ns(at.curve, relation.beyond, n, hint);
    return pn_relation_between_ns(at.curve, set->curves[0].read_frac, relation.beyond, n, r, hint);
}

/* True when r lies outside the read fractions the curves cover, by more than 0.0005. No branch:
 * at light load r jumps between all reads and all writes. */
static inline bool pn_relation_outside(const panem_curves *set, double r)
{
    return ((r < set->covers_from) | (r > set->covers_to)) != 0;
}

/* Lower branch of the capped relation. False when the bandwidth is negative or above the peak. */
bool pn_relation_invert(const panem_curves *set, panem_mix mix, double gbs, double r, double *n,
                        double *latency_ns);

/* Fills mix, curve_rows: called once by pn_curves_build. */
void pn_relation_tabulate(panem_curves *set);

#endif
