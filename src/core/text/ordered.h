/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_TEXT_ORDERED_H
#define TL_CORE_TEXT_ORDERED_H
/*
 * Text that several threads make and that is written in order: the caller fills batches of what is
 * to be formatted, other threads make text of them, and whoever has made the next text writes it.
 * With one job, or where threads cannot be made, the caller does all of it.
 */
#include <string.h>

#include <tracelathe/core.h>

/* Text that grows. */
struct tl_ordered_text {
	char *start, *pos, *end;
};

/* Append the text of a batch. False without memory. */
typedef bool tl_ordered_format_fn(const void *arg, const void *batch, struct tl_ordered_text *text);

struct tl_ordered_ops {
	size_t batch_bytes; /* of a batch, zeroed before its first use */
	tl_ordered_format_fn *format;
	void (*clear)(void *batch); /* its text was made: it is filled again */
	void (*free)(void *batch);  /* frees its members */
};

struct tl_ordered;

/* `out` is the threads' own until the end. NULL without memory. */
struct tl_ordered *tl_ordered_open(const struct tl_ordered_ops *ops, const void *arg, unsigned jobs,
				   struct tl_output *out);
/* The batch to be filled. */
void *tl_ordered_batch(const struct tl_ordered *ordered);
/* The batch is full; the next one is empty. */
void tl_ordered_next(struct tl_ordered *ordered);
/* Whether the output failed, or memory: what follows need not be made. */
bool tl_ordered_failed(const struct tl_ordered *ordered);
/*
 * Write what there is, the batch that was not full among it, and end. 0 or TL_NO_MEMORY; errors of
 * the output are its own. NULL is allowed.
 */
int tl_ordered_close(struct tl_ordered *ordered, struct tl_error *err);

/* The rare case of tl_ordered_room(). False without memory. */
bool tl_ordered_grow(struct tl_ordered_text *text, size_t size);

/* Room for so many bytes at text->pos. False without memory. */
static inline bool tl_ordered_room(struct tl_ordered_text *text, size_t size)
{
	return size <= (size_t)(text->end - text->pos) || tl_ordered_grow(text, size);
}

/*
 * Copy bytes, of which there are few, in pieces of 16: up to 15 more are read and written than are
 * wanted. Returns the end of what is wanted.
 */
static inline char *tl_copy_loosely(char *p, const char *from, size_t size)
{
	for (size_t i = 0; i < size; i += 16)
		memcpy(p + i, from + i, 16);
	return p + size;
}

#endif
