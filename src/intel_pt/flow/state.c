/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State that all rules share: packets with errata applied, sets of kinds, and dropping all that is
 * pending.
 */
#include "intel_pt/flow/rules.h"

const uint64_t tl_pt_kinds_neutral = TL_PT_KIND(PAD) | TL_PT_KIND(MNT) | TL_PT_KIND(CBR) |
				     TL_PT_KIND(TSC) | TL_PT_KIND(TMA) | TL_PT_KIND(MTC) |
				     TL_PT_KIND(CYC) | TL_PT_KIND(UNKNOWN) | TL_PT_KIND(INVALID) |
				     TL_PT_KIND(BBP) | TL_PT_KIND(BIP);

const uint64_t tl_pt_kinds_disabled =
	TL_PT_KIND(PSB) | TL_PT_KIND(TIP_PGE) | TL_PT_KIND(MODE) | TL_PT_KIND(PIP) |
	TL_PT_KIND(VMCS) | TL_PT_KIND(STOP) | TL_PT_KIND(OVF) | TL_PT_KIND(EXSTOP) |
	TL_PT_KIND(MWAIT) | TL_PT_KIND(PWRE) | TL_PT_KIND(PWRX) | TL_PT_KIND(PTW) |
	TL_PT_KIND(CFE) | TL_PT_KIND(EVD) | TL_PT_KIND(TRIG) | TL_PT_KIND(BEP);

bool tl_pt_may_follow_ovf(enum tl_pt_packet_kind kind)
{
	return (tl_pt_kinds_neutral | tl_pt_kinds_disabled | TL_PT_KIND(FUP)) >> kind & 1;
}

void tl_pt_flow_drop(struct tl_pt_flow *flow)
{
	const uint32_t pending = TL_PT_SLOW_FUP | TL_PT_SLOW_BOUND | TL_PT_SLOW_PSB |
				 TL_PT_SLOW_ITEMS | TL_PT_SLOW_POWER | TL_PT_SLOW_EVD;

	flow->slow_path_reasons &= ~pending;
	flow->bound.count = 0;
	flow->bound.at_tip = 0;
	flow->context = (struct tl_pt_context){ &flow->config, TL_PT_ITEMS_NONE };
	flow->queued.have_mwait = flow->queued.have_pwre = false;
	flow->queued.have_cr2 = flow->queued.have_vmxq = flow->queued.have_vmxr = false;
}

static bool looks_like_overflow(const struct tl_pt_flow *flow, const uint8_t *pos)
{
	struct tl_pt_context context = { &flow->config, TL_PT_ITEMS_NONE };
	struct tl_pt_packet packet;
	int size;

	if (flow->end - pos < 2 || pos[0] != TL_PT_OPC_EXT ||
	    tl_pt_extended[pos[1]].kind != TL_PT_PKT_OVF)
		return false;
	size = tl_pt_decode(&packet, pos + 2, flow->end, &context);
	return size == -TL_PT_EOS || (size > 0 && tl_pt_may_follow_ovf(packet.kind));
}

int tl_pt_flow_decode(const struct tl_pt_flow *flow, struct tl_pt_packet *packet,
		      const uint8_t *pos, struct tl_pt_context *context)
{
	int size = tl_pt_decode(packet, pos, flow->end, context);

	/*
	 * SKD007 (7): an OVF in place of the later bytes of a CYC; its first byte 02 looks like the
	 * end of the CYC. The rest of the CYC is dropped.
	 */
	if (size == 2 && packet->kind == TL_PT_PKT_CYC && flow->config.errata & TL_PT_SKD007 &&
	    looks_like_overflow(flow, pos + 1)) {
		packet->kind = TL_PT_PKT_INVALID;
		packet->size = 1;
		return 1;
	}
	return size;
}

bool tl_pt_flow_ip(struct tl_pt_flow *flow, const struct tl_pt_packet *packet)
{
	if (packet->ip.ipc == TL_PT_IPC_SUPPRESSED)
		return false;
	flow->last_ip = tl_pt_take_ip(flow->packet, flow->last_ip);
	return true;
}
