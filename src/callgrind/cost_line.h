/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_COST_LINE_H
#define TL_CALLGRIND_COST_LINE_H
/* The words of a cost line: sub-positions, then costs. */
#include "callgrind/numbers.h"
#include "callgrind/reader.h"

struct position {
	uint64_t at[MOST_POSITIONS];
	bool negative, over;
};

/* Sub-positions are relative to the base (rule A). Columns of no known kind are rare. */
static inline void position_begin(struct position *position,
				  const struct tl_callgrind_reader *reader)
{
	const struct callgrind_state *s = &reader->state;

	memcpy(position->at, s->base, sizeof(s->base));
	if (__builtin_expect(reader->further_count != 0, 0))
		memcpy(position->at + COLUMNS, s->further_base, sizeof(s->further_base));
	position->negative = position->over = false;
}

static inline void set_base(struct tl_callgrind_reader *reader, const struct position *position)
{
	struct callgrind_state *s = &reader->state;

	memcpy(s->base, position->at, sizeof(s->base));
	if (__builtin_expect(reader->further_count != 0, 0))
		memcpy(s->further_base, position->at + COLUMNS, sizeof(s->further_base));
}

/* A range "10-20", "10:20", "10+5": its first line counts; -> the byte behind it. */
static const uint8_t *skip_range(const uint8_t *p, bool *over)
{
	uint64_t ignored;

	return parse_number(p + 1, &ignored, over);
}

/*
 * One sub-position ("SubPosition := Number | '+' Number | '-' Number | '*'"), relative to what *at
 * is. NULL:
 * none.
 */
static inline const uint8_t *sub_position(const uint8_t *p, uint64_t *at, struct position *position)
{
	uint64_t number = 0;

	if (*p == '*')
		return p + 1;
	if (*p == '+') {
		p = parse_number(p + 1, &number, &position->over);
		*at += number;
	} else if (*p == '-') {
		p = parse_number(p + 1, &number, &position->over);
		/*
		 * An address may have its top bit set; below 0 is what falls from the lower half.
		 */
		position->negative |= number > *at && *at <= INT64_MAX;
		*at -= number;
	} else {
		p = parse_number(p, at, &position->over);
	}
	if (p && (*p == '-' || *p == ':' || *p == '+'))
		p = skip_range(p, &position->over);
	return p;
}

/* The sub-positions at p; those missing stay as they were. -> the byte behind them and their
 * blanks, NULL:
 * bad. */
static inline const uint8_t *sub_positions(const struct tl_callgrind_reader *reader,
					   const uint8_t *p, struct position *position,
					   unsigned *count)
{
	const uint8_t *stop = reader->lines.stop;
	unsigned i = 0;

	for (; i < reader->position_count && p < stop; i++) {
		p = sub_position(p, &position->at[reader->positions[i]], position);
		if (!p || (p < stop && !is_blank(*p)))
			return NULL;
		p = skip_blanks(p);
	}
	*count = i;
	return p;
}

struct costs {
	unsigned count;
	bool over, fraction, surplus;
};

/* A cost of at most seven digits; -> what follows it and its blanks, NULL: it is none. */
static inline const uint8_t *plain_cost(const uint8_t *p, const uint8_t *stop, int64_t *cost)
{
	uint64_t value = 0;
	const uint8_t *end;

	if (is_digit(p[0]) && is_blank(p[1])) {
		*cost = *p - '0';
		return skip_blanks(p + 2);
	}
	end = parse_digits(p, &value);
	*cost = (int64_t)value;
	return end && end != p && (end == stop || is_blank(*end)) ? skip_blanks(end) : NULL;
}

/* The number at p; -> what follows it and its blanks, NULL: none. */
static inline const uint8_t *read_cost(const uint8_t *p, const uint8_t *stop, int64_t *cost,
				       struct costs *costs)
{
	const uint8_t *end = plain_cost(p, stop, cost);

	if (__builtin_expect(end != NULL, 1))
		return end;
	end = tl_callgrind_odd_cost(p, stop, cost, &costs->over, &costs->fraction);
	return end ? skip_blanks(end) : NULL;
}

#endif
