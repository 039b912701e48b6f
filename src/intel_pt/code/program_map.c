/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps of saved pages: the addresses of the bytes of an .img, and the files they had been loaded
 * from.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/file.h"
#include "core/text/optional.h"
#include "intel_pt/code/program_mappings.h"
#include "symbols/elf/elf_file.h"

enum { MAX_LINE = 4096 + 128, CHUNK = 1 << 20 };

/* A file that pages were loaded from, opened once for all of its lines. */
struct origin {
	const char *name; /* as in the map */
	char *path;       /* NULL: there is no such file */
	struct tl_pt_bytes bytes;
	struct tl_elf elf;
	bool is_elf;
	char *why; /* why it gives no names; NULL: it does, or no file is expected */
};

struct map {
	struct tl_pt_program *program;
	const char *path, *sysroot;
	struct tl_pt_bytes image;
	struct origin *origins;
	size_t origin_count, origin_capacity;
	struct tl_pt_mapping
		*mappings; /* of the lines, until all origins have been compared with the image */
	uint64_t *image_offsets;
	uint32_t *of; /* origin of each; TL_NONE: it is not code of its origin */
	size_t count, mapping_capacity, offset_capacity, of_capacity;
};

static const char *const packings[] = { "", ".zst", ".gz", ".xz", ".lz4" };

/*
 * The path of NAME.img, compressed or not, beside NAME.map; NULL: there is none. False: no memory.
 */
static bool find_image(const char *map, char **path)
{
	size_t length = strlen(map);

	*path = NULL;
	if (length > 4 && !strcmp(map + length - 4, ".map"))
		length -= 4;
	for (size_t i = 0; !*path && i < sizeof(packings) / sizeof(packings[0]); i++) {
		if (asprintf(path, "%.*s.img%s", (int)length, map, packings[i]) < 0) {
			*path = NULL;
			return false;
		}
		if (access(*path, R_OK)) {
			free(*path);
			*path = NULL;
		}
	}
	return true;
}

int tl_pt_program_find_map(const char *trace, char **map, struct tl_error *err)
{
	const char *name = tl_file_base_name(trace);
	const char *dot = *name ? strchr(name + 1, '.') : NULL;
	char *image = NULL;

	*map = NULL;
	if (!dot)
		return 0;
	if (asprintf(map, "%.*s.map", (int)(dot - trace), trace) < 0) {
		*map = NULL;
		return tl_error_memory(err);
	}
	if (!access(*map, R_OK) && !find_image(*map, &image)) {
		free(*map);
		*map = NULL;
		return tl_error_memory(err);
	}
	if (!image) {
		free(*map);
		*map = NULL;
	}
	free(image);
	return 0;
}

/* ---- origins ---- */

/* A relative name is a file beside the map. False: no memory. */
static bool find_origin(const struct map *m, struct origin *origin)
{
	const char *slash = strrchr(m->path, '/');
	int made;

	if (origin->name[0] == '[' || !strcmp(origin->name, "?"))
		return true;
	if (origin->name[0] != '/')
		made = asprintf(&origin->path, "%.*s%s", slash ? (int)(slash + 1 - m->path) : 0,
				m->path, origin->name);
	else
		made = asprintf(&origin->path, "%s%s", tl_text_or_empty(m->sysroot), origin->name);
	if (made < 0) {
		origin->path = NULL;
		return false;
	}
	return true;
}

/* Set the reason why an origin gives no names; the first reason stays. */
static int set_why(struct origin *origin, const char *what, int number, struct tl_error *err)
{
	if (!origin->why &&
	    asprintf(&origin->why, "%s%s%s", what, tl_text_if(number && *what, ": "),
		     number ? strerror(number) : "") < 0) {
		origin->why = NULL;
		return tl_error_memory(err);
	}
	return 0;
}

/* A file that cannot be opened or read, or that is not ELF, gives no names. */
static int read_origin(struct map *m, struct origin *origin, struct tl_error *err)
{
	struct tl_error why = { .status = TL_OK };
	int fd = tl_file_open_named(origin->path);

	if (fd < 0 && errno == EPERM)
		return set_why(origin,
			       "it is another user's, or no regular file: give a copy of your own "
			       "below --sysroot",
			       0, err);
	if (fd < 0)
		return set_why(origin, "", errno, err);
	close(fd);
	origin->is_elf = tl_elf_open(&origin->elf, origin->path, &why) == 0;
	if (origin->is_elf)
		tl_pt_program_map_file(m->program, origin->path, &origin->bytes, &why);
	if (why.status == TL_NO_MEMORY)
		return tl_error_memory(err);
	if (why.status == TL_OK)
		return 0;
	return set_why(origin, why.text, why.sys_errno, err);
}

