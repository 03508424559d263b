/* text.c - see text.h. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static bool reserve(pn_text *text, size_t more)
{
    if (text->failed)
        return false;
    size_t need = text->length + more + 1;
    if (need <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity * 2 : 256;
    if (capacity < need)
        capacity = need;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void pn_text_add(pn_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void pn_text_puts(pn_text *text, const char *string)
{
    pn_text_add(text, string, strlen(string));
}

void pn_text_printf(pn_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !reserve(text, (size_t)length))
        return;
    va_start(args, format);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
    va_end(args);
    text->length += (size_t)length;
}

void pn_text_number(pn_text *text, double value)
{
    char number[PN_NUM_TEXT_MAX];
    pn_text_add(text, number, pn_num_format(number, value));
}

void pn_text_fixed(pn_text *text, double value, int decimals)
{
    char number[PN_NUM_TEXT_MAX];
    pn_text_add(text, number, pn_num_format_fixed(number, value, decimals));
}

void pn_text_release(pn_text *text)
{
    free(text->data);
    *text = (pn_text)PN_TEXT_INIT;
}

enum { WORD_MAX = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits between two short words: a letter more, less, another, or two neighbours changed over.
 * Words are cut at WORD_MAX. */
static size_t edits(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1]; /* of the last two letters of a, and of this one */
    size_t la = strnlen(a, WORD_MAX);
    size_t lb = strnlen(b, WORD_MAX);
    for (size_t j = 0; j <= lb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
        }
    }
    return rows[la % 3][lb];
}

const char *pn_text_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t best_edits = strlen(word) / 2 + 1;
    for (; *names; names++) {
        size_t d = edits(word, *names);
        if (d < best_edits) {
            best_edits = d;
            best = *names;
        }
    }
    return best;
}
