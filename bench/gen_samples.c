/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings of samples of any length (perf.data), on standard output, always the same bytes.
 *
 *   gen_samples repeat RECORDING MB
 *       the samples of a recording again and again, later each time
 *   gen_samples tree LIBRARY FROM FUNCTIONS MB
 *       stacks of 10 to 60 calls, of which most are new
 *   gen_samples scattered PROGRAM FROM SIZE COUNT
 *       samples without callers, anywhere in the code of a file
 *
 * The code begins at FROM in the file; functions of LIBRARY are 64 bytes each.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 104, ATTR = 128, FEATURES_AT = 72, FEATURE_WORDS = 4 };
enum { RECORD_MMAP = 1, RECORD_COMM = 3, RECORD_SAMPLE = 9, RECORD_ROUND = 68, MISC_USER = 2 };
enum { IP = 1, TID = 2, TIME = 4, CALLCHAIN = 32, PERIOD = 256, IDENTIFIER = 1 << 16 };

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t below(uint32_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)(((random_state >> 32) * limit) >> 32);
}

static uint64_t word_at(const unsigned char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static void put_word_at(unsigned char *at, uint64_t word)
{
	memcpy(at, &word, sizeof(word));
}

/* ---- a recording again and again ---- */

struct recording {
	unsigned char *bytes;
	size_t size, data, data_size, time;
	uint64_t first, last; /* times */
};

static int read_whole(struct recording *r, const char *path)
{
	FILE *file = fopen(path, "rb");
	long size;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < HEADER + ATTR)
		return -1;
	rewind(file);
	r->size = (size_t)size;
	r->bytes = malloc(r->size);
	size = r->bytes ? (long)fread(r->bytes, 1, r->size, file) : 0;
	fclose(file);
	return (size_t)size == r->size ? 0 : -1;
}

static size_t record_size(const unsigned char *at)
{
	return (size_t)(word_at(at) >> 48);
}

static uint32_t record_type(const unsigned char *at)
{
	return (uint32_t)word_at(at);
}

static int find_samples(struct recording *r)
{
	const uint64_t kinds = word_at(r->bytes + word_at(r->bytes + 24) + 24);
	size_t at;

	r->data = (size_t)word_at(r->bytes + 40);
	r->data_size = (size_t)word_at(r->bytes + 48);
	r->time =
		8 + (kinds & IDENTIFIER ? 8u : 0) + (kinds & IP ? 8u : 0) + (kinds & TID ? 8u : 0);
	r->first = UINT64_MAX;
	if (!(kinds & TIME) || r->data + r->data_size > r->size)
		return -1;
	for (at = r->data; at < r->data + r->data_size; at += record_size(r->bytes + at)) {
		const unsigned char *time = r->bytes + at + r->time;

		if (record_size(r->bytes + at) < 8)
			return -1;
		if (record_type(r->bytes + at) != RECORD_SAMPLE)
			continue;
		if (word_at(time) < r->first)
			r->first = word_at(time);
		if (word_at(time) > r->last)
			r->last = word_at(time);
	}
	return r->last ? 0 : -1;
}

/*
 * The samples, `later` nanoseconds later, and the ends of rounds between them; the number of bytes.
 */
static uint64_t put_samples(struct recording *r, uint64_t later, int write)
{
	uint64_t written = 0;
	size_t size;

	for (size_t at = r->data; at < r->data + r->data_size; at += size) {
		unsigned char *record = r->bytes + at;

		size = record_size(record);
		if (record_type(record) != RECORD_SAMPLE && record_type(record) != RECORD_ROUND)
			continue;
		written += size;
		if (!write)
			continue;
		if (record_type(record) == RECORD_SAMPLE)
			put_word_at(record + r->time, word_at(record + r->time) + later);
		fwrite(record, 1, size, stdout);
	}
	return written;
}

/* What stands behind the data begins with a table of places in the file. */
static void move_features(struct recording *r, uint64_t by)
{
	unsigned char *entry = r->bytes + r->data + r->data_size;

	for (int word = 0; word < FEATURE_WORDS; word++) {
		uint64_t bits = word_at(r->bytes + FEATURES_AT + 8 * word);

		for (; bits; bits &= bits - 1, entry += 16)
			put_word_at(entry, word_at(entry) + by);
	}
}

static int repeat(const char *path, uint64_t size)
{
	struct recording r = { .bytes = NULL };
	uint64_t once, rounds;

	if (read_whole(&r, path) || find_samples(&r))
		return 1;
	once = put_samples(&r, 0, 0);
	rounds = size > r.data_size ? (size - r.data_size) / once : 0;
	put_word_at(r.bytes + 48, r.data_size + rounds * once);
	move_features(&r, rounds * once);
	fwrite(r.bytes, 1, r.data + r.data_size, stdout);
	for (uint64_t i = 0; i < rounds; i++)
		put_samples(&r, r.last - r.first + 1000, 1);
	fwrite(r.bytes + r.data + r.data_size, 1, r.size - r.data - r.data_size, stdout);
	free(r.bytes);
	return 0;
}

/* ---- generated samples ---- */

