/* a64.S - as x86.S, for AArch64. MARK n: mov w28, #n. */
#define MARK(n) mov w28, n

        .globl  _start
        .text
_start:
        MARK(1)                         /* 1 + 2 * 1000 */
        mov     w0, #1000
1:      subs    w0, w0, #1
        b.ne    1b

        MARK(2)                         /* 1 + 4 * 100 */
        mov     w0, #100
1:      bl      leaf
        sub     w0, w0, #1
        cbnz    w0, 1b

        MARK(3)                         /* 10: pairs, write-back, structures */
        adrp    x1, source
        add     x1, x1, :lo12:source
        ldp     x2, x3, [x1]
        ldp     q0, q1, [x1], #32
        stp     x2, x3, [x1, #16]!
        ldr     q2, [x1, #-16]!
        ld4     {v4.16b-v7.16b}, [x1]
        st1     {v4.16b}, [x1], #16
        ldr     w4, [x1, w2, uxtw #2]
        str     d0, [x1, #8]

        MARK(4)                         /* 5: exclusives and one atomic */
1:      ldxr    w5, [x1]
        add     w5, w5, #1
        stxr    w6, w5, [x1]
        cbnz    w6, 1b
        ldadd   w5, w7, [x1]

        MARK(5)                         /* 3: no access that anybody sees */
        dc      zva, x1
        prfm    pldl1keep, [x1]
        dmb     ish

        MARK(6)                         /* 4 */
        ldar    w8, [x1]
        stlr    w8, [x1]
        ldr     x9, =0x1122334455667788
        tbz     w9, #3, 1f
1:
        MARK(7)                         /* 2 + 11 * 2: code that is changed between two executions */
        mov     w2, #2
        adr     x5, patch
1:
patch:  mov     w3, #0x11
        ldr     w4, [x5]
        add     w4, w4, #0x20           /* the immediate begins at bit 5 */
        str     w4, [x5]
        dc      cvau, x5
        dsb     ish
        ic      ivau, x5
        dsb     ish
        isb
        subs    w2, w2, #1
        b.ne    1b

        MARK(8)                         /* 6: accesses that cross a page */
        adrp    x1, edge
        add     x1, x1, :lo12:edge
        add     x1, x1, #4092
        ldr     x2, [x1]
        ldp     q0, q1, [x1]
        str     x2, [x1]

        MARK(12)
        mov     x8, #94                 /* exit_group(7) */
        mov     x0, #7
        svc     #0

leaf:   ret

        .data
        .p2align 6
source: .fill   300, 4, 0
        .p2align 12
edge:   .fill   8192, 1, 0
