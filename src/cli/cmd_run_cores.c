/* cmd_run_cores.c - `panem run --cores`: several cores on one chip, and what is printed of them. */
#include <math.h>

#include "cli/cmd_run.h"
#include "cli/cmd_trace.h"
#include "cli/table.h"

int pn_run_cores(pn_run_settings *s, const pn_sim_memory *memory)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_sim_cores_spec spec = {.trace_paths = s->traces,
                              .trace_count = s->trace_count,
                              .input = s->spec.input,
                              .stagger = s->stagger_told ? s->stagger : PN_SIM_STAGGER,
                              .loop = s->loop};
    pn_core_run run = {.warmup = s->spec.warmup, .instructions = s->spec.instructions};
    pn_sim_cores cores = {0};
    pn_run_progress progress;
    pn_mem_port *watched = NULL;
    pn_tap tap;
    s->stagger = spec.stagger;
    int code = pn_run_series_open(s, &watched, &tap, memory);
    if (!code && pn_sim_cores_open(&cores, &s->config, s->spec.cores, &spec,
                                   watched ? watched : memory->port, &err) != PANEM_OK)
        code = pn_fail(&err);
    if (!code) {
        pn_cores_set_idle(cores.cores, memory->idle_ps);
        pn_run_progress_begin(&progress, s, &run);
        panem_status status = pn_sim_cores_run(&cores, &run, &err);
        pn_run_progress_end(&run);
        code = status == PANEM_OK ? PN_EXIT_OK : pn_fail(&err);
    }
    if (!code)
        code = pn_run_output(s, pn_run_cores_report(s, memory, &cores), pn_run_cores_print);
    if (!code)
        code = pn_run_series_close(s);
    pn_sim_cores_close(&cores);
    pn_mem_destroy(watched);
    pn_run_series_abort(s);
    return code;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void set_count(json_t *o, const char *key, uint64_t value)
{
    (void)json_object_set_new(o, key, json_integer((json_int_t)value));
}

static void set_number(json_t *o, const char *key, double value)
{
    (void)json_object_set_new(o, key, pn_json_number(value));
}

static json_t *core_tree(const pn_run_settings *s, const pn_sim_memory *memory,
                         const pn_sim_cores *cores, uint32_t index)
{
    pn_sim_outcome outcome = {&s->config, memory, pn_cores_at(cores->cores, index),
                              &cores->results[index]};
    json_t *o = json_object();
    set_count(o, "core", index);
    (void)json_object_set_new(o, "trace", json_string(s->traces[index % s->trace_count]));
    set_count(o, "entered_at", s->loop ? s->stagger * index % s->loop : s->stagger * index);
    set_count(o, "times_begun_again", pn_trace_loop_rounds(cores->traces[index]));
    for (size_t i = 0; i < pn_metric_count; i++)
        set_number(o, pn_metrics[i].name, pn_metrics[i].get(&outcome));
    return o;
}

/* Over the measured phases, which the cores pass at different times. */
static json_t *total_tree(const pn_run_settings *s, const pn_sim_memory *memory,
                          const pn_sim_cores *cores)
{
    double ipc = 0.0;
    double gbs = 0.0;
    double slowest = INFINITY;
    double fastest = 0.0;
    uint64_t instructions = 0;
    uint64_t reads = 0;
    uint64_t read_ps = 0;
    for (uint32_t i = 0; i < cores->count; i++) {
        const pn_core_result *r = &cores->results[i];
        double seconds = (double)r->measured_cyc / (double)s->config.clock_hz;
        double own = (double)r->measured.instructions / (double)r->measured_cyc;
        ipc += own;
        slowest = own < slowest ? own : slowest;
        fastest = own > fastest ? own : fastest;
        gbs += (double)(r->measured.door.reads + r->measured.door.writes) * PN_LINE_BYTES / 1e9 /
               seconds;
        instructions += r->measured.instructions;
        reads += r->measured.door.reads;
        read_ps += r->measured.door.read_ps;
    }
    json_t *o = json_object();
    set_count(o, "instructions", instructions);
    set_number(o, "ipc_sum", ipc);
    set_number(o, "ipc_mean", ipc / cores->count);
    set_number(o, "ipc_lowest", slowest);
    set_number(o, "ipc_highest", fastest);
    set_number(o, "bandwidth_gbs", gbs);
    set_number(o, "peak_gbs", memory->peak_gbs);
    set_number(o, "utilization_pct", 100.0 * gbs / memory->peak_gbs);
    set_number(o, "read_latency_ns",
               reads ? (double)read_ps / 1000.0 / (double)reads : (double)NAN);
    return o;
}

