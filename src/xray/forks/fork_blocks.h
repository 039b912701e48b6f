/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_XRAY_FORKS_FORK_BLOCKS_H
#define TL_XRAY_FORKS_FORK_BLOCKS_H
/* The records of one buffer by itself, for comparing buffers of several logs. */
#include "xray/records/reader.h"

/* Open one block by itself, without noting damage. */
static inline void tl_xray_fork_open_block(struct tl_xray_stream *stream,
					   const struct tl_xray_reader *reader, uint32_t block,
					   struct tl_xray_faults *unnoted)
{
	tl_xray_stream_begin(stream, reader, NULL, block, block + 1, unnoted);
	tl_xray_stream_block(stream);
	stream->block = NULL; /* keep its pages: they are read again */
}

/* The block was read, whole or not. That it could not be seen is noted with the reader. */
static inline void tl_xray_fork_close_block(struct tl_xray_stream *stream)
{
	if (stream->no_view)
		stream->reader->window->no_memory = true;
	tl_xray_stream_end(stream);
}

/*
 * The next record of the block but for its extents. 1; 0 at the end or at damage; negative without
 * memory.
 */
static inline int tl_xray_fork_next_record(struct tl_xray_stream *stream,
					   struct tl_xray_record *record, struct tl_error *err)
{
	int status;

	do
		status = tl_xray_decode_fdr(stream, record, err);
	while (status == 1 && record->kind == TL_XRAY_BUFFER_EXTENTS);
	if (status == TL_NO_MEMORY)
		return status;
	return status == 1 && record->kind != TL_XRAY_LOST;
}

#endif
