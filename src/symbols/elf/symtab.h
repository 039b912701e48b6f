/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TL_SYMBOLS_SYMTAB_H
#define TL_SYMBOLS_SYMTAB_H
/* The symbols of a binary by address. */
#include "symbols/elf/elf_file.h"
#include "symbols/elf/intervals.h"

/* Names live in the ELF file. */
struct tl_elf_symbol {
	/* end: lookups find the symbol up to here, also where the size is unknown */
	uint64_t start, end;
	uint64_t size; /* 0: unknown */
	const char *name;
	const char *shown; /* name for callers, demangled; NULL: not made yet */
	uint8_t rank;      /* among symbols at one address, 0 is the best */
};

/* Zero-filled is empty. */
struct tl_symtab {
	struct tl_elf_symbol *symbols;
	size_t count, capacity;
	struct tl_intervals intervals;
	size_t last; /* the interval that was found last */
};

/*
 * Add the symbols of the file's table of a type (SHT_SYMTAB or SHT_DYNSYM). False without memory.
 */
bool tl_symtab_add(struct tl_symtab *table, const struct tl_elf *file, uint32_t type);
/* Prepare for lookups, after the last tl_symtab_add(). False without memory. */
bool tl_symtab_finish(struct tl_symtab *table);
/* The symbol that holds an address, NULL: none. */
struct tl_elf_symbol *tl_symtab_find(struct tl_symtab *table, uint64_t address);
void tl_symtab_free(struct tl_symtab *table);

#endif
