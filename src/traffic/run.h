/* run.h - sources against a memory port: the measurement loop of `panem traffic`.
 *
 * One run is one point: sources send, the port answers, and after a warm-up everything is measured
 * until the mean latency's standard error is below a target, or a bound on requests is reached.
 * Bandwidth counts completed bytes. The loop allocates before it starts and not afterwards. */
#ifndef PN_TRAFFIC_RUN_H
#define PN_TRAFFIC_RUN_H

#include "mem/port.h"
#include "traffic/source.h"

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
/* What the source did, beside the response. */
typedef struct pn_traffic_sent {
    uint64_t asked_ps; /* when it first asked: earlier than the arrival when the port was busy */
    uint32_t source;
    bool random_line; /* not the next line of a stream */
} pn_traffic_sent;

/* Every response, warm-up included, at its done time. */
typedef void (*pn_traffic_response_fn)(void *user, const pn_mem_response *response,
                                       const pn_traffic_sent *sent);

typedef struct pn_traffic_config {
    uint32_t sources;
    pn_source_config source; /* of each; stream is set here */
    uint32_t line_bytes;     /* request size */
    uint64_t warmup_ps;      /* not measured */
    double target_error;     /* relative standard error of the mean latency, e.g. 0.001 */
    uint64_t requests_min;   /* measured, at least */
    uint64_t requests_max;   /* measured, at most */
    uint64_t window_ps;      /* of the bandwidth windows, e.g. 520 000 */
    double saturated_bytes;  /* windows with as much outstanding count as saturated; <= 0: none */
    uint64_t step_ps;        /* at this time the gap becomes step_gap_ps; UINT64_MAX: never */
    double step_gap_ps;
    uint64_t end_ps;             /* stop here at the latest; UINT64_MAX: no bound */
    pn_traffic_window_fn window; /* may be NULL */
    void *window_user;
    pn_traffic_response_fn response; /* may be NULL */
    void *response_user;
} pn_traffic_config;

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
    double max_window_bytes_per_s; /* highest completed bandwidth of one window */
    double saturated_frac;         /* share of windows; NaN without a bound */
    uint64_t windows;
    uint64_t busy_answers; /* submissions refused */
} pn_traffic_result;

/* Runs one point. The port is used, not owned. E_NOMEM, or what the port returned. */
panem_status pn_traffic_run(pn_traffic_result *result, pn_mem_port *port,
                            const pn_traffic_config *config, panem_error *err);

#endif
