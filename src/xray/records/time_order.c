/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records of a trace in time order (of streams, one a thread, by TSC), or in the order of the
 * file.
 */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/sized.h"
#include "xray/records/reader.h"

enum { MOST_SCANNED = 8 };

/* A stream with its next record. */
struct merge_head {
	struct tl_xray_stream stream;
	bool plain;                   /* it is a plain one, which is not yet decoded */
	struct tl_xray_record record; /* any other */
};

struct merge_place {
	uint64_t tsc; /* of the record */
	uint32_t head;
	uint32_t word, delta; /* of a plain one */
};

struct tl_xray_merge {
	struct merge_head *heads; /* one for each thread; in file order one for all */
	/* Of few streams in the order of heads, `first` the earliest; of many a heap. */
	struct merge_place *places;
	size_t count, open, first;
	bool pending; /* the record of places[first] was returned to the caller */
	size_t next_gap;
};

void tl_xray_merge_free(struct tl_xray_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->heads && i < m->count; i++)
		tl_xray_stream_end(&m->heads[i].stream);
	free(m->heads);
	free(m->places);
	free(m);
}

static bool comes_before(struct merge_place a, struct merge_place b)
{
	/* Heads are numbered by (process, thread), which decides between equal times (3.12). */
	return a.tsc != b.tsc ? a.tsc < b.tsc : a.head < b.head;
}

