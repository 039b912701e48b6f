/* SPDX-License-Identifier: Apache-2.0 */
/* Streams: the records of some blocks, in any mode. */
#include <errno.h>
#include <stdlib.h>

#include "core/error.h"
#include "xray/records/reader.h"

void tl_xray_stream_begin(struct tl_xray_stream *stream, const struct tl_xray_reader *reader,
			  const uint32_t *order, uint32_t begin, uint32_t end,
			  struct tl_xray_faults *faults)
{
	*stream = (struct tl_xray_stream){
		.reader = reader,
		.faults = faults,
		.order = order,
		.next_block = begin,
		.end_block = end,
	};
}

void tl_xray_stream_end(struct tl_xray_stream *stream)
{
	free(stream->path);
	stream->path = NULL;
	tl_source_view_end(&stream->view);
}

void tl_xray_stream_open(struct tl_xray_stream *stream, struct tl_xray_reader *reader,
			 const uint32_t *order, uint32_t begin, uint32_t end,
			 struct tl_xray_faults *faults)
{
	tl_xray_stream_begin(stream, reader, order, begin, end, faults);
	stream->progress = &reader->progress;
}

/* If another thread is calling the hook, skip the call: the next block reports more. */
static void tell_progress(struct tl_xray_progress *progress, uint64_t bytes)
{
	uint64_t done = atomic_fetch_add(&progress->done, bytes) + bytes;

	if (atomic_flag_test_and_set(&progress->busy))
		return;
	if (tl_source_tick(progress->source, done, NULL) < 0)
		atomic_store(&progress->cancelled, true);
	atomic_flag_clear(&progress->busy);
}

int tl_xray_stream_cancelled(const struct tl_xray_stream *stream, struct tl_error *err)
{
	if (!stream->progress || !atomic_load(&stream->progress->cancelled))
		return 0;
	errno = ECANCELED;
	return tl_error_system(err, "cancelled");
}

void tl_xray_stream_leave(struct tl_xray_stream *stream)
{
	uint64_t size;

	if (!stream->block)
		return;
	tl_source_view_end(&stream->view);
	size = stream->block->end - stream->block->start;
	tl_source_release(stream->reader->source, stream->block->start, size);
	if (stream->progress)
		tell_progress(stream->progress, size);
}

bool tl_xray_stream_block(struct tl_xray_stream *stream)
{
	const struct tl_xray_reader *reader = stream->reader;
	const struct tl_xray_block *block;

	tl_xray_stream_leave(stream);
	if (stream->next_block == stream->end_block || tl_xray_stream_cancelled(stream, NULL))
		return false;
	block = &reader->blocks[stream->order ? stream->order[stream->next_block]
					      : stream->next_block];
	stream->next_block++;
	stream->block = block;
	tl_xray_stream_place(stream, block->start, block->end);
	stream->record = 0;
	stream->begun = false;
	stream->thread = block->thread;
	stream->process = block->process;
	/*
	 * The clock is kept from block to block of one thread. In file order, blocks of several
	 * threads each have their own.
	 */
	if (block->timed || !stream->order)
		stream->tsc = block->first_tsc;
	return true;
}

int tl_xray_stream_record(struct tl_xray_stream *stream, struct tl_xray_record *record,
			  struct tl_error *err)
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

int tl_xray_stream_next(struct tl_xray_stream *stream, struct tl_xray_record *record,
			struct tl_error *err)
{
	for (;;) {
		int status = stream->block ? tl_xray_stream_record(stream, record, err) : 0;

		if (status != 0)
			return status;
		if (!tl_xray_stream_block(stream))
			return tl_xray_stream_cancelled(stream, err);
	}
}
