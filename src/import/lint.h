/* lint.h - what is odd about a curve set, and what follows from it. Not part of libpanem.
 *
 * Three kinds of remark: notes (a fact that a reader of results should know), repairs (what
 * pn_curves_build changed), warnings (values that are hardly right). Nothing here changes a set. */
#ifndef PN_IMPORT_LINT_H
#define PN_IMPORT_LINT_H

#include <panem.h>

#include "curve/raw.h"
#include "import/import.h"

typedef struct pn_lint_finding {
    pn_severity severity;
    const char *kind;        /* short name: "slope", "duplicate_curve" */
    const char *file;        /* "" when the place is not a line */
    uint32_t line;           /* 0: none */
    double read_pct;         /* NaN: about the whole set */
    const char *text;        /* what is odd */
    const char *consequence; /* what the model does with it */
} pn_lint_finding;

typedef void (*pn_lint_fn)(void *user, const pn_lint_finding *finding);

/* Values that no memory of today has: idle latency outside 40..600 ns; a peak above the theoretical
 * one, or below a quarter of it (theoretical_gbs 0: not known). */
void pn_lint_gates(const panem_curves *set, double theoretical_gbs, pn_lint_fn report, void *user);

/* Builds the set from raw with options (whose report and report_user are not used) and reports
 * everything: gates, repairs, slopes beyond the peak, gaps, twins, missing metadata.
 * theoretical_gbs 0: taken from the metadata. *set receives the built set. As pn_curves_build,
 * without E_STRICT. */
panem_status pn_lint(panem_curves **set, const pn_rawset *raw, const panem_curves_options *options,
                     double theoretical_gbs, pn_lint_fn report, void *user, panem_error *err);

/* "6x8x2666" (channels x bytes x MT/s) or a bandwidth with unit, to GB/s. E_ARG. */
panem_status pn_theoretical_peak_parse(double *gbs, const char *text, panem_error *err);

#endif
