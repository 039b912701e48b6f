// SPDX-License-Identifier: Apache-2.0
// Arguments (attribute and attribute list), custom events between calls, long pauses that wrap the
// 31-bit deltas.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <unistd.h>
#include <xray/xray_interface.h>

#include "recorder.h"

static volatile uint64_t sink;

TRACED __attribute__((xray_log_args(1))) uint64_t collatz(uint64_t n)
{
	COUNT("collatz(unsigned long)");
	if (n == 1)
		return 0;
	// The volatile store keeps the compiler from making a loop of the call.
	sink = collatz(n % 2 ? 3 * n + 1 : n / 2);
	return sink + 1;
}

// Traced by the attribute list alone.
extern "C" __attribute__((noinline)) void listed(int64_t value)
{
	COUNT("listed");
	sink = (uint64_t)value * 3;
}

TRACED void tell(int i)
{
	COUNT("tell(int)");
	char text[64];
	int size = snprintf(text, sizeof(text), "round \"%d\"\t\xff", i);

	__xray_customevent(text, (size_t)size);
	sink = (uint64_t)i;
}

TRACED void pause_for(unsigned microseconds)
{
	COUNT("pause_for(unsigned int)");
	usleep(microseconds);
}

TRACED void work(int rounds)
{
	COUNT("work(int)");
	for (int i = 1; i <= rounds; i++) {
		tell(i);
		listed(-i);
		collatz((uint64_t)i);
	}
}

TRACED int main(int argc, char **argv)
{
	COUNT("main");
	int rounds = argc > 1 ? atoi(argv[1]) : 40;

	work(rounds);
	pause_for(2200000);
	std::thread other(work, rounds);
	other.join();
	return 0;
}
