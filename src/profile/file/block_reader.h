/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_BLOCK_READER_H
#define TL_PROFILE_FILE_BLOCK_READER_H
/*
 * The blocks of a profile file, found by their headers, and the rows in them. Damage costs the
 * block that it is in; the numbers of the rows in all others are known, since each block says the
 * number of its first one.
 */
#include <stdbool.h>
#include <stddef.h>

#include "core/codecs/zstd_blocks.h"
#include "profile/file/layout.h"

/* A block, as its header says. */
struct tl_pfile_block {
	uint64_t offset; /* of the header */
	uint64_t first;  /* number of its first row in the section */
	uint32_t rows, raw_bytes, stored_bytes, checksum, number;
	uint16_t fields;
	uint8_t section, codec;
};

/* A place that is damaged. */
struct tl_pfile_fault {
	enum tl_status status;
	const char *text;
	uint64_t offset, length;
};

enum { TL_PFILE_FAULTS = 100 }; /* listed, at most */

struct tl_pfile_reader {
	const uint8_t *data;
	size_t size;
	bool strict; /* a fault is an error */
	uint32_t version;
	struct tl_pfile_block *blocks;
	size_t count, capacity;
	struct tl_pfile_fault faults[TL_PFILE_FAULTS];
	uint64_t fault_count, skipped_bytes;
	struct tl_zstd_blocks zstd;
	uint8_t *raw; /* content of a block that was expanded */
	size_t raw_capacity;
	uint64_t raw_left;            /* that further blocks may expand to, all together */
	uint32_t next_number;         /* of a block */
	bool lost, has_end;           /* a fault before the next block; the last one is there */
	uint32_t used;                /* of the present row: fields from here on are 0 */
	bool read[TL_PFILE_SECTIONS]; /* the content of these is known to be right, or noted */
};

/*
 * Find the blocks of a file, which stays where it is. Close it also after a failure.
 * TL_BAD_FORMAT: it is no profile file; TL_UNSUPPORTED: of a later version; TL_TOO_LARGE: its
 * blocks say that they expand to more than is allowed (docs/formats/profile.md, 6).
 */
int tl_pfile_open(struct tl_pfile_reader *reader, const uint8_t *data, size_t size, bool strict,
		  struct tl_error *err);
void tl_pfile_close(struct tl_pfile_reader *reader);

/*
 * A reader of blocks `first` .. `end` - 1 alone, for another thread. What it notes and has read
 * stays with it: tl_pfile_share_end() frees its memory.
 */
struct tl_pfile_reader tl_pfile_share(const struct tl_pfile_reader *reader, size_t first,
				      size_t end);
/* The same of part `number` of `parts` of the blocks among which those of a section stand. */
struct tl_pfile_reader tl_pfile_section_share(const struct tl_pfile_reader *reader,
					      enum tl_pfile_section section, size_t number,
					      size_t parts);
void tl_pfile_share_end(struct tl_pfile_reader *share);

/* Note a fault: 0, or with `strict` its status. */
int tl_pfile_fault(struct tl_pfile_reader *reader, enum tl_status status, uint64_t offset,
		   uint64_t length, const char *text, struct tl_error *err);

/*
 * The content of a block, behind which there are `padding` more bytes. 1; 0: it is damaged, and
 * noted; a negative status.
 */
int tl_pfile_content(struct tl_pfile_reader *reader, const struct tl_pfile_block *block,
		     size_t padding, const uint8_t **content, struct tl_error *err);

/*
 * Check the content of all sections that were not read, by up to `jobs` threads: a changed byte is
 * noted wherever it is.
 */
int tl_pfile_verify(struct tl_pfile_reader *reader, unsigned jobs, struct tl_error *err);

/* Whether the checksums of all blocks of a section match; nothing is noted. */
bool tl_pfile_is_intact(const struct tl_pfile_reader *reader, enum tl_pfile_section section);

/* Whether the file has rows of a section. */
bool tl_pfile_has(const struct tl_pfile_reader *reader, enum tl_pfile_section section);

/* How many rows of a section the file has, as its blocks say. */
size_t tl_pfile_row_count(const struct tl_pfile_reader *reader, enum tl_pfile_section section);

/* Whether each block of a section begins where the one before ends: then no row is there twice. */
bool tl_pfile_is_gapless(const struct tl_pfile_reader *reader, enum tl_pfile_section section);

/*
 * What is done with a row, which has tl_pfile_fields() numbers and stays as it is for the next one.
 * 0; TL_BAD_RECORD: the row makes no sense, and the rest of the block is left out; other negative
 * statuses end the reading.
 */
typedef int tl_pfile_row_fn(void *arg, uint64_t number, const uint64_t *row);
int tl_pfile_each_row(struct tl_pfile_reader *reader, enum tl_pfile_section section,
		      uint32_t events, tl_pfile_row_fn *fn, void *arg, struct tl_error *err);

/*
 * The same for all rows of a block at once, which end where block->raw_bytes of content do: behind
 * these tl_pfile_row_bytes() more can be read. TL_BAD_RECORD: the block is damaged.
 */
typedef int tl_pfile_rows_fn(void *arg, const struct tl_pfile_block *block, const uint8_t *content);
int tl_pfile_each_rows(struct tl_pfile_reader *reader, enum tl_pfile_section section,
		       uint32_t events, tl_pfile_rows_fn *fn, void *arg, struct tl_error *err);

/* The strings of a block, all at once: `bytes` of room are needed, terminators included. */
typedef int tl_pfile_strings_fn(void *arg, const struct tl_pfile_block *block,
				const uint8_t *content, size_t bytes);
int tl_pfile_each_strings(struct tl_pfile_reader *reader, tl_pfile_strings_fn *fn, void *arg,
			  struct tl_error *err);
/*
 * The string behind `*content`; `text` has the one before it, of *size bytes, and room for
 * this one.
 */
void tl_pfile_take_string(const uint8_t **content, char *text, const char *before, size_t *size);

#endif