static json_t *views_tree(const pn_sim_memory *memory, const pn_sim_cores *cores)
{
    uint64_t got = 0;
    uint64_t out = 0;
    uint64_t reads = 0;
    uint64_t writes = 0;
    pn_sim_memory_view m = pn_sim_memory_look(memory);
    json_t *o = json_object();
    for (uint32_t i = 0; i < cores->count; i++) {
        const pn_core_counts *n = &cores->results[i].whole;
        got += n->mem_lines;
        out += n->llc.dirty_out;
        reads += n->door.reads;
        writes += n->door.writes;
    }
    set_count(o, "core_read_lines", got);
    set_count(o, "interface_read_lines", reads);
    set_count(o, "memory_read_lines", m.reads);
    set_count(o, "core_write_lines", out);
    set_count(o, "interface_write_lines", writes);
    set_count(o, "memory_write_lines", m.writes);
    bool agree = got == reads && reads == m.reads && out == writes && writes == m.writes;
    (void)json_object_set_new(o, "lines_agree", json_boolean(agree));
    return o;
}

json_t *pn_run_cores_report(const pn_run_settings *s, const pn_sim_memory *memory,
                            const pn_sim_cores *cores)
{
    json_t *o = json_object();
    json_t *each = json_array();
    (void)json_object_set_new(o, "schema", json_string("panem-run-cores-1"));
    (void)json_object_set_new(o, "model", json_string(s->spec.model));
    (void)json_object_set_new(o, "core_preset", json_string(s->spec.core));
    set_count(o, "cores", cores->count);
    set_count(o, "active_cores", s->config.active_cores);
    set_count(o, "warmup", s->spec.warmup);
    set_count(o, "stagger", s->stagger);
    set_count(o, "loop", s->loop);
    (void)json_object_set_new(o, "total", total_tree(s, memory, cores));
    (void)json_object_set_new(o, "views_of_whole_run", views_tree(memory, cores));
    for (uint32_t i = 0; i < cores->count; i++)
        (void)json_array_append_new(each, core_tree(s, memory, cores, i));
    (void)json_object_set_new(o, "each", each);
    return o;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_pairs(const json_t *o, FILE *out)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)o, key, value)
    {
        if (json_is_number(value) && json_is_integer(value))
            fprintf(out, "  %-26s%" JSON_INTEGER_FORMAT "\n", key, json_integer_value(value));
        else if (json_is_real(value))
            fprintf(out, "  %-26s%.3f\n", key, json_real_value(value));
        else if (json_is_boolean(value))
            fprintf(out, "  %-26s%s\n", key, json_is_true(value) ? "yes" : "NO");
        else
            fprintf(out, "  %-26sn/a\n", key);
    }
}

bool pn_run_cores_print(const json_t *report, FILE *out)
{
    static const pn_column columns[] = {
        {"core", "core", "", -2},
        {"trace", "trace", "", -1},
        {"ipc", "IPC", "1/cycle", 3},
        {"bandwidth_gbs", "bandwidth", "GB/s", 3},
        {"read_pct", "reads", "%", 1},
        {"read_latency_ns", "read latency", "ns", 1},
        {"read_latency_p95_ns", "p95", "ns", 1},
        {"llc_mpki", "LLC misses", "1/kinstr", 2},
        {"l2_mpki", "L2 misses", "1/kinstr", 2},
    };
    enum { COLUMNS = sizeof columns / sizeof columns[0] };
    const json_t *each = json_object_get(report, "each");
    pn_table *table = pn_table_new(columns, COLUMNS);
    for (size_t i = 0; table && i < json_array_size(each); i++) {
        for (size_t k = 0; k < COLUMNS; k++) {
            const json_t *value = json_object_get(json_array_get(each, i), columns[k].key);
            if (json_is_string(value))
                pn_table_text(table, json_string_value(value));
            else
                pn_table_number(table,
                                json_is_number(value) ? json_number_value(value) : (double)NAN);
        }
    }
    bool whole = table && !pn_table_failed(table);
    if (whole)
        pn_table_print(table, PN_FORMAT_TABLE, out);
    pn_table_free(table);
    if (!whole)
        return false;
    fputs("\nall cores, measured phases\n", out);
    print_pairs(json_object_get(report, "total"), out);
    fputs("\nlines, whole run\n", out);
    print_pairs(json_object_get(report, "views_of_whole_run"), out);
    return true;
}
