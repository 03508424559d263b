/* rules.c - see rules.h. Column commands are compared by their data, others by their cycle. */
#include "rules.h"

#include <stdlib.h>
#include <string.h>

const char *rule_name(rule r)
{
    static const char *const names[] = {
#define RULE_NAME(id, name) name,
        RULES(RULE_NAME)
#undef RULE_NAME
    };
    return r < RULE_COUNT ? names[r] : "none";
}

enum { ANY = 255, BUSES = 128, BANKS = 4 * 8 * 16 };

typedef struct court {
    const pn_dram_config *c;
    const pn_dram_command *log;
    verdict *v;
    int64_t burst;
    uint64_t window;     /* cycles after which no pair rule but a refresh's reaches */
    uint32_t *open;      /* [bus][bank]: row + 1, 0 closed */
    uint64_t *refreshes; /* [bus][rank][set] */
    size_t *last;        /* [bus]: index + 1 of its last command so far */
    size_t *before;      /* [log index]: index + 1 of the command before on its bus */
    size_t *last_refresh, *before_refresh; /* the same over refreshes alone: they reach further */
    uint64_t refresh_window;
    uint32_t sets;
} court;

static void note(court *t, rule r, size_t at, int64_t slack)
{
    t->v->judged[r]++;
    if (slack < t->v->slack[r]) {
        t->v->slack[r] = slack;
        t->v->at[r] = at;
    }
    if (slack >= 0)
        return;
    t->v->broken[r]++;
    if (t->v->first_rule == RULE_COUNT) {
        t->v->first_rule = r;
        t->v->first = at;
    }
}

/* The later command must be at least `need` cycles after the earlier one. */
static void need(court *t, rule r, size_t at, const pn_dram_command *a, const pn_dram_command *b,
                 int64_t cycles)
{
    note(t, r, at, (int64_t)b->ck - (int64_t)a->ck - cycles);
}

static bool is_column(const pn_dram_command *k)
{
    return k->kind == PN_DRAM_RD || k->kind == PN_DRAM_WR;
}

static bool is_precharge(const pn_dram_command *k)
{
    return k->kind == PN_DRAM_PRE || k->kind == PN_DRAM_PREA;
}

static bool is_refresh(const pn_dram_command *k)
{
    return k->kind == PN_DRAM_REF || k->kind == PN_DRAM_REFSB;
}

/* Whether a command (maybe about many banks) concerns the banks of another one. */
static bool same_bank(const pn_dram_command *a, const pn_dram_command *b)
{
    return a->rank == b->rank && (a->group == ANY || b->group == ANY || a->group == b->group) &&
           (a->bank == ANY || b->bank == ANY || a->bank == b->bank);
}

static int64_t data_start(const court *t, const pn_dram_command *k)
{
    return (int64_t)k->ck + (k->kind == PN_DRAM_RD ? t->c->cl_ck : t->c->cwl_ck);
}

static void pair_rows(court *t, size_t at, const pn_dram_command *a, const pn_dram_command *b)
{
    const pn_dram_config *c = t->c;
    if (!same_bank(a, b))
        return;
    if (a->kind == PN_DRAM_ACT && b->kind == PN_DRAM_ACT)
        need(t, RULE_TRC, at, a, b, c->trc_ck);
    if (a->kind == PN_DRAM_ACT && is_column(b))
        need(t, RULE_TRCD, at, a, b, c->trcd_ck);
    if (a->kind == PN_DRAM_ACT && is_precharge(b))
        need(t, RULE_TRAS, at, a, b, c->tras_ck);
    if (is_precharge(a) && (b->kind == PN_DRAM_ACT || is_refresh(b)))
        need(t, RULE_TRP, at, a, b, c->trp_ck);
    if (a->kind == PN_DRAM_RD && is_precharge(b))
        need(t, RULE_TRTP, at, a, b, c->trtp_ck);
    if (a->kind == PN_DRAM_WR && is_precharge(b))
        need(t, RULE_TWR, at, a, b, c->cwl_ck + t->burst + c->twr_ck);
}

static void pair_activates(court *t, size_t at, const pn_dram_command *a, const pn_dram_command *b)
{
    if (a->kind != PN_DRAM_ACT || b->kind != PN_DRAM_ACT || a->rank != b->rank)
        return;
    if (a->group == b->group)
        need(t, RULE_TRRD_L, at, a, b, t->c->trrd_l_ck);
    else
        need(t, RULE_TRRD_S, at, a, b, t->c->trrd_s_ck);
}

static void pair_refresh(court *t, size_t at, const pn_dram_command *a, const pn_dram_command *b)
{
    if (!is_refresh(a) || a->rank != b->rank)
        return;
    bool all = a->kind == PN_DRAM_REF;
    int64_t rfc = all ? t->c->trfc_ck : t->c->trfc_bank_ck;
    if (is_refresh(b) || (b->kind == PN_DRAM_ACT && same_bank(a, b)))
        need(t, RULE_TRFC, at, a, b, rfc);
    else if (b->kind == PN_DRAM_ACT)
        need(t, RULE_TREFSBRD, at, a, b, t->c->trefsbrd_ck);
}

