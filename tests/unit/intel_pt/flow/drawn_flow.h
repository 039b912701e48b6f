/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_INTEL_PT_FLOW_DRAWN_FLOW_H
#define TESTS_UNIT_INTEL_PT_FLOW_DRAWN_FLOW_H
/*
 * A processor to which things happen that are drawn: it writes their packets by the tables of
 * docs/formats/intel-pt.md, 4, and says, by the rules of 5, what a flow has to give. It looks
 * nothing up that the flow has: what waits for what is known where it is written.
 */
#include <string.h>

#include "../../chance.h"
#include "../../unit.h"

#include "intel_pt/flow/flow.h"

enum { FLOW_ROOM = 1 << 14, FLOW_MOST = 1500, FLOW_PSBS = 40 };

/* An item, or one TNT packet of it. Events have the time of has_tsc; `tsc` is that of any item. */
struct wanted {
	enum tl_pt_flow_item_kind kind;
	uint64_t offset, tsc;
	uint64_t bits, ip;
	unsigned count;
	bool suppressed;
	struct tl_pt_event event;
};

struct processor {
	uint8_t bytes[FLOW_ROOM];
	size_t size;
	struct wanted wanted[FLOW_MOST];
	unsigned count;
	struct {
		size_t offset;
		unsigned wanted; /* the first one of it */
	} psbs[FLOW_PSBS];
	unsigned psb_count;
	uint32_t seed;
	bool iflags; /* events for the interrupt flag are asked for */

	bool on;
	bool running; /* a PSB+ was there, and nothing was lost since */
	uint64_t last_ip, tsc;
	enum tl_pt_exec_mode mode;
	bool iflag, iflag_known;
};

/* ---- bytes ---- */

static inline void put_number(struct processor *p, uint64_t number, unsigned bytes)
{
	assert_true(p->size + bytes <= FLOW_ROOM);
	for (unsigned i = 0; i < bytes; i++)
		p->bytes[p->size++] = (uint8_t)(number >> 8 * i);
}

static inline bool coin(struct processor *p)
{
	return chance(&p->seed, 2);
}

static inline uint64_t draw_bits(struct processor *p, unsigned count)
{
	return chance_bits(&p->seed) >> (64 - count);
}

/* Near the last address, or anywhere in the lower or upper half. */
static inline uint64_t draw_ip(struct processor *p)
{
	switch (chance(&p->seed, 5)) {
	case 0:
		return draw_bits(p, 47);
	case 1:
		return UINT64_C(0xffff800000000000) | draw_bits(p, 47);
	case 2:
		return p->last_ip ^ draw_bits(p, 31);
	default:
		return p->last_ip ^ draw_bits(p, 15);
	}
}

enum { IP_TIP = 0x0d, IP_PGE = 0x11, IP_PGD = 0x01, IP_FUP = 0x1d };

static inline bool is_canonical(uint64_t ip)
{
	return ip >> 47 == 0 || ip >> 47 == 0x1ffff;
}

/* 4.3: in one of the forms that this address has behind the last one. Its offset. */
static inline size_t put_ip(struct processor *p, unsigned opcode, uint64_t ip)
{
	const uint64_t other = p->last_ip ^ ip;
	const struct {
		unsigned code, bytes;
		bool fits;
	} forms[] = { { 1, 2, other >> 16 == 0 },
		      { 2, 4, other >> 32 == 0 },
		      { 3, 6, is_canonical(ip) },
		      { 4, 6, other >> 48 == 0 },
		      { 6, 8, true } };
	const size_t at = p->size;
	unsigned form;

	do
		form = chance(&p->seed, 5);
	while (!forms[form].fits);
	put_number(p, forms[form].code << 5 | opcode, 1);
	put_number(p, ip, forms[form].bytes);
	p->last_ip = ip;
	return at;
}

static inline size_t put_mode(struct processor *p, enum tl_pt_exec_mode mode, bool iflag)
{
	const unsigned bits = mode == TL_PT_MODE_64 ? 1 : mode == TL_PT_MODE_32 ? 2 : 0;

	put_number(p, 0x99 | (bits | (unsigned)iflag << 2) << 8, 2);
	return p->size - 2;
}

