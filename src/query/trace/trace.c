/* SPDX-License-Identifier: Apache-2.0 */
#include "query/trace/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/sized.h"
#include "core/text/optional.h"
#include "open/format.h"
#include "open/input.h"
#include "query/trace/call_functions.h"

/* ---- opening ---- */

static int on_progress(void *arg, uint64_t done, uint64_t total)
{
	struct tl_query_trace *trace = arg;

	if (atomic_load_explicit(&trace->stop, memory_order_relaxed))
		return 1;
	if (!trace->progress || !pthread_equal(trace->owner, pthread_self()))
		return 0;
	return trace->progress(trace->progress_arg, done, total);
}

static bool copy_paths(struct tl_query_trace *trace, const char *const *paths, size_t count)
{
	trace->paths = tl_zeroed(count, sizeof(*trace->paths));
	for (; trace->paths && trace->path_count < count; trace->path_count++) {
		trace->paths[trace->path_count] = strdup(paths[trace->path_count]);
		if (!trace->paths[trace->path_count])
			return false;
	}
	return trace->paths;
}

static int take_options(struct tl_query_trace *trace, const struct tl_input_options *options,
			struct tl_error *err)
{
	const struct tl_input_options all = TL_INPUT_OPTIONS_DEFAULT;
	int status = 0;

	trace->options = all;
	if (options)
		status = tl_take_options(&trace->options, sizeof(trace->options), sizeof(size_t),
					 options, options->size, err);
	trace->options.size = sizeof(trace->options);
	trace->progress = trace->options.progress;
	trace->progress_arg = trace->options.progress_arg;
	trace->options.progress = on_progress;
	trace->options.progress_arg = trace;
	return status;
}

/* One more handle. 0 or negative. */
static int add_handle(struct tl_query_trace *trace, const char **failed, struct tl_error *err)
{
	struct tl_query_handle *handle;
	int status;

	if (!tl_grow(&trace->handles, &trace->handle_capacity, trace->handle_count + 1,
		     sizeof(*trace->handles)))
		return tl_error_memory(err);
	handle = &trace->handles[trace->handle_count];
	*handle = (struct tl_query_handle){ .input = NULL };
	status = tl_input_open(&handle->input, (const char *const *)trace->paths, trace->path_count,
			       &trace->options, failed, err);
	trace->handle_count += status == 0;
	return status;
}

/* A copy of a path goes with the trace: the caller's own one is what failed. */
static void name_failed(const struct tl_query_trace *trace, const char *const *paths,
			const char **failed)
{
	for (size_t i = 0; failed && i < trace->path_count; i++)
		if (*failed == trace->paths[i])
			*failed = paths[i];
}

int tl_query_trace_open(struct tl_query_trace **trace, const char *const *paths, size_t path_count,
			const struct tl_input_options *options, const char **failed,
			struct tl_error *err)
{
	struct tl_query_trace *t = calloc(1, sizeof(*t));
	int status;

	*trace = NULL;
	if (!t)
		return tl_error_memory(err);
	t->references = 1;
	t->owner = pthread_self();
	status = take_options(t, options, err);
	if (status == 0 && !copy_paths(t, paths, path_count))
		status = tl_error_memory(err);
	if (status == 0)
		status = add_handle(t, failed, err);
	if (status == 0) {
		*trace = t;
		return 0;
	}
	name_failed(t, paths, failed);
	tl_query_trace_leave(t);
	return status;
}

void tl_query_trace_leave(struct tl_query_trace *trace)
{
	if (!trace || --trace->references)
		return;
	tl_query_folded_free(&trace->folded);
	tl_query_calls_reader_close(trace->calls);
	tl_profile_free(trace->profile);
	for (size_t i = 0; i < trace->handle_count; i++)
		tl_input_close(trace->handles[i].input);
	for (size_t i = 0; i < trace->path_count; i++)
		free(trace->paths[i]);
	free(trace->handles);
	free(trace->paths);
	free(trace->message);
	tl_arena_free(&trace->texts);
	free(trace);
}

/* ---- handles ---- */

bool tl_query_trace_read_once(const struct tl_query_trace *trace)
{
	for (size_t i = 0; i < trace->path_count; i++)
		if (!strcmp(trace->paths[i], "-"))
			return true;
	return false;
}

