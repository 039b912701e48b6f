/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes decoded ahead of the caller, and the state of the decoder as the caller sees it meanwhile.
 */
#include "intel_pt/blocks/decoder.h"

/* The clock at the node given last; that of the flow is ahead of it. */
const struct tl_pt_node_time *tl_pt_time_now(const struct tl_pt_decoder *decoder)
{
	const struct tl_pt_lookahead *batch = &decoder->ahead.batch;
	const struct tl_pt_node_time *found = &decoder->ahead.time;

	for (uint32_t i = 0; i < batch->time_count && batch->times[i].index < batch->at; i++)
		found = &batch->times[i];
	return found;
}

void tl_pt_lookahead_ready(struct tl_pt_decoder *decoder)
{
	struct tl_pt_lookahead *batch = &decoder->ahead.batch;
	bool plain = !batch->speculative && !batch->eos && !tl_pt_is_v1(decoder);

	batch->plain = plain ? batch->filled : 0;
}

void tl_pt_decode_ahead(struct tl_pt_decoder *decoder)
{
	struct tl_pt_lookahead *batch = &decoder->ahead.batch;
	size_t most = decoder->config.flags & TL_PT_CLASSIC ? TL_PT_LOOKAHEAD_CLASSIC
							    : TL_PT_LOOKAHEAD_NODES;
	struct tl_pt_out out = { decoder->ahead.nodes, decoder->ahead.nodes + most };

	decoder->making.times = (struct tl_pt_node_times){ .list = decoder->ahead.times,
							   .most = TL_PT_LOOKAHEAD_NODES };
	/*
	 * An event behind these nodes may change the address space; until it is given, callers see
	 * this one.
	 */
	if (!decoder->events.pending)
		decoder->ahead.asid = decoder->graph.asid;
	*batch = (struct tl_pt_lookahead){ .ids = decoder->ahead.nodes,
					   .times = decoder->ahead.times,
					   .eos = decoder->eos };
	batch->stop = tl_pt_advance(decoder, &out);
	batch->speculative = decoder->making.speculative;
	batch->time_count = decoder->making.times.count;
	batch->filled = (uint32_t)(out.pos - decoder->ahead.nodes);
	batch->passed = decoder->passing.so_far;
	if (decoder->passing.on) {
		batch->insns = batch->ids + TL_PT_LOOKAHEAD_NODES;
		batch->before = batch->insns + TL_PT_LOOKAHEAD_NODES;
	}
	tl_pt_lookahead_ready(decoder);
}

/*
 * Whether to decode another batch: an empty one only made room, or its error will become an event.
 * What was passed over is told first.
 */
static bool goes_on(const struct tl_pt_decoder *decoder)
{
	if (decoder->passing.so_far.nodes != decoder->passing.told)
		return false;
	if (decoder->ahead.batch.stop == TL_PT_STOP_ERROR)
		return decoder->failure.error && tl_pt_may_salvage(decoder);
	return decoder->ahead.batch.stop == TL_PT_STOP_FULL;
}

void tl_pt_lookahead_fill(struct tl_pt_decoder *decoder)
{
	struct tl_pt_lookahead *batch = &decoder->ahead.batch;

	if (batch->at < batch->filled)
		return;
	if (batch->at)
		decoder->ahead.time = *tl_pt_time_now(decoder);
	decoder->passing.told = decoder->passing.so_far.nodes;
	do
		if (decoder->parallel.threads)
			decoder->parallel.ops->fill(decoder);
		else
			tl_pt_decode_ahead(decoder);
	while (!batch->filled && goes_on(decoder));
}

static int suppressed(bool enabled)
{
	return enabled ? 0 : TL_PT_STATUS_IP_SUPPRESSED;
}

/* The status where no event is pending and no node is left. */
static int end_status(const struct tl_pt_decoder *decoder)
{
	int status = suppressed(tl_pt_is_enabled(decoder));

	if (decoder->eos)
		status |= TL_PT_END_OF_STREAM;
	return status;
}

static int v1_status(const struct tl_pt_decoder *decoder)
{
	/* The block that is held back comes next. */
	if (decoder->v1.have_block)
		return 0;
	return end_status(decoder);
}

/* The end of the stream is in the status unless an event comes first ("pt_blk_next"). */
int tl_pt_status_now(const struct tl_pt_decoder *decoder)
{
	if (tl_pt_is_v1(decoder))
		return v1_status(decoder);
	if (decoder->ahead.batch.at < decoder->ahead.batch.filled)
		return decoder->ahead.batch.eos ? TL_PT_END_OF_STREAM : 0;
	if (decoder->events.pending)
		return TL_PT_EVENT_PENDING | suppressed(decoder->events.was_enabled);
	return end_status(decoder);
}

int tl_pt_next_node(struct tl_pt_decoder *decoder, uint32_t *number)
{
	if (!tl_pt_is_synced(decoder))
		return -TL_PT_NOSYNC;
	tl_pt_lookahead_fill(decoder);
	if (decoder->ahead.batch.at == decoder->ahead.batch.filled && decoder->events.pending)
		return -TL_PT_EVENT_IGNORED;
	if (decoder->ahead.batch.at == decoder->ahead.batch.filled)
		return -(int)decoder->failure.error;
	*number = decoder->ahead.batch.ids[decoder->ahead.batch.at++];
	return 0;
}
