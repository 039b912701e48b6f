/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock at the item just given: kept as packets are taken, or brought there when it is asked
 * for.
 */
#include "intel_pt/flow/rules.h"
#include "core/arithmetic.h"

/*
 * Fast path of replay(): TNT, TIP, MTC and CYC, up to any other packet. It equals decoding each of
 * them and passing it to the clock.
 */
static const uint8_t *pass_plain(struct tl_pt_flow *flow, const uint8_t *pos, const uint8_t *to)
{
	while (pos < to) {
		uint64_t bits = 0;
		uint32_t count = 0;
		size_t size;

		pos = tl_pt_take_tnt(pos, to, &bits, &count);
		size = tl_pt_tip_size(pos, to);
		if (!size && pos < to)
			size = tl_pt_flow_keep_time(flow, pos);
		if (!size && !count)
			break;
		pos += size;
	}
	return pos;
}

/* Take the time packets up to `to` into the clock. */
static void replay(struct tl_pt_flow *flow, const uint8_t *to)
{
	while (flow->timing.pos < to) {
		struct tl_pt_packet packet;
		int size;

		if (flow->timing.context.items == TL_PT_ITEMS_NONE)
			flow->timing.pos = pass_plain(flow, flow->timing.pos, to);
		if (flow->timing.pos >= to)
			break;
		size = tl_pt_flow_decode(flow, &packet, flow->timing.pos, &flow->timing.context);
		if (size <= 0)
			break;
		tl_pt_clock_packet(&flow->time, &packet, &flow->config);
		flow->timing.pos += size;
	}
	if (flow->timing.pos < to)
		flow->timing.pos = to;
}

void tl_pt_flow_catch_up(struct tl_pt_flow *flow)
{
	if (!(flow->flags & TL_PT_FLOW_TIMED))
		replay(flow, tl_max(flow->status.psb_end, flow->pos));
}

void tl_pt_flow_pass(struct tl_pt_flow *flow, const uint8_t *pos)
{
	if (flow->flags & TL_PT_FLOW_TIMED) {
		flow->timing.pos = flow->pos;
		flow->timing.context = flow->context;
		replay(flow, pos);
	}
	flow->pos = pos;
}

void tl_pt_flow_clock(struct tl_pt_flow *flow, uint64_t offset)
{
	replay(flow, flow->begin + offset);
}

int tl_pt_flow_time(struct tl_pt_flow *flow, uint64_t *tsc, uint32_t *lost_mtc, uint32_t *lost_cyc)
{
	tl_pt_flow_catch_up(flow);
	*tsc = flow->time.tsc;
	*lost_mtc = flow->time.lost_mtc;
	*lost_cyc = flow->time.lost_cyc;
	return flow->time.have_tsc ? 0 : -TL_PT_NO_TIME;
}

int tl_pt_flow_cbr(struct tl_pt_flow *flow, uint32_t *ratio)
{
	tl_pt_flow_catch_up(flow);
	*ratio = flow->time.cbr;
	return flow->time.have_cbr ? 0 : -TL_PT_NO_CBR;
}

size_t tl_pt_flow_keep_time(struct tl_pt_flow *flow, const uint8_t *pos)
{
	struct tl_pt_opcode op = tl_pt_opcodes[*pos];
	uint64_t cycles;
	size_t size;

	if (op.kind == TL_PT_PKT_MTC && flow->end - pos >= 2) {
		tl_pt_clock_mtc(&flow->time, pos[1], &flow->config);
		return 2;
	}
	if (op.kind != TL_PT_PKT_CYC || (*pos & 4 && flow->config.errata & TL_PT_SKD007))
		return 0;
	size = tl_pt_short_cyc(pos, flow->end, &cycles);
	if (size)
		tl_pt_clock_cyc(&flow->time, cycles, &flow->config);
	return size;
}
