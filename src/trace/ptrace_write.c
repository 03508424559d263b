/* ptrace_write.c - writing .ptrace files; see ptrace.h and docs/formats/ptrace.md. */
#include <inttypes.h>

#include "trace/dict.h"
#include "trace/idmap.h"
#include "trace/section.h"

enum { OP_BLOCK_INSTS = 64 }; /* blocks found from single ops end here at the latest */

/* One stream, and its EXEC section in the making. */
typedef struct thread_out {
    pn_trace_thread totals;
    bool used;
    pn_chain chain;
    pn_bytes tokens, addresses;
    uint64_t first;  /* number of the section's first instruction */
    uint64_t counts; /* instructions of the section */
    uint32_t blocks;
    bool open;
    /* the block that pn_ptrace_op is collecting */
    uint32_t insts[OP_BLOCK_INSTS];
    pn_slot *slots;
    uint64_t *slot_addresses;
    uint16_t n_insts, n_slots;
    uint8_t flags;
    uint64_t end; /* pc behind the last op, 0 = not known */
} thread_out;

struct pn_ptrace_writer {
    pn_section_writer out;
    panem_status failed; /* the first failure that could not be reported */
    pn_inst_table insts;
    pn_block_table blocks;
    uint32_t insts_written, blocks_written;
    pn_idmap inst_map, block_map;
    thread_out **threads;
    uint32_t n_threads;
    uint64_t instructions, undecoded;
    pn_bytes scratch;
    /* memory-only */
    pn_bytes records;
    uint64_t n_records, total_records, record_reads, record_writes;
    uint64_t last_time, last_address;
};

