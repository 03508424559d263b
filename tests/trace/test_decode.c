/* test_decode.c - the decoders against the manuals: what each instruction below reads and writes is
 * taken from Intel's and Arm's descriptions, its bytes from the GNU assembler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../cmocka_pn.h"
#include "base/rng.h"
#include "trace/decode.h"

typedef struct row {
    const char *bytes; /* hexadecimal; of AArch64 as one word */
    const char *text;
    pn_class cls;
    pn_branch branch;
    unsigned flags, uops;
    const char *dst, *src, *addr; /* names with blanks; NULL = not looked at */
} row;

static const row x86[] = {
    {"488b04cb", "mov (%rbx,%rcx,8), %rax", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_LOAD, 1, "rax",
     "", "rbx rcx"},
    {"48895608", "mov %rdx, 8(%rsi)", PN_CLASS_STORE, PN_BRANCH_NONE, PN_INST_STORE, 1, "", "rdx",
     "rsi"},
    {"480107", "add %rax, (%rdi)", PN_CLASS_INT, PN_BRANCH_NONE, PN_INST_LOAD | PN_INST_STORE, 3,
     "flags", "rax", "rdi"},
    {"488d0c18", "lea (%rax,%rbx), %rcx", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "rcx", "rax rbx", ""},
    {"55", "push %rbp", PN_CLASS_STORE, PN_BRANCH_NONE, PN_INST_STORE, 1, "rsp", "rbp", "rsp"},
    {"5d", "pop %rbp", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_LOAD, 1, "rbp rsp", "", "rsp"},
    {"c3", "ret", PN_CLASS_BRANCH, PN_BRANCH_RETURN, PN_INST_LOAD, 2, "rsp", "", "rsp"},
    {"31c0", "xor %eax, %eax", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "rax flags", "", ""},
    {"88c8", "mov %cl, %al", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "rax", "rax rcx", ""},
    {"480fafc3", "imul %rbx, %rax", PN_CLASS_INT_MUL, PN_BRANCH_NONE, 0, 1, "rax flags", "rax rbx",
     ""},
    {"48f7f1", "div %rcx", PN_CLASS_INT_DIV, PN_BRANCH_NONE, 0, 4, "rax rdx flags", "rax rdx rcx",
     ""},
    {"4883ff03", "cmp $3, %rdi", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "flags", "rdi", ""},
    {"480f4ed6", "cmovle %rsi, %rdx", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "rdx", "rdx rsi flags",
     ""},
    {"f00fc107", "lock xadd %eax, (%rdi)", PN_CLASS_INT, PN_BRANCH_NONE,
     PN_INST_LOAD | PN_INST_STORE | PN_INST_ATOMIC | PN_INST_FENCE, 3, "rax flags", "rax", "rdi"},
    {"488707", "xchg %rax, (%rdi)", PN_CLASS_INT, PN_BRANCH_NONE,
     PN_INST_LOAD | PN_INST_STORE | PN_INST_ATOMIC | PN_INST_FENCE, 5, "rax", "rax", "rdi"},
    {"0f2806", "movaps (%rsi), %xmm0", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_LOAD, 1, "xmm0", "",
     "rsi"},
    {"c4e275b816", "vfmadd231ps (%rsi), %ymm1, %ymm2", PN_CLASS_FP_FMA, PN_BRANCH_NONE,
     PN_INST_LOAD, 2, "xmm2", "xmm1 xmm2", "rsi"},
    {"f20f59d1", "mulsd %xmm1, %xmm2", PN_CLASS_FP_MUL, PN_BRANCH_NONE, 0, 1, "xmm2", "xmm1 xmm2",
     ""},
    {"0f5ed1", "divps %xmm1, %xmm2", PN_CLASS_FP_DIV, PN_BRANCH_NONE, 0, 1, "xmm2", "xmm1 xmm2",
     ""},
    {"f20f2ad8", "cvtsi2sd %eax, %xmm3", PN_CLASS_FP_CVT, PN_BRANCH_NONE, 0, 1, "xmm3", "rax xmm3",
     ""},
    {"660f3840d1", "pmulld %xmm1, %xmm2", PN_CLASS_VEC_MUL, PN_BRANCH_NONE, 0, 1, "xmm2",
     "xmm1 xmm2", ""},
    {"660fefe4", "pxor %xmm4, %xmm4", PN_CLASS_VEC_INT, PN_BRANCH_NONE, 0, 1, "xmm4", "", ""},
    {"0faef0", "mfence", PN_CLASS_FENCE, PN_BRANCH_NONE, PN_INST_FENCE, 1, "", "", ""},
    {"0f1808", "prefetcht0 (%rax)", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_PREFETCH, 1, "", "",
     "rax"},
    {"0f2b00", "movntps %xmm0, (%rax)", PN_CLASS_STORE, PN_BRANCH_NONE, PN_INST_STORE | PN_INST_NT,
     1, "", "xmm0", "rax"},
    {"ff5308", "call *8(%rbx)", PN_CLASS_BRANCH, PN_BRANCH_CALL_INDIRECT,
     PN_INST_LOAD | PN_INST_STORE, 3, "rsp", "", "rbx rsp"},
    {"ffe0", "jmp *%rax", PN_CLASS_BRANCH, PN_BRANCH_JUMP_INDIRECT, 0, 1, "", "rax", ""},
    {"660f1f0400", "nopw (%rax,%rax)", PN_CLASS_NOP, PN_BRANCH_NONE, 0, 1, "", "", ""},
    {"0fae38", "clflush (%rax)", PN_CLASS_SYSTEM, PN_BRANCH_NONE, PN_INST_CACHE_OP, 8, "", "",
     "rax"},
    {"0f05", "syscall", PN_CLASS_SYSTEM, PN_BRANCH_NONE, 0, 8, NULL, NULL, NULL},
};

