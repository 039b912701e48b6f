/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inclusive costs from lines and arcs, for a profile without contexts (docs/formats/callgrind.md,
 * rule J). A function's inclusive cost is its self cost plus that of its calls to other functions.
 * In a cycle, such a call may lead back to the function, so that its cost would be added more than
 * once. The sum is therefore limited to the cost of the whole cycle: the self costs of its
 * functions and the calls that leave it. Compared with recordings of the same runs with all stacks,
 * this is exact for nearly every function (tests/differential/callgrind_truth.py).
 */
#include "profile/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "profile/derive/cycles.h"
#include "core/arithmetic.h"

/* Sums of one kind: by function, or by function in a part. */
struct sums {
	int64_t *self, *inclusive; /* event_count numbers each */
	int64_t *inside; /* cost of calls to others of the same cycle; by member, or by local */
};

/*
 * Where each function's costs of the part met last belong, by function: files go part by part, so
 * that nearly every look-up of (function, part) ends here.
 */
struct locals {
	struct tl_profile *profile;
	uint32_t *met;
};

static int64_t *row(int64_t *costs, const struct tl_profile *profile, size_t number)
{
	return costs + number * profile->event_count;
}

static void add_row(struct tl_profile *profile, int64_t *to, const int64_t *from)
{
	for (uint32_t e = 0; e < profile->event_count; e++)
		tl_add_cost(&to[e], from[e], &profile->losses.saturated);
}

static int64_t *zeros(size_t count)
{
	return tl_zeroed(count, sizeof(int64_t));
}

static bool has_met(const struct locals *locals, uint32_t function, uint32_t part)
{
	uint32_t local = locals->met[function];

	return local != TL_NONE && locals->profile->part_functions.list[local].part == part;
}

/* Make the local that costs of (function, part) belong to, if they are of one part. */
static bool make_local(const struct locals *locals, uint32_t function, uint32_t part)
{
	if (part >= locals->profile->parts.count || has_met(locals, function, part))
		return true;
	locals->met[function] = tl_profile_part_function(locals->profile, function, part);
	return locals->met[function] != TL_NONE;
}

/* The number of a local that was made. */
static uint32_t find_local(const struct locals *locals, uint32_t function, uint32_t part)
{
	if (!has_met(locals, function, part))
		locals->met[function] =
			tl_profile_find_part_function(locals->profile, function, part);
	return locals->met[function];
}

/* All locals there will be, so that their number is known. */
static bool make_locals(const struct locals *locals)
{
	const struct tl_profile *profile = locals->profile;

	for (size_t i = 0; i < profile->lines.table.count; i++)
		if (!make_local(locals, profile->lines.list[i].function,
				profile->lines.list[i].part))
			return false;
	for (size_t i = 0; i < profile->arcs.table.count; i++) {
		const struct tl_arc *arc = &profile->arcs.list[i];

		if (!make_local(locals, arc->callee, arc->part) ||
		    (arc->caller != TL_NONE && !make_local(locals, arc->caller, arc->part)))
			return false;
	}
	return true;
}

static void add_line(const struct locals *locals, size_t line)
{
	struct tl_profile *profile = locals->profile;
	const int64_t *cost = row(profile->lines.table.cost, profile, line);
	const struct tl_cost_line *l = &profile->lines.list[line];
	uint32_t local =
		l->part < profile->parts.count ? find_local(locals, l->function, l->part) : TL_NONE;

	if (profile->sums.self != profile->lines.table.cost)
		add_row(profile, row(profile->sums.self, profile, l->function), cost);
	add_row(profile, profile->sums.total, cost);
	if (local != TL_NONE)
		add_row(profile, row(profile->part_functions.table.cost, profile, local), cost);
}

/* One arc, to the sums of all parts or of its part. `inside` is the caller's row of those. */
static void add_arc(struct tl_profile *profile, const struct sums *sums,
		    const struct tl_cycles *cycles, size_t arc, uint32_t caller, uint32_t inside)
{
	const struct tl_arc *a = &profile->arcs.list[arc];
	const int64_t *cost = row(profile->arcs.table.cost, profile, arc);

	if (a->caller == TL_NONE || a->caller == a->callee)
		return;
	if (cycles->of[a->caller] != cycles->of[a->callee])
		add_row(profile, row(sums->inclusive, profile, caller), cost);
	else
		add_row(profile, row(sums->inside, profile, inside), cost);
}

static void add_local_arc(const struct locals *locals, const struct sums *sums,
			  const struct tl_cycles *cycles, size_t arc)
{
	struct tl_profile *profile = locals->profile;
	const struct tl_arc *a = &profile->arcs.list[arc];
	uint32_t callee, caller = TL_NONE;

	if (a->part >= profile->parts.count)
		return;
	callee = find_local(locals, a->callee, a->part);
	if (a->caller != TL_NONE)
		caller = find_local(locals, a->caller, a->part);
	profile->part_functions.list[callee].calls += a->calls;
	add_arc(profile, sums, cycles, arc, caller, caller);
}

