/* SPDX-License-Identifier: Apache-2.0 */
#include "mutator.h"

#include <stdbool.h>
#include <string.h>

enum { UNITS_MOST = 4096, RUN_MOST = 4 };

/* An input while it is changed. Unit i has the bytes from start[i] up to start[i + 1]. */
struct edit {
	const struct fuzz_grammar *grammar;
	uint8_t *data;
	size_t size, most;
	struct fuzz_range range;
	struct random *random;
	size_t start[UNITS_MOST + 1];
	size_t count;
};

uint64_t fuzz_number(struct random *random)
{
	static const uint64_t edges[] = {
		0,          1,           0x7f,      0x80,       0xff,
		0x7fff,     0x8000,      0xffff,    0x7fffffff, 0x80000000,
		0xffffffff, 0x100000000, INT64_MAX, 1ull << 63, UINT64_MAX,
	};

	switch (random_below(random, 4)) {
	case 0:
		return edges[random_below(random, sizeof(edges) / sizeof(edges[0]))];
	case 1:
		return random_next(random);
	default:
		return random_below(random, 256);
	}
}

void fuzz_put(uint8_t *to, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void find_units(struct edit *e)
{
	unsigned state = 0;
	size_t at = e->range.from;

	for (e->count = 0; at < e->range.to && e->count < UNITS_MOST; e->count++) {
		e->start[e->count] = at;
		at += e->grammar->length(e->data, at, e->range.to, &state);
	}
	e->start[e->count] = at;
}

/* Put `count` bytes in the place of `gone` at `at`. Where there is no room nothing is changed. */
static void replace(struct edit *e, size_t at, size_t gone, const uint8_t *bytes, size_t count)
{
	if (e->size - gone + count > e->most)
		return;
	memmove(e->data + at + count, e->data + at + gone, e->size - at - gone);
	if (count)
		memcpy(e->data + at, bytes, count);
	e->size = e->size - gone + count;
	e->range.to = e->range.to - gone + count;
	if (e->grammar->resized)
		e->grammar->resized(e->data, e->range);
}

/* ---- changes; there is at least one unit ---- */

static size_t any_unit(struct edit *e)
{
	return random_below(e->random, e->count);
}

static size_t length_of(const struct edit *e, size_t unit)
{
	return e->start[unit + 1] - e->start[unit];
}

static void take_out(struct edit *e)
{
	size_t first = any_unit(e), behind = first + 1 + random_below(e->random, RUN_MOST);

	if (behind > e->count)
		behind = e->count;
	replace(e, e->start[first], e->start[behind] - e->start[first], NULL, 0);
}

static void put_in(struct edit *e)
{
	uint8_t unit[FUZZ_UNIT_MOST];
	size_t count = e->grammar->make(unit, e->random);

	replace(e, e->start[random_below(e->random, e->count + 1)], 0, unit, count);
}

static void exchange(struct edit *e)
{
	uint8_t unit[FUZZ_UNIT_MOST];
	size_t count = e->grammar->make(unit, e->random), old = any_unit(e);

	replace(e, e->start[old], length_of(e, old), unit, count);
}

/* A unit again at another place; with `move` no more at its own. */
static void copy_unit(struct edit *e, bool move)
{
	uint8_t unit[FUZZ_UNIT_MOST];
	size_t from = any_unit(e), count = length_of(e, from);
	size_t to = e->start[random_below(e->random, e->count + 1)];

	if (count > sizeof(unit) || (to > e->start[from] && to < e->start[from + 1]))
		return;
	memcpy(unit, e->data + e->start[from], count);
	if (move) {
		replace(e, e->start[from], count, NULL, 0);
		if (to > e->start[from])
			to -= count;
	}
	replace(e, to, 0, unit, count);
}

static void copy(struct edit *e)
{
	copy_unit(e, false);
}

static void move(struct edit *e)
{
	copy_unit(e, true);
}

/* Bytes behind the first, which is what kind of unit it is. */
static void change(struct edit *e)
{
	size_t unit = any_unit(e), size = length_of(e, unit), at, width;
	uint8_t *bytes = e->data + e->start[unit];

	if (size < 2) {
		bytes[0] ^= (uint8_t)(1u << random_below(e->random, 8));
		return;
	}
	at = 1 + random_below(e->random, size - 1);
	width = (size_t)1 << random_below(e->random, 4);
	fuzz_put(bytes + at, fuzz_number(e->random), width < size - at ? width : size - at);
}

static void flip(struct edit *e)
{
	size_t unit = any_unit(e), bit = random_below(e->random, 8 * length_of(e, unit));

	e->data[e->start[unit] + bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void (*const changes[])(struct edit *) = { take_out, put_in, put_in, exchange,
						  copy,     move,   change, flip };

size_t fuzz_mutate_units(const struct fuzz_grammar *grammar, uint8_t *data, size_t size,
			 size_t most, struct random *random)
{
	struct edit e = { .grammar = grammar, .data = data, .size = size, .most = most };

	e.random = random;
	for (size_t n = 1 + random_below(random, 3); n; n--) {
		e.range = grammar->units(data, e.size);
		find_units(&e);
		if (e.count)
			changes[random_below(random, sizeof(changes) / sizeof(changes[0]))](&e);
	}
	return e.size;
}

size_t fuzz_mutate(const struct fuzz_grammar *grammar, uint8_t *data, size_t size, size_t most,
		   unsigned seed)
{
	struct random random = random_for(seed, size);
	struct fuzz_range range = grammar->units(data, size);

	/* What no unit is, a head, a tail or what was damaged before, is for mutants of bytes. */
	if (range.from >= range.to || size > most || !random_below(&random, 4))
		return LLVMFuzzerMutate(data, size, most);
	return fuzz_mutate_units(grammar, data, size, most, &random);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return fuzz_mutate(&fuzz_grammar, data, size, most, seed);
}
