/* gem5.c - memory-only traces of gem5's packet probes.
 *
 * Facts of the format: the bytes "gem5", then messages, each behind a varint with its length, in
 * protocol-buffer coding. The first is the header (1 obj_id, 2 version, 3 tick frequency), the rest
 * are packets (1 tick, 2 command, 3 address, 4 size, 5 flags, 6 packet id, 7 pc). Commands:
 * ReadReq = 1, WriteReq = 4; the numbers of others depend on gem5's version, so they are refused.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/bytes.h"
#include "trace/trace_priv.h"

enum { BUFFER_BYTES = 1 << 16, MESSAGE_MAX = 1 << 15, READ_REQ = 1, WRITE_REQ = 4 };
/* Protocol-buffer wire types. */
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };
/* gem5's default tick. */
static const uint64_t PS_HZ = UINT64_C(1000000000000);

typedef struct gem5 {
    pn_trace base;
    pn_source source;
    uint8_t *buffer;
    size_t used, length;
    bool ended;
    uint64_t packets, last_tick;
} gem5;

static panem_status damaged(const gem5 *t, panem_error *err, const char *what)
{
    return pn_err_at(err, PANEM_E_DAMAGED, t->base.path, 0, 0, "packet %" PRIu64 ": %s",
                     t->packets + 1, what);
}

static panem_status refill(gem5 *t, panem_error *err)
{
    memmove(t->buffer, t->buffer + t->used, t->length - t->used);
    t->length -= t->used;
    t->used = 0;
    size_t got = 0, want = BUFFER_BYTES - t->length;
    panem_error own = PANEM_ERROR_INIT;
    panem_status status =
        t->ended ? PANEM_OK : pn_source_read(&t->source, t->buffer + t->length, &got, want, &own);
    if (status == PANEM_E_DAMAGED && t->base.options.accept_truncated) {
        t->base.truncated = t->ended = true;
        t->length += got;
        return PANEM_OK;
    }
    if (status == PANEM_E_DAMAGED)
        return pn_err_at(err, status, t->base.path, 0, 0,
                         "unexpected end of compressed data after %" PRIu64 " packets", t->packets);
    if (status != PANEM_OK) {
        if (err && err->status == PANEM_OK)
            *err = own;
        return status;
    }
    t->length += got;
    t->ended = t->ended || got < want;
    return PANEM_OK;
}

/* The next message as a cursor; empty (p NULL) at the end of the input. */
static panem_status next_message(gem5 *t, pn_cursor *message, panem_error *err)
{
    if (t->length - t->used < MESSAGE_MAX + PN_VARINT_MAX && !t->ended)
        PN_TRY(refill(t, err));
    *message = (pn_cursor){NULL, NULL, false};
    if (t->used == t->length)
        return PANEM_OK;
    pn_cursor c = {t->buffer + t->used, t->buffer + t->length, false};
    uint64_t length = pn_cursor_varint(&c);
    const uint8_t *body = length <= MESSAGE_MAX ? pn_cursor_take(&c, (size_t)length) : NULL;
    if (!c.bad && body) {
        t->used = (size_t)(c.p - t->buffer);
        *message = (pn_cursor){body, body + length, false};
        return PANEM_OK;
    }
    if (length > MESSAGE_MAX)
        return damaged(t, err, "its length makes no sense");
    if (t->base.options.accept_truncated) {
        t->base.truncated = true;
        t->used = t->length;
        return PANEM_OK;
    }
    return damaged(t, err, "the file is cut short within it");
}

/* One field; values of no interest are passed over. False at the end or when bad. */
static bool next_field(pn_cursor *c, unsigned *number, uint64_t *value)
{
    if (c->p >= c->end)
        return false;
    uint64_t key = pn_cursor_varint(c);
    *number = (unsigned)(key >> 3);
    *value = 0;
    switch (key & 7) {
    case WIRE_VARINT:
        *value = pn_cursor_varint(c);
        break;
    case WIRE_FIXED64:
        *value = pn_cursor_le(c, 8);
        break;
    case WIRE_FIXED32:
        *value = pn_cursor_le(c, 4);
        break;
    case WIRE_BYTES: {
        uint64_t n = pn_cursor_varint(c);
        if (n > (size_t)(c->end - c->p))
            c->bad = true;
        else
            c->p += n;
        break;
    }
    default:
        c->bad = true;
    }
    return !c->bad;
}

