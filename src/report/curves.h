/* curves.h - a curve set as plots: as measured, and as the relation the model uses. */
#ifndef PN_REPORT_CURVES_H
#define PN_REPORT_CURVES_H

#include "base/err.h"
#include "curve/raw.h"
#include "curve/set.h"
#include "report/plot.h"

/* Adds two plots: "raw" (bandwidth against latency, one line per read fraction, points that repair
 * left out hollow) and "converted" (outstanding bytes against latency, kept points and, dashed,
 * what lies beyond them by the capped rule, to 2 times the last). verdicts is what
 * pn_curves_build_verdicts said of each raw point. prefix goes before both ids ("" or "name-"). */
void pn_report_curves(pn_report *report, const pn_rawset *raw, const panem_curves *set,
                      const pn_verdict *verdicts, const char *prefix);

/* Adds the facts of a set: its metadata, and a sheet with one row per curve. */
void pn_report_curve_facts(pn_report *report, const pn_rawset *raw, const panem_curves *set);

#endif
