/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers that are drawn, against the same number kept as a row of digits: scaled by
 * appending and cutting digits, as on paper. What is no number is told by a walk over the grammar.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "core/text/decimal.h"

enum { ROOM = 256, KEPT = 19, ROUNDS = 60000 };

/* ---- the model ---- */

/* digits * 10^exponent; the digits have no zeros in front. */
struct plain {
	char digits[ROOM];
	int count, exponent;
	bool negative, lost; /* digits that are not zero behind the nineteenth */
};

static bool digit_at(const char *p)
{
	return *p >= '0' && *p <= '9';
}

/* The number of a terminated text by the rules of the header; false: it is none. */
static bool read_plainly(const char *p, struct plain *n)
{
	int behind = -1, seen = 0, exponent = 0, sign = 1;

	*n = (struct plain){ .negative = *p == '-' };
	p += *p == '-' || *p == '+';
	for (; digit_at(p) || (*p == '.' && behind < 0); p++) {
		if (*p == '.') {
			behind = 0;
			continue;
		}
		seen++;
		behind += behind >= 0;
		if (n->count || *p != '0')
			n->digits[n->count++] = *p;
	}
	if (!seen)
		return false;
	if (*p == 'e' || *p == 'E') {
		p++;
		sign = *p == '-' ? -1 : 1;
		p += *p == '-' || *p == '+';
		if (!digit_at(p))
			return false;
		for (; digit_at(p); p++)
			exponent = exponent < 1000000 ? exponent * 10 + (*p - '0') : exponent;
	}
	n->exponent = sign * exponent - (behind > 0 ? behind : 0);
	while (n->count > KEPT) {
		n->lost |= n->digits[--n->count] != '0';
		n->exponent++;
	}
	n->digits[n->count] = '\0';
	return *p == '\0';
}

/* One more, in a row of digits that begins with a zero. */
static void count_up(char *digits)
{
	size_t at = strlen(digits) - 1;

	for (; digits[at] == '9'; at--)
		digits[at] = '0';
	digits[at]++;
}

static int64_t scale_plainly(const struct plain *n, int scale, bool *exact)
{
	char whole[2 * ROOM + 2] = "0";
	const char *limit = n->negative ? "9223372036854775808" : "9223372036854775807";
	const char *first = whole;
	int places = n->count ? n->exponent + scale : 0, kept = n->count;
	bool up = false;

	*exact = !n->lost;
	for (; places < 0; places++) {
		/* the digit that is cut last is the first one behind the point */
		const char cut = kept > 0 ? n->digits[kept - 1] : '0';

		up = cut >= '5';
		*exact = *exact && cut == '0';
		kept--;
		if (kept < -ROOM)
			break;
	}
	if (kept > 0)
		strncat(whole, n->digits, (size_t)kept);
	for (; places > 0 && strlen(whole) < ROOM; places--)
		strcat(whole, "0");
	if (up)
		count_up(whole);
	while (*first == '0' && first[1])
		first++;
	if (strlen(first) > 19 || (strlen(first) == 19 && strcmp(first, limit) > 0)) {
		*exact = false;
		return n->negative ? INT64_MIN : INT64_MAX;
	}
	return (int64_t)(n->negative ? 0 - strtoull(first, NULL, 10) : strtoull(first, NULL, 10));
}

/* ---- drawing ---- */

/* Digits of all kinds: often nines, fives and zeros, where carries begin and end. */
static char *draw_digits(char *to, uint32_t *seed, unsigned most)
{
	static const char usual[] = "0000999954";
	const unsigned count = chance(seed, most), kind = chance(seed, 3);

	for (unsigned i = 0; i < count; i++)
		*to++ = kind ? (char)('0' + chance(seed, 10)) : usual[chance(seed, 10)];
	return to;
}

