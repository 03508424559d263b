/* chase.c - see chase.h. */
#include "traffic/chase.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/stat.h"

enum { LINE_BYTES = 64, KINDS = 2 };
#define NONE UINT32_MAX
#define NEVER UINT64_MAX

static const uint64_t ONE_Q32 = UINT64_C(1) << 32;

/* A request between being asked and done. */
typedef struct slot {
    uint64_t asked_ps;
    uint64_t address;
    uint32_t next;   /* in its lane's queue, or in the list of free slots */
    uint32_t chaser; /* NONE: load */
    uint8_t kind;
    bool random_line;
    bool chase; /* of a timetable */
} slot;

typedef struct lane {
    uint64_t retry_ps; /* of the head; NEVER: nobody waits */
    uint32_t head, tail;
} lane;

typedef struct chase {
    const pn_chase_config *config;
    pn_mem_port *port;
    panem_error *err;
    uint64_t now_ps;
    slot *slots;
    uint32_t free_slot;
    lane *lanes; /* lane x KINDS + kind */
    uint32_t lane_count;
    uint32_t waiting; /* requests in lanes */
    /* load */
    pn_rng arrivals, places;
    uint64_t due_q8, gap_q8; /* of the next request, in ps / 256 */
    int64_t mix_q32;
    uint8_t next_kind;
    uint32_t in_flight[KINDS], limit[KINDS];
    uint64_t stream_q32;
    uint64_t cursor[KINDS][PN_CHASE_STREAMS_MAX];
    uint32_t turn[KINDS]; /* stream whose turn it is */
    size_t next_arrival;  /* of the timetable */
    /* chases */
    pn_rng probes;
    bool *chasing;
    uint64_t probe_q8, stratum_q8, probe_due_ps;
    uint32_t probe_turn;
    /* measurement */
    bool measuring;
    uint64_t start_ps, area_from_ps;
    uint64_t outstanding; /* requests */
    double area_ps;       /* requests x ps */
    pn_batch_mean latency;
    pn_chase_result out;
} chase;

/* ---- measurement ---- */

static void pass_time(chase *c, uint64_t now_ps)
{
    if (!c->measuring && now_ps >= c->config->warmup_ps) {
        c->measuring = true;
        c->start_ps = c->config->warmup_ps;
        c->area_from_ps = c->start_ps;
    }
    if (c->measuring) {
        c->area_ps += (double)c->outstanding * (double)(now_ps - c->area_from_ps);
        c->area_from_ps = now_ps;
    }
    c->now_ps = now_ps;
}

static void count(chase *c, const slot *s, uint64_t done_ps)
{
    if (!c->measuring)
        return;
    double ns = (double)(done_ps - s->asked_ps) / 1000.0;
    *(s->kind == PANEM_READ ? &c->out.read_bytes : &c->out.write_bytes) += LINE_BYTES;
    c->out.completions++;
    c->out.sojourn_sum_ns += ns;
    if (s->chaser == NONE)
        return;
    c->out.chase_bytes += LINE_BYTES;
    if (s->asked_ps >= c->start_ps)
        pn_batch_add(&c->latency, ns);
}

/* ---- asking the memory ---- */

/* True when the request is in the memory; else the lane knows when to ask again. */
static panem_status ask(chase *c, bool *taken, lane *l, uint32_t index)
{
    const slot *s = &c->slots[index];
    pn_mem_request q = {.time_ps = c->now_ps,
                        .address = s->address,
                        .tag = index,
                        .bytes = LINE_BYTES,
                        .source = s->chaser == NONE ? 0 : 1,
                        .kind = s->kind,
                        .origin = s->kind == PANEM_READ ? PN_MEM_DEMAND : PN_MEM_WRITEBACK};
    uint64_t retry_ps = 0;
    panem_status status = pn_mem_submit(c->port, &retry_ps, &q);
    *taken = status == PANEM_OK;
    if (status == PANEM_OK)
        return PANEM_OK;
    if (status != PANEM_BUSY)
        return pn_err(c->err, status, "the memory refused a request: %s",
                      panem_status_text(status));
    c->out.busy_answers += c->measuring;
    if (retry_ps == NEVER) /* after the memory's next event */
        retry_ps = pn_mem_next_event(c->port);
    l->retry_ps = retry_ps > c->now_ps && retry_ps != NEVER ? retry_ps : c->now_ps + 1;
    return PANEM_OK;
}

static lane *lane_of(chase *c, const slot *s)
{
    const pn_chase_config *k = c->config;
    uint32_t number = k->lane ? k->lane(k->lane_user, c->port, s->address) : 0;
    return &c->lanes[number * KINDS + s->kind];
}

