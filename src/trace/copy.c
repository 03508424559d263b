/* copy.c - see copy.h. */
#include "trace/copy.h"

#include <stdlib.h>
#include <string.h>

#include "trace/decode.h"
#include "trace/dict.h"
#include "trace/ptrace.h"

typedef struct copier {
    const pn_copy_options *options;
    const char *in;
    pn_ptrace_writer *ptrace;
    pn_champsim_writer *champsim;
    pn_inst *decoded; /* by static id of the stream in work; pc 0 and length 0 = not yet */
    uint32_t decoded_capacity;
    pn_isa isa;
    pn_copy_result result;
} copier;

static panem_status no_memory(panem_error *err)
{
    return pn_err(err, PANEM_E_NOMEM, "no memory to copy the trace");
}

static panem_status failed_write(panem_error *err, panem_status status)
{
    return pn_err(err, status, "the trace could not be written: %s", panem_status_text(status));
}

/* The instruction as the present decoder sees it. */
static const pn_inst *redecoded(copier *c, const pn_inst *inst)
{
    if (inst->flags & PN_INST_NO_BYTES)
        return inst;
    if (inst->id >= c->decoded_capacity) {
        uint32_t capacity = inst->id * 2 + 4096;
        pn_inst *more = realloc(c->decoded, capacity * sizeof *more);
        if (!more)
            return NULL;
        memset(more + c->decoded_capacity, 0, (capacity - c->decoded_capacity) * sizeof *more);
        c->decoded = more;
        c->decoded_capacity = capacity;
    }
    pn_inst *now = &c->decoded[inst->id];
    if (now->length == 0) {
        pn_decode(now, c->isa, inst->pc, inst->bytes, inst->length);
        c->result.redecoded += !pn_inst_equal(now, inst);
    }
    return now;
}

static panem_status copy_op(copier *c, uint32_t thread, const pn_op *op, panem_error *err)
{
    pn_op mine = *op;
    if (c->options->redecode) {
        mine.inst = redecoded(c, op->inst);
        if (!mine.inst)
            return no_memory(err);
    }
    c->result.instructions += !(op->flags & PN_OP_CONTINUES);
    if (c->champsim) {
        pn_champsim_add(c->champsim, &mine);
        return PANEM_OK;
    }
    panem_status status = pn_ptrace_op(c->ptrace, thread, &mine);
    return status == PANEM_OK ? PANEM_OK : failed_write(err, status);
}

static panem_status copy_batch(copier *c, uint32_t thread, const pn_batch *batch, uint64_t *left,
                               panem_error *err)
{
    size_t event = 0;
    for (size_t i = 0; i <= batch->n_ops; i++) {
        for (; event < batch->n_events && batch->events[event].op == i && c->ptrace; event++) {
            const pn_event *e = &batch->events[event];
            panem_status status =
                pn_ptrace_event(c->ptrace, thread, (pn_event_kind)e->kind, e->value);
            if (status != PANEM_OK)
                return failed_write(err, status);
        }
        if (i == batch->n_ops)
            break;
        bool part = batch->ops[i].flags & PN_OP_CONTINUES;
        if (!part && *left == 0)
            return PANEM_OK;
        *left -= !part;
        PN_TRY(copy_op(c, thread, &batch->ops[i], err));
    }
    return PANEM_OK;
}

static panem_status copy_stream(copier *c, pn_trace *trace, uint32_t thread, panem_error *err)
{
    uint64_t left = c->options->count ? c->options->count : UINT64_MAX;
    if (c->options->start)
        PN_TRY(pn_trace_seek(trace, c->options->start, err));
    while (left) {
        pn_batch batch;
        PN_TRY(pn_trace_next(trace, &batch, err));
        if (batch.n_ops == 0 && batch.n_events == 0)
            break;
        PN_TRY(copy_batch(c, thread, &batch, &left, err));
        if (batch.n_ops == 0)
            break;
    }
    c->result.threads++;
    c->result.truncated |= pn_trace_truncated(trace);
    return PANEM_OK;
}

