/* core_ref_mem.c - see core_ref_mem.h. */
#include "core_ref_mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/clock.h"

static void cache_new(ref_cache *c, uint64_t bytes, uint32_t ways, uint32_t mshrs)
{
    c->n_ways = ways;
    c->sets = bytes / 64 / ways;
    c->max_misses = (int)mshrs;
    c->ways = calloc(c->sets * ways, sizeof *c->ways);
    assert(c->ways);
}

static void fetcher_new(ref_fetcher *f, const pn_prefetch_config *config, ref_prefetcher kind,
                        uint64_t page_bytes)
{
    f->learn = kind == REF_NONE ? NULL : ref_learn_new(kind, (int)config->level);
    f->page_lines = page_bytes / 64;
    f->reserve = (int)config->reserve;
    f->level = f->own_level = kind == REF_NONE ? 0 : (int)config->level;
    f->accuracy = 100;
    f->queue_max = (int)config->queue;
}

ref_mem *ref_mem_new(const pn_core_config *config, pn_mem_port *port, uint64_t idle_ps)
{
    ref_mem *m = calloc(1, sizeof *m);
    assert(m);
    m->config = *config;
    m->timing = pn_core_timing_of(config);
    m->port = port;
    m->idle_ps = idle_ps;
    m->on_chip_ps = (uint64_t)(pn_core_on_chip_ns(config) * 1000.0);
    ref_tlb_init(&m->tlb, config);
    cache_new(&m->l1i, config->l1i.bytes, config->l1i.ways, config->l1i.mshrs);
    cache_new(&m->l1d, config->l1d.bytes, config->l1d.ways, config->l1d.mshrs);
    cache_new(&m->l2, config->l2.bytes, config->l2.ways, config->l2.mshrs);
    cache_new(&m->llc, m->timing.llc_bytes, config->llc_ways, config->llc_mshrs);
    static const ref_prefetcher of_l1d[] = {REF_NONE, REF_STRIDE, REF_NEXT_LINE};
    static const ref_prefetcher of_l2[] = {REF_NONE, REF_STREAM, REF_BEST_OFFSET, REF_SPATIAL};
    fetcher_new(&m->l1d.fetcher, &config->l1d_prefetch, of_l1d[config->l1d_prefetch.kind],
                config->page_bytes);
    fetcher_new(&m->l2.fetcher, &config->l2_prefetch, of_l2[config->l2_prefetch.kind], 4096);
    return m;
}

void ref_mem_free(ref_mem *m)
{
    ref_learn_free(m->l1d.fetcher.learn);
    ref_learn_free(m->l2.fetcher.learn);
    free(m->l1i.ways);
    free(m->l1d.ways);
    free(m->l2.ways);
    free(m->llc.ways);
    free(m);
}

/* ---- one cache ------------------------------------------------------------------------------- */

static ref_way *find_way(ref_cache *c, uint64_t line)
{
    ref_way *set = &c->ways[line % c->sets * c->n_ways];
    for (uint32_t i = 0; i < c->n_ways; i++)
        if (set[i].there && set[i].line == line)
            return &set[i];
    return NULL;
}

/* True when a dirty line had to go. */
static bool put(ref_mem *m, ref_cache *c, uint64_t line, bool dirty, bool fresh, uint64_t *out)
{
    ref_way *way = find_way(c, line);
    if (way) {
        way->used = ++m->uses;
        way->dirty |= dirty;
        c->fetcher.count.useless += fresh;
        return false;
    }
    way = &c->ways[line % c->sets * c->n_ways];
    for (uint32_t i = 0; i < c->n_ways; i++) {
        ref_way *w = &c->ways[line % c->sets * c->n_ways + i];
        if (!w->there) {
            way = w;
            break;
        }
        if (w->used < way->used)
            way = w;
    }
    bool dirty_out = way->there && way->dirty;
    *out = way->line;
    c->fetcher.count.useless += way->there && way->fresh;
    *way = (ref_way){line, ++m->uses, true, dirty, fresh};
    c->count.dirty_out += dirty_out;
    return dirty_out;
}

static ref_miss *find_miss(ref_cache *c, uint64_t line)
{
    for (int i = 0; i < c->n_misses; i++)
        if (c->misses[i].line == line)
            return &c->misses[i];
    return NULL;
}

