/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of JSON (RFC 8259). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"

#include <tracelathe/core.h>

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
		{ " \t\r\n{ \t\r\n\"a\" \t\r\n: \t\r\n0 \t\r\n}\t", "{kn}", 0, 0 },
		/* What is taken beside the grammar. */
		{ "[1,]", "[n]", 0, 0 },
		{ "{\"a\":1,}", "{kn}", 0, 0 },
		{ "[\"a\nb\"]", "[s]", 0, 0 },
		{ "\xef\xbb\xbf[1]", "[n]", 0, 0 },
		/* What is not. */
		{ "[1]\xef\xbb\xbf", "[n]", TL_BAD_RECORD, 3 },
		{ "\xef\xbb\xbf\xef\xbb\xbf[1]", "", TL_BAD_RECORD, 3 },
		{ "[1 2]", "[n", TL_BAD_RECORD, 3 },
		{ "[1}", "[n", TL_BAD_RECORD, 2 },
		{ "{\"a\" 1}", "{", TL_BAD_RECORD, 5 },
		{ "{1:2}", "{", TL_BAD_RECORD, 1 },
		{ "[x]", "[", TL_BAD_RECORD, 1 },
		{ "[nul]", "[", TL_BAD_RECORD, 1 },
		{ "]", "", TL_BAD_RECORD, 0 },
		{ "[\f1]", "[", TL_BAD_RECORD, 1 },
		{ "{\"a\"\v:1}", "{", TL_BAD_RECORD, 4 },
		{ "[[1},2]", "[[n", TL_BAD_RECORD, 3 },
		{ "{\"a\":}", "{k", TL_BAD_RECORD, 5 },
		{ "{]", "{", TL_BAD_RECORD, 1 },
		{ "[1]]", "[n]", TL_BAD_RECORD, 3 },
		{ "[/]", "[", TL_BAD_RECORD, 1 },
		{ "[:]", "[", TL_BAD_RECORD, 1 },
		{ "[+1]", "[", TL_BAD_RECORD, 1 },
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

/* The escapes of a string, and what they are in UTF-8 (RFC 3629, RFC 2781 for two of them). */
TEST(escapes_one_by_one)
{
#define BAD "\xef\xbf\xbd" /* U+FFFD */
	static const struct {
		const char *text, *decoded;
	} cases[] = {
		{ "\\u0001", "\x01" },
		{ "\\u007f", "\x7f" },
		{ "\\u0080", "\xc2\x80" },
		{ "\\u07ff", "\xdf\xbf" },
		{ "\\u0800", "\xe0\xa0\x80" },
		{ "\\uD7FF", "\xed\x9f\xbf" },
		{ "\\ue000", "\xee\x80\x80" },
		{ "\\uffff", "\xef\xbf\xbf" },
		{ "\\uABCD\\uabcd", "\xea\xaf\x8d\xea\xaf\x8d" },
		{ "\\ud800\\udc00", "\xf0\x90\x80\x80" },
		{ "\\udbff\\udfff", "\xf4\x8f\xbf\xbf" },
		{ "\\ud801\\udc37", "\xf0\x90\x90\xb7" },
		/* A surrogate alone. */
		{ "\\udc00", BAD },
		{ "\\udfff\\ud800", BAD BAD },
		{ "\\ud800", BAD },
		{ "\\ud800\\ud800", BAD BAD },
		{ "\\ud800\\udbff", BAD BAD },
		{ "\\ud800\\ue000", BAD "\xee\x80\x80" },
		{ "\\ud800\\n12345", BAD "\n12345" },
		{ "\\ud800udc00.", BAD "udc00." },
		{ "\\ud800\\udc0", BAD BAD "dc0" },
		{ "\\ud800\\udc0x", BAD BAD "dc0x" },
		/* No digits. */
		{ "\\u", BAD },
		{ "\\u123", BAD "123" },
		{ "\\u12g4", BAD "12g4" },
		{ "\\u123/", BAD "123/" },
		{ "\\u123:", BAD "123:" },
		{ "\\u`123", BAD "`123" },
		{ "\\u@123", BAD "@123" },
		/* No escape of the grammar: the character. */
		{ "\\q\\'", "q'" },
	};
#undef BAD

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tl_source *source;
		struct tl_json j;
		char text[64];
		const char *have;
		size_t size;

		snprintf(text, sizeof(text), "\"%s\"", cases[i].text);
		assert_int_equal(tl_source_open_memory(&source, text, strlen(text), "text", NULL),
				 0);
		assert_true(tl_json_begin(&j, source));
		assert_int_equal(tl_json_next(&j, NULL), 1);
		have = tl_json_string(&j, &size, NULL);
		assert_int_equal(size, strlen(cases[i].decoded));
		assert_memory_equal(have, cases[i].decoded, size);
		tl_json_end(&j);
		tl_source_close(source);
	}
}

