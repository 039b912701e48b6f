/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_CODECS_CODECS_H
#define TL_CORE_CODECS_CODECS_H
/*
 * The rows of codec.c: each in a file of its own, so that another file stands in its place in a
 * build without its library.
 */
#include <stddef.h>

#include "core/codecs/codec.h"

extern const struct tl_codec tl_codec_zstd, tl_codec_gzip, tl_codec_xz, tl_codec_lz4;

bool tl_zstd_begins(const uint8_t *in, size_t size);
bool tl_gzip_begins(const uint8_t *in, size_t size);
bool tl_xz_begins(const uint8_t *in, size_t size);
bool tl_lz4_begins(const uint8_t *in, size_t size);

/* As much as there is, but no more than is asked for. */
static inline size_t tl_codec_most(size_t there, size_t asked)
{
	return there < asked ? there : asked;
}

/* What expand() gives back when it failed. */
static inline int tl_codec_failed(struct tl_codec_io *io, enum tl_status status, const char *text)
{
	io->text = text;
	return (int)status;
}

/* Bytes were taken, and bytes were put out. */
static inline void tl_codec_advance(struct tl_codec_io *io, size_t consumed, size_t made)
{
	io->in += consumed;
	io->in_left -= consumed;
	io->out += made;
	io->out_left -= made;
}

#endif
