/* sim.c - see sim.h. */
#include "sim/sim.h"

#include <math.h>
#include <string.h>

#include "base/err.h"
#include "sim/cores.h"

const char *const pn_sim_loads[] = {"whole", "moderate", "heavy", NULL};

/* Bins of latency are this part of an unloaded load's, so that 64 of them reach 5 times idle. */
static const double BINS_PER_IDLE = 12.0;

static panem_status assign(pn_core_config *config, const char *assignments, panem_error *err)
{
    enum { ASSIGNMENT_MAX = 256 };
    size_t count;
    const pn_param *params = pn_core_params(&count);
    for (const char *at = assignments; at && *at;) {
        char line[ASSIGNMENT_MAX];
        size_t length = strcspn(at, "\n");
        if (length >= sizeof line)
            return pn_err(err, PANEM_E_ARG, "--set: '%.40s...' is too long", at);
        memcpy(line, at, length);
        line[length] = '\0';
        PN_TRY(pn_param_assign(params, count, config, line, err));
        at += length + (at[length] == '\n');
    }
    return PANEM_OK;
}

panem_status pn_sim_configure(pn_core_config *config, pn_sim_spec *spec, panem_error *err)
{
    pn_core_config c;
    if (!spec->core)
        spec->core = pn_core_presets()[0];
    if (!spec->model)
        spec->model = "panem";
    PN_TRY(pn_core_preset(&c, spec->core, err));
    if (strncmp(spec->model, "dram:", 5) == 0)
        c.write_hold = PN_HOLD_UNTIL_TAKEN; /* it has a write queue of its own */
    PN_TRY(assign(&c, spec->assignments, err));
    uint32_t soc = c.soc_cores;
    if (spec->load != PN_LOAD_WHOLE)
        c.active_cores = spec->load == PN_LOAD_HEAVY ? soc : soc > 1 ? soc / 2 : 1;
    if (spec->active_cores)
        c.active_cores = spec->active_cores;
    if (spec->cores > 1) {
        bool told = spec->load != PN_LOAD_WHOLE || spec->active_cores;
        if (told && c.active_cores != spec->cores)
            return pn_err(err, PANEM_E_ARG, "%u cores are simulated and %u active ones asked for",
                          spec->cores, c.active_cores);
        c.active_cores = spec->cores;
    }
    PN_TRY(pn_core_check(&c, err));
    *config = c;
    return PANEM_OK;
}

static panem_status run_core(double *values, const pn_sim_spec *spec, const pn_core_config *config,
                             const pn_sim_memory *memory, pn_mem_port *port, pn_trace *trace,
                             panem_error *err)
{
    pn_core *core = NULL;
    pn_core_result result;
    pn_core_run run = {.warmup = spec->warmup, .instructions = spec->instructions};
    PN_TRY(pn_core_create(&core, config, port, err));
    pn_core_set_idle(core, memory->idle_ps);
    panem_status status = pn_core_run_trace(core, &result, trace, &run, err);
    if (status == PANEM_OK) {
        pn_sim_outcome outcome = {config, memory, core, &result};
        for (size_t i = 0; i < pn_metric_count; i++)
            values[i] = pn_metrics[i].get(&outcome);
    }
    pn_core_destroy(core);
    return status;
}

panem_status pn_sim_check_end(const pn_sim_spec *spec, panem_error *err)
{
    if (spec->cores && !spec->instructions)
        return pn_err(err, PANEM_E_ARG, "cores: they run without end; give instructions");
    return PANEM_OK;
}

/* Means over the cores that have a value; NaN when none has. */
static void take_means(double *values, const pn_sim_cores *cores, const pn_core_config *config,
                       const pn_sim_memory *memory)
{
    for (size_t k = 0; k < pn_metric_count; k++) {
        double sum = 0.0;
        uint32_t count = 0;
        for (uint32_t i = 0; i < cores->count; i++) {
            pn_sim_outcome outcome = {config, memory, pn_cores_at(cores->cores, i),
                                      &cores->results[i]};
            double value = pn_metrics[k].get(&outcome);
            if (isnan(value))
                continue;
            sum += value;
            count++;
        }
        values[k] = count ? sum / count : (double)NAN;
    }
}

static panem_status run_cores(double *values, const pn_sim_spec *spec, const pn_core_config *config,
                              const pn_sim_memory *memory, pn_mem_port *port, panem_error *err)
{
    pn_sim_cores cores;
    pn_sim_cores_spec traces = {.trace_paths = &spec->trace_path,
                                .trace_count = 1,
                                .input = spec->input,
                                .stagger = spec->stagger,
                                .loop = spec->loop};
    pn_core_run run = {.warmup = spec->warmup, .instructions = spec->instructions};
    PN_TRY(pn_sim_cores_open(&cores, config, spec->cores, &traces, port, err));
    pn_cores_set_idle(cores.cores, memory->idle_ps);
    panem_status status = pn_sim_cores_run(&cores, &run, err);
    if (status == PANEM_OK)
        take_means(values, &cores, config, memory);
    pn_sim_cores_close(&cores);
    return status;
}

pn_tap_config pn_sim_windows(const pn_sim_memory *memory)
{
    double sharers = memory->sharers;
    return (pn_tap_config){.window_ps = PN_SIM_WINDOW_PS,
                           .peak_gbs = memory->peak_gbs / sharers,
                           .latency_bin_ns = (memory->idle_ns - memory->on_chip_ns) / BINS_PER_IDLE,
                           .set = memory->set,
                           .sharers = sharers};
}

panem_status pn_sim_run(double *values, const pn_sim_spec *spec, pn_trace *trace, pn_tap *tap,
                        pn_history *history, panem_error *err)
{
    pn_sim_spec resolved = *spec;
    pn_core_config config;
    pn_sim_memory memory;
    pn_mem_port *port = NULL;
    PN_TRY(pn_sim_configure(&config, &resolved, err));
    PN_TRY(pn_sim_check_end(&resolved, err));
    PN_TRY(pn_sim_memory_open(&memory, &resolved, &config, err));
    pn_tap_config windows = pn_sim_windows(&memory);
    if (history) {
        memset(history, 0, sizeof *history);
        windows.window = pn_history_take;
        windows.user = history;
    }
    panem_status status = tap ? pn_tap_create(&port, tap, memory.port, &windows, err) : PANEM_OK;
    pn_mem_port *door = port ? port : memory.port;
    if (status == PANEM_OK)
        status = spec->cores ? run_cores(values, &resolved, &config, &memory, door, err)
                             : run_core(values, &resolved, &config, &memory, door, trace, err);
    pn_mem_destroy(port);
    pn_sim_memory_close(&memory);
    return status;
}
