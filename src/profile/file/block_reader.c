/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/block_reader.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/codecs/crc32.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "profile/file/rows.h"

/* Expanded bytes that a file may have: always so many, and so many for each of its own. */
enum { FREE_BYTES = 1 << 30, MOST_RATIO = 512 };

int tl_pfile_fault(struct tl_pfile_reader *r, enum tl_status status, uint64_t offset,
		   uint64_t length, const char *text, struct tl_error *err)
{
	if (r->strict)
		return tl_error_format(err, "profile", tl_error_at(err, status, offset, text));
	if (r->fault_count < TL_PFILE_FAULTS)
		r->faults[r->fault_count] = (struct tl_pfile_fault){ status, text, offset, length };
	r->fault_count++;
	r->skipped_bytes += length;
	return 0;
}

/* ---- finding blocks ---- */

static bool read_block(struct tl_cursor cur, struct tl_pfile_block *block)
{
	const uint8_t *p = cur.pos;

	if (!tl_cursor_has(&cur, TL_PFILE_BLOCK_HEADER) || memcmp(p, TL_PFILE_BLOCK, 4) != 0 ||
	    tl_crc32(0, p, 36) != tl_get32s(p + 36, TL_HOST_BIG_ENDIAN))
		return false;
	*block = (struct tl_pfile_block){
		.offset = tl_cursor_offset(&cur),
		.section = p[4],
		.codec = p[5],
		.fields = tl_get16s(p + 6, TL_HOST_BIG_ENDIAN),
		.first = tl_get64s(p + 8, TL_HOST_BIG_ENDIAN),
		.rows = tl_get32s(p + 16, TL_HOST_BIG_ENDIAN),
		.raw_bytes = tl_get32s(p + 20, TL_HOST_BIG_ENDIAN),
		.stored_bytes = tl_get32s(p + 24, TL_HOST_BIG_ENDIAN),
		.checksum = tl_get32s(p + 28, TL_HOST_BIG_ENDIAN),
		.number = tl_get32s(p + 32, TL_HOST_BIG_ENDIAN),
	};
	return true;
}

/* Move on to the next place where a block begins, or to the end. */
static void find_block(struct tl_cursor *cur)
{
	struct tl_pfile_block block;

	do {
		const uint8_t *found;

		cur->pos++;
		found = tl_cursor_left(cur)
				? memmem(cur->pos, tl_cursor_left(cur), TL_PFILE_BLOCK, 4)
				: NULL;
		cur->pos = found ? found : cur->end;
	} while (tl_cursor_left(cur) && !read_block(*cur, &block));
}

static bool is_sound(const struct tl_pfile_reader *r, const struct tl_pfile_block *block)
{
	const unsigned last = r->version < 2 ? TL_PFILE_END : TL_PFILE_SECTIONS - 1;

	return block->section && block->section <= last && block->codec <= TL_PFILE_ZSTD &&
	       block->raw_bytes <= TL_PFILE_BLOCK_MOST && block->rows &&
	       block->rows <= block->raw_bytes && block->first <= TL_NONE - block->rows &&
	       (block->codec != TL_PFILE_STORED || block->raw_bytes == block->stored_bytes);
}

static int add_block(struct tl_pfile_reader *r, const struct tl_pfile_block *block,
		     struct tl_error *err)
{
	if (!is_sound(r, block))
		return tl_pfile_fault(r, TL_BAD_RECORD, block->offset,
				      (uint64_t)TL_PFILE_BLOCK_HEADER + block->stored_bytes,
				      "a block of a kind or size that this version does not know; "
				      "kept the others",
				      err);
	if (block->raw_bytes > r->raw_left)
		return tl_error_format(err, "profile",
				       tl_error_at(err, TL_TOO_LARGE, block->offset,
						   "the file expands to more than 512 times its "
						   "size"));
	r->raw_left -= block->raw_bytes;
	if (!tl_grow(&r->blocks, &r->capacity, r->count + 1, sizeof(*r->blocks)))
		return tl_error_memory(err);
	r->blocks[r->count++] = *block;
	r->has_end |= block->section == TL_PFILE_END;
	return 0;
}

