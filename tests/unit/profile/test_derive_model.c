/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tl_profile_finish() derives, held against the sentences that define it (docs/design.md, "The
 * profile model"), each of which is counted path by path: no order of contexts, no number of a
 * recursion and no table is kept on the way. Profiles are drawn.
 */
#include "profiles.h"

#include "profile/derive/cycles.h"

enum { CONTEXTS = 80, FUNCTIONS = 6, PARTS = 3, EVENTS = 2 };

static uint32_t draw(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % below;
}

/* ---- contexts ---- */

/* What was added of a context, by its number. */
struct node {
	uint32_t parent, function, part;
	uint64_t calls, unfinished;
	int64_t self[EVENTS];
};

struct tree {
	struct tl_profile *profile;
	struct node nodes[CONTEXTS];
	uint32_t count;
	uint32_t functions[FUNCTIONS], parts[PARTS];
};

static void begin(struct tree *t)
{
	static const char *const events[] = { "Ticks", "Bytes" };

	*t = (struct tree){ .profile = new_profile("xray", events, EVENTS, 1000) };
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const char name[] = { (char)('a' + i), '\0' };

		t->functions[i] = add_function(t->profile, "o", "f.c", name);
	}
	for (uint32_t i = 0; i < PARTS; i++)
		t->parts[i] = add_part(t->profile, 1, i, 0, "");
}

/* The same path may be drawn twice, and is one context then. */
static void draw_context(struct tree *t, uint32_t *seed, uint32_t functions)
{
	const uint32_t under = t->count && draw(seed, 8) ? draw(seed, t->count) : TL_NONE;
	const uint32_t function = draw(seed, functions);
	const uint32_t part = under == TL_NONE ? draw(seed, PARTS) : t->nodes[under].part;
	const uint64_t calls = draw(seed, 5), unfinished = draw(seed, 8) ? 0 : 1;
	int64_t self[8] = { 0 };
	int64_t number;

	for (uint32_t e = 0; e < EVENTS; e++)
		self[e] = draw(seed, 4) ? (int64_t)draw(seed, 1000) - 100 * (int64_t)e : 0;
	number = tl_profile_add_context(t->profile, under, t->functions[function], t->parts[part],
					NULL);
	assert_true(number >= 0 && number <= t->count);
	if (number == t->count)
		t->nodes[t->count++] =
			(struct node){ .parent = under, .function = function, .part = part };
	t->nodes[number].calls += calls;
	t->nodes[number].unfinished += unfinished;
	for (uint32_t e = 0; e < EVENTS; e++)
		t->nodes[number].self[e] += self[e];
	tl_profile_add_context_cost(t->profile, (uint32_t)number, calls, self);
	tl_profile_add_unfinished(t->profile, (uint32_t)number, unfinished);
}

static bool in_part(const struct node *n, uint32_t part)
{
	return part == TL_NONE || n->part == part;
}

/* Whether a function is on the path of a context; with a caller: called by it there. */
static bool on_path(const struct tree *t, uint32_t node, uint32_t caller, uint32_t function)
{
	for (; node != TL_NONE; node = t->nodes[node].parent) {
		const uint32_t parent = t->nodes[node].parent;

		if (t->nodes[node].function == function &&
		    (caller == TL_NONE ||
		     (parent != TL_NONE && t->nodes[parent].function == caller)))
			return true;
	}
	return false;
}

/* "Inclusive cost is the cost while the function is on the stack at all." */
static void expect_function(const struct tree *t, uint32_t function, uint32_t part)
{
	int64_t self[EVENTS] = { 0 }, inclusive[EVENTS] = { 0 };
	uint64_t calls = 0, unfinished = 0;
	struct tl_function_totals totals;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct node *n = &t->nodes[i];

		if (!in_part(n, part))
			continue;
		calls += n->function == function ? n->calls : 0;
		unfinished += n->function == function ? n->unfinished : 0;
		for (uint32_t e = 0; e < EVENTS; e++) {
			self[e] += n->function == function ? n->self[e] : 0;
			inclusive[e] += on_path(t, i, TL_NONE, function) ? n->self[e] : 0;
		}
	}
	tl_profile_totals_of(t->profile, t->functions[function],
			     part == TL_NONE ? TL_NONE : t->parts[part], &totals);
	assert_int_equal(totals.calls, calls);
	assert_int_equal(totals.unfinished, unfinished);
	for (uint32_t e = 0; e < EVENTS; e++) {
		assert_int_equal(totals.self[e], self[e]);
		assert_int_equal(totals.inclusive[e], inclusive[e]);
	}
}

