/* ptrace_read.c - reading .ptrace files; see trace.h and docs/formats/ptrace.md.
 *
 * The sections come in file order. Dictionary sections extend the tables; EXEC sections of the
 * chosen thread are expanded block by block into ops. A block is expanded only when the one after
 * it is known, because the last op needs its next pc. */
#include <inttypes.h>

#include "base/num.h"
#include "trace/dict.h"
#include "trace/section.h"
#include "trace/trace_priv.h"

enum {
    BATCH_OPS = 4096 + PN_BLOCK_INSTS,
    BATCH_ACCESSES = 8192 + PN_BLOCK_ACCESSES,
    /* readable zero bytes behind a payload: one block's worth of addresses, and tokens */
    PAYLOAD_PAD = (PN_BLOCK_ACCESSES + 8) * PN_VARINT_MAX
};

/* One instruction of a block, ready to be copied into an op. */
typedef struct plan {
    const pn_inst *inst;
    uint64_t next_pc;
    uint16_t n_accesses;
} plan;

typedef struct ptrace {
    pn_trace base;
    pn_section_reader in;
    pn_inst_table insts;
    pn_block_table blocks;
    plan *plans; /* parallel to blocks.insts */
    uint32_t plans_capacity;
    pn_chain chain;
    pn_bytes raw;  /* payload of the EXEC or MEMS section in work */
    pn_bytes dict; /* payload of other sections */
    pn_bytes index;
    uint64_t dict_done; /* offset up to which dictionary sections are loaded */
    bool in_section, ended;
    const uint8_t *token, *token_end, *address, *address_end;
    uint64_t section_next_pc, section_left; /* instructions still to come */
    uint32_t blocks_left;
    uint32_t pending;      /* block known to come next; 0 = none */
    uint64_t instructions; /* expanded so far */
    uint64_t records_left, record_time, record_address;
    pn_op *ops;
    pn_access *accesses;
    pn_event *events;
    size_t n_ops, n_accesses, n_events, events_capacity;
    bool tail_open; /* the last op still lacks its next pc */
    uint32_t tail_block;
    pn_trace_thread *threads;
    char *strings[3];
} ptrace;

static panem_status damaged(const ptrace *t, panem_error *err, const char *what)
{
    return pn_err_at(err, PANEM_E_DAMAGED, t->base.path, 0, 0,
                     "%s in the section at byte %" PRIu64 ", after %" PRIu64 " instructions", what,
                     t->in.current.offset, t->instructions);
}

static panem_status no_memory(panem_error *err)
{
    return pn_err(err, PANEM_E_NOMEM, "no memory to read the trace");
}

/* ---- dictionary ------------------------------------------------------------------------------ */

static panem_status load_insts(ptrace *t, panem_error *err)
{
    PN_TRY(pn_section_payload(&t->in, &t->dict, 0, err));
    pn_cursor c = {t->dict.data, t->dict.data + t->dict.length, false};
    uint64_t end = 0;
    for (uint64_t i = 0; i < t->in.current.count; i++) {
        pn_inst inst;
        pn_inst_decode(&c, &inst, end);
        if (c.bad)
            return damaged(t, err, "a bad instruction");
        end = pn_inst_end(&inst);
        if (!pn_inst_table_add(&t->insts, &inst))
            return no_memory(err);
    }
    return c.p == c.end ? PANEM_OK : damaged(t, err, "bytes left over");
}

static void plan_block(ptrace *t, const pn_block *b)
{
    plan *p = t->plans + b->first_inst;
    for (unsigned i = 0; i < b->n_insts; i++) {
        p[i].inst = pn_inst_at(&t->insts, t->blocks.insts[b->first_inst + i]);
        p[i].n_accesses = 0;
        p[i].next_pc = 0;
        if (i)
            p[i - 1].next_pc = p[i].inst->pc;
    }
    for (unsigned i = 0; i < b->n_slots; i++)
        p[t->blocks.slots[b->first_slot + i].inst].n_accesses++;
}

