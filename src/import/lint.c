/* lint.c - see lint.h.
 *
 * The bounds of the gates: idle latencies of published sets, hardware and simulated, lie between 40
 * (desktop) and 400 ns (remote socket); peaks between 0.34 (CXL mixes) and 0.97 of the theoretical
 * one. Slope x peak: 1 keeps the bandwidth level beyond the last point; outside 0.5..2 the two last
 * points say more about noise than about the memory (docs/model.md, equation 6). */
#include "import/lint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/units.h"
#include "curve/set.h"

#define IDLE_MIN_NS 40.0
#define IDLE_MAX_NS 600.0
#define PEAK_MIN_SHARE 0.25
#define SLOPE_MIN 0.5
#define SLOPE_MAX 2.0
#define POINTS_FEW 5u
#define DROPPED_MANY 0.25  /* share of a curve's points */
#define STEP_LARGE 1.5     /* latency ratio of neighbouring kept points */
#define READ_GAP_WIDE 0.15 /* between neighbouring curves */
#define PEAK_LOST 0.01     /* share of the raw peak that no kept point reaches */

typedef struct linter {
    pn_lint_fn report;
    void *user;
    const panem_curves *set;
} linter;

static void say(const linter *l, pn_severity severity, const char *kind, double read_frac,
                const char *text, const char *consequence)
{
    pn_lint_finding f = {severity, kind, "", 0, 100.0 * read_frac, text, consequence};
    l->report(l->user, &f);
}

/* ---- gates ---- */

static void gate_idle(const linter *l, const panem_curve_info *c)
{
    char text[128];
    if (c->idle_ns >= IDLE_MIN_NS && c->idle_ns <= IDLE_MAX_NS)
        return;
    (void)snprintf(text, sizeof text, "idle latency of %.1f ns is outside %.0f..%.0f ns",
                   c->idle_ns, IDLE_MIN_NS, IDLE_MAX_NS);
    say(l, PN_WARNING, "idle_latency", c->read_frac, text,
        "the unit, clock or offset of the latency is probably not what was said");
}

static void gate_peak(const linter *l, const panem_curve_info *c, double theoretical)
{
    char text[128];
    double share = c->peak_gbs / theoretical;
    if (!(theoretical > 0.0) || (share <= 1.0 && share >= PEAK_MIN_SHARE))
        return;
    (void)snprintf(text, sizeof text, "peak of %.1f GB/s is %.0f %% of the theoretical %.1f GB/s",
                   c->peak_gbs, 100.0 * share, theoretical);
    say(l, PN_WARNING, "peak", c->read_frac, text,
        "the unit of the bandwidth is probably wrong, or it spans more or fewer channels than "
        "said");
}

void pn_lint_gates(const panem_curves *set, double theoretical_gbs, pn_lint_fn report, void *user)
{
    linter l = {report, user, set};
    for (uint32_t i = 0; i < panem_curves_count(set); i++) {
        panem_curve_info c;
        if (panem_curves_info(set, &c, i) != PANEM_OK)
            continue;
        gate_idle(&l, &c);
        gate_peak(&l, &c, theoretical_gbs);
    }
}

/* ---- one curve ---- */

static void lint_slope(const linter *l, const panem_curve_info *c)
{
    char text[128];
    if (c->kept_points < 2 || (c->beyond_slope >= SLOPE_MIN && c->beyond_slope <= SLOPE_MAX))
        return;
    (void)snprintf(text, sizeof text, "slope x peak beyond the last point is %.3g, outside %g..%g",
                   c->beyond_slope, SLOPE_MIN, SLOPE_MAX);
    say(l, PN_WARNING, "slope", c->read_frac, text,
        c->beyond_slope > SLOPE_MAX
            ? "bandwidth would collapse beyond the peak: the default caps it at the last measured "
              "bandwidth, --beyond paper does not"
            : "bandwidth would exceed the peak: the default caps it there, --beyond paper does "
              "not");
}

