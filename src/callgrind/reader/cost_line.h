/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CALLGRIND_READER_COST_LINE_H
#define TL_CALLGRIND_READER_COST_LINE_H
/* The words of a cost line: sub-positions, then costs. */
#include "callgrind/text/parse_number.h"
#include "callgrind/reader/reader.h"

struct tl_callgrind_subpositions {
	uint64_t at[TL_CALLGRIND_MOST_POSITIONS];
	bool negative, over;
};

/* Sub-positions are relative to the base (rule A). Columns of no known kind are rare. */
static inline void tl_callgrind_subpositions_begin(struct tl_callgrind_subpositions *position,
						   const struct tl_callgrind_reader *reader)
{
	const struct tl_callgrind_state *s = &reader->state;

	memcpy(position->at, s->base, sizeof(s->base));
	if (__builtin_expect(reader->positions.further_count != 0, 0))
		memcpy(position->at + TL_CALLGRIND_COLUMNS, s->further_base,
		       sizeof(s->further_base));
	position->negative = position->over = false;
}

static inline void tl_callgrind_set_base(struct tl_callgrind_reader *reader,
					 const struct tl_callgrind_subpositions *position)
{
	struct tl_callgrind_state *s = &reader->state;

	memcpy(s->base, position->at, sizeof(s->base));
	if (__builtin_expect(reader->positions.further_count != 0, 0))
		memcpy(s->further_base, position->at + TL_CALLGRIND_COLUMNS,
		       sizeof(s->further_base));
}

/*
 * Skip the rest of a range "10-20", "10:20", "10+5", of which the first line counts. Returns the
 * byte behind it.
 */
static const uint8_t *tl_callgrind_skip_range(const uint8_t *p, bool *over)
{
	uint64_t ignored;

	return tl_callgrind_parse_number(p + 1, &ignored, over);
}

/*
 * One sub-position ("SubPosition := Number | '+' Number | '-' Number | '*'"), relative to the value
 * in *at. Returns the byte behind it, NULL: not a sub-position.
 */
static inline const uint8_t *tl_callgrind_sub_position(const uint8_t *p, uint64_t *at,
						       struct tl_callgrind_subpositions *position)
{
	uint64_t number = 0;

	if (*p == '*')
		return p + 1;
	if (*p == '+') {
		p = tl_callgrind_parse_number(p + 1, &number, &position->over);
		*at += number;
	} else if (*p == '-') {
		p = tl_callgrind_parse_number(p + 1, &number, &position->over);
		/*
		 * An address may have its top bit set, so only a value from the lower half can
		 * become negative.
		 */
		position->negative |= number > *at && *at <= INT64_MAX;
		*at -= number;
	} else {
		p = tl_callgrind_parse_number(p, at, &position->over);
	}
	if (p && (*p == '-' || *p == ':' || *p == '+'))
		p = tl_callgrind_skip_range(p, &position->over);
	return p;
}

/*
 * The sub-positions at p; missing ones keep their values. Returns the byte behind them and the
 * blanks after them, NULL: one is malformed.
 */
static inline const uint8_t *tl_callgrind_sub_positions(const struct tl_callgrind_reader *reader,
							const uint8_t *p,
							struct tl_callgrind_subpositions *position,
							unsigned *count)
{
	const uint8_t *stop = reader->lines.stop;
	unsigned i = 0;

	for (; i < reader->positions.count && p < stop; i++) {
		p = tl_callgrind_sub_position(p, &position->at[reader->positions.columns[i]],
					      position);
		if (!p || (p < stop && !tl_callgrind_is_blank(*p)))
			return NULL;
		p = tl_callgrind_skip_blanks(p);
	}
	*count = i;
	return p;
}

/*
 * The fast path of tl_callgrind_sub_positions(), where all columns are of known kinds: no ranges,
 * no number that does not fit. `at` has the base. NULL: take the plain way.
 */
static inline const uint8_t *tl_callgrind_fast_positions(const struct tl_callgrind_reader *reader,
							 const uint8_t *p, uint64_t *at)
{
	for (unsigned i = 0; i < reader->positions.count && p < reader->lines.stop; i++) {
		uint64_t *to = &at[reader->positions.columns[i]], number = 0;
		const uint8_t sign = *p;
		bool over = false;

		if (sign == '*')
			p++;
		else
			p = tl_callgrind_parse_number(p + (sign == '+' || sign == '-'), &number,
						      &over);
		if (!p || over || (sign == '-' && number > *to))
			return NULL;
		if (sign == '+' || sign == '*')
			*to += number;
		else if (sign == '-')
			*to -= number;
		else
			*to = number;
		if (p < reader->lines.stop && !tl_callgrind_is_blank(*p))
			return NULL;
		p = tl_callgrind_skip_blanks(p);
	}
	return p;
}

struct tl_callgrind_cost_flags {
	unsigned count;
	bool over, fraction, surplus;
};

/*
 * The fast path of tl_callgrind_read_cost(): a decimal cost of at most seven digits. Returns the
 * byte behind it and its blanks, NULL: the cost has another form.
 */
static inline const uint8_t *tl_callgrind_fast_cost(const uint8_t *p, const uint8_t *stop,
						    int64_t *cost)
{
	uint64_t value = 0;
	const uint8_t *end;

	if (tl_callgrind_is_digit(p[0]) && tl_callgrind_is_blank(p[1])) {
		*cost = *p - '0';
		return tl_callgrind_skip_blanks(p + 2);
	}
	end = tl_callgrind_parse_digits(p, &value);
	*cost = (int64_t)value;
	return end && end != p && (end == stop || tl_callgrind_is_blank(*end))
		       ? tl_callgrind_skip_blanks(end)
		       : NULL;
}

/*
 * Read the costs of the present line from p on into reader->columns.costs. Returns their number,
 * -1: one has another form, or there are too many.
 */
static inline int tl_callgrind_fast_costs(struct tl_callgrind_reader *reader, const uint8_t *p)
{
	const uint8_t *stop = reader->lines.stop;
	int count = 0, room = (int)reader->columns.count;
	int64_t *costs = reader->columns.costs;

	while (p < stop) {
		if (count == room)
			return -1;
		p = tl_callgrind_fast_cost(p, stop, &costs[count++]);
		if (!p)
			return -1;
	}
	return count;
}

/*
 * Costs of the fast path have at most seven digits: sums that are this far from overflow stay so
 * for TL_CALLGRIND_LONGEST_RUN lines.
 */
enum { TL_CALLGRIND_LONGEST_RUN = 1 << 30 };

static inline bool tl_callgrind_sums_are_safe(const struct tl_callgrind_reader *reader)
{
	static const int64_t largest = (int64_t)1 << 61;

	for (size_t i = 0; i < reader->columns.count; i++)
		if (reader->columns.sums[i] > largest || reader->columns.sums[i] < -largest)
			return false;
	return true;
}

/*
 * The cost at p, in any form. Returns the byte behind it and its blanks, NULL: not a number. The
 * plain way, which reads the same values, is tl_callgrind_unusual_cost() alone.
 */
static inline const uint8_t *tl_callgrind_read_cost(const uint8_t *p, const uint8_t *stop,
						    int64_t *cost,
						    struct tl_callgrind_cost_flags *costs)
{
	const uint8_t *end = tl_callgrind_fast_cost(p, stop, cost);

	if (__builtin_expect(end != NULL, 1))
		return end;
	end = tl_callgrind_unusual_cost(p, stop, cost, &costs->over, &costs->fraction);
	return end ? tl_callgrind_skip_blanks(end) : NULL;
}

#endif
