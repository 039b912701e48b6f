/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a trace, and its records in time order: the threads' streams merged by TSC. */
#include "xray/reader.h"

#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"

/* ---- header ---- */

enum { LATER_VERSIONS = 32 };

static bool known_version(uint16_t version, uint16_t type)
{
	return version >= 1 && ((type == XRAY_TYPE_FDR && version <= 5) || (type == XRAY_TYPE_BASIC && version <= 3));
}

/* The byte order follows from version and type alone (3.5). 1: little, 2: big, 0: neither. */
static int byte_order(const uint8_t *data)
{
	if (known_version(tl_get16s(data, TL_HOST_BIG_ENDIAN), tl_get16s(data + 2, TL_HOST_BIG_ENDIAN)))
		return 1;
	if (known_version(tl_get16s(data, !TL_HOST_BIG_ENDIAN), tl_get16s(data + 2, !TL_HOST_BIG_ENDIAN)))
		return 2;
	return 0;
}

static bool is_profiling(const uint8_t *data, bool *swap)
{
	*swap = tl_get64(data) == __builtin_bswap64(XRAY_PROFILING_MAGIC);
	return *swap || tl_get64(data) == XRAY_PROFILING_MAGIC;
}

/* An FDR header of a version that is not known: to be told by that, if nothing else fits. */
static bool is_later_version(const uint8_t *data)
{
	for (int swap = 0; swap < 2; swap++)
		if (tl_get16s(data + 2, swap) == XRAY_TYPE_FDR && tl_get16s(data, swap) > 5 &&
		    tl_get16s(data, swap) < LATER_VERSIONS)
			return true;
	return false;
}

int tl_xray_probe(const uint8_t *data, size_t size)
{
	bool swap;
	int order;

	if (size >= 8 && is_profiling(data, &swap))
		return 100;
	if (size < 4)
		return 0;
	order = byte_order(data);
	if (!order)
		return size >= XRAY_HEADER_BYTES && is_later_version(data) ? 10 : 0;
	/* A basic-mode header is four bytes that other files may begin with, too. */
	if (tl_get16s(data + 2, (order == 2) != TL_HOST_BIG_ENDIAN) == XRAY_TYPE_FDR)
		return 90;
	return size >= XRAY_HEADER_BYTES ? 50 : 20;
}

/* The first record tells where a big-endian producer begins its bit fields (3.4). */
static bool detect_high_bits(const struct tl_xray_reader *r)
{
	uint8_t first = r->size > XRAY_HEADER_BYTES ? r->data[XRAY_HEADER_BYTES] : 0;

	if (r->options.bit_order != TL_XRAY_BITS_DETECT)
		return r->options.bit_order == TL_XRAY_BITS_HIGH;
	return r->info.big_endian && (first == (0x80 | XRAY_MD_BUFFER_EXTENTS) || first == (0x80 | XRAY_MD_NEW_BUFFER));
}

static int profiling_header(struct tl_xray_reader *r, bool swap, struct tl_error *err)
{
	r->dialect = (struct xray_dialect){ .mode = TL_XRAY_PROFILING, .swap = swap };
	r->info.mode = TL_XRAY_PROFILING;
	r->info.big_endian = swap != TL_HOST_BIG_ENDIAN;
	r->info.version = 1;
	r->info.timestamp = tl_get64s(r->data + 16, swap);
	r->info.process = (int32_t)tl_get64s(r->data + 24, swap);
	if (tl_get64s(r->data + 8, swap) != XRAY_PROFILING_VERSION)
		return tl_error_at(err, TL_UNSUPPORTED, 8, "an XRay profile of a version other than 0x20180424");
	return 0;
}

static int trace_header(struct tl_xray_reader *r, struct tl_error *err)
{
	const uint8_t *p = r->data;
	int order = byte_order(p);
	bool swap = (order == 2) != TL_HOST_BIG_ENDIAN;
	uint32_t flags;

	if (!order) {
		if (tl_get16s(p + 2, TL_HOST_BIG_ENDIAN) <= 1 || tl_get16s(p + 2, !TL_HOST_BIG_ENDIAN) <= 1)
			return tl_error_at(err, TL_UNSUPPORTED, 0,
					   "XRay version other than 1 to 5 (flight data recorder) or 1 to 3 (basic mode)");
		return tl_error_at(err, TL_BAD_FORMAT, 2, "not an XRay trace: its type is neither basic nor FDR");
	}
	flags = tl_get32s(p + 4, swap);
	r->info.version = tl_get16s(p, swap);
	r->info.mode = tl_get16s(p + 2, swap) == XRAY_TYPE_FDR ? TL_XRAY_FDR : TL_XRAY_BASIC;
	r->info.big_endian = order == 2;
	r->info.constant_tsc = flags & 1;
	r->info.nonstop_tsc = flags & 2;
	r->info.frequency = tl_get64s(p + 8, swap);
	if (r->info.mode == TL_XRAY_FDR)
		r->info.buffer_size = tl_get64s(p + 16, swap);
	r->info.high_bits = r->info.mode == TL_XRAY_FDR && detect_high_bits(r);
	r->dialect = (struct xray_dialect){
		.mode = r->info.mode, .version = r->info.version, .swap = swap, .high_bits = r->info.high_bits,
		.tid16 = r->options.tid16,
	};
	return 0;
}

