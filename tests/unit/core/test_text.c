/* SPDX-License-Identifier: Apache-2.0 */
/* Text and numbers of core/output.h. */
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include "../unit.h"

#include "core/output.h"

static int setup(void **state)
{
	return tl_output_open_memory((struct tl_output **)state, NULL);
}

static int teardown(void **state)
{
	tl_output_discard(*state);
	return 0;
}

/* What was written since `from`, against the text expected. */
static void expect(struct tl_output *out, size_t from, const char *wanted, size_t wanted_size)
{
	size_t size;
	const char *bytes = tl_output_bytes(out, &size);

	assert_int_equal(size - from, wanted_size);
	assert_memory_equal(bytes + from, wanted, wanted_size);
}

static size_t written(struct tl_output *out)
{
	size_t size;

	tl_output_bytes(out, &size);
	return size;
}

/* Every count of digits, and both sides of each power of ten: printf is the judge. */
static void numbers_are_those_of_printf(void **state)
{
	char wanted[128];
	uint64_t power = 1;

	for (int digits = 0; digits < 20; digits++, power *= 10) {
		for (uint64_t value = power - 1; value != power + 2; value++) {
			size_t from = written(*state);

			tl_put_u64(*state, value);
			tl_put_char(*state, ' ');
			tl_put_i64(*state, (int64_t)value);
			tl_put_char(*state, ' ');
			tl_put_i64(*state, -(int64_t)value);
			tl_put_char(*state, ' ');
			tl_put_hex(*state, value);
			int size = snprintf(wanted, sizeof(wanted),
					    "%" PRIu64 " %" PRId64 " %" PRId64 " 0x%" PRIx64, value,
					    (int64_t)value, -(int64_t)value, value);
			expect(*state, from, wanted, (size_t)size);
		}
	}
}

/* All numbers whose digits are made at once, and digits of every kind in every place. */
static void numbers_of_all_digits(void **state)
{
	char wanted[64];
	size_t from = 0;

	for (uint64_t value = 0; value <= 10010; value++) {
		int size = snprintf(wanted, sizeof(wanted), "%" PRIu64 "|", value);

		tl_put_u64(*state, value);
		tl_put_char(*state, '|');
		expect(*state, from, wanted, (size_t)size);
		from += (size_t)size;
	}
	for (uint64_t value = UINT64_C(0xfedcba9876543210), i = 0; i < 6400; i++) {
		uint64_t part = value >> i % 64;
		int size =
			snprintf(wanted, sizeof(wanted), "%" PRIu64 "0x%" PRIx64 "|", part, part);

		tl_put_u64(*state, part);
		tl_put_hex(*state, part);
		tl_put_char(*state, '|');
		expect(*state, from, wanted, (size_t)size);
		from += (size_t)size;
		value = value * UINT64_C(6364136223846793005) + 1442695040888963407;
	}
}

static void the_outermost_numbers(void **state)
{
	tl_put_u64(*state, UINT64_MAX);
	tl_put_i64(*state, INT64_MIN);
	tl_put_hex(*state, UINT64_MAX);
	tl_put_hex(*state, 0);
	static const char wanted[] =
		"18446744073709551615-92233720368547758080xffffffffffffffff0x0";

	expect(*state, 0, wanted, sizeof(wanted) - 1);
}

static const struct {
	double value;
	const char *text;
	/* clang-format off */
} doubles[] = {
	{ 0, "0" },
	{ -0.0, "-0" },
	{ 1, "1" },
	{ -42, "-42" },
	{ 0.1, "0.1" },
	{ 0.5, "0.5" },
	{ 1.0 / 3, "0.3333333333333333" },        /* needs 16 digits */
	{ 0.1 + 0.2, "0.30000000000000004" },     /* needs 17 digits */
	{ 123456789.125, "123456789.125" },
	{ 999999999999999, "999999999999999" },
	{ 1e15, "1e+15" },
	{ 1e300, "1e+300" },
	{ -1.5e-7, "-1.5e-07" },
	{ 9007199254740993.0, "9007199254740992" }, /* 2^53 + 1 is not a double */
	{ 1.7976931348623157e308, "1.7976931348623157e+308" },
};
/* clang-format on */

static void doubles_are_written_by_hand(void **state)
{
	for (size_t i = 0; i < sizeof(doubles) / sizeof(doubles[0]); i++) {
		size_t from = written(*state);

		tl_put_double(*state, doubles[i].value);
		expect(*state, from, doubles[i].text, strlen(doubles[i].text));
	}
}

