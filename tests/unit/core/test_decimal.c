/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers of a text: exact, or said not to be. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "core/text/decimal.h"

TEST(decimals)
{
	static const struct {
		const char *text;
		int scale;
		int64_t value;
		bool exact;
	} cases[] = {
		{ "0", 0, 0, true },
		{ "12", 3, 12000, true },
		{ "-1.5", 3, -1500, true },
		{ "1.5", 0, 2, false },
		{ "-2.5", 0, -3, false },
		{ "0.4999", 0, 0, false },
		{ "1e3", 0, 1000, true },
		{ "1.25E-2", 4, 125, true },
		{ "1643371234.123456789", 3, 1643371234123, false },
		{ "9223372036854775807", 0, INT64_MAX, true },
		{ "9223372036854775808", 0, INT64_MAX, false },
		{ "1e400", 0, INT64_MAX, false },
		{ "-1e99999999999", 0, INT64_MIN, false },
		{ "1e-400", 9, 0, false },
		{ "0e999999", 0, 0, true },
		{ "0.00000000000000000000000000001", 9, 0, false },
		{ "123456789012345678901234567890", 0, INT64_MAX, false },
		{ "00012", 0, 12, true },
		{ "5.", 0, 5, true },
		{ "+7", 0, 7, true },
		{ "1E+2", 0, 100, true },
		{ "25e-2", 0, 0, false },
		{ "49e-2", 0, 0, false },
		{ "50e-2", 0, 1, false },
		{ "51e-2", 0, 1, false },
		{ "0.000", 0, 0, true },
		{ "1e-2", 2, 1, true },
		{ "1e18", 0, 1000000000000000000, true },
		{ "1e19", 0, INT64_MAX, false },
		{ "-1e19", 0, INT64_MIN, false },
		/* Nineteen digits and one more; as many places. */
		{ "12345678901234567890e-1", 0, 1234567890123456789, true },
		{ "12345678901234567891e-1", 0, 1234567890123456789, false },
		{ "0.12345678901234567891", 19, 1234567890123456789, false },
		{ "1.234567890123456789", 18, 1234567890123456789, true },
		{ "0000000000000000000000005", 0, 5, true },
		{ "4999999999999999999e-19", 0, 0, false },
		{ "5000000000000000000e-19", 0, 1, false },
		{ "9999999999999999999e-20", 0, 0, false },
	};
	static const char *const bad[] = { "",    "-",  ".",  "1x", "1e",  "e5",   "1.2.3",
					   "--1", " 1", "1 ", "+",  "1e+", "1e-x", "1e5x" };
	struct tl_decimal number;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool exact = true;

		assert_true(tl_decimal_parse((const uint8_t *)cases[i].text, strlen(cases[i].text),
					     &number));
		assert_int_equal(tl_decimal_scaled(&number, cases[i].scale, &exact),
				 cases[i].value);
		assert_int_equal(exact, cases[i].exact);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(tl_decimal_parse((const uint8_t *)bad[i], strlen(bad[i]), &number));
}

static void assert_same_taken(const char *text)
{
	uint8_t room[TL_DECIMAL_ROOM + 64];
	struct tl_decimal plain = { .digits = 1 }, padded = { .digits = 2 };
	const uint8_t *end, *padded_end;

	memset(room, '7', sizeof(room));
	room[sizeof(room) - 1] = ',';
	memcpy(room, text, strlen(text));
	end = tl_decimal_take(room, &plain);
	padded_end = tl_decimal_take_padded(room, &padded);
	assert_ptr_equal(padded_end, end);
	if (!end)
		return;
	assert_int_equal(padded.digits, plain.digits);
	assert_int_equal(padded.exponent, plain.exponent);
	assert_int_equal(padded.negative, plain.negative);
	assert_int_equal(padded.rounded, plain.rounded);
}

