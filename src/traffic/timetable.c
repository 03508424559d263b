/* timetable.c - see timetable.h. */
#include "traffic/timetable.h"

#include <stdlib.h>

#include "base/err.h"

static const int64_t ONE_Q32 = INT64_C(1) << 32;

static int64_t to_q32(double share)
{
    return (int64_t)(share * (double)ONE_Q32 + 0.5);
}

void pn_timetable_init(pn_timetable *t, double read_frac, double chase_share, uint64_t seed)
{
    *t = (pn_timetable){.read_frac = read_frac, .chase_share = chase_share};
    pn_rng_init(&t->gaps, seed, 0);
}

void pn_timetable_release(pn_timetable *t)
{
    free(t->arrivals);
    t->arrivals = NULL;
    t->count = t->capacity = 0;
}

static panem_status reserve(pn_timetable *t, panem_error *err)
{
    enum { FIRST = 4096 };
    if (t->count < t->capacity)
        return PANEM_OK;
    size_t capacity = t->capacity ? 2 * t->capacity : FIRST;
    pn_chase_arrival *grown = realloc(t->arrivals, capacity * sizeof *grown);
    if (!grown)
        return pn_err(err, PANEM_E_NOMEM, "no memory for %zu arrivals", capacity);
    t->arrivals = grown;
    t->capacity = capacity;
    return PANEM_OK;
}

/* The kind that keeps both shares; a chase is a read the rest need not hold. */
static pn_chase_arrival next_of(pn_timetable *t, uint64_t time_ps)
{
    pn_chase_arrival a = {time_ps, PANEM_WRITE, false};
    t->mix_q32 += to_q32(t->read_frac);
    t->chase_q32 += to_q32(t->chase_share);
    if (t->chase_q32 >= ONE_Q32) {
        t->chase_q32 -= ONE_Q32;
        a.chase = true;
    }
    if (a.chase || t->mix_q32 >= ONE_Q32) {
        t->mix_q32 -= ONE_Q32;
        a.kind = PANEM_READ;
    }
    return a;
}

panem_status pn_timetable_add(pn_timetable *t, uint64_t from_ps, uint64_t to_ps, double gap_ps,
                              panem_error *err)
{
    const uint64_t gap_q8 = (uint64_t)(gap_ps * 256.0 + 0.5);
    if (gap_q8 == 0)
        return PANEM_OK;
    uint64_t at_q8 = from_ps << 8;
    while ((at_q8 += pn_rng_exp(&t->gaps, gap_q8)) < to_ps << 8) {
        PN_TRY(reserve(t, err));
        t->arrivals[t->count++] = next_of(t, at_q8 >> 8);
    }
    return PANEM_OK;
}
