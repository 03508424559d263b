/* import.h - foreign curve files to raw points in GB/s, ns and read fraction.
 *
 * Every reader gives points as measured: units converted, order turned to rising load, nothing
 * repaired; repair is pn_curves_build's work, which then names the source's file and line. Formats
 * are told apart by content. docs/formats/imports.md describes each of them, with its units and
 * traps. No unit and no meaning of a label is guessed in silence: what a file does not state must
 * be in the options, or comes back as a note. Not part of libpanem. Nothing here is thread-aware:
 * one call, one thread. */
#ifndef PN_IMPORT_IMPORT_H
#define PN_IMPORT_IMPORT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "curve/raw.h"

typedef enum pn_severity {
    PN_NOTE = 0, /* worth knowing */
    PN_REPAIR,   /* the input was mended */
    PN_WARNING   /* probably wrong, or something was left out */
} pn_severity;

/* file "" and line 0: about the whole import. Valid during the call. */
typedef struct pn_import_note {
    pn_severity severity;
    const char *file;
    uint32_t line;
    const char *text;
} pn_import_note;

typedef void (*pn_import_note_fn)(void *user, const pn_import_note *note);

typedef enum pn_latency_unit {
    PN_LATENCY_UNSAID = 0,
    PN_LATENCY_NS,
    PN_LATENCY_CYCLES /* of a clock of clock_ghz */
} pn_latency_unit;

/* What the number that names a curve means. */
typedef enum pn_label {
    PN_LABEL_UNSAID = 0,
    PN_LABEL_TRAFFIC, /* R: percent of reads in the memory traffic */
    PN_LABEL_KERNEL   /* f: percent of loads in the generator's kernel; reads = 1 / (2 - f) */
} pn_label;

typedef struct pn_import_options {
    const char *format;           /* name of a format; NULL: by content */
    const char *bandwidth_unit;   /* a name of pn_import_units; NULL: as the format has it */
    pn_latency_unit latency_unit; /* UNSAID: as the format has it */
    double clock_ghz;             /* 0: not given; needed for cycles */
    double latency_offset_ns;     /* added to every latency after conversion */
    pn_label label;               /* for formats whose labels have two meanings */
    double read_pct;              /* NaN: not given; for sources of one unnamed mix */
    uint32_t table;               /* 1-based choice among the tables of one file; 0: not given */
    bool skip_bad;                /* leave a malformed file out, with a warning */
    bool strict;                  /* a repair or a skipped file is PANEM_E_STRICT */
    pn_import_note_fn note;       /* NULL: silent */
    void *note_user;
} pn_import_options;

#define PN_IMPORT_OPTIONS_INIT                                                                  \
    {                                                                                           \
        NULL, NULL, PN_LATENCY_UNSAID, 0.0, 0.0, PN_LABEL_UNSAID, (double)NAN, 0, false, false, \
            NULL, NULL                                                                          \
    }

/* Adds the curves of one file or folder (of bwlat_<n>.txt, or with a memory_curves.csv) to a set.
 * Any compression that base/file.h reads. On failure the set keeps the points it had.
 * E_ARG: an option is missing or contradicts the file; E_FORMAT, E_RANGE, E_EMPTY with file and
 * line; E_IO, E_DAMAGED; E_STRICT; E_NOMEM. */
panem_status pn_import_file(pn_rawset *set, const pn_import_options *options, const char *path,
                            panem_error *err);

/* The same for several inputs that together are one set: one meaning of labels, no curve twice. */
panem_status pn_import_paths(pn_rawset *set, const pn_import_options *options,
                             const char *const *paths, size_t count, panem_error *err);

/* The same for one text in memory. text[length] must be NUL; name stands for the path. */
panem_status pn_import_text(pn_rawset *set, const pn_import_options *options, const char *text,
                            size_t length, const char *name, panem_error *err);

/* "mess1, mess2-csv, ...": the names --format takes. Static storage, NULL-terminated. */
extern const char *const pn_import_format_names[];
/* "B/s", "kB/s", ... NULL-terminated. */
extern const char *const pn_import_units[];

#endif
