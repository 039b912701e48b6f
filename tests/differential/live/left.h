// SPDX-License-Identifier: Apache-2.0
// For programs whose calls do not all return: each counts the calls that did, and how deep its
// stack was.
#ifndef LIVE_LEFT_H
#define LIVE_LEFT_H
#include "recorder.h"

// Open calls, and the most there ever were.
inline int open_calls;
inline counter deepest("(deepest)");

NOT_TRACED inline void opened()
{
	if (++open_calls > (int)deepest.count)
		deepest.count = (uint64_t)open_calls;
}

// First and last statement of every traced function. `returned` counts what no exception or longjmp
// leaves.
#define BEGINS(name)                                                                               \
	COUNT(name);                                                                               \
	opened()
#define RETURNS(name)                                                                              \
	do {                                                                                       \
		static counter its_returns("(returned) " name);                                    \
		its_returns.count++;                                                               \
		open_calls--;                                                                      \
	} while (0)
#endif
