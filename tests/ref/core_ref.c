/* core_ref.c - see core_ref.h: the pipeline. */
#include "core_ref.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/predict.h"
#include "core/vmap.h"
#include "core_ref_mem.h"

enum { SOURCES = 16, SLOTS = 1 << 17, PIPES = 9, UNKNOWN_BYTES = 8 };
typedef enum pipe { ALU, MUL, FP, BRANCH, LOAD, STORE, DIV, FPDIV, NOTHING } pipe;

/* Why the front end stopped in a cycle. */
typedef enum reason { NO_REASON, ROOM, REDIRECT, LINE, STORES } reason;

typedef struct uop {
    int source[SOURCES]; /* numbers of producers */
    int sources;
    pipe pipe;
    uint32_t latency;
    uint64_t address, line, pc;
    unsigned bytes;
    bool booked, known, committed; /* known: done is */
    bool forwarded, load, store;
    uint64_t access;                 /* load: cycle of its L1 access */
    uint64_t dispatched, page_known; /* page_known: 0 if at once */
    reason waited;                   /* what its dispatch waited for */
    uint64_t stalled_from, stalled;  /* load: cycles in which it held up the oldest place */
    ref_source from, store_source;   /* of the load; of the store its dispatch waited for */
    uint64_t done;
} uop;

typedef struct store {
    int uop;
    bool accessed, known;
    uint64_t done;
    ref_source source;
} store;

typedef struct ref {
    pn_core_config f;
    ref_mem *mem;
    pn_predictor *predictor;
    pn_vmap vmap;
    uint64_t now;
    uop *uops;
    int n, cap, head; /* all uops ever; head: oldest not committed */
    store *stores;
    int n_stores, store_head, store_next; /* oldest in the buffer; next to access L1 */
    int to_access[4096], n_to_access;     /* booked loads, in order of booking */
    int writer[256];
    uint32_t slots[PIPES][SLOTS];
    uint64_t slot_cycle[PIPES][SLOTS];
    uint64_t unit_free[PIPES];
    reason stopped, before; /* in this cycle, in the one before */
    int full_of;            /* the store that was oldest when the store buffer was full */
    uint64_t store_cycles;  /* cycles in which the oldest micro-op waited for a store */
    ref_result r;
} ref;

/* ---- execution ------------------------------------------------------------------------------- */

static uint32_t ports(const ref *s, pipe p)
{
    const uint32_t n[] = {s->f.alu_ports,    s->f.mul_ports,  s->f.fp_ports,
                          s->f.branch_ports, s->f.load_ports, s->f.store_ports};
    return n[p];
}

static uint64_t free_slot(ref *s, pipe p, uint64_t from)
{
    for (uint64_t c = from;; c++) {
        uint32_t *used = &s->slots[p][c % SLOTS];
        if (s->slot_cycle[p][c % SLOTS] != c) {
            s->slot_cycle[p][c % SLOTS] = c;
            *used = 0;
        }
        if (*used < ports(s, p)) {
            ++*used;
            return c;
        }
    }
}

static void done(uop *u, uint64_t cycle)
{
    u->known = true;
    u->done = cycle;
}

/* Books a uop whose operands are all known. */
static void book_if_known(ref *s, int number)
{
    uop *u = &s->uops[number];
    uint64_t from = s->now + 1;
    if (u->booked)
        return;
    for (int i = 0; i < u->sources; i++) {
        const uop *p = &s->uops[u->source[i]];
        if (!p->known)
            return;
        if (p->done > from)
            from = p->done;
    }
    u->booked = true;
    if (u->pipe == NOTHING) {
        done(u, from);
    } else if (u->pipe == DIV || u->pipe == FPDIV) {
        uint64_t *unit = &s->unit_free[u->pipe];
        *unit = (from > *unit ? from : *unit) + u->latency;
        done(u, *unit);
    } else {
        uint64_t at = free_slot(s, u->pipe, from);
        if (u->load && !u->forwarded) {
            u->access = at;
            s->to_access[s->n_to_access++] = number;
        } else {
            done(u, at + u->latency);
        }
    }
}

static void commit(ref *s)
{
    for (uint32_t i = 0; i < s->f.commit_width && s->head < s->n; i++) {
        uop *u = &s->uops[s->head];
        if (!u->known || u->done >= s->now)
            return;
        u->committed = true;
        s->head++;
    }
}

