/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks and batches of nodes, served from the nodes decoded ahead. */
#include <string.h>

#include "intel_pt/blocks/decoder.h"
#include "core/arithmetic.h"

static void give_all(const struct tl_pt_decoder *decoder, struct tl_pt_block *restrict blocks,
		     size_t count)
{
	const struct tl_pt_block *restrict of = decoder->graph.blocks;
	const uint32_t *restrict ids = decoder->ahead.batch.ids + decoder->ahead.batch.at;

	for (size_t i = 0; i < count; i++)
		blocks[i] = of[ids[i]];
	for (size_t i = 0; i < count && decoder->ahead.batch.speculative; i++)
		blocks[i].flags |= TL_PT_SPECULATIVE;
}

/* All cases but tl_pt_give_fast(). Not inlined, so that the fast path needs no stack frame. */
static __attribute__((noinline)) int next_slowly(struct tl_pt_decoder *decoder,
						 struct tl_pt_block *block)
{
	uint32_t number = 0;
	int status;

	if (!decoder || !block)
		return -TL_PT_INVALID;
	if (tl_pt_is_v1(decoder))
		return tl_pt_is_synced(decoder) ? tl_pt_v1_next(decoder, block) : -TL_PT_NOSYNC;
	status = tl_pt_next_node(decoder, &number);
	if (status < 0)
		return status;
	tl_pt_give(decoder, number, block);
	tl_pt_lookahead_fill(decoder);
	return tl_pt_status_now(decoder);
}

int tl_pt_next_block(struct tl_pt_decoder *decoder, struct tl_pt_block *block)
{
	if (decoder && block && tl_pt_give_fast(decoder, block))
		return 0;
	return next_slowly(decoder, block);
}

static int64_t folded_blocks(struct tl_pt_decoder *decoder, struct tl_pt_block *blocks, size_t max,
			     int *status)
{
	size_t count = 0;
	int last = 0;

	while (count < max && last >= 0) {
		last = tl_pt_v1_next(decoder, &blocks[count]);
		count += last >= 0;
	}
	*status = tl_pt_status_now(decoder);
	return count ? (int64_t)count : last;
}

int64_t tl_pt_next_blocks(struct tl_pt_decoder *decoder, struct tl_pt_block *blocks, size_t max,
			  int *status)
{
	size_t count = 0;

	if (!decoder || !blocks || !max || !status)
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	if (tl_pt_is_v1(decoder))
		return folded_blocks(decoder, blocks, max, status);
	while (count < max) {
		size_t take;

		tl_pt_lookahead_fill(decoder);
		take = decoder->ahead.batch.filled - decoder->ahead.batch.at;
		if (!take)
			break;
		if (take > max - count)
			take = max - count;
		give_all(decoder, blocks + count, take);
		decoder->ahead.batch.at += (uint32_t)take;
		count += take;
		if (decoder->ahead.batch.at == decoder->ahead.batch.filled &&
		    decoder->ahead.batch.stop != TL_PT_STOP_FULL)
			break;
	}
	*status = tl_pt_status_now(decoder);
	if (!count && !decoder->events.pending)
		return -(int64_t)decoder->failure.error;
	return (int64_t)count;
}

/* ---- batches of nodes ---- */

/*
 * Copy the times of the next `take` nodes to the timestamps of the batch, the one valid at its
 * beginning first. Returns the number of nodes that all timestamps found room for.
 */
static uint32_t give_timestamps(const struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch,
				uint32_t take)
{
	uint32_t end = decoder->ahead.batch.at + take;

	for (uint32_t i = 0;
	     i < decoder->ahead.batch.time_count && decoder->ahead.batch.times[i].index < end;
	     i++) {
		const struct tl_pt_node_time *time = &decoder->ahead.batch.times[i];
		bool before = time->index <= decoder->ahead.batch.at;

		if (!time->have_tsc)
			continue;
		if (before)
			batch->timestamp_count = 0;
		if (batch->timestamp_count == batch->max_timestamps)
			return time->index - decoder->ahead.batch.at;
		batch->timestamps[batch->timestamp_count++] = (struct tl_pt_timestamp){
			before ? 0 : time->index - decoder->ahead.batch.at,
			time->lost_mtc + time->lost_cyc, time->tsc, time->cycles
		};
	}
	return take;
}

/*
 * Nodes above the limit were made by threads that decode in parallel, for segments not given yet.
 */
static uint32_t limit_of(const struct tl_pt_decoder *decoder)
{
	uint32_t count = tl_pt_graph_count(&decoder->graph);

	return tl_min(decoder->parallel.node_limit, count);
}

const struct tl_pt_node *tl_pt_find_node(const struct tl_pt_decoder *decoder, uint32_t number)
{
	if (number < TL_PT_NODE_FIRST || number >= limit_of(decoder))
		return NULL;
	return &decoder->graph.nodes[number];
}

