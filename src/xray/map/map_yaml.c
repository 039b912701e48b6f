/* SPDX-License-Identifier: Apache-2.0 */
/* The instrumentation map as YAML, a list of sleds: what `llvm-xray extract` writes
 * (docs/formats/xray.md 2.8). */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "xray/format/yaml.h"
#include "xray/map/map.h"

struct reader {
	struct tl_xray_map *map;
	struct tl_xray_yaml yaml;
};

/* One mapping of the list. */
struct entry {
	struct tl_xray_sled sled;
	const char *name;
	bool has_id, has_function;
};

/* ---- values ---- */

static bool set_id(struct entry *entry, const char *text)
{
	uint64_t value;

	entry->has_id = tl_xray_yaml_number(text, TL_NONE - 1, &value);
	if (entry->has_id)
		entry->sled.id = (uint32_t)value;
	return entry->has_id;
}

static bool set_address(struct entry *entry, const char *text)
{
	return tl_xray_yaml_number(text, UINT64_MAX, &entry->sled.address);
}

static bool set_function(struct entry *entry, const char *text)
{
	entry->has_function = tl_xray_yaml_number(text, UINT64_MAX, &entry->sled.function);
	return entry->has_function;
}

static bool set_kind(struct entry *entry, const char *text)
{
	for (unsigned kind = 0; kind < TL_XRAY_SLED_KIND_COUNT; kind++)
		if (!strcmp(text, tl_xray_sled_kind_name(kind))) {
			entry->sled.kind = (uint8_t)kind;
			return true;
		}
	return false;
}

static bool set_always(struct entry *entry, const char *text)
{
	return tl_xray_yaml_truth(text, &entry->sled.always);
}

static bool set_version(struct entry *entry, const char *text)
{
	uint64_t value;
	bool right = tl_xray_yaml_number(text, UINT8_MAX, &value);

	if (right)
		entry->sled.version = (uint8_t)value;
	return right;
}

static const struct field {
	const char *key;
	bool (*set)(struct entry *entry, const char *text);
	const char *error;
	/* clang-format off */
} fields[] = {
	{ "id", set_id, "the id does not fit 32 bits, or is not a number" },
	{ "address", set_address, "the address does not fit 64 bits, or is not a number" },
	{ "function", set_function, "the function does not fit 64 bits, or is not a number" },
	{ "kind", set_kind, "an unknown kind of sled" },
	{ "always-instrument", set_always, "always-instrument is neither true nor false" },
	{ "version", set_version, "the version does not fit 8 bits, or is not a number" },
	{ "function-name", NULL, "a function-name is not text" },
};
/* clang-format on */

static const struct field *field_of(const char *key)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (!strcmp(fields[i].key, key))
			return &fields[i];
	return NULL;
}

static int set_name(struct reader *reader, struct entry *entry)
{
	/* A name ends at its first NUL, as everywhere else. */
	entry->name = tl_names_text(&reader->map->names,
				    (const char *)reader->yaml.event.data.scalar.value);
	if (!entry->name)
		return tl_error_memory(reader->yaml.err);
	return 0;
}

static int read_value(struct reader *reader, struct entry *entry, const struct field *field)
{
	int status =
		tl_xray_yaml_expect(&reader->yaml, YAML_SCALAR_EVENT, TL_BAD_RECORD, field->error);

	if (status)
		return status;
	if (!field->set)
		return set_name(reader, entry);
	if (!field->set(entry, (const char *)reader->yaml.event.data.scalar.value))
		return tl_xray_yaml_fail(&reader->yaml, TL_BAD_RECORD, field->error);
	return 0;
}

/* ---- structure ---- */

/* The present event begins a mapping. */
static int read_entry(struct reader *reader, struct entry *entry)
{
	for (;;) {
		int status = tl_xray_yaml_next(&reader->yaml);

		if (status || reader->yaml.event.type == YAML_MAPPING_END_EVENT)
			return status;
		if (reader->yaml.event.type != YAML_SCALAR_EVENT)
			return tl_xray_yaml_fail(&reader->yaml, TL_BAD_RECORD,
						 "a key is not a word");
		const struct field *field =
			field_of((const char *)reader->yaml.event.data.scalar.value);

		status = field ? read_value(reader, entry, field)
			       : tl_xray_yaml_skip_value(&reader->yaml);
		if (status)
			return status;
	}
}

static int read_list(struct reader *reader)
{
	for (;;) {
		struct entry entry = { .name = "" };
		int status = tl_xray_yaml_next(&reader->yaml);

		if (status || reader->yaml.event.type == YAML_SEQUENCE_END_EVENT)
			return status;
		if (reader->yaml.event.type != YAML_MAPPING_START_EVENT)
			return tl_xray_yaml_fail(&reader->yaml, TL_BAD_RECORD,
						 "an entry is not a mapping");
		size_t start = reader->yaml.event.start_mark.index;

		status = read_entry(reader, &entry);
		if (status)
			return status;
		if (!entry.has_id || !entry.has_function)
			return tl_error_at(reader->yaml.err, TL_BAD_RECORD,
					   tl_xray_yaml_offset(&reader->yaml, start),
					   "an entry without id or function");
		if (!tl_xray_map_add(reader->map, &entry.sled, entry.name))
			return tl_error_memory(reader->yaml.err);
	}
}

static int read_document(struct reader *reader)
{
	static const char no_list[] = "not a list of sleds";
	int status =
		tl_xray_yaml_expect(&reader->yaml, YAML_STREAM_START_EVENT, TL_BAD_FORMAT, no_list);

	if (!status)
		status = tl_xray_yaml_expect(&reader->yaml, YAML_DOCUMENT_START_EVENT,
					     TL_BAD_FORMAT, no_list);
	if (!status)
		status = tl_xray_yaml_expect(&reader->yaml, YAML_SEQUENCE_START_EVENT,
					     TL_BAD_FORMAT, no_list);
	if (!status)
		status = read_list(reader);
	if (!status)
		tl_xray_map_finish(reader->map);
	return status;
}

static int read_text(struct tl_xray_map *map, const uint8_t *data, size_t size,
		     struct tl_error *err)
{
	struct reader reader = { .map = map };
	int status = tl_xray_yaml_begin(&reader.yaml, data, size, err);

	if (status)
		return status;
	status = read_document(&reader);
	tl_xray_yaml_end(&reader.yaml);
	return status;
}

static int read_file(struct tl_xray_map *map, const char *path, struct tl_error *err)
{
	struct tl_source *source;
	const uint8_t *data;
	size_t size;
	int status = tl_source_open(&source, path, NULL, err);

	if (status)
		return status;
	status = tl_source_map(source, &data, &size, err);
	if (!status)
		status = read_text(map, data, size, err);
	tl_source_close(source);
	return status;
}

int tl_xray_map_open_yaml(struct tl_xray_map **map, const char *path, struct tl_error *err)
{
	struct tl_xray_map *opened = calloc(1, sizeof(*opened));
	int status;

	*map = NULL;
	if (!opened)
		return tl_error_memory(err);
	status = tl_error_format(err, "xray", read_file(opened, path, err));
	if (status)
		tl_xray_map_close(opened);
	else
		*map = opened;
	return status;
}
