/* sched.c - micro-ops in flight: who waits for whom, which cycle each executes in, commit, loads
 * and stores reaching L1 in order of time.
 *
 * The rule of the scheduler: a micro-op books its pipe in the cycle in which the time of its last
 * operand becomes known, the oldest first among those of one cycle: the first cycle with a free
 * slot that is not before its operands and after the present one. The time of a result is known
 * when it was booked, for a load when L1 hit or the line came. */
#include <stdlib.h>
#include <string.h>

#include "core/core_priv.h"

static uint32_t power_of_two(uint64_t least)
{
    uint32_t p = 64;
    while (p < least)
        p *= 2;
    return p;
}

static uint32_t longest_latency(const pn_core *c)
{
    uint32_t longest = c->uncore.timing.l1d_cyc;
    for (int i = 0; i < PN_CLASS_COUNT; i++)
        if (c->class_latency[i] > longest)
            longest = c->class_latency[i];
    return longest;
}

panem_status pn_sched_init(pn_core *c, panem_error *err)
{
    const pn_core_config *f = &c->config;
    /* A chain of everything in flight, each waiting for the one before and for a slot. */
    uint32_t ring = power_of_two((uint64_t)f->rob * (longest_latency(c) + 2) + 64);
    uint32_t uops = power_of_two(2 * (uint64_t)f->rob + 2);
    uint32_t stores = power_of_two(f->store_buffer);
    const uint32_t lanes[PN_PIPE_LANES] = {f->alu_ports,    f->mul_ports,  f->fp_ports,
                                           f->branch_ports, f->load_ports, f->store_ports};
    memcpy(c->lane_max, lanes, sizeof lanes);
    c->uop_mask = uops - 1;
    c->store_mask = stores - 1;
    c->lane_mask = ring - 1;
    c->uops = calloc(uops, sizeof *c->uops);
    c->stores = calloc(stores, sizeof *c->stores);
    c->bookable = calloc(uops, sizeof *c->bookable);
    c->waits = calloc(uops, sizeof *c->waits);
    c->lanes = calloc(ring, sizeof *c->lanes);
    c->load_first = calloc(ring, sizeof *c->load_first);
    c->load_last = calloc(ring, sizeof *c->load_last);
    c->load_cycles = calloc(ring / 64, sizeof *c->load_cycles);
    c->rob_head = c->next_seq = c->commit_seq = 1;
    c->event_cyc = UINT64_MAX;
    if (c->uops && c->stores && c->bookable && c->waits && c->lanes && c->load_first &&
        c->load_last && c->load_cycles)
        return PANEM_OK;
    return pn_err(err, PANEM_E_NOMEM, "no memory for a core");
}

void pn_sched_release(pn_core *c)
{
    free(c->uops);
    free(c->stores);
    free(c->bookable);
    free(c->waits);
    free(c->lanes);
    free(c->load_first);
    free(c->load_last);
    free(c->load_cycles);
}

/* ---- micro-ops that can be booked, oldest first ---------------------------------------------- */

