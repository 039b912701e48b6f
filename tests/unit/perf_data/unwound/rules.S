/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of x86-64 of each kind; fuzz/corpus/cfi/rules is this file:
 * as --64 -o rules.o rules.S; ld -static -n -e entry -z noseparate-code -Ttext-segment=0 --build-id=none -o rules rules.o
 */
	.text
	.globl none, leaf, by_rbx, ends, far, frame, call, behind, entry
	.macro function name
	.p2align 4
	.type \name, @function
\name:
	.endm

	/* no row */
	function none
	call leaf
	nop
	.size none, .-none

	function leaf
	.cfi_startproc
	nop
	ret
	.cfi_endproc
	.size leaf, .-leaf

	/* the CFA is in a register that others keep */
	function by_rbx
	.cfi_startproc
	.cfi_def_cfa rbx, 16
	call leaf
	nop
	.cfi_endproc
	.size by_rbx, .-by_rbx

	/* the outermost by its row */
	function ends
	.cfi_startproc
	.cfi_undefined rip
	call leaf
	nop
	.cfi_endproc
	.size ends, .-ends

	/* DW_CFA_def_cfa of rsp, and a distance that has more than 32 bits: 1 << 32 */
	function far
	.cfi_startproc
	.cfi_escape 0x0c, 7, 0x80, 0x80, 0x80, 0x80, 0x10
	call leaf
	nop
	.cfi_endproc
	.size far, .-far

	/* saves the frame pointer */
	function frame
	.cfi_startproc
	.cfi_def_cfa rsp, 16
	.cfi_offset rbp, -16
	call leaf
	nop
	.cfi_endproc
	.size frame, .-frame

	/* its last instruction is a system call */
	function call
	.cfi_startproc
	syscall
	.cfi_endproc
	.size call, .-call
	/* no row: what comes behind it */
	.type behind, @function
behind:
	nop
	.size behind, .-behind

	/* no row: the entry point */
	function entry
	call leaf
	nop
	.size entry, .-entry
