/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/names_in_files.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "core/file.h"
#include "profile/model/unsized.h"
#include "symbols/binary.h"

/* A symbol of a file: one text for each, which lives as long as the file is open. */
struct tl_perf_named_symbol {
	const struct tl_binary *binary;
	const char *name;
	uint64_t start;
	const char *object, *file; /* file and line that it begins at */
	uint32_t line;
	uint32_t function; /* TL_NONE: not in the profile yet */
};

/* A function that was inlined in a file; DWARF and file live as long as the binary is open. */
struct tl_perf_named_instance {
	const struct tl_dwarf *dwarf;
	uint64_t entry;
	const char *file;
	const char *object, *name;
	uint32_t declared; /* line */
	uint32_t function; /* TL_NONE: not in the profile yet */
};

static uint64_t hash_instance(const struct tl_perf_named_instance *instance)
{
	return tl_hash_pair(tl_hash_pair(instance->entry, (uintptr_t)instance->dwarf),
			    (uintptr_t)instance->file);
}

/* ---- functions ---- */

int tl_perf_put_function(struct tl_perf_sample_names *n, const struct tl_function *function,
			 struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const int64_t number = tl_profile_put_function(n->profile, function, err);

	if (number < 0)
		return (int)number;
	place->function = (uint32_t)number;
	return 0;
}

int tl_perf_put_nameless(struct tl_perf_sample_names *n, const char *object, uint64_t start,
			 struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const char *base = tl_file_base_name(object);
	struct tl_function function = {
		.object = object, .file = "", .id = TL_NOWHERE, .address = start
	};
	char text[256];

	if (start)
		snprintf(text, sizeof(text), "[%.200s+0x%" PRIx64 "]", base, start);
	else
		snprintf(text, sizeof(text), *base == '[' ? "%.200s" : "[%.200s]",
			 *base ? base : "unknown");
	function.name = text;
	return tl_perf_put_function(n, &function, place, err);
}

/* ---- ELF files ---- */

int tl_perf_named_object_open(struct tl_perf_sample_names *n, const struct tl_perf_object *object,
			      struct tl_perf_named_object *named, struct tl_error *err)
{
	struct tl_error own;
	int status;

	if (named->opened)
		return 0;
	if (!object->file) {
		named->why = object->reason ? object->reason : "no such file";
		named->opened = true;
		return 0;
	}
	status = tl_binary_open_asking(&named->binary, object->file, 0, !n->options->raw_names,
				       n->options->debuginfod, &own);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (status < 0)
		named->why = own.text;
	else if (!tl_binary_symbol_count(named->binary))
		named->why = "it has no symbols, as if stripped";
	named->opened = true;
	return 0;
}

/*
 * The beginning of the function around an address by the unwind tables, 0: unknown. False without
 * memory.
 */
static bool start_by_tables(struct tl_perf_named_object *named, uint64_t address, uint64_t *start)
{
	uint32_t number;

	*start = 0;
	if (!named->binary)
		return true;
	if (!named->unwind_read && !tl_unwind_read(&named->unwind, named->binary))
		return false;
	named->unwind_read = true;
	number = tl_unwind_find(&named->unwind, address);
	if (number != TL_NONE)
		*start = named->unwind.functions[number].start;
	return true;
}

static bool same_symbol(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_named_symbol *list = context, *wanted = key, *have = &list[number];

	return have->start == wanted->start && have->name == wanted->name &&
	       have->binary == wanted->binary;
}

/* A symbol that was not met before; *number becomes its number. */
static int add_symbol(struct tl_perf_sample_names *n, struct tl_binary *binary,
		      struct tl_perf_named_symbol *symbol, uint64_t hash, uint32_t *number,
		      struct tl_error *err)
{
	struct tl_symbol start;

