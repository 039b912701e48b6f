/* SPDX-License-Identifier: Apache-2.0 */
/* Each thread is walked by itself, on as many workers as asked for. */
#include "xray/calls/source.h"

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/pool.h"
#include "symbols/binary.h"
#include "xray/calls/preview.h"
#include "xray/calls/walk.h"
#include "xray/forks/forks.h"
#include "xray/map/map.h"
#include "xray/profile/fold.h"

struct calls_handle {
	struct tl_xray_reader *reader;
	struct tl_xray_fold_options limits;
	struct tl_xray_function_names names;
};

/* ---- building ---- */

struct building {
	struct calls_handle *handle;
	struct tl_call_tracks *tracks;
	struct tl_xray_call_graph *call_graph; /* NULL: the program is unknown */
	struct walked {
		struct tl_xray_walk walk;
		struct tl_error error;
	} *walked;   /* of the present batch */
	size_t done; /* tracks before it */
};

static int walk_leaves(struct tl_xray_walk *walk, struct tl_leaf_builder *builder,
		       struct tl_error *err)
{
	struct tl_call_leaf where = { .size = 0 };
	int status;

	while ((status = tl_xray_walk_leaf(walk, &where, err)) == 1) {
		status = tl_leaf_builder_add(builder, &walk->steps, &where, err);
		if (status < 0)
			break;
	}
	if (status < 0)
		return status;
	tl_leaf_builder_pass(builder, tl_xray_walk_ticks(walk));
	return tl_leaf_builder_end(builder, err);
}

static int walk_track(void *arg, size_t task)
{
	struct building *b = arg;
	struct walked *walked = &b->walked[task];
	struct tl_call_track *track = b->tracks->list[b->done + task];
	struct tl_xray_reader *reader = b->handle->reader;
	struct tl_leaf_builder builder;
	int status;

	tl_leaf_builder_begin(&builder, b->tracks, track);
	status = tl_xray_walk_begin(&walked->walk, reader, &reader->threads[track->context],
				    &b->handle->limits, b->call_graph)
			 ? walk_leaves(&walked->walk, &builder, &walked->error)
			 : tl_error_memory(&walked->error);
	tl_leaf_builder_free(&builder);
	track->gaps = walked->walk.gaps;
	walked->walk.gaps = (struct tl_call_gaps){ .list = NULL };
	return status;
}

/* Damage is told in the order of threads, whichever was first. */
static int walk_batch(struct building *b, unsigned workers, size_t count, struct tl_error *err)
{
	int status = tl_pool_run(workers, count, walk_track, b);

	for (size_t i = 0; i < count; i++) {
		struct walked *walked = &b->walked[i];

		if (status < 0 && walked->error.status == (enum tl_status)status && err) {
			*err = walked->error;
			err = NULL;
		}
		if (status == 0 &&
		    !tl_xray_faults_merge(&b->handle->reader->faults, &walked->walk.faults))
			status = tl_error_memory(err);
		tl_xray_walk_end(&walked->walk);
		*walked = (struct walked){ .error = { .status = TL_OK } };
	}
	b->done += count;
	return status;
}

static int add_tracks(const struct calls_handle *handle, struct tl_call_tracks *tracks,
		      struct tl_error *err)
{
	struct tl_xray_reader *reader = handle->reader;

	for (size_t i = 0; i < reader->thread_count; i++) {
		const struct tl_xray_thread *thread = &reader->threads[i];
		struct tl_call_track *track;

		if (!tl_xray_thread_wanted(&handle->limits, thread) ||
		    tl_xray_is_inherited(reader, thread))
			continue;
		track = tl_call_tracks_add(tracks, thread->process, thread->thread);
		if (!track)
			return tl_error_memory(err);
		track->context = i;
	}
	return 0;
}

static int walk_tracks(struct building *b, struct tl_error *err)
{
	struct tl_xray_map *map = b->handle->names.map;
	bool known = map && map->binary;
	unsigned workers = b->handle->limits.jobs ? b->handle->limits.jobs : 1;
	size_t batch = (size_t)workers * 8;
	int status = add_tracks(b->handle, b->tracks, err);

	b->walked = calloc(batch, sizeof(*b->walked));
	b->call_graph = known ? tl_xray_call_graph_open(map) : NULL;
	if (!b->walked || (known && !b->call_graph))
		return tl_error_memory(err);
	while (status == 0 && b->done < b->tracks->count) {
		size_t left = b->tracks->count - b->done;

		status = walk_batch(b, workers, tl_min(left, batch), err);
	}
	if (status == 0 && b->call_graph && tl_xray_call_graph_short_of_memory(b->call_graph))
		status = tl_error_memory(err);
	return status;
}

static int build_calls(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	struct building b = { .handle = handle, .tracks = tracks };
	int status;

	tl_xray_rewind(b.handle->reader);
	status = walk_tracks(&b, err);
	tl_xray_call_graph_close(b.call_graph);
	free(b.walked);
	return tl_error_format(err, "xray", status);
}

