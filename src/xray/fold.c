/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records to profile. Each thread is folded by itself, on as many workers as asked for, and added
 * to the profile in the order of threads, so that the result is the same whatever the number of
 * workers.
 */
#include "xray/fold.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "profile/fold/fold.h"
#include "profile/model/model.h"
#include "xray/forks.h"
#include "xray/gaps.h"
#include "xray/heritage.h"
#include "xray/ids.h"
#include "xray/judge.h"
#include "xray/map.h"

/* One thread's work. */
struct job {
	const struct tl_xray_fold_options *options;
	struct tl_fold fold;
	struct xray_ids ids;
	struct xray_judge judge;
	struct xray_stream stream;
	struct xray_faults faults;
	struct tl_error error;
	bool filtered, in_window;
	bool cpu_wanted;
	bool watched;     /* what was done with functions is noted: */
	uint8_t *actions; /* by number, bits by enum tl_xray_action */
	size_t action_capacity;
	struct xray_heritage heritage;
};

/* The fold's number of a function id, the same as in `ids`; TL_NONE without memory. */
static uint32_t number_of(void *arg, uint32_t id)
{
	struct job *job = arg;
	uint32_t number = tl_xray_ids_find(&job->ids, id);

	if (number != TL_NONE)
		return number;
	number = tl_xray_ids_add(&job->ids, id);
	if (number != TL_NONE && job->watched) {
		if (!tl_grow(&job->actions, &job->action_capacity, number + (size_t)1, 1))
			return TL_NONE;
		job->actions[number] = 0;
	}
	return number != TL_NONE && tl_fold_add_function(&job->fold) == number ? number : TL_NONE;
}

/* What is inherited, outside the window or on other cpus does not count. */
static void set_gate(struct job *job)
{
	tl_fold_gate(&job->fold, job->in_window && job->cpu_wanted && !job->heritage.inside);
}

/* ---- one record ---- */

/* Cross the borders of the time window where they lie: cost is counted inside it to the tick. */
static void window_time(struct job *job, uint64_t tsc)
{
	const struct tl_xray_fold_options *o = job->options;
	struct tl_fold *fold = &job->fold;
	bool inside = tsc >= o->from_ticks && (!o->to_ticks || tsc < o->to_ticks);

	if (inside != job->in_window) {
		uint64_t border =
			inside && fold->last < o->from_ticks ? o->from_ticks : o->to_ticks;

		if (fold->started && border > fold->last && border <= tsc)
			tl_fold_time(fold, border);
		job->in_window = inside;
		set_gate(job);
	} else if (!inside && fold->started && fold->last < o->from_ticks &&
		   o->from_ticks < o->to_ticks && tsc >= o->to_ticks) {
		/* One step over the whole window. */
		tl_fold_time(fold, o->from_ticks);
		job->in_window = true;
		set_gate(job);
		tl_fold_time(fold, o->to_ticks);
		job->in_window = false;
		set_gate(job);
	}
}

static void fold_time(struct job *job, uint64_t tsc)
{
	if (job->filtered)
		window_time(job, tsc);
	tl_fold_time(&job->fold, tsc);
}

/* A call begins. One along a new path closes the frames that cannot have made it. */
static void enter(struct job *job, uint32_t function)
{
	struct tl_fold *fold = &job->fold;
	size_t kept;

	if (tl_fold_enter(fold, function) || fold->no_memory)
		return;
	kept = tl_xray_judge(&job->judge, fold, function, &job->stream, number_of, job);
	while (tl_fold_depth(fold) > kept) {
		tl_fold_cut(fold, true);
		fold->losses.left_calls++;
	}
	tl_fold_enter_new(fold, function);
	fold->no_memory |= job->judge.no_memory;
}

