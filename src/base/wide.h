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

/* A wide number in memory that only small ones are added to, in two instructions. */
typedef struct pn_halves {
    uint64_t low, high;
} pn_halves;

static inline pn_u128 pn_halves_get(pn_halves h)
{
    return (pn_u128)h.high << 64 | h.low;
}

static inline pn_halves pn_halves_of(pn_u128 value)
{
    return (pn_halves){(uint64_t)value, (uint64_t)(value >> 64)};
}

static inline void pn_halves_add(pn_halves *h, uint64_t more)
{
    h->low += more;
    if (__builtin_expect(h->low < more, 0)) /* cheaper than a write that changes nothing */
        h->high++;
}

/* Nearest double of a number in halves. */
static inline double pn_halves_to_double(uint64_t low, uint64_t high)
{
    if (__builtin_expect(high == 0 && (int64_t)low >= 0, 1))
        return (double)(int64_t)low;
    return (double)((pn_u128)high << 64 | low);
}

#endif
