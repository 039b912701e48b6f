/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A perf.data file with a part of the trace: of each buffer the PSB segments that ran in a window
 * of time. All other records stay, since code may have been mapped long before the window
 * (docs/formats/perf-data.md section 12).
 */
#include "core/arithmetic.h"
#include "core/error.h"
#include "core/output.h"
#include "intel_pt/listing/slice.h"
#include "perf_data/listing/describe.h"
#include "perf_data/auxtrace/trace.h"

/* Places in the header of a file (section 1) and in AUXTRACE (section 7). */
enum {
	AT_DATA_SIZE = 48,
	AT_FEATURES = 72,
	FEATURES = 256,
	SECTION_BYTES = 16,
	AUXTRACE_BYTES = 48,
	AT_SIZE = 8,
	AT_OFFSET = 16,
};

/* Bytes [from, to) of a stream are kept. */
struct kept {
	const struct tl_perf_aux_stream *stream;
	uint64_t from, to;
};

struct slice {
	const struct tl_perf_trace *trace;
	const struct tl_perf_reader *reader;
	uint64_t from_ticks, to_ticks;
	struct kept *kept;
	size_t count, capacity;
	struct tl_output *out; /* NULL: only count */
	uint64_t bytes;        /* of records */
};

/* ---- byte ranges that are kept ---- */

static int keep_part(struct slice *s, const struct tl_perf_range_walk *walk, struct tl_error *err)
{
	struct tl_pt_config config = s->trace->config;
	struct tl_pt_byte_range part;
	uint64_t first = 0;
	int status;

	config.begin = walk->range.data;
	config.end = walk->range.data + walk->range.size;
	status = tl_pt_first_time(&config, &first, err);
	if (status < 0 || (status && s->to_ticks && first >= s->to_ticks))
		return tl_error_or_end(status);
	status = tl_pt_slice_time(&config, s->from_ticks, s->to_ticks, &part, err);
	if (status < 0 || part.from >= part.to)
		return tl_error_or_end(status);
	if (!tl_grow(&s->kept, &s->capacity, s->count + 1, sizeof(*s->kept)))
		return tl_error_memory(err);
	s->kept[s->count++] = (struct kept){ walk->stream, walk->range.offset + part.from,
					     walk->range.offset + part.to };
	return 0;
}

static int choose(struct slice *s, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < s->trace->aux.stream_count; i++) {
		struct tl_perf_range_walk walk = { .stream = &s->trace->aux.streams[i] };

		if (walk.stream->snapshots || walk.stream->sampled)
			return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
					   "a recording in snapshot mode is one of short parts, "
					   "and is not cut");
		while ((status = tl_perf_range_walk_next(&s->trace->aux, &s->trace->config, &walk,
							 err)) == 1) {
			status = keep_part(s, &walk, err);
			if (status < 0)
				break;
		}
		tl_perf_range_walk_close(&walk);
	}
	return status;
}

/* ---- records ---- */

static void put(struct slice *s, const void *data, size_t size)
{
	if (s->out)
		tl_output_write(s->out, data, size);
	s->bytes += size;
}

static void put64(const struct slice *s, uint8_t *at, uint64_t value)
{
	if (s->reader->header.swapped)
		value = __builtin_bswap64(value);
	memcpy(at, &value, sizeof(value));
}

/* Write bytes [from, to) of a record's chunk; records of perf are multiples of 8 bytes. */
static void put_chunk(struct slice *s, const struct tl_perf_raw_record *raw, uint64_t offset,
		      uint64_t from, uint64_t to)
{
	static const uint8_t pad[8];
	uint8_t record[AUXTRACE_BYTES];
	const size_t size = (size_t)(to - from), fill = -size & 7;

	memcpy(record, raw->at, sizeof(record));
	put64(s, record + AT_SIZE, size + fill);
	put64(s, record + AT_OFFSET, from);
	put(s, record, sizeof(record));
	put(s, raw->at + sizeof(record), raw->size - sizeof(record));
	put(s, raw->data + (from - offset), size);
	put(s, pad, fill);
}

static bool is_of(const struct tl_perf_aux_stream *stream, uint32_t idx, uint32_t tid, uint32_t cpu)
{
	return stream->idx == idx && stream->cpu == cpu &&
	       stream->tid == (cpu == TL_PERF_NO_CPU ? tid : 0);
}

static void put_auxtrace(struct slice *s, const struct tl_perf_raw_record *raw)
{
	struct tl_perf_view v =
		tl_perf_view_of(s->reader, raw->at + AT_OFFSET, raw->size - AT_OFFSET);
	const uint64_t offset = tl_perf_take64(&v), end = offset + raw->data_size;
	uint32_t idx, tid, cpu;

	tl_perf_take64(&v);
	idx = tl_perf_take32(&v);
	tid = tl_perf_take32(&v);
	cpu = tl_perf_take32(&v);
	for (size_t i = 0; i < s->count; i++) {
		const struct kept *k = &s->kept[i];
		const uint64_t from = tl_max(k->from, offset), to = tl_min(k->to, end);

		if (is_of(k->stream, idx, tid, cpu) && from < to)
			put_chunk(s, raw, offset, from, to);
	}
}