static void wake(ref *s)
{
    for (int i = 0; i < s->mem->n_woken; i++) {
        int client = s->mem->woken[i];
        if (client >= 0) {
            done(&s->uops[client], s->mem->woken_done[i]);
            s->uops[client].from = s->mem->woken_source[i];
        } else {
            s->stores[~client].known = true;
            s->stores[~client].done = s->mem->woken_done[i];
            s->stores[~client].source = s->mem->woken_source[i];
        }
    }
}

static void loads_and_stores(ref *s)
{
    int kept = 0;
    for (int i = 0; i < s->n_to_access; i++) {
        int number = s->to_access[i];
        uop *u = &s->uops[number];
        if (u->access != s->now)
            s->to_access[kept++] = number;
        else if (ref_mem_access(s->mem, &(ref_request){.line = u->line,
                                                       .client = number,
                                                       .address = u->address,
                                                       .pc = u->pc}))
            done(u, s->now + s->f.l1d.latency_cyc);
        if (u->access == s->now)
            u->page_known = s->mem->known;
    }
    s->n_to_access = kept;
    if (s->store_next == s->n_stores || !s->uops[s->stores[s->store_next].uop].committed)
        return;
    store *st = &s->stores[s->store_next];
    const uop *u = &s->uops[st->uop];
    ref_request write = {.line = u->line,
                         .client = ~s->store_next,
                         .write = true,
                         .address = u->address,
                         .pc = u->pc};
    if (ref_mem_access(s->mem, &write)) {
        st->known = true;
        st->done = s->now + 1;
    }
    st->accessed = true;
    s->store_next++;
}

static void free_stores(ref *s)
{
    while (s->store_head < s->n_stores && s->stores[s->store_head].known &&
           s->stores[s->store_head].done <= s->now)
        s->store_head++;
}

/* ---- from instructions to uops --------------------------------------------------------------- */

static void needs(uop *u, int producer)
{
    for (int i = 0; i < u->sources; i++)
        if (u->source[i] == producer)
            return;
    if (producer >= 0 && u->sources < SOURCES)
        u->source[u->sources++] = producer;
}

static void needs_regs(const ref *s, uop *u, const uint8_t *regs, int n)
{
    for (int i = 0; i < n; i++)
        if (regs[i])
            needs(u, s->writer[regs[i]]);
}

static void classify(const ref *s, uop *u, const pn_inst *inst)
{
    const pn_core_config *f = &s->f;
    u->pipe = ALU;
    u->latency = 1;
    if (inst->branch) {
        u->pipe = BRANCH;
        return;
    }
    switch ((pn_class)inst->cls) {
    case PN_CLASS_NOP:
        u->pipe = NOTHING;
        break;
    case PN_CLASS_INT_MUL:
        u->pipe = MUL, u->latency = f->lat_mul_cyc;
        break;
    case PN_CLASS_INT_DIV:
        u->pipe = DIV, u->latency = f->lat_div_cyc;
        break;
    case PN_CLASS_FP_ADD:
        u->pipe = FP, u->latency = f->lat_fp_add_cyc;
        break;
    case PN_CLASS_FP_MUL:
        u->pipe = FP, u->latency = f->lat_fp_mul_cyc;
        break;
    case PN_CLASS_FP_FMA:
        u->pipe = FP, u->latency = f->lat_fp_fma_cyc;
        break;
    case PN_CLASS_FP_DIV:
        u->pipe = FPDIV, u->latency = f->lat_fp_div_cyc;
        break;
    case PN_CLASS_FP_CVT:
        u->pipe = FP, u->latency = f->lat_fp_cvt_cyc;
        break;
    case PN_CLASS_FP_MOVE:
        u->pipe = FP, u->latency = f->lat_fp_move_cyc;
        break;
    case PN_CLASS_VEC_INT:
        u->pipe = FP, u->latency = f->lat_simd_cyc;
        break;
    case PN_CLASS_VEC_MUL:
        u->pipe = FP, u->latency = f->lat_simd_mul_cyc;
        break;
    case PN_CLASS_CRYPTO:
        u->pipe = FP, u->latency = f->lat_crypto_cyc;
        break;
    case PN_CLASS_FENCE:
    case PN_CLASS_SYSTEM:
        u->latency = f->lat_system_cyc;
        break;
    case PN_CLASS_BRANCH:
        u->pipe = BRANCH;
        break;
    default:
        break;
    }
}