static bool plans_fit(ptrace *t)
{
    if (t->blocks.n_insts <= t->plans_capacity)
        return true;
    plan *more = realloc(t->plans, (size_t)t->blocks.insts_capacity * sizeof *more);
    if (!more)
        return false;
    t->plans = more;
    t->plans_capacity = t->blocks.insts_capacity;
    return true;
}

static panem_status load_blocks(ptrace *t, panem_error *err)
{
    static const char bad[] = "a bad block";
    uint32_t insts[PN_BLOCK_INSTS];
    pn_slot slots[PN_BLOCK_ACCESSES];
    PN_TRY(pn_section_payload(&t->in, &t->dict, 0, err));
    pn_cursor c = {t->dict.data, t->dict.data + t->dict.length, false};
    uint32_t next_inst = 0;
    for (uint64_t i = 0; i < t->in.current.count; i++) {
        pn_block_def def;
        pn_block_decode(&c, &def, insts, slots, &next_inst);
        if (c.bad || !pn_block_table_add(&t->blocks, &def, &t->insts))
            return damaged(t, err, bad);
        if (!plans_fit(t))
            return no_memory(err);
        plan_block(t, &t->blocks.blocks[t->blocks.count - 1]);
    }
    return c.p == c.end ? PANEM_OK : damaged(t, err, "bytes left over");
}

/* ---- META, DONE, INDX ------------------------------------------------------------------------ */

/* "key value" of one line; undoes \n and \\ in place. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++) {
        if (*p == '\\' && p[1])
            *to++ = *++p == 'n' ? '\n' : *p;
        else
            *to++ = *p;
    }
    *to = '\0';
}

static void set_string(ptrace *t, int which, const char **field, const char *value)
{
    free(t->strings[which]);
    t->strings[which] = strdup(value);
    if (t->strings[which]) {
        unescape(t->strings[which]);
        *field = t->strings[which];
    }
}

static bool meta_line(ptrace *t, const char *key, const char *value)
{
    pn_trace_info *info = &t->base.info;
    uint64_t number = 0;
    if (strcmp(key, "name") == 0)
        set_string(t, 0, &info->name, value);
    else if (strcmp(key, "source") == 0)
        set_string(t, 1, &info->source, value);
    else if (strcmp(key, "command") == 0)
        set_string(t, 2, &info->command, value);
    else if (!pn_num_parse_u64(value, &number))
        return false;
    else if (strcmp(key, "isa") == 0 && number <= PN_ISA_AARCH64)
        info->isa = (pn_isa)number;
    else if (strcmp(key, "kind") == 0 && number <= PN_TRACE_MEMORY)
        info->kind = (pn_trace_kind)number;
    else if (strcmp(key, "time") == 0 && number <= PN_TIME_INSTRUCTIONS)
        info->time_unit = (pn_time_unit)number;
    else if (strcmp(key, "clock_hz") == 0)
        info->clock_hz = number;
    else if (strcmp(key, "unknown") == 0)
        info->unknown = (uint32_t)number;
    else if (strcmp(key, "decoder") == 0)
        info->decoder_version = (uint32_t)number;
    else if (strcmp(key, "skipped") == 0)
        info->skipped = number;
    else
        return false;
    return true;
}

static panem_status load_meta(ptrace *t, panem_error *err)
{
    PN_TRY(pn_section_next(&t->in, err));
    if (t->in.current.type != PN_SECTION_META)
        return damaged(t, err, "META does not come first");
    PN_TRY(pn_section_payload(&t->in, &t->dict, 1, err));
    char *line = (char *)t->dict.data;
    while (*line) {
        char *end = strchr(line, '\n');
        char *blank = strchr(line, ' ');
        if (!end || !blank || blank > end)
            return damaged(t, err, "a bad META line");
        *end = *blank = '\0';
        if (!meta_line(t, line, blank + 1))
            return damaged(t, err, "a bad META line");
        line = end + 1;
    }
    return PANEM_OK;
}

static panem_status load_totals(ptrace *t, panem_error *err)
{
    PN_TRY(pn_section_payload(&t->in, &t->dict, 0, err));
    pn_trace_info *info = &t->base.info;
    pn_cursor c = {t->dict.data, t->dict.data + t->dict.length, false};
    info->content_hash = pn_cursor_le(&c, 8);
    info->instructions = pn_cursor_le(&c, 8);
    info->reads = pn_cursor_le(&c, 8);
    info->writes = pn_cursor_le(&c, 8);
    info->undecoded = pn_cursor_le(&c, 8);
    info->records = pn_cursor_le(&c, 8);
    uint64_t n = pn_cursor_le(&c, 4);
    if (c.bad || (uint64_t)(c.end - c.p) != n * 36)
        return damaged(t, err, "bad totals");
    free(t->threads);
    t->threads = calloc(n + 1, sizeof *t->threads);
    if (!t->threads)
        return no_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        pn_trace_thread *thread = &t->threads[i];
        thread->id = (uint32_t)pn_cursor_le(&c, 4);
        thread->instructions = pn_cursor_le(&c, 8);
        thread->reads = pn_cursor_le(&c, 8);
        thread->writes = pn_cursor_le(&c, 8);
        thread->syscalls = pn_cursor_le(&c, 8);
    }
    info->threads = t->threads;
    info->n_threads = (size_t)n;
    info->has_totals = true;
    return PANEM_OK;
}

/* With the totals: the stream asked for must be among the trace's, else its end says nothing. */
static panem_status check_stream(const ptrace *t, panem_error *err)
{
    enum { NAMED = 8 };
    const pn_trace_info *info = &t->base.info;
    char list[NAMED * 12 + 8] = "";
    size_t used = 0;
    if (info->kind == PN_TRACE_MEMORY)
        return PANEM_OK;
    for (size_t i = 0; i < info->n_threads; i++) {
        if (info->threads[i].id == t->base.options.thread)
            return PANEM_OK;
        if (i < NAMED)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRIu32, i ? ", " : "",
                                     info->threads[i].id);
        else if (i == NAMED)
            (void)snprintf(list + used, sizeof list - used, ", ..");
    }
    return pn_err_at(err, PANEM_E_EMPTY, t->base.path, 0, 0,
                     "has no stream %" PRIu32 "; it has %s (--thread)", t->base.options.thread,
                     info->n_threads ? list : "none");
}

