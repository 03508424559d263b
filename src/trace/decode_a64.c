/* decode_a64.c - AArch64 from the encodings of the Arm Architecture Reference Manual (section C4,
 * "A64 instruction set encoding"); see decode.h.
 *
 * Covers base, FP and Advanced SIMD, cryptography, LSE atomics, RCpc, pointer authentication hints.
 * NOT covered (UNDECODED): SVE, SME, memory tagging stores, 64-byte atomics. */
#include "trace/decode.h"

/* A field of the instruction word. */
static uint32_t bits(uint32_t w, unsigned high, unsigned low)
{
    return w >> low & ((2u << (high - low)) - 1u);
}

static bool bit(uint32_t w, unsigned at)
{
    return w >> at & 1;
}

/* General register; 31 is the zero register, or the stack pointer where the encoding says so. */
static unsigned gpr(unsigned r)
{
    return r == 31 ? PN_REG_NONE : PN_REG_INT + r;
}

static unsigned gpr_sp(unsigned r)
{
    return r == 31 ? PN_REG_A64_SP : PN_REG_INT + r;
}

static unsigned vec(unsigned r)
{
    return PN_REG_VEC + (r & 31);
}

static unsigned data(bool vector, unsigned r)
{
    return vector ? vec(r) : gpr(r);
}

static unsigned rd(uint32_t w)
{
    return bits(w, 4, 0);
}

static unsigned rn(uint32_t w)
{
    return bits(w, 9, 5);
}

static unsigned rm(uint32_t w)
{
    return bits(w, 20, 16);
}

static unsigned ra(uint32_t w)
{
    return bits(w, 14, 10);
}

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

/* ---- scalar floating point ------------------------------------------------------------------- */

static bool fp_convert(pn_inst *i, uint32_t w, bool fixed)
{
    unsigned opcode = bits(w, 18, 16);
    bool from_int = opcode == 2 || opcode == 3 || (!fixed && opcode == 7);
    i->cls = !fixed && opcode >= 6 && bits(w, 20, 19) != 3 ? PN_CLASS_FP_MOVE : PN_CLASS_FP_CVT;
    pn_inst_add_src(i, from_int ? gpr(rn(w)) : vec(rn(w)));
    pn_inst_add_dst(i, from_int ? vec(rd(w)) : gpr(rd(w)));
    return true;
}

static bool fp_one_source(pn_inst *i, uint32_t w)
{
    unsigned opcode = bits(w, 20, 15);
    i->cls = opcode == 0                 ? PN_CLASS_FP_MOVE
             : opcode == 3               ? PN_CLASS_FP_DIV
             : opcode >= 4 && opcode < 8 ? PN_CLASS_FP_CVT
                                         : PN_CLASS_FP_ADD;
    pn_inst_add_src(i, vec(rn(w)));
    pn_inst_add_dst(i, vec(rd(w)));
    return true;
}

static bool fp_scalar(pn_inst *i, uint32_t w)
{
    if (bit(w, 24)) { /* fmadd and kin */
        i->cls = PN_CLASS_FP_FMA;
        pn_inst_add_src(i, vec(rn(w)));
        pn_inst_add_src(i, vec(rm(w)));
        pn_inst_add_src(i, vec(ra(w)));
        pn_inst_add_dst(i, vec(rd(w)));
        return true;
    }
    if (!bit(w, 21))
        return fp_convert(i, w, true);
    if (bits(w, 15, 10) == 0)
        return fp_convert(i, w, false);
    if (bits(w, 14, 10) == 16)
        return fp_one_source(i, w);
    i->cls = PN_CLASS_FP_ADD;
    if (bits(w, 12, 10) == 4) { /* fmov immediate */
        i->cls = PN_CLASS_FP_MOVE;
        pn_inst_add_dst(i, vec(rd(w)));
        return true;
    }
    bool compare = bits(w, 13, 10) == 8, choose = bits(w, 11, 10) != 2;
    pn_inst_add_src(i, vec(rn(w)));
    if (!compare || !bit(w, 3))
        pn_inst_add_src(i, vec(rm(w)));
    if (compare || bits(w, 11, 10) == 1) { /* fcmp, fccmp */
        pn_inst_add_dst(i, PN_REG_FLAGS);
        if (!compare)
            pn_inst_add_src(i, PN_REG_FLAGS);
        return true;
    }
    pn_inst_add_dst(i, vec(rd(w)));
    if (choose) { /* fcsel */
        i->cls = PN_CLASS_FP_MOVE;
        pn_inst_add_src(i, PN_REG_FLAGS);
        return true;
    }
    unsigned opcode = bits(w, 15, 12);
    if (opcode == 0 || opcode == 8)
        i->cls = PN_CLASS_FP_MUL;
    else if (opcode == 1)
        i->cls = PN_CLASS_FP_DIV;
    return true;
}