static void end_miss(ref_cache *c, uint64_t line)
{
    ref_miss *miss = find_miss(c, line);
    *miss = c->misses[--c->n_misses];
}

typedef enum outcome { HIT, MISS, MERGE, WAIT } outcome;

/* *trigger: without prefetches it had missed. */
static outcome look(ref_mem *m, ref_cache *c, const ref_request *r, bool *trigger)
{
    ref_way *way = find_way(c, r->line);
    if (way) {
        way->used = ++m->uses;
        way->dirty |= r->write;
        *trigger = way->fresh;
        c->fetcher.count.useful += way->fresh;
        way->fresh = false;
        c->count.hits++;
        c->count.prefetch_accesses += r->prefetch;
        return HIT;
    }
    ref_miss *miss = find_miss(c, r->line);
    outcome o = miss ? MERGE : MISS;
    if (!miss && c->n_misses >= c->max_misses)
        return WAIT;
    if (!miss) {
        miss = &c->misses[c->n_misses++];
        miss->line = r->line;
        miss->pc = r->pc;
        miss->write = miss->own = miss->fresh = false;
        miss->source = (ref_source){.level = REF_L2};
        miss->n_clients = 0;
    }
    *trigger = o == MISS || miss->fresh;
    c->fetcher.count.late += miss->fresh;
    miss->fresh = false;
    c->count.prefetch_accesses += r->prefetch;
    c->count.prefetch_misses += r->prefetch && o == MISS;
    miss->write |= r->write;
    miss->clients[miss->n_clients++] = r->client;
    if (o == MISS)
        c->count.misses++;
    else
        c->count.merges++;
    return o;
}

/* ---- messages -------------------------------------------------------------------------------- */

static void send_as(ref_mem *m, ref_kind kind, uint64_t due, uint64_t line, int who, bool prefetch)
{
    assert(m->n_messages < REF_LIST);
    m->messages[m->n_messages++] = (ref_message){due, kind, line, who, prefetch, 0};
}

static void send(ref_mem *m, ref_kind kind, uint64_t due, uint64_t line, int who)
{
    send_as(m, kind, due, line, who, false);
}

/* The first message of a kind that arrives now, taken out of the list. */
static bool receive(ref_mem *m, ref_kind kind, ref_message *out)
{
    for (int i = 0; i < m->n_messages; i++) {
        if (m->messages[i].kind != kind || m->messages[i].due != m->now)
            continue;
        *out = m->messages[i];
        m->n_messages--;
        memmove(&m->messages[i], &m->messages[i + 1],
                (size_t)(m->n_messages - i) * sizeof m->messages[0]);
        return true;
    }
    return false;
}

