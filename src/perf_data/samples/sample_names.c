/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/sample_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "core/file.h"
#include "perf_data/processes/compiled.h"
#include "perf_data/processes/kernel_names.h"
#include "perf_data/samples/call_chain.h"
#include "perf_data/samples/off_cpu.h"
#include "perf_data/samples/remarks.h"
#include "profile/model/unsized.h"
#include "symbols/binary.h"
#include "symbols/unwind.h"

static const char kernel_name[] = "[kernel.kallsyms]";

struct tl_perf_named_object {
	bool opened;
	struct tl_binary *binary; /* NULL: none */
	struct tl_unwind unwind;  /* read when the first address has no symbol */
	bool unwind_read;
	struct tl_name_list kallsyms; /* of the kernel */
	const char *why;              /* it has no names; NULL: it has */
	uint64_t nameless;            /* addresses without a name */
	uint64_t lineless; /* addresses of which debug information would say what is inlined */
};

/* A symbol of a file: one text for each, which lives as long as the file is open. */
struct tl_perf_named_symbol {
	const struct tl_binary *binary;
	const char *name;
	uint64_t start;
	uint32_t function;
};

/* A function that was inlined in a file; DWARF and file live as long as the binary is open. */
struct tl_perf_named_instance {
	const struct tl_dwarf *dwarf;
	uint64_t entry;
	const char *file;
	uint32_t function;
};

static uint64_t hash_instance(const struct tl_perf_named_instance *instance)
{
	return tl_hash_pair(tl_hash_pair(instance->entry, (uintptr_t)instance->dwarf),
			    (uintptr_t)instance->file);
}

struct tl_perf_sampled_key {
	uint32_t process;
	size_t changes;
	uint64_t ip;
};

struct tl_perf_known_place {
	struct tl_perf_sampled_key key;
	struct tl_perf_sampled_place place;
};

bool tl_perf_sample_names_begin(struct tl_perf_sample_names *n, struct tl_perf_system *sys,
				struct tl_profile *profile,
				const struct tl_perf_sample_options *options)
{
	*n = (struct tl_perf_sample_names){ .sys = sys,
					    .profile = profile,
					    .options = options,
					    .object_count = sys->objects.count };
	n->objects = tl_zeroed(n->object_count, sizeof(*n->objects));
	return n->objects;
}

/* As the profile has it. */
static const char *name_of_object(const struct tl_perf_sample_names *n,
				  const struct tl_perf_object *object)
{
	return object->kind == TL_PERF_OBJECT_KERNEL && object->guest == TL_NONE
		       ? kernel_name
		       : n->sys->names.names[object->path].text;
}

static bool hand_over(struct tl_perf_sample_names *n, size_t number)
{
	struct tl_perf_sample_binaries *to = n->options->binaries;
	struct tl_perf_named_object *named = &n->objects[number];
	const struct tl_perf_object *object = &n->sys->objects.list[number];
	char *name;

	if (!named->binary)
		return true;
	if (!tl_grow(&to->list, &to->capacity, to->count + 1, sizeof(*to->list)))
		return false;
	name = strdup(name_of_object(n, object));
	if (!name)
		return false;
	to->list[to->count++] = (struct tl_perf_sample_binary){ name, named->binary };
	named->binary = NULL;
	return true;
}

bool tl_perf_sample_names_hand_over(struct tl_perf_sample_names *n)
{
	bool good = true;

	for (size_t i = 0; good && n->options->binaries && i < n->object_count; i++)
		good = hand_over(n, i);
	return good;
}

void tl_perf_sample_binaries_free(struct tl_perf_sample_binaries *binaries)
{
	for (size_t i = 0; i < binaries->count; i++) {
		free(binaries->list[i].object);
		tl_binary_close(binaries->list[i].binary);
	}
	free(binaries->list);
	*binaries = (struct tl_perf_sample_binaries){ NULL, 0, 0 };
}

struct tl_binary *tl_perf_sample_binary(const struct tl_perf_sample_binaries *binaries,
					const char *object)
{
	struct tl_binary *found = NULL;

	for (size_t i = 0; i < binaries->count; i++) {
		if (strcmp(binaries->list[i].object, object) != 0)
			continue;
		/* A path at which there were several files does not say which of them ran. */
		if (found)
			return NULL;
		found = binaries->list[i].binary;
	}
	return found;
}

