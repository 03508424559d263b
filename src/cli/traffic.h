/* traffic.h - what the files of `panem traffic` share: settings, one point, printing. */
#ifndef PN_CLI_TRAFFIC_H
#define PN_CLI_TRAFFIC_H

#include "cli/cmd.h"
#include "cli/list.h"
#include "cli/words.h"
#include "traffic/run.h"

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
    pn_format format;
    panem_curves *set;
    pn_writer *series;
} pn_traffic_settings;

/* One point: what was asked and what came out. */
typedef struct pn_traffic_point {
    const char *model;
    uint32_t sharers;
    double read_frac;   /* asked */
    double load_frac;   /* of the share's peak; NaN: closed loop */
    double peak_gbs;    /* of the whole curve at read_frac */
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
/* The run configuration of a point; load NaN: closed loop. */
pn_traffic_config pn_traffic_config_of(const pn_traffic_settings *s,
                                       const panem_model_options *options, double read_frac,
                                       double load, uint32_t sharers, uint32_t sources);

panem_status pn_traffic_measure(pn_traffic_point *point, const pn_traffic_settings *s,
                                const char *model, double read_frac, double load, panem_error *err);

/* `panem traffic` proper and `panem traffic --step`. Exit codes. */
int pn_traffic_points(pn_traffic_settings *s);
int pn_traffic_step(pn_traffic_settings *s);

#endif
