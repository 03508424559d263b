/* slurm.c - see slurm.h. */
#include "cli/slurm.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Slurm starts one or two tasks a second: enough to fill a cluster, few enough to pay. */
enum {
    TASKS_WANTED = 100,
    PATH_LIMIT = 4096,
    ANSWER_LIMIT_BYTES = 1 << 24,
    FILE_LIMIT_BYTES = 1 << 16
};

/* ---- commands of Slurm ----------------------------------------------------------------------- */

static void read_answer(int fd, pn_text *out)
{
    char chunk[4096];
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        if (out->length < ANSWER_LIMIT_BYTES)
            pn_text_add(out, chunk, (size_t)n);
    }
}

/* Starts a command with its standard output at `to`; what it says on stderr goes there, or
 * nowhere. An errno. */
static int start(pid_t *pid, char *const argv[], int to, bool quiet)
{
    posix_spawn_file_actions_t actions;
    int code = posix_spawn_file_actions_init(&actions);
    if (code != 0)
        return code;
    code = posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
    if (code == 0 && quiet)
        code = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (code == 0)
        code = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return code;
}

/* What the command prints. E_IO when it is not there or fails. */
static panem_status ask(char *const argv[], pn_text *out, bool quiet, panem_error *err)
{
    int ends[2], state = 0;
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return pn_err(err, PANEM_E_IO, "cannot make a pipe: %s", strerror(errno));
    int code = start(&pid, argv, ends[1], quiet);
    (void)close(ends[1]);
    if (code != 0) {
        (void)close(ends[0]);
        return pn_err(err, PANEM_E_IO,
                      "cannot start %s: %s; --slurm needs the commands of Slurm on PATH, --shard "
                      "works with any scheduler",
                      argv[0], strerror(code));
    }
    read_answer(ends[0], out);
    (void)close(ends[0]);
    while (waitpid(pid, &state, 0) < 0 && errno == EINTR)
        continue;
    if (out->failed)
        return pn_err(err, PANEM_E_NOMEM, "out of memory");
    if (!WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return pn_err(err, PANEM_E_IO, "%s failed (exit status %d)", argv[0],
                      WIFEXITED(state) ? WEXITSTATUS(state) : -1);
    return PANEM_OK;
}

/* ---- the queue ------------------------------------------------------------------------------- */

static bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; *at;) {
        size_t n = strcspn(at, " \n");
        if (n == length && memcmp(at, word, n) == 0)
            return true;
        at += n + (at[n] != '\0');
    }
    return false;
}

/* Lines "JOB STATE" of all our tasks, one per task. */
static void count_tasks(pn_slurm_queue *q, const char *lines)
{
    for (const char *at = lines; *at;) {
        size_t line = strcspn(at, "\n"), job = strcspn(at, " \n");
        if (job < line && has_word(q->jobs, at, job)) {
            bool waits = strncmp(at + job + 1, "PENDING", strlen("PENDING")) == 0;
            q->waiting += waits;
            q->running += !waits;
        }
        at += line + (at[line] != '\0');
    }
}

void pn_slurm_look(pn_slurm_queue *q, const char *folder)
{
    char *jobs = NULL;
    size_t length = 0;
    pn_text path = PN_TEXT_INIT, lines = PN_TEXT_INIT;
    char *argv[] = {"squeue", "--noheader", "--array", "--me", "--format=%F %T", NULL};
    memset(q, 0, sizeof *q);
    pn_text_printf(&path, "%s/slurm/jobs", folder);
    if (!path.failed && access(path.data, R_OK) == 0 &&
        pn_file_read(&jobs, &length, path.data, FILE_LIMIT_BYTES, NULL) == PANEM_OK) {
        q->submitted = true;
        (void)snprintf(q->jobs, sizeof q->jobs, "%s", jobs);
        for (char *c = q->jobs; *c; c++) {
            if (*c == '\n')
                *c = c[1] ? ' ' : '\0';
        }
        q->asked = ask(argv, &lines, true, NULL) == PANEM_OK;
        if (q->asked && lines.data)
            count_tasks(q, lines.data);
    }
    free(jobs);
    pn_text_release(&path);
    pn_text_release(&lines);
}

/* ---- submitting ------------------------------------------------------------------------------ */

typedef struct submission {
    const pn_slurm *slurm;
    char *panem, *study, *folder; /* absolute */
    pn_text points, jobs;
    uint64_t n_points, tasks;
} submission;

