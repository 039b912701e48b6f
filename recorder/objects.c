/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects of the process as one space of 28-bit ids: each executable segment takes as many ids
 * as it has bytes, in the order in which segments were met. An id is never used for two segments,
 * so that a log stays right when objects come and go.
 */
#include "objects.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime.h"

enum { MOST_IDS = 1 << 28 };

/* ---- writing ---- */

static char *put_text(char *at, const char *end, const char *text)
{
	while (*text && at < end) {
		*at++ = *text == '\n' ? '?' : *text;
		text++;
	}
	return at;
}

static char *put_decimal(char *at, const char *end, uint64_t value)
{
	char text[48];

	rt_two_numbers(text, value, 0);
	*strchr(text, '-') = ' ';
	text[strlen(text) - 1] = '\0';
	return put_text(at, end, text);
}

/* One write(), so that a line is there whole or not at all. */
static void write_line(const struct rt_object *object, uint64_t address, const char *path)
{
	char line[RT_PATH + 128], *at = line;
	const char *end = line + sizeof(line) - 1;
	int fd = rt_open(rt.image, "objects", O_WRONLY | O_APPEND | O_CREAT);

	at = put_decimal(at, end, object->first);
	at = put_decimal(at, end, object->size);
	at = put_decimal(at, end, address);
	at = put_text(at, end, path);
	*at++ = '\n';
	if (fd < 0 || write(fd, line, (size_t)(at - line)) != at - line)
		rt_lost(0, errno);
	if (fd >= 0)
		close(fd);
}

/* ---- what is loaded ---- */

struct visit {
	bool write_all;
	/* the program's own path */
	char path[RT_PATH];
};

static struct rt_object *find(uintptr_t start, uint64_t size)
{
	for (uint32_t i = 0; i < rt.object_count; i++) {
		struct rt_object *object = &rt.objects[i];

		if (!object->gone && object->start == start && object->size == size)
			return object;
	}
	return NULL;
}

static struct rt_object *add(uintptr_t start, uint64_t size)
{
	struct rt_object *object;

	if (!rt.objects) {
		void *room = mmap(NULL, RT_OBJECTS * sizeof(*rt.objects), PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (room == MAP_FAILED)
			return NULL;
		rt.objects = room;
	}
	if (rt.object_count == RT_OBJECTS || size > MOST_IDS - rt.next_id)
		return NULL;
	object = &rt.objects[rt.object_count];
	*object = (struct rt_object){ .start = start, .size = size, .first = rt.next_id };
	rt.next_id += (uint32_t)size;
	__atomic_store_n(&rt.object_count, rt.object_count + 1, __ATOMIC_RELEASE);
	return object;
}

static int visit_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct visit *visit = arg;
	const char *path = *info->dlpi_name ? info->dlpi_name : visit->path;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;
		struct rt_object *object;
		bool is_new;

		if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
			continue;
		object = find(start, segment->p_memsz);
		is_new = !object;
		if (is_new)
			object = add(start, segment->p_memsz);
		if (object && (is_new || visit->write_all))
			write_line(object, segment->p_vaddr, path);
	}
	return 0;
}

static void visit_objects(bool write_all)
{
	struct visit visit = { .write_all = write_all };
	ssize_t length = readlink("/proc/self/exe", visit.path, sizeof(visit.path) - 1);

	visit.path[length > 0 ? length : 0] = '\0';
	dl_iterate_phdr(visit_object, &visit);
}

void rt_objects_write_all(void)
{
	visit_objects(true);
}

/* ---- finding ---- */

/* Objects are gone when the loader does not have them any more. */
struct presence {
	const struct rt_object *object;
	bool there;
};

static int is_there(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct presence *presence = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		presence->there |=
			info->dlpi_phdr[i].p_type == PT_LOAD &&
			info->dlpi_addr + info->dlpi_phdr[i].p_vaddr == presence->object->start;
	return presence->there;
}

static void drop_gone(void)
{
	static uint32_t dropped; /* the generation that this was done for */

	if (dropped == rt.generation)
		return;
	dropped = rt.generation;
	for (uint32_t i = 0; i < rt.object_count; i++) {
		struct presence presence = { .object = &rt.objects[i] };

		if (!rt.objects[i].gone)
			dl_iterate_phdr(is_there, &presence);
		rt.objects[i].gone |= !presence.there;
	}
}

static const struct rt_object *search(uintptr_t address)
{
	for (uint32_t i = rt.object_count; i--;)
		if (!rt.objects[i].gone && address - rt.objects[i].start < rt.objects[i].size)
			return &rt.objects[i];
	return NULL;
}

const struct rt_object *rt_object_of(uintptr_t address)
{
	const struct rt_object *object;

	drop_gone();
	object = search(address);
	if (object)
		return object;
	visit_objects(false);
	return search(address);
}
