/* SPDX-License-Identifier: Apache-2.0 */
/* What each event is bound to, and what it changes (5.1 to 5.8), as 2.0.5 has it. */
#include "flow.h"

/* Where an event takes effect, as seen from between two instructions. */
enum binding {
	BEHIND, /* behind an instruction, never before the next one */
	NOW,
	WHEN_OFF, /* now while tracing is off, else behind an instruction */
	FROM,     /* at its address */
	AT,       /* at its address, or now without one */
	AT_IF_ON, /* now while tracing is off, too */
};

typedef int apply_fn(struct tl_compat_decoder *dec, struct pt_event *event);

/* ---- what they change ---- */

static int enabled(struct tl_compat_decoder *dec, struct pt_event *event)
{
	if (dec->ip == event->variant.enabled.ip)
		event->variant.enabled.resumed = 1;
	if (event->status_update || dec->enabled)
		return -pte_bad_context;
	if (event->ip_suppressed)
		return -pte_noip;
	dec->ip = event->variant.enabled.ip;
	dec->enabled = true;
	return 0;
}

/* The address stays: flow is expected to go on there. */
static int disabled(struct tl_compat_decoder *dec, struct pt_event *event)
{
	if (event->status_update || !dec->enabled)
		return -pte_bad_context;
	dec->enabled = false;
	return 0;
}

static int async_branch(struct tl_compat_decoder *dec, struct pt_event *event)
{
	if (event->status_update || !dec->enabled)
		return -pte_bad_context;
	dec->ip = event->variant.async_branch.to;
	return 0;
}

static int paging(struct tl_compat_decoder *dec, struct pt_event *event)
{
	dec->asid.cr3 = event->variant.paging.cr3;
	return 0;
}

static int vmcs(struct tl_compat_decoder *dec, struct pt_event *event)
{
	dec->asid.vmcs = event->variant.vmcs.base;
	return 0;
}

static int overflow(struct tl_compat_decoder *dec, struct pt_event *event)
{
	if (event->status_update)
		return -pte_bad_context;
	dec->enabled = !event->ip_suppressed;
	dec->ip = dec->enabled ? event->variant.overflow.ip : 0;
	dec->speculative = false;
	return 0;
}

static int exec_mode(struct tl_compat_decoder *dec, struct pt_event *event)
{
	enum tl_pt_exec_mode mode = (enum tl_pt_exec_mode)event->variant.exec_mode.mode;

	if (event->status_update && dec->enabled && dec->mode != TL_PT_MODE_UNKNOWN &&
	    dec->mode != mode)
		return -pte_bad_status_update;
	dec->mode = mode;
	return 0;
}

static int tsx(struct tl_compat_decoder *dec, struct pt_event *event)
{
	dec->speculative = event->variant.tsx.speculative;
	return 0;
}

static int stop(struct tl_compat_decoder *dec, struct pt_event *event)
{
	return event->status_update || dec->enabled ? -pte_bad_context : 0;
}

static int nothing(struct tl_compat_decoder *dec, struct pt_event *event)
{
	(void)dec, (void)event;
	return 0;
}

/* ---- what they are bound to ---- */

/* Kinds of instructions that events are bound to. */
enum { FAR_ONES = 1 << 15 };

