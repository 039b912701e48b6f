/* SPDX-License-Identifier: Apache-2.0 */
/* tl_profile_diff(): who matches whom, and what changed. Numbers by hand. */
#include "profiles.h"
#include "profile/diff/diff.h"
#include "profile/model/unsized.h"

static const char *const ir_dr[] = { "Ir", "Dr" }, *const dr_bc_ir[] = { "Dr", "Bc", "Ir" },
			 *const ticks[] = { "Ticks" };

/*
 * main 10+1 at line 3 and 4+0 at line 9 of h.h; f 20+2 at line 7; old 1; main calls f twice for
 * 20+2.
 */
static struct tl_profile *before(void)
{
	struct tl_profile *p = new_profile("x", ir_dr, 2, 0);
	uint32_t m = add_function(p, "/old/prog", "/old/m.c", "main"),
		 f = add_function(p, "/old/prog", "/old/m.c", "f");
	uint32_t old = add_function(p, "/old/prog", "/old/m.c", "old.part.7");

	add_line(p, m, TL_NONE, at("/old/m.c", 3, 0x10), 6, 1);
	add_line(p, m, TL_NONE, at("/old/m.c", 3, 0x14), 4, 0);
	add_line(p, m, TL_NONE, at("h.h", 9, 0x18), 4, 0);
	add_line(p, f, TL_NONE, at("/old/m.c", 7, 0x20), 20, 2);
	add_line(p, old, TL_NONE, at("", 30, 0), 1, 0);
	add_arc(p, m, f, TL_NONE, at("/old/m.c", 3, 0x14), 2, 20, 2);
	return finished(p);
}

/*
 * Built elsewhere: main 11+1 at line 3; f 15+2 at line 7 and 15+0 at line 8; one new; f called 3
 * times for 30+2.
 */
static struct tl_profile *after(void)
{
	struct tl_profile *p = new_profile("y", dr_bc_ir, 3, 0);
	uint32_t f = add_function(p, "/new/prog", "/new/m.c", "f"),
		 m = add_function(p, "/new/prog", "/new/m.c", "main");
	uint32_t old = add_function(p, "/new/prog", "/new/m.c", "old"),
		 new = add_function(p, "/new/prog", "n.c", "new");
	static const int64_t costs[][3] = {
		{ 1, 0, 11 }, { 2, 9, 15 }, { 0, 0, 15 }, { 0, 0, 1 }, { 0, 0, 5 }
	};
	/* clang-format off */
	const struct tl_cost_line lines[] = {
		{ m, TL_NONE, { "/new/m.c", 0x50, 0, 3 } },  { f, TL_NONE, { "/new/m.c", 0x60, 0,
		  7 } },
		{ f, TL_NONE, { "/new/m.c", 0x64, 0, 8 } },  { old, TL_NONE, { "", 0, 0, 30 } },
		{ new, TL_NONE, { "n.c", 0, 0, 1 } },
	};
	/* clang-format on */
	struct tl_arc arc = { m, f, TL_NONE, { "/new/m.c", 0x54, 0, 3 }, { 0 }, 3 };
	const int64_t inclusive[] = { 2, 9, 30 };

	for (size_t i = 0; i < 5; i++)
		assert_int_equal(tl_profile_put_line(p, &lines[i], costs[i], NULL), 0);
	assert_int_equal(tl_profile_put_arc(p, &arc, inclusive, NULL), 0);
	return finished(p);
}

struct compared {
	struct tl_profile *before, *after;
	struct tl_diff *diff;
};

static struct compared compared(struct tl_diff_options options)
{
	struct compared c = { before(), after(), NULL };

	options.size = sizeof(options);
	assert_int_equal(tl_profile_diff(&c.diff, c.before, c.after, &options, NULL), 0);
	return c;
}

static void forget(struct compared *c)
{
	tl_diff_free(c->diff);
	tl_profile_free(c->before);
	tl_profile_free(c->after);
}

static struct tl_diff_row row_of(const struct tl_diff *diff, const char *function, const char *file,
				 uint32_t line)
{
	for (uint32_t i = 0; i < tl_diff_row_count(diff); i++) {
		struct tl_diff_row row = tl_diff_row_of(diff, i);

		if (!strcmp(row.function->name, function) && (!file || !strcmp(row.file, file)) &&
		    row.line == line)
			return row;
	}
	fail_msg("no row %s:%u", function, line);
	return (struct tl_diff_row){ 0 };
}

/* Ir of both sides, by number: the events of `before` come first, then those only `after` has. */
static void assert_row(const struct tl_diff_row *row, int64_t ir_before, int64_t ir_after)
{
	assert_int_equal(row->before[0], ir_before);
	assert_int_equal(row->after[0], ir_after);
}

