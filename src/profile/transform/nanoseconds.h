/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_NANOSECONDS_H
#define TL_PROFILE_NANOSECONDS_H
#include <tracelathe/profile.h>

/* Ticks per second of a clock that counts nanoseconds. */
enum { TL_NANOSECONDS = 1000000000 };

/*
 * Whether costs are of a clock whose ticks are no nanoseconds, or of one that is not known: such a
 * profile has no sum with those of other clocks.
 */
bool tl_profile_has_other_clock(const struct tl_profile *profile);
/*
 * The profile of a file by a clock of nanoseconds, so that it has a sum with those of any others.
 * Its ticks are rounded once, to the nearest, halves away from zero: the self cost of each call
 * stack of each thread, or, where the file has lines and calls of its own (Intel PT), that of each
 * of these, too. Inclusive costs are sums of what was rounded, so that they add up. Of durations,
 * each is rounded, and the sum of a function's by itself; quantiles of more than TL_LATENCY_EXACT
 * calls are at most 0.8 % off. Finished; parts, notes and losses are those of `profile`.
 * @return 0; TL_UNSUPPORTED: how long a tick is is not known; TL_NO_MEMORY
 */
int tl_profile_in_nanoseconds(struct tl_profile **converted, const struct tl_profile *profile,
			      struct tl_error *err);

#endif
