/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding instructions up to where trace is needed: the one place that says where a block ends
 * (9.1), for whole blocks and for those that an event cuts.
 */
#include <string.h>

#include "intel_pt/blocks/graph.h"

/* One instruction that is added to a block. */
struct insn {
	const struct tl_pt_stop_condition *until;
	const struct tl_pt_code *code;
	uint64_t ip;
	uint64_t follow; /* address of the instruction behind it in memory */
	uint32_t flags;  /* enum tl_pt_flag */
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

/* End the block behind this instruction. */
static bool end(struct tl_pt_decoded_block *decoded, enum tl_pt_node_kind kind, uint64_t next)
{
	decoded->kind = kind;
	decoded->next = next;
	return true;
}

static void push(struct tl_pt_decoded_block *decoded, uint64_t ip)
{
	decoded->links[decoded->calls++ % TL_PT_STACK] = ip;
}

/* Follow a direct branch. True: the block ends. */
static bool direct(struct tl_pt_decoded_block *decoded, const struct insn *insn, uint64_t *next)
{
	const struct tl_x86_flow *flow = &insn->code->flow;
	bool call = flow->iclass == TL_PT_IC_CALL;

	if (flow->iclass == TL_PT_IC_COND_JUMP) {
		decoded->target = flow->target;
		return end(decoded, TL_PT_NODE_COND, insn->follow);
	}
	/* A call to the next instruction only reads the instruction pointer (5.6). */
	if (call && !(flow->flags & TL_X86_CALL_NEXT))
		push(decoded, insn->follow);
	*next = flow->target;
	if (insn->until && insn->until->ranges && outside(insn->until->ranges, *next)) {
		decoded->reached = true;
		return end(decoded, TL_PT_NODE_NEXT, *next);
	}
	if (insn->flags & (call ? TL_PT_END_ON_CALL : TL_PT_END_ON_JUMP))
		return end(decoded, TL_PT_NODE_NEXT, *next);
	return false;
}

/* End the block with an indirect or far branch. */
static bool indirect(struct tl_pt_decoded_block *decoded, const struct insn *insn)
{
	const struct tl_x86_flow *flow = &insn->code->flow;

	if (flow->flags & TL_X86_FAR)
		return end(decoded, TL_PT_NODE_FAR, insn->follow);
	if (flow->iclass == TL_PT_IC_RETURN)
		return end(decoded, TL_PT_NODE_RETURN, insn->follow);
	if (flow->iclass == TL_PT_IC_CALL)
		push(decoded, insn->follow);
	return end(decoded, TL_PT_NODE_INDIRECT, insn->follow);
}

/* Whether the stop condition is met behind this instruction. */
static bool meets_condition(const struct tl_pt_decoded_block *decoded, const struct insn *insn,
			    uint64_t next, bool ended)
{
	const struct tl_pt_stop_condition *until = insn->until;

	if (insn->code->flow.flags & until->flags || (until->past_ip && insn->ip == until->ip) ||
	    (until->insns && decoded->block.ninsn == until->insns))
		return true;
	if (ended && decoded->kind != TL_PT_NODE_NEXT)
		return until->branch;
	return until->at_ip && next == until->ip;
}

/*
 * Add an instruction. True: the block ends behind it; else `*next` is the address of the next one.
 */
static bool take(struct tl_pt_decoded_block *decoded, const struct insn *insn, uint64_t *next)
{
	const struct tl_x86_flow *flow = &insn->code->flow;
	struct tl_pt_block *block = &decoded->block;
	bool ended = false;

	block->end_ip = insn->ip;
	block->iclass = flow->iclass;
	block->size = flow->size;
	block->ninsn++;
	decoded->flags = flow->flags;
	decoded->traits |= flow->flags;
	*next = insn->follow;
	if (flow->flags & TL_X86_DIRECT)
		ended = direct(decoded, insn, next);
	else if (flow->flags & TL_X86_BRANCH)
		ended = indirect(decoded, insn);
	if (insn->until && meets_condition(decoded, insn, *next, ended)) {
		decoded->reached = true;
		return ended || end(decoded, TL_PT_NODE_NEXT, *next);
	}
	if (!ended && (block->ninsn == TL_PT_BLOCK_MOST || insn->code->truncated))
		return end(decoded, TL_PT_NODE_NEXT, *next);
	return ended;
}

static void set_truncated(struct tl_pt_block *block, const struct tl_pt_code *code)
{
	block->flags |= TL_PT_TRUNCATED;
	memcpy(block->raw, code->raw, sizeof(block->raw));
}

/* Prepare the reader for the present address space. */
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
 * Detection of a loop of direct branches by Brent's method: `ip` is compared with every branch
 * target, and moved on ever more rarely.
 */
struct loop {
	uint64_t ip;
	uint32_t ninsn, calls, branches, patience;
};

/*
 * Flow went to `ip` by a direct branch. If the block is in a loop, whole rounds up to its largest
 * size are counted without decoding them again.
 */
static void skip_rounds(struct tl_pt_decoded_block *decoded, struct loop *loop, uint64_t ip)
{
	struct tl_pt_block *block = &decoded->block;
	uint32_t round = block->ninsn - loop->ninsn;

	if (loop->patience && ip == loop->ip && decoded->calls == loop->calls) {
		uint32_t left = TL_PT_BLOCK_MOST - 1u - block->ninsn;

		block->ninsn = (uint16_t)(block->ninsn + left / round * round);
	}
	if (loop->branches++ >= loop->patience) {
		loop->patience = 2 * loop->branches;
		loop->ip = ip;
		loop->ninsn = block->ninsn;
		loop->calls = decoded->calls;
	}
}

void tl_pt_graph_decode(struct tl_pt_graph *graph, uint64_t ip,
			const struct tl_pt_stop_condition *until,
			struct tl_pt_decoded_block *decoded)
{
	struct tl_pt_block *block = &decoded->block;
	const struct tl_pt_section *region = NULL;
	struct tl_pt_code code;
	struct loop loop = { .patience = 0 };
	struct insn insn = { .until = until, .code = &code, .flags = graph->flags };
	int status = use_space(graph);
	bool ends;

	/* All but `links`: `calls` says how many of them are valid. */
	memset(decoded, 0, offsetof(struct tl_pt_decoded_block, links));
	decoded->calls = 0;
	*block = (struct tl_pt_block){ .ip = ip, .mode = (int32_t)tl_pt_graph_mode(graph) };
	for (;;) {
		/*
		 * Callers test for a stop condition at `ip` themselves, so the first instruction is
		 * always decoded.
		 */
		if (!status)
			status = tl_pt_reader_insn(&graph->reader, ip, &code);
		if (status < 0 || (block->ninsn && code.region != region))
			break;
		region = code.region;
		block->isid = code.isid;
		insn.ip = ip;
		insn.follow = (ip + code.flow.size) & graph->reader.decoder.mask;
		if (code.truncated)
			set_truncated(block, &code);
		if (take(decoded, &insn, &ip))
			return;
		if (code.flow.flags & TL_X86_DIRECT && (!until || !until->insns))
			skip_rounds(decoded, &loop, ip);
	}
	/* A block that was cut as memory ran out would not be what the code says. */
	graph->no_memory |= status == -TL_PT_NOMEM;
	ends = block->ninsn && status != -TL_PT_NOMEM;
	end(decoded, ends ? TL_PT_NODE_NEXT : TL_PT_NODE_ERROR, ip);
	decoded->error = ends ? TL_PT_OK : (enum tl_pt_error) - status;
}