/* All numbers of digits before and behind the point, and what may stand behind them. */
TEST(numbers_taken_by_the_word)
{
	static const char digits[] = "90817263549081726354", *const ends[] = { ",", "}", "e5",  ".",
									       "/", ":", "\xb9" };
	static const char *const others[] = { "-,", ".5,", "-.5,", ",", "x", "00,", "0.0," };
	char text[64];

	for (int sign = 0; sign < 2; sign++)
		for (int whole = 0; whole <= 20; whole++)
			for (int places = -1; places <= 20; places++)
				for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++) {
					snprintf(text, sizeof(text), "%s%.*s%s%.*s%s",
						 sign ? "-" : "", whole, digits,
						 places < 0 ? "" : ".", places < 0 ? 0 : places,
						 digits + 3, ends[e]);
					assert_same_taken(text);
				}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_same_taken(others[i]);
}

/* "Decimals that are not zero: 3 of 0.125." */
TEST(places)
{
	static const struct {
		const char *text;
		unsigned places;
	} cases[] = {
		{ "0.125", 3 },  { "1.50", 1 },    { "100", 0 },   { "1e-3", 3 },  { "0", 0 },
		{ "12.5e1", 0 }, { "12.25e1", 1 }, { "0.000", 0 }, { "10e-1", 0 }, { "-0.01", 2 },
	};
	struct tl_decimal number;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(tl_decimal_parse((const uint8_t *)cases[i].text, strlen(cases[i].text),
					     &number));
		assert_int_equal(tl_decimal_places(&number), cases[i].places);
	}
}

/*
 * Against the C library's strtod(), which rounds once: the same, or the number beside it; with many
 * zeros, 15 digits.
 */
TEST(doubles)
{
	static const char *const texts[] = { "0",
					     "1",
					     "-2.5",
					     "0.1",
					     "1e22",
					     "1e23",
					     "1e-5",
					     "7.5e3",
					     "1e300",
					     "-1e-300",
					     "1e308",
					     "1.7e308",
					     "1e309",
					     "-1e400",
					     "1e-400",
					     "5e-324",
					     "123456789.987654321",
					     "9007199254740993",
					     "0.000001",
					     "1e9999999999",
					     "-0.125" };
	struct tl_decimal number;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		double wanted = strtod(texts[i], NULL), have;

		assert_true(tl_decimal_parse((const uint8_t *)texts[i], strlen(texts[i]), &number));
		have = tl_decimal_double(&number);
		if (have != wanted && nextafter(have, wanted) != wanted &&
		    (abs(number.exponent) <= 22 || fabs(have - wanted) > 1e-15 * fabs(wanted)))
			fail_msg("%s is %.17g, not %.17g", texts[i], have, wanted);
	}
	/* Usual numbers are exact. */
	assert_true(tl_decimal_parse((const uint8_t *)"7.5", 3, &number));
	assert_true(tl_decimal_double(&number) == 7.5);
}

/* Numbers of the usual form are read in one pass, and others are not; both ways give the same. */
TEST(usual_numbers_in_one_pass)
{
	static const struct {
		const char *text;
		int size; /* 0: not of the usual form */
	} cases[] = {
		{ "0,", 1 },
		{ "17}", 2 },
		{ "-3.25 ", 5 },
		{ "00.50]", 5 },
		{ "1.:", 2 },
		{ "1234567890123456789,", 19 },
		{ "123456789.0123456789,", 20 },
		{ "9999999999999999999,", 19 },
		{ "12345678901234567890,", 0 },
		{ "1.2345678901234567890,", 0 },
		{ "-,", 0 },
		{ "+1,", 0 },
		{ ".5,", 0 },
		{ "-.5,", 0 },
		{ "x", 0 },
		{ "1e5,", 1 },
		{ "1-2,", 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint8_t *text = (const uint8_t *)cases[i].text;
		struct tl_decimal one = { .exponent = -7, .rounded = true }, general;
		const uint8_t *stop = tl_decimal_take(text, &one);

		assert_int_equal(stop ? stop - text : 0, cases[i].size);
		if (!stop)
			continue;
		assert_true(tl_decimal_parse(text, (size_t)(stop - text), &general));
		assert_int_equal(one.digits, general.digits);
		assert_int_equal(one.exponent, general.exponent);
		assert_int_equal(one.negative, general.negative);
		assert_false(one.rounded);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimals), cmocka_unit_test(numbers_taken_by_the_word),
		cmocka_unit_test(places),   cmocka_unit_test(usual_numbers_in_one_pass),
		cmocka_unit_test(doubles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
