/* port.c - the memory port of the DRAM reference: requests in, responses out.
 *
 * A request is cut into bursts; it is accepted when every burst finds room in its bus's queue. A
 * read burst that finds a queued write to the same burst is answered from it. Responses wait in a
 * heap ordered by done time, then by submission. Buses are brought forward only as far as the
 * host's time; between events nothing is computed.
 *
 * A response is done when its last data beat is on the bus, plus the controller's pipeline. */
#include "dram/dram_priv.h"

#include <stdlib.h>
#include <string.h>

static pn_dram *dram_of(pn_mem_port *port)
{
    return (pn_dram *)port;
}

/* ---- responses ----------------------------------------------------------------------------- */

static bool before(const pn_dram *d, uint32_t a, uint32_t b)
{
    const pn_dram_request *x = &d->requests[a];
    const pn_dram_request *y = &d->requests[b];
    return x->done_ps != y->done_ps ? x->done_ps < y->done_ps : x->seq < y->seq;
}

static void heap_push(pn_dram *d, uint32_t request)
{
    uint32_t at = d->heap_count++;
    while (at > 0) {
        uint32_t up = (at - 1) / 2;
        if (!before(d, request, d->heap[up]))
            break;
        d->heap[at] = d->heap[up];
        at = up;
    }
    d->heap[at] = request;
}

static void heap_pop(pn_dram *d)
{
    uint32_t last = d->heap[--d->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t down = 2 * at + 1;
        if (down >= d->heap_count)
            break;
        if (down + 1 < d->heap_count && before(d, d->heap[down + 1], d->heap[down]))
            down++;
        if (!before(d, d->heap[down], last))
            break;
        d->heap[at] = d->heap[down];
        at = down;
    }
    d->heap[at] = last;
}

void pn_dram_burst_done(pn_dram *d, uint32_t index, uint64_t done_ck, uint8_t cbusy)
{
    pn_dram_request *r = &d->requests[index];
    r->done_ck = later(r->done_ck, done_ck);
    r->cbusy = cbusy > r->cbusy ? cbusy : r->cbusy;
    if (--r->left > 0)
        return;
    r->done_ps = ps_of(&d->clock, r->done_ck) + d->latency_ps;
    d->latency_sum_ps[r->kind] += r->done_ps - r->arrival_ps;
    heap_push(d, index);
}

/* Reads count by the share of their queue, writes by the share above write_high: below it they wait
 * for a drain as a matter of course. The higher level is reported. */
uint8_t pn_dram_cbusy(const pn_dram_channel *ch)
{
    uint8_t level[KINDS] = {0, 0};
    for (uint32_t kind = 0; kind < KINDS; kind++) {
        const uint32_t *at = ch->dram->cbusy_at[kind];
        uint32_t queued = ch->count[kind];
        level[kind] = (uint8_t)((queued >= at[0]) + (queued >= at[1]) + (queued >= at[2]));
    }
    return level[READ] > level[WRITE] ? level[READ] : level[WRITE];
}

static bool dram_pop(pn_mem_port *port, pn_mem_response *response)
{
    pn_dram *d = dram_of(port);
    if (d->heap_count == 0 || d->requests[d->heap[0]].done_ps > d->now_ps)
        return false;
    uint32_t index = d->heap[0];
    pn_dram_request *r = &d->requests[index];
    response->tag = r->tag;
    response->arrival_ps = r->arrival_ps;
    response->done_ps = r->done_ps;
    response->ack_ps = r->kind == WRITE ? r->arrival_ps : r->done_ps;
    response->bytes = r->bytes;
    response->kind = r->kind;
    response->cbusy = r->cbusy;
    heap_pop(d);
    r->next_free = d->free_request;
    d->free_request = index;
    d->responses++;
    d->response_bytes += r->bytes;
    return true;
}

/* ---- requests ------------------------------------------------------------------------------ */

typedef struct bursts {
    uint32_t count;
    pn_dram_place place[REQUEST_BURSTS_MAX];
} bursts;

