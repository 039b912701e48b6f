/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of profiles whose contexts are drawn: filtered, with waiting apart, grouped. Each
 * context's way down from its root is looked at for itself, by the sentences of the public header,
 * and what they say is added up in a list; no tree is walked.
 */
#include <stdio.h>

#include "../chance.h"
#include "../paths_text.h"
#include "profiles.h"

#include "profile/model/model.h"
#include "profile/transform/scope_name.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { FUNCTIONS = 10, CONTEXTS = 120, EVENTS = 2, PARTS = 3, MOST_DEPTH = CONTEXTS };

static const struct {
	const char *name, *object, *file;
} functions[FUNCTIONS] = {
	{ "main", "prog", "m.c" },     { "ns::a", "prog", "m.c" },    { "ns::b", "prog", "b.c" },
	{ "ns::in::c", "lib", "b.c" }, { "wait_1", "lib", "" },       { "wait_2", "", "w.c" },
	{ "drop", "prog", "m.c" },     { "other::a", "lib2", "m.c" }, { "plain", "lib2", "" },
	{ "T<x::y>::f(int)", "", "" },
};

/* ---- profiles that are drawn ---- */

static struct tl_profile *drawn(uint32_t *seed, uint32_t count, uint32_t parts)
{
	struct tl_profile *profile =
		new_profile("test", (const char *const[]){ "Ticks", "Bytes" }, EVENTS, 1000);
	uint32_t contexts[CONTEXTS];

	for (uint32_t part = 0; part < parts; part++)
		add_part(profile, 7, part + 1, 0, part % 2 ? "worker" : "prog");
	for (uint32_t f = 0; f < FUNCTIONS; f++)
		add_function(profile, functions[f].object, functions[f].file, functions[f].name);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t above = chance(seed, i + 1 > 9 ? 9 : i + 1);
		uint32_t parent = above ? contexts[i - above] : TL_NONE, part = chance(seed, parts);
		const int64_t costs[EVENTS] = { chance(seed, 1000), chance(seed, 50) };

		if (parent != TL_NONE)
			part = tl_profile_context(profile, parent)->part;
		contexts[i] = (uint32_t)tl_profile_add_context(profile, parent,
							       chance(seed, FUNCTIONS), part, NULL);
		tl_profile_add_context_cost(profile, contexts[i], 1 + chance(seed, 9), costs);
		tl_profile_add_unfinished(profile, contexts[i], chance(seed, 3));
		tl_profile_add_cut(profile, contexts[i], chance(seed, 2));
	}
	return finished(profile);
}

/* The functions from the root down to a context. */
static uint32_t path_of(const struct tl_profile *profile, uint32_t context, uint32_t *path)
{
	uint32_t up[MOST_DEPTH], depth = 0;

	for (; context != TL_NONE; context = tl_profile_context(profile, context)->parent)
		up[depth++] = tl_profile_context(profile, context)->function;
	for (uint32_t i = 0; i < depth; i++)
		path[i] = up[depth - 1 - i];
	return depth;
}

/* ---- the list ---- */

struct summed {
	char *path; /* with the part in front of it */
	uint64_t calls;
	int64_t costs[EVENTS + 1];
};

struct sums {
	struct summed list[CONTEXTS];
	size_t count;
	uint32_t events;
};

static struct summed *sum_of(struct sums *sums, const char *path)
{
	size_t i = 0;

	while (i < sums->count && strcmp(sums->list[i].path, path) != 0)
		i++;
	if (i == sums->count) {
		sums->list[i].path = strdup(path);
		assert_non_null(sums->list[i].path);
		sums->count++;
	}
	return &sums->list[i];
}

static int compare_summed(const void *left, const void *right)
{
	const struct summed *a = left, *b = right;
	char *x, *y;
	int order;

	assert_true(asprintf(&x, "%s ", a->path) > 0);
	assert_true(asprintf(&y, "%s ", b->path) > 0);
	order = strcmp(x, y);
	free(x);
	free(y);
	return order;
}

