/* fuzz_restore.c - invented model states behind good frames: what panem_restore does when only the
 * meaning is damaged, and that whatever it accepts can be run, saved and restored again.
 *
 * Input. Byte 0 says which model (settings below), byte 1 how it is driven before its state is
 * taken: bits 0..6 times 3 requests; bit 7: what follows is the payload itself. Else it is a list
 * of damages, 10 bytes each: word of the payload (2 bytes, little-endian, modulo its length) and
 * the 8 bytes that replace it. The frame is mended in both cases. Counts at half the greatest
 * allowed and more are left out: a run could take them beyond.
 * Aborts when a refused restore changed the model, when an accepted state is written differently
 * than it was read, or when it cannot be read again after a run. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/fixture.h"
#include "base/hash.h"
#include "model/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_BYTES = 40, LENGTH_AT = 32, CHECK_BYTES = 8, DAMAGE_BYTES = 10 };

typedef struct setting {
    fix_shape set;
    panem_kind kind;
    panem_time_mode time_mode;
    uint32_t windows, sharers;
    panem_guard guard;
    panem_mix mix;
} setting;

static const setting SETTINGS[] = {
    {FIX_MANY, PANEM_KIND_PANEM, PANEM_TIME_ORDERED, 1, 1, PANEM_GUARD_COMPLETIONS,
     PANEM_MIX_LINEAR},
    {FIX_THREE, PANEM_KIND_PANEM, PANEM_TIME_ORDERED, 5, 8, PANEM_GUARD_OFF, PANEM_MIX_NEAREST},
    {FIX_THREE, PANEM_KIND_PANEM, PANEM_TIME_HORIZON, 2, 1, PANEM_GUARD_ARRIVALS, PANEM_MIX_LINEAR},
    {FIX_SLOW, PANEM_KIND_PANEM, PANEM_TIME_ORDERED, 1, 1, PANEM_GUARD_COMPLETIONS,
     PANEM_MIX_LINEAR},
    {FIX_ONE, PANEM_KIND_FIXED_HIGH, PANEM_TIME_ORDERED, 1, 1, PANEM_GUARD_OFF, PANEM_MIX_LINEAR},
    {FIX_ONE, PANEM_KIND_MD1, PANEM_TIME_ORDERED, 1, 1, PANEM_GUARD_OFF, PANEM_MIX_LINEAR},
    {FIX_THREE, PANEM_KIND_MESS, PANEM_TIME_ORDERED, 1, 2, PANEM_GUARD_OFF, PANEM_MIX_LINEAR},
    {FIX_ONE, PANEM_KIND_MG1, PANEM_TIME_ORDERED, 1, 1, PANEM_GUARD_OFF, PANEM_MIX_LINEAR},
    {FIX_ONE, PANEM_KIND_NEXTFREE, PANEM_TIME_ORDERED, 1, 1, PANEM_GUARD_OFF, PANEM_MIX_LINEAR},
};
enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

typedef struct state {
    unsigned char *bytes;
    size_t size;
} state;

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void *need(size_t size)
{
    void *memory = malloc(size ? size : 1);
    must(memory != NULL);
    return memory;
}

static panem_model *model_of(const setting *s, const panem_curves *set)
{
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.kind = s->kind;
    o.time_mode = s->time_mode;
    o.windows = s->windows;
    o.sharers = s->sharers;
    o.guard = s->guard;
    o.relation.mix = s->mix;
    o.ring_windows = 16;
    o.peers.curve_window_size = 20;
    o.peers.phase_length = 500;
    o.peers.num_outstanding = 3;
    panem_model *m = NULL;
    must(panem_model_create(&m, set, &o, NULL) == PANEM_OK);
    return m;
}

static state save(const panem_model *m)
{
    state s = {NULL, 0};
    must(panem_save(m, NULL, 0, &s.size) == PANEM_E_SPACE);
    s.bytes = need(s.size);
    must(panem_save(m, s.bytes, s.size, &s.size) == PANEM_OK);
    return s;
}

static bool same(const state *a, const state *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* Gaps from nothing to several windows, all sizes up to 4 KiB, both kinds. Returns how many calls
 * did not end well: a forged state may be busy, or at the end of time. */
