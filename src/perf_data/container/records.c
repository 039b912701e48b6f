/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where records begin and end, and where reading goes on behind a record whose size is wrong
 * (docs/formats/perf-data.md section 4).
 */
#include "perf_data/container/reader.h"

enum { RESYNC_CHAIN = 4 };

/* The size of the data behind a record, which the size in its header does not count. */
static void find_data(const struct tl_perf_reader *r, struct tl_perf_raw_record *raw,
		      uint64_t *size)
{
	struct tl_perf_view v = tl_perf_view_of(r, raw->at + TL_PERF_RECORD_HEADER_BYTES,
						raw->size - TL_PERF_RECORD_HEADER_BYTES);

	*size = 0;
	if (raw->type == TL_PERF_AUXTRACE && tl_perf_view_has(&v, 8))
		*size = tl_perf_take64(&v);
	else if (raw->type == TL_PERF_HEADER_TRACING_DATA && tl_perf_view_has(&v, 4))
		*size = ((uint64_t)tl_perf_take32(&v) + 7) & ~UINT64_C(7);
}

int tl_perf_record_at(const struct tl_perf_reader *r, uint64_t at, struct tl_perf_raw_record *raw,
		      enum tl_perf_rule *rule)
{
	const uint64_t left = r->at.end - at;
	struct tl_perf_view v = tl_perf_view_of(r, r->map + at, (size_t)left);
	uint64_t data;

	*rule = TL_PERF_RULE_RECORD_CUT;
	if (left < TL_PERF_RECORD_HEADER_BYTES)
		return 0;
	*raw = (struct tl_perf_raw_record){ .at = v.pos, .offset = at, .inside = TL_NOWHERE };
	raw->type = tl_perf_take32(&v);
	tl_perf_take16(&v);
	raw->size = tl_perf_take16(&v);
	if (raw->size < TL_PERF_RECORD_HEADER_BYTES || raw->size > left) {
		if (raw->size < TL_PERF_RECORD_HEADER_BYTES || !tl_perf_layout_find(raw->type))
			*rule = TL_PERF_RULE_RECORD_SIZE;
		return 0;
	}
	find_data(r, raw, &data);
	raw->data = raw->at + raw->size;
	raw->data_size = data;
	*rule = TL_PERF_RULE_DATA_CUT;
	if (data <= left - raw->size)
		return 1;
	raw->data_size = left - raw->size;
	return 1;
}

/* Whether a record of a known type, with a size that its type allows, is at `at`. */
static bool plausible(const struct tl_perf_reader *r, uint64_t at, struct tl_perf_raw_record *raw)
{
	const struct tl_perf_layout *layout;
	enum tl_perf_rule rule;
	uint64_t data;

	if (!tl_perf_record_at(r, at, raw, &rule))
		return false;
	layout = tl_perf_layout_find(raw->type);
	find_data(r, raw, &data);
	return layout && raw->size >= TL_PERF_RECORD_HEADER_BYTES + layout->least &&
	       data == raw->data_size && (raw->size % 8 == 0 || raw->type == TL_PERF_COMPRESSED);
}

/* Whether RESYNC_CHAIN such records follow each other, or reach the end. */
static bool is_record(const struct tl_perf_reader *r, uint64_t at)
{
	struct tl_perf_raw_record raw;

	for (int i = 0; i < RESYNC_CHAIN && at < r->at.end; i++) {
		if (!plausible(r, at, &raw))
			return false;
		at += raw.size + raw.data_size;
	}
	return true;
}

/*
 * The next place where records can begin. Records are multiples of 8 bytes, except that COMPRESSED
 * ones (before perf 6.16) end at any byte, so that later records begin at any byte.
 */
static uint64_t resync(const struct tl_perf_reader *r, uint64_t at)
{
	const uint64_t step = r->at.unaligned ? 1 : 8;

	for (at += step; at < r->at.end; at += step)
		if (is_record(r, at))
			return at;
	return r->at.end;
}