static int open_origin(struct map *m, const char *name, uint32_t *number, struct tl_error *err)
{
	struct origin *origin;

	for (size_t i = 0; i < m->origin_count; i++)
		if (!strcmp(m->origins[i].name, name)) {
			*number = (uint32_t)i;
			return 0;
		}
	if (!tl_grow(&m->origins, &m->origin_capacity, m->origin_count + 1, sizeof(*m->origins)))
		return tl_error_memory(err);
	origin = &m->origins[m->origin_count];
	*origin = (struct origin){ .name = tl_names_text(&m->program->names, name) };
	if (!origin->name || !find_origin(m, origin))
		return tl_error_memory(err);
	*number = (uint32_t)m->origin_count++;
	if (!origin->path)
		return 0;
	return read_origin(m, origin, err);
}

/*
 * Code in bytes [from, to) of a file, and the difference between its addresses and those of the
 * file.
 */
struct code {
	uint64_t from, to, bias;
};

/*
 * Find the first code among bytes [offset, end), the first of which is at `address`. False: none.
 */
static bool next_code(const struct origin *origin, uint64_t offset, uint64_t end, uint64_t address,
		      struct code *code)
{
	*code = (struct code){ .from = end };
	for (uint32_t i = 0; origin->is_elf && i < origin->elf.segment_count; i++) {
		const struct tl_elf_segment segment = tl_elf_segment_at(&origin->elf, i);
		uint64_t from, to;

		if (segment.type != PT_LOAD || !(segment.flags & PF_X) ||
		    segment.file_size > UINT64_MAX - segment.offset)
			continue;
		/* The loader maps whole pages, so also some bytes before the segment. */
		from = segment.offset & ~(uint64_t)0xfff;
		from = tl_max(from, offset);
		to = segment.offset + segment.file_size;
		to = tl_min(to, end);
		if (from < to && from < code->from)
			*code = (struct code){
				from, to, address + (segment.offset - offset) - segment.address
			};
	}
	return code->from < end;
}

static void free_origins(struct map *m)
{
	for (size_t i = 0; i < m->origin_count; i++) {
		if (m->origins[i].is_elf)
			tl_elf_close(&m->origins[i].elf);
		free(m->origins[i].path);
		free(m->origins[i].why);
	}
	free(m->origins);
}

/* ---- lines ---- */

/*
 * Compare the bytes: another build of a file has other code, and other names at these addresses.
 * The memory is released, since little of the code was executed.
 */
static bool is_same(struct origin *origin, uint64_t offset, const struct tl_pt_bytes *image,
		    uint64_t at, uint64_t size)
{
	const struct tl_pt_bytes *bytes = &origin->bytes;
	bool same = bytes->data && offset < bytes->size;

	if (same && size > bytes->size - offset)
		size = bytes->size - offset;
	for (uint64_t done = 0, chunk; done < size && same; done += chunk) {
		chunk = tl_min(size - done, CHUNK);
		same = !memcmp(bytes->data + offset + done, image->data + at + done, (size_t)chunk);
		tl_source_release(bytes->source, offset + done, chunk);
		tl_source_release(image->source, at + done, chunk);
	}
	return same;
}

static int add_line(struct map *m, const struct tl_pt_mapping *mapping, uint64_t image_offset,
		    uint32_t origin, struct tl_error *err)
{
	if (!tl_grow(&m->mappings, &m->mapping_capacity, m->count + 1, sizeof(*m->mappings)) ||
	    !tl_grow(&m->image_offsets, &m->offset_capacity, m->count + 1,
		     sizeof(*m->image_offsets)) ||
	    !tl_grow(&m->of, &m->of_capacity, m->count + 1, sizeof(*m->of)))
		return tl_error_memory(err);
	m->mappings[m->count] = *mapping;
	m->image_offsets[m->count] = image_offset;
	m->of[m->count++] = origin;
	return 0;
}

/* A line of the map: `size` bytes of the image, at an address and in an origin. */
struct line {
	uint64_t address, size, image_offset, origin_offset;
	char name[MAX_LINE];
};

static int parse_line(const struct map *m, const char *text, uint64_t offset, struct line *line,
		      struct tl_error *err)
{
	if (sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %4095s %" SCNx64, &line->address,
		   &line->size, &line->image_offset, line->name, &line->origin_offset) != 5)
		return tl_error_at(err, TL_BAD_RECORD, offset,
				   "a line of a map is: vaddr size img_off origin origin_off");
	if (line->image_offset > m->image.size || line->size > m->image.size - line->image_offset)
		return tl_error_at(err, TL_BAD_SIZE, offset,
				   "the map names bytes that the .img does not have");
	if (line->size > UINT64_MAX - line->address ||
	    line->size > UINT64_MAX - line->origin_offset)
		return tl_error_at(err, TL_BAD_SIZE, offset,
				   "the bytes reach past the end of all addresses");
	return 0;
}

