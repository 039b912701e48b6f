/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of a window of a trace's calls: those that are open where it begins, and the steps
 * inside it, through the same fold as the whole trace. The gate of the fold is open in the window.
 */
#include "open/window/window.h"

#include <float.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/sized.h"
#include "open/format.h"
#include "open/input.h"
#include "profile/fold/fold.h"
#include "profile/model/model.h"
#include "profile/model/unsized.h"

struct window_fold {
	struct tl_call_index *index;
	struct tl_call_cursor *cursor;
	const struct tl_input_options *options;
	struct tl_call_span span;
	struct tl_profile *profile;
	struct tl_fold fold; /* of the present track */
	/* By the fold's number: the index's. */
	uint32_t *functions;
	size_t function_capacity;
	struct tl_index numbers; /* of the fold, by the index's */
	uint64_t now;            /* of the last step */
};

/* ---- one track ---- */

static bool same_function(const void *context, const void *key, uint32_t number)
{
	const struct window_fold *w = context;

	return w->functions[number] == *(const uint32_t *)key;
}

/* The fold's number of a function; TL_NONE without memory. */
static uint32_t number_of(struct window_fold *w, uint32_t function)
{
	uint64_t hash = tl_hash64(function);
	uint32_t number = tl_index_find(&w->numbers, hash, same_function, w, &function);

	if (number != TL_NONE)
		return number;
	number = tl_fold_add_function(&w->fold);
	if (number == TL_NONE || !tl_grow(&w->functions, &w->function_capacity, (size_t)number + 1,
					  sizeof(*w->functions)))
		return TL_NONE;
	w->functions[number] = function;
	return tl_index_add(&w->numbers, hash, number) ? number : TL_NONE;
}

static void begin_call(struct window_fold *w, uint32_t function, unsigned flags)
{
	uint32_t number = number_of(w, function);

	if (number == TL_NONE)
		w->fold.no_memory = true;
	else if (flags & TL_CALL_LATE)
		tl_fold_enter_late(&w->fold, number);
	else
		tl_fold_enter_new(&w->fold, number);
}

static void end_call(struct window_fold *w, unsigned flags)
{
	struct tl_fold *fold = &w->fold;

	if (flags & TL_CALL_CUT)
		tl_fold_cut(fold, false);
	else
		tl_fold_leave(fold, tl_fold_top(fold));
}

/* Time passes; the gate opens and closes exactly at the borders of the window. */
static void pass_time(struct window_fold *w, uint64_t ticks)
{
	const struct tl_call_span *span = &w->span;

	if (w->now < span->from && ticks >= span->from) {
		tl_fold_time(&w->fold, span->from);
		tl_fold_gate(&w->fold, true);
	}
	if (w->now < span->to && ticks >= span->to) {
		tl_fold_time(&w->fold, span->to);
		tl_fold_gate(&w->fold, false);
	}
	tl_fold_time(&w->fold, ticks);
	w->now = ticks;
}

/* The calls that are open where the first leaf begins. 0 or negative. */
static int open_calls(struct window_fold *w, const struct tl_call_track *track, size_t leaf,
		      struct tl_error *err)
{
	size_t count = track->leaves[leaf].depth;
	int status = count ? tl_cursor_open_functions(w->cursor, track, leaf, err) : 0;

	if (status < 0)
		return status;
	w->now = track->leaves[leaf].ticks;
	tl_fold_time(&w->fold, w->now);
	tl_fold_gate(&w->fold, w->now >= w->span.from && w->now < w->span.to);
	for (size_t i = 0; i < count; i++)
		begin_call(w, w->cursor->deep[i].function, w->cursor->deep[i].flags);
	return 0;
}

static int fold_leaf(struct window_fold *w, const struct tl_call_track *track, size_t leaf,
		     struct tl_error *err)
{
	struct tl_call_cursor *c = w->cursor;
	int status = tl_leaf_read(&c->reader, track, leaf, &c->scan, err);
	const struct tl_steps *steps = &c->reader.steps;

	for (size_t i = 0; status == 0 && i < steps->count && w->now < w->span.to; i++) {
		const struct tl_step *step = &steps->list[i];

		pass_time(w, step->ticks);
		if (w->now >= w->span.to)
			break;
		if (!step->end)
			begin_call(w, step->function, step->flags);
		else if (tl_fold_depth(&w->fold))
			end_call(w, step->flags);
		w->fold.records++;
	}
	return status;
}

static int fold_leaves(struct window_fold *w, const struct tl_input *input,
		       const struct tl_call_track *track, struct tl_error *err)
{
	size_t leaf = tl_leaf_before(track, w->span.from);
	int status = open_calls(w, track, leaf, err);

	for (; status == 0 && leaf < track->leaf_count && w->now < w->span.to; leaf++) {
		status = fold_leaf(w, track, leaf, err);
		if (status == 0 && w->fold.no_memory)
			status = tl_error_memory(err);
		if (status == 0)
			status = tl_call_span_progress(input, leaf, track->leaf_count, err);
	}
	if (status == 0 && leaf == track->leaf_count && track->end > w->now)
		pass_time(w, track->end);
	tl_fold_end(&w->fold);
	return status;
}

/* ---- the profile ---- */

