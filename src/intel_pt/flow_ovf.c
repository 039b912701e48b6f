/* SPDX-License-Identifier: Apache-2.0 */
/* OVF: packets were lost; what follows says how flow goes on (5.2). TraceStop. */
#include "intel_pt/rules.h"

#define KIND(kind) (UINT64_C(1) << TL_PT_PKT_##kind)

/* What says nothing about flow. */
static const uint64_t passed = KIND(PAD) | KIND(MNT) | KIND(CBR) | KIND(TSC) | KIND(TMA) | KIND(MTC) | KIND(CYC) |
			       KIND(UNKNOWN) | KIND(INVALID) | KIND(BBP) | KIND(BIP);
/* Tracing is off before these. */
static const uint64_t when_off = KIND(PSB) | KIND(TIP_PGE) | KIND(MODE) | KIND(PIP) | KIND(VMCS) | KIND(STOP) |
				 KIND(OVF) | KIND(EXSTOP) | KIND(MWAIT) | KIND(PWRE) | KIND(PWRX) | KIND(PTW) |
				 KIND(CFE) | KIND(EVD) | KIND(TRIG) | KIND(BEP);

struct ahead {
	struct tl_pt_packet packet;
	const uint8_t *pos;
	int size; /* negative: no such packet */
	uint64_t last_ip; /* behind it */
};

/* The next packet whose kind is not in `skip`. */
static struct ahead look_ahead(const struct tl_pt_flow *flow, const uint8_t *pos, uint64_t skip)
{
	struct tl_pt_context context = flow->context;
	struct ahead ahead = { .pos = pos, .last_ip = flow->last_ip };

	for (;;) {
		ahead.size = tl_pt_flow_decode(flow, &ahead.packet, ahead.pos, &context);
		if (ahead.size < 0)
			return ahead;
		if (ahead.packet.kind >= TL_PT_PKT_FUP && ahead.packet.kind <= TL_PT_PKT_TIP_PGD)
			ahead.last_ip = tl_pt_apply_ip(ahead.pos + 1, ahead.packet.ip.ipc, ahead.last_ip);
		if (!(skip >> ahead.packet.kind & 1))
			return ahead;
		ahead.pos += ahead.size;
	}
}

/* What waited: published without an address while tracing was off, else it is lost with the rest. */
static void settle(struct tl_pt_flow *flow)
{
	bool was_on = tl_pt_flow_is_on(flow);

	for (uint32_t i = 0; i < flow->bound_count && !was_on; i++)
		if (!flow->bound[i].silent)
			tl_pt_flow_give_bare(flow, &flow->bound[i].event);
	tl_pt_flow_drop(flow);
	flow->running = false;
}

/* Tracing is off, as far as one can tell; packets go on at `pos`. */
static int overflow_off(struct tl_pt_flow *flow, struct tl_pt_event *event, const uint8_t *pos)
{
	tl_pt_flow_set_on(flow, false);
	tl_pt_flow_give_bare(flow, event);
	tl_pt_flow_pass(flow, pos);
	return TL_PT_GO_ON;
}

/* Flow goes on at the address of a packet that is used up by this. */
static int overflow_at(struct tl_pt_flow *flow, struct tl_pt_event *event, const struct ahead *ahead)
{
	tl_pt_flow_set_on(flow, true);
	tl_pt_flow_pass(flow, ahead->pos + ahead->size);
	flow->last_ip = event->ip = ahead->last_ip;
	tl_pt_flow_give(flow, event);
	return TL_PT_GO_ON;
}

/* The FUP of a PSB+ says where flow goes on, if there is one; the PSB+ itself comes next. */
static int overflow_at_psb(struct tl_pt_flow *flow, struct tl_pt_event *event, const struct ahead *psb)
{
	uint64_t ip;

	if (!tl_pt_psb_address(flow, psb->pos, &ip))
		return overflow_off(flow, event, psb->pos);
	tl_pt_flow_set_on(flow, true);
	event->ip = ip;
	tl_pt_flow_give(flow, event);
	return TL_PT_GO_ON;
}

