/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arithmetic.h"
#include "core/cursor.h"
#include "core/error.h"
#include "core/file.h"

/* Offsets of the header fields that are read, by class (gABI, "ELF Header"). */
static const struct header_layout {
	size_t size, phoff, shoff, phentsize;
	size_t segment_bytes, section_bytes; /* of one entry of the tables */
} layouts[] = {
	[ELFCLASS32] = { sizeof(Elf32_Ehdr), offsetof(Elf32_Ehdr, e_phoff),
			 offsetof(Elf32_Ehdr, e_shoff), offsetof(Elf32_Ehdr, e_phentsize),
			 sizeof(Elf32_Phdr), sizeof(Elf32_Shdr) },
	[ELFCLASS64] = { sizeof(Elf64_Ehdr), offsetof(Elf64_Ehdr, e_phoff),
			 offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf64_Ehdr, e_phentsize),
			 sizeof(Elf64_Phdr), sizeof(Elf64_Shdr) },
};

/* Behind e_phentsize both classes have the same halves. */
enum { PHNUM = 2, SHENTSIZE = 4, SHNUM = 6, SHSTRNDX = 8 };

static const struct header_layout *layout_of(const struct tl_elf *file)
{
	return &layouts[file->is_64bit ? ELFCLASS64 : ELFCLASS32];
}

size_t tl_elf_word_size(const struct tl_elf *file)
{
	return file->is_64bit ? 8 : 4;
}

uint64_t tl_elf_word(const struct tl_elf *file, const uint8_t *at)
{
	return file->is_64bit ? tl_get64s(at, file->swap) : tl_get32s(at, file->swap);
}

/* ---- tables ---- */

static struct tl_elf_section section_here(const struct tl_elf *file, const uint8_t *at,
					  uint32_t number)
{
	size_t word = tl_elf_word_size(file);

	return (struct tl_elf_section){
		.number = number,
		.name = tl_get32s(at, file->swap),
		.type = tl_get32s(at + 4, file->swap),
		.flags = tl_elf_word(file, at + 8),
		.address = tl_elf_word(file, at + 8 + word),
		.offset = tl_elf_word(file, at + 8 + 2 * word),
		.size = tl_elf_word(file, at + 8 + 3 * word),
		.link = tl_get32s(at + 8 + 4 * word, file->swap),
	};
}

bool tl_elf_section_at(const struct tl_elf *file, uint32_t number, struct tl_elf_section *section)
{
	if (!number || number >= file->section_count)
		return false;
	*section = section_here(file, file->sections + number * layout_of(file)->section_bytes,
				number);
	return true;
}

struct tl_elf_segment tl_elf_segment_at(const struct tl_elf *file, uint32_t number)
{
	const uint8_t *at = file->segments + number * layout_of(file)->segment_bytes;

	if (file->is_64bit)
		return (struct tl_elf_segment){
			.type = tl_get32s(at + offsetof(Elf64_Phdr, p_type), file->swap),
			.flags = tl_get32s(at + offsetof(Elf64_Phdr, p_flags), file->swap),
			.offset = tl_get64s(at + offsetof(Elf64_Phdr, p_offset), file->swap),
			.address = tl_get64s(at + offsetof(Elf64_Phdr, p_vaddr), file->swap),
			.file_size = tl_get64s(at + offsetof(Elf64_Phdr, p_filesz), file->swap),
		};
	return (struct tl_elf_segment){
		.type = tl_get32s(at + offsetof(Elf32_Phdr, p_type), file->swap),
		.flags = tl_get32s(at + offsetof(Elf32_Phdr, p_flags), file->swap),
		.offset = tl_get32s(at + offsetof(Elf32_Phdr, p_offset), file->swap),
		.address = tl_get32s(at + offsetof(Elf32_Phdr, p_vaddr), file->swap),
		.file_size = tl_get32s(at + offsetof(Elf32_Phdr, p_filesz), file->swap),
	};
}