/* Index and totals, when the file can seek and is whole. The reading place is kept. */
static panem_status peek_end(ptrace *t, panem_error *err)
{
    uint64_t home = t->in.offset;
    uint64_t at = pn_section_index_offset(&t->in);
    if (at == 0)
        return PANEM_OK;
    PN_TRY(pn_section_seek(&t->in, at, err));
    PN_TRY(pn_section_next(&t->in, err));
    if (t->in.current.type != PN_SECTION_INDEX)
        return damaged(t, err, "no index where the footer points");
    PN_TRY(pn_section_payload(&t->in, &t->index, 0, err));
    for (size_t i = 0; i + 24 <= t->index.length; i += 24) {
        const uint8_t *e = t->index.data + i;
        if (pn_get_le(e, 4) != PN_SECTION_DONE)
            continue;
        PN_TRY(pn_section_seek(&t->in, pn_get_le(e + 8, 8), err));
        PN_TRY(pn_section_next(&t->in, err));
        if (t->in.current.type != PN_SECTION_DONE)
            return damaged(t, err, "no totals where the index points");
        PN_TRY(load_totals(t, err));
    }
    return pn_section_seek(&t->in, home, err);
}

/* ---- sections in order ----------------------------------------------------------------------- */

static panem_status enter_exec(ptrace *t, panem_error *err)
{
    PN_TRY(pn_section_payload(&t->in, &t->raw, PAYLOAD_PAD, err));
    const uint8_t *p = t->raw.data;
    if (t->raw.length < PN_EXEC_HEAD_BYTES)
        return damaged(t, err, "a short head");
    uint64_t first = pn_get_le(p, 8);
    uint64_t token_bytes = pn_get_le(p + 20, 4);
    if (first != t->instructions)
        return damaged(t, err, "a gap in the instruction numbers");
    if (token_bytes > t->raw.length - PN_EXEC_HEAD_BYTES)
        return damaged(t, err, "a bad head");
    t->section_next_pc = pn_get_le(p + 8, 8);
    t->blocks_left = (uint32_t)pn_get_le(p + 16, 4);
    t->section_left = t->in.current.count;
    t->token = p + PN_EXEC_HEAD_BYTES;
    t->token_end = t->address = t->token + token_bytes;
    t->address_end = p + t->raw.length;
    t->in_section = true;
    if (!pn_chain_fit(&t->chain, &t->blocks))
        return no_memory(err);
    pn_chain_restart(&t->chain);
    return PANEM_OK;
}

