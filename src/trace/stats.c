/* stats.c - see stats.h. */
#include "trace/stats.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_SHIFT = 6, PAGE_SHIFT = 12, CACHE_SETS = 4096, CACHE_WAYS = 8 };
enum { READ_MARK = 1, WRITE_MARK = 2 };

/* A set of 64-bit keys with a few marks each: open addressing, key + 1 so that 0 is free. */
typedef struct keyset {
    uint64_t *keys;
    uint8_t *marks;
    size_t mask, count;
} keyset;

static size_t find(const keyset *s, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & s->mask;
    while (s->keys[i] && s->keys[i] != key + 1)
        i = (i + 1) & s->mask;
    return i;
}

static bool grow(keyset *s)
{
    size_t n = s->keys ? (s->mask + 1) * 2 : 4096;
    keyset larger = {calloc(n, sizeof *s->keys), calloc(n, 1), n - 1, s->count};
    if (!larger.keys || !larger.marks) {
        free(larger.keys);
        free(larger.marks);
        return false;
    }
    for (size_t i = 0; s->keys && i <= s->mask; i++) {
        if (s->keys[i]) {
            size_t at = find(&larger, s->keys[i] - 1);
            larger.keys[at] = s->keys[i];
            larger.marks[at] = s->marks[i];
        }
    }
    free(s->keys);
    free(s->marks);
    *s = larger;
    return true;
}

/* The marks the key had before; false without memory. */
static bool put(keyset *s, uint64_t key, uint8_t marks, uint8_t *before)
{
    if ((!s->keys || s->count * 2 > s->mask) && !grow(s))
        return false;
    size_t at = find(s, key);
    *before = s->marks[at];
    if (!s->keys[at]) {
        s->keys[at] = key + 1;
        s->count++;
    }
    s->marks[at] |= marks;
    return true;
}

static void keyset_release(keyset *s)
{
    free(s->keys);
    free(s->marks);
}

typedef struct measure {
    pn_trace_stats s;
    keyset lines, pages, code, pcs;
    uint8_t *seen; /* by static id: already counted */
    size_t seen_capacity;
    uint64_t recent_page;
    uint64_t cache[CACHE_SETS][CACHE_WAYS]; /* line + 1, most recent first */
} measure;

/* True when the line was missing. */
static bool cache_miss(measure *m, uint64_t line)
{
    uint64_t *set = m->cache[line % CACHE_SETS];
    unsigned way = 0;
    while (way < CACHE_WAYS - 1 && set[way] != line + 1)
        way++;
    bool miss = set[way] != line + 1;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line + 1;
    return miss;
}

static bool touch(measure *m, uint64_t address, uint32_t bytes, bool write)
{
    uint64_t first = address >> LINE_SHIFT;
    uint64_t last = (address + (bytes ? bytes - 1 : 0)) >> LINE_SHIFT;
    uint8_t before, mark = write ? WRITE_MARK : READ_MARK;
    for (uint64_t line = first; line <= last && line - first < 65536; line++) {
        m->s.cache_misses += cache_miss(m, line);
        if (!put(&m->lines, line, mark, &before))
            return false;
        m->s.data_lines += before == 0;
        m->s.read_lines += !write && !(before & READ_MARK);
        m->s.written_lines += write && !(before & WRITE_MARK);
        uint64_t page = line >> (PAGE_SHIFT - LINE_SHIFT);
        if (page != m->recent_page && !put(&m->pages, page, READ_MARK, &before))
            return false;
        m->recent_page = page;
    }
    if (write) {
        m->s.writes++;
        m->s.write_bytes += bytes;
    } else {
        m->s.reads++;
        m->s.read_bytes += bytes;
    }
    m->s.unknown_size += bytes == 0;
    return true;
}

/* Static facts, once per instruction. */
static bool first_time(measure *m, const pn_inst *inst)
{
    uint8_t before;
    if (inst->id >= m->seen_capacity) {
        size_t capacity = (size_t)inst->id * 2 + 4096;
        uint8_t *more = realloc(m->seen, capacity);
        if (!more)
            return false;
        memset(more + m->seen_capacity, 0, capacity - m->seen_capacity);
        m->seen = more;
        m->seen_capacity = capacity;
    }
    if (m->seen[inst->id])
        return true;
    m->seen[inst->id] = 1;
    m->s.static_instructions++;
    if (!put(&m->pcs, inst->pc, READ_MARK, &before))
        return false;
    m->s.changed +=
        before == READ_MARK &&
        !(inst->flags & PN_INST_NO_BYTES); /* the second content; a third finds both marks */
    if (before == READ_MARK && !put(&m->pcs, inst->pc, WRITE_MARK, &before))
        return false;
    uint64_t last = (inst->pc + (inst->length ? inst->length - 1 : 0)) >> LINE_SHIFT;
    for (uint64_t line = inst->pc >> LINE_SHIFT; line <= last; line++) {
        if (!put(&m->code, line, READ_MARK, &before))
            return false;
    }
    return true;
}

