/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text/json.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text/json_scan.h"

enum { FIRST_CAPACITY = 256 * 1024, LEAST_CAPACITY = 1024 };

bool tl_json_begin(struct tl_json *j, struct tl_source *source)
{
	const uint64_t stored = tl_source_stored_size(source);

	*j = (struct tl_json){ .source = source, .capacity = FIRST_CAPACITY };
	if (stored && stored < FIRST_CAPACITY)
		j->capacity = stored < LEAST_CAPACITY ? LEAST_CAPACITY : (size_t)stored + 1;
	j->buffer = calloc(1, j->capacity + TL_JSON_SLACK);
	j->pos = j->end = j->buffer;
	return j->buffer != NULL;
}

void tl_json_end(struct tl_json *j)
{
	free(j->buffer);
	free(j->decoded);
	j->buffer = NULL;
	j->decoded = NULL;
}

static int fault_at(struct tl_json *j, enum tl_status status, const uint8_t *at, const char *text)
{
	j->fault = text;
	j->fault_offset = j->offset + (uint64_t)(at - j->buffer);
	return status;
}

static int cut_short(struct tl_json *j)
{
	return fault_at(j, TL_TRUNCATED, j->end,
			"the text ends inside a value; kept what is before it");
}

/* ---- bytes ---- */

/* Twice the buffer; it only grows when one token fills it. */
static int grow_buffer(struct tl_json *j, size_t left, struct tl_error *err)
{
	uint8_t *grown;

	if (j->capacity >= TL_JSON_LONGEST)
		return fault_at(j, TL_BAD_RECORD, j->pos, "a string or number longer than 64 MiB");
	grown = realloc(j->buffer, j->capacity * 2 + TL_JSON_SLACK);
	if (!grown)
		return tl_error_memory(err);
	j->buffer = grown;
	j->capacity *= 2;
	j->pos = grown;
	j->end = grown + left;
	return 0;
}

/* Read until the buffer is full, so that a long token is not looked through for each chunk. */
static int fill_buffer(struct tl_json *j, struct tl_error *err)
{
	uint8_t *to = j->buffer + (j->end - j->buffer), *stop = j->buffer + j->capacity;
	int64_t got = 1;

	while (to < stop && got > 0) {
		got = tl_source_read(j->source, to, (size_t)(stop - to), err);
		if (got < 0)
			return (int)got;
		to += got;
	}
	j->ended = got == 0;
	memset(to, 0, TL_JSON_SLACK);
	got = to - j->end;
	j->end = to;
	return got > 0;
}

/* More bytes behind those from `pos` on, which move. 1; 0: there are none. */
static int refill(struct tl_json *j, struct tl_error *err)
{
	const size_t left = (size_t)(j->end - j->pos);
	int status = 0;

	if (j->ended)
		return 0;
	j->offset += (uint64_t)(j->pos - j->buffer);
	memmove(j->buffer, j->pos, left);
	j->pos = j->buffer;
	j->end = j->buffer + left;
	if (left == j->capacity)
		status = grow_buffer(j, left, err);
	if (status < 0)
		return status;
	return fill_buffer(j, err);
}

/* A mark of the order of bytes stands before texts of some writers (RFC 8259, section 8.1). */
static void pass_mark(struct tl_json *j)
{
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };

	if (!j->offset && j->pos == j->buffer && (size_t)(j->end - j->pos) > sizeof(mark) &&
	    !memcmp(j->pos, mark, sizeof(mark)))
		j->pos += sizeof(mark);
}

/* Go to the next byte that is no blank. 1; 0 at the end. */
static int pass_blanks(struct tl_json *j, struct tl_error *err)
{
	for (;;) {
		const uint8_t *p = behind_blanks(j->pos);
		int status;

		j->pos = p;
		if (p < j->end)
			return 1;
		status = refill(j, err);
		if (status <= 0)
			return status;
		pass_mark(j);
	}
}

/* ---- containers ---- */

static bool in_object(const struct tl_json *j)
{
	return j->objects[(j->depth - 1) / 64] >> ((j->depth - 1) % 64) & 1;
}

static inline void after_value(struct tl_json *j)
{
	j->state = j->depth ? TL_JSON_WANT_COMMA : TL_JSON_WANT_NOTHING;
}

static int open_container(struct tl_json *j, bool object)
{
	uint64_t *word, bit;

	if (j->depth == TL_JSON_DEPTH)
		return fault_at(j, TL_BAD_RECORD, j->pos, "values nested more than 1024 deep");
	word = &j->objects[j->depth / 64];
	bit = UINT64_C(1) << j->depth % 64;
	*word = object ? *word | bit : *word & ~bit;
	j->depth++;
	j->pos++;
	j->token.kind = object ? TL_JSON_OBJECT : TL_JSON_ARRAY;
	j->state = object ? TL_JSON_WANT_KEY : TL_JSON_WANT_FIRST;
	return 1;
}

