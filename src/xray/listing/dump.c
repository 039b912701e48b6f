/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records as lines: text in columns, or one compact JSON object each. The fields of a record kind
 * are one row of a table.
 */
#include "core/error.h"
#include "core/output.h"
#include "timeline/timeline.h"
#include "xray/listing/plain_lines.h"
#include "xray/listing/select.h"

enum field_type { F_U16, F_U32, F_I32, F_U64, F_I64, F_TEXT, F_DATA, F_PATH };

struct field {
	const char *name;
	enum field_type type;
	size_t offset;
};

#define FIELD(name, type, member) { name, type, offsetof(struct tl_xray_record, member) }
#define THREAD FIELD("thread", F_I32, thread), FIELD("process", F_I32, process)

enum { MOST_FIELDS = 9 };

/*
 * The fields besides "offset", "record" and "tsc". Function records are written by json_function()
 * and text_function().
 */
static const struct field fields[TL_XRAY_KIND_COUNT][MOST_FIELDS] = {
	[TL_XRAY_NEW_BUFFER] = { THREAD },
	[TL_XRAY_END_OF_BUFFER] = { THREAD },
	[TL_XRAY_NEW_CPU] = { THREAD, FIELD("cpu", F_U16, cpu) },
	[TL_XRAY_TSC_WRAP] = { THREAD },
	[TL_XRAY_WALL_CLOCK] = { THREAD, FIELD("seconds", F_U64, value),
				 FIELD("microseconds", F_U32, microseconds) },
	[TL_XRAY_CUSTOM_EVENT] = { THREAD, FIELD("cpu", F_U16, cpu), FIELD("delta", F_I64, delta),
				   FIELD("size", F_U32, payload_size),
				   FIELD("data", F_DATA, payload) },
	[TL_XRAY_CALL_ARGUMENT] = { THREAD, FIELD("argument", F_U64, value) },
	[TL_XRAY_BUFFER_EXTENTS] = { THREAD, FIELD("size", F_U64, value) },
	[TL_XRAY_TYPED_EVENT] = { THREAD, FIELD("cpu", F_U16, cpu), FIELD("delta", F_I64, delta),
				  FIELD("event_type", F_U16, event_type),
				  FIELD("size", F_U32, payload_size),
				  FIELD("data", F_DATA, payload) },
	[TL_XRAY_PID] = { THREAD },
	[TL_XRAY_LOST] = { THREAD, FIELD("length", F_U64, length), FIELD("text", F_TEXT, text) },
	[TL_XRAY_SAMPLE] = { THREAD, FIELD("path", F_PATH, path), FIELD("calls", F_U64, value) },
};

bool tl_xray_selected(struct tl_xray_select *select, const struct tl_xray_record *record)
{
	const struct tl_xray_fold_options *o = &select->limits;
	uint32_t number;

	if ((o->thread != TL_NOWHERE && o->thread != (uint32_t)record->thread) ||
	    (o->process != TL_NOWHERE && o->process != (uint32_t)record->process) ||
	    (o->cpu != TL_NOWHERE && o->cpu != record->cpu) || record->tsc < o->from_ticks ||
	    (o->to_ticks && record->tsc >= o->to_ticks))
		return false;
	if (!select->names.by_function && !select->names.by_object)
		return true;
	if (record->kind != TL_XRAY_FUNCTION)
		return false;
	number = tl_xray_names_number(&select->names, record->function);
	return number != TL_NONE && select->names.names[number].wanted;
}

/* ---- values ---- */

static void put_hex_bytes(struct tl_output *out, const uint8_t *data, size_t size)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < size; i++) {
		tl_put_char(out, digits[data[i] >> 4]);
		tl_put_char(out, digits[data[i] & 15]);
	}
}

/* Bytes are written twice: as text for reading, and in hexadecimal without loss. */
static void put_data(struct tl_output *out, const struct tl_xray_record *record, bool json)
{
	if (!json) {
		tl_put_json(out, (const char *)record->payload, record->payload_size);
		return;
	}
	tl_put_json(out, (const char *)record->payload, record->payload_size);
	tl_put_text(out, ",\"bytes\":\"");
	put_hex_bytes(out, record->payload, record->payload_size);
	tl_put_char(out, '"');
}

