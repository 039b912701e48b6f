/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that are made of sums: by names that list their callers, and by estimates. A tree that was
 * drawn is written as sums, and has to come back: names say all of it, and where each function has
 * one caller the estimate has no choice.
 */
#include "drawn_tree.h"

#include "export/stacks/call_sums.h"
#include "export/stacks/stack_names.h"
#include "export/stacks/stacks.h"
#include "profile/model/unsized.h"

static const struct tl_position nowhere = { .file = "" };

static void call(struct tl_profile *profile, uint32_t caller, uint32_t callee, uint32_t part,
		 uint64_t calls, int64_t cost)
{
	add_arc(profile, (struct tl_arc){ caller, callee, part, nowhere, nowhere, calls }, cost);
}

static uint32_t function_of_object(struct tl_profile *profile, const char *object, const char *name,
				   int64_t self)
{
	const uint32_t number = add_function(profile, object, "", name, 0);

	if (self)
		add_line(profile, number, TL_NONE, nowhere, self);
	return number;
}

static uint32_t function(struct tl_profile *profile, const char *name, int64_t self)
{
	return function_of_object(profile, "", name, self);
}

static struct tl_profile *stacks_of(struct tl_profile *sums)
{
	struct tl_profile *stacks = NULL;

	finish(sums);
	assert_int_equal(tl_stacks_from_names(&stacks, sums, NULL), 0);
	tl_profile_free(sums);
	return stacks;
}

/* ---- names ---- */

/*
 * "A node is a function with its callers, f'g'h, on any level of recursion; its caller is the node
 * g'h": f has 7 of its first level and 4 of its second; 3 and 2 calls.
 */
TEST(names_become_stacks)
{
	struct tl_profile *sums = new_profile(0, 1), *stacks;
	uint32_t start = function(sums, "main", 5), f = function(sums, "f'main", 7),
		 again = function(sums, "f'2'main", 4), g = function(sums, "g'f'main", 9);

	call(sums, start, f, TL_NONE, 3, 20);
	call(sums, f, again, TL_NONE, 2, 13);
	call(sums, again, g, TL_NONE, 1, 9);
	stacks = stacks_of(sums);
	assert_paths(stacks, "0 main 0 5\n0 main;f 5 11\n0 main;f;g 1 9\n");
	assert_int_equal(tl_profile_total(stacks)[0], 25);
	tl_profile_free(stacks);
}

/* "If no function has the name, a node is added", up to the root. */
TEST(callers_without_a_cost_are_added)
{
	struct tl_profile *sums = new_profile(0, 1), *stacks;

	function(sums, "h'x'y", 2);
	function(sums, "k'y", 3);
	stacks = stacks_of(sums);
	assert_paths(stacks, "0 y 0 0\n0 y;k 0 3\n0 y;x 0 0\n0 y;x;h 0 2\n");
	tl_profile_free(stacks);
}

