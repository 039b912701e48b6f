// SPDX-License-Identifier: Apache-2.0
// Exceptions that go through many frames with cleanups, are caught and thrown again; C++ names; a
// backtrace in the middle.
#include <execinfo.h>
#include <stdexcept>
#include <thread>
#include <vector>

#include "counts.h"

struct counter counters[COUNTERS];
static volatile int sink;

#define COUNT_AS(number, text)                                                                     \
	do {                                                                                       \
		counters[number].name = text;                                                      \
		__atomic_add_fetch(&counters[number].count, 1, __ATOMIC_RELAXED);                  \
	} while (0)

TRACED void swept()
{
	COUNT_AS(0, "swept()");
	sink = sink + 1;
}

struct broom {
	HIDDEN ~broom()
	{
		swept();
	}
};

TRACED int thrower(int depth)
{
	COUNT_AS(1, "thrower(int)");
	broom here;

	if (!depth)
		throw std::runtime_error("thrown");
	return thrower(depth - 1) + 1;
}

TRACED int again(int depth)
{
	COUNT_AS(2, "again(int)");
	try {
		return thrower(depth);
	} catch (const std::exception &) {
		swept();
		throw;
	}
}

namespace shop
{
template <typename T> TRACED T pile(T x)
{
	COUNT_AS(sizeof(T) == 4 ? 3 : 4,
		 sizeof(T) == 4 ? "int shop::pile<int>(int)" : "long shop::pile<long>(long)");
	void *addresses[64];

	return x + (T)(backtrace(addresses, 64) > 0);
}
} // namespace shop

TRACED int catcher(int rounds)
{
	COUNT_AS(5, "catcher(int)");
	int caught = 0;

	for (int i = 0; i < rounds; i++) {
		try {
			again(i % 11);
		} catch (const std::exception &) {
			caught++;
		}
		shop::pile(i);
		shop::pile((long)i);
	}
	return caught;
}

TRACED void worker(int rounds)
{
	COUNT_AS(6, "worker(int)");
	if (catcher(rounds) != rounds)
		std::abort();
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back(worker, 300 + i);
	for (auto &thread : threads)
		thread.join();
	worker(500);
	write_counts();
	return 3;
}