static void fold_function(struct job *job, unsigned action, uint32_t id, uint64_t tsc)
{
	uint32_t function = number_of(job, id);

	fold_time(job, tsc);
	if (function != TL_NONE && job->watched)
		job->actions[function] |= (uint8_t)(1u << action);
	if (function == TL_NONE)
		job->fold.no_memory = true;
	else if (action == TL_XRAY_EXIT || action == TL_XRAY_TAIL_EXIT)
		tl_fold_leave(&job->fold, function);
	else
		enter(job, function);
}

static void fold_cpu(struct job *job, uint16_t cpu)
{
	job->cpu_wanted = job->options->cpu == TL_NOWHERE || job->options->cpu == cpu;
	set_gate(job);
}

/* ---- gaps ---- */

static void bridge(struct job *job, const struct xray_ahead *ahead)
{
	uint32_t lost = number_of(job, XRAY_LOST_ID);
	struct tl_fold_match match;

	if (lost == TL_NONE)
		job->fold.no_memory = true;
	else if (tl_fold_match_exits(&job->fold, ahead->exits, ahead->count, ahead->to_end,
				     &match)) {
		tl_fold_gap_begin(&job->fold, &match, lost);
		fold_time(job, ahead->tsc);
		tl_fold_gap_end(&job->fold, ahead->exits, match.begun);
	}
}

/* The stream stands before a gap. 0 or negative. */
static int cross_gap(struct job *job, enum xray_gap_kind kind)
{
	/* clang-format off */
	struct xray_ahead ahead = {
		.first = TL_NONE, .most_exits = XRAY_MOST_EXITS, .most_records = UINT64_MAX,
	};
	/* clang-format on */
	int status = tl_xray_look_ahead(&job->stream, number_of, job, &ahead, &job->error);

	if (status == 0 && ahead.any &&
	    (kind == XRAY_GAP || !tl_fold_fits(&job->fold, ahead.exits, ahead.count)))
		bridge(job, &ahead);
	free(ahead.exits);
	return status;
}

/* Any record, decoded. */
static void fold_record(struct job *job, const struct tl_xray_record *record)
{
	switch (record->kind) {
	case TL_XRAY_FUNCTION:
		/* Time up to the record was spent where the one before it was, as a NewCPUId would
		 * have it. */
		if (job->filtered && job->stream.reader->info.mode == TL_XRAY_BASIC) {
			fold_time(job, record->tsc);
			fold_cpu(job, record->cpu);
		}
		fold_function(job, record->action, record->function, record->tsc);
		break;
	case TL_XRAY_NEW_CPU:
	case TL_XRAY_TSC_WRAP:
		fold_time(job, record->tsc);
		if (job->filtered)
			fold_cpu(job, record->cpu);
		break;
	case TL_XRAY_LOST:
		tl_fold_gap(&job->fold);
		job->fold.losses.skipped_bytes += record->length;
		job->fold.no_memory |= cross_gap(job, XRAY_GAP) < 0;
		break;
	default:
		break;
	}
	job->fold.records++;
}

/* ---- one block ---- */

/*
 * Function records are nearly all there is: a run of them is read here, eight bytes at a time, with
 * the dialect known to the compiler and the fold's state in registers. Deltas are unsigned, so time
 * only goes on; that the sum fits is tested for the whole run.
 */
