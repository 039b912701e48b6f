/* SPDX-License-Identifier: Apache-2.0 */
#include "etm/flow/flow.h"

#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "etm/flow/walk.h"

enum {
	MOST_WAITING = 1 << 16, /* elements: more are not speculative at a time */
	/* Exceptions of ETE that no address follows. */
	ETE_RESET = 0,
	ETE_TRANSACTION_FAILURE = 0x18,
};

void tl_etm_flow_begin(struct tl_etm_flow *flow, const struct tl_etm_config *config,
		       struct tl_etm_blocks *blocks, const struct tl_etm_told *told)
{
	*flow = (struct tl_etm_flow){
		.config = config,
		.blocks = blocks,
		.told = *told,
	};
	flow->returns.is_used = tl_etm_has_return_stack(config);
}

/* ---- what waits ---- */

static size_t waiting_count(const struct tl_etm_waiting *w)
{
	return w->end - w->begin;
}

static void drop_all(struct tl_etm_flow *flow)
{
	flow->waiting.begin = flow->waiting.end = 0;
	flow->waiting.depth = flow->waiting.unseen = 0;
	flow->awaits_address = false;
}

/* Nothing is known up to the next Trace Info. */
static void lose(struct tl_etm_flow *flow, enum tl_etm_gap why)
{
	tl_etm_walk_gap(flow, why);
	flow->is_synchronised = flow->has_context = false;
	drop_all(flow);
}

static bool has_address_behind(const struct tl_etm_exception *exception)
{
	return exception->type != ETE_RESET && exception->type != ETE_TRANSACTION_FAILURE;
}

static int add(struct tl_etm_flow *flow, const struct tl_etm_element *element, uint32_t p0)
{
	struct tl_etm_waiting *w = &flow->waiting;

	if (w->end >= MOST_WAITING && w->begin) {
		memmove(w->list, w->list + w->begin, waiting_count(w) * sizeof(*w->list));
		w->end -= w->begin;
		w->begin = 0;
	}
	if (w->end >= MOST_WAITING) {
		lose(flow, TL_ETM_GAP_ORDER);
		return 0;
	}
	if (!tl_grow(&w->list, &w->capacity, w->end + 1, sizeof(*w->list)))
		return TL_NO_MEMORY;
	w->list[w->end++] = *element;
	w->depth += p0;
	return 0;
}

/* ---- commits ---- */

static void take_other(struct tl_etm_flow *flow, const struct tl_etm_element *e)
{
	if (e->kind == TL_ETM_TRACE_ON)
		tl_etm_walk_gap(flow, TL_ETM_GAP_OFF);
	if (e->context.updated)
		tl_etm_walk_context(flow, &e->context);
	if (e->has_address)
		tl_etm_walk_address(flow, e->address, e->is);
}

/* An exception with the address behind it; a context may stand between. */
static int commit_exception(struct tl_etm_flow *flow, const struct tl_etm_element *e)
{
	const bool is_target = e->exception.interpretation == 2;
	struct tl_etm_waiting *w = &flow->waiting;
	const struct tl_etm_element *next;

	if (flow->config->is_ete && !has_address_behind(&e->exception)) {
		tl_etm_walk_gap(flow, TL_ETM_GAP_OFF);
		return 0;
	}
	do {
		if (w->begin == w->end || w->list[w->begin].atom_count ||
		    w->list[w->begin].kind == TL_ETM_EXCEPTION) {
			tl_etm_walk_gap(flow, TL_ETM_GAP_ORDER);
			return 0;
		}
		next = &w->list[w->begin++];
		if (next->context.updated)
			tl_etm_walk_context(flow, &next->context);
	} while (!next->has_address);
	return tl_etm_walk_exception(flow, next->address, is_target);
}

static int commit_q(struct tl_etm_flow *flow, const struct tl_etm_element *e)
{
	tl_etm_walk_gap(flow, TL_ETM_GAP_Q);
	if (e->has_address)
		tl_etm_walk_address(flow, e->address, e->is);
	return 0;
}

/* One P0 element of the oldest element. */
static int commit_one(struct tl_etm_flow *flow)
{
	struct tl_etm_waiting *w = &flow->waiting;
	struct tl_etm_element *e = &w->list[w->begin];

	w->depth--;
	if (e->atom_count) {
		const bool taken = e->atoms & 1;

		e->atoms >>= 1;
		if (!--e->atom_count)
			w->begin++;
		return tl_etm_walk_atom(flow, taken);
	}
	w->begin++;
	if (e->kind == TL_ETM_EXCEPTION)
		return commit_exception(flow, e);
	if (e->kind == TL_ETM_Q)
		return commit_q(flow, e);
	return tl_etm_walk_source(flow, e->address);
}

