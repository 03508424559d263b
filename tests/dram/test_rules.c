/* test_rules.c - the command logs of the DRAM reference obey every timing rule, and the judge that
 * says so catches a violation of each of them. */
#include <stdlib.h>
#include <string.h>

#include "../cmocka_pn.h"
#include "drive.h"
#include "rules.h"

/* ---- the judge, on logs of a few commands --------------------------------------------------- */

enum { SHORT_LOG = 16 };

typedef struct sketch {
    pn_dram_config c;
    pn_dram_command log[SHORT_LOG];
    size_t count;
} sketch;

static void put(sketch *s, uint64_t ck, uint32_t kind, uint32_t rank, uint32_t group, uint32_t bank,
                uint32_t row)
{
    s->log[s->count++] = (pn_dram_command){
        ck, 0, (uint8_t)kind, (uint8_t)rank, (uint8_t)group, (uint8_t)bank, row, 0};
}

/* Rows open in two groups, two banks and two ranks, long ago. */
static void open_rows(sketch *s)
{
    put(s, 0, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, 50, PN_DRAM_ACT, 0, 0, 1, 1);
    put(s, 100, PN_DRAM_ACT, 0, 1, 0, 1);
    put(s, 150, PN_DRAM_ACT, 1, 0, 0, 1);
}

/* Each sketch is legal with early = 0 and breaks its rule with early = 1. */
typedef void (*sketch_fn)(sketch *s, uint32_t early);

static void draw_trcd(sketch *s, uint32_t early)
{
    put(s, 0, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, s->c.trcd_ck - early, PN_DRAM_RD, 0, 0, 0, 1);
}

static void draw_tras(sketch *s, uint32_t early)
{
    put(s, 0, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, s->c.tras_ck - early, PN_DRAM_PRE, 0, 0, 0, 0);
}

static void draw_trp(sketch *s, uint32_t early)
{
    s->c.trc_ck = s->c.tras_ck;
    put(s, 0, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, s->c.tras_ck, PN_DRAM_PRE, 0, 0, 0, 0);
    put(s, s->c.tras_ck + s->c.trp_ck - early, PN_DRAM_ACT, 0, 0, 0, 2);
}

static void draw_trc(sketch *s, uint32_t early)
{
    s->c.trc_ck = s->c.tras_ck + s->c.trp_ck + 5;
    put(s, 0, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, s->c.tras_ck, PN_DRAM_PRE, 0, 0, 0, 0);
    put(s, s->c.trc_ck - early, PN_DRAM_ACT, 0, 0, 0, 2);
}

static void draw_trrd_s(sketch *s, uint32_t early)
{
    put(s, 0, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, s->c.trrd_s_ck - early, PN_DRAM_ACT, 0, 1, 0, 1);
}

static void draw_trrd_l(sketch *s, uint32_t early)
{
    put(s, 0, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, s->c.trrd_l_ck - early, PN_DRAM_ACT, 0, 0, 1, 1);
}

static void draw_tfaw(sketch *s, uint32_t early)
{
    for (uint32_t g = 0; g < 4; g++)
        put(s, (uint64_t)g * s->c.trrd_s_ck, PN_DRAM_ACT, 0, g, 0, 1);
    put(s, s->c.tfaw_ck - early, PN_DRAM_ACT, 0, 0, 1, 1);
}

static void draw_tccd_s(sketch *s, uint32_t early)
{
    s->c.tccd_s_ck = 6;
    open_rows(s);
    put(s, 300, PN_DRAM_RD, 0, 0, 0, 1);
    put(s, 306 - early, PN_DRAM_RD, 0, 1, 0, 1);
}

static void draw_tccd_l(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_RD, 0, 0, 0, 1);
    put(s, 300 + s->c.tccd_l_ck - early, PN_DRAM_RD, 0, 0, 1, 1);
}

static void draw_tccd_l_wr(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_WR, 0, 0, 0, 1);
    put(s, 300 + s->c.tccd_l_wr_ck - early, PN_DRAM_WR, 0, 0, 1, 1);
}

