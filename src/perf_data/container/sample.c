/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples and the trailer of kernel records: fields by sample_type (UAPI, PERF_RECORD_SAMPLE,
 * struct sample_id).
 */
#include "core/sized.h"
#include "perf_data/container/layout.h"

#define TRAILER_BITS                                                                               \
	(TL_PERF_SAMPLE_TID | TL_PERF_SAMPLE_TIME | TL_PERF_SAMPLE_ID | TL_PERF_SAMPLE_STREAM_ID | \
	 TL_PERF_SAMPLE_CPU | TL_PERF_SAMPLE_IDENTIFIER)

/* Bits of read_format, and of branch_sample_type. */
enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };
#define BRANCH_HW_INDEX (1u << 17)
#define BRANCH_COUNTERS (1u << 19)

size_t tl_perf_trailer_size(const struct tl_perf_attr *attr)
{
	if (!(attr->flags & TL_PERF_ATTR_SAMPLE_ID_ALL))
		return 0;
	return 8 * (size_t)__builtin_popcountll(attr->sample_type & TRAILER_BITS);
}

static void take_thread(struct tl_perf_id *id, struct tl_perf_view *v)
{
	id->process = tl_perf_take32(v);
	id->thread = tl_perf_take32(v);
}

static void take_cpu(struct tl_perf_id *id, struct tl_perf_view *v)
{
	id->cpu = tl_perf_take32(v);
	tl_perf_take32(v);
}

void tl_perf_trailer_decode(struct tl_perf_id *id, const struct tl_perf_attr *attr,
			    struct tl_perf_view *v)
{
	const uint64_t type = attr->sample_type;

	if (type & TL_PERF_SAMPLE_TID)
		take_thread(id, v);
	if (type & TL_PERF_SAMPLE_TIME)
		id->time_ns = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_ID)
		id->sample_id = id->id = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_STREAM_ID)
		id->stream = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_CPU)
		take_cpu(id, v);
	if (type & TL_PERF_SAMPLE_IDENTIFIER)
		id->id = tl_perf_take64(v);
}

static bool skip(struct tl_perf_view *v, uint64_t count, size_t each)
{
	if (count > tl_perf_view_left(v) / each)
		return false;
	v->pos += (size_t)count * each;
	return true;
}

/* A count of entries, then the entries of `each` bytes. */
static bool take_counted(struct tl_perf_view *v, size_t each, const uint8_t **entries,
			 uint64_t *count)
{
	if (!tl_perf_view_has(v, 8))
		return false;
	*count = tl_perf_take64(v);
	*entries = v->pos;
	return skip(v, *count, each);
}

/* Words of one counter: its value, and what else the format has. */
static unsigned read_words(uint64_t format)
{
	return 1 + (unsigned)__builtin_popcountll(format & (READ_ID | READ_LOST));
}

/*
 * UAPI, struct read_format. Times stand in front of the counters of a group, but behind the value
 * of a single one.
 */
static bool take_read(struct tl_perf_view *v, struct tl_perf_sample *s, uint64_t format)
{
	const unsigned times =
		(unsigned)__builtin_popcountll(format & (READ_ENABLED | READ_RUNNING));

	s->read_count = 1;
	s->reads = v->pos;
	if (!(format & READ_GROUP))
		return skip(v, read_words(format) + times, 8);
	if (!tl_perf_view_has(v, 8))
		return false;
	s->read_count = tl_perf_take64(v);
	if (!skip(v, times, 8))
		return false;
	s->reads = v->pos;
	return skip(v, s->read_count, 8 * read_words(format));
}

int tl_perf_sample_read(const struct tl_perf_record *rec, uint64_t number,
			struct tl_perf_read *read, size_t size)
{
	const uint64_t format = rec->attr ? rec->attr->read_format : 0;
	struct tl_perf_read made = { .id = TL_NOWHERE };
	const uint8_t *at;

	if (rec->type != TL_PERF_SAMPLE || number >= rec->sample.read_count)
		return TL_BAD_USAGE;
	at = rec->sample.reads + number * 8 * read_words(format);
	made.value = tl_get64s(at, rec->swapped);
	at += 8;
	if (!(format & READ_GROUP))
		at += 8 * __builtin_popcountll(format & (READ_ENABLED | READ_RUNNING));
	if (format & READ_ID) {
		made.id = tl_get64s(at, rec->swapped);
		at += 8;
	}
	if (format & READ_LOST)
		made.lost = tl_get64s(at, rec->swapped);
	return tl_give(read, size, sizeof(*read), &made, sizeof(made));
}

/* A size of 32 bits, then the data; the kernel pads both together to whole words. */
static bool take_raw(struct tl_perf_view *v, struct tl_perf_sample *s)
{
	if (!tl_perf_view_has(v, 4))
		return false;
	s->raw_size = tl_perf_take32(v);
	s->raw = v->pos;
	return skip(v, s->raw_size, 1);
}

static bool take_branches(struct tl_perf_view *v, struct tl_perf_sample *s, uint64_t type)
{
	if (!tl_perf_view_has(v, 8))
		return false;
	s->branch_count = tl_perf_take64(v);
	if (type & BRANCH_HW_INDEX && !skip(v, 1, 8))
		return false;
	s->branches = v->pos;
	return skip(v, s->branch_count, 24) &&
	       (!(type & BRANCH_COUNTERS) || skip(v, s->branch_count, 8));
}