/* Time passes at times, and is told by TSC alone. */
static inline void put_tsc(struct processor *p)
{
	p->tsc += 1 + draw_bits(p, 20);
	put_number(p, 0x19, 1);
	put_number(p, p->tsc, 7);
}

static inline void pass_time(struct processor *p)
{
	if (!chance(&p->seed, 6))
		put_tsc(p);
	if (!chance(&p->seed, 6))
		put_number(p, 0, 1); /* PAD */
}

/* ---- what is wanted ---- */

static inline struct wanted *want_item(struct processor *p, enum tl_pt_flow_item_kind kind,
				       size_t offset)
{
	struct wanted *w = &p->wanted[p->count++];

	assert_true(p->count < FLOW_MOST);
	memset(w, 0, sizeof(*w));
	w->kind = kind;
	w->offset = offset;
	w->tsc = p->tsc;
	return w;
}

static inline struct tl_pt_event *want_event(struct processor *p, enum tl_pt_event_kind kind,
					     size_t offset)
{
	struct tl_pt_event *event = &want_item(p, TL_PT_FLOW_ITEM_EVENT, offset)->event;

	event->kind = kind;
	event->offset = offset;
	event->has_tsc = true;
	event->tsc = p->tsc;
	return event;
}

/* At an address; NULL: without one. */
static inline struct tl_pt_event *want_event_at(struct processor *p, enum tl_pt_event_kind kind,
						size_t offset, const uint64_t *ip)
{
	struct tl_pt_event *event = want_event(p, kind, offset);

	event->ip = ip ? *ip : 0;
	event->ip_suppressed = !ip;
	return event;
}

/* The packet with the address that the event before it waits for. NULL: there is none. */
static inline const uint64_t *put_fup_of(struct processor *p, bool has_ip)
{
	if (!has_ip)
		return NULL;
	pass_time(p);
	put_ip(p, IP_FUP, draw_ip(p));
	return &p->last_ip;
}

/*
 * 5.5: an event "after the branch, at its target; no event if unchanged". In a PSB+ (`status`) it
 * says what is.
 */
static inline void want_mode(struct processor *p, enum tl_pt_exec_mode mode, bool iflag,
			     size_t offset, const uint64_t *ip, bool status)
{
	struct tl_pt_event *event;

	if (status || mode != p->mode) {
		event = want_event_at(p, TL_PT_EV_EXEC_MODE, offset, ip);
		event->exec_mode.mode = mode;
		event->status_update = status;
	}
	if (p->iflags && (!p->iflag_known || iflag != p->iflag)) {
		event = want_event_at(p, TL_PT_EV_IFLAGS, offset, ip);
		event->iflags.iflag = iflag;
		event->status_update = status;
	}
	p->mode = mode;
	p->iflag = iflag;
	p->iflag_known = true;
}

/* ---- address space: written first, given where the change takes place ---- */

struct put_spaces {
	bool has_vmcs, has_pip;
	size_t vmcs_at, pip_at;
	uint64_t base, cr3;
	bool non_root;
};

/* "VMCS before PIP" */
static inline struct put_spaces put_spaces(struct processor *p)
{
	struct put_spaces s = { .has_vmcs = !chance(&p->seed, 3), .has_pip = !chance(&p->seed, 3) };

	if (s.has_vmcs) {
		s.vmcs_at = p->size;
		s.base = draw_bits(p, 40) << 12;
		put_number(p, 0xc802, 2);
		put_number(p, s.base >> 12, 5);
	}
	if (s.has_pip) {
		s.pip_at = p->size;
		s.cr3 = draw_bits(p, 47) << 5;
		s.non_root = coin(p);
		put_number(p, 0x4302, 2);
		put_number(p, s.cr3 >> 5 << 1 | s.non_root, 6);
	}
	return s;
}

