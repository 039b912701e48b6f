/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces: the code that is mapped in a process at a time, in the decoder's image
 * (docs/formats/perf-data.md section 8).
 */
#include "perf_data/processes/address_space.h"

#include "core/arithmetic.h"
#include "perf_data/processes/guests.h"

/* More regions than this in one image are slow to search. */
enum { POKED_MOST = 1 << 16 };

static int add_missing(struct tl_perf_address_spaces *a, const struct tl_perf_missing_code *m,
		       struct tl_error *err)
{
	if (!tl_grow(&a->missing.list, &a->missing.capacity, a->missing.count + 1,
		     sizeof(*a->missing.list)))
		return tl_error_memory(err);
	a->missing.list[a->missing.count++] = *m;
	return 0;
}

static int report_missing(struct tl_perf_address_spaces *a, struct tl_perf_object *object,
			  struct tl_error *err)
{
	struct tl_perf_missing_code m = {
		.path = a->sys->names.names[object->path].text,
		.reason = object->reason,
		.process = a->sys->processes.list[object->process].pid == TL_PERF_KERNEL_PID
				   ? TL_NOWHERE
				   : a->sys->processes.list[object->process].pid,
		.address = object->address,
		.length = object->length,
	};
	static const char digits[] = "0123456789abcdef";

	if (object->reported)
		return 0;
	for (unsigned i = 0; i < object->build_id.size; i++) {
		m.build_id[2 * i] = digits[object->build_id.bytes[i] >> 4];
		m.build_id[2 * i + 1] = digits[object->build_id.bytes[i] & 15];
	}
	object->reported = true;
	return add_missing(a, &m, err);
}

/* Part of a file, through the cache, so that all address spaces share it. */
static int add_file(const struct tl_perf_address_spaces *a, const struct tl_pt_asid *asid,
		    const char *path, uint64_t offset, uint64_t size, uint64_t address,
		    struct tl_error *err)
{
	int isid = tl_pt_cache_add_file(a->cache, path, offset, size, address);

	if (isid > 0)
		isid = tl_pt_image_add_cached(a->image, a->cache, isid, asid);
	/* If the file has no bytes there, decoding reports the missing code when it gets there. */
	if (isid == -TL_PT_NOMEM)
		return tl_error_memory(err);
	return 0;
}

/* The part of a copy of the kernel's memory that a map covers, at its own addresses. */
static int add_memory_copy(const struct tl_perf_address_spaces *a, const struct tl_pt_asid *asid,
			   const struct tl_perf_map_change *c, const struct tl_perf_object *object,
			   struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < object->elf.segment_count; i++) {
		const struct tl_perf_segment *load = &object->elf.segments[i];
		const uint64_t start = tl_max(c->start, load->address);
		const uint64_t end = tl_min(c->end, load->address + load->size);

		if (start < end)
			status = add_file(a, asid, object->file,
					  load->offset + (start - load->address), end - start,
					  start, err);
	}
	return status;
}

/*
 * Segments of the kernel's file that its map covers, at the addresses that they ran at.
 */
static int add_kernel(const struct tl_perf_address_spaces *a, const struct tl_pt_asid *asid,
		      const struct tl_perf_map_change *c, const struct tl_perf_object *object,
		      struct tl_error *err)
{
	const uint64_t moved = tl_perf_kernel_moved(&object->elf, c->start, c->page_offset);
	int status = 0;

	for (size_t i = 0; status == 0 && i < object->elf.segment_count; i++) {
		const struct tl_perf_segment *load = &object->elf.segments[i];
		const uint64_t start = load->address + moved;

		if (start < c->end && start + load->size > c->start)
			status = add_file(a, asid, object->file, load->offset, load->size, start,
					  err);
	}
	return status;
}

static int add_memory(const struct tl_perf_address_spaces *a, const struct tl_pt_asid *asid,
		      const struct tl_perf_map_change *c, const struct tl_perf_object *object,
		      struct tl_error *err)
{
	uint64_t size = c->end - c->start;
	int status;

	if (c->page_offset >= object->memory_size)
		return 0;
	if (size > object->memory_size - c->page_offset)
		size = object->memory_size - c->page_offset;
	status = tl_pt_image_add_memory(a->image, object->memory + c->page_offset, (size_t)size,
					asid, c->start, 0);
	if (status == -TL_PT_NOMEM)
		return tl_error_memory(err);
	return 0;
}

static int add_map(struct tl_perf_address_spaces *a, const struct tl_pt_asid *asid,
		   const struct tl_perf_map_change *c, struct tl_error *err)
{
	struct tl_perf_object *object = &a->sys->objects.list[c->object];
	int status = tl_perf_object_locate(a->sys, object, err);

	if (status < 0)
		return status;
	if (object->memory)
		return add_memory(a, asid, c, object, err);
	if (!object->file)
		return report_missing(a, object, err);
	if (object->elf.core && object->kind != TL_PERF_OBJECT_FILE)
		return add_memory_copy(a, asid, c, object, err);
	if (object->kind == TL_PERF_OBJECT_KERNEL)
		return add_kernel(a, asid, c, object, err);
	return add_file(a, asid, object->file, c->page_offset, c->end - c->start, c->start, err);
}

