/* decode_x86.c - x86-64 by Zydis; see decode.h.
 *
 * Zydis gives operands with their accesses; what is added here: the class (by category and
 * mnemonic), stack operations whose rsp is an address with write-back rather than data, zeroing
 * idioms without sources, and merging writes of 8- and 16-bit registers, which read the rest. */
#include <string.h>

#include <Zydis/Zydis.h>

#include "trace/decode.h"

typedef struct x86 {
    ZydisDecodedInstruction i;
    ZydisDecodedOperand ops[ZYDIS_MAX_OPERAND_COUNT];
    const char *name; /* mnemonic without a leading v of AVX */
    bool stack;       /* push, pop, call, ret and kin */
} x86;

/* ---- registers ------------------------------------------------------------------------------- */

static unsigned map_register(ZydisRegister reg)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (whole == ZYDIS_REGISTER_NONE)
        whole = reg;
    unsigned id = (uint8_t)ZydisRegisterGetId(whole); /* -1 only where it is not used */
    /* Cores rename or predict the modes and sticky flags of floating point. */
    if (reg == ZYDIS_REGISTER_MXCSR || reg == ZYDIS_REGISTER_X87CONTROL ||
        reg == ZYDIS_REGISTER_X87STATUS || reg == ZYDIS_REGISTER_X87TAG)
        return PN_REG_NONE;
    switch (ZydisRegisterGetClass(whole)) {
    case ZYDIS_REGCLASS_GPR64:
        return PN_REG_INT + id;
    case ZYDIS_REGCLASS_XMM:
    case ZYDIS_REGCLASS_YMM:
    case ZYDIS_REGCLASS_ZMM:
        return PN_REG_VEC + id;
    case ZYDIS_REGCLASS_X87:
    case ZYDIS_REGCLASS_MMX:
        return PN_REG_X87 + id;
    case ZYDIS_REGCLASS_MASK:
        return PN_REG_MASK + id;
    case ZYDIS_REGCLASS_FLAGS:
        return PN_REG_FLAGS;
    case ZYDIS_REGCLASS_IP:
    case ZYDIS_REGCLASS_SEGMENT:
    case ZYDIS_REGCLASS_INVALID:
        return PN_REG_NONE;
    default:
        return PN_REG_OTHER;
    }
}

