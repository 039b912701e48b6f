/* SPDX-License-Identifier: Apache-2.0 */
/* The records of one buffer by itself, for comparing buffers of several logs. */
#include "xray/forks/forks.h"

void tl_xray_fork_open_block(struct tl_xray_stream *stream, const struct tl_xray_reader *reader,
			     uint32_t block, struct tl_xray_faults *unnoted)
{
	tl_xray_stream_begin(stream, reader, NULL, block, block + 1, unnoted);
	tl_xray_stream_block(stream);
	stream->block = NULL; /* keep its pages: they are read again */
}

int tl_xray_fork_next_record(struct tl_xray_stream *stream, struct tl_xray_record *record,
			     struct tl_error *err)
{
	int status;

	do
		status = tl_xray_decode_fdr(stream, record, err);
	while (status == 1 && record->kind == TL_XRAY_BUFFER_EXTENTS);
	if (status == TL_NO_MEMORY)
		return status;
	return status == 1 && record->kind != TL_XRAY_LOST;
}
