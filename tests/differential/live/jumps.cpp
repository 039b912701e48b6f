// SPDX-License-Identifier: Apache-2.0
// longjmp out of a loop's calls, from one level and from two.
#include <csetjmp>
#include <cstdlib>

#include "left.h"

static volatile int sink;
static jmp_buf back;

TRACED void leaves(int i)
{
	BEGINS("leaves(int)");
	sink = i;
	if (i % 4)
		longjmp(back, 1);
	RETURNS("leaves(int)");
}

TRACED void carries(int i)
{
	BEGINS("carries(int)");
	leaves(i);
	sink = i + 1;
	RETURNS("carries(int)");
}

TRACED void stays(int i)
{
	BEGINS("stays(int)");
	sink = i * 3;
	RETURNS("stays(int)");
}

TRACED void once(int i)
{
	BEGINS("once(int)");
	volatile int calls = open_calls;

	if (!setjmp(back))
		leaves(i);
	open_calls = calls;
	stays(i);
	if (!setjmp(back))
		carries(i);
	open_calls = calls;
	stays(i);
	RETURNS("once(int)");
}

TRACED void again(int rounds)
{
	BEGINS("again(int)");
	volatile int calls = open_calls, i = 0;

	while (i < rounds) {
		if (!setjmp(back))
			carries(i);
		open_calls = calls;
		i = i + 1;
	}
	RETURNS("again(int)");
}

TRACED int main(int argc, char **argv)
{
	BEGINS("main");
	int rounds = argc > 1 ? atoi(argv[1]) : 10;

	for (int i = 0; i < rounds; i++)
		once(i);
	again(rounds);
	RETURNS("main");
	return 0;
}
