/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files are mapped where: looked up when code is met there first. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "emulator.h"

/* A line of /proc/self/maps; `path` is empty without a file that can be opened again. */
struct line {
	uint64_t start, end, offset;
	char path[PATH_BYTES];
};

static struct mapping *mappings;

static bool read_line(FILE *file, struct line *line)
{
	char text[PATH_BYTES + 128];
	int path = 0;

	if (!fgets(text, sizeof(text), file) ||
	    sscanf(text, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &line->start,
		   &line->end, &line->offset, &path) < 3)
		return false;
	line->path[0] = '\0';
	if (path && text[path] == '/')
		snprintf(line->path, sizeof(line->path), "%.*s", (int)strcspn(text + path, "\n"),
			 text + path);
	return true;
}

static bool find_line(struct line *line, uint64_t host)
{
	FILE *file = fopen("/proc/self/maps", "re");
	bool found = false;

	while (file && !found && read_line(file, line))
		found = host >= line->start && host < line->end;
	if (file)
		fclose(file);
	return found && line->path[0];
}

static const uint8_t *map_again(const struct line *line)
{
	int fd = open(line->path, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;

	if (fd >= 0) {
		bytes = mmap(NULL, line->end - line->start, PROT_READ, MAP_PRIVATE, fd,
			     (off_t)line->offset);
		close(fd);
	}
	return bytes == MAP_FAILED ? NULL : bytes;
}

static const struct mapping *add(const struct line *line)
{
	const uint8_t *bytes = map_again(line);
	struct mapping *mapping = bytes ? malloc(sizeof(*mapping)) : NULL;

	if (!mapping)
		return NULL;
	*mapping = (struct mapping){
		.start = line->start - process.bias,
		.end = line->end - process.bias,
		.bytes = bytes,
		.next = mappings,
	};
	mappings = mapping;
	event_add(TL_EMULATION_MAP, line->path, mapping->start, mapping->end - mapping->start,
		  line->offset);
	return mapping;
}

const struct mapping *maps_find(uint64_t ip, bool *is_new)
{
	const struct mapping *mapping = mappings;
	struct line line;

	*is_new = false;
	while (mapping && (ip < mapping->start || ip >= mapping->end))
		mapping = mapping->next;
	if (!mapping && find_line(&line, ip + process.bias)) {
		mapping = add(&line);
		*is_new = mapping != NULL;
	}
	return mapping;
}

/* A run-time compiler maps its jitdump file, so that recorders know of it. */
void maps_tell_dump(uint64_t ip)
{
	struct line line;
	const char *name;
	size_t size;

	if (!find_line(&line, ip + process.bias))
		return;
	name = strrchr(line.path, '/') + 1;
	size = strlen(name);
	if (size > 9 && !strncmp(name, "jit-", 4) && !strcmp(name + size - 5, ".dump"))
		event_add(TL_EMULATION_NAMES, line.path, 0, 0, 0);
}

void maps_forget(uint64_t ip, uint64_t size)
{
	for (struct mapping **at = &mappings; *at;) {
		struct mapping *mapping = *at;

		if (mapping->start >= ip + size || mapping->end <= ip) {
			at = &mapping->next;
			continue;
		}
		*at = mapping->next;
		munmap((void *)(uintptr_t)mapping->bytes, mapping->end - mapping->start);
		free(mapping);
	}
}
