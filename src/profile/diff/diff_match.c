/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching the elements of two profiles: events by name, then by what they measure; functions by
 * object, file and name, then by name alone.
 */
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "profile/diff/diff.h"

/* ---- events ---- */

static uint32_t find_event(const struct tl_diff *diff, const char *name)
{
	for (uint32_t e = 0; e < diff->event_count; e++)
		if (!strcmp(diff->events[e].name, name))
			return e;
	return TL_NONE;
}

/* False where the profile does not have the event. */
static bool find_clock(const struct tl_diff *diff, int side, uint32_t event, uint64_t *frequency)
{
	*frequency = diff->profiles[side]->frequency;
	return diff->event_sides[event] & 1u << side;
}

/*
 * Of an event counted in ticks: the frequency of the one clock there is, or that of nanoseconds for
 * two.
 */
static void set_rate(struct tl_diff *diff, uint32_t event)
{
	struct tl_event *e = &diff->events[event];
	uint64_t before, after;
	bool in_before = find_clock(diff, TL_BEFORE, event, &before);
	bool in_after = find_clock(diff, TL_AFTER, event, &after);

	if (!strcmp(e->unit, "ns")) {
		diff->rates[event] = 1000000000;
	} else if (!strcmp(e->unit, "ticks") && in_before && in_after && before != after) {
		if (!before || !after)
			return; /* ticks of unknown length can only be compared as they are */
		e->unit = "ns";
		diff->rates[event] = 1000000000;
	} else if (!strcmp(e->unit, "ticks")) {
		diff->rates[event] = in_before ? before : after;
	}
}

static void take_events(struct tl_diff *diff, int side)
{
	const struct tl_profile *profile = diff->profiles[side];

	for (uint32_t e = 0; e < profile->event_count; e++) {
		uint32_t number = find_event(diff, profile->events[e].name);

		if (number == TL_NONE) {
			number = diff->event_count++;
			diff->events[number] = profile->events[e];
		} else if (!*diff->events[number].unit) {
			diff->events[number].unit = profile->events[e].unit;
		}
		diff->event_maps[side][e] = number;
		diff->event_sides[number] |= (uint8_t)(1u << side);
	}
}

/* ---- events of other names ---- */

static bool is_time(const struct tl_profile *profile, const struct tl_event *event)
{
	return !strcmp(event->unit, "ns") || (!strcmp(event->unit, "ticks") && profile->frequency);
}

/* "Ir" of Callgrind and of traces; "instructions" of perf, also as "instructions:u". */
static bool is_instructions(const struct tl_profile *profile, const struct tl_event *event)
{
	static const char name[] = "instructions";
	const char *end = event->name + sizeof(name) - 1;

	(void)profile;
	return !strcmp(event->unit, name) || !strcmp(event->name, "Ir") ||
	       (!strncmp(event->name, name, sizeof(name) - 1) && (!*end || *end == ':'));
}

/* What formats measure under names of their own. */
static const struct quantity {
	const char *name, *unit;
	bool (*measured_by)(const struct tl_profile *profile, const struct tl_event *event);
} quantities[] = {
	{ "time", "ns", is_time },
	{ "instructions", "instructions", is_instructions },
};

/* The first event of a side that measures it and that the other side does not have. */
static uint32_t find_measure(const struct tl_diff *diff, int side, const struct quantity *quantity)
{
	const struct tl_profile *profile = diff->profiles[side];

	for (uint32_t e = 0; e < profile->event_count; e++)
		if (!tl_diff_event_common(diff, diff->event_maps[side][e]) &&
		    !*profile->events[e].formula &&
		    quantity->measured_by(profile, &profile->events[e]))
			return e;
	return TL_NONE;
}

static void drop_event(struct tl_diff *diff, uint32_t event)
{
	const size_t behind = --diff->event_count - event;
	uint32_t *map = diff->event_maps[TL_AFTER];

	memmove(&diff->events[event], &diff->events[event + 1], behind * sizeof(*diff->events));
	memmove(&diff->event_sides[event], &diff->event_sides[event + 1], behind);
	for (uint32_t e = 0; e < diff->profiles[TL_AFTER]->event_count; e++)
		map[e] -= map[e] > event;
}

/* The one event of each side that measures a quantity become one event. */
static void share(struct tl_diff *diff, const struct quantity *quantity)
{
	uint32_t before = find_measure(diff, TL_BEFORE, quantity),
		 after = find_measure(diff, TL_AFTER, quantity);
	uint32_t event, gone, named = find_event(diff, quantity->name);

	if (before == TL_NONE || after == TL_NONE)
		return;
	event = diff->event_maps[TL_BEFORE][before];
	gone = diff->event_maps[TL_AFTER][after];
	if (named != TL_NONE && named != event && named != gone)
		return;
	diff->events[event] = (struct tl_event){
		.name = quantity->name, .long_name = "", .unit = quantity->unit, .formula = ""
	};
	diff->event_sides[event] = (1u << TL_SIDES) - 1;
	diff->event_maps[TL_AFTER][after] = event;
	drop_event(diff, gone);
}

/* An event "calls" of the inputs takes precedence over the numbers of calls. */
static void add_call_event(struct tl_diff *diff)
{
	if (find_event(diff, "calls") != TL_NONE)
		return;
	diff->call_event = diff->event_count++;
	diff->events[diff->call_event] =
		(struct tl_event){ .name = "calls", .long_name = "", .unit = "", .formula = "" };
	diff->event_sides[diff->call_event] = (1u << TL_SIDES) - 1;
}

static bool both_count_calls(const struct tl_diff *diff)
{
	return diff->by != TL_DIFF_LINES &&
	       tl_profile_call_count(diff->profiles[TL_BEFORE]) != TL_CALLS_NONE &&
	       tl_profile_call_count(diff->profiles[TL_AFTER]) != TL_CALLS_NONE;
}

