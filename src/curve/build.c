/* build.c - from raw points to a compiled curve set: transforms, repair, conversion (docs/model.md,
 * equations 1 to 5).
 *
 * Each curve is handled alone: valid points are put in order of rising load, then one walk from
 * idle upward keeps a point only if both outstanding bytes and latency exceed the last kept one's,
 * then everything beyond the first kept point after the bandwidth peak goes. Every step that drops
 * or moves a point is reported with the place the point came from. */
#include "curve/set.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "curve/csv.h"
#include "curve/relation.h"

/* A point on its way: values after the transforms, and where it came from. */
typedef struct work_point {
    double b, l, n;
    size_t raw;
} work_point;

typedef struct builder {
    const pn_rawset *raw;
    const panem_curves_options *options;
    panem_error *err;
    panem_allocator allocator;
    pn_verdict *verdicts;
    size_t *order;    /* raw indices by read fraction, stable */
    work_point *work; /* points of the curve at hand */
    panem_curves *set;
    size_t numbers_used;
} builder;

static panem_status report(const builder *b, panem_finding_kind kind, size_t raw, const char *text)
{
    const pn_raw_point *p = &b->raw->points[raw];
    const char *file = p->file < b->raw->file_count ? b->raw->files[p->file] : "";
    if (b->options->strict && kind != PANEM_FINDING_PAST_PEAK)
        return pn_err_at(b->err, PANEM_E_STRICT, file, p->line, 0, "%s", text);
    panem_finding finding = {kind, file, p->line, p->read_frac, text};
    if (b->options->report)
        b->options->report(b->options->report_user, &finding);
    return PANEM_OK;
}

/* ---- transforms (equation 1) and validity (equation 2) ---- */

static panem_status too_much_taken_off(const builder *b, size_t raw, double latency_ns)
{
    const pn_raw_point *p = &b->raw->points[raw];
    const char *file = p->file < b->raw->file_count ? b->raw->files[p->file] : "";
    return pn_err_at(b->err, PANEM_E_RANGE, file, p->line, 0,
                     "offset and on-chip part leave a latency of %.3f ns; it must stay positive",
                     latency_ns);
}

/* Far outside what any memory does, and far inside what doubles can multiply and divide: beyond
 * these, outstanding bytes and slopes could overflow. */
#define BANDWIDTH_MIN_GBS 1e-12 /* besides 0 */
#define BANDWIDTH_MAX_GBS 1e9
#define LATENCY_MIN_NS 1e-6
#define LATENCY_MAX_NS 1e12

static bool in_range(double bandwidth_gbs, double latency_ns)
{
    return (bandwidth_gbs == 0.0 || bandwidth_gbs >= BANDWIDTH_MIN_GBS) &&
           bandwidth_gbs <= BANDWIDTH_MAX_GBS && latency_ns >= LATENCY_MIN_NS &&
           latency_ns <= LATENCY_MAX_NS;
}

/* Transforms point raw; *valid tells whether it stays. */
static panem_status transform(const builder *b, work_point *out, bool *valid, size_t raw)
{
    const pn_raw_point *p = &b->raw->points[raw];
    const panem_curves_options *o = b->options;
    *valid = false;
    if (!isfinite(p->bandwidth_gbs) || !isfinite(p->latency_ns))
        return report(b, PANEM_FINDING_NOT_FINITE, raw, "value is not finite: point dropped");
    if (p->latency_ns <= 0.0)
        return report(b, PANEM_FINDING_LATENCY, raw, "latency is not positive: point dropped");
    if (p->bandwidth_gbs < 0.0)
        return report(b, PANEM_FINDING_NEGATIVE_BANDWIDTH, raw,
                      "bandwidth is negative: point dropped");
    double latency = p->latency_ns * o->latency_factor + o->latency_offset_ns - o->on_chip_ns;
    if (!(latency > 0.0))
        return too_much_taken_off(b, raw, latency);
    double bandwidth = p->bandwidth_gbs * o->bandwidth_factor;
    if (!in_range(bandwidth, latency))
        return report(b, PANEM_FINDING_NOT_FINITE, raw,
                      "value is out of any physical range: point dropped");
    *out = (work_point){bandwidth, latency, bandwidth * latency, raw};
    *valid = true;
    return PANEM_OK;
}

/* ---- order of rising load ---- */

static int by_outstanding(const void *a, const void *b)
{
    const work_point *x = a;
    const work_point *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return x->raw < y->raw ? -1 : x->raw > y->raw;
}

static void reverse(work_point *points, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        work_point t = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = t;
    }
}

