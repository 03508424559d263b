/* x86.S - a program without a C library whose every instruction is counted by hand in
 * test_record.c. Sections are fenced by MARK n: mov $0x4d52xxxx, %r15d. */
#define MARK(n) mov $(0x4d520000 + n), %r15d

        .globl  _start
        .text
_start:
        mov     $13, %eax               /* rt_sigaction(SIGSEGV, &action, 0, 8) */
        mov     $11, %edi
        lea     action(%rip), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        syscall
        MARK(1)                         /* 1 + 2 * 1000: a counted loop */
        mov     $1000, %ecx
1:      dec     %ecx
        jnz     1b

        MARK(2)                         /* 1 + 4 * 100: calls and returns */
        mov     $100, %ecx
1:      call    leaf
        dec     %ecx
        jnz     1b

        MARK(3)                         /* 4: one string move of 1000 bytes */
        lea     source(%rip), %rsi
        lea     sink(%rip), %rdi
        mov     $1000, %ecx
        rep movsb

        MARK(4)                         /* 4: one string store of 100 quadwords */
        lea     sink(%rip), %rdi
        mov     $100, %ecx
        xor     %eax, %eax
        rep stosq

        MARK(5)                         /* 2: a string store of nothing */
        xor     %ecx, %ecx
        rep stosb

        MARK(6)                         /* 5: vector loads and stores, aligned and not */
        lea     source(%rip), %rsi
        movaps  (%rsi), %xmm0
        movups  9(%rsi), %xmm1
        vmovdqu 41(%rsi), %ymm2
        vmovdqu %ymm2, sink+40(%rip)

        MARK(7)                         /* 4: read-modify-write, locked and not */
        lea     sink(%rip), %rdi
        mov     $1, %eax
        lock xadd %eax, (%rdi)
        addl    $5, 8(%rdi)

        MARK(8)                         /* 1 + 5 * 10: an instruction that crosses a page */
        mov     $10, %ecx
        jmp     cross
back:   MARK(9)                         /* 10: the stack */
        push    %rax
        push    %rbx
        push    %rcx
        push    %rdx
        push    %rsi
        pop     %rsi
        pop     %rdx
        pop     %rcx
        pop     %rbx
        pop     %rax

        MARK(10)                        /* 10: code that is changed between two executions */
        mov     $2, %ecx
1:
patch:  mov     $0x11, %al
        incb    patch+1(%rip)
        dec     %ecx
        jnz     1b
        nop

        MARK(11)                        /* a fault amid a block: 3 + 4 + 1, see the test */
        nop
        nop
        nop
        mov     0, %rax                 /* SIGSEGV; the handler steps over it */
        nop

        MARK(13)                        /* 4: hints and a flush, whose address nobody sees */
        lea     source(%rip), %rsi
        prefetcht0 (%rsi)
        prefetchnta 64(%rsi)
        clflush (%rsi)

        MARK(14)                        /* 4: accesses that cross a page */
        lea     edge+4092(%rip), %rsi
        mov     (%rsi), %rax
        vmovdqu (%rsi), %ymm0
        mov     %rax, (%rsi)

        MARK(12)
        mov     $231, %eax              /* exit_group(7) */
        mov     $7, %edi
        syscall

leaf:   ret

handler:
        addq    $8, 168(%rdx)           /* ucontext: the saved rip; the load is 8 bytes long */
        ret
restorer:
        mov     $15, %eax               /* rt_sigreturn */
        syscall

        .p2align 12
        .skip   4096 - 5
cross:  movabs  $0x1122334455667788, %rax   /* 10 bytes, 5 on each page */
        add     $1, %rax
        sub     $1, %rax
        dec     %ecx
        jnz     cross
        jmp     back

        .data
        .p2align 3
action: .quad   handler
        .quad   0x04000004              /* SA_RESTORER | SA_SIGINFO */
        .quad   restorer
        .quad   0
        .p2align 6
source: .fill   1200, 1, 7
        .p2align 6
sink:   .fill   1200, 1, 0
        .p2align 12
edge:   .fill   8192, 1, 0
