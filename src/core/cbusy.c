/* cbusy.c - see cbusy.h. */
#include "core/cbusy.h"

void pn_cbusy_init(pn_cbusy *cbusy, const pn_core_config *f)
{
    pn_cbusy c = {.config = f->cbusy,
                  .limit = f->l2.mshrs,
                  .limit_most = f->l2.mshrs,
                  .limit_least = f->l2.mshrs / f->cbusy.limit_least_part};
    c.needed = (f->cbusy.window * f->cbusy.threshold_pct + 99) / 100;
    c.limit_least += c.limit_least == 0;
    c.l1d.level = c.l1d.own_level = f->l1d_prefetch.kind ? f->l1d_prefetch.level : 0;
    c.l2.level = c.l2.own_level = f->l2_prefetch.kind ? f->l2_prefetch.level : 0;
    *cbusy = c;
}

bool pn_cbusy_response(pn_cbusy *c, uint32_t level, uint32_t *decided)
{
    uint32_t reached = 0;
    uint32_t most = PN_CBUSY_LEVELS - 1;
    if (c->config.control == PN_CBUSY_OFF || c->decided)
        return false;
    c->seen[level]++;
    if (++c->count < c->config.window)
        return false;
    for (; most > 0; most--) {
        reached += c->seen[most];
        if (reached >= c->needed)
            break;
    }
    for (int i = 0; i < PN_CBUSY_LEVELS; i++)
        c->seen[i] = 0;
    c->count = 0;
    c->decided = true;
    *decided = most;
    return true;
}

static void account(pn_cbusy_stats *s, const pn_cbusy *c, uint64_t cycle)
{
    uint64_t cycles = cycle > c->since_cyc ? cycle - c->since_cyc : 0;
    uint32_t quarter = 4 * c->limit > 3 * c->limit_most ? 0
                       : 2 * c->limit > c->limit_most   ? 1
                       : 4 * c->limit > c->limit_most   ? 2
                                                        : 3;
    s->level_cyc[c->level] += cycles;
    s->l1d_prefetch_cyc[c->l1d.level] += cycles;
    s->l2_prefetch_cyc[c->l2.level] += cycles;
    s->limit_cyc[quarter] += cycles;
    s->limit_line_cyc += cycles * c->limit;
}

/* The level of a prefetcher at a busy level. */
static void set_prefetch(const pn_cbusy *c, pn_cbusy_prefetch *p, uint32_t accuracy_pct)
{
    p->level = p->own_level;
    if (c->level == 0)
        return;
    if (p->level > c->config.prefetch_level[c->level - 1])
        p->level = c->config.prefetch_level[c->level - 1];
    if (accuracy_pct < c->config.gate_pct[c->level - 1])
        p->level = 0;
}

static void step_limit(pn_cbusy *c)
{
    uint32_t down = c->config.step_down;
    uint32_t up = c->config.step_up;
    if (c->level >= c->config.down_level)
        c->limit = c->limit > c->limit_least + down ? c->limit - down : c->limit_least;
    else if (c->level == 0)
        c->limit = c->limit + up < c->limit_most ? c->limit + up : c->limit_most;
}

void pn_cbusy_apply(pn_cbusy *c, uint64_t cycle, uint32_t level, uint32_t l1d_accuracy_pct,
                    uint32_t l2_accuracy_pct)
{
    account(&c->stats, c, cycle);
    c->since_cyc = cycle > c->since_cyc ? cycle : c->since_cyc;
    c->stats.windows++;
    c->decided = false;
    c->level = level;
    if (c->config.control & PN_CBUSY_PREFETCH) {
        set_prefetch(c, &c->l1d, l1d_accuracy_pct);
        set_prefetch(c, &c->l2, l2_accuracy_pct);
    }
    if (c->config.control & PN_CBUSY_LIMIT)
        step_limit(c);
}

pn_cbusy_stats pn_cbusy_stats_now(const pn_cbusy *c, uint64_t cycle)
{
    pn_cbusy_stats s = c->stats;
    account(&s, c, cycle);
    return s;
}