/* Blocks are numbered: where no fault was found before, none may be missing. */
static int check_number(struct tl_pfile_reader *r, const struct tl_pfile_block *block,
			struct tl_error *err)
{
	bool missing = block->number != r->next_number && !r->lost;

	r->next_number = block->number + 1;
	r->lost = false;
	if (!missing)
		return 0;
	return tl_pfile_fault(r, TL_BAD_RECORD, block->offset, 0,
			      "blocks before this one are missing; kept the others", err);
}

static int next_block(struct tl_pfile_reader *r, struct tl_cursor *cur, struct tl_error *err)
{
	uint64_t offset = tl_cursor_offset(cur);
	struct tl_pfile_block block;
	int status;

	if (!read_block(*cur, &block)) {
		find_block(cur);
		r->lost = true;
		return tl_pfile_fault(r, TL_BAD_RECORD, offset, tl_cursor_offset(cur) - offset,
				      "no block begins here; went on at the next one", err);
	}
	cur->pos += TL_PFILE_BLOCK_HEADER;
	if (!tl_cursor_has(cur, block.stored_bytes)) {
		cur->pos = cur->end;
		return tl_pfile_fault(r, TL_TRUNCATED, offset, r->size - offset,
				      "the file ends inside this block; kept those before it", err);
	}
	cur->pos += block.stored_bytes;
	status = check_number(r, &block, err);
	if (status < 0)
		return status;
	return add_block(r, &block, err);
}

static int find_blocks(struct tl_pfile_reader *r, struct tl_error *err)
{
	struct tl_cursor cur = tl_cursor_over(r->data, r->size);
	int status = 0;

	tl_cursor_seek(&cur, TL_PFILE_HEADER);
	while (status == 0 && tl_cursor_left(&cur))
		status = next_block(r, &cur, err);
	if (status == 0 && !r->has_end)
		status = tl_pfile_fault(r, TL_TRUNCATED, r->size, 0,
					"the file ends without its last block; kept what is there",
					err);
	return status;
}

static int check_header(struct tl_pfile_reader *r, struct tl_error *err)
{
	r->version = TL_PFILE_VERSION;
	if (r->size < TL_PFILE_HEADER || memcmp(r->data, TL_PFILE_MAGIC, 8) != 0)
		return tl_error_format(err, "profile",
				       tl_error_at(err, TL_BAD_FORMAT, 0,
						   "does not begin as a profile file does"));
	if (tl_crc32(0, r->data, 12) != tl_get32s(r->data + 12, TL_HOST_BIG_ENDIAN))
		return tl_pfile_fault(r, TL_BAD_RECORD, 0, TL_PFILE_HEADER,
				      "the header of the file is damaged; read on as version 2",
				      err);
	r->version = tl_get32s(r->data + 8, TL_HOST_BIG_ENDIAN);
	if (!r->version || r->version > TL_PFILE_VERSION)
		return tl_error_format(
			err, "profile",
			tl_error_at(err, TL_UNSUPPORTED, 8, "a profile file of another version"));
	return 0;
}

/* ---- content ---- */

static int damaged(struct tl_pfile_reader *r, const struct tl_pfile_block *block, const char *text,
		   struct tl_error *err)
{
	return tl_pfile_fault(r, TL_BAD_RECORD, block->offset,
			      (uint64_t)TL_PFILE_BLOCK_HEADER + block->stored_bytes, text, err);
}

/* Bytes of an expanded block, or of one that is stored and needs padding. */
static int expand(struct tl_pfile_reader *r, const struct tl_pfile_block *block,
		  struct tl_error *err)
{
	const uint8_t *stored = r->data + block->offset + TL_PFILE_BLOCK_HEADER;
	int status;

	if (block->codec == TL_PFILE_STORED) {
		memcpy(r->raw, stored, block->stored_bytes);
		return 1;
	}
	status = tl_zstd_expand(&r->zstd, stored, block->stored_bytes, r->raw, block->raw_bytes);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (status == TL_UNSUPPORTED)
		return damaged(r, block,
			       "this block is packed with zstd, and this tracelathe was built "
			       "without libzstd; kept the other blocks",
			       err);
	if (!status)
		return 1;
	return damaged(r, block, "the zstd data of this block is damaged; kept the other blocks",
		       err);
}

