/* background.c - see background.h. */
#include "sim/background.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

enum { LINE = 64, KINDS = 2 };

static const uint64_t OWN = UINT64_C(1) << 63; /* in a tag: the load's own */
static const double GAP_SCALE = 256.0;         /* gaps are in ps / 256 */

typedef struct background {
    pn_mem_port port;
    pn_mem_port *inner;
    pn_background_config config;
    pn_rng arrivals, places;
    uint64_t now_ps, due_q8, gap_q8; /* gap 0: as fast as the bounds allow */
    uint64_t address;                /* of the next request */
    uint64_t *waiting;               /* refused: address | kind, in order; in flight already */
    uint32_t waiting_count;
    uint64_t retry_ps; /* when they are asked again */
    uint64_t cursor[KINDS];
    int64_t mix_q32, read_q32;
    uint64_t stream_q32;
    uint32_t in_flight[KINDS];
    uint8_t kind; /* of the next request */
    bool on;
    pn_mem_response *answers; /* for the host, ring */
    uint32_t first, count, mask;
    pn_background_stats stats;
} background;

static bool blocked(const background *b)
{
    return b->in_flight[b->kind] >= b->config.in_flight_max[b->kind];
}

/* When something will be asked, if nothing else happens. */
static uint64_t due(const background *b)
{
    uint64_t retry = b->waiting_count ? b->retry_ps : UINT64_MAX;
    uint64_t at = b->on && !blocked(b) ? b->due_q8 / (uint64_t)GAP_SCALE : UINT64_MAX;
    return at < retry ? at : retry;
}

/* What the next request is, and when at the earliest. */
static void draw(background *b)
{
    b->mix_q32 += b->read_q32;
    b->kind = b->mix_q32 >= INT64_C(1) << 31 ? PANEM_READ : PANEM_WRITE;
    b->mix_q32 -= b->kind == PANEM_READ ? INT64_C(1) << 32 : 0;
    bool stream = (pn_rng_u64(&b->places) >> 32) < b->stream_q32;
    uint64_t line =
        stream ? ++b->cursor[b->kind] % b->config.lines : pn_rng_below(&b->places, b->config.lines);
    b->address = line * LINE;
    uint64_t now_q8 = b->now_ps * (uint64_t)GAP_SCALE;
    b->due_q8 = b->gap_q8 ? b->due_q8 + pn_rng_exp(&b->arrivals, b->gap_q8) : now_q8;
    if (b->due_q8 < now_q8)
        b->due_q8 = now_q8; /* no debt */
}

static panem_status ask(background *b, bool *taken, uint64_t address, uint8_t kind)
{
    uint64_t retry_ps = UINT64_MAX;
    pn_mem_request r = {.time_ps = b->now_ps,
                        .address = address,
                        .tag = OWN | kind,
                        .bytes = LINE,
                        .source = UINT32_MAX,
                        .kind = kind};
    panem_status status = pn_mem_submit(b->inner, &retry_ps, &r);
    *taken = status == PANEM_OK;
    if (status != PANEM_BUSY)
        return status;
    uint64_t event = pn_mem_next_event(b->inner);
    uint64_t at = retry_ps < event ? retry_ps : event;
    at = at > b->now_ps ? at : b->now_ps + 1;
    b->retry_ps = at < b->retry_ps ? at : b->retry_ps;
    b->stats.refused++;
    return PANEM_OK;
}

static panem_status ask_again(background *b)
{
    uint32_t left = 0;
    b->retry_ps = UINT64_MAX;
    for (uint32_t i = 0; i < b->waiting_count; i++) {
        uint64_t one = b->waiting[i];
        bool taken = false;
        PN_TRY(ask(b, &taken, one & ~(uint64_t)(LINE - 1), one & 1));
        if (!taken)
            b->waiting[left++] = one;
    }
    b->waiting_count = left;
    return PANEM_OK;
}

static panem_status send_due(background *b)
{
    if (b->waiting_count && b->retry_ps <= b->now_ps)
        PN_TRY(ask_again(b));
    while (b->on && !blocked(b) && b->due_q8 / (uint64_t)GAP_SCALE <= b->now_ps) {
        bool taken = false;
        PN_TRY(ask(b, &taken, b->address, b->kind));
        if (!taken)
            b->waiting[b->waiting_count++] = b->address | b->kind;
        b->in_flight[b->kind]++;
        draw(b);
    }
    return PANEM_OK;
}