/* Each token has its place, and a number or string its text. */
TEST(places_of_tokens)
{
	static const char text[] = "{ \"ab\" : [ -1.5E+3 ,\"\",true ] ,\"\\u0063\":12}";
	static const struct {
		enum tl_json_kind kind;
		size_t offset;
		const char *text;
	} tokens[] = {
		{ TL_JSON_OBJECT, 0, NULL },     { TL_JSON_KEY, 2, "ab" },
		{ TL_JSON_ARRAY, 9, NULL },      { TL_JSON_NUMBER, 11, "-1.5E+3" },
		{ TL_JSON_STRING, 20, "" },      { TL_JSON_TRUE, 23, NULL },
		{ TL_JSON_ARRAY_END, 28, NULL }, { TL_JSON_KEY, 31, "\\u0063" },
		{ TL_JSON_NUMBER, 40, "12" },    { TL_JSON_OBJECT_END, 42, NULL },
	};
	struct tl_source *source;
	struct tl_json j;

	assert_int_equal(tl_source_open_memory(&source, text, sizeof(text) - 1, "text", NULL), 0);
	assert_true(tl_json_begin(&j, source));
	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_int_equal(j.token.kind, tokens[i].kind);
		assert_int_equal(j.token.offset, tokens[i].offset);
		if (tokens[i].text)
			assert_true(tl_json_is(&j, tokens[i].text));
	}
	assert_false(tl_json_is(&j, "1"));
	assert_false(tl_json_is(&j, "123"));
	assert_int_equal(tl_json_next(&j, NULL), 0);
	tl_json_end(&j);
	tl_source_close(source);
}

/* Objects in arrays in objects, deeper than one word has bits: each end has its own begin. */
TEST(containers_of_both_kinds_nest)
{
	for (int depth = 30; depth <= 70; depth++) {
		char text[70 * 8], kinds[8 * 70], *p = text;
		struct tl_json j;

		for (int i = 0; i < depth; i++)
			p = stpcpy(p, "[{\"\":");
		*p++ = '1';
		for (int i = 0; i < depth; i++)
			p = stpcpy(p, "}]");
		assert_int_equal(tokens_of(text, (size_t)(p - text), kinds, sizeof(kinds), &j), 0);
		assert_int_equal(strlen(kinds), 5 * depth + 1);
		/* The outermost end is of the wrong kind. */
		p[-1] = '}';
		assert_int_equal(tokens_of(text, (size_t)(p - text), kinds, sizeof(kinds), &j),
				 TL_BAD_RECORD);
		assert_int_equal(j.fault_offset, p - text - 1);
	}
}

/* "Behind a key: pass over its value. Behind the begin of a container: over the rest of it." */
TEST(values_are_passed_over)
{
	static const char text[] =
		"{\"a\":1,\"b\":[[2],{\"x\":[3]}],\"c\":{},\"d\":[4,[5],6],\"e\":[7";
	static const char *const keys[] = { "a", "b", "c" };
	struct tl_source *source;
	struct tl_json j;

	assert_int_equal(tl_source_open_memory(&source, text, sizeof(text) - 1, "text", NULL), 0);
	assert_true(tl_json_begin(&j, source));
	assert_int_equal(tl_json_next(&j, NULL), 1);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_true(tl_json_is(&j, keys[i]));
		assert_int_equal(tl_json_skip(&j, NULL), 1);
	}
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_true(tl_json_is(&j, "d"));
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(tl_json_skip(&j, NULL), 1);
	assert_int_equal(j.token.kind, TL_JSON_ARRAY_END);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_true(tl_json_is(&j, "e"));
	assert_int_equal(tl_json_skip(&j, NULL), TL_TRUNCATED);
	assert_int_equal(j.fault_offset, sizeof(text) - 1);
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

