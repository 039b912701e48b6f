/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CORE_TEXT_DRAWN_JSON_H
#define TESTS_UNIT_CORE_TEXT_DRAWN_JSON_H
/*
 * Values of JSON that are drawn, written with blanks and escapes as they come, together with the
 * tokens that a reader must find: each is noted when it is written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "core/text/json.h"

enum { JSON_TOKENS = 40000, JSON_TEXT = 4 << 20, JSON_PLAIN = 1 << 20 };

struct wanted_token {
	enum tl_json_kind kind;
	size_t offset;     /* of its first byte */
	size_t text, size; /* what stands between quotes, or the number: in drawn_json.text */
	size_t plain, plain_size; /* without escapes: in drawn_json.plain */
	size_t partner;           /* of the begin of a container: the token that is its end */
	unsigned depth;           /* containers around it */
};

struct drawn_json {
	char *text, *plain;
	size_t size, plain_size;
	struct wanted_token *tokens;
	size_t count;
	uint32_t seed;
	unsigned depth, deepest, widest, longest; /* what is drawn at most */
	unsigned escaped;                         /* of a hundred strings */
	bool unusual;                             /* commas before ends, blanks everywhere */
};

static inline void json_begin(struct drawn_json *d, uint32_t seed)
{
	*d = (struct drawn_json){
		.seed = seed, .deepest = 5, .widest = 6, .longest = 12, .escaped = 50
	};
	d->text = malloc(JSON_TEXT);
	d->plain = malloc(JSON_PLAIN);
	d->tokens = malloc(JSON_TOKENS * sizeof(*d->tokens));
	assert_true(d->text && d->plain && d->tokens);
}

static inline void json_free(struct drawn_json *d)
{
	free(d->text);
	free(d->plain);
	free(d->tokens);
}

static inline void json_put(struct drawn_json *d, const char *text)
{
	const size_t size = strlen(text);

	assert_true(d->size + size < JSON_TEXT);
	memcpy(d->text + d->size, text, size);
	d->size += size;
}

static inline void json_blanks(struct drawn_json *d)
{
	static const char *const blanks[] = { "", "", "", " ", "\n", "\t\r", "   " };

	json_put(d, blanks[d->unusual ? chance(&d->seed, 7) : 0]);
}

static inline struct wanted_token *json_token(struct drawn_json *d, enum tl_json_kind kind)
{
	assert_true(d->count < JSON_TOKENS);
	d->tokens[d->count] = (struct wanted_token){
		.kind = kind,
		.offset = d->size,
		.depth = d->depth,
	};
	return &d->tokens[d->count++];
}

/* One character of a string: itself, or one of its escapes. */
static inline void json_character(struct drawn_json *d, bool escapes)
{
	static const struct {
		const char *written, *meant;
	} characters[] = {
		{ "a", "a" },
		{ "Z", "Z" },
		{ " ", " " },
		{ "{", "{" },
		{ "]", "]" },
		{ ",", "," },
		{ ":", ":" },
		{ "\xc3\xa9", "\xc3\xa9" },
		{ "\\n", "\n" },
		{ "\\\"", "\"" },
		{ "\\\\", "\\" },
		{ "\\/", "/" },
		{ "\\t", "\t" },
		{ "\\b", "\b" },
		{ "\\f", "\f" },
		{ "\\r", "\r" },
		{ "\\u0041", "A" },
		{ "\\u00E9", "\xc3\xa9" },
		{ "\\u20ac", "\xe2\x82\xac" },
		{ "\\uD83D\\uDE00", "\xf0\x9f\x98\x80" },
		{ "\\ud83d", "\xef\xbf\xbd" },
	};
	const unsigned which = chance(&d->seed, escapes ? 21 : 8);
	const size_t size = strlen(characters[which].meant);

	json_put(d, characters[which].written);
	assert_true(d->plain_size + size < JSON_PLAIN);
	memcpy(d->plain + d->plain_size, characters[which].meant, size);
	d->plain_size += size;
}

static inline void json_string(struct drawn_json *d, enum tl_json_kind kind)
{
	struct wanted_token *token = json_token(d, kind);
	const unsigned count = chance(&d->seed, d->longest + 1);
	const bool escapes = chance(&d->seed, 100) < d->escaped;
	size_t at;

	json_put(d, "\"");
	token->text = d->size;
	token->plain = at = d->plain_size;
	for (unsigned i = 0; i < count; i++)
		json_character(d, escapes);
	token->size = d->size - token->text;
	token->plain_size = d->plain_size - at;
	json_put(d, "\"");
}

static inline void json_number(struct drawn_json *d)
{
	static const char *const numbers[] = {
		"0",   "-0",     "7",        "12345678901234567890", "-3.25",
		"1e9", "2.5E-3", "0.000001", "1234567.890123",
	};
	struct wanted_token *token = json_token(d, TL_JSON_NUMBER);
	const char *number = numbers[chance(&d->seed, 9)];

	token->text = d->size;
	token->size = strlen(number);
	json_put(d, number);
}

static inline void json_value(struct drawn_json *d);

static inline void json_container(struct drawn_json *d, bool object)
{
	const size_t begin = d->count;
	const unsigned count = chance(&d->seed, d->widest + 1);

	json_token(d, object ? TL_JSON_OBJECT : TL_JSON_ARRAY);
	json_put(d, object ? "{" : "[");
	d->depth++;
	for (unsigned i = 0; i < count; i++) {
		json_blanks(d);
		if (object) {
			json_string(d, TL_JSON_KEY);
			json_blanks(d);
			json_put(d, ":");
			json_blanks(d);
		}
		json_value(d);
		json_blanks(d);
		/* A comma behind the last element is taken, too. */
		if (i + 1 < count || (d->unusual && chance(&d->seed, 4) == 0))
			json_put(d, ",");
	}
	json_blanks(d);
	d->depth--;
	d->tokens[begin].partner = d->count;
	json_token(d, object ? TL_JSON_OBJECT_END : TL_JSON_ARRAY_END);
	json_put(d, object ? "}" : "]");
}

static inline void json_value(struct drawn_json *d)
{
	static const char *const words[] = { "true", "false", "null" };
	const unsigned which = chance(&d->seed, d->depth < d->deepest ? 10 : 5);

	if (which >= 5) {
		json_container(d, which % 2);
	} else if (which == 0) {
		json_number(d);
	} else if (which == 1) {
		const unsigned word = chance(&d->seed, 3);

		json_token(d, (enum tl_json_kind)(TL_JSON_TRUE + word));
		json_put(d, words[word]);
	} else {
		json_string(d, TL_JSON_STRING);
	}
}

#endif
