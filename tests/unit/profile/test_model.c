/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile model: what is added, what is derived from it. Quotes are from
 * <tracelathe/profile.h>.
 */
#include <string.h>

#include "../unit.h"
#include "profile/model/model.h"
#include "profile/model/unsized.h"

#include <tracelathe/profile.h>

static const struct tl_event two_events[] = {
	{ .name = "Ir", .long_name = "Instruction Fetches", .unit = "instructions" },
	{ .name = "Dr", .formula = "Ir + 1" },
};

static struct tl_profile *new_profile(void)
{
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "test", two_events, 2, 1000, NULL), 0);
	return profile;
}

static uint32_t function(struct tl_profile *profile, const char *name)
{
	int64_t number = tl_profile_put_function(profile,
						 &(struct tl_function){ .name = name,
									.file = "a.c",
									.object = "a.out",
									.id = TL_NOWHERE,
									.line = 3 },
						 NULL);

	assert_true(number >= 0);
	return (uint32_t)number;
}

static uint32_t part(struct tl_profile *profile, uint64_t thread)
{
	int64_t number = tl_profile_put_part(
		profile, &(struct tl_part){ .process = 1, .thread = thread }, NULL);

	assert_true(number >= 0);
	return (uint32_t)number;
}

static uint32_t context(struct tl_profile *profile, uint32_t parent, uint32_t of, uint32_t in,
			uint64_t calls, int64_t self)
{
	const int64_t cost[] = { self, 10 * self };
	int64_t number = tl_profile_add_context(profile, parent, of, in, NULL);

	assert_true(number >= 0);
	tl_profile_add_context_cost(profile, (uint32_t)number, calls, cost);
	return (uint32_t)number;
}

static void finish(struct tl_profile *profile)
{
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
}

/* Event 1 costs ten times event 0 everywhere. */
static void has_totals(const struct tl_profile *profile, uint32_t of, uint32_t in, uint64_t calls,
		       int64_t self, int64_t inclusive)
{
	struct tl_function_totals totals;

	tl_profile_totals_of(profile, of, in, &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.self[0], self);
	assert_int_equal(totals.self[1], 10 * self);
	assert_int_equal(totals.inclusive[0], inclusive);
	assert_int_equal(totals.inclusive[1], 10 * inclusive);
}

static const struct tl_arc *find_arc(const struct tl_profile *profile, uint32_t caller,
				     uint32_t callee, int64_t *cost)
{
	const struct tl_arc *found = NULL;

	for (uint32_t i = 0; i < tl_profile_arc_count(profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(profile, i);

		if (arc->caller != caller || arc->callee != callee)
			continue;
		assert_null(found); /* the same arc sums up */
		found = arc;
		*cost = tl_profile_arc_cost(profile, i)[0];
	}
	assert_non_null(found);
	return found;
}

/* ---- things and their numbers ---- */

TEST(events_are_copied)
{
	char name[] = "Ticks";
	struct tl_event event = { .name = name };
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "xray", &event, 1, 2596134000, NULL), 0);
	name[0] = 'X';
	assert_int_equal(tl_profile_event_count(profile), 1);
	assert_string_equal(tl_profile_event(profile, 0)->name, "Ticks");
	/* "Strings are ... never NULL, "" when unknown." */
	assert_string_equal(tl_profile_event(profile, 0)->long_name, "");
	assert_string_equal(tl_profile_event(profile, 0)->unit, "");
	assert_string_equal(tl_profile_event(profile, 0)->formula, "");
	assert_int_equal(tl_profile_frequency(profile), 2596134000);
	assert_string_equal(tl_profile_format(profile), "xray");
	assert_false(tl_profile_timed(profile));
	tl_profile_free(profile);
	profile = new_profile();
	assert_string_equal(tl_profile_event(profile, 0)->unit, "instructions");
	assert_string_equal(tl_profile_event(profile, 1)->formula, "Ir + 1");
	tl_profile_free(profile);
	tl_profile_free(NULL);
}

