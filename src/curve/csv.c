/* csv.c - see csv.h. One pass over lines; a line is cut into fields in place in a small buffer, so
 * the input is never changed. Blank lines, CRLF, a byte-order mark, blanks around fields and
 * trailing separators-free tabs are accepted; a decimal comma is not. */
#include "curve/csv.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/num.h"

enum { LINE_MAX_BYTES = 1024, KEY_MAX_BYTES = 64, FIELDS_MAX = 8 };

typedef enum column {
    COL_READ_PCT = 0,
    COL_BANDWIDTH,
    COL_LATENCY,
    COL_BANDWIDTH_STD,
    COL_LATENCY_STD,
    COL_COUNT
} column;

static const char *const COLUMN_NAMES[COL_COUNT] = {"read_pct", "bandwidth_gbs", "latency_ns",
                                                    "bandwidth_std_gbs", "latency_std_ns"};

typedef struct parser {
    pn_rawset *set;
    panem_error *err;
    const char *name;
    uint32_t file;
    uint32_t line;
    bool have_header;
    int field_of[COL_COUNT]; /* position of a column, -1 absent */
    int fields;              /* in the header */
    size_t points;
} parser;

typedef struct field {
    const char *text; /* NUL-terminated, trimmed */
    uint32_t col;     /* 1-based */
} field;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts a line at commas, in place. Returns the number of fields, or -1 when there are too many. */
static int split(char *line, field *fields)
{
    int count = 0;
    char *p = line;
    for (;;) {
        if (count == FIELDS_MAX)
            return -1;
        while (is_blank(*p))
            p++;
        char *start = p;
        while (*p && *p != ',')
            p++;
        bool more = *p == ',';
        char *end = p;
        while (end > start && is_blank(end[-1]))
            end--;
        *end = '\0';
        fields[count++] = (field){start, (uint32_t)(start - line) + 1};
        if (!more)
            return count;
        p++;
    }
}

static panem_status take_header(parser *p, char *line)
{
    field fields[FIELDS_MAX];
    p->fields = split(line, fields);
    if (p->fields < 0)
        return pn_err_at(p->err, PANEM_E_FORMAT, p->name, p->line, 1, "too many columns");
    for (int c = 0; c < COL_COUNT; c++)
        p->field_of[c] = -1;
    for (int f = 0; f < p->fields; f++) {
        int c = 0;
        while (c < COL_COUNT && strcmp(fields[f].text, COLUMN_NAMES[c]) != 0)
            c++;
        if (c == COL_COUNT || p->field_of[c] >= 0)
            return pn_err_at(p->err, PANEM_E_FORMAT, p->name, p->line, fields[f].col,
                             "%s column '%s' in the header",
                             c == COL_COUNT ? "unknown" : "repeated", fields[f].text);
        p->field_of[c] = f;
    }
    for (int c = 0; c <= COL_LATENCY; c++)
        if (p->field_of[c] < 0)
            return pn_err_at(p->err, PANEM_E_FORMAT, p->name, p->line, 1,
                             "the header has no column '%s'", COLUMN_NAMES[c]);
    p->have_header = true;
    return PANEM_OK;
}

static panem_status take_number(parser *p, double *value, const field *fields, column c)
{
    const field *f = &fields[p->field_of[c]];
    if (*f->text == '\0' && c > COL_LATENCY) {
        *value = (double)NAN;
        return PANEM_OK;
    }
    if (!pn_num_parse_all(f->text, value))
        return pn_err_at(p->err, PANEM_E_FORMAT, p->name, p->line, f->col,
                         "%s: '%.40s' is not a number", COLUMN_NAMES[c], f->text);
    return PANEM_OK;
}

static panem_status take_row(parser *p, char *line)
{
    field fields[FIELDS_MAX];
    int count = split(line, fields);
    if (count != p->fields)
        return pn_err_at(p->err, PANEM_E_FORMAT, p->name, p->line, 1,
                         "%d fields where the header has %d", count, p->fields);
    double v[COL_COUNT];
    for (int c = 0; c < COL_COUNT; c++) {
        v[c] = (double)NAN;
        if (p->field_of[c] >= 0)
            PN_TRY(take_number(p, &v[c], fields, (column)c));
    }
    if (!(v[COL_READ_PCT] >= 0.0 && v[COL_READ_PCT] <= 100.0))
        return pn_err_at(p->err, PANEM_E_RANGE, p->name, p->line,
                         fields[p->field_of[COL_READ_PCT]].col, "read_pct is outside 0..100");
    pn_raw_point point = {
        v[COL_READ_PCT] / 100.0, v[COL_BANDWIDTH], v[COL_LATENCY], v[COL_BANDWIDTH_STD],
        v[COL_LATENCY_STD],      p->file,          p->line};
    p->points++;
    return pn_rawset_add(p->set, &point, p->err);
}

