/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products and quotients of 128 bits, and numbers that are scaled, of numbers that are drawn:
 * against long multiplication of 16 bits a digit, and against what makes a quotient one.
 */
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "core/arithmetic.h"
#include "core/varint.h"
#include "core/wide.h"

enum { ROUNDS = 30000, DIGITS = 8 };

/* Digits of 16 bits, the lowest first. */
struct digits {
	uint32_t at[DIGITS + 1];
};

static struct digits digits_of(struct tl_wide a)
{
	struct digits d = { { 0 } };

	for (int i = 0; i < 4; i++) {
		d.at[i] = (uint32_t)(a.low >> 16 * i & 0xffff);
		d.at[i + 4] = (uint32_t)(a.high >> 16 * i & 0xffff);
	}
	return d;
}

static struct digits product_of(uint64_t a, uint64_t b)
{
	const struct digits x = digits_of((struct tl_wide){ 0, a }),
			    y = digits_of((struct tl_wide){ 0, b });
	uint64_t columns[DIGITS] = { 0 }, carry = 0;
	struct digits d = { { 0 } };

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			columns[i + j] += (uint64_t)x.at[i] * y.at[j];
	for (int i = 0; i < DIGITS; i++) {
		carry += columns[i];
		d.at[i] = (uint32_t)(carry & 0xffff);
		carry >>= 16;
	}
	assert_int_equal(carry, 0);
	return d;
}

/* a + b, where b is one number of 64 bits; the ninth digit takes what is beyond. */
static struct digits sum_of(struct digits a, uint64_t b)
{
	uint64_t carry = 0;

	for (int i = 0; i <= DIGITS; i++) {
		carry += a.at[i] + (i < 4 ? b >> 16 * i & 0xffff : 0);
		a.at[i] = (uint32_t)(carry & 0xffff);
		carry >>= 16;
	}
	return a;
}

/* -1, 0, 1: which one is less. */
static int order_of(const struct digits *a, const struct digits *b)
{
	for (int i = DIGITS; i >= 0; i--)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i] ? -1 : 1;
	return 0;
}

/* Numbers of all lengths, and many that are next to a power of two. */
static uint64_t draw(uint32_t *seed)
{
	const uint64_t power = UINT64_C(1) << chance(seed, 64);

	switch (chance(seed, 4)) {
	case 0:
		return power;
	case 1:
		return power - 1;
	case 2:
		return 0 - power;
	default:
		return chance_bits(seed) >> chance(seed, 64);
	}
}

TEST(products_as_on_paper)
{
	uint32_t seed = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t a = draw(&seed), b = draw(&seed);
		const struct digits wanted = product_of(a, b),
				    whole = digits_of(tl_wide_product(a, b)),
				    parts = digits_of(tl_wide_product_in_parts(a, b));

		assert_int_equal(order_of(&wanted, &whole), 0);
		assert_int_equal(order_of(&wanted, &parts), 0);
	}
}

/* "Sums and differences wrap around, as those of uint64_t." */
TEST(sums_and_differences_as_on_paper)
{
	uint32_t seed = 2;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const struct tl_wide a = { draw(&seed), draw(&seed) };
		const uint64_t b = draw(&seed);
		struct digits wanted = sum_of(digits_of(a), b), have = digits_of(tl_wide_sum(a, b));
		struct tl_wide back = tl_wide_difference(tl_wide_sum(a, b), b);

		wanted.at[DIGITS] = 0;
		assert_int_equal(order_of(&wanted, &have), 0);
		assert_true(back.high == a.high && back.low == a.low);
		/* a - b + b */
		back = tl_wide_sum(tl_wide_difference(a, b), b);
		assert_true(back.high == a.high && back.low == a.low);
	}
}

/* quotient * b + rest is a, and the rest is less than b. */
TEST(quotients_make_what_was_divided)
{
	uint32_t seed = 3;
	unsigned beyond = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tl_wide a = { chance(&seed, 3) ? draw(&seed) : 0, draw(&seed) };
		const uint64_t b = draw(&seed) | (chance(&seed, 2) == 0);
		uint64_t rest, rest_in_parts, quotient;
		struct digits made, wanted = digits_of(a);

		if (!b)
			continue;
		quotient = tl_wide_quotient(a, b, &rest);
		assert_true(tl_wide_quotient_in_parts(a, b, &rest_in_parts) == quotient);
		assert_true(rest == rest_in_parts && rest < b);
		assert_true(tl_wide_quotient(a, b, NULL) == quotient);
		if (a.high >= b) {
			/* "A quotient that does not fit is UINT64_MAX; its rest is right" */
			assert_true(quotient == UINT64_MAX);
			a.high %= b;
			tl_wide_quotient(a, b, &rest_in_parts);
			assert_true(rest == rest_in_parts);
			beyond++;
			continue;
		}
		made = sum_of(product_of(quotient, b), rest);
		assert_int_equal(order_of(&made, &wanted), 0);
	}
	assert_in_range(beyond, ROUNDS / 10, ROUNDS);
}

/*
 * q = value * times / per "without the fraction": q * per <= value * times < (q + 1) * per; "or to
 * the nearest": halves are rounded up, so (2q - 1) * per <= 2 * value * times < (2q + 1) * per.
 */
