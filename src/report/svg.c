/* svg.c - see svg.h. Black on white, as papers want it. Legends with more than LEGEND_MAX names are
 * cut, and say so. */
#include "report/svg.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "report/logs.h"

enum { WIDTH = 638, HEIGHT = 438, LEFT = 72, RIGHT = 190, TOP = 44, BOTTOM = 58, LEGEND_MAX = 26 };
/* A bar and a slanted name need so many pixels; letters of 12 px are about so wide. */
enum { BAR_PX = 6, NAME_PX = 22, LETTER_PX = 7, DENSE = 100 };
enum { TICKS_MAX = 48 };

/* Edges of the area that is drawn on, and of the whole drawing. Many bars make it wider, long names
 * in the legend the margin, slanted names the foot. */
typedef struct frame {
    double right, bottom;
    double width, height;
} frame;

typedef struct range {
    double from, to;
    bool log;
    double first_px, length_px;
    double ticks[TICKS_MAX];
    size_t tick_count;
} range;

static double at(const range *r, double value)
{
    double share = r->log ? pn_report_ln(value / r->from) / pn_report_ln(r->to / r->from)
                          : (value - r->from) / (r->to - r->from);
    return r->first_px + share * r->length_px;
}

static bool drawable(const range *r, double value)
{
    return !r->log || value > 0.0;
}

static void add_px(pn_text *t, double px)
{
    pn_text_fixed(t, px, 1);
}

static void add_xml(pn_text *t, const char *s)
{
    for (; s && *s; s++) {
        if (*s == '&')
            pn_text_puts(t, "&amp;");
        else if (*s == '<')
            pn_text_puts(t, "&lt;");
        else
            pn_text_add(t, s, 1);
    }
}

/* x="..", with the name given. */
static void add_attribute(pn_text *t, const char *name, double px)
{
    pn_text_printf(t, " %s=\"", name);
    add_px(t, px);
    pn_text_puts(t, "\"");
}

static void add_line(pn_text *t, double x1, double y1, double x2, double y2, const char *style)
{
    pn_text_puts(t, "<line");
    add_attribute(t, "x1", x1);
    add_attribute(t, "y1", y1);
    add_attribute(t, "x2", x2);
    add_attribute(t, "y2", y2);
    pn_text_printf(t, " %s/>\n", style);
}

static void add_words(pn_text *t, double x, double y, const char *style, const char *words)
{
    pn_text_puts(t, "<text");
    add_attribute(t, "x", x);
    add_attribute(t, "y", y);
    pn_text_printf(t, " %s>", style);
    add_xml(t, words);
    pn_text_puts(t, "</text>\n");
}

/* ---- scales ---- */

static void stretch(range *r, double value, bool *any)
{
    if (!drawable(r, value))
        return;
    if (!*any || value < r->from)
        r->from = value;
    if (!*any || value > r->to)
        r->to = value;
    *any = true;
}

static bool extent(range *x, range *y, const pn_plot *plot)
{
    bool any_x = false;
    bool any_y = false;
    for (size_t s = 0; s < plot->series_count; s++) {
        const pn_series *series = plot->series[s];
        for (size_t i = 0; i < series->count; i++) {
            const pn_plot_point *p = &series->points[i];
            stretch(x, p->x, &any_x);
            stretch(y, p->low, &any_y);
            stretch(y, p->high, &any_y);
            if (series->kind == PN_SERIES_BAR || series->kind == PN_SERIES_STACK)
                stretch(y, 0.0, &any_y);
        }
    }
    for (size_t i = 0; i < plot->threshold_count && any_y; i++)
        stretch(y, plot->thresholds[i].y, &any_y);
    return any_x && any_y;
}

/* 1, 2 or 5 times a power of ten, so that at most about six steps cover the span. */
static double nice_step(double span)
{
    double step = 1.0;
    while (step * 6.0 < span)
        step *= 10.0;
    while (step > span)
        step /= 10.0;
    if (span / step > 6.0)
        step *= span / step > 12.0 ? 5.0 : 2.0;
    else if (span / step < 3.0)
        step /= span / step < 1.2 ? 5.0 : 2.0;
    return step;
}

static void set_linear(range *r)
{
    /* Noise a little below nothing does not move the axis away from 0. */
    bool nearly = r->from < 0.0 && r->from > -0.02 * r->to;
    if (nearly || (r->from > 0.0 && r->from < 0.5 * r->to))
        r->from = 0.0;
    if (r->to <= r->from)
        r->to = r->from + (r->from != 0.0 ? fabs(r->from) : 1.0);
    double step = nice_step(r->to - r->from);
    r->from = floor(r->from / step + 1e-9) * step;
    double steps = ceil((r->to - r->from) / step - 1e-9);
    r->to = r->from + steps * step;
    for (int i = 0; i <= (int)steps && r->tick_count < TICKS_MAX; i++)
        r->ticks[r->tick_count++] = r->from + i * step;
}