/* "a function is (object, file, name) plus the id its trace used" */
TEST(functions_are_told_apart)
{
	/* clang-format off */
	static const struct tl_function all[] = {
		{ .name = "f", .file = "a.c", .object = "lib.so", .id = 1, .line = 5,
		  .address = 0x1000 },
		{ .name = "g", .file = "a.c", .object = "lib.so", .id = 1 },
		{ .name = "f", .file = "b.c", .object = "lib.so", .id = 1 },
		{ .name = "f", .file = "a.c", .object = "other.so", .id = 1 },
		{ .name = "f", .file = "a.c", .object = "lib.so", .id = 2 },
		{ .name = "f", .file = "lib.so", .object = "a.c", .id = 1 },
		{ .name = "f", .id = 1 },
	};
	/* clang-format on */
	struct tl_profile *profile = new_profile();

	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 7; i++)
			assert_int_equal(tl_profile_put_function(profile, &all[i], NULL), i);
	assert_int_equal(tl_profile_function_count(profile), 7);
	assert_string_equal(tl_profile_function(profile, 3)->object, "other.so");
	assert_int_equal(tl_profile_function(profile, 0)->line, 5);
	assert_int_equal(tl_profile_function(profile, 0)->address, 0x1000);
	assert_string_equal(tl_profile_function(profile, 6)->file, "");
	tl_profile_free(profile);
}

TEST(parts_are_kept)
{
	struct tl_profile *profile = new_profile();
	struct tl_part p = { .process = 7,
			     .thread = TL_NOWHERE,
			     .number = 3,
			     .command = "./a b",
			     .first_ticks = 5,
			     .last_ticks = 9,
			     .records = 4,
			     .losses = { .gaps = 2, .skipped_bytes = 16 } };

	assert_int_equal(tl_profile_put_part(profile, &p, NULL), 0);
	p.losses = (struct tl_losses){ .gaps = 1, .orphan_exits = 8, .skipped_records = 2 };
	p.header = "desc: x";
	assert_int_equal(tl_profile_put_part(profile, &p, NULL), 1);
	finish(profile);
	assert_int_equal(tl_profile_part_count(profile), 2);
	assert_int_equal(tl_profile_part(profile, 0)->process, 7);
	assert_true(tl_profile_part(profile, 0)->thread == TL_NOWHERE);
	assert_string_equal(tl_profile_part(profile, 0)->command, "./a b");
	assert_string_equal(tl_profile_part(profile, 0)->header, "");
	assert_string_equal(tl_profile_part(profile, 1)->header, "desc: x");
	/* "The losses of all parts together" */
	assert_int_equal(tl_profile_losses_of(profile).gaps, 3);
	assert_int_equal(tl_profile_losses_of(profile).skipped_bytes, 16);
	assert_int_equal(tl_profile_losses_of(profile).orphan_exits, 8);
	assert_int_equal(tl_profile_losses_of(profile).skipped_records, 2);
	tl_profile_free(profile);
}

/* ---- sums: lines, arcs, jumps ---- */

/*
 * "Add self cost at a place; the same place sums up." A place is function, part, file, line,
 * address and block.
 */
