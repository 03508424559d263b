/* Each prefetcher on small patterns with proposals worked out by hand; the queue and its
 * accounting; laws of a core with prefetchers. */
#include "../cmocka_pn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "core/prefetch.h"
#include "machine.h"

/* ---- prefetchers alone ----------------------------------------------------------------------- */

typedef struct subject {
    const pn_prefetch_ops *ops;
    void *state;
    uint32_t level;
    uint64_t page_lines;
    pn_prefetch_list got; /* of the last access */
} subject;

static subject subject_new(const pn_prefetch_ops *ops, uint32_t level)
{
    subject s = {.ops = ops, .level = level, .page_lines = 64};
    s.state = calloc(1, ops->state_bytes + 1);
    assert_non_null(s.state);
    return s;
}

static uint32_t give(subject *s, const pn_prefetch_access *a)
{
    s->got.line = a->line;
    s->got.page_lines = s->page_lines;
    s->got.count = s->got.crossing = 0;
    s->ops->train(s->state, &s->got, a, &s->ops->tuning[s->level]);
    return s->got.count;
}

/* An access of an instruction to an address whose page is its own frame. */
static uint32_t access(subject *s, uint64_t pc, uint64_t address)
{
    return give(s, &(pn_prefetch_access){address / 64, address, pc, true});
}

static uint32_t touch(subject *s, uint64_t line)
{
    return give(s, &(pn_prefetch_access){.line = line, .trigger = true});
}

/* The proposals of the last access are these lines, relative to base. */
static void proposed(const subject *s, uint64_t base, const char *lines)
{
    char text[400] = "";
    size_t n = 0;
    for (uint32_t i = 0; i < s->got.count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%lld", i ? " " : "",
                              (long long)(s->got.lines[i] - base));
    assert_string_equal(text, lines);
}

static void a_stride_of_three_lines_is_found_at_the_fourth_access(void **state)
{
    (void)state;
    /* lines of the accesses: 0 3 6 9 12 ... Level 2: from the second repetition on, two at a time,
     * up to four strides ahead. */
    static const char *const two[] = {"", "", "", "12 15", "18 21", "24 27", "30", "33", "36"};
    /* Level 1: one repetition later, two strides ahead. */
    static const char *const one[] = {"", "", "", "", "15 18", "21", "24", "27", "30"};
    subject s = subject_new(&pn_prefetch_stride, 2);
    for (uint64_t i = 0; i < 9; i++) {
        (void)access(&s, 77, 0x10000 + i * 192);
        proposed(&s, 0x10000 / 64, two[i]);
    }
    free(s.state);
    s = subject_new(&pn_prefetch_stride, 1);
    for (uint64_t i = 0; i < 9; i++) {
        (void)access(&s, 77, 0x10000 + i * 192);
        proposed(&s, 0x10000 / 64, one[i]);
    }
    free(s.state);
}

static void a_stride_below_a_line_is_followed_line_by_line(void **state)
{
    (void)state;
    subject s = subject_new(&pn_prefetch_stride, 1);
    uint64_t next = 0;
    /* upwards by 8: only when the line changes; all lines of the page, each once */
    for (uint64_t i = 0; i < 512; i++) {
        uint32_t n = access(&s, 5, 0x20000 + i * 8);
        assert_true(n == 0 || i % 8 == 0);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(next == 0 || s.got.lines[k] == next);
            next = s.got.lines[k] + 1;
        }
    }
    assert_int_equal(next, 0x21000 / 64);
    /* downwards by 24 */
    next = 0;
    for (uint64_t i = 0; i < 170; i++) {
        uint32_t n = access(&s, 6, 0x30fff - i * 24);
        for (uint32_t k = 0; k < n; k++) {
            assert_true(next == 0 || s.got.lines[k] == next - 1);
            next = s.got.lines[k];
        }
    }
    assert_int_equal(next, 0x30000 / 64);
    free(s.state);
}

