/* judge.h - models against the cycle-level DRAM reference, window by window: the measuring half of
 * `panem judge`.
 *
 * Like with like. A traffic is a timetable of arrivals: the same instants and kinds for the
 * reference and for every model, placed on the reference as `panem characterize` places them (same
 * shares of streams, random lines and chases, same queues before the channels). What is judged is
 * the latency of reads of random lines, chases among them, from when they were asked, averaged by
 * the 520 ns window in which they were asked.
 *
 * Truth. A model cannot know which rows the lines lie in, nor where a refresh falls. So the
 * reference runs several times with the same arrivals, each time with other addresses and its
 * refreshes elsewhere, and the truth of a window is the mean over these runs. Two rows say what is
 * left of that noise: `one run` is the error of the reference's first run against the mean of the
 * others (what chance alone does to one window), `truth` half the distance between the means of the
 * odd and the even runs (how well the truth is known: no model can be seen to be better). */
#ifndef PN_CLI_JUDGE_H
#define PN_CLI_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "dram/dram.h"
#include "panem.h"

enum { PN_JUDGE_RUNS_MIN = 2, PN_JUDGE_RUNS_MAX = 64 };
#define PN_JUDGE_WINDOW_PS UINT64_C(520000)

typedef struct pn_judge_config {
    const panem_curves *set;
    const char *truth_name;
    const pn_dram_config *dram; /* NULL: the truth is the curve at the load of the moment */
    double read_frac;
    double random_share; /* of the load, without the chases */
    double fabric_ns;    /* added to the reference's latency */
    uint64_t length_ps;
    uint32_t runs; /* of the reference */
    uint64_t seed;
} pn_judge_config;

/* Errors relative to the truth; low and high: the halves of a phase, NaN where there are none. */
typedef struct pn_judge_verdict {
    size_t windows;
    double mean_abs, rms, bias, low_bias, high_bias;
    double truth_ns, model_ns; /* means over windows */
} pn_judge_verdict;

typedef struct pn_judge_truth pn_judge_truth;

size_t pn_judge_traffic_count(void);
const char *pn_judge_traffic_name(size_t traffic);
/* True when loads last, so that the curve's answer to them is a truth too. */
bool pn_judge_traffic_is_static(size_t traffic);
/* Shortest length with which a traffic says something. */
uint64_t pn_judge_traffic_min_ps(size_t traffic);

/* Makes the arrivals of a traffic and runs the reference on them. config is borrowed. */
panem_status pn_judge_truth_create(pn_judge_truth **truth, const pn_judge_config *config,
                                   size_t traffic, panem_error *err);
void pn_judge_truth_destroy(pn_judge_truth *truth);
void pn_judge_one_run(pn_judge_verdict *verdict, const pn_judge_truth *truth);
void pn_judge_halves(pn_judge_verdict *verdict, const pn_judge_truth *truth);
/* model as for `panem traffic --model`. */
panem_status pn_judge_model(pn_judge_verdict *verdict, const pn_judge_truth *truth,
                            const char *model, panem_error *err);

#endif
