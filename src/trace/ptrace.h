/* ptrace.h - writing a .ptrace file (docs/formats/ptrace.md).
 *
 * Two ways in. The recorder knows blocks: it defines instructions, then blocks with the shape of
 * their accesses, then executes blocks by number. Everybody else hands over one op at a time
 * (pn_ptrace_op) and the writer finds the blocks. Nothing appears at the path before commit.
 *
 * Rules: a writer belongs to one thread. A failed write or a lack of memory is kept and reported by
 * commit and by the calls that return a status; the bytes depend only on the calls made. */
#ifndef PN_TRACE_PTRACE_H
#define PN_TRACE_PTRACE_H

#include "base/text.h"
#include "trace/trace.h"

enum {
    PN_BLOCK_INSTS = 1024,    /* instructions of one block at most */
    PN_BLOCK_ACCESSES = 2048, /* accesses of one execution of a block at most */
    PN_PTRACE_VERSION = 1
};

typedef struct pn_ptrace_meta {
    pn_isa isa;
    pn_trace_kind kind;
    pn_time_unit time_unit;
    uint64_t clock_hz;
    uint32_t unknown;
    uint32_t decoder_version;
    uint64_t skipped;
    const char *name, *source; /* NULL = "" */
    const char *command;
} pn_ptrace_meta;

/* One access of a block's shape. */
typedef struct pn_slot {
    uint16_t inst; /* index in the block, not decreasing */
    uint8_t bytes; /* 0 = not known */
    uint8_t write;
} pn_slot;

/* A block: instructions executed in a row, and what accesses they make. */
typedef struct pn_block_def {
    const uint32_t *insts; /* ids from pn_ptrace_inst */
    const pn_slot *slots;
    uint16_t n_insts, n_slots;
    uint8_t flags; /* PN_BLOCK_* */
} pn_block_def;

enum {
    PN_BLOCK_CONTINUES = 1, /* the first instruction goes on with the one executed before */
    PN_BLOCK_OUTCOME = 2,   /* the branch outcome is stored, because it cannot be told from pcs */
    PN_BLOCK_TAKEN = 4      /* with OUTCOME: the last instruction's branch was taken */
};

typedef struct pn_ptrace_writer pn_ptrace_writer;

/* Allocates. E_IO, E_NOMEM. Strings of meta are copied. */
panem_status pn_ptrace_create(pn_ptrace_writer **writer, const char *path,
                              const pn_ptrace_meta *meta, panem_error *err);

/* Adds a static instruction (copied, its id ignored); *id is its number. No search for an equal
 * one. Allocates. E_NOMEM. */
panem_status pn_ptrace_inst(pn_ptrace_writer *w, uint32_t *id, const pn_inst *inst);
/* As above, but an equal instruction keeps its number. */
panem_status pn_ptrace_inst_once(pn_ptrace_writer *w, uint32_t *id, const pn_inst *inst);

/* The number of a block; equal blocks are stored once. E_ARG for an id or slot out of order. */
panem_status pn_ptrace_block(pn_ptrace_writer *w, uint32_t *id, const pn_block_def *block);

/* Thread executed block `id`; addresses, one per slot. O(1); allocates seldom. */
panem_status pn_ptrace_exec(pn_ptrace_writer *w, uint32_t thread, uint32_t id,
                            const uint64_t *addresses);
/* Something happened after the last block of the thread. */
panem_status pn_ptrace_event(pn_ptrace_writer *w, uint32_t thread, pn_event_kind kind,
                             uint64_t value);

/* One executed instruction; op->inst may come from any trace. Needs op->next_pc or 0 for the last
 * one only for instructions without a length (PN_OP_TAKEN is kept then). */
panem_status pn_ptrace_op(pn_ptrace_writer *w, uint32_t thread, const pn_op *op);

/* One record of a memory-only trace. */
panem_status pn_ptrace_mem(pn_ptrace_writer *w, const pn_mem_record *record);

/* Instructions written so far, all threads; and bytes that reached the file so far. */
uint64_t pn_ptrace_instructions(const pn_ptrace_writer *w);
uint64_t pn_ptrace_bytes(const pn_ptrace_writer *w);
/* Executed instructions the decoder does not know. */
uint64_t pn_ptrace_undecoded(const pn_ptrace_writer *w);

/* Writes what is left, the totals and the index; the file appears. *bytes (NULL allowed) is its
 * size. Frees the writer always. */
panem_status pn_ptrace_commit(pn_ptrace_writer *w, uint64_t *bytes, panem_error *err);
/* Gives up; nothing appears. NULL is allowed. */
void pn_ptrace_abort(pn_ptrace_writer *w);

/* Reads every section of a file, checks every checksum, count and reference, and that nothing
 * follows. The report (what was checked) goes to text. E_DAMAGED with the place. */
panem_status pn_ptrace_verify(const char *path, pn_text *report, panem_error *err);

#endif
