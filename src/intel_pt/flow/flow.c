/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow: position, the fast path through TNT and TIP, and the table of rules for all other
 * packets.
 */
#include "intel_pt/flow/rules.h"

/* ---- opening and synchronising ---- */

int tl_pt_flow_open(struct tl_pt_flow *flow, const struct tl_pt_config *config, unsigned flags)
{
	int status;

	memset(flow, 0, sizeof(*flow));
	status = tl_pt_config_copy(&flow->config, config);
	if (status < 0)
		return status;
	flow->begin = flow->config.begin;
	flow->end = flow->config.end;
	flow->flags = flags;
	flow->slow_path_reasons = TL_PT_SLOW_SYNC;
	return 0;
}

static int start_at(struct tl_pt_flow *flow, const uint8_t *pos)
{
	if (!pos)
		return -TL_PT_EOS;
	tl_pt_flow_drop(flow);
	flow->pos = flow->packet = flow->psb = flow->status.psb_end = flow->timing.pos = pos;
	flow->resumed = NULL;
	flow->last_ip = 0;
	flow->slow_path_reasons = TL_PT_SLOW_OFF;
	if (flow->config.flags & TL_PT_TICK_EVENTS && flow->flags & TL_PT_FLOW_TIMED)
		flow->slow_path_reasons |= TL_PT_SLOW_TICK;
	flow->ready.first = flow->ready.count = 0;
	flow->mode.now = TL_PT_MODE_UNKNOWN;
	flow->mode.iflag_known = false;
	flow->status.running = false;
	flow->timing.event_tsc = 0;
	flow->timing.context = flow->context;
	tl_pt_clock_reset(&flow->time);
	return 0;
}

int tl_pt_flow_sync_forward(struct tl_pt_flow *flow)
{
	return start_at(flow, tl_pt_psb_after(&flow->config, flow->psb, flow->pos));
}

int tl_pt_flow_sync_backward(struct tl_pt_flow *flow)
{
	return start_at(flow, tl_pt_psb_backward(flow->begin, flow->psb ? flow->psb : flow->end,
						 flow->end));
}

int tl_pt_flow_sync_set(struct tl_pt_flow *flow, uint64_t offset)
{
	if (offset > (uint64_t)(flow->end - flow->begin))
		return -TL_PT_EOS;
	if (!tl_pt_is_psb(flow->begin + offset, flow->end))
		return -TL_PT_NOSYNC;
	return start_at(flow, flow->begin + offset);
}

/* ---- the fast path ---- */

/*
 * The size of a PAD or of a packet that only keeps time, if it follows from its first bytes; 0:
 * decode the packet.
 */
static size_t passed_size(const struct tl_pt_flow *flow, const uint8_t *pos)
{
	struct tl_pt_opcode op = tl_pt_opcodes[*pos];
	uint64_t cycles;

	if (op.kind == TL_PT_PKT_PAD)
		return 1;
	if (flow->flags & TL_PT_FLOW_TIMED)
		return 0;
	if (op.kind == TL_PT_PKT_CYC && *pos & 4 && flow->config.errata & TL_PT_SKD007)
		return 0;
	if (op.kind == TL_PT_PKT_CYC)
		return tl_pt_short_cyc(pos, flow->end, &cycles);
	if (op.kind == TL_PT_PKT_MTC || op.kind == TL_PT_PKT_TSC)
		return op.size <= flow->end - pos ? op.size : 0;
	return 0;
}

/* TNT of up to 47 outcomes. */
static bool long_tnt(const uint8_t *pos, const uint8_t *end, uint64_t *bits, uint32_t *count)
{
	uint64_t payload;
	uint32_t outcomes;

	if (!tl_pt_is_long_tnt(pos, end))
		return false;
	payload = tl_le64(pos) >> 16;
	outcomes = 63 - (uint32_t)__builtin_clzll(payload);
	if (*count + outcomes > 64)
		return false;
	*bits = *bits << outcomes | (payload ^ UINT64_C(1) << outcomes);
	*count += outcomes;
	return true;
}

static bool tick(struct tl_pt_flow *flow)
{
	if (!(flow->slow_path_reasons & TL_PT_SLOW_TICK) || !flow->time.have_tsc ||
	    flow->time.tsc == flow->timing.event_tsc)
		return false;
	flow->timing.event_tsc = flow->time.tsc;
	return true;
}

/* Take the TIP at `pos`, with no event pending. */
static bool take_tip(struct tl_pt_flow *flow, struct tl_pt_flow_item *item, const uint8_t *pos)
{
	uint32_t size = tl_pt_tip_size(pos, flow->end);

	if (!size)
		return false;
	flow->packet = pos;
	flow->last_ip = tl_pt_take_ip(pos, flow->last_ip);
	flow->pos = pos + size;
	item->kind = TL_PT_FLOW_ITEM_TIP;
	item->ip = flow->last_ip;
	item->suppressed = false;
	item->offset = (uint64_t)(pos - flow->begin);
	item->tick = tick(flow);
	return true;
}

