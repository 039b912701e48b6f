/* SPDX-License-Identifier: Apache-2.0 */
/* In the place of zlib_bytes.c in a build without libdeflate. */
#include "core/codecs/zlib_bytes.h"

#include <zlib.h>

#include <tracelathe/core.h>

int tl_zlib_expand(const uint8_t *stream, size_t stream_size, uint8_t *out, size_t size)
{
	uLongf made = size;
	const int result = uncompress(out, &made, stream, stream_size);

	if (result == Z_MEM_ERROR)
		return TL_NO_MEMORY;
	return result == Z_OK && made == size ? 0 : TL_BAD_FORMAT;
}