static void a_stride_survives_one_stray_access(void **state)
{
    (void)state;
    subject s = subject_new(&pn_prefetch_stride, 2);
    for (uint64_t i = 0; i < 6; i++)
        (void)access(&s, 9, 0x40000 + i * 128);
    assert_int_equal(access(&s, 9, 0x90000), 0);
    assert_int_equal(access(&s, 9, 0x90080), 2); /* confidence 3, 2, 3 */
    proposed(&s, 0x90080 / 64, "2 4");
    assert_int_equal(access(&s, 0, 0x90100), 0); /* no instruction: ignored */
    assert_int_equal(access(&s, 9, 0x90100), 2);
    free(s.state);
}

static void a_page_ends_every_prefetcher(void **state)
{
    (void)state;
    subject s = subject_new(&pn_prefetch_stride, 3);
    for (uint64_t i = 0; i < 16; i++)
        (void)access(&s, 9, 0x40000 + i * 256);
    /* 0x40f00 was the last of its page: all the rest lies beyond */
    assert_int_equal(s.got.count, 0);
    assert_int_equal(s.got.crossing, 1);
    free(s.state);
    s = subject_new(&pn_prefetch_next_line, 3);
    (void)touch(&s, 62);
    proposed(&s, 62, "1");
    assert_int_equal(s.got.crossing, 1);
    free(s.state);
    s = subject_new(&pn_prefetch_stream, 3);
    for (uint64_t i = 58; i < 63; i++)
        (void)touch(&s, i);
    assert_int_equal(s.got.count, 0);
    assert_int_equal(s.got.crossing, 1);
    free(s.state);
}

static void next_line_follows_what_would_have_missed(void **state)
{
    (void)state;
    static const char *const expected[] = {"", "1", "1 2", "1 2 3 4"};
    for (uint32_t level = 0; level < 4; level++) {
        subject s = subject_new(&pn_prefetch_next_line, level);
        (void)touch(&s, 1000);
        proposed(&s, 1000, expected[level]);
        assert_int_equal(give(&s, &(pn_prefetch_access){.line = 1000}), 0);
        free(s.state);
    }
}

static void a_stream_is_followed_up_and_down(void **state)
{
    (void)state;
    subject s = subject_new(&pn_prefetch_stream, 2);
    assert_int_equal(touch(&s, 6400), 0);
    assert_int_equal(touch(&s, 6401), 0);
    assert_int_equal(touch(&s, 6402), 2);
    proposed(&s, 6402, "1 2");
    assert_int_equal(touch(&s, 6403), 2);
    proposed(&s, 6403, "2 3");
    assert_int_equal(touch(&s, 6402), 2); /* out of order: the last stays 6403 */
    proposed(&s, 6403, "4 5");
    /* down, in another frame */
    assert_int_equal(touch(&s, 12863), 0);
    assert_int_equal(touch(&s, 12860), 0); /* turns */
    assert_int_equal(touch(&s, 12858), 0);
    assert_int_equal(touch(&s, 12857), 2);
    proposed(&s, 12857, "-1 -2");
    free(s.state);
}

static void a_stream_stays_within_its_distance(void **state)
{
    (void)state;
    subject s = subject_new(&pn_prefetch_stream, 1); /* four ahead */
    uint64_t proposals = 0;
    for (uint64_t i = 0; i < 40; i++) {
        proposals += touch(&s, 6400 + i);
        if (s.got.count)
            assert_true(s.got.lines[0] <= 6400 + i + 4);
    }
    /* lines 4 to 43 of the frame, from the fourth access on */
    assert_int_equal(proposals, 40);
    free(s.state);
}

static void the_seventeenth_stream_takes_the_oldest_place(void **state)
{
    (void)state;
    subject s = subject_new(&pn_prefetch_stream, 2);
    for (uint64_t i = 0; i < 2; i++)
        for (uint64_t frame = 1; frame <= 17; frame++)
            (void)touch(&s, frame * 64 + i);
    /* each frame lost its place before it came again */
    for (uint64_t frame = 1; frame <= 17; frame++)
        assert_int_equal(touch(&s, frame * 64 + 2), 0);
    for (uint64_t i = 3; i < 5; i++)
        for (uint64_t frame = 2; frame <= 16; frame++)
            assert_int_equal(touch(&s, frame * 64 + i), i == 4 ? 2 : 0);
    free(s.state);
}