static void pair_same_kind(court *t, size_t at, const pn_dram_command *a, const pn_dram_command *b)
{
    const pn_dram_config *c = t->c;
    if (a->group != b->group)
        need(t, RULE_TCCD_S, at, a, b, c->tccd_s_ck);
    else if (a->kind == PN_DRAM_RD)
        need(t, RULE_TCCD_L, at, a, b, c->tccd_l_ck);
    else
        need(t, RULE_TCCD_L_WR, at, a, b, c->tccd_l_wr_ck);
}

static void pair_columns(court *t, size_t at, const pn_dram_command *a, const pn_dram_command *b)
{
    const pn_dram_config *c = t->c;
    if (!is_column(a) || !is_column(b))
        return;
    int64_t x = data_start(t, a);
    int64_t y = data_start(t, b);
    int64_t apart = x < y ? y - x - t->burst : x - y - t->burst;
    note(t, RULE_DATA_BUS, at, apart);
    if (a->rank != b->rank) {
        note(t, RULE_TRTRS, at, apart - c->trtrs_ck);
        return;
    }
    if (a->kind == b->kind)
        pair_same_kind(t, at, a, b);
    else if (a->kind == PN_DRAM_RD)
        note(t, RULE_TRTW, at, y - x - t->burst - c->trtw_gap_ck);
    else if (a->group == b->group)
        need(t, RULE_TWTR_L, at, a, b, c->cwl_ck + t->burst + c->twtr_l_ck);
    else
        need(t, RULE_TWTR_S, at, a, b, c->cwl_ck + t->burst + c->twtr_s_ck);
}

static void pair_bus(court *t, size_t at, const pn_dram_command *a, const pn_dram_command *b)
{
    int64_t slots = a->kind == PN_DRAM_ACT ? t->c->act_command_ck
                    : is_column(a)         ? t->c->col_command_ck
                                           : 1;
    if (!t->c->split_command_bus || is_column(a) == is_column(b))
        need(t, RULE_COMMAND_BUS, at, a, b, slots);
    note(t, RULE_ORDER, at, (int64_t)b->ck - (int64_t)a->ck);
}

static void four_activates(court *t, size_t at)
{
    const pn_dram_command *b = &t->log[at];
    uint32_t seen = 0;
    if (b->kind != PN_DRAM_ACT)
        return;
    for (size_t i = t->before[at]; i > 0; i = t->before[i - 1]) {
        const pn_dram_command *a = &t->log[i - 1];
        if (a->kind != PN_DRAM_ACT || a->rank != b->rank)
            continue;
        if (++seen == 4) {
            need(t, RULE_TFAW, at, a, b, t->c->tfaw_ck);
            return;
        }
    }
}

static uint32_t *row_of(court *t, const pn_dram_command *k, uint32_t group, uint32_t bank)
{
    uint32_t index = (k->rank * t->c->groups + group) * t->c->banks + bank;
    return &t->open[(size_t)k->channel * BANKS + index];
}

static void state_of_banks(court *t, size_t at)
{
    const pn_dram_command *k = &t->log[at];
    for (uint32_t g = 0; g < t->c->groups; g++) {
        for (uint32_t b = 0; b < t->c->banks; b++) {
            if ((k->group != ANY && k->group != g) || (k->bank != ANY && k->bank != b))
                continue;
            uint32_t *row = row_of(t, k, g, b);
            if (k->kind == PN_DRAM_ACT)
                note(t, RULE_ROW_CLOSED, at, *row == 0 ? 0 : -1);
            if (is_column(k))
                note(t, RULE_ROW_OPEN, at, *row == k->row + 1 ? 0 : -1);
            if (is_refresh(k))
                note(t, RULE_REF_CLOSED, at, *row == 0 ? 0 : -1);
            if (k->kind == PN_DRAM_ACT)
                *row = k->row + 1;
            if (is_precharge(k))
                *row = 0;
        }
    }
}

/* Due times of the n-th refresh (from 0) of a set: (n x sets + set + 1) x interval. */
static void refresh_times(court *t, uint32_t bus, uint32_t rank, uint32_t set, size_t at,
                          int64_t ck, bool happened)
{
    const pn_dram_config *c = t->c;
    int64_t interval = c->trefi_ck / t->sets;
    int64_t stagger = c->refresh_stagger ? interval * rank / c->ranks : 0;
    if (c->refresh_spread) /* buses evenly apart, the first at its interval's end */
        stagger -= interval * bus / pn_dram_buses(c);
    uint64_t *n = &t->refreshes[((size_t)bus * 4 + rank) * t->sets + set];
    int64_t due = (int64_t)(*n * t->sets + set + 1) * interval + stagger;
    int64_t rfc = t->sets == 1 ? c->trfc_ck : c->trfc_bank_ck;
    /* Forced after the postponement; then what is owed follows, each after rows were closed. */
    int64_t owed = c->refresh_postpone + 1;
    int64_t close = c->trcd_ck + c->tras_ck + c->cwl_ck + t->burst + c->twr_ck + c->trp_ck;
    int64_t latest = due + interval * c->refresh_postpone + owed * rfc + close + 64;
    if (happened) {
        note(t, RULE_TREFI_EARLY, at, ck - due);
        ++*n;
    }
    note(t, RULE_TREFI_LATE, at, latest - ck);
}

