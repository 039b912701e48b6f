/* SPDX-License-Identifier: Apache-2.0 */
/* Where flow begins, and what it is asked between two steps. */
#include "flow.h"

#include <stdlib.h>

static void reset(struct tl_compat_decoder *dec)
{
	dec->ip = 0;
	dec->mode = TL_PT_MODE_UNKNOWN;
	dec->asid = (struct tl_pt_asid){ TL_PT_ANY, TL_PT_ANY };
	dec->enabled = dec->speculative = dec->has_event = false;
	dec->status = 0;
	dec->idle = 0;
	memset(&dec->event, 0, sizeof(dec->event));
	dec->has_insn = false;
	tl_compat_bound_none(dec);
	dec->stack.depth = 0;
	tl_pt_clear_stack(dec->decoder);
	dec->decoder->pos.node = TL_PT_NODE_BEHIND;
	dec->ahead.next = dec->ahead.last = dec->ahead.ids;
	dec->ahead.running = false;
	dec->ahead.most = 32;
}

struct tl_compat_decoder *tl_compat_decoder_open(const struct pt_config *config,
						 enum tl_compat_use use)
{
	struct tl_compat_decoder *dec = calloc(1, sizeof(*dec));

	if (!dec || !tl_compat_config(&dec->config, config, use) ||
	    tl_pt_decoder_open(&dec->decoder, &dec->config.ours, NULL) < 0) {
		free(dec);
		return NULL;
	}
	dec->own.image = tl_pt_decoder_image(dec->decoder);
	dec->current = &dec->own;
	dec->blocks = use == TL_COMPAT_BLOCK;
	dec->folds = dec->config.ours.flags & TL_PT_FOLD_EVENTS;
	dec->ticks = dec->config.ours.flags & TL_PT_TICK_EVENTS;
	dec->decoder->trace.exact = !dec->folds;
	tl_compat_trace_open(&dec->trace, &dec->config.ours);
	reset(dec);
	return dec;
}

void tl_compat_decoder_close(struct tl_compat_decoder *dec)
{
	if (!dec)
		return;
	tl_compat_codes_close(&dec->codes);
	tl_pt_decoder_close(dec->decoder);
	free(dec);
}

/* ---- beginning ---- */

static int begin(struct tl_compat_decoder *dec, int status)
{
	if (status < 0)
		return status;
	dec->synced = true;
	dec->moved = false;
	dec->status = status;
	dec->enabled = !(status & pts_ip_suppressed);
	return dec->blocks ? tl_compat_block_events(dec, NULL) : tl_compat_insn_events(dec, NULL);
}

int tl_compat_decoder_forward(struct tl_compat_decoder *dec)
{
	if (!dec)
		return -pte_invalid;
	if (dec->folds)
		return tl_pt_decoder_sync_forward(dec->decoder);
	tl_compat_settle(dec);
	reset(dec);
	return begin(dec, tl_compat_trace_forward(&dec->trace, &dec->ip));
}

int tl_compat_decoder_backward(struct tl_compat_decoder *dec)
{
	if (!dec)
		return -pte_invalid;
	if (dec->folds)
		return tl_pt_decoder_sync_backward(dec->decoder);
	tl_compat_settle(dec);
	/* That an event was looked for does not count. */
	if (!dec->moved && dec->trace.begun)
		dec->trace.pos = dec->trace.begun;
	reset(dec);
	return begin(dec, tl_compat_trace_backward(&dec->trace, &dec->ip));
}

int tl_compat_decoder_set(struct tl_compat_decoder *dec, uint64_t offset)
{
	if (!dec)
		return -pte_invalid;
	if (dec->folds)
		return tl_pt_decoder_sync_set(dec->decoder, offset);
	tl_compat_settle(dec);
	reset(dec);
	return begin(dec, tl_compat_trace_set(&dec->trace, &dec->ip, offset));
}