static panem_status cut(const pn_dram *d, bursts *b, const pn_mem_request *q)
{
    if (q->bytes == 0 || q->kind > PANEM_WRITE)
        return PANEM_E_ARG;
    uint32_t shift = d->map.burst_shift;
    uint64_t first = q->address >> shift;
    uint64_t last = (q->address + q->bytes - 1) >> shift;
    if (last < first || last - first >= REQUEST_BURSTS_MAX)
        return PANEM_E_RANGE;
    b->count = (uint32_t)(last - first) + 1;
    for (uint32_t i = 0; i < b->count; i++)
        pn_dram_map_place(&d->map, &b->place[i], (first + i) << shift);
    return PANEM_OK;
}

/* The first bus without room for its share, or NULL. */
static pn_dram_channel *full_bus(pn_dram *d, const bursts *b, uint32_t kind)
{
    uint32_t limit = kind == READ ? d->config.read_queue : d->config.write_queue;
    pn_dram_channel *full = NULL;
    for (uint32_t i = 0; i < b->count; i++) {
        pn_dram_channel *ch = &d->channels[b->place[i].channel];
        ch->want[kind]++;
        if (!full && ch->count[kind] + ch->want[kind] > limit)
            full = ch;
    }
    for (uint32_t i = 0; i < b->count; i++)
        d->channels[b->place[i].channel].want[kind] = 0;
    return full;
}

static void run_buses(pn_dram *d, const bursts *b, uint64_t end_ck)
{
    for (uint32_t i = 0; end_ck > 0 && i < b->count; i++) {
        pn_dram_channel *ch = &d->channels[b->place[i].channel];
        pn_dram_run(ch, end_ck - 1);
        if (pn_dram_idle(ch))
            pn_dram_refresh_skip(ch, end_ck - 1);
    }
}

static void queue_burst(pn_dram *d, const pn_dram_place *place, uint32_t kind, uint32_t request,
                        uint64_t ck)
{
    pn_dram_channel *ch = &d->channels[place->channel];
    ch->floor_ck = later(ch->floor_ck, ck);
    ch->refused = false;
    if (kind == READ)
        ch->last_read_ck = later(ch->last_read_ck, ck);
    if (kind == READ && pn_dram_queue_has_write(ch, place)) {
        ch->forwarded++;
        pn_dram_burst_done(d, request, ck + 1, pn_dram_cbusy(ch));
        return;
    }
    uint16_t entry = pn_dram_queue_add(ch, place, kind, request, ck);
    pn_dram_plan_arrival(ch, entry);
    if (ch->dirty)
        pn_dram_plan(ch);
}

static uint32_t take_request(pn_dram *d, const pn_mem_request *q, uint32_t count)
{
    uint32_t index = d->free_request;
    pn_dram_request *r = &d->requests[index];
    d->free_request = r->next_free;
    r->tag = q->tag;
    r->arrival_ps = q->time_ps;
    r->done_ck = 0;
    r->done_ps = 0;
    r->seq = ++d->seq;
    r->bytes = q->bytes;
    r->left = count;
    r->kind = q->kind;
    r->cbusy = 0;
    d->accepted[q->kind]++;
    d->bytes[q->kind] += q->bytes;
    return index;
}

static panem_status refuse(pn_dram *d, uint64_t *retry_ps, uint64_t at_ps, uint64_t now_ps)
{
    d->busy++;
    *retry_ps = at_ps == NEVER ? NEVER : later(at_ps, now_ps + 1);
    return PANEM_BUSY;
}

static panem_status dram_submit(pn_mem_port *port, uint64_t *retry_ps, const pn_mem_request *q)
{
    pn_dram *d = dram_of(port);
    bursts b;
    if (q->time_ps < d->now_ps)
        return PANEM_E_TIME;
    if (q->time_ps > UINT64_C(1) << 62)
        return PANEM_E_ARG;
    PN_TRY(cut(d, &b, q));
    uint32_t limit = q->kind == READ ? d->config.read_queue : d->config.write_queue;
    if (b.count > limit)
        return PANEM_E_RANGE;
    uint64_t ck = ck_from(&d->clock, q->time_ps);
    run_buses(d, &b, ck);
    pn_dram_channel *full = full_bus(d, &b, q->kind);
    if (full) {
        pn_dram_run(full, ck_at(&d->clock, q->time_ps));
        full = full_bus(d, &b, q->kind);
    }
    if (full) {
        full->refused = true;
        return refuse(d, retry_ps, ps_of(&d->clock, full->plan.ck), q->time_ps);
    }
    if (d->free_request == UINT32_MAX)
        return refuse(d, retry_ps, d->heap_count ? d->requests[d->heap[0]].done_ps : NEVER,
                      q->time_ps);
    uint32_t request = take_request(d, q, b.count);
    for (uint32_t i = 0; i < b.count; i++)
        queue_burst(d, &b.place[i], q->kind, request, ck);
    return PANEM_OK;
}

