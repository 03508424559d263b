/* html.h - a report as one self-contained page: no network, opens from disk.
 *
 * The page holds the report as JSON and the drawing code (ECharts and src/report/web/report.js,
 * bundled at build time). Facts and headline tables are plain HTML and are there without scripts.
 * Bytes depend on the report and the bundle alone. */
#ifndef PN_REPORT_HTML_H
#define PN_REPORT_HTML_H

#include "base/err.h"
#include "base/text.h"
#include "report/plot.h"

/* NULL when this program was built with the drawing code; otherwise what was missing then. */
const char *pn_html_missing(void);

/* Appends the page to text. E_ARG when pn_html_missing() is not NULL, E_NOMEM. */
panem_status pn_html_write(pn_text *text, const pn_report *report, panem_error *err);

#endif
