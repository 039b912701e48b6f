/* SPDX-License-Identifier: Apache-2.0 */
#include "core/codecs/codec.h"

#include "core/codecs/codecs.h"

/* A file that begins with a skippable frame is zstd's. */
static const struct tl_codec *const codecs[] = { &tl_codec_zstd, &tl_codec_gzip, &tl_codec_xz,
						 &tl_codec_lz4 };

const struct tl_codec *tl_codec_find(const uint8_t *in, size_t size)
{
	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		if (codecs[i]->begins(in, size))
			return codecs[i];
	return NULL;
}
