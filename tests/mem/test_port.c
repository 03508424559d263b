/* The response queue against sorting, the model behind its port, and models named in one word. */
#include "../cmocka_pn.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"
#include "mem/timeq.h"

typedef struct item {
    uint64_t done_ps, number;
} item;

static int by_time(const void *a, const void *b)
{
    const item *x = a;
    const item *y = b;
    if (x->done_ps != y->done_ps)
        return x->done_ps < y->done_ps ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

/* Random mixtures of rising and falling times, many ties; popped in part and refilled. */
static void queue_gives_back_in_order_of_time_then_entry(void **state)
{
    (void)state;
    enum { N = 500 };
    for (uint64_t seed = 0; seed < 200; seed++) {
        pn_timeq q;
        pn_rng rng;
        item items[N];
        uint64_t now = 0;
        pn_rng_init(&rng, seed, 0);
        assert_int_equal(pn_timeq_init(&q, N, NULL), PANEM_OK);
        for (uint64_t i = 0; i < N; i++) {
            now += pn_rng_below(&rng, 3);
            items[i] = (item){now + pn_rng_below(&rng, 1 + seed % 40), i};
            pn_mem_response r = {.tag = i, .done_ps = items[i].done_ps};
            assert_true(pn_timeq_push(&q, &r));
        }
        qsort(items, N, sizeof items[0], by_time);
        for (int i = 0; i < N; i++) {
            pn_mem_response r;
            assert_true(pn_timeq_next(&q) == items[i].done_ps);
            if (items[i].done_ps > 0)
                assert_false(pn_timeq_pop(&q, &r, items[i].done_ps - 1));
            assert_true(pn_timeq_pop(&q, &r, items[i].done_ps));
            assert_true(r.tag == items[i].number);
        }
        assert_true(pn_timeq_next(&q) == UINT64_MAX);
        pn_timeq_release(&q);
    }
}

static void full_queue_refuses(void **state)
{
    (void)state;
    pn_timeq q;
    pn_mem_response r = {.done_ps = 5};
    assert_int_equal(pn_timeq_init(&q, 3, NULL), PANEM_OK); /* rounded up to 4 */
    for (int i = 0; i < 4; i++)
        assert_true(pn_timeq_push(&q, &r));
    assert_true(pn_timeq_full(&q));
    assert_false(pn_timeq_push(&q, &r));
    pn_timeq_release(&q);
}

static const panem_point FLAT[] = {{0.0, 10, 80}, {0.0, 100, 80}, {1.0, 10, 80}, {1.0, 100, 80}};

static pn_mem_port *flat_port(panem_curves **set, bool posted, uint32_t in_flight)
{
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    panem_model *model = NULL;
    pn_mem_port *port = NULL;
    o.early_write_ack = posted;
    assert_int_equal(panem_curves_create(set, FLAT, 4, NULL, NULL), PANEM_OK);
    assert_int_equal(panem_model_create(&model, *set, &o, NULL), PANEM_OK);
    assert_int_equal(pn_model_port_create(&port, model, "panem", posted, in_flight, NULL),
                     PANEM_OK);
    return port;
}

static void responses_come_at_their_time_with_their_tag(void **state)
{
    (void)state;
    panem_curves *set = NULL;
    pn_mem_port *port = flat_port(&set, true, 16);
    pn_mem_response r;
    uint64_t retry = 0;
    assert_true(port->posted_writes);
    assert_true(pn_mem_next_event(port) == UINT64_MAX);
    for (uint64_t i = 0; i < 4; i++) {
        pn_mem_request q = {.time_ps = 1000 * i, .tag = 40 + i, .bytes = 64, .kind = i & 1};
        assert_int_equal(pn_mem_submit(port, &retry, &q), PANEM_OK);
    }
    assert_true(pn_mem_next_event(port) == 80000);
    assert_int_equal(pn_mem_advance(port, 79999), PANEM_OK);
    assert_false(pn_mem_pop(port, &r));
    assert_int_equal(pn_mem_advance(port, 81000), PANEM_OK);
    assert_true(pn_mem_pop(port, &r));
    assert_true(r.tag == 40 && r.done_ps == 80000 && r.ack_ps == 80000 && r.kind == PANEM_READ);
    assert_true(pn_mem_pop(port, &r));
    assert_true(r.tag == 41 && r.done_ps == 81000 && r.ack_ps == 1000 && r.kind == PANEM_WRITE);
    assert_false(pn_mem_pop(port, &r));
    pn_mem_destroy(port);
    panem_curves_destroy(set);
}

static void too_many_in_flight_is_busy_until_the_next_event(void **state)
{
    (void)state;
    panem_curves *set = NULL;
    pn_mem_port *port = flat_port(&set, false, 2);
    uint64_t retry = 0;
    pn_mem_request q = {.bytes = 64};
    assert_int_equal(pn_mem_submit(port, &retry, &q), PANEM_OK);
    assert_int_equal(pn_mem_submit(port, &retry, &q), PANEM_OK);
    assert_int_equal(pn_mem_submit(port, &retry, &q), PANEM_BUSY);
    assert_true(retry == UINT64_MAX);
    pn_mem_response r;
    assert_int_equal(pn_mem_advance(port, pn_mem_next_event(port)), PANEM_OK);
    assert_true(pn_mem_pop(port, &r));
    q.time_ps = r.done_ps;
    assert_int_equal(pn_mem_submit(port, &retry, &q), PANEM_OK);
    pn_mem_destroy(port);
    panem_curves_destroy(set);
}

/* Field by field: structs have holes. */
static void assert_same(const panem_model_options *a, const panem_model_options *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->relation.beyond, b->relation.beyond);
    assert_int_equal(a->relation.mix, b->relation.mix);
    assert_true(a->window_ps == b->window_ps && a->windows == b->windows);
    assert_int_equal(a->sharers, b->sharers);
    assert_int_equal(a->guard, b->guard);
    assert_true(a->guard_slack_ps == b->guard_slack_ps);
    assert_int_equal(a->guard_compensation, b->guard_compensation);
    assert_int_equal(a->looks, b->looks);
    assert_int_equal(a->early_write_ack, b->early_write_ack);
    assert_int_equal(a->ring_windows, b->ring_windows);
}

