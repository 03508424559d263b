/* decode_a64.c - AArch64 from the encodings of the Arm Architecture Reference Manual (section C4,
 * "A64 instruction set encoding"); see decode.h.
 *
 * Covers base, FP and Advanced SIMD, cryptography, LSE atomics, RCpc, pointer authentication hints.
 * NOT covered (UNDECODED): SVE, SME, memory tagging stores, 64-byte atomics. */
#include "trace/decode_a64.h"

static uint64_t offset(uint32_t field, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return ((field ^ sign) - sign) * 4;
}

/* ---- data processing, immediate -------------------------------------------------------------- */

static bool data_immediate(pn_inst *i, uint32_t w)
{
    bool flags = false;
    i->cls = PN_CLASS_INT;
    switch (bits(w, 25, 23)) {
    case 0:
    case 1: /* adr, adrp */
        pn_inst_add_dst(i, gpr(rd(w)));
        return true;
    case 2:
    case 3: /* add, sub; with tags */
        flags = bit(w, 29) && bits(w, 25, 23) == 2;
        pn_inst_add_src(i, gpr_sp(rn(w)));
        pn_inst_add_dst(i, flags ? gpr(rd(w)) : gpr_sp(rd(w)));
        break;
    case 4: /* and, orr, eor, ands */
        flags = bits(w, 30, 29) == 3;
        pn_inst_add_src(i, gpr(rn(w)));
        pn_inst_add_dst(i, flags ? gpr(rd(w)) : gpr_sp(rd(w)));
        break;
    case 5: /* movn, movz, movk */
        if (bits(w, 30, 29) == 1)
            return false;
        if (bits(w, 30, 29) == 3)
            pn_inst_add_src(i, gpr(rd(w)));
        pn_inst_add_dst(i, gpr(rd(w)));
        break;
    case 6: /* sbfm, bfm, ubfm */
        pn_inst_add_src(i, gpr(rn(w)));
        if (bits(w, 30, 29) == 1)
            pn_inst_add_src(i, gpr(rd(w)));
        pn_inst_add_dst(i, gpr(rd(w)));
        break;
    default: /* extr */
        pn_inst_add_src(i, gpr(rn(w)));
        pn_inst_add_src(i, gpr(rm(w)));
        pn_inst_add_dst(i, gpr(rd(w)));
        break;
    }
    if (flags)
        pn_inst_add_dst(i, PN_REG_FLAGS);
    return true;
}

/* ---- branches, exceptions, system ------------------------------------------------------------ */

static bool branch_register(pn_inst *i, uint32_t w)
{
    unsigned opc = bits(w, 24, 21);
    i->cls = PN_CLASS_BRANCH;
    pn_inst_add_src(i, gpr(rn(w)));
    if ((opc & 7) > 2 || opc > 9)
        return false; /* eret, drps: not for programs */
    if ((opc & 7) == 0) {
        i->branch = PN_BRANCH_JUMP_INDIRECT;
    } else if ((opc & 7) == 1) {
        i->branch = PN_BRANCH_CALL_INDIRECT;
        pn_inst_add_dst(i, PN_REG_A64_LR);
    } else {
        i->branch = PN_BRANCH_RETURN;
    }
    return true;
}

/* mrs, msr: the thread pointer and the flags are cheap, the rest is not. */
static void system_register(pn_inst *i, uint32_t w)
{
    enum { TPIDR_EL0 = 0x5e82, NZCV = 0x5a10, RD_SLOW_UOPS = 4 };
    unsigned name = bits(w, 20, 5) & 0x7fff;
    bool read = bit(w, 21);
    unsigned reg = name == NZCV ? PN_REG_FLAGS : PN_REG_OTHER;
    bool cheap = name == TPIDR_EL0 || name == NZCV;
    i->cls = cheap ? PN_CLASS_INT : PN_CLASS_SYSTEM;
    i->uops = cheap ? 1 : RD_SLOW_UOPS;
    if (read) {
        pn_inst_add_dst(i, gpr(rd(w)));
        if (name != TPIDR_EL0)
            pn_inst_add_src(i, reg);
    } else {
        pn_inst_add_src(i, gpr(rd(w)));
        pn_inst_add_dst(i, reg);
    }
}

