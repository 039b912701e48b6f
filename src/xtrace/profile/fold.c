/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "core/error.h"
#include "core/sized.h"
#include "profile/model/model.h"
#include "xtrace/profile/share/fold_share.h"
#include "xtrace/profile/share/stack_state.h"

static struct tl_xtrace_fold_worker *take_worker(struct tl_xtrace_fold *fold,
						 const struct tl_xtrace_stream *stream)
{
	struct tl_xtrace_fold_worker *worker;

	pthread_mutex_lock(&fold->queue.lock);
	worker = fold->idle;
	if (worker) {
		fold->idle = worker->next;
	} else {
		worker = calloc(1, sizeof(*worker));
		if (worker && !tl_xtrace_token_blocks_begin(&worker->blocks, &fold->functions)) {
			free(worker);
			worker = NULL;
		}
	}
	pthread_mutex_unlock(&fold->queue.lock);
	if (worker) {
		worker->blocks.kinds = stream->tokens.kind;
		worker->blocks.sizes = stream->tokens.size;
		worker->blocks.ends_at_task = fold->options.split == TL_XTRACE_BY_TASK;
	}
	return worker;
}

static void put_worker(struct tl_xtrace_fold *fold, struct tl_xtrace_fold_worker *worker)
{
	pthread_mutex_lock(&fold->queue.lock);
	worker->next = fold->idle;
	fold->idle = worker;
	pthread_mutex_unlock(&fold->queue.lock);
}

/*
 * While entries are learned: a segment that has found itself stale is folded again, unless some of
 * it is spliced already. False: without memory.
 */
static bool fold_learning(struct tl_xtrace_fold *fold, struct tl_xtrace_fold_worker *worker,
			  struct tl_xtrace_walk *walk, size_t segment,
			  struct tl_xtrace_folded_segment *part)
{
	const struct tl_xtrace_walk begin = *walk;
	struct tl_xtrace_questions *questions = &worker->questions;

	worker->blocks.questions = questions;
	worker->handed_over = false;
	tl_xtrace_fold_worker_keep(worker);
	tl_xtrace_function_map_open(&fold->functions, questions);
	tl_xtrace_fold_segment(fold, worker, walk, segment, part);
	if (tl_xtrace_function_map_close(&fold->functions, questions, worker->handed_over) ||
	    worker->handed_over || part->no_memory)
		return true;
	tl_xtrace_stack_deltas_free(part->deltas, part->delta_count);
	*part = (struct tl_xtrace_folded_segment){ 0 };
	*walk = begin;
	if (!tl_xtrace_fold_worker_rewind(worker))
		return false;
	tl_xtrace_function_map_open(&fold->functions, questions);
	tl_xtrace_fold_segment(fold, worker, walk, segment, part);
	tl_xtrace_function_map_close(&fold->functions, questions, true);
	return true;
}

static int segment_fn(void *arg, struct tl_xtrace_walk *walk, size_t segment, struct tl_error *err)
{
	struct tl_xtrace_fold *fold = arg;
	struct tl_xtrace_folded_segment *part = &fold->queue.parts[segment];
	struct tl_xtrace_fold_worker *worker = NULL;
	bool no_memory;

	if (!tl_xtrace_fold_await(fold, segment)) {
		tl_xtrace_fold_in_order(fold, segment);
		return 0;
	}
	worker = take_worker(fold, walk->stream);
	if (worker && fold->learning.on) {
		part->no_memory |= !fold_learning(fold, worker, walk, segment, part);
		put_worker(fold, worker);
	} else if (worker) {
		tl_xtrace_fold_segment(fold, worker, walk, segment, part);
		put_worker(fold, worker);
	} else {
		part->no_memory = true;
	}
	no_memory = part->no_memory;
	tl_xtrace_fold_in_order(fold, segment);
	if (no_memory)
		return tl_error_memory(err);
	return 0;
}

static void free_workers(struct tl_xtrace_fold *fold)
{
	for (struct tl_xtrace_fold_worker *w = fold->idle, *next; w; w = next) {
		next = w->next;
		tl_xtrace_token_blocks_free(&w->blocks);
		tl_xtrace_entry_points_free(&w->entries);
		free(w->indirect);
		tl_index_free(&w->indirect_index);
		free(w);
	}
	fold->idle = NULL;
}

/* Of so many segments the beginnings show nearly all entries. */
enum { WELL_SCOUTED = 8 };

