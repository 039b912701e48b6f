/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of attributes: what was recorded (struct perf_event_attr), and which attribute each
 * counter id belongs to (docs/formats/perf-data.md section 2).
 */
#include "perf_data/container/reader.h"

const char *tl_perf_keep_text(struct tl_perf_reader *r, const char *text, size_t size)
{
	return tl_arena_copy(&r->arena, text, size);
}

/* ---- attributes ---- */

/*
 * The flags are bit-fields. On a big-endian machine a bit-field begins at the highest bit of each
 * byte, so each byte is reversed, independently of the byte order (section 2).
 */
static uint64_t take_flags(struct tl_perf_view *v)
{
	const uint8_t *bytes = tl_perf_take_bytes(v, 8);
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

static uint64_t word_if(struct tl_perf_view *v)
{
	return tl_perf_view_has(v, 8) ? tl_perf_take64(v) : 0;
}

/* The view holds TL_PERF_ATTR_MIN_BYTES; later versions added fields at the end. */
static struct tl_perf_attr decode_attr(const struct tl_perf_reader *r, struct tl_perf_view v)
{
	struct tl_perf_attr attr = { .offset = (uint64_t)(v.pos - r->map), .name = "" };

	attr.type = tl_perf_take32(&v);
	attr.attr_size = tl_perf_take32(&v);
	attr.config = tl_perf_take64(&v);
	attr.period = tl_perf_take64(&v);
	attr.sample_type = tl_perf_take64(&v);
	attr.read_format = tl_perf_take64(&v);
	attr.flags = take_flags(&v);
	tl_perf_take64(&v); /* wakeup, bp_type */
	attr.config1 = tl_perf_take64(&v);
	attr.config2 = word_if(&v);
	attr.branch_type = word_if(&v);
	attr.regs_user = word_if(&v);
	if (tl_perf_view_has(&v, 8)) {
		tl_perf_take32(&v); /* sample_stack_user */
		attr.clock = tl_perf_take32(&v);
	}
	attr.regs_intr = word_if(&v);
	if (tl_perf_view_has(&v, 8)) {
		tl_perf_take32(&v); /* aux_watermark */
		attr.max_stack = tl_perf_take16(&v);
	}
	return attr;
}

static unsigned words_of(uint64_t sample_type, uint64_t bits)
{
	return (unsigned)__builtin_popcountll(sample_type & bits);
}

/*
 * Where the counter's id stands (UAPI, enum perf_event_type): as IDENTIFIER, or as ID behind and in
 * front of the fields that there are. Events of one recording that have other places for it are not
 * told apart.
 */
static void find_id(struct tl_perf_attr_table *a, size_t number)
{
	const uint64_t type = a->list[number].sample_type;
	unsigned at = 0, back = 8;

	if (!(type & TL_PERF_SAMPLE_IDENTIFIER)) {
		at = 8 * words_of(type, TL_PERF_SAMPLE_IP | TL_PERF_SAMPLE_TID |
						TL_PERF_SAMPLE_TIME | TL_PERF_SAMPLE_ADDR);
		back += 8 * words_of(type, TL_PERF_SAMPLE_STREAM_ID | TL_PERF_SAMPLE_CPU);
	}
	a->identified = type & (TL_PERF_SAMPLE_IDENTIFIER | TL_PERF_SAMPLE_ID) &&
			(!number || (a->identified && at == a->id_at && back == a->id_back));
	a->id_at = (uint8_t)at;
	a->id_back = (uint8_t)back;
}

int tl_perf_attrs_add(struct tl_perf_reader *r, struct tl_perf_view v, struct tl_error *err)
{
	struct tl_perf_attr_table *a = &r->attrs;

	if (!tl_grow(&a->list, &a->capacity, a->count + 1, sizeof(*a->list)))
		return tl_error_memory(err);
	a->list[a->count] = decode_attr(r, v);
	find_id(a, a->count++);
	return 0;
}

static bool same_id(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_attr_table *a = context;

	return a->ids[number] == *(const uint64_t *)key;
}

static int index_id(struct tl_perf_reader *r, uint64_t id, uint32_t owner, struct tl_error *err)
{
	struct tl_perf_attr_table *a = &r->attrs;

	const uint32_t known = tl_index_find(&a->by_id, tl_hash64(id), same_id, a, &id);

	/* If two attributes claim an id, the first one owns it. */
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

int tl_perf_attrs_add_ids(struct tl_perf_reader *r, size_t attr, struct tl_perf_view v,
			  struct tl_error *err)
{
	const size_t count = tl_perf_view_left(&v) / 8;
	uint64_t *ids = tl_arena_alloc(&r->arena, count * 8 + 8);
	int status = 0;

	if (!ids)
		return tl_error_memory(err);
	for (size_t i = 0; status == 0 && i < count; i++) {
		ids[i] = tl_perf_take64(&v);
		status = index_id(r, ids[i], (uint32_t)attr, err);
	}
	r->attrs.list[attr].ids = ids;
	r->attrs.list[attr].id_count = count;
	return status;
}

void tl_perf_attrs_forget(struct tl_perf_reader *r)
{
	struct tl_perf_attr_table *a = &r->attrs;

	a->count = a->header_count;
	a->identified = false;
	for (size_t i = 0; i < a->count; i++)
		find_id(a, i);
	for (size_t i = a->header_ids; i < a->id_count; i++)
		a->owners[i] = TL_NONE;
}

const struct tl_perf_attr *tl_perf_attrs_find(const struct tl_perf_reader *r, uint64_t id)
{
	const struct tl_perf_attr_table *a = &r->attrs;
	const uint32_t number = tl_index_find(&a->by_id, tl_hash64(id), same_id, a, &id);
	const uint32_t owner = number == TL_NONE ? TL_NONE : a->owners[number];

	return owner == TL_NONE ? NULL : &a->list[owner];
}
