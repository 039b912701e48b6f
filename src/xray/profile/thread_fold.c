/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/profile/thread_fold.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "xray/profile/fold.h"
#include "xray/profile/gaps.h"
#include "xray/profile/share.h"

/* The fold's number of a function id, the same as in `ids`; TL_NONE without memory. */
static uint32_t number_of(void *arg, uint32_t id)
{
	struct tl_xray_thread_fold *work = arg;
	uint32_t number = tl_xray_ids_find(&work->ids, id);

	if (number != TL_NONE)
		return number;
	number = tl_xray_ids_add(&work->ids, id);
	if (number != TL_NONE && work->watched) {
		if (!tl_grow(&work->actions, &work->action_capacity, number + (size_t)1, 1))
			return TL_NONE;
		work->actions[number] = 0;
	}
	return number != TL_NONE && tl_fold_add_function(&work->fold) == number ? number : TL_NONE;
}

/*
 * Close the gate of the fold for inherited records, outside the time window, and on other
 * processors.
 */
static void set_gate(struct tl_xray_thread_fold *work)
{
	tl_fold_gate(&work->fold, work->in_window && work->cpu_wanted && !work->inherited.inside);
}

/* ---- one record ---- */

/*
 * Open or close the gate exactly at a border of the time window, so that cost is counted to the
 * tick.
 */
static void window_time(struct tl_xray_thread_fold *work, uint64_t tsc)
{
	const struct tl_xray_fold_options *o = work->options;
	struct tl_fold *fold = &work->fold;
	bool inside = tsc >= o->from_ticks && (!o->to_ticks || tsc < o->to_ticks);

	if (inside != work->in_window) {
		uint64_t border =
			inside && fold->last < o->from_ticks ? o->from_ticks : o->to_ticks;

		if (fold->started && border > fold->last && border <= tsc)
			tl_fold_time(fold, border);
		work->in_window = inside;
		set_gate(work);
	} else if (!inside && fold->started && fold->last < o->from_ticks &&
		   o->from_ticks < o->to_ticks && tsc >= o->to_ticks) {
		/* Both borders lie between two records. */
		tl_fold_time(fold, o->from_ticks);
		work->in_window = true;
		set_gate(work);
		tl_fold_time(fold, o->to_ticks);
		work->in_window = false;
		set_gate(work);
	}
}

static void fold_time(struct tl_xray_thread_fold *work, uint64_t tsc)
{
	if (work->filtered)
		window_time(work, tsc);
	tl_fold_time(&work->fold, tsc);
}

/*
 * Enter a function. If the path of calls is new, frames that cannot have made the call are closed
 * first.
 */
static void enter(struct tl_xray_thread_fold *work, uint32_t function)
{
	struct tl_fold *fold = &work->fold;
	size_t kept;

	if (tl_fold_enter(fold, function) || fold->no_memory)
		return;
	kept = tl_xray_frames_kept(&work->caller_check, fold, function, &work->stream, number_of,
				   work);
	while (tl_fold_depth(fold) > kept) {
		tl_fold_cut(fold, true);
		fold->losses.left_calls++;
	}
	tl_fold_enter_new(fold, function);
	fold->no_memory |= work->caller_check.no_memory;
}

static void fold_function(struct tl_xray_thread_fold *work, unsigned action, uint32_t id,
			  uint64_t tsc)
{
	uint32_t function = number_of(work, id);

	fold_time(work, tsc);
	if (function != TL_NONE && work->watched)
		work->actions[function] |= (uint8_t)(1u << action);
	if (function == TL_NONE)
		work->fold.no_memory = true;
	else if (action == TL_XRAY_EXIT || action == TL_XRAY_TAIL_EXIT)
		tl_fold_leave(&work->fold, function);
	else
		enter(work, function);
}

static void fold_cpu(struct tl_xray_thread_fold *work, uint16_t cpu)
{
	work->cpu_wanted = work->options->cpu == TL_NOWHERE || work->options->cpu == cpu;
	set_gate(work);
}

/* ---- gaps ---- */

static void bridge(struct tl_xray_thread_fold *work, const struct tl_xray_ahead *ahead)
{
	uint32_t lost = number_of(work, TL_XRAY_LOST_ID);
	struct tl_fold_match match;

	if (lost == TL_NONE)
		work->fold.no_memory = true;
	else if (tl_fold_match_exits(&work->fold, ahead->exits, ahead->count, ahead->to_end,
				     &match)) {
		tl_fold_gap_begin(&work->fold, &match, lost);
		fold_time(work, ahead->tsc);
		tl_fold_gap_end(&work->fold, ahead->exits, match.begun);
	}
}