/* The uops of one instruction, not yet dispatched. */
typedef struct group {
    uop list[4200];
    int n, base; /* base: number the first one will get */
    int loads[4], n_loads, op, last_store;
} group;

static uop *add(group *g)
{
    uop *u = &g->list[g->n++];
    memset(u, 0, sizeof *u);
    return u;
}

static void add_memory(const ref *s, group *g, const pn_op *op, bool write)
{
    const pn_inst *inst = op->inst;
    for (int i = 0; i < op->n_accesses; i++) {
        uint64_t at = op->accesses[i].address;
        unsigned left = op->accesses[i].bytes ? op->accesses[i].bytes : UNKNOWN_BYTES;
        if (op->accesses[i].write != write)
            continue;
        while (left) {
            unsigned here = 64 - at % 64 < left ? (unsigned)(64 - at % 64) : left;
            uop *u = add(g);
            u->pipe = write ? STORE : LOAD;
            u->latency = write ? 1 : s->f.l1d.latency_cyc;
            u->load = !write;
            u->store = write;
            u->address = at;
            u->bytes = here;
            u->pc = at == op->accesses[i].address ? inst->pc : 0;
            needs_regs(s, u, inst->addr, inst->n_addr);
            if (write && g->op >= 0)
                needs(u, g->op);
            else if (write)
                needs_regs(s, u, inst->src, inst->n_src);
            for (int k = 0; write && g->op < 0 && k < g->n_loads; k++)
                needs(u, g->loads[k]);
            if (!write)
                g->loads[g->n_loads < 4 ? g->n_loads++ : 3] = g->base + g->n - 1;
            else
                g->last_store = g->base + g->n - 1;
            at += here;
            left -= here;
        }
    }
}

static void crack(ref *s, group *g, const pn_op *op)
{
    const pn_inst *inst = op->inst;
    bool plain = (inst->cls == PN_CLASS_LOAD || inst->cls == PN_CLASS_STORE) && op->n_accesses;
    int address_result = -1;
    g->n = g->n_loads = 0;
    g->base = s->n;
    g->op = g->last_store = -1;
    add_memory(s, g, op, false);
    if (!plain) {
        uop *u = add(g);
        classify(s, u, inst);
        if (u->pipe != NOTHING) {
            needs_regs(s, u, inst->src, inst->n_src);
            if (op->n_accesses == 0)
                needs_regs(s, u, inst->addr, inst->n_addr);
        }
        for (int k = 0; k < g->n_loads; k++)
            needs(u, g->loads[k]);
        g->op = g->base + g->n - 1;
    }
    add_memory(s, g, op, true);
    if (inst->writeback && op->n_accesses) {
        uop *u = add(g);
        u->latency = 1;
        needs_regs(s, u, &inst->writeback, 1);
        address_result = g->base + g->n - 1;
    }
    int result = g->op >= 0 ? g->op : g->n_loads ? g->loads[g->n_loads - 1] : g->last_store;
    for (int i = 0; i < inst->n_dst; i++)
        s->writer[inst->dst[i]] = result;
    if (address_result >= 0)
        s->writer[inst->writeback] = address_result;
}

/* ---- front end ------------------------------------------------------------------------------- */

typedef struct front {
    const pn_op *ops;
    size_t count, at;
    group *g;
    int next;          /* uop of the group; -1: the instruction is not fetched yet */
    int lines_fetched; /* 0, 1 or 2 of its first and last byte's lines */
    uint64_t line;     /* fetched last */
    bool fetching;
    int redirect;   /* branch to wait for, -1 */
    uint64_t again; /* not before this cycle */
} front;

/* What there is no room for, or NO_REASON. */
static reason full(const ref *s, const uop *u)
{
    int loads = 0;
    for (int i = s->head; i < s->n; i++)
        loads += s->uops[i].load;
    if ((uint32_t)(s->n - s->head) == s->f.rob)
        return ROOM;
    if (u->load && (uint32_t)loads == s->f.lob)
        return ROOM;
    bool stores = u->store && (uint32_t)(s->n_stores - s->store_head) == s->f.store_buffer;
    return stores ? STORES : NO_REASON;
}