static const struct rule {
	enum binding binding;
	uint16_t flags; /* WHEN_OFF: instructions, enum tl_x86_flow_flag, FAR_ONES */
	apply_fn *apply;
} rules[] = {
	[ptev_enabled] = { NOW, 0, enabled },
	[ptev_disabled] = { BEHIND, 0, disabled },
	[ptev_async_disabled] = { FROM, 0, disabled },
	[ptev_async_branch] = { FROM, 0, async_branch },
	[ptev_paging] = { WHEN_OFF, TL_X86_MOV_CR3 | TL_X86_VMENTRY | FAR_ONES, paging },
	[ptev_async_paging] = { AT, 0, paging },
	[ptev_overflow] = { NOW, 0, overflow },
	[ptev_exec_mode] = { AT, 0, exec_mode },
	[ptev_tsx] = { AT, 0, tsx },
	[ptev_stop] = { NOW, 0, stop },
	[ptev_vmcs] = { WHEN_OFF, TL_X86_VMPTRLD | TL_X86_VMENTRY | FAR_ONES, vmcs },
	[ptev_async_vmcs] = { AT, 0, vmcs },
	[ptev_exstop] = { AT_IF_ON, 0, nothing },
	[ptev_mwait] = { AT_IF_ON, 0, nothing },
	[ptev_pwre] = { NOW, 0, nothing },
	[ptev_pwrx] = { NOW, 0, nothing },
	[ptev_ptwrite] = { WHEN_OFF, TL_X86_PTWRITE, nothing },
	[ptev_tick] = { NOW, 0, nothing },
	[ptev_cbr] = { NOW, 0, nothing },
	[ptev_mnt] = { NOW, 0, nothing },
	[ptev_tip] = { NOW, 0, nothing },
	[ptev_tnt] = { NOW, 0, nothing },
	[ptev_iflags] = { AT, 0, nothing },
	[ptev_interrupt] = { AT_IF_ON, 0, nothing },
	[ptev_iret] = { WHEN_OFF, FAR_ONES, nothing },
	[ptev_smi] = { AT_IF_ON, 0, nothing },
	[ptev_rsm] = { AT_IF_ON, 0, nothing },
	[ptev_sipi] = { NOW, 0, nothing },
	[ptev_init] = { AT_IF_ON, 0, nothing },
	[ptev_vmentry] = { WHEN_OFF, FAR_ONES, nothing },
	[ptev_vmexit] = { AT_IF_ON, 0, nothing },
	[ptev_shutdown] = { AT_IF_ON, 0, nothing },
	[ptev_uintr] = { AT_IF_ON, 0, nothing },
	[ptev_uiret] = { WHEN_OFF, FAR_ONES, nothing },
	[ptev_trig] = { AT_IF_ON, 0, nothing },
	[ptev_swintr] = { AT_IF_ON, 0, nothing },
	[ptev_syscall] = { AT_IF_ON, 0, nothing },
};

/* The address that an event is bound to; NULL: its kind has none. */
uint64_t *tl_compat_place(struct pt_event *event)
{
	switch (event->type) {
	case ptev_async_paging:
		return &event->variant.async_paging.ip;
	case ptev_async_vmcs:
		return &event->variant.async_vmcs.ip;
	case ptev_exec_mode:
		return &event->variant.exec_mode.ip;
	case ptev_ptwrite:
		return &event->variant.ptwrite.ip;
	case ptev_iflags:
		return &event->variant.iflags.ip;
	case ptev_interrupt:
		return &event->variant.interrupt.ip;
	case ptev_vmexit:
		return &event->variant.vmexit.ip;
	case ptev_trig:
		return &event->variant.trig.ip;
	case ptev_swintr:
		return &event->variant.swintr.ip;
	case ptev_uintr:
		return &event->variant.uintr.ip;
	default:
		/* All others that have one begin with it. */
		return &event->variant.tip.ip;
	}
}

bool tl_compat_is_here(struct tl_compat_decoder *dec)
{
	bool here = *tl_compat_place(&dec->event) == dec->ip;

	switch (rules[dec->event.type].binding) {
	case NOW:
		return true;
	case WHEN_OFF:
		return !dec->enabled;
	case FROM:
		return here;
	case AT:
		return here || dec->event.ip_suppressed;
	case AT_IF_ON:
		return here || dec->event.ip_suppressed || !dec->enabled;
	default:
		return false;
	}
}

/* One event of a kind for each instruction. */
static bool *bound_before(struct tl_compat_decoder *dec)
{
	return dec->event.type == ptev_paging ? &dec->bound_paging
	       : dec->event.type == ptev_vmcs ? &dec->bound_vmcs
					      : &dec->bound_ptwrite;
}

void tl_compat_bound_none(struct tl_compat_decoder *dec)
{
	dec->bound_paging = dec->bound_vmcs = dec->bound_ptwrite = false;
}

bool tl_compat_is_kind(const struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	uint16_t flags = rules[dec->event.type].flags;

	return (code->flags & flags & (FAR_ONES - 1)) ||
	       (flags & FAR_ONES && tl_compat_is_far(code));
}

bool tl_compat_is_bound_to_insn(const struct tl_compat_decoder *dec)
{
	return rules[dec->event.type].binding == WHEN_OFF;
}

