/* raw.h - measured points with the place they came from, before any repair.
 *
 * What every reader produces and what pn_curves_build consumes. A pn_rawset starts as
 * pn_rawset_init(&set, allocator) and ends with pn_rawset_release. Names and texts are copied. */
#ifndef PN_CURVE_RAW_H
#define PN_CURVE_RAW_H

#include <panem.h>

typedef struct pn_raw_point {
    double read_frac;     /* 0..1 */
    double bandwidth_gbs; /* as measured; may be negative or NaN in dirty data */
    double latency_ns;
    double bandwidth_std_gbs; /* NaN: not known */
    double latency_std_ns;    /* NaN: not known */
    uint32_t file;            /* index into files */
    uint32_t line;            /* 1-based; for points from memory 1 + index */
} pn_raw_point;

typedef struct pn_raw_meta {
    char *key;
    char *value;
} pn_raw_meta;

typedef struct pn_rawset {
    panem_allocator allocator;
    pn_raw_point *points;
    size_t count, capacity;
    char **files;
    uint32_t file_count, file_capacity;
    pn_raw_meta *meta;
    uint32_t meta_count, meta_capacity;
    panem_order order; /* of the points of each curve, as the source states it */
} pn_rawset;

/* allocator NULL: malloc and free. Does not allocate. */
void pn_rawset_init(pn_rawset *set, const panem_allocator *allocator);
void pn_rawset_release(pn_rawset *set);

/* E_NOMEM only. */
panem_status pn_rawset_add(pn_rawset *set, const pn_raw_point *point, panem_error *err);
/* Registers a source file; its index goes into points. */
panem_status pn_rawset_add_file(pn_rawset *set, uint32_t *index, const char *name,
                                panem_error *err);
/* Sets or replaces a metadata value. Line breaks in value become blanks. */
panem_status pn_rawset_set_meta(pn_rawset *set, const char *key, const char *value,
                                panem_error *err);
/* NULL when absent. */
const char *pn_rawset_meta(const pn_rawset *set, const char *key);

#endif