static panem_status enter(chase *c, uint32_t index)
{
    lane *l = lane_of(c, &c->slots[index]);
    bool taken = false;
    c->outstanding++;
    if (l->head == NONE)
        PN_TRY(ask(c, &taken, l, index));
    if (taken)
        return PANEM_OK;
    c->slots[index].next = NONE;
    if (l->head == NONE)
        l->head = index;
    else
        c->slots[l->tail].next = index;
    l->tail = index;
    c->waiting++;
    return PANEM_OK;
}

/* Whoever waits first goes first, until one is refused. */
static panem_status retry(chase *c, lane *l)
{
    bool taken = true;
    while (taken && l->head != NONE) {
        uint32_t index = l->head;
        uint32_t next = c->slots[index].next;
        PN_TRY(ask(c, &taken, l, index));
        if (taken) {
            l->head = next;
            c->waiting--;
        }
    }
    if (l->head == NONE)
        l->retry_ps = NEVER;
    return PANEM_OK;
}

static panem_status retry_due(chase *c)
{
    for (uint32_t i = 0; i < c->lane_count; i++)
        if (c->lanes[i].retry_ps <= c->now_ps)
            PN_TRY(retry(c, &c->lanes[i]));
    return PANEM_OK;
}

static uint64_t retry_ps(const chase *c)
{
    uint64_t first = NEVER;
    if (c->waiting == 0)
        return NEVER;
    for (uint32_t i = 0; i < c->lane_count; i++)
        if (c->lanes[i].retry_ps < first)
            first = c->lanes[i].retry_ps;
    return first;
}

static uint32_t take_slot(chase *c, uint8_t kind, uint32_t chaser, uint64_t address)
{
    uint32_t index = c->free_slot;
    slot *s = &c->slots[index];
    c->free_slot = s->next;
    *s = (slot){c->now_ps, address, NONE, chaser, kind, chaser != NONE, false};
    return index;
}

/* ---- load ---- */

static uint64_t random_line(chase *c, pn_rng *rng)
{
    return pn_rng_below(rng, c->config->capacity_bytes / LINE_BYTES) * LINE_BYTES;
}

static uint64_t next_address(chase *c, uint8_t kind, bool *is_random)
{
    *is_random = pn_rng_u64(&c->places) >> 32 >= c->stream_q32;
    if (*is_random)
        return random_line(c, &c->places);
    uint64_t *cursor = &c->cursor[kind][c->turn[kind]];
    uint64_t address = *cursor;
    *cursor += LINE_BYTES;
    if (*cursor >= c->config->capacity_bytes)
        *cursor = 0;
    c->turn[kind] = c->turn[kind] + 1 < c->config->streams ? c->turn[kind] + 1 : 0;
    return address;
}

/* The kind that keeps reads at read_frac of all. */
static void choose_kind(chase *c)
{
    c->mix_q32 += (int64_t)(c->config->read_frac * (double)ONE_Q32 + 0.5);
    c->next_kind = PANEM_WRITE;
    if (c->mix_q32 >= (int64_t)ONE_Q32) {
        c->mix_q32 -= (int64_t)ONE_Q32;
        c->next_kind = PANEM_READ;
    }
}

static uint64_t load_due_ps(const chase *c)
{
    if (!c->config->load || c->in_flight[c->next_kind] >= c->limit[c->next_kind])
        return NEVER;
    return (c->due_q8 + 255) >> 8;
}

static panem_status send_load(chase *c)
{
    uint8_t kind = c->next_kind;
    bool is_random;
    uint32_t index = take_slot(c, kind, NONE, next_address(c, kind, &is_random));
    uint64_t sent_q8 = c->now_ps << 8;
    if (c->due_q8 + 256 > sent_q8 && c->due_q8 <= sent_q8)
        sent_q8 = c->due_q8; /* keep the fraction: the mean gap stays exact */
    c->due_q8 = sent_q8 + (c->gap_q8 ? pn_rng_exp(&c->arrivals, c->gap_q8) : 0);
    c->in_flight[kind]++;
    choose_kind(c);
    return enter(c, index);
}

/* ---- timetable ---- */

static uint64_t arrival_due_ps(const chase *c)
{
    const pn_chase_config *k = c->config;
    if (c->next_arrival == k->timetable_count)
        return NEVER;
    const pn_chase_arrival *a = &k->timetable[c->next_arrival];
    return c->in_flight[a->kind] < c->limit[a->kind] ? a->time_ps + k->delay_ps : NEVER;
}

static panem_status send_arrival(chase *c)
{
    const pn_chase_arrival *a = &c->config->timetable[c->next_arrival++];
    bool is_random = true;
    uint64_t address = a->chase ? random_line(c, &c->probes) : next_address(c, a->kind, &is_random);
    uint32_t index = take_slot(c, a->kind, NONE, address);
    c->slots[index].asked_ps = a->time_ps + c->config->delay_ps;
    c->slots[index].random_line = is_random;
    c->slots[index].chase = a->chase;
    c->in_flight[a->kind]++;
    return enter(c, index);
}

