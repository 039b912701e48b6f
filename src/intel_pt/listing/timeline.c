/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over time. The timeline follows the call stack of the fold, so that it nests as the profile
 * does: a frame that is opened there begins a call here.
 */
#include "intel_pt/listing/timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/listing/function_filter.h"
#include "intel_pt/listing/window.h"

/* The open frames of a thread that are shown, by depth. */
struct shown {
	bool *frames;
	size_t capacity;
	uint32_t ratio; /* of the core's clock to the bus's, + 1, as it was told last; 0: never */
};

struct drawing {
	struct tl_timeline *timeline;
	uint32_t depth; /* frames shown above each other, 0: any number */
	struct tl_pt_function_filter filter;
	struct shown *shown; /* by number of the thread: threads alternate */
	size_t shown_capacity;
	uint32_t named; /* threads that have a name */
	bool no_memory;
};

/* The present time of a thread; in a trace without time, its instructions so far. */
static struct tl_timeline_point point(const struct tl_pt_folder *folder)
{
	const struct tl_pt_fold_thread *thread = folder->thread;
	const struct tl_fold *fold = &thread->stack.fold;
	uint64_t passed = folder->ticks.rate ? fold->hot.clock - folder->ticks.base : 0;

	return (struct tl_timeline_point){
		.process = thread->process == TL_NOWHERE ? 0 : (int64_t)thread->process,
		.thread = thread->thread == TL_NOWHERE ? 0 : (int64_t)thread->thread,
		.ticks = fold->started ? fold->last + passed : fold->hot.clock + thread->elsewhere,
	};
}

static void name_thread(struct drawing *s, const struct tl_pt_folder *folder)
{
	const struct tl_pt_fold_thread *thread = folder->thread;
	uint32_t number = (uint32_t)(thread - folder->threads.list);
	struct tl_timeline_point at = point(folder);
	char name[64];

	if (number < s->named)
		return;
	s->named = number + 1;
	snprintf(name, sizeof(name), "process %" PRIi64, at.process);
	tl_timeline_name(s->timeline, at.process, -1, name);
	if (*thread->command)
		snprintf(name, sizeof(name), "%.40s", thread->command);
	else
		snprintf(name, sizeof(name), "thread %" PRIi64, at.thread);
	tl_timeline_name(s->timeline, at.process, at.thread, name);
}

/*
 * The list of frames shown of the present thread, with room for frame number `depth`; new entries
 * are not shown. NULL: no memory.
 */
static struct shown *shown_of(struct drawing *s, const struct tl_pt_folder *folder, size_t depth)
{
	size_t number = (size_t)(folder->thread - folder->threads.list), had = s->shown_capacity;
	struct shown *shown;

	if (!tl_grow(&s->shown, &s->shown_capacity, number + 1, sizeof(*s->shown)))
		return NULL;
	for (size_t i = had; i < s->shown_capacity; i++)
		s->shown[i] = (struct shown){ .frames = NULL };
	shown = &s->shown[number];
	had = shown->capacity;
	if (!tl_grow(&shown->frames, &shown->capacity, depth + 1, sizeof(*shown->frames)))
		return NULL;
	for (size_t i = had; i < shown->capacity; i++)
		shown->frames[i] = false;
	return shown;
}

static void opened(void *arg, const struct tl_pt_folder *folder)
{
	struct drawing *s = arg;
	const struct tl_pt_fold_thread *thread = folder->thread;
	size_t depth = tl_fold_depth(&thread->stack.fold);
	uint32_t number = tl_fold_top(&thread->stack.fold);
	const struct tl_pt_function *function = &folder->functions.list[number];
	struct tl_timeline_point at = point(folder);
	struct shown *shown = shown_of(s, folder, depth);

	name_thread(s, folder);
	if (!shown) {
		s->no_memory = true;
		return;
	}
	shown->frames[depth] =
		!folder->window.closed && (!s->depth || depth <= s->depth) &&
		tl_pt_function_filter_accepts(&s->filter, &folder->functions, number);
	if (shown->frames[depth])
		tl_timeline_enter(s->timeline, &at, number, function->name, function->file,
				  function->line, NULL, 0);
}

static void closing(void *arg, const struct tl_pt_folder *folder)
{
	struct drawing *s = arg;
	size_t depth = tl_fold_depth(&folder->thread->stack.fold);
	struct tl_timeline_point at = point(folder);
	size_t thread = (size_t)(folder->thread - folder->threads.list);

	if (thread < s->shown_capacity && depth < s->shown[thread].capacity &&
	    s->shown[thread].frames[depth])
		tl_timeline_leave(s->timeline, &at);
}

static void lost(void *arg, const struct tl_pt_folder *folder, const struct tl_pt_missing *missing)
{
	struct drawing *s = arg;
	struct tl_timeline_point at = point(folder);

	(void)missing;
	if (!folder->window.closed)
		tl_timeline_instant(s->timeline, &at, "trace lost", NULL, 0);
}

/* ---- what the trace says beside its flow ---- */

/* Where an event is: its own time, as far as it has one. */
static struct tl_timeline_point event_point(const struct tl_pt_folder *folder,
					    const struct tl_pt_event *event)
{
	struct tl_timeline_point at = point(folder);

	if (folder->timed && event->has_tsc)
		at.ticks = event->tsc;
	return at;
}