static bool any_common(const struct tl_diff *diff)
{
	for (uint32_t e = 0; e < diff->event_count; e++)
		if (tl_diff_event_common(diff, e))
			return true;
	return false;
}

int tl_diff_match_events(struct tl_diff *diff, bool calls, struct tl_error *err)
{
	size_t most = (size_t)diff->profiles[TL_BEFORE]->event_count +
		      diff->profiles[TL_AFTER]->event_count + 1;

	diff->events = calloc(most, sizeof(*diff->events));
	diff->rates = calloc(most, sizeof(*diff->rates));
	diff->event_sides = calloc(most, sizeof(*diff->event_sides));
	if (!diff->events || !diff->rates || !diff->event_sides)
		return tl_error_memory(err);
	for (int side = 0; side < TL_SIDES; side++) {
		diff->event_maps[side] = calloc(most, sizeof(uint32_t));
		diff->totals[side] = calloc(most, sizeof(int64_t));
		if (!diff->event_maps[side] || !diff->totals[side])
			return tl_error_memory(err);
		take_events(diff, side);
	}
	for (size_t i = 0; i < sizeof(quantities) / sizeof(quantities[0]); i++)
		share(diff, &quantities[i]);
	for (uint32_t e = 0; e < diff->event_count; e++)
		set_rate(diff, e);
	if (calls || (!any_common(diff) && both_count_calls(diff)))
		add_call_event(diff);
	return any_common(diff) ? 0
				: tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
					      "the inputs have no event in common, so their costs "
					      "cannot be compared");
}

/* ---- functions ---- */

/* A function of one side, with its name as renamed. */
struct candidate {
	const char *object, *file, *name;
	uint32_t side, number;
	uint32_t match; /* number in the result */
};

struct candidates {
	struct candidate *all;
	size_t count;
};

static int compare_exactly(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : strcmp(a->file, b->file);
}

static int compare_candidates(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	int order = compare_exactly(a, b);

	if (!order)
		order = tl_compare(a->side, b->side);
	return order ? order : tl_compare(a->number, b->number);
}

static int gather(struct tl_diff *diff, struct candidates *c, const struct tl_diff_options *options,
		  struct tl_error *err)
{
	size_t most = diff->profiles[TL_BEFORE]->functions.table.count +
		      diff->profiles[TL_AFTER]->functions.table.count;

	c->all = malloc((most + 1) * sizeof(*c->all));
	if (!c->all)
		return tl_error_memory(err);
	for (int side = 0; side < TL_SIDES; side++) {
		const struct tl_profile *profile = diff->profiles[side];
		const char **names;
		int status = tl_diff_rename(diff, side, options, &names, err);

		if (status < 0)
			return status;
		for (uint32_t i = 0; i < profile->functions.table.count; i++)
			c->all[c->count++] = (struct candidate){ profile->functions.list[i].object,
								 profile->functions.list[i].file,
								 names[i],
								 (uint32_t)side,
								 i,
								 TL_NONE };
		free(names);
	}
	qsort(c->all, c->count, sizeof(*c->all), compare_candidates);
	return 0;
}

/*
 * One name's candidates, [at, end): groups that agree exactly; then the only two that are alone are
 * one.
 */
static void match_name(struct tl_diff *diff, struct candidate *at, const struct candidate *end)
{
	uint32_t lone[TL_SIDES] = { TL_NONE, TL_NONE }, lone_count[TL_SIDES] = { 0, 0 };

	for (struct candidate *c = at, *next; c < end; c = next) {
		uint32_t number = diff->function_count++;
		bool sides[TL_SIDES] = { false, false };

		for (next = c; next < end && compare_exactly(c, next) == 0; next++) {
			next->match = number;
			sides[next->side] = true;
		}
		if (sides[TL_BEFORE] && sides[TL_AFTER])
			continue;
		lone[sides[TL_AFTER]] = number;
		lone_count[sides[TL_AFTER]]++;
	}
	if (lone_count[TL_BEFORE] != 1 || lone_count[TL_AFTER] != 1)
		return;
	for (struct candidate *c = at; c < end; c++)
		if (c->match == lone[TL_BEFORE])
			c->match = lone[TL_AFTER];
}

/* A function on both sides is described by the later profile. */
static void take_matches(struct tl_diff *diff, const struct candidates *c)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct candidate *from = &c->all[i];
		struct tl_function *f = &diff->functions[from->match];

		if (from->side == TL_AFTER || !f->name) {
			*f = diff->profiles[from->side]->functions.list[from->number];
			f->name = from->name;
		}
		diff->function_maps[from->side][from->number] = from->match;
	}
}

int tl_diff_match_functions(struct tl_diff *diff, const struct tl_diff_options *options,
			    struct tl_error *err)
{
	struct candidates c = { 0 };
	int status = gather(diff, &c, options, err);

	for (size_t at = 0, end; status == 0 && at < c.count; at = end) {
		for (end = at; end < c.count && !strcmp(c.all[at].name, c.all[end].name); end++)
			;
		match_name(diff, &c.all[at], &c.all[end]);
	}
	if (status == 0) {
		diff->functions =
			calloc((size_t)diff->function_count + 1, sizeof(*diff->functions));
		for (int side = 0; side < TL_SIDES; side++)
			diff->function_maps[side] = calloc(
				diff->profiles[side]->functions.table.count + 1, sizeof(uint32_t));
		if (!diff->functions || !diff->function_maps[TL_BEFORE] ||
		    !diff->function_maps[TL_AFTER])
			status = tl_error_memory(err);
	}
	if (status == 0)
		take_matches(diff, &c);
	free(c.all);
	return status;
}
