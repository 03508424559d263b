/* num.h - numbers to text and back, the same in every locale.
 *
 * A host may have called setlocale; nothing here follows it: the decimal sign is '.', always. */
#ifndef PN_BASE_NUM_H
#define PN_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PN_NUM_TEXT_MAX = 40 }; /* bytes that always hold one formatted number and its NUL */

/* Reads a decimal floating-point number at text (no leading blank, no hex, no "inf" or "nan").
 * Returns the bytes used, 0 when there is no number or it overflows. text must be NUL-terminated.
 */
size_t pn_num_parse(const char *text, double *value);

/* The whole of text must be a number; false otherwise. */
bool pn_num_parse_all(const char *text, double *value);

/* Decimal unsigned integer, whole text, no sign; false on overflow or other characters. */
bool pn_num_parse_u64(const char *text, uint64_t *value);

/* The shortest text that reads back as the same double (at most 17 digits). Finite values only;
 * -0 is written as 0. Returns the length. */
size_t pn_num_format(char text[PN_NUM_TEXT_MAX], double value);

/* Fixed-point text with so many decimals (0..17), e.g. 12.340. Negative zero loses its sign. For
 * |value| < 1e15; larger ones fall back to pn_num_format. Returns the length. */
size_t pn_num_format_fixed(char text[PN_NUM_TEXT_MAX], double value, int decimals);

#endif