/* AUTO: rising or falling when at least three steps of four agree. */
static panem_order guess_order(const work_point *points, size_t count)
{
    size_t up = 0;
    size_t down = 0;
    for (size_t i = 1; i < count; i++) {
        up += points[i].n > points[i - 1].n;
        down += points[i].n < points[i - 1].n;
    }
    if (up >= 3 * down)
        return PANEM_ORDER_RISING;
    return down >= 3 * up ? PANEM_ORDER_FALLING : PANEM_ORDER_ANY;
}

/* Zero bandwidth is the idle anchor: it goes first, wherever it stood. */
static void idle_first(work_point *points, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (points[i].b != 0.0)
            continue;
        work_point idle = points[i];
        memmove(points + 1, points, i * sizeof *points);
        points[0] = idle;
    }
}

static panem_status put_in_order(const builder *b, work_point *points, size_t count)
{
    panem_order order = b->options->order;
    if (order == PANEM_ORDER_AUTO)
        order = b->raw->order;
    bool stated = order == PANEM_ORDER_ANY;
    if (order == PANEM_ORDER_AUTO)
        order = guess_order(points, count);
    if (order == PANEM_ORDER_FALLING)
        reverse(points, count);
    if (order == PANEM_ORDER_ANY) {
        size_t first = points[0].raw;
        qsort(points, count, sizeof *points, by_outstanding);
        if (!stated)
            PN_TRY(report(b, PANEM_FINDING_ORDER, first,
                          "points are in no order of load: sorted by bandwidth x latency"));
    }
    idle_first(points, count);
    return PANEM_OK;
}

/* ---- the walk (equations 3 and 4) ---- */

static panem_status report_not_rising(const builder *b, const work_point *p, const work_point *last)
{
    char text[160];
    if (p->b == last->b && p->l == last->l)
        return report(b, PANEM_FINDING_DUPLICATE, p->raw, "repeats the point before: dropped");
    (void)snprintf(text, sizeof text, "%s %s not rise above the last kept point's: point dropped",
                   p->n <= last->n ? "outstanding bytes" : "latency",
                   p->n <= last->n ? "do" : "does");
    return report(b, PANEM_FINDING_NOT_RISING, p->raw, text);
}

/* Compacts points to the kept ones; returns how many. */
static panem_status walk_up(const builder *b, work_point *points, size_t *count)
{
    size_t kept = 1;
    for (size_t i = 1; i < *count; i++) {
        const work_point *last = &points[kept - 1];
        if (points[i].n > last->n && points[i].l > last->l)
            points[kept++] = points[i];
        else
            PN_TRY(report_not_rising(b, &points[i], last));
    }
    size_t peak = 0;
    for (size_t i = 1; i < kept; i++)
        if (points[i].b > points[peak].b)
            peak = i;
    if (peak + 1 < kept)
        PN_TRY(report(b, PANEM_FINDING_PAST_PEAK, points[peak + 1].raw,
                      "bandwidth falls beyond the peak while load rises: point kept"));
    for (size_t i = peak + 2; i < kept; i++)
        PN_TRY(report(b, PANEM_FINDING_FOLD_BACK, points[i].raw,
                      "beyond the first point after the peak: point dropped"));
    *count = peak + 2 < kept ? peak + 2 : kept;
    return PANEM_OK;
}

/* ---- one curve ---- */

static double capped_meets_peak(const pn_curve *c)
{
    uint32_t last = c->kept - 1;
    if (last == 0)
        return c->peak_gbs * c->latency[0];
    double rate = 1.0 / c->peak_gbs - c->slope[last];
    double n = rate > 0.0 ? (c->latency[last] - c->slope[last] * c->n[last]) / rate : 0.0;
    return n > c->n[last] ? n : 0.0;
}

static void fill_curve(builder *b, pn_curve *c, const work_point *points, size_t kept)
{
    double *n = b->set->numbers + b->numbers_used;
    double *latency = n + kept;
    double *slope = latency + kept;
    b->numbers_used += 3 * kept;
    for (size_t i = 0; i < kept; i++) {
        n[i] = points[i].n;
        latency[i] = points[i].l;
        if (b->verdicts)
            b->verdicts[points[i].raw] = PN_KEPT;
    }
    for (size_t i = 0; i + 1 < kept; i++)
        slope[i] = (latency[i + 1] - latency[i]) / (n[i + 1] - n[i]);
    slope[kept - 1] = kept > 1 ? slope[kept - 2] : 0.0;
    c->kept = (uint32_t)kept;
    c->n = n;
    c->latency = latency;
    c->slope = slope;
    c->last_gbs = points[kept - 1].b;
    c->n_capped = capped_meets_peak(c);
}