static panem_status fail(pn_ptrace_writer *w, panem_status status)
{
    if (w->failed == PANEM_OK)
        w->failed = status;
    return w->failed;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void put_line(pn_text *text, const char *key, const char *value)
{
    pn_text_printf(text, "%s ", key);
    for (const char *p = value ? value : ""; *p; p++) {
        if (*p == '\n' || *p == '\\')
            pn_text_puts(text, *p == '\n' ? "\\n" : "\\\\");
        else
            pn_text_add(text, p, 1);
    }
    pn_text_puts(text, "\n");
}

static panem_status write_meta(pn_ptrace_writer *w, const pn_ptrace_meta *meta)
{
    pn_text text = PN_TEXT_INIT;
    pn_text_printf(&text, "isa %u\nkind %u\ntime %u\nclock_hz %" PRIu64 "\nunknown %u\n", meta->isa,
                   meta->kind, meta->time_unit, meta->clock_hz, meta->unknown);
    pn_text_printf(&text, "decoder %u\nskipped %" PRIu64 "\n", meta->decoder_version,
                   meta->skipped);
    put_line(&text, "name", meta->name);
    put_line(&text, "source", meta->source);
    put_line(&text, "command", meta->command);
    panem_status status = PANEM_E_NOMEM;
    if (!text.failed) {
        pn_bytes view = {(uint8_t *)text.data, text.length, text.length};
        status = pn_section_write(&w->out, PN_SECTION_META, 0, 1, &view);
    }
    pn_text_release(&text);
    return status;
}

panem_status pn_ptrace_create(pn_ptrace_writer **writer, const char *path,
                              const pn_ptrace_meta *meta, panem_error *err)
{
    pn_ptrace_writer *w = calloc(1, sizeof *w);
    if (!w)
        return pn_err(err, PANEM_E_NOMEM, "no memory to write '%s'", path);
    panem_status status = pn_section_writer_open(&w->out, path, err);
    if (status == PANEM_OK) {
        status = write_meta(w, meta);
        if (status != PANEM_OK)
            (void)pn_err(err, status, "no memory to write '%s'", path);
    }
    if (status != PANEM_OK) {
        pn_ptrace_abort(w);
        return status;
    }
    *writer = w;
    return PANEM_OK;
}

/* ---- dictionary ------------------------------------------------------------------------------ */

panem_status pn_ptrace_inst(pn_ptrace_writer *w, uint32_t *id, const pn_inst *inst)
{
    pn_inst *added = pn_inst_table_add(&w->insts, inst);
    if (!added)
        return fail(w, PANEM_E_NOMEM);
    *id = added->id;
    return PANEM_OK;
}

panem_status pn_ptrace_inst_once(pn_ptrace_writer *w, uint32_t *id, const pn_inst *inst)
{
    uint64_t hash = pn_inst_hash(inst);
    for (PN_IDMAP_EACH(&w->inst_map, hash, e)) {
        if (e->hash == hash && pn_inst_equal(pn_inst_at(&w->insts, e->id), inst)) {
            *id = e->id;
            return PANEM_OK;
        }
    }
    PN_TRY(pn_ptrace_inst(w, id, inst));
    return pn_idmap_add(&w->inst_map, hash, *id) ? PANEM_OK : fail(w, PANEM_E_NOMEM);
}

static uint64_t block_hash(const pn_block_def *d)
{
    uint64_t hash = XXH64(d->insts, d->n_insts * sizeof *d->insts, d->flags);
    return d->n_slots ? XXH64(d->slots, d->n_slots * sizeof *d->slots, hash) : hash;
}

static bool block_equal(const pn_block_table *t, uint32_t id, const pn_block_def *d)
{
    const pn_block *b = &t->blocks[id];
    return b->n_insts == d->n_insts && b->n_slots == d->n_slots && b->flags == d->flags &&
           memcmp(t->insts + b->first_inst, d->insts, d->n_insts * sizeof *d->insts) == 0 &&
           (d->n_slots == 0 ||
            memcmp(t->slots + b->first_slot, d->slots, d->n_slots * sizeof *d->slots) == 0);
}

panem_status pn_ptrace_block(pn_ptrace_writer *w, uint32_t *id, const pn_block_def *def)
{
    uint64_t hash = block_hash(def);
    for (PN_IDMAP_EACH(&w->block_map, hash, e)) {
        if (e->hash == hash && block_equal(&w->blocks, e->id, def)) {
            *id = e->id;
            return PANEM_OK;
        }
    }
    if (!pn_block_table_add(&w->blocks, def, &w->insts))
        return fail(w, PANEM_E_ARG);
    *id = w->blocks.count - 1;
    return pn_idmap_add(&w->block_map, hash, *id) ? PANEM_OK : fail(w, PANEM_E_NOMEM);
}

static panem_status write_new_insts(pn_ptrace_writer *w)
{
    uint32_t first = w->insts_written;
    uint64_t end = 0;
    w->scratch.length = 0;
    for (; w->insts_written < w->insts.count; w->insts_written++) {
        const pn_inst *inst = pn_inst_at(&w->insts, w->insts_written);
        if (!pn_inst_encode(&w->scratch, inst, end))
            return PANEM_E_NOMEM;
        end = pn_inst_end(inst);
    }
    if (first == w->insts_written)
        return PANEM_OK;
    return pn_section_write(&w->out, PN_SECTION_INST, 0, w->insts_written - first, &w->scratch);
}

static panem_status write_new_blocks(pn_ptrace_writer *w)
{
    uint32_t first = w->blocks_written ? w->blocks_written : 1;
    uint32_t next_inst = 0;
    w->scratch.length = 0;
    for (uint32_t id = first; id < w->blocks.count; id++) {
        if (!pn_block_encode(&w->scratch, &w->blocks, id, &next_inst))
            return PANEM_E_NOMEM;
    }
    if (first >= w->blocks.count)
        return PANEM_OK;
    w->blocks_written = w->blocks.count;
    return pn_section_write(&w->out, PN_SECTION_BLOCK, 0, w->blocks.count - first, &w->scratch);
}

/* ---- the dynamic stream ---------------------------------------------------------------------- */

static thread_out *thread_make(pn_ptrace_writer *w, uint32_t thread)
{
    if (thread >= w->n_threads) {
        uint32_t n = thread + 8;
        thread_out **more = n > thread ? realloc(w->threads, n * sizeof *more) : NULL;
        if (!more)
            return NULL;
        memset(more + w->n_threads, 0, (n - w->n_threads) * sizeof *more);
        w->threads = more;
        w->n_threads = n;
    }
    if (!w->threads[thread]) {
        thread_out *t = calloc(1, sizeof *t);
        if (!t)
            return NULL;
        t->totals.id = thread;
        w->threads[thread] = t;
    }
    return w->threads[thread];
}

static inline thread_out *thread_at(pn_ptrace_writer *w, uint32_t thread)
{
    return thread < w->n_threads && w->threads[thread] ? w->threads[thread]
                                                       : thread_make(w, thread);
}

static panem_status close_section(pn_ptrace_writer *w, thread_out *t, uint64_t next_pc)
{
    if (!t->open)
        return PANEM_OK;
    PN_TRY(write_new_insts(w));
    PN_TRY(write_new_blocks(w));
    pn_bytes *out = &w->scratch;
    out->length = 0;
    if (!pn_bytes_reserve(out, PN_EXEC_HEAD_BYTES + t->tokens.length + t->addresses.length))
        return PANEM_E_NOMEM;
    pn_put_le(out, t->first, 8);
    pn_put_le(out, next_pc, 8);
    pn_put_le(out, t->blocks, 4);
    pn_put_le(out, t->tokens.length, 4);
    memcpy(out->data + out->length, t->tokens.data, t->tokens.length);
    out->length += t->tokens.length;
    if (t->addresses.length)
        memcpy(out->data + out->length, t->addresses.data, t->addresses.length);
    out->length += t->addresses.length;
    t->open = false;
    return pn_section_write(&w->out, PN_SECTION_EXEC, t->totals.id, t->counts, out);
}

static panem_status open_section(thread_out *t)
{
    if (!pn_bytes_reserve(&t->tokens, 4096) || !pn_bytes_reserve(&t->addresses, 4096))
        return PANEM_E_NOMEM;
    pn_chain_restart(&t->chain);
    t->tokens.length = t->addresses.length = 0;
    t->first = t->totals.instructions;
    t->counts = 0;
    t->blocks = 0;
    t->open = true;
    return PANEM_OK;
}

static void put_token(thread_out *t, uint32_t id)
{
    pn_chain *chain = &t->chain;
    const pn_link *link = &chain->links[chain->previous];
    uint32_t n = chain->previous ? link->n : 0;
    for (uint32_t i = 0; i < n; i++) {
        if (link->next[i] == id) {
            pn_put_u8(&t->tokens, (uint8_t)i);
            return;
        }
    }
    pn_put_varint(&t->tokens, (uint64_t)id + PN_TOKEN_BLOCK);
    pn_chain_learn(chain, id);
}

static void put_addresses(thread_out *t, const pn_block *b, bool fresh, const uint64_t *addresses)
{
    pn_chain *chain = &t->chain;
    if (b->n_slots == 0)
        return;
    uint64_t *last = chain->last + b->first_slot;
    uint64_t recent = chain->recent;
    for (unsigned i = 0; i < b->n_slots; i++) {
        uint64_t base = fresh ? recent : last[i];
        pn_put_svarint(&t->addresses, (int64_t)(addresses[i] - base));
        recent = last[i] = addresses[i];
    }
    chain->recent = recent;
}

static panem_status exec_block(pn_ptrace_writer *w, thread_out *t, uint32_t id,
                               const uint64_t *addresses)
{
    const pn_block *b = &w->blocks.blocks[id];
    if (t->open &&
        (t->counts >= PN_EXEC_INSTS || t->tokens.length + t->addresses.length >= PN_EXEC_BYTES))
        PN_TRY(close_section(w, t, pn_inst_at(&w->insts, w->blocks.insts[b->first_inst])->pc));
    if (!t->open)
        PN_TRY(open_section(t));
    if (!pn_chain_fit(&t->chain, &w->blocks) || !pn_bytes_reserve(&t->tokens, PN_VARINT_MAX) ||
        !pn_bytes_reserve(&t->addresses, (size_t)b->n_slots * PN_VARINT_MAX))
        return PANEM_E_NOMEM;
    put_token(t, id);
    bool fresh;
    (void)pn_chain_link(&t->chain, id, &fresh);
    put_addresses(t, b, fresh, addresses);
    t->chain.previous = id;
    unsigned counts = pn_block_counts(b);
    t->blocks++;
    t->counts += counts;
    t->totals.instructions += counts;
    t->totals.writes += b->n_writes;
    t->totals.reads += (unsigned)(b->n_slots - b->n_writes);
    w->instructions += counts;
    w->undecoded += b->n_undecoded;
    return PANEM_OK;
}

panem_status pn_ptrace_exec(pn_ptrace_writer *w, uint32_t thread, uint32_t id,
                            const uint64_t *addresses)
{
    thread_out *t = thread_at(w, thread);
    if (!t)
        return fail(w, PANEM_E_NOMEM);
    if (id == 0 || id >= w->blocks.count)
        return fail(w, PANEM_E_ARG);
    panem_status status = exec_block(w, t, id, addresses);
    return status == PANEM_OK ? PANEM_OK : fail(w, status);
}

/* ---- single ops ------------------------------------------------------------------------------ */

static panem_status op_flush(pn_ptrace_writer *w, thread_out *t)
{
    if (t->n_insts == 0)
        return PANEM_OK;
    pn_block_def def = {t->insts, t->slots, t->n_insts, t->n_slots, t->flags};
    uint32_t id = 0;
    t->n_insts = t->n_slots = 0;
    t->flags = 0;
    PN_TRY(pn_ptrace_block(w, &id, &def));
    return exec_block(w, t, id, t->slot_addresses);
}

static panem_status op_add(pn_ptrace_writer *w, thread_out *t, const pn_op *op)
{
    if (!t->slots) {
        t->slots = malloc(PN_BLOCK_ACCESSES * sizeof *t->slots);
        t->slot_addresses = malloc(PN_BLOCK_ACCESSES * sizeof *t->slot_addresses);
        if (!t->slots || !t->slot_addresses)
            return PANEM_E_NOMEM;
    }
    bool sequential = t->end == 0 || t->end == op->inst->pc;
    if (t->n_insts == OP_BLOCK_INSTS || op->flags & PN_OP_CONTINUES || !sequential ||
        op->n_accesses > PN_BLOCK_ACCESSES - t->n_slots)
        PN_TRY(op_flush(w, t));
    if (op->n_accesses > PN_BLOCK_ACCESSES)
        return PANEM_E_ARG;
    if (op->flags & PN_OP_CONTINUES)
        t->flags = PN_BLOCK_CONTINUES;
    PN_TRY(pn_ptrace_inst_once(w, &t->insts[t->n_insts], op->inst));
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        t->slots[t->n_slots] = (pn_slot){t->n_insts, a->bytes, a->write};
        t->slot_addresses[t->n_slots++] = a->address;
    }
    t->n_insts++;
    t->end = op->inst->length ? pn_inst_end(op->inst) : 0;
    if (op->inst->branch == PN_BRANCH_NONE)
        return PANEM_OK;
    if (op->inst->branch == PN_BRANCH_COND && op->inst->length == 0)
        t->flags |= (uint8_t)(PN_BLOCK_OUTCOME | (op->flags & PN_OP_TAKEN ? PN_BLOCK_TAKEN : 0));
    t->end = 0;
    return op_flush(w, t);
}

