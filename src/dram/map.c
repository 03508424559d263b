/* map.c - where an address lies.
 *
 * The address loses its bus number (interleave units go round the buses) and its offset in a
 * burst; the rest is cut into fields from the low end. A line of several bursts always lies in
 * neighbouring columns of one row. Addresses beyond the capacity wrap: the excess row bits are
 * dropped. With bank_hash, bank, group and rank are XORed with a fold of all row bits: a row still
 * has exactly one place, and strides of any power of two meet many banks. Bus counts that are no
 * power of two cost a division. */
#include "dram/dram_priv.h"

#include <string.h>

enum { ROW, RANK, BANK, GROUP, COLUMN };
enum { FOLD = 5 }; /* row bits folded at a time: about the bits of a bank number */

static uint32_t log2_of(uint64_t v)
{
    uint32_t bits = 0;
    while (v > 1) {
        v >>= 1;
        bits++;
    }
    return bits;
}

/* From the low end; COLUMN stands for the column bits above those within a line. */
static const uint8_t orders[PN_DRAM_MAP_COUNT][5] = {
    [PN_DRAM_MAP_RO_RA_BA_CO_BG] = {GROUP, COLUMN, BANK, RANK, ROW},
    [PN_DRAM_MAP_RA_RO_BA_CO_BG] = {GROUP, COLUMN, BANK, ROW, RANK},
    [PN_DRAM_MAP_RO_CO_RA_BA_BG] = {GROUP, BANK, RANK, COLUMN, ROW},
    [PN_DRAM_MAP_RO_BA_RA_BG_CO] = {COLUMN, GROUP, RANK, BANK, ROW},
};

static void add_field(pn_dram_map *map, uint32_t what, uint32_t bits, uint32_t into)
{
    if (bits == 0)
        return;
    map->field[map->fields].what = (uint8_t)what;
    map->field[map->fields].bits = (uint8_t)bits;
    map->field[map->fields].into = (uint8_t)into;
    map->fields++;
}

void pn_dram_map_init(pn_dram_map *map, const pn_dram_config *c)
{
    memset(map, 0, sizeof *map);
    uint32_t burst = pn_dram_burst_bytes(c);
    map->buses = pn_dram_buses(c);
    map->bus_shift = (map->buses & (map->buses - 1)) == 0 ? log2_of(map->buses) : 32;
    map->interleave_shift = log2_of(c->interleave_bytes);
    map->burst_shift = log2_of(burst);
    map->row_bits = log2_of(c->rows);
    map->rank_bits = log2_of(c->ranks);
    map->bank_bits = log2_of(c->banks);
    map->group_bits = log2_of(c->groups);
    map->hash = c->bank_hash != 0;
    map->hash_rank = map->hash && c->mapping != PN_DRAM_MAP_RA_RO_BA_CO_BG;
    uint32_t columns = log2_of(c->row_bytes / burst);
    uint32_t line = burst < PN_DRAM_LINE_BYTES ? log2_of(PN_DRAM_LINE_BYTES / burst) : 0;
    if (line > columns)
        line = columns;
    add_field(map, COLUMN, line, 0);
    const uint32_t bits[] = {map->row_bits, map->rank_bits, map->bank_bits, map->group_bits,
                             columns - line};
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t what = orders[c->mapping][i];
        add_field(map, what, bits[what], what == COLUMN ? line : 0);
    }
}

static uint64_t split_bus(const pn_dram_map *map, uint32_t *bus, uint64_t address)
{
    uint64_t unit = address >> map->interleave_shift;
    uint64_t offset = address & ((UINT64_C(1) << map->interleave_shift) - 1);
    uint64_t above;
    if (map->bus_shift < 32) {
        *bus = (uint32_t)(unit & (map->buses - 1));
        above = unit >> map->bus_shift;
    } else {
        *bus = (uint32_t)(unit % map->buses);
        above = unit / map->buses;
    }
    return above << map->interleave_shift | offset;
}

void pn_dram_map_place(const pn_dram_map *map, pn_dram_place *place, uint64_t address)
{
    uint32_t part[5] = {0};
    uint64_t rest = split_bus(map, &place->channel, address) >> map->burst_shift;
    for (uint32_t i = 0; i < map->fields; i++) {
        uint32_t bits = map->field[i].bits;
        uint32_t value = (uint32_t)(rest & ((UINT64_C(1) << bits) - 1));
        part[map->field[i].what] |= value << map->field[i].into;
        rest >>= bits;
    }
    uint32_t row = part[ROW];
    uint32_t fold = row ^ row >> FOLD ^ row >> 2 * FOLD ^ row >> 3 * FOLD;
    if (map->hash) {
        part[GROUP] ^= fold & ((1U << map->group_bits) - 1);
        part[BANK] ^= fold >> map->group_bits & ((1U << map->bank_bits) - 1);
    }
    if (map->hash_rank)
        part[RANK] ^= fold >> (map->group_bits + map->bank_bits) & ((1U << map->rank_bits) - 1);
    place->row = row;
    place->rank = part[RANK];
    place->bank = part[BANK];
    place->group = part[GROUP];
    place->column = part[COLUMN];
}
