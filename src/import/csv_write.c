/* csv_write.c - see csv_write.h. */
#include "import/csv_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"

/* Keys in this order first, then all others as they come. */
static const char *const KEY_ORDER[] = {"name",
                                        "source",
                                        "format",
                                        "hardware",
                                        "synthetic",
                                        "converted_from",
                                        "transforms",
                                        "label",
                                        "latency_includes",
                                        "theoretical_peak_gbs",
                                        NULL};

static bool is_ordered_key(const char *key)
{
    for (int i = 0; KEY_ORDER[i]; i++)
        if (strcmp(KEY_ORDER[i], key) == 0)
            return true;
    return strcmp(key, "order") == 0;
}

static void add_meta(pn_text *text, const pn_rawset *set)
{
    for (int i = 0; KEY_ORDER[i]; i++) {
        const char *value = pn_rawset_meta(set, KEY_ORDER[i]);
        if (value)
            pn_text_printf(text, "# %s: %s\n", KEY_ORDER[i], value);
    }
    for (uint32_t i = 0; i < set->meta_count; i++)
        if (!is_ordered_key(set->meta[i].key))
            pn_text_printf(text, "# %s: %s\n", set->meta[i].key, set->meta[i].value);
    if (set->order == PANEM_ORDER_RISING)
        pn_text_puts(text, "# order: rising\n");
    if (set->order == PANEM_ORDER_FALLING)
        pn_text_puts(text, "# order: falling\n");
    if (set->order == PANEM_ORDER_ANY)
        pn_text_puts(text, "# order: any\n");
}

/* A percentage whose hundredth is the fraction again; a short one when there is one. */
static double percent_of(double frac)
{
    double percent = frac * 100.0;
    double tidy = floor(percent * 1e10 + 0.5) / 1e10;
    if (tidy / 100.0 == frac)
        return tidy;
    for (int step = -2; step <= 2; step++) {
        double near = percent;
        for (int i = 0; i < abs(step); i++)
            near = nextafter(near, step < 0 ? 0.0 : 200.0);
        if (near / 100.0 == frac)
            return near;
    }
    return percent;
}

static void add_number(pn_text *text, double value)
{
    pn_text_puts(text, ",");
    if (isfinite(value))
        pn_text_number(text, value);
}

/* A point where it stands: sorting moves these, not the set. */
typedef struct place {
    const pn_raw_point *point;
} place;

static int by_read_frac(const void *a, const void *b)
{
    const pn_raw_point *x = ((const place *)a)->point;
    const pn_raw_point *y = ((const place *)b)->point;
    if (x->read_frac != y->read_frac)
        return x->read_frac < y->read_frac ? -1 : 1;
    return x < y ? -1 : x > y;
}

panem_status pn_csv_format(pn_text *text, const pn_rawset *set, panem_error *err)
{
    bool stds = false;
    place *points = malloc((set->count + 1) * sizeof *points);
    if (!points)
        return pn_err(err, PANEM_E_NOMEM, "no memory for the points of a curve set");
    for (size_t i = 0; i < set->count; i++) {
        points[i].point = &set->points[i];
        stds |= isfinite(points[i].point->bandwidth_std_gbs) ||
                isfinite(points[i].point->latency_std_ns);
    }
    qsort(points, set->count, sizeof *points, by_read_frac);
    add_meta(text, set);
    pn_text_printf(text, "read_pct,bandwidth_gbs,latency_ns%s\n",
                   stds ? ",bandwidth_std_gbs,latency_std_ns" : "");
    for (size_t i = 0; i < set->count; i++) {
        pn_text_number(text, percent_of(points[i].point->read_frac));
        add_number(text, points[i].point->bandwidth_gbs);
        add_number(text, points[i].point->latency_ns);
        if (stds) {
            add_number(text, points[i].point->bandwidth_std_gbs);
            add_number(text, points[i].point->latency_std_ns);
        }
        pn_text_puts(text, "\n");
    }
    free(points);
    return text->failed ? pn_err(err, PANEM_E_NOMEM, "no memory for the text of a curve set")
                        : PANEM_OK;
}
