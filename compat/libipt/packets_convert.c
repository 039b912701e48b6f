/* SPDX-License-Identifier: Apache-2.0 */
/* A packet's payload from our structure into the published one, and back: a row a kind. */
#include "compat.h"

static void none_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	(void)to, (void)from;
}

static void none_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	(void)to, (void)from;
}

static void ip_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.ip.ipc = (enum pt_ip_compression)from->ip.ipc;
	to->payload.ip.ip = from->ip.ip;
}

static void ip_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->ip.ipc = (enum tl_pt_ipc)from->payload.ip.ipc;
	to->ip.ip = from->payload.ip.ip;
}

static void tnt_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.tnt.bit_size = from->tnt.count;
	to->payload.tnt.payload = from->tnt.bits;
}

static void tnt_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->tnt.count = from->payload.tnt.bit_size;
	to->tnt.bits = from->payload.tnt.payload;
}

static void mode_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.mode.leaf = (enum pt_mode_leaf)from->mode.leaf;
	if (from->mode.leaf == TL_PT_MODE_EXEC) {
		to->payload.mode.bits.exec.csl = from->mode.csl;
		to->payload.mode.bits.exec.csd = from->mode.csd;
		to->payload.mode.bits.exec.iflag = from->mode.iflag;
	} else {
		to->payload.mode.bits.tsx.intx = from->mode.intx;
		to->payload.mode.bits.tsx.abrt = from->mode.abrt;
	}
}

static void mode_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->mode.leaf = (enum tl_pt_mode_leaf)from->payload.mode.leaf;
	if (from->payload.mode.leaf == pt_mol_exec) {
		to->mode.csl = from->payload.mode.bits.exec.csl;
		to->mode.csd = from->payload.mode.bits.exec.csd;
		to->mode.iflag = from->payload.mode.bits.exec.iflag;
	} else {
		to->mode.intx = from->payload.mode.bits.tsx.intx;
		to->mode.abrt = from->payload.mode.bits.tsx.abrt;
	}
}

static void pip_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.pip.cr3 = from->pip.cr3;
	to->payload.pip.nr = from->pip.nr;
}

static void pip_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->pip.cr3 = from->payload.pip.cr3;
	to->pip.nr = from->payload.pip.nr;
}

/* Kinds with one field. */
#define ONE(kind, field)                                                                           \
	static void kind##_out(struct pt_packet *to, const struct tl_pt_packet *from)              \
	{                                                                                          \
		to->payload.kind.field = from->kind.field;                                         \
	}                                                                                          \
	static void kind##_in(struct tl_pt_packet *to, const struct pt_packet *from)               \
	{                                                                                          \
		to->kind.field = from->payload.kind.field;                                         \
	}

ONE(vmcs, base)
ONE(cbr, ratio)
ONE(tsc, tsc)
ONE(mtc, ctc)
ONE(cyc, value)
ONE(mnt, payload)
ONE(exstop, ip)

static void tma_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.tma.ctc = from->tma.ctc;
	to->payload.tma.fc = from->tma.fc;
}

static void tma_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->tma.ctc = from->payload.tma.ctc;
	to->tma.fc = from->payload.tma.fc;
}

static void mwait_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.mwait.hints = from->mwait.hints;
	to->payload.mwait.ext = from->mwait.ext;
}

static void mwait_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->mwait.hints = from->payload.mwait.hints;
	to->mwait.ext = from->payload.mwait.ext;
}

static void pwre_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	memset(&to->payload.pwre, 0, sizeof(to->payload.pwre));
	to->payload.pwre.state = from->pwre.state;
	to->payload.pwre.sub_state = from->pwre.sub_state;
	to->payload.pwre.hw = from->pwre.hw;
}

static void pwre_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->pwre.state = from->payload.pwre.state;
	to->pwre.sub_state = from->payload.pwre.sub_state;
	to->pwre.hw = from->payload.pwre.hw;
}

static void pwrx_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	memset(&to->payload.pwrx, 0, sizeof(to->payload.pwrx));
	to->payload.pwrx.last = from->pwrx.last;
	to->payload.pwrx.deepest = from->pwrx.deepest;
	to->payload.pwrx.interrupt = from->pwrx.interrupt;
	to->payload.pwrx.store = from->pwrx.store;
	to->payload.pwrx.autonomous = from->pwrx.autonomous;
}

static void pwrx_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->pwrx.last = from->payload.pwrx.last;
	to->pwrx.deepest = from->payload.pwrx.deepest;
	to->pwrx.interrupt = from->payload.pwrx.interrupt;
	to->pwrx.store = from->payload.pwrx.store;
	to->pwrx.autonomous = from->payload.pwrx.autonomous;
}