/* Add bytes [from, to) of the origin, at their addresses in the line. */
static int add_bytes(struct map *m, const struct line *line, uint64_t from, uint64_t to,
		     uint64_t bias, uint32_t number, uint32_t of, struct tl_error *err)
{
	const char *name = m->origins[number].name;
	uint64_t skipped = from - line->origin_offset;
	struct tl_pt_mapping mapping = {
		.start = line->address + skipped,
		.end = line->address + (to - line->origin_offset),
		.offset = from,
		.bias = bias,
		.object = strcmp(name, "?") ? name : "",
	};

	if (from < to)
		return add_line(m, &mapping, line->image_offset + skipped, of, err);
	return 0;
}

/* Divide the bytes of a line into code of its origin and other bytes. */
static int divide_line(struct map *m, const struct line *line, uint32_t number,
		       struct tl_error *err)
{
	uint64_t at = line->origin_offset, end = at + line->size;
	struct origin *origin = &m->origins[number];
	struct code code;
	int status = 0;

	while (status == 0 &&
	       next_code(origin, at, end, line->address + (at - line->origin_offset), &code)) {
		uint64_t image = line->image_offset + (code.from - line->origin_offset);

		if (!is_same(origin, code.from, &m->image, image, code.to - code.from))
			status = set_why(origin, "its bytes are not those that ran", 0, err);
		if (status == 0)
			status = add_bytes(m, line, at, code.from, 0, number, TL_NONE, err);
		if (status == 0)
			status = add_bytes(m, line, code.from, code.to, code.bias, number, number,
					   err);
		at = code.to;
	}
	if (status == 0)
		status = add_bytes(m, line, at, end, 0, number, origin->is_elf ? TL_NONE : number,
				   err);
	return status;
}

static int read_line(struct map *m, const char *text, uint64_t offset, struct tl_error *err)
{
	struct line line;
	uint32_t number = 0;
	int status;

	if (*text == '#' || !text[strspn(text, " \t\r")])
		return 0;
	status = parse_line(m, text, offset, &line, err);
	if (status == 0)
		status = open_origin(m, line.name, &number, err);
	if (status != 0)
		return status;
	return divide_line(m, &line, number, err);
}

static int read_lines(struct map *m, const uint8_t *text, size_t size, struct tl_error *err)
{
	size_t at = 0;
	int status = 0;

	while (status == 0 && at < size) {
		const uint8_t *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - (text + at)) : size - at;
		char line[MAX_LINE];

		if (length >= sizeof(line))
			return tl_error_at(err, TL_BAD_RECORD, at, "a line of the map is too long");
		memcpy(line, text + at, length);
		line[length] = '\0';
		status = read_line(m, line, at, err);
		at += length + 1;
	}
	return status;
}

static int add_parts(struct map *m, struct tl_error *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < m->count; i++) {
		const struct origin *origin = m->of[i] == TL_NONE ? NULL : &m->origins[m->of[i]];

		if (origin && origin->is_elf && !origin->why)
			m->mappings[i].file = origin->path;
		if (origin)
			m->mappings[i].nameless = origin->why;
		status = tl_pt_program_add_mapping(m->program, &m->mappings[i],
						   m->image.data + m->image_offsets[i], err);
	}
	return status;
}

/* ---- the whole map ---- */

static int add_map(struct map *m, struct tl_error *err)
{
	char *image;
	struct tl_pt_bytes text;
	int status;

	if (!find_image(m->path, &image))
		return tl_error_memory(err);
	if (!image)
		return tl_error_at(err, TL_IO, TL_NOWHERE, "there is no .img beside the .map");
	status = tl_pt_program_map_file(m->program, image, &m->image, err);
	free(image);
	if (status == 0)
		status = tl_pt_program_map_file(m->program, m->path, &text, err);
	if (status == 0)
		status = read_lines(m, text.data, text.size, err);
	if (status != 0)
		return status;
	return add_parts(m, err);
}

int tl_pt_program_add_map(struct tl_pt_program *program, const char *path, const char *sysroot,
			  struct tl_error *err)
{
	struct map m = { .program = program, .path = path, .sysroot = sysroot };
	int status = add_map(&m, err);

	free_origins(&m);
	free(m.mappings);
	free(m.image_offsets);
	free(m.of);
	return status;
}
