/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/cfi/tables.h"

#include <stdlib.h>

#include "core/arithmetic.h"
#include "core/error.h"
#include "core/memory.h"
#include "symbols/dwarf/sections.h"
#include "symbols/elf/debug_file.h"

/* Where the FDE of a function is. */
struct fde_place {
	uint64_t start, offset;
};

/* One section. */
struct frames {
	struct tl_eh_table table; /* bad: there is none */
	struct tl_eh_table index; /* .eh_frame_hdr; bad: none that can be searched */
	uint8_t *expanded;        /* bytes of a compressed section, for free() */
	struct fde_place *places; /* all functions, in order, where there is no index */
	size_t count, capacity;
	bool listed;
};

enum { EH_FRAME, DEBUG_FRAME, DEBUG_FRAME_APART, SECTIONS };

struct tl_cfi {
	struct tl_elf file, debug; /* debug.data NULL: nothing apart */
	char *debug_path;
	bool is_borrowed; /* the bytes of `file` are the caller's */
	struct frames sections[SECTIONS];
};

/* ---- sections ---- */

static struct tl_eh_table no_table(void)
{
	return (struct tl_eh_table){ .bad = true };
}

static struct tl_eh_table table_over(const struct tl_elf *file, const uint8_t *data, size_t size,
				     uint64_t address)
{
	const struct tl_section section = { data, size, address };

	return data ? tl_eh_table_at(&section, address, !file->is_64bit) : no_table();
}

static struct tl_eh_table section_table(const struct tl_elf *file, const char *name)
{
	struct tl_elf_section section;
	const uint8_t *data = NULL;
	size_t size = 0;

	if (!tl_elf_section(file, name, &section))
		return no_table();
	data = tl_elf_bytes(file, &section, &size);
	return table_over(file, data, size, section.address);
}

/* From an address to the end of the segment that holds it, for files without section headers. */
static struct tl_eh_table segment_table(const struct tl_elf *file, uint64_t address)
{
	for (uint32_t i = 0; i < file->segment_count; i++) {
		const struct tl_elf_segment s = tl_elf_segment_at(file, i);
		const uint64_t skip = address - s.address;

		if (s.type != PT_LOAD || address < s.address || skip >= s.file_size ||
		    s.offset > file->size || s.file_size > file->size - s.offset)
			continue;
		return table_over(file, file->data + s.offset + skip, (size_t)(s.file_size - skip),
				  address);
	}
	return no_table();
}

/* .eh_frame_hdr by its segment; where .eh_frame begins is its first field. */
static void find_by_segment(struct frames *frames, const struct tl_elf *file)
{
	struct tl_eh_table header;
	unsigned encoding;

	for (uint32_t i = 0; i < file->segment_count; i++) {
		const struct tl_elf_segment s = tl_elf_segment_at(file, i);

		if (s.type != PT_GNU_EH_FRAME)
			continue;
		header = frames->index = segment_table(file, s.address);
		tl_eh_take(&header, 1);
		encoding = (unsigned)tl_eh_take(&header, 1);
		tl_eh_take(&header, 2);
		frames->table =
			segment_table(file, tl_eh_take_pointer(&header, encoding, header.address));
		return;
	}
}

static void open_eh_frame(struct frames *frames, const struct tl_elf *file)
{
	frames->table = section_table(file, ".eh_frame");
	frames->index = section_table(file, ".eh_frame_hdr");
	if (frames->table.bad && !file->section_count)
		find_by_segment(frames, file);
	if (!frames->index.bad && !tl_eh_is_index(&frames->index))
		frames->index = no_table();
}

/* False without memory. */
static bool expand(struct frames *frames, const struct tl_elf *file, const uint8_t *data,
		   size_t size, bool old)
{
	const char *text;
	int status = tl_dwarf_inflate(file, data, size, old, &frames->expanded, &size, &text);

	if (status)
		frames->expanded = NULL;
	frames->table = table_over(file, frames->expanded, size, 0);
	return status != TL_NO_MEMORY;
}

static bool open_debug_frame(struct frames *frames, const struct tl_elf *file)
{
	struct tl_elf_section section;
	const bool old = !tl_elf_section(file, ".debug_frame", &section);
	const uint8_t *data;
	size_t size = 0;
	bool opened = true;

	frames->table = frames->index = no_table();
	if (old && !tl_elf_section(file, ".zdebug_frame", &section))
		return true;
	data = tl_elf_bytes(file, &section, &size);
	if (data && (old || section.flags & SHF_COMPRESSED))
		opened = expand(frames, file, data, size, old);
	else
		frames->table = table_over(file, data, size, 0);
	frames->table.debug_frame = true;
	return opened;
}

/* ---- opening ---- */

static bool open_sections(struct tl_cfi *cfi)
{
	for (unsigned i = 0; i < SECTIONS; i++)
		cfi->sections[i].table = cfi->sections[i].index = no_table();
	if (cfi->file.is_big_endian)
		return true;
	open_eh_frame(&cfi->sections[EH_FRAME], &cfi->file);
	return open_debug_frame(&cfi->sections[DEBUG_FRAME], &cfi->file) &&
	       (!cfi->debug.data ||
		open_debug_frame(&cfi->sections[DEBUG_FRAME_APART], &cfi->debug));
}

static int open_files(struct tl_cfi *cfi, const char *path, const struct tl_debug_places *places,
		      struct tl_error *err)
{
	int status = tl_elf_open(&cfi->file, path, err);