static panem_status enter_records(ptrace *t, panem_error *err)
{
    PN_TRY(pn_section_payload(&t->in, &t->raw, 0, err));
    t->token = t->raw.data;
    t->token_end = t->raw.data + t->raw.length;
    t->records_left = t->in.current.count;
    t->record_time = t->record_address = 0;
    t->in_section = true;
    return PANEM_OK;
}

static panem_status one_section(ptrace *t, panem_error *err)
{
    PN_TRY(pn_section_next(&t->in, err));
    const pn_section *s = &t->in.current;
    bool seen = s->offset < t->dict_done;
    switch (s->type) {
    case PN_SECTION_INST:
        PN_TRY(seen ? pn_section_skip(&t->in, err) : load_insts(t, err));
        break;
    case PN_SECTION_BLOCK:
        PN_TRY(seen ? pn_section_skip(&t->in, err) : load_blocks(t, err));
        break;
    case PN_SECTION_EXEC:
        return s->thread == t->base.options.thread && t->base.info.kind == PN_TRACE_INSTRUCTIONS
                   ? enter_exec(t, err)
                   : pn_section_skip(&t->in, err);
    case PN_SECTION_MEMORY:
        return t->base.info.kind == PN_TRACE_MEMORY ? enter_records(t, err)
                                                    : damaged(t, err, "memory records");
    case PN_SECTION_DONE:
        t->ended = true;
        PN_TRY(load_totals(t, err));
        return check_stream(t, err);
    default:
        return damaged(t, err, "a section out of place");
    }
    if (!seen)
        t->dict_done = t->in.offset;
    return PANEM_OK;
}

/* Until a section of ours is entered or the trace ends. */
static panem_status next_section(ptrace *t, panem_error *err)
{
    while (!t->in_section && !t->ended) {
        panem_error own = PANEM_ERROR_INIT;
        t->in.cut = false;
        panem_status status = one_section(t, &own);
        if (status == PANEM_OK)
            continue;
        if (t->in.cut && t->base.options.accept_truncated) {
            t->base.truncated = t->ended = true;
            return PANEM_OK;
        }
        if (t->in.cut)
            return pn_err_at(err, status, t->base.path, 0, 0,
                             "%.120s; %" PRIu64 " instructions were whole", own.message,
                             t->instructions);
        if (err && err->status == PANEM_OK)
            *err = own;
        return status;
    }
    return PANEM_OK;
}

/* ---- ops ------------------------------------------------------------------------------------- */

/* What the branch at the end of a block did, seen from where execution went. */
static uint8_t outcome(const pn_inst *inst, uint64_t next)
{
    uint64_t end = inst->length ? pn_inst_end(inst) : 0;
    switch (inst->branch) {
    case PN_BRANCH_NONE:
        return next && end && next != end && next != inst->pc ? PN_OP_JUMPED : 0;
    case PN_BRANCH_COND:
        if (next == 0 || next == end)
            return 0;
        return inst->target == 0 || next == inst->target ? PN_OP_TAKEN : PN_OP_JUMPED;
    default:
        return inst->target && next && next != inst->target ? PN_OP_TAKEN | PN_OP_JUMPED
                                                            : PN_OP_TAKEN;
    }
}

