/* idmap.h - from a 64-bit hash to dense ids: open addressing, linear probing, no removal.
 *
 * The map knows hashes and ids only; the caller compares what the ids stand for. Private to trace.
 */
#ifndef PN_TRACE_IDMAP_H
#define PN_TRACE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct pn_idmap_entry {
    uint64_t hash;
    uint32_t id;
    uint32_t used;
} pn_idmap_entry;

typedef struct pn_idmap {
    pn_idmap_entry *entries;
    size_t mask; /* entries - 1, or 0 when empty */
    size_t count;
} pn_idmap;

/* The place to look first; then (place + 1) & mask until an entry is not used. */
static inline size_t pn_idmap_start(const pn_idmap *m, uint64_t hash)
{
    return (size_t)(hash ^ hash >> 32) & m->mask;
}

static inline void pn_idmap_place(pn_idmap *m, uint64_t hash, uint32_t id)
{
    size_t i = pn_idmap_start(m, hash);
    while (m->entries[i].used)
        i = (i + 1) & m->mask;
    m->entries[i] = (pn_idmap_entry){hash, id, 1};
    m->count++;
}

static inline bool pn_idmap_grow(pn_idmap *m)
{
    size_t n = m->entries ? (m->mask + 1) * 2 : 1024;
    pn_idmap larger = {calloc(n, sizeof(pn_idmap_entry)), n - 1, 0};
    if (!larger.entries)
        return false;
    for (size_t i = 0; m->entries && i <= m->mask; i++) {
        if (m->entries[i].used)
            pn_idmap_place(&larger, m->entries[i].hash, m->entries[i].id);
    }
    free(m->entries);
    *m = larger;
    return true;
}

/* Adds an id that is not there yet; at most half full. */
static inline bool pn_idmap_add(pn_idmap *m, uint64_t hash, uint32_t id)
{
    if ((!m->entries || m->count * 2 > m->mask) && !pn_idmap_grow(m))
        return false;
    pn_idmap_place(m, hash, id);
    return true;
}

static inline void pn_idmap_release(pn_idmap *m)
{
    free(m->entries);
    memset(m, 0, sizeof *m);
}

/* Runs over the entries with this hash: for (PN_IDMAP_EACH(m, h, e)) { e->id ... } */
#define PN_IDMAP_EACH(m, h, e)                                                         \
    pn_idmap_entry *e = (m)->entries ? &(m)->entries[pn_idmap_start((m), (h))] : NULL; \
    e && e->used;                                                                      \
    e = &(m)->entries[((size_t)(e - (m)->entries) + 1) & (m)->mask]

#endif
