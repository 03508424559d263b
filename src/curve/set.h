/* set.h - the compiled curve set: what lookup works on. Internal to libpanem.
 *
 * Units inside: bytes, ns, GB/s (= bytes/ns). Equations: docs/model.md. */
#ifndef PN_CURVE_SET_H
#define PN_CURVE_SET_H

#include <panem.h>

#include "curve/raw.h"

/* Read fractions at which peak and friends are tabulated: every 0.1 %. The last row is there twice,
 * so that every read fraction has a next one to interpolate to. */
enum { PN_MIX_STEPS = 1000, PN_MIX_ROWS = PN_MIX_STEPS + 2 };

/* Peaks below 30 kB/s count as that, where a byte's time is asked for. */
#define PN_BYTE_Q16_MAX (INT64_C(1) << 41)

typedef struct pn_curve {
    double read_frac;
    double next_frac; /* read fraction of the next curve; of the last: infinite */
    double per_gap;   /* 1 / (next_frac - read_frac); of the last: 0 */
    double flat_n;    /* up to so many bytes this curve and the next one are at idle latency */
    double idle_ns;
    double idle_slope; /* by how much the next curve's is higher, over the gap; of the last: 0 */
    const struct pn_curve *next; /* of the last: itself */
    uint32_t raw_points;
    uint32_t kept;         /* 1.. */
    const double *n;       /* outstanding bytes of the kept points, rising */
    const double *latency; /* ns, rising */
    const double *slope;   /* ns per byte from point i to i + 1; [kept - 1]: beyond the last */
    double peak_gbs;       /* highest valid raw bandwidth */
    double last_gbs;       /* bandwidth of the last kept point */
    double n_capped;       /* where the capped line meets N / peak; 0: it never does */
} pn_curve;

/* Per tabulated read fraction, capped relation, linear mix. */
typedef struct pn_mix_row {
    double peak_gbs;  /* largest N / L(N, r) */
    double n_peak;    /* smallest N that gives it, bytes */
    double n_busy;    /* N at 90 % of peak, lower branch, bytes */
    double n_light;   /* from here to the next row both of them are above this, bytes */
    int64_t byte_q16; /* what a byte takes at the peak, ps x 2^16, at most PN_BYTE_Q16_MAX */
} pn_mix_row;

typedef struct pn_curve_meta {
    const char *key;
    const char *value;
} pn_curve_meta;

struct panem_curves {
    panem_allocator allocator;
    pn_curve *curves;
    uint32_t count;
    double covers_from, covers_to; /* read fractions, with a tolerance */
    double *numbers;               /* storage of n, latency, slope */
    size_t number_count;
    pn_mix_row *mix;        /* PN_MIX_ROWS rows */
    const pn_curve **below; /* per row: the curve with the greatest read fraction not above, or the
                               first */
    pn_mix_row *curve_rows; /* one per curve, for the nearest mix; the last twice */
    pn_curve_meta *meta;
    uint32_t meta_count;
    char *meta_text;
    size_t meta_text_size;
    uint64_t fingerprint;
};

/* Repairs, converts and tabulates. raw is read only. source NULL: raw->order decides. */
panem_status pn_curves_build(panem_curves **set, const pn_rawset *raw,
                             const panem_curves_options *options, panem_error *err);

/* Kept or dropped, for show and check: the verdict on each raw point of the set, in the order of
 * raw->points. */
typedef enum pn_verdict { PN_DROPPED = 0, PN_KEPT = 1 } pn_verdict;

/* As pn_curves_build; verdicts (raw->count entries, may be NULL) receives what became of each. */
panem_status pn_curves_build_verdicts(panem_curves **set, pn_verdict *verdicts,
                                      const pn_rawset *raw, const panem_curves_options *options,
                                      panem_error *err);

#endif
