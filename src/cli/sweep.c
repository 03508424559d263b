/* sweep.c - see sweep.h. */
#include "cli/sweep.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sweep/pool.h"

/* ---- planning -------------------------------------------------------------------------------- */

/* The list of a part: keys in their order, to be found by text. */
typedef struct listed {
    char hex[PN_KEY_CHARS + 1];
    size_t at;
    bool met;
} listed;

typedef struct choice {
    pn_sweep_part part;
    listed *list; /* sorted by key */
    size_t n_list;
} choice;

static int by_hex(const void *a, const void *b)
{
    return strcmp(((const listed *)a)->hex, ((const listed *)b)->hex);
}

static panem_status take_listed(listed *into, size_t at, const char *line, size_t length,
                                const char *path, panem_error *err)
{
    if (length != PN_KEY_CHARS || strspn(line, "0123456789abcdef") != PN_KEY_CHARS)
        return pn_err_at(err, PANEM_E_FORMAT, path, (uint32_t)at + 1, 0,
                         "a point's key was expected: 32 hexadecimal digits");
    memcpy(into->hex, line, PN_KEY_CHARS);
    into->at = at;
    return PANEM_OK;
}

static panem_status read_list(choice *c, panem_error *err)
{
    enum { LIST_LIMIT_BYTES = 1 << 28 };
    char *text = NULL;
    size_t length = 0;
    PN_TRY(pn_file_read(&text, &length, c->part.list, LIST_LIMIT_BYTES, err));
    c->list = calloc(length / PN_KEY_CHARS + 1, sizeof *c->list);
    panem_status status = c->list ? PANEM_OK : pn_err(err, PANEM_E_NOMEM, "out of memory");
    for (const char *at = text; status == PANEM_OK && *at;) {
        size_t n = strcspn(at, "\n");
        status = take_listed(&c->list[c->n_list], c->n_list, at, n, c->part.list, err);
        c->n_list += status == PANEM_OK;
        at += n + (at[n] == '\n');
    }
    free(text);
    if (status == PANEM_OK && c->n_list > 0)
        qsort(c->list, c->n_list, sizeof *c->list, by_hex);
    return status;
}

static bool chosen(choice *c, size_t index, const char *key)
{
    if (!c->part.list)
        return index % c->part.shards == c->part.shard;
    listed wanted = {.at = 0};
    memcpy(wanted.hex, key, sizeof wanted.hex);
    listed *found =
        c->n_list ? bsearch(&wanted, c->list, c->n_list, sizeof *c->list, by_hex) : NULL;
    if (found)
        found->met = true;
    return found && found->at % c->part.shards == c->part.shard;
}

static panem_status all_met(const choice *c, panem_error *err)
{
    for (size_t i = 0; i < c->n_list; i++) {
        if (!c->list[i].met)
            return pn_err_at(err, PANEM_E_MISMATCH, c->part.list, (uint32_t)c->list[i].at + 1, 0,
                             "the study has no such point: it, a trace or a curve set was changed "
                             "after the points were listed");
    }
    return PANEM_OK;
}

static panem_status plan_point(pn_sweep *w, choice *c, pn_label *labels, size_t index,
                               panem_error *err)
{
    pn_point point;
    pn_point_key key;
    PN_TRY(pn_study_point(&point, labels, &w->study, index, err));
    panem_status status = pn_point_identify(&key, w->inputs, &point, err);
    if (status == PANEM_OK) {
        memcpy(w->keys[index], key.hex, sizeof w->keys[index]);
        w->mine[index] = chosen(c, index, key.hex);
        if (w->store && w->mine[index])
            status = pn_store_plan_add(w->store, index, &key, &point, labels,
                                       pn_study_labels(&w->study), err);
        pn_text_release(&key.resolved);
    }
    pn_point_release(&point);
    return status;
}