static void models_are_named_in_one_word(void **state)
{
    (void)state;
    const panem_model_options ours = PANEM_MODEL_OPTIONS_INIT;
    const panem_model_options paper = PANEM_MODEL_OPTIONS_PAPER;
    panem_model_options o;
    assert_int_equal(pn_model_spec_parse(&o, "panem", NULL), PANEM_OK);
    assert_same(&o, &ours);
    assert_int_equal(pn_model_spec_parse(&o, "panem:paper", NULL), PANEM_OK);
    assert_same(&o, &paper);
    assert_int_equal(pn_model_spec_parse(&o, "fixed:high", NULL), PANEM_OK);
    assert_int_equal(o.kind, PANEM_KIND_FIXED_HIGH);
    assert_int_equal(pn_model_spec_parse(&o, "panem:paper:window=210ns:guard=arrivals", NULL),
                     PANEM_OK);
    assert_true(o.window_ps == 210000 && o.guard == PANEM_GUARD_ARRIVALS &&
                o.relation.beyond == PANEM_BEYOND_PAPER);
}

static void wrong_models_are_refused_with_a_hint(void **state)
{
    (void)state;
    static const char *const bad[][2] = {{"panm", "did you mean 'panem'"},
                                         {"panem:windw=1us", "did you mean 'window'"},
                                         {"panem:window=520", "no unit"},
                                         {"panem:", "key=value"},
                                         {"fixed", "models:"},
                                         {"panem:guard=maybe", "off, arrivals, completions"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        panem_error err = PANEM_ERROR_INIT;
        panem_model_options o;
        assert_int_equal(pn_model_spec_parse(&o, bad[i][0], &err), PANEM_E_ARG);
        if (!strstr(err.message, bad[i][1]))
            fail_msg("'%s' said '%s', not '%s'", bad[i][0], err.message, bad[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(queue_gives_back_in_order_of_time_then_entry),
        PN_TEST(full_queue_refuses),
        PN_TEST(responses_come_at_their_time_with_their_tag),
        PN_TEST(too_many_in_flight_is_busy_until_the_next_event),
        PN_TEST(models_are_named_in_one_word),
        PN_TEST(wrong_models_are_refused_with_a_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