bool tl_query_trace_numbers(const struct tl_query_trace *trace)
{
	return trace->handles[0].input->format->numbers_instructions;
}

int tl_query_trace_borrow(struct tl_query_trace *trace, struct tl_input **input,
			  struct tl_error *err)
{
	bool again = tl_query_trace_read_once(trace);
	size_t i = 0;
	int status = 0;

	while (i < trace->handle_count &&
	       (trace->handles[i].busy || (trace->handles[i].used && !again)))
		i++;
	if (i == trace->handle_count && again)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "standard input is read by one table at a time; store it in a "
				   "file");
	if (i == trace->handle_count)
		status = add_handle(trace, NULL, err);
	if (status < 0)
		return status;
	trace->handles[i].busy = trace->handles[i].used = true;
	*input = trace->handles[i].input;
	(*input)->options.dump = trace->options.dump;
	(*input)->options.filter.thread = trace->options.filter.thread;
	return 0;
}

/* Of the handles that nobody uses, the one with most damage is kept. */
static void close_others(struct tl_query_trace *trace)
{
	struct tl_input *worst = tl_query_trace_worst(trace);
	size_t kept = 0;

	for (size_t i = 0; i < trace->handle_count; i++) {
		struct tl_query_handle *handle = &trace->handles[i];

		if (handle->busy || handle->input == worst || !handle->used)
			trace->handles[kept++] = *handle;
		else
			tl_input_close(handle->input);
	}
	trace->handle_count = kept;
}

void tl_query_trace_lend(struct tl_query_trace *trace, const struct tl_input *input)
{
	for (size_t i = 0; i < trace->handle_count; i++)
		trace->handles[i].elsewhere |= trace->handles[i].input == input;
}

void tl_query_trace_return(struct tl_query_trace *trace, const struct tl_input *input)
{
	for (size_t i = 0; i < trace->handle_count; i++)
		if (trace->handles[i].input == input)
			trace->handles[i].busy = trace->handles[i].elsewhere = false;
	close_others(trace);
}

struct tl_input *tl_query_trace_worst(const struct tl_query_trace *trace)
{
	struct tl_input *worst = NULL;
	uint64_t most = 0;

	for (size_t i = 0; i < trace->handle_count; i++) {
		const struct tl_query_handle *handle = &trace->handles[i];
		uint64_t count = handle->elsewhere ? 0 : tl_input_damage_count(handle->input, NULL);

		if (handle->elsewhere || (worst && count <= most))
			continue;
		most = count;
		worst = handle->input;
	}
	return worst;
}

/* ---- the profile ---- */

int tl_query_trace_fold(struct tl_query_trace *trace, struct tl_error *err)
{
	struct tl_profile *profile;
	struct tl_input *input;
	int status;

	if (trace->profile)
		return 0;
	status = tl_query_trace_borrow(trace, &input, err);
	if (status < 0)
		return status;
	status = tl_input_fold(input, &profile, err);
	tl_query_trace_return(trace, input);
	if (status < 0)
		return status;
	trace->profile = profile;
	if (tl_query_trace_prepare(trace))
		return 0;
	tl_profile_free(profile);
	trace->profile = NULL;
	return tl_error_memory(err);
}

/* ---- errors ---- */

const char *tl_query_trace_explain(struct tl_query_trace *trace, const struct tl_error *err)
{
	char place[64] = "", record[48] = "";
	const char *word = tl_input_format(trace->handles[0].input)->record_word;
	const char *path = tl_input_failed(trace->handles[0].input);

	if (err->offset != TL_NOWHERE)
		snprintf(place, sizeof(place), ": offset 0x%" PRIx64, err->offset);
	if (err->record != TL_NOWHERE)
		snprintf(record, sizeof(record), ", %s %" PRIu64, word, err->record);
	free(trace->message);
	if (asprintf(&trace->message, "%s%s%s: %s%s%s", path ? path : trace->paths[0], place,
		     record, err->text, tl_text_if(err->sys_errno, ": "),
		     err->sys_errno ? strerror(err->sys_errno) : "") < 0)
		trace->message = NULL;
	return tl_text_or_empty(trace->message);
}
