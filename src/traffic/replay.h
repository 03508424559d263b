/* replay.h - a recorded memory trace against a memory port: `panem traffic --trace`.
 *
 * Records go in the trace's order, each cut into the lines it touches, at most `outstanding`
 * requests in flight. With times (timed), a request is due at its record's time, counted from the
 * first record's; one that found no room goes as soon as there is, and later ones keep their own
 * times: the trace does not stretch, it catches up. Without, each goes as soon as there is room: a
 * closed loop. A request the port refuses is asked again when the port says.
 * NOT modelled: dependences between requests, which no memory trace holds. */
#ifndef PN_TRAFFIC_REPLAY_H
#define PN_TRAFFIC_REPLAY_H

#include "trace/trace.h"
#include "traffic/meter.h"

typedef struct pn_replay_config {
    bool timed;
    double ps_per_tick;    /* of the trace's times; timed only */
    uint32_t outstanding;  /* >= 1 */
    uint32_t line_bytes;   /* request size, a power of two */
    uint64_t requests_max; /* stop sending after so many */
    uint64_t window_ps;
    double saturated_bytes;      /* as in the meter */
    pn_traffic_window_fn window; /* may be NULL */
    void *window_user;
} pn_replay_config;

typedef struct pn_replay_result {
    pn_traffic_result traffic; /* of the whole replay; relative_error means little here */
    uint64_t records, requests;
    uint64_t late;    /* requests sent after their time; 0 when not timed */
    uint64_t late_ps; /* the longest of these delays */
} pn_replay_result;

/* Reads the trace from its present place. E_EMPTY without a record; E_RANGE for times that
 * decrease or do not fit 64 bits of picoseconds; the trace's and the port's errors. Nothing is
 * allocated per request. */
panem_status pn_replay_run(pn_replay_result *result, pn_mem_port *port, pn_trace *trace,
                           const pn_replay_config *config, panem_error *err);

#endif
