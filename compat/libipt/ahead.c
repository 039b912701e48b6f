/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many blocks at once. Where TNT and TIP stand for themselves blocks are found along the graph of
 * code, ahead of the caller (src/intel_pt/blocks/walk.c). Nothing of that is to be seen: the walk
 * is kept as it was at the beginning, and whoever wants to know where the decoder is, or changes
 * what it decodes, has it gone once more up to where the caller is. For that no code is read: the
 * nodes up to there are known, and are those of the image as it was.
 *
 * All that is not plain is done one step at a time (steps.c), as is what follows the last block.
 */
#include "flow.h"

enum { FEWEST = 4 };

/* ---- from the decoder to the walk, and back ---- */

static bool is_plain(const struct tl_compat_decoder *dec)
{
	const struct tl_compat_trace *trace = &dec->trace;

	return dec->enabled && dec->mode && !dec->ticks && !dec->has_event && !dec->has_insn &&
	       !(dec->status & (pts_event_pending | pts_eos)) && trace->have_next &&
	       (trace->next == TL_PT_PKT_TNT_8 || trace->next == TL_PT_PKT_TNT_64 ||
		trace->next == TL_PT_PKT_TIP) &&
	       !trace->consume && !trace->swallow_fup && !trace->context.items &&
	       !tl_compat_waits(trace, TL_COMPAT_TIP) && !tl_compat_waits(trace, TL_COMPAT_FUP);
}

int tl_compat_graph(struct tl_compat_decoder *dec)
{
	struct tl_pt_graph *graph = &dec->decoder->graph;

	if (!dec->ahead.changed && !graph->full && !graph->no_memory &&
	    !tl_pt_graph_is_stale(graph, dec->current->image))
		return 0;
	dec->decoder->code.image = dec->current->image;
	dec->ahead.changed = false;
	return tl_pt_drop_nodes(dec->decoder) ? 0 : -pte_nomem;
}

static bool enter(struct tl_compat_decoder *dec)
{
	const struct tl_compat_trace *trace = &dec->trace;
	struct tl_pt_decoder *walk = dec->decoder;
	struct tl_compat_ahead *ahead = &dec->ahead;

	if (!is_plain(dec))
		return false;
	if (tl_compat_graph(dec) < 0 || !tl_pt_change_space(walk, &dec->asid, dec->mode))
		return false;
	walk->pos.node = tl_pt_graph_node(&walk->graph, dec->ip);
	if (!walk->pos.node) {
		walk->pos.node = TL_PT_NODE_BEHIND;
		return false;
	}
	walk->trace.bits = trace->bits;
	walk->trace.count = trace->count;
	walk->trace.tip_pending = false;
	walk->pos.idle = 0;
	walk->trace.taken = walk->trace.taken_end = ahead->entry = trace->pos;
	walk->flow.pos = trace->pos;
	walk->flow.last_ip = trace->last_ip;
	walk->flow.time = trace->time;
	walk->flow.slow_path_reasons = 0;
	return true;
}

/* Of the outcomes that the walk has read, give those back that it has not used. */
static void give_back(struct tl_compat_trace *trace, const struct tl_pt_decoder *walk)
{
	const uint8_t *pos = walk->trace.taken_end;
	uint32_t left = walk->trace.count;

	if (tl_pt_is_long_tnt(walk->trace.taken, pos)) {
		bool untouched =
			left == 63 - (uint32_t)__builtin_clzll(tl_le64(walk->trace.taken) >> 16);

		trace->pos = untouched ? walk->trace.taken : pos;
		trace->count = untouched ? 0 : left;
		trace->bits = walk->trace.bits & ((UINT64_C(1) << trace->count) - 1);
		return;
	}
	while (left) {
		uint32_t outcomes = 30 - (uint32_t)__builtin_clz(pos[-1]);

		if (left < outcomes)
			break;
		left -= outcomes;
		pos--;
	}
	trace->pos = pos;
	trace->count = left;
	trace->bits = left ? (pos[-1] >> 1) & ((1u << left) - 1) : 0;
}

static bool took_packets(const struct tl_compat_decoder *dec)
{
	return dec->decoder->trace.taken_end != dec->ahead.entry;
}

/* The decoder stands where the walk does. */
static void leave(struct tl_compat_decoder *dec)
{
	struct tl_compat_trace *trace = &dec->trace;
	struct tl_pt_decoder *walk = dec->decoder;

	dec->ip = walk->pos.node == TL_PT_NODE_BEHIND ? walk->trace.target
						      : walk->graph.blocks[walk->pos.node].ip;
	if (!took_packets(dec)) {
		trace->bits = walk->trace.bits;
		trace->count = walk->trace.count;
	} else {
		trace->pos = walk->flow.pos;
		trace->bits = trace->count = 0;
		if (walk->trace.tip_pending && walk->pos.node != TL_PT_NODE_BEHIND)
			trace->pos = walk->trace.taken;
		else if (walk->trace.count)
			give_back(trace, walk);
		trace->last_ip = walk->flow.last_ip;
		trace->time = walk->flow.time;
		tl_compat_trace_stamp(trace);
		tl_compat_trace_ahead(trace);
	}
	walk->pos.node = TL_PT_NODE_BEHIND;
	walk->trace.tip_pending = false;
	dec->status = tl_compat_trace_status(trace);
}