/* "If several functions have that name, the caller is the one whose calls cost most." */
TEST(the_caller_is_the_one_that_costs_most)
{
	static const struct {
		int64_t first, second;
		const char *object;
	} cases[] = { { 5, 9, "B" }, { 9, 5, "A" }, { 7, 7, "A" }, { 0, 0, "A" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_profile *sums = new_profile(0, 1), *stacks;
		uint32_t a = function_of_object(sums, "A", "c'main", 1),
			 b = function_of_object(sums, "B", "c'main", 1),
			 d = function(sums, "d'c'main", 1);

		/* without calls the first of the name is taken */
		if (cases[i].first) {
			call(sums, a, d, TL_NONE, 1, cases[i].first);
			call(sums, b, d, TL_NONE, 1, cases[i].second);
		}
		call(sums, TL_NONE, d, TL_NONE, 1, 100);
		stacks = stacks_of(sums);
		for (uint32_t c = 0; c < tl_profile_context_count(stacks); c++) {
			const struct tl_context *at = tl_profile_context(stacks, c);

			if (strcmp(tl_profile_function(stacks, at->function)->name, "d") == 0)
				assert_string_equal(
					tl_profile_function(
						stacks,
						tl_profile_context(stacks, at->parent)->function)
						->object,
					cases[i].object);
		}
		assert_int_equal(tl_profile_total(stacks)[0], 3);
		tl_profile_free(stacks);
	}
}

TEST(drawn_trees_come_back_by_their_names)
{
	static struct tree tree;
	uint32_t seed = 21;

	for (uint32_t round = 0; round < 40; round++) {
		const uint32_t parts = round % 3 + 1;
		struct tl_profile *sums, *truth, *made;

		tree_draw(&tree, &seed, 1 + (int)round, parts);
		sums = tree_sums(&tree, TREE_NODES, false, true);
		truth = tree_contexts(&tree, false);
		assert_int_equal(tl_stacks_from_names(&made, sums, NULL), 0);
		assert_int_equal(tl_profile_part_count(made), parts);
		assert_same_paths(made, truth);
		tl_profile_free(sums);
		tl_profile_free(truth);
	}
}

/* Costs of no part are those of one part, whose name is the only one's, or that of all. */
TEST(costs_of_no_part_are_one_part)
{
	static struct tree tree;
	uint32_t seed = 4;

	for (uint32_t parts = 1; parts < 3; parts++) {
		struct tl_profile *sums, *made;

		tree_draw(&tree, &seed, 12, parts);
		sums = tree_sums(&tree, TREE_NODES, false, false);
		assert_int_equal(tl_stacks_from_names(&made, sums, NULL), 0);
		assert_int_equal(tl_profile_part_count(made), 1);
		assert_int_equal(tl_profile_part(made, 0)->thread, parts == 1 ? 1 : TL_NOWHERE);
		assert_int_equal(tl_profile_total(made)[0], tl_profile_total(sums)[0]);
		tl_profile_free(made);
		tl_profile_free(sums);
	}
}

/* Levels of recursion become one function of the whole name; their lines and calls stay apart. */
TEST(levels_are_joined)
{
	struct tl_profile *sums = new_profile(0, 1), *made;
	uint32_t start = function(sums, "main", 5), f = function(sums, "f'main", 7),
		 again = function(sums, "f'2'main", 4);

	call(sums, start, f, TL_NONE, 3, 20);
	call(sums, f, again, TL_NONE, 2, 13);
	call(sums, again, function(sums, "g'f'2'main", 9), TL_NONE, 1, 9);
	finish(sums);
	assert_int_equal(tl_stacks_join_levels(&made, sums, NULL), 0);
	assert_int_equal(tl_profile_function_count(made), 3);
	assert_string_equal(tl_profile_function(made, 0)->name, "main");
	assert_string_equal(tl_profile_function(made, 1)->name, "f'main");
	assert_int_equal(tl_profile_line_count(made), 3);
	assert_int_equal(tl_profile_line_cost(made, 1)[0], 11);
	assert_int_equal(tl_profile_arc_count(made), 3);
	assert_int_equal(tl_profile_arc(made, 0)->callee, 1);
	assert_int_equal(tl_profile_arc(made, 1)->caller, 1);
	assert_int_equal(tl_profile_arc(made, 1)->callee, 1);
	assert_int_equal(tl_profile_arc_cost(made, 1)[0], 13);
	assert_int_equal(tl_profile_arc(made, 2)->caller, 1);
	assert_int_equal(tl_profile_arc(made, 2)->callee, 2);
	tl_profile_free(made);
	tl_profile_free(sums);
}

/* What was estimated of names that are cut loses their callers, and equal paths become one. */
TEST(callers_are_stripped)
{
	struct tl_profile *paths = new_profile(0, 1), *made;
	uint32_t part = add_part(paths, 1, 1, ""), root, f;

	root = add_context(paths, TL_NONE, add_function(paths, "", "", "main", 0), part, 1, 1);
	f = add_context(paths, root, add_function(paths, "", "", "f'main", 0), part, 2, 10);
	add_context(paths, root, add_function(paths, "", "", "f'x", 0), part, 3, 100);
	add_context(paths, f, add_function(paths, "", "", "g'f'main", 0), part, 4, 1000);
	finish(paths);
	assert_int_equal(tl_stacks_strip_callers(&made, paths, NULL), 0);
	assert_paths(made, "0 main 1 1\n0 main;f 5 110\n0 main;f;g 4 1000\n");
	tl_profile_free(made);
	tl_profile_free(paths);
}

/* Complete names need no estimate; cut ones are estimated further out, and all costs stay. */
TEST(names_decide_what_is_estimated)
{
	static const struct tl_stacks_options exact = { .size = sizeof(exact), .threshold = 0 };
	static struct tree tree;
	uint32_t seed = 77;

	for (unsigned most = 1; most < 12; most++) {
		struct tl_profile *sums, *made;
		enum tl_stack_names names;
		unsigned deepest = 0;

		tree_draw(&tree, &seed, 40, 1);
		sums = tree_sums(&tree, most, false, true);
		names = tl_stack_names(sums);
		assert_int_equal(tl_stacks_make(&made, sums, &exact, true, NULL), 0);
		assert_int_equal(tl_profile_estimated(made), names != TL_NAMES_COMPLETE);
		for (int i = 0; i < tree.count; i++)
			deepest = tree.nodes[i].depth > deepest ? tree.nodes[i].depth : deepest;
		assert_int_equal(names == TL_NAMES_COMPLETE, most >= deepest);
		assert_int_equal(tl_profile_total(made)[0], tl_profile_total(sums)[0]);
		for (uint32_t f = 0; f < tl_profile_function_count(made); f++)
			assert_null(strchr(tl_profile_function(made, f)->name, '\''));
		tl_profile_free(made);
		tl_profile_free(sums);
	}
}

/* ---- estimates ---- */

static int estimate(struct tl_profile **made, const struct tl_profile *sums, double threshold,
		    uint32_t most, uint32_t most_depth)
{
	const struct tl_stacks_limits limits = { threshold, most, most_depth, false, false };

	return tl_stacks_estimate(made, sums, &limits, NULL);
}

/* Each function has one caller, so that paths are certain: nothing is divided wrongly. */
TEST(trees_are_estimated_exactly)
{
	static struct tree tree;
	uint32_t seed = 3;

	for (uint32_t round = 0; round < 30; round++) {
		const uint32_t parts = round % 3 + 1;
		struct tl_profile *sums, *truth, *made, *settled;

		tree_draw(&tree, &seed, 2 + (int)round, parts);
		sums = tree_sums(&tree, 1, true, true);
		truth = tree_contexts(&tree, true);
		assert_int_equal(estimate(&made, sums, 0, 10000, 500), 0);
		assert_int_equal(tl_stacks_settle(&settled, made, sums, false, NULL), 0);
		assert_same_paths(settled, truth);
		assert_same_paths(made, truth);
		tl_profile_free(sums);
		tl_profile_free(truth);
	}
}

/* "Paths that are too small, too deep or too many are summed below their caller": none is lost. */
TEST(what_is_left_out_is_summed)
{
	static const struct {
		double threshold;
		uint32_t most, depth;
	} limits[] = { { 0, 10000, 3 }, { 0, 10000, 1 },   { 0, 7, 500 },
		       { 0, 1, 500 },   { 5, 10000, 500 }, { 100.5, 10000, 500 } };
	static struct tree tree;
	uint32_t seed = 9;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct tl_profile *sums, *made;
		uint32_t other, paths = 0;
		const int64_t *total;

		tree_draw(&tree, &seed, 50, 1);
		sums = tree_sums(&tree, 1, true, true);
		assert_int_equal(
			estimate(&made, sums, limits[i].threshold, limits[i].most, limits[i].depth),
			0);
		other = tl_profile_function_count(sums);
		total = tl_profile_total(sums);
		assert_string_equal(tl_profile_function(made, other)->name, "(other)");
		for (uint32_t c = 0; c < tl_profile_context_count(made); c++) {
			const struct tl_context *at = tl_profile_context(made, c);
			const int64_t *inclusive = tl_profile_context_inclusive(made, c);
			unsigned depth = 1;

			for (uint32_t up = at->parent; up != TL_NONE;
			     up = tl_profile_context(made, up)->parent) {
				assert_int_not_equal(tl_profile_context(made, up)->function, other);
				depth++;
			}
			paths += at->function != other;
			assert_true(depth <= limits[i].depth + (at->function == other));
			/* the largest share of any event is enough */
			if (at->function != other)
				assert_true(100.0 * (double)inclusive[0] >=
						    limits[i].threshold * (double)total[0] ||
					    100.0 * (double)inclusive[1] >=
						    limits[i].threshold * (double)total[1]);
		}
		assert_true(paths <= limits[i].most);
		assert_int_equal(paths == 0, limits[i].threshold > 100);
		assert_int_equal(tl_profile_total(made)[0], tl_profile_total(sums)[0]);
		tl_profile_free(made);
		tl_profile_free(sums);
	}
}

