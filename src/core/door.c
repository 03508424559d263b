/* door.c - see door.h. */
#include "core/door.h"

#include <stdlib.h>

#include "core/clock.h"

/* Posted writes a memory may hold after it took them, beyond what a lane holds. */
enum { POSTED_MAX = 1 << 14 };

static bool init_lane(const pn_door *d, pn_door_lane *lane, panem_error *err)
{
    uint32_t ring = d->mask + 1;
    lane->slots = calloc(d->slot_count, sizeof *lane->slots);
    lane->free_slots = calloc(d->slot_count, sizeof *lane->free_slots);
    bool whole = lane->slots && lane->free_slots;
    for (int k = 0; k < 2; k++) {
        lane->waiting[k] = calloc(ring, sizeof *lane->waiting[k]);
        whole = whole && lane->waiting[k] && pn_hist_create(&lane->latency[k], err) == PANEM_OK;
    }
    for (uint32_t i = 0; whole && i < d->slot_count; i++)
        lane->free_slots[lane->free_count++] = d->slot_count - 1 - i;
    return whole;
}

panem_status pn_door_init(pn_door *door, pn_mem_port *port, const pn_core_config *config,
                          uint32_t lanes, uint32_t capacity, panem_error *err)
{
    bool until_taken = config->write_hold == PN_HOLD_UNTIL_TAKEN;
    capacity += until_taken ? POSTED_MAX : 0;
    pn_door d = {.port = port,
                 .clock_hz = config->clock_hz,
                 .lane_count = lanes,
                 .slot_count = capacity,
                 .until_taken = until_taken};
    uint32_t ring = 1;
    while (ring < capacity)
        ring *= 2;
    d.mask = ring - 1;
    d.port_cycle = d.retry_cycle = d.port_ps = UINT64_MAX;
    d.lanes = calloc(lanes, sizeof *d.lanes);
    bool whole = d.lanes != NULL;
    for (uint32_t i = 0; whole && i < lanes; i++)
        whole = init_lane(&d, &d.lanes[i], err);
    if (!whole) {
        pn_door_release(&d);
        return pn_err(err, PANEM_E_NOMEM, "no memory for %u requests", capacity);
    }
    *door = d;
    return PANEM_OK;
}

void pn_door_release(pn_door *d)
{
    for (uint32_t i = 0; d->lanes && i < d->lane_count; i++) {
        pn_door_lane *lane = &d->lanes[i];
        free(lane->slots);
        free(lane->free_slots);
        for (int k = 0; k < 2; k++) {
            free(lane->waiting[k]);
            pn_hist_destroy(lane->latency[k]);
        }
    }
    free(d->lanes);
    d->lanes = NULL;
}

static void move_to(pn_door *d, uint64_t cycle)
{
    uint64_t ps = pn_clock_ps(d->clock_hz, cycle);
    if (ps > d->now_ps)
        d->now_ps = ps;
}

static void free_write(pn_door *d, uint32_t core)
{
    d->lanes[core].writes_held--;
    d->freed |= UINT64_C(1) << core;
}