static int sample_calls(void *handle, struct tl_call_tracks *tracks, struct tl_error *err)
{
	const struct calls_handle *h = handle;
	int status;

	if (h->reader->info.mode != TL_XRAY_FDR)
		return tl_error_at(err, TL_UNSUPPORTED, 0, "a log without buffers is not sampled");
	status = add_tracks(h, tracks, err);
	if (status == 0)
		status = tl_xray_sample_calls(h->reader, tracks, err);
	return tl_error_format(err, "xray", status);
}

/* ---- the other operations ---- */

static int decode_calls(void *handle, const struct tl_call_track *track,
			const struct tl_call_leaf *leaf, struct tl_steps *steps,
			struct tl_error *err)
{
	const struct calls_handle *h = handle;

	return tl_xray_decode_leaf(h->reader, h->reader->threads[track->context].end, leaf, steps,
				   err);
}

static int describe_function(void *handle, uint32_t id, struct tl_call_function *function,
			     struct tl_error *err)
{
	struct calls_handle *h = handle;
	const struct tl_xray_function_name *name;
	uint32_t number;

	if (id == TL_XRAY_LOST_ID) {
		*function = (struct tl_call_function){
			.name = "(lost)", .file = "", .object = "", .id = TL_NOWHERE
		};
		return 0;
	}
	number = tl_xray_names_number(&h->names, id);
	if (number == TL_NONE)
		return tl_error_memory(err);
	name = &h->names.names[number];
	*function = (struct tl_call_function){ name->name,   name->file, name->object, name->line,
					       name->wanted, id,         name->address };
	return 0;
}

static void close_calls(void *handle)
{
	struct calls_handle *h = handle;

	tl_xray_names_end(&h->names);
	free(h);
}

/* ---- an index in a file: all that is to be told of the calls is in the trace ---- */

/* Damage that is met while records are read would not be told by who does not read them. */
static int save_calls(void *handle, struct tl_packed *packed, struct tl_error *err)
{
	const struct tl_xray_reader *reader = ((const struct calls_handle *)handle)->reader;

	(void)packed, (void)err;
	return reader->faults.count == reader->index_faults.count &&
	       reader->faults.skipped_bytes == reader->index_faults.skipped_bytes;
}

static int load_calls(void *handle, const struct tl_call_tracks *tracks, struct tl_cursor *cur,
		      struct tl_error *err)
{
	struct tl_xray_reader *reader = ((struct calls_handle *)handle)->reader;

	(void)cur, (void)err;
	tl_xray_rewind(reader);
	for (size_t i = 0; i < tracks->count; i++) {
		const struct tl_call_track *track = tracks->list[i];
		const struct tl_xray_thread *thread;

		if (track->context >= reader->thread_count)
			return 0;
		thread = &reader->threads[track->context];
		if (track->thread != thread->thread || track->process != thread->process)
			return 0;
	}
	return 1;
}

/* The call graph of the programs decides which frames were left. */
static const char *program_of_calls(void *handle, size_t number)
{
	const struct tl_xray_map *map = ((const struct calls_handle *)handle)->names.map;

	for (size_t i = 0; map && i < TL_XRAY_OBJECTS; i++) {
		const struct tl_xray_map *object = i ? map->objects[i] : map;

		if (object && object->binary && !number--)
			return tl_binary_path(object->binary);
	}
	return NULL;
}

static const struct tl_call_source_ops source_ops = {
	.build = build_calls,
	.decode = decode_calls,
	.function = describe_function,
	.close = close_calls,
	.sample = sample_calls,
	.save = save_calls,
	.load = load_calls,
	.program = program_of_calls,
};

int tl_xray_call_source(struct tl_xray_reader *reader, struct tl_xray_map *map,
			const struct tl_xray_fold_options *limits, const char *function,
			const char *object, struct tl_call_source *source, struct tl_error *err)
{
	struct calls_handle *h;
	int status;

	if (reader->info.mode == TL_XRAY_PROFILING)
		return tl_error_at(err, TL_UNSUPPORTED, 0, "a profile of sums has no single calls");
	h = calloc(1, sizeof(*h));
	if (!h)
		return tl_error_memory(err);
	h->reader = reader;
	h->limits = *limits;
	status = tl_xray_names_begin(&h->names, map, function, object, err);
	if (status < 0) {
		free(h);
		return status;
	}
	*source = (struct tl_call_source){
		.ops = &source_ops,
		.handle = h,
		.frequency = reader->info.frequency,
		.origin = tl_xray_first_tsc(reader),
		.filtered = function || object,
		/* What was lost in a gap has no number. */
		.numbered = !function && !object && !reader->gaps.count,
		.profiled = true,
	};
	return 0;
}