static int fold_stream(struct tl_xtrace_fold *fold, uint32_t stream, struct tl_error *err)
{
	size_t segments = fold->trace->streams[stream].segment_count;
	int status = 0;

	fold->stream = stream;
	fold->before.insn = (struct tl_xtrace_prev_insn){ 0 };
	fold->before.sp = (struct tl_xtrace_observed_sp){ 0 };
	fold->before.any = false;
	fold->queue.next = 0;
	/* Segments of a share are spliced when all are folded. */
	fold->learning.settled = segments >= WELL_SCOUTED || fold->queue.share.on;
	fold->queue.share.kept_bytes = fold->queue.share.kept_segments = 0;
	fold->queue.parts = tl_zeroed(segments, sizeof(*fold->queue.parts));
	if (!fold->queue.parts ||
	    !tl_xtrace_stack_begin(&fold->stack, false, fold->options.lines)) {
		free(fold->queue.parts);
		return tl_error_memory(err);
	}
	fold->stack.bins.wanted = fold->binned && fold->export;
	fold->stack.log.wanted = fold->watch && fold->export;
	if (fold->stack.log.wanted && !fold->watch->begin(fold->watch->arg, fold))
		fold->no_memory = true;
	status = tl_xtrace_each_segment(fold->trace, stream, fold->options.jobs, segment_fn, fold,
					err);
	tl_xtrace_fold_tell(fold, 0);
	if (fold->stack.log.wanted &&
	    !fold->watch->end(fold->watch->arg, (uint64_t)fold->stack.total.n[TL_XTRACE_IR]))
		fold->no_memory = true;
	if (status == 0 && fold->queue.share.on)
		status = tl_xtrace_fold_share_splice(fold, err);
	for (size_t i = 0; i < segments; i++) {
		struct tl_xtrace_folded_segment *part = &fold->queue.parts[i];

		tl_xtrace_stack_deltas_free(part->deltas, part->delta_count);
		tl_xtrace_stack_deltas_free(part->kept, part->kept_count);
	}
	if (fold->queue.share.on && fold->options.share + 1 < fold->options.shares)
		tl_xtrace_stack_suspend(&fold->stack);
	else
		tl_xtrace_stack_end(&fold->stack);
	if (status == 0 && (fold->no_memory || fold->stack.no_memory))
		status = tl_error_memory(err);
	if (status == 0 && fold->export && !tl_xtrace_function_map_stale(&fold->functions))
		status = fold->binned ? tl_xtrace_bins_end(fold, err)
				      : tl_xtrace_fold_export(fold, err);
	fold->any |= fold->stack.total.n[TL_XTRACE_IR] != 0;
	tl_xtrace_bins_free(&fold->bins);
	tl_xtrace_stack_free(&fold->stack);
	free_workers(fold);
	free(fold->queue.parts);
	free(fold->crossings.list);
	fold->crossings = (struct tl_xtrace_segment_jumps){ 0 };
	fold->queue.parts = NULL;
	return status;
}

static bool is_wanted(const struct tl_xtrace_fold *fold, uint32_t stream)
{
	return fold->options.id == TL_NOWHERE ||
	       fold->trace->streams[stream].info.id == fold->options.id;
}

static int begin_profile(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	static const struct tl_event events[] = {
		{ "Ir", "Instructions", "instructions", "" },
		{ "Loads", "Loads", "accesses", "" },
		{ "Stores", "Stores", "accesses", "" },
		{ "LoadBytes", "Bytes loaded", "bytes", "" },
		{ "StoreBytes", "Bytes stored", "bytes", "" },
	};

	const uint32_t count = fold->trace->no_accesses ? 1 : sizeof(events) / sizeof(events[0]);
	int status = tl_profile_make(&fold->profile, fold->trace->format, events, count, 0, err);

	if (status == 0)
		tl_profile_set_call_count(fold->profile, TL_CALLS_ENTERED);
	return status;
}

static bool is_parted(const struct tl_xtrace_fold *fold)
{
	return fold->binned || tl_xtrace_part_chosen(&fold->options.part);
}

/* Where the part, and intervals, begin and end. */
static int find_places(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	int status = 0;

	if (!is_parted(fold) || fold->places)
		return 0;
	fold->places = tl_zeroed(fold->trace->stream_count, sizeof(*fold->places));
	if (!fold->places)
		return tl_error_memory(err);
	for (uint32_t i = 0; status == 0 && i < fold->trace->stream_count; i++)
		if (is_wanted(fold, i))
			status = tl_xtrace_part_places(fold->trace, &fold->trace->streams[i],
						       &fold->options.part, fold->options.interval,
						       &fold->places[i], err);
	return status;
}

static void free_places(struct tl_xtrace_fold *fold)
{
	for (uint32_t i = 0; fold->places && i < fold->trace->stream_count; i++)
		tl_xtrace_places_free(&fold->places[i]);
	free(fold->places);
}

static int fold_streams(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	int status = fold->export ? begin_profile(fold, err) : 0;

	if (status == 0 && fold->export)
		status = find_places(fold, err);
	fold->any = false;
	tl_xtrace_rewind(fold->trace);
	for (uint32_t i = 0; status == 0 && i < fold->trace->stream_count; i++)
		if (is_wanted(fold, i) && fold->trace->streams[i].size && !fold->learning.again)
			status = fold_stream(fold, i, err);
	return status;
}

/* ---- the whole ---- */

