/* uncore.c - see uncore.h. */
#include "core/uncore.h"

#include <stdlib.h>

/* Who asks L2; a prefetch of L1D asks as FROM_L1D | PREFETCH. */
enum { FROM_L1D = 0, FROM_L1I = 1, WHO = 1, PREFETCH = 2 };

static panem_status init_prefetchers(pn_uncore *u, const pn_core_config *c, panem_error *err)
{
    PN_TRY(pn_prefetch_init(&u->l1d_prefetch, pn_prefetch_of_l1d[c->l1d_prefetch.kind],
                            &c->l1d_prefetch, &u->l1d, c->l1d.mshrs, c->page_bytes, err));
    return pn_prefetch_init(&u->l2_prefetch, pn_prefetch_of_l2[c->l2_prefetch.kind],
                            &c->l2_prefetch, &u->l2, c->l2.mshrs, PN_PREFETCH_FRAME_BYTES, err);
}

panem_status pn_uncore_init(pn_uncore *uncore, const pn_core_config *c, pn_chip *chip,
                            uint32_t index, uint32_t clients, panem_error *err)
{
    pn_uncore u = {.timing = pn_core_timing_of(c), .chip = chip, .index = index};
    uint32_t l1_mshrs = c->l1i.mshrs + c->l1d.mshrs;
    uint32_t events = 2 * (l1_mshrs + c->l2.mshrs + c->llc_mshrs) + 32 + (c->tlb.on ? clients : 0);
    u.l1d_retry = u.l2_retry = UINT64_MAX;
    pn_cbusy_init(&u.cbusy, c);
    u.next_client = calloc(clients, sizeof *u.next_client);
    u.woken = calloc(clients, sizeof *u.woken);
    u.translating = calloc(c->tlb.on ? clients : 1, sizeof *u.translating);
    panem_status s = u.next_client && u.woken && u.translating ? PANEM_OK : PANEM_E_NOMEM;
    if (s != PANEM_OK)
        (void)pn_err(err, s, "no memory for a core");
    if (s == PANEM_OK)
        s = pn_level_init(&u.l1i, c->l1i.bytes, c->l1i.ways, c->l1i.mshrs, 1, err);
    if (s == PANEM_OK)
        s = pn_level_init(&u.l1d, c->l1d.bytes, c->l1d.ways, c->l1d.mshrs, clients, err);
    if (s == PANEM_OK)
        s = pn_level_init(&u.l2, c->l2.bytes, c->l2.ways, c->l2.mshrs, l1_mshrs, err);
    if (s == PANEM_OK)
        s = pn_evq_init(&u.events, events, err);
    if (s == PANEM_OK)
        s = pn_tlb_init(&u.tlb, c, clients + 1, err);
    if (s != PANEM_OK) {
        pn_uncore_release(&u);
        return s;
    }
    *uncore = u;
    chip->cores[index].events = &uncore->events;
    s = init_prefetchers(uncore, c, err);
    if (s != PANEM_OK)
        pn_uncore_release(uncore);
    return s;
}

void pn_uncore_release(pn_uncore *u)
{
    pn_level_release(&u->l1i);
    pn_level_release(&u->l1d);
    pn_level_release(&u->l2);
    pn_prefetch_release(&u->l1d_prefetch);
    pn_prefetch_release(&u->l2_prefetch);
    pn_evq_release(&u->events);
    pn_tlb_release(&u->tlb);
    free(u->next_client);
    free(u->woken);
    free(u->translating);
    u->next_client = NULL;
    u->woken = NULL;
    u->translating = NULL;
}

/* ---- dirty lines go down --------------------------------------------------------------------- */

static uint64_t take_link(uint64_t *free_cyc, uint64_t cycle, uint32_t busy_cyc)
{
    uint64_t start = *free_cyc > cycle ? *free_cyc : cycle;
    *free_cyc = start + busy_cyc;
    return start;
}

static void write_to_llc(pn_uncore *u, uint64_t cycle, uint64_t line)
{
    (void)take_link(&u->l2_link_free, cycle, u->timing.l2_link_cyc);
    pn_chip_write(u->chip, cycle, u->index, line);
}

