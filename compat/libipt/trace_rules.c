/* SPDX-License-Identifier: Apache-2.0 */
/* What each packet does (sections 5 and 6 of docs/formats/intel-pt.md), as 2.0.5 has it. */
#include "trace.h"

/* ---- time, and what says nothing ---- */

static int skip(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	(void)trace, (void)packet;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_keep_time(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	tl_pt_clock_packet(&trace->time, packet, trace->config);
	return TL_COMPAT_PASS;
}

bool tl_compat_takes_tma(const struct tl_pt_clock *time)
{
	return time->have_tsc && !time->have_tma;
}

static int tma(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	if (!tl_compat_takes_tma(&trace->time))
		return -pte_bad_context;
	return tl_compat_rule_keep_time(trace, packet);
}

/* SKD007 (7): the byte 02 that ended a CYC begins an OVF in place of its rest. */
static int cyc(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	const uint8_t *rest = trace->pos + packet->size;

	if (trace->config->errata & TL_PT_SKD007 && packet->size == 2 &&
	    (packet->cyc.value & 0xffe0) == 0x20 && rest < trace->config->end && *rest == 0xf3) {
		trace->pos++;
		return TL_COMPAT_STAY;
	}
	return tl_compat_rule_keep_time(trace, packet);
}

static int cbr(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	tl_compat_rule_keep_time(trace, packet);
	tl_compat_alone(trace, ptev_cbr)->variant.cbr.ratio = packet->cbr.ratio;
	tl_compat_event_time(trace, trace->event);
	return TL_COMPAT_PASS;
}

/* ---- branches ---- */

static int tnt(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	if (trace->count)
		return -pte_bad_context;
	trace->bits = packet->tnt.bits;
	trace->count = packet->tnt.count;
	return TL_COMPAT_PASS;
}

/* Once the last event that waited has been given, the packet is used up if one of them says so. */
static int after_events(struct tl_compat_trace *trace, enum tl_compat_bound bound)
{
	if (tl_compat_waits(trace, bound) || !trace->consume)
		return TL_COMPAT_STAY;
	trace->consume = false;
	return TL_COMPAT_PASS;
}

static int tip(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event;

	tl_compat_update_ip(trace, packet);
	event = tl_compat_take(trace, TL_COMPAT_TIP);
	if (!event)
		return TL_COMPAT_PASS;
	trace->event = event;
	if (event->type == ptev_async_branch) {
		trace->consume = true;
		tl_compat_give_ip(trace, event, &event->variant.async_branch.to);
	} else if (event->type == ptev_async_paging) {
		tl_compat_give_ip(trace, event, &event->variant.async_paging.ip);
	} else if (event->type == ptev_async_vmcs) {
		tl_compat_give_ip(trace, event, &event->variant.async_vmcs.ip);
	} else if (event->type == ptev_exec_mode) {
		tl_compat_give_ip(trace, event, &event->variant.exec_mode.ip);
	} else {
		tl_compat_give_ip(trace, event, &event->variant.iflags.ip);
	}
	return after_events(trace, TL_COMPAT_TIP);
}

/* First comes that tracing is on: what waits is applied to that. */
static int pge(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event;

	tl_compat_update_ip(trace, packet);
	if (!trace->consume) {
		uint64_t ip;

		if (tl_compat_last_ip(trace, &ip) < 0)
			return -pte_bad_packet;
		event = tl_compat_alone(trace, ptev_enabled);
		event->variant.enabled.ip = ip;
		tl_compat_event_time(trace, event);
		/* Outcomes that are left belong to what was before. */
		trace->bits = trace->count = 0;
		trace->consume = trace->enabled = true;
		return after_events(trace, TL_COMPAT_TIP);
	}
	event = tl_compat_take(trace, TL_COMPAT_TIP);
	if (!event)
		return -pte_internal;
	if (event->type == ptev_exec_mode)
		tl_compat_give_ip(trace, event, &event->variant.exec_mode.ip);
	else if (event->type == ptev_iflags)
		tl_compat_give_ip(trace, event, &event->variant.iflags.ip);
	else
		return -pte_bad_context;
	trace->event = event;
	return after_events(trace, TL_COMPAT_TIP);
}

static int pgd(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event;

	tl_compat_update_ip(trace, packet);
	event = tl_compat_take(trace, TL_COMPAT_TIP);
	if (!event) {
		event = tl_compat_alone(trace, ptev_disabled);
		tl_compat_give_ip(trace, event, &event->variant.disabled.ip);
		tl_compat_event_time(trace, event);
	} else if (event->type == ptev_async_branch) {
		event->type = ptev_async_disabled;
		tl_compat_give_ip(trace, event, &event->variant.async_disabled.ip);
	} else {
		/* It takes effect where nothing is traced. */
		event->ip_suppressed = 1;
	}
	trace->event = event;
	if (tl_compat_waits(trace, TL_COMPAT_TIP))
		return TL_COMPAT_STAY;
	trace->enabled = false;
	return TL_COMPAT_PASS;
}

/* Where the kinds that wait for a FUP have their address; and whether it is then used up. */
static uint64_t *place_of(struct pt_event *event, bool *consume)
{
	*consume = true;
	switch (event->type) {
	case ptev_overflow:
		return &event->variant.overflow.ip;
	case ptev_tsx:
		/* That of an abort is the source of a branch, too. */
		*consume = !event->variant.tsx.aborted;
		return &event->variant.tsx.ip;
	case ptev_exstop:
		return &event->variant.exstop.ip;
	case ptev_mwait:
		return &event->variant.mwait.ip;
	case ptev_ptwrite:
		return &event->variant.ptwrite.ip;
	case ptev_trig:
		return &event->variant.trig.ip;
	case ptev_interrupt:
		return &event->variant.interrupt.ip;
	case ptev_vmexit:
		return &event->variant.vmexit.ip;
	case ptev_uintr:
		return &event->variant.uintr.ip;
	case ptev_swintr:
		return &event->variant.swintr.ip;
	default:
		return &event->variant.iret.ip;
	}
}

static int source_of_branch(struct tl_compat_trace *trace)
{
	struct pt_event *event;
	uint64_t ip;
	int status = tl_compat_last_ip(trace, &ip);

	if (status < 0)
		return status;
	event = tl_compat_wait(trace, TL_COMPAT_TIP, ptev_async_branch);
	if (!event)
		return -pte_nomem;
	event->variant.async_branch.from = ip;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_PASS;
}

static int fup(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event;
	uint64_t *ip;
	bool consume;
	int status;

	tl_compat_update_ip(trace, packet);
	event = tl_compat_take(trace, TL_COMPAT_FUP);
	if (!event && trace->swallow_fup) {
		trace->swallow_fup = false;
		return TL_COMPAT_PASS;
	}
	if (!event)
		return source_of_branch(trace);
	ip = place_of(event, &consume);
	/* CFE without an address of its own comes with the branch that it is about. */
	if (event->reserved[0]) {
		event->reserved[0] = 0;
		consume = false;
	}
	trace->consume |= consume;
	status = tl_compat_last_ip(trace, ip);
	if (status < 0 && event->type == ptev_overflow)
		return status;
	event->ip_suppressed = status < 0;
	trace->event = event;
	return after_events(trace, TL_COMPAT_FUP);
}

/* ---- address space and mode ---- */

static int pip(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	bool async = tl_compat_find(trace, TL_COMPAT_TIP, ptev_async_branch) != NULL;
	struct pt_event *event = async ? tl_compat_wait(trace, TL_COMPAT_TIP, ptev_async_paging)
				       : tl_compat_alone(trace, ptev_paging);

	if (!event)
		return -pte_nomem;
	event->variant.paging.cr3 = packet->pip.cr3;
	event->variant.paging.non_root = packet->pip.nr;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_PASS;
}

static int vmcs(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_find(trace, TL_COMPAT_TIP, ptev_async_paging), *paging;

	if (event) {
		/* It comes before the paging event, and has its time. */
		paging = tl_compat_wait(trace, TL_COMPAT_TIP, ptev_async_paging);
		if (!paging)
			return -pte_nomem;
		*paging = *event;
		event->type = ptev_async_vmcs;
		event->variant.async_vmcs.base = packet->vmcs.base;
		return TL_COMPAT_PASS;
	}
	if (tl_compat_find(trace, TL_COMPAT_TIP, ptev_async_branch)) {
		event = tl_compat_wait(trace, TL_COMPAT_TIP, ptev_async_vmcs);
		if (!event)
			return -pte_nomem;
		event->variant.async_vmcs.base = packet->vmcs.base;
		return TL_COMPAT_PASS;
	}
	event = tl_compat_alone(trace, ptev_vmcs);
	event->variant.vmcs.base = packet->vmcs.base;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_PASS;
}

static int mode_exec(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_wait(trace, TL_COMPAT_TIP, ptev_exec_mode);
	bool changes = packet->mode.iflag != trace->iflag || !trace->iflag_known;

	if (!event)
		return -pte_nomem;
	event->variant.exec_mode.mode = pt_get_exec_mode(
		&(struct pt_packet_mode_exec){ .csl = packet->mode.csl, .csd = packet->mode.csd });
	tl_compat_event_time(trace, event);
	if (!(trace->config->flags & TL_PT_IFLAG_EVENTS) || !changes)
		return TL_COMPAT_PASS;
	event = tl_compat_wait(trace, TL_COMPAT_TIP, ptev_iflags);
	if (!event)
		return -pte_nomem;
	event->variant.iflags.iflag = trace->iflag = packet->mode.iflag;
	trace->iflag_known = true;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_PASS;
}

static int mode(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event;

	if (packet->mode.leaf == TL_PT_MODE_EXEC)
		return mode_exec(trace, packet);
	event = trace->enabled ? tl_compat_wait(trace, TL_COMPAT_FUP, ptev_tsx)
			       : tl_compat_alone(trace, ptev_tsx);
	if (!event)
		return -pte_nomem;
	event->ip_suppressed = !trace->enabled;
	event->variant.tsx.speculative = packet->mode.intx;
	event->variant.tsx.aborted = packet->mode.abrt;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_PASS;
}

/* ---- all of them ---- */

enum { EVENT = TL_COMPAT_GIVES_EVENT, PSB_END = TL_COMPAT_ENDS_PSB };

const struct tl_compat_rule *tl_compat_rule_of(enum tl_pt_packet_kind kind)
{
	static const struct tl_compat_rule rules[TL_PT_PKT_COUNT] = {
		[TL_PT_PKT_INVALID] = { skip, skip, 0 },
		[TL_PT_PKT_UNKNOWN] = { skip, skip, 0 },
		[TL_PT_PKT_PAD] = { skip, skip, 0 },
		[TL_PT_PKT_PSB] = { tl_compat_rule_psb, NULL, 0 },
		[TL_PT_PKT_PSBEND] = { tl_compat_rule_psbend, NULL, PSB_END },
		[TL_PT_PKT_FUP] = { fup, tl_compat_rule_header_fup, TL_COMPAT_IS_FUP },
		[TL_PT_PKT_TIP] = { tip, NULL, TL_COMPAT_IS_TIP },
		[TL_PT_PKT_TIP_PGE] = { pge, NULL, EVENT },
		[TL_PT_PKT_TIP_PGD] = { pgd, NULL, EVENT },
		[TL_PT_PKT_TNT_8] = { tnt, NULL, TL_COMPAT_IS_TNT },
		[TL_PT_PKT_TNT_64] = { tnt, NULL, TL_COMPAT_IS_TNT },
		[TL_PT_PKT_MODE] = { mode, tl_compat_rule_header_mode, EVENT },
		[TL_PT_PKT_PIP] = { pip, tl_compat_rule_header_pip, EVENT },
		[TL_PT_PKT_VMCS] = { vmcs, tl_compat_rule_header_vmcs, EVENT },
		[TL_PT_PKT_CBR] = { cbr, tl_compat_rule_header_cbr, EVENT },
		[TL_PT_PKT_TSC] = { tl_compat_rule_keep_time, tl_compat_rule_keep_time, 0 },
		[TL_PT_PKT_TMA] = { tma, tma, 0 },
		[TL_PT_PKT_MTC] = { tl_compat_rule_keep_time, tl_compat_rule_keep_time, 0 },
		[TL_PT_PKT_CYC] = { cyc, cyc, 0 },
		[TL_PT_PKT_STOP] = { tl_compat_rule_stop, NULL, EVENT },
		[TL_PT_PKT_OVF] = { tl_compat_rule_ovf, NULL, EVENT | PSB_END },
		[TL_PT_PKT_MNT] = { tl_compat_rule_mnt, tl_compat_rule_header_mnt, EVENT },
		[TL_PT_PKT_EXSTOP] = { tl_compat_rule_exstop, NULL, EVENT },
		[TL_PT_PKT_MWAIT] = { tl_compat_rule_mwait, NULL, EVENT },
		[TL_PT_PKT_PWRE] = { tl_compat_rule_pwre, NULL, EVENT },
		[TL_PT_PKT_PWRX] = { tl_compat_rule_pwrx, NULL, EVENT },
		[TL_PT_PKT_PTW] = { tl_compat_rule_ptw, NULL, EVENT },
		[TL_PT_PKT_CFE] = { tl_compat_rule_cfe, NULL, EVENT },
		[TL_PT_PKT_EVD] = { tl_compat_rule_evd, NULL, 0 },
		[TL_PT_PKT_TRIG] = { tl_compat_rule_trig, NULL, EVENT },
		[TL_PT_PKT_BBP] = { skip, NULL, 0 },
		[TL_PT_PKT_BIP] = { skip, NULL, 0 },
		[TL_PT_PKT_BEP] = { tl_compat_rule_bep, NULL, 0 },
	};

	return &rules[kind];
}