static void draw_number(char *to, uint32_t *seed)
{
	static const char *const signs[] = { "", "", "-", "-", "+" };
	const char *sign = signs[chance(seed, 5)];

	to = stpcpy(to, sign);
	to = draw_digits(to, seed, chance(seed, 4) ? 12 : 26);
	if (chance(seed, 3)) {
		*to++ = '.';
		to = draw_digits(to, seed, chance(seed, 4) ? 12 : 26);
	}
	if (!chance(seed, 3)) {
		*to++ = chance(seed, 2) ? 'e' : 'E';
		to = stpcpy(to, signs[chance(seed, 5)]);
		to = draw_digits(to, seed, 4);
	}
	*to = '\0';
}

/* ---- tests ---- */

static bool parse(const char *text, struct tl_decimal *number)
{
	return tl_decimal_parse((const uint8_t *)text, strlen(text), number);
}

/* "Read a number as JSON has it, also with zeros in front or +. False: the text is none" */
TEST(drawn_texts_are_numbers_or_not)
{
	static const char others[] = "+-.eE 0x/:";
	uint32_t seed = 1;
	unsigned numbers = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		char text[ROOM];
		struct tl_decimal number;
		struct plain n;
		bool is_one;

		draw_number(text, &seed);
		if (*text && chance(&seed, 2))
			text[chance(&seed, (unsigned)strlen(text))] =
				others[chance(&seed, sizeof(others) - 1)];
		is_one = read_plainly(text, &n);
		numbers += is_one;
		if (parse(text, &number) != is_one)
			fail_msg("\"%s\" is %s number", text, is_one ? "a" : "no");
		if (!is_one)
			continue;
		assert_int_equal(number.negative, n.negative);
		assert_int_equal(number.rounded, n.lost);
		assert_true(number.digits == strtoull(n.count ? n.digits : "0", NULL, 10));
		/* beyond 10^100000 exponents are large, and no more is known of them */
		if (n.count && abs(n.exponent) < 100000)
			assert_int_equal(number.exponent, n.exponent);
	}
	assert_in_range(numbers, ROUNDS / 4, ROUNDS * 3 / 4);
}

/* "to the nearest whole one, halves away from zero; the limit of 64 bits where it is beyond" */
TEST(drawn_numbers_are_scaled_as_on_paper)
{
	uint32_t seed = 2;
	unsigned exactly = 0, limits = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const int scale = (int)chance(&seed, 40) - 16;
		char text[ROOM];
		struct tl_decimal number;
		struct plain n;
		bool exact = true, wanted_exact;
		int64_t have, wanted;

		draw_number(text, &seed);
		if (!read_plainly(text, &n))
			continue;
		assert_true(parse(text, &number));
		wanted = scale_plainly(&n, scale, &wanted_exact);
		have = tl_decimal_scaled(&number, scale, &exact);
		if (have != wanted || exact != wanted_exact)
			fail_msg("%s * 10^%d: %lld, not %lld%s", text, scale, (long long)have,
				 (long long)wanted, wanted_exact ? "" : " or beside it");
		/* "becomes false": what was false before stays so */
		exact = false;
		assert_true(tl_decimal_scaled(&number, scale, &exact) == wanted);
		assert_false(exact);
		exactly += wanted_exact;
		limits += wanted == INT64_MAX || wanted == INT64_MIN;
	}
	assert_true(exactly > ROUNDS / 8 && limits > ROUNDS / 20);
}

