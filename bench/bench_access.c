/* bench_access.c - what one panem_access costs, against a fixed latency through the same interface.
 *
 * Method. Each row is one setting; its samples (one run of `accesses` calls, timed as a whole) are
 * interleaved with those of all other rows, so that a slow moment of the host hits all alike. The
 * median over the repeats is shown. The row "loop" is the same loop around a function that only
 * writes a response, called through a pointer the compiler cannot see through; "net" is the median
 * less that row's. "bar" is the most that net may be by the design: of the model as it comes, 5 ns,
 * and 30 ns where every request closes a window; also at most twice "fixed" at 6 ns. "fixed" is
 * PANEM_KIND_FIXED_IDLE; md1, mess, mg1 and nextfree are the analytic peers. Arrivals are Poisson
 * with the stated mean gap, from a table made before timing; two reads to one write, 64 bytes each.
 * The loop is compiled without packing words into vectors: where two fields of a request are stored
 * as one vector, the call waits for them (0.3 ns at 0.6 ns, 0.5 ns at 60 ns, measured).
 *
 * Load. The curves' peak is 160 GB/s, or as much more as keeps the load at 70 % of it: an overload
 * would be answered as busy after a while and time something else.
 * Usage: bench_access [--json] [--repeats N]. Exit 0; 2 on usage. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <panem.h>

#include "base/rng.h"

enum { TABLE = 4096, REPEATS_MAX = 101, LINE_BYTES = 64, POINTS = 24 };

typedef enum subject {
    SUBJECT_LOOP,
    SUBJECT_FIXED,
    SUBJECT_PANEM,
    SUBJECT_MD1,
    SUBJECT_MESS,
    SUBJECT_MG1,
    SUBJECT_NEXTFREE
} subject;
static const char *const SUBJECT_NAMES[] = {"loop", "fixed", "panem",   "md1",
                                            "mess", "mg1",   "nextfree"};

typedef panem_status (*access_fn)(panem_model *, panem_response *, const panem_request *);

typedef struct row {
    subject what;
    uint64_t gap_ps;
    uint32_t sharers, curves;
    panem_guard guard;
    double peak_gbs;
    uint64_t accesses;
    uint64_t busy;
    double ns[REPEATS_MAX];
    double median_ns, least_ns;
} row;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* other processes do not count */
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static panem_status only_answer(panem_model *model, panem_response *response,
                                const panem_request *request)
{
    (void)model;
    *response = (panem_response){request->time_ps + 90000, request->time_ps + 90000, 0, 0};
    return PANEM_OK;
}

/* B = peak rho, L = 90 (1 + 0.1 rho + 0.1 rho^2 / (1.08 - rho)) ns; each curve 1 % below the next.
 */
static panem_curves *make_set(uint32_t curves, double peak_gbs)
{
    panem_point points[51 * POINTS];
    size_t n = 0;
    for (uint32_t c = 0; c < curves; c++)
        for (int i = 1; i <= POINTS; i++) {
            double rho = (double)i / POINTS;
            double peak = peak_gbs * (1.0 - 0.01 * (double)(curves - 1 - c));
            points[n++] = (panem_point){curves == 1 ? 1.0 : (double)c / (curves - 1), peak * rho,
                                        90.0 * (1.0 + 0.1 * rho + 0.1 * rho * rho / (1.08 - rho))};
        }
    panem_curves *set = NULL;
    if (panem_curves_create(&set, points, n, NULL, NULL) != PANEM_OK)
        abort();
    return set;
}

static panem_model *make_model(const row *r, const panem_curves *set)
{
    static const panem_kind kinds[] = {
        PANEM_KIND_FIXED_IDLE, PANEM_KIND_FIXED_IDLE, PANEM_KIND_PANEM,   PANEM_KIND_MD1,
        PANEM_KIND_MESS,       PANEM_KIND_MG1,        PANEM_KIND_NEXTFREE};
    panem_model_options o = PANEM_MODEL_OPTIONS_INIT;
    o.kind = kinds[r->what];
    o.sharers = r->sharers;
    o.guard = r->guard;
    panem_model *model = NULL;
    if (panem_model_create(&model, set, &o, NULL) != PANEM_OK)
        abort();
    return model;
}

