/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_INSTANT_H
#define BENCH_INSTANT_H
/* Seconds of the wall's clock, and of processor time of all threads of this process. */
#include <time.h>

struct instant {
	double wall, cpu;
};

static inline double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline struct instant instant_now(void)
{
	return (struct instant){ seconds_of(CLOCK_MONOTONIC),
				 seconds_of(CLOCK_PROCESS_CPUTIME_ID) };
}

#endif
