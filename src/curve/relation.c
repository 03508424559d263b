/* relation.c - see relation.h. Equation numbers are those of docs/model.md.
 *
 * Beyond the last kept point the capped relation is piecewise linear too: the line (possibly cut
 * off at once by N / last), then, from n_capped on, N / peak. So between the breakpoints of one or
 * two curves L is linear in N, N / L is monotone, and maxima and inverses need only breakpoints and
 * the ray beyond the last one, along which N / L may rise toward a limit that it never reaches. */
#include "curve/relation.h"

#include <math.h>

static uint32_t find_segment(const pn_curve *c, double n, uint32_t guess)
{
    uint32_t last = c->kept - 1;
    if (guess >= last)
        guess = 0;
    if (c->n[guess] <= n && n < c->n[guess + 1])
        return guess;
    uint32_t near = guess > 0 && n < c->n[guess] ? guess - 1 : guess + 1;
    if (near < last && c->n[near] <= n && n < c->n[near + 1])
        return near;
    uint32_t low = 0;
    uint32_t high = last; /* n[low] <= n < n[high] */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (c->n[middle] <= n)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Equation 6: beyond the last kept point. */
static double beyond_ns(const pn_curve *c, panem_beyond beyond, double n)
{
    uint32_t last = c->kept - 1;
    double level = n / c->peak_gbs;
    if (last == 0) /* flat curve: constant up to N = peak x L, then N / peak */
        return level > c->latency[0] ? level : c->latency[0];
    double line = c->latency[last] + c->slope[last] * (n - c->n[last]);
    if (beyond == PANEM_BEYOND_PAPER)
        return line;
    double ceiling = n / c->last_gbs;
    if (line > ceiling)
        line = ceiling;
    return line > level ? line : level;
}

/* Equation 5: one curve. */
static inline double curve_ns(const pn_curve *c, panem_beyond beyond, double n, uint32_t *hint)
{
    if (!(n > c->n[0]) && c->kept > 1)
        return c->latency[0];
    if (n >= c->n[c->kept - 1])
        return beyond_ns(c, beyond, n);
    if (c->kept == 1)
        return c->latency[0];
    uint32_t i = find_segment(c, n, *hint);
    *hint = i;
    double l = c->latency[i] + c->slope[i] * (n - c->n[i]);
    return l < c->latency[i + 1] ? l : c->latency[i + 1];
}

static double clamp_frac(double r)
{
    if (!(r > 0.0))
        return 0.0;
    return r < 1.0 ? r : 1.0;
}

/* The curve with the greatest read fraction not above r (0..1), or the first. */
static const pn_curve *lower_curve(const panem_curves *set, double r)
{
    const pn_curve *c = set->curves;
    while (c->next_frac <= r)
        c++;
    return c;
}

/* From the table, as the model does it: by rounding r may lie just below the row's curve. */
static const pn_curve *table_curve(const panem_curves *set, double r)
{
    const pn_curve *c = set->below[(int)(r * PN_MIX_STEPS)];
    while (c->next_frac <= r)
        c++;
    return c;
}

static uint32_t nearest_curve(const panem_curves *set, double r)
{
    const pn_curve *c = table_curve(set, r);
    if (c->next != c && c->next_frac - r < r - c->read_frac)
        c++;
    return (uint32_t)(c - set->curves);
}

pn_mix_place pn_relation_nearest(const panem_curves *set, double r)
{
    uint32_t i = nearest_curve(set, r);
    return (pn_mix_place){&set->curve_rows[i], &set->curves[i], 0.0};
}

double pn_relation_nearest_ns(const pn_curve *curve, panem_beyond beyond, double n,
                              pn_relation_hint *hint)
{
    return curve_ns(curve, beyond, n, &hint->low);
}

double pn_relation_loaded_ns(const pn_curve *low, panem_beyond beyond, double n, double w,
                             pn_relation_hint *hint)
{
    double l = curve_ns(low, beyond, n, &hint->low);
    if (low->next == low)
        return l;
    return l + w * (curve_ns(low->next, beyond, n, &hint->high) - l);
}

double pn_relation_latency_ns(const panem_curves *set, panem_relation relation, double n, double r,
                              pn_relation_hint *hint)
{
    pn_relation_hint none = {0, 0};
    if (!hint)
        hint = &none;
    r = clamp_frac(r);
    if (!(n > 0.0))
        n = 0.0;
    return pn_relation_at_ns(set, relation, pn_relation_place(set, relation.mix, r), n, r, hint);
}

/* The breakpoints of one curve or of two together, in rising order of N. */
typedef struct walk {
    const pn_curve *curve[2];
    double weight[2];
    uint32_t at[2];
    int curves;
} walk;

static walk walk_at(const panem_curves *set, panem_mix mix, double r)
{
    walk w = {{NULL, NULL}, {1.0, 0.0}, {0, 0}, 1};
    const pn_curve *low =
        mix == PANEM_MIX_NEAREST ? &set->curves[nearest_curve(set, r)] : lower_curve(set, r);
    w.curve[0] = low;
    if (mix == PANEM_MIX_LINEAR && low->next != low && r > low->read_frac) {
        w.curve[1] = low->next;
        w.weight[1] = (r - low->read_frac) * low->per_gap;
        w.weight[0] = 1.0 - w.weight[1];
        w.curves = 2;
    }
    return w;
}

static double walk_ns(const walk *w, double n)
{
    uint32_t hint = 0;
    double l = curve_ns(w->curve[0], PANEM_BEYOND_CAPPED, n, &hint);
    if (w->curves == 1)
        return l;
    hint = 0;
    return w->weight[0] * l + w->weight[1] * curve_ns(w->curve[1], PANEM_BEYOND_CAPPED, n, &hint);
}

static bool breakpoint(const pn_curve *c, uint32_t i, double *n)
{
    if (i < c->kept) {
        *n = c->n[i];
        return true;
    }
    *n = c->n_capped;
    return i == c->kept && c->n_capped > 0.0;
}

/* Next breakpoint in rising order; false at the end. */
static bool walk_next(walk *w, double *n)
{
    double best = 0.0;
    int from = -1;
    for (int i = 0; i < w->curves; i++) {
        double here;
        if (breakpoint(w->curve[i], w->at[i], &here) && (from < 0 || here < best)) {
            best = here;
            from = i;
        }
    }
    if (from < 0)
        return false;
    w->at[from]++;
    *n = best;
    return true;
}

/* Slope of the capped relation of one curve beyond its last breakpoint, ns per byte. */
static double far_slope(const pn_curve *c)
{
    double level = 1.0 / c->peak_gbs;
    double ceiling = 1.0 / c->last_gbs;
    double line = c->slope[c->kept - 1];
    if (c->kept == 1 || line < level)
        return level;
    return line < ceiling ? line : ceiling;
}

/* Beyond the last breakpoint L grows by this per byte, so that N / L nears its inverse. */
static double walk_far_slope(const walk *w)
{
    double slope = far_slope(w->curve[0]);
    if (w->curves == 2)
        slope = w->weight[0] * slope + w->weight[1] * far_slope(w->curve[1]);
    return slope;
}

/* In (n0, n1] L runs linearly from l0 to l1 and N / L reaches gbs: where? */
static double solve(double n0, double l0, double n1, double l1, double gbs)
{
    double b = (l1 - l0) / (n1 - n0);
    double a = l0 - b * n0;
    double d = 1.0 - gbs * b;
    double n = d > 0.0 ? a * gbs / d : n1;
    if (!(n > n0))
        return n0;
    return n < n1 ? n : n1;
}

/* A bandwidth this close to the peak, relatively, counts as the peak: rounding of units. */
#define PEAK_ROUNDING 1e-12

static bool invert(const walk *start, double gbs, double *n, double *latency_ns)
{
    walk w = *start;
    double n0 = 0.0;
    double l0 = walk_ns(&w, 0.0);
    double n1;
    if (gbs == 0.0) {
        *n = 0.0;
        *latency_ns = l0;
        return true;
    }
    while (walk_next(&w, &n1)) {
        double l1 = walk_ns(&w, n1);
        if (n1 > n0 && n1 / l1 >= gbs * (1.0 - PEAK_ROUNDING)) {
            *n = solve(n0, l0, n1, l1, gbs);
            *latency_ns = *n / gbs;
            return true;
        }
        n0 = n1;
        l0 = l1;
    }
    double slope = walk_far_slope(&w);
    double a = l0 - slope * n0;
    double d = 1.0 - gbs * slope;
    if (!(a > 0.0) || !(d > PEAK_ROUNDING))
        return false;
    *n = a * gbs / d;
    *latency_ns = *n / gbs;
    return true;
}

/* N at which a peak that is only neared counts as reached. */
#define PEAK_NEARED 0.999

static pn_mix_row row_of(const walk *start)
{
    walk w = *start;
    pn_mix_row row = {0.0, 0.0, 0.0, 0.0, 0};
    double n;
    double busy_ns;
    while (walk_next(&w, &n)) {
        double gbs = n / walk_ns(&w, n);
        if (gbs > row.peak_gbs) {
            row.peak_gbs = gbs;
            row.n_peak = n;
        }
    }
    double limit = 1.0 / walk_far_slope(start);
    if (limit > row.peak_gbs * (1.0 + PEAK_ROUNDING) &&
        invert(start, PEAK_NEARED * limit, &row.n_peak, &busy_ns))
        row.peak_gbs = limit;
    if (!invert(start, 0.9 * row.peak_gbs, &row.n_busy, &busy_ns))
        row.n_busy = 0.9 * row.n_peak;
    return row;
}

/* What a curve has to know of the next one. */
static void chain(panem_curves *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        pn_curve *c = &set->curves[i];
        bool last = i + 1 == set->count;
        c->next = last ? c : c + 1;
        c->next_frac = last ? INFINITY : c->next->read_frac;
        c->per_gap = last ? 0.0 : 1.0 / (c->next_frac - c->read_frac);
        c->flat_n = c->n[0] < c->next->n[0] ? c->n[0] : c->next->n[0];
        c->idle_ns = c->latency[0];
        c->idle_slope = (c->next->latency[0] - c->latency[0]) * c->per_gap;
    }
    set->covers_from = set->curves[0].read_frac - 0.0005;
    set->covers_to = set->curves[set->count - 1].read_frac + 0.0005;
}

