/* lines.h - lines and fields of a text, shared by the readers. Internal to src/import.
 *
 * Views into the text, nothing is copied or changed. A byte-order mark, carriage returns and blanks
 * at either end of a line are taken off; columns count bytes from 1 in the line as it stands. */
#ifndef PN_IMPORT_LINES_H
#define PN_IMPORT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct pn_source {
    const char *path; /* for messages, and for labels in file names */
    const char *text; /* text[length] is NUL; no NUL before it */
    size_t length;
} pn_source;

typedef struct pn_line {
    const char *text; /* not NUL-terminated */
    size_t length;    /* 0: blank line */
    uint32_t number;  /* 1-based */
    uint32_t col;     /* column of text[0] */
} pn_line;

typedef struct pn_lines {
    const char *at;
    const char *end;
    uint32_t number;
} pn_lines;

void pn_lines_start(pn_lines *lines, const pn_source *source);
/* False at the end. */
bool pn_lines_next(pn_lines *lines, pn_line *line);

/* Does the line hold, or start with, this phrase? */
bool pn_line_has(const pn_line *line, const char *phrase);
bool pn_line_starts(const pn_line *line, const char *phrase);
/* Where the phrase starts, or NULL. */
const char *pn_line_find(const pn_line *line, const char *phrase);

enum { PN_FIELD_MAX = 80 };

typedef struct pn_field {
    char text[PN_FIELD_MAX]; /* NUL-terminated; cut when longer, and then no number */
    uint32_t col;
} pn_field;

/* The next field of a line from *at on: bytes up to one of separators (a run of separators counts
 * as one). False when none is left. */
bool pn_line_field(const pn_line *line, size_t *at, const char *separators, pn_field *field);
/* The next field between single commas, blanks at its ends taken off; it may be empty. *at starts
 * at 0 and ends beyond length. */
bool pn_line_cell(const pn_line *line, size_t *at, pn_field *field);
/* The whole field as a number. */
bool pn_field_number(const pn_field *field, double *value);

#endif
