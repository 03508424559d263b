/* cmd_trace_info.c - `panem trace info`. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/cmd_trace.h"
#include "cli/commands.h"
#include "trace/stats.h"

enum { KEY_QUICK = 256, KEY_MAX, KEY_FORMAT };

static const struct argp_option OPTIONS[] = {
    {"quick", KEY_QUICK, NULL, 0, "only what the file says about itself; do not read it through",
     0},
    {"max", KEY_MAX, "N", 0, "measure the first N instructions (default: all)", 0},
    {"format", KEY_FORMAT, "F", 0, "table or json (default table)", 0},
    PN_TRACE_INPUT_OPTIONS,
    {0},
};

typedef struct settings {
    pn_trace_options input;
    const char *path;
    uint64_t max;
    bool quick, json;
} settings;

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    if (pn_trace_input_key(key)) {
        status = pn_trace_input_option(&s->input, key, arg, &err);
        return status == PANEM_OK ? 0 : pn_option_error(state, &err);
    }
    switch (key) {
    case KEY_QUICK:
        s->quick = true;
        break;
    case KEY_MAX:
        status = pn_unit_parse_u64(&s->max, arg, PN_DIM_COUNT, 1, UINT64_MAX / 2, "--max", &err);
        break;
    case KEY_FORMAT:
        s->json = pn_option_format(state, arg) == PN_FORMAT_JSON;
        break;
    case ARGP_KEY_ARG:
        if (s->path)
            return ARGP_ERR_UNKNOWN;
        s->path = arg;
        break;
    case ARGP_KEY_END:
        if (!s->path)
            status = pn_err(&err, PANEM_E_ARG, "trace info: no trace was given");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

/* ---- output: one tree, printed as a table or as JSON ----------------------------------------- */

static void set_u64(json_t *o, const char *key, uint64_t v)
{
    (void)json_object_set_new(o, key, json_integer((json_int_t)v));
}

static void set_text(json_t *o, const char *key, const char *v)
{
    (void)json_object_set_new(o, key, json_string(v));
}

/* A quotient, or null when there is nothing to divide by. */
static void set_ratio(json_t *o, const char *key, uint64_t part, uint64_t whole)
{
    (void)json_object_set_new(o, key,
                              whole ? json_real((double)part / (double)whole) : json_null());
}

static const char *time_unit_name(pn_time_unit unit)
{
    static const char *const names[] = {"none", "ps", "cycles", "instructions"};
    return names[unit];
}

static json_t *about(const pn_trace_info *i)
{
    json_t *o = json_object();
    char hash[20];
    set_text(o, "format", pn_trace_format_names[i->format]);
    set_text(o, "kind", i->kind == PN_TRACE_MEMORY ? "memory only" : "instructions");
    set_text(o, "isa", pn_isa_name(i->isa));
    set_text(o, "name", i->name);
    set_text(o, "source", i->source);
    set_text(o, "command", i->command);
    set_u64(o, "decoder_version", i->decoder_version);
    set_u64(o, "skipped", i->skipped);
    if (i->kind == PN_TRACE_MEMORY)
        set_text(o, "time_unit", time_unit_name(i->time_unit));
    if (i->clock_hz)
        set_u64(o, "clock_hz", i->clock_hz);
    if (i->unknown & PN_UNKNOWN_SIZE)
        set_text(o, "access_sizes", "unknown");
    if (i->unknown & PN_UNKNOWN_CLASS)
        set_text(o, "instruction_classes", "unknown");
    if (!i->has_totals)
        return o;
    (void)snprintf(hash, sizeof hash, "%016" PRIx64, i->content_hash);
    set_text(o, "content_hash", hash);
    set_u64(o, "total_instructions", i->instructions);
    set_u64(o, "total_reads", i->reads);
    set_u64(o, "total_writes", i->writes);
    set_u64(o, "total_undecoded", i->undecoded);
    if (i->records)
        set_u64(o, "total_records", i->records);
    json_t *threads = json_array();
    for (size_t t = 0; t < i->n_threads; t++) {
        json_t *one = json_object();
        set_u64(one, "thread", i->threads[t].id);
        set_u64(one, "instructions", i->threads[t].instructions);
        set_u64(one, "reads", i->threads[t].reads);
        set_u64(one, "writes", i->threads[t].writes);
        set_u64(one, "syscalls", i->threads[t].syscalls);
        (void)json_array_append_new(threads, one);
    }
    (void)json_object_set_new(o, "threads", threads);
    return o;
}

static json_t *mix(const pn_trace_stats *s)
{
    json_t *o = json_object();
    for (unsigned c = 0; c < PN_CLASS_COUNT; c++) {
        if (s->by_class[c])
            set_u64(o, pn_class_name(c), s->by_class[c]);
    }
    return o;
}

static json_t *branches(const pn_trace_stats *s)
{
    json_t *o = json_object();
    for (unsigned b = 1; b < PN_BRANCH_COUNT; b++) {
        if (!s->branches[b])
            continue;
        json_t *one = json_object();
        set_u64(one, "count", s->branches[b]);
        set_ratio(one, "taken_frac", s->taken[b], s->branches[b]);
        (void)json_object_set_new(o, pn_branch_name(b), one);
    }
    return o;
}