/* The options of tl_profile_stacks(), and what it refuses. */
TEST(options_bound_the_paths)
{
	static struct tree tree;
	struct tl_profile *sums, *made, *none;
	uint32_t seed = 2;

	tree_draw(&tree, &seed, 50, 1);
	sums = tree_sums(&tree, 1, true, true);
	for (uint32_t limit = 1; limit < 5; limit++) {
		struct tl_stacks_options options = { .size = sizeof(options), .most_depth = limit };
		uint32_t paths = 0;

		assert_int_equal(tl_profile_stacks(&made, sums, &options, NULL), 0);
		for (uint32_t c = 0; c < tl_profile_context_count(made); c++) {
			uint32_t depth = 1;

			for (uint32_t up = tl_profile_context(made, c)->parent; up != TL_NONE;
			     up = tl_profile_context(made, up)->parent)
				depth++;
			/* "(other)" and the function that has no other path */
			assert_true(depth <= (limit < 2 ? 2 : limit));
		}
		tl_profile_free(made);
		options.most_depth = 0;
		options.most_contexts = limit;
		assert_int_equal(tl_profile_stacks(&made, sums, &options, NULL), 0);
		for (uint32_t c = 0; c < tl_profile_context_count(made); c++)
			paths += tl_profile_context(made, c)->calls > 0;
		assert_true(paths <= limit);
		tl_profile_free(made);
	}
	assert_int_equal(tl_profile_stacks(&made, sums, NULL, NULL), 0);
	assert_int_equal(tl_profile_stacks(&none, made, NULL, NULL), TL_BAD_USAGE);
	tl_profile_free(made);
	tl_profile_free(sums);
}