/* The contexts of `made`, which is freed, are these. */
static void assert_sums(struct tl_profile *made, struct sums *sums)
{
	char *seen = paths_text(made, true), *wanted = NULL;
	size_t size;
	FILE *file = open_memstream(&wanted, &size);

	assert_non_null(file);
	qsort(sums->list, sums->count, sizeof(sums->list[0]), compare_summed);
	for (size_t i = 0; i < sums->count; i++) {
		fprintf(file, "%s %llu", sums->list[i].path,
			(unsigned long long)sums->list[i].calls);
		for (uint32_t e = 0; e < sums->events; e++)
			fprintf(file, " %lld", (long long)sums->list[i].costs[e]);
		fputc('\n', file);
		free(sums->list[i].path);
	}
	fclose(file);
	assert_string_equal(seen, wanted);
	free(seen);
	free(wanted);
	*sums = (struct sums){ .count = 0 };
	tl_profile_free(made);
}

/* "PART name;name" of so many functions of a path, each by what `name_of` calls it. */
static const char *path_text(const uint32_t *path, uint32_t depth, uint32_t part,
			     const char *(*name_of)(uint32_t function))
{
	static char text[64 * MOST_DEPTH];
	char *end = text + sprintf(text, "%u ", (unsigned)part);

	for (uint32_t i = 0; i < depth; i++)
		end += sprintf(end, "%s%s", i ? ";" : "", name_of(path[i]));
	return text;
}

static const char *own_name(uint32_t function)
{
	return functions[function].name;
}

static bool begins(uint32_t function, const char *begin)
{
	return !strncmp(functions[function].name, begin, strlen(begin));
}

/* ---- filtered ---- */

/*
 * "The contexts whose path has a matching function (from the root down to the last function below
 * it)", "without stacks through a function whose name matches". Above the first one is only a path.
 */
TEST(stacks_are_filtered)
{
	static const struct {
		struct tl_profile_filter filter;
		const char *function, *object, *ignore;
	} cases[] = {
		{ { .function = "^ns::" }, "ns::", NULL, NULL },
		{ { .object = "^lib$" }, NULL, "lib", NULL },
		{ { .function = "^ns::", .object = "^lib$" }, "ns::", "lib", NULL },
		{ { .ignore = "^drop$" }, NULL, NULL, "drop" },
		{ { .function = "^ns::", .ignore = "^wait" }, "ns::", NULL, "wait" },
		{ { .function = "^drop$", .ignore = "^drop$" }, "drop", NULL, "drop" },
		{ { .function = "nothing" }, "nothing", NULL, NULL },
	};
	static struct sums sums;
	uint32_t seed = 1;

	for (unsigned round = 0; round < 10 * COUNT(cases); round++) {
		const size_t at = round % COUNT(cases);
		struct tl_profile *profile = drawn(&seed, 1 + 7 * round % CONTEXTS, PARTS), *made;
		struct tl_profile_filter filter = cases[at].filter;
		uint64_t unfinished = 0, cut = 0;

		filter.size = sizeof(filter);
		sums.events = EVENTS;
		for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
			const struct tl_context *c = tl_profile_context(profile, i);
			uint32_t path[MOST_DEPTH], depth = path_of(profile, i, path);
			bool kept = false;

			for (uint32_t d = 0; d < depth; d++) {
				if (cases[at].ignore && begins(path[d], cases[at].ignore)) {
					kept = false;
					break;
				}
				kept |= (!cases[at].function ||
					 begins(path[d], cases[at].function)) &&
					(!cases[at].object ||
					 !strcmp(functions[path[d]].object, cases[at].object));
			}
			if (!kept)
				continue;
			for (uint32_t d = 1; d <= depth; d++)
				sum_of(&sums, path_text(path, d, c->part, own_name));
			for (uint32_t e = 0; e < EVENTS; e++)
				sum_of(&sums, path_text(path, depth, c->part, own_name))
					->costs[e] += tl_profile_context_self(profile, i)[e];
			sum_of(&sums, path_text(path, depth, c->part, own_name))->calls += c->calls;
			unfinished += c->unfinished;
			cut += c->cut;
		}
		assert_int_equal(tl_profile_filtered(&made, profile, &filter, NULL), 0);
		for (uint32_t i = 0; i < tl_profile_context_count(made); i++) {
			unfinished -= tl_profile_context(made, i)->unfinished;
			cut -= tl_profile_context(made, i)->cut;
		}
		assert_int_equal(unfinished, 0);
		assert_int_equal(cut, 0);
		assert_int_equal(tl_profile_part_count(made), PARTS);
		assert_sums(made, &sums);
		tl_profile_free(profile);
	}
}

/* ---- waiting apart ---- */

/*
 * "What was spent in functions whose name matches, and in those that they call, is no cost of the
 * first event but of one more."
 */
