/* memory.c - the memory behind a simulated core: any model over a curve set, or a DRAM. */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "dram/dram.h"
#include "mem/model_port.h"
#include "mem/model_spec.h"
#include "sim/sim.h"

/* Requests a model can have in flight, per core: more than its LLC and write buffer ever hold. */
enum { IN_FLIGHT_MAX = 1 << 13 };

/* The read fraction at which fixed models and printed peaks look. */
static const double READS = 2.0 / 3.0;

static panem_status open_dram(pn_sim_memory *m, const pn_sim_spec *s, const pn_core_config *core,
                              panem_error *err)
{
    pn_dram_config config;
    PN_TRY(pn_dram_spec_parse(&config, NULL, s->model + strlen("dram:"), err));
    if (m->sharers > 1)
        return pn_err(
            err, PANEM_E_ARG,
            "--model %s is a whole memory and one core would own it; use --load whole, or "
            "a model over curves for %u cores",
            s->model, core->active_cores);
    PN_TRY(pn_dram_create(&m->port, &config, s->model, err));
    m->theoretical_gbs = pn_dram_theoretical_peak(&config) / 1e9;
    m->peak_gbs = pn_dram_stream_law(&config) / 1e9;
    m->idle_ps = (uint64_t)pn_dram_unloaded_law_ps(&config);
    m->idle_ns = pn_dram_unloaded_law_ps(&config) / 1000.0 + pn_core_on_chip_ns(core);
    return PANEM_OK;
}

static double theoretical_of(const panem_curves *set)
{
    const char *text = panem_curves_meta(set, "theoretical_peak_gbs");
    double value;
    return text && pn_num_parse_all(text, &value) ? value : (double)NAN;
}

static panem_status open_model(pn_sim_memory *m, const pn_sim_spec *s, const pn_core_config *core,
                               panem_error *err)
{
    panem_curves_options load = PANEM_CURVES_OPTIONS_INIT;
    panem_model_options options;
    panem_model *model = NULL;
    PN_TRY(pn_sim_check_model(s, err));
    PN_TRY(pn_model_spec_parse(&options, s->model, err));
    if (options.sharers > 1 && options.sharers != m->sharers)
        return pn_err(err, PANEM_E_ARG,
                      "sharers=%u of the model contradicts %u active cores; leave it out",
                      options.sharers, m->sharers);
    options.sharers = m->sharers;
    load.strict = s->strict;
    load.report = s->report;
    load.report_user = s->user;
    load.on_chip_ns = m->on_chip_ns = pn_core_on_chip_ns(core);
    PN_TRY(panem_curves_load(&m->set, s->curves_path, &load, err));
    PN_TRY(panem_model_create(&model, m->set, &options, err));
    PN_TRY(pn_model_port_create(&m->port, model, s->model, options.early_write_ack != 0,
                                IN_FLIGHT_MAX * (s->cores > 1 ? s->cores : 1), err));
    m->theoretical_gbs = theoretical_of(m->set);
    m->peak_gbs = panem_peak_bytes_per_s(m->set, PANEM_MIX_LINEAR, READS) / 1e9;
    m->idle_ps = panem_idle_ps(m->set, PANEM_MIX_LINEAR, 1.0);
    m->idle_ns = (double)m->idle_ps / 1000.0 + m->on_chip_ns;
    return PANEM_OK;
}

double pn_sim_peak_at_gbs(const pn_sim_memory *m, double read_frac)
{
    return m->set ? panem_peak_bytes_per_s(m->set, PANEM_MIX_LINEAR, read_frac) / 1e9 : m->peak_gbs;
}

panem_status pn_sim_check_model(const pn_sim_spec *s, panem_error *err)
{
    pn_dram_config dram;
    panem_model_options options;
    if (strncmp(s->model, "dram:", 5) == 0)
        return pn_dram_spec_parse(&dram, NULL, s->model + strlen("dram:"), err);
    PN_TRY(pn_model_spec_parse(&options, s->model, err));
    if (!s->curves_path)
        return pn_err(err, PANEM_E_ARG, "--model %s needs a curve set: --curves FILE", s->model);
    return PANEM_OK;
}

panem_status pn_sim_memory_open(pn_sim_memory *memory, const pn_sim_spec *s,
                                const pn_core_config *core, panem_error *err)
{
    pn_sim_memory m;
    memset(&m, 0, sizeof m);
    m.sharers = s->cores > 1 ? 1 : core->active_cores;
    panem_status status = strncmp(s->model, "dram:", 5) == 0 ? open_dram(&m, s, core, err)
                                                             : open_model(&m, s, core, err);
    if (status != PANEM_OK) {
        pn_sim_memory_close(&m);
        return status;
    }
    *memory = m;
    return PANEM_OK;
}

void pn_sim_memory_close(pn_sim_memory *m)
{
    pn_mem_destroy(m->port);
    panem_curves_destroy(m->set);
    m->port = NULL;
    m->set = NULL;
}

static double mean(double sum, uint64_t count)
{
    return count ? sum / (double)count : (double)NAN;
}

pn_sim_memory_view pn_sim_memory_look(const pn_sim_memory *m)
{
    if (m->set) {
        panem_stats s;
        panem_stats_get(pn_model_port_model(m->port), &s);
        return (pn_sim_memory_view){s.read_requests, s.write_requests,
                                    mean(s.read_latency_sum_ns, s.read_requests),
                                    mean(s.write_latency_sum_ns, s.write_requests)};
    }
    pn_dram_stats s;
    pn_dram_stats_get(m->port, &s);
    return (pn_sim_memory_view){s.read_requests, s.write_requests,
                                mean(s.read_latency_sum_ns, s.read_requests),
                                mean(s.write_latency_sum_ns, s.write_requests)};
}