/* Offers one request; *taken: it was not refused. */
static panem_status offer(pn_door *d, bool *taken, uint32_t core, uint32_t slot)
{
    pn_door_lane *lane = &d->lanes[core];
    const pn_door_request *r = &lane->slots[slot];
    uint64_t retry_ps = UINT64_MAX;
    pn_mem_request request = {
        .time_ps = d->now_ps,
        .address = r->line * PN_LINE_BYTES,
        .tag = (uint64_t)core * d->slot_count + slot,
        .bytes = PN_LINE_BYTES,
        .source = core,
        .kind = r->write ? PANEM_WRITE : PANEM_READ,
        .origin = r->write      ? PN_MEM_WRITEBACK
                  : r->prefetch ? PN_MEM_PREFETCH
                                : PN_MEM_DEMAND,
    };
    panem_status status = pn_mem_submit(d->port, &retry_ps, &request);
    *taken = status == PANEM_OK;
    if (*taken && r->write && d->until_taken)
        free_write(d, core);
    if (status != PANEM_BUSY)
        return status;
    lane->stats.refused++;
    uint64_t cycle = retry_ps == UINT64_MAX ? UINT64_MAX : pn_clock_edge(d->clock_hz, retry_ps);
    if (cycle < d->retry_cycle)
        d->retry_cycle = cycle;
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

panem_status pn_door_come(pn_door *d, uint64_t cycle, const pn_door_arrival *a)
{
    pn_door_lane *lane = &d->lanes[a->core];
    if (lane->free_count == 0)
        return PANEM_E_RANGE;
    uint32_t slot = lane->free_slots[--lane->free_count];
    bool taken = false;
    move_to(d, cycle);
    lane->slots[slot] = (pn_door_request){a->line, d->now_ps, 0, a->core, a->write, a->prefetch};
    lane->writes_held += a->write;
    if (d->count[0] == 0 && (!a->write || d->count[1] == 0)) {
        panem_status status = offer(d, &taken, a->core, slot);
        if (status != PANEM_OK) {
            lane->free_count++;
            lane->writes_held -= a->write;
            return status;
        }
    }
    if (taken)
        return PANEM_OK;
    lane->waiting[a->write][(lane->first[a->write] + lane->count[a->write]++) & d->mask] = slot;
    d->count[a->write]++;
    return PANEM_OK;
}

/* One kind's waiting requests, one of each lane in a circle. refused: lanes left out, as bits. */
static panem_status offer_all(pn_door *d, int kind, uint64_t *refused)
{
    uint32_t lane = d->turn[kind];
    uint32_t idle = 0; /* lanes in a row with nothing to offer */
    while (d->count[kind] && idle < d->lane_count) {
        pn_door_lane *l = &d->lanes[lane];
        bool taken = false;
        if (l->count[kind] && !(*refused >> lane & 1)) {
            PN_TRY(offer(d, &taken, lane, l->waiting[kind][l->first[kind] & d->mask]));
            l->first[kind] += taken;
            l->count[kind] -= taken;
            d->count[kind] -= taken;
            *refused |= taken ? 0 : UINT64_C(1) << lane;
        }
        idle = taken ? 0 : idle + 1;
        lane = lane + 1 == d->lane_count ? 0 : lane + 1;
        d->turn[kind] = taken ? lane : d->turn[kind];
    }
    return PANEM_OK;
}

panem_status pn_door_turn(pn_door *d, uint64_t cycle)
{
    uint64_t refused = 0;
    move_to(d, cycle);
    /* An edge that was rounded down to whole ps serves what is due within that ps. */
    if (d->port_ps == d->now_ps + 1)
        d->now_ps++;
    PN_TRY(pn_mem_advance(d->port, d->now_ps));
    d->retry_cycle = UINT64_MAX;
    d->freed = 0;
    PN_TRY(offer_all(d, 0, &refused));
    return offer_all(d, 1, &refused);
}

bool pn_door_take(pn_door *d, pn_door_request *request, uint8_t *cbusy)
{
    pn_mem_response response;
    if (!pn_mem_pop(d->port, &response))
        return false;
    uint32_t core = d->lane_count == 1 ? 0 : (uint32_t)(response.tag / d->slot_count);
    uint32_t slot = (uint32_t)(response.tag - (uint64_t)core * d->slot_count);
    pn_door_lane *lane = &d->lanes[core];
    *request = lane->slots[slot];
    *cbusy = response.cbusy;
    lane->free_slots[lane->free_count++] = slot;
    uint64_t ps = request->took_ps = response.done_ps - request->came_ps;
    if (!lane->latency_kept)
        pn_hist_add(lane->latency[request->write], ps);
    if (request->write) {
        if (!d->until_taken)
            free_write(d, core);
        lane->stats.writes++;
        lane->stats.write_ps += ps;
    } else {
        lane->stats.reads++;
        lane->stats.prefetch_reads += request->prefetch;
        lane->stats.read_ps += ps;
    }
    return true;
}
