/* num.c - see num.h. newlocale with "C" for every category gives the C library's static object in
 * glibc and musl, so a call per number neither allocates nor can fail there. */
#include "base/num.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool starts_number(const char *text)
{
    const char *p = text;
    if (*p == '+' || *p == '-')
        p++;
    if (*p == '.')
        p++;
    return *p >= '0' && *p <= '9' && !(p[0] == '0' && (p[1] == 'x' || p[1] == 'X'));
}

size_t pn_num_parse(const char *text, double *value)
{
    if (!starts_number(text))
        return 0;
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return 0;
    char *end = NULL;
    double v = strtod_l(text, &end, c);
    freelocale(c);
    if (!isfinite(v))
        return 0;
    *value = v;
    return (size_t)(end - text);
}

bool pn_num_parse_all(const char *text, double *value)
{
    double v;
    size_t used = pn_num_parse(text, &v);
    if (used == 0 || text[used] != '\0')
        return false;
    *value = v;
    return true;
}

bool pn_num_parse_u64(const char *text, uint64_t *value)
{
    uint64_t v = 0;
    if (*text == '\0')
        return false;
    for (const char *p = text; *p; p++) {
        if (*p < '0' || *p > '9')
            return false;
        uint64_t digit = (uint64_t)(*p - '0');
        if (v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *value = v;
    return true;
}

static int print_in_c(char text[PN_NUM_TEXT_MAX], bool fixed, int precision, double value)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = c ? uselocale(c) : (locale_t)0;
    int length = fixed ? snprintf(text, PN_NUM_TEXT_MAX, "%.*f", precision, value)
                       : snprintf(text, PN_NUM_TEXT_MAX, "%.*g", precision, value);
    if (c) {
        (void)uselocale(before);
        freelocale(c);
    }
    return length;
}

size_t pn_num_format(char text[PN_NUM_TEXT_MAX], double value)
{
    int length = 0;
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0.0;
        length = print_in_c(text, false, digits, value == 0.0 ? 0.0 : value);
        if (pn_num_parse(text, &back) && back == value)
            break;
    }
    return (size_t)length;
}

size_t pn_num_format_fixed(char text[PN_NUM_TEXT_MAX], double value, int decimals)
{
    if (!(fabs(value) < 1e15))
        return pn_num_format(text, value);
    int length = print_in_c(text, true, decimals, value);
    if (text[0] == '-' && strspn(text + 1, "0.") == (size_t)length - 1) {
        memmove(text, text + 1, (size_t)length);
        length--;
    }
    return (size_t)length;
}
