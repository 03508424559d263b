/* tap.h - a memory port that watches another: bandwidth and latency per window, whatever the model.
 *
 * Windows of equal length from time 0 count completed bytes and the mean latency of what completed
 * in them. Kept of them: histograms, their 2-D histogram, sums for the correlation of a window's
 * bandwidth with the next one's, and shares. Windows in which nothing completed count as bandwidth
 * 0 and in no latency histogram. */
#ifndef PN_SIM_TAP_H
#define PN_SIM_TAP_H

#include "mem/port.h"

enum { PN_TAP_BINS = 64 };

typedef struct pn_tap_window {
    uint64_t start_ps;
    uint64_t read_bytes, write_bytes;
    uint64_t completions;
    double latency_ns;  /* mean; NaN when nothing completed */
    uint64_t cbusy_sum; /* of the busy levels of what completed */
} pn_tap_window;

typedef struct pn_tap_config {
    uint64_t window_ps;      /* e.g. 520000 */
    double peak_gbs;         /* the share's: bins of bandwidth are peak / 48 wide */
    double latency_bin_ns;   /* bins of latency are so wide; the last one takes the rest */
    const panem_curves *set; /* to tell windows below the curve; NULL: not told */
    double sharers;
    void (*window)(void *user, const pn_tap_window *window); /* every window; may be NULL */
    void *user;
} pn_tap_config;

typedef struct pn_tap {
    pn_tap_config config;
    uint64_t windows, above_peak, below_curve, judged; /* judged: windows with a curve latency */
    uint64_t bandwidth[PN_TAP_BINS], latency[PN_TAP_BINS];
    uint64_t both[PN_TAP_BINS][PN_TAP_BINS];            /* [bandwidth][latency] */
    double sum, sum_squares, sum_products, first, last; /* of window bandwidths, GB/s */
    pn_tap_window open;
    double open_latency_ns;
} pn_tap;

/* Puts a port in front of inner. inner is borrowed; tap is zeroed first; both must outlive the
 * port. E_NOMEM. */
panem_status pn_tap_create(pn_mem_port **port, pn_tap *tap, pn_mem_port *inner,
                           const pn_tap_config *config, panem_error *err);
/* Width of a bandwidth bin. */
double pn_tap_bandwidth_bin_gbs(const pn_tap *tap);
/* Lag-1 correlation of window bandwidths; NaN with fewer than three windows or no variation. */
double pn_tap_lag1(const pn_tap *tap);

#endif
