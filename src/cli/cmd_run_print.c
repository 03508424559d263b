/* cmd_run_print.c - the results of `panem run` as a tree (JSON) and as text made from that tree. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/cmd_run.h"
#include "cli/table.h"

static void set_count(json_t *o, const char *key, uint64_t value)
{
    (void)json_object_set_new(o, key, json_integer((json_int_t)value));
}

static void set_number(json_t *o, const char *key, double value)
{
    (void)json_object_set_new(o, key, pn_json_number(value));
}

static void set_text(json_t *o, const char *key, const char *value)
{
    (void)json_object_set_new(o, key, json_string(value ? value : ""));
}

/* A quotient; NaN, hence null, when there is nothing to divide by. */
static double over(double a, double b)
{
    return b != 0.0 ? a / b : (double)NAN;
}

/* NULL without memory. */
static json_t *config_tree(const pn_core_config *config)
{
    size_t count;
    const pn_param *params = pn_core_params(&count);
    json_t *o = json_object();
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        pn_text text = PN_TEXT_INIT;
        pn_param_format(&text, &params[i], config);
        failed = failed || text.failed;
        if (!failed)
            set_text(o, params[i].name, text.data);
        pn_text_release(&text);
    }
    if (!failed)
        return o;
    json_decref(o);
    return NULL;
}

static json_t *level_tree(const pn_level_stats *s, uint64_t instructions)
{
    json_t *o = json_object();
    set_count(o, "accesses", s->accesses);
    set_count(o, "hits", s->hits);
    set_count(o, "misses", s->misses);
    set_count(o, "merges", s->merges);
    set_number(o, "mpki", over(1000.0 * (double)s->misses, (double)instructions));
    set_count(o, "mshr_waits", s->waits);
    set_count(o, "writebacks_in", s->writebacks);
    set_count(o, "dirty_out", s->dirty_out);
    set_count(o, "prefetch_accesses", s->prefetch_accesses);
    set_count(o, "prefetch_misses", s->prefetch_misses);
    return o;
}

static json_t *tlb_tree(const pn_tlb_level_stats *s, uint64_t instructions)
{
    json_t *o = json_object();
    set_count(o, "accesses", s->accesses);
    set_count(o, "hits", s->hits);
    set_count(o, "misses", s->misses);
    set_count(o, "merges", s->merges);
    set_number(o, "mpki", over(1000.0 * (double)s->misses, (double)instructions));
    return o;
}

/* Absent when translation costs nothing. */
static void set_tlbs(json_t *report, const pn_core_config *c, const pn_core_counts *n)
{
    json_t *o = json_object();
    (void)json_object_set_new(o, "l1i", tlb_tree(&n->tlb.l1i, n->instructions));
    (void)json_object_set_new(o, "l1d", tlb_tree(&n->tlb.l1d, n->instructions));
    (void)json_object_set_new(o, "l2", tlb_tree(&n->tlb.l2, n->instructions));
    set_count(o, "page_walks", n->tlb.walks);
    set_number(o, "page_walk_cycles", over((double)n->tlb.walk_cyc, (double)n->tlb.walks));
    if (c->tlb.on)
        (void)json_object_set(report, "tlbs", o);
    json_decref(o);
}

/* issued is the sum of the seven numbers after it. misses: of demand, at that level. */
static json_t *prefetch_tree(const pn_prefetch_stats *s, const pn_prefetch_ops *ops, uint32_t level,
                             uint64_t misses)
{
    json_t *o = json_object();
    double good = (double)(s->useful + s->late);
    set_text(o, "prefetcher", ops ? ops->name : "none");
    set_count(o, "level", ops ? level : 0);
    set_count(o, "issued", s->issued);
    set_count(o, "useful", s->useful);
    set_count(o, "late", s->late);
    set_count(o, "useless", s->useless);
    set_count(o, "dropped_other_page", s->dropped_page);
    set_count(o, "dropped_present", s->dropped_present);
    set_count(o, "dropped_queue_full", s->dropped_full);
    set_count(o, "resident_change", s->resident);
    set_number(o, "accuracy_pct", 100.0 * pn_prefetch_accuracy(s));
    set_number(o, "coverage_pct", 100.0 * over(good, good + (double)misses));
    return o;
}

