/* SPDX-License-Identifier: Apache-2.0 */
/* Two profiles compared: functions, arcs or lines, with their costs on each side. */
#include "profile/diff/diff.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/wide.h"
#include "profile/model/unsized.h"

/* ---- things ---- */

/* The costs of one element of one profile; entries of equal keys become one row. */
struct entry {
	struct tl_diff_key key;
	int side;
	uint64_t calls;
	const int64_t *cost;
};

struct entries {
	struct entry *all;
	size_t count, capacity;
};

static int compare_keys(const struct tl_diff_key *a, const struct tl_diff_key *b)
{
	int order = tl_compare(a->function, b->function);

	if (!order)
		order = tl_compare(a->caller, b->caller);
	if (!order)
		order = strcmp(a->file, b->file);
	if (!order)
		order = tl_compare(a->line, b->line);
	return order;
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	return compare_keys(&a->key, &b->key);
}

static bool is_zero(const struct tl_profile *profile, const int64_t *cost)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		if (cost[e])
			return false;
	return true;
}

static bool add_entry(struct entries *to, const struct entry *entry)
{
	if (!tl_grow(&to->all, &to->capacity, to->count + 1, sizeof(*entry)))
		return false;
	to->all[to->count++] = *entry;
	return true;
}

/* ---- what a profile has ---- */

static bool take_functions(const struct tl_diff *diff, int side, struct entries *to)
{
	const struct tl_profile *profile = diff->profiles[side];

	for (uint32_t i = 0; i < profile->functions.table.count; i++) {
		struct entry entry = {
			{ diff->function_maps[side][i], TL_NONE, "", 0 }, side, 0, NULL
		};
		struct tl_function_totals totals;

		tl_profile_totals_of(profile, i, TL_NONE, &totals);
		entry.calls = totals.calls;
		entry.cost = diff->inclusive ? totals.inclusive : totals.self;
		/* One that only the symbols know was not there. */
		if (!totals.calls && !totals.unfinished && is_zero(profile, totals.self) &&
		    is_zero(profile, totals.inclusive))
			continue;
		if (tl_profile_chosen(profile, i) && !add_entry(to, &entry))
			return false;
	}
	return true;
}

static bool take_arcs(const struct tl_diff *diff, int side, struct entries *to)
{
	const struct tl_profile *profile = diff->profiles[side];
	const uint32_t *map = diff->function_maps[side];

	for (uint32_t i = 0; i < profile->arcs.table.count; i++) {
		const struct tl_arc *arc = &profile->arcs.list[i];
		bool outside = arc->caller == TL_NONE;
		struct entry entry = { { map[arc->callee], outside ? TL_NONE : map[arc->caller], "",
					 0 },
				       side,
				       arc->calls,
				       tl_profile_arc_cost(profile, i) };
		bool chosen = tl_profile_chosen(profile, arc->callee) ||
			      (!outside && tl_profile_chosen(profile, arc->caller));

		if (chosen && !add_entry(to, &entry))
			return false;
	}
	return true;
}

/* A line in the function's own file is that, wherever the file was when it was built. */
static bool take_lines(const struct tl_diff *diff, int side, struct entries *to)
{
	const struct tl_profile *profile = diff->profiles[side];

	for (uint32_t i = 0; i < profile->lines.table.count; i++) {
		const struct tl_cost_line *line = &profile->lines.list[i];
		const char *own = profile->functions.list[line->function].file;
		struct entry entry = { { diff->function_maps[side][line->function], TL_NONE,
					 strcmp(line->at.file, own) ? line->at.file : "",
					 line->at.line },
				       side,
				       0,
				       tl_profile_line_cost(profile, i) };

		if (is_zero(profile, entry.cost) || !tl_profile_chosen(profile, line->function))
			continue;
		if (!add_entry(to, &entry))
			return false;
	}
	return true;
}

static bool (*const take[])(const struct tl_diff *diff, int side, struct entries *to) = {
	[TL_DIFF_FUNCTIONS] = take_functions,
	[TL_DIFF_ARCS] = take_arcs,
	[TL_DIFF_LINES] = take_lines,
};

/* ---- rows ---- */

static void add_up(const struct tl_diff *diff, int side, int64_t *to, const int64_t *cost)
{
	uint64_t saturated = 0;

	for (uint32_t e = 0; e < diff->profiles[side]->event_count; e++)
		tl_add_cost(&to[diff->event_maps[side][e]], cost[e], &saturated);
}

static void add_calls(const struct tl_diff *diff, int64_t *to, uint64_t calls)
{
	uint64_t saturated = 0;

	if (diff->call_event != TL_NONE)
		tl_add_cost(&to[diff->call_event], (int64_t)tl_min(calls, (uint64_t)INT64_MAX),
			    &saturated);
}

/* Of all functions, or along all arcs: chosen or not, as the totals of costs are. */
static void total_calls(const struct tl_diff *diff, int side)
{
	const struct tl_profile *profile = diff->profiles[side];

	for (size_t i = 0; diff->by == TL_DIFF_FUNCTIONS && i < profile->functions.table.count; i++)
		add_calls(diff, diff->totals[side], profile->sums.calls[i]);
	for (size_t i = 0; diff->by == TL_DIFF_ARCS && i < profile->arcs.table.count; i++)
		add_calls(diff, diff->totals[side], profile->arcs.list[i].calls);
}

