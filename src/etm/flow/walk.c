/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/flow/walk.h"

#include "core/arithmetic.h"

enum { INSN_BYTES = 4 };

/* ---- the return stack ---- */

static void push(struct tl_etm_returns *r, uint64_t address)
{
	if (!r->is_used)
		return;
	r->list[r->top] = address;
	r->top = (r->top + 1) % TL_ETM_RETURNS;
	r->count = tl_min(r->count + 1, (unsigned)TL_ETM_RETURNS);
}

/* An indirect branch that no address follows went to where the newest call returns to. */
static void settle_return(struct tl_etm_flow *flow)
{
	struct tl_etm_returns *r = &flow->returns;

	if (!r->is_pending)
		return;
	r->is_pending = false;
	if (!r->count)
		return;
	r->count--;
	r->top = (r->top + TL_ETM_RETURNS - 1) % TL_ETM_RETURNS;
	flow->address = r->list[r->top];
	flow->has_address = true;
}

void tl_etm_walk_forget(struct tl_etm_flow *flow)
{
	flow->returns.count = 0;
	flow->returns.is_pending = false;
}

/* ---- steps ---- */

void tl_etm_walk_gap(struct tl_etm_flow *flow, enum tl_etm_gap why)
{
	flow->gaps[why]++;
	flow->has_address = false;
	/* Tracing that was off is nothing missing, but an atom without an address behind it is. */
	flow->is_in_gap = why != TL_ETM_GAP_OFF;
	flow->returns.is_pending = false;
	if (why == TL_ETM_GAP_OFF || why == TL_ETM_GAP_LOST)
		tl_etm_walk_forget(flow);
}

void tl_etm_walk_address(struct tl_etm_flow *flow, uint64_t address, unsigned is)
{
	flow->returns.is_pending = false;
	flow->address = address;
	flow->has_address = true;
	flow->is_in_gap = false;
	/* T32, whatever the context says. */
	if (is)
		tl_etm_walk_gap(flow, TL_ETM_GAP_AARCH32);
}

void tl_etm_walk_context(struct tl_etm_flow *flow, const struct tl_etm_context *context)
{
	if (!context->updated)
		return;
	flow->has_context = true;
	flow->place.el = context->el;
	flow->place.is_64bit = context->is_64bit;
	if (context->has_id || context->has_vmid) {
		flow->place.has_id = true;
		flow->place.id = context->has_id ? context->id : context->vmid;
	}
}

/* Whether instructions can be followed from here; an atom that cannot be is lost. */
static bool is_known(struct tl_etm_flow *flow)
{
	if (flow->has_address && flow->has_context && flow->place.is_64bit)
		return true;
	flow->lost_atoms++;
	if (flow->has_address && flow->has_context)
		tl_etm_walk_gap(flow, TL_ETM_GAP_AARCH32);
	else if (!flow->is_in_gap)
		tl_etm_walk_gap(flow, TL_ETM_GAP_ADDRESS);
	return false;
}

static int tell(struct tl_etm_flow *flow, const struct tl_etm_range *range)
{
	return flow->told.range(flow->told.arg, &flow->place, range);
}

/* No code where execution is: whatever comes up to the next address is lost. */
static void lose_code(struct tl_etm_flow *flow, uint64_t address)
{
	if (!flow->gaps[TL_ETM_GAP_CODE])
		flow->no_code = address;
	tl_etm_walk_gap(flow, TL_ETM_GAP_CODE);
}

static void go_on(struct tl_etm_flow *flow, const struct tl_etm_block *block, bool taken)
{
	const uint64_t behind = block->address + INSN_BYTES * (uint64_t)block->count;

	flow->address = behind;
	if (!taken || block->end == TL_ETM_END_BARRIER)
		return;
	if (block->is_call)
		push(&flow->returns, behind);
	if (block->end == TL_ETM_END_DIRECT) {
		flow->address = block->target;
	} else {
		flow->has_address = false;
		flow->returns.is_pending = flow->returns.is_used;
	}
}

int tl_etm_walk_atom(struct tl_etm_flow *flow, bool taken)
{
	const struct tl_etm_block *block;
	struct tl_etm_range range;
	int status;

	settle_return(flow);
	if (!is_known(flow))
		return 0;
	block = tl_etm_block_at(flow->blocks, flow->address);
	range = (struct tl_etm_range){
		.address = block->address,
		.code = block->code,
		.count = block->count,
		.ends_indirect = taken && block->end == TL_ETM_END_INDIRECT,
	};
	status = block->count ? tell(flow, &range) : 0;
	if (block->end == TL_ETM_END_NOWHERE)
		lose_code(flow, block->address + INSN_BYTES * (uint64_t)block->count);
	else
		go_on(flow, block, taken);
	return status;
}

/* The instructions from here up to an address, if none of them but the last has an atom. */
static int walk_to(struct tl_etm_flow *flow, uint64_t end)
{
	const struct tl_etm_block *block = tl_etm_block_at(flow->blocks, flow->address);
	const uint64_t bytes = end - flow->address;
	struct tl_etm_range range = { flow->address, block->code, block->count, false };

	if (bytes % INSN_BYTES || bytes / INSN_BYTES > block->count) {
		if (block->end == TL_ETM_END_NOWHERE)
			lose_code(flow, flow->address + INSN_BYTES * (uint64_t)block->count);
		else
			tl_etm_walk_gap(flow, TL_ETM_GAP_ORDER);
		/* Of code that ends before it, all was executed; else it is not known how much. */
		return block->end == TL_ETM_END_NOWHERE && block->count ? tell(flow, &range) : 0;
	}
	range.count = (uint32_t)(bytes / INSN_BYTES);
	return tell(flow, &range);
}

int tl_etm_walk_exception(struct tl_etm_flow *flow, uint64_t returns_to, bool is_target)
{
	int status = 0;

	settle_return(flow);
	if (is_target)
		tl_etm_walk_address(flow, returns_to, 0);
	if (flow->has_address && flow->has_context && flow->place.is_64bit &&
	    flow->address != returns_to)
		status = walk_to(flow, returns_to);
	flow->has_address = false;
	return status;
}

int tl_etm_walk_source(struct tl_etm_flow *flow, uint64_t address)
{
	int status = 0;

	settle_return(flow);
	while (status == 0 && flow->has_address) {
		const struct tl_etm_block *block = tl_etm_block_at(flow->blocks, flow->address);
		const uint64_t last = block->address + INSN_BYTES * ((uint64_t)block->count - 1);

		if (address < flow->address || (block->count && address < last)) {
			tl_etm_walk_gap(flow, TL_ETM_GAP_ORDER);
			return 0;
		}
		if (address == last)
			return tl_etm_walk_atom(flow, true);
		status = tl_etm_walk_atom(flow, false);
	}
	if (status == 0)
		flow->lost_atoms++;
	return status;
}
