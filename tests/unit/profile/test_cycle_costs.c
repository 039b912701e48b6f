/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What cycles of functions cost, of drawn calls (profile/derive/cycle_costs.h): which functions
 * call each other is asked path by path here, and each cycle is added up by itself.
 */
#include "profiles.h"

#include <stdio.h>

#include "../chance.h"
#include "profile/derive/cycle_costs.h"

enum { ROUNDS = 2500, MOST = 9, EVENTS = 2, MOST_ARCS = 40 };

struct call {
	uint32_t caller, callee; /* the caller may be TL_NONE */
	uint64_t calls;
	int64_t cost[EVENTS];
};

struct drawn {
	uint32_t functions, arcs;
	int64_t self[MOST][EVENTS];
	struct call arc[MOST_ARCS];
	bool reach[MOST][MOST]; /* by one call or more */
};

/* A cycle by its first function. */
struct cycle {
	uint32_t first;
	uint64_t calls;
	int64_t self[EVENTS], inclusive[EVENTS];
};

static struct drawn d;

static struct tl_profile *draw(uint32_t seed)
{
	static const char *const events[] = { "Ir", "Dr" };
	struct tl_profile *profile = new_profile("callgrind", events, EVENTS, 0);
	const uint32_t part = add_part(profile, 1, 1, 1, "");

	memset(&d, 0, sizeof(d));
	d.functions = 1 + chance(&seed, MOST);
	for (uint32_t f = 0; f < d.functions; f++) {
		char name[8];

		snprintf(name, sizeof(name), "f%u", f);
		assert_int_equal(add_function(profile, "", "", name), f);
		for (uint32_t e = 0; e < EVENTS; e++)
			d.self[f][e] = 20 * (int64_t)chance(&seed, 3);
		add_line(profile, f, part, at("", 1, 0), d.self[f][0], d.self[f][1]);
	}
	for (uint32_t left = chance(&seed, 2 * d.functions); left; left--) {
		struct call *arc = &d.arc[d.arcs++];

		arc->caller = chance(&seed, 8) ? chance(&seed, d.functions) : TL_NONE;
		/* Most calls are between two neighbours, so that there are several cycles. */
		arc->callee = arc->caller != TL_NONE && chance(&seed, 8)
				      ? (arc->caller ^ 1) % d.functions
				      : chance(&seed, d.functions);
		arc->calls = chance(&seed, 9);
		/* Costs are few, so that some cycles cost the same. */
		for (uint32_t e = 0; e < EVENTS; e++)
			arc->cost[e] = 10 * (int64_t)chance(&seed, 5);
		add_arc(profile, arc->caller, arc->callee, part, at("", d.arcs, 0), arc->calls,
			arc->cost[0], arc->cost[1]);
		if (arc->caller != TL_NONE)
			d.reach[arc->caller][arc->callee] = true;
	}
	for (uint32_t over = 0; over < d.functions; over++)
		for (uint32_t a = 0; a < d.functions; a++)
			for (uint32_t b = 0; b < d.functions; b++)
				d.reach[a][b] |= d.reach[a][over] && d.reach[over][b];
	return finished(profile);
}

static bool together(uint32_t a, uint32_t b)
{
	return a == b || (a != TL_NONE && b != TL_NONE && d.reach[a][b] && d.reach[b][a]);
}

/* The first function of the cycle of a function; TL_NONE: it is in none, or alone in one. */
static uint32_t cycle_of(uint32_t function)
{
	uint32_t members = 0, first = TL_NONE;

	for (uint32_t f = d.functions; f-- > 0;)
		if (together(f, function)) {
			members++;
			first = f;
		}
	return members > 1 ? first : TL_NONE;
}

static struct cycle add_up(uint32_t first)
{
	struct cycle cycle = { .first = first };

	for (uint32_t f = 0; f < d.functions; f++)
		for (uint32_t e = 0; e < EVENTS && together(f, first); e++) {
			cycle.self[e] += d.self[f][e];
			cycle.inclusive[e] += d.self[f][e];
		}
	for (uint32_t i = 0; i < d.arcs; i++) {
		const struct call *arc = &d.arc[i];
		const bool from = arc->caller != TL_NONE && together(arc->caller, first);
		const bool to = together(arc->callee, first);

		if (to && !from)
			cycle.calls += arc->calls;
		for (uint32_t e = 0; e < EVENTS && from && !to; e++)
			cycle.inclusive[e] += arc->cost[e];
	}
	return cycle;
}

/* How many cycles come before one: those that cost more, and of equal ones the earlier. */
static unsigned rank_of(const struct cycle *list, unsigned count, unsigned which)
{
	unsigned before = 0;

	for (unsigned i = 0; i < count; i++)
		before += list[i].inclusive[0] > list[which].inclusive[0] ||
			  (list[i].inclusive[0] == list[which].inclusive[0] && i < which);
	return before;
}

TEST(cycles_of_drawn_calls)
{
	unsigned seen[5] = { 0 }, equal = 0;

	for (uint32_t round = 1; round <= ROUNDS; round++) {
		struct tl_profile *profile = draw(round * 7919);
		struct tl_cycle_costs costs;
		struct cycle list[MOST];
		unsigned count = 0;

		for (uint32_t f = 0; f < d.functions; f++)
			if (cycle_of(f) == f)
				list[count++] = add_up(f);
		assert_true(tl_cycle_costs_make(&costs, profile));
		assert_int_equal(costs.count, count);
		for (unsigned i = 0; i < count; i++) {
			char name[TL_CYCLE_NAME];

			snprintf(name, sizeof(name), "<cycle %u>", rank_of(list, count, i) + 1);
			assert_string_equal(costs.names[i], name);
			assert_string_equal(costs.functions[i].name, name);
			assert_int_equal(costs.functions[i].id, TL_NOWHERE);
			assert_true(costs.chosen[i]);
			assert_int_equal(costs.calls[i], list[i].calls);
			for (uint32_t e = 0; e < EVENTS; e++) {
				assert_int_equal(costs.self[i * EVENTS + e], list[i].self[e]);
				assert_int_equal(costs.inclusive[i * EVENTS + e],
						 list[i].inclusive[e]);
			}
			equal += i && list[i].inclusive[0] == list[i - 1].inclusive[0];
		}
		for (uint32_t f = 0; f < d.functions; f++) {
			const uint32_t first = cycle_of(f), is = costs.of[f];

			assert_int_equal(is == TL_NONE, first == TL_NONE);
			if (is != TL_NONE)
				assert_int_equal(list[is].first, first);
		}
		seen[count]++;
		tl_cycle_costs_free(&costs);
		tl_profile_free(profile);
	}
	/* There were profiles without a cycle, with one, two and three. */
	assert_true(seen[0] > 100 && seen[1] > 100 && seen[2] > 100 && seen[3] > 20);
	assert_true(equal > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cycles_of_drawn_calls) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
