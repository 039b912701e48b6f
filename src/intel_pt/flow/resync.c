/* SPDX-License-Identifier: Apache-2.0 */
/* Behind an error: to the next packet that gives a location (9.9). */
#include "intel_pt/flow/rules.h"
#include "core/arithmetic.h"

/* The search: packets are skipped, their effect on the last address is kept. */
struct resync_search {
	const uint8_t *pos;
	/* a MODE.Exec with only time packets behind it: it belongs to the location */
	const uint8_t *mode;
	uint64_t last_ip;
	uint64_t packets, outcomes;
	struct tl_pt_context context;
	struct tl_pt_packet packet;
};

static bool gives_location(const struct tl_pt_packet *packet)
{
	switch (packet->kind) {
	case TL_PT_PKT_PSB:
	case TL_PT_PKT_OVF:
	case TL_PT_PKT_TIP_PGD:
		return true;
	case TL_PT_PKT_TIP:
	case TL_PT_PKT_TIP_PGE:
	case TL_PT_PKT_FUP:
		return packet->ip.ipc != TL_PT_IPC_SUPPRESSED;
	default:
		return false;
	}
}

static void pass(struct resync_search *search, int size)
{
	const struct tl_pt_packet *packet = &search->packet;
	const uint64_t quiet = TL_PT_KIND(PAD) | TL_PT_KIND(TSC) | TL_PT_KIND(TMA) |
			       TL_PT_KIND(MTC) | TL_PT_KIND(CYC) | TL_PT_KIND(CBR);

	if (packet->kind >= TL_PT_PKT_FUP && packet->kind <= TL_PT_PKT_TIP_PGD)
		search->last_ip = tl_pt_apply_ip(search->pos + 1, packet->ip.ipc, search->last_ip);
	if (packet->kind == TL_PT_PKT_TNT_8 || packet->kind == TL_PT_PKT_TNT_64)
		search->outcomes += packet->tnt.count;
	if (packet->kind == TL_PT_PKT_MODE && packet->mode.leaf == TL_PT_MODE_EXEC)
		search->mode = search->pos;
	else if (!(quiet >> packet->kind & 1))
		search->mode = NULL;
	search->packets++;
	search->pos += size;
}

/*
 * Find the next location. Behind bytes that are not a packet, the search goes on at the next PSB.
 */
static bool find(struct tl_pt_flow *flow, struct resync_search *search)
{
	for (;;) {
		int size = tl_pt_flow_decode(flow, &search->packet, search->pos, &search->context);

		if (size < 0) {
			const uint8_t *psb = tl_pt_psb_after(&flow->config, flow->psb, search->pos);

			/*
			 * The search may go back into skipped packets, but not to the packet at
			 * fault.
			 */
			while (psb && psb < flow->packet)
				psb = tl_pt_psb_forward(psb + 1, flow->end);
			search->pos = psb ? psb : flow->end;
			search->mode = NULL;
			search->context.items = TL_PT_ITEMS_NONE;
			search->packet.kind = TL_PT_PKT_PSB;
			return psb;
		}
		if (search->pos != flow->resumed && gives_location(&search->packet))
			return true;
		if (search->pos >= flow->timing.pos)
			tl_pt_clock_packet(&flow->time, &search->packet, &flow->config);
		pass(search, size);
	}
}

static void fill_lost(const struct tl_pt_flow *flow, const struct resync_search *search,
		      const uint8_t *from, enum tl_pt_error why, struct tl_pt_event *lost)
{
	*lost = tl_pt_event_at(flow, TL_PT_EV_LOST);
	lost->ip_suppressed = true;
	lost->lost.from = (uint64_t)(from - flow->begin);
	lost->lost.to = (uint64_t)(search->pos - flow->begin);
	lost->lost.packets = search->packets;
	lost->lost.outcomes = search->outcomes;
	lost->lost.why = why;
}

