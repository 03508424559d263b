/* The core against the plain cycle-by-cycle machine of tests/ref: the same cycles, the same counts,
 * to the last one, on programs made by a seeded generator and on several machines and memories.
 *
 * core_oracle TRACE N [SETTINGS [MODEL CURVES]] compares on the first N instructions of a trace. */
#include "../cmocka_pn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "core_ref.h"
#include "machine.h"

static const char SET[] = PN_SOURCE_DIR "/curves/ddr4-2666x6.csv";

/* Ops with everything they point to. */
typedef struct program {
    pn_op *ops;
    pn_inst *insts;
    pn_access *accesses;
    size_t count;
} program;

enum { ACCESSES = 2 };

static program *program_new(size_t count)
{
    program *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->ops = calloc(count, sizeof *p->ops);
    p->insts = calloc(count, sizeof *p->insts);
    p->accesses = calloc(count * ACCESSES, sizeof *p->accesses);
    assert_non_null(p->ops);
    assert_non_null(p->insts);
    assert_non_null(p->accesses);
    return p;
}

static void program_free(program *p)
{
    free(p->ops);
    free(p->insts);
    free(p->accesses);
    free(p);
}

/* ---- the generator --------------------------------------------------------------------------- */

enum { CODE = 3000, REGS = 24 };

/* What a static instruction does with its addresses. */
typedef struct behaviour {
    uint64_t base, stride, range; /* stride 0: random in range */
    uint64_t at;
    unsigned bytes;
    int biased; /* branch: taken in so many of 16 cases */
    size_t target;
} behaviour;

typedef struct generator {
    pn_rng rng;
    size_t size; /* instructions of the code, at most CODE */
    pn_inst code[CODE];
    behaviour does[CODE];
} generator;

static uint64_t below(generator *g, uint64_t bound)
{
    return pn_rng_below(&g->rng, bound);
}

static uint8_t any_reg(generator *g)
{
    return (uint8_t)below(g, REGS);
}

static void make_memory(generator *g, pn_inst *inst, behaviour *b)
{
    static const uint64_t ranges[] = {1 << 8, 1 << 14, 1 << 17, 1 << 20, 1 << 23, 1 << 26};
    static const unsigned sizes[] = {1, 4, 8, 8, 16, 64};
    uint64_t kind = below(g, 10);
    inst->flags = (uint16_t)(kind < 6   ? PN_INST_LOAD
                             : kind < 9 ? PN_INST_STORE
                                        : PN_INST_LOAD | PN_INST_STORE);
    inst->cls = kind < 6 ? PN_CLASS_LOAD : kind < 9 ? PN_CLASS_STORE : PN_CLASS_INT;
    inst->n_addr = 1;
    inst->addr[0] = any_reg(g);
    if (below(g, 6) == 0)
        inst->writeback = inst->addr[0];
    b->base = below(g, 3) << 30;
    b->range = ranges[below(g, 6)];
    b->stride = below(g, 3) ? UINT64_C(8) << below(g, 5) : 0;
    b->bytes = sizes[below(g, 6)];
}

static void make_code(generator *g)
{
    static const uint8_t classes[] = {
        PN_CLASS_INT,     PN_CLASS_INT,    PN_CLASS_INT,    PN_CLASS_INT,     PN_CLASS_INT_MUL,
        PN_CLASS_INT_DIV, PN_CLASS_FP_ADD, PN_CLASS_FP_FMA, PN_CLASS_FP_DIV,  PN_CLASS_NOP,
        PN_CLASS_SYSTEM,  PN_CLASS_CRYPTO, PN_CLASS_FP_CVT, PN_CLASS_VEC_INT, PN_CLASS_UNKNOWN};
    uint64_t pc = 0x400000;
    for (size_t i = 0; i < g->size; i++) {
        pn_inst *inst = &g->code[i];
        behaviour *b = &g->does[i];
        inst->pc = pc;
        inst->length = (uint8_t)(1 + below(g, 8));
        pc += inst->length;
        inst->n_dst = below(g, 8) != 0;
        inst->dst[0] = any_reg(g);
        inst->n_src = (uint8_t)below(g, 3);
        inst->src[0] = any_reg(g);
        inst->src[1] = any_reg(g);
        inst->cls = classes[below(g, sizeof classes)];
        uint64_t kind = below(g, 20);
        if (kind < 8) {
            make_memory(g, inst, b);
        } else if (kind < 11) {
            static const int shares[] = {0, 1, 8, 15, 16};
            inst->cls = PN_CLASS_BRANCH;
            inst->n_dst = 0;
            inst->branch = below(g, 4) ? PN_BRANCH_COND : PN_BRANCH_JUMP;
            b->biased = inst->branch == PN_BRANCH_COND ? shares[below(g, 5)] : 16;
            b->target = (i + 1 + below(g, 40)) % g->size;
        }
    }
}