TEST(scaled_numbers_are_between_their_neighbours)
{
	uint32_t seed = 4;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t value = draw(&seed), times = draw(&seed) >> 2, per = draw(&seed) | 1;
		const struct digits whole = product_of(value, times);
		const uint64_t down = tl_scale_unsigned(value, times, per),
			       near = tl_scale_unsigned_nearest(value, times, per);
		struct digits least = product_of(down, per), most = sum_of(least, per);

		if (down == UINT64_MAX) {
			assert_true(order_of(&least, &whole) <= 0);
			assert_true(near == UINT64_MAX);
			continue;
		}
		assert_true(order_of(&least, &whole) <= 0 && order_of(&whole, &most) < 0);
		assert_true(near == down || near == down + 1);
		/* per is odd: no half is met but by an even one */
		least = sum_of(least, per / 2 + 1);
		assert_int_equal(near - down, order_of(&least, &whole) <= 0);
	}
	assert_true(tl_scale_unsigned_nearest(1, 1, 2) == 1);
	assert_true(tl_scale_unsigned_nearest(1, 1, 4) == 0);
	assert_true(tl_scale_unsigned_nearest(3, 1, 2) == 2);
	assert_true(tl_scale_unsigned_nearest(5, 1, 10) == 1);
}

static int64_t limited(bool negative, uint64_t magnitude)
{
	if (negative)
		return magnitude >= UINT64_C(1) << 63 ? INT64_MIN : -(int64_t)magnitude;
	return magnitude >= UINT64_C(1) << 63 ? INT64_MAX : (int64_t)magnitude;
}

/* "towards zero; what does not fit is the limit of the range" */
TEST(signs_of_scaled_numbers_and_shares)
{
	uint32_t seed = 5;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const int64_t value = (int64_t)draw(&seed), part = (int64_t)draw(&seed);
		const int64_t whole = (int64_t)draw(&seed);
		const uint64_t times = draw(&seed), per = draw(&seed) | 1;
		const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
		const uint64_t near = tl_scale_unsigned_nearest(magnitude, times, per);
		bool beyond;

		assert_true(tl_magnitude(value) == magnitude);
		assert_true(tl_scale(value, times, per) ==
			    limited(value < 0, tl_scale_unsigned(magnitude, times, per)));
		assert_true(tl_scale_nearest(value, times, per, &beyond) ==
			    limited(value < 0, near));
		assert_int_equal(beyond, near > (uint64_t)INT64_MAX + (value < 0));
		if (!whole)
			continue;
		assert_true(tl_share(value, part, whole) ==
			    limited(((value < 0) + (part < 0) + (whole < 0)) % 2,
				    tl_scale_unsigned(magnitude, tl_magnitude(part),
						      tl_magnitude(whole))));
	}
}

/* Numbers with a sign in small steps: 0, -1, 1, -2 are 0, 1, 2, 3, and all come back. */
TEST(zigzags_and_varints_come_back)
{
	uint32_t seed = 6;

	for (int64_t i = -1000; i <= 1000; i++)
		assert_true(tl_zigzag((uint64_t)i) == (uint64_t)(i < 0 ? -2 * i - 1 : 2 * i));
	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t value = draw(&seed);
		uint8_t bytes[TL_VARINT_BYTES + 1];
		unsigned size = 0;
		uint64_t back = 0;

		assert_true(tl_unzigzag(tl_zigzag(value)) == value);
		memset(bytes, 0xee, sizeof(bytes));
		size = (unsigned)(tl_put_varint(bytes, value) - bytes);
		assert_in_range(size, 1, TL_VARINT_BYTES);
		assert_int_equal(bytes[size], 0xee);
		for (unsigned i = 0; i < size; i++) {
			assert_int_equal(bytes[i] >> 7, i + 1 < size);
			back |= (uint64_t)(bytes[i] & 0x7f) << 7 * i;
		}
		assert_true(back == value);
		/* no idle byte at the end */
		assert_true(size == 1 || bytes[size - 1]);
	}
}

/* Sums that stay at the limits: what fits is the sum, and what does not has its sign. */
TEST(saturating_sums)
{
	uint32_t seed = 7;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const int64_t a = (int64_t)draw(&seed), b = (int64_t)draw(&seed);
		const int64_t sum = tl_sum_saturating(a, b);

		if (a > 0 && b > INT64_MAX - a)
			assert_true(sum == INT64_MAX);
		else if (a < 0 && b < INT64_MIN - a)
			assert_true(sum == INT64_MIN);
		else
			assert_true(sum - b == a);
	}
	/* "The tick that is `seconds` behind `first`, or the last one there is." */
	assert_true(tl_ticks_behind(7, 0, 1000) == 7);
	assert_true(tl_ticks_behind(7, 2.5, 1000) == 2507);
	assert_true(tl_ticks_behind(7, 1e-3, 1600) == 9);
	assert_true(tl_ticks_behind(UINT64_MAX - 10, 1, 10) == UINT64_MAX);
	assert_true(tl_ticks_behind(UINT64_MAX - 4096, 1, 1024) == UINT64_MAX - 4096 + 1024);
	assert_true(tl_ticks_behind(1, 1e30, 1000000000) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_as_on_paper),
		cmocka_unit_test(sums_and_differences_as_on_paper),
		cmocka_unit_test(quotients_make_what_was_divided),
		cmocka_unit_test(scaled_numbers_are_between_their_neighbours),
		cmocka_unit_test(signs_of_scaled_numbers_and_shares),
		cmocka_unit_test(zigzags_and_varints_come_back),
		cmocka_unit_test(saturating_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
