/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling mode: per thread, the paths of a call trie with their calls and ticks
 * (docs/formats/xray.md, 2.9).
 */
#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "xray/records/reader.h"

/* Blocks of {u32 size with this header, u32 number, u64 thread} and entries. */
int tl_xray_index_profiling(struct tl_xray_reader *reader, struct tl_error *err)
{
	bool swap = reader->dialect.swap;
	uint64_t at = TL_XRAY_HEADER_BYTES;
	int status = 0;

	while (status == 0 && at < reader->size) {
		struct tl_xray_block block = { .start = at, .process = reader->info.process };
		uint64_t left = reader->size - at;
		const uint8_t *head =
			left >= TL_XRAY_PROFILING_BLOCK_BYTES
				? tl_xray_look(reader, at, TL_XRAY_PROFILING_BLOCK_BYTES)
				: NULL;
		uint32_t size = head ? tl_get32s(head, swap) : 0;

		if (size < TL_XRAY_PROFILING_BLOCK_BYTES)
			return tl_xray_add_gap(
				reader, at, reader->size,
				left < TL_XRAY_PROFILING_BLOCK_BYTES ? TL_TRUNCATED : TL_BAD_SIZE,
				"not the beginning of a block; kept the blocks before it", err);
		if (size > left)
			status = tl_xray_add_gap(
				reader, at, at, TL_TRUNCATED,
				"a block reaches past the end of the file; kept its whole entries",
				err);
		block.thread = (int32_t)tl_get64s(head + 8, swap);
		block.end = at + tl_min(size, left);
		at = block.end;
		if (status == 0)
			status = tl_xray_add_block(reader, &block, err);
	}
	return status;
}

/*
 * Function ids from leaf to root, closed by a 0. False without memory; *length 0: not closed in the
 * block.
 */
static bool read_path(struct tl_xray_stream *stream, uint32_t *length)
{
	bool swap = stream->reader->dialect.swap;
	const uint8_t *p = stream->cur.pos;
	size_t count = 0;

	*length = 0;
	while ((size_t)(stream->cur.end - p) >= 4) {
		int32_t id = (int32_t)tl_get32s(p, swap);

		p += 4;
		if (!id) {
			stream->cur.pos = p;
			*length = (uint32_t)count;
			return true;
		}
		if (!tl_grow(&stream->path, &stream->path_capacity, count + 1,
			     sizeof(*stream->path)))
			return false;
		stream->path[count++] = id;
	}
	return true;
}

int tl_xray_decode_profiling(struct tl_xray_stream *stream, struct tl_xray_record *record,
			     struct tl_error *err)
{
	bool swap = stream->reader->dialect.swap;
	uint64_t start;

	if (stream->cur.pos == stream->cur.end)
		return tl_xray_stream_over(stream, err);
	if (tl_cursor_offset(&stream->cur) == stream->block->start)
		stream->cur.pos += TL_XRAY_PROFILING_BLOCK_BYTES;
	start = tl_cursor_offset(&stream->cur);
	if (stream->cur.pos == stream->cur.end)
		return 0;
	*record = (struct tl_xray_record){
		.kind = TL_XRAY_SAMPLE,
		.offset = start,
		.thread = stream->thread,
		.process = stream->process,
	};
	if (!read_path(stream, &record->path_length))
		return tl_error_memory(err);
	if (!record->path_length || !tl_cursor_has(&stream->cur, 16))
		return tl_xray_lose(stream, start, TL_TRUNCATED,
				    "a path without its end or its numbers; kept those before it",
				    record, err);
	record->path = stream->path;
	record->value = tl_get64s(stream->cur.pos, swap);
	record->tsc = tl_get64s(stream->cur.pos + 8, swap);
	stream->cur.pos += 16;
	record->length = tl_cursor_offset(&stream->cur) - start;
	stream->record++;
	return 1;
}