	/* The line table is asked again, for the function's first line. */
	if (tl_binary_symbol_at(binary, symbol->start, &start)) {
		symbol->file = start.file;
		symbol->line = start.line;
	}
	*number = (uint32_t)n->symbol_count;
	if (!tl_grow(&n->symbols, &n->symbol_capacity, n->symbol_count + 1, sizeof(*n->symbols)) ||
	    !tl_index_add(&n->by_symbol, hash, *number))
		return tl_error_memory(err);
	n->symbols[n->symbol_count++] = *symbol;
	return 0;
}

/* The symbol at a place: its number becomes the place's function. */
static int take_symbol(struct tl_perf_sample_names *n, struct tl_binary *binary, const char *object,
		       const struct tl_symbol *symbol, struct tl_perf_sampled_place *place,
		       struct tl_error *err)
{
	struct tl_perf_named_symbol wanted = { .binary = binary,
					       .name = symbol->name,
					       .start = symbol->start,
					       .object = object,
					       .file = "",
					       .function = TL_NONE };
	const uint64_t hash = tl_hash_pair((uintptr_t)symbol->name, symbol->start);

	place->file = symbol->file;
	place->line = symbol->line;
	place->function = tl_index_find(&n->by_symbol, hash, same_symbol, n->symbols, &wanted);
	if (place->function != TL_NONE)
		return 0;
	return add_symbol(n, binary, &wanted, hash, &place->function, err);
}

/* The function of the symbol that take_symbol() found. */
static int put_symbol(struct tl_perf_sample_names *n, struct tl_perf_sampled_place *place,
		      struct tl_error *err)
{
	struct tl_perf_named_symbol *symbol = &n->symbols[place->function];
	const struct tl_function function = {
		.name = symbol->name,
		.object = symbol->object,
		.file = symbol->file,
		.id = TL_NOWHERE,
		.address = symbol->start,
		.line = symbol->line,
	};
	int status = 0;

	if (symbol->function == TL_NONE) {
		status = tl_perf_put_function(n, &function, place, err);
		symbol->function = place->function;
	}
	place->function = symbol->function;
	return status;
}

int tl_perf_name_by_symbol(struct tl_perf_sample_names *n, struct tl_binary *binary,
			   const char *object, const struct tl_symbol *symbol,
			   struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const int status = take_symbol(n, binary, object, symbol, place, err);

	return status < 0 ? status : put_symbol(n, place, err);
}

/* ---- inlined functions ---- */

static bool same_instance(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_named_instance *list = context, *wanted = key, *have = &list[number];

	return have->entry == wanted->entry && have->file == wanted->file &&
	       have->dwarf == wanted->dwarf;
}

/* What is met for the first time, as number *number. */
static int add_instance(struct tl_perf_sample_names *n, struct tl_binary *binary,
			const struct tl_code_scope *scope, struct tl_perf_named_instance *instance,
			uint32_t *number, struct tl_error *err)
{
	struct tl_perf_inlined_names *in = &n->inlined;
	const char *name = tl_binary_scope_name(binary, scope);

	instance->name = *name ? name : "[inlined]";
	instance->declared = tl_binary_scope_declared(scope);
	*number = (uint32_t)in->instance_count;
	if (!tl_grow(&in->instances, &in->instance_capacity, in->instance_count + 1,
		     sizeof(*in->instances)) ||
	    !tl_index_add(&in->by_instance, hash_instance(instance), *number))
		return tl_error_memory(err);
	in->instances[in->instance_count++] = *instance;
	return 0;
}

static int take_instance(struct tl_perf_sample_names *n, struct tl_binary *binary,
			 const char *object, const struct tl_code_scope *scope, const char *file,
			 struct tl_perf_sampled_place *place, struct tl_error *err)
{
	struct tl_perf_inlined_names *in = &n->inlined;
	struct tl_perf_named_instance wanted = { .dwarf = scope->dwarf,
						 .entry = scope->function,
						 .file = file,
						 .object = object,
						 .function = TL_NONE };
	uint32_t number = tl_index_find(&in->by_instance, hash_instance(&wanted), same_instance,
					in->instances, &wanted);
	int status = 0;

