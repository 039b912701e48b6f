/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

#include "callgrind/text/parse_number.h"
#include "callgrind/reader/reader.h"

/*
 * A number in a buffer as the reader's: it ends in a newline, and 16 bytes behind it may be read.
 */
static const uint8_t *buffer_of(const char *text)
{
	static uint8_t buffer[128];

	memset(buffer, '7', sizeof(buffer));
	memcpy(buffer, text, strlen(text));
	buffer[strlen(text)] = '\n';
	return buffer;
}

static void expect_number(const char *text, uint64_t wanted, size_t length)
{
	const uint8_t *p = buffer_of(text);
	uint64_t value = 99;
	bool over = false;

	assert_ptr_equal(tl_callgrind_parse_number(p, &value, &over), p + length);
	assert_int_equal(value, wanted);
	assert_false(over);
}

/* "Number := HexNumber | (Digit)+", of any length that fits 64 bits */
TEST(numbers_of_every_length)
{
	char text[32] = "";
	uint64_t wanted = 0;

	for (size_t i = 1; i <= 19; i++) {
		text[i - 1] = (char)('0' + i % 10);
		wanted = wanted * 10 + i % 10;
		expect_number(text, wanted, i);
	}
	expect_number("18446744073709551615", UINT64_MAX, 20);
	expect_number("00000000000000000000000012", 12, 26);
}

/* "HexNumber := 0x (Digit | HexChar)+", upper case too */
TEST(hexadecimal)
{
	expect_number("0x10", 16, 4);
	expect_number("0xffffffffffffffff", UINT64_MAX, 18);
	expect_number("0XaBcD", 0xabcd, 6);
	expect_number("0", 0, 1);
	expect_number("0 5", 0, 1);
	/* no digit behind it: a 0, and the line is wrong at the x */
	expect_number("0x", 0, 1);
}

TEST(not_a_number)
{
	uint64_t value;
	bool over = false;

	assert_null(tl_callgrind_parse_number(buffer_of("x"), &value, &over));
	assert_null(tl_callgrind_parse_number(buffer_of(""), &value, &over));
	assert_null(tl_callgrind_parse_number(buffer_of("\xb1"), &value, &over));
	assert_false(over);
}

/* One more than 64 bits hold: all digits are taken, and the caller is told. */
TEST(too_large)
{
	const uint8_t *p = buffer_of("18446744073709551616");
	uint64_t value;
	bool over = false;

	assert_ptr_equal(tl_callgrind_parse_number(p, &value, &over), p + 20);
	assert_true(over);
	over = false;
	p = buffer_of("0x10000000000000000");
	assert_ptr_equal(tl_callgrind_parse_number(p, &value, &over), p + 19);
	assert_true(over);
}

struct cost {
	int64_t value;
	bool over, fraction, bad;
};

static struct cost cost_of(const char *text)
{
	struct cost cost = { 0, false, false, false };
	const uint8_t *p = buffer_of(text);
	const uint8_t *end = tl_callgrind_unusual_cost(p, p + strlen(text), &cost.value, &cost.over,
						       &cost.fraction);

	cost.bad = end != p + strlen(text);
	return cost;
}

/* "floats: scale or truncate with a report, never silently"; a whole number in another notation
 * loses nothing
 */
TEST(fractions)
{
	static const struct {
		const char *text;
		struct cost cost;
	} rows[] = {
		{ "12.5", { 12, false, true, false } },
		{ "1e3", { 1000, false, false, false } },
		{ "1487.50", { 1487, false, true, false } },
		{ "12.0", { 12, false, false, false } },
		{ "-2.5", { -2, false, true, false } },
		{ ".5", { 0, false, true, false } },
		{ "5.", { 5, false, false, false } },
		{ "1.25e1", { 12, false, true, false } },
		{ "125e-1", { 12, false, true, false } },
		{ "1e400000", { INT64_MAX, true, false, false } },
		{ "0e400000", { 0, false, false, false } },
		{ "1e-400000", { 0, false, true, false } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cost got = cost_of(rows[i].text);

		assert_int_equal(got.value, rows[i].cost.value);
		assert_int_equal(got.over, rows[i].cost.over);
		assert_int_equal(got.fraction, rows[i].cost.fraction);
		assert_int_equal(got.bad, rows[i].cost.bad);
	}
}

/* "negative costs: signed sums"; the range of 64 bits to its ends */
TEST(signs_and_limits)
{
	assert_int_equal(cost_of("-840").value, -840);
	assert_int_equal(cost_of("-9223372036854775808").value, INT64_MIN);
	assert_false(cost_of("-9223372036854775808").over);
	assert_true(cost_of("-9223372036854775809").over);
	assert_int_equal(cost_of("9223372036854775807").value, INT64_MAX);
	assert_int_equal(cost_of("9223372036854775808").value, INT64_MAX);
	assert_true(cost_of("9223372036854775808").over);
	assert_int_equal(cost_of("0x10").value, 16);
	assert_true(cost_of("1x").bad);
	assert_true(cost_of("-").bad);
	assert_true(cost_of("1.2.3").bad);
	assert_true(cost_of("1e").bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_length),
		cmocka_unit_test(hexadecimal),
		cmocka_unit_test(not_a_number),
		cmocka_unit_test(too_large),
		cmocka_unit_test(fractions),
		cmocka_unit_test(signs_and_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