static panem_status copy_records(copier *c, pn_trace *trace, panem_error *err)
{
    enum { CHUNK = 1024 };
    pn_mem_record records[CHUNK];
    uint64_t number = 0, end = UINT64_MAX;
    if (c->options->count)
        end = c->options->start + c->options->count;
    for (;;) {
        size_t n = 0;
        PN_TRY(pn_trace_next_mem(trace, records, &n, CHUNK, err));
        if (n == 0 || number >= end)
            break;
        for (size_t i = 0; i < n; i++, number++) {
            if (number < c->options->start || number >= end)
                continue;
            panem_status status = pn_ptrace_mem(c->ptrace, &records[i]);
            if (status != PANEM_OK)
                return failed_write(err, status);
            c->result.records++;
        }
    }
    c->result.truncated |= pn_trace_truncated(trace);
    return PANEM_OK;
}

/* The streams beyond the first, each through an opening of its own. */
static panem_status copy_others(copier *c, const pn_trace_info *info, panem_error *err)
{
    for (size_t i = 0; i < info->n_threads; i++) {
        pn_trace_options input = c->options->input;
        pn_trace *trace = NULL;
        input.thread = info->threads[i].id;
        /* A stream that ends before the part wanted has no part in it. */
        if (input.thread == c->options->input.thread ||
            (c->options->start && info->threads[i].instructions <= c->options->start))
            continue;
        PN_TRY(pn_trace_open(&trace, c->in, &input, err));
        free(c->decoded);
        c->decoded = NULL;
        c->decoded_capacity = 0;
        panem_status status = copy_stream(c, trace, input.thread, err);
        pn_trace_close(trace);
        PN_TRY(status);
    }
    return PANEM_OK;
}

static panem_status open_output(copier *c, const char *out, const pn_trace_info *info,
                                panem_error *err)
{
    const pn_copy_options *o = c->options;
    if (o->to == PN_TRACE_FORMAT_CHAMPSIM) {
        if (info->kind == PN_TRACE_MEMORY)
            return pn_err_at(err, PANEM_E_MISMATCH, c->in, 0, 0,
                             "is a memory-only trace: it has no instructions for ChampSim");
        return pn_champsim_create(&c->champsim, out, info->isa, err);
    }
    bool decoded = o->redecode || info->decoder_version;
    pn_ptrace_meta meta = {.isa = info->isa,
                           .kind = info->kind,
                           .time_unit = info->time_unit,
                           .clock_hz = info->clock_hz,
                           .unknown = info->unknown,
                           .decoder_version = o->redecode ? PN_DECODER_VERSION
                                              : decoded   ? info->decoder_version
                                                          : 0,
                           .skipped =
                               info->skipped + (info->kind == PN_TRACE_MEMORY ? 0 : o->start),
                           .name = o->name ? o->name : info->name,
                           .source = info->source,
                           .command = info->command};
    return pn_ptrace_create(&c->ptrace, out, &meta, err);
}

static bool has_stream(const pn_trace_info *info, uint32_t thread)
{
    for (size_t i = 0; i < info->n_threads; i++) {
        if (info->threads[i].id == thread)
            return true;
    }
    return false;
}

static panem_status copy_all(copier *c, const char *out, pn_trace *trace, panem_error *err)
{
    const pn_trace_info *info = pn_trace_about(trace);
    c->isa = info->isa;
    PN_TRY(open_output(c, out, info, err));
    if (info->kind == PN_TRACE_MEMORY)
        return copy_records(c, trace, err);
    bool others = !c->options->one_thread && !c->champsim && info->has_totals;
    if (!others || has_stream(info, c->options->input.thread))
        PN_TRY(copy_stream(c, trace, c->options->input.thread, err));
    return others ? copy_others(c, info, err) : PANEM_OK;
}

static panem_status commit(copier *c, panem_error *err)
{
    panem_status status = c->champsim ? pn_champsim_commit(c->champsim, &c->result.losses, err)
                                      : pn_ptrace_commit(c->ptrace, NULL, err);
    c->champsim = NULL;
    c->ptrace = NULL;
    return status;
}

panem_status pn_trace_copy(pn_copy_result *result, const char *out, const char *in,
                           const pn_copy_options *options, panem_error *err)
{
    copier c = {.options = options, .in = in};
    pn_trace *trace = NULL;
    PN_TRY(pn_trace_open(&trace, in, &options->input, err));
    panem_status status = copy_all(&c, out, trace, err);
    if (status == PANEM_OK)
        status = commit(&c, err);
    pn_ptrace_abort(c.ptrace);
    pn_champsim_abort(c.champsim);
    pn_trace_close(trace);
    free(c.decoded);
    if (status == PANEM_OK)
        *result = c.result;
    return status;
}