/* ---- Advanced SIMD, vector and scalar forms -------------------------------------------------- */

/* Sources that are the same for most: Rn, Rm, and Rd where the result merges. */
static void simd(pn_inst *i, uint32_t w, pn_class cls, bool two, bool merges)
{
    i->cls = (uint8_t)cls;
    pn_inst_add_src(i, vec(rn(w)));
    if (two)
        pn_inst_add_src(i, vec(rm(w)));
    if (merges)
        pn_inst_add_src(i, vec(rd(w)));
    pn_inst_add_dst(i, vec(rd(w)));
}

static void three_same(pn_inst *i, uint32_t w)
{
    unsigned opcode = bits(w, 15, 11);
    bool u = bit(w, 29), high = bit(w, 23);
    pn_class cls = PN_CLASS_VEC_INT;
    bool merges = false;
    switch (opcode) {
    case 0x19: /* fmla, fmls */
        cls = PN_CLASS_FP_FMA;
        merges = true;
        break;
    case 0x1b: /* fmul, fmulx */
        cls = PN_CLASS_FP_MUL;
        break;
    case 0x1f: /* fdiv; frecps, frsqrts are fused */
        cls = u ? PN_CLASS_FP_DIV : PN_CLASS_FP_FMA;
        break;
    case 0x18:
    case 0x1a:
    case 0x1c:
    case 0x1d:
    case 0x1e:
        cls = PN_CLASS_FP_ADD;
        break;
    case 0x12: /* mla, mls */
        cls = PN_CLASS_VEC_MUL;
        merges = true;
        break;
    case 0x13: /* mul, pmul */
    case 0x16: /* sqdmulh */
        cls = PN_CLASS_VEC_MUL;
        break;
    case 0x0f: /* saba */
        merges = true;
        break;
    case 0x03: /* logic; bsl, bit, bif merge */
        merges = u && (high || bit(w, 22));
        if (!u && bits(w, 23, 22) == 2 && rn(w) == rm(w))
            cls = PN_CLASS_FP_MOVE; /* mov */
        break;
    default:
        break;
    }
    simd(i, w, cls, true, merges);
}

static void two_misc(pn_inst *i, uint32_t w)
{
    unsigned opcode = bits(w, 16, 12);
    bool u = bit(w, 29), high = bit(w, 23);
    pn_class cls = PN_CLASS_VEC_INT;
    if (opcode == 0x1f)
        cls = PN_CLASS_FP_DIV; /* fsqrt */
    else if (opcode == 0x16 || opcode == 0x17 || opcode == 0x1a || opcode == 0x1b ||
             opcode == 0x1c || opcode == 0x1d)
        cls =
            high && opcode >= 0x1c ? PN_CLASS_FP_MUL : PN_CLASS_FP_CVT; /* estimates: multiplier */
    else if (opcode == 0x18 || opcode == 0x19 || (high && opcode >= 0x0c && opcode <= 0x0f))
        cls = PN_CLASS_FP_ADD;
    bool narrows = opcode == 0x12 || opcode == 0x14 || opcode == 0x16;
    bool accumulates = opcode == 0x06; /* sadalp */
    (void)u;
    simd(i, w, cls, false, (narrows && bit(w, 30)) || accumulates);
}

static void three_different(pn_inst *i, uint32_t w)
{
    unsigned opcode = bits(w, 15, 12);
    bool merges = opcode == 4 || opcode == 5 || opcode == 6 || (opcode >= 8 && opcode <= 11);
    simd(i, w, opcode >= 8 && opcode != 15 ? PN_CLASS_VEC_MUL : PN_CLASS_VEC_INT, true, merges);
}

static void copy(pn_inst *i, uint32_t w)
{
    unsigned imm4 = bits(w, 14, 11);
    bool element = bit(w, 29), to_general = !element && (imm4 == 5 || imm4 == 7);
    bool from_general = !element && (imm4 == 1 || imm4 == 3);
    i->cls = PN_CLASS_FP_MOVE;
    pn_inst_add_src(i, from_general ? gpr(rn(w)) : vec(rn(w)));
    if (element || imm4 == 3)
        pn_inst_add_src(i, vec(rd(w)));
    pn_inst_add_dst(i, to_general ? gpr(rd(w)) : vec(rd(w)));
}

