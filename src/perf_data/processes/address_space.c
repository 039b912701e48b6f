/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces: the code of what is mapped in a process at a time, in the decoder's image
 * (docs/formats/perf-data.md section 8). */
#include "perf_data/processes/trace.h"

static int report_missing(struct tl_perf_trace *t, struct tl_perf_object *object,
			  struct tl_error *err)
{
	struct tl_perf_missing_code m = {
		.path = t->names.names[object->path].text,
		.reason = object->reason,
		.process = t->processes[object->process].pid == TL_PERF_KERNEL_PID
				   ? TL_NOWHERE
				   : t->processes[object->process].pid,
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
	if (!tl_grow(&t->missing, &t->missing_capacity, t->missing_count + 1, sizeof(*t->missing)))
		return tl_error_memory(err);
	t->missing[t->missing_count++] = m;
	object->reported = true;
	return 0;
}

/* A part of a file, through the cache, so that all images share it. */
static int add_file(const struct tl_perf_trace *t, const struct tl_pt_asid *asid, const char *path,
		    uint64_t offset, uint64_t size, uint64_t address, struct tl_error *err)
{
	int isid = tl_pt_cache_add_file(t->cache, path, offset, size, address);

	if (isid > 0)
		isid = tl_pt_image_add_cached(t->image, t->cache, isid, asid);
	/* A file that has no bytes there is as good as none: decoding says so in its time. */
	return isid == -TL_PT_NOMEM ? tl_error_memory(err) : 0;
}

/* A map of the kernel says how far it was moved from where it was linked; a core file holds it as
 * it ran. */
static int add_kernel(const struct tl_perf_trace *t, const struct tl_pt_asid *asid,
		      const struct tl_perf_map_change *c, const struct tl_perf_object *object,
		      struct tl_error *err)
{
	const uint64_t moved = object->elf.core ? 0 : c->start - c->page_offset;
	int status = 0;

	for (size_t i = 0; status == 0 && i < object->elf.segment_count; i++) {
		const struct tl_perf_segment *load = &object->elf.segments[i];
		const uint64_t start = load->address + moved;

		if (start < c->end && start + load->size > c->start)
			status = add_file(t, asid, object->file, load->offset, load->size, start,
					  err);
	}
	return status;
}

static int add_memory(const struct tl_perf_trace *t, const struct tl_pt_asid *asid,
		      const struct tl_perf_map_change *c, const struct tl_perf_object *object,
		      struct tl_error *err)
{
	uint64_t size = c->end - c->start;
	int status;

	if (c->page_offset >= object->memory_size)
		return 0;
	if (size > object->memory_size - c->page_offset)
		size = object->memory_size - c->page_offset;
	status = tl_pt_image_add_memory(t->image, object->memory + c->page_offset, (size_t)size,
					asid, c->start, 0);
	return status == -TL_PT_NOMEM ? tl_error_memory(err) : 0;
}

static int add_map(struct tl_perf_trace *t, const struct tl_pt_asid *asid,
		   const struct tl_perf_map_change *c, struct tl_error *err)
{
	struct tl_perf_object *object = &t->objects[c->object];
	int status = tl_perf_object_locate(t, object, err);

	if (status < 0)
		return status;
	if (object->memory)
		return add_memory(t, asid, c, object, err);
	if (!object->file)
		return report_missing(t, object, err);
	if (object->kind == TL_PERF_OBJECT_KERNEL)
		return add_kernel(t, asid, c, object, err);
	return add_file(t, asid, object->file, c->page_offset, c->end - c->start, c->start, err);
}

/* The oldest first: what is added later wins, as it did when it was mapped. */
static int add_maps(struct tl_perf_trace *t, uint32_t process, size_t changes,
		    const struct tl_pt_asid *asid, struct tl_error *err)
{
	struct tl_perf_map_iter maps = { process, changes };
	const struct tl_perf_map_change **list, *c;
	size_t count = 0;
	int status = 0;

	while (tl_perf_map_previous(t, &maps))
		count++;
	list = tl_zeroed(count, sizeof(*list));
	if (!list)
		return tl_error_memory(err);
	maps = (struct tl_perf_map_iter){ process, changes };
	for (size_t i = count; (c = tl_perf_map_previous(t, &maps));)
		list[--i] = c;
	for (size_t i = 0; status == 0 && i < count; i++)
		status = add_map(t, asid, list[i], err);
	free(list);
	return status;
}

static bool same_space(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_trace *t = context;
	const struct tl_perf_address_space *wanted = key, *have = &t->spaces[number];

	return have->process == wanted->process && have->changes == wanted->changes;
}

/* The same number whenever the same space comes back. TL_NONE without memory. */
static uint32_t space_number(struct tl_perf_trace *t, const struct tl_perf_address_space *key)
{
	const uint64_t hash = tl_hash_pair(key->process, key->changes);
	uint32_t number = tl_index_find(&t->address_space_index, hash, same_space, t, key);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&t->spaces, &t->space_capacity, t->space_count + 1, sizeof(*t->spaces)) ||
	    !tl_index_add(&t->address_space_index, hash, (uint32_t)t->space_count))
		return TL_NONE;
	t->spaces[t->space_count] = *key;
	return (uint32_t)t->space_count++;
}

/*
 * All spaces are in one image, each under an asid of its own, so that a decoder that goes from one
 * to another keeps what it knows of both. VMCS is the field for it: of guests perf.data tells
 * nothing, and bases in packets are below 2^52, while CR3 changes with packets where the kernel is
 * traced.
 */
static struct tl_pt_asid asid_of(uint32_t number)
{
	return (struct tl_pt_asid){ .cr3 = TL_PT_ANY, .vmcs = UINT64_C(1) << 63 | number };
}

static int add_space(struct tl_perf_trace *t, const struct tl_perf_address_space *space,
		     uint32_t number, struct tl_error *err)
{
	const struct tl_pt_asid asid = asid_of(number);

	return space->process == TL_NONE ? 0
					 : add_maps(t, space->process, space->changes, &asid, err);
}

/* The kernel is in all spaces. */
static int make_image(struct tl_perf_trace *t, struct tl_error *err)
{
	const uint32_t kernel = tl_perf_process_find(t, TL_PERF_KERNEL_PID);

	t->image = tl_pt_image_open(NULL);
	if (!t->image)
		return tl_error_memory(err);
	return kernel == TL_NONE ? 0 : add_maps(t, kernel, t->processes[kernel].count, NULL, err);
}

int64_t tl_perf_address_space_add(struct tl_perf_trace *t, uint32_t process, size_t changes,
				  struct tl_pt_asid *asid, struct tl_error *err)
{
	const struct tl_perf_address_space wanted = { process, changes };
	const size_t known = t->space_count;
	int status = t->image ? 0 : make_image(t, err);
	uint32_t number;

	if (status < 0)
		return status;
	number = space_number(t, &wanted);
	if (number == TL_NONE)
		return tl_error_memory(err);
	*asid = asid_of(number);
	if (t->space_count > known)
		status = add_space(t, &wanted, number, err);
	return status < 0 ? status : (int64_t)number;
}

void tl_perf_address_spaces_free(struct tl_perf_trace *t)
{
	tl_pt_image_close(t->image);
	tl_pt_cache_close(t->cache);
	tl_index_free(&t->address_space_index);
	free(t->spaces);
	free(t->missing);
}