static void put_path(struct tl_output *out, const struct tl_xray_record *record, bool json)
{
	tl_put_char(out, '[');
	for (uint32_t i = 0; i < record->path_length; i++) {
		if (i)
			tl_put_char(out, json ? ',' : ' ');
		tl_put_i64(out, record->path[i]);
	}
	tl_put_char(out, ']');
}

static void put_value(struct tl_output *out, const struct tl_xray_record *record,
		      const struct field *field, bool json)
{
	const char *p = (const char *)record + field->offset;

	switch (field->type) {
	case F_U16:
		tl_put_u64(out, *(const uint16_t *)p);
		break;
	case F_U32:
		tl_put_u64(out, *(const uint32_t *)p);
		break;
	case F_I32:
		tl_put_i64(out, *(const int32_t *)p);
		break;
	case F_U64:
		tl_put_u64(out, *(const uint64_t *)p);
		break;
	case F_I64:
		tl_put_i64(out, *(const int64_t *)p);
		break;
	case F_TEXT:
		tl_put_json(out, record->text, strlen(record->text));
		break;
	case F_DATA:
		put_data(out, record, json);
		break;
	case F_PATH:
		put_path(out, record, json);
		break;
	}
}

/* ---- lines ---- */

static void put_key(struct tl_output *out, const char *name)
{
	tl_put_text(out, ",\"");
	tl_put_text(out, name);
	tl_put_text(out, "\":");
}

static void json_number(struct tl_output *out, const char *name, int64_t value)
{
	put_key(out, name);
	tl_put_i64(out, value);
}

#define LITERAL(p, text) ((char *)memcpy(p, text, sizeof(text) - 1) + sizeof(text) - 1)

static char *format_text(char *p, const char *text)
{
	size_t size = strlen(text);

	return (char *)memcpy(p, text, size) + size;
}

