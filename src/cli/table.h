/* table.h - one set of rows, printed as an aligned table, CSV or JSON.
 *
 * Columns carry their unit in the key (latency_ns), so no format can lose it. In a table numbers
 * have the column's decimals; in CSV and JSON every digit that matters. A missing value is "n/a",
 * an empty field, null. */
#ifndef PN_CLI_TABLE_H
#define PN_CLI_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "cli/cmd.h"

typedef struct pn_column {
    const char *key;   /* CSV header and JSON key, unit at the end: bandwidth_gbs */
    const char *title; /* table header, first line */
    const char *unit;  /* table header, second line; "" when none */
    int decimals;      /* numbers in the table; -1: text, -2: whole number */
} pn_column;

typedef struct pn_table pn_table;

/* columns must outlive the table. NULL when there is no memory. */
pn_table *pn_table_new(const pn_column *columns, size_t count);
void pn_table_free(pn_table *table);
/* Cells of a row in column order, from the left; row ends when every column has its cell. NaN and
 * infinity count as missing. */
void pn_table_number(pn_table *table, double value);
void pn_table_text(pn_table *table, const char *text);
void pn_table_missing(pn_table *table);
/* True when memory ran out for a cell: the table is not whole and must not be printed. */
bool pn_table_failed(const pn_table *table);
/* The rows as a JSON array of objects; the caller owns it. */
json_t *pn_table_json(const pn_table *table);
/* TABLE or CSV to a stream; JSON prints {"rows": [...]}. */
void pn_table_print(const pn_table *table, pn_format format, FILE *out);

/* Writes a JSON value with two-space indentation and a final line break; drops the reference. */
void pn_json_print(json_t *json, FILE *out);
/* json_real, or null when the value is not finite; -0 becomes 0. */
json_t *pn_json_number(double value);

#endif
