/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/reader/sample.h"

#include "core/arithmetic.h"
#include "core/error.h"

void tl_pprof_samples_begin(struct tl_pprof_samples *s, struct tl_pprof_file *p)
{
	*s = (struct tl_pprof_samples){ .p = p, .cur = tl_cursor_over(p->data, p->size) };
}

void tl_pprof_samples_end(struct tl_pprof_samples *s)
{
	free(s->numbers);
	free(s->sample.values);
	free(s->sample.labels);
	*s = (struct tl_pprof_samples){ .p = s->p };
}

/* ---- locations: samples in a row often have callers in common ---- */

/* How many numbers end in a row of bytes. */
static size_t count_numbers(const uint8_t *at, const uint8_t *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t count = 0;

	for (; end - at >= 8; at += 8)
		count += (size_t)((~tl_get64(at) >> 7 & ones) * ones >> 56);
	while (at < end)
		count += *at++ < 0x80;
	return count;
}

/* How many bytes at the end of two lists are the same. */
static size_t common_end(const struct tl_cursor *a, const struct tl_cursor *b)
{
	const size_t most = tl_min(tl_cursor_left(a), tl_cursor_left(b));
	size_t common = 0;

	while (most - common >= 8 && tl_get64(a->end - common - 8) == tl_get64(b->end - common - 8))
		common += 8;
	while (common < most && a->end[-(ptrdiff_t)common - 1] == b->end[-(ptrdiff_t)common - 1])
		common++;
	return common;
}

/* Whether a list has a byte in front of its last ones that belongs to their first number. */
static bool begins_before(const struct tl_cursor *list, size_t last)
{
	return tl_cursor_left(list) > last && list->end[-(ptrdiff_t)last - 1] >= 0x80;
}

/* Where the numbers begin with which both this list and the one of the sample before end. */
static const uint8_t *common_numbers(const struct tl_pprof_samples *s, const struct tl_cursor *list)
{
	const size_t bytes = common_end(list, &s->list);
	const uint8_t *at = list->end - bytes;

	if (begins_before(list, bytes) || begins_before(&s->list, bytes)) {
		while (at < list->end && *at >= 0x80)
			at++;
		at += at < list->end;
	}
	return at;
}

/* Make the locations `more` than they are, the new ones behind the others. False without memory. */
static bool lengthen(struct tl_pprof_samples *s, size_t more)
{
	struct tl_pprof_sample *sample = &s->sample;
	const size_t had = s->number_capacity, count = sample->location_count;

	if (!tl_grow(&s->numbers, &s->number_capacity, count + more + 1, sizeof(*s->numbers)))
		return false;
	/* Those of the sample before are still there, at the end. */
	if (s->number_capacity > had)
		memmove(s->numbers + s->number_capacity - had, s->numbers,
			had * sizeof(*s->numbers));
	sample->locations = s->numbers + s->number_capacity - count - more;
	if (count)
		memmove(sample->locations, sample->locations + more,
			count * sizeof(*sample->locations));
	sample->location_count = count + more;
	return true;
}

/* Numbers up to a byte become locations from `to` on. 0; 1: they are damaged. */
static int take_locations(const struct tl_pprof_samples *s, const struct tl_wire_field *field,
			  const uint8_t *end, uint32_t *to)
{
	struct tl_cursor cur = { field->bytes.pos, field->bytes.end, field->bytes.base };
	bool first = true;
	uint64_t id;

	if (field->type != TL_WIRE_BYTES) {
		*to = tl_pprof_find(&s->p->location_ids, field->value);
		return 0;
	}
	while (cur.pos < end) {
		if (tl_wire_number(field, &cur, &first, &id) != 1)
			return 1;
		*to++ = tl_pprof_find(&s->p->location_ids, id);
	}
	return 0;
}

static int add_locations(struct tl_pprof_samples *s, const struct tl_wire_field *field,
			 struct tl_error *err)
{
	struct tl_pprof_sample *sample = &s->sample;
	const bool is_list = field->type == TL_WIRE_BYTES, is_only = !sample->location_count;
	const uint8_t *same = field->bytes.end;
	size_t count = 1, had = sample->location_count;
	int status;

	if (is_list && is_only)
		same = common_numbers(s, &field->bytes);
	if (is_list)
		count = count_numbers(field->bytes.pos, field->bytes.end);
	/* The last number has no end: it would have no place. */
	if (is_list && tl_cursor_left(&field->bytes) && field->bytes.end[-1] >= 0x80)
		return 1;
	if (!lengthen(s, count))
		return tl_error_memory(err);
	sample->common = is_list && is_only ? count_numbers(same, field->bytes.end) : 0;
	s->list = (struct tl_cursor){ NULL, NULL, NULL };
	status = take_locations(s, field, same, sample->locations + had);
	if (status == 0 && is_list && is_only)
		s->list = field->bytes;
	return status;
}

/* ---- numbers: a byte is one at least, so the size of a field bounds how many there are ---- */

static int add_values(struct tl_pprof_samples *s, const struct tl_wire_field *field,
		      struct tl_error *err)
{
	struct tl_cursor cur = field->bytes;
	size_t most = field->type == TL_WIRE_BYTES ? tl_cursor_left(&cur) : 1;
	bool first = true;
	uint64_t value;
	int status;

