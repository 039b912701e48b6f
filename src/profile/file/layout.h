/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_LAYOUT_H
#define TL_PROFILE_FILE_LAYOUT_H
/*
 * The profile file as tables: its sections and the fields of their rows. docs/formats/profile.md
 * says what each means, and is enough to write a reader.
 */
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/core.h>

#define TL_PFILE_MAGIC "\x89TLP\r\n\x1a\n" /* as PNG has it: a transfer as text shows */
#define TL_PFILE_BLOCK "TLPB"

enum {
	TL_PFILE_VERSION = 2,       /* that is written; version 1 has no sums and is read, too */
	TL_PFILE_HEADER = 16,       /* bytes before the first block */
	TL_PFILE_BLOCK_HEADER = 40, /* bytes before the content of each block */
	/* Fields of all rows of a block at most, unless one row has more: blocks have as many
	 * rows each, whatever is in them. */
	TL_PFILE_BLOCK_FIELDS = 128 * 1024,
	/* Bytes of strings, expanded, at which a writer ends a block; and the most that a block of
	 * any section may have. */
	TL_PFILE_BLOCK_BYTES = 256 * 1024,
	TL_PFILE_BLOCK_MOST = 16 * 1024 * 1024,
	TL_PFILE_TEXT_BYTES = 4 * 1024 * 1024, /* the same of strings, each in full */
	TL_PFILE_GROUP = 7, /* fields of a row that one byte of bits stands for */
};

/* How the content of a block is stored. */
enum tl_pfile_codec { TL_PFILE_STORED, TL_PFILE_ZSTD };

enum tl_pfile_section {
	TL_PFILE_STRINGS = 1,
	TL_PFILE_HEAD,
	TL_PFILE_EVENTS,
	TL_PFILE_NOTES,
	TL_PFILE_FUNCTIONS,
	TL_PFILE_PARTS,
	TL_PFILE_CONTEXTS,
	TL_PFILE_LINES,
	TL_PFILE_ARCS,
	TL_PFILE_JUMPS,
	TL_PFILE_DURATIONS,
	TL_PFILE_SAMPLES,
	/* The numbers that elements had before they were sorted. */
	TL_PFILE_FUNCTION_ORDER,
	TL_PFILE_PART_ORDER,
	TL_PFILE_CONTEXT_ORDER,
	TL_PFILE_LINE_ORDER,
	TL_PFILE_ARC_ORDER,
	TL_PFILE_JUMP_ORDER,
	TL_PFILE_END,
	/*
	 * What tables need of lines and arcs, of a profile without contexts: sums of rows that are
	 * about the same functions. Their blocks stand among those that they sum.
	 */
	TL_PFILE_LINE_SUMS,
	TL_PFILE_ARC_SUMS,
	TL_PFILE_SECTIONS /* how many numbers of sections there are */
};

/*
 * A row's fields: first `keys`, of which a row holds the difference to the row before, then
 * `values`, which are 0 where they are left out, then, with `costs`, a value for each event.
 */
struct tl_pfile_layout {
	const char *name;
	uint8_t keys, values;
	bool costs;
};

extern const struct tl_pfile_layout tl_pfile_layouts[TL_PFILE_SECTIONS];

/* Fields of a row of a section in a file with so many events. */
static inline uint32_t tl_pfile_fields(unsigned section, uint32_t events)
{
	const struct tl_pfile_layout *layout = &tl_pfile_layouts[section];

	return (uint32_t)layout->keys + layout->values + (layout->costs ? events : 0);
}

/* The most bytes that a row of so many fields takes. */
static inline size_t tl_pfile_row_bytes(uint32_t fields)
{
	return (size_t)fields * 10 + fields / TL_PFILE_GROUP + 1;
}

/* Fields of the rows, by section. */
enum {
	TL_PFILE_HEAD_FREQUENCY,
	TL_PFILE_HEAD_FLAGS,
	TL_PFILE_HEAD_CALL_COUNT,
	TL_PFILE_HEAD_FORMAT,
	TL_PFILE_HEAD_LOSSES
};
enum { /* HEAD_FLAGS */
       TL_PFILE_TIMED = 1,
       TL_PFILE_ESTIMATED = 2,
       TL_PFILE_EXACT = 4,
       TL_PFILE_EMULATED = 8
};
enum { TL_PFILE_LOSSES = 12 }; /* members of struct tl_losses */

#endif
