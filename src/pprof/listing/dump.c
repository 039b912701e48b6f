/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the profile one by one, by their names in profile.proto. */
#include <inttypes.h>

#include "core/output.h"
#include "core/text/optional.h"
#include "pprof/listing/listing.h"

/* What the value of a field is. */
enum kind { NUMBER, SIGNED, ADDRESS, TEXT, NUMBERS, SIGNED_NUMBERS, MESSAGE };

struct field_row {
	const char *name;
	enum kind kind;
	const struct field_row *inside; /* of MESSAGE; ends with a NULL name */
};

static const struct field_row type_rows[] = {
	{ "", NUMBER, NULL }, { "type", TEXT, NULL }, { "unit", TEXT, NULL }, { NULL, NUMBER, NULL }
};
static const struct field_row label_rows[] = { { "", NUMBER, NULL },       { "key", TEXT, NULL },
					       { "str", TEXT, NULL },      { "num", SIGNED, NULL },
					       { "num_unit", TEXT, NULL }, { NULL, NUMBER, NULL } };
static const struct field_row sample_rows[] = { { "", NUMBER, NULL },
						{ "location_id", NUMBERS, NULL },
						{ "value", SIGNED_NUMBERS, NULL },
						{ "label", MESSAGE, label_rows },
						{ NULL, NUMBER, NULL } };
static const struct field_row mapping_rows[] = { { "", NUMBER, NULL },
						 { "id", NUMBER, NULL },
						 { "memory_start", ADDRESS, NULL },
						 { "memory_limit", ADDRESS, NULL },
						 { "file_offset", ADDRESS, NULL },
						 { "filename", TEXT, NULL },
						 { "build_id", TEXT, NULL },
						 { "has_functions", NUMBER, NULL },
						 { "has_filenames", NUMBER, NULL },
						 { "has_line_numbers", NUMBER, NULL },
						 { "has_inline_frames", NUMBER, NULL },
						 { NULL, NUMBER, NULL } };
static const struct field_row line_rows[] = { { "", NUMBER, NULL },
					      { "function_id", NUMBER, NULL },
					      { "line", SIGNED, NULL },
					      { "column", SIGNED, NULL },
					      { NULL, NUMBER, NULL } };
static const struct field_row location_rows[] = {
	{ "", NUMBER, NULL },           { "id", NUMBER, NULL },
	{ "mapping_id", NUMBER, NULL }, { "address", ADDRESS, NULL },
	{ "line", MESSAGE, line_rows }, { "is_folded", NUMBER, NULL },
	{ NULL, NUMBER, NULL }
};
static const struct field_row function_rows[] = {
	{ "", NUMBER, NULL },          { "id", NUMBER, NULL },     { "name", TEXT, NULL },
	{ "system_name", TEXT, NULL }, { "filename", TEXT, NULL }, { "start_line", SIGNED, NULL },
	{ NULL, NUMBER, NULL }
};
static const struct field_row profile_rows[] = {
	[0] = { "", NUMBER, NULL },
	[TL_PPROF_SAMPLE_TYPE] = { "sample_type", MESSAGE, type_rows },
	[TL_PPROF_SAMPLE] = { "sample", MESSAGE, sample_rows },
	[TL_PPROF_MAPPING] = { "mapping", MESSAGE, mapping_rows },
	[TL_PPROF_LOCATION] = { "location", MESSAGE, location_rows },
	[TL_PPROF_FUNCTION] = { "function", MESSAGE, function_rows },
	[TL_PPROF_STRING] = { "string_table", NUMBER, NULL },
	[TL_PPROF_DROP_FRAMES] = { "drop_frames", TEXT, NULL },
	[TL_PPROF_KEEP_FRAMES] = { "keep_frames", TEXT, NULL },
	[TL_PPROF_TIME_NANOS] = { "time_nanos", SIGNED, NULL },
	[TL_PPROF_DURATION_NANOS] = { "duration_nanos", SIGNED, NULL },
	[TL_PPROF_PERIOD_TYPE] = { "period_type", MESSAGE, type_rows },
	[TL_PPROF_PERIOD] = { "period", SIGNED, NULL },
	[TL_PPROF_COMMENT] = { "comment", TEXT, NULL },
	[TL_PPROF_DEFAULT_TYPE] = { "default_sample_type", TEXT, NULL },
	[TL_PPROF_DOC_URL] = { "doc_url", TEXT, NULL },
	[TL_PPROF_FIELDS] = { NULL, NUMBER, NULL },
};

struct lister {
	const struct tl_pprof_file *p;
	struct tl_output *out;
	bool json;
	bool first; /* in a message: no field was written yet */
};

static void put_key(struct lister *l, const char *name)
{
	if (l->json) {
		tl_put_text(l->out, l->first ? "\"" : ",\"");
		tl_put_text(l->out, name);
		tl_put_text(l->out, "\":");
	} else {
		tl_put_char(l->out, ' ');
		tl_put_text(l->out, name);
		tl_put_char(l->out, ' ');
	}
	l->first = false;
}

static void put_text(struct lister *l, struct tl_pprof_text text)
{
	if (l->json)
		tl_put_json(l->out, text.text, text.size);
	else
		tl_put_shown(l->out, text.text, text.size);
}

