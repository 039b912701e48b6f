/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that are left by a jump: longjmp() out of recursions, from signal handlers, from one
 * recursion into another's middle.
 *
 *	leaving HOW COUNTS
 *
 * HOW: outer, every, some, signal.
 */
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "count.h"

static sigjmp_buf point;
static const char *how;

static void handler(int signal)
{
	(void)signal;
	count(HANDLER);
	leaf(1);
	siglongjmp(point, 1);
}

/*
 * Calls itself, and jumps to wherever the outermost one, or the last one that could be jumped to,
 * is.
 */
ALONE static int work(int depth, int x)
{
	int result = 0;

	count(WORK);
	if (depth == 0) {
		if (!strcmp(how, "signal"))
			raise(SIGUSR1);
		if (x % 3)
			siglongjmp(point, 1);
	} else {
		result = work(depth - 1, x) + leaf(x);
	}
	done();
	return result;
}

ALONE static int attempt(int depth, int x)
{
	volatile int here = count(TRY);
	volatile int result = 0;

	if (depth && (strcmp(how, "some") || depth % 3 == 0)) {
		sigjmp_buf before;

		memcpy(&before, &point, sizeof(point));
		if (!sigsetjmp(point, 1))
			result = attempt(depth - 1, x) + leaf(x);
		else
			back_at(here);
		memcpy(&point, &before, sizeof(point));
		if (depth % 4 == 1)
			siglongjmp(point, 1);
	} else if (depth) {
		result = attempt(depth - 1, x);
	} else {
		result = work(3, x);
	}
	done();
	return result;
}

/* The outermost of a recursion is the one that is jumped to; the others are the same function. */
ALONE static int step(int depth, int x)
{
	volatile int here = count(STEP);
	int result = 0;

	if (depth == 7) {
		for (volatile int i = 0; i < 10; i++) {
			if (!sigsetjmp(point, 1))
				result += step(depth - 1, x + i);
			else
				back_at(here);
		}
	} else if (depth == 0) {
		result = work(2, x);
		siglongjmp(point, 1);
	} else {
		result = step(depth - 1, x);
	}
	done();
	return result;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler };

	if (argc != 3)
		return 2;
	how = argv[1];
	sigaction(SIGUSR1, &action, NULL);
	for (volatile int i = 0; i < 12; i++) {
		if (!sigsetjmp(point, 1))
			sink += !strcmp(how, "every") || !strcmp(how, "some") ? attempt(9, i)
									      : step(7, i);
		back_at(0);
		if (!sigsetjmp(point, 1))
			sink += work(5, i);
		back_at(0);
	}
	return write_counts(argv[2]);
}