static bool system_insn(pn_inst *i, uint32_t w)
{
    unsigned op0 = bits(w, 20, 19), op1 = bits(w, 18, 16), crn = bits(w, 15, 12);
    i->cls = PN_CLASS_SYSTEM;
    if (op0 >= 2) {
        system_register(i, w);
        return true;
    }
    if (op0 == 1) { /* sys: dc, ic, at, tlbi */
        if (crn == 7) {
            i->flags |= PN_INST_CACHE_OP;
            pn_inst_add_addr(i, gpr(rd(w)));
        }
        return true;
    }
    if (crn == 2 && op1 == 3) { /* hints */
        i->cls = PN_CLASS_NOP;
        return true;
    }
    if (crn == 3) { /* clrex dsb dmb isb sb */
        i->cls = PN_CLASS_FENCE;
        i->flags |= PN_INST_FENCE;
    }
    return true;
}

static bool branches(pn_inst *i, uint32_t w)
{
    i->cls = PN_CLASS_BRANCH;
    if (bits(w, 30, 26) == 5) { /* b, bl */
        i->branch = bit(w, 31) ? PN_BRANCH_CALL : PN_BRANCH_JUMP;
        i->target = i->pc + offset(bits(w, 25, 0), 26);
        if (bit(w, 31))
            pn_inst_add_dst(i, PN_REG_A64_LR);
        return true;
    }
    if (bits(w, 31, 24) == 0x54) { /* b.cond */
        i->branch = PN_BRANCH_COND;
        i->target = i->pc + offset(bits(w, 23, 5), 19);
        pn_inst_add_src(i, PN_REG_FLAGS);
        return true;
    }
    if (bits(w, 30, 25) == 0x1a || bits(w, 30, 25) == 0x1b) { /* cbz, tbz and kin */
        bool test = bits(w, 30, 25) == 0x1b;
        i->branch = PN_BRANCH_COND;
        i->target = i->pc + (test ? offset(bits(w, 18, 5), 14) : offset(bits(w, 23, 5), 19));
        pn_inst_add_src(i, gpr(rd(w)));
        return true;
    }
    if (bits(w, 31, 25) == 0x6b)
        return branch_register(i, w);
    if (bits(w, 31, 24) == 0xd4) { /* svc, brk */
        i->cls = PN_CLASS_SYSTEM;
        return true;
    }
    return bits(w, 31, 22) == 0x354 && system_insn(i, w);
}

/* ---- loads and stores ------------------------------------------------------------------------ */

enum { WIDEST = 64 };

static void access(pn_inst *i, bool load, bool store, unsigned bytes)
{
    uint8_t size = (uint8_t)(bytes > WIDEST ? WIDEST : bytes);
    i->cls = store ? PN_CLASS_STORE : PN_CLASS_LOAD;
    if (load) {
        i->flags |= PN_INST_LOAD;
        i->load_bytes = size;
    }
    if (store) {
        i->flags |= PN_INST_STORE;
        i->store_bytes = size;
    }
}

static void base(pn_inst *i, uint32_t w, bool writeback)
{
    unsigned reg = gpr_sp(rn(w));
    pn_inst_add_addr(i, reg);
    if (writeback) {
        i->writeback = (uint8_t)reg;
        pn_inst_add_dst(i, reg);
    }
}

static void hint_only(pn_inst *i)
{
    i->cls = PN_CLASS_LOAD;
    i->flags = PN_INST_PREFETCH;
    i->load_bytes = 0;
}

static void atomic(pn_inst *i, bool acquire, bool release)
{
    i->flags |= PN_INST_ATOMIC;
    if (acquire)
        i->flags |= PN_INST_ACQUIRE;
    if (release)
        i->flags |= PN_INST_RELEASE;
}

