/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of each thread are kept by the timeline room: threads take turns in the file. */
#include "perf_data/listing/running_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "perf_data/samples/pass.h"

/* Numbers of processors that are told apart: as many as no kernel has. Others are unknown. */
enum { MOST_PROCESSORS = 1 << 13 };

/* The function of a processor is its number + 1; 0: the processor is unknown. */
struct running_calls {
	struct tl_perf_reader *reader;
	struct tl_perf_sample_options options;
	struct tl_names names; /* of functions that were asked for */
};

/* What of one thread is not in a leaf yet. */
struct running_thread {
	struct tl_leaf_builder builder;
	struct tl_steps steps;
	uint64_t ticks; /* of the last step */
	bool is_running;
};

struct running_build {
	struct tl_call_tracks *tracks;
	struct running_thread *threads; /* by number of the track */
	size_t capacity;
	struct tl_index index;
	struct tl_error error;
	int status;
};

/* ---- threads ---- */

static bool same_track(const void *context, const void *key, uint32_t number)
{
	const struct tl_call_tracks *tracks = context;
	const struct tl_perf_sample_switch *wanted = key;

	return tracks->list[number]->process == wanted->pid &&
	       tracks->list[number]->thread == wanted->tid;
}

/* NULL without memory. */
static struct running_thread *add_thread(struct running_build *b, uint64_t hash,
					 const struct tl_perf_sample_switch *what)
{
	const size_t number = b->tracks->count;
	struct tl_call_track *track;

	if (!tl_grow(&b->threads, &b->capacity, number + 1, sizeof(*b->threads)))
		return NULL;
	track = tl_call_tracks_add(b->tracks, what->pid, what->tid);
	if (!track)
		return NULL;
	b->threads[number] = (struct running_thread){ .ticks = 0 };
	tl_leaf_builder_begin(&b->threads[number].builder, b->tracks, track);
	return tl_index_add(&b->index, hash, (uint32_t)number) ? &b->threads[number] : NULL;
}

static struct running_thread *thread_of(struct running_build *b,
					const struct tl_perf_sample_switch *what)
{
	const uint64_t hash = tl_hash_pair(what->pid, what->tid);
	uint32_t number = tl_index_find(&b->index, hash, same_track, b->tracks, what);

	return number == TL_NONE ? add_thread(b, hash, what) : &b->threads[number];
}

/* ---- steps ---- */

static void put_step(struct running_build *b, struct running_thread *t, struct tl_step step)
{
	t->ticks = step.ticks = tl_max(step.ticks, t->ticks);
	tl_steps_put(&t->steps, step);
	if (t->steps.no_memory) {
		b->status = tl_error_memory(&b->error);
	} else if (t->steps.count >= TL_LEAF_STEPS) {
		b->status = tl_leaf_builder_add(&t->builder, &t->steps, NULL, &b->error);
		t->steps.count = 0;
	}
}

struct running_listener {
	struct tl_perf_sample_pass pass;
	struct running_build build;
};

/* As on a timeline: a thread that comes twice left in between, and nobody knows when. */
static bool take_switch(void *arg, const struct tl_perf_sample_switch *what)
{
	struct running_listener *l = arg;
	struct running_build *b = &l->build;
	const uint64_t now = l->pass.time_ns;
	struct running_thread *t;

	if (b->status < 0)
		return true;
	t = thread_of(b, what);
	if (!t)
		return false;
	if (t->is_running)
		put_step(b, t,
			 (struct tl_step){ .ticks = now,
					   .end = true,
					   .flags = what->comes ? TL_CALL_CUT : 0 });
	if (what->comes && b->status == 0)
		put_step(b, t,
			 (struct tl_step){ .ticks = now,
					   .function = what->cpu < MOST_PROCESSORS
							       ? (uint32_t)what->cpu + 1
							       : 0 });
	t->is_running = what->comes;
	return true;
}

/* ---- the operations ---- */

static void end_threads(struct running_build *b)
{
	for (size_t i = 0; i < b->tracks->count; i++) {
		struct running_thread *t = &b->threads[i];

		if (b->status == 0)
			b->status = tl_leaf_builder_add(&t->builder, &t->steps, NULL, &b->error);
		if (b->status == 0)
			b->status = tl_leaf_builder_end(&t->builder, &b->error);
		tl_leaf_builder_free(&t->builder);
		free(t->steps.list);
	}
	free(b->threads);
	tl_index_free(&b->index);
}

static int build(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	struct running_calls *c = handle;
	struct running_listener l = {
		.pass = tl_perf_sample_pass_of(c->reader, &c->options),
		.build = { .tracks = tracks },
	};
	int status;

	l.pass.listener = (struct tl_perf_sample_listener){
		.switches_alone = true,
		.on_switch = take_switch,
		.arg = &l,
	};
	status = tl_perf_sample_pass_run(&l.pass, err);
	tl_perf_sample_pass_free(&l.pass);
	end_threads(&l.build);
	if (status == 0 && l.build.status < 0) {
		status = l.build.status;
		if (err)
			*err = l.build.error;
	}
	return status;
}

static int function(void *handle, uint32_t number, struct tl_call_function *to,
		    struct tl_error *err)
{
	struct running_calls *c = handle;
	char name[48] = "running";

	if (number > MOST_PROCESSORS)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there is no such function");
	if (number)
		snprintf(name, sizeof(name), "running on CPU %" PRIu32, number - 1);
	*to = (struct tl_call_function){
		.name = tl_names_text(&c->names, name),
		.file = "",
		.object = "",
		.wanted = true,
		.id = TL_NOWHERE,
	};
	return to->name ? 0 : tl_error_memory(err);
}

static void close_calls(void *handle)
{
	struct running_calls *c = handle;

	tl_names_free(&c->names);
	free(c);
}

static const struct tl_call_source_ops running_ops = {
	.build = build,
	.function = function,
	.close = close_calls,
};

int tl_perf_first_sample(struct tl_perf_reader *reader, uint64_t *time_ns, struct tl_error *err)
{
	struct tl_perf_record rec;
	bool any = false;
	int status;

	*time_ns = 0;
	while ((status = tl_perf_record_next(reader, &rec, err)) > 0) {
		if (rec.type == TL_PERF_AUXTRACE_INFO &&
		    rec.auxtrace_info.type == TL_PERF_AUXTRACE_TYPE_INTEL_PT)
			return 1;
		if (rec.id.time_ns != TL_NOWHERE)
			*time_ns = tl_max(*time_ns, rec.id.time_ns);
		any |= rec.type == TL_PERF_SAMPLE;
		if (rec.type == TL_PERF_SAMPLE && *time_ns)
			return 0;
	}
	if (status < 0)
		return status;
	return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
			   any ? "these samples have no times (`perf record -T` records them), so "
				 "no timeline can be made of them"
			       : "this file has no samples");
}

int tl_perf_running_calls(struct tl_perf_reader *reader,
			  const struct tl_perf_sample_options *options, uint64_t first_ns,
			  struct tl_call_source *source, struct tl_error *err)
{
	struct running_calls *c = calloc(1, sizeof(*c));

	if (!c)
		return tl_error_memory(err);
	c->reader = reader;
	c->options = *options;
	c->options.from_seconds = c->options.to_seconds = 0;
	c->options.no_files = true;
	*source = (struct tl_call_source){
		.ops = &running_ops,
		.handle = c,
		.frequency = 1000000000,
		.origin = first_ns,
		.clock = TL_CALL_TICKS,
		.apart = true,
	};
	return 0;
}
