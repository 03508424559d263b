/* window.h - the state of the PANEM kind. Internal to src/model: window.c runs it, window_save.c
 * writes it down. */
#ifndef PN_MODEL_WINDOW_H
#define PN_MODEL_WINDOW_H

#include "base/wide.h"
#include "curve/relation.h"
#include "model/model.h"

/* What falls into one window of the ring, by access kind. One cache line. */
typedef struct pn_slot {
    pn_u128 area[2];  /* byte x ps of requests that begin or end in it */
    int64_t level[2]; /* change, at its start, of the bytes that cover whole windows */
    uint64_t done[2]; /* bytes completed in it */
} pn_slot;

/* A closed window of the sliding average. */
typedef struct pn_closed {
    pn_u128 area[2];
    uint64_t done[2];
} pn_closed;

typedef struct pn_window_model {
    panem_model base;
    pn_slot *slots;     /* ring_windows of them; the open window's is slots[index & mask] */
    pn_closed *history; /* options.windows of them */
    uint64_t mask;      /* ring_windows - 1 */
    double scale;       /* sharers / (windows x window_ps) */
    bool guarded;

    /* --- run-time state, saved --- */
    uint64_t index; /* of the open window: it starts at index x window_ps */
    uint64_t start_ps;
    uint64_t end_ps;
    uint64_t latency_ps;                       /* charged now */
    uint64_t latency_windows, latency_rest_ps; /* latency = windows x window_ps + rest */
    uint64_t last_index;                       /* greatest window with anything in it */
    int64_t carry[2];    /* bytes that cover the whole open window, before its level change */
    pn_closed sum;       /* over history */
    uint32_t history_at; /* entry the next closed window replaces */
    uint32_t cbusy;
    bool quiet; /* nothing in flight, nothing averaged, latency settled at idle */
    double outstanding_bytes;
    double read_frac;
    double peak_gbs;   /* at read_frac */
    uint64_t guard_ps; /* guard clock: whole ps and 2^-32 ps */
    uint32_t guard_rest;
    uint64_t guard_step_q32; /* ps per byte at peak of the guard's mix, 32 fraction bits */
    double guard_mix[2];     /* decaying averages of outstanding reads and writes */
    uint64_t guard_added_ps; /* by the guard, to requests accepted while the window was open */
    uint64_t guard_requests; /* how many those were */
    pn_u128 latency_sum[2];  /* ps, over requests */
    pn_u128 area_sum[2];     /* byte x ps, over closed windows */
    panem_stats stats;       /* integer members only; sums are filled on demand */
    pn_relation_hint hint;   /* guesses: not saved, no effect on results */
} pn_window_model;

size_t pn_window_save_size(const panem_model *model);
void pn_window_save(const panem_model *model, unsigned char *payload);
bool pn_window_restore(panem_model *model, const unsigned char *payload, size_t size);

/* The guard's rate from its mix. */
void pn_window_set_guard_rate(pn_window_model *m);

/* Derives what is not saved from what is. */
void pn_window_derive(pn_window_model *m);

#endif
