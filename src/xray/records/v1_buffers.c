/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of version 1's buffers, which have no extents. All buffers have one size: records, then
 * EndOfBuffer and filler. The header's buffer size is that of one buffer, or, by the published
 * text, that of all buffers (docs/formats/xray.md, 3.1). It is used if buffers stand at that
 * distance, otherwise the distance at which they do stand. A missing buffer, or one that lost
 * bytes, is then noticed and does not affect the others.
 */
#include <stdlib.h>

#include "core/error.h"
#include "xray/records/fdr_buffers.h"

/* Whether the bytes from `at` to the end are whole buffers of this size. */
static bool divides_rest(const struct tl_xray_reader *r, uint64_t at, uint64_t size)
{
	return r->size - at >= size && (r->size - at) % size == 0;
}

/*
 * Whether the header's size is that of one buffer: another buffer begins where one ends, or the
 * file ends there. With a single head nothing contradicts it.
 */
static bool header_is_right(const struct tl_xray_reader *r)
{
	uint64_t size = r->info.buffer_size, at, next;
	size_t heads = 0;

	if (size < 2 * TL_XRAY_METADATA_BYTES || size > r->size)
		return false;
	for (at = tl_xray_next_head(r, TL_XRAY_HEADER_BYTES).start; at < r->size; at = next) {
		next = tl_xray_next_head(r, at + TL_XRAY_METADATA_BYTES).start;
		if (tl_xray_is_buffer(r, at + size) ||
		    (divides_rest(r, at, size) && next - at >= size))
			return true;
		heads++;
	}
	return heads == 1;
}

/* Number of pairs of neighbouring heads, and of those at a given distance. */
struct distances {
	uint64_t all, equal;
	/* the distance of more than half of the pairs, if there is one (majority vote) */
	uint64_t usual, votes;
};

static struct distances measure(const struct tl_xray_reader *r, uint64_t distance)
{
	uint64_t at = tl_xray_next_head(r, TL_XRAY_HEADER_BYTES).start, next;
	struct distances d = { .all = 0 };

	for (; at < r->size; at = next) {
		next = tl_xray_next_head(r, at + TL_XRAY_METADATA_BYTES).start;
		if (next == r->size)
			break;
		d.all++;
		d.equal += next - at == distance;
		if (!d.votes)
			d.usual = next - at;
		/* A pair at another distance takes a vote away, so a majority remains. */
		if (next - at == d.usual)
			d.votes++;
		else
			d.votes--;
	}
	return d;
}

/* The distance of most neighbours, 0: there is none. */
static uint64_t usual_distance(const struct tl_xray_reader *r)
{
	uint64_t usual = measure(r, 0).usual;
	struct distances d = measure(r, usual);

	return d.equal >= 2 && 2 * d.equal > d.all ? usual : 0;
}

uint64_t tl_xray_buffer_spacing(const struct tl_xray_reader *reader)
{
	return header_is_right(reader) ? reader->info.buffer_size : usual_distance(reader);
}

/* The end of a buffer's EndOfBuffer record, or of its last whole record. */
static int body_end(const struct tl_xray_reader *r, uint64_t start, uint64_t *end,
		    struct tl_error *err)
{
	struct tl_xray_faults unnoted = { 0 };
	struct tl_xray_record record = { 0 };
	struct tl_xray_stream stream;
	int status;

	tl_xray_stream_begin(&stream, r, NULL, 0, 0, &unnoted);
	tl_xray_stream_place(&stream, start, r->size);
	*end = start;
	while ((status = tl_xray_decode_fdr(&stream, &record, err)) == 1 &&
	       record.kind != TL_XRAY_LOST)
		*end = record.offset + record.length;
	tl_xray_stream_end(&stream);
	free(unnoted.list);
	return tl_error_if_memory(status);
}

/* A buffer with more records than fit its size takes several units, as our writer makes them. */
static uint64_t whole_units(uint64_t size, uint64_t spacing)
{
	uint64_t units = size / spacing + (size % spacing != 0);

	return units > UINT64_MAX / spacing ? UINT64_MAX : units * spacing;
}

static int tell(struct tl_xray_reader *r, uint64_t start, bool last, bool shorter,
		struct tl_error *err)
{
	const char *text = "a buffer is longer than the others; kept the records that can be read";

	if (last)
		text = "the last buffer is cut short; kept the records that are there";
	else if (shorter)
		text = "a buffer is shorter than the others; kept the records that are there";
	return tl_xray_add_gap(r, start, start, TL_BAD_SIZE, text, err);
}

/*
 * The records end at `after`, and the next head stands at `next`. The bytes between are filler, or
 * a missing buffer.
 */
static int end_by_spacing(struct tl_xray_reader *r, uint64_t start, uint64_t after, uint64_t next,
			  uint64_t spacing, uint64_t *end, struct tl_error *err)
{
	uint64_t whole = whole_units(after > start ? after - start : 1, spacing);

	*end = next;
	if (whole > r->size - start || next - start < whole) {
		/* The last buffer may lack its filler. */
		bool unfilled = next == r->size && after == next;

		if (unfilled)
			return 0;
		return tell(r, start, next == r->size, true, err);
	}
	if (next - start == whole)
		return 0;
	if (whole == spacing) {
		*end = start + spacing;
		return 0; /* the missing buffer is reported when its head should begin */
	}
	return tell(r, start, false, false, err);
}

int tl_xray_buffer_end(struct tl_xray_reader *r, uint64_t start, uint64_t spacing, uint64_t *end,
		       struct tl_error *err)
{
	uint64_t after, next;
	int status;

	*end = start + spacing;
	if (spacing && spacing <= r->size - start &&
	    (*end == r->size || tl_xray_is_kind(r, *end, TL_XRAY_MD_NEW_BUFFER)))
		return 0;
	status = body_end(r, start, &after, err);
	if (status < 0)
		return status;
	/* Filler ends at the next head ("EndOfBuffer"). */
	next = tl_xray_next_head(r, after > start ? after : start + 1).start;
	if (spacing)
		return end_by_spacing(r, start, after, next, spacing, end, err);
	*end = next;
	return 0;
}
