/* cmd_trace_suite.c - `panem trace suite`: records every workload of a suite. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/suite.h"
#include "trace/stats.h"

enum { KEY_ONLY = 256, KEY_FORCE, KEY_LIST, KEY_MAX };

static const struct argp_option OPTIONS[] = {
    {"output", 'o', "DIR", 0, "folder for the traces (made when missing); required", 0},
    {"jobs", 'j', "N", 0, "workloads at a time (default 1)", 0},
    {"only", KEY_ONLY, "NAME", 0, "record this one alone", 0},
    {"max", KEY_MAX, "N", 0, "record N instructions of each instead of what the workload says", 0},
    {"force", KEY_FORCE, NULL, 0, "record again what is there already", 0},
    {"list", KEY_LIST, NULL, 0, "only print the workloads and the packages they miss", 0},
    {0},
};

typedef struct settings {
    const char *path, *folder, *only, *max;
    char *full; /* folder, absolute */
    uint64_t jobs;
    bool force, list;
    pn_suite suite;
} settings;

typedef enum job_state {
    JOB_WAITING,
    JOB_RUNNING,
    JOB_DONE,
    JOB_KEPT,
    JOB_FAILED,
    JOB_MISSING
} job_state;

typedef struct job {
    const pn_workload *w;
    char *trace;
    char *missing; /* packages to install, or NULL */
    job_state state;
    pid_t pid;
} job;

static panem_status take(settings *s, int key, char *arg, panem_error *err)
{
    switch (key) {
    case 'o':
        s->folder = arg;
        return PANEM_OK;
    case 'j':
        return pn_unit_parse_u64(&s->jobs, arg, PN_DIM_COUNT, 1, 256, "--jobs", err);
    case KEY_ONLY:
        s->only = arg;
        return PANEM_OK;
    case KEY_MAX:
        s->max = arg;
        return PANEM_OK;
    case KEY_FORCE:
        s->force = true;
        return PANEM_OK;
    default:
        s->list = true;
        return PANEM_OK;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    panem_error err = PANEM_ERROR_INIT;
    panem_status status = PANEM_OK;
    switch (key) {
    case ARGP_KEY_INIT:
        s->jobs = 1;
        break;
    case ARGP_KEY_ARG:
        if (s->path)
            return ARGP_ERR_UNKNOWN;
        s->path = arg;
        break;
    case ARGP_KEY_END:
        if (!s->path)
            status = pn_err(&err, PANEM_E_ARG, "trace suite: no suite was given");
        else if (!s->folder && !s->list)
            status = pn_err(&err, PANEM_E_ARG, "trace suite: --output DIR is missing");
        break;
    default:
        if (key != 'o' && key != 'j' && (key < KEY_ONLY || key > KEY_MAX))
            return ARGP_ERR_UNKNOWN;
        status = take(s, key, arg, &err);
    }
    return status == PANEM_OK ? 0 : pn_option_error(state, &err);
}

/* ---- what is missing ------------------------------------------------------------------------- */

static bool installed(const char *package)
{
    char command[256];
    /* A package's name is of these letters; anything else is no name, and no word for a shell. */
    if (package[strspn(package, "abcdefghijklmnopqrstuvwxyz0123456789.+:-")] != '\0')
        return false;
    (void)snprintf(command, sizeof command,
                   "dpkg-query -W -f='${Status}' '%s' 2>/dev/null | grep -q 'install ok installed'",
                   package);
    return system(command) == 0; /* NOLINT(cert-env33-c): the one word that varies was judged */
}

/* The packages of the list that are not installed; NULL when none. Without dpkg nothing is known
 * to be missing. */
static char *missing_packages(const char *packages)
{
    pn_text text = PN_TEXT_INIT;
    char *list = strdup(packages), *rest = NULL;
    if (!list || access("/usr/bin/dpkg-query", X_OK) != 0) {
        free(list);
        return NULL;
    }
    for (char *p = strtok_r(list, " \n", &rest); p; p = strtok_r(NULL, " \n", &rest)) {
        if (!installed(p))
            pn_text_printf(&text, "%s%s", text.length ? " " : "", p);
    }
    free(list);
    return text.data;
}

/* ---- one workload ---------------------------------------------------------------------------- */

/* Environment of the scripts: where this program, the kernels and the folders are. */
static void export_places(const settings *s, const job *j)
{
    char self[4096], text[4200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    (void)setenv("PANEM", self, 1);
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    (void)snprintf(text, sizeof text, "%s/suites/kernels", self);
    (void)setenv("KERNELS", text, 0);
    (void)snprintf(text, sizeof text, "%s/scratch/%s", s->full, j->w->name);
    (void)setenv("WORK", text, 1);
    (void)setenv("TRACE", j->trace, 1);
    if (geteuid() == 0 && j->w->user[0])
        (void)snprintf(text, sizeof text, "setpriv --reuid=%s --clear-groups", j->w->user);
    else
        text[0] = '\0';
    (void)setenv("AS", text, 1);
}

/* The shell script that records it. The driver of a server ends with the recording. */
static char *script_of(const settings *s, const pn_workload *w)
{
    pn_text t = PN_TEXT_INIT;
    const char *sysroot =
        strcmp(w->isa, "aarch64") == 0 ? "--sysroot \"${SYSROOT:-/usr/aarch64-linux-gnu}\"" : "";
    pn_text_puts(&t, "set -e\nmkdir -p \"$WORK\"\ncd \"$WORK\"\n");
    if (w->user[0])
        pn_text_printf(&t, "[ -z \"$AS\" ] || chown %s .\n", w->user);
    if (w->setup[0])
        pn_text_printf(&t, "if [ ! -e .ready ]; then\n%s\n: > .ready\nfi\n", w->setup);
    if (w->driver[0])
        pn_text_printf(&t,
                       "(\n%s\n) > driver.log 2>&1 < /dev/null &\ndriver=$!\n"
                       "trap 'status=$?; pkill -P $driver || :; kill $driver || :; exit $status' "
                       "EXIT\n",
                       w->driver);
    pn_text_printf(&t,
                   "$AS \"$PANEM\" trace record -o recorded.ptrace --name %s --skip %s --max %s "
                   "--stop %s -- %s > output.log 2> record.log\nmv recorded.ptrace \"$TRACE\"\n",
                   w->name, w->skip[0] ? w->skip : "0", s->max ? s->max : w->max, sysroot,
                   w->command);
    return t.data;
}

static bool start(const settings *s, job *j)
{
    char *script = script_of(s, j->w);
    if (!script)
        return false;
    fflush(stdout);
    j->pid = fork();
    if (j->pid == 0) {
        export_places(s, j);
        (void)execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    free(script);
    j->state = j->pid > 0 ? JOB_RUNNING : JOB_FAILED;
    return j->pid > 0;
}

static bool usable(const char *path)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    bool good = pn_trace_open(&trace, path, &options, NULL) == PANEM_OK &&
                pn_trace_about(trace)->has_totals;
    pn_trace_close(trace);
    return good;
}

static void wait_one(const settings *s, job *jobs, size_t n)
{
    int status = 0;
    pid_t pid = waitpid(-1, &status, 0);
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].state != JOB_RUNNING || jobs[i].pid != pid)
            continue;
        bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0 && usable(jobs[i].trace);
        jobs[i].state = good ? JOB_DONE : JOB_FAILED;
        if (!good)
            pn_warn("%s failed; see %s/scratch/%s/*.log", jobs[i].w->name, s->full,
                    jobs[i].w->name);
        else if (pn_stderr_is_terminal())
            fprintf(stderr, "%s recorded\n", jobs[i].w->name);
    }
}