static panem_status plan_curves(pn_sweep *w, panem_error *err)
{
    uint64_t fingerprint;
    const char *path, *csv;
    for (size_t i = 0; pn_inputs_curves(w->inputs, i, &fingerprint, &path, &csv); i++)
        PN_TRY(pn_store_curves(w->store, fingerprint, path, csv, err));
    return PANEM_OK;
}

/* Every input is looked at before a folder is made. */
static panem_status look_at_inputs(pn_sweep *w, pn_label *labels, panem_error *err)
{
    size_t per_trace = w->points / w->study.n_traces;
    for (size_t i = 0; i < w->points; i += i < per_trace ? 1 : per_trace) {
        pn_point point;
        PN_TRY(pn_study_point(&point, labels, &w->study, i, err));
        panem_status status = pn_inputs_look(w->inputs, &point, err);
        pn_point_release(&point);
        PN_TRY(status);
    }
    return PANEM_OK;
}

static panem_status plan_all(pn_sweep *w, choice *c, pn_label *labels, panem_error *err)
{
    if (w->store)
        PN_TRY(pn_store_plan_begin(w->store, &w->study, err));
    for (size_t i = 0; i < w->points; i++)
        PN_TRY(plan_point(w, c, labels, i, err));
    PN_TRY(all_met(c, err));
    if (!w->store)
        return PANEM_OK;
    PN_TRY(plan_curves(w, err));
    return pn_store_plan_end(w->store, err);
}

static int by_key(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    int order = strcmp(*x, *y);
    return order ? order : (*x > *y) - (*x < *y); /* equal keys in the study's order */
}

/* Two points may be one, e.g. loads of a model that has no sharers. */
static panem_status find_repeats(pn_sweep *w, panem_error *err)
{
    const char **sorted = calloc(w->points, sizeof *sorted);
    if (!sorted)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    for (size_t i = 0; i < w->points; i++)
        sorted[i] = w->keys[i];
    qsort(sorted, w->points, sizeof *sorted, by_key);
    for (size_t i = 1; i < w->points; i++) {
        if (strcmp(sorted[i], sorted[i - 1]) == 0)
            w->repeats[(size_t)(sorted[i] - w->keys[0]) / sizeof w->keys[0]] = true;
    }
    free(sorted);
    return PANEM_OK;
}

static panem_status open_all(pn_sweep *w, const char *study, const char *folder, choice *c,
                             panem_error *err)
{
    if (c->part.list)
        PN_TRY(read_list(c, err));
    PN_TRY(pn_study_load(&w->study, study, err));
    w->points = pn_study_points(&w->study);
    w->keys = calloc(w->points, sizeof *w->keys);
    w->repeats = calloc(w->points, sizeof *w->repeats);
    w->mine = calloc(w->points, sizeof *w->mine);
    w->inputs = pn_inputs_new();
    pn_label *labels = calloc(pn_study_labels(&w->study) + 1, sizeof *labels);
    panem_status status = PANEM_OK;
    if (!w->keys || !w->repeats || !w->mine || !w->inputs || !labels)
        status = pn_err(err, PANEM_E_NOMEM, "no memory for %zu points", w->points);
    if (status == PANEM_OK)
        status = look_at_inputs(w, labels, err);
    w->writing = status == PANEM_OK && folder;
    if (w->writing)
        status = pn_store_open(&w->store, folder, PN_STORE_CREATE, err);
    if (status == PANEM_OK)
        status = plan_all(w, c, labels, err);
    free(labels);
    PN_TRY(status);
    return find_repeats(w, err);
}

panem_status pn_sweep_open(pn_sweep *sweep, const char *study, const char *folder,
                           const pn_sweep_part *part, panem_error *err)
{
    choice c = {.part = {.shards = 1}};
    if (part)
        c.part = *part;
    memset(sweep, 0, sizeof *sweep);
    panem_status status = open_all(sweep, study, folder, &c, err);
    free(c.list);
    bool writing = sweep->writing;
    if (status != PANEM_OK)
        pn_sweep_close(sweep);
    sweep->writing = writing;
    return status;
}