static int close_container(struct tl_json *j)
{
	const bool object = *j->pos == '}';

	if (!j->depth || in_object(j) != object)
		return fault_at(j, TL_BAD_RECORD, j->pos, "an end without its begin");
	j->depth--;
	j->pos++;
	j->token.kind = object ? TL_JSON_OBJECT_END : TL_JSON_ARRAY_END;
	after_value(j);
	return 1;
}

/* ---- strings ---- */

static inline int take_string(struct tl_json *j, enum tl_json_kind kind, struct tl_error *err)
{
	const uint8_t *stop;

	while (!(stop = end_of_string(j->pos + 1, j->end, &j->token.escaped))) {
		const int status = refill(j, err);

		if (status <= 0)
			return status < 0 ? status : cut_short(j);
	}
	j->token.kind = kind;
	j->token.text = j->pos + 1;
	j->token.size = (size_t)(stop - j->pos) - 1;
	j->token.offset = j->offset + (uint64_t)(j->pos - j->buffer);
	j->pos = stop + 1;
	return 1;
}

/* A key and the colon behind it, which must be in the buffer before the key is given. */
static int take_key(struct tl_json *j, struct tl_error *err)
{
	for (;;) {
		const uint8_t *p, *stop = end_of_string(j->pos + 1, j->end, &j->token.escaped);
		int status;

		if (stop) {
			p = behind_blanks(stop + 1);
			if (*p == ':') {
				j->token.kind = TL_JSON_KEY;
				j->token.text = j->pos + 1;
				j->token.size = (size_t)(stop - j->pos) - 1;
				j->token.offset = j->offset + (uint64_t)(j->pos - j->buffer);
				j->pos = p + 1;
				j->state = TL_JSON_WANT_VALUE;
				return 1;
			}
			if (p < j->end)
				return fault_at(j, TL_BAD_RECORD, p, "a key without a colon");
		}
		status = refill(j, err);
		if (status <= 0)
			return status < 0 ? status : cut_short(j);
	}
}

/* ---- other values ---- */

static int take_number(struct tl_json *j, struct tl_error *err)
{
	const uint8_t *p;

	for (;;) {
		int status;

		for (p = j->pos; is_of_number(*p);)
			p++;
		if (p < j->end)
			break;
		status = refill(j, err);
		if (status < 0)
			return status;
		if (status == 0) {
			p = j->end;
			break;
		}
	}
	j->token.kind = TL_JSON_NUMBER;
	j->token.has_number = false;
	j->token.text = j->pos;
	j->token.size = (size_t)(p - j->pos);
	j->pos = p;
	return 1;
}

static int take_word(struct tl_json *j, const char *word, enum tl_json_kind kind,
		     struct tl_error *err)
{
	const size_t size = strlen(word);

	while ((size_t)(j->end - j->pos) < size) {
		const int status = refill(j, err);

		if (status <= 0)
			return status < 0 ? status : cut_short(j);
	}
	if (memcmp(j->pos, word, size))
		return fault_at(j, TL_BAD_RECORD, j->pos, "not a value of JSON");
	j->token.kind = kind;
	j->pos += size;
	return 1;
}

static int take_value(struct tl_json *j, struct tl_error *err)
{
	int status;

	switch (*j->pos) {
	case '"':
		status = take_string(j, TL_JSON_STRING, err);
		break;
	case '{':
	case '[':
		return open_container(j, *j->pos == '{');
	case 't':
		status = take_word(j, "true", TL_JSON_TRUE, err);
		break;
	case 'f':
		status = take_word(j, "false", TL_JSON_FALSE, err);
		break;
	case 'n':
		status = take_word(j, "null", TL_JSON_NULL, err);
		break;
	default:
		if ((uint8_t)(*j->pos - '0') > 9 && *j->pos != '-')
			return fault_at(j, TL_BAD_RECORD, j->pos, "not a value of JSON");
		status = take_number(j, err);
	}
	after_value(j);
	return status;
}

/* ---- tokens ---- */

/* The comma between elements is not a token. */
static int pass_comma(struct tl_json *j, struct tl_error *err)
{
	if (*j->pos == '}' || *j->pos == ']')
		return 2;
	if (*j->pos != ',')
		return fault_at(j, TL_BAD_RECORD, j->pos,
				"neither a comma nor an end behind a value");
	j->pos++;
	j->state = in_object(j) ? TL_JSON_WANT_KEY : TL_JSON_WANT_FIRST;
	return pass_blanks(j, err);
}

int tl_json_next(struct tl_json *j, struct tl_error *err)
{
	int status = pass_blanks(j, err);

	j->fault = NULL;
	if (status > 0 && j->state == TL_JSON_WANT_COMMA)
		status = pass_comma(j, err);
	if (status < 0)
		return status;
	if (status == 0)
		return j->state == TL_JSON_WANT_NOTHING ? 0 : cut_short(j);
	j->token.offset = j->offset + (uint64_t)(j->pos - j->buffer);
	if (j->state == TL_JSON_WANT_KEY && *j->pos == '"')
		return take_key(j, err);
	if ((*j->pos == '}' || *j->pos == ']') && j->state != TL_JSON_WANT_VALUE)
		return close_container(j);
	if (j->state == TL_JSON_WANT_KEY)
		return fault_at(j, TL_BAD_RECORD, j->pos, "not a key of an object");
	if (j->state == TL_JSON_WANT_NOTHING)
		return fault_at(j, TL_BAD_RECORD, j->pos, "more behind the end of the value");
	return take_value(j, err);
}

