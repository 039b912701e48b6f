// SPDX-License-Identifier: Apache-2.0
// Frames that no exit record ever closes: longjmp, exceptions, and exits by tail call in between.
#include <csetjmp>
#include <cstdlib>
#include <stdexcept>

#include "recorder.h"

static volatile int sink;
static jmp_buf back;

TRACED void jump_out(int depth)
{
	COUNT("jump_out(int)");
	sink = depth;
	if (!depth)
		longjmp(back, 1);
	jump_out(depth - 1);
	sink = depth;
}

TRACED int jumps(int depth)
{
	COUNT("jumps(int)");
	if (!setjmp(back))
		jump_out(depth);
	return sink;
}

TRACED void throw_out(int depth)
{
	COUNT("throw_out(int)");
	sink = depth;
	if (!depth)
		throw std::runtime_error("out");
	throw_out(depth - 1);
	sink = depth + 1;
}

TRACED int catches(int depth)
{
	COUNT("catches(int)");
	try {
		throw_out(depth);
	} catch (const std::exception &) {
		return 1;
	}
	return 0;
}

TRACED int last(int x)
{
	COUNT("last(int)");
	sink = x;
	return catches(x % 3);
}

TRACED int second(int x)
{
	COUNT("second(int)");
	sink += x;
	return last(x);
}

TRACED int first(int x)
{
	COUNT("first(int)");
	sink ^= x;
	return second(x);
}

TRACED int main(int argc, char **argv)
{
	COUNT("main");
	int rounds = argc > 1 ? atoi(argv[1]) : 50, result = 0;

	for (int i = 0; i < rounds; i++) {
		result += jumps(i % 13);
		result += catches(i % 7);
		result += first(i);
	}
	return result < 0;
}