/* What ends one element and begins the next: "} , {", with blanks or without. */
TEST(seams_between_elements)
{
	static const struct {
		const char *text;
		char open;
		int offset; /* -1: there is none */
	} cases[] = {
		{ "},{", '{', 2 },     { "} ,\n\r\t {", '{', 7 }, { "}}},{", '{', 4 },
		{ "],{},{", '{', 5 },  { "],[", '[', 2 },         { "x}x},{", '{', 5 },
		{ "},{", '[', -1 },    { "],[", '{', -1 },        { "},[", '{', -1 },
		{ "} {,{", '{', -1 },  { "},x{", '{', -1 },       { "},,{", '{', -1 },
		{ "}x,{", '{', -1 },   { "}\f,{", '{', -1 },      { "},", '{', -1 },
		{ "},{x},{", '{', 2 }, { ",{", '{', -1 },         { "}{", '{', -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text;
		struct tl_source *source;
		struct tl_json j;

		assert_int_equal(tl_source_open_memory(&source, text, strlen(text), "text", NULL),
				 0);
		assert_true(tl_json_begin(&j, source));
		assert_int_equal(tl_json_resume(&j, 1, (uint8_t)cases[i].open, NULL),
				 cases[i].offset >= 0);
		if (cases[i].offset >= 0) {
			assert_int_equal(tl_json_next(&j, NULL), 1);
			assert_int_equal(j.token.offset, cases[i].offset);
			assert_int_equal(j.depth, 2);
		} else {
			assert_int_equal(tl_json_offset(&j), strlen(text));
		}
		tl_json_end(&j);
		tl_source_close(source);
	}
}

/* The same where the end of the buffer falls into the seam. */
TEST(seams_cross_the_buffer)
{
	enum { BUFFER = 256 * 1024 };
	char *text = malloc(BUFFER + 8);

	for (size_t at = BUFFER - 4; at <= BUFFER; at++) {
		struct tl_source *source;
		struct tl_json j;

		memset(text, ' ', BUFFER + 8);
		memcpy(text + at, "} ,{}", 5);
		assert_int_equal(tl_source_open_memory(&source, text, BUFFER + 8, "text", NULL), 0);
		assert_true(tl_json_begin(&j, source));
		assert_int_equal(tl_json_resume(&j, 0, '{', NULL), 1);
		assert_int_equal(tl_json_offset(&j), at + 3);
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_int_equal(tl_json_next(&j, NULL), 0);
		tl_json_end(&j);
		tl_source_close(source);
	}
	free(text);
}

/* Where the value that begins an array ends, passed over in one step or token by token. */
struct passed {
	int status;
	uint64_t end, token, fault;
	uint32_t depth;
};

static struct passed pass_first(const char *text, size_t size, bool by_tokens)
{
	struct passed passed = { .fault = TL_NOWHERE };
	struct tl_source *source;
	struct tl_json j;

	assert_int_equal(tl_source_open_memory(&source, text, size, "text", NULL), 0);
	assert_true(tl_json_begin(&j, source));
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	passed.status = 1;
	if (!by_tokens)
		passed.status = tl_json_skip(&j, NULL);
	while (by_tokens && passed.status > 0 && j.depth > 1)
		passed.status = tl_json_next(&j, NULL);
	if (passed.status > 0) {
		passed.end = tl_json_offset(&j);
		passed.token = j.token.offset;
	} else {
		passed.fault = j.fault_offset;
	}
	passed.depth = j.depth;
	/* What follows is read as if the value had been. */
	while (passed.status > 0)
		passed.status = tl_json_next(&j, NULL);
	tl_json_end(&j);
	tl_source_close(source);
	return passed;
}

static void assert_passed_alike(const char *text, size_t size)
{
	const struct passed one = pass_first(text, size, false), all = pass_first(text, size, true);

	assert_int_equal(one.status, all.status);
	assert_int_equal(one.end, all.end);
	assert_int_equal(one.token, all.token);
	assert_int_equal(one.fault, all.fault);
	assert_int_equal(one.depth, all.depth);
}

/* A value that is passed over takes the same bytes, and has the same faults, as its tokens. */
TEST(values_are_passed_over_as_their_tokens_are)
{
	static const char text[] = "[{\"a\" :[1, {\"b\":\"x\\\"y\"} , [true,null,-1.5e3,{}] ],"
				   "\"c\":{\"d\":\"\\u0041\", } , \"e\":false\n},7]";
	static const char bytes[] = "{}[],:\"\\ \ntfn0-x";
	char changed[sizeof(text)];

	for (size_t size = 2; size <= sizeof(text) - 1; size++)
		assert_passed_alike(text, size);
	for (size_t i = 2; i < sizeof(text) - 1; i++)
		for (size_t k = 0; k < sizeof(bytes); k++) {
			memcpy(changed, text, sizeof(text));
			changed[i] = bytes[k];
			assert_passed_alike(changed, sizeof(text) - 1);
		}
}

/* Nested as deep as a word has bits, and deeper, up to the bound. */
TEST(deep_values_are_passed_over)
{
	static const size_t depths[] = { 1, 62, 63, 64, 65, 66, 1022, 1023, 1024 };
	char text[2 * 1024 + 4];

	for (size_t i = 0; i < sizeof(depths) / sizeof(depths[0]); i++) {
		text[0] = '[';
		memset(text + 1, '[', depths[i]);
		memset(text + 1 + depths[i], ']', depths[i]);
		memcpy(text + 1 + 2 * depths[i], ",1]", 3);
		assert_passed_alike(text, 2 * depths[i] + 4);
		assert_int_equal(pass_first(text, 2 * depths[i] + 4, false).status,
				 depths[i] < 1024 ? 0 : TL_BAD_RECORD);
	}
}

/* A token with what stands in it. */
static void assert_token(const struct tl_json *j, const struct tl_json_token *wanted)
{
	struct tl_decimal here, there;

	assert_int_equal(j->token.kind, wanted->kind);
	assert_false(j->token.escaped);
	if (wanted->kind != TL_JSON_KEY && wanted->kind != TL_JSON_STRING &&
	    wanted->kind != TL_JSON_NUMBER)
		return;
	assert_int_equal(j->token.size, wanted->size);
	assert_memory_equal(j->token.text, wanted->text, wanted->size);
	if (wanted->kind == TL_JSON_KEY)
		return;
	assert_int_equal(tl_json_decimal(&j->token, &here), tl_json_decimal(wanted, &there));
	if (tl_json_decimal(wanted, &there))
		assert_memory_equal(&here.digits, &there.digits, sizeof(here.digits));
}

/* The members of the object in an array, all at once, are those of its tokens. Their number. */
static int assert_members(const char *text, size_t size)
{
	struct tl_json_member members[4];
	struct tl_source *source;
	const uint8_t *behind;
	uint64_t end = 0;
	struct tl_json j;
	int count;

	assert_int_equal(tl_source_open_memory(&source, text, size, "text", NULL), 0);
	assert_true(tl_json_begin(&j, source));
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(tl_json_next(&j, NULL), 1);
	assert_int_equal(j.token.kind, TL_JSON_OBJECT);
	count = tl_json_members(&j, members, 4, &behind);
	if (count >= 0)
		end = tl_json_offset(&j) + (uint64_t)(behind - j.pos);
	for (int i = 0; i < count; i++) {
		members[i].key.kind = TL_JSON_KEY;
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_token(&j, &members[i].key);
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_token(&j, &members[i].value);
		if (j.depth > 2)
			assert_int_equal(tl_json_skip(&j, NULL), 1);
	}
	if (count >= 0) {
		assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_int_equal(j.token.kind, TL_JSON_OBJECT_END);
		assert_int_equal(tl_json_offset(&j), end);
	}
	tl_json_end(&j);
	tl_source_close(source);
	return count;
}

TEST(members_of_an_object_at_once)
{
	static const struct {
		const char *text;
		int count;
	} cases[] = {
		{ "[{},1]", 0 },
		{ "[{ \"a\" : 1 , \"long key of more\":\"a text\" }]", 2 },
		{ "[{\"a\":-1.5e3,\"b\":true,\"c\":false,\"d\":null,}]", 4 },
		{ "[{\"a\":{\"b\":[1,\"\\\"\"]},\"c\":[]}]", 2 },
		{ "[{\"n\":12345678901234567890123,\"m\":\"7.25\",\"x\":\"\"}]", 3 },
		/* Left to the tokens. */
		{ "[{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}]", -1 },
		{ "[{\"\\u0061\":1}]", -1 },
		{ "[{\"a\":\"\\n\"}]", -1 },
		{ "[{\"a\":1 \"b\":2}]", -1 },
		{ "[{\"a\" 1}]", -1 },
		{ "[{\"a\":+1}]", -1 },
		{ "[{\"a\":nul}]", -1 },
		{ "[{\"a\":}]", -1 },
		{ "[{\"a\":[1}]", -1 },
		{ "[{\"a\":1", -1 },
		{ "[{\"a", -1 },
		{ "[{", -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(assert_members(cases[i].text, strlen(cases[i].text)),
				 cases[i].count);
}

/* Whatever byte is another one, and wherever the text ends. */
TEST(members_of_changed_objects)
{
	static const char text[] = "[{\"a\" :[1, {\"b\":\"x\\\"y\"}],\"c\":\"d\",\"e\":-1.5 ,"
				   "\"f\": null\n},7]";
	static const char bytes[] = "{}[],:\"\\ \ntfn0-x.";
	char changed[sizeof(text)];

	for (size_t size = 2; size <= sizeof(text) - 1; size++)
		assert_members(text, size);
	for (size_t i = 2; i < sizeof(text) - 1; i++)
		for (size_t k = 0; k < sizeof(bytes); k++) {
			memcpy(changed, text, sizeof(text));
			changed[i] = bytes[k];
			assert_members(changed, sizeof(text) - 1);
		}
}

/* An object as deep as may be, whose members may be no containers. */
TEST(members_at_the_bound_of_depth)
{
	char text[2048];

	for (size_t depth = 1022; depth <= 1024; depth++) {
		struct tl_json_member member;
		struct tl_source *source;
		const uint8_t *behind;
		struct tl_json j;

		memset(text, '[', depth - 1);
		memcpy(text + depth - 1, "{\"a\":[[]]}", 10);
		assert_int_equal(tl_source_open_memory(&source, text, depth + 9, "text", NULL), 0);
		assert_true(tl_json_begin(&j, source));
		while (j.depth < depth)
			assert_int_equal(tl_json_next(&j, NULL), 1);
		assert_int_equal(tl_json_members(&j, &member, 1, &behind), depth == 1022 ? 1 : -1);
		tl_json_end(&j);
		tl_source_close(source);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_of_the_grammar),
		cmocka_unit_test(escapes),
		cmocka_unit_test(escapes_one_by_one),
		cmocka_unit_test(places_of_tokens),
		cmocka_unit_test(containers_of_both_kinds_nest),
		cmocka_unit_test(values_are_passed_over),
		cmocka_unit_test(values_are_passed_over_as_their_tokens_are),
		cmocka_unit_test(deep_values_are_passed_over),
		cmocka_unit_test(members_of_an_object_at_once),
		cmocka_unit_test(members_of_changed_objects),
		cmocka_unit_test(members_at_the_bound_of_depth),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(tokens_cross_the_buffer),
		cmocka_unit_test(elements_behind_damage),
		cmocka_unit_test(seams_between_elements),
		cmocka_unit_test(seams_cross_the_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
