/* SPDX-License-Identifier: Apache-2.0 */
/* gzip (RFC 1952) */
#include <stdlib.h>
#include <zlib.h>

#include "core/codecs/codecs.h"

static void *gzip_open(void)
{
	z_stream *stream = calloc(1, sizeof(*stream));

	/* 16: the gzip wrapper, and no other. */
	if (stream && inflateInit2(stream, 15 + 16) != Z_OK) {
		free(stream);
		return NULL;
	}
	return stream;
}

static int gzip_expand(void *state, struct tl_codec_io *io)
{
	z_stream *stream = state;
	uInt in = (uInt)tl_codec_most(io->in_left, 1u << 30),
	     out = (uInt)tl_codec_most(io->out_left, 1u << 30);

	stream->next_in = (z_const Bytef *)io->in;
	stream->avail_in = in;
	stream->next_out = io->out;
	stream->avail_out = out;

	int result = inflate(stream, Z_NO_FLUSH);

	tl_codec_advance(io, in - stream->avail_in, out - stream->avail_out);
	if (result == Z_STREAM_END)
		return inflateReset(stream) == Z_OK
			       ? 1
			       : tl_codec_failed(io, TL_NO_MEMORY, "out of memory");
	if (result == Z_OK || result == Z_BUF_ERROR)
		return 0;
	if (result == Z_MEM_ERROR)
		return tl_codec_failed(io, TL_NO_MEMORY, "out of memory");
	return tl_codec_failed(io, TL_BAD_FORMAT, "corrupt gzip data; kept the data before it");
}

static void gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}

const struct tl_codec tl_codec_gzip = {
	.name = "gzip",
	.zero_padding = true,
	.begins = tl_gzip_begins,
	.open = gzip_open,
	.expand = gzip_expand,
	.close = gzip_close,
};
