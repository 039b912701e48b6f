// SPDX-License-Identifier: Apache-2.0
// A small workshop: threads that turn pieces on lathes, with recursion, tail calls and custom
// events. Nothing in it is there for a recorder but the attributes, which the flag
// -fxray-instruction-threshold=1 makes unnecessary.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <xray/xray_interface.h>

#define TRACED __attribute__((xray_always_instrument, noinline))

namespace workshop
{

static thread_local volatile double chips;

TRACED void cut(double depth)
{
	for (int i = 0; i < 60; i++)
		chips = std::sqrt(chips + depth * i);
}

struct lathe {
	TRACED virtual void turn(int piece)
	{
		for (int pass = 0; pass < 3; pass++)
			cut(piece * 0.1 + pass);
	}
	virtual ~lathe() = default;
};

struct copying_lathe : lathe {
	TRACED void turn(int piece) override
	{
		cut(piece);
		lathe::turn(piece / 2);
	}
};

// Measures the halves of a piece, and theirs.
TRACED int measure(int from, int to)
{
	if (to - from < 8) {
		cut(from);
		return to - from;
	}
	int middle = (from + to) / 2;

	return measure(from, middle) + measure(middle, to);
}

// Each leaves by a jump to the next: tail exits.
TRACED int pack(int piece)
{
	cut(1);
	return piece + 1;
}

TRACED int polish(int piece)
{
	cut(2);
	return pack(piece);
}

TRACED int finish(int piece)
{
	cut(3);
	return polish(piece);
}

TRACED void work(int number, int pieces)
{
	lathe plain;
	copying_lathe copying;
	char text[64];

	for (int piece = 0; piece < pieces; piece++) {
		(number % 2 ? plain : copying).turn(piece);
		if (piece % 10 == 0) {
			int size = std::snprintf(text, sizeof(text), "worker %d: %d pieces", number,
						 piece);

			__xray_customevent(text, (size_t)size);
			measure(0, 100);
		}
		finish(piece);
	}
}

} // namespace workshop

TRACED int main(int argc, char **argv)
{
	int workers = argc > 1 ? std::atoi(argv[1]) : 4;
	std::vector<std::thread> threads;

	threads.reserve((size_t)workers);

	for (int i = 0; i < workers; i++)
		threads.emplace_back(workshop::work, i, 200 + 50 * i);
	for (auto &thread : threads)
		thread.join();
	return 0;
}