static inline __attribute__((always_inline)) void fold_function_run(struct job *job, bool swap,
								    bool high_bits, bool watched)
{
	struct xray_stream *stream = &job->stream;
	const uint8_t *p = stream->cur.pos, *end = stream->cur.end;
	struct tl_fold *fold = &job->fold;
	uint64_t tsc = stream->tsc, run;
	bool refused = false;

	/* Behind a gap the fold is ahead of the stream's last record. */
	if ((size_t)(end - p) < XRAY_FUNCTION_BYTES)
		return;
	fold_time(job, tsc);
	if (fold->hot.gate & 1 ||
	    (uint64_t)(end - p) > ((uint64_t)INT64_MAX - fold->hot.clock) >> 30)
		return;
	struct tl_fold_hot hot = fold->hot;
	const uint32_t *small = job->ids.small;
	size_t small_count = job->ids.small_count;
	uint8_t *actions = job->actions;

	for (; (size_t)(end - p) >= XRAY_FUNCTION_BYTES; p += XRAY_FUNCTION_BYTES) {
		uint32_t word = tl_get32s(p, swap), delta = tl_get32s(p + 4, swap);
		unsigned action = xray_function_action(high_bits, word);
		uint32_t id = xray_function_id(high_bits, word);

		/* A new function, like any other record, is not for this loop. */
		if (__builtin_expect(xray_is_metadata(high_bits, *p) || id >= small_count ||
					     !small[id] || action > TL_XRAY_ENTER_ARGS,
				     0))
			break;
		tsc += delta;
		hot.clock += delta;
		if (watched)
			actions[small[id] - 1] |= (uint8_t)(1u << action);
		if (action == TL_XRAY_EXIT || action == TL_XRAY_TAIL_EXIT)
			tl_fold_hot_leave(&hot, fold, small[id] - 1);
		else if (__builtin_expect(!tl_fold_hot_enter(&hot, fold, small[id] - 1), 0)) {
			refused = true;
			break;
		}
	}
	/* A new path is asked about outside: the record is not over. */
	if (__builtin_expect(refused, 0)) {
		tsc -= tl_get32s(p + 4, swap);
		hot.clock -= tl_get32s(p + 4, swap);
	}
	fold->hot = hot;
	fold->last = tsc;
	run = (uint64_t)(p - stream->cur.pos) / XRAY_FUNCTION_BYTES;
	fold->records += run;
	stream->record += run;
	stream->cur.pos = p;
	stream->tsc = tsc;
}

/* A block of an FDR log: runs of function records, and everything else through the decoder. 0 or
 * negative. */
static inline __attribute__((always_inline)) int fold_fdr_block(struct job *job, bool swap,
								bool high_bits, bool watched)
{
	struct tl_xray_record record;
	int status;

	for (;;) {
		if (!job->filtered && job->fold.started)
			fold_function_run(job, swap, high_bits, watched);
		status = tl_xray_decode_fdr(&job->stream, &record, &job->error);
		if (status != 1)
			return status;
		fold_record(job, &record);
		if (job->fold.no_memory)
			return tl_error_memory(&job->error);
	}
}

static int fold_block(struct job *job)
{
	const struct xray_dialect *d = &job->stream.reader->dialect;
	struct tl_xray_record record;
	int status;

	if (d->mode == TL_XRAY_FDR && !d->high_bits && !d->swap)
		return job->watched ? fold_fdr_block(job, false, false, true)
				    : fold_fdr_block(job, false, false, false);
	if (d->mode == TL_XRAY_FDR)
		return fold_fdr_block(job, d->swap, d->high_bits, job->watched);
	while ((status = tl_xray_stream_record(&job->stream, &record, &job->error)) == 1) {
		fold_record(job, &record);
		if (job->fold.no_memory)
			return tl_error_memory(&job->error);
	}
	return status;
}

/* ---- one thread ---- */

/* 1: there is one more block; 0: there is none. */
static int next_block(struct job *job)
{
	enum xray_gap_kind kind = tl_xray_gap_ahead(&job->stream);
	int status = kind == XRAY_NO_GAP ? 0 : cross_gap(job, kind);

	if (status < 0)
		return status;
	return tl_xray_stream_block(&job->stream);
}

/* Records that another log tells: the stack that they leave is wanted, and nothing else. */
static int fold_inherited(struct job *job)
{
	uint64_t inherited = job->stream.block->inherited;
	struct tl_xray_record record;
	int status = 1;

	if (!job->heritage.inside)
		tl_xray_heritage_begin(&job->heritage, &job->fold);
	set_gate(job);
	while (status == 1 && tl_cursor_offset(&job->stream.cur) < inherited) {
		status = tl_xray_decode_fdr(&job->stream, &record, &job->error);
		if (status == 1)
			fold_record(job, &record);
		if (job->fold.no_memory)
			return tl_error_memory(&job->error);
	}
	return status < 0 ? status : 0;
}

