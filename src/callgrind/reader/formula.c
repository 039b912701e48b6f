/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formulas of inherited events: "event: Sum = Ir + 2 Dr - 10*D1mr". The published grammar allows
 * sums with a factor before each name, with or without '*'. Real files also subtract, and name
 * other inherited events.
 */
#include "callgrind/text/parse_number.h"
#include "callgrind/reader/reader.h"

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

static bool understand(struct tl_callgrind_formulas *f, uint32_t event);

/* Add an event `factor` times to the formula of another. */
static bool add_event(struct tl_callgrind_formulas *f, uint32_t to, uint32_t event, int64_t factor)
{
	int64_t *sum = f->factors + (size_t)to * f->count, product;
	const int64_t *other = f->factors + (size_t)event * f->count;

	if (event == TL_NONE)
		return false;
	f->named[(size_t)to * f->count + event] = true;
	if (f->reader->events.list[event].column)
		return !__builtin_add_overflow(sum[event], factor, &sum[event]);
	if (!understand(f, event))
		return false;
	for (size_t i = 0; i < f->count; i++)
		if (__builtin_mul_overflow(other[i], factor, &product) ||
		    __builtin_add_overflow(sum[i], product, &sum[i]))
			return false;
	return true;
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

static bool read_formula(struct tl_callgrind_formulas *f, uint32_t event)
{
	/* Strings of the pool are terminated, and parsing a number stops at the terminator. */
	const uint8_t *p = (const uint8_t *)tl_callgrind_name(
		f->reader, f->reader->events.list[event].formula);
	bool first = true;

	if (!*p)
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
		if (!p)
			return false;
		size = name_size(p);
		if (!add_event(f, event, find_event(f->reader, (const char *)p, size),
			       minus ? -times : times))
			return false;
		p += size;
	}
	return true;
}

/*
 * Each formula is read once, after those that it names; one that names itself, also by others, is
 * met while it is open, and is no sum.
 */
static bool understand(struct tl_callgrind_formulas *f, uint32_t event)
{
	if (f->state[event] == TL_CALLGRIND_FORMULA_UNREAD) {
		f->state[event] = TL_CALLGRIND_FORMULA_OPEN;
		f->state[event] = read_formula(f, event) ? TL_CALLGRIND_FORMULA_GOOD
							 : TL_CALLGRIND_FORMULA_BAD;
	}
	return f->state[event] == TL_CALLGRIND_FORMULA_GOOD;
}

bool tl_callgrind_formulas_read(struct tl_callgrind_formulas *f,
				const struct tl_callgrind_reader *reader)
{
	size_t count = reader->events.count;

	*f = (struct tl_callgrind_formulas){ .reader = reader, .count = count };
	f->factors = calloc(count * count + 1, sizeof(*f->factors));
	f->named = calloc(count * count + 1, sizeof(*f->named));
	f->state = calloc(count + 1, sizeof(*f->state));
	if (!f->factors || !f->named || !f->state)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!reader->events.list[i].column && reader->events.list[i].formula)
			understand(f, (uint32_t)i);
	return true;
}

void tl_callgrind_formulas_free(struct tl_callgrind_formulas *f)
{
	free(f->factors);
	free(f->named);
	free(f->state);
}
