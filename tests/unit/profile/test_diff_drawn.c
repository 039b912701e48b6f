/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences of profiles that were drawn, by function, arc and line, against loops over what was
 * drawn: who matches whom is asked of each pair of functions, without an order; each row's numbers
 * are looked for among all elements.
 */
#include "profiles.h"

#include "../chance.h"

enum { ROUNDS = 300, MOST = 40, EVENTS = 4, BEFORE = 0, AFTER = 1, SIDES = 2 };

static const char *const objects[] = { "/usr/bin/prog", "/opt/bin/prog", "" };
static const char *const files[] = { "/src/a.c", "/build/a.c", "b.h", "" };
static const char *const headers[] = { "inlined.h", "/usr/include/more.h" };
static const char *const names[] = { "main", "f", "g", "h", "operator new(unsigned long)" };
static const char *const event_names[EVENTS] = { "Ir", "Dr", "Dw", "Bc" };

struct function {
	const char *object, *file, *name;
};

/* A line, or an arc, in numbers of functions. */
struct element {
	unsigned function, caller;
	const char *file;
	uint32_t line;
	uint64_t calls;
	int64_t cost[EVENTS]; /* by number of its name */
};

struct side {
	struct function functions[MOST];
	unsigned function_count;
	struct element lines[MOST], arcs[MOST];
	unsigned line_count, arc_count;
	unsigned events[EVENTS], event_count; /* numbers of names, in the profile's order */
	struct tl_profile *profile;
};

/* ---- drawing ---- */

static bool is_same(const struct function *a, const struct function *b)
{
	return !strcmp(a->object, b->object) && !strcmp(a->file, b->file) &&
	       !strcmp(a->name, b->name);
}

static void draw_functions(struct side *s, uint32_t *seed)
{
	for (unsigned left = 1 + chance(seed, 9); left; left--) {
		const struct function f = { objects[chance(seed, 3)], files[chance(seed, 4)],
					    names[chance(seed, 5)] };
		bool known = false;

		for (unsigned i = 0; i < s->function_count; i++)
			known |= is_same(&s->functions[i], &f);
		if (known)
			continue;
		s->functions[s->function_count] = f;
		assert_int_equal(add_function(s->profile, f.object, f.file, f.name),
				 s->function_count++);
	}
}

static void draw_cost(const struct side *s, struct element *e, int64_t *cost, uint32_t *seed)
{
	for (unsigned i = 0; i < s->event_count; i++) {
		cost[i] = chance(seed, 3) ? chance(seed, 1000) : 0;
		e->cost[s->events[i]] = cost[i];
	}
}

static void draw_lines(struct side *s, uint32_t *seed)
{
	for (unsigned left = chance(seed, MOST); left; left--) {
		struct element *e = &s->lines[s->line_count++];
		int64_t cost[EVENTS];

		*e = (struct element){ .function = chance(seed, s->function_count),
				       .file = headers[chance(seed, 2)],
				       .line = chance(seed, 4) };
		if (chance(seed, 2))
			e->file = s->functions[e->function].file;
		draw_cost(s, e, cost, seed);
		const struct tl_cost_line line = { .function = e->function,
						   .part = TL_NONE,
						   .at = at(e->file, e->line, chance(seed, 9)) };

		assert_int_equal(tl_profile_put_line(s->profile, &line, cost, NULL), 0);
	}
}

static void draw_arcs(struct side *s, uint32_t *seed)
{
	for (unsigned left = chance(seed, MOST); left; left--) {
		struct element *e = &s->arcs[s->arc_count++];
		int64_t cost[EVENTS];

		*e = (struct element){ .function = chance(seed, s->function_count),
				       .caller = chance(seed, 6) ? chance(seed, s->function_count)
								 : TL_NONE,
				       .calls = chance(seed, 20) };
		draw_cost(s, e, cost, seed);
		const struct tl_arc arc = { .caller = e->caller,
					    .callee = e->function,
					    .part = TL_NONE,
					    .from = at("", chance(seed, 9), 0),
					    .to = at("", 0, 0),
					    .calls = e->calls };

		assert_int_equal(tl_profile_put_arc(s->profile, &arc, cost, NULL), 0);
	}
}

/* "Ir" is always among the events, in any place. */
static void draw_side(struct side *s, uint32_t *seed)
{
	const char *known[EVENTS];
	unsigned order[EVENTS];

	memset(s, 0, sizeof(*s));
	chance_order(seed, order, EVENTS);
	for (unsigned i = 0; i < EVENTS; i++)
		if (!order[i] || chance(seed, 2)) {
			known[s->event_count] = event_names[order[i]];
			s->events[s->event_count++] = order[i];
		}
	s->profile = new_profile("drawn", known, s->event_count, 0);
	draw_functions(s, seed);
	draw_lines(s, seed);
	draw_arcs(s, seed);
	finished(s->profile);
}

/* ---- who matches whom ---- */

