/* Every status a model can answer with, provoked; outputs keep what they held. */
#include "../cmocka_pn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../ref/drive.h"
#include "../ref/fixture.h"

static panem_model *model_of(const panem_curves *set, const panem_model_options *options)
{
    panem_model *m = NULL;
    if (panem_model_create(&m, set, options, NULL) != PANEM_OK)
        fail_msg("model refused");
    return m;
}

/* Changes one option; the message must name what must be named. */
typedef struct bad_option {
    const char *word;
    void (*spoil)(panem_model_options *o);
} bad_option;

#define SPOIL(name, statement)               \
    static void name(panem_model_options *o) \
    {                                        \
        statement;                           \
    }
SPOIL(size, o->size = 8)
SPOIL(kind, o->kind = (panem_kind)77)
SPOIL(beyond, o->relation.beyond = (panem_beyond)2)
SPOIL(mix, o->relation.mix = (panem_mix)2)
SPOIL(short_window, o->window_ps = 999)
SPOIL(long_window, o->window_ps = UINT64_C(10000000001))
SPOIL(many_windows, o->windows = 65537)
SPOIL(no_sharers, o->sharers = 0)
SPOIL(many_sharers, o->sharers = 65537)
SPOIL(guard, o->guard = (panem_guard)3)
SPOIL(slack, o->guard_slack_ps = UINT64_C(10000000001))
SPOIL(looks, o->looks = 65)
SPOIL(time_mode, o->time_mode = (panem_time_mode)2)
SPOIL(odd_ring, o->ring_windows = 1000)
SPOIL(small_ring, o->ring_windows = 8)
SPOIL(large_ring, o->ring_windows = 131072)
SPOIL(zero_ring, o->ring_windows = 0)
SPOIL(endless_ring, (o->window_ps = UINT64_C(10000000000), o->ring_windows = 65536))
SPOIL(ring_below_idle, (o->window_ps = 1000, o->ring_windows = 16))
SPOIL(cbusy_by, o->cbusy_by = (panem_cbusy_by)2)
SPOIL(level_zero, o->cbusy_enter[0] = 0.0)
SPOIL(levels_fall, o->cbusy_enter[1] = 0.4)
SPOIL(level_nan, o->cbusy_enter[1] = (double)NAN)
SPOIL(level_inf, o->cbusy_enter[2] = (double)INFINITY)
SPOIL(hysteresis, o->cbusy_hysteresis = 0.6)
SPOIL(hysteresis_nan, o->cbusy_hysteresis = (double)NAN)
SPOIL(hysteresis_sticks, o->cbusy_hysteresis = 0.5)

static const bad_option BAD_OPTIONS[] = {
    {"size", size},
    {"kind", kind},
    {"relation", beyond},
    {"relation", mix},
    {"window_ps", short_window},
    {"window_ps", long_window},
    {"windows", many_windows},
    {"sharers", no_sharers},
    {"sharers", many_sharers},
    {"guard", guard},
    {"guard_slack_ps", slack},
    {"looks", looks},
    {"time_mode", time_mode},
    {"ring_windows", odd_ring},
    {"ring_windows", small_ring},
    {"ring_windows", large_ring},
    {"ring_windows", zero_ring},
    {"ring_windows", endless_ring},
    {"ring_windows", ring_below_idle},
    {"cbusy_by", cbusy_by},
    {"cbusy_enter", level_zero},
    {"cbusy_enter", levels_fall},
    {"cbusy_enter", level_nan},
    {"cbusy_enter", level_inf},
    {"cbusy_hysteresis", hysteresis},
    {"cbusy_hysteresis", hysteresis_nan},
    {"cbusy_hysteresis", hysteresis_sticks},
};

static void a_bad_option_is_refused_by_name(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    for (size_t i = 0; i < sizeof BAD_OPTIONS / sizeof BAD_OPTIONS[0]; i++) {
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        BAD_OPTIONS[i].spoil(&o);
        panem_model *m = (panem_model *)&o;
        panem_error err = PANEM_ERROR_INIT;
        assert_int_equal(panem_model_create(&m, set, &o, &err), PANEM_E_ARG);
        assert_ptr_equal(m, &o);
        assert_int_equal(err.status, PANEM_E_ARG);
        if (!strstr(err.message, BAD_OPTIONS[i].word))
            fail_msg("option %zu: \"%s\" does not name %s", i, err.message, BAD_OPTIONS[i].word);
        assert_int_equal(panem_model_create(&m, set, &o, NULL), PANEM_E_ARG);
    }
    panem_model *m = NULL;
    assert_int_equal(panem_model_create(&m, NULL, NULL, NULL), PANEM_E_ARG);
    panem_curves_destroy(set);
}

