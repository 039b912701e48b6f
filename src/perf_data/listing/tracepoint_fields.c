/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel describes a tracepoint by a text (Documentation/trace/events.rst, "Event formats"):
 * "name: sched_switch", "ID: 314", and a line for each field, such as
 * "field:char next_comm[16];	offset:40;	size:16;	signed:0;", up to "print fmt:".
 */
#include "perf_data/listing/tracepoint_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/output.h"
#include "perf_data/processes/tracing_text.h"

/* The kernel's own descriptions are shorter; a longer one would be gone through at each sample. */
enum { TYPE_TRACEPOINT = 2, MOST_DESCRIBED = 16 * 1024 };

/* ---- formats ---- */

static bool same_id(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_tracepoint_format *list = context;

	return list[number].id == *(const uint64_t *)key;
}

/* Of several descriptions of one tracepoint the first one holds. False without memory. */
static bool add_format(struct tl_perf_tracepoint_formats *f,
		       struct tl_perf_tracepoint_format format)
{
	const uint64_t hash = tl_hash64(format.id);

	if (tl_index_find(&f->by_id, hash, same_id, f->list, &format.id) != TL_NONE)
		return true;
	if (f->count >= TL_NONE ||
	    !tl_grow(&f->list, &f->capacity, f->count + 1, sizeof(*f->list)) ||
	    !tl_index_add(&f->by_id, hash, (uint32_t)f->count))
		return false;
	f->list[f->count++] = format;
	return true;
}

/* One description, from "ID:" on. Without its end, "print fmt:", it is cut, and not used. */
static bool read_format(struct tl_perf_tracepoint_formats *f, const char *at, const char *end)
{
	const char *stop = tl_perf_tracing_find(at, end, "\nprint fmt:");
	struct tl_perf_tracepoint_format format = { .fields.data = at };

	if (!stop || stop - at > MOST_DESCRIBED)
		return true;
	format.fields.size = (size_t)(stop - at);
	format.id = tl_perf_tracing_number(at, stop, "ID:");
	return add_format(f, format);
}

static bool read_formats(struct tl_perf_tracepoint_formats *f, const char *data, const char *end)
{
	const char *at = tl_perf_tracing_find(data, end, "\nID:"), *next;

	for (; at; at = next) {
		next = tl_perf_tracing_find(at + 1, end, "\nID:");
		if (!read_format(f, at, next ? next : end))
			return false;
	}
	return true;
}

/* In a pipe tracing data may come anew. */
static bool know_formats(struct tl_perf_tracepoint_formats *f, const struct tl_perf_reader *reader)
{
	const char *data = (const char *)reader->tracing.data;

	if (f->data == reader->tracing.data)
		return true;
	tl_perf_tracepoint_formats_free(f);
	f->data = reader->tracing.data;
	return read_formats(f, data, data + reader->tracing.size);
}

bool tl_perf_tracepoint_fields(struct tl_perf_tracepoint_formats *f,
			       const struct tl_perf_reader *reader,
			       const struct tl_perf_record *rec, struct tl_perf_text *fields)
{
	const struct tl_perf_attr *attr = rec->attr;
	uint32_t number;

	*fields = (struct tl_perf_text){ NULL, 0 };
	if (rec->type != TL_PERF_SAMPLE || !attr || attr->type != TYPE_TRACEPOINT ||
	    !rec->sample.raw || !reader->tracing.data)
		return true;
	if (!know_formats(f, reader))
		return false;
	number = tl_index_find(&f->by_id, tl_hash64(attr->config), same_id, f->list, &attr->config);
	if (number != TL_NONE)
		*fields = f->list[number].fields;
	return true;
}

void tl_perf_tracepoint_formats_free(struct tl_perf_tracepoint_formats *f)
{
	tl_index_free(&f->by_id);
	free(f->list);
	*f = (struct tl_perf_tracepoint_formats){ .data = NULL };
}

/* ---- one field ---- */

struct point_field {
	struct tl_perf_text type; /* with its blanks: "const char *" */
	struct tl_perf_text name; /* without "[16]" */
	uint64_t offset, size;
	bool is_signed, is_array;
};

static bool type_has(const struct point_field *field, const char *text)
{
	return memmem(field->type.data, field->type.size, text, strlen(text)) != NULL;
}

/* "TYPE NAME[COUNT]" becomes a type and a name. */
static bool split(const char *from, const char *end, struct point_field *field)
{
	const char *bracket = memchr(from, '[', (size_t)(end - from)), *name_end = end, *p;

	/* A type may have brackets, too: "__data_loc char[] name". */
	field->is_array =
		bracket && end[-1] == ']' && !memchr(bracket, ' ', (size_t)(end - bracket));
	if (field->is_array)
		name_end = bracket;
	for (p = name_end; p > from && p[-1] != ' ' && p[-1] != '*'; p--)
		;
	if (p == from || p == name_end)
		return false;
	field->type = (struct tl_perf_text){ from, (size_t)(p - from) };
	field->name = (struct tl_perf_text){ p, (size_t)(name_end - p) };
	return true;
}

