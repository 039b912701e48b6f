/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_ELF_FILE_H
#define TL_SYMBOLS_ELF_FILE_H
/* One ELF file: its header was checked; its tables and sections are bounded by the file (System V
 * gABI). */
#include <elf.h>
#include <stdbool.h>

#include <tracelathe/core.h>

/* Zero-filled is "none". */
struct tl_elf {
	const uint8_t *data; /* NULL: none */
	size_t size;
	bool swap; /* the file's byte order is not ours */
	bool is_big_endian, is_64bit;
	uint16_t type, machine;
	const uint8_t *sections, *segments; /* their tables */
	uint32_t section_count, segment_count;
	uint32_t section_names; /* number of the section that has the sections' names, 0: none */
};

struct tl_elf_section {
	uint32_t number, name, type, link;
	uint64_t flags, address, offset, size;
};

struct tl_elf_segment {
	uint32_t type, flags;
	uint64_t offset, address, file_size;
};

/* An entry of a symbol table. */
struct tl_elf_entry {
	uint32_t name;
	uint8_t info;
	uint16_t section;
	uint64_t value, size;
};

/* 0, TL_IO, TL_BAD_FORMAT at the byte that is wrong, or TL_NO_MEMORY. */
int tl_elf_open(struct tl_elf *file, const char *path, struct tl_error *err);
/*
 * The same for a file that another file names and not the user: a regular one of root's or of the
 * user's own.
 */
int tl_elf_open_named(struct tl_elf *file, const char *path, struct tl_error *err);
/* The same over bytes that the caller keeps; needs no tl_elf_close(). */
int tl_elf_open_memory(struct tl_elf *file, const uint8_t *data, size_t size, struct tl_error *err);
void tl_elf_close(struct tl_elf *file);

/* A section by number, by name, or the first of a type (SHT_SYMTAB, ...). False when there is none.
 */
bool tl_elf_section_at(const struct tl_elf *file, uint32_t number, struct tl_elf_section *section);
bool tl_elf_section(const struct tl_elf *file, const char *name, struct tl_elf_section *section);
bool tl_elf_section_of(const struct tl_elf *file, uint32_t type, struct tl_elf_section *section);
/* The bytes of a section as they stand in the file; NULL: none, or not all in the file. */
const uint8_t *tl_elf_bytes(const struct tl_elf *file, const struct tl_elf_section *section,
			    size_t *size);
/* A text in the string table number `strings`; NULL: it does not lie in one. */
const char *tl_elf_text(const struct tl_elf *file, uint32_t strings, uint64_t offset);
/* Segment `number` < segment_count. */
struct tl_elf_segment tl_elf_segment_at(const struct tl_elf *file, uint32_t number);

/* Bytes of a word of the file, and of an entry of a symbol table. */
size_t tl_elf_word_size(const struct tl_elf *file);
size_t tl_elf_entry_size(const struct tl_elf *file);
/* The word or entry at a place; the caller has tested the bound. */
uint64_t tl_elf_word(const struct tl_elf *file, const uint8_t *at);
struct tl_elf_entry tl_elf_entry_at(const struct tl_elf *file, const uint8_t *at);

#endif
