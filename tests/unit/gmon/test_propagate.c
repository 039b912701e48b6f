/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Costs of calls from their counts (gmon/propagate.h), by call graphs that are drawn: what
 * docs/formats/gmon.md says of them has to hold for every function and call.
 */
#include <stdio.h>
#include <string.h>

#include <tracelathe/profile.h>

#include "../chance.h"
#include "gmon/propagate.h"
#include "profile/model/model.h"
#include "unit/unit.h"

enum { MOST = 12, MOST_ARCS = 40, EVENTS = 2, SEEDS = 400 };

struct drawn {
	uint32_t functions, arc_count;
	int64_t own[MOST][EVENTS];
	struct {
		uint32_t caller, callee; /* caller TL_NONE: nobody knows */
		uint64_t calls;
	} arcs[MOST_ARCS];
	bool reaches[MOST][MOST];
};

static void draw(struct drawn *d, uint32_t seed)
{
	*d = (struct drawn){ .functions = 2 + chance(&seed, MOST - 1) };
	for (uint32_t f = 0; f < d->functions; f++)
		for (unsigned e = 0; e < EVENTS; e++)
			d->own[f][e] = chance(&seed, 4) ? chance(&seed, 50000) : 0;
	for (unsigned wanted = chance(&seed, MOST_ARCS); wanted; wanted--) {
		const uint32_t caller = chance(&seed, d->functions + 1);
		const uint32_t callee = chance(&seed, d->functions);
		uint32_t i = 0;

		/* graphs with few calls back have many components */
		if (caller < d->functions && caller > callee && chance(&seed, 5))
			continue;
		while (i < d->arc_count &&
		       (d->arcs[i].callee != callee || d->arcs[i].caller != caller))
			i++;
		if (i < d->arc_count)
			continue;
		d->arcs[i].caller = caller;
		d->arcs[i].callee = callee;
		d->arcs[i].calls = chance(&seed, 5) ? 1 + chance(&seed, 1000) : 0;
		d->arc_count++;
	}
	for (uint32_t i = 0; i < d->arc_count; i++)
		if (d->arcs[i].caller == d->functions)
			d->arcs[i].caller = TL_NONE;
}

static struct tl_profile *make(const struct drawn *d)
{
	static const struct tl_event events[EVENTS] = { { "time", "", "ns", "" },
							{ "samples", "", "samples", "" } };
	static const int64_t nothing[EVENTS] = { 0 };
	struct tl_profile *profile;
	char name[16];

	assert_int_equal(tl_profile_new(&profile, "gmon", events, sizeof(*events), EVENTS, 0, NULL),
			 0);
	for (uint32_t f = 0; f < d->functions; f++) {
		const struct tl_function function = {
			.name = name, .object = "", .file = "", .id = TL_NOWHERE
		};
		struct tl_cost_line line = { .function = f, .at = { .file = "", .line = 1 } };

		snprintf(name, sizeof(name), "f%u", (unsigned)f);
		assert_int_equal(
			tl_profile_add_function(profile, &function, sizeof(function), NULL), f);
		/* in two lines, which add up */
		assert_int_equal(tl_profile_add_line(profile, &line, sizeof(line), d->own[f], NULL),
				 0);
		line.at.line = 2;
		assert_int_equal(tl_profile_add_line(profile, &line, sizeof(line), d->own[0], NULL),
				 0);
	}
	for (uint32_t i = 0; i < d->arc_count; i++) {
		const struct tl_arc arc = { .caller = d->arcs[i].caller,
					    .callee = d->arcs[i].callee,
					    .from = { .file = "" },
					    .to = { .file = "" },
					    .calls = d->arcs[i].calls };

		assert_int_equal(tl_profile_add_arc(profile, &arc, sizeof(arc), nothing, NULL), 0);
	}
	return profile;
}

/* "Functions that call each other are one for this" */
static void find_cycles(struct drawn *d)
{
	for (uint32_t i = 0; i < d->arc_count; i++)
		if (d->arcs[i].caller != TL_NONE)
			d->reaches[d->arcs[i].caller][d->arcs[i].callee] = true;
	for (uint32_t via = 0; via < d->functions; via++)
		for (uint32_t from = 0; from < d->functions; from++)
			for (uint32_t to = 0; to < d->functions; to++)
				if (d->reaches[from][via] && d->reaches[via][to])
					d->reaches[from][to] = true;
}

