/* champsim.c - reading ChampSim and CloudSuite records; see champsim.h. */
#include "trace/champsim.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/bytes.h"
#include "trace/dict.h"
#include "trace/idmap.h"
#include "trace/trace_priv.h"

enum {
    RECORD_BYTES = 64,
    CLOUDSUITE_BYTES = 96,
    BATCH = 2048,
    MAX_ACCESSES = 8,
    REG_SP = 6,
    REG_FLAGS = 25,
    REG_IP = 26
};

/* One record, whichever form it came in. */
typedef struct record {
    uint64_t ip;
    uint64_t dst_mem[4], src_mem[4];
    uint8_t is_branch, taken;
    uint8_t dst[4], src[4];
} record;

typedef struct champsim {
    pn_trace base;
    pn_source source;
    unsigned record_bytes, n_dst;
    pn_inst_table insts;
    pn_idmap map;
    uint8_t *raw; /* BATCH + 1 records: one is held back until its successor is known */
    size_t held;  /* bytes of raw kept from before */
    uint64_t records;
    bool ended;
    pn_op ops[BATCH];
    pn_access accesses[BATCH * MAX_ACCESSES];
} champsim;

static void unpack(record *r, const uint8_t *p, unsigned n_dst)
{
    memset(r, 0, sizeof *r);
    r->ip = pn_get_le(p, 8);
    r->is_branch = p[8];
    r->taken = p[9];
    memcpy(r->dst, p + 10, n_dst);
    memcpy(r->src, p + 10 + n_dst, 4);
    const uint8_t *memory = p + (n_dst == 4 ? 24 : 16);
    for (unsigned i = 0; i < n_dst; i++)
        r->dst_mem[i] = pn_get_le(memory + 8 * (size_t)i, 8);
    for (unsigned i = 0; i < 4; i++)
        r->src_mem[i] = pn_get_le(memory + 8 * (size_t)(n_dst + i), 8);
}

/* Sound, as far as one record can tell. */
static bool plausible(const record *r)
{
    return r->ip != 0 && r->is_branch <= 1 && r->taken <= 1 && (r->is_branch || !r->taken);
}

/* Trades the stack pointer and the flags into our places, so that no two registers collide. */
static uint8_t our_register(uint8_t reg)
{
    switch (reg) {
    case REG_SP:
        return PN_REG_X86_RSP;
    case PN_REG_X86_RSP:
        return REG_SP;
    case REG_FLAGS:
        return PN_REG_FLAGS;
    case PN_REG_FLAGS:
        return REG_FLAGS;
    default:
        return reg;
    }
}

typedef struct uses {
    bool reads_sp, reads_flags, reads_ip, reads_other, writes_sp;
} uses;

static uses uses_of(const record *r)
{
    uses u = {0};
    for (unsigned i = 0; i < 4; i++) {
        u.reads_sp |= r->src[i] == REG_SP;
        u.reads_flags |= r->src[i] == REG_FLAGS;
        u.reads_ip |= r->src[i] == REG_IP;
        u.reads_other |=
            r->src[i] && r->src[i] != REG_SP && r->src[i] != REG_FLAGS && r->src[i] != REG_IP;
        u.writes_sp |= r->dst[i] == REG_SP;
    }
    return u;
}

static pn_branch branch_kind(const record *r)
{
    uses u = uses_of(r);
    if (!r->is_branch)
        return PN_BRANCH_NONE;
    if (u.reads_sp && u.writes_sp && !u.reads_ip)
        return PN_BRANCH_RETURN;
    if (u.reads_sp && u.writes_sp)
        return u.reads_other ? PN_BRANCH_CALL_INDIRECT : PN_BRANCH_CALL;
    if (u.reads_flags || (u.reads_ip && u.reads_other))
        return PN_BRANCH_COND;
    return u.reads_other ? PN_BRANCH_JUMP_INDIRECT : PN_BRANCH_JUMP;
}

static void fill_registers(pn_inst *inst, const record *r)
{
    for (unsigned i = 0; i < 4; i++) {
        if (r->dst[i] && r->dst[i] != REG_IP)
            inst->dst[inst->n_dst++] = our_register(r->dst[i]);
        if (!r->src[i] || r->src[i] == REG_IP)
            continue;
        /* The format does not tell address from data: memory waits for all of them. */
        if (inst->flags & (PN_INST_LOAD | PN_INST_STORE))
            inst->addr[inst->n_addr++] = our_register(r->src[i]);
        if (!(inst->flags & PN_INST_LOAD))
            inst->src[inst->n_src++] = our_register(r->src[i]);
    }
}