static panem_status build_curve(builder *b, pn_curve *c, const size_t *raw, size_t raw_count)
{
    const pn_raw_point *first = &b->raw->points[raw[0]];
    size_t count = 0;
    c->read_frac = first->read_frac;
    c->raw_points = (uint32_t)raw_count;
    for (size_t i = 0; i < raw_count; i++) {
        bool valid = false;
        PN_TRY(transform(b, &b->work[count], &valid, raw[i]));
        count += valid;
    }
    for (size_t i = 0; i < count; i++)
        if (b->work[i].b > c->peak_gbs)
            c->peak_gbs = b->work[i].b;
    if (count == 0 || c->peak_gbs == 0.0) {
        const char *file = first->file < b->raw->file_count ? b->raw->files[first->file] : "";
        return pn_err_at(b->err, PANEM_E_EMPTY, file, first->line, 0,
                         "the curve at %.6g %% reads has no usable point above zero bandwidth",
                         100.0 * first->read_frac);
    }
    PN_TRY(put_in_order(b, b->work, count));
    PN_TRY(walk_up(b, b->work, &count));
    fill_curve(b, c, b->work, count);
    return PANEM_OK;
}

/* ---- the set ---- */

static int by_read_frac(const void *a, const void *b, void *points)
{
    const pn_raw_point *p = points;
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    if (p[x].read_frac != p[y].read_frac)
        return p[x].read_frac < p[y].read_frac ? -1 : 1;
    return x < y ? -1 : x > y;
}

static panem_status check_options(const panem_curves_options *o, panem_error *err)
{
    if (o->size != sizeof *o)
        return pn_err(err, PANEM_E_ARG, "curve options: size is not that of this version");
    if (!(o->bandwidth_factor > 0.0) || !isfinite(o->bandwidth_factor))
        return pn_err(err, PANEM_E_ARG, "curve options: bandwidth_factor must be positive");
    if (!(o->latency_factor > 0.0) || !isfinite(o->latency_factor))
        return pn_err(err, PANEM_E_ARG, "curve options: latency_factor must be positive");
    if (!isfinite(o->latency_offset_ns))
        return pn_err(err, PANEM_E_ARG, "curve options: latency_offset_ns must be finite");
    if (!(o->on_chip_ns >= 0.0) || !isfinite(o->on_chip_ns))
        return pn_err(err, PANEM_E_ARG, "curve options: on_chip_ns must be zero or positive");
    if ((unsigned)o->order > PANEM_ORDER_ANY)
        return pn_err(err, PANEM_E_ARG, "curve options: unknown order");
    return PANEM_OK;
}

static panem_status check_points(const pn_rawset *raw, panem_error *err)
{
    if (raw->count == 0)
        return pn_err(err, PANEM_E_EMPTY, "no point in the curve set");
    for (size_t i = 0; i < raw->count; i++) {
        const pn_raw_point *p = &raw->points[i];
        if (!(p->read_frac >= 0.0 && p->read_frac <= 1.0))
            return pn_err_at(err, PANEM_E_RANGE,
                             p->file < raw->file_count ? raw->files[p->file] : "", p->line, 0,
                             "read fraction is outside 0..1");
    }
    return PANEM_OK;
}

static panem_status copy_meta(panem_curves *set, const pn_rawset *raw)
{
    size_t size = 0;
    for (uint32_t i = 0; i < raw->meta_count; i++)
        size += strlen(raw->meta[i].key) + strlen(raw->meta[i].value) + 2;
    set->meta_text_size = size;
    set->meta_count = raw->meta_count;
    set->meta = pn_mem_alloc(&set->allocator, set->meta_count, sizeof *set->meta);
    set->meta_text = pn_mem_alloc(&set->allocator, size, 1);
    if (!set->meta || !set->meta_text)
        return PANEM_E_NOMEM;
    char *at = set->meta_text;
    for (uint32_t i = 0; i < raw->meta_count; i++) {
        size_t key = strlen(raw->meta[i].key) + 1;
        size_t value = strlen(raw->meta[i].value) + 1;
        memcpy(at, raw->meta[i].key, key);
        memcpy(at + key, raw->meta[i].value, value);
        set->meta[i] = (pn_curve_meta){at, at + key};
        at += key + value;
    }
    return PANEM_OK;
}

static uint64_t fingerprint(const panem_curves *set)
{
    uint64_t hash = pn_hash_u64(PN_HASH_START, set->count);
    for (uint32_t i = 0; i < set->count; i++) {
        const pn_curve *c = &set->curves[i];
        hash = pn_hash_double(hash, c->read_frac);
        hash = pn_hash_double(hash, c->peak_gbs);
        hash = pn_hash_u64(hash, c->kept);
        for (uint32_t k = 0; k < c->kept; k++) {
            hash = pn_hash_double(hash, c->n[k]);
            hash = pn_hash_double(hash, c->latency[k]);
        }
    }
    return hash;
}

