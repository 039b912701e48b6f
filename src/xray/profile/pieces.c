/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/profile/pieces.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/pool.h"
#include "xray/profile/flat_fold.h"
#include "xray/profile/share.h"

static const struct tl_xray_block *block_at(const struct tl_xray_reader *reader, uint32_t place)
{
	return &reader->blocks[reader->order[place]];
}

/* The time of a block without a time of its own is that of the one before it. */
static bool can_begin(const struct tl_xray_block *block)
{
	return block->timed && block->end - block->start >= TL_XRAY_METADATA_BYTES;
}

size_t tl_xray_cut_thread(const struct tl_xray_reader *reader, const struct tl_xray_thread *thread,
			  size_t most, uint32_t *borders)
{
	const uint64_t bytes = tl_xray_bytes_of(reader, thread->begin, thread->end);
	const uint64_t wanted = tl_min(most, bytes / TL_XRAY_LEAST_PIECE);
	size_t count = 1;
	uint64_t before = 0;

	borders[0] = thread->begin;
	for (uint32_t i = thread->begin; i < thread->end && count < wanted; i++) {
		if (before >= bytes / wanted * count && can_begin(block_at(reader, i)))
			borders[count++] = i;
		before += tl_xray_bytes_of(reader, i, i + 1);
	}
	borders[count] = thread->end;
	return count;
}

/* ---- folding ---- */

struct work {
	struct tl_xray_thread_fold *pieces;
	size_t threads;
};

static int fold_piece(void *arg, size_t task)
{
	struct work *work = arg;
	struct tl_xray_thread_fold *piece = &work->pieces[task];
	int status;

	if (!tl_flat_begin(&piece->flat, work->threads, piece->options->exact) ||
	    (task && !tl_flat_begin_local(&piece->flat)))
		return TL_NO_MEMORY;
	status = tl_xray_flat_fold_piece(piece, &piece->flat);
	piece->is_flat = status == 1;
	return tl_error_or_end(status);
}

static bool can_call(void *arg, uint32_t caller, uint32_t callee)
{
	return tl_xray_caller_check_can(arg, caller, callee);
}

/* The numbers that functions of a piece have in the first one. False without memory. */
static bool number_functions(struct tl_xray_thread_fold *first,
			     const struct tl_xray_thread_fold *piece, uint32_t *functions)
{
	for (size_t i = 0; i < piece->ids.count; i++) {
		functions[i] = tl_xray_flat_number(first, &first->flat, piece->ids.ids[i]);
		if (functions[i] == TL_NONE)
			return false;
		if (first->watched)
			first->actions[functions[i]] |= piece->actions[i];
	}
	return true;
}

/* 1: done; 0: refused; negative: no memory. */
static int splice(struct tl_xray_thread_fold *first, struct tl_xray_thread_fold *piece)
{
	uint32_t *functions = malloc((piece->ids.count + 1) * sizeof(*functions));
	struct tl_xray_caller_check *check = &first->caller_check;
	bool done = functions && number_functions(first, piece, functions) &&
		    tl_flat_splice(&first->flat, &piece->flat, functions,
				   check->call_graph ? can_call : NULL, check);

	free(functions);
	if (done)
		return 1;
	return first->flat.refused && !first->flat.no_memory && !check->no_memory ? 0
										  : TL_NO_MEMORY;
}

int tl_xray_fold_pieces(struct tl_xray_thread_fold *pieces, size_t count, size_t threads,
			unsigned workers)
{
	struct work work = { .pieces = pieces, .threads = threads };
	int status = tl_pool_run(workers, count, fold_piece, &work);

	status = status < 0 ? status : 1;
	for (size_t i = 0; i < count && status == 1; i++)
		status = pieces[i].is_flat;
	for (size_t i = 1; i < count && status == 1; i++)
		status = splice(&pieces[0], &pieces[i]);
	pieces[0].is_flat = status == 1;
	if (status == 1)
		tl_xray_flat_fold_end(&pieces[0], &pieces[0].flat);
	for (size_t i = 0; i < count && status == 0; i++)
		tl_xray_flat_fold_forget(&pieces[i]);
	return status;
}
