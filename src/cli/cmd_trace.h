/* cmd_trace.h - what the trace commands share. */
#ifndef PN_CLI_CMD_TRACE_H
#define PN_CLI_CMD_TRACE_H

#include "cli/cmd.h"
#include "trace/trace.h"

/* Options every command that reads a trace has; keys as below. */
enum { PN_TRACE_KEY_FROM = 900, PN_TRACE_KEY_THREAD, PN_TRACE_KEY_TRUNCATED };
#define PN_TRACE_INPUT_OPTIONS                                                                 \
    {"from",                                                                                   \
     PN_TRACE_KEY_FROM,                                                                        \
     "FORMAT",                                                                                 \
     0,                                                                                        \
     "format of the input: ptrace, champsim, cloudsuite, gem5, dramsim3, ramulator, dramsys, " \
     "lackey (default: by content)",                                                           \
     0},                                                                                       \
        {"thread", PN_TRACE_KEY_THREAD, "N", 0, "stream to read (default 0)", 0},              \
    {                                                                                          \
        "accept-truncated", PN_TRACE_KEY_TRUNCATED, NULL, 0,                                   \
            "take a file that is cut short as far as it is whole", 0                           \
    }

/* Takes one of these keys; E_ARG with a message. */
panem_status pn_trace_input_option(pn_trace_options *options, int key, const char *arg,
                                   panem_error *err);
bool pn_trace_input_key(int key);
/* A format by name. */
panem_status pn_trace_format_named(pn_trace_format *format, const char *name, const char *what,
                                   panem_error *err);
/* Warns when reading ended early. */
void pn_trace_tell_truncated(const pn_trace *trace, const char *path);

#endif