static void sift_down(struct tl_xray_merge *m, size_t at)
{
	struct merge_place *heap = m->places;
	const struct merge_place moved = heap[at];
	const size_t open = m->open;

	for (size_t child; (child = 2 * at + 1) < open; at = child) {
		if (child + 1 < open)
			child += comes_before(heap[child + 1], heap[child]);
		if (!comes_before(heap[child], moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/*
 * Which of a few streams is next changes at random: to look at all of them costs less than the
 * branches of a heap, half of which are foreseen wrongly.
 */
static bool is_scanned(const struct tl_xray_merge *m)
{
	return m->count <= MOST_SCANNED;
}

static inline void find_first(struct tl_xray_merge *m)
{
	const struct merge_place *places = m->places;
	uint64_t least = places[0].tsc;
	size_t first = 0;

	for (size_t i = 1; i < m->open; i++) {
		const bool less = places[i].tsc < least;

		first = less ? i : first;
		least = less ? places[i].tsc : least;
	}
	m->first = first;
}

/* The time of the record at `first` has changed. */
static inline void order_first(struct tl_xray_merge *m)
{
	if (is_scanned(m))
		find_first(m);
	else
		sift_down(m, 0);
}

/* The stream at `first` has ended. */
static void drop_first(struct tl_xray_merge *m)
{
	m->open--;
	if (is_scanned(m))
		memmove(&m->places[m->first], &m->places[m->first + 1],
			(m->open - m->first) * sizeof(*m->places));
	else
		m->places[0] = m->places[m->open];
}

/* ---- records that need no decoder ---- */

/* The words of a function record without arguments that is next. False: another one is. */
static inline bool peek(const struct tl_xray_stream *stream, uint32_t *word, uint32_t *delta)
{
	const struct tl_xray_dialect *d = &stream->reader->dialect;
	const uint8_t *p = stream->cur.pos;
	size_t left = (size_t)(stream->cur.end - p);

	if (left < TL_XRAY_FUNCTION_BYTES || tl_xray_is_metadata(d->high_bits, *p))
		return false;
	*word = tl_get32s(p, d->swap);
	*delta = tl_get32s(p + 4, d->swap);
	return tl_xray_function_action(d->high_bits, *word) <= TL_XRAY_ENTER_ARGS &&
	       tl_xray_function_id(d->high_bits, *word) &&
	       (left == TL_XRAY_FUNCTION_BYTES ||
		p[TL_XRAY_FUNCTION_BYTES] != tl_xray_metadata_byte(d, TL_XRAY_MD_CALL_ARGUMENT));
}

/* Have the next record of a head, and its time in its place. As tl_xray_stream_next(). */
static int look(struct merge_head *head, struct merge_place *place, struct tl_error *err)
{
	int status;

	head->plain = head->stream.reader->info.mode == TL_XRAY_FDR &&
		      peek(&head->stream, &place->word, &place->delta);
	if (head->plain) {
		place->tsc = head->stream.tsc + place->delta;
		return 1;
	}
	status = tl_xray_stream_next(&head->stream, &head->record, err);
	place->tsc = head->record.tsc;
	return status;
}

static int merge_begin(struct tl_xray_reader *r, struct tl_error *err)
{
	bool file_order = r->options.order == TL_XRAY_FILE_ORDER;
	struct tl_xray_merge *m = r->merge = calloc(1, sizeof(*m));
	size_t count = file_order ? 1 : r->thread_count;

	if (!m)
		return tl_error_memory(err);
	m->heads = calloc(count, sizeof(*m->heads));
	m->places = calloc(count, sizeof(*m->places));
	if (!m->heads || !m->places)
		return tl_error_memory(err);
	m->count = count;
	for (size_t i = 0; i < count; i++) {
		const struct tl_xray_thread *t = &r->threads[i];
		struct merge_head *head = &m->heads[i];
		struct merge_place place = { .head = (uint32_t)i };
		int status;

		if (file_order)
			tl_xray_stream_open(&head->stream, r, NULL, 0, (uint32_t)r->block_count,
					    &r->faults);
		else
			tl_xray_stream_open(&head->stream, r, r->order, t->begin, t->end,
					    &r->faults);
		status = look(head, &place, err);
		if (status < 0)
			return status;
		if (status)
			m->places[m->open++] = place;
	}
	for (size_t i = is_scanned(m) ? 0 : m->open; i-- > 0;)
		sift_down(m, i);
	if (m->open && is_scanned(m))
		find_first(m);
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
	head = &m->heads[m->places[m->first].head];
	status = look(head, &m->places[m->first], err);
	if (status < 0)
		return status;
	if (!status)
		drop_first(m);
	if (m->open)
		order_first(m);
	return 0;
}

/* The next gap between blocks: in file order at its place, in time order at the end. */
static bool next_gap(const struct tl_xray_reader *r, struct tl_xray_record *record)
{
	struct tl_xray_merge *m = r->merge;
	const struct tl_xray_gap *gap;
	uint64_t offset;

	if (m->next_gap == r->gaps.count)
		return false;
	gap = &r->gaps.list[m->next_gap];
	offset = m->heads[0].plain ? tl_cursor_offset(&m->heads[0].stream.cur)
				   : m->heads[0].record.offset;
	if (m->open && (r->options.order == TL_XRAY_TIME_ORDER || gap->start > offset))
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

/* Have the next record of each stream. 0 or negative. */
static int ready(struct tl_xray_reader *reader, struct tl_error *err)
{
	int status = reader->merge ? 0 : merge_begin(reader, err);

	if (status == 0)
		status = merge_advance(reader->merge, err);
	return tl_error_format(err, "xray", status);
}

int tl_xray_next_record(struct tl_xray_reader *reader, struct tl_xray_record *record,
			struct tl_error *err)
{
	int status = ready(reader, err);
	struct merge_head *head;

	if (status < 0)
		return status;
	if (next_gap(reader, record))
		return 1;
	if (!reader->merge->open)
		return 0;
	head = &reader->merge->heads[reader->merge->places[reader->merge->first].head];
	if (head->plain) {
		status = tl_xray_stream_next(&head->stream, &head->record, err);
		if (status <= 0)
			return tl_error_format(err, "xray", status);
	}
	*record = head->record;
	reader->merge->pending = true;
	return 1;
}

/* Take the plain record at a place from its stream. */
static inline struct tl_xray_plain take(struct tl_xray_stream *stream,
					const struct merge_place *place)
{
	bool high_bits = stream->reader->dialect.high_bits;
	uint64_t offset = tl_cursor_offset(&stream->cur);

	stream->cur.pos += TL_XRAY_FUNCTION_BYTES;
	stream->record++;
	stream->tsc = place->tsc;
	return (struct tl_xray_plain){ .offset = offset,
				       .tsc = place->tsc,
				       .function = tl_xray_function_id(high_bits, place->word),
				       .delta = place->delta,
				       .action = tl_xray_function_action(high_bits, place->word),
				       .thread_number = place->head,
				       .stream = stream };
}

int tl_xray_next_plain(struct tl_xray_reader *reader, struct tl_xray_plain *records, size_t most,
		       struct tl_error *err)
{
	int status = ready(reader, err);
	struct tl_xray_merge *m = reader->merge;
	size_t count = 0;

	if (status < 0)
		return status;
	if (reader->options.order == TL_XRAY_FILE_ORDER && m->next_gap < reader->gaps.count)
		return 0;
	while (count < most && m->open && m->heads[m->places[m->first].head].plain) {
		struct merge_place *place = &m->places[m->first];
		struct tl_xray_stream *stream = &m->heads[place->head].stream;

		records[count++] = take(stream, place);
		/* Others change what the stream says of its records: they are decoded later. */
		m->pending = !peek(stream, &place->word, &place->delta);
		if (m->pending)
			break;
		place->tsc += place->delta;
		order_first(m);
	}
	return (int)count;
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
