/* SPDX-License-Identifier: Apache-2.0 */
#include "core/codecs/zstd_blocks.h"

#include <zstd.h>
#include <zstd_errors.h>

/*
 * Higher levels take several times as long for a few percent. Of a block that is larger than that,
 * a part in its middle is packed first: numbers that differ in every row cost more time to pack,
 * and again to expand, than the bytes are worth that it saves.
 */
enum { LEVEL = 1, SAMPLE = 8 << 10, LARGE = 4 * SAMPLE };

size_t tl_zstd_bound(size_t size)
{
	return ZSTD_compressBound(size);
}

/* Whether a block gets smaller by three tenths, as far as its middle says. */
static bool is_worth(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t size, uint8_t *out,
		     size_t room)
{
	size_t packed;

	if (size < LARGE)
		return true;
	packed =
		ZSTD_compressCCtx(zstd->packer, out, room, in + (size - SAMPLE) / 2, SAMPLE, LEVEL);
	return ZSTD_isError(packed) || packed < SAMPLE - SAMPLE * 3 / 10;
}

int tl_zstd_pack(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t size, uint8_t *out,
		 size_t room, size_t *packed)
{
	if (!zstd->packer)
		zstd->packer = ZSTD_createCCtx();
	if (!zstd->packer)
		return TL_NO_MEMORY;
	if (!is_worth(zstd, in, size, out, room))
		return 0;
	*packed = ZSTD_compressCCtx(zstd->packer, out, room, in, size, LEVEL);
	/* With that room nothing else can fail; stored, the same content would have other bytes. */
	if (ZSTD_isError(*packed))
		return TL_NO_MEMORY;
	return *packed < size;
}

int tl_zstd_expand(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t in_size, uint8_t *out,
		   size_t size)
{
	size_t made;

	if (!zstd->expander)
		zstd->expander = ZSTD_createDCtx();
	if (!zstd->expander)
		return TL_NO_MEMORY;
	made = ZSTD_decompressDCtx(zstd->expander, out, size, in, in_size);
	if (ZSTD_isError(made) && ZSTD_getErrorCode(made) == ZSTD_error_memory_allocation)
		return TL_NO_MEMORY;
	return made == size ? 0 : TL_BAD_FORMAT;
}

void tl_zstd_blocks_free(struct tl_zstd_blocks *zstd)
{
	ZSTD_freeCCtx(zstd->packer);
	ZSTD_freeDCtx(zstd->expander);
	*zstd = (struct tl_zstd_blocks){ 0 };
}
