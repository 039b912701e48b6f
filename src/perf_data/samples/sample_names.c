/* SPDX-License-Identifier: Apache-2.0 */
#include "perf_data/samples/sample_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/error.h"
#include "perf_data/processes/compiled.h"
#include "perf_data/processes/kernel_names.h"
#include "perf_data/samples/call_chain.h"
#include "perf_data/samples/names_in_files.h"
#include "perf_data/samples/off_cpu.h"
#include "perf_data/samples/remarks.h"
#include "profile/model/unsized.h"
#include "symbols/binary.h"
#include "symbols/elf/intervals.h"

static const char kernel_name[] = "[kernel.kallsyms]";

struct tl_perf_sampled_key {
	uint32_t process;
	size_t changes;
	uint64_t ip;
};

/*
 * How much is known of a place. In a file: its function is the number of a symbol, TL_NONE where it
 * has none, and what is inlined are numbers of instances; named: all are functions of the profile.
 */
enum state { PLACE_NOTED, PLACE_IN_FILE, PLACE_NAMED };

struct tl_perf_known_place {
	struct tl_perf_sampled_key key;
	struct tl_perf_sampled_place place;
	enum state state;
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

	return tl_perf_put_function(n, &function, place, err);
}

/* ---- the kernel ---- */

/* Code of a kernel of which no more is known. */
static int put_kernel(struct tl_perf_sample_names *n, const struct tl_perf_object *kernel,
		      struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const char *object =
		kernel && kernel->guest != TL_NONE ? name_of_object(n, kernel) : "[kernel]";

	return tl_perf_put_nameless(n, object, 0, place, err);
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
		return tl_perf_name_by_symbol(n, named->binary, name_of_object(n, kernel), &symbol,
					      place, err);
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
	return status < 0 ? status : tl_perf_put_nameless(n, object, 0, place, err);
}

/* ---- places ---- */

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

static bool is_of_guest(const struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key)
{
	return key->process != TL_NONE && n->sys->processes.list[key->process].guest;
}

/* The map that has an address of a process or of a virtual machine; NULL: none. */
static const struct tl_perf_map_change *map_of(const struct tl_perf_sample_names *n,
					       const struct tl_perf_sampled_key *key)
{
	if (key->ip >= TL_PERF_CONTEXT_MARKER ||
	    (!is_of_guest(n, key) && tl_perf_is_kernel_address(key->ip)))
		return NULL;
	return tl_perf_map_find(n->sys, key->process,
				tl_perf_map_epoch_end(n->sys, key->process, key->changes), key->ip);
}

/* Code of a virtual machine that is in no file: its kernel is in its own maps. */
static int name_in_machine(struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key,
			   const struct tl_perf_map_change *map,
			   struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const struct tl_perf_object *object = map ? &n->sys->objects.list[map->object] : NULL;

	if (!map) {
		n->unmapped++;
		return tl_perf_put_nameless(n,
					    name_of_marker(tl_perf_is_kernel_address(key->ip)
								   ? TL_PERF_CONTEXT_GUEST_KERNEL
								   : TL_PERF_CONTEXT_GUEST_USER),
					    0, place, err);
	}
	if (object->kind == TL_PERF_OBJECT_KERNEL || object->kind == TL_PERF_OBJECT_MODULE)
		return name_in_kernel(n, object->guest, name_of_object(n, object), key->ip, place,
				      err);
	return name_without_file(n, key, n->sys->names.names[object->path].text, place, err);
}

/* Where no file has the code. */
static int name_elsewhere(struct tl_perf_sample_names *n, const struct tl_perf_sampled_key *key,
			  struct tl_perf_sampled_place *place, struct tl_error *err)
{
	const struct tl_perf_map_change *map = map_of(n, key);