TEST(lines_sum_up)
{
	static const struct tl_cost_line places[] = {
		{ 0, 0, { "a.c", 0x10, 0, 5 } }, { 0, 0, { "a.c", 0x10, 0, 6 } },
		{ 0, 0, { "a.h", 0x10, 0, 5 } }, { 0, 0, { "a.c", 0x11, 0, 5 } },
		{ 0, 0, { "a.c", 0x10, 1, 5 } }, { 0, 1, { "a.c", 0x10, 0, 5 } },
		{ 1, 0, { "a.c", 0x10, 0, 5 } },
	};
	struct tl_profile *profile = new_profile();
	char file[] = "a.c";

	function(profile, "f");
	function(profile, "g");
	part(profile, 1);
	part(profile, 2);
	for (int64_t round = 0; round < 3; round++)
		for (uint32_t i = 0; i < 7; i++) {
			const int64_t cost[] = { i + round, 10 * (i + round) };

			assert_int_equal(tl_profile_put_line(profile, &places[i], cost, NULL), 0);
		}
	assert_int_equal(tl_profile_line_count(profile), 7);
	/* Names are compared by their text. */
	assert_int_equal(tl_profile_put_line(profile,
					     &(struct tl_cost_line){ 0, 0, { file, 0x10, 0, 5 } },
					     (const int64_t[]){ 100, 1000 }, NULL),
			 0);
	assert_int_equal(tl_profile_line_count(profile), 7);
	finish(profile);
	assert_int_equal(tl_profile_line_cost(profile, 0)[0], 0 + 1 + 2 + 100);
	assert_int_equal(tl_profile_line_cost(profile, 6)[0], 6 + 7 + 8);
	assert_int_equal(tl_profile_line_cost(profile, 6)[1], 210);
	assert_int_equal(tl_profile_line(profile, 4)->at.block, 1);
	assert_string_equal(tl_profile_line(profile, 2)->at.file, "a.h");
	has_totals(profile, 0, TL_NONE, 0, 3 * (0 + 1 + 2 + 3 + 4 + 5) + 6 * 3 + 100, 163);
	has_totals(profile, 1, TL_NONE, 0, 21, 21);
	assert_int_equal(tl_profile_total(profile)[0], 184);
	assert_int_equal(tl_profile_context_count(profile), 0);
	tl_profile_free(profile);
}

/*
 * "Add calls along an arc; the same arc sums up." The inclusive cost of sums is self and what is
 * called.
 */
TEST(inclusive_follows_from_arcs)
{
	struct tl_profile *profile = new_profile();
	uint32_t main_ = function(profile, "main"), f = function(profile, "f"),
		 g = function(profile, "g");
	struct tl_arc to_f = { .caller = main_, .callee = f, .part = TL_NONE, .calls = 2 };
	struct tl_arc to_g = { .caller = f, .callee = g, .part = TL_NONE, .calls = 5 };
	struct tl_arc recursive = { .caller = g, .callee = g, .part = TL_NONE, .calls = 3 };
	struct tl_arc outside = { .caller = TL_NONE, .callee = main_, .part = TL_NONE, .calls = 1 };

	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(tl_profile_put_line(
					 profile,
					 &(struct tl_cost_line){ .function = i, .part = TL_NONE },
					 (const int64_t[]){ 10 << i, 100 << i }, NULL),
				 0);
	assert_int_equal(tl_profile_put_arc(profile, &to_f, (const int64_t[]){ 25, 250 }, NULL), 0);
	assert_int_equal(tl_profile_put_arc(profile, &to_f, (const int64_t[]){ 35, 350 }, NULL), 0);
	assert_int_equal(tl_profile_put_arc(profile, &to_g, (const int64_t[]){ 40, 400 }, NULL), 0);
	assert_int_equal(
		tl_profile_put_arc(profile, &recursive, (const int64_t[]){ 30, 300 }, NULL), 0);
	assert_int_equal(tl_profile_put_arc(profile, &outside, (const int64_t[]){ 70, 700 }, NULL),
			 0);
	/* Another place of the caller is another arc. */
	to_f.from.line = 9;
	assert_int_equal(tl_profile_put_arc(profile, &to_f, (const int64_t[]){ 0, 0 }, NULL), 0);
	finish(profile);
	assert_int_equal(tl_profile_arc_count(profile), 5);
	assert_int_equal(tl_profile_arc(profile, 0)->calls, 4);
	assert_int_equal(tl_profile_arc_cost(profile, 0)[1], 600);
	has_totals(profile, main_, TL_NONE, 1, 10, 70);
	has_totals(profile, f, TL_NONE, 6, 20, 60);
	/* A function's calls of itself are not added to what it cost. */
	has_totals(profile, g, TL_NONE, 8, 40, 40);
	assert_int_equal(tl_profile_total(profile)[0], 70);
	tl_profile_free(profile);
}

