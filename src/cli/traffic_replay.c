/* traffic_replay.c - `panem traffic --trace`: a recorded memory trace against each model, one row
 * per model. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/cmd_trace.h"
#include "cli/table.h"
#include "cli/traffic.h"
#include "traffic/replay.h"

enum {
    TIMED_OUTSTANDING = 4096, /* a bound for memory's sake: with times the trace sets the pace */
    CLOSED_OUTSTANDING = 64   /* of a closed loop: about what a large core keeps in flight */
};

static const pn_column COLUMNS[] = {
    {"model", "model", "", -1},
    {"records", "records", "", -2},
    {"requests", "requests", "64 B", -2},
    {"time_us", "time", "us", 3},
    {"achieved_gbs", "achieved", "GB/s", 3},
    {"read_pct", "reads", "%", 2},
    PN_LATENCY_COLUMNS(read),
    PN_LATENCY_COLUMNS(write),
    {"outstanding_lines", "in flight", "lines", 2},
    {"max_window_gbs", "max window", "GB/s", 2},
    {"utilization_pct", "util", "% of peak", 2},
    {"late_pct", "late", "% of req.", 2},
    {"late_ns_max", "latest", "ns", 1},
    {"truncated", "truncated", "", -1}, /* under --accept-truncated: the trace was cut short */
};

static double utilization_pct(const pn_traffic_settings *s, const pn_traffic_result *r)
{
    if (!s->set || !isfinite(r->read_frac))
        return (double)NAN;
    double peak = panem_peak_bytes_per_s(s->set, PANEM_MIX_LINEAR, r->read_frac);
    return 100.0 * r->achieved_bytes_per_s * s->sharers / peak;
}

static void add_row(pn_table *t, const pn_traffic_settings *s, const char *model, bool timed,
                    bool truncated, const pn_replay_result *replay)
{
    const pn_traffic_result *r = &replay->traffic;
    pn_table_text(t, model);
    pn_table_number(t, (double)replay->records);
    pn_table_number(t, (double)replay->requests);
    pn_table_number(t, (double)r->measured_ps / 1e6);
    pn_table_number(t, r->achieved_bytes_per_s / 1e9);
    pn_table_number(t, 100.0 * r->read_frac);
    pn_traffic_add_latency(t, &r->reads);
    pn_traffic_add_latency(t, &r->writes);
    pn_table_number(t, r->outstanding_bytes / PN_TRAFFIC_LINE_BYTES);
    if (r->max_window_bytes_per_s > 0.0)
        pn_table_number(t, r->max_window_bytes_per_s / 1e9);
    else /* shorter than one window */
        pn_table_missing(t);
    pn_table_number(t, utilization_pct(s, r));
    pn_table_number(t,
                    timed ? 100.0 * (double)replay->late / (double)replay->requests : (double)NAN);
    pn_table_number(t, timed ? (double)replay->late_ps / 1000.0 : (double)NAN);
    pn_table_text(t, truncated ? "yes" : "no");
}

/* Picoseconds per tick of the trace's times; 0 when it has none that can be used. */
static panem_status tick_of(double *ps, const pn_traffic_settings *s, const pn_trace_info *about,
                            panem_error *err)
{
    uint64_t hz = s->clock_hz ? s->clock_hz : about->clock_hz;
    *ps = 0.0;
    if (about->time_unit == PN_TIME_PS) {
        *ps = 1.0;
    } else if (about->time_unit == PN_TIME_CYCLES && hz) {
        *ps = 1e12 / (double)hz;
    } else if (about->time_unit == PN_TIME_CYCLES && !s->closed_loop) {
        return pn_err(err, PANEM_E_ARG,
                      "%s: its times are cycles of a clock it does not name: give --clock, or "
                      "--closed-loop C to send without regard to time",
                      s->trace_path);
    }
    if (s->clock_hz && about->time_unit != PN_TIME_CYCLES)
        return pn_err(err, PANEM_E_ARG, "--clock: the times of %s are not cycles", s->trace_path);
    if (s->closed_loop)
        *ps = 0.0;
    return PANEM_OK;
}

