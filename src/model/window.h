/* window.h - the state of the PANEM kind. Internal to src/model: window.c takes requests,
 * window_close.c closes windows, window_save.c writes the state down. */
#ifndef PN_MODEL_WINDOW_H
#define PN_MODEL_WINDOW_H

#include "base/wide.h"
#include "curve/relation.h"
#include "model/model.h"

#define PN_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define PN_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

enum { PN_LINE_BYTES = 64 };

/* Whether the open window is looked into (equation 18): not at all, once enough has arrived, or
 * after every part. */
typedef enum pn_looking { PN_LOOK_NEVER, PN_LOOK_WAITING, PN_LOOK_PARTS } pn_looking;

/* Off the common path, so that it needs few registers. */
#define PN_NEVER_INLINE __attribute__((noinline))

/* Bounds that keep relative times and the guard clock inside 64 bits. */
#define PN_SPAN_MAX_PS (UINT64_C(1) << 45) /* of the ring, and of any latency: 35 s */
enum { PN_GUARD_BITS = 16 };               /* fraction bits of the guard clock */

/* Completions that fall into one window of the ring, by access kind. Areas in halves: a wide number
 * that is put together in memory is slow to read back, and often the low half is all of it. */
typedef struct pn_slot {
    uint64_t tail_low[2]; /* byte x ps from the completions to the window's end */
    uint64_t tail_high[2];
    uint64_t done[2]; /* bytes completed */
} pn_slot;

static inline pn_u128 pn_slot_tail(const pn_slot *s, int kind)
{
    return (pn_u128)s->tail_high[kind] << 64 | s->tail_low[kind];
}

static inline void pn_slot_add(pn_slot *s, int kind, pn_u128 tail, uint64_t done)
{
    tail += pn_slot_tail(s, kind);
    s->tail_low[kind] = (uint64_t)tail;
    s->tail_high[kind] = (uint64_t)(tail >> 64);
    s->done[kind] += done;
}

/* Arrivals that fall into a later window than the open one: horizon mode only. */
typedef struct pn_ahead {
    pn_u128 head[2];     /* byte x ps from the arrivals to the window's end */
    uint64_t arrived[2]; /* bytes */
} pn_ahead;

/* A closed window of the sliding average, or the sum of several. */
typedef struct pn_closed {
    uint64_t area_low[2];
    uint64_t area_high[2];
    uint64_t done[2];
} pn_closed;

static inline pn_u128 pn_closed_area(const pn_closed *c, int kind)
{
    return (pn_u128)c->area_high[kind] << 64 | c->area_low[kind];
}

static inline void pn_closed_set(pn_closed *c, int kind, pn_u128 area, uint64_t done)
{
    c->area_low[kind] = (uint64_t)area;
    c->area_high[kind] = (uint64_t)(area >> 64);
    c->done[kind] = done;
}

static inline double pn_closed_double(const pn_closed *c, int kind)
{
    return pn_halves_to_double(c->area_low[kind], c->area_high[kind]);
}

/* The common request arrives in the open window and takes just the present latency, a number of
 * whole windows and a rest: it completes in one of two windows. Group 2 x (0 or 1) + kind holds the
 * sums of such requests until the window closes. */
enum { PN_GROUPS = 4 };

typedef struct pn_window_model {
    panem_model base;

    /* --- fixed by the options --- */
    uint64_t window_ps;
    uint64_t inverse;         /* floor(2^64 / window_ps) */
    uint64_t mask;            /* ring_windows - 1 */
    uint64_t small_bytes;     /* so many bytes for a whole window are below 2^63 byte x ps */
    uint64_t ack_mask[2];     /* by kind: which bits of the latency delay the ack: all or none */
    panem_guard guard;        /* off unless sharers is 1 */
    double cbusy_bound[2][3]; /* fractions from which level i + 1 holds: entered, kept */
    double light;             /* at less than this x n_light the level is 0 */
    double scale;             /* sharers / (windows x window_ps) */
    uint32_t looks;           /* parts of a window; 1: it is not looked into */
    uint64_t part_ps;         /* length of all parts but the last, which takes the rest */
    double long_memory_ps;    /* the time the rate is averaged over, at most ... */
    double short_memory_ps;   /* ... and after a jump, if that is shorter */
    double look_bytes;   /* outstanding from which a window is looked into from its start ... */
    uint64_t wake_bytes; /* ... and arrived in it so that it is looked into from there */
    pn_slot *slots;      /* ring_windows of them */
    pn_ahead *ahead;     /* ring_windows of them, or NULL in ordered mode */
    pn_closed *history;  /* options.windows of them */

    /* --- derived from what is saved --- */
    uint64_t start_ps;        /* of the open window */
    uint64_t open_ps;         /* arrivals below start + open are common; less than the window at the
                                 end of time, 0 when the ring may be too short */
    uint64_t latency_windows; /* latency = windows x window_ps + rest */
    uint64_t latency_rest_ps;
    uint64_t across_ps; /* what arrives from here on completes a window later: window - rest */
    int64_t guard_step; /* ps x 2^16 per byte at the peak */
    int64_t guard_lead; /* ps x 2^16 from an arrival to the earliest clock it can meet */
    int64_t guard_late; /* ps x 2^16 by which a clock is ahead of the arrival it first delays */
    double per_memory;  /* 1 / memory_ps */
    uint64_t look_ps;   /* what arrives from here on is preceded by a look; UINT64_MAX: none */
    int64_t room_bytes; /* arrivals left before a look is due, or before a moment may wrap */
    pn_slot *slot;      /* the open window's: slots[index & mask] */
    uint64_t full_ps;   /* a window that starts here or before ends at a legal time */
    pn_closed *sum;     /* over history: total, or the one entry itself */
    pn_closed total;
    pn_relation_hint hint; /* guesses: no effect on results */

    /* --- saved --- */
    uint64_t index;      /* of the open window: it starts at index x window_ps */
    uint64_t latency_ps; /* charged now */
    int64_t guard_clock; /* ps x 2^16 from start_ps; -2^61 and less are never */
    uint64_t group_bytes[PN_GROUPS];
    uint64_t group_moment[PN_GROUPS]; /* sum of bytes x (arrival - start), ps ... */
    pn_u128 group_wide[PN_GROUPS];    /* ... and the part of it folded away */
    uint64_t requests[2];             /* accepted since reset */
    uint64_t priced[2];               /* of them, those whose latency is in latency_sum */
    uint64_t folded;                  /* of the open window, those priced before its end */
    double guard_mix[2];              /* decaying averages of outstanding reads and writes */
    uint64_t guard_added_ps;          /* by the guard, to requests not priced */
    pn_u128 head[2];         /* byte x ps from the open window's other arrivals to its end */
    uint64_t arrived[2];     /* their bytes */
    uint64_t carry[2];       /* bytes in flight when the open window began */
    uint64_t bytes[2];       /* arrived in closed windows */
    uint64_t bytes_ahead[2]; /* arrived in windows after the open one: horizon mode */
    uint32_t history_at;     /* entry the next closed window replaces */
    uint32_t cbusy;
    bool quiet; /* at the last close nothing was averaged, in flight or to come */
    double outstanding_bytes;
    double read_frac;
    double rate;              /* of arrivals, bytes per ps: a decaying average */
    double memory_ps;         /* over so much time */
    uint64_t seen_bytes;      /* arrived in the open window up to the last look */
    uint32_t looked;          /* parts of the open window that were over then */
    pn_looking looking;       /* into the open window */
    uint64_t returned_ps;     /* what equation 17 takes off latencies in the open window */
    pn_halves latency_sum[2]; /* ps, over requests priced, and every extra of the guard */
    pn_halves area_sum[2];    /* byte x ps, over closed windows */
    panem_stats stats; /* counters kept here; those of requests and sums are filled on demand */
} pn_window_model;