static void write_to_l2(pn_uncore *u, uint64_t cycle, uint64_t line)
{
    (void)take_link(&u->l1_link_free, cycle, u->timing.l1_link_cyc);
    u->l2.stats.writebacks++;
    uint64_t out = pn_level_fill(&u->l2, line, true, false);
    if (out != PN_NO_LINE)
        write_to_llc(u, cycle, out);
}

/* ---- fills come up --------------------------------------------------------------------------- */

static void wake(pn_uncore *u, uint32_t client, uint64_t done_cyc, pn_source source)
{
    u->woken[u->woken_count++] = (pn_woken){client, done_cyc, source};
}

/* Plans a look of the requests that wait at a level, once per cycle. */
static void again(pn_uncore *u, const pn_level *level, uint64_t *planned, uint64_t cycle,
                  unsigned kind)
{
    if (level->wait_count == 0 || *planned == cycle)
        return;
    *planned = cycle;
    pn_evq_push(&u->events, cycle, kind, 0, 0);
}

/* Plans a look at a prefetch queue, at most one at a time. */
static void plan_prefetch(pn_uncore *u, pn_prefetch *p, uint64_t cycle, unsigned kind)
{
    if (p->planned_cyc != UINT64_MAX || !pn_prefetch_ready(p))
        return;
    p->planned_cyc = cycle;
    pn_evq_push(&u->events, cycle, kind, 0, 0);
}

static void fill_l1i(pn_uncore *u, uint64_t cycle, uint64_t line)
{
    (void)pn_level_fill(&u->l1i, line, false, false);
    pn_level_free(&u->l1i, pn_level_find(&u->l1i, line));
    u->fetch_done_cyc = cycle + 1;
}

static void fill_l1d(pn_uncore *u, uint64_t cycle, uint64_t line)
{
    pn_mshr *m = pn_level_find(&u->l1d, line);
    uint64_t out = pn_level_fill(&u->l1d, line, m->write, m->prefetch);
    if (m->source.from == PN_FROM_L1)
        m->source.from = PN_FROM_L2;
    u->last_fill = m->source;
    for (uint32_t c = m->first; c != PN_CLIENT_NONE; c = u->next_client[c])
        wake(u, c, cycle + 1, m->source);
    if (m->from_memory && !m->own) {
        u->view.lines++;
        u->view.cycles += cycle + 1 - m->start_cyc;
    }
    pn_level_free(&u->l1d, m);
    again(u, &u->l1d, &u->l1d_retry, cycle, PN_L1D_AGAIN);
    plan_prefetch(u, &u->l1d_prefetch, cycle, PN_L1D_PREFETCH);
    if (out != PN_NO_LINE)
        write_to_l2(u, cycle, out);
}

static void fill_l1(pn_uncore *u, uint64_t cycle, uint64_t line, uint32_t who)
{
    if (who == FROM_L1I)
        fill_l1i(u, cycle, line);
    else
        fill_l1d(u, cycle, line);
}

static void leave_for_l1(pn_uncore *u, uint64_t cycle, uint64_t line, uint32_t who)
{
    uint64_t start = take_link(&u->l1_link_free, cycle, u->timing.l1_link_cyc);
    if (start == cycle)
        fill_l1(u, cycle, line, who);
    else
        pn_evq_push(&u->events, start, PN_L1_FILL, line, who);
}

/* The clients of an L2 MSHR are a set of at most two: bit who of `first`, and who came first in
 * `last`. A prefetch of L2 itself has none. */
static void fill_l2(pn_uncore *u, uint64_t cycle, uint64_t line)
{
    pn_mshr *m = pn_level_find(&u->l2, line);
    uint32_t who = m->first;
    uint32_t first = m->last;
    bool from_memory = m->from_memory;
    bool own = m->own;
    pn_source source = from_memory ? m->source : (pn_source){.from = PN_FROM_LLC};
    uint64_t out = pn_level_fill(&u->l2, line, false, m->prefetch);
    pn_prefetch_filled(&u->l2_prefetch, line, m->own);
    pn_level_free(&u->l2, m);
    if (who & 1U << FROM_L1D) {
        pn_mshr *above = pn_level_find(&u->l1d, line);
        above->source = source;
        above->from_memory = from_memory && !own;
    }
    u->mem_lines += from_memory;
    if (who)
        pn_evq_push(&u->events, cycle, PN_L1_READY, line, first);
    if (who & 1U << (first ^ 1))
        pn_evq_push(&u->events, cycle, PN_L1_READY, line, first ^ 1);
    again(u, &u->l2, &u->l2_retry, cycle, PN_L2_AGAIN);
    plan_prefetch(u, &u->l2_prefetch, cycle, PN_L2_PREFETCH);
    if (out != PN_NO_LINE)
        write_to_llc(u, cycle, out);
}

