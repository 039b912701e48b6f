/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of inherited events: "event: Sum = Ir + 2 Dr - 10*D1mr". The published grammar allows
 * sums with a factor before each name, with or without '*'. Real files also subtract, and name
 * other inherited events.
 */
#include "callgrind/text/parse_number.h"
#include "callgrind/reader/reader.h"

/*
 * Depth of formulas in formulas. Real files do not reach it; a formula that names itself ends here.
 */
enum { DEEPEST = 16 };

static uint32_t find_event(const struct tl_callgrind_reader *reader, const char *name, size_t size)
{
	for (size_t i = 0; i < reader->events.count; i++) {
		const struct tl_name *known =
			&reader->names.pool->names[reader->events.list[i].name];

		if (known->size == size && !memcmp(known->text, name, size))
			return (uint32_t)i;
	}
	return TL_NONE;
}

/* A name ends at a blank or an operator. */
static size_t name_size(const uint8_t *p)
{
	size_t size = 0;

	while (p[size] && !tl_callgrind_is_blank(p[size]) && !strchr("+-*", p[size]))
		size++;
	return size;
}

static bool add_formula(const struct tl_callgrind_reader *reader, uint32_t event, int64_t factor,
			int64_t *factors, unsigned depth);

/* Add an event `factor` times. */
static bool add_event(const struct tl_callgrind_reader *reader, uint32_t event, int64_t factor,
		      int64_t *factors, unsigned depth)
{
	if (event == TL_NONE)
		return false;
	if (!reader->events.list[event].column)
		return add_formula(reader, event, factor, factors, depth);
	return !__builtin_add_overflow(factors[event], factor, &factors[event]);
}

/*
 * "Number Space* ('*' Space*)? Name": the factor. Returns the first byte of the name, NULL: not a
 * term.
 */
static const uint8_t *read_factor(const uint8_t *p, int64_t *factor)
{
	bool over = false;
	uint64_t number = 1;

	if (!tl_callgrind_is_digit(*p))
		return *factor = 1, p;
	p = tl_callgrind_skip_blanks(tl_callgrind_parse_number(p, &number, &over));
	if (over || number > INT32_MAX)
		return NULL;
	*factor = (int64_t)number;
	return tl_callgrind_skip_blanks(*p == '*' ? p + 1 : p);
}

static bool add_formula(const struct tl_callgrind_reader *reader, uint32_t event, int64_t factor,
			int64_t *factors, unsigned depth)
{
	/* Strings of the pool are terminated, and parsing a number stops at the terminator. */
	const uint8_t *p =
		(const uint8_t *)tl_callgrind_name(reader, reader->events.list[event].formula);
	bool first = true;

	if (!depth || !*p)
		return false;
	for (p = tl_callgrind_skip_blanks(p); *p; p = tl_callgrind_skip_blanks(p), first = false) {
		bool minus = *p == '-';
		int64_t times;
		size_t size;

		if (*p == '+' || *p == '-')
			p = tl_callgrind_skip_blanks(p + 1);
		else if (!first)
			return false;
		p = read_factor(p, &times);
		if (!p || __builtin_mul_overflow(times, minus ? -factor : factor, &times))
			return false;
		size = name_size(p);
		if (!add_event(reader, find_event(reader, (const char *)p, size), times, factors,
			       depth - 1))
			return false;
		p += size;
	}
	return true;
}

bool tl_callgrind_formula(const struct tl_callgrind_reader *reader, uint32_t event,
			  int64_t *factors)
{
	return add_formula(reader, event, 1, factors, DEEPEST);
}
