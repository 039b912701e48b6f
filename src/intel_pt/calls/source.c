/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of the fold's stack, thread by thread. What a leaf begins with depends on all the trace
 * before it, so the steps are kept (timeline/calls/spool.h), and the trace is decoded once.
 */
#include "intel_pt/calls/source.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/listing/function_filter.h"
#include "intel_pt/listing/window.h"

struct calls_of_feed {
	const struct tl_pt_feed *feed;
	struct tl_pt_fold_options options;
	struct tl_pt_faults *faults;
	struct tl_pt_function_filter filter;
	struct tl_call_function *functions; /* by the fold's number */
	size_t function_count, function_capacity;
	struct tl_names names;
};

/* What was observed of one thread and is not in a leaf yet. */
struct observed_thread {
	struct tl_leaf_builder builder;
	struct tl_steps steps;
	uint64_t ticks; /* of the last step */
	uint64_t end;   /* of the thread */
	size_t gaps;    /* of the track whose end is the next step */
	bool waits;     /* its steps are from before the first timestamp */
};

struct observing {
	struct calls_of_feed *calls;
	struct tl_call_tracks *tracks;
	struct observed_thread *threads; /* by the fold's number */
	size_t thread_count, thread_capacity;
	struct tl_error error;
	int status;
};

/* ---- functions ---- */

static const char *keep(struct observing *o, const char *text)
{
	const char *kept = tl_names_text(&o->calls->names, text);

	if (!kept)
		o->status = tl_error_memory(&o->error);
	return kept;
}

/* Functions are the fold's, which ends before they are asked for. */
static void keep_functions(struct observing *o, const struct tl_pt_functions *functions)
{
	struct calls_of_feed *c = o->calls;

	if (!tl_grow(&c->functions, &c->function_capacity, functions->count, sizeof(*c->functions)))
		o->status = tl_error_memory(&o->error);
	while (o->status == 0 && c->function_count < functions->count) {
		const struct tl_pt_function *function = &functions->list[c->function_count];

		c->functions[c->function_count] = (struct tl_call_function){
			.name = keep(o, function->name),
			.file = keep(o, function->file),
			.object = keep(o, function->object),
			.line = function->line,
			.id = TL_NOWHERE,
			.address = function->address,
			.wanted = tl_pt_function_filter_accepts(&c->filter, functions,
								(uint32_t)c->function_count),
		};
		c->function_count++;
	}
	if (c->filter.no_memory)
		o->status = tl_error_memory(&o->error);
}

/* ---- steps ---- */

static int64_t id_of(uint64_t id)
{
	return id == TL_NOWHERE ? 0 : (int64_t)id;
}

/* The present thread, with a track if it is new. NULL: see o->status. */
static struct observed_thread *present(struct observing *o, const struct tl_pt_folder *folder)
{
	size_t number = (size_t)(folder->thread - folder->threads.list);

	if (!tl_grow(&o->threads, &o->thread_capacity, number + 1, sizeof(*o->threads)))
		o->status = tl_error_memory(&o->error);
	for (; o->status == 0 && o->thread_count <= number; o->thread_count++) {
		const struct tl_pt_fold_thread *thread = &folder->threads.list[o->thread_count];
		struct tl_call_track *track = tl_call_tracks_add(o->tracks, id_of(thread->process),
								 id_of(thread->thread));

		if (!track) {
			o->status = tl_error_memory(&o->error);
			break;
		}
		o->threads[o->thread_count] = (struct observed_thread){ .ticks = 0 };
		tl_leaf_builder_begin(&o->threads[o->thread_count].builder, o->tracks, track);
	}
	return o->status == 0 ? &o->threads[number] : NULL;
}

/*
 * The present time of a thread by the fold's clock, so that durations are those of the profile,
 * also where timestamps go back; in a trace without time, its instructions so far.
 */
static uint64_t time_of(const struct tl_pt_folder *folder)
{
	const struct tl_pt_fold_thread *thread = folder->thread;
	const struct tl_fold *fold = &thread->stack.fold;

	return fold->hot.clock + thread->elsewhere + (fold->started ? fold->first_ticks : 0);
}

/*
 * What ran before the first timestamp did so at that time, as in a profile. Steps that were put
 * into a leaf before it came are left: there is no timestamp for long.
 */
static void stamp_steps(struct observed_thread *thread, const struct tl_pt_folder *folder)
{
	const struct tl_fold *fold = &folder->thread->stack.fold;

	if (thread->waits && fold->started)
		for (size_t i = 0; i < thread->steps.count; i++)
			thread->steps.list[i].ticks = fold->first_ticks;
	thread->waits = folder->timed && !fold->started;
}

/* What is missing ends at the latest with the first step behind it. */
static void end_gaps(struct observed_thread *thread)
{
	struct tl_call_gaps *gaps = &thread->builder.track->gaps;

	for (size_t i = tl_min(thread->gaps, gaps->count); i; i--)
		gaps->list[gaps->count - i].to = thread->ticks;
	thread->gaps = 0;
}

static void put_step(struct observing *o, const struct tl_pt_folder *folder, struct tl_step step)
{
	struct observed_thread *thread = o->status == 0 ? present(o, folder) : NULL;

	if (!thread)
		return;
	stamp_steps(thread, folder);
	step.ticks = time_of(folder);
	if (step.ticks < thread->ticks)
		step.ticks = thread->ticks;
	thread->ticks = step.ticks;
	end_gaps(thread);
	tl_steps_put(&thread->steps, step);
	if (thread->steps.no_memory)
		o->status = tl_error_memory(&o->error);
	if (o->status == 0 && thread->steps.count >= TL_LEAF_STEPS) {
		o->status = tl_leaf_builder_add(&thread->builder, &thread->steps, NULL, &o->error);
		thread->steps.count = 0;
	}
}

