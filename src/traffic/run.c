/* run.c - see run.h. The sources' next times sit in a tournament of indices (a binary heap), so
 * that hundreds of sources cost little more than two. Ties go to the lower source number, and
 * responses go before submissions at the same time. */
#include "traffic/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

typedef struct queue {
    uint32_t *heap;  /* source numbers by due time */
    uint32_t *place; /* where a source sits in heap */
    uint64_t *due_ps;
    uint32_t count;
} queue;

typedef struct runner {
    const pn_traffic_config *config;
    pn_mem_port *port;
    panem_error *err;
    pn_source *sources;
    uint64_t
        *refused_ps; /* by source: when its request was first refused; UINT64_MAX: it was not */
    pn_traffic_sent *slots; /* requests in flight; the index is the tag */
    uint32_t *free_slots;   /* a stack */
    uint32_t slot_count, free_count;
    queue queue;
    bool stepped;
    pn_meter meter;
} runner;

/* ---- queue of sources ---- */

static bool queue_before(const queue *q, uint32_t a, uint32_t b)
{
    if (q->due_ps[a] != q->due_ps[b])
        return q->due_ps[a] < q->due_ps[b];
    return a < b;
}

static void queue_set(queue *q, uint32_t at, uint32_t source)
{
    q->heap[at] = source;
    q->place[source] = at;
}