/* `async`: at a known address, or at one that is withheld. */
static inline void want_spaces(struct processor *p, const struct put_spaces *s, bool async,
			       const uint64_t *ip, bool status)
{
	struct tl_pt_event *event;

	if (s->has_vmcs) {
		event = want_event(p, async ? TL_PT_EV_ASYNC_VMCS : TL_PT_EV_VMCS, s->vmcs_at);
		event->vmcs.base = s->base;
		event->ip = ip ? *ip : 0;
		event->ip_suppressed = async && !ip;
		event->status_update = status;
	}
	if (s->has_pip) {
		event = want_event(p, async ? TL_PT_EV_ASYNC_PAGING : TL_PT_EV_PAGING, s->pip_at);
		event->paging.cr3 = s->cr3;
		event->paging.non_root = s->non_root;
		event->ip = ip ? *ip : 0;
		event->ip_suppressed = async && !ip;
		event->status_update = status;
	}
}

/* ---- branches ---- */

static inline void do_outcomes(struct processor *p)
{
	const size_t at = p->size;
	const unsigned count = 1 + chance(&p->seed, coin(p) ? 6 : 47);
	const uint64_t bits = draw_bits(p, count), with_stop = UINT64_C(1) << count | bits;
	struct wanted *w;

	if (count <= 6 && coin(p)) {
		put_number(p, with_stop << 1, 1);
	} else {
		put_number(p, 0xa302, 2);
		put_number(p, with_stop, 6);
	}
	w = want_item(p, TL_PT_FLOW_ITEM_TNT, at);
	w->bits = bits;
	w->count = count;
}

/* A TIP, or at times one without an address. */
static inline const uint64_t *put_tip(struct processor *p, unsigned opcode, size_t *at)
{
	*at = p->size;
	if (chance(&p->seed, 5)) {
		put_ip(p, opcode, draw_ip(p));
		return &p->last_ip;
	}
	put_number(p, opcode, 1);
	return NULL;
}

static inline enum tl_pt_exec_mode draw_mode(struct processor *p)
{
	static const enum tl_pt_exec_mode modes[] = { TL_PT_MODE_16, TL_PT_MODE_32, TL_PT_MODE_64 };

	return modes[chance(&p->seed, 3)];
}

/* Perhaps with another mode from the target on. */
static inline void do_tip(struct processor *p)
{
	const bool changes = !chance(&p->seed, 3), iflag = coin(p);
	const enum tl_pt_exec_mode mode = draw_mode(p);
	const size_t mode_at = p->size;
	const uint64_t *ip;
	struct wanted *w;
	size_t at;

	if (changes)
		put_mode(p, mode, iflag);
	ip = put_tip(p, IP_TIP, &at);
	w = want_item(p, TL_PT_FLOW_ITEM_TIP, at);
	w->ip = ip ? *ip : 0;
	w->suppressed = !ip;
	if (changes)
		want_mode(p, mode, iflag, mode_at, ip, false);
}

/* The TIP or TIP.PGD behind the FUP of an asynchronous change, and what changes there. */
static inline void finish_async(struct processor *p, uint64_t from)
{
	const struct put_spaces spaces = put_spaces(p);
	const bool off = !chance(&p->seed, 4), changes = !off && !chance(&p->seed, 3),
		   iflag = coin(p);
	const enum tl_pt_exec_mode mode = draw_mode(p);
	const size_t mode_at = p->size;
	struct tl_pt_event *event;
	const uint64_t *ip;
	size_t at;

	if (changes)
		put_mode(p, mode, iflag);
	pass_time(p);
	ip = put_tip(p, off ? IP_PGD : IP_TIP, &at);
	event = want_event(p, off ? TL_PT_EV_ASYNC_DISABLED : TL_PT_EV_ASYNC_BRANCH, at);
	event->ip = from;
	event->ip_suppressed = !ip;
	if (off)
		event->disabled.to = ip ? *ip : 0;
	else
		event->branch.to = ip ? *ip : 0;
	want_spaces(p, &spaces, true, off ? NULL : ip, false);
	if (changes)
		want_mode(p, mode, iflag, mode_at, ip, false);
	p->on = !off;
}

