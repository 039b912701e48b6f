/* SPDX-License-Identifier: Apache-2.0 */
/* Calls over time: the fold's own stack, told of as it moves, so that the timeline nests as the
 * profile does. */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/profile/fold.h"
#include "open/adapters/intel_pt.h"

/* Which open frames of a thread are shown, by depth. */
struct shown {
	bool *frames;
	size_t capacity;
};

struct show {
	struct tl_timeline *timeline;
	uint32_t most; /* frames that are shown above each other, 0: any number */
	regex_t function, object;
	bool by_function, by_object;
	uint8_t *wanted; /* by function: 0 not looked at, 1 no, 2 yes */
	size_t wanted_capacity;
	struct shown *shown; /* by number of the thread: threads take turns */
	size_t shown_capacity;
	uint32_t named; /* threads that have a name */
	bool no_memory;
};

/* Without time in the trace: instructions. */
static struct tl_timeline_point point(const struct tl_pt_folder *folder)
{
	const struct tl_pt_fold_thread *thread = folder->thread;
	const struct tl_fold *fold = &thread->stack.fold;
	uint64_t passed = folder->rate ? fold->hot.clock - folder->base : 0;

	return (struct tl_timeline_point){
		.process = thread->process == TL_NOWHERE ? 0 : (int64_t)thread->process,
		.thread = thread->thread == TL_NOWHERE ? 0 : (int64_t)thread->thread,
		.ticks = fold->started ? fold->last + passed : fold->hot.clock + thread->elsewhere,
	};
}

static bool is_wanted(struct show *s, const struct tl_pt_functions *functions, uint32_t function)
{
	const struct tl_pt_function *f = &functions->list[function];
	bool wanted = (!s->by_function || !regexec(&s->function, f->name, 0, NULL, 0)) &&
		      (!s->by_object || !regexec(&s->object, f->object, 0, NULL, 0));
	size_t had = s->wanted_capacity;

	if (!tl_grow(&s->wanted, &s->wanted_capacity, function + (size_t)1, 1)) {
		s->no_memory = true;
		return false;
	}
	for (size_t i = had; i < s->wanted_capacity; i++)
		s->wanted[i] = 0;
	if (!s->wanted[function])
		s->wanted[function] = wanted ? 2 : 1;
	return s->wanted[function] == 2;
}

static void name_thread(struct show *s, const struct tl_pt_folder *folder)
{
	const struct tl_pt_fold_thread *thread = folder->thread;
	uint32_t number = (uint32_t)(thread - folder->threads);
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
 * The frames of the present thread, with room for one more depth; NULL without memory. What is new
 * is not shown.
 */
static struct shown *shown_of(struct show *s, const struct tl_pt_folder *folder, size_t depth)
{
	size_t number = (size_t)(folder->thread - folder->threads), had = s->shown_capacity;
	struct shown *shown;

	if (!tl_grow(&s->shown, &s->shown_capacity, number + 1, sizeof(*s->shown)))
		return NULL;
	for (size_t i = had; i < s->shown_capacity; i++)
		s->shown[i] = (struct shown){ NULL, 0 };
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
	struct show *s = arg;
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
	shown->frames[depth] = !folder->closed && (!s->most || depth <= s->most) &&
			       is_wanted(s, &folder->functions, number);
	if (shown->frames[depth])
		tl_timeline_enter(s->timeline, &at, number, function->name, function->file,
				  function->line, NULL, 0);
}

static void closing(void *arg, const struct tl_pt_folder *folder)
{
	struct show *s = arg;
	size_t depth = tl_fold_depth(&folder->thread->stack.fold);
	struct tl_timeline_point at = point(folder);
	size_t thread = (size_t)(folder->thread - folder->threads);

	if (thread < s->shown_capacity && depth < s->shown[thread].capacity &&
	    s->shown[thread].frames[depth])
		tl_timeline_leave(s->timeline, &at);
}

static void lost(void *arg, const struct tl_pt_folder *folder)
{
	struct show *s = arg;
	struct tl_timeline_point at = point(folder);

	if (!folder->closed)
		tl_timeline_instant(s->timeline, &at, "trace lost", NULL, 0);
}

static int compile(regex_t *regex, const char *pattern, bool *is, struct tl_error *err)
{
	if (!pattern)
		return 0;
	if (regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "not a POSIX extended regular expression");
	*is = true;
	return 0;
}

static int show_all(struct tl_input *input, struct show *s, const struct tl_number_range *window,
		    struct tl_error *err)
{
	struct tl_pt_input *pt = input->handle;
	const struct tl_input_options *o = &input->options;
	const struct tl_pt_stack_watch watch = { opened, closing, lost, s };
	struct tl_pt_fold_options options = {
		.thread = o->filter.thread,
		.process = o->filter.process,
		.cpu = o->filter.cpu,
		.strict = o->strict,
		.from_ticks = window->from,
		.to_ticks = window->to,
		.watch = &watch,
	};
	struct tl_profile *profile = NULL;
	uint64_t first = UINT64_MAX;
	int status = pt->feed.timed ? tl_pt_input_first_time(input, &first, err) : 0;

	if (status == 0)
		status = tl_timeline_begin(s->timeline, pt->feed.timed ? pt->feed.frequency : 0,
					   err);
	if (status < 0)
		return status;
	if (first != UINT64_MAX)
		tl_timeline_origin(s->timeline, first);
	status = tl_pt_fold(&pt->feed, &options, &pt->faults, &profile, err);
	tl_profile_free(profile);
	return status == 0 && s->no_memory ? tl_error_memory(err) : status;
}

int tl_pt_input_timeline(struct tl_input *input, struct tl_timeline *timeline, struct tl_error *err)
{
	struct show show = { .timeline = timeline, .most = input->options.depth };
	struct tl_number_range window;
	int status = tl_pt_input_window(input, &window, err);

	if (status == 0)
		status = compile(&show.function, input->options.filter.function, &show.by_function,
				 err);
	if (status == 0)
		status = compile(&show.object, input->options.filter.object, &show.by_object, err);
	if (status == 0)
		status = show_all(input, &show, &window, err);
	if (show.by_function)
		regfree(&show.function);
	if (show.by_object)
		regfree(&show.object);
	free(show.wanted);
	for (size_t i = 0; i < show.shown_capacity; i++)
		free(show.shown[i].frames);
	free(show.shown);
	return status;
}