/* "The shortest decimal form that reads back as the same double": so do 20000 bit patterns. */
static void doubles_read_back(void **state)
{
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		char text[64] = { 0 };
		double value, back;
		size_t from = written(*state);

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		memcpy(&value, &seed, sizeof(value));
		if (!isfinite(value))
			continue;
		tl_put_double(*state, value);
		size_t size;
		const char *bytes = tl_output_bytes(*state, &size);

		assert_true(size - from < sizeof(text));
		memcpy(text, bytes + from, size - from);
		assert_int_equal(sscanf(text, "%lf", &back), 1);
		assert_memory_equal(&back, &value, sizeof(value));
	}
}

static void not_finite_doubles_have_names(void **state)
{
	tl_put_double(*state, (double)NAN);
	tl_put_double(*state, (double)INFINITY);
	tl_put_double(*state, -(double)INFINITY);
	expect(*state, 0, "naninf-inf", 10);
}

/* "never locale dependent" */
static void the_decimal_point_is_a_dot_in_every_locale(void **state)
{
	static const char *const locales[] = { "de_DE.UTF-8", "de_DE", "fr_FR.UTF-8",
					       "pl_PL.UTF-8" };
	const char *found = NULL;

	for (size_t i = 0; !found && i < sizeof(locales) / sizeof(locales[0]); i++)
		found = setlocale(LC_NUMERIC, locales[i]);
	if (!found)
		skip();
	tl_put_double(*state, 1234.5);
	tl_put_double(*state, 1e-10);
	tl_put_double(*state, 1.25e-10);
	setlocale(LC_NUMERIC, "C");
	expect(*state, 0, "1234.51e-101.25e-10", 19);
}

#define JSON(text, wanted) { text, sizeof(text) - 1, "\"" wanted "\"", sizeof(wanted) + 1 }
#define BAD "\xef\xbf\xbd" /* U+FFFD */

static const struct {
	const char *text;
	size_t size;
	const char *wanted;
	size_t wanted_size;
	/* clang-format off */
} strings[] = {
	JSON("", ""),
	JSON("main", "main"),
	/* RFC 8259, section 7: quotation mark, reverse solidus and U+0000 to U+001F are escaped. */
	JSON("a\"b\\c/d", "a\\\"b\\\\c/d"),
	JSON("\b\f\n\r\t", "\\b\\f\\n\\r\\t"),
	JSON("\0\x01\x1f\x20\x7f", "\\u0000\\u0001\\u001f \\u007f"),
	/* The first and last code point of each length. */
	JSON("\xc2\xa0\xdf\xbf", "\xc2\xa0\xdf\xbf"),
	/*
	 * What would steer a terminal is escaped, which reads back as the same (RFC 8259, section
	 * 7).
	 */
	JSON("\xc2\x9b\xe2\x80\xae\xd8\x9c", "\\u009b\\u202e\\u061c"),
	JSON("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
	     "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf"),
	JSON("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"),
	/*
	 * RFC 3629, sections 3 and 10: overlong, surrogates, past U+10FFFF, lone and missing
	 * continuations.
	 */
	JSON("\xc0\xaf", BAD BAD),
	JSON("\xc1\xbf", BAD BAD),
	JSON("\xe0\x9f\xbf", BAD BAD BAD),
	JSON("\xf0\x8f\xbf\xbf", BAD BAD BAD BAD),
	JSON("\xed\xa0\x80", BAD BAD BAD),
	JSON("\xed\xbf\xbf", BAD BAD BAD),
	JSON("\xf4\x90\x80\x80", BAD BAD BAD BAD),
	JSON("\xf5\x80\x80\x80", BAD BAD BAD BAD),
	JSON("\x80 \xbf", BAD " " BAD),
	JSON("\xfe\xff", BAD BAD),
	JSON("a\xc3", "a" BAD),
	JSON("\xe2\x82", BAD BAD),
	JSON("\xf0\x9f\x98", BAD BAD BAD),
	JSON("\xe2\x82z\xc3(", BAD BAD "z" BAD "("),
};
/* clang-format on */

static void json_strings(void **state)
{
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		size_t from = written(*state);

		tl_put_json(*state, strings[i].text, strings[i].size);
		expect(*state, from, strings[i].wanted, strings[i].wanted_size);
	}
}

/*
 * The characters that are not shown as they are, by the Unicode Character Database: Cc;
 * Bidi_Control; Zl and Zp.
 */