/* The offset learnt on a stream whose lines come so many accesses after they were asked for. */
static uint64_t learnt(uint64_t delay, uint64_t by)
{
    enum { ACCESSES = 4000 };
    subject s = subject_new(&pn_prefetch_best_offset, 2);
    for (uint64_t i = 0; i < ACCESSES; i++) {
        uint64_t line = 64000 + i * by;
        (void)touch(&s, line);
        if (i >= delay)
            s.ops->filled(s.state, line - delay * by + by, false, &s.ops->tuning[0]);
    }
    uint64_t d = 0;
    for (uint64_t i = 0; i < 4 && d == 0; i++) /* in the middle of a frame */
        if (touch(&s, 1024000 + i))
            d = s.got.lines[0] - (1024000 + i);
    free(s.state);
    return d;
}

static void best_offset_learns_the_smallest_offset_that_is_in_time(void **state)
{
    (void)state;
    /* A line is recent `delay` accesses later: the smallest offset of the list that far. */
    assert_int_equal(learnt(1, 1), 1);
    assert_int_equal(learnt(4, 1), 4);
    assert_int_equal(learnt(7, 1), 8);
    assert_int_equal(learnt(13, 1), 15);
    /* every third line: multiples of three only */
    assert_int_equal(learnt(1, 3), 3);
    assert_int_equal(learnt(3, 3), 9);
}

/* Three lines of a region, then 40 others that push it out. */
static void generation(subject *s, uint64_t region, uint64_t pc, uint64_t a, uint64_t b, uint64_t c)
{
    static uint64_t fresh = 1 << 20;
    const uint64_t lines[] = {a, b, c};
    for (int i = 0; i < 3; i++)
        (void)give(s, &(pn_prefetch_access){.line = region * 32 + lines[i], .pc = i ? 1 : pc});
    for (int i = 0; i < 40; i++)
        (void)give(s, &(pn_prefetch_access){.line = ++fresh * 32, .pc = 2});
}

static void the_footprint_of_a_region_is_recalled(void **state)
{
    (void)state;
    static const char *const expected[] = {"", "2", "2 6", "2 6 27"};
    for (uint32_t level = 0; level < 4; level++) {
        subject s = subject_new(&pn_prefetch_spatial, level);
        generation(&s, 100, 900, 3, 5, 30);
        generation(&s, 101, 900, 3, 5, 9);
        /* another instruction, another place: nothing is known */
        assert_int_equal(give(&s, &(pn_prefetch_access){.line = 300 * 32 + 3, .pc = 901}), 0);
        assert_int_equal(give(&s, &(pn_prefetch_access){.line = 301 * 32 + 4, .pc = 900}), 0);
        (void)give(&s, &(pn_prefetch_access){.line = 302 * 32 + 3, .pc = 900});
        proposed(&s, 302 * 32 + 3, expected[level]);
        /* only at its first access */
        assert_int_equal(give(&s, &(pn_prefetch_access){.line = 302 * 32 + 5, .pc = 900}), 0);
        free(s.state);
    }
}

static void random_addresses_give_nothing(void **state)
{
    (void)state;
    const pn_prefetch_ops *const all[] = {&pn_prefetch_stride, &pn_prefetch_stream,
                                          &pn_prefetch_best_offset, &pn_prefetch_spatial};
    for (int k = 0; k < 4; k++) {
        subject s = subject_new(all[k], 3);
        pn_rng rng;
        uint64_t sum = 0;
        pn_rng_init(&rng, 5, 0);
        for (int i = 0; i < 50000; i++) {
            uint64_t address = pn_rng_below(&rng, UINT64_C(1) << 40);
            sum += access(&s, 1 + pn_rng_below(&rng, 50), address);
            if (s.ops->filled)
                s.ops->filled(s.state, address / 64, false, &s.ops->tuning[3]);
        }
        assert_int_equal(sum, 0);
        free(s.state);
    }
}