/* The oldest map first: the image, as the kernel, lets a later one replace it. */
static int add_maps(struct tl_perf_address_spaces *a, uint32_t process, size_t changes,
		    const struct tl_pt_asid *asid, struct tl_error *err)
{
	struct tl_perf_map_iter maps = { process, changes };
	const struct tl_perf_map_change **list, *c;
	size_t count = 0;
	int status = 0;

	while (tl_perf_map_previous(a->sys, &maps))
		count++;
	list = tl_zeroed(count, sizeof(*list));
	if (!list)
		return tl_error_memory(err);
	maps = (struct tl_perf_map_iter){ process, changes };
	for (size_t i = count; (c = tl_perf_map_previous(a->sys, &maps));)
		list[--i] = c;
	for (size_t i = 0; status == 0 && i < count; i++)
		status = add_map(a, asid, list[i], err);
	free(list);
	return status;
}

static bool same_space(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_address_spaces *a = context;
	const struct tl_perf_address_space *wanted = key, *have = &a->list[number];

	return have->process == wanted->process && have->changes == wanted->changes &&
	       have->pokes == wanted->pokes && have->in_guest == wanted->in_guest &&
	       have->guest == wanted->guest && have->guest_changes == wanted->guest_changes &&
	       have->guest_pokes == wanted->guest_pokes;
}

/* The number of an address space, a new one if it is new. TL_NONE without memory. */
static uint32_t space_number(struct tl_perf_address_spaces *a,
			     const struct tl_perf_address_space *key)
{
	const uint64_t hash =
		tl_hash_pair(tl_hash_pair(key->process, key->guest),
			     tl_hash_pair(tl_hash_pair(key->changes, key->guest_pokes),
					  key->pokes + key->guest_changes));
	uint32_t number = tl_index_find(&a->index, hash, same_space, a, key);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&a->list, &a->capacity, a->count + 1, sizeof(*a->list)) ||
	    !tl_index_add(&a->index, hash, (uint32_t)a->count))
		return TL_NONE;
	a->list[a->count] = *key;
	return (uint32_t)a->count++;
}

/*
 * All address spaces are in one image, each with an asid of its own, so that a decoder keeps its
 * decoded blocks when it goes from one to another. The asid is a VMCS base that no packet has:
 * they are below 2^52. PIP and VMCS packets do not change it (TL_PT_KEEP_ASID), as the records know
 * which process runs; but PIP packets say whether it is code of a virtual machine that this process
 * runs.
 */
static struct tl_pt_asid asid_of(const struct tl_perf_address_spaces *a, uint32_t number,
				 bool guest)
{
	const uint64_t cr3 = guest ? TL_PT_NON_ROOT : TL_PT_ROOT;

	return (struct tl_pt_asid){ .cr3 = a->guests ? cr3 : TL_PT_ANY,
				    .vmcs = UINT64_C(1) << 63 | number };
}

static int add_poke(struct tl_perf_address_spaces *a, uint64_t address, const uint8_t *bytes,
		    size_t size, const struct tl_pt_asid *asid, struct tl_error *err)
{
	if (size && tl_pt_image_add_memory(a->image, bytes, size, asid, address, 0) == -TL_PT_NOMEM)
		return tl_error_memory(err);
	return 0;
}

/* The kernel's code is told as missing, once. */
static int report_pokes(struct tl_perf_address_spaces *a, struct tl_error *err)
{
	static const struct tl_perf_missing_code changed = {
		.path = "[kernel.kallsyms]",
		.reason = "its code was changed more often than this reader keeps track of",
		.process = TL_NOWHERE,
	};

	if (a->poked > POKED_MOST)
		return 0;
	a->poked = POKED_MOST + 1;
	return add_missing(a, &changed, err);
}

/*
 * What the kernel has where its code is ever changed: the new bytes of the last change before, else
 * the old bytes of the first one after. What is added later counts.
 */
static int add_pokes(struct tl_perf_address_spaces *a, const struct tl_perf_poke_table *t,
		     size_t pokes, const struct tl_pt_asid *asid, struct tl_error *err)
{
	int status = 0;

	if (t->count > POKED_MOST || a->poked > POKED_MOST - t->count)
		return report_pokes(a, err);
	a->poked += t->count;
	for (size_t i = t->count; status == 0 && i-- > pokes;)
		status = add_poke(a, t->list[i].address, t->list[i].bytes, t->list[i].old_size,
				  asid, err);
	for (size_t i = 0; status == 0 && i < pokes; i++)
		status = add_poke(a, t->list[i].address, t->list[i].bytes + t->list[i].old_size,
				  t->list[i].new_size, asid, err);
	return status;
}

