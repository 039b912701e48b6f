/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_LISTING_CLOCK_H
#define TL_XRAY_LISTING_CLOCK_H
/*
 * One clock for several logs. Each buffer has a wall clock beside its first TSC; together they say
 * when TSC 0 was. Logs for which that is the same time have the same TSC (of one machine since it
 * was started) and keep their ticks: within 10 ms, and 100 us for each second between the logs, as
 * the frequency is not exact. Others are moved by the difference, to within what the recorded
 * clocks are off; the log whose TSC 0 is the earliest keeps its ticks. LLVM's runtime records a
 * wall clock that counts from the machine's start: logs of several machines are then not placed.
 */
#include "xray/records/reader.h"

/* How the ticks of a log are told in those of the common clock. */
struct tl_xray_clock {
	uint64_t first; /* the least TSC of the log */
	uint64_t base;  /* what it is in common ticks */
	double rate;    /* common ticks of a tick; 1 is exact */
};

/* The clock of a log alone. */
struct tl_xray_clock tl_xray_own_clock(const struct tl_xray_reader *reader);

/*
 * Fill `clocks`, one for each log, and the frequency of the common clock. TL_UNSUPPORTED, with the
 * number of the log in *which: it has no wall clock, or none that can be compared.
 */
int tl_xray_common_clock(struct tl_xray_reader *const *readers, size_t count,
			 struct tl_xray_clock *clocks, uint64_t *frequency, size_t *which,
			 struct tl_error *err);

static inline uint64_t tl_xray_clock_ticks(const struct tl_xray_clock *clock, uint64_t tsc)
{
	uint64_t since = tsc - clock->first;

	if (clock->rate == 1)
		return clock->base + since;
	return clock->base + (uint64_t)((double)since * clock->rate);
}

#endif
