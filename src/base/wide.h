/* wide.h - 128-bit integers for areas (byte x ps) and exact products. */
#ifndef PN_BASE_WIDE_H
#define PN_BASE_WIDE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 pn_u128;

/* Nearest double; exact rule and same result on every machine. The common case fits in 63 bits. */
static inline double pn_u128_to_double(pn_u128 value)
{
    if (value >> 63 == 0)
        return (double)(int64_t)value;
    return (double)value;
}

/* The same of a number in halves. */
static inline double pn_halves_to_double(uint64_t low, uint64_t high)
{
    if (__builtin_expect(high == 0 && (int64_t)low >= 0, 1))
        return (double)(int64_t)low;
    return (double)((pn_u128)high << 64 | low);
}

#endif
