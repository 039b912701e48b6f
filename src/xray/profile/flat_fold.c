/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/profile/flat_fold.h"

#include <stdlib.h>

#include "core/memory.h"
#include "core/error.h"
#include "xray/profile/gaps.h"

static bool is_exit(unsigned action)
{
	return action == TL_XRAY_EXIT || action == TL_XRAY_TAIL_EXIT;
}

uint32_t tl_xray_flat_number(struct tl_xray_thread_fold *work, struct tl_flat *flat, uint32_t id)
{
	uint32_t number = tl_xray_ids_find(&work->ids, id);

	if (number != TL_NONE)
		return number;
	number = tl_xray_ids_add(&work->ids, id);
	if (number == TL_NONE || tl_flat_add_function(flat) != number)
		return TL_NONE;
	if (work->watched) {
		if (!tl_grow(&work->actions, &work->action_capacity, number + (size_t)1, 1))
			return TL_NONE;
		work->actions[number] = 0;
	}
	return number;
}

/* ---- who can call whom ---- */

static inline uint64_t *known_place(const struct tl_xray_flat_fold *f, uint64_t pair)
{
	return &f->known[pair * 0x9e3779b97f4a7c15u >> (64 - TL_XRAY_KNOWN_BITS)];
}

static inline bool is_known(const struct tl_xray_flat_fold *f, uint32_t caller, uint32_t callee)
{
	uint64_t pair = ((uint64_t)caller << 32 | callee) + 1;

	return caller == TL_NONE || *known_place(f, pair) == pair;
}

/* Calls that may have another caller than the innermost frame are for the fold with contexts. */
static void check_caller(struct tl_xray_flat_fold *f, uint32_t caller, uint32_t callee)
{
	uint64_t pair = ((uint64_t)caller << 32 | callee) + 1;

	if (is_known(f, caller, callee))
		return;
	if (f->flat->local && caller >= TL_FLAT_UNKNOWN) {
		tl_flat_note_root(f->flat, callee);
		*known_place(f, pair) = pair;
		return;
	}
	if (tl_xray_caller_check_can(&f->work->caller_check, caller, callee))
		*known_place(f, pair) = pair;
	else
		f->flat->refused = true;
	f->flat->no_memory |= f->work->caller_check.no_memory;
}

/* ---- records ---- */

/* A call begins or ends. False: the fold refuses, or there is no memory. */
static inline __attribute__((always_inline)) bool
step(struct tl_flat_hot *hot, struct tl_flat *flat, uint32_t function, bool exit, bool stack_only)
{
	if (!exit)
		return tl_flat_enter(hot, flat, function);
	if (stack_only)
		return tl_flat_drop(hot, flat, function);
	return tl_flat_leave(hot, flat, function);
}

/* The plain way: any record, decoded. */
static void fold_function(struct tl_xray_flat_fold *f, const struct tl_xray_record *record)
{
	struct tl_flat *flat = f->flat;
	uint32_t function = tl_xray_flat_number(f->work, flat, record->function);
	struct tl_flat_hot hot;

	if (function == TL_NONE) {
		flat->no_memory = true;
		return;
	}
	if (f->work->watched)
		f->work->actions[function] |= (uint8_t)(1u << record->action);
	if (!is_exit(record->action) && f->known)
		check_caller(f, flat->hot.top->function, function);
	hot = flat->hot;
	step(&hot, flat, function, is_exit(record->action), f->stack_only);
	flat->hot = hot;
}

static void fold_record(struct tl_xray_flat_fold *f, const struct tl_xray_record *record)
{
	switch (record->kind) {
	case TL_XRAY_FUNCTION:
		tl_flat_time(f->flat, record->tsc);
		fold_function(f, record);
		break;
	case TL_XRAY_NEW_CPU:
	case TL_XRAY_TSC_WRAP:
		tl_flat_time(f->flat, record->tsc);
		break;
	case TL_XRAY_LOST:
		f->flat->refused = true;
		break;
	default:
		break;
	}
	f->flat->records++;
}

/*
 * The fast path for function records in a row, as fold_function_run() of thread_fold.c: the plain
 * loop that it equals is fold_block() without this call.
 */
static inline __attribute__((always_inline)) void fold_function_run(struct tl_xray_flat_fold *f,
								    bool swap, bool high_bits,
								    bool aware, bool stack_only)
{
	struct tl_xray_thread_fold *work = f->work;
	struct tl_xray_stream *stream = &work->stream;
	const uint8_t *p = stream->cur.pos, *end = stream->cur.end;
	struct tl_flat *flat = f->flat;
	const uint32_t *small = work->ids.small;
	size_t small_count = work->ids.small_count;
	uint64_t tsc = stream->tsc, run;

	if ((size_t)(end - p) < TL_XRAY_FUNCTION_BYTES)
		return;
	tl_flat_time(flat, tsc);
	if ((uint64_t)(end - p) > (flat->most_clock - flat->hot.clock) >> 30)
		return;
	struct tl_flat_hot hot = flat->hot;

	for (; (size_t)(end - p) >= TL_XRAY_FUNCTION_BYTES; p += TL_XRAY_FUNCTION_BYTES) {
		uint32_t word = tl_get32s(p, swap), delta = tl_get32s(p + 4, swap), function;
		unsigned action = tl_xray_function_action(high_bits, word);
		uint32_t id = tl_xray_function_id(high_bits, word);

		/* New functions and all other records take the plain way. */
		if (__builtin_expect(tl_xray_is_metadata(high_bits, *p) || id >= small_count ||
					     !small[id] || action > TL_XRAY_ENTER_ARGS,
				     0))
			break;
		function = small[id] - 1;
		if (aware && f->known && !is_exit(action) &&
		    !is_known(f, hot.top->function, function))
			break;
		if (aware && work->watched && !stack_only)
			work->actions[function] |= (uint8_t)(1u << action);
		tsc += delta;
		hot.clock += delta;
		if (!step(&hot, flat, function, is_exit(action), stack_only))
			break;
	}
	flat->hot = hot;
	flat->last = tsc;
	run = (uint64_t)(p - stream->cur.pos) / TL_XRAY_FUNCTION_BYTES;
	flat->records += run;
	stream->record += run;
	stream->cur.pos = p;
	stream->tsc = tsc;
}

