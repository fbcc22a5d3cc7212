/* One entry for each function that can be redirected (ENTRIES, redirect.h). Each jumps to the
 * address in its slot: at first the second half of the entry, which gets the target from
 * redirect_resolve. It then restores the stack and all registers that may hold arguments of the
 * call. */
#include "interpose/entry/redirect.h"

    .text
    .globl redirect_entries
    .hidden redirect_entries, redirect_slots, redirect_resolve
    .type redirect_entries, @function
    .balign ENTRY_BYTES
redirect_entries:
    .cfi_startproc
    .set number, 0
    .rept ENTRIES
    jmpq *redirect_slots + 8 * number(%rip)
    pushq $number
    jmp resolve
    .balign ENTRY_BYTES
    .set number, number + 1
    .endr
    .cfi_endproc
    .size redirect_entries, . - redirect_entries

    .type resolve, @function
resolve:
    .cfi_startproc
    .cfi_adjust_cfa_offset 8
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    andq $-64, %rsp
    subq $256, %rsp
    movq %rax, 0(%rsp)
    movq %rdi, 8(%rsp)
    movq %rsi, 16(%rsp)
    movq %rdx, 24(%rsp)
    movq %rcx, 32(%rsp)
    movq %r8, 40(%rsp)
    movq %r9, 48(%rsp)
    movq %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
    movq 8(%rbp), %rdi
    movq %rsp, %rsi
    call redirect_resolve
    movq %rax, %r11
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    movq 0(%rsp), %rax
    movq 8(%rsp), %rdi
    movq 16(%rsp), %rsi
    movq 24(%rsp), %rdx
    movq 32(%rsp), %rcx
    movq 40(%rsp), %r8
    movq 48(%rsp), %r9
    movq 56(%rsp), %r10
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 16
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    jmpq *%r11
    .cfi_endproc
    .size resolve, . - resolve

    .section .note.GNU-stack, "", @progbits