/* The mode and the address space outlast an error; nothing else does. */
int tl_compat_decoder_resync(struct tl_compat_decoder *dec)
{
	enum tl_pt_exec_mode mode;
	struct tl_pt_asid asid;
	int status;

	if (!dec)
		return -pte_invalid;
	if (dec->folds)
		return tl_pt_resync(dec->decoder, NULL);
	if (!dec->synced)
		return -pte_nosync;
	tl_compat_settle(dec);
	mode = dec->mode;
	asid = dec->asid;
	reset(dec);
	dec->mode = mode;
	dec->asid = asid;
	status = tl_compat_trace_resync(&dec->trace, &dec->ip);
	return begin(dec, status);
}

/* ---- between two steps ---- */

int tl_compat_decoder_set_image(struct tl_compat_decoder *dec, struct pt_image *image)
{
	if (!dec)
		return -pte_invalid;
	dec->current = image ? image : &dec->own;
	if (dec->folds)
		return tl_pt_decoder_set_image(dec->decoder, dec->current->image);
	tl_compat_settle(dec);
	/* Another image may be where one was. */
	tl_compat_codes_forget(&dec->codes);
	dec->ahead.changed = true;
	dec->decoder->code.image = dec->current->image;
	return 0;
}

int tl_compat_decoder_time(struct tl_compat_decoder *dec, uint64_t *time, uint32_t *lost_mtc,
			   uint32_t *lost_cyc)
{
	struct tl_compat_time now;

	if (!dec || !time)
		return -pte_invalid;
	if (!dec->folds) {
		tl_compat_settle(dec);
		return tl_compat_time(&dec->trace.at, time, lost_mtc, lost_cyc);
	}
	now.status = tl_pt_decoder_time(dec->decoder, &now.tsc, &now.lost_mtc, &now.lost_cyc);
	if (now.status == -pte_nosync)
		return -pte_no_time;
	return tl_compat_time(&now, time, lost_mtc, lost_cyc);
}

int tl_compat_decoder_ratio(struct tl_compat_decoder *dec, uint32_t *cbr)
{
	struct tl_compat_time now = { .cbr = 0 };

	if (!dec || !cbr)
		return -pte_invalid;
	if (!dec->folds) {
		tl_compat_settle(dec);
		return tl_compat_cbr(&dec->trace.at, cbr);
	}
	now.have_cbr = tl_pt_decoder_core_bus_ratio(dec->decoder, &now.cbr) == 0;
	return tl_compat_cbr(&now, cbr);
}

int tl_compat_decoder_offset(struct tl_compat_decoder *dec, uint64_t *offset)
{
	if (!dec || !offset)
		return -pte_invalid;
	if (dec->folds)
		return tl_pt_decoder_offset(dec->decoder, offset);
	tl_compat_settle(dec);
	return tl_compat_trace_offset(&dec->trace, offset);
}

int tl_compat_decoder_sync_offset(struct tl_compat_decoder *dec, uint64_t *offset)
{
	if (!dec || !offset)
		return -pte_invalid;
	return dec->folds ? tl_pt_decoder_sync_offset(dec->decoder, offset)
			  : tl_compat_trace_sync_offset(&dec->trace, offset);
}

int tl_compat_decoder_asid(const struct tl_compat_decoder *dec, struct pt_asid *asid, size_t size)
{
	struct pt_asid user = { .size = sizeof(user) };
	struct tl_pt_asid ours;

	if (!dec || !asid || size < sizeof(asid->size))
		return -pte_invalid;
	ours = dec->asid;
	if (dec->folds)
		tl_pt_decoder_asid(dec->decoder, &ours);
	user.cr3 = ours.cr3;
	user.vmcs = ours.vmcs;
	user.size = size < sizeof(user) ? size : sizeof(user);
	tl_compat_give(asid, size, &user, sizeof(user));
	return 0;
}

int tl_compat_decoder_event(struct tl_compat_decoder *dec, struct pt_event *event, size_t size)
{
	int status;

	if (!dec || !event)
		return -pte_invalid;
	if (!dec->has_event)
		return -pte_bad_query;
	status = tl_compat_apply(dec);
	if (status < 0)
		return status;
	tl_compat_give_event(event, size, &dec->event);
	dec->has_event = false;
	dec->moved = true;
	return dec->blocks ? tl_compat_block_events(dec, NULL) : tl_compat_insn_behind_event(dec);
}

/* ---- a step ---- */

