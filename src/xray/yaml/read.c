/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text: a mapping with a header and a list of records, each of which is a mapping. What is
 * wrong in a record costs that record; where the text is no YAML any more, reading ends.
 */
#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "xray/format/yaml.h"
#include "xray/yaml/collected.h"
#include "xray/yaml/yaml_log.h"

struct text {
	struct tl_xray_yaml yaml;
	struct tl_xray_collected all;
	struct tl_xray_faults *faults;
	bool strict, no_memory;
	uint64_t record; /* number of the present one */
};

/* A record while its fields come. */
/* What a record has of any length, in one of the lists of `struct tl_xray_collected`. */
struct extent {
	size_t first;
	uint32_t count;
};

struct record_text {
	struct tl_xray_item item;
	/* Any record can have both keys, whatever its kind, which may stand behind them. */
	struct extent args, data;
	const char *name;  /* interned */
	const char *wrong; /* what is wrong with it; NULL: nothing */
	bool has_id, has_kind, has_tsc;
};

/* ---- fields of a record ---- */

typedef bool set_fn(struct text *text, struct record_text *entry, const char *value, size_t size);

static bool get_u32(const char *value, uint32_t max, uint32_t *number)
{
	uint64_t wide;

	if (!tl_xray_yaml_number(value, max, &wide))
		return false;
	*number = (uint32_t)wide;
	return true;
}

static bool set_type(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	uint32_t number = 0;
	bool good = get_u32(value, UINT16_MAX, &number);

	(void)text, (void)size;
	entry->item.event_type = (uint16_t)number;
	return good;
}

static bool set_id(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	(void)text, (void)size;
	entry->has_id = get_u32(value, UINT32_MAX, &entry->item.id);
	return entry->has_id;
}

static bool set_name(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	(void)size;
	entry->name = tl_names_text(&text->all.map->names, value);
	text->no_memory |= !entry->name;
	return true;
}

static bool set_cpu(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	uint32_t number = 0;
	bool good = get_u32(value, UINT16_MAX, &number);

	(void)text, (void)size;
	entry->item.cpu = (uint16_t)number;
	return good;
}

/* Numbers of threads and processes are signed in a log, and written without a sign. */
static bool get_i32(const char *value, int32_t *number)
{
	uint32_t bits = 0;
	bool good = get_u32(value, UINT32_MAX, &bits);

	*number = (int32_t)bits;
	return good;
}

static bool set_thread(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	(void)text, (void)size;
	return get_i32(value, &entry->item.thread);
}

static bool set_process(struct text *text, struct record_text *entry, const char *value,
			size_t size)
{
	(void)text, (void)size;
	return get_i32(value, &entry->item.process);
}

static bool set_kind(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	static const struct {
		const char *name;
		enum tl_xray_kind kind;
		enum tl_xray_action action;
	} kinds[] = {
		{ "function-enter", TL_XRAY_FUNCTION, TL_XRAY_ENTER },
		{ "function-exit", TL_XRAY_FUNCTION, TL_XRAY_EXIT },
		{ "function-tail-exit", TL_XRAY_FUNCTION, TL_XRAY_TAIL_EXIT },
		{ "function-enter-arg", TL_XRAY_FUNCTION, TL_XRAY_ENTER_ARGS },
		{ "custom-event", TL_XRAY_CUSTOM_EVENT, TL_XRAY_ENTER },
		{ "typed-event", TL_XRAY_TYPED_EVENT, TL_XRAY_ENTER },
	};

	(void)text, (void)size;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(value, kinds[i].name)) {
			entry->item.kind = kinds[i].kind;
			entry->item.action = kinds[i].action;
			entry->has_kind = true;
			return true;
		}
	return false;
}

static bool set_tsc(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	(void)text, (void)size;
	entry->has_tsc = tl_xray_yaml_number(value, UINT64_MAX, &entry->item.tsc);
	return entry->has_tsc;
}

