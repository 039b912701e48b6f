/* SPDX-License-Identifier: Apache-2.0 */
/* In place of zstd_blocks.c in a build without libzstd. */
#include "core/codecs/zstd_blocks.h"

size_t tl_zstd_bound(size_t size)
{
	(void)size;
	return 0;
}

int tl_zstd_pack(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t size, uint8_t *out,
		 size_t room, size_t *packed)
{
	(void)zstd, (void)in, (void)size, (void)out, (void)room, (void)packed;
	return 0;
}

int tl_zstd_expand(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t in_size, uint8_t *out,
		   size_t size)
{
	(void)zstd, (void)in, (void)in_size, (void)out, (void)size;
	return TL_UNSUPPORTED;
}

void tl_zstd_blocks_free(struct tl_zstd_blocks *zstd)
{
	(void)zstd;
}