static void collect(background *b)
{
    pn_mem_response r;
    while (pn_mem_pop(b->inner, &r)) {
        if (r.tag & OWN) {
            b->in_flight[r.kind]--;
            b->stats.lines[r.kind]++;
        } else {
            b->answers[(b->first + b->count++) & b->mask] = r;
        }
    }
}

static uint64_t next_of_both(const background *b)
{
    uint64_t inner = pn_mem_next_event(b->inner);
    uint64_t own = due(b);
    return own < inner ? own : inner;
}

static uint64_t next_event(const pn_mem_port *port)
{
    const background *b = (const background *)port;
    uint64_t next = next_of_both(b);
    uint64_t answer = b->count ? b->answers[b->first & b->mask].done_ps : UINT64_MAX;
    return answer < next ? answer : next;
}

static panem_status advance(pn_mem_port *port, uint64_t time_ps)
{
    background *b = (background *)port;
    for (uint64_t at; (at = next_of_both(b)) <= time_ps;) {
        b->now_ps = at > b->now_ps ? at : b->now_ps;
        PN_TRY(pn_mem_advance(b->inner, b->now_ps));
        collect(b);
        PN_TRY(send_due(b));
        if (next_of_both(b) <= b->now_ps) {
            /* What is due at this very moment comes with the next one. */
            if (b->now_ps == time_ps)
                break;
            b->now_ps++;
        }
    }
    b->now_ps = time_ps;
    PN_TRY(pn_mem_advance(b->inner, time_ps));
    collect(b);
    return PANEM_OK;
}

static panem_status submit(pn_mem_port *port, uint64_t *retry_ps, const pn_mem_request *request)
{
    background *b = (background *)port;
    PN_TRY(advance(port, request->time_ps));
    return pn_mem_submit(b->inner, retry_ps, request);
}

static bool pop(pn_mem_port *port, pn_mem_response *response)
{
    background *b = (background *)port;
    if (b->count == 0)
        return false;
    *response = b->answers[b->first++ & b->mask];
    b->count--;
    return true;
}

static void destroy(pn_mem_port *port)
{
    background *b = (background *)port;
    free(b->answers);
    free(b->waiting);
    free(b);
}

static const pn_mem_ops OPS = {submit, advance, next_event, pop, destroy};

panem_status pn_background_create(pn_mem_port **port, pn_mem_port *inner,
                                  const pn_background_config *config, uint32_t host_max,
                                  panem_error *err)
{
    uint32_t ring = 1;
    while (ring < host_max)
        ring *= 2;
    background *b = calloc(1, sizeof *b);
    pn_mem_response *answers = calloc(ring, sizeof *answers);
    uint64_t room = (uint64_t)config->in_flight_max[0] + config->in_flight_max[1] + 1;
    uint64_t *waiting = calloc(room, sizeof *waiting);
    if (!b || !answers || !waiting) {
        free(b);
        free(answers);
        free(waiting);
        return pn_err(err, PANEM_E_NOMEM, "no memory for a load beside the core");
    }
    b->port = (pn_mem_port){&OPS, inner->name, inner->posted_writes};
    b->inner = inner;
    b->config = *config;
    b->answers = answers;
    b->waiting = waiting;
    b->retry_ps = UINT64_MAX;
    b->mask = ring - 1;
    b->on = config->bytes_per_s > 0.0;
    if (isfinite(config->bytes_per_s) && b->on)
        b->gap_q8 = (uint64_t)(LINE * 1e12 * GAP_SCALE / config->bytes_per_s);
    b->read_q32 = (int64_t)(config->read_frac * 4294967296.0);
    b->stream_q32 = (uint64_t)(config->stream_share * 4294967296.0);
    pn_rng_init(&b->arrivals, config->seed, 1);
    pn_rng_init(&b->places, config->seed, 2);
    for (int k = 0; k < KINDS; k++)
        b->cursor[k] = pn_rng_below(&b->places, config->lines);
    draw(b);
    *port = &b->port;
    return PANEM_OK;
}

pn_background_stats pn_background_stats_now(const pn_mem_port *port)
{
    return ((const background *)port)->stats;
}
