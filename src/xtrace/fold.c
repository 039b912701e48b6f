/* SPDX-License-Identifier: Apache-2.0 */
#include "xtrace/fold.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "profile/model/model.h"

/* ---- several ---- */

static struct xtrace_worker *take_worker(struct xtrace_fold *fold,
					 const struct xtrace_stream *stream)
{
	struct xtrace_worker *worker;

	pthread_mutex_lock(&fold->lock);
	worker = fold->idle;
	if (worker) {
		fold->idle = worker->next;
	} else {
		worker = calloc(1, sizeof(*worker));
		if (worker && !tl_xtrace_blocks_begin(&worker->blocks, &fold->functions)) {
			free(worker);
			worker = NULL;
		}
	}
	pthread_mutex_unlock(&fold->lock);
	if (worker) {
		worker->blocks.kinds = stream->tokens.kind;
		worker->blocks.sizes = stream->tokens.size;
	}
	return worker;
}

static void put_worker(struct xtrace_fold *fold, struct xtrace_worker *worker)
{
	pthread_mutex_lock(&fold->lock);
	worker->next = fold->idle;
	fold->idle = worker;
	pthread_mutex_unlock(&fold->lock);
}

/* A jump over the border of two segments. */
static void count_crossing(struct xtrace_fold *fold, const struct xtrace_place *to)
{
	const struct xtrace_last *last = &fold->last;
	struct xtrace_crossing made = { last->pc, to->pc, to->function,
					last->flow == TL_A64_CONDITIONAL };

	if (last->el != to->el || (last->has_target && to->pc != last->target) ||
	    (last->flow == TL_A64_CONDITIONAL && to->pc == last->pc + 4) ||
	    (last->flow != TL_A64_CONDITIONAL && last->flow != TL_A64_JUMP_REGISTER))
		return;
	if (tl_xtrace_place(&fold->functions, last->pc, last->el).function != to->function)
		return;
	if (tl_grow(&fold->crossings, &fold->crossing_capacity, fold->crossing_count + 1,
		    sizeof(*fold->crossings)))
		fold->crossings[fold->crossing_count++] = made;
	else
		fold->no_memory = true;
}

/* The first instruction of a segment: behind the last one of the segment before it, or behind a
 * gap. */
static void begin_part(struct xtrace_fold *fold, const struct xtrace_step *begin)
{
	const struct xtrace_place *to = &begin->to;
	struct xtrace_told_sp told = { .sp = begin->sp,
				       .known = begin->sp_state == XTRACE_SP_KNOWN };
	struct xtrace_step step = *begin;

	step.kind = fold->begun ? XTRACE_STEP_GAP : XTRACE_STEP_FOUND;
	if (!fold->sp.known && fold->last.el == to->el) {
		fold->sp.sp = told.sp;
		fold->sp.known = told.known;
	}
	fold->stack.switched = fold->sp.switched;
	fold->stack.left = fold->sp.left;
	fold->stack.sp = fold->sp.sp;
	fold->stack.sp_state = fold->sp.known ? XTRACE_SP_KNOWN : XTRACE_SP_UNKNOWN;
	if (fold->last.valid)
		count_crossing(fold, to);
	if (fold->last.valid)
		tl_xtrace_step_to(&fold->stack, &fold->functions,
				  fold->gather ? &fold->entries : NULL, &fold->last, to, told);
	else
		tl_xtrace_stack_step(&fold->stack, &step);
	if (!fold->begun && fold->gather && !to->known &&
	    !tl_xtrace_entries_add(&fold->entries, to->pc))
		fold->no_memory = true;
	fold->begun = true;
}

static void graft(struct xtrace_fold *fold, struct xtrace_span *spans, size_t count)
{
	for (size_t i = 0; i < count && !fold->no_memory; i++) {
		if (spans[i].step.switched == XTRACE_INHERITED) {
			spans[i].step.switched = fold->sp.switched;
			spans[i].step.left = fold->sp.left;
		}
		tl_xtrace_stack_graft(&fold->stack, &spans[i]);
		if (spans[i].step.kind == XTRACE_STEP_BEGIN)
			begin_part(fold, &spans[i].step);
		fold->no_memory |= fold->stack.no_memory;
	}
	tl_xtrace_spans_free(spans, count);
}