static void draw_twr(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_WR, 0, 0, 0, 1);
    put(s, 300 + s->c.cwl_ck + 4 + s->c.twr_ck - early, PN_DRAM_PRE, 0, 0, 0, 0);
}

static void draw_twtr_s(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_WR, 0, 0, 0, 1);
    put(s, 300 + s->c.cwl_ck + 4 + s->c.twtr_s_ck - early, PN_DRAM_RD, 0, 1, 0, 1);
}

static void draw_twtr_l(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_WR, 0, 0, 0, 1);
    put(s, 300 + s->c.cwl_ck + 4 + s->c.twtr_l_ck - early, PN_DRAM_RD, 0, 0, 1, 1);
}

static void draw_trtp(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_RD, 0, 0, 0, 1);
    put(s, 300 + s->c.trtp_ck - early, PN_DRAM_PREA, 0, 255, 255, 0);
}

static void draw_trtw(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_RD, 0, 0, 0, 1);
    put(s, 300 + s->c.cl_ck + 4 + s->c.trtw_gap_ck - s->c.cwl_ck - early, PN_DRAM_WR, 0, 1, 0, 1);
}

static void draw_trtrs(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_RD, 0, 0, 0, 1);
    put(s, 304 + s->c.trtrs_ck - early, PN_DRAM_RD, 1, 0, 0, 1);
}

static void draw_data_bus(sketch *s, uint32_t early)
{
    s->c.trtrs_ck = 0;
    open_rows(s);
    put(s, 300, PN_DRAM_WR, 1, 0, 0, 1);
    put(s, 304 - early, PN_DRAM_WR, 0, 0, 0, 1);
}

static void draw_trfc(sketch *s, uint32_t early)
{
    put(s, s->c.trefi_ck, PN_DRAM_REF, 0, 255, 255, 0);
    put(s, s->c.trefi_ck + s->c.trfc_ck - early, PN_DRAM_ACT, 0, 3, 3, 7);
}

static void draw_trefsbrd(sketch *s, uint32_t early)
{
    const pn_dram_preset *p = NULL;
    assert_int_equal(pn_dram_preset_find(&p, "ddr5-4800", NULL), PANEM_OK);
    s->c = p->config;
    s->c.refresh = PN_DRAM_REFRESH_SAME_BANK;
    put(s, s->c.trefi_ck / 4, PN_DRAM_REFSB, 0, 255, 0, 0);
    put(s, s->c.trefi_ck / 4 + s->c.trefsbrd_ck - early, PN_DRAM_ACT, 0, 0, 1, 7);
}

static void draw_early(sketch *s, uint32_t early)
{
    put(s, s->c.trefi_ck - early, PN_DRAM_REF, 0, 255, 255, 0);
}

static void draw_late(sketch *s, uint32_t early)
{
    s->c.refresh_postpone = 2;
    put(s, 3ULL * s->c.trefi_ck + (early ? 3ULL * s->c.trfc_ck + 300 : 0), PN_DRAM_REF, 0, 255, 255,
        0);
}

static void draw_row_open(sketch *s, uint32_t early)
{
    open_rows(s);
    put(s, 300, PN_DRAM_RD, 0, 0, 0, 1 + early);
}

static void draw_row_closed(sketch *s, uint32_t early)
{
    open_rows(s);
    if (!early)
        put(s, 300, PN_DRAM_PRE, 0, 0, 0, 0);
    put(s, 400, PN_DRAM_ACT, 0, 0, 0, 2);
}

static void draw_ref_closed(sketch *s, uint32_t early)
{
    open_rows(s);
    if (!early)
        put(s, 300, PN_DRAM_PREA, 0, 255, 255, 0);
    put(s, s->c.trefi_ck, PN_DRAM_REF, 0, 255, 255, 0);
}

static void draw_order(sketch *s, uint32_t early)
{
    put(s, 100, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, 101 - 2 * early, PN_DRAM_ACT, 1, 1, 0, 1);
}