TEST(functions_match_across_directories)
{
	struct compared c = compared((struct tl_diff_options){ 0 });
	struct tl_diff_row row;

	assert_int_equal(tl_diff_event_count(c.diff), 3);
	assert_string_equal(tl_diff_event(c.diff, 2)->name, "Bc");
	assert_int_equal(tl_diff_row_count(c.diff), 5);
	row = row_of(c.diff, "main", NULL, 0);
	assert_row(&row, 14, 11);
	assert_string_equal(row.function->file, "/new/m.c");
	row = row_of(c.diff, "f", NULL, 0);
	assert_row(&row, 20, 30);
	assert_int_equal(row.before[1], 2);
	assert_int_equal(row.before[2], 0);
	assert_int_equal(row.after[2], 9);
	assert_int_equal(row.calls_before, 2);
	assert_int_equal(row.calls_after, 3);
	row = row_of(c.diff, "old.part.7", NULL, 0);
	assert_true(row.in_before && !row.in_after);
	row = row_of(c.diff, "new", NULL, 0);
	assert_true(!row.in_before && row.in_after);
	assert_int_equal(tl_diff_total(c.diff, false)[0], 35);
	assert_int_equal(tl_diff_total(c.diff, true)[0], 47);
	forget(&c);
}

TEST(inclusive_costs_can_be_compared)
{
	struct compared c = compared((struct tl_diff_options){ .inclusive = true });
	struct tl_diff_row row = row_of(c.diff, "main", NULL, 0);

	assert_row(&row, 34, 41);
	forget(&c);
}

TEST(arcs_are_compared_inclusive)
{
	struct compared c = compared((struct tl_diff_options){ .by = TL_DIFF_ARCS });
	struct tl_diff_row row = tl_diff_row_of(c.diff, 0);

	assert_int_equal(tl_diff_row_count(c.diff), 1);
	assert_string_equal(row.caller->name, "main");
	assert_string_equal(row.function->name, "f");
	assert_row(&row, 20, 30);
	assert_int_equal(row.calls_after, 3);
	forget(&c);
}

/* Addresses move from build to build: the two of line 3 are one line. */
TEST(lines_are_compared_without_addresses)
{
	struct compared c = compared((struct tl_diff_options){ .by = TL_DIFF_LINES });
	struct tl_diff_row row = row_of(c.diff, "main", "/new/m.c", 3);

	assert_row(&row, 10, 11);
	row = row_of(c.diff, "main", "h.h", 9);
	assert_row(&row, 4, 0);
	assert_false(row.in_after);
	row = row_of(c.diff, "f", "/new/m.c", 8);
	assert_row(&row, 0, 15);
	assert_false(row.in_before);
	forget(&c);
}

TEST(renaming_matches_what_compilers_call_otherwise)
{
	static const struct tl_rename renames[] = { { "\\.part\\.[0-9]+$", "" },
						    { "^(m)(ain)$", "\\2-\\1" } };
	struct compared c =
		compared((struct tl_diff_options){ .renames = renames, .rename_count = 2 });
	struct tl_diff_row row = row_of(c.diff, "old", NULL, 0);

	assert_row(&row, 1, 1);
	assert_true(row.in_before && row.in_after);
	row = row_of(c.diff, "ain-m", NULL, 0);
	assert_row(&row, 14, 11);
	forget(&c);
}

/*
 * Every match is replaced, empty ones too: "x*" in "abxxc" matches before a, before b, xx, before
 * c.
 */
TEST(renaming_replaces_every_match)
{
	static const struct tl_rename renames[] = { { "x*", "-" } };
	const struct tl_diff_options options = { .size = sizeof(options),
						 .renames = renames,
						 .rename_count = 1 };
	struct tl_profile *p = new_profile("x", ticks, 1, 0);
	struct tl_diff *diff;

	add_line(p, add_function(p, "", "", "abxxc"), TL_NONE, at("", 1, 0), 1, 0);
	finished(p);
	assert_int_equal(tl_profile_diff(&diff, p, p, &options, NULL), 0);
	assert_string_equal(tl_diff_row_of(diff, 0).function->name, "-a-b--c");
	tl_diff_free(diff);
	tl_profile_free(p);
}

