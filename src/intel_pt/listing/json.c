/* SPDX-License-Identifier: Apache-2.0 */
/* Packets and events as JSON: every field under the name it has in section 3.2. */
#include "core/output.h"
#include "intel_pt/listing/text.h"

static void put_key(struct tl_output *out, const char *key)
{
	tl_put_text(out, ",\"");
	tl_put_text(out, key);
	tl_put_text(out, "\":");
}

void tl_pt_json_hex(struct tl_output *out, const char *key, uint64_t value)
{
	put_key(out, key);
	tl_put_char(out, '"');
	tl_put_hex(out, value);
	tl_put_char(out, '"');
}

void tl_pt_json_number(struct tl_output *out, const char *key, uint64_t value)
{
	put_key(out, key);
	tl_put_u64(out, value);
}

void tl_pt_json_flag(struct tl_output *out, const char *key, bool value)
{
	put_key(out, key);
	tl_put_boolean(out, value);
}

void tl_pt_json_word(struct tl_output *out, const char *key, const char *value)
{
	put_key(out, key);
	tl_put_json(out, value, strlen(value));
}

static void put_outcomes(struct tl_output *out, uint64_t bits, unsigned count)
{
	put_key(out, "outcomes");
	tl_put_char(out, '"');
	for (unsigned i = count; i; i--)
		tl_put_char(out, bits >> (i - 1) & 1 ? '1' : '0');
	tl_put_char(out, '"');
}

/* ---- packets ---- */

static void ip_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "ipc", (uint64_t)p->ip.ipc);
	if (p->ip.ipc != TL_PT_IPC_SUPPRESSED)
		tl_pt_json_hex(out, "ip", p->ip.ip);
}

static void tnt_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	put_outcomes(out, p->tnt.bits, p->tnt.count);
}

static void mode_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	if (p->mode.leaf == TL_PT_MODE_TSX) {
		tl_pt_json_flag(out, "intx", p->mode.intx);
		tl_pt_json_flag(out, "abrt", p->mode.abrt);
		return;
	}
	tl_pt_json_flag(out, "csl", p->mode.csl);
	tl_pt_json_flag(out, "csd", p->mode.csd);
	tl_pt_json_flag(out, "if", p->mode.iflag);
}

static void pip_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_hex(out, "cr3", p->pip.cr3);
	tl_pt_json_flag(out, "nr", p->pip.nr);
}

static void vmcs_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_hex(out, "base", p->vmcs.base);
}

static void cbr_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "ratio", p->cbr.ratio);
}

static void tsc_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "tsc", p->tsc.tsc);
}

static void tma_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "ctc", p->tma.ctc);
	tl_pt_json_number(out, "fc", p->tma.fc);
}

static void mtc_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "ctc", p->mtc.ctc);
}

static void cyc_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "value", p->cyc.value);
}

static void mnt_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_hex(out, "payload", p->mnt.payload);
}

static void exstop_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_flag(out, "ip", p->exstop.ip);
}

static void mwait_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "hints", p->mwait.hints);
	tl_pt_json_number(out, "ext", p->mwait.ext);
}

static void pwre_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "state", p->pwre.state);
	tl_pt_json_number(out, "sub_state", p->pwre.sub_state);
	tl_pt_json_flag(out, "hw", p->pwre.hw);
}

static void pwrx_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "last", p->pwrx.last);
	tl_pt_json_number(out, "deepest", p->pwrx.deepest);
	tl_pt_json_flag(out, "interrupt", p->pwrx.interrupt);
	tl_pt_json_flag(out, "store", p->pwrx.store);
	tl_pt_json_flag(out, "autonomous", p->pwrx.autonomous);
}

static void ptw_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_hex(out, "payload", p->ptw.payload);
	tl_pt_json_number(out, "plc", p->ptw.plc);
	tl_pt_json_flag(out, "ip", p->ptw.ip);
}

static void cfe_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_word(out, "type", tl_pt_cfe_name(p->cfe.type));
	tl_pt_json_number(out, "vector", p->cfe.vector);
	tl_pt_json_flag(out, "ip", p->cfe.ip);
}

static void evd_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_word(out, "type", tl_pt_evd_name(p->evd.type));
	tl_pt_json_hex(out, "payload", p->evd.payload);
}

static void trig_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_hex(out, "trbv", p->trig.trbv);
	if (p->trig.icntv)
		tl_pt_json_number(out, "icnt", p->trig.icnt);
	tl_pt_json_flag(out, "ip", p->trig.ip);
	tl_pt_json_flag(out, "mult", p->trig.mult);
}

static void bbp_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "type", p->bbp.type);
	tl_pt_json_number(out, "item_bytes", p->bbp.short_items ? 4 : 8);
}

static void bip_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_number(out, "id", p->bip.id);
	tl_pt_json_hex(out, "payload", p->bip.payload);
}

static void bep_fields(struct tl_output *out, const struct tl_pt_packet *p)
{
	tl_pt_json_flag(out, "ip", p->bep.ip);
}