static const row a64[] = {
    {"f8627820", "ldr x0, [x1, x2, lsl #3]", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_LOAD, 1, "x0",
     "", "x1 x2"},
    {"f8010c83", "str x3, [x4, #16]!", PN_CLASS_STORE, PN_BRANCH_NONE, PN_INST_STORE, 1, "x4", "x3",
     "x4"},
    {"a8c21be5", "ldp x5, x6, [sp], #32", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_LOAD, 1,
     "x5 x6 sp", "", "sp"},
    {"ad0004e0", "stp q0, q1, [x7]", PN_CLASS_STORE, PN_BRANCH_NONE, PN_INST_STORE, 1, "", "v0 v1",
     "x7"},
    {"8b020020", "add x0, x1, x2", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "x0", "x1 x2", ""},
    {"b1000420", "adds x0, x1, #1", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "x0 flags", "x1", ""},
    {"eb02003f", "cmp x1, x2", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "flags", "x1 x2", ""},
    {"9a820020", "csel x0, x1, x2, eq", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "x0", "x1 x2 flags",
     ""},
    {"9b020c20", "madd x0, x1, x2, x3", PN_CLASS_INT_MUL, PN_BRANCH_NONE, 0, 1, "x0", "x1 x2 x3",
     ""},
    {"9b027c20", "mul x0, x1, x2", PN_CLASS_INT_MUL, PN_BRANCH_NONE, 0, 1, "x0", "x1 x2", ""},
    {"9ac20820", "udiv x0, x1, x2", PN_CLASS_INT_DIV, PN_BRANCH_NONE, 0, 2, "x0", "x1 x2", ""},
    {"f2a00020", "movk x0, #1, lsl #16", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "x0", "x0", ""},
    {"b4000003", "cbz x3", PN_CLASS_BRANCH, PN_BRANCH_COND, 0, 1, "", "x3", ""},
    {"54000000", "b.eq", PN_CLASS_BRANCH, PN_BRANCH_COND, 0, 1, "", "flags", ""},
    {"94000000", "bl", PN_CLASS_BRANCH, PN_BRANCH_CALL, 0, 1, "x30", "", ""},
    {"d65f03c0", "ret", PN_CLASS_BRANCH, PN_BRANCH_RETURN, 0, 1, "", "x30", ""},
    {"d61f00a0", "br x5", PN_CLASS_BRANCH, PN_BRANCH_JUMP_INDIRECT, 0, 1, "", "x5", ""},
    {"d63f00c0", "blr x6", PN_CLASS_BRANCH, PN_BRANCH_CALL_INDIRECT, 0, 1, "x30", "x6", ""},
    {"1e622820", "fadd d0, d1, d2", PN_CLASS_FP_ADD, PN_BRANCH_NONE, 0, 1, "v0", "v1 v2", ""},
    {"1f420c20", "fmadd d0, d1, d2, d3", PN_CLASS_FP_FMA, PN_BRANCH_NONE, 0, 1, "v0", "v1 v2 v3",
     ""},
    {"1e221820", "fdiv s0, s1, s2", PN_CLASS_FP_DIV, PN_BRANCH_NONE, 0, 1, "v0", "v1 v2", ""},
    {"1e61c020", "fsqrt d0, d1", PN_CLASS_FP_DIV, PN_BRANCH_NONE, 0, 1, "v0", "v1", ""},
    {"9e620020", "scvtf d0, x1", PN_CLASS_FP_CVT, PN_BRANCH_NONE, 0, 1, "v0", "x1", ""},
    {"9e660020", "fmov x0, d1", PN_CLASS_FP_MOVE, PN_BRANCH_NONE, 0, 1, "x0", "v1", ""},
    {"1e612000", "fcmp d0, d1", PN_CLASS_FP_ADD, PN_BRANCH_NONE, 0, 1, "flags", "v0 v1", ""},
    {"4e22cc20", "fmla v0.4s, v1.4s, v2.4s", PN_CLASS_FP_FMA, PN_BRANCH_NONE, 0, 1, "v0",
     "v0 v1 v2", ""},
    {"4ea29c20", "mul v0.4s, v1.4s, v2.4s", PN_CLASS_VEC_MUL, PN_BRANCH_NONE, 0, 1, "v0", "v1 v2",
     ""},
    {"4ea28420", "add v0.4s, v1.4s, v2.4s", PN_CLASS_VEC_INT, PN_BRANCH_NONE, 0, 1, "v0", "v1 v2",
     ""},
    {"4e284820", "aese v0.16b, v1.16b", PN_CLASS_CRYPTO, PN_BRANCH_NONE, 0, 1, "v0", "v0 v1", ""},
    {"4cdf0000", "ld4 {v0.16b-v3.16b}, [x0], #64", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_LOAD, 1,
     "v0 v1 v2 v3 x0", "", "x0"},
    {"c85ffc20", "ldaxr x0, [x1]", PN_CLASS_LOAD, PN_BRANCH_NONE,
     PN_INST_LOAD | PN_INST_ATOMIC | PN_INST_ACQUIRE, 2, "x0", "", "x1"},
    {"c802fc20", "stlxr w2, x0, [x1]", PN_CLASS_STORE, PN_BRANCH_NONE,
     PN_INST_STORE | PN_INST_ATOMIC | PN_INST_RELEASE, 2, "x2", "x0", "x1"},
    {"f8200022", "ldadd x0, x2, [x1]", PN_CLASS_STORE, PN_BRANCH_NONE,
     PN_INST_LOAD | PN_INST_STORE | PN_INST_ATOMIC, 3, "x2", "x0", "x1"},
    {"c8a07c22", "cas x0, x2, [x1]", PN_CLASS_STORE, PN_BRANCH_NONE,
     PN_INST_LOAD | PN_INST_STORE | PN_INST_ATOMIC, 3, "x0", "x0 x2", "x1"},
    {"c8dffc20", "ldar x0, [x1]", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_LOAD | PN_INST_ACQUIRE, 1,
     "x0", "", "x1"},
    {"d5033bbf", "dmb ish", PN_CLASS_FENCE, PN_BRANCH_NONE, PN_INST_FENCE, 1, "", "", ""},
    {"d50b7420", "dc zva, x0", PN_CLASS_SYSTEM, PN_BRANCH_NONE, PN_INST_CACHE_OP, 1, "", "", "x0"},
    {"f9800000", "prfm pldl1keep, [x0]", PN_CLASS_LOAD, PN_BRANCH_NONE, PN_INST_PREFETCH, 1, "", "",
     "x0"},
    {"d53bd040", "mrs x0, tpidr_el0", PN_CLASS_INT, PN_BRANCH_NONE, 0, 1, "x0", "", ""},
    {"d4000001", "svc #0", PN_CLASS_SYSTEM, PN_BRANCH_NONE, 0, 1, "", "", ""},
    {"4e032020", "tbl v0.16b, {v1.16b, v2.16b}, v3.16b", PN_CLASS_VEC_INT, PN_BRANCH_NONE, 0, 1,
     "v0", "v1 v2 v3", ""},
};