/* Begin a pass with the entries that are known. */
static int restart(struct tl_xtrace_fold *fold, bool learn, struct tl_error *err)
{
	tl_profile_free(fold->profile);
	fold->profile = NULL;
	tl_xtrace_entry_points_free(&fold->entries);
	fold->learning.on = learn;
	fold->learning.again = false;
	if (!tl_xtrace_function_map_restart(&fold->functions, learn))
		return tl_error_memory(err);
	return fold_streams(fold, err);
}

/*
 * Code without symbols belongs to what was called. Mostly that is known before it is executed;
 * otherwise there is a second pass.
 */
static int fold_all(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	int status;

	fold->gather = true;
	/* Calls are told once, so that what is called has to be known before. */
	fold->export = !fold->watch;
	for (uint32_t i = 0; fold->export && i < fold->trace->stream_count; i++)
		if (is_wanted(fold, i) && !tl_xtrace_fold_scout(fold, &fold->trace->streams[i]))
			return tl_error_memory(err);
	do {
		status = restart(fold, fold->export, err);
	} while (status == 0 && fold->learning.again);
	if (status == 0 && (!fold->export || tl_xtrace_function_map_stale(&fold->functions))) {
		fold->gather = false;
		fold->export = true;
		status = restart(fold, false, err);
	}
	tl_xtrace_entry_points_free(&fold->entries);
	if (status == 0 && fold->watch)
		status = fold->watch->finish(fold->watch->arg, fold, err);
	if (status == 0 && is_parted(fold) && !fold->any)
		status = tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				     "there are no instructions in that part");
	if (status < 0)
		return status;
	return tl_profile_finish(fold->profile, err);
}

/* A share of the only stream: the pass with its entries, or another one with those of all. */
static int fold_share(struct tl_xtrace_fold *fold, struct tl_error *err)
{
	struct tl_xtrace_stream *stream = &fold->trace->streams[0];
	int status;

	if (fold->trace->stream_count != 1 || is_parted(fold) || fold->watch ||
	    !fold->options.chain || fold->options.share >= fold->options.shares ||
	    fold->options.shares > stream->segment_count)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "shares are of a whole stream, each with a struct "
				   "tl_share_chain");
	if (!tl_xtrace_fold_scout(fold, stream))
		return tl_error_memory(err);
	tl_xtrace_fold_share_begin(fold, stream);
	fold->gather = fold->export = true;
	do {
		status = restart(fold, true, err);
	} while (status == 0 && fold->learning.again);
	if (status == 0 && tl_xtrace_function_map_stale(&fold->functions)) {
		fold->gather = false;
		status = restart(fold, false, err);
	}
	tl_xtrace_fold_share_end(fold, stream);
	tl_xtrace_entry_points_free(&fold->entries);
	return status < 0 ? status : tl_profile_finish(fold->profile, err);
}

static int check_options(const struct tl_xtrace_fold *fold, struct tl_error *err)
{
	const struct tl_xtrace_fold_options *o = &fold->options;

	if (o->split > TL_XTRACE_BY_TASK || (o->interval && o->split) ||
	    (fold->binned && (o->lines || fold->watch)))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "intervals, levels and tasks go without each other, and "
				   "without lines");
	return 0;
}

int tl_xtrace_fold(struct tl_xtrace_trace *trace, const struct tl_xtrace_fold_options *options,
		   struct tl_profile **profile, struct tl_error *err)
{
	return tl_xtrace_fold_watched(trace, options, NULL, profile, err);
}

int tl_xtrace_fold_watched(struct tl_xtrace_trace *trace,
			   const struct tl_xtrace_fold_options *options,
			   const struct tl_xtrace_call_watch *watch, struct tl_profile **profile,
			   struct tl_error *err)
{
	struct tl_xtrace_fold fold = {
		.trace = trace,
		.options = { .id = TL_NOWHERE },
		.watch = watch,
	};
	int status = 0;

	*profile = NULL;
	if (options)
		status = tl_take_options(&fold.options, sizeof(fold.options), sizeof(*options),
					 options, options->size, err);
	if (status < 0)
		return tl_error_format(err, "xtrace", status);
	pthread_mutex_init(&fold.queue.lock, NULL);
	pthread_cond_init(&fold.queue.spliced, NULL);
	tl_xtrace_function_map_begin(&fold.functions, fold.options.binaries,
				     fold.options.binary_count);
	fold.binned = fold.options.interval || fold.options.split;
	status = check_options(&fold, err);
	if (status == 0)
		status = fold.options.shares > 1 ? fold_share(&fold, err) : fold_all(&fold, err);
	free_places(&fold);
	tl_xtrace_function_map_free(&fold.functions);
	pthread_cond_destroy(&fold.queue.spliced);
	pthread_mutex_destroy(&fold.queue.lock);
	if (status < 0) {
		tl_profile_free(fold.profile);
		return tl_error_format(err, "xtrace", status);
	}
	*profile = fold.profile;
	return 0;
}