/* All records, up to the first that cannot be read. */
static void put_records(struct slice *s)
{
	const struct tl_perf_reader *r = s->reader;
	enum tl_perf_rule rule;
	struct tl_perf_raw_record raw;

	s->bytes = 0;
	for (uint64_t at = r->header.data_offset;
	     at < r->at.end && tl_perf_record_at(r, at, &raw, &rule);
	     at += raw.size + raw.data_size) {
		if (raw.type == TL_PERF_AUXTRACE && raw.size >= AUXTRACE_BYTES)
			put_auxtrace(s, &raw);
		else
			put(s, raw.at, (size_t)(raw.size + raw.data_size));
	}
}

/* ---- the file around them ---- */

static uint64_t table_bytes(const struct tl_perf_reader *r)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < FEATURES; i++)
		bytes += tl_perf_has_feature(r, i) ? SECTION_BYTES : 0;
	return bytes;
}

/* A file that was cut off behind the data has no features. */
static bool has_features(const struct tl_perf_reader *r)
{
	return table_bytes(r) <= r->map_size - (r->header.data_offset + r->header.data_size);
}

/* Features are behind the records: a table of sections, then the sections. */
static void put_features(struct slice *s, uint64_t end)
{
	const struct tl_perf_reader *r = s->reader;
	const uint64_t old_end = r->header.data_offset + r->header.data_size;
	const uint64_t old_table = table_bytes(r);
	const uint64_t table =
		old_table - (tl_perf_has_feature(r, TL_PERF_FEATURE_AUXTRACE) ? SECTION_BYTES : 0);
	uint64_t at = old_end;

	for (unsigned i = 0; i < FEATURES; i++) {
		struct tl_perf_view v = tl_perf_view_of(r, r->map + at, SECTION_BYTES);
		uint8_t section[SECTION_BYTES];
		uint64_t offset;

		if (!tl_perf_has_feature(r, i))
			continue;
		memcpy(section, r->map + at, SECTION_BYTES);
		at += SECTION_BYTES;
		offset = tl_perf_take64(&v);
		if (offset >= old_end + old_table)
			put64(s, section, offset - (old_end + old_table) + end + table);
		if (i != TL_PERF_FEATURE_AUXTRACE)
			put(s, section, SECTION_BYTES);
	}
	put(s, r->map + at, (size_t)(r->map_size - at));
}

static void put_head(struct slice *s, uint64_t records)
{
	const struct tl_perf_reader *r = s->reader;
	uint8_t head[TL_PERF_FILE_HEADER_BYTES];
	uint64_t features[FEATURES / 64] = { 0 };

	memcpy(head, r->map, sizeof(head));
	if (has_features(r))
		memcpy(features, r->header.features, sizeof(features));
	features[0] &= ~(UINT64_C(1) << TL_PERF_FEATURE_AUXTRACE);
	put64(s, head + AT_DATA_SIZE, records);
	for (unsigned i = 0; !r->is_old_header && i < FEATURES / 64; i++)
		put64(s, head + AT_FEATURES + sizeof(features[0]) * i, features[i]);
	put(s, head, sizeof(head));
	put(s, r->map + sizeof(head), (size_t)(r->header.data_offset - sizeof(head)));
}

int tl_perf_slice(struct tl_perf_trace *trace, uint64_t from_ticks, uint64_t to_ticks,
		  struct tl_output *out, struct tl_error *err)
{
	struct slice s = { .trace = trace,
			   .reader = trace->reader,
			   .from_ticks = from_ticks,
			   .to_ticks = to_ticks };
	const struct tl_perf_header *header = &s.reader->header;
	int status = choose(&s, err);
	uint64_t records;

	if (status == 0 && s.reader->parts.count)
		status = tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				     "a recording in a directory cannot be cut");
	if (status == 0 && !header->pipe && header->data_offset < TL_PERF_FILE_HEADER_BYTES)
		status = tl_error_at(err, TL_BAD_FORMAT, 0, "the records overlap the header");
	if (status == 0) {
		put_records(&s);
		records = s.bytes;
		s.out = out;
		if (header->pipe)
			put(&s, s.reader->map, (size_t)header->data_offset);
		else
			put_head(&s, records);
		put_records(&s);
		if (!header->pipe && has_features(s.reader))
			put_features(&s, header->data_offset + records);
	}
	free(s.kept);
	return status;
}