static int skip_damage(struct tl_perf_reader *r, enum tl_perf_rule rule, struct tl_error *err)
{
	const uint64_t next = resync(r, r->at.pos);
	int status;

	/* If other records follow, a record past the end is not cut short: its size is wrong. */
	if (next < r->at.end)
		rule = TL_PERF_RULE_RECORD_SIZE;
	status = tl_perf_rule_broken(r, rule, r->at.pos, next - r->at.pos, err);
	r->at.pos = next;
	return status;
}

/*
 * Records are gone over twice, first for their times, and the first time only the head of each is
 * read, which no processor takes for reading in order. Short ones are fetched whole, some ahead; of
 * long ones, which have copies of the stack, the head of the next one and what may be its end, as
 * the next is often as long as this one.
 */
static void fetch_ahead(const struct tl_perf_raw_record *raw)
{
	enum { LINE = 64, SHORT = 2048, AHEAD = 2048 };
	const uintptr_t next = (uintptr_t)raw->at + raw->size;

	if (raw->size > SHORT) {
		__builtin_prefetch((const void *)next);
		__builtin_prefetch((const void *)(next + raw->size - 1));
		return;
	}
	for (uintptr_t at = next; at < next + raw->size; at += LINE)
		__builtin_prefetch((const void *)(at + AHEAD), 0, 2);
}

/* The next record as it is stored, COMPRESSED ones included. */
static int stored_next(struct tl_perf_reader *r, struct tl_perf_raw_record *raw,
		       struct tl_error *err)
{
	while (r->at.pos < r->at.end) {
		enum tl_perf_rule rule;
		uint64_t data;
		int status;

		if (!tl_perf_record_at(r, r->at.pos, raw, &rule)) {
			status = skip_damage(r, rule, err);
			if (status < 0)
				return status;
			continue;
		}
		find_data(r, raw, &data);
		if (data != raw->data_size) {
			status = tl_perf_rule_broken(r, TL_PERF_RULE_DATA_CUT, r->at.pos, 0, err);
			if (status < 0)
				return status;
		}
		r->at.pos += raw->size + raw->data_size;
		fetch_ahead(raw);
		return 1;
	}
	return 0;
}

static bool is_compressed(const struct tl_perf_raw_record *raw)
{
	return raw->type == TL_PERF_COMPRESSED || raw->type == TL_PERF_COMPRESSED2;
}

static int any_next(struct tl_perf_reader *r, struct tl_perf_raw_record *raw, struct tl_error *err)
{
	for (;;) {
		int status = r->decompressor ? tl_perf_decompress_next(r, raw, err) : 0;

		if (status)
			return status;
		status = stored_next(r, raw, err);
		if (status < 0 || (!status && !r->decompressor))
			return status;
		if (!status)
			return tl_perf_decompress_end(r, err);
		if (!is_compressed(raw))
			return 1;
		r->at.unaligned = true;
		status = tl_perf_decompress_feed(r, raw, err);
		if (status < 0 || r->options.compressed)
			return status < 0 ? status : 1;
	}
}

int tl_perf_raw_next(struct tl_perf_reader *r, struct tl_perf_raw_record *raw, struct tl_error *err)
{
	int status;

	do
		status = any_next(r, raw, err);
	while (status == 0 && tl_perf_next_part(r));
	r->at.ended = !status;
	if (status <= 0)
		return status;
	raw->number = r->at.number;
	/* Events are forgotten at the begin of a pass, and so are their names and machines. */
	if (r->at.number >= r->at.known || raw->type == TL_PERF_HEADER_ATTR ||
	    raw->type == TL_PERF_EVENT_UPDATE || raw->type == TL_PERF_ID_INDEX)
		status = tl_perf_load_metadata(r, raw, err);
	r->at.number++;
	if (status < 0)
		return status;
	return 1;
}