static void (*const packet_fields[TL_PT_PKT_COUNT])(struct tl_output *,
						    const struct tl_pt_packet *) = {
	[TL_PT_PKT_FUP] = ip_fields,      [TL_PT_PKT_TIP] = ip_fields,
	[TL_PT_PKT_TIP_PGE] = ip_fields,  [TL_PT_PKT_TIP_PGD] = ip_fields,
	[TL_PT_PKT_TNT_8] = tnt_fields,   [TL_PT_PKT_TNT_64] = tnt_fields,
	[TL_PT_PKT_MODE] = mode_fields,   [TL_PT_PKT_PIP] = pip_fields,
	[TL_PT_PKT_VMCS] = vmcs_fields,   [TL_PT_PKT_CBR] = cbr_fields,
	[TL_PT_PKT_TSC] = tsc_fields,     [TL_PT_PKT_TMA] = tma_fields,
	[TL_PT_PKT_MTC] = mtc_fields,     [TL_PT_PKT_CYC] = cyc_fields,
	[TL_PT_PKT_MNT] = mnt_fields,     [TL_PT_PKT_EXSTOP] = exstop_fields,
	[TL_PT_PKT_MWAIT] = mwait_fields, [TL_PT_PKT_PWRE] = pwre_fields,
	[TL_PT_PKT_PWRX] = pwrx_fields,   [TL_PT_PKT_PTW] = ptw_fields,
	[TL_PT_PKT_CFE] = cfe_fields,     [TL_PT_PKT_EVD] = evd_fields,
	[TL_PT_PKT_TRIG] = trig_fields,   [TL_PT_PKT_BBP] = bbp_fields,
	[TL_PT_PKT_BIP] = bip_fields,     [TL_PT_PKT_BEP] = bep_fields,
};

void tl_pt_put_packet_json(struct tl_output *out, const struct tl_pt_packet *packet,
			   uint64_t offset)
{
	tl_put_text(out, "{\"offset\":");
	tl_put_u64(out, offset);
	tl_pt_json_word(out, "packet", tl_pt_packet_word(packet));
	tl_pt_json_number(out, "size", packet->size);
	if ((unsigned)packet->kind < TL_PT_PKT_COUNT && packet_fields[packet->kind])
		packet_fields[packet->kind](out, packet);
	tl_put_text(out, "}\n");
}

/* ---- events ---- */

static void ev_branch(struct tl_output *out, const struct tl_pt_event *e)
{
	if (!e->ip_suppressed)
		tl_pt_json_hex(out, "to", e->branch.to);
}

static void ev_enabled(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_flag(out, "resumed", e->enabled.resumed);
}

static void ev_paging(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_hex(out, "cr3", e->paging.cr3);
	tl_pt_json_flag(out, "non_root", e->paging.non_root);
}

static void ev_vmcs(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_hex(out, "base", e->vmcs.base);
}

static void ev_mode(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_word(out, "mode", tl_pt_mode_name(e->exec_mode.mode));
}

static void ev_tsx(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_flag(out, "speculative", e->tsx.speculative);
	tl_pt_json_flag(out, "aborted", e->tsx.aborted);
}

static void ev_mwait(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_number(out, "hints", e->mwait.hints);
	tl_pt_json_number(out, "ext", e->mwait.ext);
}

static void ev_pwre(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_number(out, "state", e->pwre.state);
	tl_pt_json_number(out, "sub_state", e->pwre.sub_state);
	tl_pt_json_flag(out, "hw", e->pwre.hw);
}

static void ev_pwrx(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_number(out, "last", e->pwrx.last);
	tl_pt_json_number(out, "deepest", e->pwrx.deepest);
	tl_pt_json_flag(out, "interrupt", e->pwrx.interrupt);
	tl_pt_json_flag(out, "store", e->pwrx.store);
	tl_pt_json_flag(out, "autonomous", e->pwrx.autonomous);
}

static void ev_ptwrite(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_hex(out, "payload", e->ptwrite.payload);
	tl_pt_json_number(out, "size", e->ptwrite.size);
}

static void ev_cbr(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_number(out, "ratio", e->cbr.ratio);
}

static void ev_mnt(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_hex(out, "payload", e->mnt.payload);
}

static void ev_tnt(struct tl_output *out, const struct tl_pt_event *e)
{
	put_outcomes(out, e->tnt.bits, e->tnt.count);
}

static void ev_iflags(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_flag(out, "iflag", e->iflags.iflag);
}

static void ev_vector(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_number(out, "vector", e->interrupt.vector);
	if (e->kind == TL_PT_EV_INTERRUPT && e->interrupt.has_cr2)
		tl_pt_json_hex(out, "cr2", e->interrupt.cr2);
}

static void ev_vmexit(struct tl_output *out, const struct tl_pt_event *e)
{
	if (e->vmexit.has_vector)
		tl_pt_json_number(out, "vector", e->vmexit.vector);
	if (e->vmexit.has_vmxr)
		tl_pt_json_hex(out, "vmxr", e->vmexit.vmxr);
	if (e->vmexit.has_vmxq)
		tl_pt_json_hex(out, "vmxq", e->vmexit.vmxq);
}