static void sample(row *r, int repeat)
{
    static uint64_t gaps_ps[TABLE];
    static uint32_t kinds[TABLE];
    static volatile access_fn functions[] = {only_answer, panem_access};
    pn_rng rng;
    pn_rng_init(&rng, 1, (uint64_t)repeat);
    for (int i = 0; i < TABLE; i++) {
        gaps_ps[i] = pn_rng_exp(&rng, r->gap_ps);
        kinds[i] = pn_rng_below(&rng, 3) < 2 ? PANEM_READ : PANEM_WRITE;
    }
    panem_curves *set = make_set(r->curves, r->peak_gbs);
    panem_model *model = make_model(r, set);
    access_fn ask = functions[r->what != SUBJECT_LOOP];
    panem_request q = {0, 0, LINE_BYTES, PANEM_READ, 0};
    panem_response answer = {0, 0, 0, 0};
    uint64_t start = now_ns();
    for (uint64_t i = 0; i < r->accesses; i++) {
        q.time_ps += gaps_ps[i % TABLE];
        q.kind = kinds[i % TABLE];
        q.address += LINE_BYTES;
        if (ask(model, &answer, &q) != PANEM_OK)
            r->busy++;
    }
    r->ns[repeat] = (double)(now_ns() - start) / (double)r->accesses;
    panem_model_destroy(model);
    panem_curves_destroy(set);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static row make_row(subject what, uint64_t gap_ps, uint32_t sharers, uint32_t curves)
{
    row r;
    memset(&r, 0, sizeof r);
    r.what = what;
    r.gap_ps = gap_ps;
    r.sharers = sharers;
    r.curves = curves;
    r.guard = PANEM_GUARD_COMPLETIONS;
    double load_gbs = LINE_BYTES * 1000.0 / (double)gap_ps * sharers;
    r.peak_gbs = load_gbs / 0.7 > 160.0 ? load_gbs / 0.7 : 160.0;
    r.accesses = gap_ps >= 600000 ? 100000 : 400000;
    return r;
}

static int make_rows(row *rows)
{
    static const uint64_t gaps_ps[] = {600, 6000, 60000, 600000};
    static const uint32_t sharers[] = {1, 96};
    static const uint32_t curves[] = {1, 51};
    int n = 0;
    for (int g = 0; g < 4; g++) {
        rows[n++] = make_row(SUBJECT_LOOP, gaps_ps[g], 1, 1);
        rows[n++] = make_row(SUBJECT_FIXED, gaps_ps[g], 1, 1);
        for (int s = 0; s < 2; s++)
            for (int c = 0; c < 2; c++)
                rows[n++] = make_row(SUBJECT_PANEM, gaps_ps[g], sharers[s], curves[c]);
        rows[n] = make_row(SUBJECT_PANEM, gaps_ps[g], 1, 1);
        rows[n++].guard = PANEM_GUARD_OFF;
        rows[n] = make_row(SUBJECT_PANEM, gaps_ps[g], 1, 1);
        rows[n++].guard = PANEM_GUARD_ARRIVALS;
        for (int peer = SUBJECT_MD1; peer <= SUBJECT_NEXTFREE; peer++)
            rows[n++] = make_row((subject)peer, gaps_ps[g], 1, 1);
    }
    return n;
}

static const char *guard_name(const row *r)
{
    static const char *const names[] = {"off", "arrivals", "completions"};
    return r->what == SUBJECT_PANEM ? names[r->guard] : "-";
}

static double median_of(const row *rows, int count, subject what, uint64_t gap_ps)
{
    for (int i = 0; i < count; i++)
        if (rows[i].what == what && rows[i].gap_ps == gap_ps)
            return rows[i].median_ns;
    return 1.0;
}

/* What a row is compared with: both of the same gap and run. */
typedef struct verdict {
    double net_ns, x_fixed;
    double bar_ns; /* 0: none */
} verdict;

static verdict judge(const row *rows, int count, const row *r)
{
    verdict v = {r->median_ns - median_of(rows, count, SUBJECT_LOOP, r->gap_ps),
                 r->median_ns / median_of(rows, count, SUBJECT_FIXED, r->gap_ps), 0.0};
    if (r->what == SUBJECT_PANEM && r->sharers == 1 && r->guard == PANEM_GUARD_COMPLETIONS)
        v.bar_ns = r->gap_ps < 600000 ? 5.0 : 30.0;
    return v;
}

static const char *kept(const row *r, const verdict *v)
{
    if (v->bar_ns == 0.0)
        return "";
    bool good = v->net_ns < v->bar_ns && (r->gap_ps != 6000 || v->x_fixed <= 2.0);
    return good ? "kept" : "MISSED";
}

static void print_table(const row *rows, int count)
{
    printf("%-8s %6s %7s %6s %-11s %9s %8s %8s %8s %6s %-6s %6s\n", "model", "gap ns", "sharers",
           "curves", "guard", "median ns", "least ns", "net ns", "x fixed", "bar ns", "", "busy");
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        verdict v = judge(rows, count, r);
        char bar[16] = "-";
        if (v.bar_ns > 0.0)
            (void)snprintf(bar, sizeof bar, "%.0f", v.bar_ns);
        printf("%-8s %6.1f %7u %6u %-11s %9.2f %8.2f %8.2f %8.2f %6s %-6s %6llu\n",
               SUBJECT_NAMES[r->what], (double)r->gap_ps / 1000.0, r->sharers, r->curves,
               guard_name(r), r->median_ns, r->least_ns, v.net_ns, v.x_fixed, bar, kept(r, &v),
               (unsigned long long)r->busy);
    }
}

