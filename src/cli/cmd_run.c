/* cmd_run.c - `panem run`: one simulated core in front of a memory model. */
#include "cli/cmd_run.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "cli/cmd_trace.h"
#include "cli/commands.h"
#include "cli/table.h"

enum {
    KEY_CORE = 256,
    KEY_LOAD,
    KEY_ACTIVE,
    KEY_SET,
    KEY_JSON,
    KEY_PRINT,
    KEY_STRICT,
    KEY_QUIET,
    KEY_SERIES,
    KEY_CORES,
    KEY_STAGGER,
    KEY_LOOP
};

static const struct argp_option OPTIONS[] = {
    {"core", KEY_CORE, "PRESET", 0,
     "arm-server, neoverse-n1, neoverse-v2 or ampereone (default arm-server)", 0},
    {"curves", 'c', "FILE", 0, "curve set of the memory (docs/formats/curves-csv.md)", 0},
    {"model", 'm', "MODEL", 0,
     "panem, panem:paper, fixed:idle, fixed:high, md1, mess, mg1, nextfree, each with "
     ":key=value; or dram:PRESET (default panem)",
     0},
    {"load", KEY_LOAD, "LOAD", 0,
     "whole: the core owns the chip; moderate: half of its cores are as busy; heavy: all are "
     "(default whole)",
     0},
    {"active-cores", KEY_ACTIVE, "N", 0, "the core stands for one of N busy ones", 0},
    {"cores", KEY_CORES, "N", 0,
     "simulates N cores (1 to 64) with a common LLC and memory; core i runs trace i of those "
     "given, "
     "round and round; --instructions are measured of each",
     0},
    {"stagger", KEY_STAGGER, "N", 0,
     "of --cores: core i enters its trace i x N instructions in (default 1M)", 0},
    {"loop", KEY_LOOP, "N", 0,
     "of --cores: a trace begins again after N instructions (default: at its end)", 0},
    {"warmup", 'w', "N", 0, "instructions before the measured ones (default 0)", 0},
    {"instructions", 'i', "N", 0, "measured instructions (default: to the end of the trace)", 0},
    {"set", KEY_SET, "KEY=VALUE", 0, "changes one parameter of the core; may be repeated", 0},
    {"json", KEY_JSON, "FILE", 0, "writes everything as JSON; - for standard output", 0},
    {"series", KEY_SERIES, "FILE", 0,
     "writes every 520 ns window at the memory's door, warm-up included, as CSV: completed "
     "bandwidth, mean latency, lines outstanding, mean busy level, IPC",
     0},
    {"print-config", KEY_PRINT, NULL, 0,
     "prints every parameter with its reason and source, and ends", 0},
    {"strict", KEY_STRICT, NULL, 0, "a repair of the curve set is an error", 0},
    {"quiet", KEY_QUIET, NULL, 0, "no progress", 0},
    PN_TRACE_INPUT_OPTIONS,
    {0},
};

panem_status pn_run_parse_load(uint32_t *load, const char *text, panem_error *err)
{
    for (uint32_t i = 0; pn_sim_loads[i]; i++) {
        if (strcmp(pn_sim_loads[i], text) == 0) {
            *load = i;
            return PANEM_OK;
        }
    }
    return pn_err(err, PANEM_E_ARG, "--load: '%s' is not one of: whole, moderate, heavy", text);
}

static panem_status parse_end(const pn_run_settings *s, panem_error *err)
{
    if (!s->spec.trace_path && !s->print_config)
        return pn_err(err, PANEM_E_ARG, "run: no trace was given");
    if (s->print_config)
        return PANEM_OK;
    if (s->spec.cores && !s->spec.instructions)
        return pn_err(err, PANEM_E_ARG, "--cores runs without end; give --instructions");
    if (s->trace_count > (s->spec.cores ? s->spec.cores : 1))
        return pn_err(err, PANEM_E_ARG, "%u traces for %u simulated: give --cores", s->trace_count,
                      s->spec.cores ? s->spec.cores : 1);
    if (!s->spec.cores && (s->loop_told || s->stagger_told))
        return pn_err(err, PANEM_E_ARG, "--%s is for --cores", s->loop_told ? "loop" : "stagger");
    return PANEM_OK;
}

static panem_status parse_count(uint64_t *value, const char *arg, uint64_t least, const char *what,
                                panem_error *err)
{
    return pn_unit_parse_u64(value, arg, PN_DIM_COUNT, least, UINT64_C(1) << 50, what, err);
}