static void ptw_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.ptw.payload = from->ptw.payload;
	to->payload.ptw.plc = from->ptw.plc;
	to->payload.ptw.ip = from->ptw.ip;
}

static void ptw_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->ptw.payload = from->payload.ptw.payload;
	to->ptw.plc = from->payload.ptw.plc;
	to->ptw.ip = from->payload.ptw.ip;
}

static void cfe_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.cfe.type = (enum pt_cfe_type)from->cfe.type;
	to->payload.cfe.vector = from->cfe.vector;
	to->payload.cfe.ip = from->cfe.ip;
}

static void cfe_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->cfe.type = (uint8_t)from->payload.cfe.type;
	to->cfe.vector = from->payload.cfe.vector;
	to->cfe.ip = from->payload.cfe.ip;
}

static void evd_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.evd.type = (enum pt_evd_type)from->evd.type;
	to->payload.evd.payload = from->evd.payload;
}

static void evd_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->evd.type = (uint8_t)from->payload.evd.type;
	to->evd.payload = from->payload.evd.payload;
}

static void trig_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	to->payload.trig.trbv = from->trig.trbv;
	to->payload.trig.icnt = from->trig.icnt;
	to->payload.trig.ip = from->trig.ip;
	to->payload.trig.icntv = from->trig.icntv;
	to->payload.trig.mult = from->trig.mult;
}

static void trig_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	to->trig.trbv = from->payload.trig.trbv;
	to->trig.icnt = from->payload.trig.icnt;
	to->trig.ip = from->payload.trig.ip;
	to->trig.icntv = from->payload.trig.icntv;
	to->trig.mult = from->payload.trig.mult;
}

/* 4.1, 4.2; kinds without a row have no published number. */
static const struct {
	void (*out)(struct pt_packet *to, const struct tl_pt_packet *from);
	void (*in)(struct tl_pt_packet *to, const struct pt_packet *from);
} kinds[] = {
	[ppt_pad] = { none_out, none_in },
	[ppt_psb] = { none_out, none_in },
	[ppt_psbend] = { none_out, none_in },
	[ppt_fup] = { ip_out, ip_in },
	[ppt_tip] = { ip_out, ip_in },
	[ppt_tip_pge] = { ip_out, ip_in },
	[ppt_tip_pgd] = { ip_out, ip_in },
	[ppt_tnt_8] = { tnt_out, tnt_in },
	[ppt_tnt_64] = { tnt_out, tnt_in },
	[ppt_mode] = { mode_out, mode_in },
	[ppt_pip] = { pip_out, pip_in },
	[ppt_vmcs] = { vmcs_out, vmcs_in },
	[ppt_cbr] = { cbr_out, cbr_in },
	[ppt_tsc] = { tsc_out, tsc_in },
	[ppt_tma] = { tma_out, tma_in },
	[ppt_mtc] = { mtc_out, mtc_in },
	[ppt_cyc] = { cyc_out, cyc_in },
	[ppt_stop] = { none_out, none_in },
	[ppt_ovf] = { none_out, none_in },
	[ppt_mnt] = { mnt_out, mnt_in },
	[ppt_exstop] = { exstop_out, exstop_in },
	[ppt_mwait] = { mwait_out, mwait_in },
	[ppt_pwre] = { pwre_out, pwre_in },
	[ppt_pwrx] = { pwrx_out, pwrx_in },
	[ppt_ptw] = { ptw_out, ptw_in },
	[ppt_cfe] = { cfe_out, cfe_in },
	[ppt_evd] = { evd_out, evd_in },
	[ppt_trig] = { trig_out, trig_in },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* What is newer than the interface (BBP, BIP, BEP: 9.16) is an unknown packet with a known size. */
void tl_compat_packet_out(struct pt_packet *to, const struct tl_pt_packet *from)
{
	bool known = (unsigned)from->kind < KINDS && kinds[from->kind].out;

	to->type = known ? (enum pt_packet_type)from->kind : ppt_unknown;
	to->size = from->size;
	if (known)
		kinds[from->kind].out(to, from);
}

int tl_compat_packet_in(struct tl_pt_packet *to, const struct pt_packet *from)
{
	if ((unsigned)from->type >= KINDS || !kinds[from->type].in)
		return -pte_bad_opc;
	memset(to, 0, sizeof(*to));
	to->kind = (enum tl_pt_packet_kind)from->type;
	kinds[from->type].in(to, from);
	return 0;
}
