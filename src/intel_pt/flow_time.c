/* SPDX-License-Identifier: Apache-2.0 */
/* What time it is at the item just given: kept along the way, or caught up with when somebody asks. */
#include "intel_pt/rules.h"

static void catch_up(struct tl_pt_flow *flow)
{
	while (flow->time_pos && flow->time_pos < flow->pos) {
		struct tl_pt_packet packet;
		int size = tl_pt_flow_decode(flow, &packet, flow->time_pos, &flow->time_context);

		if (size > 0) {
			tl_pt_time_packet(&flow->time, &packet, &flow->config);
			flow->time_pos += size;
			continue;
		}
		/* What was passed over without being packets (9.9). */
		flow->time_pos = tl_pt_psb_forward(flow->time_pos + 1, flow->end);
		flow->time_context.items = TL_PT_ITEMS_NONE;
		if (!flow->time_pos)
			flow->time_pos = flow->end;
	}
}

int tl_pt_flow_time(struct tl_pt_flow *flow, uint64_t *tsc, uint32_t *lost_mtc, uint32_t *lost_cyc)
{
	if (!flow->timed)
		catch_up(flow);
	*tsc = flow->time.tsc;
	*lost_mtc = flow->time.lost_mtc;
	*lost_cyc = flow->time.lost_cyc;
	return flow->time.have_tsc ? 0 : -TL_PT_NO_TIME;
}

int tl_pt_flow_cbr(struct tl_pt_flow *flow, uint32_t *ratio)
{
	if (!flow->timed)
		catch_up(flow);
	*ratio = flow->time.cbr;
	return flow->time.have_cbr ? 0 : -TL_PT_NO_CBR;
}