static bool has_same(const struct side *s, const struct function *f)
{
	for (unsigned i = 0; i < s->function_count; i++)
		if (is_same(&s->functions[i], f))
			return true;
	return false;
}

/* How many functions of this name the side has that the other side has not. */
static unsigned lone_ones(const struct side *sides, unsigned side, const char *name)
{
	unsigned count = 0;

	for (unsigned i = 0; i < sides[side].function_count; i++)
		count += !strcmp(sides[side].functions[i].name, name) &&
			 !has_same(&sides[!side], &sides[side].functions[i]);
	return count;
}

static bool match(const struct side *sides, const struct function *before,
		  const struct function *after)
{
	if (is_same(before, after))
		return true;
	return !strcmp(before->name, after->name) && !has_same(&sides[AFTER], before) &&
	       !has_same(&sides[BEFORE], after) && lone_ones(sides, BEFORE, before->name) == 1 &&
	       lone_ones(sides, AFTER, before->name) == 1;
}

/* What a row is about: a function of the later side if it has it, else of the earlier. */
static bool belongs(const struct side *sides, unsigned side, unsigned function,
		    const struct tl_function *row)
{
	const struct function *f = &sides[side].functions[function];
	const struct function is = { row->object, row->file, row->name };

	if (side == AFTER)
		return is_same(f, &is);
	for (unsigned i = 0; i < sides[AFTER].function_count; i++)
		if (match(sides, f, &sides[AFTER].functions[i]))
			return is_same(&sides[AFTER].functions[i], &is);
	return is_same(f, &is);
}

/* ---- rows ---- */

/* The number of an event of the difference among all names; its place in a side's costs. */
static unsigned name_of(const struct tl_diff *diff, uint32_t event)
{
	unsigned number = 0;

	while (strcmp(tl_diff_event(diff, event)->name, event_names[number]) != 0)
		assert_true(++number < EVENTS);
	return number;
}

static void add(struct element *sum, const struct element *e)
{
	sum->calls += e->calls;
	sum->function++; /* how many there are */
	for (unsigned i = 0; i < EVENTS; i++)
		sum->cost[i] += e->cost[i];
}

static bool has_cost(const struct element *e)
{
	for (unsigned i = 0; i < EVENTS; i++)
		if (e->cost[i])
			return true;
	return false;
}

/* Where a line in the function's own file is: that file, wherever it is on each side. */
static const char *place_of(const struct side *s, const struct element *e)
{
	return strcmp(e->file, s->functions[e->function].file) ? e->file : "";
}

static struct element line_sum(const struct side *sides, unsigned side,
			       const struct tl_diff_row *row)
{
	const char *place = strcmp(row->file, row->function->file) ? row->file : "";
	struct element sum = { .function = 0 };

	for (unsigned i = 0; i < sides[side].line_count; i++) {
		const struct element *e = &sides[side].lines[i];

		if (e->line == row->line && has_cost(e) &&
		    !strcmp(place_of(&sides[side], e), place) &&
		    belongs(sides, side, e->function, row->function))
			add(&sum, e);
	}
	return sum;
}

static bool is_caller(const struct side *sides, unsigned side, const struct element *e,
		      const struct tl_function *caller)
{
	if (!caller || e->caller == TL_NONE)
		return !caller && e->caller == TL_NONE;
	return belongs(sides, side, e->caller, caller);
}

static struct element arc_sum(const struct side *sides, unsigned side,
			      const struct tl_diff_row *row)
{
	struct element sum = { .function = 0 };

	for (unsigned i = 0; i < sides[side].arc_count; i++) {
		const struct element *e = &sides[side].arcs[i];

		if (is_caller(sides, side, e, row->caller) &&
		    belongs(sides, side, e->function, row->function))
			add(&sum, e);
	}
	return sum;
}

/* Self costs, and calls along all arcs to the function. */
static struct element function_sum(const struct side *sides, unsigned side,
				   const struct tl_diff_row *row)
{
	const struct side *s = &sides[side];
	struct element sum = { .function = 0 };

	for (unsigned i = 0; i < s->line_count; i++)
		if (belongs(sides, side, s->lines[i].function, row->function))
			add(&sum, &s->lines[i]);
	for (unsigned i = 0; i < s->arc_count; i++) {
		const struct element calls = { .calls = s->arcs[i].calls };

		if (belongs(sides, side, s->arcs[i].function, row->function))
			add(&sum, &calls);
	}
	return sum;
}

typedef struct element sum_function(const struct side *sides, unsigned side,
				    const struct tl_diff_row *row);

static sum_function *const sums[] = {
	[TL_DIFF_FUNCTIONS] = function_sum, [TL_DIFF_ARCS] = arc_sum, [TL_DIFF_LINES] = line_sum
};

