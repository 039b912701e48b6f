/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a recording, and the lines of those that are text. */
#include <string.h>

#include "core/error.h"
#include "core/source.h"
#include "uftrace/uftrace.h"

int tl_uftrace_open(const struct tl_uftrace_recording *u, const char *name,
		    struct tl_source **source, const uint8_t **data, size_t *size,
		    struct tl_error *err)
{
	struct tl_error own;
	int status = u->folder->open(u->folder->arg, name, source, &own);

	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (status < 0)
		return 1;
	status = tl_source_map(*source, data, size, err);
	if (status < 0)
		tl_source_close(*source);
	return status;
}

/* ---- lines ---- */

bool tl_uftrace_next_line(struct tl_cursor *text, struct tl_uftrace_line *line)
{
	const uint8_t *end;

	if (!tl_cursor_left(text))
		return false;
	end = memchr(text->pos, '\n', tl_cursor_left(text));
	line->text = (const char *)text->pos;
	line->end = (const char *)(end ? end : text->end);
	text->pos = end ? end + 1 : text->end;
	return true;
}

static size_t left(const struct tl_uftrace_line *line)
{
	return (size_t)(line->end - line->text);
}

bool tl_uftrace_take(struct tl_uftrace_line *line, const char *word)
{
	const size_t size = strlen(word);

	if (left(line) < size || memcmp(line->text, word, size) != 0)
		return false;
	line->text += size;
	return true;
}

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : UINT32_MAX;
}

bool tl_uftrace_take_number(struct tl_uftrace_line *line, unsigned base, uint64_t *number)
{
	const char *const begin = line->text;

	*number = 0;
	for (; line->text < line->end && digit_of(*line->text) < base; line->text++)
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, digit_of(*line->text), number))
			return false;
	return line->text > begin;
}

bool tl_uftrace_take_time(struct tl_uftrace_line *line, uint64_t *time_ns)
{
	const uint64_t second = 1000000000;
	uint64_t seconds, rest;

	return tl_uftrace_take_number(line, 10, &seconds) && tl_uftrace_take(line, ".") &&
	       tl_uftrace_take_number(line, 10, &rest) && rest < second &&
	       !__builtin_mul_overflow(seconds, second, &seconds) &&
	       !__builtin_add_overflow(seconds, rest, time_ns);
}

static bool find_key(const struct tl_uftrace_line *line, const char *key,
		     struct tl_uftrace_line *value)
{
	const size_t size = strlen(key);

	*value = *line;
	while (left(value) > size) {
		const char *at = memmem(value->text, left(value), key, size);

		if (!at || at + size == value->end)
			return false;
		value->text = at + size;
		if (*value->text == '=' && (at == line->text || at[-1] == ' ')) {
			value->text++;
			return true;
		}
	}
	return false;
}

bool tl_uftrace_field(const struct tl_uftrace_line *line, const char *key, uint64_t *number)
{
	struct tl_uftrace_line value;

	return find_key(line, key, &value) && tl_uftrace_take_number(&value, 10, number);
}

bool tl_uftrace_text_field(const struct tl_uftrace_line *line, const char *key,
			   struct tl_uftrace_line *value)
{
	const char *end;

	if (!find_key(line, key, value))
		return false;
	if (value->text < value->end && *value->text == '"') {
		value->text++;
		end = memchr(value->text, '"', left(value));
	} else {
		end = memchr(value->text, ' ', left(value));
	}
	if (end)
		value->end = end;
	return true;
}
