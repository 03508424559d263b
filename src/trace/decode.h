/* decode.h - from instruction bytes to pn_inst, for x86-64 (Zydis) and AArch64 (own tables).
 *
 * The decoder has a version: a change of any result raises it, and `panem trace redecode` brings
 * old traces up to date.
 * Micro-ops: one per memory read, one per memory write (address and data count as one), one for the
 * operation if there is any besides the moving; more for the few that are known to be long. They
 * are counts for a generic wide core, not those of one product. */
#ifndef PN_TRACE_DECODE_H
#define PN_TRACE_DECODE_H

#include "trace/inst.h"

enum { PN_DECODER_VERSION = 1 };

/* Fills inst (all but id) for the `length` bytes at pc, 1..15. Bytes that are no instruction the
 * decoder knows give class UNKNOWN and the flag UNDECODED. Cannot fail; any thread. */
void pn_decode(pn_inst *inst, pn_isa isa, uint64_t pc, const uint8_t *bytes, unsigned length);

/* By ISA; inst has pc, length and bytes set and the rest zero. False: not known. */
bool pn_decode_x86(pn_inst *inst);
bool pn_decode_a64(pn_inst *inst);

/* Adds a register to a list unless it is none or there. */
void pn_inst_add_dst(pn_inst *inst, unsigned reg);
void pn_inst_add_addr(pn_inst *inst, unsigned reg);
void pn_inst_add_src(pn_inst *inst, unsigned reg);

#endif
