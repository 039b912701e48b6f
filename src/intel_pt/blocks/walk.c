/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk along the graph. Other packets and events are handled elsewhere (advance.c), to keep
 * this loop small. Its state is a local struct whose address never escapes, since all functions
 * that take it are inlined: so its members are registers.
 *
 * The plain loop that it equals, for each outcome and target, with tl_pt_flow_next() for the
 * packets:
 *
 *   node = decoder->pos.node;
 *   while (item = next outcome or target) {
 *       if (node->kind == STUB) build it;
 *       give node; push its return addresses;
 *       switch (node->kind) {
 *       case COND:      node = edge[outcome];
 *       case RETURN:    node = pop(), if outcome is 1;
 *       case INDIRECT:
 *       case FAR:       node = graph node at target;
 *       case NEXT:      node = edge[0], without an outcome;
 *       }
 *   }
 *
 * Where quiet nodes are passed over (unsized.h), "give node" is
 *
 *       if (!(node is quiet && so is the edge from the node before it, in the same call))
 *           give node, with the one before it;
 *       if (node is quiet)
 *           add its instructions to those that are counted;
 */
#include "intel_pt/blocks/decoder.h"
#include "core/arithmetic.h"

#define INLINE static inline __attribute__((always_inline))

struct walk {
	const struct tl_pt_node *nodes;
	uint32_t *out, *out_end;
	uint32_t *stack;
	const uint8_t *pos, *end;
	const uint8_t *taken, *taken_end;
	uint64_t bits, target; /* bits: `count` outcomes, the oldest in the highest bit */
	uint32_t count, top;
	uint32_t cur; /* an edge: byte offset of the node */
	bool tip_pending;
	enum tl_pt_error error;
	/* Where quiet nodes are passed over: */
	bool passing;
	uint32_t insns;  /* as in struct tl_pt_passed_nodes */
	uint32_t passed; /* nodes passed over in this call */
	uint32_t last;   /* an edge: the node that ran last */
	/* TL_PT_QUIET_BOTH behind a quiet edge, 0: the next node is given */
	uint32_t quiet;
};

/* Nodes passed over in one call, after which the caller learns how far decoding is. */
enum { PASSED_MOST = 1 << 16 };

static __attribute__((noinline)) uint32_t push_list(struct tl_pt_decoder *decoder, uint32_t link,
						    uint32_t top)
{
	decoder->pos.top = top;
	tl_pt_push_links(decoder, link);
	return decoder->pos.top;
}

INLINE const struct tl_pt_node *node_at(const struct walk *walk)
{
	return (const struct tl_pt_node *)(const void *)((const char *)walk->nodes + walk->cur);
}

/*
 * Give a node, or pass over it; without a branch, as which of them it is cannot be foreseen where
 * pass_plain() has stopped.
 */
INLINE void put_or_pass(struct walk *walk, const struct tl_pt_node *node, uint64_t outcome)
{
	const uint32_t quiet = __atomic_load_n(&node->quiet, __ATOMIC_RELAXED);
	const uint32_t insns = quiet >> TL_PT_QUIET_EDGES;

	walk->out[0] = tl_pt_edge_node(walk->cur);
	walk->out[TL_PT_LOOKAHEAD_NODES] = walk->insns;
	walk->out[2 * TL_PT_LOOKAHEAD_NODES] = walk->last | (insns ? TL_PT_COUNTED : 0);
	walk->out += !insns | !walk->quiet;
	walk->insns += insns;
	walk->quiet = quiet >> outcome & 1 ? TL_PT_QUIET_BOTH : 0;
	walk->last = walk->cur;
}

/*
 * Give the node, and push the return addresses of its calls: each time it runs. Where it is passed
 * over, its only edge is the first one.
 */