static void leave_for_l2(pn_uncore *u, uint64_t cycle, uint64_t line)
{
    uint64_t start = take_link(&u->l2_link_free, cycle, u->timing.l2_link_cyc);
    if (start == cycle)
        fill_l2(u, cycle, line);
    else
        pn_evq_push(&u->events, start, PN_L2_FILL, line, 0);
}

/* arg: as the chip made it. */
static void came_from_memory(pn_uncore *u, uint64_t cycle, uint64_t line, uint32_t arg)
{
    pn_mshr *m = pn_level_find(&u->l2, line);
    uint32_t busy = arg & ((1U << PN_CBUSY_BITS) - 1);
    uint32_t decided;
    m->from_memory = true;
    m->source = (pn_source){PN_FROM_MEMORY, (uint16_t)(arg >> PN_CBUSY_BITS)};
    if (pn_cbusy_response(&u->cbusy, busy, &decided))
        pn_evq_push(&u->events, cycle + u->cbusy.config.delay_cyc, PN_CBUSY_LEVEL, 0, decided);
}

static void set_cbusy(pn_uncore *u, uint64_t cycle, uint32_t level)
{
    pn_cbusy *c = &u->cbusy;
    pn_cbusy_apply(c, cycle, level, pn_prefetch_accuracy_pct(&u->l1d_prefetch),
                   pn_prefetch_accuracy_pct(&u->l2_prefetch));
    if (c->config.control & PN_CBUSY_PREFETCH) {
        pn_prefetch_set_level(&u->l1d_prefetch, c->l1d.level);
        pn_prefetch_set_level(&u->l2_prefetch, c->l2.level);
    }
    if (c->limit == u->l2.mshr_max)
        return;
    u->l2.mshr_max = c->limit;
    pn_prefetch_set_mshrs(&u->l2_prefetch, c->limit);
    again(u, &u->l2, &u->l2_retry, cycle, PN_L2_AGAIN);
    plan_prefetch(u, &u->l2_prefetch, cycle, PN_L2_PREFETCH);
}

/* ---- requests go down ------------------------------------------------------------------------ */

/* Prefetches that L2's accesses lead to may leave in the same cycle. */
static void train_l2(pn_uncore *u, uint64_t cycle, uint64_t line, bool trigger)
{
    if (!u->l2_prefetch.ops)
        return;
    pn_prefetch_access access = {
        .line = line, .pc = pn_level_find(&u->l1d, line)->pc, .trigger = trigger};
    pn_prefetch_train(&u->l2_prefetch, &access);
    plan_prefetch(u, &u->l2_prefetch, cycle, PN_L2_PREFETCH);
}

static bool look_l2(pn_uncore *u, uint64_t cycle, uint64_t line, uint32_t arg)
{
    uint32_t who = arg & WHO;
    uint32_t l1_cyc = who == FROM_L1I ? u->timing.l1i_cyc : u->timing.l1d_cyc;
    uint32_t rest_cyc = u->timing.l2_cyc - l1_cyc;
    pn_look look = pn_level_look_below(&u->l2, line, arg & PREFETCH);
    switch (look.settled) {
    case PN_SETTLED_HIT:
        pn_evq_push(&u->events, cycle + rest_cyc - 1, PN_L1_READY, line, who);
        break;
    case PN_SETTLED_MISS:
        look.mshr->first = 1U << who;
        look.mshr->last = who;
        pn_chip_look(u->chip, cycle + rest_cyc, u->index, line, arg & PREFETCH);
        break;
    case PN_SETTLED_MERGE:
        if (look.mshr->first == 0)
            look.mshr->last = who;
        look.mshr->first |= 1U << who;
        break;
    case PN_SETTLED_NOT:
        return false;
    }
    if (who == FROM_L1D)
        train_l2(u, cycle, line, look.trigger);
    return true;
}

