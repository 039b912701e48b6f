/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_CORE_PACKERS_H
#define TESTS_UNIT_CORE_PACKERS_H
/* Compressed bytes made by the libraries of the four formats. */
#include <stdbool.h>

#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

struct packed {
	uint8_t *data;
	size_t size;
};

static inline void *must(void *data)
{
	if (!data)
		temp_fail("malloc");
	return data;
}

static inline void append(struct packed *packed, const void *data, size_t size)
{
	packed->data = must(realloc(packed->data, packed->size + size));
	memcpy(packed->data + packed->size, data, size);
	packed->size += size;
}

/* With a checksum, and a window as asked (0: the default). */
static inline struct packed pack_zstd_long(const uint8_t *content, size_t size, int window_log)
{
	struct packed packed = { must(malloc(ZSTD_compressBound(size) + 64)), 0 };
	ZSTD_CCtx *context = must(ZSTD_createCCtx());
	ZSTD_inBuffer in = { content, size, 0 };
	ZSTD_outBuffer out = { packed.data, ZSTD_compressBound(size) + 64, 0 };

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
	/* Two calls: the size is not known at the first, so the window is not shrunk to it. */
	ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue);
	ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
	ZSTD_freeCCtx(context);
	packed.size = out.pos;
	return packed;
}

static inline struct packed pack_zstd(const uint8_t *content, size_t size)
{
	return pack_zstd_long(content, size, 0);
}

static inline struct packed pack_gzip(const uint8_t *content, size_t size)
{
	z_stream stream = { 0 };

	deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	size_t room = deflateBound(&stream, size);
	struct packed packed = { must(malloc(room)), 0 };

	stream.next_in = (z_const Bytef *)content;
	stream.avail_in = (uInt)size;
	stream.next_out = packed.data;
	stream.avail_out = (uInt)room;
	deflate(&stream, Z_FINISH);
	packed.size = stream.total_out;
	deflateEnd(&stream);
	return packed;
}

static inline struct packed pack_xz(const uint8_t *content, size_t size)
{
	size_t room = lzma_stream_buffer_bound(size);
	struct packed packed = { must(malloc(room)), 0 };

	if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, content, size, packed.data,
				    &packed.size, room) != LZMA_OK)
		temp_fail("xz");
	return packed;
}

static inline struct packed pack_lz4(const uint8_t *content, size_t size)
{
	LZ4F_preferences_t preferences = {
		.frameInfo.blockSizeID = LZ4F_max256KB,
		.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled,
	};
	size_t room = LZ4F_compressFrameBound(size, &preferences);
	struct packed packed = { must(malloc(room)), 0 };

	packed.size = LZ4F_compressFrame(packed.data, room, content, size, &preferences);
	return packed;
}

static const struct {
	const char *name;
	struct packed (*pack)(const uint8_t *content, size_t size);
	size_t magic;   /* bytes that tell the format */
	bool skippable; /* has skippable frames */
	bool padding;   /* NUL bytes may follow a frame */
} packers[] = {
	{ "zstd", pack_zstd, 4, true, false },
	{ "gzip", pack_gzip, 2, false, true },
	{ "xz", pack_xz, 6, false, true },
	{ "lz4", pack_lz4, 4, true, false },
};

enum { PACKERS = sizeof(packers) / sizeof(packers[0]) };

#endif
