/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_WHOLE_INPUT_H
#define TESTS_UNIT_WHOLE_INPUT_H
/*
 * All that can be asked of an input, from opening its file on, as steps for refuse.h: recordings
 * that are small enough for each of their allocations to be refused.
 */
#include <stdio.h>
#include <stdlib.h>

#include "refuse.h"

#include <tracelathe/tracelathe.h>

enum use {
	USE_FOLD,
	USE_DUMP,
	USE_INFO,
	USE_CHECK,
	USE_TIMELINE,
	USE_SLICE,
	USE_INDEX,
	USE_SAMPLE,
	USE_CALLS,
	USE_POINTS,
	USE_WINDOW,
	USE_SEARCH,
	USE_FLOW,
	USE_ANALYZE,
	USE_REENCODE,
	USE_EXPORT,
};

struct whole_input {
	const char *paths[2];
	size_t path_count;
	struct tl_input_options options;
	enum use use;
	enum tl_report_form form;
	const char *trigger; /* of a slice */
	unsigned analyses;
	const char *target; /* format to write */
};

/* The name of a golden recording; one of the last eight asked for. */
static inline const char *whole_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/tests/golden/%s", getenv("TL_SOURCE_ROOT"), name);
	return path;
}

static inline struct whole_input whole_input(const char *path)
{
	return (struct whole_input){
		.paths = { path },
		.path_count = 1,
		.options = { .size = sizeof(struct tl_input_options),
			     .filter = { .process = TL_NOWHERE,
					 .thread = TL_NOWHERE,
					 .cpu = TL_NOWHERE } },
	};
}

/* The profile with its contexts; not the notes, whose texts are shorter without memory. */
static inline int whole_fold(struct tl_input *input, struct tl_output *out)
{
	struct tl_profile *profile = NULL;
	int status = tl_input_fold(input, &profile, NULL);

	if (!status)
		status = tl_exporter_find("json")->write(profile, NULL, out, NULL);
	tl_profile_free(profile);
	return status;
}

/* The profile as another tool's. */
static inline int whole_export(const struct whole_input *whole, struct tl_input *input,
			       struct tl_output *out)
{
	const struct tl_export_options options = { .size = sizeof(options) };
	struct tl_profile *profile = NULL;
	int status = tl_input_fold(input, &profile, NULL);

	if (!status)
		status = tl_exporter_find(whole->target)->write(profile, &options, out, NULL);
	tl_profile_free(profile);
	return status;
}

static inline int whole_index(struct tl_input *input, bool sampled, struct tl_output *out)
{
	struct tl_call_index *index = NULL;
	struct tl_call_track_info info;
	int status = sampled ? tl_input_index_sample(input, &index, NULL)
			     : tl_input_index(input, &index, NULL);

	for (size_t i = 0; !status && tl_call_index_track(index, i, &info, sizeof(info)) == 1; i++)
		tl_put_u64(out, info.last - info.first);
	tl_call_index_close(index);
	return status;
}

static inline int whole_calls(struct tl_input *input, struct tl_output *out)
{
	struct tl_calls *calls = NULL;
	const struct tl_call *call;
	int status = tl_input_calls(input, NULL, &calls, NULL);

	if (!status)
		while ((status = tl_calls_next(calls, &call, NULL)) == 1) {
			tl_put_u64(out, call->start);
			tl_put_u64(out, call->self);
			tl_put_u64(out, call->function);
		}
	tl_calls_close(calls);
	return status;
}

static inline bool whole_instant(void *arg, const struct tl_timeline_point *at, const char *name,
				 const struct tl_timeline_arg *args, size_t arg_count)
{
	(void)args;
	tl_put_u64(arg, at->ticks + arg_count);
	tl_put_text(arg, name);
	return true;
}

static inline bool whole_value(void *arg, const struct tl_timeline_point *at, const char *name,
			       double value)
{
	tl_put_format(arg, "%s %g", name, value);
	tl_put_u64(arg, at->ticks);
	return true;
}

/* The middle of what the first track spans, as a profile, or the calls of a function in it. */
static inline int whole_window(const struct whole_input *whole, struct tl_input *input,
			       struct tl_output *out)
{
	struct tl_call_index *index = NULL;
	struct tl_call_track_info info = { .first = 0 };
	struct tl_call_span span = { .size = sizeof(span) };
	struct tl_call_search search = { .count = 0 };
	struct tl_profile *profile = NULL;
	int status = tl_input_index(input, &index, NULL);

