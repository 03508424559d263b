/* Memory: every allocation may fail, nothing leaks, and the access path asks for none. */
#include "../cmocka_pn.h"

#include <stdlib.h>
#include <string.h>

#include "../ref/counting.h"
#include "../ref/drive.h"
#include "../ref/fixture.h"

/* The linker sends every malloc of this program's own objects here (--wrap). */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static size_t heap_calls;

void *__wrap_malloc(size_t size)
{
    heap_calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    heap_calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    heap_calls++;
    return __real_realloc(memory, size);
}

static const char *const CSV = "# name: memory test\n# source: none\n"
                               "read_pct,bandwidth_gbs,latency_ns\n"
                               "0,1,100\n0,30,120\n0,50,200\n0,48,300\n"
                               "50,1,95\n50,40,110\n50,70,210\n"
                               "100,1,90\n100,50,100\n100,90,220\n";

enum { MODES = 7 };

static panem_model_options options_of(int mode)
{
    static const panem_kind kinds[MODES] = {
        PANEM_KIND_PANEM, PANEM_KIND_PANEM, PANEM_KIND_FIXED_HIGH, PANEM_KIND_MD1,
        PANEM_KIND_MESS,  PANEM_KIND_MG1,   PANEM_KIND_NEXTFREE};
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.kind = kinds[mode];
    o.time_mode = mode == 1 ? PANEM_TIME_HORIZON : PANEM_TIME_ORDERED;
    return o;
}

/* Set and model made with the n-th allocation failing, for every n until none does. */
static void every_allocation_may_fail_and_nothing_leaks(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        panem_status status = PANEM_E_NOMEM;
        size_t n = 0;
        while (status != PANEM_OK) {
            counting c;
            counting_init(&c);
            c.fail_at = ++n;
            panem_curves_options curves = PANEM_CURVES_OPTIONS_INIT;
            curves.allocator = &c.allocator;
            panem_curves *set = NULL;
            panem_model *m = NULL;
            panem_error err = PANEM_ERROR_INIT;
            panem_model_options o = options_of(mode);
            status = panem_curves_parse(&set, CSV, strlen(CSV), "memory", &curves, &err);
            if (status == PANEM_OK)
                status = panem_model_create(&m, set, &o, &err);
            if (status != PANEM_OK) {
                assert_int_equal(status, PANEM_E_NOMEM);
                assert_int_equal(err.status, PANEM_E_NOMEM);
                assert_null(m);
            }
            panem_model_destroy(m);
            panem_curves_destroy(set);
            assert_true(c.live_blocks == 0 && c.live_bytes == 0 && c.wrong_sizes == 0);
        }
        assert_true(n > 4);
    }
}

static void a_model_may_have_an_allocator_of_its_own(void **state)
{
    (void)state;
    counting own;
    counting_init(&own);
    panem_curves *set = fix_set(FIX_ONE, NULL);
    {
        panem_allocator passing = own.allocator; /* only its copy may be used later */
        panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
        o.allocator = &passing;
        panem_model *m = NULL;
        assert_int_equal(panem_model_create(&m, set, &o, NULL), PANEM_OK);
        memset(&passing, 0, sizeof passing);
        assert_true(own.live_blocks > 0);
        panem_model_destroy(m);
    }
    assert_true(own.live_blocks == 0 && own.wrong_sizes == 0);
    panem_curves_destroy(set);
}

/* Access, advance, peek, stats, observe, save, restore and reset, by both counters. */
static void a_running_model_never_allocates(void **state)
{
    (void)state;
    for (int mode = 0; mode < MODES; mode++) {
        counting c;
        counting_init(&c);
        panem_curves *set = fix_set(FIX_THREE, &c.allocator);
        panem_model_options o = options_of(mode);
        panem_model *m = NULL;
        assert_int_equal(panem_model_create(&m, set, &o, NULL), PANEM_OK);
        size_t size;
        assert_int_equal(panem_save(m, NULL, 0, &size), PANEM_E_SPACE);
        size_t room = size + 1000000;
        unsigned char *buffer = malloc(room);
        assert_non_null(buffer);
        size_t before = c.calls;
        size_t heap_before = heap_calls;
        for (uint64_t round = 0; round < 20; round++) {
            drive_load load = {
                round * 10000000, round * 10000000 + 6000000, 400, 256, 60, 1, round};
            drive_open(m, &load);
            assert_int_equal(panem_advance(m, round * 10000000 + 9000000), PANEM_OK);
            panem_state p;
            panem_stats s;
            panem_peek(m, &p);
            panem_stats_get(m, &s);
            assert_int_equal(panem_save(m, buffer, room, &size), PANEM_OK);
            assert_int_equal(panem_restore(m, buffer, size, NULL), PANEM_OK);
        }
        panem_reset(m);
        assert_true(c.calls == before);
        assert_true(heap_calls == heap_before);
        free(buffer);
        panem_model_destroy(m);
        panem_curves_destroy(set);
        assert_true(c.live_blocks == 0);
    }
    /* the second counter does count: making a set goes through malloc */
    size_t seen = heap_calls;
    panem_curves_destroy(fix_set(FIX_ONE, NULL));
    assert_true(heap_calls > seen);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(every_allocation_may_fail_and_nothing_leaks),
        PN_TEST(a_model_may_have_an_allocator_of_its_own),
        PN_TEST(a_running_model_never_allocates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
