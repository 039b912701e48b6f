/* SPDX-License-Identifier: Apache-2.0 */
/* The pass over the fields of a profile, and the numbers in them. */
#include "pprof/reader/reader.h"

#include "core/error.h"
#include "pprof/reader/ids.h"

int tl_pprof_fault(struct tl_pprof_file *p, const char *rule, enum tl_status status, uint64_t place,
		   uint64_t length, const char *text, struct tl_error *err)
{
	const struct tl_fault fault = { rule, text, status, place, length, TL_NOWHERE };

	return tl_fault_note(&p->faults, &fault, err);
}

struct tl_pprof_text tl_pprof_string(const struct tl_pprof_file *p, uint64_t number)
{
	if (number >= p->string_count)
		return (struct tl_pprof_text){ "", 0 };
	return p->strings[number];
}

bool tl_pprof_text_is(struct tl_pprof_text text, const char *other)
{
	return text.size == strlen(other) && !memcmp(text.text, other, text.size);
}

/* ---- messages ---- */

/* Where a message's numbers are kept: offsets in its struct by field number, 0: not known. */
struct message {
	const char *name;
	const uint16_t *fields;
	uint32_t field_count;
};

#define AT(type, member) ((uint16_t)(offsetof(struct type, member) + 1))

static const uint16_t type_fields[] = {
	[TL_PPROF_TYPE_NAME] = AT(tl_pprof_type, name),
	[TL_PPROF_TYPE_UNIT] = AT(tl_pprof_type, unit),
};
static const uint16_t mapping_fields[] = {
	[TL_PPROF_MAPPING_ID] = AT(tl_pprof_mapping, id),
	[TL_PPROF_MAPPING_START] = AT(tl_pprof_mapping, start),
	[TL_PPROF_MAPPING_LIMIT] = AT(tl_pprof_mapping, limit),
	[TL_PPROF_MAPPING_OFFSET] = AT(tl_pprof_mapping, offset),
	[TL_PPROF_MAPPING_FILE] = AT(tl_pprof_mapping, file),
	[TL_PPROF_MAPPING_BUILD_ID] = AT(tl_pprof_mapping, build_id),
	[TL_PPROF_MAPPING_FLAGS] = AT(tl_pprof_mapping, flags[0]),
	[TL_PPROF_MAPPING_FLAGS + 1] = AT(tl_pprof_mapping, flags[1]),
	[TL_PPROF_MAPPING_FLAGS + 2] = AT(tl_pprof_mapping, flags[2]),
	[TL_PPROF_MAPPING_FLAGS + 3] = AT(tl_pprof_mapping, flags[3]),
};
static const uint16_t function_fields[] = {
	[TL_PPROF_FUNCTION_ID] = AT(tl_pprof_function, id),
	[TL_PPROF_FUNCTION_NAME] = AT(tl_pprof_function, name),
	[TL_PPROF_FUNCTION_SYSTEM_NAME] = AT(tl_pprof_function, system_name),
	[TL_PPROF_FUNCTION_FILE] = AT(tl_pprof_function, file),
	[TL_PPROF_FUNCTION_START] = AT(tl_pprof_function, start_line),
};
static const uint16_t line_fields[] = {
	[TL_PPROF_LINE_FUNCTION] = AT(tl_pprof_line, function),
	[TL_PPROF_LINE_LINE] = AT(tl_pprof_line, line),
	[TL_PPROF_LINE_COLUMN] = AT(tl_pprof_line, column),
};
static const uint16_t location_fields[] = {
	[TL_PPROF_LOCATION_ID] = AT(tl_pprof_location, id),
	[TL_PPROF_LOCATION_MAPPING] = AT(tl_pprof_location, mapping),
	[TL_PPROF_LOCATION_ADDRESS] = AT(tl_pprof_location, address),
	[TL_PPROF_LOCATION_FOLDED] = AT(tl_pprof_location, folded),
};

#define MESSAGE(fields) (fields), sizeof(fields) / sizeof((fields)[0])

static const struct message type_message = { "a type of values", MESSAGE(type_fields) };
static const struct message mapping_message = { "a mapping", MESSAGE(mapping_fields) };
static const struct message function_message = { "a function", MESSAGE(function_fields) };
static const struct message location_message = { "a location", MESSAGE(location_fields) };
static const struct message line_message = { "a line", MESSAGE(line_fields) };

