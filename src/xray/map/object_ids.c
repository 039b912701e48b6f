/* SPDX-License-Identifier: Apache-2.0 */
#include "xray/map/object_ids.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tracelathe/symbols.h>
#include <tracelathe/xray.h>

#include "core/arithmetic.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text/optional.h"
#include "symbols/binary.h"

struct tl_xray_objects {
	struct tl_xray_object *list; /* by first id */
	size_t count, capacity;
	struct tl_arena arena;
	bool demangle, no_memory;
};

struct tl_xray_objects *tl_xray_objects_make(bool demangle)
{
	struct tl_xray_objects *objects = calloc(1, sizeof(*objects));

	if (objects)
		objects->demangle = demangle;
	return objects;
}

bool tl_xray_objects_add(struct tl_xray_objects *objects, const struct tl_xray_object *object)
{
	if (!tl_grow(&objects->list, &objects->capacity, objects->count + 1, sizeof(*object)))
		return false;
	objects->list[objects->count++] = *object;
	return true;
}

static int by_first(const void *left, const void *right)
{
	const struct tl_xray_object *a = left, *b = right;

	return tl_compare(a->first, b->first);
}

void tl_xray_objects_finish(struct tl_xray_objects *objects)
{
	if (objects->count)
		qsort(objects->list, objects->count, sizeof(*objects->list), by_first);
}

void tl_xray_objects_free(struct tl_xray_objects *objects)
{
	if (!objects)
		return;
	for (size_t i = 0; i < objects->count; i++)
		tl_binary_close(objects->list[i].binary);
	tl_arena_free(&objects->arena);
	free(objects->list);
	free(objects);
}

static struct tl_xray_object *find(struct tl_xray_objects *objects, uint32_t id)
{
	size_t low = 0, high = objects->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (objects->list[middle].first <= id)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || id - objects->list[low - 1].first >= objects->list[low - 1].size)
		return NULL;
	return &objects->list[low - 1];
}

/* The file must still be the one that ran. */
static void open_object(struct tl_xray_objects *objects, struct tl_xray_object *object)
{
	const char *id;
	int status;

	if (object->tried)
		return;
	object->tried = true;
	status = tl_binary_open(&object->binary, object->path, 0, objects->demangle, NULL);
	objects->no_memory |= status == TL_NO_MEMORY;
	if (status < 0) {
		object->binary = NULL;
		object->fault = "was recorded, but is not here any more: its functions are shown "
				"by address";
		return;
	}
	id = tl_binary_build_id(object->binary);
	if (strcmp(*id ? id : "-", object->build_id) == 0)
		return;
	tl_binary_close(object->binary);
	object->binary = NULL;
	object->fault = "is not the file that was recorded (its build id is another): its "
			"functions are shown by address";
}

/* "[libc.so.6+0x26123]", as functions without symbols are called elsewhere. */
static const char *name_address(struct tl_xray_objects *objects, const char *path, uint64_t address)
{
	const char *base = tl_file_base_name(path);
	size_t size = strlen(base) + 32;
	char *name = tl_arena_alloc(&objects->arena, size);

	if (name)
		snprintf(name, size, "[%s+0x%" PRIx64 "]", base, address);
	objects->no_memory |= !name;
	return tl_text_or_empty(name);
}

bool tl_xray_objects_lookup(struct tl_xray_objects *objects, uint32_t id,
			    struct tl_xray_function *function)
{
	struct tl_xray_object *object = find(objects, id);
	struct tl_symbol symbol = { .name = "", .file = "" };

	if (!object)
		return false;
	open_object(objects, object);
	*function = (struct tl_xray_function){
		.id = id,
		.address = object->address + (id - object->first),
		.name = "",
		.file = "",
		.object = object->path,
	};
	if (object->binary && tl_binary_symbol_at(object->binary, function->address, &symbol)) {
		function->name = symbol.name;
		function->file = symbol.file;
		function->line = symbol.line;
	}
	if (!*function->name)
		function->name = name_address(objects, object->path, function->address);
	return true;
}

struct tl_binary *tl_xray_objects_binary(struct tl_xray_objects *objects, const char *path)
{
	for (size_t i = 0; i < objects->count; i++)
		if (!strcmp(objects->list[i].path, path)) {
			open_object(objects, &objects->list[i]);
			return objects->list[i].binary;
		}
	return NULL;
}

bool tl_xray_objects_short_of_memory(const struct tl_xray_objects *objects)
{
	bool is_short = objects->no_memory;

	for (size_t i = 0; i < objects->count; i++)
		is_short |= objects->list[i].binary &&
			    tl_binary_short_of_memory(objects->list[i].binary);
	return is_short;
}

const struct tl_xray_object *tl_xray_objects_fault(const struct tl_xray_objects *objects,
						   size_t number)
{
	for (size_t i = 0; i < objects->count; i++)
		if (objects->list[i].fault && !number--)
			return &objects->list[i];
	return NULL;
}
