/* SPDX-License-Identifier: Apache-2.0 */
/* PSB+: what its packets say of the present, to be told at its end (5.1). */
#include "trace.h"

/* ---- PSB+ ---- */

int tl_compat_rule_psb(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	const uint8_t *pos = trace->pos;
	int status;

	tl_compat_rule_keep_time(trace, packet);
	trace->pos += packet->size;
	trace->context.items = TL_PT_ITEMS_NONE;
	status = tl_compat_trace_header(trace);
	trace->time.in_psb = false;
	if (status >= 0)
		return TL_COMPAT_STAY;
	trace->pos = pos;
	trace->waiting[TL_COMPAT_PSBEND].begin = trace->waiting[TL_COMPAT_PSBEND].end = 0;
	trace->next = TL_PT_PKT_PSB;
	trace->have_next = true;
	return status;
}

bool tl_compat_give_status(struct tl_compat_trace *trace)
{
	struct pt_event *event = tl_compat_take(trace, TL_COMPAT_PSBEND);

	if (!event)
		return false;
	event->status_update = event->type != ptev_mnt;
	tl_compat_event_time(trace, event);
	if (event->type == ptev_async_paging)
		tl_compat_give_ip(trace, event, &event->variant.async_paging.ip);
	else if (event->type == ptev_exec_mode)
		tl_compat_give_ip(trace, event, &event->variant.exec_mode.ip);
	else if (event->type == ptev_tsx)
		tl_compat_give_ip(trace, event, &event->variant.tsx.ip);
	else if (event->type == ptev_async_vmcs)
		tl_compat_give_ip(trace, event, &event->variant.async_vmcs.ip);
	else if (event->type == ptev_iflags)
		tl_compat_give_ip(trace, event, &event->variant.iflags.ip);
	trace->event = event;
	return true;
}

int tl_compat_rule_psbend(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	(void)packet;
	return tl_compat_give_status(trace) ? TL_COMPAT_STAY : TL_COMPAT_PASS;
}

/* BDM70 (7): whether a TIP.PGE comes before anything that says that tracing is on. */
static int enabled_next(const struct tl_compat_trace *trace, const uint8_t *pos)
{
	const uint64_t passed = 1u << TL_PT_PKT_PAD | 1u << TL_PT_PKT_TSC | 1u << TL_PT_PKT_CBR |
				1u << TL_PT_PKT_PSBEND | 1u << TL_PT_PKT_PIP |
				1u << TL_PT_PKT_MODE | 1u << TL_PT_PKT_VMCS | 1u << TL_PT_PKT_TMA |
				1u << TL_PT_PKT_MTC | 1u << TL_PT_PKT_CYC | 1u << TL_PT_PKT_MNT;
	struct tl_pt_context context = trace->context;
	struct tl_pt_packet packet;

	for (int size;; pos += size) {
		size = tl_pt_decode(&packet, pos, trace->config->end, &context);
		if (size < 0)
			return size == -pte_eos ? 0 : size;
		if (!(passed >> packet.kind & 1))
			return packet.kind == TL_PT_PKT_TIP_PGE;
	}
}

int tl_compat_rule_header_fup(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	if (trace->config->errata & TL_PT_BDM70 && !trace->enabled) {
		int status = enabled_next(trace, trace->pos + packet->size);

		if (status)
			return status < 0 ? status : TL_COMPAT_PASS;
	}
	tl_compat_update_ip(trace, packet);
	trace->enabled |= packet->ip.ipc != TL_PT_IPC_SUPPRESSED;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_header_mode(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	bool exec = packet->mode.leaf == TL_PT_MODE_EXEC;
	struct pt_event *event =
		tl_compat_wait(trace, TL_COMPAT_PSBEND, exec ? ptev_exec_mode : ptev_tsx);

	if (!event)
		return -pte_nomem;
	if (!exec) {
		event->variant.tsx.speculative = packet->mode.intx;
		event->variant.tsx.aborted = packet->mode.abrt;
		return TL_COMPAT_PASS;
	}
	event->variant.exec_mode.mode = pt_get_exec_mode(
		&(struct pt_packet_mode_exec){ .csl = packet->mode.csl, .csd = packet->mode.csd });
	if (!(trace->config->flags & TL_PT_IFLAG_EVENTS))
		return TL_COMPAT_PASS;
	event = tl_compat_wait(trace, TL_COMPAT_PSBEND, ptev_iflags);
	if (!event)
		return -pte_nomem;
	event->variant.iflags.iflag = trace->iflag = packet->mode.iflag;
	trace->iflag_known = true;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_header_pip(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_wait(trace, TL_COMPAT_PSBEND, ptev_async_paging);

	if (!event)
		return -pte_nomem;
	event->variant.async_paging.cr3 = packet->pip.cr3;
	event->variant.async_paging.non_root = packet->pip.nr;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_header_vmcs(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_wait(trace, TL_COMPAT_PSBEND, ptev_async_vmcs);

	if (!event)
		return -pte_nomem;
	event->variant.async_vmcs.base = packet->vmcs.base;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_header_mnt(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event = tl_compat_wait(trace, TL_COMPAT_PSBEND, ptev_mnt);

	if (!event)
		return -pte_nomem;
	event->variant.mnt.payload = packet->mnt.payload;
	return TL_COMPAT_PASS;
}

int tl_compat_rule_header_cbr(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event;

	tl_compat_rule_keep_time(trace, packet);
	event = tl_compat_wait(trace, TL_COMPAT_PSBEND, ptev_cbr);
	if (!event)
		return -pte_nomem;
	event->variant.cbr.ratio = packet->cbr.ratio;
	return TL_COMPAT_PASS;
}