static inline void do_interrupt(struct processor *p)
{
	put_ip(p, IP_FUP, draw_ip(p));
	finish_async(p, p->last_ip);
}

static inline void do_off(struct processor *p)
{
	const uint64_t *ip;
	size_t at;

	/* the mode that holds where nothing is traced is not told */
	if (!chance(&p->seed, 3))
		put_mode(p, draw_mode(p), coin(p));
	ip = put_tip(p, IP_PGD, &at);
	want_event_at(p, TL_PT_EV_DISABLED, at, ip);
	p->on = false;
}

static inline void do_on(struct processor *p)
{
	const bool changes = coin(p), iflag = coin(p);
	const enum tl_pt_exec_mode mode = draw_mode(p);
	const size_t mode_at = p->size;
	size_t at;

	if (changes)
		put_mode(p, mode, iflag);
	at = put_ip(p, IP_PGE, draw_ip(p));
	want_event_at(p, TL_PT_EV_ENABLED, at, &p->last_ip);
	if (changes)
		want_mode(p, mode, iflag, mode_at, &p->last_ip, false);
	p->on = true;
}

/* "With a FUP next it takes place at that FUP, which it uses up." */
static inline void do_mode_at_fup(struct processor *p)
{
	const enum tl_pt_exec_mode mode = draw_mode(p);
	const bool iflag = coin(p);
	const size_t at = put_mode(p, mode, iflag);

	want_mode(p, mode, iflag, at, put_fup_of(p, true), false);
}

/* ---- transactions ---- */

static inline void do_transaction(struct processor *p)
{
	const unsigned bits = chance(&p->seed, 3);
	const size_t at = p->size;
	struct tl_pt_event *event;

	put_number(p, 0x99 | (0x20 | bits) << 8, 2);
	event = want_event_at(p, TL_PT_EV_TSX, at, put_fup_of(p, p->on));
	event->tsx.speculative = bits == 1;
	event->tsx.aborted = bits == 2;
	if (p->on && bits == 2)
		finish_async(p, p->last_ip);
}

/* ---- single events ---- */

static inline void do_spaces(struct processor *p)
{
	const struct put_spaces s = put_spaces(p);

	want_spaces(p, &s, false, NULL, false);
}

static inline void do_ptwrite(struct processor *p)
{
	const bool has_ip = p->on && coin(p), whole = coin(p);
	const uint64_t payload = draw_bits(p, whole ? 64 : 32);
	const size_t at = p->size;
	struct tl_pt_event *event;
	const uint64_t *ip;

	put_number(p, 0x02 | (0x12 | (unsigned)whole << 5 | (unsigned)has_ip << 7) << 8, 2);
	put_number(p, payload, whole ? 8 : 4);
	ip = put_fup_of(p, has_ip);
	event = want_event_at(p, TL_PT_EV_PTWRITE, at, ip);
	event->ptwrite.payload = payload;
	event->ptwrite.size = whole ? 8 : 4;
}

static inline void do_trig(struct processor *p)
{
	const bool has_ip = p->on && coin(p), counts = coin(p), mult = coin(p);
	const uint8_t vector = (uint8_t)draw_bits(p, 8);
	const uint16_t icnt = counts ? (uint16_t)draw_bits(p, 16) : 0;
	const size_t at = p->size;
	struct tl_pt_event *event;
	const uint64_t *ip;

	put_number(p, 0xd9, 1);
	put_number(p, (unsigned)has_ip << 7 | (unsigned)counts << 6 | (unsigned)mult << 5, 1);
	put_number(p, vector, 1);
	put_number(p, icnt, counts ? 2 : 0);
	ip = put_fup_of(p, has_ip);
	event = want_event_at(p, TL_PT_EV_TRIG, at, ip);
	event->trig.trbv = vector;
	event->trig.icnt = icnt;
	event->trig.icntv = counts;
	event->trig.mult = mult;
}

