/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_ELF_FILE_H
#define TL_SYMBOLS_ELF_FILE_H
/* One ELF file, opened through libelf: its header was checked, its sections are bounded by the file. */
#include <gelf.h>
#include <stdbool.h>

#include <tracelathe/core.h>

/* Filled with 0 and fd -1 is "none". */
struct tl_elf {
	int fd;
	Elf *elf;
	GElf_Ehdr header;
	size_t section_names; /* number of the section that has the sections' names */
	bool swap;	      /* the file's byte order is not ours */
	bool is_64bit;
};

/* 0, TL_IO, TL_BAD_FORMAT at the byte that is wrong, or TL_NO_MEMORY. */
int tl_elf_open(struct tl_elf *file, const char *path, struct tl_error *err);
void tl_elf_close(struct tl_elf *file);

/* A section by name with its header; NULL when there is none. */
Elf_Scn *tl_elf_section(const struct tl_elf *file, const char *name, GElf_Shdr *header);
/* The first section of a type (SHT_SYMTAB, ...), NULL when there is none. */
Elf_Scn *tl_elf_section_of(const struct tl_elf *file, GElf_Word type, GElf_Shdr *header);
/* The bytes of a section as they stand in the file; NULL: none, or not all in the file. */
const uint8_t *tl_elf_bytes(Elf_Scn *section, size_t *size);

#endif