static void make_access(generator *g, pn_access *a, behaviour *b, bool write)
{
    uint64_t offset = b->stride ? b->at : below(g, b->range);
    b->at = (b->at + b->stride) % b->range;
    *a = (pn_access){b->base + offset, (uint8_t)b->bytes, write};
}

/* size: of the code; the smaller, the more often each instruction comes. */
static program *generate_of(uint64_t seed, size_t count, size_t size)
{
    generator *g = calloc(1, sizeof *g);
    program *p = program_new(count);
    size_t at = 0;
    assert_non_null(g);
    pn_rng_init(&g->rng, seed, 0);
    g->size = size;
    make_code(g);
    for (p->count = 0; p->count < count; p->count++) {
        pn_op *op = &p->ops[p->count];
        pn_access *a = &p->accesses[p->count * ACCESSES];
        behaviour *b = &g->does[at];
        p->insts[p->count] = g->code[at];
        op->inst = &p->insts[p->count];
        op->accesses = a;
        if (op->inst->flags & PN_INST_LOAD)
            make_access(g, &a[op->n_accesses++], b, false);
        if (op->inst->flags & PN_INST_STORE)
            make_access(g, &a[op->n_accesses++], b, true);
        bool taken = op->inst->branch && below(g, 16) < (uint64_t)b->biased;
        op->flags = taken ? PN_OP_TAKEN : 0;
        at = taken ? b->target : (at + 1) % g->size;
        op->next_pc = g->code[at].pc;
    }
    free(g);
    return p;
}