static void begin_call(struct observing *o, const struct tl_pt_folder *folder, uint8_t flags)
{
	const struct tl_fold *fold = &folder->thread->stack.fold;
	uint32_t function = tl_fold_top(fold);

	if (fold->hot.top->gate == TL_FOLD_NO_ENTRY)
		flags |= TL_CALL_LATE;
	if (o->status == 0 && function >= o->calls->function_count)
		keep_functions(o, &folder->functions);
	put_step(o, folder, (struct tl_step){ .function = function, .flags = flags });
}

static void call_opened(void *arg, const struct tl_pt_folder *folder)
{
	begin_call(arg, folder, 0);
}

/* A stack runs again that was parked: its calls began before. */
static void call_reopened(void *arg, const struct tl_pt_folder *folder)
{
	begin_call(arg, folder, TL_CALL_LATE);
}

/* A call on a stack that is parked does not end here: its duration is not that of this piece. */
static void call_closing(void *arg, const struct tl_pt_folder *folder)
{
	const bool parked = folder->thread->stack.parked.parking;
	const struct tl_step step = { .end = true, .flags = parked ? TL_CALL_CUT : 0 };

	put_step(arg, folder, step);
}

static void trace_lost(void *arg, const struct tl_pt_folder *folder,
		       const struct tl_pt_missing *missing)
{
	struct observing *o = arg;
	struct observed_thread *thread = o->status == 0 ? present(o, folder) : NULL;
	struct tl_call_gap gap = { .offset = missing->offset,
				   .length = missing->length,
				   .count = 1,
				   .text = missing->text };

	if (!thread)
		return;
	gap.from = tl_max(time_of(folder), thread->ticks);
	gap.to = gap.from;
	if (!tl_call_gaps_add(&thread->builder.track->gaps, &gap))
		o->status = tl_error_memory(&o->error);
	else
		thread->gaps++;
}

/* Its last instructions may be behind its last step. */
static void thread_ended(void *arg, const struct tl_pt_folder *folder)
{
	struct observing *o = arg;
	size_t number = (size_t)(folder->thread - folder->threads.list);

	if (number < o->thread_count)
		o->threads[number].end = time_of(folder);
}

/* ---- the operations ---- */

static void end_threads(struct observing *o)
{
	for (size_t i = 0; i < o->thread_count; i++) {
		struct observed_thread *thread = &o->threads[i];

		if (o->status == 0)
			o->status = tl_leaf_builder_add(&thread->builder, &thread->steps, NULL,
							&o->error);
		if (o->status == 0)
			tl_leaf_builder_pass(&thread->builder, thread->end);
		if (o->status == 0)
			o->status = tl_leaf_builder_end(&thread->builder, &o->error);
		tl_leaf_builder_free(&thread->builder);
		free(thread->steps.list);
	}
	free(o->threads);
}

static int build_of_feed(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	struct observing o = { .calls = handle, .tracks = tracks };
	const struct tl_pt_stack_watch watch = {
		.opened = call_opened,
		.closing = call_closing,
		.lost = trace_lost,
		.reopened = call_reopened,
		.ended = thread_ended,
		.leaves_open = true,
		.arg = &o,
	};
	struct tl_pt_fold_options options = o.calls->options;
	struct tl_profile *profile = NULL;
	int status;

	options.watch = &watch;
	status = tl_pt_fold(o.calls->feed, &options, o.calls->faults, &profile, err);
	tl_profile_free(profile);
	end_threads(&o);
	if (status == 0 && o.status < 0) {
		status = o.status;
		if (err)
			*err = o.error;
	}
	return status;
}

static int function_of_feed(void *handle, uint32_t number, struct tl_call_function *function,
			    struct tl_error *err)
{
	const struct calls_of_feed *c = handle;

	if (number >= c->function_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such function");
	*function = c->functions[number];
	return 0;
}

static void close_of_feed(void *handle)
{
	struct calls_of_feed *c = handle;

	tl_pt_function_filter_close(&c->filter);
	tl_names_free(&c->names);
	free(c->functions);
	free(c);
}

static const struct tl_call_source_ops feed_ops = {
	.build = build_of_feed,
	.function = function_of_feed,
	.close = close_of_feed,
};

int tl_pt_call_source(const struct tl_pt_feed *feed, const struct tl_pt_fold_options *options,
		      struct tl_pt_faults *faults, const char *function, const char *object,
		      struct tl_call_source *source, struct tl_error *err)
{
	struct calls_of_feed *c = calloc(1, sizeof(*c));
	uint64_t first = UINT64_MAX;
	int status;

	if (!c)
		return tl_error_memory(err);
	c->feed = feed;
	c->options = *options;
	c->faults = faults;
	status = tl_pt_function_filter_open(&c->filter, function, object, err);
	if (status == 0 && feed->timed)
		status = tl_pt_feed_first_time(feed, &first, err);
	if (status < 0) {
		close_of_feed(c);
		return status;
	}
	*source = (struct tl_call_source){
		.ops = &feed_ops,
		.handle = c,
		.frequency = feed->timed ? feed->frequency : 0,
		.origin = first != UINT64_MAX ? first : 0,
		.clock = feed->timed ? TL_CALL_TICKS : TL_CALL_INSTRUCTIONS,
		.filtered = function || object,
	};
	return 0;
}
