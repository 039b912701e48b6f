/* SPDX-License-Identifier: Apache-2.0 */
/* pt_blk_* */
#include "compat.h"

#include "intel_pt/decoder.h"

/* "struct pt_block": nothing of a block says anything without its address and its end (9.5). */
enum { LEAST = offsetof(struct pt_block, isid) };

/* The published type is never defined: it is one of ours. */
static struct tl_compat_decoder *of(const struct pt_block_decoder *decoder)
{
	return (struct tl_compat_decoder *)(uintptr_t)decoder;
}

struct pt_block_decoder *pt_blk_alloc_decoder(const struct pt_config *config)
{
	return (struct pt_block_decoder *)tl_compat_decoder_open(config, TL_COMPAT_BLOCK);
}

void pt_blk_free_decoder(struct pt_block_decoder *decoder)
{
	tl_compat_decoder_close(of(decoder));
}

int pt_blk_sync_forward(struct pt_block_decoder *decoder)
{
	return decoder ? tl_compat_decoder_synced(of(decoder),
						  tl_pt_sync_forward(of(decoder)->decoder))
		       : -pte_invalid;
}

int pt_blk_sync_backward(struct pt_block_decoder *decoder)
{
	return decoder ? tl_compat_decoder_synced(of(decoder),
						  tl_pt_sync_backward(of(decoder)->decoder))
		       : -pte_invalid;
}

int pt_blk_sync_set(struct pt_block_decoder *decoder, uint64_t offset)
{
	return decoder ? tl_compat_decoder_synced(of(decoder),
						  tl_pt_sync_set(of(decoder)->decoder, offset))
		       : -pte_invalid;
}

int pt_blk_resync(struct pt_block_decoder *decoder)
{
	return decoder ? tl_compat_decoder_status(of(decoder),
						  tl_pt_resync(of(decoder)->decoder, NULL))
		       : -pte_invalid;
}

int pt_blk_get_offset(const struct pt_block_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_offset(of(decoder)->decoder, offset) : -pte_invalid;
}

int pt_blk_get_sync_offset(const struct pt_block_decoder *decoder, uint64_t *offset)
{
	return decoder && offset ? tl_pt_sync_offset(of(decoder)->decoder, offset) : -pte_invalid;
}

struct pt_image *pt_blk_get_image(struct pt_block_decoder *decoder)
{
	return decoder ? of(decoder)->current : NULL;
}

int pt_blk_set_image(struct pt_block_decoder *decoder, struct pt_image *image)
{
	return tl_compat_decoder_set_image(of(decoder), image);
}

const struct pt_config *pt_blk_get_config(const struct pt_block_decoder *decoder)
{
	return decoder ? &of(decoder)->config.user : NULL;
}

int pt_blk_time(struct pt_block_decoder *decoder, uint64_t *time, uint32_t *lost_mtc,
		uint32_t *lost_cyc)
{
	return tl_compat_decoder_time(of(decoder), time, lost_mtc, lost_cyc);
}

int pt_blk_core_bus_ratio(struct pt_block_decoder *decoder, uint32_t *cbr)
{
	uint32_t ratio = 0;
	int status;

	if (!decoder || !cbr)
		return -pte_invalid;
	status = tl_pt_core_bus_ratio(of(decoder)->decoder, &ratio);
	return tl_compat_cbr(status, ratio, cbr);
}

int pt_blk_asid(const struct pt_block_decoder *decoder, struct pt_asid *asid, size_t size)
{
	return tl_compat_decoder_asid(of(decoder), asid, size);
}

/* Kept apart, so that what is called for each block needs no stack frame. */
static __attribute__((noinline)) int next_slowly(struct tl_compat_decoder *decoder,
						 struct pt_block *block, size_t size)
{
	struct tl_pt_block ours;
	int status;

	if (!decoder || !block || size < LEAST)
		return -pte_invalid;
	memset(&ours, 0, sizeof(ours));
	status = tl_pt_block_next(decoder->decoder, &ours);
	if (status < 0)
		memset(&ours, 0, sizeof(ours));
	tl_compat_give(block, size, &ours, sizeof(ours));
	return tl_compat_decoder_status(decoder, status);
}

int pt_blk_next(struct pt_block_decoder *decoder, struct pt_block *block, size_t size)
{
	/* Field by field the same (layout.c): no copy on the way that decoding takes, and no
	 * further call mostly. */
	if (decoder && block && size == sizeof(*block) &&
	    tl_pt_give_ready(of(decoder)->decoder, (struct tl_pt_block *)(void *)block))
		return 0;
	return next_slowly(of(decoder), block, size);
}

int pt_blk_event(struct pt_block_decoder *decoder, struct pt_event *event, size_t size)
{
	return tl_compat_decoder_event(of(decoder), event, size);
}
