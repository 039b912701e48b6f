/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records to a profile. Each thread is folded by itself, on as many workers as asked for; the
 * results are added in the order of threads, so that the profile does not depend on the number of
 * workers.
 */
#include "xray/profile/fold.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "core/sized.h"
#include "profile/model/model.h"
#include "xray/forks/forks.h"
#include "xray/map/map.h"
#include "xray/profile/flat_fold.h"
#include "xray/profile/pieces.h"
#include "xray/profile/share.h"
#include "xray/profile/thread_fold.h"

struct run {
	struct tl_xray_reader *reader;
	const struct tl_xray_fold_options *options;
	struct tl_profile *profile;
	struct tl_xray_map *map;
	struct tl_xray_call_graph *call_graph; /* NULL: the program is unknown */
	struct tl_xray_thread_fold *folds;     /* those of the present batch */
	struct tl_xray_share share;
	uint32_t *threads; /* the selected ones */
	size_t thread_count, done;
};

/* The blocks of a thread from `begin` to before `end`, before their first record. */
static void begin_blocks(struct run *run, struct tl_xray_thread_fold *work, uint32_t begin,
			 uint32_t end)
{
	const struct tl_xray_fold_options *o = run->options;

	*work = (struct tl_xray_thread_fold){ .options = o, .watched = run->map != NULL };
	work->filtered = o->cpu != TL_NOWHERE || o->from_ticks || o->to_ticks;
	work->error = (struct tl_error){ .status = TL_NO_MEMORY,
					 .text = "out of memory",
					 .offset = TL_NOWHERE,
					 .record = TL_NOWHERE };
	if (run->call_graph)
		work->caller_check = (struct tl_xray_caller_check){ .call_graph = run->call_graph,
								    .ids = &work->ids };
	tl_xray_stream_open(&work->stream, run->reader, run->reader->order, begin, end,
			    &work->faults);
	tl_xray_share_limit(&run->share, work);
}

/* A thread of the batch, before its first record. */
static void begin_work(struct run *run, size_t task)
{
	const struct tl_xray_thread *thread = &run->reader->threads[run->threads[run->done + task]];

	begin_blocks(run, &run->folds[task], thread->begin, thread->end);
}

static void end_work(struct tl_xray_thread_fold *work)
{
	tl_fold_free(&work->fold);
	tl_flat_free(&work->flat);
	tl_xray_caller_check_end(&work->caller_check);
	tl_xray_ids_free(&work->ids);
	tl_xray_stream_end(&work->stream);
	free(work->faults.list);
	free(work->inherited.nodes);
	free(work->actions);
}

/* Without contexts, if that is enough and possible. 1: done; 0: it has to be with contexts. */
static int run_flat(struct run *run, size_t task)
{
	struct tl_xray_thread_fold *work = &run->folds[task];
	int status;

	if (run->share.cuts || !tl_xray_flat_possible(work))
		return 0;
	if (!tl_flat_begin(&work->flat, run->thread_count, run->options->exact))
		return TL_NO_MEMORY;
	if (run->options->arcs && !tl_flat_keep_arcs(&work->flat, run->thread_count))
		return TL_NO_MEMORY;
	status = tl_xray_flat_fold_run(work, &work->flat);
	work->is_flat = status == 1;
	if (status == 0) {
		end_work(work);
		begin_work(run, task);
	}
	return status;
}

static int run_work(void *arg, size_t task)
{
	struct run *run = arg;
	struct tl_xray_thread_fold *work = &run->folds[task];
	int status;

	begin_work(run, task);
	status = run_flat(run, task);
	if (status != 0)
		return tl_error_or_end(status);
	if (!tl_fold_begin(&work->fold, 0, run->options->exact))
		return TL_NO_MEMORY;
	if (run->call_graph) {
		work->fold.could_call = tl_xray_caller_check_could;
		work->fold.could_call_arg = &work->caller_check;
		work->fold.refuse_new_paths = true;
	}
	return tl_xray_thread_fold_run(work);
}

static int add_part(struct run *run, struct tl_xray_thread_fold *work, const struct tl_part *part,
		    const uint32_t *functions, struct tl_error *err)
{
	if (work->is_flat)
		return tl_flat_into(&work->flat, run->profile, part, functions, err);
	return tl_fold_into(&work->fold, run->profile, part, functions, run->options->per_thread,
			    err);
}

