/* pool.c - see pool.h. */
#include "sweep/pool.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100 };

typedef struct worker {
    pid_t pid; /* 0: there is none */
    int ask, answer;
    bool busy;
    size_t job;
    uint32_t attempts;
    double since_s;
} worker;

typedef struct again {
    size_t job;
    uint32_t attempts;
} again;

typedef struct pool {
    const pn_pool_config *config;
    worker *workers;
    struct pollfd *fds;
    void *result;
    again *again; /* jobs whose worker died, to be given out again */
    size_t n_again;
    panem_error *err;
} pool;

static double now_s(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool write_all(int fd, const void *data, size_t length)
{
    const char *at = data;
    while (length > 0) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        length -= (size_t)n;
    }
    return true;
}

static bool read_all(int fd, void *data, size_t length)
{
    char *at = data;
    while (length > 0) {
        ssize_t n = read(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        length -= (size_t)n;
    }
    return true;
}

/* ---- in a worker ----------------------------------------------------------------------------- */

static void do_job(const pool *p, size_t job, pn_pool_answer *answer)
{
    panem_error err = PANEM_ERROR_INIT;
    double start = now_s();
    memset(p->result, 0, p->config->result_bytes);
    memset(answer, 0, sizeof *answer);
    answer->status = p->config->work(p->config->user, job, p->result, &err);
    answer->seconds = now_s() - start;
    if (answer->status == PANEM_OK)
        return;
    if (err.line)
        (void)snprintf(answer->message, sizeof answer->message, "%s:%u: %s", err.file, err.line,
                       err.message);
    else
        (void)snprintf(answer->message, sizeof answer->message, "%s%s%s", err.file,
                       err.file[0] ? ": " : "", err.message);
}

static void serve(const pool *p, int ask, int answer)
{
    size_t job;
    pn_pool_answer a;
    while (read_all(ask, &job, sizeof job)) {
        do_job(p, job, &a);
        if (!write_all(answer, &a, sizeof a) ||
            !write_all(answer, p->result, p->config->result_bytes))
            return;
    }
}

static void become_worker(const pool *p, pid_t parent, int ask, int answer)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)signal(SIGINT, SIG_IGN); /* the parent decides */
    (void)signal(SIGTERM, SIG_DFL);
    if (getppid() != parent)
        _exit(1); /* it died before the line above */
    for (uint32_t i = 0; i < p->config->workers; i++) {
        if (p->workers[i].pid > 0) {
            (void)close(p->workers[i].ask);
            (void)close(p->workers[i].answer);
        }
    }
    serve(p, ask, answer);
    _exit(0);
}

/* ---- in the parent --------------------------------------------------------------------------- */

static panem_status start(pool *p, worker *w)
{
    int ask[2], answer[2];
    pid_t parent = getpid();
    if (pipe(ask) != 0)
        return pn_err(p->err, PANEM_E_IO, "cannot make a pipe: %s", strerror(errno));
    if (pipe(answer) != 0) {
        (void)close(ask[0]);
        (void)close(ask[1]);
        return pn_err(p->err, PANEM_E_IO, "cannot make a pipe: %s", strerror(errno));
    }
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(ask[1]);
        (void)close(answer[0]);
        become_worker(p, parent, ask[0], answer[1]);
    }
    (void)close(ask[0]);
    (void)close(answer[1]);
    *w = (worker){.pid = pid, .ask = ask[1], .answer = answer[0]};
    if (pid > 0)
        return PANEM_OK;
    (void)close(w->ask);
    (void)close(w->answer);
    w->pid = 0;
    return pn_err(p->err, PANEM_E_IO, "cannot start a worker: %s", strerror(errno));
}

static void end(worker *w, bool at_once)
{
    if (w->pid <= 0)
        return;
    (void)close(w->ask);
    (void)close(w->answer);
    if (at_once)
        (void)kill(w->pid, SIGKILL);
    (void)waitpid(w->pid, NULL, 0);
    w->pid = 0;
}

static bool stopped(const pool *p)
{
    return p->config->stop && *p->config->stop;
}

/* The next job for a worker: one to be tried again first. */
static bool take_job(pool *p, worker *w)
{
    if (stopped(p))
        return false;
    if (p->n_again > 0) {
        again a = p->again[--p->n_again];
        w->job = a.job;
        w->attempts = a.attempts + 1;
        return true;
    }
    w->attempts = 1;
    return p->config->next(p->config->user, &w->job);
}

