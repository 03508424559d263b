/* asked.h - what a study asks of its report: plots, a model that ratios refer to, a threshold.
 *
 * A plot is asked for as KIND or KIND:OF, e.g. scatter, box:llc_mpki, series:redis. docs/report.md
 * describes every kind. */
#ifndef PN_SWEEP_ASKED_H
#define PN_SWEEP_ASKED_H

#include "base/yaml.h"
#include "sweep/study.h"

typedef enum pn_plot_of {
    PN_PLOT_OF_ALL = 0, /* takes nothing behind the colon */
    PN_PLOT_OF_METRIC,
    PN_PLOT_OF_TRACE
} pn_plot_of;

typedef struct pn_plot_kind {
    const char *name;
    pn_plot_of of;
    const char *needs; /* key of the study without which there is nothing to draw; NULL: none */
} pn_plot_kind;

/* In the order of a report whose study asks for none; ends with a NULL name. */
extern const pn_plot_kind pn_plot_kinds[];

/* The kind of a word; *of is what stands behind the colon, "" for nothing. NULL: no such kind. */
const pn_plot_kind *pn_plot_asked(const char *word, const char **of);

/* Takes metrics, plots, compare, threshold and series from a study's file, whose traces and axes
 * are known already. E_FORMAT with line and nearest name, E_NOMEM. */
panem_status pn_study_take_asked(pn_study *study, struct fy_node *root, panem_error *err);

#endif
