// SPDX-License-Identifier: Apache-2.0
// Threads that come and go, C++ names (templates, virtuals, lambdas, anonymous namespaces,
// operators), deep and mutual recursion, sibling calls.
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "recorder.h"

static volatile unsigned sink;

namespace shop
{
namespace
{
TRACED unsigned leaf(unsigned x)
{
	COUNT("shop::(anonymous namespace)::leaf(unsigned int)");
	sink = x;
	return x * 3 + 1;
}
} // namespace

struct machine {
	TRACED virtual unsigned turn(unsigned x)
	{
		COUNT("shop::machine::turn(unsigned int)");
		return leaf(x) + 1;
	}
	virtual ~machine() = default;
};

struct lathe : machine {
	TRACED unsigned turn(unsigned x) override
	{
		COUNT("shop::lathe::turn(unsigned int)");
		return leaf(x + 1) ^ leaf(x + 2);
	}
};

template <typename T, int N> struct pile {
	T sum = 0;
	TRACED pile &operator+=(T x)
	{
		if (N == 3)
			COUNT("shop::pile<unsigned int, 3>::operator+=(unsigned int)");
		else
			COUNT("shop::pile<unsigned long, 7>::operator+=(unsigned long)");
		sum += x * N;
		return *this;
	}
};
} // namespace shop

// Sibling calls: each leaves by a jump to the next.
TRACED unsigned even(unsigned n);
TRACED unsigned odd(unsigned n)
{
	COUNT("odd(unsigned int)");
	sink = n;
	return n ? even(n - 1) : 0;
}
TRACED unsigned even(unsigned n)
{
	COUNT("even(unsigned int)");
	sink = n + 1;
	return n ? odd(n - 1) : 1;
}

TRACED unsigned tree(unsigned depth, unsigned x)
{
	COUNT("tree(unsigned int, unsigned int)");
	if (!depth)
		return x;
	unsigned left = tree(depth - 1, 2 * x);

	// The volatile stores keep the compiler from making a loop of a call.
	sink = tree(depth - 1, 2 * x + 1);
	sink = left;
	return sink;
}

extern "C" TRACED unsigned plain(unsigned x)
{
	COUNT("plain");
	std::function<unsigned(unsigned)> add = [x](unsigned y) { return x + y; };

	return add(x) + odd(x % 50);
}

TRACED void work(unsigned id, unsigned rounds)
{
	COUNT("work(unsigned int, unsigned int)");
	shop::machine plain_machine;
	shop::lathe lathe;
	shop::machine *machines[] = { &plain_machine, &lathe };
	shop::pile<unsigned, 3> small;
	shop::pile<unsigned long, 7> large;

	for (unsigned i = 0; i < rounds; i++) {
		small += machines[(i + id) % 2]->turn(i);
		if (i % 3 == 0)
			large += plain(i);
		if (i % 64 == 0)
			sink = tree(id % 7, i);
	}
}

TRACED int main(int argc, char **argv)
{
	COUNT("main");
	unsigned threads = argc > 1 ? (unsigned)atoi(argv[1]) : 8,
		 rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 500;

	// Two generations, so that thread ids and buffers are used again.
	for (unsigned generation = 0; generation < 2; generation++) {
		std::vector<std::thread> running;

		for (unsigned i = 0; i < threads; i++)
			running.emplace_back(work, i, rounds + i);
		for (auto &thread : running)
			thread.join();
	}
	return 0;
}