/* ---- time ---------------------------------------------------------------------------------- */

static panem_status dram_advance(pn_mem_port *port, uint64_t time_ps)
{
    pn_dram *d = dram_of(port);
    if (time_ps < d->now_ps)
        return PANEM_E_TIME;
    d->now_ps = time_ps;
    uint64_t ck = ck_at(&d->clock, time_ps);
    for (uint32_t i = 0; i < d->channel_count; i++)
        if (d->log || !pn_dram_idle(&d->channels[i]))
            pn_dram_run(&d->channels[i], ck);
    return PANEM_OK;
}

/* A bus without a refused request is not worth a visit before its next response can be done. */
static uint64_t bus_event(const pn_dram *d, const pn_dram_channel *ch)
{
    if (ch->plan.ck == NEVER || ch->count[READ] + ch->count[WRITE] == 0)
        return NEVER;
    if (ch->refused)
        return ps_of(&d->clock, ch->plan.ck);
    uint64_t data =
        d->timing.read_data < d->timing.write_data ? d->timing.read_data : d->timing.write_data;
    return ps_of(&d->clock, ch->plan.ck + data) + d->latency_ps;
}

static uint64_t dram_next_event(const pn_mem_port *port)
{
    const pn_dram *d = (const pn_dram *)port;
    uint64_t next = d->heap_count ? d->requests[d->heap[0]].done_ps : NEVER;
    for (uint32_t i = 0; i < d->channel_count; i++) {
        uint64_t event = bus_event(d, &d->channels[i]);
        if (event < next)
            next = event;
    }
    return next;
}

/* ---- making -------------------------------------------------------------------------------- */

static uint64_t gap(uint64_t from, uint64_t to)
{
    return from > to ? from - to : 1;
}

static void init_columns(pn_dram_timing *t, const pn_dram_config *c)
{
    uint64_t r = t->read_data;
    uint64_t w = t->write_data;
    uint64_t turn = gap(r + c->trtw_gap_ck, c->cwl_ck);
    t->col_s[READ][READ] = c->tccd_s_ck;
    t->col_s[READ][WRITE] = turn;
    t->col_s[WRITE][WRITE] = c->tccd_s_ck;
    t->col_s[WRITE][READ] = w + c->twtr_s_ck;
    t->col_l[READ][READ] = c->tccd_l_ck;
    t->col_l[READ][WRITE] = turn;
    t->col_l[WRITE][WRITE] = c->tccd_l_wr_ck;
    t->col_l[WRITE][READ] = w + c->twtr_l_ck;
    t->col_rank[READ][READ] = t->burst + c->trtrs_ck;
    t->col_rank[READ][WRITE] = gap(r + c->trtrs_ck, c->cwl_ck);
    t->col_rank[WRITE][WRITE] = t->burst + c->trtrs_ck;
    t->col_rank[WRITE][READ] = gap(w + c->trtrs_ck, c->cl_ck);
}