void tl_perf_sample_names_end(struct tl_perf_sample_names *n)
{
	for (size_t i = 0; n->objects && i < n->object_count; i++) {
		tl_binary_close(n->objects[i].binary);
		tl_unwind_free(&n->objects[i].unwind);
		tl_name_list_free(&n->objects[i].kallsyms);
	}
	free(n->objects);
	free(n->places);
	free(n->symbols);
	free(n->inlined.list);
	free(n->inlined.instances);
	free(n->inlined.chain);
	tl_index_free(&n->inlined.by_instance);
	tl_index_free(&n->by_symbol);
	tl_index_free(&n->by_key);
}

/* ---- functions ---- */

/* A function of the profile. */
static int put_function(struct tl_perf_sample_names *n, const struct tl_function *function,
			struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const int64_t number = tl_profile_put_function(n->profile, function, err);

	if (number < 0)
		return (int)number;
	place->function = (uint32_t)number;
	return 0;
}

/* A function of which no more is known than the object, and perhaps where it begins. */
static int put_nameless(struct tl_perf_sample_names *n, const char *object, uint64_t start,
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
	return put_function(n, &function, place, err);
}

/* A name without a file: of the kernel, or of a run-time compiler. */
static int put_range(struct tl_perf_sample_names *n, uint64_t start, const char *name,
		     const char *object, struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const struct tl_function function = {
		.name = name,
		.object = object,
		.file = "",
		.id = TL_NOWHERE,
		.address = start,
	};

	return put_function(n, &function, place, err);
}

/* ---- ELF files ---- */

