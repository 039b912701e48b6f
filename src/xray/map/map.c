/* SPDX-License-Identifier: Apache-2.0 */
/* The instrumentation map of an ELF file (docs/formats/xray.md 2.8), and functions of every map. */
#include "xray/map/map.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/sized.h"
#include "symbols/binary.h"
#include "xray/map/object_ids.h"

const char *tl_xray_sled_kind_name(unsigned kind)
{
	static const char *const names[TL_XRAY_SLED_KIND_COUNT] = {
		[TL_XRAY_SLED_ENTER] = "function-enter",
		[TL_XRAY_SLED_EXIT] = "function-exit",
		[TL_XRAY_SLED_TAIL_EXIT] = "tail-exit",
		[TL_XRAY_SLED_ENTER_ARGS] = "log-args-enter",
		[TL_XRAY_SLED_CUSTOM_EVENT] = "custom-event",
		[TL_XRAY_SLED_TYPED_EVENT] = "typed-event",
	};

	return kind < TL_XRAY_SLED_KIND_COUNT ? names[kind] : NULL;
}

/* ---- building ---- */

bool tl_xray_map_add(struct tl_xray_map *map, const struct tl_xray_sled *sled, const char *name)
{
	size_t count = map->function_count;
	bool first = !count || map->functions[count - 1].id != sled->id;

	if (!tl_grow(&map->sleds, &map->sled_capacity, map->sled_count + 1, sizeof(*map->sleds)))
		return false;
	if (first &&
	    !tl_grow(&map->functions, &map->function_capacity, count + 1, sizeof(*map->functions)))
		return false;
	if (first)
		map->functions[map->function_count++] = (struct tl_xray_map_function){
			.id = sled->id,
			.address = sled->function,
			.name = name,
			.file = "",
			.order = count,
		};
	if (sled->kind < 8)
		map->functions[map->function_count - 1].kinds |= (uint8_t)(1u << sled->kind);
	map->sleds[map->sled_count++] = *sled;
	return true;
}

static int by_id(const void *left, const void *right)
{
	const struct tl_xray_map_function *a = left, *b = right;

	if (a->id != b->id)
		return tl_compare(a->id, b->id);
	return tl_compare(a->order, b->order);
}

void tl_xray_map_finish(struct tl_xray_map *map)
{
	size_t kept = 0;

	if (map->function_count)
		qsort(map->functions, map->function_count, sizeof(*map->functions), by_id);
	for (size_t i = 0; i < map->function_count; i++)
		if (!kept || map->functions[kept - 1].id != map->functions[i].id)
			map->functions[kept++] = map->functions[i];
		else
			map->functions[kept - 1].kinds |= map->functions[i].kinds;
	map->function_count = kept;
}

/* ---- from ELF ---- */

/* An entry: two words of the file's class, then kind, always and version, then padding. */
static const struct layout {
	size_t bytes, word;
} layouts[] = { { 16, 4 }, { 32, 8 } };

struct section {
	struct tl_binary *binary;
	struct tl_cursor cur;
	uint64_t address, bias;
	const struct layout *layout;
	bool swap;
};

static uint64_t get_word(const struct section *section, const uint8_t *at)
{
	return section->layout->word == 8 ? tl_get64s(at, section->swap)
					  : tl_get32s(at, section->swap);
}

/* The link-time address that the word at `at` (virtual address `place`) stands for. */
static uint64_t get_address(const struct section *section, const uint8_t *at, uint64_t place,
			    unsigned version)
{
	uint64_t value = get_word(section, at);

	/*
	 * Since version 2 a word is relative to itself; before, absolute: 0 where a loader fills it
	 * in.
	 */
	if (version >= 2)
		value += place;
	else if (!value && !tl_binary_relocation(section->binary, place, &value))
		value = 0;
	value += section->bias;
	return section->layout->word == 8 ? value : (uint32_t)value;
}

static struct tl_xray_sled get_sled(const struct section *section)
{
	const uint8_t *at = section->cur.pos;
	size_t word = section->layout->word;
	uint64_t place = section->address + tl_cursor_offset(&section->cur);
	unsigned version = at[2 * word + 2];

	return (struct tl_xray_sled){
		.address = get_address(section, at, place, version),
		.function = get_address(section, at + word, place + word, version),
		.kind = at[2 * word],
		.always = at[2 * word + 1] != 0,
		.version = (uint8_t)version,
	};
}

/* "Function ids start at 1 and grow by 1 whenever `function` differs from the previous entry's." */
static int read_sleds(struct tl_xray_map *map, struct section *section, struct tl_error *err)
{
	uint64_t last = 0;
	uint32_t id = 0;

	for (; tl_cursor_has(&section->cur, section->layout->bytes);
	     section->cur.pos += section->layout->bytes) {
		struct tl_xray_sled sled = get_sled(section);

		if (!id || sled.function != last)
			id++;
		last = sled.function;
		sled.id = id;
		if (id == TL_NONE)
			return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE,
					   "more functions than an id can number");
		if (!tl_xray_map_add(map, &sled, ""))
			return tl_error_memory(err);
	}
	return 0;
}

