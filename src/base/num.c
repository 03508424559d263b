/* num.c - see num.h. newlocale with "C" for every category gives the C library's static object in
 * glibc and musl, so a call per number neither allocates nor can fail there. */
#include "base/num.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

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

/* ---- the common range, without the C library ------------------------------------------------- */

/* Numbers below 1e15, integers or at least 1e-4: there 128 bits hold every product exactly, so the
 * digits are those that the C library would print and read back, in a tenth of the time. */
enum { DIGITS_MIN = 15, DIGITS_MAX = 17, LOWEST_EXPONENT = -4 };
static const double QUICK_BELOW = 1e15, QUICK_FROM = 1e-4;

static size_t put_whole(char *text, uint64_t n)
{
    char back[24];
    size_t count = 0, length = 0;
    do {
        back[count++] = (char)('0' + n % 10);
        n /= 10;
    } while (n > 0);
    while (count > 0)
        text[length++] = back[--count];
    text[length] = '\0';
    return length;
}

/* m * 2^-shift, m of 53 bits; decimal: 10^decimal is not above it. */
typedef struct scaled {
    uint64_t m;
    int shift, decimal;
} scaled;

static scaled scale(double a)
{
    int exponent = 0;
    scaled s = {(uint64_t)ldexp(frexp(a, &exponent), 53), 0, LOWEST_EXPONENT};
    s.shift = 53 - exponent;
    static const double powers[] = {1e-3, 1e-2, 1e-1, 1e0, 1e1,  1e2,  1e3,  1e4,  1e5,
                                    1e6,  1e7,  1e8,  1e9, 1e10, 1e11, 1e12, 1e13, 1e14};
    for (size_t i = 0; i < sizeof powers / sizeof powers[0] && a >= powers[i]; i++)
        s.decimal++;
    return s;
}

/* k of 0..20. */
static pn_u128 power_of_ten(int k)
{
    static const uint64_t tens[] = {1,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    UINT64_C(10000000000)};
    return k <= 10 ? tens[k] : (pn_u128)tens[10] * tens[k - 10];
}

/* The nearest number of so many digits, ties to even, and whether it reads back as the same. */
static uint64_t round_to(const scaled *s, int digits, bool *same)
{
    pn_u128 p = power_of_ten(digits - 1 - s->decimal), product = s->m * p;
    pn_u128 n = product >> s->shift, rest = product - (n << s->shift);
    pn_u128 half = (pn_u128)1 << (s->shift - 1);
    bool up = rest > half || (rest == half && (n & 1));
    pn_u128 off = up ? (half << 1) - rest : rest;
    /* Doubles below a power of two are half as far away. */
    bool close_below = !up && s->m == UINT64_C(1) << 52;
    pn_u128 room = close_below ? off * 4 : off * 2;
    *same = room < p || (room == p && !(s->m & 1));
    return (uint64_t)(n + up);
}

static size_t put_digits(char *text, uint64_t n, int digits, int decimal)
{
    char all[24] = {0};
    size_t length = 0;
    (void)put_whole(all, n);
    while (digits > 1 && all[digits - 1] == '0' && digits - 1 > decimal)
        digits--;
    if (decimal < 0) {
        memcpy(text, "0.0000", 8 - 1);
        length = (size_t)(1 - decimal);
    }
    for (int i = 0; i < digits; i++) {
        if (i == decimal + 1 && i > 0)
            text[length++] = '.';
        text[length++] = all[i];
    }
    text[length] = '\0';
    return length;
}

/* 0: outside the range, or on its edge. */
static size_t format_quickly(char text[PN_NUM_TEXT_MAX], double value)
{
    double a = fabs(value);
    size_t sign = value < 0.0;
    if (!(a < QUICK_BELOW))
        return 0;
    text[0] = '-';
    if (a == floor(a))
        return sign + put_whole(text + sign, (uint64_t)a);
    if (a < QUICK_FROM)
        return 0;
    scaled s = scale(a);
    for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
        bool same = false;
        uint64_t n = round_to(&s, digits, &same);
        /* A power of ten may lie between the number and its nearest decimal. */
        if (n >= power_of_ten(digits) || n < power_of_ten(digits - 1))
            return 0;
        if (same || digits == DIGITS_MAX)
            return sign + put_digits(text + sign, n, digits, s.decimal);
    }
    return 0;
}

size_t pn_num_format(char text[PN_NUM_TEXT_MAX], double value)
{
    int length = 0;
    size_t quick = format_quickly(text, value);
    if (quick > 0)
        return quick;
    for (int digits = DIGITS_MIN; digits <= DIGITS_MAX; digits++) {
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
