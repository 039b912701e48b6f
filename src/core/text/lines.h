/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_LINES_H
#define TL_CORE_TEXT_LINES_H
/*
 * The lines of a source, one at a time, through a buffer that is as long as the longest line.
 * Behind the last byte of the buffer there is room for a newline and for TL_LINES_SLACK
 * readable bytes: a line always ends in a byte that is part of no number and no name, so numbers
 * are read without a bound, eight bytes at a time.
 */
#include <stdbool.h>
#include <string.h>

#include "core/cursor.h"
#include "core/error.h"

enum { TL_LINES_SLACK = 16, TL_LINES_LONGEST = 16 << 20 };

struct tl_lines {
	struct tl_source *source;
	uint8_t *buffer;
	size_t capacity;
	const uint8_t *next, *end; /* bytes that were not given yet */
	uint64_t offset;           /* of buffer[0] in the input */
	uint64_t number;           /* of the present line, from 1 */
	bool ended;

	const uint8_t *start, *stop; /* the present line, without its end */
	const uint8_t *whole;        /* begin of the line, including blanks that were skipped */
	/* the present line is longer than the limit: its bytes before the buffer, and no text */
	uint64_t too_long;
	bool unended; /* the present line is the last one and has no newline */
};

bool tl_lines_begin(struct tl_lines *lines, struct tl_source *source);
void tl_lines_end(struct tl_lines *lines);

/* Go to the next line when its end is not in the buffer. */
int tl_lines_refill(struct tl_lines *lines, struct tl_error *err);

/*
 * Go to the next line. 1; 0 at the end; negative: no memory, or the source failed. The plain way is
 * tl_lines_refill() for every line.
 */
static inline int tl_lines_next(struct tl_lines *lines, struct tl_error *err)
{
	const uint8_t *stop = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));

	if (__builtin_expect(!stop, 0))
		return tl_lines_refill(lines, err);
	lines->start = lines->whole = lines->next;
	lines->next = stop + 1;
	/* "CRLF: accept" (rule K). */
	while (stop > lines->start && stop[-1] == '\r')
		stop--;
	lines->stop = stop;
	lines->too_long = 0;
	lines->number++;
	return 1;
}

/* Make the next call give the present line again. */
static inline void tl_lines_again(struct tl_lines *lines)
{
	lines->next = lines->whole;
	lines->number--;
}

/* Replace control characters of the present line, from `from` on, by blanks. */
static inline void tl_lines_blank(struct tl_lines *lines, const uint8_t *from)
{
	uint8_t *p = lines->buffer + (from - lines->buffer),
		*stop = lines->buffer + (lines->stop - lines->buffer);

	for (; p < stop; p++)
		*p = *p < ' ' ? ' ' : *p;
}

static inline uint64_t tl_lines_offset(const struct tl_lines *lines)
{
	return lines->offset + (uint64_t)(lines->whole - lines->buffer) - lines->too_long;
}

/* Bytes given so far. */
static inline uint64_t tl_lines_passed(const struct tl_lines *lines)
{
	return lines->offset + (uint64_t)(lines->next - lines->buffer);
}

#endif
