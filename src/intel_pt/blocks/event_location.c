/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To a place without using trace: the one slow walk behind FUP, TIP.PGD, PSB+ and every event that
 * is bound to an address or to an instruction (5.1 to 5.5). What it gives are whole blocks as far
 * as they go, then the part of one.
 */
#include "intel_pt/blocks/decoder.h"

/* The node of what was decoded: the whole block's, if it is whole. 0: no room. */
static uint32_t node_for(struct tl_pt_decoder *decoder, const struct tl_pt_decoded_block *stretch)
{
	const struct tl_pt_node *node = &decoder->graph.nodes[decoder->pos.node];

	if (tl_pt_node_kind(node) < TL_PT_NODE_STUB &&
	    decoder->graph.blocks[decoder->pos.node].ninsn == stretch->block.ninsn)
		return decoder->pos.node;
	return tl_pt_graph_partial(&decoder->graph, stretch);
}

static bool push_calls(struct tl_pt_decoder *decoder, const struct tl_pt_decoded_block *stretch)
{
	uint32_t first = stretch->calls > TL_PT_STACK ? stretch->calls - TL_PT_STACK : 0;

	for (uint32_t i = first; i < stretch->calls; i++) {
		uint32_t link = tl_pt_graph_node(&decoder->graph, stretch->links[i % TL_PT_STACK]);

		if (!link)
			return false;
		tl_pt_push(decoder, tl_pt_edge_offset(link));
	}
	return true;
}

/* What was given last; behind a branch its target is yet to come. */
static void stand_behind(struct tl_pt_decoder *decoder, const struct tl_pt_block *block,
			 enum tl_pt_node_kind kind, unsigned flags)
{
	decoder->pos.last = *block;
	decoder->pos.since += block->ninsn;
	decoder->pos.last_walked = TL_PT_NODE_NONE;
	decoder->pos.last_flags = (uint16_t)flags;
	if (kind != TL_PT_NODE_NEXT)
		decoder->pos.node = TL_PT_NODE_BEHIND;
}

/* No trace is used here: a loop has no way on (9.13). */
static enum tl_pt_stop go_on(struct tl_pt_decoder *decoder, const struct tl_pt_block *block)
{
	decoder->pos.idle += block->ninsn + TL_PT_IDLE_BLOCK;
	if (decoder->pos.idle > TL_PT_IDLE_MOST)
		return tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.location_offset);
	return TL_PT_STOP_GO;
}

/* A whole block, in which the goal cannot be before its end. */
static enum tl_pt_stop give_whole(struct tl_pt_decoder *decoder,
				  const struct tl_pt_stop_condition *goal, struct tl_pt_out *out,
				  bool *reached)
{
	const struct tl_pt_node *node = &decoder->graph.nodes[decoder->pos.node];
	const struct tl_pt_block *block = &decoder->graph.blocks[decoder->pos.node];

	*out->pos++ = decoder->pos.node;
	if (node->link)
		tl_pt_push_links(decoder, node->link);
	*reached = goal->branch && node->kind != TL_PT_NODE_NEXT;
	decoder->pos.node = tl_pt_edge_node(node->edge[0]);
	stand_behind(decoder, block, node->kind,
		     node->kind == TL_PT_NODE_FAR ? node->traits & (TL_X86_FAR | TL_X86_VMENTRY)
						  : 0);
	if (node->kind == TL_PT_NODE_NEXT)
		return go_on(decoder, block);
	return *reached ? TL_PT_STOP_GO
			: tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.location_offset);
}

/* A block up to the goal, if that is in it. */
static enum tl_pt_stop give_part(struct tl_pt_decoder *decoder,
				 const struct tl_pt_stop_condition *goal, struct tl_pt_out *out,
				 bool *reached)
{
	struct tl_pt_graph *graph = &decoder->graph;
	struct tl_pt_decoded_block stretch;
	uint32_t number;

	tl_pt_graph_decode(graph, graph->blocks[decoder->pos.node].ip, goal, &stretch);
	number = node_for(decoder, &stretch);
	if (!number || !push_calls(decoder, &stretch))
		return tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.location_offset);
	*out->pos++ = number;
	*reached = stretch.reached;
	if (stretch.kind == TL_PT_NODE_NEXT && !tl_pt_set_ip(decoder, stretch.next))
		return TL_PT_STOP_ERROR;
	stand_behind(decoder, &stretch.block, stretch.kind, stretch.flags);
	if (*reached)
		return TL_PT_STOP_GO;
	if (stretch.kind == TL_PT_NODE_NEXT)
		return go_on(decoder, &stretch.block);
	return tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.location_offset);
}