TEST(jumps_sum_up)
{
	struct tl_profile *profile = new_profile();
	struct tl_jump jump = { .part = 0,
				.from = { .line = 3 },
				.to = { .line = 1 },
				.executed = 10,
				.taken = 7,
				.conditional = true };

	function(profile, "f");
	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
	jump.conditional = false;
	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
	jump.to.line = 2;
	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
	finish(profile);
	assert_int_equal(tl_profile_jump_count(profile), 3);
	assert_int_equal(tl_profile_jump(profile, 0)->executed, 20);
	assert_int_equal(tl_profile_jump(profile, 0)->taken, 14);
	assert_true(tl_profile_jump(profile, 0)->conditional);
	assert_int_equal(tl_profile_jump(profile, 1)->executed, 10);
	assert_int_equal(tl_profile_jump(profile, 2)->to.line, 2);
	tl_profile_free(profile);
}

/* "a sum that does not fit saturates and is counted in `losses.saturated`" */
TEST(sums_saturate_and_are_counted)
{
	struct tl_profile *profile = new_profile();
	const struct tl_cost_line line = { .part = TL_NONE };
	const struct tl_jump jump = { .executed = UINT64_MAX, .taken = 1 };
	struct tl_arc arc = { .part = TL_NONE, .calls = UINT64_MAX };

	function(profile, "f");
	assert_int_equal(tl_profile_put_line(profile, &line,
					     (const int64_t[]){ INT64_MAX, INT64_MIN }, NULL),
			 0);
	assert_int_equal(tl_profile_losses_of(profile).saturated, 0);
	assert_int_equal(tl_profile_put_line(profile, &line, (const int64_t[]){ 1, -1 }, NULL), 0);
	assert_int_equal(tl_profile_losses_of(profile).saturated, 2);
	assert_int_equal(tl_profile_put_arc(profile, &arc, (const int64_t[]){ 0, 0 }, NULL), 0);
	arc.calls = 2;
	assert_int_equal(tl_profile_put_arc(profile, &arc, (const int64_t[]){ 0, 0 }, NULL), 0);
	assert_int_equal(tl_profile_losses_of(profile).saturated, 3);
	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
	assert_int_equal(tl_profile_put_jump(profile, &jump, NULL), 0);
	assert_int_equal(tl_profile_losses_of(profile).saturated, 4);
	finish(profile);
	assert_true(tl_profile_line_cost(profile, 0)[0] == INT64_MAX);
	assert_true(tl_profile_line_cost(profile, 0)[1] == INT64_MIN);
	assert_true(tl_profile_arc(profile, 0)->calls == UINT64_MAX);
	assert_true(tl_profile_jump(profile, 0)->executed == UINT64_MAX);
	assert_int_equal(tl_profile_jump(profile, 0)->taken, 2);
	tl_profile_free(profile);
}

/*
 * The same for what is derived: calls of a function over its contexts and arcs, total and inclusive
 * cost.
 */
TEST(derived_sums_saturate_too)
{
	struct tl_profile *profile = new_profile();
	uint32_t f = function(profile, "f"), g = function(profile, "g"), p = part(profile, 1);
	struct tl_function_totals totals;
	uint32_t root = context(profile, TL_NONE, f, p, UINT64_MAX, 0);
	const int64_t most[] = { INT64_MAX, 0 };

	context(profile, context(profile, root, g, p, 1, 0), f, p, 2, 0);
	tl_profile_add_context_cost(profile, 0, 0, most);
	tl_profile_add_context_cost(profile, 2, 0, most);
	finish(profile);
	tl_profile_totals_of(profile, f, TL_NONE, &totals);
	assert_true(totals.calls == UINT64_MAX);
	assert_true(totals.self[0] == INT64_MAX);
	assert_true(totals.inclusive[0] == INT64_MAX);
	tl_profile_totals_of(profile, f, p, &totals);
	assert_true(totals.calls == UINT64_MAX);
	assert_true(tl_profile_total(profile)[0] == INT64_MAX);
	assert_true(tl_profile_losses_of(profile).saturated >= 4);
	tl_profile_free(profile);

	profile = new_profile();
	function(profile, "f");
	for (uint32_t line = 1; line <= 2; line++) {
		struct tl_arc arc = { .caller = TL_NONE,
				      .part = TL_NONE,
				      .calls = UINT64_MAX,
				      .from = { .line = line } };

		assert_int_equal(tl_profile_put_arc(profile, &arc, (const int64_t[]){ 0, 0 }, NULL),
				 0);
	}
	finish(profile);
	tl_profile_totals_of(profile, 0, TL_NONE, &totals);
	assert_true(totals.calls == UINT64_MAX);
	assert_int_equal(tl_profile_losses_of(profile).saturated, 1);
	tl_profile_free(profile);
}