TEST(waiting_is_another_event)
{
	static struct sums sums;
	uint32_t seed = 2;

	for (unsigned round = 0; round < 30; round++) {
		struct tl_profile *profile = drawn(&seed, 1 + 9 * round % CONTEXTS, PARTS), *made;

		sums.events = EVENTS + 1;
		for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
			const struct tl_context *c = tl_profile_context(profile, i);
			const int64_t *self = tl_profile_context_self(profile, i);
			uint32_t path[MOST_DEPTH], depth = path_of(profile, i, path);
			struct summed *sum =
				sum_of(&sums, path_text(path, depth, c->part, own_name));
			bool waits = false;

			for (uint32_t d = 0; d < depth; d++)
				waits |= begins(path[d], "wait");
			sum->calls = c->calls;
			sum->costs[0] = waits ? 0 : self[0];
			sum->costs[1] = self[1];
			sum->costs[2] = waits ? self[0] : 0;
		}
		assert_int_equal(tl_profile_idle_apart(&made, profile, "^wait", NULL), 0);
		assert_string_equal(tl_profile_event(made, EVENTS)->name, "Idle");
		assert_string_equal(tl_profile_event(made, EVENTS)->unit,
				    tl_profile_event(profile, 0)->unit);
		assert_int_equal(tl_profile_frequency(made), 1000);
		assert_sums(made, &sums);
		tl_profile_free(profile);
	}
}

/* ---- grouped ---- */

static const char *object_name(uint32_t function)
{
	return *functions[function].object ? functions[function].object : "(unknown)";
}

static const char *file_name(uint32_t function)
{
	return *functions[function].file ? functions[function].file : "(unknown)";
}

static const char *class_name(uint32_t function)
{
	static const char *const classes[FUNCTIONS] = { "(global)", "ns",       "ns",
							"ns::in",   "(global)", "(global)",
							"(global)", "other",    "(global)",
							"T<x::y>" };

	return classes[function];
}

static const char *namespace_name(uint32_t function)
{
	return function == 3 ? "ns" : class_name(function);
}

/* The inclusive cost of a unit, "recursion counted once". */
static void assert_unit(const struct tl_profile *made, uint32_t unit,
			const struct tl_profile *profile, const char *(*name_of)(uint32_t))
{
	struct tl_function_totals totals;
	int64_t self[EVENTS] = { 0 }, inclusive[EVENTS] = { 0 };
	uint64_t calls = 0;

	for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
		const int64_t *cost = tl_profile_context_self(profile, i);
		uint32_t path[MOST_DEPTH], depth = path_of(profile, i, path);
		const char *name = tl_profile_function(made, unit)->name;
		bool within = false, own = !strcmp(name_of(path[depth - 1]), name);

		for (uint32_t d = 0; d < depth; d++)
			within |= !strcmp(name_of(path[d]), name);
		for (uint32_t e = 0; e < EVENTS; e++) {
			self[e] += own ? cost[e] : 0;
			inclusive[e] += within ? cost[e] : 0;
		}
		calls += own ? tl_profile_context(profile, i)->calls : 0;
	}
	tl_profile_totals_of(made, unit, TL_NONE, &totals);
	assert_memory_equal(totals.self, self, sizeof(self));
	assert_memory_equal(totals.inclusive, inclusive, sizeof(inclusive));
	assert_int_equal(totals.calls, calls);
}

TEST(units_are_those_of_their_functions)
{
	static const struct {
		enum tl_profile_unit by;
		const char *(*name_of)(uint32_t function);
	} units[] = {
		{ TL_BY_OBJECT, object_name },
		{ TL_BY_FILE, file_name },
		{ TL_BY_CLASS, class_name },
		{ TL_BY_NAMESPACE, namespace_name },
	};
	static struct sums sums;
	uint32_t seed = 3;

	for (unsigned round = 0; round < 10 * COUNT(units); round++) {
		const size_t at = round % COUNT(units);
		struct tl_profile *profile = drawn(&seed, 1 + 9 * round % CONTEXTS, PARTS), *made;

		assert_int_equal(tl_profile_grouped(&made, profile, units[at].by, NULL), 0);
		for (uint32_t unit = 0; unit < tl_profile_function_count(made); unit++)
			assert_unit(made, unit, profile, units[at].name_of);
		sums.events = EVENTS;
		for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
			const struct tl_context *c = tl_profile_context(profile, i);
			uint32_t path[MOST_DEPTH], depth = path_of(profile, i, path);
			struct summed *sum =
				sum_of(&sums, path_text(path, depth, c->part, units[at].name_of));

			sum->calls += c->calls;
			for (uint32_t e = 0; e < EVENTS; e++)
				sum->costs[e] += tl_profile_context_self(profile, i)[e];
		}
		assert_sums(made, &sums);
		tl_profile_free(profile);
	}
}

