/* peer_drive.c - see peer_drive.h. */
#include "peer_drive.h"

#include "../cmocka_pn.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/fixture.h"
#include "base/hash.h"
#include "base/rng.h"

enum { LINE_BYTES = 64, STATE_MAX = 1 << 20, CHECK_BYTES = 8 };

panem_curves *drive_round_set(void)
{
    return fix_parse("read_pct,bandwidth_gbs,latency_ns\n100,64,100\n");
}

panem_model_options drive_options(panem_kind kind)
{
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.kind = kind;
    return o;
}

panem_model *drive_model(const panem_curves *set, const panem_model_options *options)
{
    panem_model *model = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (panem_model_create(&model, set, options, &err) != PANEM_OK)
        fail_msg("%s", err.message);
    return model;
}

uint64_t drive_ask_bytes(panem_model *model, uint64_t time_ps, uint32_t kind, uint32_t bytes)
{
    panem_request q = {time_ps, 0, bytes, kind, 0};
    panem_response r = {0, 0, 1, 7};
    assert_int_equal(panem_access(model, &r, &q), PANEM_OK);
    assert_int_equal(r.retry_ps, 0);
    assert_int_equal(r.cbusy, 0);
    assert_true(r.ack_ps == r.done_ps && r.done_ps >= time_ps);
    return r.done_ps - time_ps;
}

uint64_t drive_ask(panem_model *model, uint64_t time_ps, uint32_t kind)
{
    return drive_ask_bytes(model, time_ps, kind, LINE_BYTES);
}

/* ---- closed loop ---- */

static void sift_down(uint64_t *heap, uint32_t count)
{
    uint32_t at = 0;
    for (;;) {
        uint32_t least = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++)
            if (heap[child] < heap[least])
                least = child;
        if (least == at)
            return;
        uint64_t swapped = heap[at];
        heap[at] = heap[least];
        heap[least] = swapped;
        at = least;
    }
}

static drive_loop summarize(const double *ns, uint64_t count, double span_ns)
{
    drive_loop r = {0.0, 0.0, 0.0, 0};
    uint64_t from = count / 2;
    double n = (double)(count - from);
    for (uint64_t i = from; i < count; i++)
        r.mean_ns += ns[i] / n;
    for (uint64_t i = from; i < count; i++)
        r.sd_ns += (ns[i] - r.mean_ns) * (ns[i] - r.mean_ns) / n;
    r.sd_ns = sqrt(r.sd_ns);
    for (uint64_t i = 0; i < count; i++)
        if (fabs(ns[i] / r.mean_ns - 1.0) > 0.05)
            r.settled_at = i + 1;
    r.gbs = n * LINE_BYTES / span_ns;
    return r;
}

/* The heap holds when each request in flight is done; the root is answered by the next one. Starts
 * are 1 ns apart. */
drive_loop drive_closed_loop(panem_model *model, uint32_t in_flight, uint64_t accesses)
{
    uint64_t *heap = malloc(in_flight * sizeof *heap);
    double *ns = malloc(accesses * sizeof *ns);
    uint64_t half_ps = 0;
    uint64_t t = 0;
    assert_true(heap && ns);
    for (uint32_t i = 0; i < in_flight; i++)
        heap[i] = (i + 1) * UINT64_C(1000);
    for (uint64_t i = 0; i < accesses; i++) {
        t = heap[0];
        if (i == accesses / 2)
            half_ps = t;
        uint64_t latency_ps = drive_ask(model, t, PANEM_READ);
        ns[i] = (double)latency_ps / 1000.0;
        heap[0] = t + latency_ps;
        sift_down(heap, in_flight);
    }
    drive_loop r = summarize(ns, accesses, (double)(t - half_ps) / 1000.0);
    free(heap);
    free(ns);
    return r;
}

/* ---- saved states ---- */

typedef struct walk {
    pn_rng rng;
    uint64_t now_ps;
} walk;

/* Bursts, gaps up to 40 us, steps back of up to 100 ns, sizes up to 1 kB. */
static uint64_t step(walk *w, panem_model *model)
{
    uint64_t what = pn_rng_below(&w->rng, 100);
    if (what < 60)
        w->now_ps += pn_rng_below(&w->rng, 2000);
    else if (what < 62)
        w->now_ps += pn_rng_below(&w->rng, 40000000);
    uint64_t back_ps = what >= 95 ? pn_rng_below(&w->rng, 100000) : 0;
    uint64_t t = back_ps < w->now_ps ? w->now_ps - back_ps : 0;
    uint32_t kind = pn_rng_below(&w->rng, 3) == 0 ? PANEM_WRITE : PANEM_READ;
    if (what == 70)
        assert_int_equal(panem_advance(model, w->now_ps), PANEM_OK);
    return drive_ask_bytes(model, t, kind, 1 + (uint32_t)pn_rng_below(&w->rng, 1000));
}

static unsigned char *saved(const panem_model *model, size_t *size)
{
    unsigned char *bytes = malloc(STATE_MAX);
    assert_non_null(bytes);
    assert_int_equal(panem_save(model, NULL, 0, size), PANEM_E_SPACE);
    assert_true(*size <= STATE_MAX);
    assert_int_equal(panem_save(model, bytes, STATE_MAX, size), PANEM_OK);
    return bytes;
}

