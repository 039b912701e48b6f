/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and runs of nodes, served from nodes decoded ahead. */
#include <string.h>

#include "intel_pt/decoder.h"

void tl_pt_ahead(struct tl_pt_decoder *decoder)
{
	if (decoder->at < decoder->filled)
		return;
	do {
		struct tl_pt_out out = { decoder->ids, decoder->ids + TL_PT_RUN };

		decoder->moments = (struct tl_pt_moments){ .list = decoder->times, .most = TL_PT_RUN };
		decoder->ids_eos = decoder->eos;
		decoder->stop = tl_pt_run_on(decoder, &out);
		decoder->ids_speculative = decoder->run_speculative;
		decoder->time_count = decoder->moments.count;
		decoder->at = 0;
		decoder->filled = (uint32_t)(out.pos - decoder->ids);
	} while (!decoder->filled && decoder->stop == TL_PT_STOP_FULL);
}

/* End of stream is told when no event comes before it ("pt_blk_next"). */
int tl_pt_status_now(const struct tl_pt_decoder *decoder)
{
	if (tl_pt_folds(decoder))
		return tl_pt_folded_status(decoder);
	if (decoder->at < decoder->filled)
		return decoder->ids_eos ? TL_PT_END_OF_STREAM : 0;
	if (decoder->is_due)
		return TL_PT_EVENT_PENDING | (decoder->was_on ? 0 : TL_PT_STATUS_IP_SUPPRESSED);
	return (decoder->on ? 0 : TL_PT_STATUS_IP_SUPPRESSED) | (decoder->eos ? TL_PT_END_OF_STREAM : 0);
}

int tl_pt_next_node(struct tl_pt_decoder *decoder, uint32_t *number)
{
	if (!decoder->synced)
		return -TL_PT_NOSYNC;
	tl_pt_ahead(decoder);
	if (decoder->at == decoder->filled)
		return decoder->is_due ? -TL_PT_EVENT_IGNORED : -(int)decoder->error;
	*number = decoder->ids[decoder->at++];
	return 0;
}

static void give(const struct tl_pt_decoder *decoder, uint32_t number, struct tl_pt_block *block)
{
	*block = decoder->graph.nodes[number].block;
	if (decoder->ids_speculative)
		block->flags |= TL_PT_SPECULATIVE;
}

int tl_pt_block_next(struct tl_pt_decoder *decoder, struct tl_pt_block *block)
{
	uint32_t number = 0;
	int status;

	if (!decoder || !block)
		return -TL_PT_INVALID;
	if (tl_pt_folds(decoder))
		return decoder->synced ? tl_pt_folded_next(decoder, block) : -TL_PT_NOSYNC;
	/* The common case: there are more to come of those decoded ahead, so nothing is due yet. */
	if (decoder->at + 1 < decoder->filled) {
		give(decoder, decoder->ids[decoder->at++], block);
		return decoder->ids_eos ? TL_PT_END_OF_STREAM : 0;
	}
	status = tl_pt_next_node(decoder, &number);
	if (status < 0)
		return status;
	give(decoder, number, block);
	tl_pt_ahead(decoder);
	return tl_pt_status_now(decoder);
}

static int64_t folded_blocks(struct tl_pt_decoder *decoder, struct tl_pt_block *blocks, size_t max, int *status)
{
	size_t count = 0;
	int last = 0;

	while (count < max && last >= 0) {
		last = tl_pt_folded_next(decoder, &blocks[count]);
		count += last >= 0;
	}
	*status = tl_pt_folded_status(decoder);
	return count ? (int64_t)count : last;
}

int64_t tl_pt_blocks(struct tl_pt_decoder *decoder, struct tl_pt_block *blocks, size_t max, int *status)
{
	size_t count = 0;

	if (!decoder || !blocks || !max || !status)
		return -TL_PT_INVALID;
	if (!decoder->synced)
		return -TL_PT_NOSYNC;
	if (tl_pt_folds(decoder))
		return folded_blocks(decoder, blocks, max, status);
	while (count < max) {
		size_t take;

		tl_pt_ahead(decoder);
		take = decoder->filled - decoder->at;
		if (!take)
			break;
		if (take > max - count)
			take = max - count;
		for (size_t i = 0; i < take; i++)
			give(decoder, decoder->ids[decoder->at + i], &blocks[count + i]);
		decoder->at += (uint32_t)take;
		count += take;
		if (decoder->at == decoder->filled && decoder->stop != TL_PT_STOP_FULL)
			break;
	}
	*status = tl_pt_status_now(decoder);
	if (!count && !decoder->is_due)
		return -(int64_t)decoder->error;
	return (int64_t)count;
}

/* ---- runs of nodes ---- */

/*
 * The moments of the next `take` nodes as marks of the run, the one that holds at its beginning first. Returns how many
 * nodes there are marks enough for.
 */
static uint32_t give_marks(const struct tl_pt_decoder *decoder, struct tl_pt_run *run, uint32_t take)
{
	uint32_t end = decoder->at + take;

	for (uint32_t i = 0; i < decoder->time_count && decoder->times[i].index < end; i++) {
		const struct tl_pt_moment *moment = &decoder->times[i];
		bool before = moment->index <= decoder->at;

		if (before)
			run->mark_count = 0;
		if (run->mark_count == run->max_marks)
			return moment->index - decoder->at;
		run->marks[run->mark_count++] = (struct tl_pt_mark){
			before ? 0 : moment->index - decoder->at, moment->lost_mtc + moment->lost_cyc, moment->tsc
		};
	}
	return take;
}

int tl_pt_nodes(struct tl_pt_decoder *decoder, struct tl_pt_run *run)
{
	uint32_t take;

	if (!decoder || !run || !run->nodes || !run->max || (run->marks && !run->max_marks))
		return -TL_PT_INVALID;
	if (!decoder->synced)
		return -TL_PT_NOSYNC;
	run->count = run->mark_count = 0;
	tl_pt_ahead(decoder);
	take = decoder->filled - decoder->at;
	if (take > run->max)
		take = (uint32_t)run->max;
	if (run->marks)
		take = give_marks(decoder, run, take);
	memcpy(run->nodes, decoder->ids + decoder->at, take * sizeof(*run->nodes));
	decoder->at += take;
	run->count = take;
	run->flags = decoder->ids_speculative ? TL_PT_SPECULATIVE : 0;
	run->status = tl_pt_status_now(decoder);
	run->limit = decoder->graph.count;
	run->epoch = decoder->graph.epoch;
	return !take && !decoder->is_due ? -(int)decoder->error : 0;
}

const struct tl_pt_block *tl_pt_node_block(const struct tl_pt_decoder *decoder, uint32_t node)
{
	if (!decoder || node < TL_PT_NODE_FIRST || node >= decoder->graph.count)
		return NULL;
	return &decoder->graph.nodes[node].block;
}