/* "The same for arcs": what is spent while the caller's call of the callee is on the stack. */
static void expect_arc(const struct tree *t, const struct tl_arc *arc, const int64_t *cost)
{
	int64_t inclusive[EVENTS] = { 0 };
	uint64_t calls = 0;
	uint32_t caller = 0, callee = 0;

	while (t->functions[caller] != arc->caller)
		caller++;
	while (t->functions[callee] != arc->callee)
		callee++;
	assert_int_equal(arc->part, TL_NONE);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct node *n = &t->nodes[i];

		if (n->function == callee && n->parent != TL_NONE &&
		    t->nodes[n->parent].function == caller)
			calls += n->calls;
		for (uint32_t e = 0; e < EVENTS; e++)
			inclusive[e] += on_path(t, i, caller, callee) ? n->self[e] : 0;
	}
	assert_int_equal(arc->calls, calls);
	for (uint32_t e = 0; e < EVENTS; e++)
		assert_int_equal(cost[e], inclusive[e]);
}

/* Each pair of a caller and a callee that a path has is one arc, of all parts. */
static void expect_arcs(const struct tree *t)
{
	bool called[FUNCTIONS][FUNCTIONS] = { 0 };
	uint32_t pairs = 0, arcs = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct node *n = &t->nodes[i];
		bool *pair;

		if (n->parent == TL_NONE)
			continue;
		pair = &called[t->nodes[n->parent].function][n->function];
		pairs += !*pair;
		*pair = true;
	}
	for (uint32_t i = 0; i < tl_profile_arc_count(t->profile); i++) {
		const struct tl_arc *arc = tl_profile_arc(t->profile, i);

		if (arc->caller == TL_NONE)
			continue;
		arcs++;
		expect_arc(t, arc, tl_profile_arc_cost(t->profile, i));
	}
	assert_int_equal(arcs, pairs);
}

static void expect_contexts(const struct tree *t)
{
	int64_t total[EVENTS] = { 0 };

	assert_int_equal(tl_profile_context_count(t->profile), t->count);
	for (uint32_t i = 0; i < t->count; i++) {
		int64_t inclusive[EVENTS] = { 0 };

		for (uint32_t at = i; at < t->count; at++) {
			uint32_t up = at;

			while (up != TL_NONE && up != i)
				up = t->nodes[up].parent;
			for (uint32_t e = 0; e < EVENTS && up == i; e++)
				inclusive[e] += t->nodes[at].self[e];
		}
		for (uint32_t e = 0; e < EVENTS; e++) {
			total[e] += t->nodes[i].self[e];
			assert_int_equal(tl_profile_context_self(t->profile, i)[e],
					 t->nodes[i].self[e]);
			assert_int_equal(tl_profile_context_inclusive(t->profile, i)[e],
					 inclusive[e]);
		}
	}
	for (uint32_t e = 0; e < EVENTS; e++)
		assert_int_equal(tl_profile_total(t->profile)[e], total[e]);
}

/* "The self cost of a function is put at its first line": one line for each, of all parts. */
static void expect_lines(const struct tree *t)
{
	int64_t self[FUNCTIONS][EVENTS] = { 0 };

	for (uint32_t i = 0; i < t->count; i++)
		for (uint32_t e = 0; e < EVENTS; e++)
			self[t->nodes[i].function][e] += t->nodes[i].self[e];
	assert_int_equal(tl_profile_line_count(t->profile), FUNCTIONS);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		const struct tl_cost_line *line = tl_profile_line(t->profile, i);

		assert_int_equal(line->function, t->functions[i]);
		assert_int_equal(line->part, TL_NONE);
		assert_string_equal(line->at.file, "f.c");
		for (uint32_t e = 0; e < EVENTS; e++)
			assert_int_equal(tl_profile_line_cost(t->profile, i)[e], self[i][e]);
	}
}

