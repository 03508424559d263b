/* A core whose memory runs out while it is made: an error, nothing lost, nothing handed out. The
 * allocator is the linker's --wrap of the C library's. */
#include "../cmocka_pn.h"

#include <stdlib.h>

#include "core/cores.h"
#include "machine.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static struct {
    bool watched;
    long calls, fail_at, live;
} heap;

/* The test ends when this many calls were not enough: then nothing counts them. */
enum { CALLS_MAX = 2000 };

static bool refuse(void)
{
    return heap.watched && ++heap.calls == heap.fail_at;
}

static void *given(void *block)
{
    heap.live += heap.watched && block;
    return block;
}

void *__wrap_malloc(size_t size)
{
    return refuse() ? NULL : given(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return refuse() ? NULL : given(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (refuse())
        return NULL;
    heap.live -= heap.watched && block;
    return given(__real_realloc(block, size));
}

void __wrap_free(void *block)
{
    heap.live -= heap.watched && block;
    __real_free(block);
}

static void watch(long fail_at)
{
    heap.calls = heap.live = 0;
    heap.fail_at = fail_at;
    heap.watched = true;
}

static const char SETTINGS[] = "tlb=on l1d_prefetch=stride l2_prefetch=spatial cbusy_control=both";

static void a_core_whose_memory_runs_out_leaves_nothing(void **state)
{
    (void)state;
    machine m;
    machine_make(&m, SETTINGS, 90.0);
    long n = 1;
    for (; n < CALLS_MAX; n++) {
        pn_core *core = NULL;
        panem_error err = PANEM_ERROR_INIT;
        watch(n);
        panem_status status = pn_core_create(&core, &m.config, m.port, &err);
        if (status == PANEM_OK) {
            pn_core_destroy(core);
            heap.watched = false;
            assert_int_equal(heap.live, 0);
            break;
        }
        heap.watched = false;
        assert_int_equal(status, PANEM_E_NOMEM);
        assert_int_equal(heap.live, 0);
        assert_null(core);
        assert_true(err.message[0] != '\0');
    }
    assert_in_range(n, 30, CALLS_MAX - 1);
    machine_free(&m);
}

static void several_cores_too(void **state)
{
    (void)state;
    machine m;
    machine_make(&m, SETTINGS, 90.0);
    long n = 1;
    for (; n < CALLS_MAX; n++) {
        pn_cores *cores = NULL;
        panem_error err = PANEM_ERROR_INIT;
        watch(n);
        panem_status status = pn_cores_create(&cores, &m.config, 3, m.port, &err);
        if (status == PANEM_OK) {
            pn_cores_destroy(cores);
            heap.watched = false;
            assert_int_equal(heap.live, 0);
            break;
        }
        heap.watched = false;
        assert_int_equal(status, PANEM_E_NOMEM);
        assert_int_equal(heap.live, 0);
        assert_null(cores);
    }
    assert_in_range(n, 60, CALLS_MAX - 1);
    machine_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(a_core_whose_memory_runs_out_leaves_nothing),
        PN_TEST(several_cores_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
