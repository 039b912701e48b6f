// SPDX-License-Identifier: Apache-2.0
// A program in which most calls end by an exception: in loops, through frames that clean up,
// through frames without sleds, rethrown, and out of destructors' way. No traced function that
// throws can call one that is traced, so that the code always tells who was left.
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "left.h"

static volatile int sink;

struct cleaner {
	NOT_TRACED ~cleaner() { sink = sink + 1; }
};

TRACED void fails(int i)
{
	BEGINS("fails(int)");
	int calls = open_calls;
	sink = i;
	if (i % 3)
		throw std::runtime_error("three " + std::to_string(i));
	open_calls = calls;
	RETURNS("fails(int)");
}

TRACED void works(int i)
{
	BEGINS("works(int)");
	sink = i * 2;
	RETURNS("works(int)");
}

// Without a sled, between two that have one.
NOT_TRACED __attribute__((noinline)) void passes(int i)
{
	cleaner c;

	fails(i);
	sink = i;
}

TRACED void middle(int i)
{
	BEGINS("middle(int)");
	cleaner c;

	passes(i);
	sink = i;
	RETURNS("middle(int)");
}

// Catches and goes on, a thousand times.
TRACED void loops(int rounds)
{
	BEGINS("loops(int)");
	int calls = open_calls;
	for (int i = 0; i < rounds; i++) {
		try {
			fails(i);
		} catch (const std::exception &) {
			open_calls = calls;
		}
		if (i % 2)
			works(i);
	}
	RETURNS("loops(int)");
}

// Two frames are left at a time.
TRACED void loops_deeper(int rounds)
{
	BEGINS("loops_deeper(int)");
	int calls = open_calls;
	for (int i = 0; i < rounds; i++) {
		try {
			middle(i);
		} catch (...) {
			open_calls = calls;
		}
		works(i);
	}
	RETURNS("loops_deeper(int)");
}

// Catches in a frame without a sled.
NOT_TRACED __attribute__((noinline)) bool tries(int i)
{
	try {
		middle(i);
	} catch (const std::exception &) {
		return false;
	}
	return true;
}

TRACED void hidden(int rounds)
{
	BEGINS("hidden(int)");
	int calls = open_calls;
	for (int i = 0; i < rounds; i++) {
		if (!tries(i))
			open_calls = calls;
		works(i);
	}
	RETURNS("hidden(int)");
}

TRACED int main(int argc, char **argv)
{
	BEGINS("main");
	int rounds = argc > 1 ? atoi(argv[1]) : 10;

	loops(rounds);
	loops_deeper(rounds);
	hidden(rounds);
	loops(rounds);
	RETURNS("main");
	return 0;
}
