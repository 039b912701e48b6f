/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/code/program.h"

#include <stdlib.h>
#include <string.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/code/program_mappings.h"
#include "symbols/elf/elf_file.h"

int tl_pt_program_open(struct tl_pt_program **program, struct tl_error *err)
{
	*program = calloc(1, sizeof(**program));
	if (!*program)
		return tl_error_memory(err);
	(*program)->image = tl_pt_image_open(NULL);
	if ((*program)->image)
		return 0;
	tl_pt_program_close(*program);
	*program = NULL;
	return tl_error_memory(err);
}

void tl_pt_program_close(struct tl_pt_program *program)
{
	if (!program)
		return;
	tl_pt_image_close(program->image);
	for (size_t i = 0; i < program->source_count; i++)
		tl_source_close(program->sources[i]);
	free(program->sources);
	free(program->parts);
	free(program->given);
	tl_intervals_free(&program->index);
	tl_names_free(&program->names);
	free(program);
}

void tl_pt_program_release(struct tl_pt_program *program)
{
	for (size_t i = 0; i < program->source_count; i++)
		tl_source_release(program->sources[i], 0, UINT64_MAX);
}

struct tl_pt_image *tl_pt_program_image(const struct tl_pt_program *program)
{
	return program->image;
}

bool tl_pt_program_is_empty(const struct tl_pt_program *program)
{
	return !program->part_count;
}

/* ---- mappings ---- */

int tl_pt_program_map_file(struct tl_pt_program *program, const char *path,
			   struct tl_pt_bytes *bytes, struct tl_error *err)
{
	struct tl_source *source = NULL;
	int status;

	if (!tl_grow(&program->sources, &program->source_capacity, program->source_count + 1,
		     sizeof(struct tl_source *)))
		return tl_error_memory(err);
	status = tl_source_open(&source, path, NULL, err);
	if (status == 0)
		status = tl_source_map(source, &bytes->data, &bytes->size, err);
	if (status < 0) {
		tl_source_close(source);
		return status;
	}
	bytes->source = source;
	program->sources[program->source_count++] = source;
	return 0;
}

int tl_pt_program_add_mapping(struct tl_pt_program *program, const struct tl_pt_mapping *mapping,
			      const uint8_t *bytes, struct tl_error *err)
{
	struct tl_pt_mapping *part;
	int status;

	if (mapping->start >= mapping->end)
		return 0;
	if (!tl_grow(&program->parts, &program->part_capacity, program->part_count + 1,
		     sizeof(*program->parts)))
		return tl_error_memory(err);
	part = &program->parts[program->part_count];
	*part = *mapping;
	part->object = tl_names_text(&program->names, mapping->object);
	part->file = mapping->file ? tl_names_text(&program->names, mapping->file) : NULL;
	part->nameless =
		mapping->nameless ? tl_names_text(&program->names, mapping->nameless) : NULL;
	if (!part->object || (mapping->file && !part->file) ||
	    (mapping->nameless && !part->nameless))
		return tl_error_memory(err);
	status = tl_pt_image_add_memory(program->image, bytes,
					(size_t)(mapping->end - mapping->start), NULL,
					mapping->start, 0);
	if (status < 0)
		return tl_pt_fault(err, (enum tl_pt_error) - status, TL_NOWHERE);
	program->part_count++;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct tl_interval *x = a, *y = b;

	if (x->start != y->start)
		return tl_compare(x->start, y->start);
	return tl_compare(x->number, y->number);
}

int tl_pt_program_index(struct tl_pt_program *program, struct tl_error *err)
{
	struct tl_interval *items = calloc(program->part_count + 1, sizeof(*items));
	bool ok;

	if (!items)
		return tl_error_memory(err);
	for (size_t i = 0; i < program->part_count; i++)
		items[i] = (struct tl_interval){ program->parts[i].start, program->parts[i].end,
						 (uint32_t)i };
	qsort(items, program->part_count, sizeof(*items), by_start);
	tl_intervals_free(&program->index);
	program->index = (struct tl_intervals){ 0 };
	ok = tl_intervals_build(&program->index, items, program->part_count);
	free(items);
	if (!ok)
		return tl_error_memory(err);
	return 0;
}

