/* drive.c - see drive.h. */
#include "drive.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

typedef struct driver {
    pn_mem_port *port;
    const traffic *t;
    outcome *o;
    pn_rng rng;
    uint64_t now_ps, flying, last_done_ps, area_at_ps, popped;
    uint64_t *arrivals; /* by tag */
    uint8_t *state;     /* by tag: 1 in flight, 2 answered */
} driver;

static void area(driver *d, uint64_t ps)
{
    d->o->area_ps += d->flying * (ps - d->area_at_ps);
    d->area_at_ps = ps;
}

static void answer(driver *d, const pn_mem_response *r)
{
    outcome *o = d->o;
    bool known = r->tag < d->t->requests && d->state[r->tag] == 1;
    if (!known || r->done_ps > d->now_ps || r->done_ps < d->last_done_ps ||
        r->arrival_ps != d->arrivals[r->tag] || r->done_ps <= r->arrival_ps || r->cbusy > 3 ||
        r->ack_ps != (r->kind == PANEM_WRITE ? r->arrival_ps : r->done_ps)) {
        o->protocol_faults++;
        return;
    }
    d->state[r->tag] = 2;
    d->last_done_ps = r->done_ps;
    area(d, r->done_ps);
    d->flying--;
    d->popped++;
    uint64_t latency = r->done_ps - r->arrival_ps;
    o->worst_ps = latency > o->worst_ps ? latency : o->worst_ps;
    o->cbusy[r->cbusy]++;
    o->bytes += r->bytes;
    if (r->kind == PANEM_WRITE) {
        o->writes++;
        o->write_latency_ps += latency;
    } else {
        o->reads++;
        o->read_latency_ps += latency;
    }
    o->end_ps = r->done_ps;
}

/* To a time, response by response, so that the area is exact. */
static void go_to(driver *d, uint64_t ps)
{
    pn_mem_response r;
    d->now_ps = ps > d->now_ps ? ps : d->now_ps;
    if (pn_mem_advance(d->port, d->now_ps) != PANEM_OK)
        d->o->protocol_faults++;
    while (pn_mem_pop(d->port, &r))
        answer(d, &r);
    area(d, d->now_ps);
}

static void step(driver *d)
{
    uint64_t next = pn_mem_next_event(d->port);
    if (next == UINT64_MAX) {
        d->o->protocol_faults++;
        abort();
    }
    go_to(d, next);
}

static uint64_t address(driver *d, uint64_t i)
{
    const traffic *t = d->t;
    uint64_t lines = t->footprint_bytes / t->bytes;
    bool random = t->pattern == RANDOM || (t->pattern == MIXED && pn_rng_below(&d->rng, 2));
    uint64_t line = random ? pn_rng_below(&d->rng, lines) : i % lines;
    if (t->pattern == ONE_BANK)
        line = pn_rng_below(&d->rng, 4) * (lines / 4);
    return line * t->bytes;
}

static void submit(driver *d, uint64_t i)
{
    const traffic *t = d->t;
    pn_mem_request q = {d->now_ps, address(d, i), i, t->bytes, 0, PANEM_READ, PN_MEM_DEMAND};
    if (pn_rng_below(&d->rng, 100) < t->write_pct)
        q.kind = PANEM_WRITE;
    for (;;) {
        uint64_t retry_ps = 0;
        q.time_ps = d->now_ps;
        panem_status s = pn_mem_submit(d->port, &retry_ps, &q);
        if (s == PANEM_OK)
            break;
        if (s != PANEM_BUSY || retry_ps <= d->now_ps) {
            d->o->protocol_faults++;
            abort();
        }
        d->o->busy++;
        step(d);
    }
    area(d, d->now_ps);
    d->flying++;
    d->arrivals[i] = d->now_ps;
    d->state[i] = 1;
}

void drive(outcome *o, pn_mem_port *port, const traffic *t)
{
    memset(o, 0, sizeof *o);
    driver d = {.port = port, .t = t, .o = o};
    pn_rng_init(&d.rng, t->seed, 0);
    d.arrivals = calloc(t->requests, sizeof *d.arrivals);
    d.state = calloc(t->requests, 1);
    if (!d.arrivals || !d.state)
        abort();
    for (uint64_t i = 0; i < t->requests; i++) {
        while (t->in_flight && d.flying >= t->in_flight)
            step(&d);
        submit(&d, i);
        if (t->gap_ps)
            go_to(&d, d.now_ps + t->gap_ps);
        if (t->idle_every && (i + 1) % t->idle_every == 0)
            go_to(&d, d.now_ps + t->idle_ps);
    }
    while (d.popped < t->requests)
        step(&d);
    o->now_ps = d.now_ps;
    free(d.arrivals);
    free(d.state);
}

void tape_record(void *user, const pn_dram_command *command)
{
    log_tape *tape = user;
    if (tape->count == tape->capacity) {
        tape->capacity = tape->capacity ? 2 * tape->capacity : 65536;
        tape->commands = realloc(tape->commands, tape->capacity * sizeof *tape->commands);
        if (!tape->commands)
            abort();
    }
    tape->commands[tape->count++] = *command;
}

void tape_free(log_tape *tape)
{
    free(tape->commands);
    memset(tape, 0, sizeof *tape);
}
