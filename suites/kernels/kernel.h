/* kernel.h - what the kernels share: arguments, memory, and random numbers (xorshift64*, Vigna
 * 2016), so that a kernel does the same on every machine. */
#ifndef PN_SUITE_KERNEL_H
#define PN_SUITE_KERNEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline uint64_t kernel_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* Argument i as a positive number, or the default. */
static inline uint64_t kernel_argument(int argc, char **argv, int i, uint64_t otherwise)
{
    uint64_t v = argc > i ? strtoull(argv[i], NULL, 10) : 0;
    return v ? v : otherwise;
}

static inline void *kernel_memory(size_t bytes)
{
    void *p = NULL;
    if (posix_memalign(&p, 4096, bytes) != 0) {
        (void)fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

#endif