/* "Parts of the profile: threads, processes, dumps"; what is of no part is a unit, too. */
TEST(parts_are_units)
{
	uint32_t seed = 4;

	for (unsigned round = 0; round < 20; round++) {
		const uint32_t parts = 1 + round % PARTS;
		struct tl_profile *profile = drawn(&seed, 40 + round, parts), *made;

		assert_int_equal(tl_profile_grouped(&made, profile, TL_BY_PART, NULL), 0);
		assert_int_equal(tl_profile_function_count(made), parts + 1);
		assert_string_equal(tl_profile_function(made, parts)->name, "(no part)");
		for (uint32_t part = 0; part <= parts; part++) {
			struct tl_function_totals totals;
			int64_t cost[EVENTS] = { 0 };
			uint64_t calls = 0;

			for (uint32_t i = 0; i < tl_profile_context_count(profile); i++) {
				if (tl_profile_context(profile, i)->part != part)
					continue;
				calls += tl_profile_context(profile, i)->calls;
				for (uint32_t e = 0; e < EVENTS; e++)
					cost[e] += tl_profile_context_self(profile, i)[e];
			}
			tl_profile_totals_of(made, part, TL_NONE, &totals);
			assert_memory_equal(totals.self, cost, sizeof(cost));
			assert_int_equal(totals.calls, calls);
		}
		tl_profile_free(made);
		tl_profile_free(profile);
	}
}

/* What parts differ in is in their names; without a difference there is a number at least. */
TEST(parts_have_the_names_that_they_differ_in)
{
	static const struct {
		struct tl_part parts[2];
		const char *names[2];
	} cases[] = {
		{ { { .process = 1, .thread = 2, .command = "p" },
		    { .process = 1, .thread = 3, .command = "p" } },
		  { "thread 2", "thread 3" } },
		{ { { .process = 1, .thread = 2, .command = "p" },
		    { .process = 4, .thread = 2, .command = "p" } },
		  { "process 1", "process 4" } },
		{ { { .process = 1, .thread = 2, .command = "p" },
		    { .process = 4, .thread = 5, .command = "q" } },
		  { "process 1, thread 2: p", "process 4, thread 5: q" } },
		{ { { .number = 1, .thread = 2, .command = "" },
		    { .number = 9, .thread = 2, .command = "q" } },
		  { "part 1", "part 9: q" } },
		{ { { .number = 0, .thread = 2, .command = "" },
		    { .number = 9, .thread = TL_NOWHERE, .command = "" } },
		  { "thread 2", "part 9" } },
		{ { { .number = 3, .thread = 2, .command = "a" },
		    { .number = 3, .thread = 2, .command = "b" } },
		  { "part 3: a", "part 3: b" } },
		{ { { .thread = 2, .command = "a" }, { .thread = 2, .command = "b" } },
		  { "thread 2: a", "thread 2: b" } },
		{ { { .thread = TL_NOWHERE, .command = "a" },
		    { .thread = TL_NOWHERE, .command = "b" } },
		  { "part 1: a", "part 2: b" } },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct tl_profile *profile = new_profile("test", (const char *const[]){ "Ticks" },
							 1, 0),
				  *made;

		for (int part = 0; part < 2; part++)
			assert_int_equal(tl_profile_put_part(profile, &cases[i].parts[part], NULL),
					 part);
		finished(profile);
		assert_int_equal(tl_profile_grouped(&made, profile, TL_BY_PART, NULL), 0);
		for (uint32_t part = 0; part < 2; part++)
			assert_string_equal(tl_profile_function(made, part)->name,
					    cases[i].names[part]);
		tl_profile_free(made);
		tl_profile_free(profile);
	}
}