static void push_bookable(pn_core *c, uint64_t seq)
{
    uint32_t i = c->bookable_count++;
    while (i > 0 && seq < c->bookable[(i - 1) / 2]) {
        c->bookable[i] = c->bookable[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    c->bookable[i] = seq;
}

static uint64_t pop_bookable(pn_core *c)
{
    uint64_t first = c->bookable[0];
    uint64_t last = c->bookable[--c->bookable_count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= c->bookable_count)
            break;
        if (child + 1 < c->bookable_count && c->bookable[child + 1] < c->bookable[child])
            child++;
        if (c->bookable[child] >= last)
            break;
        c->bookable[i] = c->bookable[child];
        i = child;
    }
    c->bookable[i] = last;
    return first;
}

/* ---- who waits for whom ---------------------------------------------------------------------- */

/* Takes in results that are known; true when all are. Else it waits for the first that is not. */
static bool operands_known(pn_core *c, pn_uop *u)
{
    while (u->sources) {
        pn_uop *producer = &c->uops[u->source[u->sources - 1]];
        if (producer->done_cyc == PN_UNKNOWN) {
            u->next_waiter = producer->waiters;
            producer->waiters = (uint32_t)(u->seq & c->uop_mask) + 1;
            return false;
        }
        if (producer->done_cyc > u->ready_cyc)
            u->ready_cyc = producer->done_cyc;
        u->sources--;
    }
    return true;
}

/* The time of a result is known now. */
static void announce(pn_core *c, pn_uop *u, uint64_t done_cyc)
{
    u->done_cyc = done_cyc;
    uint32_t waiter = u->waiters;
    u->waiters = 0;
    while (waiter) {
        pn_uop *w = &c->uops[waiter - 1];
        waiter = w->next_waiter;
        if (operands_known(c, w))
            push_bookable(c, w->seq);
    }
}

/* ---- pipes ----------------------------------------------------------------------------------- */

static void clean_lanes(pn_core *c, uint64_t cycle)
{
    uint64_t dirty = cycle - c->lanes_clean_cyc;
    if (dirty > c->lane_mask)
        memset(c->lanes, 0, (c->lane_mask + 1) * sizeof *c->lanes);
    else
        for (uint64_t i = c->lanes_clean_cyc; i < cycle; i++)
            c->lanes[i & c->lane_mask] = 0;
    c->lanes_clean_cyc = cycle;
}

static uint64_t book_lane(pn_core *c, unsigned lane, uint64_t earliest_cyc)
{
    uint64_t at = earliest_cyc > c->hint_cyc[lane] ? earliest_cyc : c->hint_cyc[lane];
    unsigned shift = lane * 8;
    uint64_t max = c->lane_max[lane];
    uint64_t *slot = &c->lanes[at & c->lane_mask];
    while ((*slot >> shift & 0xff) == max)
        slot = &c->lanes[++at & c->lane_mask];
    *slot += UINT64_C(1) << shift;
    if (at == c->hint_cyc[lane] && (*slot >> shift & 0xff) == max)
        c->hint_cyc[lane] = at + 1;
    return at;
}

static void plan_load(pn_core *c, pn_uop *u, uint64_t cycle)
{
    uint64_t at = cycle & c->lane_mask;
    uint32_t name = (uint32_t)(u->seq & c->uop_mask) + 1;
    u->next_load = 0;
    if (c->load_first[at])
        c->uops[c->load_last[at] - 1].next_load = name;
    else
        c->load_first[at] = name;
    c->load_last[at] = name;
    c->load_cycles[at / 64] |= UINT64_C(1) << at % 64;
    c->loads_planned++;
    if (cycle < c->event_cyc)
        c->event_cyc = cycle;
}

static void book(pn_core *c, pn_uop *u, uint64_t cycle)
{
    uint64_t earliest = u->ready_cyc > cycle ? u->ready_cyc : cycle + 1;
    if (u->pipe == PN_PIPE_NONE) {
        announce(c, u, earliest);
        return;
    }
    if (u->pipe >= PN_PIPE_LANES) {
        uint64_t *unit_free = &c->unit_free_cyc[u->pipe - PN_PIPE_LANES];
        *unit_free = (earliest > *unit_free ? earliest : *unit_free) + u->latency_cyc;
        announce(c, u, *unit_free);
        return;
    }
    uint64_t at = book_lane(c, u->pipe, earliest);
    if (u->kind == PN_UOP_LOAD && !u->forwarded)
        plan_load(c, u, at);
    else
        announce(c, u, at + u->latency_cyc);
}

static void book_all(pn_core *c, uint64_t cycle)
{
    while (c->bookable_count)
        book(c, pn_core_uop(c, pop_bookable(c)), cycle);
}

/* ---- commit ---------------------------------------------------------------------------------- */

static void start_store(pn_core *c, const pn_uop *u)
{
    pn_store *s = &c->stores[u->store_no & c->store_mask];
    s->start_cyc = u->commit_cyc > c->last_start_cyc ? u->commit_cyc : c->last_start_cyc + 1;
    c->last_start_cyc = s->start_cyc;
    c->store_started = u->store_no + 1;
    if (s->start_cyc < c->event_cyc)
        c->event_cyc = s->start_cyc;
}

/* The cycles since the last commit go to what held this micro-op up. */
static void charge(pn_core *c, const pn_uop *u)
{
    pn_cpi_commit commit = {.before_cyc = c->last_commit_cyc,
                            .commit_cyc = u->commit_cyc,
                            .dispatch_cyc = u->dispatch_cyc,
                            .waits = u->waited ? &c->waits[u->seq & c->uop_mask] : NULL,
                            .load = u->kind == PN_UOP_LOAD,
                            .translated_cyc = u->translated_cyc,
                            .source = u->from};
    if (commit.commit_cyc == commit.before_cyc + 1)
        c->counts.cpi_cyc[PN_CPI_BASE]++;
    else
        pn_cpi_charge(c->counts.cpi_cyc, &commit);
}

/* Commit cycles follow from done cycles: in order, so many per cycle, one after the result. */
static void commit(pn_core *c)
{
    while (c->commit_seq < c->next_seq) {
        pn_uop *u = pn_core_uop(c, c->commit_seq);
        if (u->done_cyc == PN_UNKNOWN)
            return;
        uint64_t at = u->done_cyc + 1;
        if (at < c->last_commit_cyc)
            at = c->last_commit_cyc;
        if (c->commit_seq > c->config.commit_width) {
            const pn_uop *before = pn_core_uop(c, c->commit_seq - c->config.commit_width);
            if (at <= before->commit_cyc)
                at = before->commit_cyc + 1;
        }
        u->commit_cyc = at;
        if (at > c->last_commit_cyc)
            charge(c, u);
        c->last_commit_cyc = at;
        if (u->kind == PN_UOP_STORE)
            start_store(c, u);
        if (++c->commit_seq == c->mark_seq) {
            c->mark_cyc = at;
            memcpy(c->cpi_at_mark, c->counts.cpi_cyc, sizeof c->cpi_at_mark);
        }
    }
}

static void filter_words(pn_core *c, const pn_store *s, int step)
{
    for (uint64_t w = s->first_word; w <= s->last_word; w++) {
        uint16_t *held = &c->filter[w % PN_FILTER];
        *held = (uint16_t)(*held + step);
    }
}

void pn_sched_free(pn_core *c, uint64_t cycle)
{
    while (c->rob_head < c->commit_seq) {
        const pn_uop *u = pn_core_uop(c, c->rob_head);
        if (u->commit_cyc > cycle)
            break;
        c->lob_used -= u->kind == PN_UOP_LOAD;
        c->rob_head++;
    }
    while (c->store_head < c->store_accessed) {
        const pn_store *s = &c->stores[c->store_head & c->store_mask];
        if (s->done_cyc > cycle)
            break;
        filter_words(c, s, -1);
        c->store_head++;
    }
}

/* ---- dispatch -------------------------------------------------------------------------------- */

/* The youngest store in the buffer that wrote any of these words, or NULL. */
static const pn_store *find_store(const pn_core *c, uint64_t first_word, uint64_t last_word)
{
    uint32_t held = 0;
    for (uint64_t w = first_word; w <= last_word; w++)
        held |= c->filter[w % PN_FILTER];
    if (held == 0)
        return NULL;
    for (uint64_t n = c->store_next; n > c->store_head; n--) {
        const pn_store *s = &c->stores[(n - 1) & c->store_mask];
        if (s->first_word <= last_word && s->last_word >= first_word)
            return s;
    }
    return NULL;
}

static void dispatch_load(pn_core *c, pn_uop *u, const pn_proto *p)
{
    uint64_t first = p->address / 8;
    uint64_t last = (p->address + p->bytes - 1) / 8;
    const pn_store *s = find_store(c, first, last);
    c->lob_used++;
    c->counts.loads++;
    u->latency_cyc = (uint8_t)c->uncore.timing.l1d_cyc;
    if (!s)
        return;
    u->forwarded = true;
    c->counts.forwarded++;
    if (s->uop_seq >= c->rob_head)
        u->source[u->sources++] = (uint32_t)(s->uop_seq & c->uop_mask);
}

static void dispatch_store(pn_core *c, pn_uop *u, const pn_proto *p)
{
    pn_store *s = &c->stores[c->store_next & c->store_mask];
    *s = (pn_store){.line = u->line,
                    .uop_seq = u->seq,
                    .address = p->address,
                    .pc = p->pc,
                    .start_cyc = PN_UNKNOWN,
                    .done_cyc = PN_UNKNOWN,
                    .first_word = p->address / 8,
                    .last_word = (p->address + p->bytes - 1) / 8};
    u->store_no = c->store_next++;
    c->counts.stores++;
    filter_words(c, s, 1);
}

void pn_sched_dispatch(pn_core *c, const pn_proto *p, uint64_t cycle)
{
    uint64_t seq = c->next_seq++;
    pn_uop *u = pn_core_uop(c, seq);
    clean_lanes(c, cycle);
    u->seq = seq;
    u->done_cyc = u->commit_cyc = PN_UNKNOWN;
    u->ready_cyc = 0;
    u->waiters = 0;
    u->sources = 0;
    u->kind = p->kind;
    u->pipe = p->pipe;
    u->latency_cyc = p->latency_cyc;
    u->forwarded = false;
    u->from = (pn_source){0};
    u->dispatch_cyc = cycle;
    u->translated_cyc = 0;
    u->waited = c->front_waits.count != 0;
    if (u->waited) {
        c->waits[seq & c->uop_mask] = c->front_waits;
        c->front_waits.count = 0;
    }
    c->counts.uops++;
    for (unsigned i = 0; i < p->sources && u->sources < PN_UOP_SOURCES - 1; i++)
        if (p->source[i] >= c->rob_head)
            u->source[u->sources++] = (uint32_t)(p->source[i] & c->uop_mask);
    if (p->kind != PN_UOP_OP)
        u->line = pn_vmap_line(&c->vmap, p->address);
    u->address = p->address;
    u->pc = p->pc;
    if (p->kind == PN_UOP_LOAD)
        dispatch_load(c, u, p);
    else if (p->kind == PN_UOP_STORE)
        dispatch_store(c, u, p);
    if (!operands_known(c, u))
        return;
    book(c, u, cycle);
    commit(c);
}

/* ---- one cycle ------------------------------------------------------------------------------- */

static void wake_all(pn_core *c)
{
    for (uint32_t i = 0; i < c->uncore.woken_count; i++) {
        const pn_woken *w = &c->uncore.woken[i];
        if (w->client <= c->uop_mask) {
            c->uops[w->client].from = w->source;
            announce(c, &c->uops[w->client], w->done_cyc);
        } else {
            pn_store *s = &c->stores[w->client - c->uop_mask - 1];
            s->from = w->source;
            s->done_cyc = w->done_cyc;
        }
    }
    c->uncore.woken_count = 0;
}

static void loads_of(pn_core *c, uint64_t cycle)
{
    uint64_t at = cycle & c->lane_mask;
    uint32_t name = c->load_first[at];
    if (!name)
        return;
    c->load_first[at] = 0;
    c->load_cycles[at / 64] &= ~(UINT64_C(1) << at % 64);
    while (name) {
        pn_uop *u = &c->uops[name - 1];
        uint32_t client = name - 1;
        name = u->next_load;
        c->loads_planned--;
        pn_wait load = {u->line, u->address, u->pc, client, false};
        if (pn_uncore_access(&c->uncore, cycle, &load))
            announce(c, u, cycle + c->uncore.timing.l1d_cyc);
        u->translated_cyc = c->uncore.translated_cyc;
    }
}

static void store_of(pn_core *c, uint64_t cycle)
{
    if (c->store_accessed == c->store_started)
        return;
    uint32_t at = (uint32_t)(c->store_accessed & c->store_mask);
    pn_store *s = &c->stores[at];
    if (s->start_cyc != cycle)
        return;
    c->store_accessed++;
    pn_wait store = {s->line, s->address, s->pc, c->uop_mask + 1 + at, true};
    if (pn_uncore_access(&c->uncore, cycle, &store))
        s->done_cyc = cycle + 1;
}

/* The first cycle after this one with a planned load. */
static uint64_t next_load(const pn_core *c, uint64_t cycle)
{
    if (c->loads_planned == 0)
        return UINT64_MAX;
    uint64_t from = cycle + 1;
    uint64_t at = from & c->lane_mask;
    uint64_t bits = c->load_cycles[at / 64] >> at % 64;
    if (bits)
        return from + (uint64_t)__builtin_ctzll(bits);
    from += 64 - at % 64;
    for (;;) {
        bits = c->load_cycles[(from & c->lane_mask) / 64];
        if (bits)
            return from + (uint64_t)__builtin_ctzll(bits);
        from += 64;
    }
}

void pn_sched_settle(pn_core *c, uint64_t cycle)
{
    pn_uncore_settle(&c->uncore, cycle);
    uint64_t next = pn_uncore_next(&c->uncore);
    uint64_t load = next_load(c, cycle);
    if (load < next)
        next = load;
    if (c->store_accessed < c->store_started) {
        uint64_t store = c->stores[c->store_accessed & c->store_mask].start_cyc;
        if (store < next)
            next = store;
    }
    c->event_cyc = next;
}

void pn_sched_cycle(pn_core *c, uint64_t cycle)
{
    c->now_cyc = cycle;
    clean_lanes(c, cycle);
    if (pn_uncore_next(&c->uncore) <= cycle) {
        pn_uncore_step(&c->uncore, cycle);
        wake_all(c);
    }
    loads_of(c, cycle);
    store_of(c, cycle);
    book_all(c, cycle);
    commit(c);
    pn_sched_settle(c, cycle);
}
