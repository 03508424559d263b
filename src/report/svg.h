/* svg.h - one plot as an SVG file: no scripts, prints and opens anywhere.
 *
 * Bytes depend on the plot alone: positions are rounded to a tenth of a pixel and logarithms are
 * computed without libm. */
#ifndef PN_REPORT_SVG_H
#define PN_REPORT_SVG_H

#include "base/err.h"
#include "base/text.h"
#include "report/plot.h"

/* Appends the drawing to text. E_ARG for a plot without points, E_NOMEM. Time and bytes are linear
 * in the number of points. */
panem_status pn_svg_write(pn_text *text, const pn_plot *plot, panem_error *err);

#endif
