/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_pprof [SAMPLES]: a pprof profile of the shape of a long profile of a large program (stacks of
 * 10 to 60 locations, of which each sample changes some; two sample types; labels on every fourth
 * sample), not compressed, on standard output. Always the same bytes.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 20000, LOCATIONS = 60000, LEAST_DEPTH = 10, MOST_DEPTH = 60, SPREAD = 5 };

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(random_state >> 33) % limit;
}

struct message {
	unsigned char bytes[4096];
	size_t size;
};

static void put_varint(struct message *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		m->bytes[m->size++] = (unsigned char)(value | 0x80);
	m->bytes[m->size++] = (unsigned char)value;
}

static void put_number(struct message *m, unsigned field, uint64_t value)
{
	put_varint(m, field << 3);
	put_varint(m, value);
}

static void put_bytes(struct message *m, unsigned field, const void *data, size_t size)
{
	put_varint(m, field << 3 | 2);
	put_varint(m, size);
	memcpy(m->bytes + m->size, data, size);
	m->size += size;
}

/* Write a message as a field of the profile; it is empty afterwards. */
static void put(unsigned field, struct message *m)
{
	struct message head = { .size = 0 };

	put_varint(&head, field << 3 | 2);
	put_varint(&head, m->size);
	fwrite(head.bytes, 1, head.size, stdout);
	fwrite(m->bytes, 1, m->size, stdout);
	m->size = 0;
}

static void put_type(unsigned field, uint64_t name, uint64_t unit)
{
	struct message m = { .size = 0 };

	put_number(&m, 1, name);
	put_number(&m, 2, unit);
	put(field, &m);
}

/* Of the calls that a location makes, the first is by far the most frequent. */
static uint32_t callee(void)
{
	return below(10) ? 0 : below(SPREAD);
}

/* Callers are kept down to a random depth; below it each location has a few that it may call. */
static void put_sample(uint32_t *stack, uint32_t *depth)
{
	struct message m = { .size = 0 }, list = { .size = 0 };
	uint32_t kept = *depth ? *depth - below(*depth < 8 ? *depth : 8) : 1;

	*depth = kept + below(8);
	if (*depth < LEAST_DEPTH)
		*depth = LEAST_DEPTH;
	if (*depth > MOST_DEPTH)
		*depth = MOST_DEPTH - below(20);
	for (uint32_t i = kept; i < *depth; i++)
		stack[i] = (stack[i - 1] * 31 + callee() * 7919 + i) % LOCATIONS;
	for (uint32_t i = *depth; i-- > 0;)
		put_varint(&list, stack[i] + 1);
	put_bytes(&m, 1, list.bytes, list.size);
	list.size = 0;
	put_varint(&list, 1);
	put_varint(&list, 10000000);
	put_bytes(&m, 2, list.bytes, list.size);
	if (!below(4)) {
		list.size = 0;
		put_number(&list, 1, 5);
		put_number(&list, 3, below(100));
		put_bytes(&m, 3, list.bytes, list.size);
	}
	put(2, &m);
}

static void put_tables(void)
{
	struct message m = { .size = 0 }, line = { .size = 0 };

	for (uint32_t i = 0; i < LOCATIONS; i++) {
		put_number(&m, 1, i + 1);
		put_number(&m, 2, 1);
		put_number(&m, 3, 0x400000 + 16 * (uint64_t)i);
		put_number(&line, 1, i % FUNCTIONS + 1);
		put_number(&line, 2, 10 + i / FUNCTIONS);
		put_bytes(&m, 4, line.bytes, line.size);
		line.size = 0;
		put(4, &m);
	}
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		put_number(&m, 1, i + 1);
		put_number(&m, 2, 8 + i);
		put_number(&m, 4, 7);
		put(5, &m);
	}
}

int main(int argc, char **argv)
{
	static const char *const texts[] = {
		"",        "samples",        "count",   "cpu", "nanoseconds",
		"request", "/bin/generated", "main.go",
	};
	unsigned long samples = argc > 1 ? strtoul(argv[1], NULL, 10) : 2500000;
	uint32_t stack[MOST_DEPTH + 8] = { 0 }, depth = 0;
	struct message m = { .size = 0 };
	char name[64];

	put_type(1, 1, 2);
	put_type(1, 3, 4);
	while (samples-- > 0)
		put_sample(stack, &depth);
	put_number(&m, 1, 1);
	put_number(&m, 2, 0x400000);
	put_number(&m, 3, 0x800000);
	put_number(&m, 5, 6);
	put_number(&m, 7, 1);
	put(3, &m);
	put_tables();
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		m.size = strlen(texts[i]);
		memcpy(m.bytes, texts[i], m.size);
		put(6, &m);
	}
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		m.size = (size_t)snprintf(name, sizeof(name), "package%" PRIu32 ".function%" PRIu32,
					  i % 97, i);
		memcpy(m.bytes, name, m.size);
		put(6, &m);
	}
	return 0;
}