static bool are_one(const struct drawn *d, uint32_t left, uint32_t right)
{
	return left == right ||
	       (left != TL_NONE && d->reaches[left][right] && d->reaches[right][left]);
}

/* What a function, and those that are one with it, cost with what they called. */
static int64_t cost_with_callees(const struct drawn *d, const struct tl_profile *profile,
				 uint32_t function, uint32_t event)
{
	int64_t cost = 0;

	for (uint32_t f = 0; f < d->functions; f++)
		if (are_one(d, f, function))
			cost += d->own[f][event] + d->own[0][event];
	for (uint32_t i = 0; i < d->arc_count; i++)
		if (d->arcs[i].caller != TL_NONE && are_one(d, d->arcs[i].caller, function) &&
		    !are_one(d, d->arcs[i].callee, function))
			cost += tl_profile_arc_cost(profile, i)[event];
	return cost;
}

/* "the time of a function and of what it called is divided among its callers by their numbers" */
static void check_callers(const struct drawn *d, const struct tl_profile *profile,
			  uint32_t function, uint32_t event)
{
	const int64_t whole = cost_with_callees(d, profile, function, event);
	int64_t given = 0, calls = 0;

	for (uint32_t i = 0; i < d->arc_count; i++)
		if (are_one(d, function, d->arcs[i].callee) &&
		    !are_one(d, d->arcs[i].caller, d->arcs[i].callee))
			calls += (int64_t)d->arcs[i].calls;
	for (uint32_t i = 0; i < d->arc_count; i++) {
		const int64_t cost = tl_profile_arc_cost(profile, i)[event];
		const int64_t part = (int64_t)d->arcs[i].calls * whole;

		if (!are_one(d, function, d->arcs[i].callee))
			continue;
		if (are_one(d, d->arcs[i].caller, d->arcs[i].callee) || !d->arcs[i].calls) {
			assert_int_equal(cost, 0);
			continue;
		}
		/* to the next number above or below */
		assert_true(cost * calls > part - calls && cost * calls < part + calls);
		given += cost;
	}
	/* "nothing is lost to rounding" */
	assert_int_equal(given, calls ? whole : 0);
}

TEST(callers_have_all_that_their_callees_cost)
{
	for (uint32_t seed = 1; seed <= SEEDS; seed++) {
		struct tl_profile *profile;
		struct drawn d;

		draw(&d, seed);
		profile = make(&d);
		find_cycles(&d);
		assert_true(tl_gmon_propagate(profile));
		for (uint32_t i = 0; i < d.arc_count; i++)
			assert_int_equal(tl_profile_arc(profile, i)->callee, d.arcs[i].callee);
		for (uint32_t f = 0; f < d.functions; f++)
			for (uint32_t e = 0; e < EVENTS; e++)
				check_callers(&d, profile, f, e);
		tl_profile_free(profile);
	}
}

/* Calls whose number is beyond 64 bits: what is given is never more than there is. */
TEST(numbers_of_calls_that_do_not_fit)
{
	struct drawn d = { .functions = 4,
			   .arc_count = 3,
			   .own = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 1000, 7 } },
			   .arcs = { { 0, 3, UINT64_MAX - 5 }, { 1, 3, 3 }, { 2, 3, 9 } } };
	struct tl_profile *profile = make(&d);

	assert_true(tl_gmon_propagate(profile));
	/* in the order of the calls: the last one does not fit any more */
	assert_int_equal(tl_profile_arc_cost(profile, 0)[0], 999);
	assert_int_equal(tl_profile_arc_cost(profile, 1)[0], 0);
	assert_int_equal(tl_profile_arc_cost(profile, 2)[0], 0);
	assert_int_equal(tl_profile_arc_cost(profile, 0)[1], 6);
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_have_all_that_their_callees_cost),
		cmocka_unit_test(numbers_of_calls_that_do_not_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