/* Interpolation between two rows may round below both, but not by so much. */
#define ROW_ROUNDING 1e-9

static double light_of(const pn_mix_row *row)
{
    double n = row->n_busy < row->n_peak ? row->n_busy : row->n_peak;
    return n * (1.0 - ROW_ROUNDING);
}

static int64_t byte_time(double peak_gbs)
{
    double q16 = 1000.0 / peak_gbs * 65536.0 + 0.5;
    return q16 < (double)PN_BYTE_Q16_MAX ? (int64_t)q16 : PN_BYTE_Q16_MAX;
}

static void tabulate_mix(panem_curves *set)
{
    for (int i = 0; i <= PN_MIX_STEPS; i++) {
        walk w = walk_at(set, PANEM_MIX_LINEAR, (double)i / PN_MIX_STEPS);
        set->mix[i] = row_of(&w);
        set->below[i] = lower_curve(set, (double)i / PN_MIX_STEPS);
        set->mix[i].byte_q16 = byte_time(set->mix[i].peak_gbs);
    }
    set->mix[PN_MIX_STEPS + 1] = set->mix[PN_MIX_STEPS];
    set->below[PN_MIX_STEPS + 1] = set->below[PN_MIX_STEPS];
    for (int i = 0; i <= PN_MIX_STEPS; i++) {
        double here = light_of(&set->mix[i]);
        double next = light_of(&set->mix[i + 1]);
        set->mix[i].n_light = here < next ? here : next;
    }
}

void pn_relation_tabulate(panem_curves *set)
{
    chain(set);
    tabulate_mix(set);
    for (uint32_t i = 0; i < set->count; i++) {
        walk w = walk_at(set, PANEM_MIX_NEAREST, set->curves[i].read_frac);
        pn_mix_row *row = &set->curve_rows[i];
        *row = row_of(&w);
        row->byte_q16 = byte_time(row->peak_gbs);
        row->n_light = light_of(row);
    }
    set->curve_rows[set->count] = set->curve_rows[set->count - 1];
}

pn_mix_row pn_relation_row(const panem_curves *set, panem_mix mix, double r)
{
    pn_mix_place at = pn_relation_place(set, mix, clamp_frac(r));
    pn_mix_row row = *at.row;
    row.peak_gbs = pn_relation_peak_gbs(at);
    row.n_peak = pn_relation_n_peak(at);
    row.n_busy = pn_relation_n_busy(at);
    return row;
}

bool pn_relation_invert(const panem_curves *set, panem_mix mix, double gbs, double r, double *n,
                        double *latency_ns)
{
    if (!(gbs >= 0.0))
        return false;
    walk w = walk_at(set, mix, clamp_frac(r));
    return invert(&w, gbs, n, latency_ns);
}
