/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions call themselves: on a path of the call tree, or in a cycle of arcs. */
#include "machine.h"

#include "profile/derive/recursion.h"

/* `expected` has a letter for each function: r for one that is recursive. */
static void expect(const struct tl_profile *profile, const char *expected)
{
	bool *recursive = tl_profile_recursive(profile);

	assert_non_null(recursive);
	assert_int_equal(tl_profile_function_count(profile), strlen(expected));
	for (uint32_t f = 0; expected[f]; f++)
		if (recursive[f] != (expected[f] == 'r'))
			fail_msg("function %u", f);
	free(recursive);
}

/*
 * f0 > f1 > f0: f0 is twice on a path. f2 is twice under f3, not in itself. f4 > f4. f5 stands
 * behind f4's path, and under f6, at the root again.
 */
TEST(a_function_twice_on_a_path)
{
	static const struct step steps[] = {
		{ IN, 0, 0 },  { IN, 1, 0 },  { IN, 0, 1 },  { OUT, 0, 2 }, { OUT, 1, 3 },
		{ OUT, 0, 4 }, { IN, 3, 4 },  { IN, 2, 5 },  { OUT, 2, 6 }, { IN, 5, 6 },
		{ IN, 2, 7 },  { OUT, 2, 8 }, { OUT, 5, 9 }, { OUT, 3, 9 }, { IN, 4, 9 },
		{ IN, 4, 9 },  { OUT, 4, 9 }, { OUT, 4, 9 }, { IN, 6, 9 },  { IN, 5, 9 },
		{ OUT, 5, 9 }, { OUT, 6, 9 }, { IN, 1, 9 },  { OUT, 1, 9 },
	};
	struct machine m = { 0 };

	machine_run(&m, steps, sizeof(steps) / sizeof(steps[0]));
	expect(m.profile, "r---r---");
	machine_free(&m);
}

/* Arcs: 0 -> 1 -> 2 -> 1 is a cycle; 3 calls itself; 0 -> 4 twice is no cycle. */
TEST(a_function_in_a_cycle_of_arcs)
{
	static const uint32_t arcs[][2] = { { 0, 1 }, { 1, 2 }, { 2, 1 }, { 0, 3 },
					    { 3, 3 }, { 0, 4 }, { 3, 4 } };
	static const struct tl_event ir = { .name = "Ir" };
	struct tl_profile *profile;

	assert_int_equal(tl_profile_make(&profile, "test", &ir, 1, 0, NULL), 0);
	for (uint32_t i = 0; i < 5; i++) {
		const char name[] = { (char)('a' + i), 0 };
		const struct tl_function function = { .name = name };

		assert_int_equal(tl_profile_put_function(profile, &function, NULL), i);
	}
	expect(profile, "-----");
	for (size_t i = 0; i < sizeof(arcs) / sizeof(arcs[0]); i++) {
		const struct tl_arc arc = {
			.caller = arcs[i][0], .callee = arcs[i][1], .part = TL_NONE, .calls = 1
		};

		assert_int_equal(tl_profile_put_arc(profile, &arc, (const int64_t[]){ 1 }, NULL),
				 0);
	}
	assert_int_equal(tl_profile_finish(profile, NULL), 0);
	expect(profile, "-rrr-");
	tl_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_twice_on_a_path),
		cmocka_unit_test(a_function_in_a_cycle_of_arcs),
	};

	return cmocka_run_group_tests_name("profile recursion", tests, NULL, NULL);
}