/* ---- the walk ---- */

static void note(struct tl_compat_ahead *ahead, const struct tl_pt_decoder *walk)
{
	ahead->time = walk->flow.time;
	ahead->bits = walk->trace.bits;
	ahead->last_ip = walk->flow.last_ip;
	ahead->target = walk->trace.target;
	ahead->tip_pending = walk->trace.tip_pending;
	ahead->idle = walk->pos.idle;
	ahead->count = walk->trace.count;
	ahead->cur = walk->pos.node;
	ahead->top = walk->pos.top;
	memcpy(ahead->stack, walk->pos.stack, sizeof(ahead->stack));
	ahead->pos = walk->flow.pos;
	ahead->taken = walk->trace.taken;
	ahead->taken_end = walk->trace.taken_end;
}

/* As it was noted, and so many blocks on from there. */
static void go_again(struct tl_compat_ahead *ahead, struct tl_pt_decoder *walk, uint32_t blocks)
{
	struct tl_pt_out out = { ahead->ids, ahead->ids + blocks };

	walk->flow.time = ahead->time;
	walk->trace.bits = ahead->bits;
	walk->flow.last_ip = ahead->last_ip;
	walk->trace.target = ahead->target;
	walk->trace.tip_pending = ahead->tip_pending;
	walk->pos.idle = ahead->idle;
	walk->trace.count = ahead->count;
	walk->pos.node = ahead->cur;
	walk->pos.top = ahead->top;
	memcpy(walk->pos.stack, ahead->stack, sizeof(ahead->stack));
	walk->flow.pos = ahead->pos;
	walk->trace.taken = ahead->taken;
	walk->trace.taken_end = ahead->taken_end;
	if (blocks)
		tl_pt_walk(walk, &out);
}

/*
 * An error in what follows a TNT or TIP is told when that packet is used first (trace.c). Where the
 * packet used last begins, if there is one; NULL: all is well.
 */
static const uint8_t *fault_behind(const struct tl_compat_decoder *dec)
{
	const struct tl_pt_decoder *walk = dec->decoder;
	const uint8_t *pos = walk->flow.pos, *end = dec->config.ours.end;
	struct tl_compat_trace trace;
	int status;

	if (!took_packets(dec) || (pos < end && tl_pt_is_short_tnt(*pos)) ||
	    tl_pt_tip_size(pos, end) || tl_pt_is_long_tnt(pos, end))
		return NULL;
	trace = dec->trace;
	trace.pos = pos;
	trace.last_ip = walk->flow.last_ip;
	trace.time = walk->flow.time;
	status = tl_compat_trace_ahead(&trace);
	if (status >= 0 || status == -pte_eos)
		return NULL;
	return tl_pt_is_short_tnt(*walk->trace.taken) ? walk->trace.taken_end - 1
						      : walk->trace.taken;
}

/* As far as trace and code go; the block at fault is made once more, with what is to be said of it.
 */
static uint32_t *walk_on(struct tl_compat_decoder *dec)
{
	struct tl_compat_ahead *ahead = &dec->ahead;
	struct tl_pt_decoder *walk = dec->decoder;
	struct tl_pt_out out = { ahead->ids, ahead->ids + ahead->most };
	const uint8_t *fault;

	walk->flow.end = dec->config.ours.end;
	if (tl_pt_walk(walk, &out) == TL_PT_STOP_ERROR) {
		out.pos -= out.pos != ahead->ids;
		go_again(ahead, walk, (uint32_t)(out.pos - ahead->ids));
	}
	fault = fault_behind(dec);
	if (!fault)
		return out.pos;
	walk->flow.end = fault;
	go_again(ahead, walk, 0);
	out.pos = ahead->ids;
	if (fault > ahead->pos && tl_pt_walk(walk, &out) == TL_PT_STOP_ERROR) {
		out.pos -= out.pos != ahead->ids;
		go_again(ahead, walk, (uint32_t)(out.pos - ahead->ids));
	}
	return out.pos;
}

bool tl_compat_run_ahead(struct tl_compat_decoder *dec)
{
	struct tl_compat_ahead *ahead = &dec->ahead;
	uint32_t *end;

	if (!enter(dec))
		return false;
	note(ahead, dec->decoder);
	end = walk_on(dec);
	if (end == ahead->ids) {
		leave(dec);
		return false;
	}
	ahead->running = true;
	ahead->next = ahead->ids;
	ahead->last = end - 1;
	ahead->blocks = dec->decoder->graph.blocks;
	ahead->version = &dec->current->image->version;
	ahead->seen = dec->decoder->graph.version;
	if (end == ahead->ids + ahead->most && ahead->most * 2 <= TL_COMPAT_AHEAD)
		ahead->most *= 2;
	return true;
}

void tl_compat_settle(struct tl_compat_decoder *dec)
{
	struct tl_compat_ahead *ahead = &dec->ahead;

	if (!ahead->running)
		return;
	if (ahead->next <= ahead->last) {
		go_again(ahead, dec->decoder, (uint32_t)(ahead->next - ahead->ids));
		ahead->most = FEWEST;
	}
	leave(dec);
	ahead->running = false;
	ahead->next = ahead->last = ahead->ids;
}
