/* The peers by name and option, as every command takes them, and the ranges of their options. */
#include "../cmocka_pn.h"

#include <string.h>

#include "../ref/fixture.h"
#include "mem/model_spec.h"
#include "peer_drive.h"

static void peers_are_named_in_a_word_with_their_originals_options(void **state)
{
    (void)state;
    panem_model_options o;
    assert_int_equal(pn_model_spec_parse(&o, "md1:frequency=3.2GHz:phase_length=20k", NULL),
                     PANEM_OK);
    assert_int_equal(o.kind, PANEM_KIND_MD1);
    assert_int_equal(o.peers.frequency_hz, UINT64_C(3200000000));
    assert_int_equal(o.peers.phase_length, 20000);
    assert_int_equal(pn_model_spec_parse(&o, "mess:curve_window_size=100", NULL), PANEM_OK);
    assert_int_equal(o.kind, PANEM_KIND_MESS);
    assert_int_equal(o.peers.curve_window_size, 100);
    assert_int_equal(o.peers.frequency_hz, UINT64_C(2000000000));
    assert_int_equal(pn_model_spec_parse(&o, "mg1:window_size=500ns", NULL), PANEM_OK);
    assert_int_equal(o.kind, PANEM_KIND_MG1);
    assert_int_equal(o.peers.window_size_ps, 500000);
    assert_int_equal(pn_model_spec_parse(&o, "nextfree:num_outstanding=4", NULL), PANEM_OK);
    assert_int_equal(o.kind, PANEM_KIND_NEXTFREE);
    assert_int_equal(o.peers.num_outstanding, 4);
    assert_int_equal(pn_model_spec_parse(&o, "fixed:high", NULL), PANEM_OK);
    assert_int_equal(o.kind, PANEM_KIND_FIXED_HIGH);
    assert_int_equal(pn_model_spec_parse(&o, "md2", NULL), PANEM_E_ARG);
    assert_int_equal(pn_model_spec_parse(&o, "mess:curve_window_size=1", NULL), PANEM_E_ARG);
}

static void options_out_of_range_are_refused_by_name(void **state)
{
    (void)state;
    panem_curves *set = fix_set(FIX_FLAT, NULL);
    const panem_peer_options bad[] = {
        {999999, 10000, 1000, 1000000, 1},       {UINT64_C(100000000001), 10000, 1000, 1000000, 1},
        {2000000000, 0, 1000, 1000000, 1},       {2000000000, 10000, 1, 1000000, 1},
        {2000000000, 10000, 1000, 999, 1},       {2000000000, 10000, 1000, 1000000, 0},
        {2000000000, 10000, 1000, 1000000, 1025}};
    static const char *const names[] = {"frequency_hz",      "frequency_hz",   "phase_length",
                                        "curve_window_size", "window_size_ps", "num_outstanding",
                                        "num_outstanding"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        panem_model_options o = drive_options(PANEM_KIND_MD1);
        panem_model *model = NULL;
        panem_error err = PANEM_ERROR_INIT;
        o.peers = bad[i];
        assert_int_equal(panem_model_create(&model, set, &o, &err), PANEM_E_ARG);
        assert_non_null(strstr(err.message, names[i]));
        assert_null(model);
    }
    panem_curves_destroy(set);
}

static void a_state_of_one_kind_or_option_is_not_another_ones(void **state)
{
    (void)state;
    unsigned char bytes[1024];
    size_t size;
    panem_curves *set = drive_round_set();
    panem_model_options o = drive_options(PANEM_KIND_MD1);
    panem_model *a = drive_model(set, &o);
    assert_int_equal(panem_save(a, bytes, sizeof bytes, &size), PANEM_OK);
    o.peers.phase_length = 20000;
    panem_model *b = drive_model(set, &o);
    assert_int_equal(panem_restore(b, bytes, size, NULL), PANEM_E_MISMATCH);
    o = drive_options(PANEM_KIND_NEXTFREE);
    panem_model *c = drive_model(set, &o);
    assert_int_equal(panem_restore(c, bytes, size, NULL), PANEM_E_MISMATCH);
    panem_model_destroy(a);
    panem_model_destroy(b);
    panem_model_destroy(c);
    panem_curves_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(peers_are_named_in_a_word_with_their_originals_options),
        PN_TEST(options_out_of_range_are_refused_by_name),
        PN_TEST(a_state_of_one_kind_or_option_is_not_another_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
