/* SPDX-License-Identifier: Apache-2.0 */
#include "mutate.h"

#include <string.h>

uint64_t random_next(struct random *random)
{
	/* xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators,
	 * scrambled"). */
	random->state ^= random->state >> 12;
	random->state ^= random->state << 25;
	random->state ^= random->state >> 27;
	return random->state * 0x2545f4914f6cdd1du;
}

struct random random_for(uint64_t seed, uint64_t number)
{
	struct random random = { (seed + 1) * 0x9e3779b97f4a7c15u ^
				 (number + 1) * 0xd1342543de82ef95u };

	if (!random.state)
		random.state = 1;
	for (int i = 0; i < 4; i++)
		random_next(&random);
	return random;
}

size_t random_below(struct random *random, size_t bound)
{
	return (size_t)(random_next(random) >> 11) % bound;
}

/* A stretch of 1 to `longest` bytes that begins anywhere. */
static size_t stretch(struct random *random, size_t size, size_t longest, size_t *length)
{
	size_t start = random_below(random, size);

	*length = 1 + random_below(random, longest);
	if (*length > size - start)
		*length = size - start;
	return start;
}

static void flip_bit(uint8_t *data, size_t *size, struct random *random)
{
	size_t bit = random_below(random, *size * 8);

	data[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void flip_bits(uint8_t *data, size_t *size, struct random *random)
{
	for (size_t n = 2 + random_below(random, 18); n; n--)
		flip_bit(data, size, random);
}

static void set_byte(uint8_t *data, size_t *size, struct random *random)
{
	static const uint8_t edges[] = { 0, 1, 0x0f, 0x7f, 0x80, 0xff };
	size_t choice = random_below(random, sizeof(edges) + 1);
	uint8_t value = choice < sizeof(edges) ? edges[choice] : (uint8_t)random_next(random);

	data[random_below(random, *size)] = value;
}

static void truncate_file(uint8_t *data, size_t *size, struct random *random)
{
	(void)data;
	*size = random_below(random, *size);
}

static void insert_bytes(uint8_t *data, size_t *size, struct random *random)
{
	size_t start = random_below(random, *size), n = 1 + random_below(random, 24);

	memmove(data + start + n, data + start, *size - start);
	for (size_t i = 0; i < n; i++)
		data[start + i] = (uint8_t)random_next(random);
	*size += n;
}

static void delete_bytes(uint8_t *data, size_t *size, struct random *random)
{
	size_t n, start = stretch(random, *size, 24, &n);

	memmove(data + start, data + start + n, *size - start - n);
	*size -= n;
}

static void duplicate_bytes(uint8_t *data, size_t *size, struct random *random)
{
	size_t n, start = stretch(random, *size, 200, &n);

	memmove(data + start + n, data + start, *size - start);
	*size += n;
}

static void set_header_byte(uint8_t *data, size_t *size, struct random *random)
{
	data[random_below(random, *size < 96 ? *size : 96)] = (uint8_t)random_next(random);
}

static void zero_bytes(uint8_t *data, size_t *size, struct random *random)
{
	size_t n, start = stretch(random, *size, 64, &n);

	memset(data + start, 0, n);
}

static void set_number(uint8_t *data, size_t *size, struct random *random)
{
	static const uint64_t edges[] = {
		0,           1,         0x7fffffff,          0x80000000, 0xffffffff,
		0x100000000, INT64_MAX, (uint64_t)INT64_MIN, UINT64_MAX, UINT64_MAX - 15,
	};
	uint64_t value = edges[random_below(random, sizeof(edges) / sizeof(edges[0]))];
	size_t width = random_below(random, 2) ? 4 : 8;

	if (*size >= width)
		memcpy(data + random_below(random, *size - width + 1), &value, width);
}

static void exchange_stretches(uint8_t *data, size_t *size, struct random *random)
{
	uint8_t held[64];
	size_t n = 8 * (1 + random_below(random, 8));

	if (*size < n)
		return;
	size_t a = random_below(random, *size - n + 1), b = random_below(random, *size - n + 1);

	memcpy(held, data + a, n);
	memmove(data + a, data + b, n);
	memcpy(data + b, held, n);
}

static const struct {
	const char *name;
	void (*apply)(uint8_t *data, size_t *size, struct random *random);
} mutations[] = {
	{ "bit", flip_bit },
	{ "bits", flip_bits },
	{ "byte", set_byte },
	{ "truncate", truncate_file },
	{ "insert", insert_bytes },
	{ "delete", delete_bytes },
	{ "duplicate", duplicate_bytes },
	{ "header", set_header_byte },
	{ "zero", zero_bytes },
	{ "number", set_number },
	{ "exchange", exchange_stretches },
};

const char *mutate(uint8_t *data, size_t *size, struct random *random)
{
	size_t i = random_below(random, sizeof(mutations) / sizeof(mutations[0]));

	if (*size)
		mutations[i].apply(data, size, random);
	return mutations[i].name;
}
