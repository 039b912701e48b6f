/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sum to which profiles are added one by one, as they come, with the costs of all parts
 * together. Nothing is sorted on the way, and lines and arcs are left to tl_profile_finish(), so
 * that a profile costs one look-up for each of its contexts. Parts stay apart in the list, since
 * what is told of them is not cost. tl_profile_merge() of the finished sum has the order of names,
 * and joins parts and functions that come twice.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/merge/merge.h"

bool tl_merge_has_sum(const struct tl_profile *profile)
{
	return profile->finished && profile->contexts.table.count && !profile->pack &&
	       !profile->jumps.table.count && (profile->sums.only || profile->sums.derived);
}

static uint64_t clock_of(const struct tl_profile *profile)
{
	return tl_profile_has_ticks(profile) ? profile->frequency : 0;
}

/* What has no durations has all of them. */
static bool is_exact(const struct tl_profile *profile)
{
	return profile->durations.exact || !profile->durations.capacity;
}

static bool same_event(const struct tl_event *a, const struct tl_event *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->long_name, b->long_name) &&
	       !strcmp(a->unit, b->unit) && !strcmp(a->formula, b->formula);
}

bool tl_merge_is_alike(const struct tl_profile *sum, const struct tl_profile *profile)
{
	bool same = sum->event_count == profile->event_count &&
		    sum->call_count == profile->call_count && sum->timed == profile->timed &&
		    sum->emulated == profile->emulated && sum->frequency == clock_of(profile) &&
		    sum->durations.exact == is_exact(profile) &&
		    sum->notes.count + profile->notes.count <= TL_PROFILE_NOTES &&
		    !strcmp(sum->format, tl_profile_format(profile));

	for (uint32_t e = 0; same && e < sum->event_count; e++)
		same = same_event(&sum->events[e], &profile->events[e]);
	return same;
}

static uint64_t size_of_cost(int64_t cost)
{
	return cost < 0 ? 0 - (uint64_t)cost : (uint64_t)cost;
}

uint64_t tl_merge_weight(const struct tl_profile *profile)
{
	const size_t rows = profile->contexts.table.count;
	uint64_t weight = 0, overflows = 0;

	for (size_t i = 0; i < rows * profile->event_count; i++)
		tl_add_count(&weight, size_of_cost(profile->contexts.table.cost[i]), &overflows);
	for (size_t i = 0; i < rows; i++)
		tl_add_count(&weight, profile->contexts.list[i].calls, &overflows);
	return weight;
}

int tl_merge_begin(struct tl_profile **sum, const struct tl_profile *like, struct tl_error *err)
{
	int status = tl_profile_make(sum, tl_profile_format(like), like->events, like->event_count,
				     clock_of(like), err);

	if (status < 0)
		return status;
	(*sum)->call_count = like->call_count;
	(*sum)->timed = like->timed;
	(*sum)->emulated = like->emulated;
	(*sum)->durations.exact = is_exact(like);
	return 0;
}

static int add_functions(const struct tl_merge *merge, struct tl_error *err)
{
	const struct tl_profile *from = merge->from[0];
	struct tl_profile *to = merge->to;

	for (uint32_t f = 0; f < from->functions.table.count; f++) {
		int64_t number = tl_profile_put_function(to, &from->functions.list[f], err);

		if (number < 0)
			return (int)number;
		tl_merge_take_entry(&to->functions.list[number], &from->functions.list[f]);
		merge->maps[0].functions[f] = (uint32_t)number;
	}
	return 0;
}

/* Costs are of no part. */
static int add_parts(const struct tl_merge *merge, struct tl_error *err)
{
	const struct tl_profile *from = merge->from[0];

	for (uint32_t p = 0; p < from->parts.count; p++) {
		int64_t number = tl_profile_put_part(merge->to, &from->parts.list[p], err);

		if (number < 0)
			return (int)number;
		merge->maps[0].parts[p] = TL_NONE;
	}
	return 0;
}

static int add_durations(const struct tl_merge *merge, struct tl_error *err)
{
	const struct tl_profile *from = merge->from[0];
	size_t count = from->functions.table.count;

	if (count > from->durations.capacity)
		count = from->durations.capacity;
	for (size_t f = 0; f < count; f++)
		if (from->durations.list[f].calls &&
		    !tl_profile_add_latency(merge->to, merge->maps[0].functions[f], TL_NONE,
					    &from->durations.list[f]))
			return tl_error_memory(err);
	return 0;
}

static int add_notes(const struct tl_merge *merge, struct tl_error *err)
{
	const struct tl_profile_notes *notes = &merge->from[0]->notes;

	for (size_t i = 0; i < notes->count; i++)
		if (!tl_profile_add_note(merge->to, &notes->list[i]))
			return tl_error_memory(err);
	return 0;
}

/* Events are alike, and parts are at least one, which contexts without a list of them have. */
static bool make_maps(struct tl_merge *merge)
{
	const struct tl_profile *from = merge->from[0];
	struct tl_merge_map *map = &merge->maps[0];

	map->events = malloc(((size_t)from->event_count + 1) * sizeof(*map->events));
	map->functions = malloc((from->functions.table.count + 1) * sizeof(*map->functions));
	map->parts = malloc((from->parts.count + 1) * sizeof(*map->parts));
	merge->row = malloc(((size_t)from->event_count + 1) * sizeof(*merge->row));
	if (!map->events || !map->functions || !map->parts || !merge->row)
		return false;
	for (uint32_t e = 0; e < from->event_count; e++)
		map->events[e] = e;
	map->parts[0] = TL_NONE;
	return true;
}

static int add_contexts(const struct tl_merge *merge, struct tl_error *err)
{
	return tl_merge_unite_contexts(merge, 0, merge->to, err);
}

int tl_merge_into(struct tl_profile *sum, const struct tl_profile *profile, struct tl_error *err)
{
	static int (*const steps[])(const struct tl_merge *merge, struct tl_error *err) = {
		add_functions, add_parts, add_contexts, add_durations, add_notes,
	};
	struct tl_merge_map map = { NULL, NULL, NULL };
	struct tl_merge merge = { .from = &profile, .count = 1, .to = sum, .maps = &map };
	int status = tl_error_unless_made(make_maps(&merge), err);

	for (size_t i = 0; status == 0 && i < sizeof(steps) / sizeof(steps[0]); i++)
		status = steps[i](&merge, err);
	tl_losses_add(&sum->losses, &profile->losses);
	tl_merge_map_free(&map);
	free(merge.row);
	return status;
}
