/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: the records of some blocks, whatever the mode. */
#include <stdlib.h>

#include "xray/reader.h"

void tl_xray_stream_begin(struct xray_stream *stream, const struct tl_xray_reader *reader, const uint32_t *order,
			  uint32_t begin, uint32_t end, struct xray_faults *faults)
{
	*stream = (struct xray_stream){
		.reader = reader, .faults = faults, .order = order, .next_block = begin, .end_block = end,
	};
}

void tl_xray_stream_end(struct xray_stream *stream)
{
	free(stream->path);
	stream->path = NULL;
}

bool tl_xray_stream_block(struct xray_stream *stream)
{
	const struct tl_xray_reader *reader = stream->reader;
	const struct xray_block *block;

	if (stream->block && reader->size)
		tl_source_release(reader->source, stream->block->start, stream->block->end - stream->block->start);
	if (stream->next_block == stream->end_block)
		return false;
	block = &reader->blocks[stream->order ? stream->order[stream->next_block] : stream->next_block];
	stream->next_block++;
	stream->block = block;
	stream->cur = tl_cursor_over(reader->data, reader->size);
	tl_cursor_limit(&stream->cur, block->end);
	tl_cursor_seek(&stream->cur, block->start);
	stream->record = 0;
	stream->begun = false;
	stream->thread = block->thread;
	stream->process = block->process;
	/* The clock survives from block to block of a thread; blocks of several threads each have their own. */
	if (block->timed || !stream->order)
		stream->tsc = block->first_tsc;
	return true;
}

int tl_xray_stream_record(struct xray_stream *stream, struct tl_xray_record *record, struct tl_error *err)
{
	switch (stream->reader->info.mode) {
	case TL_XRAY_FDR:
		return tl_xray_decode_fdr(stream, record, err);
	case TL_XRAY_BASIC:
		return tl_xray_decode_basic(stream, record, err);
	default:
		return tl_xray_decode_profiling(stream, record, err);
	}
}

int tl_xray_stream_next(struct xray_stream *stream, struct tl_xray_record *record, struct tl_error *err)
{
	for (;;) {
		int status = stream->block ? tl_xray_stream_record(stream, record, err) : 0;

		if (status != 0)
			return status;
		if (!tl_xray_stream_block(stream))
			return 0;
	}
}
