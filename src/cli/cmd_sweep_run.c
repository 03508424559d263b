/* cmd_sweep_run.c - `panem sweep run`, `plan` and `merge`: a study and its folder. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/shards.h"
#include "cli/slurm.h"
#include "cli/sweep.h"

enum {
    KEY_SHARD = 256,
    KEY_TIMEOUT,
    KEY_RETRY,
    KEY_QUIET,
    KEY_LIST,
    KEY_SLURM,
    KEY_PARTITION,
    KEY_TASKS,
    KEY_POINTS,
    KEY_LIMIT
};

typedef struct settings {
    const char *study, *folder;
    pn_sweep_run run;
    pn_sweep_part part;
    pn_slurm slurm;
    bool retry, wants_slurm, only_slurm; /* only_slurm: an option without sense but for it */
} settings;

static const struct argp_option RUN_OPTIONS[] = {
    {"output", 'o', "DIR", 0, "folder of the results; made when it is not there; required", 0},
    {"jobs", 'j', "N", 0, "worker processes (default: the machine's processors)", 0},
    {"shard", KEY_SHARD, "I/N", 0,
     "run only part I of N, counted from 1, into DIR/shards/I-of-N: for any scheduler; then merge",
     0},
    {"list", KEY_LIST, "FILE", 0,
     "only the points whose keys FILE has, one a line; --shard then counts in FILE", 0},
    {"timeout", KEY_TIMEOUT, "TIME", 0,
     "a point that takes longer loses its worker and is tried again, three times in all (default: "
     "none)",
     0},
    {"retry", KEY_RETRY, NULL, 0, "try failed points again", 0},
    {"quiet", KEY_QUIET, NULL, 0, "no progress", 0},
    {"slurm", KEY_SLURM, NULL, 0,
     "run nothing here: submit what is to run as array tasks of a Slurm cluster, -j processes each "
     "(default 1)",
     0},
    {"partition", KEY_PARTITION, "P", 0, "--slurm: submit to this partition", 0},
    {"points-per-task", KEY_POINTS, "K", 0,
     "--slurm: points of one task (default: what makes about 100 tasks)", 0},
    {"tasks-per-job", KEY_TASKS, "T", 0,
     "--slurm: most tasks of one job, at most the cluster's MaxArraySize - 1 (default 1000)", 0},
    {"array-limit", KEY_LIMIT, "M", 0, "--slurm: at most M tasks at the same time", 0},
    {0},
};
static const struct argp_option PLAN_OPTIONS[] = {
    {"output", 'o', "DIR", 0, "folder of the results: tells what is there already", 0},
    {0},
};
static const struct argp_option MERGE_OPTIONS[] = {
    {"output", 'o', "DIR", 0, "folder of the results, with the shards in DIR/shards; required", 0},
    {0},
};

static panem_status parse_shard(pn_sweep_part *part, const char *text, panem_error *err)
{
    char first[16];
    uint64_t i, n;
    const char *slash = strchr(text, '/');
    size_t length = slash ? (size_t)(slash - text) : sizeof first;
    if (length == 0 || length >= sizeof first)
        return pn_err(err, PANEM_E_ARG, "--shard: '%s' is not I/N, e.g. 2/8", text);
    memcpy(first, text, length);
    first[length] = '\0';
    PN_TRY(pn_unit_parse_u64(&n, slash + 1, PN_DIM_COUNT, 1, 100000, "--shard", err));
    PN_TRY(pn_unit_parse_u64(&i, first, PN_DIM_COUNT, 1, n, "--shard", err));
    part->shard = (uint32_t)(i - 1);
    part->shards = (uint32_t)n;
    return PANEM_OK;
}

static panem_status parse_count(settings *s, uint32_t *count, const char *text, const char *what,
                                panem_error *err)
{
    uint64_t n;
    PN_TRY(pn_unit_parse_u64(&n, text, PN_DIM_COUNT, 1, 1000000, what, err));
    *count = (uint32_t)n;
    s->only_slurm = true;
    return PANEM_OK;
}

