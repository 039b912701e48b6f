/* SPDX-License-Identifier: Apache-2.0 */
/* PSB+: packets from PSB to PSBEND repeat the state, they do not change it (5.1). */
#include "intel_pt/flow/rules.h"

/* The contents of a PSB+, scanned from its PSB. */
struct psb_plus {
	bool has_fup, cut; /* `cut`: by an OVF, the end, or a packet that may not be in a PSB+ */
	uint64_t ip;
	const uint8_t *end;    /* position of its PSBEND, or of the packet that cuts it */
	const uint8_t *behind; /* position behind its PSBEND; NULL: it has none */
};

/*
 * Scan a PSB+. All its packets describe one point in time, so its time holds from its first event
 * on.
 */
static void scan_psb_plus(const struct tl_pt_flow *flow, const uint8_t *pos, struct psb_plus *psb,
			  struct tl_pt_clock *time)
{
	struct tl_pt_context context = { &flow->config, TL_PT_ITEMS_NONE };
	const uint64_t state = 1u << TL_PT_PKT_PAD | 1u << TL_PT_PKT_MODE | 1u << TL_PT_PKT_PIP |
			       1u << TL_PT_PKT_VMCS | 1u << TL_PT_PKT_MNT | 1u << TL_PT_PKT_TSC |
			       1u << TL_PT_PKT_CBR | 1u << TL_PT_PKT_TMA | 1u << TL_PT_PKT_MTC |
			       1u << TL_PT_PKT_CYC | 1u << TL_PT_PKT_UNKNOWN |
			       1u << TL_PT_PKT_INVALID;
	struct tl_pt_packet packet;

	for (int size;; pos += size) {
		psb->end = pos;
		size = tl_pt_flow_decode(flow, &packet, pos, &context);
		if (size > 0 && packet.kind == TL_PT_PKT_PSBEND) {
			psb->behind = pos + size;
			return;
		}
		if (size > 0 && packet.kind == TL_PT_PKT_FUP &&
		    packet.ip.ipc != TL_PT_IPC_SUPPRESSED) {
			psb->has_fup = true;
			psb->ip = tl_pt_take_ip(pos, 0);
		} else if (size <= 0 || !(state >> packet.kind & 1)) {
			psb->cut = true;
			return;
		} else if (time && pos >= flow->timing.pos) {
			/*
			 * Taken once, also if the PSB+ was at fault and flow resumed at it (9.9).
			 */
			tl_pt_clock_packet(time, &packet, &flow->config);
		}
	}
}

/*
 * Whether a TIP.PGE, or with `at_end` the end, comes before any packet that shows that tracing is
 * on.
 */
static bool enabled_next(const struct tl_pt_flow *flow, const uint8_t *pos, bool at_end)
{
	struct tl_pt_context context = { &flow->config, TL_PT_ITEMS_NONE };
	const uint64_t passed = 1u << TL_PT_PKT_PAD | 1u << TL_PT_PKT_MODE | 1u << TL_PT_PKT_MNT |
				1u << TL_PT_PKT_TSC | 1u << TL_PT_PKT_CBR | 1u << TL_PT_PKT_TMA |
				1u << TL_PT_PKT_MTC | 1u << TL_PT_PKT_CYC |
				1u << TL_PT_PKT_UNKNOWN | 1u << TL_PT_PKT_PIP |
				1u << TL_PT_PKT_VMCS | 1u << TL_PT_PKT_INVALID;
	struct tl_pt_packet packet;

	for (int size;; pos += size) {
		size = tl_pt_flow_decode(flow, &packet, pos, &context);
		if (size <= 0 || !(passed >> packet.kind & 1))
			return size <= 0 ? at_end : packet.kind == TL_PT_PKT_TIP_PGE;
	}
}

/*
 * BDM70 (7): a TIP.PGE right behind a PSB+ shows that tracing was off in spite of the FUP in it. If
 * the flow was off before, this holds for all processors: recordings of others show the same.
 */