TEST(what_follows_from_contexts)
{
	uint32_t seed = 20261128;

	for (unsigned run = 0; run < 300; run++) {
		struct tree t;

		begin(&t);
		/* Of few functions most paths are recursive. */
		for (uint32_t i = 1 + draw(&seed, CONTEXTS - 1); i; i--)
			draw_context(&t, &seed, 1 + run % FUNCTIONS);
		finished(t.profile);
		for (uint32_t function = 0; function < FUNCTIONS; function++) {
			expect_function(&t, function, TL_NONE);
			for (uint32_t part = 0; part < PARTS; part++)
				expect_function(&t, function, part);
		}
		expect_arcs(&t);
		expect_contexts(&t);
		expect_lines(&t);
		tl_profile_free(t.profile);
	}
}

/* Sums of functions alone are the same, without arcs and lines. */
TEST(sums_alone)
{
	uint32_t seed = 3;

	for (unsigned run = 0; run < 100; run++) {
		struct tree t;

		begin(&t);
		t.profile->sums.only = true;
		for (uint32_t i = 1 + draw(&seed, CONTEXTS - 1); i; i--)
			draw_context(&t, &seed, 1 + run % FUNCTIONS);
		finished(t.profile);
		for (uint32_t function = 0; function < FUNCTIONS; function++)
			expect_function(&t, function, TL_NONE);
		assert_int_equal(tl_profile_arc_count(t.profile), 0);
		tl_profile_free(t.profile);
	}
}

/* ---- lines and arcs ---- */

/*
 * Functions that call those of greater numbers only: what a function costs with all that it calls
 * is its own cost and that of its calls.
 */
TEST(what_follows_from_arcs_without_cycles)
{
	static const char *const events[] = { "Ir", "Dr" };
	uint32_t seed = 17;

	for (unsigned run = 0; run < 200; run++) {
		int64_t self[PARTS][FUNCTIONS] = { 0 }, called[PARTS][FUNCTIONS] = { 0 };
		uint64_t calls[PARTS][FUNCTIONS] = { 0 };
		uint32_t functions[FUNCTIONS], parts[PARTS];
		struct tl_profile *p = new_profile("callgrind", events, 2, 0);

		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			const char name[] = { (char)('a' + i), '\0' };

			functions[i] = add_function(p, "", "", name);
		}
		for (uint32_t i = 0; i < PARTS; i++)
			parts[i] = add_part(p, 1, i, 0, "");
		for (uint32_t i = 0; i < 40; i++) {
			const uint32_t part = draw(&seed, PARTS), a = draw(&seed, FUNCTIONS),
				       b = draw(&seed, FUNCTIONS);
			const int64_t cost = (int64_t)draw(&seed, 500);

			if (a >= b) {
				add_line(p, functions[a], parts[part],
					 at("", 1 + draw(&seed, 4), 0), cost, 2 * cost);
				self[part][a] += cost;
			} else {
				add_arc(p, functions[a], functions[b], parts[part],
					at("", 1 + draw(&seed, 4), 0), i + 1, cost, 3 * cost);
				called[part][a] += cost;
				calls[part][b] += i + 1;
			}
		}
		finished(p);
		for (uint32_t f = 0; f < FUNCTIONS; f++) {
			int64_t own = 0, others = 0;
			uint64_t count = 0;
			struct tl_function_totals totals;

			for (uint32_t part = 0; part < PARTS; part++) {
				tl_profile_totals_of(p, functions[f], parts[part], &totals);
				assert_int_equal(totals.self[0], self[part][f]);
				assert_int_equal(totals.self[1], 2 * self[part][f]);
				assert_int_equal(totals.inclusive[0],
						 self[part][f] + called[part][f]);
				assert_int_equal(totals.inclusive[1],
						 2 * self[part][f] + 3 * called[part][f]);
				assert_int_equal(totals.calls, calls[part][f]);
				own += self[part][f];
				others += called[part][f];
				count += calls[part][f];
			}
			tl_profile_totals_of(p, functions[f], TL_NONE, &totals);
			assert_int_equal(totals.self[0], own);
			assert_int_equal(totals.inclusive[0], own + others);
			assert_int_equal(totals.calls, count);
		}
		tl_profile_free(p);
	}
}

