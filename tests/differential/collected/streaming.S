/* SPDX-License-Identifier: Apache-2.0 */
/* SME: vectors of the streaming length, outer products into ZA, its rows stored, and back. */
	.arch armv9-a+sme
	.globl _start
_start:
	hint #9
	adr x0, numbers
	adr x1, rows
	mov x2, #3
again:
	smstart
	rdsvl x3, #1
	ptrue p0.s
	ptrue p1.s
	zero {za}
	ld1w {z0.s}, p0/z, [x0]
	ld1w {z1.s}, p0/z, [x0, #1, mul vl]
	fmopa za0.s, p0/m, p1/m, z0.s, z1.s
	fmopa za0.s, p0/m, p1/m, z1.s, z1.s
	mov w12, #0
	lsr x4, x3, #2
row:
	st1w {za0h.s[w12, 0]}, p0, [x1]
	st1w {z0.s}, p0, [x1]
	add x1, x1, x3
	add w12, w12, #1
	cmp w12, w4
	b.lo row
	smstop sm
	rdvl x5, #1
	ld1w {z2.s}, p0/z, [x0]
	str x5, [x1], #8
	smstop za
	ldr x6, [x1, #-8]
	subs x2, x2, #1
	b.ne again
	hint #9
	mov x0, #0
	mov x8, #93
	svc #0
	.balign 16
numbers:
	.rept 128
	.float 1.5
	.endr
	.bss
	.balign 16
rows:
	.skip 1 << 16
