/* pairs_json.c - {"<label>": [[bandwidth, latency], ...], ...}: Mess 2.0's memory_curves.json and
 * PROFET's curves.json, which share their shape but not their units.
 *
 * Mess 2.0: GB/s, ns, from the highest load down. PROFET: MB/s, cycles, from idle up. The files do
 * not say which they are; they are told apart by magnitude and order together, and a file where
 * the two signs disagree is not recognized: --format must name it.
 *
 * A small reader of this shape rather than a JSON library, because points must know their line.
 * It takes JSON's grammar for exactly this shape; anything else is a fault with line and column. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "import/format.h"

typedef struct scanner {
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line;
} scanner;

/* What the reader tells about each pair; a status other than OK stops it. */
typedef struct sink {
    panem_status (*pair)(struct sink *sink, double label, double bandwidth, double latency,
                         uint32_t line);
    panem_status (*curve_end)(struct sink *sink);
    pn_import *import; /* NULL while recognizing: faults are not reported */
    size_t first;      /* of the curve at hand */
    bool falling;
    double max_bandwidth;
    double first_bandwidth, last_bandwidth;
    size_t rising_curves, falling_curves, pairs;
} sink;

static void skip_blanks(scanner *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at)) {
        if (*s->at == '\n') {
            s->line++;
            s->line_start = s->at + 1;
        }
        s->at++;
    }
}

static panem_status fault(const scanner *s, const sink *k, const char *wanted)
{
    if (!k->import)
        return PANEM_E_FORMAT;
    uint32_t col = (uint32_t)(s->at - s->line_start) + 1;
    if (s->at >= s->end)
        return pn_import_fault(k->import, s->line, col, "the text ends where %s should be", wanted);
    return pn_import_fault(k->import, s->line, col, "'%.12s' where %s should be",
                           *s->at >= ' ' ? s->at : "(control byte)", wanted);
}

static bool accept(scanner *s, char c)
{
    skip_blanks(s);
    if (s->at >= s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static panem_status number(scanner *s, const sink *k, double *value, const char *what)
{
    skip_blanks(s);
    size_t used = s->at < s->end && *s->at != '+' ? pn_num_parse(s->at, value) : 0;
    if (used == 0)
        return fault(s, k, what);
    s->at += used;
    return PANEM_OK;
}

static panem_status label(scanner *s, const sink *k, double *value)
{
    if (!accept(s, '"'))
        return fault(s, k, "a label in quotes");
    PN_TRY(number(s, k, value, "a number as label"));
    if (s->at >= s->end || *s->at != '"')
        return fault(s, k, "the closing quote of the label");
    s->at++;
    if (!(*value >= 0.0 && *value <= 100.0))
        return fault(s, k, "a label in 0..100 before this");
    return accept(s, ':') ? PANEM_OK : fault(s, k, "a colon");
}

static panem_status pair(scanner *s, sink *k, double read_pct)
{
    double bandwidth = 0.0;
    double latency = 0.0;
    if (!accept(s, '['))
        return fault(s, k, "a pair [bandwidth, latency]");
    uint32_t line = s->line;
    PN_TRY(number(s, k, &bandwidth, "a bandwidth"));
    if (!accept(s, ','))
        return fault(s, k, "a comma and a latency");
    PN_TRY(number(s, k, &latency, "a latency"));
    if (!accept(s, ']'))
        return fault(s, k, "the ']' of a pair");
    return k->pair(k, read_pct, bandwidth, latency, line);
}

static panem_status curve(scanner *s, sink *k)
{
    double read_pct = 0.0;
    PN_TRY(label(s, k, &read_pct));
    if (!accept(s, '['))
        return fault(s, k, "a list of pairs");
    if (!accept(s, ']')) {
        do
            PN_TRY(pair(s, k, read_pct));
        while (accept(s, ','));
        if (!accept(s, ']'))
            return fault(s, k, "a comma or the ']' of a curve");
    }
    return k->curve_end(k);
}

static panem_status scan(const pn_source *source, sink *k)
{
    size_t mark = source->length >= 3 && memcmp(source->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    scanner s = {source->text + mark, source->text + source->length, source->text + mark, 1};
    if (!accept(&s, '{'))
        return fault(&s, k, "'{'");
    if (!accept(&s, '}')) {
        do
            PN_TRY(curve(&s, k));
        while (accept(&s, ','));
        if (!accept(&s, '}'))
            return fault(&s, k, "a comma or '}'");
    }
    skip_blanks(&s);
    return s.at == s.end ? PANEM_OK : fault(&s, k, "the end of the text");
}

/* ---- recognizing ---- */

/* No memory system here moves 3000 GB/s, and none is so slow that its peak is below 3000 MB/s. */
#define MAGNITUDE_BETWEEN 3000.0

static panem_status weigh_pair(sink *k, double read_pct, double bandwidth, double latency,
                               uint32_t line)
{
    (void)read_pct;
    (void)latency;
    (void)line;
    if (k->first == 0)
        k->first_bandwidth = bandwidth;
    k->first++;
    k->last_bandwidth = bandwidth;
    if (bandwidth > k->max_bandwidth)
        k->max_bandwidth = bandwidth;
    k->pairs++;
    return PANEM_OK;
}

static panem_status weigh_curve(sink *k)
{
    if (k->first > 1) {
        k->rising_curves += k->last_bandwidth > k->first_bandwidth;
        k->falling_curves += k->last_bandwidth < k->first_bandwidth;
    }
    k->first = 0;
    return PANEM_OK;
}

/* Looks at what can be read; a damaged file is still recognized by its sound beginning. */
static sink weigh(const pn_source *source)
{
    sink k = {.pair = weigh_pair, .curve_end = weigh_curve};
    (void)scan(source, &k);
    if (k.first > 0)
        (void)weigh_curve(&k);
    return k;
}

static bool recognize_mess2(const pn_source *source)
{
    sink k = weigh(source);
    return k.pairs > 0 && k.max_bandwidth < MAGNITUDE_BETWEEN && k.falling_curves > 0 &&
           k.rising_curves == 0;
}

static bool recognize_profet(const pn_source *source)
{
    sink k = weigh(source);
    return k.pairs > 0 && k.max_bandwidth >= MAGNITUDE_BETWEEN && k.rising_curves > 0 &&
           k.falling_curves == 0;
}

/* ---- reading ---- */

static panem_status add_pair(sink *k, double read_pct, double bandwidth, double latency,
                             uint32_t line)
{
    return pn_import_add(k->import, read_pct, bandwidth, latency, (double)NAN, (double)NAN, line);
}

static panem_status end_curve(sink *k)
{
    if (k->falling)
        pn_import_reverse(k->import, k->first);
    k->first = k->import->set->count;
    return PANEM_OK;
}

static panem_status parse(pn_import *import, const pn_source *source)
{
    sink k = {.pair = add_pair, .curve_end = end_curve, .import = import};
    k.first = import->set->count;
    k.falling = import->format == &pn_format_mess2_json;
    import->labels_unsure = true;
    return scan(source, &k);
}

const pn_import_format pn_format_mess2_json = {"mess2-json",    "GB/s",         PN_UNIT_CUSTOM,
                                               PN_LATENCY_NS,   PN_UNIT_CUSTOM, false,
                                               recognize_mess2, parse};

const pn_import_format pn_format_profet = {"profet",          "MB/s",         PN_UNIT_CUSTOM,
                                           PN_LATENCY_CYCLES, PN_UNIT_CUSTOM, false,
                                           recognize_profet,  parse};
