/* history.h - what a run did over time, in bounded memory: windows of a tap, added up so that at
 * most PN_HISTORY_MAX steps remain whatever the run's length.
 *
 * A step starts as one window. When all steps are taken, neighbours are added up in pairs and steps
 * are twice as long from then on, so a long run has between half and all of them. The same windows
 * give the same steps on every machine. Windows run from the run's first request: warm-up is in. */
#ifndef PN_SIM_HISTORY_H
#define PN_SIM_HISTORY_H

#include "sim/tap.h"

enum { PN_HISTORY_MAX = 400 }; /* even; about as many as a plot has room for */

typedef struct pn_history_step {
    uint64_t read_bytes, write_bytes, completions;
    double latency_ns; /* sum over completions */
} pn_history_step;

typedef struct pn_history {
    uint64_t windows; /* taken so far; the last step may have fewer than the others */
    uint64_t each;    /* windows per step; 0 before the first */
    size_t count;
    pn_history_step steps[PN_HISTORY_MAX];
} pn_history;

/* A pn_tap_config.window; user is a pn_history that was zeroed. */
void pn_history_take(void *user, const pn_tap_window *window);
/* Windows in step i: each, but maybe for the last. */
uint64_t pn_history_windows(const pn_history *history, size_t i);

#endif
