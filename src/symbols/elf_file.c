/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cursor.h"
#include "core/error.h"

/* Where the two classes keep what is checked here (System V gABI, "ELF Header"). */
struct header_layout {
	size_t size;
	uint64_t shoff, shentsize;
	size_t section_bytes; /* of one section header */
};

static const struct header_layout layouts[] = {
	[ELFCLASS32] = { sizeof(Elf32_Ehdr), offsetof(Elf32_Ehdr, e_shoff), offsetof(Elf32_Ehdr, e_shentsize),
			 sizeof(Elf32_Shdr) },
	[ELFCLASS64] = { sizeof(Elf64_Ehdr), offsetof(Elf64_Ehdr, e_shoff), offsetof(Elf64_Ehdr, e_shentsize),
			 sizeof(Elf64_Shdr) },
};

static int open_regular(struct tl_elf *file, const char *path, uint64_t *size, struct tl_error *err)
{
	struct stat status;

	/* Without O_NONBLOCK a named pipe would wait for its writer. */
	file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (file->fd < 0 || fstat(file->fd, &status))
		return tl_error_system(err, "cannot open the binary");
	if (!S_ISREG(status.st_mode)) {
		errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
		return tl_error_system(err, "the binary is not a regular file");
	}
	*size = (uint64_t)status.st_size;
	return 0;
}

/* The section headers end at the last byte of most files: they tell whether it is whole. */
static int check_sections(const struct tl_elf *file, const uint8_t *header, uint64_t size,
			  struct tl_error *err)
{
	const struct header_layout *layout = &layouts[header[EI_CLASS]];
	const uint8_t *at = header + layout->shoff;
	uint64_t offset = file->is_64bit ? tl_get64s(at, file->swap) : tl_get32s(at, file->swap);
	const uint8_t *entry = header + layout->shentsize;
	uint64_t count = tl_get16s(entry + 2, file->swap);

	if (!offset)
		return 0;
	if (tl_get16s(entry, file->swap) != layout->section_bytes)
		return tl_error_at(err, TL_BAD_FORMAT, layout->shentsize,
				   "ELF section headers of a wrong size");
	if (offset > size || (count ? count : 1) > (size - offset) / layout->section_bytes)
		return tl_error_at(err, TL_BAD_FORMAT, layout->shoff,
				   "ELF section headers reach past the end of the file; is it cut short?");
	return 0;
}

static int check_header(struct tl_elf *file, uint64_t size, struct tl_error *err)
{
	uint8_t header[sizeof(Elf64_Ehdr)] = { 0 };
	ssize_t got = pread(file->fd, header, sizeof(header), 0);

	if (got < 0)
		return tl_error_system(err, "cannot read the binary");
	if (got < SELFMAG || memcmp(header, ELFMAG, SELFMAG) != 0)
		return tl_error_at(err, TL_BAD_FORMAT, 0, "not an ELF file");
	if (got < EI_NIDENT)
		return tl_error_at(err, TL_BAD_FORMAT, (uint64_t)got, "ELF header cut short");
	if (header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64)
		return tl_error_at(err, TL_BAD_FORMAT, EI_CLASS,
				   "an ELF class that is neither 32 nor 64 bit");
	if (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB)
		return tl_error_at(err, TL_BAD_FORMAT, EI_DATA,
				   "an ELF byte order that is neither little nor big");
	if ((size_t)got < layouts[header[EI_CLASS]].size)
		return tl_error_at(err, TL_BAD_FORMAT, (uint64_t)got, "ELF header cut short");
	file->swap = (header[EI_DATA] == ELFDATA2MSB) != TL_HOST_BIG_ENDIAN;
	file->is_64bit = header[EI_CLASS] == ELFCLASS64;
	return check_sections(file, header, size, err);
}

/*
 * libelf reads the section headers and their names when first asked, and says "none" when it has no memory
 * for that: asked here, so that nobody is told of a missing section.
 */
static bool read_headers(const struct tl_elf *file)
{
	GElf_Shdr header;

	errno = 0;
	return tl_elf_section(file, "no such section", &header) || errno != ENOMEM;
}

static int open_checked(struct tl_elf *file, const char *path, struct tl_error *err)
{
	uint64_t size = 0;
	int status = open_regular(file, path, &size, err);

	if (!status)
		status = check_header(file, size, err);
	if (status)
		return status;
	elf_version(EV_CURRENT);
	errno = 0;
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf && errno == ENOMEM)
		return tl_error_memory(err);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &file->header))
		return tl_error_at(err, TL_BAD_FORMAT, TL_NOWHERE, "a damaged ELF file");
	/* A file without section names is legal: it only has none to find. */
	if (elf_getshdrstrndx(file->elf, &file->section_names))
		file->section_names = SHN_UNDEF;
	return read_headers(file) ? 0 : tl_error_memory(err);
}

int tl_elf_open(struct tl_elf *file, const char *path, struct tl_error *err)
{
	*file = (struct tl_elf){ .fd = -1 };
	int status = open_checked(file, path, err);

	if (status)
		tl_elf_close(file);
	return status;
}

void tl_elf_close(struct tl_elf *file)
{
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct tl_elf){ .fd = -1 };
}

Elf_Scn *tl_elf_section(const struct tl_elf *file, const char *name, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while (file->section_names && (section = elf_nextscn(file->elf, section))) {
		const char *have = gelf_getshdr(section, header)
					   ? elf_strptr(file->elf, file->section_names, header->sh_name)
					   : NULL;

		if (have && !strcmp(have, name))
			return section;
	}
	return NULL;
}

Elf_Scn *tl_elf_section_of(const struct tl_elf *file, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(file->elf, section)))
		if (gelf_getshdr(section, header) && header->sh_type == type)
			return section;
	return NULL;
}

const uint8_t *tl_elf_bytes(Elf_Scn *section, size_t *size)
{
	/* libelf refuses a section that reaches past the end of the file. */
	const Elf_Data *data = elf_rawdata(section, NULL);

	*size = data && data->d_buf ? data->d_size : 0;
	return *size ? data->d_buf : NULL;
}