/* "# key: value" is metadata; any other '#' line is a remark. */
static panem_status take_comment(parser *p, char *line)
{
    char *key = line + 1;
    while (is_blank(*key))
        key++;
    char *colon = strchr(key, ':');
    if (!colon || colon == key || (size_t)(colon - key) >= KEY_MAX_BYTES)
        return PANEM_OK;
    for (char *k = key; k < colon; k++)
        if (!((*k >= 'a' && *k <= 'z') || (*k >= '0' && *k <= '9') || *k == '_'))
            return PANEM_OK;
    char *value = colon + 1;
    while (is_blank(*value))
        value++;
    char *end = value + strlen(value);
    while (end > value && is_blank(end[-1]))
        end--;
    *end = '\0';
    *colon = '\0';
    if (strcmp(key, "order") == 0)
        p->set->order = strcmp(value, "rising") == 0    ? PANEM_ORDER_RISING
                        : strcmp(value, "falling") == 0 ? PANEM_ORDER_FALLING
                        : strcmp(value, "any") == 0     ? PANEM_ORDER_ANY
                                                        : PANEM_ORDER_AUTO;
    return pn_rawset_set_meta(p->set, key, value, p->err);
}

static panem_status take_line(parser *p, char *line)
{
    char *start = line;
    while (is_blank(*start))
        start++;
    if (*start == '\0')
        return PANEM_OK;
    if (*start == '#')
        return take_comment(p, start);
    return p->have_header ? take_row(p, line) : take_header(p, line);
}

static size_t skip_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

panem_status pn_csv_parse(pn_rawset *set, const char *text, size_t length, const char *name,
                          panem_error *err)
{
    parser p = {.set = set, .err = err, .name = name};
    PN_TRY(pn_rawset_add_file(set, &p.file, name, err));
    size_t at = skip_mark(text, length);
    while (at < length) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t size = end ? (size_t)(end - (text + at)) : length - at;
        char line[LINE_MAX_BYTES];
        p.line++;
        if (size >= sizeof line)
            return pn_err_at(err, PANEM_E_FORMAT, name, p.line, 1, "line longer than %d bytes",
                             LINE_MAX_BYTES - 1);
        if (memchr(text + at, '\0', size))
            return pn_err_at(err, PANEM_E_FORMAT, name, p.line, 1, "a NUL byte: not a text file");
        memcpy(line, text + at, size);
        line[size] = '\0';
        PN_TRY(take_line(&p, line));
        at += size + 1;
    }
    if (!p.have_header)
        return pn_err_at(err, PANEM_E_EMPTY, name, 0, 0,
                         "no header line 'read_pct,bandwidth_gbs,latency_ns'");
    if (p.points == 0)
        return pn_err_at(err, PANEM_E_EMPTY, name, 0, 0, "no point after the header");
    return PANEM_OK;
}

/* Does this line, cut at LINE_MAX_BYTES, name the three columns every file has? */
static bool names_columns(const char *text, size_t length)
{
    char line[LINE_MAX_BYTES];
    const char *end = memchr(text, '\n', length);
    size_t size = end ? (size_t)(end - text) : length;
    if (size >= sizeof line)
        size = sizeof line - 1;
    memcpy(line, text, size);
    line[size] = '\0';
    for (int c = 0; c <= COL_LATENCY; c++)
        if (!strstr(line, COLUMN_NAMES[c]))
            return false;
    return true;
}

int pn_csv_recognize(const char *text, size_t length)
{
    size_t at = skip_mark(text, length);
    while (at < length) {
        while (at < length && is_blank(text[at]))
            at++;
        if (at < length && text[at] != '#' && text[at] != '\n')
            return names_columns(text + at, length - at);
        while (at < length && text[at] != '\n')
            at++;
        at++;
    }
    return 0;
}

enum { FILE_MAX_BYTES = 256 << 20 };

static panem_status read_stream(pn_rawset *set, FILE *stream, const char *path, panem_error *err)
{
    size_t capacity = 1 << 16;
    size_t length = 0;
    panem_status status = PANEM_OK;
    char *text = pn_mem_alloc(&set->allocator, capacity, 1);
    while (text) {
        length += fread(text + length, 1, capacity - length, stream);
        if (length < capacity)
            break;
        if (capacity >= FILE_MAX_BYTES) {
            status = pn_err_at(err, PANEM_E_RANGE, path, 0, 0, "is larger than 256 MiB");
            break;
        }
        char *larger = pn_mem_grow(&set->allocator, text, capacity, capacity * 2, 1);
        if (!larger) {
            pn_mem_release(&set->allocator, text, capacity, 1);
            text = NULL;
            break;
        }
        text = larger;
        capacity *= 2;
    }
    if (!text)
        return pn_err(err, PANEM_E_NOMEM, "no memory to read '%s'", path);
    if (status == PANEM_OK && ferror(stream))
        status = pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot read: %s", strerror(errno));
    if (status == PANEM_OK)
        status = pn_csv_parse(set, text, length, path, err);
    pn_mem_release(&set->allocator, text, capacity, 1);
    return status;
}

panem_status pn_csv_load(pn_rawset *set, const char *path, panem_error *err)
{
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return pn_err_at(err, PANEM_E_IO, path, 0, 0, "cannot open: %s", strerror(errno));
    panem_status status = read_stream(set, stream, path, err);
    (void)fclose(stream);
    return status;
}
