/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What recorders are timed with (bench_record.py): a loop of COUNT calls of a function that does
 * nothing. Prints the nanoseconds of processor time that a call took the thread that made it, after
 * a tenth of the calls, which find the recorder's first buffers.
 *
 *   recorded_calls COUNT
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__clang__) && __has_attribute(xray_never_instrument)
#define NOT_RECORDED __attribute__((no_instrument_function, xray_never_instrument))
#else
#define NOT_RECORDED __attribute__((no_instrument_function))
#endif

__attribute__((noinline)) static long leaf(long value)
{
	__asm__ volatile("" : "+r"(value));
	return value + 1;
}

NOT_RECORDED static double nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

NOT_RECORDED static long run(long count)
{
	long value = 0;

	while (value < count)
		value = leaf(value);
	return value;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 1;
	long before = run(count / 10);
	double begin = nanoseconds();
	long after = run(count);

	printf("%.2f\n", (nanoseconds() - begin) / (double)after);
	return before + after != count / 10 + count;
}
