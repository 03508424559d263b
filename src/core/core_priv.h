/* core_priv.h - the core's state: micro-ops in flight, ports, store buffer. */
#ifndef PN_CORE_CORE_PRIV_H
#define PN_CORE_CORE_PRIV_H

#include "core/core.h"
#include "core/cpi.h"
#include "core/vmap.h"

#define PN_UNKNOWN UINT64_MAX

enum { PN_UOP_SOURCES = 12, PN_REGS = 256 };

typedef enum pn_uop_kind { PN_UOP_OP, PN_UOP_LOAD, PN_UOP_STORE } pn_uop_kind;

/* What a micro-op executes on: lanes are pipelined, units are busy until the result is there. */
typedef enum pn_pipe {
    PN_PIPE_ALU = 0,
    PN_PIPE_MUL,
    PN_PIPE_FP,
    PN_PIPE_BRANCH,
    PN_PIPE_LOAD,
    PN_PIPE_STORE,
    PN_PIPE_LANES,
    PN_PIPE_DIV = PN_PIPE_LANES,
    PN_PIPE_FP_DIV,
    PN_PIPE_NONE, /* needs nothing: nop */
    PN_PIPE_COUNT
} pn_pipe;

/* A micro-op before dispatch. */
typedef struct pn_proto {
    uint64_t source[PN_UOP_SOURCES]; /* sequence numbers of producers */
    uint64_t address, pc;            /* pc: 0 for the second part of an access */
    uint8_t sources, kind, pipe, latency_cyc, bytes;
} pn_proto;

/* A micro-op in flight. */
typedef struct pn_uop {
    uint64_t seq;
    uint64_t done_cyc;   /* its result can be used; UNKNOWN */
    uint64_t ready_cyc;  /* latest result of the producers seen so far */
    uint64_t commit_cyc; /* UNKNOWN until all before have committed too */
    uint64_t line, address, pc;
    uint64_t store_no;
    uint32_t waiters;     /* first micro-op that waits for this one, as index + 1 */
    uint32_t next_waiter; /* the next one that waits for the same */
    uint32_t next_load;   /* the next access of the same cycle, as index + 1 */
    uint8_t sources, kind, pipe, latency_cyc;
    bool forwarded;
    bool waited;    /* its dispatch: core's waits tell for what */
    pn_source from; /* of a load */
    uint64_t dispatch_cyc;
    uint64_t translated_cyc; /* of a load whose page was not known at once */
    uint32_t source[PN_UOP_SOURCES];
} pn_uop;

/* A store from dispatch until written. */
typedef struct pn_store {
    uint64_t line, uop_seq;
    uint64_t address, pc;
    uint64_t start_cyc, done_cyc;
    uint64_t first_word, last_word; /* virtual address / 8 */
    pn_source from;
} pn_store;

enum { PN_FILTER = 1024 };

