// SPDX-License-Identifier: Apache-2.0
// The two accounts of a run: XRay's, and our own counters that know nothing of XRay.
#ifndef LIVE_RECORDER_H
#define LIVE_RECORDER_H
#include <atomic>
#include <cstdint>

#define TRACED __attribute__((xray_always_instrument, noinline))
#define NOT_TRACED __attribute__((xray_never_instrument))

// A counter that puts itself on a list when it is made; `name` is the demangled name of the
// function it counts.
struct counter {
	const char *name;
	std::atomic<uint64_t> count{ 0 };
	counter *next;
	explicit NOT_TRACED counter(const char *its_name);
};

// In a process that was forked: what was counted so far is its parent's.
void forget_counts();

// First statement of every traced function.
#define COUNT(name)                                                                                \
	do {                                                                                       \
		static counter its_counter(name);                                                  \
		its_counter.count++;                                                               \
	} while (0)
#endif
