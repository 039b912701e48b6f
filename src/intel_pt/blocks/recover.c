/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Behind an error of the flow or of the walk: to the next item that says where flow goes on (9.9).
 */
#include "intel_pt/blocks/decoder.h"

static bool moves_flow(enum tl_pt_event_kind kind)
{
	return kind == TL_PT_EV_ENABLED || kind == TL_PT_EV_OVERFLOW ||
	       kind == TL_PT_EV_ASYNC_BRANCH;
}

/* Set the position to the location that an item gives. False: it gives none. */
static bool set_position(struct tl_pt_decoder *decoder, const struct tl_pt_flow_item *item)
{
	bool on;
	uint64_t ip;

	if (!tl_pt_gives_ip(&decoder->flow, item, &on, &ip))
		return false;
	/*
	 * Events that move the flow set the position when they are taken, as if tracing had been
	 * off before. Others leave it: it is the address of the event.
	 */
	if (item->kind == TL_PT_FLOW_ITEM_EVENT) {
		bool here = on && !moves_flow(item->event.kind);

		/* The walk that failed may have been the one to this event's location. */
		if (here && decoder->events.located_at == item->offset + 1)
			return false;
		decoder->events.located_at = item->offset + 1;
		if (here && tl_pt_set_ip(decoder, ip))
			decoder->pos.tracing = TL_PT_TRACING_ON;
		else
			decoder->pos.tracing = TL_PT_TRACING_UNKNOWN;
		return true;
	}
	decoder->item.present = false;
	if (on && tl_pt_set_ip(decoder, ip))
		decoder->pos.tracing = TL_PT_TRACING_ON;
	else
		decoder->pos.tracing = TL_PT_TRACING_OFF;
	return true;
}

static bool queue(struct tl_pt_decoder *decoder, const struct tl_pt_event *event)
{
	if (decoder->events.queue_count == TL_PT_QUEUED_MAX)
		return false;
	decoder->events.queue[decoder->events.queue_count++] = *event;
	return true;
}

/*
 * Queue an event that gives no location: its own was on the walk that failed, so it is given
 * without one. False: it is lost.
 */
static bool queue_unlocated(struct tl_pt_decoder *decoder, struct tl_pt_flow_item *item)
{
	struct tl_pt_event *event = &item->event;

	if (item->kind != TL_PT_FLOW_ITEM_EVENT || event->kind == TL_PT_EV_ASYNC_BRANCH ||
	    event->status_update || !tl_pt_apply_anywhere(decoder, event))
		return false;
	event->ip_suppressed = true;
	event->ip = 0;
	return queue(decoder, event);
}

/*
 * Tracing is turned on, so it was turned off before, but the packet that says so is lost: queue an
 * event for it. With TL_PT_SALVAGE the TL_PT_EV_LOST event stands for it.
 */
static void queue_disable(struct tl_pt_decoder *decoder, bool was_on)
{
	struct tl_pt_event event = decoder->item.flow.event;
	bool enabled = decoder->item.present && decoder->item.flow.kind == TL_PT_FLOW_ITEM_EVENT &&
		       event.kind == TL_PT_EV_ENABLED && !event.status_update;

	if (!enabled || !was_on || decoder->events.queue_count ||
	    decoder->config.flags & TL_PT_SALVAGE)
		return;
	event = (struct tl_pt_event){ .kind = TL_PT_EV_DISABLED,
				      .ip_suppressed = true,
				      .offset = event.offset,
				      .has_tsc = event.has_tsc,
				      .tsc = event.tsc,
				      .lost_mtc = event.lost_mtc,
				      .lost_cyc = event.lost_cyc,
				      .cycles = event.cycles };
	queue(decoder, &event);
}

static void count_lost(const struct tl_pt_flow_item *item, struct tl_pt_event *lost)
{
	lost->lost.packets++;
	if (item->kind == TL_PT_FLOW_ITEM_TNT)
		lost->lost.outcomes += item->count;
}

/* A flow that failed searches for a location itself; the packets that it skips are lost, too. */
static bool resync_flow(struct tl_pt_decoder *decoder, struct tl_pt_event *lost)
{
	struct tl_pt_event more = { .offset = 0 };
	int status = tl_pt_flow_resync(&decoder->flow, &more);

	lost->lost.packets += more.lost.packets;
	lost->lost.outcomes += more.lost.outcomes;
	lost->lost.to = more.lost.to;
	decoder->item.present = false;
	return status == 0;
}

static bool search(struct tl_pt_decoder *decoder, struct tl_pt_event *lost)
{
	struct tl_pt_flow_item *item = &decoder->item.flow;

	for (;;) {
		if (!decoder->item.present)
			tl_pt_flow_next(&decoder->flow, item);
		decoder->item.present = true;
		lost->lost.to = item->offset;
		if (set_position(decoder, item))
			return true;
		if (item->kind == TL_PT_FLOW_ITEM_END)
			return false;
		if (item->kind == TL_PT_FLOW_ITEM_ERROR) {
			if (!resync_flow(decoder, lost))
				return false;
			continue;
		}
		if (!queue_unlocated(decoder, item))
			count_lost(item, lost);
		decoder->item.present = false;
	}
}

bool tl_pt_recover(struct tl_pt_decoder *decoder, struct tl_pt_event *lost)
{
	bool found, was_on = tl_pt_is_enabled(decoder),
		    has_target = decoder->trace.tip_pending && !decoder->trace.tip_suppressed;
	uint64_t at = 0;

	if (was_on && decoder->pos.node >= TL_PT_NODE_FIRST)
		at = decoder->graph.blocks[decoder->pos.node].ip;
	*lost = (struct tl_pt_event){ .kind = TL_PT_EV_LOST,
				      .ip_suppressed = true,
				      .offset = decoder->failure.offset };
	lost->lost.from = decoder->failure.offset;
	lost->lost.why = decoder->failure.error;
	lost->lost.outcomes = decoder->trace.count;
	if (was_on)
		decoder->pos.tracing = TL_PT_TRACING_OFF;
	decoder->events.queue_first = decoder->events.queue_count = 0;
	decoder->pos.speculative = false;
	decoder->pos.resume_known = decoder->bounds.inherits = false;
	decoder->bounds.began = true;
	decoder->failure.error = TL_PT_OK;
	tl_pt_position_reset(decoder);
	/* A target was read, but its branch was not found: flow goes on at the target. */
	if (has_target && decoder->flow.begin + decoder->failure.offset < decoder->flow.pos) {
		lost->lost.to = (uint64_t)(decoder->flow.pos - decoder->flow.begin);
		decoder->item.present = false;
		decoder->pos.tracing = TL_PT_TRACING_ON;
		found = tl_pt_set_ip(decoder, decoder->trace.target);
	} else {
		found = search(decoder, lost);
		queue_disable(decoder, found && was_on);
	}
	if (tl_pt_is_enabled(decoder)) {
		lost->ip = decoder->graph.blocks[decoder->pos.node].ip;
		lost->ip_suppressed = false;
	}
	lost->lost.at = at;
	lost->has_tsc =
		!tl_pt_flow_time(&decoder->flow, &lost->tsc, &lost->lost_mtc, &lost->lost_cyc);
	lost->cycles = decoder->flow.time.count;
	return found;
}