static uint32_t count_curves(const builder *b)
{
    uint32_t count = 1;
    for (size_t i = 1; i < b->raw->count; i++)
        count += b->raw->points[b->order[i]].read_frac != b->raw->points[b->order[i - 1]].read_frac;
    return count;
}

static bool allocate(builder *b)
{
    const panem_allocator *a = &b->allocator;
    panem_curves *set = pn_mem_alloc(a, 1, sizeof *set);
    if (!set)
        return false;
    b->set = set;
    set->allocator = *a;
    set->count = count_curves(b);
    set->curves = pn_mem_alloc(a, set->count, sizeof *set->curves);
    set->number_count = 3 * b->raw->count;
    set->numbers = pn_mem_alloc(a, set->number_count, sizeof *set->numbers);
    set->mix = pn_mem_alloc(a, PN_MIX_ROWS, sizeof *set->mix);
    set->below = pn_mem_alloc(a, PN_MIX_ROWS, sizeof *set->below);
    set->curve_rows = pn_mem_alloc(a, set->count + 1, sizeof *set->curve_rows);
    return set->curves && set->numbers && set->mix && set->below && set->curve_rows;
}

static panem_status build_all(builder *b)
{
    for (size_t i = 0; i < b->raw->count; i++)
        b->order[i] = i;
    qsort_r(b->order, b->raw->count, sizeof *b->order, by_read_frac, b->raw->points);
    if (!allocate(b) || copy_meta(b->set, b->raw) != PANEM_OK)
        return pn_err(b->err, PANEM_E_NOMEM, "no memory for a curve set of %zu points",
                      b->raw->count);
    size_t start = 0;
    for (uint32_t c = 0; c < b->set->count; c++) {
        double r = b->raw->points[b->order[start]].read_frac;
        size_t end = start;
        while (end < b->raw->count && b->raw->points[b->order[end]].read_frac == r)
            end++;
        PN_TRY(build_curve(b, &b->set->curves[c], b->order + start, end - start));
        start = end;
    }
    pn_relation_tabulate(b->set);
    b->set->fingerprint = fingerprint(b->set);
    return PANEM_OK;
}

panem_status pn_curves_build_verdicts(panem_curves **set, pn_verdict *verdicts,
                                      const pn_rawset *raw, const panem_curves_options *options,
                                      panem_error *err)
{
    const panem_curves_options defaults = PANEM_CURVES_OPTIONS_INIT;
    if (!options)
        options = &defaults;
    PN_TRY(check_options(options, err));
    PN_TRY(check_points(raw, err));
    builder b = {.raw = raw, .options = options, .err = err, .verdicts = verdicts};
    b.allocator = options->allocator ? *options->allocator : pn_mem_default;
    if (verdicts)
        memset(verdicts, 0, raw->count * sizeof *verdicts);
    b.order = pn_mem_alloc(&b.allocator, raw->count, sizeof *b.order);
    b.work = pn_mem_alloc(&b.allocator, raw->count, sizeof *b.work);
    panem_status status = b.order && b.work
                              ? build_all(&b)
                              : pn_err(err, PANEM_E_NOMEM, "no memory for %zu points", raw->count);
    pn_mem_release(&b.allocator, b.order, raw->count, sizeof *b.order);
    pn_mem_release(&b.allocator, b.work, raw->count, sizeof *b.work);
    if (status != PANEM_OK) {
        panem_curves_destroy(b.set);
        return status;
    }
    *set = b.set;
    return PANEM_OK;
}

panem_status pn_curves_build(panem_curves **set, const pn_rawset *raw,
                             const panem_curves_options *options, panem_error *err)
{
    return pn_curves_build_verdicts(set, NULL, raw, options, err);
}

void panem_curves_destroy(panem_curves *set)
{
    if (!set)
        return;
    panem_allocator a = set->allocator;
    pn_mem_release(&a, set->curves, set->count, sizeof *set->curves);
    pn_mem_release(&a, set->numbers, set->number_count, sizeof *set->numbers);
    pn_mem_release(&a, set->mix, PN_MIX_ROWS, sizeof *set->mix);
    pn_mem_release(&a, set->below, PN_MIX_ROWS, sizeof *set->below);
    pn_mem_release(&a, set->curve_rows, set->count + 1, sizeof *set->curve_rows);
    pn_mem_release(&a, set->meta, set->meta_count, sizeof *set->meta);
    pn_mem_release(&a, set->meta_text, set->meta_text_size, 1);
    pn_mem_release(&a, set, 1, sizeof *set);
}
