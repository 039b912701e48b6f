/* SPDX-License-Identifier: Apache-2.0 */
/* The reading half of a difference. */
#include "profile/diff/diff.h"

#include "core/sized.h"

enum tl_diff_unit tl_diff_by(const struct tl_diff *diff)
{
	return diff->by;
}

uint32_t tl_diff_event_count(const struct tl_diff *diff)
{
	return diff->event_count;
}

const struct tl_event *tl_diff_event(const struct tl_diff *diff, uint32_t event)
{
	return event < diff->event_count ? &diff->events[event] : NULL;
}

bool tl_diff_event_common(const struct tl_diff *diff, uint32_t event)
{
	return event < diff->event_count && diff->event_sides[event] == (1u << TL_SIDES) - 1;
}

const char *tl_diff_event_name(const struct tl_diff *diff, uint32_t event, bool after)
{
	const struct tl_profile *profile = diff->profiles[after];

	for (uint32_t e = 0; e < profile->event_count; e++)
		if (diff->event_maps[after][e] == event)
			return profile->events[e].name;
	return NULL;
}

uint64_t tl_diff_rate(const struct tl_diff *diff, uint32_t event)
{
	return event < diff->event_count ? diff->rates[event] : 0;
}

const int64_t *tl_diff_total(const struct tl_diff *diff, bool after)
{
	return diff->totals[after];
}

const struct tl_profile *tl_diff_profile(const struct tl_diff *diff, bool after)
{
	return diff->profiles[after];
}

uint32_t tl_diff_row_count(const struct tl_diff *diff)
{
	return (uint32_t)diff->thing_count;
}

struct tl_diff_row tl_diff_row_of(const struct tl_diff *diff, uint32_t row)
{
	const struct tl_diff_thing *thing = &diff->things[row];
	const struct tl_function *function;

	if (row >= tl_diff_row_count(diff))
		return (struct tl_diff_row){ .function = NULL };
	function = &diff->functions[thing->key.function];
	return (struct tl_diff_row){
		.function = function,
		.caller = thing->key.caller == TL_NONE ? NULL : &diff->functions[thing->key.caller],
		.file = *thing->key.file ? thing->key.file : function->file,
		.line = thing->key.line,
		.in_before = thing->there[TL_BEFORE],
		.in_after = thing->there[TL_AFTER],
		.calls_before = thing->calls[TL_BEFORE],
		.calls_after = thing->calls[TL_AFTER],
		.before = tl_diff_costs(diff, row, TL_BEFORE),
		.after = tl_diff_costs(diff, row, TL_AFTER),
	};
}

int tl_diff_row(const struct tl_diff *diff, uint32_t row, struct tl_diff_row *to, size_t size)
{
	struct tl_diff_row ours = tl_diff_row_of(diff, row);

	if (row >= tl_diff_row_count(diff))
		return TL_BAD_USAGE;
	return tl_give(to, size, sizeof(ours), &ours, sizeof(ours));
}
