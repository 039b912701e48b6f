/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two places where recorded code comes in without knowing it: all registers are kept but x9 and
 * those that a linker's veneers may change (x16, x17), as the compiler may have a value in any of
 * them. Vector registers: fentry.c is compiled without them, and slow steps keep them.
 */
	.text

	/* Two frame records, as the function that was entered has not made its own. */
#define OUTER 16
#define REGISTERS 32
#define FRAME (REGISTERS + 18 * 8)

	.macro SAVE
	stp	x0, x1, [sp, #REGISTERS]
	stp	x2, x3, [sp, #REGISTERS + 16]
	stp	x4, x5, [sp, #REGISTERS + 32]
	stp	x6, x7, [sp, #REGISTERS + 48]
	stp	x8, x10, [sp, #REGISTERS + 64]
	stp	x11, x12, [sp, #REGISTERS + 80]
	stp	x13, x14, [sp, #REGISTERS + 96]
	stp	x15, x18, [sp, #REGISTERS + 112]
	str	x9, [sp, #REGISTERS + 128]
	.endm

	.macro RESTORE
	ldp	x0, x1, [sp, #REGISTERS]
	ldp	x2, x3, [sp, #REGISTERS + 16]
	ldp	x4, x5, [sp, #REGISTERS + 32]
	ldp	x6, x7, [sp, #REGISTERS + 48]
	ldp	x8, x10, [sp, #REGISTERS + 64]
	ldp	x11, x12, [sp, #REGISTERS + 80]
	ldp	x13, x14, [sp, #REGISTERS + 96]
	ldp	x15, x18, [sp, #REGISTERS + 112]
	ldr	x9, [sp, #REGISTERS + 128]
	.endm

	/*
	 * Called by `mov x9, x30; bl` at the entry of a function: x9 is where the function returns
	 * to. It goes on by `ret`, which needs no landing pad.
	 */
	.globl __fentry__
	.type __fentry__, @function
__fentry__:
	.cfi_startproc
	hint	#34
	sub	sp, sp, #FRAME
	.cfi_def_cfa_offset FRAME
	stp	x29, x30, [sp]
	.cfi_offset x29, -FRAME
	.cfi_offset x30, -FRAME + 8
	stp	x29, x9, [sp, #OUTER]
	SAVE
	add	x29, sp, #OUTER
	str	x29, [sp]
	.cfi_offset x29, -FRAME + OUTER
	mov	x29, sp
	sub	x0, x30, #8
	add	x1, sp, #FRAME
	add	x2, sp, #OUTER + 8
	bl	rt_fentry
	RESTORE
	ldr	x9, [sp, #8]
	ldp	x29, x30, [sp, #OUTER]
	.cfi_restore x29
	.cfi_register x30, x9
	add	sp, sp, #FRAME
	.cfi_def_cfa_offset 0
	ret	x9
	.cfi_endproc
	.size __fentry__, . - __fentry__

	/* Returned to instead of a caller: sp is what it was at the entry of the function. */
	.globl rt_return
	.hidden rt_return
	.type rt_return, @function
	nop
rt_return:
	.cfi_startproc
	.cfi_undefined x30
	sub	sp, sp, #FRAME
	stp	x29, xzr, [sp]
	SAVE
	mov	x29, sp
	add	x0, sp, #FRAME
	bl	rt_fentry_leave
	mov	x30, x0
	RESTORE
	ldr	x29, [sp]
	add	sp, sp, #FRAME
	ret
	.cfi_endproc
	.size rt_return, . - rt_return
	.section .note.GNU-stack, "", @progbits
