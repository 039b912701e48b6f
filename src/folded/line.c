/* SPDX-License-Identifier: Apache-2.0 */
/* One line of folded stacks, from its end: counts, then all the rest is the stack. */
#include "core/arithmetic.h"
#include "core/cursor.h"
#include "folded/folded.h"

enum { LOOKED_AT = 64 * 1024 };

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(uint8_t c)
{
	return (uint8_t)(c - '0') < 10;
}

/* The begin of the count that ends at `end`: digits, perhaps with a point. `end`: there is none. */
static const uint8_t *begin_of_count(const uint8_t *line, const uint8_t *end)
{
	const uint8_t *p = end, *whole;

	while (p > line && is_digit(p[-1]))
		p--;
	if (p == line || p[-1] != '.')
		return p;
	for (whole = p - 1; whole > line && is_digit(whole[-1]);)
		whole--;
	return whole < p - 1 ? whole : end;
}

static const uint8_t *without_blanks(const uint8_t *line, const uint8_t *end)
{
	while (end > line && is_blank(end[-1]))
		end--;
	return end;
}

/* Take the count at the end of what is left of a line. False: there is none. */
static bool take_count(const uint8_t *line, const uint8_t **end, const uint8_t **count,
		       const uint8_t **count_end)
{
	*count_end = without_blanks(line, *end);
	*count = begin_of_count(line, *count_end);
	*end = *count;
	return *count < *count_end && (*count == line || is_blank((*count)[-1]));
}

static bool is_comment(const uint8_t *line, const uint8_t *end)
{
	while (line < end && is_blank(*line))
		line++;
	return line == end || *line == '#';
}

enum tl_folded_kind tl_folded_cut(const uint8_t *line, const uint8_t *end, bool two,
				  struct tl_folded_line *cut)
{
	const uint8_t *rest = end;

	if (!take_count(line, &rest, &cut->counts[two], &cut->count_ends[two]) ||
	    (two && !take_count(line, &rest, &cut->counts[0], &cut->count_ends[0])))
		return is_comment(line, end) ? TL_FOLDED_NOTHING : TL_FOLDED_NO_COUNT;
	cut->stack = line;
	cut->stack_end = without_blanks(line, rest);
	return cut->stack_end == line ? TL_FOLDED_NO_STACK : TL_FOLDED_STACK;
}

/* ---- recognising ---- */

struct survey {
	unsigned good, bad, with_separator, with_two;
};

static void survey_line(struct survey *s, const uint8_t *line, const uint8_t *end)
{
	struct tl_folded_line cut;
	const enum tl_folded_kind kind = tl_folded_cut(line, end, false, &cut);

	if (kind == TL_FOLDED_NOTHING)
		return;
	s->good += kind == TL_FOLDED_STACK;
	s->bad += kind != TL_FOLDED_STACK;
	if (kind != TL_FOLDED_STACK)
		return;
	s->with_separator += memchr(line, ';', (size_t)(cut.stack_end - line)) != NULL;
	s->with_two += tl_folded_cut(line, end, true, &cut) == TL_FOLDED_STACK;
}

/* Where the bytes end that are looked at: a stack of deep recursion is a long line. */
static size_t looked_at(const uint8_t *data, size_t size)
{
	const uint8_t *end;

	if (size <= LOOKED_AT || memchr(data, '\n', LOOKED_AT))
		return tl_min(size, LOOKED_AT);
	end = memchr(data + LOOKED_AT, '\n', size - LOOKED_AT);
	return end ? (size_t)(end - data) + 1 : size;
}

/* A first line that goes on behind all that is there: the frames of a stack, and no other text. */
static struct survey survey_begin(const uint8_t *data, size_t size)
{
	enum { FRAME = 512 }; /* bytes of one, on average, at most */
	struct survey s = { 0 };
	size_t frames = 0;

	for (size_t i = 0; i < size; i++)
		frames += data[i] == ';';
	s.good = s.with_separator = frames > size / FRAME;
	return s;
}

/* The whole lines of a file's first bytes; the first one also if it has no end. */
static struct survey survey_lines(const uint8_t *data, size_t size)
{
	struct tl_cursor cur = tl_cursor_over(data, looked_at(data, size));
	struct survey s = { 0 };

	if (tl_cursor_left(&cur) > LOOKED_AT && cur.end[-1] != '\n')
		return survey_begin(data, size);

	if (tl_cursor_has(&cur, 3) && !memcmp(cur.pos, "\xef\xbb\xbf", 3))
		cur.pos += 3;
	while (tl_cursor_left(&cur)) {
		const uint8_t *end = memchr(cur.pos, '\n', tl_cursor_left(&cur));

		if (!end && cur.pos != data)
			break;
		survey_line(&s, cur.pos, end ? end : cur.end);
		cur.pos = end ? end + 1 : cur.end;
	}
	return s;
}

int tl_folded_probe(const uint8_t *data, size_t size)
{
	const struct survey s = survey_lines(data, size);

	if ((size && memchr(data, 0, looked_at(data, size))) || !s.good || 2 * s.bad > s.good)
		return 0;
	return s.with_separator ? 30 : 10;
}

bool tl_folded_has_two_counts(const uint8_t *data, size_t size)
{
	const struct survey s = survey_lines(data, size);

	return s.good && s.with_two == s.good;
}