static void put_record(uint32_t type, uint16_t misc, const uint64_t *body, size_t words)
{
	const uint64_t head = type | (uint64_t)misc << 32 | (uint64_t)(8 + 8 * words) << 48;

	fwrite(&head, 8, 1, stdout);
	fwrite(body, 8, words, stdout);
}

enum { PID = 4711, PATH_WORDS = 64, ADDRESS = 0x40000000 };

static void put_header(uint64_t kinds, uint64_t data_size)
{
	unsigned char head[HEADER + ATTR] = "PERFILE2";
	unsigned char *attr = head + HEADER;

	put_word_at(head + 8, HEADER);
	put_word_at(head + 16, ATTR);
	put_word_at(head + 24, HEADER);
	put_word_at(head + 32, ATTR);
	put_word_at(head + 40, HEADER + ATTR);
	put_word_at(head + 48, data_size);
	put_word_at(attr, 1 | (uint64_t)112 << 32); /* a software event: cpu-clock, 0 */
	put_word_at(attr + 16, 1000000);
	put_word_at(attr + 24, kinds);
	fwrite(head, 1, sizeof(head), stdout);
}

enum { MAP_WORDS = 4 + PATH_WORDS, COMM_WORDS = 3 };

static void put_process(const char *path)
{
	uint64_t map[MAP_WORDS] = { PID | (uint64_t)PID << 32, ADDRESS, 0x40000000 };
	uint64_t comm[COMM_WORDS] = { PID | (uint64_t)PID << 32 };

	strncpy((char *)(map + 4), path, 8 * PATH_WORDS - 1);
	strcpy((char *)(comm + 1), "generated");
	put_record(RECORD_COMM, 0, comm, COMM_WORDS);
	put_record(RECORD_MMAP, MISC_USER, map, MAP_WORDS);
}

static const uint64_t process_size = 8 * (1 + MAP_WORDS + 1 + COMM_WORDS);

enum { LEAST_DEPTH = 10, MOST_DEPTH = 60, SITES = 8, SPREAD = 6 };

/* The place of a call: one of SITES in its function. */
static uint64_t address_of(uint32_t place, uint64_t from, uint32_t functions)
{
	return ADDRESS + from + 64 * (uint64_t)(place % functions) +
	       6 * (place / functions % SITES + 1);
}

/*
 * Callers are kept down to a random depth; each place has a few that it may call, the first of them
 * mostly.
 */
static void next_stack(uint32_t *stack, uint32_t *depth)
{
	uint32_t kept = *depth ? *depth - below(*depth < 12 ? *depth : 12) : 1;

	*depth = kept + below(12);
	if (*depth < LEAST_DEPTH)
		*depth = LEAST_DEPTH;
	if (*depth > MOST_DEPTH)
		*depth = MOST_DEPTH - below(20);
	for (uint32_t i = kept; i < *depth; i++)
		stack[i] =
			stack[i - 1] * 2654435761u + (below(24) ? 0 : below(SPREAD)) * 40503u + i;
}

static int tree(const char *library, uint64_t from, uint32_t functions, uint64_t size)
{
	uint32_t stack[MOST_DEPTH + 12] = { 0 }, depth = 0;
	uint64_t body[5 + 1 + MOST_DEPTH + 12], written, time = 1000000000;

	/* The size is known once all are written, so that they are written twice: first nowhere. */
	for (int write = 0; write < 2; write++) {
		random_state = 0x9e3779b97f4a7c15u;
		depth = 0;
		if (write)
			put_header(IP | TID | TIME | PERIOD | CALLCHAIN, written);
		if (write)
			put_process(library);
		for (written = process_size; written < size; written += 8 * (depth + 7)) {
			next_stack(stack, &depth);
			if (!write)
				continue;
			for (uint32_t i = 0; i < depth; i++)
				body[6 + i] = address_of(stack[depth - 1 - i], from, functions);
			body[0] = body[6];
			body[1] = PID | (uint64_t)PID << 32;
			body[2] = time += 1000000;
			body[3] = 1000000;
			body[4] = depth + 1;
			body[5] = (uint64_t)-512; /* of the user */
			put_record(RECORD_SAMPLE, MISC_USER, body, 6 + depth);
		}
	}
	return 0;
}

static int scattered(const char *program, uint64_t from, uint32_t size, uint64_t count)
{
	put_header(IP | TID | TIME | PERIOD, process_size + 40 * count);
	put_process(program);
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t body[] = { ADDRESS + from + below(size), PID | (uint64_t)PID << 32,
					  1000000000 + i * 1000000, 1000000 };

		put_record(RECORD_SAMPLE, MISC_USER, body, 4);
	}
	return 0;
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "repeat"))
		return repeat(argv[2], number(argv[3]) * 1000000);
	if (argc == 6 && !strcmp(argv[1], "tree"))
		return tree(argv[2], number(argv[3]), (uint32_t)number(argv[4]),
			    number(argv[5]) * 1000000);
	if (argc == 6 && !strcmp(argv[1], "scattered"))
		return scattered(argv[2], number(argv[3]), (uint32_t)number(argv[4]),
				 number(argv[5]));
	return 2;
}
