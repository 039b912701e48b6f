/* SPDX-License-Identifier: Apache-2.0 */
/* Behind an error of the flow or of the walk: the next item that says where flow goes on (9.9). */
#include "intel_pt/decoder.h"

static bool moves_flow(enum tl_pt_event_kind kind)
{
	return kind == TL_PT_EV_ENABLED || kind == TL_PT_EV_OVERFLOW || kind == TL_PT_EV_ASYNC_BRANCH;
}

/* Go to where an item says. False: it did not. */
static bool stand(struct tl_pt_decoder *decoder, const struct tl_pt_item *item)
{
	bool on;
	uint64_t ip;

	if (!tl_pt_gives_place(&decoder->flow, item, &on, &ip))
		return false;
	decoder->settled = false;
	/* Events of flow say themselves where it goes on; they are taken as if tracing had been off. Others are here. */
	if (item->kind == TL_PT_ITEM_EVENT) {
		if (on && !moves_flow(item->event.kind))
			decoder->settled = decoder->on = tl_pt_stand_at(decoder, ip);
		return true;
	}
	decoder->have_item = false;
	decoder->settled = true;
	decoder->on = on && tl_pt_stand_at(decoder, ip);
	return true;
}

static void count_lost(const struct tl_pt_item *item, struct tl_pt_event *lost)
{
	lost->lost.packets++;
	if (item->kind == TL_PT_ITEM_TNT)
		lost->lost.outcomes += item->count;
}

/* A flow that failed looks for a place itself; what it passes over is lost, too. */
static bool resync_flow(struct tl_pt_decoder *decoder, struct tl_pt_event *lost)
{
	struct tl_pt_event more = { .offset = 0 };
	int status = tl_pt_flow_resync(&decoder->flow, &more);

	lost->lost.packets += more.lost.packets;
	lost->lost.outcomes += more.lost.outcomes;
	lost->lost.to = more.lost.to;
	decoder->have_item = false;
	return status == 0;
}

static bool search(struct tl_pt_decoder *decoder, struct tl_pt_event *lost)
{
	struct tl_pt_item *item = &decoder->item;

	for (;;) {
		if (!decoder->have_item)
			tl_pt_flow_next(&decoder->flow, item);
		decoder->have_item = true;
		lost->lost.to = item->offset;
		if (stand(decoder, item))
			return true;
		if (item->kind == TL_PT_ITEM_END)
			return false;
		if (item->kind == TL_PT_ITEM_ERROR) {
			if (!resync_flow(decoder, lost))
				return false;
			continue;
		}
		count_lost(item, lost);
		decoder->have_item = false;
	}
}

bool tl_pt_find_place(struct tl_pt_decoder *decoder, struct tl_pt_event *lost)
{
	bool found, has_target = decoder->have_target && !decoder->no_target;
	uint64_t at = decoder->on && decoder->cur >= TL_PT_NODE_FIRST ? decoder->graph.blocks[decoder->cur].ip : 0;

	*lost = (struct tl_pt_event){ .kind = TL_PT_EV_LOST, .ip_suppressed = true, .offset = decoder->error_offset };
	lost->lost.from = decoder->error_offset;
	lost->lost.why = decoder->error;
	lost->lost.outcomes = decoder->count;
	decoder->on = false;
	decoder->speculative = false;
	decoder->resume_known = decoder->part.inherits = false;
	decoder->part.began = true;
	decoder->error = TL_PT_OK;
	tl_pt_forget(decoder);
	/* A target that has been read, and whose branch was not found, is a place. */
	if (has_target && decoder->flow.begin + decoder->error_offset < decoder->flow.pos) {
		lost->lost.to = (uint64_t)(decoder->flow.pos - decoder->flow.begin);
		decoder->have_item = false;
		decoder->settled = decoder->on = true;
		found = tl_pt_stand_at(decoder, decoder->target);
	} else {
		found = search(decoder, lost);
	}
	if (decoder->on) {
		lost->ip = decoder->graph.blocks[decoder->cur].ip;
		lost->ip_suppressed = false;
	}
	lost->lost.at = at;
	lost->has_tsc = !tl_pt_flow_time(&decoder->flow, &lost->tsc, &lost->lost_mtc, &lost->lost_cyc);
	lost->cycles = decoder->flow.time.count;
	return found;
}