static void forward(ref *s, uop *u)
{
    uint64_t first = u->address / 8;
    uint64_t last = (u->address + u->bytes - 1) / 8;
    for (int i = s->n_stores - 1; i >= s->store_head; i--) {
        const uop *w = &s->uops[s->stores[i].uop];
        if (w->address / 8 <= last && (w->address + w->bytes - 1) / 8 >= first) {
            u->forwarded = true;
            s->r.forwarded++;
            needs(u, s->stores[i].uop);
            return;
        }
    }
}

static void dispatch(ref *s, const uop *from)
{
    assert(s->n < s->cap);
    int number = s->n++;
    uop *u = &s->uops[number];
    *u = *from;
    u->dispatched = s->now;
    u->from.level = REF_L1;
    u->waited = s->before;
    s->before = NO_REASON;
    if (u->waited == STORES)
        u->store_source = s->stores[s->full_of].source;
    s->r.uops++;
    s->r.loads += u->load;
    s->r.stores += u->store;
    if (u->load || u->store)
        u->line = pn_vmap_line(&s->vmap, u->address);
    if (u->load)
        forward(s, u);
    if (u->store)
        s->stores[s->n_stores++] = (store){.uop = number, .source.level = REF_L1};
    book_if_known(s, number);
}

/* True when the instruction's lines are there. */
static bool fetched(ref *s, front *f)
{
    const pn_inst *inst = f->ops[f->at].inst;
    if (f->fetching && s->mem->fetch_done > s->now)
        return false;
    f->fetching = false;
    while (f->lines_fetched < (inst->length > 1 ? 2 : 1)) {
        uint64_t pc = inst->pc + (f->lines_fetched ? inst->length - 1U : 0U);
        uint64_t line = pn_vmap_line(&s->vmap, pc);
        f->lines_fetched++;
        if (line == f->line)
            continue;
        f->line = line;
        if (!ref_mem_fetch(s->mem, pc, line)) {
            f->fetching = true;
            return false;
        }
    }
    return true;
}

static void end_of_instruction(ref *s, front *f)
{
    const pn_op *op = &f->ops[f->at];
    bool taken = (op->flags & PN_OP_TAKEN) != 0;
    if (op->inst->branch) {
        if (!pn_predictor_step(s->predictor, op->inst, taken, op->next_pc)) {
            f->redirect = f->g->op;
            s->r.mispredicted++;
        }
        if (taken)
            f->again = s->now + s->f.taken_branch_cyc;
    }
    f->at++;
    f->next = -1;
    f->lines_fetched = 0;
}

static void front_cycle(ref *s, front *f)
{
    for (uint32_t used = 0; used < s->f.width && f->at < f->count;) {
        if (f->again > s->now)
            return;
        if (f->redirect >= 0) {
            const uop *b = &s->uops[f->redirect];
            if (!b->known || s->now < b->done + s->f.mispredict_cyc) {
                s->stopped = REDIRECT;
                return;
            }
            f->redirect = -1;
        }
        if (f->next < 0) {
            if (!fetched(s, f)) {
                s->stopped = LINE;
                return;
            }
            s->r.instructions += !(f->ops[f->at].flags & PN_OP_CONTINUES);
            crack(s, f->g, &f->ops[f->at]);
            f->next = 0;
        }
        s->stopped = full(s, &f->g->list[f->next]);
        if (s->stopped == STORES)
            s->full_of = s->store_head;
        if (s->stopped)
            return;
        dispatch(s, &f->g->list[f->next++]);
        used++;
        if (f->next == f->g->n)
            end_of_instruction(s, f);
    }
}

/* ---- where the cycles go --------------------------------------------------------------------- */

static void charge(ref *s, ref_source source, uint64_t cycles)
{
    uint64_t queue = cycles * source.queued / 65536;
    s->r.parts[REF_QUEUE] += queue;
    s->r.parts[source.level] += cycles - queue;
}