static bool is_p0(const struct tl_etm_element *e)
{
	return e->atom_count || e->kind == TL_ETM_EXCEPTION || e->kind == TL_ETM_Q ||
	       e->kind == TL_ETM_SOURCE_LONG;
}

/* So many of those from before the trace, or as many as there are. */
static uint32_t pass_unseen(struct tl_etm_waiting *w, uint32_t count)
{
	const uint32_t passed = tl_min(count, w->unseen);

	w->unseen -= passed;
	w->depth -= passed;
	return passed;
}

/* So many P0 elements, the oldest first, and what stands before each of them. */
static int commit(struct tl_etm_flow *flow, uint32_t count)
{
	struct tl_etm_waiting *w = &flow->waiting;
	int status = 0;

	count -= pass_unseen(w, count);
	while (status == 0 && count) {
		if (w->begin == w->end) {
			lose(flow, TL_ETM_GAP_ORDER);
			return 0;
		} else if (is_p0(&w->list[w->begin])) {
			status = commit_one(flow);
			count--;
		} else {
			take_other(flow, &w->list[w->begin++]);
		}
	}
	return status;
}

/* What is beyond the depth that the unit can have, and what waits for nothing. */
static int settle(struct tl_etm_flow *flow)
{
	const uint32_t most = tl_etm_most_speculative(flow->config);
	struct tl_etm_waiting *w = &flow->waiting;
	int status = 0;

	if (w->depth > most)
		status = commit(flow, w->depth - most);
	while (status == 0 && w->begin < w->end && !w->unseen && !is_p0(&w->list[w->begin]))
		take_other(flow, &w->list[w->begin++]);
	if (w->begin == w->end)
		w->begin = w->end = 0;
	return status;
}

/* ---- cancels ---- */

/* So many P0 elements, the newest first, and what stands behind each of them. */
static void cancel(struct tl_etm_flow *flow, uint32_t count)
{
	struct tl_etm_waiting *w = &flow->waiting;

	while (count && w->end > w->begin) {
		struct tl_etm_element *newest = &w->list[w->end - 1];
		const bool counts = is_p0(newest);

		if (newest->atom_count > 1) {
			newest->atom_count--;
			newest->atoms &= (UINT32_C(1) << newest->atom_count) - 1;
		} else {
			w->end--;
		}
		w->depth -= counts;
		count -= counts;
	}
	if (count > pass_unseen(w, count))
		lose(flow, TL_ETM_GAP_ORDER);
}

/* The newest atom is the other one; addresses behind it were of the way that was not taken. */
static void mispredict(struct tl_etm_flow *flow)
{
	struct tl_etm_waiting *w = &flow->waiting;

	while (w->end > w->begin && w->list[w->end - 1].has_address && !is_p0(&w->list[w->end - 1]))
		w->end--;
	if (w->end > w->begin && w->list[w->end - 1].atom_count) {
		struct tl_etm_element *newest = &w->list[w->end - 1];

		newest->atoms ^= UINT32_C(1) << (newest->atom_count - 1);
	} else if (!w->unseen) {
		lose(flow, TL_ETM_GAP_ORDER);
	}
}

/* ---- packets ---- */

/* Without speculation atoms need not wait. */
static int take_atoms(struct tl_etm_flow *flow, const struct tl_etm_packet *packet)
{
	struct tl_etm_waiting *w = &flow->waiting;
	const struct tl_etm_element element = { .atom_count = packet->atom_count,
						.atoms = packet->atoms };
	int status = 0;

	if (!packet->atom_count)
		return 0;
	if (w->end || w->depth || tl_etm_most_speculative(flow->config))
		return add(flow, &element, packet->atom_count);
	for (unsigned i = 0; status == 0 && i < packet->atom_count; i++)
		status = tl_etm_walk_atom(flow, packet->atoms >> i & 1);
	return status;
}

