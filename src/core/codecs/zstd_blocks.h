/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_CORE_CODECS_ZSTD_BLOCKS_H
#define TL_CORE_CODECS_ZSTD_BLOCKS_H
/* zstd of blocks that are in memory as a whole. A build without libzstd packs nothing. */
#include <stddef.h>
#include <stdint.h>

#include <tracelathe/core.h>

/* Memory of libzstd that is kept from one block to the next; all zero to begin with. */
struct tl_zstd_blocks {
	void *packer, *expander;
};

/* The most bytes that a block of `size` may be packed into. */
size_t tl_zstd_bound(size_t size);
/*
 * Pack a block into `room` bytes, which are tl_zstd_bound() at least. @return 1, and the size; 0:
 * it does not get smaller, or, a block of 32 KiB or more, hardly by three tenths, or there is no
 * libzstd; TL_NO_MEMORY
 */
int tl_zstd_pack(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t size, uint8_t *out,
		 size_t room, size_t *packed);

/*
 * Expand a block to exactly `size` bytes. @return 0; TL_NO_MEMORY; TL_BAD_FORMAT: it is damaged;
 * TL_UNSUPPORTED: there is no libzstd
 */
int tl_zstd_expand(struct tl_zstd_blocks *zstd, const uint8_t *in, size_t in_size, uint8_t *out,
		   size_t size);

void tl_zstd_blocks_free(struct tl_zstd_blocks *zstd);

#endif