/* SKD010 (7): FUP or TIP.PGE may be missing; flow goes on with the next packet that gives an address. */
static int resume_anywhere(struct tl_pt_flow *flow, struct tl_pt_event *event)
{
	const uint64_t places = KIND(FUP) | KIND(TIP) | KIND(TIP_PGE) | KIND(TIP_PGD) | KIND(PSB) | KIND(OVF);
	struct ahead ahead = look_ahead(flow, flow->pos, ~places);

	if (ahead.size < 0)
		return overflow_off(flow, event, ahead.pos);
	switch (ahead.packet.kind) {
	case TL_PT_PKT_TIP_PGD:
		flow->last_ip = ahead.last_ip;
		return overflow_off(flow, event, ahead.pos + ahead.size);
	case TL_PT_PKT_FUP:
	case TL_PT_PKT_TIP:
		if (ahead.packet.ip.ipc != TL_PT_IPC_SUPPRESSED)
			return overflow_at(flow, event, &ahead);
		break;
	case TL_PT_PKT_PSB:
		tl_pt_flow_pass(flow, ahead.pos);
		return overflow_at_psb(flow, event, &ahead);
	default:
		break;
	}
	return overflow_off(flow, event, ahead.pos);
}

/* APL12 (7): the FUP behind an overflow is none if tracing turns out to be off behind it. */
static bool unexpected_fup(const struct tl_pt_flow *flow, const struct ahead *fup)
{
	struct ahead ahead;

	if (!(flow->config.errata & TL_PT_APL12))
		return false;
	ahead = look_ahead(flow, fup->pos + fup->size, passed | KIND(MODE));
	return ahead.size > 0 && (ahead.packet.kind == TL_PT_PKT_PSB || ahead.packet.kind == TL_PT_PKT_TIP_PGE);
}

int tl_pt_rule_ovf(struct tl_pt_flow *flow, const struct tl_pt_packet *packet, struct tl_pt_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_OVERFLOW);
	struct ahead ahead = look_ahead(flow, flow->pos, passed);

	(void)item;
	if (flow->timed)
		tl_pt_time_packet(&flow->time, packet, &flow->config);
	settle(flow);
	if (ahead.size > 0 && ahead.packet.kind == TL_PT_PKT_PSB && flow->config.errata & TL_PT_SKD010)
		return overflow_at_psb(flow, &event, &ahead);
	if (ahead.size < 0 || when_off >> ahead.packet.kind & 1)
		return overflow_off(flow, &event, flow->pos);
	if (ahead.packet.kind == TL_PT_PKT_FUP) {
		if (unexpected_fup(flow, &ahead)) {
			flow->last_ip = ahead.last_ip;
			return overflow_off(flow, &event, ahead.pos + ahead.size);
		}
		tl_pt_flow_set_on(flow, true);
		return tl_pt_flow_bind(flow, &event, false);
	}
	if (flow->config.errata & TL_PT_SKD010)
		return resume_anywhere(flow, &event);
	if (ahead.packet.kind == TL_PT_PKT_TIP_PGD && flow->config.errata & (TL_PT_APL11 | TL_PT_APL12)) {
		flow->last_ip = ahead.last_ip;
		return overflow_off(flow, &event, ahead.pos + ahead.size);
	}
	return -TL_PT_BAD_CONTEXT;
}

int tl_pt_rule_stop(struct tl_pt_flow *flow, const struct tl_pt_packet *packet, struct tl_pt_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_STOP);

	(void)packet, (void)item;
	if (flow->hold & (TL_PT_HOLD_FUP | TL_PT_HOLD_BOUND))
		return -TL_PT_BAD_CONTEXT;
	tl_pt_flow_give(flow, &event);
	return TL_PT_GO_ON;
}