static bool checksum_matches(const struct tl_pfile_reader *r, const struct tl_pfile_block *block)
{
	const uint8_t *stored = r->data + block->offset + TL_PFILE_BLOCK_HEADER;

	return tl_crc32(0, stored, block->stored_bytes) == block->checksum;
}

bool tl_pfile_is_intact(const struct tl_pfile_reader *r, enum tl_pfile_section section)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].section == section && !checksum_matches(r, &r->blocks[i]))
			return false;
	return true;
}

/* 1; 0: the content is not what was written, which is noted. */
static int check_content(struct tl_pfile_reader *r, const struct tl_pfile_block *block,
			 struct tl_error *err)
{
	if (checksum_matches(r, block))
		return 1;
	return damaged(r, block, "the checksum of this block does not match; kept the other blocks",
		       err);
}

struct verification {
	const struct tl_pfile_reader *reader;
	bool *sound; /* by block */
};

static int verify_block(void *arg, size_t number)
{
	const struct verification *v = arg;
	const struct tl_pfile_block *block = &v->reader->blocks[number];

	v->sound[number] = v->reader->read[block->section] || checksum_matches(v->reader, block);
	return 0;
}

int tl_pfile_verify(struct tl_pfile_reader *r, unsigned jobs, struct tl_error *err)
{
	enum { WORTH = 1 << 20 }; /* bytes of a file, for which threads are worth their start */
	struct verification v = { r, calloc(r->count + 1, sizeof(*v.sound)) };
	int status = 1;

	if (!v.sound)
		return tl_error_memory(err);
	tl_pool_run(r->size < WORTH ? 1 : jobs, r->count, verify_block, &v);
	for (size_t i = 0; status >= 0 && i < r->count; i++)
		if (!v.sound[i])
			status = check_content(r, &r->blocks[i], err);
	free(v.sound);
	return tl_error_or_end(status);
}

int tl_pfile_content(struct tl_pfile_reader *r, const struct tl_pfile_block *block, size_t padding,
		     const uint8_t **content, struct tl_error *err)
{
	const size_t begin = (size_t)block->offset + TL_PFILE_BLOCK_HEADER;
	int status = check_content(r, block, err);

	if (status <= 0)
		return status;
	/* What follows in the file can be read as well as padding. */
	if (block->codec == TL_PFILE_STORED && r->size - begin - block->stored_bytes >= padding) {
		*content = r->data + begin;
		return 1;
	}
	if (!tl_grow(&r->raw, &r->raw_capacity, block->raw_bytes + padding, 1))
		return tl_error_memory(err);
	status = expand(r, block, err);
	memset(r->raw + block->raw_bytes, 0, padding);
	*content = r->raw;
	return status;
}

bool tl_pfile_has(const struct tl_pfile_reader *r, enum tl_pfile_section section)
{
	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].section == section)
			return true;
	return false;
}

size_t tl_pfile_row_count(const struct tl_pfile_reader *r, enum tl_pfile_section section)
{
	size_t count = 0;

	for (size_t i = 0; i < r->count; i++)
		if (r->blocks[i].section == section)
			count += r->blocks[i].rows;
	return count;
}

bool tl_pfile_is_gapless(const struct tl_pfile_reader *r, enum tl_pfile_section section)
{
	uint64_t next = 0;

	for (size_t i = 0; i < r->count; i++) {
		if (r->blocks[i].section != section)
			continue;
		if (r->blocks[i].first != next)
			return false;
		next += r->blocks[i].rows;
	}
	return true;
}

/* ---- rows ---- */

/* The status of a block whose rows were taken. */
static int end_rows(struct tl_pfile_reader *r, const struct tl_pfile_block *block, int status,
		    struct tl_error *err)
{
	if (status == TL_BAD_RECORD)
		return damaged(r, block, "a row of this block makes no sense; kept those before it",
			       err);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	return status;
}