static void put_number(struct lister *l, enum kind kind, uint64_t value)
{
	if (kind == TEXT) {
		put_text(l, tl_pprof_string(l->p, value));
	} else if (kind == ADDRESS) {
		tl_put_text(l->out, tl_text_if(l->json, "\""));
		tl_put_hex(l->out, value);
		tl_put_text(l->out, tl_text_if(l->json, "\""));
	} else if (kind == SIGNED || kind == SIGNED_NUMBERS) {
		tl_put_i64(l->out, (int64_t)value);
	} else {
		tl_put_u64(l->out, value);
	}
}

/* All numbers of a repeated field, of however many fields it consists. */
static void put_numbers(struct lister *l, const struct field_row *row, uint32_t number,
			struct tl_cursor cur)
{
	struct tl_wire_field field;
	const char *why;
	bool some = false;

	put_key(l, row->name);
	tl_put_char(l->out, '[');
	while (tl_wire_next(&cur, &field, &why) == 1) {
		struct tl_cursor list = field.bytes;
		bool first = true;
		uint64_t value;

		if (field.number != number || (field.type && field.type != TL_WIRE_BYTES))
			continue;
		while (tl_wire_number(&field, &list, &first, &value) == 1) {
			if (some)
				tl_put_char(l->out, ',');
			put_number(l, row->kind, value);
			some = true;
		}
	}
	tl_put_char(l->out, ']');
}

static void put_message(struct lister *l, const struct field_row *rows, struct tl_cursor cur);

/* Messages inside: a list. */
static void put_messages(struct lister *l, const struct field_row *row, uint32_t number,
			 struct tl_cursor cur)
{
	struct tl_wire_field field;
	const char *why;
	bool some = false;

	put_key(l, row->name);
	tl_put_char(l->out, '[');
	while (tl_wire_next(&cur, &field, &why) == 1) {
		if (field.number != number || field.type != TL_WIRE_BYTES)
			continue;
		if (some)
			tl_put_char(l->out, ',');
		tl_put_char(l->out, '{');
		l->first = true;
		put_message(l, row->inside, field.bytes);
		l->first = false;
		tl_put_text(l->out, l->json ? "}" : " }");
		some = true;
	}
	tl_put_char(l->out, ']');
}

/* The last value of a field of one number. False: the message has none. */
static bool find_number(struct tl_cursor cur, uint32_t number, uint64_t *value)
{
	struct tl_wire_field field;
	const char *why;
	bool found = false;

	while (tl_wire_next(&cur, &field, &why) == 1)
		if (field.number == number && field.type == TL_WIRE_VARINT) {
			*value = field.value;
			found = true;
		}
	return found;
}

static bool has_field(struct tl_cursor cur, uint32_t number)
{
	struct tl_wire_field field;
	const char *why;

	while (tl_wire_next(&cur, &field, &why) == 1)
		if (field.number == number)
			return true;
	return false;
}

/* Messages are small, and those inside are of other kinds, so this is at most three deep. */
static void put_message(struct lister *l, const struct field_row *rows, struct tl_cursor cur)
{
	for (uint32_t number = 1; rows[number].name; number++) {
		const struct field_row *row = &rows[number];
		uint64_t value;

		if (row->kind == MESSAGE) {
			if (has_field(cur, number))
				put_messages(l, row, number, cur);
		} else if (row->kind == NUMBERS || row->kind == SIGNED_NUMBERS) {
			put_numbers(l, row, number, cur);
		} else if (find_number(cur, number, &value)) {
			put_key(l, row->name);
			put_number(l, row->kind, value);
		}
	}
}

static void put_head(struct lister *l, const struct tl_wire_field *field, const char *name)
{
	uint64_t offset = (uint64_t)(field->start - l->p->data);

	if (l->json)
		tl_put_format(l->out, "{\"offset\":%" PRIu64 ",\"record\":\"%s\"", offset, name);
	else
		tl_put_format(l->out, "0x%08" PRIx64 " %s", offset, name);
}

static void put_field(struct lister *l, const struct tl_wire_field *field)
{
	const struct field_row *row = field->number < TL_PPROF_FIELDS
					      ? &profile_rows[field->number]
					      : &(struct field_row){ "unknown", NUMBER, NULL };

	put_head(l, field, row->name);
	if (field->number == TL_PPROF_STRING && field->type == TL_WIRE_BYTES) {
		put_key(l, "text");
		put_text(l, (struct tl_pprof_text){ (const char *)field->bytes.pos,
						    tl_cursor_left(&field->bytes) });
	} else if (row->kind == MESSAGE && field->type == TL_WIRE_BYTES) {
		put_message(l, row->inside, field->bytes);
	} else if (field->number >= TL_PPROF_FIELDS) {
		put_key(l, "field");
		tl_put_u64(l->out, field->number);
	} else {
		struct tl_cursor list = field->bytes;
		bool first = true;
		uint64_t value;

		while (row->kind != MESSAGE && field->number != TL_PPROF_STRING &&
		       tl_wire_number(field, &list, &first, &value) == 1) {
			put_key(l, "value");
			put_number(l, row->kind, value);
		}
	}
	tl_put_text(l->out, l->json ? "}\n" : "\n");
}

int tl_pprof_dump(struct tl_pprof_file *p, bool json, struct tl_output *out, struct tl_error *err)
{
	struct lister l = { p, out, json, false };
	struct tl_cursor cur = tl_cursor_over(p->data, p->size);
	struct tl_wire_field field;
	const char *why;

	(void)err;
	while (!tl_output_failed(out) && tl_wire_next(&cur, &field, &why) == 1)
		put_field(&l, &field);
	return 0;
}