/* ---- cycles ---- */

enum { NODES = 14, CALLS = 40 };

/* Which functions can come to which by calls. */
static void close_paths(bool reach[NODES][NODES], uint32_t nodes)
{
	for (uint32_t through = 0; through < nodes; through++)
		for (uint32_t a = 0; a < nodes; a++)
			for (uint32_t b = 0; b < nodes; b++)
				reach[a][b] |= reach[a][through] && reach[through][b];
}

/* "Functions that call each other": each can come to the other. */
static void expect_cycles(const struct tl_cycles *c, bool reach[NODES][NODES], uint32_t nodes)
{
	uint32_t in_cycles = 0, components = 0;
	bool numbered[NODES] = { false };

	for (uint32_t a = 0; a < nodes; a++) {
		uint32_t size = 0, first = NODES;

		for (uint32_t b = 0; b < nodes; b++) {
			const bool together = a == b || (reach[a][b] && reach[b][a]);

			assert_int_equal(c->of[a] == c->of[b], together);
			size += together;
			if (together && first == NODES)
				first = b;
		}
		components += first == a;
		assert_true(c->of[a] < c->count);
		assert_int_equal(c->size[c->of[a]], size);
		assert_int_equal(c->member[a] == TL_NONE, size == 1);
		if (size == 1)
			continue;
		in_cycles++;
		assert_true(c->member[a] < c->members);
		assert_false(numbered[c->member[a]]);
		numbered[c->member[a]] = true;
		assert_int_equal(c->leader[c->of[a]], c->member[first]);
	}
	assert_int_equal(c->count, components);
	assert_int_equal(c->members, in_cycles);
}

TEST(cycles_of_calls)
{
	uint32_t seed = 29;

	for (unsigned run = 0; run < 2000; run++) {
		const uint32_t nodes = 1 + draw(&seed, NODES), count = draw(&seed, 1 + 2 * nodes);
		struct tl_caller_callee calls[CALLS];
		bool reach[NODES][NODES] = { 0 };
		struct tl_cycles cycles;

		assert_true(count <= CALLS);
		for (uint32_t i = 0; i < count; i++) {
			calls[i].caller = draw(&seed, 9) ? draw(&seed, nodes) : TL_NONE;
			calls[i].callee = draw(&seed, nodes);
			if (calls[i].caller != TL_NONE)
				reach[calls[i].caller][calls[i].callee] = true;
		}
		close_paths(reach, nodes);
		assert_true(tl_cycles_of_calls(&cycles, nodes, calls, count));
		expect_cycles(&cycles, reach, nodes);
		tl_cycles_free(&cycles);
	}
}

/* One long cycle, and a long path that is none: nothing is as deep as they are. */
TEST(long_cycles)
{
	enum { LONG = 300000 };
	struct tl_caller_callee *calls = malloc(LONG * sizeof(*calls));
	struct tl_cycles cycles;

	assert_non_null(calls);
	for (uint32_t i = 0; i < LONG; i++)
		calls[i] = (struct tl_caller_callee){ i, (i + 1) % LONG };
	assert_true(tl_cycles_of_calls(&cycles, LONG, calls, LONG));
	assert_int_equal(cycles.count, 1);
	assert_int_equal(cycles.size[0], LONG);
	assert_int_equal(cycles.members, LONG);
	tl_cycles_free(&cycles);
	assert_true(tl_cycles_of_calls(&cycles, LONG, calls, LONG - 1));
	assert_int_equal(cycles.count, LONG);
	assert_int_equal(cycles.members, 0);
	tl_cycles_free(&cycles);
	free(calls);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_follows_from_contexts),
		cmocka_unit_test(sums_alone),
		cmocka_unit_test(what_follows_from_arcs_without_cycles),
		cmocka_unit_test(cycles_of_calls),
		cmocka_unit_test(long_cycles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