/* Up to the first record with a time of its own: from there on time is that of this log. */
static int end_heritage(struct job *job)
{
	struct tl_xray_record record;
	int status = 1;

	while (status == 1 && job->heritage.inside) {
		status = tl_xray_decode_fdr(&job->stream, &record, &job->error);
		if (status != 1)
			break;
		if (record.kind == TL_XRAY_FUNCTION || record.kind == TL_XRAY_NEW_CPU) {
			if (!tl_xray_heritage_end(&job->heritage, &job->fold, record.tsc))
				return tl_error_memory(&job->error);
			set_gate(job);
		}
		fold_record(job, &record);
		if (job->fold.no_memory)
			return tl_error_memory(&job->error);
	}
	return status < 0 ? status : 0;
}

static int fold_any_block(struct job *job)
{
	int status = job->stream.block->inherited ? fold_inherited(job) : 0;

	if (status == 0 && job->heritage.inside)
		status = end_heritage(job);
	return status < 0 ? status : fold_block(job);
}

static int fold_thread(struct job *job)
{
	int status;

	job->in_window = !job->options->from_ticks;
	job->cpu_wanted = job->options->cpu == TL_NOWHERE;
	set_gate(job);
	do
		status = next_block(job);
	while (status == 1 && (status = fold_any_block(job)) == 0);
	if (status == 0)
		status = tl_xray_stream_cancelled(&job->stream, &job->error);
	tl_fold_end(&job->fold);
	tl_xray_heritage_settle(&job->heritage, &job->fold);
	if (job->fold.no_memory)
		status = tl_error_memory(&job->error);
	free(job->ids.small);
	job->ids.small = NULL;
	job->ids.small_count = 0;
	return status;
}

/* ---- all threads ---- */

struct run {
	struct tl_xray_reader *reader;
	const struct tl_xray_fold_options *options;
	struct tl_profile *profile;
	struct tl_xray_map *map;
	struct tl_xray_reach *reach; /* NULL: the program is not known */
	struct job *jobs;            /* of the present batch */
	uint32_t *threads;           /* the wanted ones */
	size_t thread_count, done;
};

static int run_job(void *arg, size_t task)
{
	struct run *run = arg;
	struct job *job = &run->jobs[task];
	const struct xray_thread *thread = &run->reader->threads[run->threads[run->done + task]];
	const struct tl_xray_fold_options *o = run->options;

	*job = (struct job){ .options = o, .watched = run->map != NULL };
	job->filtered = o->cpu != TL_NOWHERE || o->from_ticks || o->to_ticks;
	job->error = (struct tl_error){ .status = TL_NO_MEMORY,
					.text = "out of memory",
					.offset = TL_NOWHERE,
					.record = TL_NOWHERE };
	if (!tl_fold_begin(&job->fold, 0, o->exact))
		return TL_NO_MEMORY;
	if (run->reach) {
		job->judge = (struct xray_judge){ .reach = run->reach, .ids = &job->ids };
		job->fold.could = tl_xray_judge_could;
		job->fold.could_arg = &job->judge;
		job->fold.ask = true;
	}
	tl_xray_stream_open(&job->stream, run->reader, run->reader->order, thread->begin,
			    thread->end, &job->faults);
	return fold_thread(job);
}

/* Add one thread's fold to the profile. */
static int merge_job(struct run *run, struct job *job, const struct xray_thread *thread,
		     struct tl_error *err)
{
	struct tl_part part = tl_xray_part_of(thread);
	uint32_t *functions = malloc((job->ids.count + 1) * sizeof(*functions));
	int status = functions && tl_xray_faults_merge(&run->reader->faults, &job->faults)
			     ? 0
			     : tl_error_memory(err);