static const struct {
	unsigned first, last;
	/* clang-format off */
} hidden[] = {
	{ 0x0, 0x1f },	    { 0x7f, 0x9f },	{ 0x61c, 0x61c },   { 0x200e, 0x200f },
	{ 0x2028, 0x202e }, { 0x2066, 0x2069 },
};
/* clang-format on */

static bool is_hidden(unsigned code)
{
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (code >= hidden[i].first && code <= hidden[i].last)
			return true;
	return false;
}

/* RFC 3629, section 3. */
static size_t encode(unsigned code, char *text)
{
	static const unsigned limits[] = { 0x80, 0x800, 0x10000, 0x110000 },
			      heads[] = { 0, 0xc0, 0xe0, 0xf0 };
	size_t more = 0;

	while (code >= limits[more])
		more++;
	text[0] = (char)(heads[more] | code >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		text[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/*
 * "Control characters and bytes that are not UTF-8 become \xNN; C1 controls ... \uNNNN; everything
 * else stays."
 */
TEST(every_character_as_shown)
{
	for (unsigned code = 0; code < 0x110000; code++) {
		char text[5] = { 0 }, wanted[16], shown[TL_SHOWN_BYTES];
		size_t size = encode(code, text);

		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		if (is_hidden(code))
			snprintf(wanted, sizeof(wanted), code < 0x80 ? "\\x%02x" : "\\u%04x", code);
		else
			memcpy(wanted, text, size + 1);
		assert_int_equal(tl_shown_character(text, size, shown), size);
		assert_string_equal(shown, wanted);
	}
}

static void what_is_not_utf8_is_shown_by_byte(void **state)
{
	static const char text[] = " ~\x7f\x1f"
				   "a\xff\xc3(\xe2\x80",
			  wanted[] = " ~\\x7f\\x1fa\\xff\\xc3(\\xe2\\x80";

	tl_put_shown(*state, text, sizeof(text) - 1);
	expect(*state, 0, wanted, sizeof(wanted) - 1);
}

/*
 * RFC 4180, section 2, rules 5 to 7: quotes round commas, quotes and line breaks; quotes doubled.
 */
static void csv_fields(void **state)
{
	tl_put_csv(*state, "plain text");
	tl_put_char(*state, '|');
	tl_put_csv(*state, "a,b");
	tl_put_char(*state, '|');
	tl_put_csv(*state, "say \"x\"");
	tl_put_char(*state, '|');
	tl_put_csv(*state, "two\nlines\r");
	tl_put_char(*state, '|');
	tl_put_csv(*state, "");
	static const char wanted[] = "plain text|\"a,b\"|\"say \"\"x\"\"\"|\"two\nlines\r\"|";

	expect(*state, 0, wanted, sizeof(wanted) - 1);
}

/* A line longer than the room of one write is not cut. */
static void formatted_lines_of_any_length(void **state)
{
	for (int size = TL_OUTPUT_ROOM - 2; size < TL_OUTPUT_ROOM + 3; size++) {
		size_t from = written(*state);

		tl_put_format(*state, "%0*d", size, 7);
		assert_int_equal(written(*state) - from, size);
		tl_put_format(*state, "%s-%d", "x", 12);
		size_t total;
		const char *bytes = tl_output_bytes(*state, &total);

		assert_memory_equal(bytes + total - 6, "07x-12", 6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_are_those_of_printf, setup, teardown),
		cmocka_unit_test_setup_teardown(numbers_of_all_digits, setup, teardown),
		cmocka_unit_test_setup_teardown(the_outermost_numbers, setup, teardown),
		cmocka_unit_test_setup_teardown(doubles_are_written_by_hand, setup, teardown),
		cmocka_unit_test_setup_teardown(doubles_read_back, setup, teardown),
		cmocka_unit_test_setup_teardown(not_finite_doubles_have_names, setup, teardown),
		cmocka_unit_test_setup_teardown(the_decimal_point_is_a_dot_in_every_locale, setup,
						teardown),
		cmocka_unit_test_setup_teardown(json_strings, setup, teardown),
		cmocka_unit_test_setup_teardown(every_character_as_shown, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_utf8_is_shown_by_byte, setup, teardown),
		cmocka_unit_test_setup_teardown(csv_fields, setup, teardown),
		cmocka_unit_test_setup_teardown(formatted_lines_of_any_length, setup, teardown),
	};

	return cmocka_run_group_tests_name("core text", tests, NULL, NULL);
}