static void print_json(const row *rows, int count)
{
    printf("{\"bench\": \"access\", \"rows\": [\n");
    for (int i = 0; i < count; i++) {
        const row *r = &rows[i];
        verdict v = judge(rows, count, r);
        printf("{\"model\": \"%s\", \"gap_ns\": %.1f, \"sharers\": %u, \"curves\": %u, "
               "\"guard\": \"%s\", \"median_ns\": %.3f, \"least_ns\": %.3f, \"net_ns\": %.3f, "
               "\"x_fixed\": %.3f, \"bar_ns\": %.1f, \"busy\": %llu}%s\n",
               SUBJECT_NAMES[r->what], (double)r->gap_ps / 1000.0, r->sharers, r->curves,
               guard_name(r), r->median_ns, r->least_ns, v.net_ns, v.x_fixed, v.bar_ns,
               (unsigned long long)r->busy, i + 1 < count ? "," : "");
    }
    printf("]}\n");
}

int main(int argc, char **argv)
{
    static row rows[64];
    bool json = false;
    int repeats = 15;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--repeats") == 0 && i + 1 < argc) {
            repeats = (int)strtol(argv[++i], NULL, 10);
        } else {
            fprintf(stderr, "usage: bench_access [--json] [--repeats N]\n");
            return 2;
        }
    }
    if (repeats < 1 || repeats > REPEATS_MAX)
        repeats = 15;
    int count = make_rows(rows);
    for (int k = 0; k < repeats; k++)
        for (int i = 0; i < count; i++)
            sample(&rows[i], k);
    for (int i = 0; i < count; i++) {
        qsort(rows[i].ns, (size_t)repeats, sizeof rows[i].ns[0], rising);
        rows[i].median_ns = rows[i].ns[repeats / 2];
        rows[i].least_ns = rows[i].ns[0];
    }
    if (json)
        print_json(rows, count);
    else
        print_table(rows, count);
    return 0;
}