static void ev_trig(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_hex(out, "trbv", e->trig.trbv);
	tl_pt_json_number(out, "icnt", e->trig.icnt);
	tl_pt_json_flag(out, "mult", e->trig.mult);
}

static void ev_lost(struct tl_output *out, const struct tl_pt_event *e)
{
	tl_pt_json_number(out, "from", e->lost.from);
	tl_pt_json_number(out, "to", e->lost.to);
	tl_pt_json_number(out, "packets", e->lost.packets);
	tl_pt_json_number(out, "outcomes", e->lost.outcomes);
	tl_pt_json_word(out, "why", tl_pt_error_text(e->lost.why));
	if (e->lost.at)
		tl_pt_json_hex(out, "at", e->lost.at);
}

static const struct {
	const char *name;
	void (*fields)(struct tl_output *, const struct tl_pt_event *);
} events[TL_PT_EV_COUNT] = {
	[TL_PT_EV_ENABLED] = { "enabled", ev_enabled },
	[TL_PT_EV_DISABLED] = { "disabled", NULL },
	[TL_PT_EV_ASYNC_DISABLED] = { "async_disabled", ev_branch },
	[TL_PT_EV_ASYNC_BRANCH] = { "async_branch", ev_branch },
	[TL_PT_EV_PAGING] = { "paging", ev_paging },
	[TL_PT_EV_ASYNC_PAGING] = { "async_paging", ev_paging },
	[TL_PT_EV_OVERFLOW] = { "overflow", NULL },
	[TL_PT_EV_EXEC_MODE] = { "exec_mode", ev_mode },
	[TL_PT_EV_TSX] = { "tsx", ev_tsx },
	[TL_PT_EV_STOP] = { "stop", NULL },
	[TL_PT_EV_VMCS] = { "vmcs", ev_vmcs },
	[TL_PT_EV_ASYNC_VMCS] = { "async_vmcs", ev_vmcs },
	[TL_PT_EV_EXSTOP] = { "exstop", NULL },
	[TL_PT_EV_MWAIT] = { "mwait", ev_mwait },
	[TL_PT_EV_PWRE] = { "pwre", ev_pwre },
	[TL_PT_EV_PWRX] = { "pwrx", ev_pwrx },
	[TL_PT_EV_PTWRITE] = { "ptwrite", ev_ptwrite },
	[TL_PT_EV_TICK] = { "tick", NULL },
	[TL_PT_EV_CBR] = { "cbr", ev_cbr },
	[TL_PT_EV_MNT] = { "mnt", ev_mnt },
	[TL_PT_EV_TIP] = { "tip", NULL },
	[TL_PT_EV_TNT] = { "tnt", ev_tnt },
	[TL_PT_EV_IFLAGS] = { "iflags", ev_iflags },
	[TL_PT_EV_INTERRUPT] = { "interrupt", ev_vector },
	[TL_PT_EV_IRET] = { "iret", NULL },
	[TL_PT_EV_SMI] = { "smi", NULL },
	[TL_PT_EV_RSM] = { "rsm", NULL },
	[TL_PT_EV_SIPI] = { "sipi", ev_vector },
	[TL_PT_EV_INIT] = { "init", NULL },
	[TL_PT_EV_VMENTRY] = { "vmentry", NULL },
	[TL_PT_EV_VMEXIT] = { "vmexit", ev_vmexit },
	[TL_PT_EV_SHUTDOWN] = { "shutdown", NULL },
	[TL_PT_EV_UINTR] = { "uintr", ev_vector },
	[TL_PT_EV_UIRET] = { "uiret", NULL },
	[TL_PT_EV_TRIG] = { "trig", ev_trig },
	[TL_PT_EV_SWINTR] = { "swintr", ev_vector },
	[TL_PT_EV_SYSCALL] = { "syscall", NULL },
	[TL_PT_EV_LOST] = { "lost", ev_lost },
};

/*
 * An event with two addresses: that of its source is printed even if the other one was suppressed.
 */
static bool has_ip(const struct tl_pt_event *e)
{
	return e->kind == TL_PT_EV_ASYNC_BRANCH || e->kind == TL_PT_EV_ASYNC_DISABLED ||
	       (!e->ip_suppressed && e->kind != TL_PT_EV_LOST);
}

void tl_pt_put_event_json(struct tl_output *out, const struct tl_pt_event *event)
{
	bool known = (unsigned)event->kind < TL_PT_EV_COUNT;

	tl_put_text(out, "{\"offset\":");
	tl_put_u64(out, event->offset);
	tl_pt_json_word(out, "event", known ? events[event->kind].name : "unknown");
	if (has_ip(event))
		tl_pt_json_hex(out, "ip", event->ip);
	if (event->has_tsc)
		tl_pt_json_number(out, "tsc", event->tsc);
	if (event->status_update)
		tl_pt_json_flag(out, "status_update", true);
	if (known && events[event->kind].fields)
		events[event->kind].fields(out, event);
	tl_put_text(out, "}\n");
}