/*
 * Gather outcomes of TNT packets in a row; in an untimed flow PAD and time packets may be between
 * them.
 */
static uint32_t gather(struct tl_pt_flow *flow, struct tl_pt_flow_item *item, const uint8_t *pos)
{
	const uint8_t *end = flow->end, *next;
	uint64_t bits = 0;
	uint32_t count = 0;

	for (;;) {
		size_t size;

		next = tl_pt_take_tnt(pos, end, &bits, &count);
		if (next != pos) {
			flow->pos = next;
			pos = next;
		}
		if (pos == end || count > 64 - 6)
			break;
		if (long_tnt(pos, end, &bits, &count)) {
			pos += 8;
			flow->pos = pos;
			continue;
		}
		size = passed_size(flow, pos);
		if (!size)
			break;
		pos += size;
	}
	item->bits = bits;
	item->count = count;
	return count;
}

/*
 * Fast path of step() and its rules: outcomes or a TIP with nothing pending. It equals decoding
 * each packet and calling tl_pt_rule_tnt() or tl_pt_rule_tip(), except that TNT packets in a row
 * become one item.
 */
static bool fast(struct tl_pt_flow *flow, struct tl_pt_flow_item *item)
{
	const uint8_t *pos = flow->pos;

	/* PAD and time packets before the item are passed with it. */
	while (pos < flow->end) {
		size_t size = passed_size(flow, pos);

		if (!size && flow->flags & TL_PT_FLOW_TIMED) {
			size = tl_pt_flow_keep_time(flow, pos);
			flow->pos += size ? pos + size - flow->pos : 0;
		}
		if (!size)
			break;
		pos += size;
	}
	if (pos == flow->end)
		return false;
	if (take_tip(flow, item, pos))
		return true;
	if (!gather(flow, item, pos))
		return false;
	flow->packet = pos;
	item->kind = TL_PT_FLOW_ITEM_TNT;
	item->offset = (uint64_t)(pos - flow->begin);
	item->tick = tick(flow);
	return true;
}

/* ---- all packets ---- */

static const struct {
	tl_pt_rule *rule;
	bool in_psb;  /* allowed inside a PSB+ (5.1) */
	bool flushes; /* queued MWAIT and PWRE are given before it (5.7) */
} rules[TL_PT_PKT_COUNT] = {
	[TL_PT_PKT_INVALID] = { tl_pt_rule_skip, true, false },
	[TL_PT_PKT_UNKNOWN] = { tl_pt_rule_skip, true, false },
	[TL_PT_PKT_PAD] = { tl_pt_rule_skip, true, false },
	[TL_PT_PKT_PSB] = { tl_pt_rule_psb, false, true },
	[TL_PT_PKT_PSBEND] = { tl_pt_rule_psbend, true, false },
	[TL_PT_PKT_FUP] = { tl_pt_rule_fup, true, false },
	[TL_PT_PKT_TIP] = { tl_pt_rule_tip, false, true },
	[TL_PT_PKT_TIP_PGE] = { tl_pt_rule_pge, false, true },
	[TL_PT_PKT_TIP_PGD] = { tl_pt_rule_pgd, false, true },
	[TL_PT_PKT_TNT_8] = { tl_pt_rule_tnt, false, true },
	[TL_PT_PKT_TNT_64] = { tl_pt_rule_tnt, false, true },
	[TL_PT_PKT_MODE] = { tl_pt_rule_mode, true, false },
	[TL_PT_PKT_PIP] = { tl_pt_rule_pip, true, false },
	[TL_PT_PKT_VMCS] = { tl_pt_rule_vmcs, true, false },
	[TL_PT_PKT_CBR] = { tl_pt_rule_cbr, true, false },
	[TL_PT_PKT_TSC] = { tl_pt_rule_time, true, false },
	[TL_PT_PKT_TMA] = { tl_pt_rule_time, true, false },
	[TL_PT_PKT_MTC] = { tl_pt_rule_time, true, false },
	[TL_PT_PKT_CYC] = { tl_pt_rule_time, true, false },
	[TL_PT_PKT_STOP] = { tl_pt_rule_stop, false, true },
	[TL_PT_PKT_OVF] = { tl_pt_rule_ovf, true, true },
	[TL_PT_PKT_MNT] = { tl_pt_rule_mnt, true, false },
	[TL_PT_PKT_EXSTOP] = { tl_pt_rule_exstop, false, false },
	[TL_PT_PKT_MWAIT] = { tl_pt_rule_mwait, false, false },
	[TL_PT_PKT_PWRE] = { tl_pt_rule_pwre, false, false },
	[TL_PT_PKT_PWRX] = { tl_pt_rule_pwrx, false, true },
	[TL_PT_PKT_PTW] = { tl_pt_rule_ptw, false, true },
	[TL_PT_PKT_CFE] = { tl_pt_rule_cfe, false, true },
	[TL_PT_PKT_EVD] = { tl_pt_rule_evd, false, true },
	[TL_PT_PKT_TRIG] = { tl_pt_rule_trig, false, true },
	[TL_PT_PKT_BBP] = { tl_pt_rule_skip, false, false },
	[TL_PT_PKT_BIP] = { tl_pt_rule_skip, false, false },
	[TL_PT_PKT_BEP] = { tl_pt_rule_bep, false, false },
};

