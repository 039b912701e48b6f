/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls over time as a profile: each thread goes through the fold and becomes a part, or all of
 * them become sums of functions (span_sums.c).
 */
#include "core/error.h"
#include "foreign/span_calls.h"
#include "profile/fold/fold.h"
#include "profile/model/model.h"

struct span_fold {
	struct tl_profile *profile;
	struct tl_foreign_file *foreign;
	struct tl_fold fold;
	uint64_t base, from, to; /* ticks; the window */
	uint64_t now;
	uint32_t *all;       /* by frame: the profile's number of its function */
	uint32_t *local;     /* by frame: the fold's number; TL_NONE: none yet */
	uint32_t *used;      /* by the fold's number: the frame */
	uint32_t *functions; /* by the fold's number: the profile's */
	struct tl_foreign_walk met;
};

/* The gate opens or closes at a border of the window. */
static void cross(struct span_fold *s, uint64_t border, bool open, uint64_t ticks)
{
	if (s->now >= border || ticks < border)
		return;
	if (s->fold.started)
		tl_fold_time(&s->fold, border);
	tl_fold_gate(&s->fold, open);
}

static void go_to(struct span_fold *s, int64_t at)
{
	const uint64_t ticks = (uint64_t)at + s->base;

	cross(s, s->from, true, ticks);
	cross(s, s->to, false, ticks);
	s->now = ticks;
	tl_fold_time(&s->fold, ticks);
}

static uint32_t number_of(struct span_fold *s, uint32_t frame)
{
	if (s->local[frame] == TL_NONE) {
		const uint32_t number = tl_fold_add_function(&s->fold);

		if (number == TL_NONE)
			return number;
		s->local[frame] = number;
		s->used[number] = frame;
		s->functions[number] = s->all[frame];
	}
	return s->local[frame];
}

static void enter(void *arg, int64_t ticks, uint32_t frame)
{
	struct span_fold *s = arg;
	const uint32_t number = number_of(s, frame);

	if (number == TL_NONE)
		return;
	go_to(s, ticks);
	tl_fold_enter(&s->fold, number);
	s->fold.records++;
}

static void leave(void *arg, int64_t ticks, bool cut)
{
	struct span_fold *s = arg;

	if (s->fold.no_memory)
		return;
	go_to(s, ticks);
	if (cut)
		tl_fold_cut(&s->fold, false);
	else
		tl_fold_leave(&s->fold, tl_fold_top(&s->fold));
	s->fold.records++;
}

static void orphan(void *arg, int64_t ticks)
{
	struct span_fold *s = arg;

	go_to(s, ticks);
	s->fold.losses.orphan_exits++;
	s->fold.records++;
}

/* ---- threads ---- */

static void forget_functions(struct span_fold *s)
{
	for (size_t i = 0; i < s->fold.function_count; i++)
		s->local[s->used[i]] = TL_NONE;
}

static int fold_thread(struct span_fold *s, uint32_t number, struct tl_error *err)
{
	const struct tl_foreign_visitor visitor = { enter, leave, orphan, NULL, s };
	const struct tl_part part = tl_foreign_span_part(s->foreign, number);
	const struct tl_foreign_options *o = &s->foreign->options;
	int status = 0;

	s->now = 0;
	if (!tl_fold_begin(&s->fold, 0, o->exact))
		status = tl_error_memory(err);
	tl_fold_gate(&s->fold, s->from == 0);
	if (status == 0 && !tl_foreign_walk(&s->foreign->spans, number, &visitor, &s->met))
		status = tl_error_memory(err);
	tl_fold_end(&s->fold);
	if (status == 0)
		status =
			tl_fold_into(&s->fold, s->profile, &part, s->functions, o->per_thread, err);
	forget_functions(s);
	tl_fold_free(&s->fold);
	return status;
}

static int fold_threads(struct span_fold *s, struct tl_error *err)
{
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < s->foreign->spans.count; i++)
		if (tl_foreign_wants_spans(s->foreign, i))
			status = fold_thread(s, i, err);
	return status;
}

static int make_functions(struct span_fold *s, struct tl_error *err)
{
	const size_t count = s->foreign->stacks.frame_count;

	s->all = tl_zeroed(count, sizeof(*s->all));
	s->local = tl_zeroed(count, sizeof(*s->local));
	s->used = tl_zeroed(count, sizeof(*s->used));
	s->functions = tl_zeroed(count, sizeof(*s->functions));
	if (!s->all || !s->local || !s->used || !s->functions)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < count; i++) {
		const struct tl_function function = tl_foreign_function(s->foreign, i);
		const int64_t number = tl_profile_put_function(s->profile, &function, err);

		if (number < 0)
			return (int)number;
		s->all[i] = (uint32_t)number;
		s->local[i] = TL_NONE;
	}
	return 0;
}

/* All threads, with call paths or without. 0, negative, or 1: without them it is refused. */
static int fold_all(struct span_fold *s, bool table, struct tl_error *err)
{
	int status;

	if (!table)
		return fold_threads(s, err);
	status = tl_foreign_sum_spans(s->foreign, s->profile, s->all, &s->met, err);
	return status < 0 ? status : !status;
}

/* The same, and what follows; a profile in any case, and 1 as above. */
static int make_profile(struct span_fold *s, bool table, struct tl_error *err)
{
	struct tl_foreign_file *f = s->foreign;
	const char *name = f->frequency ? "Ticks" : *f->unit ? f->unit : "weight";
	const struct tl_event ticks = { name, "", f->frequency ? "ticks" : f->unit, "" };
	int status = tl_profile_make(&s->profile, f->faults.format, &ticks, 1, f->frequency, err);

	if (status == 0)
		status = make_functions(s, err);
	if (status == 0)
		status = fold_all(s, table, err);
	if (status == 0)
		status = tl_foreign_note_walk(f, &s->met, err);
	if (status == 0) {
		s->profile->timed = true;
		s->profile->sums.only = f->options.sums_alone;
		s->profile->sums.by_part = f->options.per_thread;
		status = tl_profile_finish(s->profile, err);
	}
	free(s->all);
	free(s->local);
	free(s->used);
	free(s->functions);
	return status;
}

static int fold_spans(struct tl_foreign_file *f, bool table, struct tl_profile **profile,
		      struct tl_error *err)
{
	struct span_fold s = { .foreign = f, .base = tl_foreign_base(f) };
	struct tl_foreign_window window;
	int status = tl_foreign_window(f, &window, err);

	s.from = window.from;
	s.to = window.to;
	if (status == 0)
		status = make_profile(&s, table, err);
	if (status == 0)
		*profile = s.profile;
	else
		tl_profile_free(s.profile);
	return status;
}

int tl_foreign_fold_spans(struct tl_foreign_file *f, struct tl_profile **profile,
			  struct tl_error *err)
{
	const struct tl_foreign_options *o = &f->options;
	const bool table = o->table && !o->per_thread && !tl_foreign_wants_window(f);
	const int status = fold_spans(f, table, profile, err);

	return status > 0 ? fold_spans(f, false, profile, err) : status;
}
