/* inst.h - what is known about one static instruction: the decoder's result.
 *
 * The record is the same for x86-64 and AArch64, so a core model never looks at instruction bytes.
 * Registers have one numbering for both (below); 0 means none.
 *
 * Assumptions: partial registers are their full register (al is rax; s0 is v0); all condition flags
 * are one register; the zero register of AArch64 is none; rip and pc are never listed.
 * NOT modelled: x87 stack positions (st0..st7 are taken as fixed registers), segment registers,
 * control and debug registers, exceptions. */
#ifndef PN_TRACE_INST_H
#define PN_TRACE_INST_H

#include <stdbool.h>
#include <stdint.h>

typedef enum pn_isa { PN_ISA_UNKNOWN = 0, PN_ISA_X86_64 = 1, PN_ISA_AARCH64 = 2 } pn_isa;

/* Register numbers. x86-64: rax rcx rdx rbx rsp rbp rsi rdi r8..r15 = 1..16.
 * AArch64: x0..x30 = 1..31, sp = 32. Unknown ISA (ChampSim): the foreign number, any of 1..255, but
 * for the stack pointer and the flags, which trade places so that they are PN_REG_X86_RSP and
 * PN_REG_FLAGS. */
enum {
    PN_REG_NONE = 0,
    PN_REG_INT = 1,
    PN_REG_X86_RSP = PN_REG_INT + 4,
    PN_REG_A64_LR = PN_REG_INT + 30,
    PN_REG_A64_SP = 32,
    PN_REG_FLAGS = 33,
    PN_REG_VEC = 64,   /* xmm/ymm/zmm0..31, v0..v31 */
    PN_REG_X87 = 96,   /* st0..st7 and mm0..mm7 */
    PN_REG_MASK = 104, /* k0..k7, p0..p15 */
    PN_REG_OTHER = 120 /* anything else with a name: fpcr, system registers; not mxcsr */
};

/* What the instruction does once its memory operands are there. A plain load or store has class
 * LOAD or STORE; `add rax, [rbx]` has class INT and the flag LOAD. */
#define PN_CLASS_LIST(X)        \
    X(UNKNOWN, "unknown")       \
    X(NOP, "nop")               \
    X(INT, "int")               \
    X(INT_MUL, "int-multiply")  \
    X(INT_DIV, "int-divide")    \
    X(FP_ADD, "fp-add")         \
    X(FP_MUL, "fp-multiply")    \
    X(FP_FMA, "fp-fused")       \
    X(FP_DIV, "fp-divide")      \
    X(FP_CVT, "fp-convert")     \
    X(FP_MOVE, "fp-move")       \
    X(VEC_INT, "simd-int")      \
    X(VEC_MUL, "simd-multiply") \
    X(CRYPTO, "crypto")         \
    X(LOAD, "load")             \
    X(STORE, "store")           \
    X(BRANCH, "branch")         \
    X(FENCE, "fence")           \
    X(SYSTEM, "system")

typedef enum pn_class {
#define PN_CLASS_ENUM(name, text) PN_CLASS_##name,
    PN_CLASS_LIST(PN_CLASS_ENUM)
#undef PN_CLASS_ENUM
        PN_CLASS_COUNT
} pn_class;

typedef enum pn_branch {
    PN_BRANCH_NONE = 0,
    PN_BRANCH_COND,          /* conditional, direct */
    PN_BRANCH_JUMP,          /* unconditional, direct */
    PN_BRANCH_JUMP_INDIRECT, /* through a register or memory */
    PN_BRANCH_CALL,
    PN_BRANCH_CALL_INDIRECT,
    PN_BRANCH_RETURN,
    PN_BRANCH_COUNT
} pn_branch;

/* Flags of a static instruction. */
enum {
    PN_INST_LOAD = 1 << 0,       /* reads memory */
    PN_INST_STORE = 1 << 1,      /* writes memory */
    PN_INST_ATOMIC = 1 << 2,     /* locked, exclusive, or a read-modify-write in one go */
    PN_INST_FENCE = 1 << 3,      /* orders memory; x86 locked instructions carry it too */
    PN_INST_ACQUIRE = 1 << 4,    /* later accesses wait for this load */
    PN_INST_RELEASE = 1 << 5,    /* this store waits for earlier accesses */
    PN_INST_PREFETCH = 1 << 6,   /* the access is only a hint; QEMU does not report its address */
    PN_INST_CACHE_OP = 1 << 7,   /* clean, flush, invalidate or zero a line (dc zva); no address */
    PN_INST_REP = 1 << 8,        /* x86 string instruction with a repeat prefix */
    PN_INST_LANES = 1 << 9,      /* gather or scatter: one address per lane */
    PN_INST_MORE_REGS = 1 << 10, /* more registers than the lists hold */
    PN_INST_UNDECODED = 1 << 11, /* the decoder does not know it: class, registers are unknown */
    PN_INST_NO_BYTES = 1 << 12,  /* no instruction bytes: from a format that has none */
    PN_INST_NT = 1 << 13         /* non-temporal access */
};

enum { PN_INST_DST = 6, PN_INST_ADDR = 4, PN_INST_SRC = 6, PN_INST_BYTES = 15 };

typedef struct pn_inst {
    uint64_t pc;
    uint64_t target; /* of a direct branch, else 0 */
    uint32_t id;     /* dense number within one open trace or one writer */
    uint16_t flags;
    uint8_t length; /* bytes; 0 = not known */
    uint8_t cls;    /* pn_class */
    uint8_t branch; /* pn_branch */
    uint8_t uops;   /* micro-ops, 1..255: one per load, one per store, one for the operation */
    uint8_t load_bytes, store_bytes; /* per operand as decoded; 0 = none or not known */
    uint8_t n_dst, n_addr, n_src;
    uint8_t writeback;          /* base register updated by the addressing, also in dst; 0 = none */
    uint8_t dst[PN_INST_DST];   /* registers written */
    uint8_t addr[PN_INST_ADDR]; /* registers any memory address is made of */
    uint8_t src[PN_INST_SRC];   /* registers read otherwise: operands, the data of a store */
    uint8_t bytes[PN_INST_BYTES];
} pn_inst;

/* Names for text output: "x86-64", "int-multiply", "call"; "unknown" out of range. Static. */
const char *pn_isa_name(unsigned isa);
const char *pn_class_name(unsigned cls);
const char *pn_branch_name(unsigned branch);
/* "rax", "x30", "v3", "flags"; written to text, at most 16 bytes. */
void pn_reg_name(char text[16], unsigned reg, unsigned isa);

/* The pc after it, when it does not branch. */
static inline uint64_t pn_inst_end(const pn_inst *inst)
{
    return inst->pc + inst->length;
}

#endif
