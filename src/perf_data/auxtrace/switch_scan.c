/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet at which another thread takes over. The scan follows time and addresses of packets and
 * decodes no code. Between two packets with a time only the bounds of the time are known; section 8
 * of docs/formats/perf-data.md says what decides then.
 */
#include "perf_data/auxtrace/switch_scan.h"

#include "intel_pt/flow/flow.h"
#include "intel_pt/packets/layout.h"
#include "perf_data/processes/system.h"
#include "core/arithmetic.h"

enum { LOOK_AHEAD = 1 << 14 };

static void take_tsc(struct tl_perf_switch_scan *s, uint64_t tsc)
{
	s->tsc = s->base = tsc;
	s->cycles = 0;
	s->have_ctc = false;
}

static uint64_t ticks_of_ctc(const struct tl_pt_config *c, uint64_t ctc)
{
	return c->cpuid_15_eax ? ctc * c->cpuid_15_ebx / c->cpuid_15_eax : 0;
}

/* TMA: at the last TSC the counter was `ctc`, and `fc` ticks more. MTC has its upper bits only. */
static void take_tma(struct tl_perf_switch_scan *s, const struct tl_pt_config *c,
		     const struct tl_pt_packet *p)
{
	const uint32_t below = p->tma.ctc & ((1u << c->mtc_freq) - 1);

	if (!c->cpuid_15_eax || c->mtc_freq > 8)
		return;
	s->have_ctc = true;
	s->mtc = (uint8_t)(p->tma.ctc >> c->mtc_freq);
	s->edges = 0;
	s->edge_tsc = s->base - p->tma.fc - ticks_of_ctc(c, below);
}

static void take_mtc(struct tl_perf_switch_scan *s, const struct tl_pt_config *c,
		     const struct tl_pt_packet *p)
{
	uint64_t tsc;

	if (!s->have_ctc)
		return;
	s->edges += (uint8_t)(p->mtc.ctc - s->mtc);
	s->mtc = p->mtc.ctc;
	tsc = s->edge_tsc + ticks_of_ctc(c, s->edges << c->mtc_freq);
	s->base = tl_max(tsc, s->base);
	s->tsc = s->base;
	s->cycles = 0;
}

static void take_cyc(struct tl_perf_switch_scan *s, const struct tl_pt_config *c,
		     const struct tl_pt_packet *p)
{
	if (!s->cbr || !c->nom_freq || !s->base)
		return;
	s->cycles += p->cyc.value;
	s->tsc = s->base + s->cycles * c->nom_freq / s->cbr;
}

static void take_ip(struct tl_perf_switch_scan *s, const struct tl_pt_packet *p, const uint8_t *at)
{
	if (p->ip.ipc != TL_PT_IPC_SUPPRESSED)
		s->ip = tl_pt_apply_ip(at + 1, p->ip.ipc, s->ip);
}

/* Apply a packet to time and address. */
static void follow(struct tl_perf_switch_scan *s, const struct tl_pt_config *c,
		   const struct tl_pt_packet *p, const uint8_t *at)
{
	switch (p->kind) {
	case TL_PT_PKT_TSC:
		take_tsc(s, p->tsc.tsc);
		break;
	case TL_PT_PKT_TMA:
		take_tma(s, c, p);
		break;
	case TL_PT_PKT_MTC:
		take_mtc(s, c, p);
		break;
	case TL_PT_PKT_CYC:
		take_cyc(s, c, p);
		break;
	case TL_PT_PKT_CBR:
		s->cbr = p->cbr.ratio;
		break;
	case TL_PT_PKT_PSB:
		s->ip = 0;
		s->in_psb = true;
		s->on = false;
		break;
	case TL_PT_PKT_PIP:
		s->guest_next = p->pip.nr;
		s->leaves_at_fup = s->fup;
		break;
	case TL_PT_PKT_PSBEND:
	case TL_PT_PKT_OVF:
		s->in_psb = false;
		break;
	case TL_PT_PKT_TIP_PGE:
	case TL_PT_PKT_TIP:
	case TL_PT_PKT_FUP:
		s->on = true;
		s->off_at = NULL;
		s->fup = p->kind == TL_PT_PKT_FUP && !s->in_psb;
		take_ip(s, p, at);
		break;
	case TL_PT_PKT_TIP_PGD:
		s->on = false;
		s->off_at = s->pos;
		take_ip(s, p, at);
		break;
	default:
		break;
	}
}