static void check_row(const struct side *sides, const struct tl_diff *diff,
		      const struct tl_diff_row *row, unsigned round)
{
	for (unsigned side = 0; side < SIDES; side++) {
		const struct element sum = sums[tl_diff_by(diff)](sides, side, row);
		const int64_t *cost = side == BEFORE ? row->before : row->after;

		if (tl_diff_by(diff) != TL_DIFF_LINES)
			assert_int_equal(side == BEFORE ? row->calls_before : row->calls_after,
					 sum.calls);
		if (tl_diff_by(diff) != TL_DIFF_FUNCTIONS)
			assert_int_equal(side == BEFORE ? row->in_before : row->in_after,
					 sum.function > 0);
		for (uint32_t e = 0; e < tl_diff_event_count(diff); e++)
			if (cost[e] != sum.cost[name_of(diff, e)])
				fail_msg("round %u: %s of %s: %jd and not %jd", round,
					 event_names[name_of(diff, e)], row->function->name,
					 (intmax_t)cost[e], (intmax_t)sum.cost[name_of(diff, e)]);
	}
}

/* Each row is right, and no two are about the same; so none is missing if their sums are all. */
static void check_rows(const struct side *sides, const struct tl_diff *diff, unsigned round)
{
	int64_t seen[SIDES][EVENTS] = { { 0 } }, there[SIDES][EVENTS] = { { 0 } };

	for (uint32_t i = 0; i < tl_diff_row_count(diff); i++) {
		struct tl_diff_row row;

		assert_int_equal(tl_diff_row(diff, i, &row, sizeof(row)), 0);
		check_row(sides, diff, &row, round);
		for (uint32_t e = 0; e < tl_diff_event_count(diff); e++) {
			seen[BEFORE][name_of(diff, e)] += row.before[e];
			seen[AFTER][name_of(diff, e)] += row.after[e];
		}
	}
	for (unsigned side = 0; side < SIDES; side++) {
		const struct side *s = &sides[side];
		const bool arcs = tl_diff_by(diff) == TL_DIFF_ARCS;

		for (unsigned i = 0; i < (arcs ? s->arc_count : s->line_count); i++)
			for (unsigned e = 0; e < EVENTS; e++)
				there[side][e] += (arcs ? s->arcs : s->lines)[i].cost[e];
		assert_memory_equal(seen[side], there[side], sizeof(there[side]));
	}
}

/* ---- the events ---- */

static bool has_event(const struct side *s, unsigned name)
{
	for (unsigned i = 0; i < s->event_count; i++)
		if (s->events[i] == name)
			return true;
	return false;
}

/* "Events of `before`, then those only `after` has." */
static void check_events(const struct side *sides, const struct tl_diff *diff)
{
	uint32_t count = 0;

	for (unsigned i = 0; i < sides[BEFORE].event_count; i++)
		assert_int_equal(name_of(diff, count++), sides[BEFORE].events[i]);
	for (unsigned i = 0; i < sides[AFTER].event_count; i++)
		if (!has_event(&sides[BEFORE], sides[AFTER].events[i]))
			assert_int_equal(name_of(diff, count++), sides[AFTER].events[i]);
	assert_int_equal(tl_diff_event_count(diff), count);
	for (uint32_t e = 0; e < count; e++) {
		const unsigned name = name_of(diff, e);

		assert_int_equal(tl_diff_event_common(diff, e),
				 has_event(&sides[BEFORE], name) && has_event(&sides[AFTER], name));
		for (unsigned side = 0; side < SIDES; side++) {
			int64_t total = 0;

			for (unsigned i = 0; i < sides[side].line_count; i++)
				total += sides[side].lines[i].cost[name];
			assert_int_equal(tl_diff_total(diff, side)[e], total);
			assert_int_equal(tl_diff_event_name(diff, e, side) != NULL,
					 has_event(&sides[side], name));
		}
	}
}

static void compare_drawn(enum tl_diff_unit by)
{
	uint32_t seed = 5 + (uint32_t)by;
	struct side *sides = calloc(SIDES, sizeof(*sides));

	assert_non_null(sides);
	for (unsigned round = 0; round < ROUNDS; round++) {
		const struct tl_diff_options options = { .size = sizeof(options), .by = by };
		struct tl_diff *diff;

		draw_side(&sides[BEFORE], &seed);
		draw_side(&sides[AFTER], &seed);
		assert_int_equal(tl_profile_diff(&diff, sides[BEFORE].profile, sides[AFTER].profile,
						 &options, NULL),
				 0);
		check_events(sides, diff);
		check_rows(sides, diff, round);
		tl_diff_free(diff);
		tl_profile_free(sides[BEFORE].profile);
		tl_profile_free(sides[AFTER].profile);
	}
	free(sides);
}

TEST(functions)
{
	compare_drawn(TL_DIFF_FUNCTIONS);
}

TEST(arcs)
{
	compare_drawn(TL_DIFF_ARCS);
}

TEST(lines)
{
	compare_drawn(TL_DIFF_LINES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions),
		cmocka_unit_test(arcs),
		cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