static void level_zero_learns_and_proposes_nothing(void **state)
{
    (void)state;
    subject s = subject_new(&pn_prefetch_stride, 0);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(access(&s, 7, 0x5000 + i * 64), 0);
    s.level = 2;
    assert_int_equal(access(&s, 7, 0x5000 + 8 * 64), 2);
    free(s.state);
    s = subject_new(&pn_prefetch_stream, 0);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(touch(&s, 6400 + i), 0);
    s.level = 3;
    assert_int_equal(touch(&s, 6408), 4);
    free(s.state);
}

/* ---- the queue ------------------------------------------------------------------------------- */

typedef struct unit {
    pn_level level;
    pn_prefetch prefetch;
} unit;

/* next-line at level 3, with so many MSHRs. */
static void unit_make(unit *u, uint32_t mshrs, uint32_t reserve, uint32_t queue)
{
    pn_prefetch_config config = {.kind = 2, .level = 3, .reserve = reserve, .queue = queue};
    assert_int_equal(pn_level_init(&u->level, 4096, 4, mshrs, 16, NULL), PANEM_OK);
    assert_int_equal(pn_prefetch_init(&u->prefetch, pn_prefetch_of_l1d[2], &config, &u->level,
                                      mshrs, 4096, NULL),
                     PANEM_OK);
}

static void unit_free(unit *u)
{
    pn_prefetch_release(&u->prefetch);
    pn_level_release(&u->level);
}

static void adds_up(const pn_prefetch_stats *s)
{
    assert_int_equal(s->issued, s->useful + s->late + s->useless + s->dropped_page +
                                    s->dropped_present + s->dropped_full + s->resident);
}

static void every_prefetch_ends_in_one_place(void **state)
{
    (void)state;
    unit u;
    unit_make(&u, 4, 1, 6);
    pn_prefetch *p = &u.prefetch;
    /* 8: 9 10 11 12 queued. 9: 10 11 12 are queued already, 13 enters. 60: two more fit. */
    pn_prefetch_train(p, &(pn_prefetch_access){.line = 8, .trigger = true});
    pn_prefetch_train(p, &(pn_prefetch_access){.line = 9, .trigger = true});
    pn_prefetch_train(p, &(pn_prefetch_access){.line = 61, .trigger = true});
    pn_prefetch_stats s = pn_prefetch_stats_now(p);
    assert_int_equal(s.dropped_present, 3);
    assert_int_equal(s.dropped_full, 1); /* 62 fits, 63 does not */
    assert_int_equal(s.dropped_page, 1);
    assert_int_equal(s.resident, 6);
    adds_up(&s);
    /* 9 is in the cache: dropped; 10, 11, 12 take three registers; the fourth is demand's */
    (void)pn_level_fill(&u.level, 9, false, false);
    assert_null(pn_prefetch_send(p));
    for (uint64_t line = 10; line <= 12; line++)
        assert_int_equal(pn_prefetch_send(p)->line, line);
    assert_null(pn_prefetch_send(p));
    assert_false(pn_prefetch_ready(p));
    assert_int_equal(pn_level_look(&u.level, 500, false).settled, PN_SETTLED_MISS);
    /* 10 comes and is used, once; 11 is asked for on its way; 12 comes and is driven out */
    (void)pn_level_fill(&u.level, 10, false, true);
    pn_level_free(&u.level, pn_level_find(&u.level, 10));
    assert_true(pn_level_look(&u.level, 10, false).trigger);
    assert_false(pn_level_look(&u.level, 10, true).trigger);
    pn_look late = pn_level_look(&u.level, 11, false);
    assert_int_equal(late.settled, PN_SETTLED_MERGE);
    assert_true(late.trigger);
    assert_false(pn_level_look(&u.level, 11, false).trigger);
    (void)pn_level_fill(&u.level, 12, false, true);
    pn_level_free(&u.level, pn_level_find(&u.level, 12));
    for (uint64_t i = 1; i <= 4; i++)
        (void)pn_level_fill(&u.level, 12 + i * 16, false, false);
    s = pn_prefetch_stats_now(p);
    assert_int_equal(s.useful, 1);
    assert_int_equal(s.late, 1);
    assert_int_equal(s.useless, 1);
    assert_int_equal(s.dropped_present, 4);
    assert_int_equal(s.resident, 2);
    adds_up(&s);
    unit_free(&u);
}