/* Two of one name on a side: the one is not taken for either of them. */
TEST(only_lone_names_match_by_name)
{
	struct tl_profile *a = new_profile("x", ticks, 1, 0), *b = new_profile("x", ticks, 1, 0);
	struct tl_diff *diff;

	add_line(a, add_function(a, "", "a.c", "f"), TL_NONE, at("", 1, 0), 1, 0);
	add_line(a, add_function(a, "", "b.c", "f"), TL_NONE, at("", 1, 0), 2, 0);
	add_line(b, add_function(b, "", "c.c", "f"), TL_NONE, at("", 1, 0), 4, 0);
	assert_int_equal(tl_profile_diff(&diff, finished(a), finished(b), NULL, NULL), 0);
	assert_int_equal(tl_diff_row_count(diff), 3);
	tl_diff_free(diff);
	/* With one of them matched exactly, the others are alone. */
	tl_profile_free(b);
	b = new_profile("x", ticks, 1, 0);
	add_line(b, add_function(b, "", "b.c", "f"), TL_NONE, at("", 1, 0), 8, 0);
	add_line(b, add_function(b, "", "c.c", "f"), TL_NONE, at("", 1, 0), 4, 0);
	assert_int_equal(tl_profile_diff(&diff, a, finished(b), NULL, NULL), 0);
	assert_int_equal(tl_diff_row_count(diff), 2);
	assert_int_equal(row_of(diff, "f", "c.c", 0).before[0], 1);
	assert_int_equal(row_of(diff, "f", "b.c", 0).after[0], 8);
	tl_diff_free(diff);
	tl_profile_free(a);
	tl_profile_free(b);
}

static struct tl_diff_row lone_row(uint64_t frequency_before, uint64_t frequency_after,
				   uint64_t *rate, int64_t costs[2])
{
	struct tl_profile *a = new_profile("x", ticks, 1, frequency_before);
	struct tl_profile *b = new_profile("x", ticks, 1, frequency_after);
	struct tl_diff_row row;
	struct tl_diff *diff;

	add_line(a, add_function(a, "", "", "f"), TL_NONE, at("", 1, 0), 1000, 0);
	add_line(b, add_function(b, "", "", "f"), TL_NONE, at("", 1, 0), 1000, 0);
	assert_int_equal(tl_profile_diff(&diff, finished(a), finished(b), NULL, NULL), 0);
	row = tl_diff_row_of(diff, 0);
	costs[0] = row.before[0];
	costs[1] = row.after[0];
	*rate = tl_diff_rate(diff, 0);
	tl_diff_free(diff);
	tl_profile_free(a);
	tl_profile_free(b);
	return row;
}

/*
 * "Ticks of clocks with different known frequencies are compared in nanoseconds": 1000 at 3 GHz are
 * 333.3 ns.
 */
TEST(ticks_of_two_clocks_become_time)
{
	uint64_t rate;
	int64_t costs[2];

	lone_row(3000000000, 1500000000, &rate, costs);
	assert_int_equal(costs[0], 333);
	assert_int_equal(costs[1], 667);
	assert_int_equal(rate, 1000000000);
	lone_row(3000000000, 3000000000, &rate, costs);
	assert_int_equal(costs[0], 1000);
	assert_int_equal(rate, 3000000000);
	lone_row(3000000000, 0, &rate, costs);
	assert_int_equal(costs[1], 1000);
	assert_int_equal(rate, 0);
}

/* A profile of one function, f, with so much of each event, called three times. */
static struct tl_profile *measured(const struct tl_event *events, uint32_t count,
				   uint64_t frequency, int64_t a, int64_t b)
{
	struct tl_profile *p;
	uint32_t f, outer;

	assert_int_equal(tl_profile_make(&p, "", events, count, frequency, NULL), 0);
	f = add_function(p, "", "", "f");
	outer = add_function(p, "", "", "main");
	add_line(p, f, TL_NONE, at("", 1, 0), a, b);
	add_arc(p, outer, f, TL_NONE, at("", 1, 0), 3, a, b);
	return finished(p);
}

static const struct tl_event cycles_of_clock = { "Ticks", "", "ticks", "" },
			     ir = { "Ir", "", "", "" }, clock_ns = { "task-clock", "", "ns", "" },
			     user = { "instructions:u", "", "", "" },
			     similar = { "instructions-late", "", "", "" };

/*
 * "The first one of each side that measures time become one event in ns": 1000 ticks of 2 GHz are
 * 500 ns.
 */
