/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/fold/fold.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "profile/model/model.h"

/* Frames below a call that are tried as its caller. */
enum { MOST_LOOKED_AT = 4096 };

/* ---- the index of contexts ---- */

/*
 * The slot of a child, or the empty slot it would go to: one of its two home slots, which share a
 * line of the cache with the siblings; else linear probing from a hash of both numbers, so that
 * parents with many children do not fill the lines of others.
 */
static uint32_t *child_slot(const struct tl_fold_hot *h, uint32_t parent, uint32_t function)
{
	size_t at = tl_fold_child_home(h, parent, function), mask = tl_fold_child_mask(h);

	for (int i = 0; i < 2; i++, at ^= 1)
		if (!h->children[at] || tl_fold_is_child(h, h->children[at], parent, function))
			return &h->children[at];
	at = (size_t)(tl_hash64((uint64_t)parent << 32 | function) >> h->child_shift);
	while (h->children[at] && !tl_fold_is_child(h, h->children[at], parent, function))
		at = (at + 1) & mask;
	return &h->children[at];
}

/* Twice the room, at least 64 places; three of four stay empty. */
static bool grow_children(struct tl_fold *fold)
{
	struct tl_fold_hot *h = &fold->hot;
	unsigned shift = h->children ? h->child_shift - 1 : 64 - 6;
	size_t size = sizeof(*h->children) << (64 - shift);
	uint32_t *children = aligned_alloc(TL_FOLD_LINE * sizeof(*children), size);

	if (!children)
		return false;
	memset(children, 0, size);
	free(h->children);
	h->children = children;
	h->child_shift = shift;
	for (uint32_t i = 1; i < fold->node_count; i++)
		*child_slot(h, h->nodes[i].parent, h->nodes[i].function) = i;
	return true;
}

/* ---- begin and end ---- */

bool tl_fold_begin(struct tl_fold *fold, uint32_t event_count, bool exact)
{
	*fold = (struct tl_fold){ .exact = exact, .event_count = event_count };
	if (!tl_grow(&fold->frames, &fold->capacity.frames, 64, sizeof(*fold->frames)) ||
	    !tl_grow(&fold->hot.nodes, &fold->capacity.nodes, 64, sizeof(*fold->hot.nodes)) ||
	    !grow_children(fold) ||
	    (event_count &&
	     !tl_grow(&fold->costs, &fold->capacity.costs, event_count, sizeof(*fold->costs)))) {
		tl_fold_free(fold);
		return false;
	}
	fold->hot.top = fold->hot.indexed = fold->frames;
	fold->hot.last = fold->frames + fold->capacity.frames - 1;
	fold->frames[0] = (struct tl_fold_frame){ .function = TL_NONE };
	fold->hot.nodes[0] = (struct tl_fold_node){ .function = TL_NONE };
	fold->node_count = 1;
	if (event_count)
		memset(fold->costs, 0, event_count * sizeof(*fold->costs));
	return true;
}

void tl_fold_free(struct tl_fold *fold)
{
	for (size_t i = 0; i < fold->function_count; i++)
		tl_latency_free(&fold->hot.functions[i]);
	free(fold->hot.functions);
	free(fold->hot.nodes);
	free(fold->hot.sums);
	free(fold->frames);
	free(fold->open);
	free(fold->hot.children);
	free(fold->costs);
	free(fold->untimed);
	free(fold->earlier);
	*fold = (struct tl_fold){ 0 };
}

bool tl_fold_without_contexts(struct tl_fold *fold)
{
	if (fold->event_count > TL_FOLD_SUMMED_COSTS ||
	    !tl_grow(&fold->hot.sums, &fold->capacity.sums, 1, sizeof(*fold->hot.sums)))
		return false;
	fold->hot.sums[0] = (struct tl_fold_sums){ 0 };
	return true;
}

/* The node of the function that is added next. False without memory. */
static bool add_summed(struct tl_fold *fold)
{
	const size_t number = fold->node_count, events = tl_excess(fold->event_count, 1);
	struct tl_fold_capacities *capacity = &fold->capacity;

	if (number >= TL_NONE ||
	    !tl_grow(&fold->hot.nodes, &capacity->nodes, number + 1, sizeof(*fold->hot.nodes)) ||
	    !tl_grow(&fold->hot.sums, &capacity->sums, number + 1, sizeof(*fold->hot.sums)) ||
	    (events &&
	     !tl_grow(&fold->costs, &capacity->costs, (number + 1) * events, sizeof(*fold->costs))))
		return false;
	if (events)
		memset(fold->costs + number * events, 0, events * sizeof(*fold->costs));
	fold->hot.nodes[number] = (struct tl_fold_node){ .function = (uint32_t)number - 1,
							 .parent = (uint32_t)number };
	fold->hot.sums[number] = (struct tl_fold_sums){ 0 };
	fold->node_count++;
	return true;
}

