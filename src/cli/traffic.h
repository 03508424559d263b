/* traffic.h - what the files of `panem traffic` share: settings, one point, printing. */
#ifndef PN_CLI_TRAFFIC_H
#define PN_CLI_TRAFFIC_H

#include "cli/cmd.h"
#include "cli/list.h"
#include "cli/table.h"
#include "cli/words.h"
#include "trace/trace.h"
#include "traffic/run.h"

enum {
    PN_TRAFFIC_LINE_BYTES = 64,
    /* Bandwidth windows: the paper's 520 ns, whatever the model averages over. */
    PN_TRAFFIC_WINDOW_PS = 520000,
    /* A model's port has room for so many requests more than the senders keep in flight. */
    PN_TRAFFIC_IN_FLIGHT_SPARE = 64
};

typedef struct pn_traffic_settings {
    const char *curves_path;
    pn_words models;
    pn_list read_pct;
    pn_list load; /* fractions of peak */
    uint32_t cores;
    uint32_t closed_loop; /* requests always in flight; 0: open loop */
    uint32_t outstanding; /* per core; 0: chosen */
    uint32_t sharers;
    bool compare;             /* run N generators on the whole curve beside */
    pn_source_config source;  /* arrival, mixing, pattern, bursts, seed */
    const char *windows_text; /* --windows NxLENGTH */
    double on_chip_ns;
    bool strict;
    double target_error;
    uint64_t requests_max;
    double step_from, step_to; /* fractions; step_to < 0: no step */
    uint32_t seeds;
    const char *series_path;
    const char *trace_path; /* replayed in place of the abstract cores; or NULL */
    pn_trace_options trace_options;
    uint64_t clock_hz;            /* of the trace's cycles; 0: not given */
    const char *generator_option; /* an option of the abstract cores that was given; or NULL */
    const char *trace_option;     /* an option that only --trace has */
    pn_format format;
    panem_curves *set; /* NULL without --curves: DRAM models alone */
    pn_writer *series;
} pn_traffic_settings;

/* A point's windows on their way into the series file; NaN: not known beforehand. */
typedef struct pn_series {
    pn_writer *writer;
    const char *model;
    double read_frac, load;
} pn_series;

/* One point: what was asked and what came out. */
typedef struct pn_traffic_point {
    const char *model;
    uint32_t sharers;
    double read_frac;   /* asked */
    double load_frac;   /* of the share's peak; NaN: closed loop */
    double peak_gbs;    /* of the whole curve at read_frac; without a set the DRAM's stream law */
    double offered_gbs; /* by this generator; NaN: closed loop */
    pn_traffic_result result;
    double latency_ns; /* of reads, or of writes when there are none: judged against the curve */
    double curve_ns;   /* the relation's latency at what was achieved x sharers; NaN above peak */
    double error_frac;
    bool whole_valid;          /* the N generators ran too */
    double whole_achieved_gbs; /* per generator */
    double whole_latency_ns;
} pn_traffic_point;

/* Checks a word of --model: a model of pn_model_spec_parse, or dram: and a DRAM specification. */
panem_status pn_traffic_check_model(const char *model, panem_error *err);
/* The model word with --windows and --sharers applied; of a dram: word, what sets warm-up alone.
 * E_ARG for one with sharers: it is a whole memory. */
panem_status pn_traffic_model_options(panem_model_options *options, const pn_traffic_settings *s,
                                      const char *model, uint32_t sharers, panem_error *err);
/* A port for these options, or the DRAM that name specifies; in_flight bounds a model. */
panem_status pn_traffic_open_port(pn_mem_port **port, const pn_traffic_settings *s,
                                  const panem_model_options *options, const char *name,
                                  uint32_t in_flight, panem_error *err);
/* What a load of 1 is: the set's peak at this read fraction or, without a set, the stream law of
 * the DRAM that model specifies. Bytes per second. */
double pn_traffic_peak_bytes_per_s(const pn_traffic_settings *s, const char *model,
                                   double read_frac);
/* The run configuration of a point; load NaN: closed loop. options: of model. */
pn_traffic_config pn_traffic_config_of(const pn_traffic_settings *s,
                                       const panem_model_options *options, const char *model,
                                       double read_frac, double load, uint32_t sharers,
                                       uint32_t sources);

panem_status pn_traffic_measure(pn_traffic_point *point, const pn_traffic_settings *s,
                                const char *model, double read_frac, double load, panem_error *err);

/* Mean and three quantiles, as the four columns of PN_LATENCY_COLUMNS. */
void pn_traffic_add_latency(pn_table *table, const pn_latency *latency);
#define PN_LATENCY_COLUMNS(kind)                                                              \
    {#kind "_latency_ns_mean", #kind " lat", "mean ns", 2},                                   \
        {#kind "_latency_ns_p50", "p50", "ns", 1}, {#kind "_latency_ns_p95", "p95", "ns", 1}, \
    {                                                                                         \
#kind "_latency_ns_p99", "p99", "ns", 1                                               \
    }

/* Writes a window as a line of the series; user is a pn_series. */
void pn_series_window(void *user, const pn_traffic_window *window);
/* Opens the series file, if one was asked for, and writes its header. */
panem_status pn_traffic_series_open(pn_traffic_settings *s, panem_error *err);
/* Is this the word of a DRAM model, which needs no curves? */
bool pn_traffic_is_dram(const char *model);

/* `panem traffic` proper and `panem traffic --step`. Exit codes. */
int pn_traffic_points(pn_traffic_settings *s);
int pn_traffic_step(pn_traffic_settings *s);
/* `panem traffic --trace`. */
int pn_traffic_replay(pn_traffic_settings *s);

#endif
