/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers grouped by a key, and the functions of each part. */
#include "profiles.h"

#include "profile/model/groups.h"
#include "profile/model/part_lists.h"

static uint32_t key_of(const void *context, uint32_t number)
{
	return ((const uint32_t *)context)[number];
}

/*
 * "those of key k are order[start[k]] .. order[start[k + 1] - 1], ascending; keys at or past `keys`
 * are left out"
 */
TEST(groups)
{
	const uint32_t keys[] = { 2, 0, TL_NONE, 2, 0, 3 };
	struct tl_groups g;

	assert_true(tl_groups_make(&g, 6, 3, key_of, keys));
	assert_int_equal(g.start[0], 0);
	assert_int_equal(g.start[1], 2);
	assert_int_equal(g.start[2], 2);
	assert_int_equal(g.start[3], 4);
	assert_int_equal(g.order[0], 1);
	assert_int_equal(g.order[1], 4);
	assert_int_equal(g.order[2], 0);
	assert_int_equal(g.order[3], 3);
	tl_groups_free(&g);
	assert_true(tl_groups_make(&g, 0, 0, key_of, keys));
	assert_int_equal(g.start[0], 0);
	tl_groups_free(&g);
}

/* "The functions of part p are functions[start[p]] .. functions[start[p + 1] - 1], ascending." */
TEST(functions_of_parts)
{
	static const char *const events[] = { "Ir" };
	struct tl_profile *p = new_profile("callgrind", events, 1, 0);
	struct tl_part_lists lists;
	uint32_t parts[3], functions[3];

	for (uint32_t i = 0; i < 3; i++) {
		parts[i] = add_part(p, 1, i, 0, "");
		functions[i] = add_function(p, "", "", (const char *[]){ "f", "g", "h" }[i]);
	}
	/* h, then f, in the last part; g in the first; f also in no part; the second has none. */
	add_line(p, functions[2], parts[2], at("", 1, 0), 1, 0);
	add_line(p, functions[0], parts[2], at("", 2, 0), 1, 0);
	add_line(p, functions[1], parts[0], at("", 3, 0), 1, 0);
	add_line(p, functions[0], TL_NONE, at("", 4, 0), 1, 0);
	assert_int_equal(tl_profile_finish(p, NULL), 0);
	assert_true(tl_part_lists_make(&lists, p));
	assert_int_equal(lists.start[0], 0);
	assert_int_equal(lists.start[1], 1);
	assert_int_equal(lists.start[2], 1);
	assert_int_equal(lists.start[3], 3);
	assert_int_equal(lists.functions[0], functions[1]);
	assert_int_equal(lists.functions[1], functions[0]);
	assert_int_equal(lists.functions[2], functions[2]);
	tl_part_lists_free(&lists);
	tl_profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
		cmocka_unit_test(functions_of_parts),
	};

	return cmocka_run_group_tests_name("profile groups", tests, NULL, NULL);
}
