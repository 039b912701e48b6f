/* SPDX-License-Identifier: Apache-2.0 */
/* OVF: packets were lost; the packets behind it say how flow goes on (5.2). TraceStop. */
#include "intel_pt/flow/rules.h"

/* TNT packets. */
static const uint64_t outcomes = TL_PT_KIND(TNT_8) | TL_PT_KIND(TNT_64);

/* A packet further on, with the state to decode it. */
struct psb_ahead {
	struct tl_pt_packet packet;
	struct tl_pt_context context;
	const uint8_t *pos;
	int size;         /* negative: no packet */
	uint64_t last_ip; /* behind the packet */
};

static void decode_at(const struct tl_pt_flow *flow, struct psb_ahead *ahead)
{
	ahead->size = tl_pt_flow_decode(flow, &ahead->packet, ahead->pos, &ahead->context);
	if (ahead->size > 0 && ahead->packet.kind >= TL_PT_PKT_FUP &&
	    ahead->packet.kind <= TL_PT_PKT_TIP_PGD)
		ahead->last_ip =
			tl_pt_apply_ip(ahead->pos + 1, ahead->packet.ip.ipc, ahead->last_ip);
}

static bool is_one_of(const struct psb_ahead *ahead, uint64_t kinds)
{
	return ahead->size > 0 && kinds >> ahead->packet.kind & 1;
}

/* Search from `pos` for a packet whose kind is not in `skip`. */
static struct psb_ahead look_ahead(const struct tl_pt_flow *flow, const uint8_t *pos, uint64_t skip)
{
	struct psb_ahead ahead = { .pos = pos, .last_ip = flow->last_ip, .context = flow->context };

	for (decode_at(flow, &ahead); is_one_of(&ahead, skip); decode_at(flow, &ahead))
		ahead.pos += ahead.size;
	return ahead;
}

/*
 * Events that waited for a packet: while tracing was off they are given without an address, else
 * they are lost.
 */
static void drop_bound(struct tl_pt_flow *flow)
{
	bool lost = tl_pt_flow_is_enabled(flow) || flow->flags & TL_PT_FLOW_CLASSIC;

	for (uint32_t i = 0; i < flow->bound.count && !lost; i++)
		if (!flow->bound.list[i].silent)
			tl_pt_flow_give_bare(flow, &flow->bound.list[i].event);
	tl_pt_flow_drop(flow);
	flow->status.running = false;
}

/*
 * Go on with the packet at `pos`. The overflow has the time of its OVF, so that the time up to the
 * next event shows how long it was.
 */
static int go_on_at(struct tl_pt_flow *flow, struct tl_pt_event *event, const uint8_t *pos)
{
	tl_pt_flow_pass(flow, pos);
	tl_pt_flow_push(flow, event);
	return TL_PT_GO_ON;
}

/* Flow goes on with tracing off. */
static int overflow_off(struct tl_pt_flow *flow, struct tl_pt_event *event, const uint8_t *pos)
{
	tl_pt_flow_set_enabled(flow, false);
	event->ip_suppressed = true;
	return go_on_at(flow, event, pos);
}

/* Flow goes on at an address, with the packet at `pos`. */
static int overflow_at(struct tl_pt_flow *flow, struct tl_pt_event *event, uint64_t ip,
		       const uint8_t *pos)
{
	tl_pt_flow_set_enabled(flow, true);
	event->ip = ip;
	return go_on_at(flow, event, pos);
}

/* ---- errata (7) ---- */

static bool is_tsx(const struct tl_pt_packet *packet)
{
	return packet->kind == TL_PT_PKT_MODE && packet->mode.leaf == TL_PT_MODE_TSX;
}

/*
 * SKD010: whether a packet may be between the OVF and the packet with the next address. Outcomes
 * may: the SDM has a decoder search for the next address; version 2.0.5 gives up, as it does not
 * know then whether outcomes are left.
 */
static bool may_be_skipped(const struct tl_pt_flow *flow, const struct tl_pt_packet *packet)
{
	const uint64_t plain =
		(tl_pt_kinds_neutral & ~(TL_PT_KIND(UNKNOWN) | TL_PT_KIND(INVALID))) |
		TL_PT_KIND(PIP) | TL_PT_KIND(VMCS) | TL_PT_KIND(MODE) | TL_PT_KIND(PWRE) |
		TL_PT_KIND(PWRX) | TL_PT_KIND(EVD) | TL_PT_KIND(TRIG);

	switch (packet->kind) {
	/* With an address it is followed by a FUP of its own. */
	case TL_PT_PKT_EXSTOP:
		return !packet->exstop.ip;
	case TL_PT_PKT_PTW:
		return !packet->ptw.ip;
	case TL_PT_PKT_CFE:
		return !packet->cfe.ip;
	case TL_PT_PKT_BEP:
		return !packet->bep.ip;
	default:
		return (flow->flags & TL_PT_FLOW_CLASSIC ? plain : plain | outcomes) >>
			       packet->kind &
		       1;
	}
}

/*
 * `*tsx`: the MODE.TSX on the way, which is applied where flow goes on; behind a second one tracing
 * is off.
 */
static struct psb_ahead find_location(const struct tl_pt_flow *flow, const uint8_t **tsx)
{
	struct psb_ahead ahead = { .pos = flow->pos,
				   .last_ip = flow->last_ip,
				   .context = flow->context };