/* ---- contexts ---- */

/*
 * main (1) > f (2 calls, 20) > g (30), main > g (5): lines and arcs follow ("where contexts
 * exist").
 */
TEST(lines_and_arcs_follow_from_contexts)
{
	struct tl_profile *profile = new_profile();
	uint32_t main_ = function(profile, "main"), f = function(profile, "f"),
		 g = function(profile, "g");
	uint32_t p = part(profile, 1), root = context(profile, TL_NONE, main_, p, 1, 10);
	int64_t cost;

	context(profile, context(profile, root, f, p, 2, 20), g, p, 3, 30);
	context(profile, root, g, p, 1, 5);
	/* "The number of the context (parent, function, part), added if new." */
	assert_int_equal(tl_profile_add_context(profile, root, g, p, NULL), 3);
	finish(profile);
	assert_int_equal(tl_profile_context_inclusive(profile, 0)[0], 65);
	assert_int_equal(tl_profile_context_inclusive(profile, 1)[1], 500);
	has_totals(profile, main_, TL_NONE, 1, 10, 65);
	has_totals(profile, f, TL_NONE, 2, 20, 50);
	has_totals(profile, g, TL_NONE, 4, 35, 35);
	assert_int_equal(tl_profile_arc_count(profile), 3);
	assert_int_equal(find_arc(profile, main_, f, &cost)->calls, 2);
	assert_int_equal(cost, 50);
	assert_int_equal(find_arc(profile, f, g, &cost)->calls, 3);
	assert_int_equal(cost, 30);
	assert_int_equal(find_arc(profile, main_, g, &cost)->calls, 1);
	assert_int_equal(cost, 5);
	assert_int_equal(tl_profile_line_count(profile), 3);
	assert_int_equal(tl_profile_line(profile, g)->function, g);
	assert_int_equal(tl_profile_line(profile, g)->at.line, 3);
	assert_string_equal(tl_profile_line(profile, g)->at.file, "a.c");
	assert_int_equal(tl_profile_line_cost(profile, g)[0], 35);
	tl_profile_free(profile);
}

/* "Recursion is counted once": main > f > f > f > g > f, 10 each. */
TEST(arcs_under_recursion_count_once)
{
	struct tl_profile *profile = new_profile();
	uint32_t main_ = function(profile, "main"), f = function(profile, "f"),
		 g = function(profile, "g");
	const uint32_t path[] = { main_, f, f, f, g, f };
	uint32_t p = part(profile, 1), at = TL_NONE;
	int64_t cost;

	for (size_t i = 0; i < 6; i++)
		at = context(profile, at, path[i], p, 1, 10);
	finish(profile);
	has_totals(profile, main_, TL_NONE, 1, 10, 60);
	has_totals(profile, f, TL_NONE, 4, 40, 50);
	has_totals(profile, g, TL_NONE, 1, 10, 20);
	assert_int_equal(find_arc(profile, main_, f, &cost)->calls, 1);
	assert_int_equal(cost, 50);
	assert_int_equal(find_arc(profile, f, f, &cost)->calls, 2);
	assert_int_equal(cost, 40); /* from the second f on */
	assert_int_equal(find_arc(profile, f, g, &cost)->calls, 1);
	assert_int_equal(cost, 20);
	assert_int_equal(find_arc(profile, g, f, &cost)->calls, 1);
	assert_int_equal(cost, 10);
	tl_profile_free(profile);
}