/* The address that an exception waits for makes it a P0 element. */
static int take_element(struct tl_etm_flow *flow, const struct tl_etm_packet *packet)
{
	struct tl_etm_element element = {
		.kind = packet->kind,
		.address = packet->address.value,
		.is = packet->address.is,
		.has_address = packet->has_address,
		.exception = packet->exception,
		.context = packet->context,
	};
	uint32_t p0 = 0;

	switch (packet->kind) {
	case TL_ETM_EXCEPTION:
		flow->awaits_address =
			!flow->config->is_ete || has_address_behind(&packet->exception);
		p0 = !flow->awaits_address;
		break;
	case TL_ETM_Q:
		p0 = 1;
		break;
	case TL_ETM_SOURCE_LONG:
	case TL_ETM_SOURCE_MATCH:
	case TL_ETM_SOURCE_SHORT:
		element.kind = TL_ETM_SOURCE_LONG;
		p0 = 1;
		break;
	default:
		p0 = packet->has_address && flow->awaits_address;
		flow->awaits_address &= !packet->has_address;
	}
	return add(flow, &element, p0);
}

static void begin_anew(struct tl_etm_flow *flow, const struct tl_etm_packet *packet)
{
	if (!flow->is_synchronised) {
		drop_all(flow);
		flow->waiting.depth = flow->waiting.unseen = packet->depth;
		flow->has_address = flow->has_context = false;
	}
	flow->is_synchronised = true;
	tl_etm_walk_forget(flow);
}

/* Atoms come first, and may make older ones be committed. */
static int take_correction(struct tl_etm_flow *flow, const struct tl_etm_packet *packet)
{
	int status = take_atoms(flow, packet);

	if (status == 0)
		status = settle(flow);
	cancel(flow, packet->cancels);
	if (packet->mispredicts && flow->is_synchronised)
		mispredict(flow);
	return status;
}

static int take_packet(struct tl_etm_flow *flow, const struct tl_etm_packet *packet)
{
	switch (packet->kind) {
	case TL_ETM_ATOM_1:
	case TL_ETM_ATOM_2:
	case TL_ETM_ATOM_3:
	case TL_ETM_ATOM_4:
	case TL_ETM_ATOM_5:
	case TL_ETM_ATOM_6:
		return take_atoms(flow, packet);
	case TL_ETM_TRACE_ON:
	case TL_ETM_CONTEXT:
	case TL_ETM_ADDRESS_CONTEXT:
	case TL_ETM_ADDRESS_MATCH:
	case TL_ETM_ADDRESS_SHORT:
	case TL_ETM_ADDRESS_LONG:
	case TL_ETM_EXCEPTION:
	case TL_ETM_Q:
	case TL_ETM_SOURCE_MATCH:
	case TL_ETM_SOURCE_SHORT:
	case TL_ETM_SOURCE_LONG:
		return take_element(flow, packet);
	case TL_ETM_COMMIT:
		return commit(flow, packet->commits);
	case TL_ETM_MISPREDICT:
	case TL_ETM_CANCEL_1:
	case TL_ETM_CANCEL_2:
	case TL_ETM_CANCEL_3:
		return take_correction(flow, packet);
	case TL_ETM_CYCLES_1:
	case TL_ETM_CYCLES_2:
	case TL_ETM_CYCLES_3:
		/* What is there already: without speculation all of it is committed before. */
		return commit(flow, tl_min(packet->commits, flow->waiting.depth));
	case TL_ETM_DISCARD:
	case TL_ETM_OVERFLOW:
		lose(flow, TL_ETM_GAP_LOST);
		return 0;
	default:
		return 0;
	}
}

static bool is_p0_kind(const struct tl_etm_packet *packet)
{
	return packet->atom_count || packet->kind == TL_ETM_EXCEPTION || packet->kind == TL_ETM_Q ||
	       packet->kind == TL_ETM_SOURCE_LONG || packet->kind == TL_ETM_SOURCE_MATCH ||
	       packet->kind == TL_ETM_SOURCE_SHORT;
}

int tl_etm_flow_packet(struct tl_etm_flow *flow, const struct tl_etm_packet *packet)
{
	int status;

	if (packet->kind == TL_ETM_TRACE_INFO)
		begin_anew(flow, packet);
	if (!flow->is_synchronised)
		return 0;
	/* An exception has its address before anything else is executed. */
	if (flow->awaits_address && is_p0_kind(packet)) {
		lose(flow, TL_ETM_GAP_ORDER);
		return 0;
	}
	status = take_packet(flow, packet);
	return status < 0 ? status : settle(flow);
}

void tl_etm_flow_lost(struct tl_etm_flow *flow)
{
	lose(flow, TL_ETM_GAP_OFF);
}

void tl_etm_flow_end(struct tl_etm_flow *flow)
{
	free(flow->waiting.list);
	flow->waiting = (struct tl_etm_waiting){ 0 };
}
