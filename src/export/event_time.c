/* SPDX-License-Identifier: Apache-2.0 */
#include "export/event_time.h"

#include <string.h>

uint64_t tl_event_frequency(const struct tl_profile *profile, uint32_t event)
{
	if (strcmp(tl_profile_event(profile, event)->unit, "ticks") != 0)
		return 0;
	return tl_profile_frequency(profile);
}

int64_t tl_carry_ns(struct tl_ns_carry *carry, int64_t ticks)
{
	__int128 whole, ns;

	if (!carry->frequency)
		return ticks;
	whole = (__int128)ticks * 1000000000 + carry->rest;
	ns = whole / (__int128)carry->frequency;
	carry->rest = whole - ns * (__int128)carry->frequency;
	if (ns > INT64_MAX)
		return INT64_MAX;
	if (ns < INT64_MIN)
		return INT64_MIN;
	return (int64_t)ns;
}