/* ldxr, stxr, ldar, stlr, cas, casp and kin. */
static bool exclusive(pn_inst *i, uint32_t w)
{
    bool o2 = bit(w, 23), load = bit(w, 22), o1 = bit(w, 21), o0 = bit(w, 15);
    unsigned bytes = 1u << bits(w, 31, 30);
    base(i, w, false);
    if (o2 && !o1) { /* ordered */
        access(i, load, !load, bytes);
        i->flags |= load ? PN_INST_ACQUIRE : PN_INST_RELEASE;
        if (load)
            pn_inst_add_dst(i, gpr(rd(w)));
        else
            pn_inst_add_src(i, gpr(rd(w)));
        return true;
    }
    if (o1 && (o2 || !bit(w, 31))) { /* cas, casp */
        bool pair = !o2;
        access(i, true, true, pair ? 8u << bit(w, 30) : bytes);
        atomic(i, load, o0);
        for (unsigned k = 0; k <= (pair ? 1u : 0u); k++) {
            pn_inst_add_src(i, gpr(rm(w) + k));
            pn_inst_add_src(i, gpr(rd(w) + k));
            pn_inst_add_dst(i, gpr(rm(w) + k));
        }
        return true;
    }
    access(i, load, !load, o1 ? bytes * 2 : bytes);
    atomic(i, load && o0, !load && o0);
    if (load) {
        pn_inst_add_dst(i, gpr(rd(w)));
        if (o1)
            pn_inst_add_dst(i, gpr(ra(w)));
    } else {
        pn_inst_add_dst(i, gpr(rm(w)));
        pn_inst_add_src(i, gpr(rd(w)));
        if (o1)
            pn_inst_add_src(i, gpr(ra(w)));
    }
    return true;
}

static void structure_registers(pn_inst *i, uint32_t w, unsigned n, bool load, bool merges)
{
    for (unsigned k = 0; k < n; k++) {
        if (load)
            pn_inst_add_dst(i, vec(rd(w) + k));
        if (!load || merges)
            pn_inst_add_src(i, vec(rd(w) + k));
    }
    bool post = bit(w, 23);
    if (post && rm(w) != 31)
        pn_inst_add_addr(i, gpr(rm(w)));
    base(i, w, post);
}