	if (!status && tl_call_index_track(index, 0, &info, sizeof(info)) == 1) {
		span.from = info.first + (info.last - info.first) / 4;
		span.to = info.last - (info.last - info.first) / 4;
	}
	if (!status && whole->use == USE_WINDOW) {
		status = tl_input_window(input, index, &span, &profile, NULL);
		if (!status)
			status = tl_exporter_find("json")->write(profile, NULL, out, NULL);
	} else if (!status) {
		status = tl_input_search(input, index, &span, 0, 3, &search, sizeof(search), NULL);
		tl_put_u64(out, search.calls);
		tl_call_search_end(&search);
	}
	tl_profile_free(profile);
	tl_call_index_close(index);
	return status;
}

/* What it executed, held against itself. */
static inline int whole_flow(const struct whole_input *whole, struct tl_input *input,
			     struct tl_output *out)
{
	struct tl_input *other = NULL;
	const struct tl_report_options options = { .size = sizeof(options),
						   .form = TL_REPORT_JSON };
	struct tl_flow *flow = NULL;
	int status =
		tl_input_open(&other, whole->paths, whole->path_count, &whole->options, NULL, NULL);

	if (!status)
		status = tl_input_flow(input, other, NULL, &flow, NULL, NULL);
	if (!status)
		status = tl_report_flow(flow, &options, out, NULL);
	tl_flow_free(flow);
	tl_input_close(other);
	return status;
}

static inline int whole_analyze(const struct whole_input *whole, struct tl_input *input,
				struct tl_output *out)
{
	const struct tl_analysis analysis = {
		.size = sizeof(analysis),
		.analyses = whole->analyses,
		.form = whole->form,
	};

	return tl_input_analyze(input, &analysis, out, NULL, NULL);
}

static inline int whole_use(const struct whole_input *whole, struct tl_input *input,
			    struct tl_output *out)
{
	const struct tl_slice slice = {
		.size = sizeof(slice),
		.snapshots = { 0, TL_NOWHERE },
		.instructions = { 0, TL_NOWHERE },
		.trigger = whole->trigger,
		.before_seconds = 1e-6,
	};

	switch (whole->use) {
	case USE_FOLD:
		return whole_fold(input, out);
	case USE_DUMP:
		return tl_input_dump(input, whole->form, out, NULL);
	case USE_INFO:
		return tl_input_info(input, whole->form, out, NULL);
	case USE_CHECK:
		return (int)tl_input_check(input, whole->form, out, NULL);
	case USE_TIMELINE:
		return tl_input_timeline(input, "chrome", out, NULL);
	case USE_SLICE:
		return tl_input_slice(input, &slice, out, NULL);
	case USE_INDEX:
	case USE_SAMPLE:
		return whole_index(input, whole->use == USE_SAMPLE, out);
	case USE_CALLS:
		return whole_calls(input, out);
	case USE_POINTS:
		return tl_input_points(input, whole_instant, whole_value, out, NULL);
	case USE_WINDOW:
	case USE_SEARCH:
		return whole_window(whole, input, out);
	case USE_FLOW:
		return whole_flow(whole, input, out);
	case USE_ANALYZE:
		return whole_analyze(whole, input, out);
	case USE_REENCODE:
		return tl_input_reencode(input, whole->target, NULL, out, NULL);
	default:
		return whole_export(whole, input, out);
	}
}

static inline int whole_write(const void *arg, struct tl_output *out)
{
	const struct whole_input *whole = arg;
	struct tl_input *input = NULL;
	int status =
		tl_input_open(&input, whole->paths, whole->path_count, &whole->options, NULL, NULL);

	if (!status)
		status = whole_use(whole, input, out);
	if (status > 0)
		status = 0;
	if (!status)
		tl_put_u64(out, tl_input_damage_count(input, NULL));
	tl_input_close(input);
	return status;
}

static inline int whole_step(const void *arg, uint64_t *digest)
{
	return refuse_note_output(whole_write, arg, digest);
}

#endif
