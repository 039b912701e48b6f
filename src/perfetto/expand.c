/* SPDX-License-Identifier: Apache-2.0 */
#include "perfetto/expand.h"

#include <zlib.h>

#include "core/memory.h"

/* zlib expands a byte to 1032 at most; what says more is no zlib stream. */
enum { RATIO = 1100, PIECE = 64 * 1024 };

static int expand(z_stream *stream, uint8_t **data, size_t *size, size_t most, bool *no_memory)
{
	size_t capacity = 0;
	int status = Z_OK;

	while (status == Z_OK) {
		if (*size >= most)
			return Z_DATA_ERROR;
		if (!tl_grow(data, &capacity, *size + PIECE, 1)) {
			*no_memory = true;
			return Z_MEM_ERROR;
		}
		stream->next_out = *data + *size;
		stream->avail_out = PIECE;
		status = inflate(stream, Z_NO_FLUSH);
		*size += PIECE - stream->avail_out;
	}
	return status;
}

uint8_t *tl_perfetto_expand(struct tl_cursor stored, size_t *size, bool *damaged, bool *no_memory)
{
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)stored.pos };
	size_t left = tl_cursor_left(&stored);
	uint8_t *data = NULL;
	int status;

	*size = 0;
	*damaged = *no_memory = false;
	stream.avail_in = left > UINT32_MAX ? UINT32_MAX : (uInt)left;
	status = inflateInit(&stream);
	if (status != Z_OK) {
		*no_memory = true;
		return NULL;
	}
	status = expand(&stream, &data, size, left * RATIO + PIECE, no_memory);
	inflateEnd(&stream);
	if (status == Z_MEM_ERROR)
		*no_memory = true;
	*damaged = status != Z_STREAM_END;
	if (!*no_memory)
		return data;
	free(data);
	return NULL;
}
