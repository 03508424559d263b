/* stat.c - see stat.h. */
#include "base/stat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pn_batch_init(pn_batch_mean *b, uint64_t first_size)
{
    memset(b, 0, sizeof *b);
    b->size = first_size ? first_size : 1;
}

static void merge_neighbours(pn_batch_mean *b)
{
    for (size_t i = 0; i < PN_BATCHES / 2; i++)
        b->sums[i] = b->sums[2 * i] + b->sums[2 * i + 1];
    b->full = PN_BATCHES / 2;
    b->size *= 2;
}

void pn_batch_add(pn_batch_mean *b, double value)
{
    b->open_sum += value;
    b->total_sum += value;
    b->total++;
    if (++b->in_batch < b->size)
        return;
    b->sums[b->full++] = b->open_sum;
    b->open_sum = 0.0;
    b->in_batch = 0;
    if (b->full == PN_BATCHES)
        merge_neighbours(b);
}

double pn_batch_mean_value(const pn_batch_mean *b)
{
    return b->total ? b->total_sum / (double)b->total : (double)NAN;
}

enum { BATCHES_MIN = 16 };

static double mean_of_sums(const pn_batch_mean *b)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < b->full; i++)
        sum += b->sums[i];
    return sum / b->full;
}

double pn_batch_relative_error(const pn_batch_mean *b)
{
    if (b->full < BATCHES_MIN)
        return (double)INFINITY;
    double mean = mean_of_sums(b);
    double squares = 0.0;
    for (uint32_t i = 0; i < b->full; i++)
        squares += (b->sums[i] - mean) * (b->sums[i] - mean);
    if (mean == 0.0)
        return (double)INFINITY;
    return sqrt(squares / (b->full - 1) / b->full) / fabs(mean);
}

double pn_batch_lag1(const pn_batch_mean *b)
{
    if (b->full < BATCHES_MIN)
        return 0.0;
    double mean = mean_of_sums(b);
    double squares = 0.0;
    double products = 0.0;
    for (uint32_t i = 0; i < b->full; i++) {
        double d = b->sums[i] - mean;
        squares += d * d;
        if (i > 0)
            products += d * (b->sums[i - 1] - mean);
    }
    return squares > 0.0 ? products / squares : 0.0;
}

/* Values below 1024 have a bucket each; above, each power of two has 1024. */
enum { SUB_BITS = 10, SUB = 1 << SUB_BITS, TOP_BIT = 44, BUCKETS = SUB * (TOP_BIT - SUB_BITS + 2) };

struct pn_hist {
    uint64_t count;
    uint64_t buckets[BUCKETS];
};

panem_status pn_hist_create(pn_hist **hist, panem_error *err)
{
    pn_hist *h = calloc(1, sizeof *h);
    if (!h)
        return pn_err(err, PANEM_E_NOMEM, "no memory for a histogram");
    *hist = h;
    return PANEM_OK;
}

void pn_hist_destroy(pn_hist *hist)
{
    free(hist);
}

void pn_hist_clear(pn_hist *hist)
{
    memset(hist, 0, sizeof *hist);
}

static uint32_t bucket_of(uint64_t value)
{
    if (value < SUB)
        return (uint32_t)value;
    if (value >> (TOP_BIT + 1))
        return BUCKETS - 1;
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(value) - SUB_BITS;
    return (shift + 1) * SUB + (uint32_t)((value >> shift) - SUB);
}

static double middle_of(uint32_t bucket)
{
    if (bucket < SUB)
        return bucket;
    uint32_t shift = bucket / SUB - 1;
    double low = (double)((uint64_t)(bucket % SUB + SUB) << shift);
    return low + ((double)(UINT64_C(1) << shift) - 1.0) / 2.0;
}

void pn_hist_add(pn_hist *hist, uint64_t value)
{
    hist->count++;
    hist->buckets[bucket_of(value)]++;
}

double pn_hist_quantile(const pn_hist *hist, double fraction)
{
    if (hist->count == 0)
        return (double)NAN;
    double rank = fraction * (double)hist->count;
    double seen = 0.0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        if (!hist->buckets[i])
            continue;
        last = i;
        seen += (double)hist->buckets[i];
        if (seen >= rank)
            break;
    }
    return middle_of(last);
}

uint64_t pn_hist_count(const pn_hist *hist)
{
    return hist->count;
}
