/* SPDX-License-Identifier: Apache-2.0 */
/* OVF: packets were lost, and what follows says whether tracing is on (5.2, and the errata of 7).
 */
#include "trace.h"

#define KIND(kind) (UINT64_C(1) << TL_PT_PKT_##kind)

static const uint64_t timing = KIND(TSC) | KIND(CBR) | KIND(TMA) | KIND(MTC) | KIND(CYC);

/* Packets ahead of where the trace stands, with the time that they tell. */
struct scan {
	const struct tl_compat_trace *trace;
	const uint8_t *pos, *packet_pos;
	struct tl_pt_context context;
	struct tl_pt_packet packet;
	struct tl_pt_clock time;
	bool tells_time; /* the time of what is found counts: a TMA that has no TSC is an error */
};

static struct scan scan_at(const struct tl_compat_trace *trace, const uint8_t *pos)
{
	return (struct scan){ .trace = trace,
			      .pos = pos,
			      .context = { trace->config, TL_PT_ITEMS_NONE },
			      .time = trace->time };
}

/* The next packet whose kind is not in `passed`. Its size, or an error. */
static int next(struct scan *scan, uint64_t passed)
{
	for (;;) {
		int size = tl_pt_decode(&scan->packet, scan->pos, scan->trace->config->end,
					&scan->context);

		if (size < 0)
			return size;
		scan->packet_pos = scan->pos;
		scan->pos += size;
		if (!(passed >> scan->packet.kind & 1))
			return size;
		if (scan->tells_time && scan->packet.kind == TL_PT_PKT_TMA &&
		    !tl_compat_takes_tma(&scan->time))
			return -pte_bad_context;
		if (timing >> scan->packet.kind & 1)
			tl_pt_clock_packet(&scan->time, &scan->packet, scan->trace->config);
	}
}

/* The FUP of a PSB+ that the scan is in: 1, 0: it has none; or an error. */
static int header_fup(struct scan *scan)
{
	int status = next(scan, ~(KIND(PSBEND) | KIND(FUP)));

	return status < 0 ? status : scan->packet.kind == TL_PT_PKT_FUP;
}

/* Tracing is off, as far as one can tell. */
static int give_off(struct tl_compat_trace *trace)
{
	struct pt_event *event = tl_compat_alone(trace, ptev_overflow);

	event->ip_suppressed = 1;
	trace->enabled = false;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_STAY;
}

/* Packets up to `pos` are used up. */
static int give_off_at(struct tl_compat_trace *trace, const struct scan *scan, const uint8_t *pos)
{
	trace->time = scan->time;
	trace->pos = pos;
	return give_off(trace);
}

/* ---- SKD010: the FUP, or the TIP.PGE, may be missing ---- */

static int give_on_at(struct tl_compat_trace *trace, const struct scan *scan, const uint8_t *pos,
		      const struct tl_pt_clock *when)
{
	struct pt_event *event;
	uint64_t ip;

	tl_compat_update_ip(trace, &scan->packet);
	event = tl_compat_alone(trace, ptev_overflow);
	if (tl_compat_last_ip(trace, &ip) < 0)
		return -pte_bad_context;
	event->variant.overflow.ip = ip;
	trace->pos = pos;
	trace->enabled = true;
	trace->time = *when;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_STAY;
}

/* Nothing is said of these. Of MODE.TSX it is: it belongs to the FUP behind it. */
static const uint64_t not_telling = KIND(PIP) | KIND(VMCS) | KIND(PAD) | KIND(MNT) | KIND(PWRE) |
				    KIND(PWRX) | KIND(TSC) | KIND(CBR) | KIND(TMA) | KIND(MTC) |
				    KIND(CYC) | KIND(BBP) | KIND(BIP) | KIND(EVD);

/* 1: not handled, so that nothing is lost by going on as if tracing were off. */
enum { NOT_HANDLED = 2 };

static bool is_passed(const struct tl_pt_packet *packet)
{
	return (packet->kind == TL_PT_PKT_MODE && packet->mode.leaf == TL_PT_MODE_EXEC) ||
	       (packet->kind == TL_PT_PKT_EXSTOP && !packet->exstop.ip) ||
	       (packet->kind == TL_PT_PKT_PTW && !packet->ptw.ip);
}

static int resume_at_psb(struct tl_compat_trace *trace, struct scan *scan)
{
	const uint8_t *psb = scan->packet_pos;
	struct tl_pt_clock when = scan->time;
	int status = header_fup(scan);

	if (status < 0)
		return status == -pte_eos ? NOT_HANDLED : status;
	return status ? give_on_at(trace, scan, psb, &when) : NOT_HANDLED;
}

static int resume_anywhere(struct tl_compat_trace *trace)
{
	struct scan scan = scan_at(trace, trace->pos);
	struct tl_pt_clock tsx_time = scan.time;
	const uint8_t *tsx = NULL;

	scan.tells_time = true;
	for (;;) {
		int status = next(&scan, not_telling);

		if (status < 0)
			return status == -pte_eos ? NOT_HANDLED : status;
		switch (scan.packet.kind) {
		case TL_PT_PKT_TIP_PGD:
			return give_off_at(trace, &scan, scan.pos);
		case TL_PT_PKT_FUP:
			return tsx ? give_on_at(trace, &scan, tsx, &tsx_time)
				   : give_on_at(trace, &scan, scan.packet_pos, &scan.time);
		case TL_PT_PKT_TIP:
			return give_on_at(trace, &scan, scan.pos, &scan.time);
		case TL_PT_PKT_PSB:
			return resume_at_psb(trace, &scan);
		case TL_PT_PKT_PSBEND:
			return -pte_bad_context;
		default:
			break;
		}
		if (is_passed(&scan.packet))
			continue;
		if (scan.packet.kind != TL_PT_PKT_MODE || tsx)
			return NOT_HANDLED;
		tsx = scan.packet_pos;
		tsx_time = scan.time;
	}
}

