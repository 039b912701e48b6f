/* SPDX-License-Identifier: Apache-2.0 */
/* Segments that several threads folded are spliced onto the stack of the stream in their order. */
#include "xtrace/profile/fold.h"

#include <stdlib.h>

/* A jump over the border of two segments. */
static void count_crossing(struct tl_xtrace_fold *fold, const struct tl_xtrace_location *to)
{
	const struct tl_xtrace_prev_insn *last = &fold->before.insn;
	struct tl_xtrace_segment_jump made = { last->pc, to->pc, to->function,
					       last->flow == TL_A64_CONDITIONAL };

	if (last->el != to->el || (last->has_target && to->pc != last->target) ||
	    (last->flow == TL_A64_CONDITIONAL && to->pc == last->pc + 4) ||
	    (last->flow != TL_A64_CONDITIONAL && last->flow != TL_A64_JUMP_REGISTER))
		return;
	if (tl_xtrace_locate(&fold->functions, last->pc, last->el).function != to->function)
		return;
	if (tl_grow(&fold->crossings.list, &fold->crossings.capacity, fold->crossings.count + 1,
		    sizeof(*fold->crossings.list)))
		fold->crossings.list[fold->crossings.count++] = made;
	else
		fold->no_memory = true;
}

/* The first instruction of a segment: behind the last one of the segment before it, or behind a
 * gap. */
static void begin_part(struct tl_xtrace_fold *fold, const struct tl_xtrace_stack_op *begin)
{
	const struct tl_xtrace_location *to = &begin->to;
	struct tl_xtrace_observed_sp observed = { .sp = begin->sp,
						  .known = begin->sp_state == TL_XTRACE_SP_KNOWN };
	struct tl_xtrace_stack_op op = *begin;

	op.kind = fold->before.any ? TL_XTRACE_OP_GAP : TL_XTRACE_OP_FOUND;
	if (!fold->before.sp.known && fold->before.insn.el == to->el) {
		fold->before.sp.sp = observed.sp;
		fold->before.sp.known = observed.known;
	}
	fold->stack.sp.switched = fold->before.sp.switched;
	fold->stack.sp.left = fold->before.sp.left;
	fold->stack.sp.value = fold->before.sp.sp;
	fold->stack.sp.state = fold->before.sp.known ? TL_XTRACE_SP_KNOWN : TL_XTRACE_SP_UNKNOWN;
	if (fold->before.insn.valid && fold->before.counted)
		count_crossing(fold, to);
	if (fold->before.insn.valid)
		tl_xtrace_follow_flow(&fold->stack, &fold->functions,
				      fold->gather ? &fold->entries : NULL, &fold->before.insn, to,
				      observed);
	else
		tl_xtrace_stack_apply(&fold->stack, &op);
	if (!fold->before.any && fold->gather && !to->known &&
	    !tl_xtrace_note_entry(&fold->functions, &fold->entries, to->pc))
		fold->no_memory = true;
	fold->before.any = true;
}

enum { STEPS_AT_ONCE = 8192 };

void tl_xtrace_fold_tell(struct tl_xtrace_fold *fold, size_t least)
{
	struct tl_steps *steps = &fold->stack.log.steps;

	if (!fold->stack.log.wanted || steps->count < least || fold->no_memory)
		return;
	if (!fold->watch->steps(fold->watch->arg, steps))
		fold->no_memory = true;
	steps->count = 0;
}

static void tell_damage(struct tl_xtrace_fold *fold, const struct tl_xtrace_folded_segment *part)
{
	uint64_t ticks = (uint64_t)fold->stack.total.n[TL_XTRACE_IR];

	if (fold->stack.log.wanted && !fold->no_memory &&
	    !fold->watch->damaged(fold->watch->arg, ticks, &part->damage))
		fold->no_memory = true;
}

static void splice(struct tl_xtrace_fold *fold, struct tl_xtrace_stack_delta *deltas, size_t count)
{
	struct tl_error err;

	/* Of a pass that is given up, segments are missing: what seems to follow does not. */
	for (size_t i = 0; i < count && !fold->no_memory && !fold->learning.again; i++) {
		if (deltas[i].op.switched == TL_XTRACE_INHERITED) {
			deltas[i].op.switched = fold->before.sp.switched;
			deltas[i].op.left = fold->before.sp.left;
		}
		tl_xtrace_stack_splice(&fold->stack, &deltas[i]);
		if (deltas[i].mark.kind && tl_xtrace_bins_mark(fold, &deltas[i].mark, &err) < 0)
			fold->no_memory = true;
		if (deltas[i].op.kind == TL_XTRACE_OP_BEGIN)
			begin_part(fold, &deltas[i].op);
		tl_xtrace_fold_tell(fold, STEPS_AT_ONCE);
		fold->no_memory |= fold->stack.no_memory;
	}
	tl_xtrace_stack_deltas_free(deltas, count);
}

/* So many bytes of deltas are kept; more of them has a stream of threads that take turns often. */
enum { MOST_KEPT = 128 << 20 };

static size_t bytes_of(const struct tl_xtrace_stack_delta *d)
{
	return sizeof(*d) + d->node_count * sizeof(*d->nodes) +
	       d->frame_count * sizeof(*d->frames) + d->site_count * sizeof(*d->sites);
}

