/* slurm.h - the points of a sweep as array tasks of a Slurm cluster.
 *
 * A submission writes DIR/slurm: points (the keys that are to run), task.sh (what every task does:
 * `panem sweep run --shard I/N --list`), jobs (numbers of the jobs), and one .out per task. Tasks
 * write shards, which `panem sweep merge` takes over. Only sbatch and squeue are talked to. */
#ifndef PN_CLI_SLURM_H
#define PN_CLI_SLURM_H

#include "cli/sweep.h"

typedef struct pn_slurm {
    const char *partition;    /* NULL: the cluster's default */
    uint32_t points_per_task; /* 0: as many as make TASKS_WANTED tasks */
    uint32_t tasks_per_job;   /* more tasks make more jobs */
    uint32_t array_limit;     /* tasks at the same time; 0: no limit */
    uint32_t workers;         /* processes, and processors, of one task */
    double timeout_s;         /* of a point; 0: none */
    bool retry;
} pn_slurm;

/* Submits what the sweep has to run, and says so on stdout. E_IO when sbatch is not there, fails,
 * or an earlier submission is not over. */
panem_status pn_slurm_submit(const pn_slurm *slurm, pn_sweep *sweep, const char *folder,
                             panem_error *err);

/* Tasks of the last submission that are not over. */
typedef struct pn_slurm_queue {
    bool submitted, asked; /* asked: squeue answered */
    char jobs[400];        /* their numbers, blanks between */
    uint64_t running, waiting;
} pn_slurm_queue;
void pn_slurm_look(pn_slurm_queue *queue, const char *folder);

#endif
