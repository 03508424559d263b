/* study.h - the report of a sweep: from its store to facts, tables and plots.
 *
 * Reads DIR/store.db only (docs/formats/store.md): a report can be made while the sweep runs, and
 * on another machine. What is not stored is not drawn: a store without windows has no windows plot.
 */
#ifndef PN_REPORT_STUDY_H
#define PN_REPORT_STUDY_H

#include "base/err.h"
#include "report/plot.h"

/* Fills an initialized report. E_IO and E_FORMAT of the store, E_RANGE when no point is done yet,
 * E_NOMEM. */
panem_status pn_report_study(pn_report *report, const char *folder, panem_error *err);

#endif