int pn_sweep_fail(const pn_sweep *sweep, const panem_error *err)
{
    return sweep->writing && err->status == PANEM_E_IO ? pn_fail_output(err) : pn_fail(err);
}

void pn_sweep_close(pn_sweep *w)
{
    pn_store_close(w->store);
    pn_study_release(&w->study);
    pn_inputs_free(w->inputs);
    free(w->keys);
    free(w->repeats);
    free(w->mine);
    memset(w, 0, sizeof *w);
}

/* ---- running --------------------------------------------------------------------------------- */

enum { VALUES_MAX = 128, ATTEMPTS = 3 };

typedef struct outcome {
    double values[VALUES_MAX];
    pn_tap tap;
    pn_history history;
} outcome;

typedef struct runner {
    pn_sweep *sweep;
    const pn_sweep_run *run;
    size_t next;
    uint64_t total, cached, failed_before, done, failed;
    struct timespec start;
    double told_s;
    /* Of a worker: the trace it has open. */
    pn_trace *trace;
    const pn_study_trace *opened;
} runner;

static volatile sig_atomic_t stop_asked;

static void ask_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

void pn_sweep_catch_signals(void)
{
    (void)signal(SIGINT, ask_stop);
    (void)signal(SIGTERM, ask_stop);
}

static panem_status open_trace(runner *r, const pn_study_trace *trace, panem_error *err)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    if (r->trace && r->opened == trace && pn_trace_seek(r->trace, 0, NULL) == PANEM_OK)
        return PANEM_OK;
    pn_trace_close(r->trace);
    r->trace = NULL;
    r->opened = trace;
    options.thread = trace->thread;
    return pn_trace_open(&r->trace, trace->path, &options, err);
}

/* The inputs are looked at before and after: a result never belongs to a file that replaced the
 * planned one meanwhile. */
static panem_status simulate(runner *r, const pn_point *point, outcome *out, panem_error *err)
{
    PN_TRY(pn_inputs_same(r->sweep->inputs, point, err));
    PN_TRY(open_trace(r, point->trace, err));
    panem_status status = pn_sim_run(out->values, &point->spec, r->trace, &out->tap,
                                     r->sweep->study.series ? &out->history : NULL, err);
    panem_status same = pn_inputs_same(r->sweep->inputs, point, status == PANEM_OK ? err : NULL);
    return status == PANEM_OK ? same : status;
}

static panem_status work(void *user, size_t job, void *result, panem_error *err)
{
    runner *r = user;
    outcome *out = result;
    pn_point point;
    if (pn_metric_count > VALUES_MAX)
        return pn_err(err, PANEM_E_RANGE, "more metrics than a worker has room for");
    pn_label *labels = calloc(pn_study_labels(&r->sweep->study) + 1, sizeof *labels);
    if (!labels)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    panem_status status = pn_study_point(&point, labels, &r->sweep->study, job, err);
    free(labels);
    PN_TRY(status);
    status = simulate(r, &point, out, err);
    pn_point_release(&point);
    return status;
}

static bool mine(const runner *r, size_t job)
{
    return !r->sweep->repeats[job] && r->sweep->mine[job];
}

static bool next(void *user, size_t *job)
{
    runner *r = user;
    for (; r->next < r->sweep->points; r->next++) {
        pn_point_state state = PN_POINT_PENDING;
        if (mine(r, r->next) &&
            pn_store_state(r->sweep->store, r->sweep->keys[r->next], &state, NULL) == PANEM_OK &&
            state == PN_POINT_PENDING) {
            *job = r->next++;
            return true;
        }
    }
    return false;
}

