/* counting.h - an allocator that counts, fails on demand and notices leaks. */
#ifndef PN_TESTS_REF_COUNTING_H
#define PN_TESTS_REF_COUNTING_H

#include <panem.h>

typedef struct counting {
    panem_allocator allocator; /* hand out a pointer to this */
    size_t calls;              /* of alloc */
    size_t fail_at;            /* this call (from 1) gives NULL; 0: none does */
    size_t live_blocks, live_bytes;
    size_t wrong_sizes; /* releases whose size is not the one asked for */
} counting;

/* Starts at zero. c must stay where it is while in use. */
void counting_init(counting *c);

#endif