static int wrong_type(struct tl_pprof_file *p, const struct tl_wire_field *field, const char *where,
		      struct tl_error *err)
{
	const struct tl_fault fault = {
		"type", NULL, TL_BAD_RECORD, (uint64_t)(field->start - p->data), 0, TL_NOWHERE
	};

	return tl_fault_write(&p->faults, &fault, err,
			      "field %u of %s is not of the type that it has there: passed over",
			      (unsigned)field->number, where);
}

static int cut_message(struct tl_pprof_file *p, const struct message *m,
		       const struct tl_cursor *cur, int status, const char *why,
		       struct tl_error *err)
{
	const struct tl_fault fault = {
		"message",           NULL,      (enum tl_status)status, tl_cursor_offset(cur),
		tl_cursor_left(cur), TL_NOWHERE
	};

	return tl_fault_write(&p->faults, &fault, err, "%s: %s; its fields before were kept",
			      m->name, why);
}

static int take_line(struct tl_pprof_file *p, const struct tl_wire_field *field,
		     struct tl_error *err);

/* Put a field of a message into its struct. */
static int take_field(struct tl_pprof_file *p, const struct message *m,
		      const struct tl_wire_field *field, void *record, struct tl_error *err)
{
	uint16_t at = field->number < m->field_count ? m->fields[field->number] : 0;

	if (m == &location_message && field->number == TL_PPROF_LOCATION_LINE)
		return field->type == TL_WIRE_BYTES ? take_line(p, field, err)
						    : wrong_type(p, field, m->name, err);
	if (!at) {
		p->counts.unknown_fields++;
		return 0;
	}
	if (field->type != TL_WIRE_VARINT)
		return wrong_type(p, field, m->name, err);
	memcpy((char *)record + at - 1, &field->value, sizeof(field->value));
	return 0;
}

static int take_message(struct tl_pprof_file *p, const struct message *m, struct tl_cursor cur,
			void *record, struct tl_error *err)
{
	struct tl_wire_field field;
	const char *why;
	int status;

	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		status = take_field(p, m, &field, record, err);
		if (status < 0)
			return status;
	}
	if (status < 0)
		return cut_message(p, m, &cur, status, why, err);
	return 0;
}

static int take_line(struct tl_pprof_file *p, const struct tl_wire_field *field,
		     struct tl_error *err)
{
	struct tl_pprof_line line = { .function = 0 };
	int status = take_message(p, &line_message, field->bytes, &line, err);

	if (status < 0)
		return status;
	if (!tl_grow(&p->lines, &p->line_capacity, p->line_count + 1, sizeof(line)))
		return tl_error_memory(err);
	p->lines[p->line_count++] = line;
	return 0;
}

/* ---- fields of the profile ---- */

typedef int field_fn(struct tl_pprof_file *p, const struct tl_wire_field *field,
		     struct tl_error *err);

static int take_type(struct tl_pprof_file *p, const struct tl_wire_field *field,
		     struct tl_error *err)
{
	struct tl_pprof_type type = { .name = 0 };
	int status = take_message(p, &type_message, field->bytes, &type, err);

	if (status < 0)
		return status;
	if (!tl_grow(&p->types, &p->type_capacity, p->type_count + 1, sizeof(type)))
		return tl_error_memory(err);
	p->types[p->type_count++] = type;
	return 0;
}

static int take_period_type(struct tl_pprof_file *p, const struct tl_wire_field *field,
			    struct tl_error *err)
{
	return take_message(p, &type_message, field->bytes, &p->header.period_type, err);
}

static int count_sample(struct tl_pprof_file *p, const struct tl_wire_field *field,
			struct tl_error *err)
{
	(void)field;
	(void)err;
	p->counts.samples++;
	return 0;
}

static int take_mapping(struct tl_pprof_file *p, const struct tl_wire_field *field,
			struct tl_error *err)
{
	struct tl_pprof_mapping mapping = { .place = (uint64_t)(field->start - p->data) };
	int status = take_message(p, &mapping_message, field->bytes, &mapping, err);

	if (status < 0)
		return status;
	if (!tl_grow(&p->mappings, &p->mapping_capacity, p->mapping_count + 1, sizeof(mapping)))
		return tl_error_memory(err);
	p->mappings[p->mapping_count++] = mapping;
	return 0;
}

