/* rng.c - see rng.h. */
#include "base/rng.h"

#include "base/wide.h"

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void pn_rng_init(pn_rng *rng, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed;
    state = splitmix(&state) ^ (stream * UINT64_C(0xd1342543de82ef95) + 1);
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix(&state);
}

static inline uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

uint64_t pn_rng_u64(pn_rng *rng)
{
    uint64_t *s = rng->s;
    uint64_t result = rotl(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t pn_rng_below(pn_rng *rng, uint64_t bound)
{
    return (uint64_t)(((pn_u128)pn_rng_u64(rng) * bound) >> 64);
}

/* ln2 in 0.64 fixed point. */
static const uint64_t LN2_Q64 = UINT64_C(0xb17217f7d1cf79ab);

/* ln(1 + i/64), i = 0..63, in 0.64 fixed point: made by tests/base/test_rng.c's oracle, which
 * recomputes every entry. */
static const uint64_t LN_TABLE_Q64[64] = {
#include "base/rng_ln_table.inc"
};

/* ln of (1 + x), x in 0.64 fixed point below 1/64, by its series to x^5; error below 2^-32. */
static uint64_t ln1p_small_q64(uint64_t x)
{
    uint64_t x2 = (uint64_t)(((pn_u128)x * x) >> 64);
    uint64_t x3 = (uint64_t)(((pn_u128)x2 * x) >> 64);
    uint64_t x4 = (uint64_t)(((pn_u128)x3 * x) >> 64);
    uint64_t x5 = (uint64_t)(((pn_u128)x4 * x) >> 64);
    return x - x2 / 2 + x3 / 3 - x4 / 4 + x5 / 5;
}

uint64_t pn_rng_exp_q32(pn_rng *rng)
{
    uint64_t u = pn_rng_u64(rng) | 1;
    int zeros = __builtin_clzll(u);
    uint64_t m = u << zeros;       /* 1.63: value in [1, 2) */
    uint64_t frac = m << 1;        /* 0.64: value - 1 */
    uint64_t i = frac >> 58;       /* first 6 bits */
    uint64_t low = frac << 6 >> 6; /* rest, as 0.64 below 1/64 */
    /* (1 + i/64 + low) = (1 + i/64)(1 + low / (1 + i/64)) */
    uint64_t rel = (uint64_t)((((pn_u128)low) << 6) / (64 + i));
    pn_u128 ln_m = (pn_u128)LN_TABLE_Q64[i] + ln1p_small_q64(rel);
    pn_u128 total = (pn_u128)LN2_Q64 * (unsigned)(zeros + 1) - ln_m; /* -ln(u / 2^64) */
    return (uint64_t)(total >> 32);
}

uint64_t pn_rng_exp(pn_rng *rng, uint64_t mean_q)
{
    return (uint64_t)(((pn_u128)pn_rng_exp_q32(rng) * mean_q + (UINT64_C(1) << 31)) >> 32);
}