/* Handle the gap before the next record of the stream. 0 or negative. */
static int cross_gap(struct tl_xray_thread_fold *work, enum tl_xray_gap_kind kind)
{
	/* clang-format off */
	struct tl_xray_ahead ahead = {
		.first = TL_NONE, .most_exits = TL_XRAY_MOST_EXITS, .most_records = UINT64_MAX,
	};
	/* clang-format on */
	int status = tl_xray_look_ahead(&work->stream, number_of, work, &ahead, &work->error);

	if (status == 0 && ahead.any &&
	    (kind == TL_XRAY_GAP || !tl_fold_fits(&work->fold, ahead.exits, ahead.count)))
		bridge(work, &ahead);
	free(ahead.exits);
	return status;
}

/* The plain way: any record, decoded. */
static void fold_record(struct tl_xray_thread_fold *work, const struct tl_xray_record *record)
{
	switch (record->kind) {
	case TL_XRAY_FUNCTION:
		/*
		 * Time up to this record was spent on the processor of the record before, as with
		 * NewCPUId records of FDR logs.
		 */
		if (work->filtered && work->stream.reader->info.mode == TL_XRAY_BASIC) {
			fold_time(work, record->tsc);
			fold_cpu(work, record->cpu);
		}
		fold_function(work, record->action, record->function, record->tsc);
		break;
	case TL_XRAY_NEW_CPU:
	case TL_XRAY_TSC_WRAP:
		fold_time(work, record->tsc);
		if (work->filtered)
			fold_cpu(work, record->cpu);
		break;
	case TL_XRAY_LOST:
		tl_fold_gap(&work->fold);
		work->fold.losses.skipped_bytes += record->length;
		work->fold.no_memory |= cross_gap(work, TL_XRAY_GAP) < 0;
		break;
	default:
		break;
	}
	work->fold.records++;
}

/* ---- one block ---- */

/*
 * The fast path for consecutive function records, which are nearly all records: eight bytes at a
 * time, with the dialect known at compile time and the fold's state in registers. The plain loop
 * that it equals is fold_fdr_block() without this call: tl_xray_decode_fdr() and fold_record() for
 * each record. Deltas are unsigned, so time never decreases; that it does not overflow is checked
 * once for all records of the loop.
 */
