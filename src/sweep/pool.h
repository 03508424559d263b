/* pool.h - worker processes that work on numbered jobs, and a parent that outlives any of them.
 *
 * Workers are forked once and asked for one job after the other through a pipe; the parent alone
 * keeps results. A worker that dies or is over its time is replaced and its job given out again,
 * up to a number of attempts. Workers end with their parent, however it ends. */
#ifndef PN_SWEEP_POOL_H
#define PN_SWEEP_POOL_H

#include <signal.h>
#include <stdbool.h>

#include "base/err.h"

typedef struct pn_pool_answer {
    panem_status status; /* of the work; E_IO when the worker died each time */
    char message[600];   /* file, line and text of a failure */
    double seconds;      /* host time of the last attempt */
    uint32_t attempts;
} pn_pool_answer;

typedef struct pn_pool_config {
    uint32_t workers;
    uint32_t attempts_max; /* of a job whose worker dies; >= 1 */
    double timeout_s;      /* a job that takes longer loses its worker; 0: none */
    size_t result_bytes;
    void *user;
    /* In a worker; result has result_bytes and is zeroed. */
    panem_status (*work)(void *user, size_t job, void *result, panem_error *err);
    /* In the parent: the next job; false when there is none. */
    bool (*next)(void *user, size_t *job);
    /* In the parent: a job is over. A failure here ends the pool. */
    panem_status (*finished)(void *user, size_t job, const pn_pool_answer *answer,
                             const void *result, panem_error *err);
    void (*tick)(void *user);          /* several times a second; may be NULL */
    const volatile sig_atomic_t *stop; /* set: hand out nothing more, end the workers; or NULL */
} pn_pool_config;

/* Until every job is over or stop is set. E_NOMEM, E_IO, and what finished returned. */
panem_status pn_pool_run(const pn_pool_config *config, panem_error *err);

#endif