/* ---- values that are not wanted ---- */

void tl_json_pass_container(struct tl_json *j, const uint8_t *behind)
{
	j->token.kind = in_object(j) ? TL_JSON_OBJECT_END : TL_JSON_ARRAY_END;
	j->token.offset = j->offset + (uint64_t)(behind - 1 - j->buffer);
	j->pos = behind;
	j->depth--;
	after_value(j);
}

/* Pass over the rest of a container whose begin was read, if that is plain. */
static bool pass_plainly(struct tl_json *j)
{
	const bool at_begin = j->state == TL_JSON_WANT_KEY || j->state == TL_JSON_WANT_FIRST;
	const uint8_t *p = NULL;

	if (at_begin)
		p = tl_json_behind_container(j->pos, j->end, in_object(j),
					     TL_JSON_DEPTH - j->depth + 1);
	if (p)
		tl_json_pass_container(j, p);
	return p;
}

int tl_json_skip(struct tl_json *j, struct tl_error *err)
{
	uint32_t depth = j->depth;
	int status = 1;

	if (j->state == TL_JSON_WANT_VALUE)
		status = tl_json_next(j, err);
	else
		depth--;
	if (status > 0 && j->depth > depth && pass_plainly(j))
		return 1;
	while (status > 0 && j->depth > depth)
		status = tl_json_next(j, err);
	return status;
}

bool tl_json_is(const struct tl_json *j, const char *text)
{
	return strlen(text) == j->token.size && !memcmp(j->token.text, text, j->token.size);
}

/* ---- escapes ---- */

static int hex_digits(const uint8_t *p, const uint8_t *end)
{
	int value = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		const uint8_t c = p[i] | 0x20;

		if ((uint8_t)(p[i] - '0') < 10)
			value = value << 4 | (p[i] - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (c - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* The character of \uXXXX, or of two of them; *p is behind the `u`, and then behind the digits. */
static uint32_t take_unicode(const uint8_t **p, const uint8_t *end)
{
	const int high = hex_digits(*p, end);
	int low;

	if (high < 0)
		return 0xfffd;
	*p += 4;
	if (high < 0xd800 || high > 0xdfff)
		return (uint32_t)high;
	if (high >= 0xdc00 || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
		return 0xfffd;
	low = hex_digits(*p + 2, end);
	if (low < 0xdc00 || low > 0xdfff)
		return 0xfffd;
	*p += 6;
	return 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
}

static char *decode(const uint8_t *p, const uint8_t *end, char *to)
{
	static const char from[] = "bfnrt", escaped[] = "\b\f\n\r\t";

	while (p < end) {
		const char *found;

		if (*p != '\\' || p + 1 == end) {
			*to++ = (char)*p++;
			continue;
		}
		p++;
		if (*p == 'u') {
			p++;
			to = put_utf8(to, take_unicode(&p, end));
			continue;
		}
		found = memchr(from, *p, sizeof(from) - 1);
		*to++ = found ? escaped[found - from] : (char)*p;
		p++;
	}
	return to;
}

const char *tl_json_string(struct tl_json *j, size_t *size, struct tl_error *err)
{
	*size = j->token.size;
	if (!j->token.escaped)
		return (const char *)j->token.text;
	/* The replacement character has one byte more than the shortest wrong escape, `\u`. */
	if (!tl_grow(&j->decoded, &j->decoded_capacity, 2 * j->token.size + 4, 1)) {
		tl_error_memory(err);
		return NULL;
	}
	*size = (size_t)(decode(j->token.text, j->token.text + j->token.size, j->decoded) -
			 j->decoded);
	return j->decoded;
}

/* ---- behind damage ---- */

/* What has been seen of "} , {". */
struct seam {
	uint8_t open, close;
	unsigned seen;
};

/* Whether the byte ends a seam. */
static bool take_seam(struct seam *s, uint8_t c)
{
	if (c == s->close)
		s->seen = 1;
	else if (s->seen == 1 && c == ',')
		s->seen = 2;
	else if (s->seen == 2 && c == s->open)
		return true;
	else if (!is_blank(c))
		s->seen = 0;
	return false;
}

int tl_json_resume(struct tl_json *j, uint32_t depth, uint8_t open, struct tl_error *err)
{
	struct seam seam = { .open = open, .close = open == '{' ? '}' : ']' };
	int status = 1;

	j->fault = NULL;
	while (status > 0) {
		for (; j->pos < j->end; j->pos++)
			if (take_seam(&seam, *j->pos)) {
				j->depth = depth;
				j->state = TL_JSON_WANT_FIRST;
				return 1;
			}
		status = refill(j, err);
	}
	return status;
}
