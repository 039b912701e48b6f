/* SPDX-License-Identifier: Apache-2.0 */
/* Items one after the other, as far as the next event or error. */
#include "intel_pt/blocks/decoder.h"

/* ---- the walk in addresses, while its nodes change ---- */

static void begin_moments(struct tl_pt_decoder *decoder, const uint32_t *begin)
{
	struct tl_pt_node_times *moments = &decoder->moments;

	moments->begin = begin;
	moments->count = 0;
	if (!moments->list)
		return;
	moments->list[moments->count] = decoder->noted;
	moments->list[moments->count++].index = 0;
}

/* ---- items ---- */

typedef enum tl_pt_stop item_fn(struct tl_pt_decoder *decoder, struct tl_pt_out *out);

/* A tick comes behind the first branch of its packet: the other outcomes wait (5.8). */
static void prepare_tick(struct tl_pt_decoder *decoder)
{
	struct tl_pt_event *tick = &decoder->tick;

	if (!decoder->item.tick)
		return;
	*tick = (struct tl_pt_event){ .kind = TL_PT_EV_TICK,
				      .offset = decoder->item.offset,
				      .has_tsc = true };
	tl_pt_flow_time(&decoder->flow, &tick->tsc, &tick->lost_mtc, &tick->lost_cyc);
	tick->cycles = decoder->flow.time.count;
	decoder->have_tick = true;
	if (!decoder->count)
		return;
	decoder->rest_count = decoder->count - 1;
	decoder->rest_bits = decoder->bits;
	decoder->bits >>= decoder->rest_count;
	decoder->count = 1;
}

/* The branch has been given, with the others of its run. */
static enum tl_pt_stop give_tick(struct tl_pt_decoder *decoder, const struct tl_pt_out *out,
				 const uint32_t *begin)
{
	if (out->pos != begin)
		decoder->tick.ip = decoder->graph.blocks[out->pos[-1]].end_ip;
	if (decoder->count || decoder->tip_pending)
		return TL_PT_STOP_GO;
	decoder->have_tick = false;
	decoder->bits = decoder->rest_bits;
	decoder->count = decoder->rest_count;
	decoder->rest_count = 0;
	decoder->was_on = decoder->on;
	decoder->due = decoder->tick;
	decoder->is_due = true;
	return TL_PT_STOP_EVENT;
}

static enum tl_pt_stop take_tnt(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	if (decoder->count || decoder->tip_pending || !decoder->on)
		return tl_pt_mismatch(decoder, out);
	decoder->bits = decoder->item.bits;
	decoder->count = decoder->item.count;
	decoder->taken = decoder->flow.begin + decoder->item.offset;
	decoder->taken_end = decoder->flow.pos;
	prepare_tick(decoder);
	return TL_PT_STOP_GO;
}

static enum tl_pt_stop take_tip(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	if (decoder->tip_pending || !decoder->on)
		return tl_pt_mismatch(decoder, out);
	decoder->target = decoder->item.ip;
	decoder->tip_suppressed = decoder->item.suppressed;
	decoder->tip_pending = true;
	if (!decoder->count) {
		decoder->taken = decoder->flow.begin + decoder->item.offset;
		decoder->taken_end = decoder->flow.pos;
		prepare_tick(decoder);
	}
	return TL_PT_STOP_GO;
}

/* Blocks go on as long as they need no trace (9.11). */
static enum tl_pt_stop take_end(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	/* More may be allowed later: the walk stays where it is (tl_pt_decoder_set_end()). */
	if (decoder->flow.end != decoder->config.end)
		return tl_pt_fail(decoder, TL_PT_EOS, decoder->item.offset);
	if (!decoder->eos) {
		decoder->eos = true;
		return TL_PT_STOP_FULL;
	}
	if (decoder->on && decoder->cur != TL_PT_NODE_BEHIND && !decoder->tip_pending) {
		enum tl_pt_stop stop = tl_pt_walk_to_branch(decoder, out);

		if (stop == TL_PT_STOP_FULL)
			return stop;
		/* An endless loop ends here, too. */
		if (stop == TL_PT_STOP_ERROR && decoder->error != TL_PT_BAD_QUERY)
			return stop;
	}
	return tl_pt_fail(decoder, TL_PT_EOS, decoder->item.offset);
}

static enum tl_pt_stop take_error(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	(void)out;
	return tl_pt_fail(decoder, decoder->item.error, decoder->item.offset);
}

static item_fn *const takers[] = {
	[TL_PT_FLOW_ITEM_TNT] = take_tnt,           [TL_PT_FLOW_ITEM_TIP] = take_tip,
	[TL_PT_FLOW_ITEM_EVENT] = tl_pt_take_event, [TL_PT_FLOW_ITEM_END] = take_end,
	[TL_PT_FLOW_ITEM_ERROR] = take_error,
};

