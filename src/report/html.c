/* html.c - see html.h. The look of the page is web/report.css, its behaviour web/report.js. */
#include "report/html.h"

#include <string.h>

#include "base/num.h"
#include "report/bundle.h"

const char *pn_html_missing(void)
{
    return pn_bundle_size() ? NULL
                            : "the drawing code of HTML pages is missing: npm or its packages were "
                              "not there when panem was built (docs/report.md); SVG needs neither";
}

/* ---- texts ---- */

static void add_html(pn_text *text, const char *s)
{
    for (; s && *s; s++) {
        const char *as = *s == '&'   ? "&amp;"
                         : *s == '<' ? "&lt;"
                         : *s == '>' ? "&gt;"
                         : *s == '"' ? "&quot;"
                                     : NULL;
        if (as)
            pn_text_puts(text, as);
        else
            pn_text_add(text, s, 1);
    }
}

/* Inside <script>: '<' is escaped so that no text can end the element. */
static void add_json(pn_text *text, const char *s)
{
    pn_text_puts(text, "\"");
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == 0x7f)
            pn_text_printf(text, "\\u%04x", c);
        else
            pn_text_add(text, s, 1);
    }
    pn_text_puts(text, "\"");
}

/* Seven significant digits: finer than a pixel, and half the size. */
static void add_number(pn_text *text, double value)
{
    double magnitude = value < 0.0 ? -value : value;
    int decimals = 7;
    double limit = 1.0;
    while (limit <= magnitude && decimals > 0) {
        limit *= 10.0;
        decimals--;
    }
    if (magnitude != 0.0 && (magnitude < 0.1 || magnitude >= 1e15)) {
        pn_text_number(text, value);
        return;
    }
    char number[PN_NUM_TEXT_MAX];
    size_t length = pn_num_format_fixed(number, value, decimals);
    if (strchr(number, '.')) {
        while (number[length - 1] == '0')
            length--;
        length -= number[length - 1] == '.';
    }
    pn_text_add(text, number, length);
}

/* ---- the data of the plots ---- */

static void add_axis(pn_text *text, const char *key, const pn_axis *axis)
{
    static const char *const SCALES[] = {"value", "log", "category"};
    pn_text_printf(text, "\"%s\":{\"name\":", key);
    add_json(text, axis->name);
    pn_text_puts(text, ",\"unit\":");
    add_json(text, axis->unit);
    pn_text_printf(text, ",\"type\":\"%s\",\"categories\":[", SCALES[axis->scale]);
    for (size_t i = 0; i < axis->category_count; i++) {
        pn_text_puts(text, i ? "," : "");
        add_json(text, axis->categories[i]);
    }
    pn_text_puts(text, "]}");
}

static void add_point(pn_text *text, const pn_plot_point *p, pn_series_kind kind)
{
    pn_text_puts(text, "[");
    add_number(text, p->x);
    pn_text_puts(text, ",");
    add_number(text, p->y);
    pn_text_puts(text, ",");
    add_json(text, p->label);
    const double more[] = {p->low, p->high, p->q1, p->q3};
    size_t count = kind == PN_SERIES_BOX                              ? 4
                   : kind == PN_SERIES_BAR || kind == PN_SERIES_STACK ? 2
                                                                      : 0;
    for (size_t i = 0; i < count; i++) {
        pn_text_puts(text, ",");
        add_number(text, more[i]);
    }
    pn_text_puts(text, "]");
}

static void add_series(pn_text *text, const pn_series *s)
{
    static const char *const KINDS[] = {"line", "scatter", "bar", "boxplot", "stack"};
    pn_text_puts(text, "{\"name\":");
    add_json(text, s->name);
    pn_text_printf(
        text,
        ",\"type\":\"%s\",\"color\":\"%s\",\"dashed\":%s,\"joined\":%s,\"hollow\":%s,\"size\":",
        KINDS[s->kind], s->color, s->dashed ? "true" : "false", s->joined ? "true" : "false",
        s->hollow ? "true" : "false");
    add_number(text, s->size_px);
    pn_text_puts(text, ",\"points\":[");
    for (size_t i = 0; i < s->count; i++) {
        pn_text_puts(text, i ? "," : "");
        add_point(text, &s->points[i], s->kind);
    }
    pn_text_puts(text, "]}");
}

static void add_plot(pn_text *text, const pn_plot *p)
{
    pn_text_puts(text, "{\"id\":");
    add_json(text, p->id);
    pn_text_puts(text, ",\"title\":");
    add_json(text, p->title);
    pn_text_puts(text, ",");
    add_axis(text, "x", &p->x);
    pn_text_puts(text, ",");
    add_axis(text, "y", &p->y);
    pn_text_puts(text, ",\"thresholds\":[");
    for (size_t i = 0; i < p->threshold_count; i++) {
        pn_text_puts(text, i ? ",{\"y\":" : "{\"y\":");
        add_number(text, p->thresholds[i].y);
        pn_text_puts(text, ",\"label\":");
        add_json(text, p->thresholds[i].label);
        pn_text_puts(text, "}");
    }
    pn_text_puts(text, "],\"series\":[");
    for (size_t i = 0; i < p->series_count; i++) {
        pn_text_puts(text, i ? ",\n" : "");
        add_series(text, p->series[i]);
    }
    pn_text_puts(text, "]}");
}