static json_t *prefetches_tree(const pn_core_config *c, const pn_core_counts *n)
{
    json_t *o = json_object();
    (void)json_object_set_new(o, "l1d",
                              prefetch_tree(&n->l1d_prefetch,
                                            pn_prefetch_of_l1d[c->l1d_prefetch.kind],
                                            c->l1d_prefetch.level, n->l1d.misses));
    (void)json_object_set_new(o, "l2",
                              prefetch_tree(&n->l2_prefetch, pn_prefetch_of_l2[c->l2_prefetch.kind],
                                            c->l2_prefetch.level, n->l2.misses));
    return o;
}

static json_t *branch_tree(const pn_core_counts *n)
{
    const pn_predict_stats *p = &n->predict;
    uint64_t missed = p->conditional_missed + p->indirect_missed + p->returns_missed;
    json_t *o = json_object();
    set_count(o, "branches", p->branches);
    set_count(o, "mispredicted", missed);
    set_number(o, "mpki", over(1000.0 * (double)missed, (double)n->instructions));
    set_count(o, "conditional", p->conditional);
    set_count(o, "conditional_mispredicted", p->conditional_missed);
    set_count(o, "indirect", p->indirect);
    set_count(o, "indirect_mispredicted", p->indirect_missed);
    set_count(o, "returns", p->returns);
    set_count(o, "returns_mispredicted", p->returns_missed);
    return o;
}

/* memory's peak over the active cores, at the reads and writes of this phase. */
static double share_at_gbs(const pn_run_settings *s, const pn_sim_memory *memory,
                           const pn_core_counts *n)
{
    double reads = (double)n->door.reads;
    double lines = reads + (double)n->door.writes;
    return pn_sim_peak_at_gbs(memory, lines > 0.0 ? reads / lines : 1.0) / s->config.active_cores;
}

static json_t *core_tree(const pn_core_result *r, double seconds, double share_gbs)
{
    const pn_core_counts *n = &r->measured;
    double lines = (double)(n->door.reads + n->door.writes);
    double gbs = over(lines * PN_LINE_BYTES / 1e9, seconds);
    json_t *o = json_object();
    set_count(o, "instructions", n->instructions);
    set_count(o, "cycles", r->measured_cyc);
    set_number(o, "ipc", over((double)n->instructions, (double)r->measured_cyc));
    set_number(o, "time_us", seconds * 1e6);
    set_number(o, "bandwidth_gbs", gbs);
    set_number(o, "share_at_these_reads_gbs", share_gbs);
    set_number(o, "share_used_pct", 100.0 * over(gbs, share_gbs));
    set_count(o, "uops", n->uops);
    set_count(o, "loads", n->loads);
    set_count(o, "stores", n->stores);
    set_count(o, "loads_forwarded", n->forwarded);
    set_count(o, "stall_rob_cycles", n->stall_rob_cyc);
    set_count(o, "stall_lob_cycles", n->stall_lob_cyc);
    set_count(o, "stall_store_buffer_cycles", n->stall_store_cyc);
    set_count(o, "stall_mispredict_cycles", n->stall_branch_cyc);
    set_count(o, "stall_fetch_cycles", n->stall_fetch_cyc);
    return o;
}

/* The parts add up to the cycles of the phase. */
static json_t *cpi_tree(const pn_core_result *r)
{
    const pn_core_counts *n = &r->measured;
    json_t *o = json_object();
    json_t *cycles = json_object();
    json_t *cpi = json_object();
    json_t *share = json_object();
    for (int i = 0; i < PN_CPI_COUNT; i++) {
        double part = (double)n->cpi_cyc[i];
        set_count(cycles, pn_cpi_names[i], n->cpi_cyc[i]);
        set_number(cpi, pn_cpi_names[i], over(part, (double)n->instructions));
        set_number(share, pn_cpi_names[i], 100.0 * over(part, (double)r->measured_cyc));
    }
    (void)json_object_set_new(o, "cycles", cycles);
    (void)json_object_set_new(o, "cpi", cpi);
    (void)json_object_set_new(o, "share_pct", share);
    return o;
}

static uint64_t sum_of(const uint64_t cycles[PN_CBUSY_LEVELS])
{
    uint64_t sum = 0;
    for (int i = 0; i < PN_CBUSY_LEVELS; i++)
        sum += cycles[i];
    return sum;
}

/* Per level: responses with it, and the shares of time it was in effect in the core and that each
 * prefetcher had that level. */