int tl_compat_fetch_event(struct tl_compat_decoder *dec)
{
	int status;

	if (dec->has_event)
		return 1;
	if (!(dec->status & pts_event_pending))
		return 0;
	/* It may come with an error that follows it, and is asked for again then. */
	status = tl_compat_trace_event(&dec->trace, &dec->event);
	if (status < 0)
		return status;
	dec->has_event = true;
	dec->status = status;
	dec->idle = 0;
	return 1;
}

int tl_compat_code(struct tl_compat_decoder *dec, uint64_t ip, const struct tl_compat_code **code)
{
	const struct tl_compat_where where = { dec->current->image, &dec->asid, dec->mode };

	return tl_compat_code_at(&dec->codes, &where, ip, code);
}

/* Time has passed since the last event: that is one, too, unless another one waits. */
static void tick(struct tl_compat_decoder *dec, uint64_t ip)
{
	const struct tl_compat_time *now = &dec->trace.at;
	struct pt_event *event = &dec->event;

	if (!dec->ticks || dec->has_event || now->tsc == event->tsc)
		return;
	memset(event, 0, sizeof(*event));
	event->type = ptev_tick;
	event->variant.tick.ip = ip;
	event->has_tsc = now->status == 0;
	event->tsc = now->tsc;
	event->lost_mtc = now->lost_mtc;
	event->lost_cyc = now->lost_cyc;
	dec->has_event = true;
}

int tl_compat_cond(struct tl_compat_decoder *dec, int *taken)
{
	int status = tl_compat_trace_cond(&dec->trace, taken);

	dec->idle = 0;
	if (status >= 0)
		tick(dec, dec->ip);
	return status;
}

int tl_compat_indirect(struct tl_compat_decoder *dec, uint64_t *ip)
{
	uint64_t from = dec->ip;
	int status = tl_compat_trace_indirect(&dec->trace, ip);

	dec->idle = 0;
	if (status >= 0)
		tick(dec, from);
	return status;
}

/* ---- return addresses ---- */

static int push_node(struct tl_compat_decoder *dec, uint64_t ip)
{
	uint32_t number;
	int status = tl_compat_graph(dec);

	if (status < 0)
		return status;
	number = tl_pt_graph_node(&dec->decoder->graph, ip);
	if (!number) {
		/* All nodes are used up. */
		dec->ahead.changed = true;
		status = tl_compat_graph(dec);
		number = status < 0 ? 0 : tl_pt_graph_node(&dec->decoder->graph, ip);
	}
	if (!number)
		return -pte_nomem;
	tl_pt_push(dec->decoder, tl_pt_edge_offset(number));
	return 0;
}

int tl_compat_push(struct tl_compat_decoder *dec, const struct tl_compat_code *code)
{
	struct tl_compat_stack *stack = &dec->stack;
	uint64_t ip = code->insn.ip + code->insn.size;

	/* A call of the next instruction only reads the instruction pointer. */
	if (code->insn.iclass != ptic_call || code->flags & TL_X86_CALL_NEXT)
		return 0;
	if (dec->blocks)
		return push_node(dec, ip);
	stack->list[stack->top++ % TL_PT_STACK] = ip;
	stack->depth += stack->depth < TL_PT_STACK;
	return 0;
}

static int pop_node(struct tl_compat_decoder *dec, uint64_t *ip)
{
	struct tl_pt_decoder *walk = dec->decoder;
	uint32_t *entry = &walk->pos.stack[(walk->pos.top - 1) % TL_PT_STACK];

	if (*entry == TL_PT_NODE_NONE)
		return -pte_retstack_empty;
	*ip = walk->graph.blocks[tl_pt_edge_node(*entry)].ip;
	*entry = TL_PT_NODE_NONE;
	walk->pos.top--;
	return 0;
}

int tl_compat_pop(struct tl_compat_decoder *dec, uint64_t *ip)
{
	struct tl_compat_stack *stack = &dec->stack;

	if (dec->blocks)
		return pop_node(dec, ip);
	if (!stack->depth)
		return -pte_retstack_empty;
	stack->depth--;
	*ip = stack->list[--stack->top % TL_PT_STACK];
	return 0;
}
