/* bytes.h - little-endian numbers into and out of a byte string. Internal to src/model. */
#ifndef PN_MODEL_BYTES_H
#define PN_MODEL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/wide.h"

/* So much is counted in no run; nothing that is added to it later wraps. */
#define PN_COUNT_MAX (UINT64_C(1) << 60)

/* Writing counts bytes when data is NULL: one function gives both the size and the bytes. */
typedef struct pn_bytes_out {
    unsigned char *data;
    size_t length;
} pn_bytes_out;

static inline void pn_put_u64(pn_bytes_out *out, uint64_t value)
{
    for (int i = 0; out->data && i < 8; i++)
        out->data[out->length + (size_t)i] = (unsigned char)(value >> (8 * i));
    out->length += 8;
}

static inline void pn_put_u128(pn_bytes_out *out, pn_u128 value)
{
    pn_put_u64(out, (uint64_t)value);
    pn_put_u64(out, (uint64_t)(value >> 64));
}

static inline void pn_put_double(pn_bytes_out *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    pn_put_u64(out, bits);
}

/* Reading past the end gives zeros and sets short_of, as does a number that cannot be. */
typedef struct pn_bytes_in {
    const unsigned char *data;
    size_t length, at;
    bool short_of;
} pn_bytes_in;

static inline uint64_t pn_get_u64(pn_bytes_in *in)
{
    if (in->length - in->at < 8) {
        in->short_of = true;
        return 0;
    }
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)in->data[in->at + (size_t)i] << (8 * i);
    in->at += 8;
    return value;
}

/* A number above most cannot be. */
static inline uint64_t pn_get_most(pn_bytes_in *in, uint64_t most)
{
    uint64_t value = pn_get_u64(in);
    if (value <= most)
        return value;
    in->short_of = true;
    return 0;
}

static inline pn_u128 pn_get_u128(pn_bytes_in *in)
{
    uint64_t low = pn_get_u64(in);
    return (pn_u128)pn_get_u64(in) << 64 | low;
}

static inline double pn_get_double(pn_bytes_in *in)
{
    uint64_t bits = pn_get_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
