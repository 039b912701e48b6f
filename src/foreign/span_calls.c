/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of each thread are kept by the timeline room: they were put into order once. */
#include "foreign/span_calls.h"

#include "core/arithmetic.h"
#include "core/error.h"

struct span_calls {
	struct tl_foreign_file *file;
	struct tl_foreign_filter filter;
	uint64_t base;
};

/* What of one thread is not in a leaf yet. */
struct track_build {
	struct tl_leaf_builder builder;
	struct tl_steps steps;
	uint64_t base;
	struct tl_error error;
	int status;
};

static void put_step(struct track_build *b, struct tl_step step)
{
	if (b->status)
		return;
	tl_steps_put(&b->steps, step);
	if (b->steps.no_memory)
		b->status = tl_error_memory(&b->error);
	else if (b->steps.count >= TL_LEAF_STEPS) {
		b->status = tl_leaf_builder_add(&b->builder, &b->steps, NULL, &b->error);
		b->steps.count = 0;
	}
}

static void enter(void *arg, int64_t ticks, uint32_t frame)
{
	struct track_build *b = arg;

	put_step(b, (struct tl_step){ .ticks = (uint64_t)ticks + b->base, .function = frame });
}

static void leave(void *arg, int64_t ticks, bool cut)
{
	struct track_build *b = arg;

	put_step(b, (struct tl_step){ .ticks = (uint64_t)ticks + b->base,
				      .end = true,
				      .flags = cut ? TL_CALL_CUT : 0 });
}

/* A process or thread that is not known is 0. */
static int64_t id_of(int64_t id)
{
	return tl_max(0, id);
}

static int build_track(struct span_calls *c, struct tl_call_tracks *tracks, uint32_t number,
		       struct tl_foreign_walk *met, struct tl_error *err)
{
	const struct tl_foreign_thread *t = &c->file->spans.threads[number];
	struct tl_call_track *track =
		tl_call_tracks_add(tracks, id_of(t->process), id_of(t->thread));
	struct track_build b = { .base = c->base };
	const struct tl_foreign_visitor visitor = { enter, leave, NULL, NULL, &b };

	if (!track)
		return tl_error_memory(err);
	tl_leaf_builder_begin(&b.builder, tracks, track);
	if (!tl_foreign_walk(&c->file->spans, number, &visitor, met))
		b.status = tl_error_memory(&b.error);
	if (b.status == 0)
		b.status = tl_leaf_builder_add(&b.builder, &b.steps, NULL, &b.error);
	if (b.status == 0)
		b.status = tl_leaf_builder_end(&b.builder, &b.error);
	tl_leaf_builder_free(&b.builder);
	free(b.steps.list);
	if (b.status < 0 && err)
		*err = b.error;
	return b.status;
}

static int build(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	struct span_calls *c = handle;
	struct tl_foreign_walk met = { 0 };
	int status = 0;

	for (uint32_t i = 0; status == 0 && i < c->file->spans.count; i++) {
		const struct tl_foreign_thread *t = &c->file->spans.threads[i];

		if (t->count &&
		    tl_foreign_wants(c->file, (uint64_t)t->process, (uint64_t)t->thread))
			status = build_track(c, tracks, i, &met, err);
	}
	return status;
}

static int function(void *handle, uint32_t number, struct tl_call_function *to,
		    struct tl_error *err)
{
	const struct span_calls *c = handle;
	struct tl_function f;

	if (number >= c->file->stacks.frame_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such function");
	f = tl_foreign_function(c->file, number);
	*to = (struct tl_call_function){
		.name = f.name,
		.file = f.file,
		.object = f.object,
		.line = f.line,
		.wanted = tl_foreign_filter_accepts(&c->filter, number),
		.id = TL_NOWHERE,
	};
	return 0;
}

static void close_calls(void *handle)
{
	struct span_calls *c = handle;

	free(c->filter.verdicts);
	tl_foreign_end(c->file);
	free(c->file);
	free(c);
}

static void pass_enter(void *arg, int64_t ticks, uint32_t frame)
{
	(void)arg, (void)ticks, (void)frame;
}

static void pass_leave(void *arg, int64_t ticks, bool cut)
{
	(void)arg, (void)ticks, (void)cut;
}

int tl_foreign_check_spans(struct tl_foreign_file *file, struct tl_error *err)
{
	static const struct tl_foreign_visitor visitor = { pass_enter, pass_leave, NULL, NULL,
							   NULL };
	struct tl_foreign_walk met = { 0 };

	for (uint32_t i = 0; i < file->spans.count; i++)
		if (!tl_foreign_walk(&file->spans, i, &visitor, &met))
			return tl_error_memory(err);
	return tl_foreign_note_walk(file, &met, err);
}

static const struct tl_call_source_ops span_ops = {
	.build = build,
	.function = function,
	.close = close_calls,
};

int tl_foreign_call_source(struct tl_foreign_file *file, struct tl_call_source *source,
			   struct tl_error *err)
{
	struct span_calls *c = calloc(1, sizeof(*c));
	int status;

	if (!c) {
		tl_foreign_end(file);
		free(file);
		return tl_error_memory(err);
	}
	c->file = file;
	c->base = tl_foreign_base(file);
	status = tl_foreign_filter_open(&c->filter, file, err);
	if (status == 0 && !tl_foreign_has_spans(file))
		status = tl_error_at(
			err, TL_UNSUPPORTED, TL_NOWHERE,
			"this file does not hold calls one by one, in an order of time");
	if (status < 0) {
		close_calls(c);
		return status;
	}
	*source = (struct tl_call_source){
		.ops = &span_ops,
		.handle = c,
		.frequency = file->frequency,
		.origin = tl_foreign_origin(file),
		.clock = TL_CALL_TICKS,
		.filtered = c->filter.verdicts != NULL,
		.profiled = true,
	};
	return 0;
}