static void set_log(range *r)
{
    static const double MANY[] = {1.0, 2.0, 5.0};
    double decade = 1.0;
    while (decade > r->from)
        decade /= 10.0;
    while (decade * 10.0 <= r->from)
        decade *= 10.0;
    double low = decade;
    for (size_t i = 0; i < 3; i++)
        low = MANY[i] * decade <= r->from ? MANY[i] * decade : low;
    bool wide = r->to / r->from > 2e3;
    double last = low;
    for (size_t i = 0; last < r->to && i < 60; i++) {
        last = MANY[i % 3] * decade;
        if (last >= low && (!wide || i % 3 == 0) && r->tick_count < TICKS_MAX)
            r->ticks[r->tick_count++] = last;
        decade *= i % 3 == 2 ? 10.0 : 1.0;
    }
    r->from = low;
    r->to = last > low ? last : 10.0 * low;
}

static void set_category(range *r, size_t count)
{
    r->from = -0.5;
    r->to = (double)(count ? count : 1) - 0.5;
}

/* ---- frame ---- */

static bool is_slanted(const pn_axis *axis)
{
    return axis->category_count > 6;
}

static void add_axis_x(pn_text *t, const pn_axis *axis, const range *x, const frame *f)
{
    double bottom = f->bottom;
    for (size_t i = 0; i < x->tick_count; i++) {
        char number[PN_NUM_TEXT_MAX];
        double px = at(x, x->ticks[i]);
        (void)pn_num_format(number, (double)(float)x->ticks[i] == x->ticks[i]
                                        ? x->ticks[i]
                                        : round(x->ticks[i] * 1e6) / 1e6);
        add_line(t, px, TOP, px, bottom, "class=\"grid\"");
        add_words(t, px, bottom + 17.0, "text-anchor=\"middle\"", number);
    }
    /* Names of categories: as many as fit. */
    size_t each = (size_t)((double)(axis->category_count * NAME_PX) / x->length_px) + 1;
    bool slant = is_slanted(axis);
    for (size_t i = 0; i < axis->category_count; i += each) {
        double px = at(x, (double)i);
        pn_text style = PN_TEXT_INIT;
        if (slant)
            pn_text_printf(&style, "text-anchor=\"end\" transform=\"rotate(-30 %d %d)\"", (int)px,
                           (int)bottom + 14);
        add_words(t, px, bottom + 14.0, slant && style.data ? style.data : "text-anchor=\"middle\"",
                  axis->categories[i]);
        pn_text_release(&style);
    }
}

static void add_axis_y(pn_text *t, const range *y, const frame *f)
{
    for (size_t i = 0; i < y->tick_count; i++) {
        char number[PN_NUM_TEXT_MAX];
        double px = at(y, y->ticks[i]);
        (void)pn_num_format(number, round(y->ticks[i] * 1e6) / 1e6);
        add_line(t, LEFT, px, f->right, px, "class=\"grid\"");
        add_words(t, LEFT - 6.0, px + 4.0, "text-anchor=\"end\"", number);
    }
}

static void add_axis_name(pn_text *t, const pn_axis *axis, const frame *f, bool upright)
{
    pn_text name = PN_TEXT_INIT;
    bool unit = axis->unit && axis->unit[0];
    pn_text_printf(&name, unit ? "%s, %s" : "%s%s", axis->name ? axis->name : "",
                   unit ? axis->unit : "");
    double middle = TOP + HEIGHT / 2.0;
    if (upright)
        add_words(t, 18.0, middle, "text-anchor=\"middle\" transform=\"rotate(-90 18 263)\"",
                  name.data);
    else
        add_words(t, (LEFT + f->right) / 2.0, f->height - 8.0, "text-anchor=\"middle\"", name.data);
    pn_text_release(&name);
}

static void add_marker(pn_text *t, const pn_series *s, double x, double y, const char *label)
{
    pn_text_puts(t, "<circle");
    add_attribute(t, "cx", x);
    add_attribute(t, "cy", y);
    add_attribute(t, "r", s->size_px / 2.0);
    pn_text_printf(t, s->hollow ? " fill=\"none\" stroke=\"%s\">" : " fill=\"%s\">", s->color);
    pn_text_puts(t, "<title>");
    add_xml(t, s->name);
    pn_text_puts(t, label ? ", " : "");
    add_xml(t, label);
    pn_text_puts(t, "</title></circle>\n");
}