static void count_refresh(court *t, size_t at)
{
    const pn_dram_command *k = &t->log[at];
    uint32_t set = 0;
    if (!is_refresh(k))
        return;
    if (k->kind == PN_DRAM_REFSB)
        set = k->group == ANY ? k->bank : k->group * t->c->banks + k->bank;
    refresh_times(t, k->channel, k->rank, set, at, (int64_t)k->ck, true);
}

static bool fields(court *t, size_t at)
{
    const pn_dram_command *k = &t->log[at];
    const pn_dram_config *c = t->c;
    bool one = k->kind == PN_DRAM_ACT || k->kind == PN_DRAM_PRE || is_column(k);
    bool right = k->channel < pn_dram_buses(c) && k->channel < BUSES && k->rank < c->ranks &&
                 k->row < c->rows && k->column < c->row_bytes / pn_dram_burst_bytes(c) &&
                 (k->group < c->groups || (!one && k->group == ANY)) &&
                 (k->bank < c->banks || (!one && k->bank == ANY));
    note(t, RULE_FIELDS, at, right ? 0 : -1);
    return right;
}

static void against_refreshes(court *t, size_t at)
{
    const pn_dram_command *b = &t->log[at];
    t->before_refresh[at] = t->last_refresh[b->channel];
    if (is_refresh(b))
        t->last_refresh[b->channel] = at + 1;
    for (size_t i = t->before_refresh[at]; i > 0; i = t->before_refresh[i - 1]) {
        if (t->log[i - 1].ck + t->refresh_window < b->ck)
            return;
        pair_refresh(t, at, &t->log[i - 1], b);
    }
}

static void judge_one(court *t, size_t at)
{
    const pn_dram_command *b = &t->log[at];
    if (!fields(t, at))
        return;
    t->before[at] = t->last[b->channel];
    t->last[b->channel] = at + 1;
    for (size_t i = t->before[at]; i > 0; i = t->before[i - 1]) {
        const pn_dram_command *a = &t->log[i - 1];
        if (a->ck + t->window < b->ck)
            break;
        pair_bus(t, at, a, b);
        pair_rows(t, at, a, b);
        pair_activates(t, at, a, b);
        pair_columns(t, at, a, b);
    }
    against_refreshes(t, at);
    four_activates(t, at);
    state_of_banks(t, at);
    count_refresh(t, at);
}

static uint64_t reach(const pn_dram_config *c)
{
    uint64_t write = (uint64_t)c->cwl_ck + pn_dram_burst_ck(c) + c->twr_ck + c->twtr_l_ck;
    uint64_t row = (uint64_t)c->trc_ck + c->trp_ck;
    return (write > row ? write : row) + c->cl_ck + c->tccd_l_wr_ck;
}

static void owed_at_end(court *t, size_t count, uint64_t end_ck)
{
    if (end_ck == 0 || t->c->refresh == PN_DRAM_REFRESH_NONE)
        return;
    for (uint32_t bus = 0; bus < pn_dram_buses(t->c); bus++)
        for (uint32_t rank = 0; rank < t->c->ranks; rank++)
            for (uint32_t set = 0; set < t->sets; set++)
                refresh_times(t, bus, rank, set, count, (int64_t)end_ck, false);
}

void judge(verdict *v, const pn_dram_config *c, const pn_dram_command *log, size_t count,
           uint64_t end_ck)
{
    memset(v, 0, sizeof *v);
    for (int r = 0; r < RULE_COUNT; r++)
        v->slack[r] = INT64_MAX;
    v->first_rule = RULE_COUNT;
    court t = {.c = c, .log = log, .v = v, .burst = pn_dram_burst_ck(c), .window = reach(c)};
    t.refresh_window = (uint64_t)c->trfc_ck + c->trfc_bank_ck + c->trefsbrd_ck;
    t.sets = c->refresh == PN_DRAM_REFRESH_SAME_BANK  ? c->banks
             : c->refresh == PN_DRAM_REFRESH_PER_BANK ? c->banks * c->groups
                                                      : 1;
    t.open = calloc((size_t)BUSES * BANKS, sizeof *t.open);
    t.refreshes = calloc((size_t)BUSES * 4 * t.sets, sizeof *t.refreshes);
    t.last = calloc(BUSES, sizeof *t.last);
    t.before = calloc(count + 1, sizeof *t.before);
    t.last_refresh = calloc(BUSES, sizeof *t.last_refresh);
    t.before_refresh = calloc(count + 1, sizeof *t.before_refresh);
    if (!t.open || !t.refreshes || !t.last || !t.before || !t.last_refresh || !t.before_refresh)
        abort();
    for (size_t i = 0; i < count; i++)
        judge_one(&t, i);
    owed_at_end(&t, count, end_ck);
    free(t.open);
    free(t.refreshes);
    free(t.last);
    free(t.before);
    free(t.last_refresh);
    free(t.before_refresh);
}