/* A file that is none, or cannot be read, costs names alone. */
static int open_binary(struct tl_perf_sample_names *n, const struct tl_perf_object *object,
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

/* The function of a symbol, which is not known yet. */
static int add_symbol(struct tl_perf_sample_names *n, struct tl_binary *binary, const char *object,
		      const struct tl_perf_named_symbol *symbol, uint64_t hash,
		      struct tl_perf_sampled_place *place, struct tl_error *err)
{
	struct tl_function function = { .name = symbol->name,
					.object = object,
					.file = "",
					.id = TL_NOWHERE,
					.address = symbol->start };
	struct tl_symbol start;
	int status;

	/* The line table is asked again, for the function's first line. */
	if (tl_binary_symbol_at(binary, symbol->start, &start)) {
		function.file = start.file;
		function.line = start.line;
	}
	status = put_function(n, &function, place, err);
	if (status < 0)
		return status;
	if (!tl_grow(&n->symbols, &n->symbol_capacity, n->symbol_count + 1, sizeof(*n->symbols)) ||
	    !tl_index_add(&n->by_symbol, hash, (uint32_t)n->symbol_count))
		return tl_error_memory(err);
	n->symbols[n->symbol_count] = *symbol;
	n->symbols[n->symbol_count++].function = place->function;
	return 0;
}

static int put_symbol(struct tl_perf_sample_names *n, struct tl_binary *binary, const char *object,
		      const struct tl_symbol *symbol, struct tl_perf_sampled_place *place,
		      struct tl_error *err)
{
	const struct tl_perf_named_symbol wanted = { binary, symbol->name, symbol->start, 0 };
	const uint64_t hash = tl_hash_pair((uintptr_t)symbol->name, symbol->start);
	const uint32_t known = tl_index_find(&n->by_symbol, hash, same_symbol, n->symbols, &wanted);

	place->file = symbol->file;
	place->line = symbol->line;
	if (known == TL_NONE)
		return add_symbol(n, binary, object, &wanted, hash, place, err);
	place->function = n->symbols[known].function;
	return 0;
}

/* ---- inlined functions ---- */

static bool same_instance(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_named_instance *list = context, *wanted = key, *have = &list[number];

	return have->entry == wanted->entry && have->file == wanted->file &&
	       have->dwarf == wanted->dwarf;
}

/* The function of what is met for the first time; *key becomes it. */
static int add_instance(struct tl_perf_sample_names *n, struct tl_binary *binary,
			const char *object, const struct tl_code_scope *scope,
			struct tl_perf_named_instance *key, struct tl_error *err)
{
	struct tl_perf_inlined_names *in = &n->inlined;
	const char *name = tl_binary_scope_name(binary, scope);
	/* An instance that is not inlined has this name and file, too, and is the same function. */
	const struct tl_function function = {
		.name = *name ? name : "[inlined]",
		.object = object,
		.file = key->file,
		.id = TL_NOWHERE,
		.line = tl_binary_scope_declared(scope),
	};
	const int64_t put = tl_profile_put_function(n->profile, &function, err);

	if (put < 0)
		return (int)put;
	if (!tl_grow(&in->instances, &in->instance_capacity, in->instance_count + 1,
		     sizeof(*in->instances)) ||
	    !tl_index_add(&in->by_instance, hash_instance(key), (uint32_t)in->instance_count))
		return tl_error_memory(err);
	key->function = (uint32_t)put;
	in->instances[in->instance_count++] = *key;
	return 0;
}

static int put_inlined(struct tl_perf_sample_names *n, struct tl_binary *binary, const char *object,
		       const struct tl_code_scope *scope, const char *file,
		       struct tl_perf_sampled_place *place, struct tl_error *err)
{
	struct tl_perf_inlined_names *in = &n->inlined;
	struct tl_perf_named_instance key = { scope->dwarf, scope->function, file, 0 };
	const uint32_t known = tl_index_find(&in->by_instance, hash_instance(&key), same_instance,
					     in->instances, &key);
	int status = 0;

	if (known == TL_NONE)
		status = add_instance(n, binary, object, scope, &key, err);
	else
		key.function = in->instances[known].function;
	if (status < 0)
		return status;
	if (!tl_grow(&in->list, &in->capacity, in->count + 1, sizeof(*in->list)))
		return tl_error_memory(err);
	in->list[in->count++] = key.function;
	place->inlined_count++;
	return 0;
}

static int add_inlined(struct tl_perf_sample_names *n, struct tl_perf_named_object *named,
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
		status = put_inlined(n, named->binary, object, &in->chain[i],
				     i ? in->chain[i - 1].call_file : place->file, place, err);
	return status;
}

/* ---- names in files ---- */

static int name_in_file(struct tl_perf_sample_names *n, struct tl_perf_named_object *named,
			const char *object, struct tl_perf_sampled_place *place,
			struct tl_error *err)
{
	struct tl_symbol symbol = { .name = "" };
	uint64_t start;
	int status;

	if (named->binary)
		tl_binary_symbol_at(named->binary, place->address, &symbol);
	if (*symbol.name) {
		status = put_symbol(n, named->binary, object, &symbol, place, err);
		if (status == 0)
			status = add_inlined(n, named, object, place, err);
	} else {
		named->nameless++;
		if (!start_by_tables(named, place->address, &start))
			return tl_error_memory(err);
		status = put_nameless(n, object, start, place, err);
	}
	/* What was found may lack a name or a line. */
	if (status == 0 && named->binary && tl_binary_short_of_memory(named->binary))
		return tl_error_memory(err);
	return status;
}

/* ---- the kernel ---- */

/* Code of a kernel of which no more is known. */
static int put_kernel(struct tl_perf_sample_names *n, const struct tl_perf_object *kernel,
		      struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const char *object =
		kernel && kernel->guest != TL_NONE ? name_of_object(n, kernel) : "[kernel]";

	return put_nameless(n, object, 0, place, err);
}

/* By the symbols of the kernel's own file (vmlinux), where there is no list of its names. */
static int name_by_kernel_file(struct tl_perf_sample_names *n, struct tl_perf_object *kernel,
			       struct tl_perf_named_object *named,
			       struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const uint64_t ip = place->address;
	struct tl_symbol symbol = { .name = "" };
	struct tl_error own;
	int status = tl_perf_object_locate(n->sys, kernel, err);

	if (status == 0 && kernel->file && !kernel->elf.core && !named->binary)
		status =
			tl_binary_open_asking(&named->binary, kernel->file, 0,
					      !n->options->raw_names, n->options->debuginfod, &own);
	if (status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (named->binary) {
		place->address = ip - tl_perf_kernel_moved(&kernel->elf, kernel->address,
							   kernel->page_offset);
		tl_binary_symbol_at(named->binary, place->address, &symbol);
		if (tl_binary_short_of_memory(named->binary))
			return tl_error_memory(err);
	}
	if (*symbol.name)
		return put_symbol(n, named->binary, name_of_object(n, kernel), &symbol, place, err);
	place->address = ip;
	named->nameless++;
	return put_kernel(n, kernel, place, err);
}

/*
 * @param guest  number of a virtual machine; TL_NONE: the host
 * @param module what modules are called whose names the list has; NULL: as the list says
 */
static int name_in_kernel(struct tl_perf_sample_names *n, uint32_t guest, const char *module,
			  uint64_t ip, struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const struct tl_named_range *range;
	struct tl_perf_named_object *named;
	struct tl_perf_object *kernel;
	uint32_t number = 0;
	int status = 0;

	kernel = tl_perf_kernel_object(n->sys, guest, &number);
	if (!kernel)
		return put_kernel(n, NULL, place, err);
	named = &n->objects[number];
	if (!named->opened)
		status = tl_perf_kernel_names_read(n->sys, kernel, &named->kallsyms, &named->why,
						   err);
	if (status < 0)
		return status;
	named->opened = true;
	range = tl_perf_kernel_names_find(&named->kallsyms, ip);
	if (!range && named->why)
		return name_by_kernel_file(n, kernel, named, place, err);
	if (range && *range->module)
		return put_range(n, range->start, range->name, module ? module : range->module,
				 place, err);
	if (range)
		return put_range(n, range->start, range->name, name_of_object(n, kernel), place,
				 err);
	named->nameless++;
	return put_kernel(n, kernel, place, err);
}

/* ---- code of run-time compilers ---- */

static int name_without_file(struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key,
			     const char *object, struct tl_perf_sampled_place *place,
			     struct tl_error *err)
{
	const struct tl_perf_process *process = &n->sys->processes.list[key->process];
	/* Of the maps of the stack's root, the last one that replaced others. */
	const uint64_t time_ns = key->changes ? process->changes[key->changes - 1].time_ns : 0;
	struct tl_perf_compiled_name found;
	const int status =
		tl_perf_compiled_find(n->sys, key->process, key->ip, time_ns, &found, err);

	if (status > 0)
		return put_range(n, found.start, found.name, object, place, err);
	return status < 0 ? status : put_nameless(n, object, 0, place, err);
}

/* ---- places ---- */

static int name_in_map(struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key,
		       const struct tl_perf_map_change *map, struct tl_perf_sampled_place *place,
		       struct tl_error *err)
{
	struct tl_perf_object *object = &n->sys->objects.list[map->object];
	struct tl_perf_named_object *named = &n->objects[map->object];
	const char *path = n->sys->names.names[object->path].text;
	int status = tl_perf_object_locate(n->sys, object, err);

	if (status < 0)
		return status;
	if (object->kind == TL_PERF_OBJECT_ANONYMOUS)
		return name_without_file(n, key, path, place, err);
	status = open_binary(n, object, named, err);
	if (status < 0)
		return status;
	place->address = tl_perf_elf_address(&object->elf, key->ip - map->start + map->page_offset);
	return name_in_file(n, named, path, place, err);
}

static const char *name_of_marker(uint64_t marker)
{
	switch (marker) {
	case TL_PERF_CONTEXT_HV:
		return "[hypervisor]";
	case TL_PERF_CONTEXT_GUEST:
	case TL_PERF_CONTEXT_GUEST_KERNEL:
		return "[guest kernel]";
	case TL_PERF_CONTEXT_GUEST_USER:
		return "[guest user]";
	case TL_PERF_OFF_CPU_IP:
		return "[off-cpu]";
	case TL_PERF_CONTEXT_USER_DEFERRED:
		return "[user stack elsewhere]";
	default:
		return "[unknown]";
	}
}

/* Code of a virtual machine: its kernel is in its own maps. */
static int name_in_machine(struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key,
			   const struct tl_perf_map_change *map,
			   struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const struct tl_perf_object *object = map ? &n->sys->objects.list[map->object] : NULL;

	if (!map) {
		n->unmapped++;
		return put_nameless(n,
				    name_of_marker(tl_perf_is_kernel_address(key->ip)
							   ? TL_PERF_CONTEXT_GUEST_KERNEL
							   : TL_PERF_CONTEXT_GUEST_USER),
				    0, place, err);
	}
	if (object->kind == TL_PERF_OBJECT_KERNEL || object->kind == TL_PERF_OBJECT_MODULE)
		return name_in_kernel(n, object->guest, name_of_object(n, object), key->ip, place,
				      err);
	return name_in_map(n, key, map, place, err);
}

static int find_place(struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key,
		      struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const struct tl_perf_map_change *map;
	bool guest;

	if (key->ip >= TL_PERF_CONTEXT_MARKER)
		return put_nameless(n, name_of_marker(key->ip), 0, place, err);
	guest = key->process != TL_NONE && n->sys->processes.list[key->process].guest;
	if (!guest && tl_perf_is_kernel_address(key->ip))
		return name_in_kernel(n, TL_NONE, NULL, key->ip, place, err);
	map = tl_perf_map_find(n->sys, key->process,
			       tl_perf_map_epoch_end(n->sys, key->process, key->changes), key->ip);
	if (guest)
		return name_in_machine(n, key, map, place, err);
	if (!map)
		return put_nameless(n, "", 0, place, err);
	return name_in_map(n, key, map, place, err);
}

static bool same_key(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_known_place *places = context;
	const struct tl_perf_sampled_key *wanted = key, *have = &places[number].key;

	return have->ip == wanted->ip && have->process == wanted->process &&
	       have->changes == wanted->changes;
}

/* The kernel is the same in all processes of the host. */
static struct tl_perf_sampled_key key_of(const struct tl_perf_sample_names *n,
					 const struct tl_perf_stack_root *root, uint64_t ip)
{
	if (tl_perf_is_kernel_address(ip) && !n->sys->processes.list[root->process].guest)
		return (struct tl_perf_sampled_key){ .process = TL_NONE, .ip = ip };
	return (struct tl_perf_sampled_key){ root->process, root->changes, ip };
}

static uint64_t hash_of(const struct tl_perf_sampled_key *key)
{
	return tl_hash_pair(tl_hash_pair(key->process, key->changes), key->ip);
}

void tl_perf_sample_place_fetch(const struct tl_perf_sample_names *n,
				const struct tl_perf_stack_root *root, uint64_t ip, bool again)
{
	const struct tl_perf_sampled_key key = key_of(n, root, ip);
	const struct tl_index_slot *slot;

	if (!n->by_key.slots)
		return;
	slot = &n->by_key.slots[(uint32_t)hash_of(&key) & n->by_key.mask];
	if (!again)
		__builtin_prefetch(slot);
	else if (slot->number != TL_NONE)
		__builtin_prefetch(&n->places[slot->number]);
}

/* Keep what was found about a key of this hash, as number `n->place_count`. */
static int add_place(struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key,
		     uint64_t hash, const struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const size_t number = n->place_count;

	if (!tl_grow(&n->places, &n->place_capacity, number + 1, sizeof(*n->places)) ||
	    !tl_index_add(&n->by_key, hash, (uint32_t)number))
		return tl_error_memory(err);
	n->places[number] = (struct tl_perf_known_place){ *key, *place };
	n->place_count++;
	return 0;
}

int tl_perf_sample_place(struct tl_perf_sample_names *n, const struct tl_perf_stack_root *root,
			 uint64_t ip, const struct tl_perf_sampled_place **place,
			 struct tl_error *err)
{
	const struct tl_perf_sampled_key key = key_of(n, root, ip);
	const uint64_t hash = hash_of(&key);
	struct tl_perf_sampled_place found = { .file = "", .address = ip };
	uint32_t number = tl_index_find(&n->by_key, hash, same_key, n->places, &key);
	int status = 0;

	if (number == TL_NONE) {
		number = (uint32_t)n->place_count;
		status = find_place(n, &key, &found, err);
		if (status == 0)
			status = add_place(n, &key, hash, &found, err);
	}
	if (status == 0)
		*place = &n->places[number].place;
	return status;
}

bool tl_perf_sample_names_describe(const struct tl_perf_sample_names *n,
				   struct tl_perf_sample_remarks *remarks)
{
	for (size_t i = 0; i < n->object_count; i++) {
		const struct tl_perf_named_object *named = &n->objects[i];
		const char *path = n->sys->names.names[n->sys->objects.list[i].path].text;

		if (named->nameless && named->why &&
		    !tl_perf_sample_remark(remarks, "no names for the code of %s: %s", path,
					   named->why))
			return false;
		if (named->lineless &&
		    !tl_perf_sample_remark(remarks,
					   "what was inlined into the code of %s is not known: it "
					   "has no debug information",
					   path))
			return false;
	}
	if (n->unmapped &&
	    !tl_perf_sample_remark(remarks,
				   "%" PRIu64 " addresses of virtual machines have no names: no "
				   "record and no file in --guest-root says what was there",
				   n->unmapped))
		return false;
	for (size_t i = 0; i < n->sys->processes.count; i++) {
		const char *why = tl_perf_compiled_why(n->sys, (uint32_t)i);

		if (why && !tl_perf_sample_remark(
				   remarks, "no names for code that process %" PRIu32 " made: %s",
				   n->sys->processes.list[i].pid, why))
			return false;
	}
	return true;
}