/* Add one thread's fold to the profile. */
static int merge_work(struct run *run, struct tl_xray_thread_fold *work,
		      const struct tl_xray_thread *thread, struct tl_error *err)
{
	struct tl_part part = tl_xray_part_of(thread);
	uint32_t *functions = malloc((work->ids.count + 1) * sizeof(*functions));
	int status = tl_error_unless_made(
		functions && tl_xray_faults_merge(&run->reader->faults, &work->faults), err);

	for (size_t i = 0; status == 0 && i < work->ids.count; i++) {
		int64_t number =
			tl_xray_profile_function(run->profile, run->map, work->ids.ids[i], err);

		functions[i] = (uint32_t)number;
		status = tl_profile_status(number);
	}
	if (status == 0 && work->watched &&
	    !tl_xray_note_uses(&run->reader->uses, work->ids.ids, work->actions, work->ids.count))
		status = tl_error_memory(err);
	if (status == 0)
		status = add_part(run, work, &part, functions, err);
	free(functions);
	return status;
}

static void free_folds(struct tl_xray_thread_fold *folds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		end_work(&folds[i]);
}

/* Fold some threads in parallel, then add them in order. */
static int run_batch(struct run *run, unsigned workers, size_t count, struct tl_error *err)
{
	int status;

	memset(run->folds, 0, count * sizeof(*run->folds));
	status = tl_pool_run(workers, count, run_work, run);
	for (size_t i = 0; status < 0 && i < count; i++)
		if (run->folds[i].error.status == (enum tl_status)status) {
			if (err)
				*err = run->folds[i].error;
			break;
		}
	for (size_t i = 0; status == 0 && i < count; i++)
		status = merge_work(run, &run->folds[i],
				    &run->reader->threads[run->threads[run->done + i]], err);
	free_folds(run->folds, count);
	run->done += count;
	return status;
}

/* ---- a thread by several workers ---- */

/* Threads of which few would leave workers without work. */
static bool is_large(const struct run *run, size_t number, unsigned workers)
{
	const struct tl_xray_thread *thread = &run->reader->threads[run->threads[number]];

	return workers > 1 && run->share.count < 2 && run->options->flat && !run->options->arcs &&
	       tl_xray_bytes_of(run->reader, thread->begin, thread->end) >
		       run->reader->size / workers / 2;
}

/*
 * A thread in up to `most` pieces. 1: done; 0: it has to be folded as a whole; negative: an error.
 */
static int run_pieces(struct run *run, unsigned workers, size_t most, struct tl_error *err)
{
	const struct tl_xray_thread *thread = &run->reader->threads[run->threads[run->done]];
	uint32_t *borders = malloc((most + 1) * sizeof(*borders));
	size_t count = 1;
	int status = 0;

	if (!borders)
		return tl_error_memory(err);
	begin_work(run, 0);
	if (tl_xray_flat_possible(&run->folds[0]))
		count = tl_xray_cut_thread(run->reader, thread, most, borders);
	if (count > 1) {
		for (size_t i = 0; i < count; i++)
			begin_blocks(run, &run->folds[i], borders[i], borders[i + 1]);
		status = tl_xray_fold_pieces(run->folds, count, run->thread_count, workers);
	}
	if (status < 0)
		tl_error_memory(err);
	if (status == 1) {
		status = merge_work(run, &run->folds[0], thread, err);
		status = status < 0 ? status : 1;
	}
	free_folds(run->folds, count);
	free(borders);
	run->done += status == 1;
	return status;
}

/* The next threads: a large one by all workers, or some by one worker each. */
static int run_next(struct run *run, unsigned workers, size_t most, struct tl_error *err)
{
	size_t count = tl_min(most, run->thread_count - run->done);
	int status = is_large(run, run->done, workers) ? run_pieces(run, workers, most, err) : 0;

	if (status != 0)
		return tl_error_or_end(status);
	for (size_t i = 1; i < count; i++)
		if (is_large(run, run->done + i, workers))
			count = i;
	return run_batch(run, workers, count, err);
}

