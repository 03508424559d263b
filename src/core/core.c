/* core.c - see core.h: the front end, and a run from beginning to end. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#include "core/core_priv.h"

/* Micro-ops of one op at most: twice the accesses a trace's block can hold, and a few. */
enum { PROTO_MAX = 4096 + 8, PROGRESS_OPS = 1 << 16 };

/* ---- making one ------------------------------------------------------------------------------ */

static void set_classes(pn_core *c)
{
    const pn_core_config *f = &c->config;
    const struct {
        uint8_t pipe;
        uint32_t latency;
    } table[PN_CLASS_COUNT] = {
        [PN_CLASS_UNKNOWN] = {PN_PIPE_ALU, 1},
        [PN_CLASS_NOP] = {PN_PIPE_NONE, 0},
        [PN_CLASS_INT] = {PN_PIPE_ALU, 1},
        [PN_CLASS_INT_MUL] = {PN_PIPE_MUL, f->lat_mul_cyc},
        [PN_CLASS_INT_DIV] = {PN_PIPE_DIV, f->lat_div_cyc},
        [PN_CLASS_FP_ADD] = {PN_PIPE_FP, f->lat_fp_add_cyc},
        [PN_CLASS_FP_MUL] = {PN_PIPE_FP, f->lat_fp_mul_cyc},
        [PN_CLASS_FP_FMA] = {PN_PIPE_FP, f->lat_fp_fma_cyc},
        [PN_CLASS_FP_DIV] = {PN_PIPE_FP_DIV, f->lat_fp_div_cyc},
        [PN_CLASS_FP_CVT] = {PN_PIPE_FP, f->lat_fp_cvt_cyc},
        [PN_CLASS_FP_MOVE] = {PN_PIPE_FP, f->lat_fp_move_cyc},
        [PN_CLASS_VEC_INT] = {PN_PIPE_FP, f->lat_simd_cyc},
        [PN_CLASS_VEC_MUL] = {PN_PIPE_FP, f->lat_simd_mul_cyc},
        [PN_CLASS_CRYPTO] = {PN_PIPE_FP, f->lat_crypto_cyc},
        [PN_CLASS_LOAD] = {PN_PIPE_ALU, 1}, /* when it made no access */
        [PN_CLASS_STORE] = {PN_PIPE_ALU, 1},
        [PN_CLASS_BRANCH] = {PN_PIPE_BRANCH, 1},
        [PN_CLASS_FENCE] = {PN_PIPE_ALU, f->lat_system_cyc},
        [PN_CLASS_SYSTEM] = {PN_PIPE_ALU, f->lat_system_cyc},
    };
    for (int i = 0; i < PN_CLASS_COUNT; i++) {
        c->class_pipe[i] = table[i].pipe;
        c->class_latency[i] = (uint8_t)table[i].latency;
    }
}

static uint32_t clients_of(const pn_core *c)
{
    return c->uop_mask + 1 + c->store_mask + 1;
}

panem_status pn_core_create(pn_core **core, const pn_core_config *config, pn_mem_port *port,
                            panem_error *err)
{
    PN_TRY(pn_core_check(config, err));
    pn_core *c = calloc(1, sizeof *c);
    if (!c)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a core");
    c->config = *config;
    c->uncore.timing = pn_core_timing_of(config);
    c->proto_max = PROTO_MAX;
    c->fetch_line = PN_NO_LINE;
    set_classes(c);
    pn_vmap_init(&c->vmap, config->page_bytes, config->page_seed, 0);
    c->protos = calloc(PROTO_MAX, sizeof *c->protos);
    panem_status s = pn_sched_init(c, err);
    if (s == PANEM_OK)
        s = pn_uncore_init(&c->uncore, config, port, clients_of(c), err);
    if (s == PANEM_OK)
        s = pn_predictor_create(&c->predictor, config, err);
    if (s == PANEM_OK && !c->protos)
        s = pn_err(err, PANEM_E_NOMEM, "no memory for a core");
    if (s != PANEM_OK) {
        pn_core_destroy(c);
        return s;
    }
    *core = c;
    return PANEM_OK;
}

void pn_core_destroy(pn_core *c)
{
    if (!c)
        return;
    pn_predictor_destroy(c->predictor);
    pn_uncore_release(&c->uncore);
    pn_sched_release(c);
    free(c->protos);
    free(c);
}

/* ---- the front end --------------------------------------------------------------------------- */

static void run_to(pn_core *c, uint64_t cycle)
{
    while (c->event_cyc <= cycle)
        pn_sched_cycle(c, c->event_cyc);
}

/* The front end goes on at a later cycle. */
static void go_on_at(pn_core *c, uint64_t cycle, uint64_t *stall_cyc)
{
    if (cycle <= c->front_cyc)
        return;
    *stall_cyc += cycle - c->front_cyc;
    c->front_cyc = cycle;
    c->front_used = 0;
}

/* What it waits for has no known time: one cycle with events. False when there is none: the
 * memory failed, or never answered. */