/* The same path, and sums alone: "arcs, lines, and functions by part are not derived". */
TEST(sums_of_functions_alone)
{
	struct tl_profile *profile = new_profile();
	uint32_t main_ = function(profile, "main"), f = function(profile, "f"),
		 g = function(profile, "g");
	const uint32_t path[] = { main_, f, f, f, g, f };
	uint32_t p = part(profile, 1), at = TL_NONE;

	profile->sums.only = true;
	for (size_t i = 0; i < 6; i++)
		at = context(profile, at, path[i], p, 1, 10);
	finish(profile);
	has_totals(profile, main_, TL_NONE, 1, 10, 60);
	has_totals(profile, f, TL_NONE, 4, 40, 50);
	has_totals(profile, g, TL_NONE, 1, 10, 20);
	assert_int_equal(tl_profile_total(profile)[0], 60);
	assert_int_equal(tl_profile_arc_count(profile), 0);
	assert_int_equal(tl_profile_line_count(profile), 0);
	tl_profile_free(profile);
}

/*
 * Children of the latest context are new, those of others may be there: main > f > g, then each of
 * them again, and f under g of another part.
 */
TEST(contexts_are_found_again)
{
	struct tl_profile *profile = new_profile();
	uint32_t f = function(profile, "f"), g = function(profile, "g");
	uint32_t p = part(profile, 1), q = part(profile, 2);

	assert_int_equal(tl_profile_add_context(profile, TL_NONE, f, p, NULL), 0);
	assert_int_equal(tl_profile_add_context(profile, 0, g, p, NULL), 1);
	assert_int_equal(tl_profile_add_context(profile, 1, f, p, NULL), 2);
	assert_int_equal(tl_profile_add_context(profile, 0, g, p, NULL), 1);
	assert_int_equal(tl_profile_add_context(profile, 1, f, p, NULL), 2);
	assert_int_equal(tl_profile_add_context(profile, 1, f, q, NULL), 3);
	assert_int_equal(tl_profile_add_context(profile, 3, f, q, NULL), 4);
	assert_int_equal(tl_profile_add_context(profile, 3, f, q, NULL), 4);
	assert_int_equal(tl_profile_add_context(profile, TL_NONE, f, p, NULL), 0);
	assert_int_equal(tl_profile_add_context(profile, TL_NONE, f, q, NULL), 5);
	assert_int_equal(tl_profile_context_count(profile), 6);
	tl_profile_free(profile);
}

/* "A function's totals over all parts, or in one." */
TEST(totals_of_parts)
{
	struct tl_profile *profile = new_profile();
	uint32_t f = function(profile, "f"), g = function(profile, "g");
	uint32_t p = part(profile, 1), q = part(profile, 2);
	struct tl_latency latency;

	context(profile, context(profile, TL_NONE, f, p, 1, 1), g, p, 2, 20);
	context(profile, context(profile, TL_NONE, f, q, 4, 400), f, q, 8, 8000);
	finish(profile);
	has_totals(profile, f, p, 1, 1, 21);
	has_totals(profile, f, q, 12, 8400, 8400);
	has_totals(profile, f, TL_NONE, 13, 8401, 8421);
	has_totals(profile, g, p, 2, 20, 20);
	has_totals(profile, g, q, 0, 0, 0);
	assert_false(tl_profile_latency_of(profile, f, TL_NONE, &latency));
	assert_false(tl_profile_latency_of(profile, f, p, &latency));
	tl_profile_free(profile);
}

/* "Costs are signed": what a parent gives back may leave it less than nothing. */
TEST(costs_may_be_negative)
{
	struct tl_profile *profile = new_profile();
	uint32_t f = function(profile, "f"), g = function(profile, "g"), p = part(profile, 1);

	context(profile, context(profile, TL_NONE, f, p, 1, -30), g, p, 1, 10);
	finish(profile);
	has_totals(profile, f, TL_NONE, 1, -30, -20);
	assert_int_equal(tl_profile_total(profile)[0], -20);
	tl_profile_free(profile);
}

