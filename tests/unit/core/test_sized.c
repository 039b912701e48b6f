/* SPDX-License-Identifier: Apache-2.0 */
/* docs/abi.md, "Structs that the library fills" and "Structs that begin with `size`". */
#include <string.h>
#include "../unit.h"

#include "core/sized.h"

/* One struct as three releases know it. */
struct first {
	uint32_t a;
	uint32_t b;
};
struct second {
	uint32_t a;
	uint32_t b;
	uint64_t c;
};
struct third {
	uint32_t a;
	uint32_t b;
	uint64_t c;
	uint64_t d;
};

static const struct second ours = { 1, 2, 3 };

static int give(void *to, size_t size)
{
	return tl_give(to, size, TL_SIZE_UP_TO(struct second, b), &ours, sizeof(ours));
}

TEST(the_same_header_gets_every_member)
{
	struct second to;

	memset(&to, 0xff, sizeof(to));
	assert_int_equal(give(&to, sizeof(to)), 0);
	assert_memory_equal(&to, &ours, sizeof(to));
}

/* "nothing is written behind the size that the caller gives" */
TEST(an_older_header_keeps_the_bytes_behind)
{
	struct second to;
	struct second expected;

	memset(&to, 0xff, sizeof(to));
	memset(&expected, 0xff, sizeof(expected));
	expected.a = 1;
	expected.b = 2;
	assert_int_equal(give(&to, sizeof(struct first)), 0);
	assert_memory_equal(&to, &expected, sizeof(to));
}

/* "members that the library does not know become zero" */
TEST(a_newer_header_gets_zeros)
{
	struct third to;

	memset(&to, 0xff, sizeof(to));
	assert_int_equal(give(&to, sizeof(to)), 0);
	assert_memory_equal(&to, &ours, sizeof(ours));
	assert_int_equal(to.d, 0);
}

/* "a size below that of the first release is TL_BAD_USAGE, and nothing is written" */
TEST(less_than_the_first_release_is_refused)
{
	struct second to;
	struct second before;

	memset(&to, 0xff, sizeof(to));
	memset(&before, 0xff, sizeof(before));
	assert_int_equal(give(&to, sizeof(struct first) - 1), TL_BAD_USAGE);
	assert_int_equal(give(&to, 0), TL_BAD_USAGE);
	assert_memory_equal(&to, &before, sizeof(to));
}

TEST(the_size_up_to_a_member_includes_it)
{
	assert_int_equal(TL_SIZE_UP_TO(struct third, a), 4);
	assert_int_equal(TL_SIZE_UP_TO(struct third, b), sizeof(struct first));
	assert_int_equal(TL_SIZE_UP_TO(struct third, c), sizeof(struct second));
}

/* "What the caller does not know of is as if zero" */
TEST(an_older_caller_passes_zeros)
{
	const struct first from = { 7, 8 };
	struct second to;

	memset(&to, 0xff, sizeof(to));
	tl_take(&to, sizeof(to), &from, sizeof(from));
	assert_int_equal(to.a, 7);
	assert_int_equal(to.b, 8);
	assert_int_equal(to.c, 0);
}

TEST(a_newer_caller_is_read_as_far_as_we_know)
{
	const struct third from = { 7, 8, 9, 10 };
	struct second to[2];
	struct second untouched;

	memset(to, 0xff, sizeof(to));
	memset(&untouched, 0xff, sizeof(untouched));
	tl_take(to, sizeof(to[0]), &from, sizeof(from));
	assert_int_equal(to[0].a, 7);
	assert_int_equal(to[0].b, 8);
	assert_int_equal(to[0].c, 9);
	assert_memory_equal(&to[1], &untouched, sizeof(untouched));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_header_gets_every_member),
		cmocka_unit_test(an_older_header_keeps_the_bytes_behind),
		cmocka_unit_test(a_newer_header_gets_zeros),
		cmocka_unit_test(less_than_the_first_release_is_refused),
		cmocka_unit_test(the_size_up_to_a_member_includes_it),
		cmocka_unit_test(an_older_caller_passes_zeros),
		cmocka_unit_test(a_newer_caller_is_read_as_far_as_we_know),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