int tl_pt_flow_resync(struct tl_pt_flow *flow, struct tl_pt_event *lost)
{
	struct resync_search search = { .pos = flow->pos,
					.last_ip = flow->last_ip,
					.context = flow->context };
	enum tl_pt_error why = flow->error;
	bool found;

	if (flow->slow_path_reasons & TL_PT_SLOW_SYNC)
		return -TL_PT_NOSYNC;
	if (flow->slow_path_reasons & TL_PT_SLOW_FUP)
		tl_pt_flow_drop(flow);
	tl_pt_flow_catch_up(flow);
	flow->time.in_psb = false;
	found = find(flow, &search);
	flow->timing.pos = tl_max(search.pos, flow->timing.pos);
	fill_lost(flow, &search, flow->pos, why, lost);
	tl_pt_flow_drop(flow);
	flow->slow_path_reasons &= ~(uint32_t)(TL_PT_SLOW_ERROR | TL_PT_SLOW_READY);
	flow->ready.first = flow->ready.count = 0;
	flow->status.running = false;
	flow->error = TL_PT_OK;
	flow->resumed = search.pos;
	flow->last_ip = search.last_ip;
	flow->timing.context = flow->context;
	flow->pos = found && search.mode ? search.mode : search.pos;
	tl_pt_flow_set_enabled(flow, found && search.packet.kind != TL_PT_PKT_PSB &&
					     search.packet.kind != TL_PT_PKT_TIP_PGE);
	return found ? 0 : -TL_PT_EOS;
}

/* Kinds of events whose address comes from a FUP or a TIP: a location of the flow (5.3, 5.5). */
static const uint64_t located = UINT64_C(1) << TL_PT_EV_EXEC_MODE | UINT64_C(1) << TL_PT_EV_IFLAGS |
				UINT64_C(1) << TL_PT_EV_TSX | UINT64_C(1) << TL_PT_EV_EXSTOP |
				UINT64_C(1) << TL_PT_EV_MWAIT | UINT64_C(1) << TL_PT_EV_PTWRITE |
				UINT64_C(1) << TL_PT_EV_INTERRUPT | UINT64_C(1) << TL_PT_EV_IRET |
				UINT64_C(1) << TL_PT_EV_SMI | UINT64_C(1) << TL_PT_EV_RSM |
				UINT64_C(1) << TL_PT_EV_INIT | UINT64_C(1) << TL_PT_EV_VMENTRY |
				UINT64_C(1) << TL_PT_EV_VMEXIT | UINT64_C(1) << TL_PT_EV_SHUTDOWN |
				UINT64_C(1) << TL_PT_EV_UINTR | UINT64_C(1) << TL_PT_EV_UIRET |
				UINT64_C(1) << TL_PT_EV_SWINTR | UINT64_C(1) << TL_PT_EV_SYSCALL |
				UINT64_C(1) << TL_PT_EV_TRIG;

static bool event_location(const struct tl_pt_flow *flow, const struct tl_pt_event *event, bool *on,
			   uint64_t *ip)
{
	*ip = event->ip;
	switch (event->kind) {
	case TL_PT_EV_ENABLED:
		return true;
	case TL_PT_EV_OVERFLOW:
		*on = !event->ip_suppressed;
		return true;
	case TL_PT_EV_ASYNC_BRANCH:
		*ip = event->branch.to;
		return !event->ip_suppressed;
	case TL_PT_EV_DISABLED:
	case TL_PT_EV_ASYNC_DISABLED:
		*on = false;
		return true;
	default:
		return located >> event->kind & 1 && !event->ip_suppressed &&
		       !event->status_update && tl_pt_flow_is_enabled(flow);
	}
}

bool tl_pt_gives_ip(const struct tl_pt_flow *flow, const struct tl_pt_flow_item *item, bool *on,
		    uint64_t *ip)
{
	*on = true;
	*ip = item->ip;
	if (item->kind == TL_PT_FLOW_ITEM_TIP)
		return !item->suppressed;
	return item->kind == TL_PT_FLOW_ITEM_EVENT && event_location(flow, &item->event, on, ip);
}
