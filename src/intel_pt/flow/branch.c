/* SPDX-License-Identifier: Apache-2.0 */
/* TNT, TIP, TIP.PGE, TIP.PGD and FUP, and the events bound to them (5.3, 5.4, 5.5). */
#include "intel_pt/flow/rules.h"

int tl_pt_rule_tnt(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	if (!tl_pt_flow_is_enabled(flow))
		return -TL_PT_NO_ENABLE;
	if (flow->slow_path_reasons & (TL_PT_SLOW_FUP | TL_PT_SLOW_BOUND))
		return -TL_PT_BAD_CONTEXT;
	item->kind = TL_PT_FLOW_ITEM_TNT;
	item->bits = packet->tnt.bits;
	item->count = packet->tnt.count;
	item->offset = (uint64_t)(flow->packet - flow->begin);
	item->tick = false;
	return TL_PT_GIVEN;
}

static int async_branch(struct tl_pt_flow *flow, bool has_ip)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_ASYNC_BRANCH);

	flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_FUP;
	event.ip = flow->bound.fup_ip;
	event.branch.to = has_ip ? flow->last_ip : 0;
	event.ip_suppressed = !has_ip;
	tl_pt_flow_give(flow, &event);
	tl_pt_flow_give_at_tip(flow, !has_ip, flow->last_ip);
	return TL_PT_GO_ON;
}

int tl_pt_rule_tip(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	bool has_ip;

	if (!tl_pt_flow_is_enabled(flow))
		return -TL_PT_NO_ENABLE;
	if (flow->bound.count)
		return -TL_PT_BAD_CONTEXT;
	has_ip = tl_pt_flow_ip(flow, packet);
	if (flow->slow_path_reasons & TL_PT_SLOW_FUP)
		return async_branch(flow, has_ip);
	if (flow->flags & TL_PT_FLOW_QUERY && flow->bound.at_tip) {
		/*
		 * The query interface gives events that take effect behind the branch before the
		 * branch.
		 */
		tl_pt_flow_give_at_tip(flow, !has_ip, flow->last_ip);
		flow->pos = flow->packet;
		return TL_PT_GO_ON;
	}
	item->kind = TL_PT_FLOW_ITEM_TIP;
	item->suppressed = !has_ip;
	item->ip = has_ip ? flow->last_ip : 0;
	item->offset = (uint64_t)(flow->packet - flow->begin);
	item->tick = false;
	tl_pt_flow_give_at_tip(flow, !has_ip, flow->last_ip);
	return TL_PT_GIVEN;
}

int tl_pt_rule_pge(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct tl_pt_event event;

	(void)item;
	if ((tl_pt_flow_is_enabled(flow) && !(flow->flags & TL_PT_FLOW_QUERY)) || flow->bound.count)
		return -TL_PT_BAD_CONTEXT;
	/* Without an address there is no instruction to go on at. */
	if (!tl_pt_flow_ip(flow, packet))
		return -TL_PT_BAD_PACKET;
	tl_pt_flow_set_enabled(flow, true);
	event = tl_pt_event_at(flow, TL_PT_EV_ENABLED);
	event.ip = flow->last_ip;
	tl_pt_flow_give(flow, &event);
	tl_pt_flow_give_at_tip(flow, false, flow->last_ip);
	return TL_PT_GO_ON;
}

int tl_pt_rule_pgd(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	bool async = flow->slow_path_reasons & TL_PT_SLOW_FUP;
	struct tl_pt_event event;
	bool has_ip;

	(void)item;
	if (!tl_pt_flow_is_enabled(flow) || flow->bound.count)
		return -TL_PT_BAD_CONTEXT;
	has_ip = tl_pt_flow_ip(flow, packet);
	event = tl_pt_event_at(flow, async ? TL_PT_EV_ASYNC_DISABLED : TL_PT_EV_DISABLED);
	event.ip_suppressed = !has_ip;
	if (async)
		event.ip = flow->bound.fup_ip;
	if (async && has_ip)
		event.disabled.to = flow->last_ip;
	else if (has_ip)
		event.ip = flow->last_ip;
	tl_pt_flow_set_enabled(flow, false);
	flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_FUP;
	tl_pt_flow_give(flow, &event);
	/*
	 * The new execution mode holds where nothing is traced; the address space has packets of
	 * its own (5.5).
	 */
	flow->bound.at_tip &= ~(uint32_t)TL_PT_AT_TIP_MODE;
	if (!flow->bound.at_tip)
		flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_BOUND;
	tl_pt_flow_give_at_tip(flow, true, 0);
	return TL_PT_GO_ON;
}

/* ---- FUP ---- */

/* Give the events that waited for this FUP its address. True: it is also the source of a branch. */
static bool give_bound(struct tl_pt_flow *flow)
{
	bool keep = false;

	for (uint32_t i = 0; i < flow->bound.count; i++) {
		struct tl_pt_bound *bound = &flow->bound.list[i];

		bound->event.ip = flow->last_ip;
		bound->event.ip_suppressed = false;
		if (bound->event.kind != TL_PT_EV_OVERFLOW)
			tl_pt_flow_stamp(flow, &bound->event);
		if (!bound->silent)
			tl_pt_flow_push(flow, &bound->event);
		if (bound->event.kind == TL_PT_EV_EXSTOP)
			tl_pt_flow_give_power(flow);
		keep |= bound->keep;
	}
	flow->bound.count = 0;
	if (!flow->bound.at_tip)
		flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_BOUND;
	return keep;
}

/* The FUP in a PSB+ says that tracing is on, and gives the address (5.1). */
static int status_fup(const struct tl_pt_flow *flow)
{
	bool is_on = tl_pt_flow_is_enabled(flow) || flow->status.stale;

	if (flow->status.running && flow->status.enabled && !is_on)
		return -TL_PT_BAD_STATUS_UPDATE;
	return TL_PT_GO_ON;
}

int tl_pt_rule_fup(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	bool has_ip = tl_pt_flow_ip(flow, packet);

	(void)item;
	/* The FUP of a PSB+ has been given with its PSB. */
	if (flow->slow_path_reasons & TL_PT_SLOW_PSB)
		return status_fup(flow);
	if (flow->slow_path_reasons & TL_PT_SLOW_FUP)
		return -TL_PT_BAD_CONTEXT;
	if (!has_ip)
		return -TL_PT_IP_SUPPRESSED;
	if (flow->bound.count) {
		if (!give_bound(flow))
			return TL_PT_GO_ON;
	} else if (flow->bound.at_tip & TL_PT_AT_TIP_MODE) {
		tl_pt_flow_give_at_tip(flow, false, flow->last_ip);
		return TL_PT_GO_ON;
	} else if (flow->slow_path_reasons & TL_PT_SLOW_POWER &&
		   !(flow->flags & TL_PT_FLOW_CLASSIC)) {
		tl_pt_flow_give_power(flow);
	}
	if (!tl_pt_flow_is_enabled(flow))
		return -TL_PT_BAD_CONTEXT;
	flow->bound.fup_ip = flow->last_ip;
	flow->slow_path_reasons |= TL_PT_SLOW_FUP;
	return TL_PT_GO_ON;
}