static void run_functions(struct tl_xray_flat_fold *f)
{
	const struct tl_xray_dialect *d = &f->work->stream.reader->dialect;

	if (d->swap || d->high_bits)
		fold_function_run(f, d->swap, d->high_bits, true, f->stack_only);
	else if (f->stack_only)
		fold_function_run(f, false, false, true, true);
	else if (f->known || f->work->watched)
		fold_function_run(f, false, false, true, false);
	else
		fold_function_run(f, false, false, false, false);
}

/* 0, or negative: a fault that reading with contexts is to report, or no memory. */
static int fold_block(struct tl_xray_flat_fold *f)
{
	struct tl_xray_record record;
	int status = 1;

	while (status == 1 && !f->flat->refused && !f->flat->no_memory) {
		if (f->flat->started)
			run_functions(f);
		if (f->flat->refused)
			break;
		status = tl_xray_decode_fdr(&f->work->stream, &record, &f->work->error);
		if (status == 1)
			fold_record(f, &record);
	}
	return tl_error_or_end(status);
}

/* ---- the thread ---- */

bool tl_xray_flat_possible(const struct tl_xray_thread_fold *work)
{
	const struct tl_xray_stream *stream = &work->stream;
	const struct tl_xray_reader *reader = stream->reader;

	if (!work->options->flat || work->options->per_thread || work->filtered ||
	    reader->info.mode != TL_XRAY_FDR || reader->gaps.count)
		return false;
	for (uint32_t i = stream->next_block; i < stream->end_block; i++)
		if (reader->blocks[stream->order[i]].inherited)
			return false;
	return true;
}

static bool next_block(struct tl_xray_flat_fold *f)
{
	const struct tl_xray_block *block = f->work->stream.block;

	if (block)
		f->work->told += block->end - block->start;
	return tl_xray_stream_block(&f->work->stream);
}

static int fold_all(struct tl_xray_flat_fold *f)
{
	int status = 0;

	while (status == 0 && !f->flat->refused && !f->flat->no_memory && next_block(f))
		status = fold_block(f);
	if (f->flat->no_memory)
		return TL_NO_MEMORY;
	if (status == TL_NO_MEMORY)
		return status;
	return status == 0 && !f->flat->refused;
}

void tl_xray_flat_fold_forget(struct tl_xray_thread_fold *work)
{
	if (work->stream.progress)
		atomic_fetch_sub(&work->stream.progress->done, work->told);
	work->told = 0;
}

static int fold_thread(struct tl_xray_thread_fold *work, struct tl_flat *flat, bool stack_only)
{
	struct tl_xray_flat_fold f = { .work = work, .flat = flat, .stack_only = stack_only };
	int status = 0;

	if (work->caller_check.call_graph) {
		f.known = tl_zeroed((size_t)1 << TL_XRAY_KNOWN_BITS, sizeof(*f.known));
		status = f.known ? 0 : TL_NO_MEMORY;
	}
	if (status == 0)
		status = fold_all(&f);
	if (status == 1 && tl_xray_stream_cancelled(&work->stream, NULL) < 0)
		status = 0; /* the fold with contexts ends at once, and says so */
	if (status != 1)
		tl_xray_flat_fold_forget(work);
	free(f.known);
	return status;
}

int tl_xray_flat_fold_stack(struct tl_xray_thread_fold *work, struct tl_flat *flat)
{
	return fold_thread(work, flat, true);
}

int tl_xray_flat_fold_piece(struct tl_xray_thread_fold *work, struct tl_flat *flat)
{
	const struct tl_xray_stream *stream = &work->stream;

	/* The fold of the whole thread takes the time at the head of a block, too. */
	if (flat->local)
		tl_flat_time(flat,
			     stream->reader->blocks[stream->order[stream->next_block]].first_tsc);
	return fold_thread(work, flat, false);
}

void tl_xray_flat_fold_end(struct tl_xray_thread_fold *work, struct tl_flat *flat)
{
	tl_flat_end(flat);
	free(work->ids.small);
	work->ids.small = NULL;
	work->ids.small_count = 0;
}

int tl_xray_flat_fold_run(struct tl_xray_thread_fold *work, struct tl_flat *flat)
{
	int status = fold_thread(work, flat, false);

	if (status == 1)
		tl_xray_flat_fold_end(work, flat);
	return status;
}
