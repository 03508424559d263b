/* param.h - tables that describe a plain struct of parameters. Not part of libpanem.
 *
 * From one table come the parser of "key=value", the printed resolved configuration, the help and
 * the manual, and later the sweep axes. A table is a constant; the struct it describes is passed by
 * pointer and is the caller's. */
#ifndef PN_BASE_PARAM_H
#define PN_BASE_PARAM_H

#include <stddef.h>

#include "base/err.h"
#include "base/text.h"
#include "base/units.h"

typedef enum pn_param_type {
    PN_PARAM_U32,    /* uint32_t */
    PN_PARAM_U64,    /* uint64_t in the dimension's base unit (time: ps) */
    PN_PARAM_DOUBLE, /* double in the dimension's base unit */
    PN_PARAM_BOOL,   /* uint32_t 0 or 1: on/off, true/false, yes/no, 1/0 */
    PN_PARAM_CHOICE  /* uint32_t index into choices */
} pn_param_type;

typedef struct pn_param {
    const char *name; /* key in files and on the command line: lower case with '_' */
    pn_param_type type;
    pn_dim dim;
    size_t offset;              /* of the field in the described struct */
    double initial;             /* default, base unit or index */
    double min, max;            /* allowed range, base unit; not used by BOOL and CHOICE */
    const char *const *choices; /* CHOICE: NULL-terminated names in value order */
    const char *why;            /* one line: what it is and why one would turn it */
} pn_param;

/* Writes every default. */
void pn_param_defaults(const pn_param *table, size_t count, void *target);
/* Sets one field from text. Unknown key: E_ARG with the nearest name. */
panem_status pn_param_set(const pn_param *table, size_t count, void *target, const char *key,
                          const char *value, panem_error *err);
/* As pn_param_set, from "key=value". */
panem_status pn_param_assign(const pn_param *table, size_t count, void *target,
                             const char *assignment, panem_error *err);
/* The value of one field as text that pn_param_set reads back to the same value. */
void pn_param_format(pn_text *text, const pn_param *param, const void *target);
/* "key = value   # why" lines for every parameter. */
void pn_param_print(pn_text *text, const pn_param *table, size_t count, const void *target);

#endif