static bool reads(const ZydisDecodedOperand *op)
{
    return op->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

static bool writes(const ZydisDecodedOperand *op)
{
    return op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static void take_register(pn_inst *inst, const x86 *x, const ZydisDecodedOperand *op)
{
    unsigned reg = map_register(op->reg.value);
    if (x->stack && reg == PN_REG_X86_RSP && op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) {
        inst->writeback = PN_REG_X86_RSP;
        pn_inst_add_dst(inst, reg);
        return;
    }
    bool general = reg >= PN_REG_INT && reg < PN_REG_INT + 16;
    /* A small or conditional write keeps what it does not write. */
    bool merges =
        (writes(op) && general && op->size < 32) || op->actions & ZYDIS_OPERAND_ACTION_CONDWRITE;
    if (reads(op) || merges)
        pn_inst_add_src(inst, reg);
    if (writes(op))
        pn_inst_add_dst(inst, reg);
}

static uint8_t operand_bytes(const ZydisDecodedOperand *op)
{
    unsigned bytes = op->size / 8u;
    return (uint8_t)(bytes > 255 ? 255 : bytes);
}

static void take_memory(pn_inst *inst, const ZydisDecodedOperand *op)
{
    unsigned base = map_register(op->mem.base), index = map_register(op->mem.index);
    if (op->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
        pn_inst_add_src(inst, base);
        pn_inst_add_src(inst, index);
        return;
    }
    if (!reads(op) && !writes(op))
        return;
    pn_inst_add_addr(inst, base);
    pn_inst_add_addr(inst, index);
    if (op->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        inst->flags |= PN_INST_LANES;
    if (reads(op)) {
        inst->flags |= PN_INST_LOAD;
        inst->load_bytes = operand_bytes(op);
    }
    if (writes(op)) {
        inst->flags |= PN_INST_STORE;
        inst->store_bytes = operand_bytes(op);
    }
}

static bool starts(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool any(const char *name, const char *const *prefixes)
{
    for (; *prefixes; prefixes++) {
        if (starts(name, *prefixes))
            return true;
    }
    return false;
}

/* xor and kin with the same register twice: the result does not depend on it. */
static bool zeroing(const x86 *x)
{
    static const char *const names[] = {"xor", "sub", "pxor", "psub", "pcmpgt", NULL};
    if (!any(x->name, names))
        return false;
    ZydisRegister first = ZYDIS_REGISTER_NONE;
    unsigned read = 0;
    for (unsigned i = 0; i < x->i.operand_count_visible; i++) {
        const ZydisDecodedOperand *op = &x->ops[i];
        if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
            return false;
        if (!reads(op))
            continue;
        if (read++ && op->reg.value != first)
            return false;
        first = op->reg.value;
    }
    return read == 2 && strncmp(x->name, "subs", 4) != 0 && strncmp(x->name, "subp", 4) != 0;
}

static void take_operands(pn_inst *inst, const x86 *x)
{
    for (unsigned i = 0; i < x->i.operand_count; i++) {
        const ZydisDecodedOperand *op = &x->ops[i];
        if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
            take_register(inst, x, op);
        else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
            take_memory(inst, op);
    }
    if (zeroing(x))
        inst->n_src = 0;
}

/* ---- classes --------------------------------------------------------------------------------- */

static pn_class class_vector(const char *name)
{
    static const char *const fused[] = {"fmadd", "fmsub", "fnmadd", "fnmsub", NULL};
    static const char *const multiply[] = {"mulp", "muls", "rcp", "rsqrt", NULL};
    static const char *const divide[] = {"divp", "divs", "sqrt", NULL};
    static const char *const add[] = {"addp", "addsub", "addss",  "addsd", "subp", "subss", "subsd",
                                      "hadd", "hsub",   "maxp",   "maxs",  "minp", "mins",  "cmpp",
                                      "cmps", "comis",  "ucomis", "round", "dpp",  NULL};
    static const char *const moves[] = {"mov", "lddqu", "maskmov", "pmovmskb", NULL};
    static const char *const int_multiply[] = {"pmul", "pmadd", "psadbw", "mpsadbw", NULL};
    static const char *const crypto[] = {"aes", "sha", "pclmul", "gf2p8", NULL};
    const struct {
        const char *const *names;
        pn_class cls;
    } table[] = {{fused, PN_CLASS_FP_FMA},  {multiply, PN_CLASS_FP_MUL},
                 {divide, PN_CLASS_FP_DIV}, {add, PN_CLASS_FP_ADD},
                 {moves, PN_CLASS_FP_MOVE}, {int_multiply, PN_CLASS_VEC_MUL},
                 {crypto, PN_CLASS_CRYPTO}};
    if (starts(name, "cvt"))
        return PN_CLASS_FP_CVT;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (any(name, table[i].names))
            return table[i].cls;
    }
    return PN_CLASS_VEC_INT; /* logic, shuffles, integer arithmetic */
}

static pn_class class_x87(const char *name)
{
    static const char *const convert[] = {"fild", "fist", "fbld", "fbstp", NULL};
    static const char *const moves[] = {"fld",     "fst",  "fxch",  "fcmov",  "ffree",  "fincstp",
                                        "fdecstp", "fnst", "fwait", "fnclex", "fninit", NULL};
    static const char *const slow[] = {"fdiv",   "fidiv", "fsqrt", "fsin",  "fcos",   "fptan",
                                       "fpatan", "fyl2x", "f2xm1", "fprem", "fscale", NULL};
    if (any(name, convert))
        return PN_CLASS_FP_CVT;
    if (any(name, moves))
        return PN_CLASS_FP_MOVE;
    if (any(name, slow))
        return PN_CLASS_FP_DIV;
    return starts(name, "fmul") || starts(name, "fimul") ? PN_CLASS_FP_MUL : PN_CLASS_FP_ADD;
}

static bool touches_vector(const x86 *x)
{
    for (unsigned i = 0; i < x->i.operand_count_visible; i++) {
        if (x->ops[i].type != ZYDIS_OPERAND_TYPE_REGISTER)
            continue;
        ZydisRegisterClass c = ZydisRegisterGetClass(x->ops[i].reg.value);
        if (c == ZYDIS_REGCLASS_XMM || c == ZYDIS_REGCLASS_YMM || c == ZYDIS_REGCLASS_ZMM ||
            c == ZYDIS_REGCLASS_MMX)
            return true;
    }
    return false;
}

static pn_class class_int(const char *name)
{
    if (starts(name, "mul") || starts(name, "imul"))
        return PN_CLASS_INT_MUL;
    return starts(name, "div") || starts(name, "idiv") ? PN_CLASS_INT_DIV : PN_CLASS_INT;
}

static pn_class class_of(const x86 *x)
{
    switch (x->i.meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_UNCOND_BR:
        return PN_CLASS_BRANCH;
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
    case ZYDIS_CATEGORY_CET:
        return PN_CLASS_NOP;
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_IO:
    case ZYDIS_CATEGORY_IOSTRINGOP:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
    case ZYDIS_CATEGORY_RDRAND:
    case ZYDIS_CATEGORY_RDSEED:
    case ZYDIS_CATEGORY_PKU:
    case ZYDIS_CATEGORY_CLFLUSHOPT:
    case ZYDIS_CATEGORY_CLWB:
    case ZYDIS_CATEGORY_CLDEMOTE:
    case ZYDIS_CATEGORY_SERIALIZE:
        return PN_CLASS_SYSTEM;
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
        return PN_CLASS_LOAD;
    case ZYDIS_CATEGORY_X87_ALU:
    case ZYDIS_CATEGORY_FCMOV:
        return class_x87(x->name);
    default:
        return touches_vector(x) ? class_vector(x->name) : class_int(x->name);
    }
}

/* A plain move from or to memory is LOAD or STORE. */
static pn_class refine(pn_class cls, const pn_inst *inst, const x86 *x)
{
    static const char *const plain[] = {"mov", "push", "pop",       "leave", "stos", "lods",
                                        "fld", "fst",  "broadcast", "lddqu", NULL};
    if ((cls != PN_CLASS_INT && cls != PN_CLASS_FP_MOVE && cls != PN_CLASS_VEC_INT) ||
        !any(x->name, plain))
        return cls;
    if (inst->flags & PN_INST_STORE)
        return PN_CLASS_STORE;
    return inst->flags & PN_INST_LOAD ? PN_CLASS_LOAD : cls;
}

/* ---- flags, branches, micro-ops -------------------------------------------------------------- */

static void set_flags(pn_inst *inst, const x86 *x)
{
    bool memory = inst->flags & (PN_INST_LOAD | PN_INST_STORE);
    ZydisInstructionAttributes a = x->i.attributes;
    if (memory && (a & ZYDIS_ATTRIB_HAS_LOCK || x->i.mnemonic == ZYDIS_MNEMONIC_XCHG))
        inst->flags |= PN_INST_ATOMIC | PN_INST_FENCE;
    if (a & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        inst->flags |= PN_INST_REP;
    if (x->i.meta.category == ZYDIS_CATEGORY_PREFETCH ||
        x->i.meta.category == ZYDIS_CATEGORY_PREFETCHWT1) {
        inst->flags =
            (uint16_t)((inst->flags & ~(PN_INST_LOAD | PN_INST_STORE)) | PN_INST_PREFETCH);
        inst->load_bytes = inst->store_bytes = 0;
    }
    if (starts(x->name, "clflush") || starts(x->name, "clwb") || starts(x->name, "cldemote")) {
        inst->flags =
            (uint16_t)((inst->flags & ~(PN_INST_LOAD | PN_INST_STORE)) | PN_INST_CACHE_OP);
        inst->load_bytes = inst->store_bytes = 0;
        inst->cls = PN_CLASS_SYSTEM;
    }
    if (starts(x->name, "movnt") || starts(x->name, "maskmovdq"))
        inst->flags |= PN_INST_NT;
    if (x->i.mnemonic == ZYDIS_MNEMONIC_MFENCE || x->i.mnemonic == ZYDIS_MNEMONIC_LFENCE ||
        x->i.mnemonic == ZYDIS_MNEMONIC_SFENCE) {
        inst->cls = PN_CLASS_FENCE;
        inst->flags |= PN_INST_FENCE;
    }
    if (x->i.mnemonic == ZYDIS_MNEMONIC_CPUID || x->i.mnemonic == ZYDIS_MNEMONIC_RDTSC ||
        x->i.mnemonic == ZYDIS_MNEMONIC_RDTSCP || x->i.mnemonic == ZYDIS_MNEMONIC_PAUSE)
        inst->cls = PN_CLASS_SYSTEM;
}

static void set_branch(pn_inst *inst, const x86 *x)
{
    const ZydisDecodedOperand *to = &x->ops[0];
    bool direct = to->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
    switch (x->i.meta.category) {
    case ZYDIS_CATEGORY_CALL:
        inst->branch = direct ? PN_BRANCH_CALL : PN_BRANCH_CALL_INDIRECT;
        break;
    case ZYDIS_CATEGORY_RET:
        inst->branch = PN_BRANCH_RETURN;
        return;
    case ZYDIS_CATEGORY_COND_BR:
        inst->branch = PN_BRANCH_COND;
        break;
    case ZYDIS_CATEGORY_UNCOND_BR:
        inst->branch = direct ? PN_BRANCH_JUMP : PN_BRANCH_JUMP_INDIRECT;
        break;
    default:
        return;
    }
    ZyanU64 target = 0;
    if (direct && ZYAN_SUCCESS(ZydisCalcAbsoluteAddress(&x->i, to, inst->pc, &target)))
        inst->target = target;
}

static void set_uops(pn_inst *inst, const x86 *x)
{
    /* Guesses for operations that are more than one step on every wide core. */
    enum { DIVIDE = 4, WIDE_MULTIPLY = 2, EXCHANGE = 3, SYSTEM = 8 };
    unsigned uops =
        (inst->flags & PN_INST_LOAD ? 1u : 0u) + (inst->flags & PN_INST_STORE ? 1u : 0u);
    if (inst->cls == PN_CLASS_SYSTEM)
        uops += SYSTEM;
    else if (inst->cls == PN_CLASS_INT_DIV)
        uops += DIVIDE;
    else if (inst->cls == PN_CLASS_INT_MUL && inst->n_dst > 2)
        uops += WIDE_MULTIPLY;
    else if (x->i.mnemonic == ZYDIS_MNEMONIC_XCHG || starts(x->name, "cmpxchg"))
        uops += EXCHANGE;
    else if ((inst->cls != PN_CLASS_LOAD && inst->cls != PN_CLASS_STORE) || uops == 0)
        uops += 1;
    inst->uops = (uint8_t)uops;
}

bool pn_decode_x86(pn_inst *inst)
{
    ZydisDecoder decoder;
    x86 x;
    if (!ZYAN_SUCCESS(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)))
        return false;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, inst->bytes, inst->length, &x.i, x.ops)) ||
        x.i.length != inst->length)
        return false;
    x.name = ZydisMnemonicGetString(x.i.mnemonic);
    if (!x.name)
        return false;
    bool avx = x.i.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
               x.i.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    if (avx && x.name[0] == 'v')
        x.name++;
    ZydisInstructionCategory c = x.i.meta.category;
    x.stack = c == ZYDIS_CATEGORY_PUSH || c == ZYDIS_CATEGORY_POP || c == ZYDIS_CATEGORY_CALL ||
              c == ZYDIS_CATEGORY_RET;
    pn_class cls = class_of(&x);
    if (cls == PN_CLASS_NOP) { /* its operands are only padding */
        inst->cls = PN_CLASS_NOP;
        return true;
    }
    take_operands(inst, &x);
    inst->cls = (uint8_t)refine(cls, inst, &x);
    set_flags(inst, &x);
    set_branch(inst, &x);
    set_uops(inst, &x);
    return true;
}
