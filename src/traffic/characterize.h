/* characterize.h - a bandwidth-latency curve of a memory, measured as benchmarks measure hardware.
 *
 * One curve is one read fraction. First the bandwidth is found that the memory reaches when the
 * load sends as fast as it may; then points are taken at fixed fractions of it (PN_CHAR_LOADS),
 * from chases alone to unlimited load. Every point is the mean of several repeats on fresh
 * memories, each with its own random numbers, and each run until its standard error is small
 * enough. A curve depends on nothing but the config and its read fraction, so curves may be
 * measured in any order and on any number of threads.
 *
 * Which points are written. In order of load, a point is left out when it cannot be told apart
 * from the last written one: its latency, or bandwidth x latency, is not higher, the latency by at
 * least one joint standard error. Past the highest bandwidth only the first point is written.
 * Values are never changed. */
#ifndef PN_TRAFFIC_CHARACTERIZE_H
#define PN_TRAFFIC_CHARACTERIZE_H

#include "traffic/chase.h"

/* Raised when the same command gives other numbers. */
enum { PN_CHAR_RESULTS_VERSION = 1 };
enum { PN_CHAR_LOADS = 16, PN_CHAR_CHASES_MIN = 8192 };

/* A fresh memory. user is shared by threads. */
typedef panem_status (*pn_char_make_fn)(const void *user, pn_mem_port **port, panem_error *err);
/* One more of pn_char_runs(config) runs is done. Called by the thread that measures. */
typedef void (*pn_char_progress_fn)(void *user);

typedef struct pn_char_config {
    pn_char_make_fn make;
    const void *make_user;
    pn_chase_lane_fn lane; /* see chase.h; NULL: one lane */
    const void *lane_user;
    uint32_t lanes;
    uint64_t capacity_bytes;
    double
        peak_bytes_per_s; /* no load reaches more: paces the search for the saturated bandwidth */
    uint32_t reads_max, writes_max; /* of the load, in flight */
    double stream_share;            /* of the load's requests */
    uint32_t streams;
    double fabric_ns;    /* added to every latency */
    double target_error; /* relative standard error of a point's mean */
    uint64_t chases_min; /* in every run, at least; PN_CHAR_CHASES_MIN is a good number */
    uint32_t repeats;    /* 1 .. */
    uint64_t seed;
    pn_char_progress_fn progress; /* may be NULL */
    void *progress_user;
} pn_char_config;

typedef struct pn_char_point {
    double load; /* offered, of the saturated bandwidth; 0: chases alone; INFINITY: unlimited */
    double bandwidth_gbs, bandwidth_std_gbs; /* std: of the repeats; NaN for one repeat */
    double latency_ns, latency_std_ns;
    double error_ns;  /* standard error of latency_ns */
    double read_frac; /* of completed bytes, chases included */
    uint64_t chases, requests, passed_over;
    bool converged; /* the target was reached in every repeat */
    bool written;   /* false: see the rule above */
} pn_char_point;

typedef struct pn_char_curve {
    double read_frac; /* asked */
    double saturated_gbs;
    pn_char_point points[PN_CHAR_LOADS]; /* by rising load */
} pn_char_curve;

/* Runs per curve, for progress. */
uint32_t pn_char_runs(const pn_char_config *config);

/* The share of all requests that are chases at a read fraction: a tenth, at most what is read, at
 * least 2 %; 2 % when the load is all streams, whose row hits chases would break. */
double pn_char_chase_share(double stream_share, double read_frac);

/* Measures one curve. E_ARG, E_NOMEM, or what the memory returned; curve is untouched then. */
panem_status pn_characterize_curve(pn_char_curve *curve, const pn_char_config *config,
                                   double read_frac, panem_error *err);

#endif
