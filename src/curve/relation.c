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
    if (guess < last && c->n[guess] <= n && n < c->n[guess + 1])
        return guess;
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

/* The curve with the greatest read fraction not above r (0..1), or 0; i is a good guess. */
static inline uint32_t curve_from(const panem_curves *set, uint32_t i, double r)
{
    while (i > 0 && set->curves[i].read_frac > r)
        i--;
    while (i + 1 < set->count && set->curves[i + 1].read_frac <= r)
        i++;
    return i;
}

static uint32_t lower_curve(const panem_curves *set, double r)
{
    return curve_from(set, set->mix[(int)(r * PN_MIX_STEPS)].lower, r);
}

static uint32_t nearest_curve(const panem_curves *set, double r)
{
    uint32_t i = lower_curve(set, r);
    if (i + 1 < set->count && set->curves[i + 1].read_frac - r < r - set->curves[i].read_frac)
        i++;
    return i;
}

/* Equation 8: between curve a and the next. No branch asks whether r lies between them: it does so
 * now and then, as no predictor can guess. Outside, and beyond the last curve, the weight is 0. */
static inline double between_ns(const panem_curves *set, panem_beyond beyond, uint32_t a, double n,
                                double r, pn_relation_hint *hint)
{
    const pn_curve *low = &set->curves[a];
    const pn_curve *high = low + (a + 1 < set->count);
    if (set->count == 1)
        return curve_ns(low, beyond, n, &hint->low);
    double w = (r - low->read_frac) / low->gap;
    w = w > 0.0 ? w : 0.0;
    double l = curve_ns(low, beyond, n, &hint->low);
    double h = curve_ns(high, beyond, n, &hint->high);
    return (1.0 - w) * l + w * h;
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
    if (relation.mix == PANEM_MIX_NEAREST)
        return curve_ns(&set->curves[nearest_curve(set, r)], relation.beyond, n, &hint->low);
    return between_ns(set, relation.beyond, lower_curve(set, r), n, r, hint);
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
    uint32_t a = mix == PANEM_MIX_NEAREST ? nearest_curve(set, r) : lower_curve(set, r);
    const pn_curve *low = &set->curves[a];
    w.curve[0] = low;
    if (mix == PANEM_MIX_LINEAR && a + 1 < set->count && r > low->read_frac) {
        const pn_curve *high = &set->curves[a + 1];
        w.curve[1] = high;
        w.weight[1] = (r - low->read_frac) / (high->read_frac - low->read_frac);
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
    pn_mix_row row = {0.0, 0.0, 0.0, 0};
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

void pn_relation_tabulate(panem_curves *set)
{
    for (uint32_t i = 0; i < set->count; i++)
        set->curves[i].gap =
            i + 1 < set->count ? set->curves[i + 1].read_frac - set->curves[i].read_frac : INFINITY;
    for (int i = 0; i <= PN_MIX_STEPS; i++) {
        walk w = walk_at(set, PANEM_MIX_LINEAR, (double)i / PN_MIX_STEPS);
        set->mix[i] = row_of(&w);
        set->mix[i].lower = lower_curve(set, (double)i / PN_MIX_STEPS);
    }
    set->mix[PN_MIX_STEPS + 1] = set->mix[PN_MIX_STEPS];
    for (uint32_t i = 0; i < set->count; i++) {
        walk w = walk_at(set, PANEM_MIX_NEAREST, set->curves[i].read_frac);
        set->curve_rows[i] = row_of(&w);
    }
}

static inline pn_mix_row row_between(const pn_mix_row *a, double w)
{
    return (pn_mix_row){a->peak_gbs + w * (a[1].peak_gbs - a->peak_gbs),
                        a->n_peak + w * (a[1].n_peak - a->n_peak),
                        a->n_busy + w * (a[1].n_busy - a->n_busy), a->lower};
}

pn_mix_row pn_relation_row(const panem_curves *set, panem_mix mix, double r)
{
    r = clamp_frac(r);
    if (mix == PANEM_MIX_NEAREST)
        return set->curve_rows[nearest_curve(set, r)];
    double x = r * PN_MIX_STEPS;
    int i = (int)x;
    return row_between(&set->mix[i], x - i);
}

pn_relation_point pn_relation_at(const panem_curves *set, panem_relation relation, double n,
                                 double r, pn_relation_hint *hint)
{
    if (relation.mix == PANEM_MIX_NEAREST) {
        uint32_t a = nearest_curve(set, r);
        const pn_mix_row *own = &set->curve_rows[a];
        double latency_ns = curve_ns(&set->curves[a], relation.beyond, n, &hint->low);
        return (pn_relation_point){latency_ns, own->peak_gbs, own->n_peak, own->n_busy};
    }
    double x = r * PN_MIX_STEPS;
    int i = (int)x;
    pn_mix_row row = row_between(&set->mix[i], x - i);
    uint32_t a = curve_from(set, row.lower, r);
    double latency_ns = between_ns(set, relation.beyond, a, n, r, hint);
    return (pn_relation_point){latency_ns, row.peak_gbs, row.n_peak, row.n_busy};
}

bool pn_relation_invert(const panem_curves *set, panem_mix mix, double gbs, double r, double *n,
                        double *latency_ns)
{
    if (!(gbs >= 0.0))
        return false;
    walk w = walk_at(set, mix, clamp_frac(r));
    return invert(&w, gbs, n, latency_ns);
}
