/* SPDX-License-Identifier: Apache-2.0 */
/* Execution mode, transactions, address space (5.5), and changes that wait for the next TIP. */
#include "intel_pt/flow/rules.h"

enum tl_pt_exec_mode tl_pt_mode_of(const struct tl_pt_packet *packet)
{
	if (packet->mode.csl)
		return packet->mode.csd ? TL_PT_MODE_UNKNOWN : TL_PT_MODE_64;
	return packet->mode.csd ? TL_PT_MODE_32 : TL_PT_MODE_16;
}

static int mode_exec(struct tl_pt_flow *flow, const struct tl_pt_packet *packet)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_EXEC_MODE);
	enum tl_pt_exec_mode mode = tl_pt_mode_of(packet);

	if (mode == TL_PT_MODE_UNKNOWN)
		return -TL_PT_BAD_PACKET;
	flow->mode.next = mode;
	flow->mode.next_iflag = packet->mode.iflag;
	flow->mode.offset = event.offset;
	if (!(flow->slow_path_reasons & TL_PT_SLOW_PSB)) {
		flow->bound.at_tip |= TL_PT_AT_TIP_MODE;
		flow->slow_path_reasons |= TL_PT_SLOW_BOUND;
		return TL_PT_GO_ON;
	}
	if (flow->status.running && !(flow->flags & TL_PT_FLOW_QUERY) && flow->status.enabled &&
	    !flow->status.stale && flow->mode.now != TL_PT_MODE_UNKNOWN && flow->mode.now != mode)
		return -TL_PT_BAD_STATUS_UPDATE;
	event.status_update = true;
	event.ip = flow->status.ip;
	event.ip_suppressed = !flow->status.enabled;
	tl_pt_flow_give_mode(flow, &event);
	return TL_PT_GO_ON;
}

static int mode_tsx(struct tl_pt_flow *flow, const struct tl_pt_packet *packet)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_TSX);

	if (packet->mode.intx && packet->mode.abrt)
		return -TL_PT_BAD_PACKET;
	event.tsx.speculative = packet->mode.intx;
	event.tsx.aborted = packet->mode.abrt;
	if (flow->slow_path_reasons & TL_PT_SLOW_PSB)
		tl_pt_flow_give_status(flow, &event);
	else if (!tl_pt_flow_is_enabled(flow))
		tl_pt_flow_give_bare(flow, &event);
	else /* The FUP of an abort is also the source of the branch to the handler (5.3). */
		return tl_pt_flow_bind(flow, &event, event.tsx.aborted);
	return TL_PT_GO_ON;
}

int tl_pt_rule_mode(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	(void)item;
	if (packet->mode.leaf == TL_PT_MODE_EXEC)
		return mode_exec(flow, packet);
	return mode_tsx(flow, packet);
}

/* ---- address space ---- */

/*
 * A change of the address space: in a PSB+ a status update; with a FUP pending, an event at the
 * target of its TIP; else an event that the walk binds to an instruction.
 */
static void address_space(struct tl_pt_flow *flow, struct tl_pt_event *event,
			  struct tl_pt_event *at_tip, enum tl_pt_event_kind async, uint32_t bit)
{
	if (flow->slow_path_reasons & TL_PT_SLOW_PSB) {
		event->kind = async;
		tl_pt_flow_give_status(flow, event);
	} else if (flow->slow_path_reasons & TL_PT_SLOW_FUP) {
		event->kind = async;
		*at_tip = *event;
		flow->bound.at_tip |= bit;
		flow->slow_path_reasons |= TL_PT_SLOW_BOUND;
	} else {
		tl_pt_flow_give(flow, event);
	}
}

int tl_pt_rule_pip(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_PAGING);

	(void)item;
	event.paging.cr3 = packet->pip.cr3;
	event.paging.non_root = packet->pip.nr;
	address_space(flow, &event, &flow->bound.tip_paging, TL_PT_EV_ASYNC_PAGING,
		      TL_PT_AT_TIP_PAGING);
	return TL_PT_GO_ON;
}

int tl_pt_rule_vmcs(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_VMCS);

	(void)item;
	event.vmcs.base = packet->vmcs.base;
	address_space(flow, &event, &flow->bound.tip_vmcs, TL_PT_EV_ASYNC_VMCS, TL_PT_AT_TIP_VMCS);
	return TL_PT_GO_ON;
}
