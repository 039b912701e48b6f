/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two places where recorded code comes in without knowing it: all registers are kept, as the
 * compiler may have a value in any of them (arguments, %rax of variadic functions, %r10 the static
 * chain). Vector registers: fentry.c is compiled without them, and slow steps keep them.
 */
	.text

	.macro SAVE
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	.endm

	.macro RESTORE
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	.endm

	/* Called as the first instruction of a function: its own return address is above ours. */
	.globl __fentry__
	.type __fentry__, @function
__fentry__:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	SAVE
	movq	8(%rbp), %rdi
	subq	$5, %rdi
	leaq	16(%rbp), %rsi
	movq	%rsi, %rdx
	subq	$8, %rsp
	andq	$-16, %rsp
	call	rt_fentry
	leaq	-72(%rbp), %rsp
	RESTORE
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size __fentry__, . - __fentry__

	/* Returned to instead of a caller: %rsp is above the slot of that return address. */
	.globl rt_return
	.hidden rt_return
	.type rt_return, @function
	nop
rt_return:
	.cfi_startproc
	.cfi_undefined %rip
	subq	$8, %rsp
	pushq	%rbp
	movq	%rsp, %rbp
	SAVE
	leaq	8(%rbp), %rdi
	subq	$8, %rsp
	andq	$-16, %rsp
	call	rt_fentry_leave
	movq	%rax, 8(%rbp)
	leaq	-72(%rbp), %rsp
	RESTORE
	popq	%rbp
	ret
	.cfi_endproc
	.size rt_return, . - rt_return
	.section .note.GNU-stack, "", @progbits
