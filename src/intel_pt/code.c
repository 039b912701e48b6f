/* SPDX-License-Identifier: Apache-2.0 */
#include "intel_pt/code.h"

#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "intel_pt/code_part.h"
#include "symbols/elf_file.h"

int tl_pt_code_open(struct tl_pt_code **code, struct tl_error *err)
{
	*code = calloc(1, sizeof(**code));
	if (!*code)
		return tl_error_memory(err);
	(*code)->image = tl_pt_image_open(NULL);
	if ((*code)->image)
		return 0;
	tl_pt_code_close(*code);
	*code = NULL;
	return tl_error_memory(err);
}

void tl_pt_code_close(struct tl_pt_code *code)
{
	if (!code)
		return;
	tl_pt_image_close(code->image);
	for (size_t i = 0; i < code->source_count; i++)
		tl_source_close(code->sources[i]);
	free(code->sources);
	free(code->parts);
	tl_intervals_free(&code->index);
	tl_names_free(&code->names);
	free(code);
}

struct tl_pt_image *tl_pt_code_image(const struct tl_pt_code *code)
{
	return code->image;
}

bool tl_pt_code_is_empty(const struct tl_pt_code *code)
{
	return !code->part_count;
}

/* ---- parts ---- */

int tl_pt_code_map_file(struct tl_pt_code *code, const char *path, const uint8_t **data, size_t *size,
			struct tl_error *err)
{
	struct tl_source *source = NULL;
	int status;

	if (!tl_grow(&code->sources, &code->source_capacity, code->source_count + 1, sizeof(struct tl_source *)))
		return tl_error_memory(err);
	status = tl_source_open(&source, path, NULL, err);
	if (status == 0)
		status = tl_source_map(source, data, size, err);
	if (status < 0)
		tl_source_close(source);
	else
		code->sources[code->source_count++] = source;
	return status;
}

int tl_pt_code_add_part(struct tl_pt_code *code, const struct tl_pt_place *place, const uint8_t *bytes,
			struct tl_error *err)
{
	struct tl_pt_place *part;
	int status;

	if (place->start >= place->end)
		return 0;
	if (!tl_grow(&code->parts, &code->part_capacity, code->part_count + 1, sizeof(*code->parts)))
		return tl_error_memory(err);
	part = &code->parts[code->part_count];
	*part = *place;
	part->object = tl_names_text(&code->names, place->object);
	part->file = place->file ? tl_names_text(&code->names, place->file) : NULL;
	if (!part->object || (place->file && !part->file))
		return tl_error_memory(err);
	status = tl_pt_image_add_memory(code->image, bytes, (size_t)(place->end - place->start), NULL, place->start, 0);
	if (status < 0)
		return tl_pt_fault(err, (enum tl_pt_error)-status, TL_NOWHERE);
	code->part_count++;
	code->indexed = false;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct tl_interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static bool index_parts(struct tl_pt_code *code)
{
	struct tl_interval *items = calloc(code->part_count + 1, sizeof(*items));
	bool ok;

	if (!items)
		return false;
	for (size_t i = 0; i < code->part_count; i++)
		items[i] = (struct tl_interval){ code->parts[i].start, code->parts[i].end, (uint32_t)i };
	qsort(items, code->part_count, sizeof(*items), by_start);
	tl_intervals_free(&code->index);
	code->index = (struct tl_intervals){ 0 };
	ok = tl_intervals_build(&code->index, items, code->part_count);
	free(items);
	code->indexed = ok;
	return ok;
}

bool tl_pt_code_place(struct tl_pt_code *code, uint64_t ip, struct tl_pt_place *place)
{
	uint32_t number;

	if (!code->indexed && !index_parts(code))
		return false;
	number = tl_intervals_find(&code->index, ip);
	if (number == TL_NONE)
		return false;
	*place = code->parts[number];
	return true;
}

/* ---- ELF files ---- */

/* One load segment, as much of it as the file has. */
static int add_segment(struct tl_pt_code *code, const char *path, uint64_t address, const GElf_Phdr *segment,
		       const uint8_t *data, size_t size, struct tl_error *err)
{
	uint64_t bytes = segment->p_filesz;
	struct tl_pt_place place = {
		.object = path, .file = path, .bias = address, .start = segment->p_vaddr + address,
		.offset = segment->p_offset,
	};

	if (segment->p_type != PT_LOAD || segment->p_offset >= size)
		return 0;
	if (bytes > size - segment->p_offset)
		bytes = size - segment->p_offset;
	if (bytes > UINT64_MAX - place.start)
		return tl_error_at(err, TL_BAD_SIZE, TL_NOWHERE, "a load segment reaches past the end of all addresses");
	place.end = place.start + bytes;
	return tl_pt_code_add_part(code, &place, data + segment->p_offset, err);
}

static int add_segments(struct tl_pt_code *code, const char *path, uint64_t address, const struct tl_elf *elf,
			struct tl_error *err)
{
	const uint8_t *data;
	size_t size, count, before = code->part_count;
	int status = tl_pt_code_map_file(code, path, &data, &size, err);

	if (status == 0 && elf_getphdrnum(elf->elf, &count))
		count = 0;
	for (size_t i = 0; status == 0 && i < count; i++) {
		GElf_Phdr segment;

		if (gelf_getphdr(elf->elf, (int)i, &segment))
			status = add_segment(code, path, address, &segment, data, size, err);
	}
	if (status == 0 && code->part_count == before)
		status = tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE, "the file has no load segments, so no code");
	return status;
}

int tl_pt_code_add_elf(struct tl_pt_code *code, const char *path, uint64_t address, struct tl_error *err)
{
	struct tl_elf elf;
	int status = tl_elf_open(&elf, path, err);

	if (status < 0)
		return status;
	status = add_segments(code, path, address, &elf, err);
	tl_elf_close(&elf);
	return status;
}

/* ---- raw bytes ---- */

int tl_pt_code_add_raw(struct tl_pt_code *code, const char *path, uint64_t offset, uint64_t end, uint64_t address,
		       struct tl_error *err)
{
	struct tl_pt_place place = { .object = path, .start = address, .offset = offset };
	const uint8_t *data;
	size_t size;
	int status = tl_pt_code_map_file(code, path, &data, &size, err);

	if (status < 0)
		return status;
	if (!end || end > size)
		end = size;
	if (offset >= end)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "there are no such bytes in the file");
	if (end - offset > UINT64_MAX - address)
		return tl_error_at(err, TL_BAD_USAGE, TL_NOWHERE, "the bytes reach past the end of all addresses");
	place.end = address + (end - offset);
	return tl_pt_code_add_part(code, &place, data + offset, err);
}