static void close_tail(ptrace *t, uint64_t next_pc)
{
    if (!t->tail_open)
        return;
    pn_op *op = &t->ops[t->n_ops - 1];
    uint8_t flags = t->blocks.blocks[t->tail_block].flags;
    op->next_pc = next_pc;
    if (flags & PN_BLOCK_OUTCOME)
        op->flags |= flags & PN_BLOCK_TAKEN ? PN_OP_TAKEN : 0;
    else
        op->flags |= outcome(op->inst, next_pc);
    t->tail_open = false;
}

static panem_status add_event(ptrace *t, panem_error *err)
{
    pn_cursor c = {t->token, t->token_end, false};
    uint64_t kind = pn_cursor_varint(&c);
    uint64_t value = pn_cursor_varint(&c);
    t->token = c.p;
    if (c.bad || kind == 0 || kind > PN_EVENT_GAP)
        return damaged(t, err, "a bad event");
    if (t->n_events == t->events_capacity) {
        size_t capacity = t->events_capacity ? t->events_capacity * 2 : 64;
        pn_event *more = realloc(t->events, capacity * sizeof *more);
        if (!more)
            return no_memory(err);
        t->events = more;
        t->events_capacity = capacity;
    }
    t->events[t->n_events++] = (pn_event){(uint32_t)t->n_ops, (uint32_t)kind, value};
    if (kind == PN_EVENT_SYSCALL && t->n_ops)
        t->ops[t->n_ops - 1].flags |= PN_OP_SYSCALL;
    return PANEM_OK;
}

/* Reads tokens up to the next block, which becomes pending; or leaves the section. */
static panem_status next_block(ptrace *t, panem_error *err)
{
    pn_chain *chain = &t->chain;
    while (t->token < t->token_end) {
        uint64_t token = pn_get_varint_fast(&t->token);
        if (token == PN_TOKEN_EVENT) {
            PN_TRY(add_event(t, err));
            continue;
        }
        uint64_t id;
        const pn_link *link = &chain->links[chain->previous];
        if (token < PN_LINKS) {
            if (chain->previous == 0 || token >= link->n)
                return damaged(t, err, "a bad token");
            id = link->next[token];
        } else {
            id = token - PN_TOKEN_BLOCK;
            if (id == 0 || id >= t->blocks.count)
                return damaged(t, err, "an unknown block");
            pn_chain_learn(chain, (uint32_t)id);
        }
        if (t->blocks_left == 0)
            return damaged(t, err, "more blocks than counted");
        t->blocks_left--;
        t->pending = (uint32_t)id;
        close_tail(t, t->plans[t->blocks.blocks[id].first_inst].inst->pc);
        return PANEM_OK;
    }
    if (t->token != t->token_end || t->address != t->address_end || t->blocks_left ||
        t->section_left)
        return damaged(t, err, "counts that disagree");
    t->in_section = false;
    close_tail(t, t->section_next_pc);
    return PANEM_OK;
}

static panem_status read_addresses(ptrace *t, const pn_block *b, bool fresh, panem_error *err)
{
    if (b->n_slots == 0)
        return PANEM_OK;
    uint64_t *last = t->chain.last + b->first_slot;
    const pn_slot *slots = t->blocks.slots + b->first_slot;
    pn_access *out = t->accesses + t->n_accesses;
    const uint8_t *p = t->address;
    uint64_t recent = t->chain.recent;
    for (unsigned i = 0; i < b->n_slots; i++) {
        uint64_t base = fresh ? recent : last[i];
        recent = last[i] = base + (uint64_t)pn_unzigzag(pn_get_varint_fast(&p));
        out[i] = (pn_access){recent, slots[i].bytes, slots[i].write};
    }
    t->chain.recent = recent;
    t->address = p;
    return p <= t->address_end ? PANEM_OK : damaged(t, err, "too few addresses");
}

