/* cmd_trace_copy.c - `panem trace convert`, `slice` and `redecode`. */
#include <string.h>

#include "base/units.h"
#include "cli/cmd_trace.h"
#include "cli/commands.h"
#include "trace/copy.h"

enum { KEY_START = 256, KEY_COUNT, KEY_TO, KEY_NAME };

#define OUTPUT_OPTION                                          \
    {                                                          \
        "output", 'o', "FILE", 0, "file to write; required", 0 \
    }
#define START_OPTION                                                                       \
    {                                                                                      \
        "start", KEY_START, "N", 0, "first instruction (or record) to take (default 0)", 0 \
    }
#define COUNT_OPTION                                                                      \
    {                                                                                     \
        "count", KEY_COUNT, "N", 0, "instructions (or records) to take (default: all)", 0 \
    }
#define NAME_OPTION                                                        \
    {                                                                      \
        "name", KEY_NAME, "NAME", 0, "short name kept in the new trace", 0 \
    }

static const struct argp_option CONVERT_OPTIONS[] = {
    OUTPUT_OPTION, {"to", KEY_TO, "FORMAT", 0, "ptrace or champsim (default: ptrace)", 0},
    NAME_OPTION,   PN_TRACE_INPUT_OPTIONS,
    {0},
};

static const struct argp_option SLICE_OPTIONS[] = {
    OUTPUT_OPTION, START_OPTION, COUNT_OPTION, NAME_OPTION, PN_TRACE_INPUT_OPTIONS, {0},
};

static const struct argp_option REDECODE_OPTIONS[] = {
    OUTPUT_OPTION,
    PN_TRACE_INPUT_OPTIONS,
    {0},
};

typedef struct settings {
    pn_copy_options copy;
    const char *in, *out;
} settings;

static panem_status take(settings *s, int key, char *arg, panem_error *err)
{
    if (pn_trace_input_key(key)) {
        s->copy.one_thread |= key == PN_TRACE_KEY_THREAD;
        return pn_trace_input_option(&s->copy.input, key, arg, err);
    }
    switch (key) {
    case 'o':
        s->out = arg;
        return PANEM_OK;
    case KEY_START:
        return pn_unit_parse_u64(&s->copy.start, arg, PN_DIM_COUNT, 0, UINT64_MAX / 2, "--start",
                                 err);
    case KEY_COUNT:
        return pn_unit_parse_u64(&s->copy.count, arg, PN_DIM_COUNT, 1, UINT64_MAX / 2, "--count",
                                 err);
    case KEY_NAME:
        s->copy.name = arg;
        return PANEM_OK;
    default:
        PN_TRY(pn_trace_format_named(&s->copy.to, arg, "--to", err));
        if (s->copy.to != PN_TRACE_FORMAT_PTRACE && s->copy.to != PN_TRACE_FORMAT_CHAMPSIM)
            return pn_err(err, PANEM_E_ARG, "--to: only ptrace and champsim are written");
        return PANEM_OK;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    switch (key) {
    case ARGP_KEY_INIT:
        s->copy.to = PN_TRACE_FORMAT_PTRACE;
        break;
    case ARGP_KEY_ARG:
        if (s->in)
            return ARGP_ERR_UNKNOWN;
        s->in = arg;
        break;
    case ARGP_KEY_END:
        if (!s->in)
            status = pn_err(&err, PANEM_E_ARG, "no trace was given");
        else if (!s->out)
            status = pn_err(&err, PANEM_E_ARG, "--output FILE is missing");
        break;
    default:
        if (key != 'o' && (key < KEY_START || key > KEY_NAME) && !pn_trace_input_key(key))
            return ARGP_ERR_UNKNOWN;
        status = take(s, key, arg, &err);
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static void tell(const settings *s, const pn_copy_result *r)
{
    typedef unsigned long long ull;
    if (r->truncated)
        pn_warn("%s is cut short; its whole part was taken", s->in);
    if (r->losses.registers || r->losses.accesses)
        pn_warn("ChampSim records have too few places: %llu registers and %llu accesses are left "
                "out",
                (ull)r->losses.registers, (ull)r->losses.accesses);
    if (r->losses.parts)
        pn_warn("%llu records go on with the instruction before", (ull)r->losses.parts);
    if (s->copy.redecode)
        fprintf(stderr, "panem: %llu static instructions decode differently now\n",
                (ull)r->redecoded);
    fprintf(stderr, "panem: wrote %llu %s\n", (ull)(r->records ? r->records : r->instructions),
            r->records ? "memory records" : "instructions");
}

static int run(void *user)
{
    const settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    pn_copy_result result = {0};
    if (pn_trace_copy(&result, s->out, s->in, &s->copy, &err) != PANEM_OK)
        return pn_fail(&err);
    tell(s, &result);
    return PN_EXIT_OK;
}

static int run_redecode(void *user)
{
    settings *s = user;
    s->copy.redecode = true;
    return run(user);
}

const pn_command pn_cmd_trace_convert = {
    .name = "trace convert",
    .arguments = "TRACE",
    .summary = "write a trace in another format",
    .details =
        "Reads any format panem knows and writes .ptrace or ChampSim's 64-byte records. What the "
        "source does not say (sizes, classes, lengths in ChampSim's case) is marked unknown, never "
        "made up. Formats without instructions become memory-only traces, which panem run refuses "
        "and panem traffic --trace replays. All streams of a .ptrace file are kept; ChampSim gets "
        "one (--thread).",
    .examples = "panem trace convert 605.mcf_s-472B.champsimtrace.xz -o mcf.ptrace\n"
                "panem trace convert xz.ptrace --to champsim -o - | xz > xz.champsimtrace.xz\n",
    .options = CONVERT_OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
};

const pn_command pn_cmd_trace_slice = {
    .name = "trace slice",
    .arguments = "TRACE",
    .summary = "take a part of a trace",
    .details = "Writes a .ptrace of --count instructions of every stream (or memory records) from "
               "--start on.",
    .examples = "panem trace slice --start 50M --count 10M -o part.ptrace xz.ptrace\n",
    .options = SLICE_OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
};

const pn_command pn_cmd_trace_redecode = {
    .name = "trace redecode",
    .arguments = "TRACE",
    .summary = "bring the stored decode of a trace up to the present decoder",
    .details = "A .ptrace keeps the bytes of its instructions and what the decoder made of them. "
               "Results do not change when the decoder does, until the trace is decoded again.",
    .examples = "panem trace redecode -o new.ptrace old.ptrace\n",
    .options = REDECODE_OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run_redecode,
};