static inline void do_plain(struct processor *p)
{
	const size_t at = p->size;
	const uint64_t payload = draw_bits(p, 64);

	switch (chance(&p->seed, 3)) {
	case 0:
		put_number(p, 0x0302, 2);
		put_number(p, payload & 0xff, 2);
		want_event(p, TL_PT_EV_CBR, at)->cbr.ratio = payload & 0xff;
		break;
	case 1:
		put_number(p, 0x88c302, 3);
		put_number(p, payload, 8);
		want_event(p, TL_PT_EV_MNT, at)->mnt.payload = payload;
		break;
	default:
		put_number(p, 0x8302, 2);
		want_event(p, TL_PT_EV_STOP, at);
		break;
	}
}

/* A block of items makes no event; nor does the FUP behind it. */
static inline void do_block(struct processor *p)
{
	const bool has_ip = p->on && coin(p);

	put_number(p, 0x6302, 2);
	put_number(p, draw_bits(p, 5), 1);
	for (unsigned i = chance(&p->seed, 4); i; i--) {
		put_number(p, draw_bits(p, 5) << 3 | 4, 1);
		put_number(p, draw_bits(p, 64), 8);
		pass_time(p);
	}
	put_number(p, has_ip ? 0xb302 : 0x3302, 2);
	put_fup_of(p, has_ip);
}

/* ---- power ---- */

static inline void do_pwrx(struct processor *p)
{
	const uint64_t bits = draw_bits(p, 12);
	struct tl_pt_event *event = want_event(p, TL_PT_EV_PWRX, p->size);

	put_number(p, 0xa202, 2);
	put_number(p, bits, 5);
	event->pwrx.deepest = bits & 15;
	event->pwrx.last = bits >> 4 & 15;
	event->pwrx.interrupt = bits >> 8 & 1;
	event->pwrx.store = bits >> 10 & 1;
	event->pwrx.autonomous = bits >> 11;
}

static inline void want_mwait(struct processor *p, size_t at, uint64_t payload, const uint64_t *ip)
{
	struct tl_pt_event *event = want_event_at(p, TL_PT_EV_MWAIT, at, ip);

	event->mwait.hints = (uint32_t)payload;
	event->mwait.ext = (uint32_t)(payload >> 32);
}

/*
 * "MWAIT waits for EXSTOP; with EXSTOP.IP both take the FUP's IP. PWRE is held, keeps its own time,
 * and is given behind the EXSTOP that follows, or before the next PWRX; MWAIT likewise, without
 * address, when no EXSTOP comes."
 */
static inline void do_power(struct processor *p)
{
	const bool waits = coin(p), enters = coin(p), stops = chance(&p->seed, 3),
		   has_ip = stops && p->on && coin(p);
	const uint64_t hints = draw_bits(p, 64), state = draw_bits(p, 8);
	const size_t mwait_at = p->size;
	size_t pwre_at, exstop_at;
	const uint64_t *ip = NULL;
	uint64_t pwre_tsc;

	if (waits) {
		put_number(p, 0xc202, 2);
		put_number(p, hints, 8);
		pass_time(p);
	}
	pwre_at = p->size;
	pwre_tsc = p->tsc;
	if (enters) {
		put_number(p, 0x2202, 2);
		put_number(p, state << 8 | 8, 2);
		pass_time(p);
	}
	exstop_at = p->size;
	if (stops) {
		put_number(p, has_ip ? 0xe202 : 0x6202, 2);
		ip = put_fup_of(p, has_ip);
	}
	if (waits)
		want_mwait(p, mwait_at, hints, ip);
	if (stops)
		want_event_at(p, TL_PT_EV_EXSTOP, exstop_at, ip);
	if (enters) {
		struct tl_pt_event *event = want_event(p, TL_PT_EV_PWRE, pwre_at);

		event->tsc = pwre_tsc;
		event->pwre.state = state >> 4 & 15;
		event->pwre.sub_state = state & 15;
		event->pwre.hw = true;
	}
	if (!stops)
		do_pwrx(p);
}

/* ---- event trace ---- */

