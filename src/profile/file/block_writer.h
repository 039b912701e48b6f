/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_FILE_BLOCK_WRITER_H
#define TL_PROFILE_FILE_BLOCK_WRITER_H
/*
 * Rows into blocks, blocks into an output, in one pass: nothing is written twice, so that a file
 * may go into a pipe. Of lines and arcs of a profile without contexts the sums are written beside
 * them, by functions and by pairs of functions. How rows are handed over changes no byte.
 */
#include <stdbool.h>

#include "core/output.h"
#include "profile/file/row_block.h"

struct tl_pfile_writer;

/* A file for profiles of so many events; its header is written. */
int tl_pfile_writer_open(struct tl_pfile_writer **writer, struct tl_output *out, uint32_t events,
			 struct tl_error *err);
/* From here on rows are of this section. Sections come in the order of their numbers. */
void tl_pfile_begin(struct tl_pfile_writer *writer, enum tl_pfile_section section);
/* A row of tl_pfile_fields() numbers. */
void tl_pfile_write_row(struct tl_pfile_writer *writer, const uint64_t *row);
/*
 * Make row `number` of a section. Called by several threads. @return how many fields have to be
 * looked at: costs behind these are 0, whatever is in `row`; if *costs is set, which is NULL
 * before, how many costs are coded there (tl_pfile_row_block_add_coded())
 */
typedef uint32_t tl_pfile_make_row_fn(const void *arg, size_t number, uint64_t *row,
				      const uint8_t **costs);
/* Rows 0 .. count - 1, which up to `jobs` threads make. */
void tl_pfile_write_rows(struct tl_pfile_writer *writer, size_t count, tl_pfile_make_row_fn *make,
			 const void *arg, unsigned jobs);
/*
 * The same, a block at a time: rows `first` .. `end` - 1 behind those that the block has already.
 * `row` is room for one. 0, TL_NO_MEMORY or TL_TOO_LARGE.
 */
typedef int tl_pfile_fill_fn(const void *arg, struct tl_pfile_row_block *block, size_t first,
			     size_t end, uint64_t *row);
void tl_pfile_write_blocks(struct tl_pfile_writer *writer, size_t count, tl_pfile_fill_fn *fill,
			   const void *arg, unsigned jobs);
/* The same of a section that is an order: row i is order[i] - i. */
void tl_pfile_write_order(struct tl_pfile_writer *writer, const uint32_t *order, size_t count,
			  unsigned jobs);
/* How many rows a block of the present section has. */
uint32_t tl_pfile_block_rows(const struct tl_pfile_writer *writer);
/* A row of the section of strings, which is greater than the one before. */
void tl_pfile_write_string(struct tl_pfile_writer *writer, const char *text, size_t size);
/*
 * Some sections of a file may be written by another writer, to a file of their own, and are put
 * behind those that are written. Such a writer is told whether there are contexts in the sections
 * before its own, and ends with tl_pfile_writer_stop(). 0, or the first error met.
 */
void tl_pfile_writer_follow(struct tl_pfile_writer *writer, bool contexts);
int tl_pfile_writer_stop(struct tl_pfile_writer *writer, struct tl_error *err);
/* Put what such a writer wrote to a file, which is read from its beginning. */
int tl_pfile_writer_append(struct tl_pfile_writer *writer, int file, struct tl_error *err);
/* The last block: how many rows there are. 0, or the first error met. */
int tl_pfile_writer_end(struct tl_pfile_writer *writer, struct tl_error *err);
/* NULL is fine. */
void tl_pfile_writer_close(struct tl_pfile_writer *writer);

#endif