static void bad_options_stand_for_no_windows(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    assert_true(panem_windows_effective(set, &o) >= 1);
    o.windows = 7;
    assert_int_equal(panem_windows_effective(set, &o), 7);
    o.sharers = 0;
    assert_int_equal(panem_windows_effective(set, &o), 0);
    panem_curves_destroy(set);
}

/* The horizon grows with the sharers and holds 512 lines of 64 bytes at peak / sharers. */
static void the_default_horizon_holds_512_lines_of_the_share(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL); /* peak 100 GB/s: 0.64 ns a line */
    static const uint32_t sharers[] = {1, 2, 3, 8, 96, 192};
    for (int i = 0; i < 6; i++) {
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.sharers = sharers[i];
        uint64_t need_ps = UINT64_C(512) * 640 * sharers[i];
        uint64_t want = (need_ps + o.window_ps - 1) / o.window_ps;
        uint32_t got = panem_windows_effective(set, &o);
        assert_true(got == want || got == want + 1); /* one more by rounding of the peak at most */
    }
    panem_curves_destroy(set);
}

/* ---- access and advance ---- */

static void untouched(const panem_response *a)
{
    assert_true(a->ack_ps == 1 && a->done_ps == 2 && a->retry_ps == 3 && a->cbusy == 4);
}

static void a_bad_request_is_an_argument_error_for_every_kind(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    static const panem_request bad[] = {
        {0, 0, 0, PANEM_READ, 0},           {0, 0, 1048577, PANEM_READ, 0},
        {0, 0, UINT32_MAX, PANEM_WRITE, 0}, {0, 0, 64, 2, 0},
        {0, 0, 64, UINT32_MAX, 0},          {(UINT64_C(1) << 62) + 1, 0, 64, PANEM_READ, 0},
        {UINT64_MAX, 0, 64, PANEM_READ, 0},
    };
    for (int kind = PANEM_KIND_PANEM; kind <= PANEM_KIND_NEXTFREE; kind++) {
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.kind = (panem_kind)kind;
        panem_model *m = model_of(set, &o);
        for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
            panem_response a = {1, 2, 3, 4};
            assert_int_equal(panem_access(m, &a, &bad[i]), PANEM_E_ARG);
            untouched(&a);
        }
        assert_int_equal(panem_advance(m, (UINT64_C(1) << 62) + 1), PANEM_E_ARG);
        panem_stats s;
        panem_stats_get(m, &s);
        assert_true(s.read_requests + s.write_requests == 0);
        static const panem_request ends[] = {{0, 0, 1, PANEM_READ, 0}, {0, 0, 1048576, 1, 0}};
        for (int i = 0; i < 2; i++) {
            panem_response a;
            assert_int_equal(panem_access(m, &a, &ends[i]), PANEM_OK);
        }
        panem_model_destroy(m);
    }
    panem_curves_destroy(set);
}

static void time_before_the_open_window_is_an_error(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    for (int mode = 0; mode < 2; mode++) {
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.time_mode = (panem_time_mode)mode;
        panem_model *m = model_of(set, &o);
        assert_int_equal(panem_advance(m, 5 * o.window_ps + 17), PANEM_OK);
        panem_response a = {1, 2, 3, 4};
        panem_request q = {5 * o.window_ps - 1, 0, 64, PANEM_READ, 0};
        assert_int_equal(panem_access(m, &a, &q), PANEM_E_TIME);
        untouched(&a);
        assert_int_equal(panem_advance(m, 5 * o.window_ps - 1), PANEM_E_TIME);
        q.time_ps = 5 * o.window_ps;
        assert_int_equal(panem_access(m, &a, &q), PANEM_OK);
        assert_int_equal(panem_advance(m, 5 * o.window_ps), PANEM_OK);
        panem_model_destroy(m);
    }
    panem_curves_destroy(set);
}

