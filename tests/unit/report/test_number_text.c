/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include "report/number_text.h"

TEST(counts_have_commas_between_thousands)
{
	static const struct {
		uint64_t value;
		const char *text;
		/* clang-format off */
	} cases[] = {
		{ 0, "0" },
		{ 999, "999" },
		{ 1000, "1,000" },
		{ 1234567, "1,234,567" },
		{ UINT64_MAX, "18,446,744,073,709,551,615" },
	};
	/* clang-format on */
	char text[TL_VALUE_ROOM];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(tl_format_count(text, cases[i].value), strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
	}
}

/* "Four digits in the largest unit that leaves no zero in front." */
TEST(times_have_four_digits_and_a_unit)
{
	static const struct {
		uint64_t ticks, rate;
		const char *text;
		/* clang-format off */
	} cases[] = {
		{ 0, 1000000000, "0" },
		{ 1, 1000000000, "1.000 ns" },
		{ 61, 2000000000, "30.50 ns" },
		{ 999, 1000000000, "999.0 ns" },
		{ 999960, 1000000000, "1.000 ms" }, /* not "1000.0 us" */
		{ 999940, 1000000000, "999.9 us" },
		{ 1500, 1000, "1.500 s" },
		{ 123456789, 1000, "123,456.8 s" },
		{ 2596134000, 2596134000, "1.000 s" },
		{ 1234567, 0, "1,234,567" }, /* a tick of unknown length */
	};
	/* clang-format on */
	char text[TL_VALUE_ROOM];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tl_format_time(text, cases[i].ticks, cases[i].rate);
		assert_string_equal(text, cases[i].text);
	}
	/* 2^64 seconds do not overflow the room. */
	assert_true(tl_format_time(text, UINT64_MAX, 1) < TL_VALUE_ROOM);
}

TEST(seconds_have_nine_decimals)
{
	char text[TL_VALUE_ROOM];

	tl_format_seconds(text, 1, 1000000000);
	assert_string_equal(text, "0.000000001");
	tl_format_seconds(text, 3, 2);
	assert_string_equal(text, "1.500000000");
	tl_format_seconds(text, 1234, 0);
	assert_string_equal(text, "1,234");
	assert_true(tl_format_seconds(text, UINT64_MAX, 1) < TL_VALUE_ROOM);
}

TEST(shares_are_percent_of_the_total)
{
	char text[TL_VALUE_ROOM];

	tl_format_share(text, 1, 3);
	assert_string_equal(text, "33.33%");
	tl_format_share(text, 5, 5);
	assert_string_equal(text, "100.00%");
	tl_format_share(text, -1, 8); /* differences go below zero */
	assert_string_equal(text, "-12.50%");
	tl_format_share(text, 1, 0);
	assert_string_equal(text, "-");
	assert_true(tl_format_share(text, INT64_MIN, 1) < TL_VALUE_ROOM);
}

/* A sign, then a count, a time or seconds; the least number has no positive counterpart. */
TEST(costs_have_a_sign)
{
	char text[TL_VALUE_ROOM];

	assert_int_equal(tl_format_cost(text, INT64_MIN, 0, false), 26);
	assert_string_equal(text, "-9,223,372,036,854,775,808");
	tl_format_cost(text, 1234, 0, true);
	assert_string_equal(text, "1,234");
	tl_format_cost(text, -1500, 1000000, false);
	assert_string_equal(text, "-1.500 ms");
	assert_int_equal(tl_format_cost(text, -1500, 1000000, true), 12);
	assert_string_equal(text, "-0.001500000");
}

/* A name in a trace must not be able to steer the terminal. */
TEST(control_characters_do_not_reach_the_terminal)
{
	struct tl_output *out;
	size_t size;

	assert_int_equal(tl_output_open_memory(&out, NULL), 0);
	tl_put_name(out, "a\033[2Jb\n\x7f"
			 "\xc3\xa9");
	tl_put_blanks(out, 130);
	assert_memory_equal(tl_output_bytes(out, &size), "a\\x1b[2Jb\\x0a\\x7f\xc3\xa9   ", 22);
	assert_int_equal(size, 19 + 130);
	tl_output_discard(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_have_commas_between_thousands),
		cmocka_unit_test(times_have_four_digits_and_a_unit),
		cmocka_unit_test(seconds_have_nine_decimals),
		cmocka_unit_test(shares_are_percent_of_the_total),
		cmocka_unit_test(costs_have_a_sign),
		cmocka_unit_test(control_characters_do_not_reach_the_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