static panem_status parse_key(pn_run_settings *s, int key, const char *arg, panem_error *err)
{
    uint64_t n;
    switch (key) {
    case KEY_LOAD:
        return pn_run_parse_load(&s->spec.load, arg, err);
    case KEY_ACTIVE:
        PN_TRY(pn_unit_parse_u64(&n, arg, PN_DIM_COUNT, 1, 65536, "--active-cores", err));
        s->spec.active_cores = (uint32_t)n;
        return PANEM_OK;
    case KEY_CORES:
        PN_TRY(pn_unit_parse_u64(&n, arg, PN_DIM_COUNT, 1, PN_CORES_MAX, "--cores", err));
        s->spec.cores = (uint32_t)n;
        return PANEM_OK;
    case KEY_STAGGER:
        s->stagger_told = true;
        return parse_count(&s->stagger, arg, 0, "--stagger", err);
    case KEY_LOOP:
        s->loop_told = true;
        return parse_count(&s->loop, arg, 1, "--loop", err);
    case 'w':
        return parse_count(&s->spec.warmup, arg, 0, "--warmup", err);
    case 'i':
        return parse_count(&s->spec.instructions, arg, 1, "--instructions", err);
    case KEY_SET:
        pn_text_printf(&s->assignments, "%s\n", arg);
        return PANEM_OK;
    default:
        return parse_end(s, err);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    pn_run_settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    if (pn_trace_input_key(key)) {
        status = pn_trace_input_option(&s->spec.input, key, arg, &err);
        return status == PANEM_OK ? 0 : pn_option_error(state, &err);
    }
    switch (key) {
    case KEY_CORE:
        s->spec.core = arg;
        break;
    case 'c':
        s->spec.curves_path = arg;
        break;
    case 'm':
        s->spec.model = arg;
        break;
    case KEY_JSON:
        s->json_path = arg;
        break;
    case KEY_SERIES:
        s->series_path = arg;
        break;
    case KEY_PRINT:
        s->print_config = true;
        break;
    case KEY_STRICT:
        s->spec.strict = true;
        break;
    case KEY_QUIET:
        s->quiet = true;
        break;
    case ARGP_KEY_ARG:
        if (s->trace_count == PN_CORES_MAX)
            return ARGP_ERR_UNKNOWN;
        s->traces[s->trace_count++] = arg;
        s->spec.trace_path = s->traces[0];
        break;
    case KEY_LOAD:
    case KEY_ACTIVE:
    case KEY_CORES:
    case KEY_STAGGER:
    case KEY_LOOP:
    case 'w':
    case 'i':
    case KEY_SET:
    case ARGP_KEY_END:
        status = parse_key(s, key, arg, &err);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

/* ---- configuration --------------------------------------------------------------------------- */

static void report_repair(void *user, const panem_finding *finding)
{
    (void)user;
    if (finding->kind != PANEM_FINDING_PAST_PEAK)
        pn_warn("%s:%u: %s", finding->file, finding->line, finding->text);
}

static panem_status configure(pn_run_settings *s, panem_error *err)
{
    if (s->assignments.failed)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    s->spec.assignments = s->assignments.data;
    s->spec.report = report_repair;
    return pn_sim_configure(&s->config, &s->spec, err);
}

static int print_config(const pn_run_settings *s)
{
    pn_text text = PN_TEXT_INIT;
    pn_core_print(&text, &s->config, s->spec.core);
    bool failed = text.failed;
    if (!failed)
        fputs(text.data, stdout);
    pn_text_release(&text);
    return failed ? PN_EXIT_FAILED : PN_EXIT_OK;
}

/* ---- running --------------------------------------------------------------------------------- */

static double seconds_since(const struct timespec *start)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) * 1e-9;
}

static void show_progress(void *user, const pn_core_progress *now)
{
    pn_run_progress *p = user;
    double s = seconds_since(&p->start);
    if (s < p->shown_s + 0.5)
        return;
    p->shown_s = s;
    double rate = (double)now->instructions / s;
    fprintf(stderr, "\r%.1f M instructions, %.2f M/s", (double)now->instructions / 1e6, rate / 1e6);
    if (p->s->spec.instructions) {
        double all = (double)(p->s->spec.warmup + p->s->spec.instructions) *
                     (p->s->spec.cores ? p->s->spec.cores : 1);
        fprintf(stderr, ", %.0f s left ", (all - (double)now->instructions) / rate);
    }
    fputs("   ", stderr);
}

void pn_run_progress_begin(pn_run_progress *p, const pn_run_settings *s, pn_core_run *run)
{
    *p = (pn_run_progress){.s = s};
    (void)clock_gettime(CLOCK_MONOTONIC, &p->start);
    if (s->quiet || !pn_stderr_is_terminal())
        return;
    run->progress = show_progress;
    run->user = p;
}

void pn_run_progress_end(const pn_core_run *run)
{
    if (run->progress)
        fputs("\r\033[K", stderr);
}

static panem_status simulate(const pn_run_settings *s, pn_core *core, const pn_sim_memory *memory,
                             pn_core_result *result, pn_trace *trace, panem_error *err)
{
    pn_run_progress p;
    pn_core_run run = {.warmup = s->spec.warmup, .instructions = s->spec.instructions};
    pn_core_set_idle(core, memory->idle_ps);
    pn_run_series_watch(s, core);
    pn_run_progress_begin(&p, s, &run);
    panem_status status = pn_core_run_trace(core, result, trace, &run, err);
    pn_run_progress_end(&run);
    return status;
}

static int no_memory(void)
{
    panem_error err = PANEM_ERROR_INIT;
    (void)pn_err(&err, PANEM_E_NOMEM, "no memory for the report");
    return pn_fail(&err);
}

int pn_run_output(const pn_run_settings *s, json_t *report,
                  bool (*print)(const json_t *report, FILE *out))
{
    panem_error err = PANEM_ERROR_INIT;
    if (!report)
        return no_memory();
    if (s->json_path && strcmp(s->json_path, "-") == 0) {
        pn_json_print(report, stdout);
        return PN_EXIT_OK;
    }
    if (!print(report, stdout)) {
        json_decref(report);
        return no_memory();
    }
    if (!s->json_path) {
        json_decref(report);
        return PN_EXIT_OK;
    }
    pn_writer *writer = NULL;
    if (pn_writer_open(&writer, s->json_path, &err) != PANEM_OK) {
        json_decref(report);
        return pn_fail_output(&err);
    }
    pn_json_print(report, pn_writer_stream(writer));
    return pn_writer_commit(writer, &err) == PANEM_OK ? PN_EXIT_OK : pn_fail_output(&err);
}

static int report(pn_run_settings *s, const pn_sim_memory *memory, const pn_core *core,
                  const pn_core_result *result, pn_trace *trace)
{
    pn_trace_tell_truncated(trace, s->spec.trace_path);
    if (result->trace_ended && s->spec.instructions)
        pn_warn("%s ended after %llu instructions", s->spec.trace_path,
                (unsigned long long)result->whole.instructions);
    int code = pn_run_output(s, pn_run_report(s, memory, core, result, trace), pn_run_print);
    return code ? code : pn_run_series_close(s);
}

static int run_trace(pn_run_settings *s, pn_trace *trace, const pn_sim_memory *memory)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_core *core = NULL;
    pn_core_result result;
    pn_mem_port *watched = NULL;
    pn_tap tap;
    int code = pn_run_series_open(s, &watched, &tap, memory);
    if (code)
        ;
    else if (pn_core_create(&core, &s->config, watched ? watched : memory->port, &err) !=
                 PANEM_OK ||
             simulate(s, core, memory, &result, trace, &err) != PANEM_OK)
        code = pn_fail(&err);
    else
        code = report(s, memory, core, &result, trace);
    pn_core_destroy(core);
    pn_mem_destroy(watched);
    pn_run_series_abort(s);
    return code;
}

