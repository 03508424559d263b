/* clock.h - core cycles and picoseconds, exactly: cycle c begins at floor(c * 1e12 / hz) ps.
 *
 * No rounded cycle time exists anywhere; the products are 128 bits wide, so 1e13 cycles lose
 * nothing. */
#ifndef PN_CORE_CLOCK_H
#define PN_CORE_CLOCK_H

#include "base/wide.h"

static const uint64_t PN_PS_PER_S = UINT64_C(1000000000000);

/* When a cycle begins. */
static inline uint64_t pn_clock_ps(uint64_t hz, uint64_t cycle)
{
    return (uint64_t)((pn_u128)cycle * PN_PS_PER_S / hz);
}

/* A duration in cycles, rounded up. */
static inline uint64_t pn_clock_cycles(uint64_t hz, uint64_t ps)
{
    return (uint64_t)(((pn_u128)ps * hz + PN_PS_PER_S - 1) / PN_PS_PER_S);
}

/* The first cycle that begins at or after time_ps, where an edge 1 ps early still counts: edges
 * are rounded down to whole ps, and that must not cost a cycle. */
static inline uint64_t pn_clock_edge(uint64_t hz, uint64_t time_ps)
{
    return time_ps == 0 ? 0 : pn_clock_cycles(hz, time_ps - 1);
}

#endif