/* Of sums: a part has its lines and calls, and is chosen when a chosen function ran in it. */
TEST(parts_of_sums_are_units)
{
	const struct tl_profile_filter filter = { .size = sizeof(filter), .function = "^f$" };
	struct tl_profile *profile = new_profile("test", (const char *const[]){ "Ir" }, 1, 0),
			  *made;
	const uint32_t f = add_function(profile, "", "", "f"),
		       g = add_function(profile, "", "", "g");
	static const struct {
		int64_t self;
		uint64_t calls;
		bool chosen;
	} wanted[] = { { 15, 3, true }, { 7, 9, false }, { 2, 0, true } };

	for (uint32_t part = 0; part < 2; part++)
		add_part(profile, 1, part + 1, 0, "");
	add_line(profile, f, 0, at("", 1, 0), 10, 0);
	add_line(profile, g, 0, at("", 2, 0), 5, 0);
	add_line(profile, g, 1, at("", 2, 0), 7, 0);
	add_line(profile, f, TL_NONE, at("", 3, 0), 2, 0);
	add_arc(profile, f, g, 0, at("", 0, 0), 3, 5, 0);
	add_arc(profile, TL_NONE, g, 1, at("", 0, 0), 9, 7, 0);
	finished(profile);
	assert_int_equal(tl_profile_choose(profile, &filter, NULL), 0);
	assert_int_equal(tl_profile_grouped(&made, profile, TL_BY_PART, NULL), 0);
	for (uint32_t unit = 0; unit < 3; unit++) {
		struct tl_function_totals totals;

		tl_profile_totals_of(made, unit, TL_NONE, &totals);
		assert_int_equal(totals.self[0], wanted[unit].self);
		assert_int_equal(totals.calls, wanted[unit].calls);
		assert_int_equal(tl_profile_chosen(made, unit), wanted[unit].chosen);
	}
	tl_profile_free(made);
	tl_profile_free(profile);
}

/* ---- names of classes ---- */

/* "The name is what stands before the parameters and behind the type that a template's name begins
 * with. "::" inside of brackets separates nothing." */
TEST(scopes_of_names)
{
	static const struct {
		const char *name, *scope, *outermost;
	} names[] = {
		{ "main", "", "" },
		{ "", "", "" },
		{ "main(int, std::string)", "", "" },
		{ "a::f", "a", "a" },
		{ "a::b::f(int)", "a::b", "a" },
		{ "void std::sort<int*>(int*, int*)", "std", "std" },
		{ "std::vector<a::b>::push_back(a::b const&)", "std::vector<a::b>", "std" },
		{ "a::(anonymous namespace)::b<c::d>::e() const",
		  "a::(anonymous namespace)::b<c::d>", "a" },
		{ "(anonymous namespace)::f()", "(anonymous namespace)", "(anonymous namespace)" },
		{ "a::operator<(b::c const&)", "a", "a" },
		{ "a::operator()(int) const", "a", "a" },
		{ "a::operator->() const", "a", "a" },
		{ "a::operator b::c()", "a", "a" },
		{ "operator<<(a::b&, int)", "", "" },
		{ "bool operator==<a::b>(a::b const&)", "", "" },
		{ "a::my_operator::f()", "a::my_operator", "a" },
		{ "a::operators::f()", "a::operators", "a" },
		{ "run(int)::{lambda()#1}::operator()() const", "run(int)::{lambda()#1}",
		  "run(int)" },
		{ "a::f(int) const::g::h()", "a::f(int) const::g", "a" },
		{ "std::enable_if<x::y, int>::type a::f<int>(b::c)", "a", "a" },
		{ "a<(b::c)1>::f", "a<(b::c)1>", "a<(b::c)1>" },
		{ "a{b::c}[d::e]::f", "a{b::c}[d::e]", "a{b::c}[d::e]" },
		{ "::f", "", "" },
		{ "::a::f", "::a", "::a" },
		{ "a:f", "", "" },
		{ "core::ops::function::FnOnce::call_once", "core::ops::function::FnOnce", "core" },
	};

	for (size_t i = 0; i < COUNT(names); i++)
		for (int outermost = 0; outermost < 2; outermost++) {
			const char *wanted = outermost ? names[i].outermost : names[i].scope,
				   *begin;
			const size_t size = tl_scope_name(names[i].name, outermost, &begin);
			char *seen = strndup(begin, size);

			assert_non_null(seen);
			assert_string_equal(seen, wanted);
			free(seen);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_filtered),
		cmocka_unit_test(waiting_is_another_event),
		cmocka_unit_test(units_are_those_of_their_functions),
		cmocka_unit_test(parts_are_units),
		cmocka_unit_test(parts_have_the_names_that_they_differ_in),
		cmocka_unit_test(parts_of_sums_are_units),
		cmocka_unit_test(scopes_of_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