static panem_status expand(ptrace *t, panem_error *err)
{
    const pn_block *b = &t->blocks.blocks[t->pending];
    const plan *p = t->plans + b->first_inst;
    const pn_access *access = t->accesses + t->n_accesses;
    pn_op *op = t->ops + t->n_ops;
    bool fresh;
    (void)pn_chain_link(&t->chain, t->pending, &fresh);
    PN_TRY(read_addresses(t, b, fresh, err));
    for (unsigned i = 0; i < b->n_insts; i++) {
        op[i] = (pn_op){p[i].inst, access, p[i].next_pc, p[i].n_accesses, 0};
        access += p[i].n_accesses;
    }
    if (b->flags & PN_BLOCK_CONTINUES)
        op[0].flags = PN_OP_CONTINUES;
    unsigned counts = pn_block_counts(b);
    if (counts > t->section_left)
        return damaged(t, err, "more instructions than counted");
    t->section_left -= counts;
    t->instructions += counts;
    t->n_ops += b->n_insts;
    t->n_accesses += b->n_slots;
    t->chain.previous = t->tail_block = t->pending;
    t->tail_open = true;
    t->pending = 0;
    return PANEM_OK;
}

static panem_status next_ops(pn_trace *trace, pn_batch *batch, panem_error *err)
{
    ptrace *t = (ptrace *)trace;
    uint64_t first = t->instructions;
    t->n_ops = t->n_accesses = t->n_events = 0;
    for (;;) {
        if (!t->pending && !t->in_section) {
            /* A batch ends with its section: the payload is replaced by the next one. */
            if (t->n_ops)
                break;
            PN_TRY(next_section(t, err));
            if (t->ended)
                break;
        }
        if (!t->pending) {
            PN_TRY(next_block(t, err));
            if (!t->pending)
                continue;
        }
        if (t->n_ops > BATCH_OPS - PN_BLOCK_INSTS ||
            t->n_accesses > BATCH_ACCESSES - PN_BLOCK_ACCESSES)
            break;
        PN_TRY(expand(t, err));
    }
    *batch = (pn_batch){t->ops, t->events, t->n_ops, t->n_events, first};
    return PANEM_OK;
}

static panem_status next_records(pn_trace *trace, pn_mem_record *records, size_t *count,
                                 size_t capacity, panem_error *err)
{
    ptrace *t = (ptrace *)trace;
    size_t n = 0;
    while (n == 0) {
        PN_TRY(next_section(t, err));
        if (t->ended)
            break;
        pn_cursor c = {t->token, t->token_end, false};
        for (; n < capacity && t->records_left; n++, t->records_left--) {
            t->record_time += (uint64_t)pn_cursor_svarint(&c);
            t->record_address += (uint64_t)pn_cursor_svarint(&c);
            uint64_t tail = pn_cursor_varint(&c);
            if (c.bad || tail >> 1 > UINT32_MAX)
                return damaged(t, err, "a bad record");
            records[n] = (pn_mem_record){t->record_time, t->record_address, (uint32_t)(tail >> 1),
                                         (uint8_t)(tail & 1)};
        }
        t->token = c.p;
        if (t->records_left == 0) {
            if (t->token != t->token_end)
                return damaged(t, err, "bytes left over");
            t->in_section = false;
        }
    }
    *count = n;
    return PANEM_OK;
}

/* ---- seeking --------------------------------------------------------------------------------- */

/* Loads the dictionary that lies before the place, which a jump would miss. */
static panem_status load_dict_to(ptrace *t, uint64_t offset, panem_error *err)
{
    for (size_t i = 0; i + 24 <= t->index.length; i += 24) {
        const uint8_t *e = t->index.data + i;
        uint32_t type = (uint32_t)pn_get_le(e, 4);
        uint64_t at = pn_get_le(e + 8, 8);
        if (at >= offset)
            break;
        if (at < t->dict_done || (type != PN_SECTION_INST && type != PN_SECTION_BLOCK))
            continue;
        PN_TRY(pn_section_seek(&t->in, at, err));
        PN_TRY(one_section(t, err));
    }
    return PANEM_OK;
}

