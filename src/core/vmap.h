/* vmap.h - virtual to physical: a seeded permutation of pages.
 *
 * Virtual page numbers (36 bits, the upper ones of an address are dropped) go through a four-round
 * Feistel network, so that two pages never share a frame, nothing has to be stored and the same
 * seed gives the same frames everywhere. Offsets within a page stay. Each core has a permutation of
 * its own, and its number above the 36 bits: cores never share a frame.
 * What a translation costs is tlb.h's. NOT modelled: huge pages chosen by the system, sharing
 * between cores. */
#ifndef PN_CORE_VMAP_H
#define PN_CORE_VMAP_H

#include <stdint.h>

typedef struct pn_vmap {
    uint64_t key[4];
    uint64_t core_line; /* the core's number, above the lines of all frames */
    uint32_t page_shift;
} pn_vmap;

void pn_vmap_init(pn_vmap *map, uint64_t page_bytes, uint64_t seed, uint64_t core);

static inline uint64_t pn_vmap_line(const pn_vmap *map, uint64_t address)
{
    enum { HALF = 18, MASK = (1 << HALF) - 1 };
    uint64_t page = address >> map->page_shift;
    uint64_t left = (page >> HALF) & MASK;
    uint64_t right = page & MASK;
    for (int i = 0; i < 4; i++) {
        uint64_t mixed = (right ^ map->key[i]) * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t next = left ^ ((mixed >> 40) & MASK);
        left = right;
        right = next;
    }
    uint64_t frame = left << HALF | right;
    uint64_t offset = address & ((UINT64_C(1) << map->page_shift) - 1);
    return (frame << map->page_shift | offset) >> 6 | map->core_line;
}

#endif
