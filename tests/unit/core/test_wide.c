/* SPDX-License-Identifier: Apache-2.0 */
/* Products of 128 bits: what pencil and paper give, and what the compiler gives where it can. */
#include "../unit.h"

#include "core/wide.h"

static const uint64_t most = UINT64_MAX;

static const uint64_t edges[] = {
	0,
	1,
	2,
	3,
	10,
	1000000000,
	0x7fffffff,
	0x80000000,
	0xffffffff,
	0x100000000,
	0x100000001,
	0x123456789abcdef,
	INT64_MAX,
	(uint64_t)INT64_MAX + 1,
	UINT64_MAX - 1,
	UINT64_MAX,
};
enum { EDGES = sizeof(edges) / sizeof(edges[0]) };

/* (2^64 - 1)^2 = 2^128 - 2^65 + 1 */
TEST(products_are_whole)
{
	struct tl_wide square = tl_wide_product_in_parts(most, most);

	assert_int_equal(square.high, most - 1);
	assert_int_equal(square.low, 1);
	square = tl_wide_product_in_parts(UINT64_C(1) << 32, UINT64_C(1) << 32);
	assert_int_equal(square.high, 1);
	assert_int_equal(square.low, 0);
}

TEST(quotients_have_a_rest)
{
	uint64_t rest;

	/* 2^64 = 6148914691236517205 * 3 + 1 */
	assert_int_equal(tl_wide_quotient_in_parts((struct tl_wide){ 1, 0 }, 3, &rest),
			 6148914691236517205);
	assert_int_equal(rest, 1);
	/* (2^64 - 1)^2 / (2^64 - 1) */
	assert_int_equal(tl_wide_quotient_in_parts((struct tl_wide){ most - 1, 1 }, most, &rest),
			 most);
	assert_int_equal(rest, 0);
	/* 2^64 / 1 does not fit; 2^64 is 18446744073709551609 * 1 + 7, and has the rest 2 by 7 */
	assert_int_equal(tl_wide_quotient_in_parts((struct tl_wide){ 1, 0 }, 1, &rest), most);
	assert_int_equal(tl_wide_quotient_in_parts((struct tl_wide){ 9, 0 }, 7, &rest), most);
	assert_int_equal(rest, 4); /* 2^64 leaves 2, and 9 * 2 is 2 * 7 + 4 */
}

/* What is multiplied and divided again is what it was; and the two ways are one. */
TEST(both_ways_agree)
{
	for (unsigned i = 0; i < EDGES; i++)
		for (unsigned j = 0; j < EDGES; j++) {
			struct tl_wide a = tl_wide_product_in_parts(edges[i], edges[j]);
			struct tl_wide b = tl_wide_product(edges[i], edges[j]);

			assert_int_equal(a.high, b.high);
			assert_int_equal(a.low, b.low);
			if (edges[j])
				assert_int_equal(tl_wide_quotient_in_parts(a, edges[j], NULL),
						 edges[i]);
			for (unsigned k = 1; k < EDGES; k++) {
				uint64_t rests[2];

				assert_int_equal(tl_wide_quotient_in_parts(a, edges[k], &rests[0]),
						 tl_wide_quotient(a, edges[k], &rests[1]));
				assert_int_equal(rests[0], rests[1]);
			}
		}
}

TEST(sums_carry)
{
	struct tl_wide a = tl_wide_sum((struct tl_wide){ 0, most }, 1);

	assert_int_equal(a.high, 1);
	assert_int_equal(a.low, 0);
	a = tl_wide_difference(a, 1);
	assert_int_equal(a.high, 0);
	assert_int_equal(a.low, most);
}

TEST(scaled_numbers_keep_their_sign)
{
	bool beyond;

	assert_int_equal(tl_scale(-7, 3, 2), -10); /* -10.5 */
	assert_int_equal(tl_scale_nearest(-7, 3, 2, NULL), -11);
	assert_int_equal(tl_scale_nearest(7, 3, 2, NULL), 11);
	assert_int_equal(tl_scale(INT64_MIN, 1, 1), INT64_MIN);
	assert_int_equal(tl_scale_nearest(INT64_MIN, 1000000000, 1000000000, &beyond), INT64_MIN);
	assert_false(beyond);
	assert_int_equal(tl_scale_nearest(INT64_MAX, 2, 1, &beyond), INT64_MAX);
	assert_true(beyond);
	assert_int_equal(tl_scale_nearest(INT64_MIN, 2, 1, &beyond), INT64_MIN);
	assert_true(beyond);
	assert_int_equal(tl_scale_unsigned(most, most, most), most);
	assert_int_equal(tl_scale_unsigned(most, 2, 1), most);
	assert_int_equal(tl_scale_unsigned_nearest(most, most, most), most);
}

TEST(shares_have_the_sign_of_the_quotient)
{
	assert_int_equal(tl_share(7, 1, 2), 3);
	assert_int_equal(tl_share(-7, 1, 2), -3);
	assert_int_equal(tl_share(-7, -1, 2), 3);
	assert_int_equal(tl_share(-7, -1, -2), -3);
	assert_int_equal(tl_share(INT64_MAX, INT64_MAX, INT64_MAX), INT64_MAX);
	assert_int_equal(tl_share(INT64_MIN, INT64_MIN, INT64_MIN), INT64_MIN);
	assert_int_equal(tl_share(INT64_MIN, 1, -1), INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_are_whole),
		cmocka_unit_test(quotients_have_a_rest),
		cmocka_unit_test(both_ways_agree),
		cmocka_unit_test(sums_carry),
		cmocka_unit_test(scaled_numbers_keep_their_sign),
		cmocka_unit_test(shares_have_the_sign_of_the_quotient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