/* One block or part of one. TL_PT_STOP_GO: `*reached` says whether that was it. */
static enum tl_pt_stop give_to(struct tl_pt_decoder *decoder,
			       const struct tl_pt_stop_condition *goal, struct tl_pt_out *out,
			       bool *reached)
{
	const struct tl_pt_node *node = &decoder->graph.nodes[decoder->pos.node];

	if (decoder->pos.node == TL_PT_NODE_BEHIND)
		return tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.location_offset);
	if (out->pos == out->end || !tl_pt_graph_has_room(&decoder->graph))
		return TL_PT_STOP_FULL;
	if (tl_pt_node_kind(node) == TL_PT_NODE_STUB &&
	    !tl_pt_graph_build(&decoder->graph, decoder->pos.node))
		return TL_PT_STOP_FULL;
	if (node->kind == TL_PT_NODE_ERROR)
		return tl_pt_fail(decoder, node->error,
				  tl_pt_flow_waits_at(&decoder->flow, &decoder->item.flow));
	if (!goal->at_ip && !goal->past_ip && !goal->insns && !goal->ranges &&
	    !(goal->flags & node->traits))
		return give_whole(decoder, goal, out, reached);
	return give_part(decoder, goal, out, reached);
}

static bool reached_already(const struct tl_pt_decoder *decoder,
			    const struct tl_pt_stop_condition *goal)
{
	if (decoder->pos.node == TL_PT_NODE_BEHIND)
		return goal->branch || (goal->flags & decoder->pos.last_flags);
	return goal->at_ip && !goal->behind &&
	       decoder->graph.blocks[decoder->pos.node].ip == goal->ip;
}

enum tl_pt_stop tl_pt_walk_to(struct tl_pt_decoder *decoder,
			      const struct tl_pt_stop_condition *goal, struct tl_pt_out *out)
{
	bool reached = reached_already(decoder, goal);
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (!reached && stop == TL_PT_STOP_GO)
		stop = give_to(decoder, goal, out, &reached);
	return stop;
}

bool tl_pt_reaches(struct tl_pt_decoder *decoder, uint64_t from, uint64_t to)
{
	enum { STEPS = 256 };
	const struct tl_pt_stop_condition goal = { .at_ip = true, .ip = to };
	struct tl_pt_decoded_block stretch = { .next = from, .kind = TL_PT_NODE_NEXT };
	uint32_t steps = 0;

	while (stretch.next != to || stretch.kind != TL_PT_NODE_NEXT) {
		if (stretch.kind != TL_PT_NODE_NEXT || steps >= STEPS)
			return false;
		tl_pt_graph_decode(&decoder->graph, stretch.next, &goal, &stretch);
		steps += stretch.block.ninsn;
	}
	return true;
}

/* So many instructions behind where trace told the place last. */
enum tl_pt_stop tl_pt_walk_past(struct tl_pt_decoder *decoder, uint32_t insns,
				struct tl_pt_out *out)
{
	bool reached = insns <= decoder->pos.since;
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (!reached && stop == TL_PT_STOP_GO) {
		struct tl_pt_stop_condition goal = { .insns = insns - decoder->pos.since };

		stop = give_to(decoder, &goal, out, &reached);
	}
	return stop;
}

enum tl_pt_stop tl_pt_walk_to_branch(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	static const struct tl_pt_stop_condition branch = { .branch = true };

	return tl_pt_walk_to(decoder, &branch, out);
}

/* The branch that trace does not fit has been reached, so it is given (9.3). */
enum tl_pt_stop tl_pt_mismatch(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	if (decoder->pos.enabled && decoder->pos.node >= TL_PT_NODE_FIRST &&
	    !decoder->trace.tip_pending)
		stop = tl_pt_walk_to_branch(decoder, out);
	return stop == TL_PT_STOP_GO
		       ? tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.flow.offset)
		       : stop;
}
