/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a fold, and the callbacks of their call stacks. */
#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/profile/fold.h"
#include "intel_pt/profile/stack_moves.h"

static void watch_opened(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;

	(void)frame;
	tl_pt_fold_change_clock(f);
	f->options->watch->opened(f->options->watch->arg, f);
}

static void watch_reopened(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;

	tl_pt_fold_change_clock(f);
	if (f->options->watch->reopened)
		f->options->watch->reopened(f->options->watch->arg, f);
	else
		watch_opened(arg, frame);
}

static void watch_closing(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;

	(void)frame;
	tl_pt_fold_change_clock(f);
	f->options->watch->closing(f->options->watch->arg, f);
}

/* Close the frames that are open at the end of the trace. */
static void watch_end(struct tl_pt_folder *f)
{
	struct tl_fold *fold = &f->thread->stack.fold;

	if (!f->options->watch || f->options->watch->leaves_open)
		return;
	while (tl_fold_depth(fold)) {
		watch_closing(f, NULL);
		tl_fold_leave(fold, tl_fold_top(fold));
	}
}

static bool behind_call(void *arg, uint64_t ip)
{
	const struct tl_pt_folder *f = arg;

	return tl_pt_behind_call(f->decoder, ip);
}

static bool begin_thread(struct tl_pt_folder *f, struct tl_pt_fold_thread *t,
			 const struct tl_pt_trace_slice *slice)
{
	*t = (struct tl_pt_fold_thread){ .process = slice->process,
					 .thread = slice->thread,
					 .cpu = slice->cpu };
	t->command = tl_names_text(&f->functions.names, slice->command);
	if (!t->command || !tl_pt_stack_begin(&t->stack, &f->functions, f->timed ? TL_PT_COSTS : 0,
					      f->options->exact))
		return false;
	if (f->sums.wanted && !tl_fold_without_contexts(&t->stack.fold)) {
		tl_pt_stack_end(&t->stack);
		return false;
	}
	if (f->options->lines) {
		t->stack.callbacks.opened = tl_pt_addr_costs_opened;
		t->stack.callbacks.closing = tl_pt_addr_costs_closing;
		t->stack.callbacks.reopened = tl_pt_addr_costs_reopened;
	} else if (f->share.on) {
		t->stack.callbacks.opened = tl_pt_share_opened;
	} else if (f->options->watch) {
		t->stack.callbacks.opened = watch_opened;
		t->stack.callbacks.closing = watch_closing;
		t->stack.callbacks.reopened = watch_reopened;
	}
	t->stack.callbacks.ahead = tl_pt_fold_ahead;
	t->stack.callbacks.behind_call = behind_call;
	t->stack.callbacks.arg = f;
	return true;
}

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_fold_thread *have = (const struct tl_pt_fold_thread *)context + number;
	const struct tl_pt_trace_slice *slice = key;

	return have->process == slice->process && have->thread == slice->thread;
}

int tl_pt_fold_find_thread(struct tl_pt_folder *f, const struct tl_pt_trace_slice *slice,
			   struct tl_error *err)
{
	uint64_t hash = tl_hash_pair(slice->process, slice->thread);
	uint32_t number =
		tl_index_find(&f->threads.by_id, hash, same_thread, f->threads.list, slice);

	if (number == TL_NONE) {
		number = (uint32_t)f->threads.count;
		if (!tl_grow(&f->threads.list, &f->threads.capacity, f->threads.count + 1,
			     sizeof(*f->threads.list)) ||
		    !begin_thread(f, &f->threads.list[number], slice))
			return tl_error_memory(err);
		f->threads.count++;
		if (!tl_index_add(&f->threads.by_id, hash, number))
			return tl_error_memory(err);
	}
	f->thread = &f->threads.list[number];
	return 0;
}

void tl_pt_fold_end_watch(struct tl_pt_folder *f)
{
	for (size_t i = 0; i < f->threads.count; i++) {
		f->thread = &f->threads.list[i];
		if (f->options->watch && f->options->watch->ended)
			f->options->watch->ended(f->options->watch->arg, f);
		watch_end(f);
	}
}