static int read_header(struct tl_xray_reader *r, struct tl_error *err)
{
	bool swap;
	int status;

	r->info.size = r->size;
	if (!r->size)
		return tl_error_at(err, TL_TRUNCATED, 0, "the file is empty");
	if (r->size < XRAY_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->size, "the file ends inside its 32-byte header");
	status = is_profiling(r->data, &swap) ? profiling_header(r, swap, err) : trace_header(r, err);
	if (status == 0 && r->size == XRAY_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->size, "the file holds a header and no records");
	return status;
}

/* ---- blocks ---- */

int tl_xray_add_block(struct tl_xray_reader *reader, const struct xray_block *block, struct tl_error *err)
{
	if (reader->block_count >= TL_NONE || !tl_grow(&reader->blocks, &reader->block_capacity, reader->block_count + 1,
						       sizeof(*reader->blocks)))
		return tl_error_memory(err);
	reader->blocks[reader->block_count++] = *block;
	return 0;
}

int tl_xray_add_gap(struct tl_xray_reader *reader, uint64_t start, uint64_t end, enum tl_status status,
		    const char *text, struct tl_error *err)
{
	struct tl_xray_fault fault = {
		.status = status, .text = text, .offset = start, .length = end - start, .record = TL_NOWHERE,
	};

	if (!tl_xray_fault(&reader->faults, &fault) ||
	    !tl_grow(&reader->gaps, &reader->gap_capacity, reader->gap_count + 1, sizeof(*reader->gaps)))
		return tl_error_memory(err);
	reader->gaps[reader->gap_count++] = (struct xray_gap){ start, end, text };
	if (reader->options.strict)
		return tl_error_at(err, status, start, text);
	return 0;
}

static int by_thread(const void *a, const void *b, void *arg)
{
	const struct tl_xray_reader *r = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct xray_block *x = &r->blocks[i], *y = &r->blocks[j];

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (i > j) - (i < j);
}

/* Within a thread: by first TSC, and as in the file where that ties (3.11). */
static int by_time(const void *a, const void *b, void *arg)
{
	const struct tl_xray_reader *r = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct xray_block *x = &r->blocks[i], *y = &r->blocks[j];

	if (x->first_tsc != y->first_tsc)
		return x->first_tsc < y->first_tsc ? -1 : 1;
	return (i > j) - (i < j);
}

static int add_thread(struct tl_xray_reader *r, uint32_t begin, uint32_t end, struct tl_error *err)
{
	const struct xray_block *first = &r->blocks[r->order[begin]];

	if (!tl_grow(&r->threads, &r->thread_capacity, r->thread_count + 1, sizeof(*r->threads)))
		return tl_error_memory(err);
	r->threads[r->thread_count++] = (struct xray_thread){ first->process, first->thread, begin, end };
	if (r->info.mode != TL_XRAY_FDR)
		return 0; /* in order in the file (2.7) */
	/* A block without a time of its own stays behind the one before it. */
	for (uint32_t i = begin + 1; i < end; i++)
		if (!r->blocks[r->order[i]].timed)
			r->blocks[r->order[i]].first_tsc = r->blocks[r->order[i - 1]].first_tsc;
	qsort_r(r->order + begin, end - begin, sizeof(*r->order), by_time, r);
	return 0;
}

static int order_blocks(struct tl_xray_reader *r, struct tl_error *err)
{
	uint32_t count = (uint32_t)r->block_count, begin = 0;
	int status = 0;

	r->order = malloc((count + 1u) * sizeof(*r->order));
	if (!r->order)
		return tl_error_memory(err);
	for (uint32_t i = 0; i < count; i++)
		r->order[i] = i;
	qsort_r(r->order, count, sizeof(*r->order), by_thread, r);
	for (uint32_t i = 1; status == 0 && i <= count; i++) {
		const struct xray_block *a = &r->blocks[r->order[begin]];

		if (i < count && r->blocks[r->order[i]].thread == a->thread &&
		    r->blocks[r->order[i]].process == a->process)
			continue;
		status = add_thread(r, begin, i, err);
		begin = i;
	}
	r->info.blocks = count;
	r->info.threads = (uint32_t)r->thread_count;
	return status;
}