static bool take_registers(struct tl_perf_view *v, uint64_t mask, const uint8_t **registers,
			   uint64_t *abi)
{
	if (!tl_perf_view_has(v, 8))
		return false;
	*abi = tl_perf_take64(v);
	/* PERF_SAMPLE_REGS_ABI_NONE: no registers follow. */
	*registers = *abi ? v->pos : NULL;
	return !*abi || skip(v, (unsigned)__builtin_popcountll(mask), 8);
}

/* Behind the copied bytes stands how many of them the kernel could read. */
static bool take_stack(struct tl_perf_view *v, struct tl_perf_sample *s)
{
	if (!take_counted(v, 1, &s->stack, &s->stack_size))
		return false;
	if (!s->stack_size)
		return true;
	if (!tl_perf_view_has(v, 8))
		return false;
	s->stack_used = tl_perf_take64(v);
	return s->stack_used <= s->stack_size;
}

static bool take_word(struct tl_perf_view *v, bool there, uint64_t *word)
{
	if (!there)
		return true;
	if (!tl_perf_view_has(v, 8))
		return false;
	*word = tl_perf_take64(v);
	return true;
}

/* Fields of one word each, in front of those of any size. */
static bool take_fixed(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	struct tl_perf_sample *s = &rec->sample;
	const uint64_t type = rec->attr->sample_type;

	/* All nine fields have one word each, so that one test of the bound serves them all. */
	if (!tl_perf_view_has(v, 8 * (unsigned)__builtin_popcountll(
					     type & (TRAILER_BITS | TL_PERF_SAMPLE_IP |
						     TL_PERF_SAMPLE_ADDR | TL_PERF_SAMPLE_PERIOD))))
		return false;
	if (type & TL_PERF_SAMPLE_IDENTIFIER)
		rec->id.id = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_IP)
		s->ip = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_TID)
		take_thread(&rec->id, v);
	if (type & TL_PERF_SAMPLE_TIME)
		rec->id.time_ns = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_ADDR)
		s->address = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_ID)
		rec->id.sample_id = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_STREAM_ID)
		rec->id.stream = tl_perf_take64(v);
	if (type & TL_PERF_SAMPLE_CPU)
		take_cpu(&rec->id, v);
	if (type & TL_PERF_SAMPLE_PERIOD)
		s->period = tl_perf_take64(v);
	if (!(type & TL_PERF_SAMPLE_IDENTIFIER))
		rec->id.id = rec->id.sample_id;
	return true;
}

/* UAPI, union perf_sample_weight: one number, or three parts of a word, the first one lowest. */
static bool take_weight(struct tl_perf_view *v, uint64_t type, struct tl_perf_sample *s)
{
	const uint64_t parts = type & TL_PERF_SAMPLE_WEIGHT_STRUCT;

	if (!take_word(v, parts || type & TL_PERF_SAMPLE_WEIGHT, &s->weight))
		return false;
	if (parts) {
		s->var2 = (uint16_t)(s->weight >> 32);
		s->var3 = (uint16_t)(s->weight >> 48);
		s->weight = (uint32_t)s->weight;
	}
	return true;
}

/* PERF_SAMPLE_AUX is written last by the kernel, behind the page sizes. */
static bool take_rest(struct tl_perf_sample *s, const struct tl_perf_attr *attr,
		      struct tl_perf_view *v)
{
	const uint64_t type = attr->sample_type;

	return take_weight(v, type, s) &&
	       take_word(v, type & TL_PERF_SAMPLE_DATA_SRC, &s->data_source) &&
	       take_word(v, type & TL_PERF_SAMPLE_TRANSACTION, &s->transaction) &&
	       (!(type & TL_PERF_SAMPLE_REGS_INTR) ||
		take_registers(v, attr->regs_intr, &s->intr_registers, &s->intr_abi)) &&
	       take_word(v, type & TL_PERF_SAMPLE_PHYS_ADDR, &s->physical) &&
	       take_word(v, type & TL_PERF_SAMPLE_CGROUP, &s->cgroup) &&
	       take_word(v, type & TL_PERF_SAMPLE_DATA_PAGE_SIZE, &s->data_page) &&
	       take_word(v, type & TL_PERF_SAMPLE_CODE_PAGE_SIZE, &s->code_page) &&
	       (!(type & TL_PERF_SAMPLE_AUX) || take_counted(v, 1, &s->aux, &s->aux_size));
}

bool tl_perf_sample_decode(struct tl_perf_record *rec, struct tl_perf_view *v)
{
	struct tl_perf_sample *s = &rec->sample;
	const struct tl_perf_attr *attr = rec->attr;
	const uint64_t type = attr ? attr->sample_type : 0;

	if (!attr)
		return false;
	return take_fixed(rec, v) &&
	       (!(type & TL_PERF_SAMPLE_READ) || take_read(v, s, attr->read_format)) &&
	       (!(type & TL_PERF_SAMPLE_CALLCHAIN) ||
		take_counted(v, 8, &s->callchain, &s->callchain_count)) &&
	       (!(type & TL_PERF_SAMPLE_RAW) || take_raw(v, s)) &&
	       (!(type & TL_PERF_SAMPLE_BRANCH_STACK) || take_branches(v, s, attr->branch_type)) &&
	       (!(type & TL_PERF_SAMPLE_REGS_USER) ||
		take_registers(v, attr->regs_user, &s->user_registers, &s->user_abi)) &&
	       (!(type & TL_PERF_SAMPLE_STACK_USER) || take_stack(v, s)) && take_rest(s, attr, v);
}
