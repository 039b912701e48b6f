/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_PROFILE_KWAY_CURSOR_H
#define TL_PROFILE_KWAY_CURSOR_H
/*
 * The rows of one section of a profile file, one after the other: a block is expanded at a time, so
 * that many files can be read side by side.
 */
#include "profile/file/block_reader.h"
#include "profile/file/rows.h"

struct tl_kway_cursor {
	struct tl_pfile_reader *reader;
	enum tl_pfile_section section;
	uint32_t keys, fields;
	size_t block;    /* the next one to look at */
	uint32_t left;   /* rows of the present one */
	uint64_t number; /* of the row, in the section */
	const uint8_t *pos, *end;
	uint32_t used; /* fields of the row from here on are 0 */
	uint64_t *row; /* room for `fields` numbers, which the caller has */

	/* Of strings: the text of the row, with its terminator. */
	char *text;
	size_t text_size, text_room;
};

/* Stand before the first row of a section. The text buffer stays. */
void tl_kway_cursor_begin(struct tl_kway_cursor *cursor, struct tl_pfile_reader *reader,
			  enum tl_pfile_section section, uint32_t events, uint64_t *row);

/*
 * The next row, into `row`, or into `text` in the section of strings. 1; 0 at the end; TL_IO: the
 * file is another one than when it was looked through; TL_NO_MEMORY.
 */
int tl_kway_cursor_next(struct tl_kway_cursor *cursor, struct tl_error *err);
int tl_kway_cursor_next_string(struct tl_kway_cursor *cursor, struct tl_error *err);

#endif