static int digit_of(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Base64 with blanks between, in place. False: it is none. */
static bool decode_base64(uint8_t *data, size_t *size)
{
	uint32_t bits = 0;
	size_t digits = 0, at = 0, bytes = 0;

	for (; at < *size && data[at] != '='; at++) {
		int digit = digit_of((char)data[at]);

		if (data[at] == ' ' || data[at] == '\n')
			continue;
		if (digit < 0)
			return false;
		bits = bits << 6 | (uint32_t)digit;
		if (digits++ % 4)
			data[bytes++] = (uint8_t)(bits >> (6 - 2 * ((digits - 1) % 4)));
	}
	*size = bytes;
	return digits % 4 != 1;
}

static bool set_data(struct text *text, struct record_text *entry, const char *value, size_t size)
{
	const yaml_char_t *tag = text->yaml.event.data.scalar.tag;
	bool good = size <= INT32_MAX;

	if (good && tag && !strcmp((const char *)tag, "tag:yaml.org,2002:binary"))
		good = decode_base64(text->yaml.event.data.scalar.value, &size);
	if (!good || !size)
		return good;
	entry->data = (struct extent){ text->all.byte_count, (uint32_t)size };
	text->no_memory |= !tl_xray_collect_bytes(&text->all, (const uint8_t *)value, size);
	return true;
}

/* clang-format off */
static const struct field {
	const char *key;
	set_fn *set;
	const char *wrong;
} fields[] = {
	{ "type", set_type, "the type does not fit 16 bits, or is not a number" },
	{ "func-id", set_id, "the func-id does not fit 32 bits, or is not a number" },
	{ "function", set_name, "the function is not text" },
	{ "cpu", set_cpu, "the cpu does not fit 16 bits, or is not a number" },
	{ "thread", set_thread, "the thread does not fit 32 bits, or is not a number" },
	{ "process", set_process, "the process does not fit 32 bits, or is not a number" },
	{ "kind", set_kind, "an unknown kind of record" },
	{ "tsc", set_tsc, "the tsc does not fit 64 bits, or is not a number" },
	{ "data", set_data, "the data is neither text nor base64, or too long" },
};
/* clang-format on */

static const struct field *field_of(const char *key)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].key, key))
			return &fields[i];
	return NULL;
}

static void wrong(struct record_text *entry, const char *what)
{
	if (!entry->wrong)
		entry->wrong = what;
}

static int read_args(struct text *text, struct record_text *entry)
{
	size_t first = text->all.arg_count;
	int status = tl_xray_yaml_next(&text->yaml);

	if (status)
		return status;
	if (text->yaml.event.type != YAML_SEQUENCE_START_EVENT) {
		wrong(entry, "the args are not a list");
		return tl_xray_yaml_skip(&text->yaml);
	}
	while (!(status = tl_xray_yaml_next(&text->yaml)) &&
	       text->yaml.event.type != YAML_SEQUENCE_END_EVENT) {
		uint64_t value = 0;

		if (text->yaml.event.type != YAML_SCALAR_EVENT ||
		    !tl_xray_yaml_number((const char *)text->yaml.event.data.scalar.value,
					 UINT64_MAX, &value))
			wrong(entry, "an argument does not fit 64 bits, or is not a number");
		status = tl_xray_yaml_skip(&text->yaml);
		if (status)
			return status;
		text->no_memory |= !tl_xray_collect_arg(&text->all, value);
	}
	entry->args = (struct extent){ first, (uint32_t)(text->all.arg_count - first) };
	return status;
}

static int read_field(struct text *text, struct record_text *entry, const struct field *field)
{
	int status = tl_xray_yaml_next(&text->yaml);
	const yaml_event_t *event = &text->yaml.event;

	if (status)
		return status;
	if (event->type != YAML_SCALAR_EVENT) {
		wrong(entry, field->wrong);
		return tl_xray_yaml_skip(&text->yaml);
	}
	if (!field->set(text, entry, (const char *)event->data.scalar.value,
			event->data.scalar.length))
		wrong(entry, field->wrong);
	return 0;
}

/* ---- records ---- */

