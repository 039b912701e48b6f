/* SPDX-License-Identifier: Apache-2.0 */
/* Every kind of pointer authentication; tests/golden/xtrace/u9-signed-vl128 is what qemu-aarch64 7.2 (-cpu max,
 * -singlestep -d cpu,exec) executed of it, with a snapshot at every third instruction. */
	.arch armv8.5-a
	.globl _start
_start:
	hint #9
	bl in_hints
	adr x3, by_key
	paciza x3
	blraaz x3
	adr x4, word
	pacdza x4
	ldraa x5, [x4]
	ldraa x6, [x4, #8]!
	mrs x7, cntvct_el0
	adr x17, leaf
	mov x16, #5
	pacia1716
	blraa x17, x16
	adr x9, last
	pacizb x9
	brabz x9
	nop
last:
	hint #9
	mov x8, #93
	mov x0, #0
	svc #0
in_hints:
	paciasp
	stp x29, x30, [sp, #-16]!
	add x0, x0, #1
	bl leaf
	ldp x29, x30, [sp], #16
	autiasp
	ret
by_key:
	pacibsp
	stp x29, x30, [sp, #-16]!
	add x0, x0, #2
	ldp x29, x30, [sp], #16
	retab
leaf:
	add x1, x1, #1
	ret
	.balign 16
word:
	.quad 0x1122334455667788, 0x99
