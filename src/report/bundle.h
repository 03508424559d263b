/* bundle.h - the drawing code and the style of HTML pages, as bytes in the program. */
#ifndef PN_REPORT_BUNDLE_H
#define PN_REPORT_BUNDLE_H

#include <stddef.h>

/* Minified JavaScript; not NUL-terminated. Size 0 when npm was not there at build time. */
const char *pn_bundle(void);
size_t pn_bundle_size(void);
/* CSS, NUL-terminated. */
const char *pn_style(void);

#endif
