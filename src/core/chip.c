/* chip.c - see chip.h. */
#include "core/chip.h"

#include <stdlib.h>

/* arg of the chip's events: core << 1 | prefetch */
enum { PREFETCH = 1, CORE_SHIFT = 1 };

/* Longest run of a core ahead of the chip: keeps the queue of its dirty lines short. */
enum { AHEAD_MAX = 64, WRITES_PER_CYC = 2 };

/* Dirty lines can still be driven out of the LLC after the write buffer filled up: one for each
 * line in flight and each line of L1D (docs/core.md, write buffer). */
static uint32_t door_capacity(const pn_core_config *c)
{
    return c->write_buffer + 2 * (c->llc_mshrs + c->l2.mshrs) + c->l1i.mshrs + c->l1d.mshrs +
           (uint32_t)(c->l1d.bytes / PN_LINE_BYTES) + 64;
}

static panem_status init_cores(pn_chip *chip, const pn_core_config *c, panem_error *err)
{
    uint64_t bytes = chip->timing.llc_bytes * chip->core_count;
    PN_TRY(pn_level_init(&chip->cores[0].llc, bytes, c->llc_ways, c->llc_mshrs, c->l2.mshrs, err));
    for (uint32_t i = 1; i < chip->core_count; i++)
        PN_TRY(pn_level_init_over(&chip->cores[i].llc, &chip->cores[0].llc.tags, c->llc_mshrs,
                                  c->l2.mshrs, err));
    return PANEM_OK;
}

panem_status pn_chip_init(pn_chip *out, const pn_core_config *c, uint32_t count, pn_mem_port *port,
                          panem_error *err)
{
    pn_chip chip = {
        .timing = pn_core_timing_of(c), .write_buffer = c->write_buffer, .core_count = count};
    chip.idle_ps = UINT64_MAX;
    chip.on_chip_ps = (uint64_t)(pn_core_on_chip_ns(c) * 1000.0);
    uint32_t events = 2 * (c->l2.mshrs + c->llc_mshrs) + WRITES_PER_CYC * AHEAD_MAX + 32;
    chip.cores = calloc(count, sizeof *chip.cores);
    panem_status s = chip.cores ? PANEM_OK : PANEM_E_NOMEM;
    if (s != PANEM_OK)
        (void)pn_err(err, s, "no memory for a chip of %u cores", count);
    for (uint32_t i = 0; s == PANEM_OK && i < count; i++)
        chip.cores[i].retry_cyc = UINT64_MAX;
    if (s == PANEM_OK)
        s = init_cores(&chip, c, err);
    if (s == PANEM_OK)
        s = pn_evq_init(&chip.events, count * events, err);
    if (s == PANEM_OK)
        s = pn_door_init(&chip.door, port, c, count, door_capacity(c), err);
    if (s == PANEM_OK)
        *out = chip;
    else
        pn_chip_release(&chip);
    return s;
}

void pn_chip_release(pn_chip *chip)
{
    for (uint32_t i = 0; chip->cores && i < chip->core_count; i++) {
        if (i > 0)
            chip->cores[i].llc.tags.ways_of_sets = NULL;
        pn_level_release(&chip->cores[i].llc);
    }
    free(chip->cores);
    chip->cores = NULL;
    pn_evq_release(&chip->events);
    pn_door_release(&chip->door);
}

uint32_t pn_chip_lookahead(const pn_core_timing *t)
{
    uint32_t hit_cyc = t->llc_cyc - t->l2_cyc - 1;
    uint32_t ahead = t->mem_response_cyc - 1;
    if (hit_cyc < ahead)
        ahead = hit_cyc;
    return ahead < AHEAD_MAX ? ahead : AHEAD_MAX;
}

static void push(pn_chip *chip, uint64_t cycle, unsigned kind, uint64_t line, uint32_t arg)
{
    uint32_t n = chip->core_count;
    uint32_t rank = 0;
    if (n > 1)
        rank = (uint32_t)(((arg >> CORE_SHIFT) + n - cycle % n) % n);
    pn_evq_push_ranked(&chip->events, cycle, kind, rank, line, arg);
}

void pn_chip_look(pn_chip *chip, uint64_t cycle, uint32_t core, uint64_t line, bool prefetch)
{
    push(chip, cycle, PN_LLC_LOOK, line, core << CORE_SHIFT | (prefetch ? PREFETCH : 0));
}

void pn_chip_write(pn_chip *chip, uint64_t cycle, uint32_t core, uint64_t line)
{
    push(chip, cycle, PN_LLC_WRITE, line, core << CORE_SHIFT);
}

static void come(pn_chip *chip, uint64_t cycle, const pn_door_arrival *arrival)
{
    panem_status status = pn_door_come(&chip->door, cycle, arrival);
    if (status != PANEM_OK)
        chip->failed = status;
}

/* Plans a look of the requests of a core that wait, once per cycle. */
static void again(pn_chip *chip, uint32_t core, uint64_t cycle)
{
    pn_chip_core *c = &chip->cores[core];
    if (c->llc.wait_count == 0 || c->retry_cyc == cycle)
        return;
    c->retry_cyc = cycle;
    push(chip, cycle, PN_LLC_AGAIN, 0, core << CORE_SHIFT);
}

