/* cmd_sweep_show.c - `panem sweep status`, `sweep export` and `query`: looking at a store. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/shards.h"
#include "cli/slurm.h"
#include "cli/sweep.h"

enum { KEY_FORMAT = 256, KEY_TIMING, KEY_SERIES };

typedef struct settings {
    const char *folder, *sql, *path;
    bool wants_sql, timing, series, json, exports, sqlite;
} settings;

static const struct argp_option EXPORT_OPTIONS[] = {
    {"format", KEY_FORMAT, "F", 0,
     "csv, json or sqlite, a database with a table results (default csv)", 0},
    {"output", 'o', "FILE", 0, "write here instead of to standard output; sqlite needs it", 0},
    {"timing", KEY_TIMING, NULL, 0, "host seconds, attempts, host and time of each point, too", 0},
    {"series", KEY_SERIES, NULL, 0,
     "instead, what every point did over time, where the study keeps series: a row per step", 0},
    {0},
};
static const struct argp_option QUERY_OPTIONS[] = {
    {"format", KEY_FORMAT, "F", 0, "csv or json (default csv)", 0},
    {"output", 'o', "FILE", 0, "write here instead of to standard output", 0},
    {0},
};
static const struct argp_option STATUS_OPTIONS[] = {
    {"format", KEY_FORMAT, "F", 0, "of the list of failed points: csv or json (default csv)", 0},
    {0},
};

static panem_status take_format(settings *s, const char *text, panem_error *err)
{
    s->json = strcmp(text, "json") == 0;
    s->sqlite = s->exports && strcmp(text, "sqlite") == 0;
    if (s->json || s->sqlite || strcmp(text, "csv") == 0)
        return PANEM_OK;
    return pn_err(err, PANEM_E_ARG,
                  s->exports ? "--format: '%s' is not csv, json or sqlite"
                             : "--format: '%s' is neither csv nor json",
                  text);
}

static panem_status check(const settings *s, panem_error *err)
{
    if (!s->folder || (s->wants_sql && !s->sql))
        return pn_err(err, PANEM_E_ARG,
                      s->wants_sql ? "DIR and \"SQL\" are needed" : "no folder was given");
    if (s->sqlite && !s->path)
        return pn_err(err, PANEM_E_ARG, "--format sqlite needs --output FILE");
    if (s->sqlite && s->series)
        return pn_err(err, PANEM_E_ARG, "--format sqlite has a table series; no --series");
    return PANEM_OK;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    switch (key) {
    case 'o':
        s->path = arg;
        break;
    case KEY_TIMING:
        s->timing = true;
        break;
    case KEY_SERIES:
        s->series = true;
        break;
    case KEY_FORMAT:
        status = take_format(s, arg, &err);
        break;
    case ARGP_KEY_ARG:
        if (!s->folder)
            s->folder = arg;
        else if (s->wants_sql && !s->sql)
            s->sql = arg;
        else
            return ARGP_ERR_UNKNOWN;
        break;
    case ARGP_KEY_END:
        status = check(s, &err);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static error_t parse_query(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT)
        ((settings *)state->input)->wants_sql = true;
    return key == ARGP_KEY_INIT ? 0 : parse(key, arg, state);
}

static error_t parse_export(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT)
        ((settings *)state->input)->exports = true;
    return key == ARGP_KEY_INIT ? 0 : parse(key, arg, state);
}

/* ---- rows as CSV or JSON --------------------------------------------------------------------- */

typedef struct printer {
    FILE *out;
    bool json;
    uint64_t rows;
    pn_text *names; /* of JSON: `"name": ` */
    int columns;
    pn_text line;
} printer;

static void put_csv(pn_text *line, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        pn_text_puts(line, text);
        return;
    }
    pn_text_puts(line, "\"");
    for (; *text; text++) {
        if (*text == '"')
            pn_text_puts(line, "\"");
        pn_text_add(line, text, 1);
    }
    pn_text_puts(line, "\"");
}

