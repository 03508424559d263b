/* plot.h - a report as data: facts, a headline table and plots. Two writers draw it: html.h (one
 * self-contained page) and svg.h (one plot, for papers).
 *
 * Every add function copies its texts. When memory runs out the report keeps what it has, `failed`
 * is set and stays set, and further additions do nothing: check once, at the end. Numbers must be
 * finite (NaN and infinities are left out and counted in `left_out`). Structs may be read freely;
 * only the functions here change them. Not thread-safe; no global state.
 *
 * Not modelled: several value axes in one plot, dates. */
#ifndef PN_REPORT_PLOT_H
#define PN_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pn_scale { PN_SCALE_LINEAR = 0, PN_SCALE_LOG, PN_SCALE_CATEGORY } pn_scale;

typedef enum pn_series_kind {
    PN_SERIES_LINE = 0, /* points joined in the order given; may bend back */
    PN_SERIES_SCATTER,
    PN_SERIES_BAR,  /* one value per category, with error bars where low < high */
    PN_SERIES_BOX,  /* per category: minimum, quartiles, maximum */
    PN_SERIES_STACK /* part of a bar: its own value, and low..high where it stands */
} pn_series_kind;

/* x is the index of a category on a category axis. A box is low, q1, y (median), q3, high. */
typedef struct pn_plot_point {
    double x, y;
    double low, high;
    double q1, q3;
    char *label; /* tooltip and table: a trace's name, a source line; NULL: none */
} pn_plot_point;

typedef struct pn_series {
    char *name;
    pn_series_kind kind;
    bool dashed;   /* continues the series before it, and shares its entry in the legend */
    bool joined;   /* shares it, too, but is drawn as a line of its own */
    bool hollow;   /* markers only: left out by repair, or not part of the result */
    char color[8]; /* "#rrggbb" */
    pn_plot_point *points;
    size_t count, capacity;
    double size_px; /* of markers */
} pn_series;

typedef struct pn_axis {
    char *name;
    char *unit; /* "" for counts and ratios */
    pn_scale scale;
    char **categories;
    size_t category_count;
} pn_axis;

typedef struct pn_threshold {
    double y;
    char *label;
} pn_threshold;

typedef struct pn_plot {
    char *id; /* [a-z0-9-]: the word after --svg and the anchor in the page */
    char *title;
    char *note; /* one sentence under the title: what is drawn, how to read it */
    pn_axis x, y;
    pn_series **series;
    size_t series_count;
    pn_threshold *thresholds;
    size_t threshold_count;
    bool *failed; /* the report's */
    uint64_t *left_out;
} pn_plot;

typedef struct pn_fact {
    char *section; /* consecutive facts of one section stand together */
    char *name;
    char *value;
} pn_fact;

/* Cells are texts; a column is numeric when every cell of it reads as a number. */
typedef struct pn_sheet {
    char *title;
    char **cells; /* rows x columns, the first row holds the headings */
    size_t columns, rows;
    size_t filled;
} pn_sheet;

typedef struct pn_report {
    char *title;
    pn_fact *facts;
    size_t fact_count;
    pn_sheet *sheets;
    size_t sheet_count;
    pn_plot **plots;
    size_t plot_count;
    bool failed;
    uint64_t left_out;
} pn_report;

/* Colours that stay apart for the common kinds of colour blindness (Okabe and Ito 2008), index
 * taken modulo their number; black is left out since pages are dark or light. */
void pn_color_category(char color[8], size_t index);
/* A ramp blue - violet - orange for a quantity, 0..1, of about one lightness, so that it shows on
 * dark and on light ground. */
void pn_color_ramp(char color[8], double at);

/* Starts and ends. The struct itself is the caller's. */
void pn_report_init(pn_report *report, const char *title);
void pn_report_release(pn_report *report);

/* Another title; "" keeps the old one. */
void pn_report_title(pn_report *report, const char *title);

void pn_report_fact(pn_report *report, const char *section, const char *name, const char *value);
/* Cells are then added row by row, headings first. */
pn_sheet *pn_report_sheet(pn_report *report, const char *title, size_t columns);
void pn_sheet_cell(pn_report *report, pn_sheet *sheet, const char *text);
void pn_sheet_number(pn_report *report, pn_sheet *sheet, double value, int decimals);

/* NULL only when memory ran out; every function below takes NULL and does nothing. The pointers
 * stay valid until the report is released (sheets: until the next sheet). */
pn_plot *pn_report_plot(pn_report *report, const char *id, const char *title, const char *note);
void pn_plot_x(pn_plot *plot, const char *name, const char *unit, pn_scale scale);
void pn_plot_y(pn_plot *plot, const char *name, const char *unit, pn_scale scale);
/* The index of a category of x, added when new. */
size_t pn_plot_category(pn_plot *plot, const char *name);
void pn_plot_threshold(pn_plot *plot, double y, const char *label);
/* The series of that name, added when new with the next colour. */
pn_series *pn_plot_series(pn_plot *plot, const char *name, pn_series_kind kind);
void pn_series_point(pn_plot *plot, pn_series *series, double x, double y, const char *label);
/* A bar with its error bar, low == high: none; or a part of a stack, which stands from low to high.
 */
void pn_series_range(pn_plot *plot, pn_series *series, double x, double y, double low, double high,
                     const char *label);
/* Five numbers of values (sorted here); quartiles by linear interpolation between order statistics.
 * Nothing for count 0. */
void pn_series_box(pn_plot *plot, pn_series *series, double x, double *values, size_t count);

/* Takes out plots that hold no point, and tells so as a fact. */
void pn_report_drop_empty(pn_report *report);

/* NULL when there is none of that id. */
const pn_plot *pn_report_find(const pn_report *report, const char *id);

#endif
