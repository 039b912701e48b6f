/* SPDX-License-Identifier: Apache-2.0 */
/* Signals wherever they come, without a library, so that snapshots may be before every instruction: from a system call,
 * from an access that faults (whose handler goes on behind it), in another handler, on a stack of its own, from a timer
 * between any two instructions, and in system calls that are interrupted, and begin again; one changes vector registers,
 * FPCR and FPSR of what it interrupts. */
	.macro call number
	mov x8, #\number
	svc #0
	.endm
	.macro handle number, handler, flags
	adr x1, action
	adr x2, \handler
	mov x3, #\flags
	stp x2, x3, [x1]
	mov x0, #\number
	mov x2, #0
	mov x3, #8
	call 134
	.endm
	.macro raise number
	mov x0, x19
	mov x1, x20
	mov x2, #\number
	call 131
	.endm
	.macro timer
	mov x0, #0
	adr x1, time
	mov x2, #0
	call 103
	.endm
	.equ USR1, 10
	.equ SEGV, 11
	.equ USR2, 12
	.equ ALRM, 14
	.equ SIGINFO, 4
	.equ ON_STACK, 0x08000000
	.equ RESTART, 0x10000000
	.section .all, "awx", @progbits
	.globl _start
_start:
	call 172
	mov x19, x0
	call 178
	mov x20, x0
	adr x0, own_stack
	mov x1, #0
	call 132
	handle USR1, calm, 0
	raise USR1
	handle USR1, calm, ON_STACK
	raise USR1
	handle USR2, raises, 0
	raise USR2
	handle SEGV, steps_over, SIGINFO
	mov x1, #0
	ldr x0, [x1]
	str x0, [x1, #8]
	handle USR1, puts_vectors, SIGINFO
	movi v0.16b, #1
	movi v9.16b, #2
	movi v31.16b, #3
	raise USR1
	movi v2.16b, #7
	cmeq v3.16b, v0.16b, v2.16b
	umov x4, v3.d[1]
	cbz x4, wrong
	umov x4, v31.d[1]
	umov x5, v2.d[0]
	cmp x4, x5
	b.ne wrong
	umov x4, v9.d[0]
	cmp x4, x5
	b.eq wrong
	mrs x4, fpcr
	tbz x4, #24, wrong
	mrs x4, fpsr
	tbz x4, #27, wrong
	str x4, [sp, #-16]!
	ldr x4, [sp], #16
	handle ALRM, arrives, 0
	adr x21, arrived
	timer
spin:
	add x2, x2, #1
	tbz x2, #0, 1f
	str x2, [sp, #-16]!
	ldr x3, [sp], #16
1:
	ldr x1, [x21]
	cbz x1, spin
	adr x0, ends
	mov x1, #0
	call 59
	handle ALRM, writes, RESTART
	timer
	adr x3, ends
	ldr w0, [x3]
	adr x1, letter
	mov x2, #1
	call 63
	handle ALRM, calm, 0
	timer
	adr x0, second
	mov x1, #0
	call 101
	mov x0, #0
	call 93
wrong:
	mov x0, #1
	call 93
calm:
	str x0, [sp, #-16]!
	add sp, sp, #16
	ret
raises:
	stp x29, x30, [sp, #-16]!
	raise USR1
	ldp x29, x30, [sp], #16
	ret
steps_over:
	ldr x3, [x2, #440]
	add x3, x3, #4
	str x3, [x2, #440]
	ret
puts_vectors:
	movi v1.16b, #7
	movi v9.16b, #8
	str q1, [x2, #464 + 16 + 16 * 0]
	str d1, [x2, #464 + 16 + 16 * 31 + 8]
	mov w3, #0x01000000
	mov w4, #0x08000000
	str w4, [x2, #464 + 8]
	str w3, [x2, #464 + 12]
	ret
arrives:
	mov x1, #1
	str x1, [x21]
	ret
writes:
	adr x3, ends
	ldr w0, [x3, #4]
	adr x1, letter
	mov x2, #1
	call 64
	ret
	.balign 16
action:
	.quad 0, 0, 0, 0
own_stack:
	.quad stack, 0, 65536
arrived:
	.quad 0
time:
	.quad 0, 0, 0, 1000
second:
	.quad 1, 0
ends:
	.quad 0
letter:
	.quad 0
	.bss
	.balign 16
stack:
	.skip 65536