static void table(pn_inst *i, uint32_t w)
{
    for (unsigned k = 0; k <= bits(w, 14, 13); k++)
        pn_inst_add_src(i, vec(rn(w) + k));
    simd(i, w, PN_CLASS_VEC_INT, true, bit(w, 12));
}

/* 01110 and 11110. */
static void simd_registers(pn_inst *i, uint32_t w)
{
    if (bit(w, 21)) {
        if (bit(w, 10))
            three_same(i, w);
        else if (bits(w, 11, 10) == 0)
            three_different(i, w);
        else if (bits(w, 20, 17) == 4 || bits(w, 20, 17) == 5)
            simd(i, w, PN_CLASS_CRYPTO, false, true); /* aes; sha two-register */
        else if (bits(w, 20, 17) == 8)                /* across lanes, scalar pairwise */
            simd(i, w,
                 bits(w, 16, 12) == 0x0c || bits(w, 16, 12) == 0x0f || bits(w, 16, 12) == 0x0d
                     ? PN_CLASS_FP_ADD
                     : PN_CLASS_VEC_INT,
                 false, false);
        else
            two_misc(i, w);
        return;
    }
    if (bit(w, 10) && bit(w, 15)) { /* dot products, complex arithmetic */
        bool dot = bits(w, 14, 11) == 2;
        bool rounding = bits(w, 14, 12) == 0; /* sqrdmlah */
        simd(i, w, dot || rounding ? PN_CLASS_VEC_MUL : PN_CLASS_FP_FMA, true, true);
    } else if (bit(w, 10) && bits(w, 23, 22) == 0) {
        copy(i, w);
    } else if (bit(w, 28)) {
        simd(i, w, PN_CLASS_CRYPTO, true, true); /* sha three-register */
    } else if (bits(w, 11, 10) == 0 && !bit(w, 29)) {
        table(i, w);
    } else {
        simd(i, w, PN_CLASS_VEC_INT, true, false); /* zip, uzp, trn, ext */
    }
}

static void modified_immediate(pn_inst *i, uint32_t w)
{
    unsigned cmode = bits(w, 15, 12);
    i->cls = PN_CLASS_FP_MOVE;
    if (cmode & 1 && cmode < 12) { /* orr, bic */
        i->cls = PN_CLASS_VEC_INT;
        pn_inst_add_src(i, vec(rd(w)));
    }
    pn_inst_add_dst(i, vec(rd(w)));
}

static void by_element(pn_inst *i, uint32_t w)
{
    unsigned opcode = bits(w, 15, 12);
    bool u = bit(w, 29), half = bits(w, 23, 22) < 2 && opcode != 1 && opcode != 5 && opcode != 9;
    pn_class cls = PN_CLASS_VEC_MUL;
    if (!u && (opcode == 1 || opcode == 5))
        cls = PN_CLASS_FP_FMA;
    else if (opcode == 9)
        cls = PN_CLASS_FP_MUL;
    bool product = opcode == 8 || opcode == 9 || opcode >= 10;
    bool dot = opcode == 14 || opcode == 15;
    simd(i, w, cls, false, !product || dot);
    pn_inst_add_src(i, vec(half ? bits(w, 19, 16) : rm(w)));
}

/* 01111 and 11111. */
static void simd_immediate(pn_inst *i, uint32_t w)
{
    if (!bit(w, 10)) {
        by_element(i, w);
    } else if (bits(w, 22, 19) == 0) {
        modified_immediate(i, w);
    } else {
        unsigned opcode = bits(w, 15, 11);
        bool convert = opcode == 0x1c || opcode == 0x1f;
        bool merges = opcode == 2 || opcode == 6 || opcode == 8 || (bit(w, 29) && opcode == 10) ||
                      (opcode >= 16 && opcode < 20 && bit(w, 30));
        simd(i, w, convert ? PN_CLASS_FP_CVT : PN_CLASS_VEC_INT, false, merges);
    }
}

static bool fp_and_simd(pn_inst *i, uint32_t w)
{
    if (bit(w, 28) && !bit(w, 30))
        return !bit(w, 29) && fp_scalar(i, w);
    if (bits(w, 31, 24) == 0xce) { /* sha512, sha3, sm3, sm4 */
        simd(i, w, PN_CLASS_CRYPTO, true, true);
        pn_inst_add_src(i, vec(ra(w)));
        return true;
    }
    if (bit(w, 31))
        return false;
    if (bit(w, 24))
        simd_immediate(i, w);
    else
        simd_registers(i, w);
    return true;
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
        known = fp_and_simd(inst, w);
        break;
    default:
        known = false;
    }
    set_uops(inst);
    return known;
}
