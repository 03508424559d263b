/* view.c - see view.h. */
#include "report/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "report/logs.h"

static const double LOG_FROM_RATIO = 5.0; /* as for curve sets */
static const double THRESHOLD_PCT = 3.0;  /* of stores that hold none */

static const char POINTS[] =
    "SELECT p.*, q.state, q.message, q.curves, q.config, q.instructions_asked, c.text AS "
    "parameters, q.model AS "
    "point_model, t.seconds, w.bandwidth AS bins, w.bandwidth_bin_gbs AS bin_gbs, w.latency_bin_ns "
    "AS bin_ns, w.both AS cells, r.* FROM plan p "
    "JOIN points q USING(key) LEFT JOIN configs c USING(config) LEFT JOIN results r USING(key) "
    "LEFT JOIN timing t USING(key) LEFT JOIN windows w USING(key) ORDER BY p.ordinal";

static panem_status no_memory(panem_error *err)
{
    return pn_err(err, PANEM_E_NOMEM, "no memory for the report");
}

/* ---- columns --------------------------------------------------------------------------------- */

static void release_column(pn_column *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->values[i]);
    free(c->values);
    free(c->name);
    free(c->of);
}

/* The number of a value, added when it is new. */
static panem_status intern(pn_column *c, uint32_t *id, const char *value, panem_error *err)
{
    size_t i = 0;
    while (i < c->count && strcmp(c->values[i], value) != 0)
        i++;
    *id = (uint32_t)i;
    if (i < c->count)
        return PANEM_OK;
    char **more = realloc(c->values, (i + 1) * sizeof *more);
    if (!more)
        return no_memory(err);
    c->values = more;
    more[i] = strdup(value);
    if (!more[i])
        return no_memory(err);
    c->count++;
    return PANEM_OK;
}

static panem_status fill_column(pn_column *c, const pn_view *v, size_t column, const char *name,
                                panem_error *err)
{
    c->name = strdup(name);
    c->of = calloc(v->rows + 1, sizeof *c->of);
    if (!c->name || !c->of)
        return no_memory(err);
    for (size_t row = 0; row < v->rows; row++)
        PN_TRY(intern(c, &c->of[row], pn_answer_text(&v->points, row, column), err));
    return PANEM_OK;
}

/* Axes whose values always change together (zip) are one: "a+b" with values "1+2". */
static bool goes_with(const pn_column *a, const pn_column *b, size_t rows)
{
    return a->count == b->count && memcmp(a->of, b->of, rows * sizeof *a->of) == 0;
}

static panem_status join_text(char **text, const char *more, panem_error *err)
{
    size_t length = strlen(*text) + strlen(more) + 2;
    char *both = malloc(length);
    if (!both)
        return no_memory(err);
    (void)snprintf(both, length, "%s+%s", *text, more);
    free(*text);
    *text = both;
    return PANEM_OK;
}

static panem_status join_columns(pn_column *to, const pn_column *more, panem_error *err)
{
    PN_TRY(join_text(&to->name, more->name, err));
    for (size_t i = 0; i < to->count; i++)
        PN_TRY(join_text(&to->values[i], more->values[i], err));
    return PANEM_OK;
}

static panem_status add_axis(pn_view *v, size_t column, panem_error *err)
{
    pn_column *more = realloc(v->axes, (v->n_axes + 1) * sizeof *more);
    if (!more)
        return no_memory(err);
    v->axes = more;
    pn_column *new = &more[v->n_axes];
    memset(new, 0, sizeof *new);
    panem_status status =
        fill_column(new, v, column, v->points.names[column] + strlen("axis_"), err);
    for (size_t i = 0; i < v->n_axes && status == PANEM_OK && new->count > 1; i++) {
        if (!goes_with(&more[i], new, v->rows))
            continue;
        status = join_columns(&more[i], new, err);
        release_column(new);
        return status;
    }
    v->n_axes++;
    return status;
}