static void lint_counts(const linter *l, const panem_curve_info *c)
{
    char text[128];
    if (c->kept_points < POINTS_FEW) {
        (void)snprintf(text, sizeof text, "only %u kept points of %u", c->kept_points,
                       c->raw_points);
        say(l, PN_WARNING, "few_points", c->read_frac, text,
            c->kept_points == 1 ? "a flat curve: constant latency up to the peak"
                                : "long straight stretches between points");
    } else if (c->raw_points - c->kept_points > DROPPED_MANY * c->raw_points) {
        (void)snprintf(text, sizeof text, "%u of %u points dropped", c->raw_points - c->kept_points,
                       c->raw_points);
        say(l, PN_NOTE, "many_dropped", c->read_frac, text,
            "the relation rests on fewer points than were measured");
    }
}

static void lint_steps(const linter *l, const panem_curve_info *c, uint32_t index)
{
    char text[160];
    double n0, l0, n1, l1, best = 0.0;
    (void)panem_curves_kept(l->set, &n0, &l0, index, 0);
    for (uint32_t i = 1; i < c->kept_points; i++) {
        (void)panem_curves_kept(l->set, &n1, &l1, index, i);
        if (l1 > STEP_LARGE * l0) {
            (void)snprintf(text, sizeof text,
                           "latency steps from %.1f to %.1f ns between neighbouring points "
                           "(%.1f and %.1f GB/s)",
                           l0, l1, n0 / l0, n1 / l1);
            say(l, PN_NOTE, "step", c->read_frac, text,
                "between them the model interpolates a stretch that was not measured");
        }
        if (n1 / l1 > best)
            best = n1 / l1;
        l0 = l1;
        n0 = n1;
    }
    if (c->kept_points > 1 && best < (1.0 - PEAK_LOST) * c->peak_gbs) {
        (void)snprintf(text, sizeof text,
                       "the highest bandwidth, %.1f GB/s, stands at a dropped point; kept points "
                       "reach %.1f GB/s",
                       c->peak_gbs, best);
        say(l, PN_NOTE, "peak_dropped", c->read_frac, text,
            "the model nears the peak by extrapolation only");
    }
}

/* ---- curves beside each other ---- */

static bool twins(const panem_curves *set, uint32_t a, uint32_t b)
{
    panem_curve_info x, y;
    (void)panem_curves_info(set, &x, a);
    (void)panem_curves_info(set, &y, b);
    if (x.kept_points != y.kept_points || x.peak_gbs != y.peak_gbs)
        return false;
    for (uint32_t i = 0; i < x.kept_points; i++) {
        double n0, l0, n1, l1;
        (void)panem_curves_kept(set, &n0, &l0, a, i);
        (void)panem_curves_kept(set, &n1, &l1, b, i);
        if (n0 != n1 || l0 != l1)
            return false;
    }
    return true;
}

static void lint_neighbours(const linter *l, uint32_t i)
{
    char text[160];
    panem_curve_info a, b;
    (void)panem_curves_info(l->set, &a, i - 1);
    (void)panem_curves_info(l->set, &b, i);
    if (b.read_frac - a.read_frac > READ_GAP_WIDE) {
        (void)snprintf(text, sizeof text, "no curve between %.6g and %.6g %% reads",
                       100.0 * a.read_frac, 100.0 * b.read_frac);
        say(l, PN_NOTE, "read_gap", b.read_frac, text, "interpolated across the gap");
    }
    if (twins(l->set, i - 1, i)) {
        (void)snprintf(text, sizeof text, "the same points as the curve at %.6g %% reads",
                       100.0 * a.read_frac);
        say(l, PN_WARNING, "duplicate_curve", b.read_frac, text,
            "one of the two labels is wrong; the mix makes no difference between them");
    }
}

static void lint_range(const linter *l)
{
    char text[160];
    panem_curve_info a, b;
    (void)panem_curves_info(l->set, &a, 0);
    (void)panem_curves_info(l->set, &b, panem_curves_count(l->set) - 1);
    if (a.read_frac > 0.5 || b.read_frac < 1.0) {
        (void)snprintf(text, sizeof text, "curves cover %.6g..%.6g %% reads only",
                       100.0 * a.read_frac, 100.0 * b.read_frac);
        say(l, PN_NOTE, "coverage", (double)NAN, text,
            "other mixes are answered by the nearest curve, and counted");
    }
    if (!panem_curves_meta(l->set, "latency_includes"))
        say(l, PN_NOTE, "metadata", (double)NAN, "no metadata line 'latency_includes'",
            "how much of the latency is on-chip, and so the host's own, is not known");
}