static void put_json(pn_text *line, const char *text)
{
    pn_text_puts(line, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            pn_text_puts(line, "\\");
        if ((unsigned char)*c < 0x20)
            pn_text_printf(line, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            pn_text_add(line, c, 1);
    }
    pn_text_puts(line, "\"");
}

static void end_line(printer *p)
{
    if (p->line.length > 0)
        (void)fwrite(p->line.data, 1, p->line.length, p->out);
    p->line.length = 0;
}

static void take_names(void *user, int columns, const char *const *names)
{
    printer *p = user;
    p->columns = columns;
    p->names = p->json ? calloc((size_t)columns, sizeof *p->names) : NULL;
    p->line.failed |= p->json && !p->names;
    for (int i = 0; i < columns; i++) {
        if (p->names) {
            put_json(&p->names[i], names[i]);
            pn_text_puts(&p->names[i], ": ");
            p->line.failed |= p->names[i].failed;
        } else {
            pn_text_puts(&p->line, i ? "," : "");
            put_csv(&p->line, names[i]);
        }
    }
    pn_text_puts(&p->line, p->json ? "[" : "\n");
    end_line(p);
}

static void put_cell(printer *p, int column, const char *cell, bool number)
{
    if (p->names)
        pn_text_add(&p->line, p->names[column].data, p->names[column].length);
    if (!cell)
        pn_text_puts(&p->line, p->json ? "null" : "");
    else if (number)
        pn_text_puts(&p->line, cell);
    else if (p->json)
        put_json(&p->line, cell);
    else
        put_csv(&p->line, cell);
}

static void put_row(void *user, int columns, const char *const *cells, const bool *numbers)
{
    printer *p = user;
    if (p->json)
        pn_text_puts(&p->line, p->rows ? ",\n {" : "\n {");
    p->rows++;
    for (int i = 0; i < columns; i++) {
        if (i)
            pn_text_puts(&p->line, p->json ? ", " : ",");
        put_cell(p, i, cells[i], numbers[i]);
    }
    pn_text_puts(&p->line, p->json ? "}" : "\n");
    end_line(p);
}

static panem_status print_query(pn_store *store, const char *sql, FILE *out, bool json,
                                panem_error *err)
{
    printer p = {.out = out, .json = json};
    const pn_rows rows = {take_names, put_row, &p};
    panem_status status = pn_store_query(store, sql, &rows, err);
    if (status == PANEM_OK && p.line.failed)
        status = pn_err(err, PANEM_E_NOMEM, "out of memory");
    if (json && status == PANEM_OK)
        fputs("\n]\n", out);
    for (int i = 0; p.names && i < p.columns; i++)
        pn_text_release(&p.names[i]);
    free(p.names);
    pn_text_release(&p.line);
    return status;
}

/* To the file, which appears when it is whole, or to standard output. */
static int output_query(const settings *s, pn_store *store, const char *sql)
{
    panem_error err = PANEM_ERROR_INIT;
    pn_writer *writer = NULL;
    if (!s->path)
        return print_query(store, sql, stdout, s->json, &err) == PANEM_OK ? PN_EXIT_OK
                                                                          : pn_fail(&err);
    if (pn_writer_open(&writer, s->path, &err) != PANEM_OK)
        return pn_fail_output(&err);
    if (print_query(store, sql, pn_writer_stream(writer), s->json, &err) != PANEM_OK) {
        pn_writer_abort(writer);
        return pn_fail(&err);
    }
    return pn_writer_commit(writer, &err) == PANEM_OK ? PN_EXIT_OK : pn_fail_output(&err);
}

static panem_status write_database(const settings *s, pn_store *store, panem_error *err)
{
    char *bytes = NULL;
    size_t length = 0;
    PN_TRY(pn_store_export_bytes(store, s->folder, s->timing, &bytes, &length, err));
    panem_status status = pn_file_write(s->path, bytes, length, err);
    pn_store_bytes_free(bytes);
    return status;
}

static int run_export(void *user)
{
    settings *s = user;
    pn_store *store = NULL;
    panem_error err = PANEM_ERROR_INIT;
    pn_text sql = PN_TEXT_INIT;
    if (pn_store_open(&store, s->folder, PN_STORE_READ, &err) != PANEM_OK)
        return pn_fail(&err);
    if (s->sqlite) {
        panem_status written = write_database(s, store, &err);
        pn_store_close(store);
        return written == PANEM_OK ? PN_EXIT_OK : pn_fail_output(&err);
    }
    panem_status status = s->series ? pn_store_series_sql(store, &sql, &err)
                                    : pn_store_export_sql(store, &sql, s->timing, &err);
    int code = status == PANEM_OK ? output_query(s, store, sql.data) : pn_fail(&err);
    pn_text_release(&sql);
    pn_store_close(store);
    return code;
}

static int run_query(void *user)
{
    settings *s = user;
    pn_store *store = NULL;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_store_open(&store, s->folder, PN_STORE_READ, &err) != PANEM_OK)
        return pn_fail(&err);
    int code = output_query(s, store, s->sql);
    pn_store_close(store);
    return code;
}