static int index_blocks(struct tl_xray_reader *r, struct tl_error *err)
{
	int status;

	if (r->info.mode == TL_XRAY_FDR)
		status = tl_xray_index_fdr(r, err);
	else if (r->info.mode == TL_XRAY_BASIC)
		status = tl_xray_index_basic(r, err);
	else
		status = tl_xray_index_profiling(r, err);
	if (status == 0 && !r->block_count)
		status = tl_error_at(err, TL_BAD_RECORD, XRAY_HEADER_BYTES, "no record could be found behind the header");
	if (status == 0)
		status = order_blocks(r, err);
	r->index_faults = r->faults;
	return status;
}

int tl_xray_open(struct tl_xray_reader **reader, struct tl_source *source, const struct tl_xray_options *options,
		 struct tl_error *err)
{
	struct tl_xray_reader *r = calloc(1, sizeof(*r));
	int status;

	*reader = NULL;
	if (!r)
		return tl_error_memory(err);
	r->source = source;
	if (options)
		r->options = *options;
	status = tl_source_map(source, &r->data, &r->size, err);
	if (status == 0)
		status = read_header(r, err);
	if (status == 0)
		status = index_blocks(r, err);
	if (status < 0) {
		tl_xray_close(r);
		return tl_error_format(err, "xray", status);
	}
	*reader = r;
	return 0;
}

const struct tl_xray_info *tl_xray_info(const struct tl_xray_reader *reader)
{
	return &reader->info;
}

const struct tl_xray_fault *tl_xray_faults(const struct tl_xray_reader *reader, size_t *listed, uint64_t *count,
					   uint64_t *skipped_bytes)
{
	*listed = reader->faults.listed;
	*count = reader->faults.count;
	*skipped_bytes = reader->faults.skipped_bytes;
	return reader->faults.list;
}

/* ---- merging ---- */

/* A stream with its next record. */
struct merge_head {
	struct xray_stream stream;
	struct tl_xray_record record;
};

struct xray_merge {
	struct merge_head *heads; /* a head per thread; one for all in file order */
	uint32_t *heap;           /* heads by the time of their record */
	size_t count, open;
	bool pending;             /* the record of heap[0] was given out */
	size_t next_gap;
};

static void merge_free(struct xray_merge *m)
{
	if (!m)
		return;
	for (size_t i = 0; m->heads && i < m->count; i++)
		tl_xray_stream_end(&m->heads[i].stream);
	free(m->heads);
	free(m->heap);
	free(m);
}

static bool comes_before(const struct xray_merge *m, uint32_t a, uint32_t b)
{
	uint64_t x = m->heads[a].record.tsc, y = m->heads[b].record.tsc;

	/* Heads are numbered by (process, thread): ties are broken by that (3.12). */
	return x != y ? x < y : a < b;
}

static void sift_down(struct xray_merge *m, size_t at)
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
	struct xray_merge *m = r->merge = calloc(1, sizeof(*m));
	size_t count = file_order ? 1 : r->thread_count;

	if (!m)
		return tl_error_memory(err);
	m->heads = calloc(count, sizeof(*m->heads));
	m->heap = calloc(count, sizeof(*m->heap));
	if (!m->heads || !m->heap)
		return tl_error_memory(err);
	m->count = count;
	for (size_t i = 0; i < count; i++) {
		const struct xray_thread *t = &r->threads[i];
		struct merge_head *head = &m->heads[i];
		int status;

		if (file_order)
			tl_xray_stream_begin(&head->stream, r, NULL, 0, (uint32_t)r->block_count, &r->faults);
		else
			tl_xray_stream_begin(&head->stream, r, r->order, t->begin, t->end, &r->faults);
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

/* Read on where the last record was given out. */
static int merge_advance(struct xray_merge *m, struct tl_error *err)
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

/* What stands between blocks: in its place in file order, else at the end. */
static bool next_gap(const struct tl_xray_reader *r, struct tl_xray_record *record)
{
	struct xray_merge *m = r->merge;
	const struct xray_gap *gap = &r->gaps[m->next_gap];

	if (m->next_gap == r->gap_count)
		return false;
	if (m->open && (r->options.order == TL_XRAY_TIME_ORDER || gap->start > m->heads[0].record.offset))
		return false;
	*record = (struct tl_xray_record){
		.kind = TL_XRAY_LOST, .offset = gap->start, .length = gap->end - gap->start, .text = gap->text,
	};
	m->next_gap++;
	return true;
}

int tl_xray_next(struct tl_xray_reader *reader, struct tl_xray_record *record, struct tl_error *err)
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

void tl_xray_rewind(struct tl_xray_reader *reader)
{
	merge_free(reader->merge);
	reader->merge = NULL;
	reader->faults.listed = reader->index_faults.listed;
	reader->faults.count = reader->index_faults.count;
	reader->faults.skipped_bytes = reader->index_faults.skipped_bytes;
}

void tl_xray_close(struct tl_xray_reader *reader)
{
	if (!reader)
		return;
	merge_free(reader->merge);
	free(reader->blocks);
	free(reader->gaps);
	free(reader->order);
	free(reader->threads);
	free(reader->faults.list);
	free(reader);
}