static panem_status give_job(pool *p, worker *w)
{
    if (!take_job(p, w))
        return PANEM_OK;
    w->busy = true;
    w->since_s = now_s();
    (void)write_all(w->ask, &w->job, sizeof w->job); /* a dead worker shows when it is polled */
    return PANEM_OK;
}

static panem_status lost(pool *p, worker *w, const char *why)
{
    pn_pool_answer a = {
        .status = PANEM_E_IO, .seconds = now_s() - w->since_s, .attempts = w->attempts};
    size_t job = w->job;
    bool busy = w->busy;
    end(w, true);
    PN_TRY(start(p, w));
    if (!busy)
        return PANEM_OK;
    if (a.attempts < p->config->attempts_max) {
        p->again[p->n_again++] = (again){job, a.attempts};
        return PANEM_OK;
    }
    (void)snprintf(a.message, sizeof a.message, "%s, %u times", why, a.attempts);
    return p->config->finished(p->config->user, job, &a, p->result, p->err);
}

static panem_status take_answer(pool *p, worker *w)
{
    pn_pool_answer a;
    if (!read_all(w->answer, &a, sizeof a) ||
        !read_all(w->answer, p->result, p->config->result_bytes))
        return lost(p, w, "the worker died");
    a.attempts = w->attempts;
    w->busy = false;
    return p->config->finished(p->config->user, w->job, &a, p->result, p->err);
}

static bool any_busy(const pool *p)
{
    for (uint32_t i = 0; i < p->config->workers; i++) {
        if (p->workers[i].busy)
            return true;
    }
    return p->n_again > 0 && !stopped(p);
}

static panem_status look_at_all(pool *p)
{
    uint32_t n = p->config->workers;
    for (uint32_t i = 0; i < n; i++)
        p->fds[i] = (struct pollfd){p->workers[i].answer, POLLIN, 0};
    if (poll(p->fds, n, TICK_MS) < 0 && errno != EINTR)
        return pn_err(p->err, PANEM_E_IO, "cannot wait for the workers: %s", strerror(errno));
    for (uint32_t i = 0; i < n; i++) {
        worker *w = &p->workers[i];
        if (p->fds[i].revents & (POLLIN | POLLHUP | POLLERR))
            PN_TRY(w->busy ? take_answer(p, w) : lost(p, w, "the worker died"));
        else if (w->busy && p->config->timeout_s > 0.0 &&
                 now_s() - w->since_s > p->config->timeout_s)
            PN_TRY(lost(p, w, "the point was over its time"));
    }
    return PANEM_OK;
}

static panem_status loop(pool *p)
{
    for (;;) {
        for (uint32_t i = 0; i < p->config->workers; i++) {
            if (!p->workers[i].busy)
                PN_TRY(give_job(p, &p->workers[i]));
        }
        if (stopped(p) || !any_busy(p))
            return PANEM_OK;
        PN_TRY(look_at_all(p));
        if (p->config->tick)
            p->config->tick(p->config->user);
    }
}

panem_status pn_pool_run(const pn_pool_config *config, panem_error *err)
{
    pool p = {.config = config, .err = err};
    p.workers = calloc(config->workers, sizeof *p.workers);
    p.fds = calloc(config->workers, sizeof *p.fds);
    p.again = calloc(config->workers, sizeof *p.again);
    p.result = calloc(1, config->result_bytes ? config->result_bytes : 1);
    panem_status status = PANEM_OK;
    void (*pipe_action)(int) = signal(SIGPIPE, SIG_IGN);
    if (!p.workers || !p.fds || !p.again || !p.result)
        status = pn_err(err, PANEM_E_NOMEM, "no memory for %u workers", config->workers);
    for (uint32_t i = 0; status == PANEM_OK && i < config->workers; i++)
        status = start(&p, &p.workers[i]);
    if (status == PANEM_OK)
        status = loop(&p);
    for (uint32_t i = 0; p.workers && i < config->workers; i++)
        end(&p.workers[i], status != PANEM_OK || stopped(&p));
    (void)signal(SIGPIPE, pipe_action);
    free(p.workers);
    free(p.fds);
    free(p.again);
    free(p.result);
    return status;
}
