/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Three schedulers: ucontext; a switch of a few instructions that returns; setjmp and longjmp
 * between stacks.
 */
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include "counted.h"

enum { TASKS = 7, ROUNDS = 9, ROOM = 16384 };

static char stacks[3][TASKS][ROOM] __attribute__((aligned(16)));

COUNTED(work) void work(void)
{
	COUNT(work);
}

COUNTED(home) void home(void)
{
	COUNT(home);
}

/* ---- ucontext ---- */

static ucontext_t contexts[TASKS], scheduler;

COUNTED(u_yield) void u_yield(int task)
{
	COUNT(u_yield);
	swapcontext(&contexts[task], &scheduler);
	work();
}

COUNTED(u_task) void u_task(int task)
{
	COUNT(u_task);
	for (int i = 0; i < ROUNDS; i++)
		u_yield(task);
}

static void by_ucontext(void)
{
	for (int i = 0; i < TASKS; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[0][i];
		contexts[i].uc_stack.ss_size = ROOM;
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], (void (*)(void))u_task, 1, i);
	}
	for (int round = 0; round <= ROUNDS; round++)
		for (int i = 0; i < TASKS; i++) {
			home();
			swapcontext(&scheduler, &contexts[i]);
		}
}

/* ---- a switch ---- */

static uint64_t sps[TASKS], sp_home;

void switch_stack(uint64_t *from, uint64_t to);
void begin_task(void);
__asm__(".globl switch_stack\n"
	".type switch_stack, %function\n"
	"switch_stack:\n"
	"	sub sp, sp, #32\n"
	"	stp x29, x30, [sp]\n"
	"	stp x19, x20, [sp, #16]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x29, x30, [sp]\n"
	"	ldp x19, x20, [sp, #16]\n"
	"	add sp, sp, #32\n"
	"	ret\n"
	".size switch_stack, .-switch_stack\n"
	".globl begin_task\n"
	".type begin_task, %function\n"
	"begin_task:\n"
	"	mov w0, w19\n"
	"	bl s_task_entry\n"
	"	brk #1\n"
	".size begin_task, .-begin_task\n");

COUNTED(s_yield) void s_yield(int task)
{
	COUNT(s_yield);
	switch_stack(&sps[task], sp_home);
	work();
}

COUNTED(s_task) void s_task(int task)
{
	COUNT(s_task);
	for (;;)
		s_yield(task);
}

__attribute__((used)) void s_task_entry(int task)
{
	s_task(task);
}

static void by_switch(void)
{
	for (int i = 0; i < TASKS; i++) {
		uint64_t *top = (uint64_t *)(stacks[1][i] + ROOM - 64);

		top[0] = 0;
		top[1] = (uint64_t)begin_task;
		top[2] = (uint64_t)i;
		sps[i] = (uint64_t)top;
	}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < TASKS; i++) {
			home();
			switch_stack(&sp_home, sps[(i * 3 + round) % TASKS]);
		}
}

/* ---- setjmp and longjmp; each stack is begun by ucontext ---- */

static jmp_buf places[TASKS], place_home;

COUNTED(j_yield) void j_yield(int task)
{
	COUNT(j_yield);
	if (!_setjmp(places[task]))
		_longjmp(place_home, 1);
	work();
}

COUNTED(j_task) void j_task(int task)
{
	COUNT(j_task);
	for (;;)
		j_yield(task);
}

static void by_longjmp(void)
{
	static ucontext_t begun;
	volatile int i, round;

	for (i = 0; i < TASKS; i++) {
		getcontext(&begun);
		begun.uc_stack.ss_sp = stacks[2][i];
		begun.uc_stack.ss_size = ROOM;
		begun.uc_link = NULL;
		makecontext(&begun, (void (*)(void))j_task, 1, i);
		if (!_setjmp(place_home))
			setcontext(&begun);
	}
	for (round = 0; round < ROUNDS; round++)
		for (i = 0; i < TASKS; i++) {
			home();
			if (!_setjmp(place_home))
				_longjmp(places[i], 1);
		}
}

int main(void)
{
	REGION;
	by_ucontext();
	by_switch();
	by_longjmp();
	REGION;
	TELL(work);
	TELL(home);
	TELL(u_yield);
	TELL(u_task);
	TELL(s_yield);
	TELL(s_task);
	TELL(j_yield);
	TELL(j_task);
	return 0;
}
