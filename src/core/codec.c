/* SPDX-License-Identifier: Apache-2.0 */
#include "core/arithmetic.h"
#include "core/codec.h"

#include <lz4frame.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

static bool starts_with(const uint8_t *in, size_t size, const char *magic, size_t count)
{
	return size >= count && !memcmp(in, magic, count);
}

/*
 * Skippable frames: Zstandard (RFC 8878, section 3.1.2) and LZ4 share the magic numbers 0x184d2a50
 * .. 5f.
 */
static bool is_skippable(const uint8_t *in, size_t size)
{
	return size >= 4 && (in[0] & 0xf0) == 0x50 && !memcmp(in + 1, "\x2a\x4d\x18", 3);
}

static int failed(struct tl_codec_io *io, enum tl_status status, const char *text)
{
	io->text = text;
	return (int)status;
}

static void advance(struct tl_codec_io *io, size_t consumed, size_t made)
{
	io->in += consumed;
	io->in_left -= consumed;
	io->out += made;
	io->out_left -= made;
}

/* ---- zstd (RFC 8878) ---- */

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

static bool zstd_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size, "\x28\xb5\x2f\xfd", 4) || is_skippable(in, size);
}

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
	return failed(io, zstd_errors[i].status, zstd_errors[i].text);
}

static int zstd_expand(void *state, struct tl_codec_io *io)
{
	struct zstd *zstd = state;
	ZSTD_inBuffer in = { io->in, tl_min(io->in_left, zstd->hint), 0 };
	ZSTD_outBuffer out = { io->out, io->out_left, 0 };
	size_t result = ZSTD_decompressStream(zstd->stream, &out, &in);

	advance(io, in.pos, out.pos);
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

/* ---- gzip (RFC 1952) ---- */

static bool gzip_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size, "\x1f\x8b", 2);
}

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
	uInt in = (uInt)tl_min(io->in_left, 1u << 30), out = (uInt)tl_min(io->out_left, 1u << 30);

	stream->next_in = (z_const Bytef *)io->in;
	stream->avail_in = in;
	stream->next_out = io->out;
	stream->avail_out = out;

	int result = inflate(stream, Z_NO_FLUSH);

	advance(io, in - stream->avail_in, out - stream->avail_out);
	if (result == Z_STREAM_END)
		return inflateReset(stream) == Z_OK ? 1 : failed(io, TL_NO_MEMORY, "out of memory");
	if (result == Z_OK || result == Z_BUF_ERROR)
		return 0;
	if (result == Z_MEM_ERROR)
		return failed(io, TL_NO_MEMORY, "out of memory");
	return failed(io, TL_BAD_FORMAT, "corrupt gzip data; kept the data before it");
}

static void gzip_close(void *state)
{
	inflateEnd(state);
	free(state);
}

/* ---- xz (the .xz file format, version 1.1) ---- */

static bool xz_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size,
			   "\xfd"
			   "7zXZ\0",
			   6);
}

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

	advance(io, io->in_left - stream->avail_in, io->out_left - stream->avail_out);
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

/* ---- lz4 (LZ4 Frame Format 1.6) ---- */

struct lz4 {
	LZ4F_dctx *context;
	size_t hint;
};

enum { LZ4_HINT = 7 }; /* the smallest header */

static bool lz4_begins(const uint8_t *in, size_t size)
{
	return starts_with(in, size, "\x04\x22\x4d\x18", 4) || is_skippable(in, size);
}

static void *lz4_open(void)
{
	struct lz4 *lz4 = malloc(sizeof(*lz4));

	if (lz4 && LZ4F_isError(LZ4F_createDecompressionContext(&lz4->context, LZ4F_VERSION))) {
		free(lz4);
		return NULL;
	}
	if (lz4)
		lz4->hint = LZ4_HINT;
	return lz4;
}

static int lz4_expand(void *state, struct tl_codec_io *io)
{
	struct lz4 *lz4 = state;
	size_t in = tl_min(io->in_left, lz4->hint), out = io->out_left;
	size_t result = LZ4F_decompress(lz4->context, io->out, &out, io->in, &in, NULL);

	if (LZ4F_isError(result)) {
		if (!strcmp(LZ4F_getErrorName(result), "ERROR_allocation_failed"))
			return failed(io, TL_NO_MEMORY, "out of memory");
		return failed(io, TL_BAD_FORMAT, "corrupt lz4 data; kept the data before it");
	}
	advance(io, in, out);
	lz4->hint = result ? result : LZ4_HINT;
	return result == 0;
}

static void lz4_close(void *state)
{
	struct lz4 *lz4 = state;

	LZ4F_freeDecompressionContext(lz4->context);
	free(lz4);
}

/* A file that begins with a skippable frame is zstd's. */
static const struct tl_codec codecs[] = {
	{ "zstd", false, zstd_begins, zstd_open, zstd_expand, zstd_close },
	{ "gzip", true, gzip_begins, gzip_open, gzip_expand, gzip_close },
	{ "xz", true, xz_begins, xz_open, xz_expand, xz_close },
	{ "lz4", false, lz4_begins, lz4_open, lz4_expand, lz4_close },
};

const struct tl_codec *tl_codec_find(const uint8_t *in, size_t size)
{
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (codecs[i].begins(in, size))
			return &codecs[i];
	return NULL;
}
