/* SPDX-License-Identifier: Apache-2.0 */
#include "record/clock.h"

#include <time.h>

#include "core/recording.h"

enum { MEASURE_NS = 4000000, LONG_NS = 100000000 };

struct instant {
	uint64_t ticks, ns;
};

static uint64_t read_tsc(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

static struct instant now(void)
{
	struct timespec time;
	struct instant instant;

	clock_gettime(CLOCK_MONOTONIC, &time);
	instant.ticks = read_tsc();
	instant.ns = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
	return instant;
}

static uint64_t rate(struct instant from, struct instant to)
{
	return (uint64_t)((double)(to.ticks - from.ticks) * 1e9 / (double)(to.ns - from.ns) + 0.5);
}

uint64_t tl_record_measure_hz(void)
{
	struct instant from = now(), to;

	do
		to = now();
	while (to.ns - from.ns < MEASURE_NS);
	return rate(from, to);
}

uint64_t tl_record_refine_hz(const struct tl_recording_state *state)
{
	struct instant from = { state->start_ticks, state->start_ns }, to = now();

	if (!state->is_tsc || to.ns <= from.ns || to.ticks <= from.ticks ||
	    to.ns - from.ns < LONG_NS)
		return state->hz;
	return rate(from, to);
}