static int read_section(struct tl_xray_map *map, uint64_t bias, struct tl_error *err)
{
	bool swap = tl_binary_is_big_endian(map->binary) != TL_HOST_BIG_ENDIAN;
	struct tl_section found;

	if (!tl_binary_section(map->binary, "xray_instr_map", &found))
		return tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				   "has no section xray_instr_map; was it built with "
				   "-fxray-instrument?");
	if (found.size && !found.data)
		return tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				   "section xray_instr_map has no bytes here; is this a file of "
				   "debug information only?");
	if (tl_binary_is_relocatable(map->binary))
		return tl_error_at(err, TL_UNSUPPORTED, TL_NOWHERE,
				   "an object file has no function ids before it is linked");
	struct section section = {
		.binary = map->binary,
		.cur = tl_cursor_over(found.data, found.size),
		.address = found.address,
		.bias = bias,
		.layout = &layouts[tl_binary_is_64bit(map->binary)],
		.swap = swap,
	};

	return read_sleds(map, &section, err);
}

int tl_xray_map_open(struct tl_xray_map **map, const char *path, uint64_t bias, bool demangle,
		     struct tl_error *err)
{
	struct tl_xray_map *opened = calloc(1, sizeof(*opened));
	int status;

	*map = NULL;
	if (!opened)
		return tl_error_memory(err);
	status = tl_binary_open(&opened->binary, path, bias, demangle, err);
	if (!status)
		status = tl_error_format(err, "xray", read_section(opened, bias, err));
	if (!status && tl_binary_short_of_memory(opened->binary))
		status = tl_error_memory(err);
	if (status) {
		tl_xray_map_close(opened);
		return status;
	}
	tl_xray_map_finish(opened);
	*map = opened;
	return 0;
}

/* ---- lookup ---- */

uint32_t tl_xray_map_count(const struct tl_xray_map *map)
{
	return (uint32_t)map->function_count;
}

struct tl_xray_map_function *tl_xray_map_function(const struct tl_xray_map *map, uint32_t id)
{
	size_t low = 0, high = map->function_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->functions[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == map->function_count || map->functions[low].id != id)
		return NULL;
	return &map->functions[low];
}

/* Most functions of a large map are never asked for, so a name is looked up at its first use. */
static void learn(struct tl_xray_map *map, struct tl_xray_map_function *function)
{
	struct tl_symbol symbol;

	if (function->known)
		return;
	function->known = true;
	map->asked++;
	if (!map->binary || !tl_binary_symbol_at(map->binary, function->address, &symbol)) {
		map->named += *function->name != '\0';
		return;
	}
	map->named += *symbol.name != '\0';
	function->name = symbol.name;
	function->file = symbol.file;
	function->line = symbol.line;
}

const struct tl_binary *tl_xray_map_binary(const struct tl_xray_map *map)
{
	return map->binary;
}

struct tl_binary *tl_xray_map_object(const struct tl_xray_map *map, const char *path)
{
	struct tl_binary *binary = NULL;

	if (map->spans)
		return tl_xray_objects_binary(map->spans, path);
	if (map->binary && !strcmp(tl_binary_path(map->binary), path))
		return map->binary;
	for (size_t i = 1; !binary && i < TL_XRAY_OBJECTS; i++)
		if (map->objects[i])
			binary = tl_xray_map_object(map->objects[i], path);
	return binary;
}

bool tl_xray_map_short_of_memory(const struct tl_xray_map *map)
{
	bool is_short = map->binary && tl_binary_short_of_memory(map->binary);

	is_short |= map->spans && tl_xray_objects_short_of_memory(map->spans);
	for (size_t i = 1; i < TL_XRAY_OBJECTS; i++)
		is_short |= map->objects[i] && tl_xray_map_short_of_memory(map->objects[i]);
	return is_short;
}

bool tl_xray_map_lookup(struct tl_xray_map *map, uint32_t id, struct tl_xray_function *function)
{
	uint32_t object = id >> TL_XRAY_OBJECT_SHIFT;
	struct tl_xray_map_function *found;

	if (map->spans)
		return tl_xray_objects_lookup(map->spans, id, function);
	if (object && object < TL_XRAY_OBJECTS && map->objects[object]) {
		map = map->objects[object];
		found = tl_xray_map_function(map, id & ((1u << TL_XRAY_OBJECT_SHIFT) - 1));
	} else {
		found = tl_xray_map_function(map, id);
	}
	if (!found)
		return false;
	learn(map, found);
	*function = (struct tl_xray_function){
		.id = id,
		.address = found->address,
		.name = found->name,
		.file = found->file,
		.object = map->binary ? tl_binary_path(map->binary) : "",
		.line = found->line,
	};
	return true;
}

int tl_xray_map_find(struct tl_xray_map *map, uint32_t id, struct tl_xray_function *function,
		     size_t size)
{
	struct tl_xray_function found;

	if (!tl_xray_map_lookup(map, id, &found))
		return 0;
	return tl_give(function, size, sizeof(found), &found, sizeof(found)) < 0 ? TL_BAD_USAGE : 1;
}

void tl_xray_map_close(struct tl_xray_map *map)
{
	if (!map)
		return;
	tl_binary_close(map->binary);
	tl_xray_objects_free(map->spans);
	tl_names_free(&map->names);
	free(map->sleds);
	free(map->functions);
	free(map);
}
