/* SPDX-License-Identifier: Apache-2.0 */
/* Events: made, stamped with the time, bound to a FUP or a TIP, and queued to be given. */
#include "intel_pt/flow/rules.h"

struct tl_pt_event tl_pt_event_at(const struct tl_pt_flow *flow, enum tl_pt_event_kind kind)
{
	struct tl_pt_event event;

	memset(&event, 0, sizeof(event));
	event.kind = kind;
	event.offset = (uint64_t)(flow->packet - flow->begin);
	return event;
}

void tl_pt_flow_stamp(const struct tl_pt_flow *flow, struct tl_pt_event *event)
{
	if (!(flow->flags & TL_PT_FLOW_TIMED))
		return;
	event->has_tsc = flow->time.have_tsc;
	event->tsc = flow->time.tsc;
	event->lost_mtc = flow->time.lost_mtc;
	event->lost_cyc = flow->time.lost_cyc;
	event->cycles = flow->time.count;
}

void tl_pt_flow_push(struct tl_pt_flow *flow, const struct tl_pt_event *event)
{
	/*
	 * The array is large enough for every packet: eight bound events, two of power, two of
	 * address space, two of mode, and the packet's own.
	 */
	if (flow->ready.first + flow->ready.count == TL_PT_READY_MAX)
		return;
	flow->ready.list[flow->ready.first + flow->ready.count++] = *event;
	flow->timing.event_tsc = event->tsc;
	flow->slow_path_reasons |= TL_PT_SLOW_READY;
}

void tl_pt_flow_give(struct tl_pt_flow *flow, const struct tl_pt_event *event)
{
	struct tl_pt_event stamped = *event;

	tl_pt_flow_stamp(flow, &stamped);
	tl_pt_flow_push(flow, &stamped);
}

void tl_pt_flow_give_status(struct tl_pt_flow *flow, struct tl_pt_event *event)
{
	event->status_update = true;
	event->ip = flow->status.ip;
	event->ip_suppressed = !flow->status.enabled;
	tl_pt_flow_give(flow, event);
}

void tl_pt_flow_give_bare(struct tl_pt_flow *flow, struct tl_pt_event *event)
{
	event->ip = 0;
	event->ip_suppressed = true;
	tl_pt_flow_give(flow, event);
}

void tl_pt_flow_give_pwre(struct tl_pt_flow *flow)
{
	/* It has its own time already. */
	if (flow->queued.have_pwre)
		tl_pt_flow_push(flow, &flow->queued.pwre);
	flow->queued.have_pwre = false;
}

void tl_pt_flow_give_power(struct tl_pt_flow *flow)
{
	if (flow->queued.have_mwait)
		tl_pt_flow_give_bare(flow, &flow->queued.mwait);
	flow->queued.have_mwait = false;
	tl_pt_flow_give_pwre(flow);
	flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_POWER;
}

int tl_pt_flow_bind(struct tl_pt_flow *flow, const struct tl_pt_event *event, bool keep)
{
	if (flow->bound.count == TL_PT_BOUND_MAX)
		return -TL_PT_BAD_CONTEXT;
	flow->bound.list[flow->bound.count++] =
		(struct tl_pt_bound){ *event, keep, event->kind == TL_PT_EV_COUNT };
	tl_pt_flow_stamp(flow, &flow->bound.list[flow->bound.count - 1].event);
	flow->slow_path_reasons |= TL_PT_SLOW_BOUND;
	return TL_PT_GO_ON;
}

void tl_pt_flow_give_mode(struct tl_pt_flow *flow, const struct tl_pt_event *at)
{
	struct tl_pt_event event = *at;

	if (flow->mode.next != flow->mode.now || flow->flags & TL_PT_FLOW_CLASSIC ||
	    at->status_update) {
		event.kind = TL_PT_EV_EXEC_MODE;
		event.exec_mode.mode = flow->mode.next;
		tl_pt_flow_give(flow, &event);
	}
	if (flow->config.flags & TL_PT_IFLAG_EVENTS &&
	    (flow->mode.next_iflag != flow->mode.iflag || !flow->mode.iflag_known)) {
		event.kind = TL_PT_EV_IFLAGS;
		event.iflags.iflag = flow->mode.next_iflag;
		tl_pt_flow_give(flow, &event);
	}
	flow->mode.now = flow->mode.next;
	flow->mode.iflag = flow->mode.next_iflag;
	flow->mode.iflag_known = true;
}

void tl_pt_flow_give_at_tip(struct tl_pt_flow *flow, bool suppressed, uint64_t ip)
{
	struct tl_pt_event at = tl_pt_event_at(flow, TL_PT_EV_EXEC_MODE);
	uint32_t at_tip = flow->bound.at_tip;

	if (!at_tip)
		return;
	flow->bound.at_tip = 0;
	if (!flow->bound.count)
		flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_BOUND;
	flow->bound.tip_vmcs.ip_suppressed = flow->bound.tip_paging.ip_suppressed =
		at.ip_suppressed = suppressed;
	flow->bound.tip_vmcs.ip = flow->bound.tip_paging.ip = at.ip = suppressed ? 0 : ip;
	if (at_tip & TL_PT_AT_TIP_VMCS)
		tl_pt_flow_give(flow, &flow->bound.tip_vmcs);
	if (at_tip & TL_PT_AT_TIP_PAGING)
		tl_pt_flow_give(flow, &flow->bound.tip_paging);
	at.offset = flow->mode.offset;
	if (at_tip & TL_PT_AT_TIP_MODE)
		tl_pt_flow_give_mode(flow, &at);
}