static void tell(const chase *c, const slot *s, uint64_t done_ps)
{
    const pn_chase_config *k = c->config;
    const pn_chase_arrival asked = {s->asked_ps - k->delay_ps, s->kind, s->chase};
    if (k->timetable && k->answer)
        k->answer(k->answer_user, &asked, done_ps - k->delay_ps, s->random_line);
}

/* ---- chases ---- */

static void plan_probe(chase *c)
{
    uint64_t from_q8 = c->stratum_q8;
    c->stratum_q8 += c->probe_q8;
    c->probe_due_ps = (from_q8 + pn_rng_below(&c->probes, c->probe_q8)) >> 8;
}

static panem_status send_probe(chase *c)
{
    uint32_t chaser = c->probe_turn;
    c->probe_turn = chaser + 1 < c->config->chasers ? chaser + 1 : 0;
    plan_probe(c);
    if (c->chasing[chaser]) {
        c->out.passed_over += c->measuring;
        return PANEM_OK;
    }
    c->chasing[chaser] = true;
    /* A chase is a read the load need not send. */
    c->mix_q32 += (int64_t)(c->config->read_frac * (double)ONE_Q32 + 0.5) - (int64_t)ONE_Q32;
    return enter(c, take_slot(c, PANEM_READ, chaser, random_line(c, &c->probes)));
}

/* ---- the loop ---- */

static void take_response(chase *c, const pn_mem_response *response)
{
    uint32_t index = (uint32_t)response->tag;
    slot *s = &c->slots[index];
    count(c, s, response->done_ps);
    tell(c, s, response->done_ps);
    c->outstanding--;
    if (s->chaser != NONE) {
        c->chasing[s->chaser] = false;
    } else {
        bool blocked = c->in_flight[s->kind]-- == c->limit[s->kind] && s->kind == c->next_kind;
        if (blocked && c->due_q8 < c->now_ps << 8)
            c->due_q8 = c->now_ps << 8;
    }
    s->next = c->free_slot;
    c->free_slot = index;
}

static panem_status take_responses(chase *c, uint64_t until_ps)
{
    pn_mem_response response;
    panem_status status = pn_mem_advance(c->port, until_ps);
    if (status != PANEM_OK)
        return pn_err(c->err, status, "the memory stopped: %s", panem_status_text(status));
    pass_time(c, until_ps);
    while (pn_mem_pop(c->port, &response))
        take_response(c, &response);
    return PANEM_OK;
}

static bool finished(const chase *c)
{
    enum { CHECK_EVERY = 256 };
    const double correlated = 0.3; /* batch means closer than this count as independent */
    const pn_chase_config *k = c->config;
    uint64_t n = c->latency.total;
    if (k->timetable)
        return c->next_arrival == k->timetable_count && c->outstanding == 0;
    if (n >= k->chases_max)
        return true;
    if (n < k->chases_min || n % CHECK_EVERY || c->now_ps < c->start_ps + k->measure_min_ps)
        return false;
    return pn_batch_relative_error(&c->latency) < k->target_error &&
           pn_batch_lag1(&c->latency) < correlated;
}

static panem_status act(chase *c, uint64_t now_ps, uint64_t load_ps, uint64_t again_ps)
{
    pass_time(c, now_ps);
    if (again_ps <= now_ps)
        return retry_due(c);
    if (c->probe_due_ps <= now_ps)
        return send_probe(c);
    if (load_ps > now_ps)
        return PANEM_OK;
    return c->config->timetable ? send_arrival(c) : send_load(c);
}

static panem_status loop(chase *c)
{
    while (!finished(c)) {
        uint64_t event_ps = pn_mem_next_event(c->port);
        uint64_t load_ps = c->config->timetable ? arrival_due_ps(c) : load_due_ps(c);
        uint64_t again_ps = retry_ps(c);
        uint64_t own_ps = load_ps < c->probe_due_ps ? load_ps : c->probe_due_ps;
        own_ps = again_ps < own_ps ? again_ps : own_ps;
        own_ps = own_ps > c->now_ps ? own_ps : c->now_ps;
        if (event_ps <= own_ps)
            PN_TRY(take_responses(c, event_ps > c->now_ps ? event_ps : c->now_ps));
        else
            PN_TRY(act(c, own_ps, load_ps, again_ps));
    }
    return PANEM_OK;
}

/* ---- making ---- */