static uint64_t take_link(uint64_t *free_at, uint64_t now, uint32_t cycles)
{
    uint64_t start = *free_at > now ? *free_at : now;
    *free_at = start + cycles;
    return start;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool submit(ref_mem *m, uint64_t line, bool write, bool prefetch)
{
    uint64_t retry;
    pn_mem_request request = {.time_ps = m->now_ps,
                              .address = line * 64,
                              .tag = line << 2 | (uint64_t)prefetch << 1 | write,
                              .origin = write      ? PN_MEM_WRITEBACK
                                        : prefetch ? PN_MEM_PREFETCH
                                                   : PN_MEM_DEMAND,
                              .bytes = 64,
                              .kind = write ? PANEM_WRITE : PANEM_READ};
    panem_status status = pn_mem_submit(m->port, &retry, &request);
    assert(status == PANEM_OK || status == PANEM_BUSY);
    m->in_memory += status == PANEM_OK;
    if (status == PANEM_OK && write && m->config.write_hold == PN_HOLD_UNTIL_TAKEN)
        m->writes_held--;
    return status == PANEM_OK;
}

static void to_memory(ref_mem *m, uint64_t line, bool write, bool prefetch)
{
    m->writes_held += write;
    bool first = m->n_at_door[0] == 0 && (!write || m->n_at_door[1] == 0);
    if (!first || !submit(m, line, write, prefetch))
        m->at_door[write][m->n_at_door[write]++] =
            (ref_request){.line = line, .write = write, .prefetch = prefetch};
}

static void offer_again(ref_mem *m)
{
    for (int kind = 0; kind < 2; kind++) {
        while (m->n_at_door[kind]) {
            const ref_request *r = &m->at_door[kind][0];
            if (!submit(m, r->line, kind == 1, r->prefetch))
                return;
            m->n_at_door[kind]--;
            memmove(m->at_door[kind], m->at_door[kind] + 1,
                    (size_t)m->n_at_door[kind] * sizeof(ref_request));
        }
    }
}

static uint64_t queued(const ref_mem *m, uint64_t took_ps)
{
    if (took_ps <= m->idle_ps)
        return 0;
    return (took_ps - m->idle_ps) * 65536 / (took_ps + m->on_chip_ps);
}

static void memory(ref_mem *m)
{
    pn_mem_response r;
    uint64_t ps = pn_clock_ps(m->config.clock_hz, m->now);
    if (pn_mem_next_event(m->port) == ps + 1)
        ps++; /* an edge within one ps counts */
    if (ps > m->now_ps)
        m->now_ps = ps;
    bool ok = pn_mem_advance(m->port, m->now_ps) == PANEM_OK;
    assert(ok);
    offer_again(m);
    while (pn_mem_pop(m->port, &r)) {
        m->in_memory--;
        if (r.tag & 1) {
            m->writes++;
            m->writes_held -= m->config.write_hold == PN_HOLD_UNTIL_DONE;
        } else {
            m->reads++;
            m->prefetch_reads += r.tag >> 1 & 1;
            send(m, REF_LLC_FILL, m->now + m->timing.mem_response_cyc - 1, r.tag >> 2, r.cbusy);
            m->messages[m->n_messages - 1].queued =
                queued(m, r.done_ps - find_miss(&m->llc, r.tag >> 2)->came_ps);
        }
    }
}

/* ---- fills ----------------------------------------------------------------------------------- */

static void put_llc(ref_mem *m, uint64_t line, bool dirty)
{
    uint64_t out;
    if (put(m, &m->llc, line, dirty, false, &out))
        to_memory(m, out, true, false);
}

static void put_l2(ref_mem *m, uint64_t line, bool dirty, bool fresh)
{
    uint64_t out;
    if (!put(m, &m->l2, line, dirty, fresh, &out))
        return;
    take_link(&m->l2_link_free, m->now, m->timing.l2_link_cyc);
    m->llc.count.writebacks++;
    put_llc(m, out, true);
}

static void put_l1d(ref_mem *m, uint64_t line, bool dirty, bool fresh)
{
    uint64_t out;
    if (!put(m, &m->l1d, line, dirty, fresh, &out))
        return;
    take_link(&m->l1_link_free, m->now, m->timing.l1_link_cyc);
    m->l2.count.writebacks++;
    put_l2(m, out, true, false);
}

static void wake(ref_mem *m, int client, uint64_t done, ref_source source)
{
    m->woken[m->n_woken] = client;
    m->woken_source[m->n_woken] = source;
    m->woken_done[m->n_woken++] = done;
}

static void fill_l1(ref_mem *m, uint64_t line, int who)
{
    uint64_t out;
    if (who == 1) {
        put(m, &m->l1i, line, false, false, &out);
        end_miss(&m->l1i, line);
        m->fetch_done = m->now + 1;
        return;
    }
    ref_miss *miss = find_miss(&m->l1d, line);
    for (int i = 0; i < miss->n_clients; i++)
        wake(m, miss->clients[i], m->now + 1, miss->source);
    m->last_fill = miss->source;
    bool write = miss->write;
    bool fresh = miss->fresh;
    end_miss(&m->l1d, line);
    put_l1d(m, line, write, fresh);
}

static void fill_l2(ref_mem *m, uint64_t line)
{
    ref_miss *miss = find_miss(&m->l2, line);
    for (int i = 0; i < miss->n_clients; i++)
        send(m, REF_L1_READY, m->now, line, miss->clients[i]);
    for (int i = 0; i < miss->n_clients; i++)
        if (miss->clients[i] == 0)
            find_miss(&m->l1d, line)->source =
                miss->source.level == REF_MEMORY ? miss->source : (ref_source){.level = REF_LLC};
    bool fresh = miss->fresh;
    if (m->l2.fetcher.learn)
        ref_learn_filled(m->l2.fetcher.learn, line, miss->own);
    end_miss(&m->l2, line);
    put_l2(m, line, false, fresh);
}

/* ---- busy levels ----------------------------------------------------------------------------- */

static void busy_response(ref_mem *m, int level)
{
    ref_busy *b = &m->busy;
    const pn_cbusy_config *f = &m->config.cbusy;
    if (f->control == PN_CBUSY_OFF || b->decided)
        return;
    b->responses[b->n_responses++] = level;
    if (b->n_responses < (int)f->window)
        return;
    for (int k = 0; k <= 3; k++) {
        int reached = 0;
        for (int i = 0; i < b->n_responses; i++)
            reached += b->responses[i] >= k;
        if (reached * 100 >= (int)f->threshold_pct * b->n_responses)
            b->decision = k;
    }
    b->n_responses = 0;
    b->decided = true;
    b->due = m->now + f->delay_cyc;
}

static void throttle(const ref_mem *m, ref_fetcher *f)
{
    const pn_cbusy_config *c = &m->config.cbusy;
    int k = m->busy.level;
    if (!f->learn)
        return;
    f->level = f->own_level;
    if (k > 0 && f->level > (int)c->prefetch_level[k - 1])
        f->level = (int)c->prefetch_level[k - 1];
    if (k > 0 && f->accuracy < c->gate_pct[k - 1])
        f->level = 0;
    ref_learn_level(f->learn, f->level);
}

static void busy_decision(ref_mem *m)
{
    ref_busy *b = &m->busy;
    const pn_cbusy_config *c = &m->config.cbusy;
    int most = (int)m->config.l2.mshrs;
    int least = most / (int)c->limit_least_part;
    int *limit = &m->l2.max_misses;
    if (!b->decided || b->due > m->now)
        return;
    b->decided = false;
    b->level = b->decision;
    b->count.windows++;
    if (c->control == PN_CBUSY_PREFETCH || c->control == PN_CBUSY_BOTH) {
        throttle(m, &m->l1d.fetcher);
        throttle(m, &m->l2.fetcher);
    }
    if (c->control == PN_CBUSY_PREFETCH)
        return;
    if (b->level >= (int)c->down_level)
        *limit -= (int)c->step_down;
    else if (b->level == 0)
        *limit += (int)c->step_up;
    if (*limit > most)
        *limit = most;
    if (*limit < least)
        *limit = least;
    if (*limit < 1)
        *limit = 1;
}

static void busy_cycle(ref_mem *m)
{
    ref_busy_count *n = &m->busy.count;
    n->level[m->busy.level]++;
    n->l1d[m->l1d.fetcher.level]++;
    n->l2[m->l2.fetcher.level]++;
    n->limit_lines += (uint64_t)m->l2.max_misses;
}

static void fills(ref_mem *m)
{
    ref_message x;
    while (receive(m, REF_LLC_FILL, &x)) {
        end_miss(&m->llc, x.line);
        put_llc(m, x.line, false);
        send(m, REF_L2_READY, m->now, x.line, 0);
        find_miss(&m->l2, x.line)->source = (ref_source){REF_MEMORY, x.queued};
        busy_response(m, x.who);
    }
    while (receive(m, REF_L2_READY, &x)) {
        uint64_t at = take_link(&m->l2_link_free, m->now, m->timing.l2_link_cyc);
        if (at == m->now)
            fill_l2(m, x.line);
        else
            send(m, REF_L2_FILL, at, x.line, 0);
    }
    while (receive(m, REF_L2_FILL, &x))
        fill_l2(m, x.line);
    while (receive(m, REF_L1_READY, &x)) {
        uint64_t at = take_link(&m->l1_link_free, m->now, m->timing.l1_link_cyc);
        if (at == m->now)
            fill_l1(m, x.line, x.who);
        else
            send(m, REF_L1_FILL, at, x.line, x.who);
    }
    while (receive(m, REF_L1_FILL, &x))
        fill_l1(m, x.line, x.who);
}

/* ---- prefetches ------------------------------------------------------------------------------ */

/* An access was settled. */
static void propose(ref_fetcher *f, const ref_request *r, bool trigger)
{
    uint64_t lines[64];
    if (!f->learn)
        return;
    int n = ref_learn_access(f->learn, lines, r->line, r->address, r->pc, trigger, f->page_lines);
    uint64_t good = f->count.useful + f->count.late;
    uint64_t all = good + f->count.useless;
    if (all - f->all_before >= 256) {
        f->accuracy = 100 * (good - f->good_before) / (all - f->all_before);
        f->good_before = good;
        f->all_before = all;
    }
    for (int i = 0; i < n; i++) {
        bool queued = false;
        for (int k = 0; k < f->n_queue; k++)
            queued |= f->queue[k].line == lines[i];
        f->count.issued++;
        if (lines[i] / f->page_lines != r->line / f->page_lines)
            f->count.dropped_page++;
        else if (queued)
            f->count.dropped_present++;
        else if (f->n_queue == f->queue_max)
            f->count.dropped_full++;
        else
            f->queue[f->n_queue++] = (ref_request){.line = lines[i], .pc = r->pc};
    }
}

/* The oldest of the queue leaves; true: it was sent. */
static bool send_prefetch(ref_cache *c, uint64_t *line)
{
    ref_fetcher *f = &c->fetcher;
    int open = c->max_misses - f->reserve;
    if (f->n_queue == 0 || c->n_misses >= (open > 1 ? open : 1))
        return false;
    ref_request r = f->queue[0];
    memmove(f->queue, f->queue + 1, (size_t)--f->n_queue * sizeof f->queue[0]);
    if (find_way(c, r.line) || find_miss(c, r.line)) {
        f->count.dropped_present++;
        return false;
    }
    ref_miss *miss = &c->misses[c->n_misses++];
    miss->line = *line = r.line;
    miss->pc = r.pc;
    miss->write = false;
    miss->own = miss->fresh = true;
    miss->source = (ref_source){.level = REF_L2};
    miss->n_clients = 0;
    return true;
}

uint64_t ref_mem_resident(const ref_cache *c)
{
    uint64_t n = (uint64_t)c->fetcher.n_queue;
    for (int i = 0; i < c->n_misses; i++)
        n += c->misses[i].fresh;
    for (uint64_t i = 0; i < c->sets * c->n_ways; i++)
        n += c->ways[i].there && c->ways[i].fresh;
    return n;
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool try_llc(ref_mem *m, const ref_request *r)
{
    uint32_t rest = m->timing.llc_cyc - m->timing.l2_cyc;
    bool trigger;
    if (m->writes_held >= m->config.write_buffer)
        return false;
    outcome o = look(m, &m->llc, r, &trigger);
    if (o == HIT)
        send(m, REF_L2_READY, m->now + rest - 1, r->line, 0);
    else if (o == MISS)
        send_as(m, REF_DOOR, m->now + rest + m->timing.mem_request_cyc, r->line, 0, r->prefetch);
    return o != WAIT;
}

static bool try_l2(ref_mem *m, const ref_request *r)
{
    uint32_t above = r->client == 1 ? m->timing.l1i_cyc : m->timing.l1d_cyc;
    bool trigger;
    outcome o = look(m, &m->l2, r, &trigger);
    if (o == HIT)
        send(m, REF_L1_READY, m->now + m->timing.l2_cyc - above - 1, r->line, r->client);
    else if (o == MISS)
        send_as(m, REF_LLC_LOOK, m->now + m->timing.l2_cyc - above, r->line, 0, r->prefetch);
    if (o != WAIT && r->client == 0) {
        ref_request asked = *r;
        asked.pc = find_miss(&m->l1d, r->line)->pc;
        propose(&m->l2.fetcher, &asked, trigger);
    }
    return o != WAIT;
}

static bool try_l1d(ref_mem *m, const ref_request *r, bool *hit)
{
    bool trigger;
    outcome o = look(m, &m->l1d, r, &trigger);
    *hit = o == HIT;
    if (o == MISS)
        send(m, REF_L2_LOOK, m->now + m->timing.l1d_cyc, r->line, 0);
    if (o != WAIT)
        propose(&m->l1d.fetcher, r, trigger);
    return o != WAIT;
}

static void look_for_code(ref_mem *m, const ref_request *r)
{
    bool trigger;
    if (look(m, &m->l1i, r, &trigger) == HIT)
        m->fetch_done = m->now;
    else
        send(m, REF_L2_LOOK, m->now + m->timing.l1i_cyc, r->line, 1);
}

/* Accesses whose page is known now, in the order in which they asked. */
static void translated(ref_mem *m)
{
    int kept = 0;
    int n = m->n_untranslated;
    for (int i = 0; i < n; i++) {
        ref_untranslated u = m->untranslated[i];
        bool hit = false;
        if (u.due > m->now)
            m->untranslated[kept++] = u;
        else if (u.code)
            look_for_code(m, &u.request);
        else if (!try_l1d(m, &u.request, &hit))
            m->l1d.waiting[m->l1d.n_waiting++] = u.request;
        if (hit)
            wake(m, u.request.client, m->now + (u.request.write ? 1 : m->timing.l1d_cyc),
                 (ref_source){.level = REF_L1});
    }
    m->n_untranslated = kept;
}

static void drop_first(ref_cache *c)
{
    memmove(c->waiting, c->waiting + 1, (size_t)--c->n_waiting * sizeof c->waiting[0]);
}

static void requests(ref_mem *m)
{
    ref_message x;
    uint64_t line;
    bool hit;
    while (receive(m, REF_DOOR, &x)) {
        find_miss(&m->llc, x.line)->came_ps = m->now_ps;
        to_memory(m, x.line, false, x.prefetch);
    }
    busy_decision(m);
    while (m->llc.n_waiting && try_llc(m, &m->llc.waiting[0]))
        drop_first(&m->llc);
    while (receive(m, REF_LLC_LOOK, &x)) {
        ref_request r = {.line = x.line, .prefetch = x.prefetch};
        if (!try_llc(m, &r))
            m->llc.waiting[m->llc.n_waiting++] = r;
    }
    while (m->l2.n_waiting && try_l2(m, &m->l2.waiting[0]))
        drop_first(&m->l2);
    while (receive(m, REF_L2_LOOK, &x)) {
        ref_request r = {.line = x.line, .client = x.who, .prefetch = x.prefetch};
        if (!try_l2(m, &r))
            m->l2.waiting[m->l2.n_waiting++] = r;
    }
    if (send_prefetch(&m->l2, &line))
        send_as(m, REF_LLC_LOOK, m->now + m->timing.l2_cyc - m->timing.l1d_cyc, line, 0, true);
    while (m->l1d.n_waiting && try_l1d(m, &m->l1d.waiting[0], &hit)) {
        const ref_request *r = &m->l1d.waiting[0];
        if (hit)
            wake(m, r->client, m->now + (r->write ? 1 : m->timing.l1d_cyc), m->last_fill);
        drop_first(&m->l1d);
    }
    translated(m);
    if (send_prefetch(&m->l1d, &line))
        send_as(m, REF_L2_LOOK, m->now + m->timing.l1d_cyc, line, 0, true);
}

void ref_mem_cycle(ref_mem *m, uint64_t cycle)
{
    m->now = cycle;
    m->n_woken = 0;
    memory(m);
    fills(m);
    requests(m);
    busy_cycle(m);
}

static void translate_later(ref_mem *m, uint64_t due, bool code, const ref_request *r)
{
    assert(m->n_untranslated < REF_LIST);
    m->untranslated[m->n_untranslated++] = (ref_untranslated){due, code, *r};
}

bool ref_mem_access(ref_mem *m, const ref_request *r)
{
    bool hit;
    uint64_t known = m->tlb.on ? ref_tlb_ask(&m->tlb, m->now, r->address, false) : m->now;
    m->known = 0;
    if (known > m->now) {
        m->known = known;
        translate_later(m, known, false, r);
        return false;
    }
    if (!try_l1d(m, r, &hit))
        m->l1d.waiting[m->l1d.n_waiting++] = *r;
    return hit;
}

bool ref_mem_fetch(ref_mem *m, uint64_t address, uint64_t line)
{
    ref_request r = {.line = line};
    uint64_t known = m->tlb.on ? ref_tlb_ask(&m->tlb, m->now, address, true) : m->now;
    m->fetch_done = UINT64_MAX;
    if (known > m->now)
        translate_later(m, known, true, &r);
    else
        look_for_code(m, &r);
    return m->fetch_done == m->now;
}
