/* decode_a64.h - fields and registers of AArch64 instruction words. Private to the decoder. */
#ifndef PN_TRACE_DECODE_A64_H
#define PN_TRACE_DECODE_A64_H

#include "trace/decode.h"

/* A field of the instruction word. */
static inline uint32_t bits(uint32_t w, unsigned high, unsigned low)
{
    return w >> low & ((2u << (high - low)) - 1u);
}

static inline bool bit(uint32_t w, unsigned at)
{
    return w >> at & 1;
}

/* General register; 31 is the zero register, or the stack pointer where the encoding says so. */
static inline unsigned gpr(unsigned r)
{
    return r == 31 ? PN_REG_NONE : PN_REG_INT + r;
}

static inline unsigned gpr_sp(unsigned r)
{
    return r == 31 ? PN_REG_A64_SP : PN_REG_INT + r;
}

static inline unsigned vec(unsigned r)
{
    return PN_REG_VEC + (r & 31);
}

static inline unsigned data(bool vector, unsigned r)
{
    return vector ? vec(r) : gpr(r);
}

static inline unsigned rd(uint32_t w)
{
    return bits(w, 4, 0);
}

static inline unsigned rn(uint32_t w)
{
    return bits(w, 9, 5);
}

static inline unsigned rm(uint32_t w)
{
    return bits(w, 20, 16);
}

static inline unsigned ra(uint32_t w)
{
    return bits(w, 14, 10);
}

/* Scalar floating point, Advanced SIMD, cryptography. False: not known. */
bool pn_decode_a64_fp_simd(pn_inst *i, uint32_t w);

#endif
