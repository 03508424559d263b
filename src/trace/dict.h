/* dict.h - the dictionary of a .ptrace (instructions, blocks) as bytes, and the prediction state
 * that the dynamic stream is coded against. Private to trace; shared by writer and reader. */
#ifndef PN_TRACE_DICT_H
#define PN_TRACE_DICT_H

#include "trace/bytes.h"
#include "trace/ptrace.h"

/* ---- instructions ---------------------------------------------------------------------------- */

/* Instructions live in segments, so that pointers to them stay valid while more are added. */
enum { PN_INST_SEGMENT = 1 << 12 };

typedef struct pn_inst_table {
    pn_inst **segments;
    size_t n_segments;
    uint32_t count;
} pn_inst_table;

/* Copies inst, gives it the next id; NULL without memory. */
pn_inst *pn_inst_table_add(pn_inst_table *t, const pn_inst *inst);
void pn_inst_table_release(pn_inst_table *t);

static inline pn_inst *pn_inst_at(const pn_inst_table *t, uint32_t id)
{
    return &t->segments[id / PN_INST_SEGMENT][id % PN_INST_SEGMENT];
}

/* Appends one instruction; previous_end is the pc behind the one before it in the section. */
bool pn_inst_encode(pn_bytes *out, const pn_inst *inst, uint64_t previous_end);
/* Sets c->bad when the bytes make no sense. */
void pn_inst_decode(pn_cursor *c, pn_inst *inst, uint64_t previous_end);
/* Equality in all but id. */
bool pn_inst_equal(const pn_inst *a, const pn_inst *b);
uint64_t pn_inst_hash(const pn_inst *inst);

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Block ids start at 1. first_inst and first_slot point into two long arrays. */
typedef struct pn_block {
    uint32_t first_inst;
    uint32_t first_slot;
    uint16_t n_insts, n_slots;
    uint16_t n_writes, n_undecoded;
    uint8_t flags;
} pn_block;

typedef struct pn_block_table {
    pn_block *blocks; /* [0] is not used */
    uint32_t *insts;
    pn_slot *slots;
    uint32_t count; /* including [0] */
    uint32_t n_insts, n_slots;
    uint32_t capacity, insts_capacity, slots_capacity;
} pn_block_table;

/* Copies the block; false without memory or when its parts are out of order or range. */
bool pn_block_table_add(pn_block_table *t, const pn_block_def *def, const pn_inst_table *table);
void pn_block_table_release(pn_block_table *t);

bool pn_block_encode(pn_bytes *out, const pn_block_table *t, uint32_t id, uint32_t *next_inst);
/* Decodes into insts and slots (PN_BLOCK_INSTS and PN_BLOCK_ACCESSES long) and def. */
void pn_block_decode(pn_cursor *c, pn_block_def *def, uint32_t *insts, pn_slot *slots,
                     uint32_t *next_inst);

/* Instructions a block counts for: a continued first one was counted before. */
static inline unsigned pn_block_counts(const pn_block *b)
{
    return b->n_insts - (b->flags & PN_BLOCK_CONTINUES);
}

/* ---- the dynamic stream ---------------------------------------------------------------------- */

/* Tokens: 0..7 = that successor of the block before; 8 = an event; from 9 on = block token - 9. */
enum { PN_LINKS = 8, PN_TOKEN_EVENT = PN_LINKS, PN_TOKEN_BLOCK = PN_LINKS + 1 };

/* What followed a block, in the order first seen in this EXEC section. */
typedef struct pn_link {
    uint32_t epoch;
    uint32_t n;
    uint32_t next[PN_LINKS];
} pn_link;

/* Prediction state of one thread within one EXEC section. */
typedef struct pn_chain {
    pn_link *links; /* by block */
    uint64_t *last; /* by slot: the address used last */
    uint32_t n_links, n_last;
    uint32_t epoch; /* of this section; links of another epoch are empty */
    uint32_t previous;
    uint64_t recent; /* last address of the section */
} pn_chain;

/* Makes room for every block of t. */
bool pn_chain_fit(pn_chain *chain, const pn_block_table *t);
/* Forgets everything, in O(1). */
void pn_chain_restart(pn_chain *chain);
void pn_chain_release(pn_chain *chain);

/* The link of a block, emptied when it is of an older epoch; *fresh tells so. */
static inline pn_link *pn_chain_link(pn_chain *chain, uint32_t id, bool *fresh)
{
    pn_link *link = &chain->links[id];
    *fresh = link->epoch != chain->epoch;
    if (*fresh) {
        link->epoch = chain->epoch;
        link->n = 0;
    }
    return link;
}

static inline void pn_chain_learn(pn_chain *chain, uint32_t id)
{
    pn_link *link = &chain->links[chain->previous];
    if (chain->previous && link->n < PN_LINKS)
        link->next[link->n++] = id;
}

/* EXEC payload: first instruction, next pc, blocks, bytes of tokens. */
enum { PN_EXEC_HEAD_BYTES = 8 + 8 + 4 + 4 };
/* Limits of one EXEC section, for the writer. */
enum { PN_EXEC_INSTS = 1 << 20, PN_EXEC_BYTES = 16 << 20 };
/* Limits of one MEMS section. */
enum { PN_MEMORY_RECORDS = 1 << 20 };

#endif