/*
 * What calls from outside account for is not a cycle's own: x and y call each other, and main has
 * called x, so that there is no other root. The call back is closed, and y has all of its cost.
 */
TEST(a_cycle_that_is_called_is_no_root)
{
	struct tl_profile *sums = new_profile(0, 1), *made;
	const uint32_t start = function(sums, "main", 10), x = function(sums, "x", 30),
		       y = function(sums, "y", 60);

	call(sums, start, x, TL_NONE, 1, 90);
	call(sums, x, y, TL_NONE, 4, 60);
	call(sums, y, x, TL_NONE, 3, 20);
	finish(sums);
	assert_int_equal(estimate(&made, sums, 0, 100, 100), 0);
	assert_paths(made, "0 main 0 10\n0 main;x 1 30\n0 main;x;y 4 60\n");
	tl_profile_free(made);
	tl_profile_free(sums);
}

/* One event has a root, the other is all of one cycle: there, self costs are the weights. */
TEST(events_have_roots_of_their_own)
{
	const int64_t self[2][2] = { { 10, 40 }, { 20, 60 } }, given[2] = { 20, 100 };
	struct tl_profile *sums = new_profile(0, 2), *made;
	const uint32_t f = add_function(sums, "", "", "f", 0),
		       g = add_function(sums, "", "", "g", 0);

	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(tl_profile_put_line(sums,
						     &(struct tl_cost_line){ i, TL_NONE, nowhere },
						     self[i], NULL),
				 0);
	assert_int_equal(tl_profile_put_arc(sums,
					    &(struct tl_arc){ f, g, TL_NONE, nowhere, nowhere, 5 },
					    given, NULL),
			 0);
	assert_int_equal(tl_profile_put_arc(sums,
					    &(struct tl_arc){ g, f, TL_NONE, nowhere, nowhere, 5 },
					    (const int64_t[]){ 0, 100 }, NULL),
			 0);
	finish(sums);
	assert_int_equal(estimate(&made, sums, 0, 100, 100), 0);
	for (uint32_t e = 0; e < 2; e++)
		assert_int_equal(tl_profile_total(made)[e], self[0][e] + self[1][e]);
	tl_profile_free(made);
	tl_profile_free(sums);
}