static json_t *cbusy_tree(const pn_core_counts *n)
{
    static const char *const names[] = {"level_0", "level_1", "level_2", "level_3"};
    double cycles = (double)sum_of(n->cbusy.level_cyc);
    json_t *o = json_object();
    for (int i = 0; i < PN_CBUSY_LEVELS; i++) {
        json_t *level = json_object();
        set_count(level, "responses", n->cbusy_seen[i]);
        set_number(level, "in_effect_pct", over(100.0 * (double)n->cbusy.level_cyc[i], cycles));
        set_number(level, "l1d_prefetcher_pct",
                   over(100.0 * (double)n->cbusy.l1d_prefetch_cyc[i], cycles));
        set_number(level, "l2_prefetcher_pct",
                   over(100.0 * (double)n->cbusy.l2_prefetch_cyc[i], cycles));
        (void)json_object_set_new(o, names[i], level);
    }
    return o;
}

static json_t *throttle_tree(const pn_core_config *c, const pn_cbusy_stats *s)
{
    static const char *const names[] = {"limit_above_3_4_pct", "limit_above_1_2_pct",
                                        "limit_above_1_4_pct", "limit_below_pct"};
    static const char *const controls[] = {"off", "prefetch", "limit", "both"};
    double cycles = (double)sum_of(s->limit_cyc);
    json_t *o = json_object();
    set_text(o, "control", controls[c->cbusy.control]);
    set_count(o, "windows", s->windows);
    set_count(o, "limit_most_lines", c->l2.mshrs);
    set_number(o, "limit_mean_lines", over((double)s->limit_line_cyc, cycles));
    for (int i = 0; i < PN_CBUSY_LEVELS; i++)
        set_number(o, names[i], over(100.0 * (double)s->limit_cyc[i], cycles));
    return o;
}

static json_t *latency_tree(const pn_hist *hist, uint64_t lines, uint64_t sum_ps, double seconds)
{
    json_t *o = json_object();
    set_count(o, "lines", lines);
    set_number(o, "bandwidth_gbs", over((double)lines * PN_LINE_BYTES / 1e9, seconds));
    set_number(o, "latency_mean_ns", over((double)sum_ps / 1000.0, (double)lines));
    set_number(o, "latency_p50_ns", pn_hist_quantile(hist, 0.50) / 1000.0);
    set_number(o, "latency_p95_ns", pn_hist_quantile(hist, 0.95) / 1000.0);
    set_number(o, "latency_p99_ns", pn_hist_quantile(hist, 0.99) / 1000.0);
    set_number(o, "outstanding_lines", over((double)sum_ps * 1e-12, seconds));
    return o;
}

/* One view of the whole run. */
static json_t *view_tree(uint64_t reads, uint64_t writes, double seconds, double read_ns,
                         double write_ns)
{
    json_t *o = json_object();
    set_count(o, "read_lines", reads);
    set_count(o, "write_lines", writes);
    set_number(o, "read_bandwidth_gbs", over((double)reads * PN_LINE_BYTES / 1e9, seconds));
    set_number(o, "write_bandwidth_gbs", over((double)writes * PN_LINE_BYTES / 1e9, seconds));
    set_number(o, "read_latency_ns", read_ns);
    set_number(o, "write_latency_ns", write_ns);
    return o;
}

static json_t *views_tree(const pn_run_settings *s, const pn_sim_memory *memory,
                          const pn_core_result *r)
{
    const pn_core_counts *n = &r->whole;
    double cycle_ns = 1e9 / (double)s->config.clock_hz;
    double seconds = (double)(r->warmup_cyc + r->measured_cyc) * cycle_ns * 1e-9;
    double on_chip_ns = pn_core_on_chip_ns(&s->config);
    pn_sim_memory_view m = pn_sim_memory_look(memory);
    json_t *o = json_object();
    double core_ns = over((double)n->view.cycles * cycle_ns, (double)n->view.lines) - on_chip_ns;
    (void)json_object_set_new(
        o, "core", view_tree(n->mem_lines, n->llc.dirty_out, seconds, core_ns, (double)NAN));
    (void)json_object_set_new(
        o, "interface",
        view_tree(n->door.reads, n->door.writes, seconds,
                  over((double)n->door.read_ps / 1000.0, (double)n->door.reads),
                  over((double)n->door.write_ps / 1000.0, (double)n->door.writes)));
    (void)json_object_set_new(o, "memory",
                              view_tree(m.reads, m.writes, seconds, m.read_ns, m.write_ns));
    bool agree = n->mem_lines == n->door.reads && n->door.reads == m.reads &&
                 n->llc.dirty_out == n->door.writes && n->door.writes == m.writes;
    (void)json_object_set_new(o, "lines_agree", json_boolean(agree));
    return o;
}

