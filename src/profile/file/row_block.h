/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_ROW_BLOCK_H
#define TL_PROFILE_FILE_ROW_BLOCK_H
/*
 * The rows of one block as bytes. A block begins without a row before it and has as many rows as
 * its section says, so that the blocks of a section can be made by several threads.
 */
#include "core/codecs/zstd_blocks.h"
#include "profile/file/layout.h"

/* Zero-filled is empty; freed by tl_pfile_row_block_free(). */
struct tl_pfile_row_block {
	unsigned section;
	uint32_t keys, fields;
	uint32_t most; /* rows that the block may have */
	uint32_t rows;
	uint8_t *raw;
	size_t used, capacity;
	uint64_t *last; /* the row before */
	size_t last_room;

	/*
	 * Sums of rows one behind the other that are about the same (tl_pfile_sums), `sum_fields`
	 * numbers each; 0: the section has none.
	 */
	uint64_t *sums;
	uint32_t sum_fields, sum_keys;
	size_t sum_count, sum_room;

	/* The content as it is stored, once it is packed; `data` is in `raw` or in `packed`. */
	const uint8_t *data;
	size_t size;
	uint32_t checksum;
	enum tl_pfile_codec codec;
	uint8_t *packed;
	size_t packed_room;
};

/* Which section has the sums of the rows of a section; TL_PFILE_SECTIONS: none. */
enum tl_pfile_section tl_pfile_sums(unsigned section);

/* Rows of a section from here on, with sums or without. False without memory. */
bool tl_pfile_row_block_begin(struct tl_pfile_row_block *block, unsigned section, uint32_t events,
			      bool sums);
/* Begin the next block of the section. */
void tl_pfile_row_block_clear(struct tl_pfile_row_block *block);
/* Room for so many bytes more, NULL: there is no memory. */
uint8_t *tl_pfile_row_block_room(struct tl_pfile_row_block *block, size_t size);
/*
 * A row whose fields from `used` on are all 0; these are some of its costs. 0, TL_NO_MEMORY, or
 * TL_TOO_LARGE.
 */
int tl_pfile_row_block_add(struct tl_pfile_row_block *block, const uint64_t *row, uint32_t used);
/*
 * The same of a line with the keys `row`, whose costs are coded (tl_pfile_put_coded()). No sum of
 * them may exceed 64 bits.
 */
int tl_pfile_row_block_add_coded(struct tl_pfile_row_block *block, const uint64_t *row,
				 const uint8_t *costs, uint32_t count);
/*
 * The same of a row whose bytes, behind the row before, are known; and of some lines behind one of
 * the same function and part, of which `last` has the keys of the last one and `costs` are the sums
 * of all.
 */
int tl_pfile_row_block_copy(struct tl_pfile_row_block *block, const uint64_t *row, uint32_t used,
			    const uint8_t *bytes, size_t size);
int tl_pfile_row_block_copy_lines(struct tl_pfile_row_block *block, const uint64_t *last,
				  uint32_t count, const uint8_t *bytes, size_t size,
				  const uint64_t *costs);
/* Rows of an order (tl_pfile_put_order()). */
int tl_pfile_row_block_add_order(struct tl_pfile_row_block *block, const uint32_t *order,
				 size_t first, size_t count);
/* Make `data` and what is said of it. What zstd cannot make smaller is stored as it is. */
int tl_pfile_row_block_pack(struct tl_pfile_row_block *block, struct tl_zstd_blocks *zstd);
void tl_pfile_row_block_free(struct tl_pfile_row_block *block);

/*
 * Add a sum to another one that has the same keys. False: they have not, or the sum does not fit 64
 * bits, and nothing was added.
 */
bool tl_pfile_sum_add(uint64_t *to, const uint64_t *sum, uint32_t keys, uint32_t fields,
		      bool calls);

#endif