size_t tl_elf_entry_size(const struct tl_elf *file)
{
	return file->is_64bit ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

struct tl_elf_entry tl_elf_entry_at(const struct tl_elf *file, const uint8_t *at)
{
	if (file->is_64bit)
		return (struct tl_elf_entry){
			.name = tl_get32s(at + offsetof(Elf64_Sym, st_name), file->swap),
			.info = at[offsetof(Elf64_Sym, st_info)],
			.section = tl_get16s(at + offsetof(Elf64_Sym, st_shndx), file->swap),
			.value = tl_get64s(at + offsetof(Elf64_Sym, st_value), file->swap),
			.size = tl_get64s(at + offsetof(Elf64_Sym, st_size), file->swap),
		};
	return (struct tl_elf_entry){
		.name = tl_get32s(at + offsetof(Elf32_Sym, st_name), file->swap),
		.info = at[offsetof(Elf32_Sym, st_info)],
		.section = tl_get16s(at + offsetof(Elf32_Sym, st_shndx), file->swap),
		.value = tl_get32s(at + offsetof(Elf32_Sym, st_value), file->swap),
		.size = tl_get32s(at + offsetof(Elf32_Sym, st_size), file->swap),
	};
}

/* ---- sections ---- */

const uint8_t *tl_elf_bytes(const struct tl_elf *file, const struct tl_elf_section *section,
			    size_t *size)
{
	*size = 0;
	if (section->type == SHT_NOBITS || section->type == SHT_NULL || !section->size ||
	    section->offset > file->size || section->size > file->size - section->offset)
		return NULL;
	*size = (size_t)section->size;
	return file->data + section->offset;
}

const char *tl_elf_text(const struct tl_elf *file, uint32_t strings, uint64_t offset)
{
	struct tl_elf_section section;
	const uint8_t *bytes;
	size_t size;

	if (!tl_elf_section_at(file, strings, &section) || section.type != SHT_STRTAB)
		return NULL;
	bytes = tl_elf_bytes(file, &section, &size);
	if (!bytes || offset >= size || !memchr(bytes + offset, '\0', size - (size_t)offset))
		return NULL;
	return (const char *)bytes + offset;
}

bool tl_elf_section(const struct tl_elf *file, const char *name, struct tl_elf_section *section)
{
	for (uint32_t i = 1; file->section_names && tl_elf_section_at(file, i, section); i++) {
		const char *have = tl_elf_text(file, file->section_names, section->name);

		if (have && !strcmp(have, name))
			return true;
	}
	return false;
}

bool tl_elf_section_of(const struct tl_elf *file, uint32_t type, struct tl_elf_section *section)
{
	for (uint32_t i = 1; tl_elf_section_at(file, i, section); i++)
		if (section->type == type)
			return true;
	return false;
}

/* ---- opening ---- */

/*
 * The section headers end at the last byte of most files: they tell whether it is whole. Counts
 * that do not fit the header stand in section 0 (gABI, "ELF Header", e_shnum, e_shstrndx, e_phnum).
 */
static int read_sections(struct tl_elf *file, struct tl_error *err)
{
	const struct header_layout *layout = layout_of(file);
	const uint8_t *halves = file->data + layout->phentsize;
	uint64_t offset = tl_elf_word(file, file->data + layout->shoff), most;
	uint64_t count = tl_get16s(halves + SHNUM, file->swap);
	struct tl_elf_section first;

	if (!offset)
		return 0;
	if (tl_get16s(halves + SHENTSIZE, file->swap) != layout->section_bytes)
		return tl_error_at(err, TL_BAD_FORMAT, layout->phentsize + SHENTSIZE,
				   "ELF section headers of a wrong size");
	most = offset > file->size ? 0 : (file->size - offset) / layout->section_bytes;
	if ((count ? count : 1) > most)
		return tl_error_at(
			err, TL_BAD_FORMAT, layout->shoff,
			"ELF section headers reach past the end of the file; is it cut short?");
	file->sections = file->data + offset;
	first = section_here(file, file->sections, 0);
	if (!count)
		count = tl_min(first.size, most);
	file->section_count = count < TL_NONE ? (uint32_t)count : TL_NONE;
	file->section_names = tl_get16s(halves + SHSTRNDX, file->swap);
	if (file->section_names == SHN_XINDEX)
		file->section_names = first.link;
	return 0;
}

/* A table that reaches past the end of the file is cut: code is found by sections, too. */
static void read_segments(struct tl_elf *file)
{
	const struct header_layout *layout = layout_of(file);
	const uint8_t *halves = file->data + layout->phentsize;
	uint64_t offset = tl_elf_word(file, file->data + layout->phoff);
	uint64_t count = tl_get16s(halves + PHNUM, file->swap);
	size_t info =
		file->is_64bit ? offsetof(Elf64_Shdr, sh_info) : offsetof(Elf32_Shdr, sh_info);

	if (tl_get16s(halves, file->swap) != layout->segment_bytes || !offset ||
	    offset > file->size)
		return;
	if (count == PN_XNUM && file->section_count)
		count = tl_get32s(file->sections + info, file->swap);
	file->segments = file->data + offset;
	if (count > (file->size - offset) / layout->segment_bytes)
		count = (file->size - offset) / layout->segment_bytes;
	file->segment_count = (uint32_t)count;
}

int tl_elf_open_memory(struct tl_elf *file, const uint8_t *data, size_t size, struct tl_error *err)
{
	int status;

	*file = (struct tl_elf){ .data = data, .size = size };
	if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
		return tl_error_at(err, TL_BAD_FORMAT, 0, "not an ELF file");
	if (size < EI_NIDENT)
		return tl_error_at(err, TL_BAD_FORMAT, size, "ELF header cut short");
	if (data[EI_CLASS] != ELFCLASS32 && data[EI_CLASS] != ELFCLASS64)
		return tl_error_at(err, TL_BAD_FORMAT, EI_CLASS,
				   "an ELF class that is neither 32 nor 64 bit");
	if (data[EI_DATA] != ELFDATA2LSB && data[EI_DATA] != ELFDATA2MSB)
		return tl_error_at(err, TL_BAD_FORMAT, EI_DATA,
				   "an ELF byte order that is neither little nor big");
	file->is_64bit = data[EI_CLASS] == ELFCLASS64;
	if (size < layout_of(file)->size)
		return tl_error_at(err, TL_BAD_FORMAT, size, "ELF header cut short");
	file->is_big_endian = data[EI_DATA] == ELFDATA2MSB;
	file->swap = file->is_big_endian != TL_HOST_BIG_ENDIAN;
	file->type = tl_get16s(data + offsetof(Elf64_Ehdr, e_type), file->swap);
	file->machine = tl_get16s(data + offsetof(Elf64_Ehdr, e_machine), file->swap);
	status = read_sections(file, err);
	if (!status)
		read_segments(file);
	return status;
}

static int map_regular(int fd, struct tl_elf *file, struct tl_error *err)
{
	struct stat status;
	void *map;

	if (fstat(fd, &status))
		return tl_error_system(err, "cannot open the binary");
	if (!S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
		return tl_error_system(err, "the binary is not a regular file");
	}
	/* Zero bytes cannot be mapped; they are no ELF file either. */
	if (!status.st_size)
		return 0;
	if ((uint64_t)status.st_size > PTRDIFF_MAX)
		return tl_error_at(err, TL_TOO_LARGE, TL_NOWHERE, "larger than the address space");
	map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return errno == ENOMEM ? tl_error_memory(err)
				       : tl_error_system(err, "cannot read the binary");
	file->data = map;
	file->size = (size_t)status.st_size;
	return 0;
}

static int open_descriptor(struct tl_elf *file, int fd, struct tl_error *err)
{
	struct tl_elf mapped = { .data = NULL };
	int status;

	*file = mapped;
	if (fd < 0)
		return tl_error_named(err, "cannot open the binary",
				      "the binary is another user's, or no regular file: give it "
				      "with --binary, or a copy of your own");
	status = map_regular(fd, &mapped, err);
	close(fd);
	if (status)
		return status;
	status = tl_elf_open_memory(file, mapped.data, mapped.size, err);
	if (status)
		tl_elf_close(&mapped);
	if (status)
		*file = (struct tl_elf){ .data = NULL };
	return status;
}

int tl_elf_open(struct tl_elf *file, const char *path, struct tl_error *err)
{
	/* Without O_NONBLOCK a named pipe would wait for its writer. */
	return open_descriptor(file, tl_file_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0), err);
}

int tl_elf_open_named(struct tl_elf *file, const char *path, struct tl_error *err)
{
	return open_descriptor(file, tl_file_open_named(path), err);
}

void tl_elf_close(struct tl_elf *file)
{
	if (file->data)
		munmap((void *)(uintptr_t)file->data, file->size);
	*file = (struct tl_elf){ .data = NULL };
}
