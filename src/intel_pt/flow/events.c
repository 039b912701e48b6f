/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that are one event each: power, PTWRITE, TRIG, event trace (5.7). */
#include "intel_pt/flow/rules.h"

/* ---- one packet, one event ---- */

int tl_pt_rule_skip(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	(void)flow, (void)packet, (void)item;
	return TL_PT_GO_ON;
}

int tl_pt_rule_time(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	(void)item;
	/* The time packets of a PSB+ were taken when it began. */
	if (flow->flags & TL_PT_FLOW_TIMED && flow->packet >= flow->timing.pos)
		tl_pt_clock_packet(&flow->time, packet, &flow->config);
	return TL_PT_GO_ON;
}

int tl_pt_rule_cbr(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_CBR);

	tl_pt_rule_time(flow, packet, item);
	event.cbr.ratio = packet->cbr.ratio;
	event.status_update = flow->slow_path_reasons & TL_PT_SLOW_PSB;
	tl_pt_flow_give(flow, &event);
	return TL_PT_GO_ON;
}

int tl_pt_rule_mnt(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_MNT);

	(void)item;
	event.mnt.payload = packet->mnt.payload;
	tl_pt_flow_give(flow, &event);
	return TL_PT_GO_ON;
}

/*
 * The event waits for its FUP, if one follows; else its location is left to the walk, or is not
 * known.
 */
static int with_or_without(struct tl_pt_flow *flow, struct tl_pt_event *event, bool has_ip)
{
	if (has_ip)
		return tl_pt_flow_bind(flow, event, false);
	tl_pt_flow_give_bare(flow, event);
	return TL_PT_GO_ON;
}

int tl_pt_rule_ptw(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_PTWRITE);

	(void)item;
	event.ptwrite.payload = packet->ptw.payload;
	event.ptwrite.size = packet->ptw.plc ? 8 : 4;
	return with_or_without(flow, &event, packet->ptw.ip);
}

int tl_pt_rule_trig(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_TRIG);

	(void)item;
	event.trig.trbv = packet->trig.trbv;
	event.trig.icnt = packet->trig.icnt;
	event.trig.icntv = packet->trig.icntv;
	event.trig.mult = packet->trig.mult;
	return with_or_without(flow, &event, packet->trig.ip);
}

/* The FUP behind a block belongs to it (9.16), and makes no event. */
int tl_pt_rule_bep(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_COUNT);

	(void)item;
	return packet->bep.ip ? tl_pt_flow_bind(flow, &event, false) : TL_PT_GO_ON;
}

/* ---- power: MWAIT waits for EXSTOP, PWRE for the next packets (5.7) ---- */

int tl_pt_rule_mwait(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		     struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_MWAIT);

	(void)item;
	event.mwait.hints = packet->mwait.hints;
	event.mwait.ext = packet->mwait.ext;
	tl_pt_flow_give_power(flow);
	flow->queued.mwait = event;
	flow->queued.have_mwait = true;
	flow->slow_path_reasons |= TL_PT_SLOW_POWER;
	return TL_PT_GO_ON;
}

int tl_pt_rule_pwre(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_PWRE);

	(void)item;
	event.pwre.state = packet->pwre.state;
	event.pwre.sub_state = packet->pwre.sub_state;
	event.pwre.hw = packet->pwre.hw;
	if (flow->flags & TL_PT_FLOW_CLASSIC) {
		tl_pt_flow_give(flow, &event);
		return TL_PT_GO_ON;
	}
	tl_pt_flow_give_pwre(flow);
	tl_pt_flow_stamp(flow, &event);
	flow->queued.pwre = event;
	flow->queued.have_pwre = true;
	flow->slow_path_reasons |= TL_PT_SLOW_POWER;
	return TL_PT_GO_ON;
}

int tl_pt_rule_exstop(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		      struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_EXSTOP);
	int status = TL_PT_GO_ON;

	(void)item;
	if (flow->queued.have_mwait)
		status = with_or_without(flow, &flow->queued.mwait, packet->exstop.ip);
	flow->queued.have_mwait = false;
	if (status == TL_PT_GO_ON)
		status = with_or_without(flow, &event, packet->exstop.ip);
	if (!packet->exstop.ip)
		tl_pt_flow_give_power(flow);
	return status;
}

int tl_pt_rule_pwrx(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		    struct tl_pt_flow_item *item)
{
	struct tl_pt_event event = tl_pt_event_at(flow, TL_PT_EV_PWRX);

	(void)item;
	event.pwrx.last = packet->pwrx.last;
	event.pwrx.deepest = packet->pwrx.deepest;
	event.pwrx.interrupt = packet->pwrx.interrupt;
	event.pwrx.store = packet->pwrx.store;
	event.pwrx.autonomous = packet->pwrx.autonomous;
	tl_pt_flow_give(flow, &event);
	return TL_PT_GO_ON;
}

