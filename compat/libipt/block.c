/* SPDX-License-Identifier: Apache-2.0 */
/* pt_blk_* */
#include "flow.h"

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
	return tl_compat_decoder_forward(of(decoder));
}

int pt_blk_sync_backward(struct pt_block_decoder *decoder)
{
	return tl_compat_decoder_backward(of(decoder));
}

int pt_blk_sync_set(struct pt_block_decoder *decoder, uint64_t offset)
{
	return tl_compat_decoder_set(of(decoder), offset);
}

int pt_blk_resync(struct pt_block_decoder *decoder)
{
	return tl_compat_decoder_resync(of(decoder));
}

int pt_blk_get_offset(const struct pt_block_decoder *decoder, uint64_t *offset)
{
	return tl_compat_decoder_offset(of(decoder), offset);
}

int pt_blk_get_sync_offset(const struct pt_block_decoder *decoder, uint64_t *offset)
{
	return tl_compat_decoder_sync_offset(of(decoder), offset);
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
	return tl_compat_decoder_ratio(of(decoder), cbr);
}

int pt_blk_asid(const struct pt_block_decoder *decoder, struct pt_asid *asid, size_t size)
{
	return tl_compat_decoder_asid(of(decoder), asid, size);
}

int pt_blk_event(struct pt_block_decoder *decoder, struct pt_event *event, size_t size)
{
	return tl_compat_decoder_event(of(decoder), event, size);
}

/* ---- blocks ---- */

/* The next one of those found ahead. Field by field it is the published structure (layout.c). */
static inline void give_ready(struct tl_compat_ahead *ahead, struct pt_block *block)
{
	memcpy(block, &ahead->blocks[*ahead->next++], sizeof(*block));
	/* Of a whole instruction nobody needs it. */
	block->size = block->truncated ? block->size : 0;
}

/* One step. */
static int step(struct tl_compat_decoder *dec, struct pt_block *block)
{
	int status = tl_compat_fetch_event(dec);

	if (status < 0)
		return status;
	if (status)
		return tl_compat_steps_to_event(dec, block);
	if (!dec->enabled)
		return dec->status & pts_eos ? -pte_eos : -pte_no_enable;
	status = tl_compat_steps(dec, block);
	return status < 0 ? status : tl_compat_block_events(dec, block);
}

static int next(struct tl_compat_decoder *dec, struct pt_block *block)
{
	struct tl_compat_ahead *ahead = &dec->ahead;

	dec->moved |= dec->enabled;
	if (ahead->running && *ahead->version != ahead->seen)
		tl_compat_settle(dec);
	if (ahead->running || tl_compat_run_ahead(dec)) {
		bool last = ahead->next == ahead->last;

		give_ready(ahead, block);
		block->speculative = dec->speculative;
		if (!last)
			return 0;
		tl_compat_settle(dec);
		return tl_compat_block_events(dec, block);
	}
	block->ip = dec->ip;
	block->mode = (enum pt_exec_mode)dec->mode;
	block->speculative = dec->speculative;
	return step(dec, block);
}

/* With the flags of version 1 the decoder is another one (docs/libipt.md). */
static int next_folded(struct tl_compat_decoder *dec, struct pt_block *block)
{
	int status = tl_pt_next_block(dec->decoder, (struct tl_pt_block *)(void *)block);

	if (status < 0)
		memset(block, 0, sizeof(*block));
	return status;
}

/* Kept apart, so that what is called for each block needs no stack frame. */
static __attribute__((noinline)) int next_slowly(struct tl_compat_decoder *dec,
						 struct pt_block *block, size_t size)
{
	struct pt_block user;
	int status;

	if (!dec || !block || size < LEAST)
		return -pte_invalid;
	memset(&user, 0, sizeof(user));
	if (dec->folds)
		status = next_folded(dec, &user);
	else
		status = dec->synced ? next(dec, &user) : -pte_nosync;
	tl_compat_give(block, size, &user, sizeof(user));
	return status;
}

int pt_blk_next(struct pt_block_decoder *decoder, struct pt_block *block, size_t size)
{
	struct tl_compat_decoder *dec = of(decoder);

	/* Mostly no further call. */
	if (dec && block && size == sizeof(*block) && dec->ahead.next < dec->ahead.last &&
	    *dec->ahead.version == dec->ahead.seen && !dec->speculative) {
		give_ready(&dec->ahead, block);
		return 0;
	}
	return next_slowly(dec, block, size);
}