static void run_all(const settings *s, job *jobs, size_t n)
{
    uint64_t running = 0;
    for (size_t i = 0; i < n; i++) {
        if (jobs[i].state != JOB_WAITING)
            continue;
        if (running == s->jobs) {
            wait_one(s, jobs, n);
            running--;
        }
        running += start(s, &jobs[i]);
    }
    for (; running; running--)
        wait_one(s, jobs, n);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const pn_trace_thread *busiest(const pn_trace_info *info)
{
    const pn_trace_thread *most = info->threads;
    for (size_t i = 1; i < info->n_threads; i++) {
        if (info->threads[i].instructions > most->instructions)
            most = &info->threads[i];
    }
    return most;
}

static panem_status print_trace(const job *j, panem_error *err)
{
    pn_trace_options options = PN_TRACE_OPTIONS_INIT;
    pn_trace *trace = NULL;
    pn_trace_stats stats;
    struct stat st;
    enum { KILO = 1000 };
    PN_TRY(pn_trace_open(&trace, j->trace, &options, err));
    const pn_trace_info *info = pn_trace_about(trace);
    uint64_t all = info->instructions;
    size_t threads = info->n_threads;
    uint64_t undecoded = info->undecoded;
    options.thread = threads ? busiest(info)->id : 0;
    pn_isa isa = info->isa;
    pn_trace_close(trace);
    PN_TRY(pn_trace_open(&trace, j->trace, &options, err));
    panem_status status = pn_trace_measure(&stats, trace, 0, err);
    pn_trace_close(trace);
    PN_TRY(status);
    double bytes = stat(j->trace, &st) == 0 ? (double)st.st_size : 0.0;
    double count = stats.instructions ? (double)stats.instructions : 1.0;
    printf("%-18s %-8s %10.1f %7zu %4u %8.3f %7.3f %7.3f %8.2f %8.1f %9llu %s\n", j->w->name,
           pn_isa_name(isa), (double)all / 1e6, threads, options.thread, bytes / (double)all,
           (double)stats.reads / count, (double)stats.writes / count,
           (double)stats.cache_misses * KILO / count, (double)stats.data_lines * 64 / 1e6,
           (unsigned long long)undecoded, j->state == JOB_KEPT ? "kept" : "recorded");
    return PANEM_OK;
}

static int print_table(const job *jobs, size_t n)
{
    int code = PN_EXIT_OK;
    printf("%-18s %-8s %10s %7s %4s %8s %7s %7s %8s %8s %9s %s\n", "workload", "isa", "M_instr",
           "threads", "most", "B/instr", "reads", "writes", "mpki2MiB", "MB", "undecoded", "state");
    for (size_t i = 0; i < n; i++) {
        panem_error err = PANEM_ERROR_INIT;
        if (jobs[i].state == JOB_DONE || jobs[i].state == JOB_KEPT) {
            if (print_trace(&jobs[i], &err) != PANEM_OK)
                code = pn_fail(&err);
            continue;
        }
        code = PN_EXIT_FAILED;
        printf("%-18s %s%s\n", jobs[i].w->name,
               jobs[i].state == JOB_MISSING ? "needs: apt-get install " : "failed",
               jobs[i].missing ? jobs[i].missing : "");
    }
    return code;
}

/* ---- all ------------------------------------------------------------------------------------- */

static panem_status prepare(settings *s, job **jobs, size_t *n, panem_error *err)
{
    PN_TRY(pn_suite_load(&s->suite, s->path, err));
    if (s->folder)
        PN_TRY(pn_make_folder(s->folder, err));
    if (s->folder && !(s->full = realpath(s->folder, NULL)))
        return pn_err_at(err, PANEM_E_IO, s->folder, 0, 0, "cannot find the folder: %s",
                         strerror(errno));
    *jobs = calloc(s->suite.n, sizeof **jobs);
    if (!*jobs)
        return pn_err(err, PANEM_E_NOMEM, "no memory for the suite");
    for (size_t i = 0; i < s->suite.n; i++) {
        const pn_workload *w = &s->suite.workloads[i];
        if (s->only && strcmp(s->only, w->name) != 0)
            continue;
        job *j = &(*jobs)[(*n)++];
        pn_text path = PN_TEXT_INIT;
        pn_text_printf(&path, "%s/%s.ptrace", s->full ? s->full : ".", w->name);
        j->w = w;
        j->trace = path.data;
        if (!j->trace)
            return pn_err(err, PANEM_E_NOMEM, "no memory for the suite");
        if (!s->force && !s->list && usable(j->trace))
            j->state = JOB_KEPT;
        else if ((j->missing = missing_packages(w->packages)) != NULL)
            j->state = JOB_MISSING;
    }
    if (*n == 0)
        return pn_err(err, PANEM_E_ARG, "the suite has no workload '%s'", s->only);
    return PANEM_OK;
}

static int run(void *user)
{
    settings *s = user;
    panem_error err = PANEM_ERROR_INIT;
    job *jobs = NULL;
    size_t n = 0;
    int code = PN_EXIT_OK;
    if (prepare(s, &jobs, &n, &err) != PANEM_OK) {
        code = err.status == PANEM_E_ARG ? pn_fail(&err)
               : err.status == PANEM_E_IO && s->folder && strcmp(err.file, s->folder) == 0
                   ? pn_fail_output(&err)
                   : pn_fail(&err);
    } else if (s->list) {
        for (size_t i = 0; i < n; i++)
            printf("%-18s %s%s%s\n", jobs[i].w->name, jobs[i].w->summary,
                   jobs[i].missing ? "; needs: apt-get install " : "",
                   jobs[i].missing ? jobs[i].missing : "");
    } else {
        run_all(s, jobs, n);
        code = print_table(jobs, n);
    }
    for (size_t i = 0; i < n; i++) {
        free(jobs[i].trace);
        free(jobs[i].missing);
    }
    free(jobs);
    return code;
}

static void release(void *user)
{
    settings *s = user;
    pn_suite_release(&s->suite);
    free(s->full);
}

const pn_command pn_cmd_trace_suite = {
    .name = "trace suite",
    .arguments = "SUITE",
    .summary = "record every workload of a suite",
    .details =
        "A suite is a YAML file with a list of names; each names a workload file in the folder "
        "workloads/ beside it: packages, setup (makes the input, once), command, driver (the "
        "client of a server), skip, max. Nothing is installed; a workload whose Debian packages "
        "are missing says so (suites/install SUITE installs them). A trace that is there is kept. "
        "Inputs and logs are in DIR/work.\n\n"
        "The table: all instructions, streams, the busiest stream and of it: reads and writes per "
        "instruction, misses per thousand instructions of a cold 2 MiB 8-way data cache, different "
        "data touched; B/instr is bytes on disk per instruction.",
    .examples = "panem trace suite suites/cloud.yaml -o traces -j 2\n"
                "panem trace suite suites/cloud.yaml --list\n",
    .options = OPTIONS,
    .parse = parse,
    .settings_size = sizeof(settings),
    .run = run,
    .release = release,
};