/* Of a share, in the place of being spliced. The queue is locked. */
static void keep(struct tl_xtrace_fold *fold, size_t segment, struct tl_xtrace_stack_delta *deltas,
		 size_t count)
{
	struct tl_xtrace_folded_segment *part = &fold->queue.parts[segment];

	for (size_t i = 0; i < count; i++) {
		fold->queue.share.kept_bytes += bytes_of(&deltas[i]);
		fold->queue.share.kernel |= deltas[i].total.n[TL_XTRACE_IR_KERNEL] != 0;
	}
	fold->queue.share.full |= fold->queue.share.kept_bytes > MOST_KEPT;
	if (fold->queue.share.full || fold->no_memory ||
	    !tl_grow(&part->kept, &part->kept_capacity, part->kept_count + count,
		     sizeof(*part->kept))) {
		fold->no_memory |= !fold->queue.share.full;
		tl_xtrace_stack_deltas_free(deltas, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		part->kept[part->kept_count++] = deltas[i];
	free(deltas);
}

void tl_xtrace_fold_deltas(struct tl_xtrace_fold *fold, size_t segment,
			   struct tl_xtrace_stack_delta *deltas, size_t count)
{
	pthread_mutex_lock(&fold->queue.lock);
	while (!fold->queue.share.on && fold->queue.next != segment)
		pthread_cond_wait(&fold->queue.spliced, &fold->queue.lock);
	if (fold->queue.share.on)
		keep(fold, segment, deltas, count);
	else
		splice(fold, deltas, count);
	pthread_mutex_unlock(&fold->queue.lock);
}

static void splice_segment(struct tl_xtrace_fold *fold, struct tl_xtrace_folded_segment *part)
{
	fold->no_memory |= part->no_memory;
	splice(fold, part->deltas, part->delta_count);
	part->deltas = NULL;
	part->delta_count = 0;
	if (part->last.valid) {
		if (part->sp.switched == TL_XTRACE_INHERITED) {
			part->sp.switched = fold->before.sp.switched;
			part->sp.left = fold->before.sp.left;
		}
		fold->before.insn = part->last;
		fold->before.counted = part->last_counted;
		fold->before.sp = part->sp;
	}
	if (!part->gap)
		return;
	fold->before.insn.valid = false;
	tell_damage(fold, part);
}

/*
 * The last segment, which is number `done`, may have changed what is known. So much is wasted at
 * most as a part of all.
 */
static void see_learning(struct tl_xtrace_fold *fold, size_t done)
{
	enum { WASTED_PART = 4 };
	struct tl_xtrace_fold_learning *l = &fold->learning;
	size_t count = fold->trace->streams[fold->stream].segment_count;
	size_t found = tl_xtrace_function_map_found(&fold->functions);
	bool stale = tl_xtrace_function_map_stale(&fold->functions);

	if (!l->on || l->again || (l->settled && !stale))
		return;
	l->settled |= found == l->found || stale;
	l->found = found;
	if (!stale || fold->any || (l->wasted + done) * WASTED_PART > count)
		return;
	l->again = true;
	l->wasted += done;
}

bool tl_xtrace_fold_await(struct tl_xtrace_fold *fold, size_t segment)
{
	struct tl_xtrace_fold_learning *l = &fold->learning;
	bool again;

	if (!l->on)
		return true;
	pthread_mutex_lock(&fold->queue.lock);
	while (!l->settled && !l->again && fold->queue.next != segment)
		pthread_cond_wait(&fold->queue.spliced, &fold->queue.lock);
	again = l->again;
	pthread_mutex_unlock(&fold->queue.lock);
	return !again;
}

static void keep_segment(struct tl_xtrace_fold *fold, size_t segment)
{
	struct tl_xtrace_folded_segment *part = &fold->queue.parts[segment];

	fold->no_memory |= part->no_memory;
	keep(fold, segment, part->deltas, part->delta_count);
	part->deltas = NULL;
	part->delta_count = 0;
	part->done = true;
	see_learning(fold, ++fold->queue.share.kept_segments);
}

void tl_xtrace_fold_kept(struct tl_xtrace_fold *fold)
{
	size_t count = fold->trace->streams[fold->stream].segment_count;

	for (size_t i = 0; i < count; i++) {
		struct tl_xtrace_folded_segment *part = &fold->queue.parts[i];

		part->deltas = part->kept;
		part->delta_count = part->kept_count;
		part->kept = NULL;
		part->kept_count = part->kept_capacity = 0;
		splice_segment(fold, part);
	}
}

/* So many segments may wait for one that takes long. */
enum { AHEAD = 16 };

/* Segments are added in their order, each by the thread that finds it next and ready. */
void tl_xtrace_fold_in_order(struct tl_xtrace_fold *fold, size_t segment)
{
	size_t count = fold->trace->streams[fold->stream].segment_count;

	pthread_mutex_lock(&fold->queue.lock);
	if (fold->queue.share.on) {
		keep_segment(fold, segment);
		pthread_mutex_unlock(&fold->queue.lock);
		return;
	}
	fold->queue.parts[segment].done = true;
	for (; fold->queue.next < count && fold->queue.parts[fold->queue.next].done;
	     fold->queue.next++)
		splice_segment(fold, &fold->queue.parts[fold->queue.next]);
	see_learning(fold, fold->queue.next);
	pthread_cond_broadcast(&fold->queue.spliced);
	while (segment > fold->queue.next + AHEAD)
		pthread_cond_wait(&fold->queue.spliced, &fold->queue.lock);
	pthread_mutex_unlock(&fold->queue.lock);
}