	if (key->ip >= TL_PERF_CONTEXT_MARKER)
		return tl_perf_put_nameless(n, name_of_marker(key->ip), 0, place, err);
	if (is_of_guest(n, key))
		return name_in_machine(n, key, map, place, err);
	if (tl_perf_is_kernel_address(key->ip))
		return name_in_kernel(n, TL_NONE, NULL, key->ip, place, err);
	if (!map)
		return tl_perf_put_nameless(n, "", 0, place, err);
	return name_without_file(n, key,
				 n->sys->names.names[n->sys->objects.list[map->object].path].text,
				 place, err);
}

/* Look a place up where a file has its code. */
static int find_place(struct tl_perf_sample_names *n, struct tl_perf_known_place *known,
		      struct tl_error *err)
{
	const struct tl_perf_map_change *map = map_of(n, &known->key);
	struct tl_perf_object *object = map ? &n->sys->objects.list[map->object] : NULL;
	int status;

	if (!map || (is_of_guest(n, &known->key) && (object->kind == TL_PERF_OBJECT_KERNEL ||
						     object->kind == TL_PERF_OBJECT_MODULE)))
		return 0;
	status = tl_perf_object_locate(n->sys, object, err);
	if (status < 0 || object->kind == TL_PERF_OBJECT_ANONYMOUS)
		return status;
	status = tl_perf_named_object_open(n, object, &n->objects[map->object], err);
	if (status < 0)
		return status;
	known->place.address =
		tl_perf_elf_address(&object->elf, known->key.ip - map->start + map->page_offset);
	known->state = PLACE_IN_FILE;
	return tl_perf_find_in_file(n, &n->objects[map->object],
				    n->sys->names.names[object->path].text, &known->place, err);
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

uint32_t tl_perf_sample_place_note(struct tl_perf_sample_names *n,
				   const struct tl_perf_stack_root *root, uint64_t ip)
{
	const struct tl_perf_sampled_key key = key_of(n, root, ip);
	const uint64_t hash = hash_of(&key);
	uint32_t number = tl_index_find(&n->by_key, hash, same_key, n->places, &key);

	if (number != TL_NONE)
		return number;
	number = (uint32_t)n->place_count;
	if (n->place_count >= TL_NONE ||
	    !tl_grow(&n->places, &n->place_capacity, n->place_count + 1, sizeof(*n->places)) ||
	    !tl_index_add(&n->by_key, hash, number))
		return TL_NONE;
	n->places[n->place_count++] = (struct tl_perf_known_place){
		.key = key,
		.place = { .file = "", .address = ip },
	};
	return number;
}

/* How many places ahead one is fetched: those of neighbouring addresses were noted at any time. */
enum { FETCHED_AHEAD = 16 };

int tl_perf_sample_places_find(struct tl_perf_sample_names *n, struct tl_error *err)
{
	struct tl_interval *order = tl_alloc_many(n->place_count, sizeof(*order));
	int status = 0;

	for (size_t i = 0; order && i < n->place_count; i++)
		order[i] =
			(struct tl_interval){ .start = n->places[i].key.ip, .number = (uint32_t)i };
	if (!order || !tl_intervals_sort(order, n->place_count))
		status = tl_error_memory(err);
	for (size_t i = 0; status == 0 && i < n->place_count; i++) {
		if (i + FETCHED_AHEAD < n->place_count)
			__builtin_prefetch(&n->places[order[i + FETCHED_AHEAD].number]);
		status = find_place(n, &n->places[order[i].number], err);
	}
	free(order);
	return status;
}

void tl_perf_sample_place_fetch_noted(const struct tl_perf_sample_names *n, uint32_t number)
{
	__builtin_prefetch(&n->places[number]);
}

int tl_perf_sample_place(struct tl_perf_sample_names *n, uint32_t number,
			 const struct tl_perf_sampled_place **place, struct tl_error *err)
{
	struct tl_perf_known_place *known = &n->places[number];
	int status = 0;

	*place = &known->place;
	if (known->state == PLACE_NAMED)
		return 0;
	if (known->state == PLACE_IN_FILE)
		status =
			tl_perf_name_in_file(n, map_of(n, &known->key)->object, &known->place, err);
	else
		status = name_elsewhere(n, &known->key, &known->place, err);
	known->state = PLACE_NAMED;
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