void tl_fold_same_function(struct tl_fold *fold, uint32_t function, uint32_t earlier)
{
	fold->hot.nodes[function + 1].parent = fold->hot.nodes[earlier + 1].parent;
}

uint32_t tl_fold_add_function(struct tl_fold *fold)
{
	size_t count = fold->function_count;

	if (count >= TL_NONE ||
	    !tl_grow(&fold->hot.functions, &fold->capacity.functions, count + 1,
		     sizeof(*fold->hot.functions)) ||
	    !tl_grow(&fold->open, &fold->capacity.open, count + 1, sizeof(*fold->open)) ||
	    (fold->hot.sums && !add_summed(fold))) {
		fold->no_memory = true;
		return TL_NONE;
	}
	fold->hot.functions[count] = TL_LATENCIES_NONE;
	fold->open[count] = 0;
	fold->function_count++;
	return (uint32_t)count;
}

void tl_fold_time(struct tl_fold *fold, uint64_t ticks)
{
	uint64_t step = ticks - fold->last;

	fold->last = ticks;
	if (!fold->started) {
		fold->started = true;
		fold->first_ticks = ticks;
	} else if (step > INT64_MAX) {
		fold->losses.time_reversals++;
	} else if (!(fold->hot.gate & 1)) {
		if (step > (uint64_t)INT64_MAX - fold->hot.clock) {
			step = (uint64_t)INT64_MAX - fold->hot.clock;
			fold->losses.saturated++;
		}
		fold->hot.clock += step;
	}
}

static bool grow_frames(struct tl_fold *fold)
{
	size_t depth = (size_t)(fold->hot.top - fold->frames);
	size_t indexed = (size_t)(fold->hot.indexed - fold->frames);

	if (!tl_grow(&fold->frames, &fold->capacity.frames, depth + 2, sizeof(*fold->frames))) {
		fold->no_memory = true;
		return false;
	}
	fold->hot.top = fold->frames + depth;
	fold->hot.indexed = fold->frames + indexed;
	fold->hot.last = fold->frames + fold->capacity.frames - 1;
	return true;
}

bool tl_fold_push_slow(struct tl_fold *fold)
{
	return grow_frames(fold);
}

/* ---- contexts ---- */

static uint32_t add_child(struct tl_fold *fold, uint32_t parent, uint32_t function)
{
	size_t number = fold->node_count, events = tl_excess(fold->event_count, 1);

	if (number >= TL_NONE ||
	    !tl_grow(&fold->hot.nodes, &fold->capacity.nodes, number + 1, sizeof(*fold->hot.nodes)))
		return 0;
	if (events) {
		if (!tl_grow(&fold->costs, &fold->capacity.costs, (number + 1) * events,
			     sizeof(*fold->costs)))
			return 0;
		memset(fold->costs + number * events, 0, events * sizeof(*fold->costs));
	}
	if (number * 4 > tl_fold_child_mask(&fold->hot) && !grow_children(fold))
		return 0;
	fold->hot.nodes[number] = (struct tl_fold_node){ .function = function, .parent = parent };
	*child_slot(&fold->hot, parent, function) = (uint32_t)number;
	fold->node_count++;
	return (uint32_t)number;
}

uint32_t tl_fold_child_slow(struct tl_fold *fold, uint32_t function)
{
	uint32_t parent = fold->hot.top->node, child;

	if (fold->hot.top == fold->hot.last && !grow_frames(fold))
		return 0;
	child = *child_slot(&fold->hot, parent, function);
	if (child || (fold->refuse_new_paths && parent))
		return child;
	child = add_child(fold, parent, function);
	if (!child)
		fold->no_memory = true;
	return child;
}

/* ---- frames ---- */

bool tl_fold_enter(struct tl_fold *fold, uint32_t function)
{
	struct tl_fold_hot hot = fold->hot;
	bool entered =
		hot.sums ? tl_fold_hot_enter_summed(&hot, fold, function, (int)fold->event_count)
			 : tl_fold_hot_enter(&hot, fold, function);

	fold->hot = hot;
	return entered;
}

void tl_fold_enter_new(struct tl_fold *fold, uint32_t function)
{
	bool refuse = fold->refuse_new_paths;

	fold->refuse_new_paths = false;
	tl_fold_enter(fold, function);
	fold->refuse_new_paths = refuse;
}

void tl_fold_leave(struct tl_fold *fold, uint32_t function)
{
	struct tl_fold_hot hot = fold->hot;

	if (hot.sums && hot.top->function == function)
		tl_fold_hot_pop_summed(&hot, fold, (int)fold->event_count);
	else
		tl_fold_hot_leave(&hot, fold, function);
	fold->hot = hot;
}