	if (!tl_grow(&s->sample.values, &s->value_capacity, s->value_count + most,
		     sizeof(*s->sample.values)))
		return tl_error_memory(err);
	while ((status = tl_wire_number(field, &cur, &first, &value)) == 1)
		s->sample.values[s->value_count++] = (int64_t)value;
	return status < 0;
}

static int add_label(struct tl_pprof_samples *s, struct tl_cursor cur, struct tl_error *err)
{
	struct tl_pprof_label label = { .key = 0 };
	uint64_t *const members[] = { NULL, &label.key, &label.text, &label.number, &label.unit };
	struct tl_wire_field field;
	const char *why;
	int status;

	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		if (field.number > TL_PPROF_LABEL_UNIT)
			continue;
		if (field.type != TL_WIRE_VARINT)
			return 1;
		*members[field.number] = field.value;
	}
	if (status < 0)
		return 1;
	if (!tl_grow(&s->sample.labels, &s->label_capacity, s->sample.label_count + 1,
		     sizeof(label)))
		return tl_error_memory(err);
	s->sample.labels[s->sample.label_count++] = label;
	return 0;
}

/* ---- records ---- */

/* 0; 1: the field is damaged; or negative. */
static int take_field(struct tl_pprof_samples *s, const struct tl_wire_field *field,
		      struct tl_error *err)
{
	const bool is_list = field->type == TL_WIRE_BYTES;

	switch (field->number) {
	case TL_PPROF_SAMPLE_LOCATION:
		if (is_list || field->type == TL_WIRE_VARINT)
			return add_locations(s, field, err);
		return 1;
	case TL_PPROF_SAMPLE_VALUE:
		if (is_list || field->type == TL_WIRE_VARINT)
			return add_values(s, field, err);
		return 1;
	case TL_PPROF_SAMPLE_LABEL:
		if (!is_list)
			return 1;
		return add_label(s, field->bytes, err);
	default:
		return 0;
	}
}

/* 0; 1: the record is damaged; or negative. */
static int take_sample(struct tl_pprof_samples *s, struct tl_cursor cur, struct tl_error *err)
{
	struct tl_wire_field field;
	const char *why;
	int status;

	s->sample.location_count = s->sample.label_count = s->value_count = 0;
	s->sample.common = 0;
	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		status = take_field(s, &field, err);
		if (status)
			return status;
	}
	if (!s->sample.location_count)
		s->list = (struct tl_cursor){ NULL, NULL, NULL };
	return status < 0;
}

static int fault(struct tl_pprof_samples *s, const char *rule, uint64_t length, const char *text,
		 struct tl_error *err)
{
	const struct tl_fault made = { rule,          text,
				       TL_BAD_RECORD, s->sample.place,
				       length,        s->sample.number };

	return tl_fault_note(&s->p->faults, &made, err);
}

/* As many values as there are types, and only locations that there are. */
static int check_sample(struct tl_pprof_samples *s, struct tl_error *err)
{
	const size_t types = s->p->type_count;
	int status = 0;

	if (!tl_grow(&s->sample.values, &s->value_capacity, types, sizeof(*s->sample.values)))
		return tl_error_memory(err);
	if (s->value_count != types)
		status = fault(s, "values", 0,
			       "a sample has more or fewer values than there are sample types: "
			       "those without a type are left out, those missing are 0",
			       err);
	for (size_t i = s->value_count; i < types; i++)
		s->sample.values[i] = 0;
	s->sample.has_unknown = false;
	for (size_t i = 0; status == 0 && i < s->sample.location_count - s->sample.common; i++)
		if (s->sample.locations[i] == TL_NONE) {
			/* It may become another number, and those of the next sample are told. */
			s->sample.has_unknown = true;
			s->list = (struct tl_cursor){ NULL, NULL, NULL };
			status = fault(s, "location", 0,
				       "a sample has a location that the profile does not have: "
				       "its cost is kept, the function is unknown",
				       err);
			break;
		}
	return status;
}

/* 1: it is in s->sample; 0: it is damaged; or negative. */
static int read_sample(struct tl_pprof_samples *s, const struct tl_wire_field *field,
		       struct tl_error *err)
{
	int status;

	s->sample.place = (uint64_t)(field->start - s->p->data);
	s->sample.number = s->next_number++;
	status = take_sample(s, field->bytes, err);
	if (status == 1) {
		/* Nobody has looked whether its locations are there. */
		s->list = (struct tl_cursor){ NULL, NULL, NULL };
		return fault(s, "message", tl_cursor_left(&field->bytes),
			     "a sample is damaged: passed over", err);
	}
	if (status == 0)
		status = check_sample(s, err);
	if (status < 0)
		return status;
	return 1;
}

int tl_pprof_samples_next(struct tl_pprof_samples *s, struct tl_error *err)
{
	struct tl_wire_field field;
	const char *why;

	while (tl_wire_next(&s->cur, &field, &why) == 1) {
		int status = 0;

		if (field.number == TL_PPROF_SAMPLE && field.type == TL_WIRE_BYTES)
			status = read_sample(s, &field, err);
		if (status)
			return status;
	}
	return 0;
}