INLINE void give(struct walk *walk, struct tl_pt_decoder *decoder, const struct tl_pt_node *node,
		 uint64_t outcome)
{
	if (walk->passing)
		put_or_pass(walk, node, outcome);
	else
		*walk->out++ = tl_pt_edge_node(walk->cur);
	if (!node->link)
		return;
	if (node->link & TL_PT_LINK_LIST)
		walk->top = push_list(decoder, node->link, walk->top);
	else
		walk->stack[walk->top++ % TL_PT_STACK] = node->link;
}

/* The same of a node outside of pass_branches(), which counts those that it passes over. */
INLINE void give_one(struct walk *walk, struct tl_pt_decoder *decoder,
		     const struct tl_pt_node *node)
{
	const uint32_t *out = walk->out;

	give(walk, decoder, node, 0);
	walk->passed += walk->passing && walk->out == out;
}

INLINE enum tl_pt_stop fail(struct walk *walk, enum tl_pt_error error)
{
	walk->error = error;
	return TL_PT_STOP_ERROR;
}

INLINE enum tl_pt_stop take_return(struct walk *walk, uint64_t outcome)
{
	if (!outcome)
		return fail(walk, TL_PT_BAD_RETCOMP);
	walk->cur = walk->stack[--walk->top % TL_PT_STACK];
	walk->stack[walk->top % TL_PT_STACK] = TL_PT_NODE_NONE;
	return walk->cur == TL_PT_NODE_NONE ? fail(walk, TL_PT_RETSTACK_EMPTY) : TL_PT_STOP_GO;
}

/*
 * Pass a node that needs no trace. A loop of such nodes while outcomes are left has no end (9.13).
 */
INLINE enum tl_pt_stop take_next(struct walk *walk, struct tl_pt_decoder *decoder,
				 const struct tl_pt_node *node)
{
	walk->cur = node->edge[0];
	decoder->pos.idle += node->edge[1] + TL_PT_IDLE_BLOCK;
	return decoder->pos.idle > TL_PT_IDLE_MOST ? fail(walk, TL_PT_BAD_QUERY) : TL_PT_STOP_GO;
}

/* Nodes that cannot be given: a stub is built, the end of code is an error. */
INLINE enum tl_pt_stop take_other(struct walk *walk, struct tl_pt_decoder *decoder,
				  const struct tl_pt_node *node)
{
	enum tl_pt_node_kind kind = tl_pt_node_kind(node);

	/* Another thread has built it meanwhile. */
	if (kind < TL_PT_NODE_STUB)
		return TL_PT_STOP_GO;
	if (kind == TL_PT_NODE_STUB)
		return tl_pt_graph_build(&decoder->graph, tl_pt_edge_node(walk->cur))
			       ? TL_PT_STOP_GO
			       : TL_PT_STOP_FULL;
	return fail(walk,
		    kind == TL_PT_NODE_ERROR ? (enum tl_pt_error)node->traits : TL_PT_BAD_QUERY);
}

/* The edge for an outcome: one load, of which the next node's address depends. */
INLINE uint32_t edge(const struct walk *walk, uint64_t outcome)
{
	return *(const uint32_t *)(const void *)((const char *)walk->nodes +
						 sizeof(uint32_t) * outcome + walk->cur);
}

/*
 * Take conditional branches, compressed returns and the nodes between them, as many as there are
 * outcomes.
 */
