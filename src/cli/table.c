/* table.c - see table.h. */
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

typedef struct cell {
    double value;
    char *text; /* NULL: a number, or missing when value is NaN */
} cell;

struct pn_table {
    const pn_column *columns;
    size_t columns_count;
    cell *cells;
    size_t count, capacity;
    int *widths; /* scratch of the aligned print */
    bool failed;
};

pn_table *pn_table_new(const pn_column *columns, size_t count)
{
    pn_table *t = calloc(1, sizeof *t);
    int *widths = calloc(count, sizeof *widths);
    if (!t || !widths) {
        free(t);
        free(widths);
        return NULL;
    }
    t->columns = columns;
    t->columns_count = count;
    t->widths = widths;
    return t;
}

void pn_table_free(pn_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i].text);
    free(table->cells);
    free(table->widths);
    free(table);
}

static void add(pn_table *t, cell c)
{
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? t->capacity * 2 : 256;
        cell *cells = realloc(t->cells, capacity * sizeof *cells);
        if (!cells) {
            t->failed = true;
            free(c.text);
            return;
        }
        t->cells = cells;
        t->capacity = capacity;
    }
    t->cells[t->count++] = c;
}

void pn_table_number(pn_table *table, double value)
{
    add(table, (cell){isfinite(value) ? value : (double)NAN, NULL});
}

void pn_table_text(pn_table *table, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        table->failed = true;
    add(table, (cell){(double)NAN, copy});
}

bool pn_table_failed(const pn_table *table)
{
    return table->failed;
}

void pn_table_missing(pn_table *table)
{
    add(table, (cell){(double)NAN, NULL});
}

static void cell_text(char *out, size_t size, const pn_column *column, const cell *c)
{
    char number[PN_NUM_TEXT_MAX];
    if (c->text) {
        (void)snprintf(out, size, "%s", c->text);
    } else if (isnan(c->value)) {
        (void)snprintf(out, size, "n/a");
    } else {
        (void)pn_num_format_fixed(number, c->value, column->decimals > 0 ? column->decimals : 0);
        (void)snprintf(out, size, "%s", number);
    }
}

static void print_aligned(const pn_table *t, FILE *out)
{
    enum { CELL_MAX = 256 };
    char text[CELL_MAX];
    size_t rows = t->count / t->columns_count;
    int *width = t->widths;
    for (size_t c = 0; c < t->columns_count; c++) {
        size_t w = strlen(t->columns[c].title);
        if (strlen(t->columns[c].unit) > w)
            w = strlen(t->columns[c].unit);
        for (size_t r = 0; r < rows; r++) {
            cell_text(text, sizeof text, &t->columns[c], &t->cells[r * t->columns_count + c]);
            if (strlen(text) > w)
                w = strlen(text);
        }
        width[c] = (int)w;
    }
    for (int line = 0; line < 2; line++) {
        for (size_t c = 0; c < t->columns_count; c++) {
            const pn_column *k = &t->columns[c];
            fprintf(out, "%s%*s", c ? "  " : "", k->decimals == -1 ? -width[c] : width[c],
                    line ? k->unit : k->title);
        }
        fputc('\n', out);
    }
    for (size_t i = 0; i < rows * t->columns_count; i++) {
        size_t c = i % t->columns_count;
        cell_text(text, sizeof text, &t->columns[c], &t->cells[i]);
        fprintf(out, "%s%*s%s", c ? "  " : "", t->columns[c].decimals == -1 ? -width[c] : width[c],
                text, c + 1 == t->columns_count ? "\n" : "");
    }
}

static void print_csv(const pn_table *t, FILE *out)
{
    if (t->columns_count == 0)
        return;
    char number[PN_NUM_TEXT_MAX];
    for (size_t c = 0; c < t->columns_count; c++)
        fprintf(out, "%s%s", c ? "," : "", t->columns[c].key);
    fputc('\n', out);
    size_t rows = t->count / t->columns_count;
    for (size_t i = 0; i < rows * t->columns_count; i++) {
        const cell *c = &t->cells[i];
        if (i % t->columns_count)
            fputc(',', out);
        if (c->text && strpbrk(c->text, ",\"\n")) {
            fputc('"', out);
            for (const char *p = c->text; *p; p++)
                fprintf(out, *p == '"' ? "\"\"" : "%c", *p);
            fputc('"', out);
        } else if (c->text) {
            fputs(c->text, out);
        } else if (!isnan(c->value)) {
            (void)pn_num_format(number, c->value);
            fputs(number, out);
        }
        if ((i + 1) % t->columns_count == 0)
            fputc('\n', out);
    }
}

json_t *pn_json_number(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 9e15)
        return json_integer((json_int_t)value);
    return json_real(value);
}

json_t *pn_table_json(const pn_table *table)
{
    json_t *rows = json_array();
    for (size_t i = 0; i + table->columns_count <= table->count; i += table->columns_count) {
        json_t *row = json_object();
        for (size_t c = 0; c < table->columns_count; c++) {
            const cell *k = &table->cells[i + c];
            (void)json_object_set_new(row, table->columns[c].key,
                                      k->text ? json_string(k->text) : pn_json_number(k->value));
        }
        (void)json_array_append_new(rows, row);
    }
    return rows;
}

void pn_json_print(json_t *json, FILE *out)
{
    (void)json_dumpf(json, out, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
    fputc('\n', out);
    json_decref(json);
}

void pn_table_print(const pn_table *table, pn_format format, FILE *out)
{
    if (format == PN_FORMAT_TABLE)
        print_aligned(table, out);
    else if (format == PN_FORMAT_CSV)
        print_csv(table, out);
    else
        pn_json_print(json_pack("{s:o}", "rows", pn_table_json(table)), out);
}