/* A ring of 16 windows of 60 ns ends before the latency of a crowd: the retry time is honest. */
static void a_completion_beyond_the_ring_is_busy_until_the_retry_time(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.window_ps = 60000;
    o.ring_windows = 16;
    o.windows = 1;
    o.guard = PANEM_GUARD_OFF;
    panem_model *m = model_of(set, &o);
    panem_request q = {0, 0, 4096, PANEM_READ, 0};
    panem_response a = {1, 2, 3, 4};
    panem_status status = PANEM_OK;
    for (int i = 0; i < 100000 && status == PANEM_OK; i++) {
        status = panem_access(m, &a, &q);
        q.time_ps += status == PANEM_OK ? 1000 : 0;
    }
    assert_int_equal(status, PANEM_BUSY);
    panem_stats s;
    panem_stats_get(m, &s);
    assert_true(s.busy_answers == 1);
    uint64_t retry_ps = a.retry_ps;
    assert_true(retry_ps > q.time_ps && retry_ps % o.window_ps == 0);
    a.ack_ps = 1;
    a.done_ps = 2;
    assert_int_equal(panem_access(m, &a, &q), PANEM_BUSY);
    assert_true(a.ack_ps == 1 && a.done_ps == 2 && a.retry_ps == retry_ps && a.cbusy <= 3);
    for (int i = 0; i < 1000 && status == PANEM_BUSY; i++) {
        q.time_ps = a.retry_ps;
        status = panem_access(m, &a, &q);
    }
    assert_int_equal(status, PANEM_OK);
    assert_true(a.retry_ps == 0);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void early_acknowledgement_frees_the_writer_alone(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_ONE, NULL);
    for (int early = 0; early < 2; early++)
        for (int kind = PANEM_KIND_PANEM; kind <= PANEM_KIND_NEXTFREE; kind++) {
            panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
            o.kind = (panem_kind)kind;
            o.early_write_ack = (uint32_t)early;
            panem_model *m = model_of(set, &o);
            panem_request q = {1234, 0, 64, PANEM_WRITE, 0};
            panem_response a;
            assert_int_equal(panem_access(m, &a, &q), PANEM_OK);
            assert_true(a.done_ps > q.time_ps);
            assert_true(a.ack_ps == (early ? q.time_ps : a.done_ps));
            q.kind = PANEM_READ;
            assert_int_equal(panem_access(m, &a, &q), PANEM_OK);
            assert_true(a.ack_ps == a.done_ps);
            panem_model_destroy(m);
        }
    panem_curves_destroy(set);
}

/* ---- save and restore ---- */

static const drive_load TRAFFIC = {0, 20000000, 700, 64, 66, 1, 31};

typedef struct blob {
    unsigned char *bytes;
    size_t size;
} blob;

static blob saved(const panem_model *m)
{
    blob b = {NULL, 0};
    assert_int_equal(panem_save(m, NULL, 0, &b.size), PANEM_E_SPACE);
    b.bytes = malloc(b.size);
    assert_non_null(b.bytes);
    size_t size = 0;
    assert_int_equal(panem_save(m, b.bytes, b.size, &size), PANEM_OK);
    assert_true(size == b.size);
    return b;
}

static void still_is(const panem_model *m, const blob *before)
{
    blob now = saved(m);
    assert_true(now.size == before->size && memcmp(now.bytes, before->bytes, now.size) == 0);
    free(now.bytes);
}

static void a_small_buffer_is_told_the_size_and_left_alone(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    panem_model *m = model_of(set, NULL);
    drive_open(m, &TRAFFIC);
    blob whole = saved(m);
    unsigned char *small = malloc(whole.size);
    assert_non_null(small);
    memset(small, 0x77, whole.size);
    size_t size = 0;
    assert_int_equal(panem_save(m, small, whole.size - 1, &size), PANEM_E_SPACE);
    assert_true(size == whole.size);
    for (size_t i = 0; i < whole.size; i++)
        assert_true(small[i] == 0x77);
    free(small);
    free(whole.bytes);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void refused(panem_model *m, const unsigned char *bytes, size_t size, panem_status want)
{
    blob before = saved(m);
    panem_error err = PANEM_ERROR_INIT;
    assert_int_equal(panem_restore(m, bytes, size, &err), want);
    assert_int_equal(err.status, want);
    assert_true(err.message[0] != 0);
    still_is(m, &before);
    free(before.bytes);
}

/* Each kind of model: every byte flipped, every length cut, and one byte more. */
static void a_damaged_state_is_never_taken(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_THREE, NULL);
    for (int kind = PANEM_KIND_PANEM; kind <= PANEM_KIND_NEXTFREE; kind++) {
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.kind = (panem_kind)kind;
        o.windows = 2;
        panem_model *m = model_of(set, &o);
        drive_open(m, &TRAFFIC);
        blob good = saved(m);
        unsigned char *bad = malloc(good.size + 1);
        assert_non_null(bad);
        for (size_t i = 0; i < good.size; i++) {
            memcpy(bad, good.bytes, good.size);
            bad[i] ^= (unsigned char)(1u << (i % 8));
            refused(m, bad, good.size, i / 8 == 1 ? PANEM_E_VERSION : PANEM_E_DAMAGED);
        }
        memcpy(bad, good.bytes, good.size);
        bad[good.size] = 0;
        refused(m, bad, good.size + 1, PANEM_E_DAMAGED);
        for (size_t n = 0; n < good.size; n++)
            refused(m, good.bytes, n, PANEM_E_DAMAGED);
        assert_int_equal(panem_restore(m, good.bytes, good.size, NULL), PANEM_OK);
        free(bad);
        free(good.bytes);
        panem_model_destroy(m);
    }
    panem_curves_destroy(set);
}