/* Those that have an address have that of their instruction. */
bool tl_compat_has_place(const struct tl_compat_decoder *dec)
{
	return dec->event.type != ptev_paging && dec->event.type != ptev_vmcs &&
	       !dec->event.ip_suppressed;
}

void tl_compat_bind(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	struct pt_event *event = &dec->event;

	if (event->ip_suppressed && event->type != ptev_paging && event->type != ptev_vmcs) {
		*tl_compat_place(event) = code->insn.ip;
		event->ip_suppressed = 0;
	}
	*bound_before(dec) = true;
}

bool tl_compat_binds(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	bool binds;

	if (*bound_before(dec))
		return false;
	if (tl_compat_has_place(dec))
		binds = *tl_compat_place(&dec->event) == code->insn.ip;
	else
		binds = tl_compat_is_kind(dec, code);
	if (binds)
		tl_compat_bind(dec, code);
	return binds;
}

/* Whether flow must be at the event's address when it is taken. */
static bool is_elsewhere(struct tl_compat_decoder *dec)
{
	struct pt_event *event = &dec->event;
	bool elsewhere = *tl_compat_place(event) != dec->ip;

	switch (event->type) {
	case ptev_async_disabled:
		return elsewhere && (dec->blocks || !event->ip_suppressed);
	case ptev_async_branch:
		return elsewhere;
	case ptev_async_paging:
	case ptev_async_vmcs:
		return elsewhere && !event->ip_suppressed;
	case ptev_exec_mode:
	case ptev_tsx:
		return elsewhere && !event->ip_suppressed && dec->blocks;
	default:
		return rules[event->type].binding == AT_IF_ON && elsewhere &&
		       !event->ip_suppressed && dec->enabled;
	}
}

int tl_compat_apply(struct tl_compat_decoder *dec)
{
	if (is_elsewhere(dec))
		return -pte_bad_query;
	return rules[dec->event.type].apply(dec, &dec->event);
}

/* ---- errata (7) ---- */

bool tl_compat_skd022(struct tl_compat_decoder *dec, uint64_t ip)
{
	struct pt_event *event = &dec->event;
	const struct tl_compat_code *code;
	uint64_t to = event->variant.async_disabled.ip;

	if (!(dec->config.ours.errata & TL_PT_SKD022) || tl_compat_code(dec, ip, &code) < 0 ||
	    !(code->flags & TL_X86_VMENTRY))
		return false;
	event->type = ptev_disabled;
	event->variant.disabled.ip = to;
	return true;
}

/* Whether the address can be reached without trace, in a few steps. */
static bool reaches(struct tl_compat_decoder *dec, uint64_t to)
{
	const struct tl_compat_code *code;
	uint64_t ip = dec->ip;

	for (unsigned steps = 256; ip != to; steps--)
		if (!steps || tl_compat_code(dec, ip, &code) < 0 ||
		    tl_compat_code_next(code, &ip) < 0)
			return false;
	return true;
}

void tl_compat_bdm64(struct tl_compat_decoder *dec, const struct tl_compat_code *branch)
{
	struct pt_event *event = &dec->event;

	if (!(dec->config.ours.errata & TL_PT_BDM64) || event->type != ptev_tsx ||
	    event->ip_suppressed || !event->variant.tsx.aborted ||
	    branch->insn.iclass == ptic_other || branch->insn.iclass == ptic_ptwrite)
		return;
	if (!reaches(dec, event->variant.tsx.ip))
		dec->ip = event->variant.tsx.ip;
}

bool tl_compat_has_filter(const struct tl_compat_decoder *dec)
{
	return dec->config.user.addr_filter.config.addr_cfg &&
	       dec->config.ours.errata & TL_PT_SKL014;
}

bool tl_compat_is_filtered(const struct tl_compat_decoder *dec, uint64_t ip)
{
	const struct tl_pt_range *ranges = dec->config.ours.ranges;
	bool filter = false, inside = false;

	for (unsigned i = 0; i < 4; i++) {
		bool in = ip >= ranges[i].first && ip <= ranges[i].last;

		if (ranges[i].use == TL_PT_RANGE_STOP && in)
			return true;
		filter |= ranges[i].use == TL_PT_RANGE_FILTER;
		inside |= ranges[i].use == TL_PT_RANGE_FILTER && in;
	}
	return filter && !inside;
}
