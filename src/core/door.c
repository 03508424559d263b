/* door.c - see door.h. */
#include "core/door.h"

#include <stdlib.h>

#include "core/clock.h"

/* Posted writes a memory may hold after it took them, beyond what the door holds. */
enum { POSTED_MAX = 1 << 14 };

panem_status pn_door_init(pn_door *door, pn_mem_port *port, const pn_core_config *config,
                          uint32_t capacity, panem_error *err)
{
    bool until_taken = config->write_hold == PN_HOLD_UNTIL_TAKEN;
    capacity += until_taken ? POSTED_MAX : 0;
    pn_door d = {.port = port,
                 .clock_hz = config->clock_hz,
                 .slot_count = capacity,
                 .until_taken = until_taken};
    uint32_t ring = 1;
    while (ring < capacity)
        ring *= 2;
    d.mask = ring - 1;
    d.port_cycle = d.retry_cycle = d.port_ps = UINT64_MAX;
    d.slots = calloc(capacity, sizeof *d.slots);
    d.free_slots = calloc(capacity, sizeof *d.free_slots);
    bool whole = d.slots && d.free_slots;
    for (int k = 0; k < 2; k++) {
        d.waiting[k] = calloc(ring, sizeof *d.waiting[k]);
        whole = whole && d.waiting[k] && pn_hist_create(&d.latency[k], err) == PANEM_OK;
    }
    if (!whole) {
        pn_door_release(&d);
        return pn_err(err, PANEM_E_NOMEM, "no memory for %u requests", capacity);
    }
    for (uint32_t i = 0; i < capacity; i++)
        d.free_slots[d.free_count++] = capacity - 1 - i;
    *door = d;
    return PANEM_OK;
}

void pn_door_release(pn_door *d)
{
    free(d->slots);
    free(d->free_slots);
    for (int k = 0; k < 2; k++) {
        free(d->waiting[k]);
        pn_hist_destroy(d->latency[k]);
        d->waiting[k] = NULL;
        d->latency[k] = NULL;
    }
    d->slots = NULL;
    d->free_slots = NULL;
}

static void move_to(pn_door *d, uint64_t cycle)
{
    uint64_t ps = pn_clock_ps(d->clock_hz, cycle);
    if (ps > d->now_ps)
        d->now_ps = ps;
}

/* Offers one request; false when it was refused. */
static panem_status offer(pn_door *d, bool *taken, uint32_t slot)
{
    const pn_door_request *r = &d->slots[slot];
    uint64_t retry_ps = UINT64_MAX;
    pn_mem_request request = {
        .time_ps = d->now_ps,
        .address = r->line * PN_LINE_BYTES,
        .tag = slot,
        .bytes = PN_LINE_BYTES,
        .kind = r->write ? PANEM_WRITE : PANEM_READ,
        .origin = r->write      ? PN_MEM_WRITEBACK
                  : r->prefetch ? PN_MEM_PREFETCH
                                : PN_MEM_DEMAND,
    };
    panem_status status = pn_mem_submit(d->port, &retry_ps, &request);
    *taken = status == PANEM_OK;
    d->writes_held -= *taken && r->write && d->until_taken;
    if (status != PANEM_BUSY)
        return status;
    d->stats.refused++;
    d->retry_cycle = retry_ps == UINT64_MAX ? UINT64_MAX : pn_clock_edge(d->clock_hz, retry_ps);
    return PANEM_OK;
}

void pn_door_settle(pn_door *d, uint64_t cycle)
{
    uint64_t ps = pn_mem_next_event(d->port);
    if (ps != d->port_ps) {
        d->port_ps = ps;
        d->port_cycle = ps == UINT64_MAX ? ps : pn_clock_edge(d->clock_hz, ps);
    }
    if (d->port_cycle <= cycle)
        d->port_cycle = cycle + 1;
    if (d->count[0] + d->count[1] == 0)
        d->retry_cycle = UINT64_MAX;
    else if (d->retry_cycle <= cycle)
        d->retry_cycle = cycle + 1;
}

panem_status pn_door_come(pn_door *d, uint64_t cycle, uint64_t line, bool write, bool prefetch)
{
    if (d->free_count == 0)
        return PANEM_E_RANGE;
    uint32_t slot = d->free_slots[--d->free_count];
    bool taken = false;
    move_to(d, cycle);
    d->slots[slot] = (pn_door_request){line, d->now_ps, write, prefetch};
    d->writes_held += write;
    if (d->count[0] == 0 && (!write || d->count[1] == 0)) {
        panem_status status = offer(d, &taken, slot);
        if (status != PANEM_OK) {
            d->free_count++;
            d->writes_held -= write;
            return status;
        }
    }
    if (!taken)
        d->waiting[write][(d->first[write] + d->count[write]++) & d->mask] = slot;
    return PANEM_OK;
}

panem_status pn_door_turn(pn_door *d, uint64_t cycle)
{
    bool taken = true;
    move_to(d, cycle);
    /* An edge that was rounded down to whole ps serves what is due within that ps. */
    if (d->port_ps == d->now_ps + 1)
        d->now_ps++;
    PN_TRY(pn_mem_advance(d->port, d->now_ps));
    d->retry_cycle = UINT64_MAX;
    for (int kind = 0; kind < 2 && taken; kind++) {
        while (d->count[kind] && taken) {
            PN_TRY(offer(d, &taken, d->waiting[kind][d->first[kind] & d->mask]));
            d->first[kind] += taken;
            d->count[kind] -= taken;
        }
    }
    return PANEM_OK;
}

bool pn_door_take(pn_door *d, pn_door_request *request, uint8_t *cbusy)
{
    pn_mem_response response;
    if (!pn_mem_pop(d->port, &response))
        return false;
    *request = d->slots[response.tag];
    *cbusy = response.cbusy;
    d->free_slots[d->free_count++] = (uint32_t)response.tag;
    uint64_t ps = response.done_ps - request->came_ps;
    pn_hist_add(d->latency[request->write], ps);
    if (request->write) {
        d->writes_held -= !d->until_taken;
        d->stats.writes++;
        d->stats.write_ps += ps;
    } else {
        d->stats.reads++;
        d->stats.prefetch_reads += request->prefetch;
        d->stats.read_ps += ps;
    }
    return true;
}