	if (status)
		return status;
	if (tl_debug_file_open(&cfi->debug, &cfi->debug_path, &cfi->file, path, places) < 0 ||
	    !open_sections(cfi))
		return tl_error_memory(err);
	return 0;
}

static int finish(struct tl_cfi **cfi, struct tl_cfi *opened, int status, struct tl_error *err)
{
	if (status)
		tl_cfi_close(opened);
	else
		*cfi = opened;
	return tl_error_format(err, "elf", status);
}

int tl_cfi_open(struct tl_cfi **cfi, const char *path, const struct tl_debug_places *places,
		struct tl_error *err)
{
	struct tl_cfi *opened = calloc(1, sizeof(*opened));

	*cfi = NULL;
	if (!opened)
		return tl_error_memory(err);
	return finish(cfi, opened, open_files(opened, path, places, err), err);
}

int tl_cfi_open_memory(struct tl_cfi **cfi, const uint8_t *data, size_t size, struct tl_error *err)
{
	struct tl_cfi *opened = calloc(1, sizeof(*opened));
	int status;

	*cfi = NULL;
	if (!opened)
		return tl_error_memory(err);
	opened->is_borrowed = true;
	status = tl_elf_open_memory(&opened->file, data, size, err);
	if (status == 0 && !open_sections(opened))
		status = tl_error_memory(err);
	return finish(cfi, opened, status, err);
}

void tl_cfi_close(struct tl_cfi *cfi)
{
	if (!cfi)
		return;
	for (unsigned i = 0; i < SECTIONS; i++) {
		free(cfi->sections[i].expanded);
		free(cfi->sections[i].places);
	}
	tl_elf_close(&cfi->debug);
	if (!cfi->is_borrowed)
		tl_elf_close(&cfi->file);
	free(cfi->debug_path);
	free(cfi);
}

uint16_t tl_cfi_machine(const struct tl_cfi *cfi)
{
	return cfi->file.machine;
}

bool tl_cfi_is_entry(const struct tl_cfi *cfi, uint64_t address)
{
	/* Code that sets up the stack and calls two functions is not longer. */
	enum { ENTRY_AT = 24, ENTRY_CODE_BYTES = 128 };

	/* Opened files have a whole header. */
	return address - tl_elf_word(&cfi->file, cfi->file.data + ENTRY_AT) < ENTRY_CODE_BYTES;
}

/* ---- functions ---- */

static bool read_fde(const struct frames *frames, uint64_t offset, struct tl_eh_cie *cie,
		     struct tl_eh_fde *fde)
{
	struct tl_eh_table record;
	uint64_t common;

	return tl_eh_record_at(&frames->table, offset, &record) && tl_eh_is_fde(&record, &common) &&
	       tl_eh_read_cie(&frames->table, common, cie) && tl_eh_read_fde(&record, cie, fde);
}

static int by_start(const void *left, const void *right)
{
	const struct fde_place *a = left, *b = right;

	if (a->start != b->start)
		return tl_compare(a->start, b->start);
	return tl_compare(a->offset, b->offset);
}

/* List all functions of a section without an index. False without memory. */
static bool list_places(struct frames *frames)
{
	uint64_t offset = 0, common, known_at = UINT64_MAX;
	struct tl_eh_table record;
	struct tl_eh_cie cie = { .lsda = 0 };
	struct tl_eh_fde fde;
	bool known = false;

	for (; tl_eh_record_at(&frames->table, offset, &record);
	     offset = (uint64_t)(record.cur.end - record.cur.base)) {
		const struct fde_place place = { .offset = offset };

		if (!tl_eh_is_fde(&record, &common))
			continue;
		if (common != known_at)
			known = tl_eh_read_cie(&frames->table, common, &cie);
		known_at = common;
		if (!known || !tl_eh_read_fde(&record, &cie, &fde))
			continue;
		if (!tl_grow(&frames->places, &frames->capacity, frames->count + 1, sizeof(place)))
			return false;
		frames->places[frames->count++] = (struct fde_place){ fde.start, offset };
	}
	if (frames->count)
		qsort(frames->places, frames->count, sizeof(*frames->places), by_start);
	return true;
}

static bool find_place(const struct frames *frames, uint64_t address, uint64_t *offset)
{
	size_t low = 0, high = frames->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (frames->places[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	*offset = frames->places[low - 1].offset;
	return true;
}

/* Where the FDE is of the last function that begins at an address or before it. 1, 0, TL_NO_MEMORY
 */
static int find_offset(struct frames *frames, uint64_t address, uint64_t *offset)
{
	uint64_t at;

	if (frames->table.bad)
		return 0;
	if (!frames->index.bad) {
		if (!tl_eh_find(&frames->index, address, &at) || at < frames->table.address)
			return 0;
		*offset = at - frames->table.address;
		return 1;
	}
	if (!frames->listed && !list_places(frames))
		return TL_NO_MEMORY;
	frames->listed = true;
	return find_place(frames, address, offset);
}

int tl_cfi_find(struct tl_cfi *cfi, uint64_t address, struct tl_cfi_row *row)
{
	for (unsigned i = 0; i < SECTIONS; i++) {
		struct tl_eh_cie cie;
		struct tl_eh_fde fde;
		uint64_t offset;
		int found = find_offset(&cfi->sections[i], address, &offset);

		if (found < 0)
			return found;
		if (!found || !read_fde(&cfi->sections[i], offset, &cie, &fde) ||
		    address - fde.start >= fde.size || !tl_cfi_run(&cie, &fde, address, row))
			continue;
		row->machine = cfi->file.machine;
		row->is_32bit = !cfi->file.is_64bit;
		return 1;
	}
	return 0;
}