static panem_status read_packet(gem5 *t, pn_mem_record *r, pn_cursor *c, panem_error *err)
{
    uint64_t value, tick = 0, command = 0, address = 0, size = 0;
    unsigned number, seen = 0;
    while (next_field(c, &number, &value)) {
        seen |= number < 8 ? 1u << number : 0;
        if (number == 1)
            tick = value;
        else if (number == 2)
            command = value;
        else if (number == 3)
            address = value;
        else if (number == 4)
            size = value;
    }
    enum { NEEDED = 1 << 1 | 1 << 2 };
    if (c->bad || (seen & NEEDED) != NEEDED)
        return damaged(t, err, "is not a packet");
    if (command != READ_REQ && command != WRITE_REQ)
        return pn_err_at(err, PANEM_E_FORMAT, t->base.path, 0, 0,
                         "packet %" PRIu64 ": command %" PRIu64
                         " is neither ReadReq (1) nor WriteReq (4)",
                         t->packets + 1, command);
    if (size > UINT32_MAX)
        return damaged(t, err, "its size makes no sense");
    if (tick < t->last_tick)
        return damaged(t, err, "its tick is before the one of the packet above");
    t->last_tick = tick;
    *r = (pn_mem_record){tick, address, (uint32_t)size, command == WRITE_REQ};
    t->packets++;
    return PANEM_OK;
}

static panem_status next_mem(pn_trace *trace, pn_mem_record *records, size_t *count,
                             size_t capacity, panem_error *err)
{
    gem5 *t = (gem5 *)trace;
    size_t n = 0;
    for (; n < capacity; n++) {
        pn_cursor message;
        PN_TRY(next_message(t, &message, err));
        if (!message.p)
            break;
        PN_TRY(read_packet(t, &records[n], &message, err));
    }
    *count = n;
    return PANEM_OK;
}

static panem_status read_header(gem5 *t, panem_error *err)
{
    PN_TRY(refill(t, err));
    if (t->length < 4 || memcmp(t->buffer, "gem5", 4) != 0)
        return pn_err_at(err, PANEM_E_FORMAT, t->base.path, 0, 0,
                         "is not a gem5 packet trace: the bytes \"gem5\" are missing");
    t->used = 4;
    pn_cursor message;
    uint64_t value, frequency = 0;
    unsigned number;
    PN_TRY(next_message(t, &message, err));
    while (message.p && next_field(&message, &number, &value)) {
        if (number == 3)
            frequency = value;
    }
    if (!message.p || message.bad || frequency == 0)
        return pn_err_at(err, PANEM_E_FORMAT, t->base.path, 0, 0,
                         "the header names no tick frequency");
    t->base.info.time_unit = frequency == PS_HZ ? PN_TIME_PS : PN_TIME_CYCLES;
    t->base.info.clock_hz = frequency == PS_HZ ? 0 : frequency;
    return PANEM_OK;
}

static void close_trace(pn_trace *trace)
{
    gem5 *t = (gem5 *)trace;
    pn_source_close(&t->source);
    free(t->buffer);
    pn_trace_base_release(trace);
    free(t);
}

static const pn_trace_ops gem5_ops = {NULL, next_mem, NULL, NULL, close_trace};

panem_status pn_gem5_open(pn_trace **trace, pn_source *source, const pn_trace_options *options,
                          panem_error *err)
{
    gem5 *t = calloc(1, sizeof *t);
    bool good =
        t && pn_trace_base(&t->base, &gem5_ops, source->path, options, PN_TRACE_FORMAT_GEM5);
    if (good)
        t->buffer = malloc(BUFFER_BYTES);
    if (!good || !t->buffer) {
        pn_source_close(source);
        if (t)
            close_trace(&t->base);
        return pn_err(err, PANEM_E_NOMEM, "no memory to open a trace");
    }
    t->source = *source;
    t->base.info.kind = PN_TRACE_MEMORY;
    t->base.info.source = "gem5";
    panem_status status = read_header(t, err);
    if (status != PANEM_OK) {
        close_trace(&t->base);
        return status;
    }
    *trace = &t->base;
    return PANEM_OK;
}