/* As one word of sh. */
static void put_quoted(pn_text *text, const char *word)
{
    pn_text_puts(text, "'");
    for (; *word; word++)
        pn_text_printf(text, *word == '\'' ? "'\\%c'" : "%c", *word);
    pn_text_puts(text, "'");
}

static panem_status write_in(const submission *s, const char *name, const pn_text *content,
                             panem_error *err)
{
    pn_text path = PN_TEXT_INIT;
    pn_text_printf(&path, "%s/slurm", s->folder);
    panem_status status = path.failed || content->failed ? pn_err(err, PANEM_E_NOMEM, "no memory")
                                                         : pn_make_folder(path.data, err);
    pn_text_printf(&path, "/%s", name);
    if (status == PANEM_OK)
        status = path.failed ? pn_err(err, PANEM_E_NOMEM, "no memory")
                             : pn_file_write(path.data, content->data, content->length, err);
    pn_text_release(&path);
    return status;
}

static panem_status list_points(submission *s, pn_sweep *sweep, panem_error *err)
{
    for (size_t i = 0; i < sweep->points; i++) {
        pn_point_state state;
        PN_TRY(pn_store_state(sweep->store, sweep->keys[i], &state, err));
        if (sweep->repeats[i] || state != PN_POINT_PENDING)
            continue;
        pn_text_printf(&s->points, "%s\n", sweep->keys[i]);
        s->n_points++;
    }
    uint64_t per_task = s->slurm->points_per_task;
    if (per_task == 0)
        per_task = (s->n_points + TASKS_WANTED - 1) / TASKS_WANTED;
    s->tasks = s->n_points ? (s->n_points + per_task - 1) / per_task : 0;
    return PANEM_OK;
}

/* $1 of a job's tasks is the number of tasks in the jobs before it. */
static panem_status write_script(const submission *s, panem_error *err)
{
    pn_text script = PN_TEXT_INIT;
    pn_text_puts(&script, "#!/bin/sh\n# One task of a sweep: its part of the points in `points`, "
                          "into a shard.\nexec ");
    put_quoted(&script, s->panem);
    pn_text_puts(&script, " sweep run ");
    put_quoted(&script, s->study);
    pn_text_puts(&script, " -o ");
    put_quoted(&script, s->folder);
    pn_text_printf(&script, " --quiet -j %u%s", s->slurm->workers,
                   s->slurm->retry ? " --retry" : "");
    if (s->slurm->timeout_s > 0.0)
        pn_text_printf(&script, " --timeout %.9gs", s->slurm->timeout_s);
    pn_text_printf(&script, " --shard \"$(($1 + SLURM_ARRAY_TASK_ID))/%" PRIu64 "\" --list ",
                   s->tasks);
    put_quoted(&script, s->folder);
    pn_text_puts(&script, "'/slurm/points'\n");
    panem_status status = write_in(s, "task.sh", &script, err);
    pn_text_release(&script);
    return status;
}

typedef struct job {
    uint64_t first, tasks;
    char before[64]; /* the job before, when only array_limit tasks may run; or "" */
    char number[64]; /* what sbatch answers */
} job;

static panem_status take_number(job *j, const pn_text *answer, panem_error *err)
{
    const char *text = answer->data ? answer->data : "";
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits >= sizeof j->number)
        return pn_err(err, PANEM_E_IO, "sbatch answered '%.*s', not the number of a job",
                      (int)strcspn(text, "\n"), text);
    memcpy(j->number, text, digits);
    j->number[digits] = '\0';
    return PANEM_OK;
}