INLINE enum tl_pt_stop use_branches(struct walk *walk, struct tl_pt_decoder *decoder)
{
	size_t room = (size_t)(walk->out_end - walk->out);
	uint32_t *begin = walk->out, *end = begin + tl_min(walk->count, room);
	enum tl_pt_stop stop = TL_PT_STOP_GO;
	uint32_t between = 0;

	while (stop == TL_PT_STOP_GO && walk->out != end) {
		const struct tl_pt_node *node = node_at(walk);
		enum tl_pt_node_kind kind = tl_pt_node_kind(node);
		uint64_t outcome = walk->bits >> 63;

		if (__builtin_expect(kind == TL_PT_NODE_COND, 1)) {
			*walk->out++ = tl_pt_edge_node(walk->cur);
			walk->cur = edge(walk, outcome);
		} else if (kind == TL_PT_NODE_COND_CALL) {
			give(walk, decoder, node, outcome);
			walk->cur = edge(walk, outcome);
		} else if (kind == TL_PT_NODE_RETURN) {
			give(walk, decoder, node, outcome);
			stop = take_return(walk, outcome);
		} else if (kind == TL_PT_NODE_NEXT) {
			give(walk, decoder, node, 0);
			stop = take_next(walk, decoder, node);
			between++;
			end += end != walk->out_end;
			continue;
		} else {
			break;
		}
		walk->bits <<= 1;
	}
	walk->count -= (uint32_t)(walk->out - begin) - between;
	return stop;
}

/*
 * Pass over conditional branches of which both edges are quiet, reached along a quiet edge, without
 * a call inside: three of five blocks of a compiler's run, and more where fewer calls are made.
 */
INLINE void pass_plain(struct walk *walk)
{
	while (walk->count) {
		const struct tl_pt_node *node = node_at(walk);
		const uint32_t quiet = __atomic_load_n(&node->quiet, __ATOMIC_ACQUIRE);

		if ((quiet & walk->quiet) != TL_PT_QUIET_BOTH || node->link)
			break;
		walk->insns += quiet >> TL_PT_QUIET_EDGES;
		walk->last = walk->cur;
		walk->cur = edge(walk, walk->bits >> 63);
		walk->bits <<= 1;
		walk->count--;
	}
}

/* As use_branches(), where quiet nodes are passed over. */
INLINE enum tl_pt_stop pass_branches(struct walk *walk, struct tl_pt_decoder *decoder)
{
	const uint32_t *begin = walk->out;
	const uint32_t had = walk->count;
	uint32_t between = 0;
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (stop == TL_PT_STOP_GO) {
		const struct tl_pt_node *node;
		enum tl_pt_node_kind kind;
		uint64_t outcome;

		pass_plain(walk);
		if (!walk->count || walk->out == walk->out_end)
			break;
		node = node_at(walk);
		kind = tl_pt_node_kind(node);
		outcome = walk->bits >> 63;
		if (kind <= TL_PT_NODE_COND_CALL) {
			give(walk, decoder, node, outcome);
			walk->cur = edge(walk, outcome);
		} else if (kind == TL_PT_NODE_RETURN) {
			give(walk, decoder, node, outcome);
			stop = take_return(walk, outcome);
		} else if (kind == TL_PT_NODE_NEXT) {
			give(walk, decoder, node, 0);
			stop = take_next(walk, decoder, node);
			between++;
			continue;
		} else {
			break;
		}
		walk->bits <<= 1;
		walk->count--;
	}
	walk->passed += had - walk->count + between - (uint32_t)(walk->out - begin);
	return stop;
}

/*
 * Use up the outcomes. TL_PT_STOP_NEED: an indirect branch needs a target first; its TIP was
 * deferred (5.6).
 */
INLINE enum tl_pt_stop use_outcomes(struct walk *walk, struct tl_pt_decoder *decoder)
{
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (walk->count) {
		const struct tl_pt_node *node;
		enum tl_pt_node_kind kind;

		stop = walk->passing ? pass_branches(walk, decoder) : use_branches(walk, decoder);
		if (stop != TL_PT_STOP_GO)
			return stop;
		if (!walk->count)
			break;
		if (walk->out == walk->out_end)
			return TL_PT_STOP_FULL;
		node = node_at(walk);
		kind = tl_pt_node_kind(node);
		if (kind == TL_PT_NODE_INDIRECT || kind == TL_PT_NODE_FAR ||
		    kind == TL_PT_NODE_AWAIT)
			return TL_PT_STOP_NEED;
		stop = take_other(walk, decoder, node);
		if (stop != TL_PT_STOP_GO)
			return stop;
	}
	return stop;
}