/* One cycle, after what could commit did; head: the oldest micro-op before. */
static void account(ref *s, int head)
{
    uop *u = head < s->n ? &s->uops[head] : NULL;
    if (u && s->head > head) {
        for (uint64_t i = 0; i < u->stalled; i++)
            if (u->stalled_from + i <= u->page_known)
                s->r.parts[REF_TLB]++;
        uint64_t last = u->stalled_from + u->stalled - 1;
        uint64_t after = u->page_known >= u->stalled_from ? u->page_known : u->stalled_from - 1;
        charge(s, u->from, u->stalled && last > after ? last - after : 0);
        charge(s, u->store_source, s->store_cycles);
        s->store_cycles = 0;
        s->r.parts[REF_BASE]++;
        return;
    }
    reason why = u ? u->waited : s->before;
    if (u && s->now > u->dispatched + 2) {
        why = NO_REASON;
        if (u->load) {
            u->stalled_from = u->stalled ? u->stalled_from : s->now;
            u->stalled++;
            return;
        }
    }
    s->store_cycles += why == STORES;
    if (why != STORES)
        s->r.parts[why == REDIRECT ? REF_BRANCH : why == LINE ? REF_FETCH : REF_BASE]++;
}

/* ---- running --------------------------------------------------------------------------------- */

static bool in_flight(const ref *s)
{
    const ref_mem *m = s->mem;
    return s->store_next < s->n_stores || m->n_messages || m->in_memory || m->n_at_door[0] ||
           m->n_at_door[1] || m->l1i.n_misses || m->l1d.n_misses || m->l2.n_misses ||
           m->llc.n_misses || m->busy.decided || m->n_untranslated || m->l1d.fetcher.n_queue ||
           m->l2.fetcher.n_queue;
}

ref_result core_ref_run(const pn_core_config *config, pn_mem_port *port, uint64_t idle_ps,
                        const pn_op *ops, size_t count)
{
    ref *s = calloc(1, sizeof *s);
    group *g = calloc(1, sizeof *g);
    front f = {ops, count, 0, g, -1, 0, UINT64_MAX, false, -1, 0};
    assert(s && g);
    for (size_t i = 0; i < count; i++)
        s->cap += 2 * ops[i].n_accesses + 2;
    s->f = *config;
    s->uops = calloc((size_t)s->cap, sizeof *s->uops);
    s->stores = calloc((size_t)s->cap, sizeof *s->stores);
    assert(s->uops && s->stores);
    s->mem = ref_mem_new(config, port, idle_ps);
    pn_vmap_init(&s->vmap, config->page_bytes, config->page_seed, 0);
    bool made = pn_predictor_create(&s->predictor, config, NULL) == PANEM_OK;
    assert(made);
    for (int i = 0; i < 256; i++)
        s->writer[i] = -1;
    for (s->now = 0; f.at < f.count || s->head < s->n || in_flight(s); s->now++) {
        bool committing = s->head < s->n || f.at < f.count;
        int head = s->head;
        s->before = s->stopped;
        s->stopped = NO_REASON;
        commit(s);
        if (committing && s->now > 0)
            account(s, head);
        if (committing)
            s->r.cycles = s->now;
        ref_mem_cycle(s->mem, s->now);
        wake(s);
        loads_and_stores(s);
        for (int i = s->head; i < s->n; i++)
            book_if_known(s, i);
        free_stores(s);
        front_cycle(s, &f);
    }
    ref_result r = s->r;
    r.l1i = s->mem->l1i.count;
    r.l1d = s->mem->l1d.count;
    r.l2 = s->mem->l2.count;
    r.llc = s->mem->llc.count;
    r.l1d_prefetch = s->mem->l1d.fetcher.count;
    r.l1d_prefetch.resident = ref_mem_resident(&s->mem->l1d);
    r.l2_prefetch = s->mem->l2.fetcher.count;
    r.l2_prefetch.resident = ref_mem_resident(&s->mem->l2);
    r.busy = s->mem->busy.count;
    r.l1i_tlb = s->mem->tlb.code.count;
    r.l1d_tlb = s->mem->tlb.data.count;
    r.l2_tlb = s->mem->tlb.both.count;
    r.walks = s->mem->tlb.walks;
    r.reads = s->mem->reads;
    r.prefetch_reads = s->mem->prefetch_reads;
    r.writes = s->mem->writes;
    pn_predictor_destroy(s->predictor);
    ref_mem_free(s->mem);
    free(s->uops);
    free(s->stores);
    free(s);
    free(g);
    return r;
}