static int add_track(struct window_fold *w, const struct tl_call_track *track, struct tl_error *err)
{
	const struct tl_part part = tl_window_part(track);
	uint32_t *functions = malloc((w->fold.function_count + 1) * sizeof(*functions));
	int status = tl_error_unless_made(functions, err);

	for (size_t i = 0; status == 0 && i < w->fold.function_count; i++) {
		int64_t number = tl_window_function(w->index, w->functions[i], w->profile, err);

		functions[i] = (uint32_t)number;
		status = tl_profile_status(number);
	}
	if (status == 0)
		status = tl_fold_into(&w->fold, w->profile, &part, functions,
				      w->options->per_thread, err);
	free(functions);
	return status;
}

static int fold_track(struct window_fold *w, const struct tl_input *input,
		      const struct tl_call_track *track, struct tl_error *err)
{
	int status = 0;

	if (!track->leaf_count)
		return 0;
	if (!tl_fold_begin(&w->fold, 0, w->options->exact))
		return tl_error_memory(err);
	status = fold_leaves(w, input, track, err);
	if (status == 0)
		status = add_track(w, track, err);
	tl_fold_free(&w->fold);
	tl_index_free(&w->numbers);
	w->numbers = (struct tl_index){ NULL, 0, 0 };
	return status;
}

static int fold_tracks(struct window_fold *w, const struct tl_input *input, struct tl_error *err)
{
	const struct tl_call_tracks *tracks = &w->index->tracks;
	int status = 0;

	for (size_t i = 0; status == 0 && i < tracks->count; i++)
		if (!w->span.one_track || w->span.track == i)
			status = fold_track(w, input, tracks->list[i], err);
	return status;
}

/* An empty profile of what the index's clock counts. */
static int make_profile(struct window_fold *w, const char *format, struct tl_error *err)
{
	static const struct tl_event events[] = {
		[TL_CALL_TICKS] = { "Ticks", "Time stamp counter", "ticks", "" },
		[TL_CALL_INSTRUCTIONS] = { "Ir", "Instructions", "instructions", "" },
	};
	const struct tl_call_source *source = &w->index->tracks.source;
	int status = tl_profile_make(&w->profile, format, &events[source->clock], 1,
				     source->frequency, err);

	if (status == 0) {
		w->profile->timed = source->clock == TL_CALL_TICKS;
		w->profile->durations.exact = w->options->exact;
	}
	return status;
}

/* Without contexts, if that is enough. 1; 0: it has to be with contexts; or negative. */
static int sum_tracks(struct window_fold *w, struct tl_input *input, struct tl_error *err)
{
	int status;

	if (!w->span.flat || w->options->per_thread)
		return 0;
	status = tl_window_sums(input, w->index, w->cursor, &w->span, w->profile, err);
	if (status != 0)
		return status;
	tl_profile_free(w->profile);
	w->profile = NULL;
	return make_profile(w, input->format->info.name, err);
}

/* ---- what is profiled are not the calls ---- */

/* Seconds of a filter; nothing is between two times of which the first is not the lesser one. */
static double seconds_of(const struct tl_call_source *source, uint64_t ticks)
{
	const double rate = source->frequency ? (double)source->frequency : 1;

	return ticks == TL_NOWHERE ? 0 : (double)tl_excess(ticks, source->origin) / rate;
}

/* The input itself folds what is between the two times. */
static int fold_apart(struct tl_input *input, const struct tl_call_index *index,
		      const struct tl_call_span *span, struct tl_profile **profile,
		      struct tl_error *err)
{
	const struct tl_call_source *source = &index->tracks.source;
	const struct tl_input_filter kept = input->options.filter;
	struct tl_input_filter *filter = &input->options.filter;
	int status;

	filter->from_seconds = seconds_of(source, span->from);
	filter->to_seconds = seconds_of(source, span->to);
	if (span->to <= source->origin)
		filter->from_seconds = filter->to_seconds = DBL_MIN;
	if (span->one_track) {
		const struct tl_call_track *track = tl_call_index_at(index, span->track);

		filter->process = (uint64_t)track->process;
		filter->thread = (uint64_t)track->thread;
	}
	status = tl_input_fold(input, profile, err);
	*filter = kept;
	return status;
}

int tl_input_window(struct tl_input *input, struct tl_call_index *index,
		    const struct tl_call_span *span, struct tl_profile **profile,
		    struct tl_error *err)
{
	struct window_fold w = { .index = index, .options = &input->options };
	int status = tl_call_span_take(index, span, &w.span, err);

	*profile = NULL;
	if (status == 0 && index->tracks.source.apart)
		return fold_apart(input, index, &w.span, profile, err);
	if (status == 0)
		status = tl_call_cursor_open(&w.cursor, index, err);
	if (status == 0)
		status = make_profile(&w, input->format->info.name, err);
	if (status == 0)
		status = sum_tracks(&w, input, err);
	if (status == 0)
		status = fold_tracks(&w, input, err);
	status = tl_error_or_end(status);
	if (status == 0)
		status = tl_profile_finish(w.profile, err);
	status = (int)tl_input_unchanged(input, status, err);
	if (status < 0) {
		tl_profile_free(w.profile);
		w.profile = NULL;
	}
	tl_call_cursor_close(w.cursor);
	free(w.functions);
	*profile = w.profile;
	return status;
}