static json_t *measured(const pn_trace_stats *s, bool instructions)
{
    json_t *o = json_object();
    enum { KILO = 1000 };
    uint64_t all_branches = s->instructions - s->branches[PN_BRANCH_NONE];
    if (instructions) {
        set_u64(o, "instructions", s->instructions);
        set_u64(o, "continued_parts", s->parts);
        set_ratio(o, "uops_per_instruction", s->uops, s->instructions);
        set_u64(o, "loads", s->loads);
        set_u64(o, "stores", s->stores);
        set_u64(o, "atomics", s->atomics);
        set_u64(o, "prefetches", s->prefetches);
        set_u64(o, "cache_operations", s->cache_ops);
        set_ratio(o, "branch_frac", all_branches, s->instructions);
        (void)json_object_set_new(o, "mix", mix(s));
        (void)json_object_set_new(o, "branches", branches(s));
        set_u64(o, "static_instructions", s->static_instructions);
        set_u64(o, "code_lines", s->code_lines);
        set_u64(o, "changed_code_pcs", s->changed);
        set_u64(o, "undecoded", s->undecoded);
        set_u64(o, "unexpected_accesses", s->unexpected);
        set_u64(o, "resized_accesses", s->resized);
        set_u64(o, "missing_accesses", s->missing);
        set_u64(o, "discontinuities", s->discontinuities);
        set_u64(o, "syscalls", s->syscalls);
    }
    set_u64(o, "reads", s->reads);
    set_u64(o, "writes", s->writes);
    set_ratio(o, "read_frac_of_accesses", s->reads, s->reads + s->writes);
    set_u64(o, "read_bytes", s->read_bytes);
    set_u64(o, "write_bytes", s->write_bytes);
    set_u64(o, "accesses_of_unknown_size", s->unknown_size);
    set_u64(o, "data_lines", s->data_lines);
    set_u64(o, "data_lines_read", s->read_lines);
    set_u64(o, "data_lines_written", s->written_lines);
    set_u64(o, "data_pages", s->data_pages);
    set_u64(o, "misses_2mib_8way", s->cache_misses);
    if (instructions)
        set_ratio(o, "mpki_2mib_8way", s->cache_misses * KILO, s->instructions);
    return o;
}

static void print_tree(json_t *o, int depth)
{
    const char *key;
    json_t *value;
    json_object_foreach(o, key, value)
    {
        printf("%*s%-*s ", depth * 2, "", 28 - depth * 2, key);
        if (json_is_string(value))
            printf("%s\n", json_string_value(value));
        else if (json_is_integer(value))
            printf("%" JSON_INTEGER_FORMAT "\n", json_integer_value(value));
        else if (json_is_real(value))
            printf("%.4f\n", json_real_value(value));
        else if (json_is_null(value))
            printf("n/a\n");
        else if (json_is_object(value)) {
            printf("\n");
            print_tree(value, depth + 1);
        } else {
            printf("%zu\n", json_array_size(value));
            for (size_t i = 0; i < json_array_size(value); i++)
                print_tree(json_array_get(value, i), depth + 1);
        }
    }
}

static int print(json_t *tree, bool as_json)
{
    if (as_json) {
        (void)json_dumpf(tree, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
        printf("\n");
    } else {
        print_tree(tree, 0);
    }
    json_decref(tree);
    return PN_EXIT_OK;
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_trace *trace = NULL;
    pn_trace_stats stats = {0};
    if (pn_trace_open(&trace, s->path, &s->input, &err) != PANEM_OK)
        return pn_fail(&err);
    const pn_trace_info *info = pn_trace_about(trace);
    if (!s->quick && pn_trace_measure(&stats, trace, s->max, &err) != PANEM_OK) {
        pn_trace_close(trace);
        return pn_fail(&err);
    }
    json_t *tree = about(info);
    if (!s->quick)
        (void)json_object_set_new(tree, "measured",
                                  measured(&stats, info->kind == PN_TRACE_INSTRUCTIONS));
    if (pn_trace_truncated(trace))
        (void)json_object_set_new(tree, "truncated", json_true());
    pn_trace_tell_truncated(trace, s->path);
    int code = print(tree, s->json);
    pn_trace_close(trace);
    return code;
}

const pn_command pn_cmd_trace_info = {
    .name = "trace info",
    .arguments = "TRACE",
    .summary = "what a trace says about itself and what is in it",
    .details =
        "Reads any trace format (by content; compressed or not; - for standard input). Counts of "
        "one "
        "stream (--thread): instruction mix, branches by kind, accesses, footprint in different "
        "64-byte lines and 4096-byte pages, code that changed (pcs with more than one content), "
        "executed instructions the decoder does not know. prefetches and cache_operations (flush, "
        "clean, dc zva) count instructions whose address a recording lacks. unexpected_accesses "
        "are accesses in a "
        "direction the decoded instruction does not have, resized ones have another size than "
        "decoded, "
        "missing ones did not happen (a failed store-exclusive): more than a handful is a fault of "
        "the "
        "decoder. misses_2mib_8way: lines missed by a cold 2 MiB 8-way LRU data cache: how much of "
        "the trace reaches the memory system.",
    .examples = "panem trace info xz.ptrace\n"
                "xzcat c.champsimtrace.xz | panem trace info --format json -\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
};
