/* err.c - see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *panem_status_text(panem_status status)
{
    switch (status) {
#define PN_STATUS_CASE(name, value, text) \
    case PANEM_##name:                    \
        return text;
        PANEM_STATUS_LIST(PN_STATUS_CASE)
#undef PN_STATUS_CASE
    }
    return "unknown status";
}

const char *panem_version(void)
{
    return PANEM_VERSION_STRING;
}

static void fill(panem_error *err, panem_status status, const char *file, uint32_t line,
                 uint32_t col, const char *format, va_list args) PN_PRINTF(6, 0);

static void fill(panem_error *err, panem_status status, const char *file, uint32_t line,
                 uint32_t col, const char *format, va_list args)
{
    if (!err || err->status != PANEM_OK)
        return;
    err->status = status;
    err->line = line;
    err->col = col;
    (void)snprintf(err->file, sizeof err->file, "%s", file ? file : "");
    (void)vsnprintf(err->message, sizeof err->message, format, args);
}

#ifdef __clang_analyzer__
#undef pn_err
#undef pn_err_at
#endif

panem_status pn_err(panem_error *err, panem_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, NULL, 0, 0, format, args);
    va_end(args);
    return status;
}

panem_status pn_err_at(panem_error *err, panem_status status, const char *file, uint32_t line,
                       uint32_t col, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, file, line, col, format, args);
    va_end(args);
    return status;
}