panem_status pn_ptrace_op(pn_ptrace_writer *w, uint32_t thread, const pn_op *op)
{
    thread_out *t = thread_at(w, thread);
    if (!t)
        return fail(w, PANEM_E_NOMEM);
    panem_status status = op_add(w, t, op);
    return status == PANEM_OK ? PANEM_OK : fail(w, status);
}

panem_status pn_ptrace_event(pn_ptrace_writer *w, uint32_t thread, pn_event_kind kind,
                             uint64_t value)
{
    thread_out *t = thread_at(w, thread);
    if (!t)
        return fail(w, PANEM_E_NOMEM);
    panem_status status = op_flush(w, t);
    if (status == PANEM_OK && !t->open)
        status = open_section(t);
    if (status == PANEM_OK && !pn_bytes_reserve(&t->tokens, (size_t)3 * PN_VARINT_MAX))
        status = PANEM_E_NOMEM;
    if (status != PANEM_OK)
        return fail(w, status);
    pn_put_varint(&t->tokens, PN_TOKEN_EVENT);
    pn_put_varint(&t->tokens, kind);
    pn_put_varint(&t->tokens, value);
    if (kind == PN_EVENT_SYSCALL)
        t->totals.syscalls++;
    return PANEM_OK;
}

/* ---- memory-only ----------------------------------------------------------------------------- */