static bool is_shown(const struct tl_pt_folder *folder, uint64_t ticks)
{
	const struct tl_pt_fold_options *o = folder->options;

	if (!folder->timed)
		return true;
	return ticks >= o->from_ticks && (!o->to_ticks || ticks < o->to_ticks);
}

/* A ratio is repeated at each PSB: it is a value where it changes. */
static void put_ratio(struct drawing *s, const struct tl_pt_folder *folder,
		      const struct tl_timeline_point *at, uint32_t ratio)
{
	struct shown *shown = shown_of(s, folder, 0);

	if (!shown) {
		s->no_memory = true;
		return;
	}
	if (shown->ratio == ratio + 1)
		return;
	shown->ratio = ratio + 1;
	tl_timeline_counter(s->timeline, at, "core:bus ratio", ratio);
}

static void put_ptwrite(struct drawing *s, const struct tl_timeline_point *at,
			const struct tl_pt_event *event)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "value", .kind = TL_ARG_HEX, .number = event->ptwrite.payload },
		{ .name = "ip", .kind = TL_ARG_HEX, .number = event->ip },
	};

	tl_timeline_instant(s->timeline, at, "ptwrite", args, event->ip_suppressed ? 1 : 2);
	tl_timeline_counter(s->timeline, at, "ptwrite", (double)event->ptwrite.payload);
}

static void put_mwait(struct drawing *s, const struct tl_timeline_point *at,
		      const struct tl_pt_event_mwait *mwait)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "hints", .kind = TL_ARG_HEX, .number = mwait->hints },
		{ .name = "ext", .kind = TL_ARG_HEX, .number = mwait->ext },
	};

	tl_timeline_instant(s->timeline, at, "mwait", args, 2);
}

/* A C-state above 0 is one in which the core rests. */
static void put_rest(struct drawing *s, const struct tl_timeline_point *at,
		     const struct tl_pt_event_pwre *pwre)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "state", .number = pwre->state },
		{ .name = "sub_state", .number = pwre->sub_state },
		{ .name = "hw", .number = pwre->hw },
	};

	tl_timeline_instant(s->timeline, at, "power entry", args, 3);
	tl_timeline_counter(s->timeline, at, "C-state", pwre->state);
}

static void put_waking(struct drawing *s, const struct tl_timeline_point *at,
		       const struct tl_pt_event_pwrx *pwrx)
{
	const struct tl_timeline_arg args[] = {
		{ .name = "last", .number = pwrx->last },
		{ .name = "deepest", .number = pwrx->deepest },
		{ .name = "interrupt", .number = pwrx->interrupt },
		{ .name = "store", .number = pwrx->store },
		{ .name = "autonomous", .number = pwrx->autonomous },
	};

	tl_timeline_instant(s->timeline, at, "power exit", args, 5);
	tl_timeline_counter(s->timeline, at, "C-state", 0);
}

static void said(void *arg, const struct tl_pt_folder *folder, const struct tl_pt_event *event)
{
	struct drawing *s = arg;
	const struct tl_timeline_point at = event_point(folder, event);

	if (!is_shown(folder, at.ticks))
		return;
	switch (event->kind) {
	case TL_PT_EV_CBR:
		put_ratio(s, folder, &at, event->cbr.ratio);
		break;
	case TL_PT_EV_PTWRITE:
		put_ptwrite(s, &at, event);
		break;
	case TL_PT_EV_MWAIT:
		put_mwait(s, &at, &event->mwait);
		break;
	case TL_PT_EV_PWRE:
		put_rest(s, &at, &event->pwre);
		break;
	case TL_PT_EV_PWRX:
		put_waking(s, &at, &event->pwrx);
		break;
	default:
		break;
	}
}

static int draw(struct drawing *s, const struct tl_pt_feed *feed, struct tl_pt_fold_options options,
		struct tl_pt_faults *faults, struct tl_error *err)
{
	const struct tl_pt_stack_watch watch = {
		.opened = opened,
		.closing = closing,
		.lost = lost,
		.event = said,
		.arg = s,
	};
	struct tl_profile *profile = NULL;
	uint64_t first = UINT64_MAX;
	int status = feed->timed ? tl_pt_feed_first_time(feed, &first, err) : 0;

	if (status == 0)
		status = tl_timeline_begin(s->timeline, feed->timed ? feed->frequency : 0, err);
	if (status < 0)
		return status;
	if (first != UINT64_MAX)
		tl_timeline_origin(s->timeline, first);
	options.watch = &watch;
	status = tl_pt_fold(feed, &options, faults, &profile, err);
	tl_profile_free(profile);
	if (status == 0 && (s->no_memory || s->filter.no_memory))
		return tl_error_memory(err);
	return status;
}

int tl_pt_timeline(const struct tl_pt_feed *feed, const struct tl_pt_timeline_options *options,
		   struct tl_pt_faults *faults, struct tl_timeline *timeline, struct tl_error *err)
{
	struct drawing s = { .timeline = timeline, .depth = options->depth };
	int status = tl_pt_function_filter_open(&s.filter, options->function, options->object, err);

	if (status == 0)
		status = draw(&s, feed, options->fold, faults, err);
	tl_pt_function_filter_close(&s.filter);
	for (size_t i = 0; i < s.shown_capacity; i++)
		free(s.shown[i].frames);
	free(s.shown);
	return status;
}