/* ---- sums of calls ---- */

static void fill_drawn(struct tl_profile *profile, uint32_t *seed, uint32_t functions,
		       uint32_t parts)
{
	for (uint32_t part = 0; part < parts; part++)
		add_part(profile, 1, part + 1, "");
	for (uint32_t f = 0; f < functions; f++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", (unsigned)f);
		add_function(profile, "", "", name, 0);
	}
	for (uint32_t i = 0; i < 4 * functions; i++)
		add_line(profile, chance(seed, functions), chance(seed, parts),
			 (struct tl_position){ .file = "", .line = i },
			 (int64_t)chance(seed, 1000) - 100);
	for (uint32_t i = 0; i < 12 * functions; i++) {
		const uint32_t caller = chance(seed, functions + 1);

		add_arc(profile,
			(struct tl_arc){ caller == functions ? TL_NONE : caller,
					 chance(seed, functions), chance(seed, parts),
					 (struct tl_position){ .file = "", .line = i }, nowhere,
					 1 + chance(seed, 9) },
			(int64_t)chance(seed, 1000) - 100);
	}
	finish(profile);
}

static int64_t none_below_zero(int64_t cost)
{
	return cost < 0 ? 0 : cost;
}

/* Every line and arc is looked at for each number that is asked for. */
static void assert_sums(const struct tl_call_sums *s, const struct tl_profile *p, uint32_t part)
{
	const uint32_t functions = tl_profile_function_count(p);
	uint32_t pair = 0;
	int64_t total = 0;

	for (uint32_t caller = 0; caller < functions; caller++) {
		int64_t self = 0, given = 0;
		uint64_t entered = 0;

		for (uint32_t i = 0; i < tl_profile_line_count(p); i++)
			if (tl_profile_line(p, i)->function == caller &&
			    (part == TL_NONE || tl_profile_line(p, i)->part == part))
				self += tl_profile_line_cost(p, i)[0];
		total += self;
		for (uint32_t i = 0; i < tl_profile_arc_count(p); i++) {
			const struct tl_arc *arc = tl_profile_arc(p, i);

			if (arc->callee != caller || (part != TL_NONE && arc->part != part))
				continue;
			if (arc->caller == TL_NONE)
				entered += arc->calls;
			else if (arc->caller != caller)
				given += none_below_zero(tl_profile_arc_cost(p, i)[0]);
		}
		assert_int_equal(s->self[caller], none_below_zero(self));
		assert_int_equal(s->given[caller], given);
		assert_int_equal(s->entered[caller], entered);
		assert_int_equal(s->first_pair[caller], pair);
		for (uint32_t callee = 0; callee < functions; callee++) {
			uint64_t calls = 0;
			int64_t cost = 0;

			for (uint32_t i = 0; i < tl_profile_arc_count(p); i++) {
				const struct tl_arc *arc = tl_profile_arc(p, i);

				if (arc->caller != caller || arc->callee != callee ||
				    caller == callee || (part != TL_NONE && arc->part != part))
					continue;
				calls += arc->calls;
				cost += none_below_zero(tl_profile_arc_cost(p, i)[0]);
			}
			if (!calls)
				continue;
			assert_int_equal(s->pairs[pair].caller, caller);
			assert_int_equal(s->pairs[pair].callee, callee);
			assert_int_equal(s->pairs[pair].calls, calls);
			assert_int_equal(s->pairs[pair++].cost[0], cost);
		}
	}
	assert_int_equal(s->pair_count, pair);
	assert_int_equal(s->first_pair[functions], pair);
	assert_int_equal(s->total[0], none_below_zero(total));
}