static unsigned drive(panem_model *m, uint64_t from_ps, unsigned requests)
{
    uint64_t t = from_ps;
    unsigned refused = 0;
    for (unsigned i = 0; i < requests; i++) {
        t += i % 7 ? 900 * (i % 5) : 130000 * (i % 11);
        panem_request q = {t, 64 * i, 1 + i * 37 % 4096, i % 3 == 2, 0};
        panem_response answer;
        if (i % 5 == 4)
            refused += panem_advance(m, t - t % 520000) != PANEM_OK;
        refused += panem_access(m, &answer, &q) != PANEM_OK;
    }
    return refused;
}

static void put_u64(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

static void mend(state *s)
{
    put_u64(s->bytes + LENGTH_AT, s->size - HEADER_BYTES - CHECK_BYTES);
    put_u64(s->bytes + s->size - CHECK_BYTES,
            pn_hash_bytes(PN_HASH_START, s->bytes, s->size - CHECK_BYTES));
}

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static bool near_limit(uint64_t count)
{
    return count >= PN_COUNT_MAX / 2 && count <= PN_COUNT_MAX;
}

static bool any_near_limit(const state *s)
{
    for (size_t at = HEADER_BYTES; at + 8 <= s->size - CHECK_BYTES; at += 8)
        if (near_limit(get_u64(s->bytes + at)))
            return true;
    return false;
}

static state damaged(const state *good, bool whole, const uint8_t *data, size_t size)
{
    state s = *good;
    if (whole)
        s.size = HEADER_BYTES + size + CHECK_BYTES;
    s.bytes = need(s.size);
    memcpy(s.bytes, good->bytes, whole ? HEADER_BYTES : good->size);
    size_t words = (good->size - HEADER_BYTES - CHECK_BYTES) / 8;
    if (whole && size > 0)
        memcpy(s.bytes + HEADER_BYTES, data, size);
    for (; !whole && size >= DAMAGE_BYTES; data += DAMAGE_BYTES, size -= DAMAGE_BYTES)
        memcpy(s.bytes + HEADER_BYTES + 8 * ((data[0] + 256u * data[1]) % words), data + 2, 8);
    mend(&s);
    return s;
}

/* What the state allows: a run, far times, idle stretches; then it is saved and read again. */
static void run(const setting *s, const panem_curves *set, panem_model *m)
{
    panem_state now;
    panem_stats stats;
    panem_peek(m, &now);
    (void)drive(m, now.window_start_ps, 60);
    panem_peek(m, &now);
    panem_stats_get(m, &stats);
    (void)drive(m, now.window_start_ps + UINT64_C(3000000000), 30);
    state before = save(m);
    panem_model *other = model_of(s, set);
    must(panem_restore(other, before.bytes, before.size, NULL) == PANEM_OK);
    state after = save(other);
    must(same(&before, &after));
    free(after.bytes);
    free(before.bytes);
    panem_model_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static panem_curves *sets[FIX_COUNT];
    if (size < 2)
        return 0;
    const setting *s = &SETTINGS[data[0] % SETTING_COUNT];
    if (!sets[s->set])
        sets[s->set] = fix_set(s->set, NULL);
    panem_model *m = model_of(s, sets[s->set]);
    (void)drive(m, 0, 3u * (data[1] & 127));
    state good = save(m);
    state bad = damaged(&good, data[1] >> 7, data + 2, size - 2);
    bool accepted =
        !any_near_limit(&bad) && panem_restore(m, bad.bytes, bad.size, NULL) == PANEM_OK;
    state now = save(m);
    must(same(&now, accepted ? &bad : &good));
    if (accepted)
        run(s, sets[s->set], m);
    free(now.bytes);
    free(bad.bytes);
    free(good.bytes);
    panem_model_destroy(m);
    return 0;
}
