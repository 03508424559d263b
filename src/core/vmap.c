/* vmap.c - see vmap.h. */
#include "core/vmap.h"

#include "base/rng.h"

void pn_vmap_init(pn_vmap *map, uint64_t page_bytes, uint64_t seed, uint64_t core)
{
    pn_rng rng;
    pn_rng_init(&rng, seed, core);
    map->page_shift = 0;
    while ((UINT64_C(1) << map->page_shift) < page_bytes)
        map->page_shift++;
    map->core_line = core << (36 + map->page_shift - 6);
    for (int i = 0; i < 4; i++)
        map->key[i] = pn_rng_u64(&rng) & ((UINT64_C(1) << 40) - 1);
}