TEST(sums_are_those_of_lines_and_arcs)
{
	uint32_t seed = 31;

	for (uint32_t round = 0; round < 12; round++) {
		const uint32_t parts = 1 + round % 3;
		struct tl_profile *profile = new_profile(0, 1);
		struct tl_call_sums sums;

		fill_drawn(profile, &seed, 2 + 2 * round, parts);
		for (uint32_t part = 0; part <= parts; part++) {
			const uint32_t of = part == parts ? TL_NONE : part;

			assert_true(tl_call_sums_collect(&sums, profile, of));
			assert_sums(&sums, profile, of);
			tl_call_sums_free(&sums);
		}
		assert_true(tl_call_sums_by_part(profile));
		assert_int_equal(tl_call_sums_in_parts(profile), parts > 1);
		tl_profile_free(profile);
	}
}

/* A line or an arc that is of no part is enough; and beyond 32 parts all are taken together. */
TEST(parts_have_paths_of_their_own)
{
	for (int what = 0; what < 3; what++) {
		struct tl_profile *profile = new_profile(0, 1);
		uint32_t f = add_function(profile, "", "", "f", 0);

		add_part(profile, 1, 1, "");
		add_part(profile, 1, 2, "");
		add_line(profile, f, what == 1 ? TL_NONE : 0, nowhere, 1);
		call(profile, f, f, what == 2 ? TL_NONE : 1, 1, 1);
		finish(profile);
		assert_int_equal(tl_call_sums_by_part(profile), what == 0);
		assert_int_equal(tl_call_sums_in_parts(profile), what == 0);
		tl_profile_free(profile);
	}
	for (uint32_t parts = TL_STACKS_MOST_PARTS; parts < TL_STACKS_MOST_PARTS + 2; parts++) {
		struct tl_profile *profile = new_profile(0, 1);

		for (uint32_t part = 0; part < parts; part++)
			add_part(profile, 1, part + 1, "");
		finish(profile);
		assert_true(tl_call_sums_by_part(profile));
		assert_int_equal(tl_call_sums_in_parts(profile), parts == TL_STACKS_MOST_PARTS);
		tl_profile_free(profile);
	}
}

/* ---- settling ---- */

/* The sums: 100 of f, 10 of g, -5 of h, 7 of k, which has no path. */
static struct tl_profile *settled_sums(void)
{
	static const int64_t self[] = { 100, 10, -5, 7 };
	struct tl_profile *sums = new_profile(0, 1);

	add_part(sums, 1, 1, "");
	for (uint32_t i = 0; i < 4; i++)
		add_line(sums, add_function(sums, "", "", (const char[2]){ "fghk"[i] }, 0), 0,
			 nowhere, self[i]);
	finish(sums);
	return sums;
}

/*
 * "The costs are scaled until they do": of 30 estimated for f, 20 and 9 and 1 of three paths become
 * 66, then 96 - 66, then the rest. g's estimate is 0, so that its first path gets all; so does h's,
 * as a cost below zero cannot be divided.
 */