static int take_function(struct tl_pprof_file *p, const struct tl_wire_field *field,
			 struct tl_error *err)
{
	struct tl_pprof_function function = { .place = (uint64_t)(field->start - p->data) };
	int status = take_message(p, &function_message, field->bytes, &function, err);

	if (status < 0)
		return status;
	if (!tl_grow(&p->functions, &p->function_capacity, p->function_count + 1, sizeof(function)))
		return tl_error_memory(err);
	p->functions[p->function_count++] = function;
	return 0;
}

static int take_location(struct tl_pprof_file *p, const struct tl_wire_field *field,
			 struct tl_error *err)
{
	struct tl_pprof_location location = { .place = (uint64_t)(field->start - p->data),
					      .first_line = p->line_count };
	int status = take_message(p, &location_message, field->bytes, &location, err);

	if (status < 0)
		return status;
	location.line_count = (uint32_t)(p->line_count - location.first_line);
	if (!tl_grow(&p->locations, &p->location_capacity, p->location_count + 1, sizeof(location)))
		return tl_error_memory(err);
	p->locations[p->location_count++] = location;
	return 0;
}

static int take_string(struct tl_pprof_file *p, const struct tl_wire_field *field,
		       struct tl_error *err)
{
	if (!tl_grow(&p->strings, &p->string_capacity, p->string_count + 1, sizeof(*p->strings)))
		return tl_error_memory(err);
	p->strings[p->string_count++] = (struct tl_pprof_text){ (const char *)field->bytes.pos,
								tl_cursor_left(&field->bytes) };
	return 0;
}

static int take_comments(struct tl_pprof_file *p, const struct tl_wire_field *field,
			 struct tl_error *err)
{
	struct tl_pprof_header *h = &p->header;
	struct tl_cursor cur = field->bytes;
	bool first = true;
	uint64_t number;
	int status;

	while ((status = tl_wire_number(field, &cur, &first, &number)) == 1) {
		if (!tl_grow(&h->comments, &h->comment_capacity, h->comment_count + 1,
			     sizeof(*h->comments)))
			return tl_error_memory(err);
		h->comments[h->comment_count++] = number;
	}
	if (status == 0)
		return 0;
	return tl_pprof_fault(
		p, "message", TL_TRUNCATED, (uint64_t)(field->start - p->data), 0,
		"a list of comments ends inside a number; the comments before were kept", err);
}

static int take_number(struct tl_pprof_file *p, const struct tl_wire_field *field,
		       struct tl_error *err)
{
	struct tl_pprof_header *h = &p->header;
	uint64_t *const numbers[TL_PPROF_FIELDS] = {
		[TL_PPROF_DROP_FRAMES] = &h->drop_frames,
		[TL_PPROF_KEEP_FRAMES] = &h->keep_frames,
		[TL_PPROF_TIME_NANOS] = &h->time_ns,
		[TL_PPROF_DURATION_NANOS] = &h->duration_ns,
		[TL_PPROF_PERIOD] = &h->period,
		[TL_PPROF_DEFAULT_TYPE] = &h->default_type,
		[TL_PPROF_DOC_URL] = &h->doc_url,
	};

	(void)err;
	*numbers[field->number] = field->value;
	return 0;
}

static const struct {
	field_fn *take;
	enum tl_wire_type type;
} profile_fields[TL_PPROF_FIELDS] = {
	[TL_PPROF_SAMPLE_TYPE] = { take_type, TL_WIRE_BYTES },
	[TL_PPROF_SAMPLE] = { count_sample, TL_WIRE_BYTES },
	[TL_PPROF_MAPPING] = { take_mapping, TL_WIRE_BYTES },
	[TL_PPROF_LOCATION] = { take_location, TL_WIRE_BYTES },
	[TL_PPROF_FUNCTION] = { take_function, TL_WIRE_BYTES },
	[TL_PPROF_STRING] = { take_string, TL_WIRE_BYTES },
	[TL_PPROF_DROP_FRAMES] = { take_number, TL_WIRE_VARINT },
	[TL_PPROF_KEEP_FRAMES] = { take_number, TL_WIRE_VARINT },
	[TL_PPROF_TIME_NANOS] = { take_number, TL_WIRE_VARINT },
	[TL_PPROF_DURATION_NANOS] = { take_number, TL_WIRE_VARINT },
	[TL_PPROF_PERIOD_TYPE] = { take_period_type, TL_WIRE_BYTES },
	[TL_PPROF_PERIOD] = { take_number, TL_WIRE_VARINT },
	[TL_PPROF_COMMENT] = { take_comments, TL_WIRE_VARINT },
	[TL_PPROF_DEFAULT_TYPE] = { take_number, TL_WIRE_VARINT },
	[TL_PPROF_DOC_URL] = { take_number, TL_WIRE_VARINT },
};