static int read_rows(struct tl_pfile_reader *r, const struct tl_pfile_block *block, uint64_t *row,
		     tl_pfile_row_fn *fn, void *arg, struct tl_error *err)
{
	uint32_t keys = tl_pfile_layouts[block->section].keys, fields = block->fields;
	const uint8_t *pos = NULL, *end;
	int status = tl_pfile_content(r, block, tl_pfile_row_bytes(fields), &pos, err);

	if (status <= 0)
		return status;
	status = 0;
	end = pos + block->raw_bytes;
	memset(row, 0, fields * sizeof(*row));
	r->used = 0;
	for (uint32_t i = 0; status == 0 && i < block->rows; i++) {
		pos = pos < end ? tl_pfile_take_row(pos, keys, fields, row, &r->used) : NULL;
		status = pos && pos <= end ? fn(arg, block->first + i, row) : TL_BAD_RECORD;
	}
	return end_rows(r, block, status == 0 && pos != end ? TL_BAD_RECORD : status, err);
}

/* Blocks of a section come in the order of their rows. */
static int check_place(struct tl_pfile_reader *r, const struct tl_pfile_block *block, uint64_t next,
		       bool *wanted, struct tl_error *err)
{
	*wanted = block->first >= next;
	if (*wanted)
		return 0;
	return damaged(r, block, "a block with rows that were there before; left it out", err);
}

typedef int block_fn(struct tl_pfile_reader *r, const struct tl_pfile_block *block, void *arg,
		     struct tl_error *err);

static int each_block(struct tl_pfile_reader *r, enum tl_pfile_section section, block_fn *fn,
		      void *arg, struct tl_error *err)
{
	uint64_t next = 0;
	int status = 0;

	r->read[section] = true;
	for (size_t i = 0; status == 0 && i < r->count; i++) {
		const struct tl_pfile_block *block = &r->blocks[i];
		bool wanted = false;

		if (block->section != section)
			continue;
		status = check_place(r, block, next, &wanted, err);
		if (status == 0 && wanted) {
			status = fn(r, block, arg, err);
			next = block->first + block->rows;
		}
	}
	return status;
}

/* Either of the two functions: for each row, or for all rows of a block. */
struct row_call {
	tl_pfile_row_fn *fn;
	tl_pfile_rows_fn *block_fn;
	void *arg;
	uint64_t *row;
	uint32_t fields;
};

static int call_rows(struct tl_pfile_reader *r, const struct tl_pfile_block *block, void *arg,
		     struct tl_error *err)
{
	const struct row_call *call = arg;
	const uint8_t *content = NULL;
	int status;

	if (block->fields != call->fields)
		return damaged(r, block,
			       "rows of this block have other fields than those of its section; "
			       "left it out",
			       err);
	if (call->fn)
		return read_rows(r, block, call->row, call->fn, call->arg, err);
	status = tl_pfile_content(r, block, tl_pfile_row_bytes(block->fields), &content, err);
	if (status <= 0)
		return status;
	return end_rows(r, block, call->block_fn(call->arg, block, content), err);
}

int tl_pfile_each_rows(struct tl_pfile_reader *r, enum tl_pfile_section section, uint32_t events,
		       tl_pfile_rows_fn *fn, void *arg, struct tl_error *err)
{
	struct row_call call = {
		.block_fn = fn,
		.arg = arg,
		.fields = tl_pfile_fields(section, events),
	};

	return each_block(r, section, call_rows, &call, err);
}

int tl_pfile_each_row(struct tl_pfile_reader *r, enum tl_pfile_section section, uint32_t events,
		      tl_pfile_row_fn *fn, void *arg, struct tl_error *err)
{
	struct row_call call = {
		.fn = fn,
		.arg = arg,
		.fields = tl_pfile_fields(section, events),
	};
	int status;

	call.row = malloc((call.fields + 1) * sizeof(*call.row));
	if (!call.row)
		return tl_error_memory(err);
	status = each_block(r, section, call_rows, &call, err);
	free(call.row);
	return status;
}

/* ---- strings ---- */