static inline __attribute__((always_inline)) void
fold_function_run(struct tl_xray_thread_fold *work, bool swap, bool high_bits, bool watched)
{
	struct tl_xray_stream *stream = &work->stream;
	const uint8_t *p = stream->cur.pos, *end = stream->cur.end;
	struct tl_fold *fold = &work->fold;
	uint64_t tsc = stream->tsc, run;
	bool refused = false;

	/* Behind a gap the time of the fold is later than that of the stream's last record. */
	if ((size_t)(end - p) < TL_XRAY_FUNCTION_BYTES)
		return;
	fold_time(work, tsc);
	if (fold->hot.gate & 1 ||
	    (uint64_t)(end - p) > ((uint64_t)INT64_MAX - fold->hot.clock) >> 30)
		return;
	struct tl_fold_hot hot = fold->hot;
	const uint32_t *small = work->ids.small;
	size_t small_count = work->ids.small_count;
	uint8_t *actions = work->actions;

	for (; (size_t)(end - p) >= TL_XRAY_FUNCTION_BYTES; p += TL_XRAY_FUNCTION_BYTES) {
		uint32_t word = tl_get32s(p, swap), delta = tl_get32s(p + 4, swap);
		unsigned action = tl_xray_function_action(high_bits, word);
		uint32_t id = tl_xray_function_id(high_bits, word);

		/* New functions and all other records take the plain way. */
		if (__builtin_expect(tl_xray_is_metadata(high_bits, *p) || id >= small_count ||
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
	/* A new call path takes the plain way: undo the time of this record. */
	if (__builtin_expect(refused, 0)) {
		tsc -= tl_get32s(p + 4, swap);
		hot.clock -= tl_get32s(p + 4, swap);
	}
	fold->hot = hot;
	fold->last = tsc;
	run = (uint64_t)(p - stream->cur.pos) / TL_XRAY_FUNCTION_BYTES;
	fold->records += run;
	stream->record += run;
	stream->cur.pos = p;
	stream->tsc = tsc;
}

/*
 * A block of an FDR log: the fast path for function records, the plain way for the others. 0 or
 * negative.
 */
static inline __attribute__((always_inline)) int
fold_fdr_block(struct tl_xray_thread_fold *work, bool swap, bool high_bits, bool watched)
{
	struct tl_xray_record record;
	int status;

	for (;;) {
		if (!work->filtered && work->fold.started)
			fold_function_run(work, swap, high_bits, watched);
		status = tl_xray_decode_fdr(&work->stream, &record, &work->error);
		if (status != 1)
			return status;
		fold_record(work, &record);
		if (work->fold.no_memory)
			return tl_error_memory(&work->error);
	}
}

static int fold_block(struct tl_xray_thread_fold *work)
{
	const struct tl_xray_dialect *d = &work->stream.reader->dialect;
	struct tl_xray_record record;
	int status;

	if (d->mode == TL_XRAY_FDR && !d->high_bits && !d->swap)
		return work->watched ? fold_fdr_block(work, false, false, true)
				     : fold_fdr_block(work, false, false, false);
	if (d->mode == TL_XRAY_FDR)
		return fold_fdr_block(work, d->swap, d->high_bits, work->watched);
	while ((status = tl_xray_stream_record(&work->stream, &record, &work->error)) == 1) {
		fold_record(work, &record);
		if (work->fold.no_memory)
			return tl_error_memory(&work->error);
	}
	return status;
}

/* ---- one thread ---- */

/* Go to the next block. 1: there is one; 0: there is none; or negative. */
static int next_block(struct tl_xray_thread_fold *work)
{
	const struct tl_xray_gap *gap;
	enum tl_xray_gap_kind kind;
	int status;

	if (work->stream.next_block == work->end) {
		tl_xray_stream_leave(&work->stream);
		return 0;
	}
	kind = tl_xray_gap_ahead(&work->stream, &gap);
	status = kind == TL_XRAY_NO_GAP ? 0 : cross_gap(work, kind);
	if (status < 0)
		return status;
	return tl_xray_stream_block(&work->stream);
}

/* Fold inherited records of a block: they only build the stack, since another log counts them. */
static int fold_inherited(struct tl_xray_thread_fold *work)
{
	uint64_t inherited = work->stream.block->inherited;
	struct tl_xray_record record;
	int status = 1;

	if (!work->inherited.inside)
		tl_xray_inherited_begin(&work->inherited, &work->fold);
	set_gate(work);
	while (status == 1 && tl_cursor_offset(&work->stream.cur) < inherited) {
		status = tl_xray_decode_fdr(&work->stream, &record, &work->error);
		if (status == 1)
			fold_record(work, &record);
		if (work->fold.no_memory)
			return tl_error_memory(&work->error);
	}
	return tl_error_or_end(status);
}

/* Read up to the first record with a time, from which on time is that of this process. */
static int end_inherited(struct tl_xray_thread_fold *work)
{
	struct tl_xray_record record;
	int status = 1;

	while (status == 1 && work->inherited.inside) {
		status = tl_xray_decode_fdr(&work->stream, &record, &work->error);
		if (status != 1)
			break;
		if (record.kind == TL_XRAY_FUNCTION || record.kind == TL_XRAY_NEW_CPU) {
			if (!tl_xray_inherited_end(&work->inherited, &work->fold, record.tsc))
				return tl_error_memory(&work->error);
			set_gate(work);
		}
		fold_record(work, &record);
		if (work->fold.no_memory)
			return tl_error_memory(&work->error);
	}
	return tl_error_or_end(status);
}

static int fold_any_block(struct tl_xray_thread_fold *work)
{
	int status = work->stream.block->inherited ? fold_inherited(work) : 0;

	if (status == 0 && work->inherited.inside)
		status = end_inherited(work);
	if (status < 0)
		return status;
	return fold_block(work);
}

int tl_xray_thread_fold_run(struct tl_xray_thread_fold *work)
{
	int status;

	work->in_window = !work->options->from_ticks;
	work->cpu_wanted = work->options->cpu == TL_NOWHERE;
	set_gate(work);
	status = tl_xray_share_resume(work);
	if (status < 0)
		return status;
	do
		status = next_block(work);
	while (status == 1 && (status = fold_any_block(work)) == 0);
	if (status == 0)
		status = tl_xray_stream_cancelled(&work->stream, &work->error);
	if (work->end < work->stream.end_block)
		tl_fold_pause(&work->fold);
	else
		tl_fold_end(&work->fold);
	if (status == 0)
		status = tl_xray_share_check(work);
	tl_xray_inherited_settle(&work->inherited, &work->fold);
	if (work->fold.no_memory)
		status = tl_error_memory(&work->error);
	free(work->ids.small);
	work->ids.small = NULL;
	work->ids.small_count = 0;
	return status;
}