/* Take the nodes up to the branch that the target belongs to, and that branch. */
INLINE enum tl_pt_stop use_target(struct walk *walk, struct tl_pt_decoder *decoder)
{
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (walk->tip_pending && stop == TL_PT_STOP_GO) {
		const struct tl_pt_node *node = node_at(walk);
		enum tl_pt_node_kind kind = tl_pt_node_kind(node);

		if (kind == TL_PT_NODE_AWAIT) {
			walk->cur = tl_pt_graph_target(&decoder->graph, walk->target);
		} else if (kind >= TL_PT_NODE_STUB) {
			stop = take_other(walk, decoder, node);
			continue;
		} else {
			if (walk->out == walk->out_end)
				return TL_PT_STOP_FULL;
			give_one(walk, decoder, node);
			/*
			 * A conditional branch needs an outcome, not a target: it is given, and the
			 * trace does not match (9.3).
			 */
			if (kind <= TL_PT_NODE_COND_CALL)
				return fail(walk, TL_PT_BAD_QUERY);
			if (kind == TL_PT_NODE_NEXT) {
				stop = take_next(walk, decoder, node);
				continue;
			}
			if (decoder->trace.tip_suppressed)
				return fail(walk, TL_PT_NOIP);
			walk->cur = tl_pt_graph_target(&decoder->graph, walk->target);
		}
		if (!walk->cur) {
			/*
			 * The branch was given already, so the target stays pending until there is
			 * room.
			 */
			walk->cur = tl_pt_edge_offset(TL_PT_NODE_BEHIND);
			return TL_PT_STOP_FULL;
		}
		walk->tip_pending = false;
		decoder->pos.idle = 0;
	}
	return stop;
}

/* Packets that may stand between two packets of this loop: PAD, MTC, CYC. */
INLINE bool is_passing(uint32_t byte)
{
	return byte == TL_PT_OPC_PAD || byte == TL_PT_OPC_MTC || (byte & 3) == TL_PT_OPC_CYC;
}

static __attribute__((noinline)) const uint8_t *keep_time(struct tl_pt_decoder *decoder,
							  const uint8_t *pos)
{
	const uint8_t *end = decoder->flow.end;

	while (pos < end && is_passing(*pos)) {
		size_t size = *pos == TL_PT_OPC_PAD ? 1 : tl_pt_flow_keep_time(&decoder->flow, pos);

		if (!size)
			break;
		pos += size;
	}
	return pos;
}

/* Take the next TNT packets, or the next TIP. False: another packet comes next. */
INLINE bool take_packets(struct walk *walk, struct tl_pt_decoder *decoder)
{
	const uint8_t *pos = walk->pos;
	uint32_t size;

	if (!walk->count) {
		walk->pos = tl_pt_take_tnt(pos, walk->end, &walk->bits, &walk->count);
		if (walk->pos != pos) {
			walk->bits <<= 64 - walk->count;
			walk->taken = pos;
			walk->taken_end = walk->pos;
			decoder->pos.idle = 0;
			return true;
		}
	}
	size = tl_pt_tip_size(pos, walk->end);
	if (!size)
		return false;
	walk->target = tl_pt_take_ip(pos, decoder->flow.last_ip);
	walk->tip_pending = true;
	walk->pos = pos + size;
	if (!walk->count) {
		walk->taken = pos;
		walk->taken_end = walk->pos;
	}
	decoder->flow.last_ip = walk->target;
	decoder->trace.tip_suppressed = false;
	return true;
}