TEST(paths_get_the_costs_of_their_functions)
{
	struct tl_profile *sums = settled_sums(), *paths = new_profile(0, 1), *made;
	uint32_t part = add_part(paths, 1, 1, ""), root, inner;

	for (uint32_t i = 0; i < 4; i++)
		add_function(paths, "", "", (const char[2]){ "fghk"[i] }, 0);
	add_function(paths, "", "", "(other)", 0);
	root = add_context(paths, TL_NONE, 0, part, 1, 20);
	inner = add_context(paths, root, 1, part, 2, 0);
	add_context(paths, inner, 0, part, 3, 9);
	add_context(paths, root, 2, part, 4, 50);
	add_context(paths, inner, 2, part, 5, 50);
	add_context(paths, root, 4, part, 0, 1000);
	inner = add_context(paths, TL_NONE, 1, part, 6, 0);
	add_context(paths, inner, 0, part, 7, 1);
	finish(paths);
	assert_int_equal(tl_stacks_settle(&made, paths, sums, false, NULL), 0);
	assert_paths(made, "0 (other) 0 0\n0 (other);k 0 7\n0 f 1 66\n0 f;g 2 10\n0 f;g;f 3 30\n"
			   "0 f;g;h 5 0\n0 f;h 4 -5\n0 g 6 0\n0 g;f 7 4\n");
	tl_profile_free(made);
	tl_profile_free(paths);
	tl_profile_free(sums);
}

/* Whatever the calls are, functions keep their costs, part by part. */
TEST(settled_costs_are_exact)
{
	uint32_t seed = 8;

	for (uint32_t round = 0; round < 20; round++) {
		const uint32_t parts = 1 + round % 2, functions = 5 + round;
		struct tl_profile *sums = new_profile(0, 1), *made;
		const struct tl_stacks_options options = { .size = sizeof(options),
							   .threshold = round % 4,
							   .most_contexts = 200 };

		fill_drawn(sums, &seed, functions, parts);
		assert_int_equal(tl_profile_stacks(&made, sums, &options, NULL), 0);
		for (uint32_t part = 0; part < parts; part++)
			for (uint32_t f = 0; f < functions; f++) {
				int64_t wanted = 0, got = 0;

				for (uint32_t i = 0; i < tl_profile_line_count(sums); i++)
					if (tl_profile_line(sums, i)->function == f &&
					    tl_profile_line(sums, i)->part == part)
						wanted += tl_profile_line_cost(sums, i)[0];
				for (uint32_t i = 0; i < tl_profile_context_count(made); i++)
					if (tl_profile_context(made, i)->function == f &&
					    tl_profile_context(made, i)->part == part)
						got += tl_profile_context_self(made, i)[0];
				assert_int_equal(got, wanted);
			}
		tl_profile_free(made);
		tl_profile_free(sums);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_become_stacks),
		cmocka_unit_test(callers_without_a_cost_are_added),
		cmocka_unit_test(the_caller_is_the_one_that_costs_most),
		cmocka_unit_test(drawn_trees_come_back_by_their_names),
		cmocka_unit_test(costs_of_no_part_are_one_part),
		cmocka_unit_test(levels_are_joined),
		cmocka_unit_test(callers_are_stripped),
		cmocka_unit_test(names_decide_what_is_estimated),
		cmocka_unit_test(trees_are_estimated_exactly),
		cmocka_unit_test(what_is_left_out_is_summed),
		cmocka_unit_test(options_bound_the_paths),
		cmocka_unit_test(a_cycle_that_is_called_is_no_root),
		cmocka_unit_test(events_have_roots_of_their_own),
		cmocka_unit_test(sums_are_those_of_lines_and_arcs),
		cmocka_unit_test(parts_have_paths_of_their_own),
		cmocka_unit_test(paths_get_the_costs_of_their_functions),
		cmocka_unit_test(settled_costs_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
