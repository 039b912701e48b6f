/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/code/section.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/file.h"

static void map_file(struct tl_pt_section *section, int fd)
{
	uint64_t before = section->offset & ((uint64_t)sysconf(_SC_PAGESIZE) - 1);
	size_t size = (size_t)(before + section->size);
	void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, (off_t)(section->offset - before));

	if (map == MAP_FAILED)
		return;
	section->map = map;
	section->map_size = size;
	section->data = (const uint8_t *)map + before;
}

/* The number of bytes behind `offset`; 0 if it is not a regular file. */
static uint64_t bytes_behind(int fd, uint64_t offset)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || offset >= (uint64_t)st.st_size)
		return 0;
	return (uint64_t)st.st_size - offset;
}

static struct tl_pt_section *make(const char *path, uint64_t offset, uint64_t size)
{
	struct tl_pt_section *section = calloc(1, sizeof(*section));

	if (!section)
		return NULL;
	atomic_init(&section->users, 1);
	section->offset = offset;
	section->size = size;
	section->path = path ? strdup(path) : NULL;
	if (!path || section->path)
		return section;
	free(section);
	return NULL;
}

int tl_pt_section_open(struct tl_pt_section **section, const char *path, uint64_t offset,
		       uint64_t size, bool map)
{
	/* The path may name a pipe or a device: opening must not wait for a writer. */
	int fd = tl_file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	uint64_t there = fd < 0 ? 0 : bytes_behind(fd, offset);

	*section = NULL;
	if (there)
		*section = make(path, offset, tl_min(size, there));
	if (*section && map && size)
		map_file(*section, fd);
	if (fd >= 0)
		close(fd);
	if (*section)
		return 0;
	return there ? -TL_PT_NOMEM : -TL_PT_INVALID;
}

struct tl_pt_section *tl_pt_section_over(const uint8_t *data, size_t size)
{
	struct tl_pt_section *section = make(NULL, 0, size);

	if (section)
		section->data = data;
	return section;
}

void tl_pt_section_share(struct tl_pt_section *section)
{
	atomic_fetch_add(&section->users, 1);
}

void tl_pt_section_drop(struct tl_pt_section *section)
{
	if (!section || atomic_fetch_sub(&section->users, 1) > 1)
		return;
	tl_pt_section_unmap(section);
	free(section->path);
	free(section);
}

void tl_pt_section_map(struct tl_pt_section *section)
{
	int fd;

	if (section->data || !section->size)
		return;
	fd = tl_file_open(section->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return;
	if (bytes_behind(fd, section->offset) >= section->size)
		map_file(section, fd);
	close(fd);
}

void tl_pt_section_unmap(struct tl_pt_section *section)
{
	if (!section->map)
		return;
	munmap(section->map, section->map_size);
	section->map = NULL;
	section->data = NULL;
}

size_t tl_pt_section_read(const struct tl_pt_section *section, uint64_t at, uint8_t *buffer,
			  size_t size)
{
	uint64_t left = section->size - at;
	size_t take = size < left ? size : (size_t)left;
	ssize_t got;
	int fd;

	if (section->data) {
		memcpy(buffer, section->data + at, take);
		return take;
	}
	fd = tl_file_open(section->path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	if (fd < 0)
		return 0;
	got = tl_file_read_at(fd, buffer, take, (off_t)(section->offset + at));
	close(fd);
	return got > 0 ? (size_t)got : 0;
}