/* What a virtual machine runs; where nothing is known of it, this is told once. */
static int add_guest(struct tl_perf_address_spaces *a, const struct tl_perf_address_space *space,
		     const struct tl_pt_asid *asid, struct tl_error *err)
{
	const struct tl_perf_missing_code nothing = {
		.path = tl_perf_guest_label(a->sys, space->guest),
		.reason = tl_perf_guest_why(a->sys),
		.process = a->sys->processes.list[space->guest].pid,
	};

	const struct tl_perf_process *process = &a->sys->processes.list[space->guest];
	const uint32_t machine = tl_perf_guest_machine(a->sys, space->guest);
	const size_t of_kernel = a->sys->processes.list[machine].count;
	int status = 0;

	if (!process->count && !of_kernel)
		return add_missing(a, &nothing, err);
	/* The kernel that a process of the machine runs on. */
	if (machine != space->guest)
		status = add_maps(a, machine, of_kernel, asid, err);
	if (status == 0)
		status = add_maps(a, space->guest, space->guest_changes, asid, err);
	if (status < 0)
		return status;
	return add_pokes(a, &tl_perf_guest_of(a->sys, machine)->pokes, space->guest_pokes, asid,
			 err);
}

static int add_space(struct tl_perf_address_spaces *a, const struct tl_perf_address_space *space,
		     const struct tl_pt_asid *asid, struct tl_error *err)
{
	int status = 0;

	if (space->in_guest)
		return add_guest(a, space, asid, err);
	if (space->process != TL_NONE)
		status = add_maps(a, space->process, space->changes, asid, err);
	if (status < 0)
		return status;
	return add_pokes(a, &a->sys->pokes, space->pokes, asid, err);
}

/* The kernel is in every address space of the host. */
static int make_image(struct tl_perf_address_spaces *a, struct tl_error *err)
{
	const struct tl_pt_asid host = { .cr3 = asid_of(a, 0, false).cr3, .vmcs = TL_PT_ANY };
	const uint32_t kernel = tl_perf_process_find(a->sys, TL_PERF_KERNEL_PID);

	a->image = tl_pt_image_open(NULL);
	if (!a->image)
		return tl_error_memory(err);
	if (kernel == TL_NONE)
		return 0;
	return add_maps(a, kernel, a->sys->processes.list[kernel].count, &host, err);
}

/*
 * The number of an address space of the host: of its own for each process of a virtual machine, as
 * the two have the same asid.
 */
static int64_t add_host(struct tl_perf_address_spaces *a, const struct tl_perf_address_space *of,
			struct tl_error *err)
{
	/* No process of a machine has number 0: the machine is before it in the table. */
	const bool known = a->sys->processes.list[of->guest].machine != TL_NONE;
	const struct tl_perf_address_space host = {
		.process = of->process,
		.changes = of->changes,
		.pokes = of->pokes,
		.guest = known ? of->guest : 0,
		.guest_changes = known ? of->guest_changes : 0,
		.guest_pokes = of->guest_pokes,
	};
	struct tl_pt_asid asid;

	return tl_perf_address_space_add(a, &host, &asid, err);
}

int64_t tl_perf_address_space_add(struct tl_perf_address_spaces *a,
				  const struct tl_perf_address_space *wanted,
				  struct tl_pt_asid *asid, struct tl_error *err)
{
	const bool guest = wanted->in_guest;
	int64_t status = a->image ? 0 : make_image(a, err);
	uint32_t number, host;
	size_t known;

	/* A machine has the asid of the process that runs it, but for the bit that PIP says. */
	if (status == 0 && guest)
		status = add_host(a, wanted, err);
	if (status < 0)
		return status;
	host = (uint32_t)status;
	known = a->count;
	number = space_number(a, wanted);
	if (number == TL_NONE)
		return tl_error_memory(err);
	*asid = asid_of(a, guest ? host : number, guest);
	if (a->count > known)
		status = add_space(a, wanted, asid, err);
	if (status < 0)
		return status;
	return (int64_t)number;
}

const struct tl_perf_map_change *tl_perf_address_space_find(const struct tl_perf_address_spaces *a,
							    uint32_t space, uint64_t ip)
{
	const struct tl_perf_address_space *in = &a->list[space];

	if (in->in_guest)
		return tl_perf_map_find(a->sys, in->guest, in->guest_changes, ip);
	return tl_perf_map_find(a->sys, in->process, in->changes, ip);
}

void tl_perf_address_spaces_free(struct tl_perf_address_spaces *a)
{
	tl_pt_image_close(a->image);
	tl_pt_cache_close(a->cache);
	tl_index_free(&a->index);
	free(a->list);
	free(a->missing.list);
}