static panem_status submit_job(const submission *s, job *j, panem_error *err)
{
    enum { OPTIONS = 9 };
    pn_text options[OPTIONS] = {{0}};
    char *argv[OPTIONS + 2] = {"sbatch"};
    pn_text answer = PN_TEXT_INIT;
    size_t n = 0;
    pn_text_puts(&options[n++], "--parsable");
    pn_text_puts(&options[n++], "--job-name=panem");
    pn_text_printf(&options[n], "--array=1-%" PRIu64, j->tasks);
    if (s->slurm->array_limit)
        pn_text_printf(&options[n], "%%%u", s->slurm->array_limit);
    pn_text_printf(&options[++n], "--output=%s/slurm/%%A-%%a.out", s->folder);
    pn_text_printf(&options[++n], "--cpus-per-task=%u", s->slurm->workers);
    n++;
    if (s->slurm->partition)
        pn_text_printf(&options[n++], "--partition=%s", s->slurm->partition);
    if (j->before[0])
        pn_text_printf(&options[n++], "--dependency=afterany:%s", j->before);
    pn_text_printf(&options[n++], "%s/slurm/task.sh", s->folder);
    pn_text_printf(&options[n++], "%" PRIu64, j->first);
    bool failed = false;
    for (size_t i = 0; i < n; i++) {
        failed |= options[i].failed;
        argv[i + 1] = options[i].data;
    }
    panem_status status =
        failed ? pn_err(err, PANEM_E_NOMEM, "out of memory") : ask(argv, &answer, false, err);
    if (status == PANEM_OK)
        status = take_number(j, &answer, err);
    for (size_t i = 0; i < n; i++)
        pn_text_release(&options[i]);
    pn_text_release(&answer);
    return status;
}

/* Each job is written down as soon as it is known. */
static panem_status submit_jobs(submission *s, panem_error *err)
{
    job j = {.first = 0};
    for (; j.first < s->tasks; j.first += j.tasks) {
        j.tasks = s->tasks - j.first;
        if (j.tasks > s->slurm->tasks_per_job)
            j.tasks = s->slurm->tasks_per_job;
        PN_TRY(submit_job(s, &j, err));
        if (s->slurm->array_limit)
            memcpy(j.before, j.number, sizeof j.before);
        pn_text_printf(&s->jobs, "%s\n", j.number);
        PN_TRY(write_in(s, "jobs", &s->jobs, err));
        printf("job %s: %" PRIu64 " tasks\n", j.number, j.tasks);
    }
    return PANEM_OK;
}

static panem_status none_queued(const char *folder, panem_error *err)
{
    pn_slurm_queue queue;
    pn_slurm_look(&queue, folder);
    if (queue.running + queue.waiting == 0)
        return PANEM_OK;
    return pn_err_at(err, PANEM_E_IO, folder, 0, 0,
                     "%" PRIu64 " tasks of job %s are not over; wait for them, or scancel %s",
                     queue.running + queue.waiting, queue.jobs, queue.jobs);
}

static panem_status name_files(submission *s, const char *study, const char *folder,
                               panem_error *err)
{
    char self[PATH_LIMIT];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    s->panem = n > 0 ? strdup(self) : NULL;
    s->study = realpath(study, NULL);
    s->folder = realpath(folder, NULL);
    return s->panem && s->study && s->folder
               ? PANEM_OK
               : pn_err(err, PANEM_E_IO, "cannot tell where the program and its files are");
}

/* For a shell, with quotes only where they are needed. */
static void print_word(const char *word)
{
    pn_text quoted = PN_TEXT_INIT;
    put_quoted(&quoted, word);
    bool plain = !strpbrk(word, " \t\n'\"\\$`*?[]{}()<>|&;!#~");
    fputs(plain || quoted.failed ? word : quoted.data, stdout);
    pn_text_release(&quoted);
}

static panem_status submit_all(submission *s, pn_sweep *sweep, const char *folder, panem_error *err)
{
    PN_TRY(name_files(s, sweep->study.path, folder, err));
    PN_TRY(none_queued(s->folder, err));
    PN_TRY(list_points(s, sweep, err));
    if (s->n_points == 0) {
        puts("nothing is to run");
        return PANEM_OK;
    }
    PN_TRY(write_in(s, "points", &s->points, err));
    PN_TRY(write_script(s, err));
    PN_TRY(submit_jobs(s, err));
    printf("%" PRIu64 " points in %" PRIu64 " tasks\nhow far they are: panem sweep status ",
           s->n_points, s->tasks);
    print_word(folder);
    fputs("\nwhen they are over: panem sweep merge ", stdout);
    print_word(sweep->study.path);
    fputs(" -o ", stdout);
    print_word(folder);
    putchar('\n');
    return PANEM_OK;
}

panem_status pn_slurm_submit(const pn_slurm *slurm, pn_sweep *sweep, const char *folder,
                             panem_error *err)
{
    submission s = {.slurm = slurm};
    panem_status status = submit_all(&s, sweep, folder, err);
    free(s.panem);
    free(s.study);
    free(s.folder);
    pn_text_release(&s.points);
    pn_text_release(&s.jobs);
    return status;
}
