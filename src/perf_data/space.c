/* SPDX-License-Identifier: Apache-2.0 */
/* Address spaces: what is mapped in a process at a time, and the image of it (section 8). */
#include "perf_data/trace.h"

const struct perf_change *tl_perf_older_map(const struct tl_perf_trace *t, struct perf_maps *maps)
{
	while (maps->process != TL_NONE && maps->changes) {
		const struct perf_change *c = &t->processes[maps->process].changes[--maps->changes];

		if (c->kind == CHANGE_MAP)
			return c;
		if (c->kind == CHANGE_CLEAR)
			break;
		/* What the parent had then was there before: this ends, since times only go back. */
		if (c->kind == CHANGE_FORK)
			*maps = (struct perf_maps){ c->object, c->start };
	}
	maps->changes = 0;
	return NULL;
}

static size_t epoch_end(const struct perf_process *p, size_t from)
{
	while (from < p->count && p->changes[from].kind == CHANGE_MAP)
		from++;
	return from;
}

size_t tl_perf_changes_at(const struct perf_process *p, uint64_t time_ns)
{
	size_t end = epoch_end(p, 0);

	while (end < p->count && p->changes[end].time_ns <= time_ns)
		end = epoch_end(p, end + 1);
	return end;
}

bool tl_perf_next_epoch(const struct perf_process *p, size_t *changes, uint64_t *time_ns)
{
	if (*changes >= p->count)
		return false;
	*time_ns = p->changes[*changes].time_ns;
	*changes = epoch_end(p, *changes + 1);
	return true;
}

static const struct perf_change *find_map(const struct tl_perf_trace *t, uint32_t process, size_t changes,
					  uint64_t ip)
{
	struct perf_maps maps = { process, changes };
	const struct perf_change *c;

	while ((c = tl_perf_older_map(t, &maps)))
		if (ip >= c->start && ip < c->end)
			return c;
	return NULL;
}

static uint32_t kernel_process(const struct tl_perf_trace *t)
{
	return tl_perf_find_process(t, KERNEL_PID);
}

const struct perf_change *tl_perf_find_map(const struct tl_perf_trace *t, uint32_t process, size_t changes,
					   uint64_t ip)
{
	if (ip & KERNEL_START) {
		process = kernel_process(t);
		changes = process == TL_NONE ? 0 : t->processes[process].count;
	}
	return find_map(t, process, changes, ip);
}

/* ---- images ---- */

static int tell_missing(struct tl_perf_trace *t, struct perf_object *object, struct tl_error *err)
{
	struct tl_perf_missing m = {
		.path = t->names.names[object->path].text,
		.reason = object->reason,
		.process = t->processes[object->process].pid == KERNEL_PID ? TL_NOWHERE
									 : t->processes[object->process].pid,
		.address = object->address,
		.length = object->length,
	};
	static const char digits[] = "0123456789abcdef";

	if (object->told)
		return 0;
	for (unsigned i = 0; i < object->build_id.size; i++) {
		m.build_id[2 * i] = digits[object->build_id.bytes[i] >> 4];
		m.build_id[2 * i + 1] = digits[object->build_id.bytes[i] & 15];
	}
	if (!tl_grow(&t->missing, &t->missing_capacity, t->missing_count + 1, sizeof(*t->missing)))
		return tl_error_memory(err);
	t->missing[t->missing_count++] = m;
	object->told = true;
	return 0;
}

/* A part of a file, through the cache, so that all images share it. */
static int add_file(struct tl_perf_trace *t, struct tl_pt_image *image, const char *path, uint64_t offset,
		    uint64_t size, uint64_t address, struct tl_error *err)
{
	int isid = tl_pt_cache_add_file(t->cache, path, offset, size, address);

	if (isid > 0)
		isid = tl_pt_image_add_cached(image, t->cache, isid, NULL);
	/* A file that has no bytes there is as good as none: decoding says so where it gets there. */
	return isid == -TL_PT_NOMEM ? tl_error_memory(err) : 0;
}

/* A map of the kernel says how far it was moved from where it was linked; a core file holds it as it ran. */
static int add_kernel(struct tl_perf_trace *t, struct tl_pt_image *image, const struct perf_change *c,
		      const struct perf_object *object, struct tl_error *err)
{
	const uint64_t moved = object->elf.core ? 0 : c->start - c->page_offset;
	int status = 0;

	for (size_t i = 0; status == 0 && i < object->elf.load_count; i++) {
		const struct perf_load *load = &object->elf.loads[i];
		const uint64_t start = load->address + moved;

		if (start < c->end && start + load->size > c->start)
			status = add_file(t, image, object->file, load->offset, load->size, start, err);
	}
	return status;
}

static int add_memory(struct tl_pt_image *image, const struct perf_change *c, const struct perf_object *object,
		      struct tl_error *err)
{
	uint64_t size = c->end - c->start;

