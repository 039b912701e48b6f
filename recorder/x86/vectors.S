/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slow steps with the vector registers kept: at a function's entry they hold arguments, at its
 * exit results. XSAVE: Intel SDM volume 1, chapter 13; 2,752 bytes hold all components of 0xe7.
 */
	.text

	.macro KEEPING name
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rbx
	.cfi_offset %rbx, -24
	subq	$3072, %rsp
	andq	$-64, %rsp
	movq	%rdx, %r11
	xorl	%eax, %eax
	leaq	512(%rsp), %rdx
	movq	%rax, (%rdx)
	movq	%rax, 8(%rdx)
	movq	%rax, 16(%rdx)
	movq	%rax, 24(%rdx)
	movq	%rax, 32(%rdx)
	movq	%rax, 40(%rdx)
	movq	%rax, 48(%rdx)
	movq	%rax, 56(%rdx)
	movl	$0xe7, %eax
	xorl	%edx, %edx
	xsave64	(%rsp)
	movq	%r11, %rdx
	call	\name\()_slow
	movq	%rax, %rbx
	movl	$0xe7, %eax
	xorl	%edx, %edx
	xrstor64 (%rsp)
	movq	%rbx, %rax
	movq	-8(%rbp), %rbx
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	KEEPING rt_thread_begin
	KEEPING rt_window
	KEEPING rt_step
	KEEPING rt_close_left
	KEEPING rt_find_id
	KEEPING rt_put_event
	KEEPING rt_leave_other
	KEEPING rt_find_frame
	.section .note.GNU-stack, "", @progbits
