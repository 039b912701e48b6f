/* SPDX-License-Identifier: Apache-2.0 */
/* The reading half of <tracelathe/profile.h>. */
#include "core/text/optional.h"
#include <string.h>

#include "profile/model/model.h"

#define COUNTED(name, type, array, size)                                                           \
	uint32_t tl_profile_##name##_count(const struct tl_profile *profile)                       \
	{                                                                                          \
		return (uint32_t)profile->size;                                                    \
	}                                                                                          \
	const struct tl_##type *tl_profile_##name(const struct tl_profile *profile,                \
						  uint32_t number)                                 \
	{                                                                                          \
		return number < profile->size ? &profile->array[number] : NULL;                    \
	}

COUNTED(event, event, events, event_count)
COUNTED(part, part, parts.list, parts.count)
COUNTED(function, function, functions.list, functions.table.count)
COUNTED(context, context, contexts.list, contexts.table.count)
COUNTED(line, cost_line, lines.list, lines.table.count)
COUNTED(arc, arc, arcs.list, arcs.table.count)
COUNTED(jump, jump, jumps.list, jumps.table.count)

uint64_t tl_profile_frequency(const struct tl_profile *profile)
{
	return profile->frequency;
}

bool tl_profile_flat(const struct tl_profile *profile)
{
	return profile->sums.given != 0;
}

bool tl_profile_estimated(const struct tl_profile *profile)
{
	return profile->estimated;
}

bool tl_profile_emulated(const struct tl_profile *profile)
{
	return profile->emulated;
}

uint32_t tl_profile_shown_event(const struct tl_profile *profile, uint32_t place)
{
	uint32_t insns = 0;

	while (profile->emulated && insns < profile->event_count &&
	       strcmp(profile->events[insns].name, "Ir") != 0)
		insns++;
	if (!profile->emulated || insns == profile->event_count || place > insns)
		return place;
	return place ? place - 1 : insns;
}

bool tl_profile_timed(const struct tl_profile *profile)
{
	return profile->timed;
}

enum tl_call_count tl_profile_call_count(const struct tl_profile *profile)
{
	return profile->call_count;
}

const char *tl_profile_format(const struct tl_profile *profile)
{
	return tl_text_or_empty(profile->format);
}

const int64_t *tl_profile_total(const struct tl_profile *profile)
{
	return profile->sums.total;
}

/* The costs of an element of a table, zeros for one that is not there. */
static const int64_t *cost_of(const struct tl_profile *profile, const int64_t *costs, size_t count,
			      uint32_t number)
{
	return number < count ? costs + (size_t)number * profile->event_count : profile->sums.zeros;
}

const int64_t *tl_profile_line_cost(const struct tl_profile *profile, uint32_t line)
{
	return cost_of(profile, profile->lines.table.cost, profile->lines.table.count, line);
}

const int64_t *tl_profile_arc_cost(const struct tl_profile *profile, uint32_t arc)
{
	return cost_of(profile, profile->arcs.table.cost, profile->arcs.table.count, arc);
}

const int64_t *tl_profile_context_self(const struct tl_profile *profile, uint32_t context)
{
	return cost_of(profile, profile->contexts.table.cost, profile->contexts.table.count,
		       context);
}

const int64_t *tl_profile_context_inclusive(const struct tl_profile *profile, uint32_t context)
{
	return cost_of(profile, profile->contexts.inclusive, profile->contexts.table.count,
		       context);
}

void tl_profile_totals_of(const struct tl_profile *profile, uint32_t function, uint32_t part,
			  struct tl_function_totals *totals)
{
	uint32_t local =
		part == TL_NONE ? TL_NONE : tl_profile_find_part_function(profile, function, part);

	if (part == TL_NONE && function < profile->functions.table.count) {
		totals->calls = profile->sums.calls[function];
		totals->unfinished = profile->sums.unfinished[function];
		totals->cut = profile->sums.cut[function];
		totals->self = profile->sums.self + (size_t)function * profile->event_count;
		totals->inclusive =
			profile->sums.inclusive + (size_t)function * profile->event_count;
	} else if (local != TL_NONE) {
		totals->calls = profile->part_functions.list[local].calls;
		totals->unfinished = profile->part_functions.list[local].unfinished;
		totals->cut = profile->part_functions.list[local].cut;
		totals->self =
			profile->part_functions.table.cost + (size_t)local * profile->event_count;
		totals->inclusive =
			profile->part_functions.inclusive + (size_t)local * profile->event_count;
	} else {
		*totals = (struct tl_function_totals){ .self = profile->sums.zeros,
						       .inclusive = profile->sums.zeros };
	}
}

bool tl_profile_latency_of(const struct tl_profile *profile, uint32_t function, uint32_t part,
			   struct tl_latency *latency)
{
	const struct tl_latencies *l = NULL;

	if (part == TL_NONE) {
		if (function < profile->durations.capacity)
			l = &profile->durations.list[function];
	} else {
		uint32_t local = tl_profile_find_part_function(profile, function, part);

		if (local != TL_NONE)
			l = &profile->part_functions.list[local].latency;
	}
	if (!l || !l->calls)
		return false;
	tl_latency_figures(l, latency);
	return true;
}

struct tl_losses tl_profile_losses_of(const struct tl_profile *profile)
{
	struct tl_losses sum = profile->losses;

	for (size_t i = 0; i < profile->parts.count; i++)
		tl_losses_add(&sum, &profile->parts.list[i].losses);
	return sum;
}