/* A series that continues the one before it has no entry of its own. */
static void add_legend(pn_text *t, const pn_plot *plot, const frame *f)
{
    size_t row = 0;
    for (size_t i = 0; i < plot->series_count && row < LEGEND_MAX; i++) {
        const pn_series *s = plot->series[i];
        if ((s->dashed || s->joined) && i > 0)
            continue;
        double y = TOP + 8.0 + 17.0 * (double)row++;
        double x = f->right + 14.0;
        pn_text style = PN_TEXT_INIT;
        pn_text_printf(&style, "stroke=\"%s\" stroke-width=\"%d\"", s->color,
                       s->kind == PN_SERIES_LINE ? 2 : 8);
        if (s->kind == PN_SERIES_SCATTER)
            add_marker(t, s, x + 10.0, y, NULL);
        else
            add_line(t, x, y, x + 20.0, y, style.data ? style.data : "");
        bool cut = row == LEGEND_MAX && i + 1 < plot->series_count;
        add_words(t, x + 26.0, y + 4.0, "", cut ? "(and more)" : s->name);
        pn_text_release(&style);
    }
}

/* ---- series ---- */

static void draw_line(pn_text *t, const pn_series *s, const range *x, const range *y)
{
    pn_text_printf(t, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s points=\"",
                   s->color, s->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (size_t i = 0; i < s->count; i++) {
        if (!drawable(x, s->points[i].x) || !drawable(y, s->points[i].y))
            continue;
        add_px(t, at(x, s->points[i].x));
        pn_text_puts(t, ",");
        add_px(t, at(y, s->points[i].y));
        pn_text_puts(t, " ");
    }
    pn_text_puts(t, "\"><title>");
    add_xml(t, s->name);
    pn_text_puts(t, "</title></polyline>\n");
}

static void draw_rect(pn_text *t, const pn_series *s, double left, double width, double top,
                      double bottom)
{
    pn_text_puts(t, "<rect");
    add_attribute(t, "x", left);
    add_attribute(t, "y", top);
    add_attribute(t, "width", width);
    add_attribute(t, "height", bottom - top);
    pn_text_printf(t, " fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\"/>\n", s->color,
                   s->kind == PN_SERIES_BOX ? "0.25" : "0.85", s->color);
}

static void draw_error_bar(pn_text *t, double x, double low, double high, double width,
                           const char *pen)
{
    double half = width < 10.0 ? width / 3.0 : 3.5;
    add_line(t, x, low, x, high, pen);
    add_line(t, x - half, low, x + half, low, pen);
    add_line(t, x - half, high, x + half, high, pen);
}

/* Bars and boxes stand beside each other: series number i of n. */
static void draw_column(pn_text *t, const pn_series *s, const pn_plot_point *p, const range *x,
                        const range *y, double slot, double slots)
{
    double unit = at(x, 1.0) - at(x, 0.0);
    double width = 0.8 * unit / slots;
    double left = at(x, p->x) - 0.4 * unit + slot * width;
    double middle = left + width / 2.0;
    bool box = s->kind == PN_SERIES_BOX;
    double low = drawable(y, p->low) ? p->low : y->from;
    pn_text style = PN_TEXT_INIT;
    pn_text_printf(&style, "stroke=\"%s\" stroke-width=\"1.4\"", box ? s->color : "#222");
    const char *pen = style.data ? style.data : "";
    if (box) {
        draw_rect(t, s, left + 0.1 * width, 0.8 * width, at(y, p->q3), at(y, p->q1));
        add_line(t, left + 0.1 * width, at(y, p->y), left + 0.9 * width, at(y, p->y), pen);
        add_line(t, middle, at(y, low), middle, at(y, p->q1), pen);
        add_line(t, middle, at(y, p->q3), middle, at(y, p->high), pen);
    } else {
        double zero = s->kind == PN_SERIES_STACK ? at(y, p->low)
                      : y->log || y->from > 0.0  ? at(y, y->from)
                                                 : at(y, 0.0);
        double top = at(y, s->kind == PN_SERIES_STACK ? p->high : p->y);
        draw_rect(t, s, left, width, top < zero ? top : zero, top < zero ? zero : top);
        if (p->low < p->high && s->kind == PN_SERIES_BAR)
            draw_error_bar(t, middle, at(y, low), at(y, p->high), width, pen);
    }
    pn_text_release(&style);
}

static void draw_series(pn_text *t, const pn_plot *plot, size_t index, const range *x,
                        const range *y)
{
    const pn_series *s = plot->series[index];
    bool dense = s->kind == PN_SERIES_LINE && s->count > DENSE; /* no room for marks */
    if (s->kind == PN_SERIES_LINE)
        draw_line(t, s, x, y);
    for (size_t i = 0; i < s->count; i++) {
        const pn_plot_point *p = &s->points[i];
        if (!drawable(x, p->x) || !drawable(y, p->high))
            continue;
        if (s->kind == PN_SERIES_STACK)
            draw_column(t, s, p, x, y, 0.0, 1.0);
        else if (s->kind == PN_SERIES_BAR || s->kind == PN_SERIES_BOX)
            draw_column(t, s, p, x, y, (double)index, (double)plot->series_count);
        else if (s->size_px > 0.0 && drawable(y, p->y) && !dense)
            add_marker(t, s, at(x, p->x), at(y, p->y), p->label);
    }
}

/* Lines without marks lie under everything else. */
static bool is_ground(const pn_series *s)
{
    return s->kind == PN_SERIES_LINE && !(s->size_px > 0.0);
}

static void draw_thresholds(pn_text *t, const pn_plot *plot, const range *y, const frame *f)
{
    for (size_t i = 0; i < plot->threshold_count; i++) {
        const pn_threshold *h = &plot->thresholds[i];
        if (!drawable(y, h->y) || h->y < y->from || h->y > y->to)
            continue;
        double px = at(y, h->y);
        add_line(t, LEFT, px, f->right, px, "stroke=\"#444\" stroke-dasharray=\"2 3\"");
        add_words(t, f->right - 4.0, h->y < 0.0 ? px + 13.0 : px - 4.0, "text-anchor=\"end\"",
                  h->label);
    }
}

static void set_scales(range *x, range *y, const pn_plot *plot)
{
    if (plot->x.scale == PN_SCALE_CATEGORY)
        set_category(x, plot->x.category_count);
    else if (x->log)
        set_log(x);
    else
        set_linear(x);
    if (y->log)
        set_log(y);
    else
        set_linear(y);
}

static frame frame_of(const pn_plot *plot)
{
    size_t bars = 0;
    size_t longest = 0;
    bool stacks = false;
    for (size_t i = 0; i < plot->series_count; i++) {
        const pn_series *s = plot->series[i];
        size_t letters = s->name && !s->dashed && !s->joined ? strlen(s->name) : 0;
        bars += s->kind == PN_SERIES_BAR;
        stacks |= s->kind == PN_SERIES_STACK;
        longest = letters > longest ? letters : longest;
    }
    double width = (double)(plot->x.category_count * (stacks ? 3 : bars) * BAR_PX);
    double margin = (double)(longest * LETTER_PX) + 46.0;
    frame f = {.right = LEFT + (width > WIDTH ? width : WIDTH), .bottom = TOP + HEIGHT};
    f.width = f.right + (margin > RIGHT ? margin : RIGHT);
    f.height = f.bottom + BOTTOM + (is_slanted(&plot->x) ? 24.0 : 0.0);
    return f;
}

panem_status pn_svg_write(pn_text *text, const pn_plot *plot, panem_error *err)
{
    frame f = frame_of(plot);
    range x = {.log = plot->x.scale == PN_SCALE_LOG, .first_px = LEFT};
    range y = {.log = plot->y.scale == PN_SCALE_LOG, .first_px = f.bottom};
    x.length_px = f.right - LEFT;
    y.length_px = -HEIGHT;
    if (!extent(&x, &y, plot))
        return pn_err(err, PANEM_E_ARG, "plot '%s' has no point to draw", plot->id);
    set_scales(&x, &y, plot);
    pn_text_printf(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>",
        (int)f.width, (int)f.height, (int)f.width, (int)f.height);
    add_xml(text, plot->title);
    pn_text_puts(text, "</title>\n<style>.grid{stroke:#ddd}</style>\n"
                       "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    add_words(text, LEFT, 24.0, "font-size=\"15\"", plot->title);
    add_axis_x(text, &plot->x, &x, &f);
    add_axis_y(text, &y, &f);
    add_axis_name(text, &plot->x, &f, false);
    add_axis_name(text, &plot->y, &f, true);
    for (size_t i = 0; i < plot->series_count; i++)
        if (is_ground(plot->series[i]))
            draw_series(text, plot, i, &x, &y);
    for (size_t i = 0; i < plot->series_count; i++)
        if (!is_ground(plot->series[i]))
            draw_series(text, plot, i, &x, &y);
    draw_thresholds(text, plot, &y, &f);
    add_legend(text, plot, &f);
    pn_text_puts(text, "</svg>\n");
    return text->failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the drawing") : PANEM_OK;
}