/* One line. False: it describes no field. */
static bool read_line(const char *line, const char *end, struct point_field *field)
{
	static const char begin[] = "field:";
	const char *from = tl_perf_tracing_find(line, end, begin), *stop;

	stop = from ? memchr(from, ';', (size_t)(end - from)) : NULL;
	if (!stop || !split(from + sizeof(begin) - 1, stop, field))
		return false;
	field->offset = tl_perf_tracing_number(stop, end, "offset:");
	field->size = tl_perf_tracing_number(stop, end, "size:");
	field->is_signed = tl_perf_tracing_number(stop, end, "signed:") == 1;
	return true;
}

/* ---- values ---- */

static uint64_t number_at(const uint8_t *p, uint64_t size, bool swapped)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return tl_get16s(p, swapped);
	case 4:
		return tl_get32s(p, swapped);
	default:
		return tl_get64s(p, swapped);
	}
}

static bool is_number(uint64_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void put_number(struct tl_output *out, const struct point_field *field, uint64_t value)
{
	const unsigned unused = 64 - 8 * (unsigned)field->size;

	if (type_has(field, "*")) {
		tl_put_char(out, '"');
		tl_put_hex(out, value);
		tl_put_char(out, '"');
	} else if (field->is_signed) {
		tl_put_format(out, "%" PRIi64, (int64_t)(value << unused) >> unused);
	} else {
		tl_put_u64(out, value);
	}
}

static void put_bytes(struct tl_output *out, const uint8_t *bytes, uint64_t size)
{
	tl_put_char(out, '"');
	for (uint64_t i = 0; i < size; i++)
		tl_put_format(out, "%02x", bytes[i]);
	tl_put_char(out, '"');
}

/* Characters; unsigned ones are bytes of addresses and keys. */
static bool is_text(const struct point_field *field)
{
	return type_has(field, "char") && !type_has(field, "unsigned") && !type_has(field, "*");
}

static void put_text(struct tl_output *out, const uint8_t *bytes, uint64_t size)
{
	tl_put_json(out, (const char *)bytes, strnlen((const char *)bytes, (size_t)size));
}

/*
 * What stands elsewhere in the raw data: a word has the offset in its low half and the size in the
 * other one; of __rel_loc the offset counts from the end of the word.
 */
static void put_dynamic(struct tl_output *out, const struct point_field *field,
			const struct tl_perf_record *rec)
{
	const uint32_t word = tl_get32s(rec->sample.raw + field->offset, rec->swapped);
	const uint64_t start = type_has(field, "__rel_loc ") ? field->offset + 4 : 0;
	const uint64_t at = start + (word & 0xffff), size = word >> 16;

	if (at > rec->sample.raw_size || size > rec->sample.raw_size - at)
		tl_put_text(out, "null");
	else if (is_text(field))
		put_text(out, rec->sample.raw + at, size);
	else
		put_bytes(out, rec->sample.raw + at, size);
}

static bool is_dynamic(const struct point_field *field)
{
	return field->size == 4 &&
	       (type_has(field, "__data_loc ") || type_has(field, "__rel_loc "));
}

static void put_value(struct tl_output *out, const struct point_field *field,
		      const struct tl_perf_record *rec)
{
	const uint64_t size = rec->sample.raw_size;
	const uint8_t *at;

	if (field->offset > size || field->size > size - field->offset) {
		tl_put_text(out, "null");
		return;
	}
	at = rec->sample.raw + field->offset;
	if (is_dynamic(field))
		put_dynamic(out, field, rec);
	else if (field->is_array && is_text(field))
		put_text(out, at, field->size);
	else if (!field->is_array && is_number(field->size))
		put_number(out, field, number_at(at, field->size, rec->swapped));
	else
		put_bytes(out, at, field->size);
}

static bool is_common(const struct point_field *field)
{
	static const char common[] = "common_";

	return field->name.size >= sizeof(common) - 1 &&
	       !memcmp(field->name.data, common, sizeof(common) - 1);
}

void tl_perf_put_tracepoint_fields(const struct tl_perf_record *rec, struct tl_perf_text fields,
				   struct tl_output *out)
{
	const char *line = fields.data, *end = line + fields.size, *next;
	char before = '{';

	for (; line < end; line = next) {
		struct point_field field;

		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		if (!read_line(line, next, &field) || is_common(&field))
			continue;
		tl_put_char(out, before);
		tl_put_json(out, field.name.data, field.name.size);
		tl_put_char(out, ':');
		put_value(out, &field, rec);
		before = ',';
	}
	tl_put_text(out, before == '{' ? "{}" : "}");
}