static void next_item(struct tl_pt_decoder *decoder, const struct tl_pt_out *out)
{
	tl_pt_flow_next(&decoder->flow, &decoder->item);
	decoder->have_item = true;
	/* What is bound to a place is used there. */
	if (decoder->item.kind != TL_PT_FLOW_ITEM_EVENT)
		tl_pt_note_time(decoder, out->pos);
}

/* The beginning of a piece is known when its PSB+ has said all it says. */
static void note_beginning(struct tl_pt_decoder *decoder)
{
	const struct tl_pt_event *event = &decoder->item.event;
	struct tl_pt_psb_state *psb_state = &decoder->part.begin_state;

	if (decoder->item.kind == TL_PT_FLOW_ITEM_EVENT && event->status_update) {
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
	decoder->part.began = true;
	psb_state->on = decoder->on;
	psb_state->speculative = decoder->speculative;
	psb_state->mode = tl_pt_graph_mode(&decoder->graph);
	psb_state->asid = decoder->graph.asid;
}

/* What the walk cannot take itself. */
static enum tl_pt_stop take_item(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	enum tl_pt_stop stop;

	if (!decoder->have_item && tl_pt_node_times_full(decoder))
		return TL_PT_STOP_FULL;
	if (!decoder->have_item)
		next_item(decoder, out);
	if (!tl_pt_graph_has_room(&decoder->graph)) {
		decoder->graph.full = true;
		return TL_PT_STOP_FULL;
	}
	if (decoder->border && !tl_pt_before_psb_boundary(&decoder->item)) {
		stop = tl_pt_take_psb_boundary(decoder, out);
		if (stop != TL_PT_STOP_GO)
			return stop;
	}
	if (decoder->part.joining && !decoder->part.began)
		note_beginning(decoder);
	/* Beyond the end of a piece only its border will do. */
	if (decoder->item.offset >= decoder->part.end &&
	    decoder->item.kind != TL_PT_FLOW_ITEM_EVENT)
		return tl_pt_fail(decoder, TL_PT_EOS, decoder->item.offset);
	decoder->place_offset = decoder->item.offset;
	stop = takers[decoder->item.kind](decoder, out);
	if (stop == TL_PT_STOP_GO || stop == TL_PT_STOP_EVENT) {
		if (decoder->item.kind == TL_PT_FLOW_ITEM_EVENT)
			tl_pt_note_time(decoder, out->pos);
		decoder->have_item = false;
		decoder->idle = 0;
	}
	return stop;
}

/* With TL_PT_SALVAGE an error is an event. */
static bool salvage(struct tl_pt_decoder *decoder)
{
	if (!tl_pt_may_salvage(decoder))
		return false;
	decoder->was_on = false;
	tl_pt_recover(decoder, &decoder->due);
	decoder->is_due = true;
	return !decoder->error;
}

/* What was met on the way to the place where flow goes on. */
static bool give_kept(struct tl_pt_decoder *decoder)
{
	if (!decoder->kept_count)
		return false;
	decoder->due = decoder->kept[decoder->kept_first++];
	decoder->is_due = true;
	decoder->was_on = false;
	if (!--decoder->kept_count)
		decoder->kept_first = 0;
	return true;
}

static bool may_walk(const struct tl_pt_decoder *decoder)
{
	return decoder->on && !decoder->have_item && !decoder->border;
}

enum tl_pt_stop tl_pt_advance(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	uint32_t *begin = out->pos;
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	if (decoder->error && !salvage(decoder))
		return TL_PT_STOP_ERROR;
	if (decoder->is_due)
		return TL_PT_STOP_EVENT;
	decoder->run_speculative = decoder->speculative;
	begin_moments(decoder, begin);
	if (give_kept(decoder))
		return TL_PT_STOP_EVENT;
	while (stop == TL_PT_STOP_GO) {
		/* Numbers that were given stay good until the next run. */
		if (out->pos == begin && (decoder->graph.full ||
					  tl_pt_graph_is_stale(&decoder->graph, decoder->image))) {
			if (decoder->part.pinned)
				return TL_PT_STOP_FULL;
			if (!tl_pt_drop_nodes(decoder))
				return TL_PT_STOP_ERROR;
		}
		if (may_walk(decoder))
			stop = tl_pt_walk(decoder, out);
		if (decoder->have_tick && stop != TL_PT_STOP_ERROR &&
		    give_tick(decoder, out, begin) == TL_PT_STOP_EVENT)
			return TL_PT_STOP_EVENT;
		if (stop == TL_PT_STOP_GO || stop == TL_PT_STOP_NEED)
			stop = take_item(decoder, out);
		if (decoder->graph.no_memory)
			return tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.offset);
		if (stop == TL_PT_STOP_FULL && out->pos == begin && decoder->graph.full)
			stop = TL_PT_STOP_GO;
	}
	return stop;
}
