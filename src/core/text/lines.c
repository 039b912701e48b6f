/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text/lines.h"

#include <stdlib.h>

/*
 * Small enough to stay in the second-level cache, large enough to make the cost of a read
 * negligible.
 */
enum { FIRST_CAPACITY = 256 * 1024, LEAST_CAPACITY = 1024 };

/* A short file needs a buffer of its size, and one byte more to notice its end. */
static size_t first_capacity(const struct tl_source *source)
{
	uint64_t stored = tl_source_stored_size(source);

	if (!stored || stored >= FIRST_CAPACITY)
		return FIRST_CAPACITY;
	return stored < LEAST_CAPACITY ? LEAST_CAPACITY : (size_t)stored + 1;
}

bool tl_lines_begin(struct tl_lines *lines, struct tl_source *source)
{
	*lines = (struct tl_lines){ .source = source, .capacity = first_capacity(source) };
	lines->buffer = calloc(1, lines->capacity + TL_LINES_SLACK);
	lines->next = lines->end = lines->start = lines->stop = lines->whole = lines->buffer;
	return lines->buffer != NULL;
}

void tl_lines_end(struct tl_lines *lines)
{
	free(lines->buffer);
	lines->buffer = NULL;
}

/* Move the bytes that were not given yet to the front of the buffer. */
static size_t compact(struct tl_lines *lines)
{
	size_t left = (size_t)(lines->end - lines->next);

	lines->offset += (uint64_t)(lines->next - lines->buffer);
	memmove(lines->buffer, lines->next, left);
	lines->next = lines->buffer;
	lines->end = lines->buffer + left;
	return left;
}

/*
 * The buffer only grows when one line fills it, so its size is bounded by the bytes of the input.
 */
static int grow(struct tl_lines *lines, size_t left, struct tl_error *err)
{
	uint8_t *grown = realloc(lines->buffer, lines->capacity * 2 + TL_LINES_SLACK);

	if (!grown)
		return tl_error_memory(err);
	lines->buffer = grown;
	lines->capacity *= 2;
	lines->next = grown;
	lines->end = grown + left;
	return 0;
}

/* Append bytes of the source. 1: some; 0: the source is at its end. */
static int read_more(struct tl_lines *lines, struct tl_error *err)
{
	size_t left = (size_t)(lines->end - lines->buffer);
	int64_t got =
		tl_source_read(lines->source, lines->buffer + left, lines->capacity - left, err);

	if (got <= 0)
		return (int)got;
	lines->end += got;
	return 1;
}

/* The last line has no newline: append one, and set `unended`. */
static int give_rest(struct tl_lines *lines)
{
	size_t left = (size_t)(lines->end - lines->next);

	if (!left)
		return 0;
	lines->buffer[lines->end - lines->buffer] = '\n';
	lines->start = lines->whole = lines->next;
	lines->stop = lines->next = lines->end;
	while (lines->stop > lines->start && lines->stop[-1] == '\r')
		lines->stop--;
	lines->too_long = 0;
	lines->number++;
	lines->unended = true;
	return 1;
}

/* A line longer than the limit: its bytes are skipped, it is given without a text. */
static int give_too_long(struct tl_lines *lines, struct tl_error *err)
{
	int got = 1;
	const uint64_t start = lines->offset;
	const uint8_t *stop = NULL;

	while (got > 0 && !stop) {
		lines->offset += (uint64_t)(lines->end - lines->buffer);
		lines->end = lines->buffer;
		got = read_more(lines, err);
		stop = memchr(lines->buffer, '\n', (size_t)(lines->end - lines->buffer));
	}
	if (got < 0)
		return got;
	lines->next = stop ? stop + 1 : lines->end;
	lines->start = lines->stop = lines->whole = lines->buffer;
	lines->too_long = lines->offset - start;
	lines->number++;
	return 1;
}

int tl_lines_refill(struct tl_lines *lines, struct tl_error *err)
{
	size_t left = compact(lines);

	while (!lines->ended) {
		int status = 1;

		if (left == lines->capacity && left >= TL_LINES_LONGEST)
			return give_too_long(lines, err);
		if (left == lines->capacity)
			status = grow(lines, left, err);
		if (status >= 0)
			status = read_more(lines, err);
		if (status < 0)
			return status;
		lines->ended = status == 0;
		if (memchr(lines->buffer + left, '\n', (size_t)(lines->end - lines->buffer) - left))
			return tl_lines_next(lines, err);
		left = (size_t)(lines->end - lines->buffer);
	}
	return give_rest(lines);
}