/* Room that all strings of a block need, 0: they make no sense. */
static size_t measure(const struct tl_pfile_block *block, const uint8_t *pos)
{
	const uint8_t *end = pos + block->raw_bytes;
	uint64_t before = 0, sum = 0, same, rest;

	for (uint32_t i = 0; i < block->rows; i++) {
		if (pos >= end || !(pos = tl_pfile_take_number(pos, &same)) || pos >= end ||
		    !(pos = tl_pfile_take_number(pos, &rest)) || pos > end || same > before ||
		    rest > (uint64_t)(end - pos))
			return 0;
		pos += rest;
		before = same + rest;
		sum += before + 1;
		if (sum > 2ull * TL_PFILE_BLOCK_MOST)
			return 0;
	}
	return pos == end ? (size_t)sum : 0;
}

void tl_pfile_take_string(const uint8_t **content, char *text, const char *before, size_t *size)
{
	uint64_t same = 0, rest = 0;

	*content = tl_pfile_take_number(*content, &same);
	*content = tl_pfile_take_number(*content, &rest);
	if (same)
		memcpy(text, before, (size_t)same);
	memcpy(text + same, *content, (size_t)rest);
	*content += rest;
	*size = (size_t)(same + rest);
	text[*size] = '\0';
}

struct strings_call {
	tl_pfile_strings_fn *fn;
	void *arg;
};

static int call_strings(struct tl_pfile_reader *r, const struct tl_pfile_block *block, void *arg,
			struct tl_error *err)
{
	enum { NUMBERS = 20 }; /* bytes of two numbers, to be read without a test */
	const struct strings_call *call = arg;
	const uint8_t *content = NULL;
	int status = tl_pfile_content(r, block, NUMBERS, &content, err);
	size_t bytes;

	if (status <= 0)
		return status;
	bytes = measure(block, content);
	if (!bytes)
		return damaged(r, block, "the strings of this block make no sense; left them out",
			       err);
	status = call->fn(call->arg, block, content, bytes);
	if (status < 0)
		return tl_error_memory(err);
	return 0;
}

int tl_pfile_each_strings(struct tl_pfile_reader *r, tl_pfile_strings_fn *fn, void *arg,
			  struct tl_error *err)
{
	struct strings_call call = { fn, arg };

	return each_block(r, TL_PFILE_STRINGS, call_strings, &call, err);
}

/* ---- the reader ---- */

struct tl_pfile_reader tl_pfile_share(const struct tl_pfile_reader *reader, size_t first,
				      size_t end)
{
	struct tl_pfile_reader share = *reader;

	share.blocks += first;
	share.count = end - first;
	share.zstd = (struct tl_zstd_blocks){ 0 };
	share.raw = NULL;
	share.raw_capacity = 0;
	share.fault_count = 0;
	return share;
}

struct tl_pfile_reader tl_pfile_section_share(const struct tl_pfile_reader *reader,
					      enum tl_pfile_section section, size_t number,
					      size_t parts)
{
	size_t first = 0, end = reader->count;

	while (first < end && reader->blocks[first].section != section)
		first++;
	while (end > first && reader->blocks[end - 1].section != section)
		end--;
	return tl_pfile_share(reader, first + (end - first) * number / parts,
			      first + (end - first) * (number + 1) / parts);
}

void tl_pfile_share_end(struct tl_pfile_reader *share)
{
	tl_zstd_blocks_free(&share->zstd);
	free(share->raw);
	share->raw = NULL;
}

int tl_pfile_open(struct tl_pfile_reader *r, const uint8_t *data, size_t size, bool strict,
		  struct tl_error *err)
{
	int status;

	*r = (struct tl_pfile_reader){ .data = data, .size = size, .strict = strict };
	r->raw_left = (uint64_t)FREE_BYTES + (uint64_t)size * MOST_RATIO;
	status = check_header(r, err);
	if (status < 0)
		return status;
	return find_blocks(r, err);
}

void tl_pfile_close(struct tl_pfile_reader *r)
{
	tl_zstd_blocks_free(&r->zstd);
	free(r->blocks);
	free(r->raw);
	*r = (struct tl_pfile_reader){ 0 };
}
