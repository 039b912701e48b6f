/* SPDX-License-Identifier: Apache-2.0 */
/* An event from our structure into the published one: a row a kind. */
#include "compat.h"

static void none(struct pt_event *to, const struct tl_pt_event *from)
{
	(void)to, (void)from;
}

/* Every kind whose variant begins with the address, and has nothing else. */
static void ip(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.tip.ip = from->ip;
}

static void enabled(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.enabled.ip = from->ip;
	to->variant.enabled.resumed = from->enabled.resumed;
}

static void async_disabled(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.async_disabled.at = from->ip;
	to->variant.async_disabled.ip = from->disabled.to;
}

static void async_branch(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.async_branch.from = from->ip;
	to->variant.async_branch.to = from->branch.to;
}

static void paging(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.paging.cr3 = from->paging.cr3;
	to->variant.paging.non_root = from->paging.non_root;
}

static void async_paging(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.async_paging.cr3 = from->paging.cr3;
	to->variant.async_paging.non_root = from->paging.non_root;
	to->variant.async_paging.ip = from->ip;
}

static void exec_mode(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.exec_mode.mode = (enum pt_exec_mode)from->exec_mode.mode;
	to->variant.exec_mode.ip = from->ip;
}

static void tsx(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.tsx.ip = from->ip;
	to->variant.tsx.speculative = from->tsx.speculative;
	to->variant.tsx.aborted = from->tsx.aborted;
}

static void vmcs(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.vmcs.base = from->vmcs.base;
}

static void async_vmcs(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.async_vmcs.base = from->vmcs.base;
	to->variant.async_vmcs.ip = from->ip;
}

static void mwait(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.mwait.ip = from->ip;
	to->variant.mwait.hints = from->mwait.hints;
	to->variant.mwait.ext = from->mwait.ext;
}

static void pwre(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.pwre.state = from->pwre.state;
	to->variant.pwre.sub_state = from->pwre.sub_state;
	to->variant.pwre.hw = from->pwre.hw;
}

static void pwrx(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.pwrx.last = from->pwrx.last;
	to->variant.pwrx.deepest = from->pwrx.deepest;
	to->variant.pwrx.interrupt = from->pwrx.interrupt;
	to->variant.pwrx.store = from->pwrx.store;
	to->variant.pwrx.autonomous = from->pwrx.autonomous;
}

static void ptwrite(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.ptwrite.ip = from->ip;
	to->variant.ptwrite.size = from->ptwrite.size;
	to->variant.ptwrite.payload = from->ptwrite.payload;
}

static void cbr(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.cbr.ratio = from->cbr.ratio;
}

static void mnt(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.mnt.payload = from->mnt.payload;
}

static void tnt(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.tnt.bits = from->tnt.bits;
	to->variant.tnt.size = from->tnt.count;
}

static void iflags(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.iflags.iflag = from->iflags.iflag;
	to->variant.iflags.ip = from->ip;
}

static void interrupt(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.interrupt.has_cr2 = from->interrupt.has_cr2;
	to->variant.interrupt.vector = from->interrupt.vector;
	to->variant.interrupt.cr2 = from->interrupt.cr2;
	to->variant.interrupt.ip = from->ip;
}

static void sipi(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.sipi.vector = from->interrupt.vector;
}

static void vmexit(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.vmexit.has_vector = from->vmexit.has_vector;
	to->variant.vmexit.has_vmxr = from->vmexit.has_vmxr;
	to->variant.vmexit.has_vmxq = from->vmexit.has_vmxq;
	to->variant.vmexit.vector = from->vmexit.vector;
	to->variant.vmexit.vmxr = from->vmexit.vmxr;
	to->variant.vmexit.vmxq = from->vmexit.vmxq;
	to->variant.vmexit.ip = from->ip;
}

/* uintr and swintr have the same variant. */
static void vector(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.uintr.vector = from->interrupt.vector;
	to->variant.uintr.ip = from->ip;
}

static void trig(struct pt_event *to, const struct tl_pt_event *from)
{
	to->variant.trig.trbv = from->trig.trbv;
	to->variant.trig.icnt = from->trig.icnt;
	to->variant.trig.mult = from->trig.mult;
	to->variant.trig.ip = from->ip;
}

/* 3.2 */
static void (*const variants[])(struct pt_event *, const struct tl_pt_event *) = {
	[ptev_enabled] = enabled,
	[ptev_disabled] = ip,
	[ptev_async_disabled] = async_disabled,
	[ptev_async_branch] = async_branch,
	[ptev_paging] = paging,
	[ptev_async_paging] = async_paging,
	[ptev_overflow] = ip,
	[ptev_exec_mode] = exec_mode,
	[ptev_tsx] = tsx,
	[ptev_stop] = none,
	[ptev_vmcs] = vmcs,
	[ptev_async_vmcs] = async_vmcs,
	[ptev_exstop] = ip,
	[ptev_mwait] = mwait,
	[ptev_pwre] = pwre,
	[ptev_pwrx] = pwrx,
	[ptev_ptwrite] = ptwrite,
	[ptev_tick] = ip,
	[ptev_cbr] = cbr,
	[ptev_mnt] = mnt,
	[ptev_tip] = ip,
	[ptev_tnt] = tnt,
	[ptev_iflags] = iflags,
	[ptev_interrupt] = interrupt,
	[ptev_iret] = ip,
	[ptev_smi] = ip,
	[ptev_rsm] = ip,
	[ptev_sipi] = sipi,
	[ptev_init] = ip,
	[ptev_vmentry] = ip,
	[ptev_vmexit] = vmexit,
	[ptev_shutdown] = ip,
	[ptev_uintr] = vector,
	[ptev_uiret] = ip,
	[ptev_trig] = trig,
	[ptev_swintr] = vector,
	[ptev_syscall] = ip,
};

void tl_compat_event(struct pt_event *to, const struct tl_pt_event *from)
{
	memset(to, 0, sizeof(*to));
	to->type = (enum pt_event_type)from->kind;
	to->ip_suppressed = from->ip_suppressed;
	to->status_update = from->status_update;
	to->has_tsc = from->has_tsc;
	to->tsc = from->tsc;
	to->lost_mtc = from->lost_mtc;
	to->lost_cyc = from->lost_cyc;
	if ((unsigned)from->kind < sizeof(variants) / sizeof(variants[0]))
		variants[from->kind](to, from);
}