static void another_curve_set_is_a_mismatch(void **state)
{
    (void)state;
    panem_curves *a = fix_set(FIX_ONE, NULL);
    panem_curves *b = fix_set(FIX_THREE, NULL);
    panem_model *ma = model_of(a, NULL);
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.windows = panem_windows_effective(a, &o);
    panem_model *mb = model_of(b, &o);
    blob state_a = saved(ma);
    refused(mb, state_a.bytes, state_a.size, PANEM_E_MISMATCH);
    free(state_a.bytes);
    panem_model_destroy(ma);
    panem_model_destroy(mb);
    panem_curves_destroy(a);
    panem_curves_destroy(b);
}

SPOIL(other_kind, o->kind = PANEM_KIND_FIXED_HIGH)
SPOIL(other_beyond, o->relation.beyond = PANEM_BEYOND_PAPER)
SPOIL(other_mix, o->relation.mix = PANEM_MIX_NEAREST)
SPOIL(other_window, o->window_ps = 210000)
SPOIL(other_windows, o->windows = 5)
SPOIL(other_sharers, o->sharers = 2)
SPOIL(other_guard, o->guard = PANEM_GUARD_OFF)
SPOIL(other_slack, o->guard_slack_ps = 1)
SPOIL(other_looks, o->looks = 3)
SPOIL(other_compensation, o->guard_compensation = !o->guard_compensation)
SPOIL(other_time, o->time_mode = PANEM_TIME_HORIZON)
SPOIL(other_ack, o->early_write_ack = !o->early_write_ack)
SPOIL(other_ring, o->ring_windows = 512)
SPOIL(other_cbusy_by, o->cbusy_by = PANEM_CBUSY_BY_BANDWIDTH)
SPOIL(other_enter_0, o->cbusy_enter[0] = 0.4)
SPOIL(other_enter_1, o->cbusy_enter[1] = 0.7)
SPOIL(other_enter_2, o->cbusy_enter[2] = 0.95)
SPOIL(other_hysteresis, o->cbusy_hysteresis = 0.1)

static void any_other_option_is_a_mismatch(void **state)
{
    (void)state;
    static void (*const others[])(panem_model_options *) = {
        other_kind,         other_beyond,     other_mix,     other_window,  other_windows,
        other_sharers,      other_guard,      other_slack,   other_time,    other_ack,
        other_compensation, other_ring,       other_enter_0, other_enter_1, other_enter_2,
        other_cbusy_by,     other_hysteresis, other_looks};
    panem_curves *set = fix_set(FIX_ONE, NULL);
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.windows = 4;
    panem_model *m = model_of(set, &o);
    drive_open(m, &TRAFFIC);
    blob state_m = saved(m);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        panem_model_options p = o;
        others[i](&p);
        panem_model *other = model_of(set, &p);
        refused(other, state_m.bytes, state_m.size, PANEM_E_MISMATCH);
        panem_model_destroy(other);
    }
    free(state_m.bytes);
    panem_model_destroy(m);
    panem_curves_destroy(set);
}

static void every_status_has_a_text(void **state)
{
    (void)state;
#define HAS_TEXT(name, value, text)                             \
    assert_string_equal(panem_status_text(PANEM_##name), text); \
    assert_int_equal(PANEM_##name, value);
    PANEM_STATUS_LIST(HAS_TEXT)
#undef HAS_TEXT
    assert_string_equal(panem_status_text((panem_status)99), "unknown status");
    assert_string_equal(panem_version(), PANEM_VERSION_STRING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_bad_option_is_refused_by_name),
        PN_TEST(bad_options_stand_for_no_windows),
        PN_TEST(the_default_horizon_holds_512_lines_of_the_share),
        PN_TEST(a_bad_request_is_an_argument_error_for_every_kind),
        PN_TEST(time_before_the_open_window_is_an_error),
        PN_TEST(a_completion_beyond_the_ring_is_busy_until_the_retry_time),
        PN_TEST(early_acknowledgement_frees_the_writer_alone),
        PN_TEST(a_small_buffer_is_told_the_size_and_left_alone),
        PN_TEST(a_damaged_state_is_never_taken),
        PN_TEST(another_curve_set_is_a_mismatch),
        PN_TEST(any_other_option_is_a_mismatch),
        PN_TEST(every_status_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