enum { CFE_TYPES = 16 };

/* What each type is, and whether it comes with a branch of its own. */
static const struct {
	enum tl_pt_event_kind kind; /* TL_PT_EV_COUNT: no known one */
	bool async, vector;
} cfe_types[CFE_TYPES] = {
	{ TL_PT_EV_COUNT, false, false },   { TL_PT_EV_INTERRUPT, true, true },
	{ TL_PT_EV_IRET, false, false },    { TL_PT_EV_SMI, true, false },
	{ TL_PT_EV_RSM, false, false },     { TL_PT_EV_SIPI, false, true },
	{ TL_PT_EV_INIT, true, false },     { TL_PT_EV_VMENTRY, false, false },
	{ TL_PT_EV_VMEXIT, true, false },   { TL_PT_EV_VMEXIT, true, true },
	{ TL_PT_EV_SHUTDOWN, true, false }, { TL_PT_EV_COUNT, false, false },
	{ TL_PT_EV_UINTR, true, true },     { TL_PT_EV_UIRET, false, false },
	{ TL_PT_EV_SWINTR, true, true },    { TL_PT_EV_SYSCALL, true, false },
};

static inline void put_evd(struct processor *p, unsigned type, uint64_t payload)
{
	put_number(p, 0x5302, 2);
	put_number(p, type, 1);
	put_number(p, payload, 8);
}

static inline void do_cfe(struct processor *p)
{
	const unsigned type = chance(&p->seed, CFE_TYPES + 2), known = type % CFE_TYPES;
	const enum tl_pt_event_kind kind = type < CFE_TYPES ? cfe_types[type].kind : TL_PT_EV_COUNT;
	const bool has_ip = p->on && coin(p), branches = !has_ip && p->on && cfe_types[known].async;
	const bool cr2 = kind == TL_PT_EV_INTERRUPT && coin(p),
		   vmxq = kind == TL_PT_EV_VMEXIT && coin(p),
		   vmxr = kind == TL_PT_EV_VMEXIT && coin(p);
	const uint64_t data = draw_bits(p, 64);
	const uint8_t vector = (uint8_t)draw_bits(p, 8);
	struct tl_pt_event *event;
	const uint64_t *ip;
	size_t at;

	if (cr2)
		put_evd(p, 0, data);
	if (vmxq)
		put_evd(p, 1, data);
	if (!chance(&p->seed, 4))
		put_evd(p, 3 + chance(&p->seed, 20), data);
	if (vmxr)
		put_evd(p, 2, ~data);
	at = p->size;
	put_number(p, 0x1302, 2);
	put_number(p, type | (unsigned)has_ip << 7, 1);
	put_number(p, vector, 1);
	ip = put_fup_of(p, has_ip || (branches && kind != TL_PT_EV_COUNT));
	if (kind == TL_PT_EV_COUNT)
		return;
	event = want_event_at(p, kind, at, ip);
	if (kind == TL_PT_EV_VMEXIT) {
		event->vmexit.has_vector = cfe_types[known].vector;
		event->vmexit.vector = cfe_types[known].vector ? vector : 0;
		event->vmexit.has_vmxq = vmxq;
		event->vmexit.vmxq = vmxq ? data : 0;
		event->vmexit.has_vmxr = vmxr;
		event->vmexit.vmxr = vmxr ? ~data : 0;
	} else if (cfe_types[known].vector) {
		event->interrupt.vector = vector;
		event->interrupt.has_cr2 = cr2;
		event->interrupt.cr2 = cr2 ? data : 0;
	}
	if (branches)
		finish_async(p, p->last_ip);
}

/* ---- PSB+ and overflows ---- */

static inline void put_psb_bytes(struct processor *p)
{
	for (unsigned i = 0; i < 8; i++)
		put_number(p, 0x8202, 2);
	p->last_ip = 0;
}

