/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that are an event each: power, PTWRITE, and what came after 2.0.5 (5.7). */
#include "trace.h"

/* ---- one packet, one event ---- */

int tl_compat_rule_stop(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	(void)packet;
	tl_compat_event_time(trace, tl_compat_alone(trace, ptev_stop));
	return TL_COMPAT_PASS;
}

int tl_compat_rule_mnt(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	tl_compat_alone(trace, ptev_mnt)->variant.mnt.payload = packet->mnt.payload;
	tl_compat_event_time(trace, trace->event);
	return TL_COMPAT_PASS;
}

/* An event that waits for a FUP if one is to come, else it is given without an address. */
static struct pt_event *with_or_without(struct tl_compat_trace *trace, enum pt_event_type type,
					bool has_ip)
{
	if (has_ip)
		return tl_compat_wait(trace, TL_COMPAT_FUP, type);
	tl_compat_alone(trace, type)->ip_suppressed = 1;
	return trace->event;
}

int tl_compat_rule_exstop(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	return with_or_without(trace, ptev_exstop, packet->exstop.ip) ? TL_COMPAT_PASS
								      : -pte_internal;
}

int tl_compat_rule_mwait(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_wait(trace, TL_COMPAT_FUP, ptev_mwait);

	if (!event)
		return -pte_internal;
	event->variant.mwait.hints = packet->mwait.hints;
	event->variant.mwait.ext = packet->mwait.ext;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_pwre(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_alone(trace, ptev_pwre);

	event->variant.pwre.state = packet->pwre.state;
	event->variant.pwre.sub_state = packet->pwre.sub_state;
	event->variant.pwre.hw = packet->pwre.hw;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_pwrx(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_alone(trace, ptev_pwrx);

	event->variant.pwrx.last = packet->pwrx.last;
	event->variant.pwrx.deepest = packet->pwrx.deepest;
	event->variant.pwrx.interrupt = packet->pwrx.interrupt;
	event->variant.pwrx.store = packet->pwrx.store;
	event->variant.pwrx.autonomous = packet->pwrx.autonomous;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_ptw(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = with_or_without(trace, ptev_ptwrite, packet->ptw.ip);

	if (!event)
		return -pte_internal;
	event->variant.ptwrite.size = packet->ptw.plc ? 8 : 4;
	event->variant.ptwrite.payload = packet->ptw.payload;
	return TL_COMPAT_PASS;
}

/* ---- what came after 2.0.5 (5.7) ---- */

/* The FUP behind a block of PEBS belongs to it (9.16); nobody is told. */
int tl_compat_rule_bep(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	trace->swallow_fup = packet->bep.ip;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_trig(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = with_or_without(trace, ptev_trig, packet->trig.ip);

	if (!event)
		return -pte_internal;
	event->variant.trig.trbv = packet->trig.trbv;
	event->variant.trig.icnt = packet->trig.icnt;
	event->variant.trig.mult = packet->trig.mult;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_PASS;
}

int tl_compat_rule_evd(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	unsigned type = packet->evd.type;

	if (type > pt_evd_vmxr)
		return TL_COMPAT_PASS;
	if (trace->have_evd[type])
		return -pte_bad_context;
	trace->have_evd[type] = true;
	trace->evd[type] = packet->evd.payload;
	return TL_COMPAT_PASS;
}

static const struct {
	enum pt_event_type type; /* ptev_tip: none */
	bool async; /* without an address of its own it comes with the FUP and TIP of its branch */
} cfes[16] = {
	[0] = { ptev_tip, false },
	[pt_cfe_intr] = { ptev_interrupt, true },
	[pt_cfe_iret] = { ptev_iret, false },
	[pt_cfe_smi] = { ptev_smi, true },
	[pt_cfe_rsm] = { ptev_rsm, false },
	[pt_cfe_sipi] = { ptev_sipi, false },
	[pt_cfe_init] = { ptev_init, true },
	[pt_cfe_vmentry] = { ptev_vmentry, false },
	[pt_cfe_vmexit] = { ptev_vmexit, true },
	[pt_cfe_vmexit_intr] = { ptev_vmexit, true },
	[pt_cfe_shutdown] = { ptev_shutdown, true },
	[11] = { ptev_tip, false },
	[pt_cfe_uintr] = { ptev_uintr, true },
	[pt_cfe_uiret] = { ptev_uiret, false },
	[pt_cfe_swintr] = { ptev_swintr, true },
	[pt_cfe_syscall] = { ptev_syscall, true },
};

static void fill_cfe(struct tl_compat_trace *trace, struct pt_event *event,
		     const struct tl_pt_packet *packet)
{
	tl_compat_event_time(trace, event);
	if (event->type == ptev_interrupt) {
		event->variant.interrupt.vector = packet->cfe.vector;
		event->variant.interrupt.has_cr2 = trace->have_evd[pt_evd_cr2];
		event->variant.interrupt.cr2 =
			trace->have_evd[pt_evd_cr2] ? trace->evd[pt_evd_cr2] : 0;
	} else if (event->type == ptev_vmexit) {
		event->variant.vmexit.has_vector = packet->cfe.type == pt_cfe_vmexit_intr;
		event->variant.vmexit.vector =
			packet->cfe.type == pt_cfe_vmexit_intr ? packet->cfe.vector : 0;
		event->variant.vmexit.has_vmxq = trace->have_evd[pt_evd_vmxq];
		event->variant.vmexit.vmxq =
			trace->have_evd[pt_evd_vmxq] ? trace->evd[pt_evd_vmxq] : 0;
		event->variant.vmexit.has_vmxr = trace->have_evd[pt_evd_vmxr];
		event->variant.vmexit.vmxr =
			trace->have_evd[pt_evd_vmxr] ? trace->evd[pt_evd_vmxr] : 0;
	} else if (event->type == ptev_sipi) {
		event->variant.sipi.vector = packet->cfe.vector;
	} else if (event->type == ptev_uintr) {
		event->variant.uintr.vector = packet->cfe.vector;
	} else if (event->type == ptev_swintr) {
		event->variant.swintr.vector = packet->cfe.vector;
	}
}

int tl_compat_rule_cfe(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	enum pt_event_type type = packet->cfe.type < 16 ? cfes[packet->cfe.type].type : ptev_tip;
	bool async = type != ptev_tip && cfes[packet->cfe.type].async && trace->enabled;
	struct pt_event *event;

	if (type == ptev_tip)
		return TL_COMPAT_PASS;
	if ((trace->have_evd[pt_evd_cr2] && type != ptev_interrupt) ||
	    ((trace->have_evd[pt_evd_vmxq] || trace->have_evd[pt_evd_vmxr]) && type != ptev_vmexit))
		return -pte_bad_context;
	event = with_or_without(trace, type, packet->cfe.ip || async);
	if (!event)
		return -pte_internal;
	fill_cfe(trace, event, packet);
	/* Until it is given: the FUP is the branch's. */
	event->reserved[0] = !packet->cfe.ip && async;
	memset(trace->have_evd, 0, sizeof(trace->have_evd));
	return TL_COMPAT_PASS;
}
