/* list.c - see list.h. */
#include "cli/list.h"

#include <math.h>
#include <string.h>

enum { PART_MAX = 96 };

static panem_status append(pn_list *list, double value, const char *what, panem_error *err)
{
    if (list->count == PN_LIST_MAX)
        return pn_err(err, PANEM_E_ARG, "%s: more than %d values", what, PN_LIST_MAX);
    list->values[list->count++] = value;
    return PANEM_OK;
}

static panem_status parse_range(pn_list *list, char *text, pn_dim dim, const char *what,
                                panem_error *err)
{
    double v[3];
    int n = 0;
    for (char *p = text; p; n++) {
        char *colon = strchr(p, ':');
        if (n == 3)
            return pn_err(err, PANEM_E_ARG, "%s: a range is FIRST:LAST:STEP", what);
        if (colon)
            *colon = '\0';
        PN_TRY(pn_unit_parse(&v[n], p, dim, what, err));
        p = colon ? colon + 1 : NULL;
    }
    if (n == 1)
        return append(list, v[0], what, err);
    if (n != 3 || !(v[2] > 0.0) || v[1] < v[0])
        return pn_err(err, PANEM_E_ARG, "%s: a range is FIRST:LAST:STEP with a positive step",
                      what);
    double steps = floor((v[1] - v[0]) / v[2] + 1e-9);
    size_t last = steps < PN_LIST_MAX ? (size_t)steps : PN_LIST_MAX; /* which append refuses */
    for (size_t i = 0; i <= last; i++)
        PN_TRY(append(list, v[0] + (double)i * v[2], what, err));
    return PANEM_OK;
}

panem_status pn_list_parse(pn_list *list, const char *text, pn_dim dim, const char *what,
                           panem_error *err)
{
    list->count = 0;
    for (const char *at = text; at;) {
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        char part[PART_MAX];
        if (length == 0 || length >= sizeof part)
            return pn_err(err, PANEM_E_ARG, "%s: '%s' has an empty or overlong item", what, text);
        memcpy(part, at, length);
        part[length] = '\0';
        PN_TRY(parse_range(list, part, dim, what, err));
        at = comma ? comma + 1 : NULL;
    }
    return PANEM_OK;
}