static bool add_thing(struct tl_diff *diff, const struct tl_diff_key *key)
{
	size_t vectors = (diff->thing_count + 1) * TL_SIDES;

	if (!tl_grow(&diff->things, &diff->thing_capacity, diff->thing_count + 1,
		     sizeof(*diff->things)) ||
	    !tl_grow(&diff->costs, &diff->cost_capacity, vectors * diff->event_count,
		     sizeof(*diff->costs)))
		return false;
	diff->things[diff->thing_count] = (struct tl_diff_thing){ .key = *key };
	memset(tl_diff_costs(diff, diff->thing_count, 0), 0,
	       TL_SIDES * diff->event_count * sizeof(*diff->costs));
	diff->thing_count++;
	return true;
}

/* Entries of one key become one row. */
static bool unite(struct tl_diff *diff, const struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		const struct entry *entry = &entries->all[i];
		struct tl_diff_thing *thing;

		if (!i || compare_keys(&entries->all[i - 1].key, &entry->key) != 0)
			if (!add_thing(diff, &entry->key))
				return false;
		thing = &diff->things[diff->thing_count - 1];
		thing->there[entry->side] = true;
		if (__builtin_add_overflow(thing->calls[entry->side], entry->calls,
					   &thing->calls[entry->side]))
			thing->calls[entry->side] = UINT64_MAX;
		add_up(diff, entry->side, tl_diff_costs(diff, diff->thing_count - 1, entry->side),
		       entry->cost);
		add_calls(diff, tl_diff_costs(diff, diff->thing_count - 1, entry->side),
			  entry->calls);
	}
	return true;
}

/* ---- time ---- */

/* Sums are converted, not their addends, so that each number is rounded once. */
static void convert(const struct tl_diff *diff, int side, int64_t *row)
{
	const struct tl_profile *profile = diff->profiles[side];

	for (uint32_t e = 0; e < profile->event_count; e++) {
		uint32_t event = diff->event_maps[side][e];

		if (!strcmp(profile->events[e].unit, "ticks") &&
		    !strcmp(diff->events[event].unit, "ns"))
			row[event] =
				tl_scale_nearest(row[event], 1000000000, profile->frequency, NULL);
	}
}

/* ---- the whole ---- */

static int compare(struct tl_diff *diff, const struct tl_diff_options *options,
		   struct tl_error *err)
{
	struct entries entries = { 0 };
	int status =
		tl_diff_match_events(diff, options->calls && options->by != TL_DIFF_LINES, err);
	bool room = true;

	if (status == 0)
		status = tl_diff_match_functions(diff, options, err);
	if (status < 0)
		return status;
	for (int side = 0; room && side < TL_SIDES; side++)
		room = take[diff->by](diff, side, &entries);
	if (room && entries.count)
		qsort(entries.all, entries.count, sizeof(*entries.all), compare_entries);
	room = room && unite(diff, &entries);
	free(entries.all);
	if (!room)
		return tl_error_memory(err);
	for (int side = 0; side < TL_SIDES; side++) {
		add_up(diff, side, diff->totals[side], tl_profile_total(diff->profiles[side]));
		total_calls(diff, side);
		convert(diff, side, diff->totals[side]);
		for (size_t i = 0; i < diff->thing_count; i++)
			convert(diff, side, tl_diff_costs(diff, i, side));
	}
	return 0;
}

int tl_profile_diff(struct tl_diff **diff, const struct tl_profile *before,
		    const struct tl_profile *after, const struct tl_diff_options *options,
		    struct tl_error *err)
{
	struct tl_diff_options filled = { .size = sizeof(filled) };
	struct tl_error mine = { .status = TL_NO_MEMORY };
	struct tl_diff *made;
	int status;

	*diff = NULL;
	if (options)
		memcpy(&filled, options,
		       options->size < sizeof(filled) ? options->size : sizeof(filled));
	if ((size_t)filled.by >= sizeof(take) / sizeof(take[0]) || !before->finished ||
	    !after->finished)
		return tl_error_at(
			err, TL_BAD_USAGE, TL_NOWHERE,
			"only finished profiles can be compared, by function, arc or line");
	made = calloc(1, sizeof(*made));
	if (!made)
		return tl_error_memory(err);
	made->profiles[TL_BEFORE] = before;
	made->profiles[TL_AFTER] = after;
	made->by = filled.by;
	made->inclusive = filled.inclusive;
	made->call_event = TL_NONE;
	status = compare(made, &filled, err ? err : &mine);
	if (status < 0) {
		tl_diff_free(made);
		return status;
	}
	*diff = made;
	return 0;
}

void tl_diff_free(struct tl_diff *diff)
{
	if (!diff)
		return;
	for (int side = 0; side < TL_SIDES; side++) {
		free(diff->event_maps[side]);
		free(diff->totals[side]);
		free(diff->function_maps[side]);
	}
	free(diff->events);
	free(diff->event_sides);
	free(diff->rates);
	free(diff->functions);
	free(diff->things);
	free(diff->costs);
	tl_names_free(&diff->names);
	free(diff);
}
