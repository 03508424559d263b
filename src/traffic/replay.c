/* replay.c - see replay.h. */
#include "traffic/replay.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/err.h"

enum { RECORDS = 512 };

typedef struct replay {
    const pn_replay_config *config;
    pn_mem_port *port;
    pn_trace *trace;
    panem_error *err;
    pn_meter meter;
    pn_mem_record records[RECORDS];
    size_t count, at;
    bool ended;
    uint64_t first_time, last_time;
    /* The request to be sent next: one line of the present record. */
    bool pending;
    uint64_t due_ps;   /* its time in the trace; 0 when not timed */
    uint64_t retry_ps; /* not before this: the port refused it */
    uint64_t line, last_line;
    bool write;
    uint32_t in_flight;
    pn_replay_result result;
} replay;

/* ---- reading ---- */

static panem_status due_of(replay *r, const pn_mem_record *record)
{
    uint64_t number = r->result.records;
    if (!r->config->timed) {
        r->due_ps = 0;
        return PANEM_OK;
    }
    if (number == 0)
        r->first_time = r->last_time = record->time;
    if (record->time < r->last_time)
        return pn_err(r->err, PANEM_E_RANGE,
                      "record %" PRIu64 " of the trace is earlier than the one before", number);
    r->last_time = record->time;
    double ps = (double)(record->time - r->first_time) * r->config->ps_per_tick;
    if (!(ps < 9.0e18))
        return pn_err(r->err, PANEM_E_RANGE,
                      "record %" PRIu64 " of the trace lies more than 104 days after the first",
                      number);
    r->due_ps = (uint64_t)(ps + 0.5);
    return PANEM_OK;
}

static panem_status take_record(replay *r)
{
    if (r->at == r->count) {
        r->at = r->count = 0;
        PN_TRY(pn_trace_next_mem(r->trace, r->records, &r->count, RECORDS, r->err));
        if (r->count == 0) {
            r->ended = true;
            return PANEM_OK;
        }
    }
    const pn_mem_record *record = &r->records[r->at++];
    uint64_t last = record->address + (record->bytes ? record->bytes - 1 : 0);
    if (last < record->address)
        last = UINT64_MAX;
    PN_TRY(due_of(r, record));
    r->line = record->address & ~(uint64_t)(r->config->line_bytes - 1);
    r->last_line = last & ~(uint64_t)(r->config->line_bytes - 1);
    r->write = record->write;
    r->retry_ps = 0;
    r->pending = true;
    r->result.records++;
    return PANEM_OK;
}

static void next_line(replay *r)
{
    if (r->line == r->last_line)
        r->pending = false;
    else
        r->line += r->config->line_bytes;
    r->retry_ps = 0;
}

/* ---- the port ---- */

static panem_status send(replay *r)
{
    uint64_t now_ps = r->meter.now_ps;
    uint64_t retry_ps = 0;
    pn_mem_request request = {.time_ps = now_ps,
                              .address = r->line,
                              .bytes = r->config->line_bytes,
                              .kind = r->write ? PANEM_WRITE : PANEM_READ,
                              .origin = PN_MEM_DEMAND};
    panem_status status = pn_mem_submit(r->port, &retry_ps, &request);
    if (status == PANEM_BUSY) {
        pn_meter_busy(&r->meter);
        if (retry_ps == UINT64_MAX)
            retry_ps = pn_mem_next_event(r->port);
        r->retry_ps = retry_ps > now_ps && retry_ps != UINT64_MAX ? retry_ps : now_ps + 1;
        return PANEM_OK;
    }
    if (status != PANEM_OK)
        return pn_err(r->err, status, "the memory model refused a request: %s",
                      panem_status_text(status));
    if (r->config->timed && now_ps > r->due_ps) {
        r->result.late++;
        if (now_ps - r->due_ps > r->result.late_ps)
            r->result.late_ps = now_ps - r->due_ps;
    }
    r->in_flight++;
    r->result.requests++;
    pn_meter_sent(&r->meter, r->config->line_bytes);
    next_line(r);
    return PANEM_OK;
}

static panem_status advance(replay *r, uint64_t until_ps)
{
    pn_mem_response response;
    panem_status status = pn_mem_advance(r->port, until_ps);
    if (status != PANEM_OK)
        return pn_err(r->err, status, "the memory model stopped: %s", panem_status_text(status));
    pn_meter_pass(&r->meter, until_ps);
    while (pn_mem_pop(r->port, &response)) {
        r->in_flight--;
        pn_meter_answered(&r->meter, &response);
    }
    return PANEM_OK;
}

/* When the pending request may go; UINT64_MAX while it may not. */
static uint64_t send_time(const replay *r)
{
    if (!r->pending || r->in_flight >= r->config->outstanding)
        return UINT64_MAX;
    uint64_t t = r->due_ps > r->retry_ps ? r->due_ps : r->retry_ps;
    return t > r->meter.now_ps ? t : r->meter.now_ps;
}

static panem_status loop(replay *r)
{
    for (;;) {
        if (!r->pending && r->result.requests >= r->config->requests_max)
            r->ended = true;
        if (!r->pending && !r->ended)
            PN_TRY(take_record(r));
        if (!r->pending && r->in_flight == 0)
            return PANEM_OK;
        uint64_t send_ps = send_time(r);
        uint64_t event_ps = pn_mem_next_event(r->port);
        if (send_ps == UINT64_MAX && event_ps == UINT64_MAX)
            return pn_err(r->err, PANEM_E_TIME, "the memory model does not answer");
        /* Answers first: they make room at the same moment. */
        if (event_ps <= send_ps) {
            PN_TRY(advance(r, event_ps > r->meter.now_ps ? event_ps : r->meter.now_ps));
        } else {
            pn_meter_pass(&r->meter, send_ps);
            PN_TRY(send(r));
        }
    }
}

panem_status pn_replay_run(pn_replay_result *result, pn_mem_port *port, pn_trace *trace,
                           const pn_replay_config *config, panem_error *err)
{
    replay r = {.config = config, .port = port, .trace = trace, .err = err};
    pn_meter_config meter = {config->window_ps, 0, config->saturated_bytes, config->window,
                             config->window_user};
    panem_status status = pn_meter_create(&r.meter, &meter, err);
    if (status == PANEM_OK)
        status = loop(&r);
    if (status == PANEM_OK && r.result.requests == 0)
        status = pn_err(err, PANEM_E_EMPTY, "the trace holds no access");
    if (status == PANEM_OK) {
        pn_meter_cut(&r.meter);
        pn_meter_result(&r.meter, &r.result.traffic, 1.0);
        *result = r.result;
    }
    pn_meter_release(&r.meter);
    return status;
}
