/* bytes.c - see bytes.h. */
#include "trace/bytes.h"

bool pn_bytes_grow(pn_bytes *b, size_t more)
{
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity - b->length < more) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    uint8_t *data = realloc(b->data, capacity);
    if (!data)
        return false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

void pn_bytes_release(pn_bytes *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}

uint64_t pn_cursor_varint(pn_cursor *c)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < PN_VARINT_MAX; i++) {
        if (c->p >= c->end)
            break;
        uint8_t byte = *c->p++;
        if (i == PN_VARINT_MAX - 1 && byte > 1)
            break;
        v |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (!(byte & 0x80))
            return v;
    }
    c->bad = true;
    return 0;
}

const uint8_t *pn_cursor_take(pn_cursor *c, size_t n)
{
    if ((size_t)(c->end - c->p) < n) {
        c->bad = true;
        return NULL;
    }
    const uint8_t *at = c->p;
    c->p += n;
    return at;
}

uint64_t pn_cursor_le(pn_cursor *c, unsigned bytes)
{
    const uint8_t *at = pn_cursor_take(c, bytes);
    return at ? pn_get_le(at, bytes) : 0;
}
