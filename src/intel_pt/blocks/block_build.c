/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding code up to where trace is needed: the one place that says where a block ends (9.1), for
 * whole blocks and for those that an event cuts.
 */
#include <string.h>

#include "intel_pt/blocks/graph.h"

/* One instruction on its way into a stretch. */
struct step {
	const struct tl_pt_stop_condition *goal;
	const struct tl_pt_code *code;
	uint64_t ip;
	uint64_t follow; /* the instruction behind it in memory */
	uint32_t wishes; /* enum tl_pt_flag */
};

static bool outside(const struct tl_pt_range ranges[4], uint64_t ip)
{
	bool filter = false;

	for (unsigned i = 0; i < 4; i++) {
		if (ranges[i].use != TL_PT_RANGE_FILTER)
			continue;
		filter = true;
		if (ip >= ranges[i].first && ip <= ranges[i].last)
			return false;
	}
	return filter;
}

/* Ends the stretch behind this instruction. */
static bool end(struct tl_pt_decoded_block *stretch, enum tl_pt_node_kind kind, uint64_t next)
{
	stretch->kind = kind;
	stretch->next = next;
	return true;
}

static void push(struct tl_pt_decoded_block *stretch, uint64_t ip)
{
	stretch->links[stretch->calls++ % TL_PT_STACK] = ip;
}

/* A branch whose target the code tells. True: the stretch ends. */
static bool direct(struct tl_pt_decoded_block *stretch, const struct step *step, uint64_t *next)
{
	const struct tl_x86_flow *flow = &step->code->flow;
	bool call = flow->iclass == TL_PT_IC_CALL;

	if (flow->iclass == TL_PT_IC_COND_JUMP) {
		stretch->target = flow->target;
		return end(stretch, TL_PT_NODE_COND, step->follow);
	}
	/* A call to the next instruction only reads the instruction pointer (5.6). */
	if (call && !(flow->flags & TL_X86_CALL_NEXT))
		push(stretch, step->follow);
	*next = flow->target;
	if (step->goal && step->goal->ranges && outside(step->goal->ranges, *next)) {
		stretch->reached = true;
		return end(stretch, TL_PT_NODE_NEXT, *next);
	}
	if (step->wishes & (call ? TL_PT_END_ON_CALL : TL_PT_END_ON_JUMP))
		return end(stretch, TL_PT_NODE_NEXT, *next);
	return false;
}

/* A branch that only the trace tells. */
static bool indirect(struct tl_pt_decoded_block *stretch, const struct step *step)
{
	const struct tl_x86_flow *flow = &step->code->flow;

	if (flow->flags & TL_X86_FAR)
		return end(stretch, TL_PT_NODE_FAR, step->follow);
	if (flow->iclass == TL_PT_IC_RETURN)
		return end(stretch, TL_PT_NODE_RETURN, step->follow);
	if (flow->iclass == TL_PT_IC_CALL)
		push(stretch, step->follow);
	return end(stretch, TL_PT_NODE_INDIRECT, step->follow);
}

/* Whether the goal lies behind this instruction. */
static bool behind_goal(const struct tl_pt_decoded_block *stretch, const struct step *step,
			uint64_t next, bool ended)
{
	const struct tl_pt_stop_condition *goal = step->goal;

	if (step->code->flow.flags & goal->flags || (goal->past_ip && step->ip == goal->ip) ||
	    (goal->insns && stretch->block.ninsn == goal->insns))
		return true;
	if (ended && stretch->kind != TL_PT_NODE_NEXT)
		return goal->branch;
	return goal->at_ip && next == goal->ip;
}