bool tl_perf_switch_scan_step(struct tl_perf_switch_scan *s, struct tl_pt_packet *p,
			      const uint8_t *end)
{
	const uint8_t *at = s->pos;
	int size;

	if (at >= end)
		return false;
	size = tl_pt_decode(p, at, end, &s->context);
	if (size > 0) {
		s->pos = at + size;
		follow(s, s->context.config, p, at);
		return true;
	}
	s->pos = tl_pt_psb_forward(at + 1, end);
	s->context.items = TL_PT_ITEMS_NONE;
	p->kind = TL_PT_PKT_UNKNOWN;
	if (!s->pos)
		s->pos = end;
	return s->pos < end;
}

void tl_perf_switch_scan_begin(struct tl_perf_switch_scan *s, const struct tl_pt_config *config,
			       const uint8_t *begin, const uint8_t *end)
{
	*s = (struct tl_perf_switch_scan){ .pos = tl_pt_psb_forward(begin, end),
					   .context = { .config = config } };
	if (!s->pos)
		s->pos = end;
	s->ahead = s->pos;
}

/*
 * Fast path over short TNT packets, most of a trace: tl_perf_switch_scan_step() would decode and
 * ignore each.
 */
static void pass_outcomes(struct tl_perf_switch_scan *s, const uint8_t *end)
{
	const uint8_t *from = s->pos;

	if (s->context.items != TL_PT_ITEMS_NONE)
		return;
	while (s->pos < end && tl_pt_is_short_tnt(*s->pos))
		s->pos++;
	s->fup = s->fup && s->pos == from;
}

static bool tells_time(enum tl_pt_packet_kind kind)
{
	return kind == TL_PT_PKT_TSC || kind == TL_PT_PKT_MTC || kind == TL_PT_PKT_CYC;
}

/* The time of the next packet with a time, from the present position on. */
static void look_ahead(struct tl_perf_switch_scan *s, const uint8_t *end)
{
	struct tl_perf_switch_scan later = *s;
	struct tl_pt_packet p;

	s->next = UINT64_MAX;
	for (int i = 0; i < LOOK_AHEAD; i++) {
		pass_outcomes(&later, end);
		if (!tl_perf_switch_scan_step(&later, &p, end))
			break;
		if (tells_time(p.kind) && later.tsc) {
			s->next = later.tsc;
			break;
		}
	}
	s->ahead = later.pos;
}

uint64_t tl_perf_switch_scan_first_time(const struct tl_perf_switch_scan *scan, const uint8_t *end)
{
	struct tl_perf_switch_scan s = *scan;

	if (s.tsc)
		return s.tsc;
	look_ahead(&s, end);
	return s.next == UINT64_MAX ? 0 : s.next;
}

/*
 * Whether the thread that is switched to at `tsc` takes over at this packet. User code begins with
 * TIP.PGE or, if the kernel is traced, with a TIP out of it; another address space with PIP. Time
 * decides (`certain`). If the switch is between the last and the next packet with a time
 * (`possible`), PIP is believed, and an address if only the next thread has it mapped. Threads of a
 * virtual machine take over while it runs.
 */
static bool takes_over(const struct tl_perf_switch_scan *s, const struct tl_pt_packet *p,
		       bool was_kernel, const struct tl_perf_switch_goal *goal)
{
	const bool certain = s->tsc >= goal->tsc, possible = s->next >= goal->tsc && s->tsc;
	const bool user = !(s->ip & TL_PERF_KERNEL_START);

	if (s->in_psb || !goal->next || (goal->inside && !s->guest))
		return false;
	switch (p->kind) {
	case TL_PT_PKT_PIP:
		/* Virtual machines change address spaces, too. */
		return p->pip.nr == goal->inside && (certain || (possible && !goal->stays));
	case TL_PT_PKT_TIP_PGE:
		return certain || (possible && goal->owner(goal->arg, s->ip) > 0);
	case TL_PT_PKT_TIP:
		return was_kernel &&
		       (certain || (possible && user && goal->owner(goal->arg, s->ip) > 0));
	case TL_PT_PKT_MTC:
	case TL_PT_PKT_TSC:
		return certain && s->on && was_kernel;
	case TL_PT_PKT_OVF:
		return certain;
	default:
		return false;
	}
}

