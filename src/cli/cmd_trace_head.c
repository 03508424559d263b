/* cmd_trace_head.c - `panem trace head`. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "base/units.h"
#include "cli/cmd_trace.h"
#include "cli/commands.h"

enum { KEY_FORMAT = 256, KEY_START };

static const struct argp_option OPTIONS[] = {
    {"count", 'n', "N", 0, "instructions or records to print (default 20)", 0},
    {"start", KEY_START, "N", 0, "number of the first instruction (default 0)", 0},
    {"format", KEY_FORMAT, "F", 0, "text, or json: one object a line (default text)", 0},
    PN_TRACE_INPUT_OPTIONS,
    {0},
};

typedef struct settings {
    pn_trace_options input;
    const char *path;
    uint64_t count, start;
    bool json;
    pn_isa isa;
} settings;

static panem_status take(settings *s, int key, char *arg, panem_error *err)
{
    if (pn_trace_input_key(key))
        return pn_trace_input_option(&s->input, key, arg, err);
    if (key == 'n')
        return pn_unit_parse_u64(&s->count, arg, PN_DIM_COUNT, 1, UINT64_MAX / 2, "--count", err);
    if (key == KEY_START)
        return pn_unit_parse_u64(&s->start, arg, PN_DIM_COUNT, 0, UINT64_MAX / 2, "--start", err);
    s->json = arg[0] == 'j';
    if (strcmp(arg, "json") != 0 && strcmp(arg, "text") != 0)
        return pn_err(err, PANEM_E_ARG, "--format: '%s' is neither text nor json", arg);
    return PANEM_OK;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    switch (key) {
    case ARGP_KEY_INIT:
        s->count = 20;
        break;
    case ARGP_KEY_ARG:
        if (s->path)
            return ARGP_ERR_UNKNOWN;
        s->path = arg;
        break;
    case ARGP_KEY_END:
        if (!s->path)
            status = pn_err(&err, PANEM_E_ARG, "trace head: no trace was given");
        break;
    default:
        if (key != 'n' && key != KEY_FORMAT && key != KEY_START && !pn_trace_input_key(key))
            return ARGP_ERR_UNKNOWN;
        status = take(s, key, arg, &err);
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static void print_registers(const char *what, const uint8_t *list, unsigned n, pn_isa isa)
{
    char name[16];
    for (unsigned i = 0; i < n; i++) {
        pn_reg_name(name, list[i], isa);
        printf("%s%s", i ? "," : what, name);
    }
}

static void print_text(uint64_t number, const pn_op *op, pn_isa isa)
{
    const pn_inst *inst = op->inst;
    char bytes[2 * PN_INST_BYTES + 1] = "";
    for (size_t i = 0; i < inst->length && !(inst->flags & PN_INST_NO_BYTES); i++)
        (void)snprintf(bytes + 2 * i, 3, "%02x", inst->bytes[i]);
    printf("%9" PRIu64 "%s %12" PRIx64 " %-20s %-13s", number,
           op->flags & PN_OP_CONTINUES ? "+" : " ", inst->pc, bytes, pn_class_name(inst->cls));
    print_registers(" dst=", inst->dst, inst->n_dst, isa);
    print_registers(" src=", inst->src, inst->n_src, isa);
    print_registers(" addr=", inst->addr, inst->n_addr, isa);
    if (inst->branch)
        printf(" %s %s %" PRIx64, pn_branch_name(inst->branch),
               op->flags & PN_OP_TAKEN ? "taken" : "not-taken", op->next_pc);
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        printf(" %c:%" PRIx64 "/%u", a->write ? 'W' : 'R', a->address, a->bytes);
    }
    printf("%s%s\n", op->flags & PN_OP_SYSCALL ? " syscall" : "",
           op->flags & PN_OP_JUMPED ? " jumped" : "");
}

static json_t *registers(const uint8_t *list, unsigned n, pn_isa isa)
{
    json_t *a = json_array();
    char name[16];
    for (unsigned i = 0; i < n; i++) {
        pn_reg_name(name, list[i], isa);
        (void)json_array_append_new(a, json_string(name));
    }
    return a;
}

static void print_json(uint64_t number, const pn_op *op, pn_isa isa)
{
    const pn_inst *inst = op->inst;
    json_t *accesses = json_array();
    for (unsigned i = 0; i < op->n_accesses; i++) {
        const pn_access *a = &op->accesses[i];
        (void)json_array_append_new(accesses,
                                    json_pack("{s:I,s:i,s:b}", "address", (json_int_t)a->address,
                                              "bytes", a->bytes, "write", a->write));
    }
    json_t *o = json_pack(
        "{s:I,s:I,s:s,s:i,s:s,s:b,s:I,s:o,s:o,s:o,s:o,s:b}", "number", (json_int_t)number, "pc",
        (json_int_t)inst->pc, "class", pn_class_name(inst->cls), "uops", inst->uops, "branch",
        pn_branch_name(inst->branch), "taken", (op->flags & PN_OP_TAKEN) != 0, "next_pc",
        (json_int_t)op->next_pc, "dst", registers(inst->dst, inst->n_dst, isa), "src",
        registers(inst->src, inst->n_src, isa), "addr", registers(inst->addr, inst->n_addr, isa),
        "accesses", accesses, "continues", (op->flags & PN_OP_CONTINUES) != 0);
    (void)json_dumpf(o, stdout, JSON_COMPACT);
    printf("\n");
    json_decref(o);
}

static panem_status print_ops(pn_trace *trace, const settings *s, panem_error *err)
{
    uint64_t printed = 0, number = s->start;
    pn_isa isa = pn_trace_about(trace)->isa;
    if (s->start)
        PN_TRY(pn_trace_seek(trace, s->start, err));
    for (;;) {
        pn_batch batch;
        PN_TRY(pn_trace_next(trace, &batch, err));
        if (batch.n_ops == 0)
            return PANEM_OK;
        for (size_t i = 0; i < batch.n_ops; i++) {
            const pn_op *op = &batch.ops[i];
            bool part = op->flags & PN_OP_CONTINUES;
            if (!part && printed++ == s->count)
                return PANEM_OK;
            uint64_t mine = part ? number - 1 : number++;
            if (s->json)
                print_json(mine, op, isa);
            else
                print_text(mine, op, isa);
        }
    }
}

static panem_status print_records(pn_trace *trace, const settings *s, panem_error *err)
{
    for (uint64_t i = 0; i < s->count; i++) {
        pn_mem_record r;
        size_t n = 0;
        PN_TRY(pn_trace_next_mem(trace, &r, &n, 1, err));
        if (n == 0)
            break;
        if (s->json)
            printf("{\"time\":%" PRIu64 ",\"address\":%" PRIu64 ",\"bytes\":%u,\"write\":%s}\n",
                   r.time, r.address, r.bytes, r.write ? "true" : "false");
        else
            printf("%12" PRIu64 " %c %16" PRIx64 " %u\n", r.time, r.write ? 'W' : 'R', r.address,
                   r.bytes);
    }
    return PANEM_OK;
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_trace *trace = NULL;
    if (pn_trace_open(&trace, s->path, &s->input, &err) != PANEM_OK)
        return pn_fail(&err);
    panem_status status = pn_trace_about(trace)->kind == PN_TRACE_MEMORY
                              ? print_records(trace, s, &err)
                              : print_ops(trace, s, &err);
    pn_trace_close(trace);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail(&err);
}

const pn_command pn_cmd_trace_head = {
    .name = "trace head",
    .arguments = "TRACE",
    .summary = "print instructions or records of a trace",
    .details = "One line each: number, pc, bytes, class, registers written, read and used for "
               "addresses, branch and where it went, accesses (R or W: address/bytes, 0 = not "
               "known). A + behind the number marks a further part of the same instruction. "
               "Memory-only traces: time, direction, address, bytes.",
    .examples = "panem trace head xz.ptrace\n"
                "panem trace head --start 50M -n 100 --format json xz.ptrace\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
};