size_t pn_window_save_size(const panem_model *model);
void pn_window_save(const panem_model *model, unsigned char *payload);
bool pn_window_restore(panem_model *model, const unsigned char *payload, size_t size);

/* A time, counted from the open window's start, as window and offset in it. */
typedef struct pn_place {
    uint64_t window, offset_ps;
} pn_place;

/* Division by the window, as a product that is right or one too low. */
static inline pn_place pn_window_place(const pn_window_model *m, uint64_t rel_ps)
{
    uint64_t window = (uint64_t)(((pn_u128)rel_ps * m->inverse) >> 64);
    uint64_t offset_ps = rel_ps - window * m->window_ps;
    if (offset_ps >= m->window_ps) {
        offset_ps -= m->window_ps;
        window++;
    }
    return (pn_place){window, offset_ps};
}

/* ---- window_close.c ---- */

/* Closes the open window. pending: what pn_window_pending says. Returns what it says afterwards. */
uint64_t pn_window_close(pn_window_model *m, uint64_t pending);

/* Any number of windows in which nothing is in flight, arrives or completes, in one step; only when
 * the average spans one window or is empty. */
void pn_window_pass_idle(pn_window_model *m, uint64_t windows);

/* Latency of an empty memory at the present mix. */
uint64_t pn_window_idle_ps(const pn_window_model *m);

/* A look rel_ps after the open window's start (equation 18): the parts that are over by then give
 * the latency of what arrives from there on. */
void pn_window_look(pn_window_model *m, uint64_t rel_ps);

/* What is due when room_bytes is used up: a waiting look, or folding the moments. */
void pn_window_full(pn_window_model *m, uint64_t rel_ps);

/* Derives what is not saved from what is; history must be in place. */
void pn_window_derive(pn_window_model *m);

/* Latencies summed over all accepted requests, ps. */
static inline pn_u128 pn_window_latency_sum(const pn_window_model *m, int kind)
{
    return pn_halves_get(m->latency_sum[kind]) +
           (pn_u128)(m->requests[kind] - m->priced[kind]) * m->latency_ps;
}

/* Bytes that arrived in the open window so far. */
static inline uint64_t pn_window_arrived(const pn_window_model *m, int kind)
{
    return m->arrived[kind] + m->group_bytes[kind] + m->group_bytes[2 + kind];
}

/* Bytes accepted and not completed: in flight, or to come in horizon mode. */
static inline uint64_t pn_window_pending(const pn_window_model *m)
{
    return m->carry[0] + m->carry[1] + pn_window_arrived(m, 0) + pn_window_arrived(m, 1) +
           m->bytes_ahead[0] + m->bytes_ahead[1];
}

static inline pn_u128 pn_window_moment(const pn_window_model *m, int group)
{
    return m->group_wide[group] + m->group_moment[group];
}

/* byte x ps from the open window's arrivals so far to its end. */
static inline pn_u128 pn_window_head(const pn_window_model *m, int kind)
{
    uint64_t bytes = m->group_bytes[kind] + m->group_bytes[2 + kind];
    return m->head[kind] + (pn_u128)bytes * m->window_ps - pn_window_moment(m, kind) -
           pn_window_moment(m, 2 + kind);
}

/* byte x ps from a group's completions to the end of the window they fall into. */
static inline pn_u128 pn_window_group_tail(const pn_window_model *m, int group)
{
    uint64_t most_ps = (group < 2 ? 1 : 2) * m->window_ps - m->latency_rest_ps;
    return (pn_u128)m->group_bytes[group] * most_ps - pn_window_moment(m, group);
}

#endif