bool tl_pt_program_mapping(struct tl_pt_program *program, uint64_t ip,
			   struct tl_pt_mapping *mapping)
{
	uint32_t number;

	number = tl_intervals_find(&program->index, ip);
	if (number == TL_NONE)
		return false;
	*mapping = program->parts[number];
	for (size_t i = 0; i < program->given_count; i++)
		program->given[i].used |=
			number >= program->given[i].first && number < program->given[i].end;
	return true;
}

const char *tl_pt_program_unused(const struct tl_pt_program *program, size_t number)
{
	for (size_t i = 0; i < program->given_count; i++)
		if (!program->given[i].used && !number--)
			return program->given[i].path;
	return NULL;
}

/* ---- ELF files ---- */

/* Add one load segment, as far as the file has its bytes. */
static int add_segment(struct tl_pt_program *program, const char *path, uint64_t address,
		       const struct tl_elf_segment *segment, const struct tl_pt_bytes *file,
		       struct tl_error *err)
{
	uint64_t bytes = segment->file_size;
	struct tl_pt_mapping mapping = {
		.object = path,
		.file = path,
		.bias = address,
		.start = segment->address + address,
		.offset = segment->offset,
	};

	if (segment->type != PT_LOAD || segment->offset >= file->size)
		return 0;
	if (bytes > file->size - segment->offset)
		bytes = file->size - segment->offset;
	if (bytes > UINT64_MAX - mapping.start)
		return tl_error_at(err, TL_BAD_SIZE, TL_NOWHERE,
				   "a load segment reaches past the end of all addresses");
	mapping.end = mapping.start + bytes;
	return tl_pt_program_add_mapping(program, &mapping, file->data + segment->offset, err);
}

static int add_segments(struct tl_pt_program *program, const char *path, uint64_t address,
			const struct tl_elf *elf, struct tl_error *err)
{
	struct tl_pt_bytes file;
	size_t before = program->part_count;
	int status = tl_pt_program_map_file(program, path, &file, err);

	for (uint32_t i = 0; status == 0 && i < elf->segment_count; i++) {
		const struct tl_elf_segment segment = tl_elf_segment_at(elf, i);

		status = add_segment(program, path, address, &segment, &file, err);
	}
	if (status == 0 && program->part_count == before)
		status = tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE,
				     "the file has no load segments, so no code");
	return status;
}

int tl_pt_program_add_elf(struct tl_pt_program *program, const char *path, uint64_t address,
			  struct tl_error *err)
{
	struct tl_pt_given given = { .first = program->part_count };
	struct tl_elf elf;
	int status = tl_elf_open(&elf, path, err);

	if (status < 0)
		return status;
	status = add_segments(program, path, address, &elf, err);
	tl_elf_close(&elf);
	given.end = program->part_count;
	given.path = tl_names_text(&program->names, path);
	if (status < 0)
		return status;
	if (!given.path || !tl_grow(&program->given, &program->given_capacity,
				    program->given_count + 1, sizeof(given)))
		return tl_error_memory(err);
	program->given[program->given_count++] = given;
	return 0;
}

/* ---- raw bytes ---- */

int tl_pt_program_add_raw(struct tl_pt_program *program, const char *path, uint64_t offset,
			  uint64_t end, uint64_t address, struct tl_error *err)
{
	struct tl_pt_mapping mapping = { .object = path, .start = address, .offset = offset };
	struct tl_pt_bytes file;
	int status = tl_pt_program_map_file(program, path, &file, err);

	if (status < 0)
		return status;
	if (!end || end > file.size)
		end = file.size;
	if (offset >= end)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "there are no such bytes in the file");
	if (end - offset > UINT64_MAX - address)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE,
				   "the bytes reach past the end of all addresses");
	mapping.end = address + (end - offset);
	return tl_pt_program_add_mapping(program, &mapping, file.data + offset, err);
}