/* ld1..ld4, st1..st4: whole registers, one lane, or one lane to all. */
static bool structures(pn_inst *i, uint32_t w)
{
    bool load = bit(w, 22);
    if (!bit(w, 24)) {
        /* registers by opcode; 0: not allocated */
        static const uint8_t counts[16] = {
            [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
        unsigned n = counts[bits(w, 15, 12)];
        access(i, load, !load, n * (8u << bit(w, 30)));
        structure_registers(i, w, n, load, false);
        return n != 0;
    }
    unsigned opcode = bits(w, 15, 13);
    unsigned n = ((opcode & 1) << 1 | bit(w, 21)) + 1;
    unsigned scale = opcode >> 1;
    bool replicate = scale == 3;
    if (replicate)
        scale = bits(w, 11, 10);
    else if (scale == 2 && bit(w, 10))
        scale = 3;
    access(i, load, !load, n << scale);
    structure_registers(i, w, n, load, !replicate);
    return true;
}

static bool literal(pn_inst *i, uint32_t w)
{
    bool vector = bit(w, 26);
    unsigned opc = bits(w, 31, 30);
    if (vector && opc == 3)
        return false;
    access(i, true, false, vector ? 4u << opc : opc == 1 ? 8 : 4);
    if (!vector && opc == 3)
        hint_only(i);
    else
        pn_inst_add_dst(i, data(vector, rd(w)));
    return true;
}

static bool pair(pn_inst *i, uint32_t w)
{
    bool vector = bit(w, 26), load = bit(w, 22);
    unsigned opc = bits(w, 31, 30), mode = bits(w, 24, 23);
    if (opc == 3 || (!vector && opc == 1 && !load))
        return false; /* stgp */
    unsigned bytes = vector ? 4u << opc : opc == 2 ? 8 : 4;
    access(i, load, !load, 2 * bytes);
    if (mode == 0)
        i->flags |= PN_INST_NT;
    if (load) {
        pn_inst_add_dst(i, data(vector, rd(w)));
        pn_inst_add_dst(i, data(vector, ra(w)));
    } else {
        pn_inst_add_src(i, data(vector, rd(w)));
        pn_inst_add_src(i, data(vector, ra(w)));
    }
    base(i, w, mode & 1);
    return true;
}

/* ldadd, swp and kin; ldapr. */
static bool atomics(pn_inst *i, uint32_t w)
{
    bool o3 = bit(w, 15);
    unsigned opc = bits(w, 14, 12), bytes = 1u << bits(w, 31, 30);
    if (bit(w, 26))
        return false;
    base(i, w, false);
    pn_inst_add_dst(i, gpr(rd(w)));
    if (o3 && opc == 4) {
        access(i, true, false, bytes);
        i->flags |= PN_INST_ACQUIRE;
        return true;
    }
    if (o3 && opc != 0)
        return false;
    access(i, true, true, bytes);
    atomic(i, bit(w, 23), bit(w, 22));
    pn_inst_add_src(i, gpr(rm(w)));
    return true;
}

/* One register: unsigned offset, unscaled, pre- and post-indexed, register offset. */
static bool single(pn_inst *i, uint32_t w)
{
    bool vector = bit(w, 26), scaled = bit(w, 24), by_register = !scaled && bit(w, 21);
    unsigned size = bits(w, 31, 30), opc = bits(w, 23, 22), mode = bits(w, 11, 10);
    if (by_register && mode == 0)
        return atomics(i, w);
    if (by_register && mode != 2)
        return false; /* ldraa */
    bool writeback = !scaled && !by_register && (mode & 1);
    bool load = vector ? opc & 1 : opc != 0;
    bool prefetch = !vector && size == 3 && opc == 2;
    unsigned bytes = vector && opc & 2 ? 16 : 1u << size;
    if ((vector && opc & 2 && size != 0) || (!vector && size >= 2 && opc == 3))
        return false;
    access(i, load, !load, bytes);
    if (by_register)
        pn_inst_add_addr(i, gpr(rm(w)));
    if (prefetch)
        hint_only(i);
    else if (load)
        pn_inst_add_dst(i, data(vector, rd(w)));
    else
        pn_inst_add_src(i, data(vector, rd(w)));
    base(i, w, writeback);
    return true;
}

/* ldapur, stlur. */
static bool rcpc(pn_inst *i, uint32_t w)
{
    bool load = bits(w, 23, 22) != 0;
    access(i, load, !load, 1u << bits(w, 31, 30));
    i->flags |= load ? PN_INST_ACQUIRE : PN_INST_RELEASE;
    if (load)
        pn_inst_add_dst(i, gpr(rd(w)));
    else
        pn_inst_add_src(i, gpr(rd(w)));
    base(i, w, false);
    return true;
}

static bool loads_stores(pn_inst *i, uint32_t w)
{
    switch (bits(w, 29, 28)) {
    case 0:
        if (bit(w, 26))
            return !bit(w, 31) && structures(i, w);
        return bits(w, 25, 24) == 0 && exclusive(i, w);
    case 1:
        if (!bit(w, 24))
            return literal(i, w);
        return !bit(w, 26) && !bit(w, 21) && bits(w, 11, 10) == 0 && rcpc(i, w);
    case 2:
        return pair(i, w);
    default:
        return single(i, w);
    }
}

/* ---- data processing, register --------------------------------------------------------------- */

static bool two_and_three_sources(pn_inst *i, uint32_t w)
{
    pn_inst_add_src(i, gpr(rn(w)));
    pn_inst_add_dst(i, gpr(rd(w)));
    if (bit(w, 24)) { /* madd and kin */
        i->cls = PN_CLASS_INT_MUL;
        pn_inst_add_src(i, gpr(rm(w)));
        pn_inst_add_src(i, gpr(ra(w)));
        return true;
    }
    if (bit(w, 30)) /* one source: rbit, clz, rev */
        return true;
    if (bits(w, 15, 11) == 1)
        i->cls = PN_CLASS_INT_DIV;
    pn_inst_add_src(i, gpr(rm(w)));
    return true;
}

static bool data_register(pn_inst *i, uint32_t w)
{
    unsigned op2 = bits(w, 24, 21);
    i->cls = PN_CLASS_INT;
    if (!bit(w, 28)) { /* logical, add, sub */
        bool extended = (op2 & 9) == 9;
        bool flags = op2 & 8 ? bit(w, 29) : bits(w, 30, 29) == 3;
        pn_inst_add_src(i, extended ? gpr_sp(rn(w)) : gpr(rn(w)));
        pn_inst_add_src(i, gpr(rm(w)));
        pn_inst_add_dst(i, extended && !flags ? gpr_sp(rd(w)) : gpr(rd(w)));
        if (flags)
            pn_inst_add_dst(i, PN_REG_FLAGS);
        return true;
    }
    switch (op2) {
    case 0: /* adc, sbc */
        pn_inst_add_src(i, gpr(rn(w)));
        pn_inst_add_src(i, gpr(rm(w)));
        pn_inst_add_src(i, PN_REG_FLAGS);
        pn_inst_add_dst(i, gpr(rd(w)));
        if (bit(w, 29))
            pn_inst_add_dst(i, PN_REG_FLAGS);
        return true;
    case 2: /* ccmp, ccmn */
        pn_inst_add_src(i, gpr(rn(w)));
        if (!bit(w, 11))
            pn_inst_add_src(i, gpr(rm(w)));
        pn_inst_add_src(i, PN_REG_FLAGS);
        pn_inst_add_dst(i, PN_REG_FLAGS);
        return true;
    case 4: /* csel and kin */
        pn_inst_add_src(i, gpr(rn(w)));
        pn_inst_add_src(i, gpr(rm(w)));
        pn_inst_add_src(i, PN_REG_FLAGS);
        pn_inst_add_dst(i, gpr(rd(w)));
        return true;
    default:
        return (op2 == 6 || op2 >= 8) && two_and_three_sources(i, w);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

static void set_uops(pn_inst *i)
{
    /* Structure loads and stores of several registers: one access each on common cores. */
    enum { DIVIDE = 2 };
    unsigned uops = (i->flags & PN_INST_LOAD ? 1u : 0u) + (i->flags & PN_INST_STORE ? 1u : 0u);
    if (i->flags & PN_INST_ATOMIC)
        uops++;
    if (uops == 0)
        uops = i->cls == PN_CLASS_INT_DIV ? DIVIDE : i->uops;
    i->uops = (uint8_t)(uops ? uops : 1);
}

bool pn_decode_a64(pn_inst *inst)
{
    if (inst->length != 4)
        return false;
    uint32_t w = inst->bytes[0] | (uint32_t)inst->bytes[1] << 8 | (uint32_t)inst->bytes[2] << 16 |
                 (uint32_t)inst->bytes[3] << 24;
    bool known;
    switch (bits(w, 28, 25)) {
    case 8:
    case 9:
        known = data_immediate(inst, w);
        break;
    case 10:
    case 11:
        known = branches(inst, w);
        break;
    case 4:
    case 6:
    case 12:
    case 14:
        known = loads_stores(inst, w);
        break;
    case 5:
    case 13:
        known = data_register(inst, w);
        break;
    case 7:
    case 15:
        known = pn_decode_a64_fp_simd(inst, w);
        break;
    default:
        known = false;
    }
    set_uops(inst);
    return known;
}