static bool next_event(pn_core *c, uint64_t *stall_cyc)
{
    uint64_t cycle = c->event_cyc;
    if (cycle == UINT64_MAX || c->uncore.failed) {
        c->silent = c->silent || !c->uncore.failed;
        if (c->silent)
            c->uncore.failed = PANEM_E_TIME;
        return false;
    }
    pn_sched_cycle(c, cycle);
    go_on_at(c, cycle, stall_cyc);
    return true;
}

static void wait_for_branch(pn_core *c)
{
    if (!c->redirect_seq)
        return;
    const pn_uop *branch = pn_core_uop(c, c->redirect_seq);
    while (branch->done_cyc == PN_UNKNOWN)
        if (!next_event(c, &c->counts.stall_branch_cyc))
            return;
    go_on_at(c, branch->done_cyc + c->config.mispredict_cyc, &c->counts.stall_branch_cyc);
    c->redirect_seq = 0;
}

static void fetch_line(pn_core *c, uint64_t address)
{
    uint64_t line = pn_vmap_line(&c->vmap, address);
    if (line == c->fetch_line)
        return;
    c->fetch_line = line;
    run_to(c, c->front_cyc);
    uint64_t cycle = c->front_cyc;
    if (pn_uncore_fetch(&c->uncore, cycle, line))
        return;
    pn_sched_settle(c, cycle > c->now_cyc ? cycle : c->now_cyc);
    while (c->uncore.fetch_done_cyc == UINT64_MAX)
        if (!next_event(c, &c->counts.stall_fetch_cyc))
            return;
    go_on_at(c, c->uncore.fetch_done_cyc, &c->counts.stall_fetch_cyc);
}

/* Waits until a micro-op has its places; the front end stands at its cycle then. False: never. */
static bool find_room(pn_core *c, unsigned kind)
{
    const pn_core_config *f = &c->config;
    for (;;) {
        run_to(c, c->front_cyc);
        pn_sched_free(c, c->front_cyc);
        uint64_t *stall = NULL;
        uint64_t until = PN_UNKNOWN;
        if (c->next_seq - c->rob_head == f->rob)
            stall = &c->counts.stall_rob_cyc;
        else if (kind == PN_UOP_LOAD && c->lob_used == f->lob)
            stall = &c->counts.stall_lob_cyc;
        else if (kind == PN_UOP_STORE && c->store_next - c->store_head == f->store_buffer)
            stall = &c->counts.stall_store_cyc;
        else
            return true;
        if (stall != &c->counts.stall_store_cyc)
            until = pn_core_uop(c, c->rob_head)->commit_cyc;
        else if (c->store_head < c->store_accessed)
            until = c->stores[c->store_head & c->store_mask].done_cyc;
        if (until != PN_UNKNOWN)
            go_on_at(c, until, stall);
        else if (!next_event(c, stall))
            return false;
    }
}

static void dispatch_one(pn_core *c, const pn_proto *p)
{
    if (c->front_used == c->config.width) {
        c->front_cyc++;
        c->front_used = 0;
    }
    if (!find_room(c, p->kind))
        return;
    pn_sched_dispatch(c, p, c->front_cyc);
    c->front_used++;
}

static void after_branch(pn_core *c, const pn_op *op, uint64_t branch_seq)
{
    bool taken = (op->flags & PN_OP_TAKEN) != 0;
    if (!pn_predictor_step(c->predictor, op->inst, taken, op->next_pc))
        c->redirect_seq = branch_seq;
    if (taken && c->config.taken_branch_cyc) {
        c->front_cyc += c->config.taken_branch_cyc;
        c->front_used = 0;
    }
}