/* Take one long TNT of up to 47 outcomes. Only with `exact`: else the flow gives these as items. */
INLINE bool take_long(struct walk *walk, const struct tl_pt_decoder *decoder)
{
	const uint8_t *pos = walk->pos;

	if (!decoder->trace.exact || walk->count || !tl_pt_is_long_tnt(pos, walk->end))
		return false;
	walk->bits = tl_le64(pos) >> 16;
	walk->count = 63 - (uint32_t)__builtin_clzll(walk->bits);
	walk->bits <<= 64 - walk->count;
	walk->taken = pos;
	walk->pos = walk->taken_end = pos + TL_PT_LONG_TNT;
	return true;
}

/*
 * Take the next outcomes or target, behind PAD, MTC and CYC. TL_PT_STOP_NEED: another packet
 * follows, for the flow.
 */
INLINE enum tl_pt_stop refill(struct walk *walk, struct tl_pt_decoder *decoder)
{
	bool passed = false;

	if (decoder->flow.slow_path_reasons)
		return TL_PT_STOP_NEED;
	if (walk->passing && walk->passed >= PASSED_MOST)
		return TL_PT_STOP_FULL;
	while (!take_packets(walk, decoder) && !take_long(walk, decoder)) {
		if (passed || walk->pos >= walk->end || !is_passing(*walk->pos))
			return TL_PT_STOP_NEED;
		if (tl_pt_node_times_full(decoder))
			return TL_PT_STOP_FULL;
		walk->pos = keep_time(decoder, walk->pos);
		passed = true;
	}
	if (passed)
		tl_pt_note_time(decoder, walk->out);
	return TL_PT_STOP_GO;
}

/* The position behind PAD, MTC and CYC; the clock is not changed. */
static __attribute__((noinline)) const uint8_t *skip_passing(const uint8_t *pos, const uint8_t *end)
{
	while (pos < end && is_passing(*pos)) {
		bool more = (*pos & 3) == TL_PT_OPC_CYC && *pos & 4;

		pos += *pos == TL_PT_OPC_MTC && end - pos > 1 ? 2 : 1;
		while (more && pos < end)
			more = *pos++ & 1;
	}
	return pos;
}

/* Whether the next packet is one that a branch of this kind takes. */
INLINE bool has_packet(const struct walk *walk, enum tl_pt_node_kind kind)
{
	const uint8_t *pos = walk->pos;

	if (tl_pt_tip_size(pos, walk->end))
		return true;
	pos = skip_passing(pos, walk->end);
	if (tl_pt_tip_size(pos, walk->end))
		return true;
	if (kind == TL_PT_NODE_INDIRECT || kind == TL_PT_NODE_FAR || kind == TL_PT_NODE_AWAIT ||
	    pos == walk->end)
		return false;
	return tl_pt_is_short_tnt(*pos) || tl_pt_is_long_tnt(pos, walk->end);
}

/*
 * With `exact` no packet is read before it is needed: take the nodes that need no trace, up to a
 * branch whose packet follows.
 */
INLINE enum tl_pt_stop come_to_branch(struct walk *walk, struct tl_pt_decoder *decoder)
{
	enum tl_pt_stop stop = TL_PT_STOP_GO;

	while (stop == TL_PT_STOP_GO) {
		const struct tl_pt_node *node = node_at(walk);
		enum tl_pt_node_kind kind = tl_pt_node_kind(node);

		if (walk->out == walk->out_end)
			return TL_PT_STOP_FULL;
		if (kind <= TL_PT_NODE_RETURN)
			break;
		if (kind == TL_PT_NODE_STUB) {
			stop = take_other(walk, decoder, node);
			continue;
		}
		if (!has_packet(walk, kind))
			return TL_PT_STOP_NEED;
		if (kind != TL_PT_NODE_NEXT)
			break;
		give_one(walk, decoder, node);
		stop = take_next(walk, decoder, node);
	}
	return stop;
}

/* The packet that holds the last outcome used, for the offset of an error. */
static const uint8_t *packet_at(const uint8_t *taken, const uint8_t *pos, uint32_t left)
{
	/* `taken` is one packet of another kind, or the first of several short TNT packets. */
	if (*taken & 1 || *taken == TL_PT_OPC_EXT)
		return taken;
	while (pos - 1 > taken) {
		uint32_t outcomes = 30 - (uint32_t)__builtin_clz(pos[-1] | 2u);

		if (left < outcomes)
			break;
		left -= outcomes;
		pos--;
	}
	return pos - 1;
}