/* ---- virtual machines ---- */

bool tl_perf_switch_scan_first_guest(const struct tl_perf_switch_scan *scan, const uint8_t *end)
{
	struct tl_perf_switch_scan s = *scan;
	struct tl_pt_packet p;

	while (tl_perf_switch_scan_step(&s, &p, end))
		if (p.kind == TL_PT_PKT_PSBEND || p.kind == TL_PT_PKT_OVF)
			break;
	return s.guest_next;
}

/*
 * Whether a virtual machine is entered or left at this packet. In a PSB+ that says so, the packets
 * that did were lost: the change is in front of it.
 */
static bool changes_machine(const struct tl_perf_switch_scan *s, const struct tl_pt_packet *p)
{
	return s->guest_next != s->guest &&
	       (p->kind == TL_PT_PKT_TIP || p->kind == TL_PT_PKT_TIP_PGE ||
		p->kind == TL_PT_PKT_PSBEND);
}

/* Go back to a packet, behind which who runs has changed. */
static const uint8_t *change_at(struct tl_perf_switch_scan *s, const struct tl_perf_switch_scan *at)
{
	const bool guest = s->guest_next;

	*s = *at;
	s->guest = s->guest_next = guest;
	return s->pos;
}

static const uint8_t *change_machine(struct tl_perf_switch_scan *s, const struct tl_pt_packet *p,
				     const struct tl_perf_switch_scan *before,
				     const struct tl_perf_switch_scan *psb)
{
	if (p->kind == TL_PT_PKT_PSBEND)
		return change_at(s, psb);
	if (p->kind == TL_PT_PKT_TIP && s->leaves_at_fup) {
		s->guest = s->guest_next;
		return s->pos;
	}
	change_at(s, before);
	return p->kind == TL_PT_PKT_TIP_PGE && before->off_at ? before->off_at : s->pos;
}

const uint8_t *tl_perf_switch_scan_to(struct tl_perf_switch_scan *s, const uint8_t *end,
				      const struct tl_perf_switch_goal *goal)
{
	struct tl_perf_switch_scan psb = *s;
	struct tl_pt_packet p;

	for (;;) {
		struct tl_perf_switch_scan before;

		pass_outcomes(s, end);
		if (goal->next && s->pos >= s->ahead)
			look_ahead(s, end);
		before = *s;
		if (!tl_perf_switch_scan_step(s, &p, end))
			return end;
		if (p.kind == TL_PT_PKT_PSB)
			psb = before;
		if (goal->guests && changes_machine(s, &p))
			return change_machine(s, &p, &before, &psb);
		if (!takes_over(s, &p, before.on && before.ip & TL_PERF_KERNEL_START, goal))
			continue;
		/*
		 * The packet itself belongs to the next thread: stop in front of it. Packets
		 * between TIP.PGD and TIP.PGE may belong to the TIP.PGE (MODE.Exec): all of them
		 * go to the next thread.
		 */
		*s = before;
		return p.kind == TL_PT_PKT_TIP_PGE && before.off_at ? before.off_at : before.pos;
	}
}

bool tl_perf_tracing_is_off(const struct tl_pt_config *config, const uint8_t *begin,
			    const uint8_t *at, const uint8_t *end)
{
	struct tl_perf_switch_scan s = { .context = { .config = config } };
	struct tl_pt_packet p;

	s.pos = tl_pt_psb_backward(begin, at, end);
	while (s.pos && s.pos < at)
		if (!tl_perf_switch_scan_step(&s, &p, end))
			break;
	if (s.pos != at || s.on)
		return false;
	while (tl_perf_switch_scan_step(&s, &p, end))
		switch (p.kind) {
		case TL_PT_PKT_PAD:
		case TL_PT_PKT_TSC:
		case TL_PT_PKT_TMA:
		case TL_PT_PKT_MTC:
		case TL_PT_PKT_CYC:
		case TL_PT_PKT_CBR:
		case TL_PT_PKT_MODE:
		case TL_PT_PKT_PIP:
			continue;
		default:
			return p.kind == TL_PT_PKT_TIP_PGE || p.kind == TL_PT_PKT_PSB ||
			       p.kind == TL_PT_PKT_OVF;
		}
	return true;
}
