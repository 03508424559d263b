/* meter.h - what a measuring loop counts: windows, completed bytes, latencies, requests in flight.
 *
 * The loop tells the meter of every moment that matters, in order of time: pass (time went on),
 * sent, answered. Windows of window_ps follow one another from 0; what falls in windows that begin
 * before warmup_ps is not measured. Nothing is allocated after create. */
#ifndef PN_TRAFFIC_METER_H
#define PN_TRAFFIC_METER_H

#include "base/stat.h"
#include "mem/port.h"

/* One measurement window, for series and settling. */
typedef struct pn_traffic_window {
    uint64_t start_ps;
    uint64_t window_ps;
    uint64_t read_bytes; /* completed */
    uint64_t write_bytes;
    double outstanding_bytes; /* time-averaged */
    uint64_t completions;
    double latency_ns; /* mean, of what completed in it; NaN when nothing did */
} pn_traffic_window;

typedef void (*pn_traffic_window_fn)(void *user, const pn_traffic_window *window);

typedef struct pn_latency {
    uint64_t requests;
    double mean_ns; /* NaN when there were none; so for the quantiles */
    double p50_ns, p95_ns, p99_ns;
} pn_latency;

typedef struct pn_traffic_result {
    uint64_t measured_ps;
    uint64_t read_bytes, write_bytes; /* completed */
    double achieved_bytes_per_s;
    double read_frac; /* of the completed bytes; NaN when none */
    pn_latency reads, writes;
    double mean_latency_ns; /* over both kinds */
    double relative_error;  /* standard error of that mean */
    bool converged;
    double outstanding_bytes;      /* time-averaged */
    double max_window_bytes_per_s; /* highest completed bandwidth of one whole window */
    double saturated_frac;         /* share of windows; NaN without a bound */
    uint64_t windows;
    uint64_t busy_answers; /* submissions refused */
} pn_traffic_result;

typedef struct pn_meter_config {
    uint64_t window_ps;
    uint64_t warmup_ps;
    double saturated_bytes;      /* windows with as much outstanding are saturated; <= 0: none */
    pn_traffic_window_fn window; /* every window, warm-up included; may be NULL */
    void *window_user;
} pn_meter_config;

typedef struct pn_meter {
    pn_meter_config config;
    uint64_t now_ps;
    bool measuring;
    uint64_t in_flight_bytes;
    double area; /* byte x ps of outstanding, in the open window */
    double area_total;
    uint64_t area_from_ps;
    pn_traffic_window open;
    double open_latency_ns;
    uint64_t measured_ps, bytes[2]; /* of the closed windows, by access kind */
    uint64_t windows, saturated;
    uint64_t max_window_bytes;
    uint64_t busy_answers;
    pn_hist *hist[2];
    double latency_sum_ns[2];
    pn_batch_mean batches;
} pn_meter;

/* E_NOMEM. A meter that was zeroed may be released whether it was created or not. */
panem_status pn_meter_create(pn_meter *meter, const pn_meter_config *config, panem_error *err);
void pn_meter_release(pn_meter *meter);

/* Time is now_ps: closes the windows that ended. */
void pn_meter_pass(pn_meter *meter, uint64_t now_ps);
void pn_meter_sent(pn_meter *meter, uint32_t bytes);
void pn_meter_busy(pn_meter *meter);
/* A response, at its done time, to which time was passed. */
void pn_meter_answered(pn_meter *meter, const pn_mem_response *response);
/* Closes the open window early, at the time passed to: a trace ends when it ends. */
void pn_meter_cut(pn_meter *meter);
/* Bandwidth is over closed windows only, so that no partial window biases it. */
void pn_meter_result(const pn_meter *meter, pn_traffic_result *result, double target_error);

#endif
