/* SPDX-License-Identifier: Apache-2.0 */
/*
 * To a location without using outcomes or targets, for FUP, TIP.PGD, PSB+ and every event that is
 * bound to an address or an instruction (5.1 to 5.5). Whole blocks are given as far as they go,
 * then a partial one.
 */
#include "core/arithmetic.h"
#include "intel_pt/blocks/decoder.h"

/* The node of the decoded instructions: that of the whole block if none is cut off. 0: no room. */
static uint32_t node_for(struct tl_pt_decoder *decoder, const struct tl_pt_decoded_block *decoded)
{
	const struct tl_pt_node *node = &decoder->graph.nodes[decoder->pos.node];

	if (tl_pt_node_kind(node) < TL_PT_NODE_STUB &&
	    decoder->graph.blocks[decoder->pos.node].ninsn == decoded->block.ninsn)
		return decoder->pos.node;
	return tl_pt_graph_partial(&decoder->graph, decoded);
}

static bool push_calls(struct tl_pt_decoder *decoder, const struct tl_pt_decoded_block *decoded)
{
	uint32_t first = tl_excess(decoded->calls, TL_PT_STACK);

	for (uint32_t i = first; i < decoded->calls; i++) {
		uint32_t link = tl_pt_graph_node(&decoder->graph, decoded->links[i % TL_PT_STACK]);

		if (!link)
			return false;
		tl_pt_push(decoder, tl_pt_edge_offset(link));
	}
	return true;
}

/* The block was given last; if it ends with a branch, its target has not come yet. */
static void set_behind(struct tl_pt_decoder *decoder, const struct tl_pt_block *block,
		       enum tl_pt_node_kind kind, unsigned flags)
{
	decoder->pos.last = *block;
	decoder->pos.since += block->ninsn;
	decoder->pos.last_walked = TL_PT_NODE_NONE;
	decoder->pos.last_flags = (uint16_t)flags;
	if (kind != TL_PT_NODE_NEXT)
		decoder->pos.node = TL_PT_NODE_BEHIND;
}

/* Count instructions that used no trace: a loop of such has no end (9.13). */
static enum tl_pt_stop go_on(struct tl_pt_decoder *decoder, const struct tl_pt_block *block)
{
	decoder->pos.idle += block->ninsn + TL_PT_IDLE_BLOCK;
	if (decoder->pos.idle > TL_PT_IDLE_MOST)
		return tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.location_offset);
	return TL_PT_STOP_GO;
}

/* Give a whole block: the stop condition cannot be met before its end. */
static enum tl_pt_stop give_whole(struct tl_pt_decoder *decoder,
				  const struct tl_pt_stop_condition *until, struct tl_pt_out *out,
				  bool *reached)
{
	const struct tl_pt_node *node = &decoder->graph.nodes[decoder->pos.node];
	const struct tl_pt_block *block = &decoder->graph.blocks[decoder->pos.node];

	tl_pt_put_node(decoder, out, decoder->pos.node);
	if (node->link)
		tl_pt_push_links(decoder, node->link);
	*reached = until->branch && node->kind != TL_PT_NODE_NEXT;
	decoder->pos.node = tl_pt_edge_node(node->edge[0]);
	set_behind(decoder, block, node->kind,
		   node->kind == TL_PT_NODE_FAR ? node->traits & (TL_X86_FAR | TL_X86_VMENTRY) : 0);
	if (node->kind == TL_PT_NODE_NEXT)
		return go_on(decoder, block);
	if (*reached)
		return TL_PT_STOP_GO;
	return tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.location_offset);
}

