/* list.h - lists and ranges of numbers as options take them: 50,67,75,100 or 5%:150%:5%. */
#ifndef PN_CLI_LIST_H
#define PN_CLI_LIST_H

#include "base/err.h"
#include "base/units.h"

enum { PN_LIST_MAX = 1024 };

typedef struct pn_list {
    double values[PN_LIST_MAX];
    size_t count;
} pn_list;

/* Comma-separated values and FIRST:LAST:STEP ranges (LAST included when a step meets it to 1e-9).
 * what names the option in messages. E_ARG. */
panem_status pn_list_parse(pn_list *list, const char *text, pn_dim dim, const char *what,
                           panem_error *err);

#endif