void tl_xtrace_fold_spans(struct xtrace_fold *fold, size_t segment, struct xtrace_span *spans,
			  size_t count)
{
	pthread_mutex_lock(&fold->lock);
	while (fold->next != segment)
		pthread_cond_wait(&fold->turn, &fold->lock);
	graft(fold, spans, count);
	pthread_mutex_unlock(&fold->lock);
}

static void graft_part(struct xtrace_fold *fold, struct xtrace_part *part)
{
	fold->no_memory |= part->no_memory;
	graft(fold, part->spans, part->span_count);
	part->spans = NULL;
	part->span_count = 0;
	if (part->last.valid) {
		if (part->sp.switched == XTRACE_INHERITED) {
			part->sp.switched = fold->sp.switched;
			part->sp.left = fold->sp.left;
		}
		fold->last = part->last;
		fold->sp = part->sp;
	}
	if (part->gap)
		fold->last.valid = false;
}

/* So many segments may wait for one that takes long. */
enum { AHEAD = 16 };

/* Segments are added in their order, each by the thread that finds it next and ready. */
static void in_turn(struct xtrace_fold *fold, size_t segment)
{
	size_t count = fold->trace->streams[fold->stream].segment_count;

	pthread_mutex_lock(&fold->lock);
	fold->parts[segment].done = true;
	for (; fold->next < count && fold->parts[fold->next].done; fold->next++)
		graft_part(fold, &fold->parts[fold->next]);
	pthread_cond_broadcast(&fold->turn);
	while (segment > fold->next + AHEAD)
		pthread_cond_wait(&fold->turn, &fold->lock);
	pthread_mutex_unlock(&fold->lock);
}

static int segment_fn(void *arg, struct xtrace_walk *walk, size_t segment, struct tl_error *err)
{
	struct xtrace_fold *fold = arg;
	struct xtrace_part *part = &fold->parts[segment];
	struct xtrace_worker *worker = take_worker(fold, walk->stream);
	bool no_memory;

	if (worker) {
		tl_xtrace_fold_segment(fold, worker, walk, segment, part);
		put_worker(fold, worker);
	} else {
		part->no_memory = true;
	}
	no_memory = part->no_memory;
	in_turn(fold, segment);
	return no_memory ? tl_error_memory(err) : 0;
}

static void free_workers(struct xtrace_fold *fold)
{
	for (struct xtrace_worker *w = fold->idle, *next; w; w = next) {
		next = w->next;
		tl_xtrace_blocks_free(&w->blocks);
		tl_xtrace_entries_free(&w->entries);
		free(w->indirect);
		tl_index_free(&w->indirect_index);
		free(w);
	}
	fold->idle = NULL;
}

static bool take_entries(struct xtrace_fold *fold)
{
	for (const struct xtrace_worker *w = fold->idle; w; w = w->next)
		for (size_t i = 0; i < w->entries.count; i++)
			if (!tl_xtrace_entries_add(&fold->entries, w->entries.list[i]))
				return false;
	return true;
}

static int fold_stream(struct xtrace_fold *fold, uint32_t stream, struct tl_error *err)
{
	size_t segments = fold->trace->streams[stream].segment_count;
	int status = 0;

	fold->stream = stream;
	fold->last = (struct xtrace_last){ 0 };
	fold->sp = (struct xtrace_told_sp){ 0 };
	fold->begun = false;
	fold->next = 0;
	fold->parts = tl_zeroed(segments, sizeof(*fold->parts));
	if (!fold->parts || !tl_xtrace_stack_begin(&fold->stack, false, fold->options.lines)) {
		free(fold->parts);
		return tl_error_memory(err);
	}
	status = tl_xtrace_each_segment(fold->trace, stream, fold->options.jobs, segment_fn, fold,
					err);
	for (size_t i = 0; i < segments; i++)
		tl_xtrace_spans_free(fold->parts[i].spans, fold->parts[i].span_count);
	tl_xtrace_stack_end(&fold->stack);
	if (status == 0 &&
	    (fold->no_memory || fold->stack.no_memory || (fold->gather && !take_entries(fold))))
		status = tl_error_memory(err);
	if (status == 0 && fold->export)
		status = tl_xtrace_fold_export(fold, err);
	tl_xtrace_stack_free(&fold->stack);
	free_workers(fold);
	free(fold->parts);
	free(fold->crossings);
	fold->crossings = NULL;
	fold->crossing_count = fold->crossing_capacity = 0;
	fold->parts = NULL;
	return status;
}