/* Of what is there in any order, each kind once. */
static inline void do_psb(struct processor *p)
{
	const size_t at = p->size, begin = p->count;
	const uint64_t ip = draw_ip(p), *status = p->on ? &ip : NULL;
	unsigned order[5];

	assert_true(p->psb_count < FLOW_PSBS);
	p->psbs[p->psb_count].offset = at;
	p->psbs[p->psb_count++].wanted = p->count;
	put_psb_bytes(p);
	want_event_at(p, p->on ? TL_PT_EV_ENABLED : TL_PT_EV_DISABLED, at, status)->status_update =
		true;
	chance_order(&p->seed, order, 5);
	for (unsigned i = 0; i < 5; i++) {
		const size_t part = p->size;

		if (order[i] == 0) {
			put_tsc(p);
		} else if (order[i] == 1) {
			put_mode(p, p->mode, p->iflag);
			want_mode(p, p->mode, p->iflag, part, status, true);
		} else if (order[i] == 2 && p->on) {
			put_ip(p, IP_FUP, ip);
		} else if (order[i] == 3) {
			const struct put_spaces s = put_spaces(p);

			want_spaces(p, &s, true, status, true);
		} else if (order[i] == 4 && coin(p)) {
			put_number(p, 0x0302, 2);
			put_number(p, part & 0xff, 2);
			want_event(p, TL_PT_EV_CBR, part)->cbr.ratio = part & 0xff;
			p->wanted[p->count - 1].event.status_update = true;
		}
	}
	put_number(p, 0x2302, 2);
	/* "The time packets of a PSB+ hold from its first event on." */
	for (size_t i = begin; i < p->count; i++)
		p->wanted[i].tsc = p->wanted[i].event.tsc = p->tsc;
	p->running = true;
}

/*
 * "FUP next: overflow event at the FUP's IP, tracing on. PSB, TIP.PGE next: overflow event with
 * suppressed IP, tracing off." It has the time of the OVF.
 */
static inline void do_overflow(struct processor *p)
{
	const size_t at = p->size;
	struct tl_pt_event *event = want_event_at(p, TL_PT_EV_OVERFLOW, at, NULL);

	put_number(p, 0xf302, 2);
	p->running = false;
	pass_time(p);
	if (coin(p)) {
		put_ip(p, IP_FUP, draw_ip(p));
		event->ip = p->last_ip;
		event->ip_suppressed = false;
		p->on = true;
		return;
	}
	p->on = false;
	if (coin(p) && p->psb_count < FLOW_PSBS)
		do_psb(p);
	else
		do_on(p);
}

/* ---- all of them ---- */

static const struct {
	void (*act)(struct processor *p);
	bool on, off; /* where it may happen */
	unsigned often;
} actions[] = {
	{ do_outcomes, true, false, 8 },   { do_tip, true, false, 5 },
	{ do_interrupt, true, false, 3 },  { do_off, true, false, 2 },
	{ do_on, false, true, 6 },         { do_mode_at_fup, true, false, 2 },
	{ do_transaction, true, true, 3 }, { do_spaces, true, true, 2 },
	{ do_ptwrite, true, true, 3 },     { do_trig, true, true, 2 },
	{ do_plain, true, true, 3 },       { do_block, true, true, 2 },
	{ do_power, true, true, 4 },       { do_cfe, true, true, 5 },
	{ do_psb, true, true, 2 },         { do_overflow, true, true, 1 },
	{ put_tsc, true, true, 3 },
};

static inline void act(struct processor *p)
{
	const unsigned number = chance(&p->seed, sizeof(actions) / sizeof(actions[0]));

	if (!(p->on ? actions[number].on : actions[number].off) ||
	    chance(&p->seed, 8) >= actions[number].often ||
	    (actions[number].act == do_psb && p->psb_count == FLOW_PSBS))
		return;
	actions[number].act(p);
}

static inline void begin_processor(struct processor *p, uint32_t seed, bool iflags)
{
	memset(p, 0, sizeof(*p));
	p->seed = seed;
	p->iflags = iflags;
	p->mode = TL_PT_MODE_64;
	p->on = coin(p);
	p->iflag = coin(p);
	do_psb(p);
}

#endif
