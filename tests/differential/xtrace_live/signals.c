/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers that return, that longjmp, on the same stack and on one of their own, inside each other.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "counted.h"

static sigjmp_buf place;
static volatile int leaves;
static volatile char *page;

COUNTED(calm) void calm(void)
{
	COUNT(calm);
}

COUNTED(deep_in) void deep_in(int depth)
{
	volatile char room[64];

	COUNT(deep_in);
	room[0] = 1;
	if (!depth)
		siglongjmp(place, 1);
	deep_in(depth - 1);
	calm();
}

COUNTED(on_usr1) void on_usr1(int number)
{
	COUNT(on_usr1);
	(void)number;
	if (leaves)
		deep_in(5);
	calm();
}

COUNTED(on_usr2) void on_usr2(int number)
{
	COUNT(on_usr2);
	(void)number;
	raise(SIGUSR1);
	calm();
}

COUNTED(on_segv) void on_segv(int number)
{
	COUNT(on_segv);
	(void)number;
	if (leaves)
		siglongjmp(place, 1);
	mprotect((char *)page, 4096, PROT_READ | PROT_WRITE);
}

COUNTED(raises) void raises(int number)
{
	COUNT(raises);
	raise(number);
	calm();
}

COUNTED(touches) void touches(void)
{
	COUNT(touches);
	page[8] = 1;
	calm();
}

COUNTED(attempt) void attempt(int number)
{
	COUNT(attempt);
	if (!sigsetjmp(place, 1)) {
		if (number)
			raises(number);
		else
			touches();
	}
	calm();
}

static void handle(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
}

int main(void)
{
	stack_t own = { .ss_size = 65536, .ss_sp = malloc(65536) };
	volatile int i;

	sigaltstack(&own, NULL);
	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGUSR1, on_usr1, 0);
	handle(SIGUSR2, on_usr2, 0);
	handle(SIGSEGV, on_segv, 0);
	REGION;
	for (i = 0; i < 24; i++) {
		leaves = i % 3 == 1;
		if (i == 12) {
			handle(SIGUSR1, on_usr1, SA_ONSTACK);
			handle(SIGSEGV, on_segv, SA_ONSTACK);
		}
		mprotect((char *)page, 4096, PROT_NONE);
		attempt(SIGUSR1);
		attempt(0);
		attempt(SIGUSR2);
	}
	REGION;
	TELL(calm);
	TELL(deep_in);
	TELL(on_usr1);
	TELL(on_usr2);
	TELL(on_segv);
	TELL(raises);
	TELL(touches);
	TELL(attempt);
	return 0;
}
