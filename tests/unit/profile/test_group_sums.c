/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects and files of profiles of sums. Calls are drawn as a tree, from which it is counted what
 * each unit costs while it is on the stack; the profile has the sums of functions and calls alone.
 */
#include <stdio.h>
#include <string.h>

#include <tracelathe/profile.h>

#include "../chance.h"
#include "profile/model/unsized.h"
#include "unit/unit.h"

enum { UNITS = 4, EACH = 3, FUNCTIONS = 1 + UNITS * EACH, NODES = 70, EVENTS = 2, SEEDS = 200 };

/* Function 0 begins first; the others are of the units in turn. */
static uint32_t unit_of(uint32_t function)
{
	return function ? (function - 1) / EACH : 0;
}

struct drawn {
	uint32_t count, parent[NODES], function[NODES];
	int64_t self[NODES][EVENTS], inclusive[NODES][EVENTS], total[EVENTS];
};

/*
 * `layered`: units call later ones, but not the other way round, and nothing calls function 0;
 * else it is called back at times. Others begin without a caller, too, as threads do.
 */
static void draw(struct drawn *d, uint32_t seed, bool layered)
{
	*d = (struct drawn){ .count = 1 + chance(&seed, NODES) };
	for (uint32_t i = 0; i < d->count; i++) {
		d->parent[i] = i && chance(&seed, 16) ? chance(&seed, i) : TL_NONE;
		do
			d->function[i] = i ? layered + chance(&seed, FUNCTIONS - layered) : 0;
		while (d->parent[i] != TL_NONE && layered &&
		       unit_of(d->function[i]) < unit_of(d->function[d->parent[i]]));
		for (unsigned e = 0; e < EVENTS; e++)
			d->inclusive[i][e] = d->self[i][e] = chance(&seed, 1000);
	}
	for (uint32_t i = d->count; i-- > 0;)
		for (unsigned e = 0; e < EVENTS; e++)
			*(d->parent[i] == TL_NONE ? &d->total[e]
						  : &d->inclusive[d->parent[i]][e]) +=
				d->inclusive[i][e];
}

static struct tl_profile *make(const struct drawn *d)
{
	static const struct tl_event events[EVENTS] = { { "Ir", "", "", "" },
							{ "Dr", "", "", "" } };
	struct tl_profile *profile;
	char name[16], object[16], file[16];

	assert_int_equal(tl_profile_new(&profile, "made", events, sizeof(*events), EVENTS, 0, NULL),
			 0);
	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		const struct tl_function function = {
			.name = name, .object = object, .file = file, .id = TL_NOWHERE
		};

		snprintf(name, sizeof(name), "f%u", (unsigned)f);
		snprintf(object, sizeof(object), "u%u", (unsigned)unit_of(f));
		snprintf(file, sizeof(file), "u%u", (unsigned)unit_of(f));
		assert_int_equal(
			tl_profile_add_function(profile, &function, sizeof(function), NULL), f);
	}
	for (uint32_t i = 0; i < d->count; i++) {
		const struct tl_cost_line line = { .function = d->function[i],
						   .at = { .file = "", .line = i % 7 } };
		struct tl_arc arc = { .callee = d->function[i],
				      .from = { .file = "", .line = i % 5 },
				      .to = { .file = "" },
				      .calls = i + 1 };

		assert_int_equal(
			tl_profile_add_line(profile, &line, sizeof(line), d->self[i], NULL), 0);
		if (d->parent[i] == TL_NONE)
			continue;
		arc.caller = d->function[d->parent[i]];
		assert_int_equal(
			tl_profile_add_arc(profile, &arc, sizeof(arc), d->inclusive[i], NULL), 0);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	return profile;
}

/* What a unit costs itself, and while it is on the stack. */
static void count_unit(const struct drawn *d, uint32_t unit, unsigned event, int64_t *self,
		       int64_t *on_stack)
{
	*self = *on_stack = 0;
	for (uint32_t i = 0; i < d->count; i++) {
		uint32_t outer = d->parent[i];

		if (unit_of(d->function[i]) != unit)
			continue;
		*self += d->self[i][event];
		while (outer != TL_NONE && unit_of(d->function[outer]) != unit)
			outer = d->parent[outer];
		if (outer == TL_NONE)
			*on_stack += d->inclusive[i][event];
	}
}

/* Calls from one unit into another: their number, and what they cost. */
static void count_calls(const struct drawn *d, uint32_t caller, uint32_t callee, uint64_t *calls,
			int64_t *cost)
{
	*calls = 0;
	*cost = 0;
	for (uint32_t i = 1; i < d->count; i++)
		if (d->parent[i] != TL_NONE && unit_of(d->function[i]) == callee &&
		    unit_of(d->function[d->parent[i]]) == caller) {
			*calls += i + 1;
			*cost += d->inclusive[i][0];
		}
}

static uint32_t number_of_unit(const struct tl_profile *grouped, uint32_t unit)
{
	char name[16];
	uint32_t i = 0;

	snprintf(name, sizeof(name), "u%u", (unsigned)unit);
	while (strcmp(tl_profile_function(grouped, i)->name, name) != 0)
		assert_true(++i < tl_profile_function_count(grouped));
	return i;
}

static void check_calls(const struct drawn *d, const struct tl_profile *grouped, uint32_t caller,
			uint32_t callee)
{
	const uint32_t from = number_of_unit(grouped, caller), to = number_of_unit(grouped, callee);
	uint64_t calls, have_calls = 0;
	int64_t cost, have_cost = 0;

	count_calls(d, caller, callee, &calls, &cost);
	for (uint32_t i = 0; i < tl_profile_arc_count(grouped); i++) {
		const struct tl_arc *arc = tl_profile_arc(grouped, i);

		if (arc->caller != from || arc->callee != to)
			continue;
		have_calls += arc->calls;
		have_cost += tl_profile_arc_cost(grouped, i)[0];
	}
	assert_int_equal(have_calls, calls);
	assert_int_equal(have_cost, cost);
}

static void check(const struct drawn *d, enum tl_profile_unit by, bool layered)
{
	struct tl_profile *profile = make(d), *grouped;

	assert_int_equal(tl_profile_grouped(&grouped, profile, by, NULL), 0);
	assert_int_equal(tl_profile_function_count(grouped), UNITS);
	for (uint32_t unit = 0; unit < UNITS; unit++)
		for (unsigned e = 0; e < EVENTS; e++) {
			struct tl_function_totals totals = { .calls = 0 };
			int64_t self, on_stack;

			count_unit(d, unit, e, &self, &on_stack);
			tl_profile_totals_of(grouped, number_of_unit(grouped, unit), TL_NONE,
					     &totals);
			assert_int_equal(totals.self[e], self);
			/* sums are exact where no unit is called back, else an upper bound */
			assert_true(totals.inclusive[e] >= on_stack);
			assert_true(totals.inclusive[e] <= d->total[e]);
			if (layered)
				assert_int_equal(totals.inclusive[e], on_stack);
		}
	for (uint32_t caller = 0; caller < UNITS; caller++)
		for (uint32_t callee = 0; callee < UNITS; callee++)
			check_calls(d, grouped, caller, callee);
	tl_profile_free(grouped);
	tl_profile_free(profile);
}

TEST(units_of_drawn_calls)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		const bool layered = seed % 2;
		struct drawn d;

		draw(&d, seed, layered);
		check(&d, TL_BY_OBJECT, layered);
		check(&d, TL_BY_FILE, layered);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_of_drawn_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
