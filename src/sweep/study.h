/* study.h - a study: what is varied, as a YAML file, and the points that come out of it.
 *
 * docs/sweeps.md describes the file. Relative paths in it count from its own folder. Points come in
 * a fixed order: traces, then models, loads, and axes in the file's order, the last fastest. A
 * study owns all its strings. */
#ifndef PN_SWEEP_STUDY_H
#define PN_SWEEP_STUDY_H

#include "base/err.h"
#include "sim/sim.h"

/* One thing that varies, and what it is for a point. */
typedef struct pn_label {
    const char *axis, *value; /* borrowed from the study */
} pn_label;

typedef struct pn_study_trace {
    char *path; /* as to be opened */
    char *name; /* for people: the file's name without its ending, unless the study names it */
    double weight;
    uint32_t thread; /* stream of it that is run */
} pn_study_trace;

typedef struct pn_study_axis {
    char **keys;    /* one, or several that go together (zip) */
    char ***values; /* [key][step] */
    size_t n_keys, n_steps;
} pn_study_axis;

typedef struct pn_study {
    char *path, *name;
    char *text; /* the file as it was */
    char *core, *curves, *model, *load, *assignments;
    char *active_cores, *warmup, *instructions;
    char *cores, *stagger, *loop;
    pn_study_trace *traces;
    size_t n_traces;
    pn_study_axis *axes; /* models and loads are the first two, when given */
    size_t n_axes;
    char **metrics, **plots; /* NULL-terminated, never NULL */
    char *compare;           /* model that ratios refer to; "" = none */
    double threshold_pct;    /* differences below it are no finding */
    bool series;             /* keep what every point did over time */
} pn_study;

/* Reads and checks a study: E_IO, E_FORMAT and E_ARG with the file, the key and the nearest name
 * for an unknown one. */
panem_status pn_study_load(pn_study *study, const char *path, panem_error *err);
void pn_study_release(pn_study *study);

/* How many points it has. */
size_t pn_study_points(const pn_study *study);
/* How many things vary per point (the trace not counted); columns of every export. */
size_t pn_study_labels(const pn_study *study);

/* One point; strings are the study's, but for what the texts hold. */
typedef struct pn_point {
    pn_sim_spec spec;
    const pn_study_trace *trace;
    pn_text assignments, curves;
} pn_point;

/* Point number index, with its labels (room for pn_study_labels). Release it.
 * E_ARG for a value that its key refuses. */
panem_status pn_study_point(pn_point *point, pn_label *labels, const pn_study *study, size_t index,
                            panem_error *err);
void pn_point_release(pn_point *point);

#endif
