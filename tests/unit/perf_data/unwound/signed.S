/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame of AArch64 whose return address is signed; fuzz/corpus/cfi/signed is this file:
 * aarch64-linux-gnu-as -march=armv8.3-a -o signed.o signed.S;
 * aarch64-linux-gnu-ld -static -n -e entry -z noseparate-code -Ttext-segment=0 --build-id=none -o signed signed.o
 */
	.text
	.globl entry, leaf, frame
	.macro function name
	.type \name, @function
\name:
	.cfi_startproc
	.endm
	.macro ends name
	.cfi_endproc
	.size \name, .-\name
	.endm

	function entry
	.cfi_undefined x30
	bl frame
	nop
	ends entry

	function leaf
	nop
	ret
	ends leaf

	function frame
	paciasp
	.cfi_negate_ra_state
	stp x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	bl leaf
	nop
	ends frame
