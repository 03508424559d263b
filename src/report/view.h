/* view.h - the points of a sweep as the plots look at them: columns of numbers, and what tells
 * points apart as small integers, so that partners of a point are found without comparing texts.
 *
 * A view is filled once from a store and then read; arrays have one entry per point, in the study's
 * order, and live as long as the view. Not thread-safe. */
#ifndef PN_REPORT_VIEW_H
#define PN_REPORT_VIEW_H

#include "report/plot.h"
#include "report/rows.h"

enum { PN_VIEW_LABEL = 400 };

/* Something that varies: its distinct values in order of appearance. */
typedef struct pn_column {
    char *name;
    char **values;
    size_t count;
    uint32_t *of; /* index into values, by row */
} pn_column;

typedef struct pn_numbers {
    char *name;
    double *of; /* by row; NaN: none, or the point is not done */
    struct pn_numbers *next;
} pn_numbers;

typedef struct pn_view {
    pn_report *report;
    pn_store *store;
    pn_answer points;
    size_t rows, done_count;
    bool *done;
    double *above;  /* times the peak that the whole memory has; 0: not above it */
    double *weight; /* of the point's trace */
    bool weighted;  /* not all alike */
    pn_column trace, model, config, curves;
    pn_column *axes; /* everything else that varies; axes that go together are one */
    size_t n_axes;
    char **metrics, **plots; /* what the study asks for; NULL-terminated */
    char *study;             /* its name */
    char *compare;
    size_t baseline; /* the value of model that is compare; model.count: none */
    double threshold_pct;
    double *values, *shares; /* scratch: a number and a weight per point */
    pn_numbers *numbers;     /* columns met so far */
    uint64_t *signature;     /* of a point among trace, model and axes */
    size_t *order;           /* rows by rising signature */
} pn_view;

/* Reads the points; release it in any case. The store is borrowed. */
panem_status pn_view_fill(pn_view *view, pn_report *report, pn_store *store, panem_error *err);
void pn_view_release(pn_view *view);

/* A column of numbers by name. NULL only without memory, and then the report has failed. */
const double *pn_view_numbers(pn_view *view, const char *name);
/* The row that differs in this column alone (the model's or an axis'), where it has that value;
 * rows when there is none. */
size_t pn_view_partner(const pn_view *view, size_t row, const pn_column *column, uint32_t value);
/* Puts values and weights of the done points with column == value into scratch; their number.
 * column NULL: all points. */
size_t pn_view_gather(pn_view *view, const double *numbers, const pn_column *column,
                      uint32_t value);
/* Weighed means of the first count numbers in scratch; NaN for none. The geometric one is for
 * numbers above 0. */
double pn_view_mean(const pn_view *view, size_t count);
double pn_view_geomean(const pn_view *view, size_t count);

/* Logarithmic when a column is above 0 and spans more than a factor of five. */
pn_scale pn_view_scale(pn_view *view, const char *name);

/* "redis, load=heavy, l1d_mshrs=24"; with_model: "redis, panem, load=heavy, ...". */
void pn_view_describe(char text[PN_VIEW_LABEL], const pn_view *view, size_t row, bool with_model);
/* How a metric is called in headings and on axes. */
typedef struct pn_words {
    const char *name, *unit;
} pn_words;
pn_words pn_view_words(const char *metric);

/* caveats.c: fills above, and tells of what has to be read with care. */
panem_status pn_view_find_above(pn_view *view, panem_error *err);
void pn_view_caveats(pn_view *view);

/* ---- what the parts of the report add -------------------------------------------------------- */

/* points.c. metric is a column of results or timing. */
void pn_plot_scatter(pn_view *view);
void pn_plot_scatter_reads(pn_view *view);
void pn_plot_box(pn_view *view, const char *id, const char *metric);
void pn_plot_cpi(pn_view *view);
void pn_plot_workloads(pn_view *view, const char *metric);
/* ratios.c */
void pn_plot_ratio(pn_view *view, const char *metric);
void pn_plot_sensitivities(pn_view *view, const char *metric);
/* Ratios of a metric to the baseline's, over all points of a model, into scratch; their number. */
size_t pn_view_ratios(pn_view *view, const double *numbers, uint32_t model);
/* overtime.c; trace "": of the first few. */
void pn_plot_windows(pn_view *view);
void pn_plot_windows_latency(pn_view *view);
panem_status pn_plot_over_time(pn_view *view, const char *trace, panem_error *err);
/* sets.c */
panem_status pn_plot_sets(pn_view *view, bool curves, bool response, panem_error *err);

/* The series of a model, in its colour, the same in every plot. */
pn_series *pn_plot_model(pn_view *view, pn_plot *plot, uint32_t model, pn_series_kind kind);
/* A plot's id from words: lower case, '-' for all else. */
void pn_plot_id(char id[64], const char *kind, const char *of);
/* pn_report_plot, or NULL when the report has a plot of that id already. */
pn_plot *pn_plot_once(pn_view *view, const char *id, const char *title, const char *note);

#endif