static void draw_command_bus(sketch *s, uint32_t early)
{
    s->c.act_command_ck = 2;
    put(s, 100, PN_DRAM_ACT, 0, 0, 0, 1);
    put(s, 102 - early, PN_DRAM_ACT, 1, 1, 0, 1);
}

static void draw_fields(sketch *s, uint32_t early)
{
    put(s, 100, PN_DRAM_ACT, 1 + early, 0, 0, 1);
}

/* also: a rule that cannot be broken without breaking this one. */
static const struct {
    rule rule, also;
    sketch_fn draw;
} sketches[] = {
    {RULE_ORDER, RULE_COMMAND_BUS, draw_order},
    {RULE_COMMAND_BUS, RULE_COMMAND_BUS, draw_command_bus},
    {RULE_FIELDS, RULE_FIELDS, draw_fields},
    {RULE_ROW_OPEN, RULE_ROW_OPEN, draw_row_open},
    {RULE_ROW_CLOSED, RULE_ROW_CLOSED, draw_row_closed},
    {RULE_REF_CLOSED, RULE_REF_CLOSED, draw_ref_closed},
    {RULE_TRCD, RULE_TRCD, draw_trcd},
    {RULE_TRP, RULE_TRP, draw_trp},
    {RULE_TRAS, RULE_TRAS, draw_tras},
    {RULE_TRC, RULE_TRC, draw_trc},
    {RULE_TRRD_S, RULE_TRRD_S, draw_trrd_s},
    {RULE_TRRD_L, RULE_TRRD_L, draw_trrd_l},
    {RULE_TFAW, RULE_TFAW, draw_tfaw},
    {RULE_TCCD_S, RULE_TCCD_S, draw_tccd_s},
    {RULE_TCCD_L, RULE_TCCD_L, draw_tccd_l},
    {RULE_TCCD_L_WR, RULE_TCCD_L_WR, draw_tccd_l_wr},
    {RULE_TWR, RULE_TWR, draw_twr},
    {RULE_TWTR_S, RULE_TWTR_S, draw_twtr_s},
    {RULE_TWTR_L, RULE_TWTR_L, draw_twtr_l},
    {RULE_TRTP, RULE_TRTP, draw_trtp},
    {RULE_TRTW, RULE_TRTW, draw_trtw},
    {RULE_TRTRS, RULE_TRTRS, draw_trtrs},
    {RULE_DATA_BUS, RULE_TRTRS, draw_data_bus},
    {RULE_TRFC, RULE_TRFC, draw_trfc},
    {RULE_TREFSBRD, RULE_TREFSBRD, draw_trefsbrd},
    {RULE_TREFI_EARLY, RULE_TREFI_EARLY, draw_early},
    {RULE_TREFI_LATE, RULE_TREFI_LATE, draw_late},
};

static void judge_sketch(verdict *v, sketch_fn draw, uint32_t early)
{
    const pn_dram_preset *p = NULL;
    assert_int_equal(pn_dram_preset_find(&p, "ddr4-2666", NULL), PANEM_OK);
    sketch s = {.c = p->config, .count = 0};
    draw(&s, early);
    judge(v, &s.c, s.log, s.count, 0);
}

static void the_judge_knows_the_boundary_of_every_rule_to_the_cycle(void **state)
{
    (void)state;
    assert_int_equal(sizeof sketches / sizeof sketches[0], RULE_COUNT);
    for (size_t i = 0; i < RULE_COUNT; i++) {
        verdict v;
        assert_int_equal(sketches[i].rule, i);
        judge_sketch(&v, sketches[i].draw, 0);
        if (v.first_rule != RULE_COUNT)
            fail_msg("legal log for %s: judged as breaking %s", rule_name((rule)i),
                     rule_name(v.first_rule));
        judge_sketch(&v, sketches[i].draw, 1);
        for (size_t r = 0; r < RULE_COUNT; r++) {
            bool expected = r == sketches[i].rule || r == sketches[i].also;
            if ((v.broken[r] > 0) != expected)
                fail_msg("planted %s: %s %s", rule_name((rule)i), rule_name((rule)r),
                         expected ? "was not caught" : "was reported too");
        }
    }
}

