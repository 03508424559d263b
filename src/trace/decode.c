/* decode.c - see decode.h. */
#include "trace/decode.h"

#include <string.h>

static void add(pn_inst *inst, uint8_t *list, uint8_t *n, unsigned room, unsigned reg)
{
    if (reg == PN_REG_NONE)
        return;
    for (unsigned i = 0; i < *n; i++) {
        if (list[i] == reg)
            return;
    }
    if (*n == room)
        inst->flags |= PN_INST_MORE_REGS;
    else
        list[(*n)++] = (uint8_t)reg;
}

void pn_inst_add_dst(pn_inst *inst, unsigned reg)
{
    add(inst, inst->dst, &inst->n_dst, PN_INST_DST, reg);
}

void pn_inst_add_addr(pn_inst *inst, unsigned reg)
{
    add(inst, inst->addr, &inst->n_addr, PN_INST_ADDR, reg);
}

void pn_inst_add_src(pn_inst *inst, unsigned reg)
{
    add(inst, inst->src, &inst->n_src, PN_INST_SRC, reg);
}

void pn_decode(pn_inst *inst, pn_isa isa, uint64_t pc, const uint8_t *bytes, unsigned length)
{
    pn_inst blank = {.pc = pc, .length = (uint8_t)length, .uops = 1};
    memcpy(blank.bytes, bytes, length);
    *inst = blank;
    bool known = isa == PN_ISA_X86_64    ? pn_decode_x86(inst)
                 : isa == PN_ISA_AARCH64 ? pn_decode_a64(inst)
                                         : false;
    if (known)
        return;
    *inst = blank;
    inst->flags = PN_INST_UNDECODED;
}