/*
 * Frames are indexed lazily, when a function is searched below the top, and each once, so that
 * orphan exits need no walk over the stack.
 */
bool tl_fold_is_open(struct tl_fold *fold, uint32_t function)
{
	while (fold->hot.indexed < fold->hot.top)
		fold->open[(++fold->hot.indexed)->function]++;
	return fold->open[function] != 0;
}

/* Close the frames above the innermost one of a function. False: it has none, nothing is closed. */
bool tl_fold_unwind(struct tl_fold *fold, uint32_t function)
{
	if (!tl_fold_is_open(fold, function)) {
		fold->losses.orphan_exits++;
		return false;
	}
	while (fold->hot.top->function != function) {
		tl_fold_cut(fold, true);
		fold->losses.deduced_exits++;
	}
	return true;
}

/*
 * The counters of calls without a duration in the context of a frame; NULL without memory. The time
 * of this call is added.
 */
static struct tl_fold_untimed *untimed(struct tl_fold *fold, const struct tl_fold_frame *frame)
{
	size_t had = fold->capacity.untimed;

	if (!tl_grow(&fold->untimed, &fold->capacity.untimed, fold->node_count,
		     sizeof(*fold->untimed))) {
		fold->no_memory = true;
		return NULL;
	}
	memset(fold->untimed + had, 0, (fold->capacity.untimed - had) * sizeof(*fold->untimed));
	fold->untimed[frame->node].ticks += fold->hot.clock - frame->start;
	return &fold->untimed[frame->node];
}

/* Count a call that did not end, or that ended while the gate was closed. */
static void leave_open(struct tl_fold *fold, const struct tl_fold_frame *frame)
{
	struct tl_fold_untimed *calls = untimed(fold, frame);

	if (calls)
		calls->unfinished++;
	fold->losses.unfinished++;
}

/* Take the innermost frame off the stack. */
static const struct tl_fold_frame *take_top(struct tl_fold *fold)
{
	const struct tl_fold_frame *frame = fold->hot.top--;

	if (fold->hot.sums)
		tl_fold_sum_frame(&fold->hot, fold, frame, (int)fold->event_count);
	if (frame <= fold->hot.indexed) {
		fold->hot.indexed = fold->hot.top;
		fold->open[frame->function]--;
	}
	return frame;
}

/*
 * Whether the gate was open from the entry of the frame until now: the gate count has not changed,
 * and it is even.
 */
static bool let_in(const struct tl_fold *fold, const struct tl_fold_frame *frame)
{
	return frame->gate == fold->hot.gate && !(frame->gate & 1);
}

/* The end of a call whose begin is in another part of the thread: its duration is that of both. */
static void end_resumed(struct tl_fold *fold, const struct tl_fold_frame *frame, uint64_t ticks)
{
	struct tl_latencies *durations = &fold->hot.functions[frame->function];
	uint64_t earlier = fold->earlier[frame - fold->frames - 1];

	fold->hot.nodes[frame->node].calls++;
	fold->hot.nodes[frame->node].ticks += ticks;
	tl_latency_total(durations, 0, earlier);
	if (!tl_latency_note(durations, earlier + ticks, fold->exact))
		fold->no_memory = true;
}

void tl_fold_pop_slow(struct tl_fold *fold)
{
	const struct tl_fold_frame *frame = take_top(fold);
	struct tl_fold_node *node = &fold->hot.nodes[frame->node];
	uint64_t ticks = fold->hot.clock - frame->start;

	if (frame->gate == TL_FOLD_NO_ENTRY) {
		untimed(fold, frame);
		fold->losses.orphan_exits++;
	} else if (frame->gate == TL_FOLD_EARLIER) {
		end_resumed(fold, frame, ticks);
	} else if (let_in(fold, frame)) {
		node->calls++;
		fold->refused |= __builtin_add_overflow(node->ticks, ticks, &node->ticks);
		if (!tl_latency_note(&fold->hot.functions[frame->function], ticks, fold->exact))
			fold->no_memory = true;
	} else if (frame->gate != fold->hot.gate) {
		leave_open(fold, frame);
	}
}

void tl_fold_cut(struct tl_fold *fold, bool left)
{
	const struct tl_fold_frame *frame = take_top(fold);
	struct tl_fold_untimed *calls;

	if (frame->gate != TL_FOLD_NO_ENTRY && !let_in(fold, frame)) {
		if (frame->gate != fold->hot.gate)
			leave_open(fold, frame);
		return;
	}
	calls = untimed(fold, frame);
	if (!calls)
		return;
	calls->cut += frame->gate != TL_FOLD_NO_ENTRY;
	calls->left += left;
	/* Which calls are uncertain is known of contexts. */
	fold->refused |= fold->hot.sums && left;
}

