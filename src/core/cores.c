/* cores.c - see cores.h. */
#include "core/cores.h"

#include <stdlib.h>

#include "core/core_priv.h"

enum { PROGRESS_ROUNDS = 1 << 12 };

typedef enum phase { WARMUP, MEASURED, DRAINING, FINISHED } phase;

typedef struct place {
    pn_core *core;
    const pn_op *next; /* fetched from the source, not yet given; NULL: none */
    pn_core_result result;
    phase phase;
    bool busy; /* has an instruction in hand */
} place;

struct pn_cores {
    pn_chip chip;
    place *places;
    uint32_t count, finished;
    uint64_t end_cyc; /* every core and the chip have run up to here */
};

panem_status pn_cores_create(pn_cores **cores, const pn_core_config *config, uint32_t count,
                             pn_mem_port *port, panem_error *err)
{
    if (count < 1 || count > PN_CORES_MAX)
        return pn_err(err, PANEM_E_ARG, "%u cores: 1 to %d are possible", count, PN_CORES_MAX);
    PN_TRY(pn_core_check(config, err));
    pn_core_timing timing = pn_core_timing_of(config);
    if (count > 1 && pn_chip_lookahead(&timing) == 0)
        return pn_err(err, PANEM_E_ARG,
                      "several cores need a mem_response_latency of 2 cycles and an llc_latency 2 "
                      "cycles above l2_latency");
    pn_cores *c = calloc(1, sizeof *c);
    if (!c)
        return pn_err(err, PANEM_E_NOMEM, "no memory for %u cores", count);
    panem_status s = pn_chip_init(&c->chip, config, count, port, err);
    if (s != PANEM_OK) {
        free(c);
        return s;
    }
    c->count = count;
    c->places = calloc(count, sizeof *c->places);
    if (!c->places)
        s = pn_err(err, PANEM_E_NOMEM, "no memory for %u cores", count);
    for (uint32_t i = 0; s == PANEM_OK && i < count; i++)
        s = pn_core_create_on(&c->places[i].core, config, &c->chip, i, err);
    if (s != PANEM_OK) {
        pn_cores_destroy(c);
        return s;
    }
    *cores = c;
    return PANEM_OK;
}

void pn_cores_destroy(pn_cores *c)
{
    if (!c)
        return;
    for (uint32_t i = 0; c->places && i < c->count; i++)
        pn_core_destroy(c->places[i].core);
    free(c->places);
    pn_chip_release(&c->chip);
    free(c);
}

/* ---- one core up to the common cycle --------------------------------------------------------- */

/* Between two instructions: ends a phase where one ends. False: cut off by the limit. */
static bool turn_phase(pn_cores *cores, place *p, const pn_core_run *run)
{
    uint64_t given = pn_core_instructions(p->core);
    bool whole = !(p->next->flags & PN_OP_CONTINUES);
    if (p->phase == WARMUP && given == run->warmup && whole) {
        if (!pn_core_reach(p->core))
            return false;
        pn_core_mark(p->core);
        p->phase = MEASURED;
    }
    if (p->phase == MEASURED && given == run->warmup + run->instructions && whole)
        p->phase = DRAINING;
    if (p->phase == DRAINING) {
        if (!pn_core_drain(p->core))
            return false;
        p->result = pn_core_measured(p->core);
        p->phase = FINISHED;
        cores->finished++;
    }
    return true;
}

static panem_status run_place(pn_cores *cores, place *p, const pn_op_source *source,
                              const pn_core_run *run, panem_error *err)
{
    for (;;) {
        if (p->busy && !pn_core_work(p->core))
            return PANEM_OK;
        p->busy = false;
        if (!p->next)
            PN_TRY(source->next(source->user, &p->next, err));
        if (!turn_phase(cores, p, run))
            return PANEM_OK;
        if (p->phase == FINISHED) {
            if (cores->finished == cores->count)
                return PANEM_OK;
            pn_core_keep_latency(p->core);
        }
        pn_core_take(p->core, p->next);
        p->next = NULL;
        p->busy = true;
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool alone(const pn_cores *c)
{
    return c->count == 1;
}

/* Opens the next stretch of time; false: nothing will ever happen. */
static bool next_stretch(pn_cores *c)
{
    uint64_t first = pn_chip_next(&c->chip);
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t wake = pn_core_wake(c->places[i].core, c->end_cyc);
        first = wake < first ? wake : first;
    }
    if (first == UINT64_MAX)
        return false;
    if (first > c->end_cyc)
        c->end_cyc = first;
    c->end_cyc += pn_chip_lookahead(&c->chip.timing);
    for (uint32_t i = 0; i < c->count; i++)
        pn_core_allow(c->places[i].core, c->end_cyc);
    return true;
}

static void report(const pn_cores *c, const pn_core_run *run)
{
    pn_core_progress now = {0, c->end_cyc};
    for (uint32_t i = 0; i < c->count; i++)
        now.instructions += pn_core_instructions(c->places[i].core);
    if (run->progress)
        run->progress(run->user, &now);
}

static panem_status run_all(pn_cores *c, const pn_op_source *sources, const pn_core_run *run,
                            panem_error *err)
{
    for (uint64_t round = 1; c->finished < c->count; round++) {
        if (!alone(c) && !next_stretch(c))
            return pn_err(err, PANEM_E_TIME, "the memory model never answers");
        for (uint32_t i = 0; i < c->count; i++)
            PN_TRY(run_place(c, &c->places[i], &sources[i], run, err));
        if (!alone(c))
            pn_chip_run(&c->chip, c->end_cyc);
        PN_TRY(pn_core_memory_state(c->places[0].core, err));
        if (round % PROGRESS_ROUNDS == 0)
            report(c, run);
    }
    return PANEM_OK;
}

/* What is in flight comes home, so that all views of the whole run count the same lines. */
static panem_status rest_all(pn_cores *c, panem_error *err)
{
    for (bool moving = true; moving;) {
        moving = false;
        if (!alone(c) && !next_stretch(c))
            break;
        for (uint32_t i = 0; i < c->count; i++)
            moving = !pn_core_rest(c->places[i].core) || moving;
        if (!alone(c))
            pn_chip_run(&c->chip, c->end_cyc);
        else
            moving = false; /* one pass is everything */
        PN_TRY(pn_core_memory_state(c->places[0].core, err));
    }
    return PANEM_OK;
}

panem_status pn_cores_run(pn_cores *c, pn_core_result *results, const pn_op_source *sources,
                          const pn_core_run *run, panem_error *err)
{
    PN_TRY(run_all(c, sources, run, err));
    PN_TRY(rest_all(c, err));
    for (uint32_t i = 0; i < c->count; i++) {
        results[i] = c->places[i].result;
        results[i].whole = pn_core_counts_now(c->places[i].core);
    }
    return PANEM_OK;
}

void pn_cores_set_idle(pn_cores *c, uint64_t read_ps)
{
    c->chip.idle_ps = read_ps;
}

uint32_t pn_cores_count(const pn_cores *c)
{
    return c->count;
}

const pn_core *pn_cores_at(const pn_cores *c, uint32_t index)
{
    return c->places[index].core;
}