struct pn_core {
    pn_core_config config;
    pn_chip *chip;
    bool owns_chip;
    pn_uncore uncore;
    pn_vmap vmap;
    pn_predictor *predictor;
    uint64_t now_cyc;   /* everything up to here has happened */
    uint64_t event_cyc; /* next cycle with an event */
    uint64_t limit_cyc; /* it may only run in cycles before this one; UINT64_MAX: no limit */
    /* micro-ops in flight: seq in [rob_head, next_seq); commit known below commit_seq */
    pn_uop *uops;
    uint32_t uop_mask;
    uint64_t rob_head, next_seq, commit_seq;
    uint64_t last_commit_cyc;
    uint32_t lob_used;
    uint64_t writer[PN_REGS]; /* sequence number of the last writer; 0 = none */
    /* micro-ops whose producers are all known, oldest first: a heap of sequence numbers */
    uint64_t *bookable;
    uint32_t bookable_count;
    /* lanes: per cycle one byte per pipe, in a ring; all cycles before hint are full */
    uint64_t *lanes;
    uint64_t lane_mask, lanes_clean_cyc; /* the ring is clean before this cycle */
    uint64_t hint_cyc[PN_PIPE_LANES];
    uint32_t lane_max[PN_PIPE_LANES];
    uint64_t unit_free_cyc[2];
    /* loads by the cycle of their L1 access, in a ring of the same length */
    uint32_t *load_first, *load_last;
    uint64_t *load_cycles; /* one bit per cycle with loads */
    uint32_t loads_planned;
    /* store buffer: numbers in [store_head, store_next); those below store_started know when */
    pn_store *stores;
    uint32_t store_mask;
    uint64_t store_head, store_next, store_started, store_accessed;
    uint64_t last_start_cyc;
    uint16_t filter[PN_FILTER]; /* words held by the store buffer, hashed */
    /* front end */
    uint64_t front_cyc;
    uint32_t front_used;   /* micro-ops dispatched in that cycle */
    uint64_t redirect_seq; /* a mispredicted branch to wait for; 0 = none */
    uint64_t fetch_line;
    pn_front_waits front_waits; /* of the next micro-op */
    pn_front_waits *waits;      /* of those in flight that waited, by place */
    pn_proto *protos;
    uint32_t proto_count, proto_max;
    /* the instruction in hand, and how far it is: dispatch may stop at limit_cyc anywhere */
    pn_op op;
    uint64_t branch_seq;
    uint32_t proto_at;
    uint8_t stage; /* core.c */
    bool fetching; /* waits for an instruction line */
    uint8_t class_pipe[PN_CLASS_COUNT], class_latency[PN_CLASS_COUNT];
    /* pn_core_sample */
    uint64_t sample_cyc; /* end of the present stretch; UINT64_MAX: nobody asks */
    uint64_t sample_ps, samples;
    void (*sampled)(void *user, uint64_t instructions);
    void *sample_user;
    /* phases */
    uint64_t mark_seq, mark_cyc;
    pn_core_counts counts, at_mark;
    uint64_t cpi_at_mark[PN_CPI_COUNT]; /* when the first phase's last instruction committed */
    bool silent;                        /* the memory does not answer */
};

static inline pn_uop *pn_core_uop(pn_core *c, uint64_t seq)
{
    return &c->uops[seq & c->uop_mask];
}

/* core.c: for several cores on a chip. */
/* Core `index` of a chip that lives longer. E_ARG, E_NOMEM. */
panem_status pn_core_create_on(pn_core **core, const pn_core_config *config, pn_chip *chip,
                               uint32_t index, panem_error *err);
/* From here on it may run up to this cycle. */
void pn_core_allow(pn_core *c, uint64_t limit_cyc);
/* Takes an instruction in hand; there must be none. */
void pn_core_take(pn_core *c, const pn_op *op);
/* Goes on with it; true: done with it, false: cut off by the limit, or the memory failed. */
bool pn_core_work(pn_core *c);
/* Everything before the front end's cycle has happened; false: cut off by the limit. */
bool pn_core_reach(pn_core *c);
/* The first cycle not before this one, up to which it has run, in which it has something to do by
 * itself; UINT64_MAX: never. */
uint64_t pn_core_wake(const pn_core *c, uint64_t cycle);
uint64_t pn_core_instructions(const pn_core *c);
/* From here on latencies are no longer added to the histograms. */
void pn_core_keep_latency(pn_core *c);
/* Runs on without instructions; true: everything in flight has committed. */
bool pn_core_drain(pn_core *c);
/* The same; true: nothing at all is in flight. */
bool pn_core_rest(pn_core *c);
/* What was counted up to the last commit, once drained; the rest of the result is zero. */
pn_core_result pn_core_measured(const pn_core *c);
pn_core_counts pn_core_counts_now(const pn_core *c);
/* The memory's failure, or E_TIME for one that never answers. */
panem_status pn_core_memory_state(const pn_core *c, panem_error *err);

/* crack.c: the micro-ops of one op into c->protos; *branch_seq is that of its branch or 0. */
void pn_core_crack(pn_core *c, const pn_op *op, uint64_t *branch_seq);

/* sched.c */
panem_status pn_sched_init(pn_core *c, panem_error *err);
void pn_sched_release(pn_core *c);
/* Puts a micro-op in flight at cycle d; everything up to d has happened. */
void pn_sched_dispatch(pn_core *c, const pn_proto *p, uint64_t cycle);
/* Everything that happens in one cycle, which is c->event_cyc. */
void pn_sched_cycle(pn_core *c, uint64_t cycle);
/* After an access out of turn (an instruction line): finds event_cyc again. */
void pn_sched_settle(pn_core *c, uint64_t cycle);
/* Frees what committed and what was written by this cycle. */
void pn_sched_free(pn_core *c, uint64_t cycle);

#endif