/* ---- real logs ------------------------------------------------------------------------------ */

static void record(log_tape *tape, uint64_t *end_ck, const pn_dram_config *c, const traffic *t)
{
    pn_mem_port *port = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_dram_create(&port, c, "dram", &err) != PANEM_OK)
        fail_msg("%s", err.message);
    pn_dram_log(port, tape_record, tape);
    outcome o;
    drive(&o, port, t);
    assert_int_equal(o.protocol_faults, 0);
    *end_ck = (uint64_t)((double)o.now_ps / pn_dram_tck_ps(c));
    pn_mem_destroy(port);
}

static void must_be_clean(const pn_dram_config *c, const char *what, const traffic *t, verdict *v)
{
    log_tape tape = {0};
    uint64_t end_ck = 0;
    record(&tape, &end_ck, c, t);
    judge(v, c, tape.commands, tape.count, end_ck);
    if (v->first_rule != RULE_COUNT) {
        const pn_dram_command *k = &tape.commands[v->first < tape.count ? v->first : 0];
        fail_msg("%s: %s broken at command %zu of %zu: ck %llu kind %u rank %u group %u bank %u",
                 what, rule_name(v->first_rule), v->first, tape.count, (unsigned long long)k->ck,
                 k->kind, k->rank, k->group, k->bank);
    }
    tape_free(&tape);
}

static const uint32_t mixes[] = {0, 10, 33, 50, 80, 100};

static void logs_of_every_preset_mix_pattern_and_page_policy_are_legal(void **state)
{
    (void)state;
    size_t count = 0;
    const pn_dram_preset *presets = pn_dram_presets(&count);
    for (size_t p = 0; p < count; p++) {
        for (uint32_t page = 0; page <= PN_DRAM_PAGE_CLOSED; page++) {
            for (size_t m = 0; m < sizeof mixes / sizeof mixes[0]; m++) {
                pn_dram_config c = presets[p].config;
                c.page = page;
                c.channels = 1;
                traffic t = {.pattern = (pattern)((m + page) % 4),
                             .write_pct = mixes[m],
                             .requests = 2500,
                             .footprint_bytes = UINT64_C(1) << 31,
                             .bytes = 64,
                             .seed = m + 1,
                             .idle_every = 900,
                             .idle_ps = 15000000};
                verdict v;
                must_be_clean(&c, presets[p].name, &t, &v);
                t.pattern = RANDOM;
                must_be_clean(&c, presets[p].name, &t, &v);
            }
        }
    }
}