/*
 * No code at the node: the packet that would come next is at fault; it has been read if outcomes or
 * a target are left. `at`: the packet of the last outcome used.
 */
INLINE const uint8_t *packet_at_end_of_code(const struct walk *walk, const uint8_t *at)
{
	if (walk->tip_pending)
		return at;
	if (walk->count && tl_pt_is_short_tnt(*at))
		return at + 1;
	return walk->pos;
}

INLINE enum tl_pt_stop walk_on(struct tl_pt_decoder *decoder, struct tl_pt_out *out, bool passing)
{
	/* clang-format off */
	struct walk walk = {
		.nodes = decoder->graph.nodes,
		.out = out->pos, .out_end = out->end,
		.stack = decoder->pos.stack, .top = decoder->pos.top,
		.pos = decoder->flow.pos, .end = decoder->flow.end, .taken = decoder->trace.taken,
		.taken_end = decoder->trace.taken_end,
		.bits = decoder->trace.count ?
			decoder->trace.bits << (64 - decoder->trace.count) : 0,
		.count = decoder->trace.count,
		.cur = tl_pt_edge_offset(decoder->pos.node),
		.target = decoder->trace.target, .tip_pending = decoder->trace.tip_pending,
		.passing = passing, .insns = decoder->passing.so_far.insns,
		.last = tl_pt_edge_offset(decoder->passing.so_far.last),
	};
	/* clang-format on */
	enum tl_pt_stop stop = use_target(&walk, decoder);

	while (stop == TL_PT_STOP_GO) {
		stop = use_outcomes(&walk, decoder);
		if (stop != TL_PT_STOP_GO && (stop != TL_PT_STOP_NEED || decoder->trace.exact))
			break;
		if (decoder->trace.exact &&
		    (stop = come_to_branch(&walk, decoder)) != TL_PT_STOP_GO)
			break;
		stop = refill(&walk, decoder);
		if (stop == TL_PT_STOP_GO)
			stop = use_target(&walk, decoder);
	}
	if (walk.out != out->pos || walk.passed) {
		decoder->pos.since = 0;
		decoder->pos.last_walked = passing ? tl_pt_edge_node(walk.last) : walk.out[-1];
	}
	if (passing) {
		decoder->passing.so_far.insns = walk.insns;
		decoder->passing.so_far.last = tl_pt_edge_node(walk.last);
		decoder->passing.so_far.nodes += walk.passed;
	}
	out->pos = walk.out;
	decoder->pos.top = walk.top;
	decoder->flow.pos = walk.pos;
	decoder->trace.taken = walk.taken;
	decoder->trace.taken_end = walk.taken_end;
	decoder->trace.bits = walk.count ? walk.bits >> (64 - walk.count) : 0;
	decoder->trace.count = walk.count;
	decoder->pos.node = tl_pt_edge_node(walk.cur);
	decoder->trace.target = walk.target;
	decoder->trace.tip_pending = walk.tip_pending;
	if (stop == TL_PT_STOP_ERROR) {
		const uint8_t *at = packet_at(walk.taken, walk.taken_end, walk.count);

		if (walk.error == TL_PT_NOMAP || walk.error == TL_PT_BAD_INSN)
			at = packet_at_end_of_code(&walk, at);
		return tl_pt_fail(decoder, walk.error, (uint64_t)(at - decoder->flow.begin));
	}
	return stop;
}

enum tl_pt_stop tl_pt_walk(struct tl_pt_decoder *decoder, struct tl_pt_out *out)
{
	return decoder->passing.on ? walk_on(decoder, out, true) : walk_on(decoder, out, false);
}
