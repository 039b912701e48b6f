/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_OPEN_PROFILE_BYTES_H
#define TESTS_UNIT_OPEN_PROFILE_BYTES_H
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
	END = 19
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

static inline void file_put(struct file *f, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		f->bytes[f->size++] = (uint8_t)(value >> 8 * i);
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
static inline void file_begin(struct file *f)
{
	*f = (struct file){ .size = 0 };
	memcpy(f->bytes, "\x89TLP\r\n\x1a\n", 8);
	f->size = 8;
	file_put(f, 1, 4);
	file_put(f, crc32(0, f->bytes, 12), 4);
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

#endif