static void logs_under_every_refresh_kind_and_postponement_are_legal(void **state)
{
    (void)state;
    static const struct {
        const char *preset;
        uint32_t refresh, postpone, stagger;
    } cases[] = {
        {"ddr4-2666", PN_DRAM_REFRESH_ALL_BANK, 0, 0},
        {"ddr4-2666", PN_DRAM_REFRESH_ALL_BANK, 8, 1},
        {"ddr4-3200", PN_DRAM_REFRESH_NONE, 0, 0},
        {"ddr5-4800", PN_DRAM_REFRESH_SAME_BANK, 0, 0},
        {"ddr5-4800", PN_DRAM_REFRESH_SAME_BANK, 4, 1},
        {"ddr5-5200", PN_DRAM_REFRESH_ALL_BANK, 3, 1},
        {"hbm2-2000", PN_DRAM_REFRESH_PER_BANK, 2, 0},
        {"lpddr5-6400", PN_DRAM_REFRESH_PER_BANK, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const pn_dram_preset *p = NULL;
        assert_int_equal(pn_dram_preset_find(&p, cases[i].preset, NULL), PANEM_OK);
        pn_dram_config c = p->config;
        c.channels = 1;
        c.refresh = cases[i].refresh;
        c.refresh_postpone = cases[i].postpone;
        c.refresh_stagger = cases[i].stagger;
        if (c.refresh == PN_DRAM_REFRESH_PER_BANK)
            c.trfc_bank_ck = 80;
        for (uint32_t kind = STREAM; kind <= ONE_BANK; kind++) {
            traffic t = {.pattern = (pattern)kind,
                         .write_pct = 30,
                         .requests = 8000,
                         .footprint_bytes = UINT64_C(1) << 31,
                         .bytes = 64,
                         .seed = 7,
                         .idle_every = 3000,
                         .idle_ps = 25000000};
            verdict v;
            must_be_clean(&c, cases[i].preset, &t, &v);
        }
    }
}

static void odd_shapes_and_tight_queues_give_legal_logs(void **state)
{
    (void)state;
    static const char *const sets[][4] = {
        {"ranks=4", "read_queue=8", "write_queue=8", "write_high=6"},
        {"ranks=1", "age_cap=100ns", "write_low=0", "write_high=2"},
        {"refresh_spread=on", "refresh_stagger=on", "channels=3", "hit_cap=2"},
        {"mapping=ro-ba-ra-bg-co", "bank_hash=off", "page_timeout=0", "trtrs_ck=0"},
        {"mapping=ro-co-ra-ba-bg", "channels=3", "interleave_bytes=64", "trtp_ck=1"},
        {"tfaw_ck=60", "trrd_l_ck=20", "tccd_l_ck=11", "trc_ck=90"},
        {"twr_ck=0", "twtr_s_ck=0", "tras_ck=20", "trc_ck=39"},
        {"tck_num_ps=1000", "tck_den=7", "cl_ck=100", "cwl_ck=90"},
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        const pn_dram_preset *p = NULL;
        assert_int_equal(pn_dram_preset_find(&p, "ddr4-2666", NULL), PANEM_OK);
        pn_dram_config c = p->config;
        c.write_low = 1;
        size_t params = 0;
        const pn_param *table = pn_dram_params(&params);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(pn_param_assign(table, params, &c, sets[i][k], NULL), PANEM_OK);
        traffic t = {.pattern = MIXED,
                     .write_pct = 40,
                     .requests = 8000,
                     .footprint_bytes = UINT64_C(1) << 30,
                     .bytes = 64,
                     .seed = i};
        verdict v;
        must_be_clean(&c, sets[i][0], &t, &v);
    }
}

/* Shifts the rest of a log so that the tightest pair of a rule falls one cycle short of it. */
static bool plant(verdict *v, const pn_dram_config *c, const log_tape *clean, rule r, size_t at,
                  int64_t slack)
{
    pn_dram_command *copy = malloc(clean->count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, clean->commands, clean->count * sizeof *copy);
    for (size_t i = at; i < clean->count; i++)
        copy[i].ck -= (uint64_t)(slack + 1);
    judge(v, c, copy, clean->count, 0);
    free(copy);
    return v->broken[r] > 0;
}

static void a_real_log_moved_by_one_cycle_is_caught_by_the_rule_it_breaks(void **state)
{
    (void)state;
    static const rule tight[] = {RULE_COMMAND_BUS, RULE_TRCD,     RULE_TRP,    RULE_TRAS,
                                 RULE_TRC,         RULE_TRRD_S,   RULE_TRRD_L, RULE_TFAW,
                                 RULE_TCCD_S,      RULE_TCCD_L,   RULE_TWR,    RULE_TCCD_L_WR,
                                 RULE_TWTR_S,      RULE_TWTR_L,   RULE_TRTP,   RULE_TRTW,
                                 RULE_TRTRS,       RULE_DATA_BUS, RULE_TRFC};
    const pn_dram_preset *p = NULL;
    assert_int_equal(pn_dram_preset_find(&p, "ddr4-2666", NULL), PANEM_OK);
    traffic t = {.pattern = RANDOM,
                 .write_pct = 40,
                 .requests = 40000,
                 .footprint_bytes = UINT64_C(1) << 34,
                 .bytes = 64,
                 .seed = 3};
    log_tape tape = {0};
    uint64_t end_ck = 0;
    record(&tape, &end_ck, &p->config, &t);
    verdict clean;
    judge(&clean, &p->config, tape.commands, tape.count, end_ck);
    assert_int_equal(clean.first_rule, RULE_COUNT);
    for (size_t i = 0; i < sizeof tight / sizeof tight[0]; i++) {
        rule r = tight[i];
        verdict v;
        /* The scheduler leaves nothing on the table: somewhere each rule is met exactly. */
        if (clean.slack[r] != 0)
            fail_msg("%s is never tight: slack %lld over %llu pairs", rule_name(r),
                     (long long)clean.slack[r], (unsigned long long)clean.judged[r]);
        if (!plant(&v, &p->config, &tape, r, clean.at[r], clean.slack[r]))
            fail_msg("%s, planted at %zu, was not caught", rule_name(r), clean.at[r]);
    }
    tape_free(&tape);
}

static size_t find_kind(const log_tape *tape, uint32_t kind, size_t from)
{
    while (from < tape->count && tape->commands[from].kind != kind)
        from++;
    assert_true(from < tape->count);
    return from;
}

static void drop(log_tape *tape, size_t at)
{
    memmove(&tape->commands[at], &tape->commands[at + 1],
            (tape->count - at - 1) * sizeof *tape->commands);
    tape->count--;
}

static void a_real_log_with_a_lost_or_changed_command_is_caught(void **state)
{
    (void)state;
    const pn_dram_preset *p = NULL;
    assert_int_equal(pn_dram_preset_find(&p, "ddr4-2666", NULL), PANEM_OK);
    traffic t = {.pattern = RANDOM,
                 .write_pct = 40,
                 .requests = 40000,
                 .footprint_bytes = UINT64_C(1) << 34,
                 .bytes = 64,
                 .seed = 3};
    static const rule expected[] = {RULE_ROW_OPEN,   RULE_ROW_OPEN,   RULE_ROW_CLOSED,
                                    RULE_REF_CLOSED, RULE_TREFI_LATE, RULE_TREFI_EARLY,
                                    RULE_ORDER};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        log_tape tape = {0};
        uint64_t end_ck = 0;
        record(&tape, &end_ck, &p->config, &t);
        size_t at = find_kind(&tape, PN_DRAM_RD, 1000);
        if (i == 0)
            tape.commands[at].row ^= 1;
        else if (i == 1)
            drop(&tape, find_kind(&tape, PN_DRAM_ACT, 1000));
        else if (i == 2)
            drop(&tape, find_kind(&tape, PN_DRAM_PRE, 1000));
        else if (i == 3)
            drop(&tape, find_kind(&tape, PN_DRAM_PREA, 1000));
        else if (i == 4)
            drop(&tape, find_kind(&tape, PN_DRAM_REF, 0));
        else if (i == 5)
            tape.commands[find_kind(&tape, PN_DRAM_REF, 0)].ck = 5;
        else
            tape.commands[at].ck -= 50;
        verdict v;
        judge(&v, &p->config, tape.commands, tape.count, end_ck);
        if (v.broken[expected[i]] == 0)
            fail_msg("change %zu: %s was not caught", i, rule_name(expected[i]));
        tape_free(&tape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(the_judge_knows_the_boundary_of_every_rule_to_the_cycle),
        PN_TEST(logs_of_every_preset_mix_pattern_and_page_policy_are_legal),
        PN_TEST(logs_under_every_refresh_kind_and_postponement_are_legal),
        PN_TEST(odd_shapes_and_tight_queues_give_legal_logs),
        PN_TEST(a_real_log_moved_by_one_cycle_is_caught_by_the_rule_it_breaks),
        PN_TEST(a_real_log_with_a_lost_or_changed_command_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
