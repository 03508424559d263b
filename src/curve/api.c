/* api.c - the public curve-set functions of panem.h over raw, csv, build and relation. */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "curve/csv.h"
#include "curve/relation.h"

panem_status panem_curves_create(panem_curves **set, const panem_point *points, size_t count,
                                 const panem_curves_options *options, panem_error *err)
{
    pn_rawset raw;
    pn_rawset_init(&raw, options ? options->allocator : NULL);
    panem_status status = PANEM_OK;
    for (size_t i = 0; i < count && status == PANEM_OK; i++) {
        pn_raw_point p = {points[i].read_frac,  points[i].bandwidth_gbs,
                          points[i].latency_ns, (double)NAN,
                          (double)NAN,          0,
                          (uint32_t)(i + 1)};
        status = pn_rawset_add(&raw, &p, err);
    }
    if (status == PANEM_OK)
        status = pn_curves_build(set, &raw, options, err);
    pn_rawset_release(&raw);
    return status;
}

panem_status panem_curves_parse(panem_curves **set, const char *text, size_t length,
                                const char *name, const panem_curves_options *options,
                                panem_error *err)
{
    pn_rawset raw;
    pn_rawset_init(&raw, options ? options->allocator : NULL);
    panem_status status = pn_csv_parse(&raw, text, length, name, err);
    if (status == PANEM_OK)
        status = pn_curves_build(set, &raw, options, err);
    pn_rawset_release(&raw);
    return status;
}

panem_status panem_curves_load(panem_curves **set, const char *path,
                               const panem_curves_options *options, panem_error *err)
{
    pn_rawset raw;
    pn_rawset_init(&raw, options ? options->allocator : NULL);
    panem_status status = pn_csv_load(&raw, path, err);
    if (status == PANEM_OK)
        status = pn_curves_build(set, &raw, options, err);
    pn_rawset_release(&raw);
    return status;
}

uint32_t panem_curves_count(const panem_curves *set)
{
    return set->count;
}

panem_status panem_curves_info(const panem_curves *set, panem_curve_info *info, uint32_t index)
{
    if (index >= set->count)
        return PANEM_E_RANGE;
    const pn_curve *c = &set->curves[index];
    *info = (panem_curve_info){c->read_frac,
                               c->raw_points,
                               c->kept,
                               c->latency[0],
                               c->peak_gbs,
                               c->last_gbs,
                               c->slope[c->kept - 1] * c->peak_gbs};
    return PANEM_OK;
}

panem_status panem_curves_kept(const panem_curves *set, double *outstanding_bytes,
                               double *latency_ns, uint32_t index, uint32_t i)
{
    if (index >= set->count || i >= set->curves[index].kept)
        return PANEM_E_RANGE;
    *outstanding_bytes = set->curves[index].n[i];
    *latency_ns = set->curves[index].latency[i];
    return PANEM_OK;
}

const char *panem_curves_meta(const panem_curves *set, const char *key)
{
    for (uint32_t i = 0; i < set->meta_count; i++)
        if (strcmp(set->meta[i].key, key) == 0)
            return set->meta[i].value;
    return NULL;
}

uint64_t panem_curves_fingerprint(const panem_curves *set)
{
    return set->fingerprint;
}

/* ns to the nearest ps; saturates far beyond any physical latency. */
static uint64_t to_ps(double ns)
{
    double ps = ns * 1000.0 + 0.5;
    return ps < 4e18 ? (uint64_t)ps : UINT64_C(4000000000000000000);
}

uint64_t panem_latency_ps(const panem_curves *set, const panem_relation *relation,
                          double outstanding_bytes, double read_frac)
{
    const panem_relation ours = {PANEM_BEYOND_CAPPED, PANEM_MIX_LINEAR};
    return to_ps(pn_relation_latency_ns(set, relation ? *relation : ours, outstanding_bytes,
                                        read_frac, NULL));
}

double panem_peak_bytes_per_s(const panem_curves *set, panem_mix mix, double read_frac)
{
    return pn_relation_row(set, mix, read_frac).peak_gbs * 1e9;
}

uint64_t panem_idle_ps(const panem_curves *set, panem_mix mix, double read_frac)
{
    const panem_relation relation = {PANEM_BEYOND_CAPPED, mix};
    return to_ps(pn_relation_latency_ns(set, relation, 0.0, read_frac, NULL));
}

panem_status panem_latency_at_bandwidth_ps(const panem_curves *set, uint64_t *latency_ps,
                                           double *outstanding_bytes, panem_mix mix,
                                           double bandwidth_bytes_per_s, double read_frac)
{
    double n;
    double latency_ns;
    if (!pn_relation_invert(set, mix, bandwidth_bytes_per_s / 1e9, read_frac, &n, &latency_ns))
        return PANEM_E_RANGE;
    *latency_ps = to_ps(latency_ns);
    if (outstanding_bytes)
        *outstanding_bytes = n;
    return PANEM_OK;
}
