/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a trace in time order (a heap of streams, one a thread, by TSC), or in the order
 * of the file.
 */
#include <stdlib.h>

#include "core/error.h"
#include "core/sized.h"
#include "xray/records/reader.h"

/* A stream with its next record. */
struct merge_head {
	struct tl_xray_stream stream;
	struct tl_xray_record record;
};

struct tl_xray_merge {
	struct merge_head *heads; /* one for each thread; in file order one for all */
	uint32_t *heap;           /* indices of heads, ordered by the time of their records */
	size_t count, open;
	bool pending; /* the record of heap[0] was returned to the caller */
	size_t next_gap;
};

void tl_xray_merge_free(struct tl_xray_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->heads && i < m->count; i++)
		tl_xray_stream_end(&m->heads[i].stream);
	free(m->heads);
	free(m->heap);
	free(m);
}

static bool comes_before(const struct tl_xray_merge *m, uint32_t a, uint32_t b)
{
	uint64_t x = m->heads[a].record.tsc, y = m->heads[b].record.tsc;

	/* Heads are numbered by (process, thread), which decides between equal times (3.12). */
	return x != y ? x < y : a < b;
}

static void sift_down(struct tl_xray_merge *m, size_t at)
{
	for (;;) {
		size_t least = at, child = 2 * at + 1;

		for (size_t c = child; c < child + 2 && c < m->open; c++)
			if (comes_before(m, m->heap[c], m->heap[least]))
				least = c;
		if (least == at)
			return;
		uint32_t moved = m->heap[at];

		m->heap[at] = m->heap[least];
		m->heap[least] = moved;
		at = least;
	}
}

static int merge_begin(struct tl_xray_reader *r, struct tl_error *err)
{
	bool file_order = r->options.order == TL_XRAY_FILE_ORDER;
	struct tl_xray_merge *m = r->merge = calloc(1, sizeof(*m));
	size_t count = file_order ? 1 : r->thread_count;

	if (!m)
		return tl_error_memory(err);
	m->heads = calloc(count, sizeof(*m->heads));
	m->heap = calloc(count, sizeof(*m->heap));
	if (!m->heads || !m->heap)
		return tl_error_memory(err);
	m->count = count;
	for (size_t i = 0; i < count; i++) {
		const struct tl_xray_thread *t = &r->threads[i];
		struct merge_head *head = &m->heads[i];
		int status;

		if (file_order)
			tl_xray_stream_open(&head->stream, r, NULL, 0, (uint32_t)r->block_count,
					    &r->faults);
		else
			tl_xray_stream_open(&head->stream, r, r->order, t->begin, t->end,
					    &r->faults);
		status = tl_xray_stream_next(&head->stream, &head->record, err);
		if (status < 0)
			return status;
		if (status)
			m->heap[m->open++] = (uint32_t)i;
	}
	for (size_t i = m->open; i-- > 0;)
		sift_down(m, i);
	return 0;
}

/* Advance the stream whose record was returned last. */
static int merge_advance(struct tl_xray_merge *m, struct tl_error *err)
{
	struct merge_head *head;
	int status;

	if (!m->pending)
		return 0;
	m->pending = false;
	head = &m->heads[m->heap[0]];
	status = tl_xray_stream_next(&head->stream, &head->record, err);
	if (status < 0)
		return status;
	if (!status)
		m->heap[0] = m->heap[--m->open];
	sift_down(m, 0);
	return 0;
}

/* The next gap between blocks: in file order at its place, in time order at the end. */
static bool next_gap(const struct tl_xray_reader *r, struct tl_xray_record *record)
{
	struct tl_xray_merge *m = r->merge;
	const struct tl_xray_gap *gap;

	if (m->next_gap == r->gaps.count)
		return false;
	gap = &r->gaps.list[m->next_gap];
	if (m->open &&
	    (r->options.order == TL_XRAY_TIME_ORDER || gap->start > m->heads[0].record.offset))
		return false;
	*record = (struct tl_xray_record){
		.kind = TL_XRAY_LOST,
		.offset = gap->start,
		.length = gap->end - gap->start,
		.text = gap->text,
	};
	m->next_gap++;
	return true;
}

int tl_xray_next_record(struct tl_xray_reader *reader, struct tl_xray_record *record,
			struct tl_error *err)
{
	int status = 0;

	if (!reader->merge)
		status = merge_begin(reader, err);
	if (status == 0)
		status = merge_advance(reader->merge, err);
	if (status < 0)
		return tl_error_format(err, "xray", status);
	if (next_gap(reader, record))
		return 1;
	if (!reader->merge->open)
		return 0;
	*record = reader->merge->heads[reader->merge->heap[0]].record;
	reader->merge->pending = true;
	return 1;
}

int tl_xray_next(struct tl_xray_reader *reader, struct tl_xray_record *record, size_t size,
		 struct tl_error *err)
{
	struct tl_xray_record next;
	int status;

	if (size < sizeof(next))
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the size of a struct tl_xray_record is too small");
	status = tl_xray_next_record(reader, &next, err);
	if (status > 0)
		tl_copy_sized(record, size, &next, sizeof(next));
	return status;
}