int tl_pt_next_nodes(struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch)
{
	uint32_t take;

	if (!decoder || !batch || !batch->nodes || !batch->max ||
	    (batch->timestamps && !batch->max_timestamps))
		return -TL_PT_INVALID;
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	batch->count = batch->timestamp_count = 0;
	tl_pt_lookahead_fill(decoder);
	take = decoder->ahead.batch.filled - decoder->ahead.batch.at;
	if (take > batch->max)
		take = (uint32_t)batch->max;
	if (batch->timestamps)
		take = give_timestamps(decoder, batch, take);
	if (take)
		memcpy(batch->nodes, decoder->ahead.batch.ids + decoder->ahead.batch.at,
		       take * sizeof(*batch->nodes));
	decoder->ahead.batch.at += take;
	batch->count = take;
	batch->flags = decoder->ahead.batch.speculative ? TL_PT_SPECULATIVE : 0;
	batch->status = tl_pt_status_now(decoder);
	batch->limit = limit_of(decoder);
	batch->blocks = tl_pt_graph_blocks(&decoder->graph);
	batch->epoch = decoder->graph.epoch;
	return !take && !decoder->events.pending ? -(int)decoder->failure.error : 0;
}

/* ---- quiet nodes ---- */

bool tl_pt_pass_quiet(struct tl_pt_decoder *decoder)
{
	decoder->passing.on = !tl_pt_is_synced(decoder) && !tl_pt_is_v1(decoder) &&
			      !(decoder->config.flags & TL_PT_TICK_EVENTS);
	return decoder->passing.on;
}

/* The edges that a node has, by its kind. */
static int edges_of(enum tl_pt_node_kind kind)
{
	if (kind == TL_PT_NODE_COND || kind == TL_PT_NODE_COND_CALL)
		return 2;
	return kind == TL_PT_NODE_NEXT;
}

int tl_pt_node_edges(const struct tl_pt_decoder *decoder, uint32_t number, uint64_t to[2])
{
	const struct tl_pt_node *node = tl_pt_find_node(decoder, number);
	const struct tl_pt_block *blocks = decoder->graph.blocks;
	int count;

	if (!node || tl_pt_node_kind(node) >= TL_PT_NODE_STUB ||
	    blocks[number].ninsn > TL_PT_QUIET_MOST)
		return -1;
	count = edges_of(tl_pt_node_kind(node));
	for (int i = 0; i < count; i++)
		to[i] = blocks[tl_pt_edge_node(node->edge[i])].ip;
	return count;
}

void tl_pt_set_quiet(struct tl_pt_decoder *decoder, uint32_t number, unsigned edges)
{
	const unsigned insns = decoder->graph.blocks[number].ninsn;

	__atomic_store_n(&decoder->graph.nodes[number].quiet,
			 (uint8_t)(insns << TL_PT_QUIET_EDGES | edges), __ATOMIC_RELEASE);
}

/* What was passed over before the next node that is decoded ahead, of which there is one. */
static void pass_ahead(const struct tl_pt_lookahead *ahead, struct tl_pt_passed_nodes *passed)
{
	if (!ahead->insns)
		return;
	passed->insns = ahead->base + ahead->insns[ahead->at];
	passed->last = tl_pt_node_before(ahead->before[ahead->at]);
}

struct tl_pt_passed_nodes tl_pt_passed_so_far(const struct tl_pt_decoder *decoder)
{
	struct tl_pt_passed_nodes passed = decoder->passing.so_far;

	if (decoder->ahead.batch.at < decoder->ahead.batch.filled) {
		passed.nodes = decoder->passing.told;
		pass_ahead(&decoder->ahead.batch, &passed);
	}
	return passed;
}

/* What is told of the last `count` nodes that were given. */
static void give_loud(const struct tl_pt_decoder *decoder, const struct tl_pt_loud_nodes *loud,
		      size_t count)
{
	const struct tl_pt_lookahead *ahead = &decoder->ahead.batch;
	const size_t first = ahead->at - count;

	for (size_t i = 0; i < count; i++)
		loud->insns[i] = ahead->insns ? ahead->base + ahead->insns[first + i]
					      : decoder->passing.so_far.insns;
	for (size_t i = 0; i < count; i++)
		loud->before[i] = ahead->before ? ahead->before[first + i] : 0;
}

int tl_pt_next_loud_nodes(struct tl_pt_decoder *decoder, struct tl_pt_node_batch *batch,
			  const struct tl_pt_loud_nodes *loud, struct tl_pt_passed_nodes *behind)
{
	const struct tl_pt_lookahead *ahead = &decoder->ahead.batch;
	const int status = tl_pt_next_nodes(decoder, batch);

	if (status < 0)
		return status;
	give_loud(decoder, loud, batch->count);
	if (ahead->at == ahead->filled)
		*behind = ahead->passed;
	else
		pass_ahead(ahead, behind);
	return status;
}

const struct tl_pt_block *tl_pt_decoder_node_block(const struct tl_pt_decoder *decoder,
						   uint32_t node)
{
	return decoder && tl_pt_find_node(decoder, node) ? &decoder->graph.blocks[node] : NULL;
}