static void init_timing(pn_dram *d)
{
    const pn_dram_config *c = &d->config;
    pn_dram_timing *t = &d->timing;
    t->burst = pn_dram_burst_ck(c);
    t->rcd = c->trcd_ck;
    t->rp = c->trp_ck;
    t->ras = c->tras_ck;
    t->rc = c->trc_ck;
    t->rrd_s = c->trrd_s_ck;
    t->rrd_l = c->trrd_l_ck;
    t->faw = c->tfaw_ck;
    t->read_data = c->cl_ck + t->burst;
    t->write_data = c->cwl_ck + t->burst;
    t->read_pre = c->trtp_ck;
    t->write_pre = t->write_data + c->twr_ck;
    init_columns(t, c);
    t->act_slot = c->act_command_ck;
    t->col_slot = c->col_command_ck;
    t->refresh_sets = c->refresh == PN_DRAM_REFRESH_NONE        ? 0
                      : c->refresh == PN_DRAM_REFRESH_ALL_BANK  ? 1
                      : c->refresh == PN_DRAM_REFRESH_SAME_BANK ? c->banks
                                                                : c->banks * c->groups;
    t->refresh_interval = t->refresh_sets ? c->trefi_ck / t->refresh_sets : 0;
    t->rfc = c->refresh == PN_DRAM_REFRESH_ALL_BANK ? c->trfc_ck : c->trfc_bank_ck;
    t->refsbrd = c->trefsbrd_ck;
    t->page_timeout = c->page == PN_DRAM_PAGE_ADAPTIVE ? ck_from(&d->clock, c->page_timeout_ps) : 0;
    t->write_idle = ck_from(&d->clock, c->write_idle_ps);
    t->write_age = ck_from(&d->clock, c->write_age_ps);
    t->age_cap = ck_from(&d->clock, c->age_cap_ps);
}

static void init_levels(pn_dram *d)
{
    const pn_dram_config *c = &d->config;
    d->busy_at[READ] = (c->read_queue * 3 + 3) / 4;
    d->busy_at[WRITE] = c->write_high;
    const uint32_t pct[3] = {c->cbusy_1_pct, c->cbusy_2_pct, c->cbusy_3_pct};
    uint32_t above = c->write_queue - c->write_high;
    for (uint32_t i = 0; i < 3; i++) {
        d->cbusy_at[READ][i] = (c->read_queue * pct[i] + 99) / 100;
        d->cbusy_at[WRITE][i] = c->write_high + (above * pct[i] + 99) / 100;
    }
}

static void init_channel(pn_dram *d, uint32_t index)
{
    const pn_dram_config *c = &d->config;
    pn_dram_channel *ch = &d->channels[index];
    uint32_t per_rank = c->groups * c->banks;
    uint32_t queue = c->read_queue + c->write_queue;
    ch->dram = d;
    ch->index = index;
    ch->rank_count = c->ranks;
    ch->banks_per_rank = per_rank;
    ch->bank_count = c->ranks * per_rank;
    ch->entries = d->entries + (size_t)index * queue;
    ch->aged = NONE;
    ch->close_ck = NEVER;
    for (uint32_t b = 0; b < ch->bank_count; b++) {
        ch->bank[b].rank = (uint8_t)(b / per_rank);
        ch->bank[b].group = (uint8_t)(b / c->banks);
        ch->bank[b].bank = (uint8_t)(b % c->banks);
    }
    pn_dram_queue_init(ch, queue);
    pn_dram_refresh_init(ch);
    pn_dram_plan(ch);
}

static void dram_destroy(pn_mem_port *port)
{
    pn_dram *d = dram_of(port);
    free(d->channels);
    free(d->entries);
    free(d->requests);
    free(d->heap);
    free(d);
}

static const pn_mem_ops dram_ops = {dram_submit, dram_advance, dram_next_event, dram_pop,
                                    dram_destroy};

/* Queued requests, and those between their column command and their response. */
static uint32_t requests_needed(const pn_dram *d)
{
    const pn_dram_config *c = &d->config;
    uint64_t burst_ps = ps_of(&d->clock, d->timing.burst);
    uint64_t flight_ps = d->latency_ps + ps_of(&d->clock, d->timing.read_data);
    uint64_t flight = later(flight_ps / burst_ps, d->timing.write_data / d->timing.burst) + 8;
    return (uint32_t)(d->channel_count * (c->read_queue + c->write_queue + flight));
}

