/* SPDX-License-Identifier: Apache-2.0 */
#include "pprof/reader/sample.h"

#include "core/error.h"

void tl_pprof_samples_begin(struct tl_pprof_samples *s, struct tl_pprof_file *p)
{
	*s = (struct tl_pprof_samples){ .p = p, .cur = tl_cursor_over(p->data, p->size) };
}

void tl_pprof_samples_end(struct tl_pprof_samples *s)
{
	free(s->sample.locations);
	free(s->sample.values);
	free(s->sample.labels);
	*s = (struct tl_pprof_samples){ .p = s->p };
}

/* ---- numbers: a byte is one at least, so the size of a field bounds how many there are ---- */

static int add_locations(struct tl_pprof_samples *s, const struct tl_wire_field *field,
			 struct tl_error *err)
{
	struct tl_pprof_sample *sample = &s->sample;
	struct tl_cursor cur = field->bytes;
	size_t most = field->type == TL_WIRE_BYTES ? tl_cursor_left(&cur) : 1;
	bool first = true;
	uint64_t id;
	int status;

	if (!tl_grow(&sample->locations, &s->location_capacity, sample->location_count + most,
		     sizeof(*sample->locations)))
		return tl_error_memory(err);
	while ((status = tl_wire_number(field, &cur, &first, &id)) == 1)
		sample->locations[sample->location_count++] =
			tl_pprof_find(&s->p->location_ids, id);
	return status < 0;
}

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
	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		status = take_field(s, &field, err);
		if (status)
			return status;
	}
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
	for (size_t i = 0; status == 0 && i < s->sample.location_count; i++)
		if (s->sample.locations[i] == TL_NONE) {
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
	if (status == 1)
		return fault(s, "message", tl_cursor_left(&field->bytes),
			     "a sample is damaged: passed over", err);
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
