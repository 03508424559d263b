/* bytes.h - little-endian and variable-length integers, and a growing byte buffer.
 *
 * A varint is LEB128: seven bits a byte, low first, the top bit says that more follow, at most ten
 * bytes. A signed varint is a varint of the zigzag form (0, -1, 1, -2 -> 0, 1, 2, 3). */
#ifndef PN_TRACE_BYTES_H
#define PN_TRACE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PN_VARINT_MAX = 10 };

typedef struct pn_bytes {
    uint8_t *data;
    size_t length, capacity;
} pn_bytes;

/* Room for `more` bytes behind length; false when memory ran out. */
bool pn_bytes_grow(pn_bytes *b, size_t more);
void pn_bytes_release(pn_bytes *b);

static inline bool pn_bytes_reserve(pn_bytes *b, size_t more)
{
    return b->capacity - b->length >= more || pn_bytes_grow(b, more);
}

/* The put functions want room reserved before. */
static inline void pn_put_u8(pn_bytes *b, uint8_t v)
{
    b->data[b->length++] = v;
}

static inline void pn_put_le(pn_bytes *b, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        b->data[b->length++] = (uint8_t)(v >> (8 * i));
}

static inline void pn_put_varint(pn_bytes *b, uint64_t v)
{
    uint8_t *p = b->data + b->length;
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    b->length = (size_t)(p - b->data);
}

static inline uint64_t pn_zigzag(int64_t v)
{
    return ((uint64_t)v << 1) ^ (uint64_t)(v < 0 ? -1 : 0);
}

static inline int64_t pn_unzigzag(uint64_t v)
{
    return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static inline void pn_put_svarint(pn_bytes *b, int64_t v)
{
    pn_put_varint(b, pn_zigzag(v));
}

static inline uint64_t pn_get_le(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* Reads a varint without a bound: the caller keeps PN_VARINT_MAX bytes readable behind p. */
static inline uint64_t pn_get_varint_fast(const uint8_t **p)
{
    const uint8_t *q = *p;
    uint64_t v = *q & 0x7f;
    unsigned shift = 7;
    while (*q++ & 0x80 && shift < 70) {
        v |= (uint64_t)(*q & 0x7f) << (shift < 64 ? shift : 63);
        shift += 7;
    }
    *p = q;
    return v;
}

/* A reader with a bound: after the end everything is 0 and bad is set. */
typedef struct pn_cursor {
    const uint8_t *p, *end;
    bool bad;
} pn_cursor;

uint64_t pn_cursor_varint(pn_cursor *c);
uint64_t pn_cursor_le(pn_cursor *c, unsigned bytes);
/* NULL and bad when fewer than n bytes are left. */
const uint8_t *pn_cursor_take(pn_cursor *c, size_t n);

static inline int64_t pn_cursor_svarint(pn_cursor *c)
{
    return pn_unzigzag(pn_cursor_varint(c));
}

#endif
