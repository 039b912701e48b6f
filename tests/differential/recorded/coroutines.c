/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coroutines [FAULT]: several stacks of one thread, which take turns in the middle of calls: a
 * function is entered on one stack while those of another have not returned. Some coroutines are
 * given up before they end.
 */
#include <pthread.h>
#include <ucontext.h>

#include "counts.h"

enum { COROUTINES = 24, STACK = 64 << 10 };

struct counter counters[COUNTERS];

struct scheduler {
	ucontext_t self, coroutines[COROUTINES];
	char *stacks[COROUTINES];
	int running; /* the one that has its turn */
	int ended[COROUTINES];
};

static __thread struct scheduler *here;

TRACED int step(int x)
{
	COUNT(0);
	return x + 1;
}

TRACED void yield(void)
{
	COUNT(1);
	swapcontext(&here->coroutines[here->running], &here->self);
}

/* A turn ends at each depth on the way down, and on the way up. */
TRACED int descend(int depth)
{
	COUNT(2);
	int sum = step(depth);

	yield();
	if (depth)
		sum += descend(depth - 1);
	if (depth % 2)
		yield();
	return step(sum);
}

TRACED void body(int number)
{
	COUNT(3);
	for (int i = 0; i <= number % 3; i++)
		descend(number);
	here->ended[number] = 1;
}

TRACED int resume(int number)
{
	COUNT(4);
	here->running = number;
	swapcontext(&here->self, &here->coroutines[number]);
	return here->ended[number];
}

TRACED void *schedule(void *turns)
{
	struct scheduler scheduler = { .running = 0 };

	COUNT(5);
	here = &scheduler;
	for (int i = 0; i < COROUTINES; i++) {
		ucontext_t *made = &scheduler.coroutines[i];

		getcontext(made);
		scheduler.stacks[i] = malloc(STACK);
		made->uc_stack.ss_sp = scheduler.stacks[i];
		made->uc_stack.ss_size = STACK;
		made->uc_link = &scheduler.self;
		makecontext(made, (void (*)(void))body, 1, i);
	}
	for (long turn = 0; turn < *(long *)turns; turn++)
		for (int i = 0; i < COROUTINES; i++)
			if (!scheduler.ended[i])
				resume(i);
	for (int i = 0; i < COROUTINES; i++)
		free(scheduler.stacks[i]);
	return NULL;
}

int main(void)
{
	long all = 10000, some = 20;
	pthread_t thread;

	pthread_create(&thread, NULL, schedule, &some);
	schedule(&all);
	pthread_join(thread, NULL);
	write_counts();
	return 3;
}