static bool wrong_fup(const struct tl_pt_flow *flow, const struct psb_plus *psb, bool was_on)
{
	bool known_off = flow->status.running && !was_on && !(flow->flags & TL_PT_FLOW_QUERY);

	if (!psb->has_fup || !(known_off || flow->config.errata & TL_PT_BDM70))
		return false;
	return psb->behind ? enabled_next(flow, psb->behind, known_off) : known_off;
}

static void give_status(struct tl_pt_flow *flow, const struct psb_plus *psb)
{
	struct tl_pt_event event =
		tl_pt_event_at(flow, psb->has_fup ? TL_PT_EV_ENABLED : TL_PT_EV_DISABLED);

	/* An overflow inside gives the state itself. */
	if (psb->cut && !psb->has_fup)
		return;
	event.status_update = true;
	event.ip = psb->has_fup ? psb->ip : 0;
	event.ip_suppressed = !psb->has_fup;
	tl_pt_flow_give(flow, &event);
}

bool tl_pt_psb_address(const struct tl_pt_flow *flow, const uint8_t *psb, uint64_t *ip)
{
	struct psb_plus plus = { .has_fup = false };

	scan_psb_plus(flow, psb + TL_PT_PSB_BYTES, &plus, NULL);
	*ip = plus.ip;
	return plus.has_fup && !wrong_fup(flow, &plus, true);
}

bool tl_pt_psb_is_whole(const struct tl_pt_flow *flow, const uint8_t *psb)
{
	struct psb_plus plus = { .has_fup = false };
	struct tl_pt_context context = { &flow->config, TL_PT_ITEMS_NONE };
	struct tl_pt_packet packet;

	scan_psb_plus(flow, psb + TL_PT_PSB_BYTES, &plus, NULL);
	return plus.behind || (tl_pt_flow_decode(flow, &packet, plus.end, &context) > 0 &&
			       packet.kind == TL_PT_PKT_OVF);
}

int tl_pt_rule_psb(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct psb_plus psb = { .has_fup = false };
	bool was_on = tl_pt_flow_is_enabled(flow);

	(void)item;
	if (flow->slow_path_reasons & (TL_PT_SLOW_FUP | TL_PT_SLOW_BOUND))
		return -TL_PT_BAD_CONTEXT;
	flow->psb = flow->packet;
	flow->last_ip = 0;
	if (flow->flags & TL_PT_FLOW_TIMED && flow->packet >= flow->timing.pos)
		tl_pt_clock_packet(&flow->time, packet, &flow->config);
	scan_psb_plus(flow, flow->pos, &psb, flow->flags & TL_PT_FLOW_TIMED ? &flow->time : NULL);
	flow->status.psb_end = psb.end;
	if (flow->flags & TL_PT_FLOW_TIMED) {
		flow->time.in_psb = false;
		if (psb.end > flow->timing.pos)
			flow->timing.pos = psb.end;
	}
	flow->status.stale = false;
	if (wrong_fup(flow, &psb, was_on)) {
		/* Without the erratum events keep the address, as in the published library. */
		flow->status.stale = !(flow->config.errata & TL_PT_BDM70);
		psb.has_fup = false;
	}
	flow->status.enabled = psb.has_fup || flow->status.stale;
	flow->status.ip = flow->status.enabled ? psb.ip : 0;
	flow->slow_path_reasons |= TL_PT_SLOW_PSB;
	/* A contradiction is reported at the FUP; if there is none, here. */
	if (flow->status.running && !(flow->flags & TL_PT_FLOW_QUERY) && was_on != psb.has_fup &&
	    !(psb.cut && !psb.has_fup))
		return was_on ? -TL_PT_BAD_STATUS_UPDATE : TL_PT_GO_ON;
	tl_pt_flow_set_enabled(flow, psb.has_fup);
	give_status(flow, &psb);
	return TL_PT_GO_ON;
}

int tl_pt_rule_psbend(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		      struct tl_pt_flow_item *item)
{
	(void)packet, (void)item;
	if (!(flow->slow_path_reasons & TL_PT_SLOW_PSB))
		return -TL_PT_BAD_CONTEXT;
	flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_PSB;
	flow->status.running = true;
	return TL_PT_GO_ON;
}