static int take_profile_field(struct tl_pprof_file *p, const struct tl_wire_field *field,
			      struct tl_error *err)
{
	uint32_t number = field->number;

	if (number >= TL_PPROF_FIELDS || !profile_fields[number].take) {
		p->counts.unknown_fields++;
		return 0;
	}
	/* Comments may be packed. */
	if (field->type != profile_fields[number].type &&
	    (number != TL_PPROF_COMMENT || field->type != TL_WIRE_BYTES))
		return wrong_type(p, field, "the profile", err);
	return profile_fields[number].take(p, field, err);
}

static int take_fields(struct tl_pprof_file *p, struct tl_error *err)
{
	struct tl_cursor cur = tl_cursor_over(p->data, p->size);
	struct tl_wire_field field;
	const char *why;
	int status;

	while ((status = tl_wire_next(&cur, &field, &why)) == 1) {
		status = take_profile_field(p, &field, err);
		if (status < 0)
			return status;
	}
	if (status == 0)
		return 0;
	/* Without the field's size there is no telling where the next one begins. */
	const struct tl_fault fault = { "field",
					NULL,
					(enum tl_status)status,
					tl_cursor_offset(&cur),
					tl_cursor_left(&cur),
					TL_NOWHERE };

	p->size = (size_t)tl_cursor_offset(&cur);
	return tl_fault_write(
		&p->faults, &fault, err,
		"a field of the profile cannot be read: %s; the fields before were kept", why);
}

/* ---- numbers in the tables ---- */

static int no_string(struct tl_pprof_file *p, uint64_t *number, uint64_t place,
		     struct tl_error *err)
{
	if (*number < p->string_count || !*number)
		return 0;
	*number = 0;
	return tl_pprof_fault(p, "string", TL_BAD_RECORD, place, 0,
			      "a text is a string that the profile does not have: taken as empty",
			      err);
}

static int check_functions(struct tl_pprof_file *p, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < p->function_count; i++) {
		struct tl_pprof_function *f = &p->functions[i];

		status = no_string(p, &f->name, f->place, err);
		if (status == 0)
			status = no_string(p, &f->system_name, f->place, err);
		if (status == 0)
			status = no_string(p, &f->file, f->place, err);
	}
	return status;
}

static int check_mappings(struct tl_pprof_file *p, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < p->mapping_count; i++) {
		struct tl_pprof_mapping *m = &p->mappings[i];

		status = no_string(p, &m->file, m->place, err);
		if (status == 0)
			status = no_string(p, &m->build_id, m->place, err);
	}
	return status;
}

static int check_header(struct tl_pprof_file *p, struct tl_error *err)
{
	struct tl_pprof_header *h = &p->header;
	uint64_t *const texts[] = { &h->drop_frames, &h->keep_frames,      &h->default_type,
				    &h->doc_url,     &h->period_type.name, &h->period_type.unit };
	int status = 0;

	for (size_t i = 0; status == 0 && i < sizeof(texts) / sizeof(texts[0]); i++)
		status = no_string(p, texts[i], TL_NOWHERE, err);
	for (size_t i = 0; status == 0 && i < h->comment_count; i++)
		status = no_string(p, &h->comments[i], TL_NOWHERE, err);
	for (size_t i = 0; status == 0 && i < p->type_count; i++) {
		status = no_string(p, &p->types[i].name, TL_NOWHERE, err);
		if (status == 0)
			status = no_string(p, &p->types[i].unit, TL_NOWHERE, err);
	}
	if (status == 0 && p->string_count && p->strings[0].size)
		status = tl_pprof_fault(p, "string", TL_BAD_RECORD, TL_NOWHERE, 0,
					"the first string of the profile is not empty", err);
	return status;
}

