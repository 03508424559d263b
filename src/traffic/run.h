/* run.h - sources against a memory port: the measurement loop of `panem traffic`.
 *
 * One run is one point: sources send, the port answers, and after a warm-up everything is measured
 * until the mean latency's standard error is below a target, or a bound on requests is reached.
 * Bandwidth counts completed bytes. The loop allocates before it starts and not afterwards. */
#ifndef PN_TRAFFIC_RUN_H
#define PN_TRAFFIC_RUN_H

#include "mem/port.h"
#include "traffic/meter.h"
#include "traffic/source.h"

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

/* Runs one point. The port is used, not owned. E_NOMEM, or what the port returned. */
panem_status pn_traffic_run(pn_traffic_result *result, pn_mem_port *port,
                            const pn_traffic_config *config, panem_error *err);

#endif
