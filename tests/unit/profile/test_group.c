/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tl_profile_grouped(): "self, inclusive (recursion counted once), arcs and contexts are those of
 * the unit".
 */
#include "profiles.h"

#include "profile/model/unsized.h"

static const char *const ticks[] = { "Ticks" }, *const ir[] = { "Ir" };

/*
 * main (prog, m.c) 1 calls f (lib, f.c) 2 which calls g (lib, g.c) 4, which calls back h (prog,
 * m.c) 8; main also calls h 16. prog: self 1 + 8 + 16; inclusive all 31. lib: self 6, inclusive 2 +
 * 4 + 8.
 */
static struct tl_profile *tree(void)
{
	struct tl_profile *p = new_profile("x", ticks, 1, 0);
	uint32_t part = add_part(p, 1, 1, 0, ""), m = add_function(p, "prog", "m.c", "main");
	uint32_t f = add_function(p, "lib", "f.c", "f"), g = add_function(p, "lib", "g.c", "g");
	uint32_t h = add_function(p, "prog", "m.c", "h"),
		 top = add_context(p, TL_NONE, m, part, 1, 1);
	uint32_t under = add_context(p, top, f, part, 3, 2);

	under = add_context(p, under, g, part, 5, 4);
	add_context(p, under, h, part, 7, 8);
	add_context(p, top, h, part, 9, 16);
	return finished(p);
}

static struct tl_profile *grouped(struct tl_profile *profile, enum tl_profile_unit by)
{
	struct tl_profile *made;

	assert_int_equal(tl_profile_grouped(&made, profile, by, NULL), 0);
	tl_profile_free(profile);
	return made;
}

TEST(objects_of_a_tree)
{
	struct tl_profile *p = grouped(tree(), TL_BY_OBJECT);
	struct tl_function_totals totals;

	assert_int_equal(tl_profile_function_count(p), 2);
	assert_int_equal(self_of(p, "prog", 0), 25);
	assert_int_equal(inclusive_of(p, "prog", 0), 31);
	assert_int_equal(self_of(p, "lib", 0), 6);
	assert_int_equal(inclusive_of(p, "lib", 0), 14);
	tl_profile_totals_of(p, function_named(p, "lib"), TL_NONE, &totals);
	assert_int_equal(totals.calls, 3 + 5);
	assert_int_equal(tl_profile_total(p)[0], 31);
	tl_profile_free(p);
}

TEST(files_of_a_tree)
{
	struct tl_profile *p = grouped(tree(), TL_BY_FILE);

	assert_int_equal(tl_profile_function_count(p), 3);
	assert_int_equal(inclusive_of(p, "m.c", 0), 31);
	assert_int_equal(inclusive_of(p, "g.c", 0), 12);
	tl_profile_free(p);
}

/*
 * Without a tree: self cost and that of the calls to other units. A file nobody knows is one, too.
 */
TEST(objects_of_sums)
{
	struct tl_profile *p = new_profile("x", ir, 1, 0);
	uint32_t m = add_function(p, "prog", "", "main"), f = add_function(p, "prog", "", "f");
	uint32_t g = add_function(p, "lib", "", "g");

	add_line(p, m, TL_NONE, at("", 1, 0), 1, 0);
	add_line(p, f, TL_NONE, at("", 2, 0), 2, 0);
	add_line(p, g, TL_NONE, at("", 3, 0), 4, 0);
	add_arc(p, m, f, TL_NONE, at("", 1, 0), 1, 6, 0);
	add_arc(p, f, g, TL_NONE, at("", 2, 0), 1, 4, 0);
	p = grouped(finished(p), TL_BY_OBJECT);
	assert_int_equal(self_of(p, "prog", 0), 3);
	assert_int_equal(inclusive_of(p, "prog", 0), 7);
	p = grouped(p, TL_BY_FILE);
	assert_int_equal(self_of(p, "(unknown)", 0), 7);
	tl_profile_free(p);
}

/*
 * prog's main 1 calls lib's f 10, which calls back prog's h 100, which calls lib's g 1000: each
 * unit is in each other's cycle. "Where units call each other back and there are no contexts,
 * inclusive is an upper bound".
 */
TEST(units_that_call_back_are_bounded)
{
	struct tl_profile *p = new_profile("x", ir, 1, 0);
	uint32_t m = add_function(p, "prog", "", "main"), h = add_function(p, "prog", "", "h");
	uint32_t f = add_function(p, "lib", "", "f"), g = add_function(p, "lib", "", "g");
	uint32_t x = add_function(p, "x", "", "x");

	add_line(p, m, TL_NONE, at("", 1, 0), 1, 0);
	add_line(p, f, TL_NONE, at("", 2, 0), 10, 0);
	add_line(p, h, TL_NONE, at("", 3, 0), 100, 0);
	add_line(p, g, TL_NONE, at("", 4, 0), 1000, 0);
	add_line(p, x, TL_NONE, at("", 5, 0), 5000, 0);
	add_arc(p, m, f, TL_NONE, at("", 1, 0), 1, 1110, 0);
	add_arc(p, f, h, TL_NONE, at("", 2, 0), 1, 1100, 0);
	add_arc(p, h, g, TL_NONE, at("", 3, 0), 1, 1000, 0);
	p = grouped(finished(p), TL_BY_OBJECT);
	/* Neither costs more than both together. */
	assert_int_equal(inclusive_of(p, "prog", 0), 1111);
	assert_int_equal(inclusive_of(p, "lib", 0), 1111);
	assert_int_equal(inclusive_of(p, "x", 0), 5000);
	tl_profile_free(p);
}

TEST(chosen_functions_choose_their_units)
{
	const struct tl_profile_filter filter = { .size = sizeof(filter), .function = "^g$" };
	struct tl_profile *p = tree();

	assert_int_equal(tl_profile_choose(p, &filter, NULL), 0);
	p = grouped(p, TL_BY_OBJECT);
	assert_true(tl_profile_chosen(p, function_named(p, "lib")));
	assert_false(tl_profile_chosen(p, function_named(p, "prog")));
	tl_profile_free(p);
}

TEST(functions_are_no_unit)
{
	struct tl_profile *p = tree(), *made;

	assert_int_equal(tl_profile_grouped(&made, p, TL_BY_FUNCTION, NULL), TL_BAD_USAGE);
	assert_null(made);
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_of_a_tree),
		cmocka_unit_test(files_of_a_tree),
		cmocka_unit_test(objects_of_sums),
		cmocka_unit_test(units_that_call_back_are_bounded),
		cmocka_unit_test(chosen_functions_choose_their_units),
		cmocka_unit_test(functions_are_no_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
