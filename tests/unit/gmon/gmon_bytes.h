/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_GMON_BYTES_H
#define TESTS_UNIT_GMON_BYTES_H
/* A gmon.out record by record, in both byte orders (docs/formats/gmon.md). */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct bytes {
	uint8_t data[4096];
	size_t size;
	bool big;
	unsigned word;
};

static inline void number(struct bytes *b, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		b->data[b->size++] = (uint8_t)(value >> 8 * (b->big ? size - 1 - i : i));
}

static inline struct bytes file(bool big, unsigned word)
{
	struct bytes b = { .big = big, .word = word };

	memcpy(b.data, "gmon", 4);
	b.size = 4;
	number(&b, 1, 4);
	b.size += 12;
	return b;
}

static inline void histogram(struct bytes *b, uint64_t low, uint64_t high, const uint16_t *bins,
			     uint32_t count)
{
	number(b, 0, 1);
	number(b, low, b->word);
	number(b, high, b->word);
	number(b, count, 4);
	number(b, 100, 4);
	memcpy(b->data + b->size, "seconds\0\0\0\0\0\0\0\0s", 16);
	b->size += 16;
	for (uint32_t i = 0; i < count; i++)
		number(b, bins[i], 2);
}

static inline void arc(struct bytes *b, uint64_t from, uint64_t self, uint32_t calls)
{
	number(b, 1, 1);
	number(b, from, b->word);
	number(b, self, b->word);
	number(b, calls, 4);
}

#endif