/* ---- event trace: EVD data precede their CFE (5.7) ---- */

enum { EVD_CR2, EVD_VMXQ, EVD_VMXR };

int tl_pt_rule_evd(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	bool *have[] = { &flow->queued.have_cr2, &flow->queued.have_vmxq, &flow->queued.have_vmxr };
	uint64_t *value[] = { &flow->queued.cr2, &flow->queued.vmxq, &flow->queued.vmxr };
	unsigned type = packet->evd.type;

	(void)item;
	if (type > EVD_VMXR)
		return TL_PT_GO_ON;
	/* A page-fault address belongs to an interrupt, the two others to a VM exit. */
	if (*have[type] || (type == EVD_CR2 ? flow->queued.have_vmxq || flow->queued.have_vmxr
					    : flow->queued.have_cr2))
		return -TL_PT_BAD_CONTEXT;
	*have[type] = true;
	*value[type] = packet->evd.payload;
	flow->slow_path_reasons |= TL_PT_SLOW_EVD;
	return TL_PT_GO_ON;
}

static const struct {
	uint8_t kind; /* TL_PT_EV_COUNT: no known kind */
	/* if it has no address of its own, it has that of the FUP and TIP of its branch */
	bool async;
	bool vector;
} cfes[32] = {
	[0] = { TL_PT_EV_COUNT, false, false },    [1] = { TL_PT_EV_INTERRUPT, true, true },
	[2] = { TL_PT_EV_IRET, false, false },     [3] = { TL_PT_EV_SMI, true, false },
	[4] = { TL_PT_EV_RSM, false, false },      [5] = { TL_PT_EV_SIPI, false, true },
	[6] = { TL_PT_EV_INIT, true, false },      [7] = { TL_PT_EV_VMENTRY, false, false },
	[8] = { TL_PT_EV_VMEXIT, true, false },    [9] = { TL_PT_EV_VMEXIT, true, true },
	[10] = { TL_PT_EV_SHUTDOWN, true, false }, [11] = { TL_PT_EV_COUNT, false, false },
	[12] = { TL_PT_EV_UINTR, true, true },     [13] = { TL_PT_EV_UIRET, false, false },
	[14] = { TL_PT_EV_SWINTR, true, true },    [15] = { TL_PT_EV_SYSCALL, true, false },
};

static void vmexit(const struct tl_pt_flow *flow, struct tl_pt_event *event, bool has_vector,
		   uint8_t vector)
{
	event->vmexit.has_vector = has_vector;
	event->vmexit.vector = has_vector ? vector : 0;
	event->vmexit.has_vmxq = flow->queued.have_vmxq;
	event->vmexit.vmxq = flow->queued.have_vmxq ? flow->queued.vmxq : 0;
	event->vmexit.has_vmxr = flow->queued.have_vmxr;
	event->vmexit.vmxr = flow->queued.have_vmxr ? flow->queued.vmxr : 0;
}

static void interrupt(const struct tl_pt_flow *flow, struct tl_pt_event *event, uint8_t vector)
{
	event->interrupt.vector = vector;
	event->interrupt.has_cr2 = flow->queued.have_cr2;
	event->interrupt.cr2 = flow->queued.have_cr2 ? flow->queued.cr2 : 0;
}

int tl_pt_rule_cfe(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		   struct tl_pt_flow_item *item)
{
	unsigned type = packet->cfe.type;
	enum tl_pt_event_kind kind = type < 16 ? cfes[type].kind : TL_PT_EV_COUNT;
	struct tl_pt_event event = tl_pt_event_at(flow, kind);

	(void)item;
	if ((flow->queued.have_cr2 && kind != TL_PT_EV_INTERRUPT) ||
	    ((flow->queued.have_vmxq || flow->queued.have_vmxr) && kind != TL_PT_EV_VMEXIT))
		return -TL_PT_BAD_CONTEXT;
	if (kind == TL_PT_EV_VMEXIT)
		vmexit(flow, &event, cfes[type].vector, packet->cfe.vector);
	else if (kind != TL_PT_EV_COUNT && cfes[type].vector)
		interrupt(flow, &event, packet->cfe.vector);
	flow->queued.have_cr2 = flow->queued.have_vmxq = flow->queued.have_vmxr = false;
	flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_EVD;
	if (packet->cfe.ip)
		return tl_pt_flow_bind(flow, &event, false);
	if (kind == TL_PT_EV_COUNT)
		return TL_PT_GO_ON;
	if (cfes[type].async && tl_pt_flow_is_enabled(flow))
		return tl_pt_flow_bind(flow, &event, true);
	tl_pt_flow_give_bare(flow, &event);
	return TL_PT_GO_ON;
}