static panem_status allocate(pn_dram *d, panem_error *err)
{
    const pn_dram_config *c = &d->config;
    size_t queue = (size_t)c->read_queue + c->write_queue;
    d->request_count = requests_needed(d);
    d->channels = calloc(d->channel_count, sizeof *d->channels);
    d->entries = calloc(d->channel_count * queue, sizeof *d->entries);
    d->requests = calloc(d->request_count, sizeof *d->requests);
    d->heap = calloc(d->request_count, sizeof *d->heap);
    if (!d->channels || !d->entries || !d->requests || !d->heap)
        return pn_err(err, PANEM_E_NOMEM, "out of memory for the DRAM model");
    for (uint32_t i = 0; i < d->request_count; i++)
        d->requests[i].next_free = i + 1 < d->request_count ? i + 1 : UINT32_MAX;
    return PANEM_OK;
}

panem_status pn_dram_create(pn_mem_port **port, const pn_dram_config *config, const char *name,
                            panem_error *err)
{
    PN_TRY(pn_dram_config_check(config, err));
    pn_dram *d = calloc(1, sizeof *d);
    if (!d)
        return pn_err(err, PANEM_E_NOMEM, "out of memory for the DRAM model");
    d->port.ops = &dram_ops;
    d->port.name = name ? name : "dram";
    d->port.posted_writes = true;
    d->config = *config;
    d->clock.num = config->tck_num_ps;
    d->clock.den = config->tck_den;
    d->channel_count = pn_dram_buses(config);
    d->latency_ps = config->frontend_ps + config->backend_ps;
    init_timing(d);
    pn_dram_map_init(&d->map, config);
    panem_status status = allocate(d, err);
    if (status != PANEM_OK) {
        dram_destroy(&d->port);
        return status;
    }
    init_levels(d);
    for (uint32_t i = 0; i < d->channel_count; i++)
        init_channel(d, i);
    *port = &d->port;
    return PANEM_OK;
}

/* ---- looking ------------------------------------------------------------------------------- */

static void add_bus(pn_dram_stats *s, const pn_dram *d, const pn_dram_channel *ch)
{
    double ck_ns = (double)d->clock.num / (double)d->clock.den / 1000.0;
    s->read_bursts += ch->bursts[READ];
    s->write_bursts += ch->bursts[WRITE];
    s->forwarded_bursts += ch->forwarded;
    s->row_hits += ch->hits;
    s->row_misses += ch->misses;
    s->row_conflicts += ch->conflicts;
    s->activates += ch->activates;
    s->precharges += ch->precharges;
    s->refreshes += ch->refreshes;
    s->turnarounds += ch->turnarounds;
    s->data_bus_ns += (double)((ch->bursts[READ] + ch->bursts[WRITE]) * d->timing.burst) * ck_ns;
    s->queue_area_ns += (double)ch->area_ck * ck_ns;
    s->queue_wait_sum_ns += (double)ch->wait_ck * ck_ns;
    s->oldest_wait_ck = later(s->oldest_wait_ck, ch->wait_max_ck);
}

void pn_dram_stats_get(const pn_mem_port *port, pn_dram_stats *stats)
{
    const pn_dram *d = (const pn_dram *)port;
    memset(stats, 0, sizeof *stats);
    stats->read_requests = d->accepted[READ];
    stats->write_requests = d->accepted[WRITE];
    stats->read_bytes = d->bytes[READ];
    stats->write_bytes = d->bytes[WRITE];
    stats->responses = d->responses;
    stats->response_bytes = d->response_bytes;
    stats->busy_answers = d->busy;
    stats->read_latency_sum_ns = (double)d->latency_sum_ps[READ] / 1000.0;
    stats->write_latency_sum_ns = (double)d->latency_sum_ps[WRITE] / 1000.0;
    uint64_t now_ck = ck_at(&d->clock, d->now_ps);
    for (uint32_t i = 0; i < d->channel_count; i++) {
        add_bus(stats, d, &d->channels[i]);
        stats->refreshes += pn_dram_refresh_uncounted(&d->channels[i], now_ck);
    }
}

void pn_dram_log(pn_mem_port *port, pn_dram_log_fn log, void *user)
{
    pn_dram *d = dram_of(port);
    d->log = log;
    d->log_user = user;
}

void pn_dram_locate(const pn_mem_port *port, pn_dram_place *place, uint64_t address)
{
    pn_dram_map_place(&((const pn_dram *)port)->map, place, address);
}