static int check_texts(struct tl_pprof_file *p, struct tl_error *err)
{
	int status = check_header(p, err);

	if (status == 0)
		status = check_functions(p, err);
	if (status < 0)
		return status;
	return check_mappings(p, err);
}

/* ---- ids ---- */

struct duplicates {
	struct tl_pprof_file *p;
	const uint64_t *place; /* of element 0 */
	size_t stride;
};

static int note_duplicate(void *arg, size_t number, struct tl_error *err)
{
	const struct duplicates *d = arg;
	const uint64_t *place = (const uint64_t *)((const char *)d->place + number * d->stride);

	return tl_pprof_fault(d->p, "id", TL_BAD_RECORD, *place, 0,
			      "an id is 0, or that of an element before: the first one counts",
			      err);
}

static uint64_t number_of(const struct tl_pprof_ids *ids, uint64_t id)
{
	return id ? tl_pprof_find(ids, id) : TL_NONE;
}

static int look_functions_up(struct tl_pprof_file *p, const struct tl_pprof_ids *ids,
			     const struct tl_pprof_location *location, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < location->line_count; i++) {
		struct tl_pprof_line *line = &p->lines[location->first_line + i];
		uint64_t id = line->function;

		line->function = number_of(ids, id);
		if (line->function == TL_NONE && id)
			status = tl_pprof_fault(p, "function", TL_BAD_RECORD, location->place, 0,
						"a line is of a function that the profile does not "
						"have: the function is unknown",
						err);
	}
	return status;
}

static int look_up(struct tl_pprof_file *p, const struct tl_pprof_ids *mappings,
		   const struct tl_pprof_ids *functions, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < p->location_count; i++) {
		struct tl_pprof_location *location = &p->locations[i];
		uint64_t id = location->mapping;

		location->mapping = number_of(mappings, id);
		if (location->mapping == TL_NONE && id)
			status = tl_pprof_fault(p, "mapping", TL_BAD_RECORD, location->place, 0,
						"a location is in a mapping that the profile does "
						"not have: its object is unknown",
						err);
		if (status == 0)
			status = look_functions_up(p, functions, location, err);
	}
	return status;
}

/* `array` of structs that have an id and a place. */
#define INDEX_IDS(p, ids, array, count, err)                                                       \
	tl_pprof_ids_make(                                                                         \
		ids, (array) ? &(array)->id : NULL, sizeof(*(array)), count, note_duplicate,       \
		&(struct duplicates){ p, (array) ? &(array)->place : NULL, sizeof(*(array)) },     \
		err)

static int resolve_ids(struct tl_pprof_file *p, struct tl_error *err)
{
	struct tl_pprof_ids mappings = { .dense = NULL }, functions = { .dense = NULL };
	int status = INDEX_IDS(p, &mappings, p->mappings, p->mapping_count, err);

	if (status == 0)
		status = INDEX_IDS(p, &functions, p->functions, p->function_count, err);
	if (status == 0)
		status = INDEX_IDS(p, &p->location_ids, p->locations, p->location_count, err);
	if (status == 0)
		status = look_up(p, &mappings, &functions, err);
	tl_pprof_ids_free(&mappings);
	tl_pprof_ids_free(&functions);
	return status;
}

/* ---- the whole ---- */

int tl_pprof_open(struct tl_pprof_file *p, const uint8_t *data, size_t size, struct tl_error *err)
{
	int status;

	p->data = data;
	p->size = size;
	status = take_fields(p, err);
	if (status == 0 && p->location_count >= TL_NONE - 2)
		status = tl_error_at(err, TL_TOO_LARGE, 0, "more locations than 32 bits number");
	if (status == 0)
		status = check_texts(p, err);
	if (status == 0)
		status = resolve_ids(p, err);
	if (status == 0 && !p->type_count)
		status = tl_error_at(err, TL_BAD_FORMAT, 0,
				     "the profile has no sample type, so that its values have no "
				     "meaning");
	return tl_error_format(err, "pprof", status);
}

void tl_pprof_close(struct tl_pprof_file *p)
{
	free(p->strings);
	free(p->types);
	free(p->mappings);
	free(p->functions);
	free(p->locations);
	free(p->lines);
	free(p->header.comments);
	tl_pprof_ids_free(&p->location_ids);
	tl_fault_list_free(&p->faults);
	*p = (struct tl_pprof_file){ .faults = { .strict = p->faults.strict } };
}
