/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/profile/gaps.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"

/* ---- where gaps are ---- */

/* The first gap in the file at or behind an offset. */
static size_t gap_from(const struct tl_xray_reader *reader, uint64_t offset)
{
	size_t low = 0, high = reader->gaps.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->gaps.list[middle].start < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Whether a lost buffer fits: its head and one record. */
static bool holds_records(const struct tl_xray_reader *reader, const struct tl_xray_gap *gap)
{
	uint64_t head = (reader->dialect.version >= 3 ? 5 : 3) * (uint64_t)TL_XRAY_METADATA_BYTES;

	return gap->end - gap->start >= head + TL_XRAY_FUNCTION_BYTES;
}

static const struct tl_xray_gap *gap_between(const struct tl_xray_reader *reader, uint64_t from,
					     uint64_t to)
{
	for (size_t i = gap_from(reader, from);
	     i < reader->gaps.count && reader->gaps.list[i].start < to; i++)
		if (holds_records(reader, &reader->gaps.list[i]))
			return &reader->gaps.list[i];
	return NULL;
}

/* The gap in a block whose extents were wrong, so that some of its records may be missing. */
static const struct tl_xray_gap *torn(const struct tl_xray_reader *reader,
				      const struct tl_xray_block *block)
{
	size_t i = gap_from(reader, block->start);

	return i < reader->gaps.count && reader->gaps.list[i].start == block->start
		       ? &reader->gaps.list[i]
		       : NULL;
}

/* The gap between two blocks of a thread in the order of time; `before` NULL: there is none. */
static const struct tl_xray_gap *gap_before(const struct tl_xray_reader *reader,
					    const struct tl_xray_block *before,
					    const struct tl_xray_block *next)
{
	const struct tl_xray_gap *gap;

	if (!before || before->start < next->start)
		return gap_between(reader, before ? before->start : 0, next->start);
	/*
	 * The ring buffer wrapped: from the previous block to the end of the file, then from its
	 * beginning.
	 */
	gap = gap_between(reader, before->start, UINT64_MAX);
	return gap ? gap : gap_between(reader, 0, next->start);
}

enum tl_xray_gap_kind tl_xray_gap_ahead(const struct tl_xray_stream *stream,
					const struct tl_xray_gap **gap)
{
	const struct tl_xray_reader *reader = stream->reader;
	const struct tl_xray_block *before = stream->block;

	*gap = NULL;
	if (!reader->gaps.count || !stream->order || stream->next_block == stream->end_block)
		return TL_XRAY_NO_GAP;
	*gap = before ? torn(reader, before) : NULL;
	if (*gap)
		return TL_XRAY_GAP;
	*gap = gap_before(reader, before, &reader->blocks[stream->order[stream->next_block]]);
	if (!*gap)
		return TL_XRAY_NO_GAP;
	return reader->thread_count > 1 ? TL_XRAY_MAYBE_GAP : TL_XRAY_GAP;
}

/* ---- records behind a gap ---- */

struct looking {
	struct tl_xray_stream stream;
	struct tl_xray_faults unnoted;
	struct tl_xray_ahead *ahead;
	uint32_t *open; /* frames that were opened behind the gap */
	size_t depth, capacity;
	bool full;
};

/*
 * An exit closes the innermost frame of its function and the frames above it. If none is open
 * behind the gap, the frame was opened before the gap.
 */
static bool look_at_exit(struct looking *l, uint32_t function)
{
	struct tl_xray_ahead *ahead = l->ahead;

	while (l->depth && l->open[l->depth - 1] != function)
		l->depth--;
	if (l->depth) {
		l->depth--;
		return true;
	}
	if (!tl_grow(&ahead->exits, &ahead->capacity, ahead->count + 1, sizeof(*ahead->exits)))
		return false;
	ahead->exits[ahead->count++] = function;
	l->full |= ahead->count == ahead->most_exits;
	return true;
}

static bool look_at(struct looking *l, const struct tl_xray_record *record,
		    tl_xray_number_fn *number, void *arg)
{
	uint32_t function;

	l->full = !l->ahead->most_records--;
	if (!l->ahead->any &&
	    (record->kind == TL_XRAY_FUNCTION || record->kind == TL_XRAY_NEW_CPU ||
	     record->kind == TL_XRAY_TSC_WRAP)) {
		l->ahead->any = true;
		l->ahead->tsc = record->tsc;
	}
	if (record->kind != TL_XRAY_FUNCTION)
		return true;
	function = number(arg, record->function);
	if (function == TL_NONE)
		return false;
	if (record->action == TL_XRAY_EXIT || record->action == TL_XRAY_TAIL_EXIT)
		return look_at_exit(l, function);
	if (!tl_grow(&l->open, &l->capacity, l->depth + 1, sizeof(*l->open)))
		return false;
	l->open[l->depth++] = function;
	return true;
}

/* Go to the next block, unless another gap comes before it. */
static bool next_block(struct looking *l)
{
	const struct tl_xray_gap *gap;

	if (l->ahead->any && tl_xray_gap_ahead(&l->stream, &gap) != TL_XRAY_NO_GAP) {
		l->ahead->to_end = false;
		return false;
	}
	return tl_xray_stream_block(&l->stream);
}

static int look(struct looking *l, tl_xray_number_fn *number, void *arg, struct tl_error *err)
{
	struct tl_xray_record record;
	int status;

	for (;;) {
		status = l->stream.block ? tl_xray_stream_record(&l->stream, &record, err) : 0;
		if (status < 0 || (status == 0 && !next_block(l)))
			return status;
		if (status == 0)
			continue;
		if (record.kind == TL_XRAY_LOST && l->ahead->any) {
			l->ahead->to_end = false;
			return 0;
		}
		if (!look_at(l, &record, number, arg))
			return tl_error_memory(err);
		if (l->full) {
			l->ahead->to_end = false;
			return 0;
		}
	}
}

int tl_xray_look_ahead(const struct tl_xray_stream *stream, tl_xray_number_fn *number, void *arg,
		       struct tl_xray_ahead *ahead, struct tl_error *err)
{
	struct looking l = { .stream = *stream, .ahead = ahead };
	int status;

	ahead->to_end = true;
	l.stream.faults = &l.unnoted;
	l.stream.progress = NULL;
	l.stream.view.data = NULL;
	l.stream.path = NULL;
	l.stream.path_capacity = 0;
	if (ahead->first != TL_NONE && !tl_grow(&l.open, &l.capacity, 1, sizeof(*l.open)))
		return tl_error_memory(err);
	if (ahead->first != TL_NONE)
		l.open[l.depth++] = ahead->first;
	status = look(&l, number, arg, err);
	free(l.unnoted.list);
	free(l.open);
	tl_xray_stream_end(&l.stream);
	return status;
}