static void fill(pn_chip *chip, uint64_t cycle, uint32_t core, uint64_t line)
{
    pn_level *llc = &chip->cores[core].llc;
    uint64_t out = pn_level_fill(llc, line, false, false);
    pn_level_free(llc, pn_level_find(llc, line));
    again(chip, core, cycle);
    if (out != PN_NO_LINE)
        come(chip, cycle, &(pn_door_arrival){.line = out, .core = core, .write = true});
}

static void put_dirty(pn_chip *chip, uint64_t cycle, uint32_t core, uint64_t line)
{
    pn_level *llc = &chip->cores[core].llc;
    llc->stats.writebacks++;
    uint64_t out = pn_level_fill(llc, line, true, false);
    if (out != PN_NO_LINE)
        come(chip, cycle, &(pn_door_arrival){.line = out, .core = core, .write = true});
}

/* False: it must wait. */
static bool look(pn_chip *chip, uint64_t cycle, uint64_t line, uint32_t arg)
{
    uint32_t core = arg >> CORE_SHIFT;
    pn_chip_core *c = &chip->cores[core];
    uint32_t rest_cyc = chip->timing.llc_cyc - chip->timing.l2_cyc;
    if (chip->door.lanes[core].writes_held >= chip->write_buffer)
        return false;
    switch (pn_level_look_below(&c->llc, line, arg & PREFETCH).settled) {
    case PN_SETTLED_HIT:
        pn_evq_push(c->events, cycle + rest_cyc - 1, PN_L2_READY, line, 0);
        return true;
    case PN_SETTLED_MISS:
        push(chip, cycle + rest_cyc + chip->timing.mem_request_cyc, PN_DOOR, line, arg);
        return true;
    case PN_SETTLED_MERGE: /* L2 asks once for a line */
    case PN_SETTLED_NOT:
        break;
    }
    return false;
}

static void look_again(pn_chip *chip, uint64_t cycle, uint32_t core)
{
    pn_level *llc = &chip->cores[core].llc;
    const pn_wait *w;
    while ((w = pn_level_first_waiting(llc)) != NULL && look(chip, cycle, w->line, w->client))
        pn_level_drop_waiting(llc);
}

/* The part of a line's way that it waited because memory was busy. */
static uint32_t queued_share(const pn_chip *chip, uint64_t took_ps)
{
    if (took_ps <= chip->idle_ps)
        return 0;
    return (uint32_t)(((took_ps - chip->idle_ps) << PN_QUEUED_BITS) / (took_ps + chip->on_chip_ps));
}

void pn_chip_responses(pn_chip *chip, uint64_t cycle)
{
    pn_door_request r;
    uint8_t cbusy;
    panem_status status = pn_door_turn(&chip->door, cycle);
    if (status != PANEM_OK)
        chip->failed = status;
    while (pn_door_take(&chip->door, &r, &cbusy)) {
        pn_chip_core *c = &chip->cores[r.core];
        uint64_t at = cycle + chip->timing.mem_response_cyc - 1;
        c->cbusy_seen[cbusy & 3]++;
        if (r.write)
            continue;
        push(chip, at, PN_LLC_FILL, r.line, r.core << CORE_SHIFT);
        pn_evq_push(c->events, at, PN_L2_READY_MEM, r.line,
                    queued_share(chip, r.took_ps) << PN_CBUSY_BITS | (cbusy & 3));
    }
    for (uint64_t freed = pn_door_freed(&chip->door); freed; freed &= freed - 1)
        again(chip, (uint32_t)__builtin_ctzll(freed), cycle);
}

void pn_chip_event(pn_chip *chip)
{
    pn_ev e = pn_evq_pop(&chip->events);
    uint32_t core = e.arg >> CORE_SHIFT;
    switch (pn_ev_kind(&e)) {
    case PN_LLC_FILL:
        fill(chip, e.cycle, core, e.line);
        break;
    case PN_LLC_WRITE:
        put_dirty(chip, e.cycle, core, e.line);
        break;
    case PN_DOOR:
        come(chip, e.cycle,
             &(pn_door_arrival){.line = e.line, .core = core, .prefetch = e.arg & PREFETCH});
        break;
    case PN_LLC_LOOK:
        if (!look(chip, e.cycle, e.line, e.arg))
            pn_level_wait(&chip->cores[core].llc, &(pn_wait){.line = e.line, .client = e.arg});
        break;
    default:
        look_again(chip, e.cycle, core);
        break;
    }
}

void pn_chip_run(pn_chip *chip, uint64_t end_cyc)
{
    for (uint64_t cycle; (cycle = pn_chip_next(chip)) < end_cyc && !chip->failed;) {
        if (pn_door_next(&chip->door) <= cycle)
            pn_chip_responses(chip, cycle);
        while (pn_evq_next(&chip->events) <= cycle)
            pn_chip_event(chip);
        pn_chip_settle(chip, cycle);
    }
}

bool pn_chip_in_flight(const pn_chip *chip, uint32_t core)
{
    return chip->events.count || chip->cores[core].llc.busy ||
           chip->door.lanes[core].free_count < chip->door.slot_count;
}
