/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a file and of a pipe, and its attributes (docs/formats/perf-data.md section 2). */
#include "perf_data/container/reader.h"
#include "core/arithmetic.h"

struct extent {
	uint64_t offset, size;
};

static bool inside(const struct tl_perf_reader *r, struct extent e)
{
	return e.offset <= r->map_size && e.size <= r->map_size - e.offset;
}

static struct extent take_extent(struct tl_perf_view *v)
{
	const uint64_t offset = tl_perf_take64(v);

	return (struct extent){ offset, tl_perf_take64(v) };
}

/* ---- attributes ---- */

static int read_attr(struct tl_perf_reader *r, struct tl_perf_view v, struct tl_error *err)
{
	struct tl_perf_view tail = { v.end - 16, v.end, v.swap };
	const struct extent ids = take_extent(&tail);
	const size_t number = r->attrs.count;
	int status;

	v.end -= 16;
	status = tl_perf_attrs_add(r, v, err);
	if (status < 0)
		return status;
	if (!inside(r, ids))
		return tl_perf_rule_broken(r, TL_PERF_RULE_ATTR_IDS, (uint64_t)(v.end - r->map), 0,
					   err);
	return tl_perf_attrs_add_ids(
		r, number, tl_perf_view_of(r, r->map + ids.offset, (size_t)ids.size), err);
}

/* `each` is the size of an entry: an attribute, then offset and size of its ids. */
static int read_attrs(struct tl_perf_reader *r, struct extent section, uint64_t each,
		      struct tl_error *err)
{
	int status = 0;

	if (!inside(r, section) || each < TL_PERF_ATTR_MIN_BYTES + 16 || section.size < each)
		return tl_perf_rule_broken(r, TL_PERF_RULE_ATTR_SIZE, 24, 0, err);
	for (uint64_t at = 0; status == 0 && section.size - at >= each; at += each)
		status = read_attr(
			r, tl_perf_view_of(r, r->map + section.offset + at, (size_t)each), err);
	return status;
}

/* ---- headers ---- */

static int set_data(struct tl_perf_reader *r, struct extent data, struct tl_error *err)
{
	const uint64_t start = tl_min(data.offset, r->map_size);
	const uint64_t left = r->map_size - start;
	int status = 0;

	r->header.data_offset = start;
	r->header.data_size = data.size && data.size < left ? data.size : left;
	if (!data.size && left)
		status = tl_perf_rule_broken(r, TL_PERF_RULE_DATA_ZERO, 48, 0, err);
	else if (data.size > left)
		status = tl_perf_rule_broken(r, TL_PERF_RULE_DATA_SIZE, 48, 0, err);
	r->at.pos = start;
	r->at.end = start + r->header.data_size;
	return status;
}

/*
 * The bitmap is an array of the recorder's longs. If those have 32 bits and the other byte order,
 * both halves of each word are exchanged. HOSTNAME is always set, and shows which it is.
 */
static void take_features(struct tl_perf_reader *r, struct tl_perf_view *v)
{
	uint64_t *features = r->header.features;

	for (unsigned i = 0; i < 4; i++)
		features[i] = tl_perf_take64(v);
	if (!v->swap || features[0] & 1u << TL_PERF_FEATURE_HOSTNAME ||
	    !(features[0] >> 32 & 1u << TL_PERF_FEATURE_HOSTNAME))
		return;
	for (unsigned i = 0; i < 4; i++)
		features[i] = features[i] << 32 | features[i] >> 32;
}

static int read_file(struct tl_perf_reader *r, struct tl_perf_view v, struct tl_error *err)
{
	struct extent attrs, data;
	uint64_t each;
	int status;

	if (tl_perf_view_left(&v) < TL_PERF_FILE_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->map_size, "the header is cut short");
	tl_perf_take_bytes(&v, TL_PERF_PIPE_HEADER_BYTES);
	each = tl_perf_take64(&v);
	attrs = take_extent(&v);
	data = take_extent(&v);
	take_extent(&v);
	if (!r->is_old_header)
		take_features(r, &v);
	status = read_attrs(r, attrs, each, err);
	if (status == 0)
		status = set_data(r, data, err);
	/*
	 * The features stand behind the data: without the size of the data they cannot be found.
	 * perf writes them last, so such a file has none.
	 */
	if (status < 0 || !data.size)
		return status;
	return tl_perf_read_features(r, data.offset + data.size, err);
}

static int read_pipe(struct tl_perf_reader *r)
{
	r->header.pipe = true;
	r->header.data_offset = r->at.pos = TL_PERF_PIPE_HEADER_BYTES;
	r->header.data_size = r->map_size - TL_PERF_PIPE_HEADER_BYTES;
	r->at.end = r->map_size;
	return 0;
}

bool tl_perf_has_magic(const uint8_t *data, size_t size)
{
	return size >= 8 &&
	       (!memcmp(data, TL_PERF_MAGIC, 8) || !memcmp(data, TL_PERF_MAGIC_SWAPPED, 8) ||
		!memcmp(data, TL_PERF_MAGIC_1, 8));
}

static bool is_header_size(uint64_t size)
{
	return size == TL_PERF_FILE_HEADER_BYTES || size == TL_PERF_OLD_HEADER_BYTES ||
	       size == TL_PERF_PIPE_HEADER_BYTES;
}

/*
 * Whether the recorder's byte order is not ours. The magic is a u64, which tells; that of version 1
 * was a text, so that the size of the header has to.
 */
static bool is_swapped(const struct tl_perf_reader *r)
{
	if (!memcmp(r->map, TL_PERF_MAGIC_1, 8))
		return is_header_size(tl_get64s(r->map + 8, true));
	return (memcmp(r->map, TL_PERF_MAGIC_SWAPPED, 8) == 0) != TL_HOST_BIG_ENDIAN;
}

int tl_perf_read_header(struct tl_perf_reader *r, struct tl_error *err)
{
	struct tl_perf_view v;
	uint64_t size;

	if (!tl_perf_has_magic(r->map, (size_t)tl_min(r->map_size, 8)))
		return tl_error_at(err, TL_BAD_FORMAT, 0, "not a perf.data file");
	if (r->map_size < TL_PERF_PIPE_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->map_size, "the header is cut short");
	r->header.swapped = is_swapped(r);
	v = tl_perf_view_of(r, r->map, r->map_size);
	tl_perf_take64(&v);
	size = tl_perf_take64(&v);
	if (size == TL_PERF_PIPE_HEADER_BYTES)
		return read_pipe(r);
	r->is_old_header = size == TL_PERF_OLD_HEADER_BYTES;
	if (!is_header_size(size)) {
		int status = tl_perf_rule_broken(r, TL_PERF_RULE_HEADER_SIZE, 8, 0, err);

		if (status < 0)
			return status;
	}
	return read_file(r, tl_perf_view_of(r, r->map, r->map_size), err);
}