void pn_core_op(pn_core *c, const pn_op *op)
{
    uint64_t branch_seq = 0;
    const pn_inst *inst = op->inst;
    wait_for_branch(c);
    if (c->uncore.failed)
        return;
    if (c->front_used == c->config.width) {
        c->front_cyc++;
        c->front_used = 0;
    }
    fetch_line(c, inst->pc);
    if (inst->length > 1)
        fetch_line(c, inst->pc + inst->length - 1);
    c->counts.instructions += !(op->flags & PN_OP_CONTINUES);
    pn_core_crack(c, op, &branch_seq);
    uint32_t count = c->proto_count;
    for (uint32_t i = 0; i < count; i++)
        dispatch_one(c, &c->protos[i]);
    if (branch_seq)
        after_branch(c, op, branch_seq);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static pn_core_counts counts_now(const pn_core *c)
{
    pn_core_counts n = c->counts;
    n.predict = *pn_predictor_stats(c->predictor);
    n.l1i = c->uncore.l1i.stats;
    n.l1d = c->uncore.l1d.stats;
    n.l2 = c->uncore.l2.stats;
    n.llc = c->uncore.llc.stats;
    n.l1d_prefetch = pn_prefetch_stats_now(&c->uncore.l1d_prefetch);
    n.l2_prefetch = pn_prefetch_stats_now(&c->uncore.l2_prefetch);
    n.door = c->uncore.door.stats;
    n.view = c->uncore.view;
    n.mem_lines = c->uncore.mem_lines;
    memcpy(n.cbusy_seen, c->uncore.cbusy_seen, sizeof n.cbusy_seen);
    return n;
}

/* All counters are uint64_t and nothing else. */
static pn_core_counts difference(const pn_core_counts *a, const pn_core_counts *b)
{
    enum { N = sizeof(pn_core_counts) / sizeof(uint64_t) };
    uint64_t x[N];
    uint64_t y[N];
    pn_core_counts d;
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    for (int i = 0; i < N; i++)
        x[i] -= y[i];
    memcpy(&d, x, sizeof d);
    return d;
}

void pn_core_mark(pn_core *c)
{
    run_to(c, c->front_cyc);
    c->at_mark = counts_now(c);
    c->mark_seq = c->next_seq;
    c->mark_cyc = c->commit_seq == c->mark_seq ? c->last_commit_cyc : 0;
    pn_hist_clear(c->uncore.door.latency[0]);
    pn_hist_clear(c->uncore.door.latency[1]);
}

static panem_status memory_state(const pn_core *c, panem_error *err)
{
    if (c->uncore.failed == PANEM_OK)
        return PANEM_OK;
    if (c->silent)
        return pn_err(err, PANEM_E_TIME, "the memory model never answers");
    return pn_err(err, c->uncore.failed, "the memory model failed: %s",
                  panem_status_text(c->uncore.failed));
}

static bool in_flight(const pn_core *c)
{
    const pn_uncore *u = &c->uncore;
    return c->store_accessed < c->store_next || u->events.count || u->l1d.busy || u->l1i.busy ||
           u->l2.busy || u->llc.busy || u->door.free_count < u->door.slot_count;
}

panem_status pn_core_finish(pn_core *c, pn_core_result *result, panem_error *err)
{
    pn_core_result r;
    memset(&r, 0, sizeof r);
    uint64_t waited_cyc = 0;
    while (c->commit_seq < c->next_seq && next_event(c, &waited_cyc))
        ;
    PN_TRY(memory_state(c, err));
    pn_core_counts all = counts_now(c);
    r.warmup = c->at_mark;
    r.measured = difference(&all, &c->at_mark);
    r.warmup_cyc = c->mark_cyc;
    r.measured_cyc = c->last_commit_cyc - c->mark_cyc;
    /* The rest of what is in flight: the views of the whole run then count the same lines. */
    while (in_flight(c) && c->event_cyc != UINT64_MAX && !c->uncore.failed)
        pn_sched_cycle(c, c->event_cyc);
    PN_TRY(memory_state(c, err));
    r.whole = counts_now(c);
    *result = r;
    return PANEM_OK;
}

static void report(const pn_core *c, const pn_core_run *run)
{
    pn_core_progress now = {c->counts.instructions, c->front_cyc};
    if (run->progress)
        run->progress(run->user, &now);
}

/* Runs until so many instructions were dispatched; *ended when the trace has no more. */
static panem_status run_until(pn_core *c, pn_trace *trace, pn_batch *batch, size_t *at,
                              uint64_t instructions, const pn_core_run *run, bool *ended,
                              panem_error *err)
{
    while (c->counts.instructions <= instructions) {
        if (*at == batch->n_ops) {
            PN_TRY(memory_state(c, err));
            PN_TRY(pn_trace_next(trace, batch, err));
            *at = 0;
            report(c, run);
            if (batch->n_ops == 0) {
                *ended = true;
                return PANEM_OK;
            }
        }
        const pn_op *op = &batch->ops[*at];
        /* Further parts of the last instruction belong to it. */
        if (c->counts.instructions == instructions && !(op->flags & PN_OP_CONTINUES))
            return PANEM_OK;
        pn_core_op(c, op);
        ++*at;
    }
    return PANEM_OK;
}

panem_status pn_core_run_trace(pn_core *c, pn_core_result *result, pn_trace *trace,
                               const pn_core_run *run, panem_error *err)
{
    pn_batch batch = {0};
    size_t at = 0;
    bool ended = false;
    uint64_t end = run->instructions ? run->warmup + run->instructions : UINT64_MAX - 1;
    pn_core_result r;
    PN_TRY(run_until(c, trace, &batch, &at, run->warmup, run, &ended, err));
    pn_core_mark(c);
    if (!ended)
        PN_TRY(run_until(c, trace, &batch, &at, end, run, &ended, err));
    if (c->counts.instructions == 0)
        return pn_err(err, PANEM_E_EMPTY, "the trace has no instructions");
    PN_TRY(pn_core_finish(c, &r, err));
    r.trace_ended = ended;
    *result = r;
    return PANEM_OK;
}

const pn_hist *pn_core_latency(const pn_core *c, bool write)
{
    return c->uncore.door.latency[write];
}

uint64_t pn_core_now_cyc(const pn_core *c)
{
    return c->front_cyc;
}