static panem_status take(settings *s, int key, const char *arg, panem_error *err)
{
    uint64_t n;
    double ps;
    switch (key) {
    case 'j':
        PN_TRY(pn_unit_parse_u64(&n, arg, PN_DIM_COUNT, 1, 1024, "--jobs", err));
        s->run.workers = (uint32_t)n;
        s->slurm.workers = (uint32_t)n;
        return PANEM_OK;
    case KEY_SHARD:
        return parse_shard(&s->part, arg, err);
    case KEY_TASKS:
        return parse_count(s, &s->slurm.tasks_per_job, arg, "--tasks-per-job", err);
    case KEY_POINTS:
        return parse_count(s, &s->slurm.points_per_task, arg, "--points-per-task", err);
    case KEY_LIMIT:
        return parse_count(s, &s->slurm.array_limit, arg, "--array-limit", err);
    default:
        PN_TRY(pn_unit_parse(&ps, arg, PN_DIM_TIME, "--timeout", err));
        s->run.timeout_s = ps * 1e-12;
        return ps > 0.0 ? PANEM_OK : pn_err(err, PANEM_E_ARG, "--timeout: must be above 0");
    }
}

/* Slurm's own default of MaxArraySize is 1001: numbers up to 1000. */
enum { TASKS_PER_JOB = 1000 };

static void defaults(settings *s)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    s->run.workers = cpus > 0 ? (uint32_t)cpus : 1;
    s->part.shards = 1;
    s->slurm.workers = 1;
    s->slurm.tasks_per_job = TASKS_PER_JOB;
}

static panem_status check(const settings *s, bool folder_needed, panem_error *err)
{
    if (!s->study)
        return pn_err(err, PANEM_E_ARG, "no study was given");
    if (folder_needed && !s->folder)
        return pn_err(err, PANEM_E_ARG, "--output DIR is missing");
    if (s->only_slurm && !s->wants_slurm)
        return pn_err(err, PANEM_E_ARG,
                      "--partition, --points-per-task, --tasks-per-job and --array-limit go with "
                      "--slurm");
    if (s->wants_slurm && (s->part.shards > 1 || s->part.list))
        return pn_err(err, PANEM_E_ARG, "--slurm makes shards of its own: no --shard, no --list");
    return PANEM_OK;
}

