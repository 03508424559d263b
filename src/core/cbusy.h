/* cbusy.h - what a core makes of the busy levels (CBusy) that come back with its reads: a filter
 * over a window of responses decides a level; some cycles later it sets how eager the prefetchers
 * are, by their accuracy, and moves the number of lines that may miss beyond L2.
 *
 * A window is so many responses; its level is the highest one that at least a given share of them
 * reached. A decision takes effect after the loop's delay, and the next window begins then.
 * docs/core.md has the rules. Fields and policies follow what is public: the window, threshold,
 * steps and least number of outstanding requests of Neoverse V2's auxiliary control register, the
 * accuracy gates of XiangShan's L2, and the example of the CHI specification.
 *
 * Rules: no allocation; time only goes forward. With control off nothing ever changes.
 * NOT modelled: levels per responder or per path, the specification's third bit (several
 * requesters), write acknowledgements (they end at the LLC), limits of L1. */
#ifndef PN_CORE_CBUSY_H
#define PN_CORE_CBUSY_H

#include "core/config.h"

enum { PN_CBUSY_LEVELS = 4 };

/* Cycles: differences of two add up to the time between them. */
typedef struct pn_cbusy_stats {
    uint64_t windows; /* decisions that took effect */
    uint64_t level_cyc[PN_CBUSY_LEVELS];
    uint64_t l1d_prefetch_cyc[PN_CBUSY_LEVELS]; /* at each level of the prefetcher */
    uint64_t l2_prefetch_cyc[PN_CBUSY_LEVELS];
    uint64_t limit_cyc[4];   /* limit above 3/4, 1/2, 1/4 of the most, below */
    uint64_t limit_line_cyc; /* limit x cycles */
} pn_cbusy_stats;

/* Level and accuracy of a prefetcher under control. */
typedef struct pn_cbusy_prefetch {
    uint32_t own_level; /* configured; 0: none */
    uint32_t level;
} pn_cbusy_prefetch;

typedef struct pn_cbusy {
    pn_cbusy_config config;
    uint32_t needed; /* responses of a window that make its level */
    uint32_t seen[PN_CBUSY_LEVELS], count;
    bool decided; /* a decision is on its way */
    uint32_t level;
    uint32_t limit, limit_least, limit_most;
    pn_cbusy_prefetch l1d, l2;
    uint64_t since_cyc; /* stats are complete up to here */
    pn_cbusy_stats stats;
} pn_cbusy;

void pn_cbusy_init(pn_cbusy *c, const pn_core_config *config);
/* A response came; true: a window ended, *decided is its level, which takes effect delay_cyc later.
 * Costs one comparison when control is off. */
bool pn_cbusy_response(pn_cbusy *c, uint32_t level, uint32_t *decided);
/* A decision takes effect. Accuracies in percent, now. */
void pn_cbusy_apply(pn_cbusy *c, uint64_t cycle, uint32_t level, uint32_t l1d_accuracy_pct,
                    uint32_t l2_accuracy_pct);
/* Counters up to a cycle. */
pn_cbusy_stats pn_cbusy_stats_now(const pn_cbusy *c, uint64_t cycle);

#endif
