// SPDX-License-Identifier: Apache-2.0
// Three coroutines on stacks of their own (ucontext), which take turns in the middle of their
// calls.
#include <cstdlib>
#include <ucontext.h>

#include "left.h"

static volatile int sink;
static ucontext_t scheduler, contexts[3];
static char stacks[3][65536];
static bool done[3];
static int rounds;

NOT_TRACED static void yield(int which)
{
	swapcontext(&contexts[which], &scheduler);
}

TRACED void leaf(int i)
{
	BEGINS("leaf(int)");
	sink = i;
	RETURNS("leaf(int)");
}

TRACED void inner(int which, int i)
{
	BEGINS("inner(int, int)");
	leaf(i);
	yield(which);
	leaf(i + 1);
	RETURNS("inner(int, int)");
}

TRACED void steps(int which, int i)
{
	BEGINS("steps(int, int)");
	if (i % 2)
		yield(which);
	inner(which, i);
	RETURNS("steps(int, int)");
}

TRACED void body(int which)
{
	BEGINS("body(int)");
	for (int i = 0; i < rounds; i++)
		steps(which, i);
	done[which] = true;
	RETURNS("body(int)");
}

TRACED void schedule()
{
	BEGINS("schedule()");
	bool any = true;

	while (any) {
		any = false;
		for (int i = 0; i < 3; i++) {
			if (done[i])
				continue;
			any = true;
			swapcontext(&scheduler, &contexts[i]);
		}
	}
	RETURNS("schedule()");
}

TRACED int main(int argc, char **argv)
{
	BEGINS("main");
	rounds = argc > 1 ? atoi(argv[1]) : 10;
	for (int i = 0; i < 3; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], (void (*)())(void *)body, 1, i);
	}
	schedule();
	RETURNS("main");
	return 0;
}