/* Both sides of the limits of 64 bits, and of a half, in each number of decimals. */
TEST(limits_and_halves_in_every_scale)
{
	static const char *const numbers[] = {
		"9223372036854775806", "9223372036854775807", "9223372036854775808",
		"9223372036854775809", "999999999999999999",  "1000000000000000000",
		"4499999999999999999", "4500000000000000000", "5000000000000000000",
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		for (int point = -3; point <= 21; point++)
			for (int negative = 0; negative < 2; negative++)
				for (int scale = -21; scale <= 21; scale++) {
					char text[ROOM];
					struct tl_decimal number;
					struct plain n;
					bool exact = true, wanted_exact;
					int64_t wanted;

					snprintf(text, sizeof(text), "%s%se%d", negative ? "-" : "",
						 numbers[i], -point);
					assert_true(read_plainly(text, &n));
					assert_true(parse(text, &number));
					wanted = scale_plainly(&n, scale, &wanted_exact);
					assert_true(tl_decimal_scaled(&number, scale, &exact) ==
						    wanted);
					assert_int_equal(exact, wanted_exact);
					exact = true;
					assert_true(tl_decimal_scaled_any(&number, scale, &exact) ==
						    wanted);
					assert_int_equal(exact, wanted_exact);
				}
}

/* "at most 19 digits without an exponent"; NULL: "it has another form, or is none" */
TEST(drawn_numbers_are_taken_in_one_pass)
{
	static const char ends[] = ",]} \n\"x:";
	uint32_t seed = 3;
	unsigned taken = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		char text[ROOM] = { 0 };
		char *p = text;
		struct tl_decimal number, padded, whole;
		const uint8_t *behind;
		unsigned digits = 0;

		if (chance(&seed, 4) == 0)
			*p++ = '-';
		p = draw_digits(p, &seed, 14);
		if (chance(&seed, 2)) {
			*p++ = '.';
			p = draw_digits(p, &seed, 14);
		}
		*p = ends[chance(&seed, sizeof(ends) - 1)];
		for (const char *c = text; c < p; c++)
			digits += digit_at(c);
		behind = tl_decimal_take((const uint8_t *)text, &number);
		assert_ptr_equal(tl_decimal_take_padded((const uint8_t *)text, &padded), behind);
		/* a digit must stand before the point */
		if (!digits || digits > KEPT || !digit_at(text + (*text == '-'))) {
			assert_null(behind);
			continue;
		}
		taken++;
		assert_ptr_equal(behind, p);
		assert_true(tl_decimal_parse((const uint8_t *)text, (size_t)(p - text), &whole));
		assert_true(number.digits == whole.digits && padded.digits == whole.digits);
		assert_int_equal(number.negative, whole.negative);
		assert_int_equal(padded.negative, whole.negative);
		assert_false(number.rounded || padded.rounded);
		assert_int_equal(number.exponent, whole.exponent);
		assert_int_equal(padded.exponent, whole.exponent);
	}
	assert_true(taken > ROUNDS / 2);
}

/* "How many of the first eight bytes are digits in a row, and their value." */
TEST(eight_bytes_of_every_kind)
{
	uint32_t seed = 4;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const unsigned wanted = chance(&seed, 9);
		uint64_t value = 0, have;
		uint8_t bytes[8];

		for (unsigned i = 0; i < 8; i++) {
			bytes[i] = (uint8_t)(i < wanted ? '0' + chance(&seed, 10)
							: chance(&seed, 256));
			if (i == wanted && digit_at((const char *)&bytes[i]))
				bytes[i] = chance(&seed, 2) ? '/' : ':';
			if (i < wanted)
				value = value * 10 + (uint64_t)(bytes[i] - '0');
		}
		assert_int_equal(tl_decimal_eight(bytes, &have), wanted);
		assert_true(have == value);
	}
}

/* "Decimals that are not zero": those behind the point, without the zeros at the end. */
TEST(decimals_of_drawn_numbers_are_counted)
{
	uint32_t seed = 5;

	for (unsigned round = 0; round < ROUNDS; round++) {
		struct tl_decimal number;
		char text[ROOM];
		struct plain n;
		int behind;

		draw_number(text, &seed);
		if (!read_plainly(text, &n))
			continue;
		assert_true(parse(text, &number));
		behind = n.count ? -n.exponent : 0;
		for (int i = n.count - 1; behind > 0 && i >= 0 && n.digits[i] == '0'; i--)
			behind--;
		assert_int_equal(tl_decimal_places(&number), behind > 0 ? behind : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(drawn_texts_are_numbers_or_not),
		cmocka_unit_test(drawn_numbers_are_scaled_as_on_paper),
		cmocka_unit_test(limits_and_halves_in_every_scale),
		cmocka_unit_test(drawn_numbers_are_taken_in_one_pass),
		cmocka_unit_test(eight_bytes_of_every_kind),
		cmocka_unit_test(decimals_of_drawn_numbers_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