/* The decoder's word against what happened: the sizes and presence of accesses. */
static void compare(pn_trace_stats *s, const pn_op *op)
{
    const pn_inst *inst = op->inst;
    uint64_t bytes[2] = {0, 0};
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        s->unexpected += !(inst->flags & (a->write ? PN_INST_STORE : PN_INST_LOAD));
        bytes[a->write] += a->bytes;
    }
    if (inst->flags & (PN_INST_REP | PN_INST_LANES | PN_INST_NO_BYTES))
        return;
    s->missing += (inst->flags & PN_INST_LOAD && !bytes[0]);
    s->missing += (inst->flags & PN_INST_STORE && !bytes[1]);
    s->resized += bytes[0] && inst->load_bytes && bytes[0] != inst->load_bytes;
    s->resized += bytes[1] && inst->store_bytes && bytes[1] != inst->store_bytes;
}

static bool take(measure *m, const pn_op *op)
{
    const pn_inst *inst = op->inst;
    pn_trace_stats *s = &m->s;
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        if (!touch(m, a->address, a->bytes, a->write))
            return false;
    }
    compare(s, op);
    if (op->flags & PN_OP_CONTINUES) {
        s->parts++;
        return true;
    }
    s->instructions++;
    s->uops += inst->uops;
    s->by_class[inst->cls]++;
    s->branches[inst->branch]++;
    s->taken[inst->branch] += (op->flags & PN_OP_TAKEN) != 0;
    s->loads += (inst->flags & PN_INST_LOAD) != 0;
    s->stores += (inst->flags & PN_INST_STORE) != 0;
    s->atomics += (inst->flags & PN_INST_ATOMIC) != 0;
    s->prefetches += (inst->flags & PN_INST_PREFETCH) != 0;
    s->cache_ops += (inst->flags & PN_INST_CACHE_OP) != 0;
    s->undecoded += (inst->flags & PN_INST_UNDECODED) != 0;
    s->discontinuities += (op->flags & PN_OP_JUMPED) != 0;
    return first_time(m, inst);
}

static panem_status measure_ops(measure *m, pn_trace *trace, uint64_t max, panem_error *err)
{
    for (;;) {
        pn_batch batch;
        PN_TRY(pn_trace_next(trace, &batch, err));
        for (size_t i = 0; i < batch.n_events; i++)
            m->s.syscalls += batch.events[i].kind == PN_EVENT_SYSCALL;
        for (size_t i = 0; i < batch.n_ops; i++) {
            if (max && m->s.instructions == max && !(batch.ops[i].flags & PN_OP_CONTINUES))
                return PANEM_OK;
            if (!take(m, &batch.ops[i]))
                return pn_err(err, PANEM_E_NOMEM, "no memory to measure the trace");
        }
        if (batch.n_ops == 0)
            return PANEM_OK;
    }
}

static panem_status measure_records(measure *m, pn_trace *trace, panem_error *err)
{
    enum { CHUNK = 1024 };
    pn_mem_record records[CHUNK];
    size_t n = 0;
    do {
        PN_TRY(pn_trace_next_mem(trace, records, &n, CHUNK, err));
        for (size_t i = 0; i < n; i++) {
            if (!touch(m, records[i].address, records[i].bytes, records[i].write))
                return pn_err(err, PANEM_E_NOMEM, "no memory to measure the trace");
        }
    } while (n);
    return PANEM_OK;
}

panem_status pn_trace_measure(pn_trace_stats *stats, pn_trace *trace, uint64_t max,
                              panem_error *err)
{
    measure *m = calloc(1, sizeof *m);
    if (!m)
        return pn_err(err, PANEM_E_NOMEM, "no memory to measure the trace");
    m->recent_page = UINT64_MAX;
    panem_status status = pn_trace_about(trace)->kind == PN_TRACE_MEMORY
                              ? measure_records(m, trace, err)
                              : measure_ops(m, trace, max, err);
    m->s.data_pages = m->pages.count;
    m->s.code_lines = m->code.count;
    if (status == PANEM_OK)
        *stats = m->s;
    keyset_release(&m->lines);
    keyset_release(&m->pages);
    keyset_release(&m->code);
    keyset_release(&m->pcs);
    free(m->seen);
    free(m);
    return status;
}
