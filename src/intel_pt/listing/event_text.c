/* SPDX-License-Identifier: Apache-2.0 */
/* Events in the words of ptxed (12.2). */
#include <inttypes.h>

#include "core/output.h"
#include "core/text/optional.h"
#include "intel_pt/listing/text.h"

static const char *const event_names[TL_PT_EV_COUNT] = {
	[TL_PT_EV_ENABLED] = "enabled",
	[TL_PT_EV_DISABLED] = "disabled",
	[TL_PT_EV_ASYNC_DISABLED] = "disabled",
	[TL_PT_EV_ASYNC_BRANCH] = "interrupt",
	[TL_PT_EV_PAGING] = "paging",
	[TL_PT_EV_ASYNC_PAGING] = "paging",
	[TL_PT_EV_OVERFLOW] = "overflow",
	[TL_PT_EV_EXEC_MODE] = "exec mode",
	[TL_PT_EV_TSX] = "transaction",
	[TL_PT_EV_STOP] = "stopped",
	[TL_PT_EV_VMCS] = "vmcs",
	[TL_PT_EV_ASYNC_VMCS] = "vmcs",
	[TL_PT_EV_EXSTOP] = "exstop",
	[TL_PT_EV_MWAIT] = "mwait",
	[TL_PT_EV_PWRE] = "pwre",
	[TL_PT_EV_PWRX] = "pwrx",
	[TL_PT_EV_PTWRITE] = "ptwrite",
	[TL_PT_EV_TICK] = "tick",
	[TL_PT_EV_CBR] = "cbr",
	[TL_PT_EV_MNT] = "mnt",
	[TL_PT_EV_TIP] = "tip",
	[TL_PT_EV_TNT] = "tnt",
	[TL_PT_EV_IFLAGS] = "interrupts",
	[TL_PT_EV_INTERRUPT] = "interrupt",
	[TL_PT_EV_IRET] = "iret",
	[TL_PT_EV_SMI] = "smi",
	[TL_PT_EV_RSM] = "rsm",
	[TL_PT_EV_SIPI] = "sipi",
	[TL_PT_EV_INIT] = "init",
	[TL_PT_EV_VMENTRY] = "vmentry",
	[TL_PT_EV_VMEXIT] = "vmexit",
	[TL_PT_EV_SHUTDOWN] = "shutdown",
	[TL_PT_EV_UINTR] = "uintr",
	[TL_PT_EV_UIRET] = "uiret",
	[TL_PT_EV_TRIG] = "trig",
	[TL_PT_EV_SWINTR] = "swintr",
	[TL_PT_EV_SYSCALL] = "syscall",
	[TL_PT_EV_LOST] = "lost",
};

const char *tl_pt_event_name(enum tl_pt_event_kind kind)
{
	return (unsigned)kind < TL_PT_EV_COUNT ? event_names[kind] : "unknown";
}

/* The text between name and address. */
static void put_enabled(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_text(out, e->enabled.resumed ? "resumed" : "enabled");
}

static void put_paging(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "paging, cr3: %016" PRIx64 "%s", e->paging.cr3,
		      tl_text_if(e->paging.non_root, ", nr"));
}

static void put_vmcs(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "vmcs, base: %016" PRIx64, e->vmcs.base);
}

static void put_exec_mode(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "exec mode: %s", tl_pt_mode_name(e->exec_mode.mode));
}

static void put_tsx(struct tl_output *out, const struct tl_pt_event *e)
{
	if (e->tsx.speculative)
		tl_put_text(out, "begin transaction");
	else
		tl_put_text(out, e->tsx.aborted ? "aborted" : "committed");
}

static void put_mwait(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "mwait %" PRIx32 " %" PRIx32, e->mwait.hints, e->mwait.ext);
}

static void put_pwre(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "pwre c%u.%u%s", (e->pwre.state + 1u) & 0xf,
		      (e->pwre.sub_state + 1u) & 0xf, tl_text_if(e->pwre.hw, " hw"));
}

static void put_pwrx(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "pwrx %s%s%sc%u (c%u)", tl_text_if(e->pwrx.interrupt, "int: "),
		      tl_text_if(e->pwrx.store, "st: "), tl_text_if(e->pwrx.autonomous, "hw: "),
		      (e->pwrx.last + 1u) & 0xf, (e->pwrx.deepest + 1u) & 0xf);
}

static void put_ptwrite(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "ptwrite: %" PRIx64, e->ptwrite.payload);
}

static void put_cbr(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "cbr: %x", e->cbr.ratio);
}

static void put_mnt(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "mnt: %" PRIx64, e->mnt.payload);
}

