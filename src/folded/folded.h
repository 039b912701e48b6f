/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_FOLDED_FOLDED_H
#define TL_FOLDED_FOLDED_H
/* Folded stacks (docs/formats/folded.md): a line for each call path, root first, with its count. */
#include "foreign/foreign.h"

extern const struct tl_foreign_reader tl_folded_reader;

/* How sure it is that these are folded stacks, 0 .. 100. */
int tl_folded_probe(const uint8_t *data, size_t size);

/* A line cut into its stack and its counts. */
struct tl_folded_line {
	const uint8_t *stack, *stack_end;
	const uint8_t *counts[2], *count_ends[2]; /* before and after; one is in counts[0] */
};

/* What a line is. */
enum tl_folded_kind {
	TL_FOLDED_STACK,
	TL_FOLDED_NOTHING,  /* a blank line or a comment */
	TL_FOLDED_NO_COUNT, /* it does not end with a count */
	TL_FOLDED_NO_STACK, /* there is nothing before the count */
};

/* Cut a line; with `two`, it ends with two counts. */
enum tl_folded_kind tl_folded_cut(const uint8_t *line, const uint8_t *end, bool two,
				  struct tl_folded_line *cut);

/* Whether the lines that a file begins with all have two counts: before and after. */
bool tl_folded_has_two_counts(const uint8_t *data, size_t size);

#endif