static void expect_same_state(const panem_model *a, const panem_model *b)
{
    size_t sizes[2];
    unsigned char *x = saved(a, &sizes[0]);
    unsigned char *y = saved(b, &sizes[1]);
    panem_state s, t;
    panem_peek(a, &s);
    panem_peek(b, &t);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(x, y, sizes[0]);
    assert_true(s.latency_ps == t.latency_ps && s.utilization_frac == t.utilization_frac);
    assert_true(isfinite(s.utilization_frac) && isfinite(s.bandwidth_bytes_per_s));
    free(x);
    free(y);
}

/* Every payload word in turn becomes all ones, with a checksum that fits: refused, or a state that
 * works. */
static void damage(panem_model *model, const unsigned char *bytes, size_t size)
{
    enum { HEADER_BYTES = 40 };
    size_t before_size;
    unsigned char *before = saved(model, &before_size);
    unsigned char *bad = malloc(size);
    assert_non_null(bad);
    for (size_t at = HEADER_BYTES; at < size - CHECK_BYTES; at += 8) {
        memcpy(bad, bytes, size);
        memset(bad + at, 0xff, 8);
        uint64_t check = pn_hash_bytes(PN_HASH_START, bad, size - CHECK_BYTES);
        for (int i = 0; i < CHECK_BYTES; i++)
            bad[size - CHECK_BYTES + (size_t)i] = (unsigned char)(check >> (8 * i));
        if (panem_restore(model, bad, size, NULL) == PANEM_OK)
            (void)drive_ask(model, 1000, PANEM_READ);
        else
            continue;
        assert_int_equal(panem_restore(model, before, before_size, NULL), PANEM_OK);
    }
    size_t after_size;
    unsigned char *after = saved(model, &after_size);
    assert_int_equal(after_size, before_size);
    assert_memory_equal(after, before, before_size);
    assert_int_equal(panem_restore(model, bytes, size - 1, NULL), PANEM_E_DAMAGED);
    free(before);
    free(bad);
    free(after);
}

void drive_check_saving(const panem_curves *set, const panem_model_options *options)
{
    enum { STEPS = 20000, DAMAGE_AT = 300 };
    panem_model *whole = drive_model(set, options);
    panem_model *second = drive_model(set, options);
    walk w = {.now_ps = 0};
    pn_rng_init(&w.rng, 11, 0);
    for (int i = 0; i < STEPS / 2; i++) {
        if (i == DAMAGE_AT) {
            size_t size;
            unsigned char *bytes = saved(whole, &size);
            damage(second, bytes, size);
            free(bytes);
        }
        (void)step(&w, whole);
    }
    size_t size;
    unsigned char *bytes = saved(whole, &size);
    assert_int_equal(panem_restore(second, bytes, size, NULL), PANEM_OK);
    expect_same_state(whole, second);
    walk v = w;
    for (int i = 0; i < STEPS / 2; i++)
        assert_int_equal(step(&w, whole), step(&v, second));
    expect_same_state(whole, second);
    panem_model *fresh = drive_model(set, options);
    panem_reset(second);
    expect_same_state(fresh, second);
    free(bytes);
    panem_model_destroy(whole);
    panem_model_destroy(second);
    panem_model_destroy(fresh);
}

/* ---- interface ---- */

void drive_check_interface(const panem_curves *set, panem_kind kind)
{
    panem_model_options o = drive_options(kind);
    panem_model *model = NULL;
    o.time_mode = PANEM_TIME_HORIZON;
    assert_int_equal(panem_model_create(&model, set, &o, NULL), PANEM_E_ARG);
    assert_null(model);
    o.time_mode = PANEM_TIME_ORDERED;
    o.early_write_ack = 1;
    model = drive_model(set, &o);
    panem_response r = {1, 2, 3, 4};
    const panem_request bad[] = {{0, 0, 0, PANEM_READ, 0},
                                 {0, 0, (1 << 20) + 1, PANEM_READ, 0},
                                 {0, 0, 64, 2, 0},
                                 {(UINT64_C(1) << 62) + 1, 0, 64, PANEM_READ, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(panem_access(model, &r, &bad[i]), PANEM_E_ARG);
    assert_true(r.ack_ps == 1 && r.done_ps == 2 && r.retry_ps == 3 && r.cbusy == 4);
    const panem_request write = {5000000, 0, 64, PANEM_WRITE, 0};
    assert_int_equal(panem_access(model, &r, &write), PANEM_OK);
    assert_true(r.ack_ps == 5000000 && r.done_ps >= 5000000 + 90000);
    assert_int_equal(panem_advance(model, UINT64_C(1) << 62), PANEM_OK);
    assert_int_equal(panem_advance(model, 5), PANEM_OK);
    assert_int_equal(panem_advance(model, (UINT64_C(1) << 62) + 1), PANEM_E_ARG);
    assert_true(drive_ask(model, 4000000, PANEM_READ) >= 90000);
    assert_true(drive_ask(model, UINT64_C(1) << 62, PANEM_READ) >= 90000);
    panem_stats s;
    panem_stats_get(model, &s);
    assert_int_equal(s.read_requests, 2);
    assert_int_equal(s.write_requests, 1);
    assert_int_equal(s.read_bytes + s.write_bytes, 3 * 64);
    panem_model_destroy(model);
}