	for (size_t i = 0; status == 0 && i < job->ids.count; i++) {
		int64_t number =
			tl_xray_profile_function(run->profile, run->map, job->ids.ids[i], err);

		functions[i] = (uint32_t)number;
		status = number < 0 ? (int)number : 0;
	}
	if (status == 0 && job->watched &&
	    !tl_xray_note_uses(&run->reader->uses, job->ids.ids, job->actions, job->ids.count))
		status = tl_error_memory(err);
	if (status == 0)
		status = tl_fold_into(&job->fold, run->profile, &part, functions,
				      run->options->per_thread, err);
	free(functions);
	return status;
}

static void free_jobs(struct job *jobs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		tl_fold_free(&jobs[i].fold);
		tl_xray_judge_end(&jobs[i].judge);
		tl_xray_ids_free(&jobs[i].ids);
		tl_xray_stream_end(&jobs[i].stream);
		free(jobs[i].faults.list);
		free(jobs[i].heritage.nodes);
		free(jobs[i].actions);
	}
}

/* Fold some threads side by side, then merge them in order. */
static int run_batch(struct run *run, unsigned workers, size_t count, struct tl_error *err)
{
	int status;

	memset(run->jobs, 0, count * sizeof(*run->jobs));
	status = tl_pool_run(workers, count, run_job, run);
	for (size_t i = 0; status < 0 && i < count; i++)
		if (run->jobs[i].error.status == (enum tl_status)status) {
			if (err)
				*err = run->jobs[i].error;
			break;
		}
	for (size_t i = 0; status == 0 && i < count; i++)
		status = merge_job(run, &run->jobs[i],
				   &run->reader->threads[run->threads[run->done + i]], err);
	free_jobs(run->jobs, count);
	run->done += count;
	return status;
}

static int run_threads(struct run *run, struct tl_error *err)
{
	unsigned workers = run->options->jobs ? run->options->jobs : 1;
	size_t batch = (size_t)workers * 8;
	int status = 0;

	run->threads = malloc((run->reader->thread_count + 1) * sizeof(*run->threads));
	run->jobs = malloc(batch * sizeof(*run->jobs));
	if (run->map && run->map->binary)
		run->reach = tl_xray_reach_open(run->map);
	if (!run->threads || !run->jobs || (run->map && run->map->binary && !run->reach))
		status = tl_error_memory(err);
	for (uint32_t i = 0; status == 0 && i < run->reader->thread_count; i++)
		if (tl_xray_thread_wanted(run->options, &run->reader->threads[i]) &&
		    !tl_xray_is_inherited(run->reader, &run->reader->threads[i]))
			run->threads[run->thread_count++] = i;
	while (status == 0 && run->done < run->thread_count) {
		size_t left = run->thread_count - run->done;

		status = run_batch(run, workers, left < batch ? left : batch, err);
	}
	if (status == 0 && run->reach && tl_xray_reach_short_of_memory(run->reach))
		status = tl_error_memory(err);
	tl_xray_reach_close(run->reach);
	free(run->threads);
	free(run->jobs);
	return status;
}

/* What the profile only supposes is said; of a damaged trace the damage says it. */
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

	if (reader->faults.count || !tl_profile_losses(profile).uncertain ||
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
	struct run run = { .reader = reader,
			   .map = map,
			   .options = options ? options : &everything };
	int status;

	tl_xray_rewind(reader);
	status = tl_profile_new(profile, "xray", &ticks, 1, reader->info.frequency, err);
	if (status < 0)
		return tl_error_format(err, "xray", status);
	run.profile = *profile;
	run.profile->exact = run.options->exact;
	run.profile->timed = reader->info.mode != TL_XRAY_PROFILING;
	for (size_t i = 0; i < reader->gap_count; i++)
		run.profile->losses.skipped_bytes += reader->gaps[i].end - reader->gaps[i].start;
	run.profile->losses.gaps = reader->gap_count;
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
