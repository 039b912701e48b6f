/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine of its own (qemu-system-aarch64 -M virt,gic-version=2 -smp 2): two cores at EL1 with the
 * MMU off, two tasks at EL0 on each, which the timer and system calls switch, instructions that
 * fault, interrupts at EL1 too. Core 0 begins and ends the recording, and puts the machine off. Each
 * task executes the marker (ADD X9, X9, #0x123) as often as its first argument says, and adds as
 * much to a counter of both cores.
 */
	.arch armv8.1-a
	.equ DISTRIBUTOR, 0x08000000
	.equ INTERFACE, 0x08010000
	.equ TIMER, 27			/* the virtual one's interrupt */
	.equ TICKS_A_SECOND, 10000
#ifndef TIMES
#define TIMES 400
#endif
	.equ YIELD, 124
	.equ EXIT, 93
	/* a task: X0 to X30, SP, PC, PSTATE */
	.equ TASK, 272
	/* a core: its task, the other one, how many are left, ticks, their distance, its tasks */
	.equ CURRENT, 0
	.equ OTHER, 8
	.equ LEFT, 16
	.equ TICKS, 24
	.equ TICK, 32
	.equ TASKS, 48
	.equ CORE, TASKS + 2 * TASK

	.macro load register, value
	movz \register, #(\value) & 0xffff
	movk \register, #(\value) >> 16 & 0xffff, lsl #16
	.endm

	.text
	.globl _start
_start:
	hint #9
	load x0, 0xc4000003		/* CPU_ON: core 1 */
	mov x1, #1
	adr x2, second
	mov x3, #5
	hvc #0
	load x0, DISTRIBUTOR
	mov w1, #1
	str w1, [x0]
	adr x20, core_0
	adr x21, stack_0
	mov x22, #TIMES
	bl run
	msr daifclr, #2			/* interrupts at this level, from here */
wait:
	wfi
	load x0, 0xc4000004		/* AFFINITY_INFO: is core 1 off? */
	mov x1, #1
	mov x2, #0
	hvc #0
	cmp x0, #1
	b.ne wait
	msr daifset, #2
	hint #9
	load x0, 0x84000008		/* SYSTEM_OFF */
	hvc #0
	b .
second:
	adr x20, core_1
	adr x21, stack_1
	mov x22, #TIMES + 300
	bl run
	load x0, 0x84000002		/* CPU_OFF */
	hvc #0
	b .

/* X20: the core, X21: the end of its stack, X22: what the first task is given. Returns by "over". */
run:
	mov sp, x21
	stp x29, x30, [sp, #-16]!
	msr tpidr_el1, x20
	adr x0, vectors
	msr vbar_el1, x0
	mov x0, #3 << 20
	msr cpacr_el1, x0
	isb
	add x1, x20, #TASKS
	add x2, x1, #TASK
	stp x1, x2, [x20, #CURRENT]
	mov x3, #2
	stp x3, xzr, [x20, #LEFT]
	adr x4, task
	add x6, x22, #31
	stp x22, x20, [x1]
	stp x6, x20, [x2]
	stp x4, xzr, [x1, #256]
	stp x4, xzr, [x2, #256]
	load x0, DISTRIBUTOR
	mov w1, #1 << TIMER
	str w1, [x0, #0x100]
	load x0, INTERFACE
	mov w1, #0xff
	str w1, [x0, #4]
	mov w1, #1
	str w1, [x0]
	mrs x0, cntfrq_el0
	mov x1, #TICKS_A_SECOND
	udiv x0, x0, x1
	str x0, [x20, #TICK]
	msr cntv_tval_el0, x0
	mov x0, #1
	msr cntv_ctl_el0, x0
	b resume

/* What both levels do about an interrupt; X0 to X3 are free. */
tick:
	load x0, INTERFACE
	ldr w1, [x0, #12]
	mrs x3, tpidr_el1
	ldr x2, [x3, #TICK]
	msr cntv_tval_el0, x2
	ldr x2, [x3, #TICKS]
	add x2, x2, #1
	str x2, [x3, #TICKS]
	str w1, [x0, #16]
	ret

	.macro save
	stp x0, x1, [sp, #-16]!
	mrs x0, tpidr_el1
	ldr x0, [x0, #CURRENT]
	stp x2, x3, [x0, #16]
	stp x4, x5, [x0, #32]
	stp x6, x7, [x0, #48]
	stp x8, x9, [x0, #64]
	stp x10, x11, [x0, #80]
	stp x12, x13, [x0, #96]
	stp x14, x15, [x0, #112]
	stp x16, x17, [x0, #128]
	stp x18, x19, [x0, #144]
	stp x20, x21, [x0, #160]
	stp x22, x23, [x0, #176]
	stp x24, x25, [x0, #192]
	stp x26, x27, [x0, #208]
	stp x28, x29, [x0, #224]
	ldp x2, x3, [sp], #16
	mrs x1, sp_el0
	stp x30, x1, [x0, #240]
	stp x2, x3, [x0]
	mrs x1, elr_el1
	mrs x2, spsr_el1
	stp x1, x2, [x0, #256]
	.endm

resume:
	mrs x0, tpidr_el1
	ldr x0, [x0, #CURRENT]
	ldp x1, x2, [x0, #256]
	msr elr_el1, x1
	msr spsr_el1, x2
	ldp x30, x1, [x0, #240]
	msr sp_el0, x1
	ldp x2, x3, [x0, #16]
	ldp x4, x5, [x0, #32]
	ldp x6, x7, [x0, #48]
	ldp x8, x9, [x0, #64]
	ldp x10, x11, [x0, #80]
	ldp x12, x13, [x0, #96]
	ldp x14, x15, [x0, #112]
	ldp x16, x17, [x0, #128]
	ldp x18, x19, [x0, #144]
	ldp x20, x21, [x0, #160]
	ldp x22, x23, [x0, #176]
	ldp x24, x25, [x0, #192]
	ldp x26, x27, [x0, #208]
	ldp x28, x29, [x0, #224]
	ldp x0, x1, [x0]
	eret

/* The other task, if it is not over. */
switch:
	mrs x0, tpidr_el1
	ldp x1, x2, [x0, #CURRENT]
	ldr x3, [x0, #LEFT]
	cmp x3, #2
	csel x4, x2, x1, eq
	csel x5, x1, x2, eq
	stp x4, x5, [x0, #CURRENT]
	b resume

from_user:
	save
	mrs x1, esr_el1
	lsr x1, x1, #26
	cmp x1, #0x15
	b.eq called
	ldr x1, [x0, #256]		/* it faulted: behind it */
	add x1, x1, #4
	str x1, [x0, #256]
	b resume
called:
	ldr x1, [x0, #64]
	cmp x1, #EXIT
	b.eq over
	ldr x1, [x0]
	add x1, x1, #7
	str x1, [x0]
	b switch
over:
	mrs x0, tpidr_el1
	ldp x1, x2, [x0, #CURRENT]
	stp x2, x1, [x0, #CURRENT]
	ldr x3, [x0, #LEFT]
	subs x3, x3, #1
	str x3, [x0, #LEFT]
	b.ne resume
	ldp x29, x30, [sp], #16
	ret
interrupted_user:
	save
	bl tick
	b switch
interrupted:
	stp x0, x1, [sp, #-48]!
	stp x2, x3, [sp, #16]
	str x30, [sp, #32]
	bl tick
	ldr x30, [sp, #32]
	ldp x2, x3, [sp, #16]
	ldp x0, x1, [sp], #48
	eret

/* At EL0. X0: how often, X1: the core. */
task:
	mov x19, x0
	mov x20, x0
	adr x21, counter
	movi v0.16b, #3
next:
	add x9, x9, #0x123
	mov x2, #1
	ldadd x2, x3, [x21]
	tst x19, #15
	b.ne 1f
	mov x8, #YIELD
	mov x0, x19
	svc #0
	add x7, x19, #7
	cmp x0, x7
	b.ne wrong
	tst x19, #63
	b.ne 1f
	udf #1
1:
	fmov x4, d0
	csel x5, x4, x3, ne
	subs x19, x19, #1
	b.ne next
	mov x0, x20
	mov x8, #EXIT
	svc #0
wrong:
	b wrong

	.balign 2048
vectors:
	.rept 5
	b .
	.balign 128
	.endr
	b interrupted
	.balign 128
	.rept 2
	b .
	.balign 128
	.endr
	b from_user
	.balign 128
	b interrupted_user
	.balign 128
	.rept 6
	b .
	.balign 128
	.endr

	.data
	.balign 16
counter:
	.quad 0
	.balign 16
core_0:
	.skip CORE
	.balign 16
core_1:
	.skip CORE
	.balign 16
	.skip 4096
stack_0:
	.skip 4096
stack_1:
