/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a file and of a pipe, and its attributes (docs/formats/perf-data.md section 2). */
#include "perf_data/reader.h"

struct extent {
	uint64_t offset, size;
};

static bool inside(const struct tl_perf_reader *r, struct extent e)
{
	return e.offset <= r->map_size && e.size <= r->map_size - e.offset;
}

static struct extent take_extent(struct perf_view *v)
{
	const uint64_t offset = take64(v);

	return (struct extent){ offset, take64(v) };
}

const char *tl_perf_keep(struct tl_perf_reader *r, const char *text, size_t size)
{
	return tl_arena_copy(&r->arena, text, size);
}

/* ---- attributes ---- */

/*
 * The bit-fields of a big-endian machine begin at the highest bit of each byte, whatever the order
 * of the bytes (section 2).
 */
static uint64_t take_flags(struct perf_view *v)
{
	const uint8_t *bytes = take_bytes(v, 8);
	uint64_t flags = 0;

	for (unsigned i = 0; i < 8; i++) {
		unsigned byte = bytes[i];

		if (v->swap != TL_HOST_BIG_ENDIAN) {
			byte = (byte & 0xf0) >> 4 | (byte & 0x0f) << 4;
			byte = (byte & 0xcc) >> 2 | (byte & 0x33) << 2;
			byte = (byte & 0xaa) >> 1 | (byte & 0x55) << 1;
		}
		flags |= (uint64_t)byte << 8 * i;
	}
	return flags;
}

static uint64_t word_if(struct perf_view *v)
{
	return view_has(v, 8) ? take64(v) : 0;
}

/* The view holds ATTR_LEAST_BYTES; later versions added fields at the end. */
static struct tl_perf_attr decode_attr(const struct tl_perf_reader *r, struct perf_view v)
{
	struct tl_perf_attr attr = { .offset = (uint64_t)(v.pos - r->map), .name = "" };

	attr.type = take32(&v);
	attr.attr_size = take32(&v);
	attr.config = take64(&v);
	attr.period = take64(&v);
	attr.sample_type = take64(&v);
	attr.read_format = take64(&v);
	attr.flags = take_flags(&v);
	take64(&v); /* wakeup, bp_type */
	attr.config1 = take64(&v);
	attr.config2 = word_if(&v);
	attr.branch_type = word_if(&v);
	attr.regs_user = word_if(&v);
	word_if(&v); /* sample_stack_user, clockid */
	attr.regs_intr = word_if(&v);
	return attr;
}

int tl_perf_add_attr(struct tl_perf_reader *r, struct perf_view v, struct tl_error *err)
{
	struct perf_attrs *a = &r->attrs;

	if (!tl_grow(&a->list, &a->capacity, a->count + 1, sizeof(*a->list)))
		return tl_error_memory(err);
	a->list[a->count] = decode_attr(r, v);
	a->identified =
		(!a->count || a->identified) && a->list[a->count].sample_type & SAMPLE_IDENTIFIER;
	a->count++;
	return 0;
}

static bool same_id(const void *context, const void *key, uint32_t number)
{
	const struct perf_attrs *a = context;

	return a->ids[number] == *(const uint64_t *)key;
}

static int index_id(struct tl_perf_reader *r, uint64_t id, uint32_t owner, struct tl_error *err)
{
	struct perf_attrs *a = &r->attrs;

	const uint32_t known = tl_index_find(&a->by_id, tl_hash64(id), same_id, a, &id);

	/* The first attribute with an id has it. */
	if (known != TL_NONE) {
		a->owners[known] = a->owners[known] == TL_NONE ? owner : a->owners[known];
		return 0;
	}
	if (!tl_grow(&a->ids, &a->id_capacity, a->id_count + 1, sizeof(*a->ids)) ||
	    !tl_grow(&a->owners, &a->owner_capacity, a->id_count + 1, sizeof(*a->owners)) ||
	    !tl_index_add(&a->by_id, tl_hash64(id), (uint32_t)a->id_count))
		return tl_error_memory(err);
	a->ids[a->id_count] = id;
	a->owners[a->id_count++] = owner;
	return 0;
}

int tl_perf_add_ids(struct tl_perf_reader *r, size_t attr, struct perf_view v, struct tl_error *err)
{
	const size_t count = view_left(&v) / 8;
	uint64_t *ids = tl_arena_alloc(&r->arena, count * 8 + 8);
	int status = 0;

	if (!ids)
		return tl_error_memory(err);
	for (size_t i = 0; status == 0 && i < count; i++) {
		ids[i] = take64(&v);
		status = index_id(r, ids[i], (uint32_t)attr, err);
	}
	r->attrs.list[attr].ids = ids;
	r->attrs.list[attr].id_count = count;
	return status;
}

void tl_perf_forget_attrs(struct tl_perf_reader *r)
{
	struct perf_attrs *a = &r->attrs;

	a->count = a->header_count;
	a->identified = a->count;
	for (size_t i = 0; i < a->count; i++)
		a->identified &= (a->list[i].sample_type & SAMPLE_IDENTIFIER) != 0;
	for (size_t i = a->header_ids; i < a->id_count; i++)
		a->owners[i] = TL_NONE;
}

