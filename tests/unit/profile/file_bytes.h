/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_PROFILE_FILE_BYTES_H
#define TESTS_UNIT_PROFILE_FILE_BYTES_H
/*
 * Profile files written by hand, byte for byte from docs/formats/profile.md. This knows nothing of
 * the code under test. Blocks are stored as they are, and every field of a row is given, 0 as well.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../unit.h"

enum { FILE_ROOM = 1 << 16, BLOCK_HEADER = 40 };
/* "4. Sections" */
enum {
	STRINGS = 1,
	HEAD,
	EVENTS,
	NOTES,
	FUNCTIONS,
	PARTS,
	CONTEXTS,
	LINES,
	ARCS,
	JUMPS,
	DURATIONS,
	SAMPLES,
	FUNCTION_ORDER,
	LINE_ORDER = 16,
	ARC_ORDER = 17,
	END = 19,
	LINE_SUMS,
	ARC_SUMS
};
#define NONE 4294967295ull

struct file {
	uint8_t bytes[FILE_ROOM];
	size_t size, block; /* `block` is where the last one begins */
	uint32_t blocks;
	uint64_t last[32]; /* the row before, in this block */
	unsigned keys, fields;
	uint32_t rows;
};

/* Beyond the eighth byte of a number there are zeros. */
static inline void file_put(struct file *f, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->bytes[f->size++] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
}

static inline void file_set(struct file *f, size_t at, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		f->bytes[at + i] = (uint8_t)(value >> 8 * i);
}

/* "LEB128" */
static inline void file_number(struct file *f, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		f->bytes[f->size++] = (uint8_t)(value | 0x80);
	f->bytes[f->size++] = (uint8_t)value;
}

/* "1. The file" */
static inline void file_begin_version(struct file *f, unsigned version)
{
	*f = (struct file){ .size = 0 };
	memcpy(f->bytes, "\x89TLP\r\n\x1a\n", 8);
	f->size = 8;
	file_put(f, version, 4);
	file_put(f, crc32(0, f->bytes, 12), 4);
}

static inline void file_begin(struct file *f)
{
	file_begin_version(f, 1);
}

/* "2. A block": the header, of which sizes and checksums come at the end. */
static inline void block_begin(struct file *f, unsigned section, uint64_t first, unsigned keys,
			       unsigned fields)
{
	f->block = f->size;
	memcpy(f->bytes + f->size, "TLPB", 4);
	f->size += 4;
	file_put(f, section, 1);
	file_put(f, 0, 1);
	file_put(f, fields, 2);
	file_put(f, first, 8);
	file_put(f, 0, 4 * 4);
	file_put(f, f->blocks++, 4);
	file_put(f, 0, 4);
	memset(f->last, 0, sizeof(f->last));
	f->keys = keys;
	f->fields = fields;
	f->rows = 0;
}

/* Header and content are right again, after whatever a test has changed. */
static inline void block_seal(struct file *f, size_t block)
{
	uint32_t bytes;

	memcpy(&bytes, f->bytes + block + 24, 4);
	file_set(f, block + 28, (uint32_t)crc32(0, f->bytes + block + BLOCK_HEADER, bytes));
	file_set(f, block + 36, (uint32_t)crc32(0, f->bytes + block, 36));
}

static inline void block_end(struct file *f)
{
	uint32_t bytes = (uint32_t)(f->size - f->block - BLOCK_HEADER);

	file_set(f, f->block + 16, f->rows);
	file_set(f, f->block + 20, bytes);
	file_set(f, f->block + 24, bytes);
	block_seal(f, f->block);
}

/* "3. Rows", in groups of seven; keys as differences. */
static inline void block_row(struct file *f, const uint64_t *row)
{
	for (unsigned i = 0; i < f->fields; i++) {
		uint64_t value = i < f->keys ? row[i] - f->last[i] : row[i];

		if (i % 7 == 0)
			file_put(f,
				 (f->fields - i >= 7 ? 0x7f : (1u << (f->fields - i)) - 1) |
					 (f->fields - i > 7 ? 0x80 : 0),
				 1);
		file_number(f, value << 1 ^ (value >> 63 ? UINT64_MAX : 0));
		f->last[i] = row[i];
	}
	f->rows++;
}

#define ROW(f, ...) block_row((f), (const uint64_t[32]){ __VA_ARGS__ })

/* A string that begins with `same` bytes of the one before it. */
static inline void block_string(struct file *f, unsigned same, const char *rest)
{
	file_number(f, same);
	file_number(f, strlen(rest));
	memcpy(f->bytes + f->size, rest, strlen(rest));
	f->size += strlen(rest);
	f->rows++;
}

/* "End: rows of the section with the number of this row"; a reader needs the block, not the rows */
static inline void file_end(struct file *f)
{
	block_begin(f, END, 0, 0, 1);
	for (unsigned section = 0; section < 20; section++)
		ROW(f, 0);
	block_end(f);
}

static struct file hand;

/* ---- a profile of sums by hand: two functions, two parts, one arc, one jump ---- */

enum { NO_STRING, AFTER, ALPHA, ALPS, ARG, IR, XRAY, STRING_COUNT };

static inline void put_strings(void)
{
	block_begin(&hand, STRINGS, 0, 0, 0);
	block_string(&hand, 0, "");
	block_string(&hand, 0, "after a gap");
	block_string(&hand, 1, "lpha"); /* "alpha" */
	block_string(&hand, 3, "s");    /* "alps" */
	block_string(&hand, 1, "rg");
	block_string(&hand, 0, "Ir");
	block_string(&hand, 0, "xray");
	block_end(&hand);
}

