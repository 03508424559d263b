/* units.c - see units.h. */
#include "base/units.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

typedef struct unit {
    const char *name;
    double scale;
    bool prints; /* used for output */
} unit;

static const unit TIME_UNITS[] = {{"ps", 1, true},   {"ns", 1e3, true}, {"us", 1e6, true},
                                  {"ms", 1e9, true}, {"s", 1e12, true}, {NULL, 0, false}};
static const unit FREQUENCY_UNITS[] = {
    {"Hz", 1, true}, {"kHz", 1e3, true}, {"MHz", 1e6, true}, {"GHz", 1e9, true}, {NULL, 0, false}};
static const unit BANDWIDTH_UNITS[] = {{"B/s", 1, true},
                                       {"kB/s", 1e3, true},
                                       {"MB/s", 1e6, true},
                                       {"GB/s", 1e9, true},
                                       {"TB/s", 1e12, true},
                                       {"MiB/s", 1048576.0, false},
                                       {"GiB/s", 1073741824.0, false},
                                       {NULL, 0, false}};
static const unit BYTES_UNITS[] = {{"B", 1, true},
                                   {"kB", 1e3, false},
                                   {"MB", 1e6, false},
                                   {"GB", 1e9, false},
                                   {"KiB", 1024.0, true},
                                   {"MiB", 1048576.0, true},
                                   {"GiB", 1073741824.0, true},
                                   {NULL, 0, false}};
static const unit FRACTION_UNITS[] = {{"", 1, true}, {"%", 0.01, false}, {NULL, 0, false}};
static const unit COUNT_UNITS[] = {
    {"", 1, true}, {"k", 1e3, true}, {"M", 1e6, true}, {"G", 1e9, true}, {NULL, 0, false}};
static const unit NONE_UNITS[] = {{"", 1, true}, {NULL, 0, false}};

static const unit *units_of(pn_dim dim)
{
    switch (dim) {
    case PN_DIM_TIME:
        return TIME_UNITS;
    case PN_DIM_FREQUENCY:
        return FREQUENCY_UNITS;
    case PN_DIM_BANDWIDTH:
        return BANDWIDTH_UNITS;
    case PN_DIM_BYTES:
        return BYTES_UNITS;
    case PN_DIM_FRACTION:
        return FRACTION_UNITS;
    case PN_DIM_COUNT:
        return COUNT_UNITS;
    case PN_DIM_NONE:
        break;
    }
    return NONE_UNITS;
}

const char *pn_unit_names(pn_dim dim)
{
    switch (dim) {
    case PN_DIM_TIME:
        return "ps, ns, us, ms, s";
    case PN_DIM_FREQUENCY:
        return "Hz, kHz, MHz, GHz";
    case PN_DIM_BANDWIDTH:
        return "B/s, kB/s, MB/s, GB/s, TB/s, MiB/s, GiB/s";
    case PN_DIM_BYTES:
        return "B, kB, MB, GB, KiB, MiB, GiB";
    case PN_DIM_FRACTION:
        return "a fraction, or a percentage with %";
    case PN_DIM_COUNT:
        return "a plain number, or one with k, M, G";
    case PN_DIM_NONE:
        break;
    }
    return "a plain number";
}

panem_status pn_unit_parse(double *value, const char *text, pn_dim dim, const char *what,
                           panem_error *err)
{
    double number;
    size_t used = pn_num_parse(text, &number);
    if (used == 0)
        return pn_err(err, PANEM_E_ARG, "%s: '%s' is not a number", what, text);
    const char *suffix = text + used;
    if (number == 0.0 && *suffix == '\0') {
        *value = 0.0;
        return PANEM_OK;
    }
    for (const unit *u = units_of(dim); u->name; u++) {
        if (strcmp(suffix, u->name) == 0) {
            *value = number * u->scale;
            return PANEM_OK;
        }
    }
    if (*suffix == '\0')
        return pn_err(err, PANEM_E_ARG, "%s: '%s' has no unit (%s)", what, text,
                      pn_unit_names(dim));
    return pn_err(err, PANEM_E_ARG, "%s: unknown unit '%s' in '%s' (%s)", what, suffix, text,
                  pn_unit_names(dim));
}

panem_status pn_unit_parse_u64(uint64_t *value, const char *text, pn_dim dim, uint64_t min,
                               uint64_t max, const char *what, panem_error *err)
{
    double v;
    PN_TRY(pn_unit_parse(&v, text, dim, what, err));
    if (!(v >= (double)min && v <= (double)max)) {
        char low[PN_NUM_TEXT_MAX];
        char high[PN_NUM_TEXT_MAX];
        pn_unit_format(low, sizeof low, (double)min, dim);
        pn_unit_format(high, sizeof high, (double)max, dim);
        return pn_err(err, PANEM_E_ARG, "%s: '%s' is outside %s..%s", what, text, low, high);
    }
    double whole = floor(v + 0.5);
    if (fabs(whole - v) > 1e-6 * (fabs(v) < 1.0 ? 1.0 : 0.0) + 1e-9 * fabs(v))
        return pn_err(err, PANEM_E_ARG, "%s: '%s' is not a whole number", what, text);
    *value = (uint64_t)whole;
    return PANEM_OK;
}

void pn_unit_format(char *text, size_t size, double value, pn_dim dim)
{
    const unit *best = units_of(dim);
    for (const unit *u = best; u->name; u++) {
        /* A count is never cut to a fraction: 4096, not 4.096k. */
        bool whole = dim != PN_DIM_COUNT || floor(value / u->scale) == value / u->scale;
        if (u->prints && whole && fabs(value) >= u->scale)
            best = u;
    }
    char number[PN_NUM_TEXT_MAX];
    size_t length = pn_num_format(number, value / best->scale), unit_length = strlen(best->name);
    if (length >= size)
        length = size - 1;
    if (unit_length >= size - length)
        unit_length = size - length - 1;
    memcpy(text, number, length);
    memcpy(text + length, best->name, unit_length);
    text[length + unit_length] = '\0';
}
