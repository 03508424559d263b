/* stat.h - running statistics: mean with its standard error by batch means, and percentiles from a
 * log-linear histogram. No libm but sqrt. Not part of libpanem. */
#ifndef PN_BASE_STAT_H
#define PN_BASE_STAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Batch means (Law and Kelton): observations are grouped into at most PN_BATCHES batches of equal
 * size; when all are full, neighbours are merged and the size doubles. The standard error of the
 * mean is that of the batch means, honest once batches are longer than the correlation. */
enum { PN_BATCHES = 64 };

typedef struct pn_batch_mean {
    double sums[PN_BATCHES];
    uint32_t full;     /* complete batches */
    uint64_t size;     /* observations per batch */
    uint64_t in_batch; /* in the open one */
    double open_sum;
    double total_sum;
    uint64_t total;
} pn_batch_mean;

/* first_size >= 1: observations per batch to begin with. */
void pn_batch_init(pn_batch_mean *b, uint64_t first_size);
void pn_batch_add(pn_batch_mean *b, double value);
/* NaN when nothing was added. */
double pn_batch_mean_value(const pn_batch_mean *b);
/* Relative standard error of the mean; infinity below 16 full batches or with a zero mean. */
double pn_batch_relative_error(const pn_batch_mean *b);
/* Correlation of neighbouring batch means, -1..1; 0 below 16 full batches. */
double pn_batch_lag1(const pn_batch_mean *b);

/* Values 0 .. 2^44 in buckets of at most 1/1024 relative width. */
typedef struct pn_hist pn_hist;

panem_status pn_hist_create(pn_hist **hist, panem_error *err);
void pn_hist_destroy(pn_hist *hist);
void pn_hist_clear(pn_hist *hist);
void pn_hist_add(pn_hist *hist, uint64_t value);
/* The value below which a fraction of the observations lies, to 1/2048; NaN when empty. */
double pn_hist_quantile(const pn_hist *hist, double fraction);
uint64_t pn_hist_count(const pn_hist *hist);

#endif
