/* SPDX-License-Identifier: Apache-2.0 */
/* lz4 (LZ4 Frame Format 1.6) */
#include <stdlib.h>
#include <string.h>
#include <lz4frame.h>

#include "core/codecs/codecs.h"

struct lz4 {
	LZ4F_dctx *context;
	size_t hint;
};

enum { LZ4_HINT = 7 }; /* the smallest header */

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
	size_t in = tl_codec_most(io->in_left, lz4->hint), out = io->out_left;
	size_t result = LZ4F_decompress(lz4->context, io->out, &out, io->in, &in, NULL);

	if (LZ4F_isError(result)) {
		if (!strcmp(LZ4F_getErrorName(result), "ERROR_allocation_failed"))
			return tl_codec_failed(io, TL_NO_MEMORY, "out of memory");
		return tl_codec_failed(io, TL_BAD_FORMAT,
				       "corrupt lz4 data; kept the data before it");
	}
	tl_codec_advance(io, in, out);
	lz4->hint = result ? result : LZ4_HINT;
	return result == 0;
}

static void lz4_close(void *state)
{
	struct lz4 *lz4 = state;

	LZ4F_freeDecompressionContext(lz4->context);
	free(lz4);
}

const struct tl_codec tl_codec_lz4 = {
	.name = "lz4",
	.begins = tl_lz4_begins,
	.open = lz4_open,
	.expand = lz4_expand,
	.close = lz4_close,
};