static char *format_i64(char *p, int64_t value)
{
	if (value < 0)
		*p++ = '-';
	return tl_format_u64(p, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void json_arguments(struct tl_output *out, const struct tl_xray_record *record)
{
	for (uint32_t i = 0; i < record->arg_count; i++) {
		if (i)
			tl_put_char(out, ',');
		tl_put_u64(out, record->args[i]);
	}
}

/*
 * The line of a function record, of which there are millions: room is made for the keys and numbers
 * before and behind the name, which are less than half of it.
 */
static void json_function(struct tl_output *out, const struct tl_xray_record *record,
			  const struct tl_xray_function_name *name)
{
	enum { ROOM = 512 };
	char *p = tl_output_room(out, ROOM);

	p = LITERAL(p, "{\"offset\":");
	p = tl_format_u64(p, record->offset);
	p = LITERAL(p, ",\"record\":\"");
	p = format_text(p, tl_xray_kind_name(record->kind));
	p = LITERAL(p, "\",\"action\":\"");
	p = format_text(p, tl_xray_action_name(record->action));
	p = LITERAL(p, "\",\"id\":");
	p = format_i64(p, record->function);
	p = LITERAL(p, ",\"name\":");
	tl_output_advance(out, p);
	tl_put_json(out, name->name, strlen(name->name));
	p = tl_output_room(out, ROOM);
	p = LITERAL(p, ",\"thread\":");
	p = format_i64(p, record->thread);
	p = LITERAL(p, ",\"process\":");
	p = format_i64(p, record->process);
	p = LITERAL(p, ",\"cpu\":");
	p = tl_format_u64(p, record->cpu);
	p = LITERAL(p, ",\"tsc\":");
	p = tl_format_u64(p, record->tsc);
	p = LITERAL(p, ",\"delta\":");
	p = format_i64(p, record->delta);
	p = LITERAL(p, ",\"args\":[");
	tl_output_advance(out, p);
	json_arguments(out, record);
	tl_put_text(out, "]}\n");
}

/* What the bytes of an event mean, behind its fields. */
static void json_event(struct tl_output *out, const struct tl_xray_event *event)
{
	if (event->name) {
		put_key(out, "event");
		tl_put_json(out, event->name, strlen(event->name));
	}
	put_key(out, "values");
	tl_put_char(out, '{');
	for (size_t i = 0; i < event->count; i++) {
		const struct tl_timeline_arg *value = &event->fields[i];

		if (i)
			tl_put_char(out, ',');
		tl_put_json(out, value->name, strlen(value->name));
		tl_put_char(out, ':');
		if (!tl_timeline_put_number(out, value))
			tl_put_json(out, value->data, value->size);
	}
	tl_put_char(out, '}');
}

static void json_line(struct tl_output *out, const struct tl_xray_record *record,
		      const struct tl_xray_function_name *name, const struct tl_xray_event *event)
{
	if (record->kind == TL_XRAY_FUNCTION) {
		json_function(out, record, name);
		return;
	}
	tl_put_text(out, "{\"offset\":");
	tl_put_u64(out, record->offset);
	put_key(out, "record");
	tl_put_char(out, '"');
	tl_put_text(out, tl_xray_kind_name(record->kind));
	tl_put_char(out, '"');
	for (const struct field *f = fields[record->kind]; f->name; f++) {
		put_key(out, f->name);
		put_value(out, record, f, true);
	}
	if (event)
		json_event(out, event);
	if (record->kind == TL_XRAY_SAMPLE) {
		json_number(out, "ticks", (int64_t)record->tsc);
	} else {
		put_key(out, "tsc");
		tl_put_u64(out, record->tsc);
	}
	tl_put_text(out, "}\n");
}

static void put_padded(struct tl_output *out, uint64_t value, bool negative, unsigned width)
{
	char digits[24] = "-";
	char *end = tl_format_u64(digits + negative, negative ? -value : value);
	size_t size = (size_t)(end - digits);

	for (size_t i = size; i < width; i++)
		tl_put_char(out, ' ');
	tl_put_bytes(out, digits, size);
}

static void text_function(struct tl_output *out, const struct tl_xray_record *record,
			  const struct tl_xray_function_name *name)
{
	tl_put_text(out, tl_xray_action_name(record->action));
	tl_put_text(out, " [");
	tl_put_u64(out, record->function);
	tl_put_text(out, "] ");
	tl_put_shown(out, name->name, strlen(name->name));
	for (uint32_t i = 0; i < record->arg_count; i++) {
		tl_put_text(out, i ? ", " : "(");
		tl_put_hex(out, record->args[i]);
	}
	if (record->arg_count)
		tl_put_char(out, ')');
	tl_put_text(out, " delta=");
	tl_put_i64(out, record->delta);
}

/* Instead of the bytes. */
static void text_event(struct tl_output *out, const struct tl_xray_event *event)
{
	if (event->name) {
		tl_put_char(out, ' ');
		tl_put_shown(out, event->name, strlen(event->name));
	}
	for (size_t i = 0; i < event->count; i++) {
		const struct tl_timeline_arg *value = &event->fields[i];

		tl_put_char(out, ' ');
		tl_put_shown(out, value->name, strlen(value->name));
		tl_put_char(out, '=');
		if (value->kind == TL_ARG_HEX)
			tl_put_hex(out, value->number);
		else if (!tl_timeline_put_number(out, value))
			tl_put_json(out, value->data, value->size);
	}
}

/* Fields that have columns of their own, or whose meaning is shown. */
static bool is_elsewhere(const struct tl_xray_record *record, const struct field *field,
			 const struct tl_xray_event *event)
{
	if (field->type == F_DATA)
		return event != NULL;
	return field->offset == offsetof(struct tl_xray_record, thread) ||
	       field->offset == offsetof(struct tl_xray_record, cpu) ||
	       (field->offset == offsetof(struct tl_xray_record, process) &&
		record->kind != TL_XRAY_PID);
}

/* Columns: offset, tsc, thread, cpu, then the record. */
static void text_line(struct tl_output *out, const struct tl_xray_record *record,
		      const struct tl_xray_function_name *name, const struct tl_xray_event *event)
{
	tl_put_format(out, "0x%08llx ", (unsigned long long)record->offset);
	put_padded(out, record->tsc, record->kind == TL_XRAY_SAMPLE && record->tsc > INT64_MAX, 16);
	tl_put_char(out, ' ');
	put_padded(out, (uint32_t)record->thread, false, 7);
	tl_put_char(out, ' ');
	put_padded(out, record->cpu, false, 3);
	tl_put_char(out, ' ');
	if (record->kind == TL_XRAY_FUNCTION) {
		text_function(out, record, name);
	} else {
		tl_put_text(out, tl_xray_kind_name(record->kind));
		for (const struct field *f = fields[record->kind]; f->name; f++) {
			if (is_elsewhere(record, f, event))
				continue;
			tl_put_char(out, ' ');
			tl_put_text(out, f->name);
			tl_put_char(out, '=');
			put_value(out, record, f, false);
		}
		if (event)
			text_event(out, event);
	}
	tl_put_char(out, '\n');
}

/* The line of one record, if it is selected. 0 or TL_NO_MEMORY. */
static int put_line(struct tl_xray_select *select, const struct tl_xray_record *record, bool json,
		    struct tl_output *out, struct tl_error *err)
{
	static const struct tl_xray_function_name none = { .name = "" };
	const struct tl_xray_function_name *name = &none;
	struct tl_xray_event event;
	bool decoded;

	if (!tl_xray_selected(select, record))
		return 0;
	if (record->kind == TL_XRAY_FUNCTION) {
		uint32_t number = tl_xray_names_number(&select->names, record->function);

		if (number == TL_NONE)
			return tl_error_memory(err);
		name = &select->names.names[number];
	}
	decoded = tl_xray_decode_event(select->decoders, record, &event);
	if (json)
		json_line(out, record, name, decoded ? &event : NULL);
	else
		text_line(out, record, name, decoded ? &event : NULL);
	return 0;
}

/* ---- all records ---- */

static int dump_plainly(struct tl_xray_reader *reader, struct tl_xray_select *select, bool json,
			struct tl_output *out, struct tl_error *err)
{
	struct tl_xray_record record;
	int status;

	while ((status = tl_xray_next_record(reader, &record, err)) == 1 &&
	       !tl_output_failed(out)) {
		status = put_line(select, &record, json, out, err);
		if (status < 0)
			break;
	}
	return tl_error_or_end(status);
}

/* The next records: plain ones, or one other. 1; 0: there are none; negative: an error. */
static int dump_next(struct tl_xray_reader *reader, struct tl_xray_select *select,
		     struct tl_xray_lines *lines, struct tl_error *err)
{
	struct tl_xray_plain plain[256];
	struct tl_xray_record record;
	struct tl_output *other;
	int count = tl_xray_next_plain(reader, plain, sizeof(plain) / sizeof(*plain), err);
	int status;

	if (count < 0)
		return count;
	if (count) {
		bool added = tl_xray_lines_add(lines, plain, (size_t)count);

		return added ? 1 : tl_error_memory(err);
	}
	status = tl_xray_next_record(reader, &record, err);
	if (status <= 0)
		return status;
	other = tl_xray_lines_other(lines);
	if (!other)
		return tl_error_memory(err);
	status = put_line(select, &record, true, other, err);
	if (status < 0)
		return status;
	return tl_xray_lines_other_end(lines) ? 1 : tl_error_memory(err);
}

/* Whether all records are selected. */
static bool is_whole(const struct tl_xray_select *select)
{
	const struct tl_xray_fold_options *o = &select->limits;

	return o->thread == TL_NOWHERE && o->process == TL_NOWHERE && o->cpu == TL_NOWHERE &&
	       !o->from_ticks && !o->to_ticks && !select->names.by_function &&
	       !select->names.by_object;
}

int tl_xray_dump(struct tl_xray_reader *reader, struct tl_xray_select *select, bool json,
		 unsigned jobs, struct tl_output *out, struct tl_error *err)
{
	struct tl_xray_lines *lines;
	int status = 1, closed;

	tl_xray_rewind(reader);
	if (!json || !is_whole(select))
		return dump_plainly(reader, select, json, out, err);
	lines = tl_xray_lines_open(&select->names, jobs, out);
	if (!lines)
		return tl_error_memory(err);
	while (status == 1 && !tl_xray_lines_failed(lines))
		status = dump_next(reader, select, lines, err);
	closed = tl_xray_lines_close(lines, status < 0 ? NULL : err);
	return status < 0 ? status : closed;
}