static int run(void *user)
{
    pn_run_settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_trace *trace = NULL;
    pn_sim_memory memory;
    if (configure(s, &err) != PANEM_OK)
        return pn_fail(&err);
    if (s->print_config)
        return print_config(s);
    if (pn_sim_memory_open(&memory, &s->spec, &s->config, &err) != PANEM_OK)
        return pn_fail(&err);
    int code = PN_EXIT_OK;
    if (s->spec.cores)
        code = pn_run_cores(s, &memory);
    else if (pn_trace_open(&trace, s->spec.trace_path, &s->spec.input, &err) != PANEM_OK)
        code = pn_fail(&err);
    else
        code = run_trace(s, trace, &memory);
    pn_trace_close(trace);
    pn_sim_memory_close(&memory);
    return code;
}

static void release(void *user)
{
    pn_text_release(&((pn_run_settings *)user)->assignments);
}

const pn_command pn_cmd_run = {
    .name = "run",
    .arguments = "TRACE...",
    .summary = "simulate one core on a trace in front of a memory model",
    .details =
        "Simulates an out-of-order core (docs/core.md says what is modelled and what is not) on an "
        "instruction trace of any format, in front of the memory named by --model. Over a curve "
        "set the on-chip latency of the simulated machine is taken off the curve, so that an "
        "unloaded chain of loads sees the curve's idle latency. Under --load or --active-cores the "
        "core stands for one of N: its LLC is the chip's over N and the model sees N times its "
        "traffic. Printed: instructions, cycles and IPC, what dispatch waited for, where the "
        "cycles "
        "went (the CPI stack: its parts add up), branches, "
        "accesses and misses per level (misses per thousand instructions: mpki), bandwidth and "
        "latency of reads and writes at the memory's door, and three views of the whole run (the "
        "core's, the interface's, the memory's), whose lines must agree; the core's read latency "
        "has the on-chip part taken off. Prefetchers are not throttled by a busy memory unless "
        "--set "
        "cbusy_control=prefetch (or both) says so; a note tells when it would help. --cores N "
        "simulates N cores that share the LLC (N times a "
        "core's "
        "share) and the whole memory: the reference for a core under --active-cores N. Exit "
        "status: 0 success, 1 failure, 2 usage, 3 bad input.",
    .examples = "panem run xz.ptrace --curves curves/ddr5-5200x8.csv -w 1M -i 10M\n"
                "panem run xz.ptrace -c set.csv --load heavy --set l1d_mshrs=24 --json out.json\n"
                "panem run xz.ptrace --model dram:ddr5-4800\n"
                "panem run xz.ptrace --cores 8 -w 2M -i 8M --loop 8M --model dram:ddr5-5200\n"
                "panem run --core neoverse-v2 --print-config\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(pn_run_settings),
    .run = run,
    .release = release,
};
