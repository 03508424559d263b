/* One curve set, several threads, a model in each: the answers of one thread alone. Under the tsan
 * preset a race is a failure of this test. */
#include "../cmocka_pn.h"

#include <pthread.h>
#include <string.h>

#include "../ref/drive.h"
#include "../ref/fixture.h"

enum { THREADS = 4 };

typedef struct job {
    const panem_curves *set;
    uint64_t seed;
    drive_result result;
    uint64_t latencies_ps; /* of pure queries, summed */
} job;

static void *work(void *user)
{
    job *j = user;
    panem_model *m = NULL;
    if (panem_model_create(&m, j->set, NULL, NULL) != PANEM_OK)
        return NULL;
    drive_load load = {0, 40000000, 900, 64, (uint32_t)(10 * j->seed), 1, j->seed};
    j->result = drive_open(m, &load);
    for (int i = 0; i < 20000; i++) {
        double r = (double)(i % 101) / 100.0;
        j->latencies_ps += panem_latency_ps(j->set, NULL, 8.0 * i, r);
        j->latencies_ps += panem_idle_ps(j->set, PANEM_MIX_NEAREST, r);
    }
    panem_model_destroy(m);
    return NULL;
}

static void threads_share_a_curve_set(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_MANY, NULL);
    job alone[THREADS];
    job together[THREADS];
    pthread_t threads[THREADS];
    memset(alone, 0, sizeof alone);
    for (uint64_t i = 0; i < THREADS; i++) {
        alone[i].set = set;
        alone[i].seed = i + 1;
        together[i] = alone[i];
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &together[i]), 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; i++) {
        work(&alone[i]);
        assert_true(alone[i].result.accepted > 1000);
        assert_true(alone[i].result.byte_ps == together[i].result.byte_ps);
        assert_true(alone[i].result.last_done_ps == together[i].result.last_done_ps);
        assert_true(alone[i].latencies_ps == together[i].latencies_ps);
    }
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(threads_share_a_curve_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