void tl_fold_enter_late(struct tl_fold *fold, uint32_t function)
{
	size_t depth = tl_fold_depth(fold);

	tl_fold_enter_new(fold, function);
	if (tl_fold_depth(fold) > depth)
		fold->hot.top->gate = TL_FOLD_NO_ENTRY;
}

void tl_fold_resume(struct tl_fold *fold, uint32_t function, uint64_t ticks)
{
	size_t depth = tl_fold_depth(fold);

	fold->refused |= fold->hot.sums != NULL;
	if (!tl_grow(&fold->earlier, &fold->capacity.earlier, depth + 1, sizeof(*fold->earlier))) {
		fold->no_memory = true;
		return;
	}
	fold->earlier[depth] = ticks;
	tl_fold_enter_new(fold, function);
	if (tl_fold_depth(fold) > depth)
		fold->hot.top->gate = TL_FOLD_EARLIER;
}

/* ---- the rest of the machine ---- */

void tl_fold_cost(struct tl_fold *fold, const int64_t *cost)
{
	if (fold->hot.gate & 1)
		return;
	for (uint32_t e = 0; e < fold->event_count; e++)
		tl_add_cost(tl_fold_cost_at(fold, fold->hot.top->node, e), cost[e],
			    &fold->losses.saturated);
	for (uint32_t e = 0; fold->hot.sums && e < fold->event_count; e++)
		tl_add_cost(tl_fold_total_at(fold, e), cost[e], &fold->losses.saturated);
}

void tl_fold_gap(struct tl_fold *fold)
{
	fold->losses.gaps++;
}

void tl_fold_gate(struct tl_fold *fold, bool open)
{
	if (open == (fold->hot.gate & 1))
		fold->hot.gate++;
}

/*
 * Whether a frame below the one that is taken for the caller could have made the calls of a
 * context.
 */
static bool other_could(const struct tl_fold *fold, const struct tl_fold_node *node)
{
	uint32_t at = fold->hot.nodes[node->parent].parent;
	int looked = 0;

	if (!fold->could_call)
		return true;
	for (; at && looked < MOST_LOOKED_AT; at = fold->hot.nodes[at].parent, looked++)
		if (fold->could_call(fold->could_call_arg, fold->hot.nodes[at].function,
				     node->function))
			return true;
	return at != 0;
}

/*
 * A call that was left without an exit may have been left before the last call it seems to have
 * made. Which of the calls below its context that was is not in the trace: at most all of those
 * that a frame further out could have made.
 */
static void count_uncertain(struct tl_fold *fold)
{
	for (size_t i = 1; i < fold->node_count; i++) {
		const struct tl_fold_node *node = &fold->hot.nodes[i];
		const struct tl_fold_untimed *untimed = fold->untimed;

		if (node->parent >= fold->capacity.untimed || !untimed[node->parent].left ||
		    !other_could(fold, node))
			continue;
		fold->losses.uncertain += node->calls;
		if (i < fold->capacity.untimed)
			fold->losses.uncertain += untimed[i].cut + untimed[i].unfinished;
	}
}

void tl_fold_end_frames(struct tl_fold *fold)
{
	for (; fold->hot.top > fold->frames; fold->hot.top--) {
		if (fold->hot.sums)
			tl_fold_sum_frame(&fold->hot, fold, fold->hot.top, (int)fold->event_count);
		/* A call that began and ends while the gate is closed is not counted. */
		if (fold->hot.top->gate == TL_FOLD_NO_ENTRY)
			untimed(fold, fold->hot.top);
		else if (fold->hot.top->gate != fold->hot.gate || !(fold->hot.gate & 1))
			leave_open(fold, fold->hot.top);
	}
	fold->hot.indexed = fold->hot.top;
}

static void total_durations(struct tl_fold *fold)
{
	for (size_t i = 1; i < fold->node_count; i++) {
		const struct tl_fold_node *node = &fold->hot.nodes[i];

		tl_latency_total(&fold->hot.functions[node->function], node->calls, node->ticks);
	}
}

void tl_fold_end(struct tl_fold *fold)
{
	fold->last_ticks = fold->last;
	tl_fold_end_frames(fold);
	if (!fold->hot.sums)
		count_uncertain(fold);
	total_durations(fold);
}

void tl_fold_pause(struct tl_fold *fold)
{
	fold->refused |= fold->hot.sums != NULL;
	fold->last_ticks = fold->last;
	for (; fold->hot.top > fold->frames; fold->hot.top--)
		untimed(fold, fold->hot.top);
	fold->hot.indexed = fold->hot.top;
	total_durations(fold);
}