const struct tl_perf_attr *tl_perf_attr_of(const struct tl_perf_reader *r, uint64_t id)
{
	const struct perf_attrs *a = &r->attrs;
	const uint32_t number = tl_index_find(&a->by_id, tl_hash64(id), same_id, a, &id);
	const uint32_t owner = number == TL_NONE ? TL_NONE : a->owners[number];

	return owner == TL_NONE ? NULL : &a->list[owner];
}

static int read_attr(struct tl_perf_reader *r, struct perf_view v, struct tl_error *err)
{
	struct perf_view tail = { v.end - 16, v.end, v.swap };
	const struct extent ids = take_extent(&tail);
	const size_t number = r->attrs.count;
	int status;

	v.end -= 16;
	status = tl_perf_add_attr(r, v, err);
	if (status < 0)
		return status;
	if (!inside(r, ids))
		return tl_perf_broken(r, RULE_ATTR_IDS, (uint64_t)(v.end - r->map), 0, err);
	return tl_perf_add_ids(r, number, view_of(r, r->map + ids.offset, (size_t)ids.size), err);
}

/* `each` is the size of an attribute with the place of its ids. */
static int read_attrs(struct tl_perf_reader *r, struct extent section, uint64_t each,
		      struct tl_error *err)
{
	int status = 0;

	if (!inside(r, section) || each < ATTR_LEAST_BYTES + 16 || section.size < each)
		return tl_perf_broken(r, RULE_ATTR_SIZE, 24, 0, err);
	for (uint64_t at = 0; status == 0 && section.size - at >= each; at += each)
		status = read_attr(r, view_of(r, r->map + section.offset + at, (size_t)each), err);
	return status;
}

/* ---- headers ---- */

static int set_data(struct tl_perf_reader *r, struct extent data, struct tl_error *err)
{
	const uint64_t start = data.offset < r->map_size ? data.offset : r->map_size;
	const uint64_t left = r->map_size - start;
	int status = 0;

	r->header.data_offset = start;
	r->header.data_size = data.size && data.size < left ? data.size : left;
	if (!data.size && left)
		status = tl_perf_broken(r, RULE_DATA_ZERO, 48, 0, err);
	else if (data.size > left)
		status = tl_perf_broken(r, RULE_DATA_SIZE, 48, 0, err);
	r->pos = start;
	r->end = start + r->header.data_size;
	return status;
}

/*
 * The bitmap is an array of the recorder's longs: on a 32-bit machine of the other byte order its
 * words were swapped by halves. HOSTNAME is always there, so it tells.
 */
static void take_features(struct tl_perf_reader *r, struct perf_view *v)
{
	uint64_t *features = r->header.features;

	for (unsigned i = 0; i < 4; i++)
		features[i] = take64(v);
	if (!v->swap || features[0] & 1u << FEATURE_HOSTNAME ||
	    !(features[0] >> 32 & 1u << FEATURE_HOSTNAME))
		return;
	for (unsigned i = 0; i < 4; i++)
		features[i] = features[i] << 32 | features[i] >> 32;
}

static int read_file(struct tl_perf_reader *r, struct perf_view v, struct tl_error *err)
{
	struct extent attrs, data;
	uint64_t each;
	int status;

	if (view_left(&v) < FILE_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->map_size, "the header is cut short");
	take_bytes(&v, PIPE_HEADER_BYTES);
	each = take64(&v);
	attrs = take_extent(&v);
	data = take_extent(&v);
	take_extent(&v);
	take_features(r, &v);
	status = read_attrs(r, attrs, each, err);
	if (status == 0)
		status = set_data(r, data, err);
	/*
	 * Without a size of the data nobody knows where the features are; they are written last of
	 * all.
	 */
	return status < 0 || !data.size ? status
					: tl_perf_read_features(r, data.offset + data.size, err);
}

static int read_pipe(struct tl_perf_reader *r)
{
	r->header.pipe = true;
	r->header.data_offset = r->pos = PIPE_HEADER_BYTES;
	r->header.data_size = r->map_size - PIPE_HEADER_BYTES;
	r->end = r->map_size;
	return 0;
}

int tl_perf_read_header(struct tl_perf_reader *r, struct tl_error *err)
{
	struct perf_view v;
	uint64_t size;

	if (r->map_size < 8 ||
	    (memcmp(r->map, PERF_MAGIC, 8) && memcmp(r->map, PERF_MAGIC_SWAPPED, 8)))
		return tl_error_at(err, TL_BAD_FORMAT, 0, "not a perf.data file");
	if (r->map_size < PIPE_HEADER_BYTES)
		return tl_error_at(err, TL_TRUNCATED, r->map_size, "the header is cut short");
	/* Whole words tell the order: "PERFILE2" is a u64 as the recorder stores it. */
	r->header.swapped = (memcmp(r->map, PERF_MAGIC_SWAPPED, 8) == 0) != TL_HOST_BIG_ENDIAN;
	v = view_of(r, r->map, r->map_size);
	take64(&v);
	size = take64(&v);
	if (size == PIPE_HEADER_BYTES)
		return read_pipe(r);
	if (size != FILE_HEADER_BYTES) {
		int status = tl_perf_broken(r, RULE_HEADER_SIZE, 8, 0, err);

		if (status < 0)
			return status;
	}
	return read_file(r, view_of(r, r->map, r->map_size), err);
}