TEST(times_of_two_names_are_one_event)
{
	const struct tl_event samples[] = { user, clock_ns };
	struct tl_profile *a = measured(&cycles_of_clock, 1, 2000000000, 1000, 0),
			  *b = measured(samples, 2, 0, 7, 800);
	struct tl_diff *diff;
	struct tl_diff_row row;

	assert_int_equal(tl_profile_diff(&diff, a, b, NULL, NULL), 0);
	assert_int_equal(tl_diff_event_count(diff), 2);
	assert_string_equal(tl_diff_event(diff, 0)->name, "time");
	assert_string_equal(tl_diff_event_name(diff, 0, false), "Ticks");
	assert_string_equal(tl_diff_event_name(diff, 0, true), "task-clock");
	assert_true(tl_diff_event_common(diff, 0));
	assert_string_equal(tl_diff_event(diff, 1)->name, "instructions:u");
	assert_false(tl_diff_event_common(diff, 1));
	assert_null(tl_diff_event_name(diff, 1, false));
	row = row_of(diff, "f", NULL, 0);
	assert_row(&row, 500, 800);
	assert_int_equal(row.after[1], 7);
	assert_int_equal(tl_diff_rate(diff, 0), 1000000000);
	tl_diff_free(diff);
	tl_profile_free(a);
	tl_profile_free(b);
}

/* Ticks of unknown length measure no time; then calls are compared. */
TEST(ticks_of_no_clock_are_no_time)
{
	struct tl_profile *a = measured(&cycles_of_clock, 1, 0, 1000, 0),
			  *b = measured(&clock_ns, 1, 0, 7, 0);
	const struct tl_diff_options lines = { .size = sizeof(lines), .by = TL_DIFF_LINES };
	struct tl_diff *diff;
	struct tl_diff_row row;

	assert_int_equal(tl_profile_diff(&diff, a, b, NULL, NULL), 0);
	assert_int_equal(tl_diff_event_count(diff), 3);
	assert_string_equal(tl_diff_event(diff, 2)->name, "calls");
	assert_null(tl_diff_event_name(diff, 2, false));
	row = row_of(diff, "f", NULL, 0);
	assert_int_equal(row.before[2], 3);
	assert_int_equal(row.after[2], 3);
	tl_diff_free(diff);
	/* Lines have no calls. */
	assert_int_equal(tl_profile_diff(&diff, a, b, &lines, NULL), TL_UNSUPPORTED);
	tl_profile_set_call_count(b, TL_CALLS_NONE);
	assert_int_equal(tl_profile_diff(&diff, a, b, NULL, NULL), TL_UNSUPPORTED);
	tl_profile_free(a);
	tl_profile_free(b);
}

TEST(instructions_have_several_names)
{
	struct tl_profile *a = measured(&ir, 1, 0, 10, 0), *b = measured(&user, 1, 0, 20, 0),
			  *c = measured(&similar, 1, 0, 30, 0);
	struct tl_diff *diff;
	struct tl_diff_row row;

	assert_int_equal(tl_profile_diff(&diff, a, b, NULL, NULL), 0);
	assert_int_equal(tl_diff_event_count(diff), 1);
	assert_string_equal(tl_diff_event(diff, 0)->name, "instructions");
	row = row_of(diff, "f", NULL, 0);
	assert_row(&row, 10, 20);
	tl_diff_free(diff);
	assert_int_equal(tl_profile_diff(&diff, a, c, NULL, NULL), 0);
	assert_string_equal(tl_diff_event(diff, 0)->name, "Ir");
	assert_string_equal(tl_diff_event(diff, 2)->name, "calls");
	tl_diff_free(diff);
	tl_profile_free(a);
	tl_profile_free(b);
	tl_profile_free(c);
}

TEST(bad_patterns_are_refused)
{
	static const struct tl_rename renames[] = { { "(", "" } };
	const struct tl_diff_options bad[] = {
		{ .size = sizeof(bad[0]), .renames = renames, .rename_count = 1 },
		{ .size = sizeof(bad[0]), .by = (enum tl_diff_unit)3 },
	};
	struct tl_profile *p = before();

	for (size_t i = 0; i < 2; i++) {
		struct tl_error err = { 0 };
		struct tl_diff *diff;

		assert_int_equal(tl_profile_diff(&diff, p, p, &bad[i], &err), TL_BAD_USAGE);
		assert_null(diff);
		assert_int_equal(err.status, TL_BAD_USAGE);
		assert_true(err.offset == TL_NOWHERE);
	}
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_match_across_directories),
		cmocka_unit_test(inclusive_costs_can_be_compared),
		cmocka_unit_test(arcs_are_compared_inclusive),
		cmocka_unit_test(lines_are_compared_without_addresses),
		cmocka_unit_test(renaming_matches_what_compilers_call_otherwise),
		cmocka_unit_test(renaming_replaces_every_match),
		cmocka_unit_test(only_lone_names_match_by_name),
		cmocka_unit_test(ticks_of_two_clocks_become_time),
		cmocka_unit_test(times_of_two_names_are_one_event),
		cmocka_unit_test(ticks_of_no_clock_are_no_time),
		cmocka_unit_test(instructions_have_several_names),
		cmocka_unit_test(bad_patterns_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
