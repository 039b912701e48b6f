/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of arithmetic and missing texts: each value as on paper, at the limits of its type too. */
#include "../unit.h"

#include "core/arithmetic.h"
#include "core/text/optional.h"

/* "each operand is evaluated once" */
TEST(the_smaller_and_the_larger_are_chosen_once)
{
	int a = 3;

	assert_int_equal(tl_min(a++, 4), 3);
	assert_int_equal(tl_max(a++, 1), 4);
	assert_int_equal(a, 5);
	assert_true(tl_min(UINT64_MAX, UINT64_C(0)) == 0);
	assert_true(tl_max(INT64_MIN, INT64_C(-1)) == -1);
}

/* "How much a is above b; 0 where it is not" */
TEST(an_excess_is_never_below_zero)
{
	uint64_t from = 10;

	assert_true(tl_excess(UINT64_C(12), from++) == 2);
	assert_true(from == 11);
	assert_true(tl_excess(UINT64_C(11), from) == 0);
	assert_true(tl_excess(UINT64_C(0), UINT64_MAX) == 0);
	assert_true(tl_excess(UINT64_MAX, UINT64_C(0)) == UINT64_MAX);
}

/* "-1 the first, 1 the second, 0 either" */
TEST(an_order_is_told_by_a_sign)
{
	assert_int_equal(tl_compare(1, 2), -1);
	assert_int_equal(tl_compare(UINT64_MAX, UINT64_C(0)), 1);
	assert_int_equal(tl_compare(INT64_MIN, INT64_MIN), 0);
}

/* "or the limit of the range that the sum is beyond" */
TEST(sums_stay_at_the_limits)
{
	assert_true(tl_sum_saturating(INT64_MAX, 1) == INT64_MAX);
	assert_true(tl_sum_saturating(INT64_MIN, -1) == INT64_MIN);
	assert_true(tl_sum_saturating(INT64_MAX, INT64_MIN) == -1);
}

/* "an empty text stands for a missing one" */
TEST(missing_texts_are_empty)
{
	assert_string_equal(tl_text_or_empty(NULL), "");
	assert_string_equal(tl_text_or_empty("a"), "a");
	assert_string_equal(tl_text_if(false, "a"), "");
	assert_string_equal(tl_text_if(true, "a"), "a");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_smaller_and_the_larger_are_chosen_once),
		cmocka_unit_test(an_excess_is_never_below_zero),
		cmocka_unit_test(an_order_is_told_by_a_sign),
		cmocka_unit_test(sums_stay_at_the_limits),
		cmocka_unit_test(missing_texts_are_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