static void make_inst(pn_inst *inst, const record *r)
{
    memset(inst, 0, sizeof *inst);
    inst->pc = r->ip;
    unsigned loads = 0, stores = 0;
    for (unsigned i = 0; i < 4; i++) {
        loads += r->src_mem[i] != 0;
        stores += r->dst_mem[i] != 0;
    }
    inst->branch = (uint8_t)branch_kind(r);
    inst->flags =
        (uint16_t)(PN_INST_NO_BYTES | (loads ? PN_INST_LOAD : 0) | (stores ? PN_INST_STORE : 0));
    inst->uops = (uint8_t)(loads + stores ? loads + stores : 1);
    if (inst->branch)
        inst->cls = PN_CLASS_BRANCH;
    else if (stores)
        inst->cls = PN_CLASS_STORE;
    else
        inst->cls = loads ? PN_CLASS_LOAD : PN_CLASS_UNKNOWN;
    fill_registers(inst, r);
}

static const pn_inst *intern(champsim *t, const record *r)
{
    pn_inst inst;
    make_inst(&inst, r);
    uint64_t hash = pn_inst_hash(&inst);
    for (PN_IDMAP_EACH(&t->map, hash, e)) {
        const pn_inst *known = pn_inst_at(&t->insts, e->id);
        if (e->hash == hash && pn_inst_equal(known, &inst))
            return known;
    }
    const pn_inst *added = pn_inst_table_add(&t->insts, &inst);
    return added && pn_idmap_add(&t->map, hash, added->id) ? added : NULL;
}

static panem_status bad_record(const champsim *t, const record *r, panem_error *err)
{
    const char *other = t->record_bytes == RECORD_BYTES ? "cloudsuite" : "champsim";
    return pn_err_at(err, PANEM_E_FORMAT, t->base.path, 0, 0,
                     "record %" PRIu64 ": ip 0x%" PRIx64
                     ", is_branch %u, taken %u make no sense as "
                     "%u-byte records; perhaps it is %s (--from %s)",
                     t->records + 1, r->ip, r->is_branch, r->taken, t->record_bytes, other, other);
}

static panem_status convert(champsim *t, size_t index, const record *r, uint64_t next,
                            pn_access **access, panem_error *err)
{
    if (!plausible(r))
        return bad_record(t, r, err);
    pn_op *op = &t->ops[index];
    *op = (pn_op){intern(t, r), *access, next, 0, 0};
    if (!op->inst)
        return pn_err(err, PANEM_E_NOMEM, "no memory to read the trace");
    for (unsigned i = 0; i < 4; i++) {
        if (r->src_mem[i])
            *(*access)++ = (pn_access){r->src_mem[i], 0, 0};
    }
    for (unsigned i = 0; i < 4; i++) {
        if (r->dst_mem[i])
            *(*access)++ = (pn_access){r->dst_mem[i], 0, 1};
    }
    op->n_accesses = (uint16_t)(*access - op->accesses);
    op->flags = r->is_branch && r->taken ? PN_OP_TAKEN : 0;
    t->records++;
    return PANEM_OK;
}

/* Fills raw up to its end; *records whole ones are there. */
static panem_status refill(champsim *t, size_t *records, panem_error *err)
{
    size_t want = (BATCH + 1) * (size_t)t->record_bytes - t->held;
    size_t got = 0;
    panem_error own = PANEM_ERROR_INIT;
    panem_status status =
        t->ended ? PANEM_OK : pn_source_read(&t->source, t->raw + t->held, &got, want, &own);
    uint64_t whole = t->records + (t->held + got) / t->record_bytes;
    bool cut = status == PANEM_E_DAMAGED;
    size_t left = (t->held + got) % t->record_bytes;
    if (cut && !t->base.options.accept_truncated)
        return pn_err_at(err, status, t->base.path, 0, 0,
                         "unexpected end of compressed data after %" PRIu64 " records", whole);
    if (status != PANEM_OK && !cut) {
        if (err && err->status == PANEM_OK)
            *err = own;
        return status;
    }
    if (left && !t->base.options.accept_truncated)
        return pn_err_at(err, PANEM_E_DAMAGED, t->base.path, 0, 0,
                         "%zu bytes left over after %" PRIu64 " records of %u bytes", left, whole,
                         t->record_bytes);
    t->base.truncated |= cut || left;
    t->ended |= got < want;
    *records = (t->held + got) / t->record_bytes;
    return PANEM_OK;
}

