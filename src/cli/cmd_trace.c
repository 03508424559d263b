/* cmd_trace.c - see cmd_trace.h. */
#include "cli/cmd_trace.h"

#include <string.h>

#include "base/text.h"
#include "base/units.h"

panem_status pn_trace_format_named(pn_trace_format *format, const char *name, const char *what,
                                   panem_error *err)
{
    for (unsigned i = 0; i < PN_TRACE_FORMAT_COUNT; i++) {
        if (strcmp(pn_trace_format_names[i], name) == 0) {
            *format = (pn_trace_format)i;
            return PANEM_OK;
        }
    }
    const char *near = pn_text_nearest(name, pn_trace_format_names);
    return pn_err(err, PANEM_E_ARG, "%s: there is no format '%s'%s%s", what, name,
                  near ? "; did you mean " : "", near ? near : "");
}

bool pn_trace_input_key(int key)
{
    return key >= PN_TRACE_KEY_FROM && key <= PN_TRACE_KEY_TRUNCATED;
}

panem_status pn_trace_input_option(pn_trace_options *options, int key, const char *arg,
                                   panem_error *err)
{
    uint64_t number;
    switch (key) {
    case PN_TRACE_KEY_FROM:
        return pn_trace_format_named(&options->format, arg, "--from", err);
    case PN_TRACE_KEY_THREAD:
        PN_TRY(pn_unit_parse_u64(&number, arg, PN_DIM_COUNT, 0, UINT32_MAX, "--thread", err));
        options->thread = (uint32_t)number;
        return PANEM_OK;
    default:
        options->accept_truncated = true;
        return PANEM_OK;
    }
}

void pn_trace_tell_truncated(const pn_trace *trace, const char *path)
{
    if (pn_trace_truncated(trace))
        pn_warn("%s is cut short; the result is of its whole part", path);
}