static error_t parse(int key, char *arg, struct argp_state *state, bool folder_needed)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    switch (key) {
    case ARGP_KEY_INIT:
        defaults(s);
        break;
    case 'o':
        s->folder = arg;
        break;
    case KEY_RETRY:
        s->retry = true;
        break;
    case KEY_QUIET:
        s->run.quiet = true;
        break;
    case KEY_LIST:
        s->part.list = arg;
        break;
    case KEY_SLURM:
        s->wants_slurm = true;
        break;
    case KEY_PARTITION:
        s->slurm.partition = arg;
        s->only_slurm = true;
        break;
    case ARGP_KEY_ARG:
        if (s->study)
            return ARGP_ERR_UNKNOWN;
        s->study = arg;
        break;
    case ARGP_KEY_END:
        status = check(s, folder_needed, &err);
        break;
    case 'j':
    case KEY_SHARD:
    case KEY_TIMEOUT:
    case KEY_TASKS:
    case KEY_POINTS:
    case KEY_LIMIT:
        status = take(s, key, arg, &err);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

static error_t parse_run(int key, char *arg, struct argp_state *state)
{
    return parse(key, arg, state, true);
}

static error_t parse_plan(int key, char *arg, struct argp_state *state)
{
    return parse(key, arg, state, false);
}

/* ---- run ------------------------------------------------------------------------------------- */

static bool is_part(const settings *s)
{
    return s->part.shards > 1 || s->part.list;
}

/* DIR, or the shard's folder in it, whose parents are made. */
static panem_status folder_of(pn_text *folder, const settings *s, panem_error *err)
{
    pn_text_puts(folder, s->folder);
    if (is_part(s)) {
        PN_TRY(pn_make_folder(s->folder, err));
        pn_text_puts(folder, "/shards");
        PN_TRY(pn_make_folder(folder->data, err));
        pn_text_printf(folder, "/%u-of-%u", s->part.shard + 1, s->part.shards);
    }
    return folder->failed ? pn_err(err, PANEM_E_NOMEM, "out of memory") : PANEM_OK;
}

/* What shards have is taken over first, so that nothing that is done is submitted. */
static panem_status submit_from(settings *s, pn_sweep *sweep, panem_error *err)
{
    pn_shards shards;
    uint64_t retried = 0;
    PN_TRY(pn_shards_look(&shards, s->folder, sweep->store, err));
    if (shards.done + shards.failed > 0)
        PN_TRY(pn_shards_merge(&shards, s->folder, sweep->store, err));
    if (s->retry)
        PN_TRY(pn_store_retry(sweep->store, &retried, err));
    s->slurm.retry = s->retry;
    s->slurm.timeout_s = s->run.timeout_s;
    return pn_slurm_submit(&s->slurm, sweep, s->folder, err);
}

static int submit(settings *s)
{
    pn_sweep sweep;
    panem_error err = PANEM_ERROR_INIT;
    if (pn_sweep_open(&sweep, s->study, s->folder, NULL, &err) != PANEM_OK)
        return pn_sweep_fail(&sweep, &err);
    panem_status status = submit_from(s, &sweep, &err);
    pn_sweep_close(&sweep);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail_output(&err);
}

static int run(void *user)
{
    settings *s = user;
    if (s->wants_slurm)
        return submit(s);
    pn_sweep sweep = {.writing = true};
    panem_error err = PANEM_ERROR_INIT;
    pn_text folder = PN_TEXT_INIT, again = PN_TEXT_INIT;
    uint64_t retried = 0;
    pn_sweep_catch_signals();
    panem_status status = folder_of(&folder, s, &err);
    if (status == PANEM_OK)
        status = pn_sweep_open(&sweep, s->study, folder.data, &s->part, &err);
    if (status != PANEM_OK) {
        pn_text_release(&folder);
        return pn_sweep_fail(&sweep, &err);
    }
    if (s->retry)
        status = pn_store_retry(sweep.store, &retried, &err);
    pn_text_printf(&again, "panem sweep run %s -o %s", s->study, s->folder);
    if (is_part(s))
        pn_text_printf(&again, " --shard %u/%u", s->part.shard + 1, s->part.shards);
    if (s->part.list)
        pn_text_printf(&again, " --list %s", s->part.list);
    int code = status == PANEM_OK ? pn_sweep_execute(&sweep, &s->run, again.data ? again.data : "")
                                  : pn_fail_output(&err);
    pn_sweep_close(&sweep);
    pn_text_release(&folder);
    pn_text_release(&again);
    return code;
}

/* ---- plan ------------------------------------------------------------------------------------ */

/* Mean host time of points that were run, seconds; 0 when there are none. */
static void take_mean(void *user, int columns, const char *const *cells, const bool *numbers)
{
    (void)columns, (void)numbers;
    if (cells[0])
        *(double *)user = strtod(cells[0], NULL);
}

static void no_names(void *user, int columns, const char *const *names)
{
    (void)user, (void)columns, (void)names;
}

/* What a processor simulates where nothing was measured yet; docs/core.md: 5.6 to 16 M. */
static const double INSTRUCTIONS_PER_S = 5e6;

/* Prints a point; its instructions, 0 when it runs to the end of its trace. */
static uint64_t print_point(const pn_study *study, size_t index, const char *key)
{
    pn_point point;
    pn_label labels[64];
    if (pn_study_labels(study) > 64 ||
        pn_study_point(&point, labels, study, index, NULL) != PANEM_OK)
        return 0;
    printf("%6zu  %s  %-16s", index, key, point.trace->name);
    for (size_t i = 0; i < pn_study_labels(study); i++)
        printf("  %s=%s", labels[i].axis, labels[i].value);
    putchar('\n');
    uint64_t instructions = point.spec.instructions;
    instructions += instructions ? point.spec.warmup : 0;
    instructions *= point.spec.cores ? point.spec.cores : 1;
    pn_point_release(&point);
    return instructions;
}

/* From the points that were run, else from the instructions that are left. */
static void print_cost(double mean_s, uint64_t left, double instructions, bool whole_traces)
{
    if (mean_s > 0.0)
        printf("about %.1f s of one processor (%.2f s a point so far)\n", mean_s * (double)left,
               mean_s);
    else if (instructions > 0.0)
        printf("%.6g M instructions, about %.1f s of one processor at %.0f M/s%s\n",
               instructions / 1e6, instructions / INSTRUCTIONS_PER_S, INSTRUCTIONS_PER_S / 1e6,
               whole_traces ? "; and whole traces" : "");
}

static int plan(void *user)
{
    settings *s = user;
    pn_sweep sweep;
    panem_error err = PANEM_ERROR_INIT;
    pn_store *store = NULL;
    double mean_s = 0.0, instructions = 0.0;
    bool whole_traces = false;
    uint64_t done = 0, failed = 0, repeats = 0;
    if (pn_sweep_open(&sweep, s->study, NULL, NULL, &err) != PANEM_OK)
        return pn_fail(&err);
    if (s->folder && pn_store_open(&store, s->folder, PN_STORE_READ, &err) == PANEM_OK) {
        pn_store_want_series(store, sweep.study.series);
        const pn_rows mean = {no_names, take_mean, &mean_s};
        (void)pn_store_query(store, "SELECT avg(seconds) FROM timing", &mean, NULL);
    }
    for (size_t i = 0; i < sweep.points; i++) {
        pn_point_state state = PN_POINT_PENDING;
        if (store)
            (void)pn_store_state(store, sweep.keys[i], &state, NULL);
        repeats += sweep.repeats[i];
        done += !sweep.repeats[i] && state == PN_POINT_DONE;
        failed += !sweep.repeats[i] && state == PN_POINT_FAILED;
        uint64_t own = print_point(&sweep.study, i, sweep.keys[i]);
        bool runs = !sweep.repeats[i] && state == PN_POINT_PENDING;
        instructions += runs ? (double)own : 0.0;
        whole_traces |= runs && own == 0;
    }
    uint64_t left = sweep.points - repeats - done - failed;
    printf("%zu points: %llu repeat an earlier one, %llu are there, %llu failed, %llu to run\n",
           sweep.points, (unsigned long long)repeats, (unsigned long long)done,
           (unsigned long long)failed, (unsigned long long)left);
    print_cost(mean_s, left, instructions, whole_traces);
    pn_store_close(store);
    pn_sweep_close(&sweep);
    return PN_EXIT_OK;
}

/* ---- merge ----------------------------------------------------------------------------------- */

static int merge(void *user)
{
    settings *s = user;
    pn_sweep sweep;
    pn_shards shards;
    panem_error err = PANEM_ERROR_INIT;
    pn_store_counts counts;
    if (pn_sweep_open(&sweep, s->study, s->folder, NULL, &err) != PANEM_OK)
        return pn_sweep_fail(&sweep, &err);
    panem_status status = pn_shards_merge(&shards, s->folder, sweep.store, &err);
    if (status == PANEM_OK)
        status = pn_store_count(sweep.store, &counts, &err);
    if (status == PANEM_OK)
        printf("%llu of %llu points are done, %llu failed\n", (unsigned long long)counts.done,
               (unsigned long long)counts.points, (unsigned long long)counts.failed);
    pn_sweep_close(&sweep);
    return status == PANEM_OK ? PN_EXIT_OK : pn_fail(&err);
}

const pn_command pn_cmd_sweep_run = {
    .name = "sweep run",
    .arguments = "STUDY.yaml",
    .summary = "run every point of a study that is not there yet",
    .details =
        "Worker processes simulate the points of a study (docs/sweeps.md); results go to "
        "DIR/store.db (SQLite, docs/formats/store.md). A point is known by a hash of everything "
        "that determines it, so a stopped, killed or changed study goes on with what is missing. "
        "A worker that dies or is over --timeout is replaced and its point tried again. Ctrl-C "
        "ends cleanly. Exit status: 0 all points done, 1 some failed, it was stopped or DIR cannot "
        "be written, 2 usage, 3 bad "
        "input.",
    .examples =
        "panem sweep run study.yaml -o out -j 2\n"
        "parallel panem sweep run study.yaml -o out -j 1 --shard {}/8 ::: $(seq 8); "
        "panem sweep merge study.yaml -o out\n"
        "panem sweep run study.yaml -o out --slurm --partition batch --points-per-task 20\n",
    .options = RUN_OPTIONS,
    .parse = parse_run,
    .settings_size = sizeof(settings),
    .run = run,
};

const pn_command pn_cmd_sweep_plan = {
    .name = "sweep plan",
    .arguments = "STUDY.yaml",
    .summary = "list the points of a study, and what they will cost",
    .details = "Checks the study and prints its points in order: number, key, trace, what varies. "
               "With --output, says what is there already and, from the points that were run, how "
               "long the rest will take; before any were run, a guess from the instructions.",
    .examples = "panem sweep plan study.yaml -o out\n",
    .options = PLAN_OPTIONS,
    .parse = parse_plan,
    .settings_size = sizeof(settings),
    .run = plan,
};

const pn_command pn_cmd_sweep_merge = {
    .name = "sweep merge",
    .arguments = "STUDY.yaml",
    .summary = "take the results of shards into one store",
    .details =
        "Takes over what the shards in DIR/shards have done and DIR has not; those at work are "
        "left for later. May be repeated; a second time changes nothing.",
    .examples = "panem sweep merge study.yaml -o out\n",
    .options = MERGE_OPTIONS,
    .parse = parse_run,
    .settings_size = sizeof(settings),
    .run = merge,
};
