/* SPDX-License-Identifier: Apache-2.0 */
/* zstd (RFC 8878) */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/codecs/codecs.h"

/*
 * When a call of zstd or lz4 ends in an error, the output of that call is lost. Fed no more than
 * the block they ask for, they put out every good block before the bad one.
 */
struct zstd {
	ZSTD_DStream *stream;
	size_t hint;
};

enum {
	ZSTD_HINT = 5, /* tells the size of a frame header */
	/* the window of `zstd --long`, and the largest that `zstd -d` accepts by default */
	ZSTD_WINDOW_LOG = 27,
};

static void *zstd_open(void)
{
	struct zstd *zstd = malloc(sizeof(*zstd));
	if (!zstd)
		return NULL;
	zstd->stream = ZSTD_createDStream();
	if (!zstd->stream) {
		free(zstd);
		return NULL;
	}
	/* The window of `zstd --long` is the limit: a header of a few bytes can ask for 2 GiB. */
	ZSTD_DCtx_setParameter(zstd->stream, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG);
	zstd->hint = ZSTD_HINT;
	return zstd;
}

static const struct {
	ZSTD_ErrorCode code;
	enum tl_status status;
	const char *text;
	/* clang-format off */
} zstd_errors[] = {
	{ ZSTD_error_memory_allocation, TL_NO_MEMORY, "out of memory" },
	{ ZSTD_error_dictionary_wrong, TL_UNSUPPORTED, "zstd data needs a dictionary" },
	{ ZSTD_error_frameParameter_windowTooLarge, TL_TOO_LARGE, "zstd window is too large" },
	{ ZSTD_error_checksum_wrong, TL_BAD_FORMAT,
	  "zstd checksum does not match; kept the data before it" },
	{ 0, TL_BAD_FORMAT, "corrupt zstd data; kept the data before it" },
};
/* clang-format on */

static int zstd_failed(struct tl_codec_io *io, size_t result)
{
	ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
	size_t i = 0;

	while (zstd_errors[i].code && zstd_errors[i].code != code)
		i++;
	return tl_codec_failed(io, zstd_errors[i].status, zstd_errors[i].text);
}

static int zstd_expand(void *state, struct tl_codec_io *io)
{
	struct zstd *zstd = state;
	ZSTD_inBuffer in = { io->in, tl_codec_most(io->in_left, zstd->hint), 0 };
	ZSTD_outBuffer out = { io->out, io->out_left, 0 };
	size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);

	tl_codec_advance(io, in.pos, out.pos);
	if (ZSTD_isError(result))
		return zstd_failed(io, result);
	zstd->hint = result ? result : ZSTD_HINT;
	return result == 0;
}

static void zstd_close(void *state)
{
	struct zstd *zstd = state;

	ZSTD_freeDStream(zstd->stream);
	free(zstd);
}

const struct tl_codec tl_codec_zstd = {
	.name = "zstd",
	.begins = tl_zstd_begins,
	.open = zstd_open,
	.expand = zstd_expand,
	.close = zstd_close,
};