static panem_status fill_columns(pn_view *v, panem_error *err)
{
    const pn_answer *a = &v->points;
    size_t model = pn_answer_column(a, "axis_model");
    if (model == a->columns)
        model = pn_answer_column(a, "point_model");
    PN_TRY(fill_column(&v->trace, v, pn_answer_column(a, "trace"), "trace", err));
    PN_TRY(fill_column(&v->model, v, model, "model", err));
    PN_TRY(fill_column(&v->config, v, pn_answer_column(a, "config"), "config", err));
    PN_TRY(fill_column(&v->curves, v, pn_answer_column(a, "curves"), "curves", err));
    for (size_t i = 0; i < a->columns; i++)
        if (strncmp(a->names[i], "axis_", 5) == 0 && i != model)
            PN_TRY(add_axis(v, i, err));
    return PANEM_OK;
}

/* ---- partners -------------------------------------------------------------------------------- */

/* Trace, model and axes are the digits of a point's signature. This is a column's place in it. */
static uint64_t radix(const pn_view *v, const pn_column *column)
{
    uint64_t place = 1;
    if (column == &v->trace)
        return place;
    place *= v->trace.count;
    if (column == &v->model)
        return place;
    place *= v->model.count;
    for (size_t i = 0; i < v->n_axes && &v->axes[i] != column; i++)
        place *= v->axes[i].count;
    return place;
}

typedef struct signed_row {
    uint64_t signature;
    size_t row;
} signed_row;