static panem_status open_trace(pn_trace **trace, const pn_traffic_settings *s, panem_error *err)
{
    PN_TRY(pn_trace_open(trace, s->trace_path, &s->trace_options, err));
    if (pn_trace_about(*trace)->kind == PN_TRACE_MEMORY)
        return PANEM_OK;
    return pn_err(err, PANEM_E_MISMATCH,
                  "%s: is an instruction trace: its accesses have not passed a cache; panem run "
                  "simulates it",
                  s->trace_path);
}

static panem_status replay_one(pn_table *rows, const pn_traffic_settings *s, const char *model,
                               panem_error *err)
{
    pn_trace *trace = NULL;
    pn_mem_port *port = NULL;
    pn_replay_result result;
    panem_model_options options;
    pn_series series = {s->series, model, (double)NAN, (double)NAN};
    pn_replay_config c = {.line_bytes = PN_TRAFFIC_LINE_BYTES,
                          .requests_max = s->requests_max,
                          .window_ps = PN_TRAFFIC_WINDOW_PS,
                          .window = s->series ? pn_series_window : NULL,
                          .window_user = &series};
    PN_TRY(pn_traffic_model_options(&options, s, model, s->sharers, err));
    panem_status status = open_trace(&trace, s, err);
    if (status == PANEM_OK)
        status = tick_of(&c.ps_per_tick, s, pn_trace_about(trace), err);
    c.timed = c.ps_per_tick > 0.0;
    c.outstanding = s->closed_loop   ? s->closed_loop
                    : s->outstanding ? s->outstanding
                    : c.timed        ? TIMED_OUTSTANDING
                                     : CLOSED_OUTSTANDING;
    if (status == PANEM_OK)
        status = pn_traffic_open_port(&port, s, &options, model,
                                      c.outstanding + PN_TRAFFIC_IN_FLIGHT_SPARE, err);
    if (status == PANEM_OK)
        status = pn_replay_run(&result, port, trace, &c, err);
    if (status == PANEM_OK) {
        if (model == s->models.items[0])
            pn_trace_tell_truncated(trace, s->trace_path);
        add_row(rows, s, model, c.timed, pn_trace_truncated(trace), &result);
    }
    pn_mem_destroy(port);
    pn_trace_close(trace);
    return status;
}

static panem_status replay_all(pn_table *rows, const pn_traffic_settings *s, panem_error *err)
{
    if (!rows)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    if (strcmp(s->trace_path, "-") == 0 && s->models.count > 1)
        return pn_err(err, PANEM_E_ARG,
                      "--trace: standard input can be read once, for one model only");
    for (size_t m = 0; m < s->models.count; m++)
        PN_TRY(replay_one(rows, s, s->models.items[m], err));
    return PANEM_OK;
}

int pn_traffic_replay(pn_traffic_settings *s)
{
    panem_error err = PANEM_ERROR_INIT;
    if (pn_traffic_series_open(s, &err) != PANEM_OK)
        return pn_fail_output(&err);
    pn_table *rows = pn_table_new(COLUMNS, sizeof COLUMNS / sizeof COLUMNS[0]);
    int code = PN_EXIT_OK;
    if (replay_all(rows, s, &err) != PANEM_OK) {
        if (s->series)
            pn_writer_abort(s->series);
        code = pn_fail(&err);
    } else if (s->series && pn_writer_commit(s->series, &err) != PANEM_OK) {
        code = pn_fail_output(&err);
    } else if (s->format == PN_FORMAT_JSON) {
        pn_json_print(json_pack("{s:s, s:s, s:o}", "panem", panem_version(), "trace", s->trace_path,
                                "rows", pn_table_json(rows)),
                      stdout);
    } else {
        pn_table_print(rows, s->format, stdout);
    }
    pn_table_free(rows);
    return code;
}