/*
 * tl_cycles_settle() in each part. The cycle's cost in a part is summed in the slot of its first
 * function there.
 */
static bool settle_locals(struct tl_profile *profile, const struct sums *sums,
			  const struct tl_cycles *cycles)
{
	size_t count = profile->part_functions.table.count;
	struct tl_cycle_parts parts;
	int64_t *whole = zeros(count * profile->event_count);
	bool ok = tl_cycle_parts_make(&parts, profile, cycles) && whole;

	for (size_t i = 0; ok && i < count; i++)
		if (parts.slot[i] != TL_NONE)
			add_row(profile, row(whole, profile, parts.slot[i]),
				row(sums->inclusive, profile, i));
	for (size_t i = 0; ok && i < count; i++)
		if (parts.slot[i] != TL_NONE)
			tl_cycle_settle_row(
				row(sums->inclusive, profile, i), row(sums->inside, profile, i),
				row(whole, profile, parts.slot[i]), profile->event_count);
	free(whole);
	tl_cycle_parts_free(&parts);
	return ok;
}

static void copy_self(const struct tl_profile *profile, const struct sums *sums, size_t count)
{
	if (count)
		memcpy(sums->inclusive, sums->self,
		       count * profile->event_count * sizeof(*sums->self));
}

static bool derive(const struct locals *locals, const struct tl_cycles *cycles)
{
	struct tl_profile *profile = locals->profile;
	size_t functions = profile->functions.table.count,
	       local_count = profile->part_functions.table.count;
	struct sums all = { .inside = zeros((size_t)cycles->members * profile->event_count) };
	struct sums parts = { .inside = zeros(local_count * profile->event_count) };
	bool ok = all.inside && parts.inside;

	for (size_t i = 0; ok && i < profile->lines.table.count; i++)
		add_line(locals, i);
	all.self = profile->sums.self;
	all.inclusive = profile->sums.inclusive;
	parts.self = profile->part_functions.table.cost;
	parts.inclusive = profile->part_functions.inclusive;
	if (ok) {
		copy_self(profile, &all, functions);
		copy_self(profile, &parts, local_count);
	}
	for (size_t i = 0; ok && i < profile->arcs.table.count; i++) {
		const struct tl_arc *arc = &profile->arcs.list[i];

		tl_add_count(&profile->sums.calls[arc->callee], arc->calls,
			     &profile->losses.saturated);
		add_arc(profile, &all, cycles, i, arc->caller,
			tl_profile_renumber(cycles->member, arc->caller));
		add_local_arc(locals, &parts, cycles, i);
	}
	ok = ok &&
	     tl_cycles_settle(cycles,
			      &(struct tl_cycle_sums){
				      .functions = functions,
				      .events = profile->event_count,
				      .inclusive = all.inclusive,
				      .stride = profile->event_count,
				      .inside = all.inside,
			      },
			      &profile->losses.saturated) &&
	     settle_locals(profile, &parts, cycles);
	free(all.inside);
	free(parts.inside);
	return ok;
}

/* One line a function, in the order of functions: then the costs of lines are those of functions.
 */
static bool lines_are_functions(const struct tl_profile *profile)
{
	if (!profile->lines.table.count ||
	    profile->lines.table.count != profile->functions.table.count)
		return false;
	for (size_t i = 0; i < profile->lines.table.count; i++)
		if (profile->lines.list[i].function != i)
			return false;
	return true;
}

static bool derive_all(const struct locals *locals)
{
	struct tl_profile *profile = locals->profile;
	struct tl_cycles cycles;
	bool ok;

	if (!make_locals(locals))
		return false;
	profile->part_functions.inclusive =
		zeros(profile->part_functions.table.count * profile->event_count);
	ok = profile->part_functions.inclusive && tl_cycles_find(&cycles, profile);
	if (ok) {
		ok = derive(locals, &cycles);
		tl_cycles_free(&cycles);
	}
	return ok;
}

bool tl_profile_derive_sums(struct tl_profile *profile)
{
	size_t functions = profile->functions.table.count;
	struct locals locals = { .profile = profile };
	bool ok;

	/* Nothing is added from here on, so the indexes by key are not needed. */
	tl_index_free(&profile->lines.table.index);
	tl_index_free(&profile->arcs.table.index);
	tl_index_free(&profile->jumps.table.index);
	/* Where sums are given, they do not follow from lines and arcs. */
	if (profile->sums.given)
		return true;
	if (lines_are_functions(profile)) {
		free(profile->sums.self);
		profile->sums.self = profile->lines.table.cost;
	}
	locals.met = malloc((functions + 1) * sizeof(*locals.met));
	ok = locals.met != NULL;
	if (ok) {
		memset(locals.met, 0xff, (functions + 1) * sizeof(*locals.met));
		ok = derive_all(&locals);
	}
	free(locals.met);
	return ok;
}
