/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_EXPORT_EVENT_TIME_H
#define TL_EXPORT_EVENT_TIME_H
/* Costs that are times: their clock, and their conversion to nanoseconds. */
#include <stdbool.h>
#include <stdint.h>

#include <tracelathe/profile.h>

/*
 * Conversion of a sequence of ticks to nanoseconds: the fraction that is cut off is carried into
 * the next value, so that the sum of the results is the conversion of the sum. With frequency 0,
 * values do not change.
 */
struct tl_ns_carry {
	uint64_t frequency;
	uint64_t rest; /* less than the frequency */
	bool negative; /* the rest */
};
int64_t tl_carry_ns(struct tl_ns_carry *carry, int64_t ticks);

/* Ticks per second of an event's costs; 0: they are not ticks, or the clock is unknown. */
uint64_t tl_event_frequency(const struct tl_profile *profile, uint32_t event);

#endif