/* ---- repairs ---- */

typedef struct repair_kind {
    const char *name;
    const char *consequence;
} repair_kind;

static const repair_kind REPAIRS[] = {
    [PANEM_FINDING_NOT_FINITE] = {"not_finite", "the point is not used"},
    [PANEM_FINDING_NEGATIVE_BANDWIDTH] = {"negative_bandwidth", "the point is not used"},
    [PANEM_FINDING_LATENCY] = {"latency", "the point is not used"},
    [PANEM_FINDING_NOT_RISING] = {"not_rising", "the relation passes above the point's load"},
    [PANEM_FINDING_FOLD_BACK] = {"fold_back", "extrapolation takes the place of the point"},
    [PANEM_FINDING_ORDER] = {"order", "the order of load is that of bandwidth x latency"},
    [PANEM_FINDING_DUPLICATE] = {"duplicate", "none"},
    [PANEM_FINDING_PAST_PEAK] = {"past_peak", "it sets the slope beyond the peak"},
};

static void take_repair(void *user, const panem_finding *finding)
{
    const linter *l = user;
    const repair_kind *k = &REPAIRS[finding->kind];
    pn_lint_finding f = {finding->kind == PANEM_FINDING_PAST_PEAK ? PN_NOTE : PN_REPAIR,
                         k->name,
                         finding->file,
                         finding->line,
                         100.0 * finding->read_frac,
                         finding->text,
                         k->consequence};
    l->report(l->user, &f);
}

/* ---- all ---- */

static double meta_theoretical(const pn_rawset *raw)
{
    const char *text = pn_rawset_meta(raw, "theoretical_peak_gbs");
    double gbs;
    return text && pn_num_parse_all(text, &gbs) ? gbs : 0.0;
}

panem_status pn_lint(panem_curves **set, const pn_rawset *raw, const panem_curves_options *options,
                     double theoretical_gbs, pn_lint_fn report, void *user, panem_error *err)
{
    const panem_curves_options defaults = PANEM_CURVES_OPTIONS_INIT;
    panem_curves_options o = options ? *options : defaults;
    linter l = {report, user, NULL};
    panem_curves *built = NULL;
    o.strict = 0;
    o.report = take_repair;
    o.report_user = &l;
    PN_TRY(pn_curves_build(&built, raw, &o, err));
    l.set = built;
    pn_lint_gates(built, theoretical_gbs > 0.0 ? theoretical_gbs : meta_theoretical(raw), report,
                  user);
    for (uint32_t i = 0; i < panem_curves_count(built); i++) {
        panem_curve_info c;
        (void)panem_curves_info(built, &c, i);
        lint_counts(&l, &c);
        lint_slope(&l, &c);
        lint_steps(&l, &c, i);
        if (i > 0)
            lint_neighbours(&l, i);
    }
    lint_range(&l);
    *set = built;
    return PANEM_OK;
}

panem_status pn_theoretical_peak_parse(double *gbs, const char *text, panem_error *err)
{
    double product = 1.0;
    const char *at = text;
    for (int i = 0; i < 3 && strchr(text, 'x'); i++) {
        double factor;
        size_t used = pn_num_parse(at, &factor);
        bool last = i == 2;
        if (used == 0 || !(factor > 0.0) || at[used] != (last ? '\0' : 'x'))
            return pn_err(err, PANEM_E_ARG,
                          "--theoretical-peak: '%s' is not channels x bytes x MT/s (8x8x4800)",
                          text);
        product *= factor;
        at += used + 1;
        if (last) {
            *gbs = product / 1000.0;
            return PANEM_OK;
        }
    }
    double bytes_per_s;
    PN_TRY(pn_unit_parse(&bytes_per_s, text, PN_DIM_BANDWIDTH, "--theoretical-peak", err));
    if (!(bytes_per_s > 0.0))
        return pn_err(err, PANEM_E_ARG, "--theoretical-peak: '%s' is not positive", text);
    *gbs = bytes_per_s / 1e9;
    return PANEM_OK;
}
