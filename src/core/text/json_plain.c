/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are whole in the buffer and without a fault, without a token for each part. */
#include <string.h>

#include "core/text/json_scan.h"

static inline const uint8_t *behind_string(const uint8_t *p, const uint8_t *end)
{
	bool escaped;
	const uint8_t *stop = *p == '"' ? end_of_string(p + 1, end, &escaped) : NULL;

	return stop ? stop + 1 : NULL;
}

static inline const uint8_t *behind_word(const uint8_t *p, const char *word, size_t size)
{
	return memcmp(p, word, size) ? NULL : p + size;
}

static inline const uint8_t *behind_number(const uint8_t *p)
{
	if ((uint8_t)(*p - '0') > 9 && *p != '-')
		return NULL;
	while (is_of_number(*p))
		p++;
	return p;
}

/* Behind a value that is no container; NULL: it is none, or not whole. */
static inline const uint8_t *behind_scalar(const uint8_t *p, const uint8_t *end)
{
	switch (*p) {
	case '"':
		return behind_string(p, end);
	case 't':
		return behind_word(p, "true", 4);
	case 'f':
		return behind_word(p, "false", 5);
	case 'n':
		return behind_word(p, "null", 4);
	default:
		return behind_number(p);
	}
}

/* To the value of a member, or NULL. */
static inline const uint8_t *behind_key(const uint8_t *p, const uint8_t *end)
{
	p = behind_string(p, end);
	if (!p)
		return NULL;
	p = behind_blanks(p);
	return *p == ':' ? behind_blanks(p + 1) : NULL;
}

const uint8_t *tl_json_behind_container(const uint8_t *p, const uint8_t *end, bool is_object,
					uint32_t most)
{
	uint64_t objects = is_object;
	unsigned depth = 1;

	if (!most)
		return NULL;
	p = behind_blanks(p);
	while (depth) {
		const bool object = objects & 1;

		if (*p == (object ? '}' : ']')) {
			p++;
			objects >>= 1;
			depth--;
		} else {
			if (object && !(p = behind_key(p, end)))
				return NULL;
			if (*p == '{' || *p == '[') {
				if (depth == 64 || depth >= most)
					return NULL;
				objects = objects << 1 | (*p == '{');
				depth++;
				p = behind_blanks(p + 1);
				continue;
			}
			p = behind_scalar(p, end);
		}
		if (!p || !depth)
			return p;
		p = behind_blanks(p);
		if (*p == ',')
			p = behind_blanks(p + 1);
		else if (*p != (objects & 1 ? '}' : ']'))
			return NULL;
	}
	return p;
}

/* ---- the members of an object ---- */

/* A string without escapes, from its first quote on. */
static inline const uint8_t *take_text(const uint8_t *p, const uint8_t *end,
				       struct tl_json_token *token)
{
	const uint8_t *stop = *p == '"' ? pass_plain(p + 1, end) : end;

	if (stop >= end || *stop != '"')
		return NULL;
	token->text = p + 1;
	token->size = (size_t)(stop - p) - 1;
	return stop + 1;
}

static inline const uint8_t *take_number(const uint8_t *p, struct tl_json_token *value)
{
	const uint8_t *stop = tl_decimal_take_padded(p, &value->number);

	value->kind = TL_JSON_NUMBER;
	value->has_number = stop && !is_of_number(*stop);
	value->text = p;
	p = value->has_number ? stop : behind_number(p);
	value->size = p ? (size_t)(p - value->text) : 0;
	return p;
}

static const uint8_t *take_value(const struct tl_json *j, const uint8_t *p,
				 struct tl_json_token *value)
{
	value->escaped = false;
	switch (*p) {
	case '"':
		value->kind = TL_JSON_STRING;
		return take_text(p, j->end, value);
	case '{':
	case '[':
		value->kind = *p == '{' ? TL_JSON_OBJECT : TL_JSON_ARRAY;
		return tl_json_behind_container(p + 1, j->end, *p == '{', TL_JSON_DEPTH - j->depth);
	case 't':
	case 'f':
		value->kind = *p == 't' ? TL_JSON_TRUE : TL_JSON_FALSE;
		return behind_scalar(p, j->end);
	case 'n':
		value->kind = TL_JSON_NULL;
		return behind_scalar(p, j->end);
	default:
		return take_number(p, value);
	}
}

static inline const uint8_t *take_member(const struct tl_json *j, const uint8_t *p,
					 struct tl_json_member *member)
{
	p = take_text(p, j->end, &member->key);
	if (!p)
		return NULL;
	p = behind_blanks(p);
	return *p == ':' ? take_value(j, behind_blanks(p + 1), &member->value) : NULL;
}

int tl_json_members(const struct tl_json *j, struct tl_json_member *members, int most,
		    const uint8_t **behind)
{
	const uint8_t *p = behind_blanks(j->pos);
	int count = 0;

	while (*p != '}') {
		if (count == most)
			return -1;
		p = take_member(j, p, &members[count++]);
		if (!p)
			return -1;
		p = behind_blanks(p);
		if (*p == ',')
			p = behind_blanks(p + 1);
		else if (*p != '}')
			return -1;
	}
	*behind = p + 1;
	return count;
}
