// SPDX-License-Identifier: Apache-2.0
// Coroutines of the language: their frames are on the heap, each turn is a call of its own, and an
// exception leaves one of them.
#include <coroutine>
#include <exception>
#include <stdexcept>

#include "counts.h"

struct counter counters[COUNTERS];

#define COUNT_AS(number, text)                                                                     \
	do {                                                                                       \
		counters[number].name = text;                                                      \
		__atomic_add_fetch(&counters[number].count, 1, __ATOMIC_RELAXED);                  \
	} while (0)

struct generator {
	struct promise_type {
		long value = 0;
		std::exception_ptr thrown;

		HIDDEN generator get_return_object()
		{
			return { std::coroutine_handle<promise_type>::from_promise(*this) };
		}
		HIDDEN std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		HIDDEN std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		HIDDEN std::suspend_always yield_value(long given) noexcept
		{
			value = given;
			return {};
		}
		HIDDEN void return_void() noexcept
		{
		}
		HIDDEN void unhandled_exception() noexcept
		{
			thrown = std::current_exception();
		}
	};

	std::coroutine_handle<promise_type> handle;

	HIDDEN ~generator()
	{
		handle.destroy();
	}
};

TRACED long mix(long x)
{
	COUNT_AS(0, "mix(long)");
	return x * 7 + 3;
}

TRACED long fail_at(long x, long limit)
{
	COUNT_AS(1, "fail_at(long, long)");
	if (x == limit)
		throw std::runtime_error("the limit");
	return mix(x);
}

HIDDEN generator numbers(long limit)
{
	for (long x = 0;; x++)
		co_yield fail_at(x, limit);
}

TRACED bool next(generator &from)
{
	COUNT_AS(2, "next(generator&)");
	from.handle.resume();
	return !from.handle.promise().thrown;
}

TRACED long sum(long limit)
{
	COUNT_AS(3, "sum(long)");
	generator of = numbers(limit);
	long total = 0;

	while (next(of))
		total += mix(of.handle.promise().value);
	return total;
}

int main()
{
	for (long i = 0; i < 200; i++)
		sum(i);
	write_counts();
	return 3;
}