static void put_tnt(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_text(out, "tnt: ");
	for (unsigned i = e->tnt.count; i; i--)
		tl_put_char(out, e->tnt.bits >> (i - 1) & 1 ? '!' : '.');
}

static void put_iflags(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_text(out, e->iflags.iflag ? "interrupts enabled" : "interrupts disabled");
}

static void put_interrupt(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "interrupt %u", e->interrupt.vector);
	if (e->interrupt.has_cr2)
		tl_put_format(out, ", cr2: %016" PRIx64, e->interrupt.cr2);
}

static void put_vector(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "%s %u", tl_pt_event_name(e->kind), e->interrupt.vector);
}

static void put_sipi(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "sipi: %x", e->interrupt.vector);
}

static void put_vmexit(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_text(out, "vmexit");
	if (e->vmexit.has_vector)
		tl_put_format(out, ", intr: %u", e->vmexit.vector);
	if (e->vmexit.has_vmxr)
		tl_put_format(out, ", vmxr: %016" PRIx64, e->vmexit.vmxr);
	if (e->vmexit.has_vmxq)
		tl_put_format(out, ", vmxq: %016" PRIx64, e->vmexit.vmxq);
}

static void put_trig(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "trig %02x", e->trig.trbv);
	if (e->trig.mult)
		tl_put_text(out, ", mult");
}

static void put_lost(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_put_format(out, "lost: bytes %" PRIx64 " to %" PRIx64 ": %s", e->lost.from, e->lost.to,
		      tl_pt_error_text(e->lost.why));
}

static void (*const bodies[TL_PT_EV_COUNT])(struct tl_output *, const struct tl_pt_event *) = {
	[TL_PT_EV_ENABLED] = put_enabled,
	[TL_PT_EV_PAGING] = put_paging,
	[TL_PT_EV_ASYNC_PAGING] = put_paging,
	[TL_PT_EV_VMCS] = put_vmcs,
	[TL_PT_EV_ASYNC_VMCS] = put_vmcs,
	[TL_PT_EV_EXEC_MODE] = put_exec_mode,
	[TL_PT_EV_TSX] = put_tsx,
	[TL_PT_EV_MWAIT] = put_mwait,
	[TL_PT_EV_PWRE] = put_pwre,
	[TL_PT_EV_PWRX] = put_pwrx,
	[TL_PT_EV_PTWRITE] = put_ptwrite,
	[TL_PT_EV_CBR] = put_cbr,
	[TL_PT_EV_MNT] = put_mnt,
	[TL_PT_EV_TNT] = put_tnt,
	[TL_PT_EV_IFLAGS] = put_iflags,
	[TL_PT_EV_INTERRUPT] = put_interrupt,
	[TL_PT_EV_UINTR] = put_vector,
	[TL_PT_EV_SWINTR] = put_vector,
	[TL_PT_EV_SIPI] = put_sipi,
	[TL_PT_EV_VMEXIT] = put_vmexit,
	[TL_PT_EV_TRIG] = put_trig,
	[TL_PT_EV_LOST] = put_lost,
};

/* The address; a change of flow has two. */
static void put_place(struct tl_output *out, const struct tl_pt_event *e)
{
	switch (e->kind) {
	case TL_PT_EV_ASYNC_DISABLED:
		tl_put_format(out, ", at: %016" PRIx64, e->ip);
		if (!e->ip_suppressed)
			tl_put_format(out, ", ip: %016" PRIx64, e->disabled.to);
		break;
	case TL_PT_EV_ASYNC_BRANCH:
		tl_put_format(out, ", from: %016" PRIx64, e->ip);
		if (!e->ip_suppressed)
			tl_put_format(out, ", to: %016" PRIx64, e->branch.to);
		break;
	case TL_PT_EV_CBR:
	case TL_PT_EV_MNT:
	case TL_PT_EV_STOP:
	case TL_PT_EV_PWRE:
	case TL_PT_EV_PWRX:
	case TL_PT_EV_LOST:
		break;
	default:
		if (!e->ip_suppressed)
			tl_put_format(out, ", ip: %016" PRIx64, e->ip);
	}
}

void tl_pt_put_event(struct tl_output *out, const struct tl_pt_event *event, unsigned flags)
{
	tl_put_char(out, '[');
	if (flags & TL_PT_TEXT_TIME)
		tl_put_format(out, "%016" PRIx64 "  ", event->tsc);
	if ((unsigned)event->kind < TL_PT_EV_COUNT && bodies[event->kind])
		bodies[event->kind](out, event);
	else
		tl_put_text(out, tl_pt_event_name(event->kind));
	if (flags & TL_PT_TEXT_EVENT_IP)
		put_place(out, event);
	tl_put_text(out, "]\n");
}
