/* fixture.h - small curve sets with known shapes, for the tests of the run-time model. */
#ifndef PN_TESTS_REF_FIXTURE_H
#define PN_TESTS_REF_FIXTURE_H

#include <panem.h>

/* The shapes; FIX_COUNT of them. */
typedef enum fix_shape {
    FIX_FLAT = 0, /* one point: 80 ns up to 100 GB/s, all reads */
    FIX_ONE,      /* one curve, 90 ns rising to 320 ns at 100 GB/s, one point past the peak */
    FIX_THREE,    /* read fractions 0, 0.5, 1; writes slower; fold-back at each end */
    FIX_MANY,     /* 51 curves of 24 points by a closed formula */
    FIX_SLOW,     /* 1 GB/s peak, latencies near 1 us: a ring may be too short for its overload */
    FIX_REST_OF_MIX, /* read fractions 0.5 and 0.75 only: most mixes are outside */
    FIX_COUNT
} fix_shape;

/* A new set, destroyed by the caller; aborts when the library refuses it. allocator may be NULL. */
panem_curves *fix_set(fix_shape shape, const panem_allocator *allocator);

/* A set from CSV text; aborts when the library refuses it. */
panem_curves *fix_parse(const char *csv);

#endif
