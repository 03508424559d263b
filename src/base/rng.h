/* rng.h - seeded random numbers, the same on every machine; no libm.
 *
 * xoshiro256++ (Blackman and Vigna, 2018, public domain algorithm) seeded by splitmix64. The state
 * is the caller's. Not for secrets. */
#ifndef PN_BASE_RNG_H
#define PN_BASE_RNG_H

#include <stdint.h>

typedef struct pn_rng {
    uint64_t s[4];
} pn_rng;

/* Any seed is good; streams of different (seed, stream) pairs are unrelated. */
void pn_rng_init(pn_rng *rng, uint64_t seed, uint64_t stream);

/* 64 uniform bits. */
uint64_t pn_rng_u64(pn_rng *rng);

/* Uniform integer in 0 .. bound-1; bound >= 1. Bias below 2^-32 for bounds below 2^32. */
uint64_t pn_rng_below(pn_rng *rng, uint64_t bound);

/* Exponential variate of mean 2^32 (fixed point, 32 fraction bits), capped near 45 x mean.
 * By inversion: -ln of a 64-bit uniform, with a table of logarithms; error below 2^-28 of the mean.
 */
uint64_t pn_rng_exp_q32(pn_rng *rng);

/* Exponential variate with mean mean_q (any fixed-point scale), rounded to nearest. */
uint64_t pn_rng_exp(pn_rng *rng, uint64_t mean_q);

#endif