/* The oldest prefetch of a queue leaves, and the next one's turn is planned. */
static void send_prefetch(pn_uncore *u, pn_prefetch *p, uint64_t cycle, unsigned kind)
{
    pn_mshr *m = pn_prefetch_send(p);
    p->planned_cyc = UINT64_MAX;
    if (m && kind == PN_L2_PREFETCH) {
        uint32_t rest_cyc = u->timing.l2_cyc - u->timing.l1d_cyc;
        pn_chip_look(u->chip, cycle + rest_cyc, u->index, m->line, true);
    } else if (m) {
        m->first = m->last = PN_CLIENT_NONE;
        pn_evq_push(&u->events, cycle + u->timing.l1d_cyc, PN_L2_LOOK, m->line,
                    FROM_L1D | PREFETCH);
    }
    plan_prefetch(u, p, cycle + 1, kind);
}

static void add_client(pn_uncore *u, uint64_t cycle, const pn_wait *w, const pn_look *look)
{
    pn_mshr *m = look->mshr;
    u->next_client[w->client] = PN_CLIENT_NONE;
    if (look->settled == PN_SETTLED_MERGE && m->first != PN_CLIENT_NONE) {
        u->next_client[m->last] = w->client;
        m->last = w->client;
        return;
    }
    m->first = m->last = w->client;
    m->start_cyc = cycle;
    if (look->settled == PN_SETTLED_MERGE)
        return; /* a prefetch is on its way */
    m->pc = w->pc;
    pn_evq_push(&u->events, cycle + u->timing.l1d_cyc, PN_L2_LOOK, w->line, FROM_L1D);
}

/* send_cyc: the first cycle in which a prefetch it leads to may leave. */
static bool look_l1d(pn_uncore *u, uint64_t cycle, uint64_t send_cyc, const pn_wait *w, bool *hit)
{
    pn_look look = pn_level_look(&u->l1d, w->line, w->write);
    *hit = look.settled == PN_SETTLED_HIT;
    if (look.settled == PN_SETTLED_NOT)
        return false;
    if (!*hit)
        add_client(u, cycle, w, &look);
    if (u->l1d_prefetch.ops) {
        pn_prefetch_access access = {w->line, w->address, w->pc, look.trigger};
        pn_prefetch_train(&u->l1d_prefetch, &access);
        plan_prefetch(u, &u->l1d_prefetch, send_cyc, PN_L1D_PREFETCH);
    }
    return true;
}

static void look_again(pn_uncore *u, uint64_t cycle, unsigned kind)
{
    pn_level *level = kind == PN_L2_AGAIN ? &u->l2 : &u->l1d;
    const pn_wait *w;
    bool settled = true;
    while (settled && (w = pn_level_first_waiting(level)) != NULL) {
        pn_wait first = *w;
        bool hit = false;
        if (kind == PN_L2_AGAIN)
            settled = look_l2(u, cycle, first.line, first.client);
        else
            settled = look_l1d(u, cycle, cycle, &first, &hit);
        if (settled)
            pn_level_drop_waiting(level);
        if (hit)
            wake(u, first.client, cycle + (first.write ? 1 : u->timing.l1d_cyc), u->last_fill);
    }
}

static bool look_l1i(pn_uncore *u, uint64_t cycle, uint64_t line)
{
    pn_look look = pn_level_look(&u->l1i, line, false);
    if (look.settled == PN_SETTLED_HIT)
        return true;
    look.mshr->start_cyc = cycle;
    pn_evq_push(&u->events, cycle + u->timing.l1i_cyc, PN_L2_LOOK, line, FROM_L1I);
    return false;
}

/* An access goes on: its page is known. */
static void translated(pn_uncore *u, uint64_t cycle, uint64_t line, uint32_t client)
{
    bool hit = false;
    if (client == PN_CLIENT_NONE) {
        if (look_l1i(u, cycle, line))
            u->fetch_done_cyc = cycle;
        return;
    }
    pn_wait access = u->translating[client];
    if (!look_l1d(u, cycle, cycle, &access, &hit))
        pn_level_wait(&u->l1d, &access);
    if (hit)
        wake(u, client, cycle + (access.write ? 1 : u->timing.l1d_cyc), (pn_source){0});
}