static panem_status seek_section(pn_trace *trace, uint64_t *where, uint64_t instruction,
                                 panem_error *err)
{
    ptrace *t = (ptrace *)trace;
    uint64_t first = 0, found_first = 0, found = 0;
    for (size_t i = 0; i + 24 <= t->index.length; i += 24) {
        const uint8_t *e = t->index.data + i;
        if (pn_get_le(e, 4) != PN_SECTION_EXEC || pn_get_le(e + 4, 4) != trace->options.thread)
            continue;
        if (first <= instruction) {
            found = pn_get_le(e + 8, 8);
            found_first = first;
        }
        first += pn_get_le(e + 16, 8);
    }
    if (t->index.length == 0)
        return pn_err_at(err, PANEM_E_ARG, trace->path, 0, 0,
                         "cannot go back: the input has no index or is not a plain file");
    PN_TRY(check_stream(t, err));
    if (found == 0 || instruction >= first)
        return pn_err_at(err, PANEM_E_RANGE, trace->path, 0, 0,
                         "instruction %" PRIu64 " is past the end (%" PRIu64 ")", instruction,
                         first);
    PN_TRY(load_dict_to(t, found, err));
    t->pending = 0;
    t->in_section = t->ended = t->tail_open = false;
    PN_TRY(pn_section_seek(&t->in, found, err));
    *where = t->instructions = found_first;
    return PANEM_OK;
}

/* ---- open and close -------------------------------------------------------------------------- */

static uint32_t inst_count(const pn_trace *trace)
{
    return ((const ptrace *)trace)->insts.count;
}

static void close_trace(pn_trace *trace)
{
    ptrace *t = (ptrace *)trace;
    pn_section_reader_close(&t->in);
    pn_inst_table_release(&t->insts);
    pn_block_table_release(&t->blocks);
    pn_chain_release(&t->chain);
    pn_bytes_release(&t->raw);
    pn_bytes_release(&t->dict);
    pn_bytes_release(&t->index);
    free(t->plans);
    free(t->ops);
    free(t->accesses);
    free(t->events);
    free(t->threads);
    for (size_t i = 0; i < sizeof t->strings / sizeof *t->strings; i++)
        free(t->strings[i]);
    pn_trace_base_release(trace);
    free(t);
}

static const pn_trace_ops instruction_ops = {next_ops, NULL, seek_section, inst_count, close_trace};
static const pn_trace_ops memory_ops = {NULL, next_records, NULL, inst_count, close_trace};

static panem_status open_parts(ptrace *t, pn_source *source, panem_error *err)
{
    PN_TRY(pn_section_reader_open(&t->in, source, err));
    t->ops = malloc(BATCH_OPS * sizeof *t->ops);
    t->accesses = malloc(BATCH_ACCESSES * sizeof *t->accesses);
    if (!t->ops || !t->accesses || !pn_chain_fit(&t->chain, &t->blocks))
        return no_memory(err);
    PN_TRY(load_meta(t, err));
    if (t->base.info.kind == PN_TRACE_MEMORY)
        t->base.ops = &memory_ops;
    return peek_end(t, err);
}

panem_status pn_ptrace_open(pn_trace **trace, pn_source *source, const pn_trace_options *options,
                            panem_error *err)
{
    ptrace *t = calloc(1, sizeof *t);
    if (!t ||
        !pn_trace_base(&t->base, &instruction_ops, source->path, options, PN_TRACE_FORMAT_PTRACE)) {
        free(t);
        pn_source_close(source);
        return no_memory(err);
    }
    panem_status status = open_parts(t, source, err);
    if (status != PANEM_OK) {
        close_trace(&t->base);
        return status;
    }
    *trace = &t->base;
    return PANEM_OK;
}
