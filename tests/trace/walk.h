/* walk.h - an invented program and a random walk through it, for tests of traces.
 *
 * The walk is the oracle: it makes ops from nothing but its own generator, so what a reader gives
 * back can be compared with a second run of the same walk. */
#ifndef PN_TESTS_TRACE_WALK_H
#define PN_TESTS_TRACE_WALK_H

#include <string.h>

#include "base/rng.h"
#include "trace/trace.h"

enum { WALK_INSTS = 600, WALK_ACCESSES = 6 };

typedef struct walk {
    pn_rng rng;
    pn_inst insts[WALK_INSTS];
    unsigned at;
    bool part; /* the next op goes on with the one before */
    uint64_t base[WALK_INSTS];
    pn_access accesses[WALK_ACCESSES];
    pn_op op;
} walk;

static inline void walk_inst(walk *w, unsigned i, uint64_t pc)
{
    pn_inst *inst = &w->insts[i];
    memset(inst, 0, sizeof *inst);
    inst->pc = pc;
    inst->length = (uint8_t)(1 + pn_rng_below(&w->rng, 15));
    inst->cls = (uint8_t)(1 + pn_rng_below(&w->rng, PN_CLASS_COUNT - 1));
    inst->uops = (uint8_t)(1 + pn_rng_below(&w->rng, 4));
    inst->flags = (uint16_t)(pn_rng_below(&w->rng, 2) ? PN_INST_LOAD : 0);
    inst->n_dst = (uint8_t)pn_rng_below(&w->rng, PN_INST_DST + 1);
    inst->n_addr = (uint8_t)pn_rng_below(&w->rng, PN_INST_ADDR + 1);
    inst->n_src = (uint8_t)pn_rng_below(&w->rng, PN_INST_SRC + 1);
    for (unsigned k = 0; k < inst->n_dst; k++)
        inst->dst[k] = (uint8_t)(1 + pn_rng_below(&w->rng, 120));
    for (unsigned k = 0; k < inst->n_addr; k++)
        inst->addr[k] = (uint8_t)(1 + pn_rng_below(&w->rng, 120));
    for (unsigned k = 0; k < inst->n_src; k++)
        inst->src[k] = (uint8_t)(1 + pn_rng_below(&w->rng, 120));
    for (unsigned k = 0; k < inst->length; k++)
        inst->bytes[k] = (uint8_t)pn_rng_below(&w->rng, 256);
    w->base[i] = UINT64_C(0x7f0000000000) + pn_rng_below(&w->rng, 1 << 30);
}

static inline void walk_start(walk *w, uint64_t seed)
{
    memset(w, 0, sizeof *w);
    pn_rng_init(&w->rng, seed, 1);
    uint64_t pc = 0x400000;
    for (unsigned i = 0; i < WALK_INSTS; i++) {
        walk_inst(w, i, pc);
        pc = pn_inst_end(&w->insts[i]);
    }
    for (unsigned i = 0; i < WALK_INSTS; i += 5) {
        pn_inst *inst = &w->insts[i];
        inst->branch = (uint8_t)(1 + pn_rng_below(&w->rng, PN_BRANCH_COUNT - 1));
        bool direct = inst->branch == PN_BRANCH_COND || inst->branch == PN_BRANCH_JUMP ||
                      inst->branch == PN_BRANCH_CALL;
        /* at least two ahead, so that taken and not taken differ */
        unsigned to = (i + 2 + (unsigned)pn_rng_below(&w->rng, WALK_INSTS - 5)) % WALK_INSTS;
        inst->target = direct ? w->insts[to].pc : 0;
    }
}

static inline unsigned walk_find(const walk *w, uint64_t pc)
{
    for (unsigned i = 0; i < WALK_INSTS; i++) {
        if (w->insts[i].pc == pc)
            return i;
    }
    return 0;
}

/* Where execution goes after instruction i, and the flags that go with it. */
static inline unsigned walk_next(walk *w, unsigned i, uint8_t *flags)
{
    const pn_inst *inst = &w->insts[i];
    unsigned sequential = (i + 1) % WALK_INSTS;
    *flags = 0;
    switch (inst->branch) {
    case PN_BRANCH_NONE:
        if (sequential == 0)
            *flags = PN_OP_JUMPED;
        return sequential;
    case PN_BRANCH_COND:
        if (pn_rng_below(&w->rng, 3) == 0 && sequential)
            return sequential;
        *flags = PN_OP_TAKEN;
        return walk_find(w, inst->target);
    default:
        *flags = PN_OP_TAKEN;
        return inst->target ? walk_find(w, inst->target)
                            : (i + 7 + (unsigned)pn_rng_below(&w->rng, 3) * 100) % WALK_INSTS;
    }
}

/* The next executed op; valid until the next call. last: the trace ends with it. */
static inline const pn_op *walk_step(walk *w, bool last)
{
    unsigned i = w->at;
    pn_inst *inst = &w->insts[i];
    uint8_t flags;
    w->op = (pn_op){inst, w->accesses, 0, 0, w->part ? PN_OP_CONTINUES : 0};
    unsigned n = inst->flags & PN_INST_LOAD ? 1 + (unsigned)pn_rng_below(&w->rng, 2) : 0;
    if (n && pn_rng_below(&w->rng, 50) == 0)
        n = WALK_ACCESSES;
    for (unsigned k = 0; k < n; k++) {
        w->base[i] += pn_rng_below(&w->rng, 9) == 0 ? pn_rng_u64(&w->rng) : 64;
        w->accesses[k] = (pn_access){w->base[i] + k, (uint8_t)(inst->length * 4), (uint8_t)(k & 1)};
    }
    w->op.n_accesses = (uint16_t)n;
    w->part = !last && inst->branch == PN_BRANCH_NONE && n && pn_rng_below(&w->rng, 40) == 0;
    if (w->part) {
        w->op.next_pc = inst->pc;
        return &w->op;
    }
    w->at = walk_next(w, i, &flags);
    if (last) { /* nobody knows where it went */
        if (inst->branch == PN_BRANCH_NONE || inst->branch == PN_BRANCH_COND)
            flags = 0;
        w->op.flags |= flags;
        return &w->op;
    }
    w->op.next_pc = w->insts[w->at].pc;
    w->op.flags |= flags;
    return &w->op;
}

#endif
