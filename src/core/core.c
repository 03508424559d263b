/* core.c - see core.h: the front end, and a run from beginning to end. */
#include "core/core.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/core_priv.h"

/* Micro-ops of one op at most: twice the accesses a trace's block can hold, and a few. */
enum { PROTO_MAX = 4096 + 8 };

/* How far the instruction in hand is. */
enum { STAGE_NONE, STAGE_BRANCH, STAGE_FETCH, STAGE_FETCH_END, STAGE_DISPATCH };

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

panem_status pn_core_create_on(pn_core **core, const pn_core_config *config, pn_chip *chip,
                               uint32_t index, panem_error *err)
{
    PN_TRY(pn_core_check(config, err));
    pn_core *c = calloc(1, sizeof *c);
    if (!c)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a core");
    c->config = *config;
    c->chip = chip;
    c->uncore.timing = pn_core_timing_of(config);
    c->proto_max = PROTO_MAX;
    c->fetch_line = PN_NO_LINE;
    c->limit_cyc = c->sample_cyc = UINT64_MAX;
    c->stage = STAGE_NONE;
    set_classes(c);
    pn_vmap_init(&c->vmap, config->page_bytes, config->page_seed, index);
    c->protos = calloc(PROTO_MAX, sizeof *c->protos);
    panem_status s = pn_sched_init(c, err);
    if (s == PANEM_OK)
        s = pn_uncore_init(&c->uncore, config, chip, index, clients_of(c), err);
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

panem_status pn_core_create(pn_core **core, const pn_core_config *config, pn_mem_port *port,
                            panem_error *err)
{
    PN_TRY(pn_core_check(config, err));
    pn_chip *chip = calloc(1, sizeof *chip);
    if (!chip)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a core");
    panem_status s = pn_chip_init(chip, config, 1, port, err);
    if (s == PANEM_OK) {
        s = pn_core_create_on(core, config, chip, 0, err);
        if (s == PANEM_OK) {
            (*core)->owns_chip = true;
            return PANEM_OK;
        }
        pn_chip_release(chip);
    }
    free(chip);
    return s;
}

void pn_core_destroy(pn_core *c)
{
    if (!c)
        return;
    pn_predictor_destroy(c->predictor);
    pn_uncore_release(&c->uncore);
    pn_sched_release(c);
    if (c->owns_chip) {
        pn_chip_release(c->chip);
        free(c->chip);
    }
    free(c->protos);
    free(c);
}

void pn_core_set_idle(pn_core *c, uint64_t read_ps)
{
    c->chip->idle_ps = read_ps;
}

/* ---- the front end --------------------------------------------------------------------------- */

/* Everything up to a cycle; false: that is beyond the limit. */
static bool run_to(pn_core *c, uint64_t cycle)
{
    while (c->event_cyc <= cycle && c->event_cyc < c->limit_cyc)
        pn_sched_cycle(c, c->event_cyc);
    return cycle < c->limit_cyc;
}

static pn_front_cause cause_of(const pn_core *c, const uint64_t *stall_cyc)
{
    const pn_core_counts *n = &c->counts;
    return stall_cyc == &n->stall_branch_cyc  ? PN_FRONT_BRANCH
           : stall_cyc == &n->stall_fetch_cyc ? PN_FRONT_FETCH
           : stall_cyc == &n->stall_store_cyc ? PN_FRONT_STORE
                                              : PN_FRONT_ROOM;
}

/* The front end goes on at a later cycle. */
static void go_on_at(pn_core *c, uint64_t cycle, uint64_t *stall_cyc)
{
    if (cycle <= c->front_cyc)
        return;
    *stall_cyc += cycle - c->front_cyc;
    pn_front_wait(&c->front_waits, cycle, cause_of(c, stall_cyc));
    c->front_cyc = cycle;
    c->front_used = 0;
}

/* What it waits for has no known time: one cycle with events. False when there is none: beyond the
 * limit, the memory failed, or it never answered. */
static bool next_event(pn_core *c, uint64_t *stall_cyc)
{
    uint64_t cycle = c->event_cyc;
    if (cycle >= c->limit_cyc || c->chip->failed) {
        c->silent = c->silent || (c->limit_cyc == UINT64_MAX && !c->chip->failed);
        if (c->silent)
            c->chip->failed = PANEM_E_TIME;
        return false;
    }
    pn_sched_cycle(c, cycle);
    go_on_at(c, cycle, stall_cyc);
    return true;
}

/* These wait, and can be called again; false: next_event's. */
static bool wait_for_branch(pn_core *c)
{
    if (!c->redirect_seq)
        return true;
    const pn_uop *branch = pn_core_uop(c, c->redirect_seq);
    while (branch->done_cyc == PN_UNKNOWN)
        if (!next_event(c, &c->counts.stall_branch_cyc))
            return false;
    go_on_at(c, branch->done_cyc + c->config.mispredict_cyc, &c->counts.stall_branch_cyc);
    c->redirect_seq = 0;
    return true;
}

static bool fetch_line(pn_core *c, uint64_t address)
{
    if (!c->fetching) {
        uint64_t line = pn_vmap_line(&c->vmap, address);
        if (line == c->fetch_line)
            return true;
        uint64_t cycle = c->front_cyc;
        if (!run_to(c, cycle))
            return false;
        c->fetch_line = line;
        if (pn_uncore_fetch(&c->uncore, cycle, address, line))
            return true;
        c->fetching = true;
        pn_sched_settle(c, cycle > c->now_cyc ? cycle : c->now_cyc);
    }
    while (c->uncore.fetch_done_cyc == UINT64_MAX)
        if (!next_event(c, &c->counts.stall_fetch_cyc))
            return false;
    go_on_at(c, c->uncore.fetch_done_cyc, &c->counts.stall_fetch_cyc);
    c->fetching = false;
    return true;
}

/* Waits until a micro-op has its places; the front end stands at its cycle then. */
static bool find_room(pn_core *c, unsigned kind)
{
    const pn_core_config *f = &c->config;
    for (;;) {
        if (!run_to(c, c->front_cyc))
            return false;
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
        if (stall == &c->counts.stall_store_cyc)
            c->front_waits.store = c->stores[c->store_head & c->store_mask].from;
        if (until != PN_UNKNOWN)
            go_on_at(c, until, stall);
        else if (!next_event(c, stall))
            return false;
    }
}

static void next_slot(pn_core *c)
{
    if (c->front_used < c->config.width)
        return;
    c->front_cyc++;
    c->front_used = 0;
}

static bool dispatch_all(pn_core *c)
{
    for (; c->proto_at < c->proto_count; c->proto_at++) {
        const pn_proto *p = &c->protos[c->proto_at];
        next_slot(c);
        if (!find_room(c, p->kind))
            return false;
        pn_sched_dispatch(c, p, c->front_cyc);
        c->front_used++;
    }
    return true;
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

void pn_core_take(pn_core *c, const pn_op *op)
{
    c->op = *op;
    c->stage = STAGE_BRANCH;
}

bool pn_core_work(pn_core *c)
{
    const pn_inst *inst = c->op.inst;
    switch (c->stage) {
    case STAGE_BRANCH:
        if (!wait_for_branch(c) || c->chip->failed)
            return false;
        next_slot(c);
        c->stage = STAGE_FETCH;
        /* fall through */
    case STAGE_FETCH:
        if (!fetch_line(c, inst->pc))
            return false;
        c->stage = STAGE_FETCH_END;
        /* fall through */
    case STAGE_FETCH_END:
        if (inst->length > 1 && !fetch_line(c, inst->pc + inst->length - 1))
            return false;
        c->counts.instructions += !(c->op.flags & PN_OP_CONTINUES);
        c->branch_seq = 0;
        pn_core_crack(c, &c->op, &c->branch_seq);
        c->proto_at = 0;
        c->stage = STAGE_DISPATCH;
        /* fall through */
    case STAGE_DISPATCH:
        if (!dispatch_all(c))
            return false;
        if (c->branch_seq)
            after_branch(c, &c->op, c->branch_seq);
        break;
    default:
        break;
    }
    c->stage = STAGE_NONE;
    return true;
}

void pn_core_sample(pn_core *c, uint64_t stretch_ps,
                    void (*told)(void *user, uint64_t instructions), void *user)
{
    c->sample_ps = stretch_ps;
    c->sampled = told;
    c->sample_user = user;
    c->sample_cyc = pn_clock_edge(c->config.clock_hz, stretch_ps);
}

static void sample(pn_core *c)
{
    while (c->front_cyc >= c->sample_cyc) {
        c->sampled(c->sample_user, c->counts.instructions);
        c->samples++;
        c->sample_cyc = pn_clock_edge(c->config.clock_hz, (c->samples + 1) * c->sample_ps);
    }
}

void pn_core_op(pn_core *c, const pn_op *op)
{
    if (c->front_cyc >= c->sample_cyc)
        sample(c);
    pn_core_take(c, op);
    (void)pn_core_work(c);
}

void pn_core_allow(pn_core *c, uint64_t limit_cyc)
{
    uint64_t told = pn_uncore_next(&c->uncore);
    c->limit_cyc = limit_cyc;
    if (told < c->event_cyc)
        c->event_cyc = told;
}

bool pn_core_reach(pn_core *c)
{
    return run_to(c, c->front_cyc);
}

uint64_t pn_core_wake(const pn_core *c, uint64_t cycle)
{
    uint64_t told = pn_uncore_next(&c->uncore);
    uint64_t event = told < c->event_cyc ? told : c->event_cyc;
    /* A front end that stands before it waits for an event. */
    return c->front_cyc < cycle || event < c->front_cyc ? event : c->front_cyc;
}

uint64_t pn_core_instructions(const pn_core *c)
{
    return c->counts.instructions;
}

void pn_core_keep_latency(pn_core *c)
{
    c->chip->door.lanes[c->uncore.index].latency_kept = true;
}

/* ---- phases ---------------------------------------------------------------------------------- */

pn_core_counts pn_core_counts_now(const pn_core *c)
{
    const pn_chip_core *shared = &c->chip->cores[c->uncore.index];
    pn_core_counts n = c->counts;
    n.predict = *pn_predictor_stats(c->predictor);
    n.l1i = c->uncore.l1i.stats;
    n.l1d = c->uncore.l1d.stats;
    n.l2 = c->uncore.l2.stats;
    n.llc = shared->llc.stats;
    n.l1d_prefetch = pn_prefetch_stats_now(&c->uncore.l1d_prefetch);
    n.l2_prefetch = pn_prefetch_stats_now(&c->uncore.l2_prefetch);
    n.door = c->chip->door.lanes[c->uncore.index].stats;
    n.view = c->uncore.view;
    n.tlb = c->uncore.tlb.stats;
    n.mem_lines = c->uncore.mem_lines;
    memcpy(n.cbusy_seen, shared->cbusy_seen, sizeof n.cbusy_seen);
    n.cbusy = pn_cbusy_stats_now(&c->uncore.cbusy, c->now_cyc);
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
    (void)run_to(c, c->front_cyc);
    c->at_mark = pn_core_counts_now(c);
    c->mark_seq = c->next_seq;
    c->mark_cyc = c->commit_seq == c->mark_seq ? c->last_commit_cyc : 0;
    memcpy(c->cpi_at_mark, c->counts.cpi_cyc, sizeof c->cpi_at_mark);
    pn_hist_clear(c->chip->door.lanes[c->uncore.index].latency[0]);
    pn_hist_clear(c->chip->door.lanes[c->uncore.index].latency[1]);
}

panem_status pn_core_memory_state(const pn_core *c, panem_error *err)
{
    if (c->chip->failed == PANEM_OK)
        return PANEM_OK;
    if (c->silent)
        return pn_err(err, PANEM_E_TIME, "the memory model never answers");
    return pn_err(err, c->chip->failed, "the memory model failed: %s",
                  panem_status_text(c->chip->failed));
}

static bool in_flight(const pn_core *c)
{
    const pn_uncore *u = &c->uncore;
    return c->store_accessed < c->store_next || u->events.count || u->l1d.busy || u->l1i.busy ||
           u->l2.busy || pn_chip_in_flight(c->chip, u->index);
}

bool pn_core_drain(pn_core *c)
{
    uint64_t waited_cyc = 0;
    while (c->commit_seq < c->next_seq)
        if (!next_event(c, &waited_cyc))
            return false;
    return true;
}

bool pn_core_rest(pn_core *c)
{
    while (in_flight(c) && c->event_cyc < c->limit_cyc && !c->chip->failed)
        pn_sched_cycle(c, c->event_cyc);
    return !in_flight(c);
}

pn_core_result pn_core_measured(const pn_core *c)
{
    pn_core_result r;
    memset(&r, 0, sizeof r);
    pn_core_counts all = pn_core_counts_now(c);
    r.warmup = c->at_mark;
    memcpy(r.warmup.cpi_cyc, c->cpi_at_mark, sizeof c->cpi_at_mark);
    r.measured = difference(&all, &r.warmup);
    r.warmup_cyc = c->mark_cyc;
    r.measured_cyc = c->last_commit_cyc - c->mark_cyc;
    return r;
}

panem_status pn_core_finish(pn_core *c, pn_core_result *result, panem_error *err)
{
    (void)pn_core_drain(c);
    PN_TRY(pn_core_memory_state(c, err));
    pn_core_result r = pn_core_measured(c);
    /* The rest of what is in flight: the views of the whole run then count the same lines. */
    (void)pn_core_rest(c);
    PN_TRY(pn_core_memory_state(c, err));
    r.whole = pn_core_counts_now(c);
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
            PN_TRY(pn_core_memory_state(c, err));
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
    return c->chip->door.lanes[c->uncore.index].latency[write];
}

uint64_t pn_core_now_cyc(const pn_core *c)
{
    return c->front_cyc;
}