/* ---- APL11: a TIP.PGD may follow ---- */

static const uint64_t when_off = KIND(FUP) | KIND(PSB) | KIND(TIP_PGE) | KIND(STOP) | KIND(OVF) |
				 KIND(MODE) | KIND(PIP) | KIND(VMCS) | KIND(EXSTOP) | KIND(MWAIT) |
				 KIND(PWRE) | KIND(PWRX) | KIND(PTW) | KIND(CFE) | KIND(EVD) |
				 KIND(TRIG) | KIND(BEP);
static const uint64_t silent =
	KIND(UNKNOWN) | KIND(INVALID) | KIND(PAD) | KIND(MNT) | KIND(BBP) | KIND(BIP);

static int resume_behind_pgd(struct tl_compat_trace *trace)
{
	struct scan scan = scan_at(trace, trace->pos);
	int status;

	scan.tells_time = true;
	status = next(&scan, silent | timing);
	if (status < 0)
		return status;
	if (scan.packet.kind == TL_PT_PKT_TIP_PGD)
		return give_off_at(trace, &scan, scan.pos);
	return when_off >> scan.packet.kind & 1 ? NOT_HANDLED : -pte_bad_context;
}

/* ---- APL12: a FUP may follow though tracing is off ---- */

/* 0: it is; 1: it is not, or nobody knows. */
static int is_off_behind(struct scan *scan)
{
	const uint64_t telling = KIND(STOP) | KIND(TIP_PGE) | KIND(TNT_8) | KIND(TNT_64) |
				 KIND(TIP) | KIND(TIP_PGD) | KIND(PSB) | KIND(PSBEND) | KIND(OVF) |
				 KIND(UNKNOWN) | KIND(INVALID);
	int status = next(scan, ~telling);

	if (status < 0)
		return status == -pte_eos ? 1 : status;
	switch (scan->packet.kind) {
	case TL_PT_PKT_STOP:
	case TL_PT_PKT_TIP_PGE:
		return 0;
	case TL_PT_PKT_PSBEND:
		return -pte_bad_context;
	case TL_PT_PKT_PSB:
		status = header_fup(scan);
		return status == -pte_eos ? 1 : status;
	default:
		return 1;
	}
}

/* ---- what follows ---- */

/* A FUP: 1; something that says that tracing is off: 0; or an error. */
static int find_fup(struct scan *scan)
{
	int status = next(scan, silent | timing);

	if (status < 0)
		return status;
	if (scan->packet.kind == TL_PT_PKT_FUP)
		return 1;
	return when_off >> scan->packet.kind & 1 ? 0 : -pte_bad_context;
}

/* The time up to the FUP counts once it is known that tracing is off behind it. */
static int resume_behind_fup(struct tl_compat_trace *trace, const struct scan *fup)
{
	struct scan behind = scan_at(trace, fup->pos), again = scan_at(trace, trace->pos);
	int status = is_off_behind(&behind);

	if (status)
		return status < 0 ? status : NOT_HANDLED;
	again.tells_time = true;
	status = find_fup(&again);
	return status < 0 ? status : give_off_at(trace, &again, again.pos);
}

static int without_fup(struct tl_compat_trace *trace, int why)
{
	int status = NOT_HANDLED;

	if (trace->config->errata & TL_PT_SKD010)
		status = resume_anywhere(trace);
	if (status == NOT_HANDLED && trace->config->errata & TL_PT_APL11 && why == -pte_bad_context)
		status = resume_behind_pgd(trace);
	if (status != NOT_HANDLED)
		return status;
	return why < 0 && why != -pte_eos ? why : give_off(trace);
}

int tl_compat_rule_ovf(struct tl_compat_trace *trace, const struct tl_pt_packet *packet)
{
	struct pt_event *event;
	struct tl_pt_clock time;
	struct scan scan;
	int status = NOT_HANDLED, found;

	if (tl_compat_give_status(trace))
		return TL_COMPAT_STAY;
	time = trace->time;
	tl_compat_trace_reset(trace);
	trace->time = time;
	tl_pt_clock_packet(&trace->time, packet, trace->config);
	trace->pos += trace->config->end - trace->pos < packet->size ? 0 : packet->size;
	scan = scan_at(trace, trace->pos);
	found = find_fup(&scan);
	if (found <= 0)
		return without_fup(trace, found);
	if (trace->config->errata & TL_PT_APL12)
		status = resume_behind_fup(trace, &scan);
	if (status != NOT_HANDLED)
		return status;
	event = tl_compat_wait(trace, TL_COMPAT_FUP, ptev_overflow);
	if (!event)
		return -pte_internal;
	trace->enabled = true;
	tl_compat_event_time(trace, event);
	return TL_COMPAT_STAY;
}