static int run_threads(struct run *run, struct tl_error *err)
{
	unsigned workers = run->options->jobs ? run->options->jobs : 1;
	size_t batch = (size_t)workers * 8;
	int status = 0;

	run->share = tl_xray_share_of(run->reader, run->options->share, run->options->shares);
	run->threads = malloc((run->reader->thread_count + 1) * sizeof(*run->threads));
	run->folds = malloc(batch * sizeof(*run->folds));
	if (run->map && run->map->binary)
		run->call_graph = tl_xray_call_graph_open(run->map);
	if (!run->threads || !run->folds || (run->map && run->map->binary && !run->call_graph))
		status = tl_error_memory(err);
	for (uint32_t i = 0; status == 0 && i < run->reader->thread_count; i++)
		if (tl_xray_share_has(&run->share, run->reader, i) &&
		    tl_xray_thread_wanted(run->options, &run->reader->threads[i]) &&
		    !tl_xray_is_inherited(run->reader, &run->reader->threads[i]))
			run->threads[run->thread_count++] = i;
	while (status == 0 && run->done < run->thread_count)
		status = run_next(run, workers, batch, err);
	if (status == 0 && run->call_graph && tl_xray_call_graph_short_of_memory(run->call_graph))
		status = tl_error_memory(err);
	tl_xray_call_graph_close(run->call_graph);
	free(run->threads);
	free(run->folds);
	return status;
}

/* Report calls whose caller is uncertain. In a damaged trace the damage is reported instead. */
static int note_uncertain(struct tl_xray_reader *reader, const struct tl_profile *profile,
			  struct tl_error *err)
{
	static const struct tl_xray_fault fault = {
		.status = TL_BAD_RECORD,
		.text = "calls were left without an exit record (exceptions, longjmp); which "
			"caller made some of "
			"the calls behind them is not certain",
		.offset = TL_NOWHERE,
		.record = TL_NOWHERE,
	};

	if (reader->faults.count || !tl_profile_losses_of(profile).uncertain ||
	    tl_xray_fault(&reader->faults, &fault))
		return 0;
	return tl_error_memory(err);
}

static const struct tl_xray_fold_options everything = {
	.size = sizeof(everything),
	.thread = TL_NOWHERE,
	.process = TL_NOWHERE,
	.cpu = TL_NOWHERE,
};

int tl_xray_fold(struct tl_xray_reader *reader, struct tl_xray_map *map,
		 const struct tl_xray_fold_options *options, struct tl_profile **profile,
		 struct tl_error *err)
{
	static const struct tl_event ticks = { .name = "Ticks",
					       .long_name = "Time stamp counter",
					       .unit = "ticks" };
	struct tl_xray_fold_options taken = everything;
	struct run run = { .reader = reader, .map = map, .options = &taken };
	int status;

	*profile = NULL;
	if (options && options->size < sizeof(*options))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_xray_fold_options is too small");
	if (options)
		tl_take(&taken, sizeof(taken), options, options->size);
	tl_xray_rewind(reader);
	status = tl_profile_make(profile, "xray", &ticks, 1, reader->info.frequency, err);
	if (status < 0)
		return tl_error_format(err, "xray", status);
	run.profile = *profile;
	run.profile->durations.exact = run.options->exact;
	/* Durations by thread are of functions in parts, which have their sums, then. */
	run.profile->sums.only = run.options->sums_alone && !run.options->per_thread;
	run.profile->timed = reader->info.mode != TL_XRAY_PROFILING;
	for (size_t i = 0; i < reader->gaps.count; i++)
		run.profile->losses.skipped_bytes +=
			reader->gaps.list[i].end - reader->gaps.list[i].start;
	run.profile->losses.gaps = reader->gaps.count;
	if (reader->info.mode == TL_XRAY_PROFILING)
		status = tl_xray_fold_profiling(reader, map, run.options, run.profile, err);
	else
		status = run_threads(&run, err);
	if (status == 0)
		status = tl_profile_finish(run.profile, err);
	if (status == 0)
		status = note_uncertain(reader, run.profile, err);
	if (status < 0) {
		tl_profile_free(*profile);
		*profile = NULL;
	}
	return tl_error_format(err, "xray", status);
}
