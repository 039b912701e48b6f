/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/file/block_writer.h"

#include <stdlib.h>
#include <zlib.h>

#include "core/arithmetic.h"
#include "core/codecs/zstd_blocks.h"
#include "core/error.h"
#include "core/memory.h"
#include "profile/file/rows.h"

struct tl_pfile_writer {
	struct tl_output *out;
	struct tl_zstd_blocks zstd;
	uint32_t events;
	int status; /* the first error */

	/* the block that is filled */
	uint8_t *raw;
	size_t used, capacity;
	uint32_t rows;
	uint64_t *last; /* the row before */
	char *text;     /* the string before */
	size_t text_size, text_room;
	size_t text_bytes; /* of all strings of the block */

	uint8_t *packed;
	size_t packed_room;
	unsigned section;
	uint32_t keys, fields;
	uint32_t blocks;
	uint64_t counts[TL_PFILE_SECTIONS]; /* rows written */
};

/* ---- bytes ---- */

static void put16(uint8_t *to, uint32_t value)
{
	to[0] = (uint8_t)value;
	to[1] = (uint8_t)(value >> 8);
}

static void put32(uint8_t *to, uint32_t value)
{
	put16(to, value);
	put16(to + 2, value >> 16);
}

static void put64(uint8_t *to, uint64_t value)
{
	put32(to, (uint32_t)value);
	put32(to + 4, (uint32_t)(value >> 32));
}

static uint32_t checksum(const uint8_t *data, size_t size)
{
	return (uint32_t)crc32_z(0, data, size);
}

static void put_file_header(struct tl_pfile_writer *w)
{
	uint8_t header[TL_PFILE_HEADER] = TL_PFILE_MAGIC;

	put32(header + 8, TL_PFILE_VERSION);
	put32(header + 12, checksum(header, 12));
	tl_put_bytes(w->out, header, sizeof(header));
}

/* ---- blocks ---- */

/* The content as it is stored. What zstd cannot make smaller is stored as it is. */
static const uint8_t *pack(struct tl_pfile_writer *w, size_t *size, enum tl_pfile_codec *codec)
{
	size_t packed;
	int status = TL_NO_MEMORY;

	*size = w->used;
	*codec = TL_PFILE_STORED;
	if (tl_grow(&w->packed, &w->packed_room, tl_zstd_bound(w->used), 1))
		status =
			tl_zstd_pack(&w->zstd, w->raw, w->used, w->packed, w->packed_room, &packed);
	if (status < 0)
		w->status = status;
	if (status <= 0)
		return w->raw;
	*size = packed;
	*codec = TL_PFILE_ZSTD;
	return w->packed;
}

static void put_block(struct tl_pfile_writer *w)
{
	uint8_t header[TL_PFILE_BLOCK_HEADER] = TL_PFILE_BLOCK;
	enum tl_pfile_codec codec;
	size_t size;
	const uint8_t *data = pack(w, &size, &codec);

	header[4] = (uint8_t)w->section;
	header[5] = (uint8_t)codec;
	put16(header + 6, tl_min(w->fields, UINT16_MAX));
	put64(header + 8, w->counts[w->section]);
	put32(header + 16, w->rows);
	put32(header + 20, (uint32_t)w->used);
	put32(header + 24, (uint32_t)size);
	put32(header + 28, checksum(data, size));
	put32(header + 32, w->blocks++);
	put32(header + 36, checksum(header, 36));
	tl_put_bytes(w->out, header, sizeof(header));
	tl_output_write(w->out, data, size);
}

/* End the present block; the next one of the section begins without a row before it. */
static void flush(struct tl_pfile_writer *w)
{
	if (w->rows && !w->status)
		put_block(w);
	w->counts[w->section] += w->rows;
	w->rows = 0;
	w->used = 0;
	w->text_size = w->text_bytes = 0;
	memset(w->last, 0, w->fields * sizeof(*w->last));
}

