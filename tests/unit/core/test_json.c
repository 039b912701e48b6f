/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of JSON (RFC 8259) and decimal numbers. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/core.h>

#include "core/text/decimal.h"
#include "core/text/json.h"

/* The tokens of a text, a character each, and the status behind the last one. */
static int tokens_of(const char *text, size_t size, char *kinds, size_t room, struct tl_json *j)
{
	static const char letters[] = "{}[]ksntf0";
	struct tl_source *source;
	size_t count = 0;
	int status;

	assert_int_equal(tl_source_open_memory(&source, text, size, "text", NULL), 0);
	assert_true(tl_json_begin(j, source));
	while ((status = tl_json_next(j, NULL)) > 0)
		if (count + 1 < room)
			kinds[count++] = letters[j->token.kind];
	kinds[count] = '\0';
	tl_json_end(j);
	tl_source_close(source);
	return status;
}

TEST(texts_of_the_grammar)
{
	static const struct {
		const char *text, *kinds;
		int status;
		unsigned offset;
	} cases[] = {
		{ "{}", "{}", 0, 0 },
		{ " [ ] ", "[]", 0, 0 },
		{ "\"x\"", "s", 0, 0 },
		{ "-1.5e+3", "n", 0, 0 },
		{ "[true,false,null]", "[tf0]", 0, 0 },
		{ "{\"a\" : [1, {\"b\":\"c\"}], \"d\":{}}", "{k[n{ks}]k{}}", 0, 0 },
		/* What is taken beside the grammar. */
		{ "[1,]", "[n]", 0, 0 },
		{ "{\"a\":1,}", "{kn}", 0, 0 },
		{ "[\"a\nb\"]", "[s]", 0, 0 },
		/* What is not. */
		{ "[1 2]", "[n", TL_BAD_RECORD, 3 },
		{ "[1}", "[n", TL_BAD_RECORD, 2 },
		{ "{\"a\" 1}", "{", TL_BAD_RECORD, 5 },
		{ "{1:2}", "{", TL_BAD_RECORD, 1 },
		{ "[x]", "[", TL_BAD_RECORD, 1 },
		{ "[nul]", "[", TL_BAD_RECORD, 1 },
		{ "]", "", TL_BAD_RECORD, 0 },
		{ "1 2", "n", TL_BAD_RECORD, 2 },
		{ "", "", TL_TRUNCATED, 0 },
		{ "[1", "[n", TL_TRUNCATED, 2 },
		{ "[1,", "[n", TL_TRUNCATED, 3 },
		{ "{\"a\"", "{", TL_TRUNCATED, 4 },
		{ "{\"a\":", "{k", TL_TRUNCATED, 5 },
		{ "\"a\\", "", TL_TRUNCATED, 3 },
		{ "[tru", "[", TL_TRUNCATED, 4 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_json j;
		char kinds[64];
		int status =
			tokens_of(cases[i].text, strlen(cases[i].text), kinds, sizeof(kinds), &j);

		assert_string_equal(kinds, cases[i].kinds);
		assert_int_equal(status, cases[i].status);
		if (status < 0) {
			assert_true(tl_json_is_fault(&j, status));
			assert_int_equal(j.fault_offset, cases[i].offset);
		}
	}
}

TEST(escapes)
{
	static const char text[] = "[\"a\\\"b\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20AC\\ud83d\\ude00"
				   "\\ud800x\\u12\", \"plain\"]";
	static const char expected[] = "a\"b\\/\b\f\n\r\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"
				       "\xef\xbf\xbdx\xef\xbf\xbd"
				       "12";
	struct tl_source *source;
	struct tl_json j;
	const char *have;
	size_t size;

	assert_int_equal(tl_source_open_memory(&source, text, sizeof(text) - 1, "text", NULL), 0);
	assert_true(tl_json_begin(&j, source));
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	have = tl_json_string(&j, &size, NULL);
	assert_int_equal(size, sizeof(expected) - 1);
	assert_memory_equal(have, expected, size);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_true(tl_json_is(&j, "plain"));
	assert_int_equal(j.token.offset, strstr(text, "\"plain") - text);
	tl_json_end(&j);
	tl_source_close(source);
}

/* A megabyte of "[": the depth is bounded, and told where. */
TEST(depth_is_bounded)
{
	enum { SIZE = 1 << 20 };
	char *text = malloc(SIZE), kinds[8];
	struct tl_json j;

	memset(text, '[', SIZE);
	assert_int_equal(tokens_of(text, SIZE, kinds, sizeof(kinds), &j), TL_BAD_RECORD);
	assert_int_equal(j.fault_offset, TL_JSON_DEPTH);
	free(text);
}

/* Tokens on both sides of the end of the buffer, and one that is longer than it. */
TEST(tokens_cross_the_buffer)
{
	enum { COUNT = 60000, LONG = 1 << 20 };
	char *text = malloc(16 * COUNT + LONG + 64), *p = text;
	struct tl_source *source;
	struct tl_json j;

	*p++ = '[';
	for (int i = 0; i < COUNT; i++) {
		memcpy(p, "\"\\\"key\",12345,", 14);
		p += 14;
	}
	*p++ = '"';
	memset(p, 'x', LONG);
	p += LONG;
	memcpy(p, "\"]", 2);
	p += 2;
	assert_int_equal(tl_source_open_memory(&source, text, (size_t)(p - text), "text", NULL), 0);
	assert_true(tl_json_begin(&j, source));
	assert_int_equal(tl_json_next(&j, NULL), 1);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_true(j.token.escaped && tl_json_is(&j, "\\\"key"));
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_int_equal(j.token.kind, TL_JSON_NUMBER);
		assert_int_equal(j.token.size, 5);
		assert_int_equal(j.token.offset, 1 + 14 * i + 8);
	}
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(j.token.size, LONG);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(tl_json_next(&j, NULL), 0);
	tl_json_end(&j);
	tl_source_close(source);
	free(text);
}

/* Behind a bad element of an array the next one that begins as an element does. */
TEST(elements_behind_damage)
{
	static const char text[] = "{\"e\":[{\"a\":1},{\"a\":oops,\"b\":[2]}, {\"a\":3}],\"z\":4}";
	struct tl_source *source;
	struct tl_json j;

	assert_int_equal(tl_source_open_memory(&source, text, sizeof(text) - 1, "text", NULL), 0);
	assert_true(tl_json_begin(&j, source));
	while (tl_json_next(&j, NULL) > 0)
		continue;
	assert_int_equal(j.fault_offset, strstr(text, "oops") - text);
	assert_int_equal(tl_json_resume(&j, 2, '{', NULL), 1);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(j.token.kind, TL_JSON_OBJECT);
	assert_int_equal(j.token.offset, strstr(text, "{\"a\":3") - text);
	assert_int_equal(tl_json_skip(&j, NULL), 1);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(j.token.kind, TL_JSON_ARRAY_END);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_true(tl_json_is(&j, "z"));
	assert_int_equal(tl_json_resume(&j, 2, '{', NULL), 0);
	tl_json_end(&j);
	tl_source_close(source);
}

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
	};
	static const char *const bad[] = { "", "-", ".", "1x", "1e", "e5", "1.2.3", "--1", " 1" };
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_the_grammar),   cmocka_unit_test(escapes),
		cmocka_unit_test(depth_is_bounded),       cmocka_unit_test(tokens_cross_the_buffer),
		cmocka_unit_test(elements_behind_damage), cmocka_unit_test(decimals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
