/* SPDX-License-Identifier: Apache-2.0 */
/* The published event interface on top of the flow. */
#include <stdlib.h>

#include "intel_pt/flow/rules.h"
#include "intel_pt/packets/sized.h"

struct tl_pt_events {
	struct tl_pt_flow flow;
};

int tl_pt_events_open(struct tl_pt_events **events, const struct tl_pt_config *config)
{
	struct tl_pt_events *e = calloc(1, sizeof(*e));
	int status;

	*events = NULL;
	if (!e)
		return -TL_PT_NOMEM;
	status = tl_pt_flow_open(&e->flow, config, TL_PT_FLOW_TIMED);
	if (status < 0) {
		free(e);
		return status;
	}
	*events = e;
	return 0;
}

void tl_pt_events_close(struct tl_pt_events *events)
{
	free(events);
}

const struct tl_pt_config *tl_pt_events_config(const struct tl_pt_events *events)
{
	return &events->flow.config;
}

int tl_pt_events_sync_forward(struct tl_pt_events *events)
{
	return tl_pt_flow_sync_forward(&events->flow);
}

int tl_pt_events_sync_backward(struct tl_pt_events *events)
{
	return tl_pt_flow_sync_backward(&events->flow);
}

int tl_pt_events_sync_set(struct tl_pt_events *events, uint64_t offset)
{
	return tl_pt_flow_sync_set(&events->flow, offset);
}

int tl_pt_events_offset(const struct tl_pt_events *events, uint64_t *offset)
{
	if (events->flow.slow_path_reasons & TL_PT_SLOW_SYNC)
		return -TL_PT_NOSYNC;
	*offset = tl_pt_flow_offset(&events->flow);
	return 0;
}

int tl_pt_events_sync_offset(const struct tl_pt_events *events, uint64_t *offset)
{
	if (events->flow.slow_path_reasons & TL_PT_SLOW_SYNC)
		return -TL_PT_NOSYNC;
	*offset = (uint64_t)(events->flow.psb - events->flow.begin);
	return 0;
}

/* Outcomes or a target as an event, with their own time. */
static void fill_event(struct tl_pt_flow *flow, const struct tl_pt_flow_item *item,
		       struct tl_pt_event *event)
{
	memset(event, 0, sizeof(*event));
	event->kind = item->kind == TL_PT_FLOW_ITEM_TNT ? TL_PT_EV_TNT : TL_PT_EV_TIP;
	event->offset = item->offset;
	event->has_tsc =
		tl_pt_flow_time(flow, &event->tsc, &event->lost_mtc, &event->lost_cyc) == 0;
	if (item->kind == TL_PT_FLOW_ITEM_TNT) {
		event->tnt.bits = item->bits;
		event->tnt.count = (uint8_t)item->count;
	} else {
		event->ip = item->ip;
		event->ip_suppressed = item->suppressed;
	}
}

static int next_event(struct tl_pt_events *events, struct tl_pt_event *event)
{
	struct tl_pt_flow_item item;

	tl_pt_flow_next(&events->flow, &item);
	switch (item.kind) {
	case TL_PT_FLOW_ITEM_END:
		return -TL_PT_EOS;
	case TL_PT_FLOW_ITEM_ERROR:
		return -(int)item.error;
	case TL_PT_FLOW_ITEM_EVENT:
		*event = item.event;
		return 0;
	default:
		fill_event(&events->flow, &item, event);
		return 0;
	}
}

int tl_pt_events_next(struct tl_pt_events *events, struct tl_pt_event *event, size_t size)
{
	struct tl_pt_event ours;

	if (size < sizeof(ours))
		return -TL_PT_INVALID;
	return tl_pt_give_sized(next_event(events, &ours), event, size, &ours, sizeof(ours));
}
