/* crack.c - from an executed instruction to micro-ops.
 *
 * One micro-op per line that is read, one for the operation unless the instruction only moves data
 * between registers and memory, one per line that is written, one for an address register that is
 * written back. An access that crosses a line is two.
 * Assumption: of several loads in one instruction the last one carries the result. */
#include "core/core_priv.h"

enum { UNKNOWN_BYTES = 8, LINE_MASK = PN_LINE_BYTES - 1, LOADS_KEPT = 4 };

static void add_source(pn_proto *p, uint64_t seq)
{
    if (seq == 0 || p->sources == PN_UOP_SOURCES)
        return;
    for (unsigned i = 0; i < p->sources; i++)
        if (p->source[i] == seq)
            return;
    p->source[p->sources++] = seq;
}

static void add_registers(const pn_core *c, pn_proto *p, const uint8_t *regs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        add_source(p, regs[i] ? c->writer[regs[i]] : 0);
}

/* A new micro-op at the end of the list. */
static pn_proto *add(pn_core *c, pn_uop_kind kind, pn_pipe pipe, unsigned latency_cyc)
{
    pn_proto *p = &c->protos[c->proto_count++];
    p->sources = 0;
    p->kind = (uint8_t)kind;
    p->pipe = (uint8_t)pipe;
    p->latency_cyc = (uint8_t)latency_cyc;
    p->address = p->pc = 0;
    p->bytes = 0;
    return p;
}

static uint64_t last_seq(const pn_core *c)
{
    return c->next_seq + c->proto_count - 1;
}

/* Bytes of the access in its first line; the rest is in the next. */
static unsigned in_first_line(const pn_access *a, unsigned bytes)
{
    unsigned room = PN_LINE_BYTES - (unsigned)(a->address & LINE_MASK);
    return bytes < room ? bytes : room;
}

typedef struct parts {
    uint64_t loads[LOADS_KEPT];
    unsigned n_loads; /* kept */
    uint64_t op;      /* sequence number of the operation, 0 = none */
    uint64_t store;
} parts;

static pn_proto *add_load(pn_core *c, const pn_inst *inst, parts *s, uint64_t address,
                          unsigned bytes)
{
    pn_proto *p = add(c, PN_UOP_LOAD, PN_PIPE_LOAD, 0);
    add_registers(c, p, inst->addr, inst->n_addr);
    p->address = address;
    p->bytes = (uint8_t)bytes;
    s->loads[s->n_loads < LOADS_KEPT ? s->n_loads++ : LOADS_KEPT - 1] = last_seq(c);
    return p;
}

static pn_proto *add_store(pn_core *c, const pn_inst *inst, parts *s, uint64_t address,
                           unsigned bytes)
{
    pn_proto *p = add(c, PN_UOP_STORE, PN_PIPE_STORE, 1);
    add_registers(c, p, inst->addr, inst->n_addr);
    if (s->op)
        add_source(p, s->op);
    else
        add_registers(c, p, inst->src, inst->n_src);
    for (unsigned i = 0; !s->op && i < s->n_loads; i++)
        add_source(p, s->loads[i]);
    p->address = address;
    p->bytes = (uint8_t)bytes;
    s->store = last_seq(c);
    return p;
}

static void add_accesses(pn_core *c, const pn_op *op, parts *s, bool write)
{
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        if ((a->write != 0) != write || c->proto_count + 2 > c->proto_max)
            continue;
        unsigned bytes = a->bytes ? a->bytes : UNKNOWN_BYTES;
        unsigned first = in_first_line(a, bytes);
        pn_proto *(*one)(pn_core *, const pn_inst *, parts *, uint64_t, unsigned) =
            write ? add_store : add_load;
        one(c, op->inst, s, a->address, first)->pc = op->inst->pc;
        if (first < bytes)
            (void)one(c, op->inst, s, a->address + first, bytes - first);
    }
}

static void add_operation(pn_core *c, const pn_op *op, parts *s)
{
    const pn_inst *inst = op->inst;
    bool moves = inst->cls == PN_CLASS_LOAD || inst->cls == PN_CLASS_STORE;
    if (moves && op->n_accesses > 0)
        return;
    unsigned cls = inst->cls < PN_CLASS_COUNT ? inst->cls : PN_CLASS_UNKNOWN;
    bool branch = inst->branch != PN_BRANCH_NONE;
    pn_proto *p = add(c, PN_UOP_OP, branch ? PN_PIPE_BRANCH : (pn_pipe)c->class_pipe[cls],
                      branch ? 1 : c->class_latency[cls]);
    if (p->pipe != PN_PIPE_NONE) {
        add_registers(c, p, inst->src, inst->n_src);
        if (op->n_accesses == 0)
            add_registers(c, p, inst->addr, inst->n_addr);
    }
    for (unsigned i = 0; i < s->n_loads; i++)
        add_source(p, s->loads[i]);
    s->op = last_seq(c);
}

void pn_core_crack(pn_core *c, const pn_op *op, uint64_t *branch_seq)
{
    const pn_inst *inst = op->inst;
    parts s = {.n_loads = 0};
    uint64_t base = 0;
    c->proto_count = 0;
    add_accesses(c, op, &s, false);
    add_operation(c, op, &s);
    add_accesses(c, op, &s, true);
    if (inst->writeback && op->n_accesses > 0) {
        pn_proto *p = add(c, PN_UOP_OP, PN_PIPE_ALU, 1);
        add_registers(c, p, &inst->writeback, 1);
        base = last_seq(c);
    }
    uint64_t result = s.op ? s.op : s.n_loads ? s.loads[s.n_loads - 1] : s.store;
    for (unsigned i = 0; i < inst->n_dst; i++)
        if (inst->dst[i])
            c->writer[inst->dst[i]] = result;
    if (base)
        c->writer[inst->writeback] = base;
    *branch_seq = inst->branch != PN_BRANCH_NONE ? s.op : 0;
}
