/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a fold, and those who follow their stacks. */
#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/profile/fold.h"
#include "intel_pt/profile/stack_moves.h"

static void watch_opened(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;

	(void)frame;
	f->options->watch->opened(f->options->watch->arg, f);
}

static void watch_closing(void *arg, struct tl_pt_frame *frame)
{
	struct tl_pt_folder *f = arg;

	(void)frame;
	f->options->watch->closing(f->options->watch->arg, f);
}

/* What is open at the end ends there. */
static void watch_end(struct tl_pt_folder *f)
{
	struct tl_fold *fold = &f->thread->stack.fold;

	while (f->options->watch && tl_fold_depth(fold)) {
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
			 const struct tl_pt_trace_slice *piece)
{
	*t = (struct tl_pt_fold_thread){ .process = piece->process,
					 .thread = piece->thread,
					 .cpu = piece->cpu };
	t->command = tl_names_text(&f->functions.names, piece->command);
	if (!t->command || !tl_pt_stack_begin(&t->stack, &f->functions, f->timed ? TL_PT_COSTS : 0,
					      f->options->exact))
		return false;
	if (f->options->lines) {
		t->stack.opened = tl_pt_addr_costs_opened;
		t->stack.closing = tl_pt_addr_costs_closing;
		t->stack.reopened = tl_pt_addr_costs_reopened;
	} else if (f->options->watch) {
		t->stack.opened = watch_opened;
		t->stack.closing = watch_closing;
		t->stack.reopened = watch_opened;
	}
	t->stack.ahead = tl_pt_fold_ahead;
	t->stack.behind_call = behind_call;
	t->stack.arg = f;
	return true;
}

static bool same_thread(const void *context, const void *key, uint32_t number)
{
	const struct tl_pt_fold_thread *have = (const struct tl_pt_fold_thread *)context + number;
	const struct tl_pt_trace_slice *piece = key;

	return have->process == piece->process && have->thread == piece->thread;
}

/* The thread of a piece, which may have been met before: its frames are still open. */
int tl_pt_fold_find_thread(struct tl_pt_folder *f, const struct tl_pt_trace_slice *piece,
			   struct tl_error *err)
{
	uint64_t hash = tl_hash_pair(piece->process, piece->thread);
	uint32_t number =
		tl_index_find(&f->threads.by_id, hash, same_thread, f->threads.list, piece);

	if (number == TL_NONE) {
		number = (uint32_t)f->threads.count;
		if (!tl_grow(&f->threads.list, &f->threads.capacity, f->threads.count + 1,
			     sizeof(*f->threads.list)) ||
		    !begin_thread(f, &f->threads.list[number], piece))
			return tl_error_memory(err);
		f->threads.count++;
		if (!tl_index_add(&f->threads.by_id, hash, number))
			return tl_error_memory(err);
	}
	f->thread = &f->threads.list[number];
	return 0;
}

/* Calls that are open when the trace ends end there, for those who follow the stack. */
void tl_pt_fold_end_watch(struct tl_pt_folder *f)
{
	for (size_t i = 0; i < f->threads.count; i++) {
		f->thread = &f->threads.list[i];
		watch_end(f);
	}
}