static unsigned parse_bytes(uint8_t *bytes, const char *hex, pn_isa isa)
{
    unsigned n = (unsigned)strlen(hex) / 2;
    for (unsigned i = 0; i < n; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        unsigned at = isa == PN_ISA_AARCH64 ? n - 1 - i : i;
        bytes[at] = (uint8_t)strtoul(digits, NULL, 16);
    }
    return n;
}

/* Whether the list and the names are the same set. */
static bool same(const uint8_t *list, unsigned n, const char *names, pn_isa isa)
{
    char copy[128], *rest = NULL;
    unsigned named = 0;
    if (!names)
        return true;
    (void)snprintf(copy, sizeof copy, "%s", names);
    for (char *name = strtok_r(copy, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        bool found = false;
        named++;
        for (unsigned i = 0; i < n; i++) {
            char text[16];
            pn_reg_name(text, list[i], isa);
            found |= strcmp(text, name) == 0;
        }
        if (!found)
            return false;
    }
    return named == n;
}

static void check(const row *rows, size_t n, pn_isa isa)
{
    for (size_t i = 0; i < n; i++) {
        const row *r = &rows[i];
        uint8_t bytes[PN_INST_BYTES] = {0};
        pn_inst inst;
        pn_decode(&inst, isa, 0x1000, bytes, parse_bytes(bytes, r->bytes, isa));
        if (inst.cls != r->cls || inst.branch != r->branch || inst.flags != r->flags ||
            inst.uops != r->uops)
            fail_msg("%s: class %s, branch %s, flags %x, %u micro-ops", r->text,
                     pn_class_name(inst.cls), pn_branch_name(inst.branch), inst.flags, inst.uops);
        if (!same(inst.dst, inst.n_dst, r->dst, isa) || !same(inst.src, inst.n_src, r->src, isa) ||
            !same(inst.addr, inst.n_addr, r->addr, isa)) {
            char name[16], text[256] = "";
            const uint8_t *lists[] = {inst.dst, inst.src, inst.addr};
            const unsigned counts[] = {inst.n_dst, inst.n_src, inst.n_addr};
            for (unsigned k = 0; k < 3; k++) {
                (void)strncat(text, k ? " / " : "", sizeof text - strlen(text) - 1);
                for (unsigned m = 0; m < counts[k]; m++) {
                    pn_reg_name(name, lists[k][m], isa);
                    (void)strncat(text, name, sizeof text - strlen(text) - 1);
                    (void)strncat(text, " ", sizeof text - strlen(text) - 1);
                }
            }
            fail_msg("%s: %s", r->text, text);
        }
    }
}

static void x86_instructions_are_what_the_manual_says(void **state)
{
    (void)state;
    check(x86, sizeof x86 / sizeof *x86, PN_ISA_X86_64);
}

static void a64_instructions_are_what_the_manual_says(void **state)
{
    (void)state;
    check(a64, sizeof a64 / sizeof *a64, PN_ISA_AARCH64);
}

static void branch_targets_are_computed(void **state)
{
    (void)state;
    static const uint8_t back[] = {0xeb, 0xfe}, near[] = {0xe8, 0x00, 0x01, 0x00, 0x00};
    static const uint8_t bl[] = {0xff, 0xff, 0xff, 0x97}, tbz[] = {0x40, 0x00, 0x00, 0x36};
    pn_inst inst;
    pn_decode(&inst, PN_ISA_X86_64, 0x1000, back, 2);
    assert_int_equal(inst.target, 0x1000);
    pn_decode(&inst, PN_ISA_X86_64, 0x1000, near, 5);
    assert_int_equal(inst.target, 0x1000 + 5 + 0x100);
    pn_decode(&inst, PN_ISA_AARCH64, 0x1000, bl, 4);
    assert_int_equal(inst.target, 0x0ffc);
    pn_decode(&inst, PN_ISA_AARCH64, 0x1000, tbz, 4);
    assert_int_equal(inst.target, 0x1008);
}

static void any_bytes_give_a_sound_record(void **state)
{
    (void)state;
    pn_rng rng;
    pn_rng_init(&rng, 5, 5);
    for (unsigned i = 0; i < 300000; i++) {
        uint8_t bytes[PN_INST_BYTES];
        pn_isa isa = i & 1 ? PN_ISA_X86_64 : PN_ISA_AARCH64;
        unsigned length = isa == PN_ISA_AARCH64 ? 4 : 1 + (unsigned)pn_rng_below(&rng, 15);
        pn_inst inst;
        for (unsigned k = 0; k < sizeof bytes; k++)
            bytes[k] = (uint8_t)pn_rng_u64(&rng);
        pn_decode(&inst, isa, 0x1000, bytes, length);
        assert_true(inst.cls < PN_CLASS_COUNT && inst.branch < PN_BRANCH_COUNT);
        assert_true(inst.uops >= 1);
        assert_true(inst.n_dst <= PN_INST_DST && inst.n_src <= PN_INST_SRC &&
                    inst.n_addr <= PN_INST_ADDR);
        assert_int_equal((inst.flags & PN_INST_UNDECODED) != 0 && inst.n_dst + inst.n_src, 0);
        assert_int_equal(inst.length, length);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PN_TEST(x86_instructions_are_what_the_manual_says),
        PN_TEST(a64_instructions_are_what_the_manual_says),
        PN_TEST(branch_targets_are_computed),
        PN_TEST(any_bytes_give_a_sound_record),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
