/* csv_write.h - our own curve file (docs/formats/curves-csv.md), writing side. */
#ifndef PN_IMPORT_CSV_WRITE_H
#define PN_IMPORT_CSV_WRITE_H

#include "base/text.h"
#include "curve/raw.h"

/* The set as CSV: metadata lines, "# order:", the header, then curves by rising read fraction, each
 * with its points in the order they have. Columns of deviations appear when any point has one.
 * Every number reads back as the same double. E_NOMEM. Allocates. */
panem_status pn_csv_format(pn_text *text, const pn_rawset *set, panem_error *err);

#endif