static json_t *memory_tree(const pn_run_settings *s, const pn_sim_memory *m)
{
    json_t *o = json_object();
    double share = m->peak_gbs / s->config.active_cores;
    set_text(o, "model", s->spec.model);
    set_text(o, "curves", s->spec.curves_path);
    set_count(o, "active_cores", s->config.active_cores);
    set_number(o, "theoretical_peak_gbs", m->theoretical_gbs);
    set_number(o, "peak_gbs", m->peak_gbs);
    set_number(o, "share_gbs", share);
    set_number(o, "on_chip_taken_off_ns", m->on_chip_ns);
    set_number(o, "idle_load_ns", m->idle_ns);
    return o;
}

json_t *pn_run_report(const pn_run_settings *s, const pn_sim_memory *memory, const pn_core *core,
                      const pn_core_result *r, const pn_trace *trace)
{
    const pn_core_counts *n = &r->measured;
    const pn_trace_info *about = pn_trace_about(trace);
    double seconds = (double)r->measured_cyc / (double)s->config.clock_hz;
    json_t *o = json_object();
    json_t *t = json_object();
    (void)json_object_set_new(o, "schema", json_string("panem-run-1"));
    set_text(t, "path", s->spec.trace_path);
    set_text(t, "name", about->name);
    set_count(t, "warmup_instructions", r->warmup.instructions);
    (void)json_object_set_new(t, "ended_early",
                              json_boolean(r->trace_ended && s->spec.instructions > 0));
    (void)json_object_set_new(t, "classes_unknown",
                              json_boolean(about->unknown & PN_UNKNOWN_CLASS));
    (void)json_object_set_new(t, "sizes_unknown", json_boolean(about->unknown & PN_UNKNOWN_SIZE));
    (void)json_object_set_new(t, "truncated", json_boolean(pn_trace_truncated(trace)));
    (void)json_object_set_new(o, "trace", t);
    (void)json_object_set_new(o, "memory", memory_tree(s, memory));
    (void)json_object_set_new(o, "core", core_tree(r, seconds, share_at_gbs(s, memory, n)));
    (void)json_object_set_new(o, "cpi_stack", cpi_tree(r));
    (void)json_object_set_new(o, "branches", branch_tree(n));
    json_t *levels = json_object();
    (void)json_object_set_new(levels, "l1i", level_tree(&n->l1i, n->instructions));
    (void)json_object_set_new(levels, "l1d", level_tree(&n->l1d, n->instructions));
    (void)json_object_set_new(levels, "l2", level_tree(&n->l2, n->instructions));
    (void)json_object_set_new(levels, "llc", level_tree(&n->llc, n->instructions));
    (void)json_object_set_new(o, "levels", levels);
    set_tlbs(o, &s->config, n);
    (void)json_object_set_new(o, "prefetches", prefetches_tree(&s->config, n));
    (void)json_object_set_new(
        o, "reads",
        latency_tree(pn_core_latency(core, false), n->door.reads, n->door.read_ps, seconds));
    (void)json_object_set_new(
        o, "writes",
        latency_tree(pn_core_latency(core, true), n->door.writes, n->door.write_ps, seconds));
    (void)json_object_set_new(o, "cbusy", cbusy_tree(n));
    (void)json_object_set_new(o, "cbusy_control", throttle_tree(&s->config, &n->cbusy));
    (void)json_object_set_new(o, "views_of_whole_run", views_tree(s, memory, r));
    set_text(o, "core_preset", s->spec.core);
    if (json_object_set_new(o, "config", config_tree(&s->config)) == 0)
        return o;
    json_decref(o);
    return NULL;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_value(const json_t *value, int width, int decimals, FILE *out)
{
    if (json_is_integer(value))
        fprintf(out, "%*" JSON_INTEGER_FORMAT, width, json_integer_value(value));
    else if (json_is_real(value))
        fprintf(out, "%*.*f", width, decimals, json_real_value(value));
    else if (json_is_string(value))
        fprintf(out, "%*s", width, json_string_value(value)[0] ? json_string_value(value) : "n/a");
    else if (json_is_boolean(value))
        fprintf(out, "%s", json_is_true(value) ? "yes" : "no");
    else
        fprintf(out, "%*s", width, "n/a");
}

static void print_section(const json_t *report, const char *name, const char *title, FILE *out)
{
    const char *key;
    json_t *value;
    fprintf(out, "\n%s\n", title);
    json_object_foreach(json_object_get(report, name), key, value)
    {
        fprintf(out, "  %-28s", key);
        print_value(value, 0, 3, out);
        fputc('\n', out);
    }
}

/* Sub-objects of equal keys as columns. */
static void print_columns(const json_t *o, const char *const *names, const char *title, FILE *out)
{
    const char *key;
    json_t *value;
    fprintf(out, "\n%-24s", title);
    for (int i = 0; names[i]; i++)
        fprintf(out, "%14s", names[i]);
    fputc('\n', out);
    json_object_foreach(json_object_get(o, names[0]), key, value)
    {
        fprintf(out, "  %-22s", key);
        for (int i = 0; names[i]; i++)
            print_value(json_object_get(json_object_get(o, names[i]), key), 14, 3, out);
        fputc('\n', out);
    }
}

/* Busy at level 1 or more, for this part of the responses. */
static const double OFTEN_BUSY = 0.5;
/* Accuracy below which cbusy_control turns a prefetcher off at level 1, by default. */
static const double INACCURATE_PCT = 50.0;

static double number_at(const json_t *o, const char *key, const char *inner)
{
    const json_t *value = json_object_get(json_object_get(o, key), inner);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* What docs/core.md advises: inaccurate prefetches into a busy memory cost more than they bring. */
static void advise(const json_t *report, FILE *out)
{
    static const char *const levels[] = {"l1d", "l2"};
    const json_t *busy = json_object_get(report, "cbusy");
    const json_t *prefetches = json_object_get(report, "prefetches");
    const char *control =
        json_string_value(json_object_get(json_object_get(report, "cbusy_control"), "control"));
    double idle = number_at(busy, "level_0", "responses");
    double others = number_at(busy, "level_1", "responses") +
                    number_at(busy, "level_2", "responses") +
                    number_at(busy, "level_3", "responses");
    if (strcmp(control, "off") != 0 || !(others > OFTEN_BUSY * (idle + others)))
        return;
    for (int i = 0; i < 2; i++) {
        double accuracy = number_at(prefetches, levels[i], "accuracy_pct");
        if (number_at(prefetches, levels[i], "useless") > 0.0 && accuracy < INACCURATE_PCT) {
            fprintf(out,
                    "  note: the memory is busy and %.0f %% of what the %s prefetcher brought was "
                    "used; try --set cbusy_control=prefetch\n",
                    accuracy, levels[i]);
        }
    }
}

static void print_tlbs(const json_t *o, FILE *out)
{
    static const char *const tlbs[] = {"l1i", "l1d", "l2", NULL};
    if (!o)
        return;
    print_columns(o, tlbs, "TLBs", out);
    fprintf(out, "  %-22s", "page walks");
    print_value(json_object_get(o, "page_walks"), 14, 0, out);
    fputs(", cycles of each", out);
    print_value(json_object_get(o, "page_walk_cycles"), 10, 1, out);
    fputc('\n', out);
}

bool pn_run_print(const json_t *report, FILE *out)
{
    static const char *const stack[] = {"cycles", "cpi", "share_pct", NULL};
    static const char *const levels[] = {"l1i", "l1d", "l2", "llc", NULL};
    static const char *const prefetchers[] = {"l1d", "l2", NULL};
    static const char *const busy[] = {"level_0", "level_1", "level_2", "level_3", NULL};
    static const char *const kinds[] = {"reads", "writes", NULL};
    static const char *const views[] = {"core", "interface", "memory", NULL};
    const json_t *whole = json_object_get(report, "views_of_whole_run");
    print_section(report, "trace", "trace", out);
    print_section(report, "memory", "memory", out);
    print_section(report, "core", "core, measured phase", out);
    print_columns(json_object_get(report, "cpi_stack"), stack, "where the cycles went", out);
    print_section(report, "branches", "branches", out);
    print_columns(json_object_get(report, "levels"), levels, "caches", out);
    print_tlbs(json_object_get(report, "tlbs"), out);
    print_columns(json_object_get(report, "prefetches"), prefetchers, "prefetches", out);
    print_columns(report, kinds, "memory, measured phase", out);
    print_columns(json_object_get(report, "cbusy"), busy, "busy levels (CBusy)", out);
    print_section(report, "cbusy_control", "throttling by busy level", out);
    advise(report, out);
    print_columns(whole, views, "views of the whole run", out);
    fprintf(out, "  lines %s\n",
            json_is_true(json_object_get(whole, "lines_agree")) ? "agree" : "DO NOT AGREE");
    return true;
}
