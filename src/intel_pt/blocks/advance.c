/* SPDX-License-Identifier: Apache-2.0 */
/* Flow item after flow item, up to the next event or error. */
#include "intel_pt/blocks/decoder.h"

/* ---- times ---- */

static void begin_times(struct tl_pt_decoder *decoder, const uint32_t *begin)
{
	struct tl_pt_node_times *times = &decoder->making.times;

	times->begin = begin;
	times->count = 0;
	if (!times->list)
		return;
	times->list[times->count] = decoder->making.last;
	times->list[times->count++].index = 0;
}

/* ---- items ---- */

typedef enum tl_pt_stop item_fn(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/* A tick comes behind the first branch of its packet: the other outcomes wait until then (5.8). */
static void prepare_tick(struct tl_pt_decoder *decoder)
{
	struct tl_pt_event *tick = &decoder->tick.event;

	if (!decoder->item.flow.tick)
		return;
	*tick = (struct tl_pt_event){ .kind = TL_PT_EV_TICK,
				      .offset = decoder->item.flow.offset,
				      .has_tsc = true };
	tl_pt_flow_time(&decoder->flow, &tick->tsc, &tick->lost_mtc, &tick->lost_cyc);
	tick->cycles = decoder->flow.time.count;
	decoder->tick.pending = true;
	if (!decoder->trace.count)
		return;
	decoder->tick.count = decoder->trace.count - 1;
	decoder->tick.bits = decoder->trace.bits;
	decoder->trace.bits >>= decoder->tick.count;
	decoder->trace.count = 1;
}

/* Give the pending tick, if its branch has been given. */
static enum tl_pt_stop give_tick(struct tl_pt_decoder *decoder, const struct tl_pt_out *out,
				 const uint32_t *begin)
{
	if (out->pos != begin)
		decoder->tick.event.ip = decoder->graph.blocks[out->pos[-1]].end_ip;
	if (decoder->trace.count || decoder->trace.tip_pending)
		return TL_PT_STOP_GO;
	decoder->tick.pending = false;
	decoder->trace.bits = decoder->tick.bits;
	decoder->trace.count = decoder->tick.count;
	decoder->tick.count = 0;
	decoder->events.was_enabled = tl_pt_is_enabled(decoder);
	decoder->events.next = decoder->tick.event;
	decoder->events.pending = true;
	return TL_PT_STOP_EVENT;
}

static enum tl_pt_stop take_tnt(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	if (decoder->trace.count || decoder->trace.tip_pending || !tl_pt_is_enabled(decoder))
		return tl_pt_mismatch(decoder, out);
	decoder->trace.bits = decoder->item.flow.bits;
	decoder->trace.count = decoder->item.flow.count;
	decoder->trace.taken = decoder->flow.begin + decoder->item.flow.offset;
	decoder->trace.taken_end = decoder->flow.pos;
	prepare_tick(decoder);
	return TL_PT_STOP_GO;
}

static enum tl_pt_stop take_tip(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	if (decoder->trace.tip_pending || !tl_pt_is_enabled(decoder))
		return tl_pt_mismatch(decoder, out);
	decoder->trace.target = decoder->item.flow.ip;
	decoder->trace.tip_suppressed = decoder->item.flow.suppressed;
	decoder->trace.tip_pending = true;
	if (!decoder->trace.count) {
		decoder->trace.taken = decoder->flow.begin + decoder->item.flow.offset;
		decoder->trace.taken_end = decoder->flow.pos;
		prepare_tick(decoder);
	}
	return TL_PT_STOP_GO;
}

/* At the end of the trace blocks go on as long as they need no outcome or target (9.11). */
static enum tl_pt_stop take_end(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	/* tl_pt_decoder_set_end() may move the end later: the position stays as it is. */
	if (decoder->flow.end != decoder->config.end)
		return tl_pt_fail(decoder, TL_PT_EOS, decoder->item.flow.offset);
	if (!decoder->eos) {
		decoder->eos = true;
		return TL_PT_STOP_FULL;
	}
	if (tl_pt_is_enabled(decoder) && decoder->pos.node != TL_PT_NODE_BEHIND &&
	    !decoder->trace.tip_pending) {
		enum tl_pt_stop stop = tl_pt_walk_to_branch(decoder, out);

		if (stop == TL_PT_STOP_FULL)
			return stop;
		/* An endless loop ends here, too, and is not an error. */
		if (stop == TL_PT_STOP_ERROR && decoder->failure.error != TL_PT_BAD_QUERY)
			return stop;
	}
	return tl_pt_fail(decoder, TL_PT_EOS, decoder->item.flow.offset);
}

static enum tl_pt_stop take_error(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	(void)out;
	return tl_pt_fail(decoder, decoder->item.flow.error, decoder->item.flow.offset);
}

static item_fn *const take_fns[] = {
	[TL_PT_FLOW_ITEM_TNT] = take_tnt,           [TL_PT_FLOW_ITEM_TIP] = take_tip,
	[TL_PT_FLOW_ITEM_EVENT] = tl_pt_take_event, [TL_PT_FLOW_ITEM_END] = take_end,
	[TL_PT_FLOW_ITEM_ERROR] = take_error,
};

static void next_item(struct tl_pt_decoder *decoder, const struct tl_pt_out *out)
{
	tl_pt_flow_next(&decoder->flow, &decoder->item.flow);
	decoder->item.present = true;
	/* An event is stamped where it is bound (take_item()), other items here. */
	if (decoder->item.flow.kind != TL_PT_FLOW_ITEM_EVENT)
		tl_pt_note_time(decoder, out->pos);
}

/* The state at the beginning of a segment is known behind its PSB+. */
static void note_beginning(struct tl_pt_decoder *decoder)
{
	const struct tl_pt_event *event = &decoder->item.flow.event;
	struct tl_pt_psb_state *psb_state = &decoder->bounds.begin_state;

	if (decoder->item.flow.kind == TL_PT_FLOW_ITEM_EVENT && event->status_update) {
		psb_state->has_mode |= event->kind == TL_PT_EV_EXEC_MODE;
		psb_state->has_paging |= event->kind == TL_PT_EV_ASYNC_PAGING;
		psb_state->has_vmcs |= event->kind == TL_PT_EV_ASYNC_VMCS;
		psb_state->has_tsx |= event->kind == TL_PT_EV_TSX;
		if (event->kind == TL_PT_EV_ENABLED || event->kind == TL_PT_EV_DISABLED) {
			psb_state->ip = event->ip;
			psb_state->time = decoder->flow.time;
		}
		return;
	}
	decoder->bounds.began = true;
	psb_state->on = tl_pt_is_enabled(decoder);
	psb_state->speculative = decoder->pos.speculative;
	psb_state->mode = tl_pt_graph_mode(&decoder->graph);
	psb_state->asid = decoder->graph.asid;
}

/* Take the next item of the flow: all that the walk along TNT and TIP cannot take. */
static enum tl_pt_stop take_item(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	enum tl_pt_stop stop;

	if (!decoder->item.present && tl_pt_node_times_full(decoder))
		return TL_PT_STOP_FULL;
	if (!decoder->item.present)
		next_item(decoder, out);
	if (!tl_pt_graph_has_room(&decoder->graph)) {
		decoder->graph.full = true;
		return TL_PT_STOP_FULL;
	}
	if (decoder->boundary.pending && !tl_pt_before_psb_boundary(&decoder->item.flow)) {
		stop = tl_pt_take_psb_boundary(decoder, out);
		if (stop != TL_PT_STOP_GO)
			return stop;
	}
	if (decoder->bounds.joining && !decoder->bounds.began)
		note_beginning(decoder);
	/* Behind the end of a segment only the event of its PSB boundary may come. */
	if (decoder->item.flow.offset >= decoder->bounds.end &&
	    decoder->item.flow.kind != TL_PT_FLOW_ITEM_EVENT)
		return tl_pt_fail(decoder, TL_PT_EOS, decoder->item.flow.offset);
	decoder->item.location_offset = decoder->item.flow.offset;
	stop = take_fns[decoder->item.flow.kind](decoder, out);
	if (stop == TL_PT_STOP_GO || stop == TL_PT_STOP_EVENT) {
		if (decoder->item.flow.kind == TL_PT_FLOW_ITEM_EVENT)
			tl_pt_note_time(decoder, out->pos);
		decoder->item.present = false;
		decoder->pos.idle = 0;
	}
	return stop;
}

/* With TL_PT_SALVAGE an error becomes an event. False: it stays an error. */
static bool salvage(struct tl_pt_decoder *decoder)
{
	if (!tl_pt_may_salvage(decoder))
		return false;
	decoder->events.was_enabled = false;
	tl_pt_recover(decoder, &decoder->events.next);
	decoder->events.pending = true;
	return !decoder->failure.error;
}

/* Give an event that a recovery has queued. */
static bool give_queued(struct tl_pt_decoder *decoder)
{
	if (!decoder->events.queue_count)
		return false;
	decoder->events.next = decoder->events.queue[decoder->events.queue_first++];
	decoder->events.pending = true;
	decoder->events.was_enabled = false;
	if (!--decoder->events.queue_count)
		decoder->events.queue_first = 0;
	return true;
}

static bool may_walk(const struct tl_pt_decoder *decoder)
{
	return tl_pt_is_enabled(decoder) && !decoder->item.present && !decoder->boundary.pending;
}

enum tl_pt_stop tl_pt_advance(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	uint32_t *begin = out->pos;
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	if (decoder->failure.error && !salvage(decoder))
		return TL_PT_STOP_ERROR;
	if (decoder->events.pending)
		return TL_PT_STOP_EVENT;
	decoder->making.speculative = decoder->pos.speculative;
	begin_times(decoder, begin);
	if (give_queued(decoder))
		return TL_PT_STOP_EVENT;
	while (stop == TL_PT_STOP_GO) {
		/*
		 * Numbers in the caller's batch must stay valid: drop nodes only where the batch is
		 * empty.
		 */
		if (out->pos == begin &&
		    (decoder->graph.full ||
		     tl_pt_graph_is_stale(&decoder->graph, decoder->code.image))) {
			if (decoder->bounds.pinned ||
			    decoder->passing.so_far.nodes != decoder->passing.told)
				return TL_PT_STOP_FULL;
			if (!tl_pt_drop_nodes(decoder))
				return TL_PT_STOP_ERROR;
		}
		if (may_walk(decoder))
			stop = tl_pt_walk(decoder, out);
		if (decoder->tick.pending && stop != TL_PT_STOP_ERROR &&
		    give_tick(decoder, out, begin) == TL_PT_STOP_EVENT)
			return TL_PT_STOP_EVENT;
		if (stop == TL_PT_STOP_GO || stop == TL_PT_STOP_NEED)
			stop = take_item(decoder, out);
		if (decoder->graph.no_memory)
			return tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.flow.offset);
		if (stop == TL_PT_STOP_FULL && out->pos == begin && decoder->graph.full)
			stop = TL_PT_STOP_GO;
	}
	return stop;
}