static void queue_update(queue *q, uint32_t source, uint64_t due_ps)
{
    uint32_t i = q->place[source];
    q->due_ps[source] = due_ps;
    while (i > 0 && queue_before(q, source, q->heap[(i - 1) / 2])) {
        queue_set(q, i, q->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= q->count)
            break;
        if (child + 1 < q->count && queue_before(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!queue_before(q, q->heap[child], source))
            break;
        queue_set(q, i, q->heap[child]);
        i = child;
    }
    queue_set(q, i, source);
}

/* ---- responses ---- */

static void take_response(runner *r, const pn_mem_response *response)
{
    uint32_t number = r->slots[response->tag].source;
    r->free_slots[r->free_count++] = (uint32_t)response->tag;
    pn_source_done(&r->sources[number], r->meter.now_ps);
    queue_update(&r->queue, number, pn_source_due_ps(&r->sources[number]));
    if (r->config->response)
        r->config->response(r->config->response_user, response, &r->slots[response->tag]);
    pn_meter_answered(&r->meter, response);
}

static panem_status take_responses(runner *r, uint64_t until_ps)
{
    pn_mem_response response;
    panem_status status = pn_mem_advance(r->port, until_ps);
    if (status != PANEM_OK)
        return pn_err(r->err, status, "the memory model stopped: %s", panem_status_text(status));
    pn_meter_pass(&r->meter, until_ps);
    while (pn_mem_pop(r->port, &response))
        take_response(r, &response);
    return PANEM_OK;
}

/* ---- sending ---- */

/* The port said no: ask again when it says, or after its next event. */
static void ask_later(runner *r, uint32_t number, uint64_t now_ps, uint64_t retry_ps)
{
    pn_meter_busy(&r->meter);
    if (r->refused_ps[number] == UINT64_MAX)
        r->refused_ps[number] = now_ps;
    if (retry_ps == UINT64_MAX)
        retry_ps = pn_mem_next_event(r->port);
    if (retry_ps <= now_ps || retry_ps == UINT64_MAX)
        retry_ps = now_ps + 1;
    queue_update(&r->queue, number, retry_ps);
}

static void note_in_flight(runner *r, uint32_t number, uint32_t tag, uint64_t now_ps)
{
    bool refused = r->refused_ps[number] != UINT64_MAX;
    r->slots[tag] = (pn_traffic_sent){refused ? r->refused_ps[number] : now_ps, number,
                                      r->sources[number].random_line};
    r->refused_ps[number] = UINT64_MAX;
    r->free_count--;
    pn_meter_sent(&r->meter, r->config->line_bytes);
    queue_update(&r->queue, number, pn_source_due_ps(&r->sources[number]));
}

static panem_status send(runner *r, uint32_t number, uint64_t now_ps)
{
    pn_source *source = &r->sources[number];
    pn_source before = *source; /* a refused request is asked again as it was */
    uint32_t tag = r->free_slots[r->free_count - 1];
    bool is_read;
    pn_mem_request request = {.time_ps = now_ps,
                              .tag = tag,
                              .bytes = r->config->line_bytes,
                              .source = number,
                              .origin = PN_MEM_DEMAND};
    pn_meter_pass(&r->meter, now_ps);
    pn_source_send(source, now_ps, &is_read, &request.address);
    request.kind = is_read ? PANEM_READ : PANEM_WRITE;
    uint64_t retry_ps = 0;
    panem_status status = pn_mem_submit(r->port, &retry_ps, &request);
    if (status == PANEM_OK) {
        note_in_flight(r, number, tag, now_ps);
        return PANEM_OK;
    }
    if (status != PANEM_BUSY)
        return pn_err(r->err, status, "the memory model refused a request: %s",
                      panem_status_text(status));
    *source = before;
    ask_later(r, number, now_ps, retry_ps);
    return PANEM_OK;
}

static void step(runner *r)
{
    r->stepped = true;
    for (uint32_t i = 0; i < r->config->sources; i++)
        pn_source_set_gap(&r->sources[i], r->config->step_gap_ps);
}

static bool finished(runner *r)
{
    enum { CHECK_EVERY = 1024 };
    const double correlated = 0.3; /* batch means closer than this count as independent */
    const pn_traffic_config *c = r->config;
    if (r->meter.now_ps >= c->end_ps)
        return true;
    uint64_t n = r->meter.batches.total;
    if (n < c->requests_min || n % CHECK_EVERY)
        return n >= c->requests_max;
    double error = pn_batch_relative_error(&r->meter.batches);
    if (error < c->target_error && pn_batch_lag1(&r->meter.batches) < correlated)
        return true;
    return n >= c->requests_max;
}

static panem_status loop(runner *r)
{
    while (!finished(r)) {
        uint32_t number = r->queue.heap[0];
        uint64_t due_ps = r->queue.due_ps[number];
        uint64_t event_ps = pn_mem_next_event(r->port);
        uint64_t next_ps = due_ps < event_ps ? due_ps : event_ps;
        if (!r->stepped && next_ps >= r->config->step_ps)
            step(r);
        if (next_ps > r->config->end_ps)
            next_ps = r->config->end_ps;
        if (next_ps == UINT64_MAX)
            return pn_err(r->err, PANEM_E_TIME, "nothing is in flight and nothing may be sent");
        if (event_ps <= next_ps)
            PN_TRY(take_responses(r, event_ps > r->meter.now_ps ? event_ps : r->meter.now_ps));
        else if (due_ps <= next_ps)
            PN_TRY(send(r, number, due_ps > r->meter.now_ps ? due_ps : r->meter.now_ps));
        else
            pn_meter_pass(&r->meter, next_ps);
    }
    return PANEM_OK;
}

/* ---- a run ---- */

static panem_status allocate(runner *r)
{
    const uint64_t slots_max = UINT64_C(1) << 26;
    uint32_t n = r->config->sources;
    uint64_t slots = (uint64_t)n * r->config->source.outstanding;
    if (slots > slots_max)
        return pn_err(r->err, PANEM_E_RANGE, "%u sources with %u requests in flight are too many",
                      n, r->config->source.outstanding);
    r->slot_count = r->free_count = (uint32_t)slots;
    r->slots = calloc(slots, sizeof *r->slots);
    r->free_slots = calloc(slots, sizeof *r->free_slots);
    r->refused_ps = calloc(n, sizeof *r->refused_ps);
    r->sources = calloc(n, sizeof *r->sources);
    r->queue = (queue){calloc(n, sizeof(uint32_t)), calloc(n, sizeof(uint32_t)),
                       calloc(n, sizeof(uint64_t)), n};
    if (!r->slots || !r->free_slots || !r->refused_ps || !r->sources || !r->queue.heap ||
        !r->queue.place || !r->queue.due_ps)
        return pn_err(r->err, PANEM_E_NOMEM, "no memory for %u sources", n);
    const pn_traffic_config *c = r->config;
    pn_meter_config meter = {c->window_ps, c->warmup_ps, c->saturated_bytes, c->window,
                             c->window_user};
    return pn_meter_create(&r->meter, &meter, r->err);
}

static void release(runner *r)
{
    free(r->slots);
    free(r->free_slots);
    free(r->refused_ps);
    free(r->sources);
    free(r->queue.heap);
    free(r->queue.place);
    free(r->queue.due_ps);
    pn_meter_release(&r->meter);
}

static void start_sources(runner *r)
{
    for (uint32_t i = 0; i < r->config->sources; i++) {
        pn_source_config c = r->config->source;
        c.stream = i;
        r->refused_ps[i] = UINT64_MAX;
        pn_source_init(&r->sources[i], &c);
        queue_set(&r->queue, i, i);
        r->queue.due_ps[i] = UINT64_MAX;
    }
    for (uint32_t i = 0; i < r->slot_count; i++)
        r->free_slots[i] = r->slot_count - 1 - i;
    for (uint32_t i = 0; i < r->config->sources; i++)
        queue_update(&r->queue, i, pn_source_due_ps(&r->sources[i]));
}

panem_status pn_traffic_run(pn_traffic_result *result, pn_mem_port *port,
                            const pn_traffic_config *config, panem_error *err)
{
    runner r = {.config = config, .port = port, .err = err};
    panem_status status = allocate(&r);
    if (status == PANEM_OK) {
        start_sources(&r);
        status = loop(&r);
    }
    if (status == PANEM_OK)
        pn_meter_result(&r.meter, result, config->target_error);
    release(&r);
    return status;
}