	if (c->page_offset >= object->memory_size)
		return 0;
	if (size > object->memory_size - c->page_offset)
		size = object->memory_size - c->page_offset;
	return tl_pt_image_add_memory(image, object->memory + c->page_offset, (size_t)size, NULL, c->start, 0) ==
			       -TL_PT_NOMEM
		       ? tl_error_memory(err)
		       : 0;
}

static int add_map(struct tl_perf_trace *t, struct tl_pt_image *image, const struct perf_change *c,
		   struct tl_error *err)
{
	struct perf_object *object = &t->objects[c->object];
	int status = tl_perf_seek_object(t, object, err);

	if (status < 0)
		return status;
	if (object->memory)
		return add_memory(image, c, object, err);
	if (!object->file)
		return tell_missing(t, object, err);
	if (object->kind == OBJECT_KERNEL)
		return add_kernel(t, image, c, object, err);
	return add_file(t, image, object->file, c->page_offset, c->end - c->start, c->start, err);
}

/* The oldest first: what is added later wins, as it did when it was mapped. */
static int add_maps(struct tl_perf_trace *t, struct tl_pt_image *image, uint32_t process, size_t changes,
		    struct tl_error *err)
{
	struct perf_maps maps = { process, changes };
	const struct perf_change **list, *c;
	size_t count = 0;
	int status = 0;

	while (tl_perf_older_map(t, &maps))
		count++;
	list = tl_zeroed(count, sizeof(*list));
	if (!list)
		return tl_error_memory(err);
	maps = (struct perf_maps){ process, changes };
	for (size_t i = count; (c = tl_perf_older_map(t, &maps));)
		list[--i] = c;
	for (size_t i = 0; status == 0 && i < count; i++)
		status = add_map(t, image, list[i], err);
	free(list);
	return status;
}

static bool same_image(const void *context, const void *key, uint32_t number)
{
	const struct tl_perf_trace *t = context;
	const struct perf_image *wanted = key, *have = &t->image_keys[number];

	return have->process == wanted->process && have->changes == wanted->changes;
}

/* The same number whenever the same space comes back. TL_NONE without memory. */
static uint32_t image_number(struct tl_perf_trace *t, const struct perf_image *key)
{
	const uint64_t hash = tl_hash_pair(key->process, key->changes);
	uint32_t number = tl_index_find(&t->image_index, hash, same_image, t, key);

	if (number != TL_NONE)
		return number;
	if (!tl_grow(&t->image_keys, &t->image_key_capacity, t->image_key_count + 1, sizeof(*t->image_keys)) ||
	    !tl_index_add(&t->image_index, hash, (uint32_t)t->image_key_count))
		return TL_NONE;
	t->image_keys[t->image_key_count] = *key;
	return (uint32_t)t->image_key_count++;
}

static int make_image(struct tl_perf_trace *t, struct perf_image *to, struct tl_error *err)
{
	const uint32_t kernel = kernel_process(t);
	int status = 0;

	to->image = tl_pt_image_open(NULL);
	if (!to->image)
		return tl_error_memory(err);
	if (kernel != TL_NONE)
		status = add_maps(t, to->image, kernel, t->processes[kernel].count, err);
	if (status == 0 && to->process != TL_NONE)
		status = add_maps(t, to->image, to->process, to->changes, err);
	return status;
}

/*
 * Some images are kept, since threads alternate and what was decoded belongs to the image: the one that was not used
 * for longest goes.
 */
int tl_perf_use_image(struct tl_perf_trace *t, uint32_t process, size_t changes, struct tl_error *err)
{
	struct perf_image wanted = { .process = process, .changes = changes };
	struct perf_image *slot = &t->images[0];
	int status;

	for (size_t i = 0; i < IMAGES_KEPT; i++) {
		struct perf_image *have = &t->images[i];

		if (have->image && have->process == process && have->changes == changes) {
			t->image = have;
			have->used = ++t->image_uses;
			return 0;
		}
		if (have != t->image && (slot == t->image || have->used < slot->used))
			slot = have;
	}
	wanted.number = image_number(t, &wanted);
	if (wanted.number == TL_NONE)
		return tl_error_memory(err);
	tl_pt_image_close(slot->image);
	*slot = wanted;
	status = make_image(t, slot, err);
	if (status < 0) {
		tl_pt_image_close(slot->image);
		*slot = (struct perf_image){ .image = NULL };
		return status;
	}
	slot->used = ++t->image_uses;
	t->image = slot;
	return 0;
}

void tl_perf_images_free(struct tl_perf_trace *t)
{
	for (size_t i = 0; i < IMAGES_KEPT; i++)
		tl_pt_image_close(t->images[i].image);
	tl_pt_cache_close(t->cache);
	tl_index_free(&t->image_index);
	free(t->image_keys);
	free(t->missing);
}