/* A million levels would not fit a call stack of ours. */
TEST(deep_contexts_need_no_deep_stack)
{
	struct tl_profile *profile = new_profile();
	uint32_t f = function(profile, "f"), g = function(profile, "g"), p = part(profile, 1),
		 at = TL_NONE;

	for (uint32_t i = 0; i < 1000000; i++)
		at = context(profile, at, i % 2 ? g : f, p, 1, 1);
	finish(profile);
	has_totals(profile, f, TL_NONE, 500000, 500000, 1000000);
	has_totals(profile, g, TL_NONE, 500000, 500000, 999999);
	tl_profile_free(profile);
}

/* ---- misuse ---- */

TEST(a_profile_needs_an_event)
{
	struct tl_profile *profile = (struct tl_profile *)1;
	struct tl_error err = { .status = TL_OK };

	assert_int_equal(tl_profile_make(&profile, "test", two_events, 0, 0, &err), TL_BAD_USAGE);
	assert_null(profile);
	assert_int_equal(err.status, TL_BAD_USAGE);
	assert_true(err.offset == TL_NOWHERE);
}

/* "Call once, after the last addition." */
TEST(a_profile_is_finished_once)
{
	struct tl_profile *profile = new_profile();
	struct tl_error err = { .status = TL_OK };

	function(profile, "f");
	finish(profile);
	assert_int_equal(tl_profile_finish(profile, &err), TL_BAD_USAGE);
	assert_int_equal(err.status, TL_BAD_USAGE);
	assert_true(err.offset == TL_NOWHERE);
	has_totals(profile, 0, TL_NONE, 0, 0, 0);
	tl_profile_free(profile);
}