/* ---- the page ---- */

static bool numeric_column(const pn_sheet *s, size_t column)
{
    double ignored;
    for (size_t r = 1; r < s->rows; r++) {
        const char *cell = s->cells[r * s->columns + column];
        if (cell && cell[0] && !pn_num_parse_all(cell, &ignored))
            return false;
    }
    return true;
}

static void add_sheet(pn_text *text, const pn_sheet *s)
{
    pn_text_puts(text, "<section><h2>");
    add_html(text, s->title);
    pn_text_puts(text, "</h2><div class=\"scroll\"><table class=\"sheet\">");
    for (size_t r = 0; r < s->rows; r++) {
        pn_text_puts(text, r == 0 ? "<thead><tr>" : "<tr>");
        for (size_t c = 0; c < s->columns; c++) {
            const char *kind = numeric_column(s, c) ? " class=\"n\"" : "";
            pn_text_printf(text, r == 0 ? "<th scope=\"col\"%s>" : "<td%s>", kind);
            add_html(text, s->cells[r * s->columns + c]);
            pn_text_puts(text, r == 0 ? "</th>" : "</td>");
        }
        pn_text_puts(text, r == 0 ? "</tr></thead><tbody>\n" : "</tr>\n");
    }
    pn_text_puts(text,
                 s->rows ? "</tbody></table></div></section>\n" : "</table></div></section>\n");
}

static void add_facts(pn_text *text, const pn_report *report)
{
    const char *section = NULL;
    for (size_t i = 0; i < report->fact_count; i++) {
        const pn_fact *f = &report->facts[i];
        bool first = !section || !f->section || strcmp(section, f->section) != 0;
        if (first) {
            pn_text_puts(text, section ? "</table></details>\n" : "");
            pn_text_printf(text, "<details%s><summary>", i == 0 ? " open" : "");
            add_html(text, f->section);
            pn_text_puts(text, "</summary><table class=\"facts\">");
        }
        section = f->section;
        pn_text_puts(text, "<tr><th scope=\"row\">");
        add_html(text, f->name);
        pn_text_puts(text, "</th><td>");
        add_html(text, f->value);
        pn_text_puts(text, "</td></tr>\n");
    }
    pn_text_puts(text, section ? "</table></details>\n" : "");
}

static void add_places(pn_text *text, const pn_report *report)
{
    for (size_t i = 0; i < report->plot_count; i++) {
        const pn_plot *p = report->plots[i];
        pn_text_puts(text, "<section class=\"plot\" id=\"");
        add_html(text, p->id);
        pn_text_puts(text, "\"><h2>");
        add_html(text, p->title);
        pn_text_puts(text, "</h2><p>");
        add_html(text, p->note);
        pn_text_puts(text, "</p><div class=\"chart\" role=\"img\" aria-label=\"");
        add_html(text, p->title);
        pn_text_puts(text, "\"></div><details class=\"data\"><summary>The same as a table</summary>"
                           "<div class=\"scroll\"></div></details></section>\n");
    }
}

static void add_head(pn_text *text, const pn_report *report)
{
    pn_text_puts(text, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                       "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
                       "<link rel=\"icon\" href=\"data:,\"><title>");
    add_html(text, report->title);
    pn_text_puts(text, "</title><style>");
    pn_text_puts(text, pn_style());
    pn_text_puts(text, "</style></head><body><header><h1>");
    add_html(text, report->title);
    pn_text_puts(text, "</h1><button type=\"button\" id=\"theme\">dark / light</button></header>"
                       "<noscript><p>The plots need JavaScript; tables of facts do not."
                       "</p></noscript><main>\n");
}

panem_status pn_html_write(pn_text *text, const pn_report *report, panem_error *err)
{
    if (pn_html_missing())
        return pn_err(err, PANEM_E_ARG, "%s", pn_html_missing());
    add_head(text, report);
    for (size_t i = 0; i < report->sheet_count; i++)
        add_sheet(text, &report->sheets[i]);
    add_places(text, report);
    pn_text_puts(text, "<section><h2>What was run, and with what</h2>");
    add_facts(text, report);
    if (report->left_out)
        pn_text_printf(text, "<p>%llu values that are not finite are in no plot.</p>",
                       (unsigned long long)report->left_out);
    pn_text_puts(text, "</section></main>\n<script type=\"application/json\" id=\"report\">[");
    for (size_t i = 0; i < report->plot_count; i++) {
        pn_text_puts(text, i ? ",\n" : "");
        add_plot(text, report->plots[i]);
    }
    pn_text_puts(text, "]</script>\n<script>");
    pn_text_add(text, pn_bundle(), pn_bundle_size());
    pn_text_puts(text, "</script></body></html>\n");
    return text->failed || report->failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the report")
                                          : PANEM_OK;
}