static panem_status next_ops(pn_trace *trace, pn_batch *batch, panem_error *err)
{
    champsim *t = (champsim *)trace;
    uint64_t first = t->records;
    size_t records = 0;
    PN_TRY(refill(t, &records, err));
    size_t n = t->ended || records == 0 ? records : records - 1;
    if (n > BATCH)
        n = BATCH;
    pn_access *access = t->accesses;
    record r, after;
    if (records)
        unpack(&r, t->raw, t->n_dst);
    for (size_t i = 0; i < n; i++) {
        bool has_next = i + 1 < records;
        if (has_next)
            unpack(&after, t->raw + (i + 1) * t->record_bytes, t->n_dst);
        PN_TRY(convert(t, i, &r, has_next ? after.ip : 0, &access, err));
        r = after;
    }
    t->held = (records - n) * t->record_bytes;
    memmove(t->raw, t->raw + n * t->record_bytes, t->held);
    *batch = (pn_batch){t->ops, NULL, n, 0, first};
    return PANEM_OK;
}

/* The head must make sense as records; if only the other size does, say so. */
static size_t sound_records(const pn_source *s, unsigned bytes)
{
    size_t n = s->head_bytes / bytes, good = 0;
    for (size_t i = 0; i < n; i++) {
        record r;
        unpack(&r, s->head + i * bytes, bytes == CLOUDSUITE_BYTES ? 4 : 2);
        good += plausible(&r);
    }
    return n ? good * 1000 / n : 0; /* per mille */
}

static panem_status judge(const champsim *t, panem_error *err)
{
    unsigned mine = t->record_bytes;
    unsigned other = mine == RECORD_BYTES ? CLOUDSUITE_BYTES : RECORD_BYTES;
    if (t->source.head_bytes == 0)
        return pn_err_at(err, PANEM_E_EMPTY, t->base.path, 0, 0, "the trace is empty");
    if (t->source.head_bytes < mine || sound_records(&t->source, mine) == 1000)
        return PANEM_OK; /* reading tells the rest */
    if (sound_records(&t->source, other) == 1000)
        return pn_err_at(err, PANEM_E_FORMAT, t->base.path, 0, 0,
                         "does not look like %u-byte records, but it does like %u-byte ones: say "
                         "--from %s",
                         mine, other, other == RECORD_BYTES ? "champsim" : "cloudsuite");
    return PANEM_OK;
}

static uint32_t inst_count(const pn_trace *trace)
{
    return ((const champsim *)trace)->insts.count;
}

static void close_trace(pn_trace *trace)
{
    champsim *t = (champsim *)trace;
    pn_source_close(&t->source);
    pn_inst_table_release(&t->insts);
    pn_idmap_release(&t->map);
    free(t->raw);
    pn_trace_base_release(trace);
    free(t);
}

static const pn_trace_ops champsim_ops = {next_ops, NULL, NULL, inst_count, close_trace};

panem_status pn_champsim_open(pn_trace **trace, pn_source *source, const pn_trace_options *options,
                              panem_error *err)
{
    bool cloudsuite = options->format == PN_TRACE_FORMAT_CLOUDSUITE;
    champsim *t = calloc(1, sizeof *t);
    bool good = t && pn_trace_base(&t->base, &champsim_ops, source->path, options, options->format);
    if (good) {
        t->record_bytes = cloudsuite ? CLOUDSUITE_BYTES : RECORD_BYTES;
        t->n_dst = cloudsuite ? 4 : 2;
        t->raw = malloc((BATCH + 1) * (size_t)t->record_bytes);
    }
    if (!good || !t->raw) {
        pn_source_close(source);
        if (t)
            close_trace(&t->base);
        return pn_err(err, PANEM_E_NOMEM, "no memory to open a trace");
    }
    t->source = *source;
    t->base.info.unknown = PN_UNKNOWN_SIZE | PN_UNKNOWN_CLASS | PN_UNKNOWN_LENGTH;
    t->base.info.source = "champsim";
    panem_status status = judge(t, err);
    if (status != PANEM_OK) {
        close_trace(&t->base);
        return status;
    }
    *trace = &t->base;
    return PANEM_OK;
}