static void one_register_is_always_open_to_prefetches(void **state)
{
    (void)state;
    unit u;
    unit_make(&u, 2, 40, 4);
    pn_prefetch_train(&u.prefetch, &(pn_prefetch_access){.line = 8, .trigger = true});
    assert_non_null(pn_prefetch_send(&u.prefetch));
    assert_null(pn_prefetch_send(&u.prefetch));
    unit_free(&u);
}

static void accuracy_is_that_of_the_last_window(void **state)
{
    (void)state;
    unit u;
    unit_make(&u, 4, 0, 4);
    pn_prefetch *p = &u.prefetch;
    assert_int_equal(pn_prefetch_accuracy_pct(p), 100);
    pn_prefetch_set_level(p, 0);
    /* three of four are used */
    for (uint64_t i = 0; i < PN_PREFETCH_WINDOW; i++) {
        u.level.prefetch.useful += i % 4 == 0;
        u.level.prefetch.late += i % 4 == 1 || i % 4 == 2;
        u.level.prefetch.useless += i % 4 == 3;
        assert_int_equal(pn_prefetch_accuracy_pct(p), 100);
        pn_prefetch_train(p, &(pn_prefetch_access){.line = 8});
    }
    assert_int_equal(pn_prefetch_accuracy_pct(p), 75);
    u.level.prefetch.useless += PN_PREFETCH_WINDOW;
    pn_prefetch_train(p, &(pn_prefetch_access){.line = 8});
    assert_int_equal(pn_prefetch_accuracy_pct(p), 0);
    assert_int_equal(u.level.prefetch.issued, 0);
    unit_free(&u);
}

/* ---- in the core ----------------------------------------------------------------------------- */

enum { R1 = 1, LINES = 20000 };

