/* cmocka_pn.h - cmocka with the headers it wants, in the order it wants. */
#ifndef PN_TESTS_CMOCKA_PN_H
#define PN_TESTS_CMOCKA_PN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A cmocka test that calls one test function by its own name. */
#define PN_TEST(f) cmocka_unit_test(f)

#endif
