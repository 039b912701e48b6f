/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slow steps with the vector registers kept: at a function's entry they hold arguments, at its
 * exit results, and a system call may clear those of SVE. Arm ARM, "SVE registers": 32 of VL
 * bits, 16 predicates of VL / 8 bits.
 */
	.arch	armv8-a+sve
	.text

#define ROOM (32 * 16)
#define LOW 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define HIGH 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31

	.macro KEEPING name
	.globl \name
	.hidden \name
	.type \name, @function
\name:
	.cfi_startproc
	stp	x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	mov	x29, sp
	.cfi_def_cfa_register x29
	stp	x19, x20, [sp, #16]
	.cfi_offset x19, -32
	.cfi_offset x20, -24
	mrs	x9, fpcr
	mrs	x10, fpsr
	stp	x9, x10, [sp, #32]
	adrp	x19, rt_has_sve
	ldrb	w19, [x19, :lo12:rt_has_sve]
	cbnz	w19, 1f
	sub	sp, sp, #ROOM
	.irp n, LOW, HIGH
	str	q\n, [sp, #16 * \n]
	.endr
	b	2f
1:	addvl	sp, sp, #-32
	.irp n, LOW, HIGH
	str	z\n, [sp, #\n, mul vl]
	.endr
	addvl	sp, sp, #-2
	.irp n, LOW
	str	p\n, [sp, #\n, mul vl]
	.endr
2:	bl	\name\()_slow
	cbnz	w19, 3f
	.irp n, LOW, HIGH
	ldr	q\n, [sp, #16 * \n]
	.endr
	b	4f
3:	.irp n, LOW
	ldr	p\n, [sp, #\n, mul vl]
	.endr
	addvl	sp, sp, #2
	.irp n, LOW, HIGH
	ldr	z\n, [sp, #\n, mul vl]
	.endr
4:	mov	sp, x29
	ldp	x9, x10, [sp, #32]
	msr	fpcr, x9
	msr	fpsr, x10
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	.cfi_def_cfa sp, 0
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
