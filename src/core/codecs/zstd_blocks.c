/* SPDX-License-Identifier: Apache-2.0 */
#include "core/codecs/zstd_blocks.h"

#include <zstd.h>
#include <zstd_errors.h>

/* Higher levels take several times as long for a few percent. */
enum { LEVEL = 1 };

size_t tl_zstd_bound(size_t size)
{
	return ZSTD_compressBound(size);
}

int tl_zstd_pack(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t size, uint8_t *out,
		 size_t room, size_t *packed)
{
	if (!zstd->packer)
		zstd->packer = ZSTD_createCCtx();
	if (!zstd->packer)
		return TL_NO_MEMORY;
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
