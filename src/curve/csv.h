/* csv.h - our own curve file (docs/formats/curves-csv.md), reading side. */
#ifndef PN_CURVE_CSV_H
#define PN_CURVE_CSV_H

#include "curve/raw.h"

/* Adds the points and metadata of a CSV text to a set, which must be initialized. name stands in
 * messages and as the source file. text need not be NUL-terminated.
 * E_FORMAT with line and column; E_RANGE (read_pct outside 0..100); E_EMPTY; E_NOMEM. */
panem_status pn_csv_parse(pn_rawset *set, const char *text, size_t length, const char *name,
                          panem_error *err);

/* True when the text looks like our CSV: its first line that is neither blank nor '#' names the
 * columns read_pct, bandwidth_gbs and latency_ns. */
int pn_csv_recognize(const char *text, size_t length);

/* Reads a plain file with stdio and parses it. E_IO besides the above. */
panem_status pn_csv_load(pn_rawset *set, const char *path, panem_error *err);

#endif
