/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_JSON_H
#define TL_CORE_TEXT_JSON_H
/*
 * The tokens of a JSON text (RFC 8259), one at a time, through a buffer that is as long as the
 * longest token: memory depends neither on the length of the text nor on its depth, which is
 * bounded. Two things that the grammar does not have are taken, as traces in the wild have them: a
 * comma behind the last element, and control characters in strings.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/core.h>

#include "core/text/decimal.h"

enum tl_json_kind {
	TL_JSON_OBJECT,
	TL_JSON_OBJECT_END,
	TL_JSON_ARRAY,
	TL_JSON_ARRAY_END,
	TL_JSON_KEY,
	TL_JSON_STRING,
	TL_JSON_NUMBER,
	TL_JSON_TRUE,
	TL_JSON_FALSE,
	TL_JSON_NULL,
};

enum {
	TL_JSON_DEPTH = 1024, /* containers around a token, at most */
	TL_JSON_SLACK = 32,   /* readable zeros behind the buffer, TL_DECIMAL_ROOM at least */
	TL_JSON_LONGEST = 64 << 20,
};

/* What may come next. */
enum tl_json_state {
	TL_JSON_WANT_VALUE,
	TL_JSON_WANT_FIRST, /* a value, or the end of the array */
	TL_JSON_WANT_KEY,   /* or the end of the object */
	TL_JSON_WANT_COMMA, /* or the end of the container */
	TL_JSON_WANT_NOTHING,
};

struct tl_json_token {
	enum tl_json_kind kind;
	bool escaped;        /* a key or string with backslashes */
	const uint8_t *text; /* of a number, key or string, without quotes; until the next call */
	size_t size;
	uint64_t offset;          /* of its first byte in the text; not of members */
	bool has_number;          /* `number` is its value: it was read on the way */
	struct tl_decimal number; /* of a member */
};

/* The value of a number, also of one in quotes. False: it is none. */
static inline bool tl_json_decimal(const struct tl_json_token *token, struct tl_decimal *number)
{
	if (token->kind == TL_JSON_NUMBER && token->has_number) {
		*number = token->number;
		return true;
	}
	return (token->kind == TL_JSON_NUMBER || token->kind == TL_JSON_STRING) &&
	       tl_decimal_parse(token->text, token->size, number);
}

struct tl_json {
	struct tl_source *source;
	uint8_t *buffer;
	size_t capacity;
	const uint8_t *pos, *end;
	uint64_t offset; /* of buffer[0] */
	bool ended;      /* the source has no more */
	enum tl_json_state state;
	uint32_t depth;                       /* open containers */
	uint64_t objects[TL_JSON_DEPTH / 64]; /* by depth: it is an object */
	struct tl_json_token token;
	const char *fault; /* what the text does not do as the grammar says */
	uint64_t fault_offset;
	char *decoded; /* of tl_json_string() */
	size_t decoded_capacity;
};

/* Begin at the beginning of the source. False without memory. */
bool tl_json_begin(struct tl_json *json, struct tl_source *source);
void tl_json_end(struct tl_json *json);

/*
 * Go to the next token. 1; 0 at the end of a whole text; TL_BAD_RECORD or TL_TRUNCATED: json->fault
 * and json->fault_offset say why; any other negative status is one of memory or of the source.
 */
int tl_json_next(struct tl_json *json, struct tl_error *err);
/* Whether a status is about the text. */
static inline bool tl_json_is_fault(const struct tl_json *json, int status)
{
	return status < 0 && json->fault;
}

/* Behind a key: pass over its value. Behind the begin of a container: over the rest of it. */
int tl_json_skip(struct tl_json *json, struct tl_error *err);

/* A member of an object: `text` and `size` of a value that is a container are not set. */
struct tl_json_member {
	struct tl_json_token key, value;
};

/*
 * The members of the object whose begin is the present token, all at once: a fraction of the cost
 * of their tokens. Their number; -1: the object has more than `most`, does not end in the buffer,
 * has an escape in a key or string of its own, or a fault, so that its tokens are to be read.
 * Nothing is passed over: tl_json_pass_container() makes the end of the object the present token.
 */
int tl_json_members(const struct tl_json *json, struct tl_json_member *members, int most,
		    const uint8_t **behind);
void tl_json_pass_container(struct tl_json *json, const uint8_t *behind);

/*
 * The text of the present key or string with its escapes decoded (a lone surrogate is U+FFFD);
 * until the next call. NULL without memory.
 */
const char *tl_json_string(struct tl_json *json, size_t *size, struct tl_error *err);

/* Whether the present key or string is this text; one with escapes is not. */
bool tl_json_is(const struct tl_json *json, const char *text);

/*
 * Behind a fault, go on with a later element of the array around it, which has `depth` containers
 * around its elements; they begin with `open`, '{' or '['. The next token is the begin of the
 * element. 1; 0: there is none, and the text is at its end; negative.
 */
int tl_json_resume(struct tl_json *json, uint32_t depth, uint8_t open, struct tl_error *err);

static inline uint64_t tl_json_offset(const struct tl_json *json)
{
	return json->offset + (uint64_t)(json->pos - json->buffer);
}

#endif