/* "What tells of an element that is not there says NULL, cost vectors are then zeros." */
TEST(reading_outside_is_nothing)
{
	static const uint32_t outside[] = { 1, 2, TL_NONE - 1, TL_NONE };
	const struct tl_event event = { "Ir", "", "", "" };
	const struct tl_cost_line line = { .function = 0 };
	const int64_t cost = 5;
	struct tl_profile *p;

	assert_int_equal(tl_profile_make(&p, "x", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_function(
				 p, &(struct tl_function){ .name = "f", .id = TL_NOWHERE }, NULL),
			 0);
	assert_int_equal(tl_profile_put_line(p, &line, &cost, NULL), 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	for (size_t i = 0; i < 4; i++) {
		struct tl_function_totals totals;
		struct tl_latency latency;
		uint32_t n = outside[i];

		assert_null(tl_profile_event(p, n));
		assert_null(tl_profile_part(p, n));
		assert_null(tl_profile_function(p, n));
		assert_null(tl_profile_context(p, n));
		assert_null(tl_profile_line(p, n));
		assert_null(tl_profile_arc(p, n));
		assert_null(tl_profile_jump(p, n));
		assert_int_equal(tl_profile_line_cost(p, n)[0], 0);
		assert_int_equal(tl_profile_arc_cost(p, n)[0], 0);
		assert_int_equal(tl_profile_context_self(p, n)[0], 0);
		assert_int_equal(tl_profile_context_inclusive(p, n)[0], 0);
		tl_profile_totals_of(p, n, TL_NONE, &totals);
		assert_int_equal(totals.calls, 0);
		assert_int_equal(totals.self[0], 0);
		tl_profile_totals_of(p, n, 0, &totals);
		assert_int_equal(totals.inclusive[0], 0);
		assert_false(tl_profile_latency_of(p, n, TL_NONE, &latency));
		assert_false(tl_profile_chosen(p, n));
	}
	tl_profile_free(p);
}

/*
 * "A number of a function, context or part that was not added before is refused with TL_BAD_USAGE."
 */
TEST(adding_outside_is_refused)
{
	const struct tl_event event = { "Ir", "", "", "" };
	const int64_t cost = 5;
	struct tl_profile *p;

	assert_int_equal(tl_profile_make(&p, "x", &event, 1, 0, NULL), 0);
	assert_int_equal(tl_profile_put_function(
				 p, &(struct tl_function){ .name = "f", .id = TL_NOWHERE }, NULL),
			 0);
	assert_int_equal(
		tl_profile_put_line(p, &(struct tl_cost_line){ .function = 1 }, &cost, NULL),
		TL_BAD_USAGE);
	assert_int_equal(tl_profile_put_line(p, &(struct tl_cost_line){ .part = 1 }, &cost, NULL),
			 TL_BAD_USAGE);
	assert_int_equal(tl_profile_put_arc(p, &(struct tl_arc){ .caller = 1 }, &cost, NULL),
			 TL_BAD_USAGE);
	assert_int_equal(tl_profile_put_arc(p, &(struct tl_arc){ .callee = TL_NONE }, &cost, NULL),
			 TL_BAD_USAGE);
	assert_int_equal(tl_profile_put_arc(p, &(struct tl_arc){ .caller = TL_NONE }, &cost, NULL),
			 0);
	assert_int_equal(tl_profile_put_jump(p, &(struct tl_jump){ .target = 1 }, NULL),
			 TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_context(p, 0, 0, 0, NULL), TL_BAD_USAGE);
	assert_int_equal(tl_profile_add_context(p, TL_NONE, 1, 0, NULL), TL_BAD_USAGE);
	tl_profile_add_context_cost(p, 0, 1, &cost);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	assert_int_equal(tl_profile_total(p)[0], 0);
	tl_profile_free(p);
}

TEST(an_empty_profile_is_one)
{
	struct tl_profile *profile = new_profile();

	finish(profile);
	assert_int_equal(tl_profile_function_count(profile), 0);
	assert_int_equal(tl_profile_total(profile)[0], 0);
	assert_int_equal(tl_profile_total(profile)[1], 0);
	tl_profile_free(profile);
}

/* "A function's totals ... in one [part]", also where one line is all that it has there. */
TEST(one_line_makes_totals_of_its_part)
{
	struct tl_profile *profile = new_profile();
	uint32_t parts[2], functions[2];

	for (uint32_t i = 0; i < 2; i++) {
		const int64_t cost[] = { 5 + i, 10 * (5 + i) };
		struct tl_cost_line line = { .at = { .file = "a.c", .line = 1 } };

		line.part = parts[i] = part(profile, i);
		line.function = functions[i] = function(profile, i ? "g" : "f");
		assert_int_equal(tl_profile_put_line(profile, &line, cost, NULL), 0);
	}
	finish(profile);
	for (uint32_t f = 0; f < 2; f++) {
		has_totals(profile, functions[f], parts[f], 0, 5 + f, 5 + f);
		has_totals(profile, functions[f], parts[1 - f], 0, 0, 0);
	}
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_copied),
		cmocka_unit_test(functions_are_told_apart),
		cmocka_unit_test(parts_are_kept),
		cmocka_unit_test(lines_sum_up),
		cmocka_unit_test(inclusive_follows_from_arcs),
		cmocka_unit_test(jumps_sum_up),
		cmocka_unit_test(sums_saturate_and_are_counted),
		cmocka_unit_test(derived_sums_saturate_too),
		cmocka_unit_test(lines_and_arcs_follow_from_contexts),
		cmocka_unit_test(arcs_under_recursion_count_once),
		cmocka_unit_test(sums_of_functions_alone),
		cmocka_unit_test(contexts_are_found_again),
		cmocka_unit_test(totals_of_parts),
		cmocka_unit_test(costs_may_be_negative),
		cmocka_unit_test(deep_contexts_need_no_deep_stack),
		cmocka_unit_test(a_profile_needs_an_event),
		cmocka_unit_test(a_profile_is_finished_once),
		cmocka_unit_test(an_empty_profile_is_one),
		cmocka_unit_test(reading_outside_is_nothing),
		cmocka_unit_test(adding_outside_is_refused),
		cmocka_unit_test(one_line_makes_totals_of_its_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