static program *generate(uint64_t seed, size_t count)
{
    return generate_of(seed, count, CODE);
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void same(const char *what, uint64_t core, uint64_t oracle)
{
    if (core != oracle)
        fail_msg("%s: %llu, the oracle has %llu", what, (unsigned long long)core,
                 (unsigned long long)oracle);
}

static void same_level(const char *what, const pn_level_stats *c, const ref_level *o)
{
    char name[40];
    const uint64_t values[][2] = {{c->hits, o->hits},
                                  {c->misses, o->misses},
                                  {c->merges, o->merges},
                                  {c->writebacks, o->writebacks},
                                  {c->dirty_out, o->dirty_out},
                                  {c->prefetch_accesses, o->prefetch_accesses},
                                  {c->prefetch_misses, o->prefetch_misses}};
    static const char *const names[] = {"hits",           "misses",    "merges",
                                        "writebacks",     "dirty out", "prefetch accesses",
                                        "prefetch misses"};
    for (int i = 0; i < 7; i++) {
        (void)snprintf(name, sizeof name, "%s %s", what, names[i]);
        same(name, values[i][0], values[i][1]);
    }
}

/* The same counts, and they add up. */
static void same_prefetch(const char *what, const pn_prefetch_stats *c, const ref_prefetch_count *o)
{
    char name[40];
    const uint64_t values[][2] = {{c->issued, o->issued},
                                  {c->useful, o->useful},
                                  {c->late, o->late},
                                  {c->useless, o->useless},
                                  {c->dropped_page, o->dropped_page},
                                  {c->dropped_present, o->dropped_present},
                                  {c->dropped_full, o->dropped_full},
                                  {c->resident, o->resident}};
    static const char *const names[] = {"issued",       "useful",       "late",
                                        "useless",      "dropped page", "dropped present",
                                        "dropped full", "resident"};
    uint64_t ends = 0;
    for (int i = 0; i < 8; i++) {
        (void)snprintf(name, sizeof name, "%s %s", what, names[i]);
        same(name, values[i][0], values[i][1]);
        ends += i ? values[i][0] : 0;
    }
    assert_int_equal(c->issued, ends);
}

static void make(machine *m, const char *settings, const char *model, const char *curves)
{
    if (model && !curves)
        machine_make_dram(m, settings, model);
    else if (model)
        machine_make_over(m, settings, model, curves);
    else
        machine_make(m, settings, 97.3);
}

static void same_tlb(const char *what, const pn_tlb_level_stats *c, const ref_tlb_count *o)
{
    same(what, c->hits, o->hits);
    same(what, c->misses, o->misses);
    same(what, c->merges, o->merges);
    same(what, c->accesses, o->hits + o->misses + o->merges);
}

/* Cycles at each level are the same, but for those after the core's last event. */
static void same_busy(const char *what, const uint64_t core[4], const uint64_t oracle[4])
{
    uint64_t apart = 0;
    uint64_t sums[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        apart += core[i] > oracle[i] ? core[i] - oracle[i] : oracle[i] - core[i];
        sums[0] += core[i];
        sums[1] += oracle[i];
    }
    uint64_t after = sums[0] > sums[1] ? sums[0] - sums[1] : sums[1] - sums[0];
    same(what, apart, after);
    assert_in_range(after, 0, 2000);
}

typedef struct outcome {
    pn_core_result core;
    ref_result oracle;
} outcome;

static outcome run_both(const program *p, const char *settings, const char *model,
                        const char *curves)
{
    machine m;
    outcome both;
    make(&m, settings, model, curves);
    for (size_t i = 0; i < p->count; i++)
        pn_core_op(m.core, &p->ops[i]);
    both.core = machine_finish(&m);
    machine_free(&m);
    make(&m, settings, model, curves);
    both.oracle = core_ref_run(&m.config, m.port, m.idle_ps, p->ops, p->count);
    machine_free(&m);
    return both;
}

static pn_core_result compare(const program *p, const char *settings, const char *model,
                              const char *curves)
{
    outcome both = run_both(p, settings, model, curves);
    const pn_core_counts *n = &both.core.whole;
    const ref_result *o = &both.oracle;
    same("instructions", n->instructions, o->instructions);
    same("micro-ops", n->uops, o->uops);
    same("loads", n->loads, o->loads);
    same("stores", n->stores, o->stores);
    same("forwarded", n->forwarded, o->forwarded);
    same("mispredicted",
         n->predict.conditional_missed + n->predict.indirect_missed + n->predict.returns_missed,
         o->mispredicted);
    same("cycles", both.core.warmup_cyc + both.core.measured_cyc, o->cycles);
    same_level("l1i", &n->l1i, &o->l1i);
    same_level("l1d", &n->l1d, &o->l1d);
    same_level("l2", &n->l2, &o->l2);
    same_level("llc", &n->llc, &o->llc);
    same_prefetch("l1d prefetch", &n->l1d_prefetch, &o->l1d_prefetch);
    same_prefetch("l2 prefetch", &n->l2_prefetch, &o->l2_prefetch);
    for (int i = 0; i < PN_CPI_COUNT; i++)
        same(pn_cpi_names[i], n->cpi_cyc[i], o->parts[i]);
    same_tlb("l1i tlb", &n->tlb.l1i, &o->l1i_tlb);
    same_tlb("l1d tlb", &n->tlb.l1d, &o->l1d_tlb);
    same_tlb("l2 tlb", &n->tlb.l2, &o->l2_tlb);
    same("page walks", n->tlb.walks, o->walks);
    same("busy windows", n->cbusy.windows, o->busy.windows);
    same_busy("busy level", n->cbusy.level_cyc, o->busy.level);
    same_busy("l1d prefetch level", n->cbusy.l1d_prefetch_cyc, o->busy.l1d);
    same_busy("l2 prefetch level", n->cbusy.l2_prefetch_cyc, o->busy.l2);
    same("reads", n->door.reads, o->reads);
    same("prefetch reads", n->door.prefetch_reads, o->prefetch_reads);
    same("writes", n->door.writes, o->writes);
    return both.core;
}

static const char *const MACHINES[] = {
    "",
    "width=2 rob=32 lob=8 store_buffer=4 commit_width=1 load_ports=1 store_ports=1",
    "l1d_size=4KiB l1i_size=2KiB l2_size=32KiB llc_size=128KiB",
    "l1d_size=4KiB l2_size=16KiB llc_size=64KiB l1d_mshrs=2 l2_mshrs=2 llc_mshrs=1",
    "l1d_size=4KiB l2_size=16KiB llc_size=64KiB write_buffer=1 l2_fill_bytes_per_cycle=3 "
    "l1_fill_bytes_per_cycle=5",
    "width=8 rob=512 lob=200 store_buffer=100 l1d_mshrs=40 alu_ports=8 load_ports=4 "
    "taken_branch_cycles=0 predictor=gshare",
    "clock=2.1GHz page_size=65536B page_seed=9 mispredict_penalty=3 l1i_latency=2 "
    "l1d_latency=5",
    "predictor=perfect l1d_size=3KiB l1d_ways=3 l2_size=24KiB l2_ways=6 llc_size=100kB",
};

static void the_core_agrees_with_the_oracle_to_the_cycle(void **state)
{
    (void)state;
    enum { COUNT = 8000 };
    for (uint64_t seed = 1; seed <= 3; seed++) {
        program *p = generate(seed, COUNT);
        for (size_t i = 0; i < sizeof MACHINES / sizeof MACHINES[0]; i++) {
            pn_core_result r = compare(p, MACHINES[i], NULL, NULL);
            assert_true(r.whole.mem_lines > 100);
        }
        program_free(p);
    }
}

static const char *const PREFETCHERS[] = {
    "l1d_prefetch=stride",
    "l1d_prefetch=stride l1d_prefetch_level=3 l1d_size=4KiB l2_size=16KiB llc_size=64KiB",
    "l1d_prefetch=next-line l1d_prefetch_level=3 l1d_size=4KiB l2_size=32KiB llc_size=128KiB",
    "l2_prefetch=stream l2_prefetch_level=3 l1d_size=4KiB l2_size=16KiB llc_size=64KiB",
    "l2_prefetch=best-offset l1d_size=4KiB l2_size=16KiB llc_size=64KiB",
    "l2_prefetch=best-offset l2_prefetch_level=3 l1d_size=4KiB l2_size=16KiB llc_size=64KiB "
    "l2_mshrs=12 l2_prefetch_reserve=2",
    "l2_prefetch=spatial l2_prefetch_level=1 l1d_size=4KiB l2_size=16KiB llc_size=64KiB",
    "l2_prefetch=spatial l2_prefetch_level=3 l1d_prefetch=next-line l1d_size=4KiB l2_size=16KiB "
    "llc_size=64KiB l1d_prefetch_queue=2 l2_prefetch_queue=3",
    "l1d_prefetch=stride l2_prefetch=stream l1d_size=4KiB l2_size=16KiB llc_size=64KiB l1d_mshrs=2 "
    "l2_mshrs=2 llc_mshrs=1 write_buffer=1",
    "l1d_prefetch=next-line l2_prefetch=best-offset l1d_prefetch_level=3 l2_prefetch_level=3 "
    "page_size=65536B l1d_size=4KiB l2_size=16KiB llc_size=64KiB l2_fill_bytes_per_cycle=3 "
    "l1_fill_bytes_per_cycle=5",
    "l1d_prefetch=stride l2_prefetch=spatial l1d_prefetch_level=0 l2_prefetch_level=0",
};

static void it_agrees_with_prefetchers(void **state)
{
    (void)state;
    enum { COUNT = 20000, LOOP = 60, CASES = sizeof PREFETCHERS / sizeof PREFETCHERS[0] };
    uint64_t used[CASES] = {0};
    for (uint64_t seed = 21; seed <= 23; seed++) {
        program *p = generate_of(seed, COUNT, LOOP);
        for (size_t i = 0; i < CASES; i++) {
            pn_core_result r = compare(p, PREFETCHERS[i], NULL, NULL);
            const pn_prefetch_stats *l1d = &r.whole.l1d_prefetch;
            const pn_prefetch_stats *l2 = &r.whole.l2_prefetch;
            used[i] += l1d->useful + l1d->late + l2->useful + l2->late;
        }
        (void)compare(p, PREFETCHERS[1], "panem", SET);
        (void)compare(p, PREFETCHERS[7], "panem", SET);
        program_free(p);
    }
    /* Enough to compare; two miss registers leave few to prefetches. The last is off. */
    for (size_t i = 0; i + 1 < CASES; i++)
        assert_true(used[i] > 10);
    assert_int_equal(used[CASES - 1], 0);
}

static const char *const TLBS[] = {
    "tlb=on",
    "tlb=on l1d_tlb_entries=4 l1i_tlb_entries=1 l2_tlb_entries=24 l2_tlb_ways=3 l2_tlb_latency=1",
    "tlb=on l1d_tlb_entries=2 l1i_tlb_entries=2 l2_tlb_entries=1 l2_tlb_ways=1 page_walkers=1 "
    "page_walk_latency=300 store_buffer=4",
    "tlb=on l1d_tlb_entries=8 l2_tlb_entries=40 l1d_size=4KiB l1i_size=2KiB l2_size=16KiB "
    "llc_size=64KiB l1d_mshrs=2 l2_mshrs=2 llc_mshrs=1 page_walkers=4",
    "tlb=on l1d_tlb_entries=8 l2_tlb_entries=40 l1d_size=4KiB l2_size=16KiB llc_size=64KiB "
    "page_size=65536B l1d_prefetch=next-line l2_prefetch=stream clock=2.1GHz l1i_latency=2",
};

static void it_agrees_on_address_translation(void **state)
{
    (void)state;
    enum { COUNT = 8000 };
    pn_tlb_stats all = {0};
    for (uint64_t seed = 31; seed <= 33; seed++) {
        program *p = generate(seed, COUNT);
        for (size_t i = 0; i < sizeof TLBS / sizeof TLBS[0]; i++) {
            pn_core_result r = compare(p, TLBS[i], NULL, NULL);
            const pn_tlb_stats *t = &r.whole.tlb;
            all.walks += t->walks;
            all.l1d.merges += t->l1d.merges;
            all.l1i.misses += t->l1i.misses;
            all.l2.hits += t->l2.hits;
            all.l2.merges += t->l2.merges;
        }
        (void)compare(p, TLBS[1], "panem", SET);
        program_free(p);
    }
    assert_true(all.walks > 1000 && all.l1d.merges > 100 && all.l1i.misses > 100);
    assert_true(all.l2.hits > 1000 && all.l2.merges > 10);
}

/* A core that is one of so many that the memory is busy. */
#define BUSY                                                                            \
    "l1d_size=4KiB l2_size=16KiB llc_size=6MiB active_cores=96 l1d_prefetch=next-line " \
    "l2_prefetch=spatial l2_prefetch_level=3 cbusy_window=16 "
static const char *const CONTROLS[] = {
    BUSY "cbusy_control=prefetch",
    BUSY "cbusy_control=limit cbusy_step_down=3 cbusy_step_up=1",
    BUSY "cbusy_control=both cbusy_delay=0 cbusy_threshold=80 cbusy_down_level=1",
    BUSY "cbusy_control=both cbusy_delay=3000 cbusy_window=5 cbusy_threshold=1 "
         "cbusy_limit_least_part=100",
    BUSY "cbusy_control=limit l2_mshrs=5 l1d_mshrs=30 cbusy_window=1 cbusy_delay=1 "
         "cbusy_step_down=1 cbusy_step_up=1 cbusy_down_level=3",
};

static void it_agrees_when_busy_levels_throttle_it(void **state)
{
    (void)state;
    enum { COUNT = 20000, LOOP = 60, CASES = sizeof CONTROLS / sizeof CONTROLS[0] };
    uint64_t levels[4] = {0};
    uint64_t limited = 0;
    for (uint64_t seed = 21; seed <= 23; seed++) {
        program *p = generate_of(seed, COUNT, LOOP);
        for (size_t i = 0; i < CASES; i++) {
            pn_core_result r = compare(p, CONTROLS[i], "panem", SET);
            assert_true(r.whole.cbusy.windows > 3);
            for (int k = 0; k < 4; k++)
                levels[k] += r.whole.cbusy.level_cyc[k];
            limited += r.whole.cbusy.limit_cyc[1] + r.whole.cbusy.limit_cyc[3];
        }
        program_free(p);
    }
    for (int k = 0; k < 4; k++)
        assert_true(levels[k] > 0);
    assert_true(limited > 0);
}

static void it_agrees_in_front_of_a_memory_under_load(void **state)
{
    (void)state;
    program *p = generate(11, 8000);
    (void)compare(p, MACHINES[3], "panem", SET);
    (void)compare(p, "l1d_size=4KiB l2_size=16KiB llc_size=6MiB active_cores=96", "panem", SET);
    (void)compare(p, "l1d_size=4KiB l2_size=16KiB llc_size=6MiB active_cores=96", "panem:paper",
                  SET);
    (void)compare(p, MACHINES[2], "fixed:high", SET);
    program_free(p);
}

static void it_agrees_in_front_of_a_dram(void **state)
{
    (void)state;
    program *p = generate(12, 12000);
    pn_core_result r = compare(p, MACHINES[3], "ddr4-2666", NULL);
    assert_in_range(r.whole.door.writes, 100, 1000000);
    (void)compare(p, MACHINES[2], "ddr5-4800", NULL);
    program_free(p);
}

static void it_agrees_within_a_percent_where_a_dram_refuses(void **state)
{
    (void)state;
    /* The oracle asks again every cycle, the core when the DRAM says: a request may enter a few
     * cycles apart. */
    static const char small[] = "ddr4-2666:read_queue=2:write_queue=4:write_high=3:write_low=1";
    program *p = generate(12, 12000);
    outcome both = run_both(p, MACHINES[2], small, NULL);
    assert_in_range(both.core.whole.door.refused, 1000, 1000000000);
    same("reads", both.core.whole.door.reads, both.oracle.reads);
    same("writes", both.core.whole.door.writes, both.oracle.writes);
    double ratio = (double)both.core.measured_cyc / (double)both.oracle.cycles;
    assert_float_equal(ratio, 1.0, 0.01);
    program_free(p);
}

/* ---- a trace ----------------------------------------------------------------------------------
 */

static program *from_trace(const char *path, uint32_t thread, size_t count)
{
    pn_trace *trace;
    pn_batch batch;
    panem_error err = PANEM_ERROR_INIT;
    program *p = program_new(count);
    size_t taken = 0;
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    options.thread = thread;
    free(p->accesses);
    p->accesses = calloc(count * 64, sizeof *p->accesses);
    assert_non_null(p->accesses);
    if (pn_trace_open(&trace, path, &options, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    while (p->count < count && pn_trace_next(trace, &batch, &err) == PANEM_OK && batch.n_ops) {
        for (size_t i = 0; i < batch.n_ops && p->count < count; i++) {
            const pn_op *from = &batch.ops[i];
            pn_op *op = &p->ops[p->count];
            assert_true(taken + from->n_accesses < count * 64);
            *op = *from;
            p->insts[p->count] = *from->inst;
            op->inst = &p->insts[p->count++];
            op->accesses = p->accesses + taken;
            memcpy(p->accesses + taken, from->accesses, from->n_accesses * sizeof(pn_access));
            taken += from->n_accesses;
        }
    }
    pn_trace_close(trace);
    if (p->count == 0)
        fail_msg("%s: no instructions in stream %u", path, thread);
    return p;
}

static const char **arguments; /* arguments[1]: the trace */
static uint32_t stream_of_trace;

static void the_core_agrees_on_a_trace(void **state)
{
    (void)state;
    program *p = from_trace(arguments[1], stream_of_trace, strtoul(arguments[2], NULL, 10));
    const char *settings = arguments[3] ? arguments[3] : "";
    const char *model = arguments[3] ? arguments[4] : NULL;
    pn_core_result r = compare(p, settings, model, model ? arguments[5] : NULL);
    uint64_t cycles = r.warmup_cyc + r.measured_cyc;
    print_message("%llu instructions, %llu cycles, %llu lines from memory: equal\n",
                  (unsigned long long)r.whole.instructions, (unsigned long long)cycles,
                  (unsigned long long)r.whole.mem_lines);
    program_free(p);
}

int main(int argc, const char **argv)
{
    const struct CMUnitTest one[] = {PN_TEST(the_core_agrees_on_a_trace)};
    const struct CMUnitTest tests[] = {
        PN_TEST(the_core_agrees_with_the_oracle_to_the_cycle),
        PN_TEST(it_agrees_with_prefetchers),
        PN_TEST(it_agrees_on_address_translation),
        PN_TEST(it_agrees_when_busy_levels_throttle_it),
        PN_TEST(it_agrees_in_front_of_a_memory_under_load),
        PN_TEST(it_agrees_in_front_of_a_dram),
        PN_TEST(it_agrees_within_a_percent_where_a_dram_refuses),
    };
    arguments = argv;
    if (argc > 4 && strcmp(argv[1], "--thread") == 0) {
        stream_of_trace = (uint32_t)strtoul(argv[2], NULL, 10);
        arguments += 2;
    }
    if (argc > 2)
        return cmocka_run_group_tests(one, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