static inline void put_head(void)
{
	block_begin(&hand, HEAD, 0, 0, 16);
	/* 1000 ticks a second; estimated; calls as given; 3 gaps, 20 skipped bytes */
	ROW(&hand, 1000, 2, 2, XRAY, 0, 0, 0, 0, 3, 20);
	block_end(&hand);
	block_begin(&hand, EVENTS, 0, 0, 4);
	ROW(&hand, IR, ALPHA, ALPS, 0);
	block_end(&hand);
}

static inline void put_notes(void)
{
	block_begin(&hand, NOTES, 0, 0, 6);
	ROW(&hand, 0, UINT64_MAX, 0, UINT64_MAX, AFTER, XRAY);
	ROW(&hand, 3, 0x40, 8, UINT64_MAX, AFTER, XRAY);
	ROW(&hand, 3, 0x40, 8, 7, AFTER, 0);
	ROW(&hand, 3, UINT64_MAX, 0, 7, AFTER, XRAY);
	ROW(&hand, 99, UINT64_MAX, 0, UINT64_MAX, AFTER, XRAY); /* of a later version */
	block_end(&hand);
}

static inline void put_functions_and_parts(void)
{
	block_begin(&hand, FUNCTIONS, 0, 6, 6);
	ROW(&hand, 0, ARG, ALPHA, UINT64_MAX, 12, 0x1000);
	ROW(&hand, 0, ARG, ALPS, 5, 0, 0x2000);
	block_end(&hand);
	block_begin(&hand, PARTS, 0, 5, 20);
	ROW(&hand, 7, 0, 71, ALPS, 0, 10, 20, 30, 1, 2);
	ROW(&hand, 7, 0, 72, ALPS, 0, 11, 21, 31);
	block_end(&hand);
}

static inline void put_costs(void)
{
	block_begin(&hand, LINES, 0, 6, 7);
	ROW(&hand, 0, 0, ARG, 12, 0x1000, 0, 100);
	ROW(&hand, 0, 1, ARG, 13, 0x1004, 0, (uint64_t)-20);
	ROW(&hand, 1, 0, ARG, 20, 0x2000, 0, 5);
	block_end(&hand);
	block_begin(&hand, ARCS, 0, 11, 13);
	ROW(&hand, 0, 1, 0, ARG, 12, 0x1002, 0, ARG, 20, 0x2000, 0, 4, 5);
	ROW(&hand, NONE, 0, NONE, 0, 0, 0, 0, 0, 0, 0, 0, 1, 85);
	block_end(&hand);
	block_begin(&hand, JUMPS, 0, 12, 14);
	ROW(&hand, 0, 1, 0, ARG, 12, 0x1002, 0, ARG, 20, 0x2000, 0, 1, 9, 8);
	block_end(&hand);
}

static inline void put_sums(void)
{
	file_begin(&hand);
	put_strings();
	put_head();
	put_notes();
	put_functions_and_parts();
	put_costs();
	file_end(&hand);
}

/*
 * Three lines in two blocks; before they were sorted they were 2, 0, 1. `cost`: that of the second
 * one. Where both blocks begin.
 */
static inline void put_lines_with_order(size_t blocks[2], uint64_t cost)
{
	file_begin(&hand);
	put_strings();
	put_head();
	put_functions_and_parts();
	blocks[0] = hand.size;
	block_begin(&hand, LINES, 0, 6, 7);
	ROW(&hand, 0, 0, ARG, 12, 0x1000, 0, 100);
	ROW(&hand, 0, 1, ARG, 13, 0x1004, 0, cost);
	block_end(&hand);
	blocks[1] = hand.size;
	block_begin(&hand, LINES, 2, 6, 7);
	ROW(&hand, 1, 0, ARG, 20, 0x2000, 0, 5);
	block_end(&hand);
	block_begin(&hand, LINE_ORDER, 0, 1, 1);
	ROW(&hand, 2);
	ROW(&hand, UINT64_MAX);
	ROW(&hand, UINT64_MAX);
	block_end(&hand);
	file_end(&hand);
}

/* Where a block of a section begins. */
static inline size_t block_of(unsigned section)
{
	size_t at = 16;

	while (hand.bytes[at + 4] != section) {
		at += BLOCK_HEADER + hand.bytes[at + 24] + 256u * hand.bytes[at + 25];
		assert_true(at < hand.size);
	}
	return at;
}

/* Calls of 5, 9 and 9 ticks; `samples` of 9. */
static inline void put_durations(uint64_t flags, uint64_t samples)
{
	file_begin(&hand);
	put_strings();
	block_begin(&hand, HEAD, 0, 0, 16);
	ROW(&hand, 1000, flags, 0, XRAY);
	block_end(&hand);
	block_begin(&hand, EVENTS, 0, 0, 4);
	ROW(&hand, IR, 0, 0, 0);
	block_end(&hand);
	put_functions_and_parts();
	block_begin(&hand, CONTEXTS, 0, 3, 7);
	ROW(&hand, 0, 0, 0, 1, 0, 0, 2);
	ROW(&hand, 1, 0, 1, 2, 0, 1, 21);
	block_end(&hand);
	block_begin(&hand, DURATIONS, 0, 2, 8);
	ROW(&hand, 1, 0, 3, 23, 5, 9, 0, 0);
	ROW(&hand, 1, NONE, 3, 23, 5, 9, 0, 0);
	block_end(&hand);
	block_begin(&hand, SAMPLES, 0, 3, 4);
	ROW(&hand, 0, 0, 1, 1); /* of sums that are not there */
	ROW(&hand, 1, 0, 5, 1);
	ROW(&hand, 1, 0, 9, 2);
	ROW(&hand, 1, NONE, 5, 1);
	ROW(&hand, 1, NONE, 9, samples);
	block_end(&hand);
	file_end(&hand);
}

#endif