/* The present event begins a mapping. */
static int read_entry(struct text *text, struct record_text *entry)
{
	for (;;) {
		int status = tl_xray_yaml_next(&text->yaml);
		const yaml_event_t *event = &text->yaml.event;
		const struct field *field;

		if (status || event->type == YAML_MAPPING_END_EVENT)
			return status;
		if (event->type != YAML_SCALAR_EVENT)
			return tl_xray_yaml_fail(&text->yaml, TL_BAD_FORMAT, "a key is not a word");
		field = field_of((const char *)event->data.scalar.value);
		if (field)
			status = read_field(text, entry, field);
		else if (!strcmp((const char *)event->data.scalar.value, "args"))
			status = read_args(text, entry);
		else
			status = tl_xray_yaml_skip_value(&text->yaml);
		if (status)
			return status;
	}
}

static void check_entry(struct record_text *entry)
{
	if (!entry->has_kind)
		wrong(entry, "a record without its kind");
	else if (!entry->has_tsc)
		wrong(entry, "a record without its tsc");
	else if (entry->item.kind == TL_XRAY_FUNCTION &&
		 (!entry->has_id || !entry->item.id || entry->item.id >> 28))
		wrong(entry, "a function record without an id of 1 to 28 bits");
}

/* A function has arguments, an event has data; of the other key nothing is kept. */
static void choose_extra(struct record_text *entry)
{
	const struct extent *extra =
		entry->item.kind == TL_XRAY_FUNCTION ? &entry->args : &entry->data;

	entry->item.extra = extra->first;
	entry->item.extra_count = extra->count;
}

/* Give up what is between two marks of libyaml. */
static int lose(struct text *text, const char *what, size_t from, size_t to)
{
	struct tl_xray_fault fault = {
		.status = TL_BAD_RECORD,
		.text = what,
		.offset = tl_xray_yaml_offset(&text->yaml, from),
		.record = text->record,
	};

	fault.length = tl_xray_yaml_offset(&text->yaml, to) - fault.offset;
	if (text->strict)
		return tl_error_at(text->yaml.err, fault.status, fault.offset, what);
	if (!tl_xray_fault(text->faults, &fault))
		return tl_error_memory(text->yaml.err);
	return 0;
}

static int read_record(struct text *text)
{
	struct record_text entry = { .name = "" };
	size_t start = text->yaml.event.start_mark.index;
	int status;

	if (text->yaml.event.type == YAML_MAPPING_START_EVENT) {
		status = read_entry(text, &entry);
		check_entry(&entry);
	} else {
		wrong(&entry, "a record is not a mapping");
		status = tl_xray_yaml_skip(&text->yaml);
	}
	if (status)
		return status;
	if (entry.wrong)
		return lose(text, entry.wrong, start, text->yaml.event.end_mark.index);
	choose_extra(&entry);
	if (text->no_memory || !tl_xray_collect(&text->all, &entry.item, entry.name))
		return tl_error_memory(text->yaml.err);
	return 0;
}

static int read_records(struct text *text)
{
	int status = tl_xray_yaml_expect(&text->yaml, YAML_SEQUENCE_START_EVENT, TL_BAD_FORMAT,
					 "the records are not a list");

	while (!status && !(status = tl_xray_yaml_next(&text->yaml)) &&
	       text->yaml.event.type != YAML_SEQUENCE_END_EVENT) {
		status = read_record(text);
		text->record++;
	}
	return status;
}

/* ---- header and document ---- */

static bool set_header(struct tl_xray_writer_options *header, const char *key, const char *value)
{
	uint64_t ignored;

	if (!strcmp(key, "constant-tsc"))
		return tl_xray_yaml_truth(value, &header->constant_tsc);
	if (!strcmp(key, "nonstop-tsc"))
		return tl_xray_yaml_truth(value, &header->nonstop_tsc);
	if (!strcmp(key, "cycle-frequency"))
		return tl_xray_yaml_number(value, UINT64_MAX, &header->frequency);
	if (!strcmp(key, "version") || !strcmp(key, "type"))
		return tl_xray_yaml_number(value, UINT16_MAX, &ignored);
	return true;
}