static int apply(struct tl_pt_flow *flow, const struct tl_pt_packet *packet,
		 struct tl_pt_flow_item *item)
{
	if (flow->slow_path_reasons & TL_PT_SLOW_PSB && !rules[packet->kind].in_psb)
		return -TL_PT_BAD_CONTEXT;
	if (flow->slow_path_reasons & TL_PT_SLOW_POWER && rules[packet->kind].flushes &&
	    !(flow->flags & TL_PT_FLOW_CLASSIC)) {
		/* The packet is decoded again when these events have been given. */
		flow->pos = flow->packet;
		tl_pt_flow_give_power(flow);
		return TL_PT_GO_ON;
	}
	return rules[packet->kind].rule(flow, packet, item);
}

/* Decode one packet and apply its rule. */
static int step(struct tl_pt_flow *flow, struct tl_pt_flow_item *item)
{
	struct tl_pt_packet packet;
	uint64_t last_ip = flow->last_ip;
	int size, status;

	flow->packet = flow->pos;
	size = tl_pt_flow_decode(flow, &packet, flow->pos, &flow->context);
	if (size < 0)
		return size;
	flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_ITEMS;
	if (flow->context.items)
		flow->slow_path_reasons |= TL_PT_SLOW_ITEMS;
	flow->pos += size;
	status = apply(flow, &packet, item);
	if (status < 0) {
		flow->pos = flow->packet;
		flow->last_ip = last_ip;
	}
	return status;
}

static bool give_ready(struct tl_pt_flow *flow, struct tl_pt_flow_item *item)
{
	if (!flow->ready.count)
		return false;
	item->kind = TL_PT_FLOW_ITEM_EVENT;
	item->event = flow->ready.list[flow->ready.first++];
	item->offset = item->event.offset;
	if (!--flow->ready.count) {
		flow->ready.first = 0;
		flow->slow_path_reasons &= ~(uint32_t)TL_PT_SLOW_READY;
	}
	return true;
}

/* No packet could be taken: the end, or an error that stays. Events before it are given first. */
static void stop(struct tl_pt_flow *flow, struct tl_pt_flow_item *item, int status)
{
	if (status == -TL_PT_EOS && flow->slow_path_reasons & TL_PT_SLOW_POWER &&
	    !(flow->flags & TL_PT_FLOW_CLASSIC))
		tl_pt_flow_give_power(flow);
	if (status != -TL_PT_EOS) {
		flow->error = (enum tl_pt_error) - status;
		flow->slow_path_reasons |= TL_PT_SLOW_ERROR;
	}
	if (give_ready(flow, item))
		return;
	item->kind = status == -TL_PT_EOS ? TL_PT_FLOW_ITEM_END : TL_PT_FLOW_ITEM_ERROR;
	item->error = (enum tl_pt_error) - status;
	item->offset = (uint64_t)(flow->packet - flow->begin);
}

void tl_pt_flow_next(struct tl_pt_flow *flow, struct tl_pt_flow_item *item)
{
	int status = TL_PT_GO_ON;

	while (status == TL_PT_GO_ON) {
		if (!(flow->slow_path_reasons & ~(uint32_t)TL_PT_SLOW_TICK) && fast(flow, item))
			return;
		if (flow->slow_path_reasons & TL_PT_SLOW_READY && give_ready(flow, item))
			return;
		if (flow->slow_path_reasons & TL_PT_SLOW_SYNC)
			flow->packet = flow->begin, status = -TL_PT_NOSYNC;
		else if (flow->slow_path_reasons & TL_PT_SLOW_ERROR)
			status = -(int)flow->error;
		else
			status = step(flow, item);
	}
	if (status == TL_PT_GIVEN)
		return;
	if (flow->slow_path_reasons & TL_PT_SLOW_SYNC) {
		item->kind = TL_PT_FLOW_ITEM_ERROR;
		item->error = TL_PT_NOSYNC;
		item->offset = 0;
		return;
	}
	stop(flow, item, status);
}
