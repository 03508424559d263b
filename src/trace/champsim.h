/* champsim.h - ChampSim's trace records, 64 bytes (and CloudSuite's 96) per instruction.
 *
 * Facts of the format (ChampSim inc/trace_instruction.h, inc/instruction.h): little-endian, no
 * header; ip u64, is_branch u8, taken u8, then destination registers (2; CloudSuite 4), source
 * registers (4), destination memory u64 (2; 4), source memory u64 (4); 0 = absent; CloudSuite ends
 * with two address-space bytes and is padded to 96. Register 6 is the stack pointer, 25 the flags,
 * 26 the instruction pointer; branch kinds follow from which of them are read and written. NOT in
 * the format: sizes, lengths, classes, instruction bytes; they stay unknown. */
#ifndef PN_TRACE_CHAMPSIM_H
#define PN_TRACE_CHAMPSIM_H

#include "trace/trace.h"

typedef struct pn_champsim_writer pn_champsim_writer;

/* What did not fit into the records. */
typedef struct pn_champsim_losses {
    uint64_t registers, accesses; /* left out: a record has too few places */
    uint64_t parts;               /* records that go on with the instruction before */
} pn_champsim_losses;

panem_status pn_champsim_create(pn_champsim_writer **writer, const char *path, pn_isa isa,
                                panem_error *err);
/* Buffered; a failed write is reported by commit. */
void pn_champsim_add(pn_champsim_writer *w, const pn_op *op);
/* Frees the writer always. losses may be NULL. */
panem_status pn_champsim_commit(pn_champsim_writer *w, pn_champsim_losses *losses,
                                panem_error *err);
void pn_champsim_abort(pn_champsim_writer *w);

#endif
