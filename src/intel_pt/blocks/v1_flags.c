/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Version 1 of the published interface: events become flags of the blocks around them (section 2).
 * A block is held back until the events behind it are known.
 */
#include "intel_pt/blocks/decoder.h"

/* The flags that an event adds to the block before it and to the one behind it. */
struct flags {
	uint16_t before, behind;
};

static struct flags flags_of(const struct tl_pt_decoder *decoder, const struct tl_pt_event *event)
{
	bool was_speculative = decoder->v1.block.flags & TL_PT_SPECULATIVE;

	/* A status update in a PSB+ changes nothing. */
	if (event->status_update)
		return (struct flags){ 0, 0 };
	switch (event->kind) {
	case TL_PT_EV_ENABLED:
		if (event->enabled.resumed)
			return (struct flags){ 0, TL_PT_ENABLED | TL_PT_RESUMED };
		return (struct flags){ 0, TL_PT_ENABLED };
	case TL_PT_EV_DISABLED:
	case TL_PT_EV_ASYNC_DISABLED:
		return (struct flags){ TL_PT_DISABLED, 0 };
	case TL_PT_EV_ASYNC_BRANCH:
		return (struct flags){ TL_PT_INTERRUPTED, 0 };
	case TL_PT_EV_OVERFLOW:
		if (decoder->events.was_enabled)
			return (struct flags){ 0, TL_PT_RESYNCED };
		return (struct flags){ 0, TL_PT_RESYNCED | TL_PT_ENABLED };
	case TL_PT_EV_LOST:
		return (struct flags){ 0, TL_PT_RESYNCED };
	case TL_PT_EV_STOP:
		return (struct flags){ TL_PT_STOPPED, 0 };
	case TL_PT_EV_TSX:
		if (event->tsx.aborted)
			return (struct flags){ TL_PT_ABORTED, 0 };
		if (was_speculative && !event->tsx.speculative)
			return (struct flags){ TL_PT_COMMITTED, 0 };
		return (struct flags){ 0, 0 };
	default:
		return (struct flags){ 0, 0 };
	}
}

static void fold(struct tl_pt_decoder *decoder)
{
	struct flags flags = flags_of(decoder, &decoder->events.next);

	decoder->events.pending = false;
	/* Before the first block `v1.block` is not given, so flags for it are dropped. */
	decoder->v1.block.flags |= flags.before;
	decoder->v1.next_flags |= flags.behind;
}

/* Take the next block to hold back. False: there is none; events before the end are folded. */
static bool take(struct tl_pt_decoder *decoder, struct tl_pt_block *block)
{
	for (;;) {
		tl_pt_lookahead_fill(decoder);
		if (decoder->ahead.batch.at < decoder->ahead.batch.filled)
			break;
		if (!decoder->events.pending)
			return false;
		fold(decoder);
	}
	*block = decoder->graph.blocks[decoder->ahead.batch.ids[decoder->ahead.batch.at++]];
	block->flags |= decoder->v1.next_flags;
	if (decoder->ahead.batch.speculative)
		block->flags |= TL_PT_SPECULATIVE;
	decoder->v1.next_flags = 0;
	return true;
}

int tl_pt_v1_next(struct tl_pt_decoder *decoder, struct tl_pt_block *block)
{
	struct tl_pt_block next;

	if (!decoder->v1.have_block && !take(decoder, &decoder->v1.block))
		return -(int)decoder->failure.error;
	decoder->v1.have_block = take(decoder, &next);
	*block = decoder->v1.block;
	if (decoder->v1.have_block)
		decoder->v1.block = next;
	else
		decoder->v1.block.flags = 0;
	return tl_pt_status_now(decoder);
}