/* Give a block up to the stop condition, or all of it. */
static enum tl_pt_stop give_partial(struct tl_pt_decoder *decoder,
				    const struct tl_pt_stop_condition *until, struct tl_pt_out *out,
				    bool *reached)
{
	struct tl_pt_graph *graph = &decoder->graph;
	struct tl_pt_decoded_block decoded;
	uint32_t number;

	tl_pt_graph_decode(graph, graph->blocks[decoder->pos.node].ip, until, &decoded);
	number = decoded.error == TL_PT_NOMEM ? 0 : node_for(decoder, &decoded);
	if (!number || !push_calls(decoder, &decoded))
		return tl_pt_fail(decoder, TL_PT_NOMEM, decoder->item.location_offset);
	tl_pt_put_node(decoder, out, number);
	*reached = decoded.reached;
	if (decoded.kind == TL_PT_NODE_NEXT && !tl_pt_set_ip(decoder, decoded.next))
		return TL_PT_STOP_ERROR;
	set_behind(decoder, &decoded.block, decoded.kind, decoded.flags);
	if (*reached)
		return TL_PT_STOP_GO;
	if (decoded.kind == TL_PT_NODE_NEXT)
		return go_on(decoder, &decoded.block);
	return tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.location_offset);
}

/*
 * Give one block or a part of one. TL_PT_STOP_GO: `*reached` says whether the stop condition was
 * met.
 */
static enum tl_pt_stop give_to(struct tl_pt_decoder *decoder,
			       const struct tl_pt_stop_condition *until, struct tl_pt_out *out,
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
		return tl_pt_fail(decoder, (enum tl_pt_error)node->traits,
				  tl_pt_flow_waits_at(&decoder->flow, &decoder->item.flow));
	if (!until->at_ip && !until->past_ip && !until->insns && !until->ranges &&
	    !(until->flags & node->traits))
		return give_whole(decoder, until, out, reached);
	return give_partial(decoder, until, out, reached);
}

static bool reached_already(const struct tl_pt_decoder *decoder,
			    const struct tl_pt_stop_condition *until)
{
	if (decoder->pos.node == TL_PT_NODE_BEHIND)
		return until->branch || (until->flags & decoder->pos.last_flags);
	return until->at_ip && !until->behind &&
	       decoder->graph.blocks[decoder->pos.node].ip == until->ip;
}

enum tl_pt_stop tl_pt_walk_to(struct tl_pt_decoder *decoder,
			      const struct tl_pt_stop_condition *until, struct tl_pt_out *out)
{
	bool reached = reached_already(decoder, until);
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (!reached && stop == TL_PT_STOP_GO)
		stop = give_to(decoder, until, out, &reached);
	return stop;
}

bool tl_pt_reaches(struct tl_pt_decoder *decoder, uint64_t from, uint64_t to)
{
	enum { STEPS = 256 };
	const struct tl_pt_stop_condition until = { .at_ip = true, .ip = to };
	struct tl_pt_decoded_block decoded = { .next = from, .kind = TL_PT_NODE_NEXT };
	uint32_t steps = 0;

	while (decoded.next != to || decoded.kind != TL_PT_NODE_NEXT) {
		if (decoded.kind != TL_PT_NODE_NEXT || steps >= STEPS)
			return false;
		tl_pt_graph_decode(&decoder->graph, decoded.next, &until, &decoded);
		steps += decoded.block.ninsn;
	}
	return true;
}

/* Walk until `insns` instructions have run since the last location that a packet gave. */
enum tl_pt_stop tl_pt_walk_past(struct tl_pt_decoder *decoder, uint32_t insns,
				struct tl_pt_out *out)
{
	bool reached = insns <= decoder->pos.since;
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (!reached && stop == TL_PT_STOP_GO) {
		struct tl_pt_stop_condition until = { .insns = insns - decoder->pos.since };

		stop = give_to(decoder, &until, out, &reached);
	}
	return stop;
}

enum tl_pt_stop tl_pt_walk_to_branch(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	static const struct tl_pt_stop_condition branch = { .branch = true };

	return tl_pt_walk_to(decoder, &branch, out);
}

/* The branch that the trace does not fit was reached, so it is given before the error (9.3). */
enum tl_pt_stop tl_pt_mismatch(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	if (tl_pt_is_enabled(decoder) && decoder->pos.node >= TL_PT_NODE_FIRST &&
	    !decoder->trace.tip_pending)
		stop = tl_pt_walk_to_branch(decoder, out);
	if (stop != TL_PT_STOP_GO)
		return stop;
	return tl_pt_fail(decoder, TL_PT_BAD_QUERY, decoder->item.flow.offset);
}