/* ---- the core's side ------------------------------------------------------------------------- */

static void handle(pn_uncore *u, const pn_ev *e)
{
    switch (pn_ev_kind(e)) {
    case PN_L2_READY_MEM:
        came_from_memory(u, e->cycle, e->line, e->arg);
        leave_for_l2(u, e->cycle, e->line);
        break;
    case PN_L2_READY:
        leave_for_l2(u, e->cycle, e->line);
        break;
    case PN_CBUSY_LEVEL:
        set_cbusy(u, e->cycle, e->arg);
        break;
    case PN_L2_FILL:
        fill_l2(u, e->cycle, e->line);
        break;
    case PN_L1_READY:
        leave_for_l1(u, e->cycle, e->line, e->arg);
        break;
    case PN_L1_FILL:
        fill_l1(u, e->cycle, e->line, e->arg);
        break;
    case PN_L2_LOOK:
        if (!look_l2(u, e->cycle, e->line, e->arg))
            pn_level_wait(&u->l2, &(pn_wait){.line = e->line, .client = e->arg});
        break;
    case PN_L2_PREFETCH:
        send_prefetch(u, &u->l2_prefetch, e->cycle, PN_L2_PREFETCH);
        break;
    case PN_TRANSLATED:
        translated(u, e->cycle, e->line, e->arg);
        break;
    case PN_L1D_PREFETCH:
        send_prefetch(u, &u->l1d_prefetch, e->cycle, PN_L1D_PREFETCH);
        break;
    default:
        look_again(u, e->cycle, pn_ev_kind(e));
        break;
    }
}

/* The phases of a cycle that lie in the core and, when it has the chip to itself, in the chip. */
static void step_alone(pn_uncore *u, uint64_t cycle)
{
    pn_chip *chip = u->chip;
    if (pn_door_next(&chip->door) <= cycle)
        pn_chip_responses(chip, cycle);
    for (;;) {
        bool own = pn_evq_next(&u->events) <= cycle;
        bool shared = pn_evq_next(&chip->events) <= cycle;
        if (shared && (!own || pn_evq_kind(&chip->events) < pn_evq_kind(&u->events))) {
            pn_chip_event(chip);
        } else if (own) {
            pn_ev e = pn_evq_pop(&u->events);
            handle(u, &e);
        } else {
            return;
        }
    }
}

void pn_uncore_step(pn_uncore *u, uint64_t cycle)
{
    if (pn_uncore_alone(u)) {
        step_alone(u, cycle);
        return;
    }
    while (pn_evq_next(&u->events) <= cycle) {
        pn_ev e = pn_evq_pop(&u->events);
        handle(u, &e);
    }
}

bool pn_uncore_access(pn_uncore *u, uint64_t cycle, const pn_wait *access)
{
    bool hit = false;
    if (u->tlb.on) {
        uint64_t known_cyc = pn_tlb_look(&u->tlb, cycle, access->address, false);
        u->translated_cyc = known_cyc > cycle ? known_cyc : 0;
        if (known_cyc > cycle) {
            u->translating[access->client] = *access;
            pn_evq_push(&u->events, known_cyc, PN_TRANSLATED, access->line, access->client);
            return false;
        }
    }
    if (!look_l1d(u, cycle, cycle + 1, access, &hit))
        pn_level_wait(&u->l1d, access);
    return hit;
}

bool pn_uncore_fetch(pn_uncore *u, uint64_t cycle, uint64_t address, uint64_t line)
{
    uint64_t known_cyc = u->tlb.on ? pn_tlb_look(&u->tlb, cycle, address, true) : cycle;
    if (known_cyc > cycle)
        pn_evq_push(&u->events, known_cyc, PN_TRANSLATED, line, PN_CLIENT_NONE);
    else if (look_l1i(u, cycle, line))
        return true;
    u->fetch_done_cyc = UINT64_MAX;
    return false;
}