static int by_signature(const void *a, const void *b)
{
    const signed_row *x = a;
    const signed_row *y = b;
    if (x->signature != y->signature)
        return x->signature < y->signature ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void sign(pn_view *v, const pn_column *column)
{
    uint64_t place = radix(v, column);
    for (size_t row = 0; row < v->rows; row++)
        v->signature[row] += place * column->of[row];
}

static panem_status sign_rows(pn_view *v, panem_error *err)
{
    v->signature = calloc(v->rows + 1, sizeof *v->signature);
    v->order = calloc(v->rows + 1, sizeof *v->order);
    signed_row *all = calloc(v->rows + 1, sizeof *all);
    if (!v->signature || !v->order || !all) {
        free(all);
        return no_memory(err);
    }
    sign(v, &v->trace);
    sign(v, &v->model);
    for (size_t i = 0; i < v->n_axes; i++)
        sign(v, &v->axes[i]);
    for (size_t row = 0; row < v->rows; row++)
        all[row] = (signed_row){v->signature[row], row};
    qsort(all, v->rows, sizeof *all, by_signature);
    for (size_t i = 0; i < v->rows; i++)
        v->order[i] = all[i].row;
    free(all);
    return PANEM_OK;
}

size_t pn_view_partner(const pn_view *v, size_t row, const pn_column *column, uint32_t value)
{
    uint64_t place = radix(v, column);
    uint64_t wanted = v->signature[row] - place * column->of[row] + place * value;
    size_t low = 0;
    size_t high = v->rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (v->signature[v->order[middle]] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < v->rows && v->signature[v->order[low]] == wanted ? v->order[low] : v->rows;
}

/* ---- what the study asks for ----------------------------------------------------------------- */

/* The lines of a text. */
static char **split_lines(const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == '\n';
    char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && *text; i++) {
        size_t length = strcspn(text, "\n");
        list[i] = strndup(text, length);
        if (!list[i])
            break;
        text += length + (text[length] == '\n');
    }
    return list;
}

static void free_lines(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

static const char *meta(const pn_answer *a, const char *name)
{
    for (size_t i = 0; i < a->rows; i++)
        if (strcmp(pn_answer_text(a, i, 0), name) == 0)
            return pn_answer_text(a, i, 1);
    return "";
}

static panem_status fill_asked(pn_view *v, pn_store *store, panem_error *err)
{
    pn_answer a = {0};
    panem_status status = pn_answer_fetch(&a, store, "SELECT name, value FROM meta", err);
    if (status == PANEM_OK) {
        v->metrics = split_lines(meta(&a, "metrics"));
        v->plots = split_lines(meta(&a, "plots"));
        v->compare = strdup(meta(&a, "compare"));
        v->study = strdup(meta(&a, "study"));
        if (!pn_num_parse_all(meta(&a, "threshold_pct"), &v->threshold_pct))
            v->threshold_pct = THRESHOLD_PCT;
        if (!v->metrics || !v->plots || !v->compare || !v->study)
            status = no_memory(err);
    }
    pn_answer_release(&a);
    PN_TRY(status);
    v->baseline = 0;
    while (v->baseline < v->model.count && strcmp(v->model.values[v->baseline], v->compare) != 0)
        v->baseline++;
    return PANEM_OK;
}

static void fill_done(pn_view *v)
{
    size_t state = pn_answer_column(&v->points, "state");
    size_t weight = pn_answer_column(&v->points, "weight");
    for (size_t row = 0; row < v->rows; row++) {
        double w = pn_answer_number(&v->points, row, weight);
        v->done[row] = pn_answer_number(&v->points, row, state) == (double)PN_POINT_DONE;
        v->done_count += v->done[row];
        v->weight[row] = w > 0.0 ? w : 1.0;
        v->weighted |= v->weight[row] < v->weight[0] || v->weight[row] > v->weight[0];
    }
}

panem_status pn_view_fill(pn_view *v, pn_report *report, pn_store *store, panem_error *err)
{
    memset(v, 0, sizeof *v);
    v->report = report;
    v->store = store;
    PN_TRY(pn_answer_fetch(&v->points, store, POINTS, err));
    v->rows = v->points.rows;
    v->done = calloc(v->rows + 1, sizeof *v->done);
    v->above = calloc(v->rows + 1, sizeof *v->above);
    v->weight = calloc(v->rows + 1, sizeof *v->weight);
    v->values = calloc(v->rows + 1, sizeof *v->values);
    v->shares = calloc(v->rows + 1, sizeof *v->shares);
    if (!v->done || !v->above || !v->weight || !v->values || !v->shares)
        return no_memory(err);
    fill_done(v);
    PN_TRY(fill_columns(v, err));
    PN_TRY(sign_rows(v, err));
    PN_TRY(fill_asked(v, store, err));
    return pn_view_find_above(v, err);
}

void pn_view_release(pn_view *v)
{
    pn_column *all[] = {&v->trace, &v->model, &v->config, &v->curves};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        release_column(all[i]);
    for (size_t i = 0; i < v->n_axes; i++)
        release_column(&v->axes[i]);
    while (v->numbers) {
        pn_numbers *next = v->numbers->next;
        free(v->numbers->name);
        free(v->numbers->of);
        free(v->numbers);
        v->numbers = next;
    }
    free_lines(v->metrics);
    free_lines(v->plots);
    free(v->compare);
    free(v->study);
    free(v->axes);
    free(v->done);
    free(v->above);
    free(v->weight);
    free(v->values);
    free(v->shares);
    free(v->signature);
    free(v->order);
    pn_answer_release(&v->points);
    memset(v, 0, sizeof *v);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static pn_numbers *new_numbers(pn_view *v, const char *name)
{
    pn_numbers *n = calloc(1, sizeof *n);
    if (!n)
        return NULL;
    n->name = strdup(name);
    n->of = calloc(v->rows + 1, sizeof *n->of);
    n->next = v->numbers;
    v->numbers = n;
    return n->name && n->of ? n : NULL;
}

const double *pn_view_numbers(pn_view *v, const char *name)
{
    for (pn_numbers *n = v->numbers; n; n = n->next)
        if (n->name && n->of && strcmp(n->name, name) == 0)
            return n->of;
    pn_numbers *n = new_numbers(v, name);
    if (!n) {
        v->report->failed = true;
        return NULL;
    }
    size_t column = pn_answer_column(&v->points, name);
    for (size_t row = 0; row < v->rows; row++)
        n->of[row] = v->done[row] ? pn_answer_number(&v->points, row, column) : (double)NAN;
    return n->of;
}

size_t pn_view_gather(pn_view *v, const double *numbers, const pn_column *column, uint32_t value)
{
    size_t count = 0;
    for (size_t row = 0; row < v->rows; row++) {
        if (!isfinite(numbers[row]) || (column && column->of[row] != value))
            continue;
        v->values[count] = numbers[row];
        v->shares[count++] = v->weight[row];
    }
    return count;
}

double pn_view_mean(const pn_view *v, size_t count)
{
    double sum = 0.0;
    double weight = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += v->shares[i] * v->values[i];
        weight += v->shares[i];
    }
    return count ? sum / weight : (double)NAN;
}

double pn_view_geomean(const pn_view *v, size_t count)
{
    double sum = 0.0;
    double weight = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += v->shares[i] * pn_report_ln(v->values[i]);
        weight += v->shares[i];
    }
    return count ? pn_report_exp(sum / weight) : (double)NAN;
}

pn_scale pn_view_scale(pn_view *v, const char *name)
{
    const double *numbers = pn_view_numbers(v, name);
    size_t count = numbers ? pn_view_gather(v, numbers, NULL, 0) : 0;
    double low = count ? v->values[0] : 0.0;
    double high = low;
    for (size_t i = 1; i < count; i++) {
        low = v->values[i] < low ? v->values[i] : low;
        high = v->values[i] > high ? v->values[i] : high;
    }
    return low > 0.0 && high > LOG_FROM_RATIO * low ? PN_SCALE_LOG : PN_SCALE_LINEAR;
}

/* ---- words ----------------------------------------------------------------------------------- */

void pn_view_describe(char text[PN_VIEW_LABEL], const pn_view *v, size_t row, bool with_model)
{
    size_t used = (size_t)snprintf(text, PN_VIEW_LABEL, "%s%s%s", v->trace.values[v->trace.of[row]],
                                   with_model ? ", " : "",
                                   with_model ? v->model.values[v->model.of[row]] : "");
    for (size_t i = 0; i < v->n_axes && used < PN_VIEW_LABEL; i++)
        used += (size_t)snprintf(text + used, PN_VIEW_LABEL - used, ", %s=%s", v->axes[i].name,
                                 v->axes[i].values[v->axes[i].of[row]]);
}

pn_words pn_view_words(const char *metric)
{
    static const struct {
        const char *metric;
        pn_words words;
    } KNOWN[] = {{"ipc", {"IPC", ""}},
                 {"bandwidth_gbs", {"bandwidth", "GB/s"}},
                 {"read_gbs", {"read bandwidth", "GB/s"}},
                 {"write_gbs", {"write bandwidth", "GB/s"}},
                 {"utilization_pct", {"share of peak", "%"}},
                 {"read_latency_ns", {"read latency", "ns"}},
                 {"write_latency_ns", {"write latency", "ns"}},
                 {"llc_mpki", {"LLC misses", "1/kinstr"}},
                 {"seconds", {"run time", "s"}}};
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(KNOWN[i].metric, metric) == 0)
            return KNOWN[i].words;
    const pn_metric *m = pn_metric_named(metric);
    return m ? (pn_words){m->name, m->unit} : (pn_words){metric, ""};
}

/* ---- plots ----------------------------------------------------------------------------------- */

pn_series *pn_plot_model(pn_view *v, pn_plot *plot, uint32_t model, pn_series_kind kind)
{
    pn_series *series = pn_plot_series(plot, v->model.values[model], kind);
    if (series)
        pn_color_category(series->color, model);
    return series;
}

void pn_plot_id(char id[64], const char *kind, const char *of)
{
    (void)snprintf(id, 64, of[0] ? "%s-%s" : "%s%s", kind, of);
    for (char *c = id; *c; c++) {
        if (*c >= 'A' && *c <= 'Z')
            *c = (char)(*c - 'A' + 'a');
        else if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9')))
            *c = '-';
    }
}

pn_plot *pn_plot_once(pn_view *v, const char *id, const char *title, const char *note)
{
    return pn_report_find(v->report, id) ? NULL : pn_report_plot(v->report, id, title, note);
}