/* Room for a row of `size` bytes, NULL: there is none. */
static uint8_t *room(struct tl_pfile_writer *w, size_t size)
{
	if (w->used >= TL_PFILE_BLOCK_BYTES)
		flush(w);
	if (size > TL_PFILE_BLOCK_MOST - TL_PFILE_BLOCK_BYTES) {
		w->status = w->status ? w->status : TL_TOO_LARGE;
		return NULL;
	}
	if (!tl_grow(&w->raw, &w->capacity, w->used + size, 1)) {
		w->status = w->status ? w->status : TL_NO_MEMORY;
		return NULL;
	}
	return w->raw + w->used;
}

/* ---- the writer ---- */

/* The most fields that a row of any section has. */
static size_t most_fields(uint32_t events)
{
	size_t most = 0;

	for (unsigned section = 1; section < TL_PFILE_SECTIONS; section++)
		if (tl_pfile_fields(section, events) > most)
			most = tl_pfile_fields(section, events);
	return most;
}

int tl_pfile_writer_open(struct tl_pfile_writer **writer, struct tl_output *out, uint32_t events,
			 struct tl_error *err)
{
	struct tl_pfile_writer *w = calloc(1, sizeof(*w));

	*writer = w;
	if (!w)
		return tl_error_memory(err);
	w->out = out;
	w->events = events;
	w->last = calloc(most_fields(events), sizeof(*w->last));
	if (!w->last) {
		tl_pfile_writer_close(w);
		*writer = NULL;
		return tl_error_memory(err);
	}
	put_file_header(w);
	return 0;
}

void tl_pfile_begin(struct tl_pfile_writer *w, enum tl_pfile_section section)
{
	flush(w);
	w->section = section;
	w->keys = tl_pfile_layouts[section].keys;
	w->fields = tl_pfile_fields(section, w->events);
	memset(w->last, 0, w->fields * sizeof(*w->last));
}

void tl_pfile_write_row(struct tl_pfile_writer *w, const uint64_t *row)
{
	uint8_t *to = room(w, tl_pfile_row_bytes(w->fields));

	if (!to)
		return;
	w->used = (size_t)(tl_pfile_put_row(to, w->keys, w->fields, w->last, row) - w->raw);
	w->rows++;
}

static size_t shared_prefix(const char *a, size_t a_size, const char *b, size_t b_size)
{
	size_t most = tl_min(a_size, b_size), same = 0;

	while (same < most && a[same] == b[same])
		same++;
	return same;
}

void tl_pfile_write_string(struct tl_pfile_writer *w, const char *text, size_t size)
{
	uint8_t *to;
	size_t same;

	if (w->text_bytes > TL_PFILE_TEXT_BYTES)
		flush(w);
	to = room(w, size + 20);

	if (!to)
		return;
	if (!tl_grow(&w->text, &w->text_room, size + 1, 1)) {
		w->status = w->status ? w->status : TL_NO_MEMORY;
		return;
	}
	same = shared_prefix(w->text, w->text_size, text, size);
	to = tl_pfile_put_number(to, same);
	to = tl_pfile_put_number(to, size - same);
	memcpy(to, text + same, size - same);
	memcpy(w->text + same, text + same, size - same);
	w->text_size = size;
	w->text_bytes += size + 1;
	w->used = (size_t)(to + size - same - w->raw);
	w->rows++;
}

static int error_of(const struct tl_pfile_writer *w, struct tl_error *err)
{
	if (w->status == TL_NO_MEMORY)
		return tl_error_memory(err);
	return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
			   "a name or header text has more than 15 MiB, which a profile file does "
			   "not hold");
}

int tl_pfile_writer_end(struct tl_pfile_writer *w, struct tl_error *err)
{
	flush(w);
	tl_pfile_begin(w, TL_PFILE_END);
	for (unsigned section = 0; section < TL_PFILE_END; section++)
		tl_pfile_write_row(w, &w->counts[section]);
	flush(w);
	if (w->status)
		return error_of(w, err);
	return 0;
}

void tl_pfile_writer_close(struct tl_pfile_writer *w)
{
	if (!w)
		return;
	tl_zstd_blocks_free(&w->zstd);
	free(w->raw);
	free(w->last);
	free(w->text);
	free(w->packed);
	free(w);
}