static bool is_wanted(const struct xtrace_fold *fold, uint32_t stream)
{
	return fold->options.id == TL_NOWHERE ||
	       fold->trace->streams[stream].info.id == fold->options.id;
}

static int begin_profile(struct xtrace_fold *fold, struct tl_error *err)
{
	static const struct tl_event events[] = {
		{ "Ir", "Instructions", "instructions", "" },
		{ "Loads", "Loads", "accesses", "" },
		{ "Stores", "Stores", "accesses", "" },
		{ "LoadBytes", "Bytes loaded", "bytes", "" },
		{ "StoreBytes", "Bytes stored", "bytes", "" },
	};

	int status = tl_profile_make(&fold->profile, "xtrace", events,
				     sizeof(events) / sizeof(events[0]), 0, err);

	if (status == 0)
		tl_profile_set_call_count(fold->profile, TL_CALLS_ENTERED);
	return status;
}

static int fold_streams(struct xtrace_fold *fold, struct tl_error *err)
{
	int status = fold->export ? begin_profile(fold, err) : 0;

	tl_xtrace_rewind(fold->trace);
	for (uint32_t i = 0; status == 0 && i < fold->trace->stream_count; i++)
		if (is_wanted(fold, i) && fold->trace->streams[i].size)
			status = fold_stream(fold, i, err);
	return status;
}

/* ---- the whole ---- */

/*
 * Without symbols, functions are what was called, which a first pass finds out. With symbols there
 * is one more only if they turn out not to cover the trace.
 */
static int fold_all(struct xtrace_fold *fold, struct tl_error *err)
{
	int status;

	fold->gather = true;
	fold->export = fold->options.binary_count != 0;
	status = fold_streams(fold, err);
	if (status == 0 && (!fold->export || fold->functions.any_unknown)) {
		tl_profile_free(fold->profile);
		fold->profile = NULL;
		tl_xtrace_functions_entries(&fold->functions, fold->entries.list,
					    fold->entries.count);
		fold->entries.list = NULL;
		fold->gather = false;
		fold->export = true;
		status = fold_streams(fold, err);
	}
	tl_xtrace_entries_free(&fold->entries);
	return status < 0 ? status : tl_profile_finish(fold->profile, err);
}

int tl_xtrace_fold(struct tl_xtrace *trace, const struct tl_xtrace_fold_options *options,
		   struct tl_profile **profile, struct tl_error *err)
{
	struct xtrace_fold fold = { .trace = trace, .options = { .id = TL_NOWHERE } };
	int status;

	*profile = NULL;
	if (options)
		memcpy(&fold.options, options,
		       options->size < sizeof(*options) ? options->size : sizeof(*options));
	pthread_mutex_init(&fold.lock, NULL);
	pthread_cond_init(&fold.turn, NULL);
	tl_xtrace_functions_begin(&fold.functions, fold.options.binaries,
				  fold.options.binary_count);
	status = fold_all(&fold, err);
	tl_xtrace_functions_free(&fold.functions);
	pthread_cond_destroy(&fold.turn);
	pthread_mutex_destroy(&fold.lock);
	if (status < 0) {
		tl_profile_free(fold.profile);
		return tl_error_format(err, "xtrace", status);
	}
	*profile = fold.profile;
	return 0;
}
