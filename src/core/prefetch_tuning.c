/* prefetch_tuning.c - how eager each prefetcher is at each level: the one table.
 *
 * Columns: threshold, distance, degree. Level 0 proposes nothing.
 * [FDP] Srinath, Mutlu, Kim, Patt: Feedback Directed Prefetching, HPCA 2007 · [BO] Michaud:
 * Best-Offset Hardware Prefetching, HPCA 2016 · [gem5] the Neoverse V2 model of gem5 25.1. */
#include "core/prefetch.h"

/* threshold: how often in a row an instruction's stride was seen again; distance: strides (or
 * lines) ahead. Level 3 looks as far ahead as the stride prefetcher of [gem5], 8; the rest: guess,
 * halves. With a degree of 1 it would never be more than one step ahead: 2 at least. */
const pn_prefetch_tuning pn_tuning_stride[] = {{3, 0, 0}, {3, 2, 2}, {2, 4, 2}, {2, 8, 4}};

/* degree: lines after the one that missed. Guess: one is the classic; more for longer latencies. */
const pn_prefetch_tuning pn_tuning_next_line[] = {{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {0, 4, 4}};

/* threshold: steps in one direction; [FDP] trains on two more misses. distance and degree: [FDP]'s
 * very conservative, middle-of-the-road and aggressive settings, but for a degree of 2 instead of 1
 * in the first, which would never get ahead here. */
const pn_prefetch_tuning pn_tuning_stream[] = {{3, 0, 0}, {3, 4, 2}, {2, 16, 2}, {2, 32, 4}};

/* threshold: the best offset's score must be above; degree: multiples of it. Level 2 is [BO]
 * (BADSCORE 1, degree 1); level 1 asks for a third of the highest score, level 3 is twice as deep:
 * guess. */
const pn_prefetch_tuning pn_tuning_best_offset[] = {{31, 0, 0}, {10, 1, 1}, {1, 1, 1}, {1, 2, 2}};

/* threshold: in how many of the last two generations a line must have been used (0: either);
 * degree: lines at a time. Guess. */
const pn_prefetch_tuning pn_tuning_spatial[] = {{2, 0, 0}, {2, 0, 8}, {1, 0, 16}, {0, 0, 31}};