/* Take one instruction in. True: the stretch ends behind it; else `*next` is where it goes on. */
static bool take(struct tl_pt_decoded_block *stretch, const struct step *step, uint64_t *next)
{
	const struct tl_x86_flow *flow = &step->code->flow;
	struct tl_pt_block *block = &stretch->block;
	bool ended = false;

	block->end_ip = step->ip;
	block->iclass = flow->iclass;
	block->size = flow->size;
	block->ninsn++;
	stretch->flags = flow->flags;
	stretch->traits |= flow->flags;
	*next = step->follow;
	if (flow->flags & TL_X86_DIRECT)
		ended = direct(stretch, step, next);
	else if (flow->flags & TL_X86_BRANCH)
		ended = indirect(stretch, step);
	if (step->goal && behind_goal(stretch, step, *next, ended)) {
		stretch->reached = true;
		return ended || end(stretch, TL_PT_NODE_NEXT, *next);
	}
	if (!ended && (block->ninsn == TL_PT_BLOCK_MOST || step->code->truncated))
		return end(stretch, TL_PT_NODE_NEXT, *next);
	return ended;
}

static void set_truncated(struct tl_pt_block *block, const struct tl_pt_code *code)
{
	block->flags |= TL_PT_TRUNCATED;
	memcpy(block->raw, code->raw, sizeof(block->raw));
}

/* Make the reader see what the present space sees. */
static int use_space(struct tl_pt_graph *graph)
{
	const struct tl_pt_space *space = &graph->code->spaces[graph->space];
	int status = 0;

	if (graph->reader_space == graph->space)
		return 0;
	status = tl_pt_reader_use(&graph->reader, graph->image, &space->asid, space->mode);
	graph->reader_space = status < 0 ? TL_PT_SPACES : graph->space;
	return status;
}

/*
 * A loop of direct branches, found by R. P. Brent's method: an address to come back to, moved on
 * ever more rarely.
 */
struct loop {
	uint64_t ip;
	uint32_t ninsn, calls, branches, patience;
};

/*
 * Flow went to `ip` by a direct branch. In a loop nothing new comes up to the end of the block:
 * whole rounds of it need not be decoded.
 */
static void skip_rounds(struct tl_pt_decoded_block *stretch, struct loop *loop, uint64_t ip)
{
	struct tl_pt_block *block = &stretch->block;
	uint32_t round = block->ninsn - loop->ninsn;

	if (loop->patience && ip == loop->ip && stretch->calls == loop->calls) {
		uint32_t left = TL_PT_BLOCK_MOST - 1u - block->ninsn;

		block->ninsn = (uint16_t)(block->ninsn + left / round * round);
	}
	if (loop->branches++ >= loop->patience) {
		loop->patience = 2 * loop->branches;
		loop->ip = ip;
		loop->ninsn = block->ninsn;
		loop->calls = stretch->calls;
	}
}

void tl_pt_graph_decode(struct tl_pt_graph *graph, uint64_t ip,
			const struct tl_pt_stop_condition *goal,
			struct tl_pt_decoded_block *stretch)
{
	struct tl_pt_block *block = &stretch->block;
	const struct tl_pt_section *region = NULL;
	struct tl_pt_code code;
	struct loop loop = { .patience = 0 };
	struct step step = { .goal = goal, .code = &code, .wishes = graph->flags };
	int status = use_space(graph);

	/* All but the links, which `calls` says how many are filled of. */
	memset(stretch, 0, offsetof(struct tl_pt_decoded_block, links));
	stretch->calls = 0;
	*block = (struct tl_pt_block){ .ip = ip, .mode = (int32_t)tl_pt_graph_mode(graph) };
	for (;;) {
		/* No goal lies before the first instruction: who wants that has asked before. */
		if (!status)
			status = tl_pt_reader_insn(&graph->reader, ip, &code);
		if (status < 0 || (block->ninsn && code.region != region))
			break;
		region = code.region;
		block->isid = code.isid;
		step.ip = ip;
		step.follow = (ip + code.flow.size) & graph->reader.decoder.mask;
		if (code.truncated)
			set_truncated(block, &code);
		if (take(stretch, &step, &ip))
			return;
		if (code.flow.flags & TL_X86_DIRECT && (!goal || !goal->insns))
			skip_rounds(stretch, &loop, ip);
	}
	end(stretch, block->ninsn ? TL_PT_NODE_NEXT : TL_PT_NODE_ERROR, ip);
	stretch->error = block->ninsn ? TL_PT_OK : (enum tl_pt_error) - status;
}
