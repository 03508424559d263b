/* format.h - what one foreign format is, and what its reader may use. Internal to src/import.
 *
 * A reader walks the text once, calls pn_import_add for each point in rising load order (or
 * pn_import_reverse afterwards) and returns the first fault with its line. It converts nothing
 * itself: the units it declares, or sets from the file's own header, are applied by pn_import_add.
 */
#ifndef PN_IMPORT_FORMAT_H
#define PN_IMPORT_FORMAT_H

#include <math.h>

#include "base/err.h"
#include "import/import.h"
#include "import/lines.h"

/* How firmly a unit is known. */
typedef enum pn_unit_ground {
    PN_UNIT_STATED = 0, /* the file says it: a contradicting option is an error */
    PN_UNIT_CUSTOM,     /* the format's custom: an option replaces it */
    PN_UNIT_UNKNOWN     /* must be given */
} pn_unit_ground;

typedef struct pn_import pn_import;

typedef struct pn_import_format {
    const char *name;
    const char *bandwidth_unit; /* a name of pn_import_units */
    pn_unit_ground bandwidth_ground;
    pn_latency_unit latency_unit;
    pn_unit_ground latency_ground;
    bool one_point_per_file; /* several files may make one curve */
    bool (*recognize)(const pn_source *source);
    panem_status (*parse)(pn_import *import, const pn_source *source);
} pn_import_format;

extern const pn_import_format pn_format_csv;
extern const pn_import_format pn_format_mess1;
extern const pn_import_format pn_format_mess2_csv;
extern const pn_import_format pn_format_mess2_json;
extern const pn_import_format pn_format_profet;
extern const pn_import_format pn_format_mlc;
extern const pn_import_format pn_format_asct;
extern const pn_import_format pn_format_multiload;

/* The import at hand, as readers see it. */
struct pn_import {
    pn_rawset *set;
    const pn_import_options *options;
    panem_error *err;
    const pn_import_format *format;
    const char *path;
    uint32_t file;   /* index of path in set->files */
    double unit_mul; /* GB/s = value x mul / div */
    double unit_div;
    double clock_ghz;   /* 0: latency is in ns */
    bool labels_unsure; /* set by the reader: labels may be kernel labels */
    panem_order order;  /* of the points as added; the reader may weaken it */
    struct pn_file_info *infos;
    size_t info_count;
    bool skipped; /* a file was left out */
};

/* One point: read percent or label as in the file, values in the file's units; stds NaN when not
 * known. */
panem_status pn_import_add(pn_import *import, double read_pct, double bandwidth, double latency,
                           double bandwidth_std, double latency_std, uint32_t line);
/* Turns the points from index first on around. */
void pn_import_reverse(pn_import *import, size_t first);
/* --read-pct, or E_ARG that asks for it. */
panem_status pn_import_need_read_pct(const pn_import *import, double *read_pct);
/* Refuses a --read-pct that contradicts what the file says. */
panem_status pn_import_stated_read_pct(const pn_import *import, double read_pct);
/* Sets the bandwidth unit by the name in a header; false: unknown name. */
bool pn_import_set_unit(pn_import *import, const char *name);
/* A remark about a line. A repair is E_STRICT under --strict. */
panem_status pn_import_say(const pn_import *import, pn_severity severity, uint32_t line,
                           const char *format, ...) PN_PRINTF(4, 5);
/* E_FORMAT at a line and column of the file at hand. */
panem_status pn_import_fault(const pn_import *import, uint32_t line, uint32_t col,
                             const char *format, ...) PN_PRINTF(4, 5);

#endif
