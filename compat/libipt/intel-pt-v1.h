/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INTEL_PT_V1_H
#define INTEL_PT_V1_H
/*
 * Included by intel-pt.h with TL_PT_BLOCK_V1. Version 1 of the interface told by flags of blocks
 * what version 2 tells by events. The library writes both into one structure: speculative and
 * truncated where version 2 has them, in bits 0 and 1 of the half-word at byte 46, the eight others
 * in bits 2 to 9, in the order of the page. Here they take the places that the page gives them, and
 * the decoder is asked to fold events into them, so that none is ever pending.
 */
static inline struct pt_block_decoder *tl_pt_blk_alloc_decoder_v1(const struct pt_config *config)
{
	struct pt_config folding;

	if (!config)
		return NULL;
	memset(&folding, 0, sizeof(folding));
	memcpy(&folding, config, config->size < sizeof(folding) ? config->size : sizeof(folding));
	folding.size = sizeof(folding);
	folding.flags.variant.block.tl_fold_events = 1;
	return pt_blk_alloc_decoder(&folding);
}

static inline int tl_pt_blk_next_v1(struct pt_block_decoder *decoder, struct pt_block *block,
				    size_t size)
{
	const size_t at = offsetof(struct pt_block, size) + 1;
	int status = pt_blk_next(decoder, block, size);
	uint16_t flags;

	if (!block || size < at + sizeof(flags))
		return status;
	memcpy(&flags, (const uint8_t *)block + at, sizeof(flags));
	flags = (uint16_t)((flags & 1) | (flags >> 1 & 0x1fe) | (flags & 2) << 8);
	memcpy((uint8_t *)block + at, &flags, sizeof(flags));
	return status;
}

#define pt_blk_alloc_decoder tl_pt_blk_alloc_decoder_v1
#define pt_blk_next tl_pt_blk_next_v1

#endif