static panem_status finished(void *user, size_t job, const pn_pool_answer *answer,
                             const void *result, panem_error *err)
{
    runner *r = user;
    const outcome *out = result;
    const char *key = r->sweep->keys[job];
    if (answer->status == PANEM_OK) {
        r->done++;
        const pn_history *history = r->sweep->study.series ? &out->history : NULL;
        return pn_store_done(r->sweep->store, key, out->values, &out->tap, history, answer->seconds,
                             answer->attempts, err);
    }
    r->failed++;
    pn_warn("point %zu failed: %s", job, answer->message);
    return pn_store_failed(r->sweep->store, key, answer->message, answer->attempts, err);
}

static double seconds_since(const struct timespec *start)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)(t.tv_sec - start->tv_sec) + 1e-9 * (double)(t.tv_nsec - start->tv_nsec);
}

static void tick(void *user)
{
    runner *r = user;
    bool terminal = pn_stderr_is_terminal();
    const double every_s = terminal ? 0.2 : 10.0;
    double s = seconds_since(&r->start);
    if (r->run->quiet || s < r->told_s + every_s)
        return;
    r->told_s = s;
    uint64_t over = r->done + r->failed, left = r->total - r->cached - r->failed_before - over;
    uint64_t failed = r->failed_before + r->failed;
    double rate = (double)over / s;
    fprintf(stderr, "%s%llu of %llu points done, %llu failed, %llu from before, %.2f/s",
            terminal ? "\r" : "", (unsigned long long)r->done, (unsigned long long)r->total,
            (unsigned long long)failed, (unsigned long long)r->cached, rate);
    if (over > 0)
        fprintf(stderr, ", %.0f s left", (double)left / rate);
    fputs(terminal ? "   " : "\n", stderr);
}

static panem_status count_cached(runner *r, panem_error *err)
{
    for (size_t i = 0; i < r->sweep->points; i++) {
        pn_point_state state;
        if (!mine(r, i))
            continue;
        r->total++;
        PN_TRY(pn_store_state(r->sweep->store, r->sweep->keys[i], &state, err));
        r->cached += state == PN_POINT_DONE;
        r->failed_before += state == PN_POINT_FAILED;
    }
    return PANEM_OK;
}

static int close_run(const runner *r, const char *again)
{
    uint64_t failed = r->failed_before + r->failed;
    if (pn_stderr_is_terminal() && !r->run->quiet)
        fputs("\r\033[K", stderr);
    if (!r->run->quiet || failed || stop_asked)
        fprintf(stderr, "panem: %llu points: %llu run, %llu from before, %llu failed, %.1f s\n",
                (unsigned long long)r->total, (unsigned long long)r->done,
                (unsigned long long)r->cached, (unsigned long long)failed,
                seconds_since(&r->start));
    if (stop_asked)
        fprintf(stderr, "panem: stopped; nothing is lost. Go on with: %s\n", again);
    else if (failed)
        fprintf(stderr, "panem: to try the failed ones again: %s --retry\n", again);
    return stop_asked || failed ? PN_EXIT_FAILED : PN_EXIT_OK;
}

int pn_sweep_execute(pn_sweep *sweep, const pn_sweep_run *run, const char *again)
{
    runner r = {.sweep = sweep, .run = run};
    panem_error err = PANEM_ERROR_INIT;
    pn_pool_config pool = {.workers = run->workers,
                           .attempts_max = ATTEMPTS,
                           .timeout_s = run->timeout_s,
                           .result_bytes = sizeof(outcome),
                           .user = &r,
                           .work = work,
                           .next = next,
                           .finished = finished,
                           .tick = tick,
                           .stop = &stop_asked};
    (void)clock_gettime(CLOCK_MONOTONIC, &r.start);
    if (count_cached(&r, &err) != PANEM_OK)
        return pn_fail_output(&err);
    panem_status status = pn_pool_run(&pool, &err);
    if (status != PANEM_OK)
        return pn_fail_output(&err);
    return close_run(&r, again);
}
