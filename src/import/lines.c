/* lines.c - see lines.h. */
#include "import/lines.h"

#include <string.h>

#include "base/num.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

void pn_lines_start(pn_lines *lines, const pn_source *source)
{
    size_t mark = source->length >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *lines = (pn_lines){source->text + mark, source->text + source->length, 0};
}

bool pn_lines_next(pn_lines *lines, pn_line *line)
{
    if (lines->at >= lines->end)
        return false;
    const char *start = lines->at;
    const char *stop = memchr(start, '\n', (size_t)(lines->end - start));
    if (!stop)
        stop = lines->end;
    lines->at = stop + 1;
    lines->number++;
    const char *first = start;
    while (first < stop && is_blank(*first))
        first++;
    while (stop > first && is_blank(stop[-1]))
        stop--;
    *line = (pn_line){first, (size_t)(stop - first), lines->number, (uint32_t)(first - start) + 1};
    return true;
}

const char *pn_line_find(const pn_line *line, const char *phrase)
{
    return memmem(line->text, line->length, phrase, strlen(phrase));
}

bool pn_line_has(const pn_line *line, const char *phrase)
{
    return pn_line_find(line, phrase) != NULL;
}

bool pn_line_starts(const pn_line *line, const char *phrase)
{
    size_t length = strlen(phrase);
    return line->length >= length && memcmp(line->text, phrase, length) == 0;
}

static void take(pn_field *field, const pn_line *line, size_t start, size_t stop)
{
    size_t length = stop - start;
    if (length >= sizeof field->text)
        length = sizeof field->text - 1;
    memcpy(field->text, line->text + start, length);
    field->text[length] = '\0';
    field->col = line->col + (uint32_t)start;
}

bool pn_line_field(const pn_line *line, size_t *at, const char *separators, pn_field *field)
{
    size_t i = *at;
    while (i < line->length && strchr(separators, line->text[i]))
        i++;
    size_t start = i;
    while (i < line->length && !strchr(separators, line->text[i]))
        i++;
    *at = i;
    if (i == start)
        return false;
    take(field, line, start, i);
    return true;
}

bool pn_line_cell(const pn_line *line, size_t *at, pn_field *field)
{
    if (*at > line->length)
        return false;
    size_t start = *at;
    const char *comma = memchr(line->text + start, ',', line->length - start);
    size_t stop = comma ? (size_t)(comma - line->text) : line->length;
    *at = stop + 1;
    while (start < stop && is_blank(line->text[start]))
        start++;
    while (stop > start && is_blank(line->text[stop - 1]))
        stop--;
    take(field, line, start, stop);
    return true;
}

bool pn_field_number(const pn_field *field, double *value)
{
    return strlen(field->text) < sizeof field->text - 1 && pn_num_parse_all(field->text, value);
}
