/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/kway/kway_cursor.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"

void tl_kway_cursor_begin(struct tl_kway_cursor *c, struct tl_pfile_reader *reader,
			  enum tl_pfile_section section, uint32_t events, uint64_t *row)
{
	*c = (struct tl_kway_cursor){
		.reader = reader,
		.section = section,
		.keys = tl_pfile_layouts[section].keys,
		.fields = tl_pfile_fields(section, events),
		.row = row,
		.text = c->text,
		.text_room = c->text_room,
	};
}

/* The file was sound when it was looked through: what is wrong now was changed since. */
static int changed(struct tl_error *err)
{
	return tl_error_format(
		err, "profile",
		tl_error_at(err, TL_IO, TL_NOWHERE, "input changed while it was read"));
}

/* Expand the next block of the section. 1; 0: there is none. */
static int next_block(struct tl_kway_cursor *c, struct tl_error *err)
{
	enum { NUMBERS = 20 }; /* bytes of two numbers, which strings begin with */
	const struct tl_pfile_block *block;
	int status;

	while (c->block < c->reader->count && c->reader->blocks[c->block].section != c->section)
		c->block++;
	if (c->block == c->reader->count)
		return 0;
	block = &c->reader->blocks[c->block++];
	status = tl_pfile_content(c->reader, block, tl_pfile_row_bytes(c->fields) + NUMBERS,
				  &c->pos, err);
	if (status <= 0)
		return status < 0 ? status : changed(err);
	c->end = c->pos + block->raw_bytes;
	c->left = block->rows;
	c->number = block->first - 1; /* the row before the first one */
	c->text_size = 0;
	c->used = 0;
	if (c->fields)
		memset(c->row, 0, c->fields * sizeof(*c->row));
	return 1;
}

int tl_kway_cursor_next(struct tl_kway_cursor *c, struct tl_error *err)
{
	if (!c->left) {
		int status = next_block(c, err);

		if (status <= 0)
			return status;
	}
	/* Behind a row that made no sense there is none. */
	if (c->pos && c->pos < c->end)
		c->pos = tl_pfile_take_row(c->pos, c->keys, c->fields, c->row, &c->used);
	else
		c->pos = NULL;
	if (!c->pos || c->pos > c->end)
		return changed(err);
	c->left--;
	c->number++;
	return 1;
}

int tl_kway_cursor_next_string(struct tl_kway_cursor *c, struct tl_error *err)
{
	uint64_t same = 0, rest = 0;

	if (!c->left) {
		int status = next_block(c, err);

		if (status <= 0)
			return status;
	}
	if (c->pos < c->end)
		c->pos = tl_pfile_take_number(c->pos, &same);
	if (c->pos && c->pos < c->end)
		c->pos = tl_pfile_take_number(c->pos, &rest);
	if (!c->pos || c->pos > c->end || same > c->text_size || rest > (size_t)(c->end - c->pos))
		return changed(err);
	if (!tl_grow(&c->text, &c->text_room, (size_t)(same + rest + 1), 1))
		return tl_error_memory(err);
	memcpy(c->text + same, c->pos, (size_t)rest);
	c->text_size = (size_t)(same + rest);
	c->text[c->text_size] = '\0';
	c->pos += rest;
	c->left--;
	c->number++;
	return 1;
}
