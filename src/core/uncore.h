/* uncore.h - a core's own caches, below its load and store ports: L1I, L1D, L2 and their
 * prefetchers. Below them is the chip (chip.h): LLC and memory. Driven by events from the L1 misses
 * down.
 *
 * Phases of one cycle, in order: memory responses; fills of LLC, L2, L1; requests that come to the
 * door, to the LLC, to L2 (each level's waiting ones first); one prefetch of L2; L1 accesses that
 * waited; one prefetch of L1D; then what the core does in this cycle (pn_uncore_access, loads
 * before stores; pn_uncore_fetch).
 *
 * A request that misses L1 at cycle a looks into L2 at a + latency(L1), into the LLC at
 * a + latency(L2), and is at the memory's door at a + latency(LLC) + request latency; a fill that
 * meets no traffic on its links is usable at a + latency of the level that had it. Links carry one
 * line per so many cycles, fills and write-backs alike, in the order they come.
 * Levels fill on the way back and neither include nor exclude each other; a dirty line driven out
 * goes one level down at once and is put in there without being fetched.
 * A request is a prefetch to the levels below if it was one when it left; L1D's prefetches are
 * accesses of L2 like others, and train its prefetcher.
 *
 * NOT modelled: coherence, sharing, DMA, write streaming (a store miss always reads its
 * line), victim buffers, priority of demand over prefetches below L2. */
#ifndef PN_CORE_UNCORE_H
#define PN_CORE_UNCORE_H

#include "core/cbusy.h"
#include "core/chip.h"
#include "core/prefetch.h"
#include "core/tlb.h"

typedef struct pn_woken {
    uint32_t client;
    uint64_t done_cyc; /* when the line can be used */
    pn_source source;
} pn_woken;

/* Loads and stores whose line came from memory, and that no prefetch asked for before them: the
 * core's view. */
typedef struct pn_core_view {
    uint64_t lines, cycles; /* from the L1 access until the line could be used */
} pn_core_view;

typedef struct pn_uncore {
    pn_level l1i, l1d, l2;
    pn_prefetch l1d_prefetch, l2_prefetch;
    pn_cbusy cbusy;
    pn_tlb tlb;
    pn_wait *translating;    /* accesses that wait for their page, by client */
    uint64_t translated_cyc; /* of the last access: when it knew its page; 0: at once */
    pn_evq events;
    pn_chip *chip;  /* borrowed */
    uint32_t index; /* of this core in the chip */
    pn_core_timing timing;
    uint64_t l1_link_free, l2_link_free; /* cycle from which the link is free */
    uint64_t l1d_retry, l2_retry;        /* cycle of the retry last planned */
    uint32_t *next_client;
    pn_woken *woken; /* since the last step; the core empties it */
    uint32_t woken_count;
    uint64_t fetch_done_cyc; /* UINT64_MAX while an instruction line is missing */
    uint64_t mem_lines;      /* that L2 got from memory */
    pn_source last_fill;     /* of L1D */
    pn_core_view view;
} pn_uncore;

#define PN_CLIENT_NONE UINT32_MAX

/* Core `index` of a chip. clients: numbers 0..clients-1 may be in flight. The chip is borrowed, and
 * keeps a pointer into u. E_NOMEM. */
panem_status pn_uncore_init(pn_uncore *u, const pn_core_config *config, pn_chip *chip,
                            uint32_t index, uint32_t clients, panem_error *err);
void pn_uncore_release(pn_uncore *u);
/* Does it step its chip itself, having it to itself? Otherwise somebody else runs the chip. */
static inline bool pn_uncore_alone(const pn_uncore *u)
{
    return u->chip->core_count == 1;
}
/* The next cycle with something to do. */
static inline uint64_t pn_uncore_next(const pn_uncore *u)
{
    uint64_t event = pn_evq_next(&u->events);
    uint64_t chip = pn_uncore_alone(u) ? pn_chip_next(u->chip) : UINT64_MAX;
    return chip < event ? chip : event;
}
/* Everything up to the L1 accesses of this cycle, which is not before pn_uncore_next's. */
void pn_uncore_step(pn_uncore *u, uint64_t cycle);
/* A load or store of L1D; true: hit. Otherwise the client is woken later. */
bool pn_uncore_access(pn_uncore *u, uint64_t cycle, const pn_wait *access);
/* An instruction line at a virtual address; true: hit. Otherwise fetch_done_cyc tells when. One at
 * a time. */
bool pn_uncore_fetch(pn_uncore *u, uint64_t cycle, uint64_t address, uint64_t line);
/* After the accesses of a cycle. */
static inline void pn_uncore_settle(pn_uncore *u, uint64_t cycle)
{
    if (pn_uncore_alone(u))
        pn_chip_settle(u->chip, cycle);
}

#endif