/* A stream of independent loads, one per line. */
static pn_core_result stream(const char *settings, double total_ns)
{
    machine m;
    machine_make(&m, settings, total_ns);
    for (uint64_t i = 0; i < 2 * LINES; i++) {
        if (i == LINES)
            machine_mark(&m);
        machine_step(&m, &(step){.load = true, .address = i * 64});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return r;
}

/* Streams, strides, stores and a chase, some of it reused. */
static pn_core_result mix(const char *settings)
{
    machine m;
    uint64_t line = 1;
    machine_make(&m, settings, 90.0);
    for (uint64_t i = 0; i < 60000; i++) {
        if (i == 25000)
            machine_mark(&m);
        line = machine_chase(line, 1 << 14);
        machine_step(&m, &(step){.load = true, .pc = 0x1000, .address = (i * 40) % (1 << 21)});
        machine_step(&m, &(step){.store = true, .pc = 0x1004, .address = (1 << 28) + i * 24});
        machine_step(&m, &(step){.load = i % 3 == 0,
                                 .dst = R1,
                                 .addr = R1,
                                 .pc = 0x1008,
                                 .address = (1 << 29) + line * 64});
        machine_step(
            &m,
            &(step){.load = i % 5 == 0, .pc = 0x100c, .address = (UINT64_C(1) << 31) - i * 192});
    }
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return r;
}

static const char *const PREFETCHERS[] = {
    "l1d_prefetch=stride",
    "l1d_prefetch=next-line l1d_prefetch_level=3",
    "l2_prefetch=stream l2_prefetch_level=3",
    "l2_prefetch=best-offset l2_prefetch_level=3",
    "l2_prefetch=spatial",
    "l1d_prefetch=stride l2_prefetch=stream l1d_prefetch_level=3 l2_prefetch_level=3",
    "l1d_prefetch=next-line l2_prefetch=spatial l1d_mshrs=6 l2_mshrs=8 l2_prefetch_queue=3",
};

enum { CONFIGURATIONS = sizeof PREFETCHERS / sizeof PREFETCHERS[0] };

static void all_zero(const pn_prefetch_stats *s)
{
    static const pn_prefetch_stats zero;
    assert_memory_equal(s, &zero, sizeof zero);
}

static void off_means_zero_everywhere(void **state)
{
    (void)state;
    static const char *const off[] = {"l1d_prefetch=none l2_prefetch=none",
                                      "l1d_prefetch=stride l1d_prefetch_level=0 "
                                      "l2_prefetch=best-offset l2_prefetch_level=0",
                                      "l1d_prefetch=next-line l1d_prefetch_level=0 "
                                      "l2_prefetch=spatial l2_prefetch_level=0"};
    uint64_t cycles = 0;
    for (int i = 0; i < 3; i++) {
        pn_core_result r = mix(off[i]);
        all_zero(&r.whole.l1d_prefetch);
        all_zero(&r.whole.l2_prefetch);
        assert_int_equal(r.whole.door.prefetch_reads, 0);
        assert_int_equal(r.whole.l2.prefetch_accesses, 0);
        assert_int_equal(r.whole.llc.prefetch_accesses, 0);
        assert_true(i == 0 || r.measured_cyc == cycles);
        cycles = r.measured_cyc;
    }
}

static uint64_t sent(const pn_prefetch_stats *s)
{
    return s->issued - pn_prefetch_dropped(s);
}

static void counters_of_prefetches_add_up(void **state)
{
    (void)state;
    for (int i = 0; i < CONFIGURATIONS; i++) {
        pn_core_result r = mix(PREFETCHERS[i]);
        const pn_core_counts *n = &r.whole;
        adds_up(&n->l1d_prefetch);
        adds_up(&n->l2_prefetch);
        adds_up(&r.warmup.l1d_prefetch);
        adds_up(&r.measured.l2_prefetch);
        assert_true(sent(&n->l1d_prefetch) + sent(&n->l2_prefetch) > 500);
        assert_int_equal(n->l1d.accesses + n->forwarded, n->loads + n->stores);
        assert_int_equal(n->l1d.accesses, n->l1d.hits + n->l1d.misses + n->l1d.merges);
        assert_int_equal(n->l2.prefetch_accesses, sent(&n->l1d_prefetch));
        assert_int_equal(n->l2.accesses, n->l1d.misses + n->l1i.misses + n->l2.prefetch_accesses);
        assert_int_equal(n->llc.accesses, n->l2.misses + sent(&n->l2_prefetch));
        assert_int_equal(n->llc.prefetch_accesses, n->l2.prefetch_misses + sent(&n->l2_prefetch));
        assert_int_equal(n->door.prefetch_reads, n->llc.prefetch_misses);
        assert_int_equal(n->door.reads, n->llc.misses);
        assert_int_equal(n->mem_lines, n->llc.misses);
        assert_int_equal(n->door.writes, n->llc.dirty_out);
    }
}

static double cycles_per_line(const char *settings, double ns)
{
    return (double)stream(settings, ns).measured_cyc / LINES;
}

static void a_stream_runs_at_the_bound_of_the_next_level(void **state)
{
    (void)state;
    /* 270 cycles: 16 L1 registers alone allow one line in 16.9 cycles, the 40 that L2's prefetches
     * may have one in 6.75; a frame's first lines are demand's. */
    double none = cycles_per_line("", 90.0);
    double l2 = cycles_per_line("l2_prefetch=stream l2_prefetch_level=3", 90.0);
    assert_float_equal(none, 270.0 / 16, 0.2);
    assert_true(l2 > 270.0 / 48 && l2 < 270.0 / 40 * 1.6);
    /* bounded by the link instead: 64 bytes at 4 per cycle */
    double link = cycles_per_line(
        "l2_prefetch=stream l2_prefetch_level=3 l2_fill_bytes_per_cycle=4 l1d_mshrs=12", 60.0);
    assert_float_equal(link, 16.0, 0.16);
    /* fewer registers, fewer lines: BW = outstanding x line / latency from L2's look on */
    double fewer = cycles_per_line("l2_prefetch=stream l2_prefetch_level=3 l2_mshrs=8 "
                                   "l2_prefetch_reserve=0 l1d_mshrs=8",
                                   90.0);
    assert_float_equal(fewer, (270.0 - 4.0) / 8, 0.01 * 266 / 8);
}

static void prefetchers_make_streams_faster(void **state)
{
    (void)state;
    double none = cycles_per_line("l1d_mshrs=6", 90.0);
    double best = none;
    static const char *const better[] = {"l1d_mshrs=6 l2_prefetch=stream l2_prefetch_level=1",
                                         "l1d_mshrs=6 l2_prefetch=stream l2_prefetch_level=2",
                                         "l1d_mshrs=6 l2_prefetch=stream l2_prefetch_level=3"};
    for (int i = 0; i < 3; i++) {
        double cycles = cycles_per_line(better[i], 90.0);
        assert_true(cycles < best);
        best = cycles;
    }
    assert_true(cycles_per_line("l1d_mshrs=6 l2_prefetch=best-offset", 90.0) < 0.6 * none);
    assert_true(cycles_per_line("l1d_mshrs=6 l2_prefetch=spatial", 90.0) < 0.6 * none);
}

/* Dependent loads of one line after the other. */
static pn_core_result walk(const char *settings, double total_ns)
{
    machine m;
    machine_make(&m, settings, total_ns);
    for (uint64_t i = 0; i < LINES; i++)
        machine_step(&m, &(step){.load = true, .dst = R1, .addr = R1, .address = i * 64});
    pn_core_result r = machine_finish(&m);
    machine_free(&m);
    return r;
}

static void a_late_prefetch_is_late_in_time(void **state)
{
    (void)state;
    /* Line n is used when it comes; a cycle later the prefetch of n + 1 leaves: the walk waits for
     * nearly all of each second latency, and for one whole at each page's beginning. */
    pn_core_result r = walk("l1d_prefetch=next-line l1d_prefetch_level=1", 90.0);
    double per_line = (double)r.measured_cyc / LINES;
    assert_true(r.whole.l1d_prefetch.late > LINES * 9 / 10);
    assert_true(per_line > 270.0 / 2 && per_line < 270.0 / 2 * 1.05);
    /* three times the latency: nothing else changes */
    double slow = (double)walk("l1d_prefetch=next-line l1d_prefetch_level=1", 270.0).measured_cyc;
    double ratio = slow / LINES / per_line;
    assert_true(ratio > 2.94 && ratio < 3.06);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_stride_of_three_lines_is_found_at_the_fourth_access),
        PN_TEST(a_stride_below_a_line_is_followed_line_by_line),
        PN_TEST(a_stride_survives_one_stray_access),
        PN_TEST(a_page_ends_every_prefetcher),
        PN_TEST(next_line_follows_what_would_have_missed),
        PN_TEST(a_stream_is_followed_up_and_down),
        PN_TEST(a_stream_stays_within_its_distance),
        PN_TEST(the_seventeenth_stream_takes_the_oldest_place),
        PN_TEST(best_offset_learns_the_smallest_offset_that_is_in_time),
        PN_TEST(the_footprint_of_a_region_is_recalled),
        PN_TEST(random_addresses_give_nothing),
        PN_TEST(level_zero_learns_and_proposes_nothing),
        PN_TEST(every_prefetch_ends_in_one_place),
        PN_TEST(one_register_is_always_open_to_prefetches),
        PN_TEST(accuracy_is_that_of_the_last_window),
        PN_TEST(off_means_zero_everywhere),
        PN_TEST(counters_of_prefetches_add_up),
        PN_TEST(a_stream_runs_at_the_bound_of_the_next_level),
        PN_TEST(prefetchers_make_streams_faster),
        PN_TEST(a_late_prefetch_is_late_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
