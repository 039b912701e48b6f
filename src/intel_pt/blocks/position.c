/* SPDX-License-Identifier: Apache-2.0 */
/* The position of the walk: node, return stack, time; kept as addresses while nodes are dropped. */
#include "intel_pt/blocks/decoder.h"

void tl_pt_push_links(struct tl_pt_decoder *decoder, uint32_t link)
{
	const uint32_t *list;

	if (!(link & TL_PT_LINK_LIST)) {
		tl_pt_push(decoder, link);
		return;
	}
	list = &decoder->graph.lists[link & ~TL_PT_LINK_LIST];
	for (uint32_t i = 1; i <= list[0]; i++)
		tl_pt_push(decoder, list[i]);
}

void tl_pt_clear_stack(struct tl_pt_decoder *decoder)
{
	for (unsigned i = 0; i < TL_PT_STACK; i++)
		decoder->pos.stack[i] = TL_PT_NODE_NONE;
	decoder->pos.top = 0;
}

bool tl_pt_set_ip(struct tl_pt_decoder *decoder, uint64_t ip)
{
	uint32_t number = tl_pt_graph_node(&decoder->graph, ip);

	if (!number) {
		/* There was room before (tl_pt_graph_has_room()), so memory is short. */
		tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.flow.offset);
		return false;
	}
	decoder->pos.node = number;
	return true;
}

void tl_pt_position_reset(struct tl_pt_decoder *decoder)
{
	tl_pt_clear_stack(decoder);
	decoder->trace.count = 0;
	decoder->trace.tip_pending = false;
	decoder->pos.idle = 0;
	decoder->boundary.pending = decoder->tick.pending = false;
	decoder->tick.count = decoder->pos.since = 0;
	decoder->pos.last_walked = TL_PT_NODE_NONE;
	decoder->pos.node = TL_PT_NODE_BEHIND;
	decoder->pos.last = (struct tl_pt_block){ .iclass = TL_PT_IC_ERROR };
	decoder->pos.last_flags = 0;
}

struct position_addrs {
	uint64_t node, stack[TL_PT_STACK];
	uint64_t used; /* a bit for each entry of the stack */
};

static void save_addrs(const struct tl_pt_decoder *decoder, struct position_addrs *addrs)
{
	const struct tl_pt_block *blocks = decoder->graph.blocks;

	addrs->used = 0;
	if (decoder->pos.node >= TL_PT_NODE_FIRST)
		addrs->node = blocks[decoder->pos.node].ip;
	for (unsigned i = 0; i < TL_PT_STACK; i++) {
		if (decoder->pos.stack[i] == TL_PT_NODE_NONE)
			continue;
		addrs->used |= UINT64_C(1) << i;
		addrs->stack[i] = blocks[tl_pt_edge_node(decoder->pos.stack[i])].ip;
	}
}

static bool restore_addrs(struct tl_pt_decoder *decoder, const struct position_addrs *addrs)
{
	if (decoder->pos.node >= TL_PT_NODE_FIRST && !tl_pt_set_ip(decoder, addrs->node))
		return false;
	for (unsigned i = 0; i < TL_PT_STACK; i++) {
		if (!(addrs->used >> i & 1))
			continue;
		decoder->pos.stack[i] =
			tl_pt_edge_offset(tl_pt_graph_node(&decoder->graph, addrs->stack[i]));
		if (!decoder->pos.stack[i]) {
			tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.flow.offset);
			return false;
		}
	}
	return true;
}

bool tl_pt_change_space(struct tl_pt_decoder *decoder, const struct tl_pt_asid *asid,
			enum tl_pt_exec_mode mode)
{
	struct tl_pt_graph *graph = &decoder->graph;
	unsigned before = graph->space;
	struct position_addrs addrs;

	tl_pt_graph_switch(graph, asid, mode);
	if (graph->space == before)
		return true;
	save_addrs(decoder, &addrs);
	return restore_addrs(decoder, &addrs);
}

bool tl_pt_drop_nodes(struct tl_pt_decoder *decoder)
{
	struct tl_pt_graph *graph = &decoder->graph;
	struct position_addrs addrs = { .used = 0 };

	decoder->pos.last_walked = decoder->passing.so_far.last = TL_PT_NODE_NONE;
	if (graph->nodes)
		save_addrs(decoder, &addrs);
	if (tl_pt_graph_reset(graph, decoder->code.image) < 0) {
		tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.flow.offset);
		return false;
	}
	return restore_addrs(decoder, &addrs);
}

void tl_pt_note_time(struct tl_pt_decoder *decoder, const uint32_t *out)
{
	const struct tl_pt_clock *time = &decoder->flow.time;
	struct tl_pt_node_times *times = &decoder->making.times;
	uint32_t index = (uint32_t)(out - times->begin);

	if (time->have_tsc == decoder->making.last.have_tsc &&
	    time->tsc == decoder->making.last.tsc &&
	    time->lost_mtc == decoder->making.last.lost_mtc &&
	    time->lost_cyc == decoder->making.last.lost_cyc &&
	    time->count == decoder->making.last.cycles)
		return;
	decoder->making.last =
		(struct tl_pt_node_time){ index,          time->lost_mtc, time->lost_cyc,
					  time->have_tsc, time->tsc,      time->count };
	if (!times->list)
		return;
	/* Two timestamps at one index: the later replaces the earlier. */
	if (times->count && times->list[times->count - 1].index == index)
		times->count--;
	times->list[times->count++] = decoder->making.last;
}

void tl_pt_note_psb_state(const struct tl_pt_decoder *decoder, struct tl_pt_psb_state *psb_state,
			  uint64_t ip)
{
	const uint32_t unfinished = TL_PT_SLOW_POWER | TL_PT_SLOW_EVD | TL_PT_SLOW_ITEMS;

	psb_state->on = tl_pt_is_enabled(decoder);
	psb_state->ip = ip;
	psb_state->speculative = decoder->pos.speculative;
	psb_state->resume_known = decoder->pos.resume_known;
	psb_state->resume_ip = decoder->pos.resume_ip;
	psb_state->clean =
		!(decoder->flow.slow_path_reasons & unfinished) && tl_pt_is_settled(decoder);
	psb_state->mode = tl_pt_graph_mode(&decoder->graph);
	psb_state->asid = decoder->graph.asid;
	psb_state->time = decoder->flow.time;
}

bool tl_pt_may_salvage(const struct tl_pt_decoder *decoder)
{
	return decoder->config.flags & TL_PT_SALVAGE && decoder->failure.error != TL_PT_EOS &&
	       decoder->failure.error != TL_PT_NOMEM && decoder->failure.error != TL_PT_NOSYNC;
}
