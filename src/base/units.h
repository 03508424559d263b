/* units.h - quantities with their unit in the literal: 90ns, 38.4GB/s, 3.2GHz, 64KiB, 5%.
 *
 * A bare number where a unit matters is an error (0 excepted). Prefixes k, M, G, T are powers of
 * 1000; Ki, Mi, Gi powers of 1024 and only for bytes. Independent of the locale. */
#ifndef PN_BASE_UNITS_H
#define PN_BASE_UNITS_H

#include <stddef.h>

#include "base/err.h"

typedef enum pn_dim {
    PN_DIM_NONE = 0,  /* plain number; no unit allowed */
    PN_DIM_TIME,      /* in ps: ps ns us ms s */
    PN_DIM_FREQUENCY, /* in Hz: Hz kHz MHz GHz */
    PN_DIM_BANDWIDTH, /* in bytes/s: B/s kB/s MB/s GB/s TB/s MiB/s GiB/s */
    PN_DIM_BYTES,     /* in bytes: B kB MB GB KiB MiB GiB */
    PN_DIM_FRACTION,  /* 0..1: a plain number, or a percentage with % */
    PN_DIM_COUNT      /* plain number; k M G allowed: 50M instructions */
} pn_dim;

/* Whole text to a value in the base unit named above. E_ARG with a message that lists the units of
 * the dimension. what names the quantity in messages, e.g. "--window". */
panem_status pn_unit_parse(double *value, const char *text, pn_dim dim, const char *what,
                           panem_error *err);

/* As pn_unit_parse, for a quantity that must be a whole number of base units from min to max. */
panem_status pn_unit_parse_u64(uint64_t *value, const char *text, pn_dim dim, uint64_t min,
                               uint64_t max, const char *what, panem_error *err);

/* Value in base units as text with a fitting unit, e.g. 520000 ps -> "520ns". At most size bytes.
 */
void pn_unit_format(char *text, size_t size, double value, pn_dim dim);

/* "ps, ns, us, ms, s" and so on; static storage. */
const char *pn_unit_names(pn_dim dim);

#endif