static void tell_queue(const char *folder)
{
    pn_slurm_queue queue;
    pn_slurm_look(&queue, folder);
    if (!queue.submitted)
        return;
    if (!queue.asked)
        printf("slurm job %s: squeue does not answer\n", queue.jobs);
    else
        printf("slurm job %s: %llu tasks running, %llu waiting\n", queue.jobs,
               (unsigned long long)queue.running, (unsigned long long)queue.waiting);
}

/* What shards have that is not merged, and what still waits in a queue. */
static panem_status tell_shards(const char *folder, pn_store *store, panem_error *err)
{
    pn_shards shards;
    PN_TRY(pn_shards_look(&shards, folder, store, err));
    if (shards.stores)
        printf("%u shards, %u at work: %llu points done and %llu failed there are not merged yet\n",
               shards.stores, shards.busy, (unsigned long long)shards.done,
               (unsigned long long)shards.failed);
    tell_queue(folder);
    return PANEM_OK;
}

static void no_names(void *user, int columns, const char *const *names)
{
    (void)user, (void)columns, (void)names;
}

static void take_count(void *user, int columns, const char *const *cells, const bool *numbers)
{
    (void)columns, (void)numbers;
    *(unsigned long long *)user = cells[0] ? strtoull(cells[0], NULL, 10) : 0;
}

/* Points whose trace had less than they asked for are done, but not what the study says. */
static panem_status tell_short(pn_store *store, panem_error *err)
{
    unsigned long long count = 0;
    const pn_rows rows = {no_names, take_count, &count};
    PN_TRY(pn_store_query(store,
                          "SELECT count(*) FROM plan JOIN points USING(key) JOIN results "
                          "USING(key) WHERE results.instructions < instructions_asked",
                          &rows, err));
    if (count > 0)
        printf("%llu of those done have fewer instructions than asked for: their traces end "
               "before\n",
               count);
    return PANEM_OK;
}

static int run_status(void *user)
{
    settings *s = user;
    pn_store *store = NULL;
    pn_store_counts n;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_store_open(&store, s->folder, PN_STORE_READ, &err) != PANEM_OK)
        return pn_fail(&err);
    panem_status status = pn_store_count(store, &n, &err);
    if (status == PANEM_OK) {
        printf("%llu points: %llu done, %llu failed, %llu to run\n", (unsigned long long)n.points,
               (unsigned long long)n.done, (unsigned long long)n.failed,
               (unsigned long long)(n.points - n.done - n.failed));
        status = tell_short(store, &err);
        if (status == PANEM_OK)
            status = tell_shards(s->folder, store, &err);
        if (status == PANEM_OK && n.failed)
            status = print_query(store,
                                 "SELECT ordinal, trace, message FROM plan JOIN points USING(key) "
                                 "WHERE state = 2 ORDER BY ordinal",
                                 stdout, s->json, &err);
    }
    pn_store_close(store);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail(&err);
}

const pn_command pn_cmd_sweep_status = {
    .name = "sweep status",
    .arguments = "DIR",
    .summary = "say how far a sweep is, and why points failed",
    .details =
        "Counts the points of the study last planned into DIR; may be asked while it runs. With "
        "shards or tasks of Slurm, also what they have that is not merged, and what waits.",
    .examples = "panem sweep status out\n",
    .options = STATUS_OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run_status,
};

const pn_command pn_cmd_sweep_export = {
    .name = "sweep export",
    .arguments = "DIR",
    .summary = "write the results of a sweep as a table",
    .details = "One row per point in the study's order: trace, weight, one column axis_NAME per "
               "thing that varies, state, every metric with its unit in its name, key. The same "
               "bytes for any number of workers, shards, folder or language; host times only with "
               "--timing. As sqlite: a database with the tables results (the same rows), windows, "
               "series and meta (docs/formats/store.md).",
    .examples = "panem sweep export out -o results.csv\npanem sweep export out --format json\n"
                "panem sweep export out --format sqlite -o results.db\n",
    .options = EXPORT_OPTIONS,
    .parse = parse_export,
    .settings_size = sizeof(settings),
    .run = run_export,
};

const pn_command pn_cmd_query = {
    .name = "query",
    .arguments = "DIR \"SQL\"",
    .summary = "ask the store of a sweep in SQL; reads only",
    .details = "Tables: plan (the study's points in order), points, results, windows, timing, "
               "configs, curves, meta (docs/formats/store.md).",
    .examples = "panem query out \"SELECT trace, axis_model, avg(ipc) FROM plan JOIN results "
                "USING(key) GROUP BY trace, axis_model\"\n",
    .options = QUERY_OPTIONS,
    .parse = parse_query,
    .settings_size = sizeof(settings),
    .run = run_query,
};