static panem_status check(const pn_chase_config *k, panem_error *err)
{
    if (!(k->read_frac >= 0.0 && k->read_frac <= 1.0))
        return pn_err(err, PANEM_E_ARG, "read fraction outside 0..1");
    if (!(k->stream_share >= 0.0 && k->stream_share <= 1.0))
        return pn_err(err, PANEM_E_ARG, "share of streams outside 0..1");
    if (k->chasers == 0 || !(k->probe_ps >= 1.0 && k->probe_ps < 1e12))
        return pn_err(err, PANEM_E_ARG, "chases need a chaser and a distance from 1 ps to 1 s");
    if (k->streams == 0 || k->streams > PN_CHASE_STREAMS_MAX)
        return pn_err(err, PANEM_E_ARG, "streams outside 1..%d", PN_CHASE_STREAMS_MAX);
    if (k->lanes == 0 || k->lanes > PN_CHASE_LANES_MAX)
        return pn_err(err, PANEM_E_ARG, "lanes outside 1..%d", PN_CHASE_LANES_MAX);
    if (k->capacity_bytes < LINE_BYTES || (k->load && (!k->reads_max || !k->writes_max)))
        return pn_err(err, PANEM_E_ARG, "no room for a line, or for a request in flight");
    if (!(k->gap_ps >= 0.0 && k->gap_ps < 1e12))
        return pn_err(err, PANEM_E_ARG, "gap outside 0..1 s");
    return PANEM_OK;
}

static panem_status allocate(chase *c)
{
    const pn_chase_config *k = c->config;
    uint32_t count = k->chasers + (k->load ? k->reads_max + k->writes_max : 0);
    c->lane_count = k->lanes * KINDS;
    c->slots = calloc(count, sizeof *c->slots);
    c->lanes = calloc(c->lane_count, sizeof *c->lanes);
    c->chasing = calloc(k->chasers, sizeof *c->chasing);
    if (!c->slots || !c->lanes || !c->chasing)
        return pn_err(c->err, PANEM_E_NOMEM, "no memory for %u requests in flight", count);
    for (uint32_t i = 0; i < count; i++)
        c->slots[i].next = i + 1 < count ? i + 1 : NONE;
    for (uint32_t i = 0; i < c->lane_count; i++)
        c->lanes[i] = (lane){NEVER, NONE, NONE};
    return PANEM_OK;
}

static void start(chase *c)
{
    enum { FIRST_BATCH = 16, STREAMS_PER_RUN = 4 };
    const pn_chase_config *k = c->config;
    pn_rng_init(&c->arrivals, k->seed, k->stream * STREAMS_PER_RUN);
    pn_rng_init(&c->places, k->seed, k->stream * STREAMS_PER_RUN + 1);
    pn_rng_init(&c->probes, k->seed, k->stream * STREAMS_PER_RUN + 2);
    pn_batch_init(&c->latency, FIRST_BATCH);
    c->limit[PANEM_READ] = k->reads_max;
    c->limit[PANEM_WRITE] = k->writes_max;
    c->gap_q8 = (uint64_t)(k->gap_ps * 256.0 + 0.5);
    c->stream_q32 = (uint64_t)(k->stream_share * (double)ONE_Q32 + 0.5);
    for (uint32_t kind = 0; kind < KINDS; kind++)
        for (uint32_t i = 0; i < k->streams; i++)
            c->cursor[kind][i] = random_line(c, &c->places);
    choose_kind(c);
    c->probe_q8 = (uint64_t)(k->probe_ps * 256.0 + 0.5);
    plan_probe(c);
    if (k->timetable)
        c->probe_due_ps = NEVER;
}

static void summarize(chase *c)
{
    pn_chase_result *out = &c->out;
    double bytes = (double)(out->read_bytes + out->write_bytes);
    out->measured_ps = c->now_ps - c->start_ps;
    double seconds = (double)out->measured_ps / 1e12;
    out->bandwidth_bytes_per_s = seconds > 0.0 ? bytes / seconds : 0.0;
    out->read_frac = bytes > 0.0 ? (double)out->read_bytes / bytes : (double)NAN;
    out->chases = c->latency.total;
    out->latency_ns = pn_batch_mean_value(&c->latency);
    out->relative_error = pn_batch_relative_error(&c->latency);
    out->outstanding_bytes =
        out->measured_ps ? c->area_ps * LINE_BYTES / (double)out->measured_ps : 0.0;
}

panem_status pn_chase_run(pn_chase_result *result, pn_mem_port *port, const pn_chase_config *config,
                          panem_error *err)
{
    chase c;
    PN_TRY(check(config, err));
    memset(&c, 0, sizeof c);
    c.config = config;
    c.port = port;
    c.err = err;
    panem_status status = allocate(&c);
    if (status == PANEM_OK) {
        start(&c);
        status = loop(&c);
    }
    if (status == PANEM_OK) {
        summarize(&c);
        *result = c.out;
    }
    free(c.slots);
    free(c.lanes);
    free(c.chasing);
    return status;
}
