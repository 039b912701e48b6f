/* SPDX-License-Identifier: Apache-2.0 */
/* xz (the .xz file format, version 1.1) */
#include <stdlib.h>
#include <lzma.h>

#include "core/codecs/codecs.h"

/* Dictionaries of `xz -9` have 64 MiB; a header may ask for 4 GiB. */
static const uint64_t xz_memory_limit = (uint64_t)1 << 30;

static void *xz_open(void)
{
	lzma_stream *stream = malloc(sizeof(*stream));

	if (!stream)
		return NULL;
	*stream = (lzma_stream)LZMA_STREAM_INIT;
	if (lzma_stream_decoder(stream, xz_memory_limit, 0) != LZMA_OK) {
		free(stream);
		return NULL;
	}
	return stream;
}

static const struct {
	lzma_ret code;
	int result;
	const char *text;
	/* clang-format off */
} xz_results[] = {
	{ LZMA_BUF_ERROR, 0, NULL }, /* no progress, which the caller sees */
	{ LZMA_MEM_ERROR, TL_NO_MEMORY, "out of memory" },
	{ LZMA_MEMLIMIT_ERROR, TL_TOO_LARGE, "xz dictionary is larger than 1 GiB" },
	{ LZMA_OPTIONS_ERROR, TL_UNSUPPORTED, "xz data uses an unknown filter" },
	{ LZMA_OK, TL_BAD_FORMAT, "corrupt xz data; kept the data before it" },
};
/* clang-format on */

static int xz_expand(void *state, struct tl_codec_io *io)
{
	lzma_stream *stream = state;
	size_t i = 0;

	stream->next_in = io->in;
	stream->avail_in = io->in_left;
	stream->next_out = io->out;
	stream->avail_out = io->out_left;

	lzma_ret result = lzma_code(stream, LZMA_RUN);

	tl_codec_advance(io, io->in_left - stream->avail_in, io->out_left - stream->avail_out);
	if (result == LZMA_OK)
		return 0;
	if (result == LZMA_STREAM_END) {
		if (lzma_stream_decoder(stream, xz_memory_limit, 0) == LZMA_OK)
			return 1;
		result = LZMA_MEM_ERROR;
	}
	while (xz_results[i].code && xz_results[i].code != result)
		i++;
	io->text = xz_results[i].text;
	return xz_results[i].result;
}

static void xz_close(void *state)
{
	lzma_end(state);
	free(state);
}

const struct tl_codec tl_codec_xz = {
	.name = "xz",
	.zero_padding = true,
	.begins = tl_xz_begins,
	.open = xz_open,
	.expand = xz_expand,
	.close = xz_close,
};
