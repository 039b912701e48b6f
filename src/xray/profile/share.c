/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/profile/share.h"

#include "core/error.h"
#include "core/wide.h"
#include "xray/profile/flat_fold.h"

uint64_t tl_xray_bytes_of(const struct tl_xray_reader *reader, uint32_t begin, uint32_t end)
{
	uint64_t bytes = 0;

	for (uint32_t i = begin; i < end; i++) {
		const struct tl_xray_block *block = &reader->blocks[reader->order[i]];

		bytes += block->end - block->start;
	}
	return bytes;
}

/* Threads of FDR logs whose buffers are each its own, and follow each other without a gap. */
static bool can_be_cut(const struct tl_xray_reader *reader)
{
	if (reader->info.mode != TL_XRAY_FDR || reader->gaps.count || !reader->order)
		return false;
	for (size_t i = 0; i < reader->block_count; i++)
		if (reader->blocks[i].inherited || reader->blocks[i].copy)
			return false;
	return true;
}

uint32_t tl_xray_most_shares(const struct tl_xray_reader *reader)
{
	size_t most = can_be_cut(reader) ? reader->block_count : reader->thread_count;

	if (!most)
		return 1;
	return most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

/* Whole threads do where none has more than two shares' part of all. */
static bool needs_cuts(const struct tl_xray_reader *reader, uint64_t bytes, uint32_t count)
{
	if (count > reader->thread_count)
		return true;
	for (size_t i = 0; i < reader->thread_count; i++)
		if (tl_xray_bytes_of(reader, reader->threads[i].begin, reader->threads[i].end) / 2 >
		    bytes / count)
			return true;
	return false;
}

/* The block with which share `number` begins, as a place in the order of the reader. */
static uint32_t border(const struct tl_xray_reader *reader, uint64_t bytes, uint32_t number,
		       uint32_t count)
{
	const uint64_t wanted = (uint64_t)tl_share((int64_t)bytes, number, count);
	uint64_t before = 0;
	uint32_t at = 0;

	for (; at < reader->block_count && before < wanted; at++)
		before += tl_xray_bytes_of(reader, at, at + 1);
	return at;
}

struct tl_xray_share tl_xray_share_of(const struct tl_xray_reader *reader, uint32_t number,
				      uint32_t count)
{
	struct tl_xray_share share = { .number = number, .count = count };
	uint64_t bytes;

	if (count < 2 || !can_be_cut(reader))
		return share;
	bytes = tl_xray_bytes_of(reader, 0, (uint32_t)reader->block_count);
	if (!needs_cuts(reader, bytes, count))
		return share;
	share.cuts = true;
	share.begin = border(reader, bytes, number, count);
	share.end = border(reader, bytes, number + 1, count);
	return share;
}

bool tl_xray_share_has(const struct tl_xray_share *share, const struct tl_xray_reader *reader,
		       uint32_t thread)
{
	const struct tl_xray_thread *t = &reader->threads[thread];

	if (share->count < 2)
		return true;
	if (!share->cuts)
		return thread % share->count == share->number;
	return t->begin < share->end && t->end > share->begin;
}

void tl_xray_share_limit(const struct tl_xray_share *share, struct tl_xray_thread_fold *work)
{
	work->begin = work->stream.next_block;
	work->end = work->stream.end_block;
	if (share->cuts && share->begin > work->begin)
		work->begin = share->begin;
	if (share->cuts && share->end < work->end)
		work->end = share->end;
}

bool tl_xray_share_is_part(const struct tl_xray_thread_fold *work)
{
	return work->resumes || work->end < work->stream.end_block;
}

/* ---- the stack at the begin ---- */

static int refuse(struct tl_xray_thread_fold *work)
{
	return tl_error_at(&work->error, TL_UNSUPPORTED, TL_NOWHERE,
			   "calls that end without an exit are not shared out");
}

static void take_stack(struct tl_xray_thread_fold *work, const struct tl_flat *flat)
{
	struct tl_fold *fold = &work->fold;

	for (size_t i = 0; i < work->ids.count && !fold->no_memory; i++)
		tl_fold_add_function(fold);
	for (const struct tl_flat_frame *f = flat->frames + 1;
	     f <= flat->hot.top && !fold->no_memory; f++)
		tl_fold_resume(fold, f->function, flat->hot.clock - f->start);
	fold->started = flat->started;
	fold->last = flat->last;
	fold->first_ticks = flat->first_ticks;
}

int tl_xray_share_resume(struct tl_xray_thread_fold *work)
{
	const uint32_t end = work->stream.end_block;
	struct tl_flat flat;
	int status;

	work->resumes = work->begin > work->stream.next_block;
	if (!work->resumes)
		return 0;
	if (!tl_flat_begin(&flat, 1, false))
		return tl_error_memory(&work->error);
	work->stream.end_block = work->begin;
	status = tl_xray_flat_fold_stack(work, &flat);
	work->stream.end_block = end;
	if (status == 1)
		take_stack(work, &flat);
	tl_flat_free(&flat);
	if (status < 0 || work->fold.no_memory)
		return tl_error_memory(&work->error);
	return status == 1 ? 0 : refuse(work);
}

int tl_xray_share_check(struct tl_xray_thread_fold *work)
{
	const struct tl_losses *losses = &work->fold.losses;

	if (!tl_xray_share_is_part(work))
		return 0;
	if (losses->deduced_exits || losses->left_calls || losses->gaps || losses->saturated ||
	    losses->time_reversals || work->faults.count)
		return refuse(work);
	return 0;
}
