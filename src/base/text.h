/* text.h - a growing byte string, and small helpers on text. Not part of libpanem.
 *
 * A pn_text starts as PN_TEXT_INIT; pn_text_release frees it. data is always NUL-terminated once
 * anything was added. When memory runs out the text keeps what it has, `failed` is set and stays
 * set, and further additions do nothing: check once, at the end. */
#ifndef PN_BASE_TEXT_H
#define PN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

typedef struct pn_text {
    char *data;
    size_t length;
    size_t capacity;
    bool failed;
} pn_text;

#define PN_TEXT_INIT      \
    {                     \
        NULL, 0, 0, false \
    }

void pn_text_add(pn_text *text, const char *bytes, size_t length);
void pn_text_puts(pn_text *text, const char *string);
void pn_text_printf(pn_text *text, const char *format, ...) PN_PRINTF(2, 3);
/* Shortest exact form of a number (num.h). */
void pn_text_number(pn_text *text, double value);
/* As many decimals as said. */
void pn_text_fixed(pn_text *text, double value, int decimals);
void pn_text_release(pn_text *text);

/* The name in names (NULL-terminated) that is fewest edits away from word, or NULL when none is
 * nearer than half of word's length: for "did you mean". */
const char *pn_text_nearest(const char *word, const char *const *names);

#endif
