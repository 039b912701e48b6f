/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of the fold's stack, a track a stream. Times are instructions of the stream, from 0. A
 * leaf depends on all of the stream before it, so the steps are kept (timeline/calls/spool.h).
 */
#include "xtrace/calls/source.h"

#include <stdlib.h>

#include "core/error.h"
#include "profile/model/model.h"
#include "profile/transform/match.h"
#include "timeline/calls/function_list.h"
#include "xtrace/profile/fold.h"

struct stream_calls {
	struct tl_xtrace_trace *trace;
	struct tl_xtrace_fold_options options;
	struct tl_profile_filter filter;
	struct tl_function_list functions; /* by number of the steps */
};

struct building {
	struct stream_calls *calls;
	struct tl_call_tracks *tracks;
	struct tl_leaf_builder builder; /* of the present stream */
	struct tl_error error;          /* of the first failure */
	int status;
};

/* ---- steps ---- */

static bool begin_stream(void *arg, const struct tl_xtrace_fold *fold)
{
	struct building *b = arg;
	uint64_t id = fold->trace->streams[fold->stream].info.id;
	struct tl_call_track *track =
		tl_call_tracks_add(b->tracks, 0, id == TL_NOWHERE ? 0 : (int64_t)id);

	if (!track)
		return false;
	tl_leaf_builder_begin(&b->builder, b->tracks, track);
	return true;
}

/* A piece of steps may be longer than a leaf. */
static bool add_steps(void *arg, const struct tl_steps *steps)
{
	struct building *b = arg;

	for (size_t at = 0; b->status == 0 && at < steps->count; at += TL_LEAF_STEPS) {
		const struct tl_steps leaf = { .list = steps->list + at,
					       .count = steps->count - at < TL_LEAF_STEPS
								? steps->count - at
								: TL_LEAF_STEPS };

		b->status = tl_leaf_builder_add(&b->builder, &leaf, NULL, &b->error);
	}
	return b->status == 0;
}

static bool add_damage(void *arg, uint64_t ticks, const struct tl_xtrace_fault *fault)
{
	struct building *b = arg;

	return tl_call_gaps_add(&b->builder.track->gaps,
				&(struct tl_call_gap){ .from = ticks,
						       .to = ticks,
						       .offset = fault->offset,
						       .length = fault->length,
						       .count = 1,
						       .text = fault->text });
}

static bool end_stream(void *arg, uint64_t ticks)
{
	struct building *b = arg;

	if (b->builder.track && b->status == 0)
		tl_leaf_builder_pass(&b->builder, ticks);
	if (b->builder.track && b->status == 0)
		b->status = tl_leaf_builder_end(&b->builder, &b->error);
	tl_leaf_builder_free(&b->builder);
	return b->status == 0;
}

/* ---- functions ---- */

static bool keep_function(struct stream_calls *c, const struct tl_function *f, bool wanted)
{
	const struct tl_call_function function = {
		.name = f->name,
		.file = f->file,
		.object = f->object,
		.line = f->line,
		.wanted = wanted,
		.id = TL_NOWHERE,
		.address = f->address,
	};

	return tl_function_list_add(&c->functions, &function);
}

/* Numbers of functions in a profile, by number of the steps. 0 or negative. */
static int put_functions(struct tl_xtrace_fold *fold, struct tl_profile *named, uint32_t *numbers,
			 struct tl_error *err)
{
	for (size_t i = 0; i < fold->functions.count; i++) {
		int64_t number = tl_xtrace_put_function(&fold->functions, (uint32_t)i, named, err);

		if (number < 0)
			return (int)number;
		numbers[i] = (uint32_t)number;
	}
	return 0;
}

/* They are named as in a profile, and chosen as there. */
static int keep_functions(void *arg, struct tl_xtrace_fold *fold, struct tl_error *err)
{
	struct stream_calls *c = ((struct building *)arg)->calls;
	const struct tl_event none = { "Ir", "Instructions", "instructions", "" };
	uint32_t *numbers = malloc((fold->functions.count + 1) * sizeof(*numbers));
	struct tl_profile *named = NULL;
	bool *wanted = NULL;
	int status = numbers ? tl_profile_make(&named, "xtrace", &none, 1, 0, err)
			     : tl_error_memory(err);

	if (status == 0)
		status = put_functions(fold, named, numbers, err);
	if (status == 0)
		status = tl_profile_match(named, &c->filter, &wanted, err);
	for (size_t i = 0; status == 0 && i < fold->functions.count; i++)
		if (!keep_function(c, &named->functions.list[numbers[i]], wanted[numbers[i]]))
			status = tl_error_memory(err);
	tl_profile_free(named);
	free(numbers);
	free(wanted);
	return status;
}

static int name_function(void *handle, uint32_t number, struct tl_call_function *function,
			 struct tl_error *err)
{
	return tl_function_list_get(&((const struct stream_calls *)handle)->functions, number,
				    function, err);
}

/* ---- the operations ---- */

static int build_calls(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	struct building b = { .calls = handle, .tracks = tracks };
	const struct tl_xtrace_call_watch watch = {
		.begin = begin_stream,
		.steps = add_steps,
		.damaged = add_damage,
		.end = end_stream,
		.finish = keep_functions,
		.arg = &b,
	};
	struct tl_profile *profile = NULL;
	int status =
		tl_xtrace_fold_watched(b.calls->trace, &b.calls->options, &watch, &profile, err);

	tl_profile_free(profile);
	if (b.status < 0 && err)
		*err = b.error;
	return b.status < 0 ? b.status : status;
}

static void close_calls(void *handle)
{
	struct stream_calls *c = handle;

	tl_function_list_clear(&c->functions);
	free(c);
}

/* Damage that is met while tokens are read would not be told by who does not read them. */
static int save_calls(void *handle, struct tl_packed *packed, struct tl_error *err)
{
	const struct stream_calls *c = handle;

	if (c->trace->faults.count != c->trace->open_faults.count)
		return 0;
	return tl_function_list_save(&c->functions, packed, err);
}

static int load_calls(void *handle, const struct tl_call_tracks *tracks, struct tl_cursor *cur,
		      struct tl_error *err)
{
	struct stream_calls *c = handle;

	(void)tracks;
	tl_xtrace_rewind(c->trace);
	return tl_function_list_load(&c->functions, cur, err);
}

static const struct tl_call_source_ops stream_ops = {
	.build = build_calls,
	.function = name_function,
	.close = close_calls,
	.save = save_calls,
	.load = load_calls,
};

int tl_xtrace_call_source(struct tl_xtrace_trace *trace,
			  const struct tl_xtrace_fold_options *options,
			  const struct tl_profile_filter *filter, struct tl_call_source *source,
			  struct tl_error *err)
{
	struct stream_calls *c = calloc(1, sizeof(*c));

	if (!c)
		return tl_error_memory(err);
	c->trace = trace;
	c->options = *options;
	c->filter = *filter;
	*source = (struct tl_call_source){
		.ops = &stream_ops,
		.handle = c,
		.clock = TL_CALL_INSTRUCTIONS,
		.filtered = filter->function || filter->object,
	};
	return 0;
}