static int read_header(struct text *text)
{
	struct tl_xray_yaml *yaml = &text->yaml;
	int status = tl_xray_yaml_expect(yaml, YAML_MAPPING_START_EVENT, TL_BAD_FORMAT,
					 "the header is not a mapping");

	while (!status && !(status = tl_xray_yaml_next(yaml)) &&
	       yaml->event.type != YAML_MAPPING_END_EVENT) {
		char key[24] = "";

		if (yaml->event.type != YAML_SCALAR_EVENT)
			return tl_xray_yaml_fail(yaml, TL_BAD_FORMAT, "a key is not a word");
		if (yaml->event.data.scalar.length < sizeof(key))
			strcpy(key, (const char *)yaml->event.data.scalar.value);
		status = tl_xray_yaml_expect(yaml, YAML_SCALAR_EVENT, TL_BAD_FORMAT,
					     "a value of the header is not a word");
		if (!status && !set_header(&text->all.header, key,
					   (const char *)yaml->event.data.scalar.value))
			status = tl_xray_yaml_fail(yaml, TL_BAD_FORMAT,
						   "a value of the header is none that it can be");
	}
	return status;
}

static int read_document(struct text *text)
{
	static const char no_trace[] = "not records with a header";
	struct tl_xray_yaml *yaml = &text->yaml;
	int status = tl_xray_yaml_expect(yaml, YAML_STREAM_START_EVENT, TL_BAD_FORMAT, no_trace);

	if (!status)
		status = tl_xray_yaml_expect(yaml, YAML_DOCUMENT_START_EVENT, TL_BAD_FORMAT,
					     no_trace);
	if (!status)
		status = tl_xray_yaml_expect(yaml, YAML_MAPPING_START_EVENT, TL_BAD_FORMAT,
					     no_trace);
	while (!status && !(status = tl_xray_yaml_next(yaml)) &&
	       yaml->event.type != YAML_MAPPING_END_EVENT) {
		const char *key = (const char *)yaml->event.data.scalar.value;

		if (yaml->event.type != YAML_SCALAR_EVENT)
			return tl_xray_yaml_fail(yaml, TL_BAD_FORMAT, "a key is not a word");
		if (!strcmp(key, "header"))
			status = read_header(text);
		else if (!strcmp(key, "records"))
			status = read_records(text);
		else
			status = tl_xray_yaml_skip_value(yaml);
	}
	return status;
}

/* Where the text is no YAML, what was read before it is kept. */
static int keep_records(struct text *text, int status, const struct tl_error *why)
{
	struct tl_xray_fault fault = {
		.status = TL_BAD_FORMAT,
		.text = "not YAML from here on; kept the records before it",
		.offset = why->offset,
		.record = TL_NOWHERE,
	};

	if (status == TL_NO_MEMORY || text->strict || !text->all.count)
		return status;
	fault.length = tl_excess(text->yaml.size, fault.offset);
	if (!tl_xray_fault(text->faults, &fault))
		return tl_error_memory(text->yaml.err);
	return 0;
}

static int read_text(struct text *text, struct tl_output *log, struct tl_error *err)
{
	int status = read_document(text);

	if (status)
		status = keep_records(text, status, err);
	if (!status && !text->all.count)
		status = tl_error_at(err, TL_TRUNCATED, text->yaml.size,
				     "the file holds a header and no records");
	if (status)
		return status;
	if (!tl_xray_collect_names(&text->all))
		return tl_error_memory(err);
	return tl_xray_collected_write(&text->all, log, err);
}

int tl_xray_yaml_read(const uint8_t *data, size_t size, bool strict, struct tl_output *log,
		      struct tl_xray_map *map, struct tl_xray_faults *faults, struct tl_error *err)
{
	struct text text = { .faults = faults, .strict = strict };
	struct tl_error unasked;
	int status;

	err = err ? err : &unasked;
	text.all.map = map;
	text.all.header = (struct tl_xray_writer_options){
		.size = sizeof(text.all.header),
		.mode = TL_XRAY_FDR,
		.version = 5,
	};
	status = tl_xray_yaml_begin(&text.yaml, data, size, err);
	if (status)
		return status;
	status = read_text(&text, log, err);
	tl_xray_yaml_end(&text.yaml);
	tl_xray_collected_free(&text.all);
	return status;
}