	*tsx = NULL;
	for (decode_at(flow, &ahead); ahead.size > 0 && may_be_skipped(flow, &ahead.packet);
	     decode_at(flow, &ahead)) {
		if (is_tsx(&ahead.packet) && *tsx)
			break;
		if (is_tsx(&ahead.packet))
			*tsx = ahead.pos;
		ahead.pos += ahead.size;
	}
	return ahead;
}

/*
 * SKD010: FUP or TIP.PGE may be missing. Flow goes on with the next packet that gives an address;
 * changes until then are lost, too. `first` is the packet behind the OVF, `*status` the result of
 * the rule. False: no such packet.
 */
static bool resume_anywhere(struct tl_pt_flow *flow, struct tl_pt_event *event,
			    const struct psb_ahead *first, int *status)
{
	const uint8_t *tsx;
	struct psb_ahead ahead = find_location(flow, &tsx);
	uint64_t ip;

	if (is_one_of(&ahead, TL_PT_KIND(TIP_PGD))) {
		*status = overflow_off(flow, event, ahead.pos + ahead.size);
		flow->last_ip = ahead.last_ip;
	} else if (is_one_of(&ahead, TL_PT_KIND(PSB)) && tl_pt_psb_address(flow, ahead.pos, &ip)) {
		*status = overflow_at(flow, event, ip, ahead.pos);
	} else if (is_one_of(&ahead, TL_PT_KIND(FUP) | TL_PT_KIND(TIP)) &&
		   ahead.packet.ip.ipc == TL_PT_IPC_SUPPRESSED) {
		*status = -TL_PT_BAD_CONTEXT;
	} else if (is_one_of(&ahead, TL_PT_KIND(FUP))) {
		*status = overflow_at(flow, event, ahead.last_ip, tsx ? tsx : ahead.pos);
	} else if (is_one_of(&ahead, TL_PT_KIND(TIP))) {
		*status = overflow_at(flow, event, ahead.last_ip, ahead.pos + ahead.size);
		flow->last_ip = ahead.last_ip;
	} else if (is_one_of(first, outcomes) && !(flow->flags & TL_PT_FLOW_CLASSIC)) {
		*status = overflow_off(flow, event, ahead.pos);
	} else {
		return false;
	}
	return true;
}

/* APL12: the FUP behind an overflow is ignored if a later packet shows that tracing is off. */
static bool unexpected_fup(const struct tl_pt_flow *flow, const struct psb_ahead *fup)
{
	const uint64_t decides = TL_PT_KIND(STOP) | TL_PT_KIND(TIP_PGE) | TL_PT_KIND(PSB) |
				 TL_PT_KIND(TNT_8) | TL_PT_KIND(TNT_64) | TL_PT_KIND(TIP) |
				 TL_PT_KIND(TIP_PGD) | TL_PT_KIND(PSBEND) | TL_PT_KIND(OVF) |
				 TL_PT_KIND(UNKNOWN) | TL_PT_KIND(INVALID);
	struct psb_ahead ahead;
	uint64_t ip;

	if (!(flow->config.errata & TL_PT_APL12))
		return false;
	ahead = look_ahead(flow, fup->pos + fup->size, ~decides);
	return is_one_of(&ahead, TL_PT_KIND(STOP) | TL_PT_KIND(TIP_PGE)) ||
	       (is_one_of(&ahead, TL_PT_KIND(PSB)) && tl_pt_psb_is_whole(flow, ahead.pos) &&
		!tl_pt_psb_address(flow, ahead.pos, &ip));
}

static int overflow_at_fup(struct tl_pt_flow *flow, struct tl_pt_event *event,
			   const struct psb_ahead *fup)
{
	int status;

	if (!unexpected_fup(flow, fup)) {
		tl_pt_flow_set_enabled(flow, true);
		return tl_pt_flow_bind(flow, event, false);
	}
	status = overflow_off(flow, event, fup->pos + fup->size);
	flow->last_ip = fup->last_ip;
	return status;
}

int tl_pt_rule_ovf(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_OVERFLOW);
	struct psb_ahead ahead = look_ahead(flow, flow->pos, tl_pt_kinds_neutral);
	int status;

	(void)item;
	if (flow->flags & TL_PT_FLOW_TIMED)
		tl_pt_clock_packet(&flow->time, packet, &flow->config);
	tl_pt_flow_stamp(flow, &event);
	drop_bound(flow);
	if (is_one_of(&ahead, TL_PT_KIND(FUP)))
		return overflow_at_fup(flow, &event, &ahead);
	if (flow->config.errata & TL_PT_SKD010 && resume_anywhere(flow, &event, &ahead, &status))
		return status;
	/* APL11: the TIP.PGD belongs to lost packets. */
	if (is_one_of(&ahead, TL_PT_KIND(TIP_PGD)) && flow->config.errata & TL_PT_APL11) {
		status = overflow_off(flow, &event, ahead.pos + ahead.size);
		flow->last_ip = ahead.last_ip;
		return status;
	}
	if (ahead.size < 0 || is_one_of(&ahead, tl_pt_kinds_disabled))
		return overflow_off(flow, &event, flow->pos);
	return -TL_PT_BAD_CONTEXT;
}

int tl_pt_rule_stop(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_STOP);

	(void)packet, (void)item;
	if (flow->slow_path_reasons & (TL_PT_SLOW_FUP | TL_PT_SLOW_BOUND))
		return -TL_PT_BAD_CONTEXT;
	tl_pt_flow_give(flow, &event);
	return TL_PT_GO_ON;
}