	if (number == TL_NONE)
		status = add_instance(n, binary, scope, &wanted, &number, err);
	if (status < 0)
		return status;
	if (!tl_grow(&in->list, &in->capacity, in->count + 1, sizeof(*in->list)))
		return tl_error_memory(err);
	in->list[in->count++] = number;
	place->inlined_count++;
	return 0;
}

static int take_inlined(struct tl_perf_sample_names *n, struct tl_perf_named_object *named,
			const char *object, struct tl_perf_sampled_place *place,
			struct tl_error *err)
{
	struct tl_perf_inlined_names *in = &n->inlined;
	size_t count;
	int status = 0;

	if (!n->options->inlined)
		return 0;
	named->lineless += !tl_binary_has_lines(named->binary);
	count = tl_binary_scopes_at(named->binary, place->address, in->chain, in->chain_capacity);
	if (count > in->chain_capacity) {
		if (!tl_grow(&in->chain, &in->chain_capacity, count, sizeof(*in->chain)))
			return tl_error_memory(err);
		tl_binary_scopes_at(named->binary, place->address, in->chain, count);
	}
	place->inlined = (uint32_t)in->count;
	/*
	 * The last one is the place's own, which is known. Each is in the file of its line: that of
	 * the call that was inlined there.
	 */
	for (size_t i = count ? count - 1 : 0; status == 0 && i-- > 0;)
		status = take_instance(n, named->binary, object, &in->chain[i],
				       i ? in->chain[i - 1].call_file : place->file, place, err);
	return status;
}

/* The functions of what take_inlined() found. */
static int put_inlined(struct tl_perf_sample_names *n, const struct tl_perf_sampled_place *place,
		       struct tl_error *err)
{
	uint32_t *list = n->inlined.list;

	for (uint32_t i = place->inlined; i < place->inlined + place->inlined_count; i++) {
		struct tl_perf_named_instance *instance = &n->inlined.instances[list[i]];
		/*
		 * An instance that is not inlined has this name and file, too, and is the same
		 * function.
		 */
		const struct tl_function function = {
			.name = instance->name,
			.object = instance->object,
			.file = instance->file,
			.id = TL_NOWHERE,
			.line = instance->declared,
		};
		const int64_t put = instance->function != TL_NONE
					    ? (int64_t)instance->function
					    : tl_profile_put_function(n->profile, &function, err);

		if (put < 0)
			return (int)put;
		list[i] = instance->function = (uint32_t)put;
	}
	return 0;
}

/* ---- names in files ---- */

int tl_perf_find_in_file(struct tl_perf_sample_names *n, struct tl_perf_named_object *named,
			 const char *object, struct tl_perf_sampled_place *place,
			 struct tl_error *err)
{
	struct tl_symbol symbol = { .name = "" };
	int status = 0;

	place->function = TL_NONE;
	if (named->binary)
		tl_binary_symbol_at(named->binary, place->address, &symbol);
	if (*symbol.name) {
		status = take_symbol(n, named->binary, object, &symbol, place, err);
		if (status == 0)
			status = take_inlined(n, named, object, place, err);
	}
	/* What was found may lack a name or a line. */
	if (status == 0 && named->binary && tl_binary_short_of_memory(named->binary))
		return tl_error_memory(err);
	return status;
}

int tl_perf_name_in_file(struct tl_perf_sample_names *n, uint32_t object,
			 struct tl_perf_sampled_place *place, struct tl_error *err)
{
	struct tl_perf_named_object *named = &n->objects[object];
	uint64_t start;
	int status;

	if (place->function != TL_NONE) {
		status = put_symbol(n, place, err);
		return status < 0 ? status : put_inlined(n, place, err);
	}
	named->nameless++;
	if (!start_by_tables(named, place->address, &start))
		return tl_error_memory(err);
	status = tl_perf_put_nameless(
		n, n->sys->names.names[n->sys->objects.list[object].path].text, start, place, err);
	if (status == 0 && named->binary && tl_binary_short_of_memory(named->binary))
		return tl_error_memory(err);
	return status;
}
