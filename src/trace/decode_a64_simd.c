/* decode_a64_simd.c - the floating-point and SIMD half of decode_a64.c. */
#include "trace/decode_a64.h"

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

bool pn_decode_a64_fp_simd(pn_inst *i, uint32_t w)
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
