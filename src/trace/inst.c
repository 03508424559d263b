/* inst.c - names; see inst.h. */
#include "trace/inst.h"

#include <stddef.h>
#include <stdio.h>

const char *pn_isa_name(unsigned isa)
{
    static const char *const names[] = {"unknown", "x86-64", "aarch64"};
    return isa < sizeof names / sizeof *names ? names[isa] : names[0];
}

const char *pn_class_name(unsigned cls)
{
    static const char *const names[PN_CLASS_COUNT] = {
#define PN_CLASS_NAME(name, text) text,
        PN_CLASS_LIST(PN_CLASS_NAME)
#undef PN_CLASS_NAME
    };
    return cls < PN_CLASS_COUNT ? names[cls] : names[0];
}

const char *pn_branch_name(unsigned branch)
{
    static const char *const names[PN_BRANCH_COUNT] = {
        "none", "conditional", "jump", "jump-indirect", "call", "call-indirect", "return"};
    return branch < PN_BRANCH_COUNT ? names[branch] : "unknown";
}

void pn_reg_name(char text[16], unsigned reg, unsigned isa)
{
    static const char *const x86[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
    enum { SIZE = 16 };
    if (reg == PN_REG_NONE)
        (void)snprintf(text, SIZE, "none");
    else if (reg == PN_REG_FLAGS)
        (void)snprintf(text, SIZE, "flags");
    else if (isa != PN_ISA_X86_64 && isa != PN_ISA_AARCH64)
        (void)snprintf(text, SIZE, "r#%u", reg);
    else if (reg >= PN_REG_OTHER)
        (void)snprintf(text, SIZE, "other");
    else if (reg >= PN_REG_MASK)
        (void)snprintf(text, SIZE, isa == PN_ISA_X86_64 ? "k%u" : "p%u", reg - PN_REG_MASK);
    else if (reg >= PN_REG_X87)
        (void)snprintf(text, SIZE, "st%u", reg - PN_REG_X87);
    else if (reg >= PN_REG_VEC)
        (void)snprintf(text, SIZE, isa == PN_ISA_X86_64 ? "xmm%u" : "v%u", reg - PN_REG_VEC);
    else if (isa == PN_ISA_X86_64 && reg <= 8)
        (void)snprintf(text, SIZE, "%s", x86[reg - PN_REG_INT]);
    else if (isa == PN_ISA_X86_64)
        (void)snprintf(text, SIZE, "r%u", reg - PN_REG_INT);
    else if (reg == PN_REG_A64_SP)
        (void)snprintf(text, SIZE, "sp");
    else
        (void)snprintf(text, SIZE, "x%u", reg - PN_REG_INT);
}
