/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code that ran: pages as they were when control first came to them, and the very bytes of each
 * instruction. Written as an image and a map of it: "vaddr size image_offset origin origin_offset",
 * numbers in hexadecimal.
 */
#include "recorder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PAGE = 4096 };

struct page {
	uint64_t address;
	uint8_t bytes[PAGE];
	uint8_t ran[PAGE / 8]; /* a bit a byte: it was executed */
	struct origin {
		char *path;
		uint64_t first, end, offset; /* the mapping */
	} origin;
};

struct image {
	int memory; /* /proc/PID/mem */
	char maps[64];
	struct page **pages; /* by address */
	size_t count, capacity;
	uint64_t changed;
};

struct image *image_open(pid_t pid)
{
	struct image *image = calloc(1, sizeof(*image));
	char path[64];

	if (!image)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	snprintf(image->maps, sizeof(image->maps), "/proc/%d/maps", (int)pid);
	image->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (image->memory < 0) {
		free(image);
		return NULL;
	}
	return image;
}

void image_close(struct image *image)
{
	for (size_t i = 0; image && i < image->count; i++) {
		free(image->pages[i]->origin.path);
		free(image->pages[i]);
	}
	if (!image)
		return;
	close(image->memory);
	free(image->pages);
	free(image);
}

/* Which mapping is this in, and of what file? */
static void find_origin(const struct image *image, uint64_t address, struct origin *origin)
{
	FILE *file = fopen(image->maps, "r");
	char line[4096];

	*origin = (struct origin){ .first = address, .end = address + PAGE };
	while (file && fgets(line, sizeof(line), file)) {
		uint64_t first, end, offset;
		int path = 0;

		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &first, &end,
			   &offset, &path) < 3 ||
		    address < first || address >= end)
			continue;
		*origin = (struct origin){ strdup(path && line[path] ? line + path : "[anon]"),
					   first, end, offset };
		break;
	}
	if (file)
		fclose(file);
}

/* Where a page is or belongs in the array. */
static size_t place(const struct image *image, uint64_t address)
{
	size_t low = 0, high = image->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (image->pages[middle]->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct page *page_at(struct image *image, uint64_t address)
{
	uint64_t start = address - address % PAGE;
	size_t at = place(image, start);
	struct page *page;

	if (at < image->count && image->pages[at]->address == start)
		return image->pages[at];
	if (image->count == image->capacity) {
		size_t capacity = image->capacity * 2 + 64;
		struct page **pages = realloc(image->pages, capacity * sizeof(*pages));

		if (!pages)
			return NULL;
		image->pages = pages;
		image->capacity = capacity;
	}
	page = calloc(1, sizeof(*page));
	if (!page || pread(image->memory, page->bytes, PAGE, (off_t)start) != PAGE) {
		free(page);
		return NULL;
	}
	page->address = start;
	find_origin(image, start, &page->origin);
	memmove(&image->pages[at + 1], &image->pages[at],
		(image->count - at) * sizeof(*image->pages));
	image->pages[at] = page;
	image->count++;
	return page;
}

size_t image_fetch(struct image *image, uint64_t ip, uint8_t bytes[15])
{
	ssize_t count = pread(image->memory, bytes, 15, (off_t)ip);

	/* What is behind the end of a mapping makes the whole read fail. */
	if (count <= 0 && ip % PAGE > PAGE - 15)
		count = pread(image->memory, bytes, PAGE - ip % PAGE, (off_t)ip);
	return count > 0 ? (size_t)count : 0;
}

void image_ran(struct image *image, const struct insn *insn)
{
	struct page *page = NULL;

	for (unsigned i = 0; i < insn->size; i++) {
		size_t at = (insn->ip + i) % PAGE;
		uint8_t bit = (uint8_t)(1u << at % 8);

		if (!page || !at)
			page = page_at(image, insn->ip + i);
		if (!page)
			return;
		if (page->ran[at / 8] & bit && page->bytes[at] != insn->bytes[i])
			image->changed++;
		page->bytes[at] = insn->bytes[i];
		page->ran[at / 8] |= bit;
	}
}

uint64_t image_changed(const struct image *image)
{
	return image->changed;
}

static bool joins(const struct page *page, const struct page *next)
{
	return next->address == page->address + PAGE && next->address < page->origin.end;
}

static void write_files(const struct image *image, FILE *map, FILE *bytes)
{
	fprintf(map, "# vaddr size img_off origin_file origin_off (code pages that ran)\n");
	for (size_t i = 0, next; i < image->count; i = next) {
		const struct page *page = image->pages[i];
		const char *path = page->origin.path ? page->origin.path : "[unknown]";
		uint64_t offset = page->origin.offset + (page->address - page->origin.first);

		for (next = i + 1;
		     next < image->count && joins(image->pages[next - 1], image->pages[next]);)
			next++;
		fprintf(map, "%" PRIx64 " %zx %zx %s %" PRIx64 "\n", page->address,
			(next - i) * PAGE, i * PAGE, path, path[0] == '[' ? 0 : offset);
		for (size_t k = i; k < next; k++)
			fwrite(image->pages[k]->bytes, 1, PAGE, bytes);
	}
}

bool image_write(struct image *image, const char *map_path, const char *image_path)
{
	FILE *map = fopen(map_path, "w"), *bytes = fopen(image_path, "wb");
	bool good = map && bytes;

	if (good)
		write_files(image, map, bytes);
	if (map && fclose(map))
		good = false;
	if (bytes && fclose(bytes))
		good = false;
	return good;
}