static panem_status close_records(pn_ptrace_writer *w)
{
    if (w->n_records == 0)
        return PANEM_OK;
    panem_status status =
        pn_section_write(&w->out, PN_SECTION_MEMORY, 0, w->n_records, &w->records);
    w->records.length = 0;
    w->n_records = 0;
    return status;
}

panem_status pn_ptrace_mem(pn_ptrace_writer *w, const pn_mem_record *r)
{
    if (w->n_records == PN_MEMORY_RECORDS && close_records(w) != PANEM_OK)
        return fail(w, PANEM_E_NOMEM);
    if (!pn_bytes_reserve(&w->records, (size_t)3 * PN_VARINT_MAX))
        return fail(w, PANEM_E_NOMEM);
    if (w->n_records == 0)
        w->last_time = w->last_address = 0;
    pn_put_svarint(&w->records, (int64_t)(r->time - w->last_time));
    pn_put_svarint(&w->records, (int64_t)(r->address - w->last_address));
    pn_put_varint(&w->records, (uint64_t)r->bytes << 1 | (r->write & 1));
    w->last_time = r->time;
    w->last_address = r->address;
    w->n_records++;
    w->total_records++;
    w->record_writes += r->write & 1;
    w->record_reads += !(r->write & 1);
    return PANEM_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

uint64_t pn_ptrace_instructions(const pn_ptrace_writer *w)
{
    return w->instructions;
}

uint64_t pn_ptrace_bytes(const pn_ptrace_writer *w)
{
    return w->out.offset;
}

uint64_t pn_ptrace_undecoded(const pn_ptrace_writer *w)
{
    return w->undecoded;
}

static panem_status write_done(pn_ptrace_writer *w)
{
    pn_bytes *out = &w->scratch;
    out->length = 0;
    if (!pn_bytes_reserve(out, 64 + (size_t)w->n_threads * 36))
        return PANEM_E_NOMEM;
    uint64_t reads = w->record_reads, writes = w->record_writes;
    uint32_t used = 0;
    for (uint32_t i = 0; i < w->n_threads; i++) {
        if (w->threads[i]) {
            used++;
            reads += w->threads[i]->totals.reads;
            writes += w->threads[i]->totals.writes;
        }
    }
    const uint64_t totals[] = {
        XXH64_digest(w->out.hash), w->instructions, reads, writes, w->undecoded, w->total_records};
    for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
        pn_put_le(out, totals[i], 8);
    pn_put_le(out, used, 4);
    for (uint32_t i = 0; i < w->n_threads; i++) {
        if (!w->threads[i])
            continue;
        const pn_trace_thread *t = &w->threads[i]->totals;
        pn_put_le(out, t->id, 4);
        pn_put_le(out, t->instructions, 8);
        pn_put_le(out, t->reads, 8);
        pn_put_le(out, t->writes, 8);
        pn_put_le(out, t->syscalls, 8);
    }
    return pn_section_write(&w->out, PN_SECTION_DONE, 0, used, out);
}

static panem_status write_index(pn_ptrace_writer *w, uint64_t *offset)
{
    pn_bytes *out = &w->scratch;
    size_t n = w->out.n_sections;
    out->length = 0;
    if (!pn_bytes_reserve(out, n * 24))
        return PANEM_E_NOMEM;
    for (size_t i = 0; i < n; i++) {
        const pn_section *s = &w->out.sections[i];
        pn_put_le(out, s->type, 4);
        pn_put_le(out, s->thread, 4);
        pn_put_le(out, s->offset, 8);
        pn_put_le(out, s->count, 8);
    }
    *offset = w->out.offset;
    return pn_section_write(&w->out, PN_SECTION_INDEX, 0, n, out);
}

static panem_status finish(pn_ptrace_writer *w, uint64_t *index_offset)
{
    for (uint32_t i = 0; i < w->n_threads; i++) {
        if (w->threads[i]) {
            PN_TRY(op_flush(w, w->threads[i]));
            PN_TRY(close_section(w, w->threads[i], 0));
        }
    }
    PN_TRY(close_records(w));
    PN_TRY(write_done(w));
    return write_index(w, index_offset);
}

static void writer_free(pn_ptrace_writer *w)
{
    for (uint32_t i = 0; i < w->n_threads; i++) {
        thread_out *t = w->threads[i];
        if (!t)
            continue;
        pn_chain_release(&t->chain);
        pn_bytes_release(&t->tokens);
        pn_bytes_release(&t->addresses);
        free(t->slots);
        free(t->slot_addresses);
        free(t);
    }
    free(w->threads);
    pn_section_writer_release(&w->out);
    pn_inst_table_release(&w->insts);
    pn_block_table_release(&w->blocks);
    pn_idmap_release(&w->inst_map);
    pn_idmap_release(&w->block_map);
    pn_bytes_release(&w->scratch);
    pn_bytes_release(&w->records);
    free(w);
}

panem_status pn_ptrace_commit(pn_ptrace_writer *w, uint64_t *bytes, panem_error *err)
{
    uint64_t index_offset = 0;
    panem_status status = w->failed;
    if (status == PANEM_OK)
        status = finish(w, &index_offset);
    uint64_t size = w->out.offset + PN_PTRACE_FOOTER_BYTES;
    if (status == PANEM_OK)
        status = pn_section_writer_commit(&w->out, index_offset, err);
    else
        (void)pn_err(err, status, "the trace could not be written: %s", panem_status_text(status));
    writer_free(w);
    if (bytes && status == PANEM_OK)
        *bytes = size;
    return status;
}

void pn_ptrace_abort(pn_ptrace_writer *w)
{
    if (w)
        writer_free(w);
}
